#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# sweep: every cell as often as asked, in turn, and nothing left changed. Its runs are
# of calc, which is quick and exact, but where settings and signals are the matter.

load ../lib/common
load ../lib/lab

@test "every cell is run as often as asked, all in turn, beside theory" {
	run --separate-stderr "$TOOL" sweep --vary vlan-tags=0,1,2 --vary --mtu=1500,9000 --repeat 3 \
		--metric theory_tcp_goodput_bps --theory tcp --link 10G --json -- calc 10G
	[ "$status" = 0 ]
	json '(.entries | length) == 6 and all(.entries[]; .runs == 3 and .min == .median and .max == .median)'
	json '.entries[3] | ."vlan-tags" == "1" and .mtu == "9000" and (.median - 10e9 * 8948 / 9042 | fabs) < 1'
	# Without the tag, of which --theory does not know, calc is its own theory.
	json '.entries[1] | .theory == .median and .off_theory_ratio == 0'
	json '.entries[2] | .off_theory_ratio < 0 and .off_theory_ratio > -0.01'
	# Two cells of six a line of progress, in turn: 1 and 7 are the same cell.
	[ "$(grep -c 'vlan-tags=0 mtu=1500' <<<"$stderr")" = 3 ]
	[[ $(sed -n 1p <<<"$stderr") == *"run 1 of 18"*"vlan-tags=0 mtu=1500" ]]
	[[ $(sed -n 7p <<<"$stderr") == *"run 7 of 18: vlan-tags=0 mtu=1500, "*" left" ]]
}

@test "each cell is a bar beside theory, with its median and share of it" {
	local bars

	run --separate-stderr "$TOOL" sweep --vary vlan-tags=0,2 --vary --mtu=256,9000 --repeat 2 \
		--metric theory_tcp_goodput_bps --theory tcp --link 10G -- calc 10G
	[ "$status" = 0 ]
	bars=$(grep -A4 '^vlan-tags  mtu   0 to 9.9' <<<"$output")
	grep -qE '^0          256   =+o +6.939 Gbit/s  100 %$' <<<"$bars"
	# Two tags are 8 bytes more on the wire: 302 for 294, 9046 for 9038.
	grep -qE '^2          256   =+o\| +6.755 Gbit/s  97.351 %$' <<<"$bars"
	grep -qE '^2          9000  =+o +9.892 Gbit/s  99.912 %$' <<<"$bars"
}

@test "a sweep that was ended goes on, and only as the same sweep" {
	local file=$BATS_TEST_TMPDIR/state
	local words

	words=(--vary "vlan-tags=0,1" --repeat 2 --metric theory_tcp_rr_per_s --state "$file" -- calc 10G)

	run --separate-stderr "$TOOL" sweep --json "${words[@]}"
	[ "$status" = 0 ]
	[ "$(wc -l <"$file")" = 6 ]
	cp "$file" "$file.whole"
	# As if it was killed in its third run.
	head -n 4 "$file.whole" >"$file"
	printf 12 >>"$file"
	run --separate-stderr "$TOOL" sweep --json "${words[@]}"
	[ "$status" = 0 ]
	json '(.notes[0] | startswith("2 of 4 runs were read from")) and all(.entries[]; .runs == 2)'
	[ "$(grep -c 'run [0-9] of 4' <<<"$stderr")" = 2 ]
	cmp "$file" "$file.whole"
	run --separate-stderr "$TOOL" sweep "${words[@]}" --ip 6
	[ "$status" = 2 ]
	[[ $stderr == *"not a state file of this sweep"* ]]
}

