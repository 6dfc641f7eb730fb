#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# bats file_tags=net
# watch --flows held against tshark's reading of a capture, TCP's own round
# trips, and against itself: no packet is ever lost from the sums.

load ../lib/common
load ../lib/lab

PEER=$BATS_TEST_DIRNAME/watch_flows_peer.py

setup() {
	need_root
	need_command jq /usr/bin/python3
}

# watch NODE OPTIONS...: beside the test, as NAME watch; ready when it says so.
watch() {
	start_cmd watch "$1" "watching 'eg0'" "$TOOL" watch eg0 --flows --interval 0 --no-cost \
		--json "${@:2}"
}

end_watch() {
	finish watch INT
	is 130
	part flows '.verdicts[0].pass'
	part flows '.metrics.flow_missing_packets == 0'
}

# part NAME FILTER: holds on the part "eg0 NAME" of the document.
part() {
	json --arg part "eg0 $1" ".parts[] | select(.name == \$part) | $2"
}

@test "flows of a capture are tshark's, packet for packet and byte for byte" {
	need_command tshark
	need_module scapy
	lab_up
	"$PEER" capture "$BATS_TEST_TMPDIR/flows.pcap"
	watch b --top 2000
	in_a "$TOOL" blast eg0 --pcap "$BATS_TEST_TMPDIR/flows.pcap" --loop 1 --rate 20kpps -q
	end_watch
	part flows '.metrics | .flow_new_count == 1009 and .folded_packets == 0'
	printf '%s' "$output" >"$BATS_TEST_TMPDIR/doc.json"
	run "$PEER" compare "$BATS_TEST_TMPDIR/flows.pcap" "$BATS_TEST_TMPDIR/doc.json"
	[ "$output" = "1009 flows" ] || fail "$output"
}

@test "a full table folds into prefixes, and nothing is lost" {
	lab_up
	watch b --max-flows 101
	in_a "$TOOL" blast eg0 198.18.0.2 --dst-mac 02:e9:00:00:00:99 --count 30011 --rate 100kpps --src-ports 1009 -q >/dev/null
	end_watch
	part flows '.metrics | .flow_new_count == 101 and .seen_packets == 30011 and .folded_packets > 26000'
	part flows '.notes[0] | contains("the table of 101 flows was full")'
	part folded '[.entries[] | .rx_packets] | add > 26000'
	part folded '.entries[0].far == "198.18.0.0/24"'
}

# bats test_tags=core
@test "two CPUs that count into the same flows lose nothing" {
	lab_up --queues 2
	watch b --top 10
	in_a "$TOOL" blast eg0 198.18.0.2 --dst-mac 02:e9:00:00:00:99 --count 500009 --rate max --threads 2 --src-ports 3 -q >/dev/null
	end_watch
	# A slow receiver's ring overflows, which the driver counts; none that it took is missing.
	part rx '.metrics | .seen_packets == .driver_rx_packets and ($slow > 0 or .seen_packets == 500009)'
	part flows '.metrics.seen_packets as $n | ([.entries[].rx_packets] | add) == $n and
		($slow > 0 or $n == 500009)'
}

# blast_flows COUNT FROM: COUNT flows of three packets each, from that port on; two of them at most come to
# the table before the end.
blast_flows() {
	in_a "$TOOL" blast eg0 198.18.0.2 --dst-mac 02:e9:00:00:00:99 --count $(($1 * 3)) --rate 20kpps \
		--src-port "$2" --src-ports "$1" -q >/dev/null
}

# aged COUNT: by the record's last whole line. Of all its lines jq would have megabytes.
aged() {
	tail -n 2 "$BATS_TEST_TMPDIR/record" | jq -Re --argjson n "$1" 'fromjson? | .result.parts[]? |
		select(.name == "eg0 flows").metrics.flow_aged_count >= $n' 2>/dev/null | grep -q true
}

@test "idle flows make room, and keep their counts" {
	local sent=89

	lab_up
	rm -f "$BATS_TEST_TMPDIR/record"
	watch b --max-flows 100 --flow-idle 300ms --top 1000 --interval 100ms \
		--record "$BATS_TEST_TMPDIR/record"
	blast_flows 89 10001
	# Room is made as long as the table is more than three quarters full. As a busy machine is late
	# with it, no more flows come at once than have room.
	while wait_for aged $((sent - 75)) && [ "$sent" -lt 164 ]; do
		blast_flows 25 $((20000 + sent))
		sent=$((sent + 25))
	done
	blast_flows 8 30001
	end_watch
	part flows '.metrics | .flow_new_count == 172 and .flow_aged_count >= 89 and .folded_packets == 0'
	part flows '([.entries[].rx_packets] | add) == 172 * 3'
	part flows '.verdicts[0].pass and .metrics.flow_missing_packets == 0'
}

