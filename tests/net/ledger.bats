#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# bats file_tags=net
# The ledger of blast --sink: each kind of drop is made to happen, and the very
# number is in exactly that row.

load ../lib/common
load ../lib/lab

B=198.19.0.1
B6=2001:2:0:1::1

setup() {
	need_root
	need_command jq
	lab_up --path a-r-b
}

in_r() {
	timeout 30 nsenter --net="/run/netns/$LAB-r" "$@"
}

# sent DEST [OPTIONS]: 1009 packets from a to a sink in b; the ledger adds up.
sent() {
	tool_in a blast eg0 "$1" --count 1009 --rate "$(pace 20000)" --interval 0 --json \
		--wait 500ms --sink "eg0@$LAB-b" "${@:2}"
	is 0
	adds_up
}

# described PACKET [OPTIONS]: likewise, of a packet of one's own.
described() {
	tool_in a blast eg0 "$1" --count 1009 --rate 20kpps --interval 0 --json \
		--wait 500ms --sink "eg0@$LAB-b" "${@:2}"
	is 0
	adds_up
}

# The sum of all rows is what was made, without anybody claiming too much.
adds_up() {
	json '.parts[] | select(.name == "ledger") | .metrics.overclaimed_packets == 0 and
		([.entries[].packets] | add) == .metrics.made_packets'
}

sent_some() {
	[ "$(counter b rx_packets)" -gt 1009 ]
}

# rows TEXT...: just these rows, "PACKETS REASON PLACE WHERE SOURCE", "-" for what is empty.
rows() {
	local got want

	got=$(jq -r '.parts[] | select(.name == "ledger") | .entries[] | [.packets, .reason, .place,
		.where, .source] | map(if . == "" then "-" else tostring | gsub(" "; "_") end) |
		join(" ")' <<<"$output" | sort)
	want=$(printf '%s\n' "$@" "0 unattributed - - -" | sed "s/@/$LAB-/" | sort)
	[ "$got" = "$want" ] || fail "rows: $got"$'\n'"not: $want"
}

# udp_place: which function drops what no socket takes; from some 7.x on it is a part of its caller.
udp_place() {
	grep -qw __udp4_lib_rcv /proc/kallsyms && echo __udp4_lib_rcv || echo udp_rcv
}

# qdisc_place: which function drops what a qdisc refused; before 6.4 and in 7.x it is one that frees a list.
qdisc_place() {
	if grep -qw __tcf_kfree_skb_list /proc/kallsyms; then
		echo __tcf_kfree_skb_list
	else
		kernel_from 6.4 && echo __dev_queue_xmit || echo kfree_skb_list_reason
	fi
}

# lost REASON PLACE WHERE [SOURCE]: all 1009 of them.
lost() {
	rows "0 received - - receiver" "1009 $1 $2 $3 ${4-kfree_skb}"
}

# witness PACKETS PLACE WHERE
witness() {
	json --argjson n "$1" --arg place "$2" --arg where "${3/@/$LAB-}" '.parts[] |
		select(.name == "witnesses") | .entries |
		any(.packets == $n and .place == $place and .where == $where)'
}

# verdict NODE DEV MODE NAME: another user's XDP program on an interface.
verdict() {
	local object=$BATS_TEST_TMPDIR/verdict.o

	need_command clang gcc
	clang -target bpf -O2 -g -idirafter "/usr/include/$(gcc -print-multiarch)" \
		-c "$BATS_TEST_DIRNAME/verdict.bpf.c" -o "$object"
	ip_in "$1" -force link set "$2" "$3" obj "$object" sec "xdp/$4"
}

@test "packets that all arrive leave no other row" {
	sent $B
	rows "1009 received - - receiver"
	json '.metrics.lost_packets == 0 and .metrics.received_packets == 1009 and .metrics.delay_packets == 1009'
	json '.verdicts[0].pass and (.verdicts[0].what | startswith("the ledger adds up: made 1009 = received 1009"))'
	json '.environment.ledger_sources | contains("kfree_skb") and contains("ethtool")'
}

@test "the same for IPv6, and for a socket after the stack" {
	sent $B6
	rows "1009 received - - receiver"
	# A slow reader may lose some: to its own buffer, which the row says.
	need_reason SOCKET_RCVBUFF
	sent $B --sink-socket --rate 2kpps --rcvbuf 8000000
	rows "1009 received - - receiver"
}

