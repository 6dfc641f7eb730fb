#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/run itself: what it counts, what it does not let pass, and that it ends whole.

load ../lib/common

setup() {
	TREE=$BATS_TEST_TMPDIR/tree
	mkdir -p "$TREE/tests/lib" "$TREE/tests/net"
	cp "$TOP/tests/run" "$TREE/tests/"
	cp "$TOP/tests/lib/leftovers.bash" "$TREE/tests/lib/"
}

# A file of bats in the tree, from stdin; bats would take a line of @test there for a test of this file.
file() {
	sed 's/^[[:space:]]*TEST /@test /' >"$TREE/tests/net/$1.bats"
}

# run_net [VARIABLE=VALUE...]: the tree's tests, as make test runs its own.
run_net() {
	run env -u TESTS_ROOT -u TESTS_DIR -u TESTS_RESULTS "$@" timeout 60 "$TREE/tests/run" net
}

@test "a run that cleans up reports it, and passes" {
	need_root
	need_command bpftool
	file clean <<-'END'
		TEST "takes away what it made" {
			ip netns add one && ip netns del one
			rm "$(mktemp)"
		}
	END
	run_net
	[ "$status" = 0 ] || fail "$output"
	# This machine may have a calibration. Mounts go when another test removes a namespace whose mount this run
	# has inherited; one that came would have failed it.
	[ "$(sed -n 's/^there before: //p' <<<"$output" | sed 's/ mount [0-9]*,//')" = \
		"$(sed -n 's/^there after:  //p' <<<"$output" | sed 's/ mount [0-9]*,//')" ] || fail "$output"
	[[ $output == *$'\nthere after:  file '*", namespace 0, link 1, "* ]] || fail "$output"
	[ "${lines[-1]}" = "1 passed, 0 failed, 0 skipped" ]
}

@test "what Python and scapy keep is left neither in the tree nor in the home" {
	need_command python3
	mkdir "$BATS_TEST_TMPDIR/home"
	touch "$TREE/tests/lib/module.py"
	file python <<-'END'
		TEST "imports" {
			PYTHONPATH=$BATS_TEST_DIRNAME/../lib python3 -c 'import module'
			mkdir -p "${XDG_CACHE_HOME:-$HOME/.cache}/scapy" "${XDG_CONFIG_HOME:-$HOME/.config}/scapy"
		}
	END
	run_net -u PYTHONDONTWRITEBYTECODE -u XDG_CACHE_HOME -u XDG_CONFIG_HOME HOME="$BATS_TEST_TMPDIR/home"
	[ "$status" = 0 ] || fail "$output"
	[ -z "$(ls -A "$BATS_TEST_TMPDIR/home")" ]
	[ ! -e "$TREE/tests/lib/__pycache__" ]
}

