#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""A STAMP and TWAMP Light reflector written from the RFCs' text, as an oracle for the sender.

stamp_reflector.py [--stateless] [--ptp] [--key KEY] [--old] [--twamp] [--lose-back N,N] [--port N]
Loses the answers with the given numbers. Says "ready" on stderr, and at SIGTERM on stdout what
it got, as JSON. --old: knows RFC 8762 only: no SSID, and what follows the base packet comes
back as it is.
"""
import argparse
import hashlib
import hmac
import json
import signal
import socket
import struct
import sys
import time

ap = argparse.ArgumentParser()
ap.add_argument("--stateless", action="store_true")
ap.add_argument("--ptp", action="store_true")
ap.add_argument("--old", action="store_true")
ap.add_argument("--twamp", action="store_true")
ap.add_argument("--key")
ap.add_argument("--corrupt", action="store_true", help="break the HMAC of every answer")
ap.add_argument("--lose-back", default="")
ap.add_argument("--restart-after", type=int, default=0)
ap.add_argument("--port", type=int, default=862)
args = ap.parse_args()
lose = {int(n) for n in args.lose_back.split(",") if n}
key = args.key.encode() if args.key else None
counts = {"questions": 0, "answers": 0, "lost_back": 0, "wrong": 0, "sizes": {}, "tos": {},
          "u_not_set": 0, "zero_multiplier": 0, "numbers": 0}
sessions = {}


def now():
    seconds, ns = divmod(time.clock_gettime_ns(time.CLOCK_REALTIME), 10**9)
    if args.ptp:
        return struct.pack(">II", seconds, ns)
    return struct.pack(">II", seconds + 2208988800, (ns << 32) // 10**9)


def mac(data):
    return hmac.new(key, data, hashlib.sha256).digest()[:16]


def tlvs(data, seq, state, tos, source, port):
    """RFC 8972 4: each TLV answered in its place."""
    out = b""
    at = 0
    while at < len(data):
        flags, kind, length = struct.unpack_from(">BBH", data, at)
        value = data[at + 4:at + 4 + length]
        counts["u_not_set"] += not flags & 0x80
        if kind == 1:
            flags = 0
        elif kind == 2:
            flags = 0
            ip = socket.inet_aton(source[0]).ljust(16, b"\0") if "." in source[0] else \
                socket.inet_pton(socket.AF_INET6, source[0])
            value = struct.pack(">HH", port, source[1]) + struct.pack(
                ">BBH", 0x80, 1, 8) + bytes(8) + struct.pack(">BBH", 0x80, 4, 16) + bytes(16) + \
                struct.pack(">BBH", 0, 8 if "." in source[0] else 9, 16) + ip
        elif kind == 3:
            flags, value = 0, bytes((5, 2, 5, 2))
        elif kind == 4:
            flags = 0
            value = struct.pack(">HH", (value[0] >> 2) << 10 | (tos >> 2) << 4 | (tos & 3) << 2, 0)
        elif kind == 5:
            flags = 0
            value = value[:4] + struct.pack(">II", state["received"], state["sent"] + 1)
        elif kind == 7:
            flags = 0
            if "before" in state:
                value = state["before"] + bytes((2, 0, 0, 0))
        elif kind == 8:
            flags = 0 if value == mac(struct.pack(">I", seq) + data[:at]) else 0x20
            value = mac(struct.pack(">I", state["number"]) + out)
        else:
            flags = 0x80    # 6, access report: this one does not know it
        out += struct.pack(">BBH", flags, kind, length) + value
        at += 4 + length
    return out


def answer(data, source, ttl, tos, received):
    base = 112 if key else 44
    if len(data) < (41 if args.twamp else base):
        counts["wrong"] += 1
        return None
    if key and mac(data[:96]) != data[96:112]:
        counts["wrong"] += 1
        return None
    seq = struct.unpack_from(">I", data)[0]
    at = 16 if key else 4
    stamp, error = data[at:at + 8], data[at + 8:at + 10]
    ssid = b"\0\0" if args.old or args.twamp else data[at + 10:at + 12]
    counts["zero_multiplier"] += error[1] == 0
    state = sessions.setdefault((source, ssid), {"received": 0, "sent": 0})
    if args.restart_after and state["received"] == args.restart_after:
        state["sent"] = 0
    state["received"] += 1
    number = state["number"] = seq if args.stateless else state["sent"]
    own = struct.pack(">H", 0x8001 | (0x4000 if args.ptp else 0))
    if not args.twamp and not args.old:
        tail = tlvs(data[base:], seq, state, tos, source, args.port)
    else:
        tail = data[41 if args.twamp else base:]
    sent = now()
    if key:
        out = struct.pack(">I12x", number) + sent + own + ssid + bytes(4) + received + bytes(8) + \
            struct.pack(">I12x", seq) + stamp + error + bytes(6) + bytes((ttl,)) + bytes(15)
        out += bytes(16) if args.corrupt else mac(out)
    else:
        out = struct.pack(">I", number) + sent + own + ssid + received + struct.pack(">I", seq) + \
            stamp + error + bytes(2) + bytes((ttl,)) + (b"" if args.twamp else bytes(3))
    state["before"] = struct.pack(">I", number) + now()
    state["sent"] += 1
    if state["sent"] - 1 in lose and state["received"] > 0:
        counts["lost_back"] += 1
        return None
    return out + tail


def finish(*_):
    counts["sessions"] = len(sessions)
    print(json.dumps(counts), flush=True)
    sys.exit(0)


signal.signal(signal.SIGTERM, finish)
sock = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
for level, option in ((socket.IPPROTO_IP, socket.IP_RECVTOS), (socket.IPPROTO_IP, 12),  # IP_RECVTTL
                      (socket.IPPROTO_IPV6, socket.IPV6_RECVHOPLIMIT),
                      (socket.IPPROTO_IPV6, socket.IPV6_RECVTCLASS)):
    sock.setsockopt(level, option, 1)
sock.setsockopt(socket.SOL_SOCKET, 33, 8 << 20)    # SO_RCVBUFFORCE
sock.bind(("::", args.port))
print("ready", file=sys.stderr, flush=True)
while True:
    data, control, _, source = sock.recvmsg(10000, 256)
    arrived = now()
    header = {(level, kind): value for level, kind, value in control}
    hops = next((value[0] for (level, kind), value in header.items()
                 if (level, kind) in ((0, 2), (41, 52))), 0)
    tos = next((value[0] for (level, kind), value in header.items()
                if (level, kind) in ((0, 1), (41, 67))), 0)
    counts["questions"] += 1
    counts["sizes"][len(data)] = counts["sizes"].get(len(data), 0) + 1
    counts["tos"][tos] = counts["tos"].get(tos, 0) + 1
    name = (source[0].removeprefix("::ffff:"), source[1])
    reply = answer(data, name, hops, tos, arrived)
    if reply:
        sock.sendto(reply, source)
        counts["answers"] += 1
