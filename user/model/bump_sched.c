// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * model/bump_sched.c - which held frame leaves next, and when.
 */
#include "model/bump_sched.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/unit.h"

/* A packet held for a time. */
struct timed {
	uint64_t due_ns;
	uint32_t turn;			/* order of arrival; decides among packets due at the
					 * same time */
	uint32_t head;
};

/* A frame that the bottleneck has accepted. */
struct queued {
	uint64_t start_ns, leave_ns;	/* its first and last bit */
	uint32_t frame;
};

struct sched {
	struct sched_cfg cfg;
	struct sched_frame *frames;

	/*
	 * Waiting for others, in order of arrival. Counters are separate: each packet that passes
	 * updates all.
	 */
	uint16_t *places;
	uint32_t *heads;
	struct sched_order *orders;	/* by the number of the head */
	uint32_t nr_waiting;

	/*
	 * Held for a time. Most are due after all others, as with a constant delay, and are in a
	 * ring; the rest are in a heap.
	 */
	struct timed *ring, *heap;
	uint32_t ring_first, ring_nr, heap_nr, turn;
	uint64_t last_due_ns;		/* the latest so far */

	/* The packet that is moving from there to the bottleneck. */
	uint32_t chain;
	uint64_t chain_ns;

	/* The bottleneck: a ring in which those from nr_started on have not started yet. */
	struct queued *queue;
	uint32_t queue_first, queue_nr, nr_started;
	uint64_t wait_packets, wait_bytes;
	uint64_t enter_ns, free_ns;	/* last arrival; when the line becomes free */
	double free_part_ns;		/* below 1 */
};

int sched_new(struct sched **ret_sched, const struct sched_cfg *cfg)
{
	struct sched *sched;
	size_t nr = cfg->nr_frames;

	if (!nr || nr >= SCHED_NONE)
		return -EINVAL;
	sched = calloc(1, sizeof(*sched));
	if (!sched)
		return -ENOMEM;
	sched->cfg = *cfg;
	sched->chain = SCHED_NONE;
	sched->frames = calloc(nr, sizeof(*sched->frames));
	sched->places = calloc(nr, sizeof(*sched->places));
	sched->heads = calloc(nr, sizeof(*sched->heads));
	sched->orders = calloc(nr, sizeof(*sched->orders));
	sched->ring = calloc(nr, sizeof(*sched->ring));
	sched->heap = calloc(nr, sizeof(*sched->heap));
	sched->queue = calloc(nr, sizeof(*sched->queue));
	if (!sched->frames || !sched->places || !sched->heads || !sched->orders ||
	    !sched->ring || !sched->heap || !sched->queue) {
		sched_free(sched);
		return -ENOMEM;
	}
	*ret_sched = sched;
	return 0;
}

void sched_free(struct sched *sched)
{
	if (!sched)
		return;
	free(sched->frames);
	free(sched->places);
	free(sched->heads);
	free(sched->orders);
	free(sched->ring);
	free(sched->heap);
	free(sched->queue);
	free(sched);
}

struct sched_frame *sched_frames(struct sched *sched)
{
	return sched->frames;
}

uint32_t sched_nr_waiting(const struct sched *sched)
{
	return sched->nr_waiting;
}

/* --- held for a time --- */

static bool is_before(const struct timed *a, const struct timed *b)
{
	if (a->due_ns != b->due_ns)
		return a->due_ns < b->due_ns;
	return (int32_t)(a->turn - b->turn) < 0;
}

static void heap_push(struct sched *sched, struct timed timed)
{
	struct timed *heap = sched->heap;
	uint32_t at = sched->heap_nr++, up;

	for (; at; at = up) {
		up = (at - 1) / 2;
		if (!is_before(&timed, &heap[up]))
			break;
		heap[at] = heap[up];
	}
	heap[at] = timed;
}

static struct timed heap_pop(struct sched *sched)
{
	struct timed *heap = sched->heap, first = heap[0], last = heap[--sched->heap_nr];
	uint32_t at = 0, down;

	for (; (down = 2 * at + 1) < sched->heap_nr; at = down) {
		if (down + 1 < sched->heap_nr && is_before(&heap[down + 1], &heap[down]))
			down++;
		if (!is_before(&heap[down], &last))
			break;
		heap[at] = heap[down];
	}
	heap[at] = last;
	return first;
}

