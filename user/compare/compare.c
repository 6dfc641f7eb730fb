// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * compare/compare.c - which documents may be compared, and the outcome.
 */
#include "compare/compare.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compare/compare_judge.h"
#include "compare/compare_set.h"
#include "lib/utf8.h"
#include "result/tree.h"

const char *compare_side_name(enum compare_side side)
{
	static const char *const names[] = {
		[COMPARE_BASE] = "base", [COMPARE_NEW] = "new", [COMPARE_NOISE] = "noise",
	};

	return names[side];
}

struct compare *compare_new(const struct compare_cfg *cfg)
{
	struct compare *cmp = calloc(1, sizeof(*cmp));

	if (!cmp)
		abort();	/* out of memory: as for a result, nothing can be reported */
	cmp->cfg = cfg;
	return cmp;
}

void compare_free(struct compare *cmp)
{
	size_t i;
	int side;

	if (!cmp)
		return;
	for (side = 0; side < COMPARE_NR_SIDES; side++) {
		for (i = 0; i < cmp->sides[side].nr; i++)
			json_decref(cmp->sides[side].list[i].setup);
		compare_docs_release(&cmp->sides[side]);
	}
	free(cmp->groups);
	free(cmp);
}

int compare_load(struct compare *cmp, enum compare_side side, const char *path, struct err *e)
{
	return compare_docs_load(&cmp->sides[side], path, e);
}

static bool is_named(const struct compare_cfg *cfg, const char *key)
{
	unsigned int i;

	for (i = 0; i < cfg->nr_ignore; i++) {
		if (!strcmp(cfg->ignore[i], key))
			return true;
	}
	return false;
}

/* A run may count only once; a failed run did not measure the same thing. */
static int check_docs(const struct compare *cmp, const struct compare_docs *docs, struct err *e)
{
	size_t i, k;

	for (i = 0; i < docs->nr; i++) {
		const struct compare_doc *doc = &docs->list[i];
		const json_t *error = json_array_get(json_object_get(doc->doc, "errors"), 0);
		const char *said = json_string_value(json_object_get(error, "what"));
		char what[201];

		if (error && !is_named(cmp->cfg, "errors")) {
			snprintf(what, sizeof(what), "%s", said ? said : "?");
			err_usage(e, "a run in '%s' failed: %s", doc->file, utf8_plain(what));
			return err_hint(e, "leave it out, or compare the figures it has with "
					OPTION("ignore") " errors");
		}
		for (k = 0; k < i; k++) {
			if (json_equal(doc->doc, docs->list[k].doc))
				return err_usage(e, "'%s' and '%s' contain the same run",
						 docs->list[k].file, doc->file);
		}
	}
	return 0;
}

/* @section's @key of each run, each value once. */
static json_t *each_once(const struct compare_docs *docs, const char *section, const char *key)
{
	json_t *seen = json_array(), *value;
	size_t i, k;

	for (i = 0; i < docs->nr; i++) {
		const json_t *doc = docs->list[i].doc;

		value = json_object_get(section ? json_object_get(doc, section) : doc, key);
		for (k = 0; k < json_array_size(seen); k++) {
			if (json_equal(json_array_get(seen, k), value))
				break;
		}
		if (value && k == json_array_size(seen))
			json_array_append(seen, value);
	}
	return seen;
}

static int add_group(struct compare *cmp, const struct compare_doc *doc)
{
	struct compare_group *list = realloc(cmp->groups, (cmp->nr_groups + 1) * sizeof(*list));

	if (!list)
		return -ENOMEM;
	cmp->groups = list;
	list[cmp->nr_groups++] = (struct compare_group){ .setup = doc->setup, .file = doc->file };
	return 0;
}

static int group_docs(struct compare *cmp, enum compare_side side)
{
	struct compare_docs *docs = &cmp->sides[side];
	struct compare_diff diff;
	size_t i, k;

	for (i = 0; i < docs->nr; i++) {
		struct compare_doc *doc = &docs->list[i];

		doc->setup = compare_setup(doc->doc, cmp->cfg);
		for (k = 0; k < cmp->nr_groups; k++) {
			compare_setup_diff(cmp->groups[k].setup, doc->setup, &diff);
			if (!diff.nr)
				break;
		}
		if (k == cmp->nr_groups && add_group(cmp, doc))
			return -ENOMEM;
		doc->group = k;
		cmp->groups[k].nr[side]++;
	}
	return 0;
}

