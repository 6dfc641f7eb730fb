// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stream files: what each key gives, what is refused and where, and the schedules
 * that come of it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "proto/flow_file.h"
#include "proto/profiles.h"

#define UNIT_NS (1ull << PACE_FRAC_BITS)

static struct flow_file *parse(const char *text)
{
	struct flow_file *file = NULL;
	struct err e = { 0 };

	if (flow_file_parse("f.yaml", text, strlen(text), &file, &e))
		fail_msg("%s", e.msg);
	return file;
}

static void each_key_gives_its_value(void **state)
{
	struct flow_file *file = parse(
		"flows:\n"
		"  - name: web\n"
		"    packet: ip4(dst=198.18.0.2)/udp\n"
		"    size: {weight_pairs: [{size: 64, weight: 14}, {size: 1518, weight: 2}]}\n"
		"    rate: {bps: 1000000, layer: l2}\n"
		"    duration: {fixed_packets: {packets: 1009}}\n"
		"    start: 100ms\n"
		"    burst: {packets: 10, every: 20ms}\n"
		"    tag: false\n"
		"    stamp_every: 16\n"
		"    copies: 7\n"
		"    seed: 11\n"
		"  - packet:\n"
		"      - ip4: {dst: 198.18.0.2, df: true}\n"
		"      - udp:\n"
		"    size: {increment: {start: 64, end: 128, step: 32}}\n"
		"    rate: {percentage: 12.5}\n"
		"    duration: {fixed_seconds: {seconds: 3}}\n"
		"    on_off: {on: 3ms, off: 7ms}\n"
		"  - packet: ip4/udp\n"
		"    size: {random: {min: 100, max: 200}}\n"
		"    rate: {pps: 1000}\n"
		"    gaps: poisson\n"
		"  - {packet: ip4/udp, rate: 1kpps, ramp: {to: 2kpps, over: 5s}, size: 128}\n");
	const struct flow_spec *flow = file->flows;

	(void)state;
	assert_int_equal(file->nr_flows, 4);
	assert_string_equal(flow->name, "web");
	assert_string_equal(flow->at, "f.yaml:2:5");
	assert_int_equal(flow->packet->nr_layers, 3);
	assert_int_equal(flow->size.field.span, 8);
	assert_true(flow->pace.rate.kind == UNIT_RATE_BPS && flow->pace.rate.value == 1e6);
	assert_int_equal(flow->pace.rate_layer, FRAME_L2);
	assert_int_equal(flow->limit, 1009);
	assert_int_equal(flow->start_ns, 100000000);
	assert_int_equal(flow->pace.kind, PACE_BURST);
	assert_int_equal(flow->pace.burst, 10);
	assert_int_equal(flow->pace.period_ns, 20000000);
	assert_false(flow->tagged);
	assert_int_equal(flow->stamp_every, 16);
	assert_int_equal(flow->copies, 7);
	assert_int_equal(flow->seed, 11);
	flow++;
	assert_string_equal(flow->name, "stream-2");
	assert_int_equal(flow->packet->nr_layers, 3);
	assert_int_equal(flow->size.max_bytes, 128);
	assert_true(flow->pace.rate.kind == UNIT_RATE_LINK_RATIO && flow->pace.rate.value == 0.125);
	assert_int_equal(flow->duration_ns, 3000000000);
	assert_true(flow->pace.on_ns == 3000000 && flow->pace.off_ns == 7000000);
	assert_true(flow->tagged && flow->copies == 1 && flow->stamp_every == 1);
	flow++;
	assert_int_equal(flow->pace.kind, PACE_POISSON);
	assert_true(flow->size.field.kind == FIELD_RANDOM && flow->size.min_bytes == 100);
	flow++;
	assert_int_equal(flow->pace.kind, PACE_RAMP);
	assert_true(flow->pace.to.value == 2000 && flow->pace.ramp_ns == 5000000000);
	flow_file_free(file);
}

