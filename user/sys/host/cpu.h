/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/host/cpu.h - usage of the CPUs, this process and its threads, from /proc.
 */
#ifndef SYS_HOST_CPU_H
#define SYS_HOST_CPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/procstat.h"

/* Possible CPUs, the size of every per-CPU array here; at least 1. */
unsigned int cpu_nr_possible(void);

/* The @index-th CPU that this process may run on, for one of @nr threads that have one each. */
int cpu_pick(uint32_t index, uint32_t nr, uint32_t *ret_cpu, struct err *e);

/* The interrupts of one interface at the time of the query. */
struct cpu_nic {
	char ifname[16];		/* "": no interface */
	uint32_t irqs[1024];
	size_t nr_irqs;
};

/* Counters of all CPUs at one moment; what could not be read is zero with its has_ false. */
struct cpu_snap {
	uint64_t start_mono_ns, end_mono_ns;	/* of the reading */
	size_t nr_cpus;				/* possible ones */
	size_t nic_lines;			/* of /proc/interrupts */
	bool has_ticks, has_interrupts, has_softirqs, has_softnet;
	struct procstat_cpu cpus[];
};

/* NULL: no memory. */
struct cpu_snap *cpu_snap_new(void);

/* Overwrites @snap with the current values of /proc. */
void cpu_snap_read(struct cpu_snap *snap, const struct cpu_nic *nic);

/* Nanoseconds per tick in struct procstat_cpu. */
uint64_t cpu_tick_ns(void);

/* Usage of this process so far, including threads that have ended. */
struct cpu_process {
	uint64_t user_ns, system_ns;		/* their sum is exact, the split by ticks */
	uint64_t switches, preemptions;		/* voluntary; and involuntary */
};

void cpu_read_process(struct cpu_process *ret_process);

/* Peak memory of this process, and the memory of its BPF maps; -errno if unknown. */
int cpu_peak_rss(uint64_t *ret_bytes);
int cpu_map_memory(uint64_t *ret_bytes);

/* CPU time of this host so far, except idle and iowait; 0: unknown. In ticks (cpu_tick_ns). */
uint64_t cpu_host_busy_ns(void);

/*
 * Usage of the calling thread so far; the difference of two readings is the cost of the work in
 * between.
 */
struct cpu_thread {
	uint64_t mono_ns;
	uint64_t run_ns;			/* on a CPU, without steal */
	uint64_t wait_ns;			/* runnable, waiting for the CPU */
};

void cpu_read_thread(struct cpu_thread *ret_thread);

#endif
