// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * mix_xdp: each run sends the packet of the stream whose slot is due, or whose turn it is.
 */
#include "harness.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <linux/bpf.h>

#include "abi/mix.h"

#include "mix_xdp.skel.h"

#define STREAMS 64
#define TEMPLATE_BYTES 192
#define UNIT (1ull << PACE_FRAC_BITS)
#define SECOND_NS 1000000000ull

static struct mix_xdp_bpf *skel;
static struct mix_thread *thread;
static void *streams, *thread_memory;
static uint64_t *list;
static size_t stream_bytes = sizeof(struct mix_stream) + TEMPLATE_BYTES;

/* The page as the last packet's receiver left it, and what came of it. */
static struct packet_frame page;
static struct harness_out out;

static size_t pages(size_t bytes)
{
	size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);

	return (bytes + page_bytes - 1) / page_bytes * page_bytes;
}

static void *map_memory(const struct bpf_map *map, size_t bytes)
{
	void *memory = mmap(NULL, pages(bytes), PROT_READ | PROT_WRITE, MAP_SHARED,
			    bpf_map__fd(map), 0);

	return memory == MAP_FAILED ? NULL : memory;
}

static int load(void **state)
{
	int err;

	(void)state;
	skel = mix_xdp_bpf__open();
	if (!skel)
		return -errno;
	skel->rodata->template_bytes = TEMPLATE_BYTES;
	skel->rodata->tag_run = PACKET_RUN;
	bpf_map__set_max_entries(skel->maps.mix_threads, harness_cpus());
	bpf_map__set_max_entries(skel->maps.mix_streams, 1 + STREAMS);
	bpf_map__set_value_size(skel->maps.mix_streams, (__u32)stream_bytes);
	bpf_program__set_autoload(skel->progs.live_refused, false);
	bpf_program__set_autoload(skel->progs.live_failed, false);
	err = mix_xdp_bpf__load(skel);
	if (err)
		return err;
	thread_memory = map_memory(skel->maps.mix_threads, harness_cpus() * sizeof(*thread));
	streams = map_memory(skel->maps.mix_streams, (1 + STREAMS) * stream_bytes);
	list = map_memory(skel->maps.mix_lists, MIX_MAX_LIST * sizeof(*list));
	if (!thread_memory || !streams || !list)
		return -errno;
	thread = (struct mix_thread *)thread_memory + harness_cpu();
	thread->first = 1;	/* not 0, so that an index without it is seen */
	thread->wheel.shift = 6;
	memset(&page, 0, sizeof(page));
	page.len = 60;
	return 0;
}

static int unload(void **state)
{
	(void)state;
	munmap(list, pages(MIX_MAX_LIST * sizeof(*list)));
	munmap(streams, pages((1 + STREAMS) * stream_bytes));
	munmap(thread_memory, pages(harness_cpus() * sizeof(*thread)));
	mix_xdp_bpf__destroy(skel);
	skel = NULL;
	return 0;
}

static struct mix_stream *stream_at(uint32_t i)
{
	return (void *)((char *)streams + (1 + i) * stream_bytes);
}

static uint8_t *template_of(uint32_t i)
{
	return (uint8_t *)(stream_at(i) + 1);
}

/* A stream of @bytes in which every byte identifies the stream; without protocol. */
static struct mix_stream *make_stream(uint32_t i, uint32_t bytes)
{
	struct mix_stream *stream = stream_at(i);
	uint32_t k;

	memset(stream, 0, stream_bytes);
	stream->buf_bytes = bytes;
	stream->write_bytes = bytes;
	stream->stamp_every = 1;
	stream->stream = (uint16_t)(1000 + i);
	stream->number_step = 1;
	for (k = 0; k < bytes; k++)
		template_of(i)[k] = (uint8_t)(17 * i + k);
	if (bytes > page.len)
		page.len = bytes;
	if (thread->nr_streams <= i)
		thread->nr_streams = i + 1;
	return stream;
}

