// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd/watch.c - monitor the packets of live interfaces without changing them.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "engine/self/meter.h"
#include "engine/watch/watch_all.h"
#include "faces/faces.h"
#include "faces/prom.h"
#include "faces/record_show.h"
#include "http/http.h"
#include "lib/color.h"
#include "lib/log.h"
#include "lib/loop.h"
#include "proto/filter.h"
#include "sys/host/caps.h"
#include "sys/host/keeper.h"

#define SHORTEST_NS	100000000ull	/* lower limit of the interval in the full-screen view */
#define LONGEST_NS	(60 * NSEC_PER_SEC)

struct watch_opts {
	struct opt_ifaces ifaces;
	uint64_t duration_ns;
	uint64_t interval_ns;
	int hooks;
	int xdp_mode;
	bool share;
	bool no_cost;
	bool tui;
	bool no_color;
	const char *prom;
	const char *textfile;
	const char *record;
	const char *replay;
	const char *filter;
	double speed;
	bool flows;
	uint32_t top, max_flows, sample;
	int sort;
	uint64_t flow_idle_ns;
	bool drops;
};

static const struct watch_opts defaults = {
	.interval_ns = NSEC_PER_SEC,
	.speed = 1,
	.top = 20,
	.max_flows = 65536,
	.sample = 1,
	.flow_idle_ns = 60 * NSEC_PER_SEC,
};

static const struct opt options[] = {
	{ 0, "INTERFACE", OPT_IFACES, offsetof(struct watch_opts, ifaces), NULL,
	  "interfaces to watch, at most 16", .argument = true, .optional = true },
	{ 'd', "duration", OPT_DURATION, offsetof(struct watch_opts, duration_ns), "TIME",
	  "stop after this time; 0: run until ^C" },
	{ 'i', "interval", OPT_DURATION, offsetof(struct watch_opts, interval_ns), "TIME",
	  "reporting interval; 0: none" },
	{ 0, "hooks", OPT_CHOICE, offsetof(struct watch_opts, hooks), "HOOKS",
	  "hook for received packets; sent packets are always counted at tc",
	  .choices = watch_hook_names },
	{ 0, "xdp-mode", OPT_CHOICE, offsetof(struct watch_opts, xdp_mode), "MODE",
	  "with --hooks xdp, how to attach", .choices = xdp_mode_names },
	{ 0, "share", OPT_FLAG, offsetof(struct watch_opts, share), NULL,
	  "with --hooks xdp, share the hook with other programs by libxdp's dispatcher" },
	{ 0, "no-cost", OPT_FLAG, offsetof(struct watch_opts, no_cost), NULL,
	  "do not measure the run time of the BPF programs" },
	{ 0, "tui", OPT_FLAG, offsetof(struct watch_opts, tui), NULL,
	  "full-screen view instead of lines; ? lists the keys" },
	{ 0, "no-color", OPT_FLAG, offsetof(struct watch_opts, no_color), NULL,
	  "with --tui, no colours; so does NO_COLOR in the environment" },
	{ 0, "prom", OPT_STR, offsetof(struct watch_opts, prom), "[ADDRESS]:PORT",
	  "serve /metrics to Prometheus; :9105 means 127.0.0.1:9105" },
	{ 0, "textfile", OPT_STR, offsetof(struct watch_opts, textfile), "FILE",
	  "write the same to FILE at each interval, for node_exporter; its name ends in .prom" },
	{ 0, "record", OPT_STR, offsetof(struct watch_opts, record), "FILE",
	  "write one JSON line per interval to FILE" },
	{ 0, "replay", OPT_STR, offsetof(struct watch_opts, replay), "FILE",
	  "show a recording of --record instead of an interface" },
	{ 0, "speed", OPT_FACTOR, offsetof(struct watch_opts, speed), "FACTOR",
	  "--replay: speed relative to the recording, or max" },
	{ 'F', "filter", OPT_STR, offsetof(struct watch_opts, filter), "'EXPRESSION'",
	  "count only packets that match this tcpdump expression: 'tcp port 443 and not vlan'" },
	{ 0, "flows", OPT_FLAG, offsetof(struct watch_opts, flows), NULL,
	  "track flows and measure round-trip times passively" },
	{ 0, "top", OPT_U32, offsetof(struct watch_opts, top), "N",
	  "with --flows, number of flows in the list", .min = 1, .max = 100000 },
	{ 0, "sort", OPT_CHOICE, offsetof(struct watch_opts, sort), "BY",
	  "--flows: sort key of the list", .choices = watch_sort_names },
	{ 0, "max-flows", OPT_U32, offsetof(struct watch_opts, max_flows), "N",
	  "with --flows, size of the flow table; packets of further flows are counted by prefix",
	  .min = 1, .max = WATCH_FLOWS_MOST },
	{ 0, "flow-idle", OPT_DURATION, offsetof(struct watch_opts, flow_idle_ns), "TIME",
	  "with --flows, idle time after which a flow may be evicted when the table fills up" },
	{ 0, "sample", OPT_U32, offsetof(struct watch_opts, sample), "N",
	  "with --flows, estimate them from one packet or super-packet in N, taken at random; takes less CPU",
	  .min = 1, .max = 1000000 },
	{ 0, "drops", OPT_FLAG, offsetof(struct watch_opts, drops), NULL,
	  "report packets dropped by the kernel, by function and reason" },
	OPT_END
};

