/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/refused.bpf.h - live frames that the driver did not take: programs that all senders have.
 */
#ifndef LIB_REFUSED_BPF_H
#define LIB_REFUSED_BPF_H

#include "lib/gen.bpf.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

/*
 * Both are optional: frames of a bulk that ndo_xdp_xmit returned, and frames dropped before the bulk, such as
 * on a device that is down. @add: counts frames that were refused to this CPU.
 */
#define REFUSED_PROGRAMS(add)									\
SEC("tp_btf/xdp_devmap_xmit")									\
int BPF_PROG(live_refused, const struct net_device___own *from, const struct net_device___own *to, \
	     int sent, int drops, int err)							\
{												\
	if (drops > 0 && is_ours(to))								\
		add(drops);									\
	return 0;										\
}												\
												\
SEC("tp_btf/xdp_redirect_err")									\
int BPF_PROG(live_failed, const struct net_device___own *from)					\
{												\
	if (is_ours(from))									\
		add(1);										\
	return 0;										\
}

#endif
