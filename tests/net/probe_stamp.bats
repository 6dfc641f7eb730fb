#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# bats file_tags=net
# probe --stamp against a reflector written from the RFCs' text, against others' reflectors,
# and with what impair does to each way.

load ../lib/common
load ../lib/lab

REFLECTOR=$TOP/tests/net/stamp_reflector.py

setup() {
	need_root
	need_command jq /usr/bin/python3
}

# reflector OPTIONS...: the oracle, in b.
reflector() {
	start_cmd reflector b ready "$REFLECTOR" "$@"
}

# stamp DEST OPTIONS...: a sender in a.
stamp() {
	tool_in a probe --stamp "$@" --json
}

# told: what the oracle counted, in $output.
told() {
	finish reflector TERM
	is 0
}

# all_back COUNT: the last sender's document has them all, and times that fit each other.
all_back() {
	is 0
	json --argjson n "$1" '.metrics | .sent_packets == $n and .received_packets == $n and
		.distinct_packets == $n and .lost_packets == 0 and .out_lost_packets == 0 and
		.back_lost_packets == 0 and .unplaced_lost_packets == 0 and .duplicate_packets == 0 and
		.reordered_packets == 0 and .rtt_packets == $n and
		.out_packets == $n and .back_packets == $n and .rtt_ipdv_count == $n - .stamp_sessions and
		(has("stamp_malformed_packets") or has("rtt_negative_packets") | not)'
	# Slots are left out by a process that got no CPU for long, and only then.
	json '.metrics.stamp_not_sent_packets == 0 or .self.stamp_late_max_ns > 100000000'
	# Both ends have one clock here: the two ways are the round trip, but for rounding.
	json '.metrics | .out_mean_ns + .back_mean_ns - .rtt_mean_ns | . < 2 and . > -2'
	json '.metrics | .out_min_ns > 0 and .back_min_ns > 0 and .turnaround_min_ns > 0 and
		.rtt_min_ns <= .rtt_p50_ns and .rtt_p50_ns <= .rtt_max_ns'
}

# bats test_tags=core
@test "every packet of each form is answered, and both ends agree on size, marks and number" {
	lab_up
	reflector
	for with in "" "-6" "--poisson --seed 3" "--size 48" "--size 1400 --dscp 46" "--tlv all"; do
		read -ra words <<<"$with"
		stamp "$([ "$with" = -6 ] && echo 2001:2::2 || echo 198.18.0.2)" -c 101 -r "$(pace 2000)" \
			--reflector-mode stateful "${words[@]}"
		all_back 101
		json '.metrics | .out_ttl == 64 and .back_ttl == 64'
	done
	told
	json '.questions == 606 and .wrong == 0 and .u_not_set == 0 and .zero_multiplier == 0 and
		.sessions == 6 and .sizes == {"44": 303, "48": 101, "1400": 101, "164": 101} and
		.tos == {"0": 505, "184": 101}'
}

@test "a second run from the same port is another session, unless --seed repeats it" {
	lab_up
	reflector
	for seed in "" "" "--seed 3" "--seed 3"; do
		read -ra words <<<"$seed"
		stamp 198.18.0.2 -c 53 -r "$(pace 1000)" --reflector-mode stateful --src-port 40007 "${words[@]}"
	done
	told
	json '.questions == 212 and .sessions == 3'
}

@test "times in PTP's format and TWAMP Light's packets come back as well" {
	lab_up
	reflector --ptp
	stamp 198.18.0.2 -c 101 -r "$(pace 2000)" --reflector-mode stateful --format ptp
	all_back 101
	# Each end says which format it uses: they may differ.
	stamp 198.18.0.2 -c 101 -r "$(pace 2000)" --reflector-mode stateful
	all_back 101
	finish reflector TERM
	reflector --twamp
	stamp 198.18.0.2 -c 101 -r "$(pace 2000)" --reflector-mode stateful --twamp-light
	all_back 101
	told
	json '.questions == 101 and .sizes == {"41": 101}'
}

