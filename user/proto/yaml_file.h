/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proto/yaml_file.h - a file with one YAML document, by libfyaml: read, check, pass on.
 *
 * Aliases are rejected when values are read: a few lines of them can expand to gigabytes.
 */
#ifndef PROTO_YAML_FILE_H
#define PROTO_YAML_FILE_H

#include <stddef.h>

#include "lib/err.h"

struct fy_node;
struct yaml_reader;

struct yaml_file {
	const char *what;		/* "stream file" */
	const char *expected;		/* "a list of streams after flows" */
	/* @root NULL: the document is empty. */
	int (*read)(struct yaml_reader *reader, struct fy_node *root, void *ctx);
	void *ctx;
};

/* @name: the file's name, for errors. */
int yaml_file_parse(const struct yaml_file *file, const char *name, const char *text, size_t bytes,
		    struct err *e);
int yaml_file_read(const struct yaml_file *file, const char *path, struct err *e);

#endif
