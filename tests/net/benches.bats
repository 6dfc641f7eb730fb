# SPDX-License-Identifier: GPL-2.0-or-later
# The scripts that measure and soak, each for its shortest run: they work, their documents are
# complete, and nothing is left. No speed is asserted; what they measure is tested in bench.bats.

load ../lib/common

setup() {
	need_root
	need_command python3 jq ip tc taskset ethtool
	[ -x "${TOOL%/*}/tests/bench/bare" ] || cannot bare "the bare loop: make bench builds it"
	DOC=$BATS_TEST_TMPDIR/x.json
}

# begin SCRIPT ARGS: in the background as PID, which is in the names of its labs.
begin() {
	"$TOP/scripts/$1" "${@:2}" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" 3>&- &
	PID=$!
	defer kill -9 "$PID"
}

# end_of [STATUS]: of the script.
end_of() {
	local ended=0

	timeout 100 tail --pid="$PID" -f /dev/null
	wait "$PID" || ended=$?
	[ "$ended" = "${1:-0}" ] || fail "exit status $ended: $(tail -n 30 "$BATS_TEST_TMPDIR"/{out,err})"
	no_lab_left "$PID"
}

# no_lab_left PID: of a script.
no_lab_left() {
	run find /run/netns -name "*[a-z]$1-*"
	[ "$output" = "" ]
}

# quick SCRIPT [ARGS]: its document becomes the output.
quick() {
	begin "$1" --quick -o "$DOC" "${@:2}"
	end_of
	output=$(cat "$DOC")
	json --arg name "$1" '.format == 1 and .command == $name and .complete and (.runs | length > 0)'
}

