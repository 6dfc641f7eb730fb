// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * result/calibration.c - the tool's own accuracy, stored for later results.
 */
#include "result/calibration.h"

#include <ctype.h>
#include <string.h>

#include <jansson.h>

#include "lib/array.h"
#include "lib/outfile.h"
#include "lib/statedir.h"
#include "result/json.h"
#include "result/metrics.h"
#include "result/tree.h"

#define PREFIX "calibrated_"
/* In calibrations of earlier versions: the error of the tool and of its forwarder together. */
#define NO_LONGER "calibrated_delay_error_"

void calibration_path(char *buf, size_t size)
{
	statedir_path(buf, size, "calibration.json");
}

int calibration_store(const struct result *res, const char *path, struct err *e)
{
	struct outfile *file;
	int err;

	err = statedir_make(path, e);
	if (err)
		return err;
	err = outfile_open(&file, path, e);
	if (err)
		return err;
	err = json_document(outfile_stream(file), res, false);
	if (err)
		err_set(e, err, "cannot write '%s'", path);
	else
		err = outfile_commit(file, e);
	outfile_close(file);
	return err;
}

/* True if everything that affects the figures is unchanged. */
static bool is_same_machine(const json_t *then, const json_t *now)
{
	static const char *const keys[] = { "kernel", "cpus", "clocksource", "spectre_v2" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		const json_t *a = json_object_get(then, keys[i]), *b = json_object_get(now, keys[i]);

		if (a != b && !(a && b && json_equal(a, b)))
			return false;
	}
	return true;
}

void calibration_cite(struct result *res, FILE *kept)
{
	json_t *tree = result_tree(res), *doc, *then, *figures, *value;
	const char *key, *date;

	if (!json_object_size(json_object_get(tree, "self")))
		return;
	doc = kept ? json_loadf(kept, JSON_REJECT_DUPLICATES, NULL) : NULL;
	then = json_object_get(doc, "environment");
	date = json_string_value(json_object_get(then, "date"));
	figures = json_object_get(doc, "metrics");
	if (!date || !isdigit((unsigned char)*date) || !is_same_machine(then, json_object_get(tree, "environment"))) {
		result_self_str(res, "calibration", "none");
		goto out;
	}
	result_self_str(res, "calibration", date);
	json_object_foreach(figures, key, value) {
		if (strncmp(key, PREFIX, strlen(PREFIX)) || !metric_find(key) ||
		    !strncmp(key, NO_LONGER, strlen(NO_LONGER)))
			continue;
		if (json_is_integer(value))
			result_self_u64(res, key, (uint64_t)json_integer_value(value));
		else if (json_is_real(value))
			result_self_real(res, key, json_real_value(value));
	}
out:
	json_decref(doc);
}