/* Report the differences between @lone and the most similar setup of @side. */
static int refuse(const struct compare *cmp, const struct compare_group *lone,
		  enum compare_side side, struct err *e)
{
	const struct compare_group *nearest = NULL;
	struct compare_diff diff, least = { 0 };
	size_t i;

	for (i = 0; i < cmp->nr_groups; i++) {
		if (!cmp->groups[i].nr[side])
			continue;
		compare_setup_diff(cmp->groups[i].setup, lone->setup, &diff);
		if (!nearest || diff.nr < least.nr) {
			nearest = &cmp->groups[i];
			least = diff;
		}
	}
	err_usage(e, "'%.150s' cannot be compared with '%.150s': %.180s%s", lone->file, nearest->file,
		  least.text, strlen(least.text) > 180 ? "..." : "");
	return err_hint(e, "to compare nevertheless: " OPTION("ignore") " with each of: "
			"%s", least.keys);
}

/* Runs on another kernel are not an A/A comparison. */
static int check_noise(const struct compare *cmp, struct err *e)
{
	json_t *base = each_once(&cmp->sides[COMPARE_BASE], "environment", "kernel");
	json_t *noise = each_once(&cmp->sides[COMPARE_NOISE], "environment", "kernel");
	int err = 0;

	if (cmp->sides[COMPARE_NOISE].nr && !json_equal(base, noise) &&
	    !is_named(cmp->cfg, "kernel")) {
		err_usage(e, "the runs of " OPTION("noise") " have another kernel than the base");
		err = err_hint(e, "the noise floor is the difference between runs of the same setup; "
			       "to use them nevertheless: " OPTION("ignore") " kernel");
	}
	json_decref(base);
	json_decref(noise);
	return err;
}

static int check_groups(const struct compare *cmp, struct err *e)
{
	size_t i;

	for (i = 0; i < cmp->nr_groups; i++) {
		const struct compare_group *group = &cmp->groups[i];

		if (!group->nr[COMPARE_BASE])
			return refuse(cmp, group, COMPARE_BASE, e);
		if (!group->nr[COMPARE_NEW])
			return refuse(cmp, group, COMPARE_NEW, e);
	}
	return 0;
}

/* True if not all setups have @value there. */
static bool is_telling(const struct compare *cmp, const char *key, json_t *value)
{
	size_t i;

	for (i = 0; i < cmp->nr_groups; i++) {
		json_t *other = json_object_get(json_object_get(cmp->groups[i].setup, ""), key);

		if (!other || !json_equal(value, other))
			return true;
	}
	return false;
}

/* "blast rate="1Mpps"": with several setups, the settings that identify this one. */
static void label(const struct compare *cmp, struct compare_group *group)
{
	json_t *facts = json_object_get(group->setup, ""), *value;
	const char *command = json_string_value(json_object_get(facts, "command")), *key;
	size_t used;

	used = (size_t)snprintf(group->label, sizeof(group->label), "%.40s",
				command ? command : "setup");
	json_object_foreach(facts, key, value) {
		char *text;

		if (used >= sizeof(group->label) || !strchr(key, ' ') ||
		    !is_telling(cmp, key, value))
			continue;
		text = json_dumps(value, JSON_ENCODE_ANY | JSON_ENSURE_ASCII);
		used += (size_t)snprintf(group->label + used, sizeof(group->label) - used,
					 " %s=%.40s", strchr(key, ' ') + 1, text ? text : "?");
		free(text);
	}
	utf8_plain(group->label);
}

