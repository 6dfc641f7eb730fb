// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Preloaded into the tool by vmtest/regress-guest: notes when it kicked an AF_XDP socket, which
 * is a sendto() of nothing, so that its run can be cut into batches. Appends to the file that
 * $KICKS names: {"kick_ns": X, "kicks": N}, what a kick and all between it and the next one cost,
 * and how many there were.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "batches.h"

#define MOST (1 << 17)

typedef ssize_t send_fn(int fd, const void *buf, size_t len, int flags, const struct sockaddr *to,
			socklen_t to_len);

static uint64_t at_ns[MOST];		/* of the first so many */
static size_t nr_kicks;

ssize_t sendto(int fd, const void *buf, size_t len, int flags, const struct sockaddr *to,
	       socklen_t to_len)
{
	static send_fn *next;

	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "sendto");
	if (!buf) {
		if (nr_kicks < MOST)
			at_ns[nr_kicks] = batches_now_ns();
		nr_kicks++;
	}
	return next(fd, buf, len, flags, to, to_len);
}

__attribute__((destructor)) static void report(void)
{
	const char *path = getenv("KICKS");
	size_t noted = nr_kicks < MOST ? nr_kicks : MOST, warm = noted / 10;
	size_t batch = (noted - warm) / BATCHES, nr = 0, i;
	uint64_t each_ns[BATCHES];
	FILE *file;

	if (!batch)
		batch = 1;
	for (i = warm; i + batch < noted && nr < BATCHES; i += batch)
		each_ns[nr++] = at_ns[i + batch] - at_ns[i];
	file = path && nr ? fopen(path, "a") : NULL;
	if (!file)
		return;
	fprintf(file, "{\"kick_ns\": %.2f, \"kicks\": %zu}\n",
		batches_mean_ns(each_ns, nr) / (double)batch, nr_kicks);
	fclose(file);
}
