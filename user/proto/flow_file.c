// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * proto/flow_file.c - stream files, by libfyaml.
 */
#include "proto/flow_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "proto/flow_yaml.h"
#include "proto/yaml_file.h"

static int read_flows(struct yaml_reader *reader, struct fy_node *root, void *ctx)
{
	struct flow_file *file = ctx;
	struct fy_node_pair *pair = NULL;
	struct fy_node *flows, *flow;
	const char *name;
	void *at = NULL;
	int nr, err;

	if (root && fy_node_is_mapping(root))
		pair = fy_node_mapping_iterate(root, &at);
	if (!pair)
		return yaml_fail(reader, root, "expected streams, such as: flows: [{packet: eth/ip4/udp}]");
	do {
		name = yaml_text(reader, fy_node_pair_key(pair), "flows");
		if (!name)
			return reader->e->no;
		if (strcmp(name, "flows"))
			return yaml_fail(reader, fy_node_pair_key(pair), "'%.40s', expected flows", name);
		flows = fy_node_pair_value(pair);
	} while ((pair = fy_node_mapping_iterate(root, &at)));
	if (!flows || !fy_node_is_sequence(flows) || fy_node_sequence_is_empty(flows))
		return yaml_fail(reader, flows ? flows : root, "expected a list of streams after flows");
	nr = fy_node_sequence_item_count(flows);
	if (nr > FLOW_FILE_MAX)
		return yaml_fail(reader, flows, "%d streams, expected at most %d", nr, FLOW_FILE_MAX);
	file->flows = calloc((size_t)nr, sizeof(*file->flows));
	if (!file->flows)
		return err_set(reader->e, -ENOMEM, "cannot allocate %d streams", nr);
	for (at = NULL; (flow = fy_node_sequence_iterate(flows, &at));) {
		/* Counted first, so that a bad one's memory is freed. */
		file->nr_flows++;
		err = flow_read(reader, flow, file->nr_flows, &file->flows[file->nr_flows - 1]);
		if (err)
			return err;
	}
	return 0;
}

/* @text NULL: read the file @name. */
static int make(const char *name, const char *text, size_t bytes, struct flow_file **ret_file,
		struct err *e)
{
	struct flow_file *file = calloc(1, sizeof(*file));
	const struct yaml_file yaml = {
		.what = "stream file", .expected = "a list of streams after flows",
		.read = read_flows, .ctx = file,
	};
	int err;

	if (!file)
		return err_set(e, -ENOMEM, "cannot read '%s'", name);
	err = text ? yaml_file_parse(&yaml, name, text, bytes, e) : yaml_file_read(&yaml, name, e);
	if (err)
		flow_file_free(file);
	else
		*ret_file = file;
	return err;
}

int flow_file_parse(const char *name, const char *text, size_t bytes, struct flow_file **ret_file,
		    struct err *e)
{
	return make(name, text, bytes, ret_file, e);
}

int flow_file_read(const char *path, struct flow_file **ret_file, struct err *e)
{
	return make(path, NULL, 0, ret_file, e);
}

void flow_file_free(struct flow_file *file)
{
	uint32_t i;

	if (!file)
		return;
	for (i = 0; i < file->nr_flows; i++)
		packet_spec_free(file->flows[i].packet);
	free(file->flows);
	free(file);
}
