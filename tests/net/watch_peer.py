#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Traffic that watch is held against.

watch_peer.py frames BYTES COUNT [MAC [S]]  raw frames of an unassigned EtherType out of eg0,
                                         S seconds apart; SIGTERM ends it, and it prints
                                         how many it has sent
watch_peer.py serve                      "ready" on stderr; takes one TCP connection to its end
watch_peer.py send BYTES                 sends BYTES bytes by TCP to it
watch_peer.py counters                   of TCP in this namespace: "OutSegs RetransSegs"
"""

import os
import signal
import socket
import sys
import time

PORT = 5201
SERVER = os.environ.get("WATCH_PEER", "198.18.0.2")


def frames(size, count, mac="02:e9:00:00:00:0b", apart=0):
    link = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    link.bind(("eg0", 0))
    frame = bytes.fromhex(mac.replace(":", "") + "02e90000000a" + "88b5")
    frame += bytes(int(size) - len(frame))
    if not apart:
        for _ in range(int(count)):
            link.send(frame)
        return
    ends = []
    signal.signal(signal.SIGTERM, lambda *_: ends.append(True))
    sent = 0
    while sent < int(count) and not ends:
        link.send(frame)
        sent += 1
        time.sleep(float(apart))
    print(sent)


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


def counters():
    with open("/proc/net/snmp", encoding="ascii") as snmp:
        names, values = [line.split() for line in snmp if line.startswith("Tcp:")]
    tcp = dict(zip(names, values))
    print(tcp["OutSegs"], tcp["RetransSegs"])


def send(size):
    link = socket.create_connection((SERVER, PORT))
    link.sendall(bytes(int(size)))
    link.shutdown(socket.SHUT_WR)
    link.recv(1)
    link.close()


{"frames": frames, "serve": serve, "send": send, "counters": counters}[sys.argv[1]](*sys.argv[2:])
