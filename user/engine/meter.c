// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/meter.c - what the instrument itself uses while it measures.
 *
 * Packets are handled in softirq, which is nobody's time: the host's idle time
 * tells it, and rusage does not.
 */
#include "engine/meter.h"

#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

#include "lib/loop.h"
#include "sys/sysfs.h"

static uint64_t timeval_ns(const struct timeval *tv)
{
	return (uint64_t)tv->tv_sec * NSEC_PER_SEC + (uint64_t)tv->tv_usec * 1000;
}

void meter_start(struct meter *meter)
{
	unsigned long long t[8] = { 0 };
	struct rusage usage;
	char text[512];
	int i;

	*meter = (struct meter){ .start_mono_ns = loop_mono_ns() };
	getrusage(RUSAGE_SELF, &usage);
	meter->user_ns = timeval_ns(&usage.ru_utime);
	meter->system_ns = timeval_ns(&usage.ru_stime);
	/* cpu user nice system idle iowait irq softirq steal */
	if (sysfs_read("/proc/stat", text, sizeof(text)) <= 0 ||
	    sscanf(text, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &t[0], &t[1], &t[2], &t[3],
		   &t[4], &t[5], &t[6], &t[7]) < 7)
		return;
	meter->idle_ticks = t[3] + t[4];
	for (i = 0; i < 8; i++)
		meter->all_ticks += t[i];
}

void meter_report(const struct meter *meter, struct result *res)
{
	double elapsed_ns, cpus = (double)sysconf(_SC_NPROCESSORS_ONLN), idle, all;
	struct meter now;

	meter_start(&now);
	elapsed_ns = (double)(now.start_mono_ns - meter->start_mono_ns);
	if (elapsed_ns <= 0)
		return;
	result_self_real(res, "cpu_user_ratio", (double)(now.user_ns - meter->user_ns) / elapsed_ns);
	result_self_real(res, "cpu_system_ratio",
			 (double)(now.system_ns - meter->system_ns) / elapsed_ns);
	idle = (double)(now.idle_ticks - meter->idle_ticks);
	all = (double)(now.all_ticks - meter->all_ticks);
	if (all > 0)
		result_self_real(res, "cpu_busy_ratio", cpus * (1 - idle / all));
}
