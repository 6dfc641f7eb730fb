// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd/bench.c - standard test suites through a device between two ports.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "engine/suite/bench_suite.h"
#include "lib/loop.h"
#include "result/outcome.h"
#include "sys/host/caps.h"
#include "sys/host/clock.h"

#define SETTLE_NS	(7 * NSEC_PER_SEC)	/* RFC 2544 23: 2 s, and 5 s for the device to settle */
#define REFLECT_PORT	7			/* where ethgauge reflect answers */
#define QUICK_SETTLE_NS	(NSEC_PER_SEC / 10)

static const char *const searches[] = { "binary", "mlr", NULL };

struct bench_opts {
	struct stream_opts stream;
	int suite;			/* enum bench_suite */
	const char *tx, *rx;
	const char *sizes, *tests, *state, *goal_file;
	struct opt_strs goals;
	const char *receiver;
	bool quick, reflector;
	int search;
	uint64_t trial_ns, initial_ns, latency_ns, burst_ns, overload_ns, settle_ns, duration_ns;
	uint32_t repeats, bursts, resets;
	const char *reset_command;
	uint64_t reset_wait_ns, wait_ns;
	struct unit_rate cir, eir;
	const char *flr, *avail;
	uint64_t ftd_ns, fdv_ns;
	bool policing;
	/* Derived from these by check. */
	struct bench_plan plan;
	char tx_ifname[16];
	const char *tx_netns;
	char words[4000];
};

static const struct bench_opts defaults = {
	.stream = { STREAM_DEFAULTS, .port = 9, .rate = { UNIT_RATE_LINK_RATIO, 1 } },
	.wait_ns = SETTLE_WAIT_NS,
	.cir = { UNIT_RATE_PPS, 0 }, .eir = { UNIT_RATE_PPS, 0 },
};

#define AT(member) offsetof(struct bench_opts, member)

/* A search limit or a service's rate cannot be "max". */
#define LOADS (OPT_RATE_BPS | OPT_RATE_PPS | OPT_RATE_SHARE)