static json_t *describe_side(const struct compare *cmp, enum compare_side side)
{
	const struct compare_docs *docs = &cmp->sides[side];
	json_t *files = json_array();
	size_t i;

	for (i = 0; i < docs->nr; i++) {
		/* A file may hold many runs, which are adjacent. */
		if (!i || strcmp(docs->list[i].file, docs->list[i - 1].file))
			json_array_append_new(files, json_string(docs->list[i].file));
	}
	return json_pack("{s:s, s:I, s:o, s:o, s:o}", "side", compare_side_name(side),
			 "runs", (json_int_t)docs->nr, "files", files,
			 "kernels", each_once(docs, "environment", "kernel"),
			 "tools", each_once(docs, NULL, "tool"));
}

const char *compare_date(const struct compare_doc *doc)
{
	return json_string_value(json_object_get(json_object_get(doc->doc, "environment"), "date"));
}

/* True if the last run of @a was before the first of @b. */
static bool all_before(const struct compare_docs *a, const struct compare_docs *b)
{
	const char *last = NULL, *first = NULL, *date;
	size_t i;

	for (i = 0; i < a->nr; i++) {
		date = compare_date(&a->list[i]);
		last = date && (!last || strcmp(date, last) > 0) ? date : last;
	}
	for (i = 0; i < b->nr; i++) {
		date = compare_date(&b->list[i]);
		first = date && (!first || strcmp(date, first) < 0) ? date : first;
	}
	return a->nr > 1 && b->nr > 1 && last && first && strcmp(last, first) < 0;
}

static bool is_irregular(const json_t *doc)
{
	json_t *part;
	size_t i;

	if (json_is_true(json_object_get(json_object_get(doc, "self"), "irregular")))
		return true;
	json_array_foreach(json_object_get(doc, "parts"), i, part) {
		if (is_irregular(part))
			return true;
	}
	return false;
}

/* Notes that the figures cannot be read without. */
static void note_runs(const struct compare *cmp, struct result *res)
{
	const struct compare_docs *base = &cmp->sides[COMPARE_BASE], *new = &cmp->sides[COMPARE_NEW];
	size_t irregular, i;
	json_t *kernels;
	int side;

	if (all_before(base, new) || all_before(new, base))
		result_note(res, "all runs of one side preceded those of the other: the difference includes "
			    "other changes over time; interleave the runs");
	if (!cmp->sides[COMPARE_NOISE].nr)
		result_note(res, "what another boot or day changes is not known: base runs of another boot "
			    "or day (--noise) show it");
	for (side = 0; side < COMPARE_NR_SIDES; side++) {
		const struct compare_docs *docs = &cmp->sides[side];

		kernels = each_once(docs, "environment", "kernel");
		if (json_array_size(kernels) > 1)
			result_note(res, "the %s runs have %zu different kernels", compare_side_name(side),
				    json_array_size(kernels));
		json_decref(kernels);
		for (irregular = 0, i = 0; i < docs->nr; i++)
			irregular += is_irregular(docs->list[i].doc);
		if (irregular)
			result_note(res, "%zu of the %zu %s runs are irregular: their senders were late, and may "
				    "be what was measured", irregular, docs->nr,
				    compare_side_name(side));
	}
	for (i = 0; i < cmp->cfg->nr_ignore; i++)
		result_note(res, "%s may differ (--ignore)", cmp->cfg->ignore[i]);
}

static json_t *count_verdicts(const json_t *rows)
{
	json_t *counts = json_object(), *row;
	enum compare_verdict verdict;
	size_t i;

	for (verdict = 0; verdict <= COMPARE_INCONCLUSIVE; verdict++)
		json_object_set_new(counts, compare_verdict_name(verdict), json_integer(0));
	json_array_foreach(rows, i, row) {
		const char *name = json_string_value(json_object_get(row, "verdict"));
		json_int_t before = json_integer_value(json_object_get(counts, name));

		json_object_set_new(counts, name, json_integer(before + 1));
	}
	return counts;
}

static bool is_regression(const json_t *row)
{
	return !strcmp(json_string_value(json_object_get(row, "verdict")),
		       compare_verdict_name(COMPARE_WORSE)) &&
	       json_is_true(json_object_get(row, "beyond_threshold"));
}

