// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * When a run says that this machine was its limit, and when it must not.
 */
#include <math.h>
#include <string.h>

#include "model/bottleneck.h"

#include "check.h"

static char why[256];

static const struct bottleneck_sender full = {
	.pace = BOTTLENECK_UNPACED, .cpu = 3, .time_ns = 2000000000, .run_ratio = 0.99,
};

static enum bottleneck of_sender(struct bottleneck_sender s)
{
	return bottleneck_of_sender(&s, why, sizeof(why));
}

static enum bottleneck of_receiver(struct bottleneck_receiver r)
{
	return bottleneck_of_receiver(&r, why, sizeof(why));
}

static void a_paced_sender_that_reached_its_rate_is_no_limit_however_busy(void **state)
{
	struct bottleneck_sender s = full;

	(void)state;
	s.pace = BOTTLENECK_REGULAR;
	s.run_ratio = 1;
	assert_int_equal(of_sender(s), BOTTLENECK_NONE);
	s.taken_ratio = 0.4;
	s.refused_ratio = 0.0005;
	assert_int_equal(of_sender(s), BOTTLENECK_NONE);
	assert_string_equal(why, "");
}

static void slots_without_a_rate_accuse_no_cpu(void **state)
{
	struct bottleneck_sender s = full;

	(void)state;
	s.pace = BOTTLENECK_PACED;
	assert_int_equal(of_sender(s), BOTTLENECK_UNKNOWN);
	s.run_ratio = NAN;
	assert_int_equal(of_sender(s), BOTTLENECK_UNKNOWN);
	/* It had time left before its slots. */
	s.run_ratio = 0.5;
	assert_int_equal(of_sender(s), BOTTLENECK_NONE);
	assert_string_equal(why, "");
}

static void a_cpu_that_is_used_up_is_named(void **state)
{
	struct bottleneck_sender s = full;

	(void)state;
	assert_int_equal(of_sender(s), BOTTLENECK_SENDER_CPU);
	assert_non_null(strstr(why, "the sender used all of CPU 3"));
	s.pace = BOTTLENECK_IRREGULAR;
	assert_int_equal(of_sender(s), BOTTLENECK_SENDER_CPU);
}

static void who_took_the_cpu_from_the_sender_is_not_the_sender(void **state)
{
	struct bottleneck_sender s = full;

	(void)state;
	s.run_ratio = 0.60;
	s.taken_ratio = 0.38;
	assert_int_equal(of_sender(s), BOTTLENECK_SENDER_CPU);
	assert_non_null(strstr(why, "took 38 % of CPU 3"));
}

static void a_cpu_that_does_more_for_the_path_is_shared(void **state)
{
	struct bottleneck_sender s = full;

	(void)state;
	s.softirq_ratio = 0.49;
	assert_int_equal(of_sender(s), BOTTLENECK_SENDER_CPU);
	assert_non_null(strstr(why, "the sender used all of CPU 3"));
	s.softirq_ratio = 0.72;
	assert_int_equal(of_sender(s), BOTTLENECK_SENDER_CPU);
	assert_non_null(strstr(why, "CPU 3 sends, and spent 72 % of the time on packets that this host receives or forwards"));
	/* Who else took the CPU comes first. */
	s.run_ratio = 0.60;
	s.taken_ratio = 0.38;
	assert_int_equal(of_sender(s), BOTTLENECK_SENDER_CPU);
	assert_non_null(strstr(why, "took 38 % of CPU 3"));
}

static void a_cpu_with_room_left_is_not_accused(void **state)
{
	struct bottleneck_sender s = full;

	(void)state;
	s.run_ratio = 0.80;
	assert_int_equal(of_sender(s), BOTTLENECK_UNKNOWN);
	s.run_ratio = NAN;
	assert_int_equal(of_sender(s), BOTTLENECK_UNKNOWN);
	s.run_ratio = 1;
	s.time_ns = 5000000;
	assert_int_equal(of_sender(s), BOTTLENECK_UNKNOWN);
	assert_string_equal(why, "");
}

