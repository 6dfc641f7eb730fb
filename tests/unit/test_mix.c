// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/mix: the packets of many streams come in the order of their slots,
 * each stream's as if it were alone.
 */
#include "check.h"

#include <stdlib.h>
#include <string.h>

#include "model/mix.h"

#define FRAC (1ull << PACE_FRAC_BITS)

static struct mix *some_mix(uint32_t nr)
{
	struct mix *mix = calloc(1, sizeof(*mix));
	uint32_t i;

	mix->nr_flows = nr;
	mix->flows = calloc(nr, sizeof(*mix->flows));
	for (i = 0; i < nr; i++) {
		struct mix_flow *flow = &mix->flows[i];

		flow->packet = calloc(1, sizeof(*flow->packet));
		flow->packet->buf_bytes = 60;
		flow->packet->content_bytes = 34;
		flow->packet->bytes[6] = (uint8_t)(i >> 8);
		flow->packet->bytes[7] = (uint8_t)i;
		flow->pace.kind = PACE_EVEN;
		flow->pace.gap = 1000 * FRAC;
		flow->stamp_every = 1;
		flow->stream = (uint16_t)i;
	}
	return mix;
}

static uint32_t index_of(const struct source_packet *packet)
{
	return (uint32_t)packet->bytes[6] << 8 | packet->bytes[7];
}

static struct source *open_all(const struct mix *mix)
{
	struct source *source = NULL;
	struct err e = { 0 };

	assert_int_equal(mix_source_open(&source, mix, 0, 1, &e), 0);
	return source;
}

static int peek(struct source *source, uint64_t now_ns, struct source_packet *ret_packet)
{
	struct err e = { 0 };

	return source->ops->peek(source, now_ns, ret_packet, &e);
}

static void take(struct source *source)
{
	source->ops->take(source, 0, 0);
}

static void the_mean_gap_is_that_of_all_streams_of_the_thread(void **state)
{
	struct mix *mix = some_mix(5);

	(void)state;
	/* 1 Mpps; 10 packets in 1 ms; 100 kpps; at most 200 kpps; no slots */
	mix->flows[1].pace = (struct pace){ .kind = PACE_BURST, .burst = 10, .gap = 1000 * FRAC,
		.rest = 991000 * FRAC };
	mix->flows[2].pace = (struct pace){ .kind = PACE_POISSON, .gap = 10000 * FRAC };
	mix->flows[3].pace = (struct pace){ .kind = PACE_RAMP, .from = 200000 << PACE_PPS_BITS,
		.to = 1 << PACE_PPS_BITS, .ramp_ns = 1 };
	mix->flows[4].pace.kind = PACE_MAX;
	assert_int_equal(mix_mean_gap_ns(mix, 0, 1), 763);	/* 1e9 / 1.31e6 */
	assert_int_equal(mix_mean_gap_ns(mix, 0, 2), 909);
	assert_int_equal(mix_mean_gap_ns(mix, 1, 2), 4761);
	assert_int_equal(mix_mean_gap_ns(mix, 4, 5), 0);
	mix_free(mix);
}

/* Stream n has number n, sizes of its own, a field that counts, and a tag every so often. */
static void each_streams_packets_are_those_it_has_alone(void **state)
{
	static uint8_t want[PACKET_MAX_BYTES];
	struct mix *mix = some_mix(7);
	uint64_t numbers[7] = { 0 }, nr = 0;
	struct source_packet got;
	struct source *source;
	struct mix_count count;
	uint32_t i;

	(void)state;
	for (i = 0; i < 7; i++) {
		struct packet *packet = mix->flows[i].packet;

		mix->flows[i].pace.gap = (700 + 13 * i) * FRAC;
		mix->flows[i].limit = 503 + i;
		mix->flows[i].tagged = i % 2;
		mix->flows[i].stamp_every = 1 + i;
		packet->tag_offset = 42;
		packet->buf_bytes = 1000;
		packet->content_bytes = 34 + 100 * i;
		memset(packet->bytes + 20, (int)(0xa0 + i), packet->content_bytes - 20);
		packet->has_size = i > 3;
		packet->size = (struct field){ .first = 60, .span = 900, .step = 1, .every = 1 };
		packet->nr_fields = i != 3;
		packet->fields[0] = (struct field){ .offset = 26, .bytes = 4, .mask = 0xffffff,
			.first = i, .step = 3, .every = 1 + i, .sums = 1 };
		packet->nr_sums = 1;
		packet->sums[0].offset = 24;
	}
	source = open_all(mix);
	while (peek(source, 0, &got) == 1) {
		i = index_of(&got);
		assert_in_range(i, 0, 6);
		assert_int_equal(got.buf_bytes, i > 3 ? 60 + numbers[i] % 900 : 1000);
		memcpy(want, mix->flows[i].packet->bytes, sizeof(want));
		packet_modify(mix->flows[i].packet, numbers[i], want);
		if (i != 3)
			assert_memory_equal(got.bytes, want, 1000);
		assert_int_equal(got.tag_offset, i % 2 ? 42 : 0);
		assert_int_equal(got.stream, i);
		assert_int_equal(got.sequence, numbers[i]);
		assert_int_equal(got.stamped, i % 2 && numbers[i] % (1 + i) == 0);
		assert_true(got.paced);
		assert_int_equal(got.slot_ns, numbers[i] * (700 + 13 * i));
		source->ops->take(source, 5000 + nr, nr % 11);
		numbers[i]++;
		nr++;
	}
	for (i = 0; i < 7; i++) {
		assert_int_equal(numbers[i], 503 + i);
		source->ops->count(source, i, &count);
		assert_int_equal(count.packets, 503 + i);
		assert_in_range(count.first_mono_ns, 5000, 5006);
		assert_int_equal(count.late_max_ns, 10);
	}
	assert_int_equal(count.last_mono_ns, 5000 + nr - 1);
	mix_source_close(source);
	mix_free(mix);
}

