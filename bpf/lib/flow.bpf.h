/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/flow.bpf.h - the tables of flow_tc: flows, folded prefixes, round trips.
 */
#ifndef LIB_FLOW_BPF_H
#define LIB_FLOW_BPF_H

#include "abi/flow.h"
#include "lib/core.bpf.h"
#include "lib/hist.bpf.h"
#include "lib/parse.bpf.h"
#include "lib/watch.bpf.h"
#include "lib/wire.bpf.h"

/* Incremented by user space at each interval. */
__u32 flow_epoch = 1;

struct flow_slot {
	struct flow_rec rec;
	struct bpf_spin_lock lock;
	__u32 reserved;
};
ABI_ASSERT_SIZE(struct flow_slot, FLOW_SLOT_BYTES);

/* Initial value of a new flow; too large for the stack. */
static const __u64 flow_zero[sizeof(struct flow_slot) / 8];

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__type(key, struct flow_key);
	__type(value, struct flow_slot);
	__uint(max_entries, 1);		/* set before load */
} flows SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__type(key, struct flow_prefix);
	__type(value, struct flow_fold);
	__uint(max_entries, FLOW_PREFIXES);
} flow_folds SEC(".maps");

/* Round trips of TCP to the far end's prefix; each is large, so allocated on demand. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct flow_prefix);
	__type(value, struct hist_rec);
	__uint(max_entries, FLOW_TRIPS);
} flow_trips SEC(".maps");

/* TCP's round trips of a flow. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct flow_key);
	__type(value, struct flow_spread);
	__uint(max_entries, 1);		/* set before load */
} flow_spreads SEC(".maps");

static const struct flow_spread flow_no_spread;

/* A first value of flow_trips. */
struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__type(key, __u32);
	__type(value, struct hist_rec);
	__uint(max_entries, 1);
} flow_no_trips SEC(".maps");

MAPPED_ARRAY(flow_hists, struct hist_rec);	/* FLOW_KINDS x WATCH_DIRS x CPUs */
MAPPED_ARRAY(flow_cpus, struct flow_cpu);	/* CPUs */

static __always_inline void flow_sum(struct watch_sum *sum, __u32 packets, __u64 frame_bytes)
{
	ADD_ONCE(sum->packets, packets);
	ADD_ONCE(sum->frame_bytes, frame_bytes);
}

/* Not in the table: count in its far end's prefix, or if there are too many of these, in one sum. */
static __always_inline void flow_fold(const struct flow_key *key, enum watch_dir dir,
				      __u32 packets, __u64 frame_bytes, struct flow_cpu *cpu)
{
	static const struct flow_fold zero;
	struct flow_prefix prefix;
	struct flow_fold *fold;

	flow_prefix_of(key, &prefix);
	fold = bpf_map_lookup_elem(&flow_folds, &prefix);
	if (!fold) {
		bpf_map_update_elem(&flow_folds, &prefix, &zero, BPF_NOEXIST);
		fold = bpf_map_lookup_elem(&flow_folds, &prefix);
	}
	if (!fold) {
		flow_sum(&cpu->other[dir], packets, frame_bytes);
		return;
	}
	__sync_fetch_and_add(&fold->counts[dir].packets, packets);
	__sync_fetch_and_add(&fold->counts[dir].frame_bytes, frame_bytes);
}

/*
 * May run on any CPU; except for the extremes, nothing is lost in concurrent updates. No squares:
 * their sum has a carry, which two atomic additions would lose.
 */
static __always_inline void flow_hist_add(struct hist_rec *hist, __u64 ns)
{
	__u32 index;

	__sync_fetch_and_add(&hist->count, 1);
	__sync_fetch_and_add(&hist->sum_ns, ns);
	if (~ns > hist->not_min_ns)
		WRITE_ONCE(hist->not_min_ns, ~ns);
	if (ns > hist->max_ns)
		WRITE_ONCE(hist->max_ns, ns);
	if (unlikely(ns >> HIST_MAX_BITS)) {
		__sync_fetch_and_add(&hist->above, 1);
		return;
	}
	index = hist_index(ns);
	/* Always true; the verifier cannot follow the shifts. */
	if (index < HIST_BUCKETS)
		__sync_fetch_and_add(&hist->buckets[index], 1);
}

static __always_inline void flow_trip(const struct flow_key *key, __u64 ns)
{
	struct flow_prefix prefix;
	struct hist_rec *hist;
	__u32 first = 0;

	flow_prefix_of(key, &prefix);
	hist = bpf_map_lookup_elem(&flow_trips, &prefix);
	if (!hist) {
		hist = bpf_map_lookup_elem(&flow_no_trips, &first);
		if (!hist)
			return;
		bpf_map_update_elem(&flow_trips, &prefix, hist, BPF_NOEXIST);
		hist = bpf_map_lookup_elem(&flow_trips, &prefix);
		if (!hist)
			return;
	}
	flow_hist_add(hist, ns);
}

static __always_inline void flow_spread(const struct flow_key *key, __u32 dir, __u64 ns,
					struct flow_cpu *cpu)
{
	struct flow_spread *spread = bpf_map_lookup_elem(&flow_spreads, key);
	__u32 index = flow_spread_index(ns), *bucket;

	if (!spread) {
		bpf_map_update_elem(&flow_spreads, key, &flow_no_spread, BPF_NOEXIST);
		spread = bpf_map_lookup_elem(&flow_spreads, key);
	}
	/* The index is always in range; the verifier cannot follow the shifts. */
	if (!spread || index >= FLOW_SPREAD_BUCKETS)
		goto out;
	bucket = &spread->buckets[dir & 1][index];
	if (READ_ONCE(*bucket) >= FLOW_SPREAD_FULL)
		goto out;
	__sync_fetch_and_add(bucket, 1);
	return;
out:
	ADD_ONCE(cpu->not_spread, 1);
}

/*
 * Not static, so that the verifier checks it only once. @which: kind x WATCH_DIRS + direction of
 * the packet that was timed.
 */
__attribute__((noinline)) int flow_time_add(__u32 which, __u64 ns)
{
	__u32 index = which * cfg.nr_cpus + bpf_get_smp_processor_id();
	struct hist_rec *hist = bpf_map_lookup_elem(&flow_hists, &index);

	if (hist)
		hist_add(hist, 0, ns);
	return 0;
}

#endif
