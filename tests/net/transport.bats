#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# bats file_tags=net
# tcp and udp against serve: what both ends count held against the kernel's
# packet filter and against a client that shares no code with them.

load ../lib/common
load ../lib/lab

setup() {
	need_root
	need_command jq /usr/bin/python3
	lab_up
	PEER=$BATS_TEST_DIRNAME/transport_peer.py
}

serve() {
	start serve b serve "$@"
}

# both TEST...: without intervals; the document is then in output.
both() {
	tool_in a "$@" -i 0 --json
	is 0
}

# Before 6.11 datagrams are joined only where the interface makes their sums, which a lab's do not.
can_join() {
	if ! kernel_from 6.11; then
		need_command ethtool
		in_a ethtool -K eg0 tx on
		in_b ethtool -K eg0 tx on
	fi
}

# count_in_b RULE...: a counter for what comes in at b; see counted_in_b.
count_in_b() {
	need_command nft
	in_b nft add table inet t 2>/dev/null
	in_b nft add chain inet t c '{ type filter hook input priority 0; }' 2>/dev/null
	in_b nft add rule inet t c "$*" ||
		cannot nft "packet filter of this kernel"
}

# counted_in_b WHAT: packets or bytes of the rules, in their order.
counted_in_b() {
	in_b nft -j list chain inet t c | jq -r ".nftables[].rule? | select(.) |
		[.expr[].counter? | select(.)][0].$1" | paste -sd ' '
}

@test "serve is no longer root when it serves, and reports what it served" {
	serve
	[ "$(awk '/^Uid:/ { print $2 == 65534 && $3 == 65534 && $4 == 65534 }' \
		"/proc/${PIDS[serve]}/status")" = 1 ]
	[ "$(awk '/^Cap(Prm|Eff):/ { print $2 }' "/proc/${PIDS[serve]}/status" | sort -u)" = 0000000000000000 ]
	both tcp rr 198.18.0.2 -d 50ms
	finish serve INT
	is 130
	json '.metrics.served_clients == 1 and .metrics.served_tests == 1 and
		.metrics.malformed_messages == 0'
}

@test "the bytes of a TCP stream are those that the packet filter saw" {
	count_in_b 'tcp dport != 14880 tcp flags & (syn | ack) == syn counter'
	count_in_b 'tcp dport != 14880 counter'
	serve
	both tcp stream 198.18.0.2 -d 300ms
	json '.metrics.payload_sent_bytes == .metrics.payload_received_bytes'
	json '.metrics.payload_received_bytes > 1000000'
	json '.entries[0].sent_bytes == .metrics.payload_sent_bytes'
	local packets bytes
	read -r _ packets <<<"$(counted_in_b packets)"
	read -r _ bytes <<<"$(counted_in_b bytes)"
	# Headers of 52 bytes with timestamps, and 8 more of the SYN; what was sent twice comes twice.
	json --argjson seen $((bytes - 52 * packets - 8)) '.metrics as $m |
		if $m.tcp_retransmits == 0 then $seen == $m.payload_received_bytes
		else $seen >= $m.payload_received_bytes end'
}

# bats test_tags=core
@test "every kind of stream has the same bytes at both ends" {
	local words

	can_join
	serve
	while read -ra words; do
		both "${words[@]}" -d "$((70 * TESTS_SLOW))ms"
		# Without a CPU for all of that time there is nothing to compare.
		holds '[., .parts[]?] | all(.metrics.payload_sent_bytes > 0)' <<<"$output" ||
			both "${words[@]}" -d "$((700 * TESTS_SLOW))ms"
		json '[., .parts[]?] | all(.metrics.payload_sent_bytes > 0 and
			.metrics.payload_sent_bytes == .metrics.payload_received_bytes)'
	done <<-END
		tcp maerts 198.18.0.2
		tcp sendfile 198.18.0.2 --message-bytes 100003
		tcp splice 198.18.0.2 --message-bytes 100003
		tcp splice 198.18.0.2 --message-bytes 2M -P 3 --threads 1 --bidir
		tcp stream 198.18.0.2 --reverse --nodelay --message-bytes 997
		tcp stream 198.18.0.2 -P 5 --bidir --threads 2
		tcp stream 2001:2::2 --mss 1009 --window-clamp 30000 --dscp 10
		tcp stream 198.18.0.2 --zerocopy --spin
		udp stream 198.18.0.2 -P 3 --rate $(pace 3000) --bidir
		udp stream 2001:2::2 --reverse --rate $(pace 3000) --batch 7 --message-bytes 18
		udp stream 198.18.0.2 --gso --rate $(pace 7000) --batch 71 --message-bytes 101
		udp stream 2001:2::2 --gso --bidir --rate $(pace 7000) --batch 3 --message-bytes 18
	END
}

@test "what a server sends again after the end of the test is in its retransmissions" {
	need_command nft nstat
	in_a nft add table inet t
	in_a nft add chain inet t c '{ type filter hook input priority 0; }'
	in_a nft add rule inet t c 'tcp sport != 14880 meta length > 100 numgen random mod 37 == 5 drop' ||
		cannot nft "packet filter of this kernel"
	serve
	# Much of it waits in the buffer when the server has sent all.
	both tcp maerts 198.18.0.2 -d 200ms --remote-send-buffer 4M
	json --argjson again "$(in_b nstat -asz TcpRetransSegs | awk '/Retrans/ { print $2 }')" \
		'.metrics.tcp_retransmits == $again and $again > 0'
}

# window_of_a: the largest that the other end has offered a's data connections, in bytes.
window_of_a() {
	in_a ss -tinH 'dport != 14880' | grep -o 'snd_wnd:[0-9]*' | cut -d: -f2 | sort -n | tail -n 1
}

