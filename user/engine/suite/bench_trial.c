// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/suite/bench_trial.c - one trial through a device.
 */
#include "engine/suite/bench_trial.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "engine/account/trial.h"
#include "engine/self/meter.h"
#include "lib/log.h"
#include "lib/loop.h"
#include "model/mix.h"
#include "proto/flow_file.h"
#include "sys/host/child.h"
#include "sys/net/netns.h"

#define STALL_NS	1000000		/* a packet later than this is followed by a burst */
#define SLACK_NS	(20 * NSEC_PER_SEC)	/* allowed beyond the duration of a run by count */

uint64_t bench_ask_ns(const struct bench_ask *ask)
{
	if (ask->then_pps > 0 || ask->command)
		return 2 * ask->trial_ns;
	return ask->trial_ns ? ask->trial_ns : (uint64_t)((double)ask->count / ask->pps * 1e9);
}

/* Back to back except for one frame: less than a device drains in that time. */
static bool is_burst(const struct bench_trial *trial)
{
	double gaps = (double)trial->sent - 1;

	return gaps < 1 || gaps / trial->sent_pps <= (gaps + 1) / trial->pps;
}

static void fill(struct bench_trial *trial, const struct tx *tx, const struct tx_figures *sent,
		 const struct rx_figures *got)
{
	struct hist_rec hist;
	double late;

	trial->sent = sent->sent_packets;
	trial->lost = isnan(got->lost_packets) ? sent->sent_packets : (uint64_t)got->lost_packets;
	trial->sent_pps = sent->sent_pps;
	trial->irregular = sent->pace == BOTTLENECK_IRREGULAR && (!trial->count || !is_burst(trial));
	trial->late_max_ns = sent->late_max_ns;
	/* Each packet of a burst is late, and so is one after several stalls. */
	tx_read_late(tx, &hist);
	late = fmax((double)tx_count_late(&hist, trial->pps), trial->late_max_ns * 1e-9 * trial->pps);
	trial->unsteady = trial->lost && trial->late_max_ns > STALL_NS && (double)trial->lost <= late;
	trial->delay = got->delay;
	trial->pdv = got->pdv;
}

/* Two streams per thread: the second starts where the first ends, with less load. */
static int fill_flow(const struct stream_plan *plan, const struct bench_ask *ask, uint32_t i,
		     struct mix_flow *flow, struct err *e)
{
	bool after = i >= plan->tx.threads;

	flow->offered_pps = (after ? ask->then_pps : ask->pps) / plan->tx.threads;
	flow->pace = flow_pace_even(flow->offered_pps);
	flow->start_ns = after ? ask->trial_ns : 0;
	flow->duration_ns = ask->trial_ns;
	flow->stamp_every = 1;
	flow->stream = (uint16_t)(plan->frame.stream + i);
	flow->tagged = true;
	snprintf(flow->name, sizeof(flow->name), "%s %u", after ? "after" : "overload",
		 i % plan->tx.threads);
	flow->packet = calloc(1, sizeof(*flow->packet));
	return flow->packet ? stream_packet_of(plan, i, flow->packet, e) :
			      err_set(e, -ENOMEM, "cannot build the streams");
}

static int make_recovery(const struct stream_plan *plan, const struct bench_ask *ask,
			 struct mix **ret_mix, struct err *e)
{
	struct mix *mix = mix_new(2 * plan->tx.threads, e);
	uint32_t i;
	int err = mix ? 0 : e->no;

	for (i = 0; mix && i < mix->nr_flows && !err; i++)
		err = fill_flow(plan, ask, i, &mix->flows[i], e);
	if (err)
		mix_free(mix);
	else
		*ret_mix = mix;
	return err;
}

/* When the last loss of a stream was over, since the stream's start; NAN: not within the run. */
static double last_loss_ns(struct trial *trial, uint16_t stream, uint64_t sent, double pps)
{
	uint64_t next, lost;

	if (!trial_read_tail(trial, stream, &next, &lost) || next < sent)
		return NAN;
	return lost == UINT64_MAX ? 0 : (double)(lost + 1) / pps * 1e9;
}

