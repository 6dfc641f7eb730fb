// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/watch/watch_flows.c - the flows of one interface.
 */
#include "engine/watch/watch_flows.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "engine/watch/watch_filter.h"
#include "engine/watch/watch_flows_parts.h"
#include "lib/dist.h"
#include "lib/loop.h"
#include "lib/sample.h"
#include "lib/spread.h"
#include "sys/hook/bpf.h"
#include "sys/host/cpu.h"

#include "flow_tc.skel.h"

#define BATCH		4096		/* flows read per call; a bucket never holds more */
#define PREALLOCATED	(1u << 17)	/* larger tables allocate memory as flows are added */
#define WALK_NS		3000000ull	/* for reading the table, out of the 20 ms between two
					 * polls */
#define KEEP_ROWS	3600

const char *const watch_sort_names[] = {
	"bytes", "packets", "rate", "rtt", "retransmissions", NULL
};

static int open_tables(struct watch_flows *flows, struct err *e)
{
	struct flow_tc_bpf *bpf;
	int err;

	bpf = calloc(1, sizeof(*bpf));
	flows->bpf = bpf;
	if (!bpf || flow_tc_bpf__create_skeleton(bpf))
		return err_set(e, -ENOMEM, "cannot allocate the flows of '%s'", flows->cfg.ifname);
	err = watch_filter_open(bpf->skeleton, flows->cfg.filter, FILTER_TC, e);
	if (err)
		return err;
	bpf->rodata->has_filter = !!flows->cfg.filter;
	bpf->rodata->rx_beside = flows->cfg.rx_beside;
	bpf->rodata->is_sampled = flows_are_sampled(flows);
	sample_gaps(flows->cfg.sample, (uint32_t *)bpf->rodata->flow_gaps, FLOW_GAPS);
	bpf_map__set_max_entries(bpf->maps.flows, flows->cfg.max_flows);
	if (flows->cfg.max_flows > PREALLOCATED)
		bpf_map__set_map_flags(bpf->maps.flows, BPF_F_NO_PREALLOC);
	bpf_map__set_max_entries(bpf->maps.flow_spreads, flows->cfg.max_flows < FLOW_SPREADS ?
				 flows->cfg.max_flows : FLOW_SPREADS);
	bpf_map__set_max_entries(bpf->maps.flow_hists, FLOW_KINDS * WATCH_DIRS * flows->nr_cpus);
	bpf_map__set_max_entries(bpf->maps.flow_cpus, flows->nr_cpus);
	bpf_map__set_max_entries(bpf->maps.flow_works, flows->nr_cpus);
	bpf_map__set_max_entries(bpf->maps.flow_caches, FLOW_CACHE * flows->nr_cpus);
	return 0;
}

int watch_flows_open(struct watch_flows **ret_flows, const struct watch_flows_cfg *cfg,
		     struct watch_programs *ret_programs, struct err *e)
{
	struct watch_flows *flows = calloc(1, sizeof(*flows));
	int err = -ENOMEM;

	if (!flows)
		goto no_memory;
	flows->cfg = *cfg;
	flows->nr_cpus = cpu_nr_possible();
	flows->keys = calloc(BATCH, sizeof(*flows->keys));
	flows->slots = calloc(BATCH, FLOW_SLOT_BYTES);
	flows->folded = calloc(FLOW_PREFIXES, sizeof(*flows->folded));
	if (!flows->keys || !flows->slots || !flows->folded || !view_init(flows))
		goto no_memory;
	err = open_tables(flows, e);
	if (err)
		goto fail;
	*ret_programs = WATCH_PROGRAMS(flows->bpf, flow_tc);
	*ret_flows = flows;
	return 0;
no_memory:
	err_set(e, err, "cannot open the flow table of '%s'", cfg->ifname);
fail:
	watch_flows_close(flows);
	return err;
}

static int map_tables(struct watch_flows *flows, struct err *e)
{
	struct flow_tc_bpf *bpf = flows->bpf;
	int err;

	flows->flows_fd = bpf_map__fd(bpf->maps.flows);
	flows->folds_fd = bpf_map__fd(bpf->maps.flow_folds);
	flows->trips_fd = bpf_map__fd(bpf->maps.flow_trips);
	flows->spreads_fd = bpf_map__fd(bpf->maps.flow_spreads);
	flows->in_fd = bpf_program__fd(bpf->progs.flow_tc_in);
	err = bpf_map_memory(bpf->maps.flow_cpus, (void **)&flows->cpus, &flows->cpus_bytes, e);
	if (!err)
		err = bpf_map_memory(bpf->maps.flow_hists, (void **)&flows->hists,
				     &flows->hists_bytes, e);
	if (!err)
		err = bpf_map_memory(bpf->maps.flow_caches, (void **)&flows->caches,
				     &flows->caches_bytes, e);
	return err;
}

