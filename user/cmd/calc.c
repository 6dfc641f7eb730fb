// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd/calc.c - what a link can carry at most, computed without measuring.
 *
 * The formulas are in lib/theory.c, and docs/theory.md derives them.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cmd/cmd.h"
#include "lib/array.h"
#include "lib/theory.h"

static const char *const ips[] = { "4", "6", NULL };
static const char *const tunnels[] = {
	[THEORY_NO_TUNNEL] = "none", [THEORY_IPIP] = "ipip", [THEORY_GRE] = "gre",
	[THEORY_GRETAP] = "gretap", [THEORY_VXLAN] = "vxlan", [THEORY_GENEVE] = "geneve",
	[THEORY_WIREGUARD] = "wireguard", NULL
};

static const struct calc_opts {
	struct unit_rate link;
	uint32_t mtu, vlan, options_bytes, request_bytes, response_bytes, parallel;
	int ip, tunnel, outer, duplex;
	uint64_t rtt_ns, window_bytes;	/* 0: not given */
} defaults = {
	.link = { UNIT_RATE_BPS, 10e9 },
	.mtu = 1500,
	.options_bytes = THEORY_TIMESTAMPS_BYTES,
	.request_bytes = 1,
	.response_bytes = 1,
	.parallel = 1,
};

static const struct opt options[] = {
	{ 0, "LINK", OPT_RATE, offsetof(struct calc_opts, link), NULL,
	  "link speed in bits per second: 100M, 2.5G (default 10G)", .argument = true,
	  .optional = true, .rate_kinds = OPT_RATE_BPS },
	{ 0, "mtu", OPT_U32, offsetof(struct calc_opts, mtu), "BYTES",
	  "largest packet, without Ethernet header", .min = THEORY_IP4_MIN_MTU, .max = 65535 },
	{ 0, "duplex", OPT_CHOICE, offsetof(struct calc_opts, duplex), "DUPLEX",
	  "half: both directions share the link speed", .choices = theory_duplexes },
	{ 0, "rtt", OPT_DURATION, offsetof(struct calc_opts, rtt_ns), "TIME",
	  "round-trip time; adds the tables of windows and buffers", .min = 1, .max = 3600000000000ull },
	{ 0, "window", OPT_COUNT, offsetof(struct calc_opts, window_bytes), "BYTES",
	  "with --rtt, add the rate of this window", .min = 1 },
	{ 0, "parallel", OPT_U32, offsetof(struct calc_opts, parallel), "N",
	  "with --rtt, number of concurrent connections, for the buffer size of the link", .min = 1 },
	{ 0, "ip", OPT_CHOICE, offsetof(struct calc_opts, ip), "VERSION",
	  "IP version of the transactions and the summary", .choices = ips },
	{ 0, "tcp-options", OPT_U32, offsetof(struct calc_opts, options_bytes), "BYTES",
	  "TCP options in every segment; 12: timestamps, 0: none", .max = 40 },
	{ 0, "vlan-tags", OPT_U32, offsetof(struct calc_opts, vlan), "N",
	  "VLAN tags of each frame: 1, or 2 for QinQ", .max = 2 },
	{ 0, "tunnel", OPT_CHOICE, offsetof(struct calc_opts, tunnel), "KIND",
	  "tunnel type", .choices = tunnels },
	{ 0, "outer", OPT_CHOICE, offsetof(struct calc_opts, outer), "VERSION",
	  "IP version that carries the tunnel", .choices = ips },
	{ 0, "request-bytes", OPT_U32, offsetof(struct calc_opts, request_bytes), "N",
	  "payload of a request", .min = 1, .max = 1u << 30 },
	{ 0, "response-bytes", OPT_U32, offsetof(struct calc_opts, response_bytes), "N",
	  "payload of a response", .min = 1, .max = 1u << 30 },
	OPT_END
};

static const struct opt_rule rules[] = {
	{ OPT_REQUIRES, "window parallel", "rtt" },
	{ OPT_REQUIRES, "outer", "tunnel" },
	{ OPT_EXCLUDES, "outer", "tunnel=none" },
	OPT_RULE_END
};

/* As in published tables; see docs/theory.md. */
static const uint32_t mtus[] = {
	256, 300, 350, 500, 700, 850, 1000, 1250, 1280, 1500, 2000, 3000, 4000, 5000, 6000, 7000, 9000,
};

#define NR_MTUS ARRAY_SIZE(mtus)

