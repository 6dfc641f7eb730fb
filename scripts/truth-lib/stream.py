# SPDX-License-Identifier: GPL-2.0-or-later
"""blast and sink, through both forwarders."""
import collections
import contextlib
import csv
import json
import re
import signal
import subprocess

from beside import RUN, Beside
from figures import Row, counts_of, delays_of, equal, equal_all, metrics_of, rows_of, selected, sent, share, \
    timed, variation_of
from forward import Forwarder, tag_of, udp_sum_is_right
from path import FAR, Capture, Program, TooSlow

SELECT = "udp dst port 9"

MS = 10**6
WAIT_MS = 2000      # the threshold of loss: RFC 2544, section 23
LOOK_NS = 100 * MS  # when the receiver looks for what is new: not at once on a busy machine
PDV_WAY_NS = 10**5  # from the forwarder's list to the receiver, without what is always there

NOT_LOST = "distinct_packets + unknown_packets"

# @last_ns: only the last packet is delayed; @tail: how many of the last are lost. @part: of the usual number
# of packets. @words: options of the receiver. @beside: of another sender.
Case = collections.namedtuple("Case", "name what part words beside ledger wait_ms window",
                              defaults=(1, (), None, False, WAIT_MS, float("inf")))

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

LATE_CASES = [
    Case("all 700 ms late", {"held": [[1, 700 * MS, 700 * MS]]}, 0.1),
    Case("all 1.5 s late, with the ledger", {"held": [[1, 1500 * MS, 1500 * MS]]}, 0.1, ledger=True),
    Case("a tenth 0.7 to 1.5 s late", {"held": [[0.1, 700 * MS, 1500 * MS]]}, 0.1),
    Case("a tenth late by up to 0.2 s, and a tenth by 1.7 to 2.2 s, --wait 300ms",
         {"held": [[0.1, 0, 200 * MS], [0.1, 1700 * MS, 2200 * MS]]}, 0.1, wait_ms=300),
    Case("all 1.5 s late, --wait 300ms", {"held": [[1, 1500 * MS, 1500 * MS]]}, 0.1, wait_ms=300),
    Case("a tenth 0.7 to 1.5 s late, 1 % lost, with the ledger",
         {"loss": 0.01, "held": [[0.1, 700 * MS, 1500 * MS]]}, 0.1, ledger=True),
]

SOCKET = ("--sink-socket", "--rcvbuf", "8000000")
STRAYS = {"strays": 53}
FEW_STRAYS = {"strays": 19}    # over before a run without delay
SLOW = {"delay_ns": 300 * MS}

BESIDE_CASES = [
    Case("strays, and 300 ms of delay", SLOW, 0.1, (), STRAYS),
    Case("strays, and 300 ms of delay, at a socket", SLOW, 0.1, SOCKET, STRAYS),
    Case("forged numbers, some twice", {"loss": 0.05}, 0.1, (), {"forged": 19}),
    Case("forged numbers, some twice, at a socket", {"loss": 0.05}, 0.1, SOCKET, {"forged": 19}),
    Case("forged numbers that confirm one another", {"loss": 0.05}, 0.1, (), {"forged": 7, "first": 10**6}),
    Case("forged numbers that confirm one another, at a socket", {"loss": 0.05}, 0.1, SOCKET,
         {"forged": 7, "first": 5003}),
]

MIXED = {"loss": 0.02, "twice": 0.05, "late": 0.02, "damage": 0.05}

LEDGER_CASES = [
    Case("nothing", {}, 0.1, ledger=True),
    Case("strays", {}, 0.1, (), FEW_STRAYS, ledger=True),
    Case("copies, strays, and 1 % lost", {"loss": 0.01, "twice": 0.05}, 0.1, (), FEW_STRAYS, ledger=True),
    Case("copies, of which one is damaged", {"twice": 0.1, "damage_copy": 0.7}, 0.1, ledger=True),
    Case("copies, at a socket", {"twice": 0.1}, 0.1, SOCKET, ledger=True),
    Case("copies, of which one is damaged, at a socket", {"twice": 0.1, "damage_copy": 0.7}, 0.1, SOCKET,
         ledger=True),
    Case("all of it", MIXED, 0.1, (), FEW_STRAYS, ledger=True),
    Case("all of it, at a socket", MIXED, 0.1, SOCKET, FEW_STRAYS, ledger=True),
]

WINDOW_WORDS = ("--no-loss", "--order-window", "4096")
BEYOND = {"held": [[0.002, 1200 * MS, 1700 * MS], [0.01, 1 * MS, 500 * MS]]}

