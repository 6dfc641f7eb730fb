# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# What a run of the tests must not leave. Sourced by tests/run, which runs as root in
# namespaces of its own, so that all links, named namespaces, mounts, processes and network
# sysctls here are its own, and all places where a program can stay without a process: attached
# to a link, or pinned.

# Sysctls that count, or that the kernel itself changes.
volatile='^(fs\.(dentry-state|file-nr|inode-(nr|state)|aio-nr|epoll)|fs\.quota\.|kernel\.(random\.|ns_last_pid|pty\.nr|'
volatile+='perf_event_max_sample_rate|sched_|threads-max|tainted|keys\.)|net\.netfilter\.nf_conntrack_count)'

complaints='WARNING:|BUG:|Oops|general protection|blocked for more than|stall|KASAN'

# programs: "program ID PLACE".
programs() {
	bpftool -j net show 2>/dev/null | jq -r '.[0] // {} | to_entries[] | .key as $hook | .value[] |
		"program \(.id // .prog_id) \($hook) of \(.devname)"'
	find /sys/fs/bpf -type f -printf 'program %p\n' 2>/dev/null
}

# objects_loaded: how many programs and maps there are, which have no namespace: other users' too.
objects_loaded() {
	local kind

	for kind in prog map; do
		bpftool -j "$kind" show 2>/dev/null | jq length
	done | paste -sd ' '
}

# processes: where this shell is the first of its namespace, all others are the tests'. Without
# a process of its own, which would be one of them.
processes() {
	local dir words

	[ "$BASHPID" = 1 ] || return 0
	for dir in /proc/[1-9]*; do
		mapfile -d '' -t words <"$dir/cmdline" || continue
		[ "$dir" = /proc/1 ] || [ ${#words[@]} = 0 ] || echo "process ${dir#/proc/} ${words[*]}"
	done 2>/dev/null
}

# leftovers: a line for each thing that is there. In no subshell.
leftovers() {
	processes
	# Files: those of mktemp, and where the tool itself keeps any, with the directories.
	find "$TMPDIR" -maxdepth 1 -mindepth 1 -printf 'file %p\n'
	find /run/ethgauge* "${STATE_DIRECTORY:-/var/lib/ethgauge}" /dev/shm/ethgauge* /tmp/ethgauge* -maxdepth 1 \
		-printf 'file %p\n' 2>/dev/null
	# A test that runs in the tree instead of in its own directory.
	find . \( -path ./.git -o -path './build*' \) -prune -o -type f -printf 'file %p\n'
	find "${HOME:-/root}"/.{cache,config}/scapy -maxdepth 0 -printf 'file %p\n' 2>/dev/null
	[ "$(id -u)" = 0 ] || return 0
	find /run/netns -mindepth 1 -printf 'namespace %f\n' 2>/dev/null
	# A tunnel's module makes a device of its own in the first network namespace, which stays.
	ip -o link show 2>/dev/null | sed 's/^[0-9]*: \([^:@]*\).*/link \1/' |
		grep -vxE 'link (tunl0|sit0|gre0|gretap0|erspan0)'
	programs
	awk '{ print "mount " $5 }' /proc/self/mountinfo
	sysctl -a 2>/dev/null | grep -vE "$volatile" | sed 's/^/sysctl /'
	# Faults that no exit status shows, of other users of this machine as well.
	dmesg 2>/dev/null | grep -E "$complaints" | sed 's/^/kernel-log /'
}

# leftovers_since BEFORE NOW: prints what is in a new list, NOW, and not in BEFORE. The kernel frees
# programs and namespaces a little after their end.
leftovers_since() {
	local new until=$((SECONDS + 5))

	while :; do
		leftovers >"$2"
		new=$(sort -u "$2" | comm -13 <(sort -u "$1") - | settled "$1")
		[ -n "$new" ] || return 0
		[ "$SECONDS" -lt "$until" ] || break
		sleep 0.2
	done
	printf '%s\n' "$new"
	return 1
}

# settled FILE: drops sysctls that were not there: a module that was loaded brings its own.
settled() {
	awk 'FNR == NR { if ($1 == "sysctl") had[$2]; next } $1 != "sysctl" || $2 in had' "$1" -
}

# leftovers_sum FILE: how many of each, in one line.
leftovers_sum() {
	local kind sum=

	for kind in file namespace link program process mount sysctl kernel-log; do
		sum+=", $kind $(grep -c "^$kind " "$1")"
	done
	echo "${sum#, }"
}
