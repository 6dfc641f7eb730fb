#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
A STAMP sender that knows what the answer must be, from the text of RFC 8762 and RFC 8972.

    stamp_peer.py COUNT SEED [MODE...]      MODE: auth keys stateful twamp allow-dscp hide socket

Sends COUNT packets by chance (IPv4, IPv6, VLAN, NTP, PTP, every length and extension, good and
bad) from a packet socket, and holds every byte of each answer against a model but the times,
which must be now, and whose HMACs it reckons itself. "socket": plain UDP sockets. The key is
"secret-of-18-bytes"; with "keys" it is that of the session, see key_of(). Prints one JSON object.
"""
import hashlib
import hmac
import json
import logging
import random
import socket
import struct
import sys
import time
import types

IFACE = "eg0"
MACS = "02:e9:00:00:00:0a", "02:e9:00:00:00:0b"
IP4S = "198.18.0.1", "198.18.0.2"
IP6S = "2001:2::1", "2001:2::2"
KEY = b"secret-of-18-bytes"
U, M, I = 0x80, 0x40, 0x20
LENGTHS = {3: 4, 4: 4, 5: 12, 6: 4, 7: 16, 8: 16}


def import_scapy():
    """What is used of it; all of it takes twice as long."""
    from scapy.arch.linux import L2Socket
    from scapy.layers.inet import IP, UDP
    from scapy.layers.inet6 import IPv6
    from scapy.layers.l2 import Dot1Q, Ether
    from scapy.supersocket import SuperSocket
    return types.SimpleNamespace(**locals())


def mac_of(data, key=KEY):
    return hmac.new(key, data, hashlib.sha256).digest()[:16]


def key_of(version, ssid, modes):
    """Of a session; None if it has none."""
    if "keys" not in modes:
        return KEY
    return {(4, 1): b"of 198.18.0.1, 1", (4, 2): b"of 198.18.0.0/15", (6, 2): b"of 2001:2::/48, 2"}.get((version, ssid))


def tlv(flags, kind, value, length=None):
    return struct.pack("!BBH", flags, kind, len(value) if length is None else length) + value


def some_tlvs(rng, seq, modes, key):
    """Extensions by chance; sometimes with an HMAC at their end, sometimes nonsense."""
    out = b""
    for _ in range(rng.choice([0, 1, 1, 2, 3, 5, 8])):
        kind = rng.choice([1, 2, 3, 4, 5, 6, 7, 9, 200])
        size = LENGTHS.get(kind, rng.randrange(24))
        value = bytes(size)
        if kind == 1:
            value = rng.randbytes(size)
        elif kind == 2:
            value = bytes(4)
            for _ in range(rng.randrange(4)):
                sub = rng.choice([1, 4, 7, 33])
                value += tlv(U, sub, bytes({1: 8, 4: 16, 7: 16}.get(sub, 5)))
            if rng.random() < .2:
                value += rng.randbytes(rng.randrange(9))
        elif kind == 4:
            value = struct.pack("!HH", rng.randrange(64) << 10, 0)
        elif kind == 6:
            value = bytes([rng.choice([0x10, 0x20, 0x35]), rng.randrange(256), 0, 0])
        out += tlv(U, kind, value, rng.randrange(80) if rng.random() < .08 else None)
    if rng.random() < (.8 if "auth" in modes else .3):
        good = mac_of(seq + out, key) if rng.random() < .8 else rng.randbytes(16)
        out += tlv(U, 8, good)
        if rng.random() < .2:
            out += tlv(U, rng.choice([1, 3]), bytes(4))
    if rng.random() < .2:
        out += rng.randbytes(rng.randrange(12))
    return out


def walk(data):
    """(start, type, length) of each extension, as far as they can be followed."""
    at, found = 0, []
    while at + 4 <= len(data) and data[at:at + 4] != bytes(4) and len(found) < 32:
        kind, size = data[at + 1], int.from_bytes(data[at + 2:at + 4], "big")
        found.append((at, kind, size))
        at += 4 + size
    return found


def hidden(way):
    return {**way, "dport": 0, "sport": 0, "mac": bytes(6), "src": bytes(len(way["src"])),
            "dst": bytes(len(way["dst"]))}


def location(value, way):
    """The addresses asked for, and whether it was well formed."""
    out = bytearray(value)
    out[:4] = struct.pack("!HH", way["dport"], way["sport"])
    at = 4
    for _ in range(8):
        if at == len(out):
            break
        if at + 4 > len(out):
            return bytes(out), False
        kind, size = out[at + 1], int.from_bytes(out[at + 2:at + 4], "big")
        need = {1: 8, 4: 16, 7: 16}.get(kind)
        if at + 4 + size > len(out) or (need and size != need):
            out[at] = M
            return bytes(out), False
        if kind == 1:
            out[at:at + 2] = bytes([0, 2])
            out[at + 4:at + 12] = way.get("mac", bytes.fromhex(MACS[0].replace(":", ""))) + bytes(2)
        elif kind in (4, 7):
            out[at:at + 2] = bytes([0, kind + (1 if way["version"] == 4 else 2)])
            addr = way["dst"] if kind == 4 else way["src"]
            out[at + 4:at + 20] = addr + bytes(16 - len(addr))
        else:
            out[at] = U
        at += 4 + size
    return bytes(out), True


def answer_tlvs(data, seq, way, modes, error, session, key):
    """The extensions of the answer, the offset of the HMAC that is to be set, and the DSCP."""
    out, dscp = bytearray(data), None
    found = walk(data)
    whole = [f for f in found if f[0] + 4 + f[2] <= len(data)]
    macs = [f for f in whole if f[1] == 8 and f[2] == 16]
    proven = True
    if macs:
        behind = [f for f in whole if f[0] > macs[0][0] and f[1] != 1]
        at = macs[0][0]
        proven = bool("keyed" in modes and not behind and key) and mac_of(seq + data[:at], key) == data[at + 4:at + 20]
    elif "auth" in modes and any(f[1] != 1 for f in whole):
        proven = False
    for at, kind, size in found:
        end = at + 4 + size
        value = bytes(out[at + 4:end])
        fits = LENGTHS.get(kind, size) == size and (kind != 2 or size >= 4)
        flags = 0
        if end > len(out) or not fits:
            flags = M
            if kind == 7 and end <= len(out) and size >= 12 and proven:
                out[at + 4:at + 16] = bytes(12)
        elif not proven:
            flags = 0 if 1 <= kind <= 8 else U
        elif kind == 2:
            value, good = location(value, hidden(way) if "hide" in modes else way)
            flags = 0 if good else M
        elif kind == 3:
            source = 1 if error & 0x8000 else 5
            value = bytes([source, 2, source, 2])
        elif kind == 4:
            asked = value[0] >> 2
            allowed = "allow-dscp" in modes
            dscp = asked if allowed else dscp
            value = struct.pack("!HH", asked << 10 | (way["tos"] >> 2) << 4 | (way["tos"] & 3) << 2 |
                                (0 if allowed else 1), 0)
        elif kind == 5:
            if session is None:
                flags = U
            else:
                value = value[:4] + struct.pack("!II", *[session["received"]] * 2)
        elif kind == 6:
            value = bytes([value[0] & 0xf0, value[1], 0, 0])
            flags = 0 if value[0] in (0x10, 0x20) else U
        elif kind == 7:
            value = struct.pack("!I8sB3x", session["last"][0], session["last"][1][error >> 14 & 1], 2) \
                if session and session["last"] else bytes(12) + bytes([2, 0, 0, 0])
        elif not 1 <= kind <= 8:
            flags = U
        out[at] = flags | (0 if proven else I)
        if not flags & M or (kind == 2 and proven and fits and end <= len(out)):
            out[at + 4:end] = value
        if flags & M:
            break
    return out, macs[0][0] if macs and proven else None, dscp


def utc_of(stamp, ptp):
    seconds, fraction = struct.unpack("!II", stamp)
    return seconds + fraction / 1e9 if ptp else seconds - 2208988800 + fraction / 2**32


def formats(stamp, ptp):
    """The same time as NTP has it and as PTP has it."""
    seconds, fraction = struct.unpack("!II", stamp)
    ns = fraction if ptp else (fraction * 10**9 + 2**31) >> 32
    unix = seconds if ptp else (seconds - 2208988800) % 2**32
    # 2^64 / 10^9 rounded down, as the reflector has it
    return (struct.pack("!II", (unix + 2208988800) % 2**32, ns * 18446744073 >> 32),
            struct.pack("!II", unix, ns))


def expect(asked, got, way, modes, session, key):
    """None if the answer is right; else what is wrong."""
    auth = "auth" in modes
    base = 112 if auth else 44
    sent, err, ssid = (16, 24, 26) if auth else (4, 12, 14)
    ttl_at = 80 if auth else 40
    want = bytearray(base)
    error = int.from_bytes(got[err:err + 2], "big")
    seq = session["received"] - 1 if session else int.from_bytes(asked[:4], "big")
    want[:4] = seq.to_bytes(4, "big")
    rx, asked_seq, asked_time, asked_error = (32, 48, 64, 72) if auth else (16, 24, 28, 36)
    want[sent:sent + 8] = got[sent:sent + 8]
    want[err:err + 2] = got[err:err + 2]
    if "twamp" not in modes:
        want[ssid:ssid + 2] = asked[ssid:ssid + 2]
    want[rx:rx + 8] = got[rx:rx + 8]
    want[asked_seq:asked_seq + 4] = asked[:4]
    want[asked_time:asked_time + 8] = asked[sent:sent + 8]
    want[asked_error:asked_error + 2] = asked[err:err + 2]
    want[ttl_at] = way["ttl"]
    ptp = asked[err] >> 6 & 1
    if not error & 0xff:
        return "multiplier 0"
    if error >> 14 & 1 != ptp:
        return "Z"
    t2, t3 = utc_of(got[rx:rx + 8], ptp), utc_of(got[sent:sent + 8], ptp)
    if not t2 <= t3 + 1e-9 or abs(time.time() - t3) > 30:
        return f"times {t2} {t3}"
    if auth:
        want[96:112] = mac_of(bytes(want[:96]), key)
    rest = bytearray(asked[base:])
    dscp = None
    if "twamp" not in modes and len(asked) >= base + 4:
        rest, mac_at, dscp = answer_tlvs(bytes(rest), asked[:4], way, modes, error, session, key)
        if mac_at is not None:
            rest[mac_at + 4:mac_at + 20] = mac_of(bytes(want[:4]) + bytes(rest[:mac_at]), key)
    want = (bytes(want) + bytes(rest))[:len(asked)]
    if session:
        session["last"] = seq, formats(got[sent:sent + 8], ptp)
    tos = (dscp << 2 | way["tos"] & 3) if dscp is not None else way["tos"]
    if want != got:
        return f"asked {asked.hex()} want {want.hex()} got {got.hex()}"
    return None if tos == way["got_tos"] else f"tos {tos} {way['got_tos']}"


def question(rng, version, modes):
    """A test packet, and the key of its session."""
    seq = rng.randbytes(4)
    ptp = rng.random() < .5
    now = struct.pack("!II", int(time.time()) + (0 if ptp else 2208988800), rng.randrange(10**9))
    error = struct.pack("!H", rng.randrange(0x4000) & 0xbfff | (0x4000 if ptp else 0) | 1)
    ssid = rng.randrange(1, 3).to_bytes(2, "big")
    key = key_of(version, int.from_bytes(ssid, "big"), modes)
    sign = key or KEY
    if "auth" in modes:
        data = seq + bytes(12) + now + error + ssid + bytes(68)
        data += mac_of(data, sign) if rng.random() < .9 else rng.randbytes(16)
    else:
        data = seq + now + error + ssid + bytes(28)
    kind = rng.random()
    if kind < .15:
        return (data + bytes(200))[:rng.randrange(201)], key
    return (data + some_tlvs(rng, seq, modes, sign) if kind < .9 else data), key


def frames(count, seed, modes):
    logging.getLogger("scapy").setLevel(logging.ERROR)
    scapy = import_scapy()
    rng = random.Random(seed)
    # scapy's socket puts a VLAN tag back where the kernel took it from.
    link = scapy.L2Socket(iface=IFACE)
    found = {"sent": 0, "answered": 0, "refused": 0, "wrong": 0, "first": ""}
    sessions, least = {}, 112 if "auth" in modes else 41
    for _ in range(count):
        version = rng.choice([4, 6])
        asked, key = question(rng, version, modes)
        ttl, tos = rng.randrange(1, 256), rng.randrange(256)
        sport, port6 = rng.choice([50021, 50022]), rng.random()
        ip = (scapy.IP(src=IP4S[0], dst=IP4S[1], ttl=ttl, tos=tos) if version == 4 else
              scapy.IPv6(src=IP6S[0], dst=IP6S[1], hlim=ttl, tc=tos))
        vlan = scapy.Dot1Q(vlan=101) if port6 < .2 else None
        eth = scapy.Ether(src=MACS[0], dst=MACS[1])
        frame = (eth / vlan if vlan else eth) / ip / scapy.UDP(sport=sport, dport=862) / asked
        found["sent"] += link.send(frame) > 0
        due = len(asked) >= least and ("auth" not in modes or (key and mac_of(asked[:96], key) == asked[96:112]))
        if not due:
            found["refused"] += 1
            continue
        until, reply = time.monotonic() + 3, None
        while time.monotonic() < until:
            if not scapy.SuperSocket.select([link], until - time.monotonic()):
                break
            raw = bytes(link.recv_raw()[1] or b"")
            if raw[:6].hex(":") == MACS[0] and raw[6:12].hex(":") == MACS[1]:
                reply = scapy.Ether(raw)
                if scapy.UDP in reply and reply[scapy.UDP].sport == 862:
                    break
                reply = None
        wrong = "no answer"
        if reply is not None:
            udp = reply[scapy.UDP]
            got = bytes(udp.payload)[:udp.len - 8]
            again = scapy.Ether(raw)
            del again[scapy.UDP].chksum
            if version == 4:
                del again[scapy.IP].chksum
            top = reply[scapy.IP] if version == 4 else reply[scapy.IPv6]
            way = {"version": version, "ttl": ttl, "tos": tos, "sport": sport, "dport": 862,
                   "src": socket.inet_pton(socket.AF_INET if version == 4 else socket.AF_INET6, ip.src),
                   "dst": socket.inet_pton(socket.AF_INET if version == 4 else socket.AF_INET6, ip.dst),
                   "got_tos": top.tos if version == 4 else top.tc}
            session = None
            if "stateful" in modes:
                err = 24 if "auth" in modes else 12
                name = version, sport, b"" if "twamp" in modes else asked[err + 2:err + 4]
                session = sessions.setdefault(name, {"received": 0, "last": None})
                session["received"] += 1
            wrong = expect(asked, got, way, modes, session, key)
            if bytes(again.build()) != raw:
                wrong = wrong or "checksum"
            if (top.ttl if version == 4 else top.hlim) != 255 or len(raw) != len(frame):
                wrong = wrong or "ttl or length"
            if bool(scapy.Dot1Q in reply) != bool(vlan):
                wrong = wrong or "tag"
        found["answered" if reply is not None and not wrong else "wrong"] += 1
        found["first"] = found["first"] or wrong or ""
    return found


def sockets(count):
    """A stack's datagrams: on a veth with transmit offload their checksums are unfinished."""
    found = {"sent": 0, "answered": 0}
    for family, dst in (socket.AF_INET, IP4S[1]), (socket.AF_INET6, IP6S[1]):
        with socket.socket(family, socket.SOCK_DGRAM) as s:
            s.connect((dst, 862))
            s.settimeout(3)
            for i in range(count):
                asked = struct.pack("!IQHH", i, 0, 1, 0) + bytes(28 + i)
                found["sent"] += s.send(asked) == len(asked)
                try:
                    found["answered"] += s.recv(2048)[24:28] == asked[:4]
                except TimeoutError:
                    break
    return found


def main():
    count, seed, modes = int(sys.argv[1]), int(sys.argv[2]), set(sys.argv[3:])
    if modes & {"auth", "keys"}:
        modes.add("keyed")
    print(json.dumps(sockets(count) if "socket" in modes else frames(count, seed, modes)))


if __name__ == "__main__":
    main()