@test "a window clamp holds at the end that receives, also once data have come" {
	need_command ss
	serve
	start tcp a tcp stream 198.18.0.2 -d 30s --window-clamp 30000 -i 0
	# The first window may be larger; a kernel that raises the clamp offers some hundred KB.
	wait_for eval '[ "$(counter a tx_packets)" -gt 1000 ]'
	wait_for eval '[ "$(window_of_a)" -le 30000 ]'
	sleep 0.2
	[ "$(window_of_a)" -le 30000 ]
	finish tcp INT
	is 130
}

@test "a server receives what an independent client sends, to the byte" {
	serve
	run in_a "$PEER" 198.18.0.2 bytes 10000019
	is 0
	json '.received_bytes == 10000019 and (has("sent_bytes") | not)'
}

@test "loss, duplicates and order of UDP are those that were made by hand" {
	serve
	run in_a "$PEER" 198.18.0.2 order
	is 0
	json '.received_packets == 102 and .distinct == 100 and .duplicates == 2 and .reordered == 2 and
		.received_bytes == 102 * 100'
}

@test "datagrams that the packet filter takes away are the loss, in number and ratio" {
	count_in_b 'udp length 208 numgen inc mod 7 == 3 counter drop'
	count_in_b 'udp length 208 counter'
	serve
	# So few that the socket's buffer holds all, if the server gets no CPU.
	both udp stream 198.18.0.2 -d 300ms --rate 1kpps --message-bytes 200
	local dropped passed
	read -r dropped passed <<<"$(counted_in_b packets)"
	[ "$dropped" -gt 20 ]
	json --argjson d "$dropped" --argjson p "$passed" '.metrics |
		.datagrams_lost == $d and .datagrams_received == $p and
		.datagrams_sent == $p + $d and .datagrams_duplicate == 0 and
		(.datagrams_lost_ratio - $d / ($d + $p) | fabs) < 1e-12'
}

@test "a datagram that comes twice repairs no loss" {
	lab_down
	lab_up --path a-r-b --middle open
	start bump r impair ega egb --direction a-to-b --match udp --loss every=7 --duplicate every=11 -d 20s
	serve
	both udp stream 198.18.0.2 -d 300ms --rate 1kpps --message-bytes 200
	json '.metrics | .datagrams_duplicate > 10 and .datagrams_lost > 20 and
		.datagrams_sent == .datagrams_received - .datagrams_duplicate + .datagrams_lost'
	finish bump INT
}

@test "joined datagrams are separated again, each with its number and time" {
	serve
	can_join
	both udp stream 198.18.0.2 --gso --rate 7kpps --batch 53 --message-bytes 101 -d 300ms
	json '.metrics | .datagrams_received == .datagrams_sent and .datagrams_sent % 53 == 0 and
		.datagrams_sent >= 53 and .datagrams_duplicate == 0 and .datagrams_reordered == 0 and
		.delay_packets == .datagrams_sent and
		.payload_received_bytes == 101 * .datagrams_sent'
	tool_in a udp stream 198.18.0.2 --gso --message-bytes 1473 -d 20ms
	is 2
	says "of at most 1472 bytes here"
}

@test "arrivals has each number in the order and at the time at which it came" {
	local back

	serve
	for back in "" --reverse; do
		both udp stream 198.18.0.2 $back --rate 1kpps --batch 10 -P 2 -d 700ms --arrivals 101
		json '[.parts[] | select(.name | startswith("arrivals of stream")).series] |
			length == 2 and (map(length) | add) == 101 and
			all([.[].datagram_sequence] == [range(length)] and
				([.[].elapsed_ns] | . == sort and .[-1] < 2e9 and .[0] >= 0) and
				all(.datagram_delay_ns > 0))'
		# Those that come before the receiving end has begun are timed as well.
		json '.metrics | .delay_packets == .datagrams_received'
	done
	both udp stream 198.18.0.2 --rate 2kpps -d 300ms --arrivals 50000
	json '.metrics.datagrams_received as $n | .parts[0].series | length == $n and $n > 200'
	printf '%s' "$output" >"$BATS_TEST_TMPDIR/run.json"
	"$TOOL" report "$BATS_TEST_TMPDIR/run.json" -o "$BATS_TEST_TMPDIR/run.html"
	grep -q 'datagram number' "$BATS_TEST_TMPDIR/run.html"
}

# arrivals CONDITION: of those of the only stream, $all, in the order in which they came.
arrivals() {
	json '[.parts[] | select(.name == "arrivals of stream 0").series[]] as $all | .metrics as $sum | '"$1"
}

@test "datagrams that are sent together have a time of arrival each" {
	local back

	serve
	for back in "" --reverse; do
		both udp stream 198.18.0.2 $back --rate 10kpps --batch 32 -d 300ms --arrivals 50000
		# The receiver may be late, and read many at once, but the kernel took each time.
		arrivals '($all | length) == $sum.datagrams_received and
			($all | map(.elapsed_ns) | unique | length) >= 0.95 * $sum.datagrams_received'
		# After it was sent, and before this process had read it.
		arrivals '$all | map(.datagram_delay_ns) | min > 0 and min <= $sum.delay_min_ns and
			max <= $sum.delay_max_ns and add / length <= $sum.delay_mean_ns'
	done
}

@test "a pause of the sender is a pause of the arrivals" {
	serve
	both udp stream 198.18.0.2 --rate 2kpps --on 40ms --off 60ms -d 600ms --arrivals 50000
	# The first may be late by 25 ms, and one in 20 by more than 5. Without pauses it were six in 20.
	arrivals '$all | map(.elapsed_ns) | .[0] as $first | length > 100 and .[-1] - $first > 400e6 and
		(map((. - $first) % 100000000 | select(. > 45e6 and . < 75e6)) | length) <= length / 20'
}

