/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * abi/stamp.h - the clocks of timestamps, and the conversion from a NIC's clock to one of them.
 */
#ifndef ABI_STAMP_H
#define ABI_STAMP_H

#include "abi/abi.h"

/*
 * A timestamp's size shows its clock: CLOCK_TAI counts from 1970 and passed this value in 2001,
 * CLOCK_MONOTONIC counts from boot and would need 31 years.
 */
#define STAMP_TAI_LEAST_NS 1000000000000000000ull

enum stamp_clock {
	STAMP_MONOTONIC,	/* CLOCK_MONOTONIC: both ends on one host */
	STAMP_TAI,		/* CLOCK_TAI: comparable between hosts as far as they are
				 * synchronised */
};

static inline int stamp_is_tai(__u64 stamp_ns)
{
	return stamp_ns >= STAMP_TAI_LEAST_NS;
}

/*
 * Linear conversion between two clocks read together: at @from_ns the other showed @to_ns, and it
 * runs @drift / 2^32 ns per ns faster. Within 64 bits it is usable for minutes around that moment;
 * how long it is accurate depends on the clocks' wander.
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
 * The line through its last point and a newer one, for user space. If the clocks differ by more
 * than drift explains, one was set: the line is restarted.
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
 * Conversion lines maintained by user space for the sink: user space fills the inactive one, then
 * makes it active. A packet in between uses the old one, which is still valid.
 */
struct stamp_lines {
	__u32 now;		/* 0 or 1: the active line */
	__u32 valid;		/* 0: none yet, so nothing can be timed */
	struct stamp_line line[2];
};
ABI_ASSERT_SIZE(struct stamp_lines, 56);

#endif
