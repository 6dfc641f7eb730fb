// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * result/part.c - the kind of a part of a document.
 */
#include "result/part.h"

#include <string.h>

#include "lib/array.h"
#include "result/value.h"

const char *const part_kind_names[PART_KINDS] = {
	[PART_OTHER] = "other", [PART_LEDGER] = "ledger", [PART_ASIDE] = "aside", [PART_GOAL] = "goal",
	[PART_INTERFACE] = "interface", [PART_FLOWS] = "flows", [PART_TRIPS] = "trips",
	[PART_PREFIX] = "prefix", [PART_SETTINGS] = "settings",
};

enum part_kind part_kind(const json_t *part)
{
	const char *name = value_str(part, "kind");
	enum part_kind kind;

	for (kind = 0; kind < PART_KINDS; kind++) {
		if (!strcmp(part_kind_names[kind], name))
			return kind;
	}
	return PART_OTHER;
}

const char *part_label(const json_t *part, const char *key)
{
	return value_str(json_object_get(part, "labels"), key);
}

static void set_label(json_t *part, const char *key, const char *value, size_t len)
{
	json_t *labels = json_object_get(part, "labels");

	if (!labels) {
		labels = json_object();
		json_object_set_new(part, "labels", labels);
	}
	json_object_set_new(labels, key, json_stringn(value, len));
}

static bool ends_in(const char *text, const char *end)
{
	return strlen(text) > strlen(end) && !strcmp(text + strlen(text) - strlen(end), end);
}

/* "eth0 rx", "eth0 tcp-handshake far"; names of interfaces have no blank. */
static enum part_kind adopt_watched(json_t *part, const char *name)
{
	static const char *const ends[] = { " rx", " tx", " far", " near" };
	const char *blank = strchr(name, ' '), *last = strrchr(name, ' ');
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ends); i++) {
		if (!ends_in(name, ends[i]))
			continue;
		if (i < 2 || blank == last) {
			set_label(part, "iface", name, (size_t)(last - name));
			set_label(part, i < 2 ? "direction" : "end", last + 1, strlen(last + 1));
			return i < 2 ? PART_INTERFACE : PART_TRIPS;
		}
		set_label(part, "iface", name, (size_t)(blank - name));
		set_label(part, "kind", blank + 1, (size_t)(last - blank - 1));
		set_label(part, "end", last + 1, strlen(last + 1));
		return PART_TRIPS;
	}
	if (ends_in(name, " flows") || (blank && !strncmp(blank, " far ", 5))) {
		set_label(part, "iface", name, (size_t)(blank - name));
		return ends_in(name, " flows") ? PART_FLOWS : PART_PREFIX;
	}
	return PART_OTHER;
}

static enum part_kind adopt_name(json_t *part, const char *name)
{
	const char *goal = strstr(name, ", goal ");

	if (!strcmp(name, "ledger"))
		return PART_LEDGER;
	if (!strcmp(name, "witnesses") || !strcmp(name, "first trial") || strstr(name, ", UDP at "))
		return PART_ASIDE;
	if (!goal)
		return adopt_watched(part, name);
	goal += strlen(", goal ");
	set_label(part, "goal", goal, strlen(goal));
	return PART_GOAL;
}

void part_adopt(json_t *doc)
{
	enum part_kind kind;
	json_t *part;
	size_t i;

	json_array_foreach(json_object_get(doc, "parts"), i, part) {
		if (!json_object_get(part, "kind")) {
			kind = adopt_name(part, value_str(part, "name"));
			json_object_set_new(part, "kind", json_string(part_kind_names[kind]));
		}
		part_adopt(part);
	}
}
