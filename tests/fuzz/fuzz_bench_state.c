// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whatever a state file of bench has behind its head: what is read of it is written and read again
 * as the same, and a trial is read only from a whole line.
 */
#include <stdlib.h>
#include <string.h>

#include "model/bench_state.h"

#define WORDS "rfc2544 --sizes=64"
#define MAX_TRIALS 64
#define must(condition) do { if (!(condition)) abort(); } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t read_trials(char *text, size_t size, struct bench_trial *trials)
{
	FILE *file = fmemopen(text, size, "r");
	struct err e = { 0 };
	size_t nr = 0;

	must(file && !bench_state_check(file, "x", WORDS, &e));
	while (nr < MAX_TRIALS && bench_state_next(file, &trials[nr])) {
		must(memchr(trials[nr].kind, 0, sizeof(trials[nr].kind)) && trials[nr].kind[0]);
		nr++;
	}
	fclose(file);
	return nr;
}

static char *write_trials(const struct bench_trial *trials, size_t nr, size_t *ret_size)
{
	FILE *file;
	char *text;

	file = open_memstream(&text, ret_size);
	must(file);
	bench_state_write(file, WORDS, trials, nr);
	must(!fclose(file));
	return text;
}

/* The head of a file is refused, or it is the only one that there is. */
static void check_head(const uint8_t *data, size_t size)
{
	FILE *file = fmemopen((void *)data, size, "r");
	struct err e = { 0 };

	must(file);
	must(!bench_state_check(file, "x", WORDS, &e) == !e.no);
	fclose(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct bench_trial trials[MAX_TRIALS], again[MAX_TRIALS];
	size_t head, bytes, more, nr, lines = 0, i;
	char *empty, *text, *other;

	if (!size)
		return 0;
	check_head(data, size);
	empty = write_trials(NULL, 0, &head);
	text = malloc(head + size);
	must(text);
	memcpy(text, empty, head);
	memcpy(text + head, data, size);
	nr = read_trials(text, head + size, trials);
	for (i = 0; i < size; i++)
		lines += data[i] == '\n';
	must(nr <= lines);
	free(text);
	text = write_trials(trials, nr, &bytes);
	must(read_trials(text, bytes, again) == nr);
	other = write_trials(again, nr, &more);
	must(bytes == more && !memcmp(text, other, bytes));
	free(other);
	free(text);
	free(empty);
	return 0;
}
