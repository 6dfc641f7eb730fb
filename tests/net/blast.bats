#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# bats file_tags=net
# blast from a to b: every witness counts the same, and the frames are what was asked for.

load ../lib/common
load ../lib/lab

setup() {
	need_root
	need_command jq
}

# wire_counters: sets tx to the packets that a's driver sent, rx to those that b's received.
wire_counters() {
	local words

	read -ra words < <(nsenter --net="/run/netns/$LAB-a" sed -n 's/^ *eg0://p' /proc/self/net/dev)
	tx=${words[9]}
	read -ra words < <(nsenter --net="/run/netns/$LAB-b" sed -n 's/^ *eg0://p' /proc/self/net/dev)
	rx=${words[1]}
}

# exchange COUNT DEST OPTIONS...: from a to a sink in b. Sender, both drivers and
# sink must have counted COUNT packets, all different. Leaves the sink's document
# in output and the sender's in sent. All that is asked of both is one run of jq, which takes
# longer than the packets; with what else shall hold on the sink's, and on $sent, in ALSO.
exchange() {
	local count=$1 tx rx due_tx due_rx

	start sink b sink eg0 --count "$count" --duration 10s --expect "$count" --no-loss
	wire_counters
	due_tx=$((tx + count)) due_rx=$((rx + count))
	tool_in a blast eg0 "$2" --count "$count" --json "${@:3}"
	is 0
	keep_document
	sent=$output
	finish sink
	is 0
	json --argjson n "$count" --argjson sent "$sent" '($sent.metrics | .sent_packets == $n and
		.not_sent_packets == 0 and .driver_tx_packets == $n and .driver_tx_dropped == 0) and
		(.metrics | .received_packets == $n and .distinct_packets == $n and
		.lost_packets == 0 and .duplicate_packets == 0 and .reordered_packets == 0 and
		.delay_packets == $n and .foreign_packets == 0 and
		(has("untagged_packets") or has("unknown_packets") or has("restarts") or
		 has("delay_negative_packets") | not)) and
		.metrics.received_bytes == $sent.metrics.sent_bytes and ('"${ALSO-true}"')' ||
		fail "sent: $sent" || return
	wire_counters
	[ "$tx $rx" = "$due_tx $due_rx" ] || fail "the drivers counted $tx and $rx, not $due_tx and $due_rx"
}