/* Figures per stream, as the two have different rates. */
static void fill_recovery(struct bench_trial *ret, const struct tx *tx, const struct tx_cfg *cfg,
			  const struct bench_ask *ask, struct trial *trial)
{
	struct mix_count count;
	uint32_t i;

	ret->event_ns = 0;
	ret->late_max_ns = 0;
	for (i = 0; i < cfg->mix->nr_flows; i++) {
		const struct mix_flow *flow = &cfg->mix->flows[i];
		double due = flow->offered_pps * (double)flow->duration_ns / 1e9, ns;

		tx_read_flow(tx, i, &count);
		ret->late_max_ns = fmax(ret->late_max_ns, (double)count.late_max_ns);
		ret->irregular |= (double)count.packets < 0.999 * due - 1;
		if (i < cfg->threads)
			continue;
		ns = last_loss_ns(trial, flow->stream, count.packets, flow->offered_pps);
		ret->event_ns = isnan(ns) || isnan(ret->event_ns) ? NAN : fmax(ret->event_ns, ns);
	}
	ret->unsteady = ret->late_max_ns > STALL_NS && ret->event_ns > 0 &&
			ret->event_ns <= ret->late_max_ns;
	ret->sent_pps = ask->pps;
}

/* A command run during a trial. */
struct reset {
	const struct bench_ask *ask;
	const struct tx *tx;
	uint64_t start_ns, ended_ns;
	pthread_t thread;
	bool started;
	atomic_bool ended;
	int status;			/* as child_run() */
};

static void *run_command(void *arg)
{
	struct reset *reset = arg;
	char *const argv[] = { "/bin/sh", "-c", (char *)reset->ask->command, NULL };
	struct err e;
	int err;

	err = netns_enter(reset->ask->command_ns_fd, &e);
	if (!err)
		err = child_run(argv, STDERR_FILENO, &reset->status);
	if (err)
		reset->status = err;
	atomic_store(&reset->ended, true);
	return NULL;
}

/* Sends packets before, during and after the command. */
static bool is_reset(void *ctx)
{
	struct reset *reset = ctx;
	uint64_t now_ns = loop_mono_ns();

	if (tx_done(reset->tx))
		return true;
	if (!reset->started) {
		if (now_ns < reset->start_ns + reset->ask->trial_ns)
			return false;
		reset->status = pthread_create(&reset->thread, NULL, run_command, reset);
		reset->started = !reset->status;
		reset->status = -reset->status;
		return !reset->started;
	}
	if (!atomic_load(&reset->ended))
		return false;
	if (!reset->ended_ns)
		reset->ended_ns = now_ns;
	return now_ns >= reset->ended_ns + reset->ask->trial_ns;
}

static int end_reset(struct reset *reset, struct err *e)
{
	int status;

	if (reset->started)
		pthread_join(reset->thread, NULL);
	status = reset->status;
	if (status < 0)
		return err_set(e, status, "cannot run the reset command '%s'", reset->ask->command);
	if (!status || loop_signal())
		return 0;
	err_set(e, -ECHILD, "the reset command '%s' ended with status %d", reset->ask->command, status);
	return err_hint(e, "it is run by sh, in the network namespace that bench was started in");
}

static void fill_reset(struct bench_trial *ret, const struct tx *tx, const struct tx_cfg *cfg,
		       struct trial *trial, const struct rx_figures *got)
{
	uint64_t next, lost;
	struct tx_count count;
	uint32_t i;

	ret->event_ns = got->gap_max_ns;
	for (i = 0; i < cfg->threads; i++) {
		tx_read_thread(tx, i, &count);
		if (!trial_read_tail(trial, cfg->mix->flows[i].stream, &next, &lost) ||
		    next < count.sent_packets)
			ret->event_ns = NAN;
	}
	ret->unsteady = false;
}

struct run {
	struct tx_cfg cfg;
	struct trial *trial;
	struct tx *tx;
	struct mix *mix;
	struct err receiver_error;
	struct meter *meter;
};

/* If the receiver fails, do not wait for it. */
static bool is_sent(void *ctx)
{
	struct run *run = ctx;

	return trial_poll(run->trial, &run->receiver_error) || tx_done(run->tx);
}

