// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * proto/hdr.c read back by a decoder of the V2 form that is written here anew, and
 * held against its own definition; hdr_check.py does it with the Python package.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#include "lib/hist.h"
#include "proto/hdr.h"

#include "check.h"

#define CELLS_MAX	8192

/* What a log line holds, decoded. */
struct decoded {
	uint64_t counts[CELLS_MAX];
	uint32_t nr;			/* cells reported */
	uint64_t total, digits, lowest, highest;
};

static struct hist_rec hist;
static struct decoded got;

/* What @write printed, as a string that the caller frees. */
static char *printed(int (*write)(FILE *out))
{
	char *text = NULL;
	size_t len = 0;
	FILE *out = open_memstream(&text, &len);

	assert_non_null(out);
	assert_int_equal(write(out), 0);
	assert_int_equal(fclose(out), 0);
	return text;
}

static int write_line(FILE *out)
{
	return hdr_log_line(out, NULL, 1500000000, 250000000, &hist);
}

static int write_tagged(FILE *out)
{
	return hdr_log_line(out, "stream-7", 0, 1, &hist);
}

static int write_percentiles(FILE *out)
{
	return hdr_percentiles(out, &hist);
}

static int write_head(FILE *out)
{
	hdr_log_head(out, 1795290546159000000, "ethgauge, delay_ns");
	return 0;
}

static size_t from_base64(const char *text, uint8_t *ret_bytes)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint32_t bits = 0, nr = 0;
	size_t len = 0;

	for (; *text && *text != '='; text++) {
		assert_non_null(strchr(digits, *text));
		bits = bits << 6 | (uint32_t)(strchr(digits, *text) - digits);
		nr += 6;
		if (nr >= 8) {
			nr -= 8;
			ret_bytes[len++] = (uint8_t)(bits >> nr);
		}
	}
	return len;
}

static uint64_t big_endian(const uint8_t *at, int bytes)
{
	uint64_t value = 0;

	while (bytes--)
		value = value << 8 | *at++;
	return value;
}