static void add_turn(uint32_t i)
{
	thread->ring[thread->nr_max++] = (uint16_t)i;
}

static void add_slot(uint32_t i, uint64_t due_ns)
{
	struct mix_stream *stream = stream_at(i);

	if (!thread->wheel.summary)
		thread->wheel.base = due_ns >> thread->wheel.shift;
	stream->start_ns = due_ns;
	stream->due.ns = due_ns;
	wheel_put(&thread->wheel, i, due_ns);
}

static int run(const struct bpf_program *prog)
{
	size_t k;

	for (k = 0; k < page.len; k++)
		page.bytes[k] ^= (uint8_t)(0xa5 + k);
	harness_run(prog, page.bytes, page.len, &out);
	/* As live frames do: the page is taken again, with its length as it was. */
	memcpy(page.bytes, out.bytes, out.len);
	return out.action;
}

/* The stream whose packet left, by its tag; -1: none left. */
static int send_tagged(const struct bpf_program *prog)
{
	if (run(prog) == XDP_DROP)
		return -1;
	assert_int_equal(out.action, XDP_TX);
	assert_true(packet_tag_is_right(out.bytes + 42));
	return (out.bytes[46] << 8 | out.bytes[47]) - 1000;
}

static uint64_t big_endian(const uint8_t *at, int bytes)
{
	uint64_t value = 0;

	while (bytes--)
		value = value << 8 | *at++;
	return value;
}

static struct mix_stream *make_tagged(uint32_t i)
{
	struct mix_stream *stream = make_stream(i, 60);

	stream->tag_offset = 42;
	return stream;
}

static void writes_each_stream_whole_and_with_its_own_length(void **state)
{
	/* Each way of writing: short, two overlapping pieces, the helper. */
	static const uint32_t lengths[] = { 60, 61, 72, 73, 97, 120, 121, 191, 192 };
	uint32_t nr = sizeof(lengths) / sizeof(lengths[0]), i, turn;
	uint64_t bytes = 0;

	(void)state;
	for (i = 0; i < nr; i++) {
		make_stream(i, lengths[i]);
		add_turn(i);
		bytes += lengths[i];
	}
	for (turn = 0; turn < 7 * nr; turn++) {
		i = turn % nr;
		assert_int_equal(run(skel->progs.mix_xdp), XDP_TX);
		assert_int_equal(out.len, lengths[i]);
		assert_memory_equal(out.bytes, template_of(i), lengths[i]);
	}
	for (i = 0; i < nr; i++) {
		assert_int_equal(stream_at(i)->made, 7);
		assert_int_equal(stream_at(i)->made_bytes, 7 * lengths[i]);
		assert_int_equal(stream_at(i)->first_mono_ns, 0);	/* no clock was read */
	}
	assert_int_equal(thread->made, 7 * nr);
	assert_int_equal(thread->made_bytes, 7 * bytes);
}

static void leaves_what_follows_the_bytes_to_write(void **state)
{
	struct mix_stream *stream = make_stream(0, 192);

	(void)state;
	stream->write_bytes = 72;
	add_turn(0);
	assert_int_equal(run(skel->progs.mix_xdp), XDP_TX);
	assert_int_equal(out.len, 192);
	assert_memory_equal(out.bytes, template_of(0), 72);
	assert_memory_equal(out.bytes + 72, page.bytes + 72, 120);
	assert_int_not_equal(out.bytes[72], template_of(0)[72]);
}

