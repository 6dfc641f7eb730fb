#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# bats file_tags=net
# How blast finds the way to an address: route, source and next hop's MAC.

load ../lib/common

setup() {
	need_root
	LAB=route$$-$BATS_TEST_NUMBER
}

# The lab's ends know each other for good; here they must ask.
lab_up() {
	"$TOOL" lab up -q --name "$LAB" "$@" >/dev/null
	defer timeout 20 "$TOOL" lab down -q --name "$LAB"
	nsenter --net="/run/netns/$LAB-a" ip neighbour flush nud permanent
}

# A lab is silent: without a link-local address there are no IPv6 neighbour queries.
can_ask_by_ip6() {
	nsenter --net="/run/netns/$LAB-a" ip address add fe80::a/64 dev eg0 nodad
}

# finds DEST FILTER [OPTIONS]: seven packets go there; FILTER holds on the environment.
finds() {
	run -0 --separate-stderr timeout 10 nsenter --net="/run/netns/$LAB-a" "$TOOL" blast eg0 "$1" \
		-e afxdp -c 7 -q --json "${@:3}"
	json ".environment | $2"
}

# says STATUS TEXT DEST [OPTIONS]: an error that holds TEXT.
says() {
	run --separate-stderr timeout 10 nsenter --net="/run/netns/$LAB-a" "$TOOL" blast eg0 "$3" \
		-e afxdp -c 7 -q "${@:4}"
	[ "$status" = "$1" ] || fail "exit $status: $stderr"
	[[ $stderr == *"$2"* ]] || fail "not said: $2"$'\n'"$stderr"
}

mac() {
	nsenter --net="/run/netns/$LAB-$1" ip -json link show "$2" | jq -r '.[0].address'
}

neighbours() {
	nsenter --net="/run/netns/$LAB-a" ip -json neighbour show dev eg0 to "$1" | jq length
}

# bats test_tags=core
@test "a neighbour on the link is found by IPv4, IPv6 and link-local address" {
	lab_up
	can_ask_by_ip6
	b=$(mac b eg0)
	finds 198.18.0.2 ".dst_mac == \"$b\" and .src_ip == \"198.18.0.1\""
	finds 2001:2::2 ".dst_mac == \"$b\" and .src_ip == \"2001:2::1\""
	nsenter --net="/run/netns/$LAB-b" ip address add fe80::b/64 dev eg0 nodad
	finds fe80::b ".dst_mac == \"$b\" and .src_ip == \"fe80::a\""
}

@test "packets to a host behind a gateway go to the gateway's MAC address" {
	lab_up --path a-r-b
	can_ask_by_ip6
	r=$(mac r ega)
	finds 198.19.0.1 ".dst_mac == \"$r\" and .src_ip == \"198.18.0.1\""
	finds 2001:2:0:1::1 ".dst_mac == \"$r\" and .src_ip == \"2001:2::1\""
}

@test "an IPv4 route by way of an IPv6 gateway is followed" {
	lab_up
	can_ask_by_ip6
	nsenter --net="/run/netns/$LAB-a" ip route add 203.0.113.0/24 via inet6 2001:2::2 dev eg0
	finds 203.0.113.5 ".dst_mac == \"$(mac b eg0)\""
}

@test "multicast and broadcast go to their group's MAC address" {
	lab_up
	can_ask_by_ip6
	finds 198.18.0.255 '.dst_mac == "ff:ff:ff:ff:ff:ff"'
	finds 224.0.0.5 '.dst_mac == "01:00:5e:00:00:05"'
	finds 2001:2::2 '.dst_mac | startswith("33:33") | not'
}

@test "finding a neighbour sends one question and nothing else" {
	lab_up
	before=$(nsenter --net="/run/netns/$LAB-b" ip -json -s link show eg0 | jq '.[0].stats64.rx.packets')
	finds 198.18.0.2 .
	after=$(nsenter --net="/run/netns/$LAB-b" ip -json -s link show eg0 | jq '.[0].stats64.rx.packets')
	[ "$((after - before))" = 8 ] || fail "$((after - before)) packets came: 7 and 1 expected"
}

@test "a stale neighbour is asked again, and followed to a new MAC address" {
	lab_up
	finds 198.18.0.2 .
	nsenter --net="/run/netns/$LAB-a" ip neighbour change 198.18.0.2 dev eg0 nud stale
	finds 198.18.0.2 ".dst_mac == \"$(mac b eg0)\""
	nsenter --net="/run/netns/$LAB-b" ip link set eg0 address 02:00:00:00:00:99
	nsenter --net="/run/netns/$LAB-a" ip neighbour change 198.18.0.2 dev eg0 nud stale
	finds 198.18.0.2 '.dst_mac == "02:00:00:00:00:99"'
}

@test "a permanent neighbour is believed" {
	lab_up
	nsenter --net="/run/netns/$LAB-a" ip neighbour replace 198.18.0.66 lladdr 02:00:00:00:00:66 dev eg0 nud permanent
	finds 198.18.0.66 '.dst_mac == "02:00:00:00:00:66"'
}

@test "an address that no route leads to is an error, also on the link" {
	lab_up
	says 4 "no route to '203.0.113.1' through 'eg0'" 203.0.113.1
	[[ $stderr == *"ip route get 203.0.113.1 oif eg0"* ]]
	says 4 "no route to '2001:db8::1' through 'eg0'" 2001:db8::1
}

@test "an address without an answering neighbour is an error that suggests --dst-mac" {
	lab_up
	can_ask_by_ip6
	says 4 "'198.18.0.99' does not answer on 'eg0'" 198.18.0.99
	[[ $stderr == *--dst-mac* ]]
	says 4 "'2001:2::99' does not answer on 'eg0'" 2001:2::99
	nsenter --net="/run/netns/$LAB-a" ip route add 203.0.113.0/24 via 198.18.0.98
	says 4 "the gateway '198.18.0.98' to '203.0.113.1' does not answer" 203.0.113.1
}

@test "an address of this host is an error, unless the MAC address is given" {
	lab_up
	says 4 "'198.18.0.1' is an address of this host" 198.18.0.1
	finds 198.18.0.1 '.dst_mac == "02:00:00:00:00:07"' --dst-mac 02:00:00:00:00:07
}

@test "with --dst-mac no neighbour is queried" {
	lab_up
	finds 198.18.0.99 '.dst_mac == "02:00:00:00:00:07" and .src_ip == "198.18.0.1"' \
		--dst-mac 02:00:00:00:00:07
	[ "$(neighbours 198.18.0.99)" = 0 ]
	finds 203.0.113.1 '.src_ip == "198.18.0.9"' --dst-mac 02:00:00:00:00:07 --src-ip 198.18.0.9
}

@test "an interface that is down is an error with the command that helps" {
	lab_up
	nsenter --net="/run/netns/$LAB-a" ip link set eg0 down
	says 4 "Network is down" 198.18.0.2
	[[ $stderr == *"ip link set dev eg0 up"* ]]
}