# every_size ENGINE DEST SIZE... [-- OPTIONS]
every_size() {
	local engine=$1 dest=$2 sizes=() ALSO

	shift 2
	while [ $# -gt 0 ] && [ "$1" != -- ]; do
		sizes+=("$1")
		shift
	done
	for size in "${sizes[@]}"; do
		ALSO=".metrics.received_bytes == 1009 * $size and \$sent.environment.engine == \"$engine\""
		exchange 1009 "$dest" --engine "$engine" --frame-bytes "$size" "${@:2}"
	done
}

# Packets of each kind that are decoded: more than the last byte of a number can count.
DECODED=149

# decode KINDS: starts a capture in b that takes DECODED frames of each of KINDS kinds; scapy decodes them.
decode() {
	local i counts=()

	for ((i = 0; i < $1; i++)); do counts+=("$DECODED"); done
	start_cmd capture b ready "$CAPTURE" decode "${counts[@]}"
	SENT=()
}

# send DEST OPTIONS...: the next kind, at a rate at which the stack of b, also on a busy machine, can
# answer each packet with ICMP port unreachable.
send() {
	tool_in a blast eg0 "$1" --count "$DECODED" --rate 2kpps --json "${@:2}"
	is 0
	keep_document
	SENT+=("$output")
}

decode_end() {
	finish capture
	is 0
	mapfile -t FOUND <<<"$output"
	[ ${#FOUND[@]} = ${#SENT[@]} ] || fail "${#FOUND[@]} kinds came, not ${#SENT[@]}"
}

# The fields of each frame that must have a tag.
SOUND='.tags == $n and .steps_wrong == 0 and .times_back == 0 and
	.untimed == 0 and .rest == [""]'

# decoded NUMBER FILTER: what scapy made of the frames of this kind.
decoded() {
	output=${FOUND[$1]}
	json --argjson n "$DECODED" --argjson sent "${SENT[$1]}" '$sent.metrics.sent_packets == $n and
		.captured == $n and .not_as_scapy == 0 and .ecn == [0] and
		.bytes == [($sent.config["frame-bytes"] | tonumber) - 4] and '"$2"
}

each_header_is_as_asked() {
	local lab_ends='.src_mac == ["02:e9:00:00:00:0a"] and .dst_mac == ["02:e9:00:00:00:0b"]'

	lab_up
	decode 8
	send 198.18.0.2 --engine "$1"
	send 2001:2::2 --engine "$1" --frame-bytes 85 --dscp 46 --ttl 3 --stream 517
	send 198.18.0.2 --engine "$1" --frame-bytes 69 --vlan 101 --vlan-pcp 5 --dscp 63 \
		--ttl 255 --src-port 1
	send 2001:2::2 --engine "$1" --frame-bytes 1522 --vlan 4094
	send 198.18.0.2 --engine "$1" --frame-bytes 1517 --src-ip 198.19.77.1 \
		--src-mac 02:00:00:00:00:01 --dst-mac 02:00:00:00:00:02
	send 198.18.0.2 --engine "$1" --no-tag
	send 2001:2::2 --engine "$1" --no-tag --frame-bytes 66
	send 198.18.0.2 --engine "$1" --stamp-every 7
	decode_end
	decoded 0 "$SOUND and $lab_ends"' and .version == [4] and .src_ip == ["198.18.0.1"] and
		.dst_ip == ["198.18.0.2"] and .ttl == [64] and .dscp == [0] and
		.src_port == [49152] and .dst_port == [9] and .stream == [0] and (has("vlan") | not)'
	decoded 1 "$SOUND and $lab_ends"' and .version == [6] and .src_ip == ["2001:2::1"] and
		.dst_ip == ["2001:2::2"] and .ttl == [3] and .dscp == [46] and .stream == [517]'
	decoded 2 "$SOUND"' and .vlan == [101] and .vlan_pcp == [5] and .dscp == [63] and
		.ttl == [255] and .src_port == [1]'
	decoded 3 "$SOUND"' and .vlan == [4094] and .vlan_pcp == [0] and .version == [6]'
	decoded 4 "$SOUND"' and .src_ip == ["198.19.77.1"] and .src_mac == ["02:00:00:00:00:01"] and
		.dst_mac == ["02:00:00:00:00:02"]'
	decoded 5 '.tags == 0'
	decoded 6 '.tags == 0'
	# Numbers 0, 7, 14 and so on to 266 carry a time.
	decoded 7 '.tags == 149 and .steps_wrong == 0 and .untimed == 149 - 22'
}

# bats test_tags=core
@test "live: every IPv4 packet arrives once, at 64, 65, 512 and 1518 bytes" {
	need xdp-live-frames
	lab_up
	every_size live 198.18.0.2 64 65 512 1518
}

@test "live: every IPv6 packet arrives once, at 84, 85, 512 and 1518 bytes" {
	need xdp-live-frames
	lab_up
	every_size live 2001:2::2 84 85 512 1518
}

@test "live: every packet with a VLAN tag arrives once, over IPv4 and IPv6" {
	need xdp-live-frames
	lab_up
	every_size live 198.18.0.2 68 69 1522 -- --vlan 101 --vlan-pcp 3
	every_size live 2001:2::2 88 89 1522 -- --vlan 1
}

# bats test_tags=core
@test "afxdp: every IPv4 packet arrives once, at 64, 65, 512 and 1518 bytes" {
	need af-xdp
	lab_up
	local unhurried=()

	# At full speed an emulated receiver cannot keep up, and the link refuses what it cannot hold.
	[ "$TESTS_SLOW" = 1 ] || unhurried=(--rate "$(pace 20000)")
	every_size afxdp 198.18.0.2 64 65 512 1518 -- "${unhurried[@]}"
}

@test "afxdp: every IPv6 packet arrives once, at 84, 85, 512 and 1518 bytes" {
	need af-xdp
	lab_up
	every_size afxdp 2001:2::2 84 85 512 1518
}

@test "afxdp: every packet with a VLAN tag arrives once, over IPv4 and IPv6" {
	need af-xdp
	lab_up
	every_size afxdp 198.18.0.2 68 69 1522 -- --vlan 101 --vlan-pcp 3
	every_size afxdp 2001:2::2 88 89 1522 -- --vlan 1
}

@test "live: what scapy decodes and computes from scratch is what was asked for, in every frame" {
	need xdp-live-frames
	each_header_is_as_asked live
}

@test "afxdp: what scapy decodes and computes from scratch is what was asked for, in every frame" {
	need af-xdp
	each_header_is_as_asked afxdp
}

@test "pages that come back with swapped addresses leave again with the right ones" {
	need xdp-live-frames
	lab_up
	# The pages return when a consumes them: the sink there also checks every answer.
	start sink a sink eg0 --all --count 20011 --duration 10s
	start reflect b reflect eg0 --port 9
	tool_in a blast eg0 198.18.0.2 --engine live --count 20011 --json
	is 0
	json '.metrics.sent_packets == 20011 and .metrics.not_sent_packets == 0'
	finish sink
	is 0
	json '.metrics | .received_packets == 20011 and .distinct_packets == 20011 and
		.lost_packets == 0'
	finish reflect INT
	json '.metrics | .answered_udp_packets == 20011 and .left_packets == 0'
}

@test "two threads send two streams, each of them complete" {
	need xdp-live-frames af-xdp
	[ "$(nproc)" -ge 2 ] || cannot cpus "two CPUs"
	lab_up --queues 2
	for engine in live afxdp; do
		# 10007 = 5004 + 5003: the first takes what does not divide.
		exchange 10007 198.18.0.2 --engine "$engine" --threads 2
		json '.metrics.streams == 2 and [.parts[] | .name] == ["stream 0", "stream 1"] and
			[.parts[].metrics | .received_packets] == [5004, 5003] and
			[.parts[].metrics | .distinct_packets] == [5004, 5003] and
			all(.parts[].metrics; .lost_packets == 0 and .duplicate_packets == 0 and
				.reordered_packets == 0)'
	done
	exchange 1009 198.18.0.2 --threads 2 --stream 14
	json '[.parts[] | .name] == ["stream 14", "stream 15"]'
}

@test "the second queue carries a stream as the first does" {
	need af-xdp
	lab_up --queues 2
	exchange 1009 198.18.0.2 --engine afxdp --queue 1
	# Only AF_XDP has a queue of one's choice: auto takes it.
	exchange 1009 198.18.0.2 --queue 1
	[ "$(jq -r .environment.engine <<<"$sent")" = afxdp ]
	tool_in a blast eg0 198.18.0.2 --engine live --queue 1 --count 7
	is 2
	tool_in a blast eg0 198.18.0.2 --queue 2 --count 7
	is 2
	says "queue 2"
}

@test "packets without a tag are counted, and nothing else is claimed of them" {
	need xdp-live-frames af-xdp
	lab_up
	for engine in live afxdp; do
		start sink b sink eg0 --count 1009 --duration 10s --expect 1009
		tool_in a blast eg0 198.18.0.2 --engine "$engine" --no-tag --count 1009 --json
		is 0
		json '.metrics.sent_packets == 1009 and .metrics.driver_tx_packets == 1009'
		finish sink
		is 0
		json '.metrics | .received_packets == 1009 and .untagged_packets == 1009 and
			.distinct_packets == 0 and .delay_packets == 0 and .received_bytes == 1009 * 64'
	done
}

@test "one timestamp in N packets: all have a sequence number, and N-1 are reported as untimed" {
	need xdp-live-frames af-xdp
	lab_up
	for engine in live afxdp; do
		start sink b sink eg0 --count 1009 --duration 10s --no-loss
		tool_in a blast eg0 198.18.0.2 --engine "$engine" --stamp-every 10 --count 1009 --json
		is 0
		finish sink
		is 0
		json '.metrics | .distinct_packets == 1009 and .delay_packets == 101'
		json '.notes[0] | startswith("908 packets carried no timestamp")'
	done
}

# paced PPS OPTIONS...: what --rate was understood as is to be this expression, to nine digits.
paced() {
	tool_in a blast eg0 "${@:2}" --count 7 --json
	is 0
	RUNS+=$output
	PACES+=", $1"
}

@test "a rate in bit/s is the exact number of packets at its layer" {
	local v4=198.18.0.2 RUNS='' PACES=''

	lab_up
	paced 2500 $v4 --rate 2500pps
	# RFC 2544 appendix B and 14,880,952 pps: a veth says that it is a 10G link.
	json '.environment.link_bps == 10000000000'
	paced "10e6 / (8 * 84)" $v4 --rate 10Mbit
	paced "10e6 / (8 * 84)" $v4 --rate 10Mbit --rate-layer l1
	paced 19531.25 $v4 --rate 10Mbit --rate-layer l2
	paced "10e6 / (8 * 46)" $v4 --rate 10Mbit --rate-layer l3
	paced "10e6 / (8 * 18)" $v4 --rate 10Mbit --rate-layer payload
	paced "10e6 / (8 * (512 - 18 - 40 - 8))" 2001:2::2 --frame-bytes 512 --rate 10Mbit \
		--rate-layer payload
	paced "1e9 / (8 * 1542)" $v4 --frame-bytes 1522 --vlan 7 --rate 1Gbit
	paced "1e9 / (8 * 1500)" $v4 --frame-bytes 1522 --vlan 7 --rate 1Gbit --rate-layer l3
	paced 7440476.19047619 $v4 --rate 50%
	paced "10e9 / (8 * 1538)" $v4 --rate 100% --frame-bytes 1518
	jq -se "[.[].metrics.offered_pps] as \$met | [${PACES#, }] as \$due | (\$met | length) == 11 and
		(\$due | length) == 11 and all(range(11) as \$i |
		(\$met[\$i] - \$due[\$i] | fabs) < \$due[\$i] * 1e-9; .)" <<<"$RUNS" >/dev/null ||
		fail "not ${PACES#, } pps: $(jq .metrics.offered_pps <<<"$RUNS")"
}

# paced_run ENGINE RATE COUNT NANOSECONDS: COUNT packets leave, none before its slot.
paced_run() {
	exchange "$3" 198.18.0.2 --engine "$1" --rate "$2"
	output=$sent
	# The first packet may be late, by no more than the latest was: the span shrinks by that, and by
	# what a busy machine takes between the two readings of the clock.
	json --argjson span "$4" '.metrics.duration_ns + 1.1 * .self.pacing_late_max_ns + 20e3 >= $span and
		.metrics.offered_pps > 0 and .self.pacing_achieved_ratio > 0 and
		.self.pacing_late_mean_ns <= .self.pacing_late_max_ns'
	json '(.self.pacing_achieved_ratio - .metrics.sent_pps / .metrics.offered_pps | fabs) < 1e-9'
	# n packets have n - 1 gaps; a frame of 64 bytes takes 20 more on the wire.
	json --argjson n "$3" '.metrics | (.sent_pps * .duration_ns / 1e9 - ($n - 1) | fabs) < 1e-6 and
		(.sent_l2_bps / .sent_pps - 8 * 64 | fabs) < 1e-6 and
		(.sent_l1_bps / .sent_pps - 8 * 84 | fabs) < 1e-6'
	# RFC 9971: below 99.9 % the result is marked, or if packets left late by 1 ms and a slot.
	json '.self as $s | (1e9 / .metrics.offered_pps) as $slot |
		([.notes[]? | select(startswith("irregular"))] != []) == $s.irregular and
		($s.pacing_achieved_ratio >= 0.999 or $s.irregular) and
		($s.pacing_achieved_ratio < 0.999 or $s.pacing_late_max_ns > ([1e6, $slot] | max) * 0.98 or
			($s.irregular | not)) and
		($s.pacing_late_p99_ns < ([1e6, $slot] | max) * 1.02 or $s.irregular)'
	json --argjson n "$3" '.self | [.pacing_late_p50_ns, .pacing_late_p90_ns, .pacing_late_p99_ns,
		.pacing_late_p99_9_ns, .pacing_late_p99_99_ns, .pacing_late_max_ns] | map(values) |
		. == sort and .[0] >= 0 and
		length == 1 + ([20, 100, 1000, 10000, 100000] | map(select(. <= $n)) | length)'
}

@test "live: a paced stream is complete, and no packet leaves before its slot" {
	need xdp-live-frames
	lab_up
	# Slots are slept for at 100 pps, with a rehearsal, and at 1 kpps; at 50 kpps they are spun for.
	paced_run live 100pps 23 220000000
	paced_run live 1kpps 211 210000000
	paced_run live 50kpps 5003 100040000
}

@test "a rate that no engine reaches is marked irregular, and an unpaced run not at all" {
	need xdp-live-frames af-xdp
	lab_up
	for engine in live afxdp; do
		tool_in a blast eg0 198.18.0.2 --engine "$engine" --rate 900Mpps --count 50021 --json
		is 0
		json '.self.irregular == true and .self.pacing_achieved_ratio < 0.999'
		json 'any(.notes[]; startswith("irregular"))'
		tool_in a blast eg0 198.18.0.2 --engine "$engine" --count 211 --json
		is 0
		json '.self | has("irregular") or has("pacing_late_p50_ns") | not'
	done
}

@test "afxdp: a paced stream is complete, and no packet leaves before its slot" {
	need af-xdp
	lab_up
	paced_run afxdp 1kpps 211 210000000
	paced_run afxdp 50kpps 5003 100040000
}

# Slots in which the sender had no CPU are made up for, but for those at the end: less than all is
# sent only if a packet was late by more than a slot.
@test "--duration ends a run, and what was sent until then arrived" {
	need xdp-live-frames af-xdp
	lab_up
	for engine in live afxdp; do
		start sink b sink eg0
		tool_in a blast eg0 198.18.0.2 --engine "$engine" --duration 500ms --rate 2kpps --json
		is 0
		json '(.metrics.sent_packets == 1000 or (.self.pacing_late_max_ns > 5e5 and
			.metrics.sent_packets > 0 and .metrics.sent_packets < 1000)) and
			.metrics.sent_packets == .metrics.driver_tx_packets and .metrics.duration_ns < 5e9'
		sent=$(jq .metrics.sent_packets <<<"$output")
		finish sink INT
		json --argjson n "$sent" '.metrics | .received_packets == $n and .lost_packets == 0'
	done
}

