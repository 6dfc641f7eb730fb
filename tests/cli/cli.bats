#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# The command line itself: words, exit codes, output files. What needs root says so.

load ../lib/common

verbs() {
	"$TOOL" --help | awk '/^  [a-z]+ +[^ ]/ && !/^  *ethgauge/ { print $1 }'
}

# One call of each verb that does work, with arguments that are right in form.
calls() {
	printf '%s\n' 'blast lo 198.18.0.2' 'sink lo' 'reflect lo' 'probe lo 198.18.0.2' \
		'ping 198.18.0.2' 'rr 198.18.0.2' 'lab up' demo
}

@test "no argument is a usage error, and the usage is on stderr" {
	run --separate-stderr "$TOOL"
	[ "$status" = 2 ]
	[ -z "$output" ]
	[[ $stderr == "Usage: ethgauge VERB"* ]]
}

@test "help is on stdout and no error" {
	local word

	for word in --help -h help "help --json" "--json help"; do
		# shellcheck disable=SC2086
		run --separate-stderr "$TOOL" $word
		[ "$status" = 0 ]
		[ -z "$stderr" ]
		[[ $output == "Usage: ethgauge VERB"* ]]
		[[ $output == *"Exit codes:"* ]]
	done
}

@test "options of all verbs may stand before the verb" {
	run -0 --separate-stderr "$TOOL" --json calc 10G
	json '.command == "calc" and .config.LINK == "10Gbit"'
	run -0 --separate-stderr "$TOOL" -q -o "$BATS_TEST_TMPDIR/calc.json" --jsonl calc --mtu 9000 10G
	json '.config.mtu == 9000'
	[ "$(jq -c .config "$BATS_TEST_TMPDIR/calc.json")" = "$(jq -c .config <<<"$output")" ]
	run -2 --separate-stderr "$TOOL" --json nosuch
	[[ $stderr == *"unknown verb 'nosuch'"* ]]
	run -2 --separate-stderr "$TOOL" --mtu calc
	[[ $stderr == *"'--mtu': a verb must come first"* ]]
	run -2 "$TOOL" -o
	run -2 "$TOOL" -o x.json
	[ ! -e x.json ]
}

@test "every verb has a page, a golden document, pictures and a place in README, and none has more" {
	local verb size

	[ "$(verbs | wc -l)" -ge 22 ]
	diff <(verbs | sort) <(basename -a -s .md "$TOP"/docs/verbs/*.md | grep -vx streams)
	diff <(verbs | sort) <(sed -nE 's/^\| \[(`.*`)\]\(docs\/verbs\/.*/\1/p' "$TOP/README.md" |
		grep -oE '[a-z]+' | sort)
	for verb in $(verbs); do
		compgen -G "$TOP/tests/golden/format-1/$verb*.json" >/dev/null ||
			fail "no document of $verb: put a small one (-o) into tests/golden/format-1"
	done
	# The result of report is the page itself.
	for size in "" -390; do
		diff <(verbs | grep -vx report | sort) <(cd "$TOP/docs/pages" && printf '%s\n' [a-z]*.webp |
			sed -n "s/^\([a-z]*\)$size\.webp$/\1/p") || fail "run: scripts/screenshots"
	done
}

@test "every verb has a help page on stdout, with options and examples" {
	local verb

	for verb in $(verbs); do
		run --separate-stderr "$TOOL" "$verb" --help
		[ "$status" = 0 ]
		[ -z "$stderr" ]
		[[ $output == "Usage: ethgauge $verb"* ]]
		[[ $output == *$'\n\nOutput:\n'*"  -J, --json "*$'\n  -h, --help '* ]]
		[[ $output == *$'\nExamples:\n'* ]]
		run --separate-stderr "$TOOL" help "$verb"
		[ "$status" = 0 ]
		[[ $output == "Usage: ethgauge $verb"* ]]
	done
}

@test "help fits a terminal of 80 columns" {
	local words

	for words in "" $(verbs) "bench rfc6349" "probe --stamp"; do
		# shellcheck disable=SC2086
		run "$TOOL" $words --help
		awk -v words="$words" 'length($0) > 80 { print words ": " $0; bad = 1 } END { exit bad }' \
			<<<"$output" || fail "a line is too long"
	done
}

