// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * result/metrics.c - the dictionary: the only source of text labels, JSON keys,
 * compare's direction and the glossary.
 */
#include "result/metrics.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"

/*
 * The rows of a distribution (lib/dist.h): of one in intervals' rows too, of one in the result
 * alone, without the smallest value, or of values with a sign, which have no percentiles.
 * @of: what is measured, "one-way delay"; @note defines it, in the text of the first row.
 */
enum { DIST_BRIEF = 1, DIST_PEAK = 2, DIST_LINE_P50 = 4, DIST_LINE_P99 = 8 };

#define OF(family_, stat_) .family = (family_), .stat = DIST_##stat_

#define DIST_IN_LINE(id, flags) \
	((DIST_##id == DIST_P50 && ((flags) & DIST_LINE_P50)) || \
	 (DIST_##id == DIST_P99 && ((flags) & DIST_LINE_P99)))

#define DIST_ROW(id, word, head, text, family, label_, title_, better_, flags) \
	{ family "_" word "_ns", UNIT_NS, better_, label_ " " head, text, OF(family, id), \
	  .title = title_, .brief = DIST_##id == DIST_MIN && ((flags) & DIST_BRIEF), \
	  .peak = DIST_##id == DIST_MAX && ((flags) & DIST_PEAK), \
	  .row = DIST_IN_LINE(id, flags) ? METRIC_ROW_SHOWN : METRIC_ROW_LEFT_OUT },
#define DIST_FIRST(id, share, word, head, before, family, label, title, of, better, exact, note, flags) \
	DIST_ROW(id, word, head, before of exact note, family, label, title, better, flags)
#define DIST_EXACT(id, share, word, head, before, family, label, title, of, better, exact, note, flags) \
	DIST_ROW(id, word, head, before of exact, family, label, title, better, flags)
#define DIST_ROUNDED(id, share, word, head, before, family, label, title, of, better, exact, note, flags) \
	DIST_ROW(id, word, head, before of, family, label, title, better, flags)

#define DIST_ALL(family, label, title, of, better, exact, note, flags) \
	DIST_MINIMUM(DIST_FIRST, family, label, title, of, better, exact, note, flags) \
	DIST_AVERAGE(DIST_EXACT, family, label, title, of, better, ", exact", note, flags) \
	DIST_PERCENTILES(DIST_ROUNDED, family, label, title, of, better, exact, note, flags) \
	DIST_MAXIMUM(DIST_EXACT, family, label, title, of, better, exact, note, flags) \
	DIST_DEVIATION(DIST_EXACT, family, label, title, of, better, \
		       ", exact: the root of the mean square of the distances from the mean, as the mdev " \
		       "of ping", note, flags)
#define DIST_ROWS(family, label, title, of, better, note, flags) \
	DIST_ALL(family, label, title, of, better, ", exact; of an interval to its bucket", note, flags)
#define DIST_RESULT(family, label, title, of, better, note, flags) \
	DIST_ALL(family, label, title, of, better, ", exact", note, flags)
#define DIST_ABOVE_MIN(family, label, title, of, better, note, flags) \
	DIST_AVERAGE(DIST_FIRST, family, label, title, of, better, ", exact", note, flags) \
	DIST_PERCENTILES(DIST_ROUNDED, family, label, title, of, better, ", exact", note, flags) \
	DIST_MAXIMUM(DIST_EXACT, family, label, title, of, better, ", exact", note, flags)
#define DIST_SIGNED(family, label, title, of, better, note, flags) \
	DIST_MINIMUM(DIST_FIRST, family, label, title, of, better, ", exact", note, flags) \
	DIST_AVERAGE(DIST_EXACT, family, label, title, of, better, ", exact", note, flags) \
	DIST_MAXIMUM(DIST_EXACT, family, label, title, of, better, ", exact", note, flags)

/* One direction of a round trip; @d: what D is. */
#define WAY_METRICS(out, d) \
	{ out "_packets", UNIT_COUNT, METRIC_NEITHER, out " delays", \
	  "delays measured in this direction, negative ones excluded", \
	  OF(out, COUNT) }, \
	{ out "_negative_packets", UNIT_COUNT, METRIC_LOWER, out " negative", \
	  "delays below 0, as the clocks differ by more than the delay; excluded from its figures" }, \
	DIST_ROWS(out, out, "one-way " out, "D", METRIC_LOWER, ": " d, DIST_LINE_P50)

#define WAY_VARIATION_METRICS(out) \
	{ out "_ipdv_count", UNIT_COUNT, METRIC_NEITHER, out " ipdvs", \
	  "pairs of consecutive sequence numbers that both arrived within 64 numbers", \
	  OF(out "_ipdv", COUNT) }, \
	DIST_SIGNED(out "_ipdv", out " ipdv", "  ipdv", "D(i) - D(i-1), with its sign", METRIC_NEITHER, \
		    " (RFC 5481)", 0) \
	DIST_RESULT(out "_ipdv_abs", out " |ipdv|", "  |ipdv|", "|ipdv|", METRIC_LOWER, "", 0) \
	DIST_ABOVE_MIN(out "_pdv", out " pdv", "  pdv", "D - Dmin", METRIC_LOWER, \
		       " (PDV, RFC 5481; that of RFC 8219 is its p99.9)", 0) \
	{ out "_jitter_rfc3550_ns", UNIT_NS, METRIC_LOWER, out " jitter RFC 3550", \
	  "|change of D| from answer to answer, smoothed by 1/16 (RFC 3550 A.8); of several " \
	  "sessions the mean" },

static const struct metric metrics[] = {
	{ "elapsed_ns", UNIT_NS, METRIC_NEITHER, "elapsed", "time since the start of the run" },
	{ "duration_ns", UNIT_NS, METRIC_NEITHER, "duration",
	  "time between the first and the last packet of the run" },

	{ "offered_pps", UNIT_PPS, METRIC_NEITHER, "offered rate",
	  "requested packets per second" },
	{ "sent_packets", UNIT_COUNT, METRIC_NEITHER, "sent",
	  "packets that the driver's transmit function accepted", .brief = true },
	{ "sent_bytes", UNIT_BYTES, METRIC_NEITHER, "sent bytes",
	  "length of all frames sent, with FCS" },
	{ "sent_pps", UNIT_PPS, METRIC_HIGHER, "sent rate", "packets sent / duration" },
	{ "sent_l1_bps", UNIT_BPS, METRIC_HIGHER, "sent rate, L1",
	  "bits a second on the wire: frame, FCS, preamble, start delimiter and gap (RFC 2544)" },
	{ "sent_l2_bps", UNIT_BPS, METRIC_HIGHER, "sent rate, L2",
	  "bits a second of frames with their FCS" },
	{ "not_sent_packets", UNIT_COUNT, METRIC_LOWER, "refused by driver",
	  "packets that the driver did not take for transmission" },

	{ "replay_read_packets", UNIT_COUNT, METRIC_NEITHER, "read from file",
	  "packets of the capture file that were processed, in all loops: sent, refused and "
	  "skipped" },
	{ "replay_skipped_packets", UNIT_COUNT, METRIC_LOWER, "skipped",
	  "packets of the capture file that cannot be sent: cut by the snap length, longer "
	  "than the interface's MTU allows, or shorter than an Ethernet header" },
	{ "replay_tagged_packets", UNIT_COUNT, METRIC_NEITHER, "tagged",
	  "packets of the capture file that were sent with the probe tag in their UDP payload" },
	{ "saved_packets", UNIT_COUNT, METRIC_NEITHER, "saved",
	  "packets written to a capture file instead of being sent" },

	{ "tested_ns", UNIT_NS, METRIC_NEITHER, "tested",
	  "time over which rates are computed, without --omit" },
	{ "payload_sent_bytes", UNIT_BYTES, METRIC_NEITHER, "sent",
	  "payload that the sender's kernel accepted, in the whole run", .brief = true },
	{ "payload_received_bytes", UNIT_BYTES, METRIC_NEITHER, "received",
	  "payload that the receiving application read, in the whole run", .brief = true },
	{ "payload_sent_bps", UNIT_BPS, METRIC_HIGHER, "sent rate",
	  "payload that the sender's kernel accepted per second, which includes filling its buffers",
	  .brief = true },
	{ "payload_received_bps", UNIT_BPS, METRIC_HIGHER, "received rate",
	  "payload that the receiving application read per second (goodput)", .brief = true },
	{ "tcp_retransmits", UNIT_COUNT, METRIC_LOWER, "retransmitted",
	  "segments retransmitted by the sender's TCP (tcp_info)", .brief = true },
	{ "tcp_rtt_ns", UNIT_NS, METRIC_LOWER, "srtt",
	  "smoothed round-trip time of TCP (tcp_info), mean over the sending connections" },
	{ "tcp_cwnd_packets", UNIT_COUNT, METRIC_NEITHER, "cwnd",
	  "congestion window of TCP in segments (tcp_info), sum over the sending connections",
	  .level = true },
	{ "tcp_delivery_bps", UNIT_BPS, METRIC_HIGHER, "delivery rate",
	  "latest rate of acknowledged data (tcp_info)" },
	{ "tcp_busy_ns", UNIT_NS, METRIC_NEITHER, "busy",
	  "time with unsent or unacknowledged data (tcp_info)", .row = METRIC_ROW_LEFT_OUT },
	{ "tcp_rwnd_limited_ns", UNIT_NS, METRIC_LOWER, "limited by receiver",
	  "time in which the receiver's window limited sending (tcp_info)",
	  .row = METRIC_ROW_LEFT_OUT },
	{ "tcp_sndbuf_limited_ns", UNIT_NS, METRIC_LOWER, "limited by buffer",
	  "time in which the send buffer limited sending (tcp_info)",
	  .row = METRIC_ROW_LEFT_OUT },
	{ "datagrams_sent", UNIT_COUNT, METRIC_NEITHER, "datagrams sent",
	  "datagrams that the sender's kernel accepted, in the whole run", .brief = true },
	{ "datagrams_received", UNIT_COUNT, METRIC_NEITHER, "datagrams received",
	  "datagrams that the receiving application read, duplicates included", .brief = true },
	{ "datagrams_refused", UNIT_COUNT, METRIC_LOWER, "datagrams refused",
	  "datagrams that the sender's kernel refused: queue full, or an ICMP error" },
	{ "datagrams_lost", UNIT_COUNT, METRIC_LOWER, "datagrams lost",
	  "datagrams sent - distinct datagrams received, in the whole run", .brief = true },
	{ "datagrams_lost_ratio", UNIT_RATIO, METRIC_LOWER, "datagram loss",
	  "datagrams lost / datagrams sent", .brief = true },
	{ "datagrams_duplicate", UNIT_COUNT, METRIC_LOWER, "duplicate datagrams",
	  "datagrams whose number had arrived before; they never repair a loss" },
	{ "datagrams_reordered", UNIT_COUNT, METRIC_LOWER, "datagrams reordered",
	  "datagrams whose number is below the next expected one (RFC 4737)" },
	{ "datagram_sequence", UNIT_COUNT, METRIC_NEITHER, "datagram number",
	  "number of the datagram that arrived at this time (--arrivals)", .level = true },
	{ "datagram_delay_ns", UNIT_NS, METRIC_LOWER, "datagram delay",
	  "delay of the datagram that arrived at this time, up to the receiver's kernel, if both ends "
	  "share a clock",
	  .level = true },
	{ "datagrams_unknown", UNIT_COUNT, METRIC_LOWER, "datagrams unknown",
	  "datagrams too late to distinguish reordering from duplication" },
	{ "transactions", UNIT_COUNT, METRIC_NEITHER, "transactions",
	  "requests whose response arrived, in the whole run", .brief = true },
	{ "requests_sent", UNIT_COUNT, METRIC_NEITHER, "requests sent",
	  "requests sent, or connections started, in the whole run" },
	{ "requests_answered", UNIT_COUNT, METRIC_NEITHER, "requests answered",
	  "requests that the server answered, in the whole run" },
	{ "requests_timed_out", UNIT_COUNT, METRIC_LOWER, "requests timed out",
	  "UDP requests without a response within 0.5 s, or aborted connections" },
	{ "requests_not_sent", UNIT_COUNT, METRIC_LOWER, "requests not sent",
	  "requests that were due (--rate) but not sent by the end" },
	{ "client_cpu_ratio", UNIT_CPUS, METRIC_LOWER, "client CPU",
	  "cores that the client's threads of the test kept busy", .line = "client" },
	{ "client_host_cpu_ratio", UNIT_CPUS, METRIC_LOWER, "host",
	  "busy cores of the client's host, for any purpose (/proc/stat)", .line = "client" },
	{ "client_service_kib_ns", UNIT_NS, METRIC_LOWER, "per KiB",
	  "CPU time of the client's host per 1024 bytes of payload, netperf's service demand; only of its "
	  "threads if both ends are on one host", .line = "client" },
	{ "client_service_transaction_ns", UNIT_NS, METRIC_LOWER, "per transaction",
	  "the same per transaction", .line = "client" },
	{ "server_cpu_ratio", UNIT_CPUS, METRIC_LOWER, "server CPU",
	  "cores that the server's threads of the test kept busy", .line = "server" },
	{ "server_host_cpu_ratio", UNIT_CPUS, METRIC_LOWER, "host",
	  "busy cores of the server's host, for any purpose (/proc/stat)", .line = "server" },
	{ "server_service_kib_ns", UNIT_NS, METRIC_LOWER, "per KiB",
	  "CPU time of the server's host per 1024 bytes of payload; only of its threads if both "
	  "ends are on one host", .line = "server" },
	{ "server_service_transaction_ns", UNIT_NS, METRIC_LOWER, "per transaction",
	  "the same per transaction", .line = "server" },
	{ "zerocopy_copied_ratio", UNIT_RATIO, METRIC_LOWER, "zero-copy copied",
	  "share of the sends with MSG_ZEROCOPY that the kernel copied nevertheless, as on "
	  "loopback and veth" },
	{ "runs", UNIT_COUNT, METRIC_NEITHER, "runs", "runs of the test" },
	{ "confidence_level_ratio", UNIT_RATIO, METRIC_NEITHER, "confidence level",
	  "confidence level of the interval (--confidence)",
	  .line = "confidence" },
	{ "confidence_width_ratio", UNIT_RATIO, METRIC_LOWER, "interval",
	  "width of the confidence interval of the mean, by Student's t / mean",
	  .line = "confidence" },
	{ "served_clients", UNIT_COUNT, METRIC_NEITHER, "clients", "clients accepted" },
	{ "served_tests", UNIT_COUNT, METRIC_NEITHER, "tests", "tests completed" },
	{ "refused_clients", UNIT_COUNT, METRIC_NEITHER, "clients refused",
	  "clients refused because --max-clients, --max-per-address or the places for new connections were taken" },
	{ "refused_keys", UNIT_COUNT, METRIC_NEITHER, "keys refused",
	  "clients without the server's key" },
	{ "refused_tests", UNIT_COUNT, METRIC_NEITHER, "tests refused",
	  "tests beyond the server's limits, or invalid" },
	{ "tests_memory_max_bytes", UNIT_BYTES, METRIC_NEITHER, "memory of tests",
	  "most memory that the tests of all clients took at once, without the kernel's" },
	{ "malformed_messages", UNIT_COUNT, METRIC_NEITHER, "malformed",
	  "clients disconnected for an invalid or unexpected control message" },

	{ "received_packets", UNIT_COUNT, METRIC_NEITHER, "received",
	  "test packets that arrived, duplicates included", .brief = true },
	{ "received_bytes", UNIT_BYTES, METRIC_NEITHER, "received bytes",
	  "length of all frames received, with FCS" },
	{ "received_pps", UNIT_PPS, METRIC_HIGHER, "received rate",
	  "packets received / time between the first and the last of them", .brief = true },
	{ "received_l1_bps", UNIT_BPS, METRIC_HIGHER, "received rate, L1",
	  "bits a second on the wire: frame, FCS, preamble, start delimiter and gap (RFC 2544)", .brief = true },
	{ "received_l2_bps", UNIT_BPS, METRIC_HIGHER, "received rate, L2",
	  "bits a second of frames with their FCS" },
	{ "distinct_packets", UNIT_COUNT, METRIC_NEITHER, "distinct",
	  "tagged packets received, each sequence number counted once", .row = METRIC_ROW_LEFT_OUT },
	{ "streams", UNIT_COUNT, METRIC_NEITHER, "streams", "tagged streams seen", .level = true },
	{ "stream", UNIT_NONE, METRIC_NEITHER, "stream", "number of a stream, as its tag has it" },
	{ "untagged_packets", UNIT_COUNT, METRIC_NEITHER, "untagged",
	  "test packets without a probe tag: counted, but neither timed nor checked for order" },
	{ "foreign_packets", UNIT_COUNT, METRIC_NEITHER, "other traffic",
	  "packets that did not match the filter and went on to the stack" },
	{ "other_mac_packets", UNIT_COUNT, METRIC_LOWER, "to other MACs",
	  "sink --own-mac: test packets to another unicast MAC address than the interface's: passed to the "
	  "stack, and in no other figure", .brief = true },
	{ "other_stream_packets", UNIT_COUNT, METRIC_NEITHER, "other streams",
	  "tagged packets whose stream number is beyond the table: counted, but not checked" },
	{ "bad_checksum_packets", UNIT_COUNT, METRIC_LOWER, "bad checksum",
	  "test packets with a wrong IPv4 header checksum or L4 checksum: counted as received, and in no "
	  "figure of order, loss and delay" },
	{ "bad_payload_packets", UNIT_COUNT, METRIC_LOWER, "bad payload",
	  "tagged packets without a wrong checksum whose payload is not the one sent (sink: with "
	  "--verify-payload): counted as received, and in no figure of order, loss and delay" },
	{ "unverified_packets", UNIT_COUNT, METRIC_NEITHER, "not verified",
	  "test packets without an L4 checksum that the receiver could verify: damage in them is not found" },

	{ "load_clients", UNIT_COUNT, METRIC_NEITHER, "clients", "clients at work: begun and not done",
	  .level = true },
	{ "load_in_flight", UNIT_COUNT, METRIC_NEITHER, "under way",
	  "requests that were sent, or wait for their connection, and have no whole answer",
	  .level = true, .row = METRIC_ROW_LEFT_OUT },
	{ "load_transactions", UNIT_COUNT, METRIC_NEITHER, "transactions",
	  "URLs fetched or sent, with the redirections that were followed; failed ones, too",
	  .brief = true },
	{ "load_transactions_per_s", UNIT_COUNT, METRIC_HIGHER, "transactions/s",
	  "transactions / elapsed time", .brief = true },
	{ "load_offered_per_s", UNIT_NONE, METRIC_NEITHER, "offered/s",
	  "requested transactions per second" },
	{ "load_behind", UNIT_COUNT, METRIC_LOWER, "due, not started",
	  "transactions that were due by --rate, but found no free client until the end" },
	{ "load_cycles", UNIT_COUNT, METRIC_NEITHER, "cycles",
	  "completed rounds of all URLs, over all clients" },
	{ "load_requests", UNIT_COUNT, METRIC_NEITHER, "requests",
	  "completed requests: one per transaction, and one for each redirect followed" },
	{ "load_redirects", UNIT_COUNT, METRIC_NEITHER, "redirects",
	  "redirects that were followed" },
	{ "load_connections", UNIT_COUNT, METRIC_NEITHER, "connections",
	  "connections made, with FTP's data connections" },
	{ "load_connections_per_s", UNIT_NONE, METRIC_HIGHER, "connections/s",
	  "connections made / elapsed time" },
	{ "load_reused", UNIT_COUNT, METRIC_NEITHER, "on kept connections",
	  "requests answered on an existing connection" },
	{ "load_clients_max", UNIT_COUNT, METRIC_NEITHER, "clients, maximum",
	  "largest number of active clients", .peak = true },
	{ "load_in_flight_max", UNIT_COUNT, METRIC_NEITHER, "in flight, maximum",
	  "largest number of concurrent requests", .peak = true },
	{ "load_sockets_max", UNIT_COUNT, METRIC_NEITHER, "sockets, maximum",
	  "largest number of open sockets, idle connections included", .peak = true },
	{ "load_received_bytes", UNIT_BYTES, METRIC_NEITHER, "received",
	  "bytes of answers without headers, partial ones included; with FTP, files and listings" },
	{ "load_received_header_bytes", UNIT_BYTES, METRIC_NEITHER, "received headers",
	  "bytes of the headers of answers" },
	{ "load_received_bps", UNIT_BPS, METRIC_HIGHER, "received rate",
	  "bits per second of answers without headers", .brief = true, .row = METRIC_ROW_UNLESS_0 },
	{ "load_sent_bytes", UNIT_BYTES, METRIC_NEITHER, "sent",
	  "bytes of request bodies and files sent" },
	{ "load_sent_header_bytes", UNIT_BYTES, METRIC_NEITHER, "sent headers",
	  "bytes of requests without their bodies" },
	{ "load_sent_bps", UNIT_BPS, METRIC_HIGHER, "sent rate",
	  "bits per second of request bodies and files sent", .row = METRIC_ROW_UNLESS_0 },
	{ "load_failed", UNIT_COUNT, METRIC_LOWER, "failed",
	  "transactions without a complete answer, with status 4xx or 5xx, or with more "
	  "redirects than allowed", .brief = true },
	{ "load_failed_4xx", UNIT_COUNT, METRIC_LOWER, "4xx",
	  "failed transactions: HTTP status 400 to 499, or FTP reply 4xx",
	  .line = "failed by kind" },
	{ "load_failed_5xx", UNIT_COUNT, METRIC_LOWER, "5xx",
	  "failed transactions: HTTP status 500 to 599, or FTP reply 5xx",
	  .line = "failed by kind" },
	{ "load_failed_resolve", UNIT_COUNT, METRIC_LOWER, "resolve",
	  "failed transactions: name not resolved",
	  .line = "failed by kind" },
	{ "load_failed_connect", UNIT_COUNT, METRIC_LOWER, "connect",
	  "failed transactions: connection refused, or no route",
	  .line = "failed by kind" },
	{ "load_failed_connect_timeout", UNIT_COUNT, METRIC_LOWER, "connect timeout",
	  "failed transactions: no connection within --connect-timeout, TLS and FTP login included",
	  .line = "failed by kind" },
	{ "load_failed_tls", UNIT_COUNT, METRIC_LOWER, "TLS",
	  "failed transactions: TLS handshake failed, or certificate not accepted",
	  .line = "failed by kind" },
	{ "load_failed_timeout", UNIT_COUNT, METRIC_LOWER, "timeout",
	  "failed transactions: connected, but no complete answer within --timeout",
	  .line = "failed by kind" },
	{ "load_failed_partial", UNIT_COUNT, METRIC_LOWER, "cut short",
	  "failed transactions: incomplete answer",
	  .line = "failed by kind" },
	{ "load_failed_broken", UNIT_COUNT, METRIC_LOWER, "broken",
	  "failed transactions: connection closed before an answer, or while sending",
	  .line = "failed by kind" },
	{ "load_failed_redirects", UNIT_COUNT, METRIC_LOWER, "redirects",
	  "failed transactions: more redirects than --follow allows",
	  .line = "failed by kind" },
	{ "load_failed_local", UNIT_COUNT, METRIC_LOWER, "this host",
	  "failed transactions: this host had no free port, source address, file descriptor or memory",
	  .line = "failed by kind" },
	{ "load_failed_other", UNIT_COUNT, METRIC_LOWER, "other",
	  "failed transactions: protocol error, or any other reason",
	  .line = "failed by kind" },
	{ "load_cut", UNIT_COUNT, METRIC_NEITHER, "cut at the end",
	  "transactions in progress at the end of the run: not failed, and in no other figure "
	  "except received bytes" },
	DIST_RESULT("load_connect", "connect", "connect", "time to connect", METRIC_LOWER,
	  ": from the resolved name to the connection, for new ones", DIST_PEAK)
	DIST_RESULT("load_tls", "TLS", "TLS handshake", "time of the TLS handshake", METRIC_LOWER,
	  ", for new connections", DIST_PEAK)
	DIST_RESULT("load_first_byte", "first byte", "first byte", "time to the first byte",
	  METRIC_LOWER, " of the answer, from the start of a request, connecting included",
	  DIST_PEAK)
	DIST_ROWS("load_total", "total", "total", "time of a transaction with a complete answer",
	  METRIC_LOWER,
	  ", of any status: from its start, or with --rate from when it was due, to the end of "
	  "the last answer", DIST_PEAK | DIST_LINE_P50 | DIST_LINE_P99)

	{ "record_packets", UNIT_COUNT, METRIC_NEITHER, "recorded",
	  "packets with a record in the file of --records" },
	{ "record_lost_packets", UNIT_COUNT, METRIC_LOWER, "not recorded",
	  "packets without a record, as the ring was full; all other figures count them" },

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
	{ "stamp_sessions", UNIT_COUNT, METRIC_NEITHER, "sessions",
	  "new sessions: addresses, ports and session identifier not seen for 15 minutes" },
	{ "stamp_not_sent_packets", UNIT_COUNT, METRIC_LOWER, "not sent",
	  "scheduled packets that the socket refused, or that this process was too late "
	  "for; in no other figure" },
	{ "stamp_malformed_packets", UNIT_COUNT, METRIC_LOWER, "malformed answers",
	  "answers that are too short, or have impossible numbers or times; otherwise ignored" },
	{ "stamp_forged_packets", UNIT_COUNT, METRIC_LOWER, "wrong HMAC",
	  "answers whose HMAC does not match the key; otherwise ignored" },
	{ "stamp_foreign_packets", UNIT_COUNT, METRIC_LOWER, "other session",
	  "answers with another session's identifier; otherwise ignored" },
	{ "stamp_refused_packets", UNIT_COUNT, METRIC_LOWER, "refused by ICMP",
	  "ICMP port unreachable messages" },
	{ "stamp_late_max_ns", UNIT_NS, METRIC_LOWER, "latest to schedule",
	  "longest time that a packet was sent after its scheduled time; not part of any delay",
	  OF("stamp_late", MAX) },
	{ "out_lost_packets", UNIT_COUNT, METRIC_LOWER, "lost outbound",
	  "packets lost before the reflector, by the numbers of its answers" },
	{ "back_lost_packets", UNIT_COUNT, METRIC_LOWER, "lost on return",
	  "answers lost, by missing numbers of the answers" },
	{ "unplaced_lost_packets", UNIT_COUNT, METRIC_LOWER, "lost, unknown",
	  "packets lost in an unknown direction: all with a stateless reflector, and those "
	  "after the last answer" },
	{ "out_duplicate_packets", UNIT_COUNT, METRIC_LOWER, "duplicated out",
	  "further answers, with new numbers, to a request that was already answered" },
	{ "back_duplicate_packets", UNIT_COUNT, METRIC_LOWER, "duplicated back",
	  "answers whose number had already arrived" },
	{ "out_reordered_packets", UNIT_COUNT, METRIC_LOWER, "reordered out",
	  "requests whose number is below that of one answered before, in the order of the answers' "
	  "numbers (RFC 4737)" },
	{ "back_reordered_packets", UNIT_COUNT, METRIC_LOWER, "reordered back",
	  "answers whose number is below the next expected, duplicates left out (RFC 4737)" },
	{ "reflector_restarts", UNIT_COUNT, METRIC_LOWER, "reflector restarts",
	  "times that the numbering of answers restarted" },
	{ "out_ttl", UNIT_COUNT, METRIC_NEITHER, "TTL, reflector",
	  "TTL or hop limit of the last request at the reflector", .level = true },
	{ "back_ttl", UNIT_COUNT, METRIC_NEITHER, "TTL, answer",
	  "TTL or hop limit of the last answer at this host", .level = true },
	WAY_METRICS("out", "T2 - T1, the one-way delay to the reflector")
	WAY_VARIATION_METRICS("out")
	WAY_METRICS("back", "T4 - T3, the one-way delay from the reflector")
	WAY_VARIATION_METRICS("back")
	{ "sender_clock_error_ns", UNIT_NS, METRIC_LOWER, "clock error, sender",
	  "bound of this host's clock error, as sent in the test packets (Error Estimate)" },
	{ "reflector_clock_error_ns", UNIT_NS, METRIC_LOWER, "clock error, reflector",
	  "bound of the reflector's clock error, from its last answer" },
	{ "one_way_error_ns", UNIT_NS, METRIC_LOWER, "one-way error",
	  "sum of both clock errors, the error bound of a one-way delay" },
	{ "stamp_tlvs", UNIT_COUNT, METRIC_NEITHER, "extensions",
	  "extensions (TLVs, RFC 8972) in the answered packets" },
	{ "stamp_unknown_tlvs", UNIT_COUNT, METRIC_NEITHER, "  unknown",
	  "extensions of an unknown type or value: flag U in the answer" },
	{ "stamp_malformed_tlvs", UNIT_COUNT, METRIC_NEITHER, "  malformed",
	  "extensions with an impossible length: flag M in the answer; what follows is returned unchanged" },
	{ "stamp_unproven_tlvs", UNIT_COUNT, METRIC_NEITHER, "  not intact",
	  "extensions whose HMAC is wrong or missing: flag I in the answer" },
	{ "stamp_repaired_packets", UNIT_COUNT, METRIC_NEITHER, "checksums completed",
	  "packets whose checksum offload no NIC had completed, as on veth" },
	DIST_RESULT("turnaround", "turnaround", "in the reflector", "T3 - T2", METRIC_LOWER,
	  ": from the timestamp of a request to that of its answer", DIST_PEAK)
	{ "follow_up_mean_ns", UNIT_NS, METRIC_LOWER, "follow-up - T3",
	  "mean time from T3 to the actual sending of the answer, by follow-up telemetry (RFC 8972)",
	  OF("follow_up", MEAN) },

	{ "lost_packets", UNIT_COUNT, METRIC_LOWER, "lost",
	  "sent - distinct received, late arrivals not lost; if the sender's count is "
	  "unknown, the missing sequence numbers", .brief = true },
	{ "lost_ratio", UNIT_RATIO, METRIC_LOWER, "loss", "lost / (lost + distinct received)" },
	{ "loss_threshold_ns", UNIT_NS, METRIC_NEITHER, "loss threshold",
	  "a packet that has not arrived this long after the last was sent counts as lost (RFC 7679 3.8.2)" },
	{ "lost_runs", UNIT_COUNT, METRIC_LOWER, "loss periods",
	  "periods of one or more consecutive lost sequence numbers (loss periods, RFC 3357), also "
	  "before the first and after the highest that arrived if the sender's count is known; a "
	  "late packet in the window of 4096 ends none" },
	{ "lost_run_mean", UNIT_NONE, METRIC_LOWER, "  mean length",
	  "sequence numbers lost in loss periods / loss periods" },
	{ "lost_run_max", UNIT_COUNT, METRIC_LOWER, "  longest",
	  "largest number of consecutive lost sequence numbers (RFC 3357)" },
	{ "duplicate_packets", UNIT_COUNT, METRIC_LOWER, "duplicates",
	  "packets whose sequence number had arrived before; they never repair a loss", .brief = true, .row = METRIC_ROW_UNLESS_0 },
	{ "reordered_packets", UNIT_COUNT, METRIC_LOWER, "reordered",
	  "packets whose sequence number is below the next expected one (RFC 4737)", .brief = true, .row = METRIC_ROW_UNLESS_0 },
	{ "reordered_ratio", UNIT_RATIO, METRIC_LOWER, "reordered ratio",
	  "reordered / distinct received (RFC 4737)" },
	{ "reordered_distance_max", UNIT_COUNT, METRIC_LOWER, "furthest reordered",
	  "largest difference between the highest sequence number so far and that of a reordered packet",
	  .level = true },
	{ "reordered_extent_mean", UNIT_NONE, METRIC_LOWER, "  mean extent",
	  "mean of i - j over the reordered packets, where the packet arrived i-th, and the first with a "
	  "larger sequence number j-th (RFC 4737 4.2)" },
	{ "reordered_extent_max", UNIT_COUNT, METRIC_LOWER, "  largest extent",
	  "largest reordering extent: packets that a receiver must buffer to restore the order "
	  "(RFC 4737 4.2)" },
	{ "n_reordered_1_packets", UNIT_COUNT, METRIC_LOWER, "  1-reordered",
	  "packets directly after one with a larger sequence number (RFC 4737 5)" },
	{ "n_reordered_3_packets", UNIT_COUNT, METRIC_LOWER, "  3-reordered",
	  "packets after 3 with larger sequence numbers, at which TCP assumes a loss "
	  "(RFC 4737 5)" },
	{ "n_reordered_3_ratio", UNIT_RATIO, METRIC_LOWER, "  3-reordered ratio",
	  "3-reordered / distinct received: the degree of 3-reordering (RFC 4737 5)" },
	{ "n_reordered_max", UNIT_COUNT, METRIC_LOWER, "  largest n",
	  "largest n of n-reordering (RFC 4737 5); 128 means 128 or more" },
	{ "late_time_packets", UNIT_COUNT, METRIC_NEITHER, "  late times",
	  "reordered packets with a measured late time", OF("late_time", COUNT) },
	DIST_RESULT("late_time", "late time", "late by", "late time", METRIC_LOWER,
	  ": since the first arrival with a larger sequence number (RFC 4737 4.3)", 0)
	{ "unknown_packets", UNIT_COUNT, METRIC_LOWER, "unknown",
	  "packets too late to distinguish from duplicates; counted as arrived, not as lost" },
	{ "implausible_packets", UNIT_COUNT, METRIC_LOWER, "implausible",
	  "packets whose sequence number no other packet confirmed: in no figure of order and loss" },
	{ "locked_out_packets", UNIT_COUNT, METRIC_LOWER, "locked out",
	  "packets that were not checked, as another CPU did not release the lock of their stream; counted as lost" },
	{ "other_run_packets", UNIT_COUNT, METRIC_NEITHER, "other runs",
	  "tagged packets of another sender or an earlier run: not checked, not lost" },
	{ "unseen_before_packets", UNIT_COUNT, METRIC_NEITHER, "before the first",
	  "sequence numbers before the first that arrived: lost, or sent before the sink started" },
	{ "restarts", UNIT_COUNT, METRIC_NEITHER, "sender restarts",
	  "times that a stream's numbering restarted" },

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
	DIST_ROWS("rtt", "round trip", "round trip", "round trip", METRIC_LOWER, "",
	  DIST_BRIEF | DIST_LINE_P50 | DIST_LINE_P99)
	{ "transaction_packets", UNIT_COUNT, METRIC_NEITHER, "transactions timed",
	  "requests whose answer reached user space within --wait", OF("transaction", COUNT) },
	DIST_RESULT("transaction", "transaction", "transaction", "time of a transaction",
	  METRIC_LOWER,
	  ": from when a request was due (its slot, with --rate) until user space had the answer", 0)
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
	DIST_SIGNED("rtt_ipdv", "rtt ipdv", "ipdv", "D(i) - D(i-1), with its sign", METRIC_NEITHER,
	  ": D is the round trip, i and i-1 consecutive sequence numbers that both arrived (IPDV, "
	  "RFC 5481); the mean is about 0 unless the round trip drifts", 0)
	DIST_RESULT("rtt_ipdv_abs", "rtt |ipdv|", "|ipdv|", "|ipdv|", METRIC_LOWER, "", 0)
	DIST_ABOVE_MIN("rtt_pdv", "rtt pdv", "pdv", "D - Dmin", METRIC_LOWER,
	  ": D is the round trip, Dmin the smallest (PDV, RFC 5481; that of RFC 8219 is its p99.9)",
	  0)
	{ "rtt_jitter_rfc3550_ns", UNIT_NS, METRIC_LOWER, "rtt jitter (RFC 3550)",
	  "interarrival jitter at the end of the run: |change of the round trip| from arrival to "
	  "arrival, smoothed by 1/16 (RFC 3550 A.8); of several streams or connections the mean" },
	{ "rtt_jitter_rfc3550_max_ns", UNIT_NS, METRIC_LOWER, "rtt jitter, worst",
	  "largest interarrival jitter of a stream or connection (RFC 3550 A.8)",
	  OF("rtt_jitter_rfc3550", MAX) },
	{ "rtt_negative_packets", UNIT_COUNT, METRIC_LOWER, "rtt negative",
	  "answers with T3 - T2 above T4 - T1: the reflector's clock was set, or is wrong" },
	{ "delay_packets", UNIT_COUNT, METRIC_NEITHER, "delays", "one-way delays measured",
	  OF("delay", COUNT) },
	DIST_ROWS("delay", "delay", "one-way delay", "one-way delay", METRIC_LOWER, "",
	  DIST_BRIEF | DIST_LINE_P50 | DIST_LINE_P99)
	{ "delay_negative_packets", UNIT_COUNT, METRIC_LOWER, "negative delays",
	  "packets with a timestamp in the receiver's future: the clocks of both ends differ" },
	{ "ipdv_count", UNIT_COUNT, METRIC_NEITHER, "ipdvs",
	  "pairs of consecutive sequence numbers that both arrived with a time",
	  OF("ipdv", COUNT) },
	DIST_SIGNED("ipdv", "ipdv", "ipdv", "D(i) - D(i-1), with its sign", METRIC_NEITHER,
	  ": D is the one-way delay, i and i-1 consecutive sequence numbers that both arrived "
	  "(IPDV, RFC 5481); the mean is about 0 unless the one-way delay drifts", 0)
	DIST_RESULT("ipdv_abs", "|ipdv|", "|ipdv|", "|ipdv|", METRIC_LOWER, "", 0)
	DIST_ABOVE_MIN("pdv", "pdv", "pdv", "D - Dmin", METRIC_LOWER,
	  ": D is the one-way delay, Dmin the smallest (PDV, RFC 5481; that of RFC 8219 is its "
	  "p99.9)", 0)
	{ "jitter_rfc3550_ns", UNIT_NS, METRIC_LOWER, "jitter (RFC 3550)",
	  "interarrival jitter at the end of the run: |change of the one-way delay| from arrival to "
	  "arrival, duplicates too, smoothed by 1/16 (RFC 3550 A.8); of several streams the mean" },
	{ "jitter_rfc3550_max_ns", UNIT_NS, METRIC_LOWER, "jitter, worst stream",
	  "largest interarrival jitter of a stream (RFC 3550 A.8)", OF("jitter_rfc3550", MAX) },

	{ "other_clock_packets", UNIT_COUNT, METRIC_LOWER, "other clock",
	  "packets with a timestamp of another clock than the receiver's (--clock): checked, but not timed" },
	{ "implausible_time_packets", UNIT_COUNT, METRIC_LOWER, "implausible times",
	  "packets with a timestamp more than a minute from their arrival: checked, but not timed" },
	{ "no_arrival_packets", UNIT_COUNT, METRIC_LOWER, "no NIC timestamp",
	  "packets without a receive timestamp of the NIC: checked, but not timed" },

	{ "dropped_packets", UNIT_COUNT, METRIC_LOWER, "dropped",
	  "packets that the kernel dropped at the watched interfaces, or without a known interface "
	  "(tracepoint skb:kfree_skb and those of XDP)", .brief = true },
	{ "host_dropped_packets", UNIT_COUNT, METRIC_LOWER, "dropped, whole host",
	  "packets that the kernel dropped anywhere on this host, in all network namespaces "
	  "(skb:kfree_skb)", .brief = true },

	{ "gap_count", UNIT_COUNT, METRIC_NEITHER, "inter-arrival times",
	  "inter-arrival times measured: between packets of a stream; with "
	  "watch, between buffers of one direction on one CPU", OF("gap", COUNT) },
	DIST_RESULT("gap", "inter-arrival", "inter-arrival time", "inter-arrival time", METRIC_NEITHER, "", DIST_BRIEF)
	{ "gap_expected_ns", UNIT_NS, METRIC_NEITHER, "expected interval",
	  "inter-arrival time given by --expect-gap" },
	DIST_RESULT("gap_error", "interval error", "interval error", "|inter-arrival time - expected interval|", METRIC_LOWER, "",
	  DIST_BRIEF)

	{ "seen_packets", UNIT_COUNT, METRIC_NEITHER, "packets",
	  "packets of one direction as on the wire: a super-packet of TSO, GSO, GRO or LRO "
	  "counts as its segments", .brief = true },
	{ "seen_bytes", UNIT_BYTES, METRIC_NEITHER, "bytes",
	  "length of all frames seen, with FCS, at least 64 each; without Ethernet headers, of all "
	  "packets from L3 on" },
	{ "seen_pps", UNIT_PPS, METRIC_NEITHER, "rate", "packets seen / time watched", .brief = true },
	{ "seen_l1_bps", UNIT_BPS, METRIC_NEITHER, "L1",
	  "bits a second on the wire: frame, FCS, preamble, start delimiter and gap (RFC 2544)", .brief = true },
	{ "seen_l2_bps", UNIT_BPS, METRIC_NEITHER, "L2", "bits a second of frames with their FCS" },
	{ "seen_l3_bps", UNIT_BPS, METRIC_NEITHER, "L3",
	  "bits a second of packets from L3 on, where they have no Ethernet header", .brief = true },
	{ "seen_buffers", UNIT_COUNT, METRIC_NEITHER, "buffers",
	  "packets as the hook sees them: a super-packet counts once", .brief = true },
	{ "not_taken_buffers", UNIT_COUNT, METRIC_NEITHER, "not in --filter",
	  "buffers that the filter did not match; only the driver's figures include "
	  "them", .brief = true },
	{ "seen_merged_packets", UNIT_COUNT, METRIC_NEITHER, "in super-packets",
	  "packets on the wire that the hook saw as part of super-packets", .brief = true },
	{ "seen_broadcast_packets", UNIT_COUNT, METRIC_NEITHER, "broadcast",
	  "packets to ff:ff:ff:ff:ff:ff; to 255.255.255.255 where they have no Ethernet header", .brief = true },
	{ "seen_multicast_packets", UNIT_COUNT, METRIC_NEITHER, "multicast",
	  "packets to a group address, without broadcast", .brief = true },
	{ "seen_tagged_packets", UNIT_COUNT, METRIC_NEITHER, "VLAN-tagged",
	  "packets with a VLAN tag, in the frame or in its metadata" },
	{ "burst_100us_l1_bps", UNIT_BPS, METRIC_NEITHER, "peak of 100 us",
	  "highest rate on the wire in any 100 us that begin at a multiple of 20 us, all CPUs added",
	  .brief = true, .peak = true },
	{ "burst_1ms_l1_bps", UNIT_BPS, METRIC_NEITHER, "peak of 1 ms",
	  "highest rate on the wire in any 1 ms that begins at a multiple of 20 us, all CPUs added",
	  .brief = true, .peak = true },
	{ "burst_10ms_l1_bps", UNIT_BPS, METRIC_NEITHER, "peak of 10 ms",
	  "highest rate on the wire in any 10 ms that begin at a multiple of 20 us, all CPUs added",
	  .brief = true, .peak = true },
	{ "burst_100us_l3_bps", UNIT_BPS, METRIC_NEITHER, "peak of 100 us",
	  "as burst_100us_l1_bps, of packets from L3 on", .brief = true, .peak = true },
	{ "burst_1ms_l3_bps", UNIT_BPS, METRIC_NEITHER, "peak of 1 ms",
	  "as burst_1ms_l1_bps, of packets from L3 on", .brief = true, .peak = true },
	{ "burst_10ms_l3_bps", UNIT_BPS, METRIC_NEITHER, "peak of 10 ms",
	  "as burst_10ms_l1_bps, of packets from L3 on", .brief = true, .peak = true },
	{ "program_run_ns", UNIT_NS, METRIC_LOWER, "cost per buffer",
	  "mean run time of the counting BPF program, measured by the kernel for a sample of runs; "
	  "includes the two clock readings of that measurement", .brief = true },
	{ "program_timed_runs", UNIT_COUNT, METRIC_NEITHER, "runs timed",
	  "runs of the BPF program in that sample" },
	{ "program_cpu_ratio", UNIT_CPUS, METRIC_LOWER, "CPU, programs",
	  "cores that the BPF programs kept busy: mean run time x buffers / time", .brief = true },

	{ "flow_new_count", UNIT_COUNT, METRIC_NEITHER, "new flows",
	  "new flows in the table: addresses, ports and protocol, both directions one flow",
	  .brief = true },
	{ "flow_active_count", UNIT_COUNT, METRIC_NEITHER, "active",
	  "flows in the table with a packet within the interval", .brief = true },
	{ "flow_ended_count", UNIT_COUNT, METRIC_NEITHER, "ended",
	  "TCP connections that ended: FIN of both ends, or RST", .brief = true },
	{ "flow_table_count", UNIT_COUNT, METRIC_NEITHER, "in the table",
	  "flows in the table", .row = METRIC_ROW_LEFT_OUT, .level = true },
	{ "flow_view_age_ns", UNIT_NS, METRIC_NEITHER, "flows read",
	  "age of the reading of the table that the listed flows come from" },
	{ "flow_aged_count", UNIT_COUNT, METRIC_NEITHER, "evicted",
	  "idle flows removed when the table filled up" },
	{ "folded_packets", UNIT_COUNT, METRIC_LOWER, "folded",
	  "packets counted only by the far end's prefix, as the table of flows was full",
	  .brief = true },
	{ "sampled_packets", UNIT_COUNT, METRIC_NEITHER, "sampled",
	  "packets whose flows were looked up with --sample, which flows are estimated from", .brief = true },
	{ "no_flow_packets", UNIT_COUNT, METRIC_NEITHER, "not in a flow",
	  "packets that are not IP, or malformed" },
	{ "flow_missing_packets", UNIT_COUNT, METRIC_LOWER, "missing",
	  "packets seen - packets of flows, of prefixes and not in a flow" },
	{ "tcp_retransmitted_packets", UNIT_COUNT, METRIC_LOWER, "retransmitted",
	  "TCP segments with data that was already seen, or that fill a hole later than the "
	  "smallest round trip of both sides (3 ms if that is unknown)", .brief = true },
	{ "tcp_out_of_order_packets", UNIT_COUNT, METRIC_LOWER, "out of order",
	  "TCP segments that fill a hole and were sent before data already seen: with an older "
	  "timestamp, or too early for a retransmission", .brief = true },
	{ "tcp_zero_window_packets", UNIT_COUNT, METRIC_LOWER, "zero windows",
	  "TCP packets with a zero window, without SYN, FIN and RST", .brief = true },
	{ "tcp_dup_ack_packets", UNIT_COUNT, METRIC_LOWER, "duplicate ACKs",
	  "acknowledgements without data, with the same number and window as the previous one, while "
	  "data is outstanding (RFC 5681)", .brief = true },
	{ "asked_packets", UNIT_COUNT, METRIC_NEITHER, "queries",
	  "ICMP echo requests and DNS queries over UDP" },
	{ "asked_again_packets", UNIT_COUNT, METRIC_LOWER, "repeated queries",
	  "queries sent again before an answer; their answers are not timed" },
	{ "answer_timed_packets", UNIT_COUNT, METRIC_NEITHER, "answers timed",
	  "answers to a query that was seen once" },
	{ "answer_untimed_packets", UNIT_COUNT, METRIC_NEITHER, "answers not timed",
	  "answers to a query that was not seen, was repeated, or was evicted" },
	{ "quic_retry_packets", UNIT_COUNT, METRIC_NEITHER, "QUIC retries",
	  "Retry packets that answered a timed Initial; the next one is timed anew" },
	{ "quic_version_packets", UNIT_COUNT, METRIC_NEITHER, "QUIC versions refused",
	  "Version Negotiation packets that answered a timed Initial; the next one is timed anew" },

	{ "driver_rx_packets", UNIT_COUNT, METRIC_NEITHER, "driver received",
	  "increase of the interface's receive counter; some drivers count a super-packet once" },
	{ "driver_rx_dropped", UNIT_COUNT, METRIC_LOWER, "driver rx dropped",
	  "increase of the interface's receive drop counter" },
	{ "driver_rx_errors", UNIT_COUNT, METRIC_LOWER, "driver rx errors",
	  "increase of the interface's receive error counter" },
	{ "driver_tx_errors", UNIT_COUNT, METRIC_LOWER, "driver tx errors",
	  "increase of the interface's transmit error counter" },

	{ "impair_seen_packets", UNIT_COUNT, METRIC_NEITHER, "seen",
	  "packets that matched --match, to which the rules apply", .brief = true },
	{ "impair_seen_bytes", UNIT_BYTES, METRIC_NEITHER, "seen bytes",
	  "sum of the frames seen, each with its 4-byte FCS" },
	{ "impair_seen_pps", UNIT_PPS, METRIC_NEITHER, "seen rate", "packets seen / interval" },
	{ "impair_unmatched_packets", UNIT_COUNT, METRIC_NEITHER, "not matched",
	  "packets that did not match --match, and passed unchanged", .brief = true },
	{ "impair_lost_packets", UNIT_COUNT, METRIC_NEITHER, "lost",
	  "packets seen that --loss dropped", .brief = true },
	{ "impair_ce_packets", UNIT_COUNT, METRIC_NEITHER, "marked CE",
	  "ECN-capable packets that --ce marked \"congestion experienced\"", .brief = true },
	{ "impair_remarked_packets", UNIT_COUNT, METRIC_NEITHER, "remarked",
	  "IP packets whose DSCP --remark set, also to the value that it had", .brief = true },
	{ "impair_corrupted_packets", UNIT_COUNT, METRIC_NEITHER, "corrupted",
	  "packets in which --corrupt flipped bits", .brief = true },
	{ "impair_checksum_packets", UNIT_COUNT, METRIC_NEITHER, "wrong checksum",
	  "packets whose checksum --checksum corrupted", .brief = true },
	{ "impair_truncated_packets", UNIT_COUNT, METRIC_NEITHER, "truncated",
	  "packets that --truncate shortened", .brief = true },
	{ "impair_fragmented_packets", UNIT_COUNT, METRIC_NEITHER, "fragmented",
	  "packets that --fragment split into fragments", .brief = true },
	{ "impair_duplicated_packets", UNIT_COUNT, METRIC_NEITHER, "duplicated",
	  "packets that --duplicate copied", .brief = true },
	{ "impair_reordered_packets", UNIT_COUNT, METRIC_NEITHER, "reordered",
	  "packets that --reorder held until later ones had been sent", .brief = true },
	{ "impair_delayed_packets", UNIT_COUNT, METRIC_NEITHER, "delayed",
	  "packets that --delay held for a time", .brief = true },
	{ "impair_completed_packets", UNIT_COUNT, METRIC_NEITHER, "checksums completed",
	  "packets, with those that did not match, whose checksum the sender's stack had left to its NIC, as on "
	  "veth: completed before they were impaired" },
	{ "impair_bypassed_packets", UNIT_COUNT, METRIC_NEITHER, "bypassed",
	  "packets that passed unchanged, and are in no other figure, as ethgauge was stopped: only with "
	  "--tc-mode clsact, whose filter stays when a process is killed" },
	{ "impair_unable_times", UNIT_COUNT, METRIC_NEITHER, "not applicable",
	  "times that a selected packet could not be impaired: too short to truncate, no "
	  "checksum to corrupt, no IPv4 packet to fragment, not ECN-capable or marked before, not IP" },
	{ "impair_own_dropped_packets", UNIT_COUNT, METRIC_LOWER, "lost by own limits",
	  "packets seen that were neither dropped by a rule nor forwarded: user space was too slow, or "
	  "the kernel refused to redirect them" },
	{ "impair_passed_packets", UNIT_COUNT, METRIC_NEITHER, "forwarded",
	  "packets seen - lost - dropped by impair's own limits", .brief = true },
	{ "impair_copies_frames", UNIT_COUNT, METRIC_NEITHER, "copies",
	  "frames that --duplicate added" },
	{ "impair_fragments_frames", UNIT_COUNT, METRIC_NEITHER, "further fragments",
	  "frames that --fragment added: fragments - packets fragmented" },
	{ "impair_queue_dropped_frames", UNIT_COUNT, METRIC_NEITHER, "dropped by the queue",
	  "frames dropped because the queue of --rate was full", .brief = true },
	{ "impair_full_frames", UNIT_COUNT, METRIC_LOWER, "lost, out of memory",
	  "frames that could not be held because all frame memory was in use" },
	{ "impair_refused_frames", UNIT_COUNT, METRIC_LOWER, "refused by driver",
	  "frames that the driver of the other interface refused, unmatched ones included" },
	{ "impair_out_frames", UNIT_COUNT, METRIC_NEITHER, "frames out",
	  "forwarded + copies + further fragments - dropped by the queue and for lack of memory; for "
	  "frames redirected inside the kernel this includes those that the driver refused", .brief = true },
	{ "impair_flushed_frames", UNIT_COUNT, METRIC_NEITHER, "flushed",
	  "frames released because the later packets they waited for did not arrive, or at the end" },
	{ "impair_events_lost", UNIT_COUNT, METRIC_LOWER, "not in events file",
	  "impaired packets without a line in the file of --events, as "
	  "they arrived faster than it could be written" },
	DIST_RESULT("held", "held", "held",
	  "time from arrival to departure of packets that --delay held", METRIC_NEITHER, "",
	  DIST_BRIEF)
	DIST_RESULT("held_intended", "held, intended", "held, intended",
	  "time for which --delay should hold a packet", METRIC_NEITHER, "", 0)
	DIST_RESULT("held_late", "held, late", "held, late",
	  "time between the due and the actual departure of packets", METRIC_LOWER, "", DIST_BRIEF)
	DIST_RESULT("held_sending", "held, sending", "held, sending",
	  "time that the system call took which sent a held packet, at some moment of which it left",
	  METRIC_LOWER, "", 0)

	{ "tx_done_packets", UNIT_COUNT, METRIC_NEITHER, "transmit timestamps",
	  "packets with a transmit timestamp of the NIC or kernel (blast --tx-stamp)",
	  OF("tx_done", COUNT) },
	{ "tx_done_unstamped_packets", UNIT_COUNT, METRIC_LOWER, "no transmit timestamp",
	  "packets sent without a transmit timestamp" },
	DIST_RESULT("tx_done", "tag to sent,", "tag to sent",
	  "time from the timestamp in the tag to the transmit timestamp", METRIC_LOWER,
	  ": that of the NIC (hw), or of the kernel when the driver returned the frame (sw)", 0)

	{ "driver_tx_packets", UNIT_COUNT, METRIC_NEITHER, "driver sent",
	  "increase of the interface's transmit counter" },
	{ "driver_tx_dropped", UNIT_COUNT, METRIC_LOWER, "driver tx dropped",
	  "increase of the interface's transmit drop counter" },

	{ "socket_dropped_packets", UNIT_COUNT, METRIC_LOWER, "socket dropped",
	  "datagrams that the receiving socket dropped, by its own counter: buffer full, or a wrong "
	  "checksum" },
	{ "bench_trials", UNIT_COUNT, METRIC_NEITHER, "trials",
	  "trials of the suite, resumed and irregular ones included" },
	{ "irregular_trials", UNIT_COUNT, METRIC_LOWER, "  irregular",
	  "trials in which the generator reached less than 99.9 % of the offered rate: they are "
	  "not used to judge the device (RFC 9971)" },
	{ "unsteady_trials", UNIT_COUNT, METRIC_LOWER, "  unsteady",
	  "trials with packets more than 1 ms late, and no more lost than were due in that time: the "
	  "catch-up burst may have caused the loss" },
	{ "disturbed_decisions", UNIT_COUNT, METRIC_LOWER, "  disturbed",
	  "loads and bursts for which every trial was unsteady or not back to back: "
	  "above 0, the figures may be limited by this machine" },
	{ "frame_bytes", UNIT_BYTES, METRIC_NEITHER, "frame", "length of the frames, with FCS" },
	{ "load_max_pps", UNIT_PPS, METRIC_NEITHER, "highest load",
	  "highest requested frame rate, or what the generator reaches of it (Max Load, "
	  "RFC 9971)" },
	{ "throughput_pps", UNIT_PPS, METRIC_HIGHER, "throughput",
	  "highest load, below any upper bound, at which the loss was within the goal "
	  "(RFC 2544 26.1; relevant lower bound, RFC 9971)", .brief = true },
	{ "throughput_upper_pps", UNIT_PPS, METRIC_HIGHER, "  upper bound",
	  "lowest load at which the loss exceeded the goal (relevant upper bound, RFC 9971)",
	  .brief = true },
	{ "throughput_l1_bps", UNIT_BPS, METRIC_HIGHER, "  on the wire",
	  "throughput in bits per second: frame, FCS, preamble, start delimiter and gap", .brief = true },
	{ "throughput_ratio", UNIT_RATIO, METRIC_HIGHER, "  of the highest load",
	  "throughput / highest load", .brief = true },
	{ "throughput_conditional_pps", UNIT_PPS, METRIC_HIGHER, "  conditional",
	  "forwarding rate at the throughput, the goal's quantile over the trials (conditional "
	  "throughput, RFC 9971)", .brief = true },
	{ "goal_loss_ratio", UNIT_RATIO, METRIC_NEITHER, "goal: loss",
	  "loss ratio up to which a trial is good (RFC 9971)" },
	{ "goal_exceed_ratio", UNIT_RATIO, METRIC_NEITHER, "goal: exceed",
	  "share of the trial time that bad trials may have (RFC 9971)" },
	{ "goal_width_ratio", UNIT_RATIO, METRIC_NEITHER, "goal: width",
	  "(upper - lower bound) / upper bound at which a search ends (RFC 9971)" },
	{ "goal_initial_trial_ns", UNIT_NS, METRIC_NEITHER, "goal: initial trial",
	  "length of the first trials of a search (RFC 9971)" },
	{ "goal_final_trial_ns", UNIT_NS, METRIC_NEITHER, "goal: final trial",
	  "shortest trial that can make a load a lower bound (RFC 9971)" },
	{ "goal_duration_sum_ns", UNIT_NS, METRIC_NEITHER, "goal: duration sum",
	  "sum of trial durations that decides a load (RFC 9971)" },
	{ "latency_repeats", UNIT_COUNT, METRIC_NEITHER, "latency trials",
	  "latency trials, in which every frame is timed" },
	{ "latency_pps", UNIT_PPS, METRIC_NEITHER, "latency at", "load of the latency trials" },
	{ "latency_mean_ns", UNIT_NS, METRIC_LOWER, "latency",
	  "mean of the trials' mean one-way delays (RFC 2544 26.2, which times one frame per trial)", .brief = true,
	  OF("latency", MEAN) },
	{ "latency_min_ns", UNIT_NS, METRIC_LOWER, "  min", "smallest one-way delay of all trials",
	  .brief = true, OF("latency", MIN) },
	{ "latency_max_ns", UNIT_NS, METRIC_LOWER, "  max", "largest one-way delay of all trials", .brief = true,
	  OF("latency", MAX) },
	{ "latency_typical_ns", UNIT_NS, METRIC_LOWER, "  typical",
	  "median of the trials' medians (RFC 8219 7.2)", .brief = true },
	{ "latency_typical_p1_ns", UNIT_NS, METRIC_LOWER, "    p1", "1st percentile of the trials' medians" },
	{ "latency_typical_p99_ns", UNIT_NS, METRIC_LOWER, "    p99",
	  "99th percentile of the trials' medians", OF("latency_typical", P99) },
	{ "latency_worst_ns", UNIT_NS, METRIC_LOWER, "  worst case",
	  "median of the trials' 99.9th percentiles (RFC 8219 7.2)", .brief = true },
	{ "latency_worst_p1_ns", UNIT_NS, METRIC_LOWER, "    p1",
	  "1st percentile of the trials' 99.9th percentiles" },
	{ "latency_worst_p99_ns", UNIT_NS, METRIC_LOWER, "    p99",
	  "99th percentile of the trials' 99.9th percentiles", OF("latency_worst", P99) },
	{ "latency_pdv_ns", UNIT_NS, METRIC_LOWER, "  variation (PDV)",
	  "median of the trials' 99.9th percentile - minimum (RFC 8219 7.3.1)", .brief = true },
	{ "latency_pdv_p1_ns", UNIT_NS, METRIC_LOWER, "    p1", "1st percentile of the trials' PDV" },
	{ "latency_pdv_p99_ns", UNIT_NS, METRIC_LOWER, "    p99", "99th percentile of the trials' PDV",
	  OF("latency_pdv", P99) },
	{ "back_to_back_tests", UNIT_COUNT, METRIC_NEITHER, "back-to-back tests",
	  "searches for the longest burst at the highest load without loss" },
	{ "back_to_back_mean_packets", UNIT_NONE, METRIC_HIGHER, "back-to-back frames",
	  "mean length of the longest bursts without loss (RFC 2544 26.4, RFC 9004)", .brief = true },
	{ "back_to_back_min_packets", UNIT_NONE, METRIC_HIGHER, "  min", "shortest of them (RFC 9004)" },
	{ "back_to_back_max_packets", UNIT_NONE, METRIC_HIGHER, "  max", "longest of them (RFC 9004)" },
	{ "back_to_back_deviation_packets", UNIT_NONE, METRIC_LOWER, "  deviation",
	  "their standard deviation (RFC 9004)" },
	{ "buffer_implied_ns", UNIT_NS, METRIC_NEITHER, "buffer, implied",
	  "back-to-back frames / highest load (RFC 9004 5.4)" },
	{ "buffer_corrected_ns", UNIT_NS, METRIC_NEITHER, "buffer, corrected",
	  "implied buffer time * (1 - throughput / highest load), as frames forwarded during the burst "
	  "were not buffered (RFC 9004 5.4)", .brief = true },
	{ "buffer_packets", UNIT_NONE, METRIC_HIGHER, "buffer",
	  "back-to-back frames * (1 - throughput / highest load)", .brief = true },
	{ "recovery_tests", UNIT_COUNT, METRIC_NEITHER, "recovery tests",
	  "recovery trials in which the device recovered" },
	{ "recovery_overload_pps", UNIT_PPS, METRIC_NEITHER, "overload",
	  "110 % of the throughput, or the highest load if lower; it then drops to half" },
	{ "recovery_mean_ns", UNIT_NS, METRIC_LOWER, "recovery",
	  "mean time from the drop of the load to the first packet after the last loss (RFC 2544 26.5)",
	  .brief = true, OF("recovery", MEAN) },
	{ "recovery_max_ns", UNIT_NS, METRIC_LOWER, "  max", "longest of them", .brief = true,
	  OF("recovery", MAX) },
	{ "reset_tests", UNIT_COUNT, METRIC_NEITHER, "resets", "resets after which the device forwarded again" },
	{ "reset_mean_ns", UNIT_NS, METRIC_LOWER, "reset",
	  "mean over the reset trials of the longest time without a packet (RFC 6201, by timestamps)",
	  .brief = true, OF("reset", MEAN) },
	{ "reset_max_ns", UNIT_NS, METRIC_LOWER, "  max", "longest of them", .brief = true,
	  OF("reset", MAX) },
	{ "reset_loss_mean_ns", UNIT_NS, METRIC_LOWER, "  by loss",
	  "mean of packets lost / load (RFC 6201, by frame loss)", .brief = true,
	  OF("reset_loss", MEAN) },
	{ "service_cir_bps", UNIT_BPS, METRIC_NEITHER, "committed rate",
	  "committed information rate: bits of frames with FCS (Y.1564)" },
	{ "service_eir_bps", UNIT_BPS, METRIC_NEITHER, "excess rate",
	  "excess information rate (Y.1564)" },
	{ "service_trials", UNIT_COUNT, METRIC_NEITHER, "performance trials",
	  "trials of the service performance test" },
	{ "service_flr_ratio", UNIT_RATIO, METRIC_LOWER, "frame loss ratio",
	  "frames lost / sent in the performance test, while the service was available (Y.1563 FLR)",
	  .brief = true },
	{ "service_ftd_ns", UNIT_NS, METRIC_LOWER, "transfer delay",
	  "mean of the trials' mean one-way delays (Y.1563 FTD)", .brief = true },
	{ "service_fdv_ns", UNIT_NS, METRIC_LOWER, "delay variation",
	  "largest 99.9th percentile - minimum of a trial's one-way delays (Y.1563 FDV)", .brief = true },
	{ "service_availability_ratio", UNIT_RATIO, METRIC_HIGHER, "availability",
	  "share of the performance trials in which at most half of the frames were lost; Y.1564 counts "
	  "seconds", .brief = true },
	{ "path_mtu_bytes", UNIT_BYTES, METRIC_NEITHER, "path MTU",
	  "largest IP packet to the server by the kernel's path MTU, confirmed by full datagrams" },
	{ "baseline_rtt_ns", UNIT_NS, METRIC_LOWER, "baseline round trip",
	  "smallest round trip of one byte by TCP on the idle path (RFC 6349 3.1)", .brief = true },
	{ "bottleneck_l1_bps", UNIT_BPS, METRIC_HIGHER, "bottleneck",
	  "rate of the slowest link, on the wire: given, or the rate at which full datagrams arrived when sent a quarter faster "
	  "(RFC 6349 3.2)", .brief = true },
	{ "bdp_bytes", UNIT_BYTES, METRIC_NEITHER, "bandwidth-delay (BDP)",
	  "bottleneck * baseline round trip (RFC 6349 3.3.1)" },
	{ "tcp_ideal_bps", UNIT_BPS, METRIC_HIGHER, "ideal",
	  "payload in full packets at the bottleneck's rate, or window / baseline round trip if less "
	  "(RFC 6349 3.3)" },
	{ "transfer_time_factor", UNIT_NONE, METRIC_LOWER, "transfer time ratio",
	  "transfer time / transfer time at the ideal rate (RFC 6349 4.1)", .brief = true },
	{ "tcp_efficiency_ratio", UNIT_RATIO, METRIC_HIGHER, "TCP efficiency",
	  "(bytes sent - bytes retransmitted) / bytes sent (RFC 6349 4.2)", .brief = true },
	{ "tcp_rtt_mean_ns", UNIT_NS, METRIC_LOWER, "round trip under load",
	  "mean of TCP's smoothed round trip, sampled while sending; when the server sends, its last sample",
	  OF("tcp_rtt", MEAN) },
	{ "buffer_delay_ratio", UNIT_RATIO, METRIC_LOWER, "buffer delay",
	  "(round trip under load - baseline) / baseline (RFC 6349 4.3)", .brief = true },
	{ "made_packets", UNIT_COUNT, METRIC_NEITHER, "made",
	  "packets that the ledger accounts for: sent + refused by driver" },
	{ "claimed_packets", UNIT_COUNT, METRIC_LOWER, "lost and explained",
	  "sum of the ledger's rows except received and unattributed" },
	{ "unattributed_packets", UNIT_COUNT, METRIC_LOWER, "unattributed",
	  "made - received (each sequence number once) - lost and explained" },
	{ "overclaimed_packets", UNIT_COUNT, METRIC_LOWER, "overclaimed",
	  "drops that the ledger's sources report beyond the packets that were missing; above 0, a source "
	  "counts other traffic" },

	{ "pacing_achieved_ratio", UNIT_RATIO, METRIC_HIGHER, "achieved / offered",
	  "sent rate / offered rate; below 99.9 % the result is irregular (RFC 9971)" },
	{ "irregular", UNIT_NONE, METRIC_LOWER, "irregular",
	  "true if the sender reached less than 99.9 % of the offered rate (RFC 9971), or if more than "
	  "0.1 % of the packets left late, by 1 ms and one slot at least, and so in bursts: its losses, "
	  "rates and delays may not be those of the path" },
	DIST_ABOVE_MIN("pacing_late", "pacing late,", NULL,
	  "time by which packets were sent after their slot", METRIC_LOWER, "", 0)
	{ "plain_requests", UNIT_COUNT, METRIC_NEITHER, "plain requests",
	  "requests of HTTP/1.1 that were sent as libcurl had sent them before, on a kept connection" },
	{ "calibration", UNIT_NONE, METRIC_NEITHER, "calibrated",
	  "date of the calibration of this machine in its current state (ethgauge calibrate); none: never" },
	{ "calibrated_delay_floor_min_ns", UNIT_NS, METRIC_LOWER, "delay floor, min",
	  "smallest one-way delay over an idle link: the cost of taking timestamps where they are taken",
	  OF("calibrated_delay_floor", MIN) },
	{ "calibrated_delay_floor_p50_ns", UNIT_NS, METRIC_LOWER, "delay floor, p50",
	  "median one-way delay over an idle link", OF("calibrated_delay_floor", P50) },
	{ "calibrated_rtt_floor_p50_ns", UNIT_NS, METRIC_LOWER, "round trip floor, p50",
	  "median round trip over an idle link, with the reflector in the driver",
	  OF("calibrated_rtt_floor", P50) },
	{ "calibrated_delay_error_p50_ns", UNIT_NS, METRIC_LOWER, "late delay error, p50",
	  "no longer written: it included the lateness of the forwarder that inserted the delays",
	  OF("calibrated_delay_error", P50) },
	{ "calibrated_delay_error_p99_ns", UNIT_NS, METRIC_LOWER, "late delay error, p99",
	  "no longer written, as calibrated_delay_error_p50_ns", OF("calibrated_delay_error", P99) },
	{ "calibrated_timing_error_min_ns", UNIT_NS, METRIC_LOWER, "delay error, min",
	  "smallest |measured delay - delay that the forwarder made| of a packet: the path's fixed part",
	  OF("calibrated_timing_error", MIN) },
	{ "calibrated_timing_error_p50_ns", UNIT_NS, METRIC_LOWER, "delay error, p50",
	  "median |measured delay - delay that the forwarder made|; includes the path to and from the "
	  "forwarder, but not its lateness", OF("calibrated_timing_error", P50) },
	{ "calibrated_timing_error_p99_ns", UNIT_NS, METRIC_LOWER, "delay error, p99",
	  "99th percentile of the same", OF("calibrated_timing_error", P99) },
	{ "calibrated_gap_error_p50_ns", UNIT_NS, METRIC_LOWER, "pacing error, p50",
	  "median |inter-arrival time - requested interval| at the receiver, at up to a tenth of the highest rate",
	  OF("calibrated_gap_error", P50) },
	{ "calibrated_gap_error_p99_ns", UNIT_NS, METRIC_LOWER, "pacing error, p99",
	  "99th percentile of |inter-arrival time - requested interval| at the receiver",
	  OF("calibrated_gap_error", P99) },
	{ "calibrated_exact_pps", UNIT_PPS, METRIC_HIGHER, "exact up to",
	  "highest tested rate at which the counts of sender, drivers and receiver agreed, "
	  "with order and delay of every packet checked" },
	{ "calibrated_counted_packets", UNIT_COUNT, METRIC_NEITHER, "counted",
	  "packets sent in the calibration's runs without impairment, all accounted for" },
	{ "calibrated_impaired_packets", UNIT_COUNT, METRIC_NEITHER, "impaired",
	  "packets that were dropped, duplicated or reordered on purpose, and reported exactly so" },
	{ "record_ring_fill_ratio", UNIT_RATIO, METRIC_LOWER, "record ring, fullest",
	  "largest share of the ring of records that was in use; at 100 % records are lost" },
	{ "cpu_user_ratio", UNIT_CPUS, METRIC_LOWER, "user",
	  "cores busy in user mode for this process", .line = "this process" },
	{ "cpu_system_ratio", UNIT_CPUS, METRIC_LOWER, "system",
	  "cores busy in the kernel for this process, including softirqs that interrupted it",
	  .line = "this process" },
	{ "memory_max_bytes", UNIT_BYTES, METRIC_LOWER, "memory",
	  "peak resident memory of this process (VmHWM)", .line = "this process",
	  .level = true },
	{ "bpf_map_bytes", UNIT_BYTES, METRIC_LOWER, "BPF maps",
	  "memory of this process's BPF maps", .line = "this process", .level = true },
	{ "context_switches", UNIT_COUNT, METRIC_LOWER, "context switches",
	  "voluntary context switches of this process's threads",
	  .line = "this process" },
	{ "preemptions", UNIT_COUNT, METRIC_LOWER, "preemptions",
	  "involuntary context switches of this process's threads",
	  .line = "this process" },
	{ "sender_packet_cpu_ns", UNIT_NS, METRIC_LOWER, "sender CPU per packet",
	  "CPU time of the sender per packet received, including the work it causes elsewhere "
	  "(scripts/bench-run)" },
	{ "packet_instructions", UNIT_NONE, METRIC_LOWER, "instructions/packet",
	  "instructions per packet or transaction of a scenario, with sender "
	  "and receiver (vmtest/regress)" },
	{ "packet_ns", UNIT_NS, METRIC_LOWER, "time per packet",
	  "time per packet or transaction of a scenario, back to back (vmtest/regress)" },
	{ "sender_run_ratio", UNIT_RATIO, METRIC_NEITHER, "sender ran",
	  "share of its time that this CPU's sending thread ran" },
	{ "sender_wait_ratio", UNIT_RATIO, METRIC_LOWER, "sender waited",
	  "share of its time that this CPU's sending thread was ready, but other work ran" },

	{ "cpu_busy_ratio", UNIT_CPUS, METRIC_LOWER, "busy",
	  "cores of this host that were not idle, by the kernel's idle time; "
	  "null, like its parts, for runs below 0.1 s", .line = "CPU, whole host", .brief = true },
	{ "cpu_busy_user_ratio", UNIT_CPUS, METRIC_LOWER, "user",
	  "cores of this host in user mode, sampled by the timer tick", .line = "CPU, whole host" },
	{ "cpu_busy_system_ratio", UNIT_CPUS, METRIC_LOWER, "system",
	  "cores of this host in the kernel for a process, sampled by the timer tick",
	  .line = "CPU, whole host" },
	{ "cpu_busy_softirq_ratio", UNIT_CPUS, METRIC_LOWER, "softirq",
	  "cores of this host in softirqs, where packets are processed, sampled by the timer tick; exact, "
	  "like irq, on kernels with CONFIG_IRQ_TIME_ACCOUNTING", .line = "CPU, whole host",
	  .brief = true },
	{ "cpu_busy_irq_ratio", UNIT_CPUS, METRIC_LOWER, "irq",
	  "cores of this host in interrupts, sampled by the timer tick", .line = "CPU, whole host" },
	{ "cpu_steal_ratio", UNIT_CPUS, METRIC_LOWER, "steal",
	  "cores of this virtual machine that the hypervisor gave to others", .line = "CPU, whole host" },
	{ "cpu_busy_unseen_ratio", UNIT_CPUS, METRIC_LOWER, "unaccounted",
	  "busy, but not sampled by the tick: interrupts and softirqs on an otherwise idle CPU, "
	  "where the tick stops", .line = "CPU, whole host" },

	{ "interrupts", UNIT_COUNT, METRIC_LOWER, "interrupts",
	  "interrupts of this host, of all kinds: devices, timers, inter-processor", .line = "events" },
	{ "nic_interrupts", UNIT_COUNT, METRIC_LOWER, "of the NIC",
	  "interrupts of the interface; null if it has none, such as veth", .line = "events" },
	{ "net_rx_softirqs", UNIT_COUNT, METRIC_NEITHER, "NET_RX",
	  "receive softirqs that this host ran", .line = "events" },
	{ "net_tx_softirqs", UNIT_COUNT, METRIC_NEITHER, "NET_TX",
	  "transmit softirqs that this host ran", .line = "events" },
	{ "softnet_packets", UNIT_COUNT, METRIC_NEITHER, "softnet packets",
	  "packets that entered this host's stack, without those that an XDP program dropped "
	  "or sent", .line = "events" },
	{ "softnet_dropped_packets", UNIT_COUNT, METRIC_LOWER, "backlog dropped",
	  "packets dropped because a backlog queue of this host was full", .line = "events" },
	{ "softnet_squeezed", UNIT_COUNT, METRIC_LOWER, "squeezed",
	  "receive softirqs that used up their budget or time with packets still waiting",
	  .line = "events" },

	{ "tx_batch_frames", UNIT_COUNT, METRIC_NEITHER, "frames at once",
	  "live frames handed to the driver at once, in the end: more than the environment's tx_batch if the sender "
	  "fell behind its rate" },
	{ "tx_ring_mean_frames", UNIT_NONE, METRIC_NEITHER, "mean",
	  "frames in the AF_XDP transmit ring, not yet returned by the kernel, at a kick; "
	  "over all threads", .line = "AF_XDP ring" },
	{ "tx_ring_min_frames", UNIT_COUNT, METRIC_NEITHER, "min",
	  "fewest frames in the ring at a kick", .line = "AF_XDP ring" },
	{ "tx_ring_max_frames", UNIT_COUNT, METRIC_NEITHER, "max",
	  "most frames in the ring at a kick", .line = "AF_XDP ring" },
	{ "tx_ring_size_frames", UNIT_COUNT, METRIC_NEITHER, "of",
	  "size of a thread's ring in frames", .line = "AF_XDP ring" },
	{ "tx_ring_full_ratio", UNIT_RATIO, METRIC_LOWER, "full",
	  "share of the attempts to get a frame at which none was free", .line = "AF_XDP ring" },
	{ "tx_socket_max_bytes", UNIT_BYTES, METRIC_NEITHER, "send buffer max",
	  "copy mode: most bytes seen in the socket's send buffer, at one kick in 256",
	  .line = "AF_XDP ring" },
	{ "tx_socket_limit_bytes", UNIT_BYTES, METRIC_NEITHER, "send buffer",
	  "size of that send buffer", .line = "AF_XDP ring" },
	{ "rx_overrun_packets", UNIT_COUNT, METRIC_LOWER, "receive overruns",
	  "packets lost because the interface's receive ring was full: the largest increase of its "
	  "counters rx_missed, rx_over and rx_fifo errors", .line = "events" },

	{ "bottleneck", UNIT_TEXT, METRIC_NEITHER, "bottleneck",
	  "the part of this host that limited the result: none, unknown, sender cpu, receiver cpu, "
	  "ring (the device's transmit or receive ring), link (it went down) or socket (the receiver's "
	  "buffer)", .brief = true },
	{ "metered_ns", UNIT_NS, METRIC_NEITHER, "metered",
	  "time that the figures of CPUs, interrupts and softirqs cover, at the sender or the receiver",
	  .line = "measurement cost" },
	{ "metering_ns", UNIT_NS, METRIC_LOWER, "cost",
	  "time for reading these figures, before and after the run",
	  .line = "measurement cost" },
	{ "clock_read_user_ns", UNIT_NS, METRIC_LOWER, "clock read, user",
	  "time of one clock_gettime() of the timestamps' clock: median of 15 times 100, at the start" },
	{ "clock_read_bpf_ns", UNIT_NS, METRIC_LOWER, "clock read, BPF",
	  "time of one reading of the timestamps' clock in a BPF program: median of 15 times 64 "
	  "runs with 64 readings, minus as many runs without, at the start" },
	{ "clock_synchronised", UNIT_NONE, METRIC_NEITHER, "clock synchronised",
	  "true if this host's clock is synchronised (NTP, PTP), by the kernel's state (adjtimex)" },
	{ "clock_error_ns", UNIT_NS, METRIC_LOWER, "clock error, bound",
	  "bound of this host's clock error (adjtimex maxerror); a one-way delay between two "
	  "hosts is exact to within the sum of both" },
	{ "clock_error_estimated_ns", UNIT_NS, METRIC_LOWER, "clock error, estimate",
	  "this host's clock error as estimated by NTP or PTP (adjtimex esterror)" },
	{ "phc_error_ns", UNIT_NS, METRIC_LOWER, "NIC clock error",
	  "largest error of the conversion from the NIC's clock: half the time of a reading, plus the "
	  "deviation of the extrapolation from the previous reading" },
	{ "snapshot_skew_ns", UNIT_NS, METRIC_LOWER, "snapshot skew",
	  "longest time for one reading of all counters" },

	{ "theory_link_bps", UNIT_BPS, METRIC_NEITHER, "link",
	  "link speed (L1) of the computation" },
	{ "theory_smallest_pps", UNIT_PPS, METRIC_NEITHER, "smallest frames",
	  "highest rate of 64-byte frames, plus VLAN tags (RFC 2544 appendix B)" },
	{ "theory_largest_pps", UNIT_PPS, METRIC_NEITHER, "largest frames",
	  "highest rate of frames with a packet of the MTU" },
	{ "theory_tcp_goodput_bps", UNIT_BPS, METRIC_NEITHER, "TCP goodput",
	  "payload rate of full TCP segments, with the given options and IP version" },
	{ "theory_tcp_goodput_ratio", UNIT_RATIO, METRIC_NEITHER, "  of the link",
	  "the same / link" },
	{ "theory_tcp_duplex_bps", UNIT_BPS, METRIC_NEITHER, "  both ways",
	  "the sum of both directions, which a half-duplex link shares; each carries the other one's "
	  "acknowledgements with its data" },
	{ "theory_udp_goodput_bps", UNIT_BPS, METRIC_NEITHER, "UDP goodput",
	  "payload rate of UDP datagrams that fill the MTU" },
	{ "theory_udp_goodput_ratio", UNIT_RATIO, METRIC_NEITHER, "  of the link",
	  "the same / link" },
	{ "theory_udp_duplex_bps", UNIT_BPS, METRIC_NEITHER, "  both ways",
	  "the sum of both directions, which a half-duplex link shares" },
	{ "theory_udp_rr_per_s", UNIT_COUNT, METRIC_NEITHER, "UDP rr/s",
	  "highest transaction rate: link / bits on the wire of one transaction, in the direction with "
	  "more bits, or on a half-duplex link in both" },
	{ "theory_tcp_rr_per_s", UNIT_COUNT, METRIC_NEITHER, "TCP rr/s",
	  "the same over one TCP connection" },
	{ "theory_tcp_crr_per_s", UNIT_COUNT, METRIC_NEITHER, "TCP crr/s",
	  "the same with a TCP connection per transaction" },
	{ "theory_bdp_bytes", UNIT_BYTES, METRIC_NEITHER, "bandwidth-delay (BDP)",
	  "link x round-trip time: the smallest window that fills the path (RFC 6349 3.3)" },
	{ "theory_window_scale", UNIT_NONE, METRIC_NEITHER, "  window scale",
	  "smallest shift for a window of this size (RFC 7323)" },
	{ "theory_socket_buffer_bytes", UNIT_BYTES, METRIC_NEITHER, "  socket buffer",
	  "2 x bandwidth x delay: Linux uses half of a receive buffer for the window "
	  "(tcp_adv_win_scale 1, ip-sysctl)" },
	{ "theory_queue_bytes", UNIT_BYTES, METRIC_NEITHER, "  queue",
	  "bandwidth x delay / square root of --parallel: the queue that keeps a link busy "
	  "(Appenzeller, Keslassy, McKeown 2004)" },
	{ "theory_window_bps", UNIT_BPS, METRIC_NEITHER, "  rate of --window",
	  "window / round-trip time, payload; at most the TCP goodput of the link" },
};

static struct hsearch_data by_key;

/* Before main(), so that any thread may look up figures. */
__attribute__((constructor)) static void index_metrics(void)
{
	ENTRY *ignored;
	size_t i;

	if (!hcreate_r(2 * ARRAY_SIZE(metrics), &by_key))
		abort();
	for (i = 0; i < ARRAY_SIZE(metrics); i++)
		hsearch_r((ENTRY){ (char *)metrics[i].key, (void *)&metrics[i] }, ENTER, &ignored, &by_key);
}

const struct metric *metric_find(const char *key)
{
	ENTRY *found;

	return hsearch_r((ENTRY){ .key = (char *)key }, FIND, &found, &by_key) ? found->data : NULL;
}

const struct metric *metric_of(const char *family, enum dist_stat stat)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(metrics); i++) {
		if (metrics[i].family && metrics[i].stat == stat && !strcmp(metrics[i].family, family))
			return &metrics[i];
	}
	return NULL;
}

const struct metric *metric_at(size_t index)
{
	return index < ARRAY_SIZE(metrics) ? &metrics[index] : NULL;
}

bool metric_adds_up(const struct metric *metric)
{
	return (metric->unit == UNIT_COUNT || metric->unit == UNIT_BYTES) && !metric->level;
}

const char *metric_key_at(size_t index)
{
	const struct metric *metric = metric_at(index);

	return metric ? metric->key : NULL;
}
