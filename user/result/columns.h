/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * result/columns.h - the dictionary of tables: every key that an entry may have, and the
 * environment values with a unit.
 */
#ifndef RESULT_COLUMNS_H
#define RESULT_COLUMNS_H

#include <stdbool.h>

#include "lib/unit.h"

struct column {
	const char *key;
	enum unit unit;		/* UNIT_NONE: a plain number; UNIT_TEXT: a word */
	double scale;		/* factor to the unit: 1e3 for "srtt_us" */
	const char *label;	/* its definition */
};

/* A figure's key is a column with its meaning and unit. False: no such key. */
bool column_find(const char *key, struct column *ret_column);

#endif
