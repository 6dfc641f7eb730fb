#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# bats file_tags=net
# rr in a against reflect in b, or a socket that returns what comes: both ends count.

load ../lib/common
load ../lib/lab

setup() {
	need_root
	need_command jq /usr/bin/python3
	need af-xdp
}

# transactions COUNT DEST OPTIONS...: to a reflector in b, all answered.
transactions() {
	local count=$1

	start reflect b reflect eg0
	tool_in a rr "$2" -c "$count" --no-loss --json "${@:3}"
	is 0
	json --argjson n "$count" '.metrics | .sent_packets == $n and .received_packets == $n and
		.distinct_packets == $n and .rtt_packets == $n and .lost_packets == 0 and
		.duplicate_packets == 0 and .reordered_packets == 0 and .given_up_packets == 0 and
		.received_bytes == .sent_bytes and .transactions_per_s > 0 and
		.rtt_min_ns > 0 and .rtt_min_ns <= .rtt_p50_ns and .rtt_p50_ns <= .rtt_max_ns'
	varies
	finish reflect INT
	json --argjson n "$count" '.metrics.answered_udp_packets == $n'
}

# bats test_tags=core
@test "afxdp: each request is answered once, with any size, family, VLAN and number outstanding" {
	lab_up
	transactions 1009 198.18.0.2
	transactions 1009 198.18.0.2 --outstanding 31 --frame-bytes 1518
	transactions 503 2001:2::2 --outstanding 3
	transactions 503 198.18.0.2 --vlan 101 --busy-poll
	transactions 211 198.18.0.2 --rate 5kpps
}

# bats test_tags=core
@test "bounce: exactly the requested transactions, by both ends' count, and nothing circulates afterwards" {
	lab_up
	transactions 100003 198.18.0.2 --engine bounce
	transactions 10007 198.18.0.2 --engine bounce --outstanding 8 --frame-bytes 512
	transactions 10007 2001:2::2 --engine bounce --outstanding 3
	before=$(counter a rx_packets)
	start reflect b reflect eg0 --source-rate max
	tool_in a rr 198.18.0.2 -d 200ms --engine bounce --outstanding 2 --json
	is 0
	sent=$(jq .metrics.sent_packets <<<"$output")
	json '.metrics | .lost_packets == 0 and .sent_packets > 2'
	hook_is_free a
	finish reflect INT
	json --argjson n "$sent" '.metrics.answered_udp_packets == $n'
	[ $(($(counter a rx_packets) - before)) -ge "$sent" ]
}

@test "bounce: a reflector that limits its sources is named when requests are given up" {
	lab_up
	start reflect b reflect eg0 --source-rate 1kpps
	tool_in a rr 198.18.0.2 -c 1009 --engine bounce --outstanding 2 --wait 100ms --json
	is 0
	json '.metrics.given_up_packets > 0 and .metrics.lost_packets > 0'
	json '[.notes[] | select(test("above the reflector.s --source-rate"))] | length == 1'
	finish reflect INT
	json '.metrics.refused_limited_packets > 0'
}

@test "bounce: one in N is timed, and all are counted" {
	lab_up
	start reflect b reflect eg0
	# Of each of three tokens 3337 or 3336; numbers 0, 97, ... 3298 of each are timed.
	tool_in a rr 198.18.0.2 -c 10009 --engine bounce --outstanding 3 --stamp-every 97 --no-loss --json
	is 0
	json '.metrics | .sent_packets == 10009 and .received_packets == 10009 and
		.distinct_packets == 10009 and .rtt_packets == 105 and .received_bytes == .sent_bytes'
	finish reflect INT
	json '.metrics.answered_udp_packets == 10009'
}

@test "bounce: an echo of the kernel's driver is a transaction too" {
	lab_up
	start reflect b reflect eg0
	tool_in a ping 198.18.0.2 -c 10007 --engine bounce --no-loss --json
	is 0
	json '.metrics.rtt_packets == 10007 and .environment.tx_stamp == "bpf"'
	tool_in a ping 2001:2::2 -c 10007 --engine bounce --outstanding 5 --no-loss --json
	is 0
	finish reflect INT
	json '.metrics.answered_icmp_packets == 20014'
}

rests() {
	local before

	before=$(counter a tx_packets)
	sleep 0.1
	[ "$(counter a tx_packets)" = "$before" ]
}

@test "bounce ends with ^C and with kill -9: the program goes, and the packet dies" {
	lab_up
	start reflect b reflect eg0 --source-rate max
	start_cmd rr a "sending requests" "$TOOL" rr 198.18.0.2 -d 0 --engine bounce --outstanding 4 --json
	finish rr INT
	is 130
	json '.metrics | .lost_packets == 0 and .sent_packets > 0'
	hook_is_free a
	start_cmd rr a "sending requests" "$TOOL" rr 198.18.0.2 -d 0 --engine bounce --outstanding 4 --json
	finish rr KILL
	wait_for hook_is_free a
	wait_for rests
}

