// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/send/tx_replay_live.c - send the packets of a capture file by live frames.
 *
 * The file, as model/replay.c rewrote it, is copied into a map before the start; then
 * replay_xdp writes packet after packet into pages and hands them to the driver.
 * Where packets are slow enough to be handed over alone, gaps that are long enough
 * to sleep in are slept away here; all others are waited for by the program.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include <bpf/libbpf.h>

#include "abi/replay.h"
#include "engine/self/environ.h"
#include "engine/send/tx_live_parts.h"
#include "lib/log.h"
#include "lib/loop.h"
#include "lib/unit.h"
#include "model/replay.h"
#include "sys/hook/bpf.h"
#include "sys/hook/dispatcher.h"
#include "sys/hook/live_frames.h"
#include "sys/host/caps.h"
#include "sys/net/netns.h"

#include "replay_xdp.skel.h"

#define OLD_ARENA_BYTES (4 << 20)	/* the least that KMALLOC_MAX_SIZE is */
#define RUN_NS 8000		/* about what one run of replay_xdp_slot waits at most */

/* A packet that comes so long behind the one before it that there is time to sleep. */
struct far {
	uint64_t nr;			/* in its pass */
	uint64_t before_ns;		/* the slot of the packet before it, in that one's pass */
};

struct live {
	struct replay_xdp_bpf *skel;
	struct replay_run *run;
	uint8_t *arena;			/* struct replay_rec after struct replay_rec */
	size_t arena_bytes;
	struct replay_pass pass;
	uint8_t *template;		/* the longest packet's length */
	uint32_t batch;
	struct live_calls calls;
	struct far *fars;		/* by nr; with single packets only */
	uint64_t nr_fars;
	struct dispatcher *dispatcher;
	uint64_t run_start_ns;		/* paced: of the first pass */
	uint64_t first_slot_ns;
};

#define LOOK(field) __atomic_load_n(&(field), __ATOMIC_RELAXED)

static bool is_paced(const struct live *live)
{
	return live->pass.time.ns > 0;
}

/* Handed over alone, so that the program may wait for a slot while nothing waits for it. */
static bool waits_inside(const struct live *live)
{
	return is_paced(live) && live->batch == 1;
}

static int prog_fd(const struct live *live)
{
	return bpf_program__fd(waits_inside(live) ? live->skel->progs.replay_xdp_slot :
						    live->skel->progs.replay_xdp);
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
	struct replay_xdp_bpf *skel = live->skel;
	uint64_t size = arena_size(tx->threads[0].flow->replay);
	int err;

	skel->rodata->ifindex = tx->ifindex;
	skel->rodata->netns_inode = netns_inode();
	skel->rodata->into_stack = tx->cfg.into_stack;
	skel->rodata->stamp_clock = tx->cfg.clock;
	/* No record is smaller. */
	skel->rodata->arena_last = size - sizeof(struct replay_rec);
	bpf_map__set_value_size(skel->maps.replay_arena,
				(uint32_t)(size + REPLAY_MAX_BYTES));
	live_choose_tracepoints(skel->progs.replay_refused, skel->progs.replay_failed);
	err = replay_xdp_bpf__load(skel);
	if (err == -E2BIG && size > OLD_ARENA_BYTES) {
		err_machine(e, err, "before kernel 6.0 the live engine keeps no more than some 4 MiB "
			    "of packets");
		return err_hint(e, "use " OPTION("engine") " afxdp");
	}
	if (err)
		return bpf_load_error(e, err, "replay_xdp");
	live->run = &skel->bss->run;
	live->run->pass_bytes = size;
	return bpf_map_memory(skel->maps.replay_arena, (void **)&live->arena, &live->arena_bytes,
			      e);
}

/* Packet @nr of the pass, if its slot is far behind that of the one before it. */
static int add_far(struct live *live, uint64_t nr, uint64_t before_ns, uint64_t slot_ns)
{
	struct far *fars;

	if (!waits_inside(live) || slot_ns < before_ns + LIVE_SLEEP_GAP_NS)
		return 0;
	/* At 1, 2, 4, ... there is no more room. */
	if (!(live->nr_fars & (live->nr_fars - 1))) {
		fars = realloc(live->fars, (live->nr_fars ? 2 * live->nr_fars : 1) *
					   sizeof(*fars));
		if (!fars)
			return -ENOMEM;
		live->fars = fars;
	}
	live->fars[live->nr_fars++] = (struct far){ .nr = nr, .before_ns = before_ns };
	return 0;
}

static int fill_arena(struct live *live, const struct replay *replay, struct err *e)
{
	struct replay_cursor cursor = { 0 };
	struct source_packet packet;
	uint64_t before_ns = 0, at = 0;
	int err = 0;

	while (!err && replay_walk(replay, &cursor, &packet)) {
		struct replay_rec *rec = (struct replay_rec *)(live->arena + at);

		rec->slot_ns = packet.slot_ns;
		rec->buf_bytes = (uint16_t)packet.buf_bytes;
		rec->tag_offset = packet.tag_offset;
		rec->skipped_before = cursor.skipped_before;
		memcpy(rec->bytes, packet.bytes, packet.buf_bytes);
		at += replay_rec_size(packet.buf_bytes);
		if (cursor.nr == 1)
			live->first_slot_ns = packet.slot_ns;
		else
			err = add_far(live, cursor.nr - 1, before_ns, packet.slot_ns);
		before_ns = packet.slot_ns;
	}
	/* Packet 0 of the next pass. */
	if (!err)
		err = add_far(live, live->pass.nr_packets, before_ns,
			      live->pass.time.ns + live->first_slot_ns);
	return err ? err_set(e, err, "cannot plan the replay") : 0;
}

