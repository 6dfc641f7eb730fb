#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# bats file_tags=net
# Who stamps, where and by which clock: each result says so, and two clocks are
# never taken for one.

load ../lib/common
load ../lib/lab

setup() {
	need_root
	need_command jq
}

# transfer COUNT SINK-OPTIONS BLAST-OPTIONS: to a sink in b. The documents are then in
# RECEIVED and SENT.
transfer() {
	# shellcheck disable=SC2086 # lists of options
	start sink b sink eg0 --count "$1" --duration 10s $2
	# shellcheck disable=SC2086
	tool_in a blast eg0 198.18.0.2 --count "$1" --rate 20kpps --json $3
	is 0
	SENT=$output
	finish sink
	is 0
	RECEIVED=$output
}

# sent FILTER, received FILTER: holds on that document, which becomes output. (As an assignment of the
# command it would be in the environment, where it may be too long.)
sent() {
	output=$SENT
	json "$@"
}

received() {
	output=$RECEIVED
	json "$@"
}

# bats test_tags=core
@test "a result says who stamped, where, by which clock, and what reading it costs" {
	lab_up
	transfer 503 "" "--engine afxdp"
	sent '.environment | .tx_stamp == "user" and (.tx_stamp_at | contains("before the AF_XDP ring"))
		and .clock == "monotonic"'
	sent '.self | .clock_read_user_ns > 0 and .clock_read_bpf_ns > 0 and
		(has("clock_error_ns") | not)'
	received '.environment | .rx_stamp == "xdp" and .clock == "monotonic" and
		(.rx_stamp_at | contains("driver"))'
	received '.self | .clock_read_bpf_ns > 0'
	transfer 503 "--count-only --xdp-mode generic" "--engine afxdp --no-tag"
	sent '.environment | .tx_stamp == "none" and (has("tx_stamp_at") | not) and
		(has("clock") | not)'
	received '.environment | .rx_stamp == "none" and (has("clock") | not)'
	# Neither are packets of many sizes, which are not sent the shortest way.
	transfer 503 "--count-only --xdp-mode generic" "--engine afxdp --no-tag --frame-bytes 64-128"
	sent '.environment.tx_stamp == "none"'
	transfer 503 "--xdp-mode generic" "--engine afxdp"
	received '.environment.rx_stamp_at | contains("after the driver")'
}

@test "the live engine stamps in its program, a reflector not at all" {
	need xdp-live-frames
	lab_up
	start reflect b reflect eg0
	tool_in a probe eg0 198.18.0.2 --engine live --count 101 --rate 10kpps --json
	is 0
	json '.environment | .tx_stamp == "bpf" and .rx_stamp == "xdp" and .clock == "monotonic"'
	json '.self | .clock_read_user_ns > 0 and .clock_read_bpf_ns > 0'
	finish reflect INT
	json '.environment | .tx_stamp == "none" and .rx_stamp == "none"'
}

# One clock on both ends: no delay is below 0, and none is that of two clocks.
by_tai() {
	transfer 1009 "--clock tai" "--clock tai --engine $1"
	sent '.environment | .clock == "tai" and (.tai_offset_s | type) == "number"'
	sent '.self | has("clock_synchronised") and .clock_error_ns >= 0 and
		.clock_error_estimated_ns >= 0'
	received '.metrics | .delay_packets == 1009 and (has("delay_negative_packets") | not) and
		(has("other_clock_packets") | not) and .delay_max_ns < 20e9 and .lost_packets == 0'
	received '[.notes // [] | .[] | select(test("two clocks"))] == []'
	received '.self | has("clock_synchronised") and has("clock_error_ns")'
	# The rate uses the monotonic clock with any clock of the timestamps.
	received '.metrics | .duration_ns > 0 and .duration_ns < 20e9'
}

@test "live: stamps of CLOCK_TAI at both ends give delays as those of CLOCK_MONOTONIC do" {
	need xdp-live-frames tai-clock
	lab_up
	by_tai live
}

@test "afxdp: stamps of CLOCK_TAI at both ends give delays as those of CLOCK_MONOTONIC do" {
	need af-xdp tai-clock
	lab_up
	by_tai afxdp
}

@test "many streams, and packets of a file, are stamped by the clock that was asked for" {
	need tai-clock
	lab_up
	in_a "$TOOL" blast eg0 198.18.0.2 -q --count 503 --save "$BATS_TEST_TMPDIR/some.pcap"
	for engine in $(engines); do
		transfer 1009 "--clock tai" "--clock tai --engine $engine --poisson"
		received '.metrics | .delay_packets == 1009 and (has("delay_negative_packets") | not)'
		start sink b sink eg0 --count 503 --duration 10s --clock tai
		tool_in a blast eg0 --pcap "$BATS_TEST_TMPDIR/some.pcap" --tag --clock tai \
			--rate 20kpps --engine "$engine" --json
		is 0
		json '.environment.clock == "tai"'
		finish sink
		json '.metrics | .delay_packets == 503 and .delay_max_ns < 20e9 and
			(has("delay_negative_packets") | not)'
	done
}

