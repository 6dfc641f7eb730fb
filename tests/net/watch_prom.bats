#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# bats file_tags=net
# The listener of watch --prom: a process without privilege, that slow clients cannot keep from others,
# and that ends with watch.

load ../lib/common
load ../lib/lab

PEER=$BATS_TEST_DIRNAME/watch_prom_peer.py

setup() {
	need_root
	need_command curl prlimit /usr/bin/python3
	lab_up
}

# watch OPTIONS...: in b, beside the test, with its listener.
watch() {
	start_cmd watch b "$1" "$TOOL" watch --prom :9105 --json "${@:2}"
	LISTENER=$(pgrep -P "${PIDS[watch]}" ethgauge-http)
}

# scrape [CURL OPTIONS]: the page, within 2 s.
scrape() {
	in_b curl -sS --fail --max-time $((2 * TESTS_SLOW)) "$@" http://127.0.0.1:9105/metrics
}

# held: how many the peer had open once it had tried all.
held() {
	sed -n 's/^holding //p' "$BATS_TEST_TMPDIR/hold.err"
}

is_listening() {
	in_b ss -Hltn 'sport = 9105' | grep -q .
}

# is_gone: the listener; no one may wait for it where its parent was killed.
is_gone() {
	local state

	state=$(of_status State 2>/dev/null) || return 0
	[[ $state == [XZ]* ]]
}

# limit_files N: of the listener, as its own user, for whom no capability is needed.
limit_files() {
	setpriv --reuid="$(of_status Uid | cut -f 1)" --regid="$(of_status Gid | cut -f 1)" --clear-groups \
		prlimit --pid "$LISTENER" --nofile="$1:"
}

# of_status KEY: of the listener.
of_status() {
	sed -n "s/^$1:[[:space:]]*//p" "/proc/$LISTENER/status"
}

@test "slow connections of one address keep no one out, and have a limit" {
	watch "watching 'eg0'" eg0
	start_cmd hold b holding "$PEER" hold 40 127.0.0.1
	scrape | grep -q '^ethgauge_seen_packets_total'
	scrape | grep -q '^ethgauge_seen_packets_total'
	[ "$(held)" -le 16 ]
	[ "$(held)" -ge 1 ]
	finish hold TERM
	finish watch INT
	is 130
}

@test "slow connections of many addresses keep no one out, and have a limit" {
	watch "watching 'eg0'" eg0
	start_cmd hold b holding "$PEER" hold 16 127.0.0.{1..8}
	scrape | grep -q '^ethgauge_seen_packets_total'
	scrape | grep -q '^ethgauge_seen_packets_total'
	[ "$(held)" -le 64 ]
	[ "$(held)" -ge 17 ]
	finish hold TERM
	finish watch INT
	is 130
}

@test "a request has its time, and an answer has, however they go on" {
	local ms

	watch "watching 'eg0'" eg0
	ms=$(in_b "$PEER" drip)
	[ "$ms" -ge 1500 ] && [ "$ms" -le $((4000 * TESTS_SLOW)) ] || fail "$ms ms"
	finish watch INT
	# Some megabytes: more than the buffers of a connection take.
	/usr/bin/python3 -c '
import json
entries = [{"by": "protocol", "value": "p%d" % i + "x" * 200, "packets": 1, "bytes": 1} for i in range(500)]
parts = [{"name": "part%d" % i, "entries": entries} for i in range(20)]
for elapsed in 1, 60000000000:
    print(json.dumps({"elapsed_ns": elapsed, "result": {"parts": parts}}))' >"$BATS_TEST_TMPDIR/record"
	watch "serving" --replay "$BATS_TEST_TMPDIR/record"
	# On a busy machine it is not made within the 2 s of a request: 503.
	scrape --max-time 20 -o "$BATS_TEST_TMPDIR/page" || wait_for scrape --max-time 20 -o "$BATS_TEST_TMPDIR/page"
	[ "$(stat -c %s "$BATS_TEST_TMPDIR/page")" -ge 4000000 ]
	grep -q 'part="part19",protocol="p499x' "$BATS_TEST_TMPDIR/page"
	ms=$(in_b "$PEER" take)
	[ "$ms" -ge 4000 ] && [ "$ms" -le $((8000 * TESTS_SLOW)) ] || fail "$ms ms"
	finish watch INT
}

@test "the listener has no privilege, nothing of BPF, and no file" {
	local key

	watch "watching 'eg0'" eg0 -o "$BATS_TEST_TMPDIR/out.json" --textfile "$BATS_TEST_TMPDIR/out.prom" --flows
	scrape >/dev/null
	for key in CapInh CapPrm CapEff CapBnd CapAmb; do
		[ "$(of_status $key)" = 0000000000000000 ] || fail "$key $(of_status $key)"
	done
	[ "$(of_status NoNewPrivs)" = 1 ]
	[ "$(of_status Groups)" = "" ]
	[[ " $(of_status Uid | tr '\t' ' ') $(of_status Gid | tr '\t' ' ') " != *" 0 "* ]]
	# What is looked for is in the parent.
	find "/proc/${PIDS[watch]}/fd" -lname '*bpf*' | grep -q .
	output=$(find "/proc/$LISTENER/fd" -type l ! -lname /dev/null ! -lname 'socket:*' \
		! -lname 'anon_inode:\[eventpoll\]' ! -lname '/memfd:page*' -printf '%l\n')
	[ -z "$output" ] || fail "$output"
	run ! grep anon_inode "/proc/$LISTENER/maps"
	# A signal from the terminal is the parent's.
	kill -INT "$LISTENER"
	kill -TERM "$LISTENER"
	scrape >/dev/null
	finish watch INT
	is 130
}

@test "the listener ends with watch, also with one that is killed" {
	watch "watching 'eg0'" eg0
	kill -KILL "${PIDS[watch]}"
	wait "${PIDS[watch]}" || :
	wait_for is_gone
	run ! is_listening
	watch "watching 'eg0'" eg0
	scrape >/dev/null
	finish watch INT
	is 130
	is_gone
}

@test "watch goes on without its listener, and reports it" {
	watch "watching 'eg0'" eg0
	kill -KILL "$LISTENER"
	wait_for grep -q "the listener of --prom has ended" "$BATS_TEST_TMPDIR/watch.err"
	run ! is_listening
	in_a ping -qc 7 -i 0.01 198.18.0.2 >/dev/null
	finish watch INT
	is 130
	json '.notes | any(contains("the listener of --prom ended"))'
	json '.parts[0].metrics.seen_packets >= 7'
	[ "$(grep -c "the listener of --prom" "$BATS_TEST_TMPDIR/watch.err")" = 1 ]
}

@test "a listener without descriptors waits, and serves again later" {
	local ticks

	watch "watching 'eg0'" eg0
	scrape >/dev/null
	limit_files 5
	start_cmd hold b holding "$PEER" hold 5 127.0.0.1
	ticks=$(awk '{ print $14 + $15 }' "/proc/$LISTENER/stat")
	nap 1
	ticks=$(($(awk '{ print $14 + $15 }' "/proc/$LISTENER/stat") - ticks))
	[ "$ticks" -le 20 ] || fail "$ticks ticks"
	finish hold TERM
	limit_files 1024
	scrape >/dev/null
	finish watch INT
	is 130
}
