#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""
Writes tests/bpf/reflect_fixtures.h: frames for reflect_xdp and what must become
of them, every byte and checksum made by scapy.

    tests/bpf/gen_fixtures.py >tests/bpf/reflect_fixtures.h

An answer is never derived from its request: a case is a function of the two
ends, built once from the client and once from the reflector, and scapy
computes the checksums of both.
"""
import logging
import struct
import sys

logging.getLogger("scapy").setLevel(logging.ERROR)
from scapy.layers.inet import ICMP, IP, TCP, UDP, IPOption_NOP, IPOption_RR  # noqa: E402
from scapy.layers.inet6 import (  # noqa: E402
    ICMPv6EchoReply, ICMPv6EchoRequest, ICMPv6ND_NS, IPv6, IPv6ExtHdrDestOpt,
    IPv6ExtHdrFragment, IPv6ExtHdrHopByHop, IPv6ExtHdrRouting, PadN)
from scapy.layers.l2 import ARP, Dot1AD, Dot1Q, Ether  # noqa: E402
from scapy.packet import Raw  # noqa: E402

PORT = 7
CLIENT_PORT = 50021
MACS = ("02:00:00:00:00:01", "02:00:00:00:00:02")
IP4S = ("198.18.0.1", "198.18.0.2")
IP6S = ("2001:2::1", "2001:2::2")


class Ends:
    """The client (reply false) or the reflector (reply true) as the sender."""

    def __init__(self, reply=False, **change):
        a, b = (1, 0) if reply else (0, 1)
        self.reply = reply
        self.src_mac, self.dst_mac = MACS[a], MACS[b]
        self.src4, self.dst4 = IP4S[a], IP4S[b]
        self.src6, self.dst6 = IP6S[a], IP6S[b]
        self.sport, self.dport = ((PORT, CLIENT_PORT) if reply else (CLIENT_PORT, PORT))
        self.hops = 0           # taken from the TTL or hop limit
        self.__dict__.update(change)

    def eth(self, **kw):
        return Ether(src=self.src_mac, dst=self.dst_mac, **kw)

    def ip4(self, **kw):
        ttl = kw.pop("ttl", 64) - self.hops
        return IP(**{"src": self.src4, "dst": self.dst4, "id": 4711, "ttl": ttl, **kw})

    def ip6(self, **kw):
        hlim = kw.pop("hlim", 64) - self.hops
        return IPv6(**{"src": self.src6, "dst": self.dst6, "hlim": hlim, **kw})

    def udp(self, **kw):
        return UDP(**{"sport": self.sport, "dport": self.dport, **kw})

    def echo4(self, **kw):
        return ICMP(**{"type": 0 if self.reply else 8, "id": 4242, "seq": 17, **kw})

    def echo6(self, **kw):
        make = ICMPv6EchoReply if self.reply else ICMPv6EchoRequest
        return make(**{"id": 4242, "seq": 17, **kw})


def payload(n):
    return Raw(bytes((i * 7 + 3) & 0xff for i in range(n)))


def fold(value):
    while value >> 16:
        value = (value & 0xffff) + (value >> 16)
    return value


def off_by(layer, delta):
    """A case's frame with @layer's checksum off by @delta, in one's complement."""
    def build(frame):
        good = Ether(bytes(frame))[layer]
        field = "cksum" if hasattr(good, "cksum") else "chksum"
        wrong = fold(getattr(good, field) + delta)
        setattr(frame[layer], field, wrong)
        return frame
    return build


def udp_summing_to_zero(e):
    """Its checksum computes to 0, so it is sent as 0xffff (RFC 768)."""
    frame = e.eth() / e.ip4() / e.udp() / Raw(bytes(4))
    sum_left = Ether(bytes(frame))[UDP].chksum
    frame = e.eth() / e.ip4() / e.udp() / Raw(struct.pack("!HH", sum_left, 0))
    assert Ether(bytes(frame))[UDP].chksum == 0xffff
    return frame


EXTENSIONS = {
    "a hop-by-hop header": lambda: IPv6ExtHdrHopByHop(options=[PadN(optdata=b"\0" * 4)]),
    "a destination options header": lambda: IPv6ExtHdrDestOpt(options=[PadN(optdata=b"\0" * 12)]),
    "a routing header that is used up":
        lambda: IPv6ExtHdrRouting(type=0, segleft=0, addresses=["2001:2::99"]),
}


def all_extensions():
    return (IPv6ExtHdrHopByHop(options=[PadN(optdata=b"\0" * 4)]) /
            IPv6ExtHdrDestOpt(options=[PadN(optdata=b"\0" * 4)]) /
            IPv6ExtHdrRouting(type=0, segleft=0, addresses=["2001:2::99"]) /
            IPv6ExtHdrDestOpt(options=[PadN(optdata=b"\0" * 20)]))


