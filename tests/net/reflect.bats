#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# bats file_tags=net
# reflect on a real wire: a is the peer, b holds the reflector.

load ../lib/common
load ../lib/lab

PEER=$BATS_TEST_DIRNAME/reflect_peer.py

setup() {
	need_root
	OUT=$BATS_TEST_TMPDIR/reflect.out
	ERR=$BATS_TEST_TMPDIR/reflect.err
}

reflect_start() {
	start reflect b reflect eg0 "$@"
}

# reflect_end [SIGNAL]: sets status and output as run does.
reflect_end() {
	finish reflect "$@"
}

@test "reflect answers each of 503 frames of seven kinds once, as scapy would build the answer" {
	need_command /usr/bin/python3
	lab_up
	make_ready a
	reflect_start
	run -0 in_a "$PEER" frames 503
	json '.sent == 503 and .answered == 503 and .strange == 0'
	reflect_end INT
	# 503 = 7 x 71 + 6: all kinds but the last come once more; kinds 2 and 3 are echoes. 427 would
	# bring each kind in each of 61 sizes.
	json '.metrics | .answered_packets == 503 and .answered_icmp_packets == 144 and
		.answered_udp_packets == 359'
	# a's stack calls the port of the answers unreachable: that is left, and sound.
	json '.metrics | .left_fragment_packets + .left_unsafe_packets + .left_malformed_packets == 0'
}

# bats test_tags=core
@test "reflect answers a socket's datagrams, and the socket takes every answer" {
	lab_up
	make_ready a
	reflect_start --port 862
	run -0 in_a "$PEER" socket 499 862
	json '.sent == 499 and .answered == 499'
	reflect_end INT
	json '.metrics.answered_udp_packets == 499 and .config.port == 862'
}

# bats test_tags=core
@test "reflect answers ping over IPv4 and IPv6 instead of the host's stack" {
	lab_up
	in_b sysctl -qw net.ipv4.icmp_echo_ignore_all=1 net.ipv6.icmp.echo_ignore_all=1
	run -1 in_a ping -c 1 -W 0.2 198.18.0.2
	make_ready a
	reflect_start
	run -0 in_a ping -c 7 -i 0.01 -W 2 198.18.0.2
	run -0 in_a ping -c 11 -i 0.01 -W 2 2001:2::2
	reflect_end INT
	json '.metrics.answered_icmp_packets == 18'
}

# peer_program NAME: a's hook holds it.
peer_program() {
	[ "$(hook a | jq -r .prog.name)" = "$1" ]
}

@test "answers reach a peer that had no XDP program, which one that comes later replaces" {
	lab_up
	hook_is_free a
	reflect_start
	peer_program ethgauge_yield
	run -0 in_a "$PEER" socket 211 7
	json '.sent == 211 and .answered == 211'
	tool_in a probe eg0 198.18.0.2 --port 7 --count 101 --rate 1kpps --json
	is 0
	json '.metrics.distinct_packets == 101'
	reflect_end INT
	json '.metrics.answered_packets == 312 and .metrics.not_sent_packets == 0 and
		.environment.pass_program_on == "peer eg0"'
	json '.environment | .tx_stamp == "none" and .rx_stamp == "none"'
	hook_is_free a
}

@test "what the driver does not take is not answered" {
	need_command ethtool
	lab_up
	# With neither GRO nor a native program the peer takes nothing, and this one is in the way.
	in_a ethtool -K eg0 gro off
	start generic a sink eg0 --xdp-mode generic --pass
	reflect_start
	grep -q "no XDP program could be attached to the peer" "$ERR"
	run -0 in_a "$PEER" frames 211 02:e9:00:00:00:0b 0
	json '.sent == 211 and .answered == 0'
	finish generic INT
	make_ready a
	run -0 in_a "$PEER" socket 101 7
	json '.sent == 101 and .answered == 101'
	reflect_end INT
	json '.metrics.answered_packets == 101 and .metrics.not_sent_packets == 211 and
		(.metrics | has("answered_bytes") | not) and
		any(.notes[]; startswith("the driver did not take 211 of 312 answers"))'
}

@test "with --no-icmp ping goes to the host's stack" {
	lab_up
	in_b sysctl -qw net.ipv4.icmp_echo_ignore_all=1
	reflect_start --no-icmp
	run -1 in_a ping -c 3 -i 0.01 -W 0.2 198.18.0.2
	reflect_end INT
	json '.metrics.answered_packets == 0 and .metrics.left_packets == 3'
}

