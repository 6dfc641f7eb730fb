/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/seq_lock.bpf.h - the state of a stream, which may arrive on several CPUs, and its lock.
 *
 * The lock is the lowest bit of the slot's count, which user space reads before and after it copies
 * the state. Interrupts stay on, as XDP programs run with softirqs off and nothing else takes it: so
 * it costs one atomic instruction, some 55 ns less than bpf_spin_lock().
 */
#ifndef LIB_SEQ_LOCK_BPF_H
#define LIB_SEQ_LOCK_BPF_H

#include "abi/sink.h"
#include "lib/core.bpf.h"

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct seq_slot);
	__uint(max_entries, 1);		/* cfg.streams */
} sink_seqs SEC(".maps");

/* Set before load: no CPU makes a store visible before those that precede it, as x86. */
const volatile __u8 stores_in_order;

#ifdef SEQ_SPIN_LOCK

struct seq_spin {
	struct bpf_spin_lock lock;
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__type(key, __u32);
	__type(value, struct seq_spin);
	__uint(max_entries, 1);		/* cfg.streams */
} seq_spins SEC(".maps");

typedef struct seq_spin *seq_held;

static __always_inline seq_held seq_lock(__u32 stream, struct seq_slot *slot)
{
	struct seq_spin *spin = bpf_map_lookup_elem(&seq_spins, &stream);

	if (!spin)
		return NULL;
	bpf_spin_lock(&spin->lock);
	ADD_ONCE(slot->count, 1);
	return spin;
}

static __always_inline void seq_unlock(seq_held held, struct seq_slot *slot)
{
	ADD_ONCE(slot->count, 1);
	bpf_spin_unlock(&held->lock);
}

#else

/* Each multiplies how often it is tried: together for some 0.2 s, which no holder needs. */
#define SEQ_TRIES	256
#define SEQ_ROUNDS	512

typedef struct seq_slot *seq_held;

static __always_inline int seq_try(struct seq_slot *slot)
{
	__u32 count = READ_ONCE(slot->count);

	return !(count & 1) && __sync_val_compare_and_swap(&slot->count, count, count + 1) == count;
}

/* Global functions, each verified once, as every pass of a loop is. */
__attribute__((noinline)) int seq_try_often(__u32 stream)
{
	struct seq_slot *slot = bpf_map_lookup_elem(&sink_seqs, &stream);
	__u32 i;

	if (!slot)
		return 0;
	for (i = 0; i < SEQ_TRIES; i++) {
		if (seq_try(slot))
			return 1;
	}
	return 0;
}

__attribute__((noinline)) int seq_try_round(__u32 stream)
{
	__u32 i;

	for (i = 0; i < SEQ_ROUNDS; i++) {
		if (seq_try_often(stream))
			return 1;
	}
	return 0;
}

__attribute__((noinline)) int seq_wait(__u32 stream)
{
	__u32 i;

	for (i = 0; i < SEQ_ROUNDS; i++) {
		if (seq_try_round(stream))
			return 1;
	}
	return 0;
}

/* NULL: its holder did not release it in time. */
static __always_inline seq_held seq_lock(__u32 stream, struct seq_slot *slot)
{
	if (unlikely(!seq_try(slot)) && !seq_wait(stream))
		return NULL;
	return slot;
}

static __always_inline void seq_unlock(seq_held held, struct seq_slot *slot)
{
	__u32 count = READ_ONCE(slot->count) + 1;

	asm volatile("" : : : "memory");
	if (stores_in_order)
		WRITE_ONCE(slot->count, count);
	else
		__sync_lock_test_and_set(&slot->count, count);
}

#endif
#endif
