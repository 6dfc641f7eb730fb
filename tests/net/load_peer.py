#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
A web server on 198.18.0.2:87 whose answers are written by hand: each path is
another way to frame an answer, or to fail at it. It keeps connections unless
the answer is of the sort that ends one, and writes one line a request to the
file that is given: the path, and which request of its connection it was.
"""
import socket
import sys
import threading
import time

BODY = b"0123456789abcdef" * 70


def head(*lines, status=b"200 OK", version=b"1.1"):
    return b"HTTP/" + version + b" " + status + b"\r\n" + b"".join(line + b"\r\n" for line in lines) + b"\r\n"


def length(nr=len(BODY)):
    return b"Content-Length: %d" % nr


def chunks(*parts, last=b"0\r\n\r\n"):
    return b"".join(b"%x;x=1\r\n" % len(part) + part + b"\r\n" for part in parts) + last


CHUNKED = b"transfer-encoding:chunked"

# Path: what is sent, and whether the connection ends with it. A list is sent part by part.
ANSWERS = {
    "/length": (head(length()) + BODY, False),
    "/empty": (head(length(0)), False),
    "/chunked": (head(CHUNKED) + chunks(BODY[:3], BODY[:999]), False),
    "/trailers": (head(CHUNKED) + chunks(BODY, last=b"0\r\nX-More: yes\r\n\r\n"), False),
    "/end": (head() + BODY, True),
    "/close": (head(length(), b"Connection: close") + BODY, True),
    "/old": (head(length(), version=b"1.0") + BODY, True),
    "/old-kept": (head(length(), b"Connection: Keep-Alive", version=b"1.0") + BODY, False),
    "/none": (head(b"X: y", status=b"204 No Content"), False),
    "/same": (head(length(), status=b"304 Not Modified"), False),
    "/hints": (head(b"Link: </a>", status=b"103 Early Hints") + head(length()) + BODY, False),
    "/missing": (head(length(4), status=b"404") + b"none", False),
    "/broken": (head(length(4), status=b"500 Oh") + b"none", False),
    "/lines": (head(length()).replace(b"\r\n", b"\n") + BODY, False),
    "/split": ([*(bytes([c]) for c in head(b"X-Name: value", length(7))), b"012", b"3456"], False),
    "/split-chunks": ([head(CHUNKED), *(bytes([c]) for c in chunks(b"01", b"2"))], False),
    "/long-line": (head(b"X-Long: " + b"x" * 50000, length()) + BODY, False),
    "/short": (head(length(2000)) + BODY, True),
    "/cut-chunk": (head(CHUNKED) + b"ff\r\nabc", True),
    "/cut-head": (b"HTTP/1.1 200 OK\r\nContent-Le", True),
    "/garbage": (b"SSH-2.0-OpenSSH_9.2\r\n", True),
    "/bad-length": (head(b"Content-Length: -7") + BODY, True),
    "/bad-chunk": (head(CHUNKED) + b"zz\r\nabc\r\n0\r\n\r\n", True),
    "/see": (head(b"Location: /length", length(0), status=b"302 Found"), False),
    "/see-self": (head(b"Location: ?again", length(0), status=b"301 Moved"), False),
}


def answer(path, nr):
    """What the request of that number on a connection gets.

    None: an end, as of one kept for long enough; "": nothing."""
    path = path.split("?", maxsplit=1)[0]
    if path == "/quits":
        return None if nr == 4 else ANSWERS["/length"]
    if path == "/stops":
        return ("", False) if nr == 2 else ANSWERS["/length"]
    if path == "/closes":
        return (ANSWERS["/close"][0] if nr == 3 else "" if nr > 3 else ANSWERS["/length"][0], False)
    if path == "/moves":
        return ANSWERS["/see" if nr == 2 else "/length"]
    return ANSWERS[path]


def send(conn, what):
    if isinstance(what, bytes):
        conn.sendall(what)
        return
    conn.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for part in what:
        conn.sendall(part)
        time.sleep(0.0003)


def serve(conn, log):
    text, nr = b"", 0
    with conn:
        while True:
            while b"\r\n\r\n" not in text:
                more = conn.recv(9999)
                if not more:
                    return
                text += more
            request, text = text.split(b"\r\n\r\n", 1)
            path = request.split(b" ")[1].decode()
            nr += 1
            print(path, nr, file=log, flush=True)
            this = answer(path, nr)
            if not this:
                return
            send(conn, this[0])
            if this[1]:
                return


def main():
    server = socket.create_server(("198.18.0.2", 87), backlog=64)
    with open(sys.argv[1], "w", encoding="ascii") as log:
        print("ready", file=sys.stderr, flush=True)
        while True:
            threading.Thread(target=serve, args=(server.accept()[0], log), daemon=True).start()


main()
