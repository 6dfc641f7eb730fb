# SPDX-License-Identifier: GPL-2.0-or-later
# ethgauge bench rfc6349, through a bump whose rate, delay and MTU are known.

load ../lib/common
load ../lib/lab

setup() {
	need_root
	need af-xdp
	need_command chrt
	lab_up --path a-r-b --middle open
}

@test "bench rfc6349 finds MTU, round trip and bottleneck, and holds TCP against them" {
	# shellcheck disable=SC2046
	start_cmd bump r impairing $(first 50) "$TOOL" impair ega egb --rate 20Mbit --limit 40 --delay 5ms \
		--direction both
	# shellcheck disable=SC2046
	start_cmd serve b "serving on" $(first 40) "$TOOL" serve --open
	# shellcheck disable=SC2046
	run --separate-stderr timeout 60 nsenter --net="/run/netns/$LAB-a" $(first 40) "$TOOL" bench rfc6349 \
		198.18.0.2 --quick --duration 1s --way there --json
	is 0
	json '.environment.suite == "rfc6349-quick" and .metrics.path_mtu_bytes == 1500'
	json '.metrics.baseline_rtt_ns >= 1e7 and .metrics.baseline_rtt_ns < 2e7'
	# A sender without a CPU may not reach the bottleneck, which is reported; it never finds a higher one.
	json '([.notes[]? | contains("all UDP that this host can send arrived")] | any) as $short |
		[.parts[] | select(.name == "there") | .metrics] | length == 1 and all(
		(.bottleneck_l1_bps / 20e6 - 1) as $off |
		$off < 0.02 and ($short or ($off > -0.02 and .transfer_time_factor > 0.95)) and
		(.tcp_ideal_bps / (.bottleneck_l1_bps * 1448 / 1538) - 1 | fabs) < 1e-3 and
		(.transfer_time_factor * .payload_received_bps / .tcp_ideal_bps - 1 | fabs) < 1e-6 and
		.tcp_efficiency_ratio <= 1 and .tcp_rtt_mean_ns >= 1e7)'

	# A given bottleneck is used unchanged, and no UDP is sent; an impossible one is refused.
	run --separate-stderr timeout 60 nsenter --net="/run/netns/$LAB-a" "$TOOL" bench rfc6349 198.18.0.2 \
		--quick --duration 500ms --way back --bottleneck 1Mbit --json
	is 0
	json '(.parts | map(.name) == ["baseline", "back"]) and .parts[1].metrics.bottleneck_l1_bps == 1e6'
	json '.parts[1].notes | any(contains("above the ideal"))'
}

@test "bench rfc6349 says that there is no server, and which words it does not take" {
	run --separate-stderr timeout 30 nsenter --net="/run/netns/$LAB-a" "$TOOL" bench rfc6349 198.18.0.1 --quick
	is 4
	says "ethgauge serve"
	[ -z "$output" ]	# what was not measured has no notes
	run --separate-stderr "$TOOL" bench rfc6349 198.18.0.2 --bottleneck 1Mpps
	is 2
	says "--bottleneck: bits per second"
	run --separate-stderr "$TOOL" bench rfc6349 198.18.0.2 -4 -6
	is 2
}
