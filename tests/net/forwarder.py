#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
Forwards frames between two interfaces in user space, by packet sockets: the kernel drops its own
copy of each.

    forwarder.py LEFT RIGHT [LOSE [COPY [HOLD]]]

Of the IPv4 packets from LEFT to RIGHT, every LOSE-th is not forwarded, from the fourth on; 0: none. Every COPY-th is
sent twice, the first time with one bit of the UDP payload changed. They are held for HOLD seconds.
"""
import errno
import select
import socket
import sys
import time

ETH_P_ALL = 3
SO_RCVBUFFORCE = 33
TAG = 14 + 20 + 8


def open_raw(name):
    sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
    sock.bind((name, 0))
    sock.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 64 << 20)
    return sock


def send(sock, frame):
    try:
        sock.send(frame)
    except OSError as error:
        # A full queue of the interface: the kernel dropped it.
        if error.errno != errno.ENOBUFS:
            raise


def main():
    left, right = (open_raw(name) for name in sys.argv[1:3])
    lose = int(sys.argv[3]) if len(sys.argv) > 3 else 0
    other = {left: right, right: left}
    copy = int(sys.argv[4]) if len(sys.argv) > 4 else 0
    hold = float(sys.argv[5]) if len(sys.argv) > 5 else 0
    held = []       # (when to send, frame), in this order
    seen = 0
    print("ready", file=sys.stderr, flush=True)
    while True:
        ready = select.select([left, right], [], [], max(held[0][0] - time.monotonic(), 0) if held else None)[0]
        while held and held[0][0] <= time.monotonic():
            send(right, held.pop(0)[1])
        for sock in ready:
            frame, address = sock.recvfrom(65536)
            if address[2] == socket.PACKET_OUTGOING:
                continue
            if sock is left and frame[12:14] == b"\x08\x00":
                seen += 1
                if lose and (seen - 1) % lose == 3:
                    continue
                if copy and seen % copy == 0:
                    send(other[sock], frame[:TAG] + bytes([frame[TAG] ^ 1]) + frame[TAG + 1:])
                if hold:
                    held.append((time.monotonic() + hold, frame))
                    continue
            send(other[sock], frame)


if __name__ == "__main__":
    main()
