# SPDX-License-Identifier: GPL-2.0-or-later
# What every .bats file loads (load ../lib/common). Nothing here knows a verb but
# doctor, which says what the machine can do.
#
# The file is read anew for each test, so its variables are the test's own.

bats_require_minimum_version 1.5.0

# bats notes the stack before each command, which takes 0.3 ms or more. A command that fails has the same
# stack still. Were these of another name, bats would be slower, no more.
if [ "${BATS_TRACE_LEVEL:-0}" = 0 ]; then
	bats_debug_trap() {
		trap - DEBUG
	}
fi
bats_error_trap() {
	bats_check_status_from_trap
	bats_capture_stack_trace
	BATS_DEBUG_LAST_STACK_TRACE_IS_VALID=1
}

TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
TOOL=${TOOL:-$TOP/build/ethgauge}
# Where scripts/setup puts what no package has: --peers and --crates.
PEERS=${ETHGAUGE_PEERS:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/ethgauge-peers}
# What the tool saves, and what Python compiles, stays neither on this machine nor in the tree.
export STATE_DIRECTORY=${STATE_DIRECTORY:-$BATS_RUN_TMPDIR/state} PYTHONDONTWRITEBYTECODE=1
PATH=$PATH:$PEERS/bin:${HOME:-/root}/.cargo/bin
DEFERRED=()
# How many times as long as usual a test may take here; vmtest/run sets it.
TESTS_SLOW=${TESTS_SLOW:-1}

# What it says is cut where a whole result document would follow.
fail() {
	printf '%.8000s\n' "$*" >&2
	return 1
}

# timeout SECONDS CMD...: on a machine that is slow, as many times longer.
timeout() {
	command timeout $(($1 * TESTS_SLOW)) "${@:2}"
}

# pace PPS: a rate. On a slow machine less, lest what a sender without a CPU has to make up for be
# more than the 256 packets that veth's ring holds.
pace() {
	echo "$(($1 / TESTS_SLOW / TESTS_SLOW))pps"
}

# cannot WHAT REASON [OPTION]: skips, and names the option of scripts/setup that installs it; but what
# REQUIRE names fails, so that a broken probe cannot turn a whole suite green.
cannot() {
	local reason="$2${3:+: scripts/setup $3}"

	if required "$1"; then
		fail "required, but missing: $reason"
	else
		skip "needs $reason"
	fi
}

required() {
	[[ " ${REQUIRE-} " == *" $1 "* ]]
}

# need FEATURE...: the tool itself says whether the machine has it.
need() {
	local feature

	for feature; do
		"$TOOL" doctor --has "$feature" >/dev/null 2>&1 ||
			cannot "$feature" "$feature" || return
	done
}

need_root() {
	[ "$EUID" = 0 ] || cannot root root
}

# need_command NAME...: programs that the test calls beside the tool.
need_command() {
	local name option

	for name; do
		option=--test
		[ "$name" != stamp-suite ] || option=--crates
		command -v "$name" >/dev/null || cannot "$name" "the program $name" $option || return
	done
}

# has_module NAME: of Debian's Python.
has_module() {
	/usr/bin/python3 -c "import $1" 2>/dev/null
}

need_module() {
	has_module "$1" || cannot "$1" "the Python package $1" --test
}

# defer CMD...: run at teardown, the last deferred first, also if the test failed.
defer() {
	DEFERRED=("${*@Q}" "${DEFERRED[@]}")
}

# nap SECONDS: without a process, which takes an emulated machine some 20 ms. Nothing is ever
# written into the pipe.
exec {NEVER}<> <(:)
nap() {
	read -rt "$1" -u "$NEVER" || :
}

# kernel_from VERSION: the running one is that or newer.
kernel_from() {
	printf '%s\n' "$1" "$(uname -r)" | sort -VC
}

# first PRIORITY: words that run a command before all else that is busy here, if that is allowed.
first() {
	chrt -f "$1" true 2>/dev/null && echo "chrt -f $1"
}

# wait_for CMD...: until it holds, at most 20 s (times TESTS_SLOW), which a busy machine may need.
# Never sleep a guessed time instead.
wait_for() {
	local i

	for ((i = 0; i < 400 * TESTS_SLOW; i++)); do
		"$@" && return
		nap 0.05
	done
	fail "timed out waiting for: $*"
}

