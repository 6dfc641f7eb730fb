// SPDX-License-Identifier: GPL-2.0-or-later
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "faces/live.h"
#include "faces/record.h"

#include "check.h"

static char screen[100][1100];
static enum live_style styles[100];

static void keep(void *ctx, unsigned int line, enum live_style style, const char *text)
{
	const char *p;

	(void)ctx;
	assert_in_range(line, 0, 99);
	for (p = text; *p; p++)
		assert_true((*p & 0x80) || (*p >= ' ' && *p <= '~'));
	snprintf(screen[line], sizeof(screen[0]), "%s", text);
	styles[line] = style;
}

static void draw(const struct live *live, unsigned int width, unsigned int height)
{
	memset(screen, 0, sizeof(screen));
	live_draw(live, width, height, keep, NULL);
}

/* The line that holds @text; -1: none. */
static int line_of(const char *text)
{
	int i;

	for (i = 0; i < 100; i++) {
		if (strstr(screen[i], text))
			return i;
	}
	return -1;
}

static void entry(struct result *part, const char *by, const char *value, uint64_t packets,
		  uint64_t bytes)
{
	result_entry_open(part);
	result_entry_str(part, "by", by);
	result_entry_str(part, "value", value);
	result_entry_u64(part, "packets", packets);
	result_entry_u64(part, "bytes", bytes);
	result_entry_close(part);
}

static void tell(struct result *res, const char *name, uint64_t elapsed_s, uint64_t tcp,
		 uint64_t udp)
{
	struct result *part = result_part(res, PART_INTERFACE, name);

	result_forget_entries(part);
	entry(part, "protocol", "ip4/tcp", tcp, tcp * 100);
	entry(part, "protocol", "ip4/udp", udp, udp * 100);
	entry(part, "cpu", "0", tcp + udp, (tcp + udp) * 100);
	result_metric_u64(part, "seen_packets", tcp + udp);
	result_metric_u64(part, "driver_rx_dropped", 3);
	result_row_open(part, elapsed_s * 1000000000);
	result_row_real(part, "seen_pps", (double)(tcp + udp) / (double)elapsed_s);
	result_row_real(part, "seen_l1_bps", 8e6);
	result_row_close(part);
}

static struct result *two_intervals(struct live *live)
{
	struct result *res = result_new("watch");

	tell(res, "eth0 rx", 1, 100, 7);
	tell(res, "eth0 tx", 1, 0, 0);
	live_update(live, res, 1000000000);
	tell(res, "eth0 rx", 3, 300, 1007);
	tell(res, "eth0 tx", 3, 10, 0);
	live_update(live, res, 3000000000);
	return res;
}

static void rates_are_those_since_the_telling_before(void **state)
{
	struct live *live = live_new(false);
	struct result *res = two_intervals(live);

	(void)state;
	draw(live, 160, 30);
	assert_non_null(strstr(screen[line_of(">eth0 rx")], " 435.7 pps"));
	assert_non_null(strstr(screen[line_of(" ip4/tcp")], " 100 pps      80 kbit/s"));
	assert_non_null(strstr(screen[line_of(" ip4/udp")], " 500 pps     400 kbit/s"));
	/* 500 of 600: 16 of 20 columns. */
	assert_non_null(strstr(screen[line_of(" ip4/udp")], "  ################  "));
	live_free(live);
	result_free(res);
}

