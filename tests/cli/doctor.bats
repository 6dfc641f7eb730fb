#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
#
# doctor: three answers, an exit code for each, and nothing is changed.

load ../lib/common

# Two namespaces of this test's own, $A and $B, joined by a veth pair of eg0.
# wire [QUEUES OF A [QUEUES OF B]]
wire() {
	need_root || return
	need veth || return
	A=doctor-a-$BASHPID B=doctor-b-$BASHPID
	ip netns add "$A"
	defer ip netns del "$A"
	ip netns add "$B"
	defer ip netns del "$B"
	nsenter --net="/run/netns/$A" ip link add eg0 numrxqueues "${1:-2}" numtxqueues "${1:-2}" type veth \
		peer name eg0 netns "$B" numrxqueues "${2:-2}" numtxqueues "${2:-2}"
	nsenter --net="/run/netns/$A" ip link set eg0 up
	nsenter --net="/run/netns/$B" ip link set eg0 up
}

in_a() {
	nsenter --net="/run/netns/$A" "$@"
}

in_b() {
	nsenter --net="/run/netns/$B" "$@"
}

# state_of NAME: of the document in $output
state_of() {
	jq -r --arg name "$1" '.features[] | select(.name == $name) | .state' <<<"$output"
}

# is NAME STATE: of the document in $output
is() {
	[ "$(state_of "$1")" = "$2" ] ||
		fail "$1 is '$(state_of "$1")', not '$2': $(jq -c --arg name "$1" \
			'.features[] | select(.name == $name)' <<<"$output")"
}

# Holds the hook of eg0 in $B with the tool's own reflector until the test ends.
reflect_in_b() {
	need bpf-link || return
	nsenter --net="/run/netns/$B" "$TOOL" reflect eg0 --duration 60s >/dev/null 2>&1 3>&- &
	REFLECT_PID=$!
	defer stop_reflect
	wait_for in_b sh -c 'ip link show eg0 | grep -q prog/xdp'
}

stop_reflect() {
	kill "$REFLECT_PID" 2>/dev/null || return 0
	wait "$REFLECT_PID" || :
}

no_program_left() {
	! bpftool prog show name doctor 2>/dev/null | grep -q .
}

# bats test_tags=core
@test "every feature has one of three states and its detail and its impact" {
	run -0 --separate-stderr "$TOOL" doctor --json
	json '.features | length > 15'
	json 'all(.features[]; .state == "present" or .state == "absent" or .state == "unknown")'
	json 'all(.features[]; (.detail | length > 0) and (.without | length > 0))'
	json '[.features[].name] | length == (unique | length)'
	json '[.features[] | select(.detail == "not checked")] | length == 0'
}

@test "--has gives for each feature of the machine the state that the table gives" {
	local name state code

	run -0 --separate-stderr "$TOOL" doctor --json
	while IFS=$'\t' read -r name state; do
		code=0
		"$TOOL" doctor --has "$name" >/dev/null 2>&1 || code=$?
		case $state in
		present) [ $code = 0 ] ;;
		absent) [ $code = 1 ] ;;
		*) [ $code = 3 ] ;;
		esac || fail "$name: $state, and --has gave $code"
	done < <(jq -r '.features[] | [.name, .state] | @tsv' <<<"$output")
}

@test "--has prints one line and nothing else" {
	run -0 --separate-stderr "$TOOL" doctor --has xdp-generic lo
	[ "${#lines[@]}" = 1 ]
	[[ $output = *"xdp-generic: present"* ]]
	[ -z "$stderr" ]
}

@test "an unknown feature is a usage error that lists the names" {
	run -2 --separate-stderr "$TOOL" doctor --has btf,quantum-tx
	[ -z "$output" ]
	[[ $stderr = *"unknown feature 'quantum-tx'"* ]]
	[[ $stderr = *"xdp-live-frames"* ]]
	[[ $stderr = *"af-xdp-zerocopy"* ]]
	run -2 "$TOOL" doctor --has btf,
	run -2 "$TOOL" doctor --has ''
	# Only whole names are names.
	run -2 "$TOOL" doctor --has bt
	run -2 --separate-stderr "$TOOL" doctor --has xdp-nativ
	[[ $stderr = *"did you mean 'xdp-native'?"* ]]
}

