#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# bats file_tags=net
# watch --filter on a wire: only the packets that the expression takes are
# counted, at every hook, and every packet still arrives. What the code of an
# expression does with each packet is tests/bpf/test_filter.c's.

load ../lib/common
load ../lib/lab

setup() {
	need_root
	need_command jq /usr/bin/python3
	lab_up
}

# watch NODE OPTIONS...: beside the test, as NAME watch; ready when it says so.
watch() {
	start_cmd watch "$1" "watching 'eg0'" "$TOOL" watch eg0 --interval 0 --no-cost --json "${@:2}"
}

end_watch() {
	finish watch INT
	is 130
}

# side rx|tx FILTER: holds on that part of the document.
side() {
	json --arg part "eg0 $1" ".parts[] | select(.name == \$part) | $2"
}

# bats test_tags=core
@test "only what the expression takes is counted, in figures and flows, at every hook" {
	local hook

	for hook in tc clsact xdp; do
		watch b --hooks "$hook" --flows --filter 'udp port 1009 or udp port 1013'
		for port in 1009 1013 1019; do
			in_a "$TOOL" blast eg0 198.18.0.2 --port "$port" --count "$port" \
				--rate "$(pace 50000)" -q >/dev/null
		done
		end_watch
		side rx '.metrics | .seen_packets == 1009 + 1013 and .seen_bytes == (1009 + 1013) * 64'
		side rx '.metrics | .not_taken_buffers == 1019 and .driver_rx_packets == 1009 + 1013 + 1019'
		side flows '.metrics | .seen_packets == 1009 + 1013 and .flow_missing_packets == 0'
		side flows '[.entries[].rx_packets] | sort == [1009, 1013]'
	done
}

# The stack takes the tag out of the frame before tc.
@test "a VLAN tag matches in the frame and in the metadata" {
	local hook

	ip_in b link set eg0 up
	in_a ethtool -K eg0 txvlan off >/dev/null
	for hook in tc xdp; do
		watch b --hooks "$hook" --filter 'vlan 7 and udp port 1009'
		in_a "$TOOL" blast eg0 198.18.0.2 --vlan 7 --port 1009 --count 101 -q >/dev/null
		in_a "$TOOL" blast eg0 198.18.0.2 --vlan 8 --port 1009 --count 103 -q >/dev/null
		in_a "$TOOL" blast eg0 198.18.0.2 --port 1009 --count 107 -q >/dev/null
		end_watch
		side rx '.metrics | .seen_packets == 101 and .seen_tagged_packets == 101 and
			.not_taken_buffers == 103 + 107'
	done
}

@test "bytes that are not in the linear part of a packet are found" {
	start_cmd serve b ready /usr/bin/python3 -c '
import socket, sys
server = socket.create_server(("198.18.0.2", 1009))
print("ready", file=sys.stderr, flush=True)
peer = server.accept()[0]
while peer.recv(65536):
    pass
'
	watch a --filter 'tcp[((tcp[12] & 0xf0) >> 2) + 700:4] = 0x67617567'
	in_a /usr/bin/python3 -c '
import fcntl, socket, struct, termios
peer = socket.create_connection(("198.18.0.2", 1009))
peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
for i in range(13):
    peer.sendall(b"." * 700 + (b"gaug" if i < 7 else b"....") + b"." * 300)
    # Each a packet of its own: the one before has been acknowledged.
    while struct.unpack("=I", fcntl.ioctl(peer, termios.TIOCOUTQ, bytes(4)))[0]:
        pass
'
	finish serve
	end_watch
	side tx '.metrics.seen_packets == 7'
}

@test "a bad expression is a usage error in libpcap's words, before anything is attached" {
	tool_in b watch eg0 --filter 'udp prot 7'
	is 2
	says "'udp prot 7' is not a filter expression"
	says "syntax error"
	tool_in b watch eg0 --filter inbound
	is 2
	says "more than a frame's bytes"
	tool_in b watch --replay x --filter udp
	is 2
}
