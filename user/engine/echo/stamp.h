/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/echo/stamp.h - a STAMP or TWAMP Light sender: sessions on UDP sockets, in one thread.
 */
#ifndef ENGINE_ECHO_STAMP_H
#define ENGINE_ECHO_STAMP_H

#include "model/stamp_session.h"
#include "proto/stamp.h"
#include "result/result.h"

struct stamp_cfg {
	const char *const *dests;	/* names or addresses */
	unsigned int nr_dests;
	uint32_t sessions;		/* of each destination */
	uint16_t port, src_port;	/* src_port: of the first session; 0: any */
	const char *src_ip;		/* NULL: as the route gives */
	int family;			/* AF_UNSPEC, AF_INET, AF_INET6 */
	uint8_t dscp, ttl;
	bool strict_ssid;		/* an answer without the session's identifier is none */
	struct stamp_form form;		/* ssid is each session's own */
	enum stamp_kind kind;		/* unknown: is asked */
	uint64_t count;			/* of each session; 0: no bound */
	uint64_t duration_ns;		/* 0: no bound */
	uint64_t wait_ns, interval_ns;
	uint64_t gap_ns;		/* between a session's packets, in the mean */
	bool poisson;
	uint64_t seed;
};

struct stamp;

int stamp_open(struct stamp **ret_stamp, const struct stamp_cfg *cfg, struct err *e);
void stamp_close(struct stamp *stamp);	/* takes NULL */

/*
 * Sends, and waits for the last answers, until all is done or a signal came; a row of
 * the time series at each interval.
 */
int stamp_run(struct stamp *stamp, struct result *res, struct err *e);

void stamp_report(struct stamp *stamp, struct result *res);

/* Test packets sent, and of these lost. */
uint64_t stamp_lost(const struct stamp *stamp, uint64_t *ret_sent);

#endif
