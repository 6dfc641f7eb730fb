/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/impair/impair.h - apply the impairment rules and account for every packet.
 *
 * On one interface: an XDP program on ingress, a tc program on egress. Between two interfaces: XDP
 * programs on both; they redirect unimpaired packets to the other interface inside the kernel, and
 * delayed ones through engine/impair/bump.h. Attached by bpf links, so nothing is left however the
 * process ends.
 *
 * Order of calls: open, start, then poll and check repeatedly, stop, read, report, close. All from
 * one thread; it works in the network namespace of that thread.
 */
#ifndef ENGINE_IMPAIR_IMPAIR_H
#define ENGINE_IMPAIR_IMPAIR_H

#include <stdint.h>

#include "abi/impair.h"
#include "engine/impair/bump.h"
#include "lib/err.h"
#include "model/impair_memory.h"
#include "model/impair_rule.h"
#include "result/result.h"
#include "sys/hook/tc.h"
#include "sys/hook/xdp.h"

/* Which packets the rules apply to; the first two are for one interface. */
enum impair_way {
	IMPAIR_INGRESS,
	IMPAIR_EGRESS,
	IMPAIR_A_TO_B,		/* received at ifnames[0]; direction 0 */
	IMPAIR_B_TO_A,		/* direction 1 */
	IMPAIR_BOTH,
};

struct impair_cfg {
	const char *ifnames[2];		/* the second NULL: one interface */
	enum impair_way way;
	enum xdp_mode xdp_mode;
	enum tc_way tc_way;		/* IMPAIR_EGRESS */
	uint64_t seed;			/* direction 1 draws from seed + 1 */
	const struct impair_rules *rules;	/* must outlive the struct impair */
	struct impair_filter filter;
	double rate_l1_bps;		/* the bottleneck's; 0: none */
	uint64_t queue_bytes, queue_packets;
	uint32_t nr_frames;		/* most held in user space, both directions together; 0: as many as the
					 * rules can come to hold */
	uint32_t hold_frames;		/* of each direction, note when each was taken and sent:
					 * see bump.h */
	/* Called by impair_poll() for each impaired packet; NULL: never. */
	void (*on_event)(void *ctx, const struct impair_event *event);
	void *ctx;
};

/*
 * One direction. After impair_stop():
 * seen = done[IMPAIR_LOSS] + own_drops + passed, and
 * passed + copies + fragments = out + queue_drops + full_drops.
 */
struct impair_count {
	uint64_t seen_packets, seen_bytes;	/* matched: numbered from 0 */
	uint64_t unmatched_packets;	/* forwarded unchanged */
	uint64_t done[IMPAIR_KINDS];	/* packets; one may count in several */
	uint64_t completed;		/* checksums that the sender's stack had left to its NIC */
	uint64_t bypassed;		/* passed unchanged, as this process was stopped */
	uint64_t unable;		/* times that an impairment did not apply to a packet */
	uint64_t own_drops;		/* user space was too slow, or the kernel refused to redirect */
	uint64_t passed_packets;
	/* From here on, counted in frames. */
	uint64_t copies, fragments;	/* in addition to the original packets */
	uint64_t queue_drops;		/* the bottleneck's queue was full */
	uint64_t full_drops;		/* no free frame to hold it */
	uint64_t held;			/* now inside */
	uint64_t out_frames;
	/*
	 * Refused by the other interface's driver: those redirected in the kernel are part of
	 * out_frames, including unmatched ones, as it is not known which were refused.
	 */
	uint64_t refused;
	uint64_t flushed;		/* released though the packets they were held for never
					 * arrived */
	uint64_t late_max_ns;		/* relative to the due time */
	uint64_t events_lost;
};

struct impair;

/* Loads the programs; changes nothing yet. */
int impair_open(struct impair **ret_impair, const struct impair_cfg *cfg, struct result *res,
		struct err *e);

/* Attaches the programs: numbering of packets starts here. */
int impair_start(struct impair *impair, struct err *e);

/* Delivers pending events. */
void impair_poll(struct impair *impair);

/* Fails if an interface vanished or its driver lacks a required feature. */
int impair_check(struct impair *impair, struct err *e);

/* Detaches; packets still held are sent. */
void impair_stop(struct impair *impair);

/* @direction: 0, or 1 with two interfaces. Exact after impair_stop(). */
void impair_read(struct impair *impair, unsigned int direction, struct impair_count *ret_count);

/* With cfg.hold_frames, after impair_stop(); none if no rule delays packets. */
const struct bump_hold *impair_holds(const struct impair *impair, unsigned int direction,
				     size_t *ret_nr);

/* Totals, and the verdict that they add up; with two interfaces in parts "a-to-b" and "b-to-a". */
void impair_report(struct impair *impair, struct result *res);

/* Adds a row to the time series, both impaired directions together. */
void impair_report_row(struct impair *impair, struct result *res, uint64_t elapsed_ns);

/* Takes NULL. */
void impair_close(struct impair *impair);

#endif
