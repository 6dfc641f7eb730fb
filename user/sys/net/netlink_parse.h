/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/net/netlink_parse.h - parse netlink answers. No system calls.
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
	uint32_t seq;		/* the request's; messages with another one are skipped */
	netlink_fn *fn;		/* or NULL */
	void *ctx;
	size_t nr_messages;
	bool interrupted;	/* the data changed during the dump */
	char said[160];		/* the kernel's message about its refusal, or "" */
};

/*
 * Parses one received part. 1: more follows; 0: the answer is complete; or negative errno: the
 * kernel's refusal, -EINTR (see netlink_ask()).
 */
int netlink_read(struct netlink_answer *answer, const void *part, size_t bytes);

/* Calls @fn for each message of a part that no one asked for. 0, or -EIO: it is cut short. */
int netlink_each(const void *part, size_t bytes, netlink_fn *fn, void *ctx);

/* The struct at the start of a message; NULL: the message is shorter. */
const void *netlink_head(const struct nlmsghdr *msg, size_t head_bytes);

/*
 * The attributes after @head_bytes of a message, or inside an attribute (@nest may be NULL), by
 * number up to @max; NULL if absent.
 */
void netlink_attrs(const struct nlmsghdr *msg, size_t head_bytes, struct nlattr **ret_attrs, int max);
void netlink_nested(struct nlattr *nest, struct nlattr **ret_attrs, int max);

/* An unsigned number of 1 to 8 bytes; 0 for NULL. */
uint64_t netlink_uint(const struct nlattr *attr);

/* "" for NULL. */
void netlink_text(const struct nlattr *attr, char *ret_text, size_t size);

/* Copies as many bytes as exist and fit; newer kernels append to structs. False for NULL. */
bool netlink_copy(const struct nlattr *attr, void *ret_data, size_t size);

#endif
