/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report/live_parts.h - shared between live.c, which keeps what is shown and obeys
 * keys, and live_draw.c, which makes lines of it. Nobody else includes this.
 */
#ifndef REPORT_LIVE_PARTS_H
#define REPORT_LIVE_PARTS_H

#include <jansson.h>

#include "report/live.h"

#define LIVE_ROWS	4096	/* of a table that are sorted and shown */
#define LIVE_PARTS	40
#define LIVE_TABLES	16	/* kinds of entries of a part */
#define LIVE_TREND		60	/* points */

/* One part as it was told last, and its entries as they were before, for rates. */
struct live_part {
	char *name;
	json_t *metrics, *row, *entries, *before;
	uint64_t entries_ns, before_ns;
	double trend[LIVE_TREND];
};

struct live {
	struct live_part parts[LIVE_PARTS];
	unsigned int nr_parts, selected, table, sort, first_row;
	uint64_t elapsed_ns;
	bool utf8, paused, zoomed, help, typing;
	char filter[64], said[256];
};

/* Kinds of entries of @part, in the order told; returns how many. */
unsigned int live_tables(const struct live_part *part, const char *ret_by[LIVE_TABLES]);

#endif
