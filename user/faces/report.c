// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * faces/report.c - documents of a report, and queries that all its outputs share.
 */
#include "faces/report.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "faces/figures.h"
#include "faces/report_parts.h"
#include "lib/outfile.h"
#include "result/part.h"
#include "result/value.h"

static json_t *read_document(void *ctx, const char *file, FILE *in, json_error_t *ret_error)
{
	struct report_lists *lists = ctx;
	json_t *doc;

	lists->file = file;
	doc = report_read(lists, in, ret_error);
	part_adopt(doc);
	return doc;
}

struct report *report_new(void)
{
	struct report *report = calloc(1, sizeof(*report));

	if (!report)
		abort();	/* out of memory: as for a result, nothing can be reported */
	report->docs.read = read_document;
	report->docs.ctx = &report->lists;
	return report;
}

void report_free(struct report *report)
{
	if (!report)
		return;
	compare_docs_release(&report->docs);
	report_lists_release(&report->lists);
	free(report);
}

int report_load(struct report *report, const char *path, struct err *e)
{
	size_t before = report->docs.nr;
	int err = compare_docs_load(&report->docs, path, e);

	report->second = !err && ++report->nr_loads == 2 && report->docs.nr > before ? before : 0;
	return err;
}

size_t report_nr_docs(const struct report *report)
{
	return report->docs.nr;
}

const char *report_title(char *buf, size_t size, const json_t *doc)
{
	size_t used = (size_t)snprintf(buf, size, "%.40s", value_str(doc, "command"));
	const char *key;
	json_t *value;

	/* Options are lower case, arguments upper. */
	json_object_foreach(json_object_get(doc, "config"), key, value) {
		if (isupper((unsigned char)*key) && json_is_string(value) && *json_string_value(value) && used < size)
			used += (size_t)snprintf(buf + used, size - used, " %.80s", json_string_value(value));
	}
	return buf;
}

void report_count(const json_t *tree, struct report_counts *counts)
{
	json_t *verdict, *part;
	size_t i;

	json_array_foreach(json_object_get(tree, "verdicts"), i, verdict) {
		if (json_is_true(json_object_get(verdict, "pass")))
			counts->passed++;
		else
			counts->failed++;
	}
	counts->errors += json_array_size(json_object_get(tree, "errors"));
	json_array_foreach(json_object_get(tree, "parts"), i, part)
		report_count(part, counts);
}

bool report_irregular(const json_t *tree)
{
	json_t *note;
	size_t i;

	json_array_foreach(json_object_get(tree, "notes"), i, note) {
		if (json_is_string(note) && !strncmp(json_string_value(note), "irregular", 9))
			return false;
	}
	return json_is_true(json_object_get(json_object_get(tree, "self"), "irregular"));
}

bool report_is_aside(const json_t *part)
{
	return part_kind(part) == PART_ASIDE;
}

bool report_is_stdout(const char *path)
{
	return path && !strcmp(path, "-");
}

int report_write(const char *path, int (*put)(FILE *out, const void *ctx, struct err *e),
		 const void *ctx, struct err *e)
{
	struct outfile *file;
	int err;

	if (report_is_stdout(path))
		/* main() reports what could not be written there. */
		return put(stdout, ctx, e);
	err = outfile_open(&file, path, e);
	if (err)
		return err;
	err = put(outfile_stream(file), ctx, e);
	if (!err)
		err = outfile_commit(file, e);
	outfile_close(file);
	return err;
}

/* Where plots go as files, and what makes PNG of each; NULL: they stay SVG. */
struct album {
	const char *dir;
	report_draw *draw;
	size_t nr;
};

struct picture {
	const struct plot *plot;
	const char *of;
	report_draw *draw;
};

static int put_picture(FILE *out, const void *ctx, struct err *e)
{
	const struct picture *picture = ctx;
	FILE *svg;
	int err;

	if (!picture->draw) {
		plot_svg(out, picture->plot, picture->of);
		return 0;
	}
	svg = tmpfile();
	if (!svg)
		return err_set(e, -errno, "cannot make a file for a plot");
	plot_svg(svg, picture->plot, picture->of);
	if (fflush(svg) || ferror(svg))
		err = err_set(e, errno ? -errno : -EIO, "cannot make a file for a plot");
	else
		err = picture->draw(svg, out, e);
	fclose(svg);
	return err;
}

/* Only those characters of a title that any file system accepts. */
static void file_name(char *buf, size_t size, const struct album *album, const char *title)
{
	size_t used = (size_t)snprintf(buf, size, "%s/%03zu-", album->dir, album->nr), first = used;

	for (; *title && used + 5 < size && used < first + 60; title++) {
		if (isalnum((unsigned char)*title))
			buf[used++] = (char)tolower((unsigned char)*title);
		else if (used > first && buf[used - 1] != '-')
			buf[used++] = '-';
	}
	while (used > first && buf[used - 1] == '-')
		used--;
	snprintf(buf + used, size - used, album->draw ? ".png" : ".svg");
}

static int fill_album(struct album *album, const json_t *tree, const char *title, struct err *e)
{
	struct figures figures = { 0 };
	json_t *part;
	char path[4096], name[160];
	int err = 0;
	size_t i;

	figures_of(&figures, tree);
	for (i = 0; i < figures.nr && !err; i++) {
		const struct picture picture = { &figures.list[i], title, album->draw };

		if (plot_empty(picture.plot))
			continue;
		album->nr++;
		snprintf(name, sizeof(name), "%.80s %.75s", title, picture.plot->title);
		file_name(path, sizeof(path), album, name);
		err = report_write(path, put_picture, &picture, e);
	}
	figures_release(&figures);
	json_array_foreach(json_object_get(tree, "parts"), i, part) {
		snprintf(name, sizeof(name), "%.60s, %.60s", title, value_str(part, "name"));
		if (!err)
			err = fill_album(album, part, name, e);
	}
	return err;
}

int report_png(const struct report *report, const char *path, report_draw *draw, size_t *ret_nr,
	       struct err *e)
{
	struct album album = { .dir = path, .draw = draw };
	char title[100];
	int err = 0;
	size_t i;

	if (mkdir(path, 0777) && errno != EEXIST)
		return err_set(e, -errno, "cannot make the directory '%s'", path);
	for (i = 0; i < report->docs.nr && !err; i++)
		err = fill_album(&album, report->docs.list[i].doc,
				 report_title(title, sizeof(title), report->docs.list[i].doc), e);
	if (!err)
		*ret_nr = album.nr;
	return err;
}

int report_svg(const struct report *report, const char *path, size_t *ret_nr, struct err *e)
{
	return report_png(report, path, NULL, ret_nr, e);
}
