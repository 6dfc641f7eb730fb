// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A sleep is never asserted to be short: the machine may be busy.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/loop.h"

#include "check.h"

#define MS 1000000ull

struct seen {
	int asked, ticks, until;
	uint64_t last_ns;
};

static bool done_after(void *ctx)
{
	struct seen *seen = ctx;

	return ++seen->asked > seen->until;
}

static void on_tick(void *ctx, uint64_t elapsed_ns)
{
	struct seen *seen = ctx;

	assert_true(elapsed_ns > seen->last_ns);
	seen->last_ns = elapsed_ns;
	seen->ticks++;
}

static void it_runs_for_its_duration(void **state)
{
	struct loop loop = { .duration_ns = 50 * MS };

	(void)state;
	assert_true(loop_run(&loop) >= 50 * MS);
}

static void it_ends_when_done_says_so(void **state)
{
	struct seen seen = { .until = 3 };
	struct loop loop = { .done = done_after, .ctx = &seen };

	(void)state;
	loop_run(&loop);
	assert_int_equal(seen.asked, 4);
}

static void it_does_not_wait_for_what_is_done_already(void **state)
{
	struct seen seen = { .until = 0 };
	struct loop loop = { .done = done_after, .tick = on_tick, .interval_ns = 1, .ctx = &seen };

	(void)state;
	loop_run(&loop);
	assert_int_equal(seen.asked, 1);
	assert_int_equal(seen.ticks, 0);
}

static void it_ticks_at_intervals_and_never_in_bursts(void **state)
{
	struct seen seen = { 0 };
	struct loop loop = {
		.duration_ns = 100 * MS, .interval_ns = 25 * MS, .tick = on_tick, .ctx = &seen,
	};

	(void)state;
	loop_run(&loop);
	assert_in_range(seen.ticks, 0, 3);	/* what is due at the end is left to the close */
	assert_true(loop_close(&loop) >= 100 * MS);
	assert_in_range(seen.ticks, 1, 4);
	assert_true(seen.last_ns >= 100 * MS);
}

static void ticks_continue_through_a_second_wait(void **state)
{
	struct seen seen = { 0 };
	struct loop loop = {
		.duration_ns = 30 * MS, .interval_ns = 20 * MS, .tick = on_tick, .ctx = &seen,
	};
	uint64_t elapsed_ns;

	(void)state;
	loop_run(&loop);
	/* on_tick() fails if the time began anew. The loop may be late, and then has more ticks. */
	elapsed_ns = loop_run(&loop);
	assert_true(elapsed_ns >= 60 * MS);
	assert_in_range(seen.ticks, 0, elapsed_ns / (20 * MS));
	elapsed_ns = loop_close(&loop);
	assert_true(elapsed_ns >= 60 * MS);
	assert_in_range(seen.ticks, 1, elapsed_ns / (20 * MS) + 1);
}

struct run {
	struct loop loop;
	uint64_t until_ns;
	unsigned int nr_ticks;
};

static bool is_past(void *ctx)
{
	struct run *run = ctx;

	return loop_mono_ns() >= run->loop.start_mono_ns + run->until_ns;
}

static void count_tick(void *ctx, uint64_t elapsed_ns)
{
	struct run *run = ctx;

	(void)elapsed_ns;
	run->nr_ticks++;
}

/* Ticks every 100 ms of a loop that is expected to end at the first, and ends after @until_ns. */
static struct run run_until(uint64_t until_ns)
{
	struct run run = {
		.loop = { .interval_ns = 100 * MS, .expected_ns = 100 * MS, .done = is_past, .tick = count_tick },
		.until_ns = until_ns,
	};

	run.loop.ctx = &run;
	loop_run(&run.loop);
	return run;
}

static void a_tick_that_is_due_as_the_end_is_expected_is_left_to_the_close(void **state)
{
	struct run run = run_until(105 * MS);

	(void)state;
	assert_int_equal(run.nr_ticks, 0);
	run.loop.ctx = &run;
	loop_close(&run.loop);
	assert_int_equal(run.nr_ticks, 1);
}