static const struct opt options[] = {
	{ 0, "SUITE", OPT_CHOICE, AT(suite), NULL,
	  "test suite; or rfc6349 for TCP: see ethgauge bench rfc6349 --help", .choices = bench_suite_names,
	  .argument = true, .selects = true },
	{ 0, "SENDER", OPT_STR, AT(tx), NULL, "the port that sends into the device: IFACE or IFACE@NETNS",
	  .argument = true },
	{ 0, "RECEIVER", OPT_STR, AT(rx), NULL,
	  "the port that receives from the device, in the same form; with --reflector the reflector's address, "
	  "with --receiver an interface of the other host", .argument = true },
	{ 0, "receiver", OPT_STR, AT(receiver), "COMMAND",
	  "command that runs ethgauge on the receiving host, without a password prompt: "
	  "\"ssh root@host2 ethgauge\"; sh runs it, and sink starts there for each trial" },
	{ 0, "clock", OPT_CHOICE, AT(stream.clock), "CLOCK",
	  "--receiver: tai if both hosts' clocks are synchronised; else delays are left out",
	  .choices = clock_names },
	{ 0, "reflector", OPT_FLAG, AT(reflector), NULL,
	  "ethgauge reflect --source-rate max at the far end returns the packets: loss counts both directions, "
	  "delay is the round trip" },
	{ 0, "quick", OPT_FLAG, AT(quick), NULL,
	  "few trials of half a second, shorter than the standard requires; the result is marked quick" },
	{ 0, "sizes", OPT_STR, AT(sizes), "LIST", "frame sizes, instead of RFC 2544's seven" },
	{ 'r', "rate", OPT_RATE, AT(stream.rate), "RATE",
	  "highest load, on the wire: 10G, 1Mpps, 50% of the link; for soak the load",
	  .of = "rfc2544 rfc9004 mlrsearch rfc8219 soak", .rate_kinds = LOADS },
	{ 0, "tests", OPT_STR, AT(tests), "LIST",
	  "tests after throughput: any of latency,loss,back-to-back,recovery, or none",
	  .of = "rfc2544", .value_at = bench_test_at },
	{ 0, "goal", OPT_STRS, AT(goals), "GOAL",
	  "rfc2544, tst009, ndr, pdr, or such as loss=0.5%,exceed=50%,final=1s,sum=21s; "
	  "also initial, width and name; may be repeated, all goals are searched together",
	  .of = "mlrsearch", .value_at = bench_goal_at },
	{ 0, "goals", OPT_STR, AT(goal_file), "FILE",
	  "goals from a YAML file: goals: [tst009, {name: mine, loss: 0.5%, exceed: 50%}]",
	  .of = "mlrsearch" },
	{ 0, "search", OPT_CHOICE, AT(search), "HOW",
	  "search algorithm: bisection, or that of mlrsearch", .choices = searches,
	  .of = "rfc2544 rfc9004 rfc8219" },
	{ 0, "trial", OPT_DURATION, AT(trial_ns), "TIME",
	  "duration of the final search trials, of loss curve and soak trials; 0: the standard's",
	  .of = "rfc2544 rfc9004 rfc8219 soak y1564" },
	{ 0, "initial-trial", OPT_DURATION, AT(initial_ns), "TIME",
	  "duration of the first search trials; 0: 1 s",
	  .of = "rfc2544 rfc9004 rfc8219" },
	{ 0, "latency-trial", OPT_DURATION, AT(latency_ns), "TIME", "duration of latency trials; 0: the standard's",
	  .of = "rfc2544 rfc8219" },
	{ 0, "repeats", OPT_U32, AT(repeats), "N", "number of latency and recovery trials; 0: the standard's",
	  .max = 10000,
	  .of = "rfc2544 rfc8219" },
	{ 0, "max-burst", OPT_DURATION, AT(burst_ns), "TIME", "longest burst; 0: the standard's",
	  .of = "rfc2544 rfc9004" },
	{ 0, "bursts", OPT_U32, AT(bursts), "N", "number of back-to-back tests; 0: the standard's", .max = 10000,
	  .of = "rfc2544 rfc9004" },
	{ 0, "overload", OPT_DURATION, AT(overload_ns), "TIME",
	  "recovery: time at 110 % of the throughput, then at half that load; 0: the standard's",
	  .of = "rfc2544" },
	{ 0, "reset-command", OPT_STR, AT(reset_command), "COMMAND",
	  "command that resets the device; sh runs it while packets are sent, to measure "
	  "how long the device forwards nothing",
	  .of = "rfc2544" },
	{ 0, "reset-wait", OPT_DURATION, AT(reset_wait_ns), "TIME",
	  "resets: time to send before the command starts and after it ends; 0: 1 min, "
	  "with --quick 1 s",
	  .of = "rfc2544" },
	{ 0, "resets", OPT_U32, AT(resets), "N", "number of resets; 0: 3, with --quick 1", .max = 1000,
	  .of = "rfc2544" },
	{ 'd', "duration", OPT_DURATION, AT(duration_ns), "TIME",
	  "total duration; 0: 1 h for soak, 15 min for the performance test of y1564",
	  .of = "soak y1564" },
	{ 0, "cir", OPT_RATE, AT(cir), "RATE",
	  "committed information rate, in bits (frames with FCS) or packets per second",
	  .of = "y1564", .rate_kinds = LOADS },
	{ 0, "eir", OPT_RATE, AT(eir), "RATE", "excess information rate; 0pps: none",
	  .of = "y1564", .rate_kinds = LOADS },
	{ 0, "policing", OPT_FLAG, AT(policing), NULL, "fail if more than CIR + EIR is forwarded",
	  .of = "y1564" },
	{ 0, "flr", OPT_STR, AT(flr), "PERCENT", "highest acceptable frame loss ratio; default: no loss",
	  .of = "y1564" },
	{ 0, "ftd", OPT_DURATION, AT(ftd_ns), "TIME", "longest acceptable mean frame delay; 0: no check",
	  .of = "y1564" },
	{ 0, "fdv", OPT_DURATION, AT(fdv_ns), "TIME",
	  "largest acceptable delay variation, 99.9th percentile - minimum; 0: no check",
	  .of = "y1564" },
	{ 0, "avail", OPT_STR, AT(avail), "PERCENT", "lowest acceptable availability; default 100%",
	  .of = "y1564" },
	{ 'w', "wait", OPT_DURATION, AT(wait_ns), "TIME",
	  "a packet that has not arrived this long after the last of its trial was sent counts as lost",
	  .min = 1, .max = TRIAL_WAIT_MAX_NS },
	{ 0, "settle", OPT_DURATION, AT(settle_ns), "TIME",
	  "pause between trials, for the device to settle; 0: 7 s, with --quick 100 ms" },
	{ 0, "state", OPT_STR, AT(state), "FILE",
	  "save every trial in FILE; the same command resumes from it" },
	{ 0, "dest", OPT_STR, AT(stream.dest), "ADDR",
	  "send to this IPv4 or IPv6 address, instead of RECEIVER's IPv4 address" },
	{ 'e', "engine", OPT_CHOICE, AT(stream.engine), "ENGINE", "how packets reach the driver",
	  .choices = tx_engine_names },
	{ 0, "threads", OPT_U32, AT(stream.threads), "N",
	  "sending threads, each with its own CPU, queue and stream", .min = 1, .max = 1024 },
	{ 'p', "port", OPT_U16, AT(stream.port), "N", "UDP destination port; with --reflector 7 unless given",
	  .min = 1 },
	{ 0, "src-ip", OPT_STR, AT(stream.src_ip), "ADDR",
	  "source address, instead of that of the route" },
	{ 0, "dst-mac", OPT_MAC, AT(stream.dst_mac), "MAC",
	  "destination MAC address, instead of that of the next hop" },
	{ 0, "gateway", OPT_STR, AT(stream.gateway), "ADDR",
	  "address of the device at SENDER, a router: the next hop where no route leads through it" },
	{ 0, "vlan", OPT_U16, AT(stream.vlan), "ID", "802.1Q tag; 0: none", .max = 4094 },
	{ 0, "batch", OPT_U32, AT(stream.batch), "N",
	  "frames passed to the driver at once; 0: chosen by the rate", .max = 256 },
	OPT_END
};

