// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * faces/text_answer.c - the answer of a run in a few lines: what was sent, received and lost, its times, and
 * what limited it.
 *
 * One table for all verbs: a row is shown where its first figure is there, and in it every figure that
 * is. What no row has is in the details (text.c) and the document.
 */

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "faces/text_parts.h"
#include "lib/array.h"
#include "lib/unit.h"
#include "result/metrics.h"
#include "result/part.h"
#include "result/value.h"

#define WORD_COLUMN	10	/* where the figures of a row begin */
#define MAX_CELLS	8
#define LEAST_ROWS	2	/* parts that make a table */
#define MAX_OF(a, b)	((a) > (b) ? (a) : (b))

struct cell {
	const char *key, *before, *after;	/* the words around the figure; NULL: none */
	bool unless_0;
	bool long_only;			/* not in an interval's line */
};

struct row {
	const char *word;
	const char *family;		/* of a distribution: its points, in one unit; then no cells */
	struct cell cells[MAX_CELLS];
	const char *line;		/* then all figures of that metric.line that are not 0 */
};

#define L1(key) { key, NULL, " L1", false, true }
#define L3(key) { key, NULL, " L3", false, true }
#define UNLESS_0(key, before) { key, before, NULL, true }
#define OF_ALL(key) { key, "(", ")", true }

