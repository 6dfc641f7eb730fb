#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes tests/unit/packet_vectors.h: described packets as scapy makes them.

    tests/unit/packet_vectors.py >tests/unit/packet_vectors.h

Each is a description, the frame_bytes that are asked for (0: none), and the
frame. scapy knows nothing of the description and computes every length and
checksum by itself; what it cannot compute is written out below, by the RFC.
"""
from scapy.all import (ARP, Dot1AD, Dot1Q, Ether, GRE, ICMP, IP, IPOption, IPv6, LLC, Raw, SCTP,
                       SNAP, TCP, UDP, VXLAN, Dot3)
from scapy.contrib.igmp import IGMP
from scapy.contrib.mpls import MPLS
from scapy.layers.inet6 import (ICMPv6EchoRequest, ICMPv6MLDone, ICMPv6MLQuery, ICMPv6MLReport,
                                ICMPv6ND_NA, ICMPv6ND_NS, ICMPv6NDOptDstLLAddr,
                                ICMPv6NDOptSrcLLAddr, ICMPv6Unknown, IPv6ExtHdrDestOpt,
                                IPv6ExtHdrFragment, IPv6ExtHdrHopByHop, IPv6ExtHdrRouting,
                                IPv6ExtHdrSegmentRouting, PadN, RouterAlert)

DST, SRC = "02:00:00:00:00:02", "02:00:00:00:00:01"
ETH = Ether(dst=DST, src=SRC)
D4, S4, D6, S6 = "198.18.0.2", "198.18.0.1", "2001:2::2", "2001:2::1"


def ip4(**more):
    return IP(**{"src": S4, "dst": D4, "id": 0, "flags": "DF", "ttl": 64, **more})


def ip6(**more):
    return IPv6(**{"src": S6, "dst": D6, "hlim": 64, **more})


def udp(**more):
    return UDP(**{"sport": 49152, "dport": 9, **more})


def tcp(**more):
    return TCP(**{"sport": 49152, "dport": 9, "seq": 1, "window": 65535, "flags": "S", **more})


def pad(packet, buf_bytes=60):
    """Zeros behind the packet, which no length counts."""
    data = bytes(packet)
    return data + bytes(max(0, buf_bytes - len(data)))


def fill(packet, frame_bytes, top=b""):
    """Zeros that the innermost layer carries, so that lengths count them."""
    return bytes(packet / Raw(top + bytes(frame_bytes - 4 - len(packet) - len(top))))


def mcast(mac, src=SRC):
    return Ether(dst=mac, src=src)


def vectors():
    yield "eth(type=0x88b5)/hex(c0ffee)", 0, pad(Ether(dst=DST, src=SRC, type=0x88B5) /
                                                 Raw(b"\xc0\xff\xee"))
    yield ("eth(dst=02:aa:bb:cc:dd:ee, src=02:11:22:33:44:55)/vlan(4095, pcp=7, dei=1)/ip4/udp", 0,
           pad(Ether(dst="02:aa:bb:cc:dd:ee", src="02:11:22:33:44:55") /
               Dot1Q(vlan=4095, prio=7, id=1) / ip4() / udp()))
    yield "dot1ad(100)/vlan(7)/ip6/udp", 0, pad(ETH / Dot1AD(vlan=100) / Dot1Q(vlan=7) / ip6() /
                                                udp())
    # 802.3: the type is the length of what follows it, the frame's padding left out.
    yield "eth/llc/hex(00112233445566778899)", 0, pad(
        Dot3(dst=DST, src=SRC, len=13) / LLC(dsap=0, ssap=0, ctrl=3) /
        Raw(bytes.fromhex("00112233445566778899")))
    yield "eth/llc(0x42, ssap=0x42)/hex(000000)", 0, pad(
        Dot3(dst=DST, src=SRC, len=6) / LLC(dsap=0x42, ssap=0x42, ctrl=3) / Raw(bytes(3)))
    snap = LLC(dsap=0xAA, ssap=0xAA, ctrl=3) / SNAP(OUI=0, code=0x0800)
    yield "eth/llc/snap/ip4/udp", 0, pad(Dot3(dst=DST, src=SRC, len=36) / snap / ip4() / udp())
    yield "eth/llc/snap/ip4/udp", 128, fill(Dot3(dst=DST, src=SRC, len=110) / snap / ip4() / udp(),
                                            128)
    yield "eth/vlan(7)/llc/snap/ip4/udp", 0, pad(
        Ether(dst=DST, src=SRC, type=0x8100) / Dot1Q(vlan=7, type=36) / snap / ip4() / udp())
    yield "mpls(1000, tc=5, ttl=9)/mpls(17)/ip4/udp", 0, pad(
        ETH / MPLS(label=1000, cos=5, ttl=9, s=0) / MPLS(label=17, ttl=64, s=1) / ip4() / udp())
    yield "mpls(1048575)/ip6/tcp", 0, pad(ETH / MPLS(label=1048575, ttl=64, s=1) / ip6() / tcp())
    yield "arp(request, spa=10.0.0.1, tpa=10.0.0.9)", 0, pad(
        ETH / ARP(op=1, hwsrc=SRC, psrc="10.0.0.1", hwdst="00:00:00:00:00:00", pdst="10.0.0.9"))
    # Behind ARP zeros are the frame's, whatever size is asked for.
    yield ("arp(reply, sha=02:00:00:00:00:07, spa=10.0.0.1, tha=02:00:00:00:00:08, tpa=10.0.0.9)",
           100, pad(ETH / ARP(op=2, hwsrc="02:00:00:00:00:07", psrc="10.0.0.1",
                              hwdst="02:00:00:00:00:08", pdst="10.0.0.9"), 96))
    yield "arp", 0, pad(ETH / ARP(op=1, hwsrc=SRC, psrc=S4, hwdst="00:00:00:00:00:00", pdst=D4))
    yield "ip4", 0, pad(ETH / ip4(proto=253))
    yield "ip6", 0, pad(ETH / ip6(nh=59))
    yield "ip4/udp", 0, pad(ETH / ip4() / udp())
    yield "ip4/udp", 64, fill(ETH / ip4() / udp(), 64)
    yield "ip4/udp", 1518, fill(ETH / ip4() / udp(), 1518)
    yield "ip6/udp", 9018, fill(ETH / ip6() / udp(), 9018)
    yield "ip6/udp(dport=53, sport=5353)/hex(010203)", 0, pad(
        ETH / ip6() / udp(dport=53, sport=5353) / Raw(b"\1\2\3"))
    yield "ip4/udp/hex(010203)", 99, fill(ETH / ip4() / udp(), 99, b"\1\2\3")
    yield ("ip4(10.1.2.3, src=10.3.2.1, dscp=46, ecn=1, id=0xbeef, ttl=3)/udp", 0, pad(
        ETH / ip4(dst="10.1.2.3", src="10.3.2.1", tos=46 << 2 | 1, id=0xBEEF, ttl=3) / udp()))
    yield "ip4(options=94040000)/udp", 0, pad(
        ETH / ip4(options=[IPOption(bytes.fromhex("94040000"))]) / udp())
    yield "ip4(options=9404)/udp", 0, pad(
        ETH / ip4(options=[IPOption(bytes.fromhex("94040000"))]) / udp())
    yield f"ip4(options={'01' * 37})/tcp", 0, pad(
        ETH / ip4(options=[IPOption(bytes.fromhex("01" * 37 + "000000"))]) / tcp())
    yield "ip4(id=7, mf)/udp(len=1480)/hex(00112233)", 0, pad(
        ETH / ip4(id=7, flags="MF", proto=17) / udp(len=1480, chksum=None) /
        Raw(bytes.fromhex("00112233")))
    yield "ip4(id=7, frag=185, proto=17)/hex(00112233)", 0, pad(
        ETH / ip4(id=7, flags=0, frag=185, proto=17) / Raw(bytes.fromhex("00112233")))
    yield "ip4(id=7, mf, frag=1, proto=17)/text(\"abc\")", 0, pad(
        ETH / ip4(id=7, flags="MF", frag=1, proto=17) / Raw(b"abc"))
    yield "ip4(df=0, id=0, rf)/udp", 0, pad(ETH / ip4(flags="evil") / udp())
    yield "ip6(dscp=46, ecn=2, flow=0xabcde, hop=3)/udp", 0, pad(
        ETH / ip6(tc=46 << 2 | 2, fl=0xABCDE, hlim=3) / udp())
    yield "ip6/hbh/dstopt/udp", 0, pad(
        ETH / ip6() / IPv6ExtHdrHopByHop(options=[PadN(optdata=bytes(4))]) /
        IPv6ExtHdrDestOpt(options=[PadN(optdata=bytes(4))]) / udp())
    yield "ip6/hbh(0502000001)/udp", 0, pad(by_hand6(0, bytes.fromhex("1100050200000100"), udp()))
    yield "ip6/routing/tcp", 0, pad(by_hand6(43, bytes.fromhex("0600fd0000000000"), tcp()))
    # RFC 8200 8.1: checksums have the address where the route ends.
    via = ["2001:2::8", "2001:2::9"]
    data = "00000000" "20010002000000000000000000000008" "20010002000000000000000000000009"
    for left in (0, 1, 2):
        yield f"ip6/routing(0, left={left}, data={data})/tcp", 0, pad(
            ETH / ip6() / IPv6ExtHdrRouting(type=0, segleft=left, addresses=via) / tcp())
    yield "ip6/routing(2, left=1, data=0000000020010002000000000000000000000009)/udp", 0, pad(
        ETH / ip6() / IPv6ExtHdrRouting(type=2, segleft=1, addresses=via[1:]) / udp())
    yield f"ip6/routing(4, left=1, data=01{data[2:]})/hbh/udp", 0, pad(
        ETH / ip6() / IPv6ExtHdrSegmentRouting(segleft=1, lastentry=1, addresses=via) /
        IPv6ExtHdrHopByHop(options=[PadN(optdata=bytes(4))]) / udp())
    yield "ip6/frag(0, mf, id=77)/udp/hex(0011223344556677)", 0, pad(
        ETH / ip6() / IPv6ExtHdrFragment(offset=0, m=1, id=77, nh=17) / udp() /
        Raw(bytes.fromhex("0011223344556677")))
    yield "ip6/frag(3, id=77)/hex(0011223344556677)", 0, pad(
        ETH / ip6() / IPv6ExtHdrFragment(offset=3, m=0, id=77, nh=253) /
        Raw(bytes.fromhex("0011223344556677")))
    yield from transports()
    yield from tunnels()


def by_hand6(next_header, extension, transport):
    """scapy fills an unknown extension with options of its own: this one is bytes."""
    plain = bytes(ip6() / transport)
    whole = bytearray(plain[:40]) + extension + plain[40:]
    whole[4:6] = (len(whole) - 40).to_bytes(2, "big")
    whole[6] = next_header
    return bytes(Ether(dst=DST, src=SRC, type=0x86DD)) + bytes(whole)


def transports():
    yield "ip4/tcp(dport=80, flags=SA, seq=0x01020304, ack=2, win=1000, urg=3)", 0, pad(
        ETH / ip4() / tcp(dport=80, flags="SA", seq=0x01020304, ack=2, window=1000, urgptr=3))
    yield "ip6/tcp(dport=80, flags=FSRPAUEC)/text(\"GET / HTTP/1.1\\r\\n\\r\\n\")", 0, pad(
        ETH / ip6() / tcp(dport=80, flags="FSRPAUEC") / Raw(b"GET / HTTP/1.1\r\n\r\n"))
    # In the order in which they are given, and padded with NOPs.
    yield "ip4/tcp(mss=1460, sackok, ts=0x0000000a0000000b, ws=7)", 0, pad(
        ETH / ip4() / tcp(options=[("MSS", 1460), ("SAckOK", b""), ("Timestamp", (10, 11)),
                                   ("WScale", 7), ("NOP", None)]))
    yield "ip4/tcp(ws=7, options=0101, mss=9000)", 0, pad(
        ETH / ip4() / tcp(options=[("WScale", 7), ("NOP", None), ("NOP", None), ("MSS", 9000),
                                   ("NOP", None), ("NOP", None), ("NOP", None)]))
    yield "ip4/tcp", 200, fill(ETH / ip4() / tcp(), 200)
    yield "ip4/icmp(echo, id=9, seq=3)/hex(00010203040506)", 0, pad(
        ETH / ip4() / ICMP(type=8, id=9, seq=3) / Raw(bytes(range(7))))
    yield "ip4/icmp(unreachable, code=3, id=0, seq=0)/hex(4500)", 0, pad(
        ETH / ip4() / ICMP(type=3, code=3) / Raw(b"\x45\0"))
    yield "ip4/icmp(echo)", 101, fill(ETH / ip4() / ICMP(type=8, id=1, seq=1), 101)
    yield "ip6/icmp6(echo, id=9, seq=3)/text(\"odd\")", 0, pad(
        ETH / ip6() / ICMPv6EchoRequest(id=9, seq=3, data=b"odd"))
    yield "ip6/ns(2001:2::9, lladdr=02:00:00:00:00:01)", 0, pad(
        ETH / ip6(hlim=255) / ICMPv6ND_NS(tgt="2001:2::9") / ICMPv6NDOptSrcLLAddr(lladdr=SRC))
    yield "ip6/ns", 200, pad(ETH / ip6(hlim=255) / ICMPv6ND_NS(tgt=D6), 196)
    yield "ip6/na(router, solicited, override=0, lladdr=02:00:00:00:00:01)", 0, pad(
        ETH / ip6(hlim=255) / ICMPv6ND_NA(tgt=S6, R=1, S=1, O=0) / ICMPv6NDOptDstLLAddr(lladdr=SRC))
    yield "ip4(224.0.0.251)/igmp(report, group=224.0.0.251)", 0, pad(
        mcast("01:00:5e:00:00:fb") / ip4(dst="224.0.0.251", ttl=1) /
        IGMP(type=0x16, mrcode=0, gaddr="224.0.0.251"))
    yield "ip4(224.0.0.1, options=94040000)/igmp(query, resp=100, group=0.0.0.0)", 0, pad(
        mcast("01:00:5e:00:00:01") / ip4(dst="224.0.0.1", ttl=1,
                                         options=[IPOption(bytes.fromhex("94040000"))]) /
        IGMP(type=0x11, mrcode=100, gaddr="0.0.0.0"))
    # Version 3, RFC 3376 4.1 and 4.2: checksums by hand, as scapy is asked for bytes.
    yield "ip4(224.0.0.1)/igmp(query, resp=100, group=0.0.0.0)/hex(027d0000)", 0, pad(
        mcast("01:00:5e:00:00:01") / ip4(dst="224.0.0.1", ttl=1, proto=2) /
        Raw(summed("11640000 00000000 027d0000")))
    yield "ip4(224.0.0.22)/igmp(report3, group=0.0.0.1)/hex(04000000e00000fb)", 0, pad(
        mcast("01:00:5e:00:00:16") / ip4(dst="224.0.0.22", ttl=1, proto=2) /
        Raw(summed("22000000 00000001 04000000 e00000fb")))
    yield "ip4(239.129.2.3)/udp", 0, pad(mcast("01:00:5e:01:02:03") / ip4(dst="239.129.2.3") / udp())
    yield "ip4(255.255.255.255)/udp", 0, pad(
        mcast("ff:ff:ff:ff:ff:ff") / ip4(dst="255.255.255.255") / udp())
    alert = IPv6ExtHdrHopByHop(options=[RouterAlert(), PadN(optdata=b"")])
    yield "ip6(ff02::1:ff00:fb)/hbh(05020000)/mld(report, group=ff02::1:ff00:fb)", 0, pad(
        mcast("33:33:ff:00:00:fb") / ip6(dst="ff02::1:ff00:fb", hlim=1) / alert /
        ICMPv6MLReport(mladdr="ff02::1:ff00:fb"))
    yield "ip6(ff02::1)/mld(query, resp=1000, group=::)", 0, pad(
        mcast("33:33:00:00:00:01") / ip6(dst="ff02::1", hlim=1) / ICMPv6MLQuery(mrd=1000))
    yield "ip6(ff02::2)/mld(done, group=ff02::9)", 0, pad(
        mcast("33:33:00:00:00:02") / ip6(dst="ff02::2", hlim=1) / ICMPv6MLDone(mladdr="ff02::9"))
    # RFC 4861 4.1, RFC 3810 5.2
    yield "ip6(ff02::2)/icmp6(rs, id=0, seq=0)", 0, pad(
        mcast("33:33:00:00:00:02") / ip6(dst="ff02::2", hlim=255, nh=58) /
        ICMPv6Unknown(type=133, msgbody=bytes(4)))
    yield "ip6/sctp(dport=5000, sport=6000, tag=77)/hex(0b000004)", 0, pad(
        ETH / ip6() / SCTP(sport=6000, dport=5000, tag=77) / Raw(bytes.fromhex("0b000004")))
    yield "ip4/sctp/hex(0b000004)", 128, pad(
        ETH / ip4() / SCTP(sport=49152, dport=9, tag=0) / Raw(bytes.fromhex("0b000004")), 124)


def summed(text):
    """Bytes with their checksum in bytes 2 and 3."""
    data = bytearray(bytes.fromhex(text))
    total = sum(int.from_bytes(data[at:at + 2], "big") for at in range(0, len(data), 2))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    data[2:4] = (total ^ 0xFFFF).to_bytes(2, "big")
    return bytes(data)


def tunnels():
    in4 = {"src": "10.0.0.1", "dst": "10.0.0.2"}
    in6 = {"src": "2001:2::5", "dst": "2001:2::6"}
    text4, text6 = "ip4(10.0.0.2, src=10.0.0.1)", "ip6(2001:2::6, src=2001:2::5)"
    pairs = [("ip4", ip4(), text4, ip4(**in4)), ("ip4", ip4(), text6, ip6(**in6)),
             ("ip6", ip6(), text4, ip4(**in4)), ("ip6", ip6(), text6, ip6(**in6))]
    for outer_text, outer, inner_text, inner in pairs:
        yield f"{outer_text}/{inner_text}/udp", 0, pad(ETH / outer / inner / udp())
        yield f"{outer_text}/{inner_text}/tcp", 256, fill(ETH / outer / inner / tcp(), 256)
        yield f"{outer_text}/gre/{inner_text}/udp", 0, pad(ETH / outer / GRE() / inner / udp())
        # The optional fields are in RFC 2890's order, whatever the description's is.
        yield f"{outer_text}/gre(seq=9, sum, key=7)/{inner_text}/udp", 150, fill(
            ETH / outer / GRE(chksum_present=1, key_present=1, seqnum_present=1, key=7,
                              seqence_number=9) / inner / udp(), 150)
        yield f"{outer_text}/udp/vxlan(77)/eth/{inner_text}/udp", 0, pad(
            ETH / outer / udp(dport=4789) / VXLAN(vni=77, flags=8) / ETH / inner / udp())
        yield f"{outer_text}/udp(sum=0)/vxlan(0xffffff)/eth/{inner_text}/tcp", 300, fill(
            ETH / outer / udp(dport=4789, chksum=0) / VXLAN(vni=0xFFFFFF, flags=8) / ETH / inner /
            tcp(), 300)
    yield "ip4(10.9.9.9)/ip4/ip6/udp", 0, pad(ETH / ip4(dst="10.9.9.9") / ip4() / ip6() / udp())
    yield "ip4(10.9.9.9)/gre(0x88b5, key=0xffffffff)/hex(c0ffee)", 0, pad(
        ETH / ip4(dst="10.9.9.9") / GRE(proto=0x88B5, key_present=1, key=0xFFFFFFFF) /
        Raw(b"\xc0\xff\xee"))
    yield "ip4/gre(sum)/eth/arp(tpa=10.0.0.2)", 0, pad(
        ETH / ip4() / GRE(chksum_present=1, proto=0x6558) / ETH /
        ARP(op=1, hwsrc=SRC, psrc=S4, hwdst="00:00:00:00:00:00", pdst="10.0.0.2"))
    yield "ip6/gre/mpls(16)/ip4/icmp", 0, pad(
        ETH / ip6() / GRE(proto=0x8847) / MPLS(label=16, ttl=64, s=1) / ip4() /
        ICMP(type=8, id=1, seq=1))
    # The inner addresses are not the outer ones.
    yield "ip4(10.9.9.9, src=10.8.8.8)/udp/vxlan/eth/arp", 0, pad(
        ETH / ip4(dst="10.9.9.9", src="10.8.8.8") / udp(dport=4789) / VXLAN(vni=1, flags=8) / ETH /
        ARP(op=1, hwsrc=SRC, psrc=S4, hwdst="00:00:00:00:00:00", pdst=D4))
    yield "ip6/udp/vxlan/eth/vlan(9)/ip6/tcp(mss=1440)", 0, pad(
        ETH / ip6() / udp(dport=4789) / VXLAN(vni=1, flags=8) / ETH / Dot1Q(vlan=9) / ip6() /
        tcp(options=[("MSS", 1440)]))
    # A sum of 0 is sent as 0xffff: with the sum of port 0 as the port, it comes out so.
    for text, network in (("ip4", ip4()), ("ip6", ip6())):
        port = Ether(bytes(ETH / network / udp(sport=0)))[UDP].chksum
        data = bytes(ETH / network / udp(sport=port))
        assert data.endswith(b"\xff\xff")
        yield f"{text}/udp(sport={port})", 0, pad(data)
    # Wrong on purpose stays, and what covers it counts it.
    yield "ip4/gre(sum=0x1234)/ip4/udp", 0, pad(
        ETH / ip4() / GRE(chksum_present=1, chksum=0x1234) / ip4() / udp())
    yield "ip4/gre(sum=0x1200, key=1)/ip4/udp", 0, pad(
        ETH / ip4() / GRE(chksum_present=1, key_present=1, key=1, chksum=0x1200) / ip4() / udp())
    yield "ip4/gre(sum=0)/ip4/udp", 0, pad(ETH / ip4() / GRE() / ip4() / udp())
    yield ("ip4(len=99, sum=0x1234, ihl=6, proto=99, version=5)/udp(len=7, sum=0xdead)", 0, pad(
        ETH / ip4(len=99, chksum=0x1234, ihl=6, proto=99, version=5) /
        Raw(bytes(udp(len=7, chksum=0xDEAD)))))
    yield "ip4/gre(sum)/ip4(len=9, sum=7)/udp(sum=8)", 0, pad(
        ETH / ip4() / GRE(chksum_present=1) / ip4(len=9, chksum=7) / udp(chksum=8))
    yield "eth(type=0x0800)/ip6(len=3, next=17)/udp(sum=0x1111)", 0, pad(
        Ether(dst=DST, src=SRC, type=0x0800) / ip6(plen=3, nh=17) / Raw(bytes(udp(len=8,
                                                                              chksum=0x1111))))


def c_string(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def main():
    print("/* SPDX-License-Identifier: GPL-2.0-or-later */")
    print("/* Made by tests/unit/packet_vectors.py with scapy; do not edit. */")
    print("#ifndef PACKET_VECTORS_H\n#define PACKET_VECTORS_H\n\n#include <stdint.h>\n")
    print("static const struct {\n\tconst char *text;\n\tuint32_t frame_bytes;\t/* 0: not asked for */")
    print("\tuint32_t nr_zeros;\t/* behind the hex */\n\tconst char *hex;\n} packet_vectors[] = {")
    for text, frame_bytes, data in vectors():
        data = bytes(data)
        kept = data.rstrip(b"\0")
        print(f"\t{{ {c_string(text)},\n\t  {frame_bytes}, {len(data) - len(kept)},")
        lines = [kept[at:at + 40].hex() for at in range(0, len(kept), 40)]
        print("\n".join(f'\t  "{line}"' for line in lines) + " },")
    print("};\n\n#endif")


if __name__ == "__main__":
    main()
