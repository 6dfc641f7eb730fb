/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/receive/hw_stamp.h - stamps by the NIC: whether it has any, what must be set
 * for them, and the way from its clock to that of the other stamps.
 */
#ifndef ENGINE_RECEIVE_HW_STAMP_H
#define ENGINE_RECEIVE_HW_STAMP_H

#include "abi/stamp.h"
#include "lib/err.h"
#include "result/result.h"

enum hw_stamp_side {
	HW_STAMP_RX,
	HW_STAMP_TX,
	HW_STAMP_TX_SOFT,	/* where AF_XDP copies, the kernel stands in, by CLOCK_TAI */
};

struct hw_stamp;

/*
 * Has the NIC stamp what it receives or sends, and opens its clock. What was
 * set before is set again by hw_stamp_close(), which takes CAP_NET_ADMIN.
 */
int hw_stamp_open(struct hw_stamp **ret_stamp, const char *ifname, enum hw_stamp_side side,
		  enum stamp_clock clock, struct err *e);
void hw_stamp_close(struct hw_stamp *stamp);

/* Into @lines, now and by every hw_stamp_follow() from now on. */
void hw_stamp_publish(struct hw_stamp *stamp, struct stamp_lines *lines);

/* To be called every now and then, several times a second, by one thread. */
void hw_stamp_follow(struct hw_stamp *stamp);

void hw_stamp_report(const struct hw_stamp *stamp, struct result *res);

#endif
