/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * faces/live_parts.h - shared between live.c, which keeps what is shown and obeys
 * keys, and live_draw.c, which makes lines of it. No other file includes it.
 */
#ifndef FACES_LIVE_PARTS_H
#define FACES_LIVE_PARTS_H

#include <jansson.h>

#include "faces/live.h"
#include "lib/unit.h"
#include "result/result.h"

#define LIVE_ROWS	4096	/* rows of a table that are sorted and shown */
#define LIVE_PARTS	40
#define LIVE_TABLES	16	/* kinds of entries of a part */
#define LIVE_TREND		120	/* points */

/* The newest state of a part, and its previous entries, for rates. */
struct live_part {
	char *name, *iface;		/* @iface: "" if none */
	enum part_kind kind;
	json_t *metrics, *row, *environment, *entries, *before;
	uint64_t entries_ns, before_ns;
	double trend[LIVE_TREND];
};

struct live {
	struct live_part parts[LIVE_PARTS];
	unsigned int nr_parts, selected, table, sort, first_row;
	unsigned int flow;		/* the row that is marked */
	char zoomed_flow[160];		/* "": none */
	uint64_t elapsed_ns;
	bool utf8, paused, zoomed, help, typing;
	char filter[64], said[256];
};

#define LINE_BYTES	1024

/* The screen, or a part of it that begins at column @left, as it is filled. */
struct paint {
	const struct live *live;
	unsigned int left, width, height, line;
	live_put_fn put;
	void *ctx;
};

void paint_line(struct paint *paint, enum live_style style, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Names may contain terminal escapes or wide characters. */
const char *paint_plain(char *buf, size_t size, const char *text);

const char *paint_figure(char *buf, size_t size, const json_t *value, enum unit unit);

/* A text of the entry contains the filter. */
bool live_wants(const struct live *live, const json_t *entry);

/* The selected part is a table of flows. */
bool live_has_flows(const struct live *live);

/* Its rows, or the zoomed one. */
void live_draw_flows(struct paint *paint);

/* Zoom the marked flow, or end the zoom. */
void live_zoom_flow(struct live *live);

/* Kinds of entries of @part, in their order, then those that only @other has, if not NULL; returns how many. */
unsigned int live_tables(const struct live_part *part, const struct live_part *other,
			 const char *ret_by[LIVE_TABLES]);

#endif
