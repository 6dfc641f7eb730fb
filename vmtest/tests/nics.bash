# SPDX-License-Identifier: GPL-2.0-or-later
# NICs that vmtest/run gave the machine, as the ends of a lab. Load it after lab.

# need_nic MAC...: nothing loads drivers by itself there. The NIC of an earlier test comes back
# when its namespace has ended.
need_nic() {
	local mac

	[ -n "${VMTEST-}" ] || cannot vmtest "a machine of vmtest/run" || return
	modprobe -qa virtio_net igb e1000e || :
	for mac; do
		TESTS_SLOW=1 wait_for nic_of "$mac" >/dev/null 2>&1 ||
			cannot "nic-${mac//:/}" "the NIC $mac, which this QEMU or kernel has not" || return
	done
}

# nic_of MAC: its name, if it is not in another namespace.
nic_of() {
	ip -json link | jq -er --arg mac "$1" '.[] | select(.address == $mac) | .ifname'
}

# nic_in NODE MAC ADDRESS PEER-MAC PEER-ADDRESS: as eg0, in a namespace of its own.
nic_in() {
	defer ip netns del "$LAB-$1"
	ip netns add "$LAB-$1"
	ip link set "$(nic_of "$2")" netns "$LAB-$1" name eg0
	nsenter --net="/run/netns/$LAB-$1" sysctl -qw net.ipv6.conf.all.disable_ipv6=1
	ip_in "$1" addr add "$3/24" dev eg0
	ip_in "$1" link set eg0 up
	ip_in "$1" neigh replace "$5" lladdr "$4" dev eg0 nud permanent
	wait_for carrier "$1"
}

carrier() {
	[ "$(ip_in "$1" -json link show eg0 | jq -r '.[0].operstate')" = UP ]
}

# nics_up MAC-A MAC-B: eg0 in a and in b, joined outside of the machine.
nics_up() {
	LAB=$(basename "$BATS_TEST_FILENAME" .bats)$$
	need_nic "$1" "$2"
	nic_in a "$1" 198.18.0.1 "$2" 198.18.0.2
	nic_in b "$2" 198.18.0.2 "$1" 198.18.0.1
}
