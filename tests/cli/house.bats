#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# What stands around the tool: makefile, setup, man pages, completion, installation.

load ../lib/common

setup_file() {
	export HOUSE=$BATS_FILE_TMPDIR/root
	# MAKEFLAGS of the outer make identify the build.
	make -C "$BATS_TEST_DIRNAME/../.." -s --no-print-directory install DESTDIR="$HOUSE" \
		PREFIX=/usr >"$BATS_FILE_TMPDIR/log" 2>&1 || {
		cat "$BATS_FILE_TMPDIR/log" >&2
		return 1
	}
}

verbs() {
	"$TOOL" --help | awk '/^  [a-z]+ +[^ ]/ && !/^  *ethgauge/ { print $1 }'
}

@test "install puts tool, man pages, completion and documents under DESTDIR" {
	local verb

	run "$HOUSE/usr/bin/ethgauge" --version
	[ "$status" = 0 ]
	[ -f "$HOUSE/usr/share/man/man8/ethgauge.8" ]
	for verb in $(verbs); do
		[ -f "$HOUSE/usr/share/man/man8/ethgauge-$verb.8" ]
	done
	[ -f "$HOUSE/usr/share/bash-completion/completions/ethgauge.bash" ]
	[ -f "$HOUSE/usr/share/zsh/site-functions/_ethgauge" ]
	[ -f "$HOUSE/usr/share/fish/vendor_completions.d/ethgauge.fish" ]
	[ -f "$HOUSE/usr/share/doc/ethgauge/LICENSE" ]
	[ -f "$HOUSE/usr/share/man/man7/ethgauge-streams.7" ]
	[ -f "$HOUSE/usr/share/man/man7/ethgauge-metrics.7" ]
	[ -f "$HOUSE/usr/share/doc/ethgauge/profiles/voip-g711.yaml" ]
	[ -f "$HOUSE/usr/lib/systemd/system/ethgauge-serve.socket" ]
	grep -qx 'ExecStart=/usr/bin/ethgauge serve' "$HOUSE/usr/lib/systemd/system/ethgauge-serve.service"
	# Nothing else, and nothing that only the builder may read.
	[ "$(find "$HOUSE" -mindepth 1 -maxdepth 1)" = "$HOUSE/usr" ]
	[ -z "$(find "$HOUSE" -type f ! -perm -444)" ]
}

@test "each link between installed documents leads to one that is installed" {
	local page link links=0

	while IFS= read -r page; do
		while IFS= read -r link; do
			links=$((links + 1))
			[ -e "$(dirname "$page")/$link" ] || fail "${page#"$HOUSE"}: $link"
		done < <(grep -oE '\]\([^) ]+\)' "$page" | sed 's/^](//; s/[#)].*//; /^$/d; /^[a-z]*:/d')
	done < <(find "$HOUSE" -name '*.md')
	[ "$links" -ge 60 ] || fail "$links links"
}

# install_to DIRECTORY [TARGET]: the build again, which is up to date.
install_to() {
	run -0 make -C "$TOP" -s --no-print-directory "${2-install}" DESTDIR="$1" PREFIX=/usr/local
}

@test "uninstall removes what install put there, the directories it made, and nothing else" {
	local dir=$BATS_TEST_TMPDIR/dest doc=usr/local/share/doc/ethgauge

	install_to "$dir"
	[ -x "$dir/usr/local/bin/ethgauge" ]
	# Again, as over an older version, which had one document more.
	echo "/usr/local/share/doc/ethgauge/old.md" >>"$dir/$doc/installed"
	touch "$dir/$doc/old.md"
	install_to "$dir"
	install_to "$dir" uninstall
	[ -z "$(ls -A "$dir")" ] || fail "$(find "$dir")"
	# Empty directories that were there stay, and so does what is not of make install.
	mkdir -p "$dir/usr/local/bin"
	install_to "$dir"
	touch "$dir/$doc/profiles/mine.yaml"
	install_to "$dir" uninstall
	[ "$(cd "$dir" && find . ! -type d)" = "./$doc/profiles/mine.yaml" ] || fail "$(find "$dir")"
	[ -d "$dir/usr/local/bin" ]
	[ ! -e "$dir/usr/local/share/man" ]
	run ! make -C "$TOP" -s --no-print-directory uninstall DESTDIR="$dir" PREFIX=/usr/local
	[[ $output == *"is not installed in '$dir/usr/local'"* ]] || fail "$output"
}

@test "the man pages are clean roff" {
	need_command groff
	local page

	for page in "$HOUSE"/usr/share/man/man[78]/*.[78]; do
		run groff -ww -man -Tascii -z "$page"
		[ "$status" = 0 ]
		[ -z "$output" ] || fail "${page##*/}: $output"
	done
}