@test "a socket whose buffer is full is the row SOCKET_RCVBUFF, and the stack's counter its witness" {
	local n

	need_reason SOCKET_RCVBUFF
	tool_in a blast eg0 $B --count 20011 --interval 0 --json \
		--wait 500ms --sink "eg0@$LAB-b" --sink-socket --rcvbuf 2304
	is 0
	adds_up
	n=$(jq '.metrics.lost_packets' <<<"$output")
	[ "$n" -gt 0 ] || fail "nothing was lost"
	rows "$((20011 - n)) received - - receiver" \
		"$n SOCKET_RCVBUFF udp_queue_rcv_one_skb @b:eg0 kfree_skb"
	witness "$n" UdpRcvbufErrors @b
	json --argjson n "$n" '.metrics.socket_dropped_packets == $n'
}

@test "no route in the router is IP_INNOROUTES there" {
	need_reason IP_INNOROUTES
	sent 203.0.113.5
	lost IP_INNOROUTES ip_error @r:ega
	witness 1009 IpExtInNoRoutes @r
}

# v6_place: which function drops it depends on what the compiler has inlined.
v6_place() {
	jq -r '.parts[] | select(.name == "ledger") | .entries[] | .place | select(startswith("ip6_pkt_"))' <<<"$output"
}

@test "a route that forbids is named by its kind, where the kernel names none" {
	need_reason IP_INNOROUTES
	ip_in r route add blackhole 203.0.113.5
	ip_in r route add prohibit 203.0.113.6
	ip_in r -6 route add prohibit 2001:db8::6
	sent 203.0.113.5
	lost ROUTE_BLACKHOLE ip_error @r:ega
	sent 203.0.113.6
	lost ROUTE_PROHIBIT ip_error @r:ega
	sent 2001:db8::6
	rows "0 received - - receiver" "1009 ROUTE_PROHIBIT $(v6_place) @r:ega kfree_skb"
	# Before there was a reason for it, a host that does not forward looked the same.
	need_reason IP_INADDRERRORS
	ip_in r route add unreachable 203.0.113.7
	sent 203.0.113.7
	lost ROUTE_UNREACHABLE ip_error @r:ega
	in_r sysctl -qw net.ipv4.conf.ega.forwarding=0
	sent $B
	lost IP_INADDRERRORS ip_error @r:ega
}

@test "a wrong UDP checksum is UDP_CSUM where the socket is" {
	need_reason UDP_CSUM
	described "ip4(dst=$B)/udp(dport=9,sum=0x1234)" --sink-socket
	lost UDP_CSUM "$(udp_place)" @b:eg0
	witness 1009 UdpInCsumErrors @b
}

# damaged_of DEST [OPTIONS of blast] -- RULES...: 1009 packets, some damaged in r; how many is then in
# $damaged. The AF_XDP engine, as the pages of live frames come back with the damage in their payload.
damaged_of() {
	local words=()

	for (( ; $#; )); do
		[ "$1" != -- ] || break
		words+=("$1")
		shift
	done
	need af-xdp
	start impair r impair egb --direction egress --match udp "${@:2}"
	tool_in a blast eg0 "${words[@]}" --count 1009 --rate "$(pace 20000)" --frame-bytes 512 --engine afxdp \
		--interval 0 --json --wait 500ms --sink "eg0@$LAB-b"
	is 1
	adds_up
	report=$output
	finish impair INT
	damaged=$(jq '.metrics.impair_corrupted_packets // .parts[0].metrics.impair_corrupted_packets' <<<"$output")
	output=$report
}

@test "a wrong UDP checksum is a row of its own where the driver hands it over, and fails the run" {
	tool_in a blast eg0 "ip4(dst=$B)/udp(dport=9,sum=0x1234)" --count 1009 --rate "$(pace 20000)" \
		--interval 0 --json --wait 500ms --sink "eg0@$LAB-b"
	is 1
	adds_up
	rows "0 received - - receiver" "1009 arrived_with_a_wrong_checksum - @b:eg0 receiver"
	json '.metrics | .received_packets == 1009 and .bad_checksum_packets == 1009 and
		.distinct_packets == 0 and .lost_packets == 1009'
	json '.verdicts | any(.pass == false and .what == "1009 of 1009 packets arrived with a wrong checksum")'
}

@test "each packet that impair damages is found, and whole plus damaged is all" {
	damaged_of $B -- --corrupt 8%:1@42
	[ "$damaged" -gt 40 ]
	rows "$((1009 - damaged)) received - - receiver" \
		"$damaged arrived_with_a_wrong_checksum - @b:eg0 receiver"
	json --argjson n "$damaged" '.metrics | .bad_checksum_packets == $n and .lost_packets == $n and
		.distinct_packets + .bad_checksum_packets == 1009 and .untagged_packets == null and
		.delay_packets == .distinct_packets and .duplicate_packets == 0'
}

@test "a payload that was altered behind a checksum that says nothing is a row of its own" {
	damaged_of "ip4(dst=$B)/udp(dport=9,sum=0)" --payload pattern -- --corrupt 8%:1@60
	[ "$damaged" -gt 40 ]
	rows "$((1009 - damaged)) received - - receiver" \
		"$damaged arrived_with_a_wrong_payload - @b:eg0 receiver"
	json --argjson n "$damaged" '.metrics | .bad_payload_packets == $n and .lost_packets == $n and
		.distinct_packets + .bad_payload_packets == 1009 and .unverified_packets == 1009 - $n and
		.bad_checksum_packets == null and .untagged_packets == null'
	json --argjson n "$damaged" '.environment.rx_payload == "pattern" and (.verdicts | any(.pass == false and
		.what == "\($n) of 1009 packets arrived with a wrong payload"))'
}

