// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd/sweep.c - run a verb over a cross product of parameters, or a built-in study.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "engine/study/sweep_ends.h"
#include "engine/study/sweep_run.h"
#include "lib/array.h"
#include "lib/near.h"
#include "lib/theory.h"
#include "model/study.h"
#include "model/tune_items.h"
#include "result/metrics.h"
#include "result/outcome.h"

static const struct sweep_opts {
	bool list;
	int bound;			/* enum sweep_bound */
	int duplex;
	struct unit_rate link;
	struct sweep_cfg cfg;		/* all but the three above */
} defaults = {
	.cfg = { .repeat = 3, .try = line_try, .read = outcome_read },
	.link = { UNIT_RATE_MAX },
};

static const struct opt options[] = {
	{ .name = "VERB", .type = OPT_REST, .offset = offsetof(struct sweep_opts, cfg.command),
	  .help = "the verb to run and its arguments, after --; or the NAME of a study, its HOST, and "
	  "more arguments for its verb", .argument = true, .optional = true, .value_at = study_name_at },
	{ 0, "list", OPT_FLAG, offsetof(struct sweep_opts, list), NULL,
	  "list the built-in studies; with NAME, show what that study runs" },
	{ 0, "vary", OPT_STRS, offsetof(struct sweep_opts, cfg.vary), "NAME=V1,V2,...",
	  "vary an option of VERB, a setting of tune, or {NAME} in the arguments; several form a "
	  "cross product", .value_at = tune_name_at },
	{ 0, "metric", OPT_STR, offsetof(struct sweep_opts, cfg.metric), "KEY",
	  "figure to take from each run: see ethgauge help metrics", .value_at = metric_key_at },
	{ 0, "repeat", OPT_U32, offsetof(struct sweep_opts, cfg.repeat), "N",
	  "runs per cell; all cells run once, then all again", .min = 1,
	  .max = SWEEP_MAX_REPEATS },
	{ 0, "dev", OPT_STRS, offsetof(struct sweep_opts, cfg.ifnames), "IFACE[@NETNS]",
	  "interface whose settings are varied, such as mtu; repeat it for a far end in another network namespace" },
	{ 0, "theory", OPT_CHOICE, offsetof(struct sweep_opts, bound), "OF",
	  "add the theoretical limit: goodput over IPv4 or IPv6 for a varied mtu, or frames per second for "
	  "varied frame-bytes", .choices = sweep_bounds },
	{ 0, "link", OPT_RATE, offsetof(struct sweep_opts, link), "RATE",
	  "--theory: link speed, such as 10G", .rate_kinds = OPT_RATE_BPS },
	{ 0, "duplex", OPT_CHOICE, offsetof(struct sweep_opts, duplex), "DUPLEX",
	  "--theory: half if both directions share the link speed, as where a run's interface says so",
	  .choices = theory_duplexes },
	{ 0, "skip-failed", OPT_FLAG, offsetof(struct sweep_opts, cfg.skip_failed), NULL,
	  "continue after a failed run, without its figure; exit with 1 if a run failed" },
	{ 0, "state", OPT_STR, offsetof(struct sweep_opts, cfg.state), "FILE",
	  "save figures to FILE; the same sweep resumes from it" },
	OPT_END
};

static const struct opt_rule rules[] = {
	{ OPT_REQUIRES, "duplex", "link" },
	OPT_RULE_END
};

static const struct study *study_of(const struct sweep_opts *opts)
{
	return opts->cfg.command.argc ? study_find(opts->cfg.command.argv[0]) : NULL;
}

/* After the verb they would apply to each run, and the sweep's own result would be lost. */
static int check_places(const struct opt_rest *command, struct err *e)
{
	static const char *const own[] = { "--vary", "--repeat", "--theory", "-o", "--output", "--json",
					   "--jsonl" };
	size_t i;
	int k;

	for (k = 1; k < command->argc && strcmp(command->argv[k], "--"); k++) {
		for (i = 0; i < ARRAY_SIZE(own); i++) {
			size_t len = strlen(own[i]);

			if (strncmp(command->argv[k], own[i], len) ||
			    (command->argv[k][len] && command->argv[k][len] != '='))
				continue;
			err_usage(e, "'%s' is an option of sweep, but follows '%s'", own[i],
				  command->argv[0]);
			return err_hint(e, "put it before the verb: ethgauge sweep %s ... %s", own[i],
					command->argv[0]);
		}
	}
	return 0;
}

