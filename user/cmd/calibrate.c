// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd/calibrate.c - measure the tool's own accuracy where the true values are known.
 *
 * It uses a private lab that ends with this process: an idle link for counts, delay
 * floor and pacing, and one with impair's forwarder in the middle for known losses,
 * duplicates, reordering and delays.
 */
#include <math.h>
#include <stdio.h>

#include "cmd/cmd.h"
#include "engine/impair/impair.h"
#include "engine/lab/lab_trial.h"
#include "engine/self/environ.h"
#include "lib/dist.h"
#include "lib/hist.h"
#include "lib/log.h"
#include "lib/loop.h"
#include "lib/statedir.h"
#include "result/calibration.h"

/* Longer than the forwarder holds any packet. */
#define BUMP_SETTLE_NS	(5 * NSEC_PER_SEC / 2)

struct calibrate_opts {
	bool quick;
	bool no_store;
	bool force;
};

static const struct calibrate_opts defaults = { 0 };

static const struct opt options[] = {
	{ 0, "quick", OPT_FLAG, offsetof(struct calibrate_opts, quick), NULL,
	  "send a tenth of the packets; do not store the figures" },
	{ 0, "no-store", OPT_FLAG, offsetof(struct calibrate_opts, no_store), NULL,
	  "do not store the figures for later results" },
	{ 0, "force", OPT_FLAG, offsetof(struct calibrate_opts, force), NULL,
	  "store the figures even if runs were disturbed" },
	OPT_END
};

/* The findings; the worst run where several runs measure the same. */
struct found {
	uint64_t delay_min_ns, delay_p50_ns, rtt_p50_ns;
	uint64_t gap_error_p50_ns, gap_error_p99_ns;
	uint64_t delay_error_p50_ns, delay_error_p99_ns;
	double exact_pps;
	uint64_t counted, impaired;
};

struct calibrate {
	const struct calibrate_opts *opts;
	struct lab wire;		/* a - b */
	struct lab bumped;		/* a - r - b: impair forwards in r */
	struct result *res;
	struct found found;
	uint32_t irregular;		/* runs that did not reach their rate */
};

static uint64_t some(const struct calibrate *cal, uint64_t count)
{
	/* A tenth of a prime, made odd: no multiple of a batch either way. */
	return cal->opts->quick ? count / 10 | 1 : count;
}

static void worst(uint64_t *sum, uint64_t value)
{
	if (value > *sum)
		*sum = value;
}

