#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# How vmtest/run judges, with a QEMU that only plays a guest; no kernel is booted.

bats_require_minimum_version 1.5.0

load ../lib/common

setup() {
	VM=$BATS_TEST_TMPDIR
	mkdir -p "$VM/bin" "$VM/tree/arch/x86/boot" "$VM/tree/include/config"
	: >"$VM/tree/arch/x86/boot/bzImage"
	echo 6.66.0-test >"$VM/tree/include/config/kernel.release"
	: >"$VM/known"
	local program
	for program in busybox cpio modprobe; do
		printf '#!/bin/sh\ncat >/dev/null\n' >"$VM/bin/$program"
	done
	# The guest of the test, with the directory that comes back as its own.
	cat >"$VM/bin/qemu-system-x86_64" <<'END'
#!/bin/bash
for word; do
	[[ $word =~ id=share,path=([^,]*) ]] && share=${BASH_REMATCH[1]}
done
cd "$share" && . "$GUEST"
END
	chmod +x "$VM"/bin/*
	export GUEST=$VM/guest PATH=$VM/bin:$PATH
}

# boot [OPTIONS]: a guest of the lines on stdin.
boot() {
	cat >"$GUEST"
	run --separate-stderr "$TOP/vmtest/run" --results "$VM/results" --known "$VM/known" "$@" \
		"$VM/tree" -- true
}

is() {
	[ "$status" = "$1" ] || fail "status $status, not $1: $stderr"
}

says() {
	[[ $stderr == *"$1"* ]] || fail "not said: '$1', but: $stderr"
}

has_booted() {
	cat "$VM"/results/*/share/pid >/dev/null 2>&1
}

@test "a guest whose command succeeds passes" {
	boot <<<'echo 0 >status'
	is 0
	says '6.66.0-test): passed'
}

@test "a command's own status is the run's" {
	boot <<<'echo 37 >status'
	is 37
}

@test "a machine that ends without a word is 125" {
	boot <<<'exit 0'
	is 125
}

@test "a machine that does not end is 124, and is put down" {
	boot --timeout 1 <<<'echo $$ >pid; exec sleep 300'
	is 124
	! kill -0 "$(cat "$VM"/results/*/share/pid)" 2>/dev/null || fail "still there"
}

@test "an interrupted run leaves no machine running" {
	local run
	echo 'echo $$ >pid; exec sleep 300' >"$GUEST"
	"$TOP/vmtest/run" --results "$VM/results" "$VM/tree" -- true 3>&- 2>/dev/null &
	run=$!
	wait_for has_booted
	kill -TERM "$run"
	wait "$run" || status=$?
	[ "$status" = 143 ] || fail "status $status"
	! kill -0 "$(cat "$VM"/results/*/share/pid)" 2>/dev/null || fail "still there"
}

@test "a warning in the kernel's log fails a run that else passed" {
	boot <<<'echo 0 >status; echo "[ 1.0] WARNING: CPU: 0 PID: 1 at net/core/dev.c:1" >dmesg'
	is 1
	says 'kernel log: [ 1.0] WARNING: CPU: 0'
}

@test "a failed test is named, and fails the run" {
	boot <<<'echo 1 >status; printf "passed net/a.bats: x\nfailed net/a.bats: y: z\n" >results'
	is 1
	says 'failed: net/a.bats: y: z'
	[[ $stderr != *'exit status'* ]]
}

@test "a failure that is known does not fail the run" {
	echo "$VM/tree | net/a.bats: y | it cannot here" >"$VM/known"
	boot <<<'echo 1 >status; printf "passed net/a.bats: x\nfailed net/a.bats: y\n" >results'
	is 0
	says '1 passed, 1 known to fail, 0 skipped'
}

@test "a known failure that passes fails the run" {
	echo '* | net/a.bats: x | it cannot here' >"$VM/known"
	boot <<<'echo 0 >status; echo "passed net/a.bats: x" >results'
	is 1
	says 'passes, but is a known failure: net/a.bats: x'
}

@test "a known failure of another kernel does not count here" {
	echo 'debian:5.10 | net/a.bats: x | it cannot there' >"$VM/known"
	boot <<<'echo 1 >status; echo "failed net/a.bats: x" >results'
	is 1
}

@test "a known failure without a reason fails the run" {
	echo '* | net/a.bats: x' >"$VM/known"
	boot <<<'echo 0 >status; echo "passed net/b.bats: y" >results'
	is 1
	says 'not KERNEL | TEST | REASON'
}

@test "each known failure of this tree has its reason" {
	run awk -F ' [|] ' '!/^#/ && $0 != "" && (NF != 3 || $3 == "")' "$TOP/vmtest/known-failures"
	[ -z "$output" ]
}