@test "a feature of an interface without an interface is a usage error" {
	run -2 --separate-stderr "$TOOL" doctor --has xdp-native
	[[ $stderr = *"doctor INTERFACE --has xdp-native"* ]]
	run -2 "$TOOL" doctor --probe
}

@test "an unknown interface is a usage error and named" {
	run -2 --separate-stderr "$TOOL" doctor nosuch0
	[ -z "$output" ]
	[[ $stderr = *"there is no interface 'nosuch0' here"* ]]
	run -2 "$TOOL" doctor nosuch0 --has xdp-native
}

@test "the table of features fits in 100 columns" {
	local line

	run -0 --separate-stderr "$TOOL" doctor lo
	while IFS= read -r line; do
		[ "${#line}" -le 100 ] || fail "too wide: $line"
	done < <(sed -n '/^BPF/,$p' <<<"$output")
}

@test "loopback has generic XDP and no native" {
	run -0 --separate-stderr "$TOOL" doctor lo --json
	is xdp-generic present
	is link present
	[ "$(state_of xdp-native)" != present ] || fail "native XDP on loopback"
}

@test "bpffs and the kernel's BTF are reported as they are" {
	run -0 --separate-stderr "$TOOL" doctor --json
	if [ "$(stat -f -c %T /sys/fs/bpf)" = bpf_fs ]; then is bpffs present; else is bpffs absent; fi
	if [ -e /sys/kernel/btf/vmlinux ]; then is btf present; else is btf absent; fi
}

# bats test_tags=core
@test "what came with a kernel is present on that kernel and absent before" {
	local name from

	need_root
	run -0 --separate-stderr "$TOOL" doctor --json
	while read -r name from; do
		if kernel_from "$from"; then is "$name" present; else is "$name" absent; fi
	done <<-END
		bpf-link 5.9
		xdp-live-frames 5.18
		tcx 6.6
	END
	if grep -q '^XDP ' /proc/net/protocols; then is af-xdp present; else is af-xdp absent; fi
}

# bats test_tags=core
@test "on veth native XDP is present, zero-copy absent, ring lengths are unknown" {
	wire
	run -0 --separate-stderr in_a "$TOOL" doctor eg0 --json
	is link present
	is xdp-native present
	is xdp-hook-free present
	is rings "unknown"
	is hw-timestamps absent
	[ "$(state_of af-xdp-zerocopy)" != present ] || fail "zero-copy on veth"
	json '.features[] | select(.name == "link") | .detail | startswith("veth,")'
	json '.environment.driver == "veth"'
}

@test "--has gives for each feature of a veth the state that the table gives" {
	local name state code

	wire
	run -0 --separate-stderr in_a "$TOOL" doctor eg0 --json
	while IFS=$'\t' read -r name state; do
		code=0
		in_a "$TOOL" doctor eg0 --has "$name" >/dev/null 2>&1 || code=$?
		case $state in
		present) [ $code = 0 ] ;;
		absent) [ $code = 1 ] ;;
		*) [ $code = 3 ] ;;
		esac || fail "$name: $state, and --has gave $code"
	done < <(jq -r '.features[] | [.name, .state] | @tsv' <<<"$output")
}

@test "of several features, absent takes precedence over unknown, and unknown over present" {
	wire
	run -0 in_a "$TOOL" doctor eg0 --has link,xdp-generic
	run -3 --separate-stderr in_a "$TOOL" doctor eg0 --has link,rings
	[[ $stderr = *"unknown whether 'rings' is present"* ]]
	run -1 in_a "$TOOL" doctor eg0 --has link,rings,hw-timestamps
	run -1 in_a "$TOOL" doctor eg0 --has hw-timestamps,rings,link
}

@test "one queue is absent and two are present" {
	wire 1 1
	run -1 in_a "$TOOL" doctor eg0 --has queues
	nsenter --net="/run/netns/$A" ip link del eg0
	nsenter --net="/run/netns/$A" ip link add eg0 numrxqueues 2 numtxqueues 2 type veth peer name eg0 netns "$B"
	# A veth starts with fewer queues in use than it was made with, by kernel.
	in_a ethtool -L eg0 rx 2 tx 2 2>/dev/null || :
	run -0 in_a "$TOOL" doctor eg0 --has queues
}

