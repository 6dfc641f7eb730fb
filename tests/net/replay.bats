#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# bats file_tags=net
# blast --pcap: the packets of the file arrive, whole, in order and in time.

load ../lib/common
load ../lib/blast

PEER=$BATS_TEST_DIRNAME/replay_peer.py

# What scapy makes is made once, in $BATS_FILE_TMPDIR; the rest costs a test next to nothing.
setup_file() {
	local dir=$BATS_FILE_TMPDIR

	wire_file_up replay
	! has_module scapy || "$PEER" make ng "$dir/ng" 211 -- make protocols "$dir/protocols" -- \
		make wrong_sums "$dir/wrong_sums" -- make taggable "$dir/taggable" 53 >"$dir/counts"
}

teardown_file() {
	wire_file_down
}

setup() {
	wire_up
	[ -e "$BATS_FILE_TMPDIR/counts" ] || need_module scapy
}

# replay [OPTIONS] of $FILE
replay() {
	run --separate-stderr timeout 30 nsenter --net="/run/netns/$LAB-a" "$TOOL" blast eg0 -q \
		--json --pcap "$FILE" "$@"
}

replay_well() {
	replay "$@"
	[ "$status" = 0 ] || fail "exit $status: $stderr"
}

# each_engine COMMAND...: with $ENGINE set, by those that this machine has.
each_engine() {
	for ENGINE in live afxdp; do
		if [ "$ENGINE" = afxdp ] || "$TOOL" doctor --has xdp-live-frames >/dev/null 2>&1; then
			"$@"
		fi
	done
}

# made KIND [COUNT]: $FILE, if it is not that already. Sets count to its packets.
made() {
	[ "${MADE-}" = "$*" ] || count=$("$PEER" make "$1" "$FILE" "${@:2}")
	MADE="$*"
}

# by_scapy KIND: $FILE is what setup_file made. Sets count to its packets.
by_scapy() {
	local counts

	FILE=$BATS_FILE_TMPDIR/$1
	mapfile -t counts <"$BATS_FILE_TMPDIR/counts"
	case $1 in
	ng) count=${counts[0]} ;;
	protocols) count=${counts[1]} ;;
	wrong_sums) count=${counts[2]} ;;
	taggable) count=${counts[3]} ;;
	esac
}

# by_engine [OPTIONS]: replay_well, and by that engine indeed
by_engine() {
	replay_well --engine "$ENGINE" "$@"
	json --arg engine "$ENGINE" '.environment.engine == $engine'
}

sink_start() {
	: >"$BATS_TEST_TMPDIR/sink.err"
	nsenter --net="/run/netns/$LAB-b" "$TOOL" sink eg0 --all --pass --json --count "$1" \
		>"$BATS_TEST_TMPDIR/sink.json" 2>"$BATS_TEST_TMPDIR/sink.err" 3>&- &
	SINK=$!
	defer end "$SINK"
	wait_for says_there "receiving on" "$BATS_TEST_TMPDIR/sink.err"
}

sink_end() {
	status=0
	wait "$SINK" || status=$?
	output=$(cat "$BATS_TEST_TMPDIR/sink.json")
}

arrives_whole() {
	made mixed 1009
	receive 1009
	by_engine --speed max
	json '.metrics.sent_packets == 1009 and .metrics.replay_read_packets == 1009 and
		.metrics.replay_skipped_packets == 0 and .metrics.not_sent_packets == 0'
	received
	"$PEER" same "$FILE" "$OUT"
}

@test "each of 1009 packets of all sizes arrives byte for byte, in order" {
	each_engine arrives_whole
}

@test "pcapng in gzip is replayed as pcap is" {
	gzip <"$BATS_FILE_TMPDIR/ng" >"$FILE.gz"
	FILE=$FILE.gz
	receive 211
	replay_well --rate 20kpps
	json '.metrics.sent_packets == 211 and .metrics.offered_pps == 20000'
	received
	# The same packets, in the format that the peer reads.
	FILE=${FILE%.gz}
	made mixed 211
	"$PEER" same "$FILE" "$OUT"
}

says_what_arrives() {
	made mixed 101
	sink_start 10403
	by_engine --speed max --loop 103
	json '.metrics.sent_packets == 10403 and .metrics.driver_tx_packets == 10403 and
		.metrics.replay_read_packets == 10403'
	sent=$(jq .metrics.sent_bytes <<<"$output")
	sink_end
	json --argjson sent "$sent" '.metrics.received_packets == 10403 and
		.metrics.received_bytes == $sent'
}

