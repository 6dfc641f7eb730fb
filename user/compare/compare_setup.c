// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * compare/compare_setup.c - whether two documents measured the same thing.
 */
#include <stdlib.h>
#include <string.h>

#include "compare/compare_set.h"
#include "lib/array.h"
#include "lib/utf8.h"

/* What comparisons are about: another kernel, with its CPU mitigations. */
static const char *const expected[] = {
	"date", "kernel", "spectre_v2", "refusals_seen_by", "tai_offset_s",
};

static bool may_differ(const struct compare_cfg *cfg, const char *key)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(expected); i++) {
		if (!strcmp(key, expected[i]))
			return true;
	}
	for (i = 0; i < cfg->nr_ignore; i++) {
		if (!strcmp(key, cfg->ignore[i]))
			return true;
	}
	return false;
}

static void add_section(json_t *facts, const json_t *doc, const char *section,
			const struct compare_cfg *cfg)
{
	const char *key;
	char name[256];
	json_t *value;

	json_object_foreach(json_object_get(doc, section), key, value) {
		if (may_differ(cfg, key))
			continue;
		snprintf(name, sizeof(name), "%s %s", section, key);
		json_object_set(facts, name, value);
	}
}

static void add_part(json_t *setup, const json_t *doc, const char *path,
		     const struct compare_cfg *cfg)
{
	json_t *facts = json_object(), *command = json_object_get(doc, "command"), *part;
	size_t i;

	if (command && !may_differ(cfg, "command"))
		json_object_set(facts, "command", command);
	add_section(facts, doc, "config", cfg);
	add_section(facts, doc, "environment", cfg);
	json_object_set_new(setup, path, facts);
	json_array_foreach(json_object_get(doc, "parts"), i, part) {
		const char *name = json_string_value(json_object_get(part, "name"));
		char inner[1024];

		snprintf(inner, sizeof(inner), "%s%s%s", path, *path ? " / " : "", name ? name : "?");
		utf8_plain(inner);
		add_part(setup, part, inner, cfg);
	}
}

json_t *compare_setup(const json_t *doc, const struct compare_cfg *cfg)
{
	json_t *setup = json_object();

	add_part(setup, doc, "", cfg);
	return setup;
}

/* The value in printable characters only. */
static void show(char *buf, size_t size, const json_t *value)
{
	char *text = value ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT |
					JSON_ENSURE_ASCII | JSON_REAL_PRECISION(9)) : NULL;

	snprintf(buf, size, "%.60s", text ? text : "not given");
	free(text);
}

static void add_difference(struct compare_diff *diff, const char *path, const char *name,
			   const json_t *there, const json_t *here)
{
	const char *key = strchr(name, ' ');
	char a[64], b[64], part[80] = "", quoted[64];
	size_t used = strlen(diff->text), keys = strlen(diff->keys);
	json_t *text = json_string(path);

	show(quoted, sizeof(quoted), text);
	json_decref(text);
	if (*path)
		snprintf(part, sizeof(part), "%s: ", quoted);
	show(a, sizeof(a), there);
	show(b, sizeof(b), here);
	snprintf(diff->text + used, sizeof(diff->text) - used, "%s%s%s is %s there and %s here",
		 diff->nr ? ", " : "", part, name, a, b);
	snprintf(diff->keys + keys, sizeof(diff->keys) - keys, "%s%s", diff->nr ? ", " : "",
		 key ? key + 1 : name);
	diff->nr++;
}

static void diff_facts(struct compare_diff *diff, const char *path, const json_t *there,
		       const json_t *here)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)there, key, value) {
		const json_t *other = json_object_get(here, key);

		if (!other || !json_equal(value, (json_t *)other))
			add_difference(diff, path, key, value, other);
	}
	json_object_foreach((json_t *)here, key, value) {
		if (!json_object_get(there, key))
			add_difference(diff, path, key, NULL, value);
	}
}

void compare_setup_diff(const json_t *there, const json_t *here, struct compare_diff *ret_diff)
{
	const char *path;
	json_t *facts;

	*ret_diff = (struct compare_diff){ 0 };
	/* A part that only one document has shows in its figures, which have no counterpart. */
	json_object_foreach((json_t *)there, path, facts) {
		const json_t *other = json_object_get(here, path);

		if (other)
			diff_facts(ret_diff, path, facts, other);
	}
}
