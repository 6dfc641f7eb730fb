/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/stamp_tlv.bpf.h - answer STAMP's extensions in place (RFC 8972 4).
 *
 * Functions that the verifier should check only once are not static.
 */
#ifndef LIB_STAMP_TLV_BPF_H
#define LIB_STAMP_TLV_BPF_H

#include "lib/stamp.bpf.h"
#include "lib/stamp_place.bpf.h"

/*
 * The end of the extension at @offset; 0: none. Zeros are not an extension: type 0 is reserved, and
 * senders of TWAMP Light pad with zeros.
 */
static __always_inline __u32 stamp_tlv_end(struct xdp_md *ctx, const struct stamp_work *work,
					   __u32 offset, struct stamp_tlv *ret_tlv)
{
	__be32 *word;

	if (offset + sizeof(*ret_tlv) > work->end)
		return 0;
	word = frame_at(ctx, offset, sizeof(*ret_tlv));
	if (!word || !*word)
		return 0;
	*ret_tlv = *(struct stamp_tlv *)word;
	return offset + sizeof(*ret_tlv) + bpf_ntohs(ret_tlv->value_bytes);
}

/* Whether the length is valid for the type. */
static __always_inline int stamp_tlv_fits(__u8 type, __u32 value_bytes)
{
	switch (type) {
	case STAMP_TLV_LOCATION:
		return value_bytes >= sizeof(struct stamp_location);
	case STAMP_TLV_TIME:
		return value_bytes == sizeof(struct stamp_time_info);
	case STAMP_TLV_CLASS:
		return value_bytes == sizeof(struct stamp_class);
	case STAMP_TLV_DIRECT:
		return value_bytes == sizeof(struct stamp_direct);
	case STAMP_TLV_ACCESS:
		return value_bytes == sizeof(struct stamp_access);
	case STAMP_TLV_FOLLOW_UP:
		return value_bytes == sizeof(struct stamp_follow_up);
	case STAMP_TLV_HMAC:
		return value_bytes == STAMP_HMAC_BYTES;
	default:
		return 1;
	}
}

/* Searches for the HMAC: returns the offset of the next extension, or 0. */
__attribute__((noinline)) int stamp_tlv_scan(struct xdp_md *ctx, __u32 offset)
{
	struct stamp_work *work = stamp_work();
	struct stamp_tlv tlv;
	__u32 next;

	if (!work)
		return 0;
	next = stamp_tlv_end(ctx, work, offset, &tlv);
	if (!next || next > work->end)
		return 0;
	if (tlv.type == STAMP_TLV_PADDING)
		return next;
	/* Only padding may follow it, and no second one. */
	if (work->hmac)
		work->misplaced = 1;
	else if (tlv.type == STAMP_TLV_HMAC && stamp_tlv_fits(tlv.type, bpf_ntohs(tlv.value_bytes)))
		work->hmac = offset;
	else if (stamp_cfg.authenticated)
		work->unproven = 1;	/* until an HMAC is found */
	return next;
}

static __always_inline __u8 stamp_tlv_class(struct stamp_work *work, struct stamp_class *class)
{
	__u16 asked = bpf_ntohs(class->bits) >> STAMP_CLASS_ASKED_SHIFT;

	if (stamp_cfg.allow_dscp)
		work->dscp = asked << 2;
	class->bits = bpf_htons(asked << STAMP_CLASS_ASKED_SHIFT |
				(work->tos >> 2) << STAMP_CLASS_ARRIVED_SHIFT |
				(work->tos & 3) << STAMP_CLASS_ECN_SHIFT |
				(stamp_cfg.allow_dscp ? 0 : STAMP_CLASS_REFUSED));
	class->zero = 0;
	return 0;
}

static __always_inline __u8 stamp_tlv_access(struct stamp_access *access)
{
	access->id &= 0xf0;
	access->zero = 0;
	/*
	 * "Discarded" (RFC 8972 4.6); in an answer of the same length this means: not recognised.
	 */
	return access->id == 0x10 || access->id == 0x20 ? 0 : STAMP_TLV_UNKNOWN;
}

static __always_inline __u8 stamp_tlv_follow_up(const struct stamp_work *work,
						struct stamp_follow_up *follow_up)
{
	*follow_up = (struct stamp_follow_up){ .method = STAMP_BY_SOFTWARE };
	if (work->last_sent_ns) {
		follow_up->sequence = bpf_htonl(work->last_sequence);
		follow_up->sent = stamp_time(work, work->last_sent_ns);
	}
	return 0;
}

static __always_inline __u8 stamp_tlv_direct(const struct stamp_work *work,
					     struct stamp_direct *direct)
{
	if (!stamp_cfg.stateful)	/* a stateless reflector has not counted */
		return STAMP_TLV_UNKNOWN;
	direct->received = bpf_htonl(work->received);
	direct->answered = direct->received;
	return 0;
}

