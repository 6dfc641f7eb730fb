/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * abi/pdv.h - histogram of packet delay variation (RFC 5481: D - Dmin), with the same arithmetic on
 * both sides.
 *
 * The minimum is not known until the last packet. So a delay is counted in an interval of the delay
 * itself, whose width depends on how far the delay is above the present minimum. Level 0 is for less
 * than 64 ns; its intervals are 1 ns wide. In level k they are 2^(k-1) ns wide; it is for 64 to 127
 * times that. Interval n of a level begins at n times the width, so each interval lies in exactly one
 * interval of a higher level. When the minimum falls, intervals move up to the level of their new
 * distance from it. No error accumulates, however often that happens: the width is never above 1/64
 * of the distance.
 *
 * A level holds a window of 128 consecutive numbers, each at its number modulo 128. Delays counted
 * at one minimum need at most 65 of them, so a level is folded only after the minimum has fallen by
 * 63 widths.
 */
#ifndef ABI_PDV_H
#define ABI_PDV_H

#include "abi/abi.h"
#include "abi/hist.h"

#define PDV_SUB_BITS	6
#define PDV_SUB		(1 << PDV_SUB_BITS)
#define PDV_SLOTS	(2 * PDV_SUB)				/* of a level */
#define PDV_LEVELS	(HIST_MAX_BITS - PDV_SUB_BITS + 1)	/* 35 */

/*
 * One writer. Of delays below 2^HIST_MAX_BITS ns. A zeroed record is a valid empty one: see struct
 * hist_rec.
 */
struct pdv_rec {
	__u64 not_min_ns;		/* ~min */
	__u64 ends[PDV_LEVELS];		/* above all numbers in the level; 0: it is empty */
	__u64 slots[PDV_LEVELS * PDV_SLOTS];
};
ABI_ASSERT_SIZE(struct pdv_rec, 8 * (1 + PDV_LEVELS * (1 + PDV_SLOTS)));

/* Others may read a record while it is written. */
#define PDV_SET(at, value) (*(volatile __u64 *)&(at) = (value))

/* The level of a delay @above_ns the minimum. */
ABI_INLINE __u32 pdv_level(__u64 above_ns)
{
	return above_ns < PDV_SUB ? 0 : hist_log2(above_ns) - PDV_SUB_BITS + 1;
}

/* The width of a level's intervals is 2^shift ns. */
ABI_INLINE __u32 pdv_shift(__u32 level)
{
	return level ? level - 1 : 0;
}

/* The lowest number that the level can hold: the first of its window. */
ABI_INLINE __u64 pdv_first(__u32 level, __u64 min_ns)
{
	return level ? (min_ns >> (level - 1)) + PDV_SUB : min_ns;
}

/* The place of interval @number of @level in slots. */
ABI_INLINE __u64 pdv_slot(__u64 level, __u64 number)
{
	return level * PDV_SLOTS + (number & (PDV_SLOTS - 1));
}

/*
 * False: never. The verifier cannot follow the shifts that an index is made by; the barrier keeps the
 * compiler from leaving the check out, or making it of a copy.
 */
#define PDV_IS_BELOW(index, end) ({ __asm__ volatile("" : "+r"(index)); (index) < (end); })

ABI_INLINE void pdv_count(struct pdv_rec *pdv, __u64 level, __u64 number, __u64 nr)
{
	__u64 slot = pdv_slot(level, number);

	if (!PDV_IS_BELOW(slot, PDV_LEVELS * PDV_SLOTS))
		return;
	PDV_SET(pdv->slots[slot], pdv->slots[slot] + nr);
	if (PDV_IS_BELOW(level, PDV_LEVELS) && number >= pdv->ends[level])
		PDV_SET(pdv->ends[level], number + 1);
}

/* Counts a delay that is not below the minimum. */
ABI_INLINE void pdv_add_above(struct pdv_rec *pdv, __u64 ns)
{
	__u32 level = pdv_level(ns - ~pdv->not_min_ns);

	pdv_count(pdv, level, ns >> pdv_shift(level), 1);
}

/* Whether the minimum @min_ns moves the window of @level below some of its intervals. */
ABI_INLINE int pdv_must_fold(const struct pdv_rec *pdv, __u32 level, __u64 min_ns)
{
	return pdv->ends[level] > pdv_first(level, min_ns) + PDV_SLOTS;
}

/* How many delays are in interval @number of @level. */
ABI_INLINE __u64 pdv_nr(const struct pdv_rec *pdv, __u64 level, __u64 number)
{
	__u64 slot = pdv_slot(level, number);

	return PDV_IS_BELOW(slot, PDV_LEVELS * PDV_SLOTS) ? pdv->slots[slot] : 0;
}

/*
 * The minimum falls to @min_ns, and all higher levels have been folded for it: moves the delays of
 * interval @number of @level to the level where they now belong. False: that is @level.
 */
ABI_INLINE int pdv_move(struct pdv_rec *pdv, __u64 level, __u64 number, __u64 min_ns)
{
	__u64 slot = pdv_slot(level, number), nr;
	__u32 to = pdv_level((number << pdv_shift(level)) - min_ns);

	/* Its lower bound may be just below the level that its delays belong to. */
	if (to <= level || !PDV_IS_BELOW(slot, PDV_LEVELS * PDV_SLOTS))
		return 0;
	nr = pdv->slots[slot];
	pdv_count(pdv, to, number >> (pdv_shift(to) - pdv_shift(level)), nr);
	PDV_SET(pdv->slots[slot], 0);
	return 1;
}

#endif
