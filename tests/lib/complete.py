#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""complete.py SHELL TOOL LINE: what LINE has become in this shell, bash or zsh, when TAB was pressed at its end.

The shell runs on a terminal of its own with the completion from scripts/completion and with TOOL's directory in
its PATH. LINE ends in no space unless it is meant; of several candidates the line gets what they have in common.
"""
import os
import pty
import select
import sys
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LIMIT_S = 20
BEGINNING_OF_LINE = "\x01"
SETUP = {
    "bash": (["bash", "--norc", "--noprofile", "-i"],
             "bind 'set bell-style none' 'set enable-bracketed-paste off'; source {top}/scripts/completion/ethgauge.bash"),
    "zsh": (["zsh", "-f", "-i"],
            "unsetopt zle_bracketed_paste prompt_cr prompt_sp auto_list list_beep; fpath=({top}/scripts/completion $fpath);"
            " bindkey -e; autoload -Uz compinit; compinit -D -u"),
}


class Shell:
    def __init__(self, name, tool):
        argv, setup = SETUP[name]
        env = {"PATH": os.path.dirname(tool) + ":" + os.environ["PATH"], "TERM": "dumb", "HOME": "/nonexistent",
               "PS1": "", "PS2": "", "COLUMNS": "1000", "LC_ALL": "C", "HISTFILE": ""}
        self.pid, self.fd = pty.fork()
        if not self.pid:
            os.execvpe(argv[0], argv, env)
        self.text = ""
        self.type(setup.format(top=TOP) + "; PS1=; echo rea''dy\n")
        self.wait("ready\r\n")

    def type(self, text):
        os.write(self.fd, text.encode())

    def wait(self, end):
        """Read up to this text."""
        until = time.monotonic() + LIMIT_S
        while end not in self.text:
            if not select.select([self.fd], [], [], max(0, until - time.monotonic()))[0]:
                sys.exit(f"complete.py: no {end!r} in {self.text!r}")
            try:
                self.text += os.read(self.fd, 4096).decode(errors="replace")
            except OSError:
                sys.exit(f"complete.py: the shell has ended: {self.text!r}")
        before, _, self.text = self.text.partition(end)
        return before


def main():
    name, tool, line = sys.argv[1:]
    shell = Shell(name, os.path.abspath(tool))
    # The line is not run: it becomes the words of a function, which prints each in brackets.
    shell.type("shown() { printf 'BEG%s' IN; printf '[%s]' \"$@\"; printf 'EN%s\\n' D; }; echo no''w\n")
    shell.wait("now\r\n")
    shell.type(line + "\t" + BEGINNING_OF_LINE + "shown \n")
    shell.wait("BEGIN")
    print(shell.wait("END"))
    os.close(shell.fd)


main()
