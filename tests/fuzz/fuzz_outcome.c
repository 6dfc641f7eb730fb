// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whatever line a receiver on another host writes: it is an interval, a result or neither. A result
 * that is refused leaves the own one alone; one that is taken gives the same figures each time, and
 * none of another host's clock unless that is wanted.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result/outcome.h"
#include "result/tree.h"

#define must(condition) do { if (!(condition)) abort(); } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_row(const char *line)
{
	static const struct outcome_row untouched = { 7, 7, 7, 7 };
	struct outcome_row row = untouched;

	if (!outcome_interval(line, &row)) {
		must(!memcmp(&row, &untouched, sizeof(row)));
		return;
	}
	must(row.elapsed_ns <= INT64_MAX && row.received_packets <= INT64_MAX && row.distinct_packets <= INT64_MAX);
	must(row.duplicate_packets <= INT64_MAX);
}

static void check_no_delays(const struct outcome *outcome, const struct result *res)
{
	const char *key;
	json_t *value;
	int i;

	for (i = 0; i < DIST_NR; i++)
		must(isnan(outcome->delay.ns[i]) && isnan(outcome->pdv.ns[i]));
	json_object_foreach(json_object_get(result_tree(res), "metrics"), key, value)
		must(strncmp(key, "delay_", 6) && strncmp(key, "pdv_", 4) && strncmp(key, "jitter_", 7));
}

static int take(const char *line, bool timed, struct result *res, struct outcome *outcome)
{
	struct err e = { 0 };
	int err = outcome_take(line, timed, res, outcome, &e);

	must(!err == !e.no && !err == !e.msg[0]);
	return err;
}

static void check_take(const char *line, bool timed)
{
	struct result *res = result_new("blast"), *again = result_new("blast"), *none = result_new("blast");
	struct outcome outcome, outcome_again;
	int err;

	/* Padding, too, as both are compared at once. */
	memset(&outcome, 0, sizeof(outcome));
	memset(&outcome_again, 0, sizeof(outcome_again));
	err = take(line, timed, res, &outcome);
	must(take(line, timed, again, &outcome_again) == err);
	must(json_equal(result_tree(res), result_tree(again)));
	if (err)
		must(json_equal(result_tree(res), result_tree(none)));
	else if (!timed)
		check_no_delays(&outcome, res);
	if (!err)
		must(!memcmp(&outcome, &outcome_again, sizeof(outcome)));
	result_free(none);
	result_free(again);
	result_free(res);
}

/* A run of sweep is read likewise. */
static void check_run(const char *text, size_t size)
{
	FILE *in = size ? fmemopen((void *)(uintptr_t)text, size, "re") : NULL;
	struct outcome_run run = { .value = 1 };
	struct err e = { 0 };

	if (!in)
		return;
	if (outcome_read(in, "received_packets", &run, &e))
		must(e.no && e.msg[0] && run.value == 1 && !run.mtu);
	else
		must(isfinite(run.value));
	fclose(in);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *line = malloc(size + 1);	/* of exact size, so that a read after the end is detected */

	must(line);
	memcpy(line, data, size);
	line[size] = '\0';
	check_row(line);
	check_take(line, true);
	check_take(line, false);
	check_run(line, size);
	free(line);
	return 0;
}
