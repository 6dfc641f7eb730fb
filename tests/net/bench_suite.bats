# SPDX-License-Identifier: GPL-2.0-or-later
# ethgauge bench, through a bump whose rate, queue and delay are known. On a machine
# that is busy with other work the generator stalls, which the tool tells itself: what
# was put in must be found exactly where it says that it was not disturbed.

load ../lib/common
load ../lib/lab

# 512-byte frames take 4256 bits on the wire: 5 Mbit/s are 1174.8 a second.
PPS=1174.8
QUEUE=40

setup() {
	need_root
	need af-xdp
	lab_up --path a-r-b --middle open
	# Else the bump puts a program where the bench wants to receive.
	nsenter --net="/run/netns/$LAB-r" "$TOOL" doctor egb --has xdp-xmit-ready >/dev/null ||
		cannot veth-gro "a veth that takes XDP frames without a program (kernel 5.13)"
	start bump r impair ega egb --rate 5Mbit --queue "$QUEUE" --delay 2ms --direction a-to-b
	STATE=$BATS_TEST_TMPDIR/state
}

bench() {
	run --separate-stderr timeout 100 "$TOOL" bench "$1" "eg0@$LAB-a" "eg0@$LAB-b" --sizes 512 \
		--rate 20Mbit --pause 1ms --json "${@:2}"
}

# bats test_tags=core
@test "bench finds the rate, the delay and the queue that were put in, and goes on from its file" {
	local before

	bench rfc2544 --quick --search mlr --trial 400ms --initial-trial 400ms --latency-trial 100ms \
		--repeats 1 --tests latency,back-to-back --burst 60ms --bursts 1 --state "$STATE"
	is 0
	json '.environment.suite == "rfc2544-quick"'
	json '[.parts[] | select(.name == "512-byte frames")] | length == 1'
	# A trial of T s passes at up to queue / T more; nothing can make it more than that.
	json --argjson most "$(jq -n "$PPS * 1.02 + ($QUEUE + 5) / 0.4")" '
		.parts[] | select(.name == "512-byte frames").metrics |
		.throughput_pps <= $most and .latency_min_ns >= 2e6 and .goal_final_trial_ns == 4e8'
	json --argjson pps "$PPS" --argjson queue "$QUEUE" '
		.metrics as $m | .parts[] | select(.name == "512-byte frames").metrics |
		($m.unsteady_trials > 0 or
			(.throughput_pps >= 0.99 * $pps and .throughput_upper_pps > .throughput_pps)) and
		($m.irregular_trials + $m.unsteady_trials > 0 or
			(.buffer_packets / $queue - 1 | fabs) <= 0.05)'
	json '.self.trials | length > 4 and all(.sent_packets > 0)'
	before=$(jq -c '[.self.trials, .parts[1].metrics]' <<<"$output")

	# All of it is of the file: nothing is sent any more.
	bench rfc2544 --quick --search mlr --trial 400ms --initial-trial 400ms --latency-trial 100ms \
		--repeats 1 --tests latency,back-to-back --burst 60ms --bursts 1 --state "$STATE"
	is 0
	[ "$(jq -c '[.self.trials, .parts[0].metrics]' <<<"$output")" = "$before" ]
	json '.notes | any(contains("of an earlier call"))'
	[[ $stderr != *"trial "* ]]

	# And of other options it is refused.
	bench rfc8219 --quick --state "$STATE"
	is 2
	says "is of a bench with other options"
}

@test "an interrupted bench keeps its trials, and the next call goes on behind them" {
	local kept

	start_cmd soak r "trial 3" nsenter --net=/proc/self/ns/net "$TOOL" bench soak "eg0@$LAB-a" \
		"eg0@$LAB-b" --sizes 512 --rate 500pps --trial 100ms --duration 500ms --pause 1ms --state "$STATE" --json
	finish soak INT
	is 130
	json '.notes | any(contains("ended by a signal"))'
	kept=$(jq '.self.trials | length' <<<"$output")
	[ "$kept" -ge 2 ]
	bench soak --rate 500pps --trial 100ms --duration 500ms --state "$STATE"
	[ "$status" -le 1 ]
	json --argjson kept "$kept" '.notes | any(startswith("\($kept) trials are of an earlier call"))'
	json '.self.trials | length >= 5'
}
