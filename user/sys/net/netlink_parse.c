// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sys/net/netlink_parse.c - parse netlink answers.
 */
#include "sys/net/netlink_parse.h"

#include <errno.h>
#include <string.h>

#include <linux/netlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>

#define MORE 1

/* The extended acknowledgement follows @fixed_bytes of the message. */
static void read_said(struct netlink_answer *answer, const struct nlmsghdr *msg, size_t fixed_bytes)
{
	struct nlattr *attrs[NLMSGERR_ATTR_MSG + 1];

	if (!(msg->nlmsg_flags & NLM_F_ACK_TLVS))
		return;
	netlink_attrs(msg, fixed_bytes, attrs, NLMSGERR_ATTR_MSG);
	netlink_text(attrs[NLMSGERR_ATTR_MSG], answer->said, sizeof(answer->said));
}

static int read_error(struct netlink_answer *answer, const struct nlmsghdr *msg)
{
	const struct nlmsgerr *error = nlmsg_data(msg);

	if (nlmsg_datalen(msg) < (int)sizeof(*error) || error->error > 0)
		return -EIO;
	/* Without NETLINK_CAP_ACK the request itself comes first. */
	if (error->error && msg->nlmsg_flags & NLM_F_CAPPED)
		read_said(answer, msg, sizeof(*error));
	return error->error;
}

static int read_done(struct netlink_answer *answer, const struct nlmsghdr *msg)
{
	int err = 0;

	if (nlmsg_datalen(msg) >= (int)sizeof(err))
		memcpy(&err, nlmsg_data(msg), sizeof(err));
	if (err < 0)
		read_said(answer, msg, sizeof(err));
	return err < 0 ? err : answer->interrupted ? -EINTR : 0;
}

int netlink_read(struct netlink_answer *answer, const void *part, size_t bytes)
{
	const struct nlmsghdr *msg = part;
	int left = (int)bytes;

	for (; nlmsg_ok(msg, left); msg = nlmsg_next((struct nlmsghdr *)msg, &left)) {
		if (msg->nlmsg_seq != answer->seq)
			continue;
		if (msg->nlmsg_type == NLMSG_ERROR)
			return read_error(answer, msg);
		if (msg->nlmsg_flags & NLM_F_DUMP_INTR)
			answer->interrupted = true;
		if (msg->nlmsg_type == NLMSG_DONE)
			return read_done(answer, msg);
		answer->nr_messages++;
		if (answer->fn)
			answer->fn(msg, answer->ctx);
	}
	return left > 0 ? -EIO : MORE;
}

int netlink_each(const void *part, size_t bytes, netlink_fn *fn, void *ctx)
{
	const struct nlmsghdr *msg = part;
	int left = (int)bytes;

	for (; nlmsg_ok(msg, left); msg = nlmsg_next((struct nlmsghdr *)msg, &left))
		fn(msg, ctx);
	return left > 0 ? -EIO : 0;
}

const void *netlink_head(const struct nlmsghdr *msg, size_t head_bytes)
{
	return nlmsg_valid_hdr(msg, (int)head_bytes) ? nlmsg_data(msg) : NULL;
}

void netlink_attrs(const struct nlmsghdr *msg, size_t head_bytes, struct nlattr **ret_attrs, int max)
{
	memset(ret_attrs, 0, ((size_t)max + 1) * sizeof(*ret_attrs));
	if (netlink_head(msg, head_bytes))
		nla_parse(ret_attrs, max, nlmsg_attrdata(msg, (int)head_bytes),
			  nlmsg_attrlen(msg, (int)head_bytes), NULL);
}

void netlink_nested(struct nlattr *nest, struct nlattr **ret_attrs, int max)
{
	memset(ret_attrs, 0, ((size_t)max + 1) * sizeof(*ret_attrs));
	if (nest)
		nla_parse_nested(ret_attrs, max, nest, NULL);
}

uint64_t netlink_uint(const struct nlattr *attr)
{
	union {
		uint8_t u8;
		uint16_t u16;
		uint32_t u32;
		uint64_t u64;
	} value = { 0 };

	if (!netlink_copy(attr, &value, sizeof(value)))
		return 0;
	switch (nla_len(attr)) {
	case 1:
		return value.u8;
	case 2:
		return value.u16;
	case 4:
		return value.u32;
	default:
		return value.u64;
	}
}

void netlink_text(const struct nlattr *attr, char *ret_text, size_t size)
{
	ret_text[0] = '\0';
	if (attr)
		nla_strlcpy(ret_text, attr, size);
}

bool netlink_copy(const struct nlattr *attr, void *ret_data, size_t size)
{
	if (!attr)
		return false;
	nla_memcpy(ret_data, attr, (int)size);
	return true;
}
