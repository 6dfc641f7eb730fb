// SPDX-License-Identifier: GPL-2.0-or-later
/* The plan of load: its words, ramp, due times, source addresses, pauses, URLs. */
#include "check.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/heap.h"
#include "model/load_plan.h"

#define S 1000000000ull

static void steps_are_a_number_in_a_time(void **state)
{
	static const struct {
		const char *text;
		uint64_t nr, every_ns;
	} good[] = {
		{ "10/s", 10, S }, { "100/5s", 100, 5 * S }, { "7", 7, S }, { "2k/ms", 2000, S / 1000 },
		{ "30/m", 30, 60 * S }, { "1/1.5m", 1, 90 * S },
	};
	static const char *const bad[] = {
		"", "/", "/s", "0/s", "10/", "10/5", "x/s", "10/0s", "10/x", "-1/s", "10//s", "1.5/s",
		"2G/s", "10/s ", "10/99999999999999999999999999999999999999999s",
	};
	struct load_step step = { .nr = 42 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (load_parse_step(bad[i], &step) != -EINVAL)
			fail_msg("'%s' was taken", bad[i]);
		assert_int_equal(step.nr, 42);
	}
	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		assert_int_equal(load_parse_step(good[i].text, &step), 0);
		assert_int_equal(step.nr, good[i].nr);
		assert_int_equal(step.every_ns, good[i].every_ns);
	}
}

static void a_rate_is_a_step(void **state)
{
	struct unit_rate whole = { UNIT_RATE_PPS, 1000 }, slow = { UNIT_RATE_PPS, 0.4 };
	struct unit_rate fast = { UNIT_RATE_PPS, 1800000000.5 };
	struct unit_rate none = { UNIT_RATE_MAX, 0 };
	struct load_step step;

	(void)state;
	step = load_step_of(&whole);
	assert_int_equal(step.nr, 1000);
	assert_int_equal(step.every_ns, S);
	step = load_step_of(&slow);
	assert_int_equal(step.nr, 1);
	assert_int_equal(step.every_ns, 5 * S / 2);
	step = load_step_of(&fast);
	assert_int_equal(load_due_ns(&step, 3600000001), 2 * S);
	assert_int_equal(load_step_of(&none).nr, 0);
}

static void ranges_are_a_time_or_two(void **state)
{
	static const char *const bad[] = { "", "-", "1s-", "-1s", "5s-1s", "1s-2s-3s", "x" };
	struct load_range range = { .min_ns = 42 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (load_parse_range(bad[i], &range) != -EINVAL)
			fail_msg("'%s' was taken", bad[i]);
		assert_int_equal(range.min_ns, 42);
	}
	assert_int_equal(load_parse_range("250ms", &range), 0);
	assert_int_equal(range.min_ns, S / 4);
	assert_int_equal(range.max_ns, S / 4);
	assert_int_equal(load_parse_range("1s-5s", &range), 0);
	assert_int_equal(range.min_ns, S);
	assert_int_equal(range.max_ns, 5 * S);
}

static void a_ramp_begins_a_step_at_once(void **state)
{
	const struct load_step none = { 0 }, ramp = { .nr = 10, .every_ns = 5 * S };

	(void)state;
	assert_int_equal(load_ramp_ns(&none, 999), 0);
	assert_int_equal(load_ramp_ns(&ramp, 0), 0);
	assert_int_equal(load_ramp_ns(&ramp, 9), 0);
	assert_int_equal(load_ramp_ns(&ramp, 10), 5 * S);
	assert_int_equal(load_ramp_ns(&ramp, 1009), 500 * S);
}

/* The longest time that is parsed has more ns than fit after a few steps. */
static void a_far_time_does_not_come_early(void **state)
{
	struct load_step far;

	(void)state;
	assert_int_equal(load_parse_step("2/5000000000s", &far), 0);
	assert_int_equal(load_ramp_ns(&far, 2), 5000000000 * S);
	assert_int_equal(load_due_ns(&far, 3), 7500000000 * S);
	assert_int_equal(load_ramp_ns(&far, 49), INT64_MAX);
	assert_int_equal(load_due_ns(&far, 49), INT64_MAX);
}

static void due_times_are_spread_and_do_not_drift(void **state)
{
	const struct load_step third = { .nr = 3, .every_ns = S };
	const struct load_step fast = { .nr = 1000000, .every_ns = S };

	(void)state;
	assert_int_equal(load_due_ns(&third, 0), 0);
	assert_int_equal(load_due_ns(&third, 1), 333333333);
	assert_int_equal(load_due_ns(&third, 2), 666666666);
	assert_int_equal(load_due_ns(&third, 3), S);
	assert_int_equal(load_due_ns(&third, 3000003), 1000001 * S);
	/* A day of it. */
	assert_int_equal(load_due_ns(&fast, 86400ull * 1000000), 86400 * S);
}

static void check_source(const char *range, uint64_t nr, uint64_t client, const char *want)
{
	struct load_sources sources;
	struct err e = { 0 };
	char got[64];

	if (load_parse_sources("--sources", range, &sources, &e))
		fail_msg("%s: %s", range, e.msg);
	assert_int_equal(sources.nr, nr);
	load_source(&sources, client, got, sizeof(got));
	assert_string_equal(got, want);
}

