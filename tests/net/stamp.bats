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

# What key_of() of stamp_peer.py has.
keys_of_sessions() {
	(umask 077 && : >"$BATS_TEST_TMPDIR/keys")
	cat >"$BATS_TEST_TMPDIR/keys" <<-END
		# SOURCE	SSID	KEY
		198.18.0.1  1	of 198.18.0.1, 1

		198.18.0.0/15	any of 198.18.0.0/15
		  2001:2::/48 2 of 2001:2::/48, 2
		any 9 of session 9
		192.0.2.0/24 any	of others
	END
}

@test "each session has its own key, and packets of one that has none are dropped" {
	need_module scapy
	stamp_up
	keys_of_sessions
	stamp_start --auth --keys "$BATS_TEST_TMPDIR/keys" --stateful
	run -0 in_a "$PEER" 211 6 auth keys stateful
	sent=$output
	json '.sent == 211 and .wrong == 0 and .answered + .refused == 211 and .answered > 80'
	stamp_end
	json --argjson sent "$sent" '.metrics | .answered_udp_packets == $sent.answered and
		.refused_packets == $sent.refused and .refused_keyless_packets > 20 and
		.refused_forged_packets > 4 and .stamp_sessions == 6'
	json '.environment.stamp_keys == 5'
	[[ $output != *"of 198.18"* && $output != *"of 2001"* ]]
}

@test "the extensions of unauthenticated packets are believed if signed with their session's key" {
	need_module scapy
	stamp_up
	keys_of_sessions
	stamp_start --keys "$BATS_TEST_TMPDIR/keys" --stateful
	check 211 7 keys stateful
}

@test "a file of keys with a wrong line is refused, and the line is named" {
	local file=$BATS_TEST_TMPDIR/keys

	# wrong TEXT MESSAGE: of the second line.
	wrong() {
		printf '# keys\n%b' "$1" >"$file"
		run -2 "$TOOL" reflect lo --stamp --keys "$file"
		[[ $output == *"line 2 of '$file'"*"$2"* ]] || fail "$1: $output"
		[[ $output != *secret-of* ]]
	}
	(umask 077 && : >"$file")
	wrong '198.18.0.1/15 any secret-of-18-bytes\n' 'does not begin with an address'
	wrong 'host any secret-of-18-bytes' 'does not begin with an address'
	wrong 'secret-of-18-bytes' 'does not begin with an address'
	wrong '198.18.0.1 65536 secret-of-18-bytes\n' "identifier of 0 to 65535"
	wrong '198.18.0.1 -1 secret-of-18-bytes\n' "identifier"
	wrong '198.18.0.1 secret-of-18-bytes\n' "identifier"
	wrong '198.18.0.1 any short\n' 'must have 8 to'
	wrong '198.18.0.1\n' "identifier"
	wrong '198.18.0.1 any secret-\0of-18-bytes\n' 'zero byte'
	printf 'any 1 secret-of-18-bytes\n::/0 1 secret-of-18-bytes\nany 1 secret-of-18-others\n' >"$file"
	run -2 "$TOOL" reflect lo --stamp --keys "$file"
	[[ $output == *"line 3 of '$file' names the same sessions as line 1"* ]]
	printf '# nothing\n' >"$file"
	run -2 "$TOOL" reflect lo --stamp --keys "$file"
	[[ $output == *"'$file' has no key"* ]]
	run -2 timeout 10 "$TOOL" reflect lo --stamp --keys /dev/zero
	[[ $output == *"line 1"*"longer than"* ]]
	run -4 "$TOOL" reflect lo --stamp --keys "$file.none"
	run -2 "$TOOL" reflect lo --stamp --keys "$file" --key-file "$KEY"
	run -2 "$TOOL" reflect lo --stamp --keys "$file" --twamp-light
	run -2 "$TOOL" reflect lo --keys "$file"
	[[ $output == *"--keys requires --stamp"* ]]
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
