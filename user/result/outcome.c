// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * result/outcome.c - figures of another run's result document.
 */
#include "result/outcome.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include <jansson.h>

#include "lib/array.h"
#include "lib/hist.h"
#include "result/metrics.h"

#define LARGEST 9e18

static json_t *find(const json_t *doc, const char *key)
{
	json_t *found = json_object_get(json_object_get(doc, "metrics"), key), *part;
	size_t i;

	if (json_is_number(found))
		return found;
	json_array_foreach(json_object_get(doc, "parts"), i, part) {
		found = find(part, key);
		if (found)
			return found;
	}
	return NULL;
}

static bool is_string(const json_t *object, const char *key, const char *value)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text && !strcmp(text, value);
}

/* The interface's MTU and duplex, and the least MSS, of @doc and its parts. */
static void find_link(const json_t *doc, struct outcome_run *run)
{
	const json_t *environment = json_object_get(doc, "environment");
	json_t *entry, *part;
	uint32_t mss;
	size_t i;

	if (!run->mtu)
		run->mtu = (uint32_t)json_integer_value(json_object_get(environment, "mtu"));
	run->half_duplex |= is_string(environment, "duplex", "half");
	json_array_foreach(json_object_get(doc, "entries"), i, entry) {
		mss = (uint32_t)json_integer_value(json_object_get(entry, "mss"));
		if (mss && (!run->mss_bytes || mss < run->mss_bytes))
			run->mss_bytes = mss;
	}
	json_array_foreach(json_object_get(doc, "parts"), i, part)
		find_link(part, run);
}

int outcome_read(FILE *in, const char *key, struct outcome_run *ret_run, struct err *e)
{
	json_t *doc = json_loadf(in, 0, NULL), *what, *value;
	int err = 0;

	what = json_object_get(json_array_get(json_object_get(doc, "errors"), 0), "what");
	value = find(doc, key);
	if (!doc)
		err = err_set(e, -EBADMSG, "cannot read the run's result");
	else if (json_is_string(what))
		err = err_plain(e, -EIO, "the run failed: %s", json_string_value(what));
	else if (!value)
		err = err_plain(e, -ENODATA, "the run's result has no figure '%s'", key);
	if (err)
		goto out;
	*ret_run = (struct outcome_run){
		.value = json_number_value(value),
		.both_ways = is_string(json_object_get(doc, "config"), "bidir", "yes"),
	};
	find_link(doc, ret_run);
out:
	json_decref(doc);
	return err;
}

static uint64_t integer(const json_t *value)
{
	return json_integer_value(value) > 0 ? (uint64_t)json_integer_value(value) : 0;
}

bool outcome_interval(const char *line, struct outcome_row *ret_row)
{
	json_t *row = json_loads(line, 0, NULL);
	const char *type = json_string_value(json_object_get(row, "type"));
	json_t *elapsed = json_object_get(row, "elapsed_ns");
	json_t *packets = json_object_get(row, "received_packets");
	bool is_row = type && !strcmp(type, "interval") && json_is_integer(elapsed) && json_is_integer(packets);

	if (is_row)
		*ret_row = (struct outcome_row){
			.elapsed_ns = integer(elapsed),
			.received_packets = integer(packets),
			.distinct_packets = integer(json_object_get(row, "distinct_packets")),
			.duplicate_packets = integer(json_object_get(row, "duplicate_packets")),
		};
	json_decref(row);
	return is_row;
}

/* Another version's figures may have other definitions. */
static int check_writer(const json_t *doc, struct err *e)
{
	const char *tool = json_string_value(json_object_get(doc, "tool"));
	const char *command = json_string_value(json_object_get(doc, "command"));
	json_t *what = json_object_get(json_array_get(json_object_get(doc, "errors"), 0), "what");

	if (!tool || !command || strcmp(command, "sink"))
		return err_set(e, -EBADMSG, "cannot read the receiver's result");
	/* Check the version first: an error may be an option that it does not know. */
	if (strcmp(tool, "ethgauge " TOOL_VERSION) ||
	    json_integer_value(json_object_get(doc, "format")) != RESULT_FORMAT) {
		err_plain(e, -EPROTO, "the receiver is %s, and this is ethgauge " TOOL_VERSION, tool);
		return err_hint(e, "both hosts must have the same version");
	}
	if (what)
		return err_plain(e, -EIO, "the receiver failed: %s",
				 json_is_string(what) ? json_string_value(what) : "no reason given");
	return 0;
}

/* Computed from two hosts' clocks. */
static bool is_of_delay(const char *key)
{
	static const char *const prefixes[] = { "delay_", "pdv_", "ipdv_", "jitter_" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(prefixes); i++) {
		if (!strncmp(key, prefixes[i], strlen(prefixes[i])))
			return true;
	}
	return false;
}

/* Another host wrote it: no figure that is counted or timed is as large as LARGEST, so that each fits an integer. */
static double number_at(const json_t *metrics, const char *key, double otherwise)
{
	const json_t *value = key ? json_object_get(metrics, key) : NULL;

	return json_is_number(value) && fabs(json_number_value(value)) < LARGEST ? json_number_value(value) : otherwise;
}

