// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd/sweep.c - a verb over a cross product of parameters, each cell several times.
 *
 * Every run is this tool itself as a child, whose JSON document tells the figure.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "engine/study.h"
#include "engine/sweep.h"
#include "engine/sweep_ends.h"
#include "lib/log.h"
#include "lib/loop.h"
#include "lib/stat.h"
#include "report/outcome.h"
#include "sys/child.h"

#define MAX_REPEATS 1000

static const struct sweep_opts {
	struct opt_rest command;
	bool list;
	struct opt_strs vary, ifnames;
	const char *metric, *state;
	uint32_t repeat;
	int bound;
	struct unit_rate link;
} defaults = {
	.repeat = 3,
	.link = { UNIT_RATE_MAX },
};

static const struct opt options[] = {
	{ .name = "VERB", .type = OPT_REST, .offset = offsetof(struct sweep_opts, command),
	  .help = "the verb to run and its words; put -- before it. Or the NAME of a study, its HOST, and "
	  "more words for its verb", .argument = true, .optional = true },
	{ 0, "list", OPT_FLAG, offsetof(struct sweep_opts, list), NULL,
	  "tell the studies that are built in; before a NAME, what that one runs" },
	{ 0, "vary", OPT_STRS, offsetof(struct sweep_opts, vary), "NAME=V1,V2,...",
	  "an option of VERB, a setting of tune, or what stands as {NAME} in the words; several make a "
	  "cross product" },
	{ 0, "metric", OPT_STR, offsetof(struct sweep_opts, metric), "KEY",
	  "figure of each run's document: see ethgauge help metrics" },
	{ 0, "repeat", OPT_U32, offsetof(struct sweep_opts, repeat), "N",
	  "runs of each cell: all cells once, then all again", .min = 1,
	  .max = MAX_REPEATS },
	{ 0, "interface", OPT_STRS, offsetof(struct sweep_opts, ifnames), "IFACE[@NETNS]",
	  "whose settings are varied, such as mtu; more than once for the far end in another network namespace" },
	{ 0, "theory", OPT_CHOICE, offsetof(struct sweep_opts, bound), "OF",
	  "what calc says beside it: goodput by the mtu varied over IPv4 or IPv6, or frames a second by the "
	  "frame-bytes varied", .choices = sweep_bounds },
	{ 0, "link", OPT_RATE, offsetof(struct sweep_opts, link), "RATE",
	  "of --theory, the link: 10G" },
	{ 0, "state", OPT_STR, offsetof(struct sweep_opts, state), "FILE",
	  "keep what was measured there; the same sweep goes on from it" },
	OPT_END
};

static const struct study *study_of(const struct sweep_opts *opts)
{
	return opts->command.argc ? study_find(opts->command.argv[0]) : NULL;
}

static int check_own(const struct sweep_opts *opts, struct err *e)
{
	if (!strcmp(opts->command.argv[0], "sweep") || opts->command.argv[0][0] == '-')
		return err_usage(e, "'%s' is no verb to sweep", opts->command.argv[0]);
	if (!opts->vary.nr) {
		err_usage(e, "--vary is missing: there is nothing to sweep over");
		return err_hint(e, "'%s' is no study either: see ethgauge sweep --list",
				opts->command.argv[0]);
	}
	if (!opts->metric)
		return err_usage(e, "--metric is missing: which figure of the runs is wanted");
	if ((opts->bound != SWEEP_BOUND_NONE) != (opts->link.kind == UNIT_RATE_BPS))
		return err_usage(e, "--theory and --link RATE, in bits a second, need each other");
	return 0;
}

static int sweep_check(void *args, opt_given given, struct err *e)
{
	const struct sweep_opts *opts = args;
	const struct study *study = study_of(opts);

	(void)given;
	if (opts->list && opts->command.argc && !study)
		return err_usage(e, "there is no study '%s': see ethgauge sweep --list",
				 opts->command.argv[0]);
	if (opts->list)
		return 0;
	if (!opts->command.argc)
		return err_usage(e, "VERB is missing, or the NAME of a study: see ethgauge sweep --list");
	if (sweep_ends_check(&opts->ifnames, e))
		return e->no;
	if (!study)
		return check_own(opts, e);
	if (opts->command.argc < 2 || opts->command.argv[1][0] == '-')
		return err_usage(e, "study '%s' needs the HOST to measure with: ethgauge sweep %s HOST",
				 study->name, study->name);
	if (opts->link.kind != UNIT_RATE_MAX && opts->link.kind != UNIT_RATE_BPS)
		return err_usage(e, "--link is a speed in bits a second");
	return 0;
}

