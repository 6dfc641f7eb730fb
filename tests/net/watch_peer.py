#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Traffic that watch is held against.

watch_peer.py frames BYTES COUNT [MAC]   raw frames of an unassigned EtherType out of eg0
watch_peer.py serve                      "ready" on stderr; takes one TCP connection to its end
watch_peer.py send BYTES                 so many bytes by TCP to it; then what TCP itself
                                         counted in this namespace: "OutSegs RetransSegs"
"""

import socket
import sys

PORT = 5201
SERVER = "198.18.0.2"


def frames(size, count, mac="02:e9:00:00:00:0b"):
    link = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    link.bind(("eg0", 0))
    frame = bytes.fromhex(mac.replace(":", "") + "02e90000000a" + "88b5")
    frame += bytes(int(size) - len(frame))
    for _ in range(int(count)):
        link.send(frame)


def serve():
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((SERVER, PORT))
    listener.listen()
    print("ready", file=sys.stderr, flush=True)
    peer, _ = listener.accept()
    while peer.recv(1 << 20):
        pass
    peer.close()


def tcp_counters():
    with open("/proc/net/snmp", encoding="ascii") as snmp:
        names, values = [line.split() for line in snmp if line.startswith("Tcp:")]
    counters = dict(zip(names, values))
    return int(counters["OutSegs"]), int(counters["RetransSegs"])


def send(size):
    before = tcp_counters()
    link = socket.create_connection((SERVER, PORT))
    link.sendall(bytes(int(size)))
    link.shutdown(socket.SHUT_WR)
    link.recv(1)
    link.close()
    after = tcp_counters()
    print(after[0] - before[0], after[1] - before[1])


{"frames": frames, "serve": serve, "send": send}[sys.argv[1]](*sys.argv[2:])