static void where_the_end_does_not_come_the_ticks_continue(void **state)
{
	(void)state;
	assert_in_range(run_until(350 * MS).nr_ticks, 1, 3);	/* a busy machine skips some */
}

static void without_an_interval_the_close_does_not_tick(void **state)
{
	struct seen seen = { 0 };
	struct loop loop = { .duration_ns = MS, .tick = on_tick, .ctx = &seen };

	(void)state;
	loop_run(&loop);
	loop_close(&loop);
	assert_int_equal(seen.ticks, 0);
}

static void sleeping_until_a_time_gone_by_returns(void **state)
{
	uint64_t start_ns = loop_mono_ns();

	(void)state;
	loop_sleep_until(start_ns - 1);
	loop_sleep_until(start_ns + MS);
	assert_true(loop_mono_ns() >= start_ns + MS);
}

/* In a child: the stop flag of this process must stay clear for the other tests. */
static int child_status(void (*body)(void))
{
	int status;
	pid_t child = fork();

	if (!child) {
		body();
		_exit(99);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

static void assert_exits(void (*body)(void), int code)
{
	int status = child_status(body);

	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), code);
}

static void stopped_by_signal(void)
{
	struct loop loop = { 0 };	/* no bound: only the signal ends it */

	loop_catch_signals();
	raise(SIGTERM);
	loop_run(&loop);
	_exit(loop_signal());
}

static void signals_within_a_second(void)
{
	loop_catch_signals();
	raise(SIGINT);
	raise(SIGINT);
	raise(SIGTERM);
	raise(SIGINT);
	_exit(loop_signal());
}

static void sleep_a_second(void)
{
	uint64_t end_ns = loop_mono_ns() + NSEC_PER_SEC;

	while (loop_mono_ns() < end_ns)
		loop_sleep_until(end_ns);
}

/* Each request of two signals. */
static void second_request(void)
{
	loop_catch_signals();
	raise(SIGINT);
	raise(SIGINT);
	sleep_a_second();
	raise(SIGTERM);
	raise(SIGTERM);
	_exit(loop_signal());
}

static void third_request(void)
{
	loop_catch_signals();
	raise(SIGINT);
	sleep_a_second();
	raise(SIGINT);
	sleep_a_second();
	raise(SIGTERM);
}

static void unhurt_by_sigpipe(void)
{
	loop_catch_signals();
	raise(SIGPIPE);
	_exit(loop_signal());
}

static void a_signal_ends_it_and_is_reported(void **state)
{
	(void)state;
	assert_exits(stopped_by_signal, SIGTERM);
}

static void signals_within_a_second_are_one_request(void **state)
{
	(void)state;
	assert_exits(signals_within_a_second, SIGINT);
}

static void a_second_request_changes_nothing(void **state)
{
	(void)state;
	assert_exits(second_request, SIGINT);
}

static void a_third_request_kills(void **state)
{
	int status = child_status(third_request);

	(void)state;
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGTERM);
}

static void a_closed_pipe_does_not_kill(void **state)
{
	(void)state;
	assert_exits(unhurt_by_sigpipe, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_runs_for_its_duration),
		cmocka_unit_test(it_ends_when_done_says_so),
		cmocka_unit_test(it_does_not_wait_for_what_is_done_already),
		cmocka_unit_test(it_ticks_at_intervals_and_never_in_bursts),
		cmocka_unit_test(ticks_continue_through_a_second_wait),
		cmocka_unit_test(a_tick_that_is_due_as_the_end_is_expected_is_left_to_the_close),
		cmocka_unit_test(where_the_end_does_not_come_the_ticks_continue),
		cmocka_unit_test(without_an_interval_the_close_does_not_tick),
		cmocka_unit_test(sleeping_until_a_time_gone_by_returns),
		cmocka_unit_test(a_signal_ends_it_and_is_reported),
		cmocka_unit_test(signals_within_a_second_are_one_request),
		cmocka_unit_test(a_second_request_changes_nothing),
		cmocka_unit_test(a_third_request_kills),
		cmocka_unit_test(a_closed_pipe_does_not_kill),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
