#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# lab: namespaces, wires, names, and nothing left of them.

# shellcheck disable=SC2016,SC2030,SC2031 # jq's variables; each test is a process of its own

load ../lib/common

setup() {
	need_root
	# Names of their own, so that a user's lab and other runs are left alone.
	lab=tlab$$
	defer timeout 20 "$TOOL" lab down -q --name "$lab"
	defer timeout 20 "$TOOL" lab down -q --name "$lab-2"
	defer timeout 20 "$TOOL" lab down -q --name "$lab-3"
}

# up [OPTIONS]: what a test stands on.
up() {
	timeout 20 "$TOOL" lab up -q --name "$lab" "$@"
}

inside() {
	timeout 20 "$TOOL" lab exec "$1" --name "$lab" -- "${@:2}"
}

# every_ping COUNT SIZE PAIR...: "a 198.18.0.2" answers each of COUNT unfragmented echos.
every_ping() {
	local pair

	for pair in "${@:3}"; do
		# shellcheck disable=SC2086 # node and address
		set -- "$1" "$2" ${pair}
		run inside "$3" ping -q -c "$1" -i 0.01 -W 2 -M "do" -s "$2" "$4"
		[ "$status" = 0 ] || fail "$pair: $output"
		[[ $output == *" $1 received"* ]] || fail "$pair: $output"
	done
}

# Names, links and mounts of this machine that a lab could leave.
traces() {
	find /run/netns -name "$lab*" 2>/dev/null
	grep "netns/$lab" /proc/self/mountinfo || :
	ip -br link | awk '{ print $1 }' | grep -E '^eg[0ab](@|$)' || :
}

gone() {
	[ -z "$(traces)" ]
}

# counts NODE: packets that eg0 has sent and received.
counts() {
	inside "$1" cat /sys/class/net/eg0/statistics/{tx,rx}_packets
}

# bats test_tags=core
@test "ping crosses a direct wire both ways, IPv4 and IPv6" {
	need_command ping
	up
	every_ping 7 56 "a 198.18.0.2" "b 198.18.0.1" "a 2001:2::2" "b 2001:2::1"
}

@test "ping crosses a router both ways, one hop further" {
	need_command ping
	up --path a-r-b
	every_ping 7 56 "a 198.19.0.1" "b 198.18.0.1" "a 2001:2:0:1::1" "b 2001:2::1" \
		"r 198.18.0.1" "r 2001:2:0:1::1"
	run inside a ping -c 1 198.19.0.1
	[[ $output == *ttl=63* ]] || fail "$output"
}

@test "ping crosses a bridge both ways, with no hop between" {
	need_command ping
	up --path a-r-b --middle bridge
	every_ping 7 56 "a 198.18.0.2" "b 198.18.0.1" "a 2001:2::2" "b 2001:2::1"
	run inside a ping -c 1 198.18.0.2
	[[ $output == *ttl=64* ]] || fail "$output"
}

@test "a packet of 9000 bytes crosses a jumbo lab whole" {
	local path

	need_command ping
	for path in "--path a-b" "--path a-r-b --middle bridge"; do
		# shellcheck disable=SC2086 # two options
		up --mtu 9000 $path
		every_ping 3 8972 "a 198.18.0.2" "b 198.18.0.1"
		every_ping 3 8952 "a 2001:2::2"
		run inside a ping -c 1 -W 0.1 -M "do" -s 8973 198.18.0.2
		[ "$status" != 0 ]
		[[ $output == *"essage too long"* ]] || fail "$output"
		"$TOOL" lab down -q --name "$lab"
	done
	up --mtu 9000 --path a-r-b
	every_ping 3 8972 "a 198.19.0.1" "b 198.18.0.1"
}

@test "a lab with an MTU below 1280 is without IPv6, and says so" {
	need_command ping
	run -0 --separate-stderr timeout 20 "$TOOL" lab up --name "$lab" --mtu 576
	[[ $stderr == *"too small for IPv6"* ]] || fail "$stderr"
	every_ping 3 548 "a 198.18.0.2"
	[ -z "$(inside a ip -6 -o addr show dev eg0)" ]
}

