// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/send/tx_mix.c - many streams from inside the kernel: live frames, as in
 * tx_live.c, made by mix_xdp.
 *
 * All that a stream needs is written into the program's maps at open; a thread
 * sets the times when it starts. A thread whose streams are slow all together
 * sleeps between slots: then it looks into its timing wheel itself, which is safe
 * since the program runs only inside this thread's own calls.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "engine/self/environ.h"
#include "engine/send/tx_live_parts.h"
#include "engine/send/tx_mix.h"
#include "lib/loop.h"
#include "lib/unit.h"
#include "sys/hook/bpf.h"
#include "sys/hook/dispatcher.h"
#include "sys/hook/live_frames.h"
#include "sys/host/caps.h"
#include "sys/net/netns.h"

#include "mix_xdp.skel.h"

/* Runs a call when sleeping: streams that are due together leave together. */
#define SLOT_REPEAT	64

static int map_all(struct mix_live *live, struct err *e)
{
	struct mix_xdp_bpf *skel = live->skel;
	int err;

	err = bpf_map_memory(skel->maps.mix_threads, (void **)&live->threads,
			     &live->threads_bytes, e);
	if (!err)
		err = bpf_map_memory(skel->maps.mix_streams, &live->streams, &live->streams_bytes, e);
	if (!err)
		err = bpf_map_memory(skel->maps.mix_lists, (void **)&live->list, &live->list_bytes, e);
	return err;
}

static int load(struct mix_live *live, struct tx *tx, struct err *e)
{
	struct mix_xdp_bpf *skel = live->skel;
	uint32_t template_bytes;
	int err;

	err = mix_study(live, tx, &template_bytes, e);
	if (err)
		return err;
	live->stream_bytes = sizeof(struct mix_stream) + template_bytes;
	skel->rodata->ifindex = tx->ifindex;
	skel->rodata->netns_inode = netns_inode();
	skel->rodata->into_stack = tx->cfg.into_stack;
	skel->rodata->stamp_clock = tx->cfg.clock;
	skel->rodata->template_bytes = template_bytes;
	bpf_map__set_max_entries(skel->maps.mix_threads, cpu_nr_possible());
	bpf_map__set_value_size(skel->maps.mix_streams, (__u32)live->stream_bytes);
	bpf_map__set_max_entries(skel->maps.mix_streams, tx->cfg.mix->nr_flows);
	live_choose_tracepoints(skel->progs.mix_refused, skel->progs.mix_failed);
	err = mix_xdp_bpf__load(skel);
	if (err)
		return bpf_load_error(e, err, "mix_xdp");
	err = map_all(live, e);
	return err ? err : mix_fill(live, tx, e);
}

static int run_program(const struct tx_thread *thread, const struct bpf_program *prog,
		       uint32_t repeat)
{
	const struct packet *packet = part_of(thread)->longest;

	return live_run_frames(bpf_program__fd(prog), thread->tx->ifindex, packet->bytes,
			       packet->buf_bytes, repeat, 1);
}

static void hold_dispatchers(struct mix_live *live, const struct tx *tx)
{
	bool sleeps = false, spins = false;
	uint32_t i;

	for (i = 0; i < tx->cfg.threads; i++) {
		sleeps |= live->parts[i].sleeps;
		spins |= !live->parts[i].sleeps;
	}
	if (spins)
		live->spinning = dispatcher_hold(bpf_program__fd(live->skel->progs.mix_xdp));
	if (sleeps)
		live->sleeping = dispatcher_hold(bpf_program__fd(live->skel->progs.mix_xdp_slot));
}

