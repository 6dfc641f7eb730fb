/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * abi/stamp.h - the clocks that packets are stamped by, and the way from a
 * NIC's own clock to one of them.
 */
#ifndef ABI_STAMP_H
#define ABI_STAMP_H

#include "abi/abi.h"

/*
 * The size of a timestamp shows its clock: CLOCK_TAI counts from 1970 and passed
 * this in 2001, CLOCK_MONOTONIC counts from boot and needs 31 years.
 */
#define STAMP_TAI_LEAST_NS 1000000000000000000ull

enum stamp_clock {
	STAMP_MONOTONIC,	/* CLOCK_MONOTONIC: both ends on one host */
	STAMP_TAI,		/* CLOCK_TAI: on two hosts, as well as these are synchronised */
};

static inline int stamp_is_tai(__u64 stamp_ns)
{
	return stamp_ns >= STAMP_TAI_LEAST_NS;
}

/*
 * A straight line from one clock to another that was read with it: at
 * @from_ns the other showed @to_ns, and it goes @drift / 2^32 ns a ns faster.
 * Good for minutes around that moment, as far as 64 bits go; the clocks'
 * wander decides how long it is right.
 */
struct stamp_line {
	__u64 from_ns;
	__u64 to_ns;
	__s64 drift;
};
ABI_ASSERT_SIZE(struct stamp_line, 24);

static inline __u64 stamp_convert(const struct stamp_line *line, __u64 from_ns)
{
	__s64 since_ns = (__s64)(from_ns - line->from_ns);

	return line->to_ns + since_ns + ((since_ns * line->drift) >> 32);
}

/*
 * The line through its last point and a newer one, for user space. Clocks that
 * differ more than they can have drifted were set: the line then starts anew.
 */
static inline void stamp_line_next(struct stamp_line *line, __u64 from_ns, __u64 to_ns)
{
	__s64 passed_ns = (__s64)(from_ns - line->from_ns);
	__s64 gained_ns = (__s64)(to_ns - line->to_ns) - passed_ns;

	line->drift = 0;
	if (passed_ns > 0 && gained_ns < passed_ns >> 8 && gained_ns > -(passed_ns >> 8))
		line->drift = gained_ns * (1ll << 32) / passed_ns;
	line->from_ns = from_ns;
	line->to_ns = to_ns;
}

/*
 * The line that user space keeps for the sink, which is its only writer: it
 * fills the one that is not in use, then says that it is. A packet in between
 * is timed by the old one, which is still good.
 */
struct stamp_lines {
	__u32 now;		/* 0 or 1: the line in use */
	__u32 valid;		/* 0: none yet, so that nothing can be timed */
	struct stamp_line line[2];
};
ABI_ASSERT_SIZE(struct stamp_lines, 56);

#endif
