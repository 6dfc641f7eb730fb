// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd/calibrate.c - measure the tool's own accuracy where the true values are known.
 *
 * It uses a private lab that ends with this process: an idle link for counts, delay
 * floor and pacing, and one with impair's forwarder in the middle for known losses,
 * duplicates, reordering and delays. The forwarder notes how long it held each packet:
 * its own lateness is not the tool's error.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/cmd.h"
#include "engine/impair/impair.h"
#include "engine/lab/lab_trial.h"
#include "engine/self/environ.h"
#include "lib/array.h"
#include "lib/dist.h"
#include "lib/hist.h"
#include "lib/log.h"
#include "lib/loop.h"
#include "lib/statedir.h"
#include "model/delay_error.h"
#include "result/calibration.h"
#include "result/result_dist.h"
#include "sys/host/caps.h"

/* Longer than the forwarder holds any packet. */
#define BUMP_SETTLE_NS	(5 * NSEC_PER_SEC / 2)
#define RECORDS_BYTES	(1u << 21)	/* a record of each packet of a run, 48 bytes */
#define REPEATS		2		/* of a run that other work disturbed */
#define TAKEN_RATIO	0.1		/* of the sender's time, for which others had its CPU */
/* No wake-up takes as long: the median packet waited for the forwarder, which waited for its CPU. */
#define FORWARDER_LATE_NS 500000

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
	  "accept disturbed runs: do not repeat them, pass and store the figures" },
	OPT_END
};

/* The findings; the worst run where several runs measure the same. */
struct found {
	uint64_t delay_min_ns, delay_p50_ns, rtt_p50_ns;
	uint64_t gap_error_p50_ns, gap_error_p99_ns;
	uint64_t error_min_ns, error_p50_ns, error_p99_ns;	/* min: of all runs */
	double exact_pps;
	uint64_t counted, impaired;
	struct hist_rec late, sending;	/* the forwarder's own */
};

struct calibrate {
	const struct calibrate_opts *opts;
	struct lab wire;		/* a - b */
	struct lab bumped;		/* a - r - b: impair forwards in r */
	struct result *res;
	struct found found;
	uint32_t repeated, disturbed;	/* runs: disturbed, and disturbed to the last attempt */
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

/* What kept the figures of a paced run from being the tool's own; NULL: nothing. */
static const char *disturbance(const struct lab_trial *run)
{
	if (run->made.pace == BOTTLENECK_IRREGULAR)
		return "the sender missed its rate";
	if (run->made.pace == BOTTLENECK_REGULAR && run->taken_ratio >= TAKEN_RATIO)
		return "other threads or the hypervisor had the sender's CPU";
	return NULL;
}

/*
 * One attempt at a run: its part of the result is called @name, its figures go into @what. Sets
 * *ret_why if other work disturbed it.
 */
typedef int attempt_fn(struct calibrate *cal, const char *name, void *what, const char **ret_why,
		       struct err *e);

/* Repeats a disturbed run. Verdicts of all attempts count: load is no excuse for a wrong count. */
static int attempt(struct calibrate *cal, const char *name, attempt_fn *once, void *what,
		   struct err *e)
{
	unsigned int nr, most = cal->opts->force ? 0 : cal->opts->quick ? 1 : REPEATS;
	const char *why;
	char text[96];
	int err;

	for (nr = 0;; nr++) {
		snprintf(text, sizeof(text), nr ? "%s, repeat %u" : "%s", name, nr);
		log_progress(NAN, NAN, "%s ...", text);
		why = NULL;
		err = once(cal, text, what, &why, e);
		if (err || loop_signal() || !why)
			return err;
		result_note(cal->res, "%s: disturbed: %s", text, why);
		if (nr == most)
			break;
		cal->repeated++;
	}
	cal->disturbed++;
	return 0;
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

/* A run over the idle link. */
struct wire_run {
	struct lab_trial_cfg cfg;
	double exact_pps;		/* 0: the counts differ */
	struct hist_rec delays, gap_errors;
};

static bool judge_counts(struct calibrate *cal, const char *name, const struct lab_trial *run,
			 uint64_t asked)
{
	bool exact = is_exact(run, asked);
	char refused[64];

	cal->found.counted += run->sent.sent_packets;
	snprintf(refused, sizeof(refused), ", %llu refused",
		 (unsigned long long)run->sent.refused_packets);
	result_verdict(cal->res, exact,
		       "%s: %llu sent%s, %llu and %llu by the drivers, %llu received in order", name,
		       (unsigned long long)run->sent.sent_packets,
		       run->sent.refused_packets ? refused : "",
		       (unsigned long long)run->a.tx_packets,
		       (unsigned long long)run->b.rx_packets,
		       (unsigned long long)(run->got.distinct - run->got.reordered));
	return exact;
}

static int run_wire(struct calibrate *cal, const char *name, void *what, const char **ret_why,
		    struct err *e)
{
	struct wire_run *wire = what;
	struct lab_trial run;
	int err;

