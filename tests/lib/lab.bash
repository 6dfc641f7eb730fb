# SPDX-License-Identifier: GPL-2.0-or-later
# A lab of the test's own, and verbs that run in it beside the test. Load it
# after common.

SEND_TAGS=$TOP/tests/lib/send_tags.py
CAPTURE=$TOP/tests/lib/capture.py

# Pids of what was started, by name.
declare -gA PIDS=()

# lab_up [OPTIONS of lab up]: with a name that no other run has; down at teardown.
lab_up() {
	LAB=$(basename "$BATS_TEST_FILENAME" .bats)$$
	defer lab_down
	timeout 20 "$TOOL" lab up -q --name "$LAB" "$@" >/dev/null
}

lab_down() {
	timeout 20 "$TOOL" lab down -q --name "$LAB" >/dev/null
}

# in_a CMD..., in_b CMD...: in a node of the lab, as a command of the test.
in_a() {
	timeout 30 nsenter --net="/run/netns/$LAB-a" "$@"
}

in_b() {
	timeout 30 nsenter --net="/run/netns/$LAB-b" "$@"
}

# tool_in NODE VERB...: sets status, output and stderr.
tool_in() {
	local node=$1

	shift
	run --separate-stderr timeout 30 nsenter --net="/run/netns/$LAB-$node" "$TOOL" "$@"
}

# start_cmd NAME NODE TEXT CMD...: runs CMD beside the test, and returns when its
# stderr holds TEXT. nsenter becomes CMD, so its pid is PIDS[NAME].
start_cmd() {
	local name=$1 node=$2 text=$3 i said

	shift 3
	# What an earlier one of this name said must not be taken for this one's word.
	: >"$BATS_TEST_TMPDIR/$name.err"
	nsenter --net="/run/netns/$LAB-$node" "$@" >"$BATS_TEST_TMPDIR/$name.out" \
		2>"$BATS_TEST_TMPDIR/$name.err" 3>&- &
	PIDS[$name]=$!
	defer put_down "$name" $!
	# Emulated, sid's kernel verifies the sink's program for 20 s.
	for ((i = 0; i < 1500 * TESTS_SLOW; i++)); do
		read -rd '' said <"$BATS_TEST_TMPDIR/$name.err" || :	# there is no NUL in it
		[[ $said != *"$text"* ]] || return 0
		kill -0 "${PIDS[$name]}" 2>/dev/null || break
		nap 0.02
	done
	fail "$name never said '$text': $(cat "$BATS_TEST_TMPDIR/$name.err")"
}

# start NAME NODE VERB...: the tool with --json; ready when it says so.
start() {
	local text i bound

	# Beside a count, the duration only bounds the test.
	if [[ $TESTS_SLOW != 1 && $3 = sink && " $* " = *" --count "* ]]; then
		for ((i = 4; i < $#; i++)); do
			[ "${!i}" = --duration ] || continue
			bound=${*:i+1:1}
			set -- "${@:1:i}" "$((${bound%s} * TESTS_SLOW))s" "${@:i+2}"
		done
	fi
	case $3 in
	sink) text="receiving on" ;;
	reflect) text="answering on" ;;
	impair) text="impairing" ;;
	blast) text="sending " ;;
	probe) text="probing" ;;
	serve)
		text="serving on"
		[[ " $* " = *" --key-file "* ]] || set -- "$@" --open
		;;
	tcp | udp) text="testing with" ;;
	demo) text="..." ;;
	esac
	start_cmd "$1" "$2" "$text" "$TOOL" "${@:3}" --json
}

# What is left of it at teardown; no more, if it has been waited for.
put_down() {
	[ "${PIDS[$1]-}" = "$2" ] || return 0
	kill -KILL "$2" 2>/dev/null && wait "$2" 2>/dev/null
}

has_ended() {
	! kill -0 "$1" 2>/dev/null
}