static void a_full_ring_is_the_limit_though_the_sender_spins_at_it(void **state)
{
	struct bottleneck_sender s = full;

	(void)state;
	s.refused_ratio = 0.25;
	assert_int_equal(of_sender(s), BOTTLENECK_RING);
	assert_non_null(strstr(why, "refused 25 %"));
	s.refused_ratio = 0;
	s.ring_full_ratio = 0.9;
	assert_int_equal(of_sender(s), BOTTLENECK_RING);
	assert_non_null(strstr(why, "full in 90 %"));
	s.ring_full_ratio = 0.1;
	assert_int_equal(of_sender(s), BOTTLENECK_SENDER_CPU);
}

static void a_link_that_went_down_is_named_before_the_ring(void **state)
{
	struct bottleneck_sender s = full;

	(void)state;
	s.pace = BOTTLENECK_IRREGULAR;
	s.refused_ratio = 0.25;
	s.link_downs = 1;
	assert_int_equal(of_sender(s), BOTTLENECK_LINK);
	assert_non_null(strstr(why, "went down"));
	assert_null(strstr(why, "ring was full"));
	/* It harmed nothing. */
	s.pace = BOTTLENECK_UNPACED;
	s.refused_ratio = 0;
	assert_int_equal(of_sender(s), BOTTLENECK_SENDER_CPU);
	s.pace = BOTTLENECK_REGULAR;
	assert_int_equal(of_sender(s), BOTTLENECK_NONE);
}

static void a_sender_that_stalled_is_not_accused_of_spinning(void **state)
{
	struct bottleneck_sender s = full;

	(void)state;
	s.pace = BOTTLENECK_STALLED;
	assert_int_equal(of_sender(s), BOTTLENECK_UNKNOWN);
	assert_string_equal(why, "");
	s.run_ratio = 0.7;
	assert_int_equal(of_sender(s), BOTTLENECK_UNKNOWN);
	s.taken_ratio = 0.3;
	assert_int_equal(of_sender(s), BOTTLENECK_SENDER_CPU);
	assert_non_null(strstr(why, "took 30 % of CPU 3"));
}

static void a_sender_that_waits_for_its_socket_is_no_limit(void **state)
{
	struct bottleneck_sender s = full;

	(void)state;
	s.pace = BOTTLENECK_BLOCKING;
	s.cpu = BOTTLENECK_ANY_CPU;
	assert_int_equal(of_sender(s), BOTTLENECK_SENDER_CPU);
	assert_non_null(strstr(why, "used all of its CPU"));
	s.run_ratio = 0.6;
	assert_int_equal(of_sender(s), BOTTLENECK_NONE);
	assert_string_equal(why, "");
	s.run_ratio = NAN;
	assert_int_equal(of_sender(s), BOTTLENECK_UNKNOWN);
}

static void without_a_loss_the_receiver_is_no_limit(void **state)
{
	const struct bottleneck_receiver r = {
		.softnet_dropped_packets = 17, .has_softnet = true, .busy_ratio = 1,
		.squeezed_hz = 5000,
	};

	(void)state;
	assert_int_equal(of_receiver(r), BOTTLENECK_NONE);
	assert_string_equal(why, "");
}

static void a_loss_elsewhere_does_not_accuse_a_busy_receiver(void **state)
{
	const struct bottleneck_receiver r = {
		.lost_packets = 1009, .has_softnet = true, .busy_ratio = 1, .squeezed_hz = 20,
	};

	(void)state;
	assert_int_equal(of_receiver(r), BOTTLENECK_NONE);
	assert_string_equal(why, "");
}

static void a_receiver_that_cannot_keep_up_is_named(void **state)
{
	struct bottleneck_receiver r = {
		.lost_packets = 1009, .has_softnet = true, .cpu = 5, .busy_ratio = 0.99,
		.squeezed_hz = 3000,
	};

	(void)state;
	assert_int_equal(of_receiver(r), BOTTLENECK_RECEIVER_CPU);
	assert_non_null(strstr(why, "CPU 5 was busy 99 %"));
	r.busy_ratio = 0.5;
	assert_int_equal(of_receiver(r), BOTTLENECK_NONE);
	r.softnet_dropped_packets = 211;
	assert_int_equal(of_receiver(r), BOTTLENECK_RECEIVER_CPU);
	assert_non_null(strstr(why, "dropped 211 packets"));
}

