/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * abi/pace.h - when a stream's next packet is due, with the same arithmetic on both sides.
 *
 * The gap after packet number N is a pure function of N and of the time since
 * the stream's start, or of the packets themselves, so both engines, and a file
 * that is written instead, follow the same schedule. Times are of CLOCK_MONOTONIC;
 * gaps are counted in 2^-20 ns, so that an odd rate does not drift.
 */
#ifndef ABI_PACE_H
#define ABI_PACE_H

#include "abi/abi.h"
#include "abi/field.h"
#include "abi/hist.h"

#define PACE_FRAC_BITS	20
#define PACE_FRAC_MASK	((1u << PACE_FRAC_BITS) - 1)
#define PACE_PPS_BITS	10	/* rates of a ramp are in 2^-10 pps */

enum pace_kind {
	PACE_MAX,		/* as fast as possible: no slots */
	PACE_EVEN,		/* a packet every gap */
	PACE_BURST,		/* burst packets a gap apart, then a rest */
	PACE_POISSON,		/* gaps exponentially distributed, gap in the mean */
	PACE_RAMP,		/* the rate rises or falls evenly for ramp_ns, then stays */
	/* Of packets that are there before, such as those of a capture: */
	PACE_BYTES,		/* a gap for each byte of the frames before */
	PACE_TIMES,		/* a gap for each ns between the times that they have */
};

struct pace {
	__u64 gap;		/* 2^-20 ns; of bytes and times 2^-(20 + shift) ns */
	__u64 rest;		/* burst: from its last packet to the next one's first, 2^-20 ns */
	__u64 burst;		/* packets; at least 1 */
	__u64 seed;		/* Poisson */
	__u64 from, to;		/* ramp: 2^-10 pps, both at least 1 */
	__u64 ramp_ns;		/* at least 1, below 2^43 (2.4 hours) */
	__u32 kind;		/* enum pace_kind */
	__u32 shift;		/* bytes, times: at most 63 */
};
ABI_ASSERT_SIZE(struct pace, 64);

/* Due so late that it never is, and may still be added to a time. */
#define PACE_NEVER_NS	(1ull << 62)

/* A point of time with its part below 1 ns. */
struct pace_time {
	__u64 ns;
	__u32 frac;		/* 2^-20 ns */
	__u32 reserved;
};
ABI_ASSERT_SIZE(struct pace_time, 16);

/* log2(1 + i/64) in 2^-20 */
static const __u32 pace_log2_table[65] = {
	0, 23454, 46551, 69300, 91711, 113796, 135563, 157021, 178179, 199045,
	219628, 239934, 259971, 279746, 299266, 318537, 337566, 356359, 374920, 393257,
	411375, 429278, 446971, 464460, 481749, 498843, 515745, 532461, 548995, 565349,
	581529, 597537, 613378, 629054, 644570, 659928, 675132, 690185, 705089, 719848,
	734464, 748941, 763280, 777484, 791557, 805500, 819315, 833005, 846573, 860020,
	873348, 886561, 899658, 912644, 925518, 938284, 950944, 963498, 975949, 988298,
	1000547, 1012698, 1024752, 1036711, 1048576,
};

/*
 * -ln(u) in 2^-20 for u = (hash | 1) / 2^64, which is uniform over (0, 1): exponentially
 * distributed with mean 1. Interpolated, with an error below 5e-5.
 */
static inline __u64 pace_exponential(__u64 hash)
{
	__u32 bit, index;
	__u64 value = hash | 1, low;

	/* Shifts the highest bit to bit 63. */
	bit = 63 - hist_log2(value);
	value <<= bit;
	index = value >> 57 & 63;
	low = value >> 37 & PACE_FRAC_MASK;
	low = pace_log2_table[index] +
	      ((pace_log2_table[index + 1] - pace_log2_table[index]) * low >> PACE_FRAC_BITS);
	/* (64 - log2) x ln 2, which is 726817 / 2^20 */
	return (((__u64)(bit + 1) << PACE_FRAC_BITS) - low) * 726817 >> PACE_FRAC_BITS;
}

/* 2^-20 ns between packets at @rate 2^-10 pps */
static inline __u64 pace_gap_of(__u64 rate)
{
	return (1000000000ull << (PACE_FRAC_BITS + PACE_PPS_BITS)) / (rate ? rate : 1);
}

/* The rate @elapsed_ns after the ramp's start, 2^-10 pps */
static inline __u64 pace_ramp_rate(const volatile struct pace *pace, __u64 elapsed_ns)
{
	__u64 part;

	if (elapsed_ns >= pace->ramp_ns)
		return pace->to;
	part = (elapsed_ns << PACE_FRAC_BITS) / pace->ramp_ns;
	if (pace->to >= pace->from)
		return pace->from + ((pace->to - pace->from) * part >> PACE_FRAC_BITS);
	return pace->from - ((pace->from - pace->to) * part >> PACE_FRAC_BITS);
}

/*
 * The interval after packet @number, which was due @elapsed_ns after the stream's start; 2^-20 ns.
 */
static inline __u64 pace_gap(const volatile struct pace *pace, __u64 number, __u64 elapsed_ns)
{
	__u64 factor;

	switch (pace->kind) {
	case PACE_BURST:
		return (number + 1) % pace->burst ? pace->gap : pace->rest;
	case PACE_POISSON:
		factor = pace_exponential(field_hash(pace->seed, number));
		/* In two parts: the full product would overflow. */
		return (pace->gap >> PACE_FRAC_BITS) * factor +
		       ((pace->gap & PACE_FRAC_MASK) * factor >> PACE_FRAC_BITS);
	case PACE_RAMP:
		return pace_gap_of(pace_ramp_rate(pace, elapsed_ns));
	default:
		return pace->gap;
	}
}

#ifndef __bpf__
/*
 * When a packet is due, since the start, where @before counts what was before it: packets of
 * an even stream, bytes of frames, ns of the packets' own time. No rounding adds up.
 */
static inline struct pace_time pace_due(const struct pace *pace, __u64 before)
{
	unsigned __int128 due = (unsigned __int128)before * pace->gap >> pace->shift;

	if (due >> PACE_FRAC_BITS > PACE_NEVER_NS)
		return (struct pace_time){ .ns = PACE_NEVER_NS };
	return (struct pace_time){
		.ns = (__u64)(due >> PACE_FRAC_BITS), .frac = (__u32)due & PACE_FRAC_MASK,
	};
}
#endif

static inline void pace_add(struct pace_time *time, __u64 ns, __u32 frac)
{
	frac += time->frac;
	time->ns += ns + (frac >> PACE_FRAC_BITS);
	time->frac = frac & PACE_FRAC_MASK;
}

static inline void pace_advance(struct pace_time *time, __u64 gap)
{
	pace_add(time, gap >> PACE_FRAC_BITS, gap & PACE_FRAC_MASK);
}

#endif
