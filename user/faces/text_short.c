// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * faces/text_short.c - what a person needs to know at once: the answer, what limits its meaning,
 * and what failed. -v and the document have the rest.
 */
#include "faces/text_parts.h"

#include <string.h>

#include "lib/color.h"
#include "result/part.h"
#include "result/value.h"

#define FEW_VERDICTS	2	/* that are all shown */
#define FEW_NOTES	3	/* of the parts of a table */
#define FEW_FEATURES	3	/* asked for by name: with details */
#define STATE_COLUMN	10	/* of features: indent, state */

/* Those that fail; @all: those that pass, too. Returns how many pass. */
static size_t print_verdicts(FILE *out, const json_t *verdicts, bool all)
{
	const json_t *verdict;
	size_t passed = 0, i;
	bool pass;

	json_array_foreach(verdicts, i, verdict) {
		pass = json_is_true(json_object_get(verdict, "pass"));
		passed += pass;
		if (!pass || all)
			text_wrapped(out, text_outcome(out, pass), value_str(verdict, "what"));
	}
	return passed;
}

/* Of many only how many pass. */
static void print_outcome(FILE *out, const json_t *verdicts)
{
	size_t nr = json_array_size(verdicts), passed = print_verdicts(out, verdicts, nr <= FEW_VERDICTS);

	if (passed && nr > FEW_VERDICTS) {
		text_outcome(out, true);
		fprintf(out, "%zu of %zu checks\n", passed, nr);
	}
}

/* @name: whose; may be "". */
static void print_notes(FILE *out, const char *name, const json_t *notes)
{
	const json_t *note;
	char text[1024];
	size_t i;

	json_array_foreach(notes, i, note) {
		snprintf(text, sizeof(text), "%s%s%s", name, *name ? ": " : "", json_string_value(note));
		text_wrapped(out, color_put(out, COLOR_WARN, "note: "), text);
	}
}

/* Of @group in @state: their names. */
static void print_named(FILE *out, const json_t *features, const char *group, const char *state)
{
	const json_t *feature;
	char names[1024] = "";
	size_t used = 0, i;

	json_array_foreach(features, i, feature) {
		if (!strcmp(value_str(feature, "group"), group) && !strcmp(value_str(feature, "state"), state) &&
		    used < sizeof(names))
			used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", used ? ", " : "",
						 value_str(feature, "name"));
	}
	if (*names)
		text_wrapped(out, (size_t)fprintf(out, "%-*s", STATE_COLUMN, state), names);
}

/* Of an absent one what it means, and how it is had. */
static void print_absent(FILE *out, const json_t *feature)
{
	const char *without = value_str(feature, "without"), *remedy = value_str(feature, "remedy");
	const char *command = value_str(feature, "command");
	char text[1024];

	snprintf(text, sizeof(text), "%s: %s", value_str(feature, "name"),
		 *without ? without : value_str(feature, "detail"));
	text_wrapped(out, (size_t)fprintf(out, "%-*s", STATE_COLUMN, "absent"), text);
	if (*command)
		fprintf(out, "%*srun: %s\n", STATE_COLUMN, "", command);
	else if (*remedy)
		text_wrapped(out, (size_t)fprintf(out, "%*sfix: ", STATE_COLUMN, ""), remedy);
}

static void print_features(FILE *out, const json_t *features)
{
	const json_t *feature, *other;
	const char *group = "";
	size_t i, k;

	if (json_array_size(features) <= FEW_FEATURES) {
		text_features(out, features);
		return;
	}
	json_array_foreach(features, i, feature) {
		if (!strcmp(group, value_str(feature, "group")))
			continue;
		group = value_str(feature, "group");
		fprintf(out, "\n%s\n", group);
		print_named(out, features, group, "present");
		json_array_foreach(features, k, other) {
			if (!strcmp(value_str(other, "group"), group) && !strcmp(value_str(other, "state"), "absent"))
				print_absent(out, other);
		}
		print_named(out, features, group, "unknown");
	}
	fputc('\n', out);
}

/* Entries that say of one stream, or of both ends of one, what the answer says. */
static bool is_one_stream(const json_t *entries)
{
	const json_t *first = json_object_get(json_array_get(entries, 0), "stream");
	const json_t *last = json_object_get(json_array_get(entries, json_array_size(entries) - 1), "stream");

	return json_array_size(entries) < 2 || (first && json_equal(first, last));
}

/* Preparation is shown by -v, and of a ledger only what lost packets. */
static bool is_shown(const json_t *part)
{
	const json_t *figures = json_object_get(part, "metrics"), *entries = json_object_get(part, "entries");

	switch (part_kind(part)) {
	case PART_ASIDE:
		return false;
	case PART_LEDGER:
		return json_integer_value(json_object_get(figures, "made_packets")) >
		       json_integer_value(json_object_get(json_array_get(entries, 0), "packets"));
	case PART_INTERFACE:	/* else it has the cost of a program */
		return json_object_get(figures, "seen_packets");
	case PART_TRIPS:
		return json_is_number(json_object_get(figures, "rtt_max_ns"));
	case PART_FLOWS:
		return json_array_size(entries);
	default:
		return true;
	}
}

