/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/send/stream.h - the stream that blast and probe send, as people describe it.
 */
#ifndef ENGINE_SEND_STREAM_H
#define ENGINE_SEND_STREAM_H

#include "abi/tag.h"
#include "engine/send/tx.h"
#include "lib/err.h"
#include "lib/opt.h"
#include "lib/opt_rule.h"
#include "lib/unit.h"
#include "model/frame_vary.h"
#include "model/mix.h"
#include "sys/host/clock.h"

/* Choices of --rate-layer, in the order of enum frame_layer. */
extern const char *const stream_layer_names[];

enum stream_payload {		/* the bytes after the tag */
	STREAM_PAYLOAD_ZERO,
	STREAM_PAYLOAD_PATTERN,	/* abi/payload.h */
};

/* Choices of --payload, in the order of enum stream_payload. */
extern const char *const stream_payload_names[];

struct stream_opts {
	const char *ifname;		/* NULL: that of the route to dest */
	const char *dest;		/* an address, a name or a packet; NULL: the addresses are given */
	bool ip4, ip6;			/* dest has to be of this version */
	int engine;			/* enum tx_engine */
	uint32_t frame_bytes;
	uint64_t count;
	uint64_t duration_ns;
	struct unit_rate rate;
	int rate_layer;			/* enum frame_layer */
	uint32_t threads;
	uint32_t first_queue;
	uint32_t batch;
	uint32_t stamp_every;
	uint16_t first_stream, run;
	uint16_t port, src_port;
	uint16_t vlan, vlan_pcp;
	uint16_t dscp, ttl;
	struct opt_mac src_mac, dst_mac;
	const char *src_ip, *gateway;
	bool no_tag;
	int payload;			/* enum stream_payload */
	bool has_size;			/* frame_bytes was given */
	bool zero_copy;
	bool busy_poll;
	int clock;			/* enum stamp_clock */
	int tx_stamp;			/* enum tx_done */
	bool into_stack;
	uint32_t ports, src_ports;	/* values that change from packet to packet */
	uint32_t dests, sources;
	bool random;			/* a value by chance instead of the next */
	uint64_t seed;
};



/* Groups whose values are a struct stream_opts; the second is a part of the first. */
extern const struct opt stream_options[], stream_version_options[];

#define STREAM_RULES \
	{ OPT_AT_MOST_ONE, "ipv4 ipv6" }, \
	{ OPT_AT_MOST_ONE, "gateway dst-mac" }, \
	{ OPT_REQUIRES, "vlan-pcp", "vlan" }, \
	{ OPT_REQUIRES, "queue", "engine=afxdp|auto" }, \
	{ OPT_REQUIRES, "rate-layer", "rate=bit/s rate=%" }


/* What both verbs start from. */
#define STREAM_DEFAULTS \
	.frame_bytes = 64, .threads = 1, .stamp_every = 1, \
	.src_port = 49152,	/* first of the dynamic ports, RFC 6335 */ \
	.ttl = 64, .ports = 1, .src_ports = 1, .dests = 1, .sources = 1, .seed = 1

/*
 * Options against each other, the frame's size included; pure. A size that
 * was not given grows to the smallest that holds the headers and the tag. Where DEST
 * is a name, stream_find_target() does this when it has the address.
 */
int stream_check(struct stream_opts *opts, struct err *e);

/* What stream_find_target() found. */
struct stream_target {
	char ifname[16], dest[64];
};

/*
 * Resolves the name of DEST, and asks the kernel for the interface of its route, where one is not
 * given: that is entered into the environment of @res. @opts then points into @target.
 */
int stream_find_target(struct stream_opts *opts, struct stream_target *target, struct result *res,
		       struct err *e);

/* Its part that is of threads, queues and engines, and not of the frame. */
int stream_check_threads(const struct stream_opts *opts, struct err *e);

/* Packets a second for @rate at @layer; 0: as fast as it goes. */
int stream_pps(const struct unit_rate *rate, enum frame_layer layer,
	       const struct frame_spec *frame, uint64_t link_bps, double *ret_pps, struct err *e);

/* The interface is there and up, and has a carrier, which is waited for. */
struct nic_facts;
int stream_wait_link(const struct stream_opts *opts, struct nic_facts *ret_nic, struct err *e);

/* @l3_bytes: of @frame_bytes, what an MTU limits. */
int stream_check_mtu(const char *ifname, uint32_t mtu, uint32_t frame_bytes, uint32_t l3_bytes,
		     struct err *e);

/* What a packet says itself, beside its destination. */
enum stream_known { STREAM_KNOWN_DST_MAC = 1, STREAM_KNOWN_SRC_IP = 2 };

struct stream_ends {
	uint8_t src_mac[6], dst_mac[6];	/* the latter all 0 where the packet says it */
	struct frame_addr src;		/* family 0: not asked for */
};

/*
 * What options, interface, route and neighbour say of packets to @dst (family 0: to none).
 * Packets may go out for that: the neighbour's address is asked for.
 */
int stream_find_ends(const struct stream_opts *opts, const struct nic_facts *nic,
		     const struct frame_addr *dst, enum stream_known known,
		     struct stream_ends *ret_ends, struct err *e);

/* What the options say of engines and limits; nothing of packets. */
struct tx_cfg stream_cfg(const struct stream_opts *opts);

/* One stream to DEST, ready to be made for a sender. */
struct stream_plan {
	struct tx_cfg tx;		/* but for its mix */
	struct frame_spec frame;	/* its stream is that of thread 0; the others' follow it */
	struct frame_vary vary;
	uint64_t count;			/* packets of all threads together; 0: no limit */
	double pps;			/* of all threads together; 0: as fast as it goes */
	uint32_t stamp_every;		/* the time in one tag of N; at least 1 */
};

/*
 * Asks interface, route and neighbour for what was not given. Packets may go
 * out for that: the neighbour's address is asked for.
 */
int stream_prepare(const struct stream_opts *opts, struct stream_plan *ret_plan, struct err *e);

/* The same but for the rate. */
int stream_resolve(const struct stream_opts *opts, struct nic_facts *ret_nic,
		   struct stream_plan *ret_plan, struct err *e);

/* The packet of thread @i. */
int stream_packet_of(const struct stream_plan *plan, uint32_t i, struct packet *ret_packet,
		     struct err *e);

/* Of tx.threads parts, one a thread: to be freed by mix_free(). */
int stream_mix(const struct stream_plan *plan, struct mix **ret_mix, struct err *e);

/* The addresses that were found, into the environment of @res. */
void stream_describe(const struct frame_spec *frame, struct result *res);

#endif