WINDOW_CASES = [
    Case("late beyond the window, and within it", BEYOND, 0.5, WINDOW_WORDS, window=4096),
    Case("late beyond the window, and within it, 1 % lost", {**BEYOND, "loss": 0.01}, 0.5, WINDOW_WORDS,
         window=4096),
]

VARIATION_CASES = [
    Case(f"{base} ms, and a deviation of {deviation} us",
         {"delay_ns": base * MS, "deviation_ns": deviation * 1000}, 0.2)
    for base, deviation in ((20, 100), (100, 200), (700, 200), (700, 3000))
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


def same_by_all(records, captured, count=None, case=CASES[0]):
    """[(reader, figures)] of what went to the receiver. A capture that has the same bytes has the same
    figures."""
    def count_all(frames):
        if SOCKET[0] in case.words:
            # The kernel drops what is damaged. A socket sees no frame, but the shortest of Ethernet is known.
            frames = [(frame, max(60, length)) for frame, length in frames if udp_sum_is_right(frame)]
        figures = counts_of(frames, count, case.window)
        if SOCKET[0] in case.words:
            del figures["reordered_extent_max"]
        if case.beside and "first" in case.beside:
            # They have moved the window: what comes after them is below it, and is in no figure of order.
            figures = {NOT_LOST: figures["distinct_packets"], **{key: figures[key] for key in (
                "received_packets", "received_bytes", "lost_packets", "implausible_packets")}}
        return figures
    listed = [(record.frame, record.length) for record in records]
    by_list = count_all(listed)
    return [("list", by_list), ("tcpdump", by_list if captured == listed else count_all(captured))]


def in_time(records, case, count):
    """Those of @records, which were sent to the receiver, that came before it ended: with nothing new for the
    threshold after the last packet of @count was sent."""
    wait_ns = case.wait_ms * MS
    longest_ns = max(most for _, _, most in case.what.get("held", [[0, 0, case.what.get("delay_ns", 0)]]))
    news_ns = max(record.came_ns for record in records)
    there = set()
    for i, record in enumerate(records):
        silent_ns = record.sent_ns - news_ns
        if len(there) < count and silent_ns > wait_ns - LOOK_NS:
            if silent_ns < wait_ns + LOOK_NS:
                raise TooSlow(f"a packet came after {silent_ns / MS:.0f} ms: about the threshold")
            if record.sent_ns - record.came_ns > longest_ns + LOOK_NS:
                raise TooSlow("the forwarder stood still")
            return records[:i]
        news_ns = max(news_ns, record.sent_ns)
        there.add(record.arrival)
    return records


def beside(path, case, seed):
    return Beside(path, case.beside, seed) if case.beside else contextlib.nullcontext()


def of_ledger(document, figures, count):
    """[Row]: each packet in one row, and none in two."""
    ledger = next(part for part in document["parts"] if part["name"] == "ledger")
    rows = {}
    for entry in ledger["entries"]:
        kind = entry["reason"] if entry["reason"] in ("received", "unattributed") else "elsewhere"
        rows[kind] = rows.get(kind, 0) + entry["packets"]
    verdict = next(verdict for verdict in document["verdicts"] if verdict["what"].startswith("the ledger"))
    rows["adds up"] = verdict["pass"]
    return [equal(f"ledger: {kind}", "list", value, rows, kind) for kind, value in (
        ("received", figures["distinct_packets"]), ("elsewhere", figures["lost_packets"]), ("unattributed", 0),
        ("adds up", True))] + \
        [equal("made_packets", "list", count, ledger["metrics"]),
         equal("overclaimed_packets", "list", 0, ledger["metrics"])]


def run(path, tool, forwarder, case, seed, count):
    """[Row] of one run of blast with its own receiver."""
    kind = "C" if forwarder else "Python"
    most, pace = PACE[kind]
    count = count or int(most * case.part)
    with Forwarder(path, forwarder, what_of(case, count), seed, SELECT) as harm, \
            Capture(path, "m", "right", "out", SELECT) as capture, beside(path, case, seed) as other:
        done = subprocess.run(
            [*path.inside("a"), tool, "blast", "eg0", FAR, "--engine", "afxdp", "--json",
             "--count", str(count), *pace, "--interval", "330ms", "--run", str(RUN), "--wait", f"{case.wait_ms}ms",
             "--sink", f"eg0@{path.names['b']}", *case.words, *([] if case.ledger else ["--no-ledger"])],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120, check=False)
        if done.returncode not in (0, 1):
            raise RuntimeError(f"blast ended with {done.returncode}: {done.stderr.decode()}")
        others = int(other.end()) if other else 0
        records = selected(harm.records(), 0)
        captured = capture.frames(len(sent(records)))
    seen = len({record.arrival for record in records}) - others
    document = json.loads(done.stdout)
    metrics, sums = metrics_of(document), rows_of(document)
    metrics[NOT_LOST] = metrics["distinct_packets"] + (metrics.get("unknown_packets") or 0)
    if seen != count:
        raise TooSlow(f"the forwarder saw {seen} of {count} packets")
    rows = equal_all("list", {"sent_packets": seen}, metrics, sums)
    there = in_time(sent(records), case, count)
    if case.beside and not is_of(there[-1], count):
        raise TooSlow("the other sender was the last one")
    by_all = same_by_all(there, captured[:len(there)], count, case)
    for reader, figures in by_all:
        rows += equal_all(reader, figures, metrics, sums)
    if case.ledger:
        rows += of_ledger(document, by_all[0][1], count)
    if "delay_ns" in case.what and "waits" not in case.what and not case.beside:
        delays = delays_of(sent(records))
        rows += [timed(f"delay_p{percent}_ns", "list", share(delays, percent), metrics)
                 for percent in (50, 99)]
    return rows


def is_of(record, count):
    """Not of another sender."""
    fields = tag_of(record.frame)
    return fields is not None and fields[2] < count


def run_sink(path, tool, forwarder, case, seed, count):
    """The same of sink by itself, which passes the packets on: so tcpdump sees them behind it."""
    most, pace = PACE["C" if forwarder else "Python"]
    count = count or int(most * case.part)
    file = path.file("records.csv")
    with Forwarder(path, forwarder, what_of(case, count), seed, SELECT) as harm, \
            Program([*path.inside("b"), tool, "sink", "eg0", "--pass", "--json", "--interval", "330ms", *case.words,
                     *(["--records", file] if case in VARIATION_CASES else [])],
                    says="receiving on", stdout=subprocess.PIPE) as sink, \
            Capture(path, "b", "eg0", "in", SELECT) as capture:
        subprocess.run(
            [*path.inside("a"), tool, "blast", "eg0", FAR, "--engine", "afxdp", "--json",
             "--count", str(count), *pace],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120, check=True)
        records = selected(harm.records(), 0)
        captured = capture.frames(len(sent(records)))
        document = json.loads(sink.end(signal.SIGINT))
    metrics, by_all = metrics_of(document), same_by_all(sent(records), captured, None, case)
    rows = [row for reader, figures in by_all for row in equal_all(reader, figures, metrics, rows_of(document))]
    if "--no-loss" in case.words:
        rows += judged(document, by_all[0][1])
    if case in VARIATION_CASES:
        rows += varied(sent(records), file, metrics)
    return rows


def judged(document, figures):
    """[Row]: the verdict and the note, by the same figures as the total."""
    lost, unknown = figures["lost_packets"], figures["unknown_packets"]
    (verdict,) = [verdict for verdict in document["verdicts"] if verdict["what"].endswith("packets lost")]
    said = list(map(int, re.findall(r"\d+", verdict["what"])))
    noted = [int(note.split()[0]) for note in document["notes"] if "too late to distinguish" in note]
    return [Row("lost_packets, verdict", "list", lost, said[0], said[0] == lost and verdict["pass"] == (not lost)),
            Row("packets, verdict", "list", lost + figures["distinct_packets"] + unknown, said[1],
                said[1] == lost + figures["distinct_packets"] + unknown),
            equal("unknown_packets, note", "list", unknown, {"noted": sum(noted)}, "noted")]


def varied(records, file, metrics):
    """[Row]: by the delay of each packet in sink's records, and by the forwarder's list: of it, the time in the tag
    is by another clock, which is the same to all."""
    with open(file, encoding="ascii") as lines:
        recorded = [int(line["received_mono_ns"]) - int(line["sent_mono_ns"]) for line in csv.DictReader(lines)]
    if len(recorded) != len(records):
        raise TooSlow(f"sink recorded {len(recorded)} of {len(records)} packets")
    listed = [record.sent_ns - tag_of(record.frame)[3] for record in records]
    return variation_of(recorded, "records", metrics) + variation_of(listed, "list", metrics, PDV_WAY_NS)
