#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The other side of the replay tests: makes capture files, receives frames by a packet
socket, and compares. Protocols and checksums are scapy's, which takes longer to import than
most of this takes: so only what needs it imports it, and several commands may stand in one
call, with "--" between them.

    make KIND FILE [COUNT]      a capture file; prints how many packets it has
    receive COUNT OUT           frames to TO as "time_ns hex" lines; says "ready" first
    same FILE OUT [LOOPS]       OUT is FILE, byte by byte and in order
    gaps OUT MS LATE_NS         frame N came no earlier than N * MS after the first, but
                                for LATE_NS by which the first may have been late
    tags FILE OUT STREAM [N]    OUT is FILE with a tag in each UDP payload, stamped in one of N
    check OUT RULE...           each frame has right checksums, and holds to the rules
    values FILE COUNT N...      COUNT frames of UDP with right checksums; of source and destination
                                address, source and destination port it has N values: 7, or 5-7
"""
import os
import random
import socket
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../lib"))
import tag  # noqa: E402

TO = "02:7e:00:00:00:02"
FROM = "02:7e:00:00:00:01"
SOL_PACKET, PACKET_AUXDATA, TP_STATUS_VLAN_VALID, TP_STATUS_VLAN_TPID_VALID = 263, 8, 16, 64
SO_RCVBUFFORCE, SO_TIMESTAMPNS = 33, 35
START = 1700000000


def import_scapy():
    """Its names become this file's."""
    from scapy.compat import raw
    from scapy.layers.inet import ICMP, IP, TCP, UDP, fragment
    from scapy.layers.inet6 import (ICMPv6EchoRequest, IPv6, IPv6ExtHdrDestOpt,
                                    IPv6ExtHdrFragment, IPv6ExtHdrHopByHop, fragment6)
    from scapy.layers.l2 import ARP, Dot1Q, Ether
    from scapy.packet import Raw
    ETHER = Ether(src=FROM, dst=TO)
    globals().update(locals())


def filler(size):
    return Raw(random.randbytes(size))


def csum(data):
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return struct.pack(">H", ~total & 0xffff)


def datagram(number, size):
    """A frame of UDP with @size bytes by chance, as bytes."""
    ends = socket.inet_aton("10.1.2.3") + socket.inet_aton("10.7.0.9")
    data = random.randbytes(size)
    udp = struct.pack(">HHH", number % 60000 + 1, 9, 8 + size)
    pseudo = ends + struct.pack(">HH", 17, 8 + size) + udp + bytes(2) + data + bytes(size % 2)
    ip = struct.pack(">BBHHHBB", 0x45, 0, 28 + size, number, 0, 64, 17)
    return bytes.fromhex((TO + FROM).replace(":", "")) + b"\x08\x00" + ip + \
        csum(ip + bytes(2) + ends) + ends + udp + csum(pseudo) + data


def mixed(count):
    """Sizes of all kinds, so that a frame that has another's bytes is found."""
    return [datagram(i, random.choice((18, 19, 100, 999, 1472))) for i in range(count)]


def protocols(_):
    import_scapy()
    four = IP(src="10.1.2.3", dst="10.7.0.9")
    six = IPv6(src="2001:db8::1", dst="2001:db8:0:1::2")
    packets = [ETHER / ip / l4 / filler(size)
               for ip in (four, IP(src="10.1.2.3", dst="192.0.2.1"), six)
               for l4 in (TCP(sport=80, dport=1025, flags="PA"), UDP(sport=5060, dport=80))
               for size in (0, 1, 64, 1001)]
    packets += [ETHER / four / ICMP() / filler(33),
                ETHER / six / ICMPv6EchoRequest(data=b"x" * 31),
                ETHER / six / IPv6ExtHdrHopByHop() / IPv6ExtHdrDestOpt() / UDP(dport=80) /
                filler(17),
                ETHER / Dot1Q(vlan=5) / four / UDP(dport=80) / filler(20),
                ETHER / Dot1Q(vlan=5) / Dot1Q(vlan=6) / six / TCP(dport=80) / filler(20),
                ETHER / ARP(psrc="10.1.2.3", pdst="10.7.0.9", hwsrc=FROM)]
    without = ETHER / four / UDP(dport=80, chksum=0) / filler(20)
    packets.append(without)
    packets += [ETHER / part for part in fragment(four / UDP(dport=80) / filler(3000), 1000)]
    packets += [ETHER / part for part in fragment6(six / IPv6ExtHdrFragment() / UDP(dport=80) /
                                                   filler(3000), 1000)]
    return packets