static struct theory_path path_of(const struct calc_opts *opts)
{
	return (struct theory_path){
		.link_bps = opts->link.value, .mtu = opts->mtu, .vlan_tags = opts->vlan,
		.tunnel = (enum theory_tunnel)opts->tunnel, .outer_ip6 = opts->outer,
		.half_duplex = opts->duplex,
	};
}

static struct theory_stack stack_of(const struct calc_opts *opts, bool tcp, bool ip6)
{
	return (struct theory_stack){
		.tcp = tcp, .ip6 = ip6, .options_bytes = opts->options_bytes,
	};
}

/* JSON null and "-" where there is none. */
static double some(double value)
{
	return value > 0 ? value : NAN;
}

static void tell_frames(const struct calc_opts *opts, struct result *part)
{
	/* RFC 2544 9.1 */
	static const uint32_t sizes[] = { 64, 128, 256, 512, 1024, 1280, 1518 };
	uint32_t full_bytes = opts->mtu + 18, bytes;
	size_t nr = ARRAY_SIZE(sizes), i;

	for (i = 0; i <= nr; i++) {
		/* The MTU's own size, unless it is a row already. */
		if (i == nr && (full_bytes == 1518 || full_bytes < UNIT_MIN_FRAME_BYTES))
			break;
		bytes = (i < nr ? sizes[i] : full_bytes) + 4 * opts->vlan;
		result_entry_open(part);
		result_entry_u64(part, "frame_bytes", bytes);
		result_entry_u64(part, "wire_bytes", bytes + UNIT_GAP_BYTES);
		result_entry_real(part, "frame_pps", theory_frame_pps(opts->link.value, bytes));
		result_entry_real(part, "frame_ns",
				  1e9 / theory_frame_pps(opts->link.value, bytes));
		result_entry_real(part, "l2_bps",
				  theory_frame_pps(opts->link.value, bytes) * 8 * bytes);
		result_entry_real(part, "l2_ratio", bytes / (double)(bytes + UNIT_GAP_BYTES));
		result_entry_close(part);
	}
}

static void tell_goodput(const struct calc_opts *opts, struct result *part)
{
	struct theory_path path = path_of(opts);
	size_t i;

	for (i = 0; i < 6; i++) {
		bool tcp = i % 3 != 2, ip6 = i >= 3;
		struct theory_stack stack = stack_of(opts, tcp, ip6);
		uint32_t payload_bytes;
		char what[64];
		double ratio;

		/* Without options, with them, and UDP. */
		if (i % 3 == 0)
			stack.options_bytes = 0;
		else if (tcp && !opts->options_bytes)
			continue;
		snprintf(what, sizeof(what), "%s/IPv%d", tcp ? "TCP" : "UDP", ip6 ? 6 : 4);
		if (tcp && stack.options_bytes)
			snprintf(what + strlen(what), sizeof(what) - strlen(what), " + %u options",
				 stack.options_bytes);
		payload_bytes = theory_payload_bytes(&path, &stack);
		ratio = theory_goodput_ratio(&path, &stack);
		result_entry_open(part);
		result_entry_str(part, "protocol", what);
		result_entry_u64(part, "payload_bytes", payload_bytes);
		result_entry_real(part, "packet_pps", some(ratio * path.link_bps / 8 / payload_bytes));
		result_entry_real(part, "goodput_bps", some(ratio * path.link_bps));
		result_entry_real(part, "goodput_ratio", some(ratio));
		result_entry_close(part);
	}
}

/* The four usual ones; TCP with the given options. */
static void tell_ratios(const struct calc_opts *opts, const struct theory_path *path,
			struct result *part)
{
	static const struct {
		const char *key;
		bool tcp, ip6;
	} columns[] = {
		{ "tcp_ip4_ratio", true, false }, { "udp_ip4_ratio", false, false },
		{ "tcp_ip6_ratio", true, true }, { "udp_ip6_ratio", false, true },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(columns); i++) {
		struct theory_stack stack = stack_of(opts, columns[i].tcp, columns[i].ip6);

		result_entry_real(part, columns[i].key, some(theory_goodput_ratio(path, &stack)));
	}
}

static void tell_mtu(const struct calc_opts *opts, uint32_t mtu, struct result *part)
{
	struct theory_path path = path_of(opts);

	path.mtu = mtu;
	result_entry_open(part);
	result_entry_u64(part, "mtu", mtu);
	tell_ratios(opts, &path, part);
	result_entry_close(part);
}

