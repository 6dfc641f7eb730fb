// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * faces/live_draw.c - the full-screen view as lines of text.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "faces/live_parts.h"
#include "lib/array.h"
#include "lib/bars.h"
#include "lib/unit.h"
#include "result/metrics.h"

#define MAX_COLUMNS	12
#define BAR		20	/* columns */
#define MIN_BAR		5
#define TABLE_COLUMNS	54	/* of a table, to the left of the bar */
#define TOTAL_COLUMNS	17	/* of each total, to the right of it */
#define SIDE_COLUMNS	(TABLE_COLUMNS + BAR + 1)
#define SIDE_GAP	2	/* between two sides */
#define SCALE_COLUMNS	15	/* to the left of a chart */
#define MIN_CHART	4	/* lines */
#define MAX_CHART	16

/* One column each: the rates always, the others as far as they fit. */
static const struct {
	const char *key, *title;	/* title NULL: bits_title() */
	const char *key_l3;		/* of an interface whose packets have no Ethernet header */
} heads[] = {
	{ "seen_pps", "packets/s" }, { "seen_l1_bps", NULL, "seen_l3_bps" },
	{ "burst_1ms_l1_bps", "peak in 1 ms", "burst_1ms_l3_bps" }, { "gap_p50_ns", "gap p50" },
	{ "gap_p99_ns", "gap p99" }, { "burst_100us_l1_bps", "in 100 us", "burst_100us_l3_bps" },
	{ "burst_10ms_l1_bps", "in 10 ms", "burst_10ms_l3_bps" }, { "seen_buffers", "buffers" },
};

#define NR_HEADS	ARRAY_SIZE(heads)
#define NR_RATES	2
#define HEAD_COLUMNS	14
#define FAULT_COLUMNS	8
#define MIN_NAME	10
#define MIN_TREND	15

/* Columns of the list of interfaces; 0: not shown. */
struct layout {
	unsigned int name, heads, faults, trend;
	double top;			/* of the trends: all have the same scale */
};

void paint_line(struct paint *paint, enum live_style style, const char *fmt, ...)
{
	char text[LINE_BYTES];
	va_list args;

	if (paint->line >= paint->height)
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	bars_cut(text, paint->width);
	paint->put(paint->ctx, paint->line++, paint->left, style, text);
}

const char *paint_plain(char *buf, size_t size, const char *text)
{
	size_t i;

	snprintf(buf, size, "%s", text);
	for (i = 0; buf[i]; i++) {
		if (buf[i] < ' ' || buf[i] > '~')
			buf[i] = '?';
	}
	return buf;
}

const char *paint_figure(char *buf, size_t size, const json_t *value, enum unit unit)
{
	if (json_is_string(value))
		return paint_plain(buf, size, json_string_value(value));
	if (!json_is_number(value))
		return "-";
	if (json_is_integer(value))
		return unit_format_u64(buf, size, unit, (uint64_t)json_integer_value(value));
	return unit_format(buf, size, unit, json_number_value(value));
}

static uint64_t faults(const struct live_part *part)
{
	static const char *const keys[] = {
		"driver_rx_dropped", "driver_rx_errors", "driver_tx_dropped", "driver_tx_errors",
	};
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(keys); i++)
		sum += (uint64_t)json_integer_value(json_object_get(part->metrics, keys[i]));
	return sum;
}

static bool is_shown(const struct live *live, unsigned int index)
{
	return !live->zoomed || index == live->selected;
}

static struct layout lay_out(const struct paint *paint)
{
	const unsigned int rates = NR_RATES * HEAD_COLUMNS;
	const struct live *live = paint->live;
	struct layout layout = { .name = MIN_NAME, .heads = NR_RATES };
	unsigned int left, len, i, k;

	for (i = 0; i < live->nr_parts; i++) {
		len = 1 + (unsigned int)strlen(live->parts[i].name);
		layout.name = len > layout.name ? len : layout.name;
	}
	if (layout.name + rates > paint->width)
		layout.name = paint->width > MIN_NAME + rates ? paint->width - rates : MIN_NAME;
	left = paint->width > layout.name + rates ? paint->width - layout.name - rates : 0;
	if (left >= FAULT_COLUMNS)
		layout.faults = FAULT_COLUMNS;
	left -= layout.faults;
	for (; layout.heads < NR_HEADS && left >= HEAD_COLUMNS + 2 + MIN_TREND; left -= HEAD_COLUMNS)
		layout.heads++;
	if (left >= 2 + MIN_TREND)
		layout.trend = left - 2 < LIVE_TREND ? left - 2 : LIVE_TREND;
	for (i = 0; i < live->nr_parts; i++) {
		for (k = LIVE_TREND - layout.trend; is_shown(live, i) && k < LIVE_TREND; k++)
			layout.top = live->parts[i].trend[k] > layout.top ? live->parts[i].trend[k] : layout.top;
	}
	return layout;
}

