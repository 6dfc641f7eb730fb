// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd/sweep.c - a verb over a cross product of parameters, each cell several times.
 *
 * Every run is this tool itself as a child, whose JSON document tells the figure.
 */
#include <errno.h>
#include <math.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "engine/sweep.h"
#include "lib/log.h"
#include "lib/loop.h"
#include "lib/stat.h"
#include "lib/theory.h"
#include "report/outcome.h"
#include "sys/caps.h"
#include "sys/child.h"

#define MAX_REPEATS 1000

enum bound { BOUND_NONE, BOUND_TCP, BOUND_UDP, BOUND_FRAMES };

static const char *const bounds[] = { "none", "tcp", "udp", "frames", NULL };

static const struct sweep_opts {
	struct opt_rest command;
	struct opt_strs vary;
	const char *metric, *state, *ifname;
	uint32_t repeat;
	int bound;
	struct unit_rate link;
} defaults = {
	.repeat = 3,
	.link = { UNIT_RATE_MAX },
};

static const struct opt options[] = {
	{ .name = "VERB", .type = OPT_REST, .offset = offsetof(struct sweep_opts, command),
	  .help = "the verb to run and its words; put -- before it", .argument = true },
	{ 0, "vary", OPT_STRS, offsetof(struct sweep_opts, vary), "NAME=V1,V2,...",
	  "an option of VERB, or a setting of tune; several make a cross product" },
	{ 0, "metric", OPT_STR, offsetof(struct sweep_opts, metric), "KEY",
	  "figure of each run's document: see ethgauge help metrics" },
	{ 0, "repeat", OPT_U32, offsetof(struct sweep_opts, repeat), "N",
	  "runs of each cell: all cells once, then all again", .min = 1,
	  .max = MAX_REPEATS },
	{ 0, "interface", OPT_IFACE, offsetof(struct sweep_opts, ifname), "IFACE",
	  "whose settings are varied, such as mtu" },
	{ 0, "theory", OPT_CHOICE, offsetof(struct sweep_opts, bound), "OF",
	  "what calc says beside it: goodput of tcp or udp over IPv4 by the mtu varied, or frames a second by the "
	  "frame-bytes varied", .choices = bounds },
	{ 0, "link", OPT_RATE, offsetof(struct sweep_opts, link), "RATE",
	  "of --theory, the link: 10G" },
	{ 0, "state", OPT_STR, offsetof(struct sweep_opts, state), "FILE",
	  "keep what was measured there; the same sweep goes on from it" },
	OPT_END
};

static int sweep_check(void *args, opt_given given, struct err *e)
{
	struct sweep_opts *opts = args;

	(void)given;
	if (!strcmp(opts->command.argv[0], "sweep") || opts->command.argv[0][0] == '-')
		return err_usage(e, "'%s' is no verb to sweep", opts->command.argv[0]);
	if (!opts->vary.nr)
		return err_usage(e, "--vary is missing: there is nothing to sweep over");
	if (!opts->metric)
		return err_usage(e, "--metric is missing: which figure of the runs is wanted");
	if ((opts->bound != BOUND_NONE) != (opts->link.kind == UNIT_RATE_BPS))
		return err_usage(e, "--theory and --link RATE, in bits a second, need each other");
	return 0;
}

struct job {
	const struct sweep_opts *opts;
	struct sweep sweep;
	struct tune_path path;		/* whose settings are varied */
	bool settings;			/* some are */
	double *values;			/* by run */
	size_t done, began;
	FILE *file;			/* NULL: not kept */
	uint64_t start_ns;
};

