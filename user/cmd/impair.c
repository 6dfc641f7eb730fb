// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd/impair.c - drop, corrupt, delay and reorder packets, and account for each.
 */
#include <arpa/inet.h>
#include <stdio.h>

#include "cmd/cmd.h"
#include "engine/impair/impair.h"
#include "engine/self/environ.h"
#include "engine/self/meter.h"
#include "lib/log.h"
#include "lib/loop.h"
#include "lib/outfile.h"
#include "sys/hook/bpf.h"
#include "sys/host/caps.h"
#include "sys/host/keeper.h"

#define DEFAULT_LIMIT "1000"

struct impair_opts {
	const char *ifname, *other;
	int direction;			/* enum impair_way */
	struct opt_strs rules[IMPAIR_KINDS];
	struct unit_rate rate;
	const char *limit, *match, *events;
	uint64_t seed, count, duration_ns, interval_ns;
	int xdp_mode, tc_mode;
};

#define DIRECTION_UNSET	(-1)	/* check sets the default, which depends on OTHER */

static const struct impair_opts defaults = {
	.limit = DEFAULT_LIMIT,
	.direction = DIRECTION_UNSET,
	.seed = 1,
	.interval_ns = NSEC_PER_SEC,
};

/* In the order of enum impair_way. */
static const char *const directions[] = { "ingress", "egress", "a-to-b", "b-to-a", "both", NULL };

#define RULE(kind) OPT_STRS, offsetof(struct impair_opts, rules[kind])

static const struct opt options[] = {
	{ 0, "INTERFACE", OPT_IFACE, offsetof(struct impair_opts, ifname), NULL,
	  "impair packets on this interface", .argument = true },
	{ 0, "OTHER", OPT_IFACE, offsetof(struct impair_opts, other), NULL,
	  "forward between INTERFACE (a) and this interface (b)", .argument = true,
	  .optional = true },
	{ 0, "direction", OPT_CHOICE, offsetof(struct impair_opts, direction), "WAY",
	  "direction to impair; default ingress, with OTHER both",
	  .choices = directions },
	{ 0, "loss", RULE(IMPAIR_LOSS), "WHICH",
	  "drop packets: all, 1%, every=100, list=3,17, list=FILE or ge(p=1%,r=30%)" },
	{ 0, "ce", RULE(IMPAIR_CE), "WHICH", "mark ECN-capable packets \"congestion experienced\"" },
	{ 0, "remark", RULE(IMPAIR_REMARK), "WHICH:DSCP", "rewrite the DSCP, 0 to 63" },
	{ 0, "corrupt", RULE(IMPAIR_CORRUPT), "WHICH[:BITS[@OFFSET]]",
	  "flip 1 to 16 bits, after the Ethernet header unless OFFSET is given" },
	{ 0, "checksum", RULE(IMPAIR_CHECKSUM), "WHICH", "corrupt the L4 checksum" },
	{ 0, "truncate", RULE(IMPAIR_TRUNCATE), "WHICH:BYTES",
	  "cut the frame to BYTES, without FCS; lengths in its headers are not changed" },
	{ 0, "fragment", RULE(IMPAIR_FRAGMENT), "WHICH:BYTES",
	  "split IP packets into fragments with BYTES of payload, a multiple of 8" },
	{ 0, "duplicate", RULE(IMPAIR_DUPLICATE), "WHICH[:COPIES]", "send COPIES more directly after the packet" },
	{ 0, "reorder", RULE(IMPAIR_REORDER), "WHICH:PLACES",
	  "hold a packet until PLACES later packets have been sent" },
	{ 0, "delay", RULE(IMPAIR_DELAY), "[WHICH:]TIME[+-JITTER][,SHAPE]",
	  "delay by TIME; SHAPE: uniform, normal, pareto, pareto=ALPHA or file=FILE; ,keep-order prevents reordering" },
	{ 0, "rate", OPT_RATE, offsetof(struct impair_opts, rate), "RATE",
	  "bottleneck rate on the wire, such as 100Mbit",
	  .rate_kinds = OPT_RATE_BPS | OPT_RATE_MAX },
	{ 0, "limit", OPT_STR, offsetof(struct impair_opts, limit), "LIMIT",
	  "length of the bottleneck's queue, in packets (100) or bytes (64kB)" },
	{ 0, "match", OPT_STR, offsetof(struct impair_opts, match), "WORDS",
	  "impair only matching packets: ip4 ip6 udp tcp sctp icmp icmp6, proto N, src A[/N], dst A[/N], sport N, "
	  "dport N, stream N" },
	{ 0, "seed", OPT_COUNT, offsetof(struct impair_opts, seed), "N",
	  "seed of random choices: equal seed and packet order give equal results" },
	{ 'c', "count", OPT_COUNT, offsetof(struct impair_opts, count), "N",
	  "stop after N matching packets; 0: no limit" },
	{ 'd', "duration", OPT_DURATION, offsetof(struct impair_opts, duration_ns), "TIME",
	  "stop after this time; 0: run until ^C" },
	{ 'i', "interval", OPT_DURATION, offsetof(struct impair_opts, interval_ns), "TIME",
	  "reporting interval, and on a terminal a line for each; 0: none" },
	{ 0, "events", OPT_STR, offsetof(struct impair_opts, events), "FILE",
	  "write a CSV line for each impaired packet" },
	{ 0, "xdp-mode", OPT_CHOICE, offsetof(struct impair_opts, xdp_mode), "MODE",
	  "how to attach", .choices = xdp_mode_names },
	{ 0, "tc-mode", OPT_CHOICE, offsetof(struct impair_opts, tc_mode), "MODE",
	  "how to attach on egress", .choices = tc_way_names },
	OPT_END
};

