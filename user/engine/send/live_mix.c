// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/send/live_mix.c - many streams by live frames, made by mix_xdp.
 *
 * All that a stream needs is written into the program's maps at open; a thread
 * sets the times when it starts. A thread whose streams are slow all together
 * sleeps between slots: then it looks into its timing wheel itself, which is safe
 * since the program runs only inside this thread's own calls.
 */
#include "engine/send/live_mix.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "lib/unit.h"
#include "sys/hook/bpf.h"
#include "sys/host/cpu.h"

#include "mix_xdp.skel.h"

/* Streams that are due together leave together. */
#define SLOT_RUNS	64

static const struct many *many_of(const struct tx_thread *thread)
{
	return live_of(thread)->state;
}

static const struct mix_part *part_of(const struct tx_thread *thread)
{
	return &many_of(thread)->parts[thread->index];
}

static struct mix_thread *record_of(const struct tx_thread *thread)
{
	return &many_of(thread)->threads[thread->cpu];
}

static int map_all(struct many *many, struct err *e)
{
	struct mix_xdp_bpf *skel = many->skel;
	int err;

	err = bpf_map_memory(skel->maps.mix_threads, (void **)&many->threads,
			     &many->threads_bytes, e);
	if (!err)
		err = bpf_map_memory(skel->maps.mix_streams, &many->streams, &many->streams_bytes, e);
	if (!err)
		err = bpf_map_memory(skel->maps.mix_lists, (void **)&many->list, &many->list_bytes, e);
	return err;
}

static int load(struct live *live, struct tx *tx, struct err *e)
{
	struct many *many = live->state;
	struct mix_xdp_bpf *skel = many->skel;
	uint32_t template_bytes;
	int err;

	err = mix_study(live, tx, &template_bytes, e);
	if (err)
		return err;
	many->stream_bytes = sizeof(struct mix_stream) + template_bytes;
	LIVE_SET_COMMON(skel->rodata, tx);
	skel->rodata->template_bytes = template_bytes;
	bpf_map__set_max_entries(skel->maps.mix_threads, cpu_nr_possible());
	bpf_map__set_value_size(skel->maps.mix_streams, (__u32)many->stream_bytes);
	bpf_map__set_max_entries(skel->maps.mix_streams, tx->cfg.mix->nr_flows);
	live_choose_tracepoints(skel->progs.live_refused, skel->progs.live_failed);
	err = bpf_load(skel->skeleton);
	if (err)
		return bpf_load_error(e, err, "mix_xdp");
	live->programs = (struct live_programs){
		.spin_fd = bpf_program__fd(skel->progs.mix_xdp),
		.slot_fd = bpf_program__fd(skel->progs.mix_xdp_slot),
		LIVE_REFUSED(skel),
	};
	err = map_all(many, e);
	return err ? err : mix_fill(many, tx, e);
}

static int mix_open(struct live *live, struct tx *tx, struct err *e)
{
	struct many *many = live->state = calloc(1, sizeof(*many));
	struct mix_xdp_bpf *skel;
	uint32_t i;
	int err;

	if (tx->cfg.mix->nr_flows < tx->cfg.threads)
		return err_usage(e, "%u streams cannot be shared by %u threads",
				 tx->cfg.mix->nr_flows, tx->cfg.threads);
	if (many)
		many->parts = calloc(tx->cfg.threads, sizeof(*many->parts));
	if (!many || !many->parts)
		return err_set(e, -ENOMEM, "cannot open the live engine");
	skel = many->skel = mix_xdp_bpf__open();
	if (!skel)
		return err_set(e, -errno, "cannot open BPF object 'mix_xdp'");
	/* No stream is started yet. */
	err = load(live, tx, e);
	for (i = 0; !err && i < tx->cfg.threads; i++)
		live->parts[i].made = &record_of(&tx->threads[i])->made;
	return err;
}

static void start_stream(const struct tx_thread *thread, uint32_t k, uint64_t start_ns)
{
	struct mix_stream *stream = stream_at(many_of(thread), part_of(thread)->first + k);
	struct mix_thread *record = record_of(thread);
	const struct mix_flow *flow = flow_of(thread, k);
	uint64_t end_ns = thread->tx->cfg.duration_ns;

	end_ns = end_ns ? start_ns + end_ns : 0;
	start_ns += flow->start_ns;
	if (flow->duration_ns && (!end_ns || start_ns + flow->duration_ns < end_ns))
		end_ns = start_ns + flow->duration_ns;
	stream->start_ns = start_ns;
	stream->end_ns = end_ns;
	stream->due = (struct pace_time){ .ns = start_ns };
	if (end_ns && start_ns >= end_ns)
		return;
	if (flow->pace.kind == PACE_MAX && !flow->start_ns)
		record->ring[record->nr_max++] = (uint16_t)k;
	else
		wheel_put(&record->wheel, k, start_ns);
}

