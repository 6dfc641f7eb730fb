/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/rx_stamp.h - receive stamps by the NIC: whether there are any, what must be
 * set for them, and its clock. Only rx.c and those who choose include this.
 */
#ifndef ENGINE_RX_STAMP_H
#define ENGINE_RX_STAMP_H

#include "abi/stamp.h"
#include "lib/err.h"
#include "report/result.h"
#include "sys/xdp.h"

enum rx_stamp_want {
	RX_STAMP_XDP,		/* the time at which the XDP program runs */
	RX_STAMP_HW,		/* the NIC's */
	RX_STAMP_AUTO,		/* the NIC's where it has it, else said so */
};

/* Choices of --rx-stamp, in the order of enum rx_stamp_want. */
extern const char *const rx_stamp_names[];

struct rx_stamp;

/*
 * Has the NIC stamp what it receives, and opens its clock; what it did before
 * is set again by rx_stamp_close(), which takes CAP_NET_ADMIN.
 */
int rx_stamp_open(struct rx_stamp **ret_stamp, const char *ifname, enum stamp_clock clock,
		  struct err *e);
void rx_stamp_close(struct rx_stamp *stamp);

/* @lines is what the program converts by; from now on it is kept up to date. */
void rx_stamp_start(struct rx_stamp *stamp, struct stamp_lines *lines);

/* To be called every now and then, several times a second. */
void rx_stamp_follow(struct rx_stamp *stamp);

void rx_stamp_report(const struct rx_stamp *stamp, struct result *res);

#endif
