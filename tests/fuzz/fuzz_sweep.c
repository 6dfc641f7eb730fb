// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whatever a sweep varies, and whatever its state file has: each run has its words, and what is
 * read of the file is what was written, or the file is refused and left as it is.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "model/study.h"
#include "model/sweep.h"

#define MAX_RUNS 8
#define WORDS "tcp 198.18.0.2"
#define HEAD "ethgauge-sweep 3\n" WORDS "\n"
#define must(condition) do { if (!(condition)) abort(); } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_cell(const struct sweep *sweep, size_t cell, char *const *words, int nr)
{
	char **run = sweep_run_words(sweep, cell, words, nr), list[64];
	int n, bound;

	must(run);
	for (n = 0; run[n]; n++)
		;
	must(n >= nr + 3 && n <= nr + 3 + SWEEP_MAX_VARIED);
	sweep_run_words_free(run);
	sweep_settings(sweep, cell, list, sizeof(list));
	must(memchr(list, 0, sizeof(list)));
	for (bound = SWEEP_BOUND_NONE; bound <= SWEEP_BOUND_FRAMES; bound++)
		sweep_bound_of(sweep, cell, (enum sweep_bound)bound, 1e9, false, NULL);
}

/* Each line varies something; the words of the run are those of a built-in sweep. */
static void check_vary(char *text)
{
	struct study study = { "fuzz", text };
	struct sweep sweep = { 0 };
	struct study_words words;
	struct err e = { 0 };
	char *rest, *line;
	int err = study_split(&study, "198.18.0.2", &words, &e), i;

	must(!err == !e.no);
	if (!err) {
		must(words.argc <= STUDY_MAX_WORDS);
		for (i = 0; i < words.argc; i++)
			must(words.argv[i] >= words.text &&
			     words.argv[i] + strlen(words.argv[i]) < words.text + sizeof(words.text));
	}
	rest = text;
	while (!err && (line = strsep(&rest, "\n")))
		err = sweep_vary(&sweep, line, &e);
	if (!err)
		err = sweep_finish(&sweep, 3, &e);
	must(!err == !e.no && !err == !e.msg[0]);
	if (!err) {
		must(sweep.nr_cells && sweep.nr_runs == 3 * sweep.nr_cells && sweep.nr_runs <= SWEEP_MAX_RUNS);
		if (words.argc) {
			check_cell(&sweep, 0, words.argv, words.argc);
			check_cell(&sweep, sweep.nr_cells - 1, words.argv, words.argc);
		}
	}
	sweep_release(&sweep);
}

static size_t open_runs(const char *path, struct outcome_run *runs, FILE **ret_file, struct err *e)
{
	size_t done = 0;

	*ret_file = NULL;
	memset(runs, 0, MAX_RUNS * sizeof(*runs));
	must(!sweep_file_open(path, WORDS, MAX_RUNS, ret_file, runs, &done, e) == !e->no);
	must(!*ret_file == !!e->no && done <= MAX_RUNS);
	return done;
}

/* Ends of lines in the @size bytes after the head. */
static size_t count_lines(const uint8_t *data, size_t size)
{
	size_t nr = 0, i;

	for (i = 0; i < size; i++)
		nr += data[i] == '\n';
	return nr;
}

static void check_file(const uint8_t *data, size_t size)
{
	struct outcome_run runs[MAX_RUNS], again[MAX_RUNS], added = { .value = 0.1, .mtu = 1500, .both_ways = true };
	size_t done, lines = count_lines(data, size);
	static char path[64];
	static int fd = -1;
	struct err e = { 0 };
	FILE *file;

	if (fd < 0) {
		fd = memfd_create("state", 0);
		must(fd >= 0);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	must(!ftruncate(fd, 0) && pwrite(fd, HEAD, strlen(HEAD), 0) == (ssize_t)strlen(HEAD));
	must(pwrite(fd, data, size, (off_t)strlen(HEAD)) == (ssize_t)size);
	done = open_runs(path, runs, &file, &e);
	if (e.no) {
		must(lseek(fd, 0, SEEK_END) == (off_t)(strlen(HEAD) + size));
		return;
	}
	/* Only a last line without its end is removed, and what is beyond the runs. */
	must(done == (lines < MAX_RUNS ? lines : MAX_RUNS));
	if (done < MAX_RUNS)
		must(!sweep_file_add(file, &added));
	fclose(file);
	must(open_runs(path, again, &file, &e) == done + (done < MAX_RUNS) && !e.no);
	must(!memcmp(runs, again, done * sizeof(*runs)));
	if (done < MAX_RUNS)
		must(again[done].value == added.value && again[done].mtu == 1500 && again[done].both_ways);
	fclose(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	must(text);
	memcpy(text, data, size);
	text[size] = '\0';
	check_file(data, size);
	check_vary(text);
	free(text);
	return 0;
}