@test "rows have what arrived and was lost while it runs, and add up to the result, with any receiver" {
	start impair r impair egb --direction egress --match udp --loss every=10
	for receiver in "" --sink-socket; do
		# shellcheck disable=SC2086
		tool_in a blast eg0 $B --count 1000 --rate 1kpps --interval 100ms --json --wait 500ms \
			--sink "eg0@$LAB-b" $receiver
		is 0
		# More where other tests fill the CPU's backlog, which all namespaces share.
		json '.metrics | .lost_packets >= 90 and .received_packets == 1000 - .lost_packets'
		json '.metrics as $all | .series as $rows |
			["sent_packets", "received_packets", "lost_packets", "not_sent_packets"] |
			all(. as $key | ([$rows[][$key]] | add) == $all[$key])'
		# All but the last were written while packets were sent.
		json '[.series[:-1][] | select(.sent_packets > 0 and .received_packets > 0 and .lost_packets > 0)] | length >= 3'
	done
}

@test "two damaged copies of a packet are one loss: the ledger claims it once" {
	damaged_of $B -- --corrupt every=7:1@42 --duplicate every=7
	[ "$damaged" -eq 144 ]
	rows "865 received - - receiver" "144 arrived_with_a_wrong_checksum - @b:eg0 receiver"
	json '.metrics.bad_checksum_packets == 288'
	json '.parts[] | select(.name == "witnesses") | .entries |
		any(.packets == 144 and .reason == "arrived with a wrong checksum")'
}

@test "packets of another program to the same port are in no row, and do not fail the ledger" {
	in_a /usr/bin/python3 -c '
import socket, time
sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
time.sleep(0.5)
while True:
    sock.sendto(bytes(40), ("198.19.0.1", 9))
    time.sleep(0.002)
' 3>&- &
	defer end_strays $!
	tool_in a blast eg0 $B --count 1009 --rate 1kpps --interval 0 --json --wait 500ms --sink "eg0@$LAB-b"
	is 0
	adds_up
	rows "1009 received - - receiver"
	json '.metrics | .untagged_packets > 50 and .lost_packets == 0'
}

end_strays() {
	kill -KILL "$1" 2>/dev/null
	wait "$1" 2>/dev/null || :
}

@test "a wrong IP header checksum is IP_CSUM at the first hop" {
	need_reason IP_CSUM
	described "ip4(dst=$B,sum=0x1234)/udp(dport=9)"
	lost IP_CSUM ip_rcv_core @r:ega
}

@test "packets whose TTL expires in the router are reported by place, and the rest arrives" {
	need_reason IP_INHDR
	# 1, 2, 3, 1, ...: every third of 1009, from the first on.
	described "ip4(dst=$B,ttl=1-3)/udp(dport=9)"
	rows "672 received - - receiver" "337 IP_INHDR ip_forward @r:ega kfree_skb"
	sent $B6 --ttl 1
	lost IP_INHDR ip6_forward @r:ega
}

@test "a full qdisc of the router is QDISC_DROP, and its own counter a witness, not a second row" {
	local n

	need_reason QDISC_DROP
	in_r tc qdisc add dev egb root tbf rate 1mbit burst 2000 limit 3000
	sent $B
	n=$(jq '.metrics.lost_packets' <<<"$output")
	[ "$n" -gt 0 ] || fail "nothing was lost"
	rows "$((1009 - n)) received - - receiver" "$n QDISC_DROP $(qdisc_place) @r:egb kfree_skb"
	witness "$n" tbf @r:egb
	[ "$(in_r tc -s -json qdisc show dev egb | jq '.[0].drops')" = "$n" ]
}