static const struct opt_rule rules[] = {
	{ OPT_REQUIRES, "direction=a-to-b direction=b-to-a direction=both", "OTHER" },
	{ OPT_REQUIRES, "limit", "rate" }, { OPT_EXCLUDES, "limit", "rate=max" },
	{ OPT_REQUIRES, "tc-mode", "direction=egress" },
	OPT_RULE_END
};

/* Parse rules, filter and queue; the caller releases the rules, also on failure. */
static int read_words(const struct impair_opts *opts, struct impair_cfg *cfg,
		      struct impair_rules *rules, struct err *e)
{
	enum impair_kind kind;
	unsigned int i;
	int err = 0;

	for (kind = 0; kind < IMPAIR_KINDS; kind++) {
		for (i = 0; i < opts->rules[kind].nr && !err; i++)
			err = impair_rules_add(rules, kind, opts->rules[kind].text[i], e);
	}
	if (!err && opts->match)
		err = impair_filter_parse(opts->match, &cfg->filter, e);
	if (err || opts->rate.kind == UNIT_RATE_MAX)
		return err;
	cfg->rate_l1_bps = opts->rate.value;
	return impair_queue_parse(opts->limit, &cfg->queue_bytes, &cfg->queue_packets, e);
}

static int impair_check_opts(void *args, const struct opt_given *given, struct err *e)
{
	struct impair_opts *opts = args;
	struct impair_rules rules = { 0 };
	struct impair_cfg cfg = { 0 };
	bool between;
	int err;

	if (!opt_was_given(given, "direction"))
		opts->direction = opts->other ? IMPAIR_BOTH : IMPAIR_INGRESS;
	between = opts->direction >= IMPAIR_A_TO_B;
	/* Not in the table of rules, as the default of direction depends on OTHER. */
	if (!between && opts->other)
		return err_usage(e, "OTHER and --direction %s are mutually exclusive",
				 directions[opts->direction]);
	err = read_words(opts, &cfg, &rules, e);
	if (!err && !opts->other && !rules.nr && opts->rate.kind == UNIT_RATE_MAX) {
		err_usage(e, "nothing to impair on '%s': there is no rule", opts->ifname);
		err = err_hint(e, "such as --loss 1%% or --corrupt 0.1%%");
	}
	impair_rules_release(&rules);
	return err;
}

