// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/self/meter.c - the resources that this host uses while measuring, and whether they were
 * the limit.
 *
 * Packets are handled in softirq, which no process is charged for, and what a busy CPU did is known
 * only from samples of the timer tick, which stops on an idle CPU. Idle time is measured by the
 * kernel's clock. So busy is the time that was not idle, and what the samples miss of it is
 * reported as such.
 */
#include "engine/self/meter.h"

#include <math.h>
#include <stdlib.h>

#include "engine/self/link_downs.h"
#include "lib/array.h"
#include "lib/loop.h"
#include "model/bottleneck.h"
#include "sys/host/cpu.h"
#include "sys/net/nic.h"

#define SHORT_NS 100000000	/* the idle time has the tick's resolution, 10 ms */

struct meter {
	struct cpu_nic nic;
	struct cpu_snap *before, *after;
	struct cpu_process process_before, process_after;
	struct nic_counters nic_before, nic_after;
	uint64_t rss_bytes, map_bytes;
	int rss_err, map_err;
	bool has_nic, stopped;
	struct link_downs *links;	/* NULL: none */
};

/* In cores, in the order of share_keys; those with ticks in the order of ticks_of(). */
enum share { BUSY, USER, SYSTEM, SOFTIRQ, IRQ, STEAL, UNSEEN, NR_SHARES };

static const char *const share_keys[NR_SHARES] = {
	[BUSY] = "cpu_busy_ratio", [USER] = "cpu_busy_user_ratio",
	[SYSTEM] = "cpu_busy_system_ratio", [SOFTIRQ] = "cpu_busy_softirq_ratio",
	[IRQ] = "cpu_busy_irq_ratio", [STEAL] = "cpu_steal_ratio",
	[UNSEEN] = "cpu_busy_unseen_ratio",
};

static const struct count {
	const char *key;
	size_t offset;			/* in struct procstat_cpu */
	size_t has_offset;		/* in struct cpu_snap: whether it was readable */
} counts[] = {
#define COUNT(key, field, has) \
	{ key, offsetof(struct procstat_cpu, field), offsetof(struct cpu_snap, has) }
	COUNT("interrupts", interrupts, has_interrupts),
	COUNT("nic_interrupts", nic_interrupts, has_interrupts),
	COUNT("net_rx_softirqs", net_rx_softirqs, has_softirqs),
	COUNT("net_tx_softirqs", net_tx_softirqs, has_softirqs),
	COUNT("softnet_packets", softnet_packets, has_softnet),
	COUNT("softnet_dropped_packets", softnet_dropped_packets, has_softnet),
	COUNT("softnet_squeezed", softnet_squeezed, has_softnet),
#undef COUNT
};

#define NR_COUNTS ARRAY_SIZE(counts)

void meter_add_link(struct meter *meter, const char *ifname)
{
	if (meter)
		link_downs_add(&meter->links, ifname);
}

void meter_add_route(struct meter *meter, const struct sockaddr *to)
{
	if (meter)
		link_downs_add_route(&meter->links, to);
}

struct meter *meter_start(const char *ifname)
{
	struct meter *meter = calloc(1, sizeof(*meter));

	if (!meter)
		return NULL;
	meter->before = cpu_snap_new();
	meter->after = cpu_snap_new();
	if (!meter->before || !meter->after) {
		meter_free(meter);
		return NULL;
	}
	nic_find_irqs(ifname, &meter->nic);
	meter->has_nic = ifname && !nic_read_counters(ifname, &meter->nic_before);
	cpu_read_process(&meter->process_before);
	if (ifname)
		meter_add_link(meter, ifname);
	cpu_snap_read(meter->before, &meter->nic);
	return meter;
}

void meter_stop(struct meter *meter)
{
	if (!meter || meter->stopped)
		return;
	meter->stopped = true;
	cpu_snap_read(meter->after, &meter->nic);
	cpu_read_process(&meter->process_after);
	meter->rss_err = cpu_peak_rss(&meter->rss_bytes);
	meter->map_err = cpu_map_memory(&meter->map_bytes);
	meter->has_nic = meter->has_nic &&
			 !nic_read_counters(meter->nic.ifname, &meter->nic_after);
	link_downs_stop(meter->links);
}

void meter_free(struct meter *meter)
{
	if (!meter)
		return;
	link_downs_free(meter->links);
	free(meter->before);
	free(meter->after);
	free(meter);
}

static double elapsed_ns(const struct meter *meter)
{
	return (double)(meter->after->start_mono_ns - meter->before->start_mono_ns);
}

/* A CPU that came online or went offline in between is not reported. */
static bool is_seen(const struct meter *meter, size_t cpu)
{
	return cpu < meter->before->nr_cpus && meter->before->cpus[cpu].online &&
	       meter->after->cpus[cpu].online;
}

