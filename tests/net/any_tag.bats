#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# bats file_tags=net
# Test packets that are not UDP: numbered, timed and in the ledger as UDP is.

load ../lib/common
load ../lib/lab

setup() {
	need_root
	need_command jq
	cd "$BATS_TEST_TMPDIR" || return
}

# streams COUNT PACKET...: COUNT packets of each.
streams() {
	local count=$1 packet

	shift
	echo flows: >streams.yaml
	for packet; do
		echo "  - {packet: '$packet', rate: 1kpps, duration: {fixed_packets: {packets: $count}}}" \
			>>streams.yaml
	done
}

# sent [OPTIONS]: the streams, from a to a sink in b; the ledger adds up.
sent() {
	tool_in a blast eg0 --streams streams.yaml --interval 0 --json --sink "eg0@$LAB-b" "$@"
	is 0
	json '.parts[] | select(.name == "ledger") | .metrics.overclaimed_packets == 0 and
		([.entries[].packets] | add) == .metrics.made_packets'
}

# bats test_tags=core
@test "packets of every protocol are numbered and timed, and every one is received" {
	local engine to='ip4(dst=198.18.0.2)' six='ip6(dst=2001:2::2)'

	lab_up
	streams 211 "$to/udp" "$to/udp(dport=5000)" "$to/tcp(dport=80, flags=A)" \
		"$to/tcp(mss=1460, ts=1-9)" "$to/icmp" "$to/icmp(echo-reply)" "$to/gre" \
		"$to/gre(sum, key=7)" "$to" "ip4(dst=198.18.0.2, proto=99)" "vlan(7)/$to/tcp" "$six/tcp" \
		"$six/icmp6" "$six/gre(seq=9)" "$six" "$six/dstopt/tcp" \
		"eth(dst=02:e9:00:00:00:0b, type=0x88b5)"
	for engine in $(engines); do
		sent -e "$engine"
		json '.metrics | .sent_packets == 17 * 211 and .distinct_packets == 17 * 211 and
			.received_packets == 17 * 211 and .delay_packets == 17 * 211 and .lost_packets == 0 and
			.duplicate_packets == 0 and .reordered_packets == 0 and .streams == 17 and
			.untagged_packets == null and .bad_checksum_packets == null and .foreign_packets == 0'
		json '.parts[] | select(.name == "ledger") | .entries | map(select(.packets > 0)) |
			length == 1 and .[0].reason == "received"'
	done
}

# Of 211 with TTL 1, 2, 3, 1, ... the router drops 71, the first and the last of them included.
@test "what a router drops is in the row of its place, whatever the protocol, and lost in its stream" {
	local to='ip4(dst=198.19.0.1, ttl=1-3)' six='ip6(dst=2001:2:0:1::1, hop=1-3)'

	lab_up --path a-r-b
	streams 211 "$to/udp" "$to/tcp(dport=80, flags=A)" "$to/icmp" "$to/gre(key=7)" "$to" "$six/tcp" \
		"$six/icmp6" "$six"
	sent
	json '.metrics | .received_packets == 8 * 140 and .lost_packets == 8 * 71 and
		.distinct_packets == 8 * 140 and .untagged_packets == null'
	json '.parts[] | select(.name == "ledger") | .metrics.unattributed_packets == 0 and
		(.entries | map(select(.packets > 0 and .reason != "received")) |
			map({ (.place): .packets }) | add ==
			{ ip_forward: (5 * 71), ip6_forward: (3 * 71) })'
	json '.streams | length == 8 and all(.[]; .distinct_packets == 140 and .lost_packets == 71)'
}

@test "a firewall's drop of one protocol is in no row of another" {
	need_command nft
	lab_up --path a-r-b
	nsenter --net="/run/netns/$LAB-r" nft -f - <<-END
		table ip t {
			chain c { type filter hook forward priority 0; tcp dport 80 counter drop; }
		}
	END
	streams 211 'ip4(dst=198.19.0.1)/udp' 'ip4(dst=198.19.0.1)/tcp(dport=80, flags=A)' \
		'ip4(dst=198.19.0.1)/tcp(dport=81, flags=A)' 'ip4(dst=198.19.0.1)/icmp'
	sent
	json '.parts[] | select(.name == "ledger") | .entries | map(select(.packets > 0)) |
		length == 2 and .[0].packets == 633 and .[1].packets == 211 and
		(.[1].where | endswith("-r:ega"))'
	nsenter --net="/run/netns/$LAB-r" nft list table ip t | grep -q "packets 211 "
}

@test "the payload is verified after every IP protocol" {
	local packet payload to='ip4(dst=198.18.0.2)' stream=0

	lab_up
	start sink b sink eg0 --run 7 --max-streams 8 --verify-payload --count 824 --duration 30s
	for packet in "$to/tcp(flags=A)" "$to/icmp" "ip4(dst=198.18.0.2, proto=99)" \
		"eth(dst=02:e9:00:00:00:0b, type=0x88b5)"; do
		for payload in pattern zero; do
			tool_in a blast eg0 "$packet" -s 300 -c 103 -r 5kpps --run 7 --stream $((stream++)) \
				--payload "$payload" -i 0 -q
			is 0
		done
	done
	finish sink
	is 1
	# Neither protocol 99 has a checksum, nor the EtherType, of which no length is known.
	json '.metrics | .received_packets == 824 and .bad_payload_packets == 309 and
		.distinct_packets == 515 and .unverified_packets == 309 and .untagged_packets == null'
}

@test "a sink by itself receives TCP to its port, and leaves connections and pings to the stack" {
	lab_up
	start sink b sink eg0 --port 80 --duration 30s
	tool_in a blast eg0 'ip4(dst=198.18.0.2)/tcp(dport=81, flags=A)' -c 103 -r 2kpps -i 0 -q
	is 0
	tool_in a blast eg0 'ip4(dst=198.18.0.2)/tcp(dport=80, flags=A)' -c 211 -r 2kpps -i 0 -q
	is 0
	tool_in a ping 198.18.0.2 -c 7 -r 1kpps -i 0 --json
	is 0
	json '.metrics.received_packets == 7'
	finish sink INT
	is 130
	json '.metrics | .received_packets == 211 and .distinct_packets == 211 and .lost_packets == 0 and
		.delay_packets == 211 and .foreign_packets == 103 + 7 and .untagged_packets == null'
}

@test "with --run a sink receives that run on every port and in every protocol" {
	lab_up
	start sink b sink eg0 --run 7 --count 633 --duration 10s
	tool_in a blast eg0 'ip4(dst=198.18.0.2)/icmp' --run 8 -c 103 -r 2kpps -i 0 -q
	is 0
	streams 211 'ip4(dst=198.18.0.2)/icmp' 'ip4(dst=198.18.0.2)/udp(dport=5000)' \
		'ip4(dst=198.18.0.2)/tcp(dport=80)'
	tool_in a blast eg0 --streams streams.yaml --run 7 -i 0 -q
	is 0
	finish sink
	is 0
	json '.metrics | .distinct_packets == 633 and .lost_packets == 0 and .streams == 3 and
		.foreign_packets == 103'
}

@test "a socket refuses packets that are not UDP" {
	lab_up
	tool_in a blast eg0 'ip4(dst=198.18.0.2)/tcp' -c 3 --sink "eg0@$LAB-b" --sink-socket
	is 2
	says "not all UDP"
}
