/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/echo/stamp_parts.h - what the sender and its report share.
 */
#ifndef ENGINE_ECHO_STAMP_PARTS_H
#define ENGINE_ECHO_STAMP_PARTS_H

#include "abi/pace.h"
#include "engine/echo/stamp.h"
#include "lib/heap.h"
#include "sys/socket/udp.h"

/* How many answers had the TLV, and its last value. */
struct stamp_tlv_count {
	uint64_t returned, unrecognised, malformed, not_intact;
};

struct stamp_dest {
	const char *name;
	struct sock_addr addr;
	enum stamp_kind kind;		/* as found out or given */
	bool asked;
	struct stamp_sums *sums;
	uint64_t answers, malformed, forged, foreign, refused, unstamped;
	uint64_t not_sent;
	uint16_t error;			/* Error Estimate of the last answer */
	int ttl_out, ttl_back;		/* of the last answer; 0: unknown */
	struct stamp_tlv_count tlvs[STAMP_TLVS];
	struct stamp_reply last;	/* the last answer */
	struct stamp_reply said;	/* each TLV's fields as last received */
};

struct stamp_lane {
	int fd;
	uint16_t ssid;
	uint32_t dest;
	struct pace pace;
	struct pace_time due;		/* since the start */
	uint64_t slot;			/* position in the schedule */
	struct stamp_session session;
};

struct stamp_row {
	uint64_t elapsed_ns, sent, distinct, lost;
	struct hist_rec ways[STAMP_WAYS];
};

struct stamp {
	struct stamp_cfg cfg;
	struct stamp_dest *dests;
	struct stamp_lane *lanes;
	uint32_t nr_lanes;
	uint64_t sent, distinct;	/* over all sessions */
	struct heap heap;
	int epoll, timer;
	uint64_t start_mono_ns, end_mono_ns;	/* of sending */
	uint64_t last_mono_ns;			/* when the last answer arrived */
	uint16_t error;				/* this host's Error Estimate */
	uint64_t error_read_mono_ns;
	int64_t utc_offset_ns;			/* CLOCK_REALTIME - CLOCK_MONOTONIC */
	uint64_t clock_steps;
	uint64_t late_max_ns;
	uint64_t full_before;			/* counters_udp_full() */
	struct stamp_row *row;
};

uint64_t stamp_utc_now_ns(void);
struct stamp_form stamp_form_of(const struct stamp *stamp, const struct stamp_lane *lane);

/* Reads all that is queued on one socket. */
void stamp_take_all(struct stamp *stamp, struct stamp_lane *lane);

/* -EAGAIN: no answer to @seq in time. @ret_seq: the answer's own number. */
int stamp_wait_for_answer(struct stamp *stamp, struct stamp_lane *lane, uint32_t seq,
			  uint32_t *ret_seq);

/* @is_last: no answer can arrive any more, and what did not arrive is lost. */
void stamp_report_row(struct stamp *stamp, struct result *res, uint64_t elapsed_ns, bool is_last);

#endif