static const struct opt_rule rules[] = {
	{ OPT_REQUIRES, "reset-wait resets", "reset-command" },
	{ OPT_REQUIRES, "SUITE=y1564", "cir" },
	/* The address is in RECEIVER's place. */
	{ OPT_EXCLUDES, "reflector", "dest" },
	{ OPT_AT_MOST_ONE, "receiver reflector" },
	{ OPT_REQUIRES, "receiver", "dest" },
	{ OPT_AT_MOST_ONE, "gateway dst-mac" },
	/* The ports of one host share a clock. */
	{ OPT_REQUIRES, "clock=tai", "receiver" },
	{ OPT_EXCLUDES, "receiver", "reset-command" },
	/* One-way delays between hosts require synchronised clocks. */
	{ OPT_REQUIRES, "SUITE=rfc8219 ftd fdv", "clock=tai", .when = "receiver" },
	OPT_RULE_END
};

static int parse_goals(struct bench_opts *opts, struct err *e)
{
	size_t nr = 0, i;
	int err = 0;

	for (i = 0; i < opts->goals.nr && !err; i++)
		err = bench_goal_add(&opts->plan, &nr, opts->goals.text[i], e);
	if (!err && opts->goal_file)
		err = bench_goals_read(&opts->plan, &nr, opts->goal_file, e);
	if (!err && nr)
		opts->plan.nr_goals = nr;
	return err;
}

