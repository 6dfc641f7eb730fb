# SPDX-License-Identifier: GPL-2.0-or-later
"""blast and sink, through both forwarders."""
import collections
import json
import signal
import subprocess

from figures import counts_of, delays_of, equal_all, metrics_of, rows_of, selected, sent, share, timed
from forward import Forwarder
from path import FAR, Capture, Program, TooSlow

SELECT = "udp dst port 9"

# @last_ns: only the last packet is delayed; @tail: how many of the last are lost.
Case = collections.namedtuple("Case", "name what part", defaults=(1,))

CASES = [
    Case("nothing", {}),
    Case("loss by chance", {"loss": 0.01}),
    Case("losses in bursts", {"burst_into": 0.005, "burst_out": 0.2}),
    Case("the first 100 and the last 500 lost", {"head": 100, "tail": 500}, 0.5),
    Case("copies", {"twice": 0.03}),
    Case("packets twice, and the last 200 ms late", {"twice": 0.03, "loss": 0.01, "last_ns": 200 * 10**6}, 0.5),
    Case("late by 1 to 20 places", {"late": 0.02}),
    Case("late by 1 to 1000 places", {"late": 0.005, "far": 1000}),
    Case("1 to 5 bits of the tag damaged", {"damage": 0.05}),
    Case("a second sender with the same stream", {"foreign": 7}),
    Case("5 ms of delay", {"delay_ns": 5 * 10**6}, 0.5),
    Case("all of it", {"loss": 0.01, "twice": 0.01, "late": 0.02, "damage": 0.01}),
]

# Primes. The forwarder in C gets ten times as many, in bursts, of a size that Ethernet need not fill up.
PACE = {
    "Python": (20011, ["--rate", "4000pps"]),
    "C": (200003, ["--rate", "200kpps", "--burst", "61", "--every", "1ms", "--frame-bytes", "101"]),
}


def what_of(case, count):
    what = dict(case.what)
    if "tail" in what:
        what["tail_from"] = count - what.pop("tail")
    if "last_ns" in what:
        what.update(delay_ns=what.pop("last_ns"), waits=count - 1)
    return what


def same_by_all(records, captured, count=None):
    """[(reader, figures)] of what went to the receiver. A capture that has the same bytes has the same
    figures."""
    listed = [(record.frame, record.length) for record in records]
    by_list = counts_of(listed, count)
    return [("list", by_list), ("tcpdump", by_list if captured == listed else counts_of(captured, count))]


def run(path, tool, forwarder, case, seed, count):
    """[Row] of one run of blast with its own receiver."""
    kind = "C" if forwarder else "Python"
    most, pace = PACE[kind]
    count = count or int(most * case.part)
    with Forwarder(path, forwarder, what_of(case, count), seed, SELECT) as harm, \
            Capture(path, "m", "right", "out", SELECT) as capture:
        done = subprocess.run(
            [*path.inside("a"), tool, "blast", "eg0", FAR, "--engine", "afxdp", "--json",
             "--count", str(count), *pace, "--interval", "330ms",
             "--sink", f"eg0@{path.names['b']}", "--no-ledger"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120, check=False)
        if done.returncode not in (0, 1):
            raise RuntimeError(f"blast ended with {done.returncode}: {done.stderr.decode()}")
        records = selected(harm.records(), 0)
        captured = capture.frames(len(sent(records)))
    seen = len({record.arrival for record in records})
    document = json.loads(done.stdout)
    metrics, sums = metrics_of(document), rows_of(document)
    if seen != count:
        raise TooSlow(f"the forwarder saw {seen} of {count} packets")
    rows = equal_all("list", {"sent_packets": seen}, metrics, sums)
    for reader, figures in same_by_all(sent(records), captured, count):
        rows += equal_all(reader, figures, metrics, sums)
    if "delay_ns" in case.what and "waits" not in case.what:
        delays = delays_of(sent(records))
        rows += [timed(f"delay_p{percent}_ns", "list", share(delays, percent), metrics)
                 for percent in (50, 99)]
    return rows


def run_pass(path, tool, forwarder, case, seed, count):
    """The same of sink by itself, which passes the packets on: so tcpdump sees them behind it."""
    count = count or int(PACE["C"][0] * case.part)
    with Forwarder(path, forwarder, what_of(case, count), seed, SELECT) as harm, \
            Program([*path.inside("b"), tool, "sink", "eg0", "--pass", "--json", "--interval", "330ms"],
                    says="receiving on", stdout=subprocess.PIPE) as sink, \
            Capture(path, "b", "eg0", "in", SELECT) as capture:
        subprocess.run(
            [*path.inside("a"), tool, "blast", "eg0", FAR, "--engine", "afxdp", "--json",
             "--count", str(count), *PACE["C"][1]],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120, check=True)
        records = selected(harm.records(), 0)
        captured = capture.frames(len(sent(records)))
        document = json.loads(sink.end(signal.SIGINT))
    return [row for reader, figures in same_by_all(sent(records), captured)
            for row in equal_all(reader, figures, metrics_of(document), rows_of(document))]
