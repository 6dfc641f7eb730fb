#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# bats file_tags=net
# watch at interfaces whose packets have no Ethernet header: tun and tunnels of IP. The other verbs refuse them.

load ../lib/common
load ../lib/lab

PEER=$BATS_TEST_DIRNAME/watch_peer.py

setup() {
	need_root
	need_command jq ip /usr/bin/python3
	lab_up
	in_b sysctl -qw net.ipv6.conf.default.addr_gen_mode=1
}

# tun_up: eg7 in b, whose packets tun_write makes.
tun_up() {
	[ -e /dev/net/tun ] || modprobe -q tun || :
	[ -e /dev/net/tun ] || cannot tun "/dev/net/tun" || return
	mkfifo "$BATS_TEST_TMPDIR/go"
	exec {GO}<>"$BATS_TEST_TMPDIR/go"
	start_cmd tun b ready "$BATS_TEST_DIRNAME/tun_peer.py" eg7 "$BATS_TEST_TMPDIR/go"
}

has_written() {
	[ "$(grep -c written "$BATS_TEST_TMPDIR/tun.err")" = "$1" ]
}

# All kinds of packets once; for the WRITTENth time.
tun_write() {
	echo >&"$GO"
	WRITTEN=$((${WRITTEN-0} + 1))
	wait_for has_written "$WRITTEN"
}

# watch IFACE OPTIONS...: in b, beside the test.
watch() {
	start_cmd watch b "watching '$1'" "$TOOL" watch "$1" --interval 100ms --json "${@:2}"
}

end_watch() {
	finish watch INT
	is 130
}

# side rx|tx FILTER: holds on that part of the document.
side() {
	json --arg part "eg7 $1" ".parts[] | select(.name == \$part) | $2"
}

# entry rx|tx BY VALUE FILTER: holds on that row of the part's table.
entry() {
	side "$1" "(.entries // [])[] | select(.by == \"$2\" and .value == \"$3\") | $4"
}

# send_datagrams COUNT: of 100 bytes with their IP header, to the process at the other end.
send_datagrams() {
	in_b /usr/bin/python3 -c 'import socket, sys
out = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for _ in range(int(sys.argv[1])):
    out.sendto(bytes(72), ("198.18.5.2", 1013))' "$1"
}

# bats test_tags=core
@test "packets are counted from L3 on, with their flows, as many and as long as the process wrote" {
	local options

	tun_up
	for options in "" "--flows"; do
		# shellcheck disable=SC2086	# may be none
		watch eg7 $options
		tun_write
		send_datagrams 19
		end_watch
		side rx '.metrics | .seen_packets == 101 + 103 + 11 + 13 + 17 + 7 + 5 and
			.seen_bytes == 10100 + 30900 + 440 + 832 + 1105 + 350 + 350 and
			.seen_packets == .driver_rx_packets'
		side rx '.metrics | .seen_broadcast_packets == 11 and .seen_multicast_packets == 30 and
			.seen_tagged_packets == 0'
		entry rx protocol ip4/udp '.packets == 101 + 11 + 13 and .bytes == 10100 + 440 + 832'
		entry rx protocol ip6/udp '.packets == 103 + 17 and .bytes == 30900 + 1105'
		entry rx protocol other '.packets == 7 and .bytes == 350'
		entry rx protocol malformed '.packets == 5 and .bytes == 350'
		entry rx size 1-64 '.packets == 11 + 13 + 7'
		entry rx size 65-127 '.packets == 101 + 17 + 5'
		entry rx size 256-511 '.packets == 103'
		entry tx protocol ip4/udp '.packets == 19 and .bytes == 1900'
		# What is below L3 is not known, and not made up.
		json '[.parts[] | select(.name == "eg7 rx" or .name == "eg7 tx") | .metrics, .series[] |
			keys[] | select(test("_l[12]_"))] == []'
		side rx '.metrics | .seen_l3_bps / .seen_pps - 8 * .seen_bytes / .seen_packets | fabs < 1e-6'
		# All within 10 ms or more: a window has at most all of it.
		side rx '.metrics | .burst_10ms_l3_bps <= 8 * .seen_bytes * 100 and
			.burst_1ms_l3_bps >= .burst_10ms_l3_bps and .burst_10ms_l3_bps > 0'
		side rx '.environment.hook_why | test("no Ethernet header")'
	done
	json '.parts[] | select(.name == "eg7 flows") | [.entries[] |
		select(.near == "198.18.5.1:1009" and .far == "198.18.5.2:2000").rx_packets] == [101]'
}