static int check_metric(const char *key, struct err *e)
{
	const char *near;

	if (!key || metric_find(key))
		return 0;
	near = near_known(key, metric_key_at);
	err_usage(e, "--metric: there is no figure '%s'", key);
	return near ? err_hint(e, "did you mean '%s'?", near) : err_hint(e, "see: ethgauge help metrics");
}

/* For a name that is neither a verb's nor a study's. */
static int hint_study(const char *name, struct err *e)
{
	const char *near = near_known(name, study_name_at);

	return near ? err_hint(e, "did you mean the study '%s'?", near) :
		      err_hint(e, "'%s' is not a study either: see ethgauge sweep --list", name);
}

static int check_own(const struct sweep_opts *opts, struct err *e)
{
	if (!strcmp(opts->cfg.command.argv[0], "sweep") || opts->cfg.command.argv[0][0] == '-')
		return err_usage(e, "'%s' is not a verb to sweep", opts->cfg.command.argv[0]);
	if (!opts->cfg.vary.nr) {
		err_usage(e, "--vary is missing");
		return hint_study(opts->cfg.command.argv[0], e);
	}
	if (!opts->cfg.metric)
		return err_usage(e, "--metric is missing: name the figure to take from each run");
	if ((opts->bound != SWEEP_BOUND_NONE) != (opts->link.kind == UNIT_RATE_BPS))
		return err_usage(e, "%s requires %s", opts->bound ? "--theory" : "--link",
				 opts->bound ? "--link" : "--theory");
	return 0;
}

static int sweep_check(void *args, const struct opt_given *given, struct err *e)
{
	const struct sweep_opts *opts = args;
	const struct study *study = study_of(opts);

	(void)given;
	if (opts->list && opts->cfg.command.argc && !study) {
		err_usage(e, "unknown study '%s'", opts->cfg.command.argv[0]);
		return hint_study(opts->cfg.command.argv[0], e);
	}
	if (opts->list)
		return 0;
	if (!opts->cfg.command.argc)
		return err_usage(e, "VERB is missing, or the NAME of a study: see ethgauge sweep --list");
	if (sweep_ends_check(&opts->cfg.ifnames, e) || check_places(&opts->cfg.command, e) ||
	    check_metric(opts->cfg.metric, e))
		return e->no;
	if (!study)
		return check_own(opts, e);
	if (opts->cfg.command.argc < 2 || opts->cfg.command.argv[1][0] == '-')
		return err_usage(e, "study '%s' requires HOST: ethgauge sweep %s HOST",
				 study->name, study->name);
	return 0;
}

static bool same_name(const char *a, const char *b)
{
	size_t len = strcspn(a, "=");

	return len == strcspn(b, "=") && !strncmp(a, b, len);
}

/* The user's arguments replace the study's, or are added to them. */
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

/* A study's arguments and the user's, as if they had been given together. */
struct study_run {
	struct sweep_opts opts;
	struct study_words words;
	char *command[2 * STUDY_MAX_WORDS];
};

static int expand(const struct study *study, const struct sweep_opts *users, const char *host,
		  struct study_run *ret, struct err *e)
{
	struct sweep_cfg *cfg = &ret->opts.cfg;
	int more = users->cfg.command.argc > 2 ? users->cfg.command.argc - 2 : 0;
	struct opt_given *given = NULL;
	bool help;

	ret->opts = defaults;
	if (study_split(study, host, &ret->words, e) ||
	    opt_parse(options, ret->words.argc, ret->words.argv, &ret->opts, &given, &help, e))
		return e->no;
	free(given);
	if (cfg->command.argc + more > 2 * STUDY_MAX_WORDS)
		return err_usage(e, "too many arguments for study '%s'", study->name);
	memcpy(ret->command, cfg->command.argv, (size_t)cfg->command.argc * sizeof(char *));
	memcpy(ret->command + cfg->command.argc, users->cfg.command.argv + 2, (size_t)more * sizeof(char *));
	cfg->command = (struct opt_rest){ ret->command, cfg->command.argc + more };
	cfg->repeat = users->cfg.repeat;
	cfg->ifnames = users->cfg.ifnames;
	cfg->state = users->cfg.state;
	cfg->skip_failed = users->cfg.skip_failed;
	ret->opts.link = users->link;
	ret->opts.duplex = users->duplex;
	if (users->cfg.metric)
		cfg->metric = users->cfg.metric;
	if (users->bound != SWEEP_BOUND_NONE)
		ret->opts.bound = users->bound;
	/* Without a link there is nothing to compute. */
	if (ret->opts.link.kind == UNIT_RATE_MAX)
		ret->opts.bound = SWEEP_BOUND_NONE;
	return merge_vary(&cfg->vary, &users->cfg.vary, e);
}