@test "of --count and --duration the one that is reached first ends the run" {
	lab_up
	tool_in a blast eg0 198.18.0.2 --count 7 --duration 20s --json
	is 0
	json '.metrics.sent_packets == 7'
	tool_in a blast eg0 198.18.0.2 --count 1000003 --duration 300ms --rate 1kpps --json
	is 0
	# On a machine so busy that the sender never ran, that is said.
	json '.metrics.sent_packets < 1000003 and (.metrics.sent_packets > 0 or .self.irregular)'
}

@test "a sender that does not come to send all that was due is irregular, though the others left in time" {
	need_command cc
	lab_up
	cc -shared -fPIC -o "$BATS_TEST_TMPDIR/stall.so" "$BATS_TEST_DIRNAME/stall.c"
	# The sender sends 10 packets of 1000, or more for each sleep where it finds several due.
	export STALL_IN=clock_nanosleep STALL_CALL=10 STALL_S=2 STALL_AFTER=0
	LD_PRELOAD=$BATS_TEST_TMPDIR/stall.so tool_in a blast eg0 198.18.0.2 --duration 1s --rate 1kpps --json
	is 0
	json '.metrics.sent_packets < 900 and .self.irregular and
		(.self.pacing_achieved_ratio - .metrics.sent_packets / 1000 | fabs) < 0.02'
	json '.notes | any(contains("% of the packets due"))'
}

