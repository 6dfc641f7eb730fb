#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# bats file_tags=net
# What sink and probe write beside their result: records, HdrHistogram's files, series and
# the table of streams; all held against the document, and that against the records.

load ../lib/common
load ../lib/lab

CHECK=$BATS_TEST_DIRNAME/records_check.py

# So that "... | recorded" sets output.
shopt -s lastpipe

setup() {
	need_root
	need_command jq /usr/bin/python3
	lab_up
	cd "$BATS_TEST_TMPDIR" || return
}

# recorded COUNT [OPTIONS of sink] <LINES: records of COUNT hand-made packets in r.csv.
recorded() {
	start sink b sink eg0 --count "$1" --duration 10s --records r.csv "${@:2}"
	send_tags
	finish sink
	is 0
}

# columns LIST [FILE]: of the records without their head, by their place.
columns() {
	tail -n +2 "${2-r.csv}" | cut -d, -f "$1"
}

# checks CHECK ARGS...: the document of the last run, in doc.json, against the files.
checks() {
	printf '%s' "$output" >doc.json
	run "${PYTHON-/usr/bin/python3}" "$CHECK" "$@"
	[ "$status" = 0 ] || fail "$output"
}

# bats test_tags=core
@test "each packet has one record, with its number, its times and what it was" {
	{
		numbers 0 100 | awk '$2 != 7 && $2 != 11'
		echo 0 7
		echo 0 50
		numbers 0 2 3
		numbers 0 4 0 untagged
		numbers 0 6 20
		numbers 101 102 0 untimed
	} | recorded 118
	json '.metrics | .record_packets == 118 and .record_lost_packets == 0 and
		.received_packets == 118'
	[ "$(head -n 1 r.csv)" = \
		stream,sequence,sent_mono_ns,received_mono_ns,delay_ns,frame_bytes,cpu,queue,kind ]
	{
		numbers 0 100 | awk '$2 != 7 && $2 != 11 { print $1 "," $2 "," }'
		printf '0,7,late\n0,50,duplicate\n3,0,\n3,1,\n3,2,\n'
		for _ in {1..5}; do echo ,,untagged; done
		seq -f '20,%.0f,other-stream' 0 6
		printf '0,101,\n0,102,\n'
	} >want
	columns 1,2,9 | diff - want
	[ "$(columns 6 | sort -u)" = 64 ]
	# Times: those of the tag, and none where there was none.
	[ "$(columns 3 | grep -c '^$')" = 7 ]
	[ "$(columns 5 | grep -c '^$')" = 7 ]
	columns 4 | sort -nc
}

@test "records that are thinned out are those of each Nth number" {
	numbers 0 1008 | recorded 1009 --records-every 10
	json '.metrics | .record_packets == 101 and .record_lost_packets == 0 and
		.received_packets == 1009'
	columns 2 | diff - <(seq 0 10 1000)
}

@test "a file that ends in .gz is compressed and has the same lines" {
	start sink b sink eg0 --count 1009 --duration 10s --records r.csv.gz
	numbers 0 1008 | send_tags
	finish sink
	is 0
	gzip -t r.csv.gz
	gzip -dc r.csv.gz >r.csv
	columns 2 | diff - <(seq 0 1008)
}

@test "until the end there is no file of that name, and at ^C there is a whole one" {
	start sink b sink eg0 --records r.csv --hgrm r.hgrm --hlog r.hlog
	numbers 0 210 | send_tags
	run ! compgen -G 'r.*'
	finish sink INT
	is 130
	json '.metrics.record_packets == 211'
	columns 2 | diff - <(seq 0 210)
	[ -s r.hgrm ]
	[ -s r.hlog ]
	[ "$(find . -name 'r.*' | wc -l)" = 3 ]
}

@test "a ring that is too small costs records, each of which is counted, and nothing else" {
	need xdp-live-frames
	start sink b sink eg0 --count 200003 --duration 20s --records r.csv --records-ring 4096
	tool_in a blast eg0 198.18.0.2 --engine live --count 200003 --json
	is 0
	finish sink
	is 0
	json '.metrics | .received_packets == 200003 and .record_lost_packets > 0 and
		.record_packets + .record_lost_packets == 200003 and .lost_packets == 0'
	json '.notes | any(test("records were dropped as the ring was full: see --records-ring"))'
	[ "$(columns 1 | wc -l)" = "$(jq .metrics.record_packets <<<"$output")" ]
}

