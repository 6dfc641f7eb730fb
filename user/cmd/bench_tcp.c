// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd/bench_tcp.c - bench rfc6349: TCP throughput of a path, with ethgauge serve at its end.
 */
#include <sys/socket.h>

#include "cmd/cmd.h"
#include "engine/suite/bench_tcp.h"
#include "sys/host/caps.h"

#define WHOLE_NS 30000000000ull		/* RFC 6349 3.3: long enough to make slow start negligible */

static const char *const suites[] = { "rfc6349", NULL };
static const char *const ways[] = { "both", "there", "back", NULL };

struct bench_tcp_opts {
	int suite;			/* the word that selected this variant */
	const char *host, *from, *data_ports, *key_file;
	uint16_t port, streams;
	struct unit_rate bottleneck;
	uint64_t duration_ns;
	int way;
	bool quick, ipv4, ipv6;
	struct bench_tcp_cfg cfg;	/* derived from these by check */
};

static const struct bench_tcp_opts defaults = {
	.port = CONTROL_PORT, .streams = 1, .bottleneck = { UNIT_RATE_MAX, 0 },
};

#define AT(member) offsetof(struct bench_tcp_opts, member)

static const struct opt options[] = {
	{ 0, "SUITE", OPT_CHOICE, AT(suite), NULL, "this suite", .choices = suites, .argument = true },
	{ 0, "HOST", OPT_STR, AT(host), NULL, "where ethgauge serve runs", .argument = true },
	{ 0, "quick", OPT_FLAG, AT(quick), NULL,
	  "transfers of 5 s, shorter than the standard requires; the result is marked quick" },
	{ 'd', "duration", OPT_DURATION, AT(duration_ns), "TIME",
	  "duration of each transfer; 0: 30 s, with --quick 5 s" },
	{ 0, "bottleneck", OPT_RATE, AT(bottleneck), "RATE",
	  "bottleneck rate of the path, in bits per second on the wire; max: measure it by UDP",
	  .rate_kinds = OPT_RATE_BPS | OPT_RATE_MAX },
	{ 'P', "parallel", OPT_U16, AT(streams), "N", "connections at once", .min = 1,
	  .max = CONTROL_MAX_STREAMS },
	{ 0, "way", OPT_CHOICE, AT(way), "WAY", "direction; there: from here to HOST", .choices = ways },
	{ 'p', "port", OPT_U16, AT(port), "N", "control port of the server", .min = 1 },
	{ '4', "ipv4", OPT_FLAG, AT(ipv4), NULL, "IPv4 only" },
	{ '6', "ipv6", OPT_FLAG, AT(ipv6), NULL, "IPv6 only" },
	{ 'B', "bind", OPT_STR, AT(from), "ADDR", "send from this address" },
	{ 0, "data-ports", OPT_STR, AT(data_ports), "LOW-HIGH",
	  "data ports that the server may name, if it has --data-ports; default: near --port" },
	{ 0, "key-file", OPT_STR, AT(key_file), "FILE",
	  "the server's key, instead of the environment's ETHGAUGE_KEY" },
	OPT_END
};

static const struct opt_rule rules[] = {
	{ OPT_AT_MOST_ONE, "ipv4 ipv6" },
	OPT_RULE_END
};

static int bench_tcp_check(void *args, const struct opt_given *given, struct err *e)
{
	struct bench_tcp_opts *opts = args;
	struct bench_tcp_cfg *cfg = &opts->cfg;

	(void)given;
	*cfg = (struct bench_tcp_cfg){
		.client = { .host = opts->host, .from = opts->from, .port = opts->port,
			    .family = opts->ipv4 ? AF_INET : opts->ipv6 ? AF_INET6 : AF_UNSPEC },
		.bottleneck_l1_bps = opts->bottleneck.kind == UNIT_RATE_BPS ? opts->bottleneck.value : 0,
		.baseline_ns = opts->quick ? 1000000000 : 5000000000,
		.flood_ns = opts->quick ? 1000000000 : 5000000000,
		.transfer_ns = opts->duration_ns ? opts->duration_ns : opts->quick ? 5000000000 : WHOLE_NS,
		.streams = opts->streams,
		.there = opts->way != 2, .back = opts->way != 1,
	};
	return control_parse_range(opts->data_ports, &cfg->client.data_ports, e);
}

static int bench_tcp_verb(const void *args, struct result *res, struct err *e)
{
	const struct bench_tcp_opts *opts = args;
	struct bench_tcp_cfg cfg = opts->cfg;
	bool quick = opts->quick || cfg.transfer_ns < WHOLE_NS || opts->way;
	int err;

	err = secret_read(&cfg.client.key, opts->key_file, XFER_KEY_VARIABLE, e);
	if (err)
		return err;
	caps_drop(CAPS_NET_ADMIN);	/* buffers beyond the system's limit */
	result_env_str(res, "suite", quick ? "rfc6349-quick" : "rfc6349");
	if (quick)
		result_note(res, "transfers are shorter than RFC 6349 requires, or in one direction only: this is "
			    "rfc6349-quick, do not publish it as a result of the standard");
	return bench_tcp_run(&cfg, res, e);
}

const struct cmd cmd_bench_tcp = {
	.name = "bench",
	.summary = "compare TCP throughput with what the path allows (RFC 6349)",
	.description =
"Measures the metrics of RFC 6349 with a server (ethgauge serve at HOST), in each\n"
"direction: first the path's MTU, its idle round-trip time and its bottleneck rate, then\n"
"TCP transfers, compared with these. Transfer time ratio: the actual transfer time divided\n"
"by that of full packets at the bottleneck rate. Efficiency: the share of bytes that were\n"
"not retransmitted. Buffer delay: the increase of the round-trip time under load, relative\n"
"to the idle one.\n\n"
"To find the bottleneck rate, UDP is sent at rising rates, up to a quarter more than the\n"
"path carries, which affects other traffic. Give --bottleneck if the rate is known. The\n"
"system chooses the windows: RFC 6349's series of window sizes is not included.",
	.examples =
"  # at the other end: ethgauge serve --open\n"
"  ethgauge bench rfc6349 198.18.0.2 --bottleneck 100Mbit -o tcp.json\n"
"  # from here to HOST only, four connections, short transfers\n"
"  ethgauge bench rfc6349 198.18.0.2 --quick --way there -P 4\n",
	.options = options,
	.rules = rules,
	.defaults = &defaults,
	.opts_size = sizeof(defaults),
	.chosen_by = suites,
	.check = bench_tcp_check,
	.run = bench_tcp_verb,
};
