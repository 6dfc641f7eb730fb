# SPDX-License-Identifier: GPL-2.0-or-later
# Commands on a terminal of their own. Load it after lab.

SCREEN=$TOP/tests/lib/screen.py

# screen [--size COLUMNSxLINES] KEYS VERB...: in b; what is on it after each key, as screen.py has it; in
# output.
screen() {
	local size=()

	if [ "$1" = --size ]; then
		size=("${@:1:2}")
		shift 2
	fi
	need_module pyte || return
	output=$(LC_ALL=C.UTF-8 in_b "$SCREEN" "$1" "${size[@]}" -- "$TOOL" "${@:2}" 2>&1)
}

# after KEY TEXT: the screen that followed KEY holds TEXT.
after() {
	awk -v key="$1" '$1 == "==" { on = $2 == key } on' <<<"$output" | grep -qF "$2" ||
		fail "not after $1: $2"$'\n'"$output"
}
