// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd/probe.c - round trips: send tagged probes, receive their reflections.
 *
 * The receive timestamp is taken by the XDP program of the same interface, before
 * the stack sees the packet, so both timestamps are from one clock.
 */
#include "cmd/cmd.h"
#include "engine/receive/exports.h"
#include "engine/receive/rx.h"
#include "engine/receive/rx_counts.h"
#include "engine/self/environ.h"
#include "engine/self/meter.h"
#include "engine/send/stream.h"
#include "lib/log.h"
#include "lib/loop.h"
#include "sys/host/caps.h"
#include "sys/net/nic.h"

struct probe_opts {
	struct stream_opts stream;
	uint64_t interval_ns;
	uint64_t wait_ns;
	uint32_t order_window;
	bool no_loss;
	bool stamp;			/* never set: these options select the variant */
	struct exports_opts exports;
	int rx_stamp;			/* enum rx_stamp_want */
	int xdp_mode;
};

static const struct probe_opts defaults = {
	.stream = {
		STREAM_DEFAULTS,
		.port = 7,		/* echo, RFC 862 */
		.count = 10000,
		.rate = { .kind = UNIT_RATE_PPS, .value = 1000 },
	},
	.interval_ns = NSEC_PER_SEC,
	.wait_ns = NSEC_PER_SEC,
	.exports = EXPORTS_DEFAULTS,
};

static const struct opt options[] = {
	{ 0, "INTERFACE", OPT_IFACE, offsetof(struct probe_opts, stream.ifname), NULL,
	  "send through this interface, instead of the route's", .argument = true, .omitted_without = "" },
	{ 0, "DEST", OPT_STR, offsetof(struct probe_opts, stream.dest), NULL,
	  "host to send to: an IPv4 or IPv6 address, or a name", .argument = true },
	OPT_GROUP_AT(offsetof(struct probe_opts, stream), stream_options),
	{ 's', "frame-bytes", OPT_U32, offsetof(struct probe_opts, stream.frame_bytes), "SIZE",
	  "frame with FCS, as RFC 2544 counts; IPv6 and VLAN need more",
	  .max = FRAME_MAX_BYTES },
	{ 'w', "wait", OPT_DURATION, offsetof(struct probe_opts, wait_ns), "TIME",
	  "longest wait for the last reflections" },
	{ 'i', "interval", OPT_DURATION, offsetof(struct probe_opts, interval_ns), "TIME",
	  "reporting interval, and on a terminal a line for each; 0: none" },
	{ 0, "no-loss", OPT_FLAG, offsetof(struct probe_opts, no_loss), NULL,
	  "exit with 1 if a probe was lost" },
	OPT_GROUP_AT(offsetof(struct probe_opts, order_window), rx_window_options),
	OPT_GROUP_AT(offsetof(struct probe_opts, exports), exports_options),
	{ 0, "rx-stamp", OPT_CHOICE, offsetof(struct probe_opts, rx_stamp), "WHERE",
	  "where to take receive timestamps: in the XDP program or the NIC", .choices = rx_stamp_names },
	{ 0, "xdp-mode", OPT_CHOICE, offsetof(struct probe_opts, xdp_mode), "MODE",
	  "how the receiving program is attached", .choices = xdp_mode_names },
	{ 0, "stamp", OPT_FLAG, offsetof(struct probe_opts, stamp), NULL,
	  "send STAMP to DEST..., without INTERFACE: see probe --stamp --help" },
	{ 0, "twamp-light", OPT_FLAG, offsetof(struct probe_opts, stamp), NULL,
	  "the same with TWAMP Light packets: see probe --twamp-light --help" },
	OPT_END
};

static const struct opt_rule rules[] = {
	STREAM_RULES,
	EXPORTS_RULES,
	{ OPT_EXCLUDES, "rx-stamp=hw", "xdp-mode=generic" },
	OPT_RULE_END
};

static int probe_check(void *args, const struct opt_given *given, struct err *e)
{
	struct probe_opts *opts = args;

	/* With --duration only, the default count does not apply. */
	if (opts->stream.duration_ns && !opt_was_given(given, "count"))
		opts->stream.count = 0;
	if (opts->stream.first_stream >= RX_MAX_STREAMS)
		return err_usage(e, "--stream: 0 to %u, not '%u'", RX_MAX_STREAMS - 1,
				 opts->stream.first_stream);
	opts->stream.has_size = opt_was_given(given, "frame-bytes");
	return stream_check(&opts->stream, e);
}

