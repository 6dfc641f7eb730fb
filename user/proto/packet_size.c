// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * proto/packet_size.c - parse the frame sizes of a stream.
 */
#include "proto/packet_size.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "lib/array.h"

#define MIN_FRAME	64
#define MAX_FRAME	9216
#define MAX_WEIGHT	1000000000u

/* RFC 6985, a to g; the rest is for other sizes. */
static const uint16_t standard_sizes[] = { 64, 128, 256, 512, 1024, 1280, 1518 };
#define NR_STANDARD	ARRAY_SIZE(standard_sizes)
#define NR_LETTERS	26

struct parser {
	const char *text;
	const char *at;
	struct err *e;
};

/* One size of a mix. */
struct share {
	uint32_t frame_bytes;
	uint64_t weight;
	int64_t credit;
};

static unsigned int column_of(const struct parser *p, const char *at)
{
	return (unsigned int)(at - p->text) + 1;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return c >= 'a' && c <= 'z';
}

static void skip_blanks(struct parser *p)
{
	while (*p->at == ' ' || *p->at == '\t')
		p->at++;
}

/* Error: what was found, and what was expected. */
static int unexpected(struct parser *p, const char *expected)
{
	unsigned char c = (unsigned char)*p->at;
	unsigned int column = column_of(p, p->at);

	if (!c)
		return err_usage(p->e, "column %u: the text ends, expected %s", column,
				 expected);
	if (c < ' ' || c > '~')
		return err_usage(p->e, "column %u: byte 0x%02x, expected %s", column, c,
				 expected);
	return err_usage(p->e, "column %u: '%c', expected %s", column, c, expected);
}

static bool take(struct parser *p, char c)
{
	skip_blanks(p);
	if (*p->at != c)
		return false;
	p->at++;
	skip_blanks(p);
	return true;
}

static bool take_word(struct parser *p, const char *word)
{
	size_t len = strlen(word);

	if (strncmp(p->at, word, len))
		return false;
	p->at += len;
	skip_blanks(p);
	return true;
}

static int take_number(struct parser *p, const char *what, uint64_t min, uint64_t max,
		       uint64_t *ret_number)
{
	const char *start;
	uint64_t number = 0;
	bool too_big = false, is_long;

	skip_blanks(p);
	if (!is_digit(*p->at))
		return unexpected(p, what);
	for (start = p->at; is_digit(*p->at); p->at++) {
		if (__builtin_mul_overflow(number, 10, &number) ||
		    __builtin_add_overflow(number, (uint64_t)(*p->at - '0'), &number))
			too_big = true;
	}
	is_long = p->at - start > 24;
	if (too_big || number < min || number > max)
		return err_usage(p->e, "column %u: %.*s%s, expected %s from %llu to %llu",
				 column_of(p, start), is_long ? 24 : (int)(p->at - start), start,
				 is_long ? "..." : "", what,
				 (unsigned long long)min, (unsigned long long)max);
	skip_blanks(p);
	*ret_number = number;
	return 0;
}

static int take_frame_bytes(struct parser *p, uint32_t *ret_bytes)
{
	uint64_t number;
	int r = take_number(p, "a frame size", MIN_FRAME, MAX_FRAME, &number);

	if (r < 0)
		return r;
	*ret_bytes = (uint32_t)number;
	return 0;
}

/* Parses the rest of "64-1518", from the '-' on. */
static int take_range_end(struct parser *p, uint32_t first, uint32_t *ret_last)
{
	const char *start;
	int r;

	if (!take(p, '-'))
		return unexpected(p, "'-' and the largest frame size");
	start = p->at;
	r = take_frame_bytes(p, ret_last);
	if (r < 0)
		return r;
	if (*ret_last < first)
		return err_usage(p->e, "column %u: %u, expected a frame size from %u on",
				 column_of(p, start), *ret_last, first);
	return 0;
}

static int parse_range(struct parser *p, uint32_t first, struct packet_size *size)
{
	uint64_t step = 1;
	uint32_t last;
	int r;

	r = take_range_end(p, first, &last);
	if (r < 0)
		return r;
	if (take(p, ':')) {
		r = take_number(p, "a step", 1, MAX_FRAME, &step);
		if (r < 0)
			return r;
	}
	size->field.kind = FIELD_COUNTER;
	size->field.first = first;
	size->field.step = step;
	size->field.span = (last - first) / step + 1;
	size->min_bytes = first;
	size->max_bytes = first + (uint32_t)((size->field.span - 1) * step);
	size->mean_bytes = (size->min_bytes + size->max_bytes) / 2.0;
	return 0;
}

