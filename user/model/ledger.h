/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model/ledger.h - account for every packet of a test in one row, such that the rows add up. Pure.
 *
 * made = received + rows + unattributed, always. No packet is in two rows:
 *
 * 1. what the receiver (received) and the sender (not taken by the driver) report packet by packet;
 * 2. skb:kfree_skb, which identifies the packet by its headers and tag;
 * 3. counters of interfaces, minus what 1 and 2 have reported for that interface: a verdict of an
 * XDP program and a full ring occur before there is an skb. A counter has the drops of other
 * traffic as well: it claims at most what is left;
 * 4. what arrived damaged, at most as many as are left: it may be a copy, or of another program;
 * 5. encrypted packets that kfree_skb saw, which cannot be recognised: at most as many as are left.
 *
 * All other counters (qdisc, softnet, stack, socket) repeat what kfree_skb reports, and count other
 * traffic too: they are witnesses, shown next to the rows. Only where kfree_skb cannot be traced
 * are they rows.
 */
#ifndef MODEL_LEDGER_H
#define MODEL_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "result/result.h"

struct ledger_row {
	char source[24];	/* source of the figure: "kfree_skb", "ethtool" */
	char place[96];		/* function of the kernel, or counter */
	char reason[64];	/* "" if unknown */
	char where[64];		/* "lab-r:egb": namespace and interface */
	uint64_t packets;
	bool by_filter;		/* dropped by the packet filter */
	bool is_counter;	/* of this host, which may count other traffic, too */
};

struct ledger_rows {
	struct ledger_row *all;
	size_t nr;
};

/* Zeroed: empty. */
struct ledger {
	uint64_t made;		/* sent, and refused by the driver */
	uint64_t received;	/* each sequence number once */
	struct ledger_rows rows;
	struct ledger_rows witnesses;
	struct ledger_rows silent;	/* places that drop without counting; 0 packets each */
	bool exact;		/* kfree_skb was traced */
	uint64_t others;	/* what counters that are rows have beyond the packets that were left */
};

void ledger_release(struct ledger *ledger);

/* Adds to the row with the same source, place, reason and where; 0 packets create no row. */
void ledger_claim(struct ledger *ledger, const struct ledger_row *row);
void ledger_witness(struct ledger *ledger, const struct ledger_row *row);

/* Claims packets that may be of other traffic, at most those that are left: @row has that number then. */
void ledger_claim_shared(struct ledger *ledger, struct ledger_row *row);

/* made - received - rows; negative: more was claimed than was made. */
int64_t ledger_unattributed(const struct ledger *ledger);

/*
 * Where copies of packets go two ways, two CPUs may note an end of each at the same moment. A packet
 * has one end: takes out of @row what exceeds the packets that are left, at most @copies, and returns it.
 */
uint64_t ledger_trim(const struct ledger *ledger, struct ledger_row *row, uint64_t copies);

/* By how much a counter grew. */
struct ledger_growth {
	const char *source, *name;
	uint64_t value;
};

/* An interface, and what is known about it packet by packet. */
struct ledger_iface {
	const char *where;
	struct ledger_iface *peer;	/* at the other end of its link; NULL: not on this host */
	uint64_t claimed;	/* in rows already; its or its peer's counters may include them */
	uint64_t skb_xdp_drops;	/* rows of kfree_skb that are XDP verdicts */
	uint64_t own_verdicts;	/* dropped by our own XDP program: these were received */
	uint64_t aborted;	/* xdp:xdp_exception */
	uint64_t redirect_errors;	/* xdp:xdp_redirect_err, by another program */
};

/* Adds rows and witnesses from one interface's counters. */
void ledger_add_iface(struct ledger *ledger, struct ledger_iface *iface,
		      const struct ledger_growth *growths, size_t nr);

/* A rule of the packet filter of namespace @where that drops packets and does not count them. */
void ledger_add_silent(struct ledger *ledger, const char *where, const char *place);

/* The same as ledger_add_iface() for a namespace's stack, named @where. */
void ledger_add_stack(struct ledger *ledger, const char *where,
		      const struct ledger_growth *growths, size_t nr);

/*
 * Writes parts "ledger" and "witnesses", the largest rows first, figures and the verdict to @res. What is
 * unattributed is no
 * success and no failure: it has a note instead of a verdict. So has a row of a counter that counted other traffic too.
 */
void ledger_report(struct ledger *ledger, struct result *res);

#endif
