// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/watch/watch_cost.c - the cost of the watching programs.
 */
#include "engine/watch/watch_cost.h"

#include <unistd.h>

#include "lib/loop.h"
#include "sys/hook/bpf.h"

#define TIMED_NS	200000000ull
#define PERIOD_NS	(5 * NSEC_PER_SEC)

void watch_cost_open(struct watch_cost *cost)
{
	*cost = (struct watch_cost){ .stats_fd = -1 };
}

void watch_cost_poll(struct watch_cost *cost)
{
	uint64_t now_ns = loop_mono_ns();

	if (cost->err || now_ns < cost->next_mono_ns)
		return;
	if (cost->stats_fd >= 0) {
		close(cost->stats_fd);
		cost->stats_fd = -1;
		cost->next_mono_ns = now_ns + PERIOD_NS - TIMED_NS;
		return;
	}
	cost->stats_fd = bpf_time_runs();
	cost->next_mono_ns = now_ns + TIMED_NS;
	if (cost->stats_fd < 0)
		cost->err = cost->stats_fd;
}

void watch_cost_close(struct watch_cost *cost)
{
	if (cost->stats_fd >= 0)
		close(cost->stats_fd);
	cost->stats_fd = -1;
}

double watch_cost_report(int prog_fd, uint64_t runs, uint64_t elapsed_ns, struct result *res)
{
	uint64_t timed, took_ns;
	double cpus;

	if (bpf_prog_cost(prog_fd, &timed, &took_ns) || !timed || !elapsed_ns)
		return 0;
	cpus = (double)took_ns / (double)timed * (double)runs / (double)elapsed_ns;
	result_metric_real(res, "program_run_ns", (double)took_ns / (double)timed);
	result_metric_u64(res, "program_timed_runs", timed);
	result_metric_real(res, "program_cpu_ratio", cpus);
	return cpus;
}