@test "offloads that spoil counts are absent features until they are switched off" {
	need_command ethtool
	wire
	in_a ethtool -K eg0 tso on tx on rxvlan on
	run -1 in_a "$TOOL" doctor eg0 --has whole-tx
	run -1 in_a "$TOOL" doctor eg0 --has vlan-in-frame
	in_a ethtool -K eg0 tx off tso off gso off rxvlan off
	run -0 in_a "$TOOL" doctor eg0 --has whole-tx,vlan-in-frame,unmerged-rx
}

@test "the trap: a veth sends XDP frames only while its peer is up and runs a program" {
	wire
	in_b ethtool -K eg0 gro off
	# Kernels before 6.3 do not report the GRO of a peer in another namespace.
	run in_a "$TOOL" doctor eg0 --has xdp-xmit-ready
	[ "$status" = 1 ] || [ "$status" = 3 ]
	[[ $output = *"the peer 'eg0' in namespace "*" XDP program"* ]]
	reflect_in_b
	run -0 in_a "$TOOL" doctor eg0 --has xdp-xmit-ready
	[[ $output = *"runs an XDP program"* ]]
	nsenter --net="/run/netns/$B" ip link set eg0 down
	run -1 in_a "$TOOL" doctor eg0 --has xdp-xmit-ready
	[[ $output = *"is down"* ]]
	# What the driver can do does not hang on it.
	run -0 in_a "$TOOL" doctor eg0 --has xdp-xmit
}

@test "the program that holds the XDP hook is named, and stays" {
	local before

	wire
	reflect_in_b
	before=$(in_b ip -o link show eg0 | grep -o 'prog/xdp id [0-9]*')
	run -0 --separate-stderr in_b "$TOOL" doctor eg0 --probe --json
	is xdp-hook-free absent
	json '.features[] | select(.name == "xdp-hook-free") | .detail | test("reflect_xdp")'
	[ "$(in_b ip -o link show eg0 | grep -o 'prog/xdp id [0-9]*')" = "$before" ]
	stop_reflect
	run -0 in_b "$TOOL" doctor eg0 --has xdp-hook-free
}

# fixed NAME [PART OF THE COMMAND]: doctor, called for an interface of another namespace than this shell's, prints a
# command for NAME; it works here as it is printed.
fixed() {
	local command

	run -0 --separate-stderr in_a "$TOOL" doctor eg0 --json
	is "$1" absent
	command=$(jq -r --arg name "$1" '.features[] | select(.name == $name) | .command' <<<"$output")
	[[ $command = *"${2:-}"* ]] || fail "for $1: $command"
	run -0 in_a "$TOOL" doctor eg0
	[[ $output = *"run: $command"* ]] || fail "$1 is not in the text: $output"
	# As the path of a user has it.
	PATH=$(dirname "$TOOL"):$PATH sh -c "$command" || fail "failed: $command"
	run -0 in_a "$TOOL" doctor eg0 --has "$1"
}

@test "the commands that doctor prints for an interface work as they are, and fix what they are for" {
	need_command ethtool clang
	wire
	in_a ip link set eg0 down
	fixed link "ip netns exec $A ip link set dev eg0 up"
	in_b ip link set eg0 down
	fixed link "ip netns exec $B ip link set dev eg0 up"
	in_a ethtool -K eg0 tso on tx on rxvlan on
	in_b ethtool -K eg0 txvlan on
	fixed whole-tx
	fixed vlan-in-frame " && ip netns exec $B "
	in_b ethtool -k eg0 | grep -q 'tx-vlan-offload: off'
	in_a ip link set eg0 mtu 9000
	[ "$(in_a "$TOOL" doctor eg0 --json | jq -r '.features[] | select(.name == "mtu-fits") | .state')" != absent ] ||
		fixed mtu-fits
	in_a ip link set eg0 mtu 1500
	# The trap: the peer has neither a program nor GRO.
	in_b ethtool -K eg0 gro off
	[ "$(in_a "$TOOL" doctor eg0 --json | jq -r '.features[] | select(.name == "xdp-xmit-ready") | .state')" != absent ] ||
		fixed xdp-xmit-ready "ip netns exec $B ethtool"
	if in_a ethtool -L eg0 rx 1 2>/dev/null && in_a ethtool -L eg0 tx 1; then
		fixed queues "ethtool -L eg0 rx 2 tx 2"
	fi
	alien xdp 2
	for mode in xdpdrv xdpgeneric; do
		in_a ip link set dev eg0 "$mode" obj "$BATS_TEST_TMPDIR/alien.o" sec xdp
		fixed xdp-hook-free "$mode off"
	done
}