struct probe_run {
	struct tx *tx;
	struct rx *rx;
	struct exports *exports;
	struct result *res;
	struct err *e;
	int err;
	struct meter *meter;
	uint64_t sent;			/* known when sending is over */
	struct rx_sent asked;		/* likewise, when no reflection is under way any more */
	bool is_over;			/* `asked` is set */
};

static bool is_sent(void *ctx)
{
	struct probe_run *run = ctx;

	run->err = rx_check(run->rx, run->e);
	if (!run->err)
		run->err = exports_check(run->exports, run->e);
	return run->err || tx_done(run->tx);
}

static bool is_received(void *ctx)
{
	struct probe_run *run = ctx;
	struct rx_count count;

	run->err = rx_check(run->rx, run->e);
	rx_read(run->rx, &count);
	/* Where copies arrive, another one may be on its way. */
	return run->err || (count.distinct >= run->sent && !count.duplicates && !count.unknown);
}

static void tick(void *ctx, uint64_t elapsed_ns)
{
	struct probe_run *run = ctx;

	result_row_open(run->res, elapsed_ns);
	rx_put_row(run->rx, run->res, run->is_over ? &run->asked : NULL, elapsed_ns);
	result_row_close(run->res);
	exports_tick(run->exports);
}

/* Send, then wait for late packets; the counts are reported even after an error. */
static int send_and_wait(const struct probe_opts *opts, struct probe_run *run,
			 struct tx_count *ret_sent)
{
	struct loop loop = {
		.duration_ns = opts->stream.duration_ns, .interval_ns = opts->interval_ns,
		.expected_ns = opts->stream.duration_ns, .done = is_sent, .tick = tick, .ctx = run,
	};
	struct err stop_error;
	int err;

	err = exports_start(run->exports, run->e);
	if (!err)
		err = tx_start(run->tx, run->e);
	if (err)
		return err;
	loop_run(&loop);
	err = tx_stop(run->tx, &stop_error);
	meter_stop(run->meter);		/* the cost of waiting is not of interest */
	/* A vanished interface is a better error than the system call that failed because of it. */
	if (err && !run->err) {
		run->err = err;
		*run->e = stop_error;
	}
	if (!run->err)
		run->err = tx_check_taken(run->tx, run->e);
	tx_read(run->tx, ret_sent);
	run->sent = ret_sent->sent_packets;
	if (!run->err && opts->wait_ns) {
		loop.duration_ns = opts->wait_ns;
		loop.done = is_received;
		loop_run(&loop);
	}
	rx_stop(run->rx);
	run->asked = tx_sent_of(run->tx, ret_sent);
	run->is_over = true;
	loop_close(&loop);
	return run->err;
}

static void judge(const struct probe_opts *opts, struct probe_run *run)
{
	struct rx_count got;
	uint64_t lost;

	rx_read_all(run->rx, run->is_over ? &run->asked : NULL, &got);
	lost = rx_lost(&got, run->sent);
	if (opts->no_loss)
		result_none(run->res, lost, run->sent, "packets lost", "no packets were sent");
	else
		result_came(run->res, run->sent, got.packets, "probes were answered");
	if (run->sent && !got.packets)
		result_note(run->res, "no reflections: is a reflector running there, and does it answer "
			    "port %u? start: ethgauge reflect IFACE --port %u", opts->stream.port,
			    opts->stream.port);
}

/* Report the run; return its error, or that of an output file. */
static int report(const struct probe_opts *opts, struct probe_run *run, const struct tx_count *sent,
		  int run_err)
{
	const struct rx_sent asked = tx_sent_of(run->tx, sent);
	struct meter_receiver receiver = { 0 };
	struct meter_sender sender;
	struct tx_figures made;
	struct err export_error;
	struct rx_count count;
	int err;

	made = tx_report(run->tx, sent, run->res);
	tx_report_late(run->tx, run->res);
	rx_report(run->rx, run->res, "rtt", &asked, 0);
	err = exports_finish(run->exports, run->res, &export_error);
	if (err && !run_err) {
		run_err = err;
		*run->e = export_error;
	}
	rx_read_all(run->rx, &asked, &count);
	receiver.lost_packets = (double)rx_lost(&count, sent->sent_packets);
	sender = tx_metered(run->tx, &made);
	meter_report(run->meter, &sender, &receiver, run->res);
	judge(opts, run);
	return run_err;
}

