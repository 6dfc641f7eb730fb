// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * result/metrics_watch.c - the dictionary: figures of watch.
 */
#include "result/metric_rows.h"

const struct metric drop_metrics[] = {
	{ "dropped_packets", UNIT_COUNT, METRIC_LOWER, "dropped",
	  "packets that the kernel dropped at the watched interfaces, or without a known interface "
	  "(tracepoint skb:kfree_skb and those of XDP)", .brief = true },
	{ "host_dropped_packets", UNIT_COUNT, METRIC_LOWER, "dropped, whole host",
	  "packets that the kernel dropped anywhere on this host, in all network namespaces "
	  "(skb:kfree_skb)", .brief = true },
	METRICS_END
};

const struct metric watch_metrics[] = {
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
	METRICS_END
};
