#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# bats file_tags=net
# sink held against streams whose loss, order, duplicates and delay are known,
# because they were made by hand.

load ../lib/common
load ../lib/lab

# So that "... | counted" sets output.
shopt -s lastpipe

setup() {
	need_root
	need_command jq /usr/bin/python3
	lab_up
}

# counted COUNT [OPTIONS of send_tags] <LINES: has a sink in b count COUNT test
# packets of those lines; the document is then in output.
counted() {
	start sink b sink eg0 --count "$1" --duration 10s
	send_tags "${@:2}"
	finish sink
	is 0
	json --argjson n "$1" '.metrics.received_packets == $n'
}

# figures JQ-OBJECT: each of these metrics has just this value; null: it is not there.
figures() {
	local got

	got=$(jq -c --argjson want "$1" '[.metrics as $m | $want | to_entries[] |
		select($m[.key] != .value) | "\(.key) is \($m[.key]), not \(.value)"]' <<<"$output")
	[ "$got" = "[]" ] || fail "$got"$'\n'"$(cat /proc/net/softnet_stat)"
}

# A stream 0 that came as it was sent.
sound='"lost_packets": 0, "duplicate_packets": 0, "reordered_packets": 0, "unknown_packets": null,
	"restarts": null, "untagged_packets": null, "other_stream_packets": null,
	"unseen_before_packets": null, "foreign_packets": 0'

@test "a whole stream has no loss, no duplicate, no reordering and nothing unknown" {
	numbers 0 1008 | counted 1009
	figures "{ $sound, \"distinct_packets\": 1009, \"streams\": 1, \"delay_packets\": 1009,
		\"received_bytes\": $((1009 * 64)), \"lost_ratio\": 0, \"reordered_ratio\": 0 }"
}

# bats test_tags=core
@test "each seventh packet that is missing is a loss, in number and ratio" {
	# 3, 10 and so on to 1004: 144 of them.
	numbers 0 1008 | awk '$2 % 7 != 3' | counted 865
	figures '{ "lost_packets": 144, "distinct_packets": 865, "duplicate_packets": 0,
		"reordered_packets": 0, "restarts": null }'
	json '(.metrics.lost_ratio - 144 / 1009 | fabs) < 1e-12'
}

@test "numbers missing before the first packet are reported separately, not as loss" {
	numbers 17 1008 | counted 992
	figures '{ "lost_packets": 0, "unseen_before_packets": 17, "distinct_packets": 992 }'
	json '.notes[0] | startswith("17 sequence numbers before the first")'
}

@test "duplicates are counted apart and repair no loss" {
	# 11 numbers are missing; 23 others come twice, and one of them three times, much later.
	{
		numbers 0 508 | awk '$2 < 100 || $2 > 110' | awk '1; $2 >= 200 && $2 < 223'
		echo 0 200
	} | counted 522
	figures '{ "lost_packets": 11, "duplicate_packets": 24, "distinct_packets": 498,
		"reordered_packets": 0, "restarts": null, "unknown_packets": null }'
}

@test "a packet below the next expected one is reordered, as RFC 4737 has it" {
	# 6 comes before 4 and 5, and 20 comes last: three reordered, the last 1008 - 20 behind.
	numbers 0 1008 | awk '$2 == 4 { print "0 6" } $2 != 6 && $2 != 20' |
		{ cat; echo 0 20; } | counted 1009
	figures '{ "reordered_packets": 3, "reordered_distance_max": 988, "lost_packets": 0,
		"duplicate_packets": 0, "distinct_packets": 1009, "restarts": null }'
	json '(.metrics.reordered_ratio - 3 / 1009 | fabs) < 1e-12'
}

@test "pairs that change places are half of the stream reordered, by one" {
	for ((n = 0; n < 1006; n += 2)); do
		printf '0 %d\n0 %d\n' $((n + 1)) "$n"
	done | counted 1006
	figures '{ "reordered_packets": 503, "reordered_distance_max": 1, "lost_packets": 0,
		"duplicate_packets": 0, "distinct_packets": 1006 }'
}

@test "a sender that starts anew is a restart, and the losses of both runs add up" {
	{
		numbers 0 502 | awk '$2 % 10 != 5'
		echo 0 0 anew
		numbers 1 306 | awk '$2 % 100 != 50'
	} | counted 757
	figures '{ "restarts": 1, "lost_packets": 53, "distinct_packets": 757,
		"duplicate_packets": 0, "reordered_packets": 0, "unknown_packets": null }'
}

@test "packets left over from the run before are of another run, and change nothing else" {
	{ numbers 0 502; echo 0 0 anew; numbers 1 10; echo 0 499 stale; numbers 11 100; } |
		counted 605
	figures '{ "restarts": 1, "lost_packets": 0, "unknown_packets": null, "other_run_packets": 1,
		"distinct_packets": 604, "reordered_packets": 0 }'
}

