# SPDX-License-Identifier: GPL-2.0-or-later
"""A path of three network namespaces, and programs of others that read what passes there."""
import json
import os
import re
import signal
import struct
import subprocess
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
NEAR, FAR = "198.18.0.1", "198.18.0.2"
CAPTURED_BYTES = 128    # of a frame: no less than tests/net/truth_forwarder.c keeps


class TooSlow(Exception):
    """This machine lost packets by itself: nothing can be said."""


def sh(*words, **options):
    return subprocess.run(words, check=True, **options)


def wait_for(what, holds, seconds=20):
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            raise RuntimeError(f"timed out: {what}")
        time.sleep(0.02)


class Path:
    """a - m - b: three namespaces, taken away at the end."""

    def __init__(self):
        self.names = {end: f"truth{os.getpid()}{end}" for end in "amb"}

    def __enter__(self):
        try:
            return self.make()
        except BaseException:
            self.__exit__()
            raise

    def make(self):
        # What tcpdump and the forwarder write.
        self.directory = tempfile.TemporaryDirectory(prefix="truth.")
        for name in self.names.values():
            sh("ip", "netns", "add", name)
        for end, side in (("a", "left"), ("b", "right")):
            sh("ip", "link", "add", "eg0", "netns", self.names[end], "type", "veth",
               "peer", "name", side, "netns", self.names["m"])
        for end, mac, address, other_mac, other in (
                ("a", "02:e9:00:00:00:0a", NEAR, "02:e9:00:00:00:0b", FAR),
                ("b", "02:e9:00:00:00:0b", FAR, "02:e9:00:00:00:0a", NEAR)):
            inside = ("ip", "-n", self.names[end])
            sh(*inside, "link", "set", "eg0", "address", mac, "up")
            sh(*inside, "addr", "add", address + "/24", "dev", "eg0")
            sh(*inside, "neigh", "add", other, "dev", "eg0", "lladdr", other_mac)
            # A forwarder sees what would be on a wire: no more than the MTU, with its checksum.
            sh(*self.inside(end), "ethtool", "-K", "eg0", "tx", "off", "tso", "off", "gso", "off",
               "gro", "off", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for side in ("left", "right"):
            sh("ip", "-n", self.names["m"], "link", "set", side, "promisc", "on", "up")
            # IPv6 would say hello, and IPv4 would answer.
            sh(*self.inside("m"), "sh", "-c",
               f"echo 1 >/proc/sys/net/ipv6/conf/{side}/disable_ipv6")
        return self

    def __exit__(self, *_):
        for name in self.names.values():
            subprocess.run(["ip", "netns", "del", name], check=False, stderr=subprocess.DEVNULL)
        self.directory.cleanup()

    def inside(self, end):
        return ("ip", "netns", "exec", self.names[end])

    def file(self, name):
        return os.path.join(self.directory.name, name)

    def read(self, end, *words):
        return sh(*self.inside(end), *words, stdout=subprocess.PIPE, text=True).stdout

    def counters(self, end, interface):
        """{"rx": {"bytes": N, ...}, "tx": {...}}, by the driver."""
        return json.loads(self.read(end, "ip", "-json", "-s", "link", "show", interface))[0]["stats64"]

    def kernel(self, end):
        """The kernel's counters of this namespace by name, as nstat prints them."""
        lines = self.read(end, "nstat", "-a", "-s", "-z").splitlines()
        return {words[0]: int(words[1]) for words in map(str.split, lines) if words[0] != "#kernel"}


class Program:
    """A command beside the test; ended by a signal, or by its own end."""

    def __init__(self, words, says="", **options):
        self.error = tempfile.TemporaryFile()
        self.process = subprocess.Popen(words, stderr=self.error, text=True, **options)
        try:
            wait_for(f"{words} says '{says}'", lambda: says in self.said() or self.process.poll() is not None)
            if says not in self.said():
                raise RuntimeError(f"{words}: {self.said()}")
        except BaseException:
            self.kill()
            raise

    def said(self):
        # The program writes at the same file offset.
        return os.pread(self.error.fileno(), 1 << 20, 0).decode()

    def end(self, number=None, line=None):
        """What it printed."""
        if number:
            self.process.send_signal(number)
        return self.process.communicate(line, timeout=60)[0]

    def kill(self):
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe:
                pipe.close()
        self.error.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.kill()


class Capture(Program):
    """tcpdump at an interface, of one direction: "in" or "out"."""

    def __init__(self, path, end, interface, direction, expression):
        self.path = path.file("capture.pcap")
        super().__init__(
            [*path.inside(end), "tcpdump", "-i", interface, "-Q", direction, "-s", str(CAPTURED_BYTES),
             "-B", "65536", "--immediate-mode", "-Z", "root", "-n", "-w", self.path, expression],
            says="listening on")

    def frames(self, number):
        """[(first bytes, length)], of @number that passed."""
        # What it has not read yet would not be in the file.
        time.sleep(0.3)
        self.end(signal.SIGINT)
        captured = int(re.search(r"(\d+) packets? captured", self.said())[1])
        if captured < number:
            raise TooSlow(f"tcpdump saw {captured} of {number} packets")
        with open(self.path, "rb") as file:
            data = file.read()
        frames, at = [], 24
        while at < len(data):
            kept, length = struct.unpack_from("=8xII", data, at)
            frames.append((data[at + 16:at + 16 + kept], length))
            at += 16 + kept
        return frames
