#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# bats file_tags=net
# calibrate: the tool against itself, and what later results cite of it.

load ../lib/common
load ../lib/lab
load ../lib/calibrate

failed_verdicts() {
	jq -c ".verdicts[] | select(.pass | not)" <<<"$output"
}

# Whether a machine is quiet is not what is tested here.
# bats test_tags=core
@test "a quick calibration passes every check, with counts that are not made up, and keeps nothing" {
	calibrated --force
	[ "$status" = 0 ] || fail "$status: $(failed_verdicts)"
	# An inserted delay has two.
	json '(.verdicts | length) + ([.notes[]? | select(contains("not judged")) | if contains("inserted delay") then 2 else 1 end] |
		add // 0) >= 18'
	# Impairments were really inserted.
	json '[.parts[] | select(.name | startswith("faults")).metrics] |
		length >= 3 and all(.lost_packets > 50 and .duplicate_packets > 10 and .reordered_packets > 40)'
	json '.metrics | .calibrated_delay_floor_min_ns > 0 and .calibrated_exact_pps > 1000 and
		.calibrated_delay_floor_p50_ns >= .calibrated_delay_floor_min_ns and
		.calibrated_rtt_floor_p50_ns > .calibrated_delay_floor_min_ns'
	# Each inserted delay is measured.
	json 'def min_of($delay): [.parts[] | select(.name | startswith("inserted delay " + $delay)).metrics.delay_min_ns];
		min_of("1 us")[0] >= 1000 and min_of("100 us")[0] >= 100000 and
		min_of("1 ms")[0] >= 1000000 and min_of("10 ms")[0] >= 10000000'
	# The forwarder's lateness is reported beside the tool's error.
	json '.metrics | .calibrated_timing_error_min_ns > 0 and
		.calibrated_timing_error_min_ns <= .calibrated_timing_error_p50_ns and
		.calibrated_timing_error_p50_ns <= .calibrated_timing_error_p99_ns and
		.held_late_p50_ns > 0 and .held_sending_min_ns > 0'
	# The delay of a packet is the inserted one, the forwarder's lateness and the rest.
	json '[.parts[] | select(.name | startswith("inserted delay 10 ms"))] | last |
		(.parts[] | select(.name == "forwarder").metrics.held_late_min_ns) as $late |
		.metrics.delay_min_ns >= 10000000 + $late + .metrics.calibrated_timing_error_min_ns'
	# Later results cite what begins with this word.
	json '.metrics | keys | map(select(startswith("calibrated_"))) | any(contains("held")) | not'
	[ ! -e "$store" ]
	[ ! -e "$STATE_DIRECTORY" ]
}

# The kernel's timestamps where the packets come in from a, and where they leave the forwarder, by
# a reader that shares no code with the tool. All of it is in r, in a row:
#     ega - bridge - x0 = x1 - impair - y1 = y0 - bridge - egb
@test "the delay that is measured is the one that the kernel's own timestamps show" {
	need_command /usr/bin/python3
	lab_up --path a-r-b --middle open
	ip_in r link add x0 type veth peer name x1
	ip_in r link add y0 type veth peer name y1
	ip_in r link add brx type bridge mcast_snooping 0
	ip_in r link add bry type bridge mcast_snooping 0
	ip_in r link set ega master brx
	ip_in r link set x0 master brx
	ip_in r link set y0 master bry
	ip_in r link set egb master bry
	for link in ega egb x0 x1 y0 y1 brx bry; do
		ip_in r link set "$link" up
	done
	start impair r impair x1 y1 --delay 2ms --direction a-to-b
	start_cmd witness r ready "$BATS_TEST_DIRNAME/delay_witness.py" listen ega y0 701 \
		"$BATS_TEST_TMPDIR/witness.csv"
	start sink b sink eg0 --count 701 --duration 20s --records "$BATS_TEST_TMPDIR/r.csv"
	tool_in a blast eg0 198.18.0.2 --count 701 --rate 1kpps --interval 0 --json \
		--dst-mac "$(ip_in b -json link show eg0 | jq -r '.[0].address')"
	is 0
	finish sink
	is 0
	json '.metrics.received_packets == 701'
	finish witness
	is 0
	finish impair INT
	run "$BATS_TEST_DIRNAME/delay_witness.py" compare "$BATS_TEST_TMPDIR/witness.csv" "$BATS_TEST_TMPDIR/r.csv"
	[ "$status" = 0 ] || fail "$output"
	# Sent before the first timestamp and received after the last: never less, and half of
	# the packets at most 50 us more, for two links and two bridges.
	holds '.packets > 690 and .only_tool <= 11 and .witness_min_ns >= 2000000 and
		.more_min_ns > -1000' <<<"$output" || fail "$output"
	holds --argjson slow "$TESTS_SLOW" '.more_median_ns < 50000 * $slow' <<<"$output" || fail "$output"
}

