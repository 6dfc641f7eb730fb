#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Valid arguments of probe --stamp, checked before a packet is sent.

load ../lib/common

# refuses TEXT OPTIONS...
refuses() {
	run unprivileged "$TOOL" probe "${@:2}"
	[ "$status" = 2 ] || fail "status $status: $output"
	[[ $output == *"$1"* ]] || fail "not said: '$1', but: $output"
}

@test "probe --stamp says what is wrong with its words" {
	refuses "'colour' is not an extension" --stamp lo --tlv class,colour
	refuses "--size 47 is too small: allowed are 44, and 48 or more" --stamp lo --size 47
	refuses "--size 40 is too small: an answer has 41" --twamp-light lo --size 40
	refuses "--twamp-light and --auth are mutually exclusive" --twamp-light lo --auth
	refuses "--twamp-light and --tlv are mutually exclusive" --twamp-light lo --tlv class
	refuses "--twamp-light and --strict-ssid are mutually exclusive" --twamp-light lo --strict-ssid
	refuses "--rate: packets per second" --stamp lo -r 1Mbit
	refuses "--src-port 65000 leaves too few ports" --stamp lo --src-port 65000 --sessions 537
	refuses "--ipv4 and --ipv6 are mutually exclusive" --stamp lo -4 -6
	refuses "no key" --stamp 127.0.0.1 --auth
	refuses "cannot resolve '127.0.0.1'" --stamp 127.0.0.1 -6
}

@test "probe has the options of STAMP only with --stamp, and each its own help" {
	refuses "--tlv" lo 198.18.0.2 --tlv class
	run -0 "$TOOL" probe --stamp --help
	[[ $output == *"DEST"*"--tlv LIST"* && $output != *INTERFACE]\ DEST* ]]
	run -0 "$TOOL" probe --help
	[[ $(tr -s ' \n' ' ' <<<"$output") == *"[INTERFACE] DEST"*"probe --stamp --help"* ]]
}
