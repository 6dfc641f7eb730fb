#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# bats file_tags=net
# How runs end: by a signal, by kill -9, because their interface goes away, or
# before they have begun.

load ../lib/common
load ../lib/lab
load ../lib/servers

setup() {
	need_root
	need_command jq
}

has_live() {
	"$TOOL" doctor --has xdp-live-frames >/dev/null 2>&1
}

# The runs that have an end of their own only after a minute. Each with its name,
# its node and what it counts.
long_runs() {
	sed "$(has_live || echo '/--engine live/d'); s/60s/$((60 * TESTS_SLOW))s/" <<-'END'
		sink b received sink eg0
		live a sent blast eg0 198.18.0.2 --engine live --duration 60s
		livepaced a sent blast eg0 198.18.0.2 --engine live --duration 60s --rate 1kpps
		livespun a sent blast eg0 198.18.0.2 --engine live --duration 60s --rate 20kpps
		afxdp a sent blast eg0 198.18.0.2 --engine afxdp --duration 60s
		afxdppaced a sent blast eg0 198.18.0.2 --engine afxdp --duration 60s --rate 1kpps
		probe a sent probe eg0 198.18.0.2 --duration 60s --rate 2kpps --engine live
		probexdp a sent probe eg0 198.18.0.2 --duration 60s --rate 2kpps --engine afxdp
	END
}

# each_run FUNCTION: calls it with each of those lines, in words.
each_run() {
	local line runs

	mapfile -t runs < <(long_runs)
	for line in "${runs[@]}"; do
		# shellcheck disable=SC2086 # words
		"$1" $line
	done
}

# More than 100 packets have gone from a to b, so every run has something to count.
packets_flow() {
	[ "$(counter b rx_packets)" -gt $((BEFORE + 100)) ]
}

# under_way NAME NODE WHAT VERB...: starts it, with traffic for a sink, and waits for packets.
under_way() {
	BEFORE=$(counter b rx_packets)
	start "$1" "$2" "${@:4}"
	[ "$4" != sink ] || numbers 0 210 | send_tags
	wait_for packets_flow
}

# whole_document VERB WHAT: of a run that was cut short, and what it had counted.
whole_document() {
	json --arg verb "$1" --arg key "$2_packets" '.command == $verb and .format == 1 and
		has("config") and has("environment") and .metrics[$key] > 100'
	[ "$1" != sink ] || json '.metrics | .received_packets == 211 and .lost_packets == 0'
}

ends_by_int() {
	under_way "$@"
	finish "$1" INT
	is 130
	whole_document "$4" "$3"
	json 'has("errors") | not'
	hook_is_free "$2"
	[ "$4" != blast ] || json '.metrics | .driver_tx_packets == .sent_packets and
		($slow > 0 or .not_sent_packets == 0)'
}

ends_by_term() {
	under_way "$@"
	finish "$1" TERM
	is 143
	whole_document "$4" "$3"
	hook_is_free "$2"
}

# bats test_tags=core
@test "^C ends each verb with status 130 and the whole result" {
	need af-xdp
	lab_up
	each_run ends_by_int
}

@test "SIGTERM ends each verb with status 143 and the whole result" {
	need af-xdp
	lab_up
	each_run ends_by_term
}

@test "^C prints the summary as text, too" {
	lab_up
	start_cmd sink b "receiving on" "$TOOL" sink eg0
	numbers 0 210 | send_tags
	finish sink INT
	is 130
	[[ $output =~ received\ +211 ]] || fail "$output"
	[[ $output =~ lost\ +0 ]] || fail "$output"
}

@test "^C while probe waits for the last reflections ends it at once, with the result" {
	lab_up
	before=$(counter a tx_packets)
	start probe a probe eg0 198.18.0.2 --count 101 --rate 10kpps --wait 60s
	all_sent() {
		[ $(($(counter a tx_packets) - before)) -ge 101 ]
	}
	wait_for all_sent
	finish probe INT
	is 130
	json '.metrics | .sent_packets == 101 and .lost_packets == 101'
}

# exchange_works: the wire is as good as new.
exchange_works() {
	local engine engines=(afxdp afxdp)

	! has_live || engines[0]=live
	start check b sink eg0 --count 2018 --duration 10s --expect 2018 --no-loss
	for engine in "${engines[@]}"; do
		tool_in a blast eg0 198.18.0.2 --engine "$engine" --count 1009 --json
		is 0
	done
	finish check
	is 0
	json '.metrics.restarts == 1'
}

dies() {
	local programs

	under_way "$@"
	programs=$(programs_of "${PIDS[$1]}")
	[[ $1 == afxdp* ]] || [ -n "$programs" ]
	finish "$1" KILL
	is 137
	wait_for hook_is_free "$2"
	# shellcheck disable=SC2086 # numbers
	wait_for programs_are_gone $programs
}

