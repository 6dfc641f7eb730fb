// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * doctor/feature_host.c - probes of this process and this machine.
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cap-ng.h>

#include "doctor/feature_probe.h"
#include "lib/array.h"
#include "sys/host/memlock.h"
#include "sys/host/sysfs.h"
#include "sys/net/link.h"
#include "sys/net/netns.h"

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#define CAP_BPF 39
#endif

/* AF_XDP's packet memory for one thread, and the same amount for rings and maps. */
#define MEMLOCK_ENOUGH (32ull << 20)

#define CPU_DIR "/sys/devices/system/cpu/"

void probe_capabilities(struct feature_set *set, struct feature_answer *ret)
{
	static const struct {
		unsigned int cap;
		const char *name;
	} wanted[] = {
		{ CAP_BPF, "CAP_BPF" }, { CAP_NET_ADMIN, "CAP_NET_ADMIN" },
		{ CAP_NET_RAW, "CAP_NET_RAW" }, { CAP_PERFMON, "CAP_PERFMON" },
		{ CAP_SYS_ADMIN, "CAP_SYS_ADMIN (lab, demo)" },
	};
	char missing[160] = "";
	size_t i;

	(void)set;
	for (i = 0; i < ARRAY_SIZE(wanted); i++) {
		/* CAP_SYS_ADMIN includes what was split from it in 5.8. */
		if (feature_has_cap(wanted[i].cap) ||
		    (wanted[i].cap >= CAP_PERFMON && feature_has_cap(CAP_SYS_ADMIN)))
			continue;
		snprintf(missing + strlen(missing), sizeof(missing) - strlen(missing), "%s%s",
			 *missing ? ", " : "", wanted[i].name);
	}
	if (*missing)
		feature_say(ret, FEATURE_ABSENT, "missing: %s", missing);
	else
		feature_say(ret, FEATURE_PRESENT, "BPF, NET_ADMIN, NET_RAW, PERFMON, SYS_ADMIN");
}

static const char *show_limit(char *buf, size_t size, rlim_t limit)
{
	if (limit == RLIM_INFINITY)
		snprintf(buf, size, "unlimited");
	else
		snprintf(buf, size, "%llu KiB", (unsigned long long)limit >> 10);
	return buf;
}

void probe_memlock(struct feature_set *set, struct feature_answer *ret)
{
	char soft[32], hard[32];

	show_limit(soft, sizeof(soft), set->memlock.rlim_cur);
	show_limit(hard, sizeof(hard), set->memlock.rlim_max);
	if (feature_has_cap(CAP_IPC_LOCK))
		feature_say(ret, FEATURE_PRESENT, "CAP_IPC_LOCK: the limit of %s does not apply",
			    soft);
	else if (set->memlock.rlim_cur >= MEMLOCK_ENOUGH)
		feature_say(ret, FEATURE_PRESENT, "limit %s", soft);
	else if (set->memlock.rlim_max >= MEMLOCK_ENOUGH || feature_has_cap(CAP_SYS_RESOURCE))
		feature_say(ret, FEATURE_PRESENT, "limit %s, which ethgauge raises (hard limit %s)",
			    soft, hard);
	else
		feature_say(ret, FEATURE_ABSENT, "limit %s, and this process may not raise it "
			    "(hard limit %s)", soft, hard);
	if (ret->state == FEATURE_ABSENT)
		feature_fix(ret, "%s", memlock_fix());
}

static int try_veth(void *ctx)
{
	static const uint8_t macs[2][6] = { { 2, [5] = 1 }, { 2, [5] = 2 } };
	int ns_fd = netns_open_own(), err = ns_fd;
	struct link_end ends[2] = {
		{ .ifname = "one", .mac = macs[0], .ns_fd = ns_fd },
		{ .ifname = "two", .mac = macs[1], .ns_fd = ns_fd },
	};
	struct link_net *net = NULL;
	struct err e = { 0 };

	(void)ctx;
	if (ns_fd >= 0)
		err = link_open(&net, &e);
	if (!err)
		err = link_add_veth(net, ends, 1, 1500, &e);
	link_close(net);
	if (ns_fd >= 0)
		close(ns_fd);
	return err;
}