# bats test_tags=core
@test "what a qdisc drops has the qdisc's own reason where the kernel gives it" {
	local reason

	bpftool btf dump file /sys/kernel/btf/vmlinux format raw 2>/dev/null | grep -q "QDISC_DROP_FLOW_LIMIT'" ||
		cannot qdisc-drop-reasons "the reasons of qdiscs"
	# drops_at REASON: of packets that go out of egb, as many as tc counts.
	drops_at() {
		sent $B
		in_r tc -s -json qdisc show dev egb >"$BATS_TEST_TMPDIR/qdisc"
		reason=$(jq -r '.parts[] | select(.name == "ledger") | [.entries[] | select(.source == "kfree_skb") |
			"\(.packets) \(.reason)"] | join(",")' <<<"$output")
		[ "$reason" = "$(jq '.[0].drops' "$BATS_TEST_TMPDIR/qdisc") $1" ] || fail "$reason"
		[[ $reason != "0 "* ]]
	}
	in_r tc qdisc add dev egb root fq flow_limit 7 maxrate 100kbit
	drops_at QDISC_DROP_FLOW_LIMIT
	in_r tc qdisc replace dev egb root handle 1: htb default 1
	in_r tc class add dev egb parent 1: classid 1:1 htb rate 100kbit
	in_r tc qdisc add dev egb parent 1:1 fq_pie limit 13
	drops_at QDISC_DROP_OVERLIMIT
	# It has no reason of its own.
	in_r tc qdisc replace dev egb root handle 2: tbf rate 100kbit burst 2000 limit 3000
	drops_at QDISC_DROP
}

@test "an egress whose other end is down drops all, and its tx_dropped is no second row" {
	ip_in b link set eg0 down
	sent $B
	lost QDISC_DROP "$(qdisc_place)" @r:egb
	witness 1009 tx_dropped @r:egb
}

@test "an MTU that is too small on the way is PKT_TOO_BIG" {
	need_reason PKT_TOO_BIG
	ip_in r link set egb mtu 1000
	described "ip4(dst=$B,df=1)/udp(dport=9)" --frame-bytes 1400
	lost PKT_TOO_BIG ip_forward @r:ega
	witness 1009 IpFragFails @r
}

@test "drops by an XDP program before there is an skb show in the driver's counter" {
	verdict r ega xdp drop
	sent $B
	lost XDP_DROP XDP_program @r:ega ethtool
}

@test "an XDP program that aborts is one row, though two sources count it" {
	verdict r ega xdp abort
	sent $B
	lost ABORTED XDP_program @r:ega xdp_exception
}

@test "an XDP redirect that fails is one row, though two sources count it" {
	verdict r ega xdp redirect
	sent $B
	lost REDIRECT XDP_program @r:ega xdp_redirect_err
	witness 1009 rx_dropped @r:ega
}

@test "an XDP program that drops an skb is one row, though two sources count it" {
	verdict b eg0 xdp drop
	sent $B --sink-socket
	json '[.parts[] | select(.name == "ledger") | .entries[] | select(.packets > 0)] | length == 1'
	json '.parts[] | select(.name == "ledger") | .entries[1] | .packets == 1009 and
		.source == "kfree_skb" and .reason == "XDP" and (.where | endswith("-b:eg0"))'
	ip_in b link set eg0 xdp off
	verdict b eg0 xdpgeneric redirect
	sent $B --sink-socket
	json '.parts[] | select(.name == "ledger") | .entries[1] | .packets == 1009 and
		.source == "kfree_skb" and .reason == "XDP" and (.where | endswith("-b:eg0"))'
}

