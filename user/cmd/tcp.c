// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd/tcp.c - TCP goodput and transactions, as an application gets them.
 */
#include "cmd/cmd.h"
#include "engine/transport/xfer_opts.h"

enum test { STREAM, MAERTS, SENDFILE, SPLICE, RR, CRR };

struct tcp_opts {
	int test;
	struct xfer_opts common;
	bool nodelay, zerocopy;
	const char *congestion;
	uint64_t window_clamp_bytes;
	uint16_t mss_bytes;
};

static const struct tcp_opts defaults = { .common = XFER_OPTS_DEFAULTS };

static const char *const tests[] = { "stream", "maerts", "sendfile", "splice", "rr", "crr", NULL };

static const struct opt options[] = {
	{ 0, "TEST", OPT_CHOICE, offsetof(struct tcp_opts, test), NULL,
	  "stream: send; maerts: receive; sendfile: send a file; splice: send through a pipe; rr: request "
	  "and response; crr: each on a new connection", .choices = tests, .argument = true,
	  .selects = true },
	{ 0, "HOST", OPT_STR, offsetof(struct tcp_opts, common.host), NULL,
	  "where ethgauge serve runs", .argument = true },
	OPT_GROUP_AT(offsetof(struct tcp_opts, common), xfer_options),
	{ 'l', "message-bytes", OPT_COUNT, offsetof(struct tcp_opts, common.message_bytes), "N",
	  "length of a write; 0: 128 KiB", .max = CONTROL_MAX_MESSAGE, .of = XFER_STREAMS },
	OPT_GROUP_AT(offsetof(struct tcp_opts, common), xfer_stream_options),
	{ 'N', "nodelay", OPT_FLAG, offsetof(struct tcp_opts, nodelay), NULL,
	  "send without delay (TCP_NODELAY), at both ends" },
	{ 'Z', "zerocopy", OPT_FLAG, offsetof(struct tcp_opts, zerocopy), NULL,
	  "send from the application's pages (MSG_ZEROCOPY)", .of = "stream maerts" },
	{ 'C', "congestion", OPT_STR, offsetof(struct tcp_opts, congestion), "NAME",
	  "congestion control algorithm of both ends" },
	{ 0, "window-clamp", OPT_COUNT, offsetof(struct tcp_opts, window_clamp_bytes), "BYTES",
	  "upper limit of the TCP windows of both ends", .max = INT32_MAX },
	{ 'M', "mss", OPT_U16, offsetof(struct tcp_opts, mss_bytes), "N",
	  "maximum segment size; 0: as the path's MTU allows" },
	OPT_END
};

static const struct opt_rule rules[] = {
	XFER_RULES,
	/* maerts is stream --reverse. */
	{ OPT_EXCLUDES, "reverse bidir", "TEST=maerts" },
	{ OPT_EXCLUDES, "rate=bit/s", "TEST=rr TEST=crr" },
	/* A TCP stream has no packets that could be counted. */
	{ OPT_REQUIRES, "rate=pps", "TEST=rr TEST=crr" },
	OPT_RULE_END
};

static void read_extra(const struct tcp_opts *opts, struct xfer_extra *ret_extra)
{
	*ret_extra = (struct xfer_extra){
		.protocol = CONTROL_TCP,
		.kind = opts->test == RR ? CONTROL_RR : opts->test == CRR ? CONTROL_CRR :
			CONTROL_STREAM,
		.reverse = opts->test == MAERTS, .sendfile = opts->test == SENDFILE,
		.splice = opts->test == SPLICE,
		.nodelay = opts->nodelay, .zerocopy = opts->zerocopy,
		.congestion = opts->congestion, .window_clamp_bytes = opts->window_clamp_bytes,
		.mss_bytes = opts->mss_bytes,
	};
}

static int tcp_check(void *args, const struct opt_given *given, struct err *e)
{
	const struct tcp_opts *opts = args;
	struct xfer_extra extra;

	(void)given;
	read_extra(opts, &extra);
	return xfer_opts_check(&opts->common, &extra, e);
}

static int tcp_run(const void *args, struct result *res, struct err *e)
{
	const struct tcp_opts *opts = args;
	struct xfer_extra extra;

	read_extra(opts, &extra);
	return xfer_opts_run(&opts->common, &extra, res, e);
}

const struct cmd cmd_tcp = {
	.name = "tcp",
	.summary = "measure TCP bulk transfers and transactions between sockets",
	.description =
"Measures TCP on a path with a server (ethgauge serve at HOST), with the tests known from\n"
"netperf and iperf: stream, maerts, sendfile and splice measure goodput; rr and crr measure\n"
"transactions per second and round trips. Both ends report bytes sent and received, rates,\n"
"CPU time and service demand, and for each sending connection the kernel's tcp_info:\n"
"round-trip time, windows, retransmissions, limiting factors.\n\n"
"With --rate, rr and crr are an open loop: round trips count from when a request was due,\n"
"so that a stall delays all requests that were due during it.",
	.examples =
"  # at the other end: ethgauge serve --open\n"
"  ethgauge tcp stream 198.18.0.2\n"
"  # both directions, four connections each, without the first two seconds\n"
"  ethgauge tcp stream 198.18.0.2 --bidir -P 4 --omit 2s --per-stream\n"
"  # round trips at 10,000 requests per second, 64 bytes each, 1 KB responses\n"
"  ethgauge tcp rr 198.18.0.2 -r 10kpps --request-bytes 64 --response-bytes 1k\n"
"  # 32 outstanding transactions on one connection; connections per second\n"
"  ethgauge tcp rr 198.18.0.2 --outstanding 32 --nodelay\n"
"  ethgauge tcp crr 198.18.0.2 -P 16\n"
"  # repeat until the 99 % interval of the mean is at most 5 % wide\n"
"  ethgauge tcp stream 198.18.0.2 --confidence 99,5\n"
"  # goodput by message length\n"
"  ethgauge tcp stream 198.18.0.2 --message-sizes 64-1M -d 2s\n",
	.options = options,
	.rules = rules,
	.defaults = &defaults,
	.opts_size = sizeof(defaults),
	.check = tcp_check,
	.run = tcp_run,
};