static void set_times(struct bench_opts *opts)
{
	struct bench_plan *plan = &opts->plan;
	struct search_goal *goal = &plan->goals[0];

	if (opts->trial_ns) {
		goal->final_trial_ns = goal->duration_sum_ns = opts->trial_ns;
		plan->loss_ns = plan->soak_trial_ns = plan->service.step_ns = opts->trial_ns;
	}
	if (opts->initial_ns)
		goal->initial_trial_ns = opts->initial_ns;
	if (opts->latency_ns)
		plan->latency_ns = opts->latency_ns;
	if (opts->repeats)
		plan->latency_repeats = plan->recovery_repeats = opts->repeats;
	if (opts->burst_ns)
		plan->burst_ns = opts->burst_ns;
	if (opts->bursts)
		plan->burst_repeats = opts->bursts;
	if (opts->overload_ns)
		plan->recovery_ns = opts->overload_ns;
	plan->reset_command = opts->reset_command;
	if (opts->reset_wait_ns)
		plan->reset_ns = opts->reset_wait_ns;
	if (opts->resets)
		plan->reset_repeats = opts->resets;
	if (opts->duration_ns)
		plan->soak_ns = opts->duration_ns;
	if (!opts->settle_ns)
		opts->settle_ns = opts->quick ? QUICK_SETTLE_NS : SETTLE_NS;
}

/* A remote sink does not report all: leave such tests out, or refuse them if requested. */
static int check_far(struct bench_opts *opts, struct err *e)
{
	bool timed = opts->stream.clock == STAMP_TAI;

	if (!opts->receiver)
		return 0;
	if (far_sink_check(opts->rx, e))
		return e->no;
	if (opts->tests && opts->plan.tests & BENCH_RECOVERY)
		return err_usage(e, "--receiver and --tests recovery are mutually exclusive");
	if (!timed && opts->tests && opts->plan.tests & BENCH_LATENCY)
		return err_usage(e, "with --receiver, --tests latency requires --clock tai");
	opts->plan.tests &= ~(BENCH_RECOVERY | (timed ? 0 : BENCH_LATENCY));
	return 0;
}

static int check_ports(struct bench_opts *opts, struct err *e)
{
	const char *const ports[] = { opts->tx, opts->rx };
	const char *names[2] = { NULL };
	bool far = opts->reflector || opts->receiver;
	size_t i;

	for (i = 0; i < (far ? 1 : 2); i++) {
		const char *at = strchr(ports[i], '@');
		size_t len = at ? (size_t)(at - ports[i]) : strlen(ports[i]);

		if (!len || len >= sizeof(opts->tx_ifname) || (at && (!at[1] || strchr(at, '/'))))
			return err_usage(e, "'%s' is not IFACE or IFACE@NETNS", ports[i]);
		names[i] = at ? at + 1 : NULL;
	}
	if (names[0] && !names[1] && !far)
		return err_usage(e, "'%s' requires @NETNS: name both namespaces, or run in the sender's and name none",
				 opts->rx);
	if (!strcmp(opts->tx, opts->rx) && !opts->receiver)
		return err_usage(e, "SENDER and RECEIVER are the same port");
	opts->tx_netns = names[0];
	snprintf(opts->tx_ifname, sizeof(opts->tx_ifname), "%.*s", (int)strcspn(opts->tx, "@"), opts->tx);
	return 0;
}

/* Everything that a trial depends on: a state file is resumed only if this text is equal. */
static void join_words(struct bench_opts *opts)
{
	size_t used = 0, i;
	char text[600];

	for (i = 0; options[i].name && used < sizeof(opts->words); i++) {
		if (!strcmp(options[i].name, "state"))
			continue;
		opt_show(text, sizeof(text), &options[i], opts);
		used += (size_t)snprintf(opts->words + used, sizeof(opts->words) - used, "%s=%s ",
					 options[i].name, text);
	}
	/* The goals themselves, as a file of goals may change under its name. */
	for (i = 0; i < opts->plan.nr_goals && used < sizeof(opts->words); i++) {
		const struct search_goal *goal = &opts->plan.goals[i];

		used += (size_t)snprintf(opts->words + used, sizeof(opts->words) - used,
					 "goal=%s,%a,%a,%a,%llu,%llu,%llu ", goal->name, goal->loss_ratio,
					 goal->exceed_ratio, goal->width_ratio,
					 (unsigned long long)goal->initial_trial_ns,
					 (unsigned long long)goal->final_trial_ns,
					 (unsigned long long)goal->duration_sum_ns);
	}
	for (i = 0; opts->words[i]; i++)
		opts->words[i] = opts->words[i] == '\n' ? ' ' : opts->words[i];
}

