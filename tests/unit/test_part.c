// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include <jansson.h>

#include "result/part.h"
#include "result/tree.h"

#include "check.h"

static json_t *part_at(const json_t *doc, size_t i)
{
	return json_array_get(json_object_get(doc, "parts"), i);
}

/* A document as it was written before parts had kinds. */
static json_t *adopted(const char *name)
{
	json_t *doc = json_pack("{s:[{s:s}]}", "parts", "name", name);

	part_adopt(doc);
	return doc;
}

static void names_of_old_documents_become_kinds_and_labels(void **state)
{
	static const struct {
		const char *name;
		enum part_kind kind;
		const char *label, *value;
	} parts[] = {
		{ "ledger", PART_LEDGER, "iface", "" },
		{ "first trial", PART_ASIDE, "iface", "" },
		{ "there, UDP at 23.91 Mbit/s", PART_ASIDE, "iface", "" },
		{ "there", PART_OTHER, "iface", "" },
		{ "512-byte frames, goal ndr", PART_GOAL, "goal", "ndr" },
		{ "512-byte frames", PART_OTHER, "goal", "" },
		{ "eth0 rx", PART_INTERFACE, "direction", "rx" },
		{ "eth0 flows tx", PART_INTERFACE, "iface", "eth0 flows" },
		{ "eth0 flows", PART_FLOWS, "iface", "eth0" },
		{ "eth0 tcp-handshake far", PART_TRIPS, "kind", "tcp-handshake" },
		{ "eth0 tcp-handshake near", PART_TRIPS, "end", "near" },
		{ "eth0 far 198.18.0.0/24", PART_PREFIX, "iface", "eth0" },
		{ "rx", PART_OTHER, "iface", "" },
		{ "", PART_OTHER, "iface", "" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		json_t *doc = adopted(parts[i].name), *part = part_at(doc, 0);

		if (part_kind(part) != parts[i].kind)
			fail_msg("'%s' became %s", parts[i].name, part_kind_names[part_kind(part)]);
		assert_string_equal(part_label(part, parts[i].label), parts[i].value);
		json_decref(doc);
	}
}

/* Any name is for display only. */
static void a_kind_that_is_written_is_left_as_it_is(void **state)
{
	struct result *res = result_new("watch");
	json_t *doc;

	(void)state;
	result_label(result_part(res, PART_GOAL, "eth0 rx"), "goal", "pdr");
	result_part(res, PART_OTHER, "ledger");
	doc = json_deep_copy(result_tree(res));
	part_adopt(doc);
	assert_int_equal(part_kind(part_at(doc, 0)), PART_GOAL);
	assert_string_equal(part_label(part_at(doc, 0), "goal"), "pdr");
	assert_string_equal(part_label(part_at(doc, 0), "iface"), "");
	assert_int_equal(part_kind(part_at(doc, 1)), PART_OTHER);
	json_decref(doc);
	result_free(res);
}

static void a_kind_of_a_later_version_is_any_part(void **state)
{
	json_t *part = json_pack("{s:s, s:s, s:s}", "name", "x", "kind", "galaxy", "labels", "none");

	(void)state;
	assert_int_equal(part_kind(part), PART_OTHER);
	assert_string_equal(part_label(part, "iface"), "");
	json_decref(part);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_old_documents_become_kinds_and_labels),
		cmocka_unit_test(a_kind_that_is_written_is_left_as_it_is),
		cmocka_unit_test(a_kind_of_a_later_version_is_any_part),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