@test "rows of --jsonl are lines of JSON, the document is the last, and no row claims too much" {
	lab_up
	tool_in a blast eg0 198.18.0.2 --rate 5kpps --duration 500ms --interval 100ms --jsonl
	is 0
	jq -se 'all(.[:-1][]; .type == "interval" and .sent_packets >= 0) and length >= 3 and
		(last | .command == "blast") and
		([.[:-1][].sent_packets] | add) <= last.metrics.sent_packets and
		(.[:-1] | map({sent_packets, elapsed_ns})) ==
		(last.series | map({sent_packets, elapsed_ns}))' <<<"$output"
	[ "$(wc -l <<<"$output")" = "$(jq -s length <<<"$output")" ]
}

@test "as a duration ends there is one row, not one for all and another for the last packet" {
	lab_up
	tool_in a blast eg0 198.18.0.2 --rate 1kpps --duration 400ms --interval 200ms --json
	is 0
	json '([.series[].sent_packets] | add) == .metrics.sent_packets'
	# A busy machine may be so late that the last row is another.
	json '[.series[:-1][].elapsed_ns] | all(. < 380e6 or . >= 420e6)'
}

@test "a page is the limit of the live engine, which says so before anything is sent" {
	need xdp-live-frames af-xdp
	lab_up --mtu 9000
	before=$(counter a tx_packets)
	tool_in a blast eg0 198.18.0.2 --engine live --frame-bytes 9018 --count 7
	is 3
	says "live frames of 9018 bytes"
	says "--engine afxdp"
	[ "$(counter a tx_packets)" = "$before" ]
	exchange 1009 198.18.0.2 --engine live --frame-bytes 3400
	exchange 1009 198.18.0.2 --engine afxdp --frame-bytes 9018
}

