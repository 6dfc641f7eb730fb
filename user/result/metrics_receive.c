// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * result/metrics_receive.c - the dictionary: figures of receivers: counts, loss, order and delay; and of the ledger.
 */
#include "result/metric_rows.h"

const struct metric receive_metrics[] = {
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
	METRICS_END
};

const struct metric record_metrics[] = {
	{ "record_packets", UNIT_COUNT, METRIC_NEITHER, "recorded",
	  "packets with a record in the file of --records" },
	{ "record_lost_packets", UNIT_COUNT, METRIC_LOWER, "not recorded",
	  "packets without a record, as the ring was full; all other figures count them" },
	METRICS_END
};

const struct metric order_metrics[] = {
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
	  "packets whose sequence number had arrived before; they never repair a loss",
	  .brief = true, .row = METRIC_ROW_UNLESS_0 },
	{ "reordered_packets", UNIT_COUNT, METRIC_LOWER, "reordered",
	  "packets whose sequence number is below the next expected one (RFC 4737)",
	  .brief = true, .row = METRIC_ROW_UNLESS_0 },
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
	  "packets after 3 with larger sequence numbers, at which TCP assumes a loss (RFC 4737 5)" },
	{ "n_reordered_3_ratio", UNIT_RATIO, METRIC_LOWER, "  3-reordered ratio",
	  "3-reordered / distinct received: the degree of 3-reordering (RFC 4737 5)" },
	{ "n_reordered_max", UNIT_COUNT, METRIC_LOWER, "  largest n",
	  "largest n of n-reordering (RFC 4737 5); 128 means 128 or more" },
	{ "late_time_packets", UNIT_COUNT, METRIC_NEITHER, "  late times",
	  "reordered packets with a measured late time", OF("late_time", COUNT) },
	{ "late_time", UNIT_NS, METRIC_LOWER, "late time", "late time", .dist = METRIC_DIST_RESULT,
	  .title = "late by",
	  .note = ": since the first arrival with a larger sequence number (RFC 4737 4.3)" },
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
	METRICS_END
};

const struct metric delay_metrics[] = {
	{ "delay_packets", UNIT_COUNT, METRIC_NEITHER, "delays", "one-way delays measured",
	  OF("delay", COUNT) },
	{ "delay", UNIT_NS, METRIC_LOWER, "delay", "one-way delay", .dist = METRIC_DIST_ROWS,
	  .title = "one-way delay", .brief = true, .shown = 1 << DIST_P50 | 1 << DIST_P99 },
	{ "delay_negative_packets", UNIT_COUNT, METRIC_LOWER, "negative delays",
	  "packets with a timestamp in the receiver's future: the clocks of both ends differ" },
	{ "ipdv_count", UNIT_COUNT, METRIC_NEITHER, "ipdvs",
	  "pairs of consecutive sequence numbers that both arrived with a time",
	  OF("ipdv", COUNT) },
	{ "ipdv", UNIT_NS, METRIC_NEITHER, "ipdv", "D(i) - D(i-1), with its sign",
	  .dist = METRIC_DIST_SIGNED, .title = "ipdv",
	  .note = ": D is the one-way delay, i and i-1 consecutive sequence numbers that both arrived "
	  "(IPDV, RFC 5481); the mean is about 0 unless the one-way delay drifts" },
	{ "ipdv_abs", UNIT_NS, METRIC_LOWER, "|ipdv|", "|ipdv|", .dist = METRIC_DIST_RESULT,
	  .title = "|ipdv|" },
	{ "pdv", UNIT_NS, METRIC_LOWER, "pdv", "D - Dmin", .dist = METRIC_DIST_ABOVE_MIN, .title = "pdv",
	  .note = ": D is the one-way delay, Dmin the smallest (PDV, RFC 5481; that of RFC 8219 is its "
	  "p99.9)" },
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
	METRICS_END
};

const struct metric gap_metrics[] = {
	{ "gap_count", UNIT_COUNT, METRIC_NEITHER, "inter-arrival times",
	  "inter-arrival times measured: between packets of a stream; with "
	  "watch, between buffers of one direction on one CPU", OF("gap", COUNT) },
	{ "gap", UNIT_NS, METRIC_NEITHER, "inter-arrival", "inter-arrival time", .dist = METRIC_DIST_RESULT,
	  .title = "inter-arrival time", .brief = true },
	{ "gap_expected_ns", UNIT_NS, METRIC_NEITHER, "expected interval",
	  "inter-arrival time given by --expect-gap" },
	{ "gap_error", UNIT_NS, METRIC_LOWER, "interval error", "|inter-arrival time - expected interval|",
	  .dist = METRIC_DIST_RESULT, .title = "interval error", .brief = true },
	METRICS_END
};

const struct metric socket_metrics[] = {
	{ "socket_dropped_packets", UNIT_COUNT, METRIC_LOWER, "socket dropped",
	  "datagrams that the receiving socket dropped, by its own counter: buffer full, or a wrong "
	  "checksum" },
	METRICS_END
};

const struct metric ledger_metrics[] = {
	{ "made_packets", UNIT_COUNT, METRIC_NEITHER, "made",
	  "packets that the ledger accounts for: sent + refused by driver" },
	{ "claimed_packets", UNIT_COUNT, METRIC_LOWER, "lost and explained",
	  "sum of the ledger's rows except received and unattributed" },
	{ "unattributed_packets", UNIT_COUNT, METRIC_LOWER, "unattributed",
	  "made - received (each sequence number once) - lost and explained" },
	{ "overclaimed_packets", UNIT_COUNT, METRIC_LOWER, "overclaimed",
	  "drops that the ledger's sources report beyond the packets that were missing; above 0, a source "
	  "counts other traffic" },
	METRICS_END
};

const struct metric overrun_metrics[] = {
	{ "rx_overrun_packets", UNIT_COUNT, METRIC_LOWER, "receive overruns",
	  "packets lost because the interface's receive ring was full: the largest increase of its "
	  "counters rx_missed, rx_over and rx_fifo errors", .line = "events" },
	METRICS_END
};
