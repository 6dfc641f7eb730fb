/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/receive/hw_stamp.h - hardware timestamps: whether the NIC supports them, their
 * configuration, and the conversion to the other timestamps' clock.
 */
#ifndef ENGINE_RECEIVE_HW_STAMP_H
#define ENGINE_RECEIVE_HW_STAMP_H

#include "abi/stamp.h"
#include "lib/err.h"
#include "result/result.h"

enum hw_stamp_side {
	HW_STAMP_RX,
	HW_STAMP_TX,
	HW_STAMP_TX_SOFT,	/* in copy mode by the kernel instead, in CLOCK_TAI */
};

struct hw_stamp;

/*
 * Makes the NIC timestamp what it receives or sends, and opens its clock. hw_stamp_close() restores
 * the previous setting, which requires CAP_NET_ADMIN.
 */
int hw_stamp_open(struct hw_stamp **ret_stamp, const char *ifname, enum hw_stamp_side side,
		  enum stamp_clock clock, struct err *e);
void hw_stamp_close(struct hw_stamp *stamp);

/* Writes the conversion to @lines, now and on every hw_stamp_follow(). */
void hw_stamp_publish(struct hw_stamp *stamp, struct stamp_lines *lines);

/* Updates the conversion; call several times a second, from one thread. */
void hw_stamp_follow(struct hw_stamp *stamp);

void hw_stamp_report(const struct hw_stamp *stamp, struct result *res);

#endif
