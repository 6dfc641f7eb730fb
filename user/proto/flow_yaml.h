/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proto/flow_yaml.h - values of a YAML tree, and errors with their position: "FILE:LINE:COLUMN:
 * what, and what was expected". Only flow_*.c and the readers of other YAML files include this.
 */
#ifndef PROTO_FLOW_YAML_H
#define PROTO_FLOW_YAML_H

#include <stddef.h>
#include <stdint.h>

#include <libfyaml.h>

#include "lib/err.h"
#include "lib/unit.h"

struct flow_spec;

struct yaml_reader {
	const char *name;		/* of the file */
	struct err *e;
};

/* An allowed key of a mapping. */
struct yaml_key {
	const char *name;		/* NULL ends a table */
	int (*read)(struct yaml_reader *reader, struct fy_node *node, struct flow_spec *flow);
};

/* "FILE:LINE:COLUMN" of @node. */
void yaml_place(const struct yaml_reader *reader, struct fy_node *node, char *buf, size_t size);

int yaml_fail(struct yaml_reader *reader, struct fy_node *node, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Reports another parser's error about the text in @node. */
int yaml_fail_inner(struct yaml_reader *reader, struct fy_node *node, const struct err *inner);

/* The text of a scalar, or NULL with an error that names what was expected. */
const char *yaml_text(struct yaml_reader *reader, struct fy_node *node, const char *expected);

/* Reads each key of the mapping @node by its entry in @keys; @of names it in errors. */
int yaml_keys(struct yaml_reader *reader, struct fy_node *node, const struct yaml_key *keys,
	      const char *of, struct flow_spec *flow);

int yaml_u64(struct yaml_reader *reader, struct fy_node *node, uint64_t min, uint64_t max,
	     uint64_t *ret_value);
int yaml_duration(struct yaml_reader *reader, struct fy_node *node, uint64_t *ret_ns);
int yaml_rate(struct yaml_reader *reader, struct fy_node *node, struct unit_rate *ret_rate);

/* One stream, number @number of the file from 1 on (flow_keys.c). */
int flow_read(struct yaml_reader *reader, struct fy_node *node, uint32_t number,
	      struct flow_spec *flow);

#endif
