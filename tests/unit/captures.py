#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes tests/unit/captures.h: capture files made by scapy, and by hand what
scapy does not write. Needs scapy only to be run again.

    tests/unit/captures.py >tests/unit/captures.h

Each file has the same three packets of 60, 61 and 1000 bytes, at 1700000000 s
and 0, 1234 and 5000000 us later (1234567 ns where the format has nanoseconds);
byte i of packet n is (n * 7 + i) mod 256.
"""
import gzip
import os
import struct
import tempfile

from scapy.all import Ether, wrpcap
from scapy.utils import PcapNgWriter, PcapWriter

START = 1700000000
SIZES = (60, 61, 1000)
US = (0, 1234, 5000000)
NS = (0, 1234567, 5000000000)


def bytes_of(number):
    return bytes((number * 7 + i) % 256 for i in range(SIZES[number]))


def stamped(fraction, unit):
    packets = []
    for number, after in enumerate(fraction):
        packet = Ether(bytes_of(number))
        packet.time = START + after / unit
        packets.append(packet)
    return packets


def saved(write):
    fd, path = tempfile.mkstemp()
    os.close(fd)
    try:
        write(path)
        with open(path, "rb") as f:
            return f.read()
    finally:
        os.unlink(path)


def pcap(order, magic, fraction, unit, link=1, cut=0, fcs=b""):
    out = struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, 262144, link)
    for number, after in enumerate(fraction):
        data = bytes_of(number) + fcs
        kept = data[:cut] if cut else data
        out += struct.pack(order + "IIII", START + after // unit, after % unit, len(kept),
                           len(data)) + kept
    return out


def block(order, kind, body):
    body += bytes(-len(body) % 4)
    return (struct.pack(order + "II", kind, len(body) + 12) + body +
            struct.pack(order + "I", len(body) + 12))


def pcapng(order, fraction, unit, resolution):
    out = block(order, 0x0A0D0D0A, struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1))
    options = struct.pack(order + "HHBxxxHH", 9, 1, resolution, 0, 0)
    out += block(order, 1, struct.pack(order + "HHI", 1, 0, 262144) + options)
    # A block of a kind that no reader knows is passed over.
    out += block(order, 0x0BAD, b"of no use")
    for number, after in enumerate(fraction):
        data = bytes_of(number)
        time = START * unit + after
        out += block(order, 6, struct.pack(order + "IIIII", 0, time >> 32, time & 0xFFFFFFFF,
                                           len(data), len(data)) + data)
    return out


def scapy_ns(path):
    with PcapWriter(path, nano=True, linktype=1) as writer:
        writer.write_header(None)
        for number, after in enumerate(NS):
            writer.write_packet(bytes_of(number), sec=START + after // 10**9,
                                usec=after % 10**9)


def scapy_ng(path):
    with PcapNgWriter(path) as writer:
        for packet in stamped(US, 10**6):
            writer.write(packet)


FILES = {
    "scapy_us": saved(lambda path: wrpcap(path, stamped(US, 10**6))),
    "scapy_ns": saved(scapy_ns),
    "scapy_ng": saved(scapy_ng),
    "little_us": pcap("<", 0xA1B2C3D4, US, 10**6),
    "big_us": pcap(">", 0xA1B2C3D4, US, 10**6),
    "little_ns": pcap("<", 0xA1B23C4D, NS, 10**9),
    "big_ns": pcap(">", 0xA1B23C4D, NS, 10**9),
    "ng_little_us": pcapng("<", US, 10**6, 6),
    "ng_big_us": pcapng(">", US, 10**6, 6),
    "ng_little_ns": pcapng("<", NS, 10**9, 9),
    "ng_big_ns": pcapng(">", NS, 10**9, 9),
    "gzip_us": gzip.compress(pcap("<", 0xA1B2C3D4, US, 10**6), mtime=0),
    "gzip_ng_ns": gzip.compress(pcapng(">", NS, 10**9, 9), mtime=0),
    "cut_us": pcap("<", 0xA1B2C3D4, US, 10**6, cut=48),
    "fcs_us": pcap("<", 0xA1B2C3D4, US, 10**6, link=0x24000001, fcs=b"\xfc\xfc\xfc\xfc"),
    "falling_us": pcap("<", 0xA1B2C3D4, (1234, 0, 5000000), 10**6),
    "raw_ip": pcap("<", 0xA1B2C3D4, US, 10**6, link=101),
}

print("/* SPDX-License-Identifier: GPL-2.0-or-later */")
print("/*\n * unit/captures.h - capture files; made by captures.py, which says what is in them.\n */")
print("#ifndef UNIT_CAPTURES_H\n#define UNIT_CAPTURES_H\n\n#include <stdint.h>")
for name, data in FILES.items():
    print(f"\nstatic const uint8_t {name}[] = {{")
    for at in range(0, len(data), 20):
        print("\t" + "".join(f"{b}," for b in data[at:at + 20]))
    print("};")
print("\n#endif")
