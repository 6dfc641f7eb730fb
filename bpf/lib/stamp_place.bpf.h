/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/stamp_place.bpf.h - the Location extension: addresses and ports (RFC 8972 4.2).
 */
#ifndef LIB_STAMP_PLACE_BPF_H
#define LIB_STAMP_PLACE_BPF_H

#include "lib/stamp.bpf.h"

/*
 * Answers one address of a location: returns the offset of the next one, 0 at the end, or a
 * negative number if it is malformed.
 */
__attribute__((noinline)) int stamp_place(struct xdp_md *ctx, __u32 offset, __u32 end)
{
	struct stamp_work *work = stamp_work();
	struct stamp_tlv *tlv;
	__u8 type;
	__u32 value_bytes;
	__be32 *words;
	int i;

	if (!work || offset == end)
		return 0;
	tlv = frame_at(ctx, offset, sizeof(*tlv));
	if (!tlv || offset + sizeof(*tlv) > end)
		return -1;
	value_bytes = bpf_ntohs(tlv->value_bytes);
	type = tlv->type;
	if (offset + sizeof(*tlv) + value_bytes > end ||
	    (type == STAMP_SOURCE_MAC && value_bytes != STAMP_LOCATION_MAC_BYTES) ||
	    ((type == STAMP_DST_IP || type == STAMP_SRC_IP) &&
	     value_bytes != STAMP_LOCATION_IP_BYTES)) {
		stamp_sum_old(work, offset, tlv, 4);
		tlv->flags = STAMP_TLV_MALFORMED;
		stamp_sum_new(work, offset, tlv, 4);
		return -1;
	}
	if (type == STAMP_SOURCE_MAC) {
		words = frame_at(ctx, offset, 12);
		if (!words)
			return -1;
		stamp_sum_old(work, offset, words, 12);
		if (stamp_cfg.hide_location)
			__builtin_memset(words + 1, 0, 6);
		else
			__builtin_memcpy(words + 1, work->src_mac, 6);
		((__be16 *)words)[5] = 0;
		type = STAMP_SOURCE_EUI48;
		((struct stamp_tlv *)words)->flags = 0;
		((struct stamp_tlv *)words)->type = type;
		stamp_sum_new(work, offset, words, 12);
	} else if (type == STAMP_DST_IP || type == STAMP_SRC_IP) {
		words = frame_at(ctx, offset, 20);
		if (!words)
			return -1;
		stamp_sum_old(work, offset, words, 20);
		for (i = 0; i < 4; i++)
			words[i + 1] = stamp_cfg.hide_location ? 0 :
				       type == STAMP_DST_IP ? work->dst[i] : work->src[i];
		type += work->version == 4 ? 1 : 2;
		((struct stamp_tlv *)words)->flags = 0;
		((struct stamp_tlv *)words)->type = type;
		stamp_sum_new(work, offset, words, 20);
	} else {
		stamp_sum_old(work, offset, tlv, 4);
		tlv->flags = STAMP_TLV_UNKNOWN;
		stamp_sum_new(work, offset, tlv, 4);
	}
	return offset + sizeof(*tlv) + value_bytes;
}

static __always_inline __u8 stamp_tlv_location(struct xdp_md *ctx, struct stamp_work *work,
					       __u32 offset, __u32 end)
{
	struct stamp_location *location = frame_at(ctx, offset, sizeof(*location));
	int i, at;

	if (!location)
		return STAMP_TLV_MALFORMED;
	stamp_sum_old(work, offset, location, sizeof(*location));
	location->dst_port = stamp_cfg.hide_location ? 0 : work->dst_port;
	location->src_port = stamp_cfg.hide_location ? 0 : work->src_port;
	stamp_sum_new(work, offset, location, sizeof(*location));
	at = offset + sizeof(*location);
#pragma clang loop unroll(disable)
	for (i = 0; i < STAMP_MAX_PLACES; i++) {
		at = stamp_place(ctx, at, end);
		if (at <= 0)
			break;
	}
	return at < 0 ? STAMP_TLV_MALFORMED : 0;
}

#endif
