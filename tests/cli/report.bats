#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# report over documents of every verb (golden/format-1), and over some that are made up
# (report_docs.py); the schema of documents.

load ../lib/common

GOLDEN=$TOP/tests/golden/format-1

setup() {
	need_command python3
	mkdir "$BATS_TEST_TMPDIR/work"
	cd "$BATS_TEST_TMPDIR/work" || return
}

# report WORDS...: without privileges, which it needs none of.
report() {
	run --separate-stderr timeout 60 "$TOOL" report "$@"
}

# refuses STATUS TEXT WORDS...
refuses() {
	report "${@:3}"
	[ "$status" = "$1" ] || fail "status $status of ${*:3}: $output $stderr"
	[[ $stderr == *"$2"* ]] || fail "not said: '$2', but: $stderr"
}

made_up() {
	"$BATS_TEST_DIRNAME/report_docs.py" "$@"
}

page_text() {
	"$BATS_TEST_DIRNAME/html_check.py" "$@"
}

browse() {
	command -v chromium >/dev/null || command -v google-chrome >/dev/null ||
		cannot chromium "a Chromium" --browser || return
	command -v pdftotext >/dev/null || cannot pdftotext "the program pdftotext" --browser || return
	timeout 120 "$BATS_TEST_DIRNAME/browse.py" "$@"
}

# are_pictures FILE...: well-formed SVG in which nothing runs.
are_pictures() {
	/usr/bin/python3 - "$@" <<-'END'
		import sys
		from xml.dom import minidom
		for file in sys.argv[1:]:
		    if minidom.parse(file).getElementsByTagName("script"):
		        sys.exit("a script in %s" % file)
	END
}

# figures FILE.csv... -- [PART SECTION ROW KEY]...: the values, a line each, in the order of the files'
# rows.
figures() {
	/usr/bin/python3 - "$@" <<-'END'
		import csv, sys
		at = sys.argv.index("--")
		words = sys.argv[at + 1:]
		wanted = [tuple(words[i:i + 4]) for i in range(0, len(words), 4)]
		for file in sys.argv[1:at]:
		    with open(file, newline="") as source:
		        for row in csv.DictReader(source):
		            if (row["part"], row["section"], row["row"], row["key"]) in wanted:
		                print(row["value"])
	END
}

@test "documents of format 1 of every verb make a page, Markdown, CSV and pictures" {
	local file name

	for file in "$GOLDEN"/*.json; do
		name=$(basename "$file" .json)
		report "$file" -o "$name.html" --md "$name.md" --csv "$name.csv" --svg plots
		[ "$status" = 0 ] || fail "$file: $stderr"
		[ -z "$stderr" ]
		grep -q "^## " "$name.md"
	done
	# Of each page the title and the heading.
	page_text ./*.html >text
	[ "$(grep -cxF "ethgauge report" text)" = "$(($(compgen -G "$GOLDEN/*.json" | wc -l) * 2))" ]
	[ "$(figures ./*.csv -- "" "" 0 command)" = "$(cd "$GOLDEN" && for file in *.json; do
		jq -r .command "$file"; done)" ]
	are_pictures plots/*.svg
	[ -z "$(find . -name '*.??????' ! -name '*.*.*')" ]
}

@test "the page has verdicts, figures with units, limits, and the definition of each figure" {
	report "$GOLDEN"/{probe,sweep,blast-sink}.json -o page.html
	[ "$status" = 0 ]
	[ "$output" = "3 documents: page.html" ]
	page_text page.html >text
	grep -qF "1 verdict passed" text
	grep -qF "the ledger adds up" text
	grep -qF "$(jq -r '.metrics.sent_packets' "$GOLDEN/probe.json" | sed 's/...$/,&/')" text
	# 10 Gbit/s and 64 bytes, RFC 2544 appendix B; sweep's cells.
	grep -qF "limit of the link, 64: 14.88 Mpps" text
	grep -qE "sent rate: batch by frame-bytes" text
	grep -qF "$("$TOOL" help metrics | awk -F '\t' '$1 == "rtt_p50_ns" { print $4 }')" text
	grep -qF "data-x=\"1 " page.html
}

# headlines DOCUMENT...: of each its headline.
headlines() {
	local file

	for file; do
		report "$file" -o page.html
		sed -n 's/.*<p class="headline">\(.*\)<\/p>.*/\1/p' page.html | sed "s/&#39;/'/g"
	done
}

