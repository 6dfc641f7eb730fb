// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/capture.h"

#include "captures.h"
#include "check.h"

#define NR_PACKETS 3
#define MANY 10007

static const uint32_t sizes[NR_PACKETS] = { 60, 61, 1000 };
static char path[64];

static int make_file(void **state)
{
	int fd;

	(void)state;
	strcpy(path, "/tmp/capture.XXXXXX");
	fd = mkstemp(path);
	return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

static void write_file(const void *data, size_t len)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

static struct capture *open_file(const void *data, size_t len)
{
	struct capture *capture = NULL;
	struct err e = { 0 };

	write_file(data, len);
	if (capture_open(&capture, path, &e))
		fail_msg("%s", e.msg);
	return capture;
}

static void check_packets(struct capture *capture, const uint64_t time_ns[NR_PACKETS])
{
	struct capture_packet packet;
	struct err e = { 0 };
	uint32_t n, i;

	for (n = 0; n < NR_PACKETS; n++) {
		assert_int_equal(capture_read(capture, &packet, &e), 1);
		assert_int_equal(packet.buf_bytes, sizes[n]);
		assert_int_equal(packet.wire_bytes, sizes[n]);
		assert_int_equal(packet.time_ns, time_ns[n]);
		for (i = 0; i < sizes[n]; i++)
			assert_int_equal(packet.bytes[i], (uint8_t)(n * 7 + i));
	}
	assert_int_equal(capture_read(capture, &packet, &e), 0);
	assert_int_equal(capture_read(capture, &packet, &e), 0);
	assert_int_equal(e.no, 0);
}

#define FILE_OF(name) { #name, name, sizeof(name) }

static void every_format_gives_the_same_packets(void **state)
{
	static const uint64_t us[] = { 0, 1234000, 5000000000 }, ns[] = { 0, 1234567, 5000000000 };
	static const struct { const char *name; const uint8_t *data; size_t len; } files[] = {
		FILE_OF(scapy_us), FILE_OF(scapy_ns), FILE_OF(scapy_ng), FILE_OF(little_us),
		FILE_OF(big_us), FILE_OF(little_ns), FILE_OF(big_ns), FILE_OF(ng_little_us),
		FILE_OF(ng_big_us), FILE_OF(ng_little_ns), FILE_OF(ng_big_ns), FILE_OF(gzip_us),
		FILE_OF(gzip_ng_ns), FILE_OF(fcs_us),
	};
	struct err e = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(files); i++) {
		const uint64_t *times = strstr(files[i].name, "ns") ? ns : us;
		struct capture *capture = open_file(files[i].data, files[i].len);

		check_packets(capture, times);
		assert_int_equal(capture_rewind(capture, &e), 0);
		check_packets(capture, times);
		capture_close(capture);
	}
}

static void a_cut_packet_keeps_its_length_on_the_wire(void **state)
{
	struct capture *capture = open_file(cut_us, sizeof(cut_us));
	struct capture_packet packet;
	struct err e = { 0 };
	uint32_t n;

	(void)state;
	for (n = 0; n < NR_PACKETS; n++) {
		assert_int_equal(capture_read(capture, &packet, &e), 1);
		assert_int_equal(packet.buf_bytes, 48);
		assert_int_equal(packet.wire_bytes, sizes[n]);
	}
	capture_close(capture);
}

static void a_time_that_falls_stays_where_it_was(void **state)
{
	static const uint64_t times[] = { 0, 0, 4998766000 };
	struct capture *capture = open_file(falling_us, sizeof(falling_us));

	(void)state;
	check_packets(capture, times);
	assert_int_equal(capture_nr_fallen(capture), 1);
	capture_close(capture);
}

static void refused(const void *data, size_t len, const char *text)
{
	struct capture *capture = NULL;
	struct err e = { 0 };

	write_file(data, len);
	assert_true(capture_open(&capture, path, &e) < 0);
	assert_null(capture);
	assert_int_equal(e.kind, ERR_USAGE);
	assert_non_null(strstr(e.msg, path));
	if (!strstr(e.msg, text))
		fail_msg("'%s' does not say '%s'", e.msg, text);
}

static void what_is_no_capture_of_ethernet_is_refused(void **state)
{
	struct capture *capture = NULL;
	struct err e = { 0 };

	(void)state;
	refused("", 0, "not a capture file");
	refused("GET / HTTP/1.1\r\nHost: example.org\r\n\r\n", 37, "not a capture file");
	refused(gzip_us, 9, "not a capture file");
	refused(raw_ip, sizeof(raw_ip), "a capture of RAW, but only Ethernet is supported");
	assert_true(capture_open(&capture, "/nonexistent/file", &e) < 0);
	assert_int_equal(e.kind, ERR_USAGE);
	assert_string_equal(e.msg, "cannot open '/nonexistent/file': No such file or directory");
	assert_true(capture_open(&capture, "/tmp", &e) < 0);
	assert_non_null(strstr(e.msg, "Is a directory"));
}