static void an_overrun_is_the_ring_s_unless_its_cpu_was_too_slow(void **state)
{
	struct bottleneck_receiver r = {
		.overrun_packets = 503, .lost_packets = NAN, .has_softnet = true, .busy_ratio = 0.3,
	};

	(void)state;
	assert_int_equal(of_receiver(r), BOTTLENECK_RING);
	assert_non_null(strstr(why, "ring lost 503 packets"));
	r.busy_ratio = 1;
	r.squeezed_hz = 3000;
	assert_int_equal(of_receiver(r), BOTTLENECK_RECEIVER_CPU);
}

static void a_socket_or_the_thread_that_reads_it_is_named(void **state)
{
	struct bottleneck_receiver r = {
		.socket_full_packets = 64439, .lost_packets = 64439, .has_softnet = true,
	};

	(void)state;
	assert_int_equal(of_receiver(r), BOTTLENECK_SOCKET);
	assert_non_null(strstr(why, "dropped 64439 packets"));
	r.overrun_packets = 100003;
	assert_int_equal(of_receiver(r), BOTTLENECK_RING);
	r = (struct bottleneck_receiver){ .reader_ratio = 0.97, .has_softnet = true };
	assert_int_equal(of_receiver(r), BOTTLENECK_RECEIVER_CPU);
	r.reader_ratio = 0.9;
	assert_int_equal(of_receiver(r), BOTTLENECK_NONE);
}

static void what_cannot_be_read_is_unknown_and_not_none(void **state)
{
	const struct bottleneck_receiver lost = { .lost_packets = 3 };
	const struct bottleneck_receiver dropped = {
		.lost_packets = NAN, .has_softnet = true, .softnet_dropped_packets = 3,
	};

	(void)state;
	assert_int_equal(of_receiver(lost), BOTTLENECK_UNKNOWN);
	assert_int_equal(of_receiver(dropped), BOTTLENECK_UNKNOWN);
}

static void of_both_ends_the_one_that_is_known_counts_and_the_sender_first(void **state)
{
	(void)state;
	assert_int_equal(bottleneck_of_both(BOTTLENECK_NONE, BOTTLENECK_RING), BOTTLENECK_RING);
	assert_int_equal(bottleneck_of_both(BOTTLENECK_UNKNOWN, BOTTLENECK_RECEIVER_CPU),
			 BOTTLENECK_RECEIVER_CPU);
	assert_int_equal(bottleneck_of_both(BOTTLENECK_UNKNOWN, BOTTLENECK_NONE),
			 BOTTLENECK_UNKNOWN);
	assert_int_equal(bottleneck_of_both(BOTTLENECK_SENDER_CPU, BOTTLENECK_RING),
			 BOTTLENECK_SENDER_CPU);
	assert_int_equal(bottleneck_of_both(BOTTLENECK_NONE, BOTTLENECK_NONE), BOTTLENECK_NONE);
	assert_string_equal(bottleneck_names[BOTTLENECK_SENDER_CPU], "sender cpu");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_paced_sender_that_reached_its_rate_is_no_limit_however_busy),
		cmocka_unit_test(slots_without_a_rate_accuse_no_cpu),
		cmocka_unit_test(a_cpu_that_is_used_up_is_named),
		cmocka_unit_test(who_took_the_cpu_from_the_sender_is_not_the_sender),
		cmocka_unit_test(a_cpu_that_does_more_for_the_path_is_shared),
		cmocka_unit_test(a_cpu_with_room_left_is_not_accused),
		cmocka_unit_test(a_full_ring_is_the_limit_though_the_sender_spins_at_it),
		cmocka_unit_test(a_link_that_went_down_is_named_before_the_ring),
		cmocka_unit_test(a_sender_that_stalled_is_not_accused_of_spinning),
		cmocka_unit_test(a_sender_that_waits_for_its_socket_is_no_limit),
		cmocka_unit_test(without_a_loss_the_receiver_is_no_limit),
		cmocka_unit_test(a_loss_elsewhere_does_not_accuse_a_busy_receiver),
		cmocka_unit_test(a_receiver_that_cannot_keep_up_is_named),
		cmocka_unit_test(an_overrun_is_the_ring_s_unless_its_cpu_was_too_slow),
		cmocka_unit_test(a_socket_or_the_thread_that_reads_it_is_named),
		cmocka_unit_test(what_cannot_be_read_is_unknown_and_not_none),
		cmocka_unit_test(of_both_ends_the_one_that_is_known_counts_and_the_sender_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