@test "what blast says that it sent is what a sink receives, packets and bytes" {
	each_engine says_what_arrives
}

loops() {
	made mixed 11
	receive 33
	by_engine --loop 3
	json '.metrics.sent_packets == 33 and .metrics.replay_read_packets == 33'
	received
	"$PEER" same "$FILE" "$OUT" 3
}

@test "a loop sends the file again, in the same order" {
	each_engine loops
}

# 293 MB, of which 256 MiB are read ahead: 1009 packets, 211 times. Their times fall, which does
# not matter to --speed max.
large_file() {
	made large 1009
	tail -c +25 "$FILE" >"$FILE.body"
	yes "$FILE.body" | head -n 210 | xargs cat >>"$FILE"
	rm "$FILE.body"
}

@test "a file larger than what is read ahead is sent whole, and again" {
	large_file
	replay --speed max --engine live
	[ "$status" = 3 ] || fail "exit $status: $stderr"
	[[ $stderr == *"the live engine keeps 256 MiB of packets, and not '$FILE'"* ]] || fail "$stderr"
	count=$((211 * 1009))
	sink_start $((2 * count))
	replay_well --speed max --loop 2
	json --argjson n $((2 * count)) '.metrics.sent_packets == $n and
		.metrics.replay_read_packets == $n'
	json '.environment.engine == "afxdp" and (.notes | any(contains("sent through AF_XDP")))'
	sent=$(jq .metrics.sent_bytes <<<"$output")
	sink_end
	json --argjson n $((2 * count)) --argjson sent "$sent" '.metrics.received_packets == $n and
		.metrics.received_bytes == $sent'
}

ends_by_count() {
	made mixed 101
	by_engine --count 53
	json '.metrics.sent_packets == 53 and .metrics.replay_read_packets == 53'
	by_engine --count 1009 --loop 0 --speed max
	json '.metrics.sent_packets == 1009'
	by_engine --duration 200ms --loop 0 --rate 1kpps
	json '.metrics.sent_packets > 0 and .metrics.sent_packets <= 200'
}

@test "a count ends a replay in mid-file, and a loop without end" {
	each_engine ends_by_count
}

keeps_times() {
	made spaced 7
	receive 7
	by_engine
	json '.metrics.duration_ns + 1.1 * .self.pacing_late_max_ns + 20e3 >= 300e6 and
		.self.pacing_late_mean_ns <= .self.pacing_late_max_ns'
	# By the kernel's stamps, with room for a wait between the sender's clock and the wire.
	late_ns=$(jq '.self.pacing_late_max_ns + 20e6 | floor' <<<"$output")
	received
	"$PEER" gaps "$OUT" 50 "$late_ns"
	by_engine --speed 2.5
	json '.metrics.duration_ns + 1.1 * .self.pacing_late_max_ns + 20e3 >= 120e6 and
		.metrics.duration_ns - .self.pacing_late_max_ns < 300e6'
	by_engine --speed max
	json '.metrics.duration_ns - (.self.pacing_late_max_ns // 0) < 120e6'
}

@test "packets leave no earlier than the file's times say" {
	each_engine keeps_times
}

keeps_bits() {
	made mixed 211
	by_engine --rate 10Mbit
	json '((.metrics.sent_bytes + 211 * 20) * 8) as $bits |
		.metrics.duration_ns + 1.1 * .self.pacing_late_max_ns + 20e3 >= ($bits - 12304) * 100'
	by_engine --rate 10Mbit --rate-layer l2
	json '(.metrics.sent_bytes * 8) as $bits |
		.metrics.duration_ns + 1.1 * .self.pacing_late_max_ns + 20e3 >= ($bits - 12144) * 100'
}

@test "a rate in bits is held on average over packets of all sizes" {
	each_engine keeps_bits
}

@test "addresses and ports are mapped with checksums that are right" {
	by_scapy protocols
	receive "$count"
	replay_well --speed max --src-mac 02:00:00:00:00:0a --map-port 80=8080,5060=5061 \
		--map-ip 10.7.0.0/16=198.18.0.0/15,10.0.0.0/8=198.19.128.0/20,2001:db8::/32=2001:2::/48
	received
	# 10.1.2.3, 10.7.0.9 and 2001:db8: are nowhere any more; hosts keep their low bits.
	"$PEER" check "$OUT" "count=$count" whole src_mac=02:00:00:00:00:0a absent=0a010203 \
		absent=0a070009 absent=20010db8 no_port=80 no_port=5060 nr_to=192.0.2.1:8 \
		nr_to=198.19.0.9:15
}

