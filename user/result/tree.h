/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * result/tree.h - the result as a tree, for the faces and compare only.
 */
#ifndef RESULT_TREE_H
#define RESULT_TREE_H

#include <jansson.h>

#include "result/result.h"

/* The document of @res with its parts; borrowed. NULL if memory ran out. */
json_t *result_tree(const struct result *res);

#endif
