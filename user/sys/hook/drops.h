/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/hook/drops.h - where and why the kernel drops a test's packets, by its tracepoints, for all
 * network namespaces of this host.
 */
#ifndef SYS_HOOK_DROPS_H
#define SYS_HOOK_DROPS_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/drops.h"
#include "lib/err.h"

struct drops;

/* Loads and attaches; the test's packets are counted from then on. */
int drops_open(struct drops **ret_drops, const struct drops_cfg *cfg, struct err *e);
void drops_close(struct drops *drops);		/* takes NULL */

/* Maps that the receiver's own program shares, to note what it received. */
struct drops_maps {
	int seen_fd, taken_back_fd;
};

struct drops_maps drops_maps(const struct drops *drops);

/*
 * A packet was received by a socket: what its program notes in the maps for an XDP receiver. Called by
 * one thread, and not while drops_list() runs.
 */
void drops_note_received(struct drops *drops, uint16_t stream, uint32_t sequence);

/* Whether the tracepoints of this kind are available in this kernel. */
bool drops_has(const struct drops *drops, enum drop_kind kind);

/* Summed over all CPUs. */
void drops_read(const struct drops *drops, struct drop_sum *ret_sum);

/*
 * Drops, of any packet, that occurred while another one was being counted on the same CPU (5.12).
 */
uint64_t drops_missed(const struct drops *drops);

/* What decides how a drop is accounted for; the names of a place are for display only. */
enum drop_class {
	DROP_OTHER,
	DROP_BY_XDP,		/* verdict of an XDP program on an skb */
	DROP_BY_FILTER,		/* netfilter */
	DROP_OF_TAP,		/* the copy for a packet socket; the packet itself went on */
};

struct drop_place {
	enum drop_kind kind;
	enum drop_class class;
	char symbol[64];	/* function of the kernel, or its address; "" if not of this kind */
	char reason[64];	/* "NO_SOCKET"; "" on kernels that do not report it */
	char ifname[DROP_NAME_BYTES];	/* "" if unknown */
	uint32_t ifindex, netns;	/* 0: unknown */
	uint64_t packets;
	uint64_t taken_back;	/* of these: a copy went on, and was received or dropped elsewhere */
};

/* Calls @fn for each location that dropped packets. Requires CAP_BPF before kernel 5.19. */
int drops_list(struct drops *drops, void (*fn)(void *ctx, const struct drop_place *place),
	       void *ctx, struct err *e);

#endif