@test "a calibration that is kept is cited by what is measured after it, until the kernel is another" {
	lab_up
	tool_in b sink eg0 -d 100ms --json
	json '.self.calibration == "none"'
	# As if it had been kept on this machine: the next test keeps one, which takes long.
	mkdir "$STATE_DIRECTORY"
	jq '.command = "calibrate" | .environment.date = "2001-02-03T04:05:06Z" | .metrics = {
		calibrated_exact_pps: 1234567.5, calibrated_delay_floor_p50_ns: 4919}' <<<"$output" >"$store"
	tool_in b sink eg0 -d 100ms --json
	json '.self | .calibration == "2001-02-03T04:05:06Z" and .calibrated_exact_pps == 1234567.5 and
		.calibrated_delay_floor_p50_ns == 4919'
	jq '.environment.kernel = "2.4.0"' "$store" >"$store.new"
	mv "$store.new" "$store"
	tool_in b sink eg0 -d 100ms --json
	json '.self.calibration == "none" and (.self | has("calibrated_exact_pps") | not)'
}

# It must be a full one: a quick one is not stored.
# bats test_tags=long
@test "a calibration is kept whole, and cited by what is measured after it" {
	local date

	run --separate-stderr timeout 400 "$TOOL" calibrate --force --json
	[ "$status" = 0 ] || fail "$status: $(failed_verdicts)"
	json 'all(.verdicts[]; .pass)'
	[ "$(command jq -S .metrics "$store")" = "$(command jq -S .metrics <<<"$output")" ]
	date=$(jq -r .environment.date "$store")
	lab_up
	tool_in b sink eg0 -d 100ms --json
	json --arg date "$date" --slurpfile kept "$store" '.self.calibration == $date and
		.self.calibrated_exact_pps == $kept[0].metrics.calibrated_exact_pps and
		.self.calibrated_delay_floor_p50_ns == $kept[0].metrics.calibrated_delay_floor_p50_ns'
}

# A kernel forgets XDP links and namespaces with the process; what could stay is the file. When the
# second count begins, the first has passed: there is something that could be kept.
@test "^C and kill -9 leave no calibration" {
	local pid signal said=$BATS_TEST_TMPDIR/said
	local -A ends=([INT]=130 [KILL]=137)

	for signal in INT KILL; do
		"$TOOL" calibrate --json >"$BATS_TEST_TMPDIR/out" 2>"$said" 3>&- &
		pid=$!
		defer kill -KILL "$pid"
		until grep -q "counts, live, 1518" "$said"; do
			kill -0 "$pid"
			nap 0.05
		done
		kill -"$signal" "$pid"
		status=0
		wait "$pid" || status=$?
		[ "$status" = "${ends[$signal]}" ] || fail "$signal: $status"
		[ ! -e "$store" ]
		[ ! -e "$STATE_DIRECTORY" ]
		[ "$signal" = KILL ] || holds '(.verdicts | length == 1 and .[0].pass) and
			(.metrics | has("calibrated_exact_pps") | not) and
			(.notes | any(startswith("ended by a signal")))' <"$BATS_TEST_TMPDIR/out"
	done
}
