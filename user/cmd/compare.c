// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd/compare.c - compare two sets of runs and judge whether one is worse.
 *
 * It only reads documents: no network, no privilege.
 */
#include "cmd/cmd.h"
#include "compare/compare.h"
#include "lib/loop.h"
#include "result/metrics.h"

struct compare_opts {
	const char *base, *new;
	struct opt_strs more_base, more_new, noise;
	const char *threshold;
	struct opt_strs ignore, metrics;
	bool all, ktap;
	const char *html;
};

static const struct compare_opts defaults = { .threshold = "5%" };

static const struct opt options[] = {
	{ 0, "BASE", OPT_STR, offsetof(struct compare_opts, base), NULL,
	  "result documents to compare with: files, directories or patterns",
	  .argument = true, .optional = true },
	{ 0, "NEW", OPT_STR, offsetof(struct compare_opts, new), NULL,
	  "result documents to judge", .argument = true, .optional = true },
	{ 0, "base", OPT_STRS, offsetof(struct compare_opts, more_base), "FILE",
	  "more documents for BASE; up to 8 times" },
	{ 0, "new", OPT_STRS, offsetof(struct compare_opts, more_new), "FILE",
	  "more documents for NEW; up to 8 times" },
	{ 0, "noise", OPT_STRS, offsetof(struct compare_opts, noise), "FILE",
	  "documents of repeated base runs, to measure the noise floor; up to 8 times" },
	{ 0, "threshold", OPT_STR, offsetof(struct compare_opts, threshold), "PERCENT",
	  "smallest change for the worse that counts as a regression" },
	{ 0, "metric", OPT_STRS, offsetof(struct compare_opts, metrics), "KEY",
	  "judge only this figure, or those matching a pattern such as 'rtt_p*'",
	  .value_at = metric_key_at },
	{ 0, "all", OPT_FLAG, offsetof(struct compare_opts, all), NULL,
	  "include figures without better or worse, and the measurement overhead" },
	{ 0, "ignore", OPT_STRS, offsetof(struct compare_opts, ignore), "KEY",
	  "compare even if this option or environment value differs" },
	{ 0, "html", OPT_STR, offsetof(struct compare_opts, html), "FILE",
	  "write a self-contained HTML page to FILE" },
	{ 0, "ktap", OPT_FLAG, offsetof(struct compare_opts, ktap), NULL,
	  "print KTAP, one test for each figure" },
	OPT_END
};

static const struct opt_rule rules[] = {
	{ OPT_AT_LEAST_ONE, "BASE base" },
	{ OPT_AT_LEAST_ONE, "NEW new" },
	OPT_RULE_END
};

static int read_threshold(const struct compare_opts *opts, double *ret_ratio, struct err *e)
{
	if (unit_parse_percent(opts->threshold, ret_ratio))
		return err_usage(e, "--threshold '%s' is not a percentage (e.g. 0.5%%)",
				 opts->threshold);
	return 0;
}

static int compare_check(void *values, const struct opt_given *given, struct err *e)
{
	const struct compare_opts *opts = values;
	double threshold;

	(void)given;
	return read_threshold(opts, &threshold, e);
}

static int load(struct compare *cmp, enum compare_side side, const char *first,
		const struct opt_strs *more, struct err *e)
{
	unsigned int i;
	int err = 0;

	if (first)
		err = compare_load(cmp, side, first, e);
	for (i = 0; i < more->nr && !err; i++)
		err = compare_load(cmp, side, more->text[i], e);
	return err;
}

static int compare_cmd_run(const void *values, struct result *res, struct err *e)
{
	const struct compare_opts *opts = values;
	struct compare_cfg cfg = {
		.all = opts->all,
		.ignore = opts->ignore.text, .nr_ignore = opts->ignore.nr,
		.metrics = opts->metrics.text, .nr_metrics = opts->metrics.nr,
	};
	struct compare *cmp = compare_new(&cfg);
	int err;

	err = read_threshold(opts, &cfg.threshold_ratio, e);
	if (!err)
		err = load(cmp, COMPARE_BASE, opts->base, &opts->more_base, e);
	if (!err)
		err = load(cmp, COMPARE_NEW, opts->new, &opts->more_new, e);
	if (!err)
		err = load(cmp, COMPARE_NOISE, NULL, &opts->noise, e);
	if (loop_signal()) {
		e->no = 0;	/* a document that it cut is not wrong */
		goto out;
	}
	if (!err)
		err = compare_run(cmp, res, e);
	if (!err && opts->ktap)
		compare_ktap(res);
	if (!err && opts->html)
		err = compare_html(res, opts->html, e);
out:
	compare_free(cmp);
	return err;
}

const struct cmd cmd_compare = {
	.name = "compare", .summary = "judge whether new runs are better or worse than others",
	.description =
"Reads the result documents (-o FILE, --json) of runs of a base and of a new version, and\n"
"judges each figure that both have: the median of each side, the change with its 95 %\n"
"confidence interval, the p-value of a rank test, and a verdict: better, worse, same, or\n"
"inconclusive, then with the smallest change that these runs could have shown. It requires\n"
"at least 5 runs per side. Take the sides in turn: 8 pairs of runs or more are compared pair\n"
"by pair, so that what changes from pair to pair does not hide a difference.\n"
"\n"
"Only like measurements are compared: same command, options, frames, driver, mode and\n"
"clock. The kernel may differ. If a figure is worse by more than --threshold, the exit\n"
"code is 1.",
	.examples =
	"  # five runs on each of two kernels, and the verdict\n"
	"  mkdir -p old\n"
	"  for i in $(seq 5); do ethgauge probe eth1 192.0.2.2 -d 2s -o old/$i.json; done\n"
	"  ethgauge compare old new\n"
	"  # by patterns, as a page, only round-trip percentiles\n"
	"  ethgauge compare 'old-*.json' 'new-*.json' --metric 'rtt_p*' --html page.html\n"
	"  # for a kernel's test runner; fail if worse by more than 2 %\n"
	"  ethgauge compare old new --noise old-again --threshold 2% --ktap\n"
	"  # compare two drivers\n"
	"  ethgauge compare veth e1000 --ignore driver --ignore link_bps\n",
	.options = options, .rules = rules, .defaults = &defaults, .opts_size = sizeof(defaults),
	.check = compare_check, .run = compare_cmd_run,
};
