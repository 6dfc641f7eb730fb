// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd/sink.c - count, check and time what arrives, inside the driver.
 *
 * The receiving end of blast. It must start before the sender: earlier packets
 * would count as lost.
 */
#include <math.h>
#include <net/if.h>
#include <poll.h>
#include <unistd.h>

#include "abi/tag.h"
#include "cmd/cmd.h"
#include "engine/receive/exports.h"
#include "engine/receive/rx.h"
#include "engine/receive/rx_counts.h"
#include "engine/receive/rx_socket.h"
#include "engine/self/environ.h"
#include "engine/self/meter.h"
#include "engine/self/pick_iface.h"
#include "lib/log.h"
#include "lib/loop.h"
#include "sys/host/caps.h"
#include "sys/host/clock.h"

#define GAP_MAX_NS	(1ull << HIST_MAX_BITS)

struct sink_opts {
	const char *ifname;
	uint16_t port;
	bool all;
	bool own_mac;
	bool pass;
	bool count_only;
	bool no_loss;
	bool socket;
	uint32_t rcvbuf_bytes;
	bool no_variation;
	bool no_l4_checksum;
	bool verify_payload;
	bool gaps;
	const char *expect_gap;
	uint64_t expect_gap_ns;		/* parsed from it */
	uint16_t max_streams, run;
	uint32_t order_window;
	uint16_t stream_parts;
	uint64_t expect;
	uint64_t count;
	uint64_t duration_ns;
	bool until_eof;
	uint64_t interval_ns;
	struct exports_opts exports;
	int clock;			/* enum stamp_clock */
	int rx_stamp;			/* enum rx_stamp_want */
	int xdp_mode;
};

static const struct sink_opts defaults = {
	.port = 9,			/* discard, RFC 863 */
	.max_streams = 16,
	.stream_parts = 64,
	.interval_ns = NSEC_PER_SEC,
	.exports = EXPORTS_DEFAULTS,
};