@test "what the tool saves stays with the test" {
	cp "$TOP/tests/lib/common.bash" "$TREE/tests/lib/"
	file state <<-'END'
		load ../lib/common
		TEST "has a state directory of its own" {
			[[ $STATE_DIRECTORY == "$BATS_RUN_TMPDIR"/* ]]
			mkdir "$STATE_DIRECTORY"
		}
	END
	run_net -u STATE_DIRECTORY
	[ "$status" = 0 ] || fail "$output"
}

@test "what ends after its parent is reaped while a test runs" {
	need_root
	file orphan <<-'END'
		TEST "has an orphan" {
			pid=$(bash -c 'sleep 0.1 >/dev/null 3>&- & echo $!')
			for ((i = 0; i < 40; i++)); do
				kill -0 "$pid" 2>/dev/null || return 0
				sleep 0.1
			done
			false
		}
	END
	run_net
	[ "$status" = 0 ] || fail "$output"
}

@test "tests have SIGPIPE's default action, also where it is ignored" {
	file pipe <<-'END'
		TEST "writes into a pipe that no one reads" {
			run bash -c 'yes | head -n 1 >/dev/null; echo "${PIPESTATUS[0]}"'
			[ "$output" = 141 ]
		}
	END
	run env -u TESTS_DIR -u TESTS_RESULTS --ignore-signal=PIPE timeout 60 "$TREE/tests/run" net
	[ "$status" = 0 ] || fail "$output"
	[ "${lines[-1]}" = "1 passed, 0 failed, 0 skipped" ]
	[[ $output != *"roken pipe"* ]] || fail "$output"
}

@test "a file, namespace, link, process, mount, sysctl or program that is left fails the run by name" {
	need_root
	need_command bpftool clang
	# shellcheck disable=SC2154
	cat >"$TREE/pass.bpf.c" <<-'END'
		__attribute__((section("xdp"), used)) int left_behind(void *ctx) { return 2; }
		char _license[] __attribute__((section("license"), used)) = "GPL";
	END
	clang -target bpf -O2 -g -c -o "$TREE/pass.o" "$TREE/pass.bpf.c"
	file careless <<-END
		TEST "makes, and leaves" {
			mktemp -p "\$TMPDIR" left.XXXX
			touch stray
			mkdir $TREE/state
			ip netns add left
			ip link add left0 type veth peer left1
			ip link set dev lo xdpgeneric object $TREE/pass.o section xdp
			mkdir -p $TREE/mount && mount -t tmpfs none $TREE/mount
			echo 1 >/proc/sys/net/ipv4/ip_forward
			setsid sleep 1234 3>&- </dev/null >/dev/null 2>&1 &
		}
	END
	run_net STATE_DIRECTORY="$TREE/state"
	[ "$status" = 1 ] || fail "$output"
	for what in "file /.*/left\." "file \./stray" "file $TREE/state" "namespace left" "link left0" "process [0-9]* sleep 1234" \
		"mount $TREE/mount" "sysctl net.ipv4.ip_forward = 1" "program [0-9]* xdp of lo"; do
		grep -qx "failed left behind: $what.*" <<<"$output" || fail "not said: $what: $output"
	done
	# Each is a failure, and the test itself passed. A namespace is a mount as well.
	[[ ${lines[-1]} =~ ^1\ passed,\ ([0-9]+)\ failed,\ 0\ skipped$ ]]
	[ "${BASH_REMATCH[1]}" -ge 8 ]
	# With the run's namespaces all of it has gone.
	! pgrep -f 'sleep 1234' >/dev/null || fail "the process is still there"
	[ ! -e /run/netns/left ]
}

@test "what the kernel complains of in its log fails the run" {
	need_root
	mkdir "$TREE/bin"
	printf '#!/bin/sh\necho "[ 1.0] BUG: of before"\n[ ! -e %s ] || echo "[ 2.0] WARNING: CPU: 0"\n' \
		"$BATS_TEST_TMPDIR/said" >"$TREE/bin/dmesg"
	chmod +x "$TREE/bin/dmesg"
	file loud <<<"TEST \"makes the kernel complain\" { touch $BATS_TEST_TMPDIR/said; }"
	run_net PATH="$TREE/bin:$PATH"
	[ "$status" = 1 ] || fail "$output"
	[[ $output == *"failed left behind: kernel-log [ 2.0] WARNING: CPU: 0"* ]] || fail "$output"
	[ "${lines[-1]}" = "1 passed, 1 failed, 0 skipped" ]
}

@test "TESTS_FILTER selects tests by their names" {
	file two <<-'END'
		TEST "one is right" { true; }
		TEST "the other is wrong" { false; }
	END
	run_net TESTS_FILTER='is r'
	[ "$status" = 0 ] || fail "$output"
	[ "${lines[-1]}" = "1 passed, 0 failed, 0 skipped" ]
	run_net TESTS_FILTER='no such'
	[ "$status" = 1 ] || fail "$output"
}

@test "a test that fails once fails the run" {
	file flaky <<-END
		TEST "fails the first time" {
			[ -e $BATS_TEST_TMPDIR/been ] || { touch $BATS_TEST_TMPDIR/been; false; }
		}
	END
	run_net
	[ "$status" = 1 ] || fail "$output"
	[ "${lines[-1]}" = "0 passed, 1 failed, 0 skipped" ]
}

@test "a failure of a test in quarantine counts as skipped, with the reason" {
	file ill <<<'TEST "is ill" { false; }
		TEST "is well" { true; }'
	echo 'net/ill.bats: is ill | the kernel lies: see issue 7' >"$TREE/tests/quarantine"
	run_net
	[ "$status" = 0 ] || fail "$output"
	[[ $output == *"skipped net/ill.bats: is ill: quarantined: the kernel lies: see issue 7"* ]] ||
		fail "$output"
	[ "${lines[-1]}" = "1 passed, 0 failed, 1 skipped" ]
	# A line that is no test any more, and one without a reason.
	printf 'net/ill.bats: is gone | why\nnet/ill.bats: is well\n' >"$TREE/tests/quarantine"
	run_net
	[ "$status" = 1 ]
	[[ $output == *"failed quarantine: there is no test net/ill.bats: is gone"* ]]
	[[ $output == *"failed quarantine, line 2: not FILE: TEST | REASON"* ]]
}

@test "each quarantined test of this tree has its reason" {
	[ -e "$TOP/tests/quarantine" ] || return 0
	run awk -F ' [|] ' '!/^#/ && $0 != "" && (NF != 2 || $2 == "")' "$TOP/tests/quarantine"
	[ -z "$output" ]
}

@test "a long test runs only when it is asked for" {
	file soak <<-END
		# bats test_tags=long
		TEST "takes hours" { echo long >>$TREE/ran; }
		TEST "takes a moment" { echo short >>$TREE/ran; }
	END
	run_net
	[ "$(cat "$TREE/ran")" = short ] || fail "$output"
	mkdir -p "$TREE/tests/cli"
	run env -u TESTS_ROOT -u TESTS_DIR timeout 60 "$TREE/tests/run" long
	[ "$(cat "$TREE/ran")" = $'short\nlong' ] || fail "$output"
	[[ $output == *"== long/net/soak.bats"* ]]
}

@test "where no part ends for a while, the output names those that run" {
	file brief <<<'TEST "ends" { true; }'
	file first <<-END
		TEST "ends when it was named" {
			until grep -q 'done; running: .*net/first' $TREE/out; do sleep 0.1; done
		}
	END
	sed 's/first/second/' "$TREE/tests/net/first.bats" >"$TREE/tests/net/second.bats"
	run_net TESTS_SILENCE=1 TESTS_JOBS=2 bash -c '"$@" >"$0"' "$TREE/out"
	run -0 cat "$TREE/out"
	grep -qE '^0 of 3 parts done; running: net/(first|second).bats [0-9]+ s, net/(first|second).bats [0-9]+ s$' \
		"$TREE/out" || fail "$output"
	[ "${lines[-1]}" = "3 passed, 0 failed, 0 skipped" ] || fail "$output"
	# Where parts end in time, nothing is said.
	rm "$TREE"/tests/net/{first,second}.bats
	run_net
	[ "$status" = 0 ]
	[[ $output != *running* ]] || fail "$output"
}

@test "a part that hangs is a failure with its limit" {
	file hang <<<'TEST "waits for ever" { sleep 100; }'
	run_net TESTS_TIMEOUT=1
	[ "$status" = 1 ]
	[[ $output == *"failed net/hang.bats: not done within 1 s"* ]] || fail "$output"
}

is_ready() {
	[ -s "$TREE/pid" ]
}

@test "a run that is ended by a signal takes its processes and files along" {
	need_root
	local pid tmp=$BATS_TEST_TMPDIR/tmp

	mkdir "$tmp"
	file slow <<-END
		TEST "takes long" {
			echo \$TMPDIR >$TREE/pid.new && mv $TREE/pid.new $TREE/pid
			sleep 4321
		}
	END
	env -u TESTS_ROOT -u TESTS_DIR TMPDIR="$tmp" setsid "$TREE/tests/run" net >/dev/null 2>&1 3>&- &
	pid=$!
	wait_for is_ready
	kill -TERM -- "-$pid"
	wait "$pid" || :
	! pgrep -f 'sleep 4321' >/dev/null || fail "a process is left"
	[ -z "$(ls -A "$tmp")" ] || fail "left: $(ls -A "$tmp")"
}

@test "an input that makes a fuzz target fail is a failure, and is named" {
	local dir=$BATS_TEST_TMPDIR

	# libFuzzer's own status is 77, by which other tests are skipped.
	cat >"$dir/fuzz_bad" <<-'END'
		#!/bin/bash
		for word; do [[ $word != -artifact_prefix=* ]] || prefix=${word#*=}; done
		echo "Test unit written to ${prefix}crash-0a1b" >&2
		exit 77
	END
	printf '#!/bin/sh\necho "stat::number_of_executed_units: $#"\n' >"$dir/fuzz_good"
	chmod +x "$dir"/fuzz_*
	FUZZ_TESTS="$dir/fuzz_bad $dir/fuzz_good" FUZZ_SECONDS=1 run "$TOP/tests/run" fuzz
	[ "$status" = 1 ]
	[[ $output == *"Test unit written to $dir/fuzz_bad.crash-0a1b"* ]] || fail "$output"
	[[ $output == *$'\nfailed fuzz/bad: exit status 1\n'* ]] || fail "$output"
	[ "${lines[-1]}" = "1 passed, 1 failed, 0 skipped" ]
}