@test "each heading is on a man page once, and the common sections are last, in order" {
	local page

	for page in "$HOUSE"/usr/share/man/man[78]/*.[78]; do
		run -0 grep -E '^\.SH ' "$page"
		[ -z "$(sort <<<"$output" | uniq -d)" ] || fail "${page##*/}: $(sort <<<"$output" | uniq -d)"
		[ "$(grep -c '^\.SH "\?DESCRIPTION' <<<"$output")" = 1 ] || fail "${page##*/} has no description"
		[ "${lines[-1]}" = ".SH SEE ALSO" ] || fail "${page##*/}: the last is ${lines[-1]}"
		[[ $page == */ethgauge.8 || $page == *.7 || ${lines[-2]} = ".SH EXIT STATUS" ]] || fail "${page##*/}: ${lines[-2]}"
	done
}

# not_on PAGE SED-EXPRESSION: which of the words on stdin it finds on no line of the page.
not_on() {
	comm -23 <(sort -u) <(MANWIDTH=200 man -l "$1" | col -b | sed -nE "$2" | sort -u)
}

@test "every option of --help is on the man page" {
	need_command man
	local verb with options missing

	for with in $(verbs) "probe --stamp"; do
		verb=${with%% *}
		# shellcheck disable=SC2086
		options=$("$TOOL" $with --help | sed -nE 's/^  (-.,|   ) (--[a-z0-9-]+).*/\2/p')
		[ -n "$options" ] || fail "$with has no options"
		missing=$(not_on "$HOUSE/usr/share/man/man8/ethgauge-$verb.8" \
			's/^ +(-., )?(--[a-z0-9-]+)( .*)?$/\2/p' <<<"$options")
		[ -z "$missing" ] || fail "$with: $missing"
	done
}

@test "the overview page has the variables that the tool reads, and its files" {
	need_command man
	local page name

	page=$(MANWIDTH=200 man -l "$HOUSE/usr/share/man/man8/ethgauge.8" | col -b)
	while IFS= read -r name; do
		[[ $page == *$'\nENVIRONMENT'*"$name"*$'\nFILES'* ]] || fail "$name is not there"
	done < <(grep -rhoE 'getenv\("[A-Z_]+"|_(VARIABLE|ENVIRONMENT)[[:space:]]+"[A-Z_]+"' "$TOP/user" |
		sed 's/^[^"]*"//; s/"//' | sort -u)
	[[ $page == *$'\nFILES'*"$(sed -n 's/^#define STATEDIR_DEFAULT "\(.*\)"/\1/p' "$TOP/user/lib/statedir.h")/calibration.json"* ]]
}

@test "the page of metrics defines every one" {
	need_command man
	local missing

	"$TOOL" help metrics | cut -f 1 >"$BATS_TEST_TMPDIR/keys"
	[ -s "$BATS_TEST_TMPDIR/keys" ]
	missing=$(not_on "$HOUSE/usr/share/man/man7/ethgauge-metrics.7" 's/^ +([a-z0-9_]+) [(].*/\1/p' \
		<"$BATS_TEST_TMPDIR/keys")
	[ -z "$missing" ] || fail "$missing"
}

# What make needs of the tree.
sources=(Makefile include user bpf scripts tests/{bench,bpf,net}/rules.mk vmtest/rules.mk)

@test "touching a header rebuilds what includes it, and nothing else" {
	local tree=$BATS_TEST_TMPDIR/tree

	# In a copy, as other tests use this build. What it holds is as old as here, so that make finds
	# nothing else to do.
	mkdir "$tree"
	(cd "$TOP" && cp -a --parents "${sources[@]}" build/{user,bpf,gen,flags,tools,ethgauge} "$tree")
	cd "$tree"
	run -0 make --no-print-directory V=0
	[ -z "$output" ] || fail "the copy is not up to date: $output"
	touch user/result/json.h
	run make --no-print-directory V=0
	[ "$status" = 0 ]
	[[ $output == *result/json.o* ]]
	[[ $output == *main.o* ]]
	[[ $output != *lib/unit.o* ]]
	run make --no-print-directory V=0
	[[ $output != *CC* ]]
	# A target of the sanitized tree alone leaves the other tree as it is.
	run -0 make --no-print-directory V=0 build/san/gen/studies.o
	[[ $output == *"CC      build/san/gen/studies.o" ]] || fail "$output"
	run -0 make --no-print-directory V=0
	[ -z "$output" ] || fail "it is built again: $output"
}

