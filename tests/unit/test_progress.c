// SPDX-License-Identifier: GPL-2.0-or-later
/* The line at the foot of a terminal: what was counted stays in it, and it fits. */
#include <string.h>

#include "faces/progress.h"
#include "lib/status.h"

#include "check.h"

static struct result *res;

static void row(uint64_t second, uint64_t sent, int64_t lost)
{
	result_row_open(res, second * 1000000000);
	result_row_u64(res, "sent_packets", sent);
	result_row_real(res, "sent_pps", 1.234 * (double)sent);
	result_row_u64(res, "received_packets", sent);
	result_row_real(res, "received_pps", (double)sent);
	result_row_s64(res, "lost_packets", lost);
	result_row_u64(res, "delay_p50_ns", 1234);
	result_row_u64(res, "delay_p99_ns", 56789);
	result_row_close(res);
}

static unsigned int columns_of(const char *text)
{
	unsigned int columns = 0;

	for (; *text; text++)
		columns += (*text & 0xc0) != 0x80;
	return columns;
}

static int setup(void **state)
{
	(void)state;
	res = result_new("blast");
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	result_free(res);
	return 0;
}

static void counts_are_those_since_the_start_and_rates_the_newest(void **state)
{
	struct progress *progress = progress_new(10000000000, 0);

	(void)state;
	row(1, 1000, 12);
	progress_take(progress, res);
	assert_string_equal(progress_line(progress, 79, false),
			    " 10 %   sent 1,000  1.234 kpps  lost 12                          #     9 s left");
	row(2, 500, 0);
	progress_take(progress, res);
	assert_string_equal(progress_line(progress, 79, false),
			    " 20 %   sent 1,500  617 pps  lost 12                            #:     8 s left");
	/* One that was lost came late. */
	row(3, 500, -1);
	progress_take(progress, res);
	assert_string_equal(progress_line(progress, 79, true),
			    " 30 %   sent 2,000  617 pps  lost 11                           █▄▄     7 s left");
	progress_free(progress);
}

static void a_count_is_an_end_too_and_without_one_there_is_the_time(void **state)
{
	struct progress *progress = progress_new(0, 4000), *open = progress_new(0, 0);

	(void)state;
	row(60, 1000, 0);
	progress_take(progress, res);
	progress_take(open, res);
	assert_string_equal(progress_line(progress, 79, false),
			    " 25 %   sent 1,000  1.234 kpps  lost 0                           #   3 min left");
	/* Figures come before the trend. */
	assert_string_equal(progress_line(progress, 59, false),
			    " 25 %   sent 1,000  1.234 kpps  lost 0           3 min left");
	assert_string_equal(progress_line(progress, 45, false), " 25 %   sent 1,000  1.234 kpps     3 min left");
	assert_string_equal(progress_line(open, 79, false),
			    "  60 s  sent 1,000  1.234 kpps  lost 0  one-way p50 1.23  p99 56.8 us         #");
	progress_free(progress);
	progress_free(open);
}

static void a_line_fits_its_terminal_and_never_says_more_than_all(void **state)
{
	struct progress *progress = progress_new(1000000000, 0), *open = progress_new(0, 0);
	unsigned int columns;

	(void)state;
	row(2, 123456789012, 123456789);
	progress_take(progress, res);
	progress_take(open, res);
	for (columns = 40; columns <= 250; columns++) {
		assert_true(columns_of(progress_line(progress, columns, true)) <= columns);
		assert_true(columns_of(progress_line(open, columns, true)) <= columns);
		assert_int_equal(columns_of(progress_line(progress, columns, true)),
				 strlen(progress_line(progress, columns, false)));
		assert_non_null(strstr(progress_line(progress, columns, false), "100 % "));
		assert_non_null(strstr(progress_line(progress, columns, false), " 0 s left"));
	}
	assert_non_null(strstr(progress_line(progress, 119, false), "[####################]100 % "));
	progress_free(progress);
	progress_free(open);
}

static void a_time_is_left_with_its_unit(void **state)
{
	char text[32];

	(void)state;
	assert_string_equal(status_left(text, sizeof(text), 0.2e9), "1 s left");
	assert_string_equal(status_left(text, sizeof(text), 99e9), "99 s left");
	assert_string_equal(status_left(text, sizeof(text), 99.1e9), "2 min left");
	assert_string_equal(status_left(text, sizeof(text), 3601e9), "61 min left");
	assert_string_equal(status_left(text, sizeof(text), 7200e9), "2 h left");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(counts_are_those_since_the_start_and_rates_the_newest, setup, teardown),
		cmocka_unit_test_setup_teardown(a_count_is_an_end_too_and_without_one_there_is_the_time, setup, teardown),
		cmocka_unit_test_setup_teardown(a_line_fits_its_terminal_and_never_says_more_than_all, setup, teardown),
		cmocka_unit_test(a_time_is_left_with_its_unit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
