# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# What tests of blast share: what it refuses, and a wire to a receiver in Python.
# shellcheck disable=SC2034,SC2154 # set for, and by, the tests

# refuses TEXT OPTIONS...: a usage error that says TEXT.
refuses() {
	run --separate-stderr unprivileged "$TOOL" blast lo "${@:2}"
	[ "$status" = 2 ] || fail "exit $status of: ${*:2}"$'\n'"$stderr"
	[ -z "$output" ]
	[[ $stderr == *"$1"* ]] || fail "not said: $1"$'\n'"$stderr"
}

# takes FILTER OPTIONS...: no usage error; FILTER holds on the effective options.
takes() {
	run --separate-stderr unprivileged "$TOOL" blast lo "${@:2}" --json
	[ "$status" = 3 ] || fail "exit $status of: ${*:2}"$'\n'"$stderr"
	json "$1"
}

# wire_up NAME: a lab for one test, in LAB; FILE and OUT are for captures and for what arrived.
wire_up() {
	need_root
	/usr/bin/python3 -c 'import scapy' 2>/dev/null || cannot scapy scapy
	PEER=$BATS_TEST_DIRNAME/replay_peer.py
	LAB=$1$$-$BATS_TEST_NUMBER
	FILE=$BATS_TEST_TMPDIR/file.pcap
	OUT=$BATS_TEST_TMPDIR/out
	"$TOOL" lab up -q --name "$LAB" >/dev/null
	defer timeout 20 "$TOOL" lab down -q --name "$LAB"
}

end() {
	kill -KILL "$1" 2>/dev/null && wait "$1" 2>/dev/null
}
