// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whatever a file of saved settings has: each line of it is one setting, which is written as it was
 * read, or the file is refused.
 */
#include <stdlib.h>
#include <string.h>

#include "model/tune_list.h"

#define BOOT "0d3a"
#define HEAD "ethgauge-tune 1\nboot " BOOT "\n"
#define must(condition) do { if (!(condition)) abort(); } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int read_list(void *text, size_t size, struct tune_list *list)
{
	FILE *file = fmemopen(text, size, "r");
	int err;

	must(file);
	memset(list, 0, sizeof(*list));
	err = tune_list_read(file, BOOT, list);
	must(list->nr <= TUNE_MAX_SAVED);
	fclose(file);
	return err;
}

static char *write_list(const struct tune_list *list, size_t *ret_size)
{
	FILE *file;
	char *text;

	file = open_memstream(&text, ret_size);
	must(file);
	tune_list_write(file, BOOT, list);
	must(!fclose(file));
	return text;
}

static void check_same(const struct tune_list *a, const struct tune_list *b)
{
	size_t i;

	must(a->nr == b->nr);
	for (i = 0; i < a->nr; i++) {
		must(a->saved[i].item == b->saved[i].item && a->saved[i].ifindex == b->saved[i].ifindex);
		must(a->saved[i].ifindex >= 0 && a->saved[i].was[0]);
		must(!strcmp(a->saved[i].ifname, b->saved[i].ifname) && !strcmp(a->saved[i].was, b->saved[i].was));
	}
}

/* Cut within a line, it is refused: nothing that was changed is forgotten. */
static void check_cut(const char *text, size_t size, size_t at)
{
	static struct tune_list list;
	int err;

	at = 1 + at % size;
	err = read_list((void *)text, at, &list);
	must(err || text[at - 1] == '\n');
}

static void check_lines(const uint8_t *data, size_t size)
{
	static struct tune_list list, again;
	size_t head = strlen(HEAD), bytes, lines = 0, i;
	char *text = malloc(head + size), *other;

	must(text);
	memcpy(text, HEAD, head);
	memcpy(text + head, data, size);
	for (i = 0; i < size; i++)
		lines += data[i] == '\n';
	if (!read_list(text, head + size, &list)) {
		must(list.nr == lines);
		other = write_list(&list, &bytes);
		must(!read_list(other, bytes, &again));
		check_same(&list, &again);
		for (i = 0; i < 64; i++)
			check_cut(other, bytes, size ? data[i % size] * 257u + i : i);
		free(other);
	}
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct tune_list list;

	if (size)
		read_list((void *)data, size, &list);
	check_lines(data, size);
	return 0;
}
