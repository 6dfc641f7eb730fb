/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lib/unit.h - numbers with units, parsed and formatted.
 *
 * Every parser accepts the whole string or nothing: "10abc" is an error. They return 0, -EINVAL
 * (wrong format) or -ERANGE, and leave the output untouched on failure.
 */
#ifndef LIB_UNIT_H
#define LIB_UNIT_H

#include <stddef.h>
#include <stdint.h>

/* Ethernet bytes in addition to the buffer handed to the driver, IEEE 802.3 */
#define UNIT_FCS_BYTES		4
#define UNIT_GAP_BYTES		20	/* preamble 7, start delimiter 1, gap 12 */
#define UNIT_MIN_FRAME_BYTES	64

enum unit {
	UNIT_NONE,		/* a plain number */
	UNIT_COUNT,		/* packets, streams: grouped digits */
	UNIT_BYTES,
	UNIT_NS,
	UNIT_PPS,
	UNIT_BPS,		/* bits per second */
	UNIT_RATIO,		/* 0..1, shown in percent */
	UNIT_CPUS,		/* cores busy */
	UNIT_TEXT,		/* a word */
};

enum unit_rate_kind { UNIT_RATE_MAX, UNIT_RATE_PPS, UNIT_RATE_BPS, UNIT_RATE_LINK_RATIO };

struct unit_rate {
	enum unit_rate_kind kind;	/* UNIT_RATE_MAX: as fast as possible */
	double value;			/* pps, bit/s, or share of the link's speed (0..1] */
};

/* Whole numbers with an optional k, M or G (powers of 1000), or Ki, Mi, Gi (of 1024): "5", "64k", "64Ki", "10M". */
int unit_parse_count(const char *text, uint64_t *ret_value);

/* "250ms", "10s", "1.5m", "2h", "100us", "50ns"; a bare number is seconds. */
int unit_parse_duration(const char *text, uint64_t *ret_ns);

/* "1Mpps", "2500pps", "1000/s", "10G", "10Gbit", "100Mbps", "50%", "max"; a bare number has no unit: -EINVAL. */
int unit_parse_rate(const char *text, struct unit_rate *ret_rate);

/* "5%", "0.5%": 0.05, 0.005; a bare number has no unit: -EINVAL. */
int unit_parse_percent(const char *text, double *ret_ratio);

/* "02:00:00:00:00:01" */
int unit_parse_mac(const char *text, uint8_t ret_mac[6]);

/* "2.5": above 0. */
int unit_parse_factor(const char *text, double *ret_factor);

/* Writes "1.234 us", "14.88 Mpps", "1,000,003", "0.12 %"; returns @buf. */
char *unit_format(char *buf, size_t size, enum unit unit, double value);

/* The unit in which that shows @ns: its length in ns, and its name. */
double unit_time(double ns, const char **ret_name);

/* The same for an integer, exact if the unit is UNIT_COUNT. */
char *unit_format_u64(char *buf, size_t size, enum unit unit, uint64_t value);

/* The shortest exact form that the parser reads back: "250ms", "10M", "1Mpps". */
char *unit_show_duration(char *buf, size_t size, uint64_t ns);
char *unit_show_rate(char *buf, size_t size, const struct unit_rate *rate);

/* "2.5"; 0: "max"; NAN: "". */
char *unit_show_factor(char *buf, size_t size, double factor);

#endif
