/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/web/load.h - clients that fetch and send URLs, in threads of their own.
 *
 * A transaction is a URL's request with the redirections that were followed. In a closed
 * loop each client goes through its URLs as fast as they are answered; with a rate,
 * transactions are due by the clock, whichever client is free does them, and their time
 * counts from when they were due.
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
	struct load_step ramp, rate;	/* nr 0: all at once; a closed loop */
	struct load_sources sources;
	uint64_t cycles;		/* of each client; 0: no limit */
	uint64_t count;			/* transactions; 0: no limit */
	uint64_t duration_ns;		/* 0: no limit */
	struct load_range pause, cycle_pause;
	unsigned int max_redirects;
	uint64_t seed;
	FILE *log;			/* a line a request; NULL: none */
};

/* Whether this host has the addresses that the clients will send from. */
int load_check_sources(const struct load_sources *sources, uint32_t clients, struct err *e);

/* Descriptors of a client: a connection to each place, and FTP's for data. */
uint64_t load_files(const char *const *urls, unsigned int nr_urls, bool fresh);

struct load;

/* @cfg must live as long as @ret_load. */
int load_open(struct load **ret_load, const struct load_cfg *cfg, struct err *e);
void load_close(struct load *load);

int load_start(struct load *load, struct err *e);

/* Whether all is done; -errno where it cannot go on. */
int load_check(const struct load *load, bool *ret_done, struct err *e);

/* What is under way is cut off; returns when all threads have ended. */
void load_stop(struct load *load);

void load_report_row(struct load *load, struct result *res, uint64_t elapsed_ns);

/* After load_stop(). */
void load_report(const struct load *load, struct result *res);

/* Whose CPU was the limit, after all that meter_report() reports. */
void load_report_limit(const struct load *load, struct result *res);

/* Transactions that were not answered, or by 4xx or 5xx; all that ended. */
uint64_t load_failed(const struct load *load, uint64_t *ret_transactions);

#endif
