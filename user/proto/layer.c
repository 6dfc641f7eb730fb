// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * proto/layer.c - the protocols of packet descriptions.
 *
 * Numbers are IANA's and IEEE's; layouts are from the RFC in each title.
 */
#include "proto/layer.h"

#include <string.h>

#define MAC(NAME, BIT, FILL, HELP) { NAME, HELP, BIT, 48, LAYER_MAC, FILL }
#define NUM(NAME, BIT, BITS, VALUE, HELP) \
	{ NAME, HELP, BIT, BITS, LAYER_NUMBER, FILL_DEFAULT, .value = VALUE }
#define AUTO(NAME, BIT, BITS, FILL, HELP) { NAME, HELP, BIT, BITS, LAYER_NUMBER, FILL }
#define FLAG(NAME, BIT, VALUE, HELP) \
	{ NAME, HELP, BIT, 1, LAYER_FLAG, FILL_DEFAULT, .value = VALUE }
#define OPTION(NAME, TYPE, BITS, OPT, HELP) \
	{ NAME, HELP, 0, BITS, TYPE, FILL_OPTION, .option = OPT }
#define END { .name = NULL }

#define BEHIND_ETHER "llc", "vlan", "dot1ad", "mpls", "arp", "ip4", "ip6", "hex", "text"
#define BEHIND_IP "ip4", "ip6", "gre", "udp", "tcp", "icmp", "sctp", "hex", "text"
#define BEHIND_IP6 BEHIND_IP, "icmp6", "ns", "na", "mld", "hbh", "dstopt", "routing", "frag"

static const char *const payload[] = { "hex", "text", NULL };
static const char *const ether[] = { BEHIND_ETHER, NULL };
static const char *const vlan[] = { BEHIND_ETHER, NULL };
static const char *const llc[] = { "snap", "hex", "text", NULL };
static const char *const snap[] = { "arp", "ip4", "ip6", "hex", "text", NULL };
static const char *const mpls[] = { "mpls", "ip4", "ip6", "eth", "hex", "text", NULL };
static const char *const ip4[] = { BEHIND_IP, "igmp", NULL };
static const char *const ip6[] = { BEHIND_IP6, NULL };
static const char *const gre[] = { "ip4", "ip6", "eth", "arp", "mpls", "hex", "text", NULL };
static const char *const udp[] = { "vxlan", "hex", "text", NULL };
static const char *const vxlan[] = { "eth", NULL };

static const struct layer_word arp_words[] = { { "request", 1 }, { "reply", 2 }, { NULL, 0 } };
static const struct layer_word tcp_letters[] = {
	{ "F", 1 }, { "S", 2 }, { "R", 4 }, { "P", 8 }, { "A", 16 }, { "U", 32 }, { "E", 64 },
	{ "C", 128 }, { NULL, 0 },
};
static const struct layer_word icmp_words[] = {
	{ "echo-reply", 0 }, { "unreachable", 3 }, { "redirect", 5 }, { "echo", 8 },
	{ "time-exceeded", 11 }, { "timestamp", 13 }, { NULL, 0 },
};
static const struct layer_word icmp6_words[] = {
	{ "unreachable", 1 }, { "too-big", 2 }, { "time-exceeded", 3 }, { "echo", 128 },
	{ "echo-reply", 129 }, { "rs", 133 }, { "ra", 134 }, { NULL, 0 },
};
static const struct layer_word igmp_words[] = {
	{ "query", 0x11 }, { "report", 0x16 }, { "leave", 0x17 }, { "report1", 0x12 },
	{ "report3", 0x22 }, { NULL, 0 },
};
static const struct layer_word mld_words[] = {
	{ "query", 130 }, { "report", 131 }, { "done", 132 }, { NULL, 0 },
};

static const struct layer_field eth_fields[] = {
	{ "dst", "destination address", 0, 48, LAYER_MAC, FILL_DST_MAC },
	MAC("src", 48, FILL_SRC_MAC, "source address"),
	AUTO("type", 96, 16, FILL_NEXT, "EtherType; the length, before llc"),
	END
};

