// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lib/procstat.c - counters of each CPU since boot, from /proc.
 */
#include "lib/procstat.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAX_COLUMNS	8192	/* the maximum number of CPUs of Linux on x86 */
#define SOFTNET_CPU	12	/* number of columns read, and the column with the CPU's number */

static const char *skip_blanks(const char *p)
{
	while (*p == ' ' || *p == '\t')
		p++;
	return p;
}

static const char *next_line(const char *p)
{
	p += strcspn(p, "\n");
	return *p ? p + 1 : p;
}

/* The digit's value; 16 or more if it is not a digit. */
static unsigned int digit(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned int)(c - '0');
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? (unsigned int)(c - 'a') + 10 : 16;
}

/*
 * Reads a number on this line and advances; false, with *p unchanged, if there is none. Written by
 * hand, as /proc/interrupts of 300 CPUs has 300,000 of them.
 */
static bool take(const char **p, unsigned int base, uint64_t *ret_value)
{
	const char *start = skip_blanks(*p), *end = start;
	uint64_t value = 0;

	for (; digit(*end) < base; end++) {
		if (value > (UINT64_MAX - digit(*end)) / base)
			return false;
		value = value * base + digit(*end);
	}
	if (end == start || (*end && !isspace((unsigned char)*end)))
		return false;
	*ret_value = value;
	*p = end;
	return true;
}

/* "cpu7" or "CPU7" at *p: its number; *p then points after it. */
static bool take_cpu(const char **p, const char *word, uint64_t *ret_cpu)
{
	const char *start = skip_blanks(*p);

	if (strncmp(start, word, 3) || !isdigit((unsigned char)start[3]))
		return false;
	start += 3;
	if (!take(&start, 10, ret_cpu))
		return false;
	*p = start;
	return true;
}

int procstat_parse_stat(const char *text, struct procstat_cpu *cpus, size_t nr)
{
	uint64_t cpu, t[8];
	bool any = false;
	size_t i;

	for (; *text; text = next_line(text)) {
		if (!take_cpu(&text, "cpu", &cpu))
			continue;
		memset(t, 0, sizeof(t));
		for (i = 0; i < 8 && take(&text, 10, &t[i]); i++)
			;
		if (i < 4)
			continue;
		any = true;
		if (cpu >= nr)
			continue;
		/* user nice system idle iowait irq softirq steal; guests are in user */
		cpus[cpu].online = true;
		cpus[cpu].user_ticks = t[0] + t[1];
		cpus[cpu].system_ticks = t[2];
		cpus[cpu].idle_ticks = t[3] + t[4];
		cpus[cpu].irq_ticks = t[5];
		cpus[cpu].softirq_ticks = t[6];
		cpus[cpu].steal_ticks = t[7];
	}
	return any ? 0 : -EINVAL;
}

static bool is_row(const char *line, const char *name)
{
	size_t len = strlen(name);

	line = skip_blanks(line);
	return !strncmp(line, name, len) && line[len] == ':';
}

/* Which CPU each column of numbers belongs to: offline CPUs have none. */
struct columns {
	size_t nr;
	uint16_t cpu[MAX_COLUMNS];
};

static bool read_columns(const char *text, struct columns *ret_columns)
{
	uint64_t cpu;

	ret_columns->nr = 0;
	while (ret_columns->nr < MAX_COLUMNS && take_cpu(&text, "CPU", &cpu))
		ret_columns->cpu[ret_columns->nr++] = cpu < UINT16_MAX ? (uint16_t)cpu : UINT16_MAX;
	return ret_columns->nr;
}

/*
 * Adds the numbers at @text to the counter at @offset of their CPUs; returns a pointer past them.
 */
static const char *add_row(const char *text, const struct columns *columns,
			   struct procstat_cpu *cpus, size_t nr, size_t offset)
{
	uint64_t value;
	size_t i;

	for (i = 0; i < columns->nr && take(&text, 10, &value); i++) {
		if (columns->cpu[i] < nr)
			*(uint64_t *)((char *)&cpus[columns->cpu[i]] + offset) += value;
	}
	return text;
}

static void clear(struct procstat_cpu *cpus, size_t nr, size_t offset)
{
	size_t i;

	for (i = 0; i < nr; i++)
		*(uint64_t *)((char *)&cpus[i] + offset) = 0;
}

