// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd/ping.c - ICMP and ICMPv6 echo from inside the driver.
 */
#include "cmd/cmd.h"
#include "engine/echo/rr_trial.h"
#include "lib/loop.h"

static const struct rr_opts defaults = {
	RR_DEFAULTS,
	.stream.rate = { .kind = UNIT_RATE_PPS, .value = 10 },
};

static const struct opt options[] = {
	RR_OPTIONS,
	{ 'f', "flood", OPT_FLAG, offsetof(struct rr_opts, flood), NULL,
	  "as fast as answers come: --rate max" },
	OPT_END
};

static const struct opt_rule rules[] = {
	RR_RULES,
	{ OPT_EXCLUDES, "flood", "rate" },
	OPT_RULE_END
};

static int ping_check(void *args, const struct opt_given *given, struct err *e)
{
	return rr_opts_check(args, given, e);
}

static int ping_run(const void *args, struct result *res, struct err *e)
{
	return rr_trial_run(args, true, res, e);
}

const struct cmd cmd_ping = {
	.name = "ping",
	.summary = "ICMP echo from the driver: round trip without this host's stack",
	.description =
"Sends ICMP or ICMPv6 echo requests to DEST, which needs nothing but to answer\n"
"pings, and reports round trip, loss, duplicates and order. A request is stamped\n"
"right before the driver takes it, and its answer by an XDP program where the\n"
"driver hands it over: the round trip is driver, wire and far end. What user space\n"
"sees is told as the transaction. With --against-stack the same goes through a\n"
"socket in turn, and the difference is what this host's own stack takes.\n\n"
"Only the answers to these requests are taken; this host's other traffic, pings\n"
"included, goes on. Route, source address and neighbour are the kernel's.",
	.examples =
"  # ten a second until ^C\n"
"  sudo ethgauge ping 198.18.0.2\n"
"  # as fast as the answers come, 8 at a time, for ten seconds; fail if one is lost\n"
"  sudo ethgauge ping 198.18.0.2 --flood --outstanding 8 -d 10s --no-loss\n"
"  # does the time grow with the size, up to the MTU?\n"
"  sudo ethgauge ping far.example --sizes 64-mtu --flood -c 10k\n"
"  # where does the time go: the wire and the far end, or this host's stack?\n"
"  sudo ethgauge ping 198.18.0.2 --flood -c 100k --against-stack\n",
	.options = options,
	.rules = rules,
	.defaults = &defaults,
	.opts_size = sizeof(defaults),
	.needs = CMD_NEEDS_BPF | CMD_NEEDS_NET_ADMIN | CMD_NEEDS_NET_RAW,
	.check = ping_check,
	.run = ping_run,
};