@test "authenticated packets are proven both ways, and forged answers are none" {
	lab_up
	echo 0123456789abcdef >"$BATS_TEST_TMPDIR/key"
	reflector --key 0123456789abcdef
	stamp 198.18.0.2 -c 53 -r "$(pace 1000)" --key-file "$BATS_TEST_TMPDIR/key"
	all_back 53
	ETHGAUGE_STAMP_KEY=0123456789abcdef stamp 198.18.0.2 -c 53 -r "$(pace 1000)" --auth --tlv class,direct
	all_back 53
	json '[.entries[] | select(.tlv == "hmac") | .returned, .not_intact] == [53, 0]'
	json '[.entries[] | select(.tlv == "direct") | .says] ==
		["sent 53, received there 53, answered 53"]'
	ETHGAUGE_STAMP_KEY=another-key-of-21-byte stamp 198.18.0.2 -c 53 -r "$(pace 1000)" --auth --reflector-mode stateful -w 0.1s
	json '.metrics | .received_packets == 0 and .lost_packets == 53'
	told
	json '.wrong == 53 and .sizes["112"] == 108'
	reflector --key 0123456789abcdef --corrupt
	stamp 198.18.0.2 -c 53 -r "$(pace 1000)" --key-file "$BATS_TEST_TMPDIR/key" --reflector-mode stateful -w 0.2s
	json '.metrics | .received_packets == 0 and .stamp_forged_packets == 53 and .lost_packets == 53'
	unset ETHGAUGE_STAMP_KEY
	stamp 198.18.0.2 --auth
	is 2
	says "no key"
}

@test "the reflector's answer to each extension is reported, also an unknown one" {
	lab_up
	reflector
	stamp 198.18.0.2 -c 11 -r "$(pace 1000)" --tlv all --dscp 10 --reflector-mode stateful --size 300 --src-port 5001
	is 0
	json '[.entries[] | [.tlv, .returned, .unrecognised]] ==
		[["padding", 11, 0], ["location", 11, 0], ["timestamp", 11, 0], ["class", 11, 0],
		 ["direct", 11, 0], ["access", 11, 11], ["follow-up", 11, 0]]'
	json '[.entries[] | select(.tlv == "class") | .says] == ["DSCP 10 and ECN 0 arrived, RP 0"]'
	json '.entries[] | select(.tlv == "location") | .says |
		startswith("198.18.0.1 port 5001 to ? port 862")'
	json '.metrics.follow_up_mean_ns > 0'
}

# lossy WAY FILTER RULES...: impair between a and b, which loses or delays by its numbers.
lossy() {
	local way=$1 filter=$2

	shift 2
	lab_up --path a-r-b --middle open
	start bump r impair ega egb --direction "$way" --match "$filter" -d 60s --interval 0s "$@"
}

@test "inserted outbound loss and delay are reported as outbound, exactly" {
	lossy a-to-b "udp dport 862" --loss list=0,3,50,51,52,100 --delay 31ms
	reflector
	stamp 198.18.0.2 -c 211 -r 500pps --reflector-mode stateful -w 1s
	is 0
	json '.metrics | .lost_packets == 6 and .out_lost_packets == 6 and .back_lost_packets == 0 and
		.unplaced_lost_packets == 0 and .lost_runs == 4 and .lost_run_max == 3 and
		.distinct_packets == 205'
	json '.metrics | .out_min_ns >= 31000000 and .back_min_ns < 31000000 and .rtt_min_ns >= 31000000'
	told
	json '.questions == 205'
}

@test "inserted return loss and delay are reported as return, exactly" {
	lossy b-to-a "udp sport 862" --loss every=10 --delay 31ms
	reflector --lose-back 1,2
	stamp 198.18.0.2 -c 211 -r 500pps --reflector-mode stateful -w 1s
	is 0
	# 209 answers came on the wire: 20 of them were lost by impair. The last answer is none.
	json '.metrics | .lost_packets == 22 and .out_lost_packets == 0 and .back_lost_packets == 22 and
		.unplaced_lost_packets == 0 and .distinct_packets == 189'
	json '.metrics | .back_min_ns >= 31000000 and .out_min_ns < 31000000'
	told
	json '.questions == 211 and .answers == 209 and .lost_back == 2'
}

@test "duplicates and reordering are reported for their direction" {
	lossy a-to-b "udp dport 862" --duplicate every=7 --reorder every=50:3
	reflector
	stamp 198.18.0.2 -c 211 -r 500pps --reflector-mode stateful -w 1s
	is 0
	json '.metrics | .lost_packets == 0 and .duplicate_packets == 30 and
		.out_duplicate_packets == 30 and .back_duplicate_packets == 0 and
		.reordered_packets == 4 and .out_reordered_packets == 4 and .back_reordered_packets == 0'
	told
	json '.questions == 241'
}

