// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whatever bytes a result document has: report and compare read it and write all that they make of
 * it, or refuse it with a sentence.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "compare/compare.h"
#include "faces/report.h"
#include "faces/text.h"
#include "lib/outfile.h"
#include "result/json.h"
#include "result/result.h"

#define must(condition) do { if (!(condition)) abort(); } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* In place of lib/outfile.c: no file is written. */
struct outfile {
	FILE *stream;
};

static FILE *discard(void)
{
	FILE *stream = fopen("/dev/null", "we");

	must(stream);
	return stream;
}

int outfile_open(struct outfile **ret_file, const char *path, struct err *e)
{
	(void)path;
	(void)e;
	*ret_file = malloc(sizeof(**ret_file));
	must(*ret_file);
	(*ret_file)->stream = discard();
	return 0;
}

FILE *outfile_stream(struct outfile *file)
{
	return file->stream;
}

int outfile_commit(struct outfile *file, struct err *e)
{
	(void)file;
	(void)e;
	return 0;
}

void outfile_close(struct outfile *file)
{
	if (!file)
		return;
	fclose(file->stream);
	free(file);
}

static void report_all(const char *path)
{
	struct report *report = report_new();
	struct err e = { 0 };

	if (report_load(report, path, &e)) {
		must(e.no && e.msg[0]);
	} else {
		must(report_nr_docs(report));
		must(!report_html(report, "page.html", &e));
		must(!report_md(report, "page.md", &e));
		must(!report_csv(report, "page.csv", &e));
	}
	report_free(report);
}

/* Five runs a side are judged. */
static void compare_all(const char *path)
{
	static const struct compare_cfg cfg = { .threshold_ratio = 0.05, .all = true };
	struct compare *cmp = compare_new(&cfg);
	struct result *res = result_new("compare");
	struct err e = { 0 };
	FILE *out = discard();
	int err = 0, i;

	for (i = 0; i < 10 && !err; i++)
		err = compare_load(cmp, i % 2 ? COMPARE_NEW : COMPARE_BASE, path, &e);
	if (!err)
		err = compare_run(cmp, res, &e);
	must(!err == !e.no && !err == !e.msg[0]);
	if (!err) {
		must(!compare_html(res, "page.html", &e));
		must(!json_document(out, res, true));
		text_result(out, res, true);
		text_result(out, res, false);
		compare_ktap(res);
		text_result(out, res, false);
	}
	fclose(out);
	result_free(res);
	compare_free(cmp);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1;
	static char path[64];

	if (fd < 0) {
		fd = memfd_create("document", 0);
		must(fd >= 0);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	must(!ftruncate(fd, 0) && pwrite(fd, data, size, 0) == (ssize_t)size);
	report_all(path);
	compare_all(path);
	return 0;
}