# whole COUNT ENGINE DEST OPTIONS...: every payload from a to a sink in b is the pattern.
whole() {
	tool_in a blast eg0 "$3" --engine "$2" --count "$1" --rate "$(pace 20000)" --payload pattern \
		--interval 0 --json --sink "eg0@$LAB-b" --no-ledger "${@:4}"
	is 0
	json --argjson n "$1" '.environment.rx_payload == "pattern" and (.metrics | .distinct_packets == $n and
		.lost_packets == 0 and .bad_payload_packets == null and .bad_checksum_packets == null and
		.unverified_packets == null)'
}

@test "the payload pattern and its checksum are whole by either engine, in every size" {
	need xdp-live-frames af-xdp
	lab_up
	for engine in live afxdp; do
		whole 211 "$engine" 198.18.0.2
		whole 211 "$engine" 198.18.0.2 --frame-bytes 594 --sink-socket --rcvbuf 4000000
		whole 211 "$engine" 198.18.0.2 --frame-bytes 1518 --vlan 7
		whole 1511 "$engine" 2001:2::2 --frame-bytes 84-1518 --ports 7
		whole 1009 "$engine" 198.18.0.2 --frame-bytes imix
		whole 503 "$engine" 'ip4(dst=198.18.0.2)/udp(sport=random(1024-65535))' --frame-bytes '64-1518:13'
	done
}

