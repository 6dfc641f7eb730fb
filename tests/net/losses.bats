#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# scripts/plant-losses: its losses are planted and counted by others than the tool, and a wrong ledger is found.

load ../lib/common

OBJECT=${TOOL%/*}/tests/net/verdict.bpf.o

setup() {
	need_root
	need_command python3 jq ip tc nft bridge
	need kfree-skb-reasons
	[ -e "$OBJECT" ] || cannot objects "the foreign BPF programs: make test builds them"
	DOC=$BATS_TEST_TMPDIR/x.json
	export TOOL
}

# planted WORDS...: status and output; nothing is left of it.
planted() {
	run --separate-stderr timeout 120 "$TOP/scripts/plant-losses" -o "$DOC" "$@"
	nothing_left
}

nothing_left() {
	local found

	found=$(find /run/netns -name 'losses[0-9]*' -o -name 'other[0-9]*' -o -name 'crowd[0-9]*')
	[ "$found" = "" ] || fail "left: $found"
}

@test "what is lost alone, beside another run and among namespaces with losses of their own is in its row" {
	planted --only '^(nft, forward, one in three|full tbf|XDP_DROP|no listener)$' --namespaces 8
	[ "$status" = 0 ] || fail "$output $stderr"
	[ "${lines[-1]%%, *}" = "4 losses" ]
	[[ ${lines[-1]} = *" 16 runs, "*" 0 unattributed, 0 runs wrong." ]]
	grep -qE '^\| nft, forward, one in three \| r \| nft \| NETFILTER_DROP, nft_do_chain at r:ega \| 337 of 337 \| 337 of 337, 337 of 337 \| 337 of 337 \|$' <<<"$output" || fail "$output"
	grep -qE '^\| XDP_DROP \| r \| XDP \| XDP_DROP, XDP program at r:ega \| 1009 of 1009 \|' <<<"$output" || fail "$output"
	output=$(cat "$DOC")
	json '.complete and (.runs | length == 4) and all(.runs[]; all(.alone[], .twice[], .crowd[]; .right and .planted > 0))'
	json '.runs[] | select(.loss == "no listener") | .crowd[0] | .rows[0].packets == 1009 and .received == 0'
}

# lie FILTER: the ledger of the tool is changed by jq.
lie() {
	local liar=$BATS_TEST_TMPDIR/liar

	mkdir -p "$BATS_TEST_TMPDIR/tests/net"
	ln -sf "$OBJECT" "$BATS_TEST_TMPDIR/tests/net/"
	cat >"$liar" <<-END
		#!/bin/sh
		[ "\$1" = blast ] || exec "$TOOL" "\$@"
		"$TOOL" "\$@" | jq '(.parts[] | select(.name == "ledger")) |= ($1)'
	END
	chmod +x "$liar"
	TOOL=$liar planted --only '^no listener$' --condition alone
	[ "$status" = 1 ] || fail "$status: $output $stderr"
	[[ ${lines[-1]} = *" 1 runs wrong." ]] || fail "$output"
}

@test "a ledger that names another reason or place, or another number, is wrong" {
	lie '.entries[1].reason = "NETFILTER_DROP"'
	lie '.entries[1].where |= sub("-b:"; "-r:")'
	lie '.entries[1].packets = 1008 | .metrics.unattributed_packets = 1'
	lie '.metrics.overclaimed_packets = 1'
}

begun() {
	[ -n "$(find /run/netns -name 'losses[0-9]*')" ]
}

# begin: in the background, in a session of its own, as PID.
begin() {
	setsid "$TOP/scripts/plant-losses" --condition crowd --namespaces 4 >/dev/null 2>"$BATS_TEST_TMPDIR/err" 3>&- &
	PID=$!
	wait_for begun
}

ended_with() {
	local ended=0

	wait "$PID" || ended=$?
	[ "$ended" = "$1" ] || fail "$ended: $(cat "$BATS_TEST_TMPDIR/err")"
}

@test "plant-losses refuses what it does not know, and goes on without what cannot be planted" {
	planted --only nonsense
	[ "$status" = 2 ]
	[[ $stderr = *"no loss matches 'nonsense'"* ]]
	planted --only '('
	[ "$status" = 2 ]
	[[ $stderr = *"'(' is no regular expression"* ]]
	planted --condition alone,never
	[ "$status" = 2 ]
	[[ $stderr = *"no condition 'never'"* ]]
	# A machine without this tc.
	mkdir "$BATS_TEST_TMPDIR/bin"
	printf '#!/bin/sh\necho unknown qdisc >&2\nexit 2\n' >"$BATS_TEST_TMPDIR/bin/tc"
	chmod +x "$BATS_TEST_TMPDIR/bin/tc"
	PATH=$BATS_TEST_TMPDIR/bin:$PATH planted --only '^(full tbf|no route)$' --condition alone
	[ "$status" = 0 ] || fail "$output $stderr"
	grep -qE '^\| full tbf \| r \| tc \| - \| cannot: tc qdisc add .*: unknown qdisc \|$' <<<"$output" || fail "$output"
	[[ ${lines[-1]} = "2 losses, 1 runs, 1009 packets lost, 0 unattributed, 0 runs wrong, 1 cannot be planted here." ]]
}

@test "^C ends plant-losses and its namespaces, and the next run removes what kill -9 left" {
	begin
	# As a terminal sends it, to all of them.
	kill -INT -- "-$PID"
	ended_with 130
	run cat "$BATS_TEST_TMPDIR/err"
	[[ $output != *Traceback* ]] || fail "$output"
	nothing_left
	begin
	kill -KILL -- "-$PID"
	ended_with 137
	begun
	planted --only '^no route$' --condition alone
	[ "$status" = 0 ] || fail "$output $stderr"
}
