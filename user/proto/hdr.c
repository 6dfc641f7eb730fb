// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * proto/hdr.c - a histogram in HdrHistogram's two formats.
 */
#include "proto/hdr.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <zlib.h>

#include "lib/hist.h"

/*
 * HdrHistogram's cells for 2 digits: 256 of width 1, then 128 for every power of two. An index
 * counts them from 0, in multiples of HALF.
 */
#define HALF_BITS	7
#define HALF		(1 << HALF_BITS)
#define MAX_BITS	62		/* the largest that a signed 64-bit reader can double */
#define CELLS		((MAX_BITS - HALF_BITS + 1) * HALF)
#define MAX_NS		((1ull << MAX_BITS) - 1)

#define COOKIE_PLAIN		0x1c849313	/* V2, counts in words of up to 8 bytes */
#define COOKIE_COMPRESSED	0x1c849314
#define HEAD_BYTES		40		/* of the uncompressed form */
#define OUTER_BYTES		8		/* cookie and length, before the compressed form */
#define WORD_MAX_BYTES		9

#define TICKS_PER_HALF		5

struct cells {
	uint64_t total;
	uint64_t counts[CELLS];
};

static uint32_t cell_index(uint64_t ns)
{
	uint32_t shift = 0;

	if (ns > MAX_NS)
		ns = MAX_NS;
	if (ns >> (HALF_BITS + 1))
		shift = hist_log2(ns) - HALF_BITS;
	return (shift << HALF_BITS) + (uint32_t)(ns >> shift);
}

static uint64_t cell_lower_ns(uint32_t index)
{
	uint32_t shift;

	if (index < 2 * HALF)
		return index;
	shift = (index >> HALF_BITS) - 1;
	return (uint64_t)(HALF + (index & (HALF - 1))) << shift;
}

/* The value that stands for a bucket. */
static uint64_t place_ns(const struct hist_rec *hist, uint32_t bucket)
{
	uint64_t low_ns = hist_lower_ns(bucket), ns;

	ns = low_ns + (hist_lower_ns(bucket + 1) - low_ns) / 2;
	if (ns < hist_min_ns(hist))
		return hist_min_ns(hist);
	return ns > hist->max_ns ? hist->max_ns : ns;
}

/*
 * One value is known to be the minimum: if that is in the lower half of its bucket, it has a
 * separate cell. The maximum is in the cell of its bucket's values anyway.
 */
static void place_min(struct cells *cells, const struct hist_rec *hist)
{
	uint64_t min_ns = hist_min_ns(hist), *from;

	if (min_ns >> HIST_MAX_BITS)
		return;
	from = &cells->counts[cell_index(place_ns(hist, hist_index(min_ns)))];
	/* While a record is being written, bucket and minimum may not agree yet. */
	if (!*from)
		return;
	--*from;
	cells->counts[cell_index(min_ns)]++;
}

static struct cells *fill_cells(const struct hist_rec *hist)
{
	struct cells *cells = calloc(1, sizeof(*cells));
	uint32_t i;

	if (!cells)
		return NULL;
	for (i = 0; i < HIST_BUCKETS; i++) {
		if (!hist->buckets[i])
			continue;
		cells->counts[cell_index(place_ns(hist, i))] += hist->buckets[i];
		cells->total += hist->buckets[i];
	}
	/* The values above the range are unknown, except the largest. */
	cells->counts[cell_index(hist->max_ns)] += hist->above;
	cells->total += hist->above;
	place_min(cells, hist);
	return cells;
}

static double deviation_ns(const struct cells *cells, double mean_ns)
{
	double sum = 0, off_ns;
	uint32_t i;

	for (i = 0; i < CELLS; i++) {
		if (!cells->counts[i])
			continue;
		off_ns = (double)(cell_lower_ns(i) + cell_lower_ns(i + 1)) / 2 - mean_ns;
		sum += off_ns * off_ns * (double)cells->counts[i];
	}
	return cells->total ? sqrt(sum / (double)cells->total) : 0;
}

