#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# bats file_tags=net
# Packets that a text describes, held against scapy and tshark.

load ../lib/common
load ../lib/blast

setup_file() {
	wire_file_up packet --mtu 9000
}

teardown_file() {
	wire_file_down
}

setup() {
	wire_up
}

# blast PACKET OPTIONS...: the MAC is given, so that no neighbour is queried.
blast() {
	run --separate-stderr timeout 30 nsenter --net="/run/netns/$LAB-a" "$TOOL" blast eg0 "$@" \
		-q --json --interval 0
}

# saves COUNT PACKET OPTIONS...
saves() {
	local count=$1

	shift
	blast "$@" --dst-mac 02:7e:00:00:00:02 --save "$FILE" -c "$count"
	[ "$status" = 0 ] || fail "$1: $stderr"
}

@test "each layer is what scapy and tshark take it for, with their lengths and checksums" {
	local nr

	need_module scapy
	need_command tshark
	cat >"$BATS_TEST_TMPDIR/cases" <<-'END'
		eth ip udp | ip4(dst=198.18.0.2)/udp
		eth ip udp | eth/ip4(dst=198.18.0.2, ttl=3, dscp=46, ecn=1, id=7)/udp(dport=5000, sport=6000)
		eth vlan ip udp | eth/vlan(7, pcp=5)/ip4(dst=198.18.0.2)/udp
		eth ieee8021ad vlan ip udp | eth/dot1ad(100)/vlan(7)/ip4(dst=198.18.0.2)/udp
		eth vlan vlan ipv6 udp | eth/vlan(100)/vlan(7)/ip6(dst=2001:2::2)/udp
		eth mpls udp | eth/mpls(1000, tc=5, ttl=9)/mpls(17)/ip4(dst=198.18.0.2)/udp
		eth mpls tcp | eth/mpls(1000)/ip6(dst=2001:2::2)/tcp
		eth arp | eth/arp(request, spa=198.18.0.1, tpa=198.18.0.9)
		eth arp | eth(dst=ff:ff:ff:ff:ff:ff)/arp(reply, sha=02:00:00:00:00:01, spa=198.18.0.1, tha=02:00:00:00:00:02, tpa=198.18.0.9)
		eth llc | eth/llc/hex(00112233445566778899)
		eth llc ip udp | eth/llc/snap/ip4(dst=198.18.0.2)/udp
		eth llc arp | eth/llc/snap/arp(tpa=198.18.0.9)
		eth ip tcp | ip4(dst=198.18.0.2)/tcp(dport=80, flags=SA, seq=1, ack=2, win=1000)
		eth ip tcp | ip4(dst=198.18.0.2)/tcp(dport=80, flags=S, mss=1460, sackok, ts=0x100000002, ws=7)
		eth ip tcp http | ip4(dst=198.18.0.2)/tcp(dport=80, sport=6001, flags=PA)/text("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
		eth ip udp sip | ip4(dst=198.18.0.2)/udp(dport=5060, sport=5060)/text("OPTIONS sip:a@b SIP/2.0\r\nCall-ID: 1\r\n\r\n")
		eth ip tcp rtsp | ip4(dst=198.18.0.2)/tcp(dport=554, flags=PA)/text("OPTIONS * RTSP/1.0\r\nCSeq: 1\r\n\r\n")
		eth ip icmp | ip4(dst=198.18.0.2)/icmp(echo, id=9, seq=3)/hex(0001020304050607)
		eth ip icmp | ip4(dst=198.18.0.2)/icmp(echo-reply)/text("odd")
		eth ipv6 icmpv6 | ip6(dst=2001:2::2)/icmp6(echo, id=9)/text("odd")
		eth ipv6 icmpv6 | ip6(dst=2001:2::2)/ns(target=2001:2::2, lladdr=02:00:00:00:00:01)
		eth ipv6 icmpv6 | ip6(dst=2001:2::2)/na(target=2001:2::1, router, solicited, lladdr=02:00:00:00:00:01)
		eth ip igmp | ip4(dst=224.0.0.251)/igmp(report, group=224.0.0.251)
		eth ip igmp | ip4(dst=224.0.0.1)/igmp(query, resp=100)
		eth ipv6 icmpv6 | ip6(dst=ff02::fb)/hbh(050200000100)/mld(report, group=ff02::fb)
		eth ipv6 icmpv6 | ip6(dst=ff02::1)/mld(query, resp=1000)
		eth ip ip udp | ip4(dst=198.18.0.2)/ip4(src=10.0.0.1, dst=10.0.0.2)/udp
		eth ip ipv6 udp | ip4(dst=198.18.0.2)/ip6(src=2001:2::5, dst=2001:2::6)/udp
		eth ipv6 ip udp | ip6(dst=2001:2::2)/ip4(src=10.0.0.1, dst=10.0.0.2)/udp
		eth ipv6 ipv6 tcp | ip6(dst=2001:2::2)/ip6(src=2001:2::5, dst=2001:2::6)/tcp
		eth ip gre ip udp | ip4(dst=198.18.0.2)/gre/ip4(src=10.0.0.1, dst=10.0.0.2)/udp
		eth ip gre ipv6 udp | ip4(dst=198.18.0.2)/gre(key=7, seq=9)/ip6(dst=2001:2::6)/udp
		eth ip gre eth ip udp | ip4(dst=198.18.0.2)/gre(sum, key=7)/eth/ip4(src=10.0.0.1, dst=10.0.0.2)/udp
		eth ipv6 gre ip icmp | ip6(dst=2001:2::2)/gre(sum)/ip4(dst=10.0.0.2)/icmp
		eth ip udp vxlan eth ip udp | ip4(dst=198.18.0.2)/udp/vxlan(77)/eth/ip4(src=10.0.0.1, dst=10.0.0.2)/udp
		eth ipv6 udp vxlan eth arp | ip6(dst=2001:2::2)/udp/vxlan(77)/eth/arp(tpa=10.0.0.2)
		eth ipv6 ipv6.hopopts ipv6.dstopts udp | ip6(dst=2001:2::2)/hbh/dstopt/udp
		eth ipv6 ipv6.routing udp | ip6(dst=2001:2::2)/routing(0)/udp
		eth ipv6 ipv6.fraghdr data | ip6(dst=2001:2::2)/frag(3, mf, id=77)/hex(0011223344556677)
		eth ip data | ip4(dst=198.18.0.2, mf, frag=5, proto=17)/hex(0011223344556677)
		eth ip udp | ip4(dst=198.18.0.2, options=9404)/udp
		eth ip udp | ip4(dst=198.18.0.2, options=94040000)/udp/hex(010203)
		eth ip sctp | ip4(dst=198.18.0.2)/sctp(dport=5000, tag=77)/hex(0b000004)
		eth ipv6 sctp | ip6(dst=2001:2::2)/sctp(dport=5000)/hex(0b000004)
		eth ip udp | ip4(dst=198.18.0.2)/udp(sum=0)
		eth data | eth(type=0x88b5)/hex(c0ffee)
	END
	nr=$(wc -l <"$BATS_TEST_TMPDIR/cases")
	run -0 timeout 60 nsenter --net="/run/netns/$LAB-a" bash -c '
		set -o pipefail
		cut -d "|" -f 2- "$2/cases" | while read -r text; do
			echo "$text"
			"$1" blast eg0 "$text" -q --interval 0 --dst-mac 02:7e:00:00:00:02 \
				--save "$2/$((nr++)).pcap" -c 1 </dev/null || exit
		done' bash "$TOOL" "$BATS_TEST_TMPDIR"
	CHECKS=(layers "$BATS_TEST_TMPDIR")
	check "$nr"
}

@test "what is given wrong on purpose stays wrong, and nothing else is" {
	saves 1 'ip4(dst=198.18.0.2, len=99, sum=0x1234, ihl=6, proto=99, version=5)/udp(len=7, sum=0xdead)'
	# The file's header has 24 bytes, the packet's 16.
	run -0 /usr/bin/python3 -c '
import sys
with open(sys.argv[1], "rb") as file:
    b = file.read()[40:]
print(b[14:15].hex(), b[16:18].hex(), b[23], b[24:26].hex(), b[38:40].hex(), b[40:42].hex())' "$FILE"
	[ "$output" = "56 0063 99 1234 0007 dead" ] || fail "$output"
}

# The longest period is that of the IPv4 identifiers, 536.
@test "values count, wrap, keep for bursts, and stay within prefixes and lists" {
	need_module scapy
	saves 613 'ip4(src=10.0.0.0/24, dst=198.18.1.0/30, id=65000-65535)/udp(dport=5000-5999:10, sport=9-1@3)'
	is_to_be fields 'IP.src=ip("10.0.0.1") + n % 254' 'IP.dst=ip("198.18.1.1") + n % 2' \
		'IP.id=65000 + n % 536' 'UDP.dport=5000 + 10 * (n % 100)' 'UDP.sport=9 - n // 3 % 9'
	saves 211 'eth(src=02:00:00:00:00:fe-02:00:00:00:01:03)/vlan(list(7,9,11))/ip6(src=2001:2::/64, dst=2001:2::fffe-2001:2::1:1, flow=random())/udp(dport=dist(80*3,443*1))'
	is_to_be fields 'Ether.src="02:00:00:00:" + ["00:fe", "00:ff", "01:00", "01:01", "01:02", "01:03"][n % 6]' \
		'Dot1Q.vlan=[7, 9, 11][n % 3]' 'IPv6.dst=ip("2001:2::fffe") + n % 4' \
		'UDP.dport=lambda port: port in (80, 443)' 'IPv6.fl=lambda flow: 0 <= flow < 2**20'
	check 613 211
}

# More packets than a byte counts, so that all fields that count carry over.
@test "checksums of tunnels follow what changes inside and outside" {
	need_module scapy
	saves 307 'ip4(src=10.0.0.1-10.0.3.255, dst=198.18.0.2, id=0-65535)/udp(sport=49152-65535)/vxlan(1-100)/eth/ip4(src=10.1.0.1-10.1.9.9, dst=10.2.0.1)/udp(sport=random(1000-2000), dport=7)'
	is_to_be fields 'VXLAN.vni=1 + n % 100' 'IP.id=n'
	saves 307 'ip6(src=2001:2::1-2001:2::ffff, dst=2001:2::2)/gre(sum)/ip4(src=10.1.0.1-10.1.9.9, dst=10.2.0.1)/tcp(seq=0-0xffffffff:1000003, dport=1-65535)'
	is_to_be fields 'TCP.seq=n * 1000003 % 2**32' 'TCP.dport=1 + n'
	saves 307 'ip6(dst=2001:2::2)/icmp6(echo, id=1-9, seq=0-65535)/text("payload")'
	is_to_be fields 'ICMPv6EchoRequest.seq=n' 'ICMPv6EchoRequest.id=1 + n % 9'
	check 307 307 307
}

@test "the same seed makes the same packets, another one others" {
	packet='ip4(src=random(10.0.0.0/8), dst=198.18.0.2)/udp(sport=random(1-65535))'
	saves 211 "$packet" --seed 5
	cp "$FILE" "$BATS_TEST_TMPDIR/5"
	saves 211 "$packet" --seed 5
	cmp "$FILE" "$BATS_TEST_TMPDIR/5"
	saves 211 "$packet" --seed 6
	run cmp -s "$FILE" "$BATS_TEST_TMPDIR/5"
	[ "$status" = 1 ]
}

# bats test_tags=core
@test "both engines send described packets, byte for byte those that are saved" {
	packet='eth(dst=02:7e:00:00:00:02)/vlan(7)/ip4(src=random(10.0.0.0/8), dst=198.18.0.0/24, id=0-65535)/tcp(sport=1-1009, flags=S, mss=1460)/text("some payload that is longer than what the kernel'"'"'s side writes anew into each frame, and odd")'
	saves 307 "$packet"
	for engine in $(engines); do
		receive 307
		blast "$packet" -e "$engine" -c 307 -r "$(pace 10000)"
		[ "$status" = 0 ] || fail "$stderr"
		received
		"$PEER" same "$FILE" "$OUT"
	done
}

@test "frames in several pieces are byte for byte those that are saved" {
	packet='eth(dst=02:7e:00:00:00:02)/ip4(src=random(10.0.0.0/8), dst=198.18.0.2)/udp/hex('
	packet+=$(/usr/bin/python3 -c 'print(bytes(i * 7 % 251 for i in range(1000)).hex())')
	packet+=')/hex('
	packet+=$(/usr/bin/python3 -c 'print(bytes(i * 11 % 241 for i in range(1000)).hex())')
	packet+=')'
	saves 53 "$packet" -s 9014
	receive 53
	blast "$packet" -e afxdp -s 9014 -c 53 -r 1kpps
	[ "$status" = 0 ] || fail "$stderr"
	received
	"$PEER" same "$FILE" "$OUT"
}

@test "some bits of a field change while the others stay" {
	need_module scapy
	saves 211 'ip4(src=10.0.0.1, dst=198.18.0.128, dst[0:4]=1-3, id[8:8]=1-200)/udp(dport[0:3]=7-0)'
	is_to_be fields 'IP.dst=ip("198.18.0.129") + n % 3' 'IP.id=256 * (1 + n % 200)' \
		'UDP.dport=8 + 7 - n % 8'
	saves 211 'ip6(dst=2001:2::2, dst[16:16]=1-9)/udp'
	is_to_be fields 'IPv6.dst=ip("2001:2::2") + 65536 * (1 + n % 9)'
	check 211 211
}

@test "two threads tag a described packet, and the sink times and counts all of them" {
	: >"$BATS_TEST_TMPDIR/receive"
	timeout 30 nsenter --net="/run/netns/$LAB-b" "$TOOL" sink eg0 -c 1009 -d 10s --json \
		>"$BATS_TEST_TMPDIR/sink" 2>"$BATS_TEST_TMPDIR/receive" 3>&- &
	defer end $!
	wait_for says_there "receiving on" "$BATS_TEST_TMPDIR/receive"
	blast 'ip4(dst=198.18.0.2)/udp(sport=5000-5009)' -c 1009 -r 20kpps --threads 2 --stream 7
	[ "$status" = 0 ] || fail "$stderr"
	json '.metrics.sent_packets == 1009 and (.notes // [] | any(test("no probe tag")) | not)'
	wait "$!"
	output=$(cat "$BATS_TEST_TMPDIR/sink")
	json '.metrics | .distinct_packets == 1009 and .delay_packets == 1009 and .lost_packets == 0'
}

@test "a packet without a place for the tag says that the sink can only count it" {
	saves 7 'ip4(dst=198.18.0.2)/tcp' -s 64
	json '.notes | any(test("no probe tag"))'
	saves 7 'ip4(dst=198.18.0.2)/tcp' -s 64 --no-tag
	json '(.notes // []) == []'
	saves 7 'ip4(dst=198.18.0.2)/tcp' -s 76
	json '(.notes // []) == []'
}

@test "--into-stack has a socket of this host receive a described packet" {
	timeout 30 nsenter --net="/run/netns/$LAB-a" /usr/bin/python3 - \
		>"$BATS_TEST_TMPDIR/socket" 3>&- <<-'END' &
		import socket

		packets = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
		packets.setsockopt(socket.SOL_SOCKET, 33, 64 << 20)	# SO_RCVBUFFORCE
		packets.bind(("198.18.0.1", 5000))
		packets.settimeout(10)
		print("ready", flush=True)
		senders = {packets.recvfrom(2000)[1] for _ in range(101)}
		print(len(senders), flush=True)
	END
	defer end $!
	wait_for says_there ready "$BATS_TEST_TMPDIR/socket"
	blast 'ip4(198.18.0.1, src=198.18.0.2)/udp(dport=5000, sport=6000-6006)' --into-stack -c 101 \
		-r 10kpps
	[ "$status" = 0 ] || fail "$stderr"
	wait "$!"
	grep -qx 7 "$BATS_TEST_TMPDIR/socket" || fail "$(cat "$BATS_TEST_TMPDIR/socket")"
}

@test "sizes sweep, mix by weight, and follow a genome" {
	need_module scapy
	saves 1456 'ip4(dst=198.18.0.2)/udp' -s 64-1518
	is_to_be sizes '64 + n % 1455'
	saves 30 198.18.0.2 -s 'genome(aaabz, z=1400)'
	is_to_be sizes '[64, 64, 64, 128, 1400][n % 5]'
	saves 204 2001:2::2 -s '128*7,594*4,1518*1'
	is_to_be mix 128=7 594=4 1518=1
	saves 211 'ip4(dst=198.18.0.2)/tcp' -s 'random(64-1518)'
	is_to_be sizes 'lambda size: 64 <= size <= 1518'
	check 1456 30 204 211
}

@test "bursts, pauses and ramps have the slots that they say" {
	saves 40 198.18.0.2 -r 100kpps --burst 4 --every 1ms
	is_to_be gaps 'n // 4 * 10**6 + n % 4 * 10**4'
	saves 40 198.18.0.2 -r 1kpps --on 3ms --off 7ms
	is_to_be gaps 'n // 3 * 10**7 + n % 3 * 10**6'
	saves 1501 198.18.0.2 -r 1kpps --ramp-to 2kpps --ramp-time 1s
	# 1500 packets in the second in which the rate goes from 1000 to 2000.
	is_to_be gaps 'lambda at: n < 1500 or 0.999e9 <= at <= 1.001e9'
	saves 20011 198.18.0.2 -r 1kpps --poisson
	is_to_be poisson 1e6
	check 40 40 1501 20011
}