int watch_flows_start(struct watch_flows *flows, struct result *res, const char *hook, struct err *e)
{
	const char *ifname = flows->cfg.ifname;
	char name[32];
	int err;

	err = map_tables(flows, e);
	if (err)
		return err;
	flows->res = res;
	snprintf(name, sizeof(name), "%s flows", ifname);
	flows->part = result_part(res, PART_FLOWS, name);
	result_label(flows->part, "iface", ifname);
	result_keep_rows(flows->part, KEEP_ROWS);
	result_env_str(flows->part, "hook", hook);
	result_env_str(flows->part, "flow_percentiles",
		       "middle of a bucket, a quarter of a power of two wide: to 1/8");
	return 0;
}

void watch_flows_close(struct watch_flows *flows)
{
	if (!flows)
		return;
	bpf_unmap_memory(flows->cpus, flows->cpus_bytes);
	bpf_unmap_memory(flows->hists, flows->hists_bytes);
	bpf_unmap_memory(flows->caches, flows->caches_bytes);
	flow_tc_bpf__destroy(flows->bpf);
	free(flows->keys);
	free(flows->slots);
	view_release(flows);
	free(flows->folded);
	free(flows);
}

/* Of the packets that were looked up. */
static void estimate(const struct watch_flows *flows, struct watch_sum counts[WATCH_DIRS])
{
	int dir;

	for (dir = 0; dir < WATCH_DIRS; dir++) {
		counts[dir].packets *= flows->cfg.sample;
		counts[dir].frame_bytes *= flows->cfg.sample;
	}
}

static void estimate_flow(const struct watch_flows *flows, struct flow_seen *flow)
{
	struct flow_rec *rec = &flow->rec;

	flow->error = sample_error_ratio(flows->cfg.sample, (double)(rec->counts[WATCH_RX].frame_bytes +
								     rec->counts[WATCH_TX].frame_bytes),
					 (double)rec->squares[WATCH_RX] + (double)rec->squares[WATCH_TX]);
	estimate(flows, rec->counts);
}

void flows_read(const struct watch_flows *flows, struct flow_cpu *ret_sum)
{
	_Static_assert(sizeof(*ret_sum) % sizeof(uint64_t) == 0, "only counters");
	uint64_t *to = (uint64_t *)ret_sum;
	unsigned int cpu;
	size_t i;

	memset(ret_sum, 0, sizeof(*ret_sum));
	for (cpu = 0; cpu < flows->nr_cpus; cpu++) {
		const __u64 *from = (const __u64 *)&flows->cpus[cpu];

		for (i = 0; i < sizeof(*ret_sum) / sizeof(uint64_t); i++)
			to[i] += __atomic_load_n(&from[i], __ATOMIC_RELAXED);
	}
	estimate(flows, ret_sum->no_flow);
	estimate(flows, ret_sum->other);
	estimate(flows, ret_sum->sampled);
	ret_sum->folded *= flows->cfg.sample;
}

/* While a CPU writes its entry, it may be off by what that CPU counts at the time. */
static void add_cached(const struct watch_flows *flows, struct flow_seen *flow)
{
	__u32 index = flow_cache_index((const struct flow_words *)&flow->key), cpu, dir;

	for (cpu = 0; cpu < flows->nr_cpus; cpu++) {
		const struct flow_cached *cached = &flows->caches[cpu * FLOW_CACHE + index];

		if (memcmp(&cached->key, &flow->key, sizeof(flow->key)))
			continue;
		for (dir = 0; dir < WATCH_DIRS; dir++) {
			flow->rec.counts[dir].packets += cached->counts[dir].packets;
			flow->rec.counts[dir].frame_bytes += cached->counts[dir].frame_bytes;
		}
		if (flow->rec.last_mono_ns < cached->last_mono_ns)
			flow->rec.last_mono_ns = cached->last_mono_ns;
	}
}