static const struct layer_field llc_fields[] = {
	AUTO("dsap", 0, 8, FILL_NEXT, "destination service access point"),
	AUTO("ssap", 8, 8, FILL_NEXT, "source service access point"),
	NUM("control", 16, 8, 3, "control field"),
	END
};

static const struct layer_field snap_fields[] = {
	NUM("oui", 0, 24, 0, "organization"),
	AUTO("type", 24, 16, FILL_NEXT, "EtherType"),
	END
};

static const struct layer_field vlan_fields[] = {
	NUM("id", 4, 12, 1, "VLAN"),
	NUM("pcp", 0, 3, 0, "priority"),
	NUM("dei", 3, 1, 0, "drop eligible"),
	AUTO("type", 16, 16, FILL_NEXT, "EtherType"),
	END
};

static const struct layer_field mpls_fields[] = {
	NUM("label", 0, 20, 16, "label"),
	NUM("tc", 20, 3, 0, "traffic class"),
	AUTO("s", 23, 1, FILL_BOTTOM, "bottom of the stack"),
	NUM("ttl", 24, 8, 64, "time to live"),
	END
};

static const struct layer_field arp_fields[] = {
	{ "op", "request, reply or a number", 48, 16, LAYER_NUMBER, FILL_DEFAULT, .value = 1,
	  .words = arp_words },
	NUM("htype", 0, 16, 1, "hardware type"),
	NUM("ptype", 16, 16, 0x0800, "protocol type"),
	NUM("hlen", 32, 8, 6, "bytes of a hardware address"),
	NUM("plen", 40, 8, 4, "bytes of a protocol address"),
	MAC("sha", 64, FILL_SRC_MAC, "sender's MAC"),
	{ "spa", "sender's address", 112, 32, LAYER_IP4, FILL_SRC_IP },
	{ "tha", "target's MAC", 144, 48, LAYER_MAC, FILL_DEFAULT },
	{ "tpa", "target's address", 192, 32, LAYER_IP4, FILL_DST_IP },
	END
};

static const struct layer_field ip4_fields[] = {
	{ "dst", "destination", 128, 32, LAYER_IP4, FILL_DST_IP },
	{ "src", "source", 96, 32, LAYER_IP4, FILL_SRC_IP },
	NUM("version", 0, 4, 4, "version"),
	AUTO("ihl", 4, 4, FILL_HEADER, "header length in 4 bytes"),
	AUTO("dscp", 8, 6, FILL_DSCP, "differentiated services"),
	NUM("ecn", 14, 2, 0, "congestion notification"),
	AUTO("len", 16, 16, FILL_LENGTH, "total length"),
	NUM("id", 32, 16, 0, "identification: with df=0 it counts"),
	FLAG("rf", 48, 0, "the reserved flag"),
	FLAG("df", 49, 1, "don't fragment: set unless it is a fragment"),
	FLAG("mf", 50, 0, "more fragments"),
	NUM("frag", 51, 13, 0, "fragment offset in 8 bytes"),
	AUTO("ttl", 64, 8, FILL_TTL, "time to live"),
	AUTO("proto", 72, 8, FILL_NEXT, "protocol"),
	AUTO("sum", 80, 16, FILL_SUM, "header checksum"),
	OPTION("options", LAYER_HEX, 0, LAYER_OPT_HEX, "options in hex, padded to 4 bytes"),
	END
};

static const struct layer_field ip6_fields[] = {
	{ "dst", "destination", 192, 128, LAYER_IP6, FILL_DST_IP },
	{ "src", "source", 64, 128, LAYER_IP6, FILL_SRC_IP },
	NUM("version", 0, 4, 6, "version"),
	AUTO("dscp", 4, 6, FILL_DSCP, "differentiated services"),
	NUM("ecn", 10, 2, 0, "congestion notification"),
	NUM("flow", 12, 20, 0, "flow label"),
	AUTO("len", 32, 16, FILL_LENGTH, "payload length"),
	AUTO("next", 48, 8, FILL_NEXT, "next header"),
	AUTO("hop", 56, 8, FILL_TTL, "hop limit"),
	END
};

