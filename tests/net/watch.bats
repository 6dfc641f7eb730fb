#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# bats file_tags=net
# watch held against traffic whose counts, sizes and shape are known; and that
# it is harmless: what it must not displace, and what it must not leave.

load ../lib/common
load ../lib/lab


PEER=$BATS_TEST_DIRNAME/watch_peer.py

setup() {
	need_root
	need_command jq /usr/bin/python3
	lab_up
}

# watch NODE OPTIONS...: beside the test, as NAME watch; ready when it says so.
watch() {
	start_cmd watch "$1" "watching 'eg0'" "$TOOL" watch eg0 --interval 0 --json "${@:2}"
}

# end_watch: by ^C; the document is then in output.
end_watch() {
	finish watch INT
	is 130
}

# side rx|tx FILTER: holds on that part of the document.
side() {
	json --arg part "eg0 $1" ".parts[] | select(.name == \$part) | $2"
}

# entry rx|tx BY VALUE FILTER: holds on that row of the part's table.
entry() {
	side "$1" "(.entries // [])[] | select(.by == \"$2\" and .value == \"$3\") | $4"
}

# said TEXT: by the watch that runs, so far.
said() {
	grep -qF "$1" "$BATS_TEST_TMPDIR/watch.err"
}

each_hook() {
	printf '%s\n' tc clsact xdp
}

# bats test_tags=core
@test "each direction is counted, packet for packet, at every hook" {
	local hook

	for hook in $(each_hook); do
		watch b --hooks "$hook"
		[ "$hook" != xdp ] || said "XDP disables large packets (GRO, TSO) on 'eg0'"
		in_a "$PEER" frames 60 1009
		in_b "$PEER" frames 1514 503 02:e9:00:00:00:0a
		end_watch
		side rx '.metrics | .seen_packets == 1009 and .seen_buffers == 1009 and
			.seen_bytes == 1009 * 64 and .driver_rx_packets == 1009'
		side rx '.metrics | (.seen_l1_bps / .seen_pps - 8 * (64 + 20) | fabs) < 1e-6'
		side tx '.metrics | .seen_packets == 503 and .seen_bytes == 503 * 1518 and
			.driver_tx_packets == 503'
		side rx '.metrics.gap_count <= 1008 and .metrics.seen_merged_packets == 0'
		deviates gap "eg0 rx"
		deviates gap "eg0 tx"
		side rx '[.entries[] | select(.by == "cpu").packets] | add == 1009'
		side rx '[.entries[] | select(.by == "queue").packets] | add == 1009'
		entry rx size 64 '.packets == 1009'
		entry rx protocol other '.packets == 1009 and .bytes == 1009 * 64'
		entry tx size 1024-1518 '.packets == 503'
	done
}

@test "a row has the inter-arrival times of its interval alone" {
	watch b --interval 400ms
	# On a busy machine a pause is longer, never shorter. Most frames have none, which decides the run's median.
	in_a "$PEER" frames 60 401 02:e9:00:00:00:0b 0
	in_a "$PEER" frames 60 251 02:e9:00:00:00:0b 0.008
	end_watch
	side rx '.metrics.gap_p50_ns < 6e6'
	# A row or two have both; a percentile needs enough values: of 8 ms there are 50 in a row.
	side rx '[.series[].gap_p50_ns | values] | .[0] < 6e6 and length > 3 and (.[-2:] | all(. > 7.8e6))'
	side rx '[.series[] | select(.seen_packets == 0) | has("gap_p50_ns")] | any | not'
}

# The stack takes the tag out of the frame before tc: it travels beside it, with its bytes.
@test "sizes, protocols, group addresses and VLAN tags are distinguished" {
	watch b
	numbers 0 100 | send_tags
	numbers 0 102 | send_tags --ip6 --frame-bytes 300
	numbers 0 106 | send_tags --vlan 7
	in_a "$PEER" frames 200 11 ff:ff:ff:ff:ff:ff
	in_a "$PEER" frames 900 13 01:00:5e:00:00:01
	end_watch
	entry rx protocol ip4/udp '.packets == 101 + 107'
	entry rx protocol ip6/udp '.packets == 103 and .bytes == 103 * 300'
	entry rx size 64 '.packets == 101'
	entry rx size 65-127 '.packets == 107'
	entry rx size 256-511 '.packets == 103'
	side rx '.metrics | .seen_tagged_packets == 107 and .seen_broadcast_packets == 11 and
		.seen_multicast_packets == 13 and .seen_packets == 101 + 103 + 107 + 11 + 13'
}

