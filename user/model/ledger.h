/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model/ledger.h - every packet of a test in one row, and the rows add up. Pure.
 *
 * made = received + rows + unattributed, always. No packet is in two rows:
 *
 *  1. what the receiver reports packet by packet (received; its tag was damaged),
 *     and the sender (not taken by the driver);
 *  2. skb:kfree_skb, which knows the packet by its headers and its tag;
 *  3. counters of interfaces, less what 1 and 2 have said of that interface: a
 *     verdict of an XDP program and a full ring come before there is an skb.
 *
 * All other counters (qdisc, softnet, stack, socket) repeat what kfree_skb says,
 * and count other traffic too: they are witnesses, shown next to the rows. Only where
 * kfree_skb cannot be traced are they rows.
 */
#ifndef MODEL_LEDGER_H
#define MODEL_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "result/result.h"

struct ledger_row {
	char source[24];	/* who says so: "kfree_skb", "ethtool" */
	char place[64];		/* function of the kernel, or counter */
	char reason[64];	/* "" where it is not known */
	char where[64];		/* "lab-r:egb": namespace and interface */
	uint64_t packets;
};

struct ledger_rows {
	struct ledger_row *all;
	size_t nr;
};

/* Zeroed: empty. */
struct ledger {
	uint64_t made;		/* sent, and not taken by the driver */
	uint64_t received;	/* each sequence number once */
	struct ledger_rows rows;
	struct ledger_rows witnesses;
	bool exact;		/* kfree_skb was listened to */
};

void ledger_release(struct ledger *ledger);

/* Adds to the row of the same source, place, reason and where; 0 packets make no row. */
void ledger_claim(struct ledger *ledger, const struct ledger_row *row);
void ledger_witness(struct ledger *ledger, const struct ledger_row *row);

/* made - received - rows; negative: more was claimed than there was. */
int64_t ledger_unattributed(const struct ledger *ledger);

/* By how much a counter grew. */
struct ledger_growth {
	const char *source, *name;
	uint64_t value;
};

/* An interface, and what is known of it packet by packet. */
struct ledger_iface {
	const char *where;
	struct ledger_iface *peer;	/* at the other end of its wire; NULL: not on this host */
	uint64_t told;		/* in rows already, and perhaps in its or its peer's counters: used up */
	uint64_t skb_xdp_drops;	/* rows of kfree_skb that are verdicts of XDP programs */
	uint64_t own_verdicts;	/* our own XDP program dropped these: they were received */
	uint64_t aborted;	/* xdp:xdp_exception */
	uint64_t redirect_errors;	/* xdp:xdp_redirect_err, of another's program */
};

/* Rows and witnesses of one interface's counters. */
void ledger_add_iface(struct ledger *ledger, struct ledger_iface *iface,
		      const struct ledger_growth *growths, size_t nr);

/* Of a namespace's stack, called @where. */
void ledger_add_stack(struct ledger *ledger, const char *where,
		      const struct ledger_growth *growths, size_t nr);

/* Parts "ledger" and "witnesses", figures and the verdict into @res. */
void ledger_report(const struct ledger *ledger, struct result *res);

#endif