@test "a stateless reflector is detected, and the direction of its losses is reported as unknown" {
	lab_up
	reflector --stateless --lose-back 20,30,31
	stamp 198.18.0.2 -c 101 -r "$(pace 1000)" -w 0.3s
	is 0
	json '.environment.reflector_kind == "stateless" and (.metrics | .lost_packets == 3 and
		.unplaced_lost_packets == 3 and (has("out_lost_packets") or has("back_lost_packets") | not))'
	json '.notes | map(select(contains("stateless"))) | length == 1'
	finish reflector TERM
	reflector --lose-back 20,30,31
	stamp 198.18.0.2 -c 101 -r "$(pace 1000)" -w 0.3s
	json '.environment.reflector_kind == "stateful" and (.metrics | .lost_packets == 3 and
		.out_lost_packets == 0 and .back_lost_packets == 3)'
}

@test "a reflector without session identifiers is taken for what it is, or with --strict-ssid not at all" {
	lab_up
	reflector --old
	stamp 198.18.0.2 -c 53 -r "$(pace 1000)" --reflector-mode stateful
	all_back 53
	stamp 198.18.0.2 -c 53 -r "$(pace 1000)" --reflector-mode stateful -w 0.1s --strict-ssid
	json '.metrics | .stamp_foreign_packets == 53 and .received_packets == 0 and .lost_packets == 53'
}

@test "a reflector that starts its numbers anew is noticed, and invents no loss" {
	lab_up
	reflector --restart-after 60
	stamp 198.18.0.2 -c 101 -r "$(pace 1000)" --reflector-mode stateful
	json '.metrics | .lost_packets == 0 and .reflector_restarts == 1 and .duplicate_packets == 0'
}

@test "a thousand sessions at once, to two destinations, are each counted on their own" {
	lab_up
	reflector
	stamp 198.18.0.2 2001:2::2 --sessions 503 -c 3 -r 2pps --reflector-mode stateful -w 3s --no-loss
	all_back 3018
	json '.metrics.stamp_sessions == 1006 and (.streams | length == 1006 and
		all(.[]; .sent_packets == 3 and .distinct_packets == 3 and .lost_packets == 0)) and
		[.parts[] | .metrics.distinct_packets] == [1509, 1509]'
	told
	json '.questions == 3018 and .sessions == 1006'
}

@test "a missing reflector is reported, ^C prints the result so far, and no privilege is needed" {
	local before

	lab_up
	stamp 198.18.0.2 -c 11 -r "$(pace 1000)" -w 0.1s --no-loss --reflector-mode stateful
	is 1
	json '.metrics | .lost_packets == 11 and .stamp_refused_packets > 0'
	json '.notes | map(select(contains("no answer from"))) | length == 1'
	json '.verdicts | map(.what) == ["11 of 11 packets lost"]'
	stamp 198.18.0.2 -c 5 -r "$(pace 1000)" -w 0.1s --reflector-mode stateful
	is 1
	json '.verdicts | map(.what) == ["none of 5 packets were answered"]'
	reflector
	before=$(counter b rx_packets)
	start probe a probe --stamp 198.18.0.2 -c 0 -r 200pps -i 100ms
	wait_for grep -q probing "$BATS_TEST_TMPDIR/probe.err"
	wait_for reached $((before + 20))
	finish probe INT
	is 130
	json '.metrics | .sent_packets > 3 and .distinct_packets + .lost_packets == .sent_packets'
	run --separate-stderr timeout 20 nsenter --net="/run/netns/$LAB-a" setpriv --reuid=65534 \
		--regid=65534 --clear-groups --inh-caps=-all --bounding-set=-all \
		"$TOOL" probe --stamp 198.18.0.2 -c 7 -r 100pps -i 20ms --jsonl
	is 0
	[ "$(sed -n '1,/"format"/p' <<<"$output" | wc -l)" -gt 2 ]
	jq -es 'map(select(.metrics)) | length == 1 and (.[0].metrics.lost_packets == 0)' <<<"$output" >/dev/null
}

# reached N: that many packets have come to the reflector's interface, of any kind: a neighbour's questions, too.
reached() {
	[ "$(counter b rx_packets)" -gt "$1" ]
}

# suite OPTIONS...: the reflector of stamp-suite (crates.io), in b.
suite() {
	nsenter --net="/run/netns/$LAB-b" stamp-suite -i --local-port 862 "$@" \
		>"$BATS_TEST_TMPDIR/suite.out" 2>&1 3>&- &
	PIDS[suite]=$!
	defer put_down suite $!
	wait_for in_b grep -q ":035E" /proc/net/udp
}

