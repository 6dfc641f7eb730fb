// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lib/unit.c - numbers with units.
 */
#include "lib/unit.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"

struct scale {
	const char *suffix;
	double factor;
};

static const struct scale count_scales[] = {
	{ "", 1 }, { "k", 1e3 }, { "K", 1e3 }, { "M", 1e6 }, { "G", 1e9 },
	{ "Ki", 0x1p10 }, { "KiB", 0x1p10 }, { "Mi", 0x1p20 }, { "MiB", 0x1p20 }, { "Gi", 0x1p30 },
	{ "GiB", 0x1p30 },
};

static const struct scale duration_scales[] = {
	{ "", 1e9 }, { "s", 1e9 }, { "ms", 1e6 }, { "us", 1e3 }, { "ns", 1 },
	{ "m", 60e9 }, { "min", 60e9 }, { "h", 3600e9 }, { "d", 86400e9 },
};

static const struct scale pps_scales[] = {
	{ "pps", 1 }, { "kpps", 1e3 }, { "Kpps", 1e3 }, { "Mpps", 1e6 }, { "Gpps", 1e9 },
	{ "/s", 1 }, { "k/s", 1e3 }, { "K/s", 1e3 }, { "M/s", 1e6 },
};

static const struct scale bps_scales[] = {
	{ "bit", 1 }, { "bps", 1 }, { "k", 1e3 }, { "kbit", 1e3 }, { "kbps", 1e3 },
	{ "K", 1e3 }, { "Kbit", 1e3 }, { "M", 1e6 }, { "Mbit", 1e6 }, { "Mbps", 1e6 },
	{ "G", 1e9 }, { "Gbit", 1e9 }, { "Gbps", 1e9 }, { "T", 1e12 }, { "Tbit", 1e12 },
};

/*
 * Reads digits with an optional fraction; strtod() alone would accept "inf", "0x10", "1e3" and
 * leading spaces.
 */
static int parse_number(const char *text, double *ret_value, const char **ret_end)
{
	const char *p = text;
	char *end;

	while (isdigit((unsigned char)*p))
		p++;
	if (p == text)
		return -EINVAL;
	if (*p == '.') {
		const char *fraction = ++p;

		while (isdigit((unsigned char)*p))
			p++;
		if (p == fraction)
			return -EINVAL;
	}
	/* strtod() reads "1e9" and "0x5" past the digits seen: reject them. */
	*ret_value = strtod(text, &end);
	if (end != p)
		return -EINVAL;
	*ret_end = p;
	return 0;
}

static int parse_scaled(const char *text, const struct scale *scales, size_t nr, double *ret_value)
{
	const char *end;
	double value;
	size_t i;
	int err;

	err = parse_number(text, &value, &end);
	if (err)
		return err;
	for (i = 0; i < nr; i++) {
		if (strcmp(end, scales[i].suffix))
			continue;
		*ret_value = value * scales[i].factor;
		return 0;
	}
	return -EINVAL;
}

/* 2^63: jansson's integers are signed 64-bit, so a larger count could not be reported. */
static int to_u64(double value, uint64_t *ret_value)
{
	if (value >= 9223372036854775808.0)
		return -ERANGE;
	*ret_value = (uint64_t)value;
	return 0;
}

int unit_parse_count(const char *text, uint64_t *ret_value)
{
	unsigned long long exact;
	double value, whole;
	char *end;
	int err;

	err = parse_scaled(text, count_scales, ARRAY_SIZE(count_scales), &value);
	if (err)
		return err;
	/* Multiplied by the factor, 1.001 of 1.001M is 1000999.9999999999. */
	whole = round(value);
	if (fabs(value - whole) > whole * 1e-14)
		return -EINVAL;
	/* Above 2^53 a double would round: read plain digits exactly. */
	errno = 0;
	exact = strtoull(text, &end, 10);
	if (!*end) {
		if (errno || exact > INT64_MAX)
			return -ERANGE;
		*ret_value = exact;
		return 0;
	}
	return to_u64(whole, ret_value);
}

int unit_parse_duration(const char *text, uint64_t *ret_ns)
{
	double value;
	int err;

	err = parse_scaled(text, duration_scales, ARRAY_SIZE(duration_scales), &value);
	if (err)
		return err;
	/* Rounded to 0, it would mean "no limit" to many options. */
	if (value > 0 && value < 1)
		return -ERANGE;
	return to_u64(round(value), ret_ns);
}