/* The error of @text; nothing may be said on stderr beside it. */
static void refuses(const char *text, const char *message)
{
	struct flow_file *file = NULL;
	struct err e = { 0 };
	char said[64];
	int pipes[2], kept = dup(STDERR_FILENO);
	ssize_t nr;

	assert_int_equal(pipe(pipes), 0);
	dup2(pipes[1], STDERR_FILENO);
	assert_int_not_equal(flow_file_parse("f.yaml", text, strlen(text), &file, &e), 0);
	fflush(stderr);
	dup2(kept, STDERR_FILENO);
	close(pipes[1]);
	nr = read(pipes[0], said, sizeof(said));
	close(pipes[0]);
	close(kept);
	assert_null(file);
	assert_int_equal(e.kind, ERR_USAGE);
	assert_int_equal(nr, 0);
	if (!strstr(e.msg, message))
		fail_msg("'%s' is not in '%s'", message, e.msg);
}

#define ONE "flows:\n- packet: ip4/udp\n  "

static void what_is_wrong_is_refused_with_its_place(void **state)
{
	char deep[300], many[FLOW_FILE_MAX * 16 + 300] = "flows:\n";
	size_t i, used = strlen(many);

	(void)state;
	refuses("", "f.yaml:1:1: not YAML");
	refuses("just words", "f.yaml:1:1: expected streams");
	refuses("- packet: ip4", "f.yaml:1:3: expected streams");
	refuses("flows:", "expected a list of streams");
	refuses("flows: []", "expected a list of streams");
	refuses("flows: 3", "f.yaml:1:8: expected a list of streams");
	refuses("streams: []", "f.yaml:1:1: 'streams', expected flows");
	refuses("flows:\n- name: x", "f.yaml:2:3: the stream has no packet");
	refuses(ONE "rat: 3", "f.yaml:3:3: a stream has no key 'rat', expected one of: name, packet");
	refuses(ONE "packet: ip4", "f.yaml:3:3: duplicate key");
	refuses(ONE "rate: 3", "f.yaml:3:9: '3', expected a rate such as 1Mpps");
	refuses(ONE "rate: [3]", "f.yaml:3:10: expected a rate");
	refuses(ONE "rate: {pps: x}", "f.yaml:3:15: 'x', expected a number of 1 to");
	refuses(ONE "rate: {bps: 1, layer: l9}", "f.yaml:3:25: 'l9', expected l1, l2, l3 or payload");
	refuses(ONE "rate: {percentage: 101}", "'101', expected a number above 0, up to 100");
	refuses(ONE "size: 63", "f.yaml:3:9: size '63'");
	refuses(ONE "size: {fixed: 9217}", "f.yaml:3:17: size '9217'");
	refuses(ONE "size: {random: {min: 64}}", "f.yaml:3:19: expected {min: N, max: N}");
	refuses(ONE "size: {weight_pairs: 3}", "f.yaml:3:24: expected a list of");
	refuses(ONE "size: {sizes: 3}", "f.yaml:3:10: size has no key 'sizes'");
	refuses(ONE "duration: {fixed_packets: 3}", "f.yaml:3:29: expected the keys of fixed_packets");
	refuses(ONE "duration: 0s", "f.yaml:3:13: a duration must be above 0");
	refuses(ONE "start: soon", "f.yaml:3:10: 'soon', expected a time");
	refuses(ONE "burst: {packets: 3}", "f.yaml:3:11: expected {packets: N, every: TIME}");
	refuses(ONE "on_off: {on: 1s}", "f.yaml:3:12: expected {on: TIME, off: TIME}");
	refuses(ONE "ramp: {to: 1kpps}", "f.yaml:3:10: expected {to: RATE, over: TIME}");
	refuses(ONE "gaps: odd", "f.yaml:3:9: 'odd', expected even or poisson");
	refuses(ONE "gaps: poisson\n  burst: {packets: 1, every: 1s}",
		"f.yaml:4:11: burst, on_off, gaps and ramp are mutually exclusive");
	refuses(ONE "tag: maybe", "f.yaml:3:8: 'maybe', expected true or false");
	refuses(ONE "copies: 0", "f.yaml:3:11: '0', expected a number of 1 to 4096");
	refuses(ONE "copies: 4097", "f.yaml:3:11: '4097'");
	refuses(ONE "name: 12345678901234567890123456789012", "a name of 32 bytes, expected at most 31");
	refuses("flows:\n- packet: ip4/upd", "f.yaml:2:11: packet:5: there is no layer 'upd'");
	refuses("flows:\n- packet:\n  - ip4: {dst: 1.2.3}", "f.yaml:3:16: '1.2.3' is not a value of 'dst'");
	refuses("flows:\n- packet:\n  - {ip4: {}, udp: {}}", "expected one layer");
	refuses("flows:\n- packet: []", "a packet requires at least one layer");
	refuses("flows:\n\t- packet: x", "f.yaml:2:1: tab");
	refuses("flows: {", "f.yaml:");
	refuses("flows:\n- packet: &x ip4/udp\n- packet: *x", "f.yaml:3:12: expected a packet");
	refuses("%YAML 1.2\n---\nflows: []", "f.yaml:1:1: YAML directives are not supported");
	refuses("flows:\r%", "f.yaml:1:1: YAML directives");
	memset(deep, '[', sizeof(deep) - 1);
	deep[sizeof(deep) - 1] = '\0';
	refuses(deep, "f.yaml:1:");
	for (i = 0; i <= FLOW_FILE_MAX; i++)
		used += (size_t)snprintf(many + used, sizeof(many) - used, "- packet: a\n");
	refuses(many, "4097 streams, expected at most 4096");
}