@test "the delivery rate is of all that was acknowledged" {
	serve
	both tcp stream 198.18.0.2 -d 300ms -P 2
	# busy_ms is rounded down.
	json '[.entries[] | select(.sender == "client")] | length == 2 and all(.busy_ms > 0 and
		.delivery_mbps <= .sent_bytes * 8 / (.busy_ms * 1000) * 1.001 and
		.delivery_mbps >= .sent_bytes * 8 / ((.busy_ms + 1) * 1000) * 0.999)'
	both tcp stream 198.18.0.2 -d 300ms --reverse
	# At the end of this one some bytes may still wait for their acknowledgement.
	json '.entries[0] | .sender == "server" and
		.delivery_mbps <= .sent_bytes * 8 / (.busy_ms * 1000) * 1.001 and
		.delivery_mbps >= (.sent_bytes - .sndbuf) * 8 / ((.busy_ms + 1) * 1000) * 0.999'
}

@test "round trips have a standard deviation, PDV and jitter" {
	serve
	both tcp rr 198.18.0.2 -d 200ms
	varies
	json '.metrics | has("rtt_jitter_rfc3550_max_ns") | not'
	both tcp crr 198.18.0.2 -d 200ms
	varies
	both udp rr 198.18.0.2 -d 200ms
	varies
	both tcp rr 198.18.0.2 -d 200ms -P 3 --outstanding 2
	varies
	json '.metrics | .rtt_jitter_rfc3550_max_ns >= .rtt_jitter_rfc3550_ns'
}

@test "a UDP transaction is one packet in each direction, and a lost one is reported" {
	count_in_b 'udp length 72 numgen inc mod 97 == 5 counter drop'
	count_in_b 'udp length 72 counter'
	serve
	both udp rr 198.18.0.2 -d 700ms --request-bytes 64 --response-bytes 101 --outstanding 5
	local dropped passed
	read -r dropped passed <<<"$(counted_in_b packets)"
	[ "$dropped" -gt 0 ]
	json --argjson d "$dropped" --argjson p "$passed" '.metrics |
		.requests_sent == $p + $d and .requests_answered == $p and .transactions == $p and
		.rtt_packets == $p and .requests_timed_out >= $d'
}

@test "a UDP transaction that waits for the one before it is one packet each way" {
	count_in_b 'udp length 45 counter'
	serve
	both udp rr 198.18.0.2 -d 200ms --request-bytes 37 --response-bytes 101
	json --argjson n "$(counted_in_b packets)" '.metrics |
		.transactions > 100 and .transactions == $n and .requests_sent == $n and
		.requests_answered == $n and .rtt_packets == $n'
}

@test "a TCP transaction is one packet each way" {
	# 7 bytes after headers of 52.
	count_in_b 'ip length 59 tcp dport != 14880 counter'
	serve
	both tcp rr 198.18.0.2 -d 200ms --request-bytes 7 --response-bytes 13
	json --argjson n "$(counted_in_b packets)" '.metrics |
		.transactions > 100 and .transactions == $n and .requests_answered == $n and
		.rtt_packets == $n and .rtt_min_ns > 0'
}

@test "a crr transaction is a connection of its own" {
	local words

	count_in_b 'tcp dport != 14880 tcp flags & (syn | ack) == syn counter'
	serve
	both tcp crr 198.18.0.2 -d 200ms
	json --argjson n "$(counted_in_b packets)" '.metrics.transactions > 50 and
		.metrics.transactions == $n and .metrics.requests_answered == $n'
	both tcp crr 198.18.0.2 -d 200ms -P 7 --threads 2 --response-bytes 100003
	json '.metrics.transactions > 20 and .metrics.transactions == .metrics.requests_sent and
		.metrics.requests_timed_out == 0'
}

@test "many connections on few threads each have their transactions" {
	serve
	both tcp rr 198.18.0.2 -d 200ms -P 23 --outstanding 4 --nodelay --threads 2
	json '[.entries[] | select(.sender == "client")] | length == 23 and all(.sent_bytes > 0)'
	json '.metrics.transactions == .metrics.requests_answered'
}

@test "a rate is kept, and what is sent is what the schedule has" {
	serve
	both udp stream 198.18.0.2 -d 1s --rate 1kpps --message-bytes 100
	json '.metrics.datagrams_sent | . > 700 and . <= 1000'
	both tcp stream 198.18.0.2 -d 500ms --rate 8Mbit
	json '.metrics.payload_received_bps | . > 5e6 and . < 9e6'
	# Half of the time it pauses.
	both udp stream 198.18.0.2 -d 400ms --rate 1kpps --message-bytes 100 --on 50ms --off 50ms
	json '.metrics.datagrams_sent | . > 50 and . <= 204'
}

@test "what was due in a pause, or before, is not made up for" {
	serve
	start udp a udp stream 198.18.0.2 -d 2s --rate 10kpps --message-bytes 100 --on 100ms --off 400ms -i 0
	wait_for eval '[ "$(counter b rx_packets)" -gt 100 ]'
	# A whole pause and parts of two times that are on.
	kill -STOP "${PIDS[udp]}"
	sleep 0.5
	kill -CONT "${PIDS[udp]}"
	finish udp
	is 0
	json '.metrics.datagrams_sent | . > 100 and . <= 4004'
}

@test "an open loop counts from when a request was due: a stall shows in all that waited" {
	serve
	start rr a tcp rr 198.18.0.2 -d 2500ms --rate 1kpps -i 0
	# The server's threads stand still for 0.4 s, as on a machine that is busy.
	wait_for eval '[ "$(counter b rx_packets)" -gt 200 ]'
	kill -STOP "${PIDS[serve]}"
	sleep 0.4
	kill -CONT "${PIDS[serve]}"
	finish rr
	is 0
	json '.metrics.rtt_max_ns > 350e6'
	# 1 a ms was due; a closed loop would have one.
	json '[.histograms.rtt_ns.buckets[] | select(.[0] > 100e6) | .[1]] | add > 200'
	json '.metrics.requests_sent > 2000'
}

