// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whatever bytes a stream file has: it is read, or refused with the file's name and
 * a sentence; and what is read can be built and scheduled, or refused again.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "proto/flow_file.h"

#define must(condition) do { if (!(condition)) abort(); } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__lsan_default_suppressions(void);

/* libfyaml 0.7.12 loses 4 KiB where a long quoted key is cut short. */
const char *__lsan_default_suppressions(void)
{
	return "leak:libfyaml";
}

static void check_size(const struct packet_size *size)
{
	uint64_t number, bytes;
	__u64 list[FIELD_MAX_LIST];
	uint32_t i;

	must(size->min_bytes >= 64 && size->min_bytes <= size->max_bytes && size->max_bytes <= 9216);
	must(size->mean_bytes >= size->min_bytes && size->mean_bytes <= size->max_bytes);
	must(size->nr_list <= FIELD_MAX_LIST);
	for (i = 0; i < size->nr_list; i++)
		list[i] = size->list[i];
	for (number = 0; number < 300; number++) {
		bytes = field_value(&size->field, list, size->nr_list, number);
		must(bytes >= size->min_bytes && bytes <= size->max_bytes);
	}
}

static void check_schedule(const struct flow_spec *flow)
{
	struct pace_time due = { 0 };
	struct err e = { 0 };
	struct pace pace;
	double mean_pps;
	uint64_t number;

	if (flow_pace_of(&flow->pace, 84, 10000000000ull, &pace, &mean_pps, &e)) {
		must(e.no && e.msg[0]);
		return;
	}
	must(mean_pps >= 0);
	for (number = 0; number < 20; number++) {
		struct pace_time before = due;

		pace_advance(&due, pace_gap(&pace, number, due.ns));
		must(due.ns >= before.ns);
	}
}

static void check_flow(const struct flow_spec *flow)
{
	static struct packet packet;
	struct packet_env env = { .src_port = 1, .dst_port = 9, .ttl = 64, .tagged = flow->tagged };
	struct err e = { 0 };

	must(flow->packet && flow->packet->nr_layers && flow->copies >= 1 && flow->stamp_every >= 1);
	must(memchr(flow->name, 0, sizeof(flow->name)));
	if (flow->has_size)
		check_size(&flow->size);
	check_schedule(flow);
	if (packet_spec_build(flow->packet, &env, flow->has_size ? &flow->size : NULL, &packet, &e))
		must(e.no && e.msg[0]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct flow_file *file = NULL;
	char *text = malloc(size + 1);
	struct packet_size sizes;
	struct err e = { 0 };
	uint32_t i;

	must(text);
	memcpy(text, data, size);
	text[size] = '\0';
	if (flow_file_parse("f.yaml", text, size, &file, &e)) {
		must(!file && e.no && !strncmp(e.msg, "f.yaml:", 7));
	} else {
		must(file && file->nr_flows >= 1 && file->nr_flows <= FLOW_FILE_MAX);
		for (i = 0; i < file->nr_flows && i < 4; i++)
			check_flow(&file->flows[i]);
	}
	flow_file_free(file);
	e = (struct err){ 0 };
	if (packet_size_parse(text, 7, &sizes, &e))
		must(e.no == -EINVAL && e.msg[0]);
	else
		check_size(&sizes);
	free(text);
	return 0;
}