@test "one damaged number or time changes no other figure" {
	{ numbers 0 4000; echo 0 268439457; numbers 4002 8000; } | counted 8001
	figures '{ "lost_packets": 1, "implausible_packets": 1, "distinct_packets": 8000,
		"duplicate_packets": 0, "reordered_packets": 0, "unknown_packets": null, "restarts": null }'
	json '.notes | any(contains("no packet around them confirms"))'
	# The first of all, too.
	{ echo 0 268435456; numbers 1 1008; } | counted 1009
	figures '{ "lost_packets": 0, "implausible_packets": 1, "distinct_packets": 1008 }'
	# Half a second in the future.
	{ numbers 0 4000; echo 0 4001 age=-500000000; numbers 4002 8000; } | counted 8001
	figures '{ "lost_packets": 0, "distinct_packets": 8001, "reordered_packets": 0,
		"unknown_packets": null, "delay_negative_packets": 1, "delay_packets": 8000 }'
	# The sender's clock steps back while it sends.
	{ numbers 0 999 | sed "s/$/ age=1000000/"; numbers 1000 1999 | sed "s/$/ age=500000000/"; } |
		counted 2000
	figures '{ "lost_packets": 0, "distinct_packets": 2000, "reordered_packets": 0,
		"unknown_packets": null, "restarts": null }'
}

@test "a loss of any length is one, and confirmed by the next packet" {
	{ numbers 0 1008; numbers 3000000 3001008; } | counted 2018
	figures '{ "lost_packets": 2998991, "lost_runs": 1, "lost_run_max": 2998991,
		"distinct_packets": 2018, "implausible_packets": null }'
}

@test "two senders with one stream number: none of it is lost, and another sender is reported" {
	start sink b sink eg0 --count 5006 --duration 20s
	start_cmd other a "" timeout 20 "$TOOL" blast eg0 198.18.0.2 --count 2503 --rate 2kpps -q
	tool_in a blast eg0 198.18.0.2 --count 2503 --rate 2kpps -q
	is 0
	finish other
	finish sink
	is 0
	json '.metrics | .received_packets == 5006 and .lost_packets == 0 and .duplicate_packets == 0 and
		.other_run_packets > 0 and .distinct_packets + .other_run_packets == 5006'
	json '.notes | any(contains("of another sender"))'
	# With --run, only that run is received, and it is complete.
	start sink b sink eg0 --count 2503 --run 77 --duration 20s
	start_cmd other a "" timeout 20 "$TOOL" blast eg0 198.18.0.2 --count 2503 --rate 2kpps -q
	tool_in a blast eg0 198.18.0.2 --count 2503 --rate 2kpps --run 77 -q
	is 0
	finish other
	finish sink
	is 0
	json '.metrics | .received_packets == 2503 and .distinct_packets == 2503 and
		.lost_packets == 0 and .other_run_packets > 0'
}

@test "a sequence that wraps past 2^32 goes on" {
	# 4294967295 is missing.
	numbers 4294967000 4294967595 | awk '$2 != 4294967295' | counted 595
	figures '{ "lost_packets": 1, "distinct_packets": 595, "restarts": null,
		"reordered_packets": 0, "unknown_packets": null }'
}

@test "two streams that interleave are judged each on its own" {
	for ((n = 0; n < 503; n++)); do
		((n % 50 == 7)) || echo "3 $n"
		((n % 100 == 9)) || echo "4 $n"
		((n % 251)) || echo "4 $n"
	done | counted 994
	figures '{ "streams": 2, "lost_packets": 15, "distinct_packets": 991, "duplicate_packets": 3 }'
	json '[.parts[] | .name] == ["stream 3", "stream 4"]'
	json '[.parts[].metrics | [.received_packets, .distinct_packets, .lost_packets,
		.duplicate_packets]] == [[493, 493, 10, 0], [501, 498, 5, 3]]'
	json '[.parts[].metrics.received_bytes] == [493 * 64, 501 * 64]'
}

@test "a damaged tag makes its packet an untagged one" {
	{ numbers 0 100; numbers 101 103 0 damaged; numbers 104 502; numbers 0 6 0 untagged; } |
		counted 510
	figures '{ "untagged_packets": 10, "distinct_packets": 500, "lost_packets": 3,
		"delay_packets": 500 }'
}

@test "--own-mac: what is flooded to other MAC addresses is not received, and counted apart" {
	start sink b sink eg0 --own-mac --count 305 --duration 10s
	numbers 0 100 | send_tags --mac 02:e9:00:00:00:77
	numbers 0 101 | send_tags
	numbers 102 203 | send_tags --mac ff:ff:ff:ff:ff:ff
	numbers 204 304 | send_tags --mac 01:00:5e:00:00:01
	finish sink
	is 0
	figures '{ "received_packets": 305, "lost_packets": 0, "other_mac_packets": 101, "foreign_packets": 0 }'
	# Without it, they are received as any.
	start sink b sink eg0 --count 101 --duration 10s
	numbers 0 100 | send_tags --mac 02:e9:00:00:00:77
	finish sink
	is 0
	figures '{ "received_packets": 101, "other_mac_packets": null }'
}

