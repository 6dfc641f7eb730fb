#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# bats file_tags=net
# impair between TCP and UDP sockets whose stacks leave checksums to a NIC, as on every veth: what arrives
# is what was sent, byte for byte.

load ../lib/common
load ../lib/lab

SOCKETS=$TOP/tests/net/impair_sockets.py

setup() {
	need_root
	need_command jq /usr/bin/python3 ethtool
	open_lab
}

# open_lab [OPTIONS of lab up]
open_lab() {
	local node

	lab_up --path a-r-b --middle open "$@"
	# As the kernel makes veth.
	for node in a b; do
		"in_$node" ethtool -K eg0 tx on sg on tso on gso on >/dev/null
	done
}

# between ADDRESS [OPTIONS of impair]: sockets in a and b; their answer is then in $sockets, and what impair
# counted in each direction in $impaired.
between() {
	start_cmd far b serving /usr/bin/python3 "$SOCKETS" serve "$1"
	start bump r impair ega egb -d "$((60 * TESTS_SLOW))s" "${@:2}"
	sockets=$(in_a /usr/bin/python3 "$SOCKETS" ask "$1" 300000 100 "${MOST:-1400}") || fail "no answer: $sockets"
	finish bump INT
	is 130
	impaired=$(jq -c '[.parts[].metrics]' <<<"$output")
	put_down far "${PIDS[far]}" || :
}

# All of it arrives.
is_whole() {
	[ "$sockets" = '{"tcp_exact": true, "back": 100, "wrong": 0}' ] || fail "$sockets, $impaired"
	holds 'length == 2 and all(.impair_refused_frames == 0 and .impair_completed_packets >= 100)' <<<"$impaired" ||
		fail "$impaired"
}

# What arrives is right, and both directions were impaired.
is_right() {
	holds '.tcp_exact and .wrong == 0 and .back > 20' <<<"$sockets" || fail "$sockets, $impaired"
	holds --arg kind "impair_$1_packets" 'all(.[$kind] > 0 and .impair_completed_packets > 0)' <<<"$impaired" ||
		fail "$impaired"
}

@test "a forwarder that takes nothing loses nothing of TCP and UDP with open checksums" {
	between 198.18.0.2
	is_whole
	between 198.18.0.2 --loss list=99999999
	is_whole
	between 198.18.0.2 --delay list=99999999:1ms
	is_whole
	between 198.18.0.2 --match 'udp dport 9' --delay 1ms
	is_whole
}

@test "the same of IPv6" {
	between 2001:2::2
	is_whole
	between 2001:2::2 --delay 200us
	is_whole
}

@test "through each kind of rule TCP and UDP bring what was sent, or nothing" {
	between 198.18.0.2 --loss every=20
	is_right lost
	between 198.18.0.2 --corrupt every=20:1@14
	is_right corrupted
	between 198.18.0.2 --checksum every=20
	is_right checksum
	between 198.18.0.2 --truncate every=20:60
	is_right truncated
	between 198.18.0.2 --duplicate every=20
	is_right duplicated
	between 198.18.0.2 --fragment every=3:512
	is_right fragmented
	between 198.18.0.2 --reorder every=20:3
	is_right reordered
	between 198.18.0.2 --delay 500us+-200us
	is_right delayed
	between 198.18.0.2 --rate 100Mbit --limit 1000
	holds '.tcp_exact and .wrong == 0 and .back > 20' <<<"$sockets" || fail "$sockets, $impaired"
}

@test "frames in several pieces bring what was sent, or nothing" {
	local MOST=8900

	lab_down
	open_lab --mtu 9000
	if ! kernel_from 6.6; then
		tool_in r impair ega egb --delay 1ms
		is 3
		says "frames of 'ega', with an MTU of 9000, are too large for AF_XDP of this kernel"
		return
	fi
	between 198.18.0.2 --delay 500us
	is_whole
	between 198.18.0.2 --delay 500us+-200us
	is_right delayed
	between 198.18.0.2 --duplicate every=5:2
	is_right duplicated
	between 198.18.0.2 --reorder every=20:3
	is_right reordered
	# Fragments of one piece and of several, of packets in several pieces and in one; and their copies.
	between 198.18.0.2 --fragment every=3:1480
	is_right fragmented
	between 198.18.0.2 --fragment every=3:4800 --duplicate every=2
	is_right fragmented
	between 2001:2::2 --fragment every=3:1480
	is_right fragmented
	between 198.18.0.2 --rate 1Gbit --limit 1000
	is_whole
}

@test "generic XDP leaves what stays in its skb to the kernel, and completes what leaves it" {
	local node

	# What is larger than the MTU cannot be redirected; native XDP has it segmented before.
	for node in a b; do
		"in_$node" ethtool -K eg0 tso off gso off >/dev/null
	done
	between 198.18.0.2 --xdp-mode generic
	holds '.tcp_exact and .wrong == 0 and .back > 20' <<<"$sockets" || fail "$sockets, $impaired"
	holds 'all(.impair_completed_packets == null)' <<<"$impaired" || fail "$impaired"
	between 198.18.0.2 --xdp-mode generic --delay 200us
	is_right delayed
}
