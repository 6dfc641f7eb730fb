// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * faces/progress.c - how far a command is.
 *
 * The line is all that is seen of earlier intervals: what they counted stays in it as a sum.
 */
#include "faces/progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "faces/text_parts.h"
#include "lib/bars.h"
#include "lib/status.h"
#include "result/metrics.h"
#include "result/tree.h"

#define TREND		16
#define TREND_NARROW	8
#define TREND_GAP	2
#define WIDE_FROM	100
#define NARROW_TO	63		/* columns of the terminal: figures instead of the trend */
#define LINE_BYTES	1024

struct progress {
	uint64_t duration_ns, count;
	json_t *row;			/* the newest; its counts are those since the start */
	double trend[TREND];		/* the newest is the last */
	char line[LINE_BYTES];
};

struct progress *progress_new(uint64_t duration_ns, uint64_t count)
{
	struct progress *progress = calloc(1, sizeof(*progress));

	if (!progress)
		return NULL;
	progress->duration_ns = duration_ns;
	progress->count = count;
	progress->row = json_object();
	return progress;
}

void progress_free(struct progress *progress)
{
	if (!progress)
		return;
	json_decref(progress->row);
	free(progress);
}

void progress_take(struct progress *progress, const struct result *res)
{
	const json_t *series = json_object_get(result_tree(res), "series");
	json_t *row = json_deep_copy(json_array_get(series, json_array_size(series) - 1)), *value, *before;
	const char *key;

	json_object_foreach(row, key, value) {
		const struct metric *metric = metric_find(key);

		before = json_object_get(progress->row, key);
		if (metric && metric_adds_up(metric) && json_is_integer(value) && strcmp(key, "elapsed_ns"))
			json_integer_set(value, json_integer_value(value) + json_integer_value(before));
	}
	/* What arrived is what was sent without the lost, which must have its place. */
	if (json_object_get(row, "sent_packets") && json_object_get(row, "lost_packets")) {
		json_object_del(row, "received_packets");
		json_object_del(row, "received_pps");
	}
	json_decref(progress->row);
	progress->row = row;
	memmove(progress->trend, progress->trend + 1, (TREND - 1) * sizeof(progress->trend[0]));
	progress->trend[TREND - 1] = text_answer_rate(row);
}

/* "   3 s" where the end is not known, then the figures that fit. */
static void put_figures(const struct progress *progress, char *buf, size_t size, unsigned int width, bool has_end)
{
	double seconds = json_number_value(json_object_get(progress->row, "elapsed_ns")) / 1e9;
	FILE *out = fmemopen(buf, size, "w");
	size_t column = width < PAGE_WIDTH ? PAGE_WIDTH - width : 0;

	*buf = '\0';
	if (!out)
		return;
	if (!has_end)
		column += (size_t)fprintf(out, "%4.0f s", seconds);
	text_answer_row(out, progress->row, column);
	fclose(out);
}

static void put_trend(const struct progress *progress, char *buf, size_t size, unsigned int width,
		      unsigned int columns, bool utf8)
{
	const double *points = progress->trend + TREND - columns;
	char blocks[TREND * BARS_BYTES + 1];
	size_t len = strlen(buf);
	double top = 0;
	unsigned int i;

	for (i = 0; i < columns; i++)
		top = points[i] > top ? points[i] : top;
	bars_trend(blocks, utf8, points, columns, top);
	snprintf(buf + len, size - len, "%*s%s", (int)(width - len) + TREND_GAP, "", blocks);
}

static double share_of(const struct progress *progress, double elapsed_ns)
{
	const json_t *sent = json_object_get(progress->row, "sent_packets");
	double share = NAN;

	if (progress->duration_ns)
		share = elapsed_ns / (double)progress->duration_ns;
	else if (progress->count && sent)
		share = json_number_value(sent) / (double)progress->count;
	return share > 1 ? 1 : share;
}

static unsigned int trend_columns(unsigned int columns)
{
	return columns + 1 >= WIDE_FROM ? TREND : columns + 1 > NARROW_TO ? TREND_NARROW : 0;
}

/* What remains at the pace so far; nothing more is known of what follows the end. */
static double left_of(double share, double elapsed_ns)
{
	return share > 0 ? elapsed_ns * (1 - share) / share : NAN;
}

const char *progress_line(struct progress *progress, unsigned int columns, bool utf8)
{
	double elapsed_ns = json_number_value(json_object_get(progress->row, "elapsed_ns"));
	unsigned int trend = trend_columns(columns), width;
	char text[LINE_BYTES];
	struct status status = { .share = share_of(progress, elapsed_ns), .text = text };

	status.left_ns = left_of(status.share, elapsed_ns);
	width = status_text_columns(columns, &status) - (trend ? trend + TREND_GAP : 0);
	put_figures(progress, text, sizeof(text), width, !isnan(status.share));
	if (trend)
		put_trend(progress, text, sizeof(text), width, trend, utf8);
	return status_line(progress->line, sizeof(progress->line), columns, utf8, &status);
}

void progress_show(struct progress *progress)
{
	unsigned int columns = progress ? status_columns() : 0;

	if (columns)
		status_show(progress_line(progress, columns, bars_utf8()));
}