@test "an interface whose name means something to a shell is in no command" {
	local name="e;\$(id)"

	wire
	in_a ip link set eg0 down
	in_a ip link set eg0 name "$name"
	run -0 --separate-stderr in_a "$TOOL" doctor "$name" --json
	is link absent
	json '[.features[].command // empty | select(contains("id)"))] == []'
	# As the name of the other end: from where it is up, without a carrier.
	run -0 --separate-stderr in_b "$TOOL" doctor eg0 --json
	is link absent
	json '.features[] | select(.name == "link") | .command == null and (.remedy | contains("ip link set dev"))'
}

@test "where the caller is at the other end, the command is without a namespace there" {
	wire
	in_b ip link set eg0 down
	# The caller is a shell in b, and doctor is called in a.
	run -0 --separate-stderr in_b sh -c "nsenter --net=/run/netns/$A '$TOOL' doctor eg0 --json; exit \$?"
	json '.features[] | select(.name == "link") | .command == "ip link set dev eg0 up"'
}

@test "where a process holds the hook, doctor names the process, and no command" {
	wire
	reflect_in_b
	run -0 --separate-stderr in_b "$TOOL" doctor eg0 --json
	json --arg pid "$REFLECT_PID" '.features[] | select(.name == "xdp-hook-free") |
		.command == null and (.remedy | contains("end the process " + $pid))'
}

@test "--probe attaches native XDP for an instant and detaches it" {
	wire
	need bpf-link
	run -0 in_a "$TOOL" doctor eg0 --probe --has xdp-native
	[[ $output = *"attached and detached"* ]]
	run -1 in_a sh -c 'ip link show eg0 | grep xdp'
}

@test "a tc filter on the clsact hook is seen" {
	need_command tc
	wire
	run -0 in_a "$TOOL" doctor eg0 --has tc-hooks-free
	in_a tc qdisc add dev eg0 clsact
	in_a tc filter add dev eg0 egress matchall action pass 2>/dev/null ||
		in_a tc filter add dev eg0 egress protocol ip u32 match u32 0 0 2>/dev/null ||
		cannot tc-filter "cls_matchall or cls_u32"
	run -1 in_a "$TOOL" doctor eg0 --has tc-hooks-free
	[[ $output = *"ingress: 0 tcx programs, no filter; egress: 0 tcx programs, filters"* ]]
}

# All that doctor could have changed, in $A and on the host.
picture() {
	in_a ip -s -d link
	in_a bpftool net show
	in_a ethtool -k eg0
	in_a ethtool -l eg0
	in_a tc qdisc
	in_a sysctl -a -r '^net\.core|^net\.ipv[46]\.conf|bpf' 2>/dev/null
	sysctl -a -r 'bpf' 2>/dev/null
	ip netns list | grep "$A"
	stat -f -c %T /sys/fs/bpf
}

link_is_up() {
	in_a ip -brief link show eg0 | grep -q ' UP '
}

@test "doctor changes nothing and sends nothing" {
	local before

	need_command ethtool bpftool tc
	wire
	# Packets of IPv6 itself would be mistaken for doctor's.
	in_a sysctl -qw net.ipv6.conf.all.disable_ipv6=1
	in_b sysctl -qw net.ipv6.conf.all.disable_ipv6=1
	nsenter --net="/run/netns/$A" ip link set lo up
	# The kernel says a little later that a link has a carrier.
	wait_for link_is_up
	before=$(picture)
	run -0 in_a "$TOOL" doctor eg0
	run -0 in_a "$TOOL" doctor lo
	diff <(echo "$before") <(picture)
	# Freed by the kernel a little after they are closed.
	wait_for no_program_left
}

@test "without privilege no trial is made: the answer is unknown, and the fix is sudo" {
	local name

	need_root
	run -0 --separate-stderr unprivileged "$TOOL" doctor lo --json
	for name in bpf-link xdp-live-frames af-xdp tcx clsact veth freplace; do
		is "$name" "unknown"
		# shellcheck disable=SC2016 # jq's variable
		json --arg name "$name" \
			'.features[] | select(.name == $name) | .remedy == "sudo ethgauge doctor lo"'
	done
	is capabilities absent
	is xdp-generic present
	[ -z "$stderr" ]
}

