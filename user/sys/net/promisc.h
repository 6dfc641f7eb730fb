/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/net/promisc.h - enable promiscuous mode of an interface for as long as this process lives:
 * the kernel ends it when the descriptor is closed.
 */
#ifndef SYS_NET_PROMISC_H
#define SYS_NET_PROMISC_H

#include "lib/err.h"

/* Returns a descriptor to close, or negative errno with @e. */
int promisc_open(int ifindex, struct err *e);

#endif
