/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/lab/lab_trial.h - one run over a lab's link: node a sends; b receives, or reflects to a;
 * with the drivers' own counters.
 *
 * The thread must be allowed to enter the lab's namespaces, and is left in a.
 */
#ifndef ENGINE_LAB_LAB_TRIAL_H
#define ENGINE_LAB_LAB_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/echo/reflector.h"
#include "engine/lab/lab.h"
#include "engine/receive/rx.h"
#include "engine/self/meter.h"
#include "engine/send/tx.h"
#include "sys/net/nic.h"

struct lab_trial_cfg {
	const struct lab *lab;
	enum lab_middle middle;		/* what the lab has between a and b */
	bool probe;			/* b reflects and a receives: round trips */
	enum tx_engine engine;
	bool tagged;
	uint32_t frame_bytes;
	uint64_t count;
	double pps;			/* 0: as fast as possible */
	bool gaps;			/* paced: inter-arrival times against 1 / pps */
	enum stamp_clock clock;		/* at both ends */
	uint32_t record_ring_bytes;	/* record each packet, see rx_each_record(); 0: none */
	uint64_t settle_ns;		/* maximum wait for late packets; 0: a second */
	/* How many of @sent will arrive, UINT64_MAX: unknown as yet; NULL: all. */
	uint64_t (*due)(const void *due_ctx, uint64_t sent);
	const void *due_ctx;
};

struct lab_trial {
	uint16_t run;				/* in the tags */
	struct tx *tx;
	struct mix *mix;			/* the packets it sends */
	struct rx *rx;
	struct reflector *reflector;		/* probe only */
	struct meter *meter;			/* covers both ends, which are on one host */
	struct nic_counters a_before, b_before;
	/* Differences from before the first packet to after the last. */
	struct nic_counters a, b;		/* of the test interfaces of a and b */
	struct tx_count sent;
	struct tx_figures made;
	struct rx_count got;
	double taken_ratio;			/* see meter_taken_ratio() */
};

/*
 * Sends cfg->count packets, waits for them and fills @part with both ends' figures. Call
 * lab_trial_close() in any case. A signal ends it early, without an error: see loop_signal().
 */
int lab_trial_run(struct lab_trial *trial, const struct lab_trial_cfg *cfg, struct result *part,
		  struct err *e);
void lab_trial_close(struct lab_trial *trial);

#endif
