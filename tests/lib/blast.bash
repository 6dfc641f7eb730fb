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

# wire_file_up NAME [OPTIONS of lab up]: in setup_file, a lab for the tests of a file, which do not
# change it. wire_file_down takes it away, in teardown_file.
wire_file_up() {
	[ "$EUID" = 0 ] || return 0
	export LAB=$1$$
	timeout 20 "$TOOL" lab up -q --name "$LAB" "${@:2}" >/dev/null
}

wire_file_down() {
	[ -z "${LAB-}" ] || timeout 20 "$TOOL" lab down -q --name "$LAB"
}

# wire_up: in setup. FILE and OUT are for captures and for what arrived.
wire_up() {
	need_root
	PEER=$BATS_TEST_DIRNAME/replay_peer.py
	FILE=$BATS_TEST_TMPDIR/file.pcap
	OUT=$BATS_TEST_TMPDIR/out
	CHECKS=()
}

# says_there TEXT FILE: the file holds TEXT. Without a process, as it is asked over and over.
says_there() {
	local said

	read -rd '' said <"$2" || :	# there is no NUL in it
	[[ $said == *"$1"* ]]
}

# receive COUNT: starts a receiver of frames into $OUT.
receive() {
	: >"$BATS_TEST_TMPDIR/receive"
	timeout 40 nsenter --net="/run/netns/$LAB-b" "$PEER" receive "$1" "$OUT" \
		>"$BATS_TEST_TMPDIR/receive" 2>&1 3>&- &
	RECEIVER=$!
	defer end "$RECEIVER"
	wait_for says_there ready "$BATS_TEST_TMPDIR/receive"
}

received() {
	wait "$RECEIVER" || fail "$(cat "$BATS_TEST_TMPDIR/receive")"
}

# is_to_be WHAT RULE...: of $FILE, for check; see packet_check.py.
is_to_be() {
	cp "$FILE" "$FILE.${#CHECKS[@]}"
	CHECKS+=("$1" "$FILE.${#CHECKS[@]}" "${@:2}" --)
}

# check COUNT...: all expected files exist, with COUNT packets each.
check() {
	run "$BATS_TEST_DIRNAME/packet_check.py" "${CHECKS[@]}"
	[ "$status" = 0 ] || fail "$output"
	[ "${lines[*]}" = "$*" ] || fail "$output"
}

end() {
	kill -KILL "$1" 2>/dev/null && wait "$1" 2>/dev/null
}
