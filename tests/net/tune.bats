#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# tune: what it changes is what is named, and --restore leaves no trace. In a lab's
# namespaces alone, and with a state directory of the test's own.

load ../lib/common
load ../lib/lab

setup() {
	need_root
	export STATE_DIRECTORY=$BATS_TEST_TMPDIR/state
	lab_up --queues 2
}

# value NAME: of a sysctl in a, as the kernel prints it.
value() {
	in_a cat "/proc/sys/${1//.//}"
}

# Everything that the tests change, of both nodes.
all_values() {
	local node

	for node in a b; do
		nsenter --net="/run/netns/$LAB-$node" sh -c "
			cat /proc/sys/net/ipv4/tcp_rmem /proc/sys/net/ipv4/tcp_wmem \
				/proc/sys/net/ipv4/tcp_sack /proc/sys/net/ipv4/tcp_congestion_control
			ip -d -o link show eg0; ethtool -k eg0; ethtool -l eg0 || :" 2>/dev/null
	done
}

saved() {
	find "$STATE_DIRECTORY" -name 'tune-*' 2>/dev/null | wc -l
}

changed() {
	[ "$status" = 0 ] || fail "exit $status"$'\n'"$stderr"
}

@test "a congestion control that a network namespace may not use is refused, with what permits it" {
	local name

	for name in $(value net.ipv4.tcp_available_congestion_control); do
		! in_b sh -c "echo $name >/proc/sys/net/ipv4/tcp_congestion_control" 2>/dev/null || continue
		tool_in a tune --apply "tcp_sack=0,tcp_congestion_control=$name"
		is 4
		says "tcp_allowed_congestion_control of the host"
		[ "$(value net.ipv4.tcp_sack)" = 1 ]
		return
	done
	cannot restricted-congestion-control "a congestion control that the host does not allow to all"
}

# bats test_tags=core
@test "apply changes what is named and restore puts it back, interface and all" {
	need_command ethtool ip
	local before what=tcp_rmem,net.ipv4.tcp_sack=0,tcp_congestion_control=reno,mtu=1400,txqueuelen=997,rx-gro=off
	local nr=6

	# On 5.10 the number of veth's queues is fixed.
	! in_a ethtool -l eg0 >/dev/null 2>&1 || { what+=,rx-queues=1 && nr=7; }
	before=$(all_values)
	tool_in a tune eg0 --link 10G --rtt 25ms --json --apply "$what"
	changed
	[ "$(value net.ipv4.tcp_rmem | cut -f 3)" = 62500000 ]
	[ "$(value net.ipv4.tcp_sack)" = 0 ]
	[ "$(value net.ipv4.tcp_congestion_control)" = reno ]
	in_a ip link show eg0 | grep -q 'mtu 1400 .*qlen 997'
	in_a ethtool -k eg0 | grep -q '^generic-receive-offload: off'
	[ "$(value net.ipv4.tcp_wmem)" = "$(in_b cat /proc/sys/net/ipv4/tcp_wmem)" ]
	[ "$(saved)" = 1 ]
	tool_in a tune eg0 --json
	json --arg nr $nr '.notes | map(select(startswith("\($nr) settings changed by --apply"))) | length == 1'
	tool_in a tune --restore --json
	changed
	json --argjson nr $nr '(.verdicts | length) == $nr and all(.verdicts[]; .pass)'
	[ "$(all_values)" = "$before" ]
	[ "$(saved)" = 0 ]
}

@test "two applies and one restore lead to what was before the first" {
	local before

	before=$(all_values)
	tool_in a tune --apply 'tcp_rmem=4096 131072 9000000,tcp_sack=0'
	changed
	tool_in a tune --apply 'tcp_rmem=4096 131072 8000000,tcp_wmem=4096 16384 5000000'
	changed
	[ "$(value net.ipv4.tcp_rmem | cut -f 3)" = 8000000 ]
	tool_in a tune --restore
	changed
	[ "$(all_values)" = "$before" ]
	[[ $output == *"PASS  net.ipv4.tcp_rmem: restored to "* ]]
}

@test "a bad value among good ones leaves all unchanged" {
	local before words

	before=$(all_values)
	while read -r words; do
		tool_in a tune --apply "tcp_sack=0,$words"
		[ "$status" = 2 ] || fail "$words: exit $status"
		[ "$(value net.ipv4.tcp_sack)" = 1 ] || fail "$words: something was changed"
	done <<-'END'
		tcp_rmem=4096
		tcp_rmem=4096 131072 x
		tcp_rmem=4096 131072 100
		tcp_rmem=4096 131072 99999999999
		tcp_rmem
		tcp_ecn
		tcp_congestion_control=../x
		tcp_sack=1
		tcp_fack=1
		tcp_tw_recycle=1
		no_such=1
		mtu=1400
		tcp_dsack=
		,
	END
	[ "$(all_values)" = "$before" ]
	[ "$(saved)" = 0 ]
}

@test "what the kernel refuses undoes what was changed before it" {
	local before list

	before=$(all_values)
	for list in tcp_rmem='4096 131072 9000000',tcp_congestion_control=nosuch mtu=1400,mtu=1300 \
		tcp_sack=0,rx-queues=1,mtu=70000 tcp_sack=0,tcp_mem='1 2 3'; do
		tool_in a tune eg0 --apply "$list"
		[ "$status" != 0 ] || fail "$list was taken"
		[[ $output != *" -> "* ]]
		[ "$(all_values)" = "$before" ] || fail "$list: something is changed"
		[ "$(saved)" = 0 ]
	done
}