# without PROGRAM...: PATH has all but these.
without() {
	local dir=$BATS_TEST_TMPDIR/bin name

	mkdir "$dir"
	for name in ${PATH//:/ }; do
		# The first of a name counts.
		ln -s "$name"/* "$dir/" 2>/dev/null || :
	done
	for name; do
		rm -f "$dir/$name"
	done
	PATH=$dir
}

@test "bench-run --quick has each kind of sender, and each peer or why not" {
	quick bench-run

	json '.disagreements == [] and .config.rounds == 1'
	json '([.runs[].id | split("/")[0]] | unique) as $had | ["bare", "live-untagged", "live-tagged-full",
		"live-fields5", "streams-10", "paced-10", "replay-live", "replay-afxdp", "afxdp-tagged-full"] - $had == []'
	json '[.runs[].id | split("/")[0]] + [.skipped[].row] | ["trafgen", "tcpreplay", "iperf3",
		"xdp-trafficgen", "pktgen"] - . == []'
}

@test "bench-watch --quick has each observer, and no median of too few samples" {
	quick bench-watch

	json '[.runs[] | select(.load == "frames64").observer] + (.skipped | keys) |
		["none", "count", "watch", "watch-sample", "watch-xdp", "tcpdump"] - . == []'
	json '[.runs[].load] + (.skipped | keys) | ["iperf3", "frames64"] - . == []'
	# Nine messages: watch reports percentiles of 20 samples and more.
	json '.rtts | length == 2 and all(.watch_p50_us == null and .ratio == null and .watch_min_us > 0 and
		.min_ratio > 0)'
	run cat "$BATS_TEST_TMPDIR/out"
	[[ $output =~ "impair 10 ms in each direction, tcp-timestamp "[\ 0-9]+" - "[\ 0-9]+" - "[\ 0-9.]+ ]]
	[ "$(grep -c '^skip .* tcp-.*: the median is not compared: too few samples$' <<<"$output")" = 2 ]
	[ "$(grep -cE '^(PASS|miss) .* tcp-.*: the least is ' <<<"$output")" = 2 ]
	[[ $output != *FAIL* ]]
}

@test "bench-rr --quick has each engine, and each peer or why not" {
	quick bench-rr

	json '[.runs[].row] + (.skipped | keys) | ["ping -f", "ping, socket", "ping, afxdp, 32", "ping, bounce",
		"netperf UDP_RR", "sockperf ping-pong", "rr, afxdp", "bare, 8", "rr, bounce, 8",
		"rr, bounce, 8, time 1/64"] - . == []'
	json '[.runs[].row] | ["ping, socket", "rr, afxdp", "bare, 8", "rr, bounce, 8"] - . == []'
	json '.runs | all(.rate > 0)'
}

@test "bench-stamp --quick has each reflector, or why not" {
	quick bench-stamp

	json '[.runs[] | select(.what == "reflected").row] | ["reflect", "reflect --stamp", "the same, stateful",
		"the same, all new sessions", "Python"] - . == []'
	json '[.runs[] | select(.what == "round trip").row] + (.skipped | keys) |
		["reflect --stamp", "stamp-suite", "Python", "ping", "sockperf"] - . == []'
	json '.runs | all(.what != "reflected" or .received_packets > 0)'
}

@test "bench-transport --quick has each test, and each peer or why not" {
	quick bench-transport

	json '[.runs[] | "\(.test), \(.side)"] + (.skipped | keys) | ["tcp stream, ethgauge", "tcp stream, iperf3",
		"tcp stream, nuttcp", "udp stream, ethgauge --gso", "udp stream, iperf3", "tcp rr, ethgauge",
		"tcp rr, sockperf", "tcp crr, ethgauge", "udp rr, two CPUs, ethgauge --spin"] - . == []'
	json '.rows | all((.runs | length == 1) and .value.median > 0)'
	json '[.runs[].test] | ["tcp stream", "udp stream", "tcp rr", "tcp crr", "udp rr, two CPUs"] - . == []'
}

@test "a run of sockperf that one lost datagram ended is done again, three times at most" {
	mkdir "$BATS_TEST_TMPDIR/bin"
	# Of ping-pong the first runs, as many as the file has lines, end as one whose datagram was lost.
	cat >"$BATS_TEST_TMPDIR/bin/sockperf" <<-END
		#!/bin/sh
		case \$1 in
		server) echo "using recvfrom()"; exec sleep 20 ;;
		ping-pong) ;;
		*) echo "a sockperf that loses"; exit 0 ;;
		esac
		if [ -s "$BATS_TEST_TMPDIR/lost" ]; then
			sed -i 1d "$BATS_TEST_TMPDIR/lost"
			echo "sockperf: No valid observations found. Try tune parameters: --time/--mps/--reply-every"
		else
			echo "sockperf: [Valid Duration] RunTime=0.500 sec; SentMessages=1000; ReceivedMessages=1000"
		fi
	END
	chmod +x "$BATS_TEST_TMPDIR/bin/sockperf"
	seq 2 >"$BATS_TEST_TMPDIR/lost"
	PATH=$BATS_TEST_TMPDIR/bin:$PATH quick bench-transport "tcp rr"
	[ "$(grep -c "once more, a datagram was lost" "$BATS_TEST_TMPDIR/err")" = 2 ]
	json '.rows | any(.side == "sockperf" and .value.median == 2000)'
	seq 3 >"$BATS_TEST_TMPDIR/lost"
	PATH=$BATS_TEST_TMPDIR/bin:$PATH begin bench-transport --quick "tcp rr"
	end_of 4
}

@test "bench-load --quick has each client, or why not" {
	need_command nginx curl
	quick bench-load

	json '[.runs[].side] + (.skipped | keys) | ["load-keep", "wrk-keep", "ab-keep", "load-fresh", "wrk-fresh",
		"ab-fresh"] - . == []'
	json '[.runs[].side] | ["load-keep", "load-fresh"] - . == []'
}

@test "soak-stamp --quick judges the counts, not the memory" {
	quick soak-stamp

	json '[.runs[].side] == ["probe", "reflect"] and (.runs[0].sent_packets > 0)'
	json '.checks | length == 4 and all(.holds)'
}

@test "soak-memory --quick has each verb that may run for days, with its rows" {
	# An hour's document takes its time, too.
	cat >"$BATS_TEST_TMPDIR/tool" <<-END
		#!/bin/sh
		[ "\$1" = udp ] || exec "$TOOL" "\$@"
		eval "document=\\\${\$((\$# - 4))}"
		trap 'kill -TERM \$pid; wait \$pid; mv "\$document" "\$document.x"; sleep 3; mv "\$document.x" "\$document"' INT
		"$TOOL" "\$@" &
		pid=\$!
		wait \$pid
		wait \$pid
	END
	chmod +x "$BATS_TEST_TMPDIR/tool"
	export TOOL=$BATS_TEST_TMPDIR/tool
	quick soak-memory

	json '[.runs[].verb] == ["serve", "sink", "watch", "impair", "blast", "tcp", "udp", "load", "reflect", "probe"]'
	json 'all(.runs[]; .anonymous_max_kb >= .anonymous_first_kb and (.rows > 100 or .verb == "serve"))'
}

@test "campaign --quick tries each part and finds nothing left" {
	need_command bpftool
	quick campaign

	json '[.runs[].part] == ["kill", "input", "network", "limits"]'
	json 'all(.runs[]; .trials == 2 and .failed == 0) and .runs[2].counts.messages > 100'
}

@test "campaign notices a crash, a process that is left, and a tool that goes on" {
	need_command bpftool
	cat >"$BATS_TEST_TMPDIR/tool" <<-END
		#!/bin/bash
		case \$1 in
		calc) kill -SEGV \$\$ ;;
		report) sleep 20 & ;;
		compare) trap "" INT; sleep 2 ;;
		*) exec "$TOOL" "\$@" ;;
		esac
	END
	chmod +x "$BATS_TEST_TMPDIR/tool"
	run env TOOL="$BATS_TEST_TMPDIR/tool" "$TOP/scripts/campaign" --trials 4 --seed 168 input
	[ "$status" = 1 ] || fail "$output"
	[[ $output == *"FAIL input "*": calc "*": status -11: "* ]] || fail "$output"
	[[ $output == *"FAIL input "*": report "*": left a process: "*sleep* ]] || fail "$output"
	[[ $output == *"FAIL input "*": compare "*" s after the signal"* ]] || fail "$output"
}

@test "soak-watch --quick disturbs watch in each way once" {
	need_command bpftool clang
	quick soak-watch

	json '.runs[0].disturbances | length == 7 and all(. == 1)'
	json '.checks | length > 5 and all(.holds)'
}

@test "bench-watch runs where no other program is installed" {
	without iperf3 tcpdump
	quick bench-watch
	json '[.runs[].load] | unique == ["frames64"]'
	json '.skipped | keys == ["iperf3", "tcpdump"]'
}

@test "bench-transport runs where no other program is installed" {
	without iperf3 nuttcp sockperf
	quick bench-transport
	json '.skipped | length == 5 and all(endswith("is not installed; sudo scripts/setup --bench"))'
	json '[.rows[].side] | length > 5 and all(startswith("ethgauge"))'
}

@test "a quick run writes no document unless -o says where" {
	local before

	before=$(ls -l "$TOP/docs/bench")
	begin bench-run --quick --only bare/64
	end_of
	[ "$(ls -l "$TOP/docs/bench")" = "$before" ]
	run grep wrote "$BATS_TEST_TMPDIR/err"
	[ "$output" = "" ]
}

@test "each script that measures is in bench-all, and in a test of this file" {
	local path name

	run -0 --separate-stderr "$TOP/scripts/bench-all" --list
	for path in "$TOP"/scripts/{bench-*,soak-*,campaign}; do
		name=${path##*/}
		[ "$name" != bench-all ] || continue
		grep -qx -- "$name" <<<"$output" || fail "$name is not in scripts/bench-all"
		grep -q "^	quick $name\$" "$BATS_TEST_FILENAME" || fail "no test runs $name"
	done
	[ "$(wc -l <<<"$output")" = "$(find "$TOP"/scripts -name 'bench-*' -o -name 'soak-*' -o -name campaign | grep -cv bench-all)" ]
}