def answered():
    """name, outcome, case: all of these come back."""
    tags = {
        "": lambda e: e.eth(),
        " behind a VLAN tag": lambda e: e.eth() / Dot1Q(vlan=101, prio=5),
        " behind two VLAN tags": lambda e: e.eth() / Dot1AD(vlan=4000) / Dot1Q(vlan=7),
        " behind two tags of the older kind": lambda e: e.eth() / Dot1Q(vlan=8) / Dot1Q(vlan=9),
    }
    for where, tag in tags.items():
        yield "UDP4" + where, "UDP", lambda e, tag=tag: tag(e) / e.ip4() / e.udp() / payload(18)
        yield "UDP6" + where, "UDP", lambda e, tag=tag: tag(e) / e.ip6() / e.udp() / payload(18)
        yield "echo4" + where, "ICMP", lambda e, tag=tag: tag(e) / e.ip4() / e.echo4() / payload(18)
        yield "echo6" + where, "ICMP", lambda e, tag=tag: tag(e) / e.ip6() / e.echo6() / payload(18)
    for n in 0, 1, 17, 997:
        yield f"UDP4 with {n} bytes", "UDP", lambda e, n=n: e.eth() / e.ip4() / e.udp() / payload(n)
        yield f"UDP6 with {n} bytes", "UDP", lambda e, n=n: e.eth() / e.ip6() / e.udp() / payload(n)
        yield (f"echo4 with {n} bytes", "ICMP",
               lambda e, n=n: e.eth() / e.ip4() / e.echo4() / payload(n))
        yield (f"echo6 with {n} bytes", "ICMP",
               lambda e, n=n: e.eth() / e.ip6() / e.echo6() / payload(n))
    yield ("UDP4 of 1514 bytes", "UDP",
           lambda e: e.eth() / e.ip4() / e.udp() / payload(1472))
    yield ("UDP4 padded to 60 bytes", "UDP",
           lambda e: e.eth() / e.ip4(len=31) / e.udp(len=11, chksum=0) / payload(3) / Raw(bytes(15)))
    yield ("echo6 with a trailer behind the packet", "ICMP",
           lambda e: Ether(bytes(e.eth() / e.ip6() / e.echo6() / payload(5)) + b"\xee" * 9))
    yield ("UDP4 with a surplus area behind the datagram", "UDP",
           lambda e: e.eth() / e.ip4(len=20 + 8 + 10) / e.udp(len=8 + 4, chksum=0) / payload(10))
    yield ("UDP4 without a checksum", "UDP",
           lambda e: e.eth() / e.ip4() / e.udp(chksum=0) / payload(18))
    yield "UDP4 with checksum 0xffff", "UDP", udp_summing_to_zero
    for ttl in 2, 3, 128, 255:
        yield (f"UDP4 with TTL {ttl}, don't-fragment and a traffic class", "UDP", lambda e, ttl=ttl:
               e.eth() / e.ip4(ttl=ttl, flags="DF", tos=0xb8) / e.udp() / payload(18))
        yield (f"UDP6 with hop limit {ttl}, a flow label and a traffic class", "UDP", lambda e, ttl=ttl:
               e.eth() / e.ip6(fl=0xabcde, tc=0xb8, hlim=ttl) / e.udp() / payload(18))
    yield ("echo4 with TTL 1", "ICMP", lambda e: e.eth() / e.ip4(ttl=1) / e.echo4() / payload(18))
    yield ("echo6 with hop limit 1", "ICMP", lambda e: e.eth() / e.ip6(hlim=1) / e.echo6() / payload(18))
    yield ("UDP4 from the first port that is not well-known", "UDP", lambda e:
           e.eth() / e.ip4() / e.udp(**{"dport" if e.reply else "sport": 1024}) / payload(18))
    yield ("UDP4 with one option word", "UDP",
           lambda e: e.eth() / e.ip4(options=[IPOption_NOP()] * 4) / e.udp() / payload(18))
    yield ("UDP4 with 40 bytes of options", "UDP",
           lambda e: e.eth() / e.ip4(options=[IPOption_RR(routers=["198.18.0.9"] * 9)]) / e.udp() /
           payload(18))
    yield ("echo4 with options", "ICMP",
           lambda e: e.eth() / e.ip4(options=[IPOption_RR(routers=["0.0.0.0"] * 3)]) / e.echo4() /
           payload(18))
    for name, make in EXTENSIONS.items():
        yield (f"UDP6 behind {name}", "UDP",
               lambda e, make=make: e.eth() / e.ip6() / make() / e.udp() / payload(18))
        yield (f"echo6 behind {name}", "ICMP",
               lambda e, make=make: e.eth() / e.ip6() / make() / e.echo6() / payload(18))
    yield ("UDP6 behind four extension headers and a VLAN tag", "UDP",
           lambda e: e.eth() / Dot1Q(vlan=3) / e.ip6() / all_extensions() / e.udp() / payload(17))
    yield ("echo4 with identifier, sequence and data 0", "ICMP",
           lambda e: e.eth() / e.ip4() / e.echo4(id=0, seq=0) / Raw(bytes(8)))
    yield ("echo4 with a code", "ICMP",
           lambda e: e.eth() / e.ip4() / e.echo4(code=3) / payload(18))
    for delta in 1, 0x1234, 0xfffe:
        yield (f"UDP4 with a checksum off by {delta:#x}", "UDP", lambda e, delta=delta:
               off_by(UDP, delta)(e.eth() / e.ip4() / e.udp() / payload(18)))
        yield (f"UDP6 with a checksum off by {delta:#x}", "UDP", lambda e, delta=delta:
               off_by(UDP, delta)(e.eth() / e.ip6() / e.udp() / payload(18)))
        yield (f"echo4 with a checksum off by {delta:#x}", "ICMP", lambda e, delta=delta:
               off_by(ICMP, delta)(e.eth() / e.ip4() / e.echo4() / payload(18)))
        yield (f"echo6 with a checksum off by {delta:#x}", "ICMP", lambda e, delta=delta:
               off_by(ICMPv6EchoReply if e.reply else ICMPv6EchoRequest, delta)
               (e.eth() / e.ip6() / e.echo6() / payload(18)))
    yield ("UDP4 with a wrong IP header checksum", "UDP", lambda e:
           off_by(IP, 1)(e.eth() / e.ip4() / e.udp() / payload(18)))


