// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * result/metrics.c - the dictionary. Text labels, the JSON keys, compare's
 * direction and the glossary come from here and nowhere else.
 */
#include "result/metrics.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

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
	DIST_MAXIMUM(DIST_EXACT, family, label, title, of, better, exact, note, flags)
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
	  "delays measured of this way; of a difference of two clocks those that are not negative", \
	  OF(out, COUNT) }, \
	{ out "_negative_packets", UNIT_COUNT, METRIC_LOWER, out " negative", \
	  "delays below 0, as the two clocks differ by more; not in the figures of the delay" }, \
	DIST_ROWS(out, out, "way " out, "D", METRIC_LOWER, ": " d, DIST_LINE_P50)

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
	  "packets a second that were asked for" },
	{ "sent_packets", UNIT_COUNT, METRIC_NEITHER, "sent",
	  "packets that the driver's transmit function was handed and took", .brief = true },
	{ "sent_bytes", UNIT_BYTES, METRIC_NEITHER, "sent bytes",
	  "sum of the frames sent, each with its 4-byte FCS" },
	{ "sent_pps", UNIT_PPS, METRIC_HIGHER, "sent rate", "packets sent / duration" },
	{ "sent_l1_bps", UNIT_BPS, METRIC_HIGHER, "sent rate, L1",
	  "bits a second on the wire: frame, FCS, preamble, start delimiter and gap (RFC 2544)" },
	{ "sent_l2_bps", UNIT_BPS, METRIC_HIGHER, "sent rate, L2",
	  "bits a second of frames with their FCS" },
	{ "not_sent_packets", UNIT_COUNT, METRIC_LOWER, "refused by driver",
	  "packets that the generator made and the driver's transmit function did not take" },

	{ "replay_read_packets", UNIT_COUNT, METRIC_NEITHER, "read of the file",
	  "packets of the capture file that the replay came to, in all its loops: sent, refused and "
	  "skipped" },
	{ "replay_skipped_packets", UNIT_COUNT, METRIC_LOWER, "skipped of the file",
	  "packets of the capture file that cannot be sent whole: cut by its snap length, longer "
	  "than the interface's MTU allows, or shorter than an Ethernet header" },
	{ "replay_tagged_packets", UNIT_COUNT, METRIC_NEITHER, "tagged of the file",
	  "packets of the capture file that were sent with the probe tag in their UDP payload" },
	{ "saved_packets", UNIT_COUNT, METRIC_NEITHER, "saved",
	  "packets written into a capture file instead of being sent" },

	{ "tested_ns", UNIT_NS, METRIC_NEITHER, "tested",
	  "time that the rates of a transport test are of: without what --omit leaves out" },
	{ "payload_sent_bytes", UNIT_BYTES, METRIC_NEITHER, "sent",
	  "payload that the sender's kernel took, of the whole run", .brief = true },
	{ "payload_received_bytes", UNIT_BYTES, METRIC_NEITHER, "received",
	  "payload that the receiving application read, of the whole run", .brief = true },
	{ "payload_sent_bps", UNIT_BPS, METRIC_HIGHER, "sent rate",
	  "bits of payload a second that the sender's kernel took; it begins by filling its buffers",
	  .brief = true },
	{ "payload_received_bps", UNIT_BPS, METRIC_HIGHER, "received rate",
	  "bits of payload a second that the receiving application read (goodput)", .brief = true },
	{ "tcp_retransmits", UNIT_COUNT, METRIC_LOWER, "retransmitted",
	  "segments that the sender's TCP sent again (tcp_info)", .brief = true },
	{ "tcp_rtt_ns", UNIT_NS, METRIC_LOWER, "srtt",
	  "smoothed round-trip time of TCP (tcp_info), mean of the connections that send" },
	{ "tcp_cwnd_packets", UNIT_COUNT, METRIC_NEITHER, "cwnd",
	  "congestion window of TCP in segments (tcp_info), sum of the connections that send",
	  .level = true },
	{ "tcp_delivery_bps", UNIT_BPS, METRIC_HIGHER, "delivery rate",
	  "newest rate at which TCP's data were acknowledged (tcp_info)" },
	{ "tcp_busy_ns", UNIT_NS, METRIC_NEITHER, "busy",
	  "time in which TCP had data to send or on the way (tcp_info)", .row = METRIC_ROW_LEFT_OUT },
	{ "tcp_rwnd_limited_ns", UNIT_NS, METRIC_LOWER, "limited by receiver",
	  "time in which the receiver's window kept TCP from sending (tcp_info)",
	  .row = METRIC_ROW_LEFT_OUT },
	{ "tcp_sndbuf_limited_ns", UNIT_NS, METRIC_LOWER, "limited by buffer",
	  "time in which the send buffer kept TCP from sending (tcp_info)",
	  .row = METRIC_ROW_LEFT_OUT },
	{ "datagrams_sent", UNIT_COUNT, METRIC_NEITHER, "datagrams sent",
	  "datagrams that the sender's kernel took, of the whole run", .brief = true },
	{ "datagrams_received", UNIT_COUNT, METRIC_NEITHER, "datagrams received",
	  "datagrams that the receiving application read, duplicates included", .brief = true },
	{ "datagrams_refused", UNIT_COUNT, METRIC_LOWER, "datagrams refused",
	  "times that the sender's kernel did not take a datagram: queue full, or a refusal came back" },
	{ "datagrams_lost", UNIT_COUNT, METRIC_LOWER, "datagrams lost",
	  "datagrams sent - distinct ones received, of the whole run", .brief = true },
	{ "datagrams_lost_ratio", UNIT_RATIO, METRIC_LOWER, "datagram loss",
	  "datagrams lost / datagrams sent", .brief = true },
	{ "datagrams_duplicate", UNIT_COUNT, METRIC_LOWER, "datagrams twice",
	  "datagrams whose number had arrived before; they never repair a loss" },
	{ "datagrams_reordered", UNIT_COUNT, METRIC_LOWER, "datagrams reordered",
	  "datagrams whose number is below the next expected one (RFC 4737)" },
	{ "datagram_sequence", UNIT_COUNT, METRIC_NEITHER, "datagram number",
	  "number of the datagram that came at this time, of --arrivals", .level = true },
	{ "datagram_delay_ns", UNIT_NS, METRIC_LOWER, "datagram delay",
	  "one-way delay of the datagram that came at this time, where both ends have one clock",
	  .level = true },
	{ "datagrams_unknown", UNIT_COUNT, METRIC_LOWER, "datagrams unknown",
	  "datagrams too far behind to tell a late one from a duplicate" },
	{ "transactions", UNIT_COUNT, METRIC_NEITHER, "transactions",
	  "requests whose response came, of the whole run", .brief = true },
	{ "requests_sent", UNIT_COUNT, METRIC_NEITHER, "requests sent",
	  "requests sent, or connections begun, of the whole run" },
	{ "requests_answered", UNIT_COUNT, METRIC_NEITHER, "requests answered",
	  "requests that the server answered, of the whole run" },
	{ "requests_timed_out", UNIT_COUNT, METRIC_LOWER, "requests timed out",
	  "UDP requests without a response for 0.5 s, or connections that were broken off" },
	{ "requests_not_sent", UNIT_COUNT, METRIC_LOWER, "requests not sent",
	  "requests that were due by the end (--rate) and were not sent" },
	{ "client_cpu_ratio", UNIT_CPUS, METRIC_LOWER, "client CPU",
	  "cores that the client's threads of the test kept busy", .line = "client" },
	{ "client_host_cpu_ratio", UNIT_CPUS, METRIC_LOWER, "host",
	  "cores of the client's host that were busy, with whatever (/proc/stat)", .line = "client" },
	{ "client_service_kib_ns", UNIT_NS, METRIC_LOWER, "per KiB",
	  "CPU time of the client's host per 1024 bytes of payload, netperf's service demand; of its "
	  "threads alone where both ends are on one host", .line = "client" },
	{ "client_service_transaction_ns", UNIT_NS, METRIC_LOWER, "per transaction",
	  "the same per transaction", .line = "client" },
	{ "server_cpu_ratio", UNIT_CPUS, METRIC_LOWER, "server CPU",
	  "cores that the server's threads of the test kept busy", .line = "server" },
	{ "server_host_cpu_ratio", UNIT_CPUS, METRIC_LOWER, "host",
	  "cores of the server's host that were busy, with whatever (/proc/stat)", .line = "server" },
	{ "server_service_kib_ns", UNIT_NS, METRIC_LOWER, "per KiB",
	  "CPU time of the server's host per 1024 bytes of payload; of its threads alone where both "
	  "ends are on one host", .line = "server" },
	{ "server_service_transaction_ns", UNIT_NS, METRIC_LOWER, "per transaction",
	  "the same per transaction", .line = "server" },
	{ "zerocopy_copied_ratio", UNIT_RATIO, METRIC_LOWER, "copied all the same",
	  "share of the sends with MSG_ZEROCOPY that the kernel copied after all, as it does on "
	  "loopback and veth" },
	{ "runs", UNIT_COUNT, METRIC_NEITHER, "runs", "runs of the test that were done" },
	{ "confidence_level_ratio", UNIT_RATIO, METRIC_NEITHER, "confidence level",
	  "probability that the mean is within the confidence interval, as --confidence asked",
	  .line = "confidence" },
	{ "confidence_width_ratio", UNIT_RATIO, METRIC_LOWER, "interval",
	  "width of the confidence interval of the mean, by Student's t / mean",
	  .line = "confidence" },
	{ "served_clients", UNIT_COUNT, METRIC_NEITHER, "clients", "clients that were taken" },
	{ "served_tests", UNIT_COUNT, METRIC_NEITHER, "tests", "tests that were run to their end" },
	{ "refused_clients", UNIT_COUNT, METRIC_NEITHER, "clients refused",
	  "clients that came when there were as many as the server takes" },
	{ "refused_keys", UNIT_COUNT, METRIC_NEITHER, "keys refused",
	  "clients without the server's key" },
	{ "refused_tests", UNIT_COUNT, METRIC_NEITHER, "tests refused",
	  "tests beyond the server's limits, or without meaning" },
	{ "malformed_messages", UNIT_COUNT, METRIC_NEITHER, "malformed",
	  "clients sent away as what they said was no control message, or not the one that was due" },

	{ "received_packets", UNIT_COUNT, METRIC_NEITHER, "received",
	  "test packets that arrived, duplicates included", .brief = true },
	{ "received_bytes", UNIT_BYTES, METRIC_NEITHER, "received bytes",
	  "sum of the frames received, each with its 4-byte FCS" },
	{ "received_pps", UNIT_PPS, METRIC_HIGHER, "received rate",
	  "packets received / time between the first and the last of them", .brief = true },
	{ "received_l1_bps", UNIT_BPS, METRIC_HIGHER, "received rate, L1",
	  "bits a second on the wire: frame, FCS, preamble, start delimiter and gap (RFC 2544)", .brief = true },
	{ "received_l2_bps", UNIT_BPS, METRIC_HIGHER, "received rate, L2",
	  "bits a second of frames with their FCS" },
	{ "distinct_packets", UNIT_COUNT, METRIC_NEITHER, "distinct",
	  "tagged packets received, each sequence number counted once" },
	{ "streams", UNIT_COUNT, METRIC_NEITHER, "streams", "tagged streams seen", .level = true },
	{ "stream", UNIT_NONE, METRIC_NEITHER, "stream", "number of a stream, as its tag has it" },
	{ "untagged_packets", UNIT_COUNT, METRIC_NEITHER, "untagged",
	  "test packets without a probe tag: counted, but neither timed nor checked for order" },
	{ "foreign_packets", UNIT_COUNT, METRIC_NEITHER, "other traffic",
	  "packets that did not match the filter and went on to the stack" },
	{ "other_stream_packets", UNIT_COUNT, METRIC_NEITHER, "other streams",
	  "tagged packets whose stream number is beyond the table: counted, but not checked" },

	{ "load_clients", UNIT_COUNT, METRIC_NEITHER, "clients", "clients at work: begun and not done",
	  .level = true },
	{ "load_in_flight", UNIT_COUNT, METRIC_NEITHER, "under way",
	  "requests that were sent, or wait for their connection, and have no whole answer",
	  .level = true, .row = METRIC_ROW_LEFT_OUT },
	{ "load_transactions", UNIT_COUNT, METRIC_NEITHER, "transactions",
	  "URLs fetched or sent, with the redirections that were followed; failed ones, too",
	  .brief = true },
	{ "load_transactions_per_s", UNIT_NONE, METRIC_HIGHER, "transactions/s",
	  "transactions / elapsed time", .brief = true },
	{ "load_offered_per_s", UNIT_NONE, METRIC_NEITHER, "offered/s",
	  "transactions a second that were asked for" },
	{ "load_behind", UNIT_COUNT, METRIC_LOWER, "due, not started",
	  "transactions that were due by the rate and found no free client until the end" },
	{ "load_cycles", UNIT_COUNT, METRIC_NEITHER, "cycles",
	  "times that a client came to the end of its URLs" },
	{ "load_requests", UNIT_COUNT, METRIC_NEITHER, "requests",
	  "requests that ended: of each transaction one, and one for each redirection followed" },
	{ "load_redirects", UNIT_COUNT, METRIC_NEITHER, "redirections",
	  "answers with another place that was asked next" },
	{ "load_connections", UNIT_COUNT, METRIC_NEITHER, "connections",
	  "connections made; of FTP those for data, too" },
	{ "load_connections_per_s", UNIT_NONE, METRIC_HIGHER, "connections/s",
	  "connections made / elapsed time" },
	{ "load_reused", UNIT_COUNT, METRIC_NEITHER, "on kept connections",
	  "requests answered on a connection that was there before" },
	{ "load_clients_max", UNIT_COUNT, METRIC_NEITHER, "clients, maximum",
	  "most clients that had begun and were not done", .peak = true },
	{ "load_in_flight_max", UNIT_COUNT, METRIC_NEITHER, "in flight, maximum",
	  "most requests that were under way at one time", .peak = true },
	{ "load_sockets_max", UNIT_COUNT, METRIC_NEITHER, "most sockets",
	  "most sockets that were open at one time, kept connections included", .peak = true },
	{ "load_received_bytes", UNIT_BYTES, METRIC_NEITHER, "received",
	  "bytes of answers without their headers, cut ones included; files and listings of FTP" },
	{ "load_received_header_bytes", UNIT_BYTES, METRIC_NEITHER, "received headers",
	  "bytes of the headers of answers" },
	{ "load_received_bps", UNIT_BPS, METRIC_HIGHER, "received rate",
	  "bits a second of answers without their headers", .brief = true, .row = METRIC_ROW_UNLESS_0 },
	{ "load_sent_bytes", UNIT_BYTES, METRIC_NEITHER, "sent",
	  "bytes of requests' bodies and of files that were sent" },
	{ "load_sent_header_bytes", UNIT_BYTES, METRIC_NEITHER, "sent headers",
	  "bytes of requests without their bodies" },
	{ "load_sent_bps", UNIT_BPS, METRIC_HIGHER, "sent rate",
	  "bits a second of requests' bodies and of files that were sent", .row = METRIC_ROW_UNLESS_0 },
	{ "load_failed", UNIT_COUNT, METRIC_LOWER, "failed",
	  "transactions that ended without a whole answer, with status 4xx or 5xx, or with more "
	  "redirections than allowed", .brief = true },
	{ "load_failed_4xx", UNIT_COUNT, METRIC_LOWER, "4xx",
	  "failed transactions: HTTP status 400 to 499, or such a reply of FTP",
	  .line = "failed by kind" },
	{ "load_failed_5xx", UNIT_COUNT, METRIC_LOWER, "5xx",
	  "failed transactions: HTTP status 500 to 599, or such a reply of FTP",
	  .line = "failed by kind" },
	{ "load_failed_resolve", UNIT_COUNT, METRIC_LOWER, "resolve",
	  "failed transactions: the name was not resolved",
	  .line = "failed by kind" },
	{ "load_failed_connect", UNIT_COUNT, METRIC_LOWER, "connect",
	  "failed transactions: the connection was refused, or no route led there",
	  .line = "failed by kind" },
	{ "load_failed_connect_timeout", UNIT_COUNT, METRIC_LOWER, "connect timeout",
	  "failed transactions: no connection in the time of --connect-timeout, TLS and FTP's login included",
	  .line = "failed by kind" },
	{ "load_failed_tls", UNIT_COUNT, METRIC_LOWER, "TLS",
	  "failed transactions: the handshake failed, or the certificate was not accepted",
	  .line = "failed by kind" },
	{ "load_failed_timeout", UNIT_COUNT, METRIC_LOWER, "timeout",
	  "failed transactions: connected, and no whole answer in the time of --timeout",
	  .line = "failed by kind" },
	{ "load_failed_partial", UNIT_COUNT, METRIC_LOWER, "cut short",
	  "failed transactions: an answer of which the end never came",
	  .line = "failed by kind" },
	{ "load_failed_broken", UNIT_COUNT, METRIC_LOWER, "broken",
	  "failed transactions: the connection ended before an answer, or while sending",
	  .line = "failed by kind" },
	{ "load_failed_redirects", UNIT_COUNT, METRIC_LOWER, "redirections",
	  "failed transactions: more redirections than --follow allows",
	  .line = "failed by kind" },
	{ "load_failed_local", UNIT_COUNT, METRIC_LOWER, "this host",
	  "failed transactions: this host had no free port, no such source address, no descriptor or no memory",
	  .line = "failed by kind" },
	{ "load_failed_other", UNIT_COUNT, METRIC_LOWER, "other",
	  "failed transactions: not of the protocol, and whatever else",
	  .line = "failed by kind" },
	{ "load_cut", UNIT_COUNT, METRIC_NEITHER, "cut at the end",
	  "transactions that were under way when the time was over: not counted as failed, nor in any "
	  "other figure but the bytes received" },
	DIST_RESULT("load_connect", "connect", "connect", "time to connect", METRIC_LOWER,
	  ": from the resolved name to the connection, of new ones", DIST_PEAK)
	DIST_RESULT("load_tls", "TLS", "TLS handshake", "time of TLS's handshake", METRIC_LOWER,
	  ", of new connections", DIST_PEAK)
	DIST_RESULT("load_first_byte", "first byte", "first byte", "time to the first byte",
	  METRIC_LOWER, " of the answer, from the begin of a request, with its connecting",
	  DIST_PEAK)
	DIST_ROWS("load_total", "total", "total", "time of a transaction that got a whole answer",
	  METRIC_LOWER,
	  ", of whatever status: from its begin, with a rate from when it was due, to the end of "
	  "the last answer", DIST_PEAK | DIST_LINE_P50 | DIST_LINE_P99)

	{ "record_packets", UNIT_COUNT, METRIC_NEITHER, "recorded",
	  "packets of which a record is in the file of --records" },
	{ "record_lost_packets", UNIT_COUNT, METRIC_LOWER, "not recorded",
	  "packets of which a record was due and found the ring full: counted in all other figures" },

	{ "answered_packets", UNIT_COUNT, METRIC_NEITHER, "answered",
	  "packets that the reflector sent back", .brief = true },
	{ "answered_bytes", UNIT_BYTES, METRIC_NEITHER, "answered bytes",
	  "sum of the frames sent back, each with its 4-byte FCS" },
	{ "answered_pps", UNIT_PPS, METRIC_HIGHER, "answered rate",
	  "packets sent back / time between the first and the last of them" },
	{ "answered_udp_packets", UNIT_COUNT, METRIC_NEITHER, "  UDP", "UDP packets answered" },
	{ "answered_icmp_packets", UNIT_COUNT, METRIC_NEITHER, "  ICMP echo",
	  "ICMP and ICMPv6 echo requests answered" },
	{ "left_packets", UNIT_COUNT, METRIC_NEITHER, "passed to stack",
	  "packets that the reflector passed to the stack, untouched" },
	{ "left_fragment_packets", UNIT_COUNT, METRIC_NEITHER, "  fragments",
	  "fragments left alone: their ends cannot be told" },
	{ "left_unsafe_packets", UNIT_COUNT, METRIC_NEITHER, "  unsafe to answer",
	  "broadcast, multicast, or from the reflector's own port, which would circulate for ever" },
	{ "left_malformed_packets", UNIT_COUNT, METRIC_NEITHER, "  malformed",
	  "packets for the reflector whose headers are cut short or contradict their length" },

	{ "refused_packets", UNIT_COUNT, METRIC_NEITHER, "refused",
	  "STAMP packets that the reflector dropped instead of answering" },
	{ "refused_short_packets", UNIT_COUNT, METRIC_NEITHER, "  too short",
	  "shorter than an answer, which is never longer than its question" },
	{ "refused_limited_packets", UNIT_COUNT, METRIC_NEITHER, "  over the rate",
	  "of a source that sends more than --source-rate lets it" },
	{ "refused_forged_packets", UNIT_COUNT, METRIC_NEITHER, "  not signed",
	  "whose HMAC is not that of the key" },
	{ "refused_split_packets", UNIT_COUNT, METRIC_NEITHER, "  in pieces",
	  "that go on behind the first piece of a multi-buffer frame, all that a program sees" },
	{ "stamp_sessions", UNIT_COUNT, METRIC_NEITHER, "sessions",
	  "sessions begun: addresses, ports and session identifier not seen for 15 minutes" },
	{ "stamp_not_sent_packets", UNIT_COUNT, METRIC_LOWER, "not sent",
	  "packets of the schedule that the socket did not take, or that this process came too late "
	  "for: in no other figure" },
	{ "stamp_malformed_packets", UNIT_COUNT, METRIC_LOWER, "malformed answers",
	  "answers that are too short, or have numbers or times that cannot be; else not looked at" },
	{ "stamp_forged_packets", UNIT_COUNT, METRIC_LOWER, "wrong HMAC",
	  "answers whose HMAC does not hold with this key; else not looked at" },
	{ "stamp_foreign_packets", UNIT_COUNT, METRIC_LOWER, "other session's",
	  "answers with another session's identifier; else not looked at" },
	{ "stamp_refused_packets", UNIT_COUNT, METRIC_LOWER, "refused by ICMP",
	  "messages by ICMP that nobody listens there" },
	{ "stamp_late_max_ns", UNIT_NS, METRIC_LOWER, "latest to schedule",
	  "most that a packet was sent behind its time of the schedule; in no delay",
	  OF("stamp_late", MAX) },
	{ "out_lost_packets", UNIT_COUNT, METRIC_LOWER, "lost on the way out",
	  "packets lost that the reflector has no number for, by the numbers of its answers" },
	{ "back_lost_packets", UNIT_COUNT, METRIC_LOWER, "lost on the way back",
	  "answers lost, by the gaps in their own numbers" },
	{ "unplaced_lost_packets", UNIT_COUNT, METRIC_LOWER, "lost, way unknown",
	  "packets lost of which nothing tells the way: all of a stateless reflector's, and those "
	  "behind the last answer" },
	{ "out_duplicate_packets", UNIT_COUNT, METRIC_LOWER, "duplicated out",
	  "answers with a number of their own to a question that had one before" },
	{ "back_duplicate_packets", UNIT_COUNT, METRIC_LOWER, "duplicated back",
	  "answers that came before with the same number" },
	{ "out_reordered_packets", UNIT_COUNT, METRIC_LOWER, "reordered out",
	  "questions whose number is below that of one answered before, in the order of the answers' "
	  "numbers (RFC 4737)" },
	{ "back_reordered_packets", UNIT_COUNT, METRIC_LOWER, "reordered back",
	  "answers whose number is below the next expected, duplicates left out (RFC 4737)" },
	{ "reflector_restarts", UNIT_COUNT, METRIC_LOWER, "reflector restarts",
	  "times that the numbering of the answers began anew" },
	{ "out_ttl", UNIT_COUNT, METRIC_NEITHER, "TTL there",
	  "TTL or hop limit of the last question at the reflector", .level = true },
	{ "back_ttl", UNIT_COUNT, METRIC_NEITHER, "TTL back here",
	  "TTL or hop limit of the last answer", .level = true },
	WAY_METRICS("out", "T2 - T1, the one-way delay to the reflector")
	WAY_VARIATION_METRICS("out")
	WAY_METRICS("back", "T4 - T3, the one-way delay from the reflector")
	WAY_VARIATION_METRICS("back")
	{ "sender_clock_error_ns", UNIT_NS, METRIC_LOWER, "clock error here",
	  "bound of this host's clock error, as the test packets say it (Error Estimate)" },
	{ "reflector_clock_error_ns", UNIT_NS, METRIC_LOWER, "clock error there",
	  "bound of the reflector's clock error, as its last answer says it" },
	{ "one_way_error_ns", UNIT_NS, METRIC_LOWER, "one-way error",
	  "the sum of both: a one-way delay is known to within that" },
	{ "stamp_tlvs", UNIT_COUNT, METRIC_NEITHER, "extensions",
	  "extensions (TLVs, RFC 8972) looked at in the packets answered" },
	{ "stamp_unknown_tlvs", UNIT_COUNT, METRIC_NEITHER, "  unknown",
	  "of a type or with a value that the reflector does not know: U in the answer" },
	{ "stamp_malformed_tlvs", UNIT_COUNT, METRIC_NEITHER, "  malformed",
	  "with a length that cannot be: M in the answer, and what is behind stays as it came" },
	{ "stamp_unproven_tlvs", UNIT_COUNT, METRIC_NEITHER, "  not signed",
	  "in packets whose HMAC of the extensions is wrong or missing: I in the answer" },
	{ "stamp_repaired_packets", UNIT_COUNT, METRIC_NEITHER, "checksums finished",
	  "packets that a sender's stack left for its NIC to sum up and no NIC did, as on veth" },
	DIST_RESULT("turnaround", "turnaround", "in the reflector", "T3 - T2", METRIC_LOWER,
	  ": from a question's stamp to its answer's", DIST_PEAK)
	{ "follow_up_mean_ns", UNIT_NS, METRIC_LOWER, "follow-up - T3",
	  "mean time from T3 to when the answer was really sent, by follow-up telemetry (RFC 8972)",
	  OF("follow_up", MEAN) },

	{ "lost_packets", UNIT_COUNT, METRIC_LOWER, "lost",
	  "sent - distinct received, late arrivals not lost; where the sender's count is not "
	  "known, the gaps in the sequence", .brief = true },
	{ "lost_ratio", UNIT_RATIO, METRIC_LOWER, "loss", "lost / (lost + distinct received)" },
	{ "lost_runs", UNIT_COUNT, METRIC_LOWER, "runs of loss",
	  "times that one sequence number or several in a row were lost between two that arrived "
	  "(loss periods, RFC 3357); a late packet in the window of 4096 ends none" },
	{ "lost_run_mean", UNIT_NONE, METRIC_LOWER, "  mean length",
	  "packets lost between two that arrived / runs of loss" },
	{ "lost_run_max", UNIT_COUNT, METRIC_LOWER, "  longest",
	  "most sequence numbers in a row that were lost (RFC 3357)" },
	{ "duplicate_packets", UNIT_COUNT, METRIC_LOWER, "duplicates",
	  "packets whose sequence number had arrived before; they never repair a loss", .brief = true, .row = METRIC_ROW_UNLESS_0 },
	{ "reordered_packets", UNIT_COUNT, METRIC_LOWER, "reordered",
	  "packets whose sequence number is below the next expected one (RFC 4737)", .brief = true, .row = METRIC_ROW_UNLESS_0 },
	{ "reordered_ratio", UNIT_RATIO, METRIC_LOWER, "reordered ratio",
	  "reordered / distinct received (RFC 4737)" },
	{ "reordered_distance_max", UNIT_COUNT, METRIC_LOWER, "furthest reordered",
	  "largest distance of a reordered packet behind the highest sequence number seen",
	  .level = true },
	{ "reordered_extent_mean", UNIT_NONE, METRIC_LOWER, "  mean extent",
	  "mean of i - j over the reordered packets: each came i-th, and j-th came the first with a "
	  "larger sequence number (RFC 4737 4.2)" },
	{ "reordered_extent_max", UNIT_COUNT, METRIC_LOWER, "  largest extent",
	  "largest reordering extent: packets that a receiver holds to restore the order "
	  "(RFC 4737 4.2)" },
	{ "n_reordered_1_packets", UNIT_COUNT, METRIC_LOWER, "  1-reordered",
	  "packets right behind one with a larger sequence number (RFC 4737 5)" },
	{ "n_reordered_3_packets", UNIT_COUNT, METRIC_LOWER, "  3-reordered",
	  "packets that the 3 before them all exceed, as many as make TCP take one for lost "
	  "(RFC 4737 5)" },
	{ "n_reordered_3_ratio", UNIT_RATIO, METRIC_LOWER, "  3-reordered ratio",
	  "3-reordered / distinct received: the degree of 3-reordering (RFC 4737 5)" },
	{ "n_reordered_max", UNIT_COUNT, METRIC_LOWER, "  largest n",
	  "largest n of n-reordering (RFC 4737 5); 128 stands for 128 or more" },
	{ "late_time_packets", UNIT_COUNT, METRIC_NEITHER, "  late times",
	  "reordered packets whose late time was measured", OF("late_time", COUNT) },
	DIST_RESULT("late_time", "late time", "late by", "late time", METRIC_LOWER,
	  ": since the first arrival with a larger sequence number (RFC 4737 4.3)", 0)
	{ "unknown_packets", UNIT_COUNT, METRIC_LOWER, "unknown",
	  "packets too far behind to tell a late one from a duplicate; never folded into loss" },
	{ "unseen_before_packets", UNIT_COUNT, METRIC_NEITHER, "before the first",
	  "sequence numbers before the first that arrived: lost, or sent before the sink was there" },
	{ "restarts", UNIT_COUNT, METRIC_NEITHER, "sender restarts",
	  "times that a stream's numbering started again" },

	{ "transactions_per_s", UNIT_COUNT, METRIC_HIGHER, "transactions/s",
	  "requests that were answered / time: of tcp and udp that behind --omit, of rr and ping from "
	  "the first request to the last answer; of an interval / its length", .brief = true,
	  .level = true },
	{ "transactions_offered_per_s", UNIT_COUNT, METRIC_NEITHER, "offered/s",
	  "requests a second that were asked for (--rate)", .brief = true },
	{ "given_up_packets", UNIT_COUNT, METRIC_LOWER, "given up",
	  "requests whose answer did not come within --wait, so that others took their place; one "
	  "that comes later is none the less received, and not lost", .row = METRIC_ROW_UNLESS_0 },

	{ "rtt_packets", UNIT_COUNT, METRIC_NEITHER, "round trips", "round trips measured",
	  OF("rtt", COUNT) },
	DIST_ROWS("rtt", "round trip", "round trip", "round trip", METRIC_LOWER, "",
	  DIST_BRIEF | DIST_LINE_P50 | DIST_LINE_P99)
	{ "transaction_packets", UNIT_COUNT, METRIC_NEITHER, "transactions timed",
	  "requests whose answer user space had within --wait", OF("transaction", COUNT) },
	DIST_RESULT("transaction", "transaction", "transaction", "time of a transaction",
	  METRIC_LOWER,
	  ": from when a request was due (at a rate: its slot) until user space had the answer", 0)
	{ "stack_share_min_ns", UNIT_NS, METRIC_LOWER, "own stack, min",
	  "smallest round trip through a socket - smallest through the driver: what this host's stack "
	  "and system calls add", OF("stack_share", MIN) },
	{ "stack_share_p50_ns", UNIT_NS, METRIC_LOWER, "own stack, p50",
	  "median round trip through a socket - median through the driver", .brief = true,
	  OF("stack_share", P50) },
	{ "transactions_over_stack", UNIT_NONE, METRIC_HIGHER, "rate relative to stack",
	  "transactions a second of the driver / of the socket: median of the pairs", .brief = true },
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
	  "arrival, duplicates too, smoothed by 1/16 (RFC 3550 A.8); of several streams the mean" },
	{ "rtt_jitter_rfc3550_max_ns", UNIT_NS, METRIC_LOWER, "rtt jitter, worst",
	  "largest interarrival jitter of a stream (RFC 3550 A.8)", OF("rtt_jitter_rfc3550", MAX) },
	{ "rtt_negative_packets", UNIT_COUNT, METRIC_LOWER, "rtt negative",
	  "answers whose T3 - T2 is more than T4 - T1: the reflector's clock was set, or is wrong" },
	{ "delay_packets", UNIT_COUNT, METRIC_NEITHER, "delays", "one-way delays measured",
	  OF("delay", COUNT) },
	DIST_ROWS("delay", "delay", "one-way delay", "one-way delay", METRIC_LOWER, "",
	  DIST_BRIEF | DIST_LINE_P50 | DIST_LINE_P99)
	{ "delay_negative_packets", UNIT_COUNT, METRIC_LOWER, "negative delays",
	  "packets stamped in the receiver's future: the clocks of the two ends differ" },
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
	  "packets stamped by a clock that is not the receiver's (--clock): checked, but not timed" },
	{ "no_arrival_packets", UNIT_COUNT, METRIC_LOWER, "without NIC stamp",
	  "packets that the NIC gave no receive time: checked, but not timed" },

	{ "dropped_packets", UNIT_COUNT, METRIC_LOWER, "dropped",
	  "packets that the kernel dropped at the watched interfaces, or where no interface is known, "
	  "as its tracepoints skb:kfree_skb and those of XDP tell", .brief = true },
	{ "host_dropped_packets", UNIT_COUNT, METRIC_LOWER, "dropped, whole host",
	  "packets that the kernel dropped anywhere on this host, in all network namespaces "
	  "(skb:kfree_skb)", .brief = true },

	{ "gap_count", UNIT_COUNT, METRIC_NEITHER, "gaps",
	  "times measured between two packets that came one after the other: of a stream; under "
	  "watch, between buffers of one direction on one CPU", OF("gap", COUNT) },
	DIST_RESULT("gap", "gap", "gap", "gap", METRIC_NEITHER, "", DIST_BRIEF)
	{ "gap_expected_ns", UNIT_NS, METRIC_NEITHER, "gap expected",
	  "gap that was asked to compare with" },
	DIST_RESULT("gap_error", "gap error", "gap error", "|gap - gap expected|", METRIC_LOWER, "",
	  DIST_BRIEF)

	{ "seen_packets", UNIT_COUNT, METRIC_NEITHER, "packets",
	  "packets of one direction as they are on the wire: a super-packet of TSO, GSO, GRO or LRO "
	  "counts as its segments", .brief = true },
	{ "seen_bytes", UNIT_BYTES, METRIC_NEITHER, "bytes",
	  "sum of the frames seen, each with its 4-byte FCS and at least 64" },
	{ "seen_pps", UNIT_PPS, METRIC_NEITHER, "rate", "packets seen / time watched", .brief = true },
	{ "seen_l1_bps", UNIT_BPS, METRIC_NEITHER, "L1",
	  "bits a second on the wire: frame, FCS, preamble, start delimiter and gap (RFC 2544)", .brief = true },
	{ "seen_l2_bps", UNIT_BPS, METRIC_NEITHER, "L2", "bits a second of frames with their FCS" },
	{ "seen_buffers", UNIT_COUNT, METRIC_NEITHER, "buffers",
	  "packets as the hook was handed them: a super-packet counts once", .brief = true },
	{ "not_taken_buffers", UNIT_COUNT, METRIC_NEITHER, "left out by --filter",
	  "packets as the hook was handed them that the filter did not take: they are in no other "
	  "figure but the driver's", .brief = true },
	{ "seen_merged_packets", UNIT_COUNT, METRIC_NEITHER, "in super-packets",
	  "packets on the wire that the hook was handed within super-packets", .brief = true },
	{ "seen_broadcast_packets", UNIT_COUNT, METRIC_NEITHER, "broadcast",
	  "packets to ff:ff:ff:ff:ff:ff", .brief = true },
	{ "seen_multicast_packets", UNIT_COUNT, METRIC_NEITHER, "multicast",
	  "packets to a group address, broadcast not among them", .brief = true },
	{ "seen_tagged_packets", UNIT_COUNT, METRIC_NEITHER, "VLAN-tagged",
	  "packets with a VLAN tag, in the frame or handed over beside it" },
	{ "burst_100us_l1_bps", UNIT_BPS, METRIC_NEITHER, "peak of 100 us",
	  "highest rate on the wire in any 100 us that begin at a multiple of 20 us, all CPUs added",
	  .brief = true, .peak = true },
	{ "burst_1ms_l1_bps", UNIT_BPS, METRIC_NEITHER, "peak of 1 ms",
	  "highest rate on the wire in any 1 ms that begins at a multiple of 20 us, all CPUs added",
	  .brief = true, .peak = true },
	{ "burst_10ms_l1_bps", UNIT_BPS, METRIC_NEITHER, "peak of 10 ms",
	  "highest rate on the wire in any 10 ms that begin at a multiple of 20 us, all CPUs added",
	  .brief = true, .peak = true },
	{ "program_run_ns", UNIT_NS, METRIC_LOWER, "cost of a buffer",
	  "mean time of a run of the BPF program that counts, as the kernel timed a sample of them; "
	  "the two clock reads of that timing are in it", .brief = true },
	{ "program_timed_runs", UNIT_COUNT, METRIC_NEITHER, "runs timed",
	  "runs of the BPF program in that sample" },
	{ "program_cpu_ratio", UNIT_CPUS, METRIC_LOWER, "CPU, programs",
	  "cores that the BPF programs kept busy: mean time of a run x buffers / time", .brief = true },

	{ "flow_new_count", UNIT_COUNT, METRIC_NEITHER, "new flows",
	  "flows that were not in the table: ends, ports and protocol, both directions one flow",
	  .brief = true },
	{ "flow_active_count", UNIT_COUNT, METRIC_NEITHER, "active",
	  "flows in the table with a packet within the interval", .brief = true },
	{ "flow_ended_count", UNIT_COUNT, METRIC_NEITHER, "ended",
	  "TCP connections that ended: FIN of both ends, or RST", .brief = true },
	{ "flow_table_count", UNIT_COUNT, METRIC_NEITHER, "in the table",
	  "flows that the table holds", .row = METRIC_ROW_LEFT_OUT, .level = true },
	{ "flow_view_age_ns", UNIT_NS, METRIC_NEITHER, "flows read",
	  "since the reading of the table began whose flows are told" },
	{ "flow_aged_count", UNIT_COUNT, METRIC_NEITHER, "made room",
	  "flows that were taken out of a table that got full, as they were idle" },
	{ "folded_packets", UNIT_COUNT, METRIC_LOWER, "folded",
	  "packets that found the table of flows full and were counted by the far end's prefix alone",
	  .brief = true },
	{ "no_flow_packets", UNIT_COUNT, METRIC_NEITHER, "of no flow",
	  "packets that are not IP, or malformed" },
	{ "flow_missing_packets", UNIT_COUNT, METRIC_LOWER, "missing",
	  "packets seen - packets of flows, prefixes and of no flow" },
	{ "tcp_retransmitted_packets", UNIT_COUNT, METRIC_LOWER, "retransmitted",
	  "TCP segments with data that had passed before, or that fill a hole later than the "
	  "smallest round trip of both sides (3 ms where that is not known)", .brief = true },
	{ "tcp_out_of_order_packets", UNIT_COUNT, METRIC_LOWER, "out of order",
	  "TCP segments that fill a hole and were sent before what passed already: an older "
	  "timestamp, or sooner than a sender can know of a loss", .brief = true },
	{ "tcp_zero_window_packets", UNIT_COUNT, METRIC_LOWER, "zero windows",
	  "TCP packets that close the window, SYN, FIN and RST not among them", .brief = true },
	{ "tcp_dup_ack_packets", UNIT_COUNT, METRIC_LOWER, "duplicate ACKs",
	  "acknowledgements without data, with the same number and window as the one before, while "
	  "data is outstanding (RFC 5681)", .brief = true },
	{ "asked_packets", UNIT_COUNT, METRIC_NEITHER, "questions",
	  "ICMP echo requests and DNS questions over UDP" },
	{ "asked_again_packets", UNIT_COUNT, METRIC_LOWER, "asked again",
	  "questions that were asked before and not answered; their answers are not timed" },
	{ "answer_timed_packets", UNIT_COUNT, METRIC_NEITHER, "answers timed",
	  "answers whose question passed once" },
	{ "answer_untimed_packets", UNIT_COUNT, METRIC_NEITHER, "answers not timed",
	  "answers whose question was not seen, was asked again, or had to make room" },
	{ "quic_retry_packets", UNIT_COUNT, METRIC_NEITHER, "QUIC retries",
	  "Retry packets that answered a timed Initial; the next one is timed anew" },
	{ "quic_version_packets", UNIT_COUNT, METRIC_NEITHER, "QUIC versions refused",
	  "Version Negotiation packets that answered a timed Initial; the next one is timed anew" },

	{ "driver_rx_packets", UNIT_COUNT, METRIC_NEITHER, "driver received",
	  "growth of the interface's own receive counter; some drivers count a super-packet once" },
	{ "driver_rx_dropped", UNIT_COUNT, METRIC_LOWER, "driver rx dropped",
	  "growth of the interface's own receive drop counter" },
	{ "driver_rx_errors", UNIT_COUNT, METRIC_LOWER, "driver rx errors",
	  "growth of the interface's own counter of bad frames received" },
	{ "driver_tx_errors", UNIT_COUNT, METRIC_LOWER, "driver tx errors",
	  "growth of the interface's own counter of failed transmissions" },

	{ "impair_seen_packets", UNIT_COUNT, METRIC_NEITHER, "seen",
	  "packets that matched the filter, which the rules were asked about", .brief = true },
	{ "impair_seen_bytes", UNIT_BYTES, METRIC_NEITHER, "seen bytes",
	  "sum of the frames seen, each with its 4-byte FCS" },
	{ "impair_seen_pps", UNIT_PPS, METRIC_NEITHER, "seen rate", "packets seen / interval" },
	{ "impair_unmatched_packets", UNIT_COUNT, METRIC_NEITHER, "not matched",
	  "packets that did not match the filter, and were handed on untouched", .brief = true },
	{ "impair_lost_packets", UNIT_COUNT, METRIC_NEITHER, "lost",
	  "packets seen that --loss dropped", .brief = true },
	{ "impair_corrupted_packets", UNIT_COUNT, METRIC_NEITHER, "corrupted",
	  "packets in which --corrupt flipped bits", .brief = true },
	{ "impair_checksum_packets", UNIT_COUNT, METRIC_NEITHER, "wrong checksum",
	  "packets whose checksum --checksum made wrong", .brief = true },
	{ "impair_truncated_packets", UNIT_COUNT, METRIC_NEITHER, "truncated",
	  "packets that --truncate cut", .brief = true },
	{ "impair_fragmented_packets", UNIT_COUNT, METRIC_NEITHER, "fragmented",
	  "packets that --fragment cut into IPv4 fragments", .brief = true },
	{ "impair_duplicated_packets", UNIT_COUNT, METRIC_NEITHER, "duplicated",
	  "packets that --duplicate sent more than once", .brief = true },
	{ "impair_reordered_packets", UNIT_COUNT, METRIC_NEITHER, "reordered",
	  "packets that --reorder held until later ones had been sent", .brief = true },
	{ "impair_delayed_packets", UNIT_COUNT, METRIC_NEITHER, "delayed",
	  "packets that --delay held for a time", .brief = true },
	{ "impair_unable_times", UNIT_COUNT, METRIC_NEITHER, "unable",
	  "times that a packet was taken and there was nothing to do it to: too short to be cut, no "
	  "checksum to be made wrong, no IPv4 packet to be fragmented" },
	{ "impair_own_dropped_packets", UNIT_COUNT, METRIC_LOWER, "lost by own limits",
	  "packets seen that were neither lost by a rule nor handed on: user space was too slow, or "
	  "the kernel refused to redirect them" },
	{ "impair_passed_packets", UNIT_COUNT, METRIC_NEITHER, "handed on",
	  "packets seen - lost - dropped by impair's own limits", .brief = true },
	{ "impair_copies_frames", UNIT_COUNT, METRIC_NEITHER, "copies",
	  "frames that --duplicate added" },
	{ "impair_fragments_frames", UNIT_COUNT, METRIC_NEITHER, "further fragments",
	  "frames that --fragment added: fragments - packets fragmented" },
	{ "impair_queue_dropped_frames", UNIT_COUNT, METRIC_NEITHER, "dropped by the queue",
	  "frames for which the queue of --rate had no room", .brief = true },
	{ "impair_full_frames", UNIT_COUNT, METRIC_LOWER, "lost for want of room",
	  "frames that could not be held as all memory for them was in use" },
	{ "impair_refused_frames", UNIT_COUNT, METRIC_LOWER, "refused by driver",
	  "frames that the driver of the other interface did not take, those not matched included" },
	{ "impair_out_frames", UNIT_COUNT, METRIC_NEITHER, "left",
	  "handed on + copies + further fragments - dropped by the queue and for lack of memory; of "
	  "what was handed over inside the kernel the driver's refusals are part of it", .brief = true },
	{ "impair_flushed_frames", UNIT_COUNT, METRIC_NEITHER, "sent without waiting",
	  "frames held for later packets that never came, and those still held at the end" },
	{ "impair_events_lost", UNIT_COUNT, METRIC_LOWER, "not in events file",
	  "packets that something was done to and that the file of --events does not tell of, as "
	  "they came faster than it could be written" },
	DIST_RESULT("held", "held", "held",
	  "time from arrival to departure of packets that --delay held", METRIC_NEITHER, "",
	  DIST_BRIEF)
	DIST_RESULT("held_intended", "held, intended", "held, intended",
	  "time for which --delay was to hold a packet", METRIC_NEITHER, "", 0)
	DIST_RESULT("held_late", "held, late", "held, late",
	  "time by which packets left after they were due", METRIC_LOWER, "", DIST_BRIEF)

	{ "tx_done_packets", UNIT_COUNT, METRIC_NEITHER, "transmit timestamps",
	  "packets of which NIC or kernel told when they were sent (blast --tx-stamp)",
	  OF("tx_done", COUNT) },
	{ "tx_done_unstamped_packets", UNIT_COUNT, METRIC_LOWER, "no transmit timestamp",
	  "packets that were sent, and nobody told when" },
	DIST_RESULT("tx_done", "tag to sent,", "tag to sent",
	  "time from the stamp in the tag to that of being sent", METRIC_LOWER,
	  ": the NIC's (hw), or the kernel's when the driver gave the frame back (sw)", 0)

	{ "driver_tx_packets", UNIT_COUNT, METRIC_NEITHER, "driver sent",
	  "growth of the interface's own transmit counter" },
	{ "driver_tx_dropped", UNIT_COUNT, METRIC_LOWER, "driver tx dropped",
	  "growth of the interface's own transmit drop counter" },

	{ "socket_dropped_packets", UNIT_COUNT, METRIC_LOWER, "socket dropped",
	  "datagrams that the receiving socket's own counter says it had no room for, or a wrong "
	  "checksum in" },
	{ "bench_trials", UNIT_COUNT, METRIC_NEITHER, "trials",
	  "trials of a bench, those of an earlier call and irregular ones included" },
	{ "irregular_trials", UNIT_COUNT, METRIC_LOWER, "  irregular",
	  "trials in which the generator reached less than 99.9 % of the offered rate: nothing is "
	  "concluded of the device from them (RFC 9971)" },
	{ "unsteady_trials", UNIT_COUNT, METRIC_LOWER, "  unsteady",
	  "trials with packets over 1 ms late and no more lost than were due meanwhile: the burst "
	  "that made up for it may be why" },
	{ "disturbed_decisions", UNIT_COUNT, METRIC_LOWER, "  disturbed",
	  "loads and bursts judged by a trial that was unsteady, or a burst that was not back to back, "
	  "in every attempt: above 0 the figures may be this machine's" },
	{ "frame_bytes", UNIT_BYTES, METRIC_NEITHER, "frame", "length of the frames, with FCS" },
	{ "load_max_pps", UNIT_PPS, METRIC_NEITHER, "highest load",
	  "most frames a second that were asked for, or that the generator reaches of it (Max Load, "
	  "RFC 9971)" },
	{ "throughput_pps", UNIT_PPS, METRIC_HIGHER, "throughput",
	  "highest load below any upper bound at which no more than the goal allows was lost "
	  "(RFC 2544 26.1; relevant lower bound, RFC 9971)", .brief = true },
	{ "throughput_upper_pps", UNIT_PPS, METRIC_HIGHER, "  upper bound",
	  "lowest load at which more than the goal allows was lost (relevant upper bound, RFC 9971)",
	  .brief = true },
	{ "throughput_l1_bps", UNIT_BPS, METRIC_HIGHER, "  on the wire",
	  "throughput in bits a second: frame, FCS, preamble, start delimiter and gap", .brief = true },
	{ "throughput_ratio", UNIT_RATIO, METRIC_HIGHER, "  of the highest load",
	  "throughput / highest load", .brief = true },
	{ "throughput_conditional_pps", UNIT_PPS, METRIC_HIGHER, "  conditional",
	  "forwarding rate of a trial at the throughput, the goal's quantile of them (conditional "
	  "throughput, RFC 9971)", .brief = true },
	{ "goal_loss_ratio", UNIT_RATIO, METRIC_NEITHER, "goal: loss",
	  "loss ratio up to which a trial is a good one (RFC 9971)" },
	{ "goal_exceed_ratio", UNIT_RATIO, METRIC_NEITHER, "goal: exceed",
	  "share of the trials' time that may be of bad ones (RFC 9971)" },
	{ "goal_width_ratio", UNIT_RATIO, METRIC_NEITHER, "goal: width",
	  "(upper - lower bound) / upper bound at which a search ends (RFC 9971)" },
	{ "goal_initial_trial_ns", UNIT_NS, METRIC_NEITHER, "goal: initial trial",
	  "length of the first trials of a search (RFC 9971)" },
	{ "goal_final_trial_ns", UNIT_NS, METRIC_NEITHER, "goal: final trial",
	  "least length of a trial that can make a load a lower bound (RFC 9971)" },
	{ "goal_duration_sum_ns", UNIT_NS, METRIC_NEITHER, "goal: duration sum",
	  "time of trials after which a load is decided (RFC 9971)" },
	{ "latency_repeats", UNIT_COUNT, METRIC_NEITHER, "latency trials",
	  "trials that the latency is of; in each of them every frame is timed" },
	{ "latency_pps", UNIT_PPS, METRIC_NEITHER, "latency at", "load of the latency trials" },
	{ "latency_mean_ns", UNIT_NS, METRIC_LOWER, "latency",
	  "mean of the trials' mean one-way delays (RFC 2544 26.2, there of one frame each)", .brief = true,
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
	  "implied buffer time * (1 - throughput / highest load): what the device forwarded meanwhile "
	  "was not buffered (RFC 9004 5.4)", .brief = true },
	{ "buffer_packets", UNIT_NONE, METRIC_HIGHER, "buffer",
	  "back-to-back frames * (1 - throughput / highest load)", .brief = true },
	{ "recovery_tests", UNIT_COUNT, METRIC_NEITHER, "recovery tests",
	  "trials of recovery from overload whose end was seen" },
	{ "recovery_overload_pps", UNIT_PPS, METRIC_NEITHER, "overloaded by",
	  "110 % of the throughput, or the highest load if that is less; it then falls to half" },
	{ "recovery_mean_ns", UNIT_NS, METRIC_LOWER, "recovery",
	  "mean time from the fall of the load to the first packet behind the last loss (RFC 2544 26.5)",
	  .brief = true, OF("recovery", MEAN) },
	{ "recovery_max_ns", UNIT_NS, METRIC_LOWER, "  max", "longest of them", .brief = true,
	  OF("recovery", MAX) },
	{ "reset_tests", UNIT_COUNT, METRIC_NEITHER, "resets", "resets whose end was seen" },
	{ "reset_mean_ns", UNIT_NS, METRIC_LOWER, "reset",
	  "mean of the longest time without a packet in a trial with a reset (RFC 6201, by timestamps)",
	  .brief = true, OF("reset", MEAN) },
	{ "reset_max_ns", UNIT_NS, METRIC_LOWER, "  max", "longest of them", .brief = true,
	  OF("reset", MAX) },
	{ "reset_loss_mean_ns", UNIT_NS, METRIC_LOWER, "  by loss",
	  "mean of the packets lost in it / load (RFC 6201, by frame loss)", .brief = true,
	  OF("reset_loss", MEAN) },
	{ "service_cir_bps", UNIT_BPS, METRIC_NEITHER, "committed rate",
	  "committed information rate that was tested: bits of frames with FCS (Y.1564)" },
	{ "service_eir_bps", UNIT_BPS, METRIC_NEITHER, "excess rate",
	  "excess information rate that was tested (Y.1564)" },
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
	  "largest IP packet to the server as the kernel knows it, which full datagrams were seen to pass" },
	{ "baseline_rtt_ns", UNIT_NS, METRIC_LOWER, "baseline round trip",
	  "least round trip of a byte by TCP while nothing else is sent (RFC 6349 3.1)", .brief = true },
	{ "bottleneck_l1_bps", UNIT_BPS, METRIC_HIGHER, "bottleneck",
	  "rate of the narrowest link, on the wire: given, or what full datagrams, sent a quarter faster, brought there "
	  "(RFC 6349 3.2)", .brief = true },
	{ "bdp_bytes", UNIT_BYTES, METRIC_NEITHER, "bandwidth-delay (BDP)",
	  "bottleneck * baseline round trip (RFC 6349 3.3.1)" },
	{ "tcp_ideal_bps", UNIT_BPS, METRIC_HIGHER, "ideal",
	  "payload in full packets at the bottleneck's rate, or window / baseline round trip if less "
	  "(RFC 6349 3.3)" },
	{ "transfer_time_factor", UNIT_NONE, METRIC_LOWER, "transfer time ratio",
	  "time of the transfer / time that the ideal rate takes for it (RFC 6349 4.1)", .brief = true },
	{ "tcp_efficiency_ratio", UNIT_RATIO, METRIC_HIGHER, "TCP efficiency",
	  "(bytes sent - bytes sent again) / bytes sent (RFC 6349 4.2)", .brief = true },
	{ "tcp_rtt_mean_ns", UNIT_NS, METRIC_LOWER, "round trip in transfer",
	  "mean of TCP's smoothed round trip, by looks while it sends; of a server's connections the last one",
	  OF("tcp_rtt", MEAN) },
	{ "buffer_delay_ratio", UNIT_RATIO, METRIC_LOWER, "buffer delay",
	  "(round trip in transfer - baseline) / baseline (RFC 6349 4.3)", .brief = true },
	{ "made_packets", UNIT_COUNT, METRIC_NEITHER, "made",
	  "packets that the ledger accounts for: sent + refused by driver" },
	{ "claimed_packets", UNIT_COUNT, METRIC_LOWER, "lost and explained",
	  "sum of the ledger's rows but for received and unattributed" },
	{ "unattributed_packets", UNIT_COUNT, METRIC_LOWER, "unattributed",
	  "made - received, each sequence number once - lost and explained" },
	{ "overclaimed_packets", UNIT_COUNT, METRIC_LOWER, "overclaimed",
	  "packets that the ledger's rows claim beyond what was made; 0, or a source counts what is "
	  "not of the test" },

	{ "pacing_achieved_ratio", UNIT_RATIO, METRIC_HIGHER, "achieved of offered",
	  "sent rate / offered rate; below 99.9 % the result is irregular (RFC 9971)" },
	{ "irregular", UNIT_NONE, METRIC_LOWER, "irregular",
	  "true if the sender reached less than 99.9 % of the offered rate: a loss or a rate seen "
	  "then is not the path's (RFC 9971)" },
	DIST_ABOVE_MIN("pacing_late", "pacing late,", NULL,
	  "time by which packets left after their slot", METRIC_LOWER, "", 0)
	{ "calibration", UNIT_NONE, METRIC_NEITHER, "calibrated",
	  "when this machine, as it is now, was calibrated (ethgauge calibrate); none: never" },
	{ "calibrated_delay_floor_min_ns", UNIT_NS, METRIC_LOWER, "delay floor, min",
	  "smallest one-way delay over an empty wire: what the stamps' places themselves take",
	  OF("calibrated_delay_floor", MIN) },
	{ "calibrated_delay_floor_p50_ns", UNIT_NS, METRIC_LOWER, "delay floor, p50",
	  "median one-way delay over an empty wire", OF("calibrated_delay_floor", P50) },
	{ "calibrated_rtt_floor_p50_ns", UNIT_NS, METRIC_LOWER, "round trip floor, p50",
	  "median round trip over an empty wire, by the reflector in the driver",
	  OF("calibrated_rtt_floor", P50) },
	{ "calibrated_delay_error_p50_ns", UNIT_NS, METRIC_LOWER, "delay error, p50",
	  "furthest that a measured median delay was from the one put in, the empty path taken off; "
	  "what kept the packets is late by some of it", OF("calibrated_delay_error", P50) },
	{ "calibrated_delay_error_p99_ns", UNIT_NS, METRIC_LOWER, "delay error, p99",
	  "furthest that a measured 99th percentile was from the delay put in, likewise",
	  OF("calibrated_delay_error", P99) },
	{ "calibrated_gap_error_p50_ns", UNIT_NS, METRIC_LOWER, "pacing error, p50",
	  "median |gap - gap asked for| at the receiver, paced at a tenth of the highest rate at most",
	  OF("calibrated_gap_error", P50) },
	{ "calibrated_gap_error_p99_ns", UNIT_NS, METRIC_LOWER, "pacing error, p99",
	  "99th percentile of |gap - gap asked for| at the receiver",
	  OF("calibrated_gap_error", P99) },
	{ "calibrated_exact_pps", UNIT_PPS, METRIC_HIGHER, "exact up to",
	  "highest rate that was tried and at which sender, drivers and receiver counted the same, "
	  "with order and delay of every packet checked" },
	{ "calibrated_counted_packets", UNIT_COUNT, METRIC_NEITHER, "counted",
	  "packets sent in the calibration's runs without impairment, all of them accounted for" },
	{ "calibrated_impaired_packets", UNIT_COUNT, METRIC_NEITHER, "impaired",
	  "packets that were lost, doubled or put out of order on purpose, and found to be just so" },
	{ "record_ring_fill_ratio", UNIT_RATIO, METRIC_LOWER, "record ring, fullest",
	  "largest share of the ring of records that was in use; at 100 % records are lost" },
	{ "cpu_user_ratio", UNIT_CPUS, METRIC_LOWER, "user",
	  "cores busy in user mode for this process", .line = "this process" },
	{ "cpu_system_ratio", UNIT_CPUS, METRIC_LOWER, "system",
	  "cores busy in the kernel for this process, with the softirqs that ran on its back",
	  .line = "this process" },
	{ "memory_max_bytes", UNIT_BYTES, METRIC_LOWER, "memory",
	  "most memory that this process ever had in RAM (VmHWM)", .line = "this process",
	  .level = true },
	{ "bpf_map_bytes", UNIT_BYTES, METRIC_LOWER, "BPF maps",
	  "memory of the BPF maps that this process holds", .line = "this process", .level = true },
	{ "context_switches", UNIT_COUNT, METRIC_LOWER, "context switches",
	  "times that a thread of this process gave its CPU up to wait for something",
	  .line = "this process" },
	{ "preemptions", UNIT_COUNT, METRIC_LOWER, "preemptions",
	  "times that another task was put on the CPU of a thread of this process",
	  .line = "this process" },
	{ "sender_packet_cpu_ns", UNIT_NS, METRIC_LOWER, "sender CPU a packet",
	  "CPU time of the sender for each packet that arrived, all that it causes included "
	  "(scripts/bench-run)" },
	{ "packet_instructions", UNIT_NONE, METRIC_LOWER, "instructions a packet",
	  "instructions of all that a CPU does for a packet or a transaction of a scenario, the "
	  "sender's and the receiver's too (vmtest/regress)" },
	{ "packet_ns", UNIT_NS, METRIC_LOWER, "time a packet",
	  "time for a packet or a transaction of a scenario, back to back (vmtest/regress)" },
	{ "sender_run_ratio", UNIT_RATIO, METRIC_NEITHER, "sender ran",
	  "of a CPU: share of its sending thread's time that the thread was on it" },
	{ "sender_wait_ratio", UNIT_RATIO, METRIC_LOWER, "sender waited",
	  "of a CPU: share of its sending thread's time that the thread was ready and others had it" },

	{ "cpu_busy_ratio", UNIT_CPUS, METRIC_LOWER, "busy",
	  "cores of this host that were not idle, whatever for: by the kernel's clock of idle time; "
	  "as its parts null for a run below 0.1 s", .line = "CPU, whole host", .brief = true },
	{ "cpu_busy_user_ratio", UNIT_CPUS, METRIC_LOWER, "user",
	  "cores of this host that the timer tick met in user mode", .line = "CPU, whole host" },
	{ "cpu_busy_system_ratio", UNIT_CPUS, METRIC_LOWER, "system",
	  "cores of this host that the timer tick met in the kernel for a process",
	  .line = "CPU, whole host" },
	{ "cpu_busy_softirq_ratio", UNIT_CPUS, METRIC_LOWER, "softirq",
	  "cores of this host that the timer tick met in softirqs, where packets are handled; exact "
	  "on kernels with CONFIG_IRQ_TIME_ACCOUNTING, as the next", .line = "CPU, whole host",
	  .brief = true },
	{ "cpu_busy_irq_ratio", UNIT_CPUS, METRIC_LOWER, "irq",
	  "cores of this host that the timer tick met in interrupts", .line = "CPU, whole host" },
	{ "cpu_steal_ratio", UNIT_CPUS, METRIC_LOWER, "steal",
	  "cores of this virtual machine that the hypervisor gave to others", .line = "CPU, whole host" },
	{ "cpu_busy_unseen_ratio", UNIT_CPUS, METRIC_LOWER, "unaccounted",
	  "busy, and met by no tick: work of interrupts and softirqs on a CPU that was idle otherwise, "
	  "where the tick stops", .line = "CPU, whole host" },

	{ "interrupts", UNIT_COUNT, METRIC_LOWER, "interrupts",
	  "of this host, of all kinds: devices, timers, calls of other CPUs", .line = "events" },
	{ "nic_interrupts", UNIT_COUNT, METRIC_LOWER, "of the NIC",
	  "interrupts of the interface; null where it has none, as veth", .line = "events" },
	{ "net_rx_softirqs", UNIT_COUNT, METRIC_NEITHER, "NET_RX",
	  "receive softirqs that this host ran", .line = "events" },
	{ "net_tx_softirqs", UNIT_COUNT, METRIC_NEITHER, "NET_TX",
	  "transmit softirqs that this host ran", .line = "events" },
	{ "softnet_packets", UNIT_COUNT, METRIC_NEITHER, "softnet packets",
	  "packets that this host's stack took in; an XDP program that drops or sends them "
	  "takes them before", .line = "events" },
	{ "softnet_dropped_packets", UNIT_COUNT, METRIC_LOWER, "backlog dropped",
	  "packets that this host's backlog queues had no room for", .line = "events" },
	{ "softnet_squeezed", UNIT_COUNT, METRIC_LOWER, "squeezed",
	  "receive softirqs that used their budget or time up with packets still waiting",
	  .line = "events" },

	{ "tx_ring_mean_frames", UNIT_NONE, METRIC_NEITHER, "mean",
	  "frames in the AF_XDP transmit ring, given to the kernel and not yet back, at a kick; "
	  "of all threads", .line = "AF_XDP ring" },
	{ "tx_ring_min_frames", UNIT_COUNT, METRIC_NEITHER, "min",
	  "fewest frames in the ring at a kick", .line = "AF_XDP ring" },
	{ "tx_ring_max_frames", UNIT_COUNT, METRIC_NEITHER, "max",
	  "most frames in the ring at a kick", .line = "AF_XDP ring" },
	{ "tx_ring_size_frames", UNIT_COUNT, METRIC_NEITHER, "of",
	  "frames that the ring of a thread has", .line = "AF_XDP ring" },
	{ "tx_ring_full_ratio", UNIT_RATIO, METRIC_LOWER, "full",
	  "share of the times that a frame was wanted and none was free", .line = "AF_XDP ring" },
	{ "tx_socket_max_bytes", UNIT_BYTES, METRIC_NEITHER, "send buffer max",
	  "copy mode: most bytes seen in the socket's send buffer, at one kick in 256",
	  .line = "AF_XDP ring" },
	{ "tx_socket_limit_bytes", UNIT_BYTES, METRIC_NEITHER, "send buffer",
	  "size of that send buffer", .line = "AF_XDP ring" },
	{ "rx_overrun_packets", UNIT_COUNT, METRIC_LOWER, "receive overruns",
	  "packets that the interface's receive ring had no room for: the largest growth of its "
	  "counters rx_missed, rx_over and rx_fifo errors", .line = "events" },

	{ "bottleneck", UNIT_TEXT, METRIC_NEITHER, "bottleneck",
	  "what of this host was the limit of this result: none, unknown, sender cpu, receiver cpu, "
	  "or ring (the device took, or gave, less than there was)", .brief = true },
	{ "metered_ns", UNIT_NS, METRIC_NEITHER, "metered",
	  "time that the figures of CPUs, interrupts and softirqs are of: the sender's, or the receiver's",
	  .line = "measurement cost" },
	{ "metering_ns", UNIT_NS, METRIC_LOWER, "cost",
	  "time that the readings of these figures took, before and after the run",
	  .line = "measurement cost" },
	{ "clock_read_user_ns", UNIT_NS, METRIC_LOWER, "clock read, user",
	  "time that one clock_gettime() of the stamps' clock takes: median of 15 times 100, at the start" },
	{ "clock_read_bpf_ns", UNIT_NS, METRIC_LOWER, "clock read, BPF",
	  "time that one reading of the stamps' clock takes in a BPF program: median of 15 times 64 "
	  "runs with 64 readings, less as many without, at the start" },
	{ "clock_synchronised", UNIT_NONE, METRIC_NEITHER, "clock synchronised",
	  "true if somebody (NTP, PTP) sets this host's clock, as the kernel was told (adjtimex)" },
	{ "clock_error_ns", UNIT_NS, METRIC_LOWER, "clock error, bound",
	  "bound of the error of this host's clock (adjtimex maxerror); a one-way delay between two "
	  "hosts is right to within the sum of both" },
	{ "clock_error_estimated_ns", UNIT_NS, METRIC_LOWER, "clock error, guess",
	  "error of this host's clock as estimated by who sets it (adjtimex esterror)" },
	{ "phc_error_ns", UNIT_NS, METRIC_LOWER, "NIC clock error",
	  "largest error of the conversion from the NIC's clock: half of a reading's time, and how far "
	  "the line from the reading before led astray" },
	{ "snapshot_skew_ns", UNIT_NS, METRIC_LOWER, "snapshot skew",
	  "longest time that one reading of all counters took" },

	{ "theory_link_bps", UNIT_BPS, METRIC_NEITHER, "link",
	  "bits a second of the wire (L1) that the figures of calc are for" },
	{ "theory_smallest_pps", UNIT_PPS, METRIC_NEITHER, "smallest frames",
	  "most frames of 64 bytes, tags beside them, that the link carries (RFC 2544 appendix B)" },
	{ "theory_largest_pps", UNIT_PPS, METRIC_NEITHER, "largest frames",
	  "most frames with a packet of the MTU that the link carries" },
	{ "theory_tcp_goodput_bps", UNIT_BPS, METRIC_NEITHER, "TCP goodput",
	  "payload in full TCP segments, with the options and by the IP version asked for" },
	{ "theory_tcp_goodput_ratio", UNIT_RATIO, METRIC_NEITHER, "  of the link",
	  "the same / link" },
	{ "theory_udp_goodput_bps", UNIT_BPS, METRIC_NEITHER, "UDP goodput",
	  "payload in UDP datagrams that fill the MTU" },
	{ "theory_udp_goodput_ratio", UNIT_RATIO, METRIC_NEITHER, "  of the link",
	  "the same / link" },
	{ "theory_udp_rr_per_s", UNIT_COUNT, METRIC_NEITHER, "UDP rr a second",
	  "requests and responses that full duplex carries: link / bits on the wire of one "
	  "transaction, in the direction that has more of them" },
	{ "theory_tcp_rr_per_s", UNIT_COUNT, METRIC_NEITHER, "TCP rr a second",
	  "the same by TCP in one connection" },
	{ "theory_tcp_crr_per_s", UNIT_COUNT, METRIC_NEITHER, "TCP crr a second",
	  "the same by TCP in a connection each" },
	{ "theory_bdp_bytes", UNIT_BYTES, METRIC_NEITHER, "bandwidth-delay (BDP)",
	  "bytes under way: link x round trip; the least window that fills the path (RFC 6349 3.3)" },
	{ "theory_window_scale", UNIT_NONE, METRIC_NEITHER, "  window scale",
	  "least shift that can tell a window so large (RFC 7323)" },
	{ "theory_socket_buffer_bytes", UNIT_BYTES, METRIC_NEITHER, "  socket buffer",
	  "2 x bandwidth x delay: Linux gives half of a receive buffer to the window "
	  "(tcp_adv_win_scale 1, ip-sysctl)" },
	{ "theory_queue_bytes", UNIT_BYTES, METRIC_NEITHER, "  queue",
	  "bandwidth x delay / square root of --parallel: what a router's queue needs to keep the "
	  "link busy (Appenzeller, Keslassy, McKeown 2004)" },
	{ "theory_window_bps", UNIT_BPS, METRIC_NEITHER, "  --window carries",
	  "window / round trip, at most the link" },
};

static struct hsearch_data by_key;

/* Before main(), so that any thread may look: each figure that is set is looked up. */
__attribute__((constructor)) static void index_metrics(void)
{
	ENTRY *ignored;
	size_t i;

	if (!hcreate_r(2 * sizeof(metrics) / sizeof(metrics[0]), &by_key))
		abort();
	for (i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++)
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

	for (i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++) {
		if (metrics[i].family && metrics[i].stat == stat && !strcmp(metrics[i].family, family))
			return &metrics[i];
	}
	return NULL;
}

const struct metric *metric_at(size_t index)
{
	return index < sizeof(metrics) / sizeof(metrics[0]) ? &metrics[index] : NULL;
}