# bats test_tags=core
@test "kill -9 of any verb leaves no program, attached or not, and the wire usable" {
	local engine=afxdp name=afxdpreplay

	need af-xdp
	need_bpftool
	lab_up
	each_run dies
	! has_live || engine=live name=replay
	tool_in a blast eg0 198.18.0.2 --count 101 --save "$BATS_TEST_TMPDIR/file.pcap"
	dies "$name" a sent blast eg0 --pcap "$BATS_TEST_TMPDIR/file.pcap" --loop 0 --engine "$engine" \
		--rate 20kpps --duration 60s
	exchange_works
	[ "$(find /run/netns -name "$LAB*" | wc -l)" = 2 ]
}

# loses_its_interface: the interface really goes, which needs every reference to be given back.
loses_its_interface() {
	lab_up
	under_way "$@"
	ip_in "$2" link del eg0
	finish "$1"
	is 4
	says "interface 'eg0' vanished"
	json '.errors[0].what | test("interface .eg0. vanished")'
	whole_document "$4" "$3"
	run ! ip_in "$2" link show eg0
	lab_down
}

@test "an interface that is removed in mid-run ends it with status 4, its name and the counts" {
	need xdp-live-frames af-xdp
	each_run loses_its_interface
}

@test "a socket's interface that is removed in mid-run ends its sink with status 4 and the counts" {
	loses_its_interface socket b received sink eg0 --socket
}

@test "an interface that is renamed or moved in mid-run ends it with what became of it" {
	lab_up
	start sink b sink eg0
	ip_in b link set eg0 down
	ip_in b link set eg0 name eg5
	finish sink
	is 4
	says "interface 'eg0' was renamed to 'eg5'"
	[[ $stderr != *"No such device"* ]] || fail "$stderr"
	start sink b sink eg5
	ip_in b link set eg5 netns "$LAB-a"
	finish sink
	is 4
	says "interface 'eg5' vanished: it was deleted, or moved to another network namespace"
}

@test "an interface that is removed while probe waits ends it with status 4" {
	lab_up
	before=$(counter a tx_packets)
	start probe a probe eg0 198.18.0.2 --count 101 --rate 10kpps --wait 60s
	all_sent() {
		[ $(($(counter a tx_packets) - before)) -ge 101 ]
	}
	wait_for all_sent
	ip_in a link del eg0
	finish probe
	is 4
	says "interface 'eg0' vanished"
	json '.metrics | .sent_packets == 101 and .lost_packets == 101'
}

# set_down OPTIONS of blast...: the sender's interface is set down under it.
set_down() {
	before=$(counter a tx_packets)
	start blast a blast eg0 198.18.0.2 --engine live --duration 60s "$@"
	some_sent() {
		# With what the stack sends by itself, as the link has come up.
		[ $(($(counter a tx_packets) - before)) -ge 127 ]
	}
	wait_for some_sent
	ip_in a link set eg0 down
	finish blast
	is 4
	says "Network is down"
	says "ip link set eg0 up"
	json '.metrics.sent_packets >= 97 and (.errors | length) == 1'
	ip_in a link set eg0 up
}

# bats test_tags=core
@test "live frames end with status 4 and the counts when their interface is set down" {
	need xdp-live-frames
	lab_up
	start sink b sink eg0
	set_down --rate 5kpps
	set_down --rate 5kpps --frame-bytes 64,128
	set_down --rate 97pps
	set_down
}

@test "a sink says that its interface was down, waits, and goes on" {
	lab_up
	start sink b sink eg0 --count 402 --duration 20s
	numbers 0 200 | send_tags
	ip_in b link set eg0 down
	wait_for says_now sink "was set down"
	ip_in b link set eg0 up
	wait_for says_now sink "is up again"
	# The other end: its link has no carrier.
	ip_in a link set eg0 down
	wait_for says_now sink "lost its carrier"
	ip_in a link set eg0 up
	wait_for eval '[ "$(grep -c "is up again" "$BATS_TEST_TMPDIR/sink.err")" = 2 ]'
	numbers 201 401 | send_tags
	finish sink
	is 0
	json '.metrics.received_packets == 402 and .metrics.lost_packets == 0 and
		any(.notes[]; test("^the link of .eg0. was down 2 times, for [0-9.]+ s in all; after the start: from "))'
	start sink b sink eg0 --count 211 --duration 20s
	numbers 0 210 | send_tags
	finish sink
	is 0
	json '[.notes[]? | select(contains("was down"))] == []'
}

says_now() {
	grep -q "$2" "$BATS_TEST_TMPDIR/$1.err"
}

# flaps END TEXT NAME NODE VERB...: a run of NODE during which the link is down for some 300 ms, as END's
# interface is set down. TEXT: what it says when it is ready.
flaps() {
	start_cmd "$3" "$4" "$2" "$TOOL" "${@:5}" --json
	nap 0.3
	ip_in "$1" link set eg0 down
	nap 0.3
	ip_in "$1" link set eg0 up
	wait_for says_now "$3" "is up again"
	finish "$3" INT
	is 130
	json '[(.notes // [])[] | capture("^the link of .eg0. was down from (?<from>[0-9.]+) s to (?<to>[0-9.]+) s after the start$") |
		map_values(tonumber)] | length == 1 and (.[0] | .from > 0.1 and .to - .from > 0.25 and
		.to - .from < 2 + $slow)'
}

