// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/suite/bench_suite.c - the suites, test by test.
 */
#include "engine/suite/bench_suite.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/suite/bench_job.h"
#include "lib/loop.h"
#include "lib/stat.h"
#include "lib/unit.h"

#define FLOOR_RATIO	1e-4	/* of the highest load: a device that loses packets below it has
				 * no throughput */
#define FLOOR_PACKETS	10	/* in a trial, the minimum for a meaningful loss ratio */
#define LOSS_STEP	0.1	/* RFC 2544 26.3 */
#define FLATTERY_RATIO	0.005	/* of the throughput; reported if the buffer's share exceeds it */
#define LINE_RATE	0.999	/* share from which a size counts as forwarded at line rate, RFC
				 * 9004 */

void job_add_disturbed(struct job *job, const struct bench_trial *trial)
{
	job->disturbed += trial->irregular || trial->unsteady;
}

static int ask_rate(void *ctx, double load_pps, uint64_t trial_ns, struct search_trial *ret,
		    struct err *e)
{
	struct job *job = ctx;
	const struct bench_ask ask = { "throughput", job->frame_bytes, load_pps, trial_ns };
	struct bench_trial trial;
	int err = bench_run(job->bench, &ask, &trial, e);

	if (err)
		return err;
	*ret = (struct search_trial){ .load_pps = load_pps, .trial_ns = trial_ns, .effective_ns = trial_ns };
	if (trial.irregular) {
		ret->reached_pps = trial.sent_pps;
		snprintf(job->limit, sizeof(job->limit), "%s", trial.limit);
	} else {
		job_add_disturbed(job, &trial);
	}
	ret->loss_ratio = trial.sent ? (double)trial.lost / (double)trial.sent : 1;
	return 0;
}

static void report_goal(const struct search_goal *goal, struct result *part)
{
	result_metric_real(part, "goal_loss_ratio", goal->loss_ratio);
	result_metric_real(part, "goal_exceed_ratio", goal->exceed_ratio);
	result_metric_real(part, "goal_width_ratio", goal->width_ratio);
	result_metric_u64(part, "goal_initial_trial_ns", goal->initial_trial_ns);
	result_metric_u64(part, "goal_final_trial_ns", goal->final_trial_ns);
	result_metric_u64(part, "goal_duration_sum_ns", goal->duration_sum_ns);
}

/* What a bound is missing for; a search that was ended has not shown anything about it. */
static void note_missing(const struct job *job, const struct search_bounds *bounds, bool ended)
{
	if (ended && !(bounds->has_lower && bounds->has_upper)) {
		result_note(job->part, "the search was ended before it had %s", bounds->has_lower ? "an upper bound" :
			    bounds->has_upper ? "a lower bound" : "a bound");
		return;
	}
	if (!bounds->has_lower)
		result_note(job->part, "no lower bound: the device fails even at %g packets/s", bounds->upper_pps);
	if (!bounds->has_upper)
		result_note(job->part, "no upper bound: the device forwards the highest load%s",
			    job->limited ? " that could be sent" : "");
}

static void report_bounds(const struct job *job, const struct search_log *log, const struct search_goal *goal,
			  bool ended, struct search_bounds *ret_bounds)
{
	double wire_bits = 8.0 * (job->frame_bytes + UNIT_GAP_BYTES);

	search_bounds(log, goal, ret_bounds);
	result_metric_u64(job->part, "frame_bytes", job->frame_bytes);
	result_metric_real(job->part, "load_max_pps", job->max_pps);
	if (ret_bounds->has_lower) {
		result_metric_real(job->part, "throughput_pps", ret_bounds->lower_pps);
		result_metric_real(job->part, "throughput_l1_bps", ret_bounds->lower_pps * wire_bits);
		result_metric_real(job->part, "throughput_ratio", ret_bounds->lower_pps / job->max_pps);
		result_metric_real(job->part, "throughput_conditional_pps", ret_bounds->conditional_pps);
	}
	if (ret_bounds->has_upper)
		result_metric_real(job->part, "throughput_upper_pps", ret_bounds->upper_pps);
	note_missing(job, ret_bounds, ended);
	report_goal(goal, job->part);
	result_metric_u64(job->part, "disturbed_decisions", job->disturbed);
}

static void name_part(struct job *job, const struct search_goal *goal)
{
	char name[64];

	snprintf(name, sizeof(name), "%u-byte frames%s%s", job->frame_bytes, goal ? ", goal " : "",
		 goal ? goal->name : "");
	job->part = result_part(job->res, goal ? PART_GOAL : PART_OTHER, name);
	if (goal)
		result_label(job->part, "goal", goal->name);
}