static void sources_are_handed_out_in_turn(void **state)
{
	struct load_sources none = { 0 };
	char got[64] = "x";

	(void)state;
	check_source("198.18.0.10", 1, 5, "198.18.0.10");
	check_source("198.18.0.10-198.18.0.250", 241, 0, "198.18.0.10");
	check_source("198.18.0.10-198.18.0.250", 241, 240, "198.18.0.250");
	check_source("198.18.0.10-198.18.0.250", 241, 241, "198.18.0.10");
	check_source("198.18.0.250-198.18.1.5", 12, 6, "198.18.1.0");
	check_source("198.18.0.0/24", 254, 0, "198.18.0.1");
	check_source("198.18.0.77/24", 254, 253, "198.18.0.254");
	check_source("198.18.3.4/22", 1022, 1021, "198.18.3.254");
	check_source("198.18.0.6/31", 2, 1, "198.18.0.7");
	check_source("198.18.0.6/32", 1, 1, "198.18.0.6");
	check_source("0.0.0.0/0", (1ull << 32) - 2, 0, "0.0.0.1");
	check_source("2001:db8::/64", (1ull << 32) - 1, 255, "2001:db8::100");
	check_source("2001:db8::fffe-2001:db8::1:1", 4, 2, "2001:db8::1:0");
	check_source("2001:db8::7/128", 1, 9, "2001:db8::7");
	load_source(&none, 3, got, sizeof(got));
	assert_string_equal(got, "");
}

static void sources_that_are_none_are_refused(void **state)
{
	static const char *const bad[] = {
		"", "x", "198.18.0", "198.18.0.1-", "198.18.0.9-198.18.0.8", "198.18.0.1/33", "198.18.0.1/",
		"198.18.0.1/x", "198.18.0.1/-1", "198.18.0.1-2001:db8::1", "2001:db8::/129",
		"2001:db8::1-2001:db9::1", "198.18.0.1/24/24", "eth0",
	};
	struct load_sources sources = { .nr = 42 };
	struct err e;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (load_parse_sources("--sources", bad[i], &sources, &e) != -EINVAL)
			fail_msg("'%s' was taken", bad[i]);
		assert_int_equal(sources.nr, 42);
		assert_int_equal(e.kind, ERR_USAGE);
	}
}

static void pauses_stay_in_their_range_and_are_repeatable(void **state)
{
	const struct load_range range = { .min_ns = 10, .max_ns = 13 }, fixed = { 7, 7 };
	uint64_t a = load_seed(1, 5), b = load_seed(1, 5), other = load_seed(1, 6), ns;
	unsigned int seen[4] = { 0 }, i, same = 0;

	(void)state;
	assert_int_equal(load_pick_ns(&fixed, &a), 7);
	for (i = 0; i < 4001; i++) {
		ns = load_pick_ns(&range, &a);
		assert_in_range(ns, 10, 13);
		assert_int_equal(ns, load_pick_ns(&range, &b));
		same += ns == load_pick_ns(&range, &other);
		seen[ns - 10]++;
	}
	for (i = 0; i < 4; i++)
		assert_in_range(seen[i], 850, 1150);
	assert_in_range(same, 850, 1150);
}

static void urls_name_client_and_cycle(void **state)
{
	char buf[32];

	(void)state;
	assert_int_equal(load_expand(buf, sizeof(buf), "ftp://h/{client}-{cycle}-{x}", 17, 3), 0);
	assert_string_equal(buf, "ftp://h/17-3-{x}");
	assert_int_equal(load_expand(buf, 5, "http", 0, 0), 0);
	assert_int_equal(load_expand(buf, 4, "http", 0, 0), -ENAMETOOLONG);
	assert_int_equal(load_expand(buf, 4, "{client}", 10000, 0), -ENAMETOOLONG);
}

static void redirections_change_the_method_as_rfc_9110_has_it(void **state)
{
	(void)state;
	assert_string_equal(load_redirect_method("POST", 301), "GET");
	assert_string_equal(load_redirect_method("POST", 302), "GET");
	assert_string_equal(load_redirect_method("PUT", 303), "GET");
	assert_string_equal(load_redirect_method("PUT", 302), "PUT");
	assert_string_equal(load_redirect_method("POST", 307), "POST");
	assert_string_equal(load_redirect_method("POST", 308), "POST");
	assert_string_equal(load_redirect_method("HEAD", 303), "HEAD");
}

static void a_heap_gives_back_in_order_of_time(void **state)
{
	uint64_t random = 3, last = 0, due;
	const struct load_range range = { .max_ns = 50 };
	struct heap heap;
	uint32_t i;

	(void)state;
	assert_int_equal(heap_init(&heap, 101), 0);
	assert_true(heap_due_ns(&heap) == UINT64_MAX);
	for (i = 0; i < 101; i++)
		heap_push(&heap, load_pick_ns(&range, &random) * 1000 + i, i);
	for (i = 0; i < 101; i++) {
		due = heap_due_ns(&heap);
		assert_true(due >= last);
		/* Each with what was pushed with it. */
		assert_int_equal(heap_pop(&heap), due % 1000);
		last = due;
	}
	assert_true(heap_due_ns(&heap) == UINT64_MAX);
	heap_release(&heap);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_are_a_number_in_a_time),
		cmocka_unit_test(a_rate_is_a_step),
		cmocka_unit_test(ranges_are_a_time_or_two),
		cmocka_unit_test(a_ramp_begins_a_step_at_once),
		cmocka_unit_test(a_far_time_does_not_come_early),
		cmocka_unit_test(due_times_are_spread_and_do_not_drift),
		cmocka_unit_test(sources_are_handed_out_in_turn),
		cmocka_unit_test(sources_that_are_none_are_refused),
		cmocka_unit_test(pauses_stay_in_their_range_and_are_repeatable),
		cmocka_unit_test(urls_name_client_and_cycle),
		cmocka_unit_test(redirections_change_the_method_as_rfc_9110_has_it),
		cmocka_unit_test(a_heap_gives_back_in_order_of_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
