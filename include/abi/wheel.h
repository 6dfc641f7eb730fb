/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * abi/wheel.h - a timing wheel: which of many streams is due next, at the same cost for one and for
 * thousands.
 *
 * A slot is 2^shift ns wide; a stream is in the slot of its due time, first come first served
 * within it. One that is due beyond the last slot is in the last, and is requeued when that is
 * reached. Two levels of bitmaps find the next non-empty slot. Varghese and Lauck 1987, scheme 4.
 *
 * One writer at a time: the program of one CPU, or one thread.
 */
#ifndef ABI_WHEEL_H
#define ABI_WHEEL_H

#include "abi/abi.h"

#define WHEEL_SLOTS	4096
#define WHEEL_WORDS	(WHEEL_SLOTS / 64)
#define WHEEL_MAX	4096	/* streams, numbered from 0 */
#define WHEEL_NONE	0xffff
#define WHEEL_MAX_WIDTH_NS	1024ull	/* of a slot */

struct wheel {
	__u64 base;		/* current slot, counted from time 0; all before it are empty */
	__u64 summary;		/* bit w: words[w] is not 0 */
	__u64 words[WHEEL_WORDS];	/* bit s % 64 of word s / 64: slot s is not empty */
	__u32 shift;
	__u32 reserved[13];
	__u64 due_ns[WHEEL_MAX];
	__u16 next[WHEEL_MAX];
	__u16 head[WHEEL_SLOTS], tail[WHEEL_SLOTS];
};
ABI_ASSERT_SIZE(struct wheel, 16 + 8 * WHEEL_WORDS + 56 + 8 * WHEEL_MAX + 2 * WHEEL_MAX +
		4 * WHEEL_SLOTS);

/*
 * The number of the lowest bit set. By multiplication (Leiserson, Prokop, Randall 1998), as clang
 * 14 cannot compile __builtin_ctzll() for BPF.
 */
static const __u8 wheel_bit_table[64] = {
	0, 1, 48, 2, 57, 49, 28, 3, 61, 58, 50, 42, 38, 29, 17, 4,
	62, 55, 59, 36, 53, 51, 43, 22, 45, 39, 33, 30, 24, 18, 12, 5,
	63, 47, 56, 27, 60, 41, 37, 16, 54, 35, 52, 21, 44, 32, 23, 11,
	46, 26, 40, 15, 34, 20, 31, 10, 25, 14, 19, 9, 13, 8, 7, 6,
};

static inline __u32 wheel_lowest_bit(__u64 bits)
{
	__u64 bit = wheel_bit_table[(bits & -bits) * 0x03f79d71b4cb0a89ull >> 58];

	/*
	 * clang 19 knows that no value in the table is above 63 and omits the callers' masks, which
	 * the verifier requires.
	 */
	__asm__ volatile("" : "+r"(bit));
	return (__u32)bit;
}

/* Inserts stream @i, which is not in the wheel, at its due time. */
static inline void wheel_put(struct wheel *wheel, __u32 i, __u64 due_ns)
{
	__u64 slot = due_ns >> wheel->shift, bit;
	__u32 at, word;

	i &= WHEEL_MAX - 1;
	if (slot < wheel->base)
		slot = wheel->base;
	if (slot > wheel->base + WHEEL_SLOTS - 1)
		slot = wheel->base + WHEEL_SLOTS - 1;
	at = slot & (WHEEL_SLOTS - 1);
	word = at >> 6;
	bit = 1ull << (at & 63);
	wheel->due_ns[i] = due_ns;
	wheel->next[i] = WHEEL_NONE;
	if (wheel->words[word] & bit)
		wheel->next[wheel->tail[at] & (WHEEL_MAX - 1)] = i;
	else
		wheel->head[at] = i;
	wheel->tail[at] = i;
	wheel->words[word] |= bit;
	wheel->summary |= 1ull << word;
}

/* The first non-empty slot, or WHEEL_NONE. */
static inline __u32 wheel_first_slot(const struct wheel *wheel)
{
	__u32 start = wheel->base & (WHEEL_SLOTS - 1), word = start >> 6;
	__u64 bits = wheel->words[word] & ~0ull << (start & 63), later;
	__u32 at;

	if (!bits) {
		/* Shifted twice: by 64 at once is undefined. */
		later = wheel->summary & ~0ull << word << 1;
		if (!later)
			later = wheel->summary;
		if (!later)
			return WHEEL_NONE;
		word = wheel_lowest_bit(later) & (WHEEL_WORDS - 1);
		bits = wheel->words[word];
		if (!bits)
			return WHEEL_NONE;
	}
	at = word << 6 | wheel_lowest_bit(bits);
	/* Verifiers before 6.5 lose the bounds at the "or": the mask must come after it. */
	__asm__ volatile("" : "+r"(at));
	return at & (WHEEL_SLOTS - 1);
}

/*
 * The stream that is due next and its time, or WHEEL_NONE. It may be later than another by up to a
 * slot's width, or by more if it is in the last slot: see wheel_is_far().
 */
static inline __u32 wheel_peek(const struct wheel *wheel, __u64 *ret_due_ns)
{
	__u32 at = wheel_first_slot(wheel), i;

	if (at == WHEEL_NONE)
		return WHEEL_NONE;
	i = wheel->head[at] & (WHEEL_MAX - 1);
	*ret_due_ns = wheel->due_ns[i];
	return i;
}

/*
 * After wheel_peek(): the stream only waits in that slot. Take and requeue it regardless of the
 * time, since others may be due before it.
 */
static inline int wheel_only_waits(const struct wheel *wheel, __u64 due_ns)
{
	__u32 ahead = (wheel_first_slot(wheel) - (__u32)wheel->base) & (WHEEL_SLOTS - 1);

	return due_ns >> wheel->shift > wheel->base + ahead;
}

/* Removes the stream of wheel_peek(). */
static inline void wheel_take(struct wheel *wheel)
{
	__u32 at = wheel_first_slot(wheel), i, word;

	if (at == WHEEL_NONE)
		return;
	wheel->base += (at - (__u32)wheel->base) & (WHEEL_SLOTS - 1);
	i = wheel->head[at] & (WHEEL_MAX - 1);
	if (i != (wheel->tail[at] & (WHEEL_MAX - 1))) {
		wheel->head[at] = wheel->next[i];
		return;
	}
	word = at >> 6;
	wheel->words[word] &= ~(1ull << (at & 63));
	if (!wheel->words[word])
		wheel->summary &= ~(1ull << word);
}

/* After wheel_take(): the stream only waited in the last slot; requeue it. */
static inline int wheel_is_far(const struct wheel *wheel, __u64 due_ns)
{
	return due_ns >> wheel->shift > wheel->base;
}

/*
 * Slots of half the mean interval between packets of all streams together, so that most hold one
 * stream; at least 64 ns, and at most 1 us, as a stream may be this late after another one in its
 * slot.
 */
static inline __u32 wheel_shift_for(__u64 mean_gap_ns)
{
	__u32 shift = 6;

	while (1ull << shift < WHEEL_MAX_WIDTH_NS && (2ull << shift) * 2 <= mean_gap_ns)
		shift++;
	return shift;
}

#endif
