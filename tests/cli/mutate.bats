#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# scripts/mutate itself, on a program of one file whose tests are known.

load ../lib/common

setup() {
	need_command python3 git make
	TREE=$BATS_TEST_TMPDIR/tree
	mkdir -p "$TREE"/{scripts,docs,user/lib,tests/unit}
	cp "$TOP/scripts/mutate" "$TREE/scripts/"
	printf '| room | what |\n|---|---|\n| lib | all |\n' >"$TREE/docs/architecture.md"
	printf 'one=1\ntwo=2\nthree=3\n' >"$TREE/user/lib/it"
	printf 'build/san/tests/unit/%%:\n\tsh -n user/lib/it\n' >"$TREE/Makefile"
	touch "$TREE/tests/unit/"{test_one,test_two}.c
	# test_NAME looks at $NAME; hangs where three is not 3.
	cat >"$TREE/tests/run" <<-'END'
		#!/bin/sh
		cd "$(dirname "$0")/.." && . user/lib/it
		[ "$three" = 3 ] || sleep 1000
		case $UNIT_TESTS in
		*_one) [ "$one" = 1 ] ;;
		*_two) [ "$two" = 2 ] ;;
		esac && echo "1 passed, 0 failed, 0 skipped" && exit 0
		echo "failed unit: a sum"
		echo "0 passed, 1 failed, 0 skipped"
		exit 1
	END
	chmod +x "$TREE/tests/run"
	git -C "$TREE" init -q
}

# place TESTS LINE NEW [REASON]: one more in the list.
place() {
	printf '@ user/lib/it | %s | %s is wrong\n-%s\n+%s\n' "$1" "$2" "$2" "$3" >>"$TREE/scripts/mutate.list"
	[ $# = 3 ] || printf '= %s\n' "$4" >>"$TREE/scripts/mutate.list"
}

mutate() {
	run timeout 60 "$TREE/scripts/mutate" --jobs 1 "$@"
}

@test "each place of the list is there once, its tests too, and no room is left out" {
	run -0 timeout 60 "$TOP/scripts/mutate" --list
	[[ ${lines[-1]} =~ ^([0-9]+)\ places$ ]] || fail "$output"
	[ "${BASH_REMATCH[1]}" -ge 60 ]
}

@test "what a test notices is named with it, and the checkout stays as it is" {
	place 'unit/test_two; unit/test_one' one=1 one=7
	mutate
	[ "$status" = 0 ] || fail "$output"
	[[ $output == *"| user/lib/it | one=1 is wrong | unit: a sum (1 of 1) |"* ]] || fail "$output"
	[ "${lines[-1]}" = "1 broken, 1 noticed, 0 not" ]
	[ "$(head -n 1 "$TREE/user/lib/it")" = one=1 ]
}

@test "a place that no test notices fails, unless the list has the reason" {
	place unit/test_one one=1 one=7
	place unit/test_one two=2 two=7
	mutate
	[ "$status" = 1 ] || fail "$output"
	[[ $output == *"NOT noticed: user/lib/it: two=2 is wrong: no reason known"* ]] || fail "$output"
	[ "${lines[-1]}" = "2 broken, 1 noticed, 1 not" ]
	mutate --only 'one=1'
	[ "$status" = 0 ] || fail "$output"
	: >"$TREE/scripts/mutate.list"
	place unit/test_one two=2 two=7 'it is never read'
	mutate
	[ "$status" = 0 ] || fail "$output"
	[ "${lines[-1]}" = "1 broken, 0 noticed, 1 not" ]
}

@test "a test that hangs has noticed" {
	place unit/test_one three=3 three=7
	sed -i 's/^PART_SECONDS = .*/PART_SECONDS = 1/' "$TREE/scripts/mutate"
	mutate
	[ "$status" = 0 ] || fail "$output"
	[[ $output == *"did not end"* && ${lines[-1]} == "1 broken, 1 noticed, 0 not" ]] || fail "$output"
}

@test "a list that is wrong is no run: what does not build, is not there once, or fails unbroken" {
	place unit/test_one one=1 'one=('
	mutate
	[ "$status" = 2 ] || fail "$output"
	[[ $output == *"one=1 is wrong: it does not build"* ]] || fail "$output"
	: >"$TREE/scripts/mutate.list"
	place unit/test_one one= one=7
	mutate --list
	[ "$status" = 2 ] || fail "$output"
	[[ $output == *"its lines are there 0 times, not once"* ]] || fail "$output"
	: >"$TREE/scripts/mutate.list"
	place unit/test_six one=1 one=7
	mutate --list
	[ "$status" = 2 ] || fail "$output"
	[[ $output == *"there is no test unit/test_six"* ]] || fail "$output"
	: >"$TREE/scripts/mutate.list"
	place unit/test_one one=1 one=7
	echo "one=2" >>"$TREE/user/lib/it"
	mutate
	[ "$status" = 2 ] || fail "$output"
	[[ $output == *"unit/test_one fails though nothing is broken"* ]] || fail "$output"
}

@test "a room without a place is named" {
	place unit/test_one one=1 one=7
	echo '| model | pure |' >>"$TREE/docs/architecture.md"
	mutate --list
	[ "$status" = 2 ] || fail "$output"
	[[ $output == *"no place in room model"* ]] || fail "$output"
}
