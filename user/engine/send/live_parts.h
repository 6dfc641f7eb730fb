/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/send/live_parts.h - between the live engine (tx_live.c), which owns the loop, and its
 * makers: live_plain.c, live_mix.c and live_capture.c know one BPF program each, how its maps
 * are filled, when its next packet is due, and how its counts are read.
 *
 * The programs are three as no verifier from 5.10 on would take one that does all.
 */
#ifndef ENGINE_SEND_LIVE_PARTS_H
#define ENGINE_SEND_LIVE_PARTS_H

#include "engine/send/tx_engine.h"
#include "sys/hook/live_frames.h"
#include "sys/net/netns.h"

/* What a page holds beside the kernel's own, on every kernel so far. */
#define LIVE_PAGE_BYTES	3500

/* What one thread runs; but for the loop's own, a maker's open() says it. */
struct live_part {
	const uint8_t *bytes;		/* that a page begins as */
	uint32_t buf_bytes;
	uint32_t batch;
	bool waits;			/* runs slot_fd shortly before a slot, else spin_fd */
	bool by_clock;			/* a call must end soon: slots, or an end, may be over */
	bool unclocked;			/* packets leave without that anybody reads the clock */
	uint64_t limit;			/* packets, where their number is that of the runs; 0: none */
	const __u64 *made;		/* in the program's memory */

	struct live_calls calls;
	uint32_t repeat;		/* by_clock: of the next call */
	uint64_t behind_ns;		/* by_clock: how late the next slot was at the end of the last call */
	uint64_t begin_ns, end_ns;	/* of the loop; 0: not yet */
	uint64_t refused_packets;	/* when the loop looked last */
};

struct live_programs {
	int spin_fd, slot_fd;
	struct bpf_program *refused, *failed;
	struct bpf_link **refused_link, **failed_link;
};

/* The members that all programs of senders have alike (bpf/lib/refused.bpf.h). */
#define LIVE_REFUSED(skel) \
	.refused = (skel)->progs.live_refused, .refused_link = &(skel)->links.live_refused, \
	.failed = (skel)->progs.live_failed, .failed_link = &(skel)->links.live_failed

struct live;

struct live_maker {
	uint32_t slot_runs;		/* a call of slot_fd; 0: as repeat() says */
	/* Programs, parts and maps; a run behind it sends nothing yet. */
	int (*open)(struct live *live, struct tx *tx, struct err *e);
	/* The thread's packets are due from @start_ns on. */
	void (*start)(const struct tx_thread *thread, uint64_t start_ns);
	bool (*is_finished)(const struct tx_thread *thread);
	/* Of the next packet; 0: it is not to be waited for outside of the program. */
	uint64_t (*due_ns)(const struct tx_thread *thread);
	/* Of the next packet, of which there is one, whether or not it is waited for; 0: unknown. */
	uint64_t (*next_ns)(const struct tx_thread *thread);
	uint32_t (*repeat)(const struct tx_thread *thread);
	/* Behind the last call; may be NULL. */
	int (*end)(const struct tx_thread *thread, struct err *e);
	/* All but sent_packets. */
	void (*read)(const struct tx_thread *thread, struct tx_count *ret_count);
	void (*read_flow)(const struct tx_thread *thread, uint32_t k, struct mix_count *ret_count);
	void (*read_late)(const struct tx_thread *thread, struct hist_rec *sum);
	/* Takes a half-open one. */
	void (*close)(struct live *live);
};

struct live {
	const struct live_maker *maker;
	struct live_programs programs;
	struct dispatcher *dispatchers[2];	/* of spin_fd and slot_fd, where they are run */
	struct live_part *parts;		/* by thread */
	void *state;				/* the maker's */
};

extern const struct live_maker live_plain, live_mix, live_capture;

static inline struct live *live_of(const struct tx_thread *thread)
{
	return thread->tx->state;
}

static inline struct live_part *live_part_of(const struct tx_thread *thread)
{
	return &live_of(thread)->parts[thread->index];
}

static inline int live_fd(const struct live *live, const struct live_part *part)
{
	return part->waits ? live->programs.slot_fd : live->programs.spin_fd;
}

/* What bpf/lib/gen.bpf.h reads; each program's read-only data is of a type of its own. */
#define LIVE_SET_COMMON(rodata, tx) do { \
	(rodata)->ifindex = (tx)->ifindex; \
	(rodata)->netns_inode = netns_inode(); \
	(rodata)->into_stack = (tx)->cfg.into_stack; \
	(rodata)->stamp_clock = (tx)->cfg.clock; \
	(rodata)->tag_run = (tx)->cfg.run; \
} while (0)

/* Runs that take a moment, unless a new call is dear. */
uint32_t live_repeat_paced(const struct live *live, const struct live_part *part);

/* Live frames of @buf_bytes are too long. */
int live_too_long(const struct tx *tx, uint32_t buf_bytes, struct err *e);

#endif