static const struct row rows[] = {
	{ "saved", NULL, { { "saved_packets" } } },
	{ "sent", NULL, {
		{ "sent_packets" }, { "sent_pps" }, L1("sent_l1_bps"),
		UNLESS_0("not_sent_packets", "refused "), UNLESS_0("replay_skipped_packets", "skipped ") } },
	{ "answered", NULL, {
		{ "answered_packets" }, { "answered_pps" }, UNLESS_0("answered_icmp_packets", "ICMP "),
		UNLESS_0("refused_packets", "refused "), { "left_packets", "to the stack " } } },
	{ "received", NULL, {
		{ "received_packets" }, { "received_pps" }, L1("received_l1_bps") } },
	{ "lost", NULL, {
		{ "lost_packets" }, OF_ALL("lost_ratio"), { "duplicate_packets", "duplicates " },
		{ "reordered_packets", "reordered " }, UNLESS_0("given_up_packets", "given up ") } },
	{ "placed", NULL, {
		{ "out_lost_packets", "out " }, { "back_lost_packets", "back " },
		UNLESS_0("unplaced_lost_packets", "unknown ") } },
	{ "damaged", NULL, {
		UNLESS_0("bad_checksum_packets", "wrong checksum "),
		UNLESS_0("bad_payload_packets", "wrong payload ") } },
	{ "rate", NULL, {
		{ "transactions_per_s", NULL, "/s" }, { "transactions", NULL, " transactions" },
		UNLESS_0("requests_timed_out", "timed out ") } },
	{ "goodput", NULL, {
		{ "payload_received_bps" }, { "payload_received_bytes" },
		{ "tcp_retransmits", "retransmits " }, { "tcp_rtt_ns", "srtt " }, { "tcp_cwnd_packets", "cwnd " } } },
	{ "datagrams", NULL, {
		{ "datagrams_received" }, { "datagrams_sent", "of " },
		{ "datagrams_duplicate", "duplicates " }, { "datagrams_reordered", "reordered " } } },
	{ "lost", NULL, {
		{ "datagrams_lost" }, OF_ALL("datagrams_lost_ratio"),
		UNLESS_0("socket_dropped_packets", "receiver's socket ") } },
	{ "rate", NULL, {
		{ "load_transactions_per_s", NULL, "/s" }, { "load_transactions", NULL, " transactions" },
		{ "load_received_bps", NULL, " received" },
		{ "load_clients", "clients " } } },
	{ "failed", NULL, { UNLESS_0("load_failed", "") }, "failed by kind" },
	{ "seen", NULL, {
		{ "impair_seen_packets" }, { "impair_seen_pps" }, { "impair_passed_packets", "forwarded " },
		{ "impair_out_frames", "frames out " },
		UNLESS_0("impair_unmatched_packets", "not matched ") } },
	{ "impaired", NULL, {
		UNLESS_0("impair_lost_packets", "lost "), UNLESS_0("impair_duplicated_packets", "duplicated "),
		UNLESS_0("impair_delayed_packets", "delayed "), UNLESS_0("impair_reordered_packets", "reordered "),
		UNLESS_0("impair_ce_packets", "marked CE "), UNLESS_0("impair_remarked_packets", "remarked "),
		UNLESS_0("impair_corrupted_packets", "corrupted "),
		UNLESS_0("impair_queue_dropped_frames", "queue full ") } },
	{ "served", NULL, {
		{ "served_tests", "tests " }, { "served_clients", "clients " },
		{ "payload_received_bytes", "received " }, { "payload_sent_bytes", "sent " } } },
	{ "seen", NULL, {
		{ "seen_packets" }, { "seen_pps" }, L1("seen_l1_bps"), L3("seen_l3_bps"),
		{ "burst_1ms_l1_bps", "peak of 1 ms " }, { "burst_1ms_l3_bps", "peak of 1 ms " } } },
	{ "lossless", NULL, {
		{ "throughput_pps" }, L1("throughput_l1_bps"), { "throughput_ratio", NULL, " of the highest load" } } },
	{ "latency", NULL, {
		{ "latency_typical_ns", "typical " }, { "latency_worst_ns", "worst " },
		{ "latency_max_ns", "max " } } },
	{ "bursts", NULL, {
		{ "back_to_back_mean_packets", NULL, " frames without loss" },
		{ "buffer_packets", "buffer ", " frames" } } },
	{ "recovery", NULL, { { "recovery_mean_ns" }, { "recovery_max_ns", "max " } } },
	{ "reset", NULL, { { "reset_mean_ns" }, { "reset_max_ns", "max " } } },
	{ "service", NULL, {
		{ "service_flr_ratio", "loss " }, { "service_ftd_ns", "delay " }, { "service_fdv_ns", "variation " },
		{ "service_availability_ratio", "available " } } },
	{ "transfer", NULL, {
		{ "transfer_time_factor", "time ", " of the ideal" }, { "tcp_efficiency_ratio", "efficiency " },
		{ "buffer_delay_ratio", "buffer delay " } } },
	{ "flows", NULL, {
		{ "flow_new_count", "new " }, { "flow_ended_count", "ended " }, { "flow_active_count", "active " },
		{ "tcp_retransmitted_packets", "retransmitted " }, { "tcp_out_of_order_packets", "out of order " },
		UNLESS_0("folded_packets", "folded ") } },
	{ "dropped", NULL, {
		{ "dropped_packets" }, { "host_dropped_packets", "by this host's stack " } } },
	{ "one-way", "delay" },
	{ "round", "rtt" },
	{ "out", "out" },
	{ "back", "back" },
	{ "connect", "load_connect" },
	{ "total", "load_total" },
};

#define NR_ROWS ARRAY_SIZE(rows)

/* A row as it fills up. */
struct line {
	FILE *out;
	const char *word;
	size_t column;		/* 0: nothing is printed yet */
	bool begun;		/* the word is printed */
	bool one;		/* an interval's: one line, and only the main figures */
	bool full;		/* of @one: its end is reached */
};

/* In an interval's line: what does not fit ends it. */
static void put_on_one(struct line *line, const char *gap, const char *item)
{
	char text[128];

	snprintf(text, sizeof(text), "%s%s%s%s", line->begun ? gap : "  ", line->begun ? "" : line->word,
		 line->begun ? "" : " ", item);
	line->full |= line->column + strlen(text) > PAGE_WIDTH;
	if (!line->full)
		line->column += (size_t)fprintf(line->out, "%s", text);
}