static double number(const json_t *metrics, const struct metric *metric)
{
	return number_at(metrics, metric ? metric->key : NULL, NAN);
}

/* A count. */
static double number_or_0(const json_t *metrics, const char *key)
{
	return fmax(number_at(metrics, key, 0), 0);
}

/* A statistic that the family does not have is unknown. */
static double number_of(const json_t *metrics, const char *family, enum dist_stat stat)
{
	return number(metrics, metric_of(family, stat));
}

/* A distribution as the receiver counted it; extremes and sum are in the figures. */
static void read_hist(const json_t *doc, const char *family, struct hist_rec *ret)
{
	const json_t *metrics = json_object_get(doc, "metrics");
	json_t *hist, *bucket;
	uint64_t low_ns;
	char key[32];
	size_t i;

	snprintf(key, sizeof(key), "%s_ns", family);
	hist = json_object_get(json_object_get(doc, "histograms"), key);
	*ret = (struct hist_rec){
		.not_min_ns = ~(uint64_t)fmax(number_of(metrics, family, DIST_MIN), 0),
		.max_ns = (uint64_t)fmax(number_of(metrics, family, DIST_MAX), 0),
		.above = integer(json_object_get(hist, "above")),
	};
	ret->count = ret->above;
	json_array_foreach(json_object_get(hist, "buckets"), i, bucket) {
		low_ns = integer(json_array_get(bucket, 0));
		if (low_ns >> HIST_MAX_BITS)
			continue;
		ret->buckets[hist_index(low_ns)] += integer(json_array_get(bucket, 1));
		ret->count += integer(json_array_get(bucket, 1));
	}
}

/*
 * A standard may define a percentile of fewer values than it is reported with: RFC 8219 has 99.9 of
 * 500. Then it is read from the histogram, as it would be on this host.
 */
static struct dist read_dist(const json_t *doc, const char *family)
{
	const json_t *metrics = json_object_get(doc, "metrics");
	struct dist of_hist, dist = dist_none();
	const struct metric *metric;
	struct hist_rec hist;
	enum dist_stat stat;

	read_hist(doc, family, &hist);
	dist_of_hist(&of_hist, &hist);
	dist.count = (uint64_t)fmax(number(metrics, metric_of("delay", DIST_COUNT)), 0);
	for (stat = 0; stat < DIST_NR; stat++) {
		metric = metric_of(family, stat);
		dist.ns[stat] = number(metrics, metric);
		if (metric && json_is_null(json_object_get(metrics, metric->key)))
			dist.ns[stat] = of_hist.ns[stat];
	}
	return dist;
}

static void read_outcome(const json_t *doc, bool timed, struct outcome *ret)
{
	const json_t *metrics = json_object_get(doc, "metrics");

	ret->distinct_packets = number(metrics, metric_find("distinct_packets"));
	ret->lost_packets = number(metrics, metric_find("lost_packets"));
	ret->unknown_packets = number_or_0(metrics, "unknown_packets");
	ret->unseen_before_packets = number_or_0(metrics, "unseen_before_packets");
	ret->lost_runs = number_or_0(metrics, "lost_runs");
	ret->lost_run_max = number_or_0(metrics, "lost_run_max");
	ret->received_packets = number(metrics, metric_find("received_packets"));
	ret->bad_checksum_packets = number(metrics, metric_find("bad_checksum_packets"));
	ret->delay = timed ? read_dist(doc, "delay") : dist_none();
	ret->pdv = timed ? read_dist(doc, "pdv") : dist_none();
}

int outcome_take(const char *line, bool timed, struct result *res, struct outcome *ret_outcome,
		 struct err *e)
{
	json_t *doc = json_loads(line, 0, NULL), *value;
	struct result *there;
	const char *key;
	size_t i;
	int err = check_writer(doc, e);

	if (err)
		goto out;
	json_object_foreach(json_object_get(doc, "metrics"), key, value) {
		if (!metric_find(key) || (!timed && is_of_delay(key)))
			continue;
		if (json_is_null(value))
			result_metric_real(res, key, NAN);
		else if (!json_is_number(value))
			continue;
		else if (json_is_integer(value))
			result_metric_u64(res, key, (uint64_t)json_integer_value(value));
		else
			result_metric_real(res, key, json_real_value(value));
	}
	read_outcome(doc, timed, ret_outcome);
	there = result_part(res, PART_OTHER, "receiver");
	json_object_foreach(json_object_get(doc, "environment"), key, value) {
		if (json_is_integer(value))
			result_env_u64(there, key, (uint64_t)json_integer_value(value));
		else if (json_is_string(value))
			result_env_str(there, key, json_string_value(value));
	}
	json_array_foreach(json_object_get(doc, "notes"), i, value) {
		if (json_is_string(value))
			result_note(there, "%s", json_string_value(value));
	}
out:
	json_decref(doc);
	return err;
}