@test "the page of a run begins with one sentence: rate, loss, delay, and what limited it" {
	headlines "$GOLDEN"/{probe,blast,blast-sink,udp,demo,watch,load,bench,sweep}.json >heads
	diff heads - <<-'END'
		received 5.000 kpps of 5.000 kpps; 0 of 20,011 lost; round trip p50 1.400 us, p99 3.952 us
		sent 19.72 kpps; limited by the sender's CPU
		received 20.00 kpps of 20.00 kpps; 0 of 10,007 lost; one-way delay p50 286 ns, p99 708 ns
		goodput 17.53 Mbit/s; 124 of 1,699 lost (7.2984 %); one-way delay p50 25.98 us, p99 333.4 ms
		received 19.98 kpps to 1.374 Mpps in 5 runs; 0 of 9,120,045 lost
		eg0 rx: saw 9.867 kpps, 6.630 Mbit/s L1; eg0 tx: saw 0.500 pps, 447.9 bit/s L1
		953.3 transactions/s; 0 of 1,907 failed; total p50 3.949 ms, p99 16.32 ms
		64-byte frames: throughput 14.88 kpps; 1518-byte frames: throughput 812.7 pps
		sent rate 216.1 kpps to 444.3 kpps over 6 settings
	END
	headlines "$GOLDEN"/{calibrate,impair,serve,ping}.json >heads
	diff heads - <<-'END'
		exact up to 1.076 Mpps; delay floor p50 374 ns
		saw 40,009 packets; 384 of 40,009 lost (0.96 %)
		tests served: 4
		524,148 transactions/s; 0 of 503 lost; round trip p50 1.096 us, p99 2.576 us
	END
	# Of a loss its share, of an error what it was, of several documents a line each.
	jq '.metrics.lost_packets = 3' "$GOLDEN/probe.json" >lossy.json
	jq '.errors = [{no: 5, what: "the link went away"}]' "$GOLDEN/probe.json" >failed.json
	headlines lossy.json failed.json >heads
	grep -qF "; 3 of 20,011 lost (0.015 %); " heads
	grep -qxF "failed: the link went away" heads
	report lossy.json "$GOLDEN/blast.json" -o page.html --md page.md
	page_text page.html | grep -cF "3 of 20,011 lost" | grep -qx 2
	grep -qE '^\*\*.*3 of 20,011 lost' page.md
}

@test "a page has the command line that makes the same run again" {
	local line

	"$TOOL" calc 10G --rtt 25ms --mtu 9000 -q -o one.json >/dev/null
	line=$(jq -r .command_line one.json)
	report one.json -o page.html --md page.md
	page_text page.html | grep -qxF "$line"
	grep -qxF "    $line" page.md
	eval "\"$TOOL\" ${line#ethgauge } -q -o again.json" >/dev/null
	diff <(jq .config one.json) <(jq .config again.json)
	# Nothing in it is HTML or Markdown.
	jq '.command_line = "a <b>\u001b[0m `x` **y**\n# z"' one.json >hostile.json
	report hostile.json -o page.html --md page.md
	page_text page.html | grep -qF 'a <b>?[0m `x` **y**'
	grep -qxF '    a <b>?[0m `x` **y**?# z' page.md
}

@test "what passed is one line, what failed stands open, and details are folded" {
	jq '.verdicts[3].pass = false' "$GOLDEN/demo.json" >failed.json
	report failed.json -o page.html
	/usr/bin/python3 - page.html "$(jq '.verdicts | length' "$GOLDEN/demo.json")" <<-'END'
		import sys
		from html.parser import HTMLParser
		class Page(HTMLParser):
		    folded, shown, hidden, summaries, at = 0, [], [], [], None
		    def handle_starttag(self, tag, attrs):
		        attrs = dict(attrs)
		        self.folded += tag == "details" and "open" not in attrs
		        self.at = tag
		        if tag == "li":
		            (self.hidden if self.folded else self.shown).append(attrs["class"]) if "class" in attrs else 0
		    def handle_endtag(self, tag):
		        self.folded -= tag == "details"
		    def handle_data(self, data):
		        if self.at == "summary":
		            self.summaries.append(data.strip())
		page = Page()
		page.feed(open(sys.argv[1]).read())
		verdicts = int(sys.argv[2])
		assert page.shown.count("fail") == 1 and "pass" not in page.shown, page.shown
		assert page.hidden.count("pass") == verdicts - 1, page.hidden
		assert "%d of %d verdicts passed" % (verdicts - 1, verdicts) in page.summaries, page.summaries
		for name in ("Environment", "Measurement overhead", "All figures", "Options, all"):
		    assert name in page.summaries, (name, page.summaries)
	END
	page_text page.html | grep -qF "1 of $(jq '.verdicts | length' "$GOLDEN/demo.json") verdicts failed"
	[ "$(stat -c %s page.html)" -lt 300000 ]
}

