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
	OPT_GROUP_AT(0, rr_options),
	{ 'f', "flood", OPT_FLAG, offsetof(struct rr_opts, flood), NULL,
	  "send as fast as answers arrive: same as --rate max" },
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
"Sends ICMP or ICMPv6 echo requests to DEST, which only has to answer pings, and reports\n"
"round-trip time, loss, duplicates and order. A request is timestamped right before the\n"
"driver takes it, and its answer by an XDP program where the driver hands it over: the\n"
"round trip includes driver, wire and far end only. The time until user space has the\n"
"answer is the transaction. With --against-stack, rounds alternate with rounds through a\n"
"socket; the difference is the time in this host's own stack.\n\n"
"Only answers to these requests are consumed; other traffic, pings included, is not\n"
"affected. Route, source address and neighbour come from the kernel.",
	.examples =
"  # ten a second until ^C\n"
"  sudo ethgauge ping 198.18.0.2\n"
"  # as fast as answers arrive, 8 outstanding, for 10 s; fail if one is lost\n"
"  sudo ethgauge ping 198.18.0.2 --flood --outstanding 8 -d 10s --no-loss\n"
"  # round-trip time by packet size, up to the MTU\n"
"  sudo ethgauge ping far.example --sizes 64-mtu --flood -c 10k\n"
"  # the share of this host's own stack in the round trip\n"
"  sudo ethgauge ping 198.18.0.2 --flood -c 100k --against-stack\n",
	.options = options,
	.rules = rules,
	.defaults = &defaults,
	.opts_size = sizeof(defaults),
	.needs = CMD_NEEDS_BPF | CMD_NEEDS_NET_ADMIN | CMD_NEEDS_NET_RAW,
	.check = ping_check,
	.run = ping_run,
};