static const json_t *head_value(const struct live_part *part, unsigned int head)
{
	const json_t *value = json_object_get(part->row, heads[head].key);

	return value || !heads[head].key_l3 ? value : json_object_get(part->row, heads[head].key_l3);
}

static const char *bits_title(const struct live *live)
{
	bool l1 = false, l3 = false;
	unsigned int i;

	for (i = 0; i < live->nr_parts; i++) {
		l1 = l1 || json_object_get(live->parts[i].row, "seen_l1_bps");
		l3 = l3 || json_object_get(live->parts[i].row, "seen_l3_bps");
	}
	return l1 && l3 ? "L1/L3 bit/s" : l3 ? "L3 bit/s" : "L1 bit/s";
}

static void draw_part(struct paint *paint, const struct layout *layout, unsigned int index)
{
	const struct live_part *part = &paint->live->parts[index];
	bool selected = index == paint->live->selected;
	char text[LINE_BYTES], buf[64], points[LIVE_TREND * BARS_BYTES + 1] = "";
	unsigned int i;
	int len;

	len = snprintf(text, sizeof(text), "%s%-*.*s", selected ? ">" : " ", (int)layout->name - 1,
		       (int)layout->name - 1, paint_plain(buf, sizeof(buf), part->name));
	for (i = 0; i < layout->heads; i++)
		len += snprintf(text + len, sizeof(text) - len, "%*.*s", HEAD_COLUMNS, HEAD_COLUMNS,
				paint_figure(buf, sizeof(buf), head_value(part, i),
				       metric_find(heads[i].key)->unit));
	if (layout->faults)
		len += snprintf(text + len, sizeof(text) - len, "%*llu", FAULT_COLUMNS,
				(unsigned long long)faults(part));
	if (layout->trend)
		bars_trend(points, paint->live->utf8, part->trend + LIVE_TREND - layout->trend, layout->trend,
			   layout->top);
	paint_line(paint, selected ? LIVE_SELECTED : faults(part) ? LIVE_WARNING : LIVE_PLAIN, "%s  %s", text, points);
}

static void draw_parts(struct paint *paint)
{
	const struct live *live = paint->live;
	const struct layout layout = lay_out(paint);
	char text[LINE_BYTES], top[64];
	unsigned int i;
	int len;

	len = snprintf(text, sizeof(text), " %-*s", (int)layout.name - 1, "interface");
	for (i = 0; i < layout.heads; i++)
		len += snprintf(text + len, sizeof(text) - len, "%*s", HEAD_COLUMNS,
				heads[i].title ? heads[i].title : bits_title(live));
	if (layout.faults)
		len += snprintf(text + len, sizeof(text) - len, "%*s", FAULT_COLUMNS, "faults");
	if (layout.trend)
		snprintf(text + len, sizeof(text) - len, "  to %s",
			 unit_format(top, sizeof(top), UNIT_BPS, layout.top));
	paint_line(paint, LIVE_HEAD, "%s", text);
	for (i = 0; i < live->nr_parts; i++) {
		if (is_shown(live, i))
			draw_part(paint, &layout, i);
	}
}

static void draw_figures(struct paint *paint)
{
	const struct live_part *part = &paint->live->parts[paint->live->selected];
	unsigned int columns = paint->width / 45, nr = 0;
	const struct metric *metric;
	char text[LINE_BYTES], buf[64];
	const json_t *value;
	int len = 0;
	size_t i;

	if (!columns)
		columns = 1;
	paint_line(paint, LIVE_HEAD, "since start");
	for (i = 0; (metric = metric_at(i)); i++) {
		value = json_object_get(part->metrics, metric->key);
		if (!value || len > (int)sizeof(text) - 64)
			continue;
		len += snprintf(text + len, sizeof(text) - len, " %-22.22s %18.18s   ", metric->label,
				paint_figure(buf, sizeof(buf), value, metric->unit));
		if (++nr % columns)
			continue;
		paint_line(paint, LIVE_PLAIN, "%s", text);
		len = 0;
	}
	if (len)
		paint_line(paint, LIVE_PLAIN, "%s", text);
}

/* A row of a table. */
struct row {
	const json_t *entry;
	double packets, bytes;		/* per second, since the previous state */
	double sort;
};

static int by_sort(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return x->sort < y->sort ? 1 : x->sort > y->sort ? -1 : 0;
}

