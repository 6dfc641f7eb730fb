// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <jansson.h>

#include "result/calibration.h"
#include "result/json.h"

#include "check.h"

static char dir[64], path[128];

static int make_dir(void **state)
{
	(void)state;
	strcpy(dir, "/tmp/calibration.XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/state/calibration.json", dir);
	return 0;
}

static int remove_dir(void **state)
{
	(void)state;
	unlink(path);
	*strrchr(path, '/') = '\0';
	rmdir(path);
	return rmdir(dir);
}

static struct result *on_kernel(const char *command, const char *kernel)
{
	struct result *res = result_new(command);

	result_env_str(res, "date", "2026-01-02T03:04:05Z");
	result_env_str(res, "kernel", kernel);
	result_env_u64(res, "cpus", 2);
	return res;
}

static void store(const char *kernel)
{
	struct result *res = on_kernel("calibrate", kernel);
	struct err e;

	result_metric_u64(res, "calibrated_delay_floor_p50_ns", 431);
	result_metric_real(res, "calibrated_exact_pps", 3.5e6);
	result_metric_u64(res, "sent_packets", 7);
	assert_int_equal(calibration_store(res, path, &e), 0);
	result_free(res);
}

/* "self" of a result that was taken on @kernel, as JSON; NULL: it has none. */
static json_t *cite(const char *kernel, bool measured)
{
	struct result *res = on_kernel("sink", kernel);
	char *text = NULL;
	json_t *doc, *self;
	size_t size;
	FILE *out, *kept;

	if (measured)
		result_self_u64(res, "snapshot_skew_ns", 25);
	kept = fopen(path, "re");
	calibration_cite(res, kept);
	if (kept)
		fclose(kept);
	out = open_memstream(&text, &size);
	assert_int_equal(json_document(out, res, 1), 0);
	fclose(out);
	doc = json_loads(text, 0, NULL);
	self = json_incref(json_object_get(doc, "self"));
	json_decref(doc);
	free(text);
	result_free(res);
	return self;
}

static const char *cited_date(const char *kernel)
{
	static char date[32];
	json_t *self = cite(kernel, true);

	snprintf(date, sizeof(date), "%s",
		 json_string_value(json_object_get(self, "calibration")));
	json_decref(self);
	return date;
}

static void cites_the_figures_of_this_machine(void **state)
{
	json_t *self;

	(void)state;
	store("6.1.0");
	self = cite("6.1.0", true);
	assert_string_equal(json_string_value(json_object_get(self, "calibration")),
			    "2026-01-02T03:04:05Z");
	assert_int_equal(json_integer_value(json_object_get(self, "calibrated_delay_floor_p50_ns")),
			 431);
	assert_true(json_real_value(json_object_get(self, "calibrated_exact_pps")) == 3.5e6);
	/* What else the calibration counted is not this result's. */
	assert_null(json_object_get(self, "sent_packets"));
	assert_int_equal(json_integer_value(json_object_get(self, "snapshot_skew_ns")), 25);
	json_decref(self);
}

static void does_not_cite_what_another_kernel_found(void **state)
{
	(void)state;
	store("6.1.0");
	assert_string_equal(cited_date("6.1.1"), "none");
	store("6.1.1");
	assert_string_equal(cited_date("6.1.1"), "2026-01-02T03:04:05Z");
}

static void says_that_there_is_none(void **state)
{
	(void)state;
	assert_string_equal(cited_date("6.1.0"), "none");
}

static void a_result_that_measured_nothing_cites_nothing(void **state)
{
	(void)state;
	store("6.1.0");
	assert_null(cite("6.1.0", false));
}

static void takes_a_damaged_document_for_none(void **state)
{
	static const char *const texts[] = {
		"", "{", "[]", "{}", "7", "{\"environment\": 7}",
		"{\"environment\": {\"date\": 5, \"kernel\": \"6.1.0\", \"cpus\": 2}}",
		"{\"environment\": {\"date\": \"x\", \"kernel\": \"6.1.0\"}, \"metrics\": []}",
		/* As no date says that there is no calibration. */
		"{\"environment\": {\"date\": \"soon\", \"kernel\": \"6.1.0\", \"cpus\": 2}, \"metrics\": {}}",
	};
	size_t i;

	(void)state;
	store("6.1.0");
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		FILE *file = fopen(path, "w");

		fputs(texts[i], file);
		fclose(file);
		assert_string_equal(cited_date("6.1.0"), "none");
	}
}

static void leaves_out_figures_that_it_does_not_know(void **state)
{
	FILE *file;
	json_t *self;

	(void)state;
	store("6.1.0");
	file = fopen(path, "w");
	fputs("{\"environment\": {\"date\": \"2026-01-02\", \"kernel\": \"6.1.0\", \"cpus\": 2}, \"metrics\": "
	      "{\"calibrated_of_a_later_version\": 5, \"calibrated_exact_pps\": \"text\", "
	      /* Of an earlier one, which took the forwarder's lateness for its own error. */
	      "\"calibrated_delay_error_p50_ns\": 40000, \"held_late_p50_ns\": 40000}}", file);
	fclose(file);
	self = cite("6.1.0", true);
	assert_string_equal(json_string_value(json_object_get(self, "calibration")), "2026-01-02");
	assert_int_equal(json_object_size(self), 2);
	json_decref(self);
}

static void a_directory_that_cannot_be_made_is_an_error(void **state)
{
	struct result *res = on_kernel("calibrate", "6.1.0");
	struct err e;

	(void)state;
	snprintf(path, sizeof(path), "%s/no/such/calibration.json", dir);
	assert_int_equal(calibration_store(res, path, &e), -ENOENT);
	assert_non_null(strstr(e.msg, "no/such"));
	result_free(res);
}

static void the_place_can_be_set(void **state)
{
	char text[128];

	(void)state;
	unsetenv("STATE_DIRECTORY");
	calibration_path(text, sizeof(text));
	assert_string_equal(text, "/var/lib/ethgauge/calibration.json");
	setenv("STATE_DIRECTORY", "/run/x", 1);
	calibration_path(text, sizeof(text));
	assert_string_equal(text, "/run/x/calibration.json");
	setenv("STATE_DIRECTORY", "relative", 1);
	calibration_path(text, sizeof(text));
	assert_string_equal(text, "/var/lib/ethgauge/calibration.json");
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, make_dir, remove_dir)
	const struct CMUnitTest tests[] = {
		T(cites_the_figures_of_this_machine),
		T(does_not_cite_what_another_kernel_found),
		T(says_that_there_is_none),
		T(a_result_that_measured_nothing_cites_nothing),
		T(takes_a_damaged_document_for_none),
		T(leaves_out_figures_that_it_does_not_know),
		T(a_directory_that_cannot_be_made_is_an_error),
		T(the_place_can_be_set),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