@test "an open loop of connections counts from when each was due" {
	serve
	start crr a tcp crr 198.18.0.2 -d 2500ms --rate 500pps -i 0
	wait_for eval '[ "$(counter b rx_packets)" -gt 400 ]'
	kill -STOP "${PIDS[serve]}"
	sleep 0.4
	kill -CONT "${PIDS[serve]}"
	finish crr
	is 0
	# One every 2 ms was due; only one of them waited since it was sent.
	json '[.histograms.rtt_ns.buckets[] | select(.[0] > 100e6) | .[1]] | add > 100'
}

@test "what is omitted is in the bytes, but not in rates and round trips" {
	serve
	both tcp rr 198.18.0.2 -d 200ms --omit 300ms
	json '.metrics.rtt_packets < .metrics.transactions'
	# All of it is 500 ms; on a busy machine the omitted part ends late.
	json '.metrics.tested_ns | . > 20e6 and . < 490e6'
	both udp rr 198.18.0.2 -d 200ms --omit 300ms
	json '.metrics.rtt_packets < .metrics.transactions'
	both udp stream 198.18.0.2 --rate 1kpps --message-bytes 100 -d 200ms --omit 300ms
	json '.metrics | .delay_packets > 0 and .delay_packets < .datagrams_received'
}

@test "intervals have rows of both ends, and each connection its own" {
	serve
	tool_in a tcp stream 198.18.0.2 -d 500ms -i 100ms -P 2 --per-stream --json
	is 0
	json '.series | length >= 3 and all(has("payload_sent_bps") and has("tcp_rtt_ns"))'
	json '[.parts[] | select(.name | startswith("stream"))] | length == 2'
	json '([.parts[].metrics.payload_sent_bytes] | add) == .metrics.payload_sent_bytes'
	# On a busy machine the other end may have no CPU for an interval: it received 0, or reported nothing (null).
	json '[.series[1:][] | has("payload_received_bps")] | all'
	json '[.series[1:][].payload_received_bps // 0] | all(. >= 0) and add > 0'
}

@test "the server's connections have their rows too, and both directions are summed" {
	serve
	tool_in a tcp stream 198.18.0.2 -d 700ms -i 100ms -P 2 --bidir --per-stream --json
	is 0
	json '[.parts[] | select(.name | startswith("stream"))] | length == 4 and
		all(.series | length >= 2)'
	json '([.parts[] | select(.name | startswith("stream")) | .metrics.payload_sent_bytes] | add) ==
		.metrics.payload_sent_bytes'
	# A row whose rate is that of all four: on a busy machine some come late.
	json '[.parts[] | select(.name | startswith("stream")).series[]] as $rows |
		[.series[] | select(.payload_sent_bps) | .elapsed_ns as $at | .payload_sent_bps /
			([$rows[] | select(.elapsed_ns == $at).payload_sent_bps] | add)] |
		any(. > 0.8 and . < 1.25)'
}

@test "the server's settings are in the result, and ours where they differ" {
	in_b sysctl -qw net.ipv4.tcp_sack=0 net.ipv4.tcp_rmem='4096 70001 700001'
	in_b ip link set eg0 mtu 1400
	serve
	both tcp rr 198.18.0.2 -d 20ms
	json --arg kernel "$(uname -r)" '.environment | .server_kernel == $kernel and
		.server_tcp_sack == "0" and .client_tcp_sack == "1" and
		.server_tcp_rmem == "4096 70001 700001" and .server_mtu == 1400 and
		(has("client_kernel") | not)'
}

@test "a congestion control that the server may not use is reported with the allowed ones" {
	local allowed name found

	allowed=$(sysctl -n net.ipv4.tcp_allowed_congestion_control)
	for name in $(sysctl -n net.ipv4.tcp_available_congestion_control); do
		[[ " $allowed " == *" $name "* ]] || found=$name
	done
	serve
	both tcp stream 198.18.0.2 -d 20ms --congestion reno
	json '.entries[0].control == "reno"'
	[ -n "$found" ] || cannot congestion_control "that is not allowed to all"
	tool_in a tcp stream 198.18.0.2 -d 20ms --congestion "$found"
	is 4
	says "cannot use the congestion control '$found'"
	says "may use: $allowed;"
}

@test "confidence repeats until the mean is known well enough, or says that it is not" {
	serve
	both tcp rr 198.18.0.2 -d 50ms --confidence 50,100
	json '.metrics.runs >= 3 and .metrics.confidence_width_ratio <= 1 and
		(.notes | any(test("is within")))'
	json '(.metrics.transactions_per_s -
		([.parts[].metrics.transactions_per_s] | add / length) | fabs) < 1'
	both tcp rr 198.18.0.2 -d 20ms --confidence 99.9,0.0001 --max-runs 3
	json '.metrics.runs == 3 and (.notes | any(test("only within")))'
}

@test "sizes makes a run for each message length" {
	serve
	both tcp stream 198.18.0.2 -d 50ms --message-sizes 1000-5000
	json '[.entries[].message_bytes] == [1000, 2000, 4000, 5000]'
	json '.parts | length == 4 and all(.metrics.payload_received_bytes > 0)'
}

# Before the server greets, and before it is ready for the test.
@test "a test that is ended before it begins reports that nothing was tested" {
	local most words=(tcp stream 198.18.0.2 -d 20s --json)
	local -A ready=([0]="" [2]="testing with")

	start serve b serve --port 14881
	for most in 0 2; do
		start_cmd stall b stalling "$PEER" 198.18.0.2 stall "$most"
		start_cmd client a "${ready[$most]}" "$TOOL" "${words[@]}"
		nap 0.3
		finish client INT
		is 130
		json '(has("errors") or has("entries")) | not'
		json '[.metrics, (.parts // [])[].metrics] | map(select(.)) == [{tested_ns: 0}]'
		json '[.notes, (.parts // [])[].notes] | flatten | any(values | contains("before the test began"))'
		finish stall KILL
		words+=(--message-sizes 1000-1000)
	done
}

