#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# scripts/truth: its forwarders are no part of the tool, and write down what they do; tcpdump, ss, nstat
# and ping count as well.

load ../lib/common
load ../lib/lab

FORWARDER=${TOOL%/*}/tests/net/truth_forwarder

# truth WORDS...: in the parts whose heading matches PART; with fewer packets than by hand.
truth() {
	run --separate-stderr timeout 120 "$TOP/scripts/truth" --tool "${LIAR:-$TOOL}" --forwarder "$FORWARDER" \
		--count 4001 --duration 400ms --part "$PART" "$@"
	[ "$status" != 2 ] || cannot quiet "a machine that loses no packets by itself: $output"
}

# holds_up: all figures are those of the others.
holds_up() {
	[ "$status" = 0 ] || fail "$output $stderr"
}

# shows READER FIGURE...: each was compared with what READER says, which is not 0.
shows() {
	local reader=$1 figure

	shift
	for figure; do
		grep -qE "\\| $figure \\|[^|]*\\<$reader\\>[^|]*\\| [1-9][0-9]* \\|" <<<"$output" ||
			fail "no $figure by $reader: $output"
	done
}

# lie FILTER: LIAR is a tool whose documents have been changed by jq.
lie() {
	LIAR=$BATS_TEST_TMPDIR/liar
	cat >"$LIAR" <<-END
		#!/bin/sh
		[ "\$1" != serve ] || exec "$TOOL" "\$@"
		"$TOOL" "\$@" | jq '$1'
	END
	chmod +x "$LIAR"
}

# found FIGURE: just this lie was.
found() {
	[ "$status" = 1 ] || fail "$output $stderr"
	grep -qE "\\| $1 \\|.*differs" <<<"$output" || fail "$output"
	[ "$(grep -o 'differs\*\*' <<<"$output" | wc -l)" = 1 ] || fail "$output"
}

setup() {
	need_root
	need_command python3 jq tcpdump ss nstat ethtool ping
	[ -x "$FORWARDER" ] || cannot truth_forwarder "the forwarder in C: make test builds it"
}

@test "loss, copies, order and damage are reported as independent forwarders made them" {
	for PART in "blast and its receiver, forwarder in Python" "blast and its receiver, forwarder in C"; do
		truth --only "all of it"
		holds_up
		shows list "sent_packets, sum of rows" lost_packets duplicate_packets reordered_packets \
			bad_checksum_packets lost_runs
		shows tcpdump received_bytes lost_packets
	done
}

@test "what others send is in no figure of a run, nor in its ledger" {
	PART="another sender|the ledger" truth --count 2003 --only "strays, and 300 ms of delay$|some twice$|^all of it"
	holds_up
	shows list untagged_packets implausible_packets "ledger: received" "ledger: elsewhere" bad_checksum_packets
}

@test "PDV is that of the delays that the forwarder made" {
	PART="delay variation" truth --only "^700 ms.* 200 us"
	holds_up
	shows records pdv_p50_ns pdv_p90_ns pdv_p99_ns pdv_mean_ns pdv_max_ns
	shows list pdv_p50_ns pdv_p99_ns
}

@test "a packet that comes after copies of others is waited for" {
	PART="receiver, forwarder in Python" truth --only "the last 200 ms late"
	holds_up
}

@test "a sink that passes packets on counts those that tcpdump sees after it" {
	PART="passes packets on" truth
	holds_up
	shows tcpdump received_packets received_bytes duplicate_packets reordered_packets \
		"duplicate_packets, sum of rows" "lost_packets, sum of rows"
}

@test "bytes and retransmissions of TCP are those that ss, nstat, tcpdump and the forwarder saw" {
	PART="tcp and udp" truth --only "tcp stream, 1 % lost"
	holds_up
	shows ss payload_sent_bytes payload_received_bytes tcp_retransmits
	shows nstat tcp_retransmits
	shows tcpdump payload_received_bytes
	shows list payload_received_bytes tcp_retransmits "tcp_retransmits, sum of rows"
}

@test "what a server that sends must send again after its end is in its retransmissions" {
	PART="tcp and udp" truth --only "maerts without rate" --duration 1s
	holds_up
	shows nstat tcp_retransmits
}

@test "transactions, datagrams and what became of them are those that others counted" {
	PART="tcp and udp" truth --only "tcp crr|udp stream"
	holds_up
	shows nstat requests_sent datagrams_received
	shows tcpdump datagrams_lost datagrams_duplicate datagrams_reordered
}

@test "requests, answers and round trips are those that passed the forwarder" {
	PART="ping, rr and probe" truth --count 101 --only "ping, losses|^rr, 5 ms"
	holds_up
	shows list sent_packets lost_packets rtt_p50_ns rtt_p90_ns rtt_min_ns
}

@test "ping and the ping of iputils agree" {
	PART="ping beside another" truth --count 53
	holds_up
	shows list rtt_p50_ns "rtt_p50_ns of iputils"
}

@test "a tool that reports a duplicate, a byte or 3 ms more than there was is found" {
	lie ".metrics.duplicate_packets += 1"
	PART="receiver, forwarder in Python" truth --count 2003 --only copies
	found duplicate_packets
	lie ".metrics.payload_received_bytes += 1"
	PART="tcp and udp" truth --duration 100ms --only "tcp maerts, 1 %"
	found payload_received_bytes
	lie ".metrics.rtt_p50_ns += 3e6"
	PART="ping" truth --count 101 --only "ping, 5 ms"
	found rtt_p50_ns
}