@test "super-packets count as the segments that TCP says it sent" {
	local counters segs retrans

	start_cmd serve b ready "$PEER" serve
	watch a
	in_a "$PEER" send 30000003
	finish serve
	end_watch
	# The namespace is new, and nothing else in it speaks TCP.
	counters=$(in_a "$PEER" counters)
	read -r segs retrans <<<"$counters"
	# OutSegs holds what is sent for the first time (RFC 1213).
	entry tx protocol ip4/tcp ".packets == $segs + $retrans"
	side tx '.metrics | .seen_buffers < .seen_packets / 2 and .seen_merged_packets > 20000'
	# Each segment carries 54 bytes of headers, 12 of options, and FCS; the first two have more options.
	[ "$retrans" != 0 ] || entry tx protocol ip4/tcp \
		"(.bytes - 30000003 - $segs * 70) | . >= 0 and . <= 40"
}

@test "what GRO puts together is counted as what the driver received" {
	start_cmd serve b ready "$PEER" serve
	watch b
	in_a "$PEER" send 30000003 >/dev/null
	finish serve
	end_watch
	# veth's driver counts as many as it was handed: segments before GRO, or one super-packet.
	side rx '.metrics | .driver_rx_packets <= .seen_packets and
		.driver_rx_packets >= .seen_buffers and
		(.seen_merged_packets > 20000 or .seen_buffers == .seen_packets)'
	side rx '.entries | map(select(.by == "protocol" and .value == "ip4/tcp").bytes) | add |
		. > 30000003 and . < 30000003 * 1.06'
}

@test "a microburst's peak is its own bits over the span" {
	need xdp-live-frames
	# A burst of 101 frames of 1538 bytes on the wire, every 20 ms: no 10 ms hold two of them,
	# unless the sender was late by so much that two came close.
	local bits=$((101 * 1538 * 8)) late bursts=1

	watch b
	# shellcheck disable=SC2046
	late=$(in_a $(first 40) "$TOOL" blast eg0 198.18.0.2 --frame-bytes 1518 --count 1010 --burst 101 \
		--every 20ms --engine live -q --json | jq .self.pacing_late_max_ns)
	end_watch
	side rx '.metrics.seen_packets == 1010'
	[ "$late" -lt 9000000 ] || bursts=10
	side rx ".metrics | .burst_10ms_l1_bps >= $bits * 100 and .burst_10ms_l1_bps <= $bits * 100 * $bursts and
		.burst_1ms_l1_bps <= $bits * 1000 * $bursts and .burst_100us_l1_bps <= $bits * 10000 * $bursts and
		.burst_1ms_l1_bps > $bits * 100 and .burst_100us_l1_bps >= .burst_1ms_l1_bps"
}

@test "another XDP program is named and stays; at tc the packets it may hide are noted" {
	need_command clang
	local before mode

	alien xdp 2
	for mode in xdpdrv xdpgeneric; do
		ip_in b link set dev eg0 "$mode" obj "$BATS_TEST_TMPDIR/alien.o" sec xdp
		before=$(hook b)
		tool_in b watch eg0 --hooks xdp --duration 1s --json
		is 3
		says "held by program 'alien'"
		watch b
		in_a "$PEER" frames 60 101
		end_watch
		side rx '.metrics.seen_packets == 101'
		side rx '.notes | any(contains("'"'alien'"'"))'
		[ "$(hook b)" = "$before" ]
		ip_in b link set dev eg0 "$mode" off
	done
}

@test "the process that holds the hook is named by its pid" {
	start sink b sink eg0
	tool_in b watch eg0 --hooks xdp --duration 1s
	is 3
	says "held by program 'sink_xdp'"
	says "pid ${PIDS[sink]}"
}

@test "a foreign tc filter goes on deciding, and is still there afterwards" {
	need_command clang tc
	local hook before

	alien tc 2		# TC_ACT_SHOT
	in_b tc qdisc add dev eg0 clsact
	in_b tc filter add dev eg0 ingress bpf da obj "$BATS_TEST_TMPDIR/alien.o" sec tc
	before=$(in_b tc filter show dev eg0 ingress)
	for hook in tc clsact; do
		watch b --hooks "$hook"
		in_a "$PEER" frames 60 101
		end_watch
		# Seen before it was dropped.
		side rx '.metrics.seen_packets == 101'
		[ "$(in_b tc filter show dev eg0 ingress)" = "$before" ]
	done
}

