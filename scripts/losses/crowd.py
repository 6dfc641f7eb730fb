# SPDX-License-Identifier: GPL-2.0-or-later
"""Network namespaces as those of containers, at one bridge, with UDP traffic of their own that is partly lost."""
import ctypes
import os
import random
import signal
import socket
import subprocess
import sys
import time

from bench.wire import Failed, TOP, run

CLONE_NEWNET = 0x40000000
PORTS = 9, 53, 4789, 49152      # 9: that of the test; only at 53 there is a listener
BURST, PAUSE_S = 8, 0.005       # 1600 packets a second in all
LIMIT_S = 3600


def address(number):
    return f"10.78.{number // 250}.{number % 250 + 1}"


def sockets_of(names):
    """Of each namespace one that sends, and one that receives at port 53."""
    libc, senders, receivers = ctypes.CDLL(None, use_errno=True), [], []
    for number, name in enumerate(names):
        with open(f"/run/netns/{name}", "rb") as file:
            if libc.setns(file.fileno(), CLONE_NEWNET):
                raise OSError(ctypes.get_errno(), f"setns {name}")
        senders.append(socket.socket(socket.AF_INET, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK))
        receiver = socket.socket(socket.AF_INET, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
        receiver.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2304)      # it reads nothing, and so drops
        receiver.bind((address(number), 53))
        receivers.append(receiver)
    return senders, receivers


def talk(names):
    """What containers lose: without a listener, without a route, at a full socket, without a neighbour."""
    choice = random.Random(1)
    senders, receivers = sockets_of(names)
    print("ready", flush=True)
    until = time.monotonic() + LIMIT_S
    while receivers and time.monotonic() < until and os.getppid() != 1:
        for _ in range(BURST):
            to = choice.choice([address(choice.randrange(len(names))), "203.0.113.9", "10.78.9.9"])
            try:
                choice.choice(senders).sendto(bytes(choice.randint(18, 1200)), (to, choice.choice(PORTS)))
            except OSError:
                pass            # no route, or the ICMP error of an earlier one
        time.sleep(PAUSE_S)


class Crowd:
    def __init__(self, name, nr):
        self.hub = f"{name}-h"
        self.names = [f"{name}-c{number}" for number in range(nr)]
        self.process = None

    def __enter__(self):
        try:
            self.make()
        except BaseException:
            self.__exit__()
            raise
        return self

    def make(self):
        for name in (self.hub, *self.names):
            run("ip", "netns", "add", name)
        links = ["link add br0 type bridge", "link set br0 up"]
        for number, name in enumerate(self.names):
            links += [f"link add v{number} type veth peer name eth0 netns {name}",
                      f"link set v{number} master br0 up"]
        run("ip", "-n", self.hub, "-batch", "-", data="\n".join(links) + "\n")
        for number, name in enumerate(self.names):
            run("ip", "-n", name, "-batch", "-", data="link set lo up\nlink set eth0 up\n"
                f"addr add {address(number)}/16 dev eth0\n")
        # In a session of its own: ^C is for this process, which ends it.
        # pylint: disable=consider-using-with
        self.process = subprocess.Popen([sys.executable, os.path.join(TOP, "scripts", "plant-losses"), "--talk",
                                         *self.names], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL,
                                        start_new_session=True)
        if self.process.stdout.readline() != b"ready\n":
            raise Failed("the namespaces with traffic of their own do not start")

    def __exit__(self, *_):
        if self.process:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
        for name in (self.hub, *self.names):
            subprocess.run(["ip", "netns", "del", name], capture_output=True, check=False)