/* This program, VERB and its words, the cell's options, and what makes it readable. */
static char **words_of(const struct job *job, size_t cell)
{
	static char self[] = "/proc/self/exe", json[] = "--json", quiet[] = "-q";
	const struct opt_rest *command = &job->opts->command;
	char **words = calloc((size_t)command->argc + SWEEP_MAX_VARIED + 4, sizeof(*words));
	size_t n = 0, i;

	if (!words)
		return NULL;
	words[n++] = self;
	words[n++] = command->argv[0];
	/* Before the others, as they may end in a command. */
	words[n++] = json;
	words[n++] = quiet;
	for (i = 0; i < job->sweep.nr_varied; i++) {
		const struct sweep_varied *varied = &job->sweep.varied[i];

		if (!varied->item && asprintf(&words[n++], "--%s=%s", varied->name,
					      sweep_value(&job->sweep, cell, i)) < 0)
			abort();
	}
	for (i = 1; i < (size_t)command->argc; i++)
		words[n++] = command->argv[i];
	return words;
}

static void free_words(const struct job *job, char **words)
{
	size_t n = 4, i;

	for (i = 0; words && i < job->sweep.nr_varied; i++) {
		if (!job->sweep.varied[i].item)
			free(words[n++]);
	}
	free(words);
}

static int run_child(const struct job *job, size_t cell, double *ret_value, struct err *e)
{
	char **words = words_of(job, cell);
	FILE *out = tmpfile();
	int status, err;

	if (!words || !out) {
		err = err_set(e, -ENOMEM, "cannot run '%s'", job->opts->command.argv[0]);
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
				 job->opts->command.argv[0], status);
	}
