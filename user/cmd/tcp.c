// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd/tcp.c - what TCP and an application get out of a path.
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
	  "stream: send; maerts: receive; sendfile: send a file; splice: through a pipe; rr: request "
	  "and response; crr: each on a connection of its own", .choices = tests, .argument = true,
	  .selects = true },
	{ 0, "HOST", OPT_STR, offsetof(struct tcp_opts, common.host), NULL,
	  "where ethgauge serve runs", .argument = true },
	XFER_OPTIONS(struct tcp_opts, common),
	XFER_STREAM_OPTIONS(struct tcp_opts, common, "of a write; 0: 128 KiB"),
	{ 0, "nodelay", OPT_FLAG, offsetof(struct tcp_opts, nodelay), NULL,
	  "send what is there at once (TCP_NODELAY), at both ends" },
	{ 0, "zerocopy", OPT_FLAG, offsetof(struct tcp_opts, zerocopy), NULL,
	  "send from the application's pages (MSG_ZEROCOPY)", .of = "stream maerts" },
	{ 0, "congestion", OPT_STR, offsetof(struct tcp_opts, congestion), "NAME",
	  "congestion control of both ends" },
	{ 0, "window-clamp", OPT_COUNT, offsetof(struct tcp_opts, window_clamp_bytes), "BYTES",
	  "the windows of both ends stay below this", .max = INT32_MAX },
	{ 0, "mss", OPT_U16, offsetof(struct tcp_opts, mss_bytes), "N",
	  "largest segment; 0: what the path's MTU allows" },
	OPT_END
};

static const struct opt_rule rules[] = {
	XFER_RULES,
	{ OPT_EXCLUDES, "bidir", "TEST=maerts" },
	{ OPT_EXCLUDES, "rate=bit/s", "TEST=rr TEST=crr" },
	/* A stream of TCP has no packets of its own. */
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
	.summary = "TCP bulk and transactions, as an application sees them",
	.description =
"Measures with a server (ethgauge serve at HOST) what TCP makes of a path, by the\n"
"tests that netperf and iperf made known: stream, maerts, sendfile and splice tell the\n"
"goodput, rr and crr the transactions a second and their round trips. Both ends report:\n"
"bytes sent and read, rates, CPU time and service demand; of each sending connection\n"
"what TCP itself tells (tcp_info): round-trip time, windows, retransmissions, what\n"
"limited it.\n\n"
"With --rate rr and crr are an open loop: round trips count from when a request was\n"
"due, so that a stall is not left out because nothing was sent meanwhile.",
	.examples =
"  # at the other end: ethgauge serve\n"
"  ethgauge tcp stream 198.18.0.2\n"
"  # both directions, four connections each, the first two seconds left out\n"
"  ethgauge tcp stream 198.18.0.2 --bidir -P 4 --omit 2s --per-stream\n"
"  # round trips at 10,000 requests a second of 64 bytes, answered by 1 KB\n"
"  ethgauge tcp rr 198.18.0.2 --rate 10kpps --request-bytes 64 --response-bytes 1k\n"
"  # transactions with 32 under way on one connection; connections a second\n"
"  ethgauge tcp rr 198.18.0.2 --outstanding 32 --nodelay\n"
"  ethgauge tcp crr 198.18.0.2 -P 16\n"
"  # again until the mean is within 5 % at 99 %\n"
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