@test "a sink that ends under traffic has a record of each packet that it counted" {
	need xdp-live-frames
	start blast a blast eg0 198.18.0.2 --engine live --duration 30s
	for _ in {1..5}; do
		tool_in b sink eg0 --count 1009 --duration 20s --json --records r.csv
		is 0
		json '.metrics | .received_packets >= 1009 and .record_lost_packets == 0 and
			.record_packets == .received_packets'
		[ "$(columns 1 | wc -l)" = "$(jq .metrics.received_packets <<<"$output")" ]
	done
}

@test "two CPUs that write records at once lose none and count each on its own" {
	need xdp-live-frames
	[ "$(nproc)" -ge 2 ] || cannot cpus "two CPUs"
	start sink b sink eg0 --count 100003 --duration 20s --records r.csv
	tool_in a blast eg0 198.18.0.2 --engine live --threads 2 --count 100003 --json
	is 0
	finish sink
	is 0
	checks exact r.csv doc.json delay
	[ "$(columns 1,7 | sort -u | wc -l)" -ge 2 ]
}

@test "a full disk is an error with its cause, and the result is still printed" {
	need xdp-live-frames
	mkdir small
	start_cmd sink b "receiving on" unshare -m sh -c \
		'mount -t tmpfs -o size=256k none small && exec "$@"' sh \
		"$TOOL" sink eg0 --duration 20s --records small/r.csv --json
	tool_in a blast eg0 198.18.0.2 --engine live --count 20011 --json
	is 0
	finish sink
	is 4
	says "cannot write 'small/r.csv': No space left on device"
	json '.metrics.received_packets > 0 and .metrics.record_packets == 0'
}

@test "a file that cannot be written is reported before anything is attached" {
	for option in --records --hgrm --hlog; do
		tool_in b sink eg0 --duration 10s $option none/such --json
		is 4
		says "cannot write 'none/such'"
		hook_is_free b
	done
	tool_in b sink eg0 --count-only --records r.csv
	is 2
	says "--count-only and --records are mutually exclusive"
}

@test "every reported figure is that of the records, in all and for each stream" {
	need xdp-live-frames
	start sink b sink eg0 --count 120007 --duration 20s --records r.csv -i 100ms --gaps
	tool_in a blast eg0 198.18.0.2 --engine live --rate 200kpps --count 50021 --json
	is 0
	tool_in a blast eg0 198.18.0.2 --engine live --stream 3 --batch 64 --count 69983 --json
	is 0
	# What comes twice, late and not at all.
	{ numbers 0 2 7; echo 7 5; echo 7 1; echo 7 4; } | send_tags
	numbers 0 100 | awk '$2 != 7' | send_tags
	finish sink
	checks exact r.csv doc.json delay
}

@test "probe records round trips, which are those that it reports" {
	need xdp-live-frames
	start reflect b reflect eg0
	tool_in a probe eg0 198.18.0.2 --count 2003 --rate 5kpps --json --records r.csv.gz \
		--hgrm r.hgrm
	is 0
	json '.metrics.record_packets == 2003'
	[[ $(gzip -dc r.csv.gz | head -n 1) == *,rtt_ns,* ]]
	grep -q 'Total count *= *2003\]' r.hgrm
	checks exact r.csv.gz doc.json rtt
}

# The package hdrhistogram: of this machine, or where scripts/setup --peers puts it.
need_hdrhistogram() {
	for PYTHON in /usr/bin/python3 "$PEERS/venv/bin/python3"; do
		! "$PYTHON" -c 'import hdrh' 2>/dev/null || return 0
	done
	cannot hdrhistogram "the Python package hdrhistogram" --peers
}