static void fill_run(struct live *live, const struct tx_thread *thread)
{
	const struct tx_cfg *cfg = &thread->tx->cfg;
	struct replay_run *run = live->run;
	uint64_t limit = live->pass.limit;

	if (thread->limit && (!limit || thread->limit < limit))
		limit = thread->limit;
	*run = (struct replay_run){
		.limit = limit,
		.pass_bytes = run->pass_bytes,
		.skipped_behind = live->pass.skipped_behind,
		.stamp_every = thread->flow->stamp_every,
		.cpu = thread->cpu,
		.stream = thread->flow->stream,
		.paced = is_paced(live),
	};
	if (!run->paced)
		return;
	run->start.ns = live->run_start_ns = loop_mono_ns() + TX_LEAD_NS;
	run->end_ns = cfg->duration_ns ? run->start.ns + cfg->duration_ns : 0;
	run->pass = live->pass.time;
}

/* It sends nothing: the limit is 0 packets away. */
static int try_run(struct live *live, const struct tx *tx, struct err *e)
{
	int err;

	live->run->limit = live->run->made = 1;
	err = tx_try_live(tx, prog_fd(live), live->template, live->pass.max_buf_bytes, e);
	/* It is read before the thread starts. */
	live->run->limit = live->run->made = 0;
	return err;
}

static int open_file(struct live *live, struct tx *tx, struct err *e)
{
	double pps = 0;
	int err;

	err = replay_whole(tx->threads[0].flow->replay, &live->pass, e);
	if (err)
		return err;
	if (live->pass.max_buf_bytes > REPLAY_MAX_BYTES)
		return tx_too_long(tx, live->pass.max_buf_bytes, e);
	if (is_paced(live))
		pps = (double)live->pass.nr_packets * 1e9 / (double)live->pass.time.ns;
	live->batch = live_batch(tx->threads[0].batch, pps);
	live->template = calloc(1, live->pass.max_buf_bytes);
	live->skel = replay_xdp_bpf__open();
	if (!live->template || !live->skel)
		return err_set(e, -errno, "cannot open BPF object 'replay_xdp'");
	err = load(live, tx, e);
	return err ? err : fill_arena(live, tx->threads[0].flow->replay, e);
}

static int replay_live_open(struct tx *tx, struct result *res, struct err *e)
{
	struct live *live = calloc(1, sizeof(*live));
	int err;

	if (!live)
		return err_set(e, -ENOMEM, "cannot open the live engine");
	tx->state = live;
	bpf_log_init();
	bpf_raise_memlock();
	err = open_file(live, tx, e);
	if (!err)
		err = try_run(live, tx, e);
	if (err)
		return err;
	live->dispatcher = dispatcher_hold(prog_fd(live));
	tx_tell_refusals(res, live_watch_refusals(live->skel->progs.replay_refused,
						  &live->skel->links.replay_refused,
						  live->skel->progs.replay_failed,
						  &live->skel->links.replay_failed));
	environ_tx_stamp(res, mix_is_tagged(tx->cfg.mix) ? STAMPED_BPF : STAMPED_NOWHERE);
	result_env_u64(res, "tx_batch", live->batch);
	replay_forget(tx->threads[0].flow->replay);
	return 0;
}

static bool is_finished(const struct tx_thread *thread, const struct live *live)
{
	return atomic_load(&thread->tx->stop) || LOOK(live->run->ended) ||
	       (live->run->limit && LOOK(live->run->made) >= live->run->limit);
}

static uint64_t next_slot_ns(const struct live *live)
{
	const struct replay_run *run = live->run;

	return run->start.ns + ((struct replay_rec *)(live->arena + run->at))->slot_ns;
}

/* The first packet from @nr on that is far; NULL: in the next pass. */
static const struct far *find_far(const struct live *live, uint64_t nr)
{
	uint64_t low = 0, high = live->nr_fars;

	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (live->fars[middle].nr < nr)
			low = middle + 1;
		else
			high = middle;
	}
	return low < live->nr_fars ? &live->fars[low] : NULL;
}