@test "a firewall's drop is NETFILTER_DROP, as its own counter says" {
	need_command nft
	need_reason NETFILTER_DROP
	in_r nft add table ip t
	in_r nft 'add chain ip t c { type filter hook forward priority 0; }'
	in_r nft add rule ip t c udp dport 9 counter drop
	sent $B
	rows "0 received - - receiver" "1009 NETFILTER_DROP nft_do_chain @r:ega kfree_skb"
	in_r nft list table ip t | grep -q "packets 1009 "
	json '.parts[] | select(.name == "witnesses") | .entries | any(.packets == 1009 and .source == "nftables" and
		.reason == "NETFILTER_DROP" and .place == "ip t c handle 2 (forward)" and (.where | endswith("-r")))'
	json '.notes | any(test("^the packet filter of .*-r. dropped 1009 packets: ip t c handle 2 .forward. counted 1009$"))'

	# A rule that does not count, in another chain, and one that lets pass.
	in_r nft flush chain ip t c
	in_r nft add chain ip t sub
	in_r nft add rule ip t c jump sub
	in_r nft add rule ip t sub udp dport 9 numgen inc mod 3 0 drop
	in_r nft add rule ip t sub udp dport 9 counter accept
	sent $B
	rows "672 received - - receiver" "337 NETFILTER_DROP nft_do_chain @r:ega kfree_skb"
	json '.notes | any(test("dropped 337 packets: rules without a counter: ip t sub handle [0-9]+$"))'
	json '[.parts[] | select(.name == "witnesses").entries[] | select(.source == "nftables")] == []'

	# Verdicts in maps, of which one drops without a counter, one with it and one not at all.
	in_r nft flush chain ip t sub
	in_r nft add rule ip t sub udp dport vmap '{ 7 : drop, 10 : accept }'
	in_r nft add rule ip t sub udp sport vmap '{ 49152 : accept }'
	sent $B --port 7
	json '.notes | any(test("dropped 1009 packets: rules without a counter: ip t sub handle [0-9]+$"))'
	in_r nft flush chain ip t sub
	in_r nft add map ip t counts '{ type inet_service : verdict; counter; elements = { 9 : drop, 10 : drop }; }'
	in_r nft add rule ip t sub udp dport vmap @counts
	sent $B
	json '.notes | any(test("dropped 1009 packets: ip t sub handle [0-9]+ counted 1009$"))'
}

# The limit is that of the first network namespace, and of all: of the core, as it runs in virtual machines only.
# bats test_tags=core
@test "a full table of connections is named" {
	local limit=/proc/sys/net/netfilter/nf_conntrack_max before

	need_command nft
	need_reason NETFILTER_DROP
	in_r nft add table ip t
	in_r nft 'add chain ip t c { type filter hook forward priority 0; }'
	in_r nft add rule ip t c ct state invalid counter accept
	before=$(cat "$limit" 2>/dev/null) && echo "$before" 2>/dev/null >"$limit" ||
		cannot conntrack-max "a network namespace that sets nf_conntrack_max"
	echo 100 >"$limit"
	defer eval "echo $before >$limit"
	sent $B --src-ports 1009
	json '([.parts[] | select(.name == "ledger").entries[] | select(.reason == "NETFILTER_DROP").packets] | add) as
		$dropped | $dropped > 800 and (.parts[] | select(.name == "witnesses").entries |
		any(.packets == $dropped and .source == "conntrack" and .place == "drop" and (.where | endswith("-r"))))'
	json '.notes | any(test("conntrack drop counted [0-9]+$"))'
}

@test "what a bridge floods to other stations is a copy, and hides no drop of the packet itself" {
	need_command nft
	need_reason OTHERHOST
	local port

	ip netns add "$LAB-c"
	defer ip netns del "$LAB-c"
	ip_in r link add egc type veth peer name eg0 netns "$LAB-c"
	nsenter --net="/run/netns/$LAB-c" ip link set eg0 up
	# Copies are made in the reverse order of the ports: that to c is the last.
	ip_in r link add br0 type bridge ageing_time 0
	for port in ega egc egb; do
		ip_in r link set "$port" master br0
		ip_in r link set "$port" xdp off
		ip_in r link set "$port" up
	done
	ip_in r link set br0 up
	sent $B --dst-mac 02:e9:00:00:00:0b
	rows "1009 received - - receiver"
	in_b nft add table ip t
	in_b nft 'add chain ip t c { type filter hook input priority 0; }'
	in_b nft add rule ip t c udp dport 9 numgen inc mod 4 0 drop
	sent $B --dst-mac 02:e9:00:00:00:0b --sink-socket --rcvbuf 16M
	rows "756 received - - receiver" "253 NETFILTER_DROP nft_do_chain @b:eg0 kfree_skb"
	# A station that does not exist: each copy is dropped, and the packet is lost once.
	sent $B --dst-mac 02:e9:00:00:00:77 --sink-socket
	json '.parts[] | select(.name == "ledger") | [.entries[] | select(.reason == "OTHERHOST").packets] | add == 1009'
}