/* Only settings that are to be changed, or all with their effects (--explain). */
static bool print_settings(FILE *out, const json_t *part)
{
	json_t *changes = json_array(), *entry;
	size_t i, nr;

	json_array_foreach(json_object_get(part, "entries"), i, entry) {
		if (json_object_get(entry, "effect") || !strcmp(value_str(entry, "state"), "change"))
			json_array_append(changes, entry);
	}
	nr = json_array_size(changes);
	if (nr) {
		fprintf(out, "\n%s\n", value_str(part, "name"));
		text_entries(out, changes, "", false);
	}
	json_decref(changes);
	return nr;
}

static bool print_part(FILE *out, const json_t *part)
{
	const json_t *entries = json_object_get(part, "entries");
	enum part_kind kind = part_kind(part);

	if (kind == PART_SETTINGS)
		return print_settings(out, part);
	if (!is_shown(part))
		return false;
	fprintf(out, "\n%s\n", value_str(part, "name"));
	if (kind != PART_LEDGER && !text_answer(out, part))
		text_brief(out, json_object_get(part, "metrics"));
	if (kind != PART_INTERFACE && (kind != PART_OTHER || !is_one_stream(entries)))
		text_entries(out, entries, "", false);
	print_notes(out, "", json_object_get(part, "notes"));
	print_outcome(out, json_object_get(part, "verdicts"));
	return true;
}

/* Of parts that a table sums up: what failed. */
static void print_failed(FILE *out, const json_t *parts)
{
	const json_t *part;
	size_t i;

	json_array_foreach(parts, i, part)
		print_verdicts(out, json_object_get(part, "verdicts"), false);
	text_hidden(out, "", json_array_size(parts), "table");
}

/* Parts that are runs are one table. */
static void print_parts(FILE *out, const json_t *parts)
{
	bool table = text_parts(out, parts), any = false;
	size_t notes = 0, asides = 0, i;
	const json_t *part;

	json_array_foreach(parts, i, part) {
		asides += part_kind(part) == PART_ASIDE;
		if (table && text_parts_has(part))
			notes += json_array_size(json_object_get(part, "notes"));
	}
	json_array_foreach(parts, i, part) {
		if (!table || !text_parts_has(part)) {
			any |= print_part(out, part);
			continue;
		}
		if (notes <= FEW_NOTES)
			print_notes(out, value_str(part, "name"), json_object_get(part, "notes"));
		print_outcome(out, json_object_get(part, "verdicts"));
	}
	if (notes > FEW_NOTES)
		fprintf(out, "note: %zu notes about single rows: -v\n", notes);
	if (any && !asides)
		fputc('\n', out);
	text_hidden(out, "", asides, "table");
}

/* A table or lines that were asked for need no head. */
static bool wants_head(const json_t *tree)
{
	return json_object_size(json_object_get(tree, "metrics")) || json_object_get(tree, "parts") ||
	       json_object_get(tree, "series");
}

static bool has_found(const json_t *part)
{
	return json_object_size(json_object_get(part, "metrics")) ||
	       json_array_size(json_object_get(part, "entries")) || json_array_size(json_object_get(part, "notes")) ||
	       json_array_size(json_object_get(part, "verdicts"));
}

/* Of a run that failed before it measured there is only the error. */
static bool has_only_error(const json_t *tree)
{
	const json_t *part;
	size_t i;

	if (!json_object_get(tree, "errors") || json_object_size(json_object_get(tree, "metrics")))
		return false;
	json_array_foreach(json_object_get(tree, "parts"), i, part) {
		if (has_found(part))
			return false;
	}
	return true;
}

void text_short(FILE *out, const json_t *tree)
{
	const json_t *entries = json_object_get(tree, "entries"), *parts = json_object_get(tree, "parts");
	bool answered;

	if (has_only_error(tree))
		return;
	if (json_object_get(tree, "comparison"))
		text_comparison(out, json_object_get(tree, "comparison"), false);
	if (wants_head(tree))
		text_head(out, tree);
	print_features(out, json_object_get(tree, "features"));
	answered = text_answer(out, tree);
	if (!answered)
		text_figures(out, json_object_get(tree, "metrics"), NULL, false);
	if (answered && is_one_stream(entries))
		entries = NULL;
	if (!text_sweep(out, tree))
		text_entries(out, entries, "", false);
	text_lines(out, "", json_object_get(tree, "lines"));
	print_notes(out, "", json_object_get(tree, "notes"));
	if (!answered && json_array_size(entries))
		print_failed(out, parts);
	else
		print_parts(out, parts);
	if (wants_head(tree))
		print_outcome(out, json_object_get(tree, "verdicts"));
	else
		text_verdicts(out, json_object_get(tree, "verdicts"));
}