@test "a service beside the reflector still gets its packets and answers them" {
	lab_up
	make_ready a
	reflect_start
	start_cmd listen b listening "$PEER" listen 101 9
	run -0 in_a "$PEER" socket 101 9
	json '.answered == 101'
	reflect_end INT
	json '.metrics.answered_packets == 0 and .metrics.left_packets == 101'
}

@test "frames to another station's MAC are left alone" {
	lab_up
	make_ready a
	reflect_start
	run -0 in_a "$PEER" frames 101 02:e9:00:00:00:99 0
	json '.sent == 101 and .answered == 0'
	reflect_end INT
	json '.metrics.answered_packets == 0 and .metrics.left_packets == 101'
}

@test "with --any-mac frames to another station's MAC are answered" {
	lab_up
	make_ready a
	reflect_start --any-mac
	run -0 in_a "$PEER" frames 101 02:e9:00:00:00:99
	json '.sent == 101 and .answered == 101 and .strange == 0'
	reflect_end INT
	json '.metrics.answered_packets == 101'
}

# ttl_of_answer ADDRESS TTL: of the echo reply that a gets; nothing: it gets none.
ttl_of_answer() {
	in_a ping -c 1 -W 1 -t "$2" "$1" | sed -n 's/.* ttl=\([0-9]*\) .*/\1/p'
}

# answers NETNS, answers6 NETNS: the echo replies that its stack has sent.
answers() {
	nsenter --net="/run/netns/$1" cat /proc/net/snmp |
		awk '/^Icmp:/ { if (n++) print $column; else for (i = 1; i <= NF; i++) if ($i == "OutEchoReps") column = i }'
}

answers6() {
	nsenter --net="/run/netns/$1" awk '$1 == "Icmp6OutEchoReplies" { print $2 }' /proc/net/snmp6
}

host_down() {
	ip netns del "$HOST" 2>/dev/null || :
}

# A host behind b, which forwards to it: 203.0.113.2 and 2001:db8::2.
host_behind() {
	HOST=$LAB-h
	defer host_down
	ip netns add "$HOST"
	ip_in b link add eg1 type veth peer name eg0 netns "$HOST"
	ip_in b link set eg1 up
	ip_in b addr add 203.0.113.1/24 dev eg1
	ip_in b addr add 2001:db8::1/64 dev eg1 nodad
	# The lab has no automatic ones; a router solicits neighbours from it.
	ip_in b addr add fe80::1/64 dev eg1 nodad
	ip -n "$HOST" link set eg0 up
	ip -n "$HOST" addr add 203.0.113.2/24 dev eg0
	ip -n "$HOST" addr add 2001:db8::2/64 dev eg0 nodad
	ip -n "$HOST" route add default via 203.0.113.1
	ip -n "$HOST" route add default via 2001:db8::1
	in_b sysctl -qw net.ipv4.ip_forward=1 net.ipv6.conf.all.forwarding=1
	ip_in a route add 203.0.113.0/24 via 198.18.0.2
	ip_in a route add 2001:db8::/64 via 2001:2::2
}

@test "on a router the hosts behind it answer for themselves" {
	lab_up
	host_behind
	make_ready a
	reflect_start
	run -0 in_a ping -c 7 -i 0.01 -W 2 203.0.113.2
	run -0 in_a ping -c 11 -i 0.01 -W 2 2001:db8::2
	# A reflector leaves the TTL of the request, a router takes one from the host's.
	[ "$(ttl_of_answer 203.0.113.2 77)" = 63 ]
	[ "$(ttl_of_answer 198.18.0.2 77)" = 77 ]
	[ "$(answers "$HOST")" = 8 ]
	[ "$(answers6 "$HOST")" -ge 11 ]
	run -0 in_a ping -c 3 -i 0.01 -W 2 2001:2::2
	reflect_end INT
	json '.metrics.answered_packets == 4 and .metrics.left_other_dest_packets == 19'
}

@test "with --for a router answers for the hosts behind it" {
	lab_up
	host_behind
	make_ready a
	reflect_start --for 203.0.113.0/24 --for 192.0.2.0/24,2001:db8::2
	[ "$(ttl_of_answer 203.0.113.2 77)" = 77 ]
	run -0 in_a ping -c 3 -i 0.01 -W 2 2001:db8::2
	run -0 in_a ping -c 2 -i 0.01 -W 2 198.18.0.2
	[ "$(answers "$HOST")" = 0 ]
	reflect_end INT
	json '.metrics.answered_packets == 6 and .metrics.left_other_dest_packets == 0'
}

