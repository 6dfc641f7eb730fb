#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""screen.py KEYS [--size COLUMNSxLINES] -- CMD...

Runs CMD on a terminal of its own and prints its screen, as pyte understands it, after
each key of KEYS, each screen after a line "== KEY". Of KEYS, "w" is none, "rCxL" resizes, "^C" is
that, and words as "TAB", "DOWN" are these; the rest is typed. KEY=TEXT waits until TEXT is on the
screen, with spaces for its underlines; a KEY alone until the screen changes or CMD ends. The last
lines are "== end STATUS", whether the terminal is as it was, and what was printed
after the full-screen view.
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
# What pyte understands is the console of Linux; it gets the command to show its cursor at the end.
CURSOR_ON = "\x1b[?25h"
PATIENCE = 10 * int(os.environ.get("TESTS_SLOW", "1"))


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

    def run(self, seconds, until=lambda: False):
        """Feed the screen for this time, until the condition holds, or until the output ends."""
        end = time.monotonic() + seconds
        while time.monotonic() < end and not until():
            ready, _, _ = select.select([self.master], [], [], 0.05)
            if ready:
                data = os.read(self.master, 65536)
                self.raw += data
                self.stream.feed(data)
            elif self.child.poll() is not None:
                return

    def settle(self, before, text):
        """Until a key has done what it does, and the screen is drawn to its end."""
        if text:
            self.run(PATIENCE, lambda: any(text in line for line in self.screen.display))
        else:
            self.run(1, lambda: self.screen.display != before)
        # A screen may come in several pieces.
        for _ in range(20):
            had = len(self.raw)
            self.run(0.05)
            if len(self.raw) == had:
                break

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
    for word in words[0].split():
        key, _, text = word.partition("=")
        before = terminal.screen.display
        if key[0] == "r" and "x" in key:
            terminal.resize(*(int(n) for n in key[1:].split("x")))
        elif key != "w":
            os.write(terminal.master, NAMED.get(key, key.encode()))
        terminal.settle(before, text.replace("_", " "))
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
