// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/send/live_capture.c - the packets of a capture by live frames, from replay_xdp.
 *
 * The file, as model/replay.c rewrote it, is copied into a map before the start; then
 * replay_xdp writes packet after packet into pages and hands them to the driver.
 * Where packets are slow enough to be handed over alone, gaps that are long enough
 * to sleep in are slept away here; all others are waited for by the program.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "abi/replay.h"
#include "engine/send/live_parts.h"
#include "lib/loop.h"
#include "lib/unit.h"
#include "model/replay.h"
#include "sys/hook/bpf.h"

#include "replay_xdp.skel.h"

#define OLD_ARENA_BYTES (4 << 20)	/* the least that KMALLOC_MAX_SIZE is */
#define RUN_NS 8000		/* about what one run of replay_xdp_slot waits at most */

/* A packet that comes so long behind the one before it that there is time to sleep. */
struct far {
	uint64_t nr;			/* in its pass */
	uint64_t before_ns;		/* the slot of the packet before it, in that one's pass */
};

struct kept {
	struct replay_xdp_bpf *skel;
	struct replay_run *run;
	uint8_t *arena;			/* struct replay_rec after struct replay_rec */
	size_t arena_bytes;
	struct replay_pass pass;
	uint8_t *template;		/* the longest packet's length */
	bool waits;			/* for slots inside the program, while nothing waits for it */
	struct far *fars;		/* by nr; with single packets only */
	uint64_t nr_fars;
	uint64_t run_start_ns;		/* paced: of the first pass */
	uint64_t first_slot_ns;
};

#define LOOK(field) __atomic_load_n(&(field), __ATOMIC_RELAXED)

static struct kept *kept_of(const struct tx_thread *thread)
{
	return live_of(thread)->state;
}

static bool is_paced(const struct kept *kept)
{
	return kept->pass.time.ns > 0;
}

static uint64_t arena_size(const struct replay *replay)
{
	struct replay_cursor cursor = { 0 };
	struct source_packet packet;
	uint64_t size = 0;

	while (replay_walk(replay, &cursor, &packet))
		size += replay_rec_size(packet.buf_bytes);
	return size;
}

static int load(struct live *live, struct tx *tx, struct err *e)
{
	struct kept *kept = live->state;
	struct replay_xdp_bpf *skel = kept->skel;
	uint64_t size = arena_size(tx->threads[0].flow->replay);
	int err;

	LIVE_SET_COMMON(skel->rodata, tx);
	/* No record is smaller. */
	skel->rodata->arena_last = size - sizeof(struct replay_rec);
	bpf_map__set_value_size(skel->maps.replay_arena,
				(uint32_t)(size + REPLAY_MAX_BYTES));
	live_choose_tracepoints(skel->progs.live_refused, skel->progs.live_failed);
	err = bpf_load(skel->skeleton);
	if (err == -E2BIG && size > OLD_ARENA_BYTES) {
		err_machine(e, err, "before kernel 6.0 the live engine keeps no more than some 4 MiB "
			    "of packets");
		return err_hint(e, "use " OPTION("engine") " afxdp");
	}
	if (err)
		return bpf_load_error(e, err, "replay_xdp");
	live->programs = (struct live_programs){
		.spin_fd = bpf_program__fd(skel->progs.replay_xdp),
		.slot_fd = bpf_program__fd(skel->progs.replay_xdp_slot),
		LIVE_REFUSED(skel),
	};
	kept->run = &skel->bss->run;
	kept->run->pass_bytes = size;
	return bpf_map_memory(skel->maps.replay_arena, (void **)&kept->arena, &kept->arena_bytes,
			      e);
}

/* Packet @nr of the pass, if its slot is far behind that of the one before it. */
static int add_far(struct kept *kept, uint64_t nr, uint64_t before_ns, uint64_t slot_ns)
{
	struct far *fars;

	if (!kept->waits || slot_ns < before_ns + LIVE_SLEEP_GAP_NS)
		return 0;
	/* At 1, 2, 4, ... there is no more room. */
	if (!(kept->nr_fars & (kept->nr_fars - 1))) {
		fars = realloc(kept->fars, (kept->nr_fars ? 2 * kept->nr_fars : 1) *
					   sizeof(*fars));
		if (!fars)
			return -ENOMEM;
		kept->fars = fars;
	}
	kept->fars[kept->nr_fars++] = (struct far){ .nr = nr, .before_ns = before_ns };
	return 0;
}

