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
	OPT_GROUP_AT(0, rr_options),
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
	.summary = "measure UDP requests and responses per second in the driver",
	.description =
"Sends a UDP request to DEST, waits for the response, sends the next: netperf's UDP_RR\n"
"without the network stack, with the time of every transaction. --outstanding sets the\n"
"number of concurrent transactions. The far end is ethgauge reflect, or anything that\n"
"returns UDP to its sender. For sockets, without root and with figures of both ends, use\n"
"ethgauge udp rr.\n\n"
"Engine bounce bypasses user space: the XDP program that receives a response sends it back\n"
"as the next request, times it, and stops after the count or duration. If this process\n"
"ends, the program is detached and the packet is gone.",
	.examples =
"  # against ethgauge reflect eg0 at the far end, ten seconds, one outstanding\n"
"  sudo ethgauge rr 198.18.0.2\n"
"  # the same between two XDP programs, without user space\n"
"  sudo ethgauge rr 198.18.0.2 --engine bounce\n"
"  # through a socket, to compare; and both in turn\n"
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