# bats test_tags=core
@test "every verb that names an interface reports when its link was down" {
	local end engine=afxdp

	lab_up
	! has_live || engine=live
	for end in a b; do
		flaps "$end" "receiving on" sink b sink eg0
		flaps "$end" "receiving on" socket b sink eg0 --socket
		flaps "$end" "watching" watch b watch eg0
		flaps "$end" "impairing" impair b impair eg0 --loss 1%
		flaps "$end" "answering on" reflect b reflect eg0
	done
	# An own end that is set down ends what sends.
	start_cmd far b "answering on" "$TOOL" reflect eg0
	flaps b "sending " blast a blast eg0 198.18.0.2 --engine "$engine" --rate 1kpps --duration 60s
	flaps b "probing" probe a probe eg0 198.18.0.2 --engine "$engine" --rate 1kpps --duration 60s
	flaps b "sending requests" rr a rr 198.18.0.2 --duration 60s
	finish far INT
	# What names an address follows the interface of its route.
	start serve b serve --port 14881
	# shellcheck disable=SC2016 # expanded there
	start_cmd web b "Serving" sh -c 'exec "$@" >&2' sh /usr/bin/python3 -um http.server --bind 198.18.0.2 8000
	flaps b "testing with" tcp a tcp stream 198.18.0.2 --port 14881 -d 60s --rate 1Mbit
	flaps b "testing with" udp a udp stream 198.18.0.2 --port 14881 -d 60s --rate 1Mbit
	for end in a b; do
		flaps "$end" "round trip on the idle path" bench a bench rfc6349 198.18.0.2 --port 14881 --quick \
			--way there --bottleneck 100Mbit --duration 60s
	done
	flaps b "probing" stamp a probe --stamp 198.18.0.2 --duration 60s
	flaps b "loading" load a load http://198.18.0.2:8000/ -d 60s --rate 100/s
	finish web TERM
	finish serve INT
}

# down_times FROM: output has one note of a link that was down, eg0, for some 300 ms and FROM seconds or later.
down_times() {
	json '[(.notes // [])[] | capture("^the link of .eg0. was down from (?<from>[0-9.]+) s to (?<to>[0-9.]+) s after the start$") |
		map_values(tonumber)] | length == 1 and (.[0] | .from >= '"$1"' and .to - .from > 0.25 and
		.to - .from < 2 + $slow)'
}

# bats test_tags=core
@test "a server reports when the link to its clients was down, and nothing of other links" {
	local address

	lab_up
	in_b ip link add eg7 type veth peer name eg8
	# The interface loses its IPv6 address when it is set down, so that is the first one.
	for address in 2001:2::2 198.18.0.2; do
		start serve b serve --port 14881
		nap 0.5
		start client a tcp stream "$address" --port 14881 -d 60s --rate 1Mbit
		# No client is there.
		in_b ip link set eg7 up
		in_b ip link set eg7 down
		nap 0.3
		ip_in b link set eg0 down
		wait_for says_now serve "interface 'eg0' was set down"
		nap 0.3
		ip_in b link set eg0 up
		wait_for says_now serve "interface 'eg0' is up again"
		finish client INT
		finish serve INT
		is 130
		json '.metrics.served_clients == 1 and (.notes | length) == 1'
		down_times 0.5
	done
	start serve b serve --port 14881
	tool_in a tcp rr 198.18.0.2 --port 14881 -d 50ms --json
	is 0
	finish serve INT
	json '.metrics.served_tests == 1 and (.notes // []) == []'
}