@test "a STAMP reflector leaves the packets to other destinations, too" {
	lab_up
	host_behind
	make_ready a
	reflect_start --stamp
	[ "$(ttl_of_answer 203.0.113.2 77)" = 63 ]
	[ "$(ttl_of_answer 198.18.0.2 77)" = 77 ]
	reflect_end INT
	json '.metrics.answered_packets == 1 and .metrics.left_other_dest_packets == 1'
}

# is_answered ADDRESS: by the reflector.
is_answered() {
	[ "$(ttl_of_answer "$1" 77)" = 77 ]
}

is_not_answered() {
	! is_answered "$1"
}

@test "addresses that come and go while it runs are followed" {
	lab_up
	ip_in a route add 192.0.2.0/24 via 198.18.0.2
	make_ready a
	reflect_start
	is_not_answered 192.0.2.1
	ip_in b addr add 192.0.2.1/32 dev eg0
	wait_for is_answered 192.0.2.1
	ip_in b addr add 2001:2::77/64 dev eg0 nodad
	wait_for is_answered 2001:2::77
	ip_in b addr del 192.0.2.1/32 dev eg0
	wait_for is_not_answered 192.0.2.1
	is_answered 2001:2::77
	is_answered 198.18.0.2
	# What the other interface has is none of its own.
	ip_in b addr add 192.0.2.1/32 dev lo
	nap 0.3
	is_not_answered 192.0.2.1
	reflect_end INT
	json '.metrics.left_other_dest_packets >= 3'
}

@test "without an address it says so, and answers when it gets one or with --for" {
	lab_up
	make_ready a
	ip_in b addr flush dev eg0
	reflect_start
	grep -q "'eg0' has no address, and no --for is given" "$ERR"
	run -0 in_a "$PEER" frames 101 02:e9:00:00:00:0b 0
	json '.sent == 101 and .answered == 0'
	ip_in b addr add 198.18.0.2/24 dev eg0
	wait_for is_answered 198.18.0.2
	reflect_end INT
	json 'any(.notes[]; contains("--for"))'
	ip_in b addr flush dev eg0
	reflect_start --for any
	run -1 grep "has no address" "$ERR"
	run -0 in_a "$PEER" frames 101
	json '.answered == 101 and .strange == 0'
	reflect_end INT
	json '.metrics.answered_packets == 101 and ([.notes[]? | select(contains("--for"))] == [])'
}

@test "generic XDP answers too, and the result says that it was generic" {
	lab_up
	make_ready a
	reflect_start --xdp-mode generic
	run -0 in_a "$PEER" frames 101
	json '.answered == 101 and .strange == 0'
	reflect_end INT
	json '.metrics.answered_packets == 101 and .environment.xdp_mode == "generic"'
}

@test "packets of 9000 bytes come back whole" {
	lab_up --mtu 9000
	in_b "$TOOL" doctor eg0 --has multi-buffer ||
		cannot multi-buffer multi-buffer || return
	make_ready a
	reflect_start
	run -0 in_a ping -c 7 -i 0.01 -W 2 -M 'do' -s 8972 198.18.0.2
	reflect_end INT
	json '.metrics.answered_icmp_packets == 7 and .metrics.answered_bytes == 7 * 9018'
}

@test "^C ends the run with status 130 and the whole result" {
	lab_up
	make_ready a
	reflect_start
	run -0 in_a ping -c 3 -i 0.01 198.18.0.2
	reflect_end INT
	[ "$status" = 130 ]
	json '.metrics.answered_packets == 3 and (has("errors") | not)'
	hook_is_free b
}

@test "--duration ends the run with status 0" {
	lab_up
	make_ready a
	reflect_start --duration 300ms
	reflect_end
	[ "$status" = 0 ]
	json '.metrics.answered_packets == 0'
	hook_is_free b
}

# An empty interval after the last answer: every answer is in a row by then.
rows_are_through() {
	jq -se '[.[].answered_packets] | any(. > 0) and last == 0' "$OUT" >/dev/null
}

@test "intervals add up to the total, and --jsonl ends with the document" {
	lab_up
	make_ready a
	reflect_start --jsonl --interval 50ms
	run -0 in_a ping -c 13 -i 0.02 198.18.0.2
	wait_for rows_are_through
	reflect_end INT
	rows=$(jq -s '[.[] | select(.type == "interval") | .answered_packets] | add' "$OUT")
	[ "$rows" = 13 ]
	output=$(tail -n 1 "$OUT")
	json '.command == "reflect" and .metrics.answered_packets == 13'
}

