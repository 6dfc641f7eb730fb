// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * result/metrics_echo.c - the dictionary: figures of requests and answers: reflect, rr and ping.
 */
#include "result/metric_rows.h"

const struct metric reflect_metrics[] = {
	{ "answered_packets", UNIT_COUNT, METRIC_NEITHER, "answered",
	  "packets that the reflector sent back, without those that the driver did not take",
	  .brief = true },
	{ "answered_bytes", UNIT_BYTES, METRIC_NEITHER, "answered bytes",
	  "length of all frames sent back, with FCS; none if the driver did not take some of them" },
	{ "answered_pps", UNIT_PPS, METRIC_HIGHER, "answered rate",
	  "packets sent back / time between the first and the last of them" },
	{ "answered_udp_packets", UNIT_COUNT, METRIC_NEITHER, "  UDP", "UDP packets answered" },
	{ "answered_icmp_packets", UNIT_COUNT, METRIC_NEITHER, "  ICMP echo",
	  "ICMP and ICMPv6 echo requests answered" },
	{ "left_packets", UNIT_COUNT, METRIC_NEITHER, "passed to stack",
	  "packets that the reflector passed to the stack unchanged" },
	{ "left_fragment_packets", UNIT_COUNT, METRIC_NEITHER, "  fragments",
	  "fragments, which are not answered because their ports are unknown" },
	{ "left_unsafe_packets", UNIT_COUNT, METRIC_NEITHER, "  unsafe to answer",
	  "broadcast, multicast, or what could loop: UDP from the own or a well-known port, or of TTL 1" },
	{ "left_other_dest_packets", UNIT_COUNT, METRIC_NEITHER, "  other destination",
	  "test packets to neither an address of the interface nor a prefix of --for" },
	{ "left_malformed_packets", UNIT_COUNT, METRIC_NEITHER, "  malformed",
	  "packets for the reflector with truncated or inconsistent headers" },

	{ "refused_packets", UNIT_COUNT, METRIC_NEITHER, "refused",
	  "packets that the reflector dropped instead of answering" },
	{ "refused_limited_packets", UNIT_COUNT, METRIC_NEITHER, "  over the rate",
	  "packets of a source above --source-rate" },
	{ "refused_short_packets", UNIT_COUNT, METRIC_NEITHER, "  too short",
	  "packets shorter than an answer, which is never longer than its request" },
	{ "refused_forged_packets", UNIT_COUNT, METRIC_NEITHER, "  wrong HMAC",
	  "packets whose HMAC does not match the key" },
	{ "refused_keyless_packets", UNIT_COUNT, METRIC_NEITHER, "  no key for it",
	  "packets of sessions for which --keys has no line" },
	{ "refused_split_packets", UNIT_COUNT, METRIC_NEITHER, "  multi-buffer",
	  "packets that extend beyond the first buffer of a multi-buffer frame, where the program cannot read" },
	{ "refused_looped_packets", UNIT_COUNT, METRIC_NEITHER, "  in a loop",
	  "answers to the reflector's own answers, which another reflector sent" },
	METRICS_END
};

const struct metric rtt_metrics[] = {
	{ "transactions_per_s", UNIT_COUNT, METRIC_HIGHER, "transactions/s",
	  "answered requests / time: tcp and udp after --omit, rr and ping from "
	  "the first request to the last answer, and with --rate the answered share of the rate sent; "
	  "in an interval its length", .brief = true,
	  .level = true },
	{ "transactions_offered_per_s", UNIT_COUNT, METRIC_NEITHER, "offered/s",
	  "requested rate (--rate)", .brief = true },
	{ "given_up_packets", UNIT_COUNT, METRIC_LOWER, "given up",
	  "requests without an answer within --wait, which were replaced by new ones; a later "
	  "answer counts as received, and not as lost", .row = METRIC_ROW_UNLESS_0 },

	{ "rtt_packets", UNIT_COUNT, METRIC_NEITHER, "round trips", "round trips measured",
	  OF("rtt", COUNT) },
	{ "rtt", UNIT_NS, METRIC_LOWER, "round trip", "round trip", .dist = METRIC_DIST_ROWS,
	  .title = "round trip", .brief = true, .shown = 1 << DIST_P50 | 1 << DIST_P99 },
	{ "transaction_packets", UNIT_COUNT, METRIC_NEITHER, "transactions timed",
	  "requests whose answer reached user space within --wait", OF("transaction", COUNT) },
	{ "transaction", UNIT_NS, METRIC_LOWER, "transaction", "time of a transaction",
	  .dist = METRIC_DIST_RESULT, .title = "transaction",
	  .note = ": from when a request was due (its slot, with --rate) until user space had the answer" },
	{ "stack_share_min_ns", UNIT_NS, METRIC_LOWER, "own stack, min",
	  "smallest round trip through a socket - smallest through the driver: the time in this host's stack "
	  "and system calls", OF("stack_share", MIN) },
	{ "stack_share_p50_ns", UNIT_NS, METRIC_LOWER, "own stack, p50",
	  "median round trip through a socket - median through the driver", .brief = true,
	  OF("stack_share", P50) },
	{ "transactions_over_stack", UNIT_NONE, METRIC_HIGHER, "rate relative to stack",
	  "transactions per second through the driver / through a socket, median of the pairs", .brief = true },
	{ "rtt_ipdv_count", UNIT_COUNT, METRIC_NEITHER, "rtt ipdvs",
	  "pairs of consecutive sequence numbers that both arrived with a time",
	  OF("rtt_ipdv", COUNT) },
	{ "rtt_ipdv", UNIT_NS, METRIC_NEITHER, "rtt ipdv", "D(i) - D(i-1), with its sign",
	  .dist = METRIC_DIST_SIGNED, .title = "ipdv",
	  .note = ": D is the round trip, i and i-1 consecutive sequence numbers that both arrived (IPDV, "
	  "RFC 5481); the mean is about 0 unless the round trip drifts" },
	{ "rtt_ipdv_abs", UNIT_NS, METRIC_LOWER, "rtt |ipdv|", "|ipdv|", .dist = METRIC_DIST_RESULT,
	  .title = "|ipdv|" },
	{ "rtt_pdv", UNIT_NS, METRIC_LOWER, "rtt pdv", "D - Dmin", .dist = METRIC_DIST_ABOVE_MIN,
	  .title = "pdv",
	  .note = ": D is the round trip, Dmin the smallest (PDV, RFC 5481; that of RFC 8219 is its p99.9)" },
	{ "rtt_jitter_rfc3550_ns", UNIT_NS, METRIC_LOWER, "rtt jitter (RFC 3550)",
	  "interarrival jitter at the end of the run: |change of the round trip| from arrival to "
	  "arrival, smoothed by 1/16 (RFC 3550 A.8); of several streams or connections the mean" },
	{ "rtt_jitter_rfc3550_max_ns", UNIT_NS, METRIC_LOWER, "rtt jitter, worst",
	  "largest interarrival jitter of a stream or connection (RFC 3550 A.8)",
	  OF("rtt_jitter_rfc3550", MAX) },
	{ "rtt_negative_packets", UNIT_COUNT, METRIC_LOWER, "rtt negative",
	  "answers with T3 - T2 above T4 - T1: the reflector's clock was set, or is wrong" },
	METRICS_END
};
