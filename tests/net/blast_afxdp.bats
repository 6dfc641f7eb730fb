#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# bats file_tags=net
# blast through AF_XDP: what it says that it sent is what arrives.

load ../lib/common

setup() {
	need_root
	LAB=afxdp$$-$BATS_TEST_NUMBER
}

lab_up() {
	"$TOOL" lab up -q --name "$LAB" --queues 2 "$@" >/dev/null
	defer timeout 20 "$TOOL" lab down -q --name "$LAB"
}

# blast [OPTIONS]: ends in a test that hangs, too.
blast() {
	timeout 30 nsenter --net="/run/netns/$LAB-a" "$TOOL" blast eg0 -e afxdp -q --json "$@"
}

# Sets SINK to its pid; its result is in sink.json.
sink_start() {
	rm -f "$BATS_TEST_TMPDIR/sink.err"
	nsenter --net="/run/netns/$LAB-b" "$TOOL" sink eg0 --json "$@" >"$BATS_TEST_TMPDIR/sink.json" \
		2>"$BATS_TEST_TMPDIR/sink.err" 3>&- &
	SINK=$!
	defer end "$SINK"
	wait_for grep -q "receiving on" "$BATS_TEST_TMPDIR/sink.err"
}

# Sets status and output as run does.
sink_end() {
	kill -INT "$SINK" 2>/dev/null || :
	status=0
	wait "$SINK" || status=$?
	output=$(cat "$BATS_TEST_TMPDIR/sink.json")
}

# Sets BLAST to its pid; lines come into blast.jsonl.
blast_start() {
	rm -f "$BATS_TEST_TMPDIR/blast.jsonl"
	nsenter --net="/run/netns/$LAB-a" "$TOOL" blast eg0 198.18.0.2 -e afxdp --jsonl -i 50ms "$@" \
		>"$BATS_TEST_TMPDIR/blast.jsonl" 2>"$BATS_TEST_TMPDIR/blast.err" 3>&- &
	BLAST=$!
	defer end "$BLAST"
	wait_for grep -q '"sent_packets":[1-9]' "$BATS_TEST_TMPDIR/blast.jsonl"
}

# Sets status, output (the document) and stderr.
blast_end() {
	status=0
	wait "$BLAST" || status=$?
	output=$(tail -n 1 "$BATS_TEST_TMPDIR/blast.jsonl")
	# shellcheck disable=SC2034 # for fail
	stderr=$(cat "$BATS_TEST_TMPDIR/blast.err")
}

end() {
	kill -KILL "$1" 2>/dev/null && wait "$1" 2>/dev/null
}

# arrives COUNT [OPTIONS]: all of COUNT packets arrive once each.
arrives() {
	sink_start --all --count "$1"
	run -0 --separate-stderr blast -c "$@"
	json --argjson n "$1" '.metrics.sent_packets == $n and .metrics.not_sent_packets == 0 and
		.metrics.driver_tx_packets == $n'
	sink_end
	json --argjson n "$1" '.metrics.received_packets == $n and .metrics.distinct_packets == $n
		and .metrics.lost_packets == 0 and .metrics.duplicate_packets == 0
		and .metrics.reordered_packets == 0'
}

@test "each of 100003 packets arrives just once, and is timed" {
	lab_up
	arrives 100003 198.18.0.2
	json '.metrics.delay_packets == 100003 and .metrics.delay_negative_packets // 0 == 0'
}

@test "two threads send two streams of 50002 and 50001 packets" {
	[ "$(nproc)" -ge 2 ] || cannot cpus "two CPUs"
	lab_up
	arrives 100003 198.18.0.2 --threads 2 --stream 3
	json '.metrics.streams == 2'
	json '[.parts[].metrics.distinct_packets] | sort == [50001, 50002]'
}

@test "IPv6, VLAN and frames of 1518 bytes arrive" {
	lab_up
	arrives 1009 2001:2::2
	arrives 1009 2001:2::2 --vlan 7 --vlan-pcp 5
	arrives 1009 198.18.0.2 --vlan 7
	arrives 1009 198.18.0.2 -s 1518
	json '.metrics.received_bytes == 1009 * 1518'
}

