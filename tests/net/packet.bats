#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# bats file_tags=net
# Packets that a text describes, held against scapy and tshark.

load ../lib/common
load ../lib/blast

CHECK=$BATS_TEST_DIRNAME/packet_check.py
PEER=$BATS_TEST_DIRNAME/replay_peer.py

setup_file() {
	[ "$(id -u)" = 0 ] || return 0
	export LAB=packet$$
	"$TOOL" lab up -q --name "$LAB" --mtu 9000 >/dev/null
}

teardown_file() {
	[ -z "${LAB-}" ] || timeout 20 "$TOOL" lab down -q --name "$LAB"
}

setup() {
	need_root
	/usr/bin/python3 -c 'import scapy' 2>/dev/null || cannot scapy scapy
	command -v tshark >/dev/null || cannot tshark tshark
	FILE=$BATS_TEST_TMPDIR/file.pcap
}

# blast PACKET OPTIONS...: the MAC is given, so that nobody is asked.
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

check() {
	run -0 "$CHECK" "$@"
}

@test "each layer is what scapy and tshark take it for, with their lengths and checksums" {
	local nr=0 protocols text

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
		eth ip tcp http | ip4(dst=198.18.0.2)/tcp(dport=80, flags=PA)/text("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
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
	while IFS='|' read -r protocols text; do
		FILE=$BATS_TEST_TMPDIR/$nr.pcap
		saves 1 "${text# }"
		nr=$((nr + 1))
	done <"$BATS_TEST_TMPDIR/cases"
	check layers "$BATS_TEST_TMPDIR"
	[ "$output" = "$nr" ] || fail "$output"
}

@test "what is given wrong on purpose stays wrong, and nothing else is" {
	saves 1 'ip4(dst=198.18.0.2, len=99, sum=0x1234, ihl=6, proto=99, version=5)/udp(len=7, sum=0xdead)'
	run -0 tshark -r "$FILE" -T fields -e eth.type
	run -0 /usr/bin/python3 -c '
import sys
from scapy.all import rdpcap
b = bytes(rdpcap(sys.argv[1])[0])
print(b[14:15].hex(), b[16:18].hex(), b[23], b[24:26].hex(), b[38:40].hex(), b[40:42].hex())' "$FILE"
	[ "$output" = "56 0063 99 1234 0007 dead" ] || fail "$output"
}

@test "values count, wrap, keep for bursts, and stay within prefixes and lists" {
	saves 1009 'ip4(src=10.0.0.0/24, dst=198.18.1.0/30, id=65000-65535)/udp(dport=5000-5999:10, sport=9-1@3)'
	check fields "$FILE" 'IP.src=ip("10.0.0.1") + n % 254' 'IP.dst=ip("198.18.1.1") + n % 2' \
		'IP.id=65000 + n % 536' 'UDP.dport=5000 + 10 * (n % 100)' 'UDP.sport=9 - n // 3 % 9'
	[ "$output" = 1009 ]
	saves 1009 'eth(src=02:00:00:00:00:fe-02:00:00:00:01:03)/vlan(list(7,9,11))/ip6(src=2001:2::/64, dst=2001:2::fffe-2001:2::1:1, flow=random())/udp(dport=dist(80*3,443*1))'
	check fields "$FILE" 'Ether.src="02:00:00:00:" + ["00:fe", "00:ff", "01:00", "01:01", "01:02", "01:03"][n % 6]' \
		'Dot1Q.vlan=[7, 9, 11][n % 3]' 'IPv6.dst=ip("2001:2::fffe") + n % 4' \
		'UDP.dport=lambda port: port in (80, 443)' 'IPv6.fl=lambda flow: 0 <= flow < 2**20'
	[ "$output" = 1009 ]
}

@test "checksums of tunnels follow what changes inside and outside" {
	saves 509 'ip4(src=10.0.0.1-10.0.3.255, dst=198.18.0.2, id=0-65535)/udp(sport=49152-65535)/vxlan(1-100)/eth/ip4(src=10.1.0.1-10.1.9.9, dst=10.2.0.1)/udp(sport=random(1000-2000), dport=7)'
	check fields "$FILE" 'VXLAN.vni=1 + n % 100' 'IP.id=n'
	[ "$output" = 509 ]
	saves 509 'ip6(src=2001:2::1-2001:2::ffff, dst=2001:2::2)/gre(sum)/ip4(src=10.1.0.1-10.1.9.9, dst=10.2.0.1)/tcp(seq=0-0xffffffff:1000003, dport=1-65535)'
	check fields "$FILE" 'TCP.seq=n * 1000003 % 2**32' 'TCP.dport=1 + n'
	[ "$output" = 509 ]
	saves 509 'ip6(dst=2001:2::2)/icmp6(echo, id=1-9, seq=0-65535)/text("payload")'
	check fields "$FILE" 'ICMPv6EchoRequest.seq=n' 'ICMPv6EchoRequest.id=1 + n % 9'
	[ "$output" = 509 ]
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
	for engine in $(engines); do
		saves 307 "$packet"
		rm -f "$BATS_TEST_TMPDIR/receive"
		timeout 40 nsenter --net="/run/netns/$LAB-b" "$PEER" receive 307 "$BATS_TEST_TMPDIR/out" \
			>"$BATS_TEST_TMPDIR/receive" 2>&1 3>&- &
		defer end $!
		wait_for grep -q ready "$BATS_TEST_TMPDIR/receive"
		blast "$packet" -e "$engine" -c 307 -r "$(pace 10000)"
		[ "$status" = 0 ] || fail "$stderr"
		wait "$!"
		"$PEER" same "$FILE" "$BATS_TEST_TMPDIR/out" 1
	done
}

@test "frames in several pieces are byte for byte those that are saved" {
	packet='eth(dst=02:7e:00:00:00:02)/ip4(src=random(10.0.0.0/8), dst=198.18.0.2)/udp/hex('
	packet+=$(/usr/bin/python3 -c 'print(bytes(i * 7 % 251 for i in range(1000)).hex())')
	packet+=')/hex('
	packet+=$(/usr/bin/python3 -c 'print(bytes(i * 11 % 241 for i in range(1000)).hex())')
	packet+=')'
	saves 53 "$packet" -s 9014
	rm -f "$BATS_TEST_TMPDIR/receive"
	timeout 40 nsenter --net="/run/netns/$LAB-b" "$PEER" receive 53 "$BATS_TEST_TMPDIR/out" \
		>"$BATS_TEST_TMPDIR/receive" 2>&1 3>&- &
	defer end $!
	wait_for grep -q ready "$BATS_TEST_TMPDIR/receive"
	blast "$packet" -e afxdp -s 9014 -c 53 -r 1kpps
	[ "$status" = 0 ] || fail "$stderr"
	wait "$!"
	"$PEER" same "$FILE" "$BATS_TEST_TMPDIR/out" 1
}

@test "some bits of a field change while the others stay" {
	saves 509 'ip4(src=10.0.0.1, dst=198.18.0.128, dst[0:4]=1-3, id[8:8]=1-200)/udp(dport[0:3]=7-0)'
	check fields "$FILE" 'IP.dst=ip("198.18.0.129") + n % 3' 'IP.id=256 * (1 + n % 200)' \
		'UDP.dport=8 + 7 - n % 8'
	[ "$output" = 509 ]
	saves 211 'ip6(dst=2001:2::2, dst[16:16]=1-9)/udp'
	check fields "$FILE" 'IPv6.dst=ip("2001:2::2") + 65536 * (1 + n % 9)'
	[ "$output" = 211 ]
}

@test "two threads tag a described packet, and the sink times and counts all of them" {
	timeout 30 nsenter --net="/run/netns/$LAB-b" "$TOOL" sink eg0 -c 1009 -d 10s --json \
		>"$BATS_TEST_TMPDIR/sink" 2>"$BATS_TEST_TMPDIR/receive" 3>&- &
	defer end $!
	wait_for grep -q "receiving on" "$BATS_TEST_TMPDIR/receive"
	blast 'ip4(dst=198.18.0.2)/udp(sport=5000-5009)' -c 1009 -r 20kpps -t 2 --stream 7
	[ "$status" = 0 ] || fail "$stderr"
	json '.metrics.sent_packets == 1009 and (.notes // [] | any(test("no probe tag")) | not)'
	wait "$!"
	output=$(cat "$BATS_TEST_TMPDIR/sink")
	json '.metrics | .distinct_packets == 1009 and .delay_packets == 1009 and .lost_packets == 0'
}

@test "a packet without a place for the tag says that the sink can only count it" {
	saves 7 'ip4(dst=198.18.0.2)/tcp'
	json '.notes | any(test("no probe tag"))'
	saves 7 'ip4(dst=198.18.0.2)/tcp' --no-tag
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
	wait_for grep -q ready "$BATS_TEST_TMPDIR/socket"
	blast 'ip4(198.18.0.1, src=198.18.0.2)/udp(dport=5000, sport=6000-6006)' --into-stack -c 101 \
		-r 10kpps
	[ "$status" = 0 ] || fail "$stderr"
	wait "$!"
	grep -qx 7 "$BATS_TEST_TMPDIR/socket" || fail "$(cat "$BATS_TEST_TMPDIR/socket")"
}

@test "sizes sweep, mix by weight, and follow a genome" {
	saves 1456 'ip4(dst=198.18.0.2)/udp' -s 64-1518
	check sizes "$FILE" '64 + n % 1455'
	saves 30 198.18.0.2 -s 'genome(aaabz, z=1400)'
	check sizes "$FILE" '[64, 64, 64, 128, 1400][n % 5]'
	saves 1200 2001:2::2 -s '128*7,594*4,1518*1'
	check sizes "$FILE" 'lambda size: size in (128, 594, 1518)'
	run -0 /usr/bin/python3 -c '
import collections, sys
from scapy.all import rdpcap
sizes = [len(p) + 4 for p in rdpcap(sys.argv[1])]
assert sizes[:12] * 100 == sizes
print(*sorted(collections.Counter(sizes).items()))' "$FILE"
	[ "$output" = "(128, 700) (594, 400) (1518, 100)" ] || fail "$output"
	saves 1009 'ip4(dst=198.18.0.2)/tcp' -s 'random(64-1518)'
	check sizes "$FILE" 'lambda size: 64 <= size <= 1518'
}

@test "bursts, pauses and ramps have the slots that they say" {
	saves 40 198.18.0.2 -r 100kpps --burst 4 --every 1ms
	check gaps "$FILE" 'n // 4 * 10**6 + n % 4 * 10**4'
	saves 40 198.18.0.2 -r 1kpps --on 3ms --off 7ms
	check gaps "$FILE" 'n // 3 * 10**7 + n % 3 * 10**6'
	saves 1501 198.18.0.2 -r 1kpps --ramp-to 2kpps --ramp-time 1s
	# 1500 packets in the second in which the rate goes from 1000 to 2000.
	run -0 /usr/bin/python3 -c '
import sys
from scapy.all import rdpcap
packets = rdpcap(sys.argv[1])
print(float(packets[1500].time - packets[0].time))' "$FILE"
	/usr/bin/python3 -c 'import sys; sys.exit(not 0.999 <= float(sys.argv[1]) <= 1.001)' "$output" ||
		fail "$output"
	saves 20011 198.18.0.2 -r 1kpps --gaps poisson
	# Exponential: mean and standard deviation are the same.
	run -0 /usr/bin/python3 -c '
import statistics, sys
from scapy.all import RawPcapReader
times = [m.sec * 10**9 + m.usec for _, m in RawPcapReader(sys.argv[1])]
gaps = [b - a for a, b in zip(times, times[1:])]
assert abs(statistics.mean(gaps) - 1e6) < 3e4, statistics.mean(gaps)
assert abs(statistics.stdev(gaps) - 1e6) < 5e4, statistics.stdev(gaps)' "$FILE"
}
