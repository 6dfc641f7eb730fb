#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# bats file_tags=net
# The rows of the series: of every verb that has them they sum to the result's totals, with an
# interval that does not divide the run, and with packets that are lost, late and copied.

load ../lib/common
load ../lib/lab
load ../lib/servers

setup() {
	need_root
	need_command jq /usr/bin/python3
}

# add_up ROWS COLUMN...: the last run's rows, at least ROWS of them, by rows_check.py.
add_up() {
	local least=$1 said

	shift
	keep_document
	said=$("$BATS_TEST_DIRNAME/rows_check.py" "$@" <<<"$output" 2>&1) || fail "$said"
	[ "${said% rows}" -ge "$least" ] || fail "only $said"
}

through_r() {
	lab_up --path a-r-b --middle open
}

# bats test_tags=core
@test "rows of blast add up, with both engines and with a receiver" {
	local engine

	lab_up
	for engine in $(engines); do
		tool_in a blast eg0 198.18.0.2 -d 470ms -i 100ms -r "$(pace 20000)" -e "$engine" \
			--sink "eg0@$LAB-b" --jsonl
		is 0
		add_up 3 sent_packets not_sent_packets
	done
	tool_in a blast eg0 198.18.0.2 -c 10007 -i 1h --json
	is 0
	add_up 1 sent_packets
}

@test "rows of a long run are in the document, though only the newest stay in memory" {
	local file=$BATS_TEST_TMPDIR/long.json

	lab_up
	tool_in a blast eg0 198.18.0.2 -d 4s -i 1ms -r 5kpps -o "$file"
	is 0
	output=$(<"$file")
	# More than the 512 of memory.
	add_up 600 sent_packets not_sent_packets
	[ -z "$(find "$BATS_TEST_TMPDIR" -name 'long.json?*')" ]
}

@test "a packet that counted as lost and arrives later is taken back by a later row" {
	local socket

	lab_up
	for socket in "" --socket; do
		# shellcheck disable=SC2086
		start_cmd sink b "receiving on" "$TOOL" sink eg0 --jsonl -i 70ms $socket
		{ numbers 0 100; numbers 107 200; } | send_tags
		wait_for eval 'jq -se "map(.lost_packets) | add == 6" "$BATS_TEST_TMPDIR/sink.out" >/dev/null'
		{ numbers 101 104; numbers 201 211; numbers 220 230; echo 0 230; } | send_tags
		finish sink INT
		is 130
		add_up 2 received_packets lost_packets
		jq -se '(last | .metrics.lost_packets == 10) and any(.[:-1][]; .lost_packets == 6)' <<<"$output" \
			>/dev/null || fail "$output"
	done
	# What arrives late alone is below 0.
	start_cmd sink b "receiving on" "$TOOL" sink eg0 --jsonl -i 70ms
	{ numbers 0 100; numbers 107 200; } | send_tags
	wait_for eval 'jq -se "map(.lost_packets) | add == 6" "$BATS_TEST_TMPDIR/sink.out" >/dev/null'
	numbers 101 106 | send_tags
	finish sink INT
	add_up 2 received_packets lost_packets duplicate_packets reordered_packets
	jq -se '(last | .metrics.lost_packets == 0) and (map(.lost_packets) | min < 0)' <<<"$output" >/dev/null ||
		fail "$output"
}

# bats test_tags=core
@test "rows of probe, reflect, impair and watch add up where packets are lost, late and copied" {
	need af-xdp
	through_r
	start reflect b reflect eg0 -i 70ms
	start bump r impair ega egb -i 70ms --direction a-to-b --match udp --loss list=0,1,100,101,480,502 \
		--reorder every=7:5 --duplicate every=11 -d 60s
	start_cmd watch b "watching 'eg0'" "$TOOL" watch eg0 -i 70ms --flows --json
	tool_in a probe eg0 198.18.0.2 -c 503 -r 1kpps -i 70ms -w 300ms --jsonl
	is 0
	add_up 4 received_packets lost_packets duplicate_packets reordered_packets
	output=$(tail -n 1 <<<"$output")
	json '.metrics | .lost_packets == 6 and .lost_runs == 4 and .reordered_packets > 10 and
		.duplicate_packets > 10'
	finish watch INT
	add_up 8 seen_packets seen_buffers flow_new_count
	finish bump INT
	add_up 4 impair_seen_packets impair_lost_packets impair_out_frames impair_unmatched_packets
	finish reflect INT
	add_up 4 answered_packets left_packets
}

@test "rows of ping add up, also alternating with a socket, and so do those of rr" {
	need af-xdp
	lab_up
	tool_in a ping 198.18.0.2 -d 470ms -r 1kpps -i 100ms --jsonl
	is 0
	add_up 3 received_packets given_up_packets duplicate_packets reordered_packets
	tool_in a ping 198.18.0.2 --flood -c 503 --against-stack -i 100ms --json
	is 0
	add_up 10 received_packets
	start reflect b reflect eg0
	tool_in a rr 198.18.0.2 -d 270ms -i 100ms --json
	is 0
	add_up 2 received_packets
}

@test "rows of probe --stamp add up where packets are lost and late" {
	need af-xdp
	through_r
	start reflect b reflect eg0 --stamp --stateful
	start bump r impair ega egb -i 0s --direction a-to-b --match udp --loss list=10,11,300,402,405 \
		--reorder every=7:5 -d 60s
	tool_in a probe --stamp 198.18.0.2 -c 406 -r 1kpps -i 70ms -w 300ms --reflector-mode stateful --jsonl
	is 0
	add_up 3 sent_packets distinct_packets lost_packets
	output=$(tail -n 1 <<<"$output")
	json '.metrics | .lost_packets == 5'
	json '.metrics | .reordered_packets > 10'
	json '[.series[].lost_packets] | add == 5'
}

@test "rows of tcp and udp add up, also of each connection" {
	through_r
	start serve b serve
	start bump r impair ega egb -i 0s --direction a-to-b --match tcp --loss every=211 -d 60s
	tool_in a tcp stream 198.18.0.2 -d 470ms -i 100ms -P 2 --per-stream --jsonl
	is 0
	add_up 3 tcp_retransmits
	tool_in a tcp rr 198.18.0.2 -d 270ms -i 100ms --json
	is 0
	add_up 2
	tool_in a udp rr 198.18.0.2 -d 270ms -i 100ms --json
	is 0
	add_up 2
	tool_in a udp stream 198.18.0.2 -d 270ms -r 10Mbit -i 100ms --json
	is 0
	add_up 2
}

@test "rows of load add up" {
	lab_up
	nginx_up
	tool_in a load http://198.18.0.2/small http://198.18.0.2/none --clients 7 -d 270ms -i 100ms --jsonl
	is 0
	add_up 2 load_failed
}
