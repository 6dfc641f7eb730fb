#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# bats file_tags=net
# calibrate where something is wrong with the machine or the tool: it says so, and does not judge what it does not know.

load ../lib/common
load ../lib/lab
load ../lib/calibrate

@test "a forwarder that notes times 300 us after the true ones fails the calibration" {
	need_command cc
	cc -shared -fPIC -o "$BATS_TEST_TMPDIR/ahead.so" "$BATS_TEST_DIRNAME/clock_ahead.c"
	LD_PRELOAD=$BATS_TEST_TMPDIR/ahead.so calibrated --force
	[ "$status" = 1 ] || fail "$status"
	json '[.verdicts[] | select(.what | contains("made by the forwarder"))] |
		length >= 4 and all(.pass | not)'
	# What needs no time of user space still passes.
	json '[.verdicts[] | select(.what | startswith("counts")).pass] | length == 3 and all'
}

@test "delays of which packets come after the counts are read are not judged, and the note says why" {
	need_command cc
	cc -shared -fPIC -o "$BATS_TEST_TMPDIR/stall.so" "$BATS_TEST_DIRNAME/stall.c"
	# The first three forwarders insert faults.
	STALL_IN=ppoll STALL_CALL=100 STALL_S=4 STALL_AFTER=3 LD_PRELOAD=$BATS_TEST_TMPDIR/stall.so calibrated --force
	json '[.verdicts[] | select(.what | startswith("inserted delay")).pass] | all'
	json '.notes | any(startswith("inserted delay") and contains("not judged: "))'
}

# The forwarder and the sender, both of which spin while they wait, have one CPU between them.
@test "a calibration that is disturbed says so, is repeated and fails" {
	need_command taskset
	run --separate-stderr timeout 300 taskset -c "$(taskset -cp $$ | grep -oE '[0-9]+$')" \
		"$TOOL" calibrate --quick --json
	[ "$status" = 1 ] || fail "$status: $(jq -c .notes <<<"$output")"
	json '.verdicts | last | (.pass | not) and (.what | test("^[1-9][0-9]* runs stayed disturbed"))'
	json '.notes | any(contains("disturbed: ")) and any(contains("repeat 1: disturbed: "))'
	json '[.parts[].name] | any(endswith("repeat 1"))'
	# That makes the forwarder late, but is no error of the delays that are measured. With other tests on
	# that CPU, one of the medians may also include waits on the way to the forwarder.
	json '[.verdicts[] | select(.what | contains("made by the forwarder")).pass] |
		length >= 4 and (map(select(not)) | length) <= 1'
	[ ! -e "$store" ]
}
