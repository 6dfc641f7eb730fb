#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# bats file_tags=net
# One forged datagram makes two reflectors answer each other: how that ends, in each mode. Where it is
# not the limit that ends it, there is none.

load ../lib/common
load ../lib/lab

setup() {
	need_root
	need_module scapy
	KEY=$BATS_TEST_TMPDIR/key
	(umask 077 && echo secret-of-18-bytes >"$KEY")
}

# reflectors OPTIONS_OF_A... -- OPTIONS_OF_B...
reflectors() {
	local of_a=()
	while [ "$1" != -- ]; do
		of_a+=("$1")
		shift
	done
	shift
	start left a reflect eg0 -i 0 "${of_a[@]}"
	start right b reflect eg0 -i 0 "$@"
}

# forged VERSION SPORT DPORT KIND ANSWERED ENDED: what both have answered, and why they answered no more.
forged() {
	local left right
	in_a "$BATS_TEST_DIRNAME/forge.py" "${@:1:4}"
	nap 0.5
	finish left INT
	left=$output
	finish right INT
	right=$output
	run -0 jq -n --argjson a "$left" --argjson b "$right" '[$a.metrics, $b.metrics] | {
		answered: map(.answered_udp_packets) | add, unsafe: map(.left_unsafe_packets) | add,
		looped: map(.refused_looped_packets // 0) | add, limited: map(.refused_limited_packets) | add }'
	json ".answered == $5 and $6"
}

# bats test_tags=core
@test "two reflectors on well-known ports answer no forged datagram" {
	lab_up
	for version in 4 6; do
		reflectors --port 7 --source-rate max -- --port 9 --source-rate max
		forged $version 7 9 plain 0 '.unsafe == 1'
	done
}

# bats test_tags=core
@test "two reflectors on other ports take one from the TTL until none is left" {
	lab_up
	for version in 4 6; do
		reflectors --port 7000 --source-rate max -- --port 9000 --source-rate max
		forged $version 7000 9000 plain 63 '.unsafe == 1'
	done
	reflectors --port 7000 --source-rate max --xdp-mode generic -- --port 9000 --source-rate max --xdp-mode generic
	forged 4 7000 9000 plain 63 '.unsafe == 1'
}

@test "two STAMP reflectors on other ports know the answer to an own answer, in each mode" {
	lab_up
	for version in 4 6; do
		reflectors --stamp --port 7000 --source-rate max -- --stamp --port 9000 --source-rate max
		forged $version 7000 9000 stamp 2 '.looped == 1'
	done
	reflectors --stamp --stateful --port 7000 --source-rate max -- --stamp --stateful --port 9000 --source-rate max
	forged 4 7000 9000 stamp 2 '.looped == 1'
	reflectors --stamp --twamp-light --port 7000 --source-rate max -- \
		--stamp --twamp-light --port 9000 --source-rate max
	forged 6 7000 9000 twamp 2 '.looped == 1'
	reflectors --stamp --auth --key-file "$KEY" --port 7000 --source-rate max -- \
		--stamp --auth --key-file "$KEY" --port 9000 --source-rate max
	forged 4 7000 9000 auth 2 '.looped == 1'
}

@test "a plain and a STAMP reflector end, too" {
	lab_up
	reflectors --port 7000 --source-rate max -- --stamp --port 9000 --source-rate max
	forged 4 7000 9000 stamp 4 '.looped == 1'
	reflectors --port 7 --source-rate max -- --stamp --source-rate max
	forged 4 7 862 stamp 0 '.unsafe == 1'
}

@test "with a service that answers all with a new TTL, the limit of each source ends it" {
	lab_up
	start left a reflect eg0 -i 0 --port 7000 --source-rate 100pps
	start_cmd service b listening "$BATS_TEST_DIRNAME/reflect_peer.py" listen 20011 9000
	in_a "$BATS_TEST_DIRNAME/forge.py" 4 7000 9000 plain
	finish service
	json '.received >= 11 and .received < 200'
	finish left INT
	# The burst of a tenth of a second, and what fell due until it was used up.
	json '.metrics.answered_udp_packets >= 11 and .metrics.refused_limited_packets == 1 and
		any(.notes[]; contains("--source-rate max"))'
	grep -q "a source sends more than 100 packets per second" "$BATS_TEST_TMPDIR/left.err"
}
