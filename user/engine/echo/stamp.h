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
	uint32_t sessions;		/* per destination */
	uint16_t port, src_port;	/* src_port: the first session's; 0: any */
	const char *src_ip;		/* NULL: chosen by the route */
	int family;			/* AF_UNSPEC, AF_INET, AF_INET6 */
	uint8_t dscp, ttl;
	bool strict_ssid;		/* reject answers without the session's identifier */
	struct stamp_form form;		/* ssid is set per session */
	enum stamp_kind kind;		/* unknown: find out */
	uint64_t count;			/* per session; 0: no limit */
	uint64_t duration_ns;		/* 0: no limit */
	uint64_t wait_ns, interval_ns;
	uint64_t gap_ns;		/* mean interval between a session's packets */
	bool poisson;
	uint64_t seed;			/* of poisson */
	uint64_t ssid_seed;		/* of the session identifiers; 0: by chance */
};

struct stamp;

int stamp_open(struct stamp **ret_stamp, const struct stamp_cfg *cfg, struct err *e);
void stamp_close(struct stamp *stamp);	/* takes NULL */

/*
 * Sends and waits for the last answers until all is done or a signal arrives; adds a row to the
 * time series at each interval.
 */
int stamp_run(struct stamp *stamp, struct result *res, struct err *e);

/* @no_loss: with the criterion that all packets were answered, in place of any. */
void stamp_report(struct stamp *stamp, bool no_loss, struct result *res);

/* The address of destination @i; NULL: there are no more. */
const struct sockaddr *stamp_dest(const struct stamp *stamp, unsigned int i);

/* Test packets lost; @ret_sent: of how many. */
uint64_t stamp_lost(const struct stamp *stamp, uint64_t *ret_sent);

/* Answers that this end's sockets dropped, as their buffers were full. */
uint64_t stamp_socket_full(const struct stamp *stamp);

#endif