static int set_service(struct bench_opts *opts, struct err *e)
{
	struct bench_service *service = &opts->plan.service;

	if (opts->suite != SUITE_Y1564)
		return 0;
	service->cir = opts->stream.rate = opts->plan.rate = opts->cir;
	service->eir = opts->eir;
	service->policing = opts->policing;
	service->ftd_ns = opts->ftd_ns;
	service->fdv_ns = opts->fdv_ns;
	if (opts->flr && unit_parse_percent(opts->flr, &service->flr_ratio))
		return err_usage(e, "--flr '%s' is not a percentage, such as 0.1%%", opts->flr);
	if (opts->avail && unit_parse_percent(opts->avail, &service->avail_ratio))
		return err_usage(e, "--avail '%s' is not a percentage, such as 99.9%%", opts->avail);
	return 0;
}

static int bench_check(void *args, const struct opt_given *given, struct err *e)
{
	struct bench_opts *opts = args;
	int err;

	err = check_ports(opts, e);
	if (err)
		return err;
	if (opts->reflector)
		opts->stream.dest = opts->rx;
	if (opts->reflector && !opt_was_given(given, "port"))
		opts->stream.port = REFLECT_PORT;
	bench_plan_set(&opts->plan, (enum bench_suite)opts->suite, opts->quick);
	opts->plan.mlr = opts->search;
	opts->plan.rate = opts->stream.rate;
	set_times(opts);
	err = set_service(opts, e);
	if (!err && opts->sizes)
		err = bench_sizes_parse(opts->sizes, &opts->plan, e);
	if (!err && opts->tests)
		err = bench_tests_parse(opts->tests, &opts->plan, e);
	if (!err)
		err = check_far(opts, e);
	if (!err)
		err = parse_goals(opts, e);
	join_words(opts);
	return err;
}

static void tell_name(const struct bench_opts *opts, struct result *res)
{
	bool quick = opts->quick || bench_plan_is_quick(&opts->plan);
	char name[32];

	snprintf(name, sizeof(name), "%s%s%s", bench_suite_names[opts->suite],
		 opts->suite == SUITE_Y1564 ? "-style" : "", quick ? "-quick" : "");
	result_env_str(res, "suite", name);
	if (quick && opts->suite != SUITE_SOAK && opts->suite != SUITE_MLRSEARCH)
		result_note(res, "trials are shorter, fewer or of other sizes than the standard requires: "
			    "this is %s, do not publish it as a result of the standard", name);
	if (opts->receiver && opts->suite == SUITE_RFC2544)
		result_note(res, "not measured with --receiver: recovery%s",
			    opts->stream.clock == STAMP_TAI ? "" : ", and latency without --clock tai");
	if (opts->suite == SUITE_RFC2544 && !opts->reset_command)
		result_note(res, "not measured: reset (RFC 2544 26.6), which requires --reset-command");
}

