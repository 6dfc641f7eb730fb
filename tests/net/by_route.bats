#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# bats file_tags=net
# Where INTERFACE is left out, the route gives it; DEST may be a name.

load ../lib/common
load ../lib/lab

setup() {
	need_root
	need_command jq
	need af-xdp
}

# with_names NODE VERB...: "far.test" is b there.
with_names() {
	printf '%s\n' "198.18.0.2 far.test" "2001:2::2 far.test" >"$BATS_TEST_TMPDIR/hosts"
	run --separate-stderr timeout 30 nsenter --net="/run/netns/$LAB-$1" unshare --mount sh -c \
		'mount --bind "$1" /etc/hosts && shift && exec "$@"' sh "$BATS_TEST_TMPDIR/hosts" "$TOOL" "${@:2}"
}

# A second interface in a, so that the route decides.
other_link() {
	ip_in "$1" link add other0 type veth peer name other1
	ip_in "$1" address add 198.19.0.1/24 dev other0
	ip_in "$1" link set other0 up
	ip_in "$1" link set other1 up
}

# bats test_tags=core
@test "blast and probe send through the interface of the route to DEST" {
	lab_up
	other_link a
	start sink b sink --count 2022 --duration 20s
	tool_in a blast 198.18.0.2 -c 1011 -e afxdp --json
	is 0
	json '.environment.interface == "eg0" and .metrics.sent_packets == 1011 and .config.INTERFACE == ""'
	tool_in a blast -c 1011 -e afxdp 2001:2::2
	is 0
	[[ $output == *"2001:2::2 by eg0"* ]] || fail "$output"
	finish sink
	is 0
	json '.metrics.received_packets == 2022 and .metrics.lost_packets == 0 and .environment.interface == "eg0"'
	start reflect b reflect
	tool_in a probe 198.18.0.2 -c 111 --rate 5kpps --no-loss --json
	is 0
	json '.metrics.received_packets == 111 and .environment.interface == "eg0"'
	finish reflect INT
	is 130
	json '.metrics.answered_packets == 111 and .environment.interface == "eg0"'
}

@test "a name is resolved, to one IP version on request" {
	lab_up
	for family in 4 6; do
		with_names a blast far.test "-$family" -c 111 -e afxdp --json
		is 0
		json --arg family "$family" '.config.DEST == "far.test" and .metrics.sent_packets == 111 and
			.environment.dst_ip == { "4": "198.18.0.2", "6": "2001:2::2" }[$family] and
			.config["frame-bytes"] == { "4": "64", "6": "84" }[$family]'
	done
	# A profile, too, goes there, by DEST's version.
	start sink b sink --port 16384 --duration 30s
	with_names a blast eg0 far.test -6 --profile voip-g711 -d 200ms -e afxdp --json
	is 0
	json '.metrics.sent_packets > 0'
	json '.config["frame-bytes"] == ""'
	sent=$(jq .metrics.sent_packets <<<"$output")
	finish sink INT
	is 130
	json --argjson sent "$sent" '.metrics.received_packets == $sent'
	start reflect b reflect eg0
	with_names a probe far.test -6 -c 11 --no-loss --json
	is 0
	json '.environment.dst_ip == "2001:2::2" and .metrics.received_packets == 11 and .config["frame-bytes"] == 84'
	# The scope of a link-local address is its interface.
	ip_in a address add fe80::a/64 dev eg0 nodad
	ip_in b address add fe80::b/64 dev eg0 nodad
	for verb in probe ping; do
		tool_in a $verb fe80::b%eg0 -c 3 --no-loss --json
		is 0
		json '.environment | .interface == "eg0" and .dst_ip == "fe80::b"'
	done
}

@test "sink and reflect receive where the route to the given host leads, or where all packets come from" {
	lab_up
	other_link b
	start sink b sink 198.18.0.1 --duration 100ms
	finish sink
	is 0
	json '.environment.interface == "eg0"'
	with_names a sink far.test --duration 100ms --json
	is 0
	json '.environment.interface == "eg0"'
	start reflect b reflect 198.19.0.9 --duration 100ms
	finish reflect
	is 0
	json '.environment.interface == "other0"'
	ip_in b address add fe80::b/64 dev eg0 nodad
	tool_in b sink fe80::a%eg0 -d 100ms --json
	is 0
	json '.environment.interface == "eg0"'
	# Several are up, and none has the default route.
	tool_in b sink -d 100ms
	is 2
	says "INTERFACE is missing: there is no default route, and several interfaces are up"
	ip_in b route add default via 198.19.0.9
	tool_in b sink -d 100ms --json
	is 0
	json '.environment.interface == "other0"'
	ip_in b route del default
	ip_in b -6 route add default via 2001:2::1
	tool_in b sink -d 100ms --json
	is 0
	json '.environment.interface == "eg0"'
}