/* Waits until all is sent; for a reset, also until the command has ended. */
static int send_all(struct run *run, const struct bench_ask *ask, struct err *e)
{
	struct loop loop = {
		.duration_ns = bench_ask_ns(ask) + SLACK_NS, .interval_ns = NSEC_PER_SEC,
		.done = is_sent, .tick = log_progress_tick, .ctx = run,
	};
	struct reset reset = { .ask = ask, .tx = run->tx, .start_ns = loop_mono_ns() };
	int err;

	if (ask->command)
		loop = (struct loop){ .done = is_reset, .ctx = &reset };
	run->meter = meter_start(run->cfg.ifname);
	err = tx_start(run->tx, e);
	if (err)
		return err;
	loop_run(&loop);
	err = tx_stop(run->tx, e);
	meter_stop(run->meter);
	if (ask->command && !err)
		err = end_reset(&reset, e);
	else if (reset.started)
		pthread_join(reset.thread, NULL);
	if (run->receiver_error.no) {
		*e = run->receiver_error;
		return e->no;
	}
	return err ? err : tx_check_taken(run->tx, e);
}

static int open_receiver(struct run *run, const struct bench_end *end, const struct bench_ask *ask,
			 struct result *part, struct err *e)
{
	const struct trial_opts opts = { .sink = end->sink, .far = end->far.command ? &end->far : NULL,
					 .no_ledger = true, .reflected = end->reflected,
					 .wait_ns = end->wait_ns,
					 .gaps = ask->command };

	return trial_open(&run->trial, &opts, &run->cfg, part, e);
}

static int tell(struct run *run, const struct bench_ask *ask, struct result *part,
		struct bench_trial *ret_trial, struct err *e)
{
	struct meter_sender sender;
	struct tx_figures made;
	struct rx_figures got;
	struct tx_count sent;
	int err;

	tx_read(run->tx, &sent);
	err = trial_settle(run->trial, run->tx, &sent, e);
	if (err)
		return err;
	made = tx_report(run->tx, &sent, part);
	err = trial_report(run->trial, run->tx, &sent, part, &got, e);
	if (err)
		return err;
	fill(ret_trial, run->tx, &made, &got);
	sender = tx_metered(run->tx, &made);
	if (ret_trial->irregular)
		meter_judge_sender(run->meter, &sender, ret_trial->limit, sizeof(ret_trial->limit));
	if (ask->then_pps > 0)
		fill_recovery(ret_trial, run->tx, &run->cfg, ask, run->trial);
	else if (ask->command)
		fill_reset(ret_trial, run->tx, &run->cfg, run->trial, &got);
	return 0;
}

int bench_trial_run(const struct stream_plan *base, const struct bench_end *end, const struct bench_ask *ask,
		    struct result *part, struct bench_trial *ret_trial, struct err *e)
{
	struct stream_plan plan = *base;
	struct run run = { .cfg = base->tx };
	int err;

	plan.frame.frame_bytes = ask->frame_bytes;
	plan.pps = ask->pps;
	plan.count = ask->trial_ns ? 0 : ask->count;
	run.cfg.duration_ns = ask->command || ask->then_pps > 0 ? 0 : ask->trial_ns;
	err = ask->then_pps > 0 ? make_recovery(&plan, ask, &run.mix, e) :
				  stream_mix(&plan, &run.mix, e);
	run.cfg.mix = run.mix;
	/* What is still under way of the trial before is of another run. */
	tx_choose_run(&run.cfg);
	if (!err)
		err = open_receiver(&run, end, ask, part, e);
	if (!err)
		err = tx_open(&run.tx, &run.cfg, part, e);
	if (err)
		goto out;
	err = send_all(&run, ask, e);
	if (!err)
		err = tell(&run, ask, part, ret_trial, e);
	if (!err && loop_signal())
		err = err_set(e, -EINTR, "a trial was interrupted");
out:
	tx_close(run.tx);
	trial_close(run.trial);
	meter_free(run.meter);
	mix_free(run.mix);
	return err;
}