static double rate(const struct live_part *part, const json_t *entry, const json_t *before,
		   const char *key)
{
	const json_t *now = json_object_get(entry, key);
	double seconds = (double)(part->entries_ns - part->before_ns) / 1e9, grown;

	if (part->entries_ns <= part->before_ns || !json_is_number(now))
		return 0;
	grown = json_number_value(now) - json_number_value(json_object_get(before, key));
	return grown > 0 ? grown / seconds : 0;
}

static bool same(const json_t *a, const json_t *b)
{
	return json_equal(json_object_get(a, "by"), json_object_get(b, "by")) &&
	       json_equal(json_object_get(a, "value"), json_object_get(b, "value"));
}

/* The same entry in the previous state: nearly always at the same index. */
static const json_t *entry_before(const struct live_part *part, const json_t *entry, size_t at)
{
	const json_t *other = json_array_get(part->before, at);
	size_t i;

	if (other && same(other, entry))
		return other;
	json_array_foreach(part->before, i, other) {
		if (same(other, entry))
			return other;
	}
	return NULL;
}

bool live_wants(const struct live *live, const json_t *entry)
{
	const char *key;
	json_t *value;

	if (!live->filter[0])
		return true;
	json_object_foreach((json_t *)entry, key, value) {
		if (strcmp(key, "by") && json_is_string(value) &&
		    strcasestr(json_string_value(value), live->filter))
			return true;
	}
	return false;
}

/* Sort keys of @entry: its numbers, in their order. */
static const char *sort_key(const struct live *live, const json_t *entry)
{
	const char *keys[MAX_COLUMNS], *key;
	unsigned int nr = 0;
	json_t *value;

	json_object_foreach((json_t *)entry, key, value) {
		if (json_is_number(value) && nr < MAX_COLUMNS)
			keys[nr++] = key;
	}
	if (!(live->sort % (nr + 1)))
		return NULL;	/* original order */
	return keys[live->sort % (nr + 1) - 1];
}

static size_t collect(const struct live *live, const struct live_part *part, const char *by,
		      struct row *rows)
{
	const json_t *entry, *before;
	const char *key = NULL;
	size_t nr = 0, i;

	json_array_foreach(part->entries, i, entry) {
		if (strcmp(by, json_string_value(json_object_get(entry, "by")) ?: "") ||
		    nr == LIVE_ROWS)
			continue;
		if (!nr)
			key = sort_key(live, entry);
		if (!live_wants(live, entry))
			continue;
		before = entry_before(part, entry, i);
		rows[nr].entry = entry;
		rows[nr].packets = rate(part, entry, before, "packets");
		rows[nr].bytes = rate(part, entry, before, "bytes");
		rows[nr].sort = key ? json_number_value(json_object_get(entry, key)) : 0;
		nr++;
	}
	if (key)
		qsort(rows, nr, sizeof(*rows), by_sort);
	return nr;
}

/* Of the bars of a table; 0: there is no room for bars that can be compared. */
static unsigned int bar_columns(const struct paint *paint)
{
	unsigned int left = paint->width > TABLE_COLUMNS ? paint->width - TABLE_COLUMNS : 0;

	return left < MIN_BAR ? 0 : left < BAR ? left : BAR;
}

/* Another total fits after @len columns of them: digits that are cut off would make another number. */
static bool fits_total(const struct paint *paint, int len)
{
	return SIDE_COLUMNS + (unsigned int)len + TOTAL_COLUMNS - 1 <= paint->width &&
	       len < LINE_BYTES - 80;
}

static void draw_row(struct paint *paint, const struct row *row, double sum)
{
	char text[LINE_BYTES] = "", buf[64], pps[64], bps[64], share[BAR * 4] = "";
	const struct metric *metric;
	const char *key;
	json_t *value;
	int len = 0;

	json_object_foreach((json_t *)row->entry, key, value) {
		if (!strcmp(key, "by") || !strcmp(key, "value") || !fits_total(paint, len))
			continue;
		metric = metric_find(key);
		len += snprintf(text + len, sizeof(text) - len, "%16.24s ",
				paint_figure(buf, sizeof(buf), value,
				       metric ? metric->unit : !strcmp(key, "bytes") ? UNIT_BYTES :
				       UNIT_COUNT));
	}
	if (bar_columns(paint))
		bars_share(share, paint->live->utf8, sum > 0 ? row->packets / sum : 0, bar_columns(paint));
	value = json_object_get(row->entry, "value");
	unit_format(pps, sizeof(pps), UNIT_PPS, row->packets);
	unit_format(bps, sizeof(bps), UNIT_BPS, row->bytes * 8);
	paint_line(paint, LIVE_PLAIN, " %-23.47s%13s%15s  %s %s", paint_figure(buf, sizeof(buf), value, UNIT_NONE),
	     pps, json_is_number(json_object_get(row->entry, "bytes")) ? bps : "-", share, text);
}

