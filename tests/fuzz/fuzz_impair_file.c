// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whatever a file of packet numbers or delays has: it is refused with a sentence, or a list is in order and a table
 * of delays gives times that it has.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "model/impair_rule.h"

#define must(condition) do { if (!(condition)) abort(); } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_list(const struct impair_rules *rules)
{
	const struct impair_numbers *list = &rules->lists[0];
	size_t i;

	must(rules->nr == 1 && rules->rules[0].pick == IMPAIR_LIST && list->nr && list->nr <= IMPAIR_MAX_LISTED);
	for (i = 1; i < list->nr; i++)
		must(list->values[i - 1] <= list->values[i]);
}

static void check_table(const struct impair_rules *rules)
{
	const struct bump_delay *delay = &rules->delays[0];
	uint64_t ns, low = UINT64_MAX, high = 0;
	size_t i;

	must(rules->nr == 1 && delay->shape == BUMP_TABLE && delay->nr_table && delay->nr_table <= IMPAIR_MAX_LISTED);
	for (i = 0; i < delay->nr_table; i++) {
		low = delay->table_ns[i] < low ? delay->table_ns[i] : low;
		high = delay->table_ns[i] > high ? delay->table_ns[i] : high;
	}
	for (i = 0; i < 16; i++) {
		ns = bump_delay_ns(delay, 1, 0, i * 7919);
		must(ns >= low && ns <= high);
	}
}

static void check(enum impair_kind kind, const char *option, int fd, void (*check_rule)(const struct impair_rules *))
{
	struct impair_rules rules = { 0 };
	struct err e = { 0 };
	char text[64];

	snprintf(text, sizeof(text), "%s=/proc/self/fd/%d", option, fd);
	if (!impair_rules_add(&rules, kind, text, &e))
		check_rule(&rules);
	else
		must(!rules.nr && e.no && e.msg[0]);
	impair_rules_release(&rules);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("numbers", MFD_CLOEXEC);

	must(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	check(IMPAIR_LOSS, "list", fd, check_list);
	check(IMPAIR_DELAY, "file", fd, check_table);
	close(fd);
	return 0;
}
