# SPDX-License-Identifier: GPL-2.0-or-later
"""Losses, each planted by a program that is no part of the tool, and who else counted it.

Nodes are those of a lab: a sends, r forwards, b receives. "{obj}" is the object file of foreign BPF programs.
"""
import collections

NEAR4, FAR4 = "198.19.0.1", "203.0.113.5"       # b; a network without a route
BRIDGED = "198.18.0.2"                          # b with a bridge in the middle
FAR6, LOST6 = "2001:2:0:1::1", "2001:db8::5"
ALL = "all"                                     # every packet is planted to be lost

# What is planted: @plant, commands as (node, words), and @words of blast. @counted: how many packets are lost, by
# another than the tool: ALL, a number, or a Counter. @reasons, @place: regular expressions for the rows of the ledger.
# @middle: what r is. @sink: the interface of b that is received at.
Case = collections.namedtuple("Case", "what where by plant words counted reasons place middle sink",
                              defaults=("router", "eg0"))

# A number that grows by the losses: of /proc/net/snmp and its like (mib), a rule of nftables, a queue of tc, or what
# an interface did not send.
Counter = collections.namedtuple("Counter", "node kind name", defaults=("",))


def nft(family, hook, rule):
    """A drop by nftables: the rule has a counter."""
    return [f"nft add table {family} t", f"nft add chain {family} t c {{ type filter hook {hook} priority 0; }}",
            f"nft add rule {family} t c {rule}"]


def at(node, *commands):
    return [(node, command) for command in commands]


def to(dest, *words):
    """To an address, or of a described packet."""
    return [dest, *words]


SOCKET = ("--sink-socket", "--rcvbuf", "16M")
OF_NFT = Counter("r", "nft")
IP4 = f"ip4(dst={NEAR4})/udp(dport=9)"


def mib(node, name):
    return Counter(node, "mib", name)


