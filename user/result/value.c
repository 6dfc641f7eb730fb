// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * result/value.c - a value of a document as a word for people.
 */
#include "result/value.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "lib/unit.h"

const char *value_show(char *buf, size_t size, const struct metric *metric, const json_t *value)
{
	if (json_is_boolean(value))
		return json_is_true(value) ? "yes" : "no";
	if (json_is_string(value))
		return json_string_value(value);
	if (!json_is_number(value))
		return "-";	/* not measured, or a rate of nothing */
	/* What other programs wrote again may have -2.0 as -2. */
	if (json_is_integer(value) && json_integer_value(value) >= 0)
		return unit_format_u64(buf, size, metric->unit,
				       (uint64_t)json_integer_value(value));
	return unit_format(buf, size, metric->unit, json_number_value(value));
}

static bool ends_in(const char *key, const char *suffix)
{
	size_t len = strlen(key), tail = strlen(suffix);

	return len > tail && !strcmp(key + len - tail, suffix);
}

const char *value_cell(char *buf, size_t size, const char *key, const json_t *value)
{
	if (json_is_real(value) && ends_in(key, "_ratio"))
		return unit_format(buf, size, UNIT_RATIO, json_real_value(value));
	if (json_is_real(value) && ends_in(key, "_bps"))
		return unit_format(buf, size, UNIT_BPS, json_real_value(value));
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

const char *value_with_unit(char *buf, size_t size, const char *key, const json_t *value)
{
	static const struct {
		const char *tail;
		enum unit unit;
	} tails[] = {
		{ "_ns", UNIT_NS }, { "_pps", UNIT_PPS }, { "_bps", UNIT_BPS }, { "_ratio", UNIT_RATIO },
		{ "_packets", UNIT_COUNT },
	};
	const struct metric *metric = metric_find(key);
	struct metric guess = { .unit = UNIT_NONE };
	size_t i;

	if (!json_is_number(value))
		return value_any(buf, size, value);
	for (i = 0; i < sizeof(tails) / sizeof(tails[0]); i++) {
		if (ends_in(key, tails[i].tail) || !strcmp(key, tails[i].tail + 1))
			guess.unit = tails[i].unit;
	}
	if (!metric || metric->unit == UNIT_BYTES)
		metric = &guess;
	if (metric->unit == UNIT_NONE)
		return value_cell(buf, size, key, value);
	return value_show(buf, size, metric, value);
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
		value_cell(buf, size, "", value);
	return buf;
}

const char *value_str(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}