	err = lab_trial_run(&run, &wire->cfg, result_part(cal->res, PART_OTHER, name), e);
	if (!err && !loop_signal()) {
		wire->exact_pps = 0;
		if (!wire->cfg.probe && judge_counts(cal, name, &run, wire->cfg.count))
			wire->exact_pps = run.got.rate_pps;
		rx_read_hist(run.rx, &wire->delays);
		if (wire->cfg.gaps)
			rx_read_gap_errors(run.rx, &wire->gap_errors);
		*ret_why = disturbance(&run);
	}
	lab_trial_close(&run);
	return err;
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
	size_t i;
	int err = 0;

	for (i = 0; i < ARRAY_SIZE(runs) && !err && !loop_signal(); i++) {
		struct wire_run run = { .cfg = {
			.lab = &cal->wire, .engine = runs[i].engine, .tagged = true,
			.frame_bytes = runs[i].frame_bytes, .count = some(cal, runs[i].count),
		} };

		err = attempt(cal, runs[i].name, run_wire, &run, e);
		cal->found.exact_pps = fmax(cal->found.exact_pps, run.exact_pps);
	}
	return err;
}

/* One-way and round-trip delay of an idle link: the smallest delay that can be measured. */
static int find_floor(struct calibrate *cal, struct err *e)
{
	struct wire_run run = { .cfg = {
		.lab = &cal->wire, .engine = TX_ENGINE_LIVE, .tagged = true, .frame_bytes = 64,
		.count = some(cal, 20011), .pps = 10e3,
	} };
	int err;

	err = attempt(cal, "delay floor, 10 kpps", run_wire, &run, e);
	if (err || loop_signal())
		return err;
	cal->found.delay_min_ns = hist_min_ns(&run.delays);
	cal->found.delay_p50_ns = hist_percentile_ns(&run.delays, 0.5);
	run.cfg.probe = true;
	err = attempt(cal, "round trip floor, 10 kpps", run_wire, &run, e);
	if (!err)
		cal->found.rtt_p50_ns = hist_percentile_ns(&run.delays, 0.5);
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
	size_t i;
	int err = 0;

	for (i = 0; i < ARRAY_SIZE(runs) && !err && !loop_signal(); i++) {
		struct wire_run run = { .cfg = {
			.lab = &cal->wire, .engine = TX_ENGINE_LIVE, .tagged = true,
			.frame_bytes = 64, .count = some(cal, runs[i].count), .pps = runs[i].pps,
			.gaps = true,
		} };

		err = attempt(cal, runs[i].name, run_wire, &run, e);
		worst(&cal->found.gap_error_p50_ns, hist_percentile_ns(&run.gap_errors, 0.5));
		/* Not the slowest run of --quick. */
		if (dist_has_samples(0.99, run.gap_errors.count))
			worst(&cal->found.gap_error_p99_ns, hist_percentile_ns(&run.gap_errors, 0.99));
	}
	return err;
}

/* Frames of memory that hold all packets and their copies: clearing more takes longer than sending. */
static uint32_t frames_for(uint64_t count)
{
	uint64_t frames = count + count / 8;

	return frames < IMPAIR_FRAMES ? (uint32_t)frames : IMPAIR_FRAMES;
}

/* What the forwarder in r did to packets from a to b, and what b received. */
struct bump_run {
	uint64_t seed, count;
	double pps;
	bool compare;			/* keep the times of each packet, at the forwarder and at b */
	struct impair_rules rules;
	struct impair *impair;
	struct impair_count done;
	struct lab_trial trial;
	struct result *part, *forwarder;
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

static int run_bumped(struct calibrate *cal, const char *name, struct bump_run *run, struct err *e)
{
	const struct impair_cfg impair = {
		.ifnames = { "ega", "egb" }, .way = IMPAIR_A_TO_B, .seed = run->seed,
		.rules = &run->rules, .nr_frames = frames_for(run->count),
		.hold_frames = run->compare ? (uint32_t)run->count : 0,
	};
	const struct lab_trial_cfg trial = {
		.lab = &cal->bumped, .middle = LAB_OPEN, .engine = TX_ENGINE_LIVE, .tagged = true,
		.frame_bytes = 64, .count = run->count, .pps = run->pps,
		.record_ring_bytes = run->compare ? RECORDS_BYTES : 0,
		.settle_ns = BUMP_SETTLE_NS, .due = due_of_bump, .due_ctx = run,
	};
	int err;

	run->part = result_part(cal->res, PART_OTHER, name);
	run->forwarder = result_part(run->part, PART_OTHER, "forwarder");
	err = lab_enter(&cal->bumped, LAB_R, e);
	if (!err)
		err = impair_open(&run->impair, &impair, run->forwarder, e);
	if (!err)
		err = impair_start(run->impair, e);
	if (!err)
		err = lab_trial_run(&run->trial, &trial, run->part, e);
	if (!err)
		err = lab_enter(&cal->bumped, LAB_R, e);
	if (err)
		return err;
	impair_stop(run->impair);
	impair_read(run->impair, 0, &run->done);
	return 0;
}

static void close_bumped(struct bump_run *run)
{
	lab_trial_close(&run->trial);
	impair_close(run->impair);
	impair_rules_release(&run->rules);
}

static const char lost_frames[] = "not judged: the drivers or the forwarder lost frames that no rule dropped";

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
	const uint64_t *done = run->done.done;
	uint64_t lost = run->trial.sent.sent_packets - got->distinct;

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

struct faults {
	const char *name;
	uint64_t seed;
	const char *loss, *duplicate, *reorder;
};

static int run_faults(struct calibrate *cal, const char *name, void *what, const char **ret_why,
		      struct err *e)
{
	const struct faults *faults = what;
	struct bump_run run = {
		.seed = faults->seed, .count = some(cal, 200003), .pps = 100e3,
	};
	int err;

