#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Two virtio NICs with several queues, which QEMU gives them on taps alone: without root it takes
# user namespaces and a /dev/net/tun that all may open.
# vmtest: tap mq0 52:54:00:00:05:0a
# vmtest: tap mq1 52:54:00:00:05:0b

load ../../tests/lib/common
load ../../tests/lib/lab
load nics

setup() {
	need_root
	need_command jq ethtool
	[ -z "${VMTEST-}" ] || [ -n "${VMTEST_TAPS-}" ] ||
		cannot tap "a host where one may make a tap in a network namespace"
	nics_up 52:54:00:00:05:0a 52:54:00:00:05:0b
}

# kicks QUEUE: how often the driver notified the host of packets in it. Of packets by queue newer
# drivers tell ethtool nothing.
kicks() {
	in_a ethtool -S eg0 | sed -En "s/^ *tx(_queue_)?$1_kicks: //p"
}

@test "two threads send by a queue each of virtio_net, and native XDP on all queues counts both streams" {
	in_a "$TOOL" doctor eg0 --has queues
	start sink b sink eg0 --count 2003 --duration 10s
	before=("$(kicks 0)" "$(kicks 1)")
	tool_in a blast eg0 198.18.0.2 --count 2003 --rate 1kpps --interval 0 --json --engine afxdp --threads 2
	is 0
	json '.metrics.sent_packets == 2003'
	after=("$(kicks 0)" "$(kicks 1)")
	[[ ${after[0]} -gt ${before[0]} && ${after[1]} -gt ${before[1]} ]] ||
		fail "kicks of the two queues: ${before[*]} before, ${after[*]} after"
	finish sink
	is 0
	json '.environment.rx_xdp_mode == "native" and .environment.rx_queues == 2 and
		(.metrics | .streams == 2 and .received_packets == 2003 and .lost_packets == 0 and .duplicate_packets == 0)'
}

@test "packets that the host merges are said before generic XDP is attached, and not where they are not" {
	in_b ethtool -k eg0 | grep -q "^rx-gro-hw: on" || cannot gro-hw "a virtio NIC whose host merges packets"
	start sink b sink eg0 --xdp-mode generic --count 101 --duration 10s
	grep -qF "'eg0' merges packets (rx-gro-hw), which generic XDP disables" "$BATS_TEST_TMPDIR/sink.err"
	tool_in a blast eg0 198.18.0.2 --count 101 --rate 1kpps --engine afxdp
	is 0
	finish sink
	is 0
	json '.environment.rx_xdp_mode == "generic" and .metrics.received_packets == 101 and .metrics.lost_packets == 0'
	in_b ethtool -K eg0 rx-gro-hw off
	tool_in b sink eg0 --xdp-mode generic --duration 100ms
	[[ $stderr != *rx-gro-hw* ]]
}
