// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "engine/study/tune.h"

#include "check.h"

static const struct tune_path path = {
	.ifname = "eth1", .link_bps = 10e9, .rtt_ns = 25000000, .cpus = 4, .page_bytes = 4096,
};

static const struct tune_item *item(const char *name)
{
	const struct tune_item *found = tune_find(name, strlen(name));

	if (!found)
		fail_msg("no '%s'", name);
	return found;
}

static struct tune_value is(const char *text, uint32_t max)
{
	struct tune_value value = { .max = max };

	snprintf(value.text, sizeof(value.text), "%s", text);
	return value;
}

static void every_setting_has_one_name_a_source_and_an_effect(void **state)
{
	const struct tune_item *one, *group = NULL;
	size_t i, k;

	(void)state;
	for (i = 0; (one = tune_at(i)); i++) {
		if (tune_find(one->name, strlen(one->name)) != one)
			fail_msg("'%s' is not found", one->name);
		if (!one->source || !one->effect || strlen(one->effect) < 10)
			fail_msg("'%s' says nothing", one->name);
		if ((one->rule == TUNE_IS) != (one->word != NULL))
			fail_msg("'%s': rule and word differ", one->name);
		/* Groups are listed one after the other. */
		for (k = 0; k + 1 < i; k++) {
			if (!strcmp(tune_at(k)->group, one->group) && strcmp(group->group, one->group))
				fail_msg("'%s' is apart from its group", one->name);
		}
		group = one;
	}
	assert_ptr_equal(item("tcp_rmem"), item("net.ipv4.tcp_rmem"));
	assert_null(tune_find("rmem", 4));
	assert_null(tune_find("", 0));
	assert_null(tune_find("tcp_rmem", 7));
}

static void what_link_and_round_trip_ask_for(void **state)
{
	static const struct {
		const char *name, *value;
		uint32_t max;
		enum tune_state state;
		const char *asks;
	} cases[] = {
		{ "tcp_rmem", "4096 131072 6291456", 0, TUNE_CHANGE, "4096 131072 62500000" },
		{ "tcp_rmem", "4096 131072 62500000", 0, TUNE_OK, "4096 131072 62500000" },
		{ "tcp_rmem", "4096 131072 99999999", 0, TUNE_OK, "4096 131072 99999999" },
		{ "tcp_mem", "9000 12000 15000", 0, TUNE_CHANGE, "9000 12000 15259" },
		{ "rmem_max", "212992", 0, TUNE_CHANGE, "62500000" },
		{ "tcp_sack", "0", 0, TUNE_CHANGE, "1" },
		{ "tcp_sack", "1", 0, TUNE_OK, "1" },
		{ "tcp_timestamps", "2", 0, TUNE_OK, "2" },
		{ "tcp_timestamps", "0", 0, TUNE_CHANGE, "1" },
		{ "tcp_congestion_control", "cubic", 0, TUNE_FREE, "" },
		{ "tcp_fack", "0", 0, TUNE_OBSOLETE, "" },
		{ "rx-ring", "256", 4096, TUNE_CHANGE, "4096" },
		{ "rx-ring", "4096", 4096, TUNE_OK, "4096" },
		{ "rx-queues", "1", 8, TUNE_CHANGE, "4" },
		{ "rx-queues", "1", 2, TUNE_CHANGE, "2" },
		{ "rx-queues", "8", 8, TUNE_OK, "4" },
		{ "rx-gro", "off", 0, TUNE_CHANGE, "on" },
		{ "governor", "performance", 0, TUNE_OK, "performance" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct tune_value value = is(cases[i].value, cases[i].max);
		char asks[TUNE_TEXT];
		enum tune_state got = tune_judge(item(cases[i].name), &path, &value, asks);

		if (got != cases[i].state || strcmp(asks, cases[i].asks))
			fail_msg("%s '%s': %s '%s'", cases[i].name, cases[i].value,
				 tune_state_name(got), asks);
	}
}

static void without_a_path_buffers_are_not_judged(void **state)
{
	struct tune_path nowhere = path, far = path;
	struct tune_value value = is("4096 131072 6291456", 0), unknown = { .why = "hidden" };
	char asks[TUNE_TEXT];

	(void)state;
	nowhere.rtt_ns = 0;
	assert_int_equal(tune_judge(item("tcp_rmem"), &nowhere, &value, asks), TUNE_UNTOLD);
	assert_string_equal(asks, "");
	assert_int_equal(tune_judge(item("tcp_rmem"), &path, &unknown, asks), TUNE_UNKNOWN);
	/* 400 Gbit/s round the world: more than the kernel's int. */
	far.link_bps = 400e9;
	far.rtt_ns = 300000000;
	assert_int_equal(tune_judge(item("tcp_rmem"), &far, &value, asks), TUNE_CHANGE);
	assert_string_equal(asks, "4096 131072 2147483647");
	nowhere = path;
	nowhere.link_bps = 1e9;
	value = is("256", 4096);
	assert_int_equal(tune_judge(item("rx-ring"), &nowhere, &value, asks), TUNE_FREE);
}

static void values_that_cannot_be_are_refused(void **state)
{
	static const struct {
		const char *name, *now, *text;
		bool good;
	} cases[] = {
		{ "tcp_rmem", "1 2 3", "1 2 3", true }, { "tcp_rmem", "1 2 3", "2 2 2", true },
		{ "tcp_rmem", "1 2 3", "1 2", false }, { "tcp_rmem", "1 2 3", "1 2 3 4", false },
		{ "tcp_rmem", "1 2 3", "3 2 1", false }, { "tcp_rmem", "1 2 3", "1  2 3", false },
		{ "tcp_rmem", "1 2 3", "1 2 x", false }, { "tcp_rmem", "1 2 3", "", false },
		{ "tcp_rmem", "1 2 3", "1 2 2147483648", false },
		{ "tcp_sack", "1", "0", true }, { "tcp_sack", "1", "-1", false },
		{ "tcp_sack", "1", "on", false }, { "tcp_sack", "1", "0\n", false },
		{ "tcp_congestion_control", "cubic", "bbr", true },
		{ "tcp_congestion_control", "cubic", "a b", false },
		{ "tcp_congestion_control", "cubic", "", false },
		{ "rx-gro", "on", "off", true }, { "rx-gro", "on", "1", false },
		{ "rx-ring", "256", "512", true }, { "rx-ring", "256", "513", false },
		{ "tcp_low_latency", "0", "1", false }, { "governor", "powersave", "performance", false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct tune_value value = is(cases[i].now, strcmp(cases[i].name, "rx-ring") ? 0 : 512);
		struct err e = { 0 };
		int err = tune_check_text(item(cases[i].name), &value, cases[i].text, &e);

		if (err != (cases[i].good ? 0 : -EINVAL) || err != e.no)
			fail_msg("%s '%s': %d %s", cases[i].name, cases[i].text, err, e.msg);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_setting_has_one_name_a_source_and_an_effect),
		cmocka_unit_test(what_link_and_round_trip_ask_for),
		cmocka_unit_test(without_a_path_buffers_are_not_judged),
		cmocka_unit_test(values_that_cannot_be_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
