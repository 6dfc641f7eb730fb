/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * faces/text.h - text output: aligned lines with units.
 */
#ifndef FACES_TEXT_H
#define FACES_TEXT_H

#include <stdbool.h>
#include <stdio.h>

#include "result/result.h"

/* The newest row of @part's series in one line; @verbose: all its figures. */
void text_row(FILE *out, const struct result *part, bool verbose);

/* The answer in a few lines; @verbose: the whole result. */
void text_result(FILE *out, const struct result *res, bool verbose);

#endif