void probe_veth(struct feature_set *set, struct feature_answer *ret)
{
	bool entered;
	int err = feature_in_netns(try_veth, NULL, &entered);

	if (!entered && err == -EINVAL)
		feature_say(ret, FEATURE_ABSENT, "the kernel has no network namespaces");
	else if (err)
		feature_failed(set, ret, err, "root (CAP_SYS_ADMIN)");
	else
		feature_say(ret, FEATURE_PRESENT, "tested: a namespace with a veth pair was made");
}

/* Number of different values of a file of each CPU's topology; 0 if they cannot be read. */
static unsigned int count_topology(unsigned int nr_cpus, const char *file)
{
	unsigned int nr = 0, cpu, i;
	char path[128], text[64];
	long seen[64];

	for (cpu = 0; cpu < nr_cpus; cpu++) {
		snprintf(path, sizeof(path), CPU_DIR "cpu%u/topology/%s", cpu, file);
		if (sysfs_read(path, text, sizeof(text)) <= 0)
			continue;
		for (i = 0; i < nr && seen[i] != atol(text); i++)
			;
		if (i == nr && nr < ARRAY_SIZE(seen))
			seen[nr++] = atol(text);
	}
	return nr;
}

void probe_cpus(struct feature_set *set, struct feature_answer *ret)
{
	unsigned int online = (unsigned int)sysconf(_SC_NPROCESSORS_ONLN);
	unsigned int sockets = count_topology(online, "physical_package_id");
	char smt[16] = "", isolated[64] = "";
	unsigned int allowed = online;
	cpu_set_t cpus;

	(void)set;
	if (!sched_getaffinity(0, sizeof(cpus), &cpus))
		allowed = (unsigned int)CPU_COUNT(&cpus);
	sysfs_read("/sys/devices/system/cpu/smt/active", smt, sizeof(smt));
	sysfs_read("/sys/devices/system/cpu/isolated", isolated, sizeof(isolated));
	feature_say(ret, allowed > 1 ? FEATURE_PRESENT : FEATURE_ABSENT,
		    "%u online, %u for this process, %u socket%s%s%s%s", online, allowed, sockets,
		    sockets == 1 ? "" : "s",
		    smt[0] == '1' ? ", two threads per core" : smt[0] == '0' ? ", one thread per core" : "",
		    isolated[0] ? ", isolated: " : "", isolated);
}

void probe_clock(struct feature_set *set, struct feature_answer *ret)
{
	static const char *const fast[] = { "tsc", "kvm-clock", "hyperv_clocksource_tsc_page",
					    "arch_sys_counter" };
	char text[64];
	size_t i;

	(void)set;
	if (sysfs_read("/sys/devices/system/clocksource/clocksource0/current_clocksource", text,
		       sizeof(text)) <= 0) {
		feature_say(ret, FEATURE_UNKNOWN, "the clock source cannot be read");
		return;
	}
	for (i = 0; i < ARRAY_SIZE(fast); i++) {
		if (strcmp(text, fast[i]))
			continue;
		feature_say(ret, FEATURE_PRESENT, "clock source %s, read without a VM exit or device access",
			    text);
		return;
	}
	feature_say(ret, FEATURE_ABSENT, "clock source %s", text);
}

void probe_governor(struct feature_set *set, struct feature_answer *ret)
{
	char text[64];

	(void)set;
	if (sysfs_read(CPU_DIR "cpu0/cpufreq/scaling_governor", text, sizeof(text)) <= 0)
		feature_say(ret, FEATURE_UNKNOWN,
			    "not controlled by the kernel (a virtual machine, or firmware control)");
	else
		feature_say(ret, strcmp(text, "performance") ? FEATURE_ABSENT : FEATURE_PRESENT,
			    "governor of CPU 0: %s", text);
}