/* The list at the four sizes that people have: whatever else there is no room for, both rates are there. */
static void the_rates_and_names_are_on_every_screen(void **state)
{
	static const struct {
		unsigned int width, height;
		const char *head, *rx, *keys;
	} sizes[] = {
		{ 60, 15,
		  " interface     packets/s      L1 bit/s  faults",
		  ">eth0 rx       435.7 pps      8 Mbit/s       3  ",
		  "q quit  ? keys  p pause  s sort  / filter  TAB table" },
		{ 80, 24,
		  " interface     packets/s      L1 bit/s  peak in 1 ms  faults  to 16 Mbit/s",
		  ">eth0 rx       435.7 pps      8 Mbit/s             -       3                  ::",
		  "q quit  ? keys  p pause  s sort  / filter  TAB table  ENTER all figures" },
		{ 120, 40,
		  " interface     packets/s      L1 bit/s  peak in 1 ms     in 100 us      in 10 ms       buffers  faults  to 16 Mbit/s",
		  ">eth0 rx       435.7 pps      8 Mbit/s             -             -             -             -      "
		  " 3                ::",
		  "q quit  ? keys  p pause  s sort  / filter  TAB table  ENTER all figures  + - interval" },
		{ 200, 60,
		  " interface     packets/s      L1 bit/s  peak in 1 ms     in 100 us      in 10 ms       buffers  faults  to 16 Mbit/s",
		  ">eth0 rx       435.7 pps      8 Mbit/s             -             -             -             -      "
		  " 3                                                            ::",
		  "q quit  ? keys  p pause  s sort  / filter  TAB table  ENTER all figures  + - interval" },
	};
	struct live *live = live_new(false);
	struct result *res = two_intervals(live), *part;
	size_t i;

	(void)state;
	/* The other direction has twice the rate, on the same scale. */
	part = result_part(res, PART_INTERFACE, "eth0 tx");
	result_row_open(part, 4000000000);
	result_row_real(part, "seen_l1_bps", 16e6);
	result_row_close(part);
	live_update(live, res, 3000000000);
	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		draw(live, sizes[i].width, sizes[i].height);
		assert_string_equal(screen[1], sizes[i].head);
		assert_string_equal(screen[2], sizes[i].rx);
		assert_string_equal(screen[sizes[i].height - 1], sizes[i].keys);
	}
	/* A long name moves what is right of it, and is cut last. */
	tell(res, "enp129s0f0np0v13 rx", 3, 1, 1);
	live_update(live, res, 3000000000);
	draw(live, 60, 15);
	assert_non_null(strstr(screen[4], " enp129s0f0np0v13 rx     0.667 pps      8 Mbit/s"));
	for (i = 40; i < 60; i++) {
		draw(live, (unsigned int)i, 15);
		assert_non_null(strstr(screen[4], " 0.667 pps      8 Mbit/s"));
	}
	live_free(live);
	result_free(res);
}

static void keys_select_sort_filter_zoom_and_pause(void **state)
{
	struct live *live = live_new(true);
	struct result *res = two_intervals(live);

	(void)state;
	draw(live, 160, 30);
	assert_true(line_of(" ip4/tcp") < line_of(" ip4/udp"));
	live_key(live, 's');
	draw(live, 160, 30);
	assert_true(line_of(" ip4/udp") < line_of(" ip4/tcp"));
	assert_true(line_of("packets*") > 0);

	assert_true(line_of(" protocol") < line_of(" cpu"));
	live_key(live, '\t');
	draw(live, 160, 30);
	assert_true(line_of(" cpu") < line_of(" protocol"));

	live_key(live, '/');
	live_key(live, 'U');
	live_key(live, 'q');		/* typed, not obeyed */
	live_key(live, LIVE_KEY_BACKSPACE);
	live_key(live, 'd');
	live_key(live, LIVE_KEY_ENTER);
	draw(live, 160, 30);
	assert_int_equal(line_of(" ip4/tcp"), -1);
	assert_true(line_of(" ip4/udp") > 0);
	assert_string_equal(screen[29], "/Ud   ESC: all rows");
	live_key(live, LIVE_KEY_ESCAPE);

	live_key(live, LIVE_KEY_DOWN);
	live_key(live, LIVE_KEY_ENTER);
	draw(live, 160, 30);
	assert_true(line_of(">eth0 tx") > 0);
	assert_int_equal(line_of("eth0 rx"), -1);
	assert_true(line_of("driver rx dropped") > 0);

	live_key(live, 'p');
	tell(res, "eth0 tx", 5, 999, 999);
	live_update(live, res, 5000000000);
	draw(live, 160, 30);
	assert_true(line_of("3.0 s   paused") == 0);
	live_key(live, 'p');
	live_update(live, res, 5000000000);
	draw(live, 160, 30);
	assert_true(line_of("5.0 s") == 0);

	live_key(live, '?');
	draw(live, 160, 30);
	assert_true(line_of("this help, and back") > 0);
	assert_int_equal(live_key(live, '+'), LIVE_SLOWER);
	assert_int_equal(live_key(live, '-'), LIVE_FASTER);
	assert_int_equal(live_key(live, 'q'), LIVE_QUIT);
	live_free(live);
	result_free(res);
}

