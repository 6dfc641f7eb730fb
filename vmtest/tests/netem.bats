#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What the kernel's netem does to a stream, and what its qdisc counts, held against what blast
# and sink say of it. The host's kernel seldom has netem, Debian's all do.

load ../../tests/lib/common
load ../../tests/lib/lab

setup() {
	need_root
	need_command jq tc
	need af-xdp
	lab_up --path a-r-b --middle bridge
}

in_r() {
	timeout 30 nsenter --net="/run/netns/$LAB-r" "$@"
}

# netem WHAT...: on the way from the bridge to b, on which there is nothing but the stream.
netem() {
	in_r tc qdisc add dev egb root netem limit 100000 "$@" 2>&3 ||
		cannot netem "netem in the kernel"
}

# qdisc KEY: of netem's own statistics.
qdisc() {
	in_r tc -statistics -json qdisc show dev egb | jq ".[] | select(.kind == \"netem\") | .$1"
}

# sent COUNT RATE: from a to b; no ARP disturbs the counts.
sent() {
	tool_in a blast eg0 198.18.0.2 --count "$1" --rate "$2" --interval 0 --json \
		--dst-mac "$(ip_in b -json link show eg0 | jq -r '.[0].address')" --sink "eg0@$LAB-b"
	is 0
	json --argjson n "$1" '.metrics.sent_packets == $n'
}

@test "a delay of netem's is the delay that is measured" {
	netem delay 50ms
	sent 211 200pps
	json '.metrics | .lost_packets == 0 and .delay_packets == 211 and
		.delay_min_ns > 49990000 and .delay_min_ns < 60000000'
	json '.metrics.delay_p50_ns >= .metrics.delay_min_ns and .metrics.delay_p50_ns < 100000000'
	in_r tc qdisc del dev egb root
	netem delay 150ms
	sent 211 200pps
	json '.metrics | .delay_min_ns > 149990000 and .delay_min_ns < 160000000'
}

@test "what netem loses is lost, packet for packet" {
	netem loss 7%
	sent 2003 1kpps
	drops=$(qdisc drops)
	[ "$drops" -gt 0 ]
	json --argjson n "$drops" '.metrics | .lost_packets == $n and .received_packets == 2003 - $n and
		.distinct_packets == 2003 - $n and .duplicate_packets == 0 and .reordered_packets == 0'
	json '.parts[] | select(.name == "ledger") | .metrics.overclaimed_packets == 0'
}

@test "what netem sends twice is a duplicate, packet for packet" {
	netem duplicate 5%
	sent 2003 1kpps
	twice=$(($(qdisc packets) - 2003))
	[ "$twice" -gt 0 ]
	json --argjson n "$twice" '.metrics | .duplicate_packets == $n and .lost_packets == 0 and
		.received_packets == 2003 + $n and .distinct_packets == 2003 and .reordered_packets == 0'
}

@test "what netem lets pass others makes these late, packet for packet" {
	# Each seventh of 701 goes at once: all others but the last follow a later one.
	netem delay 400ms reorder 100% gap 7
	sent 701 200pps
	[ "$(qdisc requeues)" = 100 ]
	json '.metrics | .reordered_packets == 600 and .lost_packets == 0 and .duplicate_packets == 0 and
		.distinct_packets == 701'
}
