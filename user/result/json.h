/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * result/json.h - output for programs: one document, or lines.
 */
#ifndef RESULT_JSON_H
#define RESULT_JSON_H

#include <stdio.h>

#include "result/result.h"

/* The newest row of @part's series as one line of JSON. */
int json_row(FILE *out, const struct result *part);

/* The whole document; on one line if @compact. Returns 0 or negative errno. */
int json_document(FILE *out, const struct result *res, int compact);

#endif