@test "streams whose payloads begin at different places leave each other's pattern whole" {
	local streams=$BATS_TEST_TMPDIR/streams.yaml

	need xdp-live-frames af-xdp
	lab_up
	cat >"$streams" <<-END
		flows:
		  - {packet: ip4(dst=198.18.0.2)/udp, size: imix, rate: 3kpps, duration: {fixed_packets: {packets: 503}}}
		  - {packet: ip6(dst=2001:2::2)/udp, size: 1000, rate: 2kpps, duration: {fixed_packets: {packets: 307}}}
		  - {packet: ip4(dst=198.18.0.2)/udp, size: 300-1400, rate: 2kpps, duration: {fixed_packets: {packets: 307}}}
	END
	for engine in live afxdp; do
		tool_in a blast eg0 --engine "$engine" --streams "$streams" --payload pattern --interval 0 --json \
			--sink "eg0@$LAB-b" --no-ledger
		is 0
		json '.environment.rx_payload == "pattern" and (.metrics | .distinct_packets == 1117 and
			.lost_packets == 0 and .bad_payload_packets == null and .bad_checksum_packets == null)'
	done
}

@test "the payload pattern of frames in several pieces is whole, though their checksum is not verified" {
	need af-xdp
	lab_up --mtu 9000
	in_b "$TOOL" doctor eg0 --has multi-buffer || cannot multi-buffer multi-buffer || return
	tool_in a blast eg0 198.18.0.2 --engine afxdp --frame-bytes 9018 --count 211 --rate "$(pace 5000)" \
		--payload pattern --interval 0 --json --sink "eg0@$LAB-b" --no-ledger
	is 0
	json '.environment.rx_payload == "pattern" and (.metrics | .distinct_packets == 211 and
		.bad_payload_packets == null and .unverified_packets == 211)'
	# Of zeros each payload is bad, so they are read to their end.
	start sink b sink eg0 --verify-payload --count 211 --duration 10s
	tool_in a blast eg0 198.18.0.2 --engine afxdp --frame-bytes 9018 --count 211 --rate "$(pace 5000)" --json
	finish sink
	is 1
	json '.metrics.bad_payload_packets == 211'
}

