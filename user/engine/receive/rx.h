/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/receive/rx.h - count, check and time what arrives, in sink_xdp; and report it.
 *
 * Works in the network namespace of the thread that calls rx_open(). Once it
 * is attached, reading needs no capability (on kernels from 5.19).
 */
#ifndef ENGINE_RECEIVE_RX_H
#define ENGINE_RECEIVE_RX_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/hist.h"
#include "abi/sink.h"
#include "abi/stamp.h"
#include "engine/receive/receiver.h"
#include "lib/err.h"
#include "result/result.h"
#include "sys/hook/xdp.h"

#define RX_MAX_STREAMS 4096	/* each takes 18 KB a CPU, and 58 to 109 KB */

enum rx_stamp_want {
	RX_STAMP_XDP,		/* the time at which the XDP program runs */
	RX_STAMP_HW,		/* the NIC's */
	RX_STAMP_AUTO,		/* the NIC's where it has it, else said so */
};

/* Choices of --rx-stamp, in the order of enum rx_stamp_want. */
extern const char *const rx_stamp_names[];

struct rx_cfg {
	const char *ifname;
	enum xdp_mode mode;
	enum sink_match match;
	uint16_t port;			/* host order */
	bool pass;			/* test packets go on to the stack */
	bool check;			/* tag, order and delay; else count only */
	uint16_t streams;		/* that are checked: 0 .. streams - 1; 1 to RX_MAX_STREAMS */
	bool vary;			/* with check: the variation of the delay too */
	bool gaps;			/* with check: times between a stream's packets */
	uint64_t expect_gap_ns;		/* with gaps: what each should be; 0: nobody said */
	uint32_t record_every;		/* with check: a record of one in so many; 0: none */
	uint32_t record_ring_bytes;	/* a power of two, of whole pages */
	enum stamp_clock clock;		/* of the stamps, at both ends */
	enum rx_stamp_want stamp;	/* with check: who stamps what comes */
	int seen_fd;			/* map of sys/hook/drops.h in which to note what came; 0: none */
};

struct rx;

/* Capabilities that rx_check() and rx_close() still need. */
unsigned int rx_keep_caps(const struct rx *rx);

int rx_open(struct rx **ret_rx, const struct rx_cfg *cfg, struct result *res, struct err *e);
void rx_close(struct rx *rx);

/* The same, for those who take any receiver; it is closed as one or as the other. */
struct receiver *rx_receiver(struct rx *rx);

/*
 * Detaches: from here on the counters stand still, so that all figures of a
 * report are of one moment though packets still arrive.
 */
void rx_stop(struct rx *rx);

/* What its times are called in keys: "delay", or "rtt" of reflections. */
const char *rx_prefix(const struct rx_cfg *cfg);

/* With record_every: the ring of struct record, its own still after rx_stop(). */
int rx_records_fd(const struct rx *rx);

/* Test packets so far: of thousands of streams, without a system call for each. */
uint64_t rx_packets(const struct rx *rx);

/* Counters since rx_open(); one pass over the CPUs. */
void rx_read(struct rx *rx, struct rx_count *ret_count);

/* True if the stream was seen at all. */
bool rx_read_stream(struct rx *rx, uint16_t stream, struct rx_count *ret_count);

/* Numbers of a stream: one above the highest that came, and rx_order_last_lost(). False: none came. */
bool rx_read_tail(struct rx *rx, uint16_t stream, uint64_t *ret_next, uint64_t *ret_last_lost);

/* Delays of all streams, or of one; merged over the CPUs. */
void rx_read_hist(struct rx *rx, struct hist_rec *ret_hist);
void rx_read_stream_hist(struct rx *rx, uint16_t stream, struct hist_rec *ret_hist);

/* Times between a stream's packets, of all streams, with cfg.gaps. */
void rx_read_gaps(struct rx *rx, struct hist_rec *ret_hist);

/* How far the gaps of all streams were from cfg.expect_gap_ns, which must be set. */
void rx_read_gap_errors(struct rx *rx, struct hist_rec *ret_hist);

/*
 * Everything into @res: totals, percentiles under @prefix ("delay" or "rtt"),
 * and with more than one stream a row for each of them all, and a part for each
 * of the first @max_parts.
 * @sent: packets that were sent; 0 where that is not known, and loss is then
 * told from the gaps.
 */
void rx_report(struct rx *rx, struct result *res, const char *prefix, uint64_t sent,
	       uint32_t max_parts);

/* A row of the series: what came since the row before. */
void rx_report_row(struct rx *rx, struct result *res, uint64_t elapsed_ns);

/*
 * To be called all the time: it also follows the NIC's clock. -ENODEV if the
 * interface is gone, so that a run on it can end with a reason.
 */
int rx_check(struct rx *rx, struct err *e);

#endif