	err = impair_rules_add(&run.rules, IMPAIR_LOSS, faults->loss, e);
	if (!err)
		err = impair_rules_add(&run.rules, IMPAIR_DUPLICATE, faults->duplicate, e);
	if (!err)
		err = impair_rules_add(&run.rules, IMPAIR_REORDER, faults->reorder, e);
	if (!err)
		err = run_bumped(cal, name, &run, e);
	/* Counts are right however busy the machine is, but not of frames that it lost itself. */
	if (!err && !loop_signal()) {
		if (lost_otherwise(&run))
			*ret_why = lost_frames;
		else
			judge_faults(cal, name, &run);
	}
	close_bumped(&run);
	return err;
}

static int find_faults(struct calibrate *cal, struct err *e)
{
	static const struct faults runs[] = {
		{ "faults, seed 1", 1, "1%", "0.5%", "1%:3" },
		{ "faults, seed 2", 2, "ge(p=0.5%,r=20%)", "0.1%", "0.3%:17" },
		{ "faults, seed 3", 3, "every=97+11", "every=101+7", "every=89+3:5" },
	};
	size_t i;
	int err = 0;

	for (i = 0; i < ARRAY_SIZE(runs) && !err && !loop_signal(); i++) {
		struct faults run = runs[i];

		err = attempt(cal, run.name, run_faults, &run, e);
	}
	return err;
}

struct inserted {
	const char *name, *delay;
	uint64_t ns;
	struct delay_error error;	/* of the tool */
	struct hist_rec late, sending;	/* of the forwarder */
};

/* What the forwarder noted: how long it held each packet, and its own lateness. */
static void read_made(const struct bump_run *run, struct inserted *inserted, struct delay_of *made,
		      size_t *ret_nr)
{
	const struct bump_hold *hold = impair_holds(run->impair, 0, ret_nr);
	size_t i;

	for (i = 0; i < *ret_nr; i++, hold++) {
		uint64_t held_ns = hold->begun_ns - hold->arrived_ns;

		made[i] = (struct delay_of){ held_ns, hold->sequence, hold->stream };
		hist_add(&inserted->late, held_ns > inserted->ns ? held_ns - inserted->ns : 0);
		hist_add(&inserted->sending, hold->done_ns - hold->begun_ns);
	}
}

struct measured {
	struct delay_of *list;
	size_t nr, most;
};

static void take_record(void *ctx, const struct record *rec)
{
	struct measured *measured = ctx;

	if (measured->nr == measured->most ||
	    (rec->kind != RECORD_IN_ORDER && rec->kind != RECORD_LATE))
		return;
	measured->list[measured->nr++] = (struct delay_of){
		rec->received_ns - rec->sent_ns, (uint32_t)rec->sequence, rec->stream,
	};
}

static int compare_delays(struct bump_run *run, struct inserted *inserted, struct err *e)
{
	struct measured measured = { .most = run->count };
	struct delay_of *made = calloc(2 * run->count, sizeof(*made));
	size_t nr;
	int err;

	if (!made)
		return err_set(e, -ENOMEM, "cannot compare delays");
	measured.list = made + run->count;
	read_made(run, inserted, made, &nr);
	err = rx_each_record(run->trial.rx, take_record, &measured, e);
	if (!err && delay_error_find(made, nr, measured.list, measured.nr, &inserted->error))
		err = err_set(e, -ENOMEM, "cannot compare delays");
	free(made);
	return err;
}

static void report_error(uint64_t min_ns, uint64_t p50_ns, uint64_t p99_ns, struct result *res)
{
	result_metric_u64(res, "calibrated_timing_error_min_ns", min_ns);
	result_metric_u64(res, "calibrated_timing_error_p50_ns", p50_ns);
	result_metric_u64(res, "calibrated_timing_error_p99_ns", p99_ns);
}

static void judge_delays(struct calibrate *cal, const char *name, const struct bump_run *run,
			 const struct inserted *inserted)
{
	/*
	 * The call takes a packet through a driver and a link; the way to the forwarder is no
	 * longer. The delay floor would say more, but by the clock readings that are tested here.
	 */
	uint64_t path_ns = 2 * hist_percentile_ns(&inserted->sending, 0.5);
	const struct delay_error *error = &inserted->error;
	struct hist_rec delays;

	rx_read_hist(run->trial.rx, &delays);
	/* Load can only add delay, so this must hold even on a busy machine. */
	result_verdict(cal->res, hist_min_ns(&delays) >= inserted->ns,
		       "%s: none of %llu packets arrived earlier", name,
		       (unsigned long long)delays.count);
	result_verdict(cal->res, delay_error_passes(error, path_ns) &&
		       error->packets == run->trial.got.distinct,
		       "%s: measured - made by the forwarder: median %.3f us, allowed -%.3f to %.3f us, "
		       "of %zu of %llu packets", name, (double)error->median_ns / 1e3,
		       DELAY_ERROR_TOLERANCE_NS / 1e3,
		       (double)(path_ns + DELAY_ERROR_TOLERANCE_NS) / 1e3, error->packets,
		       (unsigned long long)run->trial.got.distinct);
	report_error(error->min_ns, error->p50_ns, error->p99_ns, run->part);
	result_hist(run->forwarder, "held_late", &inserted->late);
	result_hist(run->forwarder, "held_sending", &inserted->sending);
}

static int run_inserted(struct calibrate *cal, const char *name, void *what, const char **ret_why,
			struct err *e)
{
	struct inserted *inserted = what;
	struct bump_run run = {
		.seed = 1, .count = some(cal, 20011), .pps = 10e3, .compare = true,
	};
	int err;