/* Parses what follows "random". */
static int parse_random(struct parser *p, uint64_t seed, struct packet_size *size)
{
	uint32_t first, last;
	int r;

	if (!take(p, '('))
		return unexpected(p, "'(' and a range, as in random(64-1518)");
	r = take_frame_bytes(p, &first);
	if (r < 0)
		return r;
	r = take_range_end(p, first, &last);
	if (r < 0)
		return r;
	if (take(p, ',')) {
		if (!take_word(p, "seed") || !take(p, '='))
			return unexpected(p, "seed=, as in random(64-1518, seed=7)");
		r = take_number(p, "a seed", 0, UINT64_MAX, &seed);
		if (r < 0)
			return r;
		if (!take(p, ')'))
			return unexpected(p, "')'");
	} else if (!take(p, ')')) {
		return unexpected(p, "')' or ', seed='");
	}
	size->field.kind = FIELD_RANDOM;
	size->field.first = first;
	size->field.span = last - first + 1;
	size->field.seed = seed;
	size->min_bytes = first;
	size->max_bytes = last;
	size->mean_bytes = (first + last) / 2.0;
	return 0;
}

/* Sets what a complete list implies. */
static void finish_list(struct packet_size *size)
{
	uint64_t sum = 0;
	uint32_t i;

	size->field.kind = FIELD_LIST;
	size->field.span = size->nr_list;
	size->min_bytes = size->max_bytes = (uint32_t)size->list[0];
	for (i = 0; i < size->nr_list; i++) {
		uint32_t bytes = (uint32_t)size->list[i];

		sum += bytes;
		if (bytes < size->min_bytes)
			size->min_bytes = bytes;
		if (bytes > size->max_bytes)
			size->max_bytes = bytes;
	}
	size->mean_bytes = (double)sum / size->nr_list;
}

