/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/net/netlink.h - netlink requests to the kernel, and its answers.
 *
 * Build a request with netlink_request(), netlink_put() for each attribute, then netlink_ask(). All
 * return 0 or a negative errno; after a refusal, the kernel's.
 */
#ifndef SYS_NET_NETLINK_H
#define SYS_NET_NETLINK_H

#include <stddef.h>
#include <stdint.h>

#include <linux/netlink.h>

#include "lib/err.h"
#include "sys/net/netlink_parse.h"

struct netlink;
struct nl_msg;

/* Opens a socket in the calling thread's network namespace. @protocol: NETLINK_ROUTE, ... */
int netlink_open(struct netlink **ret_netlink, int protocol);
void netlink_close(struct netlink *netlink);	/* takes NULL */

/*
 * A request that starts with @head, a struct for @type. NULL without memory: the functions below
 * accept that, and netlink_ask() returns -ENOMEM.
 */
struct nl_msg *netlink_request(int type, int flags, const void *head, size_t head_bytes);
/* Appends bytes without an attribute header: some attributes begin with a struct. */
void netlink_append(struct nl_msg *msg, const void *data, size_t bytes);
void netlink_put(struct nl_msg *msg, int type, const void *data, size_t bytes);
void netlink_put_u32(struct nl_msg *msg, int type, uint32_t value);
void netlink_put_text(struct nl_msg *msg, int type, const char *text);
struct nlattr *netlink_nest(struct nl_msg *msg, int type);
void netlink_nest_end(struct nl_msg *msg, struct nlattr *nest);

/*
 * Sends @msg, frees it, and calls @fn (or NULL) for each message of the answer. -EINTR: the data
 * changed during a dump (NLM_F_DUMP), so @fn may have missed some.
 */
int netlink_ask(struct netlink *netlink, struct nl_msg *msg, netlink_fn *fn, void *ctx);

/* The same with a socket for this one request. */
int netlink_ask_once(int protocol, struct nl_msg *msg, netlink_fn *fn, void *ctx);

/*
 * From now on @netlink receives events of @groups (RTMGRP_IPV4_IFADDR, ...), and takes no requests:
 * netlink_events() calls @fn for each since the previous call, and does not wait. -ENOBUFS: some
 * were lost.
 */
int netlink_listen(struct netlink *netlink, uint32_t groups);
int netlink_events(struct netlink *netlink, netlink_fn *fn, void *ctx);

/* The ID of a generic netlink family; -EOPNOTSUPP: not in this kernel. */
int netlink_family(struct netlink *netlink, const char *name, uint16_t *ret_family);

/* err_set() with the kernel's message about the last refusal. */
int netlink_error(const struct netlink *netlink, struct err *e, int no, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

#endif
