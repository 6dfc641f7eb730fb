// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd/watch.c - look at the packets of live interfaces, without touching them.
 */
#include <string.h>

#include "cmd/cmd.h"
#include "engine/meter.h"
#include "engine/watch.h"
#include "engine/watch_cost.h"
#include "lib/log.h"
#include "lib/loop.h"
#include "sys/caps.h"

struct watch_opts {
	struct opt_ifaces ifaces;
	uint64_t duration_ns;
	uint64_t interval_ns;
	int hooks;
	int xdp_mode;
	bool no_cost;
};

static const struct watch_opts defaults = {
	.interval_ns = NSEC_PER_SEC,
};

static const struct opt options[] = {
	{ 0, "INTERFACE", OPT_IFACES, offsetof(struct watch_opts, ifaces), NULL,
	  "watch these, at most 16", .argument = true },
	{ 'd', "duration", OPT_DURATION, offsetof(struct watch_opts, duration_ns), "TIME",
	  "stop after this time; 0: run until ^C" },
	{ 'i', "interval", OPT_DURATION, offsetof(struct watch_opts, interval_ns), "TIME",
	  "two lines an interface every so often; 0: none" },
	{ 0, "hooks", OPT_CHOICE, offsetof(struct watch_opts, hooks), "HOOKS",
	  "where to look at received packets; what is sent is always seen at tc",
	  .choices = watch_hook_names },
	{ 0, "xdp-mode", OPT_CHOICE, offsetof(struct watch_opts, xdp_mode), "MODE",
	  "with --hooks xdp, how to attach", .choices = xdp_mode_names },
	{ 0, "no-cost", OPT_FLAG, offsetof(struct watch_opts, no_cost), NULL,
	  "do not time the programs, which costs something itself" },
	OPT_END
};

static int watch_check(void *args, opt_given given, struct err *e)
{
	const struct watch_opts *opts = args;

	if (opt_was_given(options, given, "xdp-mode") && opts->hooks != WATCH_HOOKS_XDP)
		return err_usage(e, "--xdp-mode has a meaning with --hooks xdp only");
	return 0;
}

struct watch_run {
	const struct watch_opts *opts;
	struct watch *watches[OPT_MAX_IFACES];
	unsigned int nr;
	struct watch_cost cost;
};

/* No end of its own: called often. */
static bool poll_all(void *ctx)
{
	struct watch_run *run = ctx;
	unsigned int i;

	if (!run->opts->no_cost)
		watch_cost_poll(&run->cost);
	for (i = 0; i < run->nr; i++)
		watch_poll(run->watches[i]);
	return false;
}

static void tick(void *ctx, uint64_t elapsed_ns)
{
	struct watch_run *run = ctx;
	unsigned int i;

	for (i = 0; i < run->nr; i++)
		watch_report_row(run->watches[i], elapsed_ns);
}

static int open_all(struct watch_run *run, struct result *res, struct err *e)
{
	const struct watch_opts *opts = run->opts;
	int err = 0;

	while (!err && run->nr < opts->ifaces.nr) {
		const struct watch_cfg_iface cfg = {
			.ifname = opts->ifaces.names[run->nr],
			.hooks = (enum watch_hooks)opts->hooks,
			.xdp_mode = (enum xdp_mode)opts->xdp_mode,
		};

		err = watch_open(&run->watches[run->nr], &cfg, res, e);
		if (!err)
			run->nr++;
	}
	return err;
}

static void report(struct watch_run *run, uint64_t elapsed_ns, struct result *res)
{
	double cpus = 0;
	unsigned int i;

	for (i = 0; i < run->nr; i++)
		cpus += watch_report(run->watches[i], elapsed_ns);
	if (cpus > 0)
		result_self_real(res, "program_cpu_ratio", cpus);
	if (run->cost.err)
		result_note(res, "the programs' cost could not be timed: %s",
			    strerror(-run->cost.err));
}

static int watch_run(const void *args, struct result *res, struct err *e)
{
	const struct watch_opts *opts = args;
	struct watch_run run = { .opts = opts };
	const struct loop loop = {
		.duration_ns = opts->duration_ns,
		.interval_ns = opts->interval_ns,
		.done = poll_all,
		.tick = tick,
		.ctx = &run,
	};
	uint64_t elapsed_ns;
	struct meter *meter;
	unsigned int i;
	int err;

	watch_cost_open(&run.cost);
	err = open_all(&run, res, e);
	if (err)
		goto out;
	/* To attach again; timing of programs is for the system's administrator. */
	caps_drop(CAPS_BPF | CAPS_NET_ADMIN | (opts->no_cost ? 0 : CAPS_SYS_ADMIN));
	log_info("watching '%s'%s%s", opts->ifaces.names[0], run.nr > 1 ? " and others" : "",
		 opts->duration_ns ? "" : "; ^C ends it");
	meter = meter_start(opts->ifaces.names[0]);
	elapsed_ns = loop_run(&loop);
	meter_stop(meter);
	for (i = 0; i < run.nr; i++)
		watch_stop(run.watches[i]);
	report(&run, elapsed_ns, res);
	meter_report(meter, NULL, false, res);
	meter_free(meter);
out:
	watch_cost_close(&run.cost);
	for (i = 0; i < run.nr; i++)
		watch_close(run.watches[i]);
	return err;
}

const struct cmd cmd_watch = {
	.name = "watch",
	.summary = "show what passes live interfaces, without touching it",
	.description =
"Attaches to interfaces that carry real traffic and tells, for each direction:\n"
"packets and bits at L1 and L2, sizes, protocols, times between packets, peaks\n"
"within 100 us, 1 ms and 10 ms, CPUs and queues, and how many packets TSO and GRO\n"
"hide in super-packets. Nothing is dropped, delayed or changed.\n\n"
"Received packets are seen at tc, which costs least; --hooks xdp sees them in the\n"
"driver, before GRO, where no other XDP program is attached. An interface that\n"
"goes is followed when it comes back under its name.",
	.examples =
"  ethgauge watch eth0\n"
"  # for a minute, into a file, with a line every ten seconds\n"
"  ethgauge watch eth0 eth1 --duration 1m --interval 10s -o watch.json\n"
"  # lines for another program\n"
"  ethgauge watch eth0 --jsonl | jq 'select(.part == \"eth0 rx\") | .seen_l1_bps'\n",
	.options = options,
	.defaults = &defaults,
	.opts_size = sizeof(defaults),
	.needs = CMD_NEEDS_BPF | CMD_NEEDS_NET_ADMIN,
	.check = watch_check,
	.run = watch_run,
};
