# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# Completion for bash: the tool itself knows what may stand next.

# $1: the command as it is typed; $2: the part of the word that readline replaces, which begins
# behind the last of = : and @.
_ethgauge()
{
	local text=${COMP_LINE:0:COMP_POINT} words word kept

	COMPREPLY=()
	read -ra words <<<"$text"
	[[ $text != *[[:space:]] ]] || words+=("")
	kept=${words[-1]%"$2"}
	while IFS=$'\t' read -r word _; do
		case $word in
		:files)
			compopt -o filenames 2>/dev/null
			mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$2")
			;;
		:commands) mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -c -- "$2") ;;
		*) COMPREPLY+=("${word#"$kept"}") ;;
		esac
	done < <("$1" help complete "${words[@]:1}" 2>/dev/null)
}
complete -F _ethgauge ethgauge
