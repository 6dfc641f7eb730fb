#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# bats file_tags=cli
# The full-screen view of watch, whole: a recording at four sizes of the terminal, against golden/watch.

load ../lib/common

GOLDEN=$TOP/tests/golden/watch

# shown: each screen of watch's view of the golden recording, as it is resized, in a file of its own.
# With SCREENS_TO=DIR, DIR gets them, too: to look at them, and to renew the golden ones.
shown() {
	local size

	need_module pyte || return
	cd "$GOLDEN" || return
	LC_ALL=C.UTF-8 "$TOP/tests/lib/screen.py" --size 60x15 \
		"w=█ r80x24=share_of r120x40=gap_p99 r200x60=in_10_ms r59x15=packets/s r60x15 q" \
		-- "$TOOL" watch --replay record.jsonl --speed max --tui >"$BATS_TEST_TMPDIR/all"
	sed -i '1s/w/r60x15-first/' "$BATS_TEST_TMPDIR/all"
	awk -v dir="$BATS_TEST_TMPDIR" '/^== /{ to = $2 ~ /x/ ? dir "/" substr($2, 2) : "/dev/null"; next } { print > to }' "$BATS_TEST_TMPDIR/all"
	for size in 60x15 80x24 120x40 200x60; do
		[ -z "$SCREENS_TO" ] || cp "$BATS_TEST_TMPDIR/$size" "$SCREENS_TO/$size.txt"
	done
}

@test "the full-screen view is the golden one at four sizes, whatever size it had before" {
	local size

	shown
	diff "$BATS_TEST_TMPDIR/60x15-first" "$BATS_TEST_TMPDIR/60x15"
	for size in 60x15 80x24 120x40 200x60; do
		diff "$GOLDEN/$size.txt" "$BATS_TEST_TMPDIR/$size"
	done
}

@test "no screen has a line that is too long, and each has both rates of both directions, and the keys" {
	local size rx tx

	rx=$(jq -r 'select(.type == "state").result.parts[0].series[-1].seen_pps' "$GOLDEN/record.jsonl" | tail -n 1)
	tx=$(jq -r 'select(.type == "state").result.parts[1].series[-1].seen_pps' "$GOLDEN/record.jsonl" | tail -n 1)
	shown
	for size in 60x15 80x24 120x40 200x60; do
		python3 - "$BATS_TEST_TMPDIR/$size" "$rx" "$tx" <<-END
			import re, sys
			lines = open(sys.argv[1], encoding="utf-8").read().split("\n")
			width, height = (int(n) for n in re.findall("[0-9]+", sys.argv[1].rpartition("/")[2]))
			assert len(lines) == height + 1 and all(len(line) <= width for line in lines), (len(lines), width)
			for name, pps in ("eg0 rx", sys.argv[2]), ("eg0 tx", sys.argv[3]):
			    row = next(line for line in lines if name in line)
			    shown = re.search("([0-9.]+) kpps +[0-9.]+ Mbit/s", row)
			    assert abs(float(shown[1]) * 1000 / float(pps) - 1) < 0.001, row
			assert lines[height - 1].startswith("q quit  ? keys"), lines
		END
	done
}