@test "a filter that others add to its clsact stays there" {
	need_command clang tc
	alien tc 0		# TC_ACT_OK
	watch b --hooks clsact
	in_b tc filter add dev eg0 ingress prio 7 bpf da obj "$BATS_TEST_TMPDIR/alien.o" sec tc
	end_watch
	run in_b tc filter show dev eg0 ingress
	[[ $output == *alien.o* && $output != *watch_tc* ]] || fail "$output"
}

# stranger first|last: at tcx ingress of b; decides to pass each packet, so that no later program sees it.
stranger() {
	start_cmd stranger b ready "$TOP/tests/lib/tcx_hold.py" eg0 ingress "$1" 0
}

stranger_goes() {
	kill -KILL "${PIDS[stranger]}"
	wait_for has_ended "${PIDS[stranger]}"
}

@test "at tcx it attaches before existing programs; one that attaches before it is named" {
	need tcx
	local place

	for place in first last; do
		stranger "$place"
		watch b
		in_a "$PEER" frames 60 101
		end_watch
		side rx '.metrics.seen_packets == 101 and (.notes | any(contains("stranger")) | not)'
		stranger_goes
	done
	watch b
	in_a "$PEER" frames 60 101
	stranger last
	in_a "$PEER" frames 60 211
	stranger_goes
	stranger first
	wait_for said "another program, 'stranger' (id"
	said "tcx ingress), now runs before ethgauge's"
	in_a "$PEER" frames 60 307
	stranger_goes
	in_a "$PEER" frames 60 503
	end_watch
	side rx '.metrics | .seen_packets == 101 + 211 + 503 and .driver_rx_packets == 1122'
	side rx ".notes | any(contains(\"another program, 'stranger'\"))"
	[ "$(grep -c 'now runs before' <<<"$stderr")" = 1 ]
}

@test "a hook that cannot be shared is refused in words, and stays as it was" {
	need_command clang
	local before

	alien xdp 2
	ip_in b link set dev eg0 xdpdrv obj "$BATS_TEST_TMPDIR/alien.o" sec xdp
	before=$(hook b)
	tool_in b watch eg0 --hooks xdp --share --duration 1s
	is 3
	says "held by program 'alien'"
	says "sharing requires libxdp's dispatcher"
	[ "$(hook b)" = "$before" ]
	ip_in b link set dev eg0 xdpdrv off
	tool_in b watch eg0 --share --duration 1s
	is 2
	"$TOOL" doctor --has freplace >/dev/null 2>&1 && return
	tool_in b watch eg0 --hooks xdp --share --duration 1s
	is 3
	says "this kernel does not allow freplace"
	hook_is_free b
}

in_dispatcher() {
	in_b xdp-loader status eg0 | grep -q "$1"
}

# bats test_tags=core
@test "libxdp's dispatcher is joined and left, also after kill -9; what is left where both were killed goes with the next" {
	need freplace
	need_command clang xdp-loader
	local helper

	# To be joined to others its function must say what it takes.
	cat >"$BATS_TEST_TMPDIR/alien.c" <<-END
		struct xdp_md { unsigned int data, data_end, data_meta, ifindex, queue, egress; };
		__attribute__((section("xdp"), used)) int alien(struct xdp_md *ctx) { return 2; }
		__attribute__((section("license"), used)) char _license[] = "GPL";
	END
	clang -target bpf -O2 -g -c "$BATS_TEST_TMPDIR/alien.c" -o "$BATS_TEST_TMPDIR/alien.o"
	in_b xdp-loader load -m native eg0 "$BATS_TEST_TMPDIR/alien.o"
	watch b --hooks xdp
	in_a "$PEER" frames 60 101
	in_dispatcher alien
	in_dispatcher watch_xdp
	helper=$(pgrep -P "${PIDS[watch]}" ethgauge-share)
	# What ends its owner does not end it.
	kill -INT "$helper"
	kill -TERM "$helper"
	kill -KILL "${PIDS[watch]}"
	wait_for has_ended "$helper"
	in_dispatcher alien
	! in_dispatcher watch_xdp || fail "it is still there"
	watch b --hooks xdp
	helper=$(pgrep -P "${PIDS[watch]}" ethgauge-share)
	kill -KILL "$helper" "${PIDS[watch]}"
	wait_for has_ended "${PIDS[watch]}"
	wait_for has_ended "$helper"
	in_dispatcher watch_xdp
	watch b --hooks xdp
	said "left by a killed process from the dispatcher"
	in_a "$PEER" frames 60 307
	end_watch
	side rx '.metrics.seen_packets == 307 and .environment.hook == "native XDP, shared"'
	in_dispatcher alien
	! in_dispatcher watch_xdp || fail "it is still there"
	in_b xdp-loader unload eg0 --all
	watch b --hooks xdp --share
	in_b xdp-loader load -m native eg0 "$BATS_TEST_TMPDIR/alien.o"
	in_a "$PEER" frames 60 211
	in_b xdp-loader unload eg0 --id "$(in_b xdp-loader status eg0 |
		sed -n 's/.*alien *\([0-9]*\).*/\1/p')"
	end_watch
	side rx '.metrics.seen_packets == 211'
	hook_is_free b
}

