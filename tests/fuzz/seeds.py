#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""seeds.py FUZZER DIR: what a fuzzer starts from, where random bytes would take long to come."""
import glob
import gzip
import json
import os
import re
import struct
import sys

TESTS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
PACKETS = ((1700000000, 0, b"\x02" * 14), (1700000000, 999, b"\x03" * 19))


def pcap(order, magic):
    out = struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, 65535, 1)
    for seconds, part, data in PACKETS:
        out += struct.pack(order + "IIII", seconds, part, len(data), len(data)) + data
    return out


def block(order, kind, body):
    body += bytes(-len(body) % 4)
    length = len(body) + 12
    return struct.pack(order + "II", kind, length) + body + struct.pack(order + "I", length)


def pcapng(order, resolution):
    options = struct.pack(order + "HHB3xHH", 9, 1, resolution, 0, 0)
    out = block(order, 0x0A0D0D0A, struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1))
    out += block(order, 1, struct.pack(order + "HHI", 1, 0, 0) + options)
    for seconds, part, data in PACKETS:
        stamp = seconds * 10**resolution + part
        out += block(order, 6, struct.pack(order + "IIIII", 0, stamp >> 32, stamp & 0xFFFFFFFF,
                                           len(data), len(data)) + data)
    return out


def captures():
    files = [pcap(order, magic) for order in "<>" for magic in (0xA1B2C3D4, 0xA1B23C4D)]
    files += [pcapng(order, resolution) for order in "<>" for resolution in (6, 9)]
    return files + [gzip.compress(files[0], mtime=0), gzip.compress(files[5], mtime=0)]


def packets():
    return [text.encode() for text in (
        "eth/vlan(7)/ip4(dst=198.18.1.0/24)/udp(dport=5000-5999:10@3)",
        "ip6(dst=2001:2::2,src=random(2001:2::/64,seed=7))/tcp(flags=SA,mss=1460,sackok,ts=1,ws=7)",
        "eth(dst=02:00:00:00:00:01)/mpls(1000)/mpls(9)/ip4/gre(sum,key=1-9)/ip6/icmp6(echo)",
        "ip4/udp/vxlan(1-9)/eth/arp(reply,tpa=10.0.0.1)/hex(c0ffee)",
        'ip4(options=9404,df)/udp(sum=0,dport=dist(80*3,443*1))/text("GET / \\r\\n\\x41")',
        "ip6/hbh(0502)/frag(3,mf)/sctp(tag=list(1,2,3))/hex(00)",
    )]


def flow_files():
    return [text.encode() for text in (
        "flows:\n- name: a\n  packet: ip4/udp\n  size: imix\n  rate: 1Mpps\n  copies: 3\n",
        "flows:\n- packet:\n  - ip4: {dst: 198.18.0.2}\n  - udp: {dport: 1-9}\n"
        "  size: {weight_pairs: [{size: 64, weight: 7}]}\n  rate: {bps: 10, layer: l2}\n"
        "  duration: {fixed_packets: {packets: 9}}\n  burst: {packets: 3, every: 1ms}\n",
        "flows:\n- packet: ip4/udp\n  size: 64-1518:64\n  rate: 10%\n  gaps: poisson\n  seed: 3\n"
        "  start: 1ms\n  duration: 10s\n  tag: false\n",
        "flows:\n- packet: ip4/udp\n  rate: 1kpps\n  ramp: {to: 2kpps, over: 1s}\n"
        "- packet: ip4/udp\n  rate: 1kpps\n  on_off: {on: 1ms, off: 2ms}\n  size: genome(aab)\n",
    )]


def frames():
    """IPv4 behind no, one and two VLAN tags, with and without options."""
    ip4 = b"\x45\0\x01\x08\x12\x34\0\0\x40\x11\0\0" + bytes((198, 18, 0, 1, 198, 18, 0, 2))
    options = b"\x47" + ip4[1:] + b"\x94\x04\0\0\x01\x83\x03\0"
    tags = (b"", b"\x81\0\0\x07", b"\x88\xa8\0\x07\x81\0\0\x09")
    return [bytes((64,)) + bytes(11) + tag + b"\x08\0" + ip + bytes(range(256))
            for tag in tags for ip in (ip4, options)]


