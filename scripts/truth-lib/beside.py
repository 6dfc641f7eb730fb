# SPDX-License-Identifier: GPL-2.0-or-later
"""A program that sends to the receiver's port while a run goes on: strays, or forged tags of the run."""
import json
import os
import random
import socket
import sys
import time

from forward import PORT
from path import FAR, TOP, Program, wait_for

sys.path.insert(0, os.path.join(TOP, "tests", "lib"))
import tag  # noqa: E402

RUN = 0x1235        # of blast where its tags are forged
BEGIN = 50          # packets of the run, then it begins
EVERY_S = 0.004


def strays(choice, what):
    """Datagrams without a tag, some too short for one."""
    return [choice.randbytes(choice.randint(0, 60)) for _ in range(what["strays"])]


def forged(choice, what):
    """Valid tags of the run. Numbers fall by more than any window, so that none confirms another; some come
    twice or three times. With "first" they rise from there: each confirms the one before."""
    number, payloads = what.get("first", 2 * 10**9), []
    for _ in range(what["forged"]):
        made = tag.make(RUN, 0, number, time.monotonic_ns())
        payloads += [made] * (1 if "first" in what else choice.choice((1, 1, 2, 3)))
        number += 1 if "first" in what else -choice.randint(200000, 10**6)
    return payloads


def sent_by_driver():
    with open("/proc/self/net/dev", encoding="ascii") as file:
        return next(int(line.split()[10]) for line in file if line.lstrip().startswith("eg0:"))


def send(seed, what):
    """What @what says, after the run has begun."""
    choice = random.Random(seed)
    before = sent_by_driver()
    print("ready", file=sys.stderr, flush=True)
    wait_for("a run begins", lambda: sent_by_driver() - before > BEGIN)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        payloads = strays(choice, what) if "strays" in what else forged(choice, what)
        for payload in payloads:
            sock.sendto(payload, (FAR, PORT))
            if "first" not in what:
                time.sleep(choice.uniform(0, EVERY_S))
    print(len(payloads))


class Beside(Program):
    """@what: {"strays": N} or {"forged": N, ["first": NUMBER]}."""

    def __init__(self, path, what, seed):
        super().__init__([*path.inside("a"), sys.executable, os.path.join(TOP, "scripts", "truth"),
                          "--beside", json.dumps(what), "--seed", str(seed)], says="ready", stdout=-1)