int procstat_parse_softirqs(const char *text, struct procstat_cpu *cpus, size_t nr)
{
	const size_t rx = offsetof(struct procstat_cpu, net_rx_softirqs);
	const size_t tx = offsetof(struct procstat_cpu, net_tx_softirqs);
	struct columns columns;
	bool any = false;

	if (!read_columns(text, &columns))
		return -EINVAL;
	for (text = next_line(text); *text; text = next_line(text)) {
		bool is_rx = is_row(text, "NET_RX");

		if (!is_rx && !is_row(text, "NET_TX"))
			continue;
		any = true;
		clear(cpus, nr, is_rx ? rx : tx);
		text = add_row(strchr(text, ':') + 1, &columns, cpus, nr, is_rx ? rx : tx);
	}
	return any ? 0 : -EINVAL;
}

/* "eth0-rx-1" and "mlx5_comp0@eth0" match eth0, "eth01" does not. @line begins with a space. */
static bool names(const char *line, const char *ifname)
{
	const char *end = line + strcspn(line, "\n"), *p = line;
	size_t len = strlen(ifname);

	while (len && (p = memmem(p, (size_t)(end - p), ifname, len))) {
		if (!isalnum((unsigned char)p[-1]) && !isalnum((unsigned char)p[len]))
			return true;
		p++;
	}
	return false;
}

static bool is_of_nic(const char *name, const char *after, const struct procstat_nic *nic)
{
	char *end;
	unsigned long irq = strtoul(name, &end, 10);
	size_t i;

	/* Only device interrupts have numbers; NMI, LOC and the like belong to the CPUs. */
	if (end == name || *end != ':')
		return false;
	for (i = 0; i < nic->nr_irqs; i++) {
		if (nic->irqs[i] == irq)
			return true;
	}
	return nic->ifname && names(after, nic->ifname);
}

int procstat_parse_interrupts(const char *text, const struct procstat_nic *nic,
			      struct procstat_cpu *cpus, size_t nr, size_t *ret_nic_lines)
{
	const size_t all = offsetof(struct procstat_cpu, interrupts);
	const size_t of_nic = offsetof(struct procstat_cpu, nic_interrupts);
	const char *name, *counters;
	struct columns columns;
	size_t lines = 0;

	if (!read_columns(text, &columns))
		return -EINVAL;
	clear(cpus, nr, all);
	clear(cpus, nr, of_nic);
	for (text = next_line(text); *text; text = next_line(text)) {
		name = skip_blanks(text);
		text += strcspn(text, ":\n");
		/* These two are totals, not per CPU. */
		if (*text != ':' || !strncmp(name, "ERR:", 4) || !strncmp(name, "MIS:", 4))
			continue;
		counters = ++text;
		text = add_row(counters, &columns, cpus, nr, all);
		if (!is_of_nic(name, text, nic))
			continue;
		lines++;
		add_row(counters, &columns, cpus, nr, of_nic);
	}
	*ret_nic_lines = lines;
	return 0;
}

/* The @nth online CPU; @nr: there is none. */
static size_t nth_online(const struct procstat_cpu *cpus, size_t nr, size_t nth)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		if (cpus[i].online && !nth--)
			return i;
	}
	return nr;
}

int procstat_parse_softnet(const char *text, struct procstat_cpu *cpus, size_t nr)
{
	uint64_t column[SOFTNET_CPU + 1];
	size_t line, i, cpu;
	bool any = false;

	for (line = 0; *text; text = next_line(text), line++) {
		for (i = 0; i <= SOFTNET_CPU && take(&text, 16, &column[i]); i++)
			;
		if (i < 3)
			continue;
		any = true;
		cpu = i > SOFTNET_CPU ? column[SOFTNET_CPU] : nth_online(cpus, nr, line);
		if (cpu >= nr)
			continue;
		cpus[cpu].softnet_packets = column[0];
		cpus[cpu].softnet_dropped_packets = column[1];
		cpus[cpu].softnet_squeezed = column[2];
	}
	return any ? 0 : -EINVAL;
}

uint64_t procstat_growth(uint64_t before, uint64_t after)
{
	return after > before ? after - before : 0;
}

int procstat_find(const char *text, const char *key, uint64_t *ret_value)
{
	uint64_t value;

	for (; *text; text = next_line(text)) {
		if (!is_row(text, key))
			continue;
		text = strchr(text, ':') + 1;
		if (!take(&text, 10, &value))
			return -ENOENT;
		*ret_value = value;
		return 0;
	}
	return -ENOENT;
}
