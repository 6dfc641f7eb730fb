/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model/impair_rule.h - what is to be done to which packets, read from people.
 *
 *	WHICH		all | 1% | every=N[+PHASE] | list=3,17 | list=FILE |
 *			ge(p=1%, r=30%[, bad=100%][, good=0%])
 *	--loss WHICH	--checksum WHICH	--corrupt WHICH[:BITS[@OFFSET]]
 *	--truncate WHICH:BYTES	--fragment WHICH:BYTES	--duplicate WHICH[:COPIES]
 *	--reorder WHICH:PLACES	--delay [WHICH:]TIME[+-JITTER][,SHAPE][,keep-order]
 */
#ifndef MODEL_IMPAIR_RULE_H
#define MODEL_IMPAIR_RULE_H

#include <stddef.h>
#include <stdint.h>

#include "abi/impair.h"
#include "lib/err.h"
#include "model/bump_delay.h"

#define IMPAIR_MAX_LISTED (1u << 22)	/* ordinals in a list, values in a delay file */

struct impair_numbers {
	uint64_t *values;
	size_t nr;
};

struct impair_rules {
	uint32_t nr;
	struct impair_rule rules[IMPAIR_MAX_RULES];
	struct bump_delay delays[IMPAIR_MAX_RULES];	/* of IMPAIR_DELAY */
	struct impair_numbers lists[IMPAIR_MAX_RULES];	/* of IMPAIR_LIST */
	struct impair_numbers tables[IMPAIR_MAX_RULES];	/* the memory of BUMP_TABLE */
};

/* "loss", "corrupt" and so on: the option names. */
const char *impair_kind_name(enum impair_kind kind);

/* The key of how many packets it was done to. */
const char *impair_kind_figure(enum impair_kind kind);

/* Kinds must come in their order, as the number of a rule is part of what it draws. */
int impair_rules_add(struct impair_rules *rules, enum impair_kind kind, const char *text,
		     struct err *e);
void impair_rules_release(struct impair_rules *rules);

/* "udp dst 198.18.0.0/24 dport 9 stream 3"; words may be joined by "and". */
int impair_filter_parse(const char *text, struct impair_filter *ret_filter, struct err *e);

/* "100": packets; "64kB": bytes. */
int impair_queue_parse(const char *text, uint64_t *ret_bytes, uint64_t *ret_packets,
		       struct err *e);

#endif