@test "bounce: a loss is given up, the token goes on to the count, and an inserted delay is reported" {
	lab_up --path a-r-b --middle open
	need_ready_peer
	start bump r impair ega egb --match udp --loss every=53 --delay 2ms --direction a-to-b \
		-d 20s
	start reflect b reflect eg0
	# Packets 53, 106; then 159 and 212. Each loss takes the wait.
	tool_in a rr 198.18.0.2 -c 107 --engine bounce --outstanding 2 --wait 500ms --json
	is 0
	json '.metrics | .sent_packets == 107 and .lost_packets == 2 and .given_up_packets == 2 and
		.distinct_packets == 105 and .rtt_packets == 105 and .rtt_min_ns >= 2000000'
	# Not each is timed: what is under way is known by its token making nothing.
	tool_in a rr 198.18.0.2 -c 107 --engine bounce --outstanding 2 --wait 500ms --stamp-every 10 --json
	is 0
	json '.metrics | .sent_packets == 107 and .lost_packets == .given_up_packets and
		.lost_packets == 2 and .rtt_packets >= 8 and .rtt_min_ns >= 2000000'
	finish bump INT
	finish reflect INT
}

# The far end's forwarder and the tool get no CPU for longer than the wait, and the tool runs first.
@test "bounce: time for which the tool itself stood still is no time without an answer" {
	lab_up --path a-r-b --middle open
	need_ready_peer
	start bump r impair ega egb --match udp --delay 20ms --direction a-to-b -d 20s
	start reflect b reflect eg0
	start_cmd rr a "sending requests" "$TOOL" rr 198.18.0.2 -d 2s --engine bounce --wait 500ms --json
	sleep 0.3
	kill -STOP "${PIDS[bump]}" "${PIDS[rr]}"
	sleep 0.8
	kill -CONT "${PIDS[rr]}"
	sleep 0.1
	kill -CONT "${PIDS[bump]}"
	finish rr
	is 0
	json '.metrics | .lost_packets == 0 and .duplicate_packets == 0 and .rtt_max_ns >= 700e6'
	finish bump INT
	finish reflect INT
}

# Answers come on the CPU of impair's thread, requests begin on that of the tool's.
@test "bounce: a single request at a time goes on to the count and the end" {
	lab_up --path a-r-b --middle open
	need_ready_peer
	start bump r impair ega egb --match udp --delay 20us --direction a-to-b -d 60s
	start reflect b reflect eg0 --source-rate max
	tool_in a rr 198.18.0.2 -c 5003 --engine bounce --json
	is 0
	json '.metrics | .sent_packets == 5003 and .lost_packets == 0'
	tool_in a rr 198.18.0.2 -d 3s --engine bounce --json
	is 0
	json '.metrics | .duration_ns > 2900e6 and .lost_packets == 0'
	finish bump INT
	finish reflect INT
}

# Of 101 requests the 53rd is answered twice at once, and the last a second time 0.3 s later. A default buffer holds
# some 50 frames of a page each, which is 50 ms without a CPU.
COPIES='import itertools, socket, sys, time
SO_RCVBUFFORCE = 33
sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
sock.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 22)
sock.bind(("", 7))
print("ready", file=sys.stderr, flush=True)
for n in itertools.count(1):
    data, peer = sock.recvfrom(9000)
    sock.sendto(data, peer)
    if n % 101 == 0:
        time.sleep(0.3)
    if n % 101 in (0, 53):
        sock.sendto(data, peer)'

@test "copies that come late are counted, by rr and probe" {
	lab_up
	make_ready b
	start_cmd copies b ready /usr/bin/python3 -c "$COPIES"
	for verb in "rr 198.18.0.2 --engine afxdp" "rr 198.18.0.2 --engine stack" "rr 198.18.0.2 --engine bounce" \
		"probe eg0 198.18.0.2 -r 1kpps"; do
		# shellcheck disable=SC2086
		tool_in a $verb -c 101 --json
		is 0
		json '.metrics | .distinct_packets == 101 and .lost_packets == 0 and .duplicate_packets == 2 and
			.received_packets == 103'
	done
}

# damaged COUNT: this many of 1009 answers are damaged. They are in no other figure than received.
damaged() {
	is 1
	json --argjson n "$1" '.metrics | .sent_packets == 1009 and .received_packets == 1009 and
		.received_bytes == .sent_bytes and .bad_checksum_packets == $n and
		.distinct_packets == 1009 - $n and .rtt_packets == 1009 - $n and .lost_packets == $n and
		.given_up_packets == $n and .duplicate_packets == 0 and .bad_payload_packets == null and
		.unverified_packets == null'
	json --argjson n "$1" '.environment.rx_checksums == "IPv4 header, L4" and .verdicts == [{
		"pass": false, "what": "\($n) of 1009 packets arrived with a wrong checksum" }]'
}

