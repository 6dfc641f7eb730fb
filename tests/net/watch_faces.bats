#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# bats file_tags=net
# The other faces of watch: Prometheus, its text file, the record and its replay,
# the full-screen view. Each must show what the document has.

load ../lib/common
load ../lib/lab
load ../lib/screen

PEER=$BATS_TEST_DIRNAME/watch_peer.py
PROM_CHECK=$BATS_TEST_DIRNAME/prom_check.py
DASHBOARD=$TOP/docs/grafana/ethgauge-watch.json

setup() {
	need_root
	need_command jq /usr/bin/python3
	lab_up
	FILE=$BATS_TEST_TMPDIR/file
	rm -f "$FILE"
}

# watch OPTIONS...: in b, beside the test.
watch() {
	start_cmd watch b "watching 'eg0'" "$TOOL" watch eg0 --interval 100ms --json "$@"
}

# ask PATH [CURL OPTIONS]: over b's loopback.
ask() {
	in_b curl -sS --max-time 5 "${@:2}" "http://127.0.0.1:9105$1"
}

# is_told SAMPLE VALUE
is_told() {
	grep -qxF "$1 $2" <<<"$(ask /metrics)"
}

in_file() {
	grep -qxF "$1 $2" "$FILE"
}

# sound TEXT: it is of Prometheus' format, also to its own program where that is there.
sound() {
	"$PROM_CHECK" "${@:2}" <"$1"
	# Without it, prom_check.py alone, unless REQUIRE names it.
	if command -v promtool >/dev/null || required promtool; then promtool check metrics <"$1"; fi
}

@test "Prometheus gets the counts in a valid format" {
	need_command curl
	watch --prom :9105
	in_a "$PEER" frames 60 1009
	wait_for is_told 'ethgauge_seen_packets_total{iface="eg0",direction="rx"}' 1009
	is_told 'ethgauge_seen_bytes_total{iface="eg0",direction="rx"}' 64576
	is_told 'ethgauge_size_packets_total{iface="eg0",direction="rx",size="64"}' 1009
	is_told 'ethgauge_gap_seconds_count{iface="eg0",direction="rx"}' \
		"$(ask /metrics | sed -n 's/^ethgauge_gap_seconds_bucket{.*"rx",le="+Inf"} //p')"
	ask /metrics >"$FILE"
	sound "$FILE"
	finish watch INT
	is 130
}