@test "bench-all writes each document, and a line for each script" {
	begin bench-all --quick -o "$BATS_TEST_TMPDIR/docs" soak-stamp bench-rr
	end_of

	run cat "$BATS_TEST_TMPDIR/out"
	[[ ${lines[0]} =~ ^soak-stamp\ +[0-9.]+\ s\ \ ok$ ]]
	[[ ${lines[1]} =~ ^bench-rr\ +[0-9.]+\ s\ \ ok$ ]]
	[[ ${lines[2]} =~ ^"2 scripts, 0 failed, 0 skipped, "[0-9]+" s"$ ]]
	output=$(cat "$BATS_TEST_TMPDIR"/docs/soak-stamp.json)
	json '.complete'
	output=$(cat "$BATS_TEST_TMPDIR"/docs/bench-rr.json)
	json '.complete'
}

@test "bench-all says what failed, and what cannot run" {
	printf '#!/bin/sh\necho no such thing >&2\nexit 7\n' >"$BATS_TEST_TMPDIR/broken"
	chmod +x "$BATS_TEST_TMPDIR/broken"

	run -1 --separate-stderr env TOOL="$BATS_TEST_TMPDIR/broken" "$TOP/scripts/bench-all" --quick soak-stamp
	[[ $output =~ "soak-stamp "[\ 0-9.]+" s  failed, exit status 4" ]]
	[[ $output == *"1 scripts, 1 failed, 0 skipped"* ]]
	[[ $stderr == *"soak-stamp: broken: no such thing"* ]]

	run -3 --separate-stderr env TOOL=/nonexistent "$TOP/scripts/bench-all" --quick soak-stamp soak-watch
	[[ $output =~ "soak-watch "[\ 0-9.]+" s  cannot: the programs are not built; run: make" ]]
	[[ $output == *"2 scripts, 0 failed, 2 skipped"* ]]

	run -2 --separate-stderr "$TOP/scripts/bench-all" bench-nothing
	[[ $stderr == *"'bench-nothing' is none of: bench-run, "* ]]
}

@test "bench-all stops at ^C, and leaves no lab" {
	local child

	begin bench-all --quick -o "$BATS_TEST_TMPDIR/docs" bench-rr soak-stamp
	wait_for pgrep -P "$PID" -f bench-rr
	child=$(pgrep -P "$PID" -f bench-rr)
	wait_for test -e "/run/netns/rr$child-b"
	kill -INT "$PID"
	end_of 130

	no_lab_left "$child"
	run ! pgrep -f "/run/netns/rr$child-"
	[ ! -e "$BATS_TEST_TMPDIR/docs/soak-stamp.json" ]
}
