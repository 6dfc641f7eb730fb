/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lib/near.h - the known word that a mistyped one is nearest to: "did you mean 'X'?".
 */
#ifndef LIB_NEAR_H
#define LIB_NEAR_H

struct near {
	const char *word;		/* as it was typed */
	const char *best;		/* NULL: no candidate is near enough */
	unsigned int distance;		/* of best */
};

/* Takes @candidate if it is nearer than those before. */
void near_try(struct near *near, const char *candidate);

/* The nearest of @candidates, NULL-terminated; NULL: none is near enough. */
const char *near_word(const char *word, const char *const *candidates);

/* Insertions, deletions, substitutions and swaps of neighbours that make @b of @a. */
unsigned int near_distance(const char *a, const char *b);

#endif
