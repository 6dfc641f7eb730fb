// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd/report.c - documents of earlier runs as a page, tables and plots.
 *
 * Reads documents and writes files: no network, no privilege.
 */
#include "cmd/cmd.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "faces/report.h"
#include "lib/loop.h"
#include "sys/host/child.h"

#define DRAWER		"rsvg-convert"
#define DRAW_LIMIT_NS	(60 * NSEC_PER_SEC)	/* one plot takes 0.1 s; an emulated machine more */

static const struct report_opts {
	struct opt_strs files;
	const char *output, *md, *csv, *svg, *png;
} defaults;

static const struct opt options[] = {
	{ 0, "FILE", OPT_STRS, offsetof(struct report_opts, files), NULL,
	  "result documents: files, directories or patterns of these", .argument = true },
	{ 'o', "output", OPT_STR, offsetof(struct report_opts, output), "FILE",
	  "write the HTML page to FILE; -: to stdout; default report.html if no other output is given" },
	{ 0, "md", OPT_STR, offsetof(struct report_opts, md), "FILE",
	  "write the same in Markdown to FILE; -: to stdout" },
	{ 0, "csv", OPT_STR, offsetof(struct report_opts, csv), "FILE",
	  "write one line per value to FILE; -: to stdout" },
	{ 0, "svg", OPT_STR, offsetof(struct report_opts, svg), "DIR",
	  "write each plot as a file in DIR" },
	{ 0, "png", OPT_STR, offsetof(struct report_opts, png), "DIR",
	  "write each plot as PNG, 2560 pixels wide; requires rsvg-convert" },
	OPT_END
};

/* Before any file is written. */
static int need_drawer(struct err *e)
{
	char *const argv[] = { DRAWER, "--version", NULL };
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC), status, err;

	err = fd < 0 ? -errno : child_run_within(argv, fd, DRAW_LIMIT_NS, &status);
	if (fd >= 0)
		close(fd);
	if (loop_signal())
		return -EINTR;
	if (!err && status)
		err = status == 127 ? -ENOENT : -EIO;
	if (!err)
		return 0;
	err_machine(e, err, "cannot make PNG: '" DRAWER "' does not run");
	return err_hint(e, "apt install librsvg2-bin; or use --svg");
}

/* The child inherits the temporary file, as tmpfile() does not set O_CLOEXEC. */
static int draw(FILE *svg, FILE *png, struct err *e)
{
	char name[64];
	char *const argv[] = { DRAWER, "--zoom=4", "--format=png", name, NULL };
	int status, err;

	snprintf(name, sizeof(name), "/proc/self/fd/%d", fileno(svg));
	err = child_run_within(argv, fileno(png), DRAW_LIMIT_NS, &status);
	if (loop_signal())
		return -EINTR;
	if (err)
		return err_set(e, err, "cannot make PNG: cannot run '" DRAWER "'");
	if (status)
		return err_plain(e, -EIO, "cannot make PNG: '" DRAWER "' ended with status %d", status);
	return 0;
}

/* One at a time, and nothing else there. */
static int report_check(void *args, const struct opt_given *given, struct err *e)
{
	const struct report_opts *opts = args;
	int nr = report_is_stdout(opts->output) + report_is_stdout(opts->md) + report_is_stdout(opts->csv);

	if (nr && nr + opt_was_given(given, "json") + opt_was_given(given, "jsonl") > 1)
		return err_usage(e, "'-': only one output can go to stdout");
	return 0;
}

static int report_run(const void *args, struct result *res, struct err *e)
{
	const struct report_opts *opts = args;
	const char *html = opts->output;
	struct report *report = report_new();
	size_t plots, i;
	int err = 0;

	if (!html && !opts->md && !opts->csv && !opts->svg && !opts->png)
		html = "report.html";
	if (opts->png)
		err = need_drawer(e);
	for (i = 0; i < opts->files.nr && !err && !loop_signal(); i++)
		err = report_load(report, opts->files.text[i], e);
	if (loop_signal()) {
		e->no = 0;	/* a document that it cut is not wrong */
		goto out;
	}
	if (!err && html)
		err = report_html(report, html, e);
	if (!err && html && !report_is_stdout(html))
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
	if (!err && opts->png)
		err = report_png(report, opts->png, draw, &plots, e);
	if (!err && opts->png)
		result_line(res, "%zu plot%s: %s", plots, plots == 1 ? "" : "s", opts->png);
out:
	report_free(report);
	return err;
}

const struct cmd cmd_report = {
	.name = "report", .summary = "make a page, tables and plots of result documents",
	.description =
"Reads result documents (-o FILE, --json) of any verb and writes one self-contained page:\n"
"no network, no other file. It starts with a table of the runs. Each run follows with its\n"
"verdicts, main figures and plots (rates against the link's limit, loss by load, heat maps\n"
"of sweeps, delay percentiles, time series), its tables, the conditions of the measurement\n"
"and the definition of each figure. Plots can be zoomed and their values read, tables\n"
"sorted. Without JavaScript and in print nothing is missing.\n"
"\n"
"Plots of long series are thinned but keep their extremes, and tables end after 500 rows;\n"
"--csv has every value. --svg writes the plots as files; --png writes them as PNG by\n"
"rsvg-convert, sharp in print up to 21 cm wide.",
	.examples =
	"  # a run, and its page\n"
	"  ethgauge probe eth1 192.0.2.2 -o run.json\n"
	"  ethgauge report run.json -o run.html\n"
	"  # all runs of a directory in one page, their delays in one plot\n"
	"  ethgauge report results -o results.html\n"
	"  # for a paper: plots, and values for pandas or R\n"
	"  ethgauge report run.json --svg plots --csv run.csv\n"
	"  # for a bug report: the figures as Markdown\n"
	"  ethgauge report run.json --md -\n"
	"  # for word processors and chats, which do not accept SVG\n"
	"  ethgauge report run.json --png plots\n",
	.options = options, .defaults = &defaults, .opts_size = sizeof(defaults),
	.check = report_check,
	.run = report_run,
};