static void files_that_cannot_be_read_are_refused(void **state)
{
	char path[] = "/tmp/flow_file.XXXXXX";
	struct flow_file *file = NULL;
	struct err e = { 0 };
	int fd = mkstemp(path);

	(void)state;
	assert_int_not_equal(flow_file_read("/nonexistent/f.yaml", &file, &e), 0);
	assert_non_null(strstr(e.msg, "cannot open the stream file '/nonexistent/f.yaml': No such"));
	assert_int_not_equal(flow_file_read("/", &file, &e), 0);
	assert_non_null(strstr(e.msg, "'/' is a directory"));
	assert_int_equal(pwrite(fd, "flows:\n- packet: \0", 18, 0), 18);
	assert_int_not_equal(flow_file_read(path, &file, &e), 0);
	assert_non_null(strstr(e.msg, "this is not text"));
	assert_int_equal(ftruncate(fd, (16 << 20) + 1), 0);
	assert_int_not_equal(flow_file_read(path, &file, &e), 0);
	assert_non_null(strstr(e.msg, "larger than 16 MiB"));
	assert_null(file);
	close(fd);
	unlink(path);
}

static struct pace pace_of(struct flow_pace flow, uint64_t link_bps, double mean_pps)
{
	struct err e = { 0 };
	struct pace pace;
	double mean;

	if (flow_pace_of(&flow, 125, link_bps, &pace, &mean, &e))
		fail_msg("%s", e.msg);
	assert_true(mean >= mean_pps * 0.999999 && mean < mean_pps * 1.000001 + 1e-9);
	return pace;
}

