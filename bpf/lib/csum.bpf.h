/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/csum.bpf.h - Internet checksums (RFC 1071), changed in place.
 */
#ifndef LIB_CSUM_BPF_H
#define LIB_CSUM_BPF_H

#include "lib/core.bpf.h"

/*
 * The checksum after one of its words changed from @from to @to (RFC 1624, equation 3). A wrong
 * checksum stays wrong by the same amount.
 */
static __always_inline __u16 csum_replace(__u16 check, __be16 from, __be16 to)
{
	__u32 sum = (__u16)~check + (__u16)~from + (__u32)to;

	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return ~sum;
}

#endif