def wrong_sums(_):
    packets = []
    for packet in protocols(0):
        packet = Ether(raw(packet))
        if IP in packet and (packet[IP].flags.MF or packet[IP].frag):
            continue
        if IPv6ExtHdrFragment in packet:
            continue
        for layer in (IP, TCP, UDP, ICMP):
            if layer in packet and packet[layer].chksum:
                packet[layer].chksum ^= 0x5a5a
        packets.append(packet)
    return packets


def unsendable(_):
    return mixed(3) + [datagram(3, 1473)] + mixed(4)


def taggable(count):
    """UDP of IPv4 and IPv6 with room for a tag, one of them without a checksum; and what has none."""
    import_scapy()
    four = IP(src="10.1.2.3", dst="10.7.0.9")
    packets = []
    for i in range(count):
        packets += [ETHER / four / UDP(sport=i + 1, dport=9) / filler(18 + i % 9),
                    ETHER / Dot1Q(vlan=5) / IPv6(src="2001:db8::1", dst="2001:db8:0:1::2") /
                    UDP(sport=i + 1, dport=9) / filler(200),
                    ETHER / four / UDP(sport=i + 1, dport=9, chksum=0) / filler(90),
                    ETHER / four / UDP(sport=i + 1, dport=9) / filler(17),
                    ETHER / four / TCP(sport=80, dport=1025) / filler(33)]
    return packets + [ETHER / part for part in fragment(four / UDP(dport=9) / filler(3000), 1000)]


def bursts(count):
    return mixed(count)


def burst_time(i):
    """Seven packets at once, 1 us and 300 us apart, over and over."""
    return i // 7 * 0.0003 + i % 7 * 0.000001


def long(_):
    return mixed(2) + [datagram(2, 3700)] + mixed(2)


def large(count):
    """Nearly all of the largest size, so that few packets fill the memory."""
    return [datagram(i, 1472 if i % 7 else 18 + i) for i in range(count)]


def write_pcap(path, frames, time):
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
        for i, frame in enumerate(frames):
            us = round(time(i) * 10**6)
            file.write(struct.pack("<IIII", START + us // 10**6, us % 10**6, len(frame),
                                   len(frame)) + frame)


def read_pcap(path):
    """The frames of a file, without scapy."""
    with open(path, "rb") as file:
        data = file.read()
    order = "<" if data[3] == 0xa1 else ">"
    frames, at = [], 24
    while at < len(data):
        size = struct.unpack(order + "I", data[at + 8:at + 12])[0]
        frames.append(data[at + 16:at + 16 + size])
        at += 16 + size
    return frames


def make(kind, path, count="7"):
    random.seed(42)
    frames = [bytes(packet) for packet in
              {"spaced": mixed, "ng": mixed}.get(kind, globals().get(kind))(int(count))]
    if kind == "ng":
        import_scapy()
        from scapy.utils import PcapNgWriter
        with PcapNgWriter(path) as writer:
            for i, frame in enumerate(frames):
                packet = Ether(frame)
                packet.time = START + i * 0.000001
                writer.write(packet)
    else:
        write_pcap(path, frames, {"bursts": burst_time, "spaced": lambda i: i * 0.05}
                   .get(kind, lambda i: i * 0.000001))
    if kind == "unsendable":
        # One that the snap length cut, and one that is no frame.
        with open(path, "ab") as f:
            for captured, wire in ((40, 60), (13, 13)):
                f.write(struct.pack("<IIII", START + 1, 0, captured, wire) +
                        frames[0][:captured])
    print(len(frames))


