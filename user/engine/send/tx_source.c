// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/send/tx_source.c - send the packets of a source through an AF_XDP ring:
 * those of a capture file, or of many streams.
 *
 * A thread has a source of its own. Each packet is copied into a frame of the
 * ring when its slot has come, and its tag written there.
 */
#include "engine/send/tx_engine.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "engine/self/environ.h"
#include "engine/send/tx_ring.h"
#include "lib/loop.h"
#include "lib/unit.h"
#include "model/mix.h"
#include "proto/frame.h"
#include "sys/host/clock.h"

#define BATCH_MIX	16		/* as in tx_afxdp.c: small, so that stamps stay fresh */
#define SLEEP_GAP_NS	200000		/* gaps from here on are slept away */
#define WAKE_EARLY_NS	60000

/* Written by its thread alone; read by anybody. */
struct lane {
	struct tx_ring ring;
	struct source *source;
	uint64_t start_ns, end_ns;
	enum stamp_clock clock;
	uint64_t made, paced;
	bool last_paced;		/* the packet made last */
	uint64_t first_mono_ns, last_mono_ns;
	uint64_t late_sum_ns, late_max_ns;
} __attribute__((aligned(64)));

struct engine {
	_Atomic uint64_t start_ns;	/* of all threads: that of the first one there */
	struct lane lanes[];
};

#define PUBLISH(field, value) __atomic_store_n(&(field), value, __ATOMIC_RELAXED)
#define LOOK(field) __atomic_load_n(&(field), __ATOMIC_RELAXED)

static struct lane *lane_of(const struct tx_thread *thread)
{
	struct engine *engine = thread->tx->state;

	return &engine->lanes[thread->index];
}

/* The first queue tells whether the driver has zero-copy; the others must follow. */
static int open_lane(struct tx *tx, uint32_t i, struct err *e)
{
	struct engine *engine = tx->state;
	struct lane *lane = &engine->lanes[i];
	enum tx_ring_mode mode = TX_RING_ANY;
	int err;

	lane->clock = tx->cfg.clock;
	err = mix_source_open(&lane->source, tx->cfg.mix, i, tx->cfg.threads, e);
	if (err)
		return err;
	if (i)
		mode = engine->lanes[0].ring.zero_copy ? TX_RING_ZERO_COPY : TX_RING_COPY;
	lane->ring.buf_bytes = mix_max_bytes(tx->cfg.mix) - UNIT_FCS_BYTES;
	err = tx_ring_open(&lane->ring, &tx->threads[i], mode,
			   tx->kind == MIX_MANY ? BATCH_MIX : AFXDP_BATCH, e);
	if (err)
		return err;
	/* Frames get their length one by one; this only marks them all free. */
	afxdp_fill(lane->ring.afxdp, "", 0);
	return 0;
}

static int tx_source_open(struct tx *tx, struct result *res, struct err *e)
{
	size_t bytes = sizeof(struct engine) + tx->cfg.threads * sizeof(struct lane);
	struct engine *engine;
	uint32_t i;
	int err = 0;

	bytes = (bytes + 63) & ~(size_t)63;
	engine = aligned_alloc(64, bytes);
	if (!engine)
		return err_set(e, -ENOMEM, "cannot open the afxdp engine");
	memset(engine, 0, bytes);
	tx->state = engine;
	for (i = 0; i < tx->cfg.threads && !err; i++)
		err = open_lane(tx, i, e);
	if (err)
		return err;
	tx_ring_describe(&engine->lanes[0].ring, tx, res);
	environ_tx_stamp(res, mix_is_tagged(tx->cfg.mix) ? STAMPED_USER : STAMPED_NOWHERE);
	return 0;
}

/* Slots are counted from one moment in all threads. */
static uint64_t common_start_ns(const struct tx *tx)
{
	bool at_once = tx->kind == MIX_CAPTURE && tx->cfg.mix->flows[0].pace.kind == PACE_MAX;
	struct engine *engine = tx->state;
	uint64_t start_ns = 0, mine_ns = loop_mono_ns() + (at_once ? 0 : TX_LEAD_NS);

	if (atomic_compare_exchange_strong(&engine->start_ns, &start_ns, mine_ns))
		return mine_ns;
	return start_ns;
}

static void wait_until(const struct tx_thread *thread, uint64_t until_ns)
{
	if (until_ns > loop_mono_ns() + SLEEP_GAP_NS) {
		loop_sleep_until(until_ns - WAKE_EARLY_NS);
		return;
	}
	while (loop_mono_ns() < until_ns && !atomic_load(&thread->tx->stop))
		;
}

/* Has it a place before the end? One whose slot was, and is over, still has. */
static bool is_in_time(const struct lane *lane, const struct source_packet *packet, uint64_t now_ns)
{
	return packet->paced ? lane->start_ns + packet->slot_ns < lane->end_ns :
	       now_ns < lane->end_ns;
}

/* Into the frame; the time is that of its tag. How much it is late. */
static uint64_t write_packet(struct lane *lane, const struct source_packet *packet,
			     uint64_t *now_ns, uint8_t *frame)
{
	uint64_t late_ns = 0;

	memcpy(frame, packet->bytes, packet->buf_bytes);
	if (packet->paced || packet->stamped)
		*now_ns = loop_mono_ns();
	if (packet->tag_offset)
		frame_write_tag(frame + packet->tag_offset, packet->stream, packet->sequence,
				packet->stamped ? clock_stamp_ns(lane->clock, *now_ns) : 0);
	if (packet->paced) {
		late_ns = *now_ns - (lane->start_ns + packet->slot_ns);
		PUBLISH(lane->late_sum_ns, lane->late_sum_ns + late_ns);
		if (late_ns > lane->late_max_ns)
			PUBLISH(lane->late_max_ns, late_ns);
		PUBLISH(lane->paced, lane->paced + 1);
	}
	lane->last_paced = packet->paced;
	if (!lane->made)
		PUBLISH(lane->first_mono_ns, *now_ns);
	PUBLISH(lane->last_mono_ns, *now_ns);
	PUBLISH(lane->made, lane->made + 1);
	return late_ns;
}

