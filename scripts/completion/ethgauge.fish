# SPDX-License-Identifier: GPL-2.0-or-later
# Completion for fish: the tool itself knows what may stand next.

function __ethgauge_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    for line in ($words[1] help complete $words[2..-1] "$current" 2>/dev/null)
        set -l parts (string split \t -- $line)
        switch $parts[1]
            case :files
                for path in (__fish_complete_path (string sub -s (math (string length -- "$parts[2]") + 1) -- "$current"))
                    echo $parts[2]$path
                end
            case :commands
                complete -C "$current"
            case '*'
                echo $line
        end
    end
end
complete -c ethgauge -f -a '(__ethgauge_complete)'
