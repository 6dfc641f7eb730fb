#!/usr/bin/python3 -B
# SPDX-License-Identifier: GPL-2.0-or-later
"""
Sends one stream of test packets from many source ports in turn, so that a
device with several queues spreads it over them.

    queues_peer.py DEST COUNT PORTS
"""
import os
import socket
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
from send_tags import build_tag  # noqa: E402


def main():
    dest, count, ports = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    sockets = []
    for _ in range(ports):
        sockets.append(socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
        sockets[-1].connect((dest, 9))
    for number in range(count):
        sockets[number % ports].send(build_tag(0, 0, number, 0, []))


if __name__ == "__main__":
    main()
