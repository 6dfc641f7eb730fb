/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lib/peak.h - current and highest count, over all threads.
 */
#ifndef LIB_PEAK_H
#define LIB_PEAK_H

#include <stdbool.h>
#include <stdint.h>

struct peak {
	uint64_t now, max;
};

static inline void peak_up(struct peak *peak)
{
	uint64_t now = __atomic_add_fetch(&peak->now, 1, __ATOMIC_RELAXED);
	uint64_t max = __atomic_load_n(&peak->max, __ATOMIC_RELAXED);

	while (now > max && !__atomic_compare_exchange_n(&peak->max, &max, now, true,
							 __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

static inline void peak_down(struct peak *peak)
{
	__atomic_sub_fetch(&peak->now, 1, __ATOMIC_RELAXED);
}

static inline uint64_t peak_now(const struct peak *peak)
{
	return __atomic_load_n(&peak->now, __ATOMIC_RELAXED);
}

static inline uint64_t peak_max(const struct peak *peak)
{
	return __atomic_load_n(&peak->max, __ATOMIC_RELAXED);
}

#endif
