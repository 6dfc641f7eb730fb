#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# scripts/truth: its forwarder is no part of the tool, and writes down what it does.

load ../lib/common
load ../lib/lab

# truth WORDS...: fewer packets than by hand.
truth() {
	run --separate-stderr timeout 120 "$TOP/scripts/truth" --tool "$TOOL" --count 4001 "$@"
}

setup() {
	need_root
	need_command python3
}

@test "loss, copies, order and damage are reported as an independent forwarder made them" {
	truth --only "all of it"
	[ "$status" = 0 ] || fail "$output $stderr"
	# Each of them was there.
	for figure in lost_packets duplicate_packets reordered_packets bad_checksum_packets lost_runs; do
		grep -qE "\\| $figure \\| [1-9][0-9]* \\|" <<<"$output" || fail "no $figure: $output"
	done
}

@test "a packet that comes after copies of others is waited for" {
	run --separate-stderr timeout 120 "$TOP/scripts/truth" --tool "$TOOL" --only "the last 200 ms late"
	[ "$status" = 0 ] || fail "$output $stderr"
}

@test "a tool that reports one packet more is found" {
	cat >"$BATS_TEST_TMPDIR/liar" <<-END
		#!/bin/sh
		"$TOOL" "\$@" | jq '.metrics.duplicate_packets += 1'
	END
	chmod +x "$BATS_TEST_TMPDIR/liar"
	run --separate-stderr timeout 120 "$TOP/scripts/truth" --tool "$BATS_TEST_TMPDIR/liar" --count 2003 \
		--only copies
	[ "$status" = 1 ] || fail "$output $stderr"
	grep -qE "\\| duplicate_packets .*differs" <<<"$output" || fail "$output"
	[[ $output == *" figures, 1 differs."* ]] || fail "$output"
}
