/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/web/load.h - clients that fetch and send URLs, in several threads.
 *
 * A transaction is the request of a URL, including the redirections followed. In a closed loop each
 * client requests its URLs as fast as they are answered. With a rate, transactions are due by the
 * clock, any free client executes them, and their time counts from the due time.
 */
#ifndef ENGINE_WEB_LOAD_H
#define ENGINE_WEB_LOAD_H

#include <stdio.h>

#include "http/transfer.h"
#include "model/load_plan.h"
#include "result/result.h"

struct load_cfg {
	struct transfer_cfg transfer;
	const char *const *urls;
	unsigned int nr_urls;
	uint32_t clients, threads;
	struct load_step ramp, rate;	/* nr 0: all start together; closed loop */
	struct load_sources sources;
	uint64_t cycles;		/* per client; 0: no limit */
	uint64_t count;			/* transactions; 0: no limit */
	uint64_t duration_ns;		/* 0: no limit */
	struct load_range pause, cycle_pause;
	unsigned int max_redirects;
	uint64_t seed;
	FILE *log;			/* one line per request; NULL: none */
};

/* Checks that this host has the addresses that the clients will send from. */
int load_check_sources(const struct load_sources *sources, uint32_t clients, struct err *e);

/* Descriptors per client: a connection to each server, and FTP data connections. */
uint64_t load_files(const char *const *urls, unsigned int nr_urls, bool fresh);

struct load;

/* @cfg must outlive @ret_load. */
int load_open(struct load **ret_load, const struct load_cfg *cfg, struct err *e);
void load_close(struct load *load);

int load_start(struct load *load, struct err *e);

/* Where the first connection goes to; NULL: there was none yet. */
const struct sockaddr *load_first_server(const struct load *load);

/* *ret_done: all is done; -errno if the load cannot continue. */
int load_check(const struct load *load, bool *ret_done, struct err *e);

/* Aborts outstanding requests; returns when all threads have ended. */
void load_stop(struct load *load);

void load_report_row(struct load *load, struct result *res, uint64_t elapsed_ns);

/* After load_stop(). */
void load_report(const struct load *load, struct result *res);

/* Reports whether this host's CPUs were the limit; after meter_report(). */
void load_report_limit(const struct load *load, struct result *res);

/*
 * The criterion that some transaction succeeded; @no_failures: that some ended, and none of these without an
 * answer, or with 4xx or 5xx.
 */
void load_judge(const struct load *load, bool no_failures, struct result *res);

#endif