static bool same_name(const char *a, const char *b)
{
	size_t len = strcspn(a, "=");

	return len == strcspn(b, "=") && !strncmp(a, b, len);
}

/* The user's words take the place of the study's, or are added to them. */
static int merge_vary(struct opt_strs *vary, const struct opt_strs *users, struct err *e)
{
	unsigned int i, k;

	for (i = 0; i < users->nr; i++) {
		for (k = 0; k < vary->nr && !same_name(vary->text[k], users->text[i]); k++)
			;
		if (k == OPT_MAX_STRS)
			return err_usage(e, "more than %d parameters to vary", OPT_MAX_STRS);
		vary->text[k] = users->text[i];
		vary->nr += k == vary->nr;
	}
	return 0;
}

/* A study's words and the user's: as if they had been given together. */
struct study_run {
	struct sweep_opts opts;
	struct study_words words;
	char *command[2 * STUDY_MAX_WORDS];
};

static int expand(const struct study *study, const struct sweep_opts *users, const char *host,
		  struct study_run *ret, struct err *e)
{
	int more = users->command.argc > 2 ? users->command.argc - 2 : 0;
	opt_given given;
	bool help;

	ret->opts = defaults;
	if (study_split(study, host, &ret->words, e) ||
	    opt_parse(options, ret->words.argc, ret->words.argv, &ret->opts, &given, &help, e))
		return e->no;
	if (ret->opts.command.argc + more > 2 * STUDY_MAX_WORDS)
		return err_usage(e, "more words than study '%s' can take", study->name);
	memcpy(ret->command, ret->opts.command.argv, (size_t)ret->opts.command.argc * sizeof(char *));
	memcpy(ret->command + ret->opts.command.argc, users->command.argv + 2,
	       (size_t)more * sizeof(char *));
	ret->opts.command = (struct opt_rest){ ret->command, ret->opts.command.argc + more };
	ret->opts.repeat = users->repeat;
	ret->opts.ifnames = users->ifnames;
	ret->opts.state = users->state;
	ret->opts.link = users->link;
	if (users->metric)
		ret->opts.metric = users->metric;
	if (users->bound != SWEEP_BOUND_NONE)
		ret->opts.bound = users->bound;
	/* Without a link there is nothing to compute. */
	if (ret->opts.link.kind == UNIT_RATE_MAX)
		ret->opts.bound = SWEEP_BOUND_NONE;
	return merge_vary(&ret->opts.vary, &users->vary, e);
}

/* As one would give it. */
static size_t add_word(char *to, size_t used, size_t size, const char *before, const char *word)
{
	const char *quote = strpbrk(word, " '*?&") ? "'" : "";

	if (used >= size)
		return used;
	return used + (size_t)snprintf(to + used, size - used, "%s%s%s%s", before, quote, word, quote);
}

/* What is varied of which verb, behind @used bytes; the length that it would have. */
static size_t show_words(const struct sweep_opts *opts, char *text, size_t used, size_t size)
{
	unsigned int i;
	int k;

	for (i = 0; i < opts->vary.nr; i++)
		used = add_word(text, used, size, " --vary ", opts->vary.text[i]);
	for (k = 0; k < opts->command.argc; k++)
		used = add_word(text, used, size, k ? " " : " -- ", opts->command.argv[k]);
	return used;
}

static int tell_studies(const struct sweep_opts *opts, struct result *res, struct err *e)
{
	const struct study *study, *only = study_of(opts);
	struct study_run *run = calloc(1, sizeof(*run));
	char text[4096];
	int err = run ? 0 : err_set(e, -ENOMEM, "cannot tell the studies"), i;

	for (study = studies; !err && study->name; study++) {
		struct sweep_opts none = defaults;

		if (only && only != study)
			continue;
		study_about(study, 0, text, sizeof(text));
		result_entry_open(res);
		result_entry_str(res, "study", study->name);
		result_entry_str(res, "what", text);
		result_entry_close(res);
		if (!only)
			continue;
		none.link.kind = UNIT_RATE_BPS;
		err = expand(study, &none, "HOST", run, e);
		for (i = 1; study_about(study, i, text, sizeof(text)), text[0]; i++)
			result_line(res, "%s", text);
		show_words(&run->opts, text, add_word(text, 0, sizeof(text), "--metric ", run->opts.metric),
			   sizeof(text));
		result_line(res, "words: %s", text);
		if (run->opts.bound != SWEEP_BOUND_NONE)
			result_line(res, "with --link: --theory %s", sweep_bounds[run->opts.bound]);
	}
	free(run);
	return err;
}

