// SPDX-License-Identifier: GPL-2.0-or-later
/* The probe tag: what it says comes back, and what was damaged is none. */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "abi/tag.h"

static uint64_t chance(void)
{
	return (uint64_t)random() << 42 ^ (uint64_t)random() << 21 ^ (uint64_t)random();
}

static struct tag some_tag(void)
{
	struct tag tag;

	tag_write(&tag, (uint16_t)chance(), (uint16_t)chance(), (uint32_t)chance(), chance());
	return tag;
}

static int is_tag(const struct tag *tag)
{
	struct tag_fields fields;

	return tag_read(tag->high, tag->low, tag->complement, &fields);
}

static void flip(struct tag *tag, unsigned int bit)
{
	((uint8_t *)tag)[bit / 8] ^= (uint8_t)(1 << bit % 8);
}

static void fields_come_back(void **state)
{
	struct tag_fields fields;
	struct tag tag;
	uint64_t time;
	int i;

	(void)state;
	srandom(18);
	for (i = 0; i < 10007; i++) {
		uint16_t run = (uint16_t)chance(), stream = (uint16_t)chance();
		uint32_t sequence = (uint32_t)chance();

		time = chance();
		tag_write(&tag, run, stream, sequence, time);
		assert_true(tag_read(tag.high, tag.low, tag.complement, &fields));
		assert_int_equal(fields.run, run);
		assert_int_equal(fields.stream, stream);
		assert_int_equal(fields.sequence, sequence);
		assert_int_equal(fields.time, time & 0xffffffffffff);
	}
}

static void each_changed_bit_is_seen(void **state)
{
	struct tag tag;
	unsigned int bit;
	int i;

	(void)state;
	srandom(1);
	for (i = 0; i < 1009; i++) {
		tag = some_tag();
		for (bit = 0; bit < 8 * TAG_BYTES; bit++) {
			flip(&tag, bit);
			assert_false(is_tag(&tag));
			flip(&tag, bit);
		}
		assert_true(is_tag(&tag));
	}
}

/* Two that leave the sum as it was are seen by the check alone: one in 65536 is not. */
static void two_changed_bits_are_seen(void **state)
{
	unsigned int a, b, missed = 0, sums = 0;
	struct tag tag;
	int i;

	(void)state;
	srandom(2);
	for (i = 0; i < 101; i++) {
		tag = some_tag();
		for (a = 0; a < 8 * TAG_BYTES; a++) {
			flip(&tag, a);
			for (b = 0; b < a; b++) {
				flip(&tag, b);
				sums += tag.complement == tag_complement(tag.high, tag.low);
				missed += (unsigned int)is_tag(&tag);
				flip(&tag, b);
			}
			flip(&tag, a);
		}
	}
	assert_true(sums > 20000);
	assert_in_range(missed, 0, 4);
}

/* A payload that is none: with a right complement, as UDP's checksum may leave it, one in 65536. */
static void random_payload_is_no_tag(void **state)
{
	unsigned int passed = 0, with_sum = 0;
	struct tag tag;
	int i;

	(void)state;
	srandom(3);
	for (i = 0; i < 1000003; i++) {
		tag.high = chance();
		tag.low = chance();
		tag.complement = (uint16_t)chance();
		passed += (unsigned int)is_tag(&tag);
		tag.complement = tag_complement(tag.high, tag.low);
		with_sum += (unsigned int)is_tag(&tag);
	}
	assert_int_equal(passed, 0);
	assert_in_range(with_sum, 3, 40);
}

static void a_time_is_widened_to_the_next_one(void **state)
{
	static const uint64_t now[] = { 1000, 1ull << 47, 1ull << 48, 1795000000000000000ull };
	static const int64_t ages[] = { 0, 1, -1, 59999999999ll, -59999999999ll, (1ll << 47) - 1, -(1ll << 47) };
	size_t i, k;

	(void)state;
	for (i = 0; i < sizeof(now) / sizeof(now[0]); i++) {
		for (k = 0; k < sizeof(ages) / sizeof(ages[0]); k++) {
			uint64_t sent_ns = now[i] - (uint64_t)ages[k];

			assert_int_equal(tag_widen(sent_ns & 0xffffffffffff, now[i]), sent_ns);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_come_back),
		cmocka_unit_test(each_changed_bit_is_seen),
		cmocka_unit_test(two_changed_bits_are_seen),
		cmocka_unit_test(random_payload_is_no_tag),
		cmocka_unit_test(a_time_is_widened_to_the_next_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