/* Runs whose sender was held up by other work do not show the tool's accuracy. */
static void note_irregular(struct calibrate *cal, const struct lab_trial *run)
{
	cal->irregular += run->made.pace == BOTTLENECK_IRREGULAR;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* Sender, both drivers and receiver must agree; refusals of a full ring are counted, too. */
static bool is_exact(const struct lab_trial *run, uint64_t asked)
{
	uint64_t count = run->sent.sent_packets;

	return count + run->sent.refused_packets == asked && run->a.tx_packets == count &&
	       run->b.rx_packets == count && run->got.packets == count &&
	       run->got.distinct == count && !run->got.duplicates && !run->got.reordered &&
	       !run->got.unknown;
}

static int run_exact(struct calibrate *cal, const char *name, const struct lab_trial_cfg *cfg,
		     struct lab_trial *run, struct err *e)
{
	struct result *part = result_part(cal->res, PART_OTHER, name);
	char refused[64];
	int err;

	log_info("%s ...", name);
	err = lab_trial_run(run, cfg, part, e);
	if (err || loop_signal())
		return err;
	note_irregular(cal, run);
	cal->found.counted += run->sent.sent_packets;
	snprintf(refused, sizeof(refused), ", %llu refused",
		 (unsigned long long)run->sent.refused_packets);
	result_verdict(cal->res, is_exact(run, cfg->count),
		       "%s: %llu sent%s, %llu and %llu by the drivers, %llu received in order", name,
		       (unsigned long long)run->sent.sent_packets,
		       run->sent.refused_packets ? refused : "",
		       (unsigned long long)run->a.tx_packets,
		       (unsigned long long)run->b.rx_packets,
		       (unsigned long long)(run->got.distinct - run->got.reordered));
	return 0;
}

/* At full rate, with all checks at the receiver. */
static int count_all(struct calibrate *cal, struct err *e)
{
	static const struct {
		const char *name;
		enum tx_engine engine;
		uint32_t frame_bytes;
		uint64_t count;
	} runs[] = {
		{ "counts, live, 64-byte frames", TX_ENGINE_LIVE, 64, 5000011 },
		{ "counts, live, 1518-byte frames", TX_ENGINE_LIVE, 1518, 3000017 },
		{ "counts, AF_XDP, 64-byte frames", TX_ENGINE_AFXDP, 64, 1000003 },
	};
	struct lab_trial run;
	size_t i;
	int err = 0;

	for (i = 0; i < sizeof(runs) / sizeof(runs[0]) && !err && !loop_signal(); i++) {
		const struct lab_trial_cfg cfg = {
			.lab = &cal->wire, .engine = runs[i].engine, .tagged = true,
			.frame_bytes = runs[i].frame_bytes, .count = some(cal, runs[i].count),
		};

		err = run_exact(cal, runs[i].name, &cfg, &run, e);
		if (!err && is_exact(&run, cfg.count))
			cal->found.exact_pps = fmax(cal->found.exact_pps, run.got.rate_pps);
		lab_trial_close(&run);
	}
	return err;
}

/* One-way and round-trip delay of an idle link: the smallest delay that can be measured. */
static int find_floor(struct calibrate *cal, struct err *e)
{
	struct lab_trial_cfg cfg = {
		.lab = &cal->wire, .engine = TX_ENGINE_LIVE, .tagged = true, .frame_bytes = 64,
		.count = some(cal, 20011), .pps = 10e3,
	};
	struct hist_rec hist;
	struct lab_trial run;
	int err;

	err = run_exact(cal, "delay floor, 10 kpps", &cfg, &run, e);
	if (!err) {
		rx_read_hist(run.rx, &hist);
		cal->found.delay_min_ns = hist_min_ns(&hist);
		cal->found.delay_p50_ns = hist_percentile_ns(&hist, 0.5);
	}
	lab_trial_close(&run);
	if (err || loop_signal())
		return err;
	cfg.probe = true;
	log_info("round trip floor, 10 kpps ...");
	err = lab_trial_run(&run, &cfg, result_part(cal->res, PART_OTHER, "round trip floor, 10 kpps"), e);
	if (!err) {
		rx_read_hist(run.rx, &hist);
		cal->found.rtt_p50_ns = hist_percentile_ns(&hist, 0.5);
	}
	lab_trial_close(&run);
	return err;
}

static int find_pacing(struct calibrate *cal, struct err *e)
{
	static const struct {
		const char *name;
		double pps;
		uint64_t count;
	} runs[] = {
		{ "pacing, 1 kpps", 1e3, 2003 },
		{ "pacing, 10 kpps", 10e3, 20011 },
		{ "pacing, 100 kpps", 100e3, 200003 },
	};
	struct lab_trial run;
	struct hist_rec hist;
	size_t i;
	int err = 0;

	for (i = 0; i < sizeof(runs) / sizeof(runs[0]) && !err && !loop_signal(); i++) {
		const struct lab_trial_cfg cfg = {
			.lab = &cal->wire, .engine = TX_ENGINE_LIVE, .tagged = true,
			.frame_bytes = 64, .count = some(cal, runs[i].count), .pps = runs[i].pps,
			.gaps = true,
		};

		err = run_exact(cal, runs[i].name, &cfg, &run, e);
		if (!err) {
			rx_read_gap_errors(run.rx, &hist);
			worst(&cal->found.gap_error_p50_ns, hist_percentile_ns(&hist, 0.5));
			/* Not the slowest run of --quick. */
			if (dist_has_samples(0.99, hist.count))
				worst(&cal->found.gap_error_p99_ns, hist_percentile_ns(&hist, 0.99));
		}
		lab_trial_close(&run);
	}
	return err;
}

/* What the forwarder in r did to packets from a to b, and what b received. */
struct bump_run {
	struct impair_rules rules;
	struct impair *impair;
	struct impair_count done;
	struct lab_trial trial;
	struct hist_rec delays;
};

/* Wait until the forwarder has received all packets and holds none. */
static uint64_t due_of_bump(const void *ctx, uint64_t sent)
{
	const struct bump_run *run = ctx;
	struct impair_count now;

	impair_read(run->impair, 0, &now);
	if (now.seen_packets < sent || now.held || now.passed_packets + now.copies + now.fragments >
	    now.out_frames + now.queue_drops + now.full_drops)
		return UINT64_MAX;
	return now.out_frames;
}

static int run_bumped(struct calibrate *cal, const char *name, uint64_t seed, uint64_t count,
		      double pps, struct bump_run *run, struct err *e)
{
	const struct impair_cfg impair = {
		.ifnames = { "ega", "egb" }, .way = IMPAIR_A_TO_B, .seed = seed,
		.rules = &run->rules,
	};
	const struct lab_trial_cfg trial = {
		.lab = &cal->bumped, .middle = LAB_OPEN, .engine = TX_ENGINE_LIVE, .tagged = true,
		.frame_bytes = 64, .count = count, .pps = pps, .settle_ns = BUMP_SETTLE_NS,
		.due = due_of_bump, .due_ctx = run,
	};
	struct result *part = result_part(cal->res, PART_OTHER, name);
	int err;

	log_info("%s ...", name);
	err = lab_enter(&cal->bumped, LAB_R, e);
	if (!err)
		err = impair_open(&run->impair, &impair, result_part(part, PART_OTHER, "forwarder"), e);
	if (!err)
		err = impair_start(run->impair, e);
	if (!err)
		err = lab_trial_run(&run->trial, &trial, part, e);
	if (err)
		return err;
	rx_read_hist(run->trial.rx, &run->delays);
	err = lab_enter(&cal->bumped, LAB_R, e);
	if (err)
		return err;
	impair_stop(run->impair);
	impair_read(run->impair, 0, &run->done);
	note_irregular(cal, &run->trial);
	return 0;
}

static void close_bumped(struct bump_run *run)
{
	lab_trial_close(&run->trial);
	impair_close(run->impair);
	impair_rules_release(&run->rules);
}

/*
 * Frames lost other than by a rule: in the forwarder, which ran out of frames, or on
 * the links, whose rings were full. A busy machine causes this; the split is unknown.
 */
static uint64_t lost_otherwise(const struct bump_run *run)
{
	uint64_t got = run->trial.b.rx_packets;

	return run->trial.sent.sent_packets - run->done.seen_packets + run->done.own_drops +
	       run->done.full_drops + run->done.refused +
	       (run->done.out_frames > got ? run->done.out_frames - got : 0);
}

/* The receiver must see exactly the faults that were inserted. */
static void judge_faults(struct calibrate *cal, const char *name, const struct bump_run *run)
{
	const struct rx_count *got = &run->trial.got;
	const uint64_t *done = run->done.done, otherwise = lost_otherwise(run);
	uint64_t lost = run->trial.sent.sent_packets - got->distinct;

	if (otherwise) {
		cal->irregular++;
		result_note(cal->res, "%s: not judged: the drivers and the forwarder lost %llu frames that "
			    "no rule dropped", name, (unsigned long long)otherwise);
		return;
	}
	result_verdict(cal->res, lost == done[IMPAIR_LOSS] &&
		       got->duplicates == done[IMPAIR_DUPLICATE] &&
		       got->reordered <= done[IMPAIR_REORDER] &&
		       done[IMPAIR_REORDER] - got->reordered <= run->done.flushed,
		       "%s: found %llu of %llu losses, %llu of %llu duplicates, %llu of %llu reordered",
		       name, (unsigned long long)lost, (unsigned long long)done[IMPAIR_LOSS],
		       (unsigned long long)got->duplicates,
		       (unsigned long long)done[IMPAIR_DUPLICATE],
		       (unsigned long long)got->reordered,
		       (unsigned long long)done[IMPAIR_REORDER]);
	cal->found.impaired += done[IMPAIR_LOSS] + done[IMPAIR_DUPLICATE] + done[IMPAIR_REORDER];
}

static int find_faults(struct calibrate *cal, struct err *e)
{
	static const struct {
		const char *name;
		uint64_t seed;
		const char *loss, *duplicate, *reorder;
	} runs[] = {
		{ "faults, seed 1", 1, "1%", "0.5%", "1%:3" },
		{ "faults, seed 2", 2, "ge(p=0.5%,r=20%)", "0.1%", "0.3%:17" },
		{ "faults, seed 3", 3, "every=97+11", "every=101+7", "every=89+3:5" },
	};
	struct bump_run run;
	size_t i;
	int err = 0;

	for (i = 0; i < sizeof(runs) / sizeof(runs[0]) && !err && !loop_signal(); i++) {
		run = (struct bump_run){ 0 };
		err = impair_rules_add(&run.rules, IMPAIR_LOSS, runs[i].loss, e);
		if (!err)
			err = impair_rules_add(&run.rules, IMPAIR_DUPLICATE, runs[i].duplicate, e);
		if (!err)
			err = impair_rules_add(&run.rules, IMPAIR_REORDER, runs[i].reorder, e);
		if (!err)
			err = run_bumped(cal, runs[i].name, runs[i].seed, some(cal, 200003), 100e3,
					 &run, e);
		if (!err && !loop_signal())
			judge_faults(cal, runs[i].name, &run);
		close_bumped(&run);
	}
	return err;
}

/* The first is the forwarder's own shortest delay, which is subtracted from the others. */
static int find_delays(struct calibrate *cal, struct err *e)
{
	static const struct {
		const char *name, *delay;
		uint64_t ns;
	} runs[] = {
		{ "inserted delay 1 us", "1us", 1000 },
		{ "inserted delay 100 us", "100us", 100000 },
		{ "inserted delay 1 ms", "1ms", 1000000 },
		{ "inserted delay 10 ms", "10ms", 10000000 },
	};
	uint64_t path_ns = 0, p50_ns, p99_ns;
	struct bump_run run;
	size_t i;
	int err = 0;

	for (i = 0; i < sizeof(runs) / sizeof(runs[0]) && !err && !loop_signal(); i++) {
		run = (struct bump_run){ 0 };
		err = impair_rules_add(&run.rules, IMPAIR_DELAY, runs[i].delay, e);
		if (!err)
			err = run_bumped(cal, runs[i].name, 1, some(cal, 20011), 10e3, &run, e);
		if (!err && !loop_signal()) {
			p50_ns = hist_percentile_ns(&run.delays, 0.5);
			p99_ns = hist_percentile_ns(&run.delays, 0.99);
			/* Load can only add delay, so this must hold even on a busy machine. */
			result_verdict(cal->res, hist_min_ns(&run.delays) >= runs[i].ns,
				       "%s: none of %llu packets arrived earlier", runs[i].name,
				       (unsigned long long)run.delays.count);
			if (!i)
				path_ns = p50_ns - runs[i].ns;
			else {
				worst(&cal->found.delay_error_p50_ns,
				      distance(p50_ns, runs[i].ns + path_ns));
				worst(&cal->found.delay_error_p99_ns,
				      distance(p99_ns, runs[i].ns + path_ns));
			}
		}
		close_bumped(&run);
	}
	return err;
}

static void report(const struct found *found, struct result *res)
{
	result_metric_u64(res, "calibrated_delay_floor_min_ns", found->delay_min_ns);
	result_metric_u64(res, "calibrated_delay_floor_p50_ns", found->delay_p50_ns);
	result_metric_u64(res, "calibrated_rtt_floor_p50_ns", found->rtt_p50_ns);
	result_metric_u64(res, "calibrated_delay_error_p50_ns", found->delay_error_p50_ns);
	result_metric_u64(res, "calibrated_delay_error_p99_ns", found->delay_error_p99_ns);
	result_metric_u64(res, "calibrated_gap_error_p50_ns", found->gap_error_p50_ns);
	result_metric_u64(res, "calibrated_gap_error_p99_ns", found->gap_error_p99_ns);
	result_metric_real(res, "calibrated_exact_pps", found->exact_pps);
	result_metric_u64(res, "calibrated_counted_packets", found->counted);
	result_metric_u64(res, "calibrated_impaired_packets", found->impaired);
}

/* Store the figures only if all checks passed in a full, complete run. */
static int keep(const struct calibrate *cal, struct err *e)
{
	char path[4096];
	int err;

	if (cal->irregular)
		result_note(cal->res, "other work on this machine disturbed %u of the runs: delay and pacing errors "
			    "are larger than the tool's own; repeat on an idle machine",
			    cal->irregular);
	if (cal->opts->quick || cal->opts->no_store)
		return 0;
	if (!result_passed(cal->res) || (cal->irregular && !cal->opts->force)) {
		result_note(cal->res, "figures not stored: %s",
			    result_passed(cal->res) ? "runs were disturbed (--force stores them)" :
			    "a check failed");
		return 0;
	}
	calibration_path(path, sizeof(path));
	err = calibration_store(cal->res, path, e);
	if (!err)
		result_note(cal->res, "figures stored in '%s': later results include them", path);
	return err;
}

static int calibrate_run(const void *args, struct result *res, struct err *e)
{
	static int (*const steps[])(struct calibrate *cal, struct err *e) = {
		count_all, find_floor, find_pacing, find_faults, find_delays,
	};
	const struct lab_cfg wire = { 0 }, bumped = { .middle = LAB_OPEN };
	struct calibrate cal = { .opts = args, .res = res };
	size_t i;
	int err;

	err = lab_build(&cal.wire, &wire, e);
	if (err)
		return err;
	err = lab_build(&cal.bumped, &bumped, e);
	if (err)
		goto out;
	environ_clock(res, STAMP_MONOTONIC);
	for (i = 0; i < sizeof(steps) / sizeof(steps[0]) && !err && !loop_signal(); i++)
		err = steps[i](&cal, e);
	if (err || loop_signal())
		goto out_bumped;
	report(&cal.found, res);
	err = keep(&cal, e);
out_bumped:
	lab_release(&cal.bumped);
out:
	lab_release(&cal.wire);
	return err;
}

const struct cmd cmd_calibrate = {
	.name = "calibrate",
	.summary = "measure the accuracy of the tool on this machine",
	.description =
"Measures known quantities on private links that end with the command, and reports how\n"
"accurate the tool is on this machine: whether counts of millions of packets agree at\n"
"full rate, and up to which rate; the delay of an idle link, the smallest that can be\n"
"measured; the error of sending intervals; whether the losses, duplicates and reordered\n"
"packets that impair inserts are found exactly, with several seeds; and the error of\n"
"measured delays against inserted ones.\n\n"
"If all checks pass, the figures are stored in " STATEDIR_DEFAULT " (or\n"
"$STATE_DIRECTORY), and later results on the same kernel and CPUs include them under\n"
"\"self\". Keep the machine idle: disturbed runs are not stored.",
	.examples =
"  # takes half a minute and stores the figures\n"
"  sudo ethgauge calibrate\n"
"  # the figures that later results include\n"
"  jq '.metrics' /var/lib/ethgauge/calibration.json\n",
	.options = options,
	.defaults = &defaults,
	.opts_size = sizeof(defaults),
	.needs = CMD_NEEDS_BPF | CMD_NEEDS_NET_ADMIN | CMD_NEEDS_NET_RAW | CMD_NEEDS_SYS_ADMIN,
	.run = calibrate_run,
};