struct job {
	const struct sweep_opts *opts;
	struct sweep sweep;
	struct sweep_ends ends;		/* whose settings are varied */
	bool settings;			/* some are */
	double *values;			/* by run */
	size_t done, began;
	FILE *file;			/* NULL: not kept */
	uint64_t start_ns;
};

static int run_child(const struct job *job, size_t cell, double *ret_value, struct err *e)
{
	const struct opt_rest *command = &job->opts->command;
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
		err = outcome_read(out, job->opts->metric, ret_value, e);
		if (err && status)
			err_hint(e, "'%s' ended with status %d; run it by itself to see why",
				 command->argv[0], status);
	}
out:
	if (out)
		fclose(out);
	sweep_run_words_free(words);
	return err;
}

static void tell_progress(const struct job *job, size_t cell)
{
	uint64_t took_ns = loop_mono_ns() - job->start_ns;
	size_t here = job->done - job->began, i, used = 0;
	char text[256] = "", left[32] = "?";

	for (i = 0; i < job->sweep.nr_varied && used < sizeof(text); i++)
		used += (size_t)snprintf(text + used, sizeof(text) - used, " %s=%s", job->sweep.varied[i].name,
					 sweep_value(&job->sweep, cell, i));
	if (here)
		unit_format(left, sizeof(left), UNIT_NS,
			    (double)took_ns / (double)here * (double)(job->sweep.nr_runs - job->done));
	log_info("run %zu of %zu, %s left:%s", job->done + 1, job->sweep.nr_runs, left, text);
}

static int run_one(struct job *job, struct err *e)
{
	size_t cell = job->done % job->sweep.nr_cells;
	double value = 0;
	char list[2048];
	int err = 0;

	tell_progress(job, cell);
	if (job->settings) {
		sweep_settings(&job->sweep, cell, list, sizeof(list));
		err = sweep_ends_apply(&job->ends, list, e);
	}
	if (!err)
		err = run_child(job, cell, &value, e);
	if (err || loop_signal())
		return err;
	job->values[job->done++] = value;
	if (job->file && sweep_file_add(job->file, value))
		return err_set(e, -EIO, "cannot write '%s'", job->opts->state);
	return 0;
}

static void tell_cell(const struct job *job, size_t cell, struct result *res)
{
	double values[MAX_REPEATS], median, least = INFINITY, most = -INFINITY;
	double bound = sweep_bound_of(&job->sweep, cell, (enum sweep_bound)job->opts->bound,
				      job->opts->link.value);
	size_t nr = 0, i;

	for (i = cell; i < job->done; i += job->sweep.nr_cells)
		values[nr++] = job->values[i];
	if (!nr)
		return;
	if (stat_median(&(struct stat_sample){ values, nr }, &median))
		median = NAN;
	result_entry_open(res);
	for (i = 0; i < job->sweep.nr_varied; i++)
		result_entry_str(res, job->sweep.varied[i].name, sweep_value(&job->sweep, cell, i));
	result_entry_u64(res, "runs", nr);
	result_entry_real(res, "median", median);
	for (i = 0; i < nr; i++) {
		least = fmin(least, values[i]);
		most = fmax(most, values[i]);
	}
	result_entry_real(res, "min", least);
	result_entry_real(res, "max", most);
	if (job->opts->bound != SWEEP_BOUND_NONE) {
		result_entry_real(res, "theory", bound);
		result_entry_real(res, "off_theory_ratio", median / bound - 1);
	}
	result_entry_close(res);
}

static int open_state(struct job *job, struct err *e)
{
	const struct sweep_opts *opts = job->opts;
	char words[4096], repeat[32];
	size_t used, i;

	snprintf(repeat, sizeof(repeat), "%u", opts->repeat);
	used = add_word(words, 0, sizeof(words), "--repeat ", repeat);
	for (i = 0; i < opts->ifnames.nr; i++)
		used = add_word(words, used, sizeof(words), " --interface ", opts->ifnames.text[i]);
	used = add_word(words, used, sizeof(words), " --metric ", opts->metric);
	if (show_words(opts, words, used, sizeof(words)) >= sizeof(words))
		return err_usage(e, "the words are too long to be kept with --state");
	return sweep_file_open(opts->state, words, job->sweep.nr_runs, &job->file, job->values,
			       &job->done, e);
}