out:
	if (out)
		fclose(out);
	free_words(job, words);
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
	struct result *quiet;
	double value = 0;
	char list[2048];
	int err = 0;

	tell_progress(job, cell);
	if (job->settings) {
		sweep_settings(&job->sweep, cell, list, sizeof(list));
		quiet = result_new("tune");
		err = tune_apply(list, &job->path, quiet, e);
		result_free(quiet);
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

/* As a setting by whichever of its names, or as an option; NULL: it is not varied. */
static const char *setting_of(const struct job *job, size_t cell, const char *name)
{
	const struct tune_item *item = tune_find(name, strlen(name));
	size_t i;

	for (i = 0; i < job->sweep.nr_varied; i++) {
		if (job->sweep.varied[i].item == item)
			return sweep_value(&job->sweep, cell, i);
	}
	return sweep_value_of(&job->sweep, cell, name);
}

/* What calc says of the cell; NAN: nothing. */
static double bound_of(const struct job *job, size_t cell)
{
	const char *mtu = setting_of(job, cell, "mtu");
	const char *frame_bytes = sweep_value_of(&job->sweep, cell, "frame-bytes");
	const char *stamps = setting_of(job, cell, "tcp_timestamps");
	const struct theory_stack stack = {
		.tcp = job->opts->bound == BOUND_TCP,
		.options_bytes = stamps && !strcmp(stamps, "0") ? 0 : THEORY_TIMESTAMPS_BYTES,
	};
	const struct theory_path path = {
		.link_bps = job->opts->link.value, .mtu = mtu ? (uint32_t)strtoul(mtu, NULL, 10) : 1500,
	};

	if (job->opts->bound == BOUND_NONE)
		return NAN;
	if (job->opts->bound == BOUND_FRAMES)
		return frame_bytes ? theory_frame_pps(path.link_bps, (uint32_t)strtoul(frame_bytes, NULL, 10)) :
		       NAN;
	return theory_goodput_ratio(&path, &stack) * path.link_bps;
}

static void tell_cell(const struct job *job, size_t cell, struct result *res)
{
	double values[MAX_REPEATS], median, least = INFINITY, most = -INFINITY;
	double bound = bound_of(job, cell);
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
	if (job->opts->bound != BOUND_NONE) {
		result_entry_real(res, "theory", bound);
		result_entry_real(res, "off_theory_ratio", median / bound - 1);
	}
	result_entry_close(res);
}

/* The words that make two sweeps the same. */
static void join_words(const struct sweep_opts *opts, char *ret_words, size_t size)
{
	size_t used, i;
	int k;

	used = (size_t)snprintf(ret_words, size, "%u\t%s\t%s", opts->repeat, opts->metric,
				opts->ifname ? opts->ifname : "");
	for (i = 0; i < opts->vary.nr && used < size; i++)
		used += (size_t)snprintf(ret_words + used, size - used, "\t%s", opts->vary.text[i]);
	for (k = 0; k < opts->command.argc && used < size; k++)
		used += (size_t)snprintf(ret_words + used, size - used, "\t%s", opts->command.argv[k]);
}

static int prepare(struct job *job, struct err *e)
{
	const struct sweep_opts *opts = job->opts;
	char words[4096];
	size_t i;
	int err;

	for (i = 0; i < opts->vary.nr; i++) {
		err = sweep_vary(&job->sweep, opts->vary.text[i], e);
		if (err)
			return err;
		job->settings |= job->sweep.varied[i].item != NULL;
	}
	err = sweep_finish(&job->sweep, opts->repeat, e);
	if (err)
		return err;
	if (opts->ifname)
		snprintf(job->path.ifname, sizeof(job->path.ifname), "%s", opts->ifname);
	if (job->settings) {
		err = caps_require(CAPS_NET_ADMIN, e);
		/* They would be put back with this sweep's own. */
		if (!err && tune_nr_saved()) {
			err_set(e, -EBUSY, "settings are changed already, by tune or by a sweep that was killed");
			err = err_hint(e, "put them back first: ethgauge tune --restore");
		}
		if (err)
			return err;
	}
	job->values = calloc(job->sweep.nr_runs, sizeof(*job->values));
	if (!job->values)
		return err_set(e, -ENOMEM, "cannot keep the figures");
	join_words(opts, words, sizeof(words));
	return opts->state ? sweep_file_open(opts->state, words, job->sweep.nr_runs, &job->file, job->values,
					     &job->done, e) : 0;
}

static int sweep_run(const void *args, struct result *res, struct err *e)
{
	struct job job = { .opts = args };
	struct err later = { 0 };
	struct result *restored;
	size_t cell;
	int err;

	err = prepare(&job, e);
	if (err)
		goto out;
	job.began = job.done;
	job.start_ns = loop_mono_ns();
	if (job.done)
		result_note(res, "%zu of %zu runs are of an earlier call, from '%s'", job.done,
			    job.sweep.nr_runs, job.opts->state);
	while (!err && job.done < job.sweep.nr_runs && !loop_signal())
		err = run_one(&job, e);
	if (job.settings) {
		restored = result_new("tune");
		if (tune_restore(restored, &later) && !err) {
			*e = later;
			err = e->no;
		}
		result_free(restored);
	}
	for (cell = 0; cell < job.sweep.nr_cells; cell++)
		tell_cell(&job, cell, res);
	if (job.done < job.sweep.nr_runs)
		result_note(res, "%zu of %zu runs are done%s", job.done, job.sweep.nr_runs,
			    job.file ? "; the same command goes on with the next" : "");
out:
	if (job.file)
		fclose(job.file);
	free(job.values);
	sweep_release(&job.sweep);
	return err;
}

const struct cmd cmd_sweep = {
	.name = "sweep",
	.summary = "a verb over a cross product of parameters, each several times",
	.description =
"Runs a verb of this tool once for every combination of the parameters that --vary names,\n"
"then all of them again, so that what changes on the machine meanwhile falls on all alike.\n"
"A parameter is a setting of ethgauge tune, such as tcp_sack or mtu, or else an option of\n"
"the verb; --NAME=V1,V2 is always one. The table has the median of the figure, its\n"
"extremes, and with --theory what calc says it cannot exceed, and how far off it is.\n\n"
"Settings are put back at the end, and after ^C; after a kill, by ethgauge tune --restore.\n"
"With --state the same command goes on where an earlier one was ended.",
	.examples =
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