static const struct layer_field extension_fields[] = {
	OPTION("options", LAYER_HEX, 0, LAYER_OPT_HEX, "options in hex, padded by PadN to 8 bytes"),
	AUTO("next", 0, 8, FILL_NEXT, "next header"),
	AUTO("len", 8, 8, FILL_HEADER, "header length in 8 bytes, without the first"),
	END
};

static const struct layer_field routing_fields[] = {
	NUM("type", 16, 8, 253, "routing type; 4: segments, 253: experiment"),
	AUTO("next", 0, 8, FILL_NEXT, "next header"),
	AUTO("len", 8, 8, FILL_HEADER, "header length in 8 bytes, without the first"),
	NUM("left", 24, 8, 0, "segments left"),
	OPTION("data", LAYER_HEX, 0, LAYER_OPT_HEX, "what follows in hex, padded with 0 to 8 bytes"),
	END
};

static const struct layer_field frag_fields[] = {
	NUM("offset", 16, 13, 0, "fragment offset in 8 bytes"),
	AUTO("next", 0, 8, FILL_NEXT, "next header"),
	FLAG("mf", 31, 0, "more fragments"),
	NUM("id", 32, 32, 1, "identification"),
	END
};

static const struct layer_field gre_fields[] = {
	AUTO("proto", 16, 16, FILL_NEXT, "EtherType of what is inside"),
	{ "c", "checksum present", 0, 1, LAYER_NUMBER, FILL_PRESENT, .option = LAYER_OPT_GRE_SUM },
	{ "k", "key present", 2, 1, LAYER_NUMBER, FILL_PRESENT, .option = LAYER_OPT_GRE_KEY },
	{ "s", "sequence present", 3, 1, LAYER_NUMBER, FILL_PRESENT, .option = LAYER_OPT_GRE_SEQ },
	NUM("version", 13, 3, 0, "version"),
	OPTION("sum", LAYER_FLAG, 16, LAYER_OPT_GRE_SUM, "with a checksum; 0: without, above 1: "
			"this one"),
	OPTION("key", LAYER_NUMBER, 32, LAYER_OPT_GRE_KEY, "with this key"),
	OPTION("seq", LAYER_NUMBER, 32, LAYER_OPT_GRE_SEQ, "with this sequence number"),
	END
};

static const struct layer_field udp_fields[] = {
	AUTO("dport", 16, 16, FILL_DST_PORT, "destination port"),
	AUTO("sport", 0, 16, FILL_SRC_PORT, "source port"),
	AUTO("len", 32, 16, FILL_LENGTH, "length"),
	AUTO("sum", 48, 16, FILL_SUM, "checksum; 0: none"),
	END
};

static const struct layer_field vxlan_fields[] = {
	NUM("vni", 32, 24, 1, "network identifier"),
	NUM("flags", 0, 8, 8, "flags"),
	END
};

static const struct layer_field tcp_fields[] = {
	AUTO("dport", 16, 16, FILL_DST_PORT, "destination port"),
	AUTO("sport", 0, 16, FILL_SRC_PORT, "source port"),
	NUM("seq", 32, 32, 1, "sequence number"),
	NUM("ack", 64, 32, 0, "acknowledgement number"),
	AUTO("off", 96, 4, FILL_HEADER, "data offset in 4 bytes"),
	{ "flags", "letters of FSRPAUEC, or a number", 104, 8, LAYER_FLAGS, FILL_DEFAULT, .value = 2,
	  .words = tcp_letters },
	NUM("win", 112, 16, 65535, "window"),
	AUTO("sum", 128, 16, FILL_SUM, "checksum"),
	NUM("urg", 144, 16, 0, "urgent pointer"),
	OPTION("mss", LAYER_NUMBER, 16, LAYER_OPT_TCP_MSS, "option: maximum segment size"),
	OPTION("ws", LAYER_NUMBER, 8, LAYER_OPT_TCP_WS, "option: window scale"),
	OPTION("sackok", LAYER_FLAG, 1, LAYER_OPT_TCP_SACKOK, "option: selective acknowledgement"),
	OPTION("ts", LAYER_NUMBER, 64, LAYER_OPT_TCP_TS, "option: timestamps, value and echo in 64 bits"),
	OPTION("options", LAYER_HEX, 0, LAYER_OPT_HEX, "further options in hex"),
	END
};