static void put_item(struct line *line, const char *gap, const char *item)
{
	if (line->one)
		put_on_one(line, gap, item);
	else if (!line->begun)
		line->column = (size_t)fprintf(line->out, "%-*s %s", WORD_COLUMN - 1, line->word, item);
	else if (line->column + strlen(gap) + strlen(item) <= PAGE_WIDTH)
		line->column += (size_t)fprintf(line->out, "%s%s", gap, item);
	else
		line->column = (size_t)fprintf(line->out, "\n%*s%s", WORD_COLUMN, "", item) - 1;
	line->begun = true;
}

static const char *gap_of(const struct line *line)
{
	return line->one ? "  " : "   ";
}

static bool is_left_out(const struct line *line, const struct cell *cell, const json_t *figure)
{
	if (!json_is_number(figure) || (line->one && cell->long_only))
		return true;
	/* What an interval has none of is not worth its place. */
	return (cell->unless_0 || (line->one && cell->before)) && !(json_number_value(figure) > 0);
}

static void put_cells(struct line *line, const json_t *figures, const struct row *row)
{
	const struct cell *cell;
	char value[64], item[96];

	if (!json_is_number(json_object_get(figures, row->cells[0].key)))
		return;
	for (cell = row->cells; cell < row->cells + MAX_CELLS && cell->key; cell++) {
		const json_t *figure = json_object_get(figures, cell->key);

		if (is_left_out(line, cell, figure))
			continue;
		snprintf(item, sizeof(item), "%s%s%s", cell->before ? cell->before : "",
			 value_show(value, sizeof(value), metric_find(cell->key), figure),
			 cell->after ? cell->after : "");
		put_item(line, cell->before && *cell->before == '(' ? " " : gap_of(line), item);
	}
}

static void put_kinds(struct line *line, const json_t *figures, const char *name)
{
	const struct metric *metric;
	char value[64], item[128];
	size_t i;

	for (i = 0; (metric = metric_at(i)); i++) {
		const json_t *figure = json_object_get(figures, metric->key);

		if (!metric->line || strcmp(metric->line, name) || !(json_number_value(figure) > 0))
			continue;
		snprintf(item, sizeof(item), "%s %s", metric->label, value_show(value, sizeof(value), metric, figure));
		put_item(line, gap_of(line), item);
	}
}

/* A time in a unit that others share: three digits at least, thousands in groups. */
static void format_time(char *buf, size_t size, double ns, double unit_ns)
{
	double value = ns / unit_ns;

	if (value >= 999.5)
		unit_format(buf, size, UNIT_COUNT, round(value));
	else
		snprintf(buf, size, "%.*f", unit_ns == 1 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2, value);
}

static double point(const json_t *figures, const char *family, enum dist_stat stat)
{
	const json_t *value = value_point(figures, family, stat);

	return json_is_number(value) ? json_number_value(value) : NAN;
}

/* In an interval's line all of them or none: without the unit after the last they say nothing. */
static void put_points_on_one(struct line *line, const double *ns, const enum dist_stat *points, size_t nr,
			      double unit_ns, const char *unit)
{
	char value[32], item[96] = "";
	size_t i, len = 0;

	for (i = 0; i < nr; i++) {
		if (isnan(ns[i]) || (points[i] != DIST_P50 && points[i] != DIST_P99))
			continue;
		format_time(value, sizeof(value), ns[i], unit_ns);
		len += (size_t)snprintf(item + len, sizeof(item) - len, "%s%s %s", len ? gap_of(line) : "",
					dist_label(points[i]), value);
	}
	if (!len)
		return;
	snprintf(item + len, sizeof(item) - len, " %s", unit);
	put_item(line, gap_of(line), item);
}