/* In rising order, including the given one. */
static void tell_mtus(const struct calc_opts *opts, struct result *part)
{
	bool told = false;
	size_t i;

	for (i = 0; i < NR_MTUS; i++) {
		if (!told && opts->mtu < mtus[i])
			tell_mtu(opts, opts->mtu, part);
		told |= opts->mtu <= mtus[i];
		tell_mtu(opts, mtus[i], part);
	}
	if (!told)
		tell_mtu(opts, opts->mtu, part);
}

static void tell_tunnels(const struct calc_opts *opts, struct result *part)
{
	struct theory_path path = path_of(opts);
	uint32_t tunnel_bytes;
	int kind;

	for (kind = THEORY_NO_TUNNEL; kind < THEORY_NR_TUNNELS; kind++) {
		path.tunnel = (enum theory_tunnel)kind;
		tunnel_bytes = theory_tunnel_bytes(&path);
		result_entry_open(part);
		result_entry_str(part, "tunnel", tunnels[kind]);
		result_entry_u64(part, "tunnel_bytes", tunnel_bytes);
		result_entry_real(part, "inner_mtu", some((double)path.mtu - tunnel_bytes));
		tell_ratios(opts, &path, part);
		result_entry_close(part);
	}
}

static const struct {
	enum theory_transaction_kind kind;
	const char *name, *key;
} transactions[] = {
	{ THEORY_UDP_RR, "udp rr", "theory_udp_rr_per_s" },
	{ THEORY_TCP_RR, "tcp rr", "theory_tcp_rr_per_s" },
	{ THEORY_TCP_CRR, "tcp crr", "theory_tcp_crr_per_s" },
};

/* Each transaction frame by frame; the sums are figures of @res. */
static void tell_transactions(const struct calc_opts *opts, struct result *res,
			      struct result *part)
{
	struct theory_stack stack = stack_of(opts, true, opts->ip);
	struct theory_path path = path_of(opts);
	struct theory_transaction t;
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(transactions); i++) {
		if (theory_transact(&path, &stack, transactions[i].kind, opts->request_bytes,
				    opts->response_bytes, &t)) {
			result_note(part, "%s: this message does not fit %s", transactions[i].name,
				    transactions[i].kind == THEORY_UDP_RR ?
				    "one UDP datagram, or the MTU is too small" : "the MTU");
			result_metric_real(res, transactions[i].key, NAN);
			continue;
		}
		for (k = 0; k < t.nr; k++) {
			const struct theory_frame *frame = &t.frames[k];

			result_entry_open(part);
			result_entry_str(part, "transaction", transactions[i].name);
			result_entry_str(part, "frame", frame->what);
			result_entry_str(part, "way", frame->back ? "<-" : "->");
			result_entry_u64(part, "frames", frame->nr);
			result_entry_u64(part, "payload_bytes", frame->payload_bytes);
			result_entry_u64(part, "wire_bytes", frame->wire_bytes);
			result_entry_close(part);
		}
		result_note(part, "%s: %llu wire bytes ->, %llu <-: at most %.0f a second",
			    transactions[i].name, (unsigned long long)t.forth_wire_bytes,
			    (unsigned long long)t.back_wire_bytes, floor(t.per_s));
		result_metric_real(res, transactions[i].key, t.per_s);
	}
}

static void tell_windows(const struct calc_opts *opts, struct result *res, struct result *part)
{
	static const uint64_t windows[] = {
		16384, 65536, 262144, 1048576, 6291456, 16777216, 67108864, 268435456,
	};
	struct theory_stack tcp = stack_of(opts, true, opts->ip);
	struct theory_path path = path_of(opts);
	double rtt_ns = (double)opts->rtt_ns, bdp_bytes = theory_bdp_bytes(path.link_bps, rtt_ns);
	double goodput_bps = theory_goodput_ratio(&path, &tcp) * path.link_bps, bps;
	size_t i;

	result_metric_real(res, "theory_bdp_bytes", bdp_bytes);
	result_metric_u64(res, "theory_window_scale", theory_window_scale(bdp_bytes));
	result_metric_real(res, "theory_socket_buffer_bytes", 2 * bdp_bytes);
	result_metric_real(res, "theory_queue_bytes", bdp_bytes / sqrt(opts->parallel));
	if (opts->window_bytes)
		result_metric_real(res, "theory_window_bps",
				   some(theory_window_bps(goodput_bps, (double)opts->window_bytes, rtt_ns)));
	for (i = 0; i < ARRAY_SIZE(windows); i++) {
		bps = theory_window_bps(goodput_bps, (double)windows[i], rtt_ns);
		result_entry_open(part);
		result_entry_u64(part, "window_bytes", windows[i]);
		result_entry_real(part, "carried_bps", some(bps));
		result_entry_real(part, "carried_ratio", some(bps / path.link_bps));
		result_entry_close(part);
	}
	result_note(part, "a TCP window counts payload, so these rates are goodput; "
		    "none exceeds the TCP goodput of the link");
	if (bdp_bytes > 65535.0 * (1 << 14))
		result_note(part, "this path needs a window above TCP's maximum (1 GiB, RFC 7323): one connection "
			    "cannot fill it");
}

