// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whatever text /proc has: counters are read of it, or it is refused and all of them stay as they
 * were. Losses of the stack are listed, each with a name.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/procstat.h"
#include "sys/net/counters_parse.h"

#define CPUS 4
#define must(condition) do { if (!(condition)) abort(); } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_unchanged(const struct procstat_cpu *cpus)
{
	struct procstat_cpu untouched[CPUS];

	memset(untouched, 0x5a, sizeof(untouched));
	must(!memcmp(cpus, untouched, sizeof(untouched)));
}

static void check_cpus(const char *text)
{
	static const uint32_t irqs[] = { 24, 25 };
	static const struct procstat_nic nic = { irqs, 2, "eth0" };
	/* Of exact size, so that a CPU beyond them is detected. */
	struct procstat_cpu *cpus = malloc(CPUS * sizeof(*cpus));
	size_t lines = 7;
	uint64_t value = 7;

	must(cpus);
	memset(cpus, 0x5a, CPUS * sizeof(*cpus));
	if (procstat_parse_softirqs(text, cpus, CPUS))
		check_unchanged(cpus);
	memset(cpus, 0x5a, CPUS * sizeof(*cpus));
	if (procstat_parse_interrupts(text, &nic, cpus, CPUS, &lines)) {
		check_unchanged(cpus);
		must(lines == 7);
	}
	memset(cpus, 0x5a, CPUS * sizeof(*cpus));
	if (procstat_parse_stat(text, cpus, CPUS))
		check_unchanged(cpus);
	/* Which CPUs are online it has from there: none, or all. */
	memset(cpus, 0, CPUS * sizeof(*cpus));
	if (strlen(text) % 2)
		cpus[0].online = cpus[2].online = true;
	procstat_parse_softnet(text, cpus, CPUS);
	if (procstat_find(text, "VmRSS", &value))
		must(value == 7);
	free(cpus);
}

static void check_counters(const char *text, size_t size, counters_parse_fn *parse)
{
	FILE *file = fmemopen((void *)(uintptr_t)text, size, "re");
	struct counters counters = { 0 };
	size_t i;

	must(file);
	parse(&counters, file);
	for (i = 0; i < counters.nr; i++) {
		must(counters.all[i].source && counters.all[i].name[0]);
		must(memchr(counters.all[i].name, 0, sizeof(counters.all[i].name)));
		must(!counters_growth(&counters, &counters.all[i]) || counters.nr > 1);
	}
	counters_free(&counters);
	fclose(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	must(text);
	memcpy(text, data, size);
	text[size] = '\0';
	check_cpus(text);
	if (size) {
		check_counters(text, size, counters_parse_pairs);
		check_counters(text, size, counters_parse_lines);
		check_counters(text, size, counters_parse_softnet);
	}
	free(text);
	return 0;
}
