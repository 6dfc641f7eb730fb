# SPDX-License-Identifier: GPL-2.0-or-later
"""The senders that are compared: what each is, how it is started, what receives."""
import collections
import fnmatch
import os
import shutil
import struct

from bench.wire import IFACE, TOOL, run

BARE = os.path.join(os.path.dirname(TOOL), "tests/bench/bare")
SRC_IP, DST_IP, PORT = "198.18.0.1", "198.18.0.2", 9
IPERF_PORT = 5201
FCS_BYTES = 4
PKTGEN = "/proc/net/pktgen"


def checksum(data):
    total = sum(struct.unpack(f">{len(data) // 2}H", data))
    while total >> 16:
        total = (total & 0xFFFF) + (total >> 16)
    return total ^ 0xFFFF


def udp_frame(lab, frame_bytes):
    """As blast's: UDP over IPv4 to the discard port; without FCS."""
    l3_bytes = frame_bytes - FCS_BYTES - 14
    payload = bytes(l3_bytes - 28)
    ends = bytes(int(part) for ip in (SRC_IP, DST_IP) for part in ip.split("."))
    udp = struct.pack(">HHHH", 49152, PORT, l3_bytes - 20, 0)
    pseudo = ends + struct.pack(">HH", 17, len(udp) + len(payload))
    udp = udp[:6] + struct.pack(">H", checksum(pseudo + udp + payload))
    head = struct.pack(">BBHHHBBH", 0x45, 0, l3_bytes, 0, 0x4000, 64, 17, 0) + ends
    head = head[:10] + struct.pack(">H", checksum(head)) + head[12:]
    macs = bytes.fromhex((lab.dst_mac + lab.src_mac).replace(":", ""))
    return macs + b"\x08\x00" + head + udp + payload


def write_pcap(path, frame, copies):
    record = struct.pack("<IIII", 0, 0, len(frame), len(frame)) + frame
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        file.write(record * copies)


class Run:
    """What a sender's argv is made from."""

    def __init__(self, lab, frame_bytes, threads, seconds, cpus, dir_):
        self.lab, self.frame_bytes, self.threads = lab, frame_bytes, threads
        self.seconds, self.cpus, self.dir = seconds, cpus, dir_

    def bare(self):
        return [BARE, "send", IFACE, str(self.frame_bytes), str(self.seconds), str(self.threads)]

    def send(self, *options):
        return [TOOL, "blast", IFACE, "--duration", f"{int(self.seconds * 1000)}ms", "--interval",
                "0", "--json", *options]

    def blast(self, *options, dest=DST_IP):
        return self.send(dest, "--frame-bytes", str(self.frame_bytes), "--threads",
                         str(self.threads), *options)

    def described(self, packet, *options):
        return self.blast("-e", "live", *options, dest=packet)

    def streams(self, count, rate, *options):
        path = os.path.join(self.dir, f"{self.frame_bytes}-{count}.yaml")
        with open(path, "w", encoding="ascii") as file:
            file.write(f"flows:\n  - name: s\n    packet: eth/ip4(dst={DST_IP})/udp(dport={PORT})\n"
                       f"    size: {self.frame_bytes}\n    rate: {rate}\n    copies: {count}\n")
        return self.send("-e", "live", "--streams", path, *options)

    def replay(self, engine):
        return self.send("-e", engine, "--pcap", self.pcap(), "--speed", "max", "--loop", "0")

    def trafgen(self):
        path = os.path.join(self.dir, f"{self.frame_bytes}.cfg")
        with open(path, "w", encoding="ascii") as file:
            frame = udp_frame(self.lab, self.frame_bytes)
            file.write("{ " + ", ".join(f"0x{byte:02x}" for byte in frame) + " }\n")
        # It pins itself to CPU 0. -Q: it shall leave interrupts where they are.
        return ["trafgen", "--out", IFACE, "--conf", path, "--cpus", "1", "-Q", "-C"]

    def pcap(self):
        path = os.path.join(self.dir, f"{self.frame_bytes}.pcap")
        write_pcap(path, udp_frame(self.lab, self.frame_bytes), 4096)
        return path

    def tcpreplay(self):
        return ["tcpreplay", "-q", "--preload-pcap", "--topspeed", "--loop", "0", "-i", IFACE,
                self.pcap()]

    def iperf3(self):
        return ["iperf3", "-c", DST_IP, "-p", str(IPERF_PORT), "-u", "-b", "0", "-t", "3600",
                "-l", str(self.frame_bytes - FCS_BYTES - 42)]

    def xdp_trafficgen(self):
        return ["xdp-trafficgen", "udp", IFACE, "-m", self.lab.dst_mac, "-t", str(self.threads)]

    def pktgen(self):
        thread, device = f"kpktgend_{self.cpus[0]}", f"{IFACE}@0"
        frame = [f"pkt_size {self.frame_bytes - FCS_BYTES}", "count 0", "delay 0", "clone_skb 0",
                 f"src_min {SRC_IP}", f"src_max {SRC_IP}", f"dst {DST_IP}",
                 f"dst_mac {self.lab.dst_mac}", f"udp_dst_min {PORT}", f"udp_dst_max {PORT}"]
        for file, line in [("pgctrl", "reset"), (thread, f"add_device {device}"),
                           *((device, line) for line in frame)]:
            run("nsenter", f"--net=/run/netns/{self.lab.name}-a", "tee", f"{PKTGEN}/{file}",
                data=line + "\n")
        # The write lasts until a signal.
        return ["sh", "-c", f"echo start >{PKTGEN}/pgctrl"]


