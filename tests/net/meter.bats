#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# bats file_tags=net
# What a result says of the machine that made it, against loads that are known.

load ../lib/common
load ../lib/lab

setup() {
	need_root
	need_command jq python3
	# The last CPU that may be used: the sender's, and not the first by chance.
	CPU=$(python3 -c 'import os; print(max(os.sched_getaffinity(0)))')
}

# burn CPU SECONDS: user time of just so long on that CPU, however long that takes.
burn() {
	taskset -c "$1" python3 -c 'import sys, time
end = time.process_time() + float(sys.argv[1])
# The clock is a system call, and would be the kernel'"'"'s time.
while time.process_time() < end:
    for _ in range(100000):
        pass' "$2"
}

@test "a busy loop of a known length is seen on its CPU, in user mode" {
	lab_up
	start sink b sink eg0
	burn "$CPU" 0.47
	finish sink INT
	# Ticks are samples, and the reading's grain is one of 10 ms at each end.
	json --argjson cpu "$CPU" '(.self.metered_ns / 1e9) as $s | .self.cpus[] | select(.cpu == $cpu) |
		.cpu_busy_ratio * $s > 0.36 and .cpu_busy_user_ratio * $s > 0.28 and
		.cpu_busy_ratio <= 1'
}

@test "every online CPU has a row, and the rows add up to the totals" {
	lab_up
	start sink b sink eg0 --duration 300ms
	finish sink
	json --argjson n "$(grep -c '^cpu[0-9]' /proc/stat)" '.self.cpus | length == $n'
	for key in interrupts net_rx_softirqs softnet_packets softnet_squeezed; do
		json --arg key "$key" '([.self.cpus[][$key]] | add) == .self[$key]'
	done
	json '([.self.cpus[].cpu_busy_ratio] | add) - .self.cpu_busy_ratio | fabs < 1e-9'
	json '.self | .interrupts > 0 and .nic_interrupts == null and .metered_ns > 290e6 and
		.metering_ns < .metered_ns'
}

@test "a sender's CPU is reported, and fully used at maximum rate" {
	need xdp-live-frames
	lab_up
	start sink b sink eg0
	for engine in live afxdp; do
		run --separate-stderr timeout 30 taskset -c "$CPU" nsenter --net="/run/netns/$LAB-a" \
			"$TOOL" blast eg0 198.18.0.2 --engine "$engine" --duration 400ms --json
		is 0
		json --argjson cpu "$CPU" '[.self.cpus[] | select(.sender_run_ratio) | .cpu] == [$cpu]'
		json '.self.cpus[] | select(.sender_run_ratio) | .sender_run_ratio <= 1.001 and
			.sender_run_ratio + .sender_wait_ratio > 0.5'
		# A machine under load may let it sleep in the kernel; used up is from 95 % on.
		json '(.self.cpus[] | select(.sender_run_ratio) |
			.sender_run_ratio + .sender_wait_ratio) as $used |
			(.self.bottleneck | . == "sender cpu" or . == "ring") ==
				any(.notes[]?; contains("limit")) and
			($used < 0.96 or .self.bottleneck == "sender cpu" or .self.bottleneck == "ring")'
		json '.self | .net_rx_softirqs > 11 and .interrupts > 0 and .preemptions >= 0'
	done
	finish sink INT
	json '.self.bottleneck == "none"'
}

@test "a paced sender that spins at its slots is not taken for a bottleneck" {
	need xdp-live-frames
	lab_up
	start sink b sink eg0
	for engine in live afxdp; do
		# A machine under load may keep it from its slots; at times it does not.
		for _ in {1..5}; do
			tool_in a blast eg0 198.18.0.2 --engine "$engine" --rate 20kpps --count 5003 \
				--json
			is 0
			holds .self.irregular <<<"$output" || break
		done
		json '.self.cpus[] | select(.sender_run_ratio) |
			.sender_run_ratio + .sender_wait_ratio > 0.2'
		json 'if .self.irregular then .self.bottleneck != "none" else
			.self.bottleneck == "none" and (any(.notes[]?; contains("limit")) | not) end'
	done
}