# all_stopped PID: each of its threads.
all_stopped() { ! grep -L '^State:.T' /proc/"$1"/task/*/status | grep -q .; }

@test "a link that is down from the start, to the end or too briefly is reported" {
	lab_up
	ip_in a link set eg0 down
	start_cmd watch b "watching" "$TOOL" watch eg0 --json
	nap 0.2
	ip_in a link set eg0 up
	wait_for says_now watch "is up again"
	ip_in a link set eg0 down
	wait_for says_now watch "lost its carrier"
	finish watch INT
	is 130
	json 'any(.notes[]; test("was down 2 times, for [0-9.]+ s in all; after the start: from 0.00 s to [0-9.]+ s, from [0-9.]+ s to the end"))'
	ip_in a link set eg0 up
	start_cmd watch b "watching" "$TOOL" watch eg0 --json
	# It follows the link from a little later on.
	nap 0.3
	# Asleep it cannot see that.
	kill -STOP "${PIDS[watch]}"
	wait_for all_stopped "${PIDS[watch]}"
	ip_in a link set eg0 down
	ip_in a link set eg0 up
	kill -CONT "${PIDS[watch]}"
	finish watch INT
	is 130
	json 'any(.notes[]; . == "the link of '"'eg0'"' went down 1 time during the run, too briefly to be timed")'
}

make_pair() {
	ip_in b link add eg7 type veth peer name eg8
	ip_in b link set eg7 up
	ip_in b link set eg8 up
}

@test "an interface that is deleted and made again has its times, and is followed on" {
	lab_up
	make_pair
	start_cmd watch b "watching" "$TOOL" watch eg7 --json
	nap 0.3
	ip_in b link del eg7
	wait_for says_now watch "interface 'eg7' is gone"
	nap 0.3
	make_pair
	wait_for says_now watch "interface 'eg7' is up again"
	wait_for says_now watch "'eg7' is watched again"
	nap 0.3
	# The new one's carrier.
	ip_in b link set eg8 down
	wait_for says_now watch "interface 'eg7' lost its carrier"
	ip_in b link set eg8 up
	wait_for eval '[ "$(grep -c "is up again" "$BATS_TEST_TMPDIR/watch.err")" = 2 ]'
	nap 0.3
	# Asleep it cannot see that there was none between the two.
	kill -STOP "${PIDS[watch]}"
	wait_for all_stopped "${PIDS[watch]}"
	ip_in b link del eg7
	make_pair
	kill -CONT "${PIDS[watch]}"
	wait_for eval '[ "$(grep -c "is watched again" "$BATS_TEST_TMPDIR/watch.err")" = 2 ]'
	nap 0.3
	ip_in b link del eg7
	finish watch INT
	is 130
	# shellcheck disable=SC2016
	json '.notes | length == 1 and (.[0] | startswith("the link of '"'eg7'"' was down 4 times, for ") and
		([match("from ([0-9.]+) s to ([0-9.]+ s|the end)( [(]interface gone[)])?"; "g").captures | map(.string)] |
		map(.[2] != null) == [true, false, true, true] and .[3][1] == "the end" and
		(.[0] | .[0] = (.[0] | tonumber) | .[1] = (.[1] | rtrimstr(" s") | tonumber) |
			.[0] > 0.1 and .[1] - .[0] > 0.25 and .[1] - .[0] < 2 + $slow)))'
	# One that a run ends with.
	make_pair
	start sink b sink eg7 --socket
	nap 0.3
	ip_in b link del eg7
	finish sink
	is 4
	json '.notes | any(test("^the link of .eg7. was down from [0-9.]+ s after the start to the end [(]interface gone[)]$"))'
}

@test "both interfaces of a forwarder and all that are watched have the times when their link was down" {
	lab_up --path a-r-b --middle open
	start bump r impair ega egb
	start_cmd watch r "watching" "$TOOL" watch ega egb --hooks tc --json
	nap 0.3
	ip_in b link set eg0 down
	wait_for says_now bump "lost its carrier"
	wait_for says_now watch "lost its carrier"
	ip_in b link set eg0 up
	for name in bump watch; do
		wait_for says_now "$name" "is up again"
		finish "$name" INT
		is 130
		json '[.notes[] | select(startswith("the link of"))] | length == 1 and
			(.[0] | startswith("the link of '"'egb'"' was down from "))'
	done
}

@test "an interface of the same name that takes the old one's place is not taken for it" {
	lab_up
	under_way sink b received sink eg0
	# Asleep it cannot see that there was none between the two.
	kill -STOP "${PIDS[sink]}"
	ip_in b link del eg0
	ip_in b link add eg0 index 77 type veth peer name other
	kill -CONT "${PIDS[sink]}"
	finish sink
	is 4
	says "interface 'eg0' vanished"
	whole_document sink received
}

# refused TEXT FIX VERB...: because of the program in the hook of a, which stays.
refused() {
	local before

	before=$(hook a)
	[ "$before" != null ]
	tool_in a "${@:3}" --json
	is 3
	says "$1"
	says "$2"
	json '.errors[0].what | test("held by program")'
	[ "$(hook a)" = "$before" ]
}

@test "a foreign XDP program is named, and neither replaced nor detached" {
	need_command clang
	lab_up
	alien xdp 2
	for mode in xdpdrv xdpgeneric; do
		ip_in a link set dev eg0 "$mode" obj "$BATS_TEST_TMPDIR/alien.o" sec xdp
		refused "held by program 'alien'" "detach it: ip link set dev eg0 $mode off" sink eg0 --duration 1s
		refused "held by program 'alien'" "detach it: ip link set dev eg0 $mode off" probe eg0 198.18.0.2 --count 7
		# blast attaches nothing, so it disturbs no other program.
		tool_in a blast eg0 198.18.0.2 --count 7 --json
		is 0
		[ "$(hook a)" != null ]
		ip_in a link set dev eg0 "$mode" off
	done
}

@test "a sink is named to the second one, and counts on" {
	lab_up
	start sink a sink eg0 --port 10
	refused "held by program 'sink_xdp'" "end the process ${PIDS[sink]}," sink eg0 --duration 1s
	refused "held by program 'sink_xdp'" "end the process ${PIDS[sink]}," probe eg0 198.18.0.2 --count 7
	tool_in b blast eg0 198.18.0.1 --count 101 --port 10
	finish sink INT
	json '.metrics | .received_packets == 101 and .lost_packets == 0'
}

@test "without privilege each verb names the capabilities that it lacks, with status 3" {
	for verb in "sink lo" "blast lo 127.0.0.1" "probe lo 127.0.0.1" demo; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr unprivileged "$TOOL" $verb
		is 3
		says CAP_NET_ADMIN
		says CAP_BPF
		# As it was run: sudo may not find it.
		[[ $stderr == *"sudo /"*"/ethgauge ..."* ]] || fail "$stderr"
		[ -z "$output" ]
	done
}

@test "a run whose rows are no longer read ends with status 4, and its file is whole" {
	local signal format

	lab_up
	for signal in default ignore; do
		for format in "" --jsonl; do
			# shellcheck disable=SC2016,SC2086 # expanded there; an option or none
			run --separate-stderr in_a bash -c '"$@" | head -n 1; exit "${PIPESTATUS[0]}"' pipe \
				env --$signal-signal=PIPE "$TOOL" sink eg0 -i 100ms -o "$BATS_TEST_TMPDIR/x.json" $format
			is 4
			says "cannot write the result to stdout"
			[ "${#lines[@]}" = 1 ]
			holds '.command == "sink" and (has("errors") | not)' <"$BATS_TEST_TMPDIR/x.json"
			rm "$BATS_TEST_TMPDIR/x.json"
		done
	done
	hook_is_free a
}

# without CAPABILITY VERB...: as root, but for this one.
without() {
	run --separate-stderr in_a setpriv --bounding-set="-$1" --inh-caps="-$1" "$TOOL" "${@:2}"
}

@test "the error for a missing capability names it" {
	lab_up
	for verb in "sink eg0 -d 1s" "blast eg0 198.18.0.2 -c 7" "probe eg0 198.18.0.2 -c 7"; do
		# shellcheck disable=SC2086 # words
		without net_admin $verb
		is 3
		says "this requires CAP_NET_ADMIN:"
	done
	for verb in blast probe; do
		without net_raw "$verb" eg0 198.18.0.2 -c 7 -e afxdp
		is 3
		says "this requires CAP_NET_RAW:"
	done
	hook_is_free a
}

# no STATUS TEXT VERB...: refused with words. What nothing_happened says holds then for all so far.
no() {
	tool_in a "${@:3}"
	is "$1"
	says "$2"
	REFUSED+=("${*:3}")
}

# expect_nothing: from here on nothing may be sent or stay attached.
expect_nothing() {
	REFUSED=()
	SENT=$(counter a tx_packets)
}

nothing_happened() {
	[ "$(counter a tx_packets)" = "$SENT" ] || fail "one of these sent:"$'\n'"$(printf '%s\n' "${REFUSED[@]}")"
	hook_is_free a || fail "one of these is attached:"$'\n'"$(printf '%s\n' "${REFUSED[@]}")"
}

# How many descriptors a run needs before it looks depends on those that it inherits.
@test "without a descriptor to look for the interface, a run says so, and not that there is none" {
	local files said=0

	lab_up
	for files in {4..12}; do
		run in_a prlimit --nofile="$files" "$TOOL" sink eg0 -d 10ms -o "$BATS_TEST_TMPDIR/x.json"
		[[ $output != *"there is no interface"* ]] || fail "$files: $output"
		[[ $output != *"cannot read interface 'eg0': Too many open files"* ]] || said=$((said + 1))
	done
	[ "$said" -gt 0 ] || fail "at last: $output"
	for files in {4..12}; do
		run in_a prlimit --nofile="$files" "$TOOL" bench rfc2544 "eg0@$LAB-a" "eg0@$LAB-b" --quick
		[[ $output != *"there is no "* ]] || fail "$files: $output"
	done
}

@test "without a descriptor left, an impairment at clsact is removed all the same, and its interface not gone" {
	local files ran=0

	lab_up
	for files in {12..40}; do
		run in_a prlimit --nofile="$files" "$TOOL" impair eg0 --tc-mode clsact --direction egress --loss 1% -d 20ms
		[[ $output != *vanished* ]] || fail "$files: $output"
		[[ $(in_a tc qdisc show dev eg0) != *clsact* ]] || fail "$files: left there: $output"
		[ "$status" != 0 ] || ran=$((ran + 1))
	done
	[ "$ran" -gt 0 ] || fail "at last: $output"
}

@test "what cannot be meant is refused with status 2, and nothing is sent or attached" {
	lab_up
	local v4=198.18.0.2

	expect_nothing
	no 2 "there is no interface 'nosuch0'" blast nosuch0 $v4
	no 2 "there is no interface 'nosuch0'" sink nosuch0
	no 2 "there is no interface 'nosuch0'" probe nosuch0 $v4
	no 2 "DEST is missing: 'eg0' is an interface" blast eg0
	no 2 "DEST, --pcap, --streams or --profile is missing" blast
	no 2 "a frame of 63 bytes is too small" probe eg0 $v4 --frame-bytes 63
	no 2 "--frame-bytes: 0 to 9216, not '9217'" probe eg0 $v4 --frame-bytes 9217
	no 2 "expected a frame size from 64 to 9216" blast eg0 $v4 --frame-bytes 63
	no 2 "expected a frame size from 64 to 9216" blast eg0 $v4 --frame-bytes 9217
	for verb in blast probe; do
		no 2 "is more than 'eg0' carries: its MTU is 1500" $verb eg0 $v4 --frame-bytes 1519
		no 2 "a tagged UDP/IPv6 frame requires at least 84 bytes" $verb eg0 2001:2::2 -s 83
		no 2 "in a VLAN requires at least 68 bytes" $verb eg0 $v4 --vlan 7 -s 67
		no 2 "'0' is not a rate with its unit" $verb eg0 $v4 --rate 0
		no 2 "at most 100%, not '0pps'" $verb eg0 $v4 --rate 0pps
		no 2 "'1000' is not a rate with its unit" $verb eg0 $v4 --rate 1000
		no 2 "at most 100%, not '101%'" $verb eg0 $v4 --rate 101%
		no 2 "--port: 1 to 65535, not '70000'" $verb eg0 $v4 --port 70000
		no 2 "'10abc' is not a whole number" $verb eg0 $v4 --count 10abc
		no 2 "'-7' is not a whole number" $verb eg0 $v4 --count -7
		no 2 "'5parsecs'" $verb eg0 $v4 --duration 5parsecs
		no 2 "'fast' is not one of: auto, live, afxdp" $verb eg0 $v4 --engine fast
		no 2 "'198.18.0.300' is no IPv4 or IPv6 address" $verb eg0 198.18.0.300
		no 2 "are not of one family" $verb eg0 $v4 --src-ip 2001:2::1
		no 2 "--vlan-pcp requires --vlan" $verb eg0 $v4 --vlan-pcp 3
		no 2 "--ttl" $verb eg0 $v4 --ttl 256
		no 2 "--dscp" $verb eg0 $v4 --dscp 64
	done
	no 2 "requires at least 66 bytes" blast eg0 2001:2::2 --no-tag --frame-bytes 65
	no 2 "1024 threads require as many CPUs" blast eg0 $v4 --threads 1024
	no 2 "2 threads cannot share 1 packets" blast eg0 $v4 --threads 2 --count 1
	no 2 "--zero-copy requires --engine afxdp" blast eg0 $v4 --engine live --zero-copy
	no 2 "--port: 1 to 65535, not '70000'" sink eg0 --port 70000
	no 2 "--max-streams: 1 to 4096, not '0'" sink eg0 --max-streams 0
	no 2 "--all and --port are mutually exclusive" sink eg0 --all --port 9
	no 2 "--count-only and --no-loss are mutually exclusive" sink eg0 --count-only --no-loss
	nothing_happened
}

@test "a destination without a way to it is an error with the command that helps" {
	lab_up
	expect_nothing
	for verb in blast probe; do
		no 4 "no route to '10.9.9.9' through 'eg0'" $verb eg0 10.9.9.9 --count 7
		says "ip route get 10.9.9.9"
		no 4 "no route to '2001:db8::1' through 'eg0'" $verb eg0 2001:db8::1 -s 84 --count 7
		no 4 "'198.18.0.1' is an address of this host" $verb eg0 198.18.0.1 --count 7
	done
	no 3 "has no AF_XDP zero-copy" blast eg0 198.18.0.2 --zero-copy --count 7
	nothing_happened
}

# soon_ended VERB...: with status 130 and a whole document, within a second of ^C; its name server does not answer.
soon_ended() {
	local began

	# shellcheck disable=SC2016 # expanded there
	start_cmd asks a "" unshare -m sh -c 'mount --bind "$1" /etc/resolv.conf; shift; exec "$@"' sh \
		"$BATS_TEST_TMPDIR/resolv.conf" "$TOOL" "$@" --json
	wait_for eval '[ "$(counter b rx_packets)" -gt '"$(counter b rx_packets)"' ]'
	began=${EPOCHREALTIME/[.,]/}
	finish asks INT
	[ $((${EPOCHREALTIME/[.,]/} - began)) -lt $((1000000 * TESTS_SLOW)) ] || fail "$*: ended late"
	is 130
	json '.format == 1 and .command == "'"$1"'"'
}

@test "^C ends a verb that waits for a name server" {
	lab_up
	echo "nameserver 198.18.0.2" >"$BATS_TEST_TMPDIR/resolv.conf"
	# Queries are taken away.
	start silent b sink eg0 --port 53
	soon_ended ping far.test
	soon_ended blast eg0 far.test
	soon_ended probe --stamp far.test
	soon_ended tcp stream far.test
	soon_ended load http://far.test/
}

@test "^C ends a client whose server does not take its connection, also right before it waits" {
	cc -shared -fPIC -o "$BATS_TEST_TMPDIR/connect.so" -x c - <<-'END'
		#include <errno.h>
		#include <signal.h>
		#include <sys/socket.h>
		#include <sys/syscall.h>
		#include <unistd.h>
		int connect(int fd, const struct sockaddr *to, socklen_t len)
		{
			int ret = (int)syscall(SYS_connect, fd, to, len), err = errno;
			if (ret && err == EINPROGRESS)
				raise(SIGINT);
			errno = err;
			return ret;
		}
	END
	lab_up
	# An address that no one has: by itself the connection fails after 3 s, with status 4.
	LD_PRELOAD=$BATS_TEST_TMPDIR/connect.so run --separate-stderr in_a "$TOOL" tcp stream 198.18.0.77 --json
	is 130
	json '.command == "tcp" and (has("errors") | not)'
}

@test "an unused address is an error within seconds, and only neighbour queries are sent" {
	lab_up
	start capture b sink eg0
	for dest in 198.18.0.77 2001:2::77; do
		tool_in a blast eg0 "$dest" --frame-bytes 84 --count 7
		is 4
		says "'$dest' does not answer on 'eg0'"
		says "--dst-mac"
	done
	finish capture INT
	json '.metrics | .received_packets == 0 and .foreign_packets > 0'
}

@test "an interface that is down is an error with the command that helps" {
	lab_up
	ip_in a link set eg0 down
	expect_nothing
	no 4 "cannot send through 'eg0'" blast eg0 198.18.0.2 --count 7
	says "ip link set dev eg0 up"
	no 4 "cannot send through 'eg0'" probe eg0 198.18.0.2 --count 7
	no 4 "cannot send through 'eg0'" blast eg0 198.18.0.2 --count 7 --src-ip 198.18.0.1 \
		--dst-mac 02:e9:00:00:00:0b
	nothing_happened
}

@test "live: an interface that is set down in mid-run takes nothing more, and ends it with status 4" {
	need xdp-live-frames
	lab_up
	BEFORE=$(counter b rx_packets)
	start_cmd live a "sending to" "$TOOL" blast eg0 198.18.0.2 --engine live --rate 2kpps \
		--duration 60s --jsonl --interval 50ms
	wait_for packets_flow
	ip_in a link set eg0 down
	sent=$(counter a tx_packets)
	finish live
	is 4
	says "the interface was set down"
	output=$(tail -n 1 <<<"$output")
	json '.metrics | .sent_packets > 0 and .sent_packets == .driver_tx_packets and
		.not_sent_packets > 0'
	[ "$(counter a tx_packets)" = "$sent" ]
}

@test "afxdp: an interface that is set down in mid-run ends it with status 4 and the counts" {
	need af-xdp
	lab_up
	under_way afxdp a sent blast eg0 198.18.0.2 --engine afxdp --rate 2kpps --duration 60s
	ip_in a link set eg0 down
	finish afxdp
	is 4
	says "the interface was set down"
	json '.metrics | .sent_packets > 0 and .sent_packets == .driver_tx_packets'
}

@test "a full disk ends a run with status 4, the result on stdout and no half file" {
	lab_up
	mkdir "$BATS_TEST_TMPDIR/disk"
	# shellcheck disable=SC2016 # expanded there
	run --separate-stderr unshare -m nsenter --net="/run/netns/$LAB-b" sh -c '
		mount -t tmpfs -o size=8k none "$2" || exit 99
		trap "cd /; umount -l $2" EXIT
		cd "$2" || exit 99
		cat /dev/zero >fill 2>/dev/null
		"$1" sink eg0 --duration 50ms --json -o result.json
		status=$?
		[ "$(ls)" = fill ] || exit 98
		exit $status' sh "$TOOL" "$BATS_TEST_TMPDIR/disk"
	is 4
	says "cannot write 'result.json': No space left on device"
	json '.metrics.received_packets == 0'
}

# Signals that the process or its first thread has not yet taken.
is_pending() {
	local key value

	while read -r key value; do
		[[ $key != @(SigPnd|ShdPnd): || $value =~ ^0*$ ]] || return 0
	done 2>/dev/null <"/proc/$1/status"
	return 1
}

# signals NAME SIGNAL...: each as soon as the one before has been taken.
signals() {
	local pid=${PIDS[$1]} signal

	for signal in "${@:2}"; do
		kill "-$signal" "$pid" 2>/dev/null || :	# it may have ended
		while is_pending "$pid"; do :; done
	done
}

# ends_by_many NODE TEXT VERB...: timeout(1) signals twice, its child and then the child's group. Two that meet before
# the first is taken are one, so here they are many.
ends_by_many() {
	local file=$BATS_TEST_TMPDIR/file until

	start_cmd many "$1" "$2" "$TOOL" "${@:3}" --json -o "$file"
	until=$((${EPOCHREALTIME//[.,]/} + 100000))
	while ((${EPOCHREALTIME//[.,]/} < until)) && kill -INT "${PIDS[many]}" 2>/dev/null; do :; done
	finish many
	is 130
	json '.format == 1 and (has("errors") | not)'
	if [ "$output" != "$(cat "$file")" ]; then
		fail "$3: the file is not what was printed" || return
	fi
	rm "$file"
}

@test "many signals at once are one: each verb ends with status 130 and the whole result" {
	need af-xdp
	lab_up
	ends_by_many b "receiving on" sink eg0
	ends_by_many b "answering on" reflect eg0
	ends_by_many b "impairing" impair eg0 --loss 1%
	ends_by_many b "watching" watch eg0
	ends_by_many b "serving on" serve
	ends_by_many a "sending " blast eg0 198.18.0.2 --rate 1kpps
	ends_by_many a "sending " blast eg0 198.18.0.2 --rate 1kpps --sink "eg0@$LAB-b"
	ends_by_many a "probing" probe eg0 198.18.0.2 --rate 1kpps --duration 60s
	ends_by_many a "sending requests" ping 198.18.0.2
	start serve b serve
	ends_by_many a "testing with" tcp stream 198.18.0.2 -d 60s
	ends_by_many a "testing with" udp stream 198.18.0.2 -d 60s --rate 1kpps
	start reflect b reflect eg0
	ends_by_many a "sending requests" rr 198.18.0.2 -d 60s
	finish reflect INT
	ends_by_many a "trial 1" bench rfc2544 eg0 "eg0@$LAB-b" --sizes 512 --rate 10Mbit --trial 60s
	ends_by_many a "receiving on" lab exec --name "$LAB" b -- "$TOOL" sink eg0
	hook_is_free a
	hook_is_free b
}

@test "signals that arrive while programs are loaded do not end the load" {
	local verb

	need_command cc
	lab_up
	cc -shared -fPIC -o "$BATS_TEST_TMPDIR/ticks.so" "$BATS_TEST_DIRNAME/ticks.c"
	for verb in sink watch; do
		run --separate-stderr timeout 30 nsenter --net="/run/netns/$LAB-b" \
			env LD_PRELOAD="$BATS_TEST_TMPDIR/ticks.so" "$TOOL" "$verb" eg0 --duration 100ms --json
		is 0
	done
}

@test "many signals at once are one: load" {
	lab_up
	nginx_up
	ends_by_many a "loading" load http://198.18.0.2/small -d 60s
}

@test "a run that nohup protects does not end with its terminal" {
	lab_up
	start_cmd sink a "receiving on" env --ignore-signal=HUP "$TOOL" sink eg0 --json
	signals sink HUP
	tool_in b blast eg0 198.18.0.1 -c 101 -q
	is 0
	finish sink INT
	is 130
	json '.metrics.received_packets == 101'
}

# stuck VERB...: with -o FILE, and a stdout that no one reads and that has no room.
stuck() {
	FULL=$BATS_TEST_TMPDIR/full
	FILE=$BATS_TEST_TMPDIR/file
	mkfifo "$FULL"
	exec {FULL_FD}<>"$FULL"
	dd if=/dev/zero of="$FULL" bs=4096 oflag=nonblock 2>/dev/null || :
	# shellcheck disable=SC2016
	start_cmd stuck b "receiving on" sh -c 'out=$1; shift; exec "$@" >"$out"' sh "$FULL" "$TOOL" "$@" \
		--json -o "$FILE"
}

@test "three signals end a tool whose output no one reads, and its file is whole" {
	lab_up
	stuck sink eg0
	signals stuck INT INT
	# The file is written before stdout.
	wait_for test -s "$FILE"
	nap 1.5
	signals stuck TERM TERM
	nap 1.5
	kill -0 "${PIDS[stuck]}"
	signals stuck TERM
	finish stuck
	is 143
	output=$(cat "$FILE")
	json '.format == 1 and (has("errors") | not)'
	hook_is_free b
}

@test "a signal while the result is written leaves it whole" {
	lab_up
	stuck sink eg0 --duration 100ms
	wait_for test -s "$FILE"
	nap 0.2
	signals stuck INT
	nap 1.5
	signals stuck INT
	cat <"$FULL" >"$BATS_TEST_TMPDIR/read" {FULL_FD}>&- 3>&- &
	reader=$!
	exec {FULL_FD}>&-
	finish stuck
	is 130
	wait "$reader"
	[ "$(tr -d '\0' <"$BATS_TEST_TMPDIR/read")" = "$(cat "$FILE")" ]
}
