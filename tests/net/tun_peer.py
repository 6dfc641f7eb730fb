#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The process at the other end of a tun interface: packets without an Ethernet header, of which the kernel is
given a known number.

tun_peer.py NAME FIFO    makes the interface with the addresses 198.18.5.1/24 and 2001:2:5::1/64, and says
                         "ready" on stderr; at each line of FIFO it writes the packets of KINDS, and says "written"
"""

import fcntl
import os
import struct
import subprocess
import sys

TUNSETIFF = 0x400454CA
IFF_TUN = 0x0001

NEAR4, FAR4 = bytes([198, 18, 5, 1]), bytes([198, 18, 5, 2])
NEAR6 = bytes.fromhex("20010002000500000000000000000001")
FAR6 = NEAR6[:-1] + b"\2"


def checksum(header):
    total = sum(struct.unpack(f"!{len(header) // 2}H", header))
    while total >> 16:
        total = (total >> 16) + (total & 0xFFFF)
    return ~total & 0xFFFF


def udp(size):
    return struct.pack("!HHHH", 2000, 1009, size, 0) + bytes(size - 8)


def ip4(size, to=NEAR4, cut=0):
    header = struct.pack("!BBHHHBBH4s4s", 0x45, 0, size, 0, 0, 64, 17, 0, FAR4, to)
    header = header[:10] + struct.pack("!H", checksum(header)) + header[12:]
    return 0x0800, (header + udp(size - 20))[:size - cut]


def ip6(size, to=NEAR6):
    return 0x86DD, struct.pack("!IHBB16s16s", 6 << 28, size - 40, 17, 64, FAR6, to) + udp(size - 40)


KINDS = [
    (101, ip4(100)),
    (103, ip6(300)),
    (11, ip4(40, bytes([255] * 4))),
    (13, ip4(64, bytes([224, 0, 0, 1]))),
    (17, ip6(65, bytes.fromhex("ff02" + "00" * 13 + "01"))),
    (7, (0x88B5, bytes(50))),
    (5, ip4(90, cut=20)),
]


def main():
    name, fifo = sys.argv[1:]
    tun = os.open("/dev/net/tun", os.O_RDWR)
    fcntl.ioctl(tun, TUNSETIFF, struct.pack("16sH", name.encode(), IFF_TUN))
    for command in ("link set %s up", "address add 198.18.5.1/24 dev %s",
                    "address add 2001:2:5::1/64 dev %s nodad"):
        subprocess.run(["ip", *(command % name).split()], check=True)
    print("ready", file=sys.stderr, flush=True)
    for _ in open(fifo, encoding="ascii"):
        for count, (proto, packet) in KINDS:
            for _ in range(count):
                os.write(tun, struct.pack("!HH", 0, proto) + packet)
        print("written", file=sys.stderr, flush=True)


main()
