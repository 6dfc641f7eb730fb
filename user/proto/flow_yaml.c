// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * proto/flow_yaml.c - values of a YAML tree, and their positions in the file.
 */
#include "proto/flow_yaml.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define DEPTH		8		/* maximum depth of the search for a position */

/* The position of a node: a mapping's is that of its first key. False: unknown. */
static bool find_place(struct fy_node *node, struct fy_mark *ret_mark)
{
	struct fy_node_pair *pair;
	struct fy_token *token;
	const struct fy_mark *mark;
	void *at;
	int depth;

	for (depth = 0; node && depth < DEPTH; depth++) {
		at = NULL;
		token = fy_node_get_scalar_token(node);
		mark = token ? fy_token_start_mark(token) : NULL;
		if (mark) {
			*ret_mark = *mark;
			return true;
		}
		if (fy_node_is_sequence(node)) {
			node = fy_node_sequence_iterate(node, &at);
		} else if (fy_node_is_mapping(node)) {
			pair = fy_node_mapping_iterate(node, &at);
			node = pair ? fy_node_pair_key(pair) : NULL;
		} else {
			break;
		}
	}
	return false;
}

/* An empty node has no position: use its key's, or its parent's, at last the start of the file. */
static void find_near(struct fy_node *node, struct fy_mark *ret_mark)
{
	struct fy_node_pair *pair;
	struct fy_node *parent;
	void *at;

	*ret_mark = (struct fy_mark){ 0 };
	for (; node && !find_place(node, ret_mark); node = parent) {
		parent = fy_node_get_parent(node);
		if (!parent || !fy_node_is_mapping(parent))
			continue;
		at = NULL;
		while ((pair = fy_node_mapping_iterate(parent, &at)) && fy_node_pair_value(pair) != node)
			;
		if (pair && find_place(fy_node_pair_key(pair), ret_mark))
			return;
	}
}

void yaml_place(const struct yaml_reader *reader, struct fy_node *node, char *buf, size_t size)
{
	struct fy_mark mark;

	find_near(node, &mark);
	snprintf(buf, size, "%.120s:%d:%d", reader->name, mark.line + 1, mark.column + 1);
}

int yaml_fail(struct yaml_reader *reader, struct fy_node *node, const char *fmt, ...)
{
	char what[320], place[160];
	va_list args;

	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	yaml_place(reader, node, place, sizeof(place));
	return err_usage(reader->e, "%s: %s", place, what);
}

/* Reports another parser's error about the text in @node. */
int yaml_fail_inner(struct yaml_reader *reader, struct fy_node *node, const struct err *inner)
{
	struct err copy = *inner;

	return yaml_fail(reader, node, "%.300s", copy.msg);
}

/* The text of a scalar, or NULL with an error that names what was expected. */
const char *yaml_text(struct yaml_reader *reader, struct fy_node *node, const char *expected)
{
	const char *text = NULL;

	if (node && fy_node_is_scalar(node) && !fy_node_is_alias(node))
		text = fy_node_get_scalar0(node);
	/* "a\0b" would end early. */
	if (text && *text && strlen(text) == fy_node_get_scalar_length(node))
		return text;
	yaml_fail(reader, node, "expected %s", expected);
	return NULL;
}

int yaml_keys(struct yaml_reader *reader, struct fy_node *node, const struct yaml_key *keys,
		     const char *of, struct flow_spec *flow)
{
	struct fy_node_pair *pair;
	const struct yaml_key *key;
	const char *name;
	char known[256];
	void *at = NULL;
	size_t used;
	int err;

	if (!fy_node_is_mapping(node) || fy_node_is_alias(node))
		return yaml_fail(reader, node, "expected the keys of %s", of);
	while ((pair = fy_node_mapping_iterate(node, &at))) {
		name = yaml_text(reader, fy_node_pair_key(pair), "a key");
		if (!name)
			return reader->e->no;
		for (key = keys; key->name && strcmp(key->name, name); key++)
			;
		if (!key->name) {
			for (key = keys, used = 0; key->name && used < sizeof(known); key++)
				used += (size_t)snprintf(known + used, sizeof(known) - used, "%s%s",
							 used ? ", " : "", key->name);
			return yaml_fail(reader, fy_node_pair_key(pair), "%s has no key '%.40s', expected one of: "
				    "%s", of, name, known);
		}
		if (!fy_node_pair_value(pair))
			return yaml_fail(reader, fy_node_pair_key(pair), "'%s' has no value", name);
		err = key->read(reader, fy_node_pair_value(pair), flow);
		if (err)
			return err;
	}
	return 0;
}

int yaml_u64(struct yaml_reader *reader, struct fy_node *node, uint64_t min, uint64_t max,
		    uint64_t *ret_value)
{
	char expected[80];
	const char *text;
	uint64_t value;

	snprintf(expected, sizeof(expected), "a number of %llu to %llu", (unsigned long long)min,
		 (unsigned long long)max);
	text = yaml_text(reader, node, expected);
	if (!text)
		return reader->e->no;
	if (unit_parse_count(text, &value) || value < min || value > max)
		return yaml_fail(reader, node, "'%.40s', expected %s", text, expected);
	*ret_value = value;
	return 0;
}

int yaml_duration(struct yaml_reader *reader, struct fy_node *node, uint64_t *ret_ns)
{
	const char *text = yaml_text(reader, node, "a time such as 10s or 250ms");

	if (!text)
		return reader->e->no;
	if (unit_parse_duration(text, ret_ns))
		return yaml_fail(reader, node, "'%.40s', expected a time such as 10s or 250ms", text);
	return 0;
}

int yaml_rate(struct yaml_reader *reader, struct fy_node *node, struct unit_rate *ret_rate)
{
	const char *text = yaml_text(reader, node, "a rate such as 1Mpps, 100Mbit, 10% or max");

	if (!text)
		return reader->e->no;
	if (unit_parse_rate(text, ret_rate))
		return yaml_fail(reader, node, "'%.40s', expected a rate such as 1Mpps, 100Mbit, 10%% or max",
			    text);
	return 0;
}