# bats test_tags=core
@test "where auto cannot use the live engine it says why, and which it took" {
	need xdp-live-frames af-xdp
	lab_up --mtu 9000
	exchange 1009 2001:2::2 --frame-bytes 4100
	output=$sent
	json '.config.engine == "auto" and .environment.engine == "afxdp"'
	tool_in a blast eg0 198.18.0.2 --frame-bytes 4100 --count 7
	says "live frames of 4100 bytes cannot be sent through 'eg0'"
	says "sending through AF_XDP"
}

@test "live: if the far end would drop frames, a pass program is attached to it during the run" {
	need xdp-live-frames
	lab_up
	in_b ethtool -K eg0 gro off
	before=$(counter b rx_packets)
	tool_in a blast eg0 198.18.0.2 --engine live --count 1009 --json
	is 0
	says "attached an XDP program that passes everything to the peer 'eg0'"
	json '.metrics | .sent_packets == 1009 and .driver_tx_packets == 1009'
	json '.environment.pass_program_on == "peer eg0"'
	# b's stack answers some of them, but no other host sends to b.
	[ $(($(counter b rx_packets) - before)) = 1009 ]
	hook_is_free b
}

@test "live: a receiver that starts later and finds that program is asked to start first" {
	need xdp-live-frames
	lab_up
	in_b ethtool -K eg0 gro off
	start blast a blast eg0 198.18.0.2 --engine live --rate 100pps --duration 60s
	tool_in b sink eg0 --duration 1s
	is 3
	says "held by program 'ethgauge_pass'"
	says "start this first, then the sender"
	# Nor does doctor take it for a lab's, though it does not see the process.
	run in_b unshare -pf --mount-proc "$TOOL" doctor eg0 --has xdp-hook-free
	is 1
	finish blast INT
}

@test "a driver that takes nothing is an error, however short the run" {
	need xdp-live-frames
	lab_up
	local hint="start the sink first"

	# The trap: a veth takes XDP frames only while its peer polls by NAPI, for which
	# generic XDP is not enough; and where that is, no other program can be.
	in_b ethtool -K eg0 gro off
	start sink b sink eg0 --xdp-mode generic
	# Where the kernel says what the driver takes, the hint is not to start what runs already.
	! says_what_it_takes || hint="use --engine afxdp"
	for options in "--count 7" "--count 7 --rate 1kpps" "--duration 20s"; do
		# shellcheck disable=SC2086 # several words
		tool_in a blast eg0 198.18.0.2 --engine live $options --json
		is 3
		says "the driver of 'eg0' refused all of"
		says "$hint"
		json '.metrics.sent_packets == 0 and .metrics.not_sent_packets > 0'
		json '.errors[0].what | test("refused all")'
	done
	tool_in a probe eg0 198.18.0.2 --engine live --count 7
	is 3
	says "refused all of 7 packets"
	finish sink INT
	json '.metrics.received_packets == 0'
}

