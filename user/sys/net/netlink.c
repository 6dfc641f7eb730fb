// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sys/net/netlink.c - netlink requests to the kernel.
 *
 * libnl builds the messages. Its send functions are not used: they map the kernel's errno to their
 * own numbers and drop the extended acknowledgement.
 */
#include "sys/net/netlink.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/genetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>

#define PART_BYTES 32768	/* the largest message that the kernel sends in a dump */

struct netlink {
	int fd;
	uint32_t seq;
	char said[sizeof(((struct netlink_answer *)NULL)->said)];
};

static int open_socket(struct netlink *netlink, int protocol)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, protocol), on = 1;

	if (fd < 0)
		return -errno;
	/* Kernels without these options are older than any supported one. */
	setsockopt(fd, SOL_NETLINK, NETLINK_EXT_ACK, &on, sizeof(on));
	setsockopt(fd, SOL_NETLINK, NETLINK_CAP_ACK, &on, sizeof(on));
	*netlink = (struct netlink){ .fd = fd };
	return 0;
}

int netlink_open(struct netlink **ret_netlink, int protocol)
{
	struct netlink *netlink = calloc(1, sizeof(*netlink));
	int err = netlink ? open_socket(netlink, protocol) : -ENOMEM;

	if (err)
		free(netlink);
	else
		*ret_netlink = netlink;
	return err;
}

void netlink_close(struct netlink *netlink)
{
	if (!netlink)
		return;
	close(netlink->fd);
	free(netlink);
}

struct nl_msg *netlink_request(int type, int flags, const void *head, size_t head_bytes)
{
	struct nl_msg *msg = nlmsg_alloc_simple(type, flags);

	netlink_append(msg, head, head_bytes);
	return msg;
}

/* libnl reserves a page; no request here is nearly that long. */
void netlink_append(struct nl_msg *msg, const void *data, size_t bytes)
{
	int err = msg ? nlmsg_append(msg, (void *)data, bytes, NLMSG_ALIGNTO) : 0;

	assert(!err);
}

void netlink_put(struct nl_msg *msg, int type, const void *data, size_t bytes)
{
	int err = msg ? nla_put(msg, type, (int)bytes, data) : 0;

	assert(!err);
}

void netlink_put_u32(struct nl_msg *msg, int type, uint32_t value)
{
	netlink_put(msg, type, &value, sizeof(value));
}

void netlink_put_text(struct nl_msg *msg, int type, const char *text)
{
	netlink_put(msg, type, text, strlen(text) + 1);
}

struct nlattr *netlink_nest(struct nl_msg *msg, int type)
{
	return msg ? nla_nest_start(msg, type) : NULL;
}

void netlink_nest_end(struct nl_msg *msg, struct nlattr *nest)
{
	if (nest)
		nla_nest_end(msg, nest);
}

static int receive(struct netlink *netlink, struct netlink_answer *answer)
{
	char part[PART_BYTES] __attribute__((aligned(NLMSG_ALIGNTO)));
	ssize_t bytes;
	int err;

	do {
		bytes = TEMP_FAILURE_RETRY(recv(netlink->fd, part, sizeof(part), MSG_TRUNC));
		if (bytes < 0)
			return -errno;
		if (bytes == 0 || (size_t)bytes > sizeof(part))
			return -EIO;
		err = netlink_read(answer, part, (size_t)bytes);
	} while (err > 0);
	return err;
}

/*
 * Every request except a dump asks for an acknowledgement, so that all answers have a visible end:
 * the acknowledgement, or NLMSG_DONE.
 */
int netlink_ask(struct netlink *netlink, struct nl_msg *msg, netlink_fn *fn, void *ctx)
{
	struct netlink_answer answer = { .seq = ++netlink->seq, .fn = fn, .ctx = ctx };
	struct nlmsghdr *head;
	bool is_dump;
	int err = 0;

	netlink->said[0] = '\0';
	if (!msg)
		return -ENOMEM;
	head = nlmsg_hdr(msg);
	is_dump = (head->nlmsg_flags & NLM_F_DUMP) == NLM_F_DUMP;
	head->nlmsg_flags |= (uint16_t)(NLM_F_REQUEST | (is_dump ? 0 : NLM_F_ACK));
	head->nlmsg_seq = answer.seq;
	if (send(netlink->fd, head, head->nlmsg_len, 0) < 0)
		err = -errno;
	nlmsg_free(msg);
	if (!err)
		err = receive(netlink, &answer);
	memcpy(netlink->said, answer.said, sizeof(netlink->said));
	/* The request was acknowledged, but not answered. */
	return !err && fn && !is_dump && !answer.nr_messages ? -EIO : err;
}

int netlink_ask_once(int protocol, struct nl_msg *msg, netlink_fn *fn, void *ctx)
{
	struct netlink netlink;
	int err = open_socket(&netlink, protocol);

	if (err) {
		nlmsg_free(msg);
		return err;
	}
	err = netlink_ask(&netlink, msg, fn, ctx);
	close(netlink.fd);
	return err;
}

int netlink_listen(struct netlink *netlink, uint32_t groups)
{
	const struct sockaddr_nl own = { .nl_family = AF_NETLINK, .nl_groups = groups };

	return bind(netlink->fd, (const struct sockaddr *)&own, sizeof(own)) ? -errno : 0;
}

int netlink_events(struct netlink *netlink, netlink_fn *fn, void *ctx)
{
	char part[PART_BYTES] __attribute__((aligned(NLMSG_ALIGNTO)));
	ssize_t bytes;
	int err;

	for (;;) {
		bytes = TEMP_FAILURE_RETRY(recv(netlink->fd, part, sizeof(part),
						MSG_DONTWAIT | MSG_TRUNC));
		if (bytes < 0)
			return errno == EAGAIN ? 0 : -errno;
		if (bytes == 0 || (size_t)bytes > sizeof(part))
			return -EIO;
		err = netlink_each(part, (size_t)bytes, fn, ctx);
		if (err)
			return err;
	}
}

static void take_family(const struct nlmsghdr *msg, void *ctx)
{
	struct nlattr *attrs[CTRL_ATTR_FAMILY_ID + 1];

	netlink_attrs(msg, sizeof(struct genlmsghdr), attrs, CTRL_ATTR_FAMILY_ID);
	*(uint16_t *)ctx = (uint16_t)netlink_uint(attrs[CTRL_ATTR_FAMILY_ID]);
}

int netlink_family(struct netlink *netlink, const char *name, uint16_t *ret_family)
{
	const struct genlmsghdr head = { .cmd = CTRL_CMD_GETFAMILY, .version = 1 };
	struct nl_msg *msg = netlink_request(GENL_ID_CTRL, 0, &head, sizeof(head));
	uint16_t family = 0;
	int err;

	netlink_put_text(msg, CTRL_ATTR_FAMILY_NAME, name);
	err = netlink_ask(netlink, msg, take_family, &family);
	if (err == -ENOENT || (!err && !family))
		return -EOPNOTSUPP;
	if (!err)
		*ret_family = family;
	return err;
}

int netlink_error(const struct netlink *netlink, struct err *e, int no, const char *fmt, ...)
{
	char text[sizeof(e->msg)];
	size_t used;
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	err_set(e, no, "%s", text);
	used = strlen(e->msg);
	if (netlink->said[0])
		snprintf(e->msg + used, sizeof(e->msg) - used, " (%s)", netlink->said);
	return no;
}
