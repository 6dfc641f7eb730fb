#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# bats file_tags=net
# probe in a, reflect in b: each probe is a round trip or a loss, and both ends agree.

load ../lib/common
load ../lib/lab

setup() {
	need_root
	need_command jq
}

# round_trips COUNT DEST OPTIONS...: to a reflector in b, which answers all of them; see all_answered.
round_trips() {
	local count=$1

	if [ -z "${PIDS[reflect]-}" ]; then
		start reflect b reflect eg0
		ANSWERS=0
	fi
	tool_in a probe eg0 "$2" --count "$count" --rate "$(pace 20000)" --no-loss --json "${@:3}"
	is 0
	json --argjson n "$count" '.metrics | .sent_packets == $n and .received_packets == $n and
		.distinct_packets == $n and .rtt_packets == $n and .lost_packets == 0 and
		.lost_ratio == 0 and .duplicate_packets == 0 and .reordered_packets == 0 and
		.not_sent_packets == 0 and .foreign_packets == 0 and
		.received_bytes == .sent_bytes and (has("unknown_packets") | not) and
		.rtt_min_ns > 0 and .rtt_min_ns <= .rtt_p50_ns and
		.rtt_p50_ns <= .rtt_p90_ns and .rtt_p90_ns <= .rtt_max_ns and
		(if $n < 1000 then .rtt_p99_ns == null else .rtt_p90_ns <= .rtt_p99_ns end) and
		has("rtt_p99_99_ns") and .rtt_p99_99_ns == null and
		.rtt_min_ns <= .rtt_mean_ns and .rtt_mean_ns <= .rtt_max_ns'
	json --argjson n "$count" '([.histograms.rtt_ns.buckets[][1]] | add == $n) and
		.verdicts == [{ "pass": true, "what": "0 of \($n) packets lost" }]'
	deviates rtt
	ANSWERS=$((ANSWERS + count))
}

# all_answered: by the reflector's own count, and nothing else was.
all_answered() {
	finish reflect INT
	json --argjson n "$ANSWERS" '.metrics | .answered_udp_packets == $n and .left_packets == 0'
}

each_kind() {
	lab_up
	round_trips 1009 198.18.0.2 --engine "$1"
	round_trips 503 198.18.0.2 --engine "$1" --frame-bytes 1518
	round_trips 503 2001:2::2 --engine "$1" --frame-bytes 85
	round_trips 503 198.18.0.2 --engine "$1" --frame-bytes 69 --vlan 101
	round_trips 503 2001:2::2 --engine "$1" --frame-bytes 512 --vlan 101
	round_trips 503 198.18.0.2 --engine "$1" --stream 11
	all_answered
}

# bats test_tags=core
@test "live: every probe is a round trip, over IPv4, IPv6 and VLAN" {
	need xdp-live-frames
	each_kind live
}

# bats test_tags=core
@test "afxdp: every probe is a round trip, over IPv4, IPv6 and VLAN" {
	need af-xdp
	each_kind afxdp
}

@test "without a reflector every probe is lost, and the result says what may be wrong" {
	lab_up
	for engine in $(engines); do
		tool_in a probe eg0 198.18.0.2 --engine "$engine" --count 101 --rate 10kpps \
			--wait 50ms --json
		is 1
		json '.verdicts == [{ "pass": false, "what": "none of 101 probes were answered" }]'
		json '.metrics | .sent_packets == 101 and .received_packets == 0 and
			.lost_packets == 101 and .lost_ratio == 1 and .rtt_packets == 0'
		json 'any(.notes[]; startswith("no reflections: is a reflector running there"))'
		tool_in a probe eg0 198.18.0.2 --engine "$engine" --count 101 --rate 10kpps \
			--wait 50ms --no-loss --json
		is 1
		json '.verdicts == [{ "pass": false, "what": "101 of 101 packets lost" }]'
	done
}

@test "a reflector at another port answers nothing, and at the port asked for everything" {
	lab_up
	start reflect b reflect eg0 --port 862
	tool_in a probe eg0 198.18.0.2 --count 53 --rate 10kpps --wait 50ms --json
	is 1
	json '.metrics | .sent_packets == 53 and .lost_packets == 53'
	tool_in a probe eg0 198.18.0.2 --count 53 --rate 10kpps --port 862 --json
	is 0
	json '.metrics | .rtt_packets == 53 and .lost_packets == 0'
	finish reflect INT
	json '.metrics.answered_udp_packets == 53'
}