@test "a percentile is read off where counting the histogram has it, and the greatest value is no spike" {
	report "$GOLDEN/probe.json" -o page.html
	/usr/bin/python3 - page.html "$GOLDEN/probe.json" <<-'END'
		import json, re, sys
		page, doc = open(sys.argv[1]).read(), json.load(open(sys.argv[2]))
		buckets = doc["histograms"]["rtt_ns"]["buckets"]
		total = sum(count for _, count in buckets)
		xs, ys = (list(map(float, text.split())) for text in re.search(
		    r'data-name="round trip" data-xs="([^"]*)" data-ys="([^"]*)" data-steps=""', page).groups())
		assert xs[0] == 1 and abs(xs[-1] / (2 * total) - 1) < 1e-5, (xs[0], xs[-1])
		assert all(a < b for a, b in zip(xs, xs[1:])), "two values at one percentile"
		assert ys[-1] == ys[-2] == buckets[-1][0]
		for share in (0, 0.25, 0.5, 0.9, 0.99, 0.999):
		    below, value = 0, None
		    for low, count in buckets:
		        if value is None and below + count > share * total:
		            value = low
		        below += count
		    read = [y for x, y in zip(xs, ys) if x <= 1 / (1 - share) * 1.000001][-1]
		    assert abs(read / value - 1) <= 0.01, (share, read, value)
	END
	# Times are on a logarithmic axis, and their variation is on one of its own.
	grep -qE '<h4>Times by percentile .*' page.html
	grep -qE 'data-y="[0-9.e+-]+ [0-9.e+-]+ log ns" aria-label="Times by percentile"' page.html
	grep -qE 'aria-label="Variation of times by percentile"' page.html
	page_text page.html >text
	grep -qF "rtt |ipdv|" text
	run ! grep -qE 'rtt_(pdv|ipdv_abs)_ns$' text
}

@test "a ledger that lost packets is a picture whose heights are its counts" {
	jq '(.parts[] | select(.name == "ledger").entries) = ([
		{packets: 4584, reason: "received"}, {packets: 13425, reason: "QDISC_DROP", place: "f", where: "lab-r:egb"},
		{packets: 2000, reason: "IP_INHDR", place: "ip_forward", where: "lab-r:ega"},
		{packets: 2, reason: "unattributed"}])' "$GOLDEN/blast-sink.json" >lossy.json
	report lossy.json -o page.html
	[ "$status" = 0 ]
	page_text page.html >text
	grep -qF "13,425 (67.1 %) QDISC_DROP in f, lab-r:egb" text
	grep -qF "2 (0.01 %) unattributed" text
	grep -qF "20,011sent" text
	/usr/bin/python3 - page.html <<-'END'
		import re, sys
		page = open(sys.argv[1]).read()
		picture = re.search(r'<svg class="chart flow".*?</svg>', page, re.S).group()
		bars = re.findall(r'<path class="(got|gone|unknown|all)" d="M[\d.]+ ([\d.]+)h[\d.]+v([\d.]+)', picture)
		heights = {}
		for kind, _, high in bars:
		    heights.setdefault(kind, []).append(float(high))
		whole = heights["all"][0]
		for kind, at, packets in (("got", 0, 4584), ("gone", 0, 13425), ("gone", 1, 2000)):
		    assert abs(heights[kind][at] / whole - packets / 20011) < 0.001, (kind, heights)
		assert 1 <= heights["unknown"][0] <= 2
		ups = [float(up) for up in re.findall(r'<text x="[\d.]+" y="([\d.]+)"><title>', picture)]
		assert all(b - a >= 15 for a, b in zip(ups, ups[1:])), ups
	END
	# Nothing lost: no picture.
	report "$GOLDEN/blast-sink.json" -o page.html
	run ! grep -qF "Where the packets went" page.html
}