# The kernel reports what drivers take since 6.3.
says_what_it_takes() {
	! in_a "$TOOL" doctor eg0 | grep -q "not reported before Linux 6.3"
}

@test "where the driver takes no live frames, auto sends through AF_XDP and says why" {
	need af-xdp xdp-live-frames
	local dev

	lab_up
	says_what_it_takes || cannot xdp-features "a kernel that reports what drivers take (6.3)"
	in_b ethtool -K eg0 gro off
	start sink b sink eg0 --xdp-mode generic
	tool_in a blast eg0 198.18.0.2 --count 101 --json
	is 0
	says "as the peer has neither a native XDP program nor GRO; sending through AF_XDP"
	json '.environment.engine == "afxdp" and (.notes | any(contains("sent through AF_XDP")))'
	finish sink INT
	json '.metrics.received_packets == 101'
	ip_in a link set lo up
	ip_in a link add br0 type bridge
	ip_in a link set br0 up
	for dev in lo br0; do
		tool_in a blast "$dev" 198.19.5.2 --dst-mac 02:00:00:00:00:77 --src-ip 198.19.5.1 --count 103 --json
		is 0
		says "the driver takes no XDP frames; sending through AF_XDP"
		json '.environment.engine == "afxdp" and .metrics.sent_packets == 103'
		tool_in a blast "$dev" 198.19.5.2 --dst-mac 02:00:00:00:00:77 --src-ip 198.19.5.1 --count 103 --engine live
		is 3
		says "use --engine afxdp"
	done
}

@test "AF_XDP runs can follow each other at once: a queue that was just closed is waited for" {
	need af-xdp
	lab_up
	# Without a breath between them, which a test's own commands would be.
	# shellcheck disable=SC2016 # expanded there
	run -0 in_a sh -c 'for i in $(seq 23); do
		"$1" blast eg0 198.18.0.2 --engine afxdp --count 7 -q >/dev/null || exit
	done' sh "$TOOL"
}

@test "a queue that another run uses is reported, with its name" {
	need af-xdp
	lab_up
	start other a blast eg0 198.18.0.2 --engine afxdp --rate 1kpps --duration 30s
	tool_in a blast eg0 198.18.0.2 --engine afxdp --count 7
	is 3
	says "queue 0 of 'eg0' is held by another AF_XDP socket"
	finish other INT
	json '.metrics.sent_packets > 0'
}

# 1.4 Mpps is out of reach through a router on the sender's own CPU, and handed over one by one even more so.
@test "a sender that falls behind its rate hands over more packets at once" {
	need xdp-live-frames
	lab_up --path a-r-b
	tool_in a blast eg0 198.19.0.1 --engine live --rate 1400kpps --duration 300ms --json
	is 0
	json '.environment.tx_batch == 1 and .self.tx_batch_frames > 1'
	tool_in a blast eg0 198.19.0.1 --engine live --rate 1400kpps --duration 300ms --batch 1 --json
	is 0
	json '.self.tx_batch_frames == 1'
	tool_in a blast eg0 198.19.0.1 --engine live --rate 1kpps --duration 100ms --json
	is 0
	json '.self.tx_batch_frames == 1'
}

@test "a stream crosses a router, and a bridge" {
	need xdp-live-frames af-xdp
	lab_up --path a-r-b
	exchange 1009 198.19.0.1 --engine afxdp
	exchange 1009 2001:2:0:1::1 --engine afxdp --frame-bytes 512
	exchange 1009 198.19.0.1 --engine live --rate 50kpps
	lab_down
	lab_up --path a-r-b --middle bridge
	exchange 1009 198.18.0.2 --engine afxdp
	exchange 1009 2001:2::2 --engine live --frame-bytes 512 --rate 50kpps
}
