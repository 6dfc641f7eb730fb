#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# calc: words in, figures out. The formulas themselves are tests/unit/test_theory.c's.

load ../lib/common

calc() {
	run --separate-stderr "$TOOL" calc "$@" --json
	[ "$status" = 0 ] || fail "exit $status"$'\n'"$stderr"
}

@test "calc without words is for 10 Gbit/s and 1500 bytes" {
	calc
	json '.metrics.theory_link_bps == 10e9 and (.metrics.theory_smallest_pps | floor) == 14880952'
	json '.metrics.theory_tcp_goodput_ratio * 1538 - 1448 | fabs < 1e-6'
	json '.metrics | .theory_tcp_duplex_bps - 2 * .theory_tcp_goodput_bps | fabs < 1'
	json '.metrics | .theory_udp_duplex_bps - 2 * .theory_udp_goodput_bps | fabs < 1'
	json '.metrics | has("theory_bdp_bytes") | not'
	json '.errors == null and (.parts | length) == 5'
}

@test "calc reports windows and buffers for a round-trip time" {
	calc 1G --rtt 25ms --window 65536 --parallel 4
	json '.metrics | .theory_bdp_bytes == 3125000 and .theory_window_scale == 6 and
		.theory_socket_buffer_bytes == 6250000 and .theory_queue_bytes == 1562500 and
		(.theory_window_bps - 20971520 | fabs) < 0.01'
}

@test "no window carries more than the TCP goodput of the link" {
	# The goodput, 941.5 Mbit/s, x 25 ms is 2.942 MB.
	calc 1G --rtt 25ms --window 2900000
	json '.metrics | .theory_window_bps - 928e6 | fabs < 1'
	calc 1G --rtt 25ms --window 4000000
	json '.metrics | .theory_window_bps == .theory_tcp_goodput_bps and
		(.theory_window_bps - 1e9 * 1448 / 1538 | fabs) < 1'
	json '.parts[5].entries | last | .carried_ratio * 1538 - 1448 | fabs < 1e-6'
	calc 1G --rtt 25ms --window 1000000000 --ip 6 --tcp-options 0 --duplex half
	json '.metrics.theory_window_bps - 1e9 * 2880 / (2 * 1538 + 98) | fabs < 1'
	calc 1G --rtt 25ms --window 1000000000 --ip 6 --mtu 1279
	json '.metrics.theory_window_bps == null'
}

@test "a half-duplex link carries once what a full-duplex one carries in each direction" {
	calc 10M --duplex half
	json '.metrics | .theory_udp_goodput_bps - 10e6 * 1472 / 1538 | fabs < 1e-3'
	json '.metrics | .theory_udp_duplex_bps == .theory_udp_goodput_bps'
	# One acknowledgement, 90 bytes on the wire, for two segments; with data both ways none by itself.
	json '.metrics | .theory_tcp_goodput_bps - 10e6 * 2896 / 3166 | fabs < 1e-3'
	json '.metrics | .theory_tcp_duplex_bps - 10e6 * 1448 / 1538 | fabs < 1e-3'
	json '.metrics | .theory_udp_rr_per_s - 10e6 / 8 / 168 | fabs < 1e-6'
	json '.metrics | .theory_smallest_pps - 10e6 / 8 / 84 | fabs < 1e-6'
}

@test "calc shows the MTU asked for in its place, and what has no room as null" {
	calc 10G --mtu 1400
	json '[.parts[2].entries[].mtu] | . == sort and index(1400) != null and index(1400) < index(1500)'
	json '.parts[2].entries[] | select(.mtu == 256) | .tcp_ip6_ratio == null and .tcp_ip4_ratio > 0.6'
	json '.parts[3].entries[] | select(.tunnel == "vxlan") | .inner_mtu == 1350'
	calc 10G --mtu 9216
	json '.parts[2].entries | last.mtu == 9216'
	json '.parts[0].entries | last.frame_bytes == 9234'
}

@test "tags, tunnel and IP version bear on the summary" {
	calc 10G --vlan-tags 2 --tunnel wireguard --outer 6 --ip 6 --tcp-options 0
	json '.metrics.theory_tcp_goodput_ratio - (1500 - 80 - 60) / 1546 | fabs < 1e-9'
	json '.metrics.theory_smallest_pps - 10e9 / 8 / 92 | fabs < 1e-3'
}

@test "transactions that no datagram holds are null and said so" {
	calc 10G --request-bytes 70000
	json '.metrics.theory_udp_rr_per_s == null and .metrics.theory_tcp_rr_per_s > 0'
	json '.parts[4].notes[0] | startswith("udp rr: this message does not fit")'
}

@test "what is no link, or has no meaning, is a usage error" {
	local words

	while read -ra words; do
		run --separate-stderr "$TOOL" calc "${words[@]}"
		[ "$status" = 2 ] || fail "${words[*]}: $status"
		[ -z "$output" ]
	done <<-'END'
		10Mpps
		10
		max
		50%
		0G
		10G --mtu 67
		10G --mtu 65536
		10G --window 65536
		10G --parallel 4
		10G --outer 6
		10G --vlan-tags 3
		10G --rtt 25parsecs
		10G --duplex both
		10G 20G
	END
}

@test "the table of docs/theory.md is what calc prints" {
	need_command jq
	diff <(sed -n '/<!-- scripts.gen-theory -->/,/<!-- end -->/{/<!--/d;p}' "$TOP/docs/theory.md") \
		<("$TOP/scripts/gen-theory" "$TOOL")
}
