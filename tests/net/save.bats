#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# bats file_tags=net
# blast --save writes what would be sent; --into-stack has it received here.

load ../lib/common
load ../lib/blast

setup_file() {
	wire_file_up save
}

teardown_file() {
	wire_file_down
}

setup() {
	wire_up
}

blast() {
	run --separate-stderr timeout 30 nsenter --net="/run/netns/$LAB-a" "$TOOL" blast eg0 "$@" \
		-q --json --interval 0
}

sent_by_driver() {
	nsenter --net="/run/netns/$LAB-a" ip -json -s link show eg0 | jq '.[0].stats64.tx.packets'
}

# packets_are <PYTHON: 307 packets with right checksums; PYTHON looks at each `packet`, which is number `i`.
packets_are() {
	{
		cat <<-'END'
			import sys, tag
			from scapy.layers.inet import IP, UDP
			from scapy.layers.l2 import Ether
			from scapy.utils import rdpcap

			packets = rdpcap(sys.argv[1])
			assert len(packets) == 307, len(packets)
			for i, packet in enumerate(packets):
			    again = Ether(bytes(packet))
			    del again[IP].chksum, again[UDP].chksum
			    assert bytes(again) == bytes(packet), f"checksums of packet {i}"
		END
		sed 's/^/    /'
	} | PYTHONPATH=$BATS_TEST_DIRNAME/../lib /usr/bin/python3 - "$FILE"
}

@test "--save writes each packet with right checksums, its number and its slot" {
	need_module scapy
	blast 198.18.0.2 --save "$FILE" -c 307 -r 2kpps --stream 7 -s 129
	[ "$status" = 0 ] || fail "$stderr"
	json '.metrics.saved_packets == 307 and .metrics.sent_packets == null'
	packets_are <<-'END'
		assert len(packet) == 125, len(packet)
		run, stream, number, time = tag.read(bytes(packet)[42:])
		assert (run, stream, number) == (1, 7, i), (run, stream, number)
		assert time == i * 500000 and round((packet.time - packets[0].time) * 10**6) == i * 500
	END
}

@test "--payload pattern is what its description says, and is in the checksum" {
	need_module scapy
	blast 198.18.0.2 --save "$FILE" -c 307 -r 2kpps -s '64-1518:5' --payload pattern
	[ "$status" = 0 ] || fail "$stderr"
	packets_are <<-'END'
		assert len(packet) == 60 + 5 * (i % 291), len(packet)
		assert tag.read(bytes(packet)[42:])
		assert bytes(packet)[60:] == tag.pattern(len(packet) - 60), f"payload of packet {i}"
	END
}

@test "what --save writes is what either engine sends, but for the time" {
	for engine in live afxdp; do
		blast 198.18.0.2 --save "$FILE" -c 211 --dscp 46 --dst-mac 02:7e:00:00:00:02
		receive 211
		blast 198.18.0.2 -e "$engine" -c 211 -r 10kpps --dscp 46 --dst-mac 02:7e:00:00:00:02 --run 1
		[ "$status" = 0 ] || fail "$stderr"
		received
		"$PEER" same "$FILE" "$OUT" 1 time
	done
}

# Both engines compute the fields on their own: the file is made by neither's path.
@test "the streams of a file leave in one order by either engine and into a file" {
	local streams=$BATS_TEST_TMPDIR/streams.yaml dest='eth(dst=02:7e:00:00:00:02)/ip4(dst=198.18.0.2)'

	cat >"$streams" <<-END
		flows:
		  - {name: web, packet: '$dest/udp(dport=5000-5999)', size: imix, rate: 3kpps,
		     duration: {fixed_packets: {packets: 503}}}
		  - {name: voice, packet: $dest/udp, size: 218, rate: 50pps, copies: 20,
		     duration: {fixed_packets: {packets: 7}}}
		  - {name: chance, packet: $dest/udp, size: random(64-1518), rate: 2kpps, gaps: poisson,
		     duration: {fixed_packets: {packets: 307}}}
	END
	blast --streams "$streams" --save "$FILE" --run 7
	[ "$status" = 0 ] || fail "$stderr"
	json '.metrics.saved_packets == 950'
	for engine in live afxdp; do
		receive 950
		blast --streams "$streams" -e "$engine" --run 7
		[ "$status" = 0 ] || fail "$stderr"
		received
		"$PEER" same "$FILE" "$OUT" 1 time
	done
}

