#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
Has a TWAMP server start a reflector: the client's side of TWAMP-Control, unauthenticated,
from the text of RFC 4656 3.1 and RFC 5357 3.

    twamp_control.py SERVER SENDER SENDER-PORT REFLECTOR-PORT

IPv4 addresses. Says "reflecting on PORT" on stderr, and stops the session at SIGTERM.
"""
import signal
import socket
import struct
import sys


def take(sock, count):
    data = b""
    while len(data) < count:
        more = sock.recv(count - len(data))
        if not more:
            sys.exit("the server hung up")
        data += more
    return data


def main():
    server, sender, sender_port, port = *sys.argv[1:3], *map(int, sys.argv[3:])
    with socket.create_connection((server, 862), 5) as control:
        modes = struct.unpack_from(">I", take(control, 64), 12)[0]
        if not modes & 1:
            sys.exit(f"no unauthenticated mode: {modes}")
        control.sendall(struct.pack(">I160x", 1))       # Set-Up-Response
        if take(control, 48)[15]:
            sys.exit("Server-Start does not accept")
        # Request-TW-Session: IPv4, no padding, start at once, 900 s, best effort
        control.sendall(struct.pack(">BB2x8xHH4s12x4s12x16xI8xII4x8x16x", 5, 4, sender_port, port,
                                    socket.inet_aton(sender), socket.inet_aton(server), 0, 900, 0))
        accept = take(control, 48)
        if accept[0]:
            sys.exit(f"Accept-Session says {accept[0]}")
        control.sendall(struct.pack(">B31x", 2))        # Start-Sessions
        if take(control, 32)[0]:
            sys.exit("Start-Ack does not accept")
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
        print("reflecting on", struct.unpack_from(">H", accept, 2)[0], file=sys.stderr, flush=True)
        signal.pause()


main()