@test "packets that a host keeps while it asks for an address are waited for, and in the row of their drop" {
	need_reason NEIGH_QUEUEFULL
	tool_in a blast eg0 198.19.0.77 --count 503 --rate 10kpps --interval 0 --json --wait 300ms --sink "eg0@$LAB-b"
	is 0
	adds_up
	json '.parts[] | select(.name == "ledger") | (.metrics.unattributed_packets == 0) and
		([.entries[] | select(.reason | startswith("NEIGH_")).packets] | add == 503)'
}

# bats test_tags=core
@test "a port without a listener is NO_SOCKET" {
	need_reason NO_SOCKET
	# The socket is bound to lo alone.
	tool_in a blast eg0 $B --count 1009 --rate 20kpps --interval 0 --json \
		--wait 500ms --sink "lo@$LAB-b" --sink-socket
	is 0
	adds_up
	lost NO_SOCKET "$(udp_place)" @b:eg0
	witness 1009 UdpNoPorts @b
	# Each thread is on a CPU of its own, and so are its drops.
	tool_in a blast eg0 $B --threads 2 --count 1009 --rate 20kpps --interval 0 --json \
		--wait 500ms --sink "lo@$LAB-b" --sink-socket
	is 0
	adds_up
	lost NO_SOCKET "$(udp_place)" @b:eg0
}

@test "a source that came by the wrong way is IP_RPFILTER" {
	need_reason IP_RPFILTER
	in_r sh -c 'echo 1 >/proc/sys/net/ipv4/conf/ega/rp_filter'
	sent $B --src-ip 198.19.0.77
	lost IP_RPFILTER ip_rcv_finish_core @r:ega
}

@test "another run with the same ports and stream is in no row, received or dropped" {
	need_reason IP_INNOROUTES
	start other a blast eg0 203.0.113.6 --rate 5kpps --duration 10s
	sent $B
	rows "1009 received - - receiver"
	finish other INT
	start other a blast eg0 $B --rate 5kpps --duration 10s
	sent 203.0.113.5
	lost IP_INNOROUTES ip_error @r:ega
	json '.metrics.other_run_packets > 0'
	finish other INT
}

@test "packets whose ports a NAT has changed are received, or in the row of their drop" {
	need_command nft
	need_reason NO_SOCKET
	in_r nft add table ip nat
	in_r nft 'add chain ip nat pre { type nat hook prerouting priority -100; }'
	in_r nft 'add chain ip nat post { type nat hook postrouting priority 100; }'
	in_r nft add rule ip nat post oifname egb masquerade random
	sent $B --sink-socket --rcvbuf 16M
	rows "1009 received - - receiver"
	in_r nft add rule ip nat pre iifname ega udp dport 9 counter dnat to $B:99
	# Of a source port that conntrack has not seen yet.
	sent $B --src-port 50001
	rows "1009 received - - receiver"
	sent $B --sink-socket --src-port 50002
	in_r nft list table ip nat | grep -q "counter packets 2 "
	lost NO_SOCKET "$(udp_place)" @b:eg0
}

# tunnel NODE DEV LOCAL REMOTE ADDRESS: a VXLAN to the other end.
tunnel() {
	ip_in "$1" link add vx0 type vxlan id 77 local "$3" remote "$4" dstport 4789 dev "$2"
	ip_in "$1" addr add "$5" dev vx0
	ip_in "$1" link set vx0 address "02:e9:00:00:77:0${5:8:1}" up
}

@test "packets in a tunnel that does not encrypt are in the row of their drop, inside and outside" {
	local n

	need_reason QDISC_DROP
	tunnel r egb 198.19.0.254 $B 10.77.0.1/30
	tunnel b eg0 $B 198.19.0.254 10.77.0.2/30
	ip_in r neigh add 10.77.0.2 lladdr 02:e9:00:00:77:02 dev vx0
	ip_in r route add 203.0.113.0/24 via 10.77.0.2 dev vx0
	ip_in b addr add 203.0.113.5/32 dev vx0
	in_r tc qdisc add dev egb root tbf rate 2mbit burst 2000 limit 3000
	tool_in a blast eg0 203.0.113.5 --count 1009 --rate 20kpps --interval 0 --json --wait 500ms \
		--sink "vx0@$LAB-b" --sink-socket --rcvbuf 16M
	is 0
	adds_up
	n=$(jq '.metrics.lost_packets' <<<"$output")
	[ "$n" -gt 0 ] && [ "$n" -lt 1009 ] || fail "$n lost"
	rows "$((1009 - n)) received - - receiver" "$n QDISC_DROP $(qdisc_place) @r:egb kfree_skb"
	in_r tc qdisc del dev egb root
	# Taken out of the tunnel, there is no socket for them.
	tool_in a blast eg0 203.0.113.5 --count 1009 --rate 20kpps --interval 0 --json --wait 500ms \
		--sink "eg0@$LAB-b" --sink-socket
	is 0
	adds_up
	lost NO_SOCKET "$(udp_place)" @b:vx0
}

