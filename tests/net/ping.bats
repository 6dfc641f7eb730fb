#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# bats file_tags=net
# ping in a, the kernel's own stack in b, which counts for itself what it answered.

load ../lib/common
load ../lib/lab

setup() {
	need_root
	need_command jq nstat ping
	need af-xdp
}

# echoes NAME: a counter of b's stack.
echoes() {
	in_b nstat -asz "$1" | awk -v name="$1" '$1 == name { print $2 }'
}

# pinged COUNT DEST COUNTER OPTIONS...: all answered, and as many by the stack's count.
pinged() {
	local count=$1 before

	before=$(echoes "$3")
	tool_in a ping "$2" -c "$count" --no-loss --json "${@:4}"
	is 0
	json --argjson n "$count" '.metrics | .sent_packets == $n and .received_packets == $n and
		.distinct_packets == $n and .rtt_packets == $n and .lost_packets == 0 and
		.duplicate_packets == 0 and .reordered_packets == 0 and .given_up_packets == 0 and
		.transaction_packets == $n and .received_bytes == .sent_bytes and
		.rtt_min_ns > 0 and .rtt_min_ns <= .rtt_p50_ns and .rtt_p50_ns <= .rtt_max_ns and
		.rtt_min_ns <= .transaction_min_ns'
	json --argjson n "$count" '[.histograms.rtt_ns.buckets[][1]] | add == $n'
	varies
	[ $(($(echoes "$3") - before)) = "$count" ] || fail "the stack counts another number of echoes"
}

# bats test_tags=core
@test "every request is answered once, and the far stack counts as many echoes" {
	lab_up
	pinged 1009 198.18.0.2 IcmpInEchos --flood
	pinged 503 198.18.0.2 IcmpInEchos --rate 5kpps --frame-bytes 1518
	pinged 503 198.18.0.2 IcmpInEchos --flood --outstanding 7
	pinged 101 198.18.0.2 IcmpInEchos --rate 5kpps --engine stack
	pinged 503 2001:2::2 Icmp6InEchos --flood --frame-bytes 512
	pinged 101 2001:2::2 Icmp6InEchos --rate 5kpps --engine stack
	[ "$(echoes IcmpInCsumErrors)$(echoes Icmp6InCsumErrors)" = 00 ]
	json '.environment | .engine == "stack" and .rx_stamp == "user"'
}

@test "the rate of paced requests is theirs, however few they are" {
	lab_up
	tool_in a ping 198.18.0.2 -c 3 --no-loss --json
	is 0
	# Three requests span two intervals.
	json '.metrics | (.transactions_per_s / .sent_pps - 1 | fabs) < 1e-9 and .sent_pps < 10.1'
}

@test "the route selects the interface, and timestamp places are named" {
	lab_up
	tool_in a ping 198.18.0.2 -c 3 --rate 1kpps --json
	is 0
	json '.environment | .interface == "eg0" and .engine == "afxdp" and .tx_stamp == "user" and
		.rx_stamp == "xdp" and .src_ip == "198.18.0.1"'
	tool_in a ping 192.0.2.1 -c 3
	is 4
	says "cannot find a route to '192.0.2.1'"
	tool_in a ping 198.18.0.1 -c 3
	is 2
	says "'198.18.0.1' is an address of this host"
	tool_in a ping 198.18.0.255 -c 3
	is 2
	says "is not a unicast address"
	tool_in a ping 198.18.0.9 -c 3
	is 4
	says "'198.18.0.9' does not answer on 'eg0'"
}

@test "a name is resolved, to one family on request" {
	lab_up
	printf '%s\n' "198.18.0.2 far.test" "2001:2::2 far.test" >"$BATS_TEST_TMPDIR/hosts"
	for family in 4 6; do
		run --separate-stderr timeout 30 nsenter --net="/run/netns/$LAB-a" unshare --mount sh -c \
			'mount --bind "$1" /etc/hosts && shift && exec "$@"' sh "$BATS_TEST_TMPDIR/hosts" \
			"$TOOL" ping far.test "-$family" -c 11 --rate 1kpps --no-loss --json
		is 0
		json --arg family "$family" '.config.DEST == "far.test" and .metrics.received_packets == 11 and
			.environment.dst_ip == { "4": "198.18.0.2", "6": "2001:2::2" }[$family]'
	done
	[ "$(echoes IcmpInEchos)$(echoes Icmp6InEchos)" = 1111 ]
}

