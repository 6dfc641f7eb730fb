#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# bats file_tags=net
# Reordering, runs of loss and delay variation as sink and probe report them.

load ../lib/common
load ../lib/lab

shopt -s lastpipe

setup() {
	need_root
	need_command jq /usr/bin/python3
	lab_up
}

# counted COUNT [OPTIONS of sink] <LINES of send_tags
counted() {
	start sink b sink eg0 --count "$1" --duration 10s "${@:2}"
	send_tags
	finish sink
	is 0
}

# arrive NUMBER...: of stream 0
arrive() {
	printf '0 %d\n' "$@"
}

@test "RFC 4737 7.3: three packets late have extents 4, 5 and 6, and the first is 4-reordered" {
	arrive 1 2 3 7 8 9 10 4 5 6 11 | counted 11
	json '.metrics | .reordered_packets == 3 and .reordered_extent_max == 6 and
		.reordered_extent_mean == 5 and .n_reordered_1_packets == 1 and
		.n_reordered_3_packets == 1 and .n_reordered_max == 4 and .late_time_packets == 3'
	json '.histograms.reordered_extent_packets | .unit == "packets" and
		.buckets == [[4, 1], [5, 1], [6, 1]]'
	json '.histograms.n_reordered_packets.buckets == [[0, 2], [4, 1]]'
	json '.metrics | .n_reordered_3_ratio * 11 == 1 and .late_time_min_ns > 0 and
		.late_time_min_ns <= .late_time_mean_ns and .late_time_mean_ns <= .late_time_max_ns'
}

@test "a stream in order has no extent, no late time and no run of loss" {
	numbers 0 210 | counted 211
	json '[.metrics | keys[] | select(test("extent|n_reordered|late_time|lost_run"))] == []'
}

# bats test_tags=core
@test "runs of loss: their number, their mean and the longest, across words and windows" {
	# Missing: 3; 60 to 70; 5000 to 11006.
	numbers 0 12010 | awk '$2 != 3 && ($2 < 60 || $2 > 70) && ($2 < 5000 || $2 > 11006)' |
		counted 5992
	json '.metrics | .lost_packets == 6019 and .lost_runs == 3 and .lost_run_max == 6007 and
		(.lost_run_mean - 6019 / 3 | fabs) < 1e-9'
}

@test "a window of 4096 numbers: within it a late packet is known, beyond it unknown" {
	{ numbers 0 4096 | awk '$2 != 1'; arrive 1 1; } | counted 4098 --order-window 4096
	json '.metrics | .reordered_packets == 1 and .reordered_distance_max == 4095 and .lost_packets == 0 and
		.duplicate_packets == 1 and .unknown_packets == null and .distinct_packets == 4097'
	{ numbers 0 4097 | awk '$2 != 1'; arrive 1 0; } | counted 4099 --order-window 4000
	# That 0 had come before is no longer known; neither it nor 1 is lost.
	json '.metrics | .reordered_packets == 0 and .lost_packets == 0 and .duplicate_packets == 0 and
		.unknown_packets == 2 and .distinct_packets == 4097'
}

# Each thousandth number up to 120000, then five far below: one of them a copy.
far_back() {
	numbers 0 120 | awk '{ print $1, 1000 * $2 }'
	arrive 1500 20001 20000 90001 100001
}

# bats test_tags=core
@test "a packet late by 118500 numbers is known to be late in a wide window, and unknown in a narrow one" {
	far_back | counted 126 --order-window 131072
	json '.environment.order_window_packets == 131072 and (.metrics | .reordered_packets == 4 and
		.duplicate_packets == 1 and .unknown_packets == null and .distinct_packets == 125 and
		.lost_packets == 119876 and .reordered_distance_max == 118500)'
	far_back | counted 126 --order-window 1
	json '.environment.order_window_packets == 4096 and (.metrics | .reordered_packets == 0 and
		.unknown_packets == 5 and .distinct_packets == 121 and .lost_packets == 119875)'
	json '.environment.order_window_packets == 4096 and .metrics.lost_runs == 120'
}

@test "the window that is chosen takes no more memory where there are more streams" {
	numbers 0 2 | counted 3 --max-streams 1
	json '.environment.order_window_packets == 131072'
	numbers 0 2 | counted 3 --max-streams 64
	json '.environment.order_window_packets == 16384'
	numbers 0 2 | counted 3 --max-streams 4096
	json '.environment.order_window_packets == 4096'
	run "$TOOL" sink eg0 --order-window 131073
	is 2
	run "$TOOL" sink eg0 --socket --order-window 8192
	is 2
}

