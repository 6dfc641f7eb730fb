// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * faces/headline.c - a result in one sentence.
 */
#include "faces/headline.h"

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "faces/figures_parts.h"
#include "lib/array.h"
#include "result/metrics.h"
#include "result/part.h"
#include "result/value.h"

#define NAMED_PARTS 3	/* more are summed up */

/* The first that a run has is its rate. */
static const struct rate {
	const char *key, *before, *after;
	const char *of;		/* what was to be reached; may be NULL */
	const char *and[2];	/* the same in bits: those of these that it has */
} rates[] = {
	{ "calibrated_exact_pps", "exact up to ", "", NULL },
	{ "transfer_time_factor", "transfer time ", " of the ideal", NULL },
	{ "throughput_pps", "throughput ", "", NULL },
	{ "service_flr_ratio", "frame loss ratio ", "", NULL },
	{ "buffer_packets", "buffer of ", " frames", NULL },
	{ "load_transactions_per_s", "", " transactions/s", NULL },
	{ "transactions_per_s", "", " transactions/s", NULL },
	{ "payload_received_bps", "goodput ", "", NULL },
	{ "received_pps", "received ", "", "sent_pps" },
	{ "answered_pps", "answered ", "", NULL },
	{ "impair_seen_packets", "saw ", " packets", NULL },
	{ "served_tests", "tests served: ", "", NULL },
	{ "seen_pps", "saw ", "", NULL, { "seen_l1_bps", "seen_l3_bps" } },
	{ "sent_pps", "sent ", "", NULL },
};

#define NR_RATES ARRAY_SIZE(rates)

static const struct loss {
	const char *lost, *of, *what;
	bool unless_0;
} losses[] = {
	{ "lost_packets", "sent_packets", "lost" },
	{ "datagrams_lost", "datagrams_sent", "lost" },
	{ "load_failed", "load_transactions", "failed" },
	/* On purpose. */
	{ "impair_lost_packets", "impair_seen_packets", "lost", true },
	{ "impair_duplicated_packets", "impair_seen_packets", "duplicated", true },
	{ "impair_delayed_packets", "impair_seen_packets", "delayed", true },
	{ "impair_reordered_packets", "impair_seen_packets", "reordered", true },
	{ "impair_ce_packets", "impair_seen_packets", "marked CE", true },
	{ "impair_remarked_packets", "impair_seen_packets", "remarked", true },
	{ "impair_corrupted_packets", "impair_seen_packets", "corrupted", true },
};

struct sentence {
	char *buf;
	size_t size, used;
};

__attribute__((format(printf, 2, 3)))
static void say(struct sentence *s, const char *format, ...)
{
	va_list args;

	if (s->used >= s->size)
		return;
	va_start(args, format);
	s->used += (size_t)vsnprintf(s->buf + s->used, s->size - s->used, format, args);
	va_end(args);
}

static const char *gap(const struct sentence *s)
{
	return s->used ? "; " : "";
}

static const json_t *figure(const json_t *tree, const char *key)
{
	const json_t *value = json_object_get(json_object_get(tree, "metrics"), key);

	return json_is_number(value) ? value : NULL;
}

static const char *show(char *buf, size_t size, const char *key, double value)
{
	return unit_format(buf, size, metric_find(key)->unit, value);
}

static const struct rate *rate_of(const json_t *tree)
{
	size_t i;

	for (i = 0; i < NR_RATES; i++) {
		if (figure(tree, rates[i].key))
			return &rates[i];
	}
	return NULL;
}

static void say_rate(struct sentence *s, const struct rate *rate, const json_t *tree)
{
	const struct metric *metric = metric_find(rate->key);
	const json_t *of = rate->of ? figure(tree, rate->of) : NULL;
	char value[64];
	size_t i;

	say(s, "%s%s%s", rate->before, value_show(value, sizeof(value), metric, figure(tree, rate->key)),
	    rate->after);
	if (of)
		say(s, " of %s", value_show(value, sizeof(value), metric, of));
	for (i = 0; i < 2 && rate->and[i]; i++) {
		const struct metric *and = metric_find(rate->and[i]);

		if (figure(tree, and->key))
			say(s, ", %s %s", value_show(value, sizeof(value), and, figure(tree, and->key)), and->label);
	}
}

static void say_loss(struct sentence *s, const struct loss *loss, double lost, double of)
{
	char text[64];

	say(s, "%s%s", gap(s), show(text, sizeof(text), loss->lost, lost));
	if (of > 0)
		say(s, " of %s", show(text, sizeof(text), loss->lost, of));
	say(s, " %s", loss->what);
	if (lost > 0 && of > 0)
		say(s, " (%s)", unit_format(text, sizeof(text), UNIT_RATIO, lost / of));
}

/* Of @tree, or the sum of its parts'. */
static void say_losses(struct sentence *s, const json_t *tree, bool parts)
{
	const json_t *part;
	size_t k, i;

	for (k = 0; k < ARRAY_SIZE(losses); k++) {
		const json_t *lost = figure(tree, losses[k].lost);
		double sum = json_number_value(lost), of = json_number_value(figure(tree, losses[k].of));
		bool any = lost != NULL;

		json_array_foreach(parts ? json_object_get(tree, "parts") : NULL, i, part) {
			lost = figure(part, losses[k].lost);
			if (!lost || part_kind(part) == PART_ASIDE)
				continue;
			any = true;
			sum += json_number_value(lost);
			of += json_number_value(figure(part, losses[k].of));
		}
		if (any && (sum > 0 || !losses[k].unless_0))
			say_loss(s, &losses[k], sum, of);
	}
}

