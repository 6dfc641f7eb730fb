# SPDX-License-Identifier: GPL-2.0-or-later
"""ping, rr and probe to far ends that are no part of the tool: the kernel, and an echo in Python."""
import collections
import json
import os
import re
import socket
import statistics
import subprocess
import sys

from figures import WAY_NS, Row, equal, metrics_of, order_of, selected, sent, share, tag_of, timed
from forward import Forwarder
from path import FAR, TOP, Program

ECHO_PORT = 7
ECHO = f"udp port {ECHO_PORT}"
DELAY_NS = 5 * 10**6
LOSS = {"loss": 0.02, "back": {"loss": 0.03}}
COPIES = {"twice": 0.05, "back": {"twice": 0.03, "late": 0.05, "far": 7}}
BOTH = {"delay_ns": DELAY_NS, "back": {"delay_ns": DELAY_NS}}

Case = collections.namedtuple("Case", "name words select what count", defaults=(1009,))

CASES = [
    Case(f"{words[0]}, {name}", words, select, what)
    for words, select in (
        (["ping", FAR, "--rate", "1kpps"], "icmp"),
        (["rr", FAR, "--rate", "1kpps", "--port", str(ECHO_PORT)], ECHO),
        (["probe", "eg0", FAR, "--rate", "1kpps", "--port", str(ECHO_PORT), "--engine", "afxdp"], ECHO))
    for name, what in (("losses both ways", LOSS), ("copies both ways, and late answers", COPIES),
                       ("5 ms of delay each way", BOTH))
]


def echo():
    """UDP, back to where it came from, until it is killed."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.bind(("", ECHO_PORT))
        print("ready", file=sys.stderr, flush=True)
        while True:
            sock.sendto(*sock.recvfrom(2048))


def far_end(path):
    return Program([*path.inside("b"), sys.executable, os.path.join(TOP, "scripts", "truth"), "--echo"],
                   says="ready")


def numbers_of(records):
    return [tag_of(record.frame)[2] for record in records]


def round_trips(records):
    """Of each number from its first request to its first answer, as the forwarder saw them."""
    came, trips = {}, {}
    for record in selected(records, 0):
        came.setdefault(tag_of(record.frame)[2], record.came_ns)
    for record in sent(selected(records, 1)):
        number = tag_of(record.frame)[2]
        trips.setdefault(number, record.sent_ns - came[number])
    return list(trips.values())


def run(path, tool, forwarder, case, seed, count):
    """[Row]"""
    with Forwarder(path, forwarder, case.what, seed, case.select) as harm, far_end(path):
        done = subprocess.run([*path.inside("a"), tool, *case.words, "--count", str(count or case.count),
                               "--interval", "0", "--json"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120, check=False)
        if done.returncode:
            raise RuntimeError(f"{case.name}: ended with {done.returncode}: {done.stderr.decode()}")
        records = harm.records()
    metrics = metrics_of(json.loads(done.stdout))
    requests = len({record.arrival for record in selected(records, 0)})
    answers = numbers_of(sent(selected(records, 1)))
    order = order_of(answers, requests)
    rows = [equal("sent_packets", "list", requests, metrics),
            equal("received_packets", "list", len(answers), metrics)]
    rows += [equal(key, "list", order[key], metrics) for key in
             ("distinct_packets", "lost_packets", "duplicate_packets", "reordered_packets")]
    if "delay_ns" in case.what:
        trips = round_trips(records)
        rows.append(equal("rtt_packets", "list", len(trips), metrics))
        rows += [timed(f"rtt_p{percent}_ns", "list", share(trips, percent), metrics) for percent in (50, 90)]
        rows.append(timed("rtt_min_ns", "list", min(trips), metrics))
    return rows


# -- beside the ping of iputils --------------------------------------------------------------

PING_CASE = Case("ping and iputils in turn, 5 ms of delay each way", [], "icmp", BOTH, 101)
ROUNDS = 3


def first_echoes(records, side):
    """{ICMP sequence number: its first record}: iputils' ping has no tag."""
    found = {}
    for record in sent(selected(records, side)):
        found.setdefault(record.frame[40:42], record)
    return found


def iputils_p50_ns(path, _, count):
    text = path.read("a", "ping", "-n", "-c", str(count), "-i", "0.01", "-s", "18", FAR)
    times = [float(ms) for ms in re.findall(r"time=([\d.]+) ms", text)]
    if len(times) != count:
        raise RuntimeError(f"ping: {text}")
    return round(share(times, 50) * 1e6)


def tool_p50_ns(path, tool, count):
    text = path.read("a", tool, "ping", FAR, "--count", str(count), "--rate", "100pps", "--interval", "0",
                     "--json", "--quiet", "--frame-bytes", "64")
    return metrics_of(json.loads(text))["rtt_p50_ns"]


def run_in_turn(path, tool, forwarder, case, seed, count):
    """[Row]: the medians of ROUNDS medians. A busy machine delays the forwarder as well, not equally in
    each round: so each is held against the list of its own round."""
    rounds = {"ping": [], "tool": []}
    for _ in range(ROUNDS):
        for who, p50_of in (("ping", iputils_p50_ns), ("tool", tool_p50_ns)):
            with Forwarder(path, forwarder, case.what, seed, case.select) as harm:
                reported = p50_of(path, tool, count or case.count)
                records = harm.records()
            came, went = (first_echoes(records, side) for side in (0, 1))
            rounds[who].append((share([went[n].sent_ns - came[n].came_ns for n in went], 50), reported))
    beyond = {who: round(statistics.median(reported - listed for listed, reported in pairs))
              for who, pairs in rounds.items()}
    listed, reported = (round(statistics.median(values)) for values in zip(*rounds["tool"]))
    theirs_listed, theirs = (round(statistics.median(values)) for values in zip(*rounds["ping"]))
    return [
        timed("rtt_p50_ns", "list", listed, {"rtt_p50_ns": reported}),
        timed("rtt_p50_ns of iputils", "list", theirs_listed, {"rtt_p50_ns of iputils": theirs}),
        Row("rtt_p50_ns beyond the list", "ping", beyond["ping"], beyond["tool"],
            abs(beyond["ping"] - beyond["tool"]) <= WAY_NS),
    ]
