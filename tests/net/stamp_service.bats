#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# bats file_tags=net
# reflect --stamp and probe --stamp as services: their units, what they may do, and what they outlive.

load ../lib/common
load ../lib/lab

setup() {
	need_command jq
	local unit

	for unit in reflect probe; do
		sed "s#@PREFIX@/bin/ethgauge#$TOOL#" "$TOP/scripts/systemd/ethgauge-$unit@.service" \
			>"$BATS_TEST_TMPDIR/ethgauge-$unit@.service"
	done
}

@test "systemd takes the units as they are, and finds them hardened" {
	need_command systemd-analyze
	cd "$BATS_TEST_TMPDIR"
	for unit in reflect probe; do
		run systemd-analyze verify --man=no "./ethgauge-$unit@198.18.0.2.service"
		[[ $output != *ethgauge* ]] || fail "$output"
		systemd-analyze security --help | grep -q -- --offline || cannot systemd-250 "systemd 250"
		# Exposure in tenths; 31 and 19 by systemd 252.
		run systemd-analyze security --offline=true --threshold=35 --no-pager "./ethgauge-$unit@.service"
		is 0
	done
}

# allowed NAME...: the system calls of systemd's sets.
allowed() {
	local name

	for name; do
		if [[ $name = @* ]]; then
			# shellcheck disable=SC2046 # a list of names
			allowed $(systemd-analyze syscall-filter "$name" | sed -n 's/^    \([@a-z].*\)/\1/p')
		else
			echo "$name"
		fi
	done | sort -u
}

# filter_fits VERB: no call in its trace that its unit's filter refuses.
filter_fits() {
	local unit=$BATS_TEST_TMPDIR/ethgauge-$1@.service

	sed -nE 's/^[0-9]+ +([a-z0-9_]+)\(.*/\1/p' "$BATS_TEST_TMPDIR/$1.trace" | sort -u \
		>"$BATS_TEST_TMPDIR/called"
	grep -q adjtime "$BATS_TEST_TMPDIR/called"
	# shellcheck disable=SC2046 # a list of names; execve is of whoever starts it
	allowed execve $(sed -n 's/^SystemCallFilter=//p' "$unit") >"$BATS_TEST_TMPDIR/allowed"
	comm -23 "$BATS_TEST_TMPDIR/called" "$BATS_TEST_TMPDIR/allowed" >"$BATS_TEST_TMPDIR/refused"
	[ ! -s "$BATS_TEST_TMPDIR/refused" ] || fail "$1: $(xargs <"$BATS_TEST_TMPDIR/refused")"
}

@test "the units' filters let through every system call of a reflector and of a sender" {
	need_root
	need_command strace systemd-analyze comm
	lab_up
	start sink a sink eg0
	start_cmd reflect b "answering on" strace -f -qq -o "$BATS_TEST_TMPDIR/reflect.trace" \
		"$TOOL" reflect eg0 --stamp --interval 0 --stateful -d 2s
	run -0 in_a strace -f -qq -o "$BATS_TEST_TMPDIR/probe.trace" "$TOOL" probe --stamp 198.18.0.2 \
		--jsonl --quiet -c 53 -r 200pps -i 100ms
	finish reflect
	is 0
	filter_fits reflect
	filter_fits probe
}

# has_no_capability PID
has_no_capability() {
	[ "$(grep -cE '^Cap(Inh|Prm|Eff|Amb):[[:space:]]*0+$' "/proc/$1/status")" = 4 ] ||
		fail "$(grep Cap "/proc/$1/status")"
}

@test "neither a reflector at work nor a sender has a capability left" {
	need_root
	lab_up
	start sink a sink eg0
	start reflect b reflect eg0 --stamp
	start probe a probe --stamp 198.18.0.2 -c 0 -r 100pps
	has_no_capability "${PIDS[reflect]}"
	has_no_capability "${PIDS[probe]}"
}

@test "where asking how good the clock is is forbidden, both ends say that its error is unknown" {
	need_root
	need_command /usr/bin/python3
	[ "$(uname -m)" = x86_64 ] || cannot x86_64 "x86-64, for the numbers of its system calls"
	lab_up
	start sink a sink eg0
	start_cmd reflect b "answering on" "$TOP/tests/lib/deny_clock.py" "$TOOL" reflect eg0 --stamp --json
	run --separate-stderr in_a "$TOP/tests/lib/deny_clock.py" "$TOOL" probe --stamp 198.18.0.2 -c 7 \
		-r 100pps --json
	is 0
	# 1000 s, in steps of the Error Estimate
	json '.metrics | .received_packets == 7 and .sender_clock_error_ns >= 1000000000000 and
		.reflector_clock_error_ns >= 1000000000000'
	json '.environment | .sender_clock == "not synchronised" and .reflector_clock == "not synchronised"'
}

# came_since COUNT: more packets than that have reached the reflector's interface.
came_since() {
	[ "$(counter b rx_packets)" -gt "$1" ]
}

@test "a link that goes down and up is loss, and ends neither reflector nor session" {
	need_root
	local before

	lab_up
	start sink a sink eg0
	start reflect b reflect eg0 --stamp --stateful
	start probe a probe --stamp 198.18.0.2 -c 0 -r 200pps
	for _ in 1 2; do
		before=$(counter b rx_packets)
		wait_for came_since $((before + 20))
		ip_in b link set eg0 down
		ip_in b link set eg0 up
	done
	wait_for came_since "$(($(counter b rx_packets) + 20))"
	finish probe INT
	is 130
	json '.metrics | .distinct_packets > 40 and .sent_packets == .distinct_packets + .lost_packets and
		.stamp_sessions == 1 and (has("reflector_restarts") | not)'
	finish reflect INT
	is 130
	json '.metrics.stamp_sessions == 2 and .metrics.refused_packets == 0'
}

@test "a reflector whose interface is removed ends with status 4, and does its work when that is back" {
	need_root
	lab_up
	start reflect b reflect eg0 --stamp
	ip_in b link del eg0
	finish reflect
	is 4
	says "interface 'eg0' vanished"
	# As the service is started anew until there is one; 0 and 130 alone would end it.
	tool_in b reflect eg0 --stamp
	is 2
	says "there is no interface 'eg0' here"
	ip_in b link add eg0 up type veth peer name eg1
	start reflect b reflect eg0 --stamp
	finish reflect INT
	is 130
}