/* Runs until the next gap that can be slept away, the one before the next packet not counted. */
static uint32_t runs_until_far(const struct live *live)
{
	uint64_t nr = live->run->made % live->pass.nr_packets, last_ns, now_ns, runs;
	const struct far *far;

	if (!live->nr_fars)
		return live->dispatcher ? LIVE_REPEAT_PACED : LIVE_REPEAT_PACED_DEAR;
	far = find_far(live, nr + 1);
	if (far) {
		runs = far->nr - nr;
		last_ns = live->run->start.ns + far->before_ns;
	} else {
		far = &live->fars[0];
		runs = live->pass.nr_packets - nr + far->nr;
		last_ns = live->run->start.ns + live->run->pass.ns + far->before_ns;
	}
	now_ns = loop_mono_ns();
	if (last_ns > now_ns)
		runs += (last_ns - now_ns) / RUN_NS;
	if (runs > 1 && !live->dispatcher)
		return LIVE_REPEAT_PACED_DEAR;
	return runs < LIVE_REPEAT_PACED ? (uint32_t)runs : LIVE_REPEAT_PACED;
}

/* Until shortly before the next packet's slot. */
static void sleep_to_slot(const struct tx_thread *thread, const struct live *live)
{
	uint64_t slot_ns = next_slot_ns(live);

	/* The main thread ends it; what is behind the end is not waited for. */
	if (live->run->end_ns && slot_ns > live->run->end_ns)
		slot_ns = live->run->end_ns;
	if (slot_ns < loop_mono_ns() + LIVE_SLEEP_GAP_NS)
		return;
	loop_sleep_until(slot_ns - LIVE_WAKE_EARLY_NS);
	while (loop_mono_ns() + LIVE_CALL_EARLY_NS < slot_ns && !is_finished(thread, live))
		;
}

static uint32_t choose_repeat(const struct live *live)
{
	const struct replay_run *run = live->run;

	if (waits_inside(live))
		return runs_until_far(live);
	if (is_paced(live))
		return live->dispatcher ? LIVE_REPEAT_PACED : LIVE_REPEAT_PACED_DEAR;
	if (run->limit && run->limit - run->made < LIVE_REPEAT_LONG)
		return (uint32_t)(run->limit - run->made);
	return LIVE_REPEAT_LONG;
}

static int send_all(const struct tx_thread *thread, struct live *live, struct err *e)
{
	int err;

	while (!is_finished(thread, live)) {
		if (is_paced(live))
			sleep_to_slot(thread, live);
		if (is_finished(thread, live))
			break;
		err = live_run_some(&live->calls, prog_fd(live), thread->tx->ifindex, live->template,
				    live->pass.max_buf_bytes, choose_repeat(live), live->batch);
		if (err && err != -EINTR)
			return tx_run_error(thread, err, e);
	}
	return 0;
}

static int replay_live_run(struct tx_thread *thread, struct err *e)
{
	struct live *live = thread->tx->state;
	struct replay_run *run = live->run;
	uint64_t start_ns;
	int err;

	prctl(PR_SET_TIMERSLACK, 1ul);
	fill_run(live, thread);
	start_ns = loop_mono_ns();
	err = send_all(thread, live, e);
	/* Without a clock read in the program, the call's own ends must do. */
	if (!run->first_mono_ns && run->made) {
		run->last_mono_ns = loop_mono_ns();
		__atomic_store_n(&run->first_mono_ns, start_ns, __ATOMIC_RELEASE);
	}
	if (!err && live->pass.limit && run->made == live->pass.limit)
		err = replay_damage(thread->flow->replay, e);
	return err;
}

static void replay_live_read(const struct tx_thread *thread, struct tx_count *ret_count)
{
	const struct live *live = thread->tx->state;
	const struct replay_run *run = live->run;
	uint64_t made = LOOK(run->made), refused = LOOK(run->refused);
	struct replay_sent sent = {
		.packets = made,
		.bytes = LOOK(run->made_bytes) + made * UNIT_FCS_BYTES,
		.skipped = LOOK(run->skipped),
		.tagged = LOOK(run->tagged),
		.first_slot_ns = live->first_slot_ns,
	};

	if (run->last_slot_ns)
		sent.last_slot_ns = run->last_slot_ns - live->run_start_ns;
	replay_set_sent(thread->flow->replay, &sent);
	*ret_count = (struct tx_count){
		.sent_packets = made > refused ? made - refused : 0,
		.refused_packets = refused,
		.first_mono_ns = LOOK(run->first_mono_ns),
		.last_mono_ns = LOOK(run->last_mono_ns),
		.late_sum_ns = LOOK(run->late_sum_ns),
		.late_max_ns = LOOK(run->late_max_ns),
		.paced_packets = is_paced(live) ? made : 0,
	};
}

static void replay_live_read_flow(const struct tx_thread *thread, uint32_t k,
				  struct mix_count *ret_count)
{
	(void)k;
	replay_count(thread->flow->replay, ret_count);
}

static void replay_live_close(struct tx *tx)
{
	struct live *live = tx->state;

	if (!live)
		return;
	dispatcher_release(live->dispatcher);
	bpf_unmap_memory(live->arena, live->arena_bytes);
	replay_xdp_bpf__destroy(live->skel);
	free(live->fars);
	free(live->template);
	free(live);
}

const struct tx_engine_ops tx_replay_live_ops = {
	.name = "live",
	.is_live = true,
	.keep_caps = CAPS_BPF | CAPS_NET_ADMIN,
	.open = replay_live_open,
	.run = replay_live_run,
	.read = replay_live_read,
	.read_flow = replay_live_read_flow,
	.close = replay_live_close,
};