static void draw_table(struct paint *paint, const struct live_part *part, const char *by,
		       struct row *rows, size_t first)
{
	size_t nr = collect(paint->live, part, by, rows), i;
	char text[LINE_BYTES] = "", name[64];
	const char *key, *sort;
	double sum = 0;
	json_t *value;
	int len = 0;

	paint_line(paint, LIVE_PLAIN, "%s", "");
	if (!nr) {
		paint_line(paint, LIVE_HEAD, "%s: nothing%s", paint_plain(name, sizeof(name), by),
		     paint->live->filter[0] ? " that matches the filter" : "");
		return;
	}
	sort = sort_key(paint->live, rows[0].entry);
	json_object_foreach((json_t *)rows[0].entry, key, value) {
		if (strcmp(key, "by") && strcmp(key, "value") && fits_total(paint, len))
			len += snprintf(text + len, sizeof(text) - len, "%15.24s%s",
					paint_plain(name, sizeof(name), key), sort && !strcmp(sort, key) ? "* " : "  ");
	}
	paint_line(paint, LIVE_HEAD, " %-23.23s%13s%15s  %-*s %s", paint_plain(name, sizeof(name), by),
	     "packets/s", "L2 bit/s", BAR,
	     bar_columns(paint) == BAR ? "share of packets" : bar_columns(paint) ? "share" : "", text);
	for (i = 0; i < nr; i++)
		sum += rows[i].packets;
	for (i = first < nr ? first : nr - 1; i < nr; i++)
		draw_row(paint, &rows[i], sum);
}

/* The part whose tables are next to those of @part: the other direction. NULL: none, or no room. */
static const struct live_part *beside(const struct paint *paint, const struct live_part *part)
{
	const struct live *live = paint->live;
	unsigned int i;

	if (live->zoomed || paint->width < 2 * SIDE_COLUMNS + SIDE_GAP || part->kind != PART_INTERFACE)
		return NULL;
	for (i = 0; i < live->nr_parts; i++) {
		if (&live->parts[i] != part && live->parts[i].kind == PART_INTERFACE && part->iface[0] &&
		    !strcmp(live->parts[i].iface, part->iface))
			return &live->parts[i];
	}
	return NULL;
}

/* What is shown below the list: the selected part, and beside it the other direction, if there is room. */
struct sides {
	const struct live_part *parts[2];	/* in the order of the list */
	unsigned int nr;
};

static struct sides sides_of(const struct paint *paint)
{
	const struct live_part *part = &paint->live->parts[paint->live->selected], *other = beside(paint, part);

	if (!other)
		return (struct sides){ { part }, 1 };
	return other < part ? (struct sides){ { other, part }, 2 } : (struct sides){ { part, other }, 2 };
}

/* The columns of side @i. */
static struct paint side_of(const struct paint *paint, const struct sides *sides, unsigned int i)
{
	struct paint side = *paint;

	if (sides->nr > 1) {
		side.width = (paint->width - SIDE_GAP) / 2;
		side.left = paint->left + i * (side.width + SIDE_GAP);
	}
	return side;
}

static void draw_names(struct paint *paint, const struct sides *sides)
{
	char name[64];
	unsigned int i;

	paint_line(paint, LIVE_PLAIN, "%s", "");
	for (i = 0; i < sides->nr; i++) {
		struct paint side = side_of(paint, sides, i);

		paint_line(&side, LIVE_HEAD, " %s", paint_plain(name, sizeof(name), sides->parts[i]->name));
	}
	paint->line++;
}

/* The tables of one kind begin at the same line. */
static void draw_tables(struct paint *paint, const struct sides *sides)
{
	struct row *rows = malloc(LIVE_ROWS * sizeof(*rows));
	const struct live *live = paint->live;
	const char *by[LIVE_TABLES];
	unsigned int nr = live_tables(sides->parts[0], sides->parts[1], by), below, i, k;

	for (i = 0; rows && i < nr && paint->line < paint->height; i++) {
		for (k = 0, below = 0; k < sides->nr; k++) {
			struct paint side = side_of(paint, sides, k);

			draw_table(&side, sides->parts[k], by[(live->table + i) % nr], rows, i ? 0 : live->first_row);
			below = side.line > below ? side.line : below;
		}
		paint->line = below;
	}
	free(rows);
}

