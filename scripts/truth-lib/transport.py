# SPDX-License-Identifier: GPL-2.0-or-later
"""tcp and udp against serve, through the forwarder in C: held against its list, tcpdump, and what the
kernel says of its sockets (ss) and counts (nstat)."""
import collections
import json
import re
import signal
import struct
import subprocess

from figures import equal, metrics_of, order_of, rows_of, selected, sent, share, summed, tag_of, timed, \
    udp_sum_is_right
from forward import LOST, Forwarder
from path import FAR, Capture, Program, TooSlow, wait_for

CONTROL_PORT = 14880
# With payload: what is lost is sent again.
TCP_DATA = f"tcp and not port {CONTROL_PORT} and " \
    "ip[2:2] - ((ip[0] & 0xf) << 2) - ((tcp[12] & 0xf0) >> 2) != 0"
# By the run in its tag: all but the datagrams that open a stream.
UDP_DATA = "udp and udp[10:2] = 1"
OPENING_RUN = 0     # of the datagram that opens a stream
PROTOCOLS = {"tcp": 6, "udp": 17}
FIN, SYN = 1, 2
REQUEST_BYTES, RESPONSE_BYTES = 101, 211

Segment = collections.namedtuple("Segment", "ports sequence length flags")


def segment_of(record):
    """None: not TCP, or of the control connection."""
    frame = record.frame
    if frame[12:14] != b"\x08\x00" or frame[23] != 6:
        return None
    tcp = 14 + 4 * (frame[14] & 15)
    source, destination, sequence = struct.unpack_from("!HHI", frame, tcp)
    payload = struct.unpack_from("!H", frame, 16)[0] - (tcp - 14) - 4 * (frame[tcp + 12] >> 4)
    return Segment((source, destination), sequence, payload, frame[tcp + 13])


class Connection:
    """One direction of it, of what the forwarder received and what it sent on."""

    def __init__(self, first):
        self.first = first.sequence
        self.end = 0                # the highest so far
        self.holes = []             # below it, what has not come: two CPUs may send out of order
        self.again = 0              # segments that were sent again
        self.spans = []             # what was sent on

    def take(self, segment, is_sent):
        length = segment.length + (segment.flags & SYN > 0) + (segment.flags & FIN > 0)
        at = segment.sequence - self.first & 0xFFFFFFFF
        if not length or at >= 1 << 31:
            return                  # a probe of a connection that is idle
        if at >= self.end:
            self.holes += [(self.end, at)] if at > self.end else []
        elif not any(low <= at < high for low, high in self.holes):
            self.again += 1
        self.holes = [hole for low, high in self.holes
                      for hole in ((low, min(high, at)), (max(low, at + length), high)) if hole[0] < hole[1]]
        self.end = max(self.end, at + length)
        # Without SYN and FIN, which are no bytes.
        if is_sent and segment.length:
            at += segment.flags & SYN > 0
            self.spans.append((at, at + segment.length))

    def delivered(self):
        count, end = 0, 0
        for low, high in sorted(self.spans):
            count += max(0, high - max(low, end))
            end = max(end, high)
        return count


def connections_of(records, side):
    """[Connection] of the data connections from @side, and those of the control connection. Each begins
    with a SYN: ports may be used again."""
    data, control, open_ones = [], [], {}
    for record in sorted((record for record in records if record.side == side), key=lambda r: r.arrival):
        segment = segment_of(record)
        if not segment:
            continue
        connection = open_ones.get(segment.ports)
        if segment.flags & SYN and not (connection and connection.first == segment.sequence):
            connection = open_ones[segment.ports] = Connection(segment)
            (control if CONTROL_PORT in segment.ports else data).append(connection)
        if connection:
            connection.take(segment, record.fate != LOST)
    return data, control