static void sum_up(const struct calc_opts *opts, struct result *res)
{
	struct theory_stack tcp = stack_of(opts, true, opts->ip), udp = stack_of(opts, false, opts->ip);
	struct theory_path path = path_of(opts);
	double tcp_ratio = theory_goodput_ratio(&path, &tcp);
	double udp_ratio = theory_goodput_ratio(&path, &udp);

	result_metric_real(res, "theory_link_bps", path.link_bps);
	result_metric_real(res, "theory_smallest_pps",
			   path.link_bps / (8.0 * theory_wire_bytes(&path, 1)));
	result_metric_real(res, "theory_largest_pps",
			   path.link_bps / (8.0 * theory_wire_bytes(&path, path.mtu)));
	result_metric_real(res, "theory_tcp_goodput_bps", some(tcp_ratio * path.link_bps));
	result_metric_real(res, "theory_tcp_goodput_ratio", some(tcp_ratio));
	result_metric_real(res, "theory_tcp_duplex_bps", some(theory_both_ways_ratio(&path, &tcp) * path.link_bps));
	result_metric_real(res, "theory_udp_goodput_bps", some(udp_ratio * path.link_bps));
	result_metric_real(res, "theory_udp_goodput_ratio", some(udp_ratio));
	result_metric_real(res, "theory_udp_duplex_bps", some(theory_both_ways_ratio(&path, &udp) * path.link_bps));
}

static int calc_run(const void *args, struct result *res, struct err *e)
{
	const struct calc_opts *opts = args;
	char title[96];

	(void)e;
	sum_up(opts, res);
	tell_frames(opts, result_part(res, PART_OTHER, "frames by size (RFC 2544)"));
	snprintf(title, sizeof(title), "goodput at MTU %u", opts->mtu);
	tell_goodput(opts, result_part(res, PART_ASIDE, title));
	snprintf(title, sizeof(title), "goodput by MTU, TCP with %u bytes of options",
		 opts->options_bytes);
	tell_mtus(opts, result_part(res, PART_ASIDE, title));
	snprintf(title, sizeof(title), "goodput in a tunnel over IPv%s at MTU %u", ips[opts->outer],
		 opts->mtu);
	tell_tunnels(opts, result_part(res, PART_ASIDE, title));
	snprintf(title, sizeof(title), "transactions over IPv%s, frame by frame", ips[opts->ip]);
	tell_transactions(opts, res, result_part(res, PART_ASIDE, title));
	if (opts->rtt_ns)
		tell_windows(opts, res, result_part(res, PART_OTHER, "rate by window"));
	return 0;
}

const struct cmd cmd_calc = {
	.name = "calc",
	.summary = "compute the most that a link can carry: frames, goodput, windows",
	.description =
"Computes upper bounds of a link: frames per second by size, goodput by protocol, MTU and\n"
"tunnel, transactions frame by frame, and with --rtt the bandwidth-delay product, the rate\n"
"of a window, and the buffers that fill the path. It sends and measures nothing, and\n"
"requires no privilege.\n\n"
"The link speed counts every bit on the wire: 38 bytes per frame besides the packet\n"
"(Ethernet header 14, FCS 4, preamble 8, gap 12), frames of at least 64 bytes, and 4 for\n"
"each VLAN tag. With --duplex half both directions share it, and TCP's acknowledgements take\n"
"their part. docs/theory.md derives the formulas.",
	.examples =
"  # a link of 10 Gbit/s\n"
"  ethgauge calc 10G\n"
"  # with jumbo frames, in VXLAN\n"
"  ethgauge calc 25G --mtu 9000 --tunnel vxlan\n"
"  # windows and buffers for a path of 1 Gbit/s and 25 ms\n"
"  ethgauge calc 1G --rtt 25ms\n"
"  # for scripts: the highest TCP goodput\n"
"  ethgauge calc 10G --json | jq .metrics.theory_tcp_goodput_bps\n",
	.options = options,
	.rules = rules,
	.defaults = &defaults,
	.opts_size = sizeof(defaults),
	.run = calc_run,
};
