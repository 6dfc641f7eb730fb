#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# bats file_tags=net
# reflect --stamp on a real wire: a holds a sender that knows what the answers must be, b the reflector.

load ../lib/common
load ../lib/lab

PEER=$BATS_TEST_DIRNAME/stamp_peer.py

setup() {
	need_root
	KEY=$BATS_TEST_TMPDIR/key
	(umask 077 && echo secret-of-18-bytes >"$KEY")
}

stamp_up() {
	lab_up
	make_ready a
}

stamp_start() {
	start stamp b reflect eg0 --stamp "$@"
}

stamp_end() {
	finish stamp INT
}

# check COUNT SEED MODES...: what was sent came back as the model has it, and was counted so.
check() {
	run -0 in_a "$PEER" "$@"
	sent=$output
	json ".sent == $1 and .wrong == 0 and .answered + .refused == $1 and .answered > $1 / 2"
	stamp_end
	holds --argjson sent "$sent" '.metrics | .answered_udp_packets == $sent.answered and
		.refused_packets == $sent.refused and .turnaround_min_ns > 0' <"$BATS_TEST_TMPDIR/stamp.out"
	deviates turnaround
}

@test "each byte of 211 stateless answers is what RFC 8762 and RFC 8972 say" {
	need_module scapy
	stamp_up
	stamp_start
	check 211 1
	json '.environment.stamp_path == "xdp" and .environment.stamp_sessions == "stateless"'
	json '.metrics | .stamp_unknown_tlvs > 0 and .stamp_malformed_tlvs > 0 and .stamp_unproven_tlvs > 0'
}

@test "authenticated, stateful answers are numbered by session and signed, and forged questions dropped" {
	need_module scapy
	stamp_up
	stamp_start --auth --key-file "$KEY" --stateful --allow-dscp --hide-location
	check 211 2 auth stateful allow-dscp hide
	json '.metrics.refused_forged_packets > 0 and .metrics.stamp_sessions == 8'
}

@test "with a key the extensions of unauthenticated packets are believed if they are signed" {
	need_module scapy
	stamp_up
	ETHGAUGE_STAMP_KEY=secret-of-18-bytes stamp_start --stateful
	check 101 3 stateful keyed
}

@test "TWAMP Light's padding goes back as it came" {
	need_module scapy
	stamp_up
	stamp_start --twamp-light --stateful
	check 101 4 twamp stateful
	json '.environment.stamp_mode == "twamp-light" and .metrics.stamp_tlvs == 0'
}

@test "a socket on a veth with transmit offload gets its answers: their checksums are finished" {
	stamp_up
	in_a ethtool -K eg0 tx on >/dev/null
	stamp_start
	run -0 in_a "$PEER" 101 5 socket
	json '.sent == 202 and .answered == 202'
	stamp_end
	json '.metrics.answered_packets == 202 and .metrics.stamp_repaired_packets == 202'
}

@test "without a key, a port or --stamp what needs them is refused with status 2" {
	run -2 "$TOOL" reflect lo --stamp --auth
	[[ $output == *"--auth requires a key"*ETHGAUGE_STAMP_KEY* ]]
	run -2 "$TOOL" reflect lo --stateful
	[[ $output == *"--stateful requires --stamp"* ]]
	run -2 "$TOOL" reflect lo --stamp --port 0
	run -2 "$TOOL" reflect lo --stamp --twamp-light --auth --key-file "$KEY"
	run -2 "$TOOL" reflect lo --stamp --source-rate 10G
	[[ $output == *"packets per second"* ]]
	: >"$KEY"
	run -2 "$TOOL" reflect lo --stamp --key-file "$KEY"
	[[ $output == *"must have 8 to"* ]]
}

@test "the key is not in the result nor on the command line, and no capability is left" {
	stamp_up
	stamp_start --auth --key-file "$KEY"
	grep -q '^CapEff:[[:space:]]*0*$' "/proc/${PIDS[stamp]}/status"
	run -0 cat "/proc/${PIDS[stamp]}/cmdline"
	[[ $output != *secret* ]]
	stamp_end
	[ "$status" = 130 ]
	[[ $output != *secret* ]]
}
