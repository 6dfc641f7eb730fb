#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Holds saved packets against scapy and tshark, which know nothing of how they were made. Several
commands may stand in one call, with "--" between them, as scapy takes long to import.

    layers DIR          each DIR/N.pcap has the protocols of line N of DIR/cases ("ip udp | TEXT");
                        lengths and checksums are those that scapy computes, and tshark finds
                        nothing wrong
    fields FILE RULE... FIELD=PYTHON: of packet n, a scapy field such as IP.dst or UDP.dport is
                        the value of an expression of n; and all lengths and checksums are right
    sizes FILE PYTHON   expected length of the frame of packet n, with FCS
    mix FILE SIZE=N...  one cycle of sizes over and over, in which each comes N times
    gaps FILE PYTHON    expected time of packet n after the first, in ns
    poisson FILE NS     gaps are exponential: mean and standard deviation are both NS
Each prints the number of packets.
"""
import ipaddress
import os
import statistics
import struct
import subprocess
import sys

COMPUTED = ("chksum", "cksum", "len", "plen", "ihl", "dataofs")
STATUS = ("ip.checksum.status", "udp.checksum.status", "tcp.checksum.status",
          "icmp.checksum.status", "icmpv6.checksum.status", "igmp.checksum.status",
          "gre.checksum.status", "sctp.checksum.status")
BAD = "0"
SHORTEST = 60


def import_scapy():
    """Its names become this file's. All of scapy would take twice as long."""
    from scapy.contrib.igmp import IGMP
    from scapy.contrib.mpls import MPLS
    from scapy.layers.inet import ICMP, IP, TCP, UDP
    from scapy.layers.inet6 import ICMPv6EchoRequest, IPv6
    from scapy.layers.l2 import Dot1AD, Dot1Q, Ether, GRE
    from scapy.layers.sctp import SCTP
    from scapy.layers.vxlan import VXLAN
    from scapy.packet import Padding
    globals().update(locals())


def read_pcap(path):
    """(time in ns, frame) of each packet of a file."""
    with open(path, "rb") as file:
        data = file.read()
    unit_ns = {0xa1b2c3d4: 1000, 0xa1b23c4d: 1}[struct.unpack("<I", data[:4])[0]]
    packets, at = [], 24
    while at < len(data):
        seconds, part, size, _ = struct.unpack("<IIII", data[at:at + 16])
        packets.append((seconds * 10**9 + part * unit_ns, data[at + 16:at + 16 + size]))
        at += 16 + size
    return packets


def recomputed(packet):
    """The bytes of @packet with every length and checksum computed by scapy, which it has then;
    and the bytes after its last length, which scapy would count."""
    layer, padding = packet, b""
    while layer:
        if isinstance(layer, Padding):
            padding = layer.load
            layer.underlayer.remove_payload()
            break
        for name in COMPUTED:
            # Of an IPv6 extension header the length is its own, and right by the parsing.
            if name in layer.fields and not (name == "len" and "ExtHdr" in type(layer).__name__):
                # GRE's checksum is there only if the flag says so; a UDP sum of 0 is none.
                if layer.fields[name] is not None and not (
                        isinstance(layer, (UDP, GRE)) and name == "chksum" and not layer.chksum):
                    # Not "del layer.fields[name]": scapy would go on with the bytes as they came.
                    layer.delfieldval(name)
        layer = layer.payload
    return bytes(packet), padding


def expect_computed(frame, packet, what):
    again, padding = recomputed(packet)
    if padding and (len(frame) != SHORTEST or any(padding)):
        sys.exit(f"{what}: a length is too small: {padding.hex()} follows it in\n{frame.hex()}")
    again += padding
    if again != frame:
        sys.exit(f"{what}: lengths or checksums are not scapy's:\n{frame.hex()}\n{again.hex()}")


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
    import_scapy()
    with open(os.path.join(dir_, "cases"), encoding="utf-8") as file:
        cases = [line.rstrip("\n").split(" | ", 1) for line in file]
    packets, of, data = [], [], b""
    for number, (_, text) in enumerate(cases):
        path = os.path.join(dir_, f"{number}.pcap")
        for _, frame in read_pcap(path):
            if "scapy-off" not in text:
                expect_computed(frame, Ether(frame), text)
            packets.append(frame)
            of.append(number)
        with open(path, "rb") as file:
            saved = file.read()
        data += saved[24:] if data else saved
    path = os.path.join(dir_, "all.pcap")
    with open(path, "wb") as file:
        file.write(data)
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
    import_scapy()
    packets = read_pcap(path)
    names = {name: value for name, value in globals().items() if isinstance(value, type)}
    for number, (_, frame) in enumerate(packets):
        packet = Ether(frame)
        for rule in rules:
            field, expression = rule.split("=", 1)
            layer, name = field.split(".")
            wanted = eval(expression, {"n": number, "ip": ipaddress.ip_address})
            got = getattr(packet[names[layer]], name)
            ok = wanted(got) if callable(wanted) else str(got) == str(wanted)
            if not ok:
                sys.exit(f"packet {number}: {field} is {got}, not {wanted}")
        expect_computed(frame, packet, f"packet {number}")
    print(len(packets))


def sizes(path, expression):
    import_scapy()
    packets = read_pcap(path)
    for number, (_, frame) in enumerate(packets):
        expect_computed(frame, Ether(frame), f"packet {number}")
        wanted = eval(expression, {"n": number})
        ok = wanted(len(frame) + 4) if callable(wanted) else len(frame) + 4 == wanted
        if not ok:
            sys.exit(f"packet {number} has {len(frame) + 4} bytes, not {wanted}")
    print(len(packets))


def mix(path, *shares):
    import_scapy()
    wanted = {int(size): int(count) for size, count in (share.split("=") for share in shares)}
    packets = read_pcap(path)
    met = [len(frame) + 4 for _, frame in packets]
    cycles, rest = divmod(len(met), sum(wanted.values()))
    if rest or met != met[:len(met) // cycles] * cycles or \
            {size: met.count(size) // cycles for size in set(met)} != wanted:
        sys.exit(f"these sizes are not {wanted} over and over: {met}")
    for number, (_, frame) in enumerate(packets):
        expect_computed(frame, Ether(frame), f"packet {number}")
    print(len(packets))


def gaps(path, expression):
    times = [time for time, _ in read_pcap(path)]
    for number, time in enumerate(times):
        got = time - times[0]
        wanted = eval(expression, {"n": number})
        if not (wanted(got) if callable(wanted) else got == wanted):
            sys.exit(f"packet {number} stands at {got} ns, not {wanted}")
    print(len(times))


def poisson(path, mean_ns):
    times = [time for time, _ in read_pcap(path)]
    between = [b - a for a, b in zip(times, times[1:])]
    mean, deviation, wanted = statistics.mean(between), statistics.stdev(between), float(mean_ns)
    if abs(mean - wanted) > wanted * .03 or abs(deviation - wanted) > wanted * .05:
        sys.exit(f"gaps have the mean {mean} ns and the standard deviation {deviation} ns")
    print(len(times))


def main():
    args = sys.argv[1:]
    while args:
        end = args.index("--") if "--" in args else len(args)
        {"layers": layers, "fields": fields, "sizes": sizes, "mix": mix,
         "gaps": gaps, "poisson": poisson}[args[0]](*args[1:end])
        args = args[end + 1:]


if __name__ == "__main__":
    main()