@test "each end has the requested number of queues, by default one per CPU" {
	up --queues 3
	run -0 inside b sh -c 'ls -d /sys/class/net/eg0/queues/rx-* | wc -l'
	[ "$output" = 3 ]
	run -0 inside a sh -c 'ls -d /sys/class/net/eg0/queues/tx-* | wc -l'
	[ "$output" = 3 ]
	"$TOOL" lab down -q --name "$lab"
	run -0 --separate-stderr timeout 20 "$TOOL" lab up --json --name "$lab"
	json ".config.queues == $(nproc) and all(.entries[]; .queues == $(nproc))"
}

@test "a lab has its documented interfaces, addresses and MAC addresses" {
	run -0 --separate-stderr timeout 20 "$TOOL" lab up --json --name "$lab"
	json --arg lab "$lab" '[.entries[] | [.lab, .namespace, .interface, .wire, .mtu, .mac, .ip4, .ip6]] == [
		[$lab, $lab + "-a", "eg0", "up", 1500, "02:e9:00:00:00:0a", "198.18.0.1/24", "2001:2::1/64"],
		[$lab, $lab + "-b", "eg0", "up", 1500, "02:e9:00:00:00:0b", "198.18.0.2/24", "2001:2::2/64"]]'
}

@test "what a socket sends leaves with its checksum made and its VLAN tag in the data" {
	need_command ethtool
	up --path a-r-b
	for end in "a eg0" "b eg0" "r ega" "r egb"; do
		# shellcheck disable=SC2086 # node and interface
		run -0 inside ${end% *} ethtool -k "${end#* }"
		[[ $output == *$'\ntx-checksumming: off'* ]] || fail "$end: $output"
		[[ $output == *$'\ntx-vlan-offload: off'* ]] || fail "$end: $output"
		[[ $output == *$'\ngeneric-receive-offload: on'* ]] || fail "$end: $output"
	done
}

@test "what b transmits by XDP_TX arrives in the middle, without a program there" {
	local before after

	up --path a-r-b --middle bridge
	run -0 inside r ip -o link show egb
	[[ $output == *xdp* ]] || fail "no program on egb: $output"
	inside b "$TOOL" reflect eg0 -q --json >"$BATS_TEST_TMPDIR/reflect" &
	defer kill -INT $!
	wait_for sh -c "timeout 5 '$TOOL' lab exec b --name $lab ip -o link show eg0 | grep -q xdp"
	before=$(inside r cat /sys/class/net/egb/statistics/rx_packets)
	# Sent to by a socket: the answers come from the driver, and all of them get to r.
	inside a ping -q -c 7 -i 0.01 -W 1 198.18.0.2 || :
	after=$(inside r cat /sys/class/net/egb/statistics/rx_packets)
	[ $((after - before)) -ge 7 ] || fail "7 sent, $((after - before)) came back to r"
}

# held_by NAME: the program in the hook of ega in r has this name.
held_by() {
	[[ $(inside r ip -d link show ega) == *" name $1 "* ]]
}

@test "the middle's pass program gives way to a verb and comes back, also after kill -9" {
	local verb pid

	up --path a-r-b
	held_by ethgauge_pass
	for verb in "sink ega" "reflect ega" "sink ega --xdp-mode generic"; do
		# shellcheck disable=SC2086 # several words
		run -0 inside r "$TOOL" $verb --duration 300ms -q
		held_by ethgauge_pass
	done
	# From the other end of the wire, and into another namespace.
	run -0 --separate-stderr inside a "$TOOL" blast eg0 198.18.0.254 --count 101 --sink "ega@$lab-r" -q --json
	json '.metrics.received_packets == 101'
	held_by ethgauge_pass
	run -0 inside r "$TOOL" doctor ega --has xdp-hook-free
	nsenter --net="/run/netns/$lab-r" "$TOOL" sink ega -d 20s -q >/dev/null 2>&1 3>&- &
	pid=$!
	wait_for held_by sink_xdp
	kill -9 "$pid"
	wait_for held_by ethgauge_pass
	! pgrep -P 1 -x ethgauge-pass
	# What a process holds does not give way.
	nsenter --net="/run/netns/$lab-r" "$TOOL" sink ega -d 20s -q >/dev/null 2>&1 3>&- &
	pid=$!
	wait_for held_by sink_xdp
	run -3 inside r "$TOOL" reflect ega --duration 300ms
	kill -INT "$pid"
	kill "$pid"
	wait_for held_by ethgauge_pass
}

