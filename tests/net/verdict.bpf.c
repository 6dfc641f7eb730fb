// SPDX-License-Identifier: GPL-2.0-only
/* Programs of another user, in the path of a test: ledger.bats. */
#include <linux/bpf.h>
#include <linux/pkt_cls.h>

#include <bpf/bpf_helpers.h>

char _license[] SEC("license") = "GPL";

SEC("xdp/drop")
int verdict_drop(struct xdp_md *ctx)
{
	return XDP_DROP;
}

/* UDP over IPv4 to port 1013: what another program sends. */
SEC("xdp/port")
int verdict_port(struct xdp_md *ctx)
{
	const __u8 *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;

	if (data + 38 > end || data[12] != 8 || data[13] || data[23] != 17)
		return XDP_PASS;
	return (data[36] << 8 | data[37]) == 1013 ? XDP_DROP : XDP_PASS;
}

SEC("xdp/abort")
int verdict_abort(struct xdp_md *ctx)
{
	return XDP_ABORTED;
}

SEC("tc/drop")
int verdict_shot(struct __sk_buff *skb)
{
	return TC_ACT_SHOT;
}

/* To an interface that is not there. */
SEC("xdp/redirect")
int verdict_redir(struct xdp_md *ctx)
{
	return bpf_redirect(0x7fffffff, 0);
}