/* The next level, in percent: TICKS_PER_HALF steps halve the remaining distance. */
static double next_level(double level)
{
	double half = exp2(floor(log2(100 / (100 - level))) + 1);

	return level + 100 / (TICKS_PER_HALF * half);
}

static void print_row(FILE *out, uint64_t ns, double level, uint64_t seen)
{
	fprintf(out, "%12.*f %2.12f %10llu", HDR_DIGITS, (double)ns, level / 100,
		(unsigned long long)seen);
	if (level < 100)
		fprintf(out, " %14.2f", 1 / (1 - level / 100));
	fputc('\n', out);
}

static void print_rows(FILE *out, const struct cells *cells, uint64_t max_ns)
{
	uint64_t seen = 0, ns = 0;
	double level = 0;
	uint32_t i;

	for (i = 0; i < CELLS && seen < cells->total; i++) {
		if (!cells->counts[i])
			continue;
		seen += cells->counts[i];
		ns = cell_lower_ns(i + 1) - 1;
		ns = ns > max_ns ? max_ns : ns;
		/* The last value has one row before that of 100 %. */
		while (100.0 * (double)seen / (double)cells->total >= level && level < 100) {
			print_row(out, ns, level, seen);
			level = next_level(level);
			if (seen == cells->total)
				break;
		}
	}
	if (seen)
		print_row(out, ns, 100, seen);
}

/* Number of buckets needed for the highest value, as HdrHistogram numbers them. */
static uint32_t nr_buckets(uint64_t highest_ns)
{
	uint32_t n = 1;

	for (highest_ns >>= HALF_BITS + 1; highest_ns; highest_ns >>= 1)
		n++;
	return n;
}

/* The range to write: that of abi/hist.h, unless a value was above it. */
static uint64_t highest_ns(const struct hist_rec *hist)
{
	return hist->above ? MAX_NS : (1ull << HIST_MAX_BITS) - 1;
}

int hdr_percentiles(FILE *out, const struct hist_rec *hist)
{
	struct cells *cells = fill_cells(hist);
	double mean_ns = hist_mean_ns(hist);

	if (!cells)
		return -ENOMEM;
	fprintf(out, "%12s %14s %10s %14s\n\n", "Value", "Percentile", "TotalCount",
		"1/(1-Percentile)");
	print_rows(out, cells, hist->max_ns);
	fprintf(out, "#[Mean    = %12.*f, StdDeviation   = %12.*f]\n", HDR_DIGITS, mean_ns,
		HDR_DIGITS, deviation_ns(cells, mean_ns));
	fprintf(out, "#[Max     = %12.*f, Total count    = %12llu]\n", HDR_DIGITS,
		(double)hist->max_ns, (unsigned long long)cells->total);
	fprintf(out, "#[Buckets = %12u, SubBuckets     = %12u]\n", nr_buckets(highest_ns(hist)),
		2 * HALF);
	free(cells);
	return 0;
}

static uint8_t *put_be(uint8_t *at, uint64_t value, unsigned int bytes)
{
	while (bytes--)
		*at++ = (uint8_t)(value >> 8 * bytes);
	return at;
}

/* ZigZag, then 7 bits per byte, low bits first; a ninth byte holds the last 8. */
static uint8_t *put_word(uint8_t *at, int64_t value)
{
	uint64_t left = (uint64_t)value << 1 ^ (uint64_t)(value >> 63);
	int i;

	for (i = 0; i < WORD_MAX_BYTES - 1 && left >> 7; i++, left >>= 7)
		*at++ = (uint8_t)(left | 0x80);
	*at++ = (uint8_t)left;
	return at;
}

/* Cells up to the last non-empty one; a run of empty ones is its negative length. */
static uint8_t *put_cells(uint8_t *at, const struct cells *cells)
{
	uint32_t i, empty = 0;

	for (i = 0; i < CELLS; i++) {
		if (!cells->counts[i]) {
			empty++;
			continue;
		}
		if (empty)
			at = put_word(at, empty > 1 ? -(int64_t)empty : 0);
		empty = 0;
		at = put_word(at, (int64_t)cells->counts[i]);
	}
	return at;
}