@test "what is neither an interface nor a host is a usage error that says so" {
	lab_up
	tool_in a probe
	is 2
	says "DEST is missing"
	tool_in a probe eg0
	is 2
	says "DEST is missing: 'eg0' is an interface"
	tool_in a blast eg0
	is 2
	says "DEST is missing: 'eg0' is an interface"
	tool_in a blast 198.18.0.2 --profile voip-g711
	is 2
	says "INTERFACE is missing: '198.18.0.2' is an address"
	tool_in a blast 'ip4(198.18.0.2)/udp' -c 1
	is 2
	says "INTERFACE is missing"
	tool_in a blast 198.18.0.2 -4 -6
	is 2
	tool_in a blast 198.18.0.2 -6 -c 1
	is 2
	says "cannot resolve '198.18.0.2'"
	tool_in a blast 10.9.9.9 -c 1
	is 4
	says "cannot find a route to '10.9.9.9'"
	with_names a blast eg00 -c 1
	is 2
	says "nor is there an interface 'eg00' here"
	for verb in sink reflect watch doctor; do
		tool_in a $verb eg1
		is 2
		says "there is no interface 'eg1' here"
		says "did you mean 'eg0'?"
	done
	tool_in a sink qwertyuiop
	is 2
	says "here are: lo, eg0"
}

@test "blast without --rate is modest where the default route leads" {
	lab_up
	start sink b sink --duration 60s
	ip_in a route add default via 198.18.0.2
	# Of a lab this does not hold.
	tool_in a blast 198.18.0.2 -c 20011 -e afxdp --json
	is 0
	json '[.notes[]? | select(test("Mbit/s"))] == []'
	# From here on, a is not a lab's node.
	mark=$(ip_in a -json link show lo | jq -r '.[0].ifalias')
	defer ip_in a link set lo alias "$mark"
	ip_in a link set lo alias other
	tool_in a blast 198.18.0.2 -d 300ms -e afxdp --json
	is 0
	says "sending at 1 Mbit/s, as 'eg0' carries this host's default route; as fast as possible: --rate max"
	# Of 84 bytes on the wire.
	json '.metrics.sent_packets > 400 and .metrics.sent_packets <= 448'
	json '.notes | any(test("sent at 1 Mbit/s"))'
	for rate in max 10Mbit; do
		tool_in a blast 198.18.0.2 -c 4011 --rate "$rate" -e afxdp --json
		is 0
		json '[.notes[]? | select(test("Mbit/s"))] == []'
	done
	ip_in a route del default
	tool_in a blast eg0 198.18.0.2 -c 20011 -e afxdp --json
	is 0
	json '[.notes[]? | select(test("Mbit/s"))] == []'

	# What a macvlan sends, as a VLAN, or a bridge, leaves through the interface below.
	ip_in a link add link eg0 name upper type macvlan
	ip_in a address add 198.19.0.1/24 dev upper
	ip_in a link set upper up
	ip_in a route add default via 198.19.0.2
	tool_in a blast eg0 198.18.0.2 -d 300ms -e afxdp --json
	is 0
	json '.notes | any(test("sent at 1 Mbit/s"))'
	# The other way round it does not: this one is a port of nothing.
	ip_in a link add spare type veth peer spare1
	ip_in a link set spare up
	ip_in a link set spare1 up
	tool_in a blast spare 198.18.0.2 -c 20011 -e afxdp --src-ip 198.18.0.1 --dst-mac 02:00:00:00:00:09 --json
	is 0
	json '[.notes[]? | select(test("Mbit/s"))] == []'
	ip_in a link add br0 type bridge
	ip_in a link set br0 up
	ip_in a link del upper
	ip_in a link set eg0 master br0
	ip_in a address add 198.19.0.1/24 dev br0
	ip_in a route add default via 198.19.0.2
	tool_in a blast eg0 198.18.0.2 -d 300ms -e afxdp --src-ip 198.18.0.1 --dst-mac 02:e9:00:00:00:0b --json
	is 0
	says "sending at 1 Mbit/s, as 'eg0' carries this host's default route"
	json '.notes | any(test("sent at 1 Mbit/s"))'
}
