#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# bats file_tags=net
# The ledger where a program of this host forwards by packet sockets: of each packet that it sends
# on, the kernel drops another copy. And where the forwarder damages packets.

load ../lib/common
load ../lib/lab

setup() {
	need_root
	need_command jq /usr/bin/python3
	lab_up --path a-r-b --middle open
}

# forwards [LOSE [COPY [HOLD]]]: by r.
forwards() {
	start_cmd forwarder r ready "$BATS_TEST_DIRNAME/forwarder.py" ega egb "$@"
}

sent() {
	tool_in a blast eg0 "$@" --rate "$(pace 3000)" --interval 0 --json --sink "eg0@$LAB-b"
	is 0
}

# rows_are RECEIVED LOST: the sums of the ledger.
rows_are() {
	json --argjson received "$1" --argjson lost "$2" '.parts[] | select(.name == "ledger") |
		.metrics.overclaimed_packets == 0 and .metrics.made_packets == $received + $lost and
		(.entries[] | select(.reason == "received").packets) == $received and
		([.entries[] | select(.reason != "received").packets] | add) == $lost'
	json --argjson lost "$2" '.metrics.lost_packets == $lost'
}

# bats test_tags=core
@test "a packet whose copy is forwarded is not lost, whatever the kernel does with the other" {
	forwards
	sent 198.18.0.2 -c 1009
	rows_are 1009 0
	json '.parts[] | select(.name == "ledger") | .entries | map(select(.packets > 0)) | length == 1'
	json '.parts[] | select(.name == "witnesses") | .entries | any(.packets > 0 and
		.reason == "received or counted later")'
}

@test "the same at a socket, where the kernel drops damaged copies, too" {
	forwards 0 7
	sent 198.18.0.2 -c 1009 --sink-socket --rcvbuf 4000000
	rows_are 1009 0
	json '.parts[] | select(.name == "ledger") | .entries | map(select(.packets > 0)) | length == 1'
	json '.parts[] | select(.name == "witnesses") | .entries | any(.packets > 0 and
		.reason == "received or counted later")'
}

@test "the same of packets that are not UDP" {
	forwards
	sent 'ip4(dst=198.18.0.2)/tcp(flags=A)' -c 307
	rows_are 307 0
	sent 'ip4(dst=198.18.0.2)/icmp' -c 307
	rows_are 307 0
}

@test "a packet that the forwarder holds for long is not lost, though the kernel has dropped its copy" {
	forwards 0 0 0.7
	sent 198.18.0.2 -c 101
	rows_are 101 0
}

# 4, 11, 18, ..., 1005.
@test "what the forwarder loses is in a row, once" {
	forwards 7
	sent 198.18.0.2 -c 1009
	rows_are 865 144
}

@test "what the kernel drops after the forwarder is in the row of that place" {
	local n

	forwards
	nsenter --net="/run/netns/$LAB-r" tc qdisc add dev egb root tbf rate 1mbit burst 2000 limit 3000
	sent 198.18.0.2 -c 307 -s 1018
	n=$(jq '.metrics.lost_packets' <<<"$output")
	[ "$n" -gt 0 ] || fail "nothing was lost"
	rows_are $((307 - n)) "$n"
	# Unless the other CPU dropped the copy that was not forwarded later still.
	json --argjson n "$n" '.parts[] | select(.name == "ledger") | .entries |
		map(select(.packets > 0 and .reason != "received")) |
		all(.[]; .where | test("-r:eg[ab]$")) and any(.[]; .where | endswith("-r:egb")) and
		(map(.packets) | add) == $n'
}

# witness PACKETS REASON
witness() {
	json --argjson n "$1" --arg reason "$2" '.parts[] | select(.name == "witnesses") | .entries |
		any(.packets == $n and .reason == $reason)'
}

@test "packets of which a damaged copy arrives, too, are not lost: no row claims them" {
	forwards 0 7
	# Without a UDP checksum, only the tag shows it.
	sent 'ip4(dst=198.18.0.2)/udp(dport=9,sum=0)' -c 1009
	rows_are 1009 0
	json '.metrics.untagged_packets == 144'
	witness 144 "arrived with a damaged tag"
}

# damaged_at_socket DAMAGED RULES...: packets that r damages, and b's kernel drops before a socket.
damaged_at_socket() {
	start impair r impair ega egb -i 0s -d 60s --direction a-to-b --match udp "${@:2}"
	sent 198.18.0.2 -c 1009 --sink-socket --rcvbuf 4000000
	rows_are $((1009 - $1)) "$1"
	json '.parts[] | select(.name == "ledger") | .metrics.unattributed_packets == 0'
}

@test "a damaged packet that the kernel drops is in the row of that place, whichever bit is damaged" {
	need_reason IP_CSUM
	# IPv4 header, UDP header and tag.
	damaged_at_socket 504 --corrupt every=2:1@14
	json '.parts[] | select(.name == "ledger") | .entries | any(.packets > 100 and .reason == "UDP_CSUM") and
		any(.packets > 100 and .reason == "IP_CSUM")'
}

@test "two damaged copies that the kernel drops are one loss: the ledger claims it once" {
	need_reason UDP_CSUM
	damaged_at_socket 144 --corrupt every=7:1@42 --duplicate every=7
	json '[.parts[] | select(.name == "witnesses") | .entries[] | select(.source == "kfree_skb").packets] |
		add == 144'
}