class Sockets(Program):
    """ss, which prints each TCP socket of a namespace as it is destroyed, with what TCP knows of it."""

    def __init__(self, path, end):
        super().__init__([*path.inside(end), "stdbuf", "-oL", "ss", "-t", "-i", "-n", "-O", "-E"],
                         stdout=subprocess.PIPE)
        # Of NETLINK_SOCK_DIAG, with groups that it listens to.
        wait_for("ss listens", lambda: any(
            words[1] == "4" and words[3].strip("0")
            for words in map(str.split, path.read(end, "cat", "/proc/net/netlink").splitlines())))

    def read(self):
        """[{name: number}] of data connections."""
        lines = self.end(signal.SIGINT).splitlines()
        return [{name: int(number) for name, number in re.findall(r"(\w+):(?:\d+/)?(\d+)\b", line)}
                for line in lines if "bytes_" in line and f":{CONTROL_PORT} " not in line]


Case = collections.namedtuple("Case", "name words select what check")


def check_stream(seen, sender):
    """Of one connection, from @sender on: 0 is the client."""
    data, control = connections_of(seen.records, sender)
    ends = "ab" if sender == 0 else "ba"
    rows = [
        equal("payload_received_bytes", "list", sum(c.delivered() for c in data), seen.metrics),
        equal("tcp_retransmits", "list", sum(c.again for c in data), seen.metrics),
        equal("tcp_retransmits", "nstat", seen.grown(ends[0], "TcpRetransSegs") -
              sum(c.again for c in control), seen.metrics),
    ]
    if sender == 0:
        captured = connections_of(seen.captured, 0)[0]
        rows.append(equal("payload_received_bytes", "tcpdump",
                          sum(c.delivered() for c in captured), seen.metrics))
    for name, end, count in (
            ("payload_sent_bytes", ends[0], lambda s: s.get("bytes_sent", 0) - s.get("bytes_retrans", 0)),
            # TCP counts a FIN as a byte.
            ("payload_received_bytes", ends[1], lambda s: max(0, s.get("bytes_received", 0) - 1)),
            ("tcp_retransmits", ends[0], lambda s: s.get("retrans", 0))):
        rows.append(equal(name, "ss", sum(map(count, seen.sockets[end])), seen.metrics))
    return rows + [summed("tcp_retransmits", "list", sum(c.again for c in data), seen.sums)]


def first_of_each(records):
    """The records of a connection's payload, each byte once: when it first came, and when it was sent."""
    came, went, end = [], [], {}
    for record in sorted(records, key=lambda r: r.arrival):
        segment = segment_of(record)
        if segment and segment.length and CONTROL_PORT not in segment.ports:
            key = segment.ports, segment.sequence
            if key not in end:
                came.append(record.came_ns)
                end[key] = len(went)
                went.append(0)
            if record.fate != LOST and not went[end[key]]:
                went[end[key]] = record.sent_ns
    return came, went


def round_trips(seen):
    """As the forwarder saw them: from a request that came to its response that was sent."""
    asked, _ = first_of_each([r for r in seen.records if r.side == 0])
    _, answered = first_of_each([r for r in seen.records if r.side == 1])
    return [back - there for there, back in zip(asked, answered)]


def check_tcp_rr(seen, _):
    asked, answered = (sum(c.delivered() for c in connections_of(seen.records, side)[0]) for side in (0, 1))
    by_socket = [sum(s.get("bytes_sent", 0) - s.get("bytes_retrans", 0) for s in seen.sockets[end])
                 for end in "ab"]
    rows = []
    for reader, requests, responses in (("list", asked, answered), ("ss", *by_socket)):
        rows += [equal("requests_sent", reader, requests / REQUEST_BYTES, seen.metrics),
                 equal("requests_answered", reader, responses / RESPONSE_BYTES, seen.metrics),
                 equal("transactions", reader, responses / RESPONSE_BYTES, seen.metrics),
                 equal("rtt_packets", reader, responses / RESPONSE_BYTES, seen.metrics)]
    data, _ = connections_of(seen.records, 0)
    rows.append(summed("tcp_retransmits", "list", sum(c.again for c in data), seen.sums))
    if "delay_ns" in seen.what:
        rows.append(timed("rtt_p50_ns", "list", share(round_trips(seen), 50), seen.metrics))
    return rows


