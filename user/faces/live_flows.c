// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * faces/live_flows.c - the full-screen view's table of flows, and one of them in full.
 */
#include <stdio.h>
#include <string.h>

#include "faces/live_parts.h"
#include "lib/array.h"

#define FLOW_COLUMNS	52	/* of the name, where both rates fit beside it */
#define FLOW_LEAST	24
#define RATE_COLUMNS	28	/* of both */

/* A figure of a flow and its keys per direction; NULL: none. */
static const struct {
	const char *title, *tx, *rx;
	enum unit unit;
} ways[] = {
	{ "packets", "tx_packets", "rx_packets", UNIT_COUNT },
	{ "bytes", "tx_bytes", "rx_bytes", UNIT_BYTES },
	{ "retransmitted", "tx_retransmitted", "rx_retransmitted", UNIT_COUNT },
	{ "out of order", "tx_out_of_order", "rx_out_of_order", UNIT_COUNT },
	{ "zero windows", "tx_zero_windows", "rx_zero_windows", UNIT_COUNT },
	{ "duplicate ACKs", "tx_dup_acks", "rx_dup_acks", UNIT_COUNT },
	{ "round trip, mean", "rtt_far_mean_ns", "rtt_near_mean_ns", UNIT_NS },
	{ "round trip, median to 1/8", "rtt_far_p50_ns", "rtt_near_p50_ns", UNIT_NS },
	{ "round trip, 90 %", "rtt_far_p90_ns", "rtt_near_p90_ns", UNIT_NS },
	{ "round trip, 99 %", "rtt_far_p99_ns", "rtt_near_p99_ns", UNIT_NS },
	{ "round trip, min", "rtt_far_min_ns", "rtt_near_min_ns", UNIT_NS },
	{ "round trip, max", "rtt_far_max_ns", "rtt_near_max_ns", UNIT_NS },
	{ "round trips", "rtt_far_count", "rtt_near_count", UNIT_COUNT },
};

static const struct live_part *selected(const struct live *live)
{
	return live->selected < live->nr_parts ? &live->parts[live->selected] : NULL;
}

bool live_has_flows(const struct live *live)
{
	const struct live_part *part = selected(live);

	return part && part->kind == PART_FLOWS;
}

static const char *text_of(const json_t *entry, const char *key)
{
	return json_string_value(json_object_get(entry, key)) ?: "";
}

static const char *name_of(char *buf, size_t size, const json_t *entry)
{
	char text[160];

	snprintf(text, sizeof(text), "%s > %s %s", text_of(entry, "near"), text_of(entry, "far"),
		 text_of(entry, "proto"));
	return paint_plain(buf, size, text);
}

/* The zoomed flow, else the marked one; NULL: none. */
static const json_t *find(const struct live *live, const char *zoomed)
{
	const json_t *entry;
	unsigned int row = 0;
	char name[160];
	size_t i;

	json_array_foreach(selected(live)->entries, i, entry) {
		if (zoomed[0] ? !strcmp(name_of(name, sizeof(name), entry), zoomed) :
				live_wants(live, entry) && row++ == live->flow)
			return entry;
	}
	return NULL;
}

void live_zoom_flow(struct live *live)
{
	const json_t *entry = live->zoomed_flow[0] ? NULL : find(live, "");

	live->zoomed_flow[0] = '\0';
	if (entry)
		name_of(live->zoomed_flow, sizeof(live->zoomed_flow), entry);
}

static double sum_of(const json_t *entry, const char *a, const char *b)
{
	return json_number_value(json_object_get(entry, a)) + json_number_value(json_object_get(entry, b));
}

static const char *known(char *buf, size_t size, const json_t *entry, const char *key,
			 enum unit unit)
{
	const json_t *value = json_object_get(entry, key);

	return json_is_number(value) ? paint_figure(buf, size, value, unit) : "-";
}

static int flow_columns(const struct paint *paint)
{
	int columns = (int)paint->width - 1 - RATE_COLUMNS;

	return columns > FLOW_COLUMNS ? FLOW_COLUMNS : columns < FLOW_LEAST ? FLOW_LEAST : columns;
}

static void draw_row(struct paint *paint, const json_t *entry, bool marked)
{
	const char *rtt = json_is_number(json_object_get(entry, "rtt_far_mean_ns")) ?
			  "rtt_far_mean_ns" : "rtt_near_mean_ns";
	char name[160], pps[64], bps[64], packets[64], bytes[64], ns[64], again[32] = "-";

	unit_format(packets, sizeof(packets), UNIT_COUNT, sum_of(entry, "tx_packets", "rx_packets"));
	unit_format(bytes, sizeof(bytes), UNIT_BYTES, sum_of(entry, "tx_bytes", "rx_bytes"));
	if (json_object_get(entry, "tx_retransmitted"))
		snprintf(again, sizeof(again), "%.0f", sum_of(entry, "tx_retransmitted", "rx_retransmitted"));
	paint_line(paint, marked ? LIVE_SELECTED : LIVE_PLAIN, "%s%-*.*s%13s%15s%13s%13s%12s%9s  %s",
		   marked ? ">" : " ", flow_columns(paint), flow_columns(paint), name_of(name, sizeof(name), entry),
		   known(pps, sizeof(pps), entry, "now_pps", UNIT_PPS),
		   known(bps, sizeof(bps), entry, "now_l2_bps", UNIT_BPS), bytes, packets,
		   known(ns, sizeof(ns), entry, rtt, UNIT_NS),
		   again, text_of(entry, "state"));
}

