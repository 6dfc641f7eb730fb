/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lib/procstat.h - what /proc reports of each CPU since the machine's start.
 *
 * Parsers of whole files: text in, counters out. CPU n is cpus[n], whichever
 * of them are there; those from @nr on are left out. Each returns 0, or
 * -EINVAL where the text is not of its form, and then nothing is changed.
 */
#ifndef LIB_PROCSTAT_H
#define LIB_PROCSTAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct procstat_cpu {
	bool online;			/* stood in /proc/stat */
	/*
	 * Ticks of sysconf(_SC_CLK_TCK) a second. Idle (with iowait) is measured; user
	 * (with nice), system, irq and softirq are what the timer tick met, unless the
	 * kernel has CONFIG_IRQ_TIME_ACCOUNTING.
	 */
	uint64_t user_ticks, system_ticks, irq_ticks, softirq_ticks, steal_ticks, idle_ticks;
	uint64_t interrupts;		/* of all kinds, timer and other CPUs' included */
	uint64_t nic_interrupts;
	uint64_t net_rx_softirqs, net_tx_softirqs;
	uint64_t softnet_packets, softnet_dropped_packets, softnet_squeezed;
};

/* Whose lines of /proc/interrupts are the NIC's: of these numbers, or named after it. */
struct procstat_nic {
	const uint32_t *irqs;
	size_t nr_irqs;
	const char *ifname;		/* NULL: only by number */
};

/* /proc/stat */
int procstat_parse_stat(const char *text, struct procstat_cpu *cpus, size_t nr);

/* /proc/softirqs: NET_RX and NET_TX */
int procstat_parse_softirqs(const char *text, struct procstat_cpu *cpus, size_t nr);

/* /proc/interrupts; *ret_nic_lines: how many lines are the NIC's. */
int procstat_parse_interrupts(const char *text, const struct procstat_nic *nic,
			      struct procstat_cpu *cpus, size_t nr, size_t *ret_nic_lines);

/*
 * /proc/net/softnet_stat. Lines have the CPU's number from kernel 5.10 on; before,
 * they are of the online CPUs in turn, so parse /proc/stat first.
 */
int procstat_parse_softnet(const char *text, struct procstat_cpu *cpus, size_t nr);

/* Growth of a counter; one that went back (iowait, a CPU that was away) has not grown. */
uint64_t procstat_growth(uint64_t before, uint64_t after);

/* The number after "@key:" at the start of a line, as in /proc/self/status; 0 or -ENOENT. */
int procstat_find(const char *text, const char *key, uint64_t *ret_value);

#endif