static const struct opt options[] = {
	PICK_IFACE_ARGUMENT(struct sink_opts, ifname, "interface to receive on"),
	{ 'p', "port", OPT_U16, offsetof(struct sink_opts, port), "N",
	  "UDP and TCP destination port of test packets", .min = 1 },
	{ 0, "all", OPT_FLAG, offsetof(struct sink_opts, all), NULL,
	  "treat every packet as a test packet, including ARP" },
	{ 0, "own-mac", OPT_FLAG, offsetof(struct sink_opts, own_mac), NULL,
	  "count packets to other unicast MAC addresses apart, as a switch floods them: they are not received" },
	{ 0, "pass", OPT_FLAG, offsetof(struct sink_opts, pass), NULL,
	  "pass test packets to the stack instead of dropping them" },
	{ 0, "count-only", OPT_FLAG, offsetof(struct sink_opts, count_only), NULL,
	  "count packets and bytes only; read no probe tag and verify no checksum" },
	{ 0, "max-streams", OPT_U16, offsetof(struct sink_opts, max_streams), "N",
	  "number of streams to check, from stream 0; each takes 128 KB or more, and 54 KB per CPU", .min = 1,
	  .max = RX_MAX_STREAMS },
	OPT_GROUP_AT(offsetof(struct sink_opts, order_window), rx_window_options),
	{ 0, "run", OPT_U16, offsetof(struct sink_opts, run), "N",
	  "receive packets of blast --run N only, on every port; 0: follow one run after another",
	  .max = TAG_RUNS - 1 },
	{ 0, "stream-parts", OPT_U16, offsetof(struct sink_opts, stream_parts), "N",
	  "report the first N streams separately; \"streams\" in the document has all of them" },
	{ 'c', "count", OPT_COUNT, offsetof(struct sink_opts, count), "N",
	  "stop after N test packets; 0: no limit" },
	{ 'd', "duration", OPT_DURATION, offsetof(struct sink_opts, duration_ns), "TIME",
	  "stop after this time; 0: run until ^C" },
	{ 0, "until-eof", OPT_FLAG, offsetof(struct sink_opts, until_eof), NULL,
	  "stop at the end of standard input, for use where signals do not arrive, as through ssh" },
	{ 'i', "interval", OPT_DURATION, offsetof(struct sink_opts, interval_ns), "TIME",
	  "reporting interval, and on a terminal a line for each; 0: none" },
	{ 0, "expect", OPT_COUNT, offsetof(struct sink_opts, expect), "N",
	  "exit with 1 unless exactly N test packets arrived; 0: no check" },
	{ 0, "no-loss", OPT_FLAG, offsetof(struct sink_opts, no_loss), NULL,
	  "exit with 1 if a packet was lost" },
	{ 0, "gaps", OPT_FLAG, offsetof(struct sink_opts, gaps), NULL,
	  "measure inter-arrival times of each stream; takes 18 KB more per stream and CPU" },
	{ 0, "expect-gap", OPT_STR, offsetof(struct sink_opts, expect_gap), "GAP",
	  "measure the deviation from this interval: 10us or 100kpps; implies --gaps" },
	OPT_GROUP_AT(offsetof(struct sink_opts, exports), exports_options),
	{ 0, "clock", OPT_CHOICE, offsetof(struct sink_opts, clock), "CLOCK",
	  "clock of the sender's timestamps; must match blast --clock", .choices = clock_names },
	{ 0, "rx-stamp", OPT_CHOICE, offsetof(struct sink_opts, rx_stamp), "WHERE",
	  "where to take receive timestamps: in the XDP program or the NIC", .choices = rx_stamp_names },
	{ 0, "socket", OPT_FLAG, offsetof(struct sink_opts, socket), NULL,
	  "receive through a UDP socket and the whole network stack" },
	{ 0, "rcvbuf", OPT_U32, offsetof(struct sink_opts, rcvbuf_bytes), "BYTES",
	  "--socket: receive buffer, which the kernel doubles; 0: the system's default",
	  .max = INT32_MAX / 2 },
	{ 0, "no-variation", OPT_FLAG, offsetof(struct sink_opts, no_variation), NULL,
	  "do not compute ipdv and jitter; saves some 10 ns per packet and 51 KB per stream" },
	{ 0, "no-l4-checksum", OPT_FLAG, offsetof(struct sink_opts, no_l4_checksum), NULL,
	  "verify IPv4 header checksums only, not those of UDP, TCP and ICMP: the payload is not read" },
	{ 0, "verify-payload", OPT_FLAG, offsetof(struct sink_opts, verify_payload), NULL,
	  "verify that the bytes after the probe tag are those of blast --payload pattern" },
	{ 0, "xdp-mode", OPT_CHOICE, offsetof(struct sink_opts, xdp_mode), "MODE",
	  "how to attach", .choices = xdp_mode_names },
	OPT_END
};

static const struct opt_rule rules[] = {
	EXPORTS_RULES,
	{ OPT_EXCLUDES, "all", "port" },
	/* Everything that is computed from the tags, or verified. */
	{ OPT_EXCLUDES, "count-only",
	  "run no-loss gaps expect-gap records hgrm hlog clock=tai rx-stamp order-window verify-payload "
	  "no-l4-checksum" },
	{ OPT_EXCLUDES, "rx-stamp=hw", "xdp-mode=generic" },
	{ OPT_REQUIRES, "rcvbuf", "socket" },
	{ OPT_EXCLUDES, "socket",
	  "xdp-mode records hgrm hlog rx-stamp clock=tai all own-mac pass count-only gaps expect-gap no-l4-checksum "
	  "order-window" },
	OPT_RULE_END
};

/* The interval of --expect-gap, given as a time or as a rate. */
static int sink_check(void *args, const struct opt_given *given, struct err *e)
{
	struct sink_opts *opts = args;
	struct unit_rate rate;
	double gap_ns;

	(void)given;
	if (!opts->expect_gap)
		return 0;
	if (!unit_parse_rate(opts->expect_gap, &rate) && rate.kind == UNIT_RATE_PPS)
		gap_ns = (double)NSEC_PER_SEC / rate.value;
	else if (!unit_parse_duration(opts->expect_gap, &opts->expect_gap_ns))
		gap_ns = (double)opts->expect_gap_ns;
	else
		return err_usage(e, "--expect-gap '%s' is neither a time such as 10us nor a rate "
				 "such as 100kpps", opts->expect_gap);
	if (!(gap_ns >= 1 && gap_ns <= (double)GAP_MAX_NS))
		return err_usage(e, "--expect-gap '%s' is not between 1 ns and 18 minutes",
				 opts->expect_gap);
	opts->expect_gap_ns = (uint64_t)(gap_ns + 0.5);
	opts->gaps = true;
	return 0;
}


