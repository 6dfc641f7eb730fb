/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * result/part.h - the kind of a part of a document.
 */
#ifndef RESULT_PART_H
#define RESULT_PART_H

#include <jansson.h>

#include "result/result.h"

extern const char *const part_kind_names[PART_KINDS];

/* PART_OTHER: unknown kind. */
enum part_kind part_kind(const json_t *part);

/* "" if it has none. */
const char *part_label(const json_t *part, const char *key);

/*
 * For documents written before parts had kinds: set them in @doc's parts by name. Call it
 * once, when a document is loaded.
 */
void part_adopt(json_t *doc);

#endif