# lost_encrypted SINK: some packets through the tunnel do not fit into a slow link on its way.
lost_encrypted() {
	local n

	in_r tc qdisc add dev egb root tbf rate 200kbit burst 2000 limit 3000
	tool_in a blast eg0 203.0.113.5 --count 1009 --rate "$(pace 20000)" --interval 0 --json --wait 500ms \
		--sink "$1@$LAB-b" --sink-socket --rcvbuf 16M
	is 0
	adds_up
	n=$(jq '.metrics.lost_packets' <<<"$output")
	((n > 0 && n < 1009)) || fail "$n lost"
	rows "$((1009 - n)) received - - receiver" "$n QDISC_DROP $(qdisc_place) @r:egb kfree_skb,_encrypted"
}

# can_add TYPE: whether the kernel has that type of interface.
can_add() {
	ip_in r link add probe0 type "$1" 2>/dev/null || return
	ip_in r link del probe0
}

# bats test_tags=core
@test "packets that WireGuard has encrypted are in the row of their drop, by count" {
	local node

	need_reason QDISC_DROP
	need_command wg
	can_add wireguard || cannot wireguard "interfaces of type wireguard"
	umask 077
	for node in r b; do
		wg genkey >"$BATS_TEST_TMPDIR/$node"
		ip_in "$node" link add wg0 type wireguard
	done
	key() { wg pubkey <"$BATS_TEST_TMPDIR/$1"; }
	in_r wg set wg0 listen-port 51820 private-key "$BATS_TEST_TMPDIR/r" peer "$(key b)" \
		allowed-ips 203.0.113.0/24 endpoint "$B:51820"
	in_b wg set wg0 listen-port 51820 private-key "$BATS_TEST_TMPDIR/b" peer "$(key r)" \
		allowed-ips 0.0.0.0/0 endpoint 198.19.0.254:51820
	ip_in r link set wg0 up
	ip_in b link set wg0 up
	ip_in r route add 203.0.113.0/24 dev wg0
	ip_in b addr add 203.0.113.5/32 dev wg0
	# The first packet waits for the keys to be exchanged.
	tool_in a blast eg0 203.0.113.5 --count 1009 --rate "$(pace 20000)" --interval 0 --json --wait 500ms \
		--sink "wg0@$LAB-b" --sink-socket --rcvbuf 16M
	is 0
	rows "1009 received - - receiver"
	lost_encrypted wg0
	in_r tc qdisc del dev egb root
	# Decrypted, they are recognised again.
	tool_in a blast eg0 203.0.113.5 --count 1009 --rate "$(pace 20000)" --interval 0 --json --wait 500ms \
		--sink "eg0@$LAB-b" --sink-socket
	is 0
	adds_up
	lost NO_SOCKET "$(udp_place)" @b:wg0
}

# bats test_tags=core
@test "packets that IPsec has encrypted are in the row of their drop, by count" {
	local node

	need_reason QDISC_DROP
	for node in r b; do
		ip_in "$node" xfrm state add src 198.19.0.254 dst "$B" proto esp spi 0x77 reqid 7 mode tunnel \
			aead 'rfc4106(gcm(aes))' 0x000102030405060708090a0b0c0d0e0f10111213 128 2>/dev/null ||
			cannot esp "ESP of IPsec"
	done
	ip_in r xfrm policy add dir out dst 203.0.113.0/24 tmpl src 198.19.0.254 dst "$B" proto esp reqid 7 mode tunnel
	ip_in b xfrm policy add dir in dst 203.0.113.0/24 tmpl src 198.19.0.254 dst "$B" proto esp reqid 7 mode tunnel
	ip_in r route add 203.0.113.0/24 via "$B"
	ip_in b addr add 203.0.113.5/32 dev eg0
	lost_encrypted eg0
}

