// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/watch/watch_report.c - what an interface received and sent, as a result.
 */
#include <stdio.h>
#include <string.h>

#include "engine/watch/watch_cost.h"
#include "engine/watch/watch_parts.h"
#include "lib/hist.h"
#include "lib/loop.h"
#include "lib/unit.h"
#include "result/result_dist.h"

/* By nic_facts.at_l3. */
static const char *const burst_keys[2][BURST_SPANS] = {
	{ "burst_100us_l1_bps", "burst_1ms_l1_bps", "burst_10ms_l1_bps" },
	{ "burst_100us_l3_bps", "burst_1ms_l3_bps", "burst_10ms_l3_bps" },
};

static const char *const l4_names[WATCH_L4S] = {
	"tcp", "udp", "icmp", "sctp", "gre", "esp", "other", "fragment",
};

static const char *const l2_names[WATCH_PROTOS - WATCH_ARP] = {
	"arp", "mpls", "pppoe", "lldp", "ptp", "slow", "llc", "other", "malformed",
};

static const char *proto_name(char *buf, size_t size, unsigned int proto)
{
	if (proto >= WATCH_ARP)
		snprintf(buf, size, "%s", l2_names[proto - WATCH_ARP]);
	else
		snprintf(buf, size, "%s/%s", proto >= WATCH_IP6 ? "ip6" : "ip4",
			 l4_names[proto % WATCH_L4S]);
	return buf;
}

static const char *size_name(char *buf, size_t size, unsigned int class, bool at_l3)
{
	if (class == 0)
		snprintf(buf, size, at_l3 ? "1-64" : "64");
	else if (class == WATCH_SIZES - 1)
		snprintf(buf, size, "%u-", watch_size_from[class]);
	else
		snprintf(buf, size, "%u-%u", watch_size_from[class], watch_size_from[class + 1] - 1);
	return buf;
}

/* A row of the part's table; frame_bytes UINT64_MAX: not counted here. */
static void add_entry(struct result *part, const char *by, const char *value, uint64_t packets,
		      uint64_t frame_bytes)
{
	if (!packets)
		return;
	result_entry_open(part);
	result_entry_str(part, "by", by);
	result_entry_str(part, "value", value);
	result_entry_u64(part, "packets", packets);
	if (frame_bytes == UINT64_MAX)
		result_entry_str(part, "bytes", "");
	else
		result_entry_u64(part, "bytes", frame_bytes);
	result_entry_close(part);
}

static void report_queues(const struct watch *watch, struct result *part)
{
	unsigned int queue, cpu;
	char text[32];

	for (queue = 0; queue <= watch->nr_queues; queue++) {
		struct watch_sum sum = { 0 };

		for (cpu = 0; cpu < watch->nr_cpus; cpu++) {
			const struct watch_sum *from =
				&watch->queues[cpu * (watch->nr_queues + 1) + queue];

			sum.packets += from->packets;
			sum.frame_bytes += from->frame_bytes;
		}
		snprintf(text, sizeof(text), "%u", queue - 1);
		add_entry(part, "queue", queue ? text : "unknown", sum.packets, sum.frame_bytes);
	}
}

static void report_classes(const struct watch *watch, enum watch_dir dir,
			   const struct watch_rec *sum, struct result *part)
{
	const struct watch_rec *rec;
	unsigned int i;
	char text[32];

	for (i = 0; i < WATCH_SIZES; i++)
		add_entry(part, "size", size_name(text, sizeof(text), i, watch->nic.at_l3),
			  sum->sizes[i], UINT64_MAX);
	for (i = 0; i < WATCH_PROTOS; i++)
		add_entry(part, "protocol", proto_name(text, sizeof(text), i),
			  sum->protos[i].packets, sum->protos[i].frame_bytes);
	for (i = 0; i < watch->nr_cpus; i++) {
		rec = &watch->recs[dir * watch->nr_cpus + i];
		snprintf(text, sizeof(text), "%u", i);
		add_entry(part, "cpu", text, rec->packets, rec->frame_bytes);
	}
	if (dir == WATCH_RX)
		report_queues(watch, part);
}

