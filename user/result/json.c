// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * result/json.c - output for programs.
 */
#include "result/json.h"

#include <errno.h>

#include <jansson.h>

#include "result/tree.h"

#define FLAGS (JSON_REAL_PRECISION(17) | JSON_PRESERVE_ORDER)

/* The stream's error; json_dumpf() and fputc() only report failure. */
static int write_error(void)
{
	return errno ? -errno : -EIO;
}

int json_row(FILE *out, const struct result *part)
{
	json_t *tree = result_tree(part);
	json_t *series = json_object_get(tree, "series"), *line;
	int err;

	if (!series)
		return -ENOMEM;
	line = json_pack("{s:s}", "type", "interval");
	if (json_object_get(tree, "name"))
		json_object_set(line, "part", json_object_get(tree, "name"));
	json_object_update(line, json_array_get(series, json_array_size(series) - 1));
	errno = 0;
	err = json_dumpf(line, out, FLAGS | JSON_COMPACT) || fputc('\n', out) == EOF ||
	      fflush(out) ? write_error() : 0;
	json_decref(line);
	return err;
}

int json_document(FILE *out, const struct result *res, int compact)
{
	json_t *tree = result_tree(res);

	if (!tree)
		return -ENOMEM;
	errno = 0;
	if (json_dumpf(tree, out, FLAGS | (compact ? JSON_COMPACT : JSON_INDENT(2))) ||
	    fputc('\n', out) == EOF || fflush(out))
		return write_error();
	return 0;
}
