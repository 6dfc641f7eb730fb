/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/suite/far_sink.h - a receiver on another host: ethgauge sink, started by a command
 * such as ssh, one for each trial. Its lines of intervals tell that it is ready and what
 * has come; its standard input is closed when nothing is under way any more, and what it
 * then writes is its result.
 */
#ifndef ENGINE_SUITE_FAR_SINK_H
#define ENGINE_SUITE_FAR_SINK_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/send/tx.h"
#include "lib/err.h"
#include "result/result.h"

struct far_sink_cfg {
	const char *command;		/* what runs ethgauge there, by sh; NULL: no far sink */
	const char *ifname;		/* of that host */
	int netns_fd;			/* that the command runs in */
	/* outcome_interval() and outcome_take() of result/outcome.h. */
	bool (*interval)(const char *line, uint64_t *ret_elapsed_ns, uint64_t *ret_packets);
	int (*take)(const char *line, bool timed, struct result *res, struct err *e);
};

struct far_sink;

/* A name that shells leave as it is; pure. */
int far_sink_check(const char *ifname, struct err *e);

/* Starts it for what @tx is to send to UDP port @port, and waits until it receives. */
int far_sink_open(struct far_sink **ret_far, const struct far_sink_cfg *cfg, const struct tx_cfg *tx,
		  uint16_t port, struct err *e);
void far_sink_close(struct far_sink *far);	/* takes NULL */

/* Reads what it says, often enough that it need not wait; its end is an error. */
int far_sink_poll(struct far_sink *far, struct err *e);

/* Waits for what is still under way, and ends it. */
int far_sink_settle(struct far_sink *far, uint64_t sent, struct err *e);

/* What it received, and lost of @sent; delays if the clock is one that hosts share. */
int far_sink_report(struct far_sink *far, uint64_t sent, struct result *res, struct err *e);

#endif