@test "a packet with a wrong checksum is counted apart, in no other figure, and fails the run" {
	for ip in "" --ip6; do
		start sink b sink eg0 --count 1017 --duration 10s --records "$BATS_TEST_TMPDIR/r.csv"
		# 13 of 1009 are damaged; a good copy follows 7 of them.
		# shellcheck disable=SC2086 # none or one word
		numbers 0 1008 | awk '$2 > 500 && $2 < 514 { print $0, "badsum" } $2 <= 500 || $2 > 506' |
			{ cat; echo 0 1009 badsum; } | send_tags $ip
		finish sink
		is 1
		figures '{ "received_packets": 1017, "bad_checksum_packets": 14, "distinct_packets": 1003,
			"delay_packets": 1003, "lost_packets": 6, "lost_runs": 1, "lost_run_max": 6,
			"duplicate_packets": 0, "reordered_packets": 0, "untagged_packets": null,
			"unverified_packets": null, "unseen_before_packets": null }'
		json '.verdicts == [{ "pass": false, "what": "14 of 1017 packets arrived with a wrong checksum" }]'
		json '.environment.rx_checksums == "IPv4 header, L4"'
		[ "$(grep -c '^,,,[0-9]*,,.*,damaged$' "$BATS_TEST_TMPDIR/r.csv")" -eq 14 ]
		[ "$(wc -l <"$BATS_TEST_TMPDIR/r.csv")" -eq 1018 ]
	done
}

@test "IPv4 header checksums are always verified, and L4 ones unless they are left out or not there" {
	{ numbers 0 499; numbers 500 510 0 nosum; numbers 511 1008; } | counted 1009
	figures '{ "distinct_packets": 1009, "lost_packets": 0, "unverified_packets": 11,
		"bad_checksum_packets": null }'
	json '.notes == ["11 packets have no L4 checksum that could be verified: none was sent, the sender\u0027s " +
		"stack left it to the NIC, or the packet is a fragment, or in several buffers"]'
	start sink b sink eg0 --no-l4-checksum --count 1009 --duration 10s
	{ numbers 0 499; numbers 500 506 0 badsum; numbers 507 509 0 badip; numbers 510 1008; } | send_tags
	finish sink
	is 1
	figures '{ "distinct_packets": 1006, "bad_checksum_packets": 3, "lost_packets": 3,
		"unverified_packets": null }'
	json '.environment.rx_checksums == "IPv4 header"'
}

@test "--count-only verifies no checksum" {
	for options in "" "--all"; do
		# shellcheck disable=SC2086	# two words, or none
		start sink b sink eg0 --count-only $options --count 211 --duration 10s
		{ numbers 0 199; numbers 200 206 0 badsum; numbers 207 210 0 badip; } | send_tags
		finish sink
		is 0
		figures '{ "received_packets": 211, "bad_checksum_packets": null,
			"unverified_packets": null }'
		json '.environment.rx_checksums == null'
	done
	tool_in b sink eg0 --count-only --no-l4-checksum
	is 2
	says "--count-only and --no-l4-checksum are mutually exclusive"
}

# altered OPTIONS OF SINK... -- OPTIONS OF SEND_TAGS...: 14 of 1017 packets have a right checksum and
# another payload than the pattern. 13 of them are of the first 1009 numbers; a good copy follows 7.
altered() {
	local sink=()

	while [ "$1" != -- ]; do
		sink+=("$1")
		shift
	done
	start sink b sink eg0 --verify-payload --count 1017 --duration 10s "${sink[@]}"
	numbers 0 1008 | awk '$2 > 500 && $2 < 514 { print $0, "flip=" ($2 % 2 ? -1 : 0) } $2 <= 500 || $2 > 506' |
		{ cat; echo 0 1009 flip=0; } | send_tags --pattern "${@:2}"
	finish sink
	is 1
	figures '{ "received_packets": 1017, "bad_payload_packets": 14, "distinct_packets": 1003,
		"delay_packets": 1003, "lost_packets": 6, "lost_runs": 1, "lost_run_max": 6,
		"duplicate_packets": 0, "reordered_packets": 0, "untagged_packets": null,
		"bad_checksum_packets": null, "unverified_packets": null, "unseen_before_packets": null }'
	json '.verdicts == [{ "pass": false, "what": "14 of 1017 packets arrived with a wrong payload" }]'
	json '.environment.rx_payload == "pattern"'
}

