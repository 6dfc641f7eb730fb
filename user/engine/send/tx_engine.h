/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/send/tx_engine.h - what an engine is to engine/send/tx.c. Only tx*.c include this.
 *
 * tx.c owns the threads; an engine owns its descriptors and one loop.
 */
#ifndef ENGINE_SEND_TX_ENGINE_H
#define ENGINE_SEND_TX_ENGINE_H

#include <pthread.h>
#include <stdatomic.h>

#include "engine/send/tx.h"
#include "model/mix.h"
#include "sys/host/cpu.h"

struct tx_thread {
	struct tx *tx;
	uint32_t index;
	uint32_t queue;
	uint32_t cpu;
	uint64_t limit;			/* packets; 0: none */
	uint32_t batch;
	const struct mix_flow *flow;	/* its part of a plain stream, or the capture; NULL: many */
	struct err err;			/* of the loop; read after the join */
	struct cpu_thread begin, end;	/* of the loop; likewise */
	atomic_bool begun, ended;
	pthread_t id;
	bool started;
	void *state;			/* the engine's */
};

struct tx {
	struct tx_cfg cfg;
	enum mix_kind kind;		/* of cfg.mix */
	int ifindex;
	atomic_bool stop;		/* the loops look at it */
	_Atomic uint64_t start_ns;	/* of the run: tx_start_ns() */
	struct tx_thread *threads;
	const struct tx_engine_ops *ops;
	void *state;			/* the engine's, for all threads */
	struct companion *companion;	/* the program that the driver wants to see, or NULL */
};

struct tx_ring;

struct tx_engine_ops {
	const char *name;
	bool is_live;			/* sends live frames */
	unsigned int keep_caps;		/* enum caps_need that run() still needs */
	/* All descriptors of all threads. */
	int (*open)(struct tx *tx, struct result *res, struct err *e);
	/* In its thread, pinned: sends until the limit, cfg.duration_ns, or tx->stop. */
	int (*run)(struct tx_thread *thread, struct err *e);
	/* May be called at any time from another thread. */
	void (*read)(const struct tx_thread *thread, struct tx_count *ret_count);
	/* The same of the @k-th stream of this thread; not of a plain one. */
	void (*read_flow)(const struct tx_thread *thread, uint32_t k, struct mix_count *ret_count);
	/* Adds to @sum how late the thread's packets left, if it is told. */
	void (*read_late)(const struct tx_thread *thread, struct hist_rec *sum);
	/* The thread's AF_XDP ring; NULL in engines that have none. */
	const struct tx_ring *(*ring)(const struct tx_thread *thread);
	/* Figures of this engine alone; may be NULL. */
	void (*report)(const struct tx *tx, struct result *res);
	/* Takes a half-open one. */
	void (*close)(struct tx *tx);
};

/*
 * When the run starts, on CLOCK_MONOTONIC, for all threads: as the first one that asks sets it.
 * What has slots has TX_LEAD_NS before it, so that every thread is there.
 */
uint64_t tx_start_ns(struct tx_thread *thread);

/* Where @no, with which sending failed, is because the interface is down or gone: says so in @e. */
bool tx_hint_down(const struct tx *tx, int no, struct err *e);

extern const struct tx_engine_ops tx_live_ops, tx_afxdp_ops;

#endif