@test "fuzz targets are compiled once: a changed file is compiled again, and a second run links nothing" {
	local tree=$BATS_TEST_TMPDIR/tree

	# A few files, and a compiler that only finds out which headers they include.
	mkdir "$tree"
	(cd "$TOP" && cp -a --parents "${sources[@]}" tests/fuzz "$tree")
	cd "$tree"
	find user -name '*.c' ! -path user/lib/err.c ! -path user/proto/control.c -delete
	cat >clang <<-'END'
		#!/bin/bash
		for ((i = 1; i < $#; i++)); do
			[ "${!i}" != -o ] || at=$((i + 1))
		done
		case " $* " in
		*" -c "*) cc -E -w "${@/-fsanitize*/-w}" -MF "${!at%.o}.d" -MT "${!at}" ;;
		esac
		touch "${!at}"
	END
	printf '#!/bin/sh\necho "runs $FUZZ_SECONDS $FUZZ_TESTS"\n' >tests/run
	chmod +x clang tests/run
	fuzz=(make --no-print-directory V=0 SAN=0 O=b CC=cc CLANG=./clang CFLAGS= FUZZ_SECONDS=7 fuzz-run)
	run -0 "${fuzz[@]}"
	[ "$(grep -c ' LD .*/fuzz_' <<<"$output")" = "$(find tests/fuzz -name "fuzz_*.c" | wc -l)" ] || fail "$output"
	run -0 "${fuzz[@]}"
	[[ $output == "runs 7 "*/fuzz_control*/fuzz_unit* ]] || fail "$output"
	# The tool's own tree is not of this compiler.
	[[ "$(<b/flags)" == "cc "* && "$(<b/fuzz/flags)" == "./clang "* ]]
	touch user/proto/control.h tests/fuzz/fuzz_unit.c
	run -0 "${fuzz[@]}"
	[ "$(grep -o ' CC .*' <<<"$output" | sed 's|.*/||' | sort | paste -sd ' ')" = \
		"control.o fuzz_control.o fuzz_unit.o" ] || fail "$output"
}

@test "a build directory of another user is reported, with the fix" {
	need_root
	mkdir "$BATS_TEST_TMPDIR"/{tree,b}
	# In a copy of root's: without capabilities, root may not enter the home of another user.
	(cd "$TOP" && cp -r --parents "${sources[@]}" "$BATS_TEST_TMPDIR/tree")
	chown 12345 "$BATS_TEST_TMPDIR/b"
	run setpriv --inh-caps=-all --bounding-set=-all \
		make -C "$BATS_TEST_TMPDIR/tree" --no-print-directory SAN=0 O="$BATS_TEST_TMPDIR/b"
	[ "$status" != 0 ]
	[[ $output == *"cannot write $BATS_TEST_TMPDIR/b"*"sudo make clean"*"O=$BATS_TEST_TMPDIR/b"* ]]
	# make clean says the same once, not for each file.
	touch "$BATS_TEST_TMPDIR"/b/{1..101}
	run setpriv --inh-caps=-all --bounding-set=-all \
		make -C "$BATS_TEST_TMPDIR/tree" --no-print-directory SAN=0 V=1 O="$BATS_TEST_TMPDIR/b" clean
	[ "$status" != 0 ]
	[ "$(grep -c 'cannot remove' <<<"$output")" = 1 ] || fail "$output"
	grep -q "^make: .*cannot remove.*sudo make clean O=$BATS_TEST_TMPDIR/b$" <<<"$output" || fail "$output"
	run -0 make -C "$BATS_TEST_TMPDIR/tree" --no-print-directory SAN=0 O="$BATS_TEST_TMPDIR/b" clean
	[ ! -e "$BATS_TEST_TMPDIR/b" ]
}

@test "on a machine without the tools make suggests scripts/setup" {
	run "$TOP/scripts/check-tools" no-such-cc clang no-such-bpftool
	[ "$status" = 1 ]
	[[ $output == *no-such-cc*no-such-bpftool*"run: sudo scripts/setup"* ]]
	# Of libraries it names the header.
	printf '#!/bin/sh\nexit 1\n' >"$BATS_TEST_TMPDIR/cc"
	chmod +x "$BATS_TEST_TMPDIR/cc"
	run "$TOP/scripts/check-tools" "$BATS_TEST_TMPDIR/cc" clang bpftool
	[ "$status" = 1 ]
	for header in bpf/libbpf.h pcap/pcap.h libfyaml.h jansson.h curl/curl.h; do
		[[ $output == *"<$header>"* ]] || fail "it does not look for $header: $output"
	done
}

@test "without cmocka make check and make test-run suggest scripts/setup --test, and a build needs none" {
	local cc=$BATS_TEST_TMPDIR/cc target

	# A compiler that has all but cmocka.h, and compiles nothing.
	cat >"$cc" <<-'END'
		#!/bin/sh
		case $* in
		"-E "*) ! grep -q cmocka ;;
		*) echo "compiles $*"; exit 1 ;;
		esac
	END
	chmod +x "$cc"
	for target in check test-run; do
		run make -C "$TOP" --no-print-directory -j1 SAN=0 CC="$cc" O="$BATS_TEST_TMPDIR/b" "$target"
		[ "$status" != 0 ]
		[[ $output == *"missing: <cmocka.h>"$'\n'"make: run: sudo scripts/setup --test"* ]] || fail "$output"
		[[ $output != *compiles* ]] || fail "$output"
	done
	run -0 "$TOP/scripts/check-tools" "$cc" clang bpftool
	[ -z "$output" ]
}

