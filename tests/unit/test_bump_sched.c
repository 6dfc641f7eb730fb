// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/bump_sched: with a clock of the test's own, against a plain sort and a plain count.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "model/bump_sched.h"

#include "check.h"

#define FRAMES	5003
#define START	1000000000000ull	/* ns */

static struct sched *sched;
static struct sched_out outs[FRAMES];
static uint32_t nr_outs;

static void start(const struct sched_cfg *cfg)
{
	struct sched_cfg all = *cfg;

	sched_free(sched);
	all.nr_frames = FRAMES;
	assert_int_equal(sched_new(&sched, &all), 0);
	nr_outs = 0;
}

static int end(void **state)
{
	(void)state;
	sched_free(sched);
	sched = NULL;
	return 0;
}

static void add(uint32_t frame, const struct sched_order *order)
{
	sched_frames(sched)[frame] = (struct sched_frame){ SCHED_NONE, 60 };
	sched_add(sched, frame, order);
}

/* Append the frames due at @now_ns to those released before. */
static void let_out(uint64_t now_ns)
{
	while (sched_next(sched, now_ns, &outs[nr_outs])) {
		nr_outs++;
		assert_true(nr_outs < FRAMES);
	}
}

static uint64_t chance(uint64_t span)
{
	return ((uint64_t)random() << 31 | (uint64_t)random()) % span;
}

static void a_frame_leaves_when_it_is_due_and_not_before(void **state)
{
	(void)state;
	start(&(struct sched_cfg){ 0 });
	assert_true(sched_due_ns(sched) == UINT64_MAX);
	add(7, &(struct sched_order){ .arrived_ns = START, .delay_ns = 5000 });
	assert_true(sched_due_ns(sched) == START + 5000);
	let_out(START + 4999);
	assert_int_equal(nr_outs, 0);
	let_out(START + 5000);
	assert_int_equal(nr_outs, 1);
	assert_int_equal(outs[0].frame, 7);
	assert_true(outs[0].due_ns == START + 5000);
	assert_true(sched_due_ns(sched) == UINT64_MAX);
}

static uint64_t dues[FRAMES];

static int compare_dues(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (dues[x] != dues[y])
		return dues[x] < dues[y] ? -1 : 1;
	return x < y ? -1 : 1;
}

/* Delays of up to @span_ns in steps of @step_ns, so that some are due at once. */
static void come_out_sorted(uint64_t span_ns, uint64_t step_ns)
{
	uint32_t sorted[FRAMES], i;
	uint64_t delay_ns;

	start(&(struct sched_cfg){ 0 });
	for (i = 0; i < FRAMES - 1; i++) {
		delay_ns = chance(span_ns) / step_ns * step_ns;
		dues[i] = START + i * 100 + delay_ns;
		sorted[i] = i;
		add(i, &(struct sched_order){ .arrived_ns = START + i * 100, .delay_ns = delay_ns });
	}
	qsort(sorted, FRAMES - 1, sizeof(sorted[0]), compare_dues);
	let_out(UINT64_MAX);
	assert_int_equal(nr_outs, FRAMES - 1);
	for (i = 0; i < FRAMES - 1; i++) {
		assert_int_equal(outs[i].frame, sorted[i]);
		assert_true(outs[i].due_ns == dues[sorted[i]]);
	}
}

static void frames_leave_in_the_order_in_which_they_are_due(void **state)
{
	(void)state;
	come_out_sorted(1, 1);
	come_out_sorted(1000, 100);
	come_out_sorted(100000, 1000);
	come_out_sorted(10000000, 1);
}

static void time_between_adds_does_not_change_the_order(void **state)
{
	uint64_t now_ns = START, before_ns = 0;
	uint32_t i, waiting = 0;

	(void)state;
	start(&(struct sched_cfg){ 0 });
	for (i = 0; i < FRAMES - 1; i++) {
		now_ns += chance(200);
		add(i, &(struct sched_order){ .arrived_ns = now_ns, .delay_ns = chance(30000) });
		waiting = nr_outs;
		let_out(now_ns);
		for (; waiting < nr_outs; waiting++) {
			assert_true(outs[waiting].due_ns <= now_ns);
			assert_true(outs[waiting].due_ns >= before_ns);
			before_ns = outs[waiting].due_ns;
		}
		assert_true(sched_due_ns(sched) > now_ns);
	}
	let_out(UINT64_MAX);
	assert_int_equal(nr_outs, FRAMES - 1);
}

