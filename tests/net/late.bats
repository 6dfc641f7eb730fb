#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# bats file_tags=net
# When a run ends: only its own packets count towards the end, and late ones are waited for.

load ../lib/common
load ../lib/lab

setup() {
	need_root
	need_command jq
	lab_up --path a-r-b --middle open
}

# delayed WHICH:TIME: what goes from a to b, and nothing else.
delayed() {
	start bump r impair ega egb -i 0s --direction a-to-b --match "udp dport 9" -d 60s --delay "$1"
}

# The slow paces below are so that a look at the counters meets each of them.
# strays: datagrams to the port of the test from another program, until it is ended. A fixed number of
# them was over before a sender on a busy machine had begun.
strays() {
	start_cmd strays a sent /usr/bin/python3 -c '
import socket, sys, time
sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
end = time.monotonic() + 60
while time.monotonic() < end:
    sock.sendto(bytes(40), ("198.18.0.2", 9))
    print("sent", file=sys.stderr, flush=True)
    time.sleep(0.05)
'
}

# blast_in_a OPTIONS...: with a receiver in b.
blast_in_a() {
	tool_in a blast eg0 198.18.0.2 -i 0 --sink "eg0@$LAB-b" --no-ledger --json "$@"
}

# soak OPTIONS...: of bench, between a and b.
soak() {
	run --separate-stderr timeout 60 "$TOOL" bench soak "eg0@$LAB-a" "eg0@$LAB-b" --sizes 512 \
		--settle 1ms --rate "${SLOW-$(pace 1000)}" --json "$@"
}

# far_soak OPTIONS...: with b as another host.
far_soak() {
	tool_in a bench soak eg0 eg0 --receiver "nsenter --net=/run/netns/$LAB-b '$TOOL'" --dest 198.18.0.2 \
		--sizes 512 --settle 1ms --rate "${SLOW-$(pace 1000)}" --json "$@"
}

# bats test_tags=core
@test "packets of other programs to the same port do not end a run before its own have arrived" {
	delayed 200ms
	for receiver in "" --sink-socket; do
		strays
		# shellcheck disable=SC2086
		blast_in_a -c 53 -r 50pps $receiver
		kill "${PIDS[strays]}"
		is 0
		json '.metrics | .untagged_packets >= 3 and .distinct_packets == 53 and .lost_packets == 0'
	done
}

@test "packets of other programs do not end the trials of bench either, nor those of a far receiver" {
	delayed 200ms
	strays
	SLOW=50pps
	soak --trial 1s --duration 1s
	is 0
	json '.parts[0].metrics | .lost_packets == 0 and .sent_packets > 40'
	far_soak --trial 1s --duration 1s
	is 0
	json '.parts[0].metrics.lost_packets == 0'
}

@test "packets that arrive 0.7 s late are not lost: all of them, a few, or behind a far receiver" {
	delayed 700ms
	blast_in_a -c 211 -r "$(pace 10000)"
	is 0
	json '.metrics | .lost_packets == 0 and .distinct_packets == 211 and .delay_min_ns > 7e8 and
		.loss_threshold_ns == 2e9'
	soak --trial 100ms --duration 300ms
	is 0
	json '.parts[0].metrics.lost_packets == 0'
	far_soak --trial 300ms --duration 300ms
	is 0
	json '.parts[0].metrics.lost_packets == 0'
	finish bump INT
	seq 900 1002 >"$BATS_TEST_TMPDIR/late"
	delayed "list=$BATS_TEST_TMPDIR/late:700ms"
	blast_in_a -c 1003 -r "$(pace 10000)"
	is 0
	json '.metrics | .lost_packets == 0 and .distinct_packets == 1003 and .delay_max_ns > 7e8'
}

@test "--wait sets the threshold, it is reported, and packets later than it are lost" {
	delayed 1500ms
	blast_in_a -c 211 -r "$(pace 10000)" --wait 300ms
	is 0
	json '.metrics | .lost_packets == 211 and .loss_threshold_ns == 3e8'
	json '.notes | any(contains("no packet arrived within 300ms"))'
	blast_in_a -c 211 -r "$(pace 10000)" -w 10s
	is 0
	json '.metrics | .lost_packets == 0 and .loss_threshold_ns == 1e10'
}

@test "packets of a trial that arrive during a later one are not counted there" {
	# A trial in which this machine stalls for less than 0.7 s is over before its packets arrive.
	delayed 1300ms
	soak --trial 500ms --duration 2s --wait 100ms
	is 1
	json '.parts[0].metrics | .lost_packets == .sent_packets and .sent_packets > 1000'
	json '[.parts[] | select(.name == "first trial").metrics.distinct_packets] == [0]'
}
