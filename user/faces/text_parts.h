/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * faces/text_parts.h - parts of the text output in separate files.
 */
#ifndef FACES_TEXT_PARTS_H
#define FACES_TEXT_PARTS_H

#include <stdio.h>

#include <jansson.h>

/* A bar for each cell of a sweep's table; nothing if @tree has none. */
void text_sweep(FILE *out, const json_t *tree);

/* The "comparison" of a result as text. */
void text_comparison(FILE *out, const json_t *comparison);

#endif