static const struct layer_field icmp_fields[] = {
	{ "type", "echo, echo-reply, unreachable, time-exceeded, ... or a number", 0, 8, LAYER_NUMBER,
	  FILL_DEFAULT, .value = 8, .words = icmp_words },
	NUM("code", 8, 8, 0, "code"),
	AUTO("sum", 16, 16, FILL_SUM, "checksum"),
	NUM("id", 32, 16, 1, "identifier of an echo"),
	NUM("seq", 48, 16, 1, "sequence number of an echo"),
	END
};

static const struct layer_field icmp6_fields[] = {
	{ "type", "echo, echo-reply, unreachable, too-big, rs, ra, ... or a number", 0, 8,
	  LAYER_NUMBER, FILL_DEFAULT, .value = 128, .words = icmp6_words },
	NUM("code", 8, 8, 0, "code"),
	AUTO("sum", 16, 16, FILL_SUM, "checksum"),
	NUM("id", 32, 16, 1, "identifier of an echo"),
	NUM("seq", 48, 16, 1, "sequence number of an echo"),
	END
};

static const struct layer_field ns_fields[] = {
	{ "target", "the solicited address", 64, 128, LAYER_IP6, FILL_DST_IP },
	NUM("type", 0, 8, 135, "type"),
	NUM("code", 8, 8, 0, "code"),
	AUTO("sum", 16, 16, FILL_SUM, "checksum"),
	OPTION("lladdr", LAYER_MAC, 48, LAYER_OPT_ND_SOURCE, "option: source link-layer address"),
	END
};

static const struct layer_field na_fields[] = {
	{ "target", "the advertised address", 64, 128, LAYER_IP6, FILL_SRC_IP },
	NUM("type", 0, 8, 136, "type"),
	NUM("code", 8, 8, 0, "code"),
	AUTO("sum", 16, 16, FILL_SUM, "checksum"),
	FLAG("router", 32, 0, "the sender is a router"),
	FLAG("solicited", 33, 0, "in response to a solicitation"),
	FLAG("override", 34, 1, "overrides existing entries"),
	OPTION("lladdr", LAYER_MAC, 48, LAYER_OPT_ND_TARGET, "option: target link-layer address"),
	END
};

static const struct layer_field igmp_fields[] = {
	{ "type", "query, report (version 2), leave, report1, report3, or a number", 0, 8, LAYER_NUMBER, FILL_DEFAULT,
	  .value = 0x16, .words = igmp_words },
	NUM("resp", 8, 8, 0, "maximum response time in 0.1 s"),
	AUTO("sum", 16, 16, FILL_SUM, "checksum"),
	{ "group", "multicast group", 32, 32, LAYER_IP4, FILL_DST_IP },
	END
};

static const struct layer_field mld_fields[] = {
	{ "type", "query, report (version 1), done, or a number", 0, 8, LAYER_NUMBER, FILL_DEFAULT,
	  .value = 131, .words = mld_words },
	NUM("code", 8, 8, 0, "code"),
	AUTO("sum", 16, 16, FILL_SUM, "checksum"),
	NUM("resp", 32, 16, 0, "maximum response delay in ms"),
	{ "group", "multicast group", 64, 128, LAYER_IP6, FILL_DST_IP },
	END
};

static const struct layer_field sctp_fields[] = {
	AUTO("dport", 16, 16, FILL_DST_PORT, "destination port"),
	AUTO("sport", 0, 16, FILL_SRC_PORT, "source port"),
	NUM("tag", 32, 32, 0, "verification tag"),
	AUTO("sum", 64, 32, FILL_SUM, "CRC32c"),
	END
};

static const struct layer_field hex_fields[] = {
	OPTION("data", LAYER_HEX, 0, LAYER_OPT_HEX, "an even number of hex digits"),
	END
};