/* The points of a distribution in the unit of its median, which is printed once. */
static void put_points(struct line *line, const json_t *figures, const struct row *row)
{
	enum dist_stat points[] = { DIST_MIN, DIST_P50, DIST_P99, DIST_P99_9, DIST_MAX };
	const size_t nr = ARRAY_SIZE(points);
	double ns[nr], unit_ns;
	char value[32], item[64];
	const char *unit;
	size_t i;

	if (isnan(point(figures, row->family, DIST_P50)))
		points[1] = DIST_MEAN;
	for (i = 0; i < nr; i++)
		ns[i] = point(figures, row->family, points[i]);
	unit_ns = unit_time(isnan(ns[1]) ? ns[nr - 1] : ns[1], &unit);
	if (line->one) {
		put_points_on_one(line, ns, points, nr, unit_ns, unit);
		return;
	}
	for (i = 0; i < nr; i++) {
		if (isnan(ns[i]))
			continue;
		format_time(value, sizeof(value), ns[i], unit_ns);
		snprintf(item, sizeof(item), "%s %s", dist_label(points[i]), value);
		put_item(line, gap_of(line), item);
	}
	if (line->begun)
		put_item(line, " ", unit);
}

static void put_row(struct line *line, const json_t *figures, const struct row *row)
{
	line->word = row->word;
	line->begun = false;
	if (row->family)
		put_points(line, figures, row);
	else
		put_cells(line, figures, row);
	if (row->line && line->begun && !line->one)
		put_kinds(line, figures, row->line);
}

static bool end_line(const struct line *line)
{
	if (line->begun)
		fputc('\n', line->out);
	return line->begun;
}

static bool put_limit(FILE *out, const json_t *self)
{
	const char *limit = value_str(self, "bottleneck");

	if (!*limit || !strcmp(limit, "none") || !strcmp(limit, "unknown"))
		return false;
	fprintf(out, "%-*s%s\n", WORD_COLUMN, "limit", limit);
	return true;
}

bool text_answer(FILE *out, const json_t *tree)
{
	const json_t *figures = json_object_get(tree, "metrics");
	struct line line = { .out = out };
	bool any = false;
	size_t i;

	for (i = 0; i < NR_ROWS; i++) {
		put_row(&line, figures, &rows[i]);
		any |= end_line(&line);
	}
	any |= put_limit(out, json_object_get(tree, "self"));
	return any;
}

bool text_answer_row(FILE *out, const json_t *row, size_t column)
{
	struct line line = { .out = out, .column = column, .one = true };
	size_t i;

	for (i = 0; i < NR_ROWS; i++)
		put_row(&line, row, &rows[i]);
	return line.column > column;
}

double text_answer_rate(const json_t *row)
{
	const struct cell *cell;
	size_t i;

	for (i = 0; i < NR_ROWS; i++) {
		if (!json_object_get(row, rows[i].cells[0].key ? rows[i].cells[0].key : ""))
			continue;
		for (cell = rows[i].cells; cell < rows[i].cells + MAX_CELLS && cell->key; cell++) {
			const json_t *figure = json_object_get(row, cell->key);
			enum unit unit = metric_find(cell->key)->unit;

			/* Counts are integers: a real one is per second. */
			if (json_is_real(figure) && unit != UNIT_RATIO && unit != UNIT_NS)
				return json_number_value(figure);
		}
	}
	return NAN;
}

/* "ping 198.18.0.2 by eg0, 64-byte frames, AF_XDP engine, 4.00 s" */
void text_head(FILE *out, const json_t *tree)
{
	const json_t *config = json_object_get(tree, "config"), *environment = json_object_get(tree, "environment");
	const json_t *figures = json_object_get(tree, "metrics"), *value;
	struct line line = { .out = out, .word = value_str(tree, "command") };
	char item[256], text[64];
	const char *key, *engine = value_str(environment, "engine");
	size_t i;
	static const char *const times[] = { "duration_ns", "tested_ns", "elapsed_ns" };

	/* Arguments are in capitals. */
	json_object_foreach((json_t *)config, key, value) {
		if (isupper(*key) && *value_str(config, key))
			put_item(&line, " ", value_str(config, key));
	}
	if (*value_str(environment, "interface")) {
		snprintf(item, sizeof(item), "by %s", value_str(environment, "interface"));
		put_item(&line, " ", item);
	}
	value = json_object_get(config, "frame-bytes");
	if (json_is_integer(value) || *value_str(config, "frame-bytes")) {
		snprintf(item, sizeof(item), "%s-byte frames", value_any(text, sizeof(text), value));
		put_item(&line, "   ", item);
	}
	if (*engine) {
		snprintf(item, sizeof(item), "%s engine", strcmp(engine, "afxdp") ? engine : "AF_XDP");
		put_item(&line, "   ", item);
	}
	for (i = 0; i < ARRAY_SIZE(times); i++) {
		value = json_object_get(figures, times[i]);
		if (!(json_number_value(value) > 0))
			continue;
		put_item(&line, "   ", unit_format(text, sizeof(text), UNIT_NS, json_number_value(value)));
		break;
	}
	if (!end_line(&line))
		fprintf(out, "%s\n", line.word);
}