/* Cut at @len: the packets that are whole, and then the end, or an error at the next. */
static uint32_t read_cut(const uint8_t *data, size_t len, bool *ret_error)
{
	struct capture *capture = NULL;
	struct capture_packet packet;
	struct err e = { 0 };
	char position[32];
	uint32_t nr = 0;
	int got;

	*ret_error = true;
	write_file(data, len);
	if (capture_open(&capture, path, &e)) {
		assert_int_equal(e.kind, ERR_USAGE);
		return 0;
	}
	while ((got = capture_read(capture, &packet, &e)) == 1) {
		assert_int_equal(packet.buf_bytes, sizes[nr]);
		nr++;
	}
	*ret_error = got < 0;
	if (got < 0) {
		snprintf(position, sizeof(position), ": packet %u: ", nr + 1);
		assert_non_null(strstr(e.msg, position));
		assert_int_equal(e.kind, ERR_RUN);
		assert_int_equal(e.no, got);
		assert_null(strstr(e.msg, "Bad message"));
	}
	capture_close(capture);
	return nr;
}

static void a_file_cut_anywhere_ends_in_an_error_or_between_packets(void **state)
{
	size_t len, nr_whole = 0;
	bool error;

	(void)state;
	for (len = 0; len < sizeof(little_us); len++) {
		uint32_t nr = read_cut(little_us, len, &error);

		assert_true(nr < NR_PACKETS);
		nr_whole += !error;
	}
	/* After the header of the file, the first packet and the second. */
	assert_int_equal(nr_whole, 3);
	for (nr_whole = 0, len = 0; len < sizeof(ng_big_ns); len++) {
		read_cut(ng_big_ns, len, &error);
		nr_whole += !error;
	}
	/* After the interface block, the unknown block, and the two packets. */
	assert_int_equal(nr_whole, 4);
	for (len = 0; len < sizeof(gzip_us); len++) {
		read_cut(gzip_us, len, &error);
		assert_true(error);
	}
}

static void a_damaged_gzip_stream_is_reported_as_such(void **state)
{
	uint8_t data[sizeof(gzip_us)];
	struct capture *capture = NULL;
	struct capture_packet packet;
	struct err e = { 0 };

	(void)state;
	memcpy(data, gzip_us, sizeof(data));
	data[sizeof(data) - 8] ^= 1;	/* in its CRC */
	write_file(data, sizeof(data));
	if (!capture_open(&capture, path, &e)) {
		while (capture_read(capture, &packet, &e) == 1)
			;
	}
	assert_non_null(strstr(e.msg, "the gzip stream is damaged"));
	capture_close(capture);
}

static void what_is_written_reads_back(void **state)
{
	struct capture_writer *writer = NULL;
	struct capture *capture = NULL;
	struct capture_packet packet;
	struct err e = { 0 };
	uint8_t data[256];
	FILE *f = fopen(path, "w");
	uint32_t i;

	(void)state;
	assert_int_equal(capture_writer_open(&writer, f, &e), 0);
	for (i = 0; i < MANY; i++) {
		memset(data, (int)i, sizeof(data));
		assert_int_equal(capture_write(writer, i * 1000000007ull, data, i % 256, &e), 0);
	}
	assert_int_equal(capture_writer_close(writer, &e), 0);
	/* Not closed with the writer. */
	assert_int_equal(fclose(f), 0);
	assert_int_equal(capture_open(&capture, path, &e), 0);
	for (i = 0; i < MANY; i++) {
		memset(data, (int)i, sizeof(data));
		assert_int_equal(capture_read(capture, &packet, &e), 1);
		assert_int_equal(packet.buf_bytes, i % 256);
		assert_int_equal(packet.time_ns, i * 1000000007ull);
		assert_memory_equal(packet.bytes, data, i % 256);
	}
	assert_int_equal(capture_read(capture, &packet, &e), 0);
	capture_close(capture);
}

static void a_full_disk_is_an_error_of_the_writer(void **state)
{
	struct capture_writer *writer = NULL;
	uint8_t data[1000] = { 0 };
	struct err e = { 0 };
	FILE *f = fopen("/dev/full", "w");
	int err;

	(void)state;
	assert_non_null(f);
	err = capture_writer_open(&writer, f, &e);
	assert_int_equal(err, 0);
	capture_write(writer, 0, data, sizeof(data), &e);
	assert_true(capture_writer_close(writer, &e) < 0);
	assert_non_null(strstr(e.msg, "No space left on device"));
	fclose(f);

	e = (struct err){ 0 };
	f = fopen("/dev/full", "w");
	setvbuf(f, NULL, _IONBF, 0);
	assert_int_equal(capture_writer_open(&writer, f, &e), 0);
	for (err = 0; !err && data[0] < 200; data[0]++)
		err = capture_write(writer, 0, data, sizeof(data), &e);
	assert_true(err < 0);
	assert_non_null(strstr(e.msg, "No space left on device"));
	assert_true(capture_writer_close(writer, &e) < 0);
	fclose(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_format_gives_the_same_packets),
		cmocka_unit_test(a_cut_packet_keeps_its_length_on_the_wire),
		cmocka_unit_test(a_time_that_falls_stays_where_it_was),
		cmocka_unit_test(what_is_no_capture_of_ethernet_is_refused),
		cmocka_unit_test(a_file_cut_anywhere_ends_in_an_error_or_between_packets),
		cmocka_unit_test(a_damaged_gzip_stream_is_reported_as_such),
		cmocka_unit_test(what_is_written_reads_back),
		cmocka_unit_test(a_full_disk_is_an_error_of_the_writer),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, make_file, remove_file);
}