static int mix_open(struct tx *tx, struct result *res, struct err *e)
{
	struct mix_live *live = calloc(1, sizeof(*live));
	struct mix_xdp_bpf *skel;
	int err;

	if (!live)
		return err_set(e, -ENOMEM, "cannot open the live engine");
	tx->state = live;
	if (tx->cfg.mix->nr_flows < tx->cfg.threads)
		return err_usage(e, "%u streams cannot be shared by %u threads",
				 tx->cfg.mix->nr_flows, tx->cfg.threads);
	live->parts = calloc(tx->cfg.threads, sizeof(*live->parts));
	if (!live->parts)
		return err_set(e, -ENOMEM, "cannot open the live engine");
	bpf_log_init();
	bpf_raise_memlock();
	skel = live->skel = mix_xdp_bpf__open();
	if (!skel)
		return err_set(e, -errno, "cannot open BPF object 'mix_xdp'");
	err = load(live, tx, e);
	if (err)
		return err;
	/* It sends nothing, as no stream was started yet. */
	err = tx_try_live(tx, bpf_program__fd(skel->progs.mix_xdp), live->parts[0].longest->bytes,
			  live->parts[0].longest->buf_bytes, e);
	if (err)
		return err;
	hold_dispatchers(live, tx);
	tx_tell_refusals(res, live_watch_refusals(skel->progs.mix_refused,
						  &skel->links.mix_refused,
						  skel->progs.mix_failed,
						  &skel->links.mix_failed));
	environ_tx_stamp(res, STAMPED_BPF);
	result_env_u64(res, "tx_batch", live->parts[0].batch);
	return 0;
}

/*
 * Times of all threads count from the same point, which lies ahead. A slot of the
 * wheel begins there, whatever its width: so the streams fall into slots as they do
 * in mix_source.c, which counts from 0, and leave in the same order.
 */
static uint64_t common_start_ns(struct mix_live *live)
{
	uint64_t start_ns = 0, mine_ns = (loop_mono_ns() + TX_LEAD_NS) & ~(WHEEL_MAX_WIDTH_NS - 1);

	return atomic_compare_exchange_strong(&live->start_ns, &start_ns, mine_ns) ? mine_ns :
										      start_ns;
}

