// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd/rr.c - request and response by UDP from inside the driver.
 */
#include "cmd/cmd.h"
#include "engine/echo/rr_trial.h"
#include "lib/loop.h"

static const struct rr_opts defaults = {
	RR_DEFAULTS,
	.stream.rate = { .kind = UNIT_RATE_MAX },
	.stream.duration_ns = 10 * NSEC_PER_SEC,
};

static const struct opt options[] = {
	RR_OPTIONS,
	{ 'p', "port", OPT_U16, offsetof(struct rr_opts, stream.port), "N",
	  "destination UDP port", .min = 1 },
	OPT_END
};

static const struct opt_rule rules[] = {
	RR_RULES,
	OPT_RULE_END
};

static int check(void *args, const struct opt_given *given, struct err *e)
{
	return rr_opts_check(args, given, e);
}

static int run(const void *args, struct result *res, struct err *e)
{
	return rr_trial_run(args, false, res, e);
}

const struct cmd cmd_rr = {
	.name = "rr",
	.summary = "transactions a second: UDP requests and responses in the driver",
	.description =
"Sends a UDP request to DEST, waits for the response, sends the next: netperf's\n"
"UDP_RR without the network stack, with the time of every transaction. With\n"
"--outstanding, so many are under way at a time. The far end is ethgauge reflect,\n"
"or anything that returns UDP to its sender. Through sockets, without root and with\n"
"figures of both ends, it is ethgauge udp rr.\n\n"
"Engine bounce leaves user space out: the XDP program that takes a response sends\n"
"it back as the next request, times it, and stops after the count or duration. It\n"
"ends when this process does: the program goes with it, and the packet dies.",
	.examples =
"  # against ethgauge reflect eg0 at the far end, ten seconds, one at a time\n"
"  sudo ethgauge rr 198.18.0.2\n"
"  # the same between two XDP programs, no user space on the way\n"
"  sudo ethgauge rr 198.18.0.2 --engine bounce\n"
"  # through a socket, to compare; and all in turn\n"
"  sudo ethgauge rr 198.18.0.2 --engine stack\n"
"  sudo ethgauge rr 198.18.0.2 --against-stack\n",
	.options = options,
	.rules = rules,
	.defaults = &defaults,
	.opts_size = sizeof(defaults),
	.needs = CMD_NEEDS_BPF | CMD_NEEDS_NET_ADMIN | CMD_NEEDS_NET_RAW,
	.check = check,
	.run = run,
};
