# SPDX-License-Identifier: GPL-2.0-or-later
"""Two forwarders that do harm to packets by chance and write down what they did: one here, for some
thousand packets a second, and tests/net/truth_forwarder.c for more. Both write the same list."""
import collections
import heapq
import json
import os
import random
import select
import socket
import struct
import subprocess
import sys
import time

from path import CAPTURED_BYTES, TOP, Program, TooSlow

sys.path.insert(0, os.path.join(TOP, "tests", "lib"))
import tag  # noqa: E402

PORT = 9                        # of blast and sink
UDP_PAYLOAD = 14 + 20 + 8       # of ICMP echo as well
SO_RCVBUFFORCE = 33
SO_TIMESTAMPNS = 35
ETH_P_ALL = 3
SILENT_NS = 30 * 10**6
FOREIGN_RUN = 0x1234
WHOLE, LOST, DAMAGED, PASSED = range(4)
RECORD = struct.Struct(f"=QQQIBBH{CAPTURED_BYTES}s")

# See struct record of truth_forwarder.c; @frame: its first bytes.
Record = collections.namedtuple("Record", "arrival came_ns sent_ns length side fate frame")


class Choice:
    """What is done to the packets, by chance; the same for the same seed."""

    def __init__(self, what, seed):
        self.what = what
        self.random = random.Random(seed)
        self.bad = False        # in a burst of losses

    def is_lost(self, number):
        what = self.what
        if number < what.get("head", 0) or number >= what.get("tail_from", 1 << 62):
            return True
        if "burst_into" in what:
            self.bad = self.random.random() < (1 - what["burst_out"] if self.bad else what["burst_into"])
            return self.bad
        return self.random.random() < what.get("loss", 0)

    def copies(self):
        """Of each the probability of damage. "damage_copy": of one of two, in either order."""
        usual = self.what.get("damage", 0)
        if self.random.random() >= self.what.get("twice", 0):
            return [usual]
        copies = [usual, self.what.get("damage_copy", usual)]
        return copies if self.random.random() < 0.5 else copies[::-1]

    def places(self):
        """How many later packets pass it; 0: none."""
        return self.random.randint(1, self.what.get("far", 20)) \
            if self.random.random() < self.what.get("late", 0) else 0

    def wait_ns(self, number):
        """How long it is kept. "held": [[share of the packets, least, most]]."""
        what = self.what
        if "held" in what:
            place = self.random.random()
            for part, least, most in what["held"]:
                place -= part
                if place < 0:
                    return self.random.randint(least, most)
            return 0
        if "deviation_ns" in what:
            return max(1, round(self.random.gauss(what["delay_ns"], what["deviation_ns"])))
        return what.get("delay_ns", 0) if what.get("waits", number) == number else 0

    def damage(self, frame, probability):
        """One to five bits of the tag."""
        if self.random.random() >= probability:
            return frame, WHOLE
        frame = bytearray(frame)
        for bit in self.random.sample(range(8 * tag.BYTES), self.random.randint(1, 5)):
            frame[UDP_PAYLOAD + bit // 8] ^= 1 << bit % 8
        return bytes(frame), DAMAGED


def open_raw(name):
    sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
    sock.bind((name, 0))
    sock.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 64 << 20)
    sock.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
    return sock


def udp_sum_is_right(frame):
    """RFC 768: over addresses, protocol, length, and the datagram as it is. No IP options."""
    udp_bytes = struct.unpack("!H", frame[38:40])[0]
    pseudo = frame[26:34] + struct.pack("!HH", 17, udp_bytes)
    return frame[40:42] == b"\0\0" or tag.csum(pseudo + frame[34:34 + udp_bytes]) == 0


def sum_is_right(frame):
    """Of UDP or ICMP (RFC 792: over the message)."""
    if frame[23] == 17:
        return udp_sum_is_right(frame)
    return tag.csum(frame[34:14 + struct.unpack("!H", frame[16:18])[0]]) == 0


def payload_is_right(frame):
    """The pattern, after the tag."""
    rest = frame[UDP_PAYLOAD + tag.BYTES:14 + struct.unpack("!H", frame[16:18])[0]]
    return rest == tag.pattern(len(rest))


def tag_of(frame):
    if len(frame) < UDP_PAYLOAD + tag.BYTES or frame[12:14] != b"\x08\x00" or frame[23] not in (1, 17):
        return None
    return tag.read(frame[UDP_PAYLOAD:UDP_PAYLOAD + tag.BYTES])


def is_to_port(frame):
    return frame[12:14] == b"\x08\x00" and frame[23] == 17 and struct.unpack("!H", frame[36:38])[0] == PORT


def received(sock):
    """A frame that came in, and when the kernel took it (CLOCK_REALTIME); None: sent by this host."""
    frame, ancillary, _, address = sock.recvmsg(65536, 64)
    if address[2] == socket.PACKET_OUTGOING:
        return None, 0
    for level, kind, data in ancillary:
        if level == socket.SOL_SOCKET and kind == SO_TIMESTAMPNS:
            seconds, ns = struct.unpack("qq", data[:16])
            return frame, seconds * 10**9 + ns
    return frame, time.time_ns()