/* The uncompressed V2 form; returns its length. */
static size_t put_plain(uint8_t *plain, const struct cells *cells, uint64_t highest)
{
	uint8_t *end = put_cells(plain + HEAD_BYTES, cells), *at = plain;
	double ratio = 1;		/* ratio of values to integers */
	uint64_t bits;

	memcpy(&bits, &ratio, sizeof(bits));
	at = put_be(at, COOKIE_PLAIN, 4);
	at = put_be(at, (uint64_t)(end - plain - HEAD_BYTES), 4);
	at = put_be(at, 0, 4);		/* offset of the cells: none */
	at = put_be(at, HDR_DIGITS, 4);
	at = put_be(at, 1, 8);		/* lowest discernible value */
	at = put_be(at, highest, 8);
	put_be(at, bits, 8);
	return (size_t)(end - plain);
}

static void print_base64(FILE *out, const uint8_t *bytes, size_t len)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint32_t bits;
	size_t i, n;
	int k;

	for (i = 0; i < len; i += 3) {
		n = len - i < 3 ? len - i : 3;
		bits = (uint32_t)bytes[i] << 16;
		bits |= n > 1 ? (uint32_t)bytes[i + 1] << 8 : 0;
		bits |= n > 2 ? bytes[i + 2] : 0;
		for (k = 0; k < 4; k++)
			fputc(k <= (int)n ? digits[bits >> (18 - 6 * k) & 63] : '=', out);
	}
}

static int print_compressed(FILE *out, const struct hist_rec *hist)
{
	size_t room = HEAD_BYTES + (size_t)CELLS * WORD_MAX_BYTES, len;
	uLongf packed_bytes = compressBound(room);
	struct cells *cells = fill_cells(hist);
	uint8_t *plain = malloc(room), *packed = malloc(OUTER_BYTES + packed_bytes);
	int err = -ENOMEM;

	if (!cells || !plain || !packed)
		goto out;
	len = put_plain(plain, cells, highest_ns(hist));
	if (compress2(packed + OUTER_BYTES, &packed_bytes, plain, len, Z_BEST_COMPRESSION) != Z_OK)
		goto out;
	put_be(put_be(packed, COOKIE_COMPRESSED, 4), packed_bytes, 4);
	print_base64(out, packed, OUTER_BYTES + packed_bytes);
	err = 0;
out:
	free(cells);
	free(plain);
	free(packed);
	return err;
}

void hdr_log_head(FILE *out, uint64_t start_unix_ns, const char *comment)
{
	time_t seconds = (time_t)(start_unix_ns / 1000000000);
	double start_s = (double)start_unix_ns / 1e9;
	char date[32] = "";
	struct tm tm;

	if (gmtime_r(&seconds, &tm))
		strftime(date, sizeof(date), "%Y-%m-%dT%H:%M:%SZ", &tm);
	fprintf(out, "#[%s]\n#[Histogram log format version 1.3]\n", comment);
	fprintf(out, "#[StartTime: %.3f (seconds since epoch), %s]\n", start_s, date);
	fprintf(out, "#[BaseTime: %.3f (seconds since epoch)]\n", start_s);
	fprintf(out, "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\","
		"\"Interval_Compressed_Histogram\"\n");
}

int hdr_log_line(FILE *out, const char *tag, uint64_t start_ns, uint64_t length_ns,
		 const struct hist_rec *hist)
{
	int err;

	if (tag)
		fprintf(out, "Tag=%s,", tag);
	/* The maximum is in ms, as all readers of logs in ns expect. */
	fprintf(out, "%.3f,%.3f,%.6f,", (double)start_ns / 1e9, (double)length_ns / 1e9,
		(double)hist->max_ns / 1e6);
	err = print_compressed(out, hist);
	fputc('\n', out);
	return err;
}