int unit_parse_rate(const char *text, struct unit_rate *ret_rate)
{
	static const struct scale percent[] = { { "%", 0.01 } };
	struct unit_rate rate;

	if (!strcmp(text, "max")) {
		*ret_rate = (struct unit_rate){ .kind = UNIT_RATE_MAX };
		return 0;
	}
	if (!parse_scaled(text, pps_scales, ARRAY_SIZE(pps_scales), &rate.value))
		rate.kind = UNIT_RATE_PPS;
	else if (!parse_scaled(text, bps_scales, ARRAY_SIZE(bps_scales), &rate.value))
		rate.kind = UNIT_RATE_BPS;
	else if (!parse_scaled(text, percent, ARRAY_SIZE(percent), &rate.value))
		rate.kind = UNIT_RATE_LINK_RATIO;
	else
		return -EINVAL;
	if (rate.value <= 0 || rate.value > 1e15 ||
	    (rate.kind == UNIT_RATE_LINK_RATIO && rate.value > 1))
		return -ERANGE;
	*ret_rate = rate;
	return 0;
}

int unit_parse_factor(const char *text, double *ret_factor)
{
	const char *end;
	double value;

	if (parse_number(text, &value, &end) || *end || !isfinite(value) || value <= 0)
		return -EINVAL;
	*ret_factor = value;
	return 0;
}

int unit_parse_percent(const char *text, double *ret_ratio)
{
	const char *end;
	double value;

	if (parse_number(text, &value, &end) || strcmp(end, "%"))
		return -EINVAL;
	if (!isfinite(value))
		return -ERANGE;
	*ret_ratio = value / 100;
	return 0;
}

int unit_parse_mac(const char *text, uint8_t ret_mac[6])
{
	uint8_t mac[6];
	int i;

	for (i = 0; i < 6; i++, text += 3) {
		if (!isxdigit((unsigned char)text[0]) || !isxdigit((unsigned char)text[1]) ||
		    text[2] != (i < 5 ? ':' : '\0'))
			return -EINVAL;
		mac[i] = (uint8_t)strtoul(text, NULL, 16);
	}
	memcpy(ret_mac, mac, sizeof(mac));
	return 0;
}

static char *format_grouped(char *buf, size_t size, uint64_t value)
{
	char digits[24], grouped[32];
	size_t i, n, out = 0;

	n = (size_t)snprintf(digits, sizeof(digits), "%llu", (unsigned long long)value);
	for (i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			grouped[out++] = ',';
		grouped[out++] = digits[i];
	}
	grouped[out] = '\0';
	snprintf(buf, size, "%s", grouped);
	return buf;
}

static const struct scale times[] = {
	{ "ns", 1 }, { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 },
};

/* The largest unit that @value reaches. */
static const struct scale *find_step(double value, const struct scale *steps, size_t nr)
{
	size_t i = 0;

	/* 999.96 prints as "1000": use the next unit if four digits round up to it. */
	while (i + 1 < nr && fabs(value) >= steps[i + 1].factor * 0.99995)
		i++;
	return &steps[i];
}

double unit_time(double ns, const char **ret_name)
{
	const struct scale *step = find_step(ns, times, ARRAY_SIZE(times));

	*ret_name = step->suffix;
	return step->factor;
}

/* Four significant digits. */
static char *format_steps(char *buf, size_t size, double value, const struct scale *steps,
			  size_t nr)
{
	const struct scale *step = find_step(value, steps, nr);
	double shown;

	shown = value / step->factor;
	if (shown == floor(shown) && fabs(shown) < 1000)
		snprintf(buf, size, "%.0f %s", shown, step->suffix);
	else
		snprintf(buf, size, "%.*f %s", fabs(shown) >= 99.995 ? 1 : fabs(shown) >= 9.9995 ? 2 : 3,
			 shown, step->suffix);
	return buf;
}