@test "a driver that takes less than the sender makes is named, and not the sender" {
	need xdp-live-frames
	lab_up
	start sink b sink eg0
	# NAPI in a thread, which has to be woken: the ring to it fills up (kernel 5.12).
	in_b unshare -m sh -c 'mount -t sysfs none /sys && cd /sys/class/net/eg0 &&
		[ -e threaded ] && echo 1 >threaded' || cannot threaded-napi "threaded NAPI"
	tool_in a blast eg0 198.18.0.2 --engine live --duration 300ms --json
	is 0
	json '(.metrics | .not_sent_packets / (.sent_packets + .not_sent_packets) > 0.001) ==
		(.self.bottleneck == "ring")'
	json '(.self.bottleneck == "ring") == any(.notes[]?; startswith("the driver refused"))'
}

# halt NAME SECONDS: as a debugger or a busy hypervisor does.
halt() {
	kill -STOP "${PIDS[$1]}"
	nap "$2"
	kill -CONT "${PIDS[$1]}"
}

# has_received N: b has received N packets.
has_received() {
	[ "$(counter b rx_packets)" -gt "$1" ]
}

# wait_packets N: until b has received N more packets.
wait_packets() {
	wait_for has_received "$(($(counter b rx_packets) + $1))"
}

# halted NAME: of a run without an end, that was stopped for half a second.
halted() {
	wait_packets 97
	halt "$1" 0.5
	wait_packets 97
	finish "$1" INT
	is 130
	json '.self.pacing_late_max_ns > 4e8 and .self.irregular and .self.bottleneck != "none" and
		any(.notes[]; startswith("irregular: the sender"))'
}

# udp_errors N: b has received N datagrams with a wrong checksum.
udp_errors() {
	[ "$(in_b awk '/^Udp:/ { n = $8 } END { print n }' /proc/net/snmp)" = "$1" ]
}

@test "a socket whose buffer was full is named, and a wrong checksum is not taken for it" {
	lab_up
	start sink b sink eg0 --socket --rcvbuf 2304
	# It reads nothing while the packets come, and its buffer holds a few.
	kill -STOP "${PIDS[sink]}"
	tool_in a blast eg0 198.18.0.2 --count 1009 --rate 20kpps --json
	is 0
	kill -CONT "${PIDS[sink]}"
	finish sink INT
	json '.metrics.socket_dropped_packets > 900 and .self.bottleneck == "socket" and
		(.metrics.socket_dropped_packets as $n |
			any(.notes[]; contains("socket dropped \($n) packets")))'
	# Of short ones the checksum is seen to be wrong before there is a socket. All have room.
	start sink b sink eg0 --socket --rcvbuf 8000000
	tool_in a blast eg0 'ip4(dst=198.18.0.2)/udp(dport=9,sum=0x1234)' --frame-bytes 200 \
		--count 211 --rate 2kpps --json
	is 0
	wait_for udp_errors 211
	finish sink INT
	json '.metrics.socket_dropped_packets == 211 and .self.bottleneck == "none"'
}

@test "a sender that was stopped is irregular, though it reaches its rate in the mean" {
	local engine

	lab_up
	start reflect b reflect eg0
	for engine in $(engines); do
		start blast a blast eg0 198.18.0.2 --engine "$engine" --rate 5kpps --duration 60s
		halted blast
	done
	start probe a probe eg0 198.18.0.2 --rate 5kpps --duration 60s
	halted probe
}

@test "a link that was down is named, and not a full ring" {
	need xdp-live-frames
	lab_up
	start sink b sink eg0
	start blast a blast eg0 198.18.0.2 --engine live --rate 5kpps --duration 60s
	wait_packets 97
	ip_in b link set eg0 down
	nap 0.7
	ip_in b link set eg0 up
	wait_packets 97
	finish blast INT
	is 130
	json '.metrics.not_sent_packets > 1000 and .self.bottleneck == "link" and
		any(.notes[]; startswith("the link of the sending interface went down")) and
		(any(.notes[]; contains("ring was full")) | not)'
}

