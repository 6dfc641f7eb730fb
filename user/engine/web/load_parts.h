/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/web/load_parts.h - counters of load.c, reported by load_report.c.
 */
#ifndef ENGINE_WEB_LOAD_PARTS_H
#define ENGINE_WEB_LOAD_PARTS_H

#include "abi/hist.h"
#include "engine/web/load.h"
#include "lib/peak.h"

#define LOAD_STATUSES 1000

/* One thread's, written only by it; all members except the histograms are counters. */
struct load_count {
	uint64_t ends[TRANSFER_ENDS];		/* transactions, by outcome */
	uint64_t statuses[LOAD_STATUSES];	/* completely answered requests */
	uint64_t requests, redirects, redirects_refused, cycles, cut, behind;
	uint64_t redirects_barred;		/* of the refused ones: to where none is followed */
	uint64_t connections, reused, plain_requests;
	uint64_t body_received_bytes, body_sent_bytes, header_received_bytes, header_sent_bytes;
	struct hist_rec total, connect, tls, first_byte;
};

/* Shared by all threads. */
struct load_peaks {
	struct peak clients, in_flight;
	struct transfer_sockets sockets;
};

/* Sums all threads into @sum. */
void load_sum(const struct load *load, struct load_count *sum);

const struct load_cfg *load_config(const struct load *load);
const struct load_peaks *load_peaks(const struct load *load);
uint64_t load_elapsed_ns(const struct load *load);

/* The busiest thread's share of time on a CPU or waiting for one. */
double load_busiest_ratio(const struct load *load);

/* State at the last row, for load_report.c. */
struct load_row {
	uint64_t elapsed_ns;
	struct load_count count, now;
};

struct load_row *load_last_row(struct load *load);

#endif