@test "only one page can be had, only by reading, and one client cannot keep others out" {
	need_command curl
	watch --prom 127.0.0.1:9105
	[ "$(ask / -o /dev/null -w '%{http_code}')" = 404 ]
	[ "$(ask /metrics/../etc/passwd --path-as-is -o /dev/null -w '%{http_code}')" = 404 ]
	[ "$(ask /metrics -d x=1 -o /dev/null -w '%{http_code}')" = 405 ]
	[ "$(ask /metrics -I -o /dev/null -w '%{http_code}')" = 200 ]
	in_b /usr/bin/python3 -c '
import socket
held = [socket.create_connection(("127.0.0.1", 9105)) for _ in range(15)]
for one in held:
    one.send(b"GET /metrics HTTP/1.1\r\nX: " + b"y" * 1000)
held[0].send(b"z" * 200000)
last = socket.create_connection(("127.0.0.1", 9105))
last.settimeout(5)
last.send(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
assert last.recv(15) == b"HTTP/1.1 200 OK", "kept out"'
	kill -0 "${PIDS[watch]}"
	# No other address is accepted.
	in_b ss -Hltn 'sport = 9105' | grep -qF 127.0.0.1:9105
	tool_in b watch eg0 --prom :9105 --json
	is 4
	says "cannot listen at ':9105'"
	finish watch INT
}

@test "addresses that are none are refused in words" {
	local where

	for where in 9105 :0 :65536 :9105x host:9105 ::1:9105 '[::1]'; do
		tool_in b watch eg0 --prom "$where"
		is 2
		says "is not an address and port"
	done
	start_cmd watch b "watching 'eg0'" "$TOOL" watch eg0 --prom '[::1]:9105'
	in_b ss -Hltn 'sport = 9105' | grep -qF '[::1]:9105'
	finish watch INT
}

@test "the text file is whole at every moment, and the dashboard finds all it asks for" {
	watch --textfile "$FILE" --flows --drops
	wait_for in_file 'ethgauge_info{version="0.1.0"}' 1
	in_b "$PEER" frames 60 7 02:e9:00:00:00:0a
	start_cmd serve b ready "$PEER" serve
	in_a "$PEER" send 100003 >/dev/null
	finish serve
	# The programs are timed in the first instants, and again after 5 s.
	start_cmd frames a "" "$PEER" frames 60 100000 02:e9:00:00:00:0b 0.002
	"$PROM_CHECK" --until ethgauge_program_run_seconds 13 "$FILE"
	finish frames TERM
	wait_for in_file 'ethgauge_protocol_packets_total{iface="eg0",direction="rx",protocol="other"}' "$output"
	grep -q '^ethgauge_flow_bytes_total{iface="eg0",near="198.18.0.2:[0-9]*",far="198.18.0.1:[0-9]*",proto="tcp",direction="rx"} 1[0-9]*$' "$FILE"
	finish watch INT
	is 130
	sound "$FILE" "$DASHBOARD"
	[ "$(find "$BATS_TEST_TMPDIR" -name 'file?*')" = "" ]
}

@test "a hostile interface name stays within its quotes" {
	local name='a"b\},{c'

	in_b ip link add "$name" type veth peer name eg9 2>/dev/null || skip "no such name here"
	in_b ip link set "$name" up
	start_cmd watch b "watching '$name'" "$TOOL" watch "$name" --interval 100ms --textfile "$FILE"
	wait_for in_file 'ethgauge_info{version="0.1.0"}' 1
	finish watch INT
	sound "$FILE"
	grep -qF 'ethgauge_seen_packets_total{iface="a\"b\\},{c",direction="rx"}' "$FILE"
}

@test "a replay shows what the run showed, without privileges" {
	local whole rows

	watch --record "$FILE"
	in_a "$PEER" frames 60 1009
	in_b "$PEER" frames 900 7 02:e9:00:00:00:0a
	finish watch INT
	is 130
	whole=$(command jq -cS '.parts | map({name, metrics, entries, histograms})' <<<"$output")
	chmod 644 "$FILE"
	chmod 755 "$BATS_TEST_TMPDIR" "$BATS_RUN_TMPDIR"
	output=$(cd / && unprivileged "$TOOL" watch --replay /dev/stdin --speed max --jsonl -q <"$FILE")
	rows=$(jq -c 'select(.type == "interval" and .part == "eg0 rx").seen_packets' <<<"$output" |
		jq -s add)
	[ "$rows" = 1009 ]
	[ "$(tail -n 1 <<<"$output" | command jq -cS '.parts | map({name, metrics, entries, histograms})')" = \
		"$whole" ]
}

@test "names of a record are plain text on a terminal and in the text file" {
	watch --record "$FILE"
	in_a "$PEER" frames 60 101
	finish watch INT
	is 130
	sed 's/eg0/\\u001b[31m\\u202e\\u009b\\u0007/g' "$FILE" >"$BATS_TEST_TMPDIR/odd"
	tool_in b watch --replay "$BATS_TEST_TMPDIR/odd" --speed max -v --textfile "$BATS_TEST_TMPDIR/prom"
	is 0
	printf '%s\n' "$output" >"$BATS_TEST_TMPDIR/whole"
	tool_in b watch --replay "$BATS_TEST_TMPDIR/odd" --speed max
	printf '%s\n' "$output" "$stderr" >"$BATS_TEST_TMPDIR/shown"
	[[ $output == *"?[31m???"* ]] || fail "$output"
	"$BATS_TEST_DIRNAME/../lib/plain.py" "$BATS_TEST_TMPDIR"/{whole,shown,prom}
}

@test "what came since the last interval has a row, too" {
	watch --interval 1h
	in_a "$PEER" frames 60 101
	finish watch INT
	is 130
	json '[.parts[0].series[].seen_packets] == [101]'
}

@test "a run that is killed leaves a record that can be replayed to its last line" {
	watch --record "$FILE"
	in_a "$PEER" frames 60 101
	wait_for eval '[ "$(wc -l <"$FILE")" -ge 5 ]'
	kill -KILL "${PIDS[watch]}"
	wait_for has_ended "${PIDS[watch]}"
	holds . <"$FILE"
	printf '{"type":"state","elapsed_ns":99' >>"$FILE"
	tool_in b watch --replay "$FILE" --speed max --json
	is 0
	json '.parts[0].metrics.seen_packets == 101'
	json '.notes | any(contains("ends within a line"))'
}

@test "a replay keeps its times, or goes as much faster as asked" {
	local began

	printf '{"elapsed_ns":%s,"result":{}}\n' 1 700000000 >"$FILE"
	began=${EPOCHREALTIME/./}
	tool_in b watch --replay "$FILE"
	is 0
	[ $((${EPOCHREALTIME/./} - began)) -ge 700000 ]
	# 500 s in half a second, but not at once.
	printf '{"elapsed_ns":%s,"result":{}}\n' 1 500000000000 >"$FILE"
	began=${EPOCHREALTIME/./}
	tool_in b watch --replay "$FILE" --speed 1000
	is 0
	[ $((${EPOCHREALTIME/./} - began)) -ge 500000 ]
	echo '{}' >"$FILE"
	tool_in b watch --replay "$FILE"
	is 2
	says "is not a recording of watch: line 1"
	tool_in b watch eg0 --replay "$FILE"
	is 2
	tool_in b watch --replay "$FILE" --hooks tc
	is 2
	says "--replay and --hooks are mutually exclusive"
}

# watch_small OPTIONS...: in a directory, small, that holds 64 KiB.
watch_small() {
	cd "$BATS_TEST_TMPDIR" || return
	mkdir -p small
	# shellcheck disable=SC2016 # expanded there
	start_cmd watch b "watching 'eg0'" unshare -m sh -c \
		'mount -t tmpfs -o size=64k none small && exec "$@"' sh \
		"$TOOL" watch eg0 --interval 20ms --json "$@"
}

@test "a disk that fills up ends a recording with a warning, and the run with status 4 and its result" {
	watch_small --record small/rec
	wait_for grep -q "the recording 'small/rec' ends here: No space left on device" "$BATS_TEST_TMPDIR/watch.err"
	in_a "$PEER" frames 60 101
	finish watch INT
	is 4
	says "cannot write all of 'small/rec': No space left on device"
	json '.parts | map(.metrics.seen_packets) | add >= 101'
}

# small_is_full: the directory small, of which $root is the path here, is full, and
# watch has said so. Its text file is replaced by a new one, and what is filled while
# both are there leaves the room of the old one: it is filled until watch has none.
small_is_full() {
	root=/proc/${PIDS[watch]}/root$BATS_TEST_TMPDIR/small
	test -s "$root/prom" || return
	cat /dev/zero >>"$root/fill" 2>/dev/null || :
	grep -q "cannot write 'small/prom': No space left on device" "$BATS_TEST_TMPDIR/watch.err"
}

@test "a text file whose last state finds no room ends the run with status 4, one that had none for a while does not" {
	watch_small --textfile small/prom
	wait_for small_is_full
	rm "$root/fill"
	nap 0.2
	finish watch INT
	is 130
	watch_small --textfile small/prom
	wait_for small_is_full
	finish watch INT
	is 4
	says "cannot write 'small/prom': No space left on device"
}

@test "the full-screen view shows the wire, obeys its keys, and leaves the terminal as it was" {
	start_cmd frames a "" "$PEER" frames 60 100000 02:e9:00:00:00:0b 0.002
	screen "w=█ TAB DOWN=>eg0_tx ENTER=since_start ?=this_help,_and_back ?=since_start \
		p=paused r80x20=eg0_tx q" watch eg0 --tui --interval 200ms
	after w "ethgauge watch"
	after w ">eg0 rx"
	after w "█"
	after w "watching 'eg0'; q ends it"
	after DOWN ">eg0 tx"
	after ENTER "since start"
	after '?' "this help, and back"
	after p "paused"
	after r80x20 "eg0 tx"
	after end "terminal restored"
	after end "eg0 rx"
	after end "== end 0"
}

@test "^C and errors leave the terminal as it was, too" {
	screen "w=eg0_rx ^C" watch eg0 --tui
	after end "== end 130"
	after end "terminal restored"
	screen "w" watch eg0 --tui --record /nonexistent/file
	after end "== end 4"
	after end "terminal restored"
	tool_in b watch eg0 --tui
	is 2
	says "requires a terminal"
}

@test "without UTF-8 the view is of ASCII alone, and without colours if asked" {
	printf '{"elapsed_ns":%s,"result":{"parts":[{"name":"x rx","entries":[{"by":"cpu","value":"0","packets":%s}],"series":[{"seen_l1_bps":5}]}]}}\n' \
		1 1 1000000 7000 >"$FILE"
	need_module pyte || return
	output=$(LC_ALL=C "$SCREEN" "w=#### q" -- "$TOOL" watch --replay "$FILE" --tui --no-color)
	after w "####"
	[[ $output != *█* ]]
	after end "terminal restored"
}
