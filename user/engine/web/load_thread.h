/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/web/load_thread.h - a thread of clients, and what all threads share.
 */
#ifndef ENGINE_WEB_LOAD_THREAD_H
#define ENGINE_WEB_LOAD_THREAD_H

#include <pthread.h>

#include "engine/web/load_parts.h"
#include "lib/heap.h"
#include "sys/host/cpu.h"

struct load_client;

struct load_thread {
	struct load *load;
	pthread_t thread;
	bool started;
	uint32_t index;
	struct transfer_set *set;
	struct load_client *clients;
	uint32_t nr_clients, nr_alive, nr_busy;
	struct heap waiting;		/* clients with a later start time */
	uint32_t *idle, idle_first, nr_idle;	/* ring of clients that wait for a slot */
	uint64_t slot;			/* open loop: this thread's next slot */
	struct load_count count;
	uint64_t ended_mono_ns;
	struct cpu_thread began, ended;
};

struct load {
	const struct load_cfg *cfg;
	struct load_peaks peaks;
	struct transfer_cfg transfer;	/* with this thread's counters */
	struct load_thread *threads;
	struct load_row *row;
	uint64_t start_mono_ns, end_mono_ns;
	uint64_t begun;			/* transactions, over all threads */
	uint32_t nr_running;
	bool stop, failed;
	struct err error;
	pthread_mutex_t lock;		/* protects the error */
};

/*
 * Opens its share of the clients; load_thread_run() is the thread, and starts with those in
 * @waiting.
 */
int load_thread_open(struct load *load, uint32_t index, struct err *e);
void load_thread_close(struct load_thread *t);
void *load_thread_run(void *ctx);

/* Queues every client for its start time. */
void load_thread_ramp(struct load_thread *t);

/* Writes the header line of the log. */
void load_log_head(FILE *log);

#endif