@test "a round trip by CLOCK_TAI is as long as one by CLOCK_MONOTONIC" {
	need tai-clock
	lab_up
	start reflect b reflect eg0
	tool_in a probe eg0 198.18.0.2 --clock tai --count 503 --rate 10kpps --no-loss --json
	is 0
	json '.environment.clock == "tai"'
	json '.metrics | .rtt_packets == 503 and .rtt_max_ns < 20e9'
	finish reflect INT
}

@test "timestamps of another clock are counted, give no delay, and a hint is printed" {
	need tai-clock
	lab_up
	transfer 503 "" "--clock tai --engine afxdp"
	received '.metrics | .other_clock_packets == 503 and .delay_packets == 0 and
		.distinct_packets == 503 and .lost_packets == 0'
	received '.notes | any(contains("clock '\''tai'\''") and contains("give --clock tai here"))'
	transfer 503 "--clock tai" "--engine afxdp"
	received '.metrics | .other_clock_packets == 503 and .delay_packets == 0 and
		.distinct_packets == 503'
	received '.notes | any(contains("give --clock monotonic here"))'
	transfer 503 "--socket --rcvbuf 16M" "--clock tai --engine afxdp"
	received '.metrics | .other_clock_packets == 503 and .delay_packets == 0 and
		.distinct_packets == 503'
	received '.notes | any(contains("not timed: give --clock monotonic to the sender"))'
}

@test "delays between two monotonic clocks are said to be none" {
	lab_up
	start sink b sink eg0 --count 101 --duration 10s
	# The sender booted an hour later, by its clock.
	numbers 0 100 0 age=-3600000000000 | send_tags
	finish sink
	is 0
	json '.metrics.implausible_time_packets == 101 and .metrics.delay_packets == 0'
	json '.notes | any(contains("--clock tai"))'
}

@test "stamps by a NIC that has no clock are refused when asked for, and auto says that" {
	lab_up
	tool_in b sink eg0 --rx-stamp hw --duration 100ms --json
	is 3
	says "'eg0' cannot timestamp what it receives: it has no hardware clock"
	says "--rx-stamp xdp"
	tool_in a probe eg0 198.18.0.2 --rx-stamp hw --count 11 --json
	is 3
	says "cannot timestamp what it receives"
	hook_is_free b
	transfer 503 "--rx-stamp auto" "--engine afxdp"
	received '.environment.rx_stamp == "xdp" and .metrics.delay_packets == 503'
	received '.notes | any(contains("timestamps are taken by the XDP program"))'
}

@test "the kernel's transmit timestamp is not before the packet was passed to it" {
	need af-xdp-metadata
	lab_up
	for options in "" "--clock tai" "--threads 2 --frame-bytes 1518"; do
		transfer 1009 "${options:+${options%--threads*}}" "--tx-stamp sw $options"
		sent '.environment | .engine == "afxdp" and .tx_stamp == "user" and
			.tx_done_stamp == "sw" and (.tx_done_stamp_at | contains("returned the frame"))'
		sent '.metrics | .sent_packets == 1009 and .tx_done_packets == 1009 and
			.tx_done_unstamped_packets == 0 and .tx_done_max_ns < 20e9'
		sent '[.histograms.tx_done_ns.buckets[][1]] | add == 1009'
		sent '.histograms.tx_done_ns.negative == 0'
		received '.metrics | .distinct_packets == 1009 and .lost_packets == 0 and
			.delay_packets == 1009'
	done
	# The delay of a packet without a timestamp is unknown.
	transfer 1009 "" "--tx-stamp sw --stamp-every 7"
	sent '.metrics.tx_done_packets == 145'
}

@test "transmit stamps by a NIC that has none are refused" {
	lab_up
	tool_in a blast eg0 198.18.0.2 --tx-stamp hw --count 11 --json
	is 3
	says "'eg0' cannot timestamp what it sends: it has no hardware clock"
	says "--tx-stamp tag"
	tool_in a blast eg0 198.18.0.2 --tx-stamp sw --poisson --rate 1kpps --count 11 --json
	is 2
	says "--tx-stamp sw and --poisson are mutually exclusive"
}

@test "what has no meaning together is refused" {
	tool() {
		run --separate-stderr unprivileged "$TOOL" "$@"
	}
	tool sink lo --rx-stamp hw --xdp-mode generic
	is 2
	says "--rx-stamp hw and --xdp-mode generic are mutually exclusive"
	tool sink lo --count-only --clock tai
	is 2
	says "--count-only and --clock tai are mutually exclusive"
	tool blast lo 198.18.0.2 --no-tag --clock tai
	is 2
	says "--no-tag"
	tool blast lo --pcap x.pcap --clock tai
	is 2
	says "--clock requires --tag"
	tool blast lo 198.18.0.2 --tx-stamp sw --engine live
	is 2
	says "--tx-stamp sw requires --engine afxdp"
	tool blast lo 198.18.0.2 --tx-stamp sw --zero-copy
	is 2
	says "--tx-stamp sw and --zero-copy are mutually exclusive"
	tool blast lo --pcap x.pcap --tx-stamp sw
	is 2
	says "--pcap and --tx-stamp are mutually exclusive"
	tool sink lo --clock utc
	is 2
	says "utc"
}