static double ticks_ratio(const struct meter *meter, uint64_t before, uint64_t after)
{
	return (double)(procstat_growth(before, after) * cpu_tick_ns()) / elapsed_ns(meter);
}

/* Does not set UNSEEN: a difference of coarse figures, best computed from sums. */
static void read_shares(const struct meter *meter, size_t cpu, double ret_shares[NR_SHARES])
{
	const struct procstat_cpu *a = &meter->before->cpus[cpu], *b = &meter->after->cpus[cpu];
	double idle = ticks_ratio(meter, a->idle_ticks, b->idle_ticks);

	ret_shares[BUSY] = idle < 1 ? 1 - idle : 0;
	ret_shares[USER] = ticks_ratio(meter, a->user_ticks, b->user_ticks);
	ret_shares[SYSTEM] = ticks_ratio(meter, a->system_ticks, b->system_ticks);
	ret_shares[SOFTIRQ] = ticks_ratio(meter, a->softirq_ticks, b->softirq_ticks);
	ret_shares[IRQ] = ticks_ratio(meter, a->irq_ticks, b->irq_ticks);
	ret_shares[STEAL] = ticks_ratio(meter, a->steal_ticks, b->steal_ticks);
}

static void find_unseen(double shares[NR_SHARES])
{
	double seen = 0;
	int i;

	for (i = USER; i <= STEAL; i++)
		seen += shares[i];
	shares[UNSEEN] = shares[BUSY] > seen ? shares[BUSY] - seen : 0;
}

static bool has_shares(const struct meter *meter)
{
	return meter->before->has_ticks && meter->after->has_ticks &&
	       elapsed_ns(meter) >= SHORT_NS;
}

/* The ticks show which CPUs exist. */
static bool has_count(const struct meter *meter, const struct count *count)
{
	return meter->before->has_ticks && meter->after->has_ticks &&
	       *(const bool *)((const char *)meter->before + count->has_offset) &&
	       *(const bool *)((const char *)meter->after + count->has_offset) &&
	       (count->offset != offsetof(struct procstat_cpu, nic_interrupts) ||
		meter->after->nic_lines);
}

static uint64_t growth(const struct meter *meter, size_t cpu, size_t offset)
{
	const char *a = (const char *)&meter->before->cpus[cpu];
	const char *b = (const char *)&meter->after->cpus[cpu];

	return procstat_growth(*(const uint64_t *)(a + offset), *(const uint64_t *)(b + offset));
}

/* The thread pinned to @cpu; false: there is none. */
static bool thread_of(const struct meter_sender *sender, size_t cpu, struct meter_thread *ret_use)
{
	uint32_t i;

	for (i = 0; sender && i < sender->nr_threads; i++) {
		sender->read_thread(sender->ctx, i, ret_use);
		if (ret_use->cpu == cpu && ret_use->time_ns)
			return true;
	}
	return false;
}

static void report_cpu(const struct meter *meter, size_t cpu, const struct meter_sender *sender,
		       struct result *res)
{
	double shares[NR_SHARES];
	struct meter_thread use;
	size_t i;

	read_shares(meter, cpu, shares);
	find_unseen(shares);
	result_entry_open(res);
	result_entry_u64(res, "cpu", cpu);
	for (i = 0; has_shares(meter) && i < NR_SHARES; i++)
		result_entry_real(res, share_keys[i], shares[i]);
	for (i = 0; i < NR_COUNTS; i++) {
		if (has_count(meter, &counts[i]))
			result_entry_u64(res, counts[i].key,
					 growth(meter, cpu, counts[i].offset));
	}
	if (thread_of(sender, cpu, &use)) {
		result_entry_real(res, "sender_run_ratio",
				  (double)use.run_ns / (double)use.time_ns);
		result_entry_real(res, "sender_wait_ratio",
				  (double)use.wait_ns / (double)use.time_ns);
	}
	result_entry_close_self(res, "cpus");
}

static void report_host(const struct meter *meter, const struct meter_sender *sender, struct result *res)
{
	double shares[NR_SHARES], sums[NR_SHARES] = { 0 };
	uint64_t totals[NR_COUNTS] = { 0 };
	size_t cpu, i;

	for (cpu = 0; cpu < meter->before->nr_cpus; cpu++) {
		if (!is_seen(meter, cpu))
			continue;
		read_shares(meter, cpu, shares);
		for (i = 0; i < UNSEEN; i++)
			sums[i] += shares[i];
		for (i = 0; i < NR_COUNTS; i++)
			totals[i] += growth(meter, cpu, counts[i].offset);
		report_cpu(meter, cpu, sender, res);
	}
	find_unseen(sums);
	for (i = 0; i < NR_SHARES; i++)
		result_self_real(res, share_keys[i], has_shares(meter) ? sums[i] : NAN);
	for (i = 0; i < NR_COUNTS; i++) {
		if (has_count(meter, &counts[i]))
			result_self_u64(res, counts[i].key, totals[i]);
		else
			result_self_real(res, counts[i].key, NAN);
	}
}

