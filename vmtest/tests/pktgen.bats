#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The kernel's own packet generator as a peer: sink counts just what pktgen says it sent.

load ../../tests/lib/common
load ../../tests/lib/lab

setup() {
	need_root
	need_command jq
	modprobe -q pktgen || cannot pktgen "pktgen in the kernel"
	lab_up
	wait_for in_a test -e /proc/net/pktgen/kpktgend_0
}

# pktgen FILE WORD...: one order; each network namespace has files of its own.
pktgen() {
	# shellcheck disable=SC2016
	in_a sh -c 'echo "$2" >"/proc/net/pktgen/$1"' sh "$1" "${*:2}"
}

# sent COUNT WORDS...: more pktgen options; sets by_pktgen, its own count.
sent() {
	local order

	pktgen kpktgend_0 rem_device_all
	pktgen kpktgend_0 add_device eg0
	for order in "count $1" "pkt_size 60" "dst 198.18.0.2" "udp_dst_min 9" "udp_dst_max 9" \
		"dst_mac $(ip_in b -json link show eg0 | jq -r '.[0].address')" "${@:2}"; do
		pktgen eg0 "$order"
	done
	pktgen pgctrl start
	in_a cat /proc/net/pktgen/eg0 >"$BATS_TEST_TMPDIR/pktgen"
	grep -q 'errors: 0' "$BATS_TEST_TMPDIR/pktgen" || fail "$(<"$BATS_TEST_TMPDIR/pktgen")"
	by_pktgen=$(sed -n 's/.*pkts-sofar: *\([0-9]*\).*/\1/p' "$BATS_TEST_TMPDIR/pktgen")
}

@test "sink counts just what pktgen sent, and that it has no tag" {
	start sink b sink eg0 --count 10007 --duration 10s
	sent 10007 "delay 20000"
	finish sink
	is 0
	[ "$by_pktgen" = 10007 ]
	json '.metrics | .received_packets == 10007 and .received_bytes == 10007 * 64 and
		.untagged_packets == 10007'
}

@test "packets to another port are foreign, each of them" {
	start sink b sink eg0
	sent 5003 "udp_dst_min 10" "udp_dst_max 10" "delay 20000"
	finish sink INT
	[ "$by_pktgen" = 5003 ]
	json '.metrics | .received_packets == 0 and .foreign_packets == 5003'
}
