#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# bats file_tags=net
# reflect --stamp and probe --twamp-light with what is not ours: stamp-suite's sender and twamp-rs's
# reflector (crates.io). Senders in a, reflectors in b.

load ../lib/common
load ../lib/lab

# The key as stamp-suite wants it.
HEX=000102030405060708090a0b0c0d0e0f
EXTENSIONS=(--cos --dscp 10 --location --timestamp-info --direct-measurement --follow-up-telemetry
	--access-report 1 --extra-padding 61)

setup() {
	need_root
	need_command jq /usr/bin/python3
	(umask 077 && echo $HEX >"$BATS_TEST_TMPDIR/hex")
	printf '\0\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17' >"$BATS_TEST_TMPDIR/key"
}

# reflect OPTIONS...: ours in b; on veth what it sends takes an XDP program in a, too.
reflect() {
	start sink a sink eg0
	start reflect b reflect eg0 --stamp "$@"
}

# suite OPTIONS...: 101 packets of stamp-suite's sender; its summary becomes $output.
suite() {
	run --separate-stderr in_a stamp-suite -c 101 -d 2 -L 2 --ssid 4711 --output-format json "$@"
	is 0
	output=$(grep '^{"type":"summary"' <<<"$output")
	json '.packets_sent == 101 and .packets_received == 101 and .packets_lost == 0 and
		.measurements.duplicate_replies == 0 and .measurements.reordered_replies == 0 and
		.owd.samples == 101 and .owd.forward_min_ms > 0 and .owd.reverse_min_ms > 0'
}

# It holds each extension against its question. An access report is sent until it is acknowledged.
has_all_extensions() {
	json --argjson unknown "$1" '.measurements.tlv_validation |
		.rejected_replies == 0 and .flags.malformed == 0 and .flags.integrity_failed == 0 and
		.flags.unrecognized == $unknown and
		([.by_type[["1", "2", "3", "4", "5", "7"][]].observed] | all(. == 101)) and
		.by_type["6"].observed >= 1'
}

@test "stamp-suite's sender takes our answers, of both formats, both versions of IP and all extensions" {
	need_command stamp-suite
	lab_up
	reflect --stateful
	suite -r 198.18.0.2
	json '.measurements.last_reflector_sequence == 100 and .owd.clock_quality.last_reflector.format == "NTP"'
	suite -r 2001:2::2 -S :: -K PTP
	json '.owd.clock_quality.last_reflector.format == "PTP"'
	suite -r 198.18.0.2 "${EXTENSIONS[@]}"
	has_all_extensions 0
	json '.measurements | .direct_measurement.forward_missing == 0 and
		.direct_measurement.reverse_missing == 0 and .follow_up.matched == 100 and
		.follow_up.unmatched == 0'
	finish reflect INT
	json '.metrics | .answered_udp_packets >= 303 and .refused_packets == 0 and .stamp_sessions == 3'
	# Without sessions there is nothing counted: direct measurement is the one not understood.
	start reflect b reflect eg0 --stamp
	suite -r 198.18.0.2 "${EXTENSIONS[@]}"
	has_all_extensions 101
}

@test "stamp-suite's sender proves our authenticated packets and extensions, and we drop its with another key" {
	need_command stamp-suite
	lab_up
	reflect --stateful --auth --key-file "$BATS_TEST_TMPDIR/key"
	suite -r 198.18.0.2 "${EXTENSIONS[@]}" --auth-mode A --hmac-key-file "$BATS_TEST_TMPDIR/hex" \
		--verify-tlv-hmac
	has_all_extensions 0
	json '.measurements.tlv_validation.hmac | .verified == 101 and .failed == 0 and .missing == 0'
	echo ff${HEX:2} >"$BATS_TEST_TMPDIR/hex"
	run in_a stamp-suite -r 198.18.0.2 -c 7 -d 2 -L 1 --auth-mode A \
		--hmac-key-file "$BATS_TEST_TMPDIR/hex" --output-format json
	grep '^{"type":"summary"' <<<"$output" | holds '.packets_received == 0'
	finish reflect INT
	json '.metrics.refused_forged_packets == 7'
}

@test "what stamp-suite malforms is answered as RFC 8972 4 says" {
	need_command stamp-suite
	lab_up
	reflect
	suite -r 198.18.0.2 --malformed bad-length
	suite -r 198.18.0.2 --malformed bad-flags
	finish reflect INT
	json '.metrics | .stamp_tlvs == 202 and .stamp_malformed_tlvs == 101 and .answered_udp_packets == 202'
}

@test "with our counters, stamp-suite reports return loss as return loss" {
	need_command stamp-suite
	lab_up --path a-r-b --middle open
	start bump r impair ega egb --direction b-to-a --match "udp sport 862" -d 60s --interval 0s \
		--loss list=10,11,50
	reflect --stateful
	run --separate-stderr in_a stamp-suite -c 101 -d 2 -L 1 --ssid 4711 --output-format json \
		-r 198.18.0.2 --direct-measurement
	output=$(grep '^{"type":"summary"' <<<"$output")
	json '.packets_lost == 3 and (.measurements.direct_measurement |
		.forward_missing == 0 and .reverse_missing == 3)'
}

@test "twamp-rs's reflector answers our TWAMP Light packets" {
	responder --version 2>/dev/null | grep -q ^twamp-rs || cannot twamp-rs "the program responder of twamp-rs" --crates
	lab_up
	start_cmd server b "Listening" env RUST_LOG=info sh -c 'exec responder -a 198.18.0.2 >&2'
	start_cmd session a "reflecting on 20001" "$TOP/tests/net/twamp_control.py" 198.18.0.2 198.18.0.1 \
		5001 20001
	tool_in a probe --twamp-light 198.18.0.2 -p 20001 --src-port 5001 -c 101 -r 500pps \
		--reflector-mode stateful --json
	is 0
	# It writes nanoseconds where NTP has units of 2^-32 s, and answers each packet in a task
	# of its own, in any order: times and order are not checked.
	json '.metrics | .sent_packets == 101 and .received_packets == 101 and .lost_packets == 0 and
		.out_lost_packets == 0 and .back_lost_packets == 0 and .duplicate_packets == 0 and
		.out_reordered_packets == 0 and (has("stamp_malformed_packets") or has("reflector_restarts") | not)'
}