# tests_in WHAT [OPTIONS]: a guest of the lines on stdin, which plays tests instead of a command.
tests_in() {
	[ -x "$TOP/build/tests/bpf/programs" ] || cannot bpf-programs "build/tests/bpf/programs" || return
	cat >"$GUEST"
	run --separate-stderr "$TOP/vmtest/run" --results "$VM/results" --known "$VM/known" \
		--tests "$1" "${@:2}" "$VM/tree"
}

@test "results go to the caller's file too, after the kernel's name, and a known failure is skipped" {
	echo '* | net/a.bats: y | no such driver' >"$VM/known"
	TESTS_RESULTS=$VM/sum tests_in bpf <<-'END'
		echo 1 >status
		printf 'passed net/a.bats: x\nfailed net/a.bats: y\nfailed net/a.bats: z\nskipped net/a.bats: w\n' >results
		echo 'BUG: here' >dmesg
	END
	is 1
	local kernel=${VM//[^A-Za-z0-9.:+-]/_}_tree
	run cat "$VM/sum"
	[ "$output" = "passed $kernel net/a.bats: x
skipped $kernel net/a.bats: w
skipped $kernel net/a.bats: y: no such driver (a known failure)
failed $kernel net/a.bats: z
failed $kernel kernel log: BUG: here" ] || fail "$output"
}

@test "--resume keeps the results of before, and without it they are gone" {
	tests_in bpf <<<'echo 0 >status; echo "passed net/a.bats: x" >results'
	is 0
	tests_in bpf --resume <<<'grep TESTS_RESUME=1 command && echo "passed net/b.bats: y" >>results && echo 0 >status'
	is 0
	says '2 passed, 0 known'
	[ "$(cat "$VM"/results/*/boots | wc -l)" = 2 ]
	tests_in bpf <<<'[ ! -e results ] && echo "passed net/b.bats: y" >results && echo 0 >status'
	is 0
	says '1 passed, 0 known'
	[ "$(cat "$VM"/results/*/boots | wc -l)" = 1 ]
}

@test "earlier kernel warnings still count when resumed, and not otherwise" {
	tests_in bpf <<<'echo 0 >status; echo "passed net/a.bats: x" >results; echo "WARNING: CPU: 1" >dmesg'
	is 1
	tests_in bpf --resume <<<'echo 0 >status; echo "passed net/b.bats: y" >>results'
	is 1
	says 'kernel log: WARNING: CPU: 1'
	tests_in bpf --resume <<<'echo 0 >status'
	is 1
	tests_in bpf <<<'echo 0 >status; echo "passed net/a.bats: x" >results'
	is 0
}

@test "what failed before is run again when resumed, and what passed is not" {
	local kept=$VM/kept
	mkdir -p "$VM/tests/net" "$VM/tests/lib"
	cp "$TOP/tests/run" "$VM/tests/"
	cp "$TOP/tests/lib/leftovers.bash" "$VM/tests/lib/"
	printf '@test "x" {\necho ran a >>%q\n}\n' "$kept" >"$VM/tests/net/a.bats"
	printf '@test "y" {\necho ran b >>%q\n}\n' "$kept" >"$VM/tests/net/b.bats"
	printf 'passed net/a.bats: x\npassed net/b.bats: w\nfailed net/b.bats: y\n' >"$VM/results"
	TESTS_RESUME=1 TESTS_RESULTS=$VM/results TESTS_ROOT=/ run "$VM/tests/run" net
	[ "$(cat "$kept")" = "ran b" ]
	[ "$(cat "$VM/results")" = $'passed net/a.bats: x\npassed net/b.bats: y' ]
}

@test "the second machine of a pair ends when the first has ended" {
	boot --pair <<'END'
case $PWD in
*/peer/share) until [ -e end ]; do sleep 0.1; done; echo 1 >../../ended ;;
*) echo 0 >status ;;
esac
END
	is 0
	grep -q 1 "$VM"/results/*/share/ended
}

@test "a fault that only the second machine's kernel log shows fails the run" {
	boot --pair <<'END'
case $PWD in
*/peer/share) echo "[ 1.0] BUG: over there" >dmesg; until [ -e end ]; do sleep 0.1; done ;;
*) echo 0 >status ;;
esac
END
	is 1
	says 'kernel log: [ 1.0] BUG: over there'
}

@test "a kernel that is not in the cache is not fetched when only that counts" {
	run --separate-stderr "$TOP/vmtest/kernels" --cached --cache "$VM" debian:6.1
	is 1
	says 'not in the cache'
}

@test "what is no kernel and what is no option is refused" {
	run --separate-stderr "$TOP/vmtest/run" "$VM/nothing" -- true
	is 3
	says 'is no kernel'
	run --separate-stderr "$TOP/vmtest/run" --timeout soon
	is 2
	run --separate-stderr "$TOP/vmtest/run" --bogus
	is 2
	run --separate-stderr "$TOP/vmtest/kernels" debian:4.19
	is 2
}
