#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Traffic that watch --flows is held against.

watch_flows_peer.py capture FILE      one-way packets of 1009 flows, made by scapy
watch_flows_peer.py compare FILE DOC  DOC's flows and tshark's reading of FILE: prints where they differ
watch_flows_peer.py delay MS          in the middle: passes frames between ega and egb, each so late
watch_flows_peer.py serve             "ready" on stderr; sends back what one TCP connection brings
watch_flows_peer.py talk COUNT        exchanges COUNT messages with it; prints the median of the round
                                      trips that TCP itself took, and the least, in us
watch_flows_peer.py dns-serve COUNT   answers COUNT DNS queries; "ready" on stderr
watch_flows_peer.py dns-ask COUNT     asks, and waits for each answer
watch_flows_peer.py quic-serve MS     answers a QUIC Initial so late, at once with a Retry where its
                                      ID begins with r; "ready" on stderr
watch_flows_peer.py quic-ask r|d      opens a connection; prints its port, and the time from its last
                                      Initial to the answer, in ns
watch_flows_peer.py quic-pcap FILE    what these two say to each other, for tshark
"""

import collections
import json
import random
import select
import socket
import statistics
import struct
import subprocess
import sys
import time

SERVER = "198.18.0.2"
PORT = 5202


def capture(path):
    from scapy.all import IP, TCP, UDP, Ether, IPv6, Raw, wrpcap  # pylint: disable=C0415

    rng = random.Random(4211)
    packets = []
    for number in range(1009):
        ends = {"sport": 1024 + rng.randrange(60000), "dport": rng.choice((80, 443, 5060))}
        if number % 3 == 0:
            ip = IPv6(src=f"2001:db8::{number + 1:x}", dst="2001:2::2")
        else:
            ip = IP(src=f"203.0.{number // 250}.{number % 250 + 1}", dst="198.18.0.2")
        l4 = TCP(flags="A", seq=1, **ends) if number % 2 else UDP(**ends)
        for _ in range(rng.randrange(1, 4)):
            frame = Ether(dst="02:e9:00:00:00:99", src="02:e9:00:00:00:0a") / ip / l4
            packets.append(frame / Raw(bytes(rng.randrange(0, 1400))))
    rng.shuffle(packets)
    wrpcap(path, packets)


def truth(path):
    fields = ["ip.src", "ipv6.src", "ip.dst", "ipv6.dst", "tcp.srcport", "udp.srcport",
              "tcp.dstport", "udp.dstport", "frame.len"]
    lines = subprocess.run(
        ["tshark", "-r", path, "-T", "fields", *sum((["-e", name] for name in fields), [])],
        check=True, capture_output=True, text=True).stdout.splitlines()
    flows = collections.defaultdict(lambda: [0, 0])
    for line in lines:
        src4, src6, dst4, dst6, tsp, usp, tdp, udp, length = line.split("\t")
        far = f"[{src6}]" if src6 else src4
        near = f"[{dst6}]" if dst6 else dst4
        key = (f"{near}:{tdp or udp}", f"{far}:{tsp or usp}", "tcp" if tsp else "udp")
        flows[key][0] += 1
        flows[key][1] += max(int(length), 60) + 4
    return dict(flows)


def compare(path, document):
    with open(document, encoding="ascii") as file:
        parts = json.load(file)["parts"]
    entries = [part for part in parts if part["name"] == "eg0 flows"][0]["entries"]
    seen = {(e["near"], e["far"], e["proto"]): [e["rx_packets"], e["rx_bytes"]] for e in entries}
    expected = truth(path)
    for key in sorted(expected.keys() | seen.keys()):
        if expected.get(key) != seen.get(key):
            print(key, "tshark", expected.get(key), "watch", seen.get(key))
    print(len(expected), "flows")


def delay(ms):
    links = []
    for name in ("ega", "egb"):
        link = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
        link.bind((name, 3))
        link.setsockopt(socket.SOL_SOCKET, 33, 64 << 20)    # SO_RCVBUFFORCE
        link.setsockopt(263, 23, 1)  # SOL_PACKET, PACKET_IGNORE_OUTGOING
        links.append(link)
    waiting = collections.deque()
    print("ready", file=sys.stderr, flush=True)
    while True:
        left = max(0, waiting[0][0] - time.monotonic()) if waiting else None
        for link in select.select(links, [], [], left)[0]:
            frame = link.recv(65536)
            waiting.append((time.monotonic() + int(ms) / 1000, links[link is links[0]], frame))
        while waiting and waiting[0][0] <= time.monotonic():
            _, link, frame = waiting.popleft()
            link.send(frame)


def serve():
    listener = socket.socket()
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind((SERVER, PORT))
    listener.listen()
    print("ready", file=sys.stderr, flush=True)
    peer, _ = listener.accept()
    peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    while data := peer.recv(1 << 16):
        peer.sendall(data)
    peer.close()


def tcp_info(link, offset):
    return struct.unpack_from("I", link.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 152), offset)[0]


def talk(count):
    link = socket.create_connection((SERVER, PORT))
    link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    rtts = []
    smooth = tcp_info(link, 68)
    for _ in range(int(count)):
        link.sendall(bytes(1000))
        left = 1000
        while left:
            left -= len(link.recv(left))
        # tcpi_rtt is smoothed: 7/8 of what it was and 1/8 of what was measured (RFC 6298).
        before, smooth = smooth, tcp_info(link, 68)
        rtts.append(8 * smooth - 7 * before)
    print(statistics.median(rtts), tcp_info(link, 148))  # tcpi_min_rtt
    link.close()


def dns_serve(count):
    link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    link.bind((SERVER, 53))
    print("ready", file=sys.stderr, flush=True)
    for _ in range(int(count)):
        data, peer = link.recvfrom(2048)
        link.sendto(data[:2] + bytes([data[2] | 0x80]) + data[3:], peer)


def dns_ask(count):
    link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    link.settimeout(5)
    for number in range(int(count)):
        link.sendto(struct.pack("!HHHHHH", number, 0x100, 1, 0, 0, 0) + b"\0\0\1\0\1", (SERVER, 53))
        link.recv(2048)


def quic(version, kind, to, sender, token=b""):
    """RFC 9000 17.2, what is encrypted left at 0; of version 2 the types are those of RFC 9369."""
    first = ("initial", "0rtt", "handshake", "retry").index(kind)
    first = 0xC0 | ((first + (version != 1)) % 4) << 4
    head = struct.pack("!BIB", first, version, len(to)) + to + bytes([len(sender)]) + sender
    if kind == "retry":
        return head + token + bytes(16)
    if kind == "initial":
        head += bytes([len(token)]) + token
    rest = 1200 - len(head) - 2
    return head + struct.pack("!H", 0x4000 | rest) + bytes(rest)


def quic_fields(data):
    version, bytes_ = struct.unpack_from("!IB", data, 1)
    to, data = data[6:6 + bytes_], data[6 + bytes_:]
    return version, to, data[1:1 + data[0]]


def quic_serve(ms):
    link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    link.bind((SERVER, 443))
    print("ready", file=sys.stderr, flush=True)
    while True:
        data, peer = link.recvfrom(2048)
        version, to, client = quic_fields(data)
        if to[:1] == b"r":
            link.sendto(quic(version, "retry", client, b"answered", b"token"), peer)
            continue
        time.sleep(int(ms) / 1000)
        link.sendto(quic(version, "initial", client, b"at-last!"), peer)


def quic_ask(how):
    link = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    link.settimeout(5)
    version, to, token = (1, b"d-chosen", b"")
    if how == "r":
        version = 0x6B3343CF
        link.sendto(quic(version, "initial", b"r-chosen", b"me"), (SERVER, 443))
        to, token = quic_fields(link.recv(2048))[2], b"token"
    start = time.monotonic_ns()
    link.sendto(quic(version, "initial", to, b"me", token), (SERVER, 443))
    link.recv(2048)
    print(link.getsockname()[1], time.monotonic_ns() - start)


def quic_pcap(path):
    from scapy.all import IP, UDP, Ether, Raw, wrpcap  # pylint: disable=C0415

    talk_ = [(51001, 443, quic(1, "initial", b"d-chosen", b"me")),
             (443, 51001, quic(1, "initial", b"me", b"at-last!")),
             (443, 51001, quic(1, "handshake", b"me", b"at-last!")),
             (51002, 443, quic(0x6B3343CF, "initial", b"r-chosen", b"me")),
             (443, 51002, quic(0x6B3343CF, "retry", b"me", b"answered", b"token")),
             (51002, 443, quic(0x6B3343CF, "initial", b"answered", b"me", b"token"))]
    wrpcap(path, [Ether() / IP(src="198.18.0.1", dst=SERVER) / UDP(sport=sport, dport=dport) /
                  Raw(data) for sport, dport, data in talk_])


{"capture": capture, "compare": compare, "delay": delay, "serve": serve, "talk": talk,
 "dns-serve": dns_serve, "dns-ask": dns_ask, "quic-serve": quic_serve, "quic-ask": quic_ask,
 "quic-pcap": quic_pcap}[sys.argv[1]](*sys.argv[2:])
