// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lib/near.c - find the known word closest to a mistyped one.
 */
#include "lib/near.h"

#include <limits.h>
#include <stddef.h>
#include <string.h>

/* No known word is this long. */
#define LONGEST 40

/* Minimum length of a prefix that is completed to a longer word. */
#define SHORTEST_PREFIX 3

static unsigned int least(unsigned int a, unsigned int b)
{
	return a < b ? a : b;
}

unsigned int near_distance(const char *a, const char *b)
{
	unsigned int rows[3][LONGEST + 1], *before = rows[0], *above = rows[1], *row = rows[2], *spare;
	size_t len_a = strlen(a), len_b = strlen(b), i, k;

	if (len_a > LONGEST || len_b > LONGEST)
		return UINT_MAX;
	for (k = 0; k <= len_b; k++)
		above[k] = (unsigned int)k;
	for (i = 1; i <= len_a; i++) {
		row[0] = (unsigned int)i;
		for (k = 1; k <= len_b; k++) {
			row[k] = least(least(above[k], row[k - 1]) + 1,
				       above[k - 1] + (a[i - 1] != b[k - 1]));
			if (i > 1 && k > 1 && a[i - 1] == b[k - 2] && a[i - 2] == b[k - 1])
				row[k] = least(row[k], before[k - 2] + 1);
		}
		spare = before;
		before = above;
		above = row;
		row = spare;
	}
	return above[len_b];
}

/* One mistake in a short word, at most three: with more, any word is close to another. */
static unsigned int limit(const char *word)
{
	size_t len = strlen(word);

	return len < 3 ? 0 : len < 4 ? 1 : len < 10 ? 2 : 3;
}

void near_try(struct near *near, const char *candidate)
{
	size_t len = strlen(near->word);
	unsigned int distance = near_distance(near->word, candidate);

	if (len >= SHORTEST_PREFIX && distance > 1 && !strncmp(near->word, candidate, len))
		distance = 1;
	if (distance > limit(near->word) || (near->best && distance >= near->distance))
		return;
	near->best = candidate;
	near->distance = distance;
}

const char *near_word(const char *word, const char *const *candidates)
{
	struct near near = { .word = word };

	for (; *candidates; candidates++)
		near_try(&near, *candidates);
	return near.best;
}

const char *near_known(const char *word, const char *(*at)(size_t i))
{
	struct near near = { .word = word };
	const char *candidate;
	size_t i;

	for (i = 0; (candidate = at(i)); i++)
		near_try(&near, candidate);
	return near.best;
}
