// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lib/pdv.c - fill and read histograms of delay variation.
 */
#include "lib/pdv.h"

#include "lib/hist.h"

static void fold(struct pdv_rec *pdv, uint32_t level, uint64_t min_ns)
{
	uint64_t number = pdv_first(level, ~pdv->not_min_ns), end = 0;

	for (; number < pdv->ends[level]; number++) {
		if (pdv_nr(pdv, level, number) && !pdv_move(pdv, level, number, min_ns))
			end = number + 1;
	}
	PDV_SET(pdv->ends[level], end);
}

static void fall(struct pdv_rec *pdv, uint64_t min_ns)
{
	uint32_t level;

	for (level = PDV_LEVELS; level-- > 0;) {
		if (pdv_must_fold(pdv, level, min_ns))
			fold(pdv, level, min_ns);
	}
	PDV_SET(pdv->not_min_ns, ~min_ns);
}

void pdv_add(struct pdv_rec *pdv, uint64_t ns)
{
	if (ns >> HIST_MAX_BITS)
		return;
	if (~ns > pdv->not_min_ns)
		fall(pdv, ns);
	pdv_add_above(pdv, ns);
}

/* Of a record that is read while it is written, the end may not fit the minimum. */
static uint64_t end_of(const struct pdv_rec *pdv, uint32_t level, uint64_t first)
{
	return pdv->ends[level] < first + PDV_SLOTS ? pdv->ends[level] : first + PDV_SLOTS;
}

static void put(struct pdv_rec *sum, uint32_t level, uint64_t number, uint64_t nr)
{
	uint32_t to = pdv_level((number << pdv_shift(level)) - ~sum->not_min_ns);

	/* See pdv_move(). */
	if (to < level)
		to = level;
	pdv_count(sum, to, number >> (pdv_shift(to) - pdv_shift(level)), nr);
}

void pdv_merge(struct pdv_rec *sum, const struct pdv_rec *from)
{
	uint64_t number, end, nr;
	uint32_t level;

	if (from->not_min_ns > sum->not_min_ns)
		fall(sum, ~from->not_min_ns);
	for (level = 0; level < PDV_LEVELS; level++) {
		number = pdv_first(level, ~from->not_min_ns);
		for (end = end_of(from, level, number); number < end; number++) {
			nr = pdv_nr(from, level, number);
			if (nr)
				put(sum, level, number, nr);
		}
	}
}

void pdv_hist(const struct pdv_rec *pdv, const struct hist_rec *delays, struct hist_rec *ret_hist)
{
	uint64_t min_ns = hist_min_ns(delays), number, end, middle_ns, above_ns;
	uint32_t level;

	*ret_hist = (struct hist_rec){
		.count = delays->count, .sum_ns = delays->sum_ns - delays->count * min_ns,
		.max_ns = delays->max_ns - min_ns, .not_min_ns = delays->count ? ~0ull : 0,
		.above = delays->above,
	};
	for (level = 0; level < PDV_LEVELS; level++) {
		number = pdv_first(level, ~pdv->not_min_ns);
		for (end = end_of(pdv, level, number); number < end; number++) {
			middle_ns = (number << pdv_shift(level)) + ((1ull << pdv_shift(level)) >> 1);
			above_ns = middle_ns > min_ns ? middle_ns - min_ns : 0;
			ret_hist->buckets[hist_index(above_ns)] += pdv_nr(pdv, level, number);
		}
	}
}

