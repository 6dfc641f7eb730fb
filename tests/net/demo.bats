#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# bats file_tags=net
# demo: the whole job, in a lab without a name, that leaves nothing but its document.

load ../lib/common
load ../lib/lab

setup() {
	need_root
	need_command jq
	need af-xdp
	[[ $BATS_TEST_DESCRIPTION = without\ live* ]] || need xdp-live-frames
	mkdir "$BATS_TEST_TMPDIR/empty"
	cd "$BATS_TEST_TMPDIR/empty" || return
}

# What a demo must show, with any counts.
whole='.command == "demo" and (has("errors") | not) and (.verdicts | length) == 16 and
	all(.verdicts[]; .pass) and (.parts | length) == 5 and
	all(.parts[].metrics; .sent_packets > 1000 and .received_packets == .sent_packets and
		.distinct_packets == .sent_packets and .lost_packets == 0 and
		.duplicate_packets == 0 and .reordered_packets == 0 and
		($slow > 0 or .not_sent_packets == 0))'

# in_an_empty_place CMD...: where other runs of this machine are not seen: in a network
# namespace of its own, with nothing under /run. LEFT then holds what is there after it.
in_an_empty_place() {
	LEFT=$BATS_TEST_TMPDIR/left
	# shellcheck disable=SC2016 # expanded there
	run --separate-stderr unshare -mn bash -c 'mount -t tmpfs none /run
		left=$1
		shift
		"$@"
		status=$?
		{ find /run -mindepth 1; ip -br link | cut -d " " -f 1; } >"$left"
		umount /run
		exit $status' place "$LEFT" "$@"
}

@test "the full demo passes, and leaves its document and no namespace" {
	# It has packets to send, not a duration: the limit is only for one that hangs.
	in_an_empty_place timeout 120 "$TOOL" demo
	is 0
	[[ $output == *"PASS  16 of 16 checks"* && $output != *FAIL* ]]
	[ "$(cat "$LEFT")" = lo ]
	[ "$(ls)" = ethgauge-demo.json ]
	output=$(cat ethgauge-demo.json)
	json "$whole"
	json '[.parts[].metrics.sent_packets] == [20011, 5000011, 3000017, 1000003, 100003]'
	json '.parts[0].metrics.rtt_packets == 20011'
	json '[.parts[] | .environment.engine] == ["live", "live", "live", "afxdp", "live"]'
	json '.parts[0].environment | .rx_stamp == "xdp" and .rx_stamp_at and .xdp_mode == "native"'
	# All answers arrive.
	lost="no XDP program could be attached to the peer"
	[[ $stderr != *"$lost"* ]] || fail "$stderr"
	json --arg lost "$lost" '[.. | .notes? // empty | .[] | select(contains($lost))] == []'
}

# bats test_tags=core
@test "--quick sends a tenth, --json prints just one document, and -o holds the same" {
	run --separate-stderr timeout 30 "$TOOL" demo --quick --json -o mine.json
	is 0
	[ "$(ls)" = mine.json ]
	[ "$(jq -s length <<<"$output")" = 1 ]
	json "$whole"
	json '[.parts[].metrics | .sent_packets + .not_sent_packets] == [2003, 500009, 300007, 100003, 10007]'
	[ "$(command jq -cS . mine.json)" = "$(command jq -cS . <<<"$output")" ]
}

@test "two demos at once both pass" {
	local pids=()

	for name in one two; do
		timeout 60 "$TOOL" demo --quick --json -o "$name.json" >"$name.out" 2>"$name.err" 3>&- &
		pids+=("$!")
	done
	for name in one two; do
		status=0
		wait "${pids[0]}" || status=$?
		pids=("${pids[@]:1}")
		output=$(cat "$name.out")
		stderr=$(cat "$name.err")
		is 0
		json "$whole"
	done
}

@test "^C ends a demo with status 130, without a verdict on what was not done" {
	"$TOOL" demo --json >out 2>err 3>&- &
	pid=$!
	wait_for grep -q "round trip.* \.\.\." err
	kill -INT "$pid"
	status=0
	wait "$pid" || status=$?
	output=$(cat out)
	stderr=$(cat err)
	is 130
	json '.command == "demo" and (has("errors") | not) and (.verdicts // [] | length) < 16 and
		(.verdicts // [] | all(.pass)) and (.notes | any(startswith("ended by a signal")))'
	[ -e ethgauge-demo.json ]
}

# A demo that is ended as soon as it takes the signal.
ended_early() {
	local pid caught=0

	"$TOOL" demo --json >out 2>err 3>&- &
	pid=$!
	defer kill -KILL "$pid"
	# Its handler is the first thing that a verb sets up; the kernel's features take longer.
	until grep -qx ethgauge "/proc/$pid/comm" && ((16#$caught & 1 << 14)); do
		caught=$(awk '/^SigCgt/ { print substr($2, 9) }' "/proc/$pid/status")
	done
	kill -TERM "$pid"
	status=0
	wait "$pid" || status=$?
	[ "$status" = 143 ]
	output=$(cat out)
}

@test "a demo that is ended before its first run says that it sent nothing" {
	local i

	# On a busy machine this process may come too late.
	for i in {1..5}; do
		ended_early
		jq -e '.parts[0].metrics.sent_packets > 0' <<<"$output" >/dev/null || break
	done
	json '[.parts[].metrics.sent_packets] == [0] and (has("verdicts") | not) and
		(.notes | any(contains("incomplete")))'
}

@test "kill -9 leaves no file and no program, and the next demo passes" {
	need_bpftool
	"$TOOL" demo --json >out 2>err 3>&- &
	pid=$!
	wait_for grep -q "live engine, 64" err
	wait_for has_programs "$pid"
	programs=$(programs_of "$pid")
	kill -KILL "$pid"
	wait "$pid" || :
	[ "$(ls)" = $'err\nout' ]
	# shellcheck disable=SC2086 # numbers
	wait_for programs_are_gone $programs
	run --separate-stderr timeout 30 "$TOOL" demo --quick --json
	is 0
	json "$whole"
}

@test "a file that cannot be written is reported before anything is done" {
	run --separate-stderr timeout 30 "$TOOL" demo -o "$BATS_TEST_TMPDIR/none/x.json"
	is 4
	[[ $stderr != *"round trip"* ]]
}

@test "without live frames AF_XDP sends instead, which is reported" {
	! "$TOOL" doctor --has xdp-live-frames >/dev/null 2>&1 || skip "needs a kernel without them"
	run --separate-stderr timeout 30 "$TOOL" demo --quick --json
	is 0
	says 'no live frames'
	json 'all(.verdicts[]; .pass) and [.parts[].metrics.sent_packets] == [2003, 100003, 10007]'
	json '[.parts[] | .environment.engine] == ["afxdp", "afxdp", "afxdp"]'
}