@test "each altered payload with a right checksum is counted, in no other figure, and fails the run" {
	for size in 65 1518; do
		altered --records "$BATS_TEST_TMPDIR/r.csv" -- --frame-bytes "$size"
		[ "$(grep -c "^0,[0-9]*,[0-9]*,[0-9]*,[0-9]*,$size,.*,bad-payload\$" "$BATS_TEST_TMPDIR/r.csv")" -eq 14 ]
	done
	altered -- --ip6 --frame-bytes 511
	altered -- --vlan 7 --frame-bytes 128
	altered --no-l4-checksum -- --frame-bytes 72
}

@test "a socket verifies payloads as the XDP program does" {
	# The buffer holds all of them, however late they are read.
	altered --socket --rcvbuf 16777216 -- --frame-bytes 65
	altered --socket --rcvbuf 16777216 -- --ip6 --frame-bytes 1518
}

# Lines of send_tags with losses in runs, copies, late packets, missing first ones, a far number that none confirms, a
# second stream, one that is not checked, and packets without a tag or a time.
eventful() {
	numbers 5 1008 | awk '$2 < 100 || $2 > 110' | awk '1; $2 >= 200 && $2 < 223' | awk '$2 != 300; $2 == 340 { print 0, 300 }'
	echo "0 900000"
	numbers 1009 1020 0 untimed
	numbers 0 30 1
	echo "0 77 untagged"
	echo "9 5"
	echo "0 500"
}

@test "a socket has the figures that the XDP program has, but for those of its place" {
	local of_xdp nr untimed='[.notes[] | select(contains("carried no timestamp"))]'

	nr=$(eventful | wc -l)
	start sink b sink eg0 --count "$nr" --duration 10s --max-streams 2
	eventful | send_tags
	finish sink
	is 0
	of_xdp=$(jq -c '.metrics | with_entries(select(.key | test("_packets$|_bytes$|^streams|^lost|^reordered|^restarts")))' \
		<<<"$output")
	untimed="$untimed == $(jq -c "$untimed" <<<"$output")"
	start sink b sink eg0 --socket --rcvbuf 16M --count "$nr" --duration 10s --max-streams 2
	eventful | send_tags
	finish sink
	is 0
	[ "$(jq length <<<"$of_xdp")" -ge 20 ] || fail "$of_xdp"
	json --argjson of_xdp "$of_xdp" '.metrics as $here | [$of_xdp | to_entries[] | select($here[.key] != .value)] |
		(map(.key) - ["foreign_packets"] | map(select(test("^reordered_extent|^n_reordered|^late_time|^ipdv") | not))) == []'
	json '.notes | any(contains("sequence numbers before the first"))'
	json "($untimed) and (.notes | any(contains(\"12 packets carried no timestamp\")))"
}

@test "a payload that is zero, shifted, or has words in other places is bad, and only if it is asked" {
	bad() {
		numbers 0 100
		numbers 101 107 0 shift=8
		numbers 108 112 0 shift=4
		numbers 113 115 0 shift=1
		numbers 116 126 0 swap=7
	}

	bad | counted 127 --pattern --frame-bytes 594
	figures "{ $sound, \"bad_payload_packets\": null }"
	json '.environment.rx_payload == null'
	start sink b sink eg0 --verify-payload --count 127 --duration 10s
	bad | send_tags --pattern --frame-bytes 594
	finish sink
	is 1
	figures '{ "bad_payload_packets": 26, "distinct_packets": 101, "lost_packets": 0 }'
	start sink b sink eg0 --verify-payload --count 103 --duration 10s
	{ numbers 0 100 | awk '{ print $0, "untagged" }'; numbers 0 1; } | send_tags --frame-bytes 594
	finish sink
	is 1
	figures '{ "untagged_packets": 101, "bad_payload_packets": 2, "distinct_packets": 0 }'
}

@test "damaged packets without numbers are not received ones in the ledger" {
	# Without a tag it is the port that tells them from other tests' packets.
	tool_in a blast eg0 "ip4(dst=198.18.0.2)/udp(dport=40961,sum=0x1234)" --no-tag --count 1009 \
		--rate "$(pace 20000)" --interval 0 --json --sink "eg0@$LAB-b"
	is 1
	json '.parts[] | select(.name == "ledger") | .entries | map([.packets, .reason]) ==
		[[0, "received"], [1009, "arrived with a wrong checksum"], [0, "unattributed"]]'
	json '.metrics.received_packets == 1009 and .metrics.bad_checksum_packets == 1009'
}

@test "what a socket of this host sends over veth has no checksum yet, and is not damaged" {
	need_command ethtool
	# A lab has it filled in, as a wire would.
	in_a ethtool -K eg0 tx-checksum-ip-generic on
	start sink b sink eg0 --count 101 --duration 10s
	# Of one port in 280 what is not filled in happens to be the right checksum of one of these packets.
	in_a /usr/bin/python3 -c 'import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("", 40009))
for n in range(101): s.sendto(bytes(n), ("198.18.0.2", 9))'
	finish sink
	is 0
	figures '{ "received_packets": 101, "untagged_packets": 101, "bad_checksum_packets": null,
		"unverified_packets": 101 }'
}

