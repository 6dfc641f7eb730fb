# SPDX-License-Identifier: GPL-2.0-or-later
# ethgauge bench, through a bump whose rate, queue, delay and loss are known. On a machine
# that is busy with other work the generator stalls, and the tool reports it. What it calls
# undisturbed must be what was put in.

load ../lib/common
load ../lib/lab

# 512-byte frames take 4256 bits on the wire.
PPS=4699.248
MOST_PPS=18796.992
QUEUE=40
WIRE_NS=212800
PART='.parts[] | select(.name == "512-byte frames").metrics'

setup() {
	need_root
	need af-xdp
	need_command chrt
	lab_up --path a-r-b --middle open
	need_ready_peer
	STATE=$BATS_TEST_TMPDIR/state
}

bump() {
	# shellcheck disable=SC2046
	start_cmd bump r impairing $(first 50) "$TOOL" impair ega egb --direction a-to-b --json "$@"
}

bench() {
	# shellcheck disable=SC2046
	run --separate-stderr timeout 100 $(first 40) "$TOOL" bench "$1" "eg0@$LAB-a" "eg0@$LAB-b" \
		--sizes 512 --settle 1ms --wait 500ms --json "${@:2}"
}

# The tool says that nothing disturbed what its figures rest on.
is_undisturbed() {
	holds --argjson most "$MOST_PPS" "$PART"' | .disturbed_decisions == 0 and
		(.load_max_pps / $most - 1 | fabs) < 1e-6' <<<"$output"
}

# Words of the tool itself that its machine was not quiet.
is_disturbed() {
	holds "[.parts[].metrics.disturbed_decisions // 0] | add > 0" <<<"$output"
}

# loses_each_47th LEAST: exactly each 47th; of LEAST packets or more, unless the tool reports that its
# generator fell behind.
loses_each_47th() {
	json --argjson least "$1" '.metrics.irregular_trials as $irregular | '"$PART"' |
		($irregular > 0 or .sent_packets >= $least) and .lost_packets > 0 and
		.lost_packets == (.sent_packets / 47 | floor)'
}

@test "bench finds the inserted rate, queue and delay, and resumes from its file" {
	local before words=(rfc2544 --quick --search mlr --rate 80Mbit --trial 500ms --initial-trial 200ms
		--latency-trial 100ms --repeats 1 --tests "latency,back-to-back" --max-burst 5ms --bursts 2
		--state "$STATE")

	bump --rate 20Mbit --limit "$QUEUE" --delay 2ms
	bench "${words[@]}"
	is 0
	json '.environment.suite == "rfc2544-quick" and (.self.trials | length > 4 and all(.sent_packets > 0))'
	# All but what the bottleneck sends in that time, and the queue. It is idle where the sender stalls.
	json --argjson pps "$PPS" --argjson queue "$QUEUE" '
		.self.trials | map(select(.kind == "throughput" and .irregular == 0 and .offered_pps > 2 * $pps and
			.pacing_late_max_ns < 5e5)) |
		all((.lost_packets - (.sent_packets - .trial_ns / 1e9 * $pps - $queue) | fabs) <= 3)'
	# None is earlier than its delay and its time on the slow wire.
	json --argjson least "$((2000000 + WIRE_NS))" "$PART"' |
		.latency_min_ns >= $least and .latency_typical_ns >= .latency_min_ns'
	if is_undisturbed; then
		# A trial of 0.5 s passes what is sent in it and what the queue holds after it: 1.7 % more.
		json --argjson pps "$PPS" --argjson queue "$QUEUE" "$PART"' |
			(.throughput_pps / ($pps + $queue / 0.5) - 1 | fabs) <= 0.01 and
			.throughput_upper_pps > .throughput_pps and .goal_final_trial_ns == 5e8'
		# The veths may hold a burst while others have the processors. That is of the path, and of one burst.
		json --argjson queue "$QUEUE" "$PART"' | (.buffer_packets / .back_to_back_mean_packets) as $share |
			[.back_to_back_min_packets, .back_to_back_max_packets] |
			any(($share * . / $queue - 1 | fabs) <= 0.05)'
		json '.parts[1] | "about \(.metrics.buffer_packets / 0.5 | round) packets/s of the throughput" as $words |
			.notes | any(contains($words))'
		json --argjson least "$((2000000 + WIRE_NS))" "$PART"' | .latency_min_ns < $least + 1e6'
	else
		echo "# the tool reports disturbed decisions: only its regular trials were checked" >&3
	fi
	before=$(jq -c '[.self.trials, .parts[1].metrics]' <<<"$output")

	# All of it is of the file: nothing is sent any more.
	bench "${words[@]}"
	is 0
	[ "$(jq -c '[.self.trials, .parts[0].metrics]' <<<"$output")" = "$before" ]
	json '.notes | any(contains(" were read from "))'
	[[ $stderr != *"trial "* ]]

	# And of other options it is refused.
	bench rfc8219 --quick --state "$STATE"
	is 2
	says "was written with different options"

	# So is one whose trials have other fields.
	sed -i '2s/delay_p90_ns //' "$STATE"
	bench "${words[@]}"
	is 2
	says "was written by another version of ethgauge"
}

