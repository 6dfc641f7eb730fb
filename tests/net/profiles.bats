#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# bats file_tags=net
# The built-in profiles: what they send stays what it was, and is what they say.

load ../lib/common

CHECK=$BATS_TEST_DIRNAME/packet_check.py
GOLDEN=$BATS_TEST_DIRNAME/../golden

setup_file() {
	[ "$(id -u)" = 0 ] || return 0
	export LAB=profiles$$
	"$TOOL" lab up -q --name "$LAB" >/dev/null
}

teardown_file() {
	[ -z "${LAB-}" ] || timeout 20 "$TOOL" lab down -q --name "$LAB"
}

setup() {
	need_root
	/usr/bin/python3 -c 'import scapy' 2>/dev/null || cannot scapy scapy
	FILE=$BATS_TEST_TMPDIR/file.pcap
}

blast() {
	timeout 30 nsenter --net="/run/netns/$LAB-a" "$TOOL" blast eg0 198.18.0.2 -q --json --interval 0 "$@"
}

profiles() {
	local file

	for file in "$BATS_TEST_DIRNAME"/../../user/profiles/*.yaml; do
		basename "$file" .yaml
	done
}

check() {
	run -0 "$CHECK" "$@"
}

# saved NAME COUNT: its first packets.
saved() {
	blast --profile "$1" --save "$FILE" -c "$2" >/dev/null
}

@test "the first 60 packets of each profile are those of its golden capture" {
	local name

	for name in $(profiles); do
		saved "$name" 60
		zcat "$GOLDEN/$name.pcap.gz" | cmp - "$FILE" || fail "$name"
		check sizes "$FILE" 'lambda size: 64 <= size <= 1518'
		[ "$output" = 60 ]
	done
}

@test "the sizes and slots of the profiles are those that they are described by" {
	saved voip-g711 101
	check sizes "$FILE" 218
	check gaps "$FILE" 'n * 20 * 10**6'
	check fields "$FILE" 'IP.tos=46 << 2' 'UDP.dport=16384'
	saved video 181
	check sizes "$FILE" 1400
	# A burst of 18 every 40 ms; inside, 1420 bytes of wire at 100 Mbit/s.
	check gaps "$FILE" 'n // 18 * 40 * 10**6 + n % 18 * 113600'
	saved storage 97
	check sizes "$FILE" '[1518, 1518, 1198][n % 3]'
	saved bulk 7
	check sizes "$FILE" 1518
	saved imix 120
	check sizes "$FILE" 'lambda size: size in (64, 594, 1518)'
}

@test "a profile is sent, all of it arrives, and each copy has a stream of its own" {
	nsenter --net="/run/netns/$LAB-b" "$TOOL" sink eg0 --json --port 16384 \
		>"$BATS_TEST_TMPDIR/sink.json" 2>"$BATS_TEST_TMPDIR/sink.err" 3>&- &
	sink=$!
	# shellcheck disable=SC2064 # now
	defer kill "$sink"
	wait_for grep -q "receiving on" "$BATS_TEST_TMPDIR/sink.err"
	run -0 --separate-stderr blast --profile voip-g711 --copies 11 -d 1s
	json '.metrics.sent_packets == 550 and ([.entries[].packets] == [range(11) | 50])'
	kill -INT "$sink"
	wait "$sink" || :
	output=$(cat "$BATS_TEST_TMPDIR/sink.json")
	json '.metrics | .received_packets == 550 and .lost_packets == 0 and .streams == 11'
}

@test "an unknown profile is refused with the names of those that are there" {
	run -2 --separate-stderr blast --profile nothing
	for name in $(profiles); do
		[[ $stderr == *"$name"* ]] || fail "$name is not named: $stderr"
	done
}
