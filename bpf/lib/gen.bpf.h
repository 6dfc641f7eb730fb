/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/gen.bpf.h - common functions of the generators of one stream and of many: write fields,
 * checksums and the tag into a frame, and identify the device's drops.
 */
#ifndef LIB_GEN_BPF_H
#define LIB_GEN_BPF_H

#include "abi/field.h"
#include "abi/tag.h"
#include "lib/clock.bpf.h"
#include "lib/core.bpf.h"
#include "lib/device.bpf.h"

/*
 * The sending device; the tracepoints ignore others. The index alone is not sufficient: every
 * network namespace counts from 1.
 */
const volatile __s32 ifindex;
const volatile __u32 netns_inode;

/* 1: into this host's own stack, as if received, instead of out of the device. */
const volatile __u8 into_stack;

/*
 * Copies in words of 8 bytes, at any alignment: __builtin_memcpy() between byte pointers would be
 * compiled to single bytes.
 */
struct gen_words_2 {
	__u64 word[2];
};

struct gen_words_7 {
	__u64 word[7];
};

struct gen_words_8 {
	__u64 word[8];
};

static __always_inline void copy_16(void *to, const void *from)
{
	*(struct gen_words_2 *)to = *(const struct gen_words_2 *)from;
}

static __always_inline void copy_56(void *to, const void *from)
{
	*(struct gen_words_7 *)to = *(const struct gen_words_7 *)from;
}

static __always_inline void copy_64(void *to, const void *from)
{
	*(struct gen_words_8 *)to = *(const struct gen_words_8 *)from;
}

/*
 * @bytes of @from over the packet's start. A few are two pieces of fixed length that overlap,
 * which costs some 22 ns less than the helper.
 */
static __always_inline int write_start(struct xdp_md *ctx, const void *from, __u32 bytes)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	__u32 tail;

	if (bytes < 56 || bytes > 120)
		return bpf_xdp_store_bytes(ctx, 0, (void *)from, bytes);
	if (data + 56 > end)
		return -1;
	copy_56(data, from);
	if (bytes > 72) {
		tail = bytes - 64;
		if (data + tail + 64 > end)
			return -1;
		copy_64(data + tail, from + tail);
		return 0;
	}
	tail = bytes - 16;
	if (data + tail + 16 > end)
		return -1;
	copy_16(data + tail, from + tail);
	return 0;
}

/* Writes the bits of a field over its window; -1 if the frame is too short. */
static __always_inline int write_window(void *data, void *end, const volatile struct field *field,
					__u64 bits)
{
	void *at = data + (field->offset & 0x3fff);
	__u64 keep = ~field->mask;

	if (field->bytes == 2) {
		if (at + 2 > end)
			return -1;
		*(__be16 *)at = bpf_htons((bpf_ntohs(*(__be16 *)at) & keep) | bits);
	} else if (field->bytes == 4) {
		if (at + 4 > end)
			return -1;
		*(__be32 *)at = bpf_htonl((bpf_ntohl(*(__be32 *)at) & keep) | bits);
	} else {
		if (at + 8 > end)
			return -1;
		*(__be64 *)at = bpf_cpu_to_be64((bpf_be64_to_cpu(*(__be64 *)at) & keep) | bits);
	}
	return 0;
}

/* Input of write_fields(): a stream in read-only data, or in a map. */
struct gen_fields {
	const volatile struct field *fields;
	const volatile struct field_sum *sums;
	const volatile __u32 *sum_base;		/* as in struct gen_plan */
	const volatile __u64 *list;
	__u32 nr_list;
	/* By address: read-only data is re-read, which lets the verifier drop code. */
	const volatile __u32 *nr_fields, *nr_sums;
	/* What the end of a payload of changing length adds to the checksums @extra_sums; folded. */
	__u32 extra, extra_sums;
};

/* Writes the changing fields of packet @number, and the checksums that cover them. */
static __always_inline int write_fields(struct xdp_md *ctx, const struct gen_fields *gen,
					__u64 number)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	__u32 acc[FIELD_MAX_SUMS], i, k;

#pragma unroll
	for (k = 0; k < FIELD_MAX_SUMS; k++)
		acc[k] = gen->sum_base[k] + gen->extra * (gen->extra_sums >> k & 1);
#pragma unroll
	for (i = 0; i < FIELD_MAX; i++) {
		__u64 bits;

		if (i >= *gen->nr_fields)
			break;
		bits = field_bits(&gen->fields[i], gen->list, gen->nr_list, number);
		if (write_window(data, end, &gen->fields[i], bits) < 0)
			return -1;
#pragma unroll
		for (k = 0; k < FIELD_MAX_SUMS; k++) {
			if (gen->fields[i].sums >> k & 1)
				acc[k] += field_sum16(bits);
		}
	}
#pragma unroll
	for (k = 0; k < FIELD_MAX_SUMS; k++) {
		__u32 csum, outer;
		__be16 *at;

		if (k >= *gen->nr_sums)
			break;
		csum = ~field_fold(acc[k]) & 0xffff;
		if (gen->sums[k].udp && !csum)
			csum = 0xffff;
		at = data + (gen->sums[k].offset & 0x3fff);
		if ((void *)(at + 1) > end)
			return -1;
		*at = bpf_htons(csum);
#pragma unroll
		for (outer = 0; outer < FIELD_MAX_SUMS; outer++) {
			if (gen->sums[k].sums >> outer & 1)
				acc[outer] += csum;
		}
	}
	return 0;
}

/* In all tags of this run: the clock's bit and the run's number (abi/tag.h). */
const volatile __u16 tag_run;

/* @stamp_ns 0: no timestamp */
static __always_inline int write_tag(struct xdp_md *ctx, __u32 offset, __u16 number, __u64 made,
				     __u64 stamp_ns)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	struct tag_words *at = data + offset;
	struct tag tag;

	if (data + offset + TAG_BYTES > end)
		return -1;
	tag_write(&tag, tag_run, number, made, stamp_ns);
	at->high = tag.high;
	at->low = tag.low;
	at->complement = tag.complement;
	return 0;
}

static __always_inline int is_ours(const struct net_device___own *dev)
{
	return device_is(dev, ifindex, netns_inode);
}

#endif
