// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/study/sweep_run.c - the runs of a sweep, one after another, and their table.
 *
 * Each run is a child process of this tool, whose JSON document has the figure.
 */
#include "engine/study/sweep_run.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/study/sweep_ends.h"
#include "lib/log.h"
#include "lib/loop.h"
#include "lib/quote.h"
#include "lib/stat.h"
#include "lib/unit.h"
#include "sys/host/child.h"

size_t sweep_show(const struct sweep_cfg *cfg, char *text, size_t used, size_t size)
{
	unsigned int i;
	int k;

	used = quote_word(text, size, used, used ? " --metric " : "--metric ", cfg->metric);
	for (i = 0; i < cfg->vary.nr; i++)
		used = quote_word(text, size, used, " --vary ", cfg->vary.text[i]);
	for (k = 0; k < cfg->command.argc; k++)
		used = quote_word(text, size, used, k ? " " : " -- ", cfg->command.argv[k]);
	return used;
}

struct job {
	const struct sweep_cfg *cfg;
	struct sweep sweep;
	struct sweep_ends ends;		/* where settings are varied */
	bool settings;			/* some are */
	struct outcome_run *runs;
	size_t done, began;
	size_t failed;			/* of all runs done, known at the end */
	size_t unmet;			/* runs of this call that failed a criterion */
	FILE *file;			/* NULL: no state file */
	uint64_t start_ns;
};

static int run_child(struct job *job, size_t cell, struct outcome_run *ret_run, struct err *e)
{
	const struct opt_rest *command = &job->cfg->command;
	char **words = sweep_run_words(&job->sweep, cell, command->argv, command->argc);
	FILE *out = tmpfile();
	int status, err;

	if (!words || !out) {
		err = err_set(e, -ENOMEM, "cannot run '%s'", command->argv[0]);
		goto out;
	}
	err = child_run(words, fileno(out), &status);
	if (err) {
		err_set(e, err, "cannot run '%s'", words[0]);
	} else if (!loop_signal()) {
		rewind(out);
		err = job->cfg->read(out, job->cfg->metric, ret_run, e);
		if (err && status)
			err_hint(e, "'%s' ended with status %d; run it separately to see why",
				 command->argv[0], status);
		job->unmet += !err && status == 1;
	}
out:
	if (out)
		fclose(out);
	sweep_run_words_free(words);
	return err;
}

static void show_cell(const struct sweep *sweep, size_t cell, char *text, size_t size)
{
	size_t i, used = 0;

	for (i = 0; i < sweep->nr_varied && used < size; i++)
		used += (size_t)snprintf(text + used, size - used, " %s=%s", sweep->varied[i].name,
					 sweep_value(sweep, cell, i));
}

/*
 * The setting that a varied name was perhaps meant to be, if @why is that the verb has no such option, nor
 * one like it.
 */
static int hint_setting(const struct sweep *sweep, const struct err *why, struct err *e)
{
	const char *near;
	char option[80];
	size_t i;

	for (i = 0; i < sweep->nr_varied; i++) {
		snprintf(option, sizeof(option), "unknown option '--%s'", sweep->varied[i].name);
		near = tune_near(sweep->varied[i].name);
		if (near && !strcmp(why->msg, option))
			return err_hint(e, "did you mean '%s'?", near);
	}
	return e->no;
}

static int try_cell(const struct job *job, size_t cell, struct err *e)
{
	const struct opt_rest *command = &job->cfg->command;
	char **words = sweep_run_words(&job->sweep, cell, command->argv, command->argc), text[256];
	struct err why = { 0 };
	int nr = 0;

	if (!words)
		return err_set(e, -ENOMEM, "cannot run '%s'", command->argv[0]);
	while (words[nr])
		nr++;
	if (job->cfg->try(nr - 1, words + 1, &why)) {
		show_cell(&job->sweep, cell, text, sizeof(text));
		err_usage(e, "cannot run '%s' with%s: %s", words[1], text, why.msg);
		if (*why.hint)
			err_hint(e, "%s", why.hint);
		else
			hint_setting(&job->sweep, &why, e);
	}
	sweep_run_words_free(words);
	return e->no;
}

/*
 * Before the first run: a word that the verb refuses would end the sweep after hours. Where failed runs
 * are skipped, one cell that it takes is enough.
 */
static int try_cells(const struct job *job, struct err *e)
{
	bool fails = false;
	size_t cell;

	for (cell = 0; cell < job->sweep.nr_cells; cell++) {
		*e = (struct err){ 0 };
		fails = try_cell(job, cell, e);
		if (fails != job->cfg->skip_failed)
			break;
	}
	return e->no;
}

static void report_progress(const struct job *job, size_t cell)
{
	double took_ns = (double)(loop_mono_ns() - job->start_ns);
	size_t here = job->done - job->began;
	char text[256] = "";

	show_cell(&job->sweep, cell, text, sizeof(text));
	log_progress((double)job->done / (double)job->sweep.nr_runs,
		     here ? took_ns / (double)here * (double)(job->sweep.nr_runs - job->done) : NAN,
		     "run %zu of %zu:%s", job->done + 1, job->sweep.nr_runs, text);
}

static int run_one(struct job *job, struct err *e)
{
	size_t cell = job->done % job->sweep.nr_cells;
	struct outcome_run run = { 0 };
	char list[2048];
	int err = 0;

	report_progress(job, cell);
	if (job->settings) {
		sweep_settings(&job->sweep, cell, list, sizeof(list));
		err = sweep_ends_apply(&job->ends, list, e);
	}
	if (!err)
		err = run_child(job, cell, &run, e);
	if (loop_signal() || (err && !job->cfg->skip_failed))
		return err;
	if (err) {
		log_warn("run %zu failed: %s", job->done + 1, e->msg);
		*e = (struct err){ 0 };
		run = (struct outcome_run){ .value = NAN };
	}
	job->runs[job->done++] = run;
	if (job->file && sweep_file_add(job->file, &run))
		return err_set(e, -EIO, "cannot write '%s'", job->cfg->state);
	return 0;
}