@test "probes cross a router both ways, at each engine" {
	lab_up --path a-r-b
	for engine in $(engines); do
		round_trips 1009 198.19.0.1 --engine "$engine"
		round_trips 503 2001:2:0:1::1 --engine "$engine" --frame-bytes 85
	done
	all_answered
}

@test "probes cross a bridge both ways, at each engine" {
	lab_up --path a-r-b --middle bridge
	for engine in $(engines); do
		round_trips 1009 198.18.0.2 --engine "$engine"
		round_trips 503 2001:2::2 --engine "$engine" --frame-bytes 512
	done
	all_answered
}

@test "known losses and duplicates of the far end are the figures of the result" {
	need_command /usr/bin/python3
	lab_up
	# 1009 = 7 x 144 + 1 leave 865, of which each 11th comes twice.
	start_cmd odd b ready "$CAPTURE" reflect 1009 7 11
	tool_in a probe eg0 198.18.0.2 --count 1009 --rate 2kpps --no-loss --json
	is 1
	sent=$output
	finish odd
	json '. == { "dropped": 144, "answered": 865, "twice": 78 }'
	output=$sent
	json '.metrics | .sent_packets == 1009 and .received_packets == 943 and
		.distinct_packets == 865 and .lost_packets == 144 and .duplicate_packets == 78 and
		.reordered_packets == 0'
	json '.verdicts[0].what == "144 of 1009 packets lost"'
	start_cmd odd b ready "$CAPTURE" reflect 503 503 251
	tool_in a probe eg0 2001:2::2 --frame-bytes 84 --count 503 --rate 2kpps --json
	sent=$output
	finish odd
	output=$sent
	# The last is dropped: a sink alone could not know of it.
	json '.metrics | .lost_packets == 1 and .duplicate_packets == 2 and .distinct_packets == 502'
}

# Every 13th of the answers comes from another address, though from the same port.
OTHERS='import itertools, socket, sys
good, other = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2))
good.setsockopt(socket.SOL_SOCKET, 33, 8 << 20)	# SO_RCVBUFFORCE: it may have to wait for a CPU
good.bind(("198.18.0.2", 7))
other.bind(("198.18.0.3", 7))
print("ready", file=sys.stderr, flush=True)
for n in itertools.count(1):
    data, peer = good.recvfrom(9000)
    (good if n % 13 else other).sendto(data, peer)'

TO_ALL='import socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.SOL_SOCKET, 33, 8 << 20)	# SO_RCVBUFFORCE: by default it holds 50 packets of AF_XDP
s.bind(("", 7))
print("ready", file=sys.stderr, flush=True)
while True:
    s.sendto(*s.recvfrom(9000))'

@test "an answer from another address than that of the destination is other traffic" {
	need_command /usr/bin/python3
	lab_up
	in_b ip address add 198.18.0.3/24 dev eg0
	start_cmd others b ready /usr/bin/python3 -c "$OTHERS"
	tool_in a probe eg0 198.18.0.2 --count 1009 --rate 2kpps --wait 2s --no-loss --json
	is 1
	json '.metrics | .sent_packets == 1009 and .received_packets == 932 and .distinct_packets == 932 and
		.rtt_packets == 932 and .lost_packets == 77 and .foreign_packets >= 77'
}

@test "who answers to a broadcast has another address than that of the destination" {
	need_command /usr/bin/python3
	lab_up
	start_cmd all b ready /usr/bin/python3 -c "$TO_ALL"
	tool_in a probe eg0 198.18.0.255 --dst-mac ff:ff:ff:ff:ff:ff --count 101 --rate 2kpps --wait 5s --no-loss --json
	is 0
	json '.metrics | .received_packets == 101 and .distinct_packets == 101'
}

# has_answered: the reflector has begun, by its rows so far.
has_answered() {
	jq -se 'any(.[]; .answered_packets > 0)' "$BATS_TEST_TMPDIR/reflect.out" >/dev/null 2>&1
}