static int tell_studies(const struct sweep_opts *opts, struct result *res, struct err *e)
{
	const struct study *study, *only = study_of(opts);
	struct study_run *run = calloc(1, sizeof(*run));
	char text[4096];
	int err = run ? 0 : err_set(e, -ENOMEM, "cannot list the studies"), i;

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
		sweep_show(&run->opts.cfg, text, 0, sizeof(text));
		result_line(res, "words: %s", text);
		if (run->opts.bound != SWEEP_BOUND_NONE)
			result_line(res, "with --link: --theory %s", sweep_bounds[run->opts.bound]);
	}
	free(run);
	return err;
}

static int run_all(const struct sweep_opts *opts, struct result *res, struct err *e)
{
	struct sweep_cfg cfg = opts->cfg;

	cfg.bound = (enum sweep_bound)opts->bound;
	cfg.link_bps = opts->link.value;
	cfg.half_duplex = opts->duplex;
	/* For a study it is not among the options. */
	result_env_str(res, "metric", cfg.metric);
	return sweep_run(&cfg, res, e);
}

static int sweep_run_opts(const void *args, struct result *res, struct err *e)
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
	err = run ? expand(study, opts, opts->cfg.command.argv[1], run, e) :
		    err_set(e, -ENOMEM, "cannot run study '%s'", study->name);
	if (!err) {
		study_about(study, 0, text, sizeof(text));
		result_env_str(res, "study", text);
		sweep_show(&run->opts.cfg, text, 0, sizeof(text));
		result_env_str(res, "words", text);
		err = run_all(&run->opts, res, e);
	}
	free(run);
	return err;
}

const struct cmd cmd_sweep = {
	.name = "sweep",
	.summary = "run a verb over all combinations of parameters, each several times",
	.description =
"Runs a verb once for each combination of the parameters in --vary, then all of them\n"
"again, so that a change on the machine affects all combinations alike. A parameter is a\n"
"setting of ethgauge tune, such as tcp_sack or mtu, or else an option of the verb;\n"
"--NAME=V1,V2 is always an option, and {NAME} in the arguments is replaced by the value.\n"
"The table has median, minimum and maximum of the figure, and with --theory the limit that\n"
"calc computes and the distance to it; bars below show the same. ethgauge report draws\n"
"plots from the document (-o FILE).\n\n"
"Built-in sweeps are called studies; --list shows them. A study runs against HOST; further\n"
"arguments replace its own, or are added.\n\n"
"Settings are restored at the end, and after ^C; after a kill, by ethgauge tune --restore.\n"
"With --state the same command resumes an interrupted one.",
	.examples =
"  # list the studies, show one, and run it in a lab\n"
"  ethgauge sweep --list\n"
"  ethgauge sweep --list buffers\n"
"  sudo ethgauge lab up\n"
"  sudo ethgauge lab exec b ethgauge serve --open -q >/dev/null &\n"
"  sudo ethgauge lab exec a ethgauge sweep -o b.json buffers 198.18.0.2 -d 3s\n"
"  ethgauge report b.json --svg plots\n"
"  # packet rate by frame size and batch, against the link's limit\n"
"  sudo ethgauge sweep --vary frame-bytes=64,512,1518 --vary batch=8,64 \\\n"
"      --metric sent_pps --theory frames --link 10G -- \\\n"
"      blast eth1 198.18.0.2 -d 3s\n"
"  # the same stream with three queue lengths\n"
"  sudo ethgauge sweep --dev eth1 --vary txqueuelen=100,1000,10000 \\\n"
"      --metric sent_pps --state queues.sweep -- \\\n"
"      blast eth1 198.18.0.2 -e afxdp -d 3s\n",
	.options = options,
	.rules = rules,
	.defaults = &defaults,
	.opts_size = sizeof(defaults),
	.check = sweep_check,
	.run = sweep_run_opts,
};