# factored FACTOR SIDE: seven documents of SIDE, with a delay of FACTOR times the sample's.
factored() {
	local i

	mkdir "$2"
	for i in 0 1 2 3 4 5 6; do
		jq --argjson f "$1" --argjson i "$i" '.metrics.rtt_p50_ns = (.metrics.rtt_p50_ns * ($f + $i / 500) | floor)
			| .environment.date = "2026-11-22T02:0\($i):10Z"' "$GOLDEN/probe.json" >"$2/$i.json"
	done
}

@test "two FILEs of like runs stand side by side with compare's verdicts, others without" {
	factored 1 old
	factored 1.5 new
	report old new -o page.html
	[ "$status" = 0 ] || fail "$stderr"
	page_text page.html >text
	"$TOOL" compare old new --json --all >judged.json || true
	/usr/bin/python3 - page.html judged.json <<-'END'
		import json, re, sys
		page = open(sys.argv[1]).read()
		rows = {row["metric"]: row["verdict"] for row in json.load(open(sys.argv[2]))["comparison"]["rows"]}
		assert rows["rtt_p50_ns"] == "worse", rows
		shown = re.search(r'<tr class="(\w+)"><th title="[^"]*">round trip p50</th><td class="n">1.4\d\d us</td>'
		                  r'<td class="n">2.1\d\d us</td><td class="n">\+(\S+) %</td><td title="[^"]*">(\w+)</td>', page)
		assert shown and shown.group(1) == shown.group(3) == "worse" and 45 < float(shown.group(2)) < 55, shown
		same = re.search(r'<tr class="(\w+)"><th title="[^"]*">round trip p99</th>', page).group(1)
		assert same == rows["rtt_p99_ns"] == "same", same
	END
	# Of one run a side nothing is decided, and of unlike ones the reason is said.
	report old/0.json new/0.json -o page.html
	grep -qE '<tr class="inconclusive"><th title="[^"]*">round trip p50</th>' page.html
	jq '.config.rate = "7pps"' new/0.json >other.json
	report old/0.json other.json -o page.html
	page_text page.html >text
	grep -qF "Not judged: 'old/0.json' cannot be compared with 'other.json': config rate" text
	report old/{0,1,2}.json -o page.html
	page_text page.html >text
	run ! grep -qE "Not judged|verdict$" text
	[ "$(grep -oE '<th title="[^"]*">round trip p50</th>(<td class="n" data-v="[0-9]+">[^<]*</td>){3}' page.html | wc -l)" = 1 ]
}

@test "the rates of both ends are in one plot, at the times when they were taken" {
	local row='{elapsed_ns: (. * 1000000000), KEY: 1000}'

	jq -n "[range(1; 5) | ${row/KEY/sent_pps}] as \$rows | {format: 1, tool: \"ethgauge\", command: \"blast\",
		environment: {date: \"2026-11-22T02:00:12Z\"}, metrics: {}, series: \$rows}" >blast.json
	jq -n "[range(1; 9) | ${row/KEY/received_pps}] as \$rows | {format: 1, tool: \"ethgauge\", command: \"sink\",
		environment: {date: \"2026-11-22T02:00:10Z\"}, metrics: {}, series: \$rows}" >sink.json
	report blast.json sink.json -o page.html
	grep -qF 'data-name="blast.json: sent rate" data-xs="3e+09 4e+09 5e+09 6e+09"' page.html
	grep -qF 'data-name="sink.json: received rate" data-xs="1e+09 2e+09 ' page.html
	page_text page.html >text
	run ! grep -qF "Not judged" text
	# Of different days each begins at 0.
	sed 's/2026-11-22/2026-11-23/' sink.json >later.json
	report blast.json later.json -o page.html
	grep -qF 'data-name="blast.json: sent rate" data-xs="1e+09 2e+09 3e+09 4e+09"' page.html
	page_text page.html | grep -qF "since the start of each run"
}

@test "each plot has an address of its own" {
	report "$GOLDEN"/{probe,demo,blast-sink}.json -o page.html
	grep -o '<figure id="[^"]*"' page.html | cut -d '"' -f 2 >ids
	grep -o '<a class="link" href="#[^"]*"' page.html | cut -d '#' -f 2 | tr -d '"' >links
	[ "$(wc -l <ids)" -gt 8 ]
	[ -z "$(sort ids | uniq -d)" ]
	diff ids links
}

@test "a sweep is curves by what it varied, beside theory, also where a study names the figure" {
	command jq '.config.metric = null | .environment.metric = "sent_pps" | .entries |= (. + (.[:2] | map(."frame-bytes" = "9000")))' \
		"$GOLDEN/sweep.json" >study.json
	report study.json -o page.html --svg plots
	[ "$status" = 0 ]
	page_text page.html >text
	grep -qE "sent rate by frame-bytes" text
	grep -qE "sent rate: batch by frame-bytes" text
	grep -qE 'curve c1" data-name="batch 64" data-xs="64 512 1518 9000" data-ys="444318.5 ' page.html
	grep -qE 'curve bound" data-name="limit of the link" data-xs="64 512 1518 9000" data-ys="1.488095e\+07 ' page.html
	are_pictures plots/*.svg
}

@test "throughput is the highest rate without loss, and irregular trials count for nothing" {
	made_up trials >trials.json
	report trials.json -o page.html
	page_text page.html >text
	grep -qF "received rate, 64: 100 kpps" text
	grep -qF "received rate, 512: 50 kpps" text
	# 1 Gbit/s
	grep -qF "limit of the link, 512: 235 kpps" text
	# Of the load that was irregular there is no loss to see.
	[ "$(grep -o 'data-name="64 bytes" data-xs="[^"]*"' page.html | tr ' ' '\n' | grep -c 0000)" = 19 ]
	run ! grep -qE 'data-xs="[^"]*(150000|[" ]7[" ])' page.html
}

@test "a suite shows all its sizes and goals in one plot each, and its trials with their units" {
	made_up suite >suite.json
	report suite.json -o page.html --svg plots
	[ "$status" = 0 ]
	page_text page.html >text
	grep -qF "goal ndr, 64: 50 kpps" text
	grep -qF "goal pdr, 64: 60 kpps" text
	grep -qF "goal ndr, 1518: 40 kpps" text
	# 10 Gbit/s is 812 kpps of the longest: too far above to stand beside them.
	grep -qF "highest offered load, 1518: 70 kpps" text
	grep -qF "The limit of the link is more than 20 times higher." text
	# By load, and without what was irregular.
	grep -qF 'data-xs="0.5 0.9" data-ys="0 0.25"' page.html
	run ! grep -qF "Loss by load<" page.html
	grep -qF "64-byte frames, goal pdr: throughput 60 kpps" text
	grep -qF "<details><summary>31 rows</summary>" page.html
	[ "$(grep -c '<tr class="odd">' page.html)" = 18 ]
	grep -qF '<td class="n" data-v="500000000">500 ms</td>' page.html
	grep -qF '<td class="n" data-v="1234567">1,234,567</td>' page.html
	are_pictures plots/*.svg
}

@test "a service's steps stand beside what was offered, and TCP beside the path's ideal" {
	report "$GOLDEN"/bench-{y1564,rfc6349}.json -o page.html
	[ "$status" = 0 ]
	page_text page.html >text
	grep -qF "512-byte frames, policing: 19.31 Mbit/s" text
	grep -qF "1518-byte frames, policing: 3.462 ms" text
	grep -qF "offered, policing: 20 Mbit/s" text
	grep -qF "received payload, back: 18.7 Mbit/s" text
	grep -qF "ideal, back: 18.83 Mbit/s" text
	grep -qF "idle, there: 10.19 ms" text
	grep -qF "under load, there: 15.45 ms" text
	# What only led to the figures is folded, and no main figure.
	grep -qF "there: transfer time 1.00507 of the ideal; back: transfer time 1.00686 of the ideal" text
	[ "$(grep -c '<summary>\(first trial\|\(there\|back\), UDP at .*\)</summary>' page.html)" = 7 ]
	# An irregular step is the generator's.
	jq '.parts[0].entries[5].generator = "irregular"' "$GOLDEN/bench-y1564.json" >odd.json
	report odd.json -o page.html
	page_text page.html >text
	run ! grep -qF "512-byte frames, policing: " text
	grep -qF "1518-byte frames, policing: " text
}

@test "plots as PNG are whole, wide enough for print, and as many as those in SVG" {
	need_command rsvg-convert
	report "$GOLDEN/sweep.json" --svg vectors --png plots
	[ "$status" = 0 ] || fail "$stderr"
	[ -z "$stderr" ]
	[[ $output == *": plots"* ]]
	[ "$(cd vectors && echo *.svg)" = "$(cd plots && echo * | sed 's/png\>/svg/g')" ]
	/usr/bin/python3 - plots/* <<-'END'
		import struct, sys
		for file in sys.argv[1:]:
		    data = open(file, "rb").read()
		    assert data[:8] == b"\x89PNG\r\n\x1a\n" and data[-8:-4] == b"IEND", file
		    width, height = struct.unpack(">II", data[16:24])
		    assert width == 2560 and height > 400, (file, width, height)
	END
}

@test "without the program that makes PNG the status is 3, and nothing is written" {
	mkdir bin
	run --separate-stderr env PATH="$PWD/bin" "$TOOL" report "$GOLDEN/probe.json" -o page.html --png plots
	[ "$status" = 3 ] || fail "status $status: $stderr"
	[[ $stderr == *"apt install librsvg2-bin"* ]]
	[ "$(echo *)" = bin ] || fail "$(echo *)"
}

@test "a program that makes PNG badly, or is stopped, leaves no half of a picture" {
	mkdir bin
	printf '#!/bin/sh\n[ "$1" = --version ] || { echo half; exit 7; }\n' >bin/rsvg-convert
	chmod +x bin/rsvg-convert
	PATH=$PWD/bin:$PATH refuses 4 "ended with status 7" "$GOLDEN/probe.json" --png plots
	[ -z "$(ls plots)" ] || fail "$(ls plots)"
	printf '#!/bin/sh\n[ "$1" = --version ] || { echo half; kill -KILL $$; }\n' >bin/rsvg-convert
	PATH=$PWD/bin:$PATH refuses 4 "ended with status 137" "$GOLDEN/probe.json" --png plots
	[ -z "$(ls plots)" ] || fail "$(ls plots)"
	printf '#!/bin/sh\n[ "$1" = --version ] || { : >started; echo half; exec sleep 60; }\n' >bin/rsvg-convert
	PATH=$PWD/bin:$PATH "$TOOL" report "$GOLDEN/probe.json" --png plots 3>&- &
	wait_for test -e started
	kill -TERM $!
	status=0
	wait $! || status=$?
	[ "$status" = 143 ] || fail "status $status"
	[ -z "$(ls plots)" ] || fail "$(ls plots)"
}

@test "hostile names are text in every face" {
	made_up hostile >hostile.json
	report hostile.json -o page.html --md page.md --csv page.csv --svg plots
	[ "$status" = 0 ]
	[[ $output$stderr != *$'\x1b'* ]]
	page_text page.html >text
	grep -qF "</script></style></td><script>window.hostile = 1</script>" text
	grep -qF "?[31m ?gnp.exe? ? ?" text
	run ! grep -qE '<(script|img)' page.md
	grep -qF "?\\[31m ?gnp.exe? ? ?" page.md
	grep -qF "?[31m ?gnp.exe? ? ?" page.csv
	"$BATS_TEST_DIRNAME/../lib/plain.py" page.html page.md page.csv
	[ "$(figures page.csv -- "" config 0 "'=cmd|' /C calc'!A0")" = "'=1+1" ]
	are_pictures plots/*.svg
	# No name leads out of the directory.
	[ -z "$(find . -mindepth 2 ! -path './plots/*.svg')" ]
}

@test "in a browser a page opens without console messages, zooms, shows values, sorts" {
	report "$GOLDEN"/{probe,blast-sink,sweep,watch}.json -o page.html
	made_up suite >suite.json
	report suite.json -o suite.html
	made_up hostile >hostile.json
	report hostile.json -o hostile.html
	browse page.html suite.html hostile.html
}

@test "in a browser a page is printed without half-empty pages" {
	local document

	for document in "$GOLDEN"/{bench,calibrate,demo,probe,sink,sweep,tcp,watch}.json; do
		report "$document" -o "$(basename "$document" .json).html"
	done
	browse --print ./*.html
}

@test "a page that was tampered with runs nothing" {
	report "$GOLDEN/probe.json" -o page.html
	sed -i 's/"use strict";/"use strict"; /' page.html
	run page_text page.html
	[ "$status" != 0 ]
	[[ $output == *"script: "* ]]
}

@test "of a long series the extremes are seen, and of a long table the first rows and how many" {
	made_up long 50021 >long.json
	report long.json -o page.html --csv page.csv
	[ "$status" = 0 ]
	[ "$(stat -c %s page.html)" -lt 200000 ]
	page_text page.html >text
	grep -qF "The first 500 of 50021 rows" text
	grep -qE 'data-ys="[^"]*1\.234568e\+08' page.html
	grep -qF "0 throughout: lost" text
	grep -qF "Plots show the first 50000" text
	[ "$(figures page.csv -- "" series 16674 rtt_max_ns "" entries 50021 number | sort -n | paste -sd ' ')" = \
		"50020 123456789" ]
	# A pipe is as good as a file, also where it brings a document in many pieces.
	made_up long 5003 >long.json
	report long.json --csv page.csv
	report /dev/stdin --csv piped.csv < <(cat long.json)
	cmp <(cut -d , -f 2- page.csv) <(cut -d , -f 2- piped.csv)
	[ "$(wc -l <piped.csv)" -gt 10006 ]
}

# ends_by_signal WORDS...: TERM ends it within a second, while it reads.
ends_by_signal() {
	local pid began

	"$TOOL" "$@" >said 2>&1 3>&- &
	pid=$!
	sleep 0.3
	began=$(date +%s%3N)
	kill -TERM $pid
	status=0
	wait $pid || status=$?
	[ "$status" = 143 ] || fail "status $status: $(cat said)"
	[ $(($(date +%s%3N) - began)) -lt $((1000 * TESTS_SLOW)) ] || fail "$* took $(($(date +%s%3N) - began)) ms"
	! grep -q "cannot\|is not" said || fail "$(cat said)"
}

@test "an endless input is refused, and a signal ends its reading" {
	local writer

	run --separate-stderr timeout 60 "$TOOL" report /dev/zero -o page.html
	[ "$status" = 2 ]
	[[ $stderr == *"'/dev/zero' has more than 256 MiB"* ]]
	run --separate-stderr timeout 60 "$TOOL" compare /dev/zero /dev/zero
	[ "$status" = 2 ]
	[ ! -e page.html ]
	# Without a writer it waits in open(), with one in read().
	mkfifo unopened silent
	sleep 60 1<>silent 3>&- &
	writer=$!
	ends_by_signal report unopened -o page.html
	ends_by_signal report silent -o page.html
	ends_by_signal compare "$GOLDEN/probe.json" silent
	kill $writer
	{
		printf '{"series":['
		yes '{"elapsed_ns":1},' | head -n 4000000
	} >long.json
	ends_by_signal report long.json -o page.html
	[ ! -e page.html ]
}

@test "bad input of every kind is an error that names the file, and leaves nothing" {
	echo '{"format":1' >cut.json
	echo '{"format":2,"tool":"x","command":"y"}' >newer.json
	mkdir empty
	refuses 2 "FILE is missing"
	refuses 2 "no such file: 'missing.json'" missing.json
	refuses 2 "'cut.json' is not JSON" "$GOLDEN/probe.json" cut.json -o page.html --csv page.csv
	refuses 2 "'newer.json' has format 2" newer.json
	while read -r words; do
		echo "$words" >odd.json
		refuses 2 "'odd.json' is not JSON: document 1, line " odd.json
	done <<-END
		{"format":1,"format":1}
		{"format":1 "tool":"x"}
		{"format":1,"parts":[{"name":"x"} {}]}
		{"format":1,"series":[{"elapsed_ns":1},]}
		{"format":1,"entries":[{"a":1]}
		{"format":1,7:8}
		[{"format":1}
		$(printf '{"parts":[%.0s' {1..200})
		7
	END
	rm odd.json
	refuses 2 "'empty' has no .json" empty
	refuses 4 "/no-such-directory/x" "$GOLDEN/lab.json" -o /no-such-directory/x
	refuses 4 "cannot make the directory '/proc/x'" "$GOLDEN/lab.json" --svg /proc/x
	[ "$(echo *)" = "cut.json empty newer.json" ] || fail "$(echo *)"
}

@test "with nothing else asked for, the page is report.html" {
	report "$GOLDEN/lab.json" --csv lab.csv
	[ "$(echo *)" = lab.csv ] || fail "$(echo *)"
	report "$GOLDEN/lab.json"
	[ "$status" = 0 ]
	[ -s report.html ]
	"$TOOL" report --help | grep -cE -- '-o, --output' | grep -qx 1
}

@test "page, Markdown and CSV go to stdout for -, one at a time and whole" {
	local run=$GOLDEN/blast-sink.json face

	report "$run" -o page --md md --csv csv
	[ "$status" = 0 ]
	for face in "-o page" "--md md" "--csv csv"; do
		"$TOOL" report "$run" "${face% *}" - >stdout
		cmp stdout "${face#* }"
	done
	rm page md csv stdout
	refuses 2 "only one output can go to stdout" "$run" --md - --csv -
	refuses 2 "only one output can go to stdout" "$run" --md - --json
	run --separate-stderr "$TOOL" calc 10G -o -
	[ "$status" = 2 ]
	[[ $stderr == *"a file is required, not stdout"*"--json prints the document"* ]]
	[ -z "$(ls -A)" ]
	# More than a buffer: the first write that fails is not the last.
	run --separate-stderr bash -c '"$1" report "$2" --md - >/dev/full' bash "$TOOL" "$run"
	[ "$status" = 4 ]
	[[ $stderr == *"cannot write the result to stdout: No space left on device"* ]]
	mkfifo "$BATS_TEST_TMPDIR/pipe"
	# shellcheck disable=SC2016 # expanded there
	run --separate-stderr bash -c 'trap "" PIPE; exec 4<>"$3" 5>"$3" 4<&-; "$1" report "$2" --md - >&5' \
		bash "$TOOL" "$run" "$BATS_TEST_TMPDIR/pipe"
	[ "$status" = 4 ]
	[[ $stderr == *"cannot write the result to stdout: Broken pipe"* ]]
}

@test "the schema of documents is that of the tool, and rejects an unknown key" {
	"$TOP/scripts/gen-schema" "$TOOL" | cmp - "$TOP/docs/result.schema.json" || fail "run: make schema"
	need_module jsonschema
	"$TOP/scripts/check-documents" "$GOLDEN"/*.json
	jq '.parts[0].metrics.sent_pakets = 7' "$GOLDEN/demo.json" >odd.json
	run "$TOP/scripts/check-documents" odd.json
	[ "$status" = 1 ]
	[[ $output == *"demo: parts/0/metrics: "*sent_pakets* ]]
}

# refused FILTER FILE WHERE: FILE, changed by FILTER, is against the schema at WHERE.
refused() {
	jq -c "$1" "$2" >odd.json
	run "$TOP/scripts/check-documents" odd.json
	[ "$status" = 1 ] || fail "accepted: $1"
	[[ $output == *"$3"* ]] || fail "$output"
}

@test "the schema rejects negative counts, a document without figures, and lines that are no interval's" {
	need_module jsonschema
	# Only a row may take back what another counted as lost.
	jq -c '.series[0].lost_packets = -3' "$GOLDEN/sink.json" >row.json
	jq -c '.series[] | {type: "interval", part: "x"} + .' row.json >lines.json
	"$TOP/scripts/check-documents" row.json lines.json
	refused '.metrics.lost_packets = -3' "$GOLDEN/sink.json" "sink: metrics/lost_packets"
	refused '.metrics.received_bytes = -3' "$GOLDEN/sink.json" "sink: metrics/received_bytes"
	refused '.series[0].received_packets = -3' "$GOLDEN/sink.json" "sink: series/0/received_packets"
	refused 'del(.series[0].elapsed_ns)' "$GOLDEN/sink.json" "sink: series/0"
	refused 'del(.metrics)' "$GOLDEN/sink.json" "has figures of its own"
	refused 'del(.parts[].metrics)' "$GOLDEN/watch.json" "watch: "
	refused '.received_pakets = 7' lines.json "interval: "
	refused '.received_packets = -1' lines.json "interval: received_packets"
	refused 'del(.elapsed_ns)' lines.json "interval: "
	refused '.type = "state"' lines.json "interval: type"
	# A run that failed may have none.
	jq -c 'del(.metrics) | .errors = [{no: 5, what: "x"}]' "$GOLDEN/sink.json" >failed.json
	"$TOP/scripts/check-documents" failed.json
}