@test "with a reflector that comes late and goes early, lost is what it did not answer" {
	lab_up
	for engine in $(engines); do
		start probe a probe eg0 198.18.0.2 --engine "$engine" --count 2003 --rate 1kpps \
			--wait 100ms
		start_cmd reflect b "answering on" "$TOOL" reflect eg0 --jsonl --interval 20ms
		wait_for has_answered
		finish reflect INT
		answered=$(tail -n 1 <<<"$output" | jq .metrics.answered_udp_packets)
		finish probe
		is 0
		json --argjson n "$answered" '.metrics | .sent_packets == 2003 and $n > 0 and $n < 2003 and
			.distinct_packets == $n and .lost_packets == 2003 - $n and .rtt_packets == $n'
	done
}

@test "what is answered while a reflector ends is in its figures" {
	# The time between its last look at the counters and its end, made long: 100 ms.
	cc -shared -fPIC -o "$BATS_TEST_TMPDIR/slow.so" -x c - <<-'END'
		#include <string.h>
		#include <sys/syscall.h>
		#include <unistd.h>
		#include <stdio.h>
		int close(int fd)
		{
			char path[64], to[64] = "";
			snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
			if (readlink(path, to, sizeof(to) - 1) > 0 && strstr(to, "bpf_link"))
				usleep(100000);
			return (int)syscall(SYS_close, fd);
		}
	END
	lab_up
	start_cmd reflect b "answering on" env LD_PRELOAD="$BATS_TEST_TMPDIR/slow.so" "$TOOL" reflect \
		eg0 --jsonl --interval 20ms
	start probe a probe eg0 198.18.0.2 --count 3001 --rate 2kpps --wait 100ms
	wait_for has_answered
	finish reflect INT
	answered=$(tail -n 1 <<<"$output" | jq .metrics.answered_udp_packets)
	finish probe
	is 0
	json --argjson n "$answered" '.metrics | .distinct_packets == $n and .lost_packets == 3001 - $n'
}

@test "a reflector that is killed in mid-run costs the probes it did not answer, and no more" {
	lab_up
	start_cmd reflect b "answering on" "$TOOL" reflect eg0 --jsonl --interval 20ms
	before=$(counter a rx_packets)
	start probe a probe eg0 198.18.0.2 --count 2003 --rate 2kpps --wait 100ms
	wait_for has_answered
	finish reflect KILL
	is 137
	finish probe
	is 0
	answered=$(($(counter a rx_packets) - before))
	# b's stack answers some of the others, as the port is closed. Those are foreign.
	json --argjson n "$answered" '.metrics | .received_packets + .foreign_packets == $n and
		.lost_packets == 2003 - .distinct_packets and .lost_packets > 0 and
		.distinct_packets > 0'
}

@test "--duration alone ends the run, and --wait 0 waits for nothing" {
	lab_up
	start reflect b reflect eg0
	tool_in a probe eg0 198.18.0.2 --duration 500ms --rate 5kpps --json
	is 0
	json '.metrics | .sent_packets > 1 and .rtt_packets == .sent_packets'
	tool_in a probe eg0 198.18.0.2 --count 7 --wait 0 --json
	is 0
	json '.metrics | .sent_packets == 7 and .lost_packets + .distinct_packets == 7'
}

@test "a stream number that probe cannot check is refused, and the highest one works" {
	lab_up
	tool_in a probe eg0 198.18.0.2 --stream 4096 --count 7
	is 2
	says "--stream: 0 to 4095, not '4096'"
	start reflect b reflect eg0
	tool_in a probe eg0 198.18.0.2 --stream 4095 --count 7 --json
	is 0
	json '.metrics.rtt_packets == 7'
}

@test "rows are those of the series, and --jsonl ends with the document" {
	lab_up
	start reflect b reflect eg0
	tool_in a probe eg0 198.18.0.2 --count 503 --rate 1kpps --interval 100ms --jsonl
	is 0
	jq -se 'length >= 4 and all(.[:-1][]; .type == "interval") and
		(last | .metrics.rtt_packets == 503) and
		(last.series | length) == length - 1 and
		([.[:-1][].received_packets] | add) <= 503 and
		all(.[:-1][]; .lost_packets == 0)' <<<"$output" >/dev/null
}

@test "a short run is not irregular for the packet that is due as it ends" {
	lab_up
	tool_in a probe 198.18.0.2 --rate 1kpps --duration 300ms --json
	# But for a sender that got no CPU before its end.
	json '(.notes | any(contains("of the packets due")) | not) or .metrics.sent_packets < 299'
}