static void with_keep_order_none_overtakes(void **state)
{
	uint32_t i;

	(void)state;
	start(&(struct sched_cfg){ 0 });
	for (i = 0; i < FRAMES - 1; i++)
		add(i, &(struct sched_order){ .arrived_ns = START + i * 100,
					      .delay_ns = chance(100000), .keep_order = true });
	let_out(UINT64_MAX);
	for (i = 0; i < FRAMES - 1; i++) {
		assert_int_equal(outs[i].frame, i);
		assert_true(!i || outs[i].due_ns >= outs[i - 1].due_ns);
	}
}

/* How many of the frames that came out before place @at had come in later. */
static uint32_t overtaken_by(uint32_t at)
{
	uint32_t i, nr = 0;

	for (i = 0; i < at; i++)
		nr += outs[i].frame > outs[at].frame;
	return nr;
}

/* One in @one_in waits for 1 to @most places. */
static void wait_exactly(uint32_t one_in, uint32_t most, uint64_t delay_ns)
{
	uint16_t places[FRAMES] = { 0 };
	uint32_t i, waiting;

	start(&(struct sched_cfg){ 0 });
	for (i = 0; i < FRAMES - 1; i++) {
		if (!chance(one_in))
			places[i] = (uint16_t)(1 + chance(most));
		add(i, &(struct sched_order){ .arrived_ns = START + i, .places = places[i],
					      .delay_ns = delay_ns });
	}
	let_out(UINT64_MAX);
	waiting = sched_nr_waiting(sched);
	assert_int_equal(nr_outs + waiting, FRAMES - 1);
	for (i = 0; i < nr_outs; i++) {
		if (places[outs[i].frame])
			assert_int_equal(overtaken_by(i), places[outs[i].frame]);
	}
	assert_int_equal(sched_flush(sched, UINT32_MAX, START + FRAMES), waiting);
	let_out(UINT64_MAX);
	assert_int_equal(nr_outs, FRAMES - 1);
	assert_int_equal(sched_nr_waiting(sched), 0);
}

static void a_held_frame_leaves_after_exactly_the_given_number(void **state)
{
	(void)state;
	wait_exactly(100, 1, 0);
	wait_exactly(50, 3, 0);
	wait_exactly(10, 30, 0);
	wait_exactly(2, 5, 0);
	wait_exactly(3, 400, 0);
}

static void a_following_delay_does_not_undo_the_order(void **state)
{
	(void)state;
	wait_exactly(20, 7, 3000000);
}

static void flushing_lets_the_oldest_pass_first(void **state)
{
	uint32_t i;

	(void)state;
	start(&(struct sched_cfg){ 0 });
	for (i = 0; i < 13; i++)
		add(i, &(struct sched_order){ .arrived_ns = START + i, .places = 100 });
	assert_int_equal(sched_flush(sched, 5, START + 1000), 5);
	let_out(START + 1000);
	assert_int_equal(nr_outs, 5);
	for (i = 0; i < 5; i++)
		assert_int_equal(outs[i].frame, i);
	assert_int_equal(sched_nr_waiting(sched), 8);
	/* Those that left came earlier than the others, so they count for none of them. */
	for (i = 13; i < 113; i++)
		add(i, &(struct sched_order){ .arrived_ns = START + i });
	let_out(UINT64_MAX);
	assert_int_equal(nr_outs, 113);
	for (i = 5; i < 105; i++)
		assert_int_equal(outs[i].frame, i + 8);
}

static void a_chain_stays_together(void **state)
{
	static const uint32_t order[] = { 9, 4, 20, 21, 8 };
	struct sched_frame *frames;
	uint32_t i;

	(void)state;
	start(&(struct sched_cfg){ 0 });
	frames = sched_frames(sched);
	frames[4] = (struct sched_frame){ 20, 60 };
	frames[20] = (struct sched_frame){ 21, 60 };
	frames[21] = (struct sched_frame){ SCHED_NONE, 60 };
	sched_add(sched, 4, &(struct sched_order){ .arrived_ns = START, .places = 1 });
	add(9, &(struct sched_order){ .arrived_ns = START + 1 });
	add(8, &(struct sched_order){ .arrived_ns = START + 1 });
	let_out(UINT64_MAX);
	assert_int_equal(nr_outs, ARRAY_SIZE(order));
	for (i = 0; i < nr_outs; i++)
		assert_int_equal(outs[i].frame, order[i]);
}

