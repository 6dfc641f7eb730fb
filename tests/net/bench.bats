# SPDX-License-Identifier: GPL-2.0-or-later
# scripts/bench-run: its output adds up, and nothing is left. No speed
# is asserted. In jq's filters $name is jq's own.
# shellcheck disable=SC2016

load ../lib/common

BENCH=$TOP/scripts/bench-run

setup() {
	need_root
	need_command python3 jq ip taskset
	[ -x "${TOOL%/*}/tests/bench/bare" ] || cannot bare "the bare loop: make bench builds it"
	DOC=$BATS_TEST_TMPDIR/doc.json
}

# bench_start ARGS: in the background as BENCH_PID; its lab is bench$BENCH_PID.
bench_start() {
	"$BENCH" "$@" -o "$DOC" >"$BATS_TEST_TMPDIR/out" 2>"$BATS_TEST_TMPDIR/err" 3>&- &
	BENCH_PID=$!
	defer "$TOOL" lab down --name "bench$BENCH_PID"
	defer kill -9 "$BENCH_PID"
}

bench_end() {
	local ended=0

	timeout 30 tail --pid="$BENCH_PID" -f /dev/null
	wait "$BENCH_PID" || ended=$?
	[ "$ended" = 0 ] || cat "$BATS_TEST_TMPDIR/err"
	return "$ended"
}

no_lab_left() {
	! ip netns list | grep -q "^bench$BENCH_PID-"
}

@test "bench-run writes every run, and its medians and ratios follow from them" {
	bench_start --rounds 2 --seconds 0.3 --frames 64 --only bare/64,live-tagged-full/64,afxdp-tagged/64
	bench_end

	output=$(cat "$DOC")
	json '.format == 1 and .complete and .disagreements == []'
	json '.config.rounds == 2 and (.environment.kernel | length > 0)'
	json '["bare/64", "live-tagged-full/64", "afxdp-tagged/64"] as $ids |
		[.runs[].id] == $ids + $ids'
	json '.runs | all(.received_packets > 0 and .received_packets == .driver_tx_packets)'
	json '.runs | map(select(.id != "bare/64")) | all(.sent_packets == .received_packets)'
	json '.runs | map(select(.id == "live-tagged-full/64")) | all(.lost_packets == 0)'
	json '.runs | all(.received_bytes == 64 * .received_packets)'
	# The median of two is their mean; a ratio is of one round.
	json '. as $d | .rows | all(. as $row | [$d.runs[] | select(.id == $row.id).received_pps] |
		(add / 2 - $row.median_pps | fabs) < 1)'
	json '. as $d | [$d.runs[] | select(.round == 2)] | (.[1].received_pps / .[0].received_pps) as $r |
		$d.ratios[] | select(.of == "live-tagged-full/64" and .to == "bare/64") |
		(.pairs[1] - $r | fabs) < 1e-9'
	no_lab_left
}

@test "bench-run's rate is packets over duration" {
	bench_start --rounds 1 --seconds 0.3 --frames 1518 --only bare/1518,live-untagged/1518
	bench_end

	output=$(cat "$DOC")
	json '.runs | length == 2'
	json '.runs | all(.received_bytes == 1518 * .received_packets)'
	json '.runs | all((.received_packets * 1e9 / .duration_ns / .received_pps - 1 | fabs) < 0.05)'
	json '.runs | all((.received_l1_bps / .received_pps / 8 - 1538 | fabs) < 0.01)'
}

@test "bench-run measures a foreign sender by what arrived" {
	need_command trafgen
	bench_start --rounds 1 --seconds 0.3 --frames 64 --only trafgen
	bench_end

	output=$(cat "$DOC")
	json '.runs | length == 1'
	json '.runs[0].received_packets > 0 and .runs[0].sent_packets == null'
	json '.runs[0].received_bytes == 64 * .runs[0].received_packets'
}

@test "bench-run names a peer that is not there and goes on without it" {
	mkdir "$BATS_TEST_TMPDIR/bin"
	for name in ip nsenter timeout taskset python3 env; do
		ln -s "$(type -P "$name")" "$BATS_TEST_TMPDIR/bin/"
	done
	run --separate-stderr env PATH="$BATS_TEST_TMPDIR/bin" "$BENCH" --rounds 1 \
		--seconds 0.2 --frames 64 --only bare/64,tcpreplay -o "$DOC"

	[ "$status" = 0 ] || fail "$stderr"
	[[ $output == *"skip   tcpreplay: tcpreplay is not installed; sudo scripts/setup --bench"* ]]
	output=$(cat "$DOC")
	json '[.runs[].id] == ["bare/64"] and [.skipped[].row] == ["tcpreplay"]'
}

@test "bench-run cleans up after ^C, and writes the results so far" {
	bench_start --rounds 1 --seconds 0.3 --frames 64 --only bare/64,iperf3/64,live-tagged/64x2
	wait_for grep -q 'bare/64 ' "$BATS_TEST_TMPDIR/err"
	kill -INT "$BENCH_PID"
	ended=0
	bench_end || ended=$?
	[ "$ended" = 130 ]

	output=$(cat "$DOC")
	json '.complete == false and (.runs | length >= 1)'
	no_lab_left
	run pgrep -f "/run/netns/bench$BENCH_PID-"
	[ "$output" = "" ]
}

@test "bench-run refuses a row that there is not, and bad numbers" {
	run -2 "$BENCH" --only nothing -o "$DOC"
	run -2 "$BENCH" --rounds 0 -o "$DOC"
	run -2 "$BENCH" --seconds x -o "$DOC"
	run -2 "$BENCH" --frames 63 -o "$DOC"
	[ ! -e "$DOC" ]
}