@test "tcp and udp report this host's cost, and the socket that was too small" {
	lab_up
	start serve b serve
	# Hardly any work: no part of this host is the limit.
	tool_in a tcp rr 198.18.0.2 --rate 97pps -d 500ms --json
	is 0
	json --argjson n "$(grep -c '^cpu[0-9]' /proc/stat)" '.self | (.cpus | length) == $n and
		.memory_max_bytes > 1e6 and .metered_ns > 5e8 and .bottleneck == "none"'
	start udp a udp stream 198.18.0.2 --rate 20kpps --message-bytes 200 -d 60s \
		--remote-receive-buffer 4096
	wait_packets 211
	halt serve 0.2
	wait_packets 211
	finish udp INT
	is 130
	# The sender's limit comes first, if other work leaves it no CPU.
	json '.metrics.socket_dropped_packets as $n | $n > 0 and
		any(.notes[]; contains("socket dropped \($n) packets")) and
		(.self.bottleneck == "socket" or any(.notes[]; startswith("other work")))'
	tool_in a udp stream 198.18.0.2 --rate 97pps -d 500ms --json
	is 0
	json '.metrics.socket_dropped_packets == 0 and .self.bottleneck == "none"'
}

@test "memory is the process's own, and that of its BPF maps" {
	lab_up
	for streams in 1 1024; do
		tool_in b sink eg0 --max-streams "$streams" --duration 100ms --json
		is 0
		json '.self.memory_max_bytes > 1e6 and .self.memory_max_bytes < 1e9'
		declare "maps_$streams=$(jq .self.bpf_map_bytes <<<"$output")"
	done
	# A histogram of 18 KB per CPU and stream (tests/unit/test_hist.c checks its size).
	# shellcheck disable=SC2154 # declared above
	[ "$((maps_1024 - maps_1))" -gt "$((1023 * 16384))" ]
}

@test "the fill level of an AF_XDP ring is reported" {
	need af-xdp
	lab_up
	start sink b sink eg0
	tool_in a blast eg0 198.18.0.2 --engine afxdp --count 10007 --batch 8 --json
	is 0
	json '.self | .tx_ring_size_frames == 512 and .tx_ring_min_frames >= 1 and
		.tx_ring_min_frames <= .tx_ring_mean_frames and
		.tx_ring_mean_frames <= .tx_ring_max_frames and .tx_ring_max_frames == 8 and
		.tx_ring_full_ratio == 0'
	tool_in a blast eg0 198.18.0.2 --engine live --count 11 --json
	json '.self | has("tx_ring_mean_frames") | not'
}

@test "what this machine does not report is null, and the run goes on" {
	unshare -m true 2>/dev/null || cannot unshare "a root that is a mount point, which a chroot is not"
	lab_up
	run --separate-stderr timeout 30 nsenter --net="/run/netns/$LAB-b" unshare -m bash -c '
		for file in stat interrupts softirqs; do
			mount --bind /dev/null "/proc/$file" || exit 9
		done
		exec "$0" sink eg0 --duration 150ms --json' "$TOOL"
	is 0
	json '.self | has("cpus") | not'
	json '.self | .cpu_busy_ratio == null and .interrupts == null and .net_rx_softirqs == null and
		.softnet_packets == null and .cpu_user_ratio >= 0 and .bottleneck == "none"'
}

@test "a run of both ends reports the host's figures once, in each part of a demo" {
	need xdp-live-frames af-xdp
	cd "$BATS_TEST_TMPDIR"
	run --separate-stderr timeout 60 "$TOOL" demo --quick --json
	is 0
	json '(.self | has("cpus") | not) and (.parts | length) == 5 and
		all(.parts[].self; (.cpus | length) > 0 and
			([.cpus[] | select(.sender_run_ratio)] | length) == 1 and (.bottleneck | length) > 0)'
}

@test "a page for people has the figures on a few lines with -v" {
	lab_up
	run --separate-stderr timeout 30 nsenter --net="/run/netns/$LAB-b" "$TOOL" sink eg0 -d 150ms -v
	is 0
	for line in "this process" "CPU, whole host" events bottleneck "measurement cost"; do
		[ "$(grep -c "^  $line  " <<<"$output")" = 1 ] || fail "no line '$line': $output"
	done
	# Of 80 columns: each of these may need a second one.
	[ "$(sed -n '/measurement overhead/,$p' <<<"$output" | wc -l)" -lt 20 ] || fail "$output"
}
