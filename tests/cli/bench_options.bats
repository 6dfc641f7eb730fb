# SPDX-License-Identifier: GPL-2.0-or-later
# ethgauge bench: words that contradict each other. No root.

load ../lib/common

refused() {
	run --separate-stderr "$TOOL" bench "${@:2}"
	[ "$status" = 2 ] || fail "status $status: $stderr"
	[[ $stderr == *"$1"* ]] || fail "not said: '$1', but: $stderr"
}

@test "bench refuses words that contradict each other, and says which" {
	refused "the same port" rfc2544 eth1 eth1
	refused "requires @NETNS" rfc2544 eth1@x eth2
	refused "not IFACE or IFACE@NETNS" rfc2544 eth1@ eth2
	refused "--goal requires bench mlrsearch" rfc2544 a b --goal ndr
	refused "--goals requires bench mlrsearch" rfc2544 a b --goals /dev/null
	refused "cannot open the goal file" mlrsearch a b --goals /nonexistent
	printf 'goals:\n  - ndr\n  - { name: x, lose: 1%% }\n' >"$BATS_TEST_TMPDIR/g.yaml"
	refused "g.yaml:3:7: --goal 'name=x,lose=1%': unexpected 'lose=1%'" mlrsearch a b --goals \
		"$BATS_TEST_TMPDIR/g.yaml"
	refused "two goals are named 'ndr'" mlrsearch a b --goal ndr --goals "$BATS_TEST_TMPDIR/g.yaml"
	refused "unexpected 'loss=2'" mlrsearch a b --goal loss=2
	refused "unexpected 'lose=1%'" mlrsearch a b --goal lose=1%
	refused "sum must be at least final" mlrsearch a b --goal final=2s,sum=1s
	refused "below 100%" mlrsearch a b --goal exceed=100%
	refused "two goals are named 'ndr'" mlrsearch a b --goal ndr --goal ndr
	refused "--trial requires bench rfc2544, rfc9004, rfc8219, soak or y1564" mlrsearch a b --trial 1s
	refused "is not a frame size" soak a b --sizes 64,x
	refused "is not one of latency" rfc2544 a b --tests latency,jitter
	refused "--resets requires --reset-command" rfc2544 a b --resets 2
	refused "--reset-command requires bench rfc2544" soak a b --reset-command true
	refused "--overload requires bench rfc2544" rfc8219 a b --overload 1s
	refused "bench y1564 requires --cir" y1564 a b
	refused "--rate requires bench rfc2544, rfc9004, mlrsearch, rfc8219 or soak" y1564 a b --cir 1Mbit --rate 2Mbit
	refused "--flr '1' is not a percentage" y1564 a b --cir 1Mbit --flr 1
	refused "--cir requires bench y1564" rfc2544 a b --cir 1Mbit
	refused "--reflector and --dest are mutually exclusive" soak a 198.18.0.2 --reflector --dest 198.18.0.3
	refused "--rate: 100Mbit, 1kpps or 50%, not 'max'" soak a b --rate max
	refused "--duration requires bench soak or y1564" rfc8219 a b --duration 1h
	local far=(a a --receiver "ssh host2 ethgauge" --dest 198.18.0.2)
	refused "--receiver requires --dest" soak "${far[@]:0:4}"
	refused "--receiver and --reflector are mutually exclusive" soak a 198.18.0.2 --reflector --receiver x
	refused "--receiver and --tests recovery are mutually exclusive" rfc2544 "${far[@]}" --tests loss,recovery
	refused "--receiver and --reset-command are mutually exclusive" rfc2544 "${far[@]}" --reset-command true
	refused "with --receiver, bench rfc8219 requires --clock tai" rfc8219 "${far[@]}"
	refused "with --receiver, --ftd requires --clock tai" y1564 "${far[@]}" --cir 1Mbit --ftd 1ms
	refused "is not an interface of the host" soak a "b;c" "${far[@]:2}"
	refused "--clock tai requires --receiver" soak a b --clock tai
}