static void schedules_are_those_of_the_words(void **state)
{
	struct unit_rate kpps = { UNIT_RATE_PPS, 1000 }, mbit = { UNIT_RATE_BPS, 1e6 };
	struct unit_rate percent = { UNIT_RATE_LINK_RATIO, 0.01 }, odd = { UNIT_RATE_PPS, 300 };
	struct pace pace;

	(void)state;
	pace = pace_of((struct flow_pace){ .kind = PACE_EVEN }, 0, 0);
	assert_int_equal(pace.kind, PACE_MAX);
	/* 1 Mbit/s of 125 bytes are 1000 packets a second, as is 1 % of 100 Mbit/s. */
	pace = pace_of((struct flow_pace){ .kind = PACE_EVEN, .rate = mbit }, 0, 1000);
	assert_int_equal(pace.gap, 1000000 * UNIT_NS);
	pace = pace_of((struct flow_pace){ .kind = PACE_EVEN, .rate = percent }, 100000000, 1000);
	assert_int_equal(pace.gap, 1000000 * UNIT_NS);
	/* Rounded up: 300 gaps fill the second. */
	pace = pace_of((struct flow_pace){ .kind = PACE_EVEN, .rate = odd }, 0, 300);
	assert_true(pace.gap * 300 >= 1000000000 * UNIT_NS && (pace.gap - 1) * 300 < 1000000000 * UNIT_NS);
	pace = pace_of((struct flow_pace){ .kind = PACE_BURST, .rate = kpps, .burst = 4,
					   .period_ns = 20000000 }, 0, 200);
	assert_true(pace.burst == 4 && pace.gap == 1000000 * UNIT_NS && pace.rest == 17000000 * UNIT_NS);
	pace = pace_of((struct flow_pace){ .kind = PACE_BURST, .burst = 4, .period_ns = 1000000 }, 0, 4000);
	assert_true(!pace.gap && pace.rest == 1000000 * UNIT_NS);
	/* Three begin within 3 ms: at 0, 1 and 2 ms. */
	pace = pace_of((struct flow_pace){ .kind = PACE_BURST, .rate = kpps, .on_ns = 3000000,
					   .off_ns = 7000000 }, 0, 300);
	assert_true(pace.burst == 3 && pace.rest == 8000000 * UNIT_NS);
	pace = pace_of((struct flow_pace){ .kind = PACE_RAMP, .rate = kpps, .to = odd,
					   .ramp_ns = 1000 }, 0, 0);
	assert_true(pace.from == 1000 << PACE_PPS_BITS && pace.to == 300 << PACE_PPS_BITS);
}

static void no_schedule(struct flow_pace flow, const char *message)
{
	struct err e = { 0 };
	struct pace pace;
	double mean;

	assert_int_not_equal(flow_pace_of(&flow, 125, 0, &pace, &mean, &e), 0);
	if (!strstr(e.msg, message))
		fail_msg("'%s' is not in '%s'", message, e.msg);
}

static void schedules_that_cannot_be_are_refused(void **state)
{
	struct unit_rate kpps = { UNIT_RATE_PPS, 1000 };
	struct err e = { 0 };
	double pps;

	(void)state;
	no_schedule((struct flow_pace){ .kind = PACE_EVEN, .rate = { UNIT_RATE_LINK_RATIO, 0.1 } },
		    "the interface does not report its speed");
	no_schedule((struct flow_pace){ .kind = PACE_EVEN, .rate = { UNIT_RATE_PPS, 1e-5 } }, "is too low");
	no_schedule((struct flow_pace){ .kind = PACE_EVEN, .rate = { UNIT_RATE_PPS, 2e9 } }, "beyond 1 Gpps");
	no_schedule((struct flow_pace){ .kind = PACE_POISSON }, "Poisson intervals require a rate");
	assert_int_not_equal(flow_rate_pps(&(struct unit_rate){ UNIT_RATE_BPS, 1e9 }, 0, 0, &pps, &e), 0);
	assert_non_null(strstr(e.msg, "a rate of payload requires packets with payload"));
	no_schedule((struct flow_pace){ .kind = PACE_BURST, .on_ns = 1, .off_ns = 1 }, "require a rate");
	no_schedule((struct flow_pace){ .kind = PACE_BURST, .rate = kpps, .burst = 4,
					.period_ns = 2000000 }, "takes longer than the period of 2 ms");
	no_schedule((struct flow_pace){ .kind = PACE_RAMP, .rate = kpps, .ramp_ns = 1 },
		    "a rate at both ends");
	no_schedule((struct flow_pace){ .kind = PACE_RAMP, .rate = kpps, .to = kpps,
					.ramp_ns = 1ull << 43 }, "below 2.4 hours");
}