@test "bench reports an inserted loss exactly, and the remaining rate" {
	bump --loss every=47 --match 'udp dport 9'
	bench soak --rate 1kpps --trial 300ms --duration 600ms
	is 1
	loses_each_47th 590
	bench mlrsearch --rate 1kpps --goal name=some,loss=3%,initial=300ms,final=300ms,sum=300ms
	is 0
	json '.parts[] | select(.name == "512-byte frames, goal some").metrics |
		.throughput_ratio == 1 and (.goal_loss_ratio - 0.03 | fabs) < 1e-9 and
		(.throughput_conditional_pps / .throughput_pps - 46 / 47 | fabs) < 0.005'
}

@test "bench reports how long a device loses packets after an overload" {
	# The first 137 of the packets that come when the load has fallen to half of 1880 a second.
	seq 0 136 >"$BATS_TEST_TMPDIR/list"
	bump --match 'udp dport 9 stream 1' --loss "list=$BATS_TEST_TMPDIR/list"
	bench rfc2544 --quick --search mlr --rate 8Mbit --trial 200ms --initial-trial 200ms --tests recovery \
		--overload 400ms
	is 0
	json '[.self.trials[] | select(.kind == "recovery")][0] | .irregular == 1 or
		(.lost_packets == 137 and (.event_ns / (137e9 * 4256 / 4e6) - 1 | fabs) < 1e-3)'
	json "$PART"' | .recovery_tests == 1 and .recovery_max_ns == .recovery_mean_ns'
}

