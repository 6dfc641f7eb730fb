// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * compare/compare_load.c - read result documents.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compare/compare_set.h"
#include "lib/loop.h"

#define SPOOL_MAX_BYTES	(256u << 20)
#define BENCH "bench-run"

void compare_docs_release(struct compare_docs *docs)
{
	size_t i;

	for (i = 0; i < docs->nr; i++) {
		json_decref(docs->list[i].doc);
		free(docs->list[i].file);
	}
	free(docs->list);
	while (docs->nr_spools)
		close(docs->spools[--docs->nr_spools]);
	free(docs->spools);
}

static int copy(int to, int from, const char *file, struct err *e)
{
	char buf[65536];
	size_t all = 0;
	ssize_t nr;

	while ((nr = read(from, buf, sizeof(buf))) > 0) {
		all += (size_t)nr;
		if (all > SPOOL_MAX_BYTES)
			return err_usage(e, "'%s' has more than %u MiB, the limit for what is not a file: write it to "
					 "a file first", file, SPOOL_MAX_BYTES >> 20);
		if (write(to, buf, (size_t)nr) != nr)
			return err_set(e, -ENOMEM, "cannot keep '%s' in memory", file);
	}
	return nr ? err_set(e, -errno, "cannot read '%s'", file) : 0;
}

/* What is not a file, as one in memory, since its lists may be read twice; @ret_path leads to it. */
static int spool(struct compare_docs *docs, const char *file, char *ret_path, size_t size, struct err *e)
{
	int *spools = reallocarray(docs->spools, docs->nr_spools + 1, sizeof(*spools));
	int in, to, err;

	if (!spools)
		return err_set(e, -ENOMEM, "cannot read '%s'", file);
	docs->spools = spools;
	in = open(file, O_RDONLY | O_CLOEXEC);
	to = in < 0 ? -1 : memfd_create("document", MFD_CLOEXEC);
	if (to < 0) {
		err = err_set(e, -errno, "cannot read '%s'", file);
	} else {
		spools[docs->nr_spools++] = to;
		snprintf(ret_path, size, "/proc/self/fd/%d", to);
		err = copy(to, in, file, e);
	}
	if (in >= 0)
		close(in);
	return err;
}

/* Takes the reference. */
static int append(struct compare_docs *docs, json_t *doc, const char *file, struct err *e)
{
	struct compare_doc *list = realloc(docs->list, (docs->nr + 1) * sizeof(*list));
	char *name = strdup(file);

	if (list)
		docs->list = list;
	if (!list || !name || !doc) {
		free(name);
		json_decref(doc);
		return err_set(e, -ENOMEM, "cannot read '%s'", file);
	}
	list[docs->nr++] = (struct compare_doc){ .doc = doc, .file = name };
	return 0;
}

static json_t *copy_some(const json_t *object, const char *const *keys)
{
	json_t *copy = json_object(), *value;

	for (; *keys; keys++) {
		value = json_object_get(object, *keys);
		if (value)
			json_object_set(copy, *keys, value);
	}
	return copy;
}

/* A round of bench-run as the document of one run: its rows are the parts. */
static json_t *bench_round(const json_t *bench, json_int_t round)
{
	static const char *const config[] = { "seconds", NULL };
	static const char *const environment[] = {
		"kernel", "machine", "cpu_model", "cpus", "sender_cpu", "receiver_cpu",
		"governor", "clocksource", "driver", "queues", "rx_xdp_mode", NULL
	};
	json_t *parts = json_array(), *run;
	size_t i;

	json_array_foreach(json_object_get(bench, "runs"), i, run) {
		json_t *id = json_object_get(run, "id"), *metrics, *cpu;

		if (!json_is_string(id) ||
		    json_integer_value(json_object_get(run, "round")) != round)
			continue;
		metrics = json_copy(run);
		/* The dictionary's name, with the unit at its end. */
		cpu = json_object_get(run, "sender_cpu_ns_per_packet");
		if (cpu)
			json_object_set(metrics, "sender_packet_cpu_ns", cpu);
		json_object_del(metrics, "sender_cpu_ns_per_packet");
		json_object_del(metrics, "round");
		json_array_append_new(parts, json_pack("{s:O, s:o}", "name", id,
						       "metrics", metrics));
	}
	if (!json_array_size(parts)) {
		json_decref(parts);
		return NULL;
	}
	return json_pack("{s:O, s:O, s:s, s:o, s:o, s:o, s:I}",
			 "format", json_object_get(bench, "format"),
			 "tool", json_object_get(bench, "tool"), "command", BENCH,
			 "config", copy_some(json_object_get(bench, "config"), config),
			 "environment", copy_some(json_object_get(bench, "environment"), environment),
			 "parts", parts, "round", round);
}

static int append_bench(struct compare_docs *docs, const json_t *bench, const char *file,
			struct err *e)
{
	json_int_t last = 0, round;
	json_t *run, *doc;
	size_t i;
	int err = 0;

