// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/suite/bench_y1564.c - configuration and performance test of a service, in the style of
 * ITU-T Y.1564.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "engine/suite/bench_job.h"
#include "lib/array.h"
#include "lib/unit.h"

#define OVERSHOOT	1.25	/* of the excess rate, or of the committed rate if there is none */
#define OVERSHOOT_RATIO	0.2	/* excess rates below this share of the committed rate are not
				 * exceeded */
#define TOLERANCE	0.01	/* excess that a policer may pass: its burst sizes are unknown */
#define DEAD_RATIO	0.5	/* a higher loss ratio means unavailable */

struct step {
	char name[32];
	double pps;
	double most_pps;		/* maximum rate that may pass; 0: not judged */
	bool committed;			/* all criteria apply */
};

/* A trial judged by the given criteria. */
struct judged {
	double loss_ratio, received_pps, variation_ns;
	bool pass;
	bool untested;			/* the tester's own stall may have caused what it failed by */
};

static void judge(const struct bench_service *service, double cir_pps, const struct step *step,
		  const struct bench_trial *trial, struct judged *ret)
{
	double taken = (double)(trial->sent - trial->lost);

	ret->loss_ratio = trial->sent ? (double)trial->lost / (double)trial->sent : 1;
	ret->received_pps = taken / (double)trial->trial_ns * 1e9;
	ret->variation_ns = trial->pdv.ns[DIST_P99_9];
	if (step->committed)
		ret->pass = ret->loss_ratio <= service->flr_ratio &&
			    (!service->ftd_ns || trial->delay.ns[DIST_MEAN] <= (double)service->ftd_ns) &&
			    (!service->fdv_ns || ret->variation_ns <= (double)service->fdv_ns);
	else	/* One packet more or less is due to the trial's end. */
		ret->pass = taken + 1 >= cir_pps * (1 - service->flr_ratio) * (double)trial->trial_ns / 1e9;
	ret->pass = ret->pass && !trial->irregular &&
		    (!(step->most_pps > 0) || ret->received_pps <= step->most_pps * (1 + TOLERANCE));
	ret->untested = trial->irregular || (trial->unsteady && !ret->pass);
}

static void report_untested(const struct job *job, const struct step *step,
			    const struct bench_trial *trial, const struct judged *j)
{
	if (trial->irregular)
		result_verdict(job->part, false, "%s could not be tested: only %g of %g packets/s could be "
			       "sent%s%s", step->name, trial->sent_pps, step->pps, *trial->limit ? ": " : "",
			       trial->limit);
	else
		result_verdict(job->part, false, "%s could not be tested: in every attempt the generator "
			       "stalled, by %.3g ms in the best, and the burst after it may have caused "
			       "the loss of %.4g %%", step->name, trial->late_max_ns / 1e6,
			       100 * j->loss_ratio);
}

static void report_step(const struct job *job, const struct step *step, const struct bench_trial *trial,
		      const struct judged *j)
{
	double bits = 8.0 * job->frame_bytes;
	char sent[32], got[32], mean[32], variation[32];

	result_entry_open(job->part);
	result_entry_str(job->part, "step", step->name);
	result_entry_real(job->part, "offered_mbps", step->pps * bits / 1e6);
	result_entry_real(job->part, "received_mbps", j->received_pps * bits / 1e6);
	result_entry_real(job->part, "lost_ratio", j->loss_ratio);
	result_entry_real(job->part, "ftd_us", trial->delay.ns[DIST_MEAN] / 1e3);
	result_entry_real(job->part, "fdv_us", j->variation_ns / 1e3);
	result_entry_str(job->part, "generator", trial->irregular ? "irregular" :
			 j->untested ? "unsteady" : "regular");
	result_entry_close(job->part);
	if (j->untested) {
		report_untested(job, step, trial, j);
		return;
	}
	unit_format(sent, sizeof(sent), UNIT_BPS, step->pps * bits);
	unit_format(got, sizeof(got), UNIT_BPS, j->received_pps * bits);
	unit_format(mean, sizeof(mean), UNIT_NS, trial->delay.ns[DIST_MEAN]);
	unit_format(variation, sizeof(variation), UNIT_NS, j->variation_ns);
	result_verdict(job->part, j->pass, "%s, %s: received %s, lost %.4g %%, delay %s, variation %s", step->name,
		       sent, got, 100 * j->loss_ratio, mean, variation);
}

static int run_step(struct job *job, double cir_pps, const struct step *step, struct err *e)
{
	const struct bench_ask ask = { "service", job->frame_bytes, step->pps, job->plan->service.step_ns };
	struct bench_trial trial;
	struct judged judged;
	int err = bench_run(job->bench, &ask, &trial, e);

	if (err)
		return err;
	job_add_disturbed(job, &trial);
	judge(&job->plan->service, cir_pps, step, &trial, &judged);
	report_step(job, step, &trial, &judged);
	return 0;
}