def check_tcp_crr(seen, _):
    opened, _ = connections_of(seen.records, 0)
    answered = [c for c in connections_of(seen.records, 1)[0] if c.delivered() == RESPONSE_BYTES]
    return [
        equal("requests_sent", "list", len(opened), seen.metrics),
        equal("requests_sent", "nstat", seen.grown("a", "TcpActiveOpens") - 1, seen.metrics),
        equal("requests_answered", "nstat", seen.grown("b", "TcpPassiveOpens") - 1, seen.metrics),
        equal("requests_answered", "list", len(answered), seen.metrics),
        equal("transactions", "list", len(answered), seen.metrics),
    ]


def check_udp_stream(seen, _):
    full = seen.grown("b", "UdpRcvbufErrors")
    if full:
        raise TooSlow(f"the receiver's socket was full {full} times")
    there = selected(seen.records, 0)
    count = len({record.arrival for record in there})
    bytes_of = {record.arrival: record.length - 42 for record in there}
    rows = [equal("datagrams_sent", "list", count, seen.metrics),
            equal("payload_sent_bytes", "list", sum(bytes_of.values()), seen.metrics)]
    listed = [(record.frame, record.length) for record in sent(there)]
    captured = [(record.frame, record.length) for record in seen.captured]
    for reader, frames in (("list", listed), ("tcpdump", captured)):
        # The kernel takes what is damaged.
        taken = [(tag_of(frame), length - 42) for frame, length in frames if udp_sum_is_right(frame)]
        taken = [(fields, payload) for fields, payload in taken if not fields or fields[0] != OPENING_RUN]
        order = order_of([fields[2] for fields, _ in taken if fields], count)
        rows += [equal("datagrams_received", reader, len(taken), seen.metrics),
                 equal("payload_received_bytes", reader, sum(payload for _, payload in taken), seen.metrics),
                 equal("datagrams_lost", reader, order["lost_packets"], seen.metrics),
                 equal("datagrams_duplicate", reader, order["duplicate_packets"], seen.metrics),
                 equal("datagrams_reordered", reader, order["reordered_packets"], seen.metrics)]
    # Beside them the one that opens the stream.
    return rows + [
        equal("datagrams_received", "nstat", seen.grown("b", "UdpInDatagrams") - 1, seen.metrics),
        equal("socket_dropped_packets", "nstat", seen.grown("b", "UdpInErrors"), seen.metrics),
    ]


def check_udp_rr(seen, _):
    there, back = (selected(seen.records, side) for side in (0, 1))
    asked = {record.arrival for record in there}
    came = {tag_of(record.frame)[2]: record.came_ns for record in reversed(there)}
    answers = {}
    for record in sent(back):
        answers.setdefault(tag_of(record.frame)[2], record.sent_ns)
    rows = [
        equal("requests_sent", "list", len(asked), seen.metrics),
        equal("requests_answered", "list", len(sent(there)), seen.metrics),
        equal("requests_answered", "nstat", seen.grown("b", "UdpInDatagrams") - 1, seen.metrics),
        equal("transactions", "list", len(answers), seen.metrics),
        equal("rtt_packets", "list", len(answers), seen.metrics),
        equal("requests_timed_out", "list", len(asked) - len(answers), seen.metrics),
    ]
    if "delay_ns" in seen.what:
        rows.append(timed("rtt_p50_ns", "list", share([answers[n] - came[n] for n in answers], 50), seen.metrics))
    return rows


SIZES = ["--request-bytes", str(REQUEST_BYTES), "--response-bytes", str(RESPONSE_BYTES)]
DELAY_NS = 5 * 10**6
BOTH = {"delay_ns": DELAY_NS, "back": {"delay_ns": DELAY_NS}}

