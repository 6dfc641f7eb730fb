// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd/udp.c - UDP goodput, loss and transactions, as an application gets them.
 */
#include "cmd/cmd.h"
#include "engine/transport/xfer_opts.h"

enum test { STREAM, RR };

struct udp_opts {
	int test;
	struct xfer_opts common;
	uint64_t batch, on_ns, off_ns, arrivals;
	bool gso;
};

static const struct udp_opts defaults = { .common = XFER_OPTS_DEFAULTS, .batch = 1 };

static const char *const tests[] = { "stream", "rr", NULL };

static const struct opt options[] = {
	{ 0, "TEST", OPT_CHOICE, offsetof(struct udp_opts, test), NULL,
	  "stream: send; rr: request and response", .choices = tests, .argument = true,
	  .selects = true },
	{ 0, "HOST", OPT_STR, offsetof(struct udp_opts, common.host), NULL,
	  "where ethgauge serve runs", .argument = true },
	OPT_GROUP_AT(offsetof(struct udp_opts, common), xfer_options),
	{ 'l', "message-bytes", OPT_COUNT, offsetof(struct udp_opts, common.message_bytes), "N",
	  "payload of a datagram, at least 18; 0: as the MTU allows", .max = CONTROL_MAX_MESSAGE, .of = XFER_STREAMS },
	OPT_GROUP_AT(offsetof(struct udp_opts, common), xfer_stream_options),
	{ 0, "batch", OPT_COUNT, offsetof(struct udp_opts, batch), "N",
	  "datagrams sent back to back, followed by a pause that keeps --rate", .min = 1, .max = 1 << 20,
	  .of = "stream" },
	{ 0, "on", OPT_DURATION, offsetof(struct udp_opts, on_ns), "TIME",
	  "send for this time, then pause for --off", .of = "stream" },
	{ 0, "off", OPT_DURATION, offsetof(struct udp_opts, off_ns), "TIME", "pause after --on",
	  .of = "stream" },
	{ 0, "arrivals", OPT_COUNT, offsetof(struct udp_opts, arrivals), "N",
	  "record arrival times of the first N datagrams in the document; report plots them",
	  .max = CONTROL_MAX_ARRIVALS, .of = "stream" },
	{ 0, "gso", OPT_FLAG, offsetof(struct udp_opts, gso), NULL,
	  "send and receive up to 32 datagrams per system call (UDP_SEGMENT, UDP_GRO)",
	  .of = "stream" },
	OPT_END
};

static const struct opt_rule rules[] = {
	XFER_RULES,
	{ OPT_EXCLUDES, "rate=bit/s", "TEST=rr" },
	{ OPT_REQUIRES, "on", "off" }, { OPT_REQUIRES, "off", "on" },
	/* The rate sets the interval between batches. */
	{ OPT_REQUIRES, "batch", "rate" },
	OPT_RULE_END
};

static void read_extra(const struct udp_opts *opts, struct xfer_extra *ret_extra)
{
	*ret_extra = (struct xfer_extra){
		.protocol = CONTROL_UDP, .kind = opts->test == RR ? CONTROL_RR : CONTROL_STREAM,
		.batch = opts->batch, .on_ns = opts->on_ns, .off_ns = opts->off_ns, .gso = opts->gso,
		.arrivals = opts->arrivals,
	};
}

static int udp_check(void *args, const struct opt_given *given, struct err *e)
{
	const struct udp_opts *opts = args;
	struct xfer_extra extra;

	(void)given;
	read_extra(opts, &extra);
	return xfer_opts_check(&opts->common, &extra, e);
}

static int udp_run(const void *args, struct result *res, struct err *e)
{
	const struct udp_opts *opts = args;
	struct xfer_extra extra;

	read_extra(opts, &extra);
	return xfer_opts_run(&opts->common, &extra, res, e);
}

const struct cmd cmd_udp = {
	.name = "udp",
	.summary = "measure UDP goodput, loss, order and transactions between sockets",
	.description =
"Measures UDP sockets on a path with a server (ethgauge serve at HOST). stream reports\n"
"goodput, loss, order and duplicates, and the one-way delay if both ends are on one host;\n"
"rr reports transactions per second and their round trips. Each datagram starts with the\n"
"probe tag, so that sink and watch on the path read the same numbers.\n\n"
"Without --rate a stream is sent as fast as possible. What the receiver's socket drops is\n"
"counted separately, as it is not a loss of the path. With --rate, rr is an open loop:\n"
"round trips count from when a request was due.\n\n"
"rr uses sockets, like applications. The verb rr measures the same inside the driver, by\n"
"AF_XDP or between two XDP programs: as root, against ethgauge reflect.",
	.examples =
"  # at the other end: ethgauge serve --open\n"
"  ethgauge udp stream 198.18.0.2 --rate 100Mbit\n"
"  # the server sends 20,000 datagrams of 200 bytes per second, in batches of 32\n"
"  ethgauge udp stream 198.18.0.2 -R --rate 20kpps --batch 32 --message-bytes 200\n"
"  # highest rate that sockets reach\n"
"  ethgauge udp stream 198.18.0.2 --gso\n"
"  # receive time against number, like UDPmon's plot\n"
"  ethgauge udp stream 198.18.0.2 -r 20kpps --batch 32 --arrivals 1000 -o u.json\n"
"  ethgauge report u.json -o u.html\n"
"  # 100 ms on, 900 ms off\n"
"  ethgauge udp stream 198.18.0.2 --rate 500Mbit --on 100ms --off 900ms\n"
"  # round trips, one outstanding, then 64\n"
"  ethgauge udp rr 198.18.0.2\n"
"  ethgauge udp rr 198.18.0.2 --outstanding 64\n",
	.options = options,
	.rules = rules,
	.defaults = &defaults,
	.opts_size = sizeof(defaults),
	.check = udp_check,
	.run = udp_run,
};