/* Intervals from 300 ns to 100 s: most are beyond the wheel's last slot, most of the time. */
static void slots_come_in_order_to_within_a_microsecond(void **state)
{
	static const uint64_t gaps_ns[] = {
		300, 999983, 3000017, 100000000000, 70000001, 1000003, 20000000011, 5000000,
	};
	struct mix *mix = some_mix(2000);
	uint64_t due_ns[2000], latest_ns = 0, nr = 0;
	struct source_packet got;
	struct source *source;
	uint32_t i, pass;

	(void)state;
	for (pass = 0; pass < 2; pass++) {
		/* All of them, and in the second pass those that are slow, so that the mean gap is. */
		for (i = 0; i < 2000; i++) {
			mix->flows[i].pace.gap = (gaps_ns[pass ? 1 + i % 7 : i ? 1 + i % 7 : 0] + i) * FRAC;
			mix->flows[i].start_ns = due_ns[i] = i * 7919ull % 1000003 * 5;
		}
		mix->nr_flows = pass ? 31 : 2000;
		source = open_all(mix);
		for (nr = latest_ns = 0; nr < 300000; nr++) {
			assert_int_equal(peek(source, 0, &got), 1);
			i = index_of(&got);
			assert_int_equal(got.slot_ns, due_ns[i]);
			if (latest_ns > got.slot_ns)
				assert_in_range(latest_ns - got.slot_ns, 1, 1024);
			else
				latest_ns = got.slot_ns;
			due_ns[i] += mix->flows[i].pace.gap / FRAC;
			take(source);
		}
		/* None was forgotten. */
		for (i = 0; i < mix->nr_flows; i++)
			assert_true(due_ns[i] + 1024 >= latest_ns);
		mix_source_close(source);
	}
	mix->nr_flows = 2000;
	mix_free(mix);
}

static void a_stream_ends_at_its_limit_or_at_its_time(void **state)
{
	struct mix *mix = some_mix(3);
	struct mix_count count;
	struct source_packet got;
	struct source *source;

	(void)state;
	mix->flows[0].limit = 17;
	mix->flows[1].start_ns = 500;
	mix->flows[1].duration_ns = 10000;	/* slots 500, 1500, ..., 9500; 10500 is over */
	mix->flows[2].start_ns = 777;
	mix->flows[2].duration_ns = 5001;
	source = open_all(mix);
	while (peek(source, 0, &got) == 1)
		take(source);
	source->ops->count(source, 0, &count);
	assert_int_equal(count.packets, 17);
	source->ops->count(source, 1, &count);
	assert_int_equal(count.packets, 10);
	assert_int_equal(count.bytes, 640);
	source->ops->count(source, 2, &count);
	assert_int_equal(count.packets, 6);
	assert_int_equal(peek(source, UINT64_MAX, &got), 0);
	mix_source_close(source);
	mix_free(mix);
}

static void streams_without_slots_take_turns_until_their_ends(void **state)
{
	static const uint8_t order[] = { 0, 1, 2, 0, 1, 2, 0, 2, 0, 2, 2 };
	struct mix *mix = some_mix(3);
	struct source_packet got;
	struct source *source;
	uint32_t i;

	(void)state;
	for (i = 0; i < 3; i++)
		mix->flows[i].pace.kind = PACE_MAX;
	mix->flows[0].limit = 4;
	mix->flows[1].limit = 2;
	mix->flows[2].duration_ns = 1000;
	source = open_all(mix);
	for (i = 0; i < sizeof(order); i++) {
		assert_int_equal(peek(source, i, &got), 1);
		assert_int_equal(index_of(&got), order[i]);
		assert_false(got.paced);
		take(source);
	}
	assert_int_equal(peek(source, 999, &got), 1);
	take(source);
	assert_int_equal(peek(source, 1000, &got), 0);
	mix_source_close(source);
	mix_free(mix);
}

