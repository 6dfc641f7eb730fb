// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * model/load_plan.c - schedule and addresses of a load's clients.
 */
#include "model/load_plan.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECOND_NS	1000000000ull
#define MAX_STEP	1000000000ull

struct load_step load_step_of(const struct unit_rate *rate)
{
	double nr = round(rate->value);

	if (rate->kind != UNIT_RATE_PPS)
		return (struct load_step){ 0 };
	if (nr == rate->value)
		return (struct load_step){ .nr = (uint64_t)nr, .every_ns = SECOND_NS };
	/* The time of one event would have too few ns. */
	if (rate->value > 1000)
		return (struct load_step){ .nr = (uint64_t)round(1000 * rate->value), .every_ns = 1000 * SECOND_NS };
	return (struct load_step){ .nr = 1, .every_ns = (uint64_t)round(SECOND_NS / rate->value) };
}

int load_parse_step(const char *text, struct load_step *ret_step)
{
	const char *slash = strchr(text, '/');
	size_t len = slash ? (size_t)(slash - text) : strlen(text);
	struct load_step step = { .every_ns = SECOND_NS };
	char number[32], time[32];

	if (!len || len >= sizeof(number))
		return -EINVAL;
	memcpy(number, text, len);
	number[len] = '\0';
	if (unit_parse_count(number, &step.nr) || !step.nr || step.nr > MAX_STEP)
		return -EINVAL;
	if (slash) {
		/* "/s" is "/1s"; a bare number would be ambiguous. */
		if (!isalpha((unsigned char)slash[strlen(slash) - 1]))
			return -EINVAL;
		snprintf(time, sizeof(time), "%s%s", isdigit((unsigned char)slash[1]) ? "" : "1",
			 slash + 1);
		if (strlen(slash) >= sizeof(time) - 1 || unit_parse_duration(time, &step.every_ns) ||
		    !step.every_ns)
			return -EINVAL;
	}
	*ret_step = step;
	return 0;
}

int load_parse_range(const char *text, struct load_range *ret_range)
{
	const char *dash = strchr(text, '-');
	struct load_range range;
	char first[32];

	if (!dash) {
		if (unit_parse_duration(text, &range.min_ns))
			return -EINVAL;
		range.max_ns = range.min_ns;
	} else {
		if ((size_t)(dash - text) >= sizeof(first))
			return -EINVAL;
		memcpy(first, text, (size_t)(dash - text));
		first[dash - text] = '\0';
		if (unit_parse_duration(first, &range.min_ns) ||
		    unit_parse_duration(dash + 1, &range.max_ns) || range.max_ns < range.min_ns)
			return -EINVAL;
	}
	*ret_range = range;
	return 0;
}

static int parse_address(const char *text, int *ret_family, uint8_t ret_bytes[16])
{
	if (inet_pton(AF_INET, text, ret_bytes) == 1)
		*ret_family = AF_INET;
	else if (inet_pton(AF_INET6, text, ret_bytes) == 1)
		*ret_family = AF_INET6;
	else
		return -EINVAL;
	return 0;
}

static size_t address_len(int family)
{
	return family == AF_INET ? 4 : 16;
}

/* The low 64 bits of an address as a number; the first bytes stay as they are. */
static uint64_t low_bits(const uint8_t *bytes, size_t len)
{
	uint64_t value = 0;
	size_t i;

	for (i = len > 8 ? len - 8 : 0; i < len; i++)
		value = value << 8 | bytes[i];
	return value;
}

static void add_low(uint8_t *bytes, size_t len, uint64_t add)
{
	uint64_t value = low_bits(bytes, len) + add;
	size_t i;

	for (i = 0; i < len && i < 8; i++, value >>= 8)
		bytes[len - 1 - i] = (uint8_t)value;
}

static int parse_prefix(struct load_sources *s, const char *bits_text)
{
	size_t len = address_len(s->family), i;
	unsigned long bits, rest;
	char *end;

	if (!isdigit((unsigned char)*bits_text))
		return -EINVAL;
	bits = strtoul(bits_text, &end, 10);
	if (*end || bits > len * 8)
		return -EINVAL;
	rest = len * 8 - bits;
	for (i = 0; i < len; i++) {
		unsigned long from = i * 8;

		if (from >= bits)
			s->first[i] = 0;
		else if (from + 8 > bits)
			s->first[i] &= (uint8_t)(0xff00 >> (bits - from));
	}
	/* Limited, so that the sum does not overflow. */
	s->nr = rest > 32 ? 1ull << 32 : 1ull << rest;
	if (rest > 1) {
		add_low(s->first, len, 1);
		s->nr -= s->family == AF_INET ? 2 : 1;
	}
	return 0;
}