static void self_u64_or_null(struct result *res, const char *key, int err, uint64_t value)
{
	if (err)
		result_self_real(res, key, NAN);
	else
		result_self_u64(res, key, value);
}

static void report_process(const struct meter *meter, struct result *res)
{
	const struct cpu_process *a = &meter->process_before, *b = &meter->process_after;

	result_self_real(res, "cpu_user_ratio",
			 (double)procstat_growth(a->user_ns, b->user_ns) / elapsed_ns(meter));
	result_self_real(res, "cpu_system_ratio",
			 (double)procstat_growth(a->system_ns, b->system_ns) / elapsed_ns(meter));
	result_self_u64(res, "context_switches", procstat_growth(a->switches, b->switches));
	result_self_u64(res, "preemptions", procstat_growth(a->preemptions, b->preemptions));
	self_u64_or_null(res, "memory_max_bytes", meter->rss_err, meter->rss_bytes);
	self_u64_or_null(res, "bpf_map_bytes", meter->map_err, meter->map_bytes);
}

static void add_ring(struct afxdp_use *sum, const struct afxdp_use *one)
{
	if (!sum->kicks || one->fill_min_frames < sum->fill_min_frames)
		sum->fill_min_frames = one->fill_min_frames;
	if (one->fill_max_frames > sum->fill_max_frames)
		sum->fill_max_frames = one->fill_max_frames;
	if (one->socket_max_bytes > sum->socket_max_bytes)
		sum->socket_max_bytes = one->socket_max_bytes;
	sum->socket_limit_bytes = one->socket_limit_bytes;
	sum->kicks += one->kicks;
	sum->fill_sum_frames += one->fill_sum_frames;
	sum->takes += one->takes;
	sum->full += one->full;
}

/* Over the rings of all threads. */
static void read_rings(const struct meter_sender *sender, struct afxdp_use *ret_sum)
{
	struct meter_thread use;
	uint32_t i;

	*ret_sum = (struct afxdp_use){ 0 };
	for (i = 0; sender && i < sender->nr_threads; i++) {
		sender->read_thread(sender->ctx, i, &use);
		if (use.ring.kicks)
			add_ring(ret_sum, &use.ring);
	}
}

static void report_rings(const struct meter_sender *sender, struct result *res)
{
	struct afxdp_use use;

	read_rings(sender, &use);
	if (!use.kicks)
		return;
	result_self_real(res, "tx_ring_mean_frames", (double)use.fill_sum_frames / (double)use.kicks);
	result_self_u64(res, "tx_ring_min_frames", use.fill_min_frames);
	result_self_u64(res, "tx_ring_max_frames", use.fill_max_frames);
	result_self_u64(res, "tx_ring_size_frames", AFXDP_NR_FRAMES);
	result_self_real(res, "tx_ring_full_ratio",
			 use.takes ? (double)use.full / (double)use.takes : 0);
	if (!use.socket_limit_bytes)
		return;
	result_self_u64(res, "tx_socket_max_bytes", use.socket_max_bytes);
	result_self_u64(res, "tx_socket_limit_bytes", use.socket_limit_bytes);
}

/* The thread that used most of its CPU, or waited for it. */
static void read_threads(const struct meter *meter, const struct meter_sender *sender,
			 struct bottleneck_sender *s)
{
	double run, taken, shares[NR_SHARES];
	struct meter_thread use;
	uint32_t i;

	s->run_ratio = NAN;
	for (i = 0; i < sender->nr_threads; i++) {
		sender->read_thread(sender->ctx, i, &use);
		if (!use.time_ns)
			continue;
		run = (double)use.run_ns / (double)use.time_ns;
		taken = (double)use.wait_ns / (double)use.time_ns;
		shares[SOFTIRQ] = 0;
		if (has_shares(meter) && is_seen(meter, use.cpu)) {
			read_shares(meter, use.cpu, shares);
			taken += shares[STEAL];
		}
		if (isnan(s->run_ratio) || run + taken > s->run_ratio + s->taken_ratio) {
			s->run_ratio = run;
			s->taken_ratio = taken;
			s->softirq_ratio = shares[SOFTIRQ];
			s->cpu = use.cpu;
			s->time_ns = use.time_ns;
		}
	}
}

double meter_taken_ratio(const struct meter *meter, const struct meter_sender *sender)
{
	struct bottleneck_sender s = { 0 };

	if (meter)
		read_threads(meter, sender, &s);
	return s.taken_ratio;
}

