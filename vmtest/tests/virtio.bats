#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Two virtio NICs on one wire: the driver's own XDP and AF_XDP, which no veth stands in for.
# vmtest: device virtio-net-pci -netdev hubport,id=virtio0,hubid=1 -device virtio-net-pci,netdev=virtio0,mac=52:54:00:00:02:0a,iommu_platform=on,disable-legacy=on
# vmtest: device virtio-net-pci -netdev hubport,id=virtio1,hubid=1 -device virtio-net-pci,netdev=virtio1,mac=52:54:00:00:02:0b,iommu_platform=on,disable-legacy=on

load ../../tests/lib/common
load ../../tests/lib/lab
load nics

setup() {
	need_root
	need_command jq
	nics_up 52:54:00:00:02:0a 52:54:00:00:02:0b
}

# counted [OPTIONS of blast]: 2003 packets from a to b, each of them; the sink's document is in output.
# The driver's own counter is not asked: what goes by zero-copy is not in it (7.2).
counted() {
	start sink b sink eg0 --count 2003 --duration 10s
	tool_in a blast eg0 198.18.0.2 --count 2003 --rate 2kpps --interval 0 --json "$@"
	is 0
	json '.metrics.sent_packets == 2003'
	sent=$output
	finish sink
	is 0
	json '.metrics | .received_packets == 2003 and .lost_packets == 0 and .duplicate_packets == 0'
}

@test "AF_XDP sends and native XDP receives, and the counts are equal" {
	counted --engine afxdp
	json '.environment.rx_xdp_mode == "native"'
}

@test "where the driver has zero-copy it is used, and the counts are equal" {
	in_a "$TOOL" doctor eg0 --has af-xdp-zerocopy ||
		cannot virtio-zero-copy "zero-copy of virtio_net"
	counted --engine afxdp --zero-copy
	holds '.environment.af_xdp_mode == "zero-copy"' <<<"$sent" || fail "$sent"
}

@test "without an engine named, what is sent arrives, and the NIC still works after it" {
	counted
	counted
	in_a ping -c 1 -W 5 198.18.0.2
}

@test "a round trip goes through both drivers" {
	start reflect b reflect eg0
	tool_in a probe eg0 198.18.0.2 --count 503 --rate 500pps --interval 0 --json
	is 0
	json '.metrics | .sent_packets == 503 and .received_packets == 503 and .lost_packets == 0 and .rtt_min_ns > 0'
	finish reflect INT
}
