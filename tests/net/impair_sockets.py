#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Transfers between real sockets, compared byte for byte.

  impair_sockets.py serve ADDRESS             until killed: returns what TCP and UDP bring, on port 7000
  impair_sockets.py ask ADDRESS BYTES COUNT MOST  BYTES by TCP there and back, then COUNT datagrams below MOST

`ask` prints one JSON object: tcp_exact, and of the datagrams sent, back (distinct), wrong (answers that were
not sent).
"""
import json
import random
import selectors
import socket
import sys
import threading
import time

PORT = 7000
SO_RCVBUFFORCE = 33


def family(address):
    return socket.AF_INET6 if ":" in address else socket.AF_INET


def datagram_socket(address):
    """One that drops nothing: a short datagram may count as a whole page."""
    sock = socket.socket(family(address), socket.SOCK_DGRAM)
    sock.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 16 << 20)
    return sock


def echo_stream(conn):
    with conn:
        while data := conn.recv(65536):
            conn.sendall(data)
        conn.shutdown(socket.SHUT_WR)


def serve(address):
    stream = socket.create_server((address, PORT), family=family(address))
    dgram = datagram_socket(address)
    dgram.bind((address, PORT))
    with selectors.DefaultSelector() as sel:
        sel.register(stream, selectors.EVENT_READ)
        sel.register(dgram, selectors.EVENT_READ)
        print("serving", file=sys.stderr, flush=True)
        while True:
            for key, _ in sel.select():
                if key.fileobj is stream:
                    threading.Thread(target=echo_stream, args=(stream.accept()[0],), daemon=True).start()
                else:
                    dgram.sendto(*dgram.recvfrom(65536))


def ask_stream(address, size):
    sent, got = random.Random(1).randbytes(size), bytearray()
    with socket.create_connection((address, PORT), timeout=20) as conn:
        def send():
            conn.sendall(sent)
            conn.shutdown(socket.SHUT_WR)
        threading.Thread(target=send, daemon=True).start()
        while data := conn.recv(65536):
            got += data
    return got == sent


def ask_datagrams(address, count, most):
    rand = random.Random(2)
    # A number in front: no two are equal.
    sent = [n.to_bytes(4, "big") + rand.randbytes(rand.randrange(0, most)) for n in range(count)]
    back, wrong = set(), 0
    with datagram_socket(address) as sock:
        sock.connect((address, PORT))
        sock.settimeout(0.5)
        for n, data in enumerate(sent):
            sock.send(data)
            if n % 10 == 9:
                time.sleep(0.005)
        try:
            while len(back) < count:
                data = sock.recv(65536)
                if data in sent:
                    back.add(data)
                else:
                    wrong += 1
        except TimeoutError:
            pass
    return {"back": len(back), "wrong": wrong}


if sys.argv[1] == "serve":
    serve(sys.argv[2])
else:
    address, size, count, most = sys.argv[2], *map(int, sys.argv[3:6])
    print(json.dumps({"tcp_exact": ask_stream(address, size), **ask_datagrams(address, count, most)}))
