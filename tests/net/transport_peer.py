#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""transport_peer.py HOST WHAT: a client of serve that shares no code with the tool.

bytes N     sends N bytes over TCP and prints what the server says it received
order       sends numbered datagrams by hand, with a loss, duplicates and late ones
garbage     says what is no message, in many ways, each on a connection of its own
crowd N     opens N connections that say who they are and ask for a test, prints those that got one, and waits
silent N [MS]  opens N connections, MS apart, that say nothing, prints those that were greeted, and waits
flood N     opens N connections, one by one, and closes each at once
stall N     a server's first N messages, and nothing more: for PORT, from the server at PORT + 1
fast        a test that sends faster than it said it would
late        a test that sends nothing for 3 s, and then all that it had saved up
hostile X   a server that sends rows, conns or arrivals without end, or that names
              port 22 (port) or 30001 (far)
"""
import hashlib
import hmac
import json
import os
import socket
import struct
import sys
import threading
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
import tag  # noqa: E402

PORT = 14880
PUNCH, TEST = 0, 1      # runs in the tags of what opens a stream, and of its datagrams


class Refused(Exception):
    pass


class Control:
    def __init__(self, host, key=None):
        self.socket = socket.create_connection((host, PORT), timeout=10)
        self.file = self.socket.makefile("rwb")
        self.host = host
        hello = self.read("hello")
        nonce = "00" * 32
        mine = {"type": "hello", "version": 1, "tool": "peer", "nonce": nonce}
        if key:
            text = f"ethgauge 1 client {nonce} {hello['nonce']}"
            mine["proof"] = hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
        self.say(mine)
        welcome = self.read("welcome")
        if key:
            text = f"ethgauge 1 server {hello['nonce']} {nonce}"
            assert welcome["proof"] == hmac.new(key, text.encode(), hashlib.sha256).hexdigest()

    def say(self, message):
        self.file.write(json.dumps(message).encode() + b"\n")
        self.file.flush()

    def read(self, kind):
        while True:
            line = self.file.readline()
            if not line:
                raise Refused("the server has gone")
            message = json.loads(line)
            if message["type"] == "error":
                raise Refused(message["what"])
            if message["type"] == kind:
                return message

    def test(self, **spec):
        self.say({"type": "test", "protocol": "tcp", "kind": "stream", "direction": "there",
                  "streams": 1, "duration_ns": 10**10, "message_bytes": 1000, **spec})
        return int(self.read("ready")["ports"].split(",")[0])

    def go(self):
        self.say({"type": "go"})
        self.read("go")

    def result(self):
        self.say({"type": "stop"})
        return self.read("result")


def send_bytes(host, count):
    control = Control(host, os.environ.get("PEER_KEY", "").encode())
    data = socket.create_connection((host, control.test()))
    control.go()
    data.sendall(bytes(count))
    data.shutdown(socket.SHUT_WR)
    print(json.dumps(control.result()))


def tagged(number):
    return tag.make(TEST, 0, number, time.monotonic_ns()) + bytes(82)


def send_order(host):
    control = Control(host)
    data = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    data.settimeout(5)
    data.connect((host, control.test(protocol="udp", message_bytes=100)))
    data.send(tag.make(PUNCH, 0, 0, 0))
    data.recv(100)
    control.go()
    # 7 is missing, 11 and 13 come twice, 20 behind 21, and 3 at the end.
    numbers = [n for n in range(101) if n not in (7, 3)] + [11, 13, 3]
    numbers.remove(20)
    numbers.insert(numbers.index(21) + 1, 20)
    for number in numbers:
        data.send(tagged(number))
    print(json.dumps(control.result()))


def say_garbage(host):
    hello = b'{"type":"hello","version":1,"nonce":"00"}\n'
    lines = [
        b"GET / HTTP/1.1\r\n\r\n", b"\n", b"\0" * 100 + b"\n", b"x" * 10000, b"{}\n", b"{" * 4000 + b"\n",
        b'{"type":"hello","version":1,"nonce":"' + b"a" * 4000 + b'"}\n', b'{"type":"go"}\n',
        os.urandom(4095) + b"\n", hello + b'{"type":"go"}\n', hello + b'{"type":"test","streams":-1}\n',
        hello + b'{"type":"test","streams":99999}\n', hello + b'{"type":"test","kind":7}\n',
        hello + b'{"type":"result","sent_bytes":1}\n', hello + b'{"type":"stop"}\n',
    ]
    for line in lines:
        with socket.create_connection((host, PORT), timeout=10) as control:
            control.sendall(line)
            try:
                while control.recv(4096):
                    pass
            except ConnectionResetError:
                pass
    print(len(lines))


def crowd(host, count):
    controls, taken = [Control(host) for _ in range(count)], 0
    for each in controls:
        try:
            taken += each.test(duration_ns=10**9, rate_bps=10**6) > 0
        except Refused as error:
            print(error)
    print(taken, flush=True)
    sys.stderr.write("crowded\n")
    time.sleep(30)


def silent(host, count, pause_ms=0):
    sockets = []
    for _ in range(count):
        sockets.append(socket.create_connection((host, PORT), timeout=10))
        time.sleep(pause_ms / 1000)
    sys.stderr.write("connected\n")
    print(sum(json.loads(each.makefile().readline())["type"] == "hello" for each in sockets), flush=True)
    sys.stderr.write("crowded\n")
    time.sleep(30)


def flood(host, count):
    for _ in range(count):
        socket.create_connection((host, PORT), timeout=10).close()


def copy(source, sink):
    while True:
        data = source.recv(4096)
        if not data:
            return
        sink.sendall(data)


def stall(host, most):
    listener = socket.create_server((host, PORT))
    sys.stderr.write("stalling\n")
    client, _ = listener.accept()
    server = socket.create_connection((host, PORT + 1))
    threading.Thread(target=copy, args=(client, server), daemon=True).start()
    messages = server.makefile("rb")
    for _ in range(most):
        client.sendall(messages.readline())
    time.sleep(30)


def hostile(host, what):
    control, data = socket.create_server((host, PORT)), socket.create_server((host, PORT + 1))
    echo = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    echo.bind((host, PORT + 1))
    port = {"port": 22, "far": 30001}.get(what, PORT + 1)
    sys.stderr.write("hostile\n")
    control, _ = control.accept()
    file = control.makefile("rwb")

    def say(**message):
        file.write(json.dumps(message).encode() + b"\n")
        file.flush()

    say(type="hello", version=1, tool="peer", nonce="00" * 32)
    file.readline()
    say(type="welcome")
    udp = json.loads(file.readline())["protocol"] == "udp"
    say(type="ready", ports=str(port))
    if udp:
        echo.sendto(*echo.recvfrom(2000))
    kept = data.accept() if not udp and port == PORT + 1 else None
    if not file.readline():
        return kept
    say(type="go")
    line = {"rows": {"type": "row", "elapsed_ns": 1}, "conns": {"type": "conn", "stream": 0},
            "arrivals": {"type": "arrivals", "list": ",".join(["0:1:1:1"] * 100)}}[what]
    lines = (json.dumps(line).encode() + b"\n") * 100
    try:
        while True:
            control.sendall(lines)
    except OSError:
        return kept


def send_late(host):
    send_fast(host, 3, 800000)


def send_fast(host, pause=0, most=10**12):
    control = Control(host)
    data = socket.create_connection((host, control.test(rate_bps=1000000)))
    control.go()
    time.sleep(pause)
    end = time.monotonic() + 10
    try:
        while time.monotonic() < end and most > 0:
            data.sendall(bytes(100000))
            most -= 100000
    except OSError:
        pass
    try:
        control.read("never")
    except Refused as refusal:
        print(refusal)


if __name__ == "__main__":
    host_, what, *words = sys.argv[1:]
    {"bytes": send_bytes, "order": send_order, "garbage": say_garbage, "crowd": crowd,
     "silent": silent, "flood": flood,
     "stall": stall, "fast": send_fast, "late": send_late,
     "hostile": hostile}[what](host_, *(int(w) if w.isdigit() else w for w in words))