static const struct opt_rule rules[] = {
	{ OPT_EXCLUDES, "replay",
	  "INTERFACE duration interval hooks xdp-mode share no-cost record filter flows drops" },
	{ OPT_AT_LEAST_ONE, "INTERFACE replay" },
	{ OPT_REQUIRES, "xdp-mode share", "hooks=xdp" },
	{ OPT_REQUIRES, "top sort max-flows flow-idle sample", "flows" },
	{ OPT_EXCLUDES, "sample", "sort=rtt sort=retransmissions" },
	{ OPT_REQUIRES, "speed", "replay" },
	{ OPT_REQUIRES, "no-color", "tui" },
	{ OPT_EXCLUDES, "tui textfile record", "interval=0s" },
	OPT_RULE_END
};

struct watch_run {
	const struct watch_opts *opts;
	struct result *res;
	struct watch_all *all;		/* NULL: a replay */
	enum watch_sort sort;
	struct faces *faces;
	struct http *http;
	struct loop loop;
	uint64_t start_mono_ns;
};

static void make_page(void *ctx, FILE *out)
{
	struct watch_run *run = ctx;

	if (run->all)
		watch_all_report(run->all, loop_mono_ns() - run->start_mono_ns);
	if (run->all && !run->loop.interval_ns)
		watch_all_report_tables(run->all);
	prom_result(out, run->res);
}

static void poll_http(struct watch_run *run)
{
	if (!run->http || http_poll(run->http))
		return;
	http_close(run->http);
	run->http = NULL;
	log_warn("the listener of --prom has ended: nothing is served at '%s' any more", run->opts->prom);
	result_note(run->res, "the listener of --prom ended before the run did");
}

static void change_interval(struct watch_run *run, enum live_wish wish)
{
	uint64_t *interval_ns = &run->loop.interval_ns;
	char text[64], shown[32];

	if (wish == LIVE_SLOWER && *interval_ns * 2 <= LONGEST_NS)
		*interval_ns *= 2;
	else if (wish == LIVE_FASTER && *interval_ns / 2 >= SHORTEST_NS)
		*interval_ns /= 2;
	unit_format_u64(shown, sizeof(shown), UNIT_NS, *interval_ns);
	snprintf(text, sizeof(text), "interval %s", shown);
	faces_say(run->faces, text);
}

static void change_sort(struct watch_run *run)
{
	char text[64] = "the flows of a recording keep their recorded order";

	if (run->all) {
		/* A sample has neither round trips nor retransmissions. */
		run->sort = (run->sort + 1) % (run->opts->sample > 1 ? WATCH_SORT_RTT : WATCH_SORTS);
		snprintf(text, sizeof(text), "from the next interval on by %s",
			 watch_sort_names[run->sort]);
		watch_all_sort(run->all, run->sort);
	}
	faces_say(run->faces, text);
}

