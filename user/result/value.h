/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * result/value.h - format a value of a document.
 */
#ifndef RESULT_VALUE_H
#define RESULT_VALUE_H

#include <jansson.h>

#include "result/metrics.h"

/* A figure with its unit; returns @buf or a text of @value. */
const char *value_show(char *buf, size_t size, const struct metric *metric, const json_t *value);

/*
 * A value of an entry: integers as they are; shares and bit rates that are not integers
 * with a unit. Returns @buf.
 */
const char *value_cell(char *buf, size_t size, const char *key, const json_t *value);

/*
 * For a page, which has room: every figure with its column's unit; lengths and
 * plain numbers stay as they are. Returns @buf or a text of @value.
 */
const char *value_with_unit(char *buf, size_t size, const char *key, const json_t *value);

/* The same, and for a list or an object its number of items. */
const char *value_any(char *buf, size_t size, const json_t *value);

/* A point of the distribution @family in @figures; NULL: there is none. */
json_t *value_point(const json_t *figures, const char *family, enum dist_stat stat);

/* A string of @object; "" if it is not a string. */
const char *value_str(const json_t *object, const char *key);

#endif
