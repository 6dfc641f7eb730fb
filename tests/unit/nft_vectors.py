#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes tests/unit/nft_vectors.h: chains and rules of nftables, as the kernel answers.

    sudo unshare -n tests/unit/nft_vectors.py >tests/unit/nft_vectors.h

nft made them, and gave the counters their values.
"""
import platform
import struct
import subprocess

from netlink_vectors import SEQ, ask, show

NETFILTER, DUMP = 12, 0x300
GETCHAIN, GETRULE, GETSETELEM = 10 << 8 | 4, 10 << 8 | 7, 10 << 8 | 13
RULESET = """
table ip t {
    chain in {
        type filter hook input priority 0; policy drop;
        udp dport 9 counter packets 1009 bytes 46414 drop
        tcp dport 9 accept
        counter packets 13 bytes 13
    }
}
table inet filter {
    map counts {
        type inet_service : verdict; counter
        elements = { 7 counter packets 3 bytes 3 : accept, 9 counter packets 21 bytes 21 : drop,
                     10 counter packets 2 bytes 2 : drop }
    }
    chain sub {
        counter packets 3 bytes 3 udp dport 9 drop
        udp dport 9 counter packets 4294967301 bytes 5 log drop
        tcp dport 9 reject
        udp dport 9 counter packets 17 bytes 17 limit rate over 1/second drop
        udp dport vmap { 7 : accept, 9 : drop }
        udp dport vmap @counts
        udp dport vmap { 7 : accept }
    }
    chain fw {
        type filter hook forward priority 0; policy accept;
        jump sub
    }
}
table netdev n {
    chain ing {
        type filter hook ingress device "lo" priority 0; policy accept;
        counter packets 7 bytes 7 drop
    }
}
"""


def attribute(kind, text):
    data = text.encode("ascii") + b"\0"
    return struct.pack("=HH", 4 + len(data), kind) + data + bytes(-len(data) % 4)


def main():
    subprocess.run(["nft", "-f", "-"], input=RULESET.encode("ascii"), check=True)
    print("/* SPDX-License-Identifier: GPL-2.0-or-later */")
    print(f"/* Made by tests/unit/nft_vectors.py on Linux {platform.release()}; do not edit. */")
    print("#ifndef NFT_VECTORS_H\n#define NFT_VECTORS_H\n\n#include <stdint.h>\n")
    print(f"#define SEQ {SEQ}")
    for name, kind in (("nft_chains", GETCHAIN), ("nft_rules", GETRULE)):
        parts = ask(NETFILTER, kind, DUMP, struct.pack("=BBH", 0, 0, 0))
        show(name, [b"".join(parts)])
    for name, text in (("nft_silent_map", "__map0"), ("nft_map", "counts"), ("nft_passing_map", "__map1")):
        head = struct.pack("=BBH", 1, 0, 0) + attribute(1, "filter") + attribute(2, text)
        show(name, [b"".join(ask(NETFILTER, GETSETELEM, DUMP, head))])
    print("\n#endif")


if __name__ == "__main__":
    main()
