// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whatever lines a recording of watch or a far receiver's output has: what is read of them can be
 * shown by all faces, and the rest is refused with a sentence.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "faces/prom.h"
#include "faces/record.h"
#include "faces/text.h"
#include "result/json.h"
#include "result/outcome.h"

#define must(condition) do { if (!(condition)) abort(); } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* prom_result() tries each figure of the dictionary: 30 ms, when all else takes one. */
static void show(const struct result *res, bool prom)
{
	FILE *out = fopen("/dev/null", "we");

	must(out);
	if (prom)
		prom_result(out, res);
	text_result(out, res, false);
	text_result(out, res, true);
	must(!json_document(out, res, true));
	fclose(out);
}

static void replay(const char *path)
{
	struct result *res = result_new("watch");
	struct record *record;
	struct err e = { 0 };
	uint64_t elapsed_ns;
	bool any = false;
	int got;

	must(!record_open(&record, path, &e));
	while ((got = record_next(record, &elapsed_ns, &e)) == 1) {
		record_load(record, res);
		any = true;
	}
	must((got < 0) == (e.no && e.msg[0]));
	show(res, any && elapsed_ns % 8 == 0);
	record_close(record);
	result_free(res);
}

static void take(const char *line, bool timed)
{
	struct result *res = result_new("blast");
	struct outcome outcome;
	struct outcome_row row;
	struct err e = { 0 };

	outcome_interval(line, &row);
	if (outcome_take(line, timed, res, &outcome, &e))
		must(e.no && e.msg[0]);
	else
		show(res, false);
	result_free(res);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1;
	static char path[64];
	char *text = malloc(size + 1), *rest = text, *line;

	if (fd < 0) {
		fd = memfd_create("record", 0);
		must(fd >= 0);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	must(text && !ftruncate(fd, 0) && pwrite(fd, data, size, 0) == (ssize_t)size);
	replay(path);
	memcpy(text, data, size);
	text[size] = '\0';
	while ((line = strsep(&rest, "\n")))
		take(line, size % 2);
	free(text);
	return 0;
}