/* Those of 4 bytes. */
static __always_inline __u8 stamp_tlv_fill(struct stamp_work *work, __u8 type, void *value)
{
	struct stamp_time_info *info = value;

	switch (type) {
	case STAMP_TLV_TIME:
		info->source_in = work->error & STAMP_SYNCED ? STAMP_FROM_NTP : STAMP_FROM_LOCAL;
		info->source_out = info->source_in;
		info->method_in = info->method_out = STAMP_BY_SOFTWARE;
		return 0;
	case STAMP_TLV_CLASS:
		return stamp_tlv_class(work, value);
	default:
		return stamp_tlv_access(value);
	}
}

/* Returns the flags for a well-formed extension. Lengths are constants, for the verifier. */
static __always_inline __u8 stamp_tlv_answer(struct xdp_md *ctx, struct stamp_work *work,
					     __u8 type, __u32 value, __u32 end)
{
	__u8 flags = 0;
	void *at;

	switch (type) {
	case STAMP_TLV_PADDING:
	case STAMP_TLV_HMAC:	/* computed when everything else is in place */
		return 0;
	case STAMP_TLV_LOCATION:
		return stamp_tlv_location(ctx, work, value, end);
	case STAMP_TLV_FOLLOW_UP:
		at = frame_at(ctx, value, 16);
		if (!at)
			return STAMP_TLV_MALFORMED;
		stamp_sum_old(work, value, at, 16);
		flags = stamp_tlv_follow_up(work, at);
		stamp_sum_new(work, value, at, 16);
		return flags;
	case STAMP_TLV_DIRECT:
		at = frame_at(ctx, value, 12);
		if (!at)
			return STAMP_TLV_MALFORMED;
		stamp_sum_old(work, value, at, 12);
		flags = stamp_tlv_direct(work, at);
		stamp_sum_new(work, value, at, 12);
		return flags;
	case STAMP_TLV_TIME:
	case STAMP_TLV_CLASS:
	case STAMP_TLV_ACCESS:
		at = frame_at(ctx, value, 4);
		if (!at)
			return STAMP_TLV_MALFORMED;
		stamp_sum_old(work, value, at, 4);
		flags = stamp_tlv_fill(work, type, at);
		stamp_sum_new(work, value, at, 4);
		return flags;
	default:
		return STAMP_TLV_UNKNOWN;
	}
}

/* RFC 8972 4.7, erratum 8339: zeroed even if the length is wrong. */
static __always_inline void stamp_tlv_zero(struct xdp_md *ctx, struct stamp_work *work,
					   __u32 value)
{
	__be32 *words = frame_at(ctx, value, 12);

	if (!words || value + 12 > work->end)
		return;
	stamp_sum_old(work, value, words, 12);
	words[0] = words[1] = words[2] = 0;
}

/* Answers one extension: returns the offset of the next one, or 0. */
__attribute__((noinline)) int stamp_tlv(struct xdp_md *ctx, __u32 offset)
{
	struct stamp_work *work = stamp_work();
	struct stamp_reflect_rec *rec = stamp_rec();
	struct stamp_tlv tlv, *header;
	__u32 next, value = offset + sizeof(tlv);
	__u8 flags;

	if (!work || !rec)
		return 0;
	next = stamp_tlv_end(ctx, work, offset, &tlv);
	if (!next)
		return 0;
	ADD_ONCE(rec->tlvs, 1);
	if (next > work->end || !stamp_tlv_fits(tlv.type, bpf_ntohs(tlv.value_bytes))) {
		flags = STAMP_TLV_MALFORMED;
		if (tlv.type == STAMP_TLV_FOLLOW_UP && next <= work->end &&
		    value + 12 <= next && !work->unproven)
			stamp_tlv_zero(ctx, work, value);
	} else if (work->unproven) {
		flags = tlv.type && tlv.type <= STAMP_TLV_HMAC ? 0 : STAMP_TLV_UNKNOWN;
	} else {
		flags = stamp_tlv_answer(ctx, work, tlv.type, value, next);
	}
	if (work->unproven)
		flags |= STAMP_TLV_UNPROVEN;
	ADD_ONCE(rec->tlvs_unknown, !!(flags & STAMP_TLV_UNKNOWN));
	ADD_ONCE(rec->tlvs_malformed, !!(flags & STAMP_TLV_MALFORMED));
	ADD_ONCE(rec->tlvs_unproven, !!(flags & STAMP_TLV_UNPROVEN));
	header = frame_at(ctx, offset, sizeof(*header));
	if (!header)
		return 0;
	stamp_sum_old(work, offset, header, sizeof(*header));
	header->flags = flags;
	stamp_sum_new(work, offset, header, sizeof(*header));
	return flags & STAMP_TLV_MALFORMED ? 0 : next;
}

#endif
