/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/net/promisc.h - have an interface take frames to all stations, for as long as
 * this process lives: the kernel undoes it when the descriptor is closed.
 */
#ifndef SYS_NET_PROMISC_H
#define SYS_NET_PROMISC_H

#include "lib/err.h"

/* The descriptor to be closed, or negative errno in @e. */
int promisc_open(int ifindex, struct err *e);

#endif
