// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * result/metrics_theory.c - the dictionary: figures of theory.
 */
#include "result/metric_rows.h"

const struct metric theory_metrics[] = {
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
	METRICS_END
};
