/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lib/near.h - find the known word closest to a mistyped one: "did you mean 'X'?".
 */
#ifndef LIB_NEAR_H
#define LIB_NEAR_H

#include <stddef.h>

struct near {
	const char *word;		/* as typed */
	const char *best;		/* NULL: no candidate is close enough */
	unsigned int distance;		/* of best */
};

/* Replaces the best candidate if @candidate is closer. */
void near_try(struct near *near, const char *candidate);

/* The closest of @candidates, NULL-terminated; NULL: none is close enough. */
const char *near_word(const char *word, const char *const *candidates);

/* The same of those that @at enumerates; NULL after the last. */
const char *near_known(const char *word, const char *(*at)(size_t i));

/* Insertions, deletions, substitutions and swaps of neighbours that turn @a into @b. */
unsigned int near_distance(const char *a, const char *b);

#endif