static void numbers_and_timestamps_each_stream_separately(void **state)
{
	uint32_t turn, i;

	(void)state;
	for (i = 0; i < 3; i++) {
		make_tagged(i)->stamp_every = 1 + 2 * i;
		add_turn(i);
	}
	for (turn = 0; turn < 3 * 23; turn++) {
		uint64_t before_ns = harness_mono_ns(), stamp_ns;

		i = turn % 3;
		assert_int_equal(send_tagged(skel->progs.mix_xdp), i);
		assert_memory_equal(out.bytes, template_of(i), 42);
		assert_int_equal(big_endian(out.bytes + 44, 2), PACKET_RUN);
		assert_int_equal(big_endian(out.bytes + 48, 4), turn / 3);
		stamp_ns = big_endian(out.bytes + 52, 6);
		if (turn / 3 % (1 + 2 * i))
			assert_true(!stamp_ns);
		else
			assert_in_range(stamp_ns, before_ns, harness_mono_ns());
	}
}

static void sizes_follow_the_number_of_the_packet(void **state)
{
	static const uint64_t sizes[] = { 60, 60, 101, 192, 73 };
	struct mix_stream *stream = make_stream(0, 192);
	uint64_t i, bytes = 0;

	(void)state;
	memcpy(list + 4000, sizes, sizeof(sizes));
	stream->has_size = 1;
	stream->size = (struct field){ .kind = FIELD_LIST, .first = 4000, .span = 5, .every = 1 };
	stream->number_first = 3;
	stream->number_step = 2;
	add_turn(0);
	for (i = 0; i < 31; i++) {
		uint64_t wanted = sizes[(3 + 2 * i) % 5];

		assert_int_equal(run(skel->progs.mix_xdp), XDP_TX);
		assert_int_equal(out.len, wanted);
		assert_memory_equal(out.bytes, template_of(0), wanted);
		bytes += wanted;
	}
	assert_int_equal(stream->made_bytes, bytes);
}

/* Two streams of UDP/IPv4 whose fields differ; what must be there is said in plain arithmetic. */
static void changes_the_fields_of_each_stream_and_mends_the_checksums(void **state)
{
	static const uint8_t zeros[18];
	struct packet_spec spec = { .version = 4, .payload = zeros, .payload_bytes = 18 };
	struct packet_frame frame;
	uint64_t i, k;

	(void)state;
	packet_build(&frame, &spec);
	memset(frame.bytes + 24, 0, 2);
	memset(frame.bytes + 34, 0, 4);
	memset(frame.bytes + 40, 0, 2);
	for (i = 0; i < 2; i++) {
		struct mix_stream *stream = make_stream((uint32_t)i, 60);

		memcpy(template_of((uint32_t)i), frame.bytes, 60);
		stream->nr_fields = (uint16_t)(2 + i);
		stream->nr_sums = 2;
		stream->sums[0] = (struct field_sum){ .offset = 24 };
		stream->sums[1] = (struct field_sum){ .offset = 40, .udp = 1 };
		stream->fields[0] = (struct field){ .offset = 34, .bytes = 2, .mask = 0xffff,
			.kind = FIELD_LIST, .first = 100 * i, .span = 3, .every = 1, .sums = 2 };
		stream->fields[1] = (struct field){ .offset = 36, .bytes = 2, .mask = 0xffff,
			.first = 7000, .step = 1 + i, .span = 11, .every = 1, .sums = 2 };
		stream->fields[2] = (struct field){ .offset = 28, .bytes = 4, .mask = 0xff,
			.span = 256, .step = 1, .every = 1, .sums = 3 };
		memset(frame.bytes + 31, 0, 1);
		for (k = 0; k < 3; k++)
			list[100 * i + k] = 50000 + 100 * i + k;
		add_turn((uint32_t)i);
	}
	/* With the bits that change as 0: of the first stream's source nothing changes. */
	for (i = 0; i < 2; i++) {
		struct mix_stream *stream = stream_at((uint32_t)i);
		uint8_t *bytes = template_of((uint32_t)i);

		bytes[31] = 0;
		stream->sum_base[0] = packet_sum(bytes + 14, 20, 0);
		stream->sum_base[1] = packet_sum(bytes + 26, 34, 17 + 26);
	}
	for (i = 0; i < 2 * 521; i++) {
		uint64_t which = i % 2, number = i / 2;

		assert_int_equal(run(skel->progs.mix_xdp), XDP_TX);
		assert_int_equal(big_endian(out.bytes + 34, 2), 50000 + 100 * which + number % 3);
		assert_int_equal(big_endian(out.bytes + 36, 2), 7000 + number % 11 * (1 + which));
		assert_int_equal(out.bytes[31], which ? number & 0xff : 0);
		memcpy(frame.bytes, out.bytes, out.len);
		assert_true(packet_checksums_are_right(&frame));
	}
}

