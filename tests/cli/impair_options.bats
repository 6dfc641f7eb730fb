#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Valid arguments of impair, checked before any privilege.

load ../lib/common

# refuses TEXT OPTIONS...
refuses() {
	run unprivileged "$TOOL" impair "${@:2}"
	[ "$status" = 2 ] || fail "status $status: $output"
	[[ $output == *"$1"* ]] || fail "not said: '$1', but: $output"
}

@test "impair says what is wrong with a rule, and names the option" {
	refuses "--loss '1': '1' does not select packets" lo --loss 1
	refuses "--truncate '1%': ':BYTES' is missing" lo --truncate 1%
	refuses "--delay '5ms,normal'" lo --delay 5ms,normal
	refuses "cannot read '/nowhere'" lo --loss list=/nowhere
	refuses "too many rules" lo --loss={1,2,3,4,5}% --corrupt={1,2,3,4}%
	refuses "at most 8" lo --loss={1,2,3,4,5,6,7,8,9}%
}

@test "impair of one interface requires a rule, and names one" {
	for words in "lo" "lo --direction egress" "lo --match udp" "lo -c 7 -d 1s"; do
		# shellcheck disable=SC2086 # words
		refuses "nothing to impair on 'lo': there is no rule" $words
		[[ $output == *"hint: such as --loss 1%"* ]] || fail "$output"
	done
}

@test "impair's filter says which words it knows" {
	refuses "unknown word 'port'" lo --match 'udp port 9'
	refuses "dst ADDRESS[/BITS]" lo --match 'port 9'
}

@test "impair's directions are those of one interface or of two" {
	refuses "--direction a-to-b requires OTHER" lo --direction a-to-b
	refuses "OTHER and --direction egress are mutually exclusive" lo dummy --direction egress
	refuses "--limit requires --rate" lo --limit 10
	refuses "--rate: bits per second" lo dummy --rate 1kpps
	refuses "--tc-mode requires --direction egress" lo --tc-mode tcx
}

@test "without privileges impair says which it needs" {
	run unprivileged "$TOOL" impair lo --loss 1%
	[ "$status" = 3 ]
	[[ $output == *CAP_BPF*CAP_NET_ADMIN*CAP_NET_RAW* ]]
}