@test "what is not for the port is foreign: it is not counted and goes to the stack" {
	start sink b sink eg0 --count 101 --duration 10s
	{ numbers 0 49; numbers 0 6 0 port=10; echo arp; echo arp; numbers 50 100; } | send_tags
	in_a ping -q -c 3 -i 0.01 -W 2 198.18.0.2
	finish sink
	is 0
	figures '{ "received_packets": 101, "distinct_packets": 101, "lost_packets": 0 }'
	json '.metrics.foreign_packets >= 9'

	start sink b sink eg0 --port 10
	{ numbers 0 6; numbers 0 12 0 port=10; echo arp; } | send_tags
	in_a ping -q -c 3 -i 0.01 -W 2 198.18.0.2
	finish sink INT
	# 7 to port 9, one ARP frame and the 3 pings, which were answered.
	figures '{ "received_packets": 13, "distinct_packets": 13, "foreign_packets": 11 }'
}

@test "--all takes every frame for a test packet" {
	start sink b sink eg0 --all --count 27 --duration 10s
	{ numbers 0 12; numbers 13 16 0 port=10; echo arp; numbers 0 8 0 untagged; } | send_tags
	finish sink
	is 0
	figures '{ "received_packets": 27, "distinct_packets": 17, "untagged_packets": 10,
		"foreign_packets": 0 }'
}

@test "a packet without a timestamp is checked for order and reported as untimed" {
	{ numbers 0 100; numbers 101 113 0 untimed; numbers 114 502; } | counted 503
	figures "{ $sound, \"distinct_packets\": 503, \"delay_packets\": 490 }"
	json '.notes == ["13 packets carried no timestamp and were not timed"]'
}

@test "a stamp of 5 ms ago is a delay of 5 ms or more, and one of 50 ms ago of 50" {
	{ numbers 0 999 0 age=5000000; numbers 0 20 1 age=50000000; } | counted 1021
	figures "{ $sound, \"delay_packets\": 1021 }"
	# The sender itself may be interrupted between stamp and sending, but not half of the time.
	json '.metrics | .delay_min_ns >= 5e6 and .delay_min_ns < 25e6 and
		.delay_p50_ns >= 5e6 and .delay_p50_ns < 50e6 and
		.delay_p99_ns >= 49e6 and .delay_max_ns >= 50e6 and .delay_max_ns < 20e9 and
		.delay_mean_ns > .delay_min_ns and .delay_mean_ns < .delay_max_ns'
	json '.histograms.delay_ns | [.buckets[] | .[1]] | add == 1021'
	# A bucket is never wider than 1/64 of its lower bound.
	json '.metrics.delay_min_ns as $min | .histograms.delay_ns.buckets[0][0] |
		. <= $min and $min < . * 65 / 64 + 1'
}

@test "stamps of the future are negative delays, counted apart and in no percentile" {
	{ numbers 0 499 0 age=1000000; numbers 500 506 0 age=-60000000000; } | counted 507
	figures "{ $sound, \"delay_packets\": 500, \"delay_negative_packets\": 7,
		\"distinct_packets\": 507 }"
	json '.histograms.delay_ns.negative == 7 and (has("notes") | not)'
	json '.metrics.delay_max_ns < 60e9'
}

@test "IPv6, VLAN and jumbo packets count as those of IPv4 do" {
	numbers 0 210 | counted 211 --ip6
	figures "{ $sound, \"received_bytes\": $((211 * 84)) }"
	numbers 0 210 | counted 211 --vlan 7
	figures "{ $sound, \"received_bytes\": $((211 * 68)) }"
	numbers 0 210 | counted 211 --ip6 --vlan 7 --frame-bytes 1522
	figures "{ $sound, \"received_bytes\": $((211 * 1522)) }"
	lab_down
	lab_up --mtu 9000
	in_b "$TOOL" doctor eg0 --has multi-buffer || {
		tool_in b sink eg0 --duration 1s
		is 3
		says "an MTU of 9000 requires multi-buffer XDP"
		tool_in b sink eg0 --duration 1s --xdp-mode generic
		is 0
		cannot multi-buffer multi-buffer || return
	}
	# More than a page: XDP sees the packet in several buffers.
	for size in 3500 3600 4100 9017 9018; do
		numbers 0 210 | counted 211 --frame-bytes "$size"
		figures "{ $sound, \"distinct_packets\": 211, \"received_bytes\": $((211 * size)) }"
	done
}