struct sink_run {
	const struct sink_opts *opts;
	struct receiver *receiver;
	struct exports *exports;
	struct result *res;
	struct err *e;
	int err;
};

/* Drain stdin; report EOF. */
static bool is_stdin_over(void)
{
	struct pollfd in = { .fd = STDIN_FILENO, .events = POLLIN };
	char words[4096];

	return poll(&in, 1, 0) > 0 && read(STDIN_FILENO, words, sizeof(words)) <= 0;
}

static bool is_done(void *ctx)
{
	struct sink_run *run = ctx;

	run->err = run->receiver->ops->check(run->receiver, run->e);
	if (!run->err)
		run->err = exports_check(run->exports, run->e);
	if (run->err || (run->opts->until_eof && is_stdin_over()))
		return true;
	return run->opts->count &&
	       run->receiver->ops->packets(run->receiver) >= run->opts->count;
}

static void tick(void *ctx, uint64_t elapsed_ns)
{
	struct sink_run *run = ctx;

	result_row_open(run->res, elapsed_ns);
	run->receiver->ops->put_row(run->receiver, run->res, NULL, elapsed_ns);
	result_row_close(run->res);
	exports_tick(run->exports);
}

static void judge(const struct sink_run *run, struct result *res)
{
	const struct sink_opts *opts = run->opts;
	struct rx_count count;
	uint64_t lost;

	run->receiver->ops->read(run->receiver, &count);
	lost = rx_lost(&count, 0);
	if (opts->expect)
		result_verdict(res, count.packets == opts->expect,
			       "received %llu of the %llu packets expected",
			       (unsigned long long)count.packets,
			       (unsigned long long)opts->expect);
	if (opts->no_loss)
		result_none(res, lost, lost + count.distinct + count.unknown, "packets lost", "no packets arrived");
}

/* Run to the end; the counts so far are reported even after an error. */
static int receive(struct sink_run *run)
{
	struct loop loop = {
		.duration_ns = run->opts->duration_ns,
		.interval_ns = run->opts->interval_ns,
		.done = is_done,
		.tick = tick,
		.ctx = run,
	};
	struct rx_figures got = { .lost_packets = NAN };
	struct meter_receiver receiver;
	struct err export_error;
	struct meter *meter;
	int err;

	err = exports_start(run->exports, run->e);
	if (err)
		return err;
	log_info("receiving on '%s'%s", run->opts->ifname,
		 run->opts->duration_ns || run->opts->count || run->opts->until_eof ? "" : "; ^C ends it");
	meter = meter_start(run->opts->ifname);
	loop_run(&loop);
	run->receiver->ops->stop(run->receiver);
	loop_close(&loop);
	meter_stop(meter);
	err = run->receiver->ops->report(run->receiver, run->res, NULL, run->opts->stream_parts,
					 &got, run->e);
	if (err)
		run->err = err;
	err = exports_finish(run->exports, run->res, &export_error);
	if (err && !run->err) {
		run->err = err;
		*run->e = export_error;
	}
	receiver = (struct meter_receiver){
		.lost_packets = got.lost_packets, .socket_full_packets = got.socket_full_packets,
	};
	meter_report(meter, NULL, &receiver, run->res);
	meter_free(meter);
	judge(run, run->res);
	return run->err;
}

