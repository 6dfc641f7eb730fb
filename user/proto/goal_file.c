// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * proto/goal_file.c - the goals of a search, from a YAML file.
 */
#include "proto/goal_file.h"

#include <stdio.h>
#include <string.h>

#include "proto/flow_yaml.h"
#include "proto/yaml_file.h"

static const char expected[] = "goals, such as: goals: [rfc2544, {name: mine, loss: 0.5%}]";

/* Appends "KEY=VALUE". */
static int add_word(struct yaml_reader *reader, struct fy_node_pair *pair, struct goal_text *goal)
{
	size_t used = strlen(goal->text);
	const char *key, *value;

	key = yaml_text(reader, fy_node_pair_key(pair), "an attribute of a goal");
	value = key ? yaml_text(reader, fy_node_pair_value(pair), "its value") : NULL;
	if (!value)
		return reader->e->no;
	if (strpbrk(key, ",=") || strpbrk(value, ",="))
		return yaml_fail(reader, fy_node_pair_key(pair), "',' and '=' are not allowed in "
				 "a goal's attributes");
	if ((size_t)snprintf(goal->text + used, sizeof(goal->text) - used, "%s%s=%s", used ? "," : "", key,
			     value) >= sizeof(goal->text) - used)
		return yaml_fail(reader, fy_node_pair_key(pair), "a goal's attributes are too long");
	return 0;
}

static int read_goal(struct yaml_reader *reader, struct fy_node *node, struct goal_text *goal)
{
	struct fy_node_pair *pair;
	const char *text;
	void *at = NULL;
	int err = 0;

	yaml_place(reader, node, goal->at, sizeof(goal->at));
	if (!fy_node_is_mapping(node)) {
		text = yaml_text(reader, node, "a goal's name, or its attributes");
		if (!text)
			return reader->e->no;
		if ((size_t)snprintf(goal->text, sizeof(goal->text), "%s", text) >= sizeof(goal->text))
			return yaml_fail(reader, node, "a goal's attributes are too long");
		return 0;
	}
	while (!err && (pair = fy_node_mapping_iterate(node, &at)))
		err = add_word(reader, pair, goal);
	return err;
}

static int read_goals(struct yaml_reader *reader, struct fy_node *root, void *ctx)
{
	struct goal_file *file = ctx;
	struct fy_node_pair *pair = NULL;
	struct fy_node *goals, *goal;
	const char *name;
	void *at = NULL;
	int err = 0;

	if (root && fy_node_is_mapping(root) && fy_node_mapping_item_count(root) == 1)
		pair = fy_node_mapping_iterate(root, &at);
	if (!pair)
		return yaml_fail(reader, root, "expected %s", expected);
	name = yaml_text(reader, fy_node_pair_key(pair), "goals");
	if (!name)
		return reader->e->no;
	goals = fy_node_pair_value(pair);
	if (strcmp(name, "goals") || !goals || !fy_node_is_sequence(goals) || fy_node_is_alias(goals) ||
	    fy_node_sequence_is_empty(goals))
		return yaml_fail(reader, fy_node_pair_key(pair), "expected %s", expected);
	for (at = NULL; !err && (goal = fy_node_sequence_iterate(goals, &at));) {
		if (file->nr == GOAL_FILE_MAX)
			return yaml_fail(reader, goal, "more than %d goals", GOAL_FILE_MAX);
		err = read_goal(reader, goal, &file->goals[file->nr++]);
	}
	return err;
}

int goal_file_read(const char *path, struct goal_file *ret_file, struct err *e)
{
	const struct yaml_file yaml = { "goal file", expected, read_goals, ret_file };

	*ret_file = (struct goal_file){ 0 };
	return yaml_file_read(&yaml, path, e);
}