static uint64_t gcd(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* Smooth weighted round robin: the size that has waited longest for its share is next. */
static int spread(struct parser *p, struct share *shares, uint32_t nr, struct packet_size *size)
{
	uint64_t divisor = 0, sum = 0;
	uint32_t i, n, best;

	for (i = 0; i < nr; i++)
		divisor = gcd(shares[i].weight, divisor);
	for (i = 0; i < nr; i++) {
		shares[i].weight /= divisor;
		sum += shares[i].weight;
	}
	if (sum > FIELD_MAX_LIST)
		return err_usage(p->e, "column 1: the weights add up to %llu in lowest terms, "
				 "expected at most %u", (unsigned long long)sum,
				 FIELD_MAX_LIST);
	for (n = 0; n < sum; n++) {
		for (best = i = 0; i < nr; i++) {
			shares[i].credit += (int64_t)shares[i].weight;
			if (shares[i].credit > shares[best].credit)
				best = i;
		}
		shares[best].credit -= (int64_t)sum;
		size->list[n] = shares[best].frame_bytes;
	}
	size->nr_list = (uint32_t)sum;
	finish_list(size);
	return 0;
}

/* After the first size; a size that occurs twice has the sum of its weights. */
static int parse_weights(struct parser *p, const char *start, uint32_t bytes,
			 struct packet_size *size)
{
	struct share shares[FIELD_MAX_LIST];
	uint32_t nr = 0, i;
	uint64_t weight;
	int r;

	for (;;) {
		weight = 1;
		if (take(p, '*')) {
			r = take_number(p, "a weight", 1, MAX_WEIGHT, &weight);
			if (r < 0)
				return r;
		}
		for (i = 0; i < nr && shares[i].frame_bytes != bytes; i++)
			;
		if (i == FIELD_MAX_LIST)
			return err_usage(p->e, "column %u: too many sizes, expected at most "
					 "%u different ones", column_of(p, start), FIELD_MAX_LIST);
		if (i == nr)
			shares[nr++] = (struct share){ .frame_bytes = bytes };
		shares[i].weight += weight;
		if (!take(p, ','))
			break;
		start = p->at;
		r = take_frame_bytes(p, &bytes);
		if (r < 0)
			return r;
	}
	return spread(p, shares, nr, size);
}

/* ", z=9018", any number of times; each letter once, and only those of the genome. */
static int parse_letters(struct parser *p, const char *genome, size_t len, uint32_t *sizes)
{
	bool is_given[NR_LETTERS] = { false };
	const char *start;
	int r;

	while (take(p, ',')) {
		start = p->at;
		if (!is_letter(*start))
			return unexpected(p, "a letter and its size, as in z=9018");
		if (is_given[*start - 'a'])
			return err_usage(p->e, "column %u: '%c' again, expected one size for "
					 "each letter", column_of(p, start), *start);
		if (!memchr(genome, *start, len))
			return err_usage(p->e, "column %u: '%c', expected a letter of the genome",
					 column_of(p, start), *start);
		is_given[*start - 'a'] = true;
		p->at++;
		if (!take(p, '='))
			return unexpected(p, "'=' and a frame size");
		r = take_frame_bytes(p, &sizes[*start - 'a']);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Parses what follows "genome". */
static int parse_genome(struct parser *p, struct packet_size *size)
{
	uint32_t sizes[NR_LETTERS] = { 0 };
	const char *genome;
	size_t len, i;
	int r;

	for (i = 0; i < NR_STANDARD; i++)
		sizes[i] = standard_sizes[i];
	if (!take(p, '('))
		return unexpected(p, "'(' and letters, as in genome(aaab)");
	genome = p->at;
	while (is_letter(*p->at))
		p->at++;
	len = (size_t)(p->at - genome);
	if (!len)
		return unexpected(p, "a letter from a to z");
	if (len > FIELD_MAX_LIST)
		return err_usage(p->e, "column %u: too many letters, expected at most %u",
				 column_of(p, genome + FIELD_MAX_LIST), FIELD_MAX_LIST);
	r = parse_letters(p, genome, len, sizes);
	if (r < 0)
		return r;
	if (!take(p, ')'))
		return unexpected(p, "')' or ', ' and the size of a letter");
	for (i = 0; i < len; i++) {
		if (!sizes[genome[i] - 'a'])
			return err_usage(p->e, "column %u: '%c' without a size, expected a letter "
					 "from a to g or its size, as in %c=9018",
					 column_of(p, genome + i), genome[i], genome[i]);
		size->list[i] = sizes[genome[i] - 'a'];
	}
	size->nr_list = (uint32_t)len;
	finish_list(size);
	return 0;
}

static int parse_form(struct parser *p, uint64_t seed, struct packet_size *size)
{
	struct share imix[] = {
		{ .frame_bytes = 64, .weight = 7 },
		{ .frame_bytes = 594, .weight = 4 },
		{ .frame_bytes = 1518, .weight = 1 },
	};
	const char *start;
	uint32_t bytes;
	int r;

	skip_blanks(p);
	if (take_word(p, "imix"))
		return spread(p, imix, ARRAY_SIZE(imix), size);
	if (take_word(p, "random"))
		return parse_random(p, seed, size);
	if (take_word(p, "genome"))
		return parse_genome(p, size);
	start = p->at;
	if (!is_digit(*start))
		return unexpected(p, "a frame size, a range, random(...), weights, imix or genome(...)");
	r = take_frame_bytes(p, &bytes);
	if (r < 0)
		return r;
	if (*p->at == '-')
		return parse_range(p, bytes, size);
	if (*p->at == '*' || *p->at == ',')
		return parse_weights(p, start, bytes, size);
	packet_size_fixed(size, bytes);
	return 0;
}

int packet_size_parse(const char *text, uint64_t seed, struct packet_size *ret_size, struct err *e)
{
	struct parser p = { .text = text, .at = text, .e = e };
	struct packet_size size = { .field.every = 1 };
	int r;

	r = parse_form(&p, seed, &size);
	if (r < 0)
		return r;
	if (*p.at)
		return unexpected(&p, "the end");
	*ret_size = size;
	return 0;
}

void packet_size_grow(struct packet_size *size, uint32_t bytes, uint32_t most_bytes)
{
	uint64_t *one;

	for (one = size->list; one < size->list + size->nr_list; one++) {
		if (*one < most_bytes)
			*one = *one + bytes < most_bytes ? *one + bytes : most_bytes;
	}
	if (size->nr_list) {
		finish_list(size);
	} else if (size->max_bytes + bytes <= most_bytes) {
		size->field.first += bytes;
		size->min_bytes += bytes;
		size->max_bytes += bytes;
		size->mean_bytes += bytes;
	}
}

void packet_size_fixed(struct packet_size *size, uint32_t frame_bytes)
{
	*size = (struct packet_size){
		.field = { .kind = FIELD_COUNTER, .first = frame_bytes, .span = 1, .every = 1 },
		.min_bytes = frame_bytes,
		.max_bytes = frame_bytes,
		.mean_bytes = frame_bytes,
	};
}