/* A stream at 1 us from 3 us on, one without slots, and one without that starts at 4.5 us. */
static void slots_that_have_come_go_before_streams_without(void **state)
{
	struct mix *mix = some_mix(3);
	struct source_packet got;
	struct source *source;
	uint64_t now_ns, counts[3] = { 0 };

	(void)state;
	mix->flows[0].start_ns = 3000;
	mix->flows[0].limit = 5;
	mix->flows[1].pace.kind = mix->flows[2].pace.kind = PACE_MAX;
	mix->flows[1].duration_ns = 20000;
	mix->flows[2].start_ns = 4500;
	mix->flows[2].duration_ns = 25500;
	source = open_all(mix);
	for (now_ns = 0; peek(source, now_ns, &got) == 1; now_ns += 100) {
		if (index_of(&got) == 0) {
			assert_int_equal(now_ns, 3000 + counts[0] * 1000);
			assert_int_equal(got.slot_ns, now_ns);
		} else if (index_of(&got) == 2) {
			assert_true(now_ns >= 4500);
			assert_false(got.paced);
		} else {
			assert_true(now_ns < 20000);
		}
		counts[index_of(&got)]++;
		take(source);
	}
	assert_int_equal(counts[0], 5);
	assert_int_equal(counts[0] + counts[1] + counts[2], 300);
	assert_int_equal(now_ns, 30000);
	/* In turn while both were there, and then alone. */
	assert_in_range(counts[2], 100 + 76, 100 + 78);
	mix_source_close(source);
	mix_free(mix);
}

static void a_stream_without_slots_that_is_waited_for_has_its_start_as_slot(void **state)
{
	struct mix *mix = some_mix(1);
	struct source_packet got;
	struct source *source;

	(void)state;
	mix->flows[0].pace.kind = PACE_MAX;
	mix->flows[0].start_ns = 5003;
	mix->flows[0].limit = 2;
	source = open_all(mix);
	assert_int_equal(peek(source, 17, &got), 1);
	assert_true(got.paced);
	assert_int_equal(got.slot_ns, 5003);
	take(source);
	assert_int_equal(peek(source, 5003, &got), 1);
	assert_false(got.paced);
	take(source);
	assert_int_equal(peek(source, 5003, &got), 0);
	mix_source_close(source);
	mix_free(mix);
}

static void the_threads_share_all_streams(void **state)
{
	struct mix *mix = some_mix(11);
	bool seen[11] = { false };
	struct source_packet got;
	struct source *source;
	struct err e = { 0 };
	uint32_t i, k, nr = 0;

	(void)state;
	for (k = 0; k < 11; k++)
		mix->flows[k].limit = 1;
	for (i = 0; i < 3; i++) {
		assert_int_equal(mix_source_open(&source, mix, i, 3, &e), 0);
		for (; peek(source, 0, &got) == 1; nr++) {
			assert_int_equal(index_of(&got) % 3, i);
			assert_false(seen[index_of(&got)]);
			seen[index_of(&got)] = true;
			take(source);
		}
		mix_source_close(source);
	}
	assert_int_equal(nr, 11);
	/* And a thread that has none sends none. */
	assert_int_equal(mix_source_open(&source, mix, 11, 12, &e), 0);
	assert_int_equal(peek(source, 0, &got), 0);
	mix_source_close(source);
	mix_free(mix);
}

/* The k-th mean of a million: exact to the last packet. */
static void bursts_poisson_gaps_and_ramps_follow_their_schedule(void **state)
{
	struct mix *mix = some_mix(3);
	uint64_t nr[3] = { 0 }, last_ns[3] = { 0 };
	struct source_packet got;
	struct source *source;
	double want;
	uint32_t i;

	(void)state;
	mix->flows[0].pace = (struct pace){ .kind = PACE_BURST, .burst = 7, .gap = 100 * FRAC + FRAC / 3,
		.rest = 9400 * FRAC };
	mix->flows[1].pace = (struct pace){ .kind = PACE_POISSON, .gap = 1234 * FRAC, .seed = 9 };
	mix->flows[2].pace = (struct pace){ .kind = PACE_RAMP, .from = 1000 << PACE_PPS_BITS,
		.to = 3000 << PACE_PPS_BITS, .ramp_ns = 100000000 };
	source = open_all(mix);
	while (peek(source, 0, &got) == 1 && got.slot_ns < 100000000) {
		i = index_of(&got);
		if (!i) {
			want = (double)(nr[0] / 7) * (9400 + 6 * (100 + 1 / 3.)) +
			       (double)(nr[0] % 7) * (100 + 1 / 3.);
			assert_in_range(got.slot_ns + 2, (uint64_t)want, (uint64_t)want + 4);
		}
		nr[i]++;
		assert_true(got.slot_ns >= last_ns[i]);
		last_ns[i] = got.slot_ns;
		take(source);
	}
	/* 100 ms: 81037 +- 5 sigma; from 1 to 3 kpps: 200 */
	assert_in_range(nr[1], 81037 - 1424, 81037 + 1424);
	assert_in_range(nr[2], 198, 203);
	mix_source_close(source);
	mix_free(mix);
}