static int open_receiver(struct sink_run *run)
{
	const struct sink_opts *opts = run->opts;
	const struct rx_socket_cfg socket = {
		.ifname = opts->ifname,
		.port = opts->port,
		.streams = opts->max_streams,
		.run = opts->run,
		.rcvbuf_bytes = opts->rcvbuf_bytes,
		.verify_payload = opts->verify_payload,
	};
	struct rx_cfg cfg = {
		.ifname = opts->ifname,
		.mode = (enum xdp_mode)opts->xdp_mode,
		.match = opts->all ? SINK_MATCH_ALL : SINK_MATCH_DEST,
		.port = opts->port,
		.own_mac = opts->own_mac,
		.pass = opts->pass,
		.check = !opts->count_only,
		.vary = !opts->count_only && !opts->no_variation,
		.streams = opts->max_streams,
		.window = opts->order_window,
		.gaps = opts->gaps,
		.no_checksum = opts->count_only,
		.no_l4_checksum = opts->no_l4_checksum,
		.verify_payload = opts->verify_payload,
		.expect_gap_ns = opts->expect_gap_ns,
		.clock = (enum stamp_clock)opts->clock,
		.run = opts->run ? (uint16_t)(opts->run | (opts->clock == STAMP_TAI ? TAG_TAI : 0)) : 0,
		.stamp = (enum rx_stamp_want)opts->rx_stamp,
	};
	struct rx *rx;
	int err;

	if (opts->socket)
		return rx_socket_open(&run->receiver, &socket, run->res, run->e);
	err = exports_prepare(&opts->exports, &cfg, run->e);
	if (!err)
		err = rx_open(&rx, &cfg, run->res, run->e);
	if (err)
		return err;
	run->receiver = rx_receiver(rx);
	return exports_open(&run->exports, &opts->exports, &cfg, rx, run->e);
}

static int run_on(const struct sink_opts *opts, struct result *res, struct err *e)
{
	struct sink_run run = { .opts = opts, .res = res, .e = e };
	int err;

	environ_iface(res, opts->ifname);
	err = open_receiver(&run);
	if (err)
		goto out;
	if (!opts->count_only)
		environ_clock(res, (enum stamp_clock)opts->clock);
	caps_drop(run.receiver->ops->keep_caps(run.receiver));
	err = receive(&run);
out:
	exports_close(run.exports);
	receiver_close(run.receiver);
	return err;
}

static int sink_run(const void *args, struct result *res, struct err *e)
{
	struct sink_opts opts = *(const struct sink_opts *)args;
	char ifname[IF_NAMESIZE];
	int err = pick_iface(&opts.ifname, ifname, res, e);

	return err ? err : run_on(&opts, res, e);
}

const struct cmd cmd_sink = {
	.name = "sink",
	.summary = "count, check and time packets inside the driver",
	.description =
"Receives the packets of blast by an XDP program, where the driver hands them over. It\n"
"counts packets and bytes by stream and CPU, checks the sequence numbers in the probe tag\n"
"for loss, duplicates and reordering (RFC 4737), and adds the one-way delay of each packet\n"
"and its variation to histograms. Test packets are then dropped, or passed on with --pass;\n"
"all other packets go on to the stack unchanged. With --socket a UDP socket receives\n"
"instead, so that the whole stack is part of the path. The result's bottleneck shows\n"
"whether this machine may have caused a loss, or the path.\n\n"
"Start it before the sender: earlier packets would count as lost. The one-way delay is\n"
"valid if both ends read one clock: on one host, or with --clock tai on synchronised hosts.\n\n"
"On request it writes a record of each packet, and histograms in HdrHistogram's formats.\n"
"With several streams, \"streams\" in the document has a row for each.",
	.examples =
"  sudo ethgauge lab up\n"
"  # in one terminal\n"
"  sudo ethgauge lab exec b ethgauge sink eg0\n"
"  # in another one\n"
"  sudo ethgauge lab exec a ethgauge blast eg0 198.18.0.2 -c 1M\n"
"  # a test for scripts: 100,003 packets must arrive within 10 s, none lost\n"
"  ethgauge sink eth1 -c 100003 -d 10s --expect 100003 --no-loss --json\n"
"  # one-way delay from another, synchronised host: blast --clock tai there\n"
"  ethgauge sink eth1 --clock tai\n"
"  # how evenly a stream of 100,000 packets a second arrives\n"
"  ethgauge sink eth1 --expect-gap 100kpps\n"
"  # a line for each packet, and a plot of arrival time against number\n"
"  ethgauge sink eth1 -c 100003 --records r.csv\n"
"  gnuplot -p -e \"set datafile separator ','; plot 'r.csv' every ::1 using 2:4\"\n"
"  # HdrHistogram's percentile table, and its log with an interval of 100 ms\n"
"  ethgauge sink eth1 -c 1M -i 100ms --hgrm delay.hgrm --hlog delay.hlog\n",
	.options = options,
	.rules = rules,
	.defaults = &defaults,
	.opts_size = sizeof(defaults),
	.needs = CMD_NEEDS_BPF | CMD_NEEDS_NET_ADMIN,
	.check = sink_check,
	.run = sink_run,
};