struct run {
	const struct impair_opts *opts;
	struct impair *impair;
	struct outfile *events;
	struct result *res;
	struct err *e;
	int err;
};

static void write_event(void *ctx, const struct impair_event *event)
{
	const struct run *run = ctx;
	FILE *out = outfile_stream(run->events);
	const char *between = "";
	enum impair_kind kind;

	fprintf(out, "%s,%llu,%llu,", run->opts->other ? directions[IMPAIR_A_TO_B + event->direction] :
		directions[run->opts->direction], (unsigned long long)event->ordinal,
		(unsigned long long)event->mono_ns);
	if (event->tagged)
		fprintf(out, "%u,%u,", ntohs(event->stream), ntohl(event->sequence));
	else
		fputs(",,", out);
	fprintf(out, "%u,", event->buf_bytes);
	for (kind = 0; kind < IMPAIR_KINDS; kind++) {
		if (!(event->kinds >> kind & 1))
			continue;
		fprintf(out, "%s%s", between, impair_kind_name(kind));
		between = "+";
	}
	fputc(',', out);
	if (event->kinds & 1 << IMPAIR_CORRUPT)
		fprintf(out, "%u", event->first_bit);
	fputc(',', out);
	if (event->kinds & 1 << IMPAIR_TRUNCATE)
		fprintf(out, "%u", event->cut_bytes);
	fputc(',', out);
	if (event->kinds & 1 << IMPAIR_DUPLICATE)
		fprintf(out, "%u", event->copies);
	fputc('\n', out);
}

static int open_events(struct run *run, struct err *e)
{
	int err;

	if (!run->opts->events)
		return 0;
	err = keeper_start(e);
	if (!err)
		err = outfile_open(&run->events, run->opts->events, e);
	if (!err)
		fputs("direction,ordinal,mono_ns,stream,sequence,buf_bytes,done,first_bit,cut_bytes,"
		      "copies\n", outfile_stream(run->events));
	return err;
}

static bool is_done(void *ctx)
{
	struct run *run = ctx;
	struct impair_count count;
	uint64_t seen;

	impair_poll(run->impair);
	run->err = impair_check(run->impair, run->e);
	if (run->err)
		return true;
	if (!run->opts->count)
		return false;
	impair_read(run->impair, 0, &count);
	seen = count.seen_packets;
	if (run->opts->other) {
		impair_read(run->impair, 1, &count);
		seen += count.seen_packets;
	}
	return seen >= run->opts->count;
}

static void show_row(void *ctx, uint64_t elapsed_ns)
{
	struct run *run = ctx;

	impair_report_row(run->impair, run->res, elapsed_ns);
}

static void tell_ready(const struct impair_opts *opts)
{
	log_info("impairing '%s'%s%s%s, %s%s", opts->ifname, opts->other ? " - '" : "",
		 opts->other ? opts->other : "", opts->other ? "'" : "",
		 directions[opts->direction],
		 opts->duration_ns || opts->count ? "" : "; ^C ends it");
}

static void go(struct run *run)
{
	struct loop loop = {
		.duration_ns = run->opts->duration_ns, .interval_ns = run->opts->interval_ns,
		.done = is_done, .tick = show_row, .ctx = run,
	};
	struct meter *meter = meter_start(run->opts->ifname);

	if (run->opts->other)
		meter_add_link(meter, run->opts->other);
	loop_run(&loop);
	meter_stop(meter);
	impair_stop(run->impair);
	loop_close(&loop);
	impair_report(run->impair, run->res);
	meter_report(meter, NULL, NULL, run->res);
	meter_free(meter);
	if (run->events && !run->err)
		run->err = outfile_commit(run->events, run->e);
}

