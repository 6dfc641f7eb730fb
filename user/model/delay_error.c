// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * model/delay_error.c - compare measured delays with those that a forwarder made.
 */
#include "model/delay_error.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int by_packet(const struct delay_of *a, const struct delay_of *b)
{
	return a->stream == b->stream ? compare(a->sequence, b->sequence) :
					compare(a->stream, b->stream);
}

static int sort_by_packet(const void *a, const void *b)
{
	return by_packet(a, b);
}

static int sort_signed(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* The smallest that at least @share of them do not exceed. */
static int64_t percentile(const int64_t *sorted, size_t nr, double share)
{
	size_t rank = (size_t)ceil(share * (double)nr);

	return sorted[rank ? rank - 1 : 0];
}

static void read_errors(int64_t *errors, size_t nr, struct delay_error *error)
{
	size_t i;

	error->packets = nr;
	if (!nr)
		return;
	qsort(errors, nr, sizeof(*errors), sort_signed);
	error->median_ns = percentile(errors, nr, 0.5);
	for (i = 0; i < nr; i++)
		errors[i] = llabs(errors[i]);
	qsort(errors, nr, sizeof(*errors), sort_signed);
	error->min_ns = (uint64_t)errors[0];
	error->p50_ns = (uint64_t)percentile(errors, nr, 0.5);
	error->p99_ns = (uint64_t)percentile(errors, nr, 0.99);
}

int delay_error_find(struct delay_of *made, size_t nr_made, struct delay_of *measured,
		     size_t nr_measured, struct delay_error *ret_error)
{
	int64_t *errors = calloc(nr_measured + 1, sizeof(*errors));
	struct delay_error error = { 0 };
	size_t nr = 0, m = 0, i;

	if (!errors)
		return -ENOMEM;
	qsort(made, nr_made, sizeof(*made), sort_by_packet);
	qsort(measured, nr_measured, sizeof(*measured), sort_by_packet);
	for (i = 0; i < nr_measured; i++) {
		bool again = i && !by_packet(&measured[i - 1], &measured[i]);

		while (m < nr_made && by_packet(&made[m], &measured[i]) < 0)
			m++;
		if (again || m == nr_made || by_packet(&made[m], &measured[i]))
			error.unknown++;
		else
			errors[nr++] = (int64_t)(measured[i].delay_ns - made[m].delay_ns);
	}
	read_errors(errors, nr, &error);
	free(errors);
	*ret_error = error;
	return 0;
}

bool delay_error_passes(const struct delay_error *error, uint64_t path_ns)
{
	return error->packets && !error->unknown &&
	       error->median_ns >= -DELAY_ERROR_TOLERANCE_NS &&
	       error->median_ns <= (int64_t)path_ns + DELAY_ERROR_TOLERANCE_NS;
}
