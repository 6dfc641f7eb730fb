// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd/report.c - documents of earlier runs as a page, as tables, as pictures.
 *
 * Reads documents and writes files: no network, no privilege.
 */
#include "cmd/cmd.h"
#include "lib/loop.h"
#include "report/report.h"

static const struct report_opts {
	struct opt_strs files;
	const char *output, *md, *csv, *svg;
} defaults;

static const struct opt options[] = {
	{ 0, "FILE", OPT_STRS, offsetof(struct report_opts, files), NULL,
	  "result documents: files, directories or patterns of these", .argument = true },
	{ 'o', "output", OPT_STR, offsetof(struct report_opts, output), "FILE",
	  "the page, in HTML; report.html if nothing else is asked for" },
	{ 0, "md", OPT_STR, offsetof(struct report_opts, md), "FILE",
	  "what is in it, in Markdown" },
	{ 0, "csv", OPT_STR, offsetof(struct report_opts, csv), "FILE",
	  "every value of the documents in a line of its own" },
	{ 0, "svg", OPT_STR, offsetof(struct report_opts, svg), "DIR",
	  "each plot as a file in DIR" },
	OPT_END
};

static int report_run(const void *args, struct result *res, struct err *e)
{
	const struct report_opts *opts = args;
	const char *html = opts->output;
	struct report *report = report_new();
	size_t plots, i;
	int err = 0;

	if (!html && !opts->md && !opts->csv && !opts->svg)
		html = "report.html";
	for (i = 0; i < opts->files.nr && !err && !loop_signal(); i++)
		err = report_load(report, opts->files.text[i], e);
	if (loop_signal())
		goto out;
	if (!err && html)
		err = report_html(report, html, e);
	if (!err && html)
		result_line(res, "%zu document%s: %s", report_nr_docs(report),
			    report_nr_docs(report) == 1 ? "" : "s", html);
	if (!err && opts->md)
		err = report_md(report, opts->md, e);
	if (!err && opts->csv)
		err = report_csv(report, opts->csv, e);
	if (!err && opts->svg)
		err = report_svg(report, opts->svg, &plots, e);
	if (!err && opts->svg)
		result_line(res, "%zu plot%s: %s", plots, plots == 1 ? "" : "s", opts->svg);
out:
	report_free(report);
	return err;
}

const struct cmd cmd_report = {
	.name = "report", .summary = "make a page, tables and plots of result documents",
	.description =
	"Reads result documents (-o FILE, --json) of any verb and writes one page that needs\n"
	"nothing else: no network, no other file. It has a table of the runs first, then of each\n"
	"its verdicts, main figures and plots: rates against what the link carries, loss by load,\n"
	"heat maps of sweeps, percentiles of delay, the time series; then the tables, how it was\n"
	"measured, and what each figure means. Plots can be zoomed and read off, tables sorted;\n"
	"all of it is there without JavaScript, and in print.\n"
	"\n"
	"Plots of long series are thinned, their extremes kept, and tables end after 500 rows;\n"
	"--csv has every value. --svg writes the plots as files, which rsvg-convert makes PNG of.",
	.examples =
	"  # a run, and its page\n"
	"  ethgauge probe eth1 192.0.2.2 -o run.json && ethgauge report run.json -o run.html\n"
	"  # all runs of a directory in one page, with delays in one plot\n"
	"  ethgauge report results -o results.html\n"
	"  # for a paper: pictures, and figures for pandas or R\n"
	"  ethgauge report run.json --svg plots --csv run.csv\n"
	"  rsvg-convert -z 2 plots/001-*.svg -o delay.png\n",
	.options = options, .defaults = &defaults, .opts_size = sizeof(defaults),
	.run = report_run,
};