CASES = [
    Case("tcp stream, nothing", ["tcp", "stream", "--rate", "100Mbit"], TCP_DATA, {}, (check_stream, 0)),
    Case("tcp stream, 1 % lost", ["tcp", "stream", "--rate", "100Mbit"], TCP_DATA, {"loss": 0.01},
         (check_stream, 0)),
    Case("tcp stream, losses in bursts and 5 ms of delay", ["tcp", "stream", "--rate", "20Mbit"], TCP_DATA,
         {"burst_into": 0.003, "burst_out": 0.4, "delay_ns": DELAY_NS}, (check_stream, 0)),
    Case("tcp maerts, 1 % lost", ["tcp", "maerts", "--rate", "100Mbit"], TCP_DATA, {"back": {"loss": 0.01}},
         (check_stream, 1)),
    # With much under way when the sender ends.
    Case("tcp maerts without rate, 1 % lost and 5 ms of delay", ["tcp", "maerts"], TCP_DATA,
         {"back": {"loss": 0.01, "delay_ns": DELAY_NS}}, (check_stream, 1)),
    Case("tcp rr, nothing", ["tcp", "rr", *SIZES], TCP_DATA, {}, (check_tcp_rr, 0)),
    Case("tcp rr, 1 % lost both ways", ["tcp", "rr", *SIZES], TCP_DATA, {"loss": 0.01, "back": {"loss": 0.01}},
         (check_tcp_rr, 0)),
    Case("tcp rr, 5 ms of delay each way", ["tcp", "rr", *SIZES], TCP_DATA, BOTH, (check_tcp_rr, 0)),
    Case("tcp crr, 1 % lost both ways", ["tcp", "crr", *SIZES], TCP_DATA, {"loss": 0.01, "back": {"loss": 0.01}},
         (check_tcp_crr, 0)),
    Case("udp stream, all of it", ["udp", "stream", "--rate", "5kpps", "--message-bytes", "83"], UDP_DATA,
         {"loss": 0.01, "twice": 0.01, "late": 0.02, "damage": 0.01}, (check_udp_stream, 0)),
    Case("udp rr, 1 % lost both ways", ["udp", "rr", "--rate", "1kpps"], UDP_DATA,
         {"loss": 0.01, "back": {"loss": 0.01}}, (check_udp_rr, 0)),
    Case("udp rr, 5 ms of delay each way", ["udp", "rr"], UDP_DATA, BOTH, (check_udp_rr, 0)),
]


class Seen:
    """What all others saw of a run."""

    def __init__(self, path):
        self.path = path
        self.before = self.kernel()

    def kernel(self):
        return {end: self.path.kernel(end) for end in "ab"}

    def end(self, what, records, captured, sockets, document):
        self.after = self.kernel()
        self.what, self.records, self.sockets = what, records, sockets
        # As if it were a list, of what came from left.
        self.captured = [records[0]._replace(arrival=i, side=0, fate=0, frame=frame, length=length)
                         for i, (frame, length) in enumerate(captured)]
        self.metrics, self.sums = metrics_of(document), rows_of(document)

    def grown(self, end, name):
        return self.after[end][name] - self.before[end][name]


def run(path, tool, forwarder, case, seed, duration):
    """[Row]"""
    seen = Seen(path)
    before = path.counters("b", "eg0")["rx"]["bytes"]
    verb, test, *options = case.words
    with Forwarder(path, forwarder, case.what, seed, case.select) as harm, \
            Capture(path, "m", "right", "out", verb) as capture, \
            Sockets(path, "a") as near, Sockets(path, "b") as far, \
            Program([*path.inside("b"), tool, "serve", "--open", "--json"], says="serving on",
                    stdout=subprocess.PIPE) as server:
        done = subprocess.run(
            [*path.inside("a"), tool, verb, test, FAR, *options, "--duration", duration or "1500ms",
             "--interval", "210ms", "--json"],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120, check=False)
        if done.returncode:
            raise RuntimeError(f"{verb} ended with {done.returncode}: {done.stderr.decode()}")
        server.end(signal.SIGINT)
        records = harm.records()
        captured = capture.frames(sum(
            record.side == 0 and record.frame[12:14] == b"\x08\x00" and record.frame[23] == PROTOCOLS[verb]
            for record in sent(records)))
        sockets = {"a": near.read(), "b": far.read()}
    delivered = sum(record.length for record in sent(records) if record.side == 0)
    if path.counters("b", "eg0")["rx"]["bytes"] - before != delivered:
        raise TooSlow("the receiver's interface has other bytes than the forwarder's list")
    seen.end(case.what, records, captured, sockets, json.loads(done.stdout))
    check, sender = case.check
    return check(seen, sender)