# bats test_tags=core
@test "generic XDP counts the same, and the result says that it was generic" {
	start sink b sink eg0 --xdp-mode generic --count 865 --duration 10s
	json_of_hook=$(hook b)
	numbers 0 1008 | awk '$2 % 7 != 3' | send_tags
	finish sink
	is 0
	figures '{ "received_packets": 865, "lost_packets": 144 }'
	json '.environment.rx_xdp_mode == "generic"'
	[[ $json_of_hook == *xdpgeneric* || $json_of_hook == *'"mode":2'* ]] || fail "$json_of_hook"
}

@test "generic XDP on a NIC that merges packets says what the kernel will do" {
	# A veth has no hardware GRO: its features are given it by hand.
	cc -shared -fPIC -o "$BATS_TEST_TMPDIR/merges.so" -x c - <<-'END'
		#include <linux/ethtool.h>
		#include <linux/sockios.h>
		#include <net/if.h>
		#include <stdarg.h>
		#include <string.h>
		#include <sys/syscall.h>
		#include <unistd.h>
		int ioctl(int fd, unsigned long request, ...)
		{
			static unsigned int bit;
			va_list args;
			va_start(args, request);
			struct ifreq *req = va_arg(args, struct ifreq *);
			va_end(args);
			long ret = syscall(SYS_ioctl, fd, request, req);
			if (request != SIOCETHTOOL || ret)
				return (int)ret;
			struct ethtool_gstrings *names = (void *)req->ifr_data;
			struct ethtool_gfeatures *features = (void *)req->ifr_data;
			for (unsigned int i = 0; names->cmd == ETHTOOL_GSTRINGS && i < names->len; i++)
				bit = strcmp((char *)names->data + i * ETH_GSTRING_LEN, "rx-gro-hw") ? bit : i;
			if (features->cmd == ETHTOOL_GFEATURES)
				features->features[bit / 32].active |= 1u << bit % 32;
			return 0;
		}
	END
	for mode in native generic; do
		LD_PRELOAD=$BATS_TEST_TMPDIR/merges.so run --separate-stderr in_b "$TOOL" sink eg0 -d 10ms --xdp-mode $mode
		is 0
		printf '%s\n' "$stderr" >"$BATS_TEST_TMPDIR/$mode"
	done
	grep -q "'eg0' merges packets (rx-gro-hw), which generic XDP disables" "$BATS_TEST_TMPDIR/generic"
	! grep -q merges "$BATS_TEST_TMPDIR/native"
}

# judged STATUS OPTIONS...: with 211 sent, of which 7 are missing, and all of them counted.
judged() {
	start sink b sink eg0 --count 204 --duration 10s "${@:2}"
	numbers 0 210 | awk '$2 < 20 || $2 > 26' | send_tags
	finish sink
	is "$1"
}

@test "--expect and --no-loss end with 0 if they hold and with 1 if not" {
	judged 0
	json 'has("verdicts") | not'
	judged 0 --expect 204
	json '.verdicts == [{ "pass": true, "what": "received 204 of the 204 packets expected" }]'
	judged 1 --expect 211
	json '.verdicts[0] | .pass == false and .what == "received 204 of the 211 packets expected"'
	judged 1 --no-loss
	json '.verdicts[0] | .pass == false and .what == "7 of 211 packets lost"'
	judged 1 --no-loss --expect 204
	json '[.verdicts[].pass] | sort == [false, true]'
}

# late_sum: stream 0 with two numbers and a copy too late for the window, and stream 1 without three.
late_sum() {
	numbers 0 5002 | awk '$2 != 3 && $2 != 5'
	numbers 0 210 | awk '$2 != 20 && $2 != 21 && $2 != 23 { print 1, $2 }'
	printf '0 %d\n' 3 5 7
}

@test "late packets beyond the window are lost in no figure: verdict, total, parts and rows agree" {
	start sink b sink eg0 --count 5212 --duration 10s --no-loss --order-window 4096
	late_sum | send_tags
	finish sink
	is 1
	json '.verdicts[0].what == "3 of 5215 packets lost" and .metrics.lost_packets == 3 and
		.metrics.unknown_packets == 3'
	json '[.streams[].lost_packets] == [0, 3] and [.parts[].metrics.lost_packets] == [0, 3]'
	start sink b sink eg0 --count 5004 --duration 10s --no-loss --order-window 4096
	late_sum | awk '$1 == 0' | send_tags
	finish sink
	is 0
	json '.verdicts[0].what == "0 of 5004 packets lost" and .metrics.lost_packets == 0'
}

@test "--no-loss is not passed by a sink that saw nothing" {
	tool_in b sink eg0 --duration 50ms --no-loss --json
	is 1
	json '.verdicts[0] == { "pass": false, "what": "no packets arrived" }'
	tool_in b sink eg0 --duration 50ms --expect 1 --json
	is 1
}

