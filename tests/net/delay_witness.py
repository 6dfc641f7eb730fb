#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
The delay of test packets between two interfaces by the kernel's own receive timestamps
(SO_TIMESTAMPNS, CLOCK_REALTIME). Knows nothing of the tool but the layout of its tag.

    delay_witness.py listen IN OUT COUNT FILE
        Until COUNT test packets came in at OUT, or none for 10 s: the delay of each, from its
        arrival at IN to its arrival at OUT, into FILE. Says "ready" on stderr when it listens.

    delay_witness.py compare FILE RECORDS
        With the delays in RECORDS of sink: prints a JSON object.
"""
import csv
import json
import os
import select
import socket
import statistics
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
import tag

SO_TIMESTAMPNS = 35
PATIENCE_S = 10
TAG_AT = 14 + 20 + 8


def open_link(name):
    link = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    link.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
    link.setsockopt(socket.SOL_SOCKET, 33, 64 << 20)    # SO_RCVBUFFORCE
    link.bind((name, 3))                                # ETH_P_ALL
    return link


def take(link):
    """The stream and the number of a test packet that came in, and the time at which; or None."""
    frame, aux, _, address = link.recvmsg(65536, 64)
    if address[2] == socket.PACKET_OUTGOING or frame[12:14] != b"\x08\x00":
        return None
    fields = tag.read(frame[TAG_AT:])
    stamps = [data for level, kind, data in aux
              if level == socket.SOL_SOCKET and kind == SO_TIMESTAMPNS]
    if not fields or not stamps:
        return None
    seconds, ns = struct.unpack("=qq", stamps[0])
    return (fields[1], fields[2]), seconds * 1000000000 + ns


def listen(in_name, out_name, count, path):
    links = {open_link(in_name): {}, open_link(out_name): {}}
    came, left = links.values()
    print("ready", file=sys.stderr, flush=True)
    while len(left) < count:
        ready = select.select(list(links), [], [], PATIENCE_S)[0]
        if not ready:
            break
        for link in ready:
            packet = take(link)
            if packet:
                links[link].setdefault(*packet)
    # What came in may still be in the socket's queue when the last packet has left.
    for link in links:
        link.setblocking(False)
        try:
            while True:
                packet = take(link)
                if packet:
                    links[link].setdefault(*packet)
        except BlockingIOError:
            pass
    with open(path, "w") as file:
        for key, ns in left.items():
            if key in came:
                file.write(f"{key[0]},{key[1]},{ns - came[key]}\n")


def compare(path, records):
    with open(path) as lines:
        witness = {(int(stream), int(number)): int(ns) for stream, number, ns in csv.reader(lines)}
    with open(records, newline="") as lines:
        tool = {(int(row["stream"]), int(row["sequence"])): int(row["delay_ns"])
                for row in csv.DictReader(lines) if row["stream"]}
    more = sorted(tool[key] - witness[key] for key in tool.keys() & witness.keys())
    print(json.dumps({
        "packets": len(more), "only_tool": len(tool.keys() - witness.keys()),
        "witness_min_ns": min(witness.values()),
        "more_min_ns": more[0], "more_median_ns": int(statistics.median(more)),
        "more_max_ns": more[-1]}))


if sys.argv[1] == "listen":
    listen(sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5])
else:
    compare(sys.argv[2], sys.argv[3])