/* A minimal frame takes 84 bytes of wire time: 672 ns at 1 Gbit/s. */
static void a_bottleneck_sends_at_its_rate_and_drops_the_tail(void **state)
{
	uint32_t i;

	(void)state;
	start(&(struct sched_cfg){ .rate_l1_bps = 1e9, .queue_packets = 10 });
	for (i = 0; i < 17; i++)
		add(i, &(struct sched_order){ .arrived_ns = START });
	let_out(START);
	/* One is being sent, ten wait, and six find no place. */
	assert_int_equal(nr_outs, 6);
	for (i = 0; i < 6; i++) {
		assert_true(outs[i].drop);
		assert_int_equal(outs[i].frame, 11 + i);
	}
	assert_true(sched_due_ns(sched) == START + 672);
	/* The first of the queue is on the line now, so one place is free. */
	add(17, &(struct sched_order){ .arrived_ns = START + 672 });
	add(18, &(struct sched_order){ .arrived_ns = START + 673 });
	nr_outs = 0;
	let_out(UINT64_MAX);
	assert_int_equal(nr_outs, 13);
	for (i = 0; i < 13; i++) {
		if (outs[i].drop)
			assert_int_equal(outs[i].frame, 18);
		else
			assert_true(outs[i].due_ns ==
				    START + 672 * (1 + (outs[i].frame == 17 ? 11 : outs[i].frame)));
	}
}

static void a_queue_is_bounded_in_bytes(void **state)
{
	uint32_t i, drops = 0;

	(void)state;
	/* 256 bytes are four frames of 64. */
	start(&(struct sched_cfg){ .rate_l1_bps = 1e9, .queue_bytes = 256 });
	for (i = 0; i < 11; i++)
		add(i, &(struct sched_order){ .arrived_ns = START });
	let_out(UINT64_MAX);
	for (i = 0; i < nr_outs; i++)
		drops += outs[i].drop;
	assert_int_equal(drops, 6);
}

static void a_rate_does_not_drift(void **state)
{
	const double wire_ns = 84 * 8e9 / 700e6;
	uint64_t i, last_ns = 0;

	(void)state;
	/* 960 ns a frame, and a rate at which it is no whole number. */
	start(&(struct sched_cfg){ .rate_l1_bps = 701e6 });
	for (i = 0; i < 1000000; i++) {
		add(3, &(struct sched_order){ .arrived_ns = START });
		assert_true(sched_next(sched, UINT64_MAX, outs));
		last_ns = outs[0].due_ns;
	}
	assert_true(last_ns - START < (uint64_t)(1e6 * wire_ns));
	assert_true(last_ns - START >= (uint64_t)(1e6 * 84 * 8e9 / 701e6) - 1);
	assert_true(last_ns - START <= (uint64_t)(1e6 * 84 * 8e9 / 701e6) + 1);
}

static void being_called_late_changes_nothing(void **state)
{
	uint64_t on_time[100];
	uint32_t i;

	(void)state;
	start(&(struct sched_cfg){ .rate_l1_bps = 1e9, .queue_packets = 30 });
	for (i = 0; i < 100; i++) {
		add(i, &(struct sched_order){ .arrived_ns = START + i * 500, .delay_ns = 3000 });
		let_out(START + i * 500);
	}
	let_out(UINT64_MAX);
	for (i = 0; i < 100; i++)
		on_time[outs[i].frame] = outs[i].drop ? 0 : outs[i].due_ns;
	start(&(struct sched_cfg){ .rate_l1_bps = 1e9, .queue_packets = 30 });
	for (i = 0; i < 100; i++)
		add(i, &(struct sched_order){ .arrived_ns = START + i * 500, .delay_ns = 3000 });
	let_out(UINT64_MAX);
	assert_int_equal(nr_outs, 100);
	for (i = 0; i < 100; i++)
		assert_true(on_time[outs[i].frame] == (outs[i].drop ? 0 : outs[i].due_ns));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_frame_leaves_when_it_is_due_and_not_before),
		cmocka_unit_test(frames_leave_in_the_order_in_which_they_are_due),
		cmocka_unit_test(time_between_adds_does_not_change_the_order),
		cmocka_unit_test(with_keep_order_none_overtakes),
		cmocka_unit_test(a_held_frame_leaves_after_exactly_the_given_number),
		cmocka_unit_test(a_following_delay_does_not_undo_the_order),
		cmocka_unit_test(flushing_lets_the_oldest_pass_first),
		cmocka_unit_test(a_chain_stays_together),
		cmocka_unit_test(a_bottleneck_sends_at_its_rate_and_drops_the_tail),
		cmocka_unit_test(a_queue_is_bounded_in_bytes),
		cmocka_unit_test(a_rate_does_not_drift),
		cmocka_unit_test(being_called_late_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, end);
}
