#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# blast's options against each other. All of it is found before privilege is
# asked for, so it is the same with and without root.

load ../lib/common
load ../lib/blast

@test "a destination that is none is refused" {
	run --separate-stderr "$TOOL" blast lo
	[ "$status" = 2 ]
	[[ $stderr == *"DEST is missing: 'lo' is an interface"* ]]
	run --separate-stderr "$TOOL" blast
	[ "$status" = 2 ]
	[[ $stderr == *"DEST, --pcap, --streams or --profile is missing"* ]]
	refuses "DEST '198.18.0.256' is no IPv4 or IPv6 address" 198.18.0.256
}

@test "a frame too small for its headers is refused with the size that they need" {
	refuses "expected a frame size from 64 to 9216" 198.18.0.2 -s 63
	refuses "expected a frame size from 64 to 9216" 198.18.0.2 -s 0
	refuses "a tagged UDP/IPv4 frame in a VLAN requires at least 68 bytes" 198.18.0.2 -s 67 --vlan 7
	refuses "a tagged UDP/IPv6 frame requires at least 84 bytes" 2001:2::2 -s 83
	refuses "a UDP/IPv6 frame in a VLAN requires at least 70 bytes" 2001:2::2 -s 69 --vlan 7 --no-tag
	refuses "expected a frame size from 64 to 9216" 198.18.0.2 -s 9217
}

@test "a frame size that is not given is as small as the headers allow" {
	takes '.config["frame-bytes"] == "64"' 198.18.0.2
	takes '.config["frame-bytes"] == "68"' 198.18.0.2 --vlan 7
	takes '.config["frame-bytes"] == "84"' 2001:2::2
	takes '.config["frame-bytes"] == "88"' 2001:2::2 --vlan 7
	takes '.config["frame-bytes"] == "66"' 2001:2::2 --no-tag
	takes '.config["frame-bytes"] == "84"' 2001:2::2 -s 84
}

@test "the default duration bounds a run only where no count does" {
	takes '.config.duration == "10s"' 198.18.0.2
	takes '.config.duration == "0s" and .config.count == 7' 198.18.0.2 -c 7
	takes '.config.duration == "3s" and .config.count == 7' 198.18.0.2 -c 7 -d 3s
	takes '.config.duration == "10s" and .config.count == 7' 198.18.0.2 -c 7 -d 10s
}

@test "a rate that is none is refused" {
	refuses "--rate: more than 0, and at most 100%, not '0pps'" 198.18.0.2 -r 0pps
	refuses "--rate: more than 0, and at most 100%, not '101%'" 198.18.0.2 -r 101%
	refuses "--rate '10abc' is not a rate" 198.18.0.2 -r 10abc
	refuses "--rate '1000' is not a rate with its unit" 198.18.0.2 -r 1000
	refuses "--rate-layer requires --rate in bit/s" 198.18.0.2 -r 10kpps --rate-layer l2
	refuses "--rate-layer requires --rate in bit/s" 198.18.0.2 --rate-layer l2
}

@test "numbers out of their range are refused" {
	refuses "--port: 1 to 65535, not '70000'" 198.18.0.2 -p 70000
	refuses "--port: " 198.18.0.2 -p 0
	refuses "--vlan: 0 to 4094, not '4095'" 198.18.0.2 --vlan 4095
	refuses "--dscp: " 198.18.0.2 --dscp 64
	refuses "--ttl: " 198.18.0.2 --ttl 0
	refuses "--threads: " 198.18.0.2 --threads 0
	refuses "--stamp-every: " 198.18.0.2 --stamp-every 0
	refuses "'10abc' is not a whole number" 198.18.0.2 -c 10abc
	refuses "--dst-mac '02:00:00:00:00' is not a MAC address" 198.18.0.2 --dst-mac 02:00:00:00:00
}

@test "options that contradict each other are refused" {
	refuses "not of one family" 198.18.0.2 --src-ip 2001:2::1
	refuses "2 threads cannot share 1 packets" 198.18.0.2 --threads 2 -c 1
	refuses "go beyond stream 65535" 198.18.0.2 --threads 2 --stream 65535
	refuses "--no-tag and --stream are mutually exclusive" 198.18.0.2 --no-tag --stream 4
	refuses "--no-tag and --stamp-every are mutually exclusive" 198.18.0.2 --no-tag --stamp-every 4
	refuses "--no-tag and --payload pattern are mutually exclusive" 198.18.0.2 --no-tag --payload pattern
	takes '.config.payload == "zero"' 198.18.0.2 --no-tag --payload zero
	refuses "--zero-copy requires --engine afxdp" 198.18.0.2 --zero-copy -e live
	takes '.config.engine == "afxdp"' 198.18.0.2 --zero-copy
}

@test "a replay and a stream do not mix" {
	refuses "--pcap and DEST are mutually exclusive" 198.18.0.2 --pcap f.pcap
	refuses "--pcap and --frame-bytes are mutually exclusive" --pcap f.pcap -s 64
	refuses "--pcap and --threads are mutually exclusive" --pcap f.pcap --threads 2
	refuses "--pcap and --no-tag are mutually exclusive" --pcap f.pcap --no-tag
	refuses "--pcap and --payload pattern are mutually exclusive" --pcap f.pcap --payload pattern
	refuses "--pcap and --dscp are mutually exclusive" --pcap f.pcap --dscp 46
	refuses "--speed requires --pcap" 198.18.0.2 --speed 2
	refuses "--loop requires --pcap" 198.18.0.2 --loop 2
	refuses "--map-ip requires --pcap" 198.18.0.2 --map-ip 10.0.0.0/8=198.18.0.0/15
	refuses "--fix-checksums requires --pcap" 198.18.0.2 --fix-checksums
	refuses "--queue requires --engine afxdp" --pcap f.pcap -e live --queue 1
	refuses "--into-stack requires --engine live" --pcap f.pcap -e afxdp --into-stack
	refuses "with --pcap, --stream requires --tag" --pcap f.pcap \
		--stream 3
	refuses "with --pcap, --stamp-every requires --tag" --pcap f.pcap --stamp-every 3
	refuses "--tag requires --pcap" 198.18.0.2 --tag
	refuses "--pcap is empty" --pcap ''
}

@test "a pace of a replay that is none is refused" {
	refuses "--speed and --rate are mutually exclusive" --pcap f.pcap --speed 2 -r 1kpps
	refuses "--speed '0' is not a factor above 0" --pcap f.pcap --speed 0
	refuses "--speed '-1' is not a factor" --pcap f.pcap --speed=-1
	refuses "--speed 'nan' is not a factor" --pcap f.pcap --speed nan
	refuses "--speed '2x' is not a factor" --pcap f.pcap --speed 2x
	refuses "--pcap and --rate-layer payload are mutually exclusive" --pcap f.pcap -r 1Mbit --rate-layer payload
	refuses "--map-ip '10.0.0.1/8=198.18.0.0/15' is not of the form" --pcap f.pcap \
		--map-ip 10.0.0.1/8=198.18.0.0/15
	refuses "--map-port '80' is not of the form 80=8080" --pcap f.pcap --map-port 80
	refuses "--vlan-pcp requires --vlan" --pcap f.pcap --vlan-pcp 3
}

@test "a replay has the file's times, and its end, unless options change them" {
	takes '.config.speed == "1" and .config.loop == 1 and .config.duration == "0s"' --pcap f.pcap
	takes '.config.duration == "3s"' --pcap f.pcap --loop 0 -d 3s
	takes '.config.rate == "1kpps"' --pcap f.pcap -r 1kpps
}