static void draw_table(struct paint *paint)
{
	const struct live *live = paint->live;
	const struct live_part *part = selected(live);
	unsigned int row = 0, first = live->flow > 10 ? live->flow - 10 : 0;
	const json_t *entry;
	size_t i;

	paint_line(paint, LIVE_PLAIN, "%s", "");
	paint_line(paint, LIVE_HEAD, " %-*s%13s%15s%13s%13s%12s%9s  %s", flow_columns(paint), "flow",
		   "packets/s", "L2 bit/s", "bytes", "packets", "round trip", "retrans.", "state");
	json_array_foreach(part->entries, i, entry) {
		if (!live_wants(live, entry))
			continue;
		if (row >= first)
			draw_row(paint, entry, row == live->flow);
		row++;
	}
	if (!row)
		paint_line(paint, LIVE_PLAIN, " none%s",
			   live->filter[0] ? " that matches the filter" : " yet");
}

/* Of the round trips of all flows, to 1/64. */
static void draw_percentiles(struct paint *paint)
{
	static const char *const keys[] = { "rtt_p50_ns", "rtt_p90_ns", "rtt_p99_ns" };
	const struct live *live = paint->live;
	const char *iface = selected(live)->iface;
	char text[LINE_BYTES], buf[64];
	unsigned int i;
	size_t k;
	int used;

	paint_line(paint, LIVE_HEAD, " %-24s%16s%16s%16s", "round trips of all flows", "median", "90 %",
		   "99 %");
	for (i = 0; i < live->nr_parts; i++) {
		const struct live_part *part = &live->parts[i];

		if (strcmp(part->iface, iface) || !json_object_get(part->metrics, keys[0]))
			continue;
		used = snprintf(text, sizeof(text), " %-24.40s", part->name + strlen(iface) + 1);
		for (k = 0; k < ARRAY_SIZE(keys); k++)
			used += snprintf(text + used, sizeof(text) - used, "%16s",
					 paint_figure(buf, sizeof(buf),
						      json_object_get(part->metrics, keys[k]), UNIT_NS));
		paint_line(paint, LIVE_PLAIN, "%s", text);
	}
}

static void draw_one(struct paint *paint, const json_t *entry)
{
	char name[160], tx[64], rx[64], life[64];
	size_t i;

	paint_line(paint, LIVE_PLAIN, "%s", "");
	paint_line(paint, LIVE_HEAD, " %s", name_of(name, sizeof(name), entry));
	if (json_object_get(entry, "error_ratio"))
		paint_line(paint, LIVE_PLAIN, " estimated from a sample, +- %s, age %s",
			   known(tx, sizeof(tx), entry, "error_ratio", UNIT_RATIO),
			   known(life, sizeof(life), entry, "life_ns", UNIT_NS));
	else
		paint_line(paint, LIVE_PLAIN, " %s, opened by %s, age %s, handshake %s", text_of(entry, "state"),
			   text_of(entry, "opened_by"), known(life, sizeof(life), entry, "life_ns", UNIT_NS),
			   known(tx, sizeof(tx), entry, "handshake_ns", UNIT_NS));
	paint_line(paint, LIVE_PLAIN, " now %s, %s", known(tx, sizeof(tx), entry, "now_pps", UNIT_PPS),
		   known(rx, sizeof(rx), entry, "now_l2_bps", UNIT_BPS));
	paint_line(paint, LIVE_HEAD, " %-26s%16s%16s", "", "near to far", "far to near");
	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		/* A sample has counts only. */
		if (!json_object_get(entry, ways[i].tx))
			continue;
		/* A trip is between the interface and one end. */
		if (ways[i].tx == ways[6].tx)
			paint_line(paint, LIVE_HEAD, " %-26s%16s%16s", "", "to far end", "to near end");
		paint_line(paint, LIVE_PLAIN, " %-26s%16s%16s", ways[i].title,
			   known(tx, sizeof(tx), entry, ways[i].tx, ways[i].unit),
			   known(rx, sizeof(rx), entry, ways[i].rx, ways[i].unit));
	}
	draw_percentiles(paint);
}

void live_draw_flows(struct paint *paint)
{
	const struct live *live = paint->live;
	const struct live_part *part = selected(live);
	const json_t *by = json_object_get(part->environment, "flows_by");
	const json_t *entry = NULL;
	char count[64], age[64];

	if (live->zoomed_flow[0])
		entry = find(live, live->zoomed_flow);
	paint_line(paint, LIVE_PLAIN, " %s flows in the table, read %s ago; top: %s",
		   known(count, sizeof(count), part->row, "flow_table_count", UNIT_COUNT),
		   known(age, sizeof(age), part->metrics, "flow_view_age_ns", UNIT_NS),
		   json_string_value(by) ?: "-");
	if (entry)
		draw_one(paint, entry);
	else if (live->zoomed_flow[0])
		paint_line(paint, LIVE_PLAIN, " %s is no longer listed; ENTER: all flows",
			   live->zoomed_flow);
	else
		draw_table(paint);
}