static int fill_arena(struct kept *kept, const struct replay *replay, struct err *e)
{
	struct replay_cursor cursor = { 0 };
	struct source_packet packet;
	uint64_t before_ns = 0, at = 0;
	int err = 0;

	while (!err && replay_walk(replay, &cursor, &packet)) {
		struct replay_rec *rec = (struct replay_rec *)(kept->arena + at);

		rec->slot_ns = packet.slot_ns;
		rec->buf_bytes = (uint16_t)packet.buf_bytes;
		rec->tag_offset = packet.tag_offset;
		rec->skipped_before = cursor.skipped_before;
		memcpy(rec->bytes, packet.bytes, packet.buf_bytes);
		at += replay_rec_size(packet.buf_bytes);
		if (cursor.nr == 1)
			kept->first_slot_ns = packet.slot_ns;
		else
			err = add_far(kept, cursor.nr - 1, before_ns, packet.slot_ns);
		before_ns = packet.slot_ns;
	}
	/* Packet 0 of the next pass. */
	if (!err)
		err = add_far(kept, kept->pass.nr_packets, before_ns,
			      kept->pass.time.ns + kept->first_slot_ns);
	return err ? err_set(e, err, "cannot plan the replay") : 0;
}

/* Packets of the whole run; 0: no limit. */
static uint64_t run_limit(const struct tx_thread *thread)
{
	uint64_t limit = kept_of(thread)->pass.limit;

	return thread->limit && (!limit || thread->limit < limit) ? thread->limit : limit;
}

static void fill_part(const struct kept *kept, const struct tx_thread *thread, uint32_t batch,
		      struct live_part *part)
{
	*part = (struct live_part){
		.bytes = kept->template,
		.buf_bytes = kept->pass.max_buf_bytes,
		.batch = batch,
		.waits = kept->waits,
		.by_clock = is_paced(kept),
		.unclocked = !is_paced(kept),
		.limit = is_paced(kept) ? 0 : run_limit(thread),
		.made = &kept->run->made,
	};
	/* Nothing before the start. */
	kept->run->ended = 1;
}

static int capture_open_live(struct live *live, struct tx *tx, struct err *e)
{
	struct kept *kept = live->state = calloc(1, sizeof(*kept));
	const struct tx_thread *thread = &tx->threads[0];
	struct replay *replay = thread->flow->replay;
	uint32_t batch;
	int err;

	if (!kept)
		return err_set(e, -ENOMEM, "cannot open the live engine");
	err = replay_whole(replay, &kept->pass, e);
	if (err)
		return err;
	batch = live_batch(thread->batch, kept->pass.time.ns / kept->pass.nr_packets);
	/* Handed over alone, so that nothing waits while the program does. */
	kept->waits = is_paced(kept) && batch == 1;
	kept->template = calloc(1, kept->pass.max_buf_bytes);
	kept->skel = replay_xdp_bpf__open();
	if (!kept->template || !kept->skel)
		return err_set(e, -errno, "cannot open BPF object 'replay_xdp'");
	err = load(live, tx, e);
	if (!err)
		err = fill_arena(kept, replay, e);
	if (!err)
		fill_part(kept, thread, batch, &live->parts[0]);
	return err;
}

static void capture_start(const struct tx_thread *thread, uint64_t start_ns)
{
	const struct tx_cfg *cfg = &thread->tx->cfg;
	struct kept *kept = kept_of(thread);
	struct replay_run *run = kept->run;
	uint64_t limit = run_limit(thread);

	replay_forget(thread->flow->replay);
	*run = (struct replay_run){
		.limit = limit,
		.pass_bytes = run->pass_bytes,
		.skipped_behind = kept->pass.skipped_behind,
		.stamp_every = thread->flow->stamp_every,
		.cpu = thread->cpu,
		.stream = thread->flow->stream,
		.paced = is_paced(kept),
	};
	if (!run->paced)
		return;
	run->start.ns = kept->run_start_ns = start_ns;
	run->end_ns = cfg->duration_ns ? run->start.ns + cfg->duration_ns : 0;
	run->pass = kept->pass.time;
}

static bool capture_is_finished(const struct tx_thread *thread)
{
	const struct replay_run *run = kept_of(thread)->run;

	return LOOK(run->ended) || (run->limit && LOOK(run->made) >= run->limit);
}

static uint64_t capture_next_ns(const struct tx_thread *thread)
{
	const struct kept *kept = kept_of(thread);
	const struct replay_run *run = kept->run;

	return run->start.ns + ((struct replay_rec *)(kept->arena + run->at))->slot_ns;
}

