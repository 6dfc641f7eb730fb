/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/net/addrs.h - the addresses of an interface, and when they change.
 *
 * In the network namespace of the thread that calls addrs_open(). Needs no capability.
 */
#ifndef SYS_NET_ADDRS_H
#define SYS_NET_ADDRS_H

#include <stdbool.h>
#include <stdint.h>

struct addrs;

/* 0, or negative errno. */
int addrs_open(struct addrs **ret_addrs, int ifindex);
void addrs_close(struct addrs *addrs);		/* takes NULL */

/* True if addresses may have been added or deleted since the previous call. Does not wait. */
bool addrs_changed(struct addrs *addrs);

/* @version: 4 or 6; @addr: 4 or 16 bytes. */
typedef void addrs_fn(unsigned int version, const void *addr, void *ctx);

/*
 * Calls @fn for each address, without those that duplicate address detection has not confirmed. 0,
 * or negative errno: @fn may have missed some; -EINTR: they changed in between.
 */
int addrs_read(struct addrs *addrs, addrs_fn *fn, void *ctx);

#endif
