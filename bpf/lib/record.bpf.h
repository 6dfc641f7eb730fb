/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/record.bpf.h - a record of each packet, into a ring that user space empties.
 *
 * What finds the ring full is counted and not waited for. The reader is never
 * woken: it looks every few milliseconds, which the ring must hold, so a record
 * costs neither an interrupt nor a look at how far the reader is.
 */
#ifndef LIB_RECORD_BPF_H
#define LIB_RECORD_BPF_H

#include "abi/record.h"
#include "abi/sink.h"
#include "lib/core.bpf.h"

/* One in so many numbers of a stream is recorded; 0: none is. */
const volatile __u32 record_every;

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);	/* bytes; set before load */
} sink_records SEC(".maps");

/* A packet that is not in order makes one of these grow. */
struct record_sums {
	__u64 run, reordered, duplicates, unknown;
};

static __always_inline struct record_sums record_sums(const struct seq_state *seq)
{
	return (struct record_sums){ seq->run, seq->reordered, seq->duplicates, seq->unknown };
}

/* What became of the number @low: under the lock, right behind seq_add(). */
static __always_inline void record_judge(struct record *rec, const struct record_sums *before,
					 const struct seq_state *seq, __u32 low)
{
	__s64 ahead = (__s32)(low - (__u32)seq->next);

	rec->sequence = seq->next + ahead;
	if (ahead < 0 && rec->sequence > seq->next)
		rec->sequence = low;	/* before number 0 */
	if (seq->unknown != before->unknown)
		rec->kind = RECORD_UNKNOWN;
	else if (seq->duplicates != before->duplicates)
		rec->kind = RECORD_DUPLICATE;
	else if (seq->reordered != before->reordered)
		rec->kind = RECORD_LATE;
	else if (before->run && seq->run != before->run)
		rec->kind = RECORD_RESTART;
	else
		rec->kind = RECORD_IN_ORDER;
}

/* -1: there was no room for it. */
static __always_inline int record_add(const struct record *rec)
{
	struct record *slot;

	if (record_every > 1 && rec->sequence % record_every)
		return 0;
	slot = bpf_ringbuf_reserve(&sink_records, sizeof(*slot), 0);
	if (!slot)
		return -1;
	*slot = *rec;
	bpf_ringbuf_submit(slot, BPF_RB_NO_WAKEUP);
	return 0;
}

#endif