@test "hdrhistogram reads the log and the table, and finds the figures of the document" {
	need xdp-live-frames
	need_hdrhistogram
	start sink b sink eg0 --count 60013 --duration 20s --interval 100ms --hgrm r.hgrm --hlog r.hlog
	tool_in a blast eg0 198.18.0.2 --engine live --rate 100kpps --count 30011 --json
	is 0
	tool_in a blast eg0 198.18.0.2 --engine live --stream 5 --count 30002 --json
	is 0
	finish sink
	is 0
	[ "$(grep -c '^[0-9]' r.hlog)" -ge 3 ]
	checks hdr r.hgrm r.hlog doc.json delay
	# Without intervals the log is one line, and has the very counts of the table.
	start sink b sink eg0 --count 30011 --duration 20s --interval 0 --hgrm r.hgrm --hlog r.hlog
	tool_in a blast eg0 198.18.0.2 --engine live --count 30011 --json
	finish sink
	checks hdr r.hgrm r.hlog doc.json delay
}

# rows_have N: the rows so far hold N packets.
rows_have() {
	[ "$(jq -s 'map(.received_packets) | add' "$BATS_TEST_TMPDIR/sink.out")" = "$1" ]
}

@test "rows of the series have the delay's whole distribution, loss, order and duplicates" {
	start_cmd sink b "receiving on" "$TOOL" sink eg0 --count 401 --duration 20s -i 50ms --jsonl
	{ numbers 0 200 | awk '$2 != 7 && $2 != 50'; echo 0 7; echo 0 8; } | send_tags
	wait_for rows_have 201
	numbers 201 399 | send_tags
	wait_for rows_have 400
	echo 0 400 | send_tags
	finish sink
	is 0
	output=$(grep '"type":"interval"' <<<"$output" | jq -s .)
	json 'map(select(.received_packets > 0)) | length >= 2 and all(
		([.delay_min_ns, .delay_p50_ns, .delay_p90_ns, .delay_max_ns] | map(values) | . == sort) and
		has("delay_p50_ns") == (.received_packets >= 20) and
		has("delay_p90_ns") == (.received_packets >= 100) and (has("delay_p99_ns") | not) and
		.delay_mean_ns >= .delay_min_ns and .delay_mean_ns <= .delay_max_ns)'
	json 'map(select(.received_packets == 0)) | all(has("delay_p50_ns") | not)'
	json '(map(.reordered_packets) | add) == 1 and (map(.duplicate_packets) | add) == 1 and
		(map(.lost_packets) | add) >= 1'
}

# 1019 streams, whose counts are all different: 7 of the first, 8 of the second, and so on.
@test "of a thousand streams that are sent at once every one is counted exactly" {
	need xdp-live-frames
	local streams=1019 first=7 sum

	sum=$((streams * first + streams * (streams - 1) / 2))
	{
		echo flows:
		for ((i = 0; i < streams; i++)); do
			echo "  - {packet: ip4(dst=198.18.0.2)/udp(dport=9), rate: 500pps," \
				"duration: {fixed_packets: {packets: $((first + i))}}}"
		done
	} >streams.yaml
	start sink b sink eg0 --max-streams "$streams" --count "$sum" --duration 25s --stream-parts 5
	tool_in a blast eg0 --streams streams.yaml --json
	is 0
	json --argjson n "$sum" '.metrics.sent_packets == $n'
	finish sink
	is 0
	json --argjson n "$sum" --argjson streams "$streams" '.metrics | .received_packets == $n and
		.distinct_packets == $n and .lost_packets == 0 and .streams == $streams'
	json --argjson streams "$streams" '[.streams[].stream] == [range($streams)]'
	json --argjson first "$first" 'all(.streams[]; .received_packets == .stream + $first and
		.distinct_packets == .received_packets and .delay_packets == .received_packets and
		.lost_packets == 0 and (if .delay_packets < 20 then .delay_p50_ns == null else
			.delay_min_ns <= .delay_p50_ns and .delay_p50_ns <= .delay_max_ns end))'
	json '[.parts[].name] == ["stream 0", "stream 1", "stream 2", "stream 3", "stream 4"]'
	json '.notes | any(test("1019 streams, of which only the first 5"))'
}