/* A slot that is near is waited for by the program. */
static uint64_t capture_due_ns(const struct tx_thread *thread)
{
	const struct kept *kept = kept_of(thread);
	const struct replay_run *run = kept->run;
	uint64_t slot_ns;

	if (!is_paced(kept))
		return 0;
	slot_ns = capture_next_ns(thread);
	/* What is behind the end is not waited for. */
	if (run->end_ns && slot_ns > run->end_ns)
		slot_ns = run->end_ns;
	return slot_ns < loop_mono_ns() + LIVE_SLEEP_GAP_NS ? 0 : slot_ns;
}

/* The first packet from @nr on that is far; NULL: in the next pass. */
static const struct far *find_far(const struct kept *kept, uint64_t nr)
{
	uint64_t low = 0, high = kept->nr_fars;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (kept->fars[middle].nr < nr)
			low = middle + 1;
		else
			high = middle;
	}
	return low < kept->nr_fars ? &kept->fars[low] : NULL;
}

/* Runs until the next gap that can be slept away, the one before the next packet not counted. */
static uint32_t capture_repeat(const struct tx_thread *thread)
{
	const struct kept *kept = kept_of(thread);
	uint32_t most = live_repeat_paced(live_of(thread), live_part_of(thread));
	uint64_t nr = kept->run->made % kept->pass.nr_packets, last_ns, now_ns, runs;
	const struct far *far;

	if (!kept->nr_fars)
		return most;
	far = find_far(kept, nr + 1);
	if (far) {
		runs = far->nr - nr;
		last_ns = kept->run->start.ns + far->before_ns;
	} else {
		far = &kept->fars[0];
		runs = kept->pass.nr_packets - nr + far->nr;
		last_ns = kept->run->start.ns + kept->run->pass.ns + far->before_ns;
	}
	now_ns = loop_mono_ns();
	if (last_ns > now_ns)
		runs += (last_ns - now_ns) / RUN_NS;
	/* Where a new call is dear, one of many runs may as well be long. */
	if (runs > 1 && most > LIVE_REPEAT_PACED)
		return most;
	return runs < most ? (uint32_t)runs : most;
}

/* What of a damaged file is whole was sent. */
static int capture_end(const struct tx_thread *thread, struct err *e)
{
	const struct kept *kept = kept_of(thread);

	return kept->pass.limit && kept->run->made == kept->pass.limit ?
	       replay_damage(thread->flow->replay, e) : 0;
}

static void capture_read(const struct tx_thread *thread, struct tx_count *ret_count)
{
	const struct kept *kept = kept_of(thread);
	const struct replay_run *run = kept->run;
	uint64_t made = LOOK(run->made);
	struct replay_sent sent = {
		.packets = made,
		.bytes = LOOK(run->made_bytes) + made * UNIT_FCS_BYTES,
		.skipped = LOOK(run->skipped),
		.tagged = LOOK(run->tagged),
		.first_slot_ns = kept->first_slot_ns,
	};

	if (run->last_slot_ns)
		sent.last_slot_ns = run->last_slot_ns - kept->run_start_ns;
	replay_set_sent(thread->flow->replay, &sent);
	*ret_count = (struct tx_count){
		.refused_packets = LOOK(run->refused),
		.first_mono_ns = LOOK(run->first_mono_ns),
		.last_mono_ns = LOOK(run->last_mono_ns),
		.late_sum_ns = LOOK(run->late_sum_ns),
		.late_max_ns = LOOK(run->late_max_ns),
		.paced_packets = is_paced(kept) ? made : 0,
	};
}

static void capture_read_flow(const struct tx_thread *thread, uint32_t k,
			      struct mix_count *ret_count)
{
	(void)k;
	replay_count(thread->flow->replay, ret_count);
}

static void capture_close_live(struct live *live)
{
	struct kept *kept = live->state;

	bpf_unmap_memory(kept->arena, kept->arena_bytes);
	replay_xdp_bpf__destroy(kept->skel);
	free(kept->fars);
	free(kept->template);
	free(kept);
}

const struct live_maker live_capture = {
	.open = capture_open_live,
	.start = capture_start,
	.is_finished = capture_is_finished,
	.due_ns = capture_due_ns,
	.next_ns = capture_next_ns,
	.repeat = capture_repeat,
	.end = capture_end,
	.read = capture_read,
	.read_flow = capture_read_flow,
	.close = capture_close_live,
};
