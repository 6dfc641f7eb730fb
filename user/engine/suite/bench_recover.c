// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/suite/bench_recover.c - how long a device needs to recover from an overload and from a
 * reset.
 */
#include <math.h>

#include "engine/suite/bench_job.h"

#define OVERLOAD	1.1	/* RFC 2544 26.5, times the throughput */
#define AFTER		0.5	/* times the overload */

/* Times of those trials in which recovery was complete. */
struct times {
	uint32_t nr, unended;
	double sum_ns, max_ns, lost_sum_ns;
};

static int run_times(struct job *job, const struct bench_ask *ask, uint32_t repeats,
		     struct times *times, struct err *e)
{
	struct bench_trial trial;
	uint32_t i;
	int err;

	for (i = 0; i < repeats; i++) {
		err = bench_run(job->bench, ask, &trial, e);
		if (err)
			return err;
		job_add_disturbed(job, &trial);
		if (isnan(trial.event_ns)) {
			times->unended++;
			continue;
		}
		times->nr++;
		times->sum_ns += trial.event_ns;
		times->max_ns = fmax(times->max_ns, trial.event_ns);
		times->lost_sum_ns += (double)trial.lost / ask->pps * 1e9;
	}
	return 0;
}

int job_find_recovery(struct job *job, double throughput_pps, struct err *e)
{
	const struct bench_plan *plan = job->plan;
	struct bench_ask ask = { "recovery", job->frame_bytes, fmin(OVERLOAD * throughput_pps, job->max_pps),
				 plan->recovery_ns };
	struct times times = { 0 };
	int err;

	ask.then_pps = AFTER * ask.pps;
	err = run_times(job, &ask, plan->recovery_repeats, &times, e);
	result_metric_u64(job->part, "recovery_tests", times.nr);
	result_metric_real(job->part, "recovery_overload_pps", ask.pps);
	if (times.nr) {
		result_metric_real(job->part, "recovery_mean_ns", times.sum_ns / times.nr);
		result_metric_real(job->part, "recovery_max_ns", times.max_ns);
	}
	if (times.unended)
		result_note(job->part, "in %u of %u recovery trials packets were still lost at "
			    "the end, %g s after the load was "
			    "reduced", times.unended, times.unended + times.nr,
			    (double)plan->recovery_ns / 1e9);
	if (ask.pps < OVERLOAD * throughput_pps)
		result_note(job->part, "recovery was measured from the highest load allowed, %.1f "
			    "%% of the throughput", 100 * ask.pps / throughput_pps);
	return err;
}

int job_find_reset(struct job *job, double throughput_pps, struct err *e)
{
	const struct bench_plan *plan = job->plan;
	const struct bench_ask ask = {
		.kind = "reset", .frame_bytes = job->frame_bytes, .pps = throughput_pps,
		.trial_ns = plan->reset_ns, .command = plan->reset_command,
		.command_ns_fd = bench_home_ns(job->bench), .once = true,
	};
	struct times times = { 0 };
	int err;

	err = run_times(job, &ask, plan->reset_repeats, &times, e);
	result_metric_u64(job->part, "reset_tests", times.nr);
	if (times.nr) {
		result_metric_real(job->part, "reset_mean_ns", times.sum_ns / times.nr);
		result_metric_real(job->part, "reset_max_ns", times.max_ns);
		result_metric_real(job->part, "reset_loss_mean_ns", times.lost_sum_ns / times.nr);
	}
	if (times.unended)
		result_note(job->part, "in %u of %u resets the device did not forward again "
			    "within %g s after the command's end: increase --reset-wait", times.unended,
			    times.unended + times.nr, (double)plan->reset_ns / 1e9);
	return err;
}
