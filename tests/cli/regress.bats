#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# How vmtest/regress boots and judges, with a QEMU that only plays a guest.

bats_require_minimum_version 1.5.0

load ../lib/common

setup() {
	VM=$BATS_TEST_TMPDIR
	mkdir -p "$VM/bin" "$VM"/{old,young}/{arch/x86/boot,include/config}
	local program tree
	for tree in old young; do
		: >"$VM/$tree/arch/x86/boot/bzImage"
		echo "6.66.0-$tree" >"$VM/$tree/include/config/kernel.release"
	done
	for program in busybox cpio modprobe; do
		printf '#!/bin/sh\ncat >/dev/null\n' >"$VM/bin/$program"
	done
	# The guest of the test, in the directory that comes back; SIDE is base or new,
	# and ROUND counts its boots.
	cat >"$VM/bin/qemu-system-x86_64" <<'END'
#!/bin/bash
[ "$1" != --version ] || exec cat "$VM/version"
for word; do
	[[ $word =~ id=share,path=([^,]*) ]] && share=${BASH_REMATCH[1]}
done
cd "$share" || exit
[[ $share = */vm/base/* ]] && SIDE=base || SIDE=new
echo "$SIDE" "$@" >>"$VM/boots"
ROUND=$(grep -c "^$SIDE " "$VM/boots")
echo 0 >status
. "$VM/guest"
END
	chmod +x "$VM"/bin/*
	echo "QEMU 7.2" >"$VM/version"
	export VM PATH=$VM/bin:$PATH
	cd "$VM" || return
}

# regress WORDS...
regress() {
	run --separate-stderr "$TOP/vmtest/regress" --results "$VM/results" "$@"
}

is() {
	[ "$status" = "$1" ] || fail "status $status, not $1: $output $stderr"
}

says() {
	[[ $stderr == *"$1"* ]] || fail "not said: '$1', but: $stderr"
}

# documents DIR COST: of five boots with two scenarios, of which the second costs COST.
documents() {
	local i part='{ "name": "%s", "metrics": { "packet_instructions": %d.%d } }'

	mkdir -p "$1"
	for i in 1 2 3 4 5; do
		printf '{ "format": 1, "tool": "ethgauge 0.1.0", "command": "regress",
			"config": { "meter": "instructions" }, "environment": {
				"date": "2026-01-01T00:00:0%dZ", "kernel": "6.66", "cpus": 1, "qemu": "QEMU 7.2" },
			"parts": ['"$part, $part"'] }' "$i" veth 5000 "$i" tcp-rr "$2" "$i" >"$1/$i.json"
	done
}

# guest COST: of the new side, which costs 30000 on the base
guest() {
	documents base-docs 30000
	documents new-docs "$1"
	echo 'cp "$VM/$SIDE-docs/$ROUND.json" document.json' >guest
}

@test "what is no option, no number, no scenario is refused before anything boots" {
	local words
	: >guest
	while read -r words; do
		# shellcheck disable=SC2086
		regress $words
		is 2
		[ -z "$output" ] || fail "printed: $output"
	done <<-'END'

		old young old
		old young --bogus
		old young --repeat 0
		old young --threshold 5
		old young --meter patience
		old young --only tcp-rr,no-such-thing
		old young --where no-such-thing
		old young --scenarios no-such-file
		old young --append-new
	END
	[ ! -e boots ]
}

@test "a line that is no scenario is refused by its number" {
	: >guest
	printf '# a comment\nveth | | :\n' >list
	regress old young --scenarios list
	is 2
	says 'line 2: not NAME | LAB | SETUP | TRAFFIC'
	[ ! -e boots ]
}

@test "the scenarios of this tree are four fields each, of names that differ" {
	run awk -F '|' '/^[^#]/ && (NF != 4 || seen[$1]++)' "$TOP/vmtest/scenarios"
	[ -z "$output" ]
}

@test "both kernels are booted in turn, one CPU, with their own words and the round's seed" {
	guest 30000
	regress old young --append-new planted=1
	is 0
	[ "$(cut -d ' ' -f 1 boots | paste -sd ' ')" = "base new base new base new base new base new" ]
	[ "$(grep -c '^new .*planted=1' boots)" = 5 ]
	[ "$(grep -c '^base .*planted=1' boots)" = 0 ]
	[ "$(grep -c -- '-smp 1 .*-icount shift=0,sleep=on' boots)" = 10 ]
	[ "$(grep -c -- '-seed 3 ' boots)" = 2 ]
	[ "$(grep -c norandmaps boots)" = 10 ]
}

@test "kicks are counted, each with its cost, and not reported for a program without" {
	local library=${TOOL%/*}/vmtest/kicks.so number
	[ -e "$library" ] || cannot kicks "$library, which make test builds"
	number=$(cc -E -P -include sys/syscall.h - <<<SYS_sendto | tail -n 1)
	KICKS=$VM/kicks LD_PRELOAD=$library python3 -c '
import ctypes, sys
libc = ctypes.CDLL(None)
number = ctypes.c_long(int(sys.argv[1]))
for i in range(1009):
	libc.syscall(number, -1, None, 0, 0, None, 0)
	libc.syscall(number, -1, b"no kick", 7, 0, None, 0)' "$number"
	[ "$(jq .kicks kicks)" = 1009 ]
	holds '.kick_ns > 0' <kicks
	rm kicks
	KICKS=$VM/kicks LD_PRELOAD=$library true
	[ ! -e kicks ]
}

@test "a scenario that is worse by more than the threshold ends with 1" {
	guest 30600
	regress base-docs young
	is 1
	[[ $output == *'FAIL  tcp-rr: packet_instructions: +2.00 %'* ]] || fail "$output"
	regress base-docs new-docs --threshold 3%
	is 0
	regress new-docs base-docs
	is 0
}

@test "stored documents are judged without a boot, and as KTAP" {
	documents before 30000
	documents after 33000
	regress before after --ktap
	is 1
	[ "$("$BATS_TEST_DIRNAME/ktap_check.py" <<<"$output")" = "1 1 0" ] || fail "$output"
	[[ $output == *'not ok 2 tcp-rr: packet_instructions'* ]]
	[ ! -e boots ]
}

@test "one kernel alone is shown, and its documents serve as a base" {
	guest 31000
	regress old
	is 0
	[[ $output == *'| tcp-rr | 30000 (0 %) |'* ]] || fail "$output"
	[ "$(wc -l <boots)" = 5 ]
	mv results/base kept
	cp -r kept after
	regress kept after
	is 0
	echo "QEMU 10" >version
	rm boots
	regress kept old
	is 125
	says "QEMU 10"
}

@test "what cannot be tested is 125: no kernel, no figures, inconclusive figures" {
	guest 30000
	regress old "$VM/nothing"
	is 125
	says "new, $VM/nothing: came to no figures"
	regress base-docs young --repeat 4
	is 125
	says 'all scenarios are inconclusive'
	jq '.parts = []' base-docs/1.json >none.json
	echo 'cp "$VM/none.json" document.json' >guest
	regress base-docs young
	is 125
	echo 'exit 0' >guest
	regress old young
	is 125
	says 'base, old: came to no figures'
}

@test "differing symbols are listed, largest difference first, though one boot allows no verdict" {
	guest 30000
	printf '#!/bin/sh\n' >bin/perf
	chmod +x bin/perf
	cat >>guest <<'END'
[ "$SIDE" = base ] && printf '100 same\n70 slower\n40.5 gone\n' >symbols || printf '100 same\n337 slower\n' >symbols
END
	regress old young --repeat 1 --where tcp-rr
	is 125
	says 'all scenarios are inconclusive'
	[[ $output == *"70.0      337.0     +267.0  slower"*"40.5        0.0      -40.5  gone"* ]] || fail "$output"
	[ "$(wc -l <boots)" = 4 ]
}

@test "a scenario that could not be measured is reported, with its error" {
	guest 30000
	sed -i 's/"metrics": { "packet_instructions": 5000.*},/"notes": ["not measured: no such device"] },/' \
		new-docs/*.json
	regress base-docs young
	is 0
	says 'new: veth: not measured: no such device'
	[[ $output == *'only the base has it'* ]] || fail "$output"
}

@test "an emulated CPU's time is refused unless that is meant" {
	[ ! -d /sys/module/kvm_intel ] && [ ! -d /sys/module/kvm_amd ] || skip "has KVM"
	guest 30000
	regress base-docs young --meter time
	is 125
	says 'means nothing'
	[ ! -e boots ]
	regress base-docs young --meter time --force
	is 0
	[ "$(wc -l <boots)" = 5 ]
	[ "$(grep -c -- -icount boots)" = 0 ]
}

@test "an interrupted run leaves no machine running" {
	echo 'echo $$ >"$VM/pid"; exec sleep 300' >guest
	"$TOP/vmtest/regress" --results "$VM/results" old young 3>&- 2>/dev/null &
	local regress=$!
	wait_for test -s pid
	kill -TERM "$regress"
	wait "$regress" || status=$?
	[ "$status" = 143 ] || fail "status $status"
	! kill -0 "$(cat pid)" 2>/dev/null || fail "still there"
}
