#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# bats file_tags=net
# The built-in profiles: what they send stays what it was, and is what they say.

load ../lib/common
load ../lib/blast

GOLDEN=$BATS_TEST_DIRNAME/../golden

setup_file() {
	wire_file_up profiles
}

teardown_file() {
	wire_file_down
}

setup() {
	wire_up
	cd "$BATS_TEST_TMPDIR" || return
}

blast() {
	timeout 30 nsenter --net="/run/netns/$LAB-a" "$TOOL" blast eg0 "${DEST:-198.18.0.2}" -q --json --interval 0 "$@"
}

profiles() {
	local file

	for file in "$BATS_TEST_DIRNAME"/../../user/profiles/*.yaml; do
		basename "$file" .yaml
	done
}

# saved NAME COUNT: its first packets.
# shellcheck disable=SC2153 # FILE is of wire_up
saved() {
	blast --profile "$1" --save "$FILE" -c "$2" >/dev/null
}

@test "the first 60 packets of each profile are those of its golden capture" {
	local name counts=()

	need_module scapy
	for name in $(profiles); do
		saved "$name" 60
		zcat "$GOLDEN/$name.pcap.gz" | cmp - "$FILE" || fail "$name"
		is_to_be sizes 'lambda size: 64 <= size <= 1518'
		counts+=(60)
	done
	check "${counts[@]}"
}

@test "the sizes and slots of the profiles are those that they are described by" {
	need_module scapy
	saved voip-g711 101
	is_to_be sizes 218
	is_to_be gaps 'n * 20 * 10**6'
	is_to_be fields 'IP.tos=46 << 2' 'UDP.dport=16384'
	saved video 181
	is_to_be sizes 1400
	# A burst of 18 every 40 ms; inside, 1420 bytes of wire at 100 Mbit/s.
	is_to_be gaps 'n // 18 * 40 * 10**6 + n % 18 * 113600'
	saved storage 97
	is_to_be sizes '[1518, 1518, 1198][n % 3]'
	saved bulk 7
	is_to_be sizes 1518
	saved imix 120
	is_to_be sizes 'lambda size: size in (64, 594, 1518)'
	check 101 101 101 181 181 97 7 120
}

@test "a profile is sent, all of it arrives, and each copy has a stream of its own" {
	: >"$BATS_TEST_TMPDIR/sink.err"
	nsenter --net="/run/netns/$LAB-b" "$TOOL" sink eg0 --json --port 16384 \
		>"$BATS_TEST_TMPDIR/sink.json" 2>"$BATS_TEST_TMPDIR/sink.err" 3>&- &
	sink=$!
	defer end "$sink"
	wait_for says_there "receiving on" "$BATS_TEST_TMPDIR/sink.err"
	run -0 --separate-stderr blast --profile voip-g711 --copies 11 -d 1s
	# Slots that were missed by more than 50 ms at the end are not made up for: then it ends early.
	json '(.metrics.sent_packets == 550 and ([.entries[].packets] == [range(11) | 50])) or
		(.metrics.duration_ns < 9.5e8 and .metrics.sent_packets < 550)'
	sent=$(jq .metrics.sent_packets <<<"$output")
	kill -INT "$sink"
	wait "$sink" || :
	output=$(cat "$BATS_TEST_TMPDIR/sink.json")
	json --argjson sent "$sent" '.metrics | .received_packets == $sent and .lost_packets == 0 and .streams == 11'
}

@test "to an IPv6 address a profile has IPv6 packets with the same payload, and goes nowhere else" {
	local name

	need_command tshark
	for name in $(profiles); do
		DEST=2001:2::2 saved "$name" 60
		tshark -r "$FILE" -T fields -e ip.dst -e ipv6.dst -e udp.length -e ipv6.tclass.dscp >six
		[ "$(cut -f 1,2 six | sort -u)" = $'\t2001:2::2' ] || fail "$name: $(head -3 six)"
		saved "$name" 60
		tshark -r "$FILE" -T fields -e ip.dst -e ipv6.dst -e udp.length -e ip.dsfield.dscp >four
		[ "$(cut -f 1,2 four | sort -u)" = $'198.18.0.2\t' ] || fail "$name: $(head -3 four)"
		# A full frame has 20 bytes less.
		paste <(cut -f 3,4 four) <(cut -f 3,4 six) |
			awk '$2 != $4 || ($1 != $3 && !($1 > 1460 && $3 == 1460)) { exit 1 }' || fail "$name"
	done
}

@test "streams with another destination than DEST are refused, and nothing is sent" {
	local packet

	for packet in 'ip4(dst=198.18.0.2)/udp' 'ip4(dst=198.18.0.1-198.18.0.9)/udp' 'ip4(dst=198.18.0.0/24)/udp' \
		'ip6/udp' 'ip6(dst=2001:2::2)/udp'; do
		printf 'flows:\n  - name: own\n    packet: %s\n    rate: 50pps\n' "$packet" >own.yaml
		DEST=198.18.0.1 run -2 --separate-stderr blast --streams own.yaml --save o.pcap -c 3
		[[ $stderr = *"own.yaml:2:5: stream 'own' does not go to DEST '198.18.0.1'"* ]] || fail "$packet: $stderr"
		[ ! -e o.pcap ]
	done
	for packet in 'ip4(dst=198.18.0.2)/udp' 'ip4(dscp=46)/udp'; do
		printf 'flows:\n  - name: own\n    packet: %s\n    rate: 50pps\n' "$packet" >own.yaml
		run -0 --separate-stderr blast --streams own.yaml --save o.pcap -c 3
		rm o.pcap
	done
}

@test "an unknown profile is refused with the names of those that are there" {
	run -2 --separate-stderr blast --profile nothing
	for name in $(profiles); do
		[[ $stderr == *"$name"* ]] || fail "$name is not named: $stderr"
	done
}