static int impair_run(const void *args, struct result *res, struct err *e)
{
	const struct impair_opts *opts = args;
	struct run run = { .opts = opts, .res = res, .e = e };
	struct impair_rules rules = { 0 };
	struct impair_cfg cfg = {
		.ifnames = { opts->ifname, opts->other },
		.way = (enum impair_way)opts->direction,
		.xdp_mode = (enum xdp_mode)opts->xdp_mode,
		.tc_way = (enum tc_way)opts->tc_mode,
		.seed = opts->seed,
		.rules = &rules,
		.on_event = opts->events ? write_event : NULL,
		.ctx = &run,
	};
	int err;

	err = read_words(opts, &cfg, &rules, e);
	if (!err)
		err = open_events(&run, e);
	if (!err) {
		environ_iface(res, opts->ifname);
		err = impair_open(&run.impair, &cfg, res, e);
	}
	if (!err)
		err = impair_start(run.impair, e);
	if (!err) {
		/* Removing the clsact hook at the end needs CAP_NET_ADMIN; looking up a link needs nothing. */
		caps_drop(bpf_map_caps() | (opts->direction == IMPAIR_EGRESS ? CAPS_NET_ADMIN : 0));
		tell_ready(opts);
		go(&run);
		err = run.err;
	}
	impair_close(run.impair);
	outfile_close(run.events);
	impair_rules_release(&rules);
	return err;
}

const struct cmd cmd_impair = {
	.name = "impair",
	.summary = "drop, corrupt, delay and reorder packets, and account for each",
	.description =
"Emulates a bad network and counts exactly what it did to how many packets. On one\n"
"interface it drops and corrupts received packets (XDP), or with --direction egress\n"
"drops, corrupts and duplicates sent packets (tc). Between two interfaces it forwards\n"
"every frame from one to the other; delay, reordering, duplication, fragments and\n"
"bottleneck emulation are available as well. Packets that it does not\n"
"change never leave the kernel.\n\n"
"Packets that match --match are numbered from 0 in order of arrival, separately for\n"
"each direction. WHICH selects packets of a rule: all; 1%, at random; every=100, the\n"
"100th, 200th and so on; every=100+7, numbers 7, 107 and so on; list=3,17,99 or\n"
"list=FILE, these numbers; ge(p=1%,r=30%[,bad=100%][,good=0%]), bursts by the\n"
"Gilbert-Elliott model. A rule may be given several times, 8 in all. Random choices\n"
"depend on --seed only: the same seed and order of packets give the same result.",
	.examples =
"  # drop 1 % of a stream that arrives on eth1\n"
"  sudo ethgauge impair eth1 --loss 1% --match 'udp dport 9'\n"
"  # in a lab: bursts of loss and 5 ms of delay from a to b\n"
"  sudo ethgauge lab up --path a-r-b --middle open\n"
"  sudo ethgauge lab exec r ethgauge impair ega egb --direction a-to-b \\\n"
"      --loss 'ge(p=1%,r=30%)' --delay 5ms+-1ms,normal\n"
"  # test a device with corrupted packets, each listed in events.csv\n"
"  sudo ethgauge impair eth1 eth2 --corrupt 0.1%:2 --checksum 0.1% \\\n"
"      --truncate every=1000:40 --events events.csv -d 1m -o impaired.json\n"
"  # a link of 10 Mbit/s with a buffer of 64 kB\n"
"  sudo ethgauge impair eth1 eth2 --rate 10Mbit --limit 64kB\n",
	.options = options,
	.rules = rules,
	.defaults = &defaults,
	.opts_size = sizeof(defaults),
	.needs = CMD_NEEDS_BPF | CMD_NEEDS_NET_ADMIN | CMD_NEEDS_NET_RAW,
	.check = impair_check_opts,
	.run = impair_run,
};