# finish NAME [SIGNAL]: waits for its end; sets status, output and stderr as run does.
finish() {
	local pid=${PIDS[$1]} i hangs

	[ -z "${2-}" ] || kill "-$2" "$pid"
	for ((i = 0; i < 1000 * TESTS_SLOW; i++)); do
		has_ended "$pid" && break
		# Where it is, in the kernel and by its state: at the limit it may just have ended.
		((i != 500 * TESTS_SLOW)) || hangs=$(cat /proc/"$pid"/task/*/stack "/proc/$pid/status" 2>&1)
		nap 0.02
	done
	has_ended "$pid" || fail "$1 does not end: $(cat "$BATS_TEST_TMPDIR/$1.err")" \
		"half way: ${hangs-}" || return
	status=0
	wait "$pid" || status=$?
	unset "PIDS[$1]"
	output=$(cat "$BATS_TEST_TMPDIR/$1.out")
	stderr=$(cat "$BATS_TEST_TMPDIR/$1.err")
}

# is STATUS: of the last run; on failure with all that it said, what explains it first.
is() {
	local why

	[ "$status" = "$1" ] && return
	why=$(jq -c '.. | objects | select(.notes or .verdicts) | [.name, .notes, .verdicts]' <<<"$output" 2>/dev/null) || :
	fail "status $status, not $1: ${stderr-}"$'\n'"$why"$'\n'"$output"
}

# says TEXT: the last run, on stderr.
says() {
	[[ $stderr == *"$1"* ]] || fail "not said: '$1', but: $stderr"
}

# ip_in NODE ARGS...: ip -n would remount /sys, which fails in a plain chroot.
ip_in() {
	timeout 10 nsenter --net="/run/netns/$LAB-$1" ip "${@:2}"
}

# counter NODE NAME: a counter of the node's interface, as the driver reports it.
counter() {
	ip_in "$1" -json -s link show eg0 | jq ".[0].stats64.${2%_*}.${2#*_}"
}

# hook NODE: what is attached to the interface, as the kernel reports it; null: nothing.
hook() {
	ip_in "$1" -json -details link show eg0 | jq -c '.[0].xdp'
}

hook_is_free() {
	[ "$(hook "$1")" = null ]
}

# make_ready NODE: veth queues what XDP_TX sends, but wakes the receiver only if that has an
# XDP program too (veth_xdp_flush); GRO is not enough. A reflector for what nobody sends
# passes everything.
make_ready() {
	start_cmd pass "$1" "answering on" "$TOOL" reflect eg0 --port 1 --no-icmp
}

# need_ready_peer: of egb in r. Else a bump puts a program where who comes later wants to receive,
# as kernels before 6.3 do not report that it needs none.
need_ready_peer() {
	nsenter --net="/run/netns/$LAB-r" "$TOOL" doctor egb --has xdp-xmit-ready >/dev/null ||
		cannot veth-gro "a veth that tells that it takes XDP frames without a program (kernel 6.3)"
}

# Ubuntu's wrapper refuses kernels that it has no package for.
need_bpftool() {
	bpftool version >/dev/null 2>&1 || cannot bpftool "a bpftool for this kernel" --test
}

# The names of reasons came with 5.17, and more of them with each version.
need_reason() {
	bpftool btf dump file /sys/kernel/btf/vmlinux format raw 2>/dev/null |
		grep -q "SKB_DROP_REASON_$1'" || cannot "reason_$1" "the reason $1 of the kernel"
}

# programs_of PID: ids of the BPF programs that it holds open.
programs_of() {
	sed -n 's/^prog_id:[[:space:]]*//p' /proc/"$1"/fdinfo/* 2>/dev/null | sort -nu
}

has_programs() {
	[ -n "$(programs_of "$1")" ]
}

# programs_are_gone ID...: the kernel has freed them all.
programs_are_gone() {
	local id

	for id; do
		! bpftool prog show id "$id" >/dev/null 2>&1 || return
	done
}

# send_tags [OPTIONS] <LINES: from a, hand-made test packets; see send_tags.py.
send_tags() {
	in_a "$SEND_TAGS" "$@"
}

# numbers FROM TO [PREFIX] [SUFFIX]: lines for send_tags, of stream 0 unless PREFIX says otherwise.
numbers() {
	seq -f "${3-0} %.0f${4:+ $4}" "$1" "$2"
}

# deviates FAMILY [PART]: its standard deviation is that of the values in its histogram, as far as the widths
# of the buckets tell: a value is at most half a width from the middle of its bucket, and so is the
# deviation by the root of the mean of their squares. One more for a value that is sent as an integer.
deviates() {
	json --arg family "$1" --arg part "${2-}" 'def half: if . < 128 then 0 else (pow(2; (log2 | floor) - 6) - 1) / 2 end;
		(if $part == "" then . else .parts[] | select(.name == $part) end) |
		[.histograms[$family + "_ns"].buckets[] | { at: (.[0] + (.[0] | half)), n: .[1],
			off: (.[0] | half) }] as $all |
		($all | map(.n) | add) as $n | ($all | map(.n * .at) | add / $n) as $mean |
		($all | map(.n * pow(.at - $mean; 2)) | add / $n | sqrt) as $deviation |
		(.metrics[$family + "_stddev_ns"] - $deviation | fabs) <=
			1 + ($all | map(.n * pow(.off; 2)) | add / $n | sqrt)'
}

# varies: PDV, jitter and deviation of the round trips agree with the other figures of these.
varies() {
	deviates rtt
	json '.metrics | .rtt_pdv_max_ns == .rtt_max_ns - .rtt_min_ns and
		(.rtt_pdv_mean_ns - (.rtt_mean_ns - .rtt_min_ns) | fabs) < 1 and
		(.rtt_pdv_p50_ns - (.rtt_p50_ns - .rtt_min_ns) | fabs) <= (.rtt_p50_ns + .rtt_pdv_p50_ns) / 60 and
		.rtt_stddev_ns <= .rtt_pdv_max_ns'
	# It is a mean of differences between two round trips.
	json '.metrics | .rtt_jitter_rfc3550_ns > 0 and .rtt_jitter_rfc3550_ns <= .rtt_pdv_max_ns'
}