def receive(count, out):
    packets = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    packets.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 256 << 20)
    packets.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)
    packets.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
    packets.bind(("eg0", 3))
    packets.settimeout(10)
    want = bytes.fromhex(TO.replace(":", ""))
    lines = []
    print("ready", flush=True)
    while len(lines) < int(count):
        try:
            frame, extra, _, address = packets.recvmsg(65536, 256)
        except TimeoutError:
            break
        if address[2] == socket.PACKET_OUTGOING or frame[:6] != want:
            continue
        time_ns = 0
        for level, kind, data in extra:
            if (level, kind) == (socket.SOL_SOCKET, SO_TIMESTAMPNS):
                seconds, ns = struct.unpack("qq", data)
                time_ns = seconds * 10**9 + ns
            if level != SOL_PACKET or kind != PACKET_AUXDATA:
                continue
            status, _, _, _, _, tci, tpid = struct.unpack("IIIHHHH", data[:20])
            if status & TP_STATUS_VLAN_VALID:
                tpid = tpid if status & TP_STATUS_VLAN_TPID_VALID else 0x8100
                frame = frame[:12] + struct.pack(">HH", tpid, tci) + frame[12:]
        lines.append(f"{time_ns} {frame.hex()}\n")
    with open(out, "w", encoding="ascii") as f:
        f.writelines(lines)


def read(out):
    with open(out, encoding="ascii") as f:
        return [(int(line.split()[0]), bytes.fromhex(line.split()[1])) for line in f]


def untimed(frame):
    """Without what the time of a probe tag in UDP/IPv4 changes."""
    return frame[:42] + bytes(2) + frame[44:52] + bytes(8) + frame[60:]


def same(path, out, loops="1", but=""):
    sent = read_pcap(path) * int(loops)
    got = [frame for _, frame in read(out)]
    if but == "time":
        sent, got = list(map(untimed, sent)), list(map(untimed, got))
    if len(sent) != len(got):
        sys.exit(f"{len(got)} frames arrived of {len(sent)}")
    for i, (a, b) in enumerate(zip(sent, got)):
        if a != b:
            sys.exit(f"frame {i} is {b.hex()}\nand was sent as {a.hex()}")


def gaps(out, ms, late_ns):
    times = [time_ns for time_ns, _ in read(out)]
    for i, after in enumerate(times):
        if after - times[0] + int(late_ns) < i * float(ms) * 1e6:
            sys.exit(f"frame {i} came {(after - times[0]) / 1e6} ms after the first")


def tags(path, out, stream, stamp_every="1"):
    """OUT is FILE but for tags in sequence in all UDP payloads that hold one."""
    import_scapy()
    sent, got = read_pcap(path), [frame for _, frame in read(out)]
    if len(sent) != len(got):
        sys.exit(f"{len(got)} frames arrived of {len(sent)}")
    sequence = 0
    for i, (a, b) in enumerate(zip(sent, got)):
        packet = Ether(a)
        if is_fragment(packet) or UDP not in packet or len(packet[UDP].payload) < 18:
            if a != b:
                sys.exit(f"frame {i} is {b.hex()}\nand was sent as {a.hex()}")
            continue
        at = len(a) - len(packet[UDP].payload)
        if a[:at - 2] + a[at + 18:] != b[:at - 2] + b[at + 18:]:
            sys.exit(f"frame {i} is {b.hex()}\nand was sent as {a.hex()}")
        if (packet[UDP].chksum == 0) != (b[at - 2:at] == bytes(2)):
            sys.exit(f"frame {i} has got or lost its checksum")
        _, number, count, stamp = tag.read(b[at:]) or (0, None, 0, 0)
        if (number, count, stamp != 0) != (int(stream), sequence, sequence % int(stamp_every) == 0):
            sys.exit(f"frame {i} has the tag {b[at:at + 18].hex()}")
        sequence += 1