counts_of_both() {
	echo "$lab" "$(counts a | paste -sd ' ')" "$(counts b | paste -sd ' ')"
}

# all_counts: of three labs, a line each.
all_counts() {
	local name

	for name in "$lab" "$lab-2" "$lab-3"; do
		lab=$name counts_of_both
	done
}

@test "up returns when the kernel has sent its reports of multicast groups" {
	up
	# Two of each port, of which the other's are received.
	[ "$(counts_of_both)" = "$lab 2 2 2 2" ] || fail "$(counts_of_both)"
}

@test "nothing moves on an idle lab" {
	local before

	up
	timeout 20 "$TOOL" lab up -q --name "$lab-2" --path a-r-b
	timeout 20 "$TOOL" lab up -q --name "$lab-3" --path a-r-b --middle bridge
	# What reports multicast groups is due within milliseconds; a busy machine is later.
	nap 0.5
	before=$(all_counts)
	[ "$(wc -w <<<"$before")" = 15 ]
	# The fact is that nothing comes, so time must pass.
	sleep 2
	[ "$before" = "$(all_counts)" ] || fail "$before, then $(all_counts)"
}

@test "neighbours are known, so that a packet of a socket is one packet on the wire" {
	local before after

	up
	before=$(inside b cat /sys/class/net/eg0/statistics/rx_packets)
	inside a bash -c 'for i in 1 2 3 4 5 6 7; do echo x >/dev/udp/198.18.0.2/9; done' || :
	after=$(inside b cat /sys/class/net/eg0/statistics/rx_packets)
	[ $((after - before)) = 7 ] || fail "7 sent, $((after - before)) received"
}

@test "up leaves a lab that is up with these options as it is" {
	local before

	up --mtu 2000 --queues 1
	before=$(inside a readlink /proc/self/ns/net)
	run -0 --separate-stderr timeout 20 "$TOOL" lab up --json --name "$lab" --mtu 2000 --queues 1
	json '.notes[0] | contains("already up")'
	[ "$(inside a readlink /proc/self/ns/net)" = "$before" ]
}

@test "up with other options fails, says what differs, and changes nothing" {
	local before

	up --mtu 2000 --queues 1
	before=$(inside a readlink /proc/self/ns/net)
	run -4 --separate-stderr timeout 20 "$TOOL" lab up --name "$lab" --queues 2 --path a-r-b
	[[ $stderr == *"mtu 2000 (asked for 1500)"* ]] || fail "$stderr"
	[[ $stderr == *"queues 1 (asked for 2)"* ]] || fail "$stderr"
	[[ $stderr == *"path a-b (asked for a-r-b with a router)"* ]] || fail "$stderr"
	[[ $stderr == *"lab down --name $lab"* ]] || fail "$stderr"
	[ "$(inside a readlink /proc/self/ns/net)" = "$before" ]
	run -4 --separate-stderr timeout 20 "$TOOL" lab up --name "$lab" --mtu 2000 --queues 1 \
		--path a-r-b --middle bridge
	[[ $stderr == *"asked for a-r-b with a bridge"* ]] || fail "$stderr"
}

