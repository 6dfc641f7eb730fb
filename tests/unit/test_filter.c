// SPDX-License-Identifier: GPL-2.0-or-later
/* What libpcap compiles, and what of it is refused. tests/bpf/test_filter.c has the code made of it. */
#include "check.h"

#include <errno.h>
#include <string.h>

#include "proto/filter.h"

static void an_expression_is_instructions_or_an_error(void **state)
{
	struct filter *filter = NULL;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(filter_compile(&filter, "udp port 1009", FILTER_ETHERNET, &e), 0);
	assert_true(filter->nr > 5);
	filter_free(filter);
	filter = NULL;
	assert_int_equal(filter_compile(&filter, "udp porto", FILTER_ETHERNET, &e), -EINVAL);
	assert_null(filter);
	assert_non_null(strstr(e.msg, "'udp porto' is not a filter expression: "));
}

/* The protocol of the first header is at its offset from what the packet begins with. */
static void a_packet_from_l3_on_has_no_ethernet_header(void **state)
{
	struct filter *filter = NULL;
	struct err e = { 0 };

	(void)state;
	assert_int_equal(filter_compile(&filter, "ip[9] = 17", FILTER_L3, &e), 0);
	assert_int_equal(filter->ops[0].k, 0);	/* the version; of Ethernet, the type at 12 */
	filter_free(filter);
	filter = NULL;
	assert_int_equal(filter_compile(&filter, "ether host 02:00:00:00:00:01", FILTER_L3, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "is not a filter expression for packets without Ethernet header: "));
}

/* A jump back, which the kernel refuses. */
static void a_filter_with_a_loop_is_refused(void **state)
{
	static const char *const loops[] = { "ip6 protochain 6", "ip protochain 17 or arp" };
	struct filter *filter = NULL;
	struct err e = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(loops); i++) {
		assert_int_equal(filter_compile(&filter, loops[i], FILTER_ETHERNET, &e), -EINVAL);
		assert_null(filter);
		assert_non_null(strstr(e.msg, "protochain"));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_expression_is_instructions_or_an_error),
		cmocka_unit_test(a_packet_from_l3_on_has_no_ethernet_header),
		cmocka_unit_test(a_filter_with_a_loop_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