/* True: a key ended the run. */
static bool poll_faces(void *ctx)
{
	struct watch_run *run = ctx;
	enum live_wish wish = faces_poll(run->faces);

	poll_http(run);
	if ((wish == LIVE_FASTER || wish == LIVE_SLOWER) && run->loop.interval_ns)
		change_interval(run, wish);
	if (wish == LIVE_SORT_FLOWS)
		change_sort(run);
	return wish == LIVE_QUIT;
}

/* Called often, so it must be cheap. */
static bool poll_all(void *ctx)
{
	struct watch_run *run = ctx;

	watch_all_poll(run->all);
	return poll_faces(run);
}

static void tick(void *ctx, uint64_t elapsed_ns)
{
	struct watch_run *run = ctx;

	watch_all_row(run->all, elapsed_ns);
	if (faces_want_all(run->faces) || run->http)
		watch_all_report_tables(run->all);
	if (faces_want_all(run->faces)) {
		watch_all_report(run->all, elapsed_ns);
		faces_update(run->faces, run->res, elapsed_ns);
	}
}

static int open_all(struct watch_run *run, struct err *e)
{
	const struct watch_opts *opts = run->opts;
	const struct watch_all_cfg cfg = {
		.ifaces = &opts->ifaces,
		.iface = {
			.hooks = (enum watch_hooks)opts->hooks,
			.xdp_mode = (enum xdp_mode)opts->xdp_mode,
			.share = opts->share,
			.filter = opts->filter,
		},
		.flow = {
			.max_flows = opts->max_flows,
			.top = opts->top,
			.sort = (enum watch_sort)opts->sort,
			.idle_ns = opts->flow_idle_ns,
			.sample = opts->sample,
		},
		.flows = opts->flows, .drops = opts->drops, .cost = !opts->no_cost,
	};

	return watch_all_open(&run->all, &cfg, run->res, e);
}

/* Processes, before all else that they must not have. */
static int open_helpers(struct watch_run *run, struct err *e)
{
	const struct watch_opts *opts = run->opts;
	const struct http_page page = {
		.path = "/metrics", .type = "text/plain; version=0.0.4; charset=utf-8",
		.make = make_page, .ctx = run,
	};

	int err = opts->prom ? http_open(&run->http, opts->prom, &page, e) : 0;

	return !err && opts->textfile ? keeper_start(e) : err;
}

static int open_faces(struct watch_run *run, struct err *e)
{
	const struct watch_opts *opts = run->opts;
	const struct faces_cfg cfg = {
		.tui = opts->tui,
		.color = !opts->no_color && color_wanted(stdout),
		.textfile = opts->textfile,
		.record = opts->record,
	};

	if (run->http)
		log_info("serving Prometheus at '%s'", opts->prom);
	return faces_open(&run->faces, &cfg, e);
}

static unsigned int kept_caps(const struct watch_opts *opts)
{
	unsigned int keep = CAPS_BPF | CAPS_NET_ADMIN;	/* for reattaching */

	if (!opts->no_cost)
		keep |= CAPS_SYS_ADMIN;		/* run-time statistics */
	return keep;
}

/* Before anything is asked of the system. */
static int check_filter(const char *expression, struct err *e)
{
	struct filter *filter = NULL;
	int err = filter_compile(&filter, expression, FILTER_ETHERNET, e);

	filter_free(filter);
	return err;
}