@test "pings of the host itself go on beside it" {
	lab_up
	start_cmd flood a "sending requests" "$TOOL" ping 198.18.0.2 --flood --json
	run in_a ping -c 7 -i 0.05 -W 2 198.18.0.2
	[[ $output == *"7 received"* ]]
	finish flood INT
	is 130
	json '.metrics | .sent_packets > 0 and .foreign_packets >= 7 and .lost_packets == 0'
	wait_for hook_is_free a
}

@test "it reports what the path loses and delays" {
	lab_up --path a-r-b --middle open
	start bump r impair ega egb --direction a-to-b --match icmp --loss every=7 --duplicate every=11 --delay 20ms \
		-d 20s
	tool_in a ping 198.18.0.2 -c 211 --rate 1kpps --wait 1s --json
	is 0
	json '.metrics | .sent_packets == 211 and .lost_packets == 30 and .distinct_packets == 181 and
		.given_up_packets == 30 and .duplicate_packets == 17 and .rtt_min_ns >= 20000000 and .rtt_min_ns < 40000000'
	finish bump INT
}

@test "a damaged echo reply is no answer: it is counted apart, and fails the run" {
	lab_up --path a-r-b --middle open
	need_ready_peer
	for dest in 198.18.0.2 2001:2::2; do
		# One bit from the payload on, or the last of the tag.
		match=icmp
		[ "$dest" = 198.18.0.2 ] || match=icmp6
		start bump r impair ega egb --match "$match" --corrupt every=19:1@62 --direction b-to-a -d 30s
		for engine in afxdp bounce stack; do
			tool_in a ping "$dest" --flood -c 1009 --engine "$engine" --outstanding 53 --wait 300ms \
				--frame-bytes 1000 --json
			if [ "$engine $dest" = "stack 2001:2::2" ]; then
				# The kernel verifies ICMPv6 itself, and drops what is wrong.
				is 0
				json '.metrics | .received_packets == 956 and .lost_packets == 53 and
					.bad_checksum_packets == null'
				continue
			fi
			is 1
			json '.metrics | .sent_packets == 1009 and .received_packets == 1009 and
				.bad_checksum_packets == 53 and .distinct_packets == 956 and .rtt_packets == 956 and
				.lost_packets == 53 and .given_up_packets == 53 and .duplicate_packets == 0 and
				.bad_payload_packets == null and .unverified_packets == null'
			json '.verdicts == [{ "pass": false,
				"what": "53 of 1009 packets arrived with a wrong checksum" }]'
		done
		finish bump INT
	done
}

@test "without an answer all are lost, which sets the exit status" {
	lab_up
	in_b sysctl -qw net.ipv4.icmp_echo_ignore_all=1
	tool_in a ping 198.18.0.2 -c 11 --rate 1kpps --wait 50ms --json
	is 1
	json '.verdicts == [{ "pass": false, "what": "none of 11 requests were answered" }]'
	json '.metrics | .sent_packets == 11 and .lost_packets == 11 and .given_up_packets == 11 and
		.lost_ratio == 1'
	json 'any(.notes[]; startswith("no answer arrived"))'
	tool_in a ping 198.18.0.2 -c 11 --flood --wait 10ms --no-loss --json
	is 1
	json '.verdicts == [{ "pass": false, "what": "11 of 11 requests not answered" }]'
}

@test "an answer that comes after --wait is given up, but not lost" {
	lab_up --path a-r-b --middle open
	# Each is sent when the one before is given up: for twice the delay, and only a stall as long as
	# the delay makes an answer look early.
	start bump r impair ega egb --direction a-to-b --match icmp --delay 1s -d 30s
	tool_in a ping 198.18.0.2 -c 199 --flood --outstanding 1 --wait 10ms --json
	is 0
	json '.metrics | .sent_packets == 199 and .given_up_packets == 199 and .distinct_packets > 0 and
		.transaction_packets == null'
	finish bump INT
}