@test "only clients with the key are served" {
	local dir=$BATS_TEST_TMPDIR

	echo a-right-key-of-20-by >"$dir/right" && echo a-wrong-key-of-20-by >"$dir/wrong" && echo short17 >"$dir/short"
	echo of-12-bytes- >"$dir/medium"
	chmod 600 "$dir"/{right,wrong,short,medium}
	serve --key-file "$dir/right"
	both tcp rr 198.18.0.2 -d 20ms --key-file "$dir/right"
	PEER_KEY=a-right-key-of-20-by run in_a "$PEER" 198.18.0.2 bytes 1009
	is 0
	json '.received_bytes == 1009'
	tool_in a tcp rr 198.18.0.2 -d 20ms --key-file "$dir/wrong"
	is 4
	says "another key"
	tool_in a tcp rr 198.18.0.2 -d 20ms
	is 4
	says "asks for a key"
	says "hint: give it with --key-file FILE"
	finish serve TERM
	json '.metrics.refused_keys >= 1 and .metrics.served_tests == 2'
	# A server that proves nothing is not the one that was meant.
	serve
	tool_in a tcp rr 198.18.0.2 -d 20ms --key-file "$dir/right"
	is 4
	says "the server asks for no key, so it proves none"
	says "hint: start it with the same key"
	tool_in a tcp rr 198.18.0.2 -d 20ms --key-file "$dir/short"
	is 2
	says "must have 8 to"
	tool_in a tcp rr 198.18.0.2 -d 20ms --key-file "$dir/medium"
	is 4
	says "has 12 bytes and may be guessed: use 16 random bytes"
}

@test "what is no message is refused and counted, and the server goes on" {
	serve
	run in_a "$PEER" 198.18.0.2 garbage
	is 0
	local said=$output
	both tcp rr 198.18.0.2 -d 20ms
	finish serve INT
	is 130
	json --argjson n "$said" '.metrics.malformed_messages == $n and .metrics.served_tests == 1'
}

@test "limits of clients, streams, time and rate are kept" {
	serve --max-clients 3 --max-per-address 3 --max-streams 2 --max-duration 1s --max-rate 10Mbit
	start_cmd crowd a crowded "$PEER" 198.18.0.2 crowd 5
	[ "$(tail -n 1 "$BATS_TEST_TMPDIR/crowd.out")" = 3 ]
	[ "$(grep -c "the server has 3 clients, as many as it takes" "$BATS_TEST_TMPDIR/crowd.out")" = 2 ]
	kill "${PIDS[crowd]}"
	finish crowd
	# The server sees that they have gone.
	wait_for in_a "$TOOL" tcp rr 198.18.0.2 -d 10ms -q
	tool_in a tcp stream 198.18.0.2 -d 2s --rate 1Mbit
	is 4
	says "at most 1s"
	tool_in a tcp stream 198.18.0.2 -d 100ms -P 3 --rate 1Mbit
	is 4
	says "at most 2 streams"
	tool_in a tcp stream 198.18.0.2 -d 100ms
	is 4
	says "at most 10 Mbit/s: ask for it with --rate"
	both tcp stream 198.18.0.2 -d 100ms --rate 10Mbit
	serve_limit_holds
}

# A client that sends more than it said is stopped, also if it has sent nothing for a time.
serve_limit_holds() {
	finish serve INT
	serve --max-rate 10Mbit
	run in_a "$PEER" 198.18.0.2 fast
	is 0
	[[ $output == *"beyond the server's rate limit"* ]] || fail "$output"
	finish serve INT
	# 6.4 Mbit in 3 s are less than 2.2 Mbit/s, but not at once.
	serve --max-rate 1Mbit
	run in_a "$PEER" 198.18.0.2 late
	is 0
	[[ $output == *"beyond the server's rate limit"* ]] || fail "$output"
}

@test "a server that never stops talking does not keep the client, nor fill its memory" {
	local what began

	for what in rows conns; do
		start_cmd hostile b hostile "$PEER" 198.18.0.2 hostile $what
		start_cmd tcp a "testing with" "$TOOL" tcp stream 198.18.0.2 -d 60s -i 100ms --json
		sleep 0.5
		began=$(date +%s%3N)
		finish tcp INT
		is 130
		# By itself it ends after 0.7 s.
		[ $(($(date +%s%3N) - began)) -lt $((1900 * TESTS_SLOW)) ] || fail "$what: $(($(date +%s%3N) - began)) ms"
		json '.notes | any(contains("did not report its result"))'
		finish hostile
	done
	start_cmd hostile b hostile "$PEER" 198.18.0.2 hostile arrivals
	tool_in a udp stream 198.18.0.2 -d 60s --rate 1Mbit --arrivals 500 --json
	is 4
	says "more arrivals than were requested"
	json '[.parts[]? | select(.name | startswith("arrivals")).series[]] | length == 500'
	finish hostile
	start_cmd hostile b hostile "$PEER" 198.18.0.2 hostile port
	tool_in a tcp stream 198.18.0.2 -d 1s
	is 4
	says "the server names port 22 for data"
	finish hostile
	start_cmd hostile b hostile "$PEER" 198.18.0.2 hostile far
	tool_in a tcp stream 198.18.0.2 -d 1s
	is 4
	says "port 30001 for data, which is not near its control port 14880"
	says "hint: if the server was started with --data-ports, give the same here"
	finish hostile
	tool_in b serve --data-ports 80-90
	is 2
	says "below 1024"
}