static int parse_last(struct load_sources *s, const char *text)
{
	size_t len = address_len(s->family);
	uint8_t last[16] = { 0 };
	int family;

	if (parse_address(text, &family, last) || family != s->family ||
	    (len > 8 && memcmp(last, s->first, len - 8)) ||
	    low_bits(last, len) < low_bits(s->first, len) ||
	    low_bits(last, len) - low_bits(s->first, len) >= 1ull << 32)
		return -EINVAL;
	s->nr = low_bits(last, len) - low_bits(s->first, len) + 1;
	return 0;
}

int load_parse_sources(const char *option, const char *text, struct load_sources *ret_sources,
		       struct err *e)
{
	size_t len = strcspn(text, "/-");
	struct load_sources s = { .nr = 1 };
	char first[64];
	int err = -EINVAL;

	if (len < sizeof(first)) {
		memcpy(first, text, len);
		first[len] = '\0';
		err = parse_address(first, &s.family, s.first);
	}
	if (!err && text[len] == '/')
		err = parse_prefix(&s, text + len + 1);
	else if (!err && text[len] == '-')
		err = parse_last(&s, text + len + 1);
	if (err)
		return err_usage(e, "%s '%s' is not an address range: write 198.18.0.10, "
				 "198.18.0.10-198.18.0.250 or 198.18.0.0/24, or the same of IPv6",
				 option, text);
	*ret_sources = s;
	return 0;
}

void load_source(const struct load_sources *sources, uint64_t client, char *buf, size_t size)
{
	uint8_t address[16];

	buf[0] = '\0';
	if (!sources->family)
		return;
	memcpy(address, sources->first, sizeof(address));
	add_low(address, address_len(sources->family), client % sources->nr);
	inet_ntop(sources->family, address, buf, (socklen_t)size);
}

/* In 128 bits: a day at a million per second would not fit in 64. At most 292 years, so that a time may be added. */
static uint64_t bounded(unsigned __int128 ns)
{
	return ns < INT64_MAX ? (uint64_t)ns : INT64_MAX;
}

uint64_t load_ramp_ns(const struct load_step *ramp, uint64_t client)
{
	return ramp->nr ? bounded((unsigned __int128)(client / ramp->nr) * ramp->every_ns) : 0;
}

uint64_t load_due_ns(const struct load_step *rate, uint64_t request)
{
	return bounded((unsigned __int128)request * rate->every_ns / rate->nr);
}

/* splitmix64, by Sebastiano Vigna, in the public domain */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

uint64_t load_seed(uint64_t seed, uint64_t client)
{
	uint64_t state = seed * 0x2545f4914f6cdd1dull + client;

	return next_random(&state);
}

uint64_t load_pick_ns(const struct load_range *range, uint64_t *state)
{
	uint64_t width = range->max_ns - range->min_ns;

	if (!width)
		return range->min_ns;
	return range->min_ns +
	       (uint64_t)((unsigned __int128)next_random(state) * (width + 1) >> 64);
}

int load_expand(char *buf, size_t size, const char *url, uint64_t client, uint64_t cycle)
{
	size_t used = 0, len;

	for (;;) {
		len = strcspn(url, "{");
		if (used + len >= size)
			return -ENAMETOOLONG;
		memcpy(buf + used, url, len);
		used += len;
		url += len;
		if (!*url)
			break;
		if (!strncmp(url, "{client}", 8)) {
			used += (size_t)snprintf(buf + used, size - used, "%" PRIu64, client);
			url += 8;
		} else if (!strncmp(url, "{cycle}", 7)) {
			used += (size_t)snprintf(buf + used, size - used, "%" PRIu64, cycle);
			url += 7;
		} else {
			buf[used++] = *url++;
		}
		if (used >= size)
			return -ENAMETOOLONG;
	}
	buf[used] = '\0';
	return 0;
}

const char *load_redirect_method(const char *method, unsigned int status)
{
	if (!strcmp(method, "HEAD") || status == 307 || status == 308)
		return method;
	if (status == 303 || !strcmp(method, "POST"))
		return "GET";
	return method;
}