@test "wrong checksums stay wrong, and are right with --fix-checksums" {
	by_scapy wrong_sums
	receive "$count"
	replay_well --speed max
	received
	"$PEER" same "$FILE" "$OUT"
	receive "$count"
	replay_well --speed max --fix-checksums
	received
	"$PEER" check "$OUT" "count=$count"
}

@test "VLAN tags are taken off, and a new one put on" {
	by_scapy protocols
	receive "$count"
	replay_well --speed max --strip-vlan --vlan 7
	received
	"$PEER" check "$OUT" "count=$count" vlan=7 whole
}

skips() {
	made unsendable
	receive 14
	by_engine --speed max --loop 2
	json '.metrics.sent_packets == 14 and .metrics.replay_skipped_packets == 6 and
		.metrics.replay_read_packets == 20'
	json '.notes | any(contains("skipped 3 packets of the file: 1 cut by its snap length, 1 longer") and
		contains("1 shorter"))'
	received
	[ "$(wc -l <"$OUT")" = 14 ]
}

@test "packets that cannot be sent whole are skipped, counted and named" {
	each_engine skips
}

stops_at_damage() {
	"$PEER" make mixed "$FILE" 101 >/dev/null
	truncate -s -5 "$FILE"
	sink_start 100
	replay --speed max --loop 3 --engine "$ENGINE"
	[ "$status" = 4 ] || fail "exit $status: $stderr"
	[[ $stderr == *"$FILE: packet 101: truncated"* ]] || fail "$stderr"
	json '.metrics.sent_packets == 100 and (.errors | length) == 1'
	sink_end
	json '.metrics.received_packets == 100'
}

@test "a damaged file is sent up to the damage, and the packet is named" {
	each_engine stops_at_damage
}

@test "what is no capture of Ethernet, or not there, is a usage error" {
	made mixed 3
	printf '\145' | dd of="$FILE" bs=1 seek=20 conv=notrunc status=none
	replay
	[ "$status" = 2 ] || fail "exit $status: $stderr"
	[[ $stderr == *"$FILE: a capture of RAW, but only Ethernet is supported"* ]] || fail "$stderr"
	echo "no capture, but text that is longer than a header" >"$FILE"
	replay
	[ "$status" = 2 ]
	[[ $stderr == *"$FILE: not a capture file"* ]] || fail "$stderr"
	rm "$FILE"
	replay
	[ "$status" = 2 ]
	[[ $stderr == *"cannot open '$FILE': No such file or directory"* ]] || fail "$stderr"
}

@test "a file without a packet to send is a usage error" {
	made unsendable
	# Only its last two are left: the header of the file, and 16 + 40 + 16 + 13 bytes.
	{ head -c 24 "$FILE" && tail -c 85 "$FILE"; } >"$FILE.2"
	FILE=$FILE.2
	replay
	[ "$status" = 2 ] || fail "exit $status: $stderr"
	[[ $stderr == *"'$FILE' has no packet that can be sent: all are cut"* ]] || fail "$stderr"
}

is_interrupted() {
	# What the live engine may keep: CAP_BPF and CAP_NET_ADMIN.
	kept=$([ "$ENGINE" = afxdp ] || printf '%d' $((1 << 39 | 1 << 12)))
	made "$1" 77
	: >"$BATS_TEST_TMPDIR/blast.jsonl"
	nsenter --net="/run/netns/$LAB-a" "$TOOL" blast eg0 --pcap "$FILE" --loop 0 "${@:2}" \
		--engine "$ENGINE" --jsonl -i 50ms >"$BATS_TEST_TMPDIR/blast.jsonl" \
		2>"$BATS_TEST_TMPDIR/blast.err" 3>&- &
	BLAST=$!
	defer end "$BLAST"
	wait_for grep -q '"sent_packets":[1-9]' "$BATS_TEST_TMPDIR/blast.jsonl"
	left=$((0x$(awk '/^CapEff:/ { print $2 }' "/proc/$BLAST/status") & ~${kept:-0}))
	[ "$left" = 0 ]
	kill -INT "$BLAST"
	status=0
	wait "$BLAST" || status=$?
	[ "$status" = 130 ]
	output=$(tail -n 1 "$BATS_TEST_TMPDIR/blast.jsonl")
	json '.metrics.sent_packets > 0 and .metrics.replay_read_packets == .metrics.sent_packets'
}

