// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * result/columns.c - the dictionary of tables.
 */
#include "result/columns.h"

#include <search.h>
#include <stddef.h>
#include <stdlib.h>

#include "lib/array.h"
#include "result/metrics.h"

#define WORD(key, label)	{ key, UNIT_TEXT, 1, label }
#define NUMBER(key, label)	{ key, UNIT_NONE, 1, label }
#define COUNT(key, label)	{ key, UNIT_COUNT, 1, label }
#define SIZE(key, label)	{ key, UNIT_BYTES, 1, label }
#define TIME(key, label)	{ key, UNIT_NS, 1, label }
#define TIME_US(key, label)	{ key, UNIT_NS, 1e3, label }
#define TIME_MS(key, label)	{ key, UNIT_NS, 1e6, label }
#define RATE(key, label)	{ key, UNIT_PPS, 1, label }
#define BITS(key, label)	{ key, UNIT_BPS, 1, label }
#define MBITS(key, label)	{ key, UNIT_BPS, 1e6, label }
#define SHARE(key, label)	{ key, UNIT_RATIO, 1, label }

/* Both directions of a flow. */
#define FLOW_COUNTS(unit, key, label) \
	unit("tx_" key, label ", sent by this host"), unit("rx_" key, label ", received by this host")

/* Round trips as a flow of watch has them, or one side of it. */
#define FLOW_TRIPS(prefix, label) \
	TIME(prefix "_mean_ns", label ", mean"), TIME(prefix "_min_ns", label ", least"), \
	TIME(prefix "_max_ns", label ", maximum"), NUMBER(prefix "_count", label ", count"), \
	TIME(prefix "_p50_ns", label ", median to 1/8"), TIME(prefix "_p90_ns", label ", 90 %"), \
	TIME(prefix "_p99_ns", label ", 99 %")

