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

static void keep(void *ctx, unsigned int line, unsigned int left, enum live_style style, const char *text)
{
	const char *p;
	char *at;

	(void)ctx;
	assert_in_range(line, 0, 99);
	for (p = text; *p; p++)
		assert_true((*p & 0x80) || (*p >= ' ' && *p <= '~'));
	/* To the right of what the line has, which must end there. */
	for (at = screen[line]; *at && left; at++)
		left -= (at[1] & 0xc0) != 0x80;
	assert_int_equal(*at, '\0');
	snprintf(at, sizeof(screen[0]) - (size_t)(at - screen[line]), "%*s%s", (int)left, "", text);
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
	char iface[32];

	snprintf(iface, sizeof(iface), "%.*s", (int)strcspn(name, " "), name);
	result_label(part, "iface", iface);
	result_forget_entries(part);
	entry(part, "protocol", "ip4/tcp", tcp, tcp * 100);
	entry(part, "protocol", "ip4/udp", udp, udp * 100);
	entry(part, "cpu", "0", tcp + udp, (tcp + udp) * 100);
	result_metric_u64(part, "seen_packets", tcp + udp);
	result_metric_u64(part, "driver_rx_dropped", 3);
	result_row_open(part, elapsed_s * 1000000000);
	result_row_real(part, "seen_pps", (double)(tcp + udp) / (double)elapsed_s);
	result_row_real(part, "seen_l1_bps", 8e6);
	result_row_u64(part, "gap_p50_ns", 50000);
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
	/* The same state once more, as at the end of a recording. */
	live_update(live, res, 3000000001);
	draw(live, 160, 30);
	assert_non_null(strstr(screen[line_of(" ip4/udp")], " 500 pps     400 kbit/s"));
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
		  " interface     packets/s      L1 bit/s  peak in 1 ms       gap p50       gap p99     in 100 us  faults  to 16 Mbit/s",
		  ">eth0 rx       435.7 pps      8 Mbit/s             -         50 us             -             -      "
		  " 3                ::",
		  "q quit  ? keys  p pause  s sort  / filter  TAB table  ENTER all figures  + - interval" },
		{ 200, 60,
		  " interface     packets/s      L1 bit/s  peak in 1 ms       gap p50       gap p99     in 100 us"
		  "      in 10 ms       buffers  faults  to 16 Mbit/s",
		  ">eth0 rx       435.7 pps      8 Mbit/s             -         50 us             -             -"
		  "             -             -       3"
		  "                                                                    ::",
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

/* The columns of @line from @left on. */
static const char *from_column(int line, unsigned int left)
{
	return strlen(screen[line]) > left ? screen[line] + left : "";
}

static void both_directions_are_side_by_side_where_there_is_room(void **state)
{
	const unsigned int width = 160, right = 81;
	struct live *live = live_new(false);
	struct result *res = two_intervals(live), *tx = result_part(res, PART_INTERFACE, "eth0 tx");
	int names, protocol, cpu, i;

	(void)state;
	entry(result_part(res, PART_INTERFACE, "eth0 rx"), "protocol", "arp", 1, 64);
	entry(tx, "queue", "7", 1009, 64000);
	live_update(live, res, 4000000000);
	for (i = 0; i < 2; i++) {	/* whichever is selected */
		draw(live, width, 40);
		names = 5;
		assert_ptr_equal(strstr(screen[names], " eth0 rx"), screen[names]);
		assert_string_equal(from_column(names, right), " eth0 tx");
		protocol = line_of(" protocol");
		assert_ptr_equal(strstr(from_column(protocol, right), " protocol"), from_column(protocol, right));
		/* Three lines of the one, two of the other: the next table begins below both. */
		assert_non_null(strstr(screen[protocol + 3], " arp"));
		assert_string_equal(from_column(protocol + 3, right), "");
		cpu = line_of(" cpu");
		assert_int_equal(cpu, protocol + 5);
		assert_non_null(strstr(from_column(cpu, right), " cpu"));
		/* A kind that only one of them has. */
		assert_non_null(strstr(screen[cpu + 3], "queue: nothing"));
		assert_non_null(strstr(from_column(cpu + 3, right), " queue "));
		assert_non_null(strstr(from_column(cpu + 4, right), " 7 "));
		live_key(live, LIVE_KEY_DOWN);
	}
	/* Not with less room, not where one is zoomed, and not with another interface. */
	draw(live, 151, 40);
	assert_non_null(strstr(screen[5], " protocol "));
	draw(live, 152, 40);
	assert_null(strstr(screen[5], " protocol "));
	live_key(live, LIVE_KEY_ENTER);
	draw(live, width, 40);
	assert_int_equal(line_of("eth0 tx"), -1);
	live_key(live, LIVE_KEY_ENTER);
	tell(res, "eth1 rx", 3, 1, 1);
	live_update(live, res, 5000000000);
	live_key(live, LIVE_KEY_UP);
	draw(live, width, 40);
	assert_int_equal(line_of(">eth1 rx"), 4);
	assert_non_null(strstr(screen[6], " protocol "));
	live_free(live);
	result_free(res);
}

/* A number that is cut is another number, and a bar that is cut another share. */
static void a_table_has_whole_numbers_only_in_every_width(void **state)
{
	struct live *live = live_new(false);
	struct result *res = result_new("watch");
	const char *tcp, *bar;
	unsigned int width, hashes;

	(void)state;
	tell(res, "eth0 rx", 1, 0, 0);
	live_update(live, res, 1000000000);
	tell(res, "eth0 rx", 2, 123456, 123456);
	live_update(live, res, 2000000000);
	for (width = 53; width < 152; width++) {
		draw(live, width, 30);
		tcp = screen[line_of(" ip4/tcp")];
		assert_non_null(strstr(tcp, " 123.5 kpps"));
		assert_non_null(strstr(tcp, " 98.76 Mbit/s"));
		/* Half of as many columns as there are for it. */
		for (hashes = 0, bar = strchr(tcp, '#'); bar && *bar == '#'; bar++)
			hashes++;
		assert_int_equal(hashes, width < 59 ? 0 : width < 74 ? (width - 54) / 2 : 10);
		assert_true((width >= 91) == !!strstr(tcp, " 123,456"));
		assert_true((width >= 108) == !!strstr(tcp, " 12.35 MB"));
	}
	live_free(live);
	result_free(res);
}

static void what_room_is_left_has_a_chart_of_the_rates(void **state)
{
	struct live *live = live_new(false);
	struct result *res = two_intervals(live), *part = result_part(res, PART_INTERFACE, "eth0 tx");
	int head, i, marks;

	(void)state;
	result_row_open(part, 4000000000);
	result_row_real(part, "seen_l1_bps", 32e6);
	result_row_close(part);
	live_update(live, res, 4000000000);
	draw(live, 160, 30);
	head = line_of(" L1 bit/s, newest");
	assert_non_null(strstr(screen[head + 1], "32 Mbit/s"));
	assert_non_null(strstr(screen[28], " 0 bit/s"));
	/* 8 of 32 Mbit/s: a quarter of the lines on the left, all of them on the right. */
	for (i = head + 1, marks = 0; i <= 28; i++)
		marks += screen[i][78] == '#';
	assert_in_range(marks, (28 - head) / 4, (28 - head) / 4 + 1);
	for (i = head + 1; i <= 28; i++)
		assert_int_equal(screen[i][strlen(screen[i]) - 1], '#');
	draw(live, 160, (unsigned int)head + 4);
	assert_int_equal(line_of("newest"), -1);
	live_free(live);
	result_free(res);
}

/* Beside an Ethernet interface, one without an Ethernet header has its own unit. */
static void the_rate_of_packets_from_l3_on_is_called_so(void **state)
{
	struct live *live = live_new(false);
	struct result *res = result_new("watch"), *part = result_part(res, PART_INTERFACE, "wg0 rx");

	(void)state;
	result_label(part, "iface", "wg0");
	result_row_open(part, 1000000000);
	result_row_real(part, "seen_l3_bps", 24e6);
	result_row_real(part, "burst_1ms_l3_bps", 48e6);
	result_row_close(part);
	live_update(live, res, 1000000000);
	draw(live, 160, 30);
	assert_int_equal(line_of(" L1"), -1);
	assert_true(line_of(" L3 bit/s, newest") > 0);
	assert_non_null(strstr(screen[line_of("packets/s")], "  L3 bit/s"));
	assert_non_null(strstr(screen[line_of(">wg0 rx")], " 24 Mbit/s     48 Mbit/s"));
	tell(res, "eth0 rx", 2, 1, 1);
	live_update(live, res, 2000000000);
	draw(live, 160, 30);
	assert_non_null(strstr(screen[line_of("packets/s")], "  L1/L3 bit/s"));
	live_free(live);
	result_free(res);
}

static void keys_select_sort_filter_zoom_and_pause(void **state)
{
	struct live *live = live_new(true);
	struct result *res = two_intervals(live);

	(void)state;
	draw(live, 140, 30);
	assert_true(line_of(" ip4/tcp") < line_of(" ip4/udp"));
	live_key(live, 's');
	draw(live, 140, 30);
	assert_true(line_of(" ip4/udp") < line_of(" ip4/tcp"));
	assert_true(line_of("packets*") > 0);

	assert_true(line_of(" protocol") < line_of(" cpu"));
	live_key(live, '\t');
	draw(live, 140, 30);
	assert_true(line_of(" cpu") < line_of(" protocol"));

	live_key(live, '/');
	live_key(live, 'U');
	live_key(live, 'q');		/* typed, not obeyed */
	live_key(live, LIVE_KEY_BACKSPACE);
	live_key(live, 'd');
	live_key(live, LIVE_KEY_ENTER);
	draw(live, 140, 30);
	assert_int_equal(line_of(" ip4/tcp"), -1);
	assert_true(line_of(" ip4/udp") > 0);
	assert_string_equal(screen[29], "/Ud   ESC: all rows");
	live_key(live, LIVE_KEY_ESCAPE);

	live_key(live, LIVE_KEY_DOWN);
	live_key(live, LIVE_KEY_ENTER);
	draw(live, 140, 30);
	assert_true(line_of(">eth0 tx") > 0);
	assert_int_equal(line_of("eth0 rx"), -1);
	assert_true(line_of("driver rx dropped") > 0);

	live_key(live, 'p');
	tell(res, "eth0 tx", 5, 999, 999);
	live_update(live, res, 5000000000);
	draw(live, 140, 30);
	assert_true(line_of("3.0 s   paused") == 0);
	live_key(live, 'p');
	live_update(live, res, 5000000000);
	draw(live, 140, 30);
	assert_true(line_of("5.0 s") == 0);

	live_key(live, '?');
	draw(live, 140, 30);
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

/* What a sample cannot know is "-" in the list and no line of the flow: a 0 would be a lie. */
static void a_sampled_flow_has_its_error_and_nothing_of_tcp(void **state)
{
	struct live *live = live_new(false);
	struct result *res = two_intervals(live), *part = result_part(res, PART_FLOWS, "eth0 flows");
	const char *row;

	(void)state;
	result_entry_open(part);
	result_entry_str(part, "near", "198.18.0.1:1009");
	result_entry_str(part, "far", "198.18.0.2:80");
	result_entry_str(part, "proto", "tcp");
	result_entry_real(part, "error_ratio", 0.0837);
	result_entry_u64(part, "tx_packets", 101 * 64);
	result_entry_u64(part, "rx_packets", 0);
	result_entry_close(part);
	live_update(live, res, 4000000000);
	live_key(live, 'f');
	draw(live, 160, 30);
	row = screen[line_of(">198.18.0.1:1009")];
	assert_non_null(strstr(row, "6,464"));
	assert_non_null(strstr(row, "-        -"));
	live_key(live, LIVE_KEY_ENTER);
	draw(live, 160, 30);
	assert_non_null(strstr(screen[line_of("estimated from a sample")], "8.37 %"));
	assert_true(line_of("packets") > 0);
	assert_int_equal(line_of("retransmitted"), -1);
	assert_int_equal(line_of("opened by"), -1);
	live_free(live);
	result_free(res);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rates_are_those_since_the_telling_before),
		cmocka_unit_test(the_rates_and_names_are_on_every_screen),
		cmocka_unit_test(both_directions_are_side_by_side_where_there_is_room),
		cmocka_unit_test(a_table_has_whole_numbers_only_in_every_width),
		cmocka_unit_test(what_room_is_left_has_a_chart_of_the_rates),
		cmocka_unit_test(the_rate_of_packets_from_l3_on_is_called_so),
		cmocka_unit_test(keys_select_sort_filter_zoom_and_pause),
		cmocka_unit_test(hostile_names_and_any_size_are_drawn),
		cmocka_unit_test(a_record_comes_back_as_it_was),
		cmocka_unit_test(flows_are_marked_zoomed_filtered_and_sorted_by_who_has_them_all),
		cmocka_unit_test(a_sampled_flow_has_its_error_and_nothing_of_tcp),
		cmocka_unit_test(what_is_no_record_is_refused_and_what_is_odd_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