	*inserted = (struct inserted){ inserted->name, inserted->delay, inserted->ns };
	err = impair_rules_add(&run.rules, IMPAIR_DELAY, inserted->delay, e);
	if (!err)
		err = run_bumped(cal, name, &run, e);
	/* Frames may also come after the counts are read: then the records have more packets. */
	if (!err && !loop_signal()) {
		if (lost_otherwise(&run))
			*ret_why = lost_frames;
		else
			err = compare_delays(&run, inserted, e);
	}
	if (!err && !loop_signal() && !*ret_why) {
		judge_delays(cal, name, &run, inserted);
		*ret_why = disturbance(&run.trial);
		if (!*ret_why && hist_percentile_ns(&inserted->late, 0.5) > FORWARDER_LATE_NS)
			*ret_why = "the forwarder waited for its CPU";
	}
	close_bumped(&run);
	return err;
}

/* Known delays: the tool must measure of each packet what the forwarder made. */
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
	struct found *found = &cal->found;
	size_t i;
	int err = 0;

	found->error_min_ns = UINT64_MAX;
	for (i = 0; i < ARRAY_SIZE(runs) && !err && !loop_signal(); i++) {
		struct inserted run = { runs[i].name, runs[i].delay, runs[i].ns };

		err = attempt(cal, run.name, run_inserted, &run, e);
		if (err || !run.error.packets)
			continue;
		if (run.error.min_ns < found->error_min_ns)
			found->error_min_ns = run.error.min_ns;
		worst(&found->error_p50_ns, run.error.p50_ns);
		worst(&found->error_p99_ns, run.error.p99_ns);
		hist_merge(&found->late, &run.late);
		hist_merge(&found->sending, &run.sending);
	}
	return err;
}

static void report(const struct found *found, struct result *res)
{
	result_metric_u64(res, "calibrated_delay_floor_min_ns", found->delay_min_ns);
	result_metric_u64(res, "calibrated_delay_floor_p50_ns", found->delay_p50_ns);
	result_metric_u64(res, "calibrated_rtt_floor_p50_ns", found->rtt_p50_ns);
	if (found->late.count)
		report_error(found->error_min_ns, found->error_p50_ns, found->error_p99_ns, res);
	result_metric_u64(res, "calibrated_gap_error_p50_ns", found->gap_error_p50_ns);
	result_metric_u64(res, "calibrated_gap_error_p99_ns", found->gap_error_p99_ns);
	result_metric_real(res, "calibrated_exact_pps", found->exact_pps);
	result_metric_u64(res, "calibrated_counted_packets", found->counted);
	result_metric_u64(res, "calibrated_impaired_packets", found->impaired);
	/* Not the tool's error, so not cited by later results. */
	result_hist(res, "held_late", &found->late);
	result_hist(res, "held_sending", &found->sending);
}

/* Store the figures only if all checks passed in a full, complete run. */
static int keep(const struct calibrate *cal, struct err *e)
{
	char path[4096];
	int err;

	if (cal->disturbed && cal->opts->force)
		result_note(cal->res, "%u runs stayed disturbed by other work: delay and pacing errors are larger "
			    "than the tool's own", cal->disturbed);
	if (!cal->opts->force)
		result_verdict(cal->res, !cal->disturbed, "%u runs stayed disturbed by other work, after "
			       "%u repeats", cal->disturbed, cal->repeated);
	if (cal->opts->quick || cal->opts->no_store)
		return 0;
	if (!result_passed(cal->res)) {
		result_note(cal->res, "figures not stored: a check failed%s", cal->disturbed ?
			    "; repeat on an idle machine (--force stores disturbed runs)" : "");
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

	/* Each step opens its ends again. */
	caps_limit(cmd_calibrate.needs | CAPS_FILES | CAPS_LIMITS);
	err = lab_build(&cal.wire, &wire, e);
	if (err)
		return err;
	err = lab_build(&cal.bumped, &bumped, e);
	if (err)
		goto out;
	environ_clock(res, STAMP_MONOTONIC);
	for (i = 0; i < ARRAY_SIZE(steps) && !err && !loop_signal(); i++)
		err = steps[i](&cal, e);
	if (loop_signal())
		result_note(res, "ended by a signal: the calibration is incomplete");
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
"measured delays, packet by packet, against those that impair made.\n\n"
"A run that other work disturbs is repeated. If all checks pass, the figures are stored\n"
"in " STATEDIR_DEFAULT " (or $STATE_DIRECTORY), and later results on the same kernel\n"
"and CPUs include them under \"self\". Keep the machine idle: what stays disturbed fails.",
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
