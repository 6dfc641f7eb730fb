// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/bench_trial.c - one trial through a device.
 */
#include "engine/bench_trial.h"

#include <errno.h>
#include <math.h>

#include "engine/trial.h"
#include "lib/loop.h"

#define STALL_NS	1000000		/* a packet so late: a burst follows */
#define SLACK_NS	(20 * NSEC_PER_SEC)	/* of a run by count, beyond its time */

static bool is_sent(void *ctx)
{
	return tx_done(ctx);
}

uint64_t bench_ask_ns(const struct bench_ask *ask)
{
	return ask->trial_ns ? ask->trial_ns : (uint64_t)((double)ask->count / ask->pps * 1e9);
}

/* Packets by which a stall was made up for: each of a burst is late, one after several stalls too. */
static uint64_t count_late(const struct tx *tx)
{
	struct hist_rec hist;
	uint64_t late;
	uint32_t i;

	tx_read_late(tx, &hist);
	late = hist.above;
	for (i = hist_index(STALL_NS); i < HIST_BUCKETS; i++)
		late += hist.buckets[i];
	return late;
}

/* Back to back but for one frame: what a device drains meanwhile is less than that. */
static bool is_burst(const struct bench_trial *trial)
{
	double gaps = (double)trial->sent - 1;

	return gaps < 1 || gaps / trial->sent_pps <= (gaps + 1) / trial->pps;
}

static void fill(struct bench_trial *trial, const struct tx *tx, const struct tx_count *sent,
		 const struct result *part)
{
	double lost = result_look(part, "lost_packets"), late;

	trial->sent = sent->sent_packets;
	trial->lost = isnan(lost) ? sent->sent_packets : (uint64_t)lost;
	trial->sent_pps = result_look(part, "sent_pps");
	trial->irregular = result_look(part, "irregular") > 0 && (!trial->count || !is_burst(trial));
	trial->late_max_ns = result_look(part, "pacing_late_max_ns");
	late = fmax((double)count_late(tx), trial->late_max_ns * 1e-9 * trial->pps);
	trial->unsteady = trial->lost && trial->late_max_ns > STALL_NS && (double)trial->lost <= late;
	trial->min_ns = result_look(part, "delay_min_ns");
	trial->mean_ns = result_look(part, "delay_mean_ns");
	trial->p50_ns = result_look(part, "delay_p50_ns");
	trial->p99_ns = result_look(part, "delay_p99_ns");
	trial->p99_9_ns = result_look(part, "delay_p99_9_ns");
	trial->max_ns = result_look(part, "delay_max_ns");
}

int bench_trial_run(const struct tx_cfg *base, const char *sink, const struct bench_ask *ask,
		    struct result *part, struct bench_trial *ret_trial, struct err *e)
{
	const struct trial_opts opts = { .sink = sink, .no_ledger = true };
	struct tx_cfg cfg = *base;
	struct trial *trial = NULL;
	struct tx *tx = NULL;
	struct tx_count sent;
	struct loop loop = { .duration_ns = bench_ask_ns(ask) + SLACK_NS, .done = is_sent };
	int err;

	cfg.frame.frame_bytes = ask->frame_bytes;
	cfg.pps = ask->pps;
	cfg.duration_ns = ask->trial_ns;
	cfg.count = ask->trial_ns ? 0 : ask->count;
	err = trial_open(&trial, &opts, &cfg, part, e);
	if (!err)
		err = tx_open(&tx, &cfg, part, e);
	if (err)
		goto out;
	loop.ctx = tx;
	trial_begin(trial, part);
	err = tx_start(tx, e);
	if (err)
		goto out;
	loop_run(&loop);
	err = tx_stop(tx, e);
	if (!err)
		err = tx_check_taken(tx, e);
	if (err)
		goto out;
	tx_read(tx, &sent);
	trial_settle(trial, &sent);
	tx_report(&cfg, &sent, part);
	trial_report(trial, &sent, part);
	fill(ret_trial, tx, &sent, part);
	if (loop_signal())
		err = err_set(e, -EINTR, "a trial was cut short");
out:
	tx_close(tx);
	trial_close(trial);
	return err;
}