/* Service configuration test: up to the committed rate, then above it. */
static int configure(struct job *job, double cir_pps, double eir_pps, struct err *e)
{
	static const int percents[] = { 25, 50, 75, 100 };
	const struct bench_service *service = &job->plan->service;
	bool excess = eir_pps >= OVERSHOOT_RATIO * cir_pps;
	struct step step = { .committed = true };
	size_t i;
	int err = 0;

	for (i = 0; i < ARRAY_SIZE(percents) && !err; i++) {
		snprintf(step.name, sizeof(step.name), "%d %% of CIR", percents[i]);
		step.pps = cir_pps * percents[i] / 100;
		err = run_step(job, cir_pps, &step, e);
	}
	step.committed = false;
	if (!err && eir_pps > 0) {
		snprintf(step.name, sizeof(step.name), "CIR + EIR");
		step.pps = cir_pps + eir_pps;
		err = run_step(job, cir_pps, &step, e);
	}
	if (err || !service->policing)
		return err;
	snprintf(step.name, sizeof(step.name), "policing");
	step.pps = excess ? cir_pps + OVERSHOOT * eir_pps : OVERSHOOT * cir_pps + eir_pps;
	step.most_pps = cir_pps + eir_pps;
	return run_step(job, cir_pps, &step, e);
}

/* Service performance test: the committed rate for a long time, in consecutive trials. */
static int perform(struct job *job, double cir_pps, struct err *e)
{
	const struct bench_plan *plan = job->plan;
	const struct bench_service *service = &plan->service;
	const struct bench_ask ask = { "performance", job->frame_bytes, cir_pps, plan->soak_trial_ns };
	uint64_t nr = bench_plan_soak_trials(plan), sent = 0, lost = 0, i;
	double mean_ns = 0, variation_ns = 0, flr, avail;
	char mean[32], variation[32], untested_text[96] = "";
	uint64_t dead = 0, timed = 0, untested = 0;
	struct bench_trial trial;
	int err = 0;

	for (i = 0; i < nr; i++) {
		err = bench_run(job->bench, &ask, &trial, e);
		if (err)
			break;
		job_add_disturbed(job, &trial);
		/* Of the rest, the criteria are judged. */
		if (trial.irregular ||
		    (trial.unsteady && (double)trial.lost > service->flr_ratio * (double)trial.sent)) {
			untested++;
			continue;
		}
		if (!trial.sent || (double)trial.lost > DEAD_RATIO * (double)trial.sent) {
			dead++;
			continue;	/* the other criteria apply only while the service is
					 * available */
		}
		sent += trial.sent;
		lost += trial.lost;
		timed++;
		mean_ns += trial.delay.ns[DIST_MEAN];
		variation_ns = fmax(variation_ns, trial.pdv.ns[DIST_P99_9]);
	}
	if (!i)
		return err;
	avail = i > untested ? 1 - (double)dead / (double)(i - untested) : NAN;
	flr = sent ? (double)lost / (double)sent : i > untested ? 1 : NAN;
	if (untested)
		snprintf(untested_text, sizeof(untested_text), "; %" PRIu64 " of them could not be tested: "
			 "the generator stalled or fell behind", untested);
	mean_ns = timed ? mean_ns / (double)timed : NAN;
	unit_format(mean, sizeof(mean), UNIT_NS, mean_ns);
	unit_format(variation, sizeof(variation), UNIT_NS, timed ? variation_ns : NAN);
	result_metric_u64(job->part, "service_trials", i);
	result_metric_u64(job->part, "sent_packets", sent);
	result_metric_u64(job->part, "lost_packets", lost);
	result_metric_real(job->part, "service_flr_ratio", flr);
	result_metric_real(job->part, "service_ftd_ns", mean_ns);
	result_metric_real(job->part, "service_fdv_ns", timed ? variation_ns : NAN);
	result_metric_real(job->part, "service_availability_ratio", avail);
	result_verdict(job->part, !untested && timed && flr <= service->flr_ratio &&
		       (!service->ftd_ns || mean_ns <= (double)service->ftd_ns) &&
		       (!service->fdv_ns || variation_ns <= (double)service->fdv_ns) &&
		       avail >= service->avail_ratio,
		       "performance, %" PRIu64 " trial%s of %g s: lost %.4g %%, delay %s, variation %s, "
		       "available %.4g %%%s", i, i == 1 ? "" : "s", (double)plan->soak_trial_ns / 1e9, 100 * flr,
		       mean, variation, 100 * avail, untested_text);
	return err;
}

static int rate_pps(const struct job *job, const struct unit_rate *rate, double *ret_pps, struct err *e)
{
	struct frame_spec frame;
	int err = bench_frame(job->bench, job->frame_bytes, &frame, e);

	return err ? err : stream_pps(rate, FRAME_L2, &frame, bench_link_bps(job->bench), ret_pps, e);
}

int job_test_service(struct job *job, struct err *e)
{
	const struct bench_service *service = &job->plan->service;
	double cir_pps = 0, eir_pps = 0, bits = 8.0 * job->frame_bytes;
	int err;

	err = rate_pps(job, &service->cir, &cir_pps, e);
	if (!err && service->eir.value > 0)
		err = rate_pps(job, &service->eir, &eir_pps, e);
	if (err)
		return err;
	result_metric_u64(job->part, "frame_bytes", job->frame_bytes);
	result_metric_real(job->part, "service_cir_bps", cir_pps * bits);
	result_metric_real(job->part, "service_eir_bps", eir_pps * bits);
	if (!service->ftd_ns || !service->fdv_ns)
		result_note(job->part, "not judged for lack of a limit:%s%s",
			    service->ftd_ns ? "" : " delay (--ftd)",
			    service->fdv_ns ? "" : " variation (--fdv)");
	err = configure(job, cir_pps, eir_pps, e);
	return err ? err : perform(job, cir_pps, e);
}
