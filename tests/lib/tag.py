#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
The probe tag and the payload pattern, made and read without a line of the tool's code: by their
descriptions in abi/tag.h and abi/payload.h.
"""
import struct

BYTES = 18
TAI = 0x8000
MASK = (1 << 64) - 1
TIME = (1 << 48) - 1


def csum(data):
    """One's complement sum of RFC 1071, folded and inverted."""
    if len(data) % 2:
        data += b"\0"
    total = sum(struct.unpack(f"!{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return ~total & 0xFFFF


def check(fields, rest):
    """@fields: 6 bytes from the run on; @rest: the 8 after them."""
    mix = (int.from_bytes(fields, "big") << 16 ^ 0x7461672D32000000) * 0x9E3779B97F4A7C15 & MASK
    mix = (mix ^ mix >> 32 ^ int.from_bytes(rest, "big")) * 0xBF58476D1CE4E5B9 & MASK
    return ((mix ^ mix >> 32) * 0x94D049BB133111EB & MASK) >> 48


def make(run, stream, sequence, sent_ns):
    body = struct.pack("!HHIHI", run, stream, sequence & 0xFFFFFFFF, sent_ns >> 32 & 0xFFFF,
                       sent_ns & 0xFFFFFFFF)
    tag = struct.pack("!H", check(body[:6], body[6:])) + body
    return tag + struct.pack("!H", csum(tag))


def read(data):
    """(run, stream, sequence, time), or None: it is no tag."""
    if len(data) < BYTES or csum(data[:BYTES]) or \
            int.from_bytes(data[:2], "big") != check(data[2:8], data[8:16]):
        return None
    run, stream, sequence, high, low = struct.unpack("!HHIHI", data[2:16])
    return run, stream, sequence, high << 32 | low


def splitmix64(seed, index):
    mix = seed + index * 0x9E3779B97F4A7C15 & MASK
    mix = (mix ^ mix >> 30) * 0xBF58476D1CE4E5B9 & MASK
    mix = (mix ^ mix >> 27) * 0x94D049BB133111EB & MASK
    return mix ^ mix >> 31


def pattern(nr_bytes):
    """What follows the tag."""
    halves = [splitmix64(0x7061796C6F616421, i) >> 32 for i in range((nr_bytes + 7) // 8)]
    return b"".join(struct.pack("!II", half, ~half & 0xFFFFFFFF) for half in halves)[:nr_bytes]


def widen(when, now_ns):
    """The whole time, next to @now_ns of the same clock."""
    age = (now_ns - when) & TIME
    return now_ns - (age - (TIME + 1) if age >> 47 else age)
