#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# bats file_tags=net
# impair held against the ends of the wire, which know nothing of it, and against
# a second model of what it must have done.

load ../lib/common
load ../lib/lab

MODEL=$TOP/tests/net/impair_model.py

setup() {
	need_root
	need_command jq /usr/bin/python3
}

bump_up() {
	lab_up --path a-r-b --middle open
}

hooks_are_free() {
	[ "$(ip_in r -json -details link show | jq -c '[.[] | .xdp // empty]')" = "[]" ]
}

# through COUNT PPS [OPTIONS of impair]: COUNT packets from a to b; the documents are
# then in $impaired and $sunk.
through() {
	local count=$1 rate

	rate=$(pace "$2")
	shift 2
	start sink b sink eg0
	start bump r impair ega egb --direction a-to-b -c "$count" -d "$((20 * TESTS_SLOW))s" \
		--interval 0s "$@"
	tool_in a blast eg0 198.18.0.2 -c "$count" -r "$rate" --json
	is 0
	json --argjson n "$count" '.metrics.sent_packets == $n'
	finish bump
	is 0
	impaired=$(jq -c '.parts[0].metrics' <<<"$output")
	finish sink INT
	is 130
	sunk=$(jq -c .metrics <<<"$output")
}

# agree: what impair says it did is what the sink says came, packet for packet. What was
# held and had to be sent without waiting further may not have been overtaken by any.
agree() {
	jq -en --argjson i "$impaired" --argjson s "$sunk" '
		$s.received_packets == $i.impair_out_frames and
		$s.lost_packets == $i.impair_lost_packets and
		$s.duplicate_packets == $i.impair_copies_frames and
		(($i.impair_reordered_packets // 0) - $s.reordered_packets | . >= 0 and
			. <= ($i.impair_flushed_frames // 0)) and
		$s.distinct_packets == $i.impair_passed_packets and
		$i.impair_own_dropped_packets == 0 and $i.impair_refused_frames == 0 and
		$s.untagged_packets == null and $s.unknown_packets == null' >/dev/null ||
		fail "they differ: $impaired"$'\n'"$sunk"
}

impaired_is() {
	holds --argjson n "${2-0}" "$1" <<<"$impaired" || fail "not true: $1: $impaired"
}

@test "what is damaged on the path is lost, and nothing else is" {
	bump_up
	for seed in 1 2; do
		start bump r impair ega egb --match udp --corrupt 20%:2 --seed "$seed" --direction a-to-b -d 30s
		tool_in a blast eg0 198.18.0.2 --sink "eg0@$LAB-b" --count 20011 --rate 20kpps --no-ledger --json -q
		is 1
		json '.metrics | .bad_checksum_packets > 2000 and .distinct_packets + .bad_checksum_packets +
			(.untagged_packets // 0) <= 20011'
		lost=$(jq .metrics.lost_packets <<<"$output")
		finish bump INT
		json --argjson lost "$lost" '.parts[0].metrics.impair_corrupted_packets as $n | $n > 3000 and $lost > 0 and
			$lost <= $n'
	done
}

# bats test_tags=core
@test "without rules every frame is forwarded inside the kernel, in both directions" {
	bump_up
	need_ready_peer
	start bump r impair ega egb
	start reflect b reflect eg0
	tool_in a probe eg0 198.18.0.2 -c 1009 -r "$(pace 10000)" --no-loss --json
	is 0
	json '.metrics | .received_packets == 1009 and .reordered_packets == 0'
	finish bump INT
	is 130
	json '[.parts[].metrics | .impair_unmatched_packets] == [1009, 1009]'
	hooks_are_free
}

# bats test_tags=core
@test "losses and copies, in the kernel: the sink says what impair says, with several seeds" {
	local seeds=(1 7 12345678901)

	# Emulated, each takes 13 s.
	[ "$TESTS_SLOW" = 1 ] || seeds=(7)
	bump_up
	for seed in "${seeds[@]}"; do
		through 20011 200000 --seed "$seed" --loss 1.7% --duplicate 0.9%:3
		agree
		impaired_is '.impair_seen_packets == 20011 and .impair_lost_packets > 200 and
			.impair_duplicated_packets > 90 and
			.impair_copies_frames == 3 * .impair_duplicated_packets'
	done
}

@test "losses, copies and reordering, in user space: the sink says what impair says" {
	need af-xdp
	bump_up
	# Fewer than its receive ring holds: a machine on which impair gets no CPU for 0.2 s loses none.
	for seed in 2 11; do
		through 7001 40000 --seed "$seed" --loss 1% --duplicate 0.9% --reorder 0.8%:5
		agree
		impaired_is '.impair_seen_packets == 7001 and .impair_reordered_packets > 30 and
			.impair_lost_packets >= 50 and .impair_copies_frames > 40'
	done
}

@test "packets of two queues and CPUs are numbered as one stream, each number once" {
	bump_up
	[ "$(nproc)" -gt 1 ] || cannot cpus "two CPUs"
	start bump r impair ega egb --direction a-to-b --loss 2% --duplicate 1% -c 60013 -d 20s \
		--events "$BATS_TEST_TMPDIR/events.csv"
	start sink b sink eg0 -d 20s
	tool_in a blast eg0 198.18.0.2 -c 60013 --threads 2 --json
	is 0
	finish bump
	is 0
	impaired=$(jq -c '.parts[0].metrics' <<<"$output")
	finish sink INT
	sunk=$(jq -c '.metrics' <<<"$output")
	jq -en --argjson i "$impaired" --argjson s "$sunk" '$i.impair_seen_packets == 60013 and
		$s.received_packets == $i.impair_out_frames and
		$s.duplicate_packets == $i.impair_copies_frames' >/dev/null || fail "$impaired $sunk"
	# The sink cannot see a loss before a stream's first packet or after its last.
	jq -en --argjson i "$impaired" --argjson s "$sunk" '($i.impair_lost_packets -
		$s.lost_packets - ($s.unseen_before_packets // 0)) | . >= 0 and . < 3' >/dev/null ||
		fail "$impaired $sunk"
	[ -z "$(cut -d, -f 2 "$BATS_TEST_TMPDIR/events.csv" | sort | uniq -d)" ]
	# The same numbers as if one CPU had seen them all.
	run -0 "$MODEL" "$BATS_TEST_TMPDIR/events.csv" 1 60013 loss=2% duplicate=1%
	json '.missing == 0 and .unexpected == 0 and .different == 0'
}

@test "generic XDP does the same between two interfaces and with delays" {
	need af-xdp
	bump_up
	through 2003 20000 --xdp-mode generic --loss 3% --duplicate 2%
	agree
	through 2003 20000 --xdp-mode generic --loss 3% --reorder 2%:3
	agree
}

@test "all of 100,003 fates are those that a second model works out from the seed" {
	local rules=("loss=1.3%" "loss=ge(p=1%,r=30%,bad=80%,good=0.1%)" "corrupt=2%:3"
		"corrupt=every=53+9:16@40" "checksum=every=7" "truncate=list=5,77,1000,99999:50"
		"duplicate=0.5%:2" "duplicate=every=101:2") options=() rule
	bump_up
	for rule in "${rules[@]}"; do
		options+=("--${rule%%=*}" "${rule#*=}")
	done
	through 100003 200000 --seed 77 --events "$BATS_TEST_TMPDIR/events.csv" "${options[@]}"
	impaired_is '.impair_events_lost == 0'
	run -0 "$MODEL" "$BATS_TEST_TMPDIR/events.csv" 77 100003 "${rules[@]}"
	json '.missing == 0 and .unexpected == 0 and .different == 0 and .wrong_sequence == 0 and
		.events > 15000'
	json --argjson i "$impaired" '.kinds.loss == $i.impair_lost_packets and
		.kinds.corrupt == $i.impair_corrupted_packets and
		.kinds.checksum == $i.impair_checksum_packets and
		.kinds.truncate == $i.impair_truncated_packets and
		.kinds.duplicate == $i.impair_duplicated_packets'
	# Another seed gives other results: the model can distinguish them.
	run -0 "$MODEL" "$BATS_TEST_TMPDIR/events.csv" 78 100003 "${rules[@]}"
	json '.missing > 1000 and .unexpected > 1000'
}

@test "bursts of loss have the ratio and the length that their chain has" {
	bump_up
	# Stationary: p/(p+r) = 6.25 %; a burst of 1/r = 5 in the mean.
	through 100003 200000 --loss 'ge(p=1.3333%,r=20%)' --events "$BATS_TEST_TMPDIR/events.csv"
	agree
	impaired_is '.impair_lost_packets / 100003 | . > 0.055 and . < 0.07'
	run -0 awk -F, 'NR > 1 { n++; bursts += $2 != last + 1; last = $2 } END { print n / bursts }' \
		"$BATS_TEST_TMPDIR/events.csv"
	awk -v mean="$output" 'BEGIN { exit !(mean > 4.5 && mean < 5.5) }' || fail "mean burst: $output"
}

@test "on ingress a list names the packets that are lost, and others are not matched" {
	lab_up
	seq 3 3 300 >"$BATS_TEST_TMPDIR/list"
	start impair b impair eg0 --loss "list=$BATS_TEST_TMPDIR/list" --match 'udp dport 9 stream 0' \
		--events "$BATS_TEST_TMPDIR/events.csv"
	tool_in a blast eg0 198.18.0.2 -c 307 --json
	is 0
	tool_in a blast eg0 198.18.0.2 -c 11 --stream 3 --json
	is 0
	tool_in a blast eg0 198.18.0.2 -c 13 --port 10 --json
	is 0
	finish impair INT
	is 130
	json '.metrics | .impair_seen_packets == 307 and .impair_lost_packets == 100 and
		.impair_unmatched_packets == 24 and .impair_passed_packets == 207'
	[ "$(cut -d, -f 1,2,4,5,7 "$BATS_TEST_TMPDIR/events.csv" | sed 1d)" = \
		"$(seq 3 3 300 | awk '{ print "ingress," $1 ",0," $1 ",loss" }')" ]
	hook_is_free b
}

# egress_copies MODE: what tc does on the way out of a is what arrives at b.
egress_copies() {
	start impair a impair eg0 --direction egress --tc-mode "$1" --loss every=11 \
		--duplicate every=7:2 --match 'udp dport 9'
	start sink b sink eg0
	in_a ping -c 1 -W 1 198.18.0.2 >/dev/null
	numbers 0 1008 | send_tags
	finish impair INT
	is 130
	# Both take 13 of these, which are then lost.
	json --arg mode "$1" '.environment.tc_mode == $mode and (.metrics |
		.impair_seen_packets == 1009 and .impair_unmatched_packets > 0 and
		.impair_lost_packets == 91 and .impair_duplicated_packets == 131 and
		.impair_copies_frames == 262)'
	finish sink INT
	json '.metrics | .lost_packets == 91 and .duplicate_packets == 262 and
		.received_packets == 1180'
}

egress_is_free() {
	[ -z "$(in_a tc filter show dev eg0 egress)" ]
	[[ $(in_a tc qdisc show dev eg0) != *clsact* ]]
}

# bats test_tags=core
@test "on egress tc loses and copies what a socket sends, by clsact" {
	lab_up
	need clsact
	egress_copies clsact
	egress_is_free
}

# bats test_tags=core
@test "on egress tc loses and copies what a socket sends, by tcx" {
	lab_up
	need tcx
	egress_copies tcx
	egress_is_free
}

@test "a clsact filter that was there first is still there" {
	lab_up
	need clsact
	start first a impair eg0 --direction egress --tc-mode clsact --loss all --match 'udp dport 10'
	egress_copies clsact
	[[ $(in_a tc filter show dev eg0 egress) == *impair_tc* ]]
	numbers 0 10 '0' 'port=10' | send_tags
	finish first INT
	is 130
	json '.metrics | .impair_lost_packets == 11 and .impair_seen_packets == 11'
	[[ $(in_a tc qdisc show dev eg0) != *clsact* ]]
}

pings() { in_a ping -c 1 -W 0.3 198.18.0.2 >/dev/null; }
loses_pings() { ! in_a ping -c 1 -W 0.2 198.18.0.2 >/dev/null; }
nothing_left() { [[ $(in_a tc qdisc show dev eg0) != *clsact* ]]; }

# leaves_a_filter: of an impair that was killed.
leaves_a_filter() {
	start egress a impair eg0 --direction egress --tc-mode clsact --loss all
	loses_pings
	kill -KILL "${PIDS[egress]}"
	finish egress
	[[ $(in_a tc filter show dev eg0 egress) == *impair_tc* ]]
}

# bats test_tags=core
@test "a filter that a killed impair left at clsact passes packets, and doctor names it" {
	local fix

	lab_up
	need clsact
	tool_in a doctor --has no-left-filters
	is 0
	leaves_a_filter
	wait_for pings
	tool_in a doctor --has no-left-filters --json
	is 1
	tool_in a doctor --json
	json '.features[] | select(.name == "no-left-filters") | .state == "absent" and
		(.detail | test("1 tc filter of killed runs: .impair_tc. at the egress of .eg0., of ethgauge impair, loaded 20"))'
	fix=$(jq -r '.features[] | select(.name == "no-left-filters") | .remedy' <<<"$output")
	tool_in a doctor
	[[ $(tr -s '\n ' '  ' <<<"$output" | tr -s ' ') == *"# of ethgauge impair, loaded 20"* ]]
	in_a sh -c "$fix"
	[ -z "$(in_a tc filter show dev eg0 egress)" ]
	tool_in a doctor --has no-left-filters
	is 0
}

@test "what a killed impair left at clsact is removed by the next verb there, and only that" {
	lab_up
	need clsact
	leaves_a_filter
	tool_in a watch eg0 -d 100ms --hooks tc --json
	is 0
	says "removed the filter 'impair_tc' that a killed impair left at 'eg0'"
	nothing_left

	leaves_a_filter
	tool_in a impair eg0 --loss 1% -d 100ms --json
	is 0
	says "removed the filter 'impair_tc'"
	nothing_left

	# One that runs is left alone, and so is the hook that it uses.
	start first a impair eg0 --direction egress --tc-mode clsact --loss all --match 'udp dport 10'
	tool_in a watch eg0 -d 100ms --hooks tc --json
	is 0
	[[ $stderr != *removed* ]]
	tool_in a doctor --has no-left-filters
	is 0
	# Also where its process cannot be seen.
	run -0 in_a unshare --pid --fork --mount-proc "$TOOL" doctor --has no-left-filters
	finish first INT
	is 130
	nothing_left
}

@test "at clsact a stopped impair passes packets after 2 s, and counts them" {
	lab_up
	need clsact
	start egress a impair eg0 --direction egress --tc-mode clsact --loss all
	loses_pings
	kill -STOP "${PIDS[egress]}"
	wait_for pings
	kill -CONT "${PIDS[egress]}"
	wait_for loses_pings
	finish egress INT
	is 130
	json '.metrics.impair_bypassed_packets >= 1 and (.notes | any(contains("did not run for more than 2 s")))'
	nothing_left
}

# captured COUNT OPTIONS...: packets through the bump with these options, as b sees them.
captured() {
	captured_of 'ip4(dst=198.18.0.2)/udp' "$@"
}

# captured_of TEMPLATE COUNT RULE...
captured_of() {
	local template=$1 count=$2

	shift 2
	need_command tshark
	bump_up
	start bump r impair ega egb --direction a-to-b "$@"
	start_cmd capture b ready "$CAPTURE" save "$count" "$BATS_TEST_TMPDIR/b.pcap"
	tool_in a blast eg0 "$template" -c "$count" -r 5kpps -s 200 --json
	is 0
	finish capture
	finish bump INT
	is 130
}

# fields FIELD...: of the captured packets, by tshark, with all checksums looked at.
fields() {
	tshark -r "$BATS_TEST_TMPDIR/b.pcap" -o udp.check_checksum:TRUE -o ip.check_checksum:TRUE \
		-T fields "${@/#/-e}" 2>/dev/null
}

@test "tshark calls wrong just the checksums that impair made wrong" {
	captured 509 --checksum every=5
	[ "$(fields udp.checksum.status | sort | uniq -c | awk '{ print $2 ":" $1 }' | xargs)" = "0:101 1:408" ]
	[ "$(fields ip.checksum.status | sort -u)" = 1 ]
}

@test "a flipped bit after IP's header is a bad checksum to tshark, in exactly those packets" {
	captured 509 --corrupt every=7:1@34
	# The UDP length may be hit too, which tshark reports differently: bad or malformed.
	[ "$(fields udp.checksum.status | grep -vcx 1)" = 72 ]
}

@test "a cut packet arrives as short as asked, with IP's length as it was" {
	captured 509 --truncate every=9:77
	[ "$(fields frame.len ip.len | sort | uniq -c | awk '{ print $2 "/" $3 ":" $1 }' | xargs)" = \
		"196/182:453 77/182:56" ]
}

@test "tshark sees congestion experienced and the new DSCP in exactly the chosen IPv4 packets" {
	captured_of 'ip4(dst=198.18.0.2, dscp=10, ecn=1)/udp' 509 --ce every=5 --remark every=7:46
	[ "$(fields ip.dsfield.dscp ip.dsfield.ecn | sort | uniq -c | awk '{ print $2 "/" $3 ":" $1 }' | xargs)" = \
		"10/1:350 10/3:87 46/1:58 46/3:14" ]
	[ "$(fields ip.checksum.status udp.checksum.status | sort -u | xargs)" = "1 1" ]
	json '.parts[0].metrics | .impair_ce_packets == 101 and .impair_remarked_packets == 72'
}

@test "and in exactly the chosen IPv6 packets" {
	captured_of 'ip6(dst=2001:2::2, dscp=10, ecn=2)/udp' 509 --ce every=5 --remark every=7:46
	[ "$(fields ipv6.tclass.dscp ipv6.tclass.ecn | sort | uniq -c | awk '{ print $2 "/" $3 ":" $1 }' | xargs)" = \
		"10/2:350 10/3:87 46/2:58 46/3:14" ]
	[ "$(fields udp.checksum.status | sort -u)" = 1 ]
}

@test "what is not ECN-capable is not marked, and that is counted" {
	captured 109 --ce all
	[ "$(fields ip.dsfield.ecn | sort -u)" = 0 ]
	json '.parts[0].metrics | .impair_ce_packets == 0 and .impair_unable_times >= 109'
}

@test "fragments are put together again by the receiver's stack, and delays are kept" {
	need af-xdp
	bump_up
	start bump r impair ega egb --fragment every=3:64 --delay 'every=2:20ms' --direction a-to-b \
		--match icmp --events "$BATS_TEST_TMPDIR/events.csv"
	run -0 in_a ping -c 31 -i 0.01 -s 500 198.18.0.2
	[[ $output == *"31 received"* ]] || fail "$output"
	# Too short to be cut: counted so, and in no event.
	run -0 in_a ping -c 31 -i 0.01 -s 24 198.18.0.2
	[[ $output == *"31 received"* ]] || fail "$output"
	finish bump INT
	is 130
	json '.parts[0].metrics | .impair_fragmented_packets == 10 and
		.impair_fragments_frames == 70 and .impair_delayed_packets == 31 and
		.impair_unable_times == 10 and .held_min_ns >= 20000000'
	[ "$(grep -c fragment "$BATS_TEST_TMPDIR/events.csv")" = 10 ]
}

@test "IPv6 fragments are put together again by the receiver's stack, with an identification each" {
	need af-xdp
	bump_up
	start bump r impair ega egb --fragment all:64 --direction a-to-b --match 'icmp6 dst 2001:2::2'
	run -0 in_a ping -c 31 -i 0.01 -s 500 2001:2::2
	[[ $output == *"31 received"* ]] || fail "$output"
	finish bump INT
	is 130
	# 508 bytes of ICMPv6 in 8 fragments. Neighbour discovery that goes to the address itself is too short.
	json '.parts[0].metrics | .impair_fragmented_packets == 31 and .impair_fragments_frames == 7 * 31'
	[ "$(in_b awk '$1 == "Ip6ReasmOKs" { print $2 }' /proc/net/snmp6)" = 31 ]
	[ "$(in_b awk '$1 == "Ip6ReasmFails" { print $2 }' /proc/net/snmp6)" = 0 ]
}

@test "delays on one interface are refused with a hint to use two" {
	lab_up
	tool_in b impair eg0 --delay 1ms
	is 2
	says "a single interface cannot delay or fragment packets"
	says "ethgauge impair eg0 OTHER"
	tool_in b impair eg0 --duplicate 1%
	is 2
	says "--direction egress"
}

@test "the program of another stays, and is named" {
	bump_up
	start sink r sink egb
	tool_in r impair ega egb --loss 1%
	is 3
	says "cannot attach XDP to 'egb': the hook is held by program 'sink_xdp'"
	# What was attached before the failure is gone, the other's is not.
	[ "$(ip_in r -json -details link show | jq -c '[.[] | select(.xdp) | .ifname]')" = '["egb"]' ]
}

@test "kill -9 leaves nothing attached, and the next one starts" {
	need af-xdp
	bump_up
	start bump r impair ega egb --delay 1ms
	start egress a impair eg0 --direction egress --tc-mode tcx --loss 1%
	kill -KILL "${PIDS[bump]}" "${PIDS[egress]}"
	finish bump
	finish egress
	wait_for hooks_are_free
	[[ $(ip_in r -details link show ega) != *"promiscuity 1"* ]]
	through 1009 20000 --loss every=10
	agree
}

@test "an interface that goes away ends impair with what was counted until then" {
	bump_up
	start bump r impair ega egb --loss every=2 --direction a-to-b
	tool_in a blast eg0 198.18.0.2 -c 101 --json
	is 0
	ip_in r link del ega
	finish bump
	is 4
	says "interface 'ega' vanished"
	json '.parts[0].metrics | .impair_seen_packets == 101 and .impair_lost_packets == 50'
}
