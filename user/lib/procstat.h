/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lib/procstat.h - counters of each CPU since boot, from /proc.
 *
 * Parsers of whole files: text in, counters out. CPU n is cpus[n], whichever CPUs exist; CPUs from
 * @nr on are ignored. Each returns 0, or -EINVAL if the text has another format; nothing is changed
 * then.
 */
#ifndef LIB_PROCSTAT_H
#define LIB_PROCSTAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct procstat_cpu {
	bool online;			/* present in /proc/stat */
	/*
	 * Ticks, sysconf(_SC_CLK_TCK) per second. Idle (with iowait) is measured; user (with nice),
	 * system, irq and softirq are samples of the timer tick, unless the kernel has
	 * CONFIG_IRQ_TIME_ACCOUNTING.
	 */
	uint64_t user_ticks, system_ticks, irq_ticks, softirq_ticks, steal_ticks, idle_ticks;
	uint64_t interrupts;		/* all kinds, including timer and inter-processor
					 * interrupts */
	uint64_t nic_interrupts;
	uint64_t net_rx_softirqs, net_tx_softirqs;
	uint64_t softnet_packets, softnet_dropped_packets, softnet_squeezed;
};

/* Which lines of /proc/interrupts belong to the NIC: those with these numbers or its name. */
struct procstat_nic {
	const uint32_t *irqs;
	size_t nr_irqs;
	const char *ifname;		/* NULL: only by number */
};

/* /proc/stat */
int procstat_parse_stat(const char *text, struct procstat_cpu *cpus, size_t nr);

/* /proc/softirqs: NET_RX and NET_TX */
int procstat_parse_softirqs(const char *text, struct procstat_cpu *cpus, size_t nr);

/* /proc/interrupts; *ret_nic_lines: number of lines that belong to the NIC. */
int procstat_parse_interrupts(const char *text, const struct procstat_nic *nic,
			      struct procstat_cpu *cpus, size_t nr, size_t *ret_nic_lines);

/*
 * /proc/net/softnet_stat. Lines have the CPU's number from kernel 5.10 on; before, they belong to
 * the online CPUs in order, so parse /proc/stat first.
 */
int procstat_parse_softnet(const char *text, struct procstat_cpu *cpus, size_t nr);

/* Growth of a counter; one that went back (iowait, a CPU that was offline) has not grown. */
uint64_t procstat_growth(uint64_t before, uint64_t after);

/* The number after "@key:" at the start of a line, as in /proc/self/status; 0 or -ENOENT. */
int procstat_find(const char *text, const char *key, uint64_t *ret_value);

#endif
