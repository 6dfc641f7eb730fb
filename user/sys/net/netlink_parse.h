/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/net/netlink_parse.h - the bytes of netlink answers. No system calls.
 */
#ifndef SYS_NET_NETLINK_PARSE_H
#define SYS_NET_NETLINK_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct nlattr;
struct nlmsghdr;

typedef void netlink_fn(const struct nlmsghdr *msg, void *ctx);

struct netlink_answer {
	uint32_t seq;		/* of the question; messages with another one are skipped */
	netlink_fn *fn;		/* or NULL */
	void *ctx;
	size_t nr_messages;
	bool interrupted;	/* what is dumped changed at the same time */
	char said[160];		/* the kernel's sentence about its refusal, or "" */
};

/*
 * Reads one part as it was received. 1: more follows; 0: the answer is complete; or negative
 * errno: the kernel's refusal, -EINTR (see netlink_ask()).
 */
int netlink_read(struct netlink_answer *answer, const void *part, size_t bytes);

/* The struct that a message begins with; NULL: it is shorter. */
const void *netlink_head(const struct nlmsghdr *msg, size_t head_bytes);

/*
 * The attributes after @head_bytes of a message, or inside an attribute (@nest may be NULL), by
 * their numbers up to @max; NULL where there is none.
 */
void netlink_attrs(const struct nlmsghdr *msg, size_t head_bytes, struct nlattr **ret_attrs, int max);
void netlink_nested(struct nlattr *nest, struct nlattr **ret_attrs, int max);

/* An unsigned number of 1 to 8 bytes; 0 of NULL. */
uint64_t netlink_uint(const struct nlattr *attr);

/* "" of NULL. */
void netlink_text(const struct nlattr *attr, char *ret_text, size_t size);

/* Copies as much as is there and has room; newer kernels append to a struct. False of NULL. */
bool netlink_copy(const struct nlattr *attr, void *ret_data, size_t size);

#endif