def stamp_answers():
    """Base packets of both lengths, with TLVs that are whole, marked and cut."""
    tlvs = b"".join(struct.pack(">BBH", flags, kind, length) + bytes(length)
                    for flags, kind, length in ((0, 4, 4), (0x80, 2, 4), (0x40, 6, 4), (0, 5, 12),
                                                (0, 7, 16), (0, 3, 4), (0, 8, 16)))
    return [bytes((mode, 0, 0xff, 1, 0)) + bytes(length) + tail
            for mode, length in ((0, 44), (1, 112), (2, 41)) for tail in (b"", tlvs, tlvs[:-3])]


def impairments():
    return [bytes([kind]) + text.encode() for kind, text in (
        (0, "ge(p=1%, r=30%, bad=80%, good=0.1%)"), (0, "every=100+7"), (0, "list=3,17,99"),
        (1, "0.5%:3@40"), (3, "all:50"), (4, "every=3:64"), (5, "1%:2"), (6, "1%:5"),
        (7, "1%:5ms+-1ms,normal,keep-order"), (7, "5ms+-10ms,pareto=1.5"),
    )] + [b"udp and dst 198.18.0.0/24 dport 9 stream 3", b"src 2001:db8::/36 icmp6", b"64kB"]


def control_lines():
    return [text.encode() for text in (
        '{"type":"hello","version":1,"tool":"ethgauge","nonce":"00ff","host":"a-b","key":1,"proof":"ab"}',
        '{"type":"test","protocol":"udp","kind":"rr","direction":"there","streams":7,'
        '"duration_ns":1009,"request_bytes":64,"response_bytes":64,"outstanding":3,"congestion":"bbr"}',
        '{"type":"ready","ports":"40001,40002"}', '{"type":"go"}', '{"type":"stop"}',
        '{"type":"row","elapsed_ns":1,"sent_bytes":2}', '{"type":"conn","stream":1,"rtt_us":3}',
        '{"type":"error","what":"no \\"such\\" thing","hint":"x"}',
        '{"type":"welcome","proof":"ab","mtu_bytes":1500,"kernel":"6.1","tcp_rmem":"4096 131072 6291456"}',
        '{"type":"arrivals","list":"0:1:1000:7,1:2:2003:0,"}',
        '{"type":"result","elapsed_ns":1,"window_ns":2,"received_packets":3,"delays":1,"delay_p99_ns":4}',
    )]


def short(value):
    """Two of each list are enough."""
    if isinstance(value, dict):
        return {key: short(item) for key, item in value.items()}
    return [short(item) for item in value[:2]] if isinstance(value, list) else value


def documents():
    """The golden ones, the rows before one, and rounds of scripts/bench-run."""
    docs = [[{"format": 1, "tool": "x", "command": "bench-run", "config": {"seconds": 1}, "environment": {"cpus": 2},
              "runs": [{"id": id_, "round": round_, "received_pps": 7, "sender_cpu_ns_per_packet": 3}
                       for id_ in "ab" for round_ in (1, 2)]}]]
    for name in sorted(glob.glob(os.path.join(TESTS, "golden/format-1/*.json"))):
        with open(name, encoding="utf-8") as file:
            docs.append([short(json.load(file))])
    docs.append([{"type": "interval", "elapsed_ns": 7}] + docs[-1])
    return ["\n".join(json.dumps(doc, separators=(",", ":")) for doc in all_).encode() for all_ in docs]


def records():
    """Documents of the far end by themselves, and those of a watch as the lines of a recording."""
    docs = [json.loads(text.split(b"\n")[-1]) for text in documents()]
    lines = [doc for doc in docs if doc["command"] == "sink"]
    lines += [{"type": type_, "elapsed_ns": elapsed_ns, "result": doc} for doc in docs
              if doc["command"] in ("sink", "watch") for type_, elapsed_ns in (("at", 7), ("end", 8))]
    return [json.dumps(line, separators=(",", ":")).encode() + b"\n" for line in lines]