static const uint8_t *read_word(const uint8_t *at, int64_t *ret_value)
{
	uint64_t value = 0;
	int i;

	for (i = 0; i < 8; i++) {
		value |= (uint64_t)(*at & 0x7f) << 7 * i;
		if (!(*at++ & 0x80))
			break;
	}
	if (i == 8)
		value |= (uint64_t)*at++ << 56;
	*ret_value = (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
	return at;
}

static void read_cells(const uint8_t *at, const uint8_t *end)
{
	int64_t value;

	while (at < end) {
		at = read_word(at, &value);
		if (value <= 0) {
			got.nr += value ? (uint32_t)-value : 1;
			continue;
		}
		assert_true(got.nr < CELLS_MAX);
		got.counts[got.nr++] = (uint64_t)value;
		got.total += (uint64_t)value;
	}
	assert_true(at == end);
}

static void decode(const char *base64)
{
	static uint8_t packed[1 << 16], plain[1 << 17];
	size_t len = from_base64(base64, packed);
	uLongf plain_bytes = sizeof(plain);

	memset(&got, 0, sizeof(got));
	assert_true(len > 8);
	assert_int_equal(big_endian(packed, 4), 0x1c849314);
	assert_int_equal(big_endian(packed + 4, 4), len - 8);
	assert_int_equal(uncompress(plain, &plain_bytes, packed + 8, len - 8), Z_OK);
	assert_int_equal(big_endian(plain, 4), 0x1c849313);
	assert_int_equal(big_endian(plain + 4, 4), plain_bytes - 40);
	assert_int_equal(big_endian(plain + 8, 4), 0);
	got.digits = big_endian(plain + 12, 4);
	got.lowest = big_endian(plain + 16, 8);
	got.highest = big_endian(plain + 24, 8);
	assert_int_equal(big_endian(plain + 32, 8), 0x3ff0000000000000);	/* 1.0 */
	read_cells(plain + 40, plain + plain_bytes);
}

/* The line of hist, through the text and back. */
static void decode_line(void)
{
	char *line = printed(write_line), *comma = strrchr(line, ',');

	assert_non_null(comma);
	line[strlen(line) - 1] = '\0';
	decode(comma + 1);
	free(line);
}

/* By HdrHistogram's definition: 256 cells of 1, and 128 for each power of two from there. */
static uint64_t lowest_of(uint32_t cell)
{
	uint64_t low = 0, width = 1;

	while (cell--) {
		low += width;
		if (low >= 256 && !(low & (low - 1)))
			width *= 2;
	}
	return low;
}

static uint32_t cell_of(uint64_t ns)
{
	uint64_t low = 0, width = 1;
	uint32_t cell = 0;

	while (low + width <= ns) {
		low += width;
		cell++;
		if (low >= 256 && !(low & (low - 1)))
			width *= 2;
	}
	return cell;
}

static int empty(void **state)
{
	(void)state;
	memset(&hist, 0, sizeof(hist));
	return 0;
}

static void every_value_below_128_has_its_own_cell(void **state)
{
	uint64_t ns;

	(void)state;
	for (ns = 0; ns < 128; ns++)
		hist_add(&hist, ns);
	decode_line();
	assert_int_equal(got.total, 128);
	assert_int_equal(got.digits, 2);
	assert_int_equal(got.lowest, 1);
	assert_int_equal(got.highest, (1ull << 40) - 1);
	for (ns = 0; ns < 128; ns++)
		assert_int_equal(got.counts[ns], 1);
}

/* Each value stays within its bucket, and minimum and maximum within their halves of it. */
static void no_count_leaves_its_bucket(void **state)
{
	uint64_t ns, low, next;
	uint32_t bucket, cell, i;

	(void)state;
	srandom(7);
	for (i = 0; i < 20011; i++) {
		ns = ((uint64_t)random() << 31 | (uint64_t)random()) >> (22 + random() % 40);
		hist_add(&hist, ns);
	}
	decode_line();
	assert_int_equal(got.total, 20011);
	for (bucket = 0, cell = 0; bucket < HIST_BUCKETS; bucket++) {
		uint64_t sum = 0;

		next = hist_lower_ns(bucket + 1);
		for (low = lowest_of(cell); low < next && cell < got.nr; low = lowest_of(cell))
			sum += got.counts[cell++];
		assert_int_equal(sum, hist.buckets[bucket]);
	}
	assert_true(got.counts[cell_of(hist_min_ns(&hist))] >= 1);
	assert_int_equal(cell_of(hist.max_ns), got.nr - 1);
	for (i = 0; i < cell_of(hist_min_ns(&hist)); i++)
		assert_int_equal(got.counts[i], 0);
}

/* One bucket of 4 ns, of which HdrHistogram has two cells. */
static void the_minimum_is_separate_from_its_bucket(void **state)
{
	int i;

	(void)state;
	hist_add(&hist, 257);
	for (i = 0; i < 5; i++)
		hist_add(&hist, 259);
	assert_int_equal(hist.buckets[hist_index(257)], 6);
	decode_line();
	assert_int_equal(got.counts[cell_of(257)], 1);
	assert_int_equal(got.counts[cell_of(259)], 5);
	assert_int_equal(got.total, 6);
}

static void one_value_is_where_it_is(void **state)
{
	static const uint64_t values[] = { 0, 1, 255, 256, 257, 258, 511, 1023, 1000003, 1ull << 39 };
	size_t i;

	for (i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		empty(state);
		hist_add(&hist, values[i]);
		decode_line();
		assert_int_equal(got.total, 1);
		assert_int_equal(got.nr, cell_of(values[i]) + 1);
	}
}

static void counts_of_all_lengths_come_back(void **state)
{
	static const uint64_t counts[] = {
		1, 63, 64, 8191, 8192, 1ull << 34, 1ull << 41, 1ull << 55, 1ull << 60,
	};
	uint32_t i, n = sizeof(counts) / sizeof(counts[0]);

	(void)state;
	for (i = 0; i < n; i++) {
		hist.buckets[3 * i] = counts[i];
		hist.count += counts[i];
	}
	hist.not_min_ns = ~0ull;
	hist.max_ns = 3 * (n - 1);
	decode_line();
	assert_int_equal(got.total, hist.count);
	for (i = 0; i < n; i++)
		assert_int_equal(got.counts[3 * i], counts[i]);
}

static void values_above_the_range_count_at_the_maximum(void **state)
{
	(void)state;
	hist_add(&hist, 5);
	hist_add(&hist, 1ull << 41);
	hist_add(&hist, (1ull << 42) + 1);
	decode_line();
	assert_int_equal(got.total, 3);
	assert_int_equal(got.nr, cell_of((1ull << 42) + 1) + 1);
	assert_int_equal(got.counts[got.nr - 1], 2);
	assert_true(got.highest >= 1ull << 42);
	hist_add(&hist, UINT64_MAX >> 1);
	decode_line();
	assert_int_equal(got.counts[got.nr - 1], 3);
}

/* Two readings of one record: the extremes of what came between may be those of a bucket. */
static void an_interval_of_one_value_has_one_count(void **state)
{
	struct hist_rec before;

	(void)state;
	hist_add(&hist, 1);
	hist_add(&hist, 1000000);
	before = hist;
	hist_add(&hist, 1001);
	hist_subtract(&hist, &before);
	decode_line();
	assert_int_equal(got.total, 1);
	assert_true(lowest_of(got.nr - 1) >= 992 && lowest_of(got.nr - 1) < 1008);
}

static void an_empty_histogram_is_a_line_too(void **state)
{
	char *text;

	(void)state;
	decode_line();
	assert_int_equal(got.total, 0);
	text = printed(write_percentiles);
	assert_non_null(strstr(text, "#[Max     =         0.00, Total count    =            0]\n"));
	free(text);
}

static void a_line_has_its_times_and_tag(void **state)
{
	char *line;

	(void)state;
	hist_add(&hist, 2500000);
	line = printed(write_line);
	assert_int_equal(strncmp(line, "1.500,0.250,2.500000,HIST", 25), 0);
	free(line);
	line = printed(write_tagged);
	assert_int_equal(strncmp(line, "Tag=stream-7,0.000,0.000,2.500000,HIST", 38), 0);
	free(line);
	line = printed(write_head);
	assert_string_equal(line, "#[ethgauge, delay_ns]\n#[Histogram log format version 1.3]\n"
		"#[StartTime: 1795290546.159 (seconds since epoch), 2026-11-21T19:49:06Z]\n"
		"#[BaseTime: 1795290546.159 (seconds since epoch)]\n"
		"\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\","
		"\"Interval_Compressed_Histogram\"\n");
	free(line);
}

/* 1 to 100: each level and count by hand. */
static void percentiles_of_1_to_100(void **state)
{
	uint64_t ns;
	char *text;

	(void)state;
	for (ns = 1; ns <= 100; ns++)
		hist_add(&hist, ns);
	text = printed(write_percentiles);
	assert_string_equal(text,
		"       Value     Percentile TotalCount 1/(1-Percentile)\n\n"
		"        1.00 0.000000000000          1           1.00\n"
		"       10.00 0.100000000000         10           1.11\n"
		"       20.00 0.200000000000         20           1.25\n"
		"       30.00 0.300000000000         30           1.43\n"
		"       40.00 0.400000000000         40           1.67\n"
		"       50.00 0.500000000000         50           2.00\n"
		"       55.00 0.550000000000         55           2.22\n"
		"       60.00 0.600000000000         60           2.50\n"
		"       65.00 0.650000000000         65           2.86\n"
		"       70.00 0.700000000000         70           3.33\n"
		"       75.00 0.750000000000         75           4.00\n"
		"       78.00 0.775000000000         78           4.44\n"
		"       80.00 0.800000000000         80           5.00\n"
		"       83.00 0.825000000000         83           5.71\n"
		"       85.00 0.850000000000         85           6.67\n"
		"       88.00 0.875000000000         88           8.00\n"
		"       89.00 0.887500000000         89           8.89\n"
		"       90.00 0.900000000000         90          10.00\n"
		"       92.00 0.912500000000         92          11.43\n"
		"       93.00 0.925000000000         93          13.33\n"
		"       94.00 0.937500000000         94          16.00\n"
		"       95.00 0.943750000000         95          17.78\n"
		"       95.00 0.950000000000         95          20.00\n"
		"       96.00 0.956250000000         96          22.86\n"
		"       97.00 0.962500000000         97          26.67\n"
		"       97.00 0.968750000000         97          32.00\n"
		"       98.00 0.971875000000         98          35.56\n"
		"       98.00 0.975000000000         98          40.00\n"
		"       98.00 0.978125000000         98          45.71\n"
		"       99.00 0.981250000000         99          53.33\n"
		"       99.00 0.984375000000         99          64.00\n"
		"       99.00 0.985937500000         99          71.11\n"
		"       99.00 0.987500000000         99          80.00\n"
		"       99.00 0.989062500000         99          91.43\n"
		"      100.00 0.990625000000        100         106.67\n"
		"      100.00 1.000000000000        100\n"
		"#[Mean    =        50.50, StdDeviation   =        28.87]\n"
		"#[Max     =       100.00, Total count    =          100]\n"
		"#[Buckets =           33, SubBuckets     =          256]\n");
	free(text);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup(f, empty)
	const struct CMUnitTest tests[] = {
		T(every_value_below_128_has_its_own_cell),
		T(no_count_leaves_its_bucket),
		T(the_minimum_is_separate_from_its_bucket),
		T(one_value_is_where_it_is),
		T(counts_of_all_lengths_come_back),
		T(values_above_the_range_count_at_the_maximum),
		T(an_interval_of_one_value_has_one_count),
		T(an_empty_histogram_is_a_line_too),
		T(a_line_has_its_times_and_tag),
		T(percentiles_of_1_to_100),
	};
#undef T

	return cmocka_run_group_tests(tests, NULL, NULL);
}