/* To within nanoseconds after a day, at any speed; what never comes does not come round to now. */
static void a_capture_keeps_its_times_at_any_speed(void **state)
{
	static const double factors[] = { 1, 2.5, 3, 0.1, 1e6, 7e-3 };
	const uint64_t day_ns = 86400000000007ull;
	struct pace pace;
	uint64_t due_ns;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(factors) / sizeof(factors[0]); i++) {
		pace = flow_pace_times(factors[i]);
		due_ns = pace_due(&pace, day_ns).ns;
		assert_int_equal(pace.kind, PACE_TIMES);
		assert_true(fabs((double)due_ns - (double)day_ns / factors[i]) <= 1 + 1e-15 * (double)due_ns);
	}
	assert_int_equal(flow_pace_times(0).kind, PACE_MAX);
	pace = flow_pace_times(1e300);
	assert_int_equal(pace_due(&pace, day_ns).ns, 0);
	pace = flow_pace_times(1e-300);
	assert_int_equal(pace_due(&pace, day_ns).ns, PACE_NEVER_NS);
	assert_int_equal(pace_due(&pace, 0).ns, 0);
}

static void frames_of_a_capture_take_their_bytes_at_a_rate(void **state)
{
	struct unit_rate rate = { UNIT_RATE_BPS, 3e9 }, percent = { UNIT_RATE_LINK_RATIO, 0.3 };
	struct err e = { 0 };
	struct pace pace;
	double pps = -1;

	(void)state;
	assert_int_equal(flow_pace_frames(&rate, 0, &pace, &pps, &e), 0);
	assert_true(pace.kind == PACE_BYTES && pps == 0);
	/* 8/3 ns each, and never earlier */
	assert_int_equal(pace_due(&pace, 3000000000000ull).ns, 8000000000000ull);
	assert_int_equal(pace_due(&pace, 1514).ns, 4037);
	assert_int_equal(flow_pace_frames(&percent, 10000000000, &pace, &pps, &e), 0);
	assert_int_equal(pace_due(&pace, 3000000000000ull).ns, 8000000000000ull);
	assert_int_not_equal(flow_pace_frames(&percent, 0, &pace, &pps, &e), 0);
	assert_non_null(strstr(e.msg, "does not report its speed"));
	rate = (struct unit_rate){ UNIT_RATE_PPS, 300 };
	assert_int_equal(flow_pace_frames(&rate, 0, &pace, &pps, &e), 0);
	assert_true(pace.kind == PACE_EVEN && pps == 300 && pace_due(&pace, 300).ns == 1000000000);
	rate.kind = UNIT_RATE_MAX;
	assert_int_equal(flow_pace_frames(&rate, 0, &pace, &pps, &e), 0);
	assert_true(pace.kind == PACE_MAX && pps == 0);
}

static void each_profile_can_be_built(void **state)
{
	struct packet_env env = { .src_port = 49152, .dst_port = 9, .ttl = 64, .tagged = true };
	struct packet *packet = malloc(sizeof(*packet));
	const struct profile *profile;
	struct flow_file *file;
	struct err e = { 0 };
	uint32_t i, nr = 0;

	(void)state;
	assert_non_null(packet);
	for (profile = profiles; profile->name; profile++, nr++) {
		assert_ptr_equal(profile_find(profile->name), profile);
		assert_non_null(strstr(profile_names(), profile->name));
		file = parse(profile->text);
		for (i = 0; i < file->nr_flows; i++) {
			const struct flow_spec *flow = &file->flows[i];

			if (packet_spec_build(flow->packet, &env, flow->has_size ? &flow->size : NULL,
					      packet, &e))
				fail_msg("%s: %s", profile->name, e.msg);
			assert_int_not_equal(packet->tag_offset, 0);
		}
		flow_file_free(file);
	}
	assert_int_equal(nr, 7);
	assert_null(profile_find("nothing"));
	free(packet);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_key_gives_its_value),
		cmocka_unit_test(what_is_wrong_is_refused_with_its_place),
		cmocka_unit_test(files_that_cannot_be_read_are_refused),
		cmocka_unit_test(schedules_are_those_of_the_words),
		cmocka_unit_test(schedules_that_cannot_be_are_refused),
		cmocka_unit_test(a_capture_keeps_its_times_at_any_speed),
		cmocka_unit_test(frames_of_a_capture_take_their_bytes_at_a_rate),
		cmocka_unit_test(each_profile_can_be_built),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
