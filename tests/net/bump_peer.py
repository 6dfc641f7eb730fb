#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
What stands at both ends of a bump, and knows nothing of the tool but its tag.

    bump_peer.py order COUNT        prints the sequences of COUNT test packets, as they came
    bump_peer.py send COUNT BYTES   sends datagrams that contain their number
    bump_peer.py take COUNT BYTES   prints how many of them came whole, and how many
                                    fragments IP made them of (that of the kernel's counter)

Says "ready" on stderr when it is.
"""
import json
import os
import socket
import struct
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
import tag  # noqa: E402

PORT = 9
RCVBUFFORCE = 33
AT = 14 + 20 + 8                    # of the tag, or of the data


def ready():
    print("ready", file=sys.stderr, flush=True)


def order(count):
    link = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    link.setsockopt(socket.SOL_SOCKET, RCVBUFFORCE, 64 << 20)
    link.settimeout(20)
    link.bind(("eg0", 3))
    ready()
    came = []
    try:
        while len(came) < count:
            frame = link.recv(2048)
            fields = tag.read(frame[AT:])
            if fields:
                came.append(fields[2])
    except TimeoutError:
        pass
    print(json.dumps(came))


def data_of(number, size):
    return struct.pack("!I", number) + bytes((number + i) % 256 for i in range(size - 4))


def send(count, size):
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    for number in range(count):
        udp.sendto(data_of(number, size), ("198.18.0.2", PORT))
        time.sleep(0.001)           # a veth holds 256 frames


def reassembled():
    """Fragments that came, and packets made of them."""
    with open("/proc/net/snmp", encoding="ascii") as file:
        names, values = [line.split() for line in file if line.startswith("Ip:")]
    return [int(values[names.index(name)]) for name in ("ReasmReqds", "ReasmOKs")]


def take(count, size):
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    udp.setsockopt(socket.SOL_SOCKET, RCVBUFFORCE, 64 << 20)
    udp.settimeout(20)
    udp.bind(("", PORT))
    ready()
    whole = 0
    try:
        for _ in range(count):
            data = udp.recv(65536)
            whole += data == data_of(struct.unpack("!I", data[:4])[0], size)
    except TimeoutError:
        pass
    fragments, packets = reassembled()
    print(json.dumps({"whole": whole, "fragments": fragments, "reassembled": packets}))


if __name__ == "__main__":
    {"order": order, "send": send, "take": take}[sys.argv[1]](*map(int, sys.argv[2:]))