@test "a client that does not say who it is is sent away within 2 s" {
	local began

	serve
	began=$(date +%s%3N)
	in_a /usr/bin/python3 -c 'import socket
s = socket.create_connection(("198.18.0.2", 14880))
while s.recv(9999): pass'
	[ $(($(date +%s%3N) - began)) -lt $((3500 * TESTS_SLOW)) ] || fail "$(($(date +%s%3N) - began)) ms"
}

@test "who says nothing keeps no client away, and one address does not take all places" {
	serve --max-clients 4
	start_cmd silent a crowded "$PEER" 198.18.0.2 silent 40
	[ "$(cat "$BATS_TEST_TMPDIR/silent.out")" -ge 16 ]
	start_cmd again a connected "$PEER" 198.18.0.2 silent 40
	tool_in b tcp rr 198.18.0.2 -d 20ms --json
	is 0
	kill "${PIDS[silent]}" "${PIDS[again]}"
	finish silent
	finish again
	wait_for in_a "$TOOL" tcp rr 198.18.0.2 -d 10ms -q
	start_cmd crowd a crowded "$PEER" 198.18.0.2 crowd 5
	[ "$(tail -n 1 "$BATS_TEST_TMPDIR/crowd.out")" = 2 ]
	[ "$(grep -c "the server has 2 clients of this address" "$BATS_TEST_TMPDIR/crowd.out")" = 3 ]
	tool_in b tcp rr 198.18.0.2 -d 20ms --json
	is 0
	kill "${PIDS[crowd]}"
	finish crowd
	wait_for in_a "$TOOL" tcp rr 198.18.0.2 -d 10ms -q
	# ::1 is no IPv4 host, though both come to one socket.
	start_cmd local b crowded "$PEER" ::1 crowd 2
	[ "$(tail -n 1 "$BATS_TEST_TMPDIR/local.out")" = 2 ]
	tool_in a tcp rr 198.18.0.2 -d 20ms
	is 0
	finish serve INT
	json '.metrics.refused_clients >= 27 and .metrics.served_clients >= 4'
}

@test "without free descriptors the server waits, says so once, and goes on" {
	local ticks

	start_cmd serve b "serving on" prlimit --nofile=20 "$TOOL" serve --open --json
	# One after the other, so that they are sent away one after the other, too.
	start_cmd silent a connected "$PEER" 198.18.0.2 silent 40 20
	wait_for grep -q "cannot accept clients until others end: Too many open files" "$BATS_TEST_TMPDIR/serve.err"
	ticks=$(awk '{ print $14 + $15 }' "/proc/${PIDS[serve]}/stat")
	sleep 1
	ticks=$(($(awk '{ print $14 + $15 }' "/proc/${PIDS[serve]}/stat") - ticks))
	[ "$ticks" -lt 50 ] || fail "$ticks of 100 ticks"
	kill "${PIDS[silent]}"
	finish silent
	wait_for grep -q "clients are accepted again" "$BATS_TEST_TMPDIR/serve.err"
	wait_for in_a "$TOOL" tcp rr 198.18.0.2 -d 10ms -q
	finish serve INT
	[ "$(grep -c "cannot accept clients" "$BATS_TEST_TMPDIR/serve.err")" = 1 ]
	[ "$(grep -c "clients are accepted again" "$BATS_TEST_TMPDIR/serve.err")" = 1 ]
}

@test "a client cannot fill the server's log" {
	local began lines

	serve
	began=$SECONDS
	in_a "$PEER" 198.18.0.2 flood 500
	sleep 1.1
	tool_in a tcp rr 198.18.0.2 -d 10ms
	is 0
	finish serve INT
	lines=$(wc -l <"$BATS_TEST_TMPDIR/serve.err")
	[ "$lines" -le $((50 + 2 * (SECONDS - began + 2) + 4)) ] || fail "$lines lines"
	grep -q "messages like the next one were left out" "$BATS_TEST_TMPDIR/serve.err"
}

@test "the memory of tests is known before, bounded, and reported" {
	local idle_kib most_kib

	serve --max-memory 64Mi
	idle_kib=$(awk '/^VmHWM/ { print $2 }' "/proc/${PIDS[serve]}/status")
	tool_in a tcp stream 198.18.0.2 -d 50ms -P 2 --threads 2 --message-bytes 16Mi
	is 4
	says "the server's memory, and one may take 33.55 MB"
	says "hint: use smaller messages or fewer threads"
	start tcp a tcp stream 198.18.0.2 -d 30s -P 2 --threads 2 --message-bytes 14Mi
	start udp a udp stream 198.18.0.2 -d 30s -P 2 --threads 2 --message-bytes 60000 --rate 1Mbit
	start more a tcp stream 198.18.0.2 -d 30s -P 2 --threads 2 --message-bytes 14Mi
	tool_in a tcp stream 198.18.0.2 -d 50ms -P 2 --threads 2 --message-bytes 2Mi
	is 4
	says "the server's memory for tests, 67.11 MB, is in use"
	says "hint: try again when other tests have ended"
	# Held against the kernel: what is charged is what is used, but for some MB of threads and code.
	wait_for eval '[ $(($(awk "/^VmRSS/ { print \$2 }" "/proc/${PIDS[serve]}/status") - idle_kib)) -gt 57344 ]'
	most_kib=$(awk '/^VmHWM/ { print $2 }' "/proc/${PIDS[serve]}/status")
	finish tcp INT
	finish more INT
	finish udp INT
	both tcp stream 198.18.0.2 -d 50ms -P 2 --threads 2 --message-bytes 15Mi
	finish serve INT
	json '.metrics | .tests_memory_max_bytes <= 64 * 1048576 and .tests_memory_max_bytes > 58 * 1048576'
	json --argjson kib $((most_kib - idle_kib)) '.metrics.tests_memory_max_bytes / 1024 | . > $kib - 4096'
}