@test "bench reports how long a reset takes, and one that does not end" {
	local file=$BATS_TEST_TMPDIR/reset least most
	local words=(rfc2544 --quick --search mlr --rate 8Mbit --trial 200ms --initial-trial 200ms --tests none
		--reset-wait 300ms)

	lab_down
	lab_up --path a-r-b
	cat >"$file" <<-END
		exec nsenter --net=/run/netns/$LAB-r sh -c 'f=/proc/sys/net/ipv4/ip_forward; date +%s%N
			echo 0 >\$f; date +%s%N; sleep 0.3; date +%s%N; echo 1 >\$f; date +%s%N' >"$file.times"
	END
	bench "${words[@]}" --reset-command "sh $file"
	is 0
	# From when nothing can have passed to when it must, by the command's own clock readings.
	least=$(awk '{ t[NR] = $1 } END { printf "%.0f", t[3] - t[2] }' "$file.times")
	most=$(awk '{ t[NR] = $1 } END { printf "%.0f", t[4] - t[1] }' "$file.times")
	[ "$least" -ge 300000000 ]
	# A packet is due every 0.53 ms; a stall of the sender is its own, and reported.
	json --argjson least "$least" --argjson most "$most" "($PART)"' as $m |
		([.self.trials[] | select(.kind == "reset")][0].pacing_late_max_ns) as $late |
		$m.reset_tests == 1 and $m.reset_mean_ns >= $least and
		$m.reset_mean_ns <= $most + 1.1e6 + 2 * $late and
		$m.reset_loss_mean_ns >= $least - 1.1e6 - 2 * $late and $m.reset_loss_mean_ns <= $most + 1.1e6 + 2 * $late'

	bench "${words[@]}" --reset-command "nsenter --net=/run/netns/$LAB-r sysctl -q net.ipv4.ip_forward=0"
	is 0
	json '.parts[] | select(.name == "512-byte frames") | .metrics.reset_tests == 0 and
		(.notes | any(contains("did not forward again")))'

	nsenter --net="/run/netns/$LAB-r" sysctl -q net.ipv4.ip_forward=1
	bench "${words[@]}" --reset-command "exit 7"
	is 4
	says "'exit 7' ended with status 7"
}

@test "bench y1564 holds a service against its criteria, step by step" {
	# 20 Mbit/s on the wire are 19.248 of frames.
	local words=(y1564 --quick --trial 300ms --duration 300ms) document late

	bump --rate 20Mbit --limit 5 --delay 1ms
	bench "${words[@]}" --cir 15Mbit --eir 4.248Mbit --policing --ftd 100ms --fdv 100ms --flr 1%
	is_disturbed || is 0
	json '.environment.suite == "y1564-style-quick"'
	document=$output
	finish bump INT
	late=$(jq -e ".parts[0].metrics.held_late_max_ns" <<<"$output")
	output=$document
	# What a stall of the generator, and one of the bump, leave of the last step's 300 ms, where loss is
	# no disturbance.
	json --argjson wire "$WIRE_NS" --argjson late "$late" '
		(1 - ($late + [.self.trials[] | select(.kind == "service")][-1].pacing_late_max_ns) / 3e8) as $left |
		.parts[] | select(.name == "512-byte frames") |
		(.entries | map(.offered_mbps * 1000 | round) == [3750, 7500, 11250, 15000, 19248, 20310]) and
		(.verdicts | length == 7) and (.metrics | .service_availability_ratio == 0 or
			.service_ftd_ns >= 1e6 + $wire) and
		(.metrics.disturbed_decisions > 0 or (.entries[5] | .received_mbps > 18.8 * $left and
			.received_mbps < 19.6 and .lost_ratio > 0.03) and
			.metrics.service_availability_ratio == 1)'

	# No policer at 11 Mbit/s, and none of the frames is so early.
	bump --rate 20Mbit --limit 5 --delay 1ms
	bench "${words[@]}" --cir 10Mbit --eir 1Mbit --policing --ftd 1ms
	is 1
	json '.parts[] | select(.name == "512-byte frames") | .metrics.disturbed_decisions as $disturbed |
		.verdicts | map(.pass) | length == 7 and .[:4] == [false, false, false, false] and
		.[6] == false and ($disturbed > 0 or .[4:6] == [true, false])'
}

# The two delays differ by less than a bucket of the delay.
@test "bench y1564 finds a small variation of a long delay" {
	bump --delay every=2:301500us --delay 298ms
	bench y1564 --quick --trial 200ms --duration 200ms --cir 1Mbit --fdv 2700us --flr 1%
	is 1
	json '.parts[] | select(.name == "512-byte frames") | (.verdicts | map(.pass) | any | not) and
		(.entries | all(.fdv_us > 3400))'
}