@test "--duration ends a run without traffic, with zeros and status 0" {
	tool_in b sink eg0 --duration 100ms --json
	is 0
	figures "{ $sound, \"received_packets\": 0, \"distinct_packets\": 0, \"delay_packets\": 0,
		\"received_pps\": 0, \"duration_ns\": 0 }"
	hook_is_free b
}

@test "--pass hands test packets to the stack, and without it none gets there" {
	for ip in "" --ip6; do
		start_cmd socket b ready "$CAPTURE" listen 9 211
		start sink b sink eg0 --pass --count 211 --duration 10s
		# shellcheck disable=SC2086 # none or one word
		numbers 0 210 | send_tags $ip
		finish sink
		figures "{ $sound, \"received_packets\": 211 }"
		finish socket
		json '.received == 211'
	done
	# The packet after 211 dropped ones is the first that the socket gets.
	start_cmd socket b ready "$CAPTURE" listen 9 1
	start sink b sink eg0 --count 211 --duration 10s
	numbers 0 210 | send_tags
	finish sink
	has_ended "${PIDS[socket]}" && fail "a test packet went to the stack"
	echo 0 0 | send_tags
	finish socket
	json '.received == 1'
}

@test "--count-only counts packets and bytes, and claims nothing else" {
	start sink b sink eg0 --count-only --count 1009 --duration 10s --expect 1009
	{ numbers 0 999 | awk '{ print 0, 7 }'; numbers 0 8 5 damaged; } | send_tags
	finish sink
	is 0
	figures '{ "received_packets": 1009, "received_bytes": 64576, "lost_packets": null,
		"duplicate_packets": null, "distinct_packets": null, "delay_packets": null,
		"streams": null }'
	json '.metrics.received_pps > 0 and .metrics.duration_ns > 0'
}

@test "--gaps: n packets of a stream have n - 1 gaps, which add up to the time they took" {
	start sink b sink eg0 --gaps --count 1012 --duration 10s
	for ((n = 0; n < 503; n++)); do
		printf '0 %d\n1 %d\n' "$n" "$n"
	done | { cat; echo 0 502; echo 1 7; numbers 503 506 0 untimed; } | send_tags
	finish sink
	is 0
	figures '{ "received_packets": 1012, "gap_count": 1010, "gap_expected_ns": null,
		"gap_error_p50_ns": null }'
	json '[.parts[].metrics.gap_count] == [507, 503]'
	json 'all(.parts[].metrics; .gap_count * .gap_mean_ns - .duration_ns | fabs < 1)'
	json '[.parts[], .] | all(([.histograms.gap_ns.buckets[] | .[1]] | add) == .metrics.gap_count)'
	deviates gap
	deviates delay
	json '.metrics | .gap_min_ns <= .gap_p50_ns and .gap_p50_ns <= .gap_p99_ns and
		.gap_p99_ns <= .gap_max_ns and .gap_p99_9_ns == null'

	start sink b sink eg0 --count 7 --duration 10s
	numbers 0 6 | send_tags
	finish sink
	json '[.metrics | keys[] | select(startswith("gap"))] == []'
}

# sender_late: by how much the blast in output was late at most, as it reports itself.
sender_late() {
	jq '.self.pacing_late_max_ns | floor' <<<"$output"
}

@test "--expect-gap: at 1 kpps the gaps are 1 ms, 2 ms from 3, and a pause is one gap" {
	local late

	need xdp-live-frames
	start sink b sink eg0 --expect-gap 3ms --count 1220 --duration 20s
	tool_in a blast eg0 198.18.0.2 --engine live --rate 1kpps --count 1009 --json
	is 0
	late=$(sender_late)
	sleep 0.1
	tool_in a blast eg0 198.18.0.2 --engine live --rate 1kpps --count 211 --json
	is 0
	late=$((late + $(sender_late)))
	finish sink
	is 0
	figures '{ "gap_count": 1219, "gap_expected_ns": 3000000, "restarts": 1 }'
	json '.metrics.gap_max_ns >= 100e6'
	# The gaps are those of the wire, and as asked for only if the sender was never late itself.
	json --argjson late "$late" '$late > 10e6 or ([.histograms.gap_ns.buckets[] |
		select(.[0] >= 95e6) | .[1]] == [1])'
	# What the pause is not: 1218 gaps of 1 ms.
	json --argjson late "$late" '$late > 10e6 or ((.metrics | .gap_count * .gap_mean_ns - .gap_max_ns) / 1218 |
		. > 0.99e6 and . < 1.01e6)'
	json --argjson late "$late" '$late > 10e6 or (.metrics.gap_error_p50_ns | . > 1.9e6 and . < 2.1e6)'
	json '.metrics | .gap_error_max_ns == .gap_max_ns - 3000000'
	json '[.histograms.gap_error_ns.buckets[] | .[1]] | add == 1219'
	deviates gap_error
}

