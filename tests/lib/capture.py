#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
The far end of a wire, as one who knows nothing of the tool would see it.

    capture.py decode COUNT...
        Takes COUNT UDP packets to port 9, then the next COUNT, and decodes them with
        scapy. Prints a JSON object of each lot: of each field the values that were met, and how many
        frames differ from what scapy builds of their fields when it computes
        every length and checksum itself.

    capture.py reflect COUNT DROP TWICE [PORT]
        Sends COUNT UDP packets to PORT (7) back to where they came from, but
        for every DROP-th, and every TWICE-th of those that are sent back twice.
        Prints how many were dropped, sent back, and sent back twice.

    capture.py save COUNT FILE
        Writes COUNT frames that come in into a capture file.

    capture.py listen PORT COUNT
        A UDP socket: prints how many datagrams reached it.

Says "ready" on stderr when it is.
"""
import json
import logging
import socket
import struct
import sys
import time

import tag

PATIENCE_S = 10
PACKET_AUXDATA, TP_STATUS_VLAN_VALID = 8, 1 << 4
SOL_PACKET = 263


def open_link():
    link = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    link.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)
    link.setsockopt(socket.SOL_SOCKET, 33, 64 << 20)    # SO_RCVBUFFORCE
    link.settimeout(PATIENCE_S)
    link.bind(("eg0", 3))                               # ETH_P_ALL
    print("ready", file=sys.stderr, flush=True)
    return link


def take(link, port):
    """The next UDP frame to @port that came in, with the VLAN tag that the kernel took out."""
    while True:
        frame, aux, _, address = link.recvmsg(65536, 64)
        if address[2] == socket.PACKET_OUTGOING:
            continue
        at = 14
        for level, kind, data in aux:
            status, _, _, _, _, tci, tpid = struct.unpack("=IIIHHHH", data)
            if level == SOL_PACKET and kind == PACKET_AUXDATA and status & TP_STATUS_VLAN_VALID:
                frame = frame[:12] + struct.pack("!HH", tpid, tci) + frame[12:]
                at = 18
        proto = frame[at - 2:at]
        if proto == b"\x08\x00" and frame[at + 9] == 17:
            at += 20
        elif proto == b"\x86\xdd" and frame[at + 6] == 17:
            at += 40
        else:
            continue
        if struct.unpack("!H", frame[at + 2:at + 4])[0] == port:
            return frame, at


def decode(*counts):
    link = open_link()
    lots = [[] for _ in counts]
    try:
        for count, frames in zip(counts, lots):
            while len(frames) < count:
                frames.append(take(link, 9)[0])
    except TimeoutError:
        pass
    logging.getLogger("scapy").setLevel(logging.ERROR)
    return [decode_lot(frames) for frames in lots]


def decode_lot(frames):
    from scapy.layers.inet import IP, UDP
    from scapy.layers.inet6 import IPv6
    from scapy.layers.l2 import Dot1Q, Ether
    met = {}
    found = {"captured": len(frames), "not_as_scapy": 0, "tags": 0,
             "steps_wrong": 0, "times_back": 0, "untimed": 0, "udp_sums": 0}
    after, udp_sums = {}, set()

    def meet(name, value):
        met.setdefault(name, set()).add(value)

    for frame in frames:
        packet = Ether(frame)
        meet("bytes", len(frame))
        meet("src_mac", packet.src)
        meet("dst_mac", packet.dst)
        if Dot1Q in packet:
            meet("vlan", packet[Dot1Q].vlan)
            meet("vlan_pcp", packet[Dot1Q].prio)
        ip = packet[IP] if IP in packet else packet[IPv6]
        meet("version", ip.version)
        meet("src_ip", ip.src)
        meet("dst_ip", ip.dst)
        meet("ttl", ip.ttl if IP in packet else ip.hlim)
        meet("dscp", (ip.tos if IP in packet else ip.tc) >> 2)
        meet("ecn", (ip.tos if IP in packet else ip.tc) & 3)
        udp = packet[UDP]
        meet("src_port", udp.sport)
        meet("dst_port", udp.dport)
        udp_sums.add(udp.chksum)
        payload = bytes(udp.payload)
        for layer, fields in (IP, ("len", "ihl", "chksum")), (IPv6, ("plen",)), \
                (UDP, ("len", "chksum")):
            for field in fields if layer in packet else ():
                delattr(packet[layer], field)
        found["not_as_scapy"] += bytes(packet) != frame
        fields = tag.read(payload)
        if not fields:
            continue
        found["tags"] += 1
        run, stream, sequence, sent_ns = fields
        now_ns = time.clock_gettime_ns(time.CLOCK_TAI if run & tag.TAI else time.CLOCK_MONOTONIC)
        sent_ns = sent_ns and tag.widen(sent_ns, now_ns)
        meet("stream", stream)
        step, time_ns = after.get(stream, (0, 0))
        found["steps_wrong"] += sequence != step
        found["untimed"] += not sent_ns
        found["times_back"] += bool(sent_ns) and not time_ns <= sent_ns <= now_ns
        after[stream] = sequence + 1, sent_ns or time_ns
        meet("rest", payload[18:].strip(b"\0").hex())
    found["udp_sums"] = len(udp_sums)
    return found | {name: sorted(values) for name, values in met.items()}


def save(count, path):
    link = open_link()
    with open(path, "wb") as file:
        file.write(struct.pack("=IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        while count:
            frame, address = link.recvfrom(65536)
            if address[2] != socket.PACKET_OUTGOING:
                file.write(struct.pack("=IIII", 0, 0, len(frame), len(frame)) + frame)
                count -= 1


def reflect(count, drop, twice, port=7):
    link = open_link()
    found = {"dropped": 0, "answered": 0, "twice": 0}
    try:
        for number in range(count):
            frame, at = take(link, port)
            if number % drop == drop - 1:
                found["dropped"] += 1
                continue
            ip, size = (at - 8, 4) if frame[at - 20] >> 4 == 4 else (at - 32, 16)
            back = frame[6:12] + frame[:6] + frame[12:ip] + frame[ip + size:ip + 2 * size] + \
                frame[ip:ip + size] + frame[at + 2:at + 4] + frame[at:at + 2] + frame[at + 4:]
            assert len(back) == len(frame)
            found["answered"] += link.send(back) > 0
            if found["answered"] % twice == 0:
                found["twice"] += link.send(back) > 0
    except TimeoutError:
        pass
    return found


def listen(port, count):
    found = {"received": 0}
    with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as s:
        s.bind(("::", port))
        # A reader that the machine holds up must not lose what it is sent.
        s.setsockopt(socket.SOL_SOCKET, 33, 64 << 20)    # SO_RCVBUFFORCE
        s.settimeout(PATIENCE_S)
        print("ready", file=sys.stderr, flush=True)
        try:
            while found["received"] < count:
                s.recvfrom(65536)
                found["received"] += 1
        except TimeoutError:
            pass
    return found


def main():
    work = {"decode": decode, "reflect": reflect, "listen": listen, "save": save}[sys.argv[1]]
    found = work(*(int(arg) if arg.isdigit() else arg for arg in sys.argv[2:]))
    for what in found if isinstance(found, list) else [found]:
        print(json.dumps(what))


main()