# A package manager that owns only what is in $have, and notes what it is asked.
fake_apt() {
	mkdir -p "$BATS_TEST_TMPDIR/bin"
	cat >"$BATS_TEST_TMPDIR/bin/dpkg-query" <<-'END'
		#!/bin/sh
		for last; do :; done
		grep -qx "$last" "$FAKE/have" && printf installed
	END
	cat >"$BATS_TEST_TMPDIR/bin/apt-get" <<-'END'
		#!/bin/sh
		echo "$*" >>"$FAKE/asked"
		case " $* " in
		*" update "*) touch "$FAKE/lists" ;;
		*" install "*) [ -e "$FAKE/lists" ] ;;
		esac
	END
	printf '#!/bin/sh\necho "${FAKE_UID:-0}"\n' >"$BATS_TEST_TMPDIR/bin/id"
	chmod +x "$BATS_TEST_TMPDIR"/bin/*
	: >"$BATS_TEST_TMPDIR/have"
	: >"$BATS_TEST_TMPDIR/asked"
	export FAKE=$BATS_TEST_TMPDIR PATH=$BATS_TEST_TMPDIR/bin:$PATH
}

known_system() {
	# shellcheck disable=SC1091
	case $(. /etc/os-release && echo "$ID-${VERSION_ID-}") in
	debian-12 | debian-13 | ubuntu-24.04) ;;
	*) cannot debian "a distribution that scripts/setup knows" ;;
	esac
}

@test "setup --check only reports, and ends with 1 if something is missing" {
	known_system
	fake_apt
	run "$TOP/scripts/setup" --check
	[ "$status" = 1 ]
	[[ $output == *"missing for build:"*libbpf-dev* ]]
	[[ $output != *cmocka* ]]
	run "$TOP/scripts/setup" --check --test
	[[ $output == *libcmocka-dev* ]]
	[ ! -s "$FAKE/asked" ]
}

@test "setup with nothing missing uses no network and no package manager" {
	known_system
	fake_apt
	"$TOP/scripts/setup" --check --test --bench |
		sed -n 's/.*missing for [^:]*: //p' | tr ' ' '\n' >"$FAKE/have"
	run "$TOP/scripts/setup" --test --bench
	[ "$status" = 0 ]
	[[ $output == *"nothing is missing"* ]]
	[ ! -s "$FAKE/asked" ]
	run "$TOP/scripts/setup" --test --bench --as-needed
	[ "$status" = 0 ]
	[ -z "$output" ]
}

@test "setup installs only what is missing, and fetches lists only when it must" {
	known_system
	fake_apt
	"$TOP/scripts/setup" --check | sed -n 's/.*missing for [^:]*: //p' | tr ' ' '\n' |
		grep -vx jq | grep -vx libxdp-dev >"$FAKE/have"
	run "$TOP/scripts/setup"
	[ "$status" = 0 ]
	[ "$(grep -cw update "$FAKE/asked")" = 1 ]
	[[ $(tail -n 1 "$FAKE/asked") == *--no-install-recommends*" install libxdp-dev" ]]
	: >"$FAKE/asked"
	run "$TOP/scripts/setup"
	[ "$status" = 0 ]
	run ! grep -qw update "$FAKE/asked"
}

@test "setup that may not install says what to run" {
	known_system
	fake_apt
	FAKE_UID=1000 run "$TOP/scripts/setup" --test
	[ "$status" = 1 ]
	[[ $output == *"run: sudo scripts/setup --test"* ]]
	FAKE_UID=1000 run "$TOP/scripts/setup" --test --as-needed
	[ "$status" = 0 ]
	[[ $output == *"run: sudo scripts/setup --test"* ]]
	[ ! -s "$FAKE/asked" ]
}

@test "setup on a system that it does not know lists the needs by name" {
	need_root
	printf 'ID=plan9\nVERSION_ID=4\n' >"$BATS_TEST_TMPDIR/os-release"
	run unshare -m sh -c 'mount --bind "$1" "$3" && "$2" --test; status=$?
		umount "$3"; exit $status' sh \
		"$BATS_TEST_TMPDIR/os-release" "$TOP/scripts/setup" "$(realpath /etc/os-release)"
	[ "$status" = 3 ]
	[[ $output == *plan9*libbpf-dev*libcmocka-dev* ]]
}

@test "setup refuses words that it does not know" {
	run "$TOP/scripts/setup" --all
	[ "$status" = 2 ]
	[[ $output == *"unknown option '--all'"* ]]
	run "$TOP/scripts/setup" --help
	[ "$status" = 0 ]
}

@test "setup gets what no package has, once, and says which cargo it needs" {
	known_system
	fake_apt
	local version
	export ETHGAUGE_PEERS=$BATS_TEST_TMPDIR/peers
	cat >"$FAKE/bin/cargo" <<-'END'
		#!/bin/sh
		[ "$1" != --version ] || { echo "cargo $(cat "$FAKE/version") (x)"; exit; }
		echo "$*" >>"$FAKE/asked"
		mkdir -p "$ETHGAUGE_PEERS"
		for word; do case $word in *@*) echo "\"${word%@*} ${word#*@} (x)\" = []"; esac; done \
			>>"$ETHGAUGE_PEERS/.crates.toml"
	END
	chmod +x "$FAKE/bin/cargo"
	"$TOP/scripts/setup" --check | sed -n 's/.*missing for [^:]*: //p' | tr ' ' '\n' >"$FAKE/have"
	for version in 0.66.0 1.85.1; do
		echo "$version" >"$FAKE/version"
		run "$TOP/scripts/setup" --crates
		[ "$status" = 3 ] || fail "$status: $output"
		[[ $output == *"stamp-suite@"*": needs cargo 1.86 or newer, and there is $version"* ]]
	done
	[ ! -s "$FAKE/asked" ]
	run -1 "$TOP/scripts/setup" --crates --check
	echo 1.100.0 >"$FAKE/version"
	run -0 "$TOP/scripts/setup" --crates
	[ "$(grep -c 'install.*--locked.*@' "$FAKE/asked")" = 2 ]
	run -0 "$TOP/scripts/setup" --crates
	[[ $output == *"nothing is missing"* ]]
	[ "$(wc -l <"$FAKE/asked")" = 2 ]
}

@test "a test that is skipped for a program or a package of Python names the option that installs it" {
	mkdir "$BATS_TEST_TMPDIR/empty"
	cat >"$BATS_TEST_TMPDIR/skips.bats" <<-END
		load $TOP/tests/lib/common
		TEST "a program" { need_command no-such; }
		TEST "a crate" { need_command stamp-suite; }
		TEST "a module" { need_module no_such; }
		TEST "a browser" { cannot chromium "a Chromium" --browser; }
	END
	sed -i 's/^TEST /@test /' "$BATS_TEST_TMPDIR/skips.bats"
	PATH=${PATH//"$PEERS/bin"/} ETHGAUGE_PEERS=$BATS_TEST_TMPDIR/empty HOME=$BATS_TEST_TMPDIR/empty \
		REQUIRE='' run -0 bats --tap "$BATS_TEST_TMPDIR/skips.bats"
	[[ $output == *"needs the program no-such: scripts/setup --test"* ]] || fail "$output"
	[[ $output == *"needs the program stamp-suite: scripts/setup --crates"* ]]
	[[ $output == *"needs the Python package no_such: scripts/setup --test"* ]]
	[[ $output == *"needs a Chromium: scripts/setup --browser"* ]]
	# Each option that a skip of this tree names is one of scripts/setup, and in the command of the README.
	local option

	while read -r option; do
		"$TOP/scripts/setup" --help | grep -qE "^  $option " || fail "option '$option'"
		grep -qE "^sudo scripts/setup .*$option.*; sudo make test$" "$TOP/README.md" || fail "README: '$option'"
	done < <(grep -rhoE 'cannot .* --[a-z]+( \|\||$)|option=--[a-z]+' "$TOP/tests" | grep -oE -e '--[a-z]+')
}

# ci [JOB...]: .ci/run in a tree of its own; jobs, must-have and a setup that fails for the group
# "none" are the caller's and this function's.
ci() {
	mkdir -p "$CI/.ci" "$CI/scripts" "$CI/tests/lib" "$CI/tests/cli"
	cp "$TOP/.ci/run" "$CI/.ci/"
	cp "$TOP/tests/run" "$CI/tests/"
	cp "$TOP/tests/lib/common.bash" "$CI/tests/lib/"
	printf '#!/bin/sh\necho "setup: no registry"\n[ "$*" != --none ]\n' >"$CI/scripts/setup"
	chmod +x "$CI/scripts/setup"
	REQUIRE='' TESTS_ROOT=/ run "$CI/.ci/run" "$@"
}

@test "CI fails when a test that must run is skipped, and names it" {
	CI=$BATS_TEST_TMPDIR/ci
	mkdir -p "$CI/.ci" "$CI/tests/cli"
	printf 'load ../lib/common\n@test "x: y" {\n\tneed_command no-such\n}\n' >"$CI/tests/cli/a.bats"
	echo 'a | | | 60 | tests/run cli/a.bats' >"$CI/.ci/jobs"
	echo '0 | jq' >"$CI/.ci/must-have"
	ci
	[ "$status" = 0 ] || fail "$output"
	[ "${lines[-1]}" = "0 passed, 0 failed, 1 skipped" ]
	echo 'a | | no-such | 60 | tests/run cli/a.bats' >"$CI/.ci/jobs"
	ci
	[ "$status" = 1 ]
	[[ $output == *$'\nfailed cli/a.bats: x: y\n'* ]]
	[ "${lines[-1]}" = "0 passed, 1 failed, 0 skipped" ]
	# What all jobs need, on a kernel that is new enough.
	echo 'a | | | 60 | tests/run cli/a.bats' >"$CI/.ci/jobs"
	printf '0 | jq\n2.6 | no-such\n' >"$CI/.ci/must-have"
	ci
	[ "${lines[-1]}" = "0 passed, 1 failed, 0 skipped" ]
	printf '0 | jq\n999.1 | no-such\n' >"$CI/.ci/must-have"
	ci
	[ "${lines[-1]}" = "0 passed, 0 failed, 1 skipped" ]
}

@test "CI counts a test once, though several jobs ran it, and as skipped if none of them did" {
	CI=$BATS_TEST_TMPDIR/ci
	mkdir -p "$CI/.ci"
	: >"$CI/.ci/must-have"
	cat >"$CI/.ci/jobs" <<-'END'
		# A comment.
		a | | | 60 | printf 'passed f: 1\nskipped f: 2: x: y\nskipped f: 3: x\npassed f: 4\n' >$TESTS_RESULTS
		b | | | 60 | printf 'passed f: 1\npassed f: 2: x\nskipped f: 3: z\n' >$TESTS_RESULTS
	END
	ci
	[ "$status" = 0 ] || fail "$output"
	[ "${lines[-1]}" = "3 passed, 0 failed, 2 skipped" ] || fail "$output"
	ci b
	[ "${lines[-1]}" = "2 passed, 0 failed, 1 skipped" ]
	cat >>"$CI/.ci/jobs" <<-'END'
		c | | | 60 | printf 'failed f: 4\nskipped f: 1\n' >$TESTS_RESULTS
	END
	ci
	[ "$status" = 1 ]
	[ "${lines[-1]}" = "2 passed, 1 failed, 2 skipped" ] || fail "$output"
}

@test "a CI job that cannot be set up is skipped with the reason; one that hangs, ends badly or runs nothing fails" {
	CI=$BATS_TEST_TMPDIR/ci
	mkdir -p "$CI/.ci"
	: >"$CI/.ci/must-have"
	cat >"$CI/.ci/jobs" <<-'END'
		none | none | | 60 | echo passed none: 1 >$TESTS_RESULTS
		hangs | some | | 1 | echo passed hangs: 1 >$TESTS_RESULTS; sleep 300 & echo $! >"$CI/pid"; sleep 300
		bad | | | 60 | echo passed bad: 1 >$TESTS_RESULTS; exit 37
		empty | | | 60 | true
	END
	export CI
	ci
	[ "$status" = 1 ]
	[[ $output == *$'\nskipped none: scripts/setup --none: setup: no registry\n'* ]] || fail "$output"
	[[ $output == *$'\nfailed hangs: not done within 1 s\n'* ]]
	[[ $output == *$'\nfailed bad: exit status 37\n'* ]]
	[[ $output == *$'\nfailed empty: it ran no test\n'* ]]
	[ "${lines[-1]}" = "2 passed, 3 failed, 1 skipped" ]
	# A moment later it is reaped.
	gone() { ! kill -0 "$(cat "$CI/pid")" 2>/dev/null; }
	wait_for gone
	ci no-such
	[ "$status" = 1 ]
	[ "${lines[-1]}" = "0 passed, 1 failed, 0 skipped" ]
}

@test "each CI job has a name, groups that setup knows, a bound and a command" {
	local name groups require limit command jobs=0

	while IFS='|' read -r name groups require limit command; do
		[[ $name =~ ^[a-z0-9.-]+' '$ ]] || fail "name '$name'"
		[[ $limit =~ ^' '[1-9][0-9]*' '$ ]] || fail "$name: bound '$limit'"
		[ -n "$command" ] || fail "$name: no command"
		jobs=$((jobs + 1))
		for group in $groups; do
			"$TOP/scripts/setup" --help | grep -qE "^  --$group " || fail "$name: group '$group'"
		done
	done < <(grep -v '^#' "$TOP/.ci/jobs")
	[ "$jobs" -ge 5 ] || fail "$jobs jobs"
}

@test "the jobs of CI that have a browser, the peers or the crates run each test that needs them" {
	local job uses filter files name tests

	while read -r job uses; do
		filter=$(sed -nE "s/^$job .*TESTS_FILTER='([^']*)'.*/\1/p" "$TOP/.ci/jobs")
		files=$(sed -nE "s/^$job .*tests\/run //p" "$TOP/.ci/jobs")
		tests=$(cd "$TOP/tests" && awk -v uses="$uses" '/^@test / { name = $0 } /^}/ { name = "" }
			name && $0 ~ uses { print FILENAME ": " name; name = "" }' {cli,net}/*.bats)
		[ -n "$tests" ]
		while IFS= read -r name; do
			[[ " $files " == *" ${name%%: *} "* ]] || fail "$job: not in its files: $name"
			grep -qE "$filter" <<<"${name#*: }" || fail "$job: not of its filter: $name"
		done <<<"$tests"
	done <<-'END'
		pages ^\tbrowse
		peers ^\t(need_hdrhistogram|sound)
		crates ^\t(need_command stamp-suite|.*cannot .*--crates$)
	END
}