@test "^C ends a loop without end with the result up to then" {
	each_engine is_interrupted mixed --rate 1kpps
	each_engine is_interrupted bursts
	each_engine is_interrupted mixed --speed max
}

keeps_bursts() {
	made bursts 211
	receive 1055
	by_engine --loop 5
	# The last slot: 30 x 300 us of each pass, and the mean gap between them.
	json '.metrics.sent_packets == 1055 and
		.metrics.duration_ns + 1.1 * .self.pacing_late_max_ns + 20e3 >= 5 * 9e6 + 4 * 9e6 / 210'
	received
	"$PEER" same "$FILE" "$OUT" 5
}

@test "bursts with gaps to sleep in between keep their packets, order and times" {
	each_engine keeps_bursts
}

@test "packets too long for a live frame are sent by the other engine, which is reported" {
	need xdp-live-frames
	# A lab of its own.
	LAB=long$$
	timeout 20 "$TOOL" lab up -q --name "$LAB" --mtu 4000 >/dev/null
	defer timeout 20 "$TOOL" lab down -q --name "$LAB"
	made long
	receive 5
	replay_well --speed max
	json '.environment.engine == "afxdp" and
		(.notes | any(contains("must fit into a page") and contains("sent through AF_XDP")))'
	received
	"$PEER" same "$FILE" "$OUT"
	replay --engine live
	[ "$status" = 3 ] || fail "exit $status: $stderr"
	replay --into-stack
	[ "$status" = 3 ] || fail "exit $status: $stderr"
}

tags_all() {
	by_scapy taggable
	receive "$count"
	by_engine --speed max --tag --stream 7 --stamp-every 3
	json --argjson n "$count" '.metrics.sent_packets == $n and
		.metrics.replay_tagged_packets == 159 and
		(.notes | any(startswith("\($n - 159) packets of the file cannot carry the tag")))'
	received
	"$PEER" tags "$FILE" "$OUT" 7 3 -- check "$OUT" "count=$count"
}

@test "--tag numbers and stamps the UDP packets of a file, and no other byte changes" {
	each_engine tags_all
}

is_told_by_a_sink() {
	by_scapy taggable
	count=$((count * 3))
	sink_start "$count"
	by_engine --rate 100kpps --tag --loop 3
	json '.metrics.replay_tagged_packets == 477'
	sink_end
	json --argjson n "$count" '.metrics | .received_packets == $n and .lost_packets == 0 and
		.reordered_packets == 0 and .duplicate_packets == 0 and
		.distinct_packets == 477 and .untagged_packets == $n - 477'
	json '.metrics.delay_min_ns > 0'
}

# bats test_tags=core
@test "a sink reports loss, order and delay of a tagged replay" {
	each_engine is_told_by_a_sink
}

@test "--into-stack has a socket of this host receive the packets of a file" {
	need xdp-live-frames
	timeout 30 nsenter --net="/run/netns/$LAB-a" /usr/bin/python3 - \
		>"$BATS_TEST_TMPDIR/socket" 3>&- <<-'END' &
		import socket

		packets = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
		packets.setsockopt(socket.SOL_SOCKET, 33, 64 << 20)	# SO_RCVBUFFORCE
		packets.bind(("198.18.0.1", 9))
		packets.settimeout(10)
		print("ready", flush=True)
		print([packets.recvfrom(2000)[1][1] for i in range(211)], flush=True)
	END
	defer end $!
	wait_for says_there ready "$BATS_TEST_TMPDIR/socket"
	made mixed 211
	mac=$(nsenter --net="/run/netns/$LAB-a" ip -j link show eg0 | jq -r '.[0].address')
	replay_well --into-stack --rate 20kpps --dst-mac "$mac" \
		--map-ip 10.7.0.9/32=198.18.0.1/32,10.1.2.3/32=198.18.0.2/32
	json '.metrics.sent_packets == 211 and .metrics.driver_tx_packets == 0'
	wait "$!"
	grep -qF "[$(seq -s ', ' 211)]" "$BATS_TEST_TMPDIR/socket" ||
		fail "$(cat "$BATS_TEST_TMPDIR/socket")"
}