static uint32_t ring_place(const struct sched *sched, uint32_t first, uint32_t nr)
{
	uint64_t at = (uint64_t)first + nr;

	return (uint32_t)(at < sched->cfg.nr_frames ? at : at - sched->cfg.nr_frames);
}

/* The first due packet of those held for a time; NULL: none. */
static const struct timed *first_timed(const struct sched *sched)
{
	const struct timed *ring = &sched->ring[sched->ring_first];

	if (!sched->ring_nr)
		return sched->heap_nr ? sched->heap : NULL;
	return sched->heap_nr && is_before(sched->heap, ring) ? sched->heap : ring;
}

static struct timed take_timed(struct sched *sched)
{
	const struct timed *first = first_timed(sched);

	if (first == sched->heap)
		return heap_pop(sched);
	sched->ring_first = ring_place(sched, sched->ring_first, 1);
	sched->ring_nr--;
	return *first;
}

static void hold(struct sched *sched, uint32_t head, const struct sched_order *order,
		 uint64_t now_ns)
{
	struct timed timed = { now_ns + order->delay_ns, sched->turn++, head };
	uint32_t last;

	if (order->keep_order && timed.due_ns < sched->last_due_ns)
		timed.due_ns = sched->last_due_ns;
	if (timed.due_ns > sched->last_due_ns)
		sched->last_due_ns = timed.due_ns;
	last = ring_place(sched, sched->ring_first, sched->ring_nr ? sched->ring_nr - 1 : 0);
	if (sched->ring_nr && timed.due_ns < sched->ring[last].due_ns) {
		heap_push(sched, timed);
		return;
	}
	sched->ring[ring_place(sched, sched->ring_first, sched->ring_nr++)] = timed;
}

/* --- waiting for others --- */

/* Lets waiting packet @at continue. */
static void let_pass(struct sched *sched, uint32_t at, uint64_t now_ns)
{
	uint32_t head = sched->heads[at], after = --sched->nr_waiting - at;

	memmove(&sched->places[at], &sched->places[at + 1], after * sizeof(*sched->places));
	memmove(&sched->heads[at], &sched->heads[at + 1], after * sizeof(*sched->heads));
	hold(sched, head, &sched->orders[head], now_ns);
}

/* The first that need not wait any more; sched->nr_waiting: none. */
static uint32_t find_free(const struct sched *sched)
{
	uint32_t i;

	for (i = 0; i < sched->nr_waiting && sched->places[i]; i++)
		;
	return i;
}

/*
 * A packet has passed that arrived after the first @nr waiting ones. Those released by it pass too,
 * and count as later packets for the ones before them.
 */
static void count_pass(struct sched *sched, uint32_t nr, uint64_t now_ns)
{
	uint32_t i;

	while (sched->nr_waiting) {
		for (i = 0; i < nr; i++)
			sched->places[i]--;
		nr = find_free(sched);
		if (nr == sched->nr_waiting)
			return;
		let_pass(sched, nr, now_ns);
	}
}

void sched_add(struct sched *sched, uint32_t head, const struct sched_order *order)
{
	if (order->places) {
		sched->places[sched->nr_waiting] = order->places;
		sched->heads[sched->nr_waiting++] = head;
		sched->orders[head] = *order;
		return;
	}
	hold(sched, head, order, order->arrived_ns);
	count_pass(sched, sched->nr_waiting, order->arrived_ns);
}

uint32_t sched_flush(struct sched *sched, uint32_t nr, uint64_t now_ns)
{
	uint32_t i;

	if (nr > sched->nr_waiting)
		nr = sched->nr_waiting;
	/* The oldest arrived after none of the others, so it releases none. */
	for (i = 0; i < nr; i++)
		let_pass(sched, 0, now_ns);
	return nr;
}

/* --- the bottleneck --- */

static uint32_t frame_bytes(const struct sched *sched, uint32_t frame)
{
	uint32_t bytes = sched->frames[frame].buf_bytes + UNIT_FCS_BYTES;

	return bytes < UNIT_MIN_FRAME_BYTES ? UNIT_MIN_FRAME_BYTES : bytes;
}

/* Starts to send the first one not started. */
static void start_sending(struct sched *sched)
{
	const struct queued *queued;

	queued = &sched->queue[ring_place(sched, sched->queue_first, sched->nr_started++)];
	sched->wait_packets--;
	sched->wait_bytes -= frame_bytes(sched, queued->frame);
}