static enum bottleneck judge_sender(const struct meter *meter, const struct meter_sender *sender,
				    char *why, size_t size)
{
	uint64_t made = sender->sent_packets + sender->refused_packets;
	struct bottleneck_sender s = {
		.pace = sender->pace,
		.link_downs = meter->has_nic ? procstat_growth(meter->nic_before.carrier_downs,
							       meter->nic_after.carrier_downs) : 0,
	};
	struct afxdp_use ring;

	read_threads(meter, sender, &s);
	read_rings(sender, &ring);
	s.refused_ratio = made ? (double)sender->refused_packets / (double)made : 0;
	s.ring_full_ratio = ring.takes ? (double)ring.full / (double)ring.takes : 0;
	return bottleneck_of_sender(&s, why, size);
}

enum bottleneck meter_judge_sender(struct meter *meter, const struct meter_sender *sender, char *ret_why,
				   size_t size)
{
	*ret_why = '\0';
	if (!meter)
		return BOTTLENECK_UNKNOWN;
	meter_stop(meter);
	return judge_sender(meter, sender, ret_why, size);
}

static const struct count *count_at(size_t offset)
{
	size_t i = 0;

	while (counts[i].offset != offset)
		i++;
	return &counts[i];
}

/* Sum over all CPUs; 0 where it is not counted. */
static uint64_t total(const struct meter *meter, size_t offset)
{
	uint64_t sum = 0;
	size_t cpu;

	for (cpu = 0; has_count(meter, count_at(offset)) && cpu < meter->before->nr_cpus; cpu++) {
		if (is_seen(meter, cpu))
			sum += growth(meter, cpu, offset);
	}
	return sum;
}

static enum bottleneck judge_receiver(const struct meter *meter, const struct meter_receiver *receiver,
				      char *why, size_t size)
{
	const size_t offset = offsetof(struct procstat_cpu, softnet_squeezed);
	struct bottleneck_receiver r = {
		.lost_packets = receiver->lost_packets,
		.socket_full_packets = receiver->socket_full_packets,
		.reader_ratio = receiver->reader_ratio,
		.softnet_dropped_packets = total(meter, offsetof(struct procstat_cpu,
							  softnet_dropped_packets)),
		.has_softnet = has_count(meter, count_at(offset)),
	};
	double shares[NR_SHARES], hz;
	size_t cpu;

	if (meter->has_nic)
		r.overrun_packets = procstat_growth(meter->nic_before.rx_overruns,
						    meter->nic_after.rx_overruns);
	for (cpu = 0; has_shares(meter) && cpu < meter->before->nr_cpus; cpu++) {
		hz = (double)growth(meter, cpu, offset) * NSEC_PER_SEC / elapsed_ns(meter);
		if (!is_seen(meter, cpu) || hz <= r.squeezed_hz)
			continue;
		read_shares(meter, cpu, shares);
		r.cpu = (uint32_t)cpu;
		r.squeezed_hz = hz;
		r.busy_ratio = shares[BUSY];
	}
	return bottleneck_of_receiver(&r, why, size);
}

static void judge(const struct meter *meter, const struct meter_sender *sender,
		  const struct meter_receiver *receiver, struct result *res)
{
	enum bottleneck sending = BOTTLENECK_NONE, receiving = BOTTLENECK_NONE;
	char why[256] = "";

	if (sender)
		sending = judge_sender(meter, sender, why, sizeof(why));
	if (*why)
		result_note(res, "%s", why);
	*why = '\0';
	if (receiver)
		receiving = judge_receiver(meter, receiver, why, sizeof(why));
	if (*why)
		result_note(res, "%s", why);
	result_self_str(res, "bottleneck",
			bottleneck_names[bottleneck_of_both(sending, receiving)]);
}

void meter_report(struct meter *meter, const struct meter_sender *sender,
		  const struct meter_receiver *receiver, struct result *res)
{
	if (!meter)
		return;
	meter_stop(meter);
	link_downs_report(meter->links, res);
	if (elapsed_ns(meter) <= 0)
		return;
	report_process(meter, res);
	report_host(meter, sender, res);
	report_rings(sender, res);
	if (meter->has_nic && receiver)
		result_self_u64(res, "rx_overrun_packets",
				procstat_growth(meter->nic_before.rx_overruns,
						meter->nic_after.rx_overruns));
	judge(meter, sender, receiver, res);
	result_self_u64(res, "metered_ns", (uint64_t)elapsed_ns(meter));
	result_self_u64(res, "metering_ns",
			meter->before->end_mono_ns - meter->before->start_mono_ns +
			meter->after->end_mono_ns - meter->after->start_mono_ns);
}