def left():
    """Not for the reflector."""
    e = Ends()
    yield "UDP4 to another port", e.eth() / e.ip4() / e.udp(dport=9) / payload(18)
    yield "UDP6 to another port", e.eth() / e.ip6() / e.udp(dport=0x0700) / payload(18)
    yield "UDP4 from the port to another", e.eth() / e.ip4() / e.udp(sport=7, dport=9) / payload(18)
    yield ("UDP4 to another port with a wrong length",
           e.eth() / e.ip4() / e.udp(dport=9, len=3) / payload(18))
    yield "TCP4 to the port", e.eth() / e.ip4() / TCP(sport=1, dport=PORT)
    yield "TCP6 to the port", e.eth() / e.ip6() / TCP(sport=1, dport=PORT)
    yield "ARP", e.eth() / ARP(psrc=IP4S[0], pdst=IP4S[1], hwsrc=MACS[0])
    yield ("broadcast ARP", Ends(dst_mac="ff:ff:ff:ff:ff:ff").eth() /
           ARP(psrc=IP4S[0], pdst=IP4S[1], hwsrc=MACS[0]))
    yield "an unknown EtherType", e.eth(type=0x88b5) / payload(46)
    yield "UDP4 behind three VLAN tags", (e.eth() / Dot1Q(vlan=1) / Dot1Q(vlan=2) / Dot1Q(vlan=3) /
                                          e.ip4() / e.udp() / payload(18))
    yield "an echo4 reply", e.eth() / e.ip4() / ICMP(type=0, id=1, seq=2) / payload(18)
    yield "an echo6 reply", e.eth() / e.ip6() / ICMPv6EchoReply(id=1, seq=2) / payload(18)
    yield "ICMP unreachable", e.eth() / e.ip4() / ICMP(type=3, code=1) / payload(28)
    yield "ICMP echo's number as an ICMPv6 type", (e.eth() / e.ip6() /
                                                   ICMPv6EchoRequest(type=8) / payload(18))
    yield "ICMPv6 echo's number as an ICMP type", (e.eth() / e.ip4() /
                                                   ICMP(type=128) / payload(18))
    yield "ICMP inside IPv6", e.eth() / e.ip6(nh=1) / e.echo4() / payload(18)
    yield "ICMPv6 inside IPv4", e.eth() / e.ip4(proto=58) / e.echo6(cksum=1) / payload(18)
    solicit = Ends(dst_mac="33:33:ff:00:00:02", dst6="ff02::1:ff00:2")
    yield "neighbour solicitation", (solicit.eth() / solicit.ip6(hlim=255) /
                                     ICMPv6ND_NS(tgt=IP6S[1]))
    yield "IPv6 without a next header", e.eth() / e.ip6(nh=59) / payload(18)
    yield "IPv6 authentication header", e.eth() / e.ip6(nh=51) / payload(32)
    yield ("UDP6 whose routing header has segments left", e.eth() / e.ip6() /
           IPv6ExtHdrRouting(type=0, segleft=1, addresses=["2001:2::99"]) / e.udp() / payload(18))
    headers = e.eth() / e.ip6()
    for _ in range(7):
        headers = headers / IPv6ExtHdrDestOpt(options=[PadN(optdata=b"\0" * 4)])
    yield "UDP6 behind seven extension headers", headers / e.udp() / payload(18)
    other = Ends(dst_mac="02:00:00:00:00:03")
    yield "UDP4 to another station", other.eth() / other.ip4() / other.udp() / payload(18)
    yield "echo6 to another station", other.eth() / other.ip6() / other.echo6() / payload(18)
    yield "a fragment to another station", (other.eth() / other.ip4(frag=100) / other.udp() /
                                            payload(18))


