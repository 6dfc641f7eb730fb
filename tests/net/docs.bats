#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# tests/docs/run itself, on a page of commands that are right or wrong.

load ../lib/common

setup() {
	need_root
	need_command python3 nginx openssl
}

# page: run the commands of standard input, in a code block.
page() {
	{ echo '```' && cat && echo '```'; } >"$BATS_TEST_TMPDIR/page.md"
	run timeout 60 "$TOP/tests/docs/run" "$BATS_TEST_TMPDIR/page.md"
}

@test "a documented command that fails, or prints other words than shown, is found" {
	page <<-'END'
		$ ethgauge calc 10G --no-such
		$ ethgauge calc 1G
		...
		  smallest frames       9.999 Mpps
		...
		$ ethgauge calc 1G
		...
		  smallest packets      1.488 Mpps
		...
		$ (exit 3); echo $?
		4
	END
	[ "$status" = 1 ]
	[[ ${lines[0]} == "not ok 1 2: ethgauge calc 10G --no-such" ]] || fail "$output"
	[ "$(grep -c '^not ok' <<<"$output")" = 3 ] || fail "$output"
	grep -q '^ok . 3: its output is as shown' <<<"$output" || fail "$output"
	grep -q '^not ok . 7: its output is as shown' <<<"$output" || fail "$output"
	grep -q '^not ok . 11: its output is as shown' <<<"$output" || fail "$output"
}

@test "a command that runs beside the page is judged when it ends, or is ended with the page" {
	page <<-'END'
		$ sudo ethgauge lab up
		$ sudo ethgauge lab exec b ethgauge sink eg0 &
		$ sudo ethgauge lab exec a ethgauge sink eg0 -q &
		$ sudo kill $!
		$ sudo ethgauge lab exec a ethgauge sink eg0 -q &
		$ sudo ethgauge lab down
		$ ethgauge serve -q &
	END
	[ "$status" = 1 ] || fail "$output"
	# The interface of two of them vanished.
	[ "$(grep -c '^not ok' <<<"$output")" = 2 ] || fail "$output"
	grep -q '^not ok . 3: ' <<<"$output" || fail "$output"
	grep -q '^not ok . 6: ' <<<"$output" || fail "$output"
}

@test "a command in one terminal runs beside the next one, and ends by its count or by SIGINT" {
	page <<-'END'
		$ sudo ethgauge lab up
		$ sudo ethgauge lab exec b ethgauge sink eg0 -c 1009 --no-loss          # in one terminal
		$ sudo ethgauge lab exec a ethgauge blast eg0 198.18.0.2 -c 1009 -r 5kpps
		$ sudo ethgauge lab exec b ethgauge sink eg0
	END
	[ "$status" = 0 ] || fail "$output"
	[ "$(grep -c '^ok' <<<"$output")" = 4 ] || fail "$output"
}