SINK = (TOOL, "sink", IFACE, "--json", "--interval", "0")
COUNT = (*SINK, "--count-only", "--all")
CHECK = SINK
# iperf3's server is after it, and its control connection must not be counted.
PASS = (*SINK, "--count-only", "--pass", "--port", str(IPERF_PORT))
DROP = (BARE, "drop", IFACE)

Row = collections.namedtuple("Row", "name what sender receiver peer package",
                             defaults=(None, None))


# Five fields that change from packet to packet.
FIELDS = ("eth/ip4(src=198.18.0.3-198.18.0.250, dst=198.18.0.2-198.18.0.200, id=0-65535)/"
          f"udp(sport=1024-65535, dport={PORT}-1008)")
# The same packet, nothing changes.
PLAIN = f"eth/ip4(src=198.18.0.3, dst=198.18.0.2)/udp(sport=1024, dport={PORT})"


def blast(*options):
    return lambda run_: run_.blast(*options)


def described(packet, *options):
    return lambda run_: run_.described(packet, *options)


def streams(count, rate, *options):
    return lambda run_: run_.streams(count, rate, *options)


def replay(engine):
    return lambda run_: run_.replay(engine)


ROWS = (
    Row("bare", "live frames, nothing written; only counted and dropped", Run.bare, DROP),
    Row("bare-again", "the same once more: bare / bare-again is the noise", Run.bare, DROP),
    Row("bare-sink", "the same sender to our sink: what the sink costs", Run.bare, COUNT),
    Row("live-untagged", "blast, header written, no tag", blast("-e", "live", "--no-tag"), COUNT),
    Row("live-tagged", "blast, sequence and time in each; the sink counts",
        blast("-e", "live"), COUNT),
    Row("live-tagged-full", "the same; the sink checks sequence, tag and delay",
        blast("-e", "live"), CHECK),
    Row("live-stamp16", "blast, sequence in each, time in one of 16; the sink counts",
        blast("-e", "live", "--stamp-every", "16"), COUNT),
    Row("live-stamp16-full", "the same; the sink checks",
        blast("-e", "live", "--stamp-every", "16"), CHECK),
    Row("live-plain", "blast, one described packet, no tag", described(PLAIN, "--no-tag"), COUNT),
    Row("live-fields5", "the same, five fields change in each", described(FIELDS, "--no-tag"), COUNT),
    *(Row(f"streams-{count}", f"{count} streams in turn, tagged", streams(count, "max"), COUNT)
      for count in (1, 10, 100, 1000)),
    # Offered more than can be, so that the wheel is what is measured.
    *(Row(f"paced-{count}", f"{count} streams, each with a rate of its own",
          streams(count, f"{20000 // count}kpps"), COUNT) for count in (1, 10, 100, 1000)),
    Row("replay-live", "4096 packets of a file, live frames", replay("live"), COUNT),
    Row("replay-afxdp", "the same file through AF_XDP", replay("afxdp"), COUNT),
    Row("afxdp-tagged", "blast through AF_XDP, sequence and time in each; the sink counts",
        blast("-e", "afxdp"), COUNT),
    Row("afxdp-tagged-full", "the same; the sink checks", blast("-e", "afxdp"), CHECK),
    Row("trafgen", "AF_PACKET ring", Run.trafgen, COUNT, "trafgen", "netsniff-ng"),
    Row("tcpreplay", "one frame 4096 times, preloaded, top speed", Run.tcpreplay, COUNT,
        "tcpreplay", "tcpreplay"),
    Row("iperf3", "UDP socket to a server that receives", Run.iperf3, PASS, "iperf3", "iperf3"),
    Row("xdp-trafficgen", "live frames, UDP over IPv6, a frame size of its own",
        Run.xdp_trafficgen, COUNT, "xdp-trafficgen", "xdp-tools"),
    Row("pktgen", "in the kernel, one sk_buff a packet", Run.pktgen, COUNT, "pktgen"),
)
TWO_THREADS = ("bare", "live-untagged", "live-tagged", "live-tagged-full", "live-stamp16-full",
               "afxdp-tagged", "xdp-trafficgen")


class Case:
    """A row at a frame size and a number of threads."""

    def __init__(self, row, frame_bytes, threads):
        self.row, self.frame_bytes, self.threads = row, frame_bytes, threads
        self.id = f"{row.name}/{frame_bytes}" + (f"x{threads}" if threads > 1 else "")

    def wanted(self, patterns):
        return any(fnmatch.fnmatch(name, pattern) for pattern in patterns
                   for name in (self.row.name, self.id))


def choose_cases(args, nr_cpus):
    cases = []
    for frame_bytes in args.frames:
        for row in ROWS:
            # Its frame is as long as it makes it: one case is enough.
            if row.name != "xdp-trafficgen" or frame_bytes == args.frames[0]:
                cases.append(Case(row, frame_bytes, 1))
    if nr_cpus > 1:
        cases += [Case(row, args.frames[0], 2) for row in ROWS if row.name in TWO_THREADS]
    return [case for case in cases if case.wanted(args.only)]


def missing(row):
    """Why the row cannot be measured here, and what helps; None: it can be tried."""
    if row.peer == "pktgen":
        if not os.path.isdir(PKTGEN):
            return ("the kernel module pktgen is not loaded",
                    "modprobe pktgen, if this kernel has it")
    elif row.peer and not shutil.which(row.peer):
        return f"{row.peer} is not installed", f"sudo scripts/setup --bench ({row.package})"
    return None