@test "bench y1564 does not fail a service for what the tester's own stalls lose" {
	local words=(y1564 --quick --trial 50ms --duration 50ms --cir 1Mbit --flr 1% --state "$STATE")

	bump
	bench "${words[@]}"
	[[ $stderr != *"about 0 ns left"* ]] || fail "$stderr"
	# The same trials, but at 25 % of the rate and in the performance test all attempts are unsteady,
	# at 50 % the first one.
	awk 'NR == 2 { for (i = 1; i <= NF; i++) at[$i] = i }
		NR <= 3 { print; next }
		seen[$at["kind"] $at["offered_pps"]]++ { next }
		{
			$at["irregular"] = 0; $at["sent_packets"] = 61; $at["pacing_late_max_ns"] = 3e7
			nr = $at["kind"] == "performance" || !steps++ ? 20 : steps == 2
			$at["unsteady"] = 1; $at["lost_packets"] = 7
			while (nr-- > 0) print
			$at["unsteady"] = 0; $at["lost_packets"] = 0
			if ($at["kind"] == "service" && steps > 1) print
		}' "$STATE" >"$STATE.new"
	mv "$STATE.new" "$STATE"
	bench "${words[@]}"
	is 1
	json '.metrics.bench_trials == 44 and .metrics.unsteady_trials == 41'
	json '.parts[] | select(.name == "512-byte frames") |
		(.verdicts | map(.pass) == [false, true, true, true, false] and
			all(.pass or (.what | contains("could not be tested")))) and
		(.entries | map(.generator) == ["unsteady", "regular", "regular", "regular"])'
}

@test "bench measures to a reflector and back, and says what its loss and delay are of" {
	bump --loss every=47 --delay 2ms --match 'udp dport 7'
	start reflector b reflect eg0
	# shellcheck disable=SC2046
	run --separate-stderr timeout 60 $(first 40) "$TOOL" bench soak "eg0@$LAB-a" 198.18.0.2 --reflector --sizes 512 \
		--rate 1kpps --trial 300ms --duration 300ms --json
	is 1
	json '.notes | any(contains("every delay is a round trip"))'
	loses_each_47th 290
	json '.self.trials[0].delay_min_ns >= 2e6'
}

# Of the core, as it asks for no figure that a slow machine cannot reach.
# bats test_tags=core
@test "a bench that is killed, or ended by ^C, keeps its trials, and the next call resumes after them" {
	local kept signal next=3 words=(--rate 500pps --trial 100ms --duration 700ms --state "$STATE")

	bump
	for signal in KILL INT; do
		start_cmd soak r "trial $next" nsenter --net=/proc/self/ns/net "$TOOL" bench soak \
			"eg0@$LAB-a" "eg0@$LAB-b" "${words[@]}" --sizes 512 --settle 1ms --wait 500ms --json
		finish soak "$signal"
		next=5
	done
	# The second went on where the first was killed.
	is 130
	json '.notes | any(contains("ended by a signal"))'
	json '.notes | any(test("^[23] trials were read from"))'
	kept=$(jq '.self.trials | length' <<<"$output")
	[ "$kept" -ge 4 ]
	bench soak "${words[@]}"
	[ "$status" -le 1 ]
	json --argjson kept "$kept" '.notes | any(startswith("\($kept) trials were read from"))'
	json '.self.trials | length == 7'
}

@test "a search that is ended claims no bound that it had not tried" {
	bump --loss every=47 --match 'udp dport 9'
	start_cmd search r "trial 1" nsenter --net=/proc/self/ns/net "$TOOL" bench mlrsearch "eg0@$LAB-a" "eg0@$LAB-b" \
		--sizes 512 --rate 2kpps --settle 1ms --wait 500ms --json
	finish search INT
	is 130
	json '[.parts[].notes[]? | select(contains("the search was ended before it had"))] | length > 0'
	json '[.. | .notes? // empty | .[] | select(test("fails even|forwards the highest load"))] == []'
}