def far_lines():
    """Those of a receiver on another host: intervals, and a document alone."""
    docs = [text for text in records() if b'"command":"sink"' in text and not text.startswith(b'{"type"')]
    return [text[:-1] for text in docs] + [
        b'{"type":"interval","elapsed_ns":100000000,"received_packets":9,"distinct_packets":8,"duplicate_packets":1}',
        b'{"format":1,"tool":"ethgauge 0.1.0","command":"sink","environment":{"driver":"veth","mtu":1500},"notes":["n"],'
        b'"metrics":{"distinct_packets":9,"lost_packets":1,"delay_min_ns":1,"delay_max_ns":9,"delay_p99_ns":null,'
        b'"delay_samples":9},"histograms":{"delay_ns":{"above":1,"buckets":[[0,4],[8,5]]}}}']


def rewrites():
    """A list of prefixes or of ports, and a frame that it may change."""
    ip6 = b"\x60\0\0\0\0\x38" + bytes((17, 64)) + bytes(32) + b"\0\x50\0\x07\0\x38\0\1" + bytes(48)
    all_ = frames()[:4] + [bytes(12) + b"\x86\xdd" + ip6,
                           bytes(12) + b"\x08\x06\0\1\x08\0\6\4\0\1" + bytes(20)]
    return [text + b"\n" + frame for frame in all_ for text in
            (b"198.18.0.0/15=10.0.0.0/8,::/0=2001:db8::/32", b"80=8080,0=9")]


def sweeps():
    """What is varied, the words of a built-in sweep, and the lines of a state file."""
    texts = [b"mtu=1500,9000\nnodelay=yes,no\n--test={mtu},2", b"# about\n--metric x\n-- tcp {host} '{test} 1'\n",
             b"tcp_sack=0,1\nnet.ipv4.tcp_rmem=1 2 3,4 5 6"]
    return texts + [b"940123456.5 1500 1448 0 1\n1e9 0 0 1 0\n", b"nan 1 2 0 0\n0.1 9"]


def goals():
    return [b"goals:\n  - tst009\n  - {name: mine, loss: 0.5%, exceed: 50%, initial: 1s, final: 1s, sum: 21s, width: 0.5%}\n",
            b"goals: [rfc2544, {name: a, loss: 0%}, ndr, 'name=b,width=1%']\n",
            b"name=mine,loss=0.5%,exceed=50%,initial=1s,final=1s,sum=21s,width=0.5%", b"64,128,1518,9216",
            b"latency,loss,back-to-back,recovery,none", b"latency," * 8 + b"soak"]


def loads():
    return [b"10/s", b"50/5s", b"2.5kpps", b"1000000.5pps", b"250ms", b"1s-5s", b"198.18.0.10-198.18.0.250",
            b"198.18.0.0/24", b"2001:db8::/64", b"2001:db8::1-2001:db8::ff", b"http://h/{client}/{cycle}?{x"]


def proc_texts():
    """Each file of /proc that is read, of two CPUs."""
    return [b"cpu  3 0 3 9 0 0 0 0\ncpu0 1 0 1 4 0 0 0 0 0 0\ncpu1 2 0 2 5 0 0 0 0 0 0\nintr 9\n",
            b"      CPU0   CPU1\n  24:   5   6   PCI-MSI 1-edge   eth0-rx-0\n LOC:   7   8   Local\n ERR:   0\n",
            b"      CPU0   CPU1\n NET_TX:   1   2\n NET_RX:   3   4\n",
            b"00000009 00000001 00000002 0 0 0 0 0 0 0 0 0 00000001\n0000000a 0 0\n",
            b"Name:\tx\nVmRSS:\t  1009 kB\n", b"Ip6InDiscards  \t7\nUdp6NoPorts 3\n",
            b"Ip: Forwarding InDiscards\nIp: 1 7\nUdp: InDatagrams NoPorts RcvbufErrors\nUdp: 9 1 2\n"]


def filters():
    return [b"tcp port 443", b"vlan 7 and ip6 and not host 2001:db8::1", b"udp[8:4] & 0x1fff != 0 or less 100",
            b"net 10.0.0.0/8 and (tcp[tcpflags] & tcp-syn != 0 or icmp)", b"ether host 02:00:00:00:00:01 and mpls 9",
            b"ip6 protochain 6 and dst portrange 1-9", b"inbound"]


