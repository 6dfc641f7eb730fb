#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Two machines with a wire between them: two kernels, two clocks, nothing shared but the wire.
# vmtest: pair

load ../../tests/lib/common
load ../../tests/lib/lab
load nics

MAC_A=52:54:00:00:01:0a MAC_B=52:54:00:00:01:0b

# This machine is a; the other one, without namespaces, is b.
setup() {
	need_root
	need_command jq
	[ -n "${VMTEST_PEER-}" ] || cannot pair "a second machine (vmtest/run --pair)"
	LAB=pair$$
	need_nic "$MAC_A"
	nic_in a "$MAC_A" 198.18.0.1 "$MAC_B" 198.18.0.2
	peer "modprobe virtio_net
		nic=\$(ip -json link | jq -er '.[] | select(.address == \"$MAC_B\") | .ifname')
		sysctl -qw net.ipv6.conf.all.disable_ipv6=1
		ip link set \$nic name eg0 && nic=eg0
		ip addr replace 198.18.0.2/24 dev \$nic && ip link set \$nic up &&
			ip neigh replace 198.18.0.1 lladdr $MAC_A dev \$nic nud permanent"
	is 0
}

# peer_start COMMAND: in the other machine; sets ORDER, which peer_finish asks for.
peer_start() {
	ORDER=$(($(cat "$VMTEST_PEER/orders" 2>/dev/null || echo 0) + 1))
	echo "$ORDER" >"$VMTEST_PEER/orders"
	printf 'export PATH=$PATH:/usr/sbin:/sbin\n%s\n' "$1" >"$VMTEST_PEER/new"
	mv "$VMTEST_PEER/new" "$VMTEST_PEER/$ORDER.run"
}

# peer_finish ORDER: sets status, output and stderr as run does.
peer_finish() {
	local i

	for ((i = 0; i < 200 * TESTS_SLOW; i++)); do
		[ ! -e "$VMTEST_PEER/$1.status" ] || break
		sleep 0.1
	done
	status=$(cat "$VMTEST_PEER/$1.status") || fail "the peer does not end" || return
	output=$(cat "$VMTEST_PEER/$1.out")
	stderr=$(cat "$VMTEST_PEER/$1.err")
}

peer() {
	peer_start "$1"
	peer_finish "$ORDER"
}

peer_says() {
	grep -qsF "$1" "$VMTEST_PEER/$ORDER.err"
}

@test "what one host sent, the other counts, and no more" {
	peer_start "$TOOL sink eg0 --count 3001 --duration 60s --json"
	wait_for peer_says "receiving on"
	tool_in a blast eg0 198.18.0.2 --count 3001 --rate 1kpps --interval 0 --json
	is 0
	json '.metrics.sent_packets == 3001'
	peer_finish "$ORDER"
	is 0
	json '.metrics | .received_packets == 3001 and .distinct_packets == 3001 and .lost_packets == 0 and
		.duplicate_packets == 0 and .reordered_packets == 0 and .foreign_packets == 0'
}

@test "a round trip to another host needs no common clock" {
	peer_start "timeout -s INT 120 $TOOL reflect eg0 --json"
	wait_for peer_says "answering on"
	tool_in a probe eg0 198.18.0.2 --count 503 --rate 500pps --interval 0 --json
	is 0
	json '.metrics | .sent_packets == 503 and .received_packets == 503 and .lost_packets == 0'
	peer "pkill -INT -x ethgauge"
}
