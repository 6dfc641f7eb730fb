// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sys/host/cpu.c - usage of the CPUs, this process and its threads, from /proc.
 */
#include "sys/host/cpu.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "lib/loop.h"
#include "sys/host/sysfs.h"

#define FIRST_BYTES (64 << 10)		/* /proc/interrupts of a large machine has megabytes */

/* Reads a whole file into *text, which grows; false on failure. */
static bool read_all(const char *path, char **text, size_t *size)
{
	size_t len = 0;
	char *more;
	ssize_t got;
	int fd;

	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	for (;;) {
		if (len + 1 >= *size) {
			more = realloc(*text, *size ? 2 * *size : FIRST_BYTES);
			if (!more)
				break;
			*text = more;
			*size = *size ? 2 * *size : FIRST_BYTES;
		}
		got = read(fd, *text + len, *size - len - 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0) {
			close(fd);
			(*text)[len] = '\0';
			return !got;
		}
		len += (size_t)got;
	}
	close(fd);
	return false;
}

unsigned int cpu_nr_possible(void)
{
	int nr = libbpf_num_possible_cpus();

	return nr > 0 ? (unsigned int)nr : 1;
}

struct cpu_snap *cpu_snap_new(void)
{
	size_t nr = cpu_nr_possible();
	struct cpu_snap *snap = calloc(1, sizeof(*snap) + nr * sizeof(snap->cpus[0]));

	if (snap)
		snap->nr_cpus = nr;
	return snap;
}

void cpu_snap_read(struct cpu_snap *snap, const struct cpu_nic *nic)
{
	const struct procstat_nic of = {
		.irqs = nic->irqs, .nr_irqs = nic->nr_irqs,
		.ifname = *nic->ifname ? nic->ifname : NULL,
	};
	struct procstat_cpu *cpus = snap->cpus;
	size_t size = 0, nr = snap->nr_cpus;
	char *text = NULL;

	memset(snap, 0, sizeof(*snap) + nr * sizeof(cpus[0]));
	snap->nr_cpus = nr;
	snap->start_mono_ns = loop_mono_ns();
	/* Read first, as the ticks are compared with the clock. */
	snap->has_ticks = read_all("/proc/stat", &text, &size) &&
			  !procstat_parse_stat(text, cpus, nr);
	snap->has_softnet = read_all("/proc/net/softnet_stat", &text, &size) &&
			    !procstat_parse_softnet(text, cpus, nr);
	snap->has_softirqs = read_all("/proc/softirqs", &text, &size) &&
			     !procstat_parse_softirqs(text, cpus, nr);
	snap->has_interrupts = read_all("/proc/interrupts", &text, &size) &&
			       !procstat_parse_interrupts(text, &of, cpus, nr, &snap->nic_lines);
	free(text);
	snap->end_mono_ns = loop_mono_ns();
}

uint64_t cpu_tick_ns(void)
{
	long a_second = sysconf(_SC_CLK_TCK);

	return NSEC_PER_SEC / (uint64_t)(a_second > 0 ? a_second : 100);
}

uint64_t cpu_host_busy_ns(void)
{
	unsigned long long user, nice, system, idle, iowait, irq, softirq, steal;
	char text[512];

	if (sysfs_read("/proc/stat", text, sizeof(text)) <= 0 ||
	    sscanf(text, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &user, &nice, &system, &idle,
		   &iowait, &irq, &softirq, &steal) != 8)
		return 0;
	return (user + nice + system + irq + softirq) * cpu_tick_ns();
}

static uint64_t timeval_ns(const struct timeval *tv)
{
	return (uint64_t)tv->tv_sec * NSEC_PER_SEC + (uint64_t)tv->tv_usec * 1000;
}

void cpu_read_process(struct cpu_process *ret_process)
{
	struct rusage usage = { 0 };

	getrusage(RUSAGE_SELF, &usage);
	*ret_process = (struct cpu_process){
		.user_ns = timeval_ns(&usage.ru_utime), .system_ns = timeval_ns(&usage.ru_stime),
		.switches = (uint64_t)usage.ru_nvcsw, .preemptions = (uint64_t)usage.ru_nivcsw,
	};
}

/* ru_maxrss would start with that of the program that started this one. */
int cpu_peak_rss(uint64_t *ret_bytes)
{
	char text[4096];
	uint64_t kib;
	int err = sysfs_read("/proc/self/status", text, sizeof(text));

	if (err >= 0)
		err = procstat_find(text, "VmHWM", &kib);
	if (err)
		return err;
	*ret_bytes = kib << 10;
	return 0;
}

int cpu_map_memory(uint64_t *ret_bytes)
{
	DIR *dir = opendir("/proc/self/fdinfo");
	struct dirent *entry;
	uint64_t bytes, type, sum = 0;
	char path[300], text[1024];

	if (!dir)
		return -errno;
	while ((entry = readdir(dir))) {
		snprintf(path, sizeof(path), "/proc/self/fdinfo/%s", entry->d_name);
		/* Programs also have a memlock line, but no map_type. */
		if (sysfs_read(path, text, sizeof(text)) > 0 &&
		    !procstat_find(text, "map_type", &type) &&
		    !procstat_find(text, "memlock", &bytes))
			sum += bytes;
	}
	closedir(dir);
	*ret_bytes = sum;
	return 0;
}

static uint64_t thread_run_ns(void)
{
	struct timespec ts = { 0 };

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return (uint64_t)ts.tv_sec * NSEC_PER_SEC + (uint64_t)ts.tv_nsec;
}

/* "run_ns wait_ns slices"; the first is some milliseconds old, the thread clock is current. */
void cpu_read_thread(struct cpu_thread *ret_thread)
{
	unsigned long long run_ns, wait_ns = 0;
	char text[64];

	if (sysfs_read("/proc/thread-self/schedstat", text, sizeof(text)) <= 0 ||
	    sscanf(text, "%llu %llu", &run_ns, &wait_ns) != 2)
		wait_ns = 0;
	*ret_thread = (struct cpu_thread){
		.mono_ns = loop_mono_ns(), .run_ns = thread_run_ns(), .wait_ns = wait_ns,
	};
}

int cpu_pick(uint32_t index, uint32_t nr, uint32_t *ret_cpu, struct err *e)
{
	cpu_set_t allowed;
	uint32_t cpu, seen = 0;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return err_set(e, -errno, "cannot read the CPU affinity");
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (CPU_ISSET(cpu, &allowed) && seen++ == index) {
			*ret_cpu = cpu;
			return 0;
		}
	}
	return err_usage(e, "%u threads require as many CPUs, but this process may use only %u", nr, seen);
}