@test "^C gives what there is so far, and 130; the server goes on" {
	serve
	start tcp a tcp stream 198.18.0.2 -d 30s -i 50ms
	sleep 0.4
	finish tcp INT
	is 130
	json '.metrics.payload_received_bytes > 0 and
		.metrics.payload_sent_bytes == .metrics.payload_received_bytes'
	both tcp rr 198.18.0.2 -d 20ms
}

# cut_off WORD... -- TEST...: a client whose interface goes, then ^C: how long it took, at most 1.9 s.
cut_off() {
	local link=() began

	while [ "$1" != -- ]; do
		link+=("$1")
		shift
	done
	lab_up
	serve
	start_cmd client a "testing with" "$TOOL" "${@:2}" 198.18.0.2 -d 60s --json
	nap 0.4
	ip_in a link "${link[@]}"
	nap 0.3
	began=${EPOCHREALTIME/[.,]/}
	finish client INT
	[ $((${EPOCHREALTIME/[.,]/} - began)) -lt $((1900000 * TESTS_SLOW)) ] || fail "${*:2}: ended late"
	# A send of a datagram fails without a route: such a client had ended.
	[ "$status" = 130 ] || is 4
	json '.format == 1 and has("environment") and .command == "'"$2"'" and has("self") and
		any(.notes[]; startswith("the server did not report its result within 0.7 s after the signal"))'
	finish serve INT
	lab_down
}

@test "^C ends a client at once whose interface has gone or is down" {
	lab_down
	cut_off set eg0 down -- tcp stream
	cut_off del eg0 -- tcp maerts
	cut_off del eg0 -- tcp crr
	cut_off set eg0 down -- udp rr
}

@test "a client that is killed takes nothing with it" {
	serve
	start udp a udp stream 198.18.0.2 -d 30s --rate 1Mbit
	kill -KILL "${PIDS[udp]}"
	finish udp
	wait_for grep -q "has gone" "$BATS_TEST_TMPDIR/serve.err"
	both udp rr 198.18.0.2 -d 20ms
	# Its sockets are closed.
	[ "$(in_b ss -Huan | wc -l)" -le 1 ]
}

@test "a server that is killed ends the test with what there is, and 4" {
	serve
	start tcp a tcp stream 198.18.0.2 -d 30s -i 50ms
	sleep 0.3
	kill -KILL "${PIDS[serve]}"
	finish tcp
	is 4
	json '.metrics.payload_sent_bytes > 0 and (.errors | length == 1)'
	# Figures that it did not report are absent, not lost packets.
	serve
	start udp a udp stream 198.18.0.2 -d 30s --rate 1kpps -i 50ms
	sleep 0.3
	kill -KILL "${PIDS[serve]}"
	finish udp
	is 4
	json '.metrics | .datagrams_sent > 0 and (has("datagrams_lost") | not)'
}

@test "an interval without an answer has no round trips, not ones of nothing" {
	serve
	start_cmd rr a "testing with" "$TOOL" tcp rr 198.18.0.2 -d 30s -i 100ms --jsonl
	wait_for eval '[ "$(counter a tx_packets)" -gt 200 ]'
	kill -STOP "${PIDS[serve]}"
	wait_for grep -q '"transactions_per_s":0' "$BATS_TEST_TMPDIR/rr.out"
	kill -CONT "${PIDS[serve]}"
	finish rr INT
	is 130
	jq -es '[.[] | select(.transactions_per_s == 0)] | length > 0 and all(has("rtt_p50_ns") | not)' <<<"$output" >/dev/null ||
		fail "$output"
}

@test "iperf3's letters are those of the same options" {
	serve
	tool_in a tcp stream 198.18.0.2 -t 1 -O 0.1 -b 40M -w 64Ki -C reno -M 1000 -P 2 -R -N -J
	is 0
	json '.config | .duration == "1s" and .omit == "100ms" and .rate == "40Mbit" and .mss == 1000 and
		.["socket-buffer"] == 65536 and .congestion == "reno" and .parallel == 2 and
		.reverse == "yes" and .nodelay == "yes"'
	json '.metrics.payload_received_bps | . > 20e6 and . < 44e6'
	tool_in a tcp rr 198.18.0.2 -t 200ms -w 64Ki -J
	is 0
	# The kernel doubles what is asked for.
	json '.environment | [.client_send_buffer, .client_receive_buffer, .server_send_buffer, .server_receive_buffer] |
		all(. == 131072)'
	tool_in a udp stream 198.18.0.2 -t 300ms -b 1M -J
	is 0
	json '.config.rate == "1Mbit"'
	tool_in a tcp stream 198.18.0.2 -w 64Ki --send-buffer 1M
	is 2
	says "--send-buffer"
}

@test "^C while no datagram gets through ends a test without an error" {
	need_command nft
	in_b nft add table ip t
	in_b nft 'add chain ip t c { type filter hook input priority 0; }'
	in_b nft add rule ip t c udp dport 1024-65535 counter drop
	serve
	start_cmd udp a "testing with" "$TOOL" udp stream 198.18.0.2 -d 30s --json
	wait_for eval 'in_b nft list table ip t | grep -q "packets [1-9]"'
	finish udp INT
	is 130
	json 'has("errors") | not'
	json '.metrics.tested_ns == 0'
	json '.notes | any(contains("ended by a signal before the test began"))'
}

@test "a missing server is reported, with a hint" {
	tool_in a tcp stream 198.18.0.2
	is 4
	says "cannot connect to port 14880 of '198.18.0.2': Connection refused"
	says "hint: start the other end there: ethgauge serve"
}

