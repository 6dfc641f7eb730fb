#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
Sends one UDP datagram as if a's port SPORT had sent it to b's port DPORT; run in a's namespace.

    forge.py VERSION SPORT DPORT KIND

KIND: plain; stamp or twamp, a test packet whose time is that of 1970; auth, the same signed with
stamp_peer.py's key.
"""
import logging
import sys

from stamp_peer import mac_of

logging.getLogger("scapy").setLevel(logging.ERROR)
from scapy.arch.linux import L2Socket  # noqa: E402
from scapy.layers.inet import IP, UDP  # noqa: E402
from scapy.layers.inet6 import IPv6  # noqa: E402
from scapy.layers.l2 import Ether  # noqa: E402

AUTH = bytes(24) + b"\0\1" + bytes(70)
PAYLOADS = {
    "plain": bytes(18),
    "stamp": bytes(12) + b"\0\1" + bytes(30),
    "twamp": bytes(12) + b"\0\1" + bytes(27),
    "auth": AUTH + mac_of(AUTH),
}


def main():
    version, sport, dport, kind = sys.argv[1:]
    ip = {"4": IP(src="198.18.0.1", dst="198.18.0.2", ttl=64),
          "6": IPv6(src="2001:2::1", dst="2001:2::2", hlim=64)}[version]
    eth = Ether(src="02:e9:00:00:00:0a", dst="02:e9:00:00:00:0b")
    frame = eth / ip / UDP(sport=int(sport), dport=int(dport)) / PAYLOADS[kind]
    return L2Socket(iface="eg0").send(frame) <= 0


if __name__ == "__main__":
    sys.exit(main())