@test "an mtu that would take IPv6 addresses away is refused, and taken where there are none" {
	tool_in a tune eg0 --apply mtu=1279
	[ "$status" = 2 ]
	[[ $stderr == *"IPv6 addresses of 'eg0'"*"ip -6 address flush dev eg0"* ]]
	[ "$(saved)" = 0 ]
	in_a ip -6 address flush dev eg0 scope global
	tool_in a tune eg0 --apply mtu=1279
	[ "$status" = 0 ]
	tool_in a tune --restore
	[ "$status" = 0 ]
	in_a ip link show eg0 | grep -q 'mtu 1500 '
}

@test "restore puts back after a kill at any moment" {
	local before round pid

	before=$(all_values)
	for round in 10 13 16 19 22 25 28 31 37 43; do
		# Here in a moment's time: no test can ask for one, so many are tried.
		nsenter --net="/run/netns/$LAB-a" "$TOOL" tune eg0 -q --apply \
			"tcp_rmem=4096 131072 90000$round,tcp_sack=0,mtu=14$round,txqueuelen=9$round,tcp_wmem=4096 16384 7000000" \
			>/dev/null 2>&1 3>&- &
		pid=$!
		sleep "0.0$round"
		kill -KILL "$pid" 2>/dev/null || :
		wait "$pid" 2>/dev/null || :
		# As if some of them had not been cleaned up.
		((round % 2)) || continue
		tool_in a tune --restore
		changed
		[ "$(all_values)" = "$before" ] || fail "round $round: $(diff <(echo "$before") <(all_values))"
		[ "$(saved)" = 0 ]
	done
}

@test "what was saved before a kill and never changed is restored to itself" {
	local before state

	before=$(all_values)
	tool_in a tune --apply tcp_sack=0
	changed
	state=$(find "$STATE_DIRECTORY" -name 'tune-*')
	echo 1 | in_a tee /proc/sys/net/ipv4/tcp_sack >/dev/null
	printf 'net.ipv4.tcp_dsack\t\t0\t1\n' >>"$state"
	tool_in a tune --restore
	changed
	[ "$(all_values)" = "$before" ]
}

@test "restore with nothing saved says so and is no error" {
	tool_in a tune --restore
	[ "$status" = 0 ]
	[[ $output == *"nothing to restore"* ]]
}

@test "a namespace's changes are its own" {
	tool_in a tune --apply tcp_sack=0
	changed
	tool_in b tune --restore
	[[ $output == *"nothing to restore"* ]]
	[ "$(value net.ipv4.tcp_sack)" = 0 ]
	tool_in b tune --apply tcp_sack=0
	[ "$(saved)" = 2 ]
	tool_in a tune --restore
	[ "$(value net.ipv4.tcp_sack)" = 1 ]
	[ "$(in_b cat /proc/sys/net/ipv4/tcp_sack)" = 0 ]
}

@test "an earlier boot's state is nothing, and a damaged one is refused" {
	local state

	tool_in a tune --apply tcp_sack=0
	state=$(find "$STATE_DIRECTORY" -name 'tune-*')
	cp "$state" "$BATS_TEST_TMPDIR/good"
	sed -i '2s/.*/boot 00000000-0000-0000-0000-000000000000/' "$state"
	tool_in a tune --restore
	[ "$status" = 0 ]
	[[ $output == *"nothing to restore"* ]]
	[ "$(value net.ipv4.tcp_sack)" = 0 ]
	head -c -3 "$BATS_TEST_TMPDIR/good" >"$state"
	tool_in a tune --restore
	[ "$status" = 4 ]
	[[ $stderr == *"cannot parse '$state'"* ]]
	cp "$BATS_TEST_TMPDIR/good" "$state"
	tool_in a tune --restore
	[ "$(value net.ipv4.tcp_sack)" = 1 ]
}

@test "a vanished interface is reported, and the rest is restored" {
	in_a ip link add eg9 type veth peer name eg8
	tool_in a tune eg9 --apply mtu=1400,tcp_sack=0
	changed
	in_a ip link del eg9
	tool_in a tune --restore
	[ "$status" = 0 ]
	[[ $output == *"interface 'eg9' no longer exists"* ]]
	[ "$(value net.ipv4.tcp_sack)" = 1 ]
	[ "$(saved)" = 0 ]
}

@test "tune recommends values for a path, given by interface or address" {
	local rmem

	rmem=$(value net.ipv4.tcp_rmem | tr '\t' ' ')
	tool_in a tune 198.18.0.2 --link 10G --rtt 25ms --json
	[ "$status" = 0 ]
	json '.environment.interface == "eg0" and .environment.path_mtu == 1500 and .metrics.theory_bdp_bytes == 31250000'
	json --arg rmem "$rmem" '.parts[0].entries[0] | .setting == "net.ipv4.tcp_rmem" and .value == $rmem and
		.state == "change" and (.recommended | endswith(" 62500000")) and (.source | contains("RFC 6349"))'
	json '.parts[] | select(.name == "interface") | .entries[] | select(.setting == "mtu") | .value == "1500"'
	json '[.parts[0].entries[] | select(.state == "obsolete") | .setting | ltrimstr("net.ipv4.")] ==
		["tcp_tw_recycle", "tcp_fack", "tcp_low_latency"]'
	json '[.parts[].entries[] | select(.state == "unknown") | .setting] - ([.parts[].self.details[] |
		select(.why_unknown != "") | .setting]) == []'
	# Small windows are enough for a short path, and nothing is asked without one.
	tool_in a tune eg0 --link 1G --rtt 1ms --json
	json '.parts[0].entries[0].state == "ok"'
	tool_in a tune --json
	json '.parts[0].entries[0] | .state == "path unknown" and .recommended == ""'
	tool_in a tune tcp_sack=0
	is 2
	says "--apply tcp_sack=0"
	[ "$(saved)" = 0 ]
	[ ! -e "$STATE_DIRECTORY" ]
}