static void read_gaps(const struct watch *watch, enum watch_dir dir, struct hist_rec *ret_sum)
{
	unsigned int cpu;

	memset(ret_sum, 0, sizeof(*ret_sum));
	for (cpu = 0; cpu < watch->nr_cpus; cpu++)
		hist_merge(ret_sum, &watch->gaps[dir * watch->nr_cpus + cpu]);
}

static void report_gaps(const struct watch *watch, enum watch_dir dir, struct result *part)
{
	struct hist_rec sum;

	read_gaps(watch, dir, &sum);
	result_hist(part, "gap", &sum);
}

/* Those since the previous row. */
static void report_row_gaps(const struct watch *watch, enum watch_dir dir, struct watch_side *side)
{
	struct hist_rec now, since;

	read_gaps(watch, dir, &now);
	since = now;
	hist_subtract(&since, &side->row_gaps);
	if (since.count)
		result_row_hist(side->part, "gap", &since);
	side->row_gaps = now;
}

static void report_driver(const struct nic_counters *nic, enum watch_dir dir,
			  struct result *part)
{
	uint64_t dropped = dir == WATCH_RX ? nic->rx_dropped : nic->tx_dropped;
	uint64_t errors = dir == WATCH_RX ? nic->rx_errors : nic->tx_errors;

	if (dir == WATCH_RX) {
		result_metric_u64(part, "driver_rx_packets", nic->rx_packets);
		result_metric_u64(part, "driver_rx_dropped", dropped);
		result_metric_u64(part, "driver_rx_errors", errors);
	} else {
		result_metric_u64(part, "driver_tx_packets", nic->tx_packets);
		result_metric_u64(part, "driver_tx_dropped", dropped);
		result_metric_u64(part, "driver_tx_errors", errors);
	}
}

static double l1_bps(const struct watch_rec *sum, double seconds)
{
	return (double)(sum->frame_bytes + UNIT_GAP_BYTES * sum->packets) * 8 / seconds;
}

/* Without an Ethernet header nothing is known of L1 and L2. */
static void report_volume(const struct watch_rec *sum, double seconds, bool at_l3, struct result *part)
{
	double bps = (double)sum->frame_bytes * 8 / seconds;

	result_metric_u64(part, "seen_packets", sum->packets);
	result_metric_u64(part, "seen_bytes", sum->frame_bytes);
	result_metric_real(part, "seen_pps", (double)sum->packets / seconds);
	if (!at_l3)
		result_metric_real(part, "seen_l1_bps", l1_bps(sum, seconds));
	result_metric_real(part, at_l3 ? "seen_l3_bps" : "seen_l2_bps", bps);
	result_metric_u64(part, "seen_buffers", sum->buffers);
	result_metric_u64(part, "seen_merged_packets", sum->merged);
	result_metric_u64(part, "seen_broadcast_packets", sum->broadcast);
	result_metric_u64(part, "seen_multicast_packets", sum->multicast);
	result_metric_u64(part, "seen_tagged_packets", sum->tagged);
}

static void note_driver(const struct nic_counters *nic, enum watch_dir dir, struct result *part)
{
	uint64_t dropped = dir == WATCH_RX ? nic->rx_dropped : nic->tx_dropped;
	uint64_t errors = dir == WATCH_RX ? nic->rx_errors : nic->tx_errors;

	if (dropped || errors)
		result_note(part, "the driver counted %llu errors and %llu dropped packets",
			    (unsigned long long)errors, (unsigned long long)dropped);
}