@test "what a test asks for with need_command or need_module is named in .ci/must-have or .ci/jobs" {
	local name names

	names=" $(grep -hv '^#' "$TOP/.ci/must-have" "$TOP/.ci/jobs" | cut -d '|' -f 2,3 | tr '\n|' '  ') "
	while read -r name; do
		[[ $names == *" $name "* ]] || fail "$name"
	done < <(grep -rhoE '^\s*need_(command|module) [a-z0-9/ -]*$' "$TOP"/tests/{cli,net,lib} |
		sed -E 's/\s*need_(command|module) //' | tr ' ' '\n')
}

# A lint that finds nothing proves nothing until it has found something.
# rooms_of FILE INCLUDE: check-layers, where FILE of three rooms includes INCLUDE.
rooms_of() {
	local dir=$BATS_TEST_TMPDIR/house

	rm -rf "$dir"
	mkdir -p "$dir/include/abi" "$dir/bpf" "$dir/user"/{lib,sys/net,engine/send,engine/lab}
	cd "$dir" || return
	cat >rooms.md <<-'END'
		| room | what it knows | front headers | may include |
		|---|---|---|---|
		| engine/lab | | lab.h | engine/send sys/* |
		| engine/send | | tx.h | lib skel |
		| sys/net | | * | lib |
		| lib | | * | |
	END
	echo '#include "engine/send/tx.h"' >user/engine/lab/lab.c
	echo '#include "lib/err.h"' >user/engine/send/tx.h
	echo "#include \"$2\"" >"$1"
	run "$TOP/scripts/check-layers" rooms.md
}

# A lint that finds nothing proves nothing until it has found something.
@test "check-layers finds each kind of include that the table of rooms forbids" {
	rooms_of user/engine/lab/y.c sys/net/nic.h
	[ "$status" = 0 ]
	[[ $output == "rooms hold: 4 rooms, 3 includes" ]]
	rooms_of user/engine/send/x.c sys/net/nic.h
	[ "$status" = 1 ]
	[[ $output == "user/engine/send/x.c: engine/send may not include user/sys/net/nic.h" ]]
	rooms_of user/engine/send/x.h engine/lab/lab.h
	[ "$status" = 1 ]
	[[ $output == *"engine/send is below engine/lab: it may not include user/engine/lab/lab.h" ]]
	rooms_of user/engine/lab/y.c engine/send/tx_ring.h
	[ "$status" = 1 ]
	[[ $output == *"user/engine/send/tx_ring.h is no front header of engine/send" ]]
	rooms_of user/engine/lab/y.c sys/net/nic_parts.h
	[ "$status" = 1 ]
	[[ $output == *"nic_parts.h is no front header of sys/net" ]]
	mkdir user/sys/new
	echo '#include "lib/err.h"' >user/sys/new/x.c
	run "$TOP/scripts/check-layers" rooms.md
	[ "$status" = 1 ]
	[[ $output == *"user/sys/new/x.c: sys/new is no room of rooms.md"* ]]
}

@test "check-text finds lines that are too long, and texts in pieces that fit in one line" {
	local dir=$BATS_TEST_TMPDIR/user

	mkdir "$dir"
	# Split after a comma, because it is too long, at a line's end, or with a macro between.
	cat >"$dir/good.c" <<-'END'
		say("one, "
		    "two");
		say("a text of which the pieces are far too long for a line together, as anyone who counts can see "
		    "in no time at all, by counting");
		say("line\n"
		    "line");
		say("give " OPTION("x")
		    " here");
	END
	run -0 "$TOP/scripts/check-text" "$dir"
	[ "$output" = "1 files: no line too long, and no text split without need" ]
	printf 'say("one "\n    "two");\n' >"$dir/split.c"
	{ printf '\t\t/*'; printf '%0110d' 0; echo ' */'; } >"$dir/long.h"
	run -1 "$TOP/scripts/check-text" "$dir"
	[ "$output" = "$dir/long.h:1: 131 columns, more than 120
$dir/split.c:1: a text is split that fits in one line of 110 columns" ]
}

@test "check-layers keeps a header that one room names from all others" {
	rooms_of user/engine/lab/y.c engine/send/tree.h
	[ "$status" = 1 ]
	[[ $output == "user/engine/lab/y.c: user/engine/send/tree.h is no front header of engine/send" ]]
	sed -i 's|engine/send sys|engine/send engine/send/tree.h sys|' rooms.md
	run -0 "$TOP/scripts/check-layers" rooms.md
	echo '#include "engine/send/tree_parts.h"' >user/engine/lab/y.c
	run -1 "$TOP/scripts/check-layers" rooms.md
	[[ $output == *"tree_parts.h is no front header of engine/send" ]]
}

@test "the files that docs/architecture.md names are there" {
	local path nr=0

	while read -r path; do
		nr=$((nr + 1))
		compgen -G "$TOP/$path" >/dev/null || fail "no $path"
	done < <(grep -oE '`(user|include|bpf|tests|docs|scripts)/[^`]*`' "$TOP/docs/architecture.md" | tr -d '`' |
		grep -v NAME | sort -u)
	[ "$nr" -ge 20 ] || fail "$nr paths"
}

@test "what fills a result cannot read it back: neither engines, verbs nor models" {
	local room header nr=0

	cd "$BATS_TEST_TMPDIR"
	mkdir -p include/abi bpf
	for room in cmd model doctor $(cd "$TOP/user" && echo engine/*); do
		mkdir -p "user/$room"
		for header in json part tree value; do
			echo "#include \"result/$header.h\"" >>"user/$room/x.c"
			nr=$((nr + 1))
		done
	done
	run -1 "$TOP/scripts/check-layers" "$TOP/docs/architecture.md"
	[ "${#lines[@]}" = "$nr" ] || fail "$nr includes: $output"
	# Nor without our headers.
	find user -name x.c -exec sh -c 'echo "#include <jansson.h>" >"$1"' sh {} \;
	run -1 "$TOP/scripts/check-layers" "$TOP/docs/architecture.md"
	[ "$(grep -c 'jansson.h>   <- not in this room' <<<"$output")" = $((nr / 4)) ] || fail "$output"
}

@test "check-layers finds a skeleton that two files include, and a library in the wrong room" {
	rooms_of user/engine/send/x.c x.skel.h
	[ "$status" = 0 ]
	echo '#include "x.skel.h"' >user/engine/send/y.c
	run "$TOP/scripts/check-layers" rooms.md
	[ "$status" = 1 ]
	[[ $output == *"x.skel.h: a skeleton belongs to one file"* ]]
	rm user/engine/send/y.c
	echo '#include <bpf/bpf.h>' >user/lib/x.c
	run "$TOP/scripts/check-layers" rooms.md
	[ "$status" = 1 ]
	[[ $output == *"user/lib/x.c:1:#include <bpf/bpf.h>   <- not in this room" ]]
}

@test "a test that fails names its line, and is not traced before" {
	local dir=$BATS_TEST_TMPDIR

	mkdir -p "$dir/tests/cli"
	cp -r "$TOP/tests/lib" "$dir/tests/"
	sed 's/^TEST /@test /' >"$dir/tests/cli/a.bats" <<-'END'
		load ../lib/common
		TEST "line" {
			[ -z "$(trap -p DEBUG)" ]
			[[ 1 = 2 ]]
		}
		TEST "helper" {
			json .a <<<'' ||
				fail "no json"
			true
		}
		TEST "of common" {
			output='{"a": false}'
			json .a
		}
	END
	run bats "$dir/tests/cli/a.bats"
	[ "$status" = 1 ]
	[[ $output == *"not ok 1 line"*"a.bats, line 4)"*"\`[[ 1 = 2 ]]' failed"* ]]
	[[ $output == *"not ok 2 helper"*"a.bats, line 8)"*"\`fail \"no json\"' failed"* ]]
	[[ $output == *"not ok 3 of common"*"from function \`json' in file "*"a.bats, line 13)"*"not true: .a"* ]]
}

@test "what .ci/run builds has no warning: one of any compiler is an error" {
	local file

	cd "$TOP"
	grep -q '^export WERROR=1$' .ci/run
	for file in user/lib/opt.o bpf/blast_xdp.bpf.o san/user/lib/opt.o fuzz/user/lib/opt.o; do
		run -0 make -n -W user/lib/opt.c -W bpf/blast_xdp.bpf.c WERROR=1 O="$BATS_TEST_TMPDIR/o" "$BATS_TEST_TMPDIR/o/$file"
		[[ $output == *" -Werror "* ]] || fail "$file: $output"
		run -0 make -n -W user/lib/opt.c -W bpf/blast_xdp.bpf.c WERROR= O="$BATS_TEST_TMPDIR/o" "$BATS_TEST_TMPDIR/o/$file"
		[[ $output != *" -Werror "* ]] || fail "$file: $output"
	done
}

@test "the sum of a run counts what passed, failed, was skipped, crashed or ran nothing" {
	local dir=$BATS_TEST_TMPDIR

	printf '#!/bin/sh\necho "ok 1 - a"; echo "not ok 2 - b"; echo "not ok 3 # SKIP c"; exit 1\n' >"$dir/t1"
	printf '#!/bin/sh\necho "ok 1 - d"; kill -SEGV $$\n' >"$dir/t2"
	printf '#!/bin/sh\nexit 0\n' >"$dir/t3"
	chmod +x "$dir"/t?
	UNIT_TESTS="$dir/t1 $dir/t2 $dir/t3" run "$TOP/tests/run" unit
	[ "$status" = 1 ]
	[ "${lines[-1]}" = "2 passed, 3 failed, 1 skipped" ]
	[[ $output == *"failed unit/t2: exit status 139"* ]]
	[[ $output == *"failed unit/t3: it ran no test"* ]]
	printf '#!/bin/sh\necho "ok 1 - a"\n' >"$dir/t1"
	UNIT_TESTS="$dir/t1" run "$TOP/tests/run" unit
	[ "$status" = 0 ]
	[ "${lines[-1]}" = "1 passed, 0 failed, 0 skipped" ]
}
