/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/stamp.bpf.h - the current STAMP packet: the offsets of its parts, and the effect of changes
 * on its checksum.
 */
#ifndef LIB_STAMP_BPF_H
#define LIB_STAMP_BPF_H

#include "abi/stamp_reflect.h"
#include "lib/frame_sum.bpf.h"

const volatile struct stamp_reflect_cfg stamp_cfg;

/* Offsets count from the frame's first byte. */
struct stamp_work {
	__u64 came_mono_ns;	/* T2 */
	__u64 utc_offset_ns;
	__be32 src[4], dst[4];	/* IPv4: the first word */
	__be16 src_port, dst_port;
	__u32 payload, end;	/* of UDP */
	__u32 tlvs;		/* where extensions start */
	__u32 hmac;		/* of the extensions; 0: none */
	__u32 misplaced;	/* followed by something that must not follow it */
	__u32 unproven;		/* the extensions must not be used */
	__u32 sum;		/* to be added to the UDP checksum's sum, in 16-bit words */
	__u32 error;		/* including Z, host byte order */
	__u32 ptp;
	__u32 sequence;		/* the answer's */
	__u32 received;		/* of the session */
	__u32 last_sequence;	/* of the previous answer */
	__u64 last_sent_ns;	/* UTC; 0: none */
	__u8 ttl, tos, dscp;	/* dscp: the answer's, shifted into place */
	__u8 version;
	__u8 src_mac[6];
	__u8 generic;		/* see struct stamp_reflect_clock */
	__u8 reserved[5];
	struct stamp_key key;	/* of the session */
};

CPU_SCRATCH(stamp_works, struct stamp_work);
MAPPED_ARRAY(stamp_clocks, struct stamp_reflect_clock);
MAPPED_ARRAY(stamp_recs, struct stamp_reflect_rec);	/* one per CPU: set before load */

static __always_inline struct stamp_work *stamp_work(void)
{
	__u32 zero = 0;

	return bpf_map_lookup_elem(&stamp_works, &zero);
}

static __always_inline struct stamp_reflect_rec *stamp_rec(void)
{
	__u32 cpu = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&stamp_recs, &cpu);
}

/* Bytes at an odd offset of the datagram are in the other halves of the words. */
static __always_inline void stamp_sum(struct stamp_work *work, __u32 offset, __s64 sum)
{
	__u32 folded = sum_fold((__u32)sum);

	if ((offset - work->payload) & 1)
		folded = (folded >> 8 | folded << 8) & 0xffff;
	work->sum += folded;
}

/* Call before and after a change of @bytes (a multiple of 4) at @offset. */
static __always_inline void stamp_sum_old(struct stamp_work *work, __u32 offset, void *at,
					  __u32 bytes)
{
	stamp_sum(work, offset, bpf_csum_diff(at, bytes, NULL, 0, 0));
}

static __always_inline void stamp_sum_new(struct stamp_work *work, __u32 offset, void *at,
					  __u32 bytes)
{
	stamp_sum(work, offset, bpf_csum_diff(NULL, 0, at, bytes, 0));
}

static __always_inline struct stamp_time stamp_time(const struct stamp_work *work, __u64 utc_ns)
{
	__u32 seconds, fraction;

	stamp_time_of(utc_ns, work->ptp, &seconds, &fraction);
	return (struct stamp_time){ bpf_htonl(seconds), bpf_htonl(fraction) };
}

#endif