static double report_side(struct watch *watch, enum watch_dir dir,
			  const struct nic_counters *nic, uint64_t elapsed_ns,
			  bool cost)
{
	struct watch_side *side = &watch->sides[dir];
	struct burst peaks = { 0 };
	struct watch_rec sum;
	size_t i;

	watch_read(watch, dir, &sum);
	result_forget_entries(side->part);
	report_volume(&sum, (double)elapsed_ns / NSEC_PER_SEC, watch->nic.at_l3, side->part);
	for (i = 0; i < BURST_SPANS; i++) {
		peaks.peaks[i] = side->peaks[i] > side->burst.peaks[i] ? side->peaks[i] :
								 side->burst.peaks[i];
		result_metric_real(side->part, burst_keys[watch->nic.at_l3][i], burst_peak_bps(&peaks, i));
	}
	if (watch->filter)
		result_metric_u64(side->part, "not_taken_buffers", sum.not_taken);
	report_gaps(watch, dir, side->part);
	report_driver(nic, dir, side->part);
	report_classes(watch, dir, &sum, side->part);
	/* Another process may have enabled the kernel's timing of programs, too. */
	if (!cost)
		return 0;
	return watch_cost_report(side->prog_fd, sum.buffers + sum.not_taken, elapsed_ns, side->part);
}

double watch_report(struct watch *watch, uint64_t elapsed_ns, bool cost)
{
	struct nic_counters nic;
	double cpus = 0;
	int dir;

	watch_read_nic(watch, &nic);
	for (dir = 0; dir < WATCH_DIRS; dir++)
		cpus += report_side(watch, dir, &nic, elapsed_ns, cost);
	return cpus;
}

void watch_report_notes(struct watch *watch)
{
	uint64_t missed_ns = watch->missed_windows * WATCH_WINDOW_NS;
	struct nic_counters nic;
	int dir;

	watch_read_nic(watch, &nic);
	for (dir = 0; dir < WATCH_DIRS; dir++)
		note_driver(&nic, dir, watch->sides[dir].part);
	if (watch->returns)
		result_note(watch->sides[WATCH_RX].part, "reattached %u times: packets in between "
			    "are only in the driver's counters", watch->returns);
	if (watch->preceding)
		result_note(watch->sides[WATCH_RX].part, "another program, %s, was attached "
			    "before ethgauge's: packets that it consumed were not seen", watch->preceding);
	if (missed_ns)
		result_note(watch->sides[WATCH_RX].part, "%.3f s were not searched for bursts: "
			    "this process was delayed", (double)missed_ns / NSEC_PER_SEC);
}

static void report_side_row(struct watch *watch, enum watch_dir dir, uint64_t elapsed_ns,
			    double seconds)
{
	struct watch_side *side = &watch->sides[dir];
	struct watch_rec now, since;
	size_t i;

	watch_read(watch, dir, &now);
	since.packets = now.packets - side->row.packets;
	since.frame_bytes = now.frame_bytes - side->row.frame_bytes;
	result_row_open(side->part, elapsed_ns);
	result_row_u64(side->part, "seen_packets", since.packets);
	result_row_real(side->part, "seen_pps", (double)since.packets / seconds);
	if (watch->nic.at_l3)
		result_row_real(side->part, "seen_l3_bps", (double)since.frame_bytes * 8 / seconds);
	else
		result_row_real(side->part, "seen_l1_bps", l1_bps(&since, seconds));
	result_row_u64(side->part, "seen_buffers", now.buffers - side->row.buffers);
	for (i = 0; i < BURST_SPANS; i++) {
		result_row_real(side->part, burst_keys[watch->nic.at_l3][i], burst_peak_bps(&side->burst, i));
		if (side->burst.peaks[i] > side->peaks[i])
			side->peaks[i] = side->burst.peaks[i];
	}
	burst_restart(&side->burst);
	report_row_gaps(watch, dir, side);
	result_row_close(side->part);
	side->row = now;
}

void watch_report_row(struct watch *watch, uint64_t elapsed_ns)
{
	double seconds = (double)(elapsed_ns - watch->row_elapsed_ns) / NSEC_PER_SEC;
	struct nic_counters nic;
	int dir;

	/* For an interface being removed, the latest reading is what remains. */
	watch_read_nic(watch, &nic);
	for (dir = 0; dir < WATCH_DIRS; dir++)
		report_side_row(watch, dir, elapsed_ns, seconds);
	watch->row_elapsed_ns = elapsed_ns;
}