def forward(seed, path, what):
    """Until a line comes on the standard input; the list of tagged packets from left goes to @path."""
    sides = [open_raw("left"), open_raw("right")]
    choice = Choice(what, seed)
    records, held, timed = [], [], []
    arrivals = 0
    done, newest_ns = False, time.time_ns()

    def note(frame, arrival, came_ns, sent_ns, fate):
        records.append(RECORD.pack(arrival, came_ns, sent_ns, len(frame), 0, fate, 0,
                                   frame[:CAPTURED_BYTES]))

    def send(frame, arrival, came_ns, fate):
        note(frame, arrival, came_ns, time.time_ns(), fate)
        sides[1].send(frame)

    def take(frame, came_ns):
        nonlocal arrivals
        arrival = arrivals
        arrivals += 1
        fields = tag_of(frame)
        if fields is None:
            send(frame, arrival, came_ns, WHOLE if is_to_port(frame) else PASSED)
            return
        _, stream, number, when = fields
        if "foreign" in what and number % what["foreign"] == 5:
            # Each tag has the same sum, so the checksum stays right.
            other = tag.make(FOREIGN_RUN, stream, 2000000 + number, when)
            send(frame[:UDP_PAYLOAD] + other + frame[UDP_PAYLOAD + tag.BYTES:], arrival, came_ns, WHOLE)
        if choice.is_lost(number):
            note(frame, arrival, came_ns, 0, LOST)
            return
        for probability in choice.copies():
            out, fate = choice.damage(frame, probability)
            places = choice.places()
            wait_ns = choice.wait_ns(number)
            if wait_ns:
                heapq.heappush(timed, (came_ns + wait_ns, arrival, out, arrival, came_ns, fate))
            elif places:
                held.append([places, out, arrival, came_ns, fate])
            else:
                send(out, arrival, came_ns, fate)
        # Those whose number of later packets has passed.
        for entry in held:
            entry[0] -= 1
        for entry in [e for e in held if e[0] < 0]:
            held.remove(entry)
            send(*entry[1:])

    print("ready", flush=True)
    while not done or timed:
        wait = max(0, (timed[0][0] - time.time_ns()) / 1e9) if timed else 0.2
        ready, _, _ = select.select([*sides, *([] if done else [sys.stdin])], [], [],
                                    0 if wait < 0.002 else min(wait - 0.002, 0.02))
        if sides[0] in ready:
            frame, came_ns = received(sides[0])
            if frame:
                take(frame, came_ns)
                newest_ns = time.time_ns()
        elif time.time_ns() - newest_ns > SILENT_NS:
            # No later packet comes that could pass them.
            for entry in held:
                send(*entry[1:])
            held.clear()
        if sides[1] in ready:
            frame, _ = received(sides[1])
            if frame:
                sides[0].send(frame)
        if sys.stdin in ready:
            done = True
        while timed and timed[0][0] <= time.time_ns():
            send(*heapq.heappop(timed)[2:])
    with open(path, "wb") as file:
        file.write(b"".join(records))
    print(json.dumps({"dropped": 0, "repeats": 0}))


def words_of(what, prefix=""):
    """The arguments of the forwarder in C, from {KEY: VALUE, "back": {KEY: VALUE}}."""
    words = [f"{prefix}{key}={value}" for key, value in what.items() if key != "back"]
    return words + (words_of(what["back"], "back.") if "back" in what else [])


class Forwarder(Program):
    """@program: that in C, or None for the one in Python, which knows tagged packets only."""

    def __init__(self, path, program, what, seed, select_by):
        self.at = path
        self.list = path.file("list")
        self.lost_before = self.driver_lost()
        if program:
            words = [program, str(seed), self.list, select_by, *words_of(what)]
        else:
            words = [sys.executable, os.path.join(TOP, "scripts", "truth"), "--forward", json.dumps(what),
                     "--seed", str(seed), "--list", self.list]
        super().__init__([*path.inside("m"), *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        if self.process.stdout.readline() != "ready\n":
            raise RuntimeError(f"the forwarder does not start: {self.said()}")

    def driver_lost(self):
        """What a full ring of a veth pair took away, on the way out of the forwarder."""
        return sum(self.at.counters("m", side)["tx"]["dropped"] for side in ("left", "right"))

    def records(self):
        """Its list, if nothing was lost that is not in it."""
        counts = json.loads(self.end(line="end\n"))
        lost = self.driver_lost() - self.lost_before
        if counts["dropped"] or counts["repeats"] or lost:
            raise TooSlow(f"the forwarder's sockets dropped {counts['dropped']} frames, and its "
                          f"interfaces {max(lost, counts['repeats'])}")
        with open(self.list, "rb") as file:
            data = file.read()
        return [Record(arrival, came, sent, length, side, fate, frame[:length])
                for arrival, came, sent, length, side, fate, _, frame in RECORD.iter_unpack(data)]
