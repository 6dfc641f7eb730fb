#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes tests/unit/netlink_vectors.h: the kernel's answers, as they are received.

    sudo unshare -n tests/unit/netlink_vectors.py >tests/unit/netlink_vectors.h

What they say of the veth pair is known by other means: ip made it, and seven frames of 101 bytes
went through it. The netdev family needs Linux 6.8. The bytes are in the order of a little-endian
machine.
"""
import os
import platform
import socket
import struct
import subprocess
import tempfile

ROUTE, GENERIC = 0, 16
SEQ = 7
XDP_PASS = """int pass(void *ctx) __attribute__((section("xdp"))); int pass(void *ctx) { return 2; }"""


def ask(protocol, kind, flags, body):
    """All parts of the answer, up to its end: NLMSG_ERROR (2) or NLMSG_DONE (3)."""
    sock = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, protocol)
    for option in (10, 11):     # NETLINK_CAP_ACK, NETLINK_EXT_ACK
        sock.setsockopt(270, option, 1)
    sock.send(struct.pack("=IHHII", 16 + len(body), kind, flags | 1, SEQ, 0) + body)
    parts, kinds = [], set()
    while not kinds & {2, 3}:
        parts.append(sock.recv(1 << 16))
        at = 0
        while at < len(parts[-1]):
            length, kind = struct.unpack_from("=IH", parts[-1], at)
            kinds.add(kind)
            at += length + 3 & ~3
    return parts


def attr(kind, data):
    return struct.pack("=HH", 4 + len(data), kind) + data + bytes(-len(data) % 4)


def link(name):
    return ask(ROUTE, 18, 4, bytes(16) + attr(3, name + b"\0"))


def family(name):
    return ask(GENERIC, 16, 4, struct.pack("=BBH", 3, 1, 0) + attr(2, name + b"\0"))


def family_id(parts):
    at = parts[0].find(struct.pack("=HH", 6, 1))
    return struct.unpack_from("=H", parts[0], at + 4)[0]


def make_wire():
    with tempfile.TemporaryDirectory() as tmp:
        source, obj = os.path.join(tmp, "pass.c"), os.path.join(tmp, "pass.o")
        with open(source, "w", encoding="ascii") as file:
            file.write(XDP_PASS)
        subprocess.run(["clang", "-target", "bpf", "-O2", "-c", source, "-o", obj], check=True)
        for command in ("sysctl -qw net.ipv6.conf.all.disable_ipv6=1 net.ipv6.conf.default.disable_ipv6=1",
                        "ip link add one type veth peer name two",
                        "ip link set one up", "ip link set two up",
                        f"ip link set two xdp obj {obj} sec xdp"):
            subprocess.run(command.split(), check=True)
    sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
    sock.bind(("one", 0))
    for _ in range(7):
        sock.send(bytes.fromhex("ffffffffffff020000000001 88b5") + bytes(101 - 14))


def show(name, parts):
    for nr, part in enumerate(parts):
        print(f"\nstatic const uint8_t {name}{nr if len(parts) > 1 else ''}[] = {{")
        for at in range(0, len(part), 16):
            print("\t" + " ".join(f"0x{byte:02x}," for byte in part[at:at + 16]))
        print("};")


def main():
    make_wire()
    one = socket.if_nametoindex("one")
    netdev = family(b"netdev")
    print("/* SPDX-License-Identifier: GPL-2.0-or-later */")
    print(f"/* Made by tests/unit/netlink_vectors.py on Linux {platform.release()}; do not edit. */")
    print("#ifndef NETLINK_VECTORS_H\n#define NETLINK_VECTORS_H\n\n#include <stdint.h>\n")
    print(f"#define SEQ {SEQ}")
    print(f"#define ONE_IFINDEX {one}\n#define TWO_IFINDEX {socket.if_nametoindex('two')}")
    print(f"#define NETDEV_ID {family_id(netdev)}")
    show("link_one", link(b"one"))
    show("link_two", link(b"two"))
    show("no_link", link(b"three"))
    # An IPv4 address with a prefix length of 77.
    show("bad_prefix", ask(ROUTE, 20, 4 | 0x400, struct.pack("=BBBBI", 2, 77, 0, 0, one) +
                           attr(2, bytes(4))))
    show("qdiscs", ask(ROUTE, 38, 0x300, bytes(20)))
    show("family", netdev)
    show("no_family", family(b"nosuch"))
    show("netdev", ask(GENERIC, family_id(netdev), 4,
                       struct.pack("=BBH", 1, 1, 0) + attr(1, struct.pack("=I", one))))
    print("\n#endif")


if __name__ == "__main__":
    main()
