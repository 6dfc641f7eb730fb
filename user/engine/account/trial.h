/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/account/trial.h - the receiving end of a sender's run, in the same process but possibly in
 * another network namespace. As it knows both ends, it keeps the ledger.
 */
#ifndef ENGINE_ACCOUNT_TRIAL_H
#define ENGINE_ACCOUNT_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/receive/far_sink.h"
#include "engine/receive/rx.h"
#include "engine/send/tx.h"
#include "lib/err.h"
#include "lib/opt.h"
#include "lib/opt_rule.h"
#include "model/settle.h"
#include "result/result.h"

#define TRIAL_WAIT_MAX_NS	3600000000000ull

struct trial_opts {
	const char *sink;		/* "IFACE" or "IFACE@NETNS"; NULL: no receiver here */
	bool socket;
	bool no_ledger;
	uint32_t rcvbuf_bytes;
	uint32_t order_window;
	uint64_t wait_ns;		/* for late packets */
	bool reflected;			/* packets return from a reflector; set by callers, not by
					 * an option */
	const struct far_sink_cfg *far;	/* instead of sink: a receiver on another host; set by
					 * callers */
	bool verify_payload;		/* the payload pattern is sent; set by callers */
	bool gaps;			/* also measure inter-arrival times; set by callers */
};

/* Values: a struct trial_opts. */
extern const struct opt trial_options[];

#define TRIAL_DEFAULTS	.wait_ns = SETTLE_WAIT_NS

#define TRIAL_RULES \
	{ OPT_REQUIRES, "sink-socket no-ledger order-window wait", "sink" }, \
	{ OPT_EXCLUDES, "sink-socket", "order-window" }, \
	{ OPT_REQUIRES, "rcvbuf", "sink-socket" }

/* Checks the options' values; pure. */
int trial_check(const struct trial_opts *opts, struct err *e);

struct trial;

/* Opens the receiver for @cfg's packets; before tx_open(), as some drivers require it there. */
int trial_open(struct trial **ret_trial, const struct trial_opts *opts, const struct tx_cfg *cfg,
	       struct result *res, struct err *e);
void trial_close(struct trial *trial);		/* takes NULL */

/* Reads the counters that the ledger starts from; call right before the sender starts. */
void trial_begin(struct trial *trial, struct result *res);

/* Capabilities for trial_report(). */
unsigned int trial_keep_caps(const struct trial *trial);

/* Called repeatedly while packets arrive; an error ends the run. */
int trial_poll(struct trial *trial, struct err *e);

/*
 * What arrived since the previous row, into the open row of @res. @sent: after trial_settle(), for the last
 * row; NULL before.
 */
void trial_put_row(struct trial *trial, const struct tx *tx, const struct tx_count *sent, struct result *res,
		   uint64_t elapsed_ns);

/* Waits for packets in flight, then stops receiving. */
int trial_settle(struct trial *trial, const struct tx *tx, const struct tx_count *sent, struct err *e);

/* See struct receiver_ops, read_tail; only after settling. */
bool trial_read_tail(struct trial *trial, uint16_t stream, uint64_t *ret_next, uint64_t *ret_last_lost);

/* Received, loss, delay, order, and the ledger. */
int trial_report(struct trial *trial, const struct tx *tx, const struct tx_count *sent,
		 struct result *res, struct rx_figures *ret_figures, struct err *e);

#endif
