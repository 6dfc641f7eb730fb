#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# A packet as blast's DEST, and the options beside it. All of it is found before
# privilege is asked for, so it is the same with and without root.

load ../lib/common
load ../lib/blast

UDP='ip4(198.18.0.2)/udp'

@test "an error in a packet description is reported with its column" {
	refuses "packet:5: there is no layer 'ipv4', expected one of: eth" 'eth/ipv4/udp'
	refuses "packet:10: 'ip4' has no field 'to'" 'eth/ip4( to=198.18.0.2)/udp'
	refuses "packet:9: '256' does not fit into the 8 bits of 'ttl'" 'ip4(ttl=256)'
	refuses "packet:9: 'udp' cannot directly follow 'vlan', expected ip4 or ip6" 'vlan(7)/udp'
	refuses "packet:1: '198.18.0.0' is not a layer" 198.18.0.0/24
}

@test "an option that speaks of the packet is refused with the field that says it" {
	refuses "DEST describes the packet, so --port is said there: udp(dport=9)" "$UDP" --port 9
	refuses "is said there: udp(sport=" "$UDP" --src-port 9
	refuses "is said there: udp(dport=5000-5999)" "$UDP" --ports 1000
	refuses "is said there: udp(sport=" "$UDP" --src-ports 1000
	refuses "is said there: ip4(dst=198.18.1.0/24)" "$UDP" --dests 10
	refuses "is said there: ip4(src=" "$UDP" --src-ips 10
	refuses "is said there: ip4(src=" "$UDP" --src-ip 198.18.0.1
	refuses "is said there: vlan(7) behind eth" "$UDP" --vlan 7
	refuses "is said there: vlan(7, pcp=3)" "$UDP" --vlan 7 --vlan-pcp 3
	refuses "is said there: random(), as in udp(dport=random(" "$UDP" --random
}

@test "options that the packet leaves open are taken" {
	takes '.config["frame-bytes"] == "64" and .config.ttl == 3 and .config.seed == 7' "$UDP" \
		--ttl 3 --dscp 46 --seed 7 --src-mac 02:00:00:00:00:01 --dst-mac 02:00:00:00:00:02
	takes '.config["frame-bytes"] == "1518"' "$UDP" -s 1518 --stream 7 --stamp-every 16 --threads 2
	takes '.config["frame-bytes"] == "64"' "$UDP" --rate 10Mbit --rate-layer l2
	takes '.config["frame-bytes"] == "64"' "$UDP" --rate 10Mbit --rate-layer l3
}

@test "a frame size that is not given is as small as the packet allows" {
	takes '.config["frame-bytes"] == "68"' "vlan(7)/$UDP"
	takes '.config["frame-bytes"] == "64"' "vlan(7)/$UDP" --no-tag
	takes '.config["frame-bytes"] == "64"' arp
	takes '.config["frame-bytes"] == "84"' 'ip6(2001:2::2)/udp'
	takes '.config["frame-bytes"] == "76"' 'ip4(198.18.0.2)/tcp(flags=S)'
	takes '.config["frame-bytes"] == "64"' 'ip4(198.18.0.2)/tcp(flags=S)' --no-tag
	takes '.config["frame-bytes"] == "64"' 'ip4(198.18.0.2)/icmp'
	takes '.config["frame-bytes"] == "72"' "$UDP/text(\"abcdefghijklmnopqrstuvwxyz\")"
	refuses "68" "vlan(7)/$UDP" -s 67
}

@test "a packet that does not say where it goes is refused" {
	refuses "the packet does not say where it goes: give the outer IP layer its dst" ip4/udp
	refuses "the packet does not say where it goes: without an IP layer" 'eth/hex(0102)'
	takes '.config["dst-mac"] == "02:00:00:00:00:02"' 'eth/hex(0102)' --dst-mac 02:00:00:00:00:02
	takes true 'eth(02:00:00:00:00:02, type=0x88b5)/hex(0102)'
	takes true arp
}

@test "a packet without a place for the tag takes no option of the tag" {
	for packet in "$UDP/text(\"a\")" 'ip4(198.18.0.2)/icmp(unreachable)' arp; do
		refuses "has no place, or no room" "$packet" --stream 7
		refuses "has no place, or no room" "$packet" --stamp-every 2
		takes true "$packet"
	done
	takes '.config["frame-bytes"] == "76"' 'ip4(198.18.0.2)/tcp' --stream 7
	refuses "has no place, or no room in frames of 75 bytes" 'ip4(198.18.0.2)/tcp' --stream 7 -s 75
	takes true 'ip4(198.18.0.2)/tcp' -s 75
}

@test "a rate of bytes that are not known in a packet is refused" {
	refuses "--rate-layer payload" "$UDP" --rate 10Mbit --rate-layer payload
	refuses "--rate-layer l3 requires a packet with IP right behind" arp --rate 10Mbit --rate-layer l3
}

@test "what an engine or the number of threads cannot do is refused beside a packet too" {
	refuses "--into-stack requires the packet's source" "$UDP" --into-stack
	takes true 'ip4(198.18.0.2, src=198.18.0.1)/udp' --into-stack
	refuses "2 threads cannot share 1 packets" "$UDP" --threads 2 -c 1
	refuses "--queue requires --engine afxdp" "$UDP" --queue 1 -e live
}

@test "probe takes no packet" {
	run --separate-stderr unprivileged "$TOOL" probe lo "$UDP"
	[ "$status" = 2 ]
	[[ $stderr == *"is no IPv4 or IPv6 address"* ]]
}
