#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# compare over documents whose truth is known: they are made up (compare_docs.py).

load ../lib/common

setup() {
	need_command python3
	cd "$BATS_TEST_TMPDIR" || return
}

docs() {
	"$BATS_TEST_DIRNAME/compare_docs.py" "$@"
}

# compare WORDS...: without privileges, which it needs none of.
compare() {
	run --separate-stderr "$TOOL" compare "$@"
}

# refuses TEXT WORDS...
refuses() {
	compare "${@:2}"
	[ "$status" = 2 ] || fail "status $status of ${*:2}: $output $stderr"
	[ -z "$output" ] || fail "printed: $output"
	[[ $stderr == *"$1"* ]] || fail "not said: '$1', but: $stderr"
}

@test "ten percent in two of noise are found in both directions, and end with 1" {
	docs base 7
	docs slow 7 1.1
	compare base slow --json
	[ "$status" = 1 ]
	json '.comparison.counts.worse == 2 and .comparison.counts.better == 0'
	json '[.comparison.rows[] | select(.verdict == "worse") | .metric] == ["received_pps", "rtt_p50_ns"]'
	json '.comparison.rows[] | select(.metric == "rtt_p50_ns") |
		.ratio > 1.05 and .ratio < 1.16 and .ratio_low < 1.1 and .ratio_high > 1.1 and .p < 0.01'
	json '[.verdicts[].pass] == [false, false]'
	compare slow base --json
	[ "$status" = 0 ]
	json '.comparison.counts.better == 2 and .comparison.counts.worse == 0'
	compare base slow --threshold 30%
	[ "$status" = 0 ]
}

@test "nothing is claimed of the same made again, and equal runs are the same" {
	docs base 9
	docs again 9
	compare base again --all --json
	[ "$status" = 0 ]
	json '.comparison.counts | .worse == 0 and .better == 0 and .changed == 0'
	compare base base --json
	json '[.comparison.rows[] | select(.metric == "lost_packets") | .verdict] == ["same"]'
	json '[.comparison.rows[].ratio // 1] | all(. == 1)'
}

@test "fewer than five runs are inconclusive, and no verdict passes" {
	docs base 5
	docs slow 4 2
	compare base slow --json
	[ "$status" = 0 ]
	json '[.comparison.rows[].verdict] | unique == ["inconclusive"]'
	json 'has("verdicts") | not'
	json '.notes[] | select(test("^inconclusive: "))'
}

@test "an A/A that differs raises the noise floor above the difference" {
	docs base 7
	docs slow 7 1.1
	docs again 7 1.2
	compare base slow --noise again --json
	[ "$status" = 0 ]
	json '.comparison.rows[] | select(.metric == "rtt_p50_ns") |
		.verdict == "inconclusive" and .noise_ratio > 1.15 and .smallest_ratio > .noise_ratio'
	docs other 7 1 6.12
	refuses "another kernel than the base" base slow --noise other
}

@test "different setups are refused by name, and compared with --ignore" {
	docs base 5
	docs new 5
	local change fact

	while read -r fact change; do
		jq "$change" new/0.json >odd.json
		refuses "$fact" base odd.json
		compare base odd.json --ignore "$fact"
		[ "$status" = 0 ] || fail "$fact: $stderr"
		[[ $output == *"$fact may differ (--ignore)"* ]]
	done <<-'END'
		frame-bytes .config."frame-bytes" = 128
		rate .config.rate = "30kpps"
		driver .environment.driver = "igb"
		burst .config.burst = 4
		engine .parts[0].environment.engine = "afxdp"
		command .command = "sink"
	END
	jq '.environment.driver = "igb" | .config.rate = 1' new/0.json >odd.json
	refuses 'config rate is 1 there and "20kpps" here' base odd.json --ignore driver
	[[ $stderr == *"--ignore with each of: rate"* ]]
}

@test "the kernel may differ, and is reported" {
	docs base 5
	docs new 5 1 6.12
	compare base new --json
	[ "$status" = 0 ]
	json '[.comparison.sides[].kernels[]] == ["6.1", "6.12"]'
}