	json_array_foreach(json_object_get(bench, "runs"), i, run) {
		round = json_integer_value(json_object_get(run, "round"));
		last = round > last ? round : last;
	}
	if (last < 1 || last > (json_int_t)json_array_size(json_object_get(bench, "runs")))
		return err_usage(e, "'%s' has no rounds to compare", file);
	for (round = 1; round <= last && !err; round++) {
		doc = bench_round(bench, round);
		if (doc)
			err = append(docs, doc, file, e);
	}
	return err;
}

static int check_doc(const json_t *doc, const char *file, struct err *e)
{
	const json_t *format = json_object_get(doc, "format");

	if (!json_is_object(doc) || !json_is_integer(format) ||
	    !json_is_string(json_object_get(doc, "command")) ||
	    !json_is_string(json_object_get(doc, "tool")))
		return err_usage(e, "'%s' is not a result document of ethgauge: it has no format, tool "
				 "and command", file);
	if (json_integer_value(format) != RESULT_FORMAT)
		return err_usage(e, "'%s' has format %lld: this ethgauge reads format %d", file,
				 (long long)json_integer_value(format), RESULT_FORMAT);
	return 0;
}

static int take(struct compare_docs *docs, json_t *doc, const char *file, struct err *e)
{
	const char *type = json_string_value(json_object_get(doc, "type"));
	int err;

	/* --jsonl: the rows come before the document, which has them as well. */
	if (type && !strcmp(type, "interval"))
		return 0;
	err = check_doc(doc, file, e);
	if (err)
		return err;
	if (!strcmp(json_string_value(json_object_get(doc, "command")), BENCH))
		return append_bench(docs, doc, file, e);
	return append(docs, json_incref(doc), file, e);
}

/* False at the end of the file. */
static bool more(FILE *in)
{
	int c;

	do {
		c = getc(in);
	} while (c != EOF && isspace(c) && !loop_signal());
	return c != EOF && ungetc(c, in) != EOF;
}

static int load_file(struct compare_docs *docs, const char *file, struct err *e)
{
	size_t before = docs->nr, i;
	const char *path = file;
	json_t *value, *doc;
	json_error_t error;
	char spooled[64];
	struct stat st;
	int err = 0;
	FILE *in;

	if (!stat(file, &st) && !S_ISREG(st.st_mode)) {
		err = spool(docs, file, spooled, sizeof(spooled), e);
		if (err)
			return err;
		path = spooled;
	}
	in = fopen(path, "re");
	if (!in)
		return err_set(e, -errno, "cannot read '%s'", file);
	while (!err && more(in)) {
		value = docs->read ? docs->read(docs->ctx, path, in, &error) :
			json_loadf(in, JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES, &error);
		if (!value) {
			err = err_usage(e, "'%s' is not JSON: document %zu, line %d: %.200s", file,
					docs->nr - before + 1, error.line, error.text);
			break;
		}
		if (json_is_array(value)) {
			json_array_foreach(value, i, doc) {
				err = err ? err : take(docs, doc, file, e);
			}
		} else {
			err = take(docs, value, file, e);
		}
		json_decref(value);
	}
	if (loop_signal())
		err = err_set(e, -EINTR, "cannot read '%s'", file);
	else if (!err && ferror(in))
		err = err_set(e, -EIO, "cannot read '%s'", file);
	else if (!err && docs->nr == before)
		err = err_usage(e, "'%s' has no result document", file);
	fclose(in);
	return err;
}

static int load_glob(struct compare_docs *docs, const char *pattern, const char *path,
		     struct err *e)
{
	glob_t found;
	int err = 0;
	size_t i;

	switch (glob(pattern, GLOB_BRACE, NULL, &found)) {
	case 0:
		break;
	case GLOB_NOMATCH:
		return err_usage(e, strcmp(pattern, path) ? "the directory '%s' has no .json or .jsonl file" :
							     "no such file: '%s'", path);
	default:
		return err_set(e, -ENOMEM, "cannot search for '%s'", path);
	}
	for (i = 0; i < found.gl_pathc && !err; i++)
		err = load_file(docs, found.gl_pathv[i], e);
	globfree(&found);
	return err;
}

/* Escape characters in a directory's name that are special to glob(). */
static void quote(char *buf, size_t size, const char *name)
{
	size_t used = 0;

	for (; *name && used + 2 < size; name++) {
		if (strchr("*?[]{}\\,", *name))
			buf[used++] = '\\';
		buf[used++] = *name;
	}
	buf[used] = '\0';
}

int compare_docs_load(struct compare_docs *docs, const char *path, struct err *e)
{
	char name[8192], pattern[8300];
	struct stat st;

	if (stat(path, &st))
		return errno == ENOENT ? load_glob(docs, path, path, e) :
					 err_set(e, -errno, "cannot read '%s'", path);
	if (!S_ISDIR(st.st_mode))
		return load_file(docs, path, e);
	quote(name, sizeof(name), path);
	snprintf(pattern, sizeof(pattern), "%s/*.{json,jsonl}", name);
	return load_glob(docs, pattern, path, e);
}
