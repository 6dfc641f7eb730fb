#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
Sends hand-made test packets, whose loss, order and delay are known, from one
end of a lab. Knows nothing of the tool but the layout of its tag.

    send_tags.py [--port N] [--frame-bytes N] [--vlan ID] [--ip6] [--pattern] [--mac MAC] <LINES

One packet a line, in the order of the lines:

    STREAM NUMBER [WORD...]     number: its low 32 bits are the tag's sequence
    arp                         a frame that is no IP

Without a word the stamp lies a second and more back and grows with the number,
as a sender's would. Zeros follow the tag, or the payload pattern. Words:

    age=NS      stamped so long before it is sent; below 0: in the future
    untimed     no time in the tag
    damaged     the complement does not fit
    untagged    zeros instead of a tag
    badsum      the UDP checksum is wrong
    badip       the IPv4 header checksum is wrong
    nosum       no UDP checksum: 0
    flip=N      the highest bit of byte N of the payload after the tag is another, and the checksum
                is that of the payload as it is sent; below 0: counted from the end
    shift=N     the pattern begins N bytes late
    swap=N      words N and N + 1 of the pattern have changed places
    port=N      to this UDP port
    anew        from here on it is a new run: stamped after all before
    stale       of the run before this one, and stamped so
"""
import argparse
import errno
import os
import socket
import struct
import sys
import time

import tag

SOURCE_MAC = b"\x02\xe9\0\0\0\x0a"
FIRST_RUN = 0x1234
STEP_NS = 1000
RUN = 1 << 33       # numbers of one run lie within this


def build_tag(run, stream, number, sent_ns, words):
    if "untagged" in words:
        return bytes(tag.BYTES)
    made = tag.make(FIRST_RUN + run, stream, number, sent_ns)
    return made[:-1] + bytes([made[-1] ^ ("damaged" in words)])


def build_rest(args, nr_bytes, words):
    """The payload after the tag."""
    if not args.pattern:
        return bytes(nr_bytes)
    shift, swap, flip = (take_number(words, name, None) for name in ("shift", "swap", "flip"))
    rest = bytearray(tag.pattern(nr_bytes + (shift or 0))[shift or 0:])
    if swap is not None:
        at = 8 * swap
        rest[at:at + 16] = rest[at + 8:at + 16] + rest[at:at + 8]
    if flip is not None:
        rest[flip] ^= 0x80
    return bytes(rest)


def build(args, payload_tag, port, words):
    vlan = b"" if args.vlan is None else struct.pack("!HH", 0x8100, args.vlan)
    header_bytes = 14 + len(vlan) + (40 if args.ip6 else 20) + 8
    payload = payload_tag + build_rest(args, args.frame_bytes - 4 - header_bytes - len(payload_tag), words)
    udp_bytes = 8 + len(payload)
    if args.ip6:
        ends = socket.inet_pton(socket.AF_INET6, "2001:2::1") + \
            socket.inet_pton(socket.AF_INET6, "2001:2::2")
        ip = struct.pack("!IHBB", 6 << 28, udp_bytes, 17, 64) + ends
    else:
        ends = socket.inet_aton("198.18.0.1") + socket.inet_aton("198.18.0.2")
        ip = struct.pack("!BBHHHBBH", 0x45, 0, 20 + udp_bytes, 0, 0x4000, 64, 17, 0) + ends
        ip = ip[:10] + struct.pack("!H", tag.csum(ip) ^ ("badip" in words)) + ip[12:]
    udp = struct.pack("!HHHH", 50021, port, udp_bytes, 0)
    pseudo = ends + struct.pack("!HH", 17, udp_bytes)
    check = (tag.csum(pseudo + udp + payload) or 0xFFFF) ^ ("badsum" in words)
    udp = udp[:6] + struct.pack("!H", 0 if "nosum" in words else check)
    return args.macs + vlan + (b"\x86\xdd" if args.ip6 else b"\x08\x00") + ip + udp + payload


def stamps_back(lines):
    """Of each line the place of its stamp in time, in steps before the last one's."""
    run, runs, places = 0, [], []
    for words in lines:
        run += "anew" in words
        number = 0 if words[0] == "arp" else int(words[1])
        runs.append(run - ("stale" in words))
        places.append(runs[-1] * RUN + number)
    # Runs are as far apart as they need to be, and no farther: the clock may be young.
    order = {place: i for i, place in enumerate(sorted(set(places)))}
    return runs, [len(order) - order[place] for place in places]


def take_number(words, name, default):
    for word in words:
        if word.startswith(name + "="):
            return int(word.split("=")[1])
    return default


def read_dropped(counters):
    """Of eg0, what its driver dropped on transmit."""
    for line in os.pread(counters, 65536, 0).decode().splitlines():
        if line.strip().startswith("eg0:"):
            return int(line.split(":")[1].split()[11])
    raise OSError("no interface eg0")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, default=9)
    parser.add_argument("--frame-bytes", type=int, default=0)
    parser.add_argument("--vlan", type=int)
    parser.add_argument("--ip6", action="store_true")
    parser.add_argument("--pattern", action="store_true")
    parser.add_argument("--mac", default="02:e9:00:00:00:0b")
    args = parser.parse_args()
    args.macs = bytes.fromhex(args.mac.replace(":", "")) + SOURCE_MAC
    args.frame_bytes = args.frame_bytes or (84 if args.ip6 else 64) + 4 * (args.vlan is not None)
    lines = [line.split() for line in sys.stdin if line.strip()]
    # Packets that leave by two CPUs may overtake each other.
    cpus = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, {cpus[os.getpid() % len(cpus)]})
    base_ns = time.monotonic_ns() - 10 ** 9
    link = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    link.bind(("eg0", 0))
    counters = os.open("/proc/self/net/dev", os.O_RDONLY)
    lost = read_dropped(counters)
    for words, run, back in zip(lines, *stamps_back(lines)):
        if words[0] == "arp":
            frame = args.macs + b"\x08\x06" + bytes(46)
        else:
            age_ns = take_number(words, "age", None)
            sent_ns = base_ns - back * STEP_NS if age_ns is None else \
                time.monotonic_ns() - age_ns
            made = build_tag(run, int(words[0]), int(words[1]),
                             0 if "untimed" in words else sent_ns, words)
            frame = build(args, made, take_number(words, "port", args.port), words)
        # A veth whose peer cannot keep up drops, and counts it before send() returns: try again.
        while True:
            try:
                assert link.send(frame) == len(frame)
            except OSError as error:
                # A tc program on egress dropped it: that is reported, and it was sent.
                if error.errno != errno.ENOBUFS:
                    raise
            now = read_dropped(counters)
            if now == lost:
                break
            lost = now
            time.sleep(0.001)


if __name__ == "__main__":
    main()