/* keep() fails on what a terminal might obey. */
static void hostile_names_and_any_size_are_drawn(void **state)
{
	struct live *live = live_new(true);
	struct result *res = two_intervals(live);
	unsigned int width, height, i, columns;
	const char *p;

	(void)state;
	tell(res, "\x1b[2J\x07 \xe2\x80\xae rx", 3, 5, 5);
	live_update(live, res, 3000000000);
	for (width = 1; width < 220; width += 3) {
		for (height = 1; height < 40; height++) {
			draw(live, width, height);
			for (i = 0; i < 40; i++) {
				columns = 0;
				for (p = screen[i]; *p; p++)
					columns += (*p & 0xc0) != 0x80;
				assert_in_range(columns, 0, width);
				assert_true(i < height || !screen[i][0]);
			}
		}
	}
	draw(live, 160, 30);
	assert_true(line_of("?[2J? ??? rx") > 0);
	assert_int_equal(styles[line_of("?[2J? ??? rx")], LIVE_WARNING);
	live_free(live);
	result_free(res);
}

static const char *record_path(void)
{
	static char path[64];

	snprintf(path, sizeof(path), "/tmp/ethgauge-record-%d", (int)getpid());
	return path;
}

static void write_record(const char *path, const char *tail)
{
	struct result *res = result_new("watch");
	FILE *out = fopen(path, "w");

	tell(res, "eth0 rx", 1, 100, 7);
	assert_int_equal(record_write(out, res, 1000000000, false), 0);
	tell(res, "eth0 rx", 3, 300, 1007);
	result_note(result_part(res, PART_INTERFACE, "eth0 rx"), "a note");
	assert_int_equal(record_write(out, res, 3000000000, true), 0);
	fputs(tail, out);
	fclose(out);
	result_free(res);
}

static void a_record_comes_back_as_it_was(void **state)
{
	const char *path = record_path();
	struct live *live = live_new(false);
	struct result *res = result_new("watch");
	struct record *record;
	struct err e = { 0 };
	uint64_t elapsed_ns;

	(void)state;
	write_record(path, "{\"type\":\"state\",\"elapsed_ns\":5");
	assert_int_equal(record_open(&record, path, &e), 0);
	assert_int_equal(record_next(record, &elapsed_ns, &e), 1);
	assert_int_equal(elapsed_ns, 1000000000);
	record_load(record, res);
	live_update(live, res, elapsed_ns);
	assert_int_equal(record_next(record, &elapsed_ns, &e), 1);
	record_load(record, res);
	live_update(live, res, elapsed_ns);
	draw(live, 160, 30);
	assert_non_null(strstr(screen[line_of(" ip4/udp")], " 500 pps     400 kbit/s"));
	/* Killed within a line. */
	assert_int_equal(record_next(record, &elapsed_ns, &e), 0);
	assert_true(record_was_cut(record));
	record_close(record);
	remove(path);
	live_free(live);
	result_free(res);
}

static void what_is_no_record_is_refused_and_what_is_odd_left_out(void **state)
{
	static const char odd[] =
		"{\"elapsed_ns\":1,\"result\":{\"metrics\":{\"evil\":1,\"seen_pps\":\"x\"},\"self\":7,"
		"\"parts\":[3,{\"name\":5},{\"name\":\"a rx\",\"entries\":[1,[],{\"by\":{}}],"
		"\"series\":[{\"evil\":1}],\"histograms\":{\"gap_ns\":4},\"notes\":[null],"
		"\"environment\":[]}]}}\n"
		"{\"elapsed_ns\":-1,\"result\":{}}\n";
	const char *path = record_path();
	struct live *live = live_new(false);
	struct result *res = result_new("watch");
	FILE *out = fopen(path, "w");
	struct record *record;
	struct err e = { 0 };
	uint64_t elapsed_ns;

	(void)state;
	fputs(odd, out);
	fclose(out);
	assert_int_equal(record_open(&record, path, &e), 0);
	assert_int_equal(record_next(record, &elapsed_ns, &e), 1);
	record_load(record, res);
	live_update(live, res, elapsed_ns);
	draw(live, 160, 30);
	assert_true(line_of(">a rx") > 0);
	assert_true(record_next(record, &elapsed_ns, &e) < 0);
	assert_int_equal(e.kind, ERR_USAGE);
	record_close(record);
	remove(path);
	live_free(live);
	result_free(res);
}