def fragments():
    e = Ends()
    yield "the first fragment of UDP4", e.eth() / e.ip4(flags="MF") / e.udp() / payload(16)
    yield "a middle fragment of UDP4", e.eth() / e.ip4(flags="MF", frag=3) / payload(24)
    yield "the last fragment of UDP4", e.eth() / e.ip4(proto=17, frag=1) / payload(24)
    yield "a fragment at the furthest offset", e.eth() / e.ip4(proto=17, frag=0x1fff) / payload(8)
    for bit in range(13):
        yield (f"a fragment at offset {1 << bit}",
               e.eth() / e.ip4(proto=17, frag=1 << bit) / payload(8))
    yield "the first fragment of echo4", e.eth() / e.ip4(flags="MF") / e.echo4() / payload(16)
    yield ("the first fragment of UDP6", e.eth() / e.ip6() / IPv6ExtHdrFragment(m=1, id=9) /
           e.udp() / payload(16))
    yield ("the last fragment of UDP6", e.eth() / e.ip6() /
           IPv6ExtHdrFragment(nh=17, offset=3, id=9) / payload(16))
    yield ("an atomic fragment of echo6", e.eth() / e.ip6() / IPv6ExtHdrFragment(id=9) /
           e.echo6() / payload(16))
    yield ("a fragment behind a hop-by-hop header", e.eth() / e.ip6() /
           IPv6ExtHdrHopByHop(options=[PadN(optdata=b"\0" * 4)]) / IPv6ExtHdrFragment(m=1, id=9) /
           e.udp() / payload(16))


def unsafe():
    bad4 = {
        "to limited broadcast": {"dst4": "255.255.255.255"},
        "to a multicast group": {"dst4": "224.0.0.1"},
        "to the highest multicast group": {"dst4": "239.255.255.255"},
        "to a loopback address": {"dst4": "127.0.0.1"},
        "to no address": {"dst4": "0.0.0.0"},
        "from limited broadcast": {"src4": "255.255.255.255"},
        "from a multicast group": {"src4": "233.252.0.1"},
        "from a loopback address": {"src4": "127.255.0.1"},
        "from no address": {"src4": "0.0.0.0"},
    }
    bad6 = {
        "to a multicast group": {"dst6": "ff02::1"},
        "to the loopback address": {"dst6": "::1"},
        "to no address": {"dst6": "::"},
        "from a multicast group": {"src6": "ff0e::101"},
        "from the loopback address": {"src6": "::1"},
        "from no address": {"src6": "::"},
    }
    bad_mac = {
        "to the broadcast MAC": {"dst_mac": "ff:ff:ff:ff:ff:ff"},
        "to a multicast MAC": {"dst_mac": "01:00:5e:00:00:01"},
        "from the broadcast MAC": {"src_mac": "ff:ff:ff:ff:ff:ff"},
        "from a multicast MAC": {"src_mac": "03:00:00:00:00:01"},
        "from MAC zero": {"src_mac": "00:00:00:00:00:00"},
    }
    for what, change in {**bad4, **bad_mac}.items():
        e = Ends(**change)
        yield "UDP4 " + what, e.eth() / e.ip4() / e.udp() / payload(18)
        yield "echo4 " + what, e.eth() / e.ip4() / e.echo4() / payload(18)
    for what, change in {**bad6, **bad_mac}.items():
        e = Ends(**change)
        yield "UDP6 " + what, e.eth() / e.ip6() / e.udp() / payload(18)
        yield "echo6 " + what, e.eth() / e.ip6() / e.echo6() / payload(18)
    for port, what in (PORT, "the port itself"), (19, "a well-known port"), \
            (1023, "the last well-known port"), (0, "port 0"):
        e = Ends(sport=port)
        yield f"UDP4 from {what}", e.eth() / e.ip4() / e.udp() / payload(18)
        yield f"UDP6 from {what}", e.eth() / e.ip6() / e.udp() / payload(18)
    e = Ends()
    for ttl in 0, 1:
        yield f"UDP4 with TTL {ttl}", e.eth() / e.ip4(ttl=ttl) / e.udp() / payload(18)
        yield f"UDP6 with hop limit {ttl}", e.eth() / e.ip6(hlim=ttl) / e.udp() / payload(18)