/* The payload pattern follows the tag: of each size the checksum is that of what is sent. */
static void checksums_follow_a_pattern_that_is_cut(void **state)
{
	static const uint64_t sizes[] = { 60, 61, 62, 63, 64, 65, 66, 67, 68, 131, 190, 191, 192 };
	const uint32_t nr = sizeof(sizes) / sizeof(sizes[0]);
	struct packet_spec spec = { .version = 4, .payload_bytes = TEMPLATE_BYTES - 42 };
	struct mix_stream *stream = make_stream(0, TEMPLATE_BYTES);
	uint8_t payload[TEMPLATE_BYTES - 42] = { 0 };
	struct packet_frame frame;
	uint32_t i;

	(void)state;
	packet_pattern(payload + 18, sizeof(payload) - 18);
	spec.payload = payload;
	packet_build(&frame, &spec);
	memcpy(template_of(0), frame.bytes, TEMPLATE_BYTES);
	memcpy(list, sizes, sizeof(sizes));
	stream->tag_offset = 42;
	stream->pattern_offset = 60;
	stream->has_size = 1;
	stream->size = (struct field){ .kind = FIELD_LIST, .span = nr, .every = 1, .sums = 2 };
	stream->nr_fields = 2;
	stream->nr_sums = 2;
	stream->sums[0] = (struct field_sum){ .offset = 24 };
	stream->sums[1] = (struct field_sum){ .offset = 40, .udp = 1 };
	/* The lengths of IP, which counts for the pseudo-header's too, and UDP. */
	stream->fields[0] = (struct field){ .offset = 16, .bytes = 2, .mask = 0xffff,
		.kind = FIELD_LIST, .span = nr, .step = -14ull, .every = 1, .sums = 3 };
	stream->fields[1] = (struct field){ .offset = 38, .bytes = 2, .mask = 0xffff,
		.kind = FIELD_LIST, .span = nr, .step = -34ull, .every = 1, .sums = 2 };
	memset(frame.bytes + 16, 0, 2);
	memset(frame.bytes + 24, 0, 2);
	memset(frame.bytes + 38, 0, 4);
	stream->sum_base[0] = packet_sum(frame.bytes + 14, 20, 0);
	stream->sum_base[1] = packet_sum(frame.bytes + 26, 16, 17 + 0xffff - 20);
	add_turn(0);
	for (i = 0; i < 7 * nr; i++) {
		assert_int_equal(run(skel->progs.mix_xdp), XDP_TX);
		assert_int_equal(out.len, sizes[i % nr]);
		assert_memory_equal(out.bytes + 60, payload + 18, out.len - 60);
		memcpy(frame.bytes, out.bytes, out.len);
		frame.ip_end = out.len;
		assert_true(packet_checksums_are_right(&frame));
	}
}

