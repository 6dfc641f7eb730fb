#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0-or-later
# Completion: what the tool knows may stand next, and what shells make of it.

load ../lib/common

# words WORD...: what the last of them may become, in one line.
words() {
	"$TOOL" help complete "$@" | cut -f 1 | paste -sd ' '
}

# is EXPECTED WORD...
is() {
	[ "$(words "${@:2}")" = "$1" ] || fail "${*:2}: $(words "${@:2}")"
}

@test "verbs, sub-commands, options and choices are completed" {
	is blast bl
	is "bench" --json ben
	is "serve" serv
	is status lab sta
	is --count-only sink --count-
	is "native" sink --xdp-mode na
	is "native" sink eth9 -q --xdp-mode na
	is --profile=imix blast --profile=im
	is "--help" blast --he
	is "metrics" help met
	is "rfc2544 rfc9004 rfc8219" help bench rfc
	is "" nothing --
	is "" sink --port ""
	# Each once, but those that may be repeated.
	is --rate-layer blast --rate 1kpps --rat
	is "--loss" impair eth1 --loss 1% --los
	# Each has the words of an explanation.
	[ "$("$TOOL" help complete tcp rr h --nod)" = $'--nodelay\t'"$("$TOOL" help options |
		awk -F '\t' '$1 == "tcp" && $4 == "nodelay" { print $8 }')" ]
}

@test "completion knows which options a sub-command or variant has" {
	is "" probe --poi
	is --poisson probe --stamp --poi
	is stateless probe --twamp-light ::1 --reflector-mode statel
	is "" probe --stamp --eng
	is --outstanding udp rr ::1 --outs
	is "" udp stream ::1 --outs
	is --duration bench soak eth1 eth2 --du
	is "" bench rfc2544 eth1 eth2 --du
	is "" blast -- --ra
}

@test "interfaces, namespaces, labs, files and commands are completed" {
	is lo sink l
	is lo blast lo
	is lo watch eth9 lo
	is lo sweep --dev lo
	[ "$("$TOOL" help complete report x)" = $':files\t' ]
	[ "$("$TOOL" help complete -o x)" = $':files\t' ]
	[ "$("$TOOL" help complete report --svg=x)" = $':files\t--svg=' ]
	[ "$("$TOOL" help complete lab exec a x)" = $':commands\t' ]
	[ "$("$TOOL" help complete lab exec a cat x)" = $':files\t' ]
	is "a b r" lab exec ""
	need_root
	ip netns add completion-a
	defer ip netns del completion-a
	is eg0@completion-a blast --sink eg0@comp
	is eg0@completion-a bench soak lo eg0@comp
	is completion lab down --name comp
}

@test "profiles, features, figures, studies, settings, tests and goals are completed" {
	is voip-g711 blast --profile voi
	is xdp-native doctor --has xdp-na
	is btf,xdp-native doctor --has btf,xdp-na
	is rtt_p99_9_ns sweep --metric rtt_p99_9_
	is rtt_p99_9_ns compare --metric rtt_p99_9_
	is "buffer-packet-tcp buffer-packet-udp buffers" sweep buffe
	is mtu,tcp_sack tune --apply mtu,tcp_sa
	is tcp_sack sweep --vary tcp_sa
	is latency,loss bench rfc2544 a b --tests latency,lo
	is tst009 bench mlrsearch a b --goal tst
}

@test "the command in a lab, and the verb of a sweep, are completed as such" {
	is --records-every lab exec a ethgauge sink eg0 --records-e
	is blast lab exec a ./build/ethgauge bla
	is afxdp sweep --vary batch=1,2 -- blast eth1 ::1 --engine afx
	is blast sweep bla
	is --vary sweep --vary
}

@test "in bash, fish and zsh a line is completed by TAB" {
	need_command python3
	need_command zsh
	need_command fish
	local shell line expected

	mkdir "$BATS_TEST_TMPDIR/bin"
	ln -s "$TOOL" "$BATS_TEST_TMPDIR/bin/ethgauge"
	cd "$BATS_TEST_TMPDIR"
	touch run-1.json
	while IFS='|' read -r line expected; do
		for shell in bash zsh; do
			run -0 python3 "$TOP/tests/lib/complete.py" "$shell" bin/ethgauge "$line"
			[ "$output" = "$expected" ] || fail "$shell, $line: $output"
		done
		run -0 env PATH="$BATS_TEST_TMPDIR/bin:$PATH" fish --no-config -c \
			"source $TOP/scripts/completion/ethgauge.fish; complete -C '$line'"
		# Fish prints the word alone, and what explains it.
		[[ ${expected%]} == *"[${output%%$'\t'*}" ]] || fail "fish, $line: $output"
	done <<-'END'
		ethgauge bl|[ethgauge][blast]
		ethgauge sink --xdp-mode na|[ethgauge][sink][--xdp-mode][native]
		ethgauge blast --profile=im|[ethgauge][blast][--profile=imix]
		ethgauge sink --no-lo|[ethgauge][sink][--no-loss]
		ethgauge report run|[ethgauge][report][run-1.json]
		ethgauge report --csv=run|[ethgauge][report][--csv=run-1.json]
		ethgauge lab exec a taskse|[ethgauge][lab][exec][a][taskset]
	END
}
