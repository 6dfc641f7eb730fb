/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/impair/impair_parts.h - declarations shared by impair.c, which runs, and impair_report.c,
 * which reports. Only these two include it.
 */
#ifndef ENGINE_IMPAIR_IMPAIR_PARTS_H
#define ENGINE_IMPAIR_IMPAIR_PARTS_H

#include <net/if.h>

#include "engine/impair/impair.h"
#include "engine/send/companion.h"

struct ring_buffer;
struct impair_xdp_bpf;
struct impair_tc_bpf;

/* One direction. */
struct impair_side {
	char ifname[IF_NAMESIZE];	/* where packets are seen */
	int ifindex, out_ifindex;
	uint64_t link_bps;		/* 0: unknown */
	uint32_t mtu;
	struct impair_xdp_bpf *xdp;	/* one of the two is set */
	struct impair_tc_bpf *tc;
	struct xdp_port *xdp_port;
	struct tc_port *tc_port;
	struct companion *companion;
	struct bump *bump;		/* NULL: no rule delays packets */
	struct ring_buffer *events;
	struct impair_rec *recs;	/* mapped; one per CPU */
	size_t recs_bytes;
	bool impaired, to_user;
	bool open_checksums;		/* senders leave them to a NIC that this interface has not */
	int promisc_fd;			/* -1: none */
};

struct impair {
	struct impair_cfg cfg;
	struct result *res;
	unsigned int nr_sides;		/* 2: between two interfaces */
	struct impair_side sides[2];
	uint64_t row_elapsed_ns;
	struct impair_count row;	/* totals at the previous row */
};

#endif