@test "two labs stand side by side and do not hear each other" {
	need_command ping
	up
	timeout 20 "$TOOL" lab up -q --name "$lab-2" --path a-r-b
	every_ping 3 56 "a 198.18.0.2"
	run timeout 20 "$TOOL" lab exec a --name "$lab-2" -- ping -q -c 1 -W 1 198.18.0.2
	[ "$status" != 0 ]
	"$TOOL" lab down -q --name "$lab-2"
	every_ping 3 56 "a 198.18.0.2"
}

@test "ip netns knows a lab, and finds its interfaces" {
	up
	ip netns list | grep -q "^$lab-a"
	# ip -n remounts /sys, which needs a root that is a mount point: not so in a plain chroot.
	if mountpoint -q /; then
		run -0 ip -n "$lab-b" -o -4 addr show dev eg0
	else
		run -0 nsenter --net="/run/netns/$lab-b" ip -o -4 addr show dev eg0
	fi
	[[ $output == *198.18.0.2/24* ]]
}

@test "down leaves nothing, and has nothing to do the second time" {
	up --path a-r-b --middle bridge
	[ -n "$(traces)" ]
	run -0 "$TOOL" lab down --name "$lab"
	gone || fail "left: $(traces)"
	run -0 --separate-stderr "$TOOL" lab down --json --name "$lab"
	json '.notes[0] | contains("was not up")'
}

@test "where nothing was there is nothing after up and down, under any name" {
	unshare -m true 2>/dev/null || cannot unshare "a root that is a mount point, which a chroot is not"
	run -0 unshare -m -n sh -c '
		mount -t tmpfs none /run/netns
		there() { ls -A /run/netns; ip -br link; cut -d " " -f 5 /proc/self/mountinfo; }
		before=$(there)
		"$0" lab up -q --name "$1" --path a-r-b --middle bridge >/dev/null
		there | grep -qvxF "$before" || echo "nothing was made"
		"$0" lab down -q --name "$1" >/dev/null 2>&1
		there | grep -vxF "$before" || :' "$TOOL" "$lab"
	[ -z "$output" ] || fail "$output"
}

has_process() {
	[ -n "$(ip netns pids "$1")" ]
}

@test "down takes the wires away from processes that are still in the lab" {
	local node

	up
	for node in a b; do
		inside "$node" sleep 30 &
		defer kill $!
		wait_for has_process "$lab-$node"
	done
	exec 8<"/run/netns/$lab-a"
	"$TOOL" lab down -q --name "$lab"
	gone
	run nsenter --net=/proc/self/fd/8 ip link show eg0
	exec 8<&-
	[[ $output == *"does not exist"* ]] || fail "$output"
}