static void say_times(struct sentence *s, const json_t *tree)
{
	static const char *const families[] = {
		"rtt", "transaction", "delay", "load_total", "latency", "calibrated_delay_floor",
	};
	static const enum dist_stat stats[] = { DIST_P50, DIST_P99 };
	const json_t *figures = json_object_get(tree, "metrics");
	size_t f, k;

	for (f = 0; f < ARRAY_SIZE(families); f++) {
		bool any = false;

		for (k = 0; k < ARRAY_SIZE(stats); k++) {
			const json_t *value = value_point(figures, families[f], stats[k]);
			const struct metric *metric = metric_of(families[f], stats[k]);
			char text[64];

			if (!json_is_number(value))
				continue;
			say(s, "%s%s", any ? "," : gap(s), any ? "" : metric->title ? metric->title :
			    figures_name(text, sizeof(text), families[f]));
			say(s, " %s %s", dist_label(stats[k]), value_show(text, sizeof(text), metric, value));
			any = true;
		}
		if (any)
			return;
	}
}

static void say_limit(struct sentence *s, const json_t *tree)
{
	static const struct {
		const char *word, *text;
	} limits[] = {
		{ "sender cpu", "the sender's CPU" }, { "receiver cpu", "the receiver's CPU" },
		{ "ring", "the receive ring" }, { "link", "the link" }, { "socket", "the socket" },
	};
	const char *word = value_str(json_object_get(tree, "self"), "bottleneck");
	size_t i;

	for (i = 0; i < ARRAY_SIZE(limits); i++) {
		if (!strcmp(word, limits[i].word))
			say(s, "%slimited by %s", gap(s), limits[i].text);
	}
}

/* The least and the greatest of a figure; how many have it. */
struct range {
	double least, most;
	size_t nr;
};

static void widen(struct range *range, double value)
{
	range->least = range->nr ? fmin(range->least, value) : value;
	range->most = range->nr ? fmax(range->most, value) : value;
	range->nr++;
}

static void say_range(struct sentence *s, const char *key, const struct range *range)
{
	char text[64];

	say(s, "%s", show(text, sizeof(text), key, range->least));
	if (range->most > range->least)
		say(s, " to %s", show(text, sizeof(text), key, range->most));
}

static bool has_rate(const json_t *part, const struct rate *rate)
{
	return part_kind(part) != PART_ASIDE && figure(part, rate->key);
}

/* Few parts by name, of more the range of the first one's rate. */
static void say_parts(struct sentence *s, const json_t *parts, const struct rate *rate)
{
	struct range range = { 0 };
	const json_t *part;
	size_t i;

	json_array_foreach(parts, i, part) {
		if (has_rate(part, rate))
			widen(&range, json_number_value(figure(part, rate->key)));
	}
	if (range.nr > NAMED_PARTS) {
		say(s, "%s", rate->before);
		say_range(s, rate->key, &range);
		say(s, "%s in %zu runs", rate->after, range.nr);
		return;
	}
	json_array_foreach(parts, i, part) {
		if (!has_rate(part, rate))
			continue;
		say(s, "%s%.60s: ", gap(s), value_str(part, "name"));
		say_rate(s, rate, part);
	}
}

/* The rate that comes first of those of the parts, if it comes before the whole's. */
static const struct rate *rate_of_parts(const json_t *tree)
{
	const struct rate *first = NULL, *whole = rate_of(tree);
	const json_t *part;
	size_t i;

	json_array_foreach(json_object_get(tree, "parts"), i, part) {
		const struct rate *rate = part_kind(part) == PART_ASIDE ? NULL : rate_of(part);

		if (rate && (!first || rate < first))
			first = rate;
	}
	return first && (!whole || first < whole) ? first : NULL;
}

static bool say_sweep(struct sentence *s, const json_t *tree)
{
	struct range range = { 0 };
	struct swept swept;
	const json_t *cell;
	char name[96];
	size_t i;

	if (!swept_open(&swept, tree) || !metric_find(swept.metric))
		return false;
	json_array_foreach(swept.cells, i, cell) {
		if (json_is_number(json_object_get(cell, "median")))
			widen(&range, json_number_value(json_object_get(cell, "median")));
	}
	if (!range.nr)
		return false;
	say(s, "%s ", figures_name(name, sizeof(name), swept.metric));
	say_range(s, swept.metric, &range);
	say(s, " over %zu setting%s", range.nr, range.nr == 1 ? "" : "s");
	return true;
}

const char *headline(char *buf, size_t size, const json_t *tree)
{
	struct sentence s = { buf, size, 0 };
	const json_t *error = json_array_get(json_object_get(tree, "errors"), 0);
	const struct rate *rate = rate_of(tree), *of_parts = rate_of_parts(tree);

	buf[0] = '\0';
	if (error) {
		say(&s, "failed: %.300s", value_str(error, "what"));
		return buf;
	}
	if (say_sweep(&s, tree))
		return buf;
	if (of_parts)
		say_parts(&s, json_object_get(tree, "parts"), of_parts);
	else if (rate)
		say_rate(&s, rate, tree);
	say_losses(&s, tree, of_parts != NULL);
	say_times(&s, tree);
	say_limit(&s, tree);
	return buf;
}