static int prepare(struct job *job, struct err *e)
{
	const struct sweep_opts *opts = job->opts;
	const struct tune_item *item;
	size_t i;
	int err;

	for (i = 0; i < opts->vary.nr; i++) {
		err = sweep_vary(&job->sweep, opts->vary.text[i], e);
		if (err)
			return err;
		item = job->sweep.varied[i].item;
		job->settings |= item != NULL;
		if (item && item->kind != TUNE_SYSCTL && !opts->ifnames.nr)
			return err_usage(e, "'%s' is a setting of an interface: name it with --interface",
					 item->name);
	}
	err = sweep_finish(&job->sweep, opts->repeat, e);
	if (err)
		return err;
	if (job->settings)
		err = sweep_ends_open(&job->ends, &opts->ifnames, e);
	if (err)
		return err;
	job->values = calloc(job->sweep.nr_runs, sizeof(*job->values));
	if (!job->values)
		return err_set(e, -ENOMEM, "cannot keep the figures");
	return opts->state ? open_state(job, e) : 0;
}

static int run_all(const struct sweep_opts *opts, struct result *res, struct err *e)
{
	struct job job = { .opts = opts };
	struct err later = { 0 };
	size_t cell;
	int err;

	err = prepare(&job, e);
	if (err)
		goto out;
	job.began = job.done;
	job.start_ns = loop_mono_ns();
	if (job.done)
		result_note(res, "%zu of %zu runs are of an earlier call, from '%s'", job.done,
			    job.sweep.nr_runs, opts->state);
	while (!err && job.done < job.sweep.nr_runs && !loop_signal())
		err = run_one(&job, e);
	if (job.settings && sweep_ends_restore(&job.ends, &later) && !err) {
		*e = later;
		err = e->no;
	}
	for (cell = 0; cell < job.sweep.nr_cells; cell++)
		tell_cell(&job, cell, res);
	if (job.done < job.sweep.nr_runs)
		result_note(res, "%zu of %zu runs are done%s", job.done, job.sweep.nr_runs,
			    job.file ? "; the same command goes on with the next" : "");
out:
	if (job.file)
		fclose(job.file);
	sweep_ends_close(&job.ends);
	free(job.values);
	sweep_release(&job.sweep);
	return err;
}

static int sweep_run(const void *args, struct result *res, struct err *e)
{
	const struct sweep_opts *opts = args;
	const struct study *study = study_of(opts);
	struct study_run *run;
	char text[4096];
	int err;

	if (opts->list)
		return tell_studies(opts, res, e);
	if (!study)
		return run_all(opts, res, e);
	run = calloc(1, sizeof(*run));
	err = run ? expand(study, opts, opts->command.argv[1], run, e) :
		    err_set(e, -ENOMEM, "cannot run study '%s'", study->name);
	if (!err) {
		study_about(study, 0, text, sizeof(text));
		result_env_str(res, "study", text);
		show_words(&run->opts, text, add_word(text, 0, sizeof(text), "--metric ", run->opts.metric),
			   sizeof(text));
		result_env_str(res, "words", text);
		err = run_all(&run->opts, res, e);
	}
	free(run);
	return err;
}

const struct cmd cmd_sweep = {
	.name = "sweep",
	.summary = "a verb over a cross product of parameters, each several times",
	.description =
"Runs a verb of this tool once for every combination of the parameters that --vary names,\n"
"then all of them again, so that what changes on the machine meanwhile falls on all alike.\n"
"A parameter is a setting of ethgauge tune, such as tcp_sack or mtu, or else an option of\n"
"the verb; --NAME=V1,V2 is always one, and {NAME} in the words stands for the value.\n"
"The table has the median of the figure, its extremes, and with --theory what calc says\n"
"it cannot exceed, and how far off it is.\n\n"
"Sweeps that are built in have a name: --list tells them. Such a study is run against\n"
"HOST; what else is given takes the place of its own words, or is added.\n\n"
"Settings are put back at the end, and after ^C; after a kill, by ethgauge tune --restore.\n"
"With --state the same command goes on where an earlier one was ended.",
	.examples =
"  # the studies, what one of them does, and that one in a lab; at the far end: ethgauge serve\n"
"  ethgauge sweep --list\n"
"  ethgauge sweep --list buffers\n"
"  sudo ethgauge lab exec a ethgauge sweep buffers 198.18.0.2 -d 3s\n"
"  # packets a second by frame size and batch, against the link's most\n"
"  sudo ethgauge sweep --vary frame-bytes=64,512,1518 --vary batch=8,64 --metric sent_pps \\\n"
"      --theory frames --link 10G -- blast eth1 198.18.0.2 --duration 3s\n"
"  # the same stream through three lengths of the queue\n"
"  sudo ethgauge sweep --interface eth1 --vary txqueuelen=100,1000,10000 --metric sent_pps \\\n"
"      --state queues.sweep -- blast eth1 198.18.0.2 -e afxdp --duration 3s\n",
	.options = options,
	.defaults = &defaults,
	.opts_size = sizeof(defaults),
	.check = sweep_check,
	.run = sweep_run,
};