/* To all or to many: who answers has another address, its own. */
static bool is_to_group(const struct frame_spec *frame)
{
	const struct frame_addr *dst = &frame->dst;

	if (frame->dst_mac[0] & 1)
		return true;
	return dst->family == AF_INET6 ? IN6_IS_ADDR_MULTICAST(&dst->ip6) :
					 IN_MULTICAST(ntohl(dst->ip4.s_addr));
}

static int run_stream(const struct probe_opts *opts, struct result *res, struct err *e)
{
	struct rx_cfg rx = {
		.ifname = opts->stream.ifname,
		.mode = (enum xdp_mode)opts->xdp_mode,
		.match = SINK_MATCH_SOURCE,
		.port = opts->stream.port,
		.check = true,
		.vary = true,
		.window = opts->order_window,
		.streams = (uint16_t)(opts->stream.first_stream + opts->stream.threads),
		.clock = (enum stamp_clock)opts->stream.clock,
		.stamp = (enum rx_stamp_want)opts->rx_stamp,
	};
	struct probe_run run = { .res = res, .e = e };
	struct tx_count sent = { 0 };
	struct stream_plan plan;
	struct mix *mix = NULL;
	int err;

	environ_iface(res, opts->stream.ifname);
	err = stream_prepare(&opts->stream, &plan, e);
	if (!err)
		err = stream_mix(&plan, &mix, e);
	if (err)
		return err;
	plan.tx.mix = mix;
	tx_choose_run(&plan.tx);
	rx.run = plan.tx.run;
	if (!is_to_group(&plan.frame))
		rx.peer = plan.frame.dst;
	stream_describe(&plan.frame, res);
	err = exports_prepare(&opts->exports, &rx, e);
	if (!err)
		err = rx_open(&run.rx, &rx, res, e);
	if (!err)
		err = exports_open(&run.exports, &opts->exports, &rx, run.rx, e);
	if (!err)
		err = tx_open(&run.tx, &plan.tx, res, e);
	if (err)
		goto out;
	environ_clock(res, plan.tx.clock);
	caps_drop(tx_keep_caps(run.tx) | rx_keep_caps(run.rx));
	log_info("probing '%s' through '%s'", opts->stream.dest, opts->stream.ifname);
	run.meter = meter_start(opts->stream.ifname);
	err = send_and_wait(opts, &run, &sent);
	err = report(opts, &run, &sent, err);
out:
	meter_free(run.meter);
	tx_close(run.tx);
	exports_close(run.exports);
	rx_close(run.rx);
	mix_free(mix);
	return err;
}

static int probe_run(const void *args, struct result *res, struct err *e)
{
	struct probe_opts opts = *(const struct probe_opts *)args;
	struct stream_target target;
	int err = stream_find_target(&opts.stream, &target, res, e);

	return err ? err : run_stream(&opts, res, e);
}

const struct cmd cmd_probe = {
	.name = "probe",
	.summary = "measure round trips to a reflector: delay, loss, order",
	.description =
"Sends probes with sequence number and timestamp, receives their reflections, and reports\n"
"percentiles and variation of the round-trip time, loss, duplicates and order. A probe is\n"
"timestamped right before the driver takes it, and its reflection by an XDP program where\n"
"the driver hands it over: the time in this host's stack is not included.\n\n"
"The far end is ethgauge reflect, or anything that returns UDP to its sender.",
	.examples =
"  # 10,000 probes at 1000 a second, against ethgauge reflect eg0 at the far end\n"
"  sudo ethgauge probe 198.18.0.2\n"
"  # a million round trips at 100,000 a second; fail if one is lost\n"
"  sudo ethgauge probe eth1 198.18.0.2 -c 1M -r 100kpps --no-loss\n"
"  # every round trip in a file, and percentiles in HdrHistogram's format\n"
"  sudo ethgauge probe eth1 198.18.0.2 --records rtt.csv.gz --hgrm rtt.hgrm\n"
"  # a router that reflects STAMP; delay and loss by direction\n"
"  ethgauge probe --stamp 198.18.0.2\n",
	.options = options,
	.rules = rules,
	.defaults = &defaults,
	.opts_size = sizeof(defaults),
	.needs = CMD_NEEDS_BPF | CMD_NEEDS_NET_ADMIN | CMD_NEEDS_NET_RAW,
	.check = probe_check,
	.run = probe_run,
	.variant = &cmd_probe_stamp,
};