bool flows_batch(struct watch_flows *flows, void (*seen)(struct watch_flows *flows,
							 struct flow_seen *flow))
{
	LIBBPF_OPTS(bpf_map_batch_opts, opts, .elem_flags = BPF_F_LOCK);
	struct flow_seen flow = { .now_pps = NAN, .now_bps = NAN };
	__u32 nr = BATCH, i;
	int err;

	err = bpf_map_lookup_batch(flows->flows_fd, flows->going ? &flows->token : NULL,
				   &flows->token, flows->keys, flows->slots, &nr, &opts);
	/* -ENOENT: this was the last batch. */
	if (err && err != -ENOENT)
		nr = 0;
	for (i = 0; i < nr; i++) {
		flow.key = flows->keys[i];
		memcpy(&flow.rec, flows->slots + i * FLOW_SLOT_BYTES, sizeof(flow.rec));
		estimate_flow(flows, &flow);
		add_cached(flows, &flow);
		seen(flows, &flow);
	}
	flows->going = !err;
	return !err;
}

double flows_rate_bps(const struct flow_rec *rec)
{
	uint64_t bytes = rec->counts[WATCH_RX].frame_bytes + rec->counts[WATCH_TX].frame_bytes;
	uint64_t life_ns = rec->last_mono_ns - rec->first_mono_ns;

	/* Two packets in quick succession are not a rate. */
	if (life_ns < NSEC_PER_SEC)
		life_ns = NSEC_PER_SEC;
	return (double)bytes * 8 * NSEC_PER_SEC / (double)life_ns;
}

double flows_rtt_ns(const struct flow_rtt *rtt)
{
	return rtt->count ? (double)rtt->sum_ns / (double)rtt->count : 0;
}

void flows_fold(struct watch_flows *flows, const struct flow_prefix *prefix,
		const struct watch_sum *counts)
{
	uint64_t word;
	size_t at, n;
	int dir;

	memcpy(&word, prefix, sizeof(word));
	at = (word * 0x9e3779b97f4a7c15ull) >> 32;
	for (n = 0; n < FLOW_PREFIXES; n++) {
		struct flow_folded *slot = &flows->folded[(at + n) % FLOW_PREFIXES];

		if (!slot->prefix.version)
			slot->prefix = *prefix;
		if (memcmp(&slot->prefix, prefix, sizeof(*prefix)))
			continue;
		for (dir = 0; dir < WATCH_DIRS; dir++) {
			slot->fold.counts[dir].packets += counts[dir].packets;
			slot->fold.counts[dir].frame_bytes += counts[dir].frame_bytes;
		}
		return;
	}
	for (dir = 0; dir < WATCH_DIRS; dir++) {
		flows->other[dir].packets += counts[dir].packets;
		flows->other[dir].frame_bytes += counts[dir].frame_bytes;
	}
}

/* The flow was removed while the cache had it. */
static void join_caches(struct watch_flows *flows)
{
	uint64_t slot[FLOW_SLOT_BYTES / sizeof(uint64_t)];
	struct flow_prefix prefix;
	size_t i;

	for (i = 0; i < (size_t)FLOW_CACHE * flows->nr_cpus; i++) {
		const struct flow_cached *cached = &flows->caches[i];

		if (!(cached->counts[WATCH_RX].packets | cached->counts[WATCH_TX].packets) ||
		    !bpf_map_lookup_elem(flows->flows_fd, &cached->key, slot))
			continue;
		flow_prefix_of((const struct flow_key *)&cached->key, &prefix);
		flows_fold(flows, &prefix, cached->counts);
	}
}

void flows_join_folds(struct watch_flows *flows)
{
	struct flow_prefix prefix, *last = NULL;
	struct flow_fold fold;

	join_caches(flows);
	for (; !bpf_map_get_next_key(flows->folds_fd, last, &prefix); last = &prefix) {
		if (bpf_map_lookup_elem(flows->folds_fd, &prefix, &fold))
			continue;
		estimate(flows, fold.counts);
		flows_fold(flows, &prefix, fold.counts);
	}
}

size_t flows_read_trips(const struct watch_flows *flows, struct flow_trips *ret_trips)
{
	struct flow_prefix *last = NULL;
	size_t nr = 0;

	while (nr < FLOW_TRIPS &&
	       !bpf_map_get_next_key(flows->trips_fd, last, &ret_trips[nr].prefix)) {
		last = &ret_trips[nr].prefix;
		bpf_map_lookup_elem(flows->trips_fd, last, &ret_trips[nr].hist);
		nr++;
	}
	return nr;
}

