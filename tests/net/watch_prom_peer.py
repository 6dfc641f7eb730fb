#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Slow clients of watch --prom.

watch_prom_peer.py hold COUNT ADDRESS...  COUNT connections from each ADDRESS, a byte of a request a
                                          second from each; says "holding N" on stderr when N of
                                          all are open; SIGTERM ends it
watch_prom_peer.py drip                   a byte of a request every 100 ms; prints after how many ms the
                                          server closes the connection; 9000: not until then
watch_prom_peer.py take                   asks, then takes 1000 bytes a second; prints the ms as above
"""

import socket
import sys
import time

SERVER = ("127.0.0.1", 9105)
REQUEST = b"GET /metrics HTTP/1.1\r\nHost: x\r\nX: "
LONGEST = 9


def connect(address="127.0.0.1"):
    one = socket.socket()
    one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    one.bind((address, 0))
    one.connect(SERVER)
    return one


def is_open(one):
    try:
        return bool(one.recv(1, socket.MSG_DONTWAIT))
    except BlockingIOError:
        return True
    except OSError:
        return False


def send(one, data):
    try:
        one.send(data)
    except OSError:
        pass


def hold(count, *addresses):
    clients = []
    for _ in range(int(count)):
        for address in addresses:
            clients.append(connect(address))
            send(clients[-1], REQUEST)
    time.sleep(0.3)
    print("holding", sum(map(is_open, clients)), file=sys.stderr, flush=True)
    while True:
        for one in clients:
            send(one, b"y")
        time.sleep(1)


def drip():
    one = connect()
    began = time.monotonic()
    send(one, REQUEST)
    while is_open(one) and time.monotonic() - began < LONGEST:
        send(one, b"y")
        time.sleep(0.1)
    print(int((time.monotonic() - began) * 1000))


def take():
    one = connect()
    send(one, b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
    # The page is made first, which has a time of its own.
    one.recv(100)
    began = time.monotonic()
    try:
        while time.monotonic() - began < LONGEST and one.recv(100):
            time.sleep(0.1)
    except ConnectionResetError:
        pass
    print(int((time.monotonic() - began) * 1000))


globals()[sys.argv[1]](*sys.argv[2:])