static const struct layer_field text_fields[] = {
	OPTION("data", LAYER_TEXT, 0, LAYER_OPT_HEX, "\"...\" with \\r \\n \\t \\\" \\\\ \\xHH"),
	END
};

const struct layer_def layer_defs[] = {
	{ "eth", "Ethernet II, and 802.3 before llc", 14, SUM_NONE, 0, eth_fields, ether, 0x6558, -1 },
	{ "llc", "802.2 LLC", 3, SUM_NONE, 0, llc_fields, llc, -1, -1 },
	{ "snap", "SNAP", 5, SUM_NONE, 0, snap_fields, snap, -1, -1 },
	{ "vlan", "802.1Q tag", 4, SUM_NONE, 0, vlan_fields, vlan, 0x8100, -1 },
	{ "dot1ad", "802.1ad service tag (QinQ)", 4, SUM_NONE, 0, vlan_fields, vlan, 0x88a8, -1 },
	{ "mpls", "MPLS label (RFC 3032)", 4, SUM_NONE, 0, mpls_fields, mpls, 0x8847, 137 },
	{ "arp", "ARP (RFC 826)", 28, SUM_NONE, 0, arp_fields, payload, 0x0806, -1, true },
	{ "ip4", "IPv4 (RFC 791)", 20, SUM_HEADER, 10, ip4_fields, ip4, 0x0800, 4 },
	{ "ip6", "IPv6 (RFC 8200)", 40, SUM_NONE, 0, ip6_fields, ip6, 0x86dd, 41 },
	{ "hbh", "IPv6 hop-by-hop options", 2, SUM_NONE, 0, extension_fields, ip6, -1, 0 },
	{ "dstopt", "IPv6 destination options", 2, SUM_NONE, 0, extension_fields, ip6, -1, 60 },
	{ "routing", "IPv6 routing header", 4, SUM_NONE, 0, routing_fields, ip6, -1, 43 },
	{ "frag", "IPv6 fragment header", 8, SUM_NONE, 0, frag_fields, ip6, -1, 44 },
	{ "gre", "GRE (RFC 2784, 2890)", 4, SUM_ALL, 4, gre_fields, gre, -1, 47 },
	{ "vxlan", "VXLAN (RFC 7348)", 8, SUM_NONE, 0, vxlan_fields, vxlan, -1, -1 },
	{ "udp", "UDP (RFC 768)", 8, SUM_PSEUDO, 6, udp_fields, udp, -1, 17 },
	{ "tcp", "TCP (RFC 9293)", 20, SUM_PSEUDO, 16, tcp_fields, payload, -1, 6 },
	{ "icmp", "ICMP (RFC 792)", 8, SUM_ALL, 2, icmp_fields, payload, -1, 1 },
	{ "icmp6", "ICMPv6 (RFC 4443)", 8, SUM_PSEUDO, 2, icmp6_fields, payload, -1, 58 },
	{ "ns", "neighbour solicitation (RFC 4861)", 24, SUM_PSEUDO, 2, ns_fields, payload, -1, 58, true },
	{ "na", "neighbour advertisement (RFC 4861)", 24, SUM_PSEUDO, 2, na_fields, payload, -1, 58, true },
	{ "igmp", "IGMP (RFC 2236); version 3 with hex after it", 8, SUM_ALL, 2, igmp_fields, payload, -1, 2, true },
	{ "mld", "MLD version 1 (RFC 2710)", 24, SUM_PSEUDO, 2, mld_fields, payload, -1, 58, true },
	{ "sctp", "SCTP common header (RFC 9260)", 12, SUM_CRC32C, 8, sctp_fields, payload, -1, 132, true },
	{ "hex", "bytes", 0, SUM_NONE, 0, hex_fields, payload, -1, -1 },
	{ "text", "a line of text", 0, SUM_NONE, 0, text_fields, payload, -1, -1 },
	{ .name = NULL },
};

const struct layer_def *layer_find(const char *name)
{
	const struct layer_def *def;

	for (def = layer_defs; def->name; def++) {
		if (!strcmp(def->name, name))
			return def;
	}
	return NULL;
}
