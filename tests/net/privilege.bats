#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# bats file_tags=net
# What each verb may still do while it runs: docs/security.md.

load ../lib/common
load ../lib/lab

NET_ADMIN=$((1 << 12)) NET_RAW=$((1 << 13)) IPC_LOCK=$((1 << 14)) SYS_ADMIN=$((1 << 21)) SYS_RESOURCE=$((1 << 24))
SET_USER=$((1 << 6 | 1 << 7)) PERFMON=$((1 << 38)) BPF=$((1 << 39)) FILES=$((1 << 1 | 1 << 3))

setup() {
	need_root
	need_command jq
}

# To read maps, before 5.19.
reads() {
	kernel_from 5.19 && echo 0 || echo "$BPF"
}

# field PID NAME: of each thread, once if they agree.
field() {
	sed -n "s/^$2:[[:space:]]*//p" /proc/"$1"/task/*/status | sort -u
}

is_limited() {
	[ "$(field "$1" NoNewPrivs)" = 1 ]
}

# has PID UID CAPABILITIES BOUNDING: nothing else, and no way to more.
has() {
	local what now

	# It is set last.
	wait_for is_limited "$1"
	what="$2	$2	$2	$2 $(printf '%016x %016x %016x 0000000000000000 1' "$3" "$3" "$4")"
	now="$(field "$1" Uid) $(field "$1" CapPrm) $(field "$1" CapEff) $(field "$1" CapBnd) $(field "$1" CapInh) $(field "$1" NoNewPrivs)"
	[ "$now" = "$what" ] || fail "$(tr '\0' ' ' <"/proc/$1/cmdline"): has '$now', not '$what'"
}

is_filtered() {
	[ "$(field "$1" Seccomp)" = 2 ]
}

# leaves NAME CAPABILITIES: while it runs it is the user nobody with these, and has a filter of system calls. It is
# then ended.
leaves() {
	has "${PIDS[$1]}" 65534 "$2" 0
	wait_for is_filtered "${PIDS[$1]}"
	[[ $(field "${PIDS[$1]}" Groups) =~ ^(65534)?\ ?$ ]]
	finish "$1" INT
}

seen() {
	echo "$1" >>"$BATS_FILE_TMPDIR/seen"
}

@test "sink, reflect and impair keep nothing but what their run needs" {
	lab_up
	seen "sink reflect impair"
	start sink b sink eg0
	leaves sink "$(reads)"
	start reflect b reflect eg0
	leaves reflect 0
	start impair b impair eg0 --loss 1%
	leaves impair "$(reads)"
	start impair b impair eg0 --direction egress --loss 1%
	leaves impair $((NET_ADMIN | $(reads)))
}

@test "senders keep what their engine needs" {
	seen "blast probe ping rr"
	need xdp-live-frames af-xdp
	lab_up
	start live a blast eg0 198.18.0.2 --engine live --rate 1kpps
	leaves live $((NET_ADMIN | BPF))
	start afxdp a blast eg0 198.18.0.2 --engine afxdp --rate 1kpps
	leaves afxdp 0
	start probe a probe eg0 198.18.0.2 --engine afxdp --rate 1kpps
	leaves probe "$(reads)"
	start_cmd stamp a "probing" "$TOOL" probe --stamp 198.18.0.2
	leaves stamp 0
	start_cmd rr a "sending requests" "$TOOL" rr 198.18.0.2
	leaves rr 0
	start_cmd ping a "sending requests" "$TOOL" ping 198.18.0.2
	leaves ping 0
}

@test "what uses sockets keeps nothing, or what was asked beyond the system's limits" {
	lab_up
	seen "serve tcp udp load"
	start serve b serve -o "$BATS_TEST_TMPDIR/serve.json"
	start tcp a tcp stream 198.18.0.2 -d 60s
	leaves tcp 0
	start udp a udp stream 198.18.0.2 -d 60s --rate 1Mbps
	leaves udp 0
	start tcp a tcp stream 198.18.0.2 -d 60s --socket-buffer 8M
	leaves tcp $((NET_ADMIN))
	start_cmd rfc6349 a "" "$TOOL" bench rfc6349 198.18.0.2
	leaves rfc6349 $((NET_ADMIN))
	leaves serve 0
	json '.command == "serve"'
	start_cmd load a "" "$TOOL" load http://198.18.0.2:9/ -d 60s
	leaves load 0
}

@test "watch keeps what its options need" {
	lab_up
	seen watch
	start_cmd watch b "watching" "$TOOL" watch eg0
	leaves watch $((BPF | NET_ADMIN | SYS_ADMIN))
	start_cmd watch b "watching" "$TOOL" watch eg0 --no-cost --hooks tc
	leaves watch $((BPF | NET_ADMIN))
	start_cmd watch b "watching" "$TOOL" watch eg0 --no-cost --hooks tc --textfile "$BATS_TEST_TMPDIR/x.prom"
	leaves watch $((BPF | NET_ADMIN))
	start_cmd watch b "watching" "$TOOL" watch eg0 --no-cost --hooks xdp
	leaves watch $((BPF | NET_ADMIN))
	"$TOOL" doctor --has freplace >/dev/null 2>&1 || return 0
	start_cmd watch b "watching" "$TOOL" watch eg0 --no-cost --hooks xdp --share
	has "$(pgrep -P "${PIDS[watch]}" ethgauge-share)" 0 $((BPF | PERFMON | NET_ADMIN | SYS_ADMIN | FILES)) 0
	leaves watch $((BPF | NET_ADMIN))
}

@test "ping and rr stay root until the last size, with what opening it needs" {
	local kept=$((BPF | PERFMON | NET_ADMIN | NET_RAW | IPC_LOCK | SYS_RESOURCE | SET_USER))

	kept=$((kept & 0x$(field $$ CapPrm)))
	lab_up
	start_cmd ping a "frames of 64 bytes" "$TOOL" ping 198.18.0.2 --sizes 64,128 -d 3s -i 10ms
	has "${PIDS[ping]}" 0 "$kept" 0
	wait_for grep -q "frames of 128 bytes" "$BATS_TEST_TMPDIR/ping.err"
	leaves ping 0
}

@test "a run starts no process, loads no program and changes nothing of the system" {
	local file=$BATS_TEST_TMPDIR/escape call

	cc -shared -fPIC -o "$BATS_TEST_TMPDIR/escape.so" "$BATS_TEST_DIRNAME/escape.c"
	lab_up
	# Each has ended by what it found out before, not by these.
	start_cmd sink b "receiving on" env ESCAPE="$file" LD_PRELOAD="$BATS_TEST_TMPDIR/escape.so" "$TOOL" sink eg0 --json
	wait_for grep -q execve "$file"
	finish sink INT
	is 130
	json '.command == "sink" and (has("errors") | not)'
	for call in fork clone3 ptrace unshare setns mount setuid sethostname program execve; do
		grep -qx "$call ENOSYS" "$file" || fail "$(cat "$file")"
	done
	# What reads maps may be tried.
	grep -q "^lookup E[^N]" "$file" || fail "$(cat "$file")"
}

@test "bench and calibrate stay root, with what their trials need" {
	local kept=$((BPF | PERFMON | NET_ADMIN | NET_RAW | SYS_ADMIN | IPC_LOCK | SYS_RESOURCE | FILES))

	# A container may have fewer.
	kept=$((kept & 0x$(field $$ CapPrm)))
	seen "bench calibrate"
	need xdp-live-frames
	lab_up
	start_cmd bench a "" "$TOOL" bench soak eg0 "eg0@$LAB-b" --dest 198.18.0.2 --rate 500pps --trial 20s --duration 20s
	has "${PIDS[bench]}" 0 "$kept" 0
	finish bench INT
	start_cmd calibrate a "" "$TOOL" calibrate
	has "${PIDS[calibrate]}" 0 "$kept" 0
	finish calibrate INT
}

@test "each verb is held against the table of docs/security.md" {
	local verb

	# They make namespaces, start verbs or write settings as root, or need nothing and end at once.
	seen "demo lab sweep tune doctor calc compare report"
	for verb in $("$TOOL" help complete "" | cut -f 1); do
		[ "$verb" != help ] || continue
		grep -qw "$verb" "$BATS_FILE_TMPDIR/seen" || fail "no test of $verb"
		grep -q "^|.*\`$verb\b" "$TOP/docs/security.md" || fail "docs/security.md does not name $verb"
	done
}

@test "with an output file nothing but its name needs root, which another process gives it" {
	local dir keeper

	lab_up
	dir=$BATS_TEST_TMPDIR/out
	mkdir -m 755 "$dir"
	start sink b sink eg0 -o "$dir/x.json" --hgrm "$dir/x.hgrm"
	keeper=$(pgrep -P "${PIDS[sink]}")
	[ "$(cat "/proc/$keeper/comm")" = ethgauge-files ]
	has "$keeper" 0 $((FILES)) 0
	# The pair's end, the two files and /dev/null.
	[ "$(find "/proc/$keeper/fd" -type l | wc -l)" = 6 ]
	# What ends its owner does not end it.
	kill -INT "$keeper"
	kill -TERM "$keeper"
	leaves sink "$(reads)"
	[ "$(stat -c %u "$dir/x.json")" = 0 ]
	holds '.command == "sink"' <"$dir/x.json"
	[ "$(find "$dir" -type f | wc -l)" = 2 ]

	start sink b sink eg0 -o "$dir/y.json"
	keeper=$(pgrep -P "${PIDS[sink]}")
	kill -KILL "${PIDS[sink]}"
	wait_for has_ended "$keeper"
	[ "$(find "$dir" -type f | wc -l)" = 2 ]
}

# is_renewed FILE INODE: it is another file by now.
is_renewed() {
	[ -s "$1" ] && [ "$(stat -c %i "$1")" != "$2" ]
}

@test "a text file is replaced at each interval by the process that names files" {
	local dir file keeper

	lab_up
	dir=$BATS_TEST_TMPDIR/out
	mkdir -m 755 "$dir"
	file=$dir/x.prom
	start_cmd watch b "watching" "$TOOL" watch eg0 --no-cost --interval 100ms --textfile "$file"
	keeper=$(pgrep -P "${PIDS[watch]}")
	[ "$(cat "/proc/$keeper/comm")" = ethgauge-files ]
	has "$keeper" 0 $((FILES)) 0
	wait_for is_renewed "$file" 0
	# It takes no other file, whoever asks, but goes on renewing this one.
	wait_for is_renewed "$file" "$(stat -c %i "$file")"
	wait_for is_renewed "$file" "$(stat -c %i "$file")"
	[ "$(stat -c '%u %a' "$file")" = "0 644" ]
	# The pair's end, the file and /dev/null: none is left open.
	[ "$(find "/proc/$keeper/fd" -type l | wc -l)" = 5 ]
	leaves watch $((BPF | NET_ADMIN))
	grep -q '^ethgauge_seen_packets_total' "$file"
	[ "$(find "$dir" -type f | wc -l)" = 1 ]
}

@test "a capability that is missing is named with the setcap command, which is enough" {
	local dir copy

	need_command setcap
	lab_up
	dir=$(mktemp -d)
	defer rm -rf "$dir"
	chmod 755 "$dir"
	copy=$dir/ethgauge
	install -m 755 "$TOOL" "$copy"
	# Before 5.11 maps count as locked memory, whose limit is another hint.
	as_user() {
		# shellcheck disable=SC2016 # expanded there
		run --separate-stderr in_b sh -c 'ulimit -l unlimited 2>/dev/null; exec "$@"' sh \
			setpriv --reuid=65534 --regid=65534 --clear-groups "$copy" "$@"
	}
	as_user sink eg0 -d 300ms --json
	is 3
	says "this requires CAP_BPF, CAP_PERFMON, CAP_NET_ADMIN"
	says "sudo setcap cap_bpf,cap_perfmon,cap_net_admin+ep $copy"
	setcap cap_bpf,cap_perfmon,cap_net_admin,cap_net_raw+ep "$copy" || cannot setcap "a file system that keeps capabilities"
	as_user bench soak "eg0@$LAB-a" "eg0@$LAB-b" --dest 198.18.0.2 --rate 500pps --trial 1s --duration 1s
	is 3
	# setcap replaces what the file has.
	says "this requires CAP_SYS_ADMIN"
	says "sudo setcap cap_bpf,cap_perfmon,cap_net_admin,cap_net_raw,cap_sys_admin+ep $copy"
	as_user sink eg0 -d 300ms --json
	is 0
	json '.command == "sink" and (has("errors") | not)'
}