/*
 * Copies what is due into the frames; how many, or the error of the source.
 * Sets *ret_wait_ns to the slot of the packet behind them, UINT64_MAX at the end.
 */
static int copy_due(struct lane *lane, uint32_t room, uint64_t now_ns, uint64_t *ret_wait_ns,
		    struct err *e)
{
	uint32_t buf_bytes[AFXDP_NR_FRAMES], nr = 0;
	uint8_t *frames[AFXDP_NR_FRAMES];
	struct source *source = lane->source;
	struct source_packet packet;
	uint64_t late_ns;
	int got = 1;

	room = afxdp_take(lane->ring.afxdp, room, frames);
	*ret_wait_ns = now_ns;
	while (nr < room) {
		got = source->ops->peek(source, now_ns - lane->start_ns, &packet, e);
		if (got == 1 && !is_in_time(lane, &packet, now_ns))
			got = 0;
		if (got != 1)
			break;
		if (packet.paced && lane->start_ns + packet.slot_ns > now_ns) {
			*ret_wait_ns = lane->start_ns + packet.slot_ns;
			break;
		}
		late_ns = write_packet(lane, &packet, &now_ns, frames[nr]);
		buf_bytes[nr++] = packet.buf_bytes;
		source->ops->take(source, now_ns, late_ns);
	}
	afxdp_put_each(lane->ring.afxdp, nr, buf_bytes);
	/* What came before the damage is sent first: the error comes again. */
	if (got < 0 && nr)
		*e = (struct err){ 0 };
	if (got <= 0 && !nr)
		*ret_wait_ns = UINT64_MAX;
	return got < 0 && !nr ? got : (int)nr;
}

static bool is_over(const struct lane *lane, uint64_t now_ns)
{
	return now_ns >= lane->end_ns && now_ns - lane->end_ns > TX_LATE_NS;
}

static int send_all(struct tx_thread *thread, struct lane *lane, struct err *e)
{
	uint64_t now_ns, wait_ns, room;
	int nr, err;

	while (!atomic_load_explicit(&thread->tx->stop, memory_order_relaxed)) {
		now_ns = loop_mono_ns();
		if (now_ns < lane->start_ns) {
			wait_until(thread, lane->start_ns);
			continue;
		}
		room = thread->limit ? thread->limit - lane->made : lane->ring.batch;
		if (!room || is_over(lane, now_ns))
			return 0;
		if (room > lane->ring.batch)
			room = lane->ring.batch;
		nr = copy_due(lane, (uint32_t)room, now_ns, &wait_ns, e);
		if (nr < 0 || (!nr && wait_ns == UINT64_MAX))
			return nr;
		err = nr ? tx_ring_flush(&lane->ring, thread, e) : 0;
		if (err)
			return err;
		if (!nr)
			wait_until(thread, wait_ns);
	}
	return 0;
}

static int tx_source_run(struct tx_thread *thread, struct err *e)
{
	uint64_t duration_ns = thread->tx->cfg.duration_ns;
	struct lane *lane = lane_of(thread);
	struct err finish_error;
	int err, finish_err;

	prctl(PR_SET_TIMERSLACK, 1ul);
	lane->start_ns = common_start_ns(thread->tx);
	lane->end_ns = duration_ns ? lane->start_ns + duration_ns : UINT64_MAX;
	err = send_all(thread, lane, e);
	finish_err = tx_ring_finish(&lane->ring, thread, &finish_error);
	if (!err && finish_err) {
		*e = finish_error;
		err = finish_err;
	}
	/* As in copy mode a packet is sent by the kick, long after it was made. */
	if (!lane->last_paced && lane->made)
		PUBLISH(lane->last_mono_ns, loop_mono_ns());
	return err;
}

static void tx_source_read(const struct tx_thread *thread, struct tx_count *ret_count)
{
	const struct lane *lane = lane_of(thread);

	*ret_count = (struct tx_count){
		.first_mono_ns = LOOK(lane->first_mono_ns),
		.last_mono_ns = LOOK(lane->last_mono_ns),
		.late_sum_ns = LOOK(lane->late_sum_ns),
		.late_max_ns = LOOK(lane->late_max_ns),
		.paced_packets = LOOK(lane->paced),
	};
	tx_ring_read(&lane->ring, ret_count);
}

static void tx_source_read_flow(const struct tx_thread *thread, uint32_t k,
				struct mix_count *ret_count)
{
	const struct source *source = lane_of(thread)->source;

	source->ops->count(source, k, ret_count);
}

static const struct tx_ring *tx_source_ring(const struct tx_thread *thread)
{
	return &lane_of(thread)->ring;
}

static void tx_source_close(struct tx *tx)
{
	struct engine *engine = tx->state;
	uint32_t i;

	for (i = 0; engine && i < tx->cfg.threads; i++) {
		tx_ring_close(&engine->lanes[i].ring);
		mix_source_close(engine->lanes[i].source);
	}
	free(engine);
	tx->state = NULL;
}

const struct tx_engine_ops tx_source_ops = {
	.name = "afxdp",
	.keep_caps = 0,
	.open = tx_source_open,
	.run = tx_source_run,
	.read = tx_source_read,
	.read_flow = tx_source_read_flow,
	.ring = tx_source_ring,
	.close = tx_source_close,
};