@test "bench does not repeat a trial whose load is far out of reach" {
	local words=(rfc2544 --quick --search mlr --rate 1kpps --trial 300ms --initial-trial 300ms --tests none
		--state "$STATE")

	bump
	bench "${words[@]}"
	is 0
	# As if the first load had not been reached, by another amount each time.
	awk 'NR == 2 { for (i = 1; i <= NF; i++) at[$i] = i }
		NR <= 3 { print; next }
		NR == 4 {
			$at["irregular"] = 1
			nr = split("500 600 400", pps, " ")
			for (i = 1; i <= nr; i++) { $at["sent_pps"] = pps[i]; print }
		}' "$STATE" >"$STATE.new"
	mv "$STATE.new" "$STATE"
	bench "${words[@]}"
	is 0
	json '[.self.trials[:4][].offered_pps] | .[:3] == [1000, 1000, 1000] and (.[3] - 588 | fabs) < 1e-6'
	json '.notes | any(test("^in [0-9]+ of [0-9]+ trials less than the offered load was sent"))'
}

@test "bench says once that it attached a program, why it repeats a trial, and what the highest load is" {
	need_command ethtool
	lab_down
	lab_up --path a-r-b
	ip_in r link set dev ega xdp off
	nsenter --net="/run/netns/$LAB-r" ethtool -K ega gro off
	bench rfc2544 --quick --search mlr --trial 100ms --initial-trial 100ms --tests none
	is 0
	[ "$(grep -c "attached an XDP program that passes everything to the peer 'ega'" <<<"$stderr")" -eq 1 ]
	# 2.3 Mpps, through a router on the sender's own CPU.
	[[ $stderr == *", attempt 2: in the last, "*" % of the load was sent"* ]]
	json '.parts[] | select(.name == "512-byte frames") |
		.notes | any(startswith("the highest load that could be sent is "))'
	# It is gone after the last trial.
	[ "$(ip_in r -json link show ega | jq '.[0].xdp')" = null ]
}

has_carrier() {
	[ "$(ip_in a -json link show eg1 | jq -r '.[0].operstate')" = UP ]
}

# own_ports ADDRESS: the interface of b becomes eg1 of a, and a knows no way from one to the other.
own_ports() {
	ip_in b link set dev eg0 down
	ip_in b link set dev eg0 name eg1
	ip_in b link set dev eg1 netns "$LAB-a"
	ip_in a address add "$1" dev eg1
	ip_in a link set dev eg1 up
	ip_in a route flush scope global
	ip_in a neighbour flush all nud permanent
	wait_for has_carrier
}

own_soak() {
	run --separate-stderr timeout 60 nsenter --net="/run/netns/$LAB-a" "$TOOL" bench soak eg0 eg1 --sizes 512 \
		--rate 1kpps --trial 200ms --duration 200ms --json "$@"
}

@test "two ports of one namespace are tested through a router, and through a switch" {
	local tables

	lab_down
	lab_up --path a-r-b
	own_ports 198.19.0.1/24
	tables=$(ip_in a route && ip_in a rule)
	own_soak
	is 4
	says "no route to '198.19.0.1' through 'eg0'"
	says "if a router is between the ports, give --gateway, its address at 'eg0'"
	own_soak --gateway 198.18.0.253
	is 4
	says "'198.18.0.253' does not answer on 'eg0'"
	own_soak --gateway 198.18.0.x
	is 2
	own_soak --gateway 198.18.0.254
	is 0
	json "$PART"' | .sent_packets > 0 and .lost_packets == 0'
	[ "$(ip_in a route && ip_in a rule)" = "$tables" ]

	lab_down
	lab_up --path a-r-b --middle bridge
	own_ports 198.18.0.2/24
	own_soak
	is 0
	json "$PART"' | .sent_packets > 0 and .lost_packets == 0'
}

# bench_far SUITE WORDS...: b as another host: its own process, reached by a command.
bench_far() {
	# shellcheck disable=SC2046
	run --separate-stderr timeout 100 $(first 40) "$TOOL" bench "$1" "eg0@$LAB-a" eg0 --dest 198.18.0.2 \
		--sizes 512 --settle 1ms --wait 500ms --json "${@:2}"
}

