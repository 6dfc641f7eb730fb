/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/receive/far_sink.h - a receiver on another host: ethgauge sink, started by a command such
 * as ssh, once per trial. Its interval lines show that it is ready and what has arrived. When
 * nothing is in flight any more its stdin is closed, and what it then writes is its result.
 */
#ifndef ENGINE_RECEIVE_FAR_SINK_H
#define ENGINE_RECEIVE_FAR_SINK_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/stamp.h"
#include "engine/receive/receiver.h"
#include "lib/err.h"
#include "result/outcome.h"
#include "result/result.h"

struct far_sink_cfg {
	const char *command;		/* command that runs ethgauge there, by sh; NULL: no far
					 * sink */
	const char *ifname;		/* interface of that host */
	int netns_fd;			/* network namespace that the command runs in */
	/* outcome_interval() and outcome_take() of result/outcome.h. */
	bool (*interval)(const char *line, struct outcome_row *ret_row);
	int (*take)(const char *line, bool timed, struct result *res,
		    struct outcome *ret_outcome, struct err *e);
};

/* Accepts only names without shell metacharacters; pure. */
int far_sink_check(const char *ifname, struct err *e);

/*
 * Starts it for packets to UDP port @port of streams 0 to @streams - 1, and waits until it
 * receives. Delays are reported if @clock is comparable between hosts.
 */
int far_sink_open(struct receiver **ret_receiver, const struct far_sink_cfg *cfg, uint16_t port,
		  uint32_t streams, uint16_t run, enum stamp_clock clock, struct err *e);

#endif