char *unit_format(char *buf, size_t size, enum unit unit, double value)
{
	static const struct scale pps[] = {
		{ "pps", 1 }, { "kpps", 1e3 }, { "Mpps", 1e6 }, { "Gpps", 1e9 },
	};
	static const struct scale bps[] = {
		{ "bit/s", 1 }, { "kbit/s", 1e3 }, { "Mbit/s", 1e6 }, { "Gbit/s", 1e9 },
		{ "Tbit/s", 1e12 },
	};
	static const struct scale bytes[] = {
		{ "B", 1 }, { "kB", 1e3 }, { "MB", 1e6 }, { "GB", 1e9 }, { "TB", 1e12 },
	};

	switch (unit) {
	case UNIT_NS:
		return format_steps(buf, size, value, times, ARRAY_SIZE(times));
	case UNIT_PPS:
		return format_steps(buf, size, value, pps, ARRAY_SIZE(pps));
	case UNIT_BPS:
		return format_steps(buf, size, value, bps, ARRAY_SIZE(bps));
	case UNIT_BYTES:
		/* Sizes of frames and messages are exact. */
		if (value >= 0 && value < 10000 && value == floor(value)) {
			snprintf(buf, size, "%.0f B", value);
			return buf;
		}
		return format_steps(buf, size, value, bytes, ARRAY_SIZE(bytes));
	case UNIT_RATIO:
		/* A loss of one in a million must not print as 0. */
		snprintf(buf, size, "%.*g %%", value < 0.01 ? 3 : 5, value * 100);
		return buf;
	case UNIT_CPUS:
		snprintf(buf, size, "%.2f CPU", value);
		return buf;
	case UNIT_COUNT:
		/* A mean, or a count per second. */
		if (fabs(value) < 1000 && value != trunc(value)) {
			snprintf(buf, size, "%.4g", value);
			return buf;
		}
		/* A document may have what no counter reaches: 2^64, or no number. */
		if (!(fabs(value) < 0x1p64))
			break;
		if (value >= 0)
			return format_grouped(buf, size, (uint64_t)value);
		*buf = '-';
		format_grouped(buf + 1, size - 1, (uint64_t)-value);
		return buf;
	case UNIT_NONE:
	case UNIT_TEXT:
		break;
	}
	snprintf(buf, size, "%.6g", value);
	return buf;
}

char *unit_format_u64(char *buf, size_t size, enum unit unit, uint64_t value)
{
	if (unit == UNIT_COUNT)
		return format_grouped(buf, size, value);
	if (unit == UNIT_NONE) {
		snprintf(buf, size, "%llu", (unsigned long long)value);
		return buf;
	}
	return unit_format(buf, size, unit, (double)value);
}

char *unit_show_duration(char *buf, size_t size, uint64_t ns)
{
	static const struct {
		const char *suffix;
		uint64_t ns;
	} steps[] = {
		{ "h", 3600000000000ull }, { "s", 1000000000ull }, { "ms", 1000000 },
		{ "us", 1000 }, { "ns", 1 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(steps) - 1; i++) {
		if (ns && ns % steps[i].ns == 0)
			break;
	}
	if (!ns)
		snprintf(buf, size, "0s");
	else
		snprintf(buf, size, "%llu%s", (unsigned long long)(ns / steps[i].ns),
			 steps[i].suffix);
	return buf;
}

/* "%.12g" without exponents, which the parser does not accept. */
static char *show_decimal(char *buf, size_t size, double value)
{
	size_t len;

	snprintf(buf, size, "%.12g", value);
	if (!strchr(buf, 'e'))
		return buf;
	snprintf(buf, size, "%.20f", value);
	for (len = strlen(buf); len && buf[len - 1] == '0'; len--)
		buf[len - 1] = '\0';
	return buf;
}

char *unit_show_factor(char *buf, size_t size, double factor)
{
	if (factor > 0)
		return show_decimal(buf, size, factor);
	snprintf(buf, size, "%s", isnan(factor) ? "" : "max");
	return buf;
}

char *unit_show_rate(char *buf, size_t size, const struct unit_rate *rate)
{
	double value = rate->value;
	const char *prefix = "";
	char number[64];

	if (rate->kind == UNIT_RATE_MAX) {
		snprintf(buf, size, "max");
		return buf;
	}
	if (rate->kind == UNIT_RATE_LINK_RATIO) {
		snprintf(buf, size, "%s%%", show_decimal(number, sizeof(number), value * 100));
		return buf;
	}
	if (value >= 1e9) {
		prefix = "G";
		value /= 1e9;
	} else if (value >= 1e6) {
		prefix = "M";
		value /= 1e6;
	} else if (value >= 1e3) {
		prefix = "k";
		value /= 1e3;
	}
	snprintf(buf, size, "%s%s%s", show_decimal(number, sizeof(number), value), prefix,
		 rate->kind == UNIT_RATE_PPS ? "pps" : "bit");
	return buf;
}