/* Each for a reason of its own is more than the shortest path can send. */
static void one_even_stream_of_one_size_is_plain(void **state)
{
	struct mix *mix = some_mix(2);
	struct mix_flow *first = &mix->flows[0];

	(void)state;
	/* Two streams are two; two parts are one stream. */
	assert_int_equal(mix_kind(mix, 1), MIX_MANY);
	assert_int_equal(mix_kind(mix, 2), MIX_MANY);
	mix->shared = true;
	assert_int_equal(mix_kind(mix, 2), MIX_PLAIN);
	mix->nr_flows = 1;
	assert_int_equal(mix_kind(mix, 1), MIX_PLAIN);
	first->pace.kind = PACE_MAX;
	first->limit = 7;
	assert_int_equal(mix_kind(mix, 1), MIX_PLAIN);
	first->pace.kind = PACE_BURST;
	assert_int_equal(mix_kind(mix, 1), MIX_MANY);
	first->pace.kind = PACE_EVEN;
	first->packet->has_size = true;
	assert_int_equal(mix_kind(mix, 1), MIX_MANY);
	first->packet->has_size = false;
	first->start_ns = 1;
	assert_int_equal(mix_kind(mix, 1), MIX_MANY);
	first->start_ns = 0;
	first->duration_ns = 1;
	assert_int_equal(mix_kind(mix, 1), MIX_MANY);
	mix->nr_flows = 2;
	mix_free(mix);
}

static void parts_of_a_stream_take_its_packets_and_slots_in_turn(void **state)
{
	struct mix_flow flow = { .limit = 11, .pace = { .kind = PACE_EVEN, .gap = 1000 * FRAC } };
	struct mix_flow part;
	uint64_t packets = 0;
	uint32_t i;

	(void)state;
	for (i = 0; i < 3; i++) {
		part = flow;
		mix_share(&part, i, 3);
		packets += part.limit;
		assert_int_equal(part.start_ns, (i * 1000 + 2) / 3);
		assert_int_equal(mix_number(&part, 5), i + 15);
	}
	assert_int_equal(packets, 11);
	assert_int_equal(mix_number(&flow, 5), 5);
}

/* However many threads share it, a stream of 7 pps has 7 slots in a second and 70 in ten. */
static void a_duration_has_the_slots_that_begin_in_it(void **state)
{
	uint64_t second_ns = 1000000000, slots;
	struct mix_flow part;
	uint32_t threads, i, ten;

	(void)state;
	for (ten = 1; ten <= 10; ten += 9) {
		for (threads = 1; threads <= 7; threads++) {
			for (i = slots = 0; i < threads; i++) {
				part = (struct mix_flow){ .pace.kind = PACE_EVEN };
				part.pace.gap = (threads * second_ns * FRAC + 6) / 7;
				mix_share(&part, i, threads);
				slots += mix_slots_before(&part, ten * second_ns);
			}
			assert_int_equal(slots, 7 * ten);
		}
	}
	/* One that is all but over, and one that never began. */
	part = (struct mix_flow){ .pace = { .kind = PACE_EVEN, .gap = 1000 * FRAC } };
	assert_int_equal(mix_slots_before(&part, 1), 1);
	assert_int_equal(mix_slots_before(&part, 1001), 2);
	part.start_ns = 5000;
	assert_int_equal(mix_slots_before(&part, 5000), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_mean_gap_is_that_of_all_streams_of_the_thread),
		cmocka_unit_test(each_streams_packets_are_those_it_has_alone),
		cmocka_unit_test(slots_come_in_order_to_within_a_microsecond),
		cmocka_unit_test(a_stream_ends_at_its_limit_or_at_its_time),
		cmocka_unit_test(streams_without_slots_take_turns_until_their_ends),
		cmocka_unit_test(slots_that_have_come_go_before_streams_without),
		cmocka_unit_test(a_stream_without_slots_that_is_waited_for_has_its_start_as_slot),
		cmocka_unit_test(the_threads_share_all_streams),
		cmocka_unit_test(one_even_stream_of_one_size_is_plain),
		cmocka_unit_test(parts_of_a_stream_take_its_packets_and_slots_in_turn),
		cmocka_unit_test(a_duration_has_the_slots_that_begin_in_it),
		cmocka_unit_test(bursts_poisson_gaps_and_ramps_follow_their_schedule),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
