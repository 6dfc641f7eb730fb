#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# bats file_tags=net
# On a terminal the rows of a run are one line that is rewritten, and goes with the result. Elsewhere they are lines.

load ../lib/common
load ../lib/lab
load ../lib/screen

setup() {
	need_root
	lab_up
}

# not_after KEY TEXT: the screen that followed KEY does not hold TEXT.
not_after() {
	! after "$@" 2>/dev/null || fail "after $1: $2"$'\n'"$output"
}

@test "a run shows how far it is, and of that nothing stays" {
	screen --size 80x24 "w=_s_left r81x24=blast_____eg0" blast eg0 198.18.0.1 -d 3s -r 1kpps
	after w "sending to '198.18.0.1' through 'eg0'"
	after w " %   sent "
	not_after w " s  sent "
	# A machine that stops the sender as the time ends leaves a few out.
	after r81x24 "sent      "
	not_after r81x24 " s left"
	not_after r81x24 " %   sent"
	after end "== end 0"
}

@test "a count is an end, too, and wide screens have a bar" {
	screen --size 140x24 "w=_s_left" blast eg0 198.18.0.1 -c 3k -r 1kpps
	after w "[████"
	after w " %   sent "
}

@test "without an end there is the time, and ^C leaves the result alone" {
	start_cmd blast a "sending to" "$TOOL" blast eg0 198.18.0.2 -r 500pps -d 20s
	screen --size 80x24 "w=s__received_ ^C=^C r80x25=sink______eg0" sink eg0
	after w "receiving on 'eg0'; ^C ends it"
	after w "lost 0"
	not_after w "left"
	not_after r80x25 "s  received"
	after r80x25 "received  "
	after end "== end 130"
}

@test "with --interval rows are lines above it, with -v lines, and in a pipe nothing else" {
	screen "w=2.0_s" blast eg0 198.18.0.1 -d 3s -r 1kpps -i 500ms
	# A busy machine prints a row a little late.
	after w " s  sent "
	after w " %   sent "
	tool_in b blast eg0 198.18.0.1 -d 2s -r 1kpps
	is 0
	grep -qE "^ +1\.[0-4] s  sent " <<<"$output"
	[[ $output$stderr != *[0-9]" s left"* && $output$stderr != *$'\033'* ]]
}

@test "what is omitted is part of the time" {
	start_cmd serve a "serving on" "$TOOL" serve --open
	screen "w=_s_left w=tcp_______stream" tcp stream 198.18.0.1 -d 1s --omit 2s
	# At the first row a third is over.
	not_after w "100 % "
}

@test "a trial of a bench replaces the line of the one before" {
	screen "w=trial_2 w=bench_____eg0" bench soak eg0 "eg0@$LAB-a" --rate 500pps --trial 500ms --duration 1s --sizes 128
	after w " % trial 2: soak, 128 bytes, 500 pps"
	not_after w "trial 1: soak"
}

@test "a long trial of a bench shows how far it is" {
	screen "w=4_s_left w=2_s_left w=bench_____eg0" bench soak eg0 "eg0@$LAB-a" --rate 500pps --trial 4s --duration 4s --sizes 128
	after w "trial 1: soak"
}

@test "the time left of a bench that goes on has no pauses of the trials before" {
	local words=(bench soak eg0 "eg0@$LAB-a" --rate 500pps --trial 300ms --duration 900ms --sizes 128
		--settle 3s --state "$BATS_TEST_TMPDIR/state" --json)

	start_cmd first b "trial 2: soak" "$TOOL" "${words[@]}"
	finish first INT
	# Of three trials and two pauses, 6.9 s, one of each is over.
	start_cmd second b "trial 2: soak" "$TOOL" "${words[@]}"
	finish second INT
	[[ $stderr == *"trial 2: soak, 128 bytes, 500 pps, 4 s left"* ]]
}

@test "a process in the terminal's background writes no line over others' text" {
	need_command script
	run in_b script -qec "stty cols 80; sh -mc '\"$TOOL\" blast eg0 198.18.0.1 -d 2500ms -r 1kpps & wait'" /dev/null
	[[ $output == *"1.0 s  sent "* ]]
	[[ $output != *[0-9]" s left"* ]]
}