static void start_all_until(struct sched *sched, uint64_t now_ns)
{
	while (sched->nr_started < sched->queue_nr &&
	       sched->queue[ring_place(sched, sched->queue_first, sched->nr_started)].start_ns <=
	       now_ns)
		start_sending(sched);
}

static bool is_full(const struct sched *sched, uint32_t bytes)
{
	const struct sched_cfg *cfg = &sched->cfg;

	return (cfg->queue_packets && sched->wait_packets >= cfg->queue_packets) ||
	       (cfg->queue_bytes && sched->wait_bytes + bytes > cfg->queue_bytes);
}

/* False: the queue is full. */
static bool enter_queue(struct sched *sched, uint32_t frame, uint64_t now_ns)
{
	uint32_t bytes = frame_bytes(sched, frame);
	struct queued *queued;
	double wire_ns;

	/* A packet fetched late finds the queue as the one before it left it. */
	if (now_ns < sched->enter_ns)
		now_ns = sched->enter_ns;
	sched->enter_ns = now_ns;
	start_all_until(sched, now_ns);
	if (sched->free_ns > now_ns && is_full(sched, bytes))
		return false;
	if (sched->free_ns < now_ns) {
		sched->free_ns = now_ns;
		sched->free_part_ns = 0;
	}
	queued = &sched->queue[ring_place(sched, sched->queue_first, sched->queue_nr++)];
	queued->frame = frame;
	queued->start_ns = sched->free_ns;
	wire_ns = (bytes + UNIT_GAP_BYTES) * 8e9 / sched->cfg.rate_l1_bps +
		  sched->free_part_ns;
	sched->free_ns += (uint64_t)wire_ns;
	sched->free_part_ns = wire_ns - (double)(uint64_t)wire_ns;
	queued->leave_ns = sched->free_ns;
	sched->wait_packets++;
	sched->wait_bytes += bytes;
	return true;
}

static void leave_queue(struct sched *sched, struct sched_out *ret_out)
{
	const struct queued *queued = &sched->queue[sched->queue_first];

	if (!sched->nr_started)
		start_sending(sched);
	sched->nr_started--;
	sched->queue_first = ring_place(sched, sched->queue_first, 1);
	sched->queue_nr--;
	*ret_out = (struct sched_out){ .frame = queued->frame, .due_ns = queued->leave_ns };
}

/* --- all together --- */

/* The next frame of the packet that has been held long enough; false: the bottleneck has it. */
static bool next_of_chain(struct sched *sched, struct sched_out *ret_out)
{
	uint32_t frame = sched->chain;

	sched->chain = sched->frames[frame].next;
	*ret_out = (struct sched_out){ .frame = frame, .due_ns = sched->chain_ns };
	if (!(sched->cfg.rate_l1_bps > 0))
		return true;
	ret_out->drop = !enter_queue(sched, frame, sched->chain_ns);
	return ret_out->drop;
}

bool sched_next(struct sched *sched, uint64_t now_ns, struct sched_out *ret_out)
{
	const struct timed *first;
	struct timed timed;
	uint64_t leave_ns;

	for (;;) {
		while (sched->chain != SCHED_NONE) {
			if (next_of_chain(sched, ret_out))
				return true;
		}
		first = first_timed(sched);
		leave_ns = sched->queue_nr ? sched->queue[sched->queue_first].leave_ns : UINT64_MAX;
		/* In order of time, as each must find the queue as it was then. */
		if (sched->queue_nr && leave_ns <= now_ns && (!first || leave_ns <= first->due_ns)) {
			leave_queue(sched, ret_out);
			return true;
		}
		if (!first || first->due_ns > now_ns)
			return false;
		timed = take_timed(sched);
		sched->chain = timed.head;
		sched->chain_ns = timed.due_ns;
	}
}

uint64_t sched_due_ns(const struct sched *sched)
{
	const struct timed *first = first_timed(sched);
	uint64_t due_ns = first ? first->due_ns : UINT64_MAX;

	if (sched->chain != SCHED_NONE)
		return 0;
	if (sched->queue_nr && sched->queue[sched->queue_first].leave_ns < due_ns)
		return sched->queue[sched->queue_first].leave_ns;
	return due_ns;
}