# path MS: a and b, with something between that delays each frame.
delayed_path() {
	lab_up --path a-r-b --middle bridge
	for side in ega egb; do
		ip_in r link set "$side" nomaster promisc on
		in_r ethtool -K "$side" gro off >/dev/null
	done
	in_a ethtool -K eg0 tx off tso off gso off gro off >/dev/null
	in_b ethtool -K eg0 tx off tso off gso off gro off >/dev/null
	start_cmd middle r ready "$PEER" delay "$1"
}

in_r() {
	timeout 30 nsenter --net="/run/netns/$LAB-r" "$@"
}

# rtt_agrees PART: of 43 messages; the bound is wide, as the machine may be busy.
rtt_agrees() {
	local median least

	start_cmd serve b ready "$PEER" serve
	watch a
	read -r median least < <(in_a "$PEER" talk 43)
	finish serve
	end_watch
	echo "TCP says $median us, watch $(jq -c --arg part "eg0 $1" \
		'.parts[] | select(.name == $part).metrics.rtt_p50_ns' <<<"$output") ns"
	part "$1" ".metrics | .rtt_packets >= 41 and .rtt_min_ns >= 20000000 and
		(.rtt_min_ns / 1000 / $least | . > 0.9 and . < 1.1) and
		(.rtt_p50_ns / 1000 / $median | . > 0.8 and . < 1.25)"
	deviates rtt "eg0 $1"
	part flows '.entries[0] | .handshake_ns >= 20000000 and .rtt_far_count >= 41 and
		.opened_by == "near" and .state == "ended" and .proto == "tcp"'
	part flows '.entries[0] | .rtt_near_count > 0 and .rtt_near_min_ns < 20000000'
	# Its buckets are coarser than those of the kind, and one SYN more is in them.
	# Ten round trips have to be beyond a percentile: of some 41, only the median has these.
	part flows '.entries[0] | .rtt_far_p50_ns >= .rtt_far_min_ns and .rtt_far_p50_ns <= .rtt_far_max_ns and
		.rtt_far_p90_ns == "" and .rtt_far_p99_ns == ""'
	part flows "(.entries[0].rtt_far_p50_ns / $(jq --arg part "eg0 $1" \
		'.parts[] | select(.name == $part).metrics.rtt_p50_ns' <<<"$output")) | . > 0.8 and . < 1.25"
	part flows '.metrics | .flow_ended_count == 1'
}

@test "TCP's round trips are those that TCP measures, with and without timestamps" {
	need_command ethtool
	delayed_path 10
	rtt_agrees "tcp-timestamp far"
	in_a sysctl -qw net.ipv4.tcp_timestamps=0
	rtt_agrees "tcp-sequence far"
}

@test "echoes and DNS are timed question by question" {
	lab_up
	need_command ping
	start_cmd dns b ready "$PEER" dns-serve 17
	watch a
	in_a ping -q -c 7 -i 0.05 198.18.0.2 >/dev/null
	in_a ping -q -c 5 -i 0.05 2001:2::2 >/dev/null
	in_a "$PEER" dns-ask 17
	finish dns
	end_watch
	part "icmp-echo far" '.metrics | .rtt_packets == 12 and .rtt_min_ns > 0 and
		.rtt_max_ns < 1000000000'
	part "dns far" '.metrics.rtt_packets == 17'
	part flows '.metrics | .asked_packets == 29 and .answer_timed_packets == 29 and
		.asked_again_packets == 0 and .answer_untimed_packets == 0'
}

@test "the hand-made QUIC packets are QUIC, by tshark's reading" {
	need_command tshark
	need_module scapy
	"$PEER" quic-pcap "$BATS_TEST_TMPDIR/quic.pcap"
	run --separate-stderr tshark -r "$BATS_TEST_TMPDIR/quic.pcap" -Y "quic && !_ws.malformed" \
		-T fields -e quic.version -e quic.long.packet_type -e quic.long.packet_type_v2 \
		-e quic.scid
	[ "${#lines[@]}" = 6 ] || fail "$output"
	# From 4.0 on tshark knows version 2.
	[[ ${lines[0]} == 0x00000001*0*6d65 && ${lines[2]} == 0x00000001*2* && ${lines[4]} == 0x6b3343cf* ]]
}