static void streams_without_slots_take_turns_until_their_limits(void **state)
{
	static const int wanted[] = { 0, 1, 2, 0, 2, 0, 2, 0, 2, 2, 2, -1, -1 };
	size_t i;

	(void)state;
	make_tagged(0)->limit = 4;
	make_tagged(1)->limit = 1;
	make_tagged(2)->limit = 6;
	for (i = 0; i < 3; i++)
		add_turn((uint32_t)i);
	for (i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		assert_int_equal(send_tagged(skel->progs.mix_xdp), wanted[i]);
	assert_int_equal(thread->nr_max, 0);
}

/* Slots in the past, gaps of 7, 11 and 13 us from one start: merged in the order of time. */
static void packets_leave_in_the_order_of_their_slots(void **state)
{
	static const uint64_t gaps_us[] = { 7, 11, 13 };
	uint64_t past_ns = harness_mono_ns() - SECOND_NS, at_us = 0, late_ns = 0, i;
	int turn = 0;

	(void)state;
	for (i = 0; i < 3; i++) {
		make_tagged((uint32_t)i)->pace =
			(struct pace){ .kind = PACE_EVEN, .gap = 1000 * gaps_us[i] * UNIT };
		add_slot((uint32_t)i, past_ns);
	}
	for (at_us = 0; at_us < 7 * 11 * 13; at_us++) {
		for (i = 0; i < 3; i++) {
			if (at_us % gaps_us[i])
				continue;
			/* Who is put later to one slot comes later: in the order of the gaps' starts. */
			if (at_us && at_us % 7 + at_us % 11 && at_us % 7 + at_us % 13 &&
			    at_us % 11 + at_us % 13)
				assert_int_equal(send_tagged(turn++ % 2 ? skel->progs.mix_xdp :
								   skel->progs.mix_xdp_slot), i);
			else
				assert_int_not_equal(send_tagged(skel->progs.mix_xdp), -1);
		}
	}
	/* No slot was sent early, none left out. */
	for (i = 0; i < 3; i++) {
		const struct mix_stream *stream = stream_at((uint32_t)i);

		assert_int_equal(stream->made, 1001 / gaps_us[i]);
		assert_true(stream->due.ns == past_ns + 1001000);
		assert_true(stream->late_sum_ns >= stream->made * (SECOND_NS - 1001000));
		assert_true(stream->late_max_ns >= stream->late_sum_ns / stream->made);
		late_ns += stream->late_sum_ns;
	}
	assert_int_equal(thread->paced, 143 + 91 + 77);
	assert_true(thread->late_sum_ns == late_ns);
}

static void nothing_leaves_before_its_slot(void **state)
{
	uint64_t hour_ns = 3600 * SECOND_NS, soon_ns;

	(void)state;
	make_tagged(0)->pace = (struct pace){ .kind = PACE_EVEN, .gap = UNIT };
	add_slot(0, harness_mono_ns() + hour_ns);
	assert_int_equal(send_tagged(skel->progs.mix_xdp), -1);
	assert_int_equal(send_tagged(skel->progs.mix_xdp_slot), -1);
	assert_int_equal(thread->made, 0);
	/* The program that is run early waits for what is due soon. */
	memset(&thread->wheel, 0, sizeof(thread->wheel));
	soon_ns = harness_mono_ns() + 4000;
	add_slot(0, soon_ns);
	while (send_tagged(skel->progs.mix_xdp_slot) < 0)
		;
	assert_true(stream_at(0)->first_mono_ns >= soon_ns);
}

static void streams_without_slots_fill_the_time_between_slots(void **state)
{
	uint64_t now_ns = harness_mono_ns();

	(void)state;
	make_tagged(0)->pace = (struct pace){ .kind = PACE_EVEN, .gap = 3600 * SECOND_NS * UNIT };
	make_tagged(1);
	add_slot(0, now_ns);
	add_turn(1);
	assert_int_equal(send_tagged(skel->progs.mix_xdp), 0);
	assert_int_equal(send_tagged(skel->progs.mix_xdp), 1);
	assert_int_equal(send_tagged(skel->progs.mix_xdp), 1);
}

/*
 * The wheel's last slot is 262 us ahead. A stream that is due in an hour waits
 * there; another is due after that slot, and long ago.
 */
static void a_stream_that_is_far_off_holds_up_no_other(void **state)
{
	uint64_t past_ns = harness_mono_ns() - SECOND_NS;
	int i;

	(void)state;
	thread->wheel.base = past_ns >> 6;
	make_tagged(0)->pace = (struct pace){ .kind = PACE_EVEN, .gap = UNIT };
	make_tagged(1)->pace = (struct pace){ .kind = PACE_EVEN, .gap = 300000 * UNIT };
	add_slot(1, past_ns);
	add_slot(0, past_ns + 3600 * SECOND_NS);
	for (i = 0; i < 2003; i++)
		assert_int_equal(send_tagged(i % 2 ? skel->progs.mix_xdp :
						     skel->progs.mix_xdp_slot), 1);
	assert_true(stream_at(1)->due.ns == past_ns + 2003 * 300000ull);
	assert_true(thread->wheel.due_ns[0] == past_ns + 3600 * SECOND_NS);
}

static void streams_with_slots_end_at_their_limit_or_time(void **state)
{
	uint64_t past_ns = harness_mono_ns() - SECOND_NS;
	int sent = 0;

	(void)state;
	make_tagged(0)->pace = (struct pace){ .kind = PACE_EVEN, .gap = 1000 * UNIT };
	make_tagged(1)->pace = (struct pace){ .kind = PACE_EVEN, .gap = 1000 * UNIT };
	stream_at(0)->limit = 5;
	add_slot(0, past_ns);
	add_slot(1, past_ns);
	stream_at(1)->end_ns = past_ns + 7000;
	while (sent < 97 && send_tagged(skel->progs.mix_xdp) >= 0)
		sent++;
	assert_int_equal(sent, 5 + 7);
	assert_int_equal(stream_at(0)->made, 5);
	assert_int_equal(stream_at(1)->made, 7);
	assert_true(!thread->wheel.summary);
}

static void a_stream_without_slots_ends_at_its_time(void **state)
{
	int i;

	(void)state;
	make_tagged(0)->end_ns = harness_mono_ns() - 1;
	make_tagged(1);
	add_turn(0);
	add_turn(1);
	for (i = 0; i < 2 * 17; i++)
		assert_int_not_equal(send_tagged(skel->progs.mix_xdp), 0);
	assert_int_equal(thread->nr_max, 1);
}

static void a_stream_without_slots_begins_at_its_time(void **state)
{
	uint64_t past_ns = harness_mono_ns() - 1;
	int i, seen = 0;

	(void)state;
	make_tagged(0);
	make_tagged(1);
	make_tagged(2);
	add_turn(0);
	add_slot(1, past_ns);
	add_slot(2, past_ns + 3600 * SECOND_NS);
	for (i = 0; i < 23; i++) {
		int which = send_tagged(skel->progs.mix_xdp);

		assert_int_not_equal(which, 2);
		seen += which == 1;
	}
	assert_in_range(seen, 10, 12);
	assert_int_equal(thread->paced, 0);
}

/* Runs @packets of one stream whose slots are past; all must leave. */
static void run_pace(const struct pace *pace, uint32_t packets)
{
	uint64_t past_ns = harness_mono_ns() - 10 * SECOND_NS;
	struct mix_stream *stream = make_stream(0, 60);
	struct pace_time due = { .ns = past_ns };
	uint32_t i;

	stream->pace = *pace;
	add_slot(0, past_ns);
	for (i = 0; i < packets; i++) {
		assert_int_equal(run(skel->progs.mix_xdp), XDP_TX);
		pace_advance(&due, pace_gap(pace, i, due.ns - past_ns));
		assert_true(stream->due.ns == due.ns && stream->due.frac == due.frac);
		assert_true(thread->wheel.due_ns[0] == due.ns);
	}
}

static uint64_t elapsed_ns(void)
{
	return stream_at(0)->due.ns - stream_at(0)->start_ns;
}

static void bursts_have_their_shape(void **state)
{
	struct pace pace = { .kind = PACE_BURST, .burst = 5, .gap = 700 * UNIT + UNIT / 2,
			     .rest = 100000 * UNIT };

	(void)state;
	run_pace(&pace, 4);
	assert_int_equal(elapsed_ns(), 4 * 700 + 2);
	thread->wheel = (struct wheel){ .shift = 6 };
	run_pace(&pace, 5 * 101);
	assert_int_equal(elapsed_ns(), 101 * (4 * 700 + 2 + 100000));
}

static void poisson_gaps_have_their_mean(void **state)
{
	struct pace pace = { .kind = PACE_POISSON, .gap = 10000 * UNIT, .seed = 5 };

	(void)state;
	run_pace(&pace, 20011);
	/* Five standard errors: 5 / sqrt(20011) */
	assert_in_range(elapsed_ns() / 20011, 9640, 10360);
}

/* 1000 to 9000 pps in 1 s: 5000 packets, and 9000 a second from then on. */
static void a_ramp_ends_at_its_rate(void **state)
{
	struct pace pace = { .kind = PACE_RAMP, .from = 1000 << PACE_PPS_BITS,
			     .to = 9000 << PACE_PPS_BITS, .ramp_ns = SECOND_NS };
	uint64_t before_ns;
	int i;

	(void)state;
	run_pace(&pace, 5000);
	assert_in_range(elapsed_ns(), SECOND_NS - 2000000, SECOND_NS + 2000000);
	for (i = 0; i < 97; i++)
		run(skel->progs.mix_xdp);
	before_ns = elapsed_ns();
	for (i = 0; i < 9; i++)
		assert_int_equal(run(skel->progs.mix_xdp), XDP_TX);
	assert_in_range(elapsed_ns() - before_ns, 999999, 1000000);
}

/* 4096 streams are more than there are here; 64 in the ring and the wheel, each once a round. */
static void no_stream_is_forgotten(void **state)
{
	uint64_t past_ns = harness_mono_ns() - SECOND_NS;
	uint32_t i;

	(void)state;
	for (i = 0; i < STREAMS; i++) {
		make_tagged(i);
		if (i % 2) {
			add_turn(i);
			continue;
		}
		stream_at(i)->pace = (struct pace){ .kind = PACE_EVEN, .gap = (1000 + i) * UNIT };
		stream_at(i)->limit = 101;
		add_slot(i, past_ns + i * 37);
	}
	for (i = 0; i < STREAMS / 2 * (101 + 103); i++)
		assert_int_not_equal(send_tagged(skel->progs.mix_xdp), -1);
	for (i = 0; i < STREAMS; i++)
		assert_int_equal(stream_at(i)->made, i % 2 ? 103 : 101);
}

int test_mix(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, load, unload)
	const struct CMUnitTest tests[] = {
		T(writes_each_stream_whole_and_with_its_own_length),
		T(leaves_what_follows_the_bytes_to_write),
		T(numbers_and_timestamps_each_stream_separately),
		T(sizes_follow_the_number_of_the_packet),
		T(changes_the_fields_of_each_stream_and_mends_the_checksums),
		T(checksums_follow_a_pattern_that_is_cut),
		T(streams_without_slots_take_turns_until_their_limits),
		T(packets_leave_in_the_order_of_their_slots),
		T(nothing_leaves_before_its_slot),
		T(streams_without_slots_fill_the_time_between_slots),
		T(a_stream_that_is_far_off_holds_up_no_other),
		T(streams_with_slots_end_at_their_limit_or_time),
		T(a_stream_without_slots_ends_at_its_time),
		T(a_stream_without_slots_begins_at_its_time),
		T(bursts_have_their_shape),
		T(poisson_gaps_have_their_mean),
		T(a_ramp_ends_at_its_rate),
		T(no_stream_is_forgotten),
	};
#undef T

	/* As the live frames that it is made for, bpf_xdp_store_bytes() came with 5.18. */
	if (!harness_has_frags())
		return harness_skip_group("mix_xdp");
	return cmocka_run_group_tests_name("mix_xdp", tests, NULL, NULL);
}
