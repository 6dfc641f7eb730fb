// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * abi/drops.h: a packet whose copies end on two CPUs at once has one end.
 */
#include <pthread.h>
#include <stdint.h>
#include <string.h>

#include "abi/drops.h"

#include "check.h"

#define PACKETS	(SEEN_SLOTS * 8u)
#define STREAM	3
#define PLACE	0x12345679
#define OTHER	0x7fffffff

static struct seen_packet packets[SEEN_SLOTS];
static uint32_t at[2];		/* the packet that each side works on */

struct side {
	int self;
	uint64_t place;
	int is_copy;
	uint64_t ends, back;
};

/* Side by side: none goes on to the next packet before the other has come to this one. */
static void *end_all(void *arg)
{
	struct side *side = arg;
	uint32_t i;

	for (i = 0; i < PACKETS; i++) {
		__u64 back, end = seen_end(STREAM, i, side->place);

		__atomic_store_n(&at[side->self], i + 1, __ATOMIC_RELEASE);
		while (__atomic_load_n(&at[!side->self], __ATOMIC_ACQUIRE) < i + 1)
			;
		if (seen_note(&packets[seen_slot(STREAM, i)], end, side->is_copy, &back))
			continue;
		side->ends++;
		side->back += !!back;
	}
	return NULL;
}

/* @stays: the place of the end that wins, whichever of the two comes first; UINT64_MAX: that of either. */
static void both_end(struct side *one, struct side *two, uint64_t stays)
{
	pthread_t thread;
	uint32_t i;

	memset(packets, 0, sizeof(packets));
	memset(at, 0, sizeof(at));
	one->self = 0;
	two->self = 1;
	assert_int_equal(pthread_create(&thread, NULL, end_all, two), 0);
	end_all(one);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(one->ends + two->ends - one->back - two->back, PACKETS);
	for (i = PACKETS - SEEN_SLOTS; stays != UINT64_MAX && i < PACKETS; i++)
		assert_int_equal(packets[seen_slot(STREAM, i)].end, seen_end(STREAM, i, stays));
}

static void a_copy_on_another_cpu_hides_no_drop(void **state)
{
	struct side drop = { .place = PLACE }, copy = { .place = OTHER, .is_copy = 1 };

	(void)state;
	both_end(&drop, &copy, PLACE);
	assert_int_equal(drop.ends, PACKETS);
	assert_int_equal(copy.back, 0);
}

static void what_is_received_hides_a_drop_on_another_cpu(void **state)
{
	struct side drop = { .place = PLACE }, received = { 0 };

	(void)state;
	both_end(&drop, &received, 0);
	assert_int_equal(received.ends, PACKETS);
	assert_int_equal(drop.back, 0);
}

static void of_two_drops_one_is_the_end(void **state)
{
	struct side drop = { .place = PLACE }, other = { .place = OTHER };

	(void)state;
	both_end(&drop, &other, UINT64_MAX);
}

static void an_end_is_of_its_packet_alone(void **state)
{
	struct seen_packet seen = { 0 };
	__u64 back;

	(void)state;
	assert_int_equal(seen_note(&seen, seen_end(0, 0, 0), 0, &back), 0);
	assert_int_equal(seen_note(&seen, seen_end(0, 0, PLACE), 0, &back), 1);
	assert_int_equal(seen_note(&seen, seen_end(0, 65536, PLACE), 0, &back), 0);
	assert_int_equal(back, 0);
	assert_int_equal(seen_note(&seen, seen_end(0, 65536, OTHER), 0, &back), 0);
	assert_int_equal(back, PLACE);
	assert_int_equal(seen_note(&seen, seen_end(0, 65536, PLACE), 1, &back), 1);
	assert_int_equal(seen_note(&seen, seen_end(65535, 65536, 0), 0, &back), 0);
	assert_int_equal(back, 0);
}

static void a_place_has_31_bits(void **state)
{
	struct drop_key key = { .location = 0xffffffff81234567, .ifname = "eth0" };
	unsigned int i;

	(void)state;
	for (i = 0; i < 1000; i++) {
		key.reason = i;
		assert_in_range(drop_place_id(&key), 1, SEEN_PLACE);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_copy_on_another_cpu_hides_no_drop),
		cmocka_unit_test(what_is_received_hides_a_drop_on_another_cpu),
		cmocka_unit_test(of_two_drops_one_is_the_end),
		cmocka_unit_test(an_end_is_of_its_packet_alone),
		cmocka_unit_test(a_place_has_31_bits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
