#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Holds saved packets against scapy and tshark, which know nothing of how they were made.

    layers DIR          each DIR/N.pcap has the protocols of line N of DIR/cases ("ip udp | TEXT");
                        lengths and checksums are those that scapy computes, and tshark finds
                        nothing wrong
    fields FILE RULE... FIELD=PYTHON: of packet n, a scapy field such as IP.dst or UDP.dport is
                        the value of an expression of n; and all lengths and checksums are right
    sizes FILE PYTHON   the frame of packet n has so many bytes, with FCS
    gaps FILE PYTHON    packet n stands so many ns behind the first
"""
import ipaddress
import os
import subprocess
import sys

from scapy.all import (ARP, Dot1AD, Dot1Q, Ether, GRE, ICMP, IP, IPv6, LLC, Raw, SCTP, SNAP, TCP,
                       UDP, VXLAN, load_contrib, rdpcap, wrpcap)
from scapy.contrib.igmp import IGMP
from scapy.contrib.mpls import MPLS
from scapy.layers.inet6 import (ICMPv6EchoRequest, ICMPv6MLReport, ICMPv6ND_NA, ICMPv6ND_NS,
                                IPv6ExtHdrDestOpt, IPv6ExtHdrFragment, IPv6ExtHdrHopByHop,
                                IPv6ExtHdrRouting)

load_contrib("mpls")
load_contrib("igmp")
COMPUTED = ("chksum", "cksum", "len", "plen", "ihl", "dataofs")
STATUS = ("ip.checksum.status", "udp.checksum.status", "tcp.checksum.status",
          "icmp.checksum.status", "icmpv6.checksum.status", "igmp.checksum.status",
          "gre.checksum.status", "sctp.checksum.status")
BAD = "0"


def recomputed(packet):
    """The packet with every length and checksum computed by scapy."""
    again = Ether(bytes(packet))
    layer = again
    while layer:
        for name in COMPUTED:
            # Of an IPv6 extension header the length is its own, and right by the parsing.
            if name in layer.fields and not (name == "len" and "ExtHdr" in type(layer).__name__):
                # GRE's checksum is there only if the flag says so; a UDP sum of 0 is none.
                if layer.fields[name] is not None and not (
                        isinstance(layer, (UDP, GRE)) and name == "chksum" and not layer.chksum):
                    del layer.fields[name]
        layer = layer.payload
    return bytes(again)


def expect_computed(packet, what):
    if recomputed(packet) != bytes(packet):
        sys.exit(f"{what}: lengths or checksums are not scapy's:\n{bytes(packet).hex()}\n"
                 f"{recomputed(packet).hex()}")


def tshark(path):
    """One list of fields a packet: protocols, malformed, statuses."""
    fields = ["frame.protocols", "_ws.malformed", *STATUS]
    argv = ["tshark", "-n", "-r", path, "-T", "fields", "-E", "separator=/t", "-E", "occurrence=a",
            *[word for proto in ("ip", "udp", "tcp") for word in
              ("-o", f"{proto}.check_checksum:TRUE")], "-o", "sctp.checksum:TRUE",
            "-o", "ip.defragment:FALSE", "-o", "ipv6.defragment:FALSE"]
    for field in fields:
        argv += ["-e", field]
    out = subprocess.run(argv, check=True, capture_output=True, text=True, timeout=60).stdout
    return [line.split("\t") for line in out.splitlines()]


def in_order(wanted, found):
    rest = iter(found)
    return all(name in rest for name in wanted)


def layers(dir_):
    with open(os.path.join(dir_, "cases"), encoding="utf-8") as file:
        cases = [line.rstrip("\n").split(" | ", 1) for line in file]
    packets, of = [], []
    for number, (_, text) in enumerate(cases):
        for packet in rdpcap(os.path.join(dir_, f"{number}.pcap")):
            if "scapy-off" not in text:
                expect_computed(packet, text)
            packets.append(packet)
            of.append(number)
    path = os.path.join(dir_, "all.pcap")
    wrpcap(path, packets)
    rows = tshark(path)
    if len(rows) != len(packets) or not packets:
        sys.exit(f"tshark read {len(rows)} of {len(packets)} packets")
    for number, row in zip(of, rows):
        wanted, text = cases[number]
        if row[1]:
            sys.exit(f"{text}: malformed, says tshark: {row[0]}")
        if not in_order(wanted.split(), row[0].split(":")):
            sys.exit(f"{text}: tshark sees {row[0]}, not {wanted}")
        if any(BAD in status.split(",") for status in row[2:]):
            sys.exit(f"{text}: a bad checksum, says tshark: {dict(zip(STATUS, row[2:]))}")
    print(len(packets))


def fields(path, *rules):
    packets = rdpcap(path)
    names = {name: value for name, value in globals().items() if isinstance(value, type)}
    for number, packet in enumerate(packets):
        expect_computed(packet, f"packet {number}")
        for rule in rules:
            field, expression = rule.split("=", 1)
            layer, name = field.split(".")
            wanted = eval(expression, {"n": number, "ip": ipaddress.ip_address})
            got = getattr(packet[names[layer]], name)
            ok = wanted(got) if callable(wanted) else str(got) == str(wanted)
            if not ok:
                sys.exit(f"packet {number}: {field} is {got}, not {wanted}")
    print(len(packets))


def sizes(path, expression):
    packets = rdpcap(path)
    for number, packet in enumerate(packets):
        expect_computed(packet, f"packet {number}")
        wanted = eval(expression, {"n": number})
        ok = wanted(len(packet) + 4) if callable(wanted) else len(packet) + 4 == wanted
        if not ok:
            sys.exit(f"packet {number} has {len(packet) + 4} bytes, not {wanted}")
    print(len(packets))


def gaps(path, expression):
    packets = rdpcap(path)
    for number, packet in enumerate(packets):
        got = round((packet.time - packets[0].time) * 10**9)
        wanted = eval(expression, {"n": number})
        if got != wanted:
            sys.exit(f"packet {number} stands at {got} ns, not {wanted}")
    print(len(packets))


if __name__ == "__main__":
    {"layers": layers, "fields": fields, "sizes": sizes, "gaps": gaps}[sys.argv[1]](*sys.argv[2:])