@test "the first steps of the README end the sink with its result, before the lab" {
	local steps=$BATS_TEST_TMPDIR/steps bin=$BATS_TEST_TMPDIR/bin

	# The lines that use the lab, as they are, but for the lab's name. The sink must be ready when packets come.
	mkdir "$bin"
	printf '#!/bin/sh\nexec "$@"\n' >"$bin/sudo"
	printf '#!/bin/sh\n[ "$1" = lab ] || exec "%s" "$@"\naction=$2\nshift 2\nexec "%s" lab "$action" --name %s "$@"\n' \
		"$TOOL" "$TOOL" "$lab" >"$bin/ethgauge"
	chmod +x "$bin"/*
	sed -n '/^## First steps/,/^## /s/^\$ //p' "$TOP/README.md" | sed -n '/lab up/,/lab down/p' |
		grep -v 'watch eth1' | sed 's/\(.*sink eg0 *\)&/\1>sink.out 2>sink.err \&/;
			/sink.err/a until grep -q "receiving on" sink.err; do sleep 0.1; done
			/^sudo kill/a wait $! || echo "status $?"' >"$steps"
	grep -q 'sink.err' "$steps"
	cd "$BATS_TEST_TMPDIR"
	PATH=$bin:$PATH run -0 --separate-stderr timeout 60 bash -e "$steps"
	[[ $output == *$'\n'"status 143"$'\n'* && $output == *"lab '$lab' is down"* ]] || fail "$output $stderr"
	grep -qE '^received +[1-9]' sink.out || fail "$(cat sink.out sink.err)"
	[ -s run.html ]
}

@test "a killed up leaves nothing that down or the next up cannot cope with" {
	local i

	for i in 1 2 3 4 5 6 7 8 9 10 11; do
		"$TOOL" lab up -q --name "$lab" --path a-r-b >/dev/null 2>&1 &
		sleep "0.0$((i * 7))"
		kill -KILL $! 2>/dev/null || :
		wait $! 2>/dev/null || :
		if ((i % 2)); then
			"$TOOL" lab down -q --name "$lab"
			gone || fail "killed after $((i * 7)) ms: left $(traces)"
		else
			timeout 20 "$TOOL" lab up -q --name "$lab" --path a-r-b
			inside a true
		fi
	done
}

@test "up clears away what is left of a lab, and says so" {
	up --path a-r-b
	ip netns del "$lab-r"
	run -1 "$TOOL" lab status --name "$lab"
	[[ $output == *"FAIL"* ]] || fail "$output"
	run -0 --separate-stderr timeout 20 "$TOOL" lab up --name "$lab"
	[[ $stderr == *"is incomplete"* ]] || fail "$stderr"
	inside b true
	[ ! -e "/run/netns/$lab-r" ]
}

@test "a name that a killed process left without a namespace is removed" {
	up
	"$TOOL" lab down -q --name "$lab"
	: >"/run/netns/$lab-b"
	run -1 "$TOOL" lab status --name "$lab"
	timeout 20 "$TOOL" lab up -q --name "$lab"
	inside b true
	"$TOOL" lab down -q --name "$lab"
	: >"/run/netns/$lab-b"
	"$TOOL" lab down -q --name "$lab"
	gone || fail "$(traces)"
}

# all_labs: what status says of every lab; labs of tests that run beside this one may be half built just then.
all_labs() {
	run --separate-stderr "$TOOL" lab status --json
	[ "$status" -le 1 ] || fail "$stderr"
}

@test "a namespace that only has such a name is left alone" {
	ip netns add "$lab-b"
	defer ip netns del "$lab-b"
	run -4 --separate-stderr "$TOOL" lab up --name "$lab"
	[[ $stderr == *"not part of a lab"* ]] || fail "$stderr"
	[ ! -e "/run/netns/$lab-a" ]
	run -4 "$TOOL" lab down --name "$lab"
	[ -e "/run/netns/$lab-b" ]
	all_labs
	json --arg lab "$lab" 'all(.entries[]?; .lab != $lab)'
}

@test "up that fails half-way leaves nothing" {
	local files failed=0

	# Each further descriptor lets it come one step further; how many it needs depends on those it inherits.
	for files in {6..40}; do
		run prlimit --nofile="$files" timeout 20 "$TOOL" lab up -q --name "$lab" --path a-r-b
		[ "$status" = 0 ] && break
		gone || fail "$files descriptors: $output, left: $(traces)"
		failed=$((failed + 1))
	done
	[ "$status" = 0 ] && [ "$failed" -gt 5 ] || fail "failed $failed times, at last: $output"
	inside r true
}

@test "exec passes arguments and the exit status through" {
	up
	run -7 inside a sh -c 'exit 7'
	run -0 inside a printf '%s|' "two words" -v --name ''
	[ "$output" = "two words|-v|--name||" ]
	run -0 timeout 20 "$TOOL" lab exec --name "$lab" a echo -n --json
	[ "$output" = "--json" ]
	run -143 inside a sh -c 'kill -TERM $$'
}

@test "exec says 127 of a command that is not there, and 126 of one that does not run" {
	up
	run -127 inside a no-such-command
	[[ $output == *"no-such-command"* ]] || fail "$output"
	run -126 inside a /etc
}

@test "a command in the lab dies of a broken pipe, as elsewhere" {
	up
	run inside a bash -c 'yes | head -n 1 >/dev/null; echo "${PIPESTATUS[0]}"'
	[ "$output" = 141 ] || fail "$output"
}

@test "sysfs in the lab shows the lab, with the mounts below it" {
	up
	run -0 inside a ls /sys/class/net
	[ "$output" = $'eg0\nlo' ] || fail "$output"
	run -0 inside a stat -f -c %T /sys/fs/cgroup
	[ "$output" = "$(stat -f -c %T /sys/fs/cgroup)" ]
	# And nothing of that is seen outside.
	[ ! -e /sys/class/net/eg0 ]
}

@test "status shows each lab that is up, and fails for one that is not" {
	up --path a-r-b --mtu 4000
	timeout 20 "$TOOL" lab up -q --name "$lab-2"
	all_labs
	json --arg lab "$lab" '[.entries[] | select(.lab == $lab) | .interface] == ["eg0", "ega", "egb", "eg0"]'
	json --arg lab "$lab-2" '[.entries[] | select(.lab == $lab)] | length == 2'
	json --arg lab "$lab" 'all(.entries[] | select(.lab == $lab); .mtu == 4000 and .wire == "up")'
	inside b ip link set dev eg0 down
	run -0 --separate-stderr "$TOOL" lab status --json --name "$lab"
	json '[.entries[] | select(.wire == "down") | .interface] == ["egb", "eg0"]'
	"$TOOL" lab down -q --name "$lab"
	run -1 "$TOOL" lab status --name "$lab"
}

@test "a bad name or node is refused before anything happens" {
	local name

	for name in ../x a/b -x _x "a b" "" ä "$(printf 'x%.0s' {1..33})"; do
		run -2 "$TOOL" lab up --name "$name"
	done
	run -2 "$TOOL" lab exec c --name "$lab" true
	[[ $output == *"not one of: a, b, r"* ]] || fail "$output"
	run -2 "$TOOL" lab exec a --name "$lab"
	run -2 "$TOOL" lab exec
	run -2 "$TOOL" lab sideways
	run -2 "$TOOL" lab up "$lab"
	run -2 "$TOOL" lab down --name "$lab" --mtu 1500
	run -2 "$TOOL" lab up --name "$lab" --middle bridge
	run -2 "$TOOL" lab up --name "$lab" --mtu 67
	run -2 "$TOOL" lab up --name "$lab" --queues 4097
	gone
}

@test "a node that the lab does not have, and a lab that is not up, are named" {
	up
	run -2 inside r true
	[[ $output == *"no node 'r'"* ]] || fail "$output"
	"$TOOL" lab down -q --name "$lab"
	run -4 inside a true
	[[ $output == *"'$lab' is not up"* ]] || fail "$output"
}

# held NETNS...: one of them is still in use: by a process, a descriptor, a mount.
held() {
	local ns

	for ns; do
		[ -n "$(find /proc/[0-9]*/fd /proc/[0-9]*/ns -lname "${ns/[/\\[}" -print -quit 2>/dev/null)" ] &&
			return
		grep -qF "$ns" /proc/self/mountinfo && return
	done
	return 1
}

nobody_holds() {
	! held "$@"
}

# demo_spaces PID: the namespaces of a demo's lab, which has no name.
demo_spaces() {
	find "/proc/$1/fd" -lname 'net:*' -printf '%l\n' 2>/dev/null
}

has_spaces() {
	[ "$(demo_spaces "$1" | wc -l)" -ge 2 ]
}

@test "a lab without a name is gone with its process, be it killed" {
	local pid spaces

	"$TOOL" demo >/dev/null 2>&1 &
	pid=$!
	defer kill -KILL "$pid"
	wait_for has_spaces "$pid"
	mapfile -t spaces < <(demo_spaces "$pid")
	held "${spaces[@]}"
	kill -KILL "$pid"
	wait_for nobody_holds "${spaces[@]}"
	[ -z "$(ip -br link | awk '$1 ~ /^eg0/')" ]
}

@test "without privilege lab says what it needs" {
	run -3 unprivileged "$TOOL" lab up --name "$lab"
	[[ $output == *CAP_SYS_ADMIN* ]] || fail "$output"
	gone
}