@test "alternating with a socket, both have figures, and the difference is reported" {
	lab_up
	tool_in a ping 198.18.0.2 --flood -c 1009 --against-stack --no-loss --json
	is 0
	# Five turns each, of a fifth rounded up.
	json '(.parts | length) == 2 and ([.parts[].metrics.rtt_packets] == [1010, 1010]) and
		(.parts[0].environment.engine == "afxdp") and (.parts[1].environment.engine == "stack")'
	json '.metrics | has("stack_share_p50_ns") and has("stack_share_min_ns") and
		.transactions_over_stack > 0'
	json '[.parts[].series | length] == [5, 5]'
	# Seen from further and further up.
	json '[.entries[].min_ns] as $min | ($min | length) == 3 and $min[0] <= $min[1] and
		$min[0] == .parts[0].metrics.rtt_min_ns and $min[2] == .parts[1].metrics.rtt_min_ns'
	json '.entries[0].more_p50_ns == 0 and .entries[2].more_p50_ns == .metrics.stack_share_p50_ns'
}

# decoded FIELD...: of the captured frames, by tshark, how often each came.
decoded() {
	tshark -r "$BATS_TEST_TMPDIR/b.pcap" -o ip.check_checksum:TRUE -T fields "${@/#/-e}" 2>/dev/null |
		sort | uniq -c | tr -s ' \t' ' '
}

@test "sizes: each has its row and its part, and tshark sees just these frames" {
	need_command tshark
	lab_up
	start_cmd capture b ready "$CAPTURE" save 21 "$BATS_TEST_TMPDIR/b.pcap"
	tool_in a ping 198.18.0.2 --sizes 64,101,mtu -c 7 --rate 1kpps --no-loss --json
	is 0
	json '[.entries[] | [.frame_bytes, .sent_packets, .lost_packets]] ==
		[[64, 7, 0], [101, 7, 0], [1518, 7, 0]]'
	json '[.parts[].metrics | [.distinct_packets, .received_bytes]] == [[7, 448], [7, 707], [7, 10626]]'
	json '[.parts[].metrics.rtt_p50_ns] == [.entries[].rtt_p50_ns]'
	finish capture
	is 0
	# Without FCS; all echo requests whose sums, IP's and ICMP's, are right.
	[ "$(decoded frame.len icmp.type ip.checksum.status icmp.checksum.status)" = \
" 7 1514 8 1 1
 7 60 8 1 1
 7 97 8 1 1" ] || fail "$(decoded frame.len icmp.type ip.checksum.status icmp.checksum.status)"
	tool_in a ping 2001:2::2 --sizes 84-200 -c 5 --rate 1kpps --engine stack --no-loss --json
	is 0
	json '[.entries[].frame_bytes] == [84, 168, 200]'
}

@test "sizes: what the interface does not carry is refused before anything is sent" {
	lab_up
	tool_in a ping 198.18.0.2 --sizes 64,1519
	is 2
	says "1519 exceeds 'eg0': its MTU is 1500, a frame of 1518"
	tool_in a ping 2001:2::2 --sizes 64-mtu
	is 2
	says "requires at least 84 bytes"
	[ "$(echoes IcmpInEchos)$(echoes Icmp6InEchos)" = 00 ]
	# ^C ends it in the middle, with what there is.
	start_cmd ping a "sending requests" "$TOOL" ping 198.18.0.2 --sizes 64-mtu -d 20s --json
	finish ping INT
	is 130
	json '(.entries | length) == 1 and .parts[0].metrics.lost_packets == 0'
}

@test "what does not go together is refused in words" {
	for words in "--flood --rate 1kpps" "--engine bounce --rate 1kpps" \
		"--engine stack --against-stack" "--engine stack --dst-mac 02:00:00:00:00:01" \
		"--engine bounce --vlan 7" "--engine stack --zero-copy" "--against-stack --zero-copy" \
		"--outstanding 1025" "--stamp-every 2" "-4 -6" "--sizes 64,64" \
		"--sizes 64 --frame-bytes 64" "--sizes 64 --against-stack" "--frame-bytes 63" "--wait 0"; do
		# shellcheck disable=SC2086 # words are words
		run --separate-stderr "$TOOL" ping 198.18.0.2 $words
		is 2
		[ -n "$stderr" ]
	done
	run --separate-stderr "$TOOL" ping no..where
	is 2
	says "cannot resolve 'no..where'"
	run --separate-stderr "$TOOL" ping 198.18.0.2 -6
	is 2
	says "cannot resolve '198.18.0.2'"
}
