/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * result/part.h - what a part of a document is.
 */
#ifndef RESULT_PART_H
#define RESULT_PART_H

#include <jansson.h>

#include "result/result.h"

extern const char *const part_kind_names[PART_KINDS];

/* PART_OTHER: of a kind that is not known here. */
enum part_kind part_kind(const json_t *part);

/* "" if it has none. */
const char *part_label(const json_t *part, const char *key);

/*
 * Documents written before parts had kinds: gives them to @doc's parts by their names. To
 * be done once, when a document is loaded.
 */
void part_adopt(json_t *doc);

#endif