@test "a late packet splits a run of loss, a duplicate ends none" {
	arrive 0 1 7 4 1 1 8 | counted 7
	json '.metrics | .lost_packets == 4 and .lost_runs == 2 and .lost_run_max == 2'
}

@test "ipdv is between neighbours by number, and jitter as they come" {
	{
		printf '0 %d age=%d\n' 0 450000000 1 250000000 3 50000000 2 200000000
		printf '1 0 age=5000000\n1 2 age=5000000\n'
	} | counted 6
	# Of stream 0 the pairs 0-1, 1-2 and 2-3: -200, -50 and -150 ms; as they came 200, 200 and 150.
	json '.parts[0].metrics | .ipdv_count == 3 and .ipdv_min_ns < -100e6 and .ipdv_max_ns < 0 and
		.ipdv_abs_max_ns == -.ipdv_min_ns and .pdv_max_ns > 300e6 and .jitter_rfc3550_ns > 20e6'
	json '.parts[1].metrics | .ipdv_count == 0 and has("ipdv_min_ns") == false'
	json '.metrics.jitter_rfc3550_max_ns == .parts[0].metrics.jitter_rfc3550_ns'
	json '[.parts[].metrics.jitter_rfc3550_ns] as [$a, $b] |
		(.metrics.jitter_rfc3550_ns - ($a + $b) / 2 | fabs) < 0.01'
}

@test "pdv is the delay less its minimum" {
	numbers 0 100 | counted 101
	# Each of the two is within its own bucket.
	json '.metrics | .pdv_max_ns == .delay_max_ns - .delay_min_ns and
		(.pdv_p90_ns - (.delay_p90_ns - .delay_min_ns) | fabs) <= (.delay_p90_ns + .pdv_p90_ns) / 60 and
		(.pdv_mean_ns - (.delay_mean_ns - .delay_min_ns) | fabs) < 1'
}

@test "--no-variation leaves out ipdv and jitter, and nothing else" {
	arrive 0 2 1 | counted 3 --no-variation
	json '[.metrics | keys[] | select(test("ipdv|jitter"))] == []'
	json '.metrics | .reordered_packets == 1 and .delay_packets == 3 and has("pdv_p50_ns")'
}

@test "a stamped packet that is late by one is no restart where its neighbour has no time" {
	{
		echo 0 0
		echo 0 3 untimed
		echo 0 2
		echo 0 1
	} | counted 4
	json '.metrics | .reordered_packets == 2 and .restarts == null and .lost_packets == 0'
}

@test "probe reports the variation of the round trip" {
	start reflector b reflect eg0
	tool_in a probe eg0 198.18.0.2 -c 211 --rate 10kpps --json
	is 0
	json '.metrics | .rtt_packets == 211 and .rtt_ipdv_count == 210 and .rtt_pdv_p90_ns >= 0 and
		.rtt_jitter_rfc3550_ns >= 0 and .rtt_ipdv_min_ns <= 0 and .rtt_ipdv_max_ns >= 0 and
		.rtt_pdv_max_ns == .rtt_max_ns - .rtt_min_ns'
	json '[.metrics | keys[] | select(startswith("ipdv") or startswith("pdv"))] == []'
	json '.histograms.rtt_ipdv_abs_ns | [.buckets[][1]] | add == 210'
}

@test "one stream that comes over two queues is one stream: each number once, none lost" {
	local queues records=$BATS_TEST_TMPDIR/records.csv

	lab_down
	lab_up --queues 2
	start sink b sink eg0 --count 20011 --duration 30s --records "$records"
	in_a "$BATS_TEST_DIRNAME/queues_peer.py" 198.18.0.2 20011 32
	finish sink
	is 0
	json '.metrics | .received_packets == 20011 and .distinct_packets == 20011 and .lost_packets == 0 and
		.duplicate_packets == 0 and .unknown_packets == null and .restarts == null'
	# Both queues had their part of it, and the records are of all.
	queues=$(awk -F , 'NR > 1 { n[$8]++ } END { print (n[0] > 500), (n[1] > 500), n[0] + n[1] }' "$records")
	[ "$queues" = "1 1 20011" ] || fail "$queues"
}
