#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""watch_screen.py KEYS [--size COLUMNSxLINES] -- CMD...

Runs CMD on a terminal of its own and prints its screen, as pyte understands it, after
each key of KEYS, each screen behind a line "== KEY". Of KEYS, "wN" waits N seconds, "rCxL"
resizes, "^C" is that, and words as "TAB", "DOWN" are these; the rest is typed. The last
lines are "== end STATUS", whether the terminal is as it was, and what was printed
behind the full-screen view.
"""
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time

import pyte

NAMED = {"TAB": b"\t", "ENTER": b"\r", "ESC": b"\x1b", "^C": b"\x03", "UP": b"\x1b[A",
         "DOWN": b"\x1b[B", "RIGHT": b"\x1b[C", "LEFT": b"\x1b[D", "SPACE": b" "}
# What pyte understands is the console of Linux; it is told to show its cursor at the end.
CURSOR_ON = "\x1b[?25h"


class Terminal:
    def __init__(self, columns, lines, command):
        self.master, slave = pty.openpty()
        self.slave = slave
        self.screen = pyte.Screen(columns, lines)
        self.stream = pyte.ByteStream(self.screen)
        self.raw = b""
        self.resize(columns, lines)
        self.before = termios.tcgetattr(slave)
        self.child = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave,
                                      preexec_fn=self.adopt, close_fds=True,
                                      env=dict(os.environ, TERM="linux"))

    def adopt(self):
        os.setsid()
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    def resize(self, columns, lines):
        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
        self.screen.resize(lines, columns)
        if hasattr(self, "child"):
            self.child.send_signal(signal.SIGWINCH)

    def run(self, seconds):
        """Feeds the screen for so long, or until nobody writes any more."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            ready, _, _ = select.select([self.master], [], [], 0.05)
            if ready:
                data = os.read(self.master, 65536)
                self.raw += data
                self.stream.feed(data)
            elif self.child.poll() is not None:
                return

    def show(self, title):
        print("==", title)
        for line in self.screen.display:
            print(line.rstrip())


def main():
    split = sys.argv.index("--")
    words, command = sys.argv[1:split], sys.argv[split + 1:]
    size = (160, 40)
    if "--size" in words:
        at = words.index("--size")
        size = tuple(int(n) for n in words[at + 1].split("x"))
        del words[at:at + 2]
    terminal = Terminal(*size, command)
    for key in words[0].split():
        if key[0] == "w" and key[1:].replace(".", "").isdigit():
            terminal.run(float(key[1:]))
        elif key[0] == "r" and "x" in key:
            terminal.resize(*(int(n) for n in key[1:].split("x")))
            terminal.run(0.5)
        else:
            os.write(terminal.master, NAMED.get(key, key.encode()))
            terminal.run(0.5)
        terminal.show(key)
    for _ in range(100):
        if terminal.child.poll() is not None:
            break
        terminal.run(0.1)
    else:
        terminal.child.kill()
    status = terminal.child.wait()
    terminal.run(0.3)
    print("== end", status)
    print("terminal", "restored" if termios.tcgetattr(terminal.slave) == terminal.before else "spoilt")
    print(terminal.raw.decode(errors="replace").rpartition(CURSOR_ON)[2].replace("\r", ""))


main()