CASES = [
    # Routes
    Case("no route", "r", "no route", [], to(FAR4), mib("r", "IpExtInNoRoutes"), "IP_INNOROUTES", "r:ega"),
    Case("blackhole route", "r", "ip route", at("r", f"ip route add blackhole {FAR4}"), to(FAR4), ALL,
         "ROUTE_BLACKHOLE", "r:ega"),
    Case("unreachable route", "r", "ip route", at("r", f"ip route add unreachable {FAR4}"), to(FAR4), ALL,
         "ROUTE_UNREACHABLE", "r:ega"),
    Case("prohibit route", "r", "ip route", at("r", f"ip route add prohibit {FAR4}"), to(FAR4), ALL,
         "ROUTE_PROHIBIT", "r:ega"),
    Case("no IPv6 route", "r", "no route", [], to(LOST6), mib("r", "Ip6InNoRoutes"), "IP_INNOROUTES", "r:ega"),
    Case("IPv6 blackhole route", "r", "ip route", at("r", f"ip -6 route add blackhole {LOST6}"), to(LOST6), ALL,
         "ROUTE_BLACKHOLE", "r:ega"),
    Case("IPv6 unreachable route", "r", "ip route", at("r", f"ip -6 route add unreachable {LOST6}"), to(LOST6), ALL,
         "ROUTE_UNREACHABLE", "r:ega"),
    Case("IPv6 prohibit route", "r", "ip route", at("r", f"ip -6 route add prohibit {LOST6}"), to(LOST6), ALL,
         "ROUTE_PROHIBIT", "r:ega"),
    Case("forwarding is off", "r", "sysctl", at("r", "sysctl -qw net.ipv4.conf.ega.forwarding=0"), to(NEAR4), ALL,
         "IP_INADDRERRORS", "r:ega"),
    Case("source by the wrong way", "r", "rp_filter", at("r", "sysctl -qw net.ipv4.conf.ega.rp_filter=1"),
         to(NEAR4, "--src-ip", "198.19.0.77"), mib("r", "IPReversePathFilter"), "IP_RPFILTER", "r:ega"),
    Case("martian source", "r", "the packet", [], to(NEAR4, "--src-ip", "127.0.0.1"), ALL, "IP_LOCALNET", "r:ega"),
    Case("TTL 1", "r", "the packet", [], to(NEAR4, "--ttl", "1"), mib("r", "IpInHdrErrors"), "IP_INHDR", "r:ega"),
    Case("TTL 1 in every third", "r", "the packet", [], to(f"ip4(dst={NEAR4},ttl=1-3)/udp(dport=9)"), 337, "IP_INHDR",
         "r:ega"),
    Case("hop limit 1", "r", "the packet", [], to(FAR6, "--ttl", "1"), mib("r", "Ip6InHdrErrors"), "IP_INHDR", "r:ega"),
    Case("MTU with DF", "r", "ip link", at("r", "ip link set egb mtu 1000"),
         to(f"ip4(dst={NEAR4},df=1)/udp(dport=9)", "--frame-bytes", "1400"), mib("r", "IpFragFails"), "PKT_TOO_BIG",
         "r:ega"),
    Case("MTU, IPv6", "r", "ip link", at("r", "ip link set egb mtu 1300"), to(FAR6, "--frame-bytes", "1400"),
         mib("r", "Ip6InTooBigErrors"), "PKT_TOO_BIG", "r:eg[ab]"),
    Case("no neighbour", "r", "no such host", [], to("198.19.0.77"), ALL, "NEIGH_", "r:egb"),
    Case("no IPv6 neighbour", "r", "no such host", [], to("2001:2:0:1::77"), ALL, "NEIGH_|NOT_SPECIFIED", "r:egb"),
    # Headers
    Case("wrong IP checksum", "r", "the packet", [], to(f"ip4(dst={NEAR4},sum=0x1234)/udp(dport=9)"),
         mib("r", "IpExtInCsumErrors"), "IP_CSUM", "r:ega"),
    Case("another's MAC", "r", "the packet", [], to(NEAR4, "--dst-mac", "02:e9:00:00:00:77"), ALL, "OTHERHOST", "r:ega"),
    Case("unknown VLAN", "r", "the packet", [], to(f"eth/vlan(7)/{IP4}"), ALL, "OTHERHOST", "r:ega"),
    Case("unknown EtherType", "r", "the packet", [], to(f"eth(type=0x88b5)/{IP4}"), ALL, "UNHANDLED_PROTO", "r:ega"),
    Case("fragments without their rest", "b", "the packet", at(
        "b", "sysctl -qw net.ipv4.ipfrag_time=1", "sysctl -qw net.ipv4.ipfrag_max_dist=0",
        "sysctl -qw net.ipv4.ipfrag_high_thresh=33554432"),
         to(f"ip4(dst={NEAR4},mf=1,id=0-65535)/udp(dport=9)", "--frame-bytes", "78", *SOCKET, "--wait", "3s"),
         mib("b", "IpReasmTimeout"), "FRAG_REASM_TIMEOUT", "b:eg0"),
    Case("fragments with one identification", "b", "the packet", at("b", "sysctl -qw net.ipv4.ipfrag_time=1"),
         to(f"ip4(dst={NEAR4},mf=1)/udp(dport=9)", "--frame-bytes", "78", *SOCKET, "--wait", "3s"), ALL,
         "DUP_FRAG|FRAG_REASM_TIMEOUT", "b:eg0"),
    # Firewalls
    Case("nft, prerouting", "r", "nft", at("r", *nft("ip", "prerouting", "udp dport 9 counter drop")), to(NEAR4), OF_NFT,
         "NETFILTER_DROP", "r:ega"),
    Case("nft, forward", "r", "nft", at("r", *nft("ip", "forward", "udp dport 9 counter drop")), to(NEAR4), OF_NFT,
         "NETFILTER_DROP", "r:ega"),
    Case("nft, forward, one in three", "r", "nft", at("r", *nft(
        "ip", "forward", "udp dport 9 numgen inc mod 3 0 counter drop")), to(NEAR4), OF_NFT, "NETFILTER_DROP", "r:ega"),
    Case("nft, forward, beyond a rate", "r", "nft", at("r", *nft(
        "ip", "forward", "udp dport 9 limit rate over 5000/second counter drop")), to(NEAR4), OF_NFT, "NETFILTER_DROP",
         "r:ega"),
    Case("nft, IPv6", "r", "nft", at("r", *nft("ip6", "forward", "udp dport 9 counter drop")), to(FAR6), OF_NFT,
         "NETFILTER_DROP", "r:ega"),
    Case("nft, reject", "r", "nft", at("r", *nft("ip", "forward", "udp dport 9 counter reject")), to(NEAR4), OF_NFT,
         "NETFILTER_DROP", "r:ega"),
    Case("nft, postrouting", "r", "nft", at("r", *nft("ip", "postrouting", "udp dport 9 counter drop")), to(NEAR4),
         OF_NFT, "NETFILTER_DROP", "r:eg[ab]"),
    Case("nft, ingress", "r", "nft", at("r", "nft add table netdev t",
                                        "nft add chain netdev t c { type filter hook ingress device ega priority 0; }",
                                        "nft add rule netdev t c udp dport 9 counter drop"), to(NEAR4), OF_NFT,
         "NETFILTER_DROP", "r:ega"),
    Case("nft, input", "b", "nft", at("b", *nft("ip", "input", "udp dport 9 counter drop")), to(NEAR4, *SOCKET),
         Counter("b", "nft"), "NETFILTER_DROP", "b:eg0"),
    Case("conntrack, invalid", "r", "nft", at("r", *nft(
        "ip", "forward", "udp dport 9 ct state invalid counter drop")),
         to(f"ip4(dst={NEAR4})/udp(dport=9,sum=0x1234)", *SOCKET), OF_NFT, "NETFILTER_DROP", "r:ega"),
    # Queues and links
    Case("full tbf", "r", "tc", at("r", "tc qdisc add dev egb root tbf rate 1mbit burst 2000 limit 3000"), to(NEAR4),
         Counter("r", "qdisc", "egb"), "QDISC_DROP", "r:egb"),
    Case("full htb", "r", "tc", at("r", "tc qdisc add dev egb root handle 1: htb default 1",
                                   "tc class add dev egb parent 1: classid 1:1 htb rate 2mbit",
                                   "tc qdisc add dev egb parent 1:1 pfifo limit 20"), to(NEAR4),
         Counter("r", "qdisc", "egb"), "QDISC_DROP", "r:egb"),
    Case("BPF at tc, ingress", "r", "cls_bpf", at("r", "tc qdisc add dev ega clsact",
                                                  "tc filter add dev ega ingress bpf da obj {obj} sec tc/drop"),
         to(NEAR4), ALL, "TC_INGRESS", "r:ega"),
    Case("BPF at tc, egress", "r", "cls_bpf", at("r", "tc qdisc add dev egb clsact",
                                                 "tc filter add dev egb egress bpf da obj {obj} sec tc/drop"),
         to(NEAR4), ALL, "TC_EGRESS", "r:egb"),
    Case("far end is down", "r", "ip link", at("b", "ip link set eg0 down"), to(NEAR4), Counter("r", "dropped", "egb"),
         "QDISC_DROP", "r:egb"),
    # XDP
    Case("XDP_DROP", "r", "XDP", at("r", "ip link set ega xdp off", "ip link set ega xdp obj {obj} sec xdp/drop"),
         to(NEAR4), ALL, "XDP_DROP", "r:ega"),
    Case("XDP_ABORTED", "r", "XDP", at("r", "ip link set ega xdp off", "ip link set ega xdp obj {obj} sec xdp/abort"),
         to(NEAR4), ALL, "ABORTED", "r:ega"),
    Case("XDP_REDIRECT to nothing", "r", "XDP", at("r", "ip link set ega xdp off",
                                                   "ip link set ega xdp obj {obj} sec xdp/redirect"), to(NEAR4), ALL,
         "REDIRECT", "r:ega"),
    Case("XDP_DROP, generic", "b", "XDP", at("b", "ip link set eg0 xdp off",
                                             "ip link set eg0 xdpgeneric obj {obj} sec xdp/drop"),
         to(NEAR4, *SOCKET), ALL, "XDP", "b:eg0"),
    # Sockets
    Case("no listener", "b", "no socket", [], to(NEAR4, "--sink-socket"), mib("b", "UdpNoPorts"),
         "NO_SOCKET", "b:eg0", sink="lo"),
    Case("no listener, IPv6", "b", "no socket", [], to(FAR6, "--sink-socket"),
         mib("b", "Udp6NoPorts"), "NO_SOCKET", "b:eg0", sink="lo"),
    Case("full socket", "b", "--rcvbuf", [], to(NEAR4, "--sink-socket", "--rcvbuf", "2304", "--rate", "max"),
         mib("b", "UdpRcvbufErrors"), "SOCKET_RCVBUFF", "b:eg0"),
    Case("wrong UDP checksum", "b", "the packet", [],
         to(f"ip4(dst={NEAR4})/udp(dport=9,sum=0x1234)", *SOCKET), mib("b", "UdpInCsumErrors"), "UDP_CSUM", "b:eg0"),
    Case("unknown protocol", "b", "the packet", [],
         to(f"ip4(dst={NEAR4},proto=253)/udp(dport=9)", "--sink-socket"),
         mib("b", "IpInUnknownProtos"), "IP_NOPROTO", "b:eg0", sink="lo"),
    # NAT and tunnels
    Case("NAT to a port without listener", "b", "nft", at(
        "r", "nft add table ip t", "nft add chain ip t c { type nat hook prerouting priority -100; }",
        f"nft add rule ip t c udp dport 9 dnat to {NEAR4}:99"), to(NEAR4, *SOCKET), mib("b", "UdpNoPorts"), "NO_SOCKET",
         "b:eg0"),
    Case("full tbf around VXLAN", "r", "tc", at(
        "r", f"ip link add vx0 type vxlan id 77 local 198.19.0.254 remote {NEAR4} dstport 4789 dev egb",
        "ip addr add 10.77.0.1/30 dev vx0", "ip link set vx0 up",
        "ip neigh add 10.77.0.2 lladdr 02:e9:00:00:77:02 dev vx0", f"ip route add {FAR4} via 10.77.0.2 dev vx0",
        "tc qdisc add dev egb root tbf rate 2mbit burst 2000 limit 3000") + at(
            "b", f"ip link add vx0 type vxlan id 77 local {NEAR4} remote 198.19.0.254 dstport 4789 dev eg0",
            "ip link set vx0 address 02:e9:00:00:77:02 up", f"ip addr add {FAR4}/32 dev vx0"),
         to(FAR4, *SOCKET), Counter("r", "qdisc", "egb"),
         "QDISC_DROP", "r:egb", sink="vx0"),
    # Bridges
    Case("isolated ports", "r", "bridge", at(
        "r", *(f"bridge link set dev {port} isolated on" for port in ("ega", "egb"))), to(BRIDGED), ALL, ".", "r:ega", "bridge"),
    Case("unknown station, no flooding", "r", "bridge", at("r", "bridge link set dev egb flood off"),
         to(BRIDGED, "--dst-mac", "02:e9:00:00:00:77"), ALL, "NO_TX_TARGET", "r:ega", "bridge"),
    Case("nft at a bridge", "r", "nft", at("r", *nft("bridge", "forward", "udp dport 9 counter drop")),
         to(BRIDGED), OF_NFT, "NETFILTER_DROP", "r:eg[ab]", "bridge"),
    # Policies
    Case("IPsec policy", "r", "ip xfrm", at(
        "r", "ip xfrm policy add dst 198.19.0.0/24 dir fwd action block"), to(NEAR4),
         mib("r", "XfrmInPolBlock"), "XFRM_POLICY", "r:ega"),
]