@test "a damaged answer is no answer: it is counted apart, and fails the run" {
	lab_up --path a-r-b --middle open
	need_ready_peer
	start reflect b reflect eg0
	# One bit from the payload on, tag included; or the checksum.
	for damage in --corrupt=every=19:1@42 --checksum=every=19; do
		start bump r impair ega egb --match udp "$damage" --direction b-to-a -d 30s
		for engine in afxdp bounce; do
			tool_in a rr 198.18.0.2 -c 1009 --engine "$engine" --outstanding 53 --wait 300ms \
				--frame-bytes 1000 --json
			damaged 53
		done
		# The stack drops them.
		tool_in a rr 198.18.0.2 -c 1009 --engine stack --outstanding 53 --wait 300ms --frame-bytes 1000 --json
		is 0
		json '.metrics | .sent_packets == 1009 and .received_packets == 956 and .lost_packets == 53 and
			.bad_checksum_packets == null'
		finish bump INT
	done
	finish reflect INT
}

ECHO='import socket, sys
s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
s.bind(("::", 7))
print("ready", file=sys.stderr, flush=True)
while True:
    s.sendto(*s.recvfrom(9000))'

@test "a plain socket that echoes is a far end too, and the stack's way is the same loop" {
	lab_up
	start_cmd echo b ready /usr/bin/python3 -c "$ECHO"
	for engine in afxdp stack; do
		tool_in a rr 198.18.0.2 -c 503 --engine "$engine" --outstanding 3 --no-loss --json
		is 0
		json '.metrics | .distinct_packets == 503 and .lost_packets == 0'
	done
	tool_in a rr 2001:2::2 -c 211 --against-stack --no-loss --json
	is 0
	json '[.parts[].metrics.rtt_packets] == [215, 215]'
}

# Of the answers 1 to 547, 42 have another last byte, and 5 lack it.
ALTER='import itertools, socket, sys
s = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
s.setsockopt(socket.SOL_SOCKET, 33, 8 << 20)	# SO_RCVBUFFORCE: by default it holds 50 packets of AF_XDP
s.bind(("::", 7))
print("ready", file=sys.stderr, flush=True)
for n in itertools.count(1):
    data, peer = s.recvfrom(9000)
    data = data[:-1] if n % 101 == 0 else data[:-1] + bytes([data[-1] ^ (n % 13 == 0)])
    s.sendto(data, peer)'

@test "an answer with another payload than its request is no answer, whatever its checksum" {
	lab_up
	# The sending stack leaves the checksum to its NIC: that is no damage.
	in_b ethtool -K eg0 tx-checksum-ip-generic on
	for dest in 198.18.0.2 2001:2::2; do
		for engine in afxdp stack; do
			start_cmd alter b ready /usr/bin/python3 -c "$ALTER"
			tool_in a rr "$dest" -c 547 --engine "$engine" --outstanding 53 --wait 300ms \
				--frame-bytes 777 --json
			is 1
			json '.metrics | .sent_packets == 547 and .received_packets == 547 and
				.bad_payload_packets == 47 and .bad_checksum_packets == null and
				.distinct_packets == 500 and .lost_packets == 47 and .rtt_packets == 500'
			json '.verdicts == [{ "pass": false,
				"what": "47 of 547 packets arrived with a wrong payload" }]'
			[ "$engine" = stack ] || json '.metrics.unverified_packets == 500 and
				any(.notes[]; contains("left it to the NIC"))'
			kill "${PIDS[alter]}"
			finish alter
		done
	done
}

@test "a busy hook is reported with its holder, and nothing is left" {
	lab_up
	start reflect a reflect eg0
	tool_in a rr 198.18.0.2 -c 3
	is 3
	says "held by program 'reflect_xdp'"
	finish reflect INT
	hook_is_free a
}

@test "an interface that vanishes ends it, with what was counted" {
	lab_up
	start reflect b reflect eg0
	start_cmd rr a "sending requests" "$TOOL" rr 198.18.0.2 -d 0 --json
	ip_in a link delete eg0
	finish rr
	is 4
	says "vanished"
	json '.metrics | has("sent_packets")'
}

# Its answers are read a few at a time, and one in several pieces must not stop that.
@test "afxdp: an MTU whose frames do not fit into a page is refused, on any kernel" {
	lab_up --mtu 9000
	tool_in a rr 198.18.0.2 --engine afxdp -c 1
	is 3
	says "frames of 'eg0', with an MTU of 9000, are too large for AF_XDP: "
	says "set a smaller one: ip link set dev eg0 mtu 3826"
}