void flows_spread(struct watch_flows *flows, struct flow_seen *flow, bool take)
{
	static const double shares[FLOW_SHARES] = { 0.5, 0.9, 0.99 };
	struct flow_spread spread;
	int dir, i;

	if (!flow->rec.rtts[WATCH_RX].count && !flow->rec.rtts[WATCH_TX].count)
		return;
	if (bpf_map_lookup_elem(flows->spreads_fd, &flow->key, &spread))
		return;
	if (take)
		bpf_map_delete_elem(flows->spreads_fd, &flow->key);
	for (dir = 0; dir < WATCH_DIRS; dir++) {
		const struct flow_rtt *rtt = &flow->rec.rtts[dir];
		const __u32 *buckets = spread.buckets[dir];

		/* Each CPU may be about to add one. */
		if (!rtt->count || spread_count(buckets) + flows->nr_cpus < rtt->count)
			continue;
		for (i = 0; i < FLOW_SHARES; i++) {
			if (dist_has_samples(shares[i], rtt->count))
				flow->shares_ns[dir][i] = spread_percentile_ns(buckets, rtt, shares[i]);
		}
	}
}

/*
 * Removes the flow with its counts at that moment. Before kernel 5.14 this takes two steps; packets
 * counted between them, or being added at that time, belong to no flow: the sums lack them, which
 * the result reports.
 */
bool flows_age(struct watch_flows *flows, const struct flow_seen *old)
{
	int fd = flows->flows_fd, err;
	uint64_t slot[FLOW_SLOT_BYTES / sizeof(uint64_t)];
	struct flow_seen flow = { .key = old->key, .now_pps = NAN, .now_bps = NAN, .is_gone = true };
	struct flow_prefix prefix;

	if (old->rec.last_mono_ns + flows->cfg.idle_ns > loop_mono_ns())
		return false;
	err = bpf_map_lookup_and_delete_elem_flags(fd, &flow.key, slot, BPF_F_LOCK);
	if (err && err != -ENOENT) {
		err = bpf_map_lookup_elem_flags(fd, &flow.key, slot, BPF_F_LOCK);
		if (!err)
			err = bpf_map_delete_elem(fd, &flow.key);
	}
	if (err)
		return false;
	memcpy(&flow.rec, slot, sizeof(flow.rec));
	estimate_flow(flows, &flow);
	flow_prefix_of(&flow.key, &prefix);
	flows_fold(flows, &prefix, flow.rec.counts);
	/* They get into a prefix later: when the flow goes on, or at the end. */
	add_cached(flows, &flow);
	flows_spread(flows, &flow, true);
	tally_add(flows, &flows->gone, &flow);
	flows->aged++;
	return true;
}

void watch_flows_poll(struct watch_flows *flows)
{
	struct flow_cpu sum;

	flows_read(flows, &sum);
	if (!flows->going)
		flows->aging = sum.new_flows - flows->aged > flows->cfg.max_flows / 4 * 3;
	/* A little each time, so that nothing else is delayed. */
	if (flows->going || flows->aging)
		view_walk(flows, loop_mono_ns() + WALK_NS);
}

void watch_flows_sort(struct watch_flows *flows, enum watch_sort sort)
{
	flows->cfg.sort = sort;
}

void watch_flows_row(struct watch_flows *flows, uint64_t elapsed_ns)
{
	struct flow_cpu now;

	flows_read(flows, &now);
	__atomic_fetch_add(&flows->bpf->data->flow_epoch, 1, __ATOMIC_RELAXED);
	result_row_open(flows->part, elapsed_ns);
	result_row_u64(flows->part, "flow_active_count", now.active_flows - flows->row.active_flows);
	result_row_u64(flows->part, "flow_new_count", now.new_flows - flows->row.new_flows);
	if (!flows_are_sampled(flows))
		result_row_u64(flows->part, "flow_ended_count", now.ended_flows - flows->row.ended_flows);
	result_row_u64(flows->part, "folded_packets", now.folded - flows->row.folded);
	result_row_u64(flows->part, "flow_table_count", now.new_flows - flows->aged);
	result_row_close(flows->part);
	flows->row = now;
}