@test "an expression is read for packets from L3 on; what needs Ethernet headers is refused in words" {
	local verb

	tun_up
	watch eg7 --filter 'udp port 1009 and greater 100 and ip'
	tun_write
	end_watch
	side rx '.metrics | .seen_packets == 101 and .not_taken_buffers == 103 + 11 + 13 + 17 + 7 + 5'
	tool_in b watch eg7 --filter 'ether host 02:00:00:00:00:01'
	is 2
	says "is not a filter expression for packets without Ethernet header"
	tool_in b watch eg7 --hooks xdp
	is 2
	says "the packets of 'eg7' have no Ethernet header"
	says "omit --hooks xdp"
	# Nor do those who send, and those who read in XDP.
	for verb in "sink eg7" "reflect eg7" "blast eg7 198.18.5.2 --dst-mac 02:00:00:00:00:01" "impair eg7 --loss 1%" \
		"impair eg7 --loss 1% --direction egress" "blast eg7 198.18.5.2 --dst-mac 02:00:00:00:00:01 --engine afxdp" \
		"probe eg7 198.18.5.2 --dst-mac 02:00:00:00:00:01"; do
		# shellcheck disable=SC2086	# words
		tool_in b $verb
		is 2
		says "'eg7' is not an Ethernet interface"
		says "ethgauge watch eg7"
	done
	# Beside an Ethernet interface, each by its own headers.
	watch eg7 --filter 'udp port 1009'
	end_watch
	tool_in b watch eg0 eg7 --filter 'udp port 1009' -d 100ms
	is 0
	[[ $output == *"L3 rate"* ]]
}

@test "an interface that comes back with Ethernet headers is not watched as one without" {
	tun_up
	watch eg7
	kill "${PIDS[tun]}"
	wait_for grep -q "interface 'eg7' vanished" "$BATS_TEST_TMPDIR/watch.err"
	ip_in b link add eg7 type veth peer name eg8
	wait_for grep -q "cannot be watched yet: its packets now have an Ethernet header$" "$BATS_TEST_TMPDIR/watch.err"
	ip_in b link delete eg7
	end_watch
}

# tunnel KIND: eg7 in a and in b over eg0, with 198.18.7.1 and 198.18.7.2.
tunnel() {
	local kind=$1 node near=1 far=2

	for node in a b; do
		ip_in $node link add eg7 type "$kind" local 198.18.0.$near remote 198.18.0.$far
		ip_in $node link set eg7 up
		ip_in $node address add 198.18.7.$near/24 dev eg7
		near=2 far=1
	done
}

# bats test_tags=core
@test "in a tunnel of IP, packets are those that TCP says it sent" {
	local kind counters segs retrans before=0 kinds=()

	for kind in ipip sit gre; do
		ip_in a link add eg9 type "$kind" local 198.18.0.1 remote 198.18.0.2 2>/dev/null || continue
		ip_in a link delete eg9
		kinds+=("$kind")
	done
	[ ${#kinds[@]} != 0 ] || cannot ip-tunnel "a tunnel of IP"
	for kind in "${kinds[@]}"; do
		tunnel "$kind"
		start_cmd serve b ready env WATCH_PEER=198.18.7.2 "$PEER" serve
		start_cmd watch a "watching 'eg7'" "$TOOL" watch eg7 --interval 0 --json --flows
		in_a env WATCH_PEER=198.18.7.2 "$PEER" send 3000007
		finish serve
		end_watch
		counters=$(in_a "$PEER" counters)
		read -r segs retrans <<<"$counters"
		segs=$((segs + retrans))
		entry tx protocol ip4/tcp ".packets == $segs - $before"
		entry tx protocol ip4/tcp "(.bytes - 3000007 - .packets * 52) | . >= 0 and . <= 40 or $retrans > 0"
		before=$segs
		ip_in a link delete eg7
		ip_in b link delete eg7
	done
}
