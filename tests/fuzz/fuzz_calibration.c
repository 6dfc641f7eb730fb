// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whatever the kept calibration has: a result says "none", or cites its date, and only figures of the tool's own
 * accuracy, which are numbers.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "result/calibration.h"
#include "result/tree.h"

#define must(condition) do { if (!(condition)) abort(); } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct result *res = result_new("blast");
	const char *key, *date;
	json_t *value, *self;
	FILE *kept;
	int cited = 0;

	if (!size)
		goto out;
	kept = fmemopen((void *)data, size, "r");
	must(kept);
	/* As the seeds have it. */
	result_env_str(res, "kernel", "6.1.0");
	result_env_u64(res, "cpus", 2);
	result_self_real(res, "cpu_user_ratio", 0.5);
	calibration_cite(res, kept);
	fclose(kept);
	self = json_object_get(result_tree(res), "self");
	date = json_string_value(json_object_get(self, "calibration"));
	must(date);
	json_object_foreach(self, key, value) {
		if (strncmp(key, "calibrated_", strlen("calibrated_")))
			continue;
		must(json_is_number(value) || json_is_null(value));
		cited++;
	}
	must(!cited || strcmp(date, "none"));
out:
	result_free(res);
	return 0;
}