@test "two watch one interface, and each counts all" {
	watch b
	PIDS['first']=${PIDS['watch']}
	mv "$BATS_TEST_TMPDIR/watch.out" "$BATS_TEST_TMPDIR/first.out"
	mv "$BATS_TEST_TMPDIR/watch.err" "$BATS_TEST_TMPDIR/first.err"
	watch b
	in_a "$PEER" frames 60 101
	end_watch
	side rx '.metrics.seen_packets == 101'
	finish first INT
	side rx '.metrics.seen_packets == 101'
}

nothing_at_tc() {
	[ -z "$(in_b tc filter show dev eg0 ingress)$(in_b tc filter show dev eg0 egress)" ] &&
		! in_b tc qdisc show dev eg0 | grep -q clsact
}

@test "clsact is removed again, with its filters" {
	need_command tc
	watch b --hooks clsact
	in_b tc filter show dev eg0 ingress | grep -q watch_tc_in
	in_b tc filter show dev eg0 egress | grep -q watch_tc_out
	end_watch
	nothing_at_tc
}

@test "kill -9 leaves nothing at tcx and XDP; what it leaves at clsact the next one removes" {
	need tcx
	need_command tc
	need_bpftool
	local hook ids

	for hook in tc xdp; do
		watch b --hooks "$hook"
		mapfile -t ids < <(programs_of "${PIDS[watch]}")
		[ "${#ids[@]}" -ge 2 ]
		kill -KILL "${PIDS[watch]}"
		wait_for programs_are_gone "${ids[@]}"
		hook_is_free b
		nothing_at_tc
	done
	watch b --hooks clsact
	kill -KILL "${PIDS[watch]}"
	wait_for has_ended "${PIDS[watch]}"
	in_b tc filter show dev eg0 ingress | grep -q watch_tc_in
	watch b --hooks clsact
	grep -q "removed the filter 'watch_tc_in'" "$BATS_TEST_TMPDIR/watch.err"
	[ "$(in_b tc filter show dev eg0 ingress | grep -c watch_tc_in)" = 1 ]
	end_watch
	[ -z "$(in_b tc filter show dev eg0 ingress)" ]
}

make_pair() {
	ip_in b link add eg7 type veth peer name eg8
	ip_in b link set eg7 address 02:e9:00:00:00:07
	ip_in b link set eg7 up
	ip_in b link set eg8 up
}

frames_from_eg8() {
	in_b /usr/bin/python3 -c '
import socket, sys
link = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
link.bind(("eg8", 0))
for _ in range(int(sys.argv[1])):
    link.send(bytes.fromhex("02e90000000702e90000000888b5") + bytes(46))' "$1"
}

# Dispatchers that libxdp has pinned.
pins() {
	find -L /sys/fs/bpf/xdp -maxdepth 1 -name 'dispatch-*' 2>/dev/null | sort
}

# is_followed OPTIONS...: the interface is deleted and made again, and nothing that libxdp has pinned stays.
is_followed() {
	local before

	before=$(pins)
	in_b sysctl -qw net.ipv6.conf.default.disable_ipv6=1
	make_pair
	start_cmd watch b "watching 'eg7'" "$TOOL" watch eg7 --interval 100ms --json "$@"
	frames_from_eg8 101
	ip_in b link delete eg7
	wait_for said "interface 'eg7' vanished"
	make_pair
	wait_for said "'eg7' is watched again"
	frames_from_eg8 307
	ip_in b link delete eg7
	end_watch
	json '.parts[0].metrics.seen_packets == 408'
	json '.parts[0].notes | any(contains("reattached 1 times"))'
	[ "$(pins)" = "$before" ]
}

@test "an interface that is deleted and made again is watched again, and the counts go on" {
	local hook

	for hook in $(each_hook); do
		is_followed --hooks "$hook"
	done
}

