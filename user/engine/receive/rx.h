/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/receive/rx.h - count, check and time received packets with sink_xdp, and report them.
 *
 * Works in the network namespace of the thread that calls rx_open(). Once attached, reading
 * requires no capability (from kernel 5.19 on).
 */
#ifndef ENGINE_RECEIVE_RX_H
#define ENGINE_RECEIVE_RX_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/hist.h"
#include "abi/record.h"
#include "abi/sink.h"
#include "abi/stamp.h"
#include "engine/receive/receiver.h"
#include "lib/err.h"
#include "lib/opt.h"
#include "proto/frame.h"
#include "result/result.h"
#include "sys/hook/drops.h"
#include "sys/hook/xdp.h"

#define RX_MAX_STREAMS 4096	/* each uses 54 KB per CPU, and 77 to 128 KB or more, by its window */

enum rx_stamp_want {
	RX_STAMP_XDP,		/* the time at which the XDP program runs */
	RX_STAMP_HW,		/* the NIC's */
	RX_STAMP_AUTO,		/* hardware if supported, otherwise a note says why not */
};

/* Choices of --rx-stamp, in the order of enum rx_stamp_want. */
extern const char *const rx_stamp_names[];

struct rx_cfg {
	const char *ifname;
	enum xdp_mode mode;
	enum sink_match match;
	uint16_t port;			/* host order */
	struct frame_addr peer;		/* with SINK_MATCH_SOURCE: from this address only; family 0: any */
	bool own_mac;			/* count packets to another unicast MAC address apart */
	bool pass;			/* pass test packets on to the stack */
	bool check;			/* tag, order and delay; otherwise count only */
	uint16_t streams;		/* checked: 0 .. streams - 1; at most RX_MAX_STREAMS */
	uint32_t window;		/* rx_order_window(): numbers in which late packets and
					 * duplicates are distinguished; 0: by speed and memory */
	bool vary;			/* with check: also delay variation */
	bool gaps;			/* with check: inter-arrival times of each stream */
	bool no_checksum;		/* verify no checksum: none is found damaged */
	bool no_l4_checksum;		/* verify IPv4 header checksums only */
	bool verify_payload;		/* with check: it is the payload pattern (abi/payload.h) */
	uint64_t expect_gap_ns;		/* with gaps: the intended interval; 0: none given */
	uint32_t record_every;		/* with check: record one packet in this many; 0: none */
	uint32_t record_ring_bytes;	/* a power of two, in whole pages */
	enum stamp_clock clock;		/* of the timestamps, at both ends */
	uint16_t run;			/* with check: of the sender, with the clock's bit; 0: any */
	enum rx_stamp_want stamp;	/* with check: source of receive timestamps */
	const struct drops_maps *drops;	/* that note received packets; NULL: none */
};

/* Value: what becomes rx_cfg.window. */
extern const struct opt rx_window_options[];

struct rx;

/* Capabilities required by rx_check() and rx_close(). */
unsigned int rx_keep_caps(const struct rx *rx);

int rx_open(struct rx **ret_rx, const struct rx_cfg *cfg, struct result *res, struct err *e);
void rx_close(struct rx *rx);

/* The same receiver as the generic type; close it once, as either. */
struct receiver *rx_receiver(struct rx *rx);

/*
 * Detaches: the counters stop, so that all figures of a report are consistent although packets
 * still arrive.
 */
void rx_stop(struct rx *rx);

/* Prefix of its times' keys: "delay", or "rtt" for reflections. */
const char *rx_prefix(const struct rx_cfg *cfg);

/* With record_every: the ring of struct record, valid after rx_stop(), too. */
int rx_records_fd(const struct rx *rx);

/*
 * All records so far, in order of arrival. For a ring that holds a whole run, read once; nothing else
 * may read it.
 */
int rx_each_record(const struct rx *rx, void (*take)(void *ctx, const struct record *rec), void *ctx,
		   struct err *e);

/* Test packets so far: without a system call per stream. */
uint64_t rx_packets(const struct rx *rx);

/* Counters since rx_open(), in one pass over the CPUs. */
void rx_read(struct rx *rx, struct rx_count *ret_count);

/* The same, when no packet can arrive any more: with what was lost at the ends of streams. */
void rx_read_all(struct rx *rx, const struct rx_sent *sent, struct rx_count *ret_count);

/* True if the stream was seen. @sent as of rx_read_all(). */
bool rx_read_stream(struct rx *rx, uint16_t stream, const struct rx_sent *sent,
		    struct rx_count *ret_count);

/*
 * For a stream: the highest number that arrived plus one, and rx_order_last_lost(). False: nothing
 * arrived.
 */
bool rx_read_tail(struct rx *rx, uint16_t stream, uint64_t *ret_next, uint64_t *ret_last_lost);

/* Delays of all streams, or of one, merged over the CPUs. */
void rx_read_hist(struct rx *rx, struct hist_rec *ret_hist);
void rx_read_stream_hist(struct rx *rx, uint16_t stream, struct hist_rec *ret_hist);

/* Inter-arrival times within each stream, over all streams; requires cfg.gaps. */
void rx_read_gaps(struct rx *rx, struct hist_rec *ret_hist);

/* Differences of the inter-arrival times from cfg.expect_gap_ns, which must be set. */
void rx_read_gap_errors(struct rx *rx, struct hist_rec *ret_hist);

/*
 * Everything into @res: totals, percentiles under @prefix ("delay" or "rtt"), with more than one
 * stream a row for each, and a part for each of the first @max_parts.
 * @sent: NULL if unknown, loss is then derived from missing numbers.
 */
void rx_report(struct rx *rx, struct result *res, const char *prefix, const struct rx_sent *sent,
	       uint32_t max_parts);

/* See struct receiver_ops. */
void rx_put_row(struct rx *rx, struct result *res, const struct rx_sent *sent, uint64_t elapsed_ns);

/*
 * Call repeatedly: it also follows the NIC's clock. -ENODEV if the interface vanished, so that the
 * run can end with a reason.
 */
int rx_check(struct rx *rx, struct err *e);

#endif