def malformed():
    e = Ends()
    for n in 0, 7, 27, 0xffff:
        yield (f"UDP4 of 26 bytes that says {n}",
               e.eth() / e.ip4(len=46) / e.udp(len=n, chksum=1) / payload(18))
        yield (f"UDP6 of 26 bytes that says {n}",
               e.eth() / e.ip6(plen=26) / e.udp(len=n, chksum=1) / payload(18))
    yield ("UDP4 whose length counts the padding", e.eth() / e.ip4(len=20 + 8 + 4) /
           e.udp(len=8 + 5, chksum=1) / payload(4) / Raw(bytes(14)))
    yield "IPv4 shorter than its header", e.eth() / e.ip4(len=19) / e.udp() / payload(18)
    yield "TCP4 shorter than its IP header", e.eth() / e.ip4(len=19) / TCP(dport=PORT)
    yield "IPv4 of length 0", e.eth() / e.ip4(len=0) / e.udp() / payload(18)
    yield "IPv4 longer than the frame", e.eth() / e.ip4(len=47) / e.udp() / payload(18)
    yield "IPv4 with a header of 16 bytes", e.eth() / e.ip4(ihl=4) / e.udp() / payload(18)
    yield ("IPv4 whose options go beyond the packet",
           e.eth() / e.ip4(ihl=15, len=46) / e.udp() / payload(18))
    yield "IPv4's EtherType with version 6", e.eth() / e.ip4(version=6) / e.udp() / payload(18)
    yield "IPv6's EtherType with version 4", e.eth() / e.ip6(version=4) / e.udp() / payload(18)
    yield "IPv6 longer than the frame", e.eth() / e.ip6(plen=27) / e.udp() / payload(18)
    yield "IPv6 too short for UDP", e.eth() / e.ip6(plen=7) / e.udp() / payload(18)
    yield "IPv6 of length 0", e.eth() / e.ip6(plen=0) / e.udp() / payload(18)
    yield "IPv4 too short for UDP", e.eth() / e.ip4(len=27) / e.udp() / payload(18)
    yield "IPv4 too short for an echo", e.eth() / e.ip4(len=27) / e.echo4() / payload(18)
    yield "IPv6 too short for an echo", e.eth() / e.ip6(plen=7) / e.echo6() / payload(18)
    yield ("an extension header that goes beyond the frame", e.eth() / e.ip6(nh=60) /
           IPv6ExtHdrDestOpt(nh=17, len=200) / e.udp() / payload(18))
    yield ("an extension header that goes beyond the packet", e.eth() / e.ip6(nh=60, plen=4) /
           IPv6ExtHdrDestOpt(nh=17, options=[PadN(optdata=b"\0" * 4)]) / e.udp() / payload(18))
    yield "a frame that ends inside the VLAN tag", e.eth(type=0x8100) / Raw(b"\0\1\x08")


def line(name, outcome, frame, answer):
    def shown(data):
        text = bytes(data).hex()
        rows = [text[i:i + 160] for i in range(0, len(text), 160)]
        return "\n".join(f'\t  "{row}"' for row in rows)
    print(f'\t{{ "{name}", REFLECT_{outcome},\n{shown(frame)},')
    print((shown(answer) if answer is not None else "\t  NULL") + " },")


def main():
    print("/* SPDX-License-Identifier: GPL-2.0-or-later */\n"
          "/* Written by tests/bpf/gen_fixtures.py: change that, not this. */\n"
          "static const struct fixture fixtures[] = {")
    for name, outcome, case in answered():
        line(name, outcome, case(Ends()), case(Ends(reply=True, hops=outcome == "UDP")))
    for outcome, cases in ("LEFT", left), ("FRAGMENT", fragments), ("UNSAFE", unsafe), \
            ("MALFORMED", malformed):
        for name, frame in cases():
            line(name, outcome, frame, None)
    print("};")
    return 0


if __name__ == "__main__":
    sys.exit(main())
