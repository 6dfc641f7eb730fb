// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report/metrics.c - the dictionary. Text labels, the JSON keys, compare's
 * direction and the glossary come from here and nowhere else.
 */
#include "report/metrics.h"

#include <string.h>

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
	{ "streams", UNIT_COUNT, METRIC_NEITHER, "streams", "tagged streams seen" },
	{ "untagged_packets", UNIT_COUNT, METRIC_NEITHER, "untagged",
	  "test packets without a probe tag: counted, but neither timed nor checked for order" },
	{ "foreign_packets", UNIT_COUNT, METRIC_NEITHER, "foreign",
	  "packets that did not match the filter and went on to the stack" },
	{ "other_stream_packets", UNIT_COUNT, METRIC_NEITHER, "other streams",
	  "tagged packets whose stream number is beyond the table: counted, but not checked" },

	{ "answered_packets", UNIT_COUNT, METRIC_NEITHER, "answered",
	  "packets that the reflector sent back", .brief = true },
	{ "answered_bytes", UNIT_BYTES, METRIC_NEITHER, "answered bytes",
	  "sum of the frames sent back, each with its 4-byte FCS" },
	{ "answered_pps", UNIT_PPS, METRIC_HIGHER, "answered rate",
	  "packets sent back / time between the first and the last of them" },
	{ "answered_udp_packets", UNIT_COUNT, METRIC_NEITHER, "  UDP", "UDP packets answered" },
	{ "answered_icmp_packets", UNIT_COUNT, METRIC_NEITHER, "  ICMP echo",
	  "ICMP and ICMPv6 echo requests answered" },
	{ "left_packets", UNIT_COUNT, METRIC_NEITHER, "left alone",
	  "packets that the reflector passed to the stack, untouched" },
	{ "left_fragment_packets", UNIT_COUNT, METRIC_NEITHER, "  fragments",
	  "fragments left alone: their ends cannot be told" },
	{ "left_unsafe_packets", UNIT_COUNT, METRIC_NEITHER, "  unsafe to answer",
	  "broadcast, multicast, or from the reflector's own port, which would circulate for ever" },
	{ "left_malformed_packets", UNIT_COUNT, METRIC_NEITHER, "  malformed",
	  "packets for the reflector whose headers are cut short or contradict their length" },

	{ "lost_packets", UNIT_COUNT, METRIC_LOWER, "lost",
	  "sent - distinct received, late arrivals not lost; where the sender's count is not "
	  "known, the gaps in the sequence", .brief = true },
	{ "lost_ratio", UNIT_RATIO, METRIC_LOWER, "loss", "lost / (lost + distinct received)" },
	{ "duplicate_packets", UNIT_COUNT, METRIC_LOWER, "duplicates",
	  "packets whose sequence number had arrived before; they never repair a loss", .brief = true },
	{ "reordered_packets", UNIT_COUNT, METRIC_LOWER, "reordered",
	  "packets whose sequence number is below the next expected one (RFC 4737)", .brief = true },
	{ "reordered_ratio", UNIT_RATIO, METRIC_LOWER, "reordered ratio",
	  "reordered / distinct received (RFC 4737)" },
	{ "reordered_distance_max", UNIT_COUNT, METRIC_LOWER, "furthest reordered",
	  "largest distance of a reordered packet behind the highest sequence number seen" },
	{ "unknown_packets", UNIT_COUNT, METRIC_LOWER, "unknown",
	  "packets too far behind to tell a late one from a duplicate; never folded into loss" },
	{ "unseen_before_packets", UNIT_COUNT, METRIC_NEITHER, "before the first",
	  "sequence numbers before the first that arrived: lost, or sent before the sink was there" },
	{ "restarts", UNIT_COUNT, METRIC_NEITHER, "sender restarts",
	  "times that a stream's numbering started again" },

	{ "rtt_packets", UNIT_COUNT, METRIC_NEITHER, "round trips", "round trips measured" },
	{ "rtt_min_ns", UNIT_NS, METRIC_LOWER, "round trip min", "smallest round trip, exact", .brief = true },
	{ "rtt_mean_ns", UNIT_NS, METRIC_LOWER, "round trip mean", "mean round trip, exact" },
	{ "rtt_p50_ns", UNIT_NS, METRIC_LOWER, "round trip p50", "median round trip" },
	{ "rtt_p90_ns", UNIT_NS, METRIC_LOWER, "round trip p90", "90th percentile" },
	{ "rtt_p99_ns", UNIT_NS, METRIC_LOWER, "round trip p99", "99th percentile" },
	{ "rtt_p99_9_ns", UNIT_NS, METRIC_LOWER, "round trip p99.9", "99.9th percentile" },
	{ "rtt_p99_99_ns", UNIT_NS, METRIC_LOWER, "round trip p99.99", "99.99th percentile" },
	{ "rtt_max_ns", UNIT_NS, METRIC_LOWER, "round trip max", "largest round trip, exact" },
	{ "delay_packets", UNIT_COUNT, METRIC_NEITHER, "delays", "one-way delays measured" },
	{ "delay_min_ns", UNIT_NS, METRIC_LOWER, "delay min", "smallest one-way delay, exact", .brief = true },
	{ "delay_mean_ns", UNIT_NS, METRIC_LOWER, "delay mean", "mean one-way delay, exact" },
	{ "delay_p50_ns", UNIT_NS, METRIC_LOWER, "delay p50", "median one-way delay" },
	{ "delay_p90_ns", UNIT_NS, METRIC_LOWER, "delay p90", "90th percentile" },
	{ "delay_p99_ns", UNIT_NS, METRIC_LOWER, "delay p99", "99th percentile" },
	{ "delay_p99_9_ns", UNIT_NS, METRIC_LOWER, "delay p99.9", "99.9th percentile" },
	{ "delay_p99_99_ns", UNIT_NS, METRIC_LOWER, "delay p99.99", "99.99th percentile" },
	{ "delay_max_ns", UNIT_NS, METRIC_LOWER, "delay max", "largest one-way delay, exact" },
	{ "delay_negative_packets", UNIT_COUNT, METRIC_LOWER, "negative delays",
	  "packets stamped in the receiver's future: the clocks of the two ends differ" },

	{ "gap_count", UNIT_COUNT, METRIC_NEITHER, "gaps",
	  "times measured between two packets of a stream that arrived one after the other" },
	{ "gap_min_ns", UNIT_NS, METRIC_NEITHER, "gap min", "smallest gap, exact", .brief = true },
	{ "gap_mean_ns", UNIT_NS, METRIC_NEITHER, "gap mean", "mean gap, exact" },
	{ "gap_p50_ns", UNIT_NS, METRIC_NEITHER, "gap p50", "median gap" },
	{ "gap_p90_ns", UNIT_NS, METRIC_NEITHER, "gap p90", "90th percentile" },
	{ "gap_p99_ns", UNIT_NS, METRIC_NEITHER, "gap p99", "99th percentile" },
	{ "gap_p99_9_ns", UNIT_NS, METRIC_NEITHER, "gap p99.9", "99.9th percentile" },
	{ "gap_p99_99_ns", UNIT_NS, METRIC_NEITHER, "gap p99.99", "99.99th percentile" },
	{ "gap_max_ns", UNIT_NS, METRIC_NEITHER, "gap max", "largest gap, exact" },
	{ "gap_expected_ns", UNIT_NS, METRIC_NEITHER, "gap expected",
	  "gap that was asked to compare with" },
	{ "gap_error_min_ns", UNIT_NS, METRIC_LOWER, "gap error min",
	  "smallest |gap - gap expected|, exact", .brief = true },
	{ "gap_error_mean_ns", UNIT_NS, METRIC_LOWER, "gap error mean",
	  "mean |gap - gap expected|, exact" },
	{ "gap_error_p50_ns", UNIT_NS, METRIC_LOWER, "gap error p50", "median |gap - gap expected|" },
	{ "gap_error_p90_ns", UNIT_NS, METRIC_LOWER, "gap error p90",
	  "90th percentile of |gap - gap expected|" },
	{ "gap_error_p99_ns", UNIT_NS, METRIC_LOWER, "gap error p99",
	  "99th percentile of |gap - gap expected|" },
	{ "gap_error_p99_9_ns", UNIT_NS, METRIC_LOWER, "gap error p99.9",
	  "99.9th percentile of |gap - gap expected|" },
	{ "gap_error_p99_99_ns", UNIT_NS, METRIC_LOWER, "gap error p99.99",
	  "99.99th percentile of |gap - gap expected|" },
	{ "gap_error_max_ns", UNIT_NS, METRIC_LOWER, "gap error max",
	  "largest |gap - gap expected|, exact" },

	{ "driver_tx_packets", UNIT_COUNT, METRIC_NEITHER, "driver sent",
	  "growth of the interface's own transmit counter" },
	{ "driver_tx_dropped", UNIT_COUNT, METRIC_LOWER, "driver tx dropped",
	  "growth of the interface's own transmit drop counter" },

	{ "pacing_achieved_ratio", UNIT_RATIO, METRIC_HIGHER, "achieved of offered",
	  "sent rate / offered rate; below 99.9 % the result is irregular (RFC 9971)" },
	{ "irregular", UNIT_NONE, METRIC_LOWER, "irregular",
	  "true if the sender reached less than 99.9 % of the offered rate: a loss or a rate seen "
	  "then is not the path's (RFC 9971)" },
	{ "pacing_late_mean_ns", UNIT_NS, METRIC_LOWER, "pacing late, mean",
	  "mean time by which packets left after their slot" },
	{ "pacing_late_p50_ns", UNIT_NS, METRIC_LOWER, "pacing late, p50",
	  "median time by which packets left after their slot" },
	{ "pacing_late_p99_ns", UNIT_NS, METRIC_LOWER, "pacing late, p99",
	  "99th percentile of the time by which packets left after their slot" },
	{ "pacing_late_p99_9_ns", UNIT_NS, METRIC_LOWER, "pacing late, p99.9",
	  "99.9th percentile of the time by which packets left after their slot" },
	{ "pacing_late_max_ns", UNIT_NS, METRIC_LOWER, "pacing late, max",
	  "largest time by which a packet left after its slot" },
	{ "cpu_user_ratio", UNIT_CPUS, METRIC_LOWER, "CPU, user", "cores busy in user mode" },
	{ "cpu_system_ratio", UNIT_CPUS, METRIC_LOWER, "CPU, system",
	  "cores busy in the kernel for this process" },
	{ "cpu_busy_ratio", UNIT_CPUS, METRIC_LOWER, "CPU, whole host",
	  "cores busy on this host, softirq and other processes included" },
	{ "calibration", UNIT_NONE, METRIC_NEITHER, "calibrated",
	  "when this machine, as it is now, was calibrated (ethgauge calibrate); none: never" },
	{ "calibrated_delay_floor_min_ns", UNIT_NS, METRIC_LOWER, "delay floor, min",
	  "smallest one-way delay over an empty wire: what the stamps' places themselves take" },
	{ "calibrated_delay_floor_p50_ns", UNIT_NS, METRIC_LOWER, "delay floor, p50",
	  "median one-way delay over an empty wire" },
	{ "calibrated_rtt_floor_p50_ns", UNIT_NS, METRIC_LOWER, "round trip floor, p50",
	  "median round trip over an empty wire, by the reflector in the driver" },
	{ "calibrated_delay_error_p50_ns", UNIT_NS, METRIC_LOWER, "delay error, p50",
	  "furthest that a measured median delay was from the one put in, the empty path taken off; "
	  "what kept the packets is late by some of it" },
	{ "calibrated_delay_error_p99_ns", UNIT_NS, METRIC_LOWER, "delay error, p99",
	  "furthest that a measured 99th percentile was from the delay put in, likewise" },
	{ "calibrated_gap_error_p50_ns", UNIT_NS, METRIC_LOWER, "pacing error, p50",
	  "median |gap - gap asked for| at the receiver, paced at a tenth of the highest rate at most" },
	{ "calibrated_gap_error_p99_ns", UNIT_NS, METRIC_LOWER, "pacing error, p99",
	  "99th percentile of |gap - gap asked for| at the receiver" },
	{ "calibrated_exact_pps", UNIT_PPS, METRIC_HIGHER, "exact up to",
	  "highest rate that was tried and at which sender, drivers and receiver counted the same, "
	  "with order and delay of every packet checked" },
	{ "calibrated_counted_packets", UNIT_COUNT, METRIC_NEITHER, "counted",
	  "packets sent in the calibration's runs without impairment, all of them accounted for" },
	{ "calibrated_impaired_packets", UNIT_COUNT, METRIC_NEITHER, "impaired",
	  "packets that were lost, doubled or put out of order on purpose, and found to be just so" },
	{ "snapshot_skew_ns", UNIT_NS, METRIC_LOWER, "snapshot skew",
	  "longest time that one reading of all counters took" },
};

const struct metric *metric_find(const char *key)
{
	size_t i;

	for (i = 0; i < sizeof(metrics) / sizeof(metrics[0]); i++) {
		if (!strcmp(metrics[i].key, key))
			return &metrics[i];
	}
	return NULL;
}

const struct metric *metric_at(size_t index)
{
	return index < sizeof(metrics) / sizeof(metrics[0]) ? &metrics[index] : NULL;
}