static void start_stream(const struct tx_thread *thread, uint32_t k, uint64_t start_ns)
{
	struct mix_live *live = thread->tx->state;
	struct mix_stream *stream = stream_at(live, part_of(thread)->first + k);
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

static void start_streams(const struct tx_thread *thread)
{
	const struct tx_cfg *cfg = &thread->tx->cfg;
	const struct mix_part *part = part_of(thread);
	struct mix_thread *record = record_of(thread);
	uint64_t start_ns;
	uint32_t k;

	memset(record, 0, sizeof(*record));
	record->first = part->first;
	record->nr_streams = part->nr;
	record->limit = thread->limit;
	start_ns = common_start_ns(thread->tx->state);
	record->wheel.shift = wheel_shift_for(mix_mean_gap_ns(cfg->mix, thread->index,
							      cfg->threads));
	record->wheel.base = start_ns >> record->wheel.shift;
	for (k = 0; k < part->nr; k++)
		start_stream(thread, k, start_ns);
}

static bool is_finished(const struct tx_thread *thread)
{
	const struct mix_thread *record = record_of(thread);

	return atomic_load(&thread->tx->stop) || (!record->wheel.summary && !record->nr_max) ||
	       (record->limit && record->made >= record->limit);
}

/* When the next slot is due; streams that only wait in the last slot are put on. */
static uint64_t next_due_ns(struct mix_thread *record)
{
	uint64_t due_ns = 0;
	__u64 peeked_ns = 0;
	uint32_t i;

	for (;;) {
		i = wheel_peek(&record->wheel, &peeked_ns);
		due_ns = peeked_ns;
		if (i == WHEEL_NONE || !wheel_only_waits(&record->wheel, due_ns))
			return due_ns;
		wheel_take(&record->wheel);
		wheel_put(&record->wheel, i, due_ns);
	}
}

static int run_sleeping(struct tx_thread *thread, struct err *e)
{
	const struct mix_live *live = thread->tx->state;
	struct mix_thread *record = record_of(thread);
	uint64_t due_ns;
	int err;

	while (!is_finished(thread)) {
		due_ns = next_due_ns(record);
		if (due_ns > loop_mono_ns() + LIVE_WAKE_EARLY_NS)
			loop_sleep_until(due_ns - LIVE_WAKE_EARLY_NS);
		while (loop_mono_ns() + LIVE_CALL_EARLY_NS < due_ns && !is_finished(thread))
			;
		if (is_finished(thread))
			break;
		err = run_program(thread, live->skel->progs.mix_xdp_slot, SLOT_REPEAT);
		if (err && err != -EINTR)
			return tx_run_error(thread, err, e);
	}
	return 0;
}

/* As many runs as one call may take and still end soon after the last packet. */
static uint32_t choose_repeat(const struct tx_thread *thread)
{
	const struct mix_live *live = thread->tx->state;
	const struct mix_part *part = part_of(thread);
	uint64_t left;

	if (part->endless)
		return LIVE_REPEAT_LONG;
	if (part->limit && !part->has_slots) {
		left = part->limit - record_of(thread)->made;
		return left < LIVE_REPEAT_LONG ? (uint32_t)left : LIVE_REPEAT_LONG;
	}
	return live->spinning ? LIVE_REPEAT_PACED : LIVE_REPEAT_PACED_DEAR;
}

static int run_spinning(struct tx_thread *thread, struct err *e)
{
	const struct mix_live *live = thread->tx->state;
	const struct packet *packet = part_of(thread)->longest;
	int fd = bpf_program__fd(live->skel->progs.mix_xdp), err;
	struct live_calls calls = { 0 };

	while (!is_finished(thread)) {
		err = live_run_some(&calls, fd, thread->tx->ifindex, packet->bytes, packet->buf_bytes,
				    choose_repeat(thread), part_of(thread)->batch);
		if (err && err != -EINTR)
			return tx_run_error(thread, err, e);
	}
	return 0;
}

static int mix_run(struct tx_thread *thread, struct err *e)
{
	struct mix_thread *record = record_of(thread);
	const struct mix_part *part = part_of(thread);
	uint64_t start_ns;
	int err;

	start_streams(thread);
	start_ns = loop_mono_ns();
	err = part->sleeps ? run_sleeping(thread, e) : run_spinning(thread, e);
	/* Without a clock read in the program, the call's own ends must do. */
	if (part->unclocked && record->made) {
		if (!record->first_mono_ns || start_ns < record->first_mono_ns)
			record->first_mono_ns = start_ns;
		record->last_mono_ns = loop_mono_ns();
	}
	return err;
}

static void mix_read(const struct tx_thread *thread, struct tx_count *ret_count)
{
	const struct mix_thread *record = record_of(thread);
	uint64_t made = __atomic_load_n(&record->made, __ATOMIC_ACQUIRE);
	uint64_t refused = __atomic_load_n(&record->refused, __ATOMIC_RELAXED);

	*ret_count = (struct tx_count){
		.sent_packets = made > refused ? made - refused : 0,
		.refused_packets = refused,
		.first_mono_ns = record->first_mono_ns,
		.last_mono_ns = record->last_mono_ns,
		.late_sum_ns = record->late_sum_ns,
		.late_max_ns = record->late_max_ns,
		.paced_packets = record->paced,
	};
}

static void mix_read_flow(const struct tx_thread *thread, uint32_t k, struct mix_count *ret_count)
{
	const struct mix_live *live = thread->tx->state;
	const struct mix_stream *stream = stream_at(live, part_of(thread)->first + k);
	const struct mix_thread *record = record_of(thread);
	uint64_t made = __atomic_load_n(&stream->made, __ATOMIC_ACQUIRE);
	/* Of a stream without slots and stamps only its thread's times are known. */
	bool clocked = stream->first_mono_ns || !made;

	*ret_count = (struct mix_count){
		.packets = made,
		.bytes = stream->made_bytes + made * UNIT_FCS_BYTES,
		.first_mono_ns = clocked ? stream->first_mono_ns : record->first_mono_ns,
		.last_mono_ns = clocked ? stream->last_mono_ns : record->last_mono_ns,
		.late_sum_ns = stream->late_sum_ns,
		.late_max_ns = stream->late_max_ns,
	};
}

static void mix_close(struct tx *tx)
{
	struct mix_live *live = tx->state;

	if (!live)
		return;
	dispatcher_release(live->spinning);
	dispatcher_release(live->sleeping);
	bpf_unmap_memory(live->list, live->list_bytes);
	bpf_unmap_memory(live->streams, live->streams_bytes);
	bpf_unmap_memory(live->threads, live->threads_bytes);
	mix_xdp_bpf__destroy(live->skel);
	free(live->parts);
	free(live);
}

const struct tx_engine_ops tx_mix_ops = {
	.name = "live",
	.is_live = true,
	.keep_caps = CAPS_BPF | CAPS_NET_ADMIN,
	.open = mix_open,
	.run = mix_run,
	.read = mix_read,
	.read_flow = mix_read_flow,
	.close = mix_close,
};