# bats test_tags=core
@test "an interface that is deleted and made again is watched again in a dispatcher" {
	need freplace
	is_followed --hooks xdp --share
}

@test "an interface that is renamed is said to be, and watched again under its name" {
	watch b
	ip_in b link set eg0 down
	ip_in b link set eg0 name eg5
	wait_for said "interface 'eg0' was renamed to 'eg5'; watching continues when there is an interface 'eg0' again"
	ip_in b link set eg5 name eg0
	wait_for said "'eg0' is watched again"
	! said "detached" || fail "$(cat "$BATS_TEST_TMPDIR/watch.err")"
	end_watch
}

@test "programs that were detached by others are attached again" {
	need_command tc
	watch b --hooks clsact
	# Refused while watch looks whether its programs are there.
	wait_for in_b tc qdisc delete dev eg0 clsact
	wait_for said "the programs were detached"
	wait_for said "have been reattached"
	in_a "$PEER" frames 60 101
	end_watch
	side rx '.metrics.seen_packets == 101'
}

# rows_hold PART PACKETS: so far, all rows together.
rows_hold() {
	[ "$(jq -s --arg part "$1" 'map(select(.part == $part).seen_packets) | add' \
		"$BATS_TEST_TMPDIR/watch.out")" = "$2" ]
}

@test "several interfaces are watched at once, with a line for each direction" {
	in_b sysctl -qw net.ipv6.conf.default.disable_ipv6=1
	make_pair
	start_cmd watch b "watching 'eg0' and others" "$TOOL" watch eg0 eg7 --interval 200ms --jsonl
	in_a "$PEER" frames 60 101
	frames_from_eg8 307
	wait_for rows_hold "eg0 rx" 101
	wait_for rows_hold "eg7 rx" 307
	finish watch INT
	is 130
	[ "$(jq -r 'select(.type == "interval").part' <<<"$output" | sort -u | tr '\n' ,)" = \
		"eg0 rx,eg0 tx,eg7 rx,eg7 tx," ]
	output=$(tail -n 1 <<<"$output")
	json '[.parts[] | {(.name): .metrics.seen_packets}] | add == {"eg0 rx": 101, "eg0 tx": 0,
		"eg7 rx": 307, "eg7 tx": 0}'
}

more_came() {
	[ "$(counter b rx_packets)" -gt $((BEFORE + 150)) ]
}

@test "the programs are timed unless --no-cost, and the machine is left as it was" {
	local before

	before=$(cat /proc/sys/kernel/bpf_stats_enabled)
	# Timed is a sample, which begins at once: traffic must be there before.
	BEFORE=$(counter b rx_packets)
	nsenter --net="/run/netns/$LAB-a" ping -q -i 0.002 -w 200 198.18.0.2 >/dev/null 3>&- &
	defer kill "$!"
	wait_for more_came
	watch b
	BEFORE=$(counter b rx_packets)
	wait_for more_came
	end_watch
	side rx '.metrics | .program_timed_runs > 0 and .program_run_ns > 0 and
		.program_cpu_ratio > 0'
	json '.self.program_cpu_ratio > 0'
	[ "$(cat /proc/sys/kernel/bpf_stats_enabled)" = "$before" ]
	# Nor where another process has the kernel time all programs.
	start_cmd other a "watching 'eg0'" "$TOOL" watch eg0 --json
	watch b --no-cost
	for _ in {1..4}; do
		BEFORE=$(counter b rx_packets)
		wait_for more_came
	done
	end_watch
	side rx '.metrics | has("program_run_ns") | not'
	finish other INT
	json '.self.program_cpu_ratio > 0'
}

@test "what cannot be watched is refused in words" {
	tool_in b watch eg9 --json
	is 2
	says "there is no interface 'eg9' here"
	tool_in b watch eg0 eg0
	is 2
	says "'eg0' is given twice"
	tool_in b watch eg0 --xdp-mode native
	is 2
	# Of the interfaces that it has opened by then nothing is known.
	tool_in b watch eg0 --textfile "$BATS_TEST_TMPDIR/no/x"
	is 4
	says "cannot write '$BATS_TEST_TMPDIR/no/x': No such file or directory"
	[ -z "$output" ]
	ip_in b link add eg6 type ipip local 198.18.0.2 remote 198.18.0.1 2>/dev/null ||
		return 0	# no tunnels in this kernel
	tool_in b watch eg6
	is 2
	says "'eg6' is not an Ethernet interface"
}