# 20 ms and more by the server; and no more than the client waited.
quic_time() {
	part flows ".entries[] | select(.near == \"198.18.0.1:$1\") |
		.proto == \"udp\" and .handshake_ns == \"\" and .opened_by == \"near\" and
		.quic_handshake_ns >= 20000000 and .quic_handshake_ns <= $2"
}

@test "a QUIC server is timed from the Initial to its answer, and a Retry separately" {
	local direct retried

	lab_up
	start_cmd quic b ready "$PEER" quic-serve 20
	watch a
	direct=$(in_a "$PEER" quic-ask d)
	retried=$(in_a "$PEER" quic-ask r)
	end_watch
	# shellcheck disable=SC2086 # port and time
	quic_time $direct
	# shellcheck disable=SC2086
	quic_time $retried
	part "quic-handshake far" '.metrics | .rtt_packets == 2 and .rtt_min_ns >= 20000000'
	part flows '.metrics | .quic_retry_packets == 1 and .quic_version_packets == 0'
}

@test "options of flows need --flows" {
	lab_up
	tool_in b watch eg0 --top 5
	is 2
	says "--top requires --flows"
}

@test "a sample estimates each flow's packets and bytes, and states the error" {
	local by

	lab_up
	watch b --sample 4 --top 50
	in_a "$TOOL" blast eg0 198.18.0.2 --dst-mac 02:e9:00:00:00:99 --count 40020 --rate 50kpps --src-ports 20 -q >/dev/null
	end_watch
	# Exact: all that was seen, and what the flows were estimated from. Their sums differ by six standard errors
	# at most; of 20 flows 19 are expected within their interval, and 12 with all but 10^-6.
	part flows '.metrics | .seen_packets == 40020 and (.sampled_packets | . > 9480 and . < 10530)'
	part flows '.metrics.sampled_packets * 4 == ([.entries[].rx_packets] | add)'
	part flows '(.entries | length) == 20 and ([.entries[] | select(.error_ratio < 0.04 or .error_ratio > 0.12)] == [])'
	part flows '[.entries[] | select((.rx_packets / 2001 - 1 | fabs) <= .error_ratio * .rx_packets / 2001)] | length >= 12'
	part flows '[.entries[] | select(.rx_bytes != .rx_packets * 64)] == []'
	# What a sample cannot know is in no figure and no column.
	part flows '(.entries[0] | has("tx_retransmitted") or has("rtt_far_mean_ns") or has("state") | not) and
		(.metrics | has("tcp_retransmitted_packets") or has("flow_ended_count") | not)'
	part flows '.notes[0] | contains("1 buffer in 4")'
	for by in rtt retransmissions; do
		tool_in b watch eg0 --flows --sample 4 --sort "$by"
		is 2
		says "--sample and --sort $by are mutually exclusive"
	done
	tool_in b watch eg0 --flows --sample 0
	is 2
}

# state FILTER: holds on some line of the record, of the part "eg0 flows".
state() {
	jq -se "[.[] | select(.type == \"state\").result.parts[] | select(.name == \"eg0 flows\") | $1] | any" \
		"$BATS_TEST_TMPDIR/record" >/dev/null 2>&1
}

@test "flows are reported at each interval, with their rate since the last one" {
	lab_up
	rm -f "$BATS_TEST_TMPDIR/record"
	watch b --interval 200ms --top 3 --sort rate --record "$BATS_TEST_TMPDIR/record"
	wait_for state '.series[0].flow_table_count == 0'
	in_a "$TOOL" blast eg0 198.18.0.2 --dst-mac 02:e9:00:00:00:99 --count 1009 --rate 1kpps --src-ports 7 -q >/dev/null
	wait_for state '.metrics.seen_packets == 1009 and (.entries | length) == 3'
	# At 1 kpps a flow of 7 has 143; the exact number does not matter on a busy machine.
	state '[.entries[]?.now_pps // 0] | max > 20'
	# A flow that is silent has a rate of 0 and keeps its counts.
	wait_for state '.metrics.seen_packets == 1009 and .entries[0].now_pps == 0 and .entries[0].rx_packets >= 144'
	end_watch
	part flows '.metrics | .seen_packets == 1009 and .flow_view_age_ns == 0'
	part flows '(.entries | length) == 3 and (.entries[0] | has("now_pps") | not)'
	run --separate-stderr "$TOOL" watch --replay "$BATS_TEST_TMPDIR/record" --speed max --json
	part flows '.metrics.seen_packets == 1009 and (.entries | length) == 3'
}
