#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
The far end of a reflector, run in its own network namespace.

    reflect_peer.py frames COUNT [DESTINATION_MAC [EXPECTED]]
    reflect_peer.py socket COUNT PORT
    reflect_peer.py listen COUNT PORT

"frames" sends COUNT frames of every kind in turn from a packet socket, each
with a number of its own, and holds every answer against one that scapy builds
from scratch; EXPECTED 0: wait for answers no longer than it takes to see one
that should not be. "socket" and "listen" are the two ends of plain UDP. Prints one
JSON object.
"""
import json
import logging
import socket
import sys
import time
import types

IFACE = "eg0"
PATIENCE_S = 3
MACS = "02:e9:00:00:00:0a", "02:e9:00:00:00:0b"
IP4S = "198.18.0.1", "198.18.0.2"
IP6S = "2001:2::1", "2001:2::2"


def import_scapy():
    """What is used of it; all of it takes twice as long."""
    from scapy.arch.linux import L2Socket
    from scapy.layers.inet import ICMP, IP, UDP
    from scapy.layers.inet6 import ICMPv6EchoReply, ICMPv6EchoRequest, IPv6
    from scapy.layers.l2 import Dot1Q, Ether
    from scapy.packet import Raw
    from scapy.supersocket import SuperSocket
    return types.SimpleNamespace(**locals())


def build(scapy, number, reply, dst_mac):
    s, d = (1, 0) if reply else (0, 1)
    macs = [MACS[0], dst_mac]
    eth = scapy.Ether(src=macs[s], dst=macs[d])
    ports = {"sport": 7, "dport": 50021} if reply else {"sport": 50021, "dport": 7}
    # UDP's is one less in the answer.
    ttl = 63 if reply and number % 7 not in (2, 3) else 64
    ip4 = scapy.IP(src=IP4S[s], dst=IP4S[d], id=number, ttl=ttl)
    ip6 = scapy.IPv6(src=IP6S[s], dst=IP6S[d], hlim=ttl)
    echo6 = scapy.ICMPv6EchoReply if reply else scapy.ICMPv6EchoRequest
    # 18 bytes at least, so that nothing is padded; every other one is odd.
    data = scapy.Raw(number.to_bytes(4, "big") + bytes(16 + number % 61))
    vlan = scapy.Dot1Q(vlan=101)
    return bytes([
        lambda: eth / ip4 / scapy.UDP(**ports) / data,
        lambda: eth / ip6 / scapy.UDP(**ports) / data,
        lambda: eth / ip4 / scapy.ICMP(type=0 if reply else 8, id=9, seq=number) / data,
        lambda: eth / ip6 / echo6(id=9, seq=number) / data,
        lambda: eth / vlan / ip4 / scapy.UDP(**ports) / data,
        lambda: eth / vlan / ip6 / scapy.UDP(**ports) / data,
        lambda: eth / ip4.copy() / scapy.UDP(chksum=0, **ports) / data,
    ][number % 7]())


def frames(count, dst_mac=MACS[1], expected=1):
    logging.getLogger("scapy").setLevel(logging.ERROR)
    scapy = import_scapy()
    # scapy's socket puts a VLAN tag back where the kernel took it from.
    link = scapy.L2Socket(iface=IFACE)
    due = {build(scapy, i, True, dst_mac): i for i in range(count)}
    assert len(due) == count
    found = {"sent": 0, "answered": 0, "strange": 0}

    def take(patience_s):
        """All packets until none arrives for this time."""
        until = time.monotonic() + patience_s
        while due and (scapy.SuperSocket.select([link], max(0, until - time.monotonic()))):
            frame = bytes(link.recv_raw()[1] or b"")
            if frame[:6].hex(":") != MACS[0]:
                continue
            found["answered" if due.pop(frame, None) is not None else "strange"] += 1
            until = time.monotonic() + patience_s

    for i in range(count):
        found["sent"] += link.send(scapy.Raw(build(scapy, i, False, dst_mac))) > 0
        take(0)
    take(PATIENCE_S if expected else 0.2)
    return found


def use_socket(count, port):
    found = {"sent": 0, "answered": 0}
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.connect((IP4S[1], port))
        s.settimeout(PATIENCE_S)
        for i in range(count):
            data = b"%d of %d" % (i, count)
            found["sent"] += s.send(data) == len(data)
            try:
                found["answered"] += s.recv(2048) == data
            except TimeoutError:
                break
    return found


def listen(count, port):
    found = {"received": 0}
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as s:
        s.setsockopt(socket.SOL_SOCKET, 33, 8 << 20)    # SO_RCVBUFFORCE
        s.bind((IP4S[1], port))
        s.settimeout(PATIENCE_S)
        print("listening", file=sys.stderr, flush=True)
        try:
            while found["received"] < count:
                data, peer = s.recvfrom(2048)
                s.sendto(data, peer)
                found["received"] += 1
        except TimeoutError:
            pass
    return found


def main():
    run = {"frames": frames, "socket": use_socket, "listen": listen}[sys.argv[1]]
    args = [int(a) if a.isdigit() else a for a in sys.argv[2:]]
    print(json.dumps(run(*args)))


main()
