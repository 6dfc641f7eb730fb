#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# bats file_tags=net
# Loss periods (RFC 3357) at the beginning and the end of a stream, where the sender's count is known;
# impair loses the packets by number.

load ../lib/common
load ../lib/lab

setup() {
	need_root
	need_command jq
	cd "$BATS_TEST_TMPDIR" || return
	lab_up --path a-r-b --middle open
}

# lost_is FILTER RULE...: of 2003 packets to a receiver that knows this number; with OPTIONS of blast.
lost_is() {
	local filter=$1

	start bump r impair ega egb -i 0s --direction a-to-b --match "udp dport 9" -d 60s "${@:2}"
	# shellcheck disable=SC2086
	tool_in a blast eg0 198.18.0.2 -c 2003 -r "$(pace 10000)" -i 0 --sink "eg0@$LAB-b" --no-ledger --wait 500ms \
		--json ${OPTIONS-}
	is 0
	json ".metrics | $filter"
	finish bump INT
}

# bats test_tags=core
@test "runs of loss at the beginning and the end of a stream count, with their length" {
	seq 0 210 >first
	seq 1500 2002 >last
	lost_is '.lost_packets == 211 and .lost_runs == 1 and .lost_run_max == 211 and .lost_run_mean == 211' \
		--loss list=first
	lost_is '.lost_packets == 503 and .lost_runs == 1 and .lost_run_max == 503 and .lost_run_mean == 503' \
		--loss list=last
}

@test "runs of loss at both ends count beside those inside, also at a socket" {
	seq 0 210 >first
	seq 1500 2002 >last
	# Of the last, 1900 arrives; and there is a run inside.
	sed -i /^1900$/d last
	seq 600 606 >>last
	for OPTIONS in "" "--sink-socket --rcvbuf 4000000"; do
		lost_is '.lost_packets == 211 + 7 + 400 + 102 and .lost_runs == 4 and .lost_run_max == 400 and
			.lost_run_mean == 180' --loss list=first --loss list=last
	done
}

@test "of several streams each has its runs of loss at the ends, also one of which nothing arrives" {
	cat >streams.yaml <<-END
		flows:
		  - {packet: ip4(dst=198.18.0.2)/udp(dport=9), rate: 4kpps, duration: {fixed_packets: {packets: 1009}}}
		  - {packet: ip4(dst=198.18.0.2)/udp(dport=9), rate: 2kpps, duration: {fixed_packets: {packets: 503}}}
	END
	start bump r impair ega egb -i 0s --direction a-to-b -d 60s --match "stream 1" --loss all
	tool_in a blast eg0 --streams streams.yaml -i 0 --sink "eg0@$LAB-b" --no-ledger --wait 500ms --json
	is 0
	json '.metrics | .lost_packets == 503 and .lost_runs == 1 and .lost_run_max == 503'
	finish bump INT
	seq 1000 1008 >last
	start bump r impair ega egb -i 0s --direction a-to-b -d 60s --match "stream 0" --loss list=last
	tool_in a blast eg0 --streams streams.yaml -i 0 --sink "eg0@$LAB-b" --no-ledger --wait 500ms --json
	is 0
	json '.metrics | .lost_packets == 9 and .lost_runs == 1 and .lost_run_max == 9'
	# The rows of streams count what is lost at the ends, too.
	json '[.streams[].lost_packets] == [9, 0]'
	finish bump INT
}

# far_soak: a bench to b as another host.
far_soak() {
	tool_in a bench soak eg0 eg0 --receiver "nsenter --net=/run/netns/$LAB-b '$TOOL'" --dest 198.18.0.2 \
		--sizes 512 --settle 1ms --wait 500ms --rate "$(pace 1000)" --trial 300ms --duration 300ms --json
}

@test "a receiver on another host, which does not know the count, counts the runs at the ends as well" {
	start bump r impair ega egb -i 0s --direction a-to-b -d 60s --match "udp dport 9" --loss list=0,1,2,3,4,9
	far_soak
	json '.parts[] | select(.name == "first trial").metrics | .lost_packets == 6 and .lost_runs == 2 and
		.lost_run_max == 5 and .lost_run_mean == 3'
}

# forged_is FILTER: of 4001 packets, of which impair loses 211, to a receiver that knows this number. The
# numbers on stdin, each of a packet with a valid tag of the same run, come in between. OPTIONS of blast.
forged_is() {
	local filter=$1

	cat >forged
	seq 0 4000 | awk '$1 == 0 || $1 % 19 == 7 && $1 < 3990' >lost
	[ "$(wc -l <lost)" = 211 ] || fail "$(wc -l <lost) to be lost"
	start bump r impair ega egb -i 0s --direction a-to-b --match "udp sport 40009" -d 60s --loss list=lost
	# shellcheck disable=SC2086
	start blast a blast eg0 198.18.0.2 -c 4001 -r "$(pace 4000)" -i 0 --run 4660 --src-port 40009 \
		--sink "eg0@$LAB-b" --no-ledger --wait 500ms ${OPTIONS-}
	wait_for eval '[ "$(counter b rx_packets)" -gt 503 ]'
	send_tags <forged
	finish blast
	is 0
	json ".metrics as \$m | $filter"
	finish bump INT
}

# bats test_tags=core
@test "forged numbers beyond what was sent are implausible, also copies, and hide no loss" {
	# 13 numbers, 6 of them twice; none confirms the one before.
	for OPTIONS in "" "--sink-socket --rcvbuf 4000000"; do
		seq 2000000000 -1000003 1987999964 | awk '{ print 0, $1 } NR % 2 == 0 { print 0, $1 }' |
			forged_is '$m | .lost_packets == 211 and .implausible_packets == 19 and
				.duplicate_packets == 0 and .distinct_packets == 4001 - 211 and .lost_runs == 211'
	done
}

@test "forged numbers that confirm one another are not distinct, and hide no loss either" {
	for OPTIONS in "" "--sink-socket --rcvbuf 4000000"; do
		for first in 1000003 5003; do
			seq "$first" "$((first + 6))" | sed 's/^/0 /' |
				forged_is 'any(.notes[]; contains("were not sent")) and ($m | .lost_packets == 211 and
					.implausible_packets == 7 and
					.distinct_packets + (.unknown_packets // 0) == 4001 - 211 and
					.lost_runs == null)'
		done
	done
	# Farther apart than the window. The forwarder's softirq of the other CPU may have one of them, and send it by
	# another queue of its link: what a later one overtook is too far behind to tell, and the note says so.
	OPTIONS=
	seq 1000003 1000003 7000021 | sed 's/^/0 /' | forged_is 'any(.notes[]; contains("may be too low")) and ($m |
		.implausible_packets >= 3 and .implausible_packets <= 7 and
		.lost_packets == 211 - (7 - .implausible_packets))'
}