@test "stamp-suite answers our packets, and its answers are reported" {
	need_command stamp-suite
	lab_up
	suite --stateful-reflector
	stamp 198.18.0.2 -c 101 -r 500pps
	all_back 101
	json '.environment.reflector_kind == "stateful"'
	stamp 198.18.0.2 -c 101 -r 500pps --format ptp --size 300 --tlv all --src-port 5001
	all_back 101
	json '[.entries[] | [.returned, .unrecognised, .malformed, .not_intact]] | unique ==
		[[101, 0, 0, 0]]'
	# It counts answers before it sends this one.
	json '[.entries[] | select(.tlv == "direct" or .tlv == "location" or .tlv == "class") | .says] | sort |
		(.[0] | startswith("198.18.0.1 port 5001 to 198.18.0.2 port 862")) and
		.[1:] == ["DSCP 0 and ECN 0 arrived, RP 0", "sent 101, received there 101, answered 100"]'
}

@test "stamp-suite proves our authenticated packets, and we its answers" {
	need_command stamp-suite
	lab_up
	echo 000102030405060708090a0b0c0d0e0f >"$BATS_TEST_TMPDIR/hex"
	printf '\0\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17' >"$BATS_TEST_TMPDIR/key"
	chmod 600 "$BATS_TEST_TMPDIR/hex"
	suite --auth-mode A --hmac-key-file "$BATS_TEST_TMPDIR/hex"
	stamp 198.18.0.2 -c 101 -r 500pps --key-file "$BATS_TEST_TMPDIR/key" --tlv direct
	is 0
	json '.environment.reflector_kind == "stateless" and (.metrics | .distinct_packets == 101 and
		.lost_packets == 0 and (has("stamp_forged_packets") | not)) and
		([.entries[] | select(.tlv == "hmac") | .returned, .not_intact] == [101, 0])'
}

# bats test_tags=core
@test "reflect --stamp answers every packet of probe --stamp, from inside the driver" {
	"$TOOL" reflect --help | grep -q -- --stamp || cannot reflect-stamp "reflect --stamp"
	lab_up
	# What an XDP program of one end of a veth sends takes one at the other.
	start sink a sink eg0
	start reflect b reflect eg0 --stamp --stateful --xdp-mode native
	for with in "" "--format ptp" "--size 1400" "--tlv all"; do
		read -ra words <<<"$with"
		stamp 198.18.0.2 -c 101 -r "$(pace 1000)" "${words[@]}"
		all_back 101
		json '.environment.reflector_kind == "stateful" and .metrics.out_ttl == 64'
	done
	stamp 2001:2::2 -c 101 -r "$(pace 1000)"
	all_back 101
	finish reflect INT
	is 130
}

@test "a sum that the sender's stack left to a NIC comes back right in both modes of XDP, whoever finishes it" {
	lab_up --path a-r-b --middle bridge
	# The question comes unfinished as far as b; the answer is finished in the middle.
	in_a ethtool -K eg0 tx on >/dev/null
	nsenter --net="/run/netns/$LAB-r" ethtool -K egb tx on >/dev/null
	for mode in native generic; do
		start reflect b reflect eg0 --stamp --stateful --xdp-mode $mode
		stamp 198.18.0.2 2001:2::2 -c 23 -r "$(pace 1000)" --size 301
		all_back 46
		finish reflect INT
		is 130
		json --arg mode $mode '.metrics.stamp_repaired_packets == if $mode == "native" then 50 else 0 end'
	done
}

@test "tshark reads our TWAMP Light packets and their answers" {
	need_command tshark tcpdump
	lab_up
	reflector --twamp
	in_b tcpdump -i eg0 -U -w "$BATS_TEST_TMPDIR/t.pcap" udp port 862 \
		2>"$BATS_TEST_TMPDIR/tcpdump.err" 3>&- &
	PIDS[tcpdump]=$!
	defer put_down tcpdump $!
	wait_for grep -q "listening on" "$BATS_TEST_TMPDIR/tcpdump.err"
	tool_in a probe --twamp-light 198.18.0.2 -c 5 -r 100pps --reflector-mode stateful --json
	is 0
	wait_for frames_are 10
	run -0 tshark -r "$BATS_TEST_TMPDIR/t.pcap" -d udp.port==862,twamp.test -T fields \
		-Y 'udp.srcport == 862' -e twamp.test.seq_number -e twamp.test.sender_seq_number \
		-e twamp.test.sender_ttl
	[ "${lines[-1]}" = $'4\t4\t64' ]
}

frames_are() {
	[ "$(tshark -r "$BATS_TEST_TMPDIR/t.pcap" 2>/dev/null | wc -l)" = "$1" ]
}
