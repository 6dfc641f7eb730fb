// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Preloaded into the tool by vmtest/regress-guest: notes when it kicked an AF_XDP socket, which
 * is a sendto() of nothing, so that its run can be cut into batches. Appends to the file that
 * $KICKS names: {"kick_ns": X, "kicks": N}, what a kick and all between it and the next one cost,
 * and how many there were.
 */
#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>

#include "batches.h"

#define MOST (1 << 17)

typedef long call_fn(long number, ...);

static uint64_t at_ns[MOST];		/* of the first so many */
static size_t nr_kicks;
static FILE *file;

/* afxdp_tell() makes the call by its number. */
long syscall(long number, ...)
{
	static call_fn *next;
	long word[6];
	va_list words;
	size_t i;

	va_start(words, number);
	for (i = 0; i < 6; i++)
		word[i] = va_arg(words, long);
	va_end(words);
	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "syscall");
	if (number == SYS_sendto && !word[1]) {
		if (nr_kicks < MOST)
			at_ns[nr_kicks] = batches_now_ns();
		nr_kicks++;
	}
	return next(number, word[0], word[1], word[2], word[3], word[4], word[5]);
}

/* At once: later the tool is not permitted to create one. */
__attribute__((constructor)) static void open_file(void)
{
	const char *path = getenv("KICKS");

	file = path ? fopen(path, "ae") : NULL;
}

__attribute__((destructor)) static void report(void)
{
	size_t noted = nr_kicks < MOST ? nr_kicks : MOST, warm = noted / 10;
	size_t batch = (noted - warm) / BATCHES, nr = 0, i;
	uint64_t each_ns[BATCHES];

	if (!batch)
		batch = 1;
	for (i = warm; i + batch < noted && nr < BATCHES; i += batch)
		each_ns[nr++] = at_ns[i + batch] - at_ns[i];
	if (!file || !nr)
		return;
	fprintf(file, "{\"kick_ns\": %.2f, \"kicks\": %zu}\n",
		batches_mean_ns(each_ns, nr) / (double)batch, nr_kicks);
	fclose(file);
}
