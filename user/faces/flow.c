// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * faces/flow.c - a ledger as a picture.
 *
 * Heights are packets: of the bar at the left, of each bar at the right, and of the band between
 * them. A row of few packets is as high as can be seen, and a line of text apart from the next.
 */
#include "faces/flow.h"

#include <math.h>
#include <string.h>

#include "faces/page.h"
#include "lib/unit.h"
#include "result/value.h"

#define WIDTH		640
#define FROM		96.	/* of the bar of what was sent, to the right of its label */
#define TO		226.	/* of the bars of where packets went, to the left of theirs */
#define BAR		8.
#define HEIGHT		150.	/* of all packets */
#define TOP		10.
#define LEAST		1.5	/* of a row */
#define LINE		19.	/* of text */
#define MAX_ROWS	12
#define MAX_TEXT	54	/* that fit beside a bar */

struct place {
	const char *class;
	char text[200];
	double packets;
};

struct flow {
	struct place places[MAX_ROWS + 1];
	size_t nr;
	double sent, lost;
};

static const char *class_of(const char *reason)
{
	return !strcmp(reason, "received") ? "got" : !strcmp(reason, "unattributed") ? "unknown" : "gone";
}

static void add(struct flow *flow, const json_t *row)
{
	double packets = json_number_value(json_object_get(row, "packets"));
	const char *reason = value_str(row, "reason"), *at = value_str(row, "place"), *where = value_str(row, "where");
	struct place *place = &flow->places[flow->nr < MAX_ROWS ? flow->nr : MAX_ROWS];

	if (!(packets > 0) || !isfinite(packets))
		return;
	flow->sent += packets;
	flow->lost += strcmp(reason, "received") ? packets : 0;
	place->packets += packets;
	place->class = class_of(reason);
	if (flow->nr >= MAX_ROWS) {
		place->class = "gone";
		snprintf(place->text, sizeof(place->text), "other rows of the table");
	} else {
		snprintf(place->text, sizeof(place->text), "%.60s%s%.60s%s%.60s", reason, *at ? " in " : "", at,
			 *where ? ", " : "", where);
	}
	flow->nr += flow->nr <= MAX_ROWS;
}

/* From @left to @right, each the upper edge, of @high and @high_right. */
static void put_band(FILE *out, const struct place *place, double left, double high, double right,
		     double high_right)
{
	double from = FROM + BAR, middle = (from + TO) / 2;

	fprintf(out, "<path class=\"band %s\" d=\"M%.1f %.1fC%.1f %.1f %.1f %.1f %.1f %.1fv%.1f"
		"C%.1f %.1f %.1f %.1f %.1f %.1fz\"/>", place->class, from, left, middle, left, middle, right, TO,
		right, high_right, middle, right + high_right, middle, left + high, from, left + high);
}

static void put_place(FILE *out, const struct flow *flow, const struct place *place, double up, double high)
{
	double share = place->packets / flow->sent;
	char packets[64], ratio[64], text[MAX_TEXT + 4];

	unit_format(packets, sizeof(packets), UNIT_COUNT, place->packets);
	snprintf(ratio, sizeof(ratio), share < 0.001 ? "%.2g %%" : "%.1f %%", 100 * share);
	fprintf(out, "<path class=\"%s\" d=\"M%.1f %.1fh%.1fv%.1fh-%.1fz\"/>", place->class, TO, up, BAR, high, BAR);
	fprintf(out, "<text x=\"%.1f\" y=\"%.1f\"><title>", TO + BAR + 8, up + high / 2 + 4);
	page_text(out, place->text);
	fprintf(out, "</title><tspan class=\"figure\">%s</tspan> (%s) ", packets, ratio);
	snprintf(text, sizeof(text), "%.*s%s", MAX_TEXT, place->text, strlen(place->text) > MAX_TEXT ? "..." : "");
	page_text(out, text);
	fputs("</text>", out);
}

static double row_height(const struct flow *flow, size_t i)
{
	return fmax(LEAST, HEIGHT * (flow->places[i].packets / flow->sent));
}

/* Of the row with its text. */
static double slot_height(const struct flow *flow, size_t i)
{
	return fmax(LINE, row_height(flow, i) + 4);
}

static void fill(struct flow *flow, const json_t *ledger)
{
	const json_t *row;
	size_t i;

	json_array_foreach(json_object_get(ledger, "entries"), i, row)
		add(flow, row);
}

bool flow_has_losses(const json_t *ledger)
{
	struct flow flow = { 0 };

	fill(&flow, ledger);
	return flow.lost > 0 && isfinite(flow.sent);
}

void flow_svg(FILE *out, const json_t *ledger)
{
	struct flow flow = { 0 };
	double left = TOP, right = TOP, end = TOP;
	char text[64];
	size_t i;

	fill(&flow, ledger);
	for (i = 0; i < flow.nr; i++)
		end += slot_height(&flow, i);
	fprintf(out, "<svg class=\"chart flow\" viewBox=\"0 0 %d %.0f\" role=\"img\" aria-label=\"Where the packets "
		"went\">", WIDTH, end + TOP);
	fprintf(out, "<text class=\"figure\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%s</text>", FROM - 8,
		TOP + HEIGHT / 2, unit_format(text, sizeof(text), UNIT_COUNT, flow.sent));
	fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">sent</text>", FROM - 8, TOP + HEIGHT / 2 + 16);
	fprintf(out, "<path class=\"all\" d=\"M%.1f %.1fh%.1fv%.1fh-%.1fz\"/>", FROM, TOP, BAR, HEIGHT, BAR);
	for (i = 0; i < flow.nr; i++) {
		double high = row_height(&flow, i), share = HEIGHT * (flow.places[i].packets / flow.sent);

		double slot = slot_height(&flow, i), up = right + (slot - high) / 2;

		put_band(out, &flow.places[i], left, share, up, high);
		put_place(out, &flow, &flow.places[i], up, high);
		left += share;
		right += slot;
	}
	fputs("</svg>\n", out);
}
