/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * result/tree.h - the result as a tree, for the faces and compare only.
 */
#ifndef RESULT_TREE_H
#define RESULT_TREE_H

#include <jansson.h>

#include "result/result.h"

/* Of all that is written. */
#define JSON_FLAGS (JSON_REAL_PRECISION(17) | JSON_PRESERVE_ORDER)

/* The document of @res with its parts; borrowed. NULL if memory ran out. */
json_t *result_tree(const struct result *res);

/* Part @i, as in the document; NULL after the last. */
const struct result *result_part_at(const struct result *res, size_t i);

/*
 * Calls @fn with each row of the series that is no longer in the tree, oldest first, as a line of compact
 * JSON, until it
 * returns other than 0. Returns that, or a negative errno.
 */
int result_older_rows(const struct result *res, int (*fn)(const char *row, size_t bytes, void *ctx), void *ctx);

#endif