/* All goals for one frame size; the bounds are the last goal's. */
static int find_throughput(struct job *job, struct search_bounds *ret_bounds, struct err *e)
{
	const struct bench_plan *plan = job->plan;
	struct search search = { .max_pps = job->max_pps, .run = ask_rate, .ctx = job };
	double shortest_s = 1e9;
	size_t i;
	int err;

	for (i = 0; i < plan->nr_goals; i++)
		shortest_s = fmin(shortest_s, (double)plan->goals[i].initial_trial_ns / 1e9);
	search.min_pps = fmin(fmax(job->max_pps * FLOOR_RATIO, FLOOR_PACKETS / shortest_s), job->max_pps / 2);
	if (plan->suite == SUITE_MLRSEARCH || plan->mlr)
		err = search_mlr(&search, plan->goals, plan->nr_goals, e);
	else
		err = search_binary(&search, &plan->goals[0], e);
	job->max_pps = search.max_pps;
	job->limited = search.limited;
	for (i = 0; i < plan->nr_goals && (!err || err == -EINTR); i++) {
		name_part(job, plan->suite == SUITE_MLRSEARCH ? &plan->goals[i] : NULL);
		report_bounds(job, &search.log, &plan->goals[i], err == -EINTR, ret_bounds);
		if (search.limited)
			result_note(job->part, "the highest load that could be sent is %g packets/s%s%s",
				    job->max_pps, *job->limit ? ": " : "", job->limit);
	}
	search_release(&search);
	return err;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* The median of the repetitions, with the 1st and 99th percentile where RFC 8219 requires them. */
static void report_median(struct result *part, const char *key, double *values, size_t nr, bool spread)
{
	char name[64];

	qsort(values, nr, sizeof(*values), by_value);
	result_metric_real(part, key, stat_quantile(values, nr, 0.5));
	if (!spread)
		return;
	snprintf(name, sizeof(name), "%.*s_p1_ns", (int)(strlen(key) - 3), key);
	result_metric_real(part, name, stat_quantile(values, nr, 0.01));
	snprintf(name, sizeof(name), "%.*s_p99_ns", (int)(strlen(key) - 3), key);
	result_metric_real(part, name, stat_quantile(values, nr, 0.99));
}

static int find_latency(struct job *job, double pps, struct err *e)
{
	const struct bench_plan *plan = job->plan;
	const struct bench_ask ask = { "latency", job->frame_bytes, pps, plan->latency_ns };
	bool rfc8219 = plan->suite == SUITE_RFC8219;
	uint32_t nr = plan->latency_repeats, i, lossy = 0, n = 0;
	double *typical = calloc(3 * nr, sizeof(*typical)), *worst = typical + nr, *pdv = worst + nr;
	double mean_ns = 0, min_ns = INFINITY, max_ns = 0;
	struct bench_trial trial;
	int err = 0;

	if (!typical)
		return err_set(e, -ENOMEM, "cannot allocate the delays");
	for (i = 0; i < nr; i++) {
		err = bench_run(job->bench, &ask, &trial, e);
		if (err)
			break;
		lossy += trial.lost > 0;
		if (isnan(trial.delay.ns[DIST_MEAN]))
			continue;
		typical[n] = trial.delay.ns[DIST_P50];
		worst[n] = trial.delay.ns[DIST_P99_9];
		pdv[n++] = trial.pdv.ns[DIST_P99_9];
		mean_ns += trial.delay.ns[DIST_MEAN];
		min_ns = fmin(min_ns, trial.delay.ns[DIST_MIN]);
		max_ns = fmax(max_ns, trial.delay.ns[DIST_MAX]);
		if (rfc8219 && trial.sent < 500)
			result_note(job->part, "RFC 8219 requires 500 frames for a latency "
				    "figure; a trial had only %llu",
				    (unsigned long long)trial.sent);
	}
	if (n) {
		result_metric_u64(job->part, "latency_repeats", n);
		result_metric_real(job->part, "latency_pps", pps);
		result_metric_real(job->part, "latency_mean_ns", mean_ns / n);	/* RFC 2544 26.2 */
		result_metric_real(job->part, "latency_min_ns", min_ns);
		result_metric_real(job->part, "latency_max_ns", max_ns);
		report_median(job->part, "latency_typical_ns", typical, n, rfc8219);
		report_median(job->part, "latency_worst_ns", worst, n, rfc8219);
		report_median(job->part, "latency_pdv_ns", pdv, n, rfc8219);
	}
	if (lossy)
		result_note(job->part, "%u of the %u latency trials lost packets at a rate found "
			    "to be loss-free", lossy, i);
	free(typical);
	return err;
}

/* RFC 2544 26.3: down from the highest rate until two successive trials lose nothing. */
static int find_loss_curve(struct job *job, struct err *e)
{
	uint32_t clean = 0;
	struct bench_trial trial;
	int step, err;

	for (step = 10; step > 0 && clean < 2; step--) {
		const struct bench_ask ask = { "loss", job->frame_bytes, job->max_pps * step * LOSS_STEP,
					       job->plan->loss_ns };

		err = bench_run(job->bench, &ask, &trial, e);
		if (err)
			return err;
		clean = trial.lost || trial.irregular ? 0 : clean + 1;
		job_add_disturbed(job, &trial);
		result_entry_open(job->part);
		result_entry_real(job->part, "load_ratio", step * LOSS_STEP);
		result_entry_real(job->part, "offered_pps", ask.pps);
		result_entry_real(job->part, "lost_ratio", trial.irregular || !trial.sent ? NAN :
				  (double)trial.lost / (double)trial.sent);
		result_entry_str(job->part, "generator", trial.irregular ? "irregular" : "regular");
		result_entry_close(job->part);
	}
	return 0;
}

/* Here a load is the length of a burst at the highest rate. */
static int ask_burst(void *ctx, double load, uint64_t trial_ns, struct search_trial *ret,
		     struct err *e)
{
	struct job *job = ctx;
	const struct bench_ask ask = { "back-to-back", job->frame_bytes, job->max_pps, 0, (uint64_t)load };
	struct bench_trial trial;
	int err = bench_run(job->bench, &ask, &trial, e);

	if (err)
		return err;
	job_add_disturbed(job, &trial);
	*ret = (struct search_trial){ .load_pps = load, .trial_ns = trial_ns, .effective_ns = trial_ns };
	ret->loss_ratio = trial.sent ? (double)trial.lost / (double)trial.sent : 1;
	return 0;
}

/* Corrected for what the device forwards during the burst: RFC 9004 5.4 */
static void report_buffer(const struct job *job, const double *frames, uint32_t nr, double throughput_pps)
{
	double sum = 0, squares = 0, mean, least = INFINITY, most = 0, drained, held_pps;
	uint32_t i;

	for (i = 0; i < nr; i++) {
		sum += frames[i];
		least = fmin(least, frames[i]);
		most = fmax(most, frames[i]);
	}
	mean = sum / nr;
	for (i = 0; i < nr; i++)
		squares += (frames[i] - mean) * (frames[i] - mean);
	drained = 1 - throughput_pps / job->max_pps;
	result_metric_u64(job->part, "back_to_back_tests", nr);
	result_metric_real(job->part, "back_to_back_mean_packets", mean);
	result_metric_real(job->part, "back_to_back_min_packets", least);
	result_metric_real(job->part, "back_to_back_max_packets", most);
	result_metric_real(job->part, "back_to_back_deviation_packets", nr > 1 ? sqrt(squares / (nr - 1)) : 0);
	result_metric_real(job->part, "buffer_implied_ns", mean / job->max_pps * 1e9);
	result_metric_real(job->part, "buffer_corrected_ns", mean / job->max_pps * drained * 1e9);
	result_metric_real(job->part, "buffer_packets", mean * drained);
	held_pps = mean * drained / (double)job->plan->goals[0].final_trial_ns * 1e9;
	if (held_pps > FLATTERY_RATIO * throughput_pps)
		result_note(job->part, "about %.0f packets/s of the throughput are packets still "
			    "buffered at the end of a trial of %g s: longer trials (--trial) show "
			    "the forwarding rate", held_pps,
			    (double)job->plan->goals[0].final_trial_ns / 1e9);
}

static int find_bursts(struct job *job, double throughput_pps, struct err *e)
{
	const struct search_goal goal = { "", 0, 0, 0.005, 1, 1, 1 };
	double most = floor(job->max_pps * (double)job->plan->burst_ns / 1e9);
	double *frames = calloc(job->plan->burst_repeats, sizeof(*frames));
	uint32_t i, whole = 0, n = 0;
	struct search_bounds bounds;
	int err = 0;

	if (!frames)
		return err_set(e, -ENOMEM, "cannot allocate the bursts");
	for (i = 0; i < job->plan->burst_repeats && !err && most >= 2; i++) {
		struct search search = { .min_pps = 1, .max_pps = most, .run = ask_burst, .ctx = job };

		err = search_mlr(&search, &goal, 1, e);
		search_bounds(&search.log, &goal, &bounds);
		search_release(&search);
		if (err)
			break;
		whole += !bounds.has_upper;
		frames[n++] = bounds.has_lower ? floor(bounds.lower_pps) : 0;
	}
	if (n && whole == n)
		result_note(job->part, "bursts of %.0f frames, the longest tried, caused no loss: "
			    "no buffer was filled",
			    most);
	else if (n)
		report_buffer(job, frames, n, throughput_pps);
	if (n && whole && whole != n)
		result_note(job->part, "in %u of %u back-to-back tests the longest burst caused "
			    "no loss", whole, n);
	free(frames);
	return err;
}

static int soak(struct job *job, struct err *e)
{
	const struct bench_plan *plan = job->plan;
	const struct bench_ask ask = { "soak", job->frame_bytes, job->max_pps, plan->soak_trial_ns, 0, true };
	uint64_t end = bench_plan_soak_trials(plan), i;
	uint64_t sent = 0, lost = 0, irregular = 0;
	struct bench_trial trial;
	int err = 0;

	name_part(job, NULL);
	for (i = 0; i < end; i++) {
		err = bench_run(job->bench, &ask, &trial, e);
		if (err)
			break;
		irregular += trial.irregular;
		sent += trial.sent;
		lost += trial.lost;
	}
	result_metric_u64(job->part, "frame_bytes", job->frame_bytes);
	result_metric_real(job->part, "offered_pps", job->max_pps);
	result_metric_u64(job->part, "sent_packets", sent);
	result_metric_u64(job->part, "lost_packets", lost);
	result_verdict(job->part, !lost && i, "%llu trial%s at %g packets/s: %llu of %llu packets lost%s",
		       (unsigned long long)i, i == 1 ? "" : "s", job->max_pps, (unsigned long long)lost,
		       (unsigned long long)sent, irregular ? "; the generator fell behind in some "
			       "trials" : "");
	return err;
}

/* RFC 9004 requires them only if the device is slower than the line. */
static int test_bursts(struct job *job, double throughput_pps, struct err *e)
{
	if (job->plan->suite != SUITE_RFC9004 || throughput_pps < LINE_RATE * job->max_pps)
		return find_bursts(job, throughput_pps, e);
	result_note(job->part, "forwarded at %s: RFC 9004 omits burst tests of this size",
		    job->limited ? "the highest rate that could be sent" : "line rate");
	return 0;
}

/* The tests that follow the throughput of a frame size. */
static int test_at(struct job *job, const struct search_bounds *bounds, struct err *e)
{
	const struct bench_plan *plan = job->plan;
	bool least = true;
	size_t i;
	int err = 0;

	for (i = 0; i < plan->nr_sizes; i++)
		least &= plan->sizes[i] >= job->frame_bytes;
	if (bounds->has_lower && plan->tests & BENCH_LATENCY)
		err = find_latency(job, bounds->lower_pps, e);
	if (!err && plan->tests & BENCH_LOSS)
		err = find_loss_curve(job, e);
	if (err || !bounds->has_lower)
		return err;
	if (plan->tests & BENCH_BURST)
		err = test_bursts(job, bounds->lower_pps, e);
	if (!err && plan->tests & BENCH_RECOVERY)
		err = job_find_recovery(job, bounds->lower_pps, e);
	if (!err && plan->reset_command && least)	/* RFC 2544 26.6: the smallest frame size */
		err = job_find_reset(job, bounds->lower_pps, e);
	return err;
}

static int run_tests(struct job *job, struct err *e)
{
	const struct bench_plan *plan = job->plan;
	struct search_bounds bounds;
	int err;

	if (plan->tests & BENCH_SOAK)
		return soak(job, e);
	if (plan->tests & BENCH_SERVICE) {
		name_part(job, NULL);
		return job_test_service(job, e);
	}
	err = find_throughput(job, &bounds, e);
	return err ? err : test_at(job, &bounds, e);
}

static void report_disturbed(const struct job *job)
{
	if (!job->part)
		return;
	result_metric_u64(job->part, "disturbed_decisions", job->disturbed);
	if (job->disturbed)
		result_note(job->part, "%llu decisions rest on trials in which the generator "
			    "stalled or fell behind in every attempt: these figures may reflect "
			    "this machine; repeat on an idle machine, or with real-time priority "
			    "(chrt -f 40 ethgauge bench ...)",
			    (unsigned long long)job->disturbed);
}

static int run_size(struct job *job, struct err *e)
{
	int err = run_tests(job, e);

	report_disturbed(job);
	return err;
}

int bench_suite_run(struct bench *bench, const struct bench_plan *plan, struct result *res,
		    struct err *e)
{
	struct frame_spec frame;
	size_t i;
	int err = 0;

	for (i = 0; i < plan->nr_sizes && !err; i++) {
		struct job job = { .bench = bench, .plan = plan, .res = res, .frame_bytes = plan->sizes[i] };

		err = bench_frame(bench, job.frame_bytes, &frame, e);
		if (!err)
			err = stream_pps(&plan->rate, FRAME_L1, &frame, bench_link_bps(bench), &job.max_pps, e);
		if (!err)
			err = run_size(&job, e);
	}
	bench_report(bench, res);
	if (err != -EINTR || !loop_signal())
		return err;
	e->no = 0;
	result_note(res, "ended by a signal: the suite is incomplete");
	return 0;
}
