/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/record.bpf.h - write a record of each packet to a ring that user space reads.
 *
 * If the ring is full, the record is counted and dropped. The reader is never woken: it polls every
 * few milliseconds, which the ring must hold, so a record costs neither an interrupt nor a read of
 * the reader's position.
 */
#ifndef LIB_RECORD_BPF_H
#define LIB_RECORD_BPF_H

#include "abi/record.h"
#include "lib/core.bpf.h"
#include "lib/seq.bpf.h"

/* Record one in this many numbers of a stream; 0: none. */
const volatile __u32 record_every;

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 4096);	/* bytes; set before load */
} sink_records SEC(".maps");

/* How @arrival's number was judged: under the lock, right after seq_add(). */
static __always_inline void record_judge(struct record *rec, const struct seq_state *seq,
					 const struct seq_arrival *arrival)
{
	rec->sequence = arrival->place - seq->base;
	if ((__s64)rec->sequence < 0)
		rec->sequence = arrival->low;	/* below number 0 */
	rec->kind = RECORD_IN_ORDER;
	if (arrival->kind == SEQ_LATE)
		rec->kind = RECORD_LATE;
	else if (arrival->kind == SEQ_DUPLICATE)
		rec->kind = RECORD_DUPLICATE;
	else if (arrival->kind == SEQ_UNKNOWN)
		rec->kind = RECORD_UNKNOWN;
	else if (arrival->kind == SEQ_OTHER_RUN)
		rec->kind = RECORD_OTHER_RUN;
	else if (arrival->kind >= SEQ_HELD)
		rec->kind = seq->run ? RECORD_UNCONFIRMED : RECORD_IN_ORDER;
	else if (arrival->confirmed && seq->run > 1 && arrival->confirmed == seq->first)
		rec->kind = RECORD_RESTART;
}

/* -1: no room. */
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