@test "--expect-gap takes a rate for the gap that it has, and needs the tags" {
	start sink b sink eg0 --expect-gap 300kpps --count 7 --duration 10s
	numbers 0 6 | send_tags
	finish sink
	figures '{ "gap_expected_ns": 3333, "gap_count": 6 }'
	tool_in b sink eg0 --gaps --count-only
	is 2
	says "--count-only and --gaps are mutually exclusive"
}

@test "rates are of the intervals between packets, with preamble and gap on the wire" {
	local socket

	for socket in '' --socket; do
		# shellcheck disable=SC2086
		start sink b sink eg0 --count 11 --duration 10s $socket
		# The second ones later, as a socket's packets of one call have one time.
		numbers 0 4 | send_tags
		numbers 5 10 | send_tags
		finish sink
		is 0
		json '.metrics | .received_packets == 11 and .received_bytes == 11 * 64 and
			(.received_pps * .duration_ns / 1e9 - 10 | fabs) < 1e-6 and
			(.received_l2_bps / .received_pps - 8 * 64 | fabs) < 1e-6 and
			(.received_l1_bps / .received_pps - 8 * 84 | fabs) < 1e-6'
	done
}

@test "--max-streams is the bound of what is checked: others are counted as such" {
	start sink b sink eg0 --max-streams 2 --count 101 --duration 10s
	{ numbers 0 40 0; numbers 0 20 1; numbers 0 32 2; numbers 0 5 65535; } | send_tags
	finish sink
	is 0
	figures '{ "received_packets": 101, "distinct_packets": 62, "streams": 2,
		"other_stream_packets": 39, "lost_packets": 0, "untagged_packets": null }'
	start sink b sink eg0 --max-streams 4096 --count 41 --duration 10s
	numbers 0 40 4095 | send_tags
	finish sink
	figures "{ $sound, \"streams\": 1, \"distinct_packets\": 41 }"
}

@test "a sink that ends under traffic gives figures that are of one moment" {
	need xdp-live-frames
	local received=0

	start blast a blast eg0 198.18.0.2 --engine live --duration 60s
	for _ in {1..5}; do
		tool_in b sink eg0 --duration 100ms --json
		is 0
		# None where the sender had no CPU for so long.
		json '.metrics | .received_packets == 0 or (.distinct_packets == .received_packets and
			.delay_packets == .received_packets and .lost_packets == 0)'
		received=$((received + $(jq .metrics.received_packets <<<"$output")))
	done
	[ "$received" -gt 0 ]
	# The lab's own GRO keeps the wire open where no sink is.
	finish blast INT
	json '.metrics.not_sent_packets < .metrics.sent_packets'
}

@test "rows of --jsonl add up to the document, which comes last" {
	start_cmd sink b "receiving on" "$TOOL" sink eg0 --jsonl --interval 50ms
	numbers 0 502 | awk '$2 % 10 != 5' | send_tags
	# An empty row after the last packet: all of them are in rows by then.
	rows_are_through() {
		jq -se '[.[].received_packets] | add == 453 and last == 0' \
			"$BATS_TEST_TMPDIR/sink.out" >/dev/null
	}
	wait_for rows_are_through
	finish sink INT
	is 130
	jq -se '(last | .command == "sink" and .metrics.lost_packets == 50) and
		all(.[:-1][]; .type == "interval") and
		([.[:-1][].received_packets] | add) == 453 and ([.[:-1][].lost_packets] | add) == 50 and
		(last.series | length) == length - 1' <<<"$output" >/dev/null
	[ "$(wc -l <<<"$output")" = "$(jq -s length <<<"$output")" ]
}

@test "sink --until-eof ends with its standard input, whatever its content" {
	local fifo=$BATS_TEST_TMPDIR/fifo

	mkfifo "$fifo"
	exec 4<>"$fifo"
	# A shell gives what runs beside it another standard input.
	start_cmd sink b "receiving on" sh -c 'exec "$@" <"$0"' "$fifo" "$TOOL" sink eg0 --until-eof \
		--duration 60s --json 4>&-
	echo something >&4
	# The counted packets came after the input.
	numbers 0 1008 | send_tags 4>&-
	exec 4>&-
	finish sink
	is 0
	figures "{ $sound, \"distinct_packets\": 1009 }"
}

@test "if the driver does not report its queues, those in use are counted" {
	lab_up
	ip_in a link add br1 numrxqueues 3 numtxqueues 2 type bridge
	ip_in a link set br1 up
	tool_in a sink br1 --duration 10ms --xdp-mode generic --json
	json '.environment | .rx_queues == 3 and .tx_queues == 2'
	run in_a "$TOOL" doctor br1 --has queues
	[[ $output = "PASS  queues: present (receive 3, transmit 2; "* ]] || fail "$output"
}