# titles WORDS...: those of the groups of options in this help, in one line.
titles() {
	"$TOOL" "$@" --help | sed -n '/^Examples:/q; s/^\([A-Z][a-z ]*\):$/\1/p' | paste -sd ,
}

@test "help has the options in groups, the same ones in every verb" {
	local verb

	[ "$(titles blast)" = "Arguments,What,How much,How,Output" ]
	[ "$(titles sink)" = "Arguments,What,How much,How,Pass or fail,Output" ]
	[ "$(titles bench rfc6349)" = "Arguments,What,How much,How,Output" ]
	run -0 "$TOOL" blast --help
	[[ $output == *$'\nHow much:\n  -c, --count N '*$'\n  -r, --rate RATE '*$'\nHow:\n'*" --engine "*$'\nOutput:\n'* ]]
	for verb in $(verbs); do
		"$TOOL" "$verb" --help | sed -n '/^Examples:/q; s/^  \(-., \|    \)*\(--[a-z0-9-]*\).*/\2/p' | sort |
			uniq -d | grep . && fail "$verb has an option twice"
	done
	return 0
}

@test "the version is one line" {
	local word

	for word in --version -V version; do
		run --separate-stderr "$TOOL" "$word"
		[ "$status" = 0 ]
		[[ $output =~ ^ethgauge\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
	done
}

@test "an unknown verb is a usage error with a hint" {
	run --separate-stderr "$TOOL" blsat
	[ "$status" = 2 ]
	[ -z "$output" ]
	[[ $stderr == *"unknown verb 'blsat'"* ]]
	[[ $stderr == *"see: ethgauge --help"* ]]
	run --separate-stderr "$TOOL" help blsat
	[ "$status" = 2 ]
}

@test "an unknown option is a usage error of every verb, with a hint" {
	local verb

	for verb in $(verbs); do
		run --separate-stderr "$TOOL" "$verb" --no-such-option
		[ "$status" = 2 ]
		[ -z "$output" ]
		[[ $stderr == *"unknown option '--no-such-option'"* ]]
		[[ $stderr == *"see: ethgauge $verb --help"* ]]
	done
}

@test "a mistyped verb, option or choice gets the word that was meant" {
	local name

	run --separate-stderr "$TOOL" blst
	[ "$status" = 2 ]
	[[ $stderr == *"did you mean 'blast'?"* ]]
	run --separate-stderr "$TOOL" blast lo 198.18.0.2 --raet 1kpps
	[ "$status" = 2 ]
	[[ $stderr == *"did you mean '--rate'?"* ]]
	run --separate-stderr "$TOOL" udp steram 198.18.0.2
	[ "$status" = 2 ]
	[[ $stderr == *"did you mean 'stream'?"* ]]
	run --separate-stderr "$TOOL" blast lo --profile voipg711 --save x.pcap -c 1
	[ "$status" = 2 ]
	[[ $stderr == *"there is no profile 'voipg711'"*"did you mean 'voip-g711'?"* ]]
	for name in tcp_sak net.ipv4.tcp_sak; do
		run --separate-stderr "$TOOL" tune --apply "$name"
		[ "$status" = 2 ]
		[[ $stderr == *"unknown setting '$name'"*"did you mean 'tcp_sack'?"* ]] || fail "$stderr"
	done
	run --separate-stderr "$TOOL" sweep bufers 198.18.0.2
	[ "$status" = 2 ]
	[[ $stderr == *"did you mean the study 'buffers'?"* ]]
	run --separate-stderr "$TOOL" sweep --list bufers
	[ "$status" = 2 ]
	[[ $stderr == *"unknown study 'bufers'"*"did you mean the study 'buffers'?"* ]]
	run --separate-stderr "$TOOL" quux
	[ "$status" = 2 ]
	[[ $stderr != *"did you mean"* ]]
}

@test "rules between options name options and values that the verb has" {
	run -0 --separate-stderr "$TOOL" help options
	[ -z "$stderr" ]
	[[ $output == *$'\ninterval\t'* || $output == *$'\tinterval\t'* ]]
}

@test "the help of a sub-command shows its own options, and others are refused with its name" {
	local help

	run -0 "$TOOL" bench rfc2544 --help
	[[ $output == *"--overload TIME"* && $output != *"--cir RATE"* && $output != *"--goal GOAL"* ]]
	help=$output
	run -0 "$TOOL" help bench rfc2544
	[ "$output" = "$help" ]
	run -0 "$TOOL" bench --help
	[[ $output == *"--cir RATE"*"y1564: committed information rate"*"show this help; after SUITE, only its options"* ]]
	run -0 "$TOOL" udp --help
	[[ $output != *crr* && $output == *"rr: requests under way"* ]]
	run -0 "$TOOL" tcp crr --help
	[[ $output == *"  --request-bytes N"* && $output != *"  --bidir  "* && $output != *"  --outstanding N"* ]]
	run --separate-stderr "$TOOL" udp stream 198.18.0.2 --outstanding 3
	[ "$status" = 2 ]
	[[ $stderr == *"--outstanding requires udp rr"* ]]
}

# differing COLUMN: names (4) or letters (3) of options whose value is called otherwise in another
# verb, or that are another option's there.
differing() {
	"$TOOL" help options | awk -F '\t' -v by="$1" '
		$4 !~ /^[a-z]/ || $by == "-" { next }
		{
			is = by == 3 ? $4 : $6
			if ($by in was && was[$by] != is) differs[$by] = 1
			was[$by] = is
		}
		END { for (name in differs) print name }' | sort | tr '\n' ' '
}

@test "a name or letter of an option means the same in all verbs" {
	run -0 differing 4
	[ -z "$output" ] || fail "$output"
	run -0 differing 3
	[ -z "$output" ] || fail "$output"
	# It finds one: the sample has two that differ.
	TOOL="$BATS_TEST_TMPDIR/sample"
	cat >"$TOOL" <<-'END'
		#!/bin/sh
		printf "%s\t-\t%s\t%s\ttext\t%s\n" a x size N  b x sort N  a - rate RATE  b - rate -
	END
	chmod +x "$TOOL"
	run -0 differing 4
	[ "$output" = "rate " ] || fail "$output"
	run -0 differing 3
	[ "$output" = "x " ] || fail "$output"
}

# Command lines of ethgauge that are written in the program, one a line.
commands() {
	grep -aoE 'ethgauge [a-z0-9]+( [^;|()#[:cntrl:]]*)?' "$TOOL" | sort -u
}

@test "no hint or example names a sub-command or an option that its verb does not have" {
	"$TOOL" help options >"$BATS_TEST_TMPDIR/options"
	commands >"$BATS_TEST_TMPDIR/commands"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/commands")" -gt 50 ]
	echo "ethgauge lab list --nosuch" >>"$BATS_TEST_TMPDIR/commands"
	run -0 awk -F '\t' '
		FNR == NR {
			has[$1, "--" $4] = has[$1, "-" $3] = 1
			verbs[$1] = 1
			if ($5 == "sub-command") { selects[$1] = 1; commands[$1] = $7 }
			if ($2 != "-") commands[$1] = commands[$1] " " $2
			next
		}
		{
			n = split($0, word, " ")
			verb = word[2]
			if (!verbs[verb]) next
			# Names of links hold "lab a-b".
			if (selects[verb] && word[3] ~ /^[a-z0-9]+$/ && word[3] !~ /^(and|on)$/ &&
			    index(" " commands[verb] " ", " " word[3] " ") == 0) print verb, word[3]
			for (i = 3; i <= n && word[i] !~ /^(--|>|exec|ethgauge)$/; i++) {
				option = word[i]
				sub(/[^-a-z0-9].*/, "", option)
				if (option ~ /^--?[a-z]/ && !has[verb, option] &&
				    option !~ /^(--(help|json|jsonl|output|quiet|verbose)|-[ohqv])$/)
					print verb, option
			}
		}' "$BATS_TEST_TMPDIR/options" "$BATS_TEST_TMPDIR/commands"
	# What was added above is found, and nothing else.
	[ "$output" = $'lab list\nlab --nosuch' ] || fail "$output"
}

@test "values that are none are refused before anything is done" {
	local words

	while read -ra words; do
		run --separate-stderr "$TOOL" "${words[@]}"
		[ "$status" = 2 ] || fail "${words[*]}: $status $stderr"
		[ -z "$output" ]
		[[ $stderr == *"'${words[-1]}'"* ]] || fail "${words[*]}: $stderr"
	done <<-'END'
		sink lo --port 10abc
		sink lo --port 70000
		sink lo --port -1
		sink lo --duration 5parsecs
		sink lo --xdp-mode fast
		sink lo --expect-gap 3parsecs
		sink lo --expect-gap 0s
		sink lo --expect-gap 10Gbit
		sink lo --expect-gap 1h
		sink a/b
		sink abcdefghijklmnop
		sink lo lo
	END
	run --separate-stderr "$TOOL" sink lo --port
	[ "$status" = 2 ]
	[[ $stderr == *"--port requires a value"* ]]
}

@test "the dictionary has one line a metric, each key once" {
	run "$TOOL" help metrics
	[ "$status" = 0 ]
	awk -F '\t' 'NF != 4 || seen[$1]++ { exit 1 }' <<<"$output" || fail "malformed"
	[ "${#lines[@]}" -gt 30 ]
}

@test "without privilege a verb says what is missing, and ends with 3" {
	local words

	while read -ra words; do
		run --separate-stderr unprivileged "$TOOL" "${words[@]}"
		[ "$status" = 3 ] || fail "${words[*]}: $status $stderr"
		[ -z "$output" ]
		[[ $stderr == *CAP_* ]]
		[[ $stderr == *"hint: "*sudo* ]]
	done < <(calls)
}

@test "without privilege, programs get the error as a document" {
	run --separate-stderr unprivileged "$TOOL" sink lo --json
	[ "$status" = 3 ]
	json '.format == 1 and .command == "sink"'
	json '.errors[0].what | test("CAP_")'
	json '.errors[0].hint | test("sudo")'
	json '.config.INTERFACE == "lo"'
}

@test "an output file that cannot be written is an error before the run" {
	run --separate-stderr "$TOOL" doctor -o /no-such-directory/x
	[ "$status" = 4 ]
	[[ $stderr == *"cannot write '/no-such-directory/x': No such file or directory"* ]]
	run --separate-stderr "$TOOL" doctor -o "$BATS_TEST_TMPDIR"
	[ "$status" = 2 ]
	[[ $stderr == *"not a regular file"* ]]
	run --separate-stderr "$TOOL" doctor -o ""
	[ "$status" = 2 ]
	[[ $stderr == *"--output is empty"* ]]
}

@test "a directory without write permission is an error, and nothing is left in it" {
	# Not below the test's own directory, which is closed to other users.
	local closed

	closed=$(mktemp -d)
	chmod 555 "$closed"
	defer rm -rf "$closed"
	run --separate-stderr unprivileged "$TOOL" doctor -o "$closed/x"
	[ "$status" = 4 ]
	[[ $stderr == *"cannot write '$closed/x': Permission denied"* ]]
	[ -z "$(ls -A "$closed")" ]
}

@test "a full disk is an error, keeps the old file, and leaves no half of a new one" {
	need_root
	# shellcheck disable=SC2016
	run --separate-stderr unshare -m sh -c '
		mount -t tmpfs -o size=8k none "$2" || exit 99
		trap "cd /; umount -l $2" EXIT
		cd "$2" && echo old >x || exit 99
		cat /dev/zero >fill 2>/dev/null
		"$1" doctor -o x >/dev/null
		status=$?
		[ "$(cat x)" = old ] && [ "$(ls)" = "$(printf "fill\nx")" ] || exit 98
		exit $status' sh "$TOOL" "$BATS_TEST_TMPDIR"
	[ "$status" = 4 ]
	[[ $stderr == *"cannot write 'x': No space left on device"* ]]
}

@test "an endless file is refused within its bound, and takes no more memory" {
	# shellcheck disable=SC2016
	for words in "impair nosuch0 --loss list=/dev/zero" "impair nosuch0 --delay file=/dev/zero"; do
		# shellcheck disable=SC2086
		run -2 --separate-stderr timeout 20 "$TOOL" $words
		[[ $stderr == *"'/dev/zero' line 1: not one of at most 10000000 lines of text, each shorter than 255 bytes"* ]]
	done
	run -2 --separate-stderr bash -c 'ulimit -v 1000000; timeout 60 "$1" watch --replay /dev/zero' bash "$TOOL"
	[[ $stderr == *"'/dev/zero' is not a recording of watch: line 1"* ]]
}

@test "a limit of file sizes is an error, keeps the old file, and leaves no half of a new one" {
	mkdir "$BATS_TEST_TMPDIR/limited"
	cd "$BATS_TEST_TMPDIR/limited"
	echo old >x
	# shellcheck disable=SC2016
	run --separate-stderr bash -c 'ulimit -f 1; "$1" doctor -o x >/dev/null' bash "$TOOL"
	[ "$status" = 4 ]
	[[ $stderr == *"cannot write 'x': File too large"* ]]
	[ "$(cat x)" = old ]
	[ "$(ls)" = x ]
}

@test "a standard output that takes nothing is an error" {
	run --separate-stderr bash -c '"$1" doctor --json >/dev/full' bash "$TOOL"
	[ "$status" = 4 ]
	[[ $stderr == *"cannot write the result to stdout: No space left on device"* ]]
	for words in --version --help "help metrics" "help layers" "doctor --help"; do
		# shellcheck disable=SC2016,SC2086
		run --separate-stderr bash -c '"$@" >/dev/full' bash "$TOOL" $words
		[ "$status" = 4 ] || fail "$words: status $status"
		[[ $stderr == *"cannot write to stdout: No space left on device"* ]]
	done
}

@test "a reader of stdout that goes away does not cost the file of -o" {
	run bash -c '"$1" doctor --json -o "$2" >/dev/full' bash "$TOOL" "$BATS_TEST_TMPDIR/x.json"
	holds '.command == "doctor"' <"$BATS_TEST_TMPDIR/x.json"
}

@test "an option that is not understood is an error in the document too" {
	run --separate-stderr "$TOOL" sink lo --port 70000 --json
	[ "$status" = 2 ]
	json '.command == "sink" and (.errors[0].what | test("70000"))'
	run --separate-stderr "$TOOL" sink lo --port 70000
	[ "$status" = 2 ]
	[ -z "$output" ]
}

@test "-o holds the same document that --json prints" {
	run --separate-stderr "$TOOL" doctor --json -o "$BATS_TEST_TMPDIR/x.json"
	holds '.command == "doctor"' <"$BATS_TEST_TMPDIR/x.json"
	[ "$(command jq -S . <<<"$output")" = "$(command jq -S . "$BATS_TEST_TMPDIR/x.json")" ]
}

# on_terminal WORDS...: by script(1), both streams, without carriage returns
on_terminal() {
	script -qec "$*" /dev/null | tr -d '\r'
}

@test "outcomes, notes and warnings have colours on a terminal, and nowhere else" {
	need_command script
	local run="'$TOOL' load http://127.0.0.1:1/ -c 1 -i 0 --no-failures" red=$'\e[1;31mFAIL\e[0m' plain=$'\nFAIL' face
	export TERM=xterm
	unset NO_COLOR

	[[ $(on_terminal "$run") == *"$red  1 of 1 transactions failed"* ]]
	[[ $(on_terminal "$run -v") == *"$red  1 of 1"* ]]
	[[ $(on_terminal "$run --json") != *$'\e'* ]]
	# One stream that is no terminal has none, whatever the other is.
	on_terminal "$run >$BATS_TEST_TMPDIR/out"
	grep -q '^FAIL  1 of 1' "$BATS_TEST_TMPDIR/out"
	face=$(NO_COLOR=1 on_terminal "$run")
	[[ $face == *"$plain"* && $face != *$'\e'* ]]
	face=$(TERM=dumb on_terminal "$run")
	[[ $face == *"$plain"* && $face != *$'\e'* ]]
	# Set, but empty: as if it were not there.
	[[ $(NO_COLOR='' on_terminal "$run") == *"$red"* ]]
	run "$TOOL" load http://127.0.0.1:1/ -c 1 -i 0 --no-failures
	[[ $output != *$'\e'* ]]

	[[ $(on_terminal "'$TOOL' sweep --skip-failed --repeat 1 --vary vlan-tags=0,9 --metric theory_link_bps -- calc 10G") == \
		*$'ethgauge: \e[33mwarning: \e[0mrun 2 failed'* ]]
}