@test "a run that failed is refused unless that is meant" {
	docs base 5
	jq '.errors = [{ no: 1, what: "it \u001b[31m broke" }]' base/0.json >failed.json
	refuses "a run in 'failed.json' failed: it ?[31m broke" base failed.json
	compare base failed.json --ignore errors
	[ "$status" = 0 ]
}

@test "documents come in files, in sequence, as lines, in arrays, by pattern" {
	docs base 5
	docs new 5
	cat base/*.json >many.json
	(echo '{"type":"interval","elapsed_ns":1}' && jq -c . new/*.json) >lines.jsonl
	jq -s . new/*.json >array.json
	for new in lines.jsonl array.json 'new/[0-9].json' new; do
		compare many.json "$new" --json
		[ "$status" = 0 ] || fail "$new: $stderr"
		json '[.comparison.sides[].runs] == [5, 5]'
	done
	compare --base base/0.json --base base/1.json --new new/0.json --new new/1.json --json
	json '[.comparison.sides[].runs] == [2, 2]'
	compare base/0.json --base many.json new
	[ "$status" = 2 ]
	[[ $stderr == *"contain the same run"* ]]
}

@test "several setups at once are compared each with its own" {
	docs base 5
	docs new 5
	for side in base new; do
		for i in 0 1 2 3 4; do
			jq '.config.rate = "1Mpps" | .metrics.rtt_p50_ns *= 7' $side/$i.json >$side/fast$i.json
		done
	done
	compare base new --json
	[ "$status" = 0 ]
	json '[.comparison.rows[] | select(.metric == "rtt_p50_ns") | .setup] ==
		["probe rate=\"20kpps\"", "probe rate=\"1Mpps\""]'
	rm new/fast*
	refuses "config rate" base new
}

@test "bad input of every kind is an error that names the file" {
	docs base 5
	mkdir empty
	echo '{"format":1' >cut.json
	echo '{"format":2,"tool":"x","command":"y"}' >newer.json
	echo '[1]' >number.json
	echo '{"a":1,"a":2}' >twice.json
	printf '{"format":1,"tool":"x","command":"\xff"}' >bytes.json
	: >nothing.json
	echo '{"format":1,"tool":"x","command":"probe","config":[],"metrics":7,"parts":{"a":1}}' >odd.json
	echo '{"format":1,"tool":"x","command":"bench-run","runs":[{"id":"a","round":9}]}' >bench.json
	refuses "'cut.json' is not JSON" base cut.json
	refuses "'newer.json' has format 2" base newer.json
	refuses "'number.json' is not a result document" number.json base
	refuses "'twice.json' is not JSON" base twice.json
	refuses "'bytes.json' is not JSON" base bytes.json
	refuses "'nothing.json' has no result" base nothing.json
	refuses "no such file: 'missing.json'" base missing.json
	refuses "'empty' has no .json" base empty
	refuses "'bench.json' has no rounds" base bench.json
	refuses "cannot be compared" base odd.json
	refuses "no figure to compare" odd.json odd.json
	refuses "none matches --metric" base base --metric no_such
	refuses "NEW or --new is missing" base
	refuses "BASE or --base is missing"
	refuses "--threshold '5' is not a percentage" base base --threshold 5
	refuses "--threshold '-1%' is not a percentage" base base --threshold=-1%
	compare base base --html /no-such-directory/x
	[ "$status" = 4 ]
}

@test "text shows the main figures and each change, and counts the others" {
	docs base 9
	docs new 9
	compare base new
	[ "$status" = 0 ]
	[[ $output == *rtt_p50_ns* && $output == *rtt_p99_ns* && $output == *received_pps* ]]
	[[ $output != *lost_packets* ]] || fail "$output"
	[[ $output == *"1 more figure: 1 same, 0 inconclusive (shown with --all)"* ]] || fail "$output"
	compare base new --all
	[[ $output == *lost_packets* && $output != *"more figure"* ]] || fail "$output"
	for i in 0 1 2 3 4 5 6 7 8; do
		jq '.metrics.lost_packets = 70' new/$i.json >tmp
		mv tmp new/$i.json
	done
	compare base new
	[ "$status" = 1 ]
	[[ $output == *lost_packets* && $output != *"more figure"* ]] || fail "$output"
	[[ $output == *"FAIL  lost_packets: "* ]] || fail "$output"
	for i in 0 1 2 3 4 5 6 7 8; do
		jq '.metrics.rtt_p50_ns *= 2' new/$i.json >tmp
		mv tmp new/$i.json
	done
	compare base new
	[[ $output == *"FAIL  rtt_p50_ns: "*"FAIL  1 more figure is worse by more than 5 %"* ]] || fail "$output"
	[[ $output != *"FAIL  lost_packets: "* ]] || fail "$output"
}

@test "KTAP is valid with any name of a part" {
	docs base 7
	docs slow 7 1.1
	docs few 3
	compare base slow --ktap
	[ "$status" = 1 ]
	[ "$("$BATS_TEST_DIRNAME/ktap_check.py" <<<"$output")" = "3 2 0" ] || fail "$output"
	[[ $output == *$'\nnot ok 3 rtt_p50_ns\n'* ]] || fail "$output"
	compare base few --ktap
	[ "$status" = 0 ]
	[ "$("$BATS_TEST_DIRNAME/ktap_check.py" <<<"$output")" = "0 0 5" ] || fail "$output"
}

@test "the page is whole, loads nothing, and shows hostile names as text" {
	docs base 7
	docs slow 7 1.1
	compare base slow --html page.html
	[ "$status" = 1 ]
	"$BATS_TEST_DIRNAME/html_check.py" page.html >text
	grep -qF "<script>alert(1)</script> # ?[31m?? & 'q' \"z\"" text
	grep -qF "rtt_p50_ns" text
	grep -qF "worse" text
	printf '%s\n' "$output" >shown
	compare base slow --ktap
	printf '%s\n' "$output" >ktap
	compare base slow -v
	printf '%s\n' "$output" >whole
	"$BATS_TEST_DIRNAME/../lib/plain.py" shown ktap whole
	[[ $(cat shown) == *"?[31m??"* ]]
}

@test "the same documents give the same answer, in any order" {
	docs base 6
	docs new 6
	compare base new --json
	command jq -S '.comparison.rows' <<<"$output" >first
	mkdir turned
	for i in 0 1 2 3 4 5; do
		cp new/$i.json turned/$((5 - i)).json
	done
	compare base turned --json
	command jq -S '.comparison.rows' <<<"$output" | cmp - first
}

@test "runs in turn are compared in pairs, and what changes from pair to pair hides nothing" {
	docs base 9
	docs new 9 1.05
	for i in 0 1 2 3 4 5 6 7 8; do
		for side in base new; do
			jq ".metrics.rtt_p50_ns *= (1 + $i / 10)" $side/$i.json >tmp
			mv tmp $side/$i.json
		done
	done
	compare base new --json --metric rtt_p50_ns
	json '.comparison.rows[0] | .paired and .verdict == "worse" and .p < 0.05'
	# The same runs, but no longer in turn.
	for i in 0 1 2 3 4 5 6 7 8; do
		jq '.environment.date |= sub("^2026-01"; "2026-02")' new/$i.json >tmp
		mv tmp new/$i.json
	done
	compare base new --json --metric rtt_p50_ns
	json '.comparison.rows[0] | (.paired | not) and .verdict == "inconclusive" and .p > 0.05'
}

@test "the rounds of bench-run are runs, its rows parts" {
	compare "$TOP"/docs/bench/2026-11-21-{senders,generator}.json --ignore seconds --json
	json '[.comparison.sides[].runs] == [5, 5]'
	json '.comparison.rows[] | select(.part == "bare/64" and .metric == "received_pps") | .base_runs == 5'
	json '.comparison.rows[] | select(.metric == "sender_packet_cpu_ns") | .better == "lower"'
}

@test "runs of one side before the other's are noted" {
	docs base 5
	docs new 5
	for i in 0 1 2 3 4; do
		jq '.environment.date = "2026-02-01T00:00:0\(.metrics.rtt_p50_ns % 10)Z"' new/$i.json >tmp
		mv tmp new/$i.json
	done
	compare base new
	[[ $output == *"interleave the runs"* ]]
	docs other 5
	compare base other
	[[ $output != *"interleave the runs"* ]]
}