static const struct column columns[] = {
	/* lab */
	WORD("lab", "name of the lab"), WORD("node", "node of the lab"),
	WORD("namespace", "network namespace"), WORD("interface", "name of the interface"),
	WORD("wire", "up or down"), NUMBER("mtu", "MTU"), NUMBER("queues", "queues of the interface"),
	WORD("mac", "MAC address"), WORD("ip4", "IPv4 address"), WORD("ip6", "IPv6 address"),

	/* calc */
	SIZE("wire_bytes", "bytes on the wire: frame, FCS, preamble, start delimiter and gap"),
	RATE("frame_pps", "frames per second"), TIME("frame_ns", "time of a frame on the wire"),
	BITS("l2_bps", "bits per second of frames with FCS"),
	SHARE("l2_ratio", "frames with FCS / link"),
	WORD("protocol", "transport and IP version"), SIZE("payload_bytes", "payload of a packet"),
	RATE("packet_pps", "full packets per second"),
	BITS("goodput_bps", "payload bits per second"), SHARE("goodput_ratio", "payload / link"),
	SHARE("tcp_ip4_ratio", "TCP over IPv4: payload / link"),
	SHARE("udp_ip4_ratio", "UDP over IPv4: payload / link"),
	SHARE("tcp_ip6_ratio", "TCP over IPv6: payload / link"),
	SHARE("udp_ip6_ratio", "UDP over IPv6: payload / link"),
	WORD("tunnel", "encapsulation"), SIZE("tunnel_bytes", "bytes added to a packet"),
	NUMBER("inner_mtu", "MTU inside the tunnel"),
	WORD("transaction", "a request and its response"), WORD("frame", "what the frame is for"),
	WORD("way", "direction"), NUMBER("frames", "number of these frames"),
	SIZE("window_bytes", "TCP window"), BITS("carried_bps", "highest payload rate of the window"),
	SHARE("carried_ratio", "that rate / link"),

	/* sweep: the measured figure */
	NUMBER("median", "median of the runs"), NUMBER("min", "minimum of the runs"),
	NUMBER("max", "maximum of the runs"), NUMBER("mean", "mean of the runs"),
	NUMBER("theory", "theoretical limit"),
	SHARE("off_theory_ratio", "median / theory - 1"), NUMBER("failed", "runs that failed"),
	WORD("study", "name of the study"), WORD("what", "question that it answers"),

	/* tcp and udp: a row a connection, or a message length */
	WORD("sender", "which end sends"), NUMBER("retransmits", "segments retransmitted (tcp_info)"),
	TIME_US("srtt_us", "smoothed round-trip time (tcp_info)"),
	TIME_US("min_rtt_us", "minimum round-trip time (tcp_info)"),
	NUMBER("cwnd", "congestion window, segments (tcp_info)"),
	NUMBER("mss", "maximum segment size, bytes (tcp_info)"),
	MBITS("delivery_mbps", "delivery rate: acknowledged data / busy time (tcp_info)"),
	TIME_MS("busy_ms", "time with unsent or unacknowledged data (tcp_info)"),
	TIME_MS("rwnd_ms", "time limited by the receiver's window (tcp_info)"),
	TIME_MS("sndbuf_ms", "time limited by the send buffer (tcp_info)"),
	WORD("control", "congestion control"), NUMBER("sndbuf", "send buffer, bytes"),
	SIZE("message_bytes", "length of a message"), MBITS("sent_mbps", "sent rate, payload"),
	MBITS("received_mbps", "received rate"), NUMBER("messages_per_s", "messages per second"),
	{ "client_cpus", UNIT_CPUS, 1, "cores that the client's threads kept busy" },
	{ "server_cpus", UNIT_CPUS, 1, "cores that the server's threads kept busy" },

	/* bench */
	WORD("kind", "purpose of the trial"), TIME("trial_ns", "requested duration; 0: by count"),
	NUMBER("count", "requested packets; 0: by time"),
	NUMBER("unsteady", "1 if a stall of the generator may have caused the loss"),
	TIME("event_ns", "recovery and reset: time until packets arrive without loss again"),
	SHARE("load_ratio", "load / highest load"), WORD("generator", "regular, irregular or unsteady"),
	WORD("step", "step of the test"), MBITS("offered_mbps", "offered rate"),
	TIME_US("ftd_us", "mean one-way delay (FTD)"),
	TIME_US("fdv_us", "99.9th percentile - minimum of the one-way delay (FDV)"),

	/* rr */
	WORD("round_trip", "path of the packets"), TIME("min_ns", "smallest round trip"),
	TIME("p50_ns", "median round trip"), TIME("p99_ns", "99th percentile of the round trip"),
	TIME("more_p50_ns", "median - median through the driver"),

	/* stamp */
	WORD("tlv", "type of the extension"), NUMBER("returned", "returned"),
	NUMBER("unrecognised", "flag U: unknown to the reflector"),
	NUMBER("malformed", "flag M: malformed for the reflector"),
	NUMBER("not_intact", "flag I: integrity check failed"), WORD("says", "content of the last one"),

	/* load */
	WORD("status", "status of the answer"), NUMBER("answers", "answers with it"),

	/* Streams of a sender */
	WORD("name", "name of the stream"), TIME("late_mean_ns", "mean time after the slot"),
	TIME("late_max_ns", "largest time after the slot"),

	/* The ledger, and drops */
	COUNT("packets", "packets"), NUMBER("bytes", "bytes"), WORD("reason", "why"),
	WORD("place", "kind of place"), WORD("where", "where"), WORD("source", "counter that it comes from"),

	/* watch */
	WORD("by", "counting key"), WORD("value", "value"),
	WORD("proto", "protocol"), WORD("near", "address and port of this side"),
	WORD("far", "address and port, or prefix, of the other side"),
	FLOW_COUNTS(COUNT, "packets", "packets"), FLOW_COUNTS(NUMBER, "bytes", "bytes of frames"),
	SHARE("error_ratio", "half of the 95 % interval / estimate"),
	RATE("now_pps", "latest packets per second"), BITS("now_l2_bps", "latest bits per second"),
	FLOW_COUNTS(NUMBER, "retransmitted", "retransmitted segments"),
	FLOW_COUNTS(NUMBER, "out_of_order", "segments out of order"),
	FLOW_COUNTS(NUMBER, "zero_windows", "zero windows"),
	FLOW_COUNTS(NUMBER, "dup_acks", "duplicate ACKs"),
	FLOW_COUNTS(NUMBER, "tcp_flags", "TCP flags seen"),
	FLOW_TRIPS("rtt_far", "round trip to the far side"),
	FLOW_TRIPS("rtt_near", "round trip to this host"),
	TIME("handshake_ns", "TCP handshake"), TIME("quic_handshake_ns", "QUIC handshake"),
	WORD("opened_by", "who sent the first packet"), WORD("state", "state"),
	TIME("life_ns", "from the first to the last packet"),

	/* self.cpus */
	NUMBER("cpu", "number of the CPU"),

	/* tune */
	WORD("setting", "name of the setting"), WORD("recommended", "recommended value"),
	WORD("effect", "its effect"), WORD("why_unknown", "reason why it could not be read"),

	/* compare */
	WORD("setup", "settings that the runs share"), WORD("part", "part of the document"),
	WORD("metric", "figure"), WORD("better", "which direction is better"),
	NUMBER("base_runs", "runs of the base"), NUMBER("new_runs", "runs to compare with it"),
	NUMBER("base_median", "median of the base"), NUMBER("new_median", "median of the new runs"),
	SHARE("ratio", "new / base"), SHARE("ratio_low", "lower bound of new / base"),
	SHARE("ratio_high", "upper bound of new / base"),
	SHARE("noise_ratio", "change between equal setups"),
	SHARE("smallest_ratio", "smallest detectable change"),
	NUMBER("difference", "new - base"), NUMBER("difference_low", "lower bound of new - base"),
	NUMBER("difference_high", "upper bound of new - base"),
	NUMBER("noise_difference", "change between equal setups"),
	NUMBER("smallest_difference", "smallest detectable change"),
	NUMBER("p", "probability of such a difference by chance (Mann-Whitney)"), WORD("verdict", "verdict"),
	WORD("beyond_threshold", "whether the change exceeds the threshold"),
	WORD("why", "reason why the verdict is inconclusive"),

	/* Facts of the environment */
	BITS("link_bps", "speed of the link"),
	TIME("stamp_error_ns", "bound of this host's clock error"),
};

static struct hsearch_data by_key;

/* As for the figures: a table of flows has millions of cells. */
__attribute__((constructor)) static void index_columns(void)
{
	ENTRY *ignored;
	size_t i;

	if (!hcreate_r(2 * ARRAY_SIZE(columns), &by_key))
		abort();
	for (i = 0; i < ARRAY_SIZE(columns); i++)
		hsearch_r((ENTRY){ (char *)columns[i].key, (void *)&columns[i] }, ENTER, &ignored, &by_key);
}

bool column_find(const char *key, struct column *ret_column)
{
	const struct metric *metric = metric_find(key);
	ENTRY *found;

	if (metric)
		*ret_column = (struct column){ metric->key, metric->unit, 1, metric->what };
	else if (hsearch_r((ENTRY){ .key = (char *)key }, FIND, &found, &by_key))
		*ret_column = *(const struct column *)found->data;
	else
		return false;
	return true;
}
