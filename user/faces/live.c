// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * faces/live.c - the full-screen view: what is shown, and what a key does.
 */
#include "faces/live.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "faces/live_parts.h"
#include "result/part.h"
#include "result/tree.h"
#include "result/value.h"

struct live *live_new(bool utf8)
{
	struct live *live = calloc(1, sizeof(*live));

	if (live)
		live->utf8 = utf8;
	return live;
}

void live_free(struct live *live)
{
	unsigned int i;

	if (!live)
		return;
	for (i = 0; i < live->nr_parts; i++) {
		free(live->parts[i].name);
		free(live->parts[i].iface);
		json_decref(live->parts[i].metrics);
		json_decref(live->parts[i].row);
		json_decref(live->parts[i].environment);
		json_decref(live->parts[i].entries);
		json_decref(live->parts[i].before);
	}
	free(live);
}

static struct live_part *part_of(struct live *live, const json_t *doc)
{
	const char *name = value_str(doc, "name");
	unsigned int i;

	for (i = 0; i < live->nr_parts; i++) {
		if (!strcmp(live->parts[i].name, name))
			return &live->parts[i];
	}
	if (i == LIVE_PARTS)
		return NULL;
	live->parts[i].name = strdup(name);
	live->parts[i].iface = strdup(part_label(doc, "iface"));
	live->parts[i].kind = part_kind(doc);
	if (!live->parts[i].name || !live->parts[i].iface)
		return NULL;
	live->nr_parts++;
	return &live->parts[i];
}

static void take(struct live_part *part, const json_t *doc, uint64_t elapsed_ns)
{
	json_t *series = json_object_get(doc, "series");
	json_t *row = json_array_get(series, json_array_size(series) - 1);
	bool newer = row != part->row;
	const json_t *bps;

	json_decref(part->row);
	part->row = json_incref(row);
	json_decref(part->metrics);
	part->metrics = json_copy(json_object_get(doc, "metrics"));
	json_decref(part->environment);
	part->environment = json_copy(json_object_get(doc, "environment"));
	/* The end is the last state once more, without another row: the last interval's rates stay. */
	if (newer || !json_equal(part->entries, json_object_get(doc, "entries"))) {
		json_decref(part->before);
		part->before = part->entries;
		part->before_ns = part->entries_ns;
		/* Not copied: the result drops the entries before new ones are added. */
		part->entries = json_incref(json_object_get(doc, "entries"));
		part->entries_ns = elapsed_ns;
	}
	if (!newer)
		return;
	memmove(part->trend, part->trend + 1, (LIVE_TREND - 1) * sizeof(part->trend[0]));
	bps = json_object_get(part->row, "seen_l1_bps");
	part->trend[LIVE_TREND - 1] = json_number_value(bps ? bps : json_object_get(part->row, "seen_l3_bps"));
}

void live_update(struct live *live, const struct result *res, uint64_t elapsed_ns)
{
	const json_t *doc;
	struct live_part *part;
	size_t i;

	if (live->paused)
		return;
	live->elapsed_ns = elapsed_ns;
	json_array_foreach(json_object_get(result_tree(res), "parts"), i, doc) {
		part = part_of(live, doc);
		if (part)
			take(part, doc, elapsed_ns);
	}
}

void live_say(struct live *live, const char *text)
{
	static const char prefix[] = "ethgauge: ";

	/* The line begins with it anyway. */
	snprintf(live->said, sizeof(live->said), "%s",
		 text + (strncmp(text, prefix, strlen(prefix)) ? 0 : strlen(prefix)));
}

static unsigned int add_tables(const struct live_part *part, unsigned int nr,
			       const char *ret_by[LIVE_TABLES])
{
	const json_t *entry;
	unsigned int at;
	const char *by;
	size_t i;

	json_array_foreach(part->entries, i, entry) {
		by = json_string_value(json_object_get(entry, "by")) ?: "";
		for (at = 0; at < nr && strcmp(ret_by[at], by); at++)
			;
		if (at == nr && nr < LIVE_TABLES)
			ret_by[nr++] = by;
	}
	return nr;
}