def is_fragment(packet):
    return (IP in packet and (packet[IP].flags.MF or packet[IP].frag)) or \
        IPv6ExtHdrFragment in packet


def check_sums(i, frame):
    packet = Ether(frame)
    again = packet.copy()
    for layer in (IP, TCP, UDP, ICMP, ICMPv6EchoRequest):
        if layer not in again or (layer is not IP and is_fragment(packet)):
            continue
        field = "cksum" if layer is ICMPv6EchoRequest else "chksum"
        if layer is UDP and not packet[UDP].chksum:
            continue
        delattr(again[layer], field)
    if raw(again) != frame:
        sys.exit(f"frame {i} has wrong checksums: {packet!r}\nscapy says {Ether(raw(again))!r}")
    return packet


def whole(packets, layer):
    """The datagram of the fragments, put together, for the sum over all of them."""
    parts = [packet for packet in packets if is_fragment(packet) and layer in packet]
    if layer is IP:
        data = b"".join(raw(packet[IP].payload) for packet in parts)
        head = IP(src=parts[0][IP].src, dst=parts[0][IP].dst, proto=17)
    else:
        data = b"".join(raw(packet[IPv6ExtHdrFragment].payload) for packet in parts)
        head = IPv6(src=parts[0][IPv6].src, dst=parts[0][IPv6].dst, nh=17)
    return raw(head / Raw(data))


def check(out, *rules):
    import_scapy()
    frames = [frame for _, frame in read(out)]
    packets = [check_sums(i, frame) for i, frame in enumerate(frames)]
    for rule in rules:
        name, _, value = rule.partition("=")
        if name == "whole":
            for layer in (IP, IPv6):
                datagram = layer(whole(packets, layer))
                again = datagram.copy()
                del again[UDP].chksum
                if layer is IP:
                    del datagram[IP].chksum
                if raw(layer(raw(datagram)))[-3008:] != raw(again)[-3008:]:
                    sys.exit(f"the fragments have a wrong checksum over {layer.__name__}")
            continue
        held = {
            "count": lambda: len(frames) == int(value),
            "absent": lambda: not any(bytes.fromhex(value) in frame[14:] for frame in frames),
            "src_mac": lambda: all(packet.src == value for packet in packets),
            "vlan": lambda: all(Dot1Q in p and p.vlan == int(value) and
                                not isinstance(p[Dot1Q].payload, Dot1Q) for p in packets),
            "no_port": lambda: not any(int(value) in (p.sport, p.dport) for p in packets
                                       if (TCP in p or UDP in p)),
            "nr_to": lambda: sum(1 for p in packets if IP in p and
                                 p[IP].dst == value.split(":")[0]) == int(value.split(":")[1]),
        }[name]()
        if not held:
            sys.exit(f"does not hold: {rule}\n" + "\n".join(p.summary() for p in packets))


def values(path, count, *wanted):
    import_scapy()
    frames = read_pcap(path)
    if len(frames) != int(count):
        sys.exit(f"{path} has {len(frames)} frames, not {count}")
    seen = [set(), set(), set(), set()]
    for i, frame in enumerate(frames):
        packet = check_sums(i, frame)
        if not packet[UDP].chksum:
            sys.exit(f"frame {i} of {path} has no checksum")
        ip = packet[IP] if IP in packet else packet[IPv6]
        for met, value in zip(seen, (ip.src, ip.dst, packet[UDP].sport, packet[UDP].dport)):
            met.add(value)
    for met, want in zip(seen, wanted):
        least, _, most = want.partition("-")
        if not int(least) <= len(met) <= int(most or least):
            sys.exit(f"{path} has {[len(met) for met in seen]} values, not {wanted}")


def main():
    args = sys.argv[1:]
    while args:
        end = args.index("--") if "--" in args else len(args)
        {"make": make, "receive": receive, "same": same, "gaps": gaps, "tags": tags,
         "check": check, "values": values}[args[0]](*args[1:end])
        args = args[end + 1:]


if __name__ == "__main__":
    main()