# engines: of blast and probe, those that this kernel has.
engines() {
	! "$TOOL" doctor --has xdp-live-frames >/dev/null 2>&1 || echo live
	echo afxdp
}

# Result documents and interval lines that tests saw, for scripts/check-documents at the end of the run.
keep_document() {
	[ "$output" != "${KEPT_DOCUMENT-}" ] || return 0
	KEPT_DOCUMENT=$output
	if [ -n "${TESTS_DIR-}" ] && [[ $output =~ ^\{[[:space:]]*(\"format\"|\"type\":\"interval\") ]]; then
		mkdir -p "$TESTS_DIR/documents"
		printf '%s\n' "$output" >>"$TESTS_DIR/documents/${BATS_TEST_FILENAME##*/}"
	fi
}

# jq 1.6 takes 36 ms to start, gojq 5 ms. It sorts the keys of what it prints: where their order counts,
# use "command jq".
if command -v gojq >/dev/null; then
	jq() {
		command gojq "$@"
	}
fi

# alien SECTION VERDICT: another program than the tool's, in $BATS_TEST_TMPDIR/alien.o.
alien() {
	cat >"$BATS_TEST_TMPDIR/alien.c" <<-END
		__attribute__((section("$1"), used)) int alien(void *ctx) { return $2; }
		__attribute__((section("license"), used)) char _license[] = "GPL";
	END
	clang -target bpf -O2 -g -c "$BATS_TEST_TMPDIR/alien.c" -o "$BATS_TEST_TMPDIR/alien.o"
}

# holds [JQ OPTIONS] FILTER <JSON: every output of FILTER is true, and there is at least one. With
# jq -e alone, empty input is true in jq 1.6 and an error in 1.7, and only the last output counts.
holds() {
	jq -en "${@:1:$#-1}" "[inputs | ${!#}] | length > 0 and all" >/dev/null
}

# json [JQ OPTIONS] FILTER: holds on what the last run printed to stdout (use
# run --separate-stderr).
json() {
	[ -n "${output-}" ] || fail "nothing was printed for: ${*: -1}" || return
	keep_document
	holds --argjson slow "$((TESTS_SLOW - 1))" "$@" <<<"$output" || fail "not true: ${*: -1}"$'\n'"$(
		# What a judgement is mostly of, before what would push it out of sight.
		jq -c '(.metrics? // empty), del(.. | objects | .series, .config, .system, .cpus, .histograms)' <<<"$output" 2>&1)"
}

# unprivileged CMD...: as user nobody, without any capability, with a copy of the
# tool, as the tree may be in a directory that this user may not enter.
unprivileged() {
	local dir status=0

	if [ "$EUID" != 0 ]; then
		"$@"
		return
	fi
	dir=$(mktemp -d)
	chmod 755 "$dir"
	if [ "$1" = "$TOOL" ]; then
		install -m 755 "$TOOL" "$dir/"
		set -- "$dir/${TOOL##*/}" "${@:2}"
	fi
	(cd / && setpriv --reuid=65534 --regid=65534 --clear-groups --inh-caps=-all \
		--bounding-set=-all "$@") || status=$?
	# Not deferred: it mostly runs in the subshell of bats' run, which forgets what it defers.
	rm -rf "$dir"
	return "$status"
}

# The kernel's log may have faults that no exit status shows. tests/run looks at it itself, once, as each
# look takes as long as a short test. "[12.345]" of its last line:
dmesg_now() {
	dmesg 2>/dev/null | tail -n 1 | sed -n 's/^\[ *\([0-9.]*\)\].*/\1/p'
}

DMESG_MARK=
if [ "$EUID" = 0 ] && [ -z "${TESTS_DIR-}" ] && dmesg >/dev/null 2>&1; then
	DMESG_MARK=$(dmesg_now)
	DMESG_MARK=${DMESG_MARK:-0}
fi

dmesg_check() {
	local new

	[ -n "$DMESG_MARK" ] || return 0
	new=$(dmesg | sed 's/^\[ */[/' | awk -F '[][]' -v mark="$DMESG_MARK" '$2 + 0 > mark + 0' |
		grep -E 'WARNING:|BUG:|Oops|general protection|blocked for more than|stall|KASAN') ||
		return 0
	fail "the kernel's log has something new:"$'\n'"$new"
}

teardown() {
	local cmd

	for cmd in "${DEFERRED[@]}"; do
		eval "$cmd" || :
	done
	dmesg_check
}