static void mix_start(const struct tx_thread *thread, uint64_t start_ns)
{
	const struct tx_cfg *cfg = &thread->tx->cfg;
	const struct mix_part *part = part_of(thread);
	struct mix_thread *record = record_of(thread);
	uint32_t k;

	memset(record, 0, sizeof(*record));
	record->first = part->first;
	record->nr_streams = part->nr;
	record->wheel.shift = wheel_shift_for(mix_mean_gap_ns(cfg->mix, thread->index,
							      cfg->threads));
	record->wheel.base = start_ns >> record->wheel.shift;
	for (k = 0; k < part->nr; k++)
		start_stream(thread, k, start_ns);
}

static bool mix_is_finished(const struct tx_thread *thread)
{
	const struct mix_thread *record = record_of(thread);

	return !record->wheel.summary && !record->nr_max;
}

static uint64_t mix_next_ns(const struct tx_thread *thread)
{
	__u64 next_ns = 0;

	return wheel_peek(&record_of(thread)->wheel, &next_ns) == WHEEL_NONE ? 0 : next_ns;
}

/* When the next slot is due; streams that only wait in the last slot are put on. */
static uint64_t mix_due_ns(const struct tx_thread *thread)
{
	struct mix_thread *record = record_of(thread);
	uint64_t due_ns = 0;
	__u64 peeked_ns = 0;
	uint32_t i;

	if (!live_part_of(thread)->waits)
		return 0;
	for (;;) {
		i = wheel_peek(&record->wheel, &peeked_ns);
		due_ns = peeked_ns;
		if (i == WHEEL_NONE || !wheel_only_waits(&record->wheel, due_ns))
			return due_ns;
		wheel_take(&record->wheel);
		wheel_put(&record->wheel, i, due_ns);
	}
}

static void mix_read(const struct tx_thread *thread, struct tx_count *ret_count)
{
	const struct mix_thread *record = record_of(thread);

	*ret_count = (struct tx_count){
		.refused_packets = __atomic_load_n(&record->refused, __ATOMIC_RELAXED),
		.first_mono_ns = record->first_mono_ns,
		.last_mono_ns = record->last_mono_ns,
		.late_sum_ns = record->late_sum_ns,
		.late_max_ns = record->late_max_ns,
		.paced_packets = record->paced,
	};
}

static void mix_read_flow(const struct tx_thread *thread, uint32_t k, struct mix_count *ret_count)
{
	const struct mix_stream *stream = stream_at(many_of(thread), part_of(thread)->first + k);
	uint64_t made = __atomic_load_n(&stream->made, __ATOMIC_ACQUIRE);
	struct tx_count whole;

	*ret_count = (struct mix_count){
		.packets = made,
		.bytes = stream->made_bytes + made * UNIT_FCS_BYTES,
		.first_mono_ns = stream->first_mono_ns,
		.last_mono_ns = stream->last_mono_ns,
		.late_sum_ns = stream->late_sum_ns,
		.late_max_ns = stream->late_max_ns,
	};
	if (stream->first_mono_ns || !made)
		return;
	/* Of a stream without slots and stamps only its thread's times are known. */
	tx_read_thread(thread->tx, thread->index, &whole);
	ret_count->first_mono_ns = whole.first_mono_ns;
	ret_count->last_mono_ns = whole.last_mono_ns;
}

static void mix_close(struct live *live)
{
	struct many *many = live->state;

	bpf_unmap_memory(many->list, many->list_bytes);
	bpf_unmap_memory(many->streams, many->streams_bytes);
	bpf_unmap_memory(many->threads, many->threads_bytes);
	mix_xdp_bpf__destroy(many->skel);
	free(many->parts);
	free(many);
}

const struct live_maker live_mix = {
	.slot_runs = SLOT_RUNS,
	.open = mix_open,
	.start = mix_start,
	.is_finished = mix_is_finished,
	.due_ns = mix_due_ns,
	.next_ns = mix_next_ns,
	.read = mix_read,
	.read_flow = mix_read_flow,
	.close = mix_close,
};