def netlink_answers():
    """Those of a kernel that the unit tests have, and elements whose counters are in a list of expressions."""
    texts = []
    for name in ("netlink", "nft"):
        with open(os.path.join(TESTS, f"unit/{name}_vectors.h"), encoding="ascii") as file:
            texts.append(file.read())
    answers = [bytes(int(byte, 16) for byte in re.findall("0x(..),", array))
               for array in re.findall(r"\[\] = \{(.*?)\};", "".join(texts), re.DOTALL)]
    return answers + [answer.replace(b"\x2c\0\7\0", b"\x2c\0\x0b\0") for answer in answers
                      if b"\x2c\0\7\0\x0c" in answer]


def trials():
    """Of bench, behind the head of its state file: the fields that dist.h has are all of 0x1.8p+10."""
    delays = b" 0x1.8p+10" * 32
    return [line + delays[:10 * nr] + b"\n" for nr in range(8, 24) for line in
            (b"throughput 64 0x1.e848p+19 1000000000 0 0x1.e848p+19 0 1 0x0p+0 1000000 7 nan",)]


def saved_settings():
    """Of tune, behind the head of its file."""
    return [b"net.ipv4.tcp_sack\t\t0\t1\nnet.ipv4.tcp_rmem\t\t0\t4096\t131072\t6291456\n",
            b"mtu\teth0\t3\t1500\ntcp_sack\t\t0\t0\n", b"ethgauge-tune 1\nboot 0d3a\nmtu\teth0\t2\t9000\n"]


def calibrations():
    """Of the machine that the target names."""
    return [json.dumps({"environment": {"date": "2026-11-28T00:00:00Z", "kernel": "6.1.0", "cpus": 2}, "metrics": figures},
                       separators=(",", ":")).encode() for figures in (
                           {"calibrated_delay_floor_p50_ns": 7, "calibrated_exact_pps": 1.5},
                           {"calibrated_delay_error_p50_ns": 7, "calibrated_x": 1, "calibrated_exact_pps": [None]})]


def number_files():
    return [b"# numbers\n17\n 3 # three\n\n99", b"5ms\n0\n7us # short\n", b"18446744073709551615\n1k\n"]


def line_pieces():
    return [bytes([20, 2]) + b"one\n\ntwo and more\nthree", bytes([3, 200]) + b"abcd\nabcde\n"]


def session_keys():
    return [b"# all\n198.18.0.1 7 0123456789abcdef\n2001:2::/48 any 0123456789abcdef\nany 65535 0123456789abcdef\n",
            b"any any 01234567\r\n", b"10.0.0.0/8\tany\tkey of eight or more \xff\n\n \t"]


def web_answers():
    """After the size of the parts that they arrive in."""
    return [bytes([nr * 7]) + text for nr, text in enumerate((
        b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nhello",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n0\r\nX: y\r\n\r\n",
        b"HTTP/1.1 103 Early\r\nLink: a\r\n\r\nHTTP/1.0 301 Moved\nLocation: /a\nContent-Length: 0\n\n",
        b"HTTP/1.1 204 None\r\n\r\n", b"HTTP/1.1 200 OK\r\n\r\nto the end"))]


SEEDS = {"fuzz_control": control_lines, "fuzz_capture": captures, "fuzz_packet": packets, "fuzz_flow_file": flow_files,
         "fuzz_fragment": frames, "fuzz_impair": impairments, "fuzz_stamp": stamp_answers, "fuzz_stamp_keys": session_keys,
         "fuzz_netlink": netlink_answers, "fuzz_document": documents, "fuzz_record": records,
         "fuzz_outcome": far_lines, "fuzz_rewrite": rewrites, "fuzz_sweep": sweeps, "fuzz_goal": goals,
         "fuzz_load": loads, "fuzz_http_answer": web_answers, "fuzz_bench_state": trials,
         "fuzz_tune_list": saved_settings, "fuzz_procstat": proc_texts, "fuzz_filter": filters, "fuzz_calibration": calibrations,
         "fuzz_impair_file": number_files, "fuzz_lines": line_pieces}

if __name__ == "__main__":
    fuzzer, dir_ = sys.argv[1:]
    for number, data in enumerate(SEEDS.get(fuzzer, list)()):
        with open(os.path.join(dir_, f"seed{number}"), "wb") as file:
            file.write(data)
