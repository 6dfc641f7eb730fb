/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/seq_lock.bpf.h - the state of a stream, which may arrive on several CPUs, and its lock.
 *
 * The lock is the lowest bit of the slot's count, which user space reads before and after it copies
 * the state. Interrupts stay on, as XDP programs run with softirqs off and nothing else takes it: so
 * it costs one atomic instruction, where bpf_spin_lock() is two calls.
 */
#ifndef LIB_SEQ_LOCK_BPF_H
#define LIB_SEQ_LOCK_BPF_H

#include "abi/sink.h"
#include "lib/core.bpf.h"

#ifdef NO_CMPXCHG

/* User space reads with BPF_F_LOCK. */
struct stream_slot {
	struct bpf_spin_lock lock;
	__u32 reserved;
	struct seq_state state;
};
#define SEQ_MAP_FLAGS	0

#else

struct stream_slot {
	__u32 count;
	__u32 reserved;
	struct seq_state state;
};
#define SEQ_MAP_FLAGS	BPF_F_MMAPABLE

#endif

_Static_assert(sizeof(struct stream_slot) == sizeof(struct seq_slot) &&
	       offsetof(struct stream_slot, state) == offsetof(struct seq_slot, state), "as user space has it");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, SEQ_MAP_FLAGS);
	__type(key, __u32);
	__type(value, struct stream_slot);
	__uint(max_entries, 1);		/* cfg.streams */
} sink_seqs SEC(".maps");

/* Set before load: no CPU makes a store visible before those that precede it, as x86. */
const volatile __u8 stores_in_order;

#ifdef NO_CMPXCHG

/* True: no other CPU writes the state until seq_unlock(). */
static __always_inline int seq_lock(__u32 stream, struct stream_slot *slot)
{
	bpf_spin_lock(&slot->lock);
	return 1;
}

static __always_inline void seq_unlock(struct stream_slot *slot)
{
	bpf_spin_unlock(&slot->lock);
}

static __always_inline int seq_lock_before(__u32 stream)
{
	return 1;
}

static __always_inline int seq_lock_within(__u32 stream, struct stream_slot *slot)
{
	return seq_lock(stream, slot);
}

#else

/* Each multiplies how often it is tried: together for some 0.2 s, far longer than a holder that runs takes. */
#define SEQ_TRIES	256
#define SEQ_ROUNDS	512

static __always_inline int seq_try(struct stream_slot *slot)
{
	__u32 count = READ_ONCE(slot->count);

	return !(count & 1) && __sync_val_compare_and_swap(&slot->count, count, count + 1) == count;
}

/* Global functions, each verified once, as every pass of a loop is. */
__attribute__((noinline)) int seq_try_often(__u32 stream)
{
	struct stream_slot *slot = bpf_map_lookup_elem(&sink_seqs, &stream);
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

/* True: no other CPU writes the state until seq_unlock(); false: its holder did not release it in time. */
static __always_inline int seq_lock(__u32 stream, struct stream_slot *slot)
{
	return likely(seq_try(slot)) || seq_wait(stream);
}

static __always_inline void seq_unlock(struct stream_slot *slot)
{
	__u32 count = READ_ONCE(slot->count) + 1;

	barrier();
	if (stores_in_order)
		WRITE_ONCE(slot->count, count);
	else
		__sync_lock_test_and_set(&slot->count, count);
}

/*
 * For a part that is a function of its own, with a large stack: the lock is taken before the call, as
 * the stacks of all calls must fit in 512 bytes. bpf_spin_lock() must be called within.
 */
static __always_inline int seq_lock_before(__u32 stream)
{
	return seq_wait(stream);
}

static __always_inline int seq_lock_within(__u32 stream, struct stream_slot *slot)
{
	return 1;
}

#endif
#endif
