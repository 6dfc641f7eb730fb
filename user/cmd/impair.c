// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd/impair.c - lose, damage, copy, hold and reorder packets, and account for each.
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
#include "sys/host/caps.h"

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

static const struct impair_opts defaults = {
	.limit = DEFAULT_LIMIT,
	.seed = 1,
	.interval_ns = NSEC_PER_SEC,
};

/* In the order of enum impair_way. */
static const char *const directions[] = { "ingress", "egress", "a-to-b", "b-to-a", "both", NULL };

#define RULE(kind) OPT_STRS, offsetof(struct impair_opts, rules[kind])

static const struct opt options[] = {
	{ 0, "INTERFACE", OPT_IFACE, offsetof(struct impair_opts, ifname), NULL,
	  "impair what passes here", .argument = true },
	{ 0, "OTHER", OPT_IFACE, offsetof(struct impair_opts, other), NULL,
	  "be a bump in the wire between INTERFACE (a) and this one (b)", .argument = true,
	  .optional = true },
	{ 0, "direction", OPT_CHOICE, offsetof(struct impair_opts, direction), "WAY",
	  "what is impaired; between two a-to-b, b-to-a or, unless given, both",
	  .choices = directions },
	{ 0, "loss", RULE(IMPAIR_LOSS), "WHICH",
	  "drop: all, 1%, every=100, list=3,17, list=FILE or ge(p=1%,r=30%)" },
	{ 0, "corrupt", RULE(IMPAIR_CORRUPT), "WHICH[:BITS[@OFFSET]]",
	  "flip 1 to 16 bits, behind the Ethernet header unless OFFSET is given" },
	{ 0, "checksum", RULE(IMPAIR_CHECKSUM), "WHICH", "make the checksum of L4 wrong" },
	{ 0, "truncate", RULE(IMPAIR_TRUNCATE), "WHICH:BYTES",
	  "cut the frame to BYTES, without FCS; its headers stay as they are" },
	{ 0, "fragment", RULE(IMPAIR_FRAGMENT), "WHICH:BYTES",
	  "cut into IPv4 fragments of so much payload, a multiple of 8" },
	{ 0, "duplicate", RULE(IMPAIR_DUPLICATE), "WHICH[:COPIES]", "send COPIES more, directly after" },
	{ 0, "reorder", RULE(IMPAIR_REORDER), "WHICH:PLACES",
	  "hold until PLACES later packets have been sent" },
	{ 0, "delay", RULE(IMPAIR_DELAY), "[WHICH:]TIME[+-JITTER][,SHAPE]",
	  "hold for a time; SHAPE: uniform, normal, pareto, pareto=ALPHA; or file=FILE; ,keep-order" },
	{ 0, "rate", OPT_RATE, offsetof(struct impair_opts, rate), "RATE",
	  "bottleneck rate on the wire, such as 100Mbit",
	  .rate_kinds = OPT_RATE_BPS | OPT_RATE_MAX },
	{ 0, "limit", OPT_STR, offsetof(struct impair_opts, limit), "LIMIT",
	  "length of the bottleneck's queue, in packets (100) or bytes (64kB)" },
	{ 0, "match", OPT_STR, offsetof(struct impair_opts, match), "WORDS",
	  "impair only packets of these: ip4 ip6 udp tcp sctp icmp icmp6, proto N, src A[/N], dst A[/N], sport N, "
	  "dport N, stream N" },
	{ 0, "seed", OPT_COUNT, offsetof(struct impair_opts, seed), "N",
	  "the same seed does the same to the same order of packets" },
	{ 'c', "count", OPT_COUNT, offsetof(struct impair_opts, count), "N",
	  "stop after N packets that matched; 0: no limit" },
	{ 'd', "duration", OPT_DURATION, offsetof(struct impair_opts, duration_ns), "TIME",
	  "stop after this time; 0: run until ^C" },
	{ 'i', "interval", OPT_DURATION, offsetof(struct impair_opts, interval_ns), "TIME",
	  "reporting interval; 0: none" },
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

/* All that the words say; the rules are the caller's to release, also on failure. */
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

	if (opts->other && !opt_was_given(given, "direction"))
		opts->direction = IMPAIR_BOTH;
	between = opts->direction >= IMPAIR_A_TO_B;
	/* The default is that of one interface, so this is no rule. */
	if (!between && opts->other)
		return err_usage(e, "OTHER and --direction %s are mutually exclusive",
				 directions[opts->direction]);
	err = read_words(opts, &cfg, &rules, e);
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
	caps_keep_files();
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
	const struct loop loop = {
		.duration_ns = run->opts->duration_ns, .interval_ns = run->opts->interval_ns,
		.done = is_done, .tick = show_row, .ctx = run,
	};
	struct meter *meter = meter_start(run->opts->ifname);

	loop_run(&loop);
	meter_stop(meter);
	impair_stop(run->impair);
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
		/* The clsact hook is taken away at the end, and looking up a link needs nothing. */
		caps_drop(opts->direction == IMPAIR_EGRESS ? CAPS_BPF | CAPS_NET_ADMIN : CAPS_BPF);
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
	.summary = "lose, damage, copy, hold and reorder packets, and account for each",
	.description =
"Does to packets what a bad network does to them, and counts exactly what it did\n"
"to how many. On one interface it loses and damages what comes in (XDP), or with\n"
"--direction egress what leaves (tc), copies too. Between two interfaces it is a\n"
"bump in the wire: every frame that comes in at one leaves by the other, and\n"
"delay, reordering, duplication, fragments and a bottleneck are to be had as well.\n"
"What it leaves alone goes on inside the kernel.\n\n"
"The packets that match --match are numbered from 0 in the order of arrival, by\n"
"direction. WHICH of them a rule takes: all; 1%, each by chance; every=100, the\n"
"100th, 200th and so on; every=100+7, numbers 7, 107 and so on; list=3,17,99 or\n"
"list=FILE, these numbers; ge(p=1%,r=30%[,bad=100%][,good=0%]), bursts by the\n"
"Gilbert-Elliott model. A rule may be given several times, 8 in all. Chance comes\n"
"from --seed: the same seed and order of packets, the same fate of each.",
	.examples =
"  # lose one packet in a hundred of a stream that arrives on eth1\n"
"  sudo ethgauge impair eth1 --loss 1% --match 'udp dport 9'\n"
"  # a bump in a lab, bursts of loss and 5 ms of delay from a to b\n"
"  sudo ethgauge lab up --path a-r-b --middle open\n"
"  sudo ethgauge lab exec r ethgauge impair ega egb --direction a-to-b \\\n"
"      --loss 'ge(p=1%,r=30%)' --delay 5ms+-1ms,normal\n"
"  # what does the device do with damaged packets? each of them stands in events.csv\n"
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