@test "bench to another host finds the inserted loss and rate, and delays only with --clock tai" {
	local far="nsenter --net=/run/netns/$LAB-b '$TOOL'"

	bump --loss every=47 --match 'udp dport 9'
	bench_far soak --receiver "$far" --rate 1kpps --trial 300ms --duration 300ms
	is 1
	loses_each_47th 290
	json '.self.trials[0].delay_min_ns == null and .environment.clock == "monotonic"'
	json '.parts[] | select(.name == "first trial") | .metrics.delay_min_ns == null and
		(.parts[] | select(.name == "receiver").environment.rx_xdp_mode == "native")'
	finish bump INT

	bump --rate 20Mbit --limit "$QUEUE" --delay 2ms
	bench_far soak --receiver "$far" --clock tai --rate 20pps --trial 300ms --duration 300ms
	json --argjson least "$((2000000 + WIRE_NS))" '.self.trials[0] | .sent_packets >= 6 and
		.lost_packets == 0 and .delay_min_ns >= $least and .delay_min_ns < 1e9'
	# All but what the bottleneck sends from the first packet to the last, and the queue, which a short stall
	# does not empty. The first packet may be late, and then the time is shorter than the trial.
	bench_far soak --receiver "$far" --rate 80Mbit --trial 400ms --duration 400ms
	json --argjson pps "$PPS" --argjson queue "$QUEUE" '.self.trials[0] as $trial |
		(.parts[] | select(.name == "first trial").metrics) as $train |
		$trial.irregular == 1 or $trial.pacing_late_max_ns > 5e6 or
		($train.received_packets - $train.duration_ns / 1e9 * $pps - $queue | fabs) <= 3'
}

hook_is_taken() {
	! hook_is_free "$1"
}

@test "a receiver on another host that fails, says other things or ends early is an error, and leaves nothing" {
	local far="nsenter --net=/run/netns/$LAB-b '$TOOL'" words=(soak --rate 500pps --trial 1s --duration 1s)
	local old='{\"format\":1,\"tool\":\"ethgauge 0.0.9\",\"command\":\"sink\"}'

	bench_far "${words[@]}" --receiver "exit 7;"
	is 4
	says "ended with status 7 and without a result"
	bench_far "${words[@]}" --receiver "echo Welcome to host2 #"
	is 4
	says "did not write a result: 'Welcome to host2'"
	# Its stderr is shown, as plain text.
	bench_far "${words[@]}" --receiver "printf '\\033[31mred\\n\\033]0;cut' >&2; exit 7;"
	is 4
	says "?[31mred"
	says "?]0;cut"
	[[ $stderr != *$'\033'* ]]
	bench_far "${words[@]}" --receiver "echo \"$old\" #"
	is 4
	says "the receiver is ethgauge 0.0.9"
	bench_far "${words[@]}" --receiver "nsenter --net=/run/netns/$LAB-r '$TOOL'"
	is 4
	says "the receiver failed: there is no interface 'eg0' here"
	bench_far "${words[@]}" --receiver "$far" --reflector
	is 2
	bench_far rfc8219 --receiver "$far"
	is 2
	says "--clock tai"

	# Killed in the midst of a trial, at either end.
	bench_far "${words[@]}" --receiver "nsenter --net=/run/netns/$LAB-b timeout -s KILL 0.6 '$TOOL'"
	is 4
	says "ended with status 137 and without a result"
	wait_for hook_is_free b
	start_cmd soak r "trial 1" nsenter --net=/proc/self/ns/net "$TOOL" bench "${words[@]}" "eg0@$LAB-a" eg0 \
		--receiver "$far" --dest 198.18.0.2 --sizes 512
	wait_for hook_is_taken b
	finish soak KILL
	wait_for hook_is_free b
}
