/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * report/text_parts.h - pieces of the face for people that have files of their own.
 */
#ifndef REPORT_TEXT_PARTS_H
#define REPORT_TEXT_PARTS_H

#include <stdio.h>

#include <jansson.h>

/* A bar for each cell of a sweep's table; nothing if @tree has none. */
void text_sweep(FILE *out, const json_t *tree);

#endif
