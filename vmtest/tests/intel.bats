#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Intel's NICs as QEMU emulates them, two of a kind on one wire: igb, with native XDP and a clock
# (QEMU 8 and later), and e1000e, with generic XDP alone.
# vmtest: device igb -netdev hubport,id=igb0,hubid=2 -device pcie-root-port,id=root0,chassis=1 -device igb,bus=root0,netdev=igb0,mac=52:54:00:00:03:0a
# vmtest: device igb -netdev hubport,id=igb1,hubid=2 -device pcie-root-port,id=root1,chassis=2 -device igb,bus=root1,netdev=igb1,mac=52:54:00:00:03:0b
# vmtest: device e1000e -netdev hubport,id=e1000e0,hubid=3 -device pcie-root-port,id=root2,chassis=3 -device e1000e,bus=root2,netdev=e1000e0,mac=52:54:00:00:04:0a
# vmtest: device e1000e -netdev hubport,id=e1000e1,hubid=3 -device pcie-root-port,id=root3,chassis=4 -device e1000e,bus=root3,netdev=e1000e1,mac=52:54:00:00:04:0b

load ../../tests/lib/common
load ../../tests/lib/lab
load nics

setup() {
	need_root
	need_command jq
}

igb() {
	nics_up 52:54:00:00:03:0a 52:54:00:00:03:0b
}

e1000e() {
	nics_up 52:54:00:00:04:0a 52:54:00:00:04:0b
}

# counted MODE [OPTIONS of blast]: of 1009 packets from a to b each that was sent, by that mode of XDP. An
# emulated NIC's ring may be full for a while, and refuse some. Attaching may restart the
# NIC, and a link takes its time.
counted() {
	start sink b sink eg0 --count 1009 --duration 10s
	wait_for carrier b
	tool_in a blast eg0 198.18.0.2 --count 1009 --rate 1kpps --interval 0 --json --engine afxdp "${@:2}"
	is 0
	json '.metrics.sent_packets + .metrics.not_sent_packets == 1009'
	sent=$(jq .metrics.sent_packets <<<"$output")
	finish sink
	is 0
	json --arg mode "$1" --argjson n "$sent" '.environment.rx_xdp_mode == $mode and
		.metrics.received_packets == $n and .metrics.duplicate_packets == 0'
}

# The driver counts packets when the NIC reports that they are sent. Nothing else sends there.
second_queue_sent() {
	[ "$(in_a ethtool -S eg0 | sed -n 's/^ *tx_queue_1_packets: //p')" -gt 0 ]
}

@test "igb: native XDP counts what AF_XDP sent" {
	igb
	counted native
}

@test "igb: two queues send a stream each, by the driver's own count, and both arrive" {
	need_command ethtool
	igb
	in_a "$TOOL" doctor eg0 --has queues
	counted native --threads 2
	json '.metrics.streams == 2'
	wait_for second_queue_sent
}

@test "igb: doctor reports its clock, and blast that it timestamps no packet of AF_XDP" {
	igb
	in_a "$TOOL" doctor eg0 --has hw-timestamps
	tool_in a blast eg0 198.18.0.2 --count 11 --interval 0 --json --tx-stamp hw
	is 3
	says "--tx-stamp"
}

@test "e1000e: doctor reports that there is no native XDP, and generic XDP counts what was sent" {
	e1000e
	run in_a "$TOOL" doctor eg0 --probe --has xdp-native
	[ "$status" = 1 ] || fail "status $status: $output"
	counted generic
}
