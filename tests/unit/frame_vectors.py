#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes tests/unit/frame_vectors.h: frames as scapy makes them.

    tests/unit/frame_vectors.py >tests/unit/frame_vectors.h

scapy computes every length and checksum over the whole packet, tag included,
so a frame that agrees shows that the tag's complement does its work.
"""
import os
import sys

from scapy.all import Dot1Q, Ether, IP, IPv6, Raw, UDP

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
import tag as probe  # noqa: E402

DST, SRC = "02:00:00:00:00:02", "02:00:00:00:00:01"


def frame(frame_bytes, head, payload=b""):
    packet = head / Raw(payload)
    packet = head / Raw(payload + bytes(frame_bytes - 4 - len(packet)))
    return bytes(packet)


def ip4(**more):
    return IP(src="198.18.0.1", dst="198.18.0.2", id=0, flags="DF", ttl=64, **more)


def ip6(**more):
    return IPv6(src="2001:2::1", dst="2001:2::2", hlim=64, **more)


def zero_checksum_port(frame_bytes, network):
    """The source port with which the sum is 0xffff, so that 0xffff is sent in the place of 0."""
    packet = frame(frame_bytes, Ether() / network / UDP(sport=0, dport=9))
    return Ether(packet)[UDP].chksum


def main():
    ether = Ether(dst=DST, src=SRC)
    udp = UDP(sport=49152, dport=9)
    port4, port6 = zero_checksum_port(64, ip4()), zero_checksum_port(66, ip6())
    vectors = {
        "ip4_64": frame(64, ether / ip4() / udp, probe.make(0, 7, 0, 0)),
        "ip4_64_sent": frame(64, ether / ip4() / udp, probe.make(0x1234, 7, 0xFFFF0001, 0x0123456789ABCDEF)),
        "ip6_84": frame(84, ether / ip6() / udp, probe.make(0, 7, 0, 0)),
        "ip4_vlan_90": frame(90, ether / Dot1Q(vlan=1234, prio=5) / ip4(tos=46 << 2) / udp,
                             probe.make(0, 0xFFFF, 0, 0)),
        "ip6_vlan_91": frame(91, ether / Dot1Q(vlan=1234, prio=5) / ip6(tc=46 << 2) / udp,
                             probe.make(0, 0xFFFF, 0, 0)),
        "ip4_untagged_64": frame(64, ether / ip4() / udp),
        "ip4_zero_64": frame(64, ether / ip4() / UDP(sport=port4, dport=9)),
        "ip6_zero_66": frame(66, ether / ip6() / UDP(sport=port6, dport=9)),
    }
    print("/* SPDX-License-Identifier: GPL-2.0-or-later */")
    print("/* Made by tests/unit/frame_vectors.py with scapy; do not edit. */")
    print("#ifndef FRAME_VECTORS_H\n#define FRAME_VECTORS_H\n\n#include <stdint.h>\n")
    print(f"#define ZERO_PORT_IP4 {port4}\n#define ZERO_PORT_IP6 {port6}")
    for name, data in vectors.items():
        print(f"\nstatic const uint8_t {name}[{len(data)}] = {{")
        for at in range(0, len(data), 12):
            print("\t" + " ".join(f"0x{b:02x}," for b in data[at:at + 12]))
        print("};")
    print("\n#endif")


if __name__ == "__main__":
    main()
