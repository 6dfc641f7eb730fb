#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes tests/unit/fragment_vectors.h: packets, and the fragments that scapy makes of them.

    tests/unit/fragment_vectors.py >tests/unit/fragment_vectors.h

Options come from scapy too, but it copies all of them into every fragment;
those that do not belong there (RFC 791) are taken out here. Sizes that are no
multiple of 8 it rounds up, and a limit means down. IPv6 it fragments only where a
fragment header is there, and from offset 0: what is a fragment already is put
together from its headers.
"""
from scapy.all import (Dot1Q, Ether, IP, IPv6, IPv6ExtHdrDestOpt, IPv6ExtHdrFragment, IPv6ExtHdrHopByHop, PadN, Raw, UDP,
                       fragment, fragment6, raw)
from scapy.layers.inet import IPOption_RR, IPOption_Router_Alert

ETHER = Ether(dst="02:00:00:00:00:02", src="02:00:00:00:00:01")
VLAN = Dot1Q(vlan=1234, prio=5)
ID6 = 0x89ABCDEF


def pieces(packet, max_bytes):
    """The frames of the fragments; padded as Ethernet wants them."""
    made = []
    for i, piece in enumerate(fragment(packet, fragsize=max_bytes // 8 * 8)):
        ip = piece[IP]
        if i:
            ip.options = [option for option in ip.options if option.copy_flag]
        ip.ihl = ip.len = ip.chksum = None
        made.append(raw(piece).ljust(60, b"\0"))
    return made


def without_fragment_header(packet):
    header = packet[IPv6ExtHdrFragment]
    packet = packet.copy()
    before = packet[IPv6ExtHdrFragment].underlayer
    before.remove_payload()
    before.nh = header.nh
    return packet / header.payload


def pieces6(packet, max_bytes):
    """@packet has a fragment header, which is not there before."""
    headers = len(packet[IPv6]) - len(packet[IPv6ExtHdrFragment].payload)
    packet = packet.__class__(raw(packet))
    link = packet.copy()
    link[IPv6].underlayer.remove_payload()
    return [raw(link / piece) for piece in fragment6(packet[IPv6], headers + max_bytes)]


def again6(data_bytes, first, more, max_bytes):
    """A fragment, and its fragments."""
    data = raw(udp(data_bytes))[8:]

    def piece(at, size, is_more):
        return ETHER / ip6() / IPv6ExtHdrFragment(nh=17, id=ID6, offset=(first + at) // 8, m=is_more) / Raw(data[at:at + size])
    starts = range(0, data_bytes, max_bytes)
    return raw(piece(0, data_bytes, more)), [
        raw(piece(at, max_bytes, 1 if at + max_bytes < data_bytes else more)) for at in starts]


def ip6(**more):
    return IPv6(src="2001:2::1", dst="2001:2::2", **more)


def ip4(**more):
    return IP(src="198.18.0.1", dst="198.18.0.2", ttl=64, proto=17, **{"id": 0x1234, **more})


def carrying_id(ip_bytes):
    """With this one, the first fragment's sum has a carry that carries once more."""
    header = raw(ip4(id=0, len=ip_bytes, flags="MF", chksum=0))
    total = sum(int.from_bytes(header[at:at + 2], "big") for at in range(0, 20, 2))
    return next(i for i in range(65536)
                if ((total + i) & 0xFFFF) + ((total + i) >> 16) > 0xFFFF)


def udp(data_bytes):
    return UDP(sport=49152, dport=9) / Raw(bytes(i * 7 % 256 for i in range(data_bytes)))


def main():
    whole = ETHER / ip4() / udp(1472)
    middle = fragment(whole, fragsize=744)[0]
    last = fragment(whole, fragsize=744)[1]
    vectors = {
        "two": (whole, 1000),
        "odd": (whole, 1007),
        "carry": (ETHER / ip4(id=carrying_id(1020)) / udp(1472), 1000),
        "many": (whole, 64),
        "even": (ETHER / ip4() / udp(1016), 512),
        "tiny": (ETHER / ip4() / udp(29), 8),
        "df": (ETHER / ip4(flags="DF", tos=184) / udp(500), 200),
        "vlan": (ETHER / VLAN / ip4() / udp(700), 400),
        "qinq": (ETHER / Dot1Q(vlan=7, type=0x8100) / VLAN / ip4() / udp(700), 400),
        "again": (middle, 104),
        "again_last": (last, 104),
        "options": (ETHER / ip4(options=[IPOption_RR(pointer=4, routers=["0.0.0.0"]),
                                         IPOption_Router_Alert()]) / udp(300), 120),
    }
    made6 = {
        "two6": (ETHER / ip6(tc=184, fl=0x12345) / IPv6ExtHdrFragment(id=ID6) / udp(1472), 1000),
        "many6": (ETHER / ip6() / IPv6ExtHdrFragment(id=ID6) / udp(1472), 64),
        "vlan6": (ETHER / VLAN / ip6() / IPv6ExtHdrFragment(id=ID6) / udp(700), 400),
        "hops6": (ETHER / ip6() / IPv6ExtHdrHopByHop(options=[PadN(optdata=b"abcd")]) / IPv6ExtHdrFragment(id=ID6) /
                  udp(300), 120),
        "dest6": (ETHER / ip6() / IPv6ExtHdrFragment(id=ID6) / IPv6ExtHdrDestOpt(options=[PadN(optdata=b"abcd")]) /
                  udp(300), 120),
    }
    whole6 = {name: (without_fragment_header(packet), max_bytes) for name, (packet, max_bytes) in made6.items()}
    vectors = {name: (raw(packet).ljust(60, b"\0"), max_bytes, pieces(packet, max_bytes))
               for name, (packet, max_bytes) in vectors.items()}
    options = vectors.pop("options")
    for name, (packet, max_bytes) in made6.items():
        vectors[name] = (raw(whole6[name][0]), max_bytes, pieces6(packet, max_bytes))
    # 8 bytes less, so that the first is no longer than the packet.
    short = ETHER / ip6() / IPv6ExtHdrFragment(id=ID6) / udp(1000 - 8 + 7)
    vectors["short6"] = (raw(without_fragment_header(short)), 1000, pieces6(short, 992))
    for name, (first, more) in {"again6": (744, 1), "again_last6": (1488, 0)}.items():
        frame, made = again6(744, first, more, 104)
        vectors[name] = (frame, 104, made)
    vectors["options"] = options
    print("/* SPDX-License-Identifier: GPL-2.0-or-later */")
    print("/* Made by tests/unit/fragment_vectors.py with scapy; do not edit. */")
    print("#ifndef FRAGMENT_VECTORS_H\n#define FRAGMENT_VECTORS_H\n\n#include <stdint.h>\n")
    print("/* Each frame: two bytes of length, then the frame. */")
    print("static const struct fragment_vector {\n\tconst char *name;\n\tuint32_t max_bytes, nr;")
    print("\tconst char *packet, *pieces;\n\tuint32_t packet_bytes;\n} fragment_vectors[] = {")
    for name, (whole_bytes, max_bytes, made) in vectors.items():
        print(f'\t{{ "{name}", {max_bytes}, {len(made)},')
        print(literal(whole_bytes) + ",")
        print(literal(b"".join(len(p).to_bytes(2, "big") + p for p in made)) + f", {len(whole_bytes)} }},")
    print("};\n\n#endif")


def literal(data):
    lines = []
    for at in range(0, len(data), 24):
        lines.append('\t  "' + "".join(f"\\x{b:02x}" for b in data[at:at + 24]) + '"')
    return "\n".join(lines)


if __name__ == "__main__":
    main()