static void draw_chart(struct paint *paint, const struct live_part *part, double top, unsigned int rows)
{
	unsigned int columns = paint->width > SCALE_COLUMNS ? paint->width - SCALE_COLUMNS : 0, row;
	char bars[LIVE_TREND * BARS_BYTES + 1], scale[64];

	columns = columns < LIVE_TREND ? columns : LIVE_TREND;
	paint_line(paint, LIVE_HEAD, " L%d bit/s, newest at the right",
		   json_object_get(part->row, "seen_l3_bps") ? 3 : 1);
	for (row = 0; row < rows; row++) {
		scale[0] = '\0';
		if (!row || row == rows - 1)
			unit_format(scale, sizeof(scale), UNIT_BPS, row ? 0 : top);
		bars_chart(bars, paint->live->utf8, part->trend + LIVE_TREND - columns, columns, top, row, rows);
		paint_line(paint, LIVE_PLAIN, "%*s %s", SCALE_COLUMNS - 1, scale, bars);
	}
}

/* The rates of both directions on one scale, in what room is left. */
static void draw_charts(struct paint *paint, const struct sides *sides)
{
	unsigned int rows = paint->height > paint->line + 2 ? paint->height - paint->line - 2 : 0, i, k;
	double top = 0;

	if (rows < MIN_CHART || paint->width < SCALE_COLUMNS + MIN_TREND)
		return;
	rows = rows < MAX_CHART ? rows : MAX_CHART;
	for (i = 0; i < sides->nr; i++) {
		for (k = 0; k < LIVE_TREND; k++)
			top = sides->parts[i]->trend[k] > top ? sides->parts[i]->trend[k] : top;
	}
	paint_line(paint, LIVE_PLAIN, "%s", "");
	for (i = 0; i < sides->nr; i++) {
		struct paint side = side_of(paint, sides, i);

		draw_chart(&side, sides->parts[i], top, rows);
	}
	paint->line += 1 + rows;
}

static void draw_sides(struct paint *paint)
{
	const struct sides sides = sides_of(paint);

	if (sides.nr > 1)
		draw_names(paint, &sides);
	draw_tables(paint, &sides);
	draw_charts(paint, &sides);
}

static void draw_help(struct paint *paint)
{
	static const char *const text[] = {
		"", "  q          quit and print the result",
		"  p, space   pause, resume",
		"  up, down   select interface and direction",
		"  TAB        select the first table; also left, right",
		"  s          sort tables by the next column (marked *), or unsorted. All flows: by",
		"             bytes, packets, rate, round-trip time, retransmissions",
		"  f          flows of the first interface, then of the next",
		"  j k        select the flow that ENTER shows",
		"  /          show only rows that contain this text; ESC: all",
		"  ENTER      all figures of one direction or flow, and back",
		"  + -        longer, shorter interval",
		"  PgUp PgDn  scroll a long table", "  ?          this help, and back",
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(text); i++)
		paint_line(paint, LIVE_PLAIN, "%s", text[i]);
}

/* The keys most used, as many as fit. */
static void draw_keys(struct paint *paint)
{
	static const char *const keys[] = {
		"q quit", "? keys", "p pause", "s sort", "/ filter", "TAB table", "ENTER all figures", "+ - interval",
	};
	char text[LINE_BYTES] = "";
	size_t used = 0, i;

	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		if (i && used + 2 + strlen(keys[i]) > paint->width)
			break;
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", i ? "  " : "", keys[i]);
	}
	paint_line(paint, LIVE_BAR, "%s", text);
}

void live_draw(const struct live *live, unsigned int width, unsigned int height, live_put_fn put,
	       void *ctx)
{
	struct paint paint = {
		.live = live, .width = width, .height = height ? height - 1 : 0, .put = put, .ctx = ctx,
	};

	paint_line(&paint, LIVE_BAR, "ethgauge watch %9.1f s   %s", (double)live->elapsed_ns / 1e9,
		   live->paused ? "paused: p resumes" : live->said);
	if (live->help) {
		draw_help(&paint);
	} else if (live->nr_parts) {
		draw_parts(&paint);
		if (live_has_flows(live)) {
			live_draw_flows(&paint);
		} else {
			if (live->zoomed)
				draw_figures(&paint);
			draw_sides(&paint);
		}
	} else {
		paint_line(&paint, LIVE_PLAIN, "no data yet");
	}
	while (paint.line < paint.height)
		paint_line(&paint, LIVE_PLAIN, "%s", "");
	paint.height = height;
	if (live->typing || live->filter[0])
		paint_line(&paint, LIVE_BAR, "/%s%s", live->filter, live->typing ? "_" : "   ESC: all rows");
	else
		draw_keys(&paint);
}
