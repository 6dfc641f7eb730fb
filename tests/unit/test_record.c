// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "proto/record.h"

#include "check.h"

static void assert_line(const struct record *rec, const char *want)
{
	char line[RECORD_TEXT_BYTES];
	size_t len = record_line(line, rec);

	assert_int_equal(len, strlen(want));
	assert_memory_equal(line, want, len);
}

static void a_line_has_a_value_for_each_column_of_the_head(void **state)
{
	const struct record rec = {
		.stream = 7, .sequence = 4294967296, .sent_ns = 1630046657109,
		.received_ns = 1630046657855, .bytes = 60, .cpu = 3, .queue = 12,
	};
	char head[RECORD_TEXT_BYTES];

	(void)state;
	record_head(head, sizeof(head), "mono", "rtt");
	assert_string_equal(head, "stream,sequence,sent_mono_ns,received_mono_ns,rtt_ns,"
			    "frame_bytes,cpu,queue,kind\n");
	assert_line(&rec, "7,4294967296,1630046657109,1630046657855,746,64,3,12,\n");
}

static void a_time_of_the_future_is_a_negative_delay(void **state)
{
	const struct record rec = { .sent_ns = 1000, .received_ns = 1, .bytes = 60 };

	(void)state;
	assert_line(&rec, "0,0,1000,1,-999,64,0,0,\n");
}

static void what_is_not_known_is_empty(void **state)
{
	struct record rec = { .received_ns = 5, .bytes = 96, .kind = RECORD_DUPLICATE };

	(void)state;
	assert_line(&rec, "0,0,,5,,100,0,0,duplicate\n");
	rec.kind = RECORD_UNTAGGED;
	assert_line(&rec, ",,,5,,100,0,0,untagged\n");
	rec.kind = RECORD_DAMAGED;
	assert_line(&rec, ",,,5,,100,0,0,damaged\n");
	rec.kind = RECORD_BAD_PAYLOAD;
	assert_line(&rec, "0,0,,5,,100,0,0,bad-payload\n");
}

static void the_longest_line_fits(void **state)
{
	struct record rec = {
		.sequence = UINT64_MAX, .sent_ns = UINT64_MAX, .received_ns = UINT64_MAX >> 1,
		.bytes = UINT32_MAX, .queue = UINT32_MAX, .stream = UINT16_MAX, .cpu = UINT16_MAX,
		.kind = RECORD_OTHER_STREAM,
	};
	char line[RECORD_TEXT_BYTES];

	(void)state;
	assert_true(record_line(line, &rec) < sizeof(line));
	rec.kind = RECORD_NR_KINDS;	/* a newer program's: no word outside the table */
	assert_true(record_line(line, &rec) < sizeof(line));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_line_has_a_value_for_each_column_of_the_head),
		cmocka_unit_test(a_time_of_the_future_is_a_negative_delay),
		cmocka_unit_test(what_is_not_known_is_empty),
		cmocka_unit_test(the_longest_line_fits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
