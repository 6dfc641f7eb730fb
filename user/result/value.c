// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * result/value.c - format a value of a document.
 */
#include "result/value.h"

#include <stdio.h>
#include <string.h>

#include "lib/unit.h"
#include "result/columns.h"

const char *value_show(char *buf, size_t size, const struct metric *metric, const json_t *value)
{
	if (json_is_boolean(value))
		return json_is_true(value) ? "yes" : "no";
	if (json_is_string(value))
		return json_string_value(value);
	if (!json_is_number(value))
		return "-";	/* not measured, or a rate without time */
	/* Other programs may have rewritten -2.0 as -2. */
	if (json_is_integer(value) && json_integer_value(value) >= 0)
		return unit_format_u64(buf, size, metric->unit,
				       (uint64_t)json_integer_value(value));
	return unit_format(buf, size, metric->unit, json_number_value(value));
}

static const char *plain(char *buf, size_t size, const json_t *value)
{
	if (json_is_integer(value))
		snprintf(buf, size, "%lld", (long long)json_integer_value(value));
	else if (json_is_real(value))
		snprintf(buf, size, json_real_value(value) < 1000 ? "%.4g" : "%.0f",
			 json_real_value(value));
	else
		snprintf(buf, size, "%s", json_is_string(value) && *json_string_value(value) ?
			 json_string_value(value) : "-");
	return buf;
}

const char *value_cell(char *buf, size_t size, const char *key, const json_t *value)
{
	struct column column;

	if (json_is_real(value) && column_find(key, &column) && column.scale == 1 &&
	    (column.unit == UNIT_RATIO || column.unit == UNIT_CPUS || column.unit == UNIT_BPS))
		return unit_format(buf, size, column.unit, json_real_value(value));
	return plain(buf, size, value);
}

const char *value_with_unit(char *buf, size_t size, const char *key, const json_t *value)
{
	struct column column;

	if (!json_is_number(value))
		return value_any(buf, size, value);
	/* Lengths are compared as numbers: 64, 1518. */
	if (!column_find(key, &column) || column.unit == UNIT_NONE || column.unit == UNIT_BYTES)
		return plain(buf, size, value);
	if (column.scale == 1)
		return value_show(buf, size, &(struct metric){ .unit = column.unit }, value);
	return unit_format(buf, size, column.unit, column.scale * json_number_value(value));
}

const char *value_any(char *buf, size_t size, const json_t *value)
{
	if (json_is_boolean(value))
		snprintf(buf, size, "%s", json_is_true(value) ? "yes" : "no");
	else if (json_is_array(value))
		snprintf(buf, size, "%zu of them", json_array_size(value));
	else if (json_is_object(value))
		snprintf(buf, size, "%zu of them", json_object_size(value));
	else
		plain(buf, size, value);
	return buf;
}

json_t *value_point(const json_t *figures, const char *family, enum dist_stat stat)
{
	const struct metric *metric = metric_of(family, stat);

	return metric ? json_object_get(figures, metric->key) : NULL;
}

const char *value_str(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}