# dropped PLACE-REASON FILTER: holds on that drop at eg0.
dropped() {
	json --arg what "$1" '.parts[] | select(.name == "drops") | [(.entries // [])[] |
		select(.by == "drop" and .interface == "eg0" and .reason == $what)] | '"$2"
}

# bats test_tags=core
@test "--drops reports where and why packets were dropped, at the watched interface only" {
	need_command nft
	need kfree-skb-reasons
	watch b --drops
	# The port is closed there, and a firewall drops them here; the last are of the other end.
	in_b nft add table inet t
	in_b nft add chain inet t c '{ type filter hook input priority 0; }'
	in_b nft add rule inet t c udp dport 4243 drop
	tool_in a blast eg0 198.18.0.2 -q --no-tag --port 4242 --count 503 --rate 2kpps
	is 0
	tool_in a blast eg0 198.18.0.2 -q --no-tag --port 4243 --count 211 --rate 2kpps
	is 0
	tool_in b blast eg0 198.18.0.1 -q --no-tag --port 4242 --count 97 --rate 2kpps
	is 0
	# And these, for another station, at another interface of the same namespace.
	in_b ip link add x0 type veth peer name x1
	in_b ip link set x0 up
	in_b ip link set x1 up
	tool_in b blast x0 198.19.0.2 -q --no-tag --src-ip 198.19.0.1 --dst-mac 02:00:00:00:00:99 \
		--port 4242 --count 1013 --rate 5kpps
	is 0
	end_watch
	json '[.parts[] | select(.name == "drops").entries[] | select(.reason == "OTHERHOST").packets] |
		(add // 0) < 1013'
	dropped NO_SOCKET 'map(.packets) | add == 503'
	dropped NETFILTER_DROP 'map(.packets) | add == 211'
	json '.parts[] | select(.name == "drops") | .metrics.dropped_packets >= 714 and
		.metrics.host_dropped_packets >= .metrics.dropped_packets + 97'
	json '.parts[] | select(.name == "drops") | any(.entries[]; .place == "snmp UdpNoPorts" and .packets == 503)'
}

# The kernel frees with a reason what ping's raw socket has got, what a packet socket has not read, and netlink's
# requests that it refuses.
# bats test_tags=core
@test "--drops: ping, a capture that ends and a refused request are no drops; a socket's unread packets have a row" {
	need kfree-skb-reasons
	in_b /usr/bin/python3 - <<-'END' >"$BATS_TEST_TMPDIR/bound" &
		import select, socket
		# Before 6.6 a purge of a queue has no reason of its own.
		if b"SKB_DROP_REASON_QUEUE_PURGE" in open("/sys/kernel/btf/vmlinux", "rb").read():
		    capture = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x0800))
		    capture.bind(("eg0", 0))
		reader = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
		reader.bind(("198.18.0.2", 4246))
		last = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
		last.bind(("198.18.0.2", 4247))
		print("bound", flush=True)
		select.select([last], [], [], 20)
	END
	reader=$!
	wait_for grep -q bound "$BATS_TEST_TMPDIR/bound"
	watch b --drops
	tool_in a blast eg0 198.18.0.2 -q --no-tag --port 4246 --count 7 --rate 1kpps
	is 0
	in_b sh -c 'echo 1 0 >/proc/sys/net/ipv4/ping_group_range'	# so that ping takes a raw socket
	in_b ping -q -c 3 -i 0.01 198.18.0.1
	in_b ping -q -c 3 -i 0.01 2001:2::1
	! in_b ip neigh get 198.18.0.77 dev eg0
	tool_in a blast eg0 198.18.0.2 -q --no-tag --port 4247 --count 1
	is 0
	wait "$reader"
	# The kernel frees a socket after a grace period of RCU, which may last; to delete a link waits for all of it.
	ip_in b link add gone0 type veth peer name gone1
	ip_in b link del gone0
	# And packets to a port without a socket, which are drops.
	tool_in a blast eg0 198.18.0.2 -q --no-tag --port 4248 --count 11
	is 0
	end_watch
	json '.parts[] | select(.name == "drops") | [(.entries // [])[] | select(.by == "drop" and .interface == "eg0")] |
		map(.packets) == [11] and .[0].reason == "NO_SOCKET"'
	# Of what no program has read the kernel does not say the namespace: that of other tests may be among it.
	json '.parts[] | select(.name == "drops") | [(.entries // [])[] | select(.by == "unread")] |
		map(select(.place == "udp_destruct_common").packets) | add >= 8'
}