@test "where the hard limit of locked memory is too low, the hint is to raise that" {
	need_command prlimit
	setpriv --dump | grep -q 'Capability bounding set:.*ipc_lock' || cannot ipc_lock "CAP_IPC_LOCK"
	lab_up
	run -3 --separate-stderr nsenter --net="/run/netns/$LAB-a" prlimit --memlock=65536:65536 \
		setpriv --inh-caps=-ipc_lock,-sys_resource --bounding-set=-ipc_lock,-sys_resource \
		"$TOOL" blast eg0 198.18.0.2 -e afxdp -c 101
	[[ $stderr == *"No buffer space"*"hint: "*"hard limit"*"prlimit --memlock=unlimited"* ]] || fail "$stderr"
}

@test "the time is written into one packet of N, the sequence into all" {
	lab_up
	arrives 1009 198.18.0.2 --stamp-every 16
	json '.metrics.delay_packets == 64'
}

@test "a stream without tags is counted and not judged" {
	lab_up
	sink_start --count 1009
	run -0 --separate-stderr blast -c 1009 198.18.0.2 --no-tag
	sink_end
	json '.metrics.received_packets == 1009 and .metrics.untagged_packets == 1009'
}

@test "a paced packet never leaves before its slot" {
	lab_up
	sink_start
	run -0 --separate-stderr blast -c 211 198.18.0.2 -r 1kpps
	json '.metrics.sent_packets == 211 and .metrics.offered_pps == 1000'
	# As in paced_run of blast.bats.
	json '.metrics.duration_ns + 1.1 * .self.pacing_late_max_ns + 20e3 >= 210e6'
}

@test "a duration ends a run that has no count" {
	lab_up
	sink_start
	# shellcheck disable=SC2046
	run -0 --separate-stderr timeout 30 nsenter --net="/run/netns/$LAB-a" $(first 40) \
		"$TOOL" blast eg0 -e afxdp -q --json 198.18.0.2 -d 200ms -r 5kpps
	# Less only if a packet, and so the last ones, was late by more than a slot.
	json '.metrics.sent_packets == 1000 or (.self.pacing_late_max_ns > 2e5 and
		.metrics.sent_packets > 0 and .metrics.sent_packets < 1000)'
	json '.metrics.duration_ns <= 200e6 + .self.pacing_late_max_ns'
}

@test "a blast that sends holds no capability" {
	lab_up
	sink_start
	blast_start -d 20s -r 1kpps
	grep -q '^CapEff:	0000000000000000$' "/proc/$BLAST/status"
	grep -q '^CapPrm:	0000000000000000$' "/proc/$BLAST/status"
	kill -INT "$BLAST"
	blast_end
	[ "$status" = 130 ] || fail "exit $status: $stderr"
	json '.metrics.sent_packets > 0'
}

@test "a queue is free again right after a run, and after kill -9" {
	lab_up
	sink_start
	run -0 --separate-stderr blast 198.18.0.2 -c 101
	run -0 --separate-stderr blast 198.18.0.2 -c 101
	blast_start -d 20s -r 1kpps
	kill -KILL "$BLAST"
	run -0 --separate-stderr blast 198.18.0.2 -c 101
	json '.metrics.sent_packets == 101'
}

@test "a queue that another blast holds is an error that names it" {
	lab_up
	sink_start
	blast_start -d 20s -r 1kpps
	run --separate-stderr blast 198.18.0.2 -c 101
	[ "$status" = 3 ]
	[[ $stderr == *"queue 0 of 'eg0' is held by another AF_XDP socket"* ]] || fail "$stderr"
	run -0 --separate-stderr blast 198.18.0.2 -c 101 --queue 1
}

@test "a queue that the interface does not have is a usage error" {
	lab_up
	run --separate-stderr blast 198.18.0.2 -c 101 --queue 2
	[ "$status" = 2 ]
	[[ $stderr == *"need queue 2, and 'eg0' has 2"* ]] || fail "$stderr"
}

@test "zero-copy is refused where the driver would copy" {
	lab_up
	run --separate-stderr blast 198.18.0.2 -c 101 --zero-copy
	[ "$status" = 3 ]
	[[ $stderr == *"has no AF_XDP zero-copy"* ]] || fail "$stderr"
	run -0 --separate-stderr blast 198.18.0.2 -c 101
	json '.environment.af_xdp_mode == "copy"'
}