@test "kill -9 leaves no program attached and the wire usable" {
	lab_up
	make_ready a
	reflect_start
	[ "$(hook b)" != null ]
	reflect_end KILL
	[ "$status" = 137 ]
	wait_for hook_is_free b
	run -0 in_a ping -c 3 -i 0.01 -W 2 198.18.0.2
}

@test "an interface that is removed in mid-run ends it with status 4 and what was counted" {
	lab_up
	make_ready a
	reflect_start
	run -0 in_a ping -c 5 -i 0.01 198.18.0.2
	nsenter --net="/run/netns/$LAB-b" ip link del eg0
	reflect_end
	[ "$status" = 4 ]
	json '.metrics.answered_packets == 5'
	json '.errors[0].what | test("interface .eg0. vanished")'
	grep -q "interface 'eg0' vanished" "$ERR"
}

@test "a second reflector is refused with status 3 and the name of the first" {
	lab_up
	make_ready a
	reflect_start
	run -3 in_b "$TOOL" reflect eg0 --duration 1s
	[[ $output == *"held by program 'reflect_xdp'"* ]]
	run -0 in_a ping -c 3 -i 0.01 -W 2 198.18.0.2
	reflect_end INT
	json '.metrics.answered_packets == 3'
}

@test "a foreign program in native or generic mode is neither replaced nor detached" {
	need_command bpftool
	lab_up
	obj=$(dirname "$TOOL")/bpf/reflect_xdp.bpf.o
	[ -e "$obj" ] || cannot objects "the object files of a build"
	for mode in xdpdrv xdpgeneric; do
		nsenter --net="/run/netns/$LAB-b" ip link set dev eg0 "$mode" obj "$obj" sec xdp
		before=$(hook b)
		[ "$before" != null ]
		run -3 in_b "$TOOL" reflect eg0 --duration 1s
		[[ $output == *"held by program 'reflect_xdp'"* ]]
		[[ $output == *"ip link set dev eg0 $mode off"* ]]
		[ "$(hook b)" = "$before" ]
		nsenter --net="/run/netns/$LAB-b" ip link set dev eg0 "$mode" off
	done
}

@test "once it answers it holds no capability, and still counts" {
	lab_up
	make_ready a
	reflect_start
	grep -q '^CapEff:[[:space:]]*0*$' "/proc/${PIDS[reflect]}/status"
	grep -q '^CapPrm:[[:space:]]*0*$' "/proc/${PIDS[reflect]}/status"
	run -0 in_a ping -c 3 -i 0.01 198.18.0.2
	reflect_end INT
	json '.metrics.answered_packets == 3'
}

@test "without capabilities it says which it lacks, with status 3" {
	run -3 unprivileged "$TOOL" reflect lo
	[[ $output == *CAP_BPF* && $output == *CAP_NET_ADMIN* ]]
}

@test "what cannot be meant is refused with status 2" {
	# Without a default route, which might lead to a real interface.
	run -2 unshare --net "$TOOL" reflect
	[[ $output == *"INTERFACE is missing"* ]]
	run -2 "$TOOL" reflect lo --port 70000
	[[ $output == *"--port: 0 to 65535, not '70000'"* ]]
	run -2 "$TOOL" reflect lo --port 10abc
	[[ $output == *"'10abc' is not a whole number"* ]]
	run -2 "$TOOL" reflect lo --port -1
	run -2 "$TOOL" reflect lo --duration 5parsecs
	run -2 "$TOOL" reflect lo --xdp-mode fast
	run -2 "$TOOL" reflect lo eth1
	run -2 "$TOOL" reflect lo --port 0 --no-icmp
	[[ $output == *"--no-icmp and --port 0 are mutually exclusive"* ]]
	for bad in 198.18.0.1/15 198.18.0.0/33 2001:2::/129 host "any,," 198.18.0.0/; do
		run -2 "$TOOL" reflect lo --for "$bad"
		[[ $output == *"--for: '${bad##*,}' is not a prefix such as 198.18.0.0/15 or 2001:2::/48"* ]]
	done
	run -2 "$TOOL" reflect lo --for "$(seq -s, -f 192.0.2.%.0f 33)"
	[[ $output == *"--for accepts at most 32 prefixes"* ]]
	run -2 "$TOOL" reflect no/name
	run -2 "$TOOL" reflect nosuch0
	[[ $output == *"there is no interface 'nosuch0'"* ]]
}

@test "the fixtures of the BPF tests are what scapy makes of them today" {
	need_module scapy
	dir=$BATS_TEST_DIRNAME/../bpf
	"$dir/gen_fixtures.py" | diff - "$dir/reflect_fixtures.h"
}