@test "serve takes the socket that systemd hands over" {
	need_command systemd-socket-activate
	start_cmd serve b "Listening on" systemd-socket-activate -l 14880 "$TOOL" serve --open --count 1 -v
	both tcp rr 198.18.0.2 -d 20ms
	finish serve
	is 0
	[[ $output == *"socket=from systemd"* ]] || fail "$output"
	start_cmd closed b "Listening on" systemd-socket-activate -l 14880 "$TOOL" serve
	in_a /usr/bin/python3 -c 'import socket; socket.create_connection(("198.18.0.2", 14880))'
	finish closed
	is 2
	says "the socket of systemd takes clients of all addresses, and there is no key"
}

@test "without a key only this host is served, unless all are let in" {
	start_cmd inside b "serving on port 14880 of this host's own addresses only" "$TOOL" serve --json
	tool_in b tcp rr 127.0.0.1 -d 20ms
	is 0
	tool_in b tcp rr ::1 -d 20ms
	is 0
	tool_in b udp rr ::1 -d 20ms
	is 0
	tool_in a tcp rr 198.18.0.2 -d 20ms
	is 4
	says "Connection refused"
	says "hint: start the other end there: ethgauge serve --open, or with a key for both ends: --key-file FILE"
	finish inside INT
	json '.metrics.served_tests == 3'
	for bind in 0.0.0.0 :: ::ffff:0.0.0.0; do
		tool_in b serve --bind $bind
		is 2
		says "$bind takes clients of all addresses, and there is no key"
		says "hint: give a key, --key-file FILE, or allow everyone: --open"
	done
	ETHGAUGE_KEY=a-key-of-20-bytes-xx tool_in b serve --open
	is 2
	says "--open serves without a key, but there is one in ETHGAUGE_KEY"
	start_cmd one b "without a key: whoever reaches it" "$TOOL" serve --bind 198.18.0.2 --json
	both tcp rr 198.18.0.2 -d 20ms
	finish one INT
}

@test "two servers do not share a port, and the second says so" {
	serve
	tool_in b serve
	is 4
	says "cannot listen on port 14880"
	says "hint: see which process uses it"
}

@test "a connection whose handshake lost its last ACK comes to its test" {
	"$TOOL" lab down --name "$LAB"
	lab_up --path a-r-b --middle open
	start serve b serve --data-ports 15001-15001
	# Of what goes to the data port the SYN is the first.
	start bump r impair ega egb -i 0s --direction a-to-b -d 60s --match "tcp dport 15001" --loss list=1
	tool_in a tcp rr 198.18.0.2 -d 200ms --json
	is 0
	json '.metrics.transactions > 0'
	finish bump INT
	json '[.parts[].metrics | select(.impair_seen_packets > 2)][0].impair_lost_packets == 1'
}

@test "data ports stay in their range" {
	serve --data-ports 15001-15003
	start udp a udp stream 198.18.0.2 -d 30s --rate 1Mbit -P 3
	wait_for eval '[ "$(in_b ss -Huan | grep -cE ":1500[123] ")" = 3 ]'
	tool_in a udp rr 198.18.0.2 -d 20ms
	is 4
	says "cannot listen on port"
	finish udp INT
}

@test "data ports far from the control port are those of --data-ports at both ends" {
	serve --data-ports 30001-30009
	tool_in a udp rr 198.18.0.2 -d 20ms
	is 4
	says "which is not near its control port 14880"
	tool_in a tcp rr 198.18.0.2 -d 20ms --data-ports 30002-30009
	is 4
	says "names port 30001 for data, which is not in --data-ports 30002-30009"
	tool_in a udp stream 198.18.0.2 -d 20ms --rate 1Mbit -P 3 --data-ports 30001-30009 --json
	is 0
	json '.metrics.datagrams_received > 0'
}

# udp_ports: those of the server's data sockets.
udp_ports() {
	in_b ss -Huan | awk '$5 ~ /198\.18\.0\.1/ { sub(".*:", "", $4); print $4 }'
}

@test "without --data-ports, they are among the 4096 above the control port" {
	serve
	start udp a udp stream 198.18.0.2 -d 30s --rate 1Mbit -P 64
	wait_for eval '[ "$(udp_ports | wc -l)" = 64 ]'
	[ "$(udp_ports | awk '$1 > 14880 && $1 <= 18976' | wc -l)" = 64 ]
	finish udp INT
}

@test "options that have no meaning together are refused before anything is done" {
	local words

	while read -ra words; do
		tool_in a "${words[@]}"
		[ "$status" = 2 ] || fail "${words[*]}: $status $stderr"
	done <<-'END'
		tcp stream
		tcp bulk h
		tcp rr h --bidir
		tcp rr h --rate 10Mbit
		tcp stream h --rate 10kpps
		tcp stream h --rate 50%
		tcp stream h --request-bytes 3
		tcp stream h --reverse --bidir
		tcp crr h --outstanding 3
		tcp rr h --zerocopy
		tcp splice h --zerocopy
		tcp stream h --confidence 99
		tcp stream h --confidence 99,5x
		tcp stream h --message-sizes 5-3
		tcp stream h --message-sizes 1-2 --message-bytes 7
		tcp stream h -4 -6
		tcp stream h --cpu x
		tcp stream h --congestion a-name-that-is-too-long
		udp stream h --message-bytes 17
		udp stream h --message-bytes 65508
		udp stream h --batch 3
		udp stream h --on 1s
		udp rr h --batch 3
		udp rr h --gso
		udp rr h --arrivals 10
		udp stream h --arrivals 50001
		udp stream h --gso --rate 10Mbit
		udp crr h
		serve --max-rate 10kpps
		serve --data-ports 9-3
		serve --open --key-file /etc/hostname
		serve --data-ports 1-70000
		tcp rr h --data-ports 1-70000
	END
}