# Enough packets that random values, too, come to all ports and sources; the destinations go
# beyond what the last byte, and in IPv6 the last two, can count.
@test "ports and addresses that change are the same in both engines, and right in all sums" {
	local checks=()

	need_module scapy
	for way in "" "--random --seed 7"; do
		for dest in 198.18.0.200 2001:2::ffc0; do
			# shellcheck disable=SC2086 # none or several words
			set -- "$dest" -c 503 --ports 31 --src-ports 7 --dests 97 --src-ips 13 \
				--dst-mac 02:7e:00:00:00:02 --no-tag $way
			FILE=$BATS_TEST_TMPDIR/${#checks[@]}.pcap
			blast "$@" --save "$FILE"
			[ "$status" = 0 ] || fail "$stderr"
			checks+=(values "$FILE" 503 13 "${way:+93-}97" 7 31 --)
			for engine in live afxdp; do
				receive 503
				blast "$@" -e "$engine" -r 50kpps
				[ "$status" = 0 ] || fail "$stderr"
				received
				"$PEER" same "$FILE" "$OUT"
			done
		done
	done
	"$PEER" "${checks[@]}"
}

@test "two threads share one sequence of values, each port once" {
	local ports=$BATS_TEST_TMPDIR/ports

	receive 1010
	blast 198.18.0.2 -e live -c 1010 --threads 2 -r 10kpps --ports 1010 --dst-mac 02:7e:00:00:00:02
	[ "$status" = 0 ] || fail "$stderr"
	received
	# Destination ports stand at byte 36: two hex digits a byte.
	cut -d' ' -f2 "$OUT" | cut -c73-76 | sort >"$ports"
	[ "$(uniq "$ports" | wc -l)" = 1010 ]
	[ "$(head -n 1 "$ports")" = 0009 ]
}

@test "a range of ports that runs over is refused" {
	blast 198.18.0.2 -c 3 --port 65535 --ports 2
	[ "$status" = 2 ]
	[[ $stderr == *"go beyond 65535"* ]]
	blast 198.18.0.2 -c 3 --ports 0
	[ "$status" = 2 ]
}

@test "--save sends nothing" {
	before=$(sent_by_driver)
	blast 198.18.0.2 --save "$FILE" -c 1009
	[ "$status" = 0 ]
	[ "$(sent_by_driver)" = "$before" ]
}

@test "a disk that fills up while saving leaves no file and exit code 4" {
	mkdir "$BATS_TEST_TMPDIR/small"
	mount -t tmpfs -o size=64k none "$BATS_TEST_TMPDIR/small"
	defer umount "$BATS_TEST_TMPDIR/small"
	blast 198.18.0.2 --save "$BATS_TEST_TMPDIR/small/file.pcap" -c 10007
	[ "$status" = 4 ]
	[[ $stderr == *"No space left on device"* ]]
	[ -z "$(ls -A "$BATS_TEST_TMPDIR/small")" ]
}

@test "a rate and a frame have the same limits, however the packet is described" {
	local dest='ip4(dst=198.18.0.2)/udp' what

	for what in "198.18.0.2" "198.18.0.2 -s 64-1518" "$dest" "$dest -s 64-1518"; do
		# shellcheck disable=SC2086 # several words
		blast $what --save "$FILE" -c 3 -r 100Gpps
		[ "$status" = 2 ] || fail "exit $status of: $what"
		[[ $stderr == *"1e+11 packets per second is beyond 1 Gpps"* ]] || fail "$stderr"
		[ ! -e "$FILE" ]
	done
	for what in "198.18.0.2 -s 1519" "198.18.0.2 -s 64-1519" "$dest -s 1519" "$dest -s 64-1519"; do
		# shellcheck disable=SC2086 # several words
		blast $what --save "$FILE" -c 3
		[ "$status" = 2 ] || fail "exit $status of: $what"
		[[ $stderr == *"a frame of 1519 bytes is more than 'eg0' carries: its MTU is 1500"* ]] ||
			fail "$stderr"
	done
}

@test "--save refuses what it cannot mean" {
	blast 198.18.0.2 --save "$FILE"
	[ "$status" = 2 ]
	[[ $stderr == *"--save requires --count"* ]]
	blast --pcap "$FILE" --save "$FILE" -c 3
	[ "$status" = 2 ]
	[ ! -e "$FILE" ]
}

@test "--into-stack has a socket of this host receive every packet" {
	timeout 30 nsenter --net="/run/netns/$LAB-a" /usr/bin/python3 - \
		>"$BATS_TEST_TMPDIR/socket" 3>&- <<-'END' &
		import socket

		packets = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
		packets.setsockopt(socket.SOL_SOCKET, 33, 64 << 20)	# SO_RCVBUFFORCE
		packets.bind(("198.18.0.1", 9))
		packets.settimeout(10)
		print("ready", flush=True)
		senders = set()
		for i in range(1009):
		    senders.add(packets.recvfrom(2000)[1])
		print(i + 1, senders, flush=True)
	END
	defer end $!
	wait_for says_there ready "$BATS_TEST_TMPDIR/socket"
	before=$(sent_by_driver)
	blast 198.18.0.1 --src-ip 198.18.0.2 --into-stack -c 1009 -r 50kpps
	[ "$status" = 0 ] || fail "$stderr"
	json '.metrics.sent_packets == 1009'
	wait "$!"
	grep -qF "1009 {('198.18.0.2', 49152)}" "$BATS_TEST_TMPDIR/socket" ||
		fail "$(cat "$BATS_TEST_TMPDIR/socket")"
	[ "$(sent_by_driver)" = "$before" ]
}

@test "--into-stack refuses what it cannot mean" {
	blast 198.18.0.1 --into-stack -c 3
	[ "$status" = 2 ]
	[[ $stderr == *"requires --src-ip"* ]]
	blast 198.18.0.1 --src-ip 198.18.0.2 --into-stack -e afxdp -c 3
	[ "$status" = 2 ]
}
