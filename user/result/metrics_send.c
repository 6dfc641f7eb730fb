// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * result/metrics_send.c - the dictionary: figures of senders: blast, probe and replay.
 */
#include "result/metric_rows.h"

const struct metric send_metrics[] = {
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
	  "packets of the capture file that were processed, in all loops: sent, refused and skipped" },
	{ "replay_skipped_packets", UNIT_COUNT, METRIC_LOWER, "skipped",
	  "packets of the capture file that cannot be sent: cut by the snap length, longer "
	  "than the interface's MTU allows, or shorter than an Ethernet header" },
	{ "replay_tagged_packets", UNIT_COUNT, METRIC_NEITHER, "tagged",
	  "packets of the capture file that were sent with the probe tag in their UDP payload" },
	{ "saved_packets", UNIT_COUNT, METRIC_NEITHER, "saved",
	  "packets written to a capture file instead of being sent" },
	METRICS_END
};

const struct metric tx_done_metrics[] = {
	{ "tx_done_packets", UNIT_COUNT, METRIC_NEITHER, "transmit timestamps",
	  "packets with a transmit timestamp of the NIC or kernel (blast --tx-stamp)",
	  OF("tx_done", COUNT) },
	{ "tx_done_unstamped_packets", UNIT_COUNT, METRIC_LOWER, "no transmit timestamp",
	  "packets sent without a transmit timestamp" },
	{ "tx_done", UNIT_NS, METRIC_LOWER, "tag to sent,",
	  "time from the timestamp in the tag to the transmit timestamp", .dist = METRIC_DIST_RESULT,
	  .title = "tag to sent",
	  .note = ": that of the NIC (hw), or of the kernel when the driver returned the frame (sw)" },

	{ "driver_tx_packets", UNIT_COUNT, METRIC_NEITHER, "driver sent",
	  "increase of the interface's transmit counter" },
	{ "driver_tx_dropped", UNIT_COUNT, METRIC_LOWER, "driver tx dropped",
	  "increase of the interface's transmit drop counter" },
	METRICS_END
};

const struct metric pacing_metrics[] = {
	{ "pacing_achieved_ratio", UNIT_RATIO, METRIC_HIGHER, "achieved / offered",
	  "sent rate / offered rate; below 99.9 % the result is irregular (RFC 9971)" },
	{ "irregular", UNIT_NONE, METRIC_LOWER, "irregular",
	  "true if the sender reached less than 99.9 % of the offered rate (RFC 9971), or if more than "
	  "0.1 % of the packets left late, by 1 ms and one slot at least, and so in bursts: its losses, "
	  "rates and delays may not be those of the path" },
	{ "pacing_late", UNIT_NS, METRIC_LOWER, "pacing late,",
	  "time by which packets were sent after their slot", .dist = METRIC_DIST_ABOVE_MIN },
	METRICS_END
};

const struct metric tx_ring_metrics[] = {
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
	METRICS_END
};