static void flow(struct result *part, const char *near, uint64_t tx_packets, double now_pps)
{
	result_entry_open(part);
	result_entry_str(part, "near", near);
	result_entry_str(part, "far", "198.18.0.2:80");
	result_entry_str(part, "proto", "tcp");
	result_entry_u64(part, "tx_packets", tx_packets);
	result_entry_u64(part, "rx_packets", 7);
	result_entry_real(part, "now_pps", now_pps);
	result_entry_u64(part, "rtt_far_mean_ns", 20000000);
	result_entry_u64(part, "rtt_far_p99_ns", 23000000);
	result_entry_u64(part, "tx_zero_windows", 13);
	result_entry_str(part, "handshake_ns", "");
	result_entry_str(part, "state", "open");
	result_entry_close(part);
}

static void flows_are_marked_zoomed_filtered_and_sorted_by_who_has_them_all(void **state)
{
	struct live *live = live_new(false);
	struct result *res = two_intervals(live), *part = result_part(res, PART_FLOWS, "eth0 flows");

	(void)state;
	flow(part, "198.18.0.1:1009", 101, 1000);
	flow(part, "198.18.0.1:1013", 1000, NAN);
	result_env_str(part, "flows_by", "rate");
	result_metric_u64(part, "flow_view_age_ns", 3000000);
	live_update(live, res, 4000000000);
	assert_int_equal(live_key(live, 's'), LIVE_GO_ON);
	live_key(live, 'f');
	assert_int_equal(live_key(live, 's'), LIVE_SORT_FLOWS);
	draw(live, 160, 30);
	assert_true(line_of("read 3 ms ago; top: rate") > 0);
	assert_non_null(strstr(screen[line_of(">198.18.0.1:1009 > 198.18.0.2:80 tcp")], "1 kpps"));
	assert_non_null(strstr(screen[line_of(" 198.18.0.1:1013")], "1,007"));
	/* On a narrow screen the rates stay, and the name is cut. */
	draw(live, 60, 15);
	assert_non_null(strstr(screen[line_of(" flow ")], "packets/s       L2 bit/s"));
	assert_non_null(strstr(screen[line_of(">198.18.0.1:1009 > 198.18.0")], "1 kpps"));
	live_key(live, 'j');
	live_key(live, LIVE_KEY_ENTER);
	draw(live, 160, 30);
	assert_int_equal(line_of("1009"), -1);
	assert_non_null(strstr(screen[line_of("zero windows")], "13"));
	assert_non_null(strstr(screen[line_of("round trip, 99 %")], "23 ms"));
	/* It stays the same one where others overtake it, and is missed when it goes. */
	result_forget_entries(part);
	flow(part, "198.18.0.1:1019", 5, 1);
	live_update(live, res, 5000000000);
	draw(live, 160, 30);
	assert_true(line_of("1013 > 198.18.0.2:80 tcp is no longer listed") > 0);
	live_key(live, LIVE_KEY_ENTER);
	live_key(live, '/');
	live_key(live, 'x');
	draw(live, 160, 30);
	assert_true(line_of("none that matches the filter") > 0);
	live_free(live);
	result_free(res);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rates_are_those_since_the_telling_before),
		cmocka_unit_test(the_rates_and_names_are_on_every_screen),
		cmocka_unit_test(keys_select_sort_filter_zoom_and_pause),
		cmocka_unit_test(hostile_names_and_any_size_are_drawn),
		cmocka_unit_test(a_record_comes_back_as_it_was),
		cmocka_unit_test(flows_are_marked_zoomed_filtered_and_sorted_by_who_has_them_all),
		cmocka_unit_test(what_is_no_record_is_refused_and_what_is_odd_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