unsigned int live_tables(const struct live_part *part, const struct live_part *other,
			 const char *ret_by[LIVE_TABLES])
{
	unsigned int nr = add_tables(part, 0, ret_by);

	return other ? add_tables(other, nr, ret_by) : nr;
}

static enum live_wish type_filter(struct live *live, int key)
{
	size_t len = strlen(live->filter);

	if (key == LIVE_KEY_ENTER || key == LIVE_KEY_ESCAPE)
		live->typing = false;
	if (key == LIVE_KEY_ESCAPE)
		live->filter[0] = '\0';
	else if (key == LIVE_KEY_BACKSPACE && len)
		live->filter[len - 1] = '\0';
	else if (key >= ' ' && key < 0x7f && len < sizeof(live->filter) - 1)
		live->filter[len] = (char)key;
	if (key < LIVE_KEY_UP && len + 1 < sizeof(live->filter))
		live->filter[len + 1] = '\0';
	return LIVE_GO_ON;
}

static void page(struct live *live, int rows)
{
	if (rows < 0 && live->first_row < (unsigned int)-rows)
		live->first_row = 0;
	else if (live->first_row < LIVE_ROWS)
		live->first_row += (unsigned int)rows;
	if (live_has_flows(live))
		live->flow = live->first_row;
}

static void turn_table(struct live *live, unsigned int step)
{
	const char *by[LIVE_TABLES];
	unsigned int nr = live->nr_parts ? live_tables(&live->parts[live->selected], NULL, by) : 0;

	live->table = nr ? (live->table + nr + step) % nr : 0;
	live->first_row = 0;
}

static void select_part(struct live *live, unsigned int step)
{
	if (live->nr_parts)
		live->selected = (live->selected + live->nr_parts + step) % live->nr_parts;
	live->first_row = 0;
}

/* The next part that is a table of flows. */
static void select_flows(struct live *live)
{
	unsigned int i;

	for (i = 0; i < live->nr_parts; i++) {
		select_part(live, 1);
		if (live_has_flows(live))
			break;
	}
}

enum live_wish live_key(struct live *live, int key)
{
	if (live->typing)
		return type_filter(live, key);
	switch (key) {
	case 'q':
		return LIVE_QUIT;
	case '+':
		return LIVE_SLOWER;
	case '-':
		return LIVE_FASTER;
	case 'p':
	case ' ':
		live->paused = !live->paused;
		break;
	case '?':
	case 'h':
		live->help = !live->help;
		break;
	case 's':
		if (live_has_flows(live))
			return LIVE_SORT_FLOWS;
		live->sort++;
		break;
	case 'f':
		select_flows(live);
		break;
	case 'j':
		live->flow++;
		break;
	case 'k':
		live->flow -= live->flow > 0;
		break;
	case '/':
		live->typing = true;
		break;
	case LIVE_KEY_ESCAPE:
		live->filter[0] = '\0';
		live->help = false;
		live->zoomed = false;
		live->zoomed_flow[0] = '\0';
		break;
	case LIVE_KEY_ENTER:
		if (live_has_flows(live))
			live_zoom_flow(live);
		else
			live->zoomed = !live->zoomed;
		break;
	case LIVE_KEY_UP:
		select_part(live, (unsigned int)-1);
		break;
	case LIVE_KEY_DOWN:
		select_part(live, 1);
		break;
	case '\t':
	case LIVE_KEY_RIGHT:
		turn_table(live, 1);
		break;
	case LIVE_KEY_LEFT:
		turn_table(live, (unsigned int)-1);
		break;
	case LIVE_KEY_PAGE_UP:
		page(live, -10);
		break;
	case LIVE_KEY_PAGE_DOWN:
		page(live, 10);
		break;
	}
	return LIVE_GO_ON;
}