@test "a failed run ends the sweep, or is skipped and reported, also after resuming" {
	local words=(--vary "data=x,@$BATS_TEST_TMPDIR/none,y" --repeat 2 --metric load_failed
		--state "$BATS_TEST_TMPDIR/state" --json -- load http://127.0.0.1:1/ -c 2 -i 0)

	run --separate-stderr "$TOOL" sweep "${words[@]}"
	[ "$status" = 4 ]
	json '(.entries | length) == 1 and (.errors[0].what | contains("cannot read"))'
	run --separate-stderr "$TOOL" sweep --skip-failed "${words[@]}"
	[ "$status" = 1 ]
	json '[.entries[] | .runs, .failed] == [2, 0, 0, 2, 2, 0] and .entries[1].median == null and
		.entries[2].median == .entries[2].min and .verdicts[0].what == "2 of 6 runs failed"'
	run --separate-stderr "$TOOL" sweep "${words[@]}"
	[ "$status" = 1 ]
	json '.entries[1].failed == 2'
}

# refused_first WHAT WORD...: what a verb or the dictionary does not know is found before the first run
refused_first() {
	run --separate-stderr "$TOOL" sweep "${@:2}"
	[ "$status" = 2 ]
	[ -z "$output" ]
	[[ $stderr == *"$1"* ]] || fail "$stderr"
	[[ $stderr != *"run 1"* ]]
}

@test "a wrong parameter, value, verb or figure is found before the first run" {
	local some=(--metric theory_link_bps -- calc 10G)

	refused_first "'calc' with vlan-tagz=0: unknown option '--vlan-tagz'" --vary vlan-tagz=0,1 "${some[@]}"
	[[ $stderr == *"did you mean '--vlan-tags'"* ]]
	refused_first "'calc' with vlan-tags=99: --vlan-tags: 0 to 2, not '99'" --vary vlan-tags=0,99 "${some[@]}"
	refused_first "'calcc' with what=calcc: unknown verb" --vary what=calc,calcc --metric theory_link_bps -- '{what}' 10G
	refused_first "there is no figure 'theory_lnk_bps'" --vary vlan-tags=0 --metric theory_lnk_bps -- calc 10G
	[[ $stderr == *"did you mean 'theory_link_bps'"* ]]
	refused_first "unknown option '--txqueulen'" --dev lo --vary txqueulen=100,1000 "${some[@]}"
	[[ $stderr == *"did you mean 'txqueuelen'"* ]]
	# An option that is like a setting is no mistake.
	refused_first "busy-poll accepts no value" --vary busy-poll=x --metric sent_pps -- blast lo 198.18.0.2 -d 1s
	[[ $stderr != *"did you mean"* ]]
	# With --skip-failed only if no run at all could begin.
	refused_first "unknown option '--vlan-tagz'" --skip-failed --vary vlan-tagz=0,1 "${some[@]}"
	run --separate-stderr "$TOOL" sweep --skip-failed --repeat 1 --vary vlan-tags=0,99 --json "${some[@]}"
	[ "$status" = 1 ]
	json '[.entries[].failed] == [0, 1]'
}

@test "a run whose criterion was not met counts, and the sweep says so" {
	run --separate-stderr "$TOOL" sweep --vary clients=1,2 --repeat 1 --metric load_failed --json -- \
		load http://127.0.0.1:1/ -c 2 -i 0 --no-failures
	[ "$status" = 0 ]
	json 'all(.entries[]; .median == 2) and any(.notes[]; startswith("2 runs failed a criterion of"))'
}

@test "a value takes its {NAME} among the words, also as the verb, and a flag is yes or no" {
	run --separate-stderr "$TOOL" sweep --vary what=calc --vary speed=1,10 --vary quiet=no,yes --repeat 1 \
		--metric theory_link_bps --json -- '{what}' '{speed}G'
	[ "$status" = 0 ]
	json '[.entries[].median] == [1e9, 1e9, 10e9, 10e9]'
}

@test "studies are listed, and run with words of the user's in place of their own" {
	need_root
	run --separate-stderr "$TOOL" sweep --list --json
	[ "$status" = 0 ]
	json '(.entries | length) > 10 and all(.entries[]; .study != "" and .what != "")'
	run --separate-stderr "$TOOL" sweep --list buffers
	[ "$status" = 0 ]
	[[ $output == *"ethgauge serve"*"--send-buffer {buffer} --remote-receive-buffer {buffer}"* ]]
	lab_up
	start served b serve
	tool_in a sweep --repeat 1 --json --vary buffer=4k,64k --vary nodelay=no buffers 198.18.0.2 -d 100ms --omit 0s
	[ "$status" = 0 ] || fail "$stderr"
	json '[.entries[] | .buffer, .nodelay] == ["4k", "no", "64k", "no"] and all(.entries[]; .median > 0) and
		.environment.words == "--metric payload_received_bps --vary buffer=4k,64k --vary nodelay=no " +
		"-- tcp stream 198.18.0.2 -d 1s --omit 200ms -i 0 --send-buffer {buffer} " +
		"--remote-receive-buffer {buffer} -d 100ms --omit 0s"'
	# Both ends' MTU, or it would stay 1500 in one direction; and what calc says of it over IPv6.
	tool_in a sweep --repeat 1 --json --dev eg0 --dev "eg0@$LAB-b" --vary mtu=1280,9000 \
		--link 1T mtu-udp6 2001:2::2 -d 100ms --omit 0s
	[ "$status" = 0 ] || fail "$stderr"
	json '[.entries[] | .theory * 1e-12 | . * 1e6 | floor] ==
		[(1232 / 1318, 8952 / 9038) | . * 1e6 | floor] and all(.entries[]; .median > 0)'
}

@test "theory takes MTU and directions from the run" {
	need_root
	lab_up --mtu 9000
	start served b serve
	tool_in a sweep --vary parallel=1,2 --repeat 1 --metric payload_received_bps --theory tcp --link 1T \
		--json -- tcp stream 198.18.0.2 -d 300ms --omit 0s -i 0
	[ "$status" = 0 ] || fail "$stderr"
	json 'all(.entries[]; .theory - 1e12 * 8948 / 9038 | fabs < 1)'
	tool_in a sweep --vary parallel=1 --repeat 1 --metric payload_received_bps --theory tcp --link 1T \
		--json -- tcp stream 198.18.0.2 -d 300ms --omit 0s -i 0 --bidir
	[ "$status" = 0 ] || fail "$stderr"
	json 'all(.entries[]; .theory - 2e12 * 8948 / 9038 | fabs < 1)'
	tool_in a sweep --vary parallel=1 --repeat 1 --metric payload_received_bps --theory tcp --link 1T \
		--duplex half --json -- tcp stream 198.18.0.2 -d 300ms --omit 0s -i 0 --bidir
	[ "$status" = 0 ] || fail "$stderr"
	json 'all(.entries[]; .theory - 1e12 * 8948 / 9038 | fabs < 1)'
}

# A tap device reports the duplex that is set.
@test "theory takes the duplex from the run's interface, or from --duplex" {
	local words=(--vary duration=100ms --repeat 1 --metric received_packets --theory tcp --link 10M --json)

	need_root
	need_command ethtool
	lab_up
	in_a ip tuntap add tap7 mode tap || cannot tun "the kernel's tap device"
	in_a ethtool -s tap7 speed 10 duplex full autoneg off
	in_a ip link set tap7 up
	tool_in a sweep "${words[@]}" -- sink tap7 --count-only
	is 0
	json '.entries[0].theory - 10e6 * 1448 / 1538 | fabs < 1e-3'
	tool_in a sweep "${words[@]}" --duplex half -- sink tap7 --count-only
	is 0
	json '.entries[0].theory - 10e6 * 2896 / 3166 | fabs < 1e-3'
	in_a ethtool -s tap7 duplex half
	tool_in a sink tap7 --count-only -d 100ms --json
	json '.environment.duplex == "half" and .environment.link_bps == 10e6'
	tool_in a sweep "${words[@]}" -- sink tap7 --count-only
	is 0
	json '.entries[0].theory - 10e6 * 2896 / 3166 | fabs < 1e-3'
}

@test "the far end's settings change too, and two sweeps do not share a file" {
	need_root
	export STATE_DIRECTORY=$BATS_TEST_TMPDIR/settings
	local file=$BATS_TEST_TMPDIR/state words

	lab_up
	words=(sweep --vary mtu=1400 --metric sent_pps --dev eg0 --dev "eg0@$LAB-b" --state "$file" --
		blast eg0 198.18.0.2 --rate 100pps --duration 60s)
	far_is() { in_b ip link show eg0 | grep -q "mtu $1 "; }
	near_is() { in_a ip link show eg0 | grep -q "mtu $1 "; }

	start_cmd swept a 'run 1 of 3' "$TOOL" "${words[@]}"
	wait_for far_is 1400
	near_is 1400
	# Without settings, so that it is the file that is in the way.
	run --separate-stderr "$TOOL" sweep --vary vlan-tags=0 --metric theory_link_bps --state "$file" -- calc
	[ "$status" = 4 ]
	says "another sweep is using '$file'"
	kill -INT "${PIDS[swept]}"
	wait "${PIDS[swept]}" && fail "it went on" || [ $? = 130 ]
	far_is 1500
	near_is 1500

	start_cmd swept a 'run 1 of 3' "$TOOL" "${words[@]}"
	wait_for far_is 1400
	kill -KILL "${PIDS[swept]}"
	wait "${PIDS[swept]}" || :
	tool_in a tune --restore
	near_is 1500
	# The far end is still changed: the result names where, and how.
	tool_in a "${words[@]}"
	is 4
	says "ip netns exec $LAB-b ethgauge tune --restore"
	tool_in b tune --restore
	is 0
	far_is 1500
}

@test "words that make no sweep are usage errors" {
	local words

	while read -ra words; do
		run --separate-stderr "$TOOL" sweep "${words[@]}"
		[ "$status" = 2 ] || fail "${words[*]}: $status"
		[ -z "$output" ]
	done <<-'END'
		--metric sent_pps -- calc
		--vary a=1 -- calc
		--vary a=1 --metric x
		--vary a --metric x -- calc
		--vary a=1,1 --metric x -- calc
		--vary a=1 --metric x -- sweep
		--vary a=1 --metric x --theory tcp -- calc
		--vary a=1 --metric x --link 10G -- calc
		--vary a=1 --metric x --duplex half -- calc
		--vary a=1 --metric x --repeat 0 -- calc
		--list nosuch
		buffers
		buffers --json
		buffers HOST --json
		buffers HOST -d 1s --repeat 1
		--vary a=1 --metric x -- calc -o FILE
		--vary mtu=1400 --metric theory_link_bps -- calc
		--dev eg0@ --vary mtu=1400 --metric x -- calc
		--dev @b --vary mtu=1400 --metric x -- calc
	END
}

@test "settings are changed for each run, and put back at the end, after ^C and by tune after a kill" {
	need_root
	export STATE_DIRECTORY=$BATS_TEST_TMPDIR/settings
	local before seen=$BATS_TEST_TMPDIR/seen

	lab_up
	before=$(in_a sh -c 'cat /proc/sys/net/ipv4/tcp_sack /proc/sys/net/ipv4/tcp_rmem; cat /proc/sys/net/ipv4/tcp_wmem')
	tool_in a sweep --vary tcp_sack=0,1 --vary 'tcp_rmem=4096 131072 7000000,4096 131072 8000000' --repeat 1 \
		--metric theory_link_bps --json -- tune --link 10G --rtt 1ms
	[ "$status" = 0 ] || fail "$stderr"
	json '(.entries | length) == 4 and .entries[1].tcp_rmem == "4096 131072 8000000"'
	[ "$(in_a sh -c 'cat /proc/sys/net/ipv4/tcp_sack /proc/sys/net/ipv4/tcp_rmem; cat /proc/sys/net/ipv4/tcp_wmem')" = "$before" ]

	start_cmd swept a 'run 1 of 3' "$TOOL" sweep --vary tcp_sack=0 --metric sent_pps --state "$seen" -- \
		blast eg0 198.18.0.2 --rate 100pps --duration 60s
	sack_off() { [ "$(in_a cat /proc/sys/net/ipv4/tcp_sack)" = 0 ]; }
	wait_for sack_off
	kill -INT "${PIDS[swept]}"
	wait "${PIDS[swept]}" && fail "it went on" || [ $? = 130 ]
	[ "$(in_a cat /proc/sys/net/ipv4/tcp_sack)" = 1 ]

	start_cmd swept a 'run 1 of 3' "$TOOL" sweep --vary tcp_sack=0 --metric sent_pps --state "$seen" -- \
		blast eg0 198.18.0.2 --rate 100pps --duration 60s
	wait_for sack_off
	kill -KILL "${PIDS[swept]}"
	wait "${PIDS[swept]}" || :
	tool_in a sweep --vary tcp_sack=0 --metric theory_link_bps -- calc
	[ "$status" = 4 ]
	[[ $stderr == *"ethgauge tune --restore"* ]]
	tool_in a doctor --has no-left-settings
	[ "$status" = 1 ]
	tool_in a tune --restore
	[ "$status" = 0 ]
	tool_in a doctor --has no-left-settings
	[ "$status" = 0 ]
	[ "$(in_a cat /proc/sys/net/ipv4/tcp_sack)" = 1 ]
}