static void report_cell(const struct job *job, size_t cell, struct result *res)
{
	double values[SWEEP_MAX_REPEATS], median, least = INFINITY, most = -INFINITY, bound;
	const struct outcome_run *run = NULL;
	size_t nr = 0, failed = 0, i;

	for (i = cell; i < job->done; i += job->sweep.nr_cells) {
		if (isnan(job->runs[i].value)) {
			failed++;
		} else {
			run = &job->runs[i];
			values[nr++] = run->value;
		}
	}
	if (!nr && !failed)
		return;
	if (!nr || stat_median(&(struct stat_sample){ values, nr }, &median))
		median = NAN;
	result_entry_open(res);
	for (i = 0; i < job->sweep.nr_varied; i++)
		result_entry_option(res, job->sweep.varied[i].name, sweep_value(&job->sweep, cell, i));
	result_entry_u64(res, "runs", nr);
	if (job->failed || job->cfg->skip_failed)
		result_entry_u64(res, "failed", failed);
	result_entry_real(res, "median", median);
	for (i = 0; i < nr; i++) {
		least = fmin(least, values[i]);
		most = fmax(most, values[i]);
	}
	result_entry_real(res, "min", least);
	result_entry_real(res, "max", most);
	if (job->cfg->bound != SWEEP_BOUND_NONE) {
		bound = sweep_bound_of(&job->sweep, cell, job->cfg->bound, job->cfg->link_bps,
				       job->cfg->half_duplex, run);
		result_entry_real(res, "theory", bound);
		result_entry_real(res, "off_theory_ratio", median / bound - 1);
	}
	result_entry_close(res);
}

static void report(struct job *job, struct result *res)
{
	size_t i;

	/* Including those of an earlier call. */
	for (i = 0; i < job->done; i++)
		job->failed += isnan(job->runs[i].value);
	for (i = 0; i < job->sweep.nr_cells; i++)
		report_cell(job, i, res);
	if (job->failed || job->cfg->skip_failed)
		result_verdict(res, !job->failed, "%zu of %zu runs failed", job->failed, job->done);
	if (job->unmet)
		result_note(res, "%zu runs failed a criterion of '%s'; their figures are "
			    "included", job->unmet,
			    job->cfg->command.argv[0]);
	if (job->done < job->sweep.nr_runs)
		result_note(res, "%zu of %zu runs are done%s", job->done, job->sweep.nr_runs,
			    job->file ? "; the same command continues with the next" : "");
}

static int open_state(struct job *job, struct err *e)
{
	const struct sweep_cfg *cfg = job->cfg;
	char words[4096], repeat[32];
	size_t used, i;

	snprintf(repeat, sizeof(repeat), "%u", cfg->repeat);
	used = quote_word(words, sizeof(words), 0, "--repeat ", repeat);
	for (i = 0; i < cfg->ifnames.nr; i++)
		used = quote_word(words, sizeof(words), used, " --dev ", cfg->ifnames.text[i]);
	if (sweep_show(cfg, words, used, sizeof(words)) + 1 >= sizeof(words))
		return err_usage(e, "the command is too long for " OPTION("state"));
	return sweep_file_open(cfg->state, words, job->sweep.nr_runs, &job->file, job->runs,
			       &job->done, e);
}

static int prepare(struct job *job, struct err *e)
{
	const struct sweep_cfg *cfg = job->cfg;
	const struct tune_item *item;
	size_t i;
	int err;

	for (i = 0; i < cfg->vary.nr; i++) {
		err = sweep_vary(&job->sweep, cfg->vary.text[i], e);
		if (err)
			return err;
		item = job->sweep.varied[i].item;
		job->settings |= item != NULL;
		if (item && item->kind != TUNE_SYSCTL && !cfg->ifnames.nr)
			return err_usage(e, "'%s' is a setting of an interface: name it with "
					OPTION("dev"),
					 item->name);
	}
	err = sweep_finish(&job->sweep, cfg->repeat, e) ?: try_cells(job, e);
	if (err)
		return err;
	if (job->settings)
		err = sweep_ends_open(&job->ends, &cfg->ifnames, e);
	if (err)
		return err;
	job->runs = calloc(job->sweep.nr_runs, sizeof(*job->runs));
	if (!job->runs)
		return err_set(e, -ENOMEM, "cannot allocate the figures");
	return cfg->state ? open_state(job, e) : 0;
}

int sweep_run(const struct sweep_cfg *cfg, struct result *res, struct err *e)
{
	struct job job = { .cfg = cfg };
	struct err later = { 0 };
	int err;

	err = prepare(&job, e);
	if (err)
		goto out;
	job.began = job.done;
	job.start_ns = loop_mono_ns();
	if (job.done)
		result_note(res, "%zu of %zu runs were read from '%s'", job.done,
			    job.sweep.nr_runs, cfg->state);
	while (!err && job.done < job.sweep.nr_runs && !loop_signal())
		err = run_one(&job, e);
	if (job.settings && sweep_ends_restore(&job.ends, &later) && !err) {
		*e = later;
		err = e->no;
	}
	report(&job, res);
out:
	if (job.file)
		fclose(job.file);
	sweep_ends_close(&job.ends);
	free(job.runs);
	sweep_release(&job.sweep);
	return err;
}