static void tell_regression(const struct compare *cmp, const json_t *row, struct result *res)
{
	char place[256], change[64], low[64], high[64];

	compare_show_place(place, sizeof(place), row);
	result_verdict(res, false, "%s%s%s: %s (95 %%: %s to %s), worse by more than %g %%",
		       place, *place ? ": " : "", json_string_value(json_object_get(row, "metric")),
		       compare_show_change(change, sizeof(change), row, ""),
		       compare_show_change(low, sizeof(low), row, "_low"),
		       compare_show_change(high, sizeof(high), row, "_high"),
		       cmp->cfg->threshold_ratio * 100);
}

/*
 * A criterion failed for each main figure that is worse beyond the threshold; the others mostly follow
 * from these, and are listed only where no main figure is.
 */
static void tell_verdicts(const struct compare *cmp, const json_t *rows, const json_t *counts,
			  struct result *res)
{
	double percent = cmp->cfg->threshold_ratio * 100;
	size_t untold = (size_t)json_integer_value(json_object_get(
		counts, compare_verdict_name(COMPARE_INCONCLUSIVE)));
	size_t led = 0, others = 0, i;
	json_t *row;

	json_array_foreach(rows, i, row) {
		if (is_regression(row))
			*(json_is_true(json_object_get(row, "leads")) ? &led : &others) += 1;
	}
	json_array_foreach(rows, i, row) {
		if (is_regression(row) && (!led || json_is_true(json_object_get(row, "leads"))))
			tell_regression(cmp, row, res);
	}
	if (led && others)
		result_verdict(res, false, "%zu more figure%s worse by more than %g %%", others,
			       others == 1 ? " is" : "s are", percent);
	if (untold == json_array_size(rows))
		result_note(res, "inconclusive: use more or longer runs (at least %d per side)",
			    COMPARE_MIN_RUNS);
	else if (!led && !others)
		result_verdict(res, true, "of %zu figures none is worse by more than %g %%; "
			       "%zu are inconclusive", json_array_size(rows), percent, untold);
}

static int tell(const struct compare *cmp, json_t *rows, struct result *res, struct err *e)
{
	const struct compare_cfg *cfg = cmp->cfg;
	json_t *counts = count_verdicts(rows), *sides = json_array(), *comparison;
	int side;

	for (side = 0; side < COMPARE_NR_SIDES; side++) {
		if (cmp->sides[side].nr)
			json_array_append_new(sides, describe_side(cmp, side));
	}
	tell_verdicts(cmp, rows, counts, res);
	comparison = json_pack("{s:f, s:f, s:I, s:o, s:o, s:o}",
			       "threshold_ratio", cfg->threshold_ratio, "confidence_ratio", 0.95,
			       "least_runs", (json_int_t)COMPARE_MIN_RUNS,
			       "sides", sides, "counts", counts, "rows", rows);
	if (!result_tree(res) ||
	    json_object_set_new(result_tree(res), "comparison", comparison))
		return err_set(e, -ENOMEM, "cannot report the comparison");
	return 0;
}

int compare_run(struct compare *cmp, struct result *res, struct err *e)
{
	size_t unknown = 0, i;
	json_t *rows;
	int side, err;

	for (side = 0; side < COMPARE_NR_SIDES; side++) {
		err = check_docs(cmp, &cmp->sides[side], e);
		if (err)
			return err;
		if (group_docs(cmp, side))
			return err_set(e, -ENOMEM, "out of memory for the documents");
	}
	err = check_groups(cmp, e);
	if (!err)
		err = check_noise(cmp, e);
	if (err)
		return err;
	for (i = 0; cmp->nr_groups > 1 && i < cmp->nr_groups; i++)
		label(cmp, &cmp->groups[i]);
	rows = compare_rows(cmp, &unknown);
	if (!rows)
		return err_set(e, -ENOMEM, "out of memory for the figures");
	if (!json_array_size(rows)) {
		json_decref(rows);
		return err_usage(e, "the documents have no figure to compare%s",
				 cmp->cfg->nr_metrics ? ": none matches " OPTION("metric") : "");
	}
	note_runs(cmp, res);
	if (unknown)
		result_note(res, "%zu figures of the documents are unknown to this version, and "
			    "left out", unknown);
	return tell(cmp, rows, res, e);
}
