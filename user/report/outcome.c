// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * report/outcome.c - one figure of a result document.
 */
#include "report/outcome.h"

#include <errno.h>

#include <jansson.h>

static json_t *find(const json_t *doc, const char *key)
{
	json_t *found = json_object_get(json_object_get(doc, "metrics"), key), *part;
	size_t i;

	if (json_is_number(found))
		return found;
	json_array_foreach(json_object_get(doc, "parts"), i, part) {
		found = find(part, key);
		if (found)
			return found;
	}
	return NULL;
}

int outcome_read(FILE *in, const char *key, double *ret_value, struct err *e)
{
	json_t *doc = json_loadf(in, 0, NULL), *what, *value;
	int err = 0;

	what = json_object_get(json_array_get(json_object_get(doc, "errors"), 0), "what");
	value = find(doc, key);
	if (!doc)
		err = err_set(e, -EBADMSG, "cannot read the run's result");
	else if (json_is_string(what))
		err = err_set(e, -EIO, "the run failed: %s", json_string_value(what));
	else if (!value)
		err = err_set(e, -ENODATA, "the run's result has no figure '%s'", key);
	else
		*ret_value = json_number_value(value);
	json_decref(doc);
	return err;
}
