# SPDX-License-Identifier: GPL-2.0-or-later
"""ping, rr and probe to far ends that are no part of the tool: the kernel, and an echo in Python."""
import collections
import contextlib
import json
import os
import re
import socket
import statistics
import subprocess
import sys

from figures import WAY_NS, Row, equal, metrics_of, order_of, selected, sent, share, tag_of, timed
from forward import UDP_PAYLOAD, WHOLE, Forwarder, payload_is_right, sum_is_right
from path import FAR, TOP, Program, TooSlow

ECHO_PORT = 7
ECHO = f"udp port {ECHO_PORT}"
DELAY_NS = 5 * 10**6
LOSS = {"loss": 0.02, "back": {"loss": 0.03}}
COPIES = {"twice": 0.05, "back": {"twice": 0.03, "late": 0.05, "far": 7}}
BOTH = {"delay_ns": DELAY_NS, "back": {"delay_ns": DELAY_NS}}

# Of the frame after the UDP or ICMP header, which the forwarder's list has whole.
BYTES = 128
DAMAGE = {"damage": 0.05, "damage_bytes": BYTES - UDP_PAYLOAD}
WAIT_MS = 500
SIZE = ["--frame-bytes", str(BYTES + 4)]

Case = collections.namedtuple("Case", "name words select what count", defaults=(1009,))

CASES = [
    Case(f"{words[0]}, {name}", words, select, what)
    for words, select in (
        (["ping", FAR, "--rate", "1kpps"], "icmp"),
        (["rr", FAR, "--rate", "1kpps", "--port", str(ECHO_PORT)], ECHO),
        (["probe", "eg0", FAR, "--rate", "1kpps", "--port", str(ECHO_PORT), "--engine", "afxdp"], ECHO))
    for name, what in (("losses both ways", LOSS), ("copies both ways, and late answers", COPIES),
                       ("5 ms of delay each way", BOTH))
] + [
    Case(f"{words[0]}, engine {engine}, damage both ways",
         [*words, *SIZE, "--wait", f"{WAIT_MS}ms", "--engine", engine], select, {**DAMAGE, "back": DAMAGE})
    for words, select, engines in (
        (["ping", FAR, "--flood", "--outstanding", "53"], "icmp", ("afxdp", "bounce", "stack")),
        (["rr", FAR, "--port", str(ECHO_PORT), "--outstanding", "53"], ECHO, ("afxdp", "bounce", "stack")),
        (["probe", "eg0", FAR, "--rate", "1kpps", "--port", str(ECHO_PORT)], ECHO, ("afxdp",)))
    for engine in engines
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


def receives_bounced(path, tool, case):
    """veth hands over what XDP_TX sends only to an end with an XDP program: one that passes everything."""
    if "bounce" not in case.words:
        return contextlib.nullcontext()
    return Program([*path.inside("m"), tool, "reflect", "left", "--port", "1", "--no-icmp", "--json"],
                   says="answering on", stdout=subprocess.DEVNULL)


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


def check_damage(case, records, metrics):
    """[Row] of answers of which some are damaged, or answer a damaged request. The far end's kernel drops what has
    a wrong checksum, and so does that of a UDP socket here."""
    verb, at_socket = case.words[0], "stack" in case.words
    requests = len({record.arrival for record in selected(records, 0)})
    asked, answered = ({tag_of(record.frame)[1:3]: record for record in selected(records, side)
                        if record.fate == WHOLE and tag_of(record.frame)} for side in (0, 1))
    whole = asked.keys() & answered.keys()
    if max(answered[key].sent_ns - asked[key].came_ns for key in whole) > WAIT_MS * 10**6 // 2:
        raise TooSlow("an answer came too late")
    answers = [record.frame for record in sent(selected(records, 1))]
    wrong = [frame for frame in answers if not sum_is_right(frame)]
    rest = [frame for frame in answers if sum_is_right(frame)]
    tagged = [frame for frame in rest if tag_of(frame)]
    # The requests of probe have no pattern.
    altered = [frame for frame in tagged if verb != "probe" and not payload_is_right(frame)]
    intact = len(tagged) - len(altered)
    if verb != "probe" and intact != len(whole):
        raise RuntimeError(f"{intact} answers are intact, {len(whole)} round trips were not damaged")
    seen_wrong = 0 if at_socket and verb == "rr" else len(wrong)
    untagged = len(rest) - len(tagged) if verb == "probe" else 0
    return [equal(figure, "list", value, metrics) for figure, value in (
        ("sent_packets", requests), ("received_packets", len(tagged) + seen_wrong + untagged),
        ("distinct_packets", intact), ("rtt_packets", intact), ("lost_packets", requests - intact),
        ("bad_checksum_packets", seen_wrong), ("bad_payload_packets", len(altered)),
        ("untagged_packets", untagged), ("duplicate_packets", 0))]


def run(path, tool, forwarder, case, seed, count):
    """[Row]"""
    with Forwarder(path, forwarder, case.what, seed, case.select) as harm, far_end(path), \
            receives_bounced(path, tool, case):
        done = subprocess.run([*path.inside("a"), tool, *case.words, "--count", str(count or case.count),
                               "--interval", "0", "--json"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120, check=False)
        if done.returncode not in (0, 1):
            raise RuntimeError(f"{case.name}: ended with {done.returncode}: {done.stderr.decode()}")
        records = harm.records()
    metrics = metrics_of(json.loads(done.stdout))
    if "damage" in case.what:
        return check_damage(case, records, metrics)
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
