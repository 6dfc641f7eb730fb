/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/device.bpf.h - identify a kernel device: by its index, which is unique only within a network
 * namespace.
 */
#ifndef LIB_DEVICE_BPF_H
#define LIB_DEVICE_BPF_H

#include "lib/core.bpf.h"

#include <bpf/bpf_core_read.h>

/* The fields used, as far as this kernel has them. */
struct ns_common___own {
	unsigned int inum;
} __attribute__((preserve_access_index));

struct net___own {
	struct ns_common___own ns;
} __attribute__((preserve_access_index));

struct possible_net___own {
	struct net___own *net;
} __attribute__((preserve_access_index));

struct net_device___own {
	int ifindex;
	struct possible_net___own nd_net;
} __attribute__((preserve_access_index));

static __always_inline int device_is(const struct net_device___own *dev, int ifindex,
				     __u32 netns_inode)
{
	return dev->ifindex == ifindex && dev->nd_net.net->ns.inum == netns_inode;
}

#endif