static int bench_verb(const void *args, struct result *res, struct err *e)
{
	const struct bench_opts *opts = args;
	struct bench_cfg cfg = {
		.stream = opts->stream,
		.tx_netns = opts->tx_netns,
		.end = {
			.sink = opts->reflector ? opts->tx : opts->rx,
			.reflected = opts->reflector,
			.wait_ns = opts->wait_ns,
			.far = { .command = opts->receiver, .ifname = opts->rx,
				 .interval = outcome_interval, .take = outcome_take },
		},
		.state = opts->state,
		.words = opts->words,
		.settle_ns = opts->settle_ns,
		.planned_ns = bench_plan_ns(&opts->plan, opts->settle_ns),
	};
	struct bench *bench;
	int err;

	cfg.stream.ifname = opts->tx_ifname;
	/* Each trial opens its ends again. The user's own commands may need anything. */
	if (!opts->reset_command && !opts->receiver)
		caps_limit(cmd_bench.needs | CAPS_SYS_ADMIN | CAPS_FILES | CAPS_LIMITS);
	err = bench_open(&bench, &cfg, res, e);
	if (err)
		return err;
	tell_name(opts, res);
	if (opts->reflector)
		result_note(res, "packets went to a reflector and back: losses include both directions and the "
			    "reflector, and every delay is a round trip");
	err = bench_suite_run(bench, &opts->plan, res, e);
	bench_close(bench);
	return err;
}

const struct cmd cmd_bench = {
	.name = "bench",
	.summary = "run a standard test suite through a device",
	.description =
"Sends through a device from one port of this host to another and measures what the\n"
"device forwards. rfc2544: throughput, latency, loss curve, back-to-back frames, recovery\n"
"from overload and, with --reset-command, from a reset; rfc9004: buffer size from bursts;\n"
"mlrsearch: throughput for several goals of loss and certainty at once (RFC 9971);\n"
"rfc8219: latency and its variation; y1564: rates and criteria of a service, in the style\n"
"of that recommendation; soak: one load for a long time.\n\n"
"The device is between two ports of this host, or between one port and a reflector\n"
"(--reflector), or between two hosts; ethgauge then starts itself on the other (--receiver).\n\n"
"By default trials are as long and as many as the standard requires, which takes hours.\n"
"--quick takes about a minute per frame size, and the result is marked quick. Trials that\n"
"the generator could not keep up with are repeated and reported, and never counted as\n"
"loss of the device. The JSON document has every trial. With --state the same command\n"
"resumes an interrupted one.",
	.examples =
"  # throughput of a firewall between eth1 and eth2, in a few minutes\n"
"  sudo ethgauge bench rfc2544 eth1 eth2 --dest 198.19.0.1 --quick -o quick.json\n"
"  # the full suite; interrupt it and run it again to resume\n"
"  sudo ethgauge bench rfc2544 eth1 eth2 --dest 198.19.0.1 --state fw.bench \\\n"
"      -o fw.json\n"
"  # does a service of 50 Mbit/s CIR and 10 Mbit/s EIR meet its criteria?\n"
"  sudo ethgauge bench y1564 eth1 eth2 --dest 198.19.0.1 --cir 50Mbit \\\n"
"      --eir 10Mbit --policing --flr 0.1% --ftd 5ms --fdv 2ms --sizes 512,1518\n"
"  # across a network, with ethgauge reflect at its far end\n"
"  sudo ethgauge bench rfc2544 eth1 192.0.2.7 --reflector --quick --rate 100Mbit\n"
"  # to another host, which ssh reaches by another path, without a password\n"
"  sudo ethgauge bench rfc2544 eth1 eth2 --receiver \"ssh root@host2 ethgauge\" \\\n"
"      --dest 198.19.0.2 --quick -o two-hosts.json\n"
"  # in a lab with a bottleneck of 100 Mbit/s\n"
"  sudo ethgauge lab up --path a-r-b --middle open\n"
"  sudo ethgauge lab exec r ethgauge impair ega egb --rate 100Mbit --limit 100 &\n"
"  sudo ethgauge bench mlrsearch eg0@lab-a eg0@lab-b --goal ndr --goal pdr \\\n"
"      --sizes 512 --rate 1Gbit --settle 100ms\n",
	.options = options,
	.rules = rules,
	.defaults = &defaults,
	.opts_size = sizeof(defaults),
	.needs = CMD_NEEDS_BPF | CMD_NEEDS_NET_ADMIN | CMD_NEEDS_NET_RAW,
	.variant = &cmd_bench_tcp,
	.check = bench_check,
	.run = bench_verb,
};