@test "frames of a page and of several arrive whole" {
	lab_up --mtu 9198
	sink_start
	# More than the ring holds, so that every piece comes back and is sent again.
	for size in 4100 4101 8196 8197 9216; do
		run -0 --separate-stderr blast 198.18.0.2 -c 1709 -s "$size"
		json '.metrics.sent_packets == 1709 and .metrics.driver_tx_packets == 1709'
	done
	sink_end
	json --argjson bytes $((1709 * (4100 + 4101 + 8196 + 8197 + 9216))) '.metrics |
		.received_packets == 5 * 1709 and .received_bytes == $bytes and .untagged_packets == null
		and .lost_packets == 0'
}

@test "--busy-poll sends the same packets" {
	lab_up
	sink_start
	run -0 --separate-stderr blast 198.18.0.2 -c 5003 --busy-poll
	json '.metrics.sent_packets == 5003 and .environment.engine == "afxdp"'
	sink_end
	json '.metrics.received_packets == 5003 and .metrics.lost_packets == 0'
}

@test "a frame larger than the MTU is refused" {
	lab_up
	run --separate-stderr blast 198.18.0.2 -c 101 -s 1519
	[ "$status" = 2 ]
	[[ $stderr == *"its MTU is 1500"*"mtu 1501"* ]] || fail "$stderr"
	run -0 --separate-stderr blast 198.18.0.2 -c 101 -s 1522 --vlan 7
}

@test "an interface that vanishes in mid-run ends it with what was sent" {
	lab_up
	blast_start -d 20s
	nsenter --net="/run/netns/$LAB-a" ip link del eg0
	blast_end
	[ "$status" = 4 ] || fail "exit $status: $stderr"
	[[ $stderr == *"interface 'eg0' vanished"* ]] || fail "$stderr"
	json '.metrics.sent_packets > 0 and (.errors | length) == 1'
}

@test "an interface that is set down in mid-run ends it with the command that helps" {
	lab_up
	blast_start -d 20s
	nsenter --net="/run/netns/$LAB-a" ip link set eg0 down
	blast_end
	[ "$status" = 4 ] || fail "exit $status: $stderr"
	[[ $stderr == *"Network is down"*"ip link set eg0 up"* ]] || fail "$stderr"
	json '.metrics.sent_packets > 0'
}

@test "what a driver refuses is counted, and adds up to the count" {
	lab_up
	sink_start
	blast_start -c 5003 -r 10kpps
	nsenter --net="/run/netns/$LAB-b" ip link set eg0 down
	blast_end
	[ "$status" = 0 ] || fail "exit $status: $stderr"
	json '.metrics.not_sent_packets > 0 and .metrics.sent_packets > 0 and
		.metrics.sent_packets + .metrics.not_sent_packets == 5003 and
		.metrics.driver_tx_packets == .metrics.sent_packets'
}

# The kernel reports it up to a second late.
has_no_carrier() {
	[ "$(nsenter --net="/run/netns/$LAB-a" ip -json link show eg0 | jq -r '.[0].operstate')" != UP ]
}

@test "a link without carrier is an error, not a rate of 0" {
	lab_up
	nsenter --net="/run/netns/$LAB-b" ip link set eg0 down
	wait_for has_no_carrier
	run --separate-stderr blast 198.18.0.2 -c 101
	[ "$status" = 4 ]
	[[ $stderr == *"'eg0' has no carrier"* ]] || fail "$stderr"
}

@test "the meter of vmtest/regress sees the kicks of the socket" {
	local kicks=${TOOL%/*}/vmtest/kicks.so file=$BATS_TEST_TMPDIR/kicks

	[ -e "$kicks" ] || cannot kicks "$kicks" || return
	lab_up
	KICKS=$file LD_PRELOAD=$kicks run --separate-stderr blast 198.18.0.2 -c 3001
	[ "$status" = 0 ] || fail "exit $status: $stderr"
	json '.metrics.sent_packets == 3001'
	# A kick sends 32 frames at most.
	holds '.kick_ns > 0 and .kicks >= 94 and .kicks <= 3001' <"$file"
}