/* A column of the table of parts; of its figures a part has one. A row has a rate, or a lossless one. */
static const struct column_of_parts {
	const char *head, *keys[3];
} columns[] = {
	{ "rate", { "received_pps", "seen_pps" } },
	{ "lossless", { "throughput_pps" } },
	{ "L1 rate", { "seen_l1_bps", "throughput_l1_bps" } },
	{ "L3 rate", { "seen_l3_bps" } },
	{ "peak of 1 ms", { "burst_1ms_l1_bps", "burst_1ms_l3_bps" } },
	{ "of link", { "throughput_ratio" } },
	{ "p50", { "delay_p50_ns", "rtt_p50_ns" } },
	{ "p99", { "delay_p99_ns", "rtt_p99_ns" } },
	{ "typical", { "latency_typical_ns" } },
	{ "worst", { "latency_worst_ns" } },
	{ "buffer", { "buffer_packets" } },
	{ "lost", { "lost_packets" } },
};

#define NR_COLUMNS ARRAY_SIZE(columns)

static const char *cell_of(char *buf, size_t size, const json_t *part, const struct column_of_parts *column)
{
	const json_t *figures = json_object_get(part, "metrics");
	size_t i;

	for (i = 0; i < 3 && column->keys[i]; i++) {
		const json_t *figure = json_object_get(figures, column->keys[i]);

		if (json_is_number(figure))
			return value_show(buf, size, metric_find(column->keys[i]), figure);
	}
	return "";
}

bool text_parts_has(const json_t *part)
{
	char buf[64];

	return part_kind(part) != PART_ASIDE &&
	       (*cell_of(buf, sizeof(buf), part, &columns[0]) || *cell_of(buf, sizeof(buf), part, &columns[1]));
}

bool text_parts(FILE *out, const json_t *parts)
{
	size_t widths[NR_COLUMNS] = { 0 }, name_width = 0, nr = 0, i, k;
	const json_t *part;
	char buf[64];

	json_array_foreach(parts, i, part) {
		if (!text_parts_has(part))
			continue;
		nr++;
		name_width = MAX_OF(name_width, strlen(value_str(part, "name")));
		for (k = 0; k < NR_COLUMNS; k++) {
			size_t len = strlen(cell_of(buf, sizeof(buf), part, &columns[k]));

			if (len)
				widths[k] = MAX_OF(widths[k], MAX_OF(len, strlen(columns[k].head)));
		}
	}
	if (nr < LEAST_ROWS)
		return false;
	fprintf(out, "%*s", (int)name_width, "");
	for (k = 0; k < NR_COLUMNS; k++) {
		if (widths[k])
			fprintf(out, "  %*s", (int)widths[k], columns[k].head);
	}
	fputc('\n', out);
	json_array_foreach(parts, i, part) {
		if (!text_parts_has(part))
			continue;
		fprintf(out, "%-*s", (int)name_width, value_str(part, "name"));
		for (k = 0; k < NR_COLUMNS; k++) {
			if (widths[k])
				fprintf(out, "  %*s", (int)widths[k], cell_of(buf, sizeof(buf), part, &columns[k]));
		}
		fputc('\n', out);
	}
	return true;
}
