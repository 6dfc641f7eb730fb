/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * abi/field.h - fields that vary from packet to packet, with the same arithmetic on both sides.
 *
 * A field's value is a pure function of the packet's number, so the generators in the kernel and in
 * user space produce the same packets from any starting point. Values are computed here; each side
 * writes them and updates the checksums itself.
 */
#ifndef ABI_FIELD_H
#define ABI_FIELD_H

#include "abi/abi.h"

#define FIELD_MAX	8	/* maximum number of fields per stream */
#define FIELD_MAX_LIST	256	/* list values, all lists of a stream together */
#define FIELD_MAX_SUMS	4	/* maximum number of checksums per frame */

enum field_kind {
	FIELD_COUNTER,		/* first, first + step, ... span values, then again */
	FIELD_RANDOM,		/* first + one of span values, drawn from the seed */
	FIELD_LIST,		/* list[first] + step, ... span values, then again */
	FIELD_PICK,		/* one of these at random: a value listed twice is twice as
				 * likely */
};

/*
 * One field: up to 64 bits inside a big-endian window of 2, 4 or 8 bytes that
 * is at an even offset of the frame. "Per burst" is every > 1.
 */
struct field {
	__u64 mask;		/* the field's bits, at their position in the window */
	__u64 first;		/* a value, not yet shifted; for lists: an index */
	__u64 span;		/* number of values; 0: all 2^64 */
	__u64 step;		/* counter; two's complement: -1 counts down. list, pick: added */
	__u64 seed;		/* random, pick */
	__u32 every;		/* packets with the same value; at least 1 */
	__u16 offset;		/* of the window within the frame */
	__u8 bytes;		/* of the window: 2, 4 or 8 */
	__u8 shift;		/* left shift of the value */
	__u8 kind;
	__u8 sums;		/* bit i: checksum i of the frame covers it */
	__u8 reserved[6];
};
ABI_ASSERT_SIZE(struct field, 56);

/* A checksum of the frame (RFC 1071), inner ones first. */
struct field_sum {
	__u16 offset;		/* even */
	__u8 sums;		/* bit i: checksum i, an outer one, covers this one */
	__u8 udp;		/* 1: 0 means none, so 0 is sent as 0xffff */
};
ABI_ASSERT_SIZE(struct field_sum, 4);

/* splitmix64's finalizer (Steele, Lea, Flood 2014): a pure hash, no state. */
static inline __u64 field_hash(__u64 seed, __u64 number)
{
	__u64 z = seed + number * 0x9e3779b97f4a7c15ull;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
	return z ^ (z >> 31);
}

/* One of @span numbers from 0 on; 0: all 2^64. */
static inline __u64 field_chance(__u64 seed, __u64 turn, __u64 span)
{
	__u64 index = field_hash(seed, turn);

	/* Spans up to 2^32 by multiplication, as a remainder would favour the low ones. */
	if (span && !(span >> 32))
		return ((index >> 32) * span) >> 32;
	return span ? index % span : index;
}

/*
 * Value @number of @field, not shifted. @list has @nr_list values, to which some kinds refer by
 * index. Fields with the same kind, span, seed and every change together, whatever their first and
 * step are. Always inline: in a BPF program a call costs some 5 ns where returns are guarded.
 */
static inline __attribute__((always_inline))
__u64 field_value(const volatile struct field *field, const volatile __u64 *list,
				__u32 nr_list, __u64 number)
{
	__u64 turn = field->every > 1 ? number / field->every : number, index;

	switch (field->kind) {
	case FIELD_RANDOM:
		return field->first + field_chance(field->seed, turn, field->span);
	case FIELD_LIST:
	case FIELD_PICK:
		if (field->kind == FIELD_PICK)
			index = field_chance(field->seed, turn, field->span ? field->span : 1);
		else
			index = field->span ? turn % field->span : 0;
		index += field->first;
		return (index < nr_list ? list[index] : 0) + field->step;
	default:
		index = field->span ? turn % field->span : turn;
		return field->first + index * field->step;
	}
}

/* The bits of value @number at their position in the window. */
static inline __u64 field_bits(const volatile struct field *field, const volatile __u64 *list,
			       __u32 nr_list, __u64 number)
{
	return (field_value(field, list, nr_list, number) << field->shift) & field->mask;
}

/* The contribution of a window's bits to a checksum that covers it; not folded. */
static inline __u32 field_sum16(__u64 bits)
{
	return (__u32)(bits >> 48) + (__u32)(bits >> 32 & 0xffff) + (__u32)(bits >> 16 & 0xffff) +
	       (__u32)(bits & 0xffff);
}

/* RFC 1071 */
static inline __u32 field_fold(__u32 sum)
{
	sum = (sum & 0xffff) + (sum >> 16);
	return (sum & 0xffff) + (sum >> 16);
}

#endif