@test "packets without a tag are recognised by address and port" {
	need_reason IP_INHDR
	# Without a tag nothing but ports and address distinguishes them from other tests' packets.
	sport=$((20000 + $$ % 20000))
	sent $B --no-tag --ttl 1 --src-port "$sport"
	lost IP_INHDR ip_forward @r:ega
	described "ip4(dst=$B)/udp(sport=$sport)" --no-tag --ttl 1
	lost IP_INHDR ip_forward @r:ega
	# What the sink drops, as it has received it, is no loss.
	sent $B --no-tag --src-port "$sport"
	rows "1009 received - - receiver"
}

@test "as fast as it goes on two queues, every packet is in a row" {
	tool_in a blast eg0 $B --threads 2 --count 300007 --interval 0 --json \
		--wait 500ms --sink "eg0@$LAB-b"
	is 0
	adds_up
	json '.parts[] | select(.name == "ledger") | .metrics.made_packets >= 300007 and
		.metrics.unattributed_packets == 0'
}

@test "what a counter has of other traffic is shown, claims no packet that is not missing, and is no pass" {
	verdict r ega xdp drop
	start other a blast eg0 $B --rate 5kpps --duration 10s
	tool_in a blast eg0 $B --count 1009 --rate 2kpps --interval 0 --json \
		--wait 500ms --sink "eg0@$LAB-b"
	is 0
	json '[.verdicts[]? | select(.what | contains("ledger"))] == []'
	json '.notes | any(contains("other traffic was dropped beside this run") and
		contains("upper limits: XDP_DROP XDP program at"))'
	json '.parts[] | select(.name == "ledger") | .metrics as $m | $m.unattributed_packets == 0 and
		$m.overclaimed_packets > 0 and $m.claimed_packets == $m.made_packets and
		([.entries[].packets] | add) == $m.made_packets'
	finish other INT
}

@test "drops of other traffic alone are in no row, and no packet of this run depends on them" {
	verdict r ega xdp port
	in_r nft add table ip t
	in_r nft add chain ip t c '{ type filter hook forward priority 0; }'
	in_r nft add rule ip t c udp dport 9 numgen inc mod 7 0 drop
	start other a blast eg0 $B --port 1013 --rate 5kpps --duration 10s
	tool_in a blast eg0 $B --count 1009 --rate 2kpps --interval 0 --json \
		--wait 500ms --sink "eg0@$LAB-b"
	is 0
	adds_up
	json '.parts[] | select(.name == "ledger") | .metrics | .claimed_packets == 145 and .overclaimed_packets == 0'
	json '.parts[] | select(.name == "witnesses") | [.entries[] | select(.source == "ethtool").packets] | add > 500'
	finish other INT
}

@test "a run that ^C ends accounts for what it has sent" {
	start blast a blast eg0 $B --rate 20kpps --duration 20s --wait 500ms --sink "eg0@$LAB-b"
	wait_for sent_some
	finish blast INT
	is 130
	adds_up
	json '.parts[] | select(.name == "ledger") | .metrics | .unattributed_packets == 0 and .made_packets > 0'
}

@test "without a ledger there is loss, and no listener in the kernel" {
	tool_in a blast eg0 203.0.113.5 --count 1009 --rate 20kpps --interval 0 --json \
		--wait 500ms --sink "eg0@$LAB-b" --no-ledger
	is 0
	json '.metrics.lost_packets == 1009 and ([.parts[]?.name] | index("ledger")) == null'
	json '.environment.ledger_sources == null'
}

@test "an impossible sink is refused" {
	tool_in a blast eg0 $B --count 3 --sink eg0@nowhere$$
	is 2
	says "no network namespace 'nowhere$$'"
	tool_in a blast eg0 $B --count 3 --sink "nope@$LAB-b"
	is 2
	says "no interface 'nope'"
	tool_in a blast eg0 $B --count 3 --sink "@$LAB-b"
	is 2
	tool_in a blast eg0 $B --count 3 --sink-socket
	is 2
	says "requires --sink"
	tool_in a blast eg0 $B --count 3 --wait 500ms --sink "eg0@$LAB-b" --rcvbuf 5000
	is 2
}

@test "sink --socket counts what an application gets, and says what its buffer dropped" {
	start sink b sink eg0 --socket --count 307 --duration 10s --no-loss --rcvbuf 1000000
	tool_in a blast eg0 $B --count 307 --rate 2kpps --interval 0 -q
	is 0
	finish sink
	is 0
	json '.metrics | .received_packets == 307 and .distinct_packets == 307 and .lost_packets == 0 and
		.delay_packets == 307 and .received_bytes == 307 * 64 and .socket_dropped_packets == 0'
	json '.environment.rx_stamp == "user"'
}