static int run_live(struct watch_run *run, struct err *e)
{
	const struct watch_opts *opts = run->opts;
	uint64_t elapsed_ns;
	struct meter *meter;
	unsigned int i;
	int err;

	err = opts->filter ? check_filter(opts->filter, e) : 0;
	if (!err)
		err = caps_require(CMD_NEEDS_BPF | CMD_NEEDS_NET_ADMIN, e);
	if (!err)
		err = open_helpers(run, e);
	if (!err)
		err = open_all(run, e);
	if (!err)
		err = open_faces(run, e);
	if (err)
		return err;
	caps_drop(kept_caps(opts));
	log_info("watching '%s'%s%s", opts->ifaces.names[0], opts->ifaces.nr > 1 ? " and others" : "",
		 opts->duration_ns ? "" : opts->tui ? "; q ends it" : "; ^C ends it");
	run->loop.duration_ns = opts->duration_ns;
	run->loop.interval_ns = opts->interval_ns;
	run->loop.done = poll_all;
	run->loop.tick = tick;
	meter = meter_start(opts->ifaces.names[0]);
	for (i = 1; i < opts->ifaces.nr; i++)
		meter_add_link(meter, opts->ifaces.names[i]);
	run->start_mono_ns = loop_mono_ns();
	loop_run(&run->loop);
	meter_stop(meter);
	watch_all_stop(run->all);
	elapsed_ns = loop_close(&run->loop);
	watch_all_report_end(run->all, elapsed_ns);
	meter_report(meter, NULL, NULL, run->res);
	meter_free(meter);
	return faces_end(run->faces, run->res, elapsed_ns, e);
}

static int run_replay(struct watch_run *run, struct err *e)
{
	struct record_show show = {
		.path = run->opts->replay, .speed = run->opts->speed,
		.stays = run->opts->tui,	/* keep the last screen */
		.res = run->res, .poll = poll_faces, .ctx = run,
	};
	int err;

	/* Before the screen is switched: the file may not exist. */
	err = record_show_open(&show, e);
	if (!err)
		err = open_helpers(run, e);
	if (!err)
		err = open_faces(run, e);
	if (!err) {
		caps_drop(0);
		show.faces = run->faces;
		err = record_show(&show, e);
	}
	record_show_close(&show);
	return err;
}

static int watch_run(const void *args, struct result *res, struct err *e)
{
	struct watch_run run = { .opts = args, .res = res };
	int err;

	run.loop.ctx = &run;
	run.sort = (enum watch_sort)run.opts->sort;
	/* Lines on stdout would garble the screen. */
	if (run.opts->tui)
		result_watch(res, &(struct result_watcher){ 0 });
	err = run.opts->replay ? run_replay(&run, e) : run_live(&run, e);
	faces_close(run.faces);
	http_close(run.http);
	watch_all_close(run.all);
	return err;
}

const struct cmd cmd_watch = {
	.name = "watch",
	.summary = "monitor the traffic of live interfaces passively",
	.description =
"Attaches to interfaces that carry real traffic and reports for each direction: packets\n"
"and bits at L1 and L2, sizes, protocols, inter-arrival times, peaks within 100 us, 1 ms\n"
"and 10 ms, CPUs and queues, and how many packets TSO and GRO merged into super-packets.\n"
"Nothing is dropped, delayed or changed.\n\n"
"Received packets are seen at tc, which costs least; --hooks xdp sees them in the driver,\n"
"before GRO, where no other XDP program is attached. An interface that disappears is\n"
"followed when it returns under its name.\n\n"
"The output is lines, a full screen (--tui), Prometheus (--prom, --textfile), or a\n"
"recording (--record) that is shown later (--replay), which requires no privilege.",
	.examples =
"  ethgauge watch eth0\n"
"  # for a minute, into a file, with a line every ten seconds\n"
"  ethgauge watch eth0 eth1 --duration 1m --interval 10s -o watch.json\n"
"  # lines for another program\n"
"  ethgauge watch eth0 --jsonl | jq 'select(.part == \"eth0 rx\") | .seen_l1_bps'\n"
"  # full screen, and Prometheus metrics at 127.0.0.1:9105/metrics\n"
"  ethgauge watch eth0 --tui --prom :9105\n"
"  # only DNS, flows with most packets first\n"
"  ethgauge watch eth0 --filter 'port 53' --flows --sort packets\n"
"  # record, and replay ten times as fast\n"
"  ethgauge watch eth0 --record night.jsonl\n"
"  ethgauge watch --replay night.jsonl --speed 10 --tui\n",
	.options = options,
	.rules = rules,
	.defaults = &defaults,
	.opts_size = sizeof(defaults),
	/* A replay needs nothing; the capabilities of the rest are asked for in run_live(). */
	.run = watch_run,
};
