/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lib/theory.h - theoretical limits of an Ethernet link, computed only. docs/theory.md derives each
 * formula.
 */
#ifndef LIB_THEORY_H
#define LIB_THEORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define THEORY_TIMESTAMPS_BYTES	12	/* the TCP option in every segment, RFC 7323, padded */
#define THEORY_IP4_MIN_MTU	68	/* RFC 791 */
#define THEORY_IP6_MIN_MTU	1280	/* RFC 8200 5 */

enum theory_tunnel {
	THEORY_NO_TUNNEL,
	THEORY_IPIP,		/* RFC 2003; sit, ip6tnl */
	THEORY_GRE,		/* RFC 2784, no key */
	THEORY_GRETAP,		/* Ethernet in GRE */
	THEORY_VXLAN,		/* RFC 7348 */
	THEORY_GENEVE,		/* RFC 8926, no options */
	THEORY_WIREGUARD,
	THEORY_NR_TUNNELS
};

/* Choices in the order of the names: false and true of half_duplex. */
extern const char *const theory_duplexes[];

struct theory_path {
	double link_bps;	/* on the wire: L1 */
	bool half_duplex;	/* both directions share link_bps; collisions are not modelled */
	uint32_t mtu;		/* of the link, without Ethernet header and tags */
	uint32_t vlan_tags;	/* 4 bytes each, in addition to the MTU */
	enum theory_tunnel tunnel;
	bool outer_ip6;		/* IP version of the tunnel's outer header */
};

struct theory_stack {
	bool tcp;		/* else UDP */
	bool ip6;
	uint32_t options_bytes;	/* in every TCP segment */
};

/* Bytes of the frame on the wire: IP packet, Ethernet header, tags, FCS, preamble and gap. */
uint32_t theory_wire_bytes(const struct theory_path *path, uint32_t packet_bytes);

/* Frames per second, for @frame_bytes with FCS and tags (RFC 2544 appendix B). */
double theory_frame_pps(double link_bps, uint32_t frame_bytes);

/* By how much @path's tunnel reduces the MTU. */
uint32_t theory_tunnel_bytes(const struct theory_path *path);

/* Maximum payload of one packet; 0: the MTU is too small. */
uint32_t theory_payload_bytes(const struct theory_path *path, const struct theory_stack *stack);

/*
 * Payload of one direction as a share of the link's bits, in full packets; 0 as above. On a
 * half-duplex link TCP's acknowledgements take their share: one for two segments (RFC 5681 4.2).
 */
double theory_goodput_ratio(const struct theory_path *path, const struct theory_stack *stack);

/* The same of both directions together, with data in each, which acknowledges that of the other. */
double theory_both_ways_ratio(const struct theory_path *path, const struct theory_stack *stack);

enum theory_transaction_kind { THEORY_UDP_RR, THEORY_TCP_RR, THEORY_TCP_CRR };

struct theory_frame {
	const char *what;
	bool back;		/* sent by the responder */
	uint32_t nr;		/* this many identical ones */
	uint32_t payload_bytes, wire_bytes;
};

#define THEORY_MAX_FRAMES 16

struct theory_transaction {
	struct theory_frame frames[THEORY_MAX_FRAMES];
	size_t nr;
	uint64_t forth_wire_bytes, back_wire_bytes;
	double per_s;
};

/*
 * The frames of one transaction in sequence without a pause, and how many of them the link
 * carries. -EMSGSIZE: exceeds a UDP datagram or the MTU.
 */
int theory_transact(const struct theory_path *path, const struct theory_stack *stack,
		    enum theory_transaction_kind kind, uint32_t request_bytes,
		    uint32_t response_bytes, struct theory_transaction *ret_transaction);

/* Bytes in flight at @bps with @rtt_ns. */
double theory_bdp_bytes(double bps, double rtt_ns);

/* The rate of payload that a window allows, at most @goodput_bps. */
double theory_window_bps(double goodput_bps, double window_bytes, double rtt_ns);

/* RFC 6349 4.2: share of the bytes sent that were not retransmissions; NAN if none were sent. */
double theory_tcp_efficiency(uint64_t sent_bytes, uint64_t retransmitted_bytes);

/* RFC 6349 4.3: increase of the round trip under load, relative to the idle one. */
double theory_buffer_delay(double loaded_ns, double idle_ns);

/* The smallest window scale (RFC 7323) that can express this window; at most 14. */
unsigned int theory_window_scale(double window_bytes);

#endif