@test "without privilege, public facts are the same as for root" {
	local as_root

	wire
	run -0 --separate-stderr in_a "$TOOL" doctor eg0 --json
	as_root=$output
	# An unprivileged user may not enter a namespace: root enters, then drops its privileges.
	install -m 755 "$TOOL" "$BATS_TEST_TMPDIR/tool"
	chmod 755 "$BATS_TEST_TMPDIR" "$BATS_RUN_TMPDIR" 2>/dev/null || :
	run -0 --separate-stderr in_a setpriv --inh-caps=-all --bounding-set=-all --reuid=65534 \
		--regid=65534 --clear-groups "$BATS_TEST_TMPDIR/tool" doctor eg0 --json
	jq -e -n --argjson root "$as_root" --argjson nobody "$output" '
		[$root.features, $nobody.features] | transpose | length > 0 and all(.[1].state == "unknown" or
			.[0].state == .[1].state or .[0].name == "capabilities" or
			.[0].name == "memlock")' >/dev/null || fail "answers differ"
	is link present
	is rings "unknown"
}

@test "a memory limit that cannot be raised is reported, and the fix named helps" {
	need_root
	need_command prlimit jq
	install -m 755 "$TOOL" "$BATS_TEST_TMPDIR/tool"
	run -1 prlimit --memlock=65536:65536 setpriv --inh-caps=-all --bounding-set=-all \
		"$BATS_TEST_TMPDIR/tool" doctor --has memlock
	[[ $output = *"64 KiB"* ]]
	# The hard limit forbids ulimit -l unlimited. Only root can raise it, with CAP_SYS_RESOURCE.
	run -0 prlimit --memlock=65536:65536 bash -c 'limited() {
			setpriv --inh-caps=-all --bounding-set=-all "$1" doctor --json |
				jq -r ".features[] | select(.name == \"memlock\") | .state, .remedy"
		}
		limited "$1"
		! prlimit --memlock=unlimited --pid $$ || limited "$1"' bash "$BATS_TEST_TMPDIR/tool"
	[ "${lines[0]}" = absent ]
	[[ ${lines[1]} == *"as root"*"sudo prlimit --memlock=unlimited --pid \$\$;"*"LimitMEMLOCK=infinity" ]]
	[[ ${lines[1]} != *ulimit* ]]
	! setpriv --dump | grep -q 'Capability bounding set:.*sys_resource' || [ "${lines[2]}" = present ]
	# With CAP_IPC_LOCK the same limit does not apply.
	setpriv --dump | grep -q 'Capability bounding set:.*ipc_lock' || return 0
	run -0 prlimit --memlock=65536:65536 "$TOOL" doctor --has memlock
}

@test "of a list that grew since it was counted the kernel's answer is refused, not written beyond the buffer" {
	need_command cc
	cat >"$BATS_TEST_TMPDIR/grown.c" <<-'END'
		#include <stdarg.h>
		#include <string.h>
		#include <unistd.h>
		#include <net/if.h>
		#include <sys/ioctl.h>
		#include <sys/syscall.h>
		#include <linux/ethtool.h>
		#include <linux/sockios.h>

		/* One name fewer than there are; and a kernel that does not heed how many there is room for. */
		int ioctl(int fd, unsigned long request, ...)
		{
			unsigned int command = 0;
			va_list args;
			void *arg;
			long ret;

			va_start(args, request);
			arg = va_arg(args, void *);
			va_end(args);
			if (request == SIOCETHTOOL)
				memcpy(&command, ((struct ifreq *)arg)->ifr_data, sizeof(command));
			if (command == ETHTOOL_GSTRINGS)
				((struct ethtool_gstrings *)((struct ifreq *)arg)->ifr_data)->len = 0;
			ret = syscall(SYS_ioctl, fd, request, arg);
			if (command == ETHTOOL_GSSET_INFO && !ret)
				((struct ethtool_sset_info *)((struct ifreq *)arg)->ifr_data)->data[0]--;
			return (int)ret;
		}
	END
	cc -shared -fPIC -o "$BATS_TEST_TMPDIR/grown.so" "$BATS_TEST_TMPDIR/grown.c"
	run -0 --separate-stderr "$TOOL" doctor lo --json
	is whole-tx absent
	run -0 --separate-stderr env LD_PRELOAD="$BATS_TEST_TMPDIR/grown.so" \
		ASAN_OPTIONS=verify_asan_link_order=0 "$TOOL" doctor lo --json
	is whole-tx "unknown"
}
