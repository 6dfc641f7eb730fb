// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/impair/bump.c - an AF_XDP forwarder that delays packets.
 *
 * One thread per direction. It fetches received frames, asks bump_sched.h which are due, and passes
 * them to the kernel in batches, one kick each. Close to the next due time, and shortly after a
 * packet, it spins; otherwise it sleeps.
 */
#include "engine/impair/bump.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include "lib/hist.h"
#include "lib/loop.h"
#include "lib/unit.h"
#include "model/bump_sched.h"
#include "proto/fragment.h"
#include "proto/frame.h"
#include "sys/afxdp/afxdp_socket.h"
#include "sys/afxdp/afxdp_wire.h"
#include "sys/hook/bpf.h"

#define BATCH		32		/* frames that one kick sends in copy mode */
#define SPIN_NS		50000		/* a sleep may end this late */
#define MOST_SLEEP_NS	20000000	/* to notice that it must stop */
#define IDLE_NS		(2 * NSEC_PER_SEC)	/* then release packets held for others */
#define LAST_IN_NS	2000000		/* after the end, for packets still arriving */
#define STUCK_NS	100000000	/* for a driver to take a batch */
#define FINISH_NS	NSEC_PER_SEC	/* for the last frames to be sent */
#define RESERVE		64		/* fewer free frames: packets no longer wait for others */
#define IP6_FRAGMENT_BYTES 8

/* State of a frame beyond what bump_sched.h keeps. Only the first frame of a packet is the scheduler's. */
struct held {
	uint8_t *data;
	uint32_t bytes;		/* here; sched_frame.buf_bytes is of all pieces */
	uint32_t rest;		/* the next piece; SCHED_NONE: the last */
	uint64_t arrived_ns;
	bool delayed;		/* by a rule; set in a packet's first frame only */
};

struct bump {
	struct bump_cfg cfg;
	struct afxdp_wire *wire;	/* shared by both directions */
	struct afxdp_lane *lane;
	struct sched *sched;
	struct sched_frame *frames;	/* sched's frames, by number */
	struct held *held;		/* by number */
	uint32_t piece_bytes;		/* at most */
	uint8_t *whole, *part;		/* room for a packet in one piece each; NULL: all are */
	struct bump_count count;	/* written by the thread; out_packets: put into the ring */
	struct hist_rec intended, achieved, late;
	struct bump_hold *holds;	/* NULL: none requested */
	uint32_t nr_holds;
	uint64_t last_in_ns, last_busy_ns;
	pthread_t thread;
	bool stuck;			/* the driver has accepted nothing for too long */
	bool started;
	atomic_bool stop;
};

/* A batch on its way to the driver: what to record once it has left. */
struct batch {
	uint32_t nr;
	struct {
		uint64_t arrived_ns, due_ns;
		bool delayed;
	} packets[BATCH];
};

#define LOOK(field) __atomic_load_n(&(field), __ATOMIC_RELAXED)

static void count(uint64_t *counter, uint64_t nr)
{
	__atomic_store_n(counter, *counter + nr, __ATOMIC_RELAXED);
}

static int open_wire(struct bump *bump, struct err *e)
{
	const struct afxdp_wire_cfg cfg = {
		.in_ifname = bump->cfg.in_ifname, .out_ifname = bump->cfg.out_ifname,
		.nr_frames = bump->cfg.nr_frames, .in_pieces = true,
	};
	uint64_t until_ns = 0;
	int err;

	bpf_log_init();
	bpf_raise_memlock();
	do {
		err = afxdp_wire_open(&bump->wire, &cfg, e);
	} while (afxdp_try_again(err, &until_ns, e));
	return err;
}

int bump_open(struct bump **ret_bump, const struct bump_cfg *cfg, struct err *e)
{
	struct sched_cfg sched = {
		.rate_l1_bps = cfg->rate_l1_bps,
		.queue_bytes = cfg->queue_bytes, .queue_packets = cfg->queue_packets,
	};
	struct bump *bump = calloc(1, sizeof(*bump));
	int err = 0;

	if (!bump)
		return err_set(e, -ENOMEM, "cannot open a forwarder");
	bump->cfg = *cfg;
	if (cfg->other)
		bump->wire = afxdp_wire_share(cfg->other->wire);
	else
		err = open_wire(bump, e);
	if (err)
		goto fail;
	err = afxdp_lane_open(bump->wire, cfg->other, cfg->xsks_fd, &bump->lane, e);
	if (err)
		goto fail;
	sched.nr_frames = afxdp_wire_nr_frames(bump->wire);
	err = sched_new(&bump->sched, &sched);
	bump->held = calloc(sched.nr_frames, sizeof(*bump->held));
	if (err || !bump->held) {
		err = err_set(e, -ENOMEM, "cannot open a forwarder");
		goto fail;
	}
	bump->frames = sched_frames(bump->sched);
	bump->piece_bytes = afxdp_wire_max_buf_bytes(bump->wire);
	if (afxdp_wire_in_pieces(bump->wire)) {
		bump->whole = malloc((size_t)AFXDP_MOST_PIECES * bump->piece_bytes);
		bump->part = malloc((size_t)AFXDP_MOST_PIECES * bump->piece_bytes);
		if (!bump->whole || !bump->part) {
			err = err_set(e, -ENOMEM, "cannot open a forwarder");
			goto fail;
		}
	}
	if (cfg->hold_frames) {
		bump->holds = calloc(cfg->hold_frames, sizeof(*bump->holds));
		if (!bump->holds) {
			err = err_set(e, -ENOMEM, "cannot open a forwarder");
			goto fail;
		}
	}
	*ret_bump = bump;
	return 0;
fail:
	bump_close(bump);
	return err;
}

/* Gives back the pieces from @number on. */
static void free_pieces(struct bump *bump, uint32_t number)
{
	uint32_t next;

	for (; number != SCHED_NONE; number = next) {
		next = bump->held[number].rest;
		afxdp_lane_free(bump->lane, number);
	}
}

/* Frames for a packet of @bytes, at least one, after @last of the same chain; false: not as many are free. */
static bool add_packet(struct bump *bump, uint32_t bytes, uint32_t *last)
{
	uint32_t first = SCHED_NONE, at = SCHED_NONE, left = bytes;
	struct afxdp_frame frame;

	do {
		if (!afxdp_lane_take(bump->lane, &frame)) {
			free_pieces(bump, first);
			count(&bump->count.frame_drops, 1);
			return false;
		}
		bump->held[frame.number] = (struct held){ .data = frame.data, .rest = SCHED_NONE };
		if (first == SCHED_NONE)
			first = frame.number;
		else
			bump->held[at].rest = frame.number;
		at = frame.number;
		left -= left < bump->piece_bytes ? left : bump->piece_bytes;
	} while (left);
	bump->frames[first] = (struct sched_frame){ SCHED_NONE, bytes };
	bump->frames[*last].next = first;
	*last = first;
	return true;
}

/* Writes a packet into the pieces of @number, and gives back those that it does not need. */
static void put(struct bump *bump, uint32_t number, const uint8_t *data, uint32_t bytes)
{
	struct held *held = &bump->held[number];
	uint32_t room;

	bump->frames[number].buf_bytes = bytes;
	for (;; held = &bump->held[held->rest]) {
		room = held->bytes ? held->bytes : bump->piece_bytes;	/* as it was received, or new */
		held->bytes = bytes < room ? bytes : room;
		memcpy(held->data, data, held->bytes);
		data += held->bytes;
		bytes -= held->bytes;
		if (!bytes || held->rest == SCHED_NONE)
			break;
	}
	free_pieces(bump, held->rest);
	held->rest = SCHED_NONE;
}

/* The packet of @number in one piece: where it is, or in @to. */
static const uint8_t *join(const struct bump *bump, uint32_t number, uint8_t *to)
{
	const struct held *held = &bump->held[number];
	uint8_t *at = to;

	if (held->rest == SCHED_NONE)
		return held->data;
	for (;; held = &bump->held[held->rest]) {
		memcpy(at, held->data, held->bytes);
		at += held->bytes;
		if (held->rest == SCHED_NONE)
			return to;
	}
}

/* Fragment @i of the packet @data into @number, of which it may be the first one, written last. */
static void put_fragment(struct bump *bump, const struct fragment_plan *plan, const uint8_t *data, uint32_t i,
			 uint32_t number)
{
	struct held *held = &bump->held[number];

	if (bump->part) {
		put(bump, number, bump->part, fragment_write(plan, data, i, bump->part));
		return;
	}
	held->bytes = bump->frames[number].buf_bytes = fragment_write(plan, data, i, held->data);
}

/* Splits the packet @head into a chain of fragments; returns the last one. */
static uint32_t cut(struct bump *bump, uint32_t head, uint32_t max_bytes)
{
	const uint8_t *data = join(bump, head, bump->whole);
	uint32_t last = head, most_bytes, i;
	struct fragment_plan plan;

	if (!fragment_plan(data, bump->frames[head].buf_bytes, max_bytes, &plan)) {
		count(&bump->count.no_fragments, 1);
		return head;
	}
	plan.identification = (uint32_t)(bump->cfg.seed + bump->count.fragmented);
	count(&bump->count.fragmented, 1);
	count(&bump->count.fragments, plan.nr);
	/* In one piece, as the packet is, they are no longer than it. */
	most_bytes = bump->part ? plan.ip_offset + plan.header_bytes + IP6_FRAGMENT_BYTES + plan.piece_bytes : 0;
	for (i = 1; i < plan.nr; i++) {
		if (add_packet(bump, most_bytes, &last))
			put_fragment(bump, &plan, data, i, last);
	}
	put_fragment(bump, &plan, data, 0, head);
	return last;
}

/* Appends a copy of the whole chain to itself. */
static uint32_t copy_chain(struct bump *bump, uint32_t head, uint32_t end, uint32_t last)
{
	uint32_t from = head, next, bytes;

	for (;; from = next) {
		next = bump->frames[from].next;
		bytes = bump->frames[from].buf_bytes;
		count(&bump->count.copies, 1);
		if (add_packet(bump, bytes, &last))
			put(bump, last, join(bump, from, bump->whole), bytes);
		if (from == end)
			return last;
	}
}

/*
 * The fate in front of @frame, then cleared: a stale one could be mistaken for the next packet's.
 */
static struct impair_fate read_fate(struct bump *bump, const struct afxdp_frame *frame,
				    uint64_t now_ns)
{
	uint8_t *at = frame->data - sizeof(struct impair_fate);
	struct impair_fate fate;

	memcpy(&fate, at, sizeof(fate));
	memset(at, 0, sizeof(fate));
	if (fate.magic == IMPAIR_MAGIC && fate.arrived_mono_ns <= now_ns)
		return fate;
	count(&bump->count.no_fate, 1);
	return (struct impair_fate){ .arrived_mono_ns = now_ns };
}

static bool is_to(const struct impair_fate *fate, enum impair_kind kind)
{
	return fate->kinds >> kind & 1;
}

/* Keeps the pieces of a packet, @frame and those after it; returns how many they are. */
static uint32_t keep(struct bump *bump, const struct afxdp_frame *frame)
{
	uint32_t bytes = 0, nr = 0;
	bool more;

	do {
		more = frame[nr].more;
		bytes += frame[nr].buf_bytes;
		bump->held[frame[nr].number] = (struct held){
			.data = frame[nr].data, .bytes = frame[nr].buf_bytes,
			.rest = more ? frame[nr + 1].number : SCHED_NONE,
		};
		nr++;
	} while (more);
	bump->frames[frame->number] = (struct sched_frame){ SCHED_NONE, bytes };
	return nr;
}

/* Returns how many frames its packet has. */
static uint32_t take_in(struct bump *bump, const struct afxdp_frame *frame, uint64_t now_ns)
{
	const struct impair_fate fate = read_fate(bump, frame, now_ns);
	struct sched_order order = { .arrived_ns = fate.arrived_mono_ns };
	uint32_t head = frame->number, last = head, end, i, nr = keep(bump, frame);
	struct held *held = &bump->held[head];
	const struct bump_delay *delay;

	count(&bump->count.in_packets, 1);
	count(&bump->count.in_bytes, bump->frames[head].buf_bytes + UNIT_FCS_BYTES);
	held->arrived_ns = order.arrived_ns;
	if (is_to(&fate, IMPAIR_FRAGMENT))
		last = cut(bump, head, fate.fragment_bytes);
	if (is_to(&fate, IMPAIR_DUPLICATE)) {
		count(&bump->count.duplicated, 1);
		for (end = last, i = 0; i < fate.copies; i++)
			last = copy_chain(bump, head, end, last);
	}
	if (is_to(&fate, IMPAIR_REORDER) && fate.places) {
		count(&bump->count.reordered, 1);
		order.places = fate.places;
	}
	if (is_to(&fate, IMPAIR_DELAY) && fate.delay_rule < IMPAIR_MAX_RULES) {
		count(&bump->count.delayed, 1);
		delay = &bump->cfg.delays[fate.delay_rule];
		order.delay_ns = bump_delay_ns(delay, bump->cfg.seed, fate.delay_rule,
					       fate.ordinal);
		order.keep_order = delay->keep_order;
		held->delayed = true;
		hist_add(&bump->intended, order.delay_ns);
	}
	sched_add(bump->sched, head, &order);
	return nr;
}

static bool fetch(struct bump *bump)
{
	struct afxdp_frame frames[BATCH];
	uint32_t nr = afxdp_lane_receive(bump->lane, frames, BATCH), i;
	uint64_t now_ns;

	if (!nr)
		return false;
	/* Waiting in the ring is cheap, but the ring must not overflow. */
	do {
		now_ns = loop_mono_ns();
		for (i = 0; i < nr;)
			i += take_in(bump, &frames[i], now_ns);
		nr = afxdp_lane_is_filling(bump->lane) ?
		     afxdp_lane_receive(bump->lane, frames, BATCH) : 0;
	} while (nr);
	bump->last_in_ns = now_ns;
	return true;
}

/* Kicks until the kernel has taken everything in the ring, or no longer makes progress. */
static void kick(struct bump *bump)
{
	uint64_t until_ns = 0;
	int err;

	for (;;) {
		err = afxdp_lane_kick(bump->lane);
		if (err == -EBUSY)
			count(&bump->count.send_drops, 1);
		else if (err != -EAGAIN || bump->stuck)
			break;
		if (!until_ns)
			until_ns = loop_mono_ns() + STUCK_NS;
		else if (loop_mono_ns() > until_ns)
			break;
		afxdp_lane_reap(bump->lane);
	}
	bump->stuck = err;
}

/* Records what left, by the clock afterwards: all packets of a batch count as late as the last. */
static void record(struct bump *bump, const struct batch *batch)
{
	uint64_t now_ns = loop_mono_ns(), late_ns;
	uint32_t i;

	for (i = 0; i < batch->nr; i++) {
		late_ns = now_ns > batch->packets[i].due_ns ? now_ns - batch->packets[i].due_ns : 0;
		hist_add(&bump->late, late_ns);
		if (batch->packets[i].delayed)
			hist_add(&bump->achieved, now_ns - batch->packets[i].arrived_ns);
	}
}

static void send_frame(struct bump *bump, const struct sched_out *out, struct batch *batch,
		       bool timely)
{
	const struct held *held = &bump->held[out->frame];
	struct afxdp_frame pieces[AFXDP_MOST_PIECES];
	uint32_t nr = 0, number;

	/* It has dropped out of the caches; the kick will read all of the batch. */
	__builtin_prefetch(held->data);
	__builtin_prefetch(held->data + 64);
	for (number = out->frame; number != SCHED_NONE && nr < AFXDP_MOST_PIECES; number = bump->held[number].rest)
		pieces[nr++] = (struct afxdp_frame){
			.number = number, .data = bump->held[number].data, .buf_bytes = bump->held[number].bytes,
		};
	count(&bump->count.out_packets, 1);
	if (number != SCHED_NONE || !afxdp_lane_send_pieces(bump->lane, pieces, nr)) {
		count(&bump->count.send_drops, 1);
		free_pieces(bump, out->frame);
		return;
	}
	count(&bump->count.out_bytes, bump->frames[out->frame].buf_bytes + UNIT_FCS_BYTES);
	if (!timely || (!held->delayed && !(bump->cfg.rate_l1_bps > 0)))
		return;
	batch->packets[batch->nr].due_ns = out->due_ns;
	batch->packets[batch->nr].arrived_ns = held->arrived_ns;
	batch->packets[batch->nr++].delayed = held->delayed;
}

/* A note of @frame, which is about to be sent; NULL: not wanted, no room, or no tag. */
static struct bump_hold *add_hold(struct bump *bump, uint32_t frame)
{
	const struct held *held = &bump->held[frame];
	struct tag_fields tag;
	struct bump_hold *hold;

	if (bump->nr_holds == bump->cfg.hold_frames ||
	    !frame_find_tag(held->data, held->bytes, &tag))
		return NULL;
	hold = &bump->holds[bump->nr_holds++];
	*hold = (struct bump_hold){
		.arrived_ns = held->arrived_ns, .sequence = tag.sequence, .stream = tag.stream,
	};
	return hold;
}

/* A frame leaves during the call, at a moment that user space cannot know. */
static void kick_noted(struct bump *bump, struct bump_hold *hold)
{
	if (hold)
		hold->begun_ns = loop_mono_ns();
	kick(bump);
	if (hold)
		hold->done_ns = loop_mono_ns();
}

/*
 * Sends up to a batch of due packets; @all: also those not due yet. Returns the number of frames.
 */
static uint32_t let_out(struct bump *bump, bool all)
{
	uint32_t nr = 0, most = bump->holds ? 1 : BATCH;
	uint64_t now_ns = loop_mono_ns();
	struct bump_hold *hold = NULL;
	struct batch batch = { 0 };
	struct sched_out out;

	while (nr < most && sched_next(bump->sched, all ? UINT64_MAX : now_ns, &out)) {
		nr++;
		if (out.drop) {
			count(&bump->count.queue_drops, 1);
			free_pieces(bump, out.frame);
			continue;
		}
		if (out.due_ns > now_ns)
			count(&bump->count.flushed, 1);
		hold = add_hold(bump, out.frame);
		send_frame(bump, &out, &batch, out.due_ns <= now_ns);
	}
	if (nr)
		kick_noted(bump, hold);
	if (batch.nr)
		record(bump, &batch);
	return nr;
}

/* Releases packets held for others that do not arrive, or whose frames are needed. */
static void flush(struct bump *bump, uint64_t now_ns)
{
	uint32_t waiting = sched_nr_waiting(bump->sched);

	if (!waiting)
		return;
	if (now_ns - bump->last_in_ns < IDLE_NS) {
		if (afxdp_lane_nr_free(bump->lane) >= RESERVE)
			return;
		waiting = RESERVE;
	}
	count(&bump->count.flushed, sched_flush(bump->sched, waiting, now_ns));
}

static void rest(struct bump *bump)
{
	uint64_t due_ns = sched_due_ns(bump->sched), now_ns = loop_mono_ns(), sleep_ns;

	flush(bump, now_ns);
	if (bump->stuck)
		kick(bump);
	if (now_ns < bump->last_busy_ns + SPIN_NS || due_ns < now_ns + SPIN_NS)
		return;
	sleep_ns = due_ns - SPIN_NS - now_ns;
	afxdp_lane_wait(bump->lane, sleep_ns < MOST_SLEEP_NS ? sleep_ns : MOST_SLEEP_NS);
}

static void finish(struct bump *bump)
{
	uint64_t until_ns = loop_mono_ns() + LAST_IN_NS, now_ns;
	uint32_t left;
	bool got;

	/* Packets that the program has redirected already may not be in a ring yet. */
	afxdp_lane_detach(bump->lane);
	/* And a thread without CPU may find more in its ring than it takes at once. */
	do {
		got = fetch(bump);
		let_out(bump, false);
		afxdp_lane_reap(bump->lane);
	} while (got || loop_mono_ns() < until_ns);
	now_ns = loop_mono_ns();
	count(&bump->count.flushed, sched_flush(bump->sched, UINT32_MAX, now_ns));
	while (let_out(bump, true))
		afxdp_lane_reap(bump->lane);
	until_ns = now_ns + FINISH_NS;
	while (afxdp_lane_unsent(bump->lane) && loop_mono_ns() < until_ns) {
		kick(bump);
		afxdp_lane_reap(bump->lane);
	}
	left = afxdp_lane_unsent(bump->lane);
	count(&bump->count.send_drops, left);
}

static void *thread_main(void *arg)
{
	struct bump *bump = arg;
	uint32_t nr;
	bool got;

	/*
	 * By default every sleep may end 50 us late. No real-time class: spinning would keep the
	 * CPU from the softirq thread that delivers the packets.
	 */
	prctl(PR_SET_TIMERSLACK, 1);
	while (!atomic_load_explicit(&bump->stop, memory_order_relaxed)) {
		got = fetch(bump);
		nr = let_out(bump, false);
		/* Send twice as many as arrive, or a backlog would never shrink. */
		if (nr == BATCH)
			let_out(bump, false);
		afxdp_lane_reap(bump->lane);
		if (got || nr)
			bump->last_busy_ns = loop_mono_ns();
		else
			rest(bump);
	}
	finish(bump);
	return NULL;
}

int bump_start(struct bump *bump, struct err *e)
{
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	err = pthread_create(&bump->thread, NULL, thread_main, bump);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (err)
		return err_set(e, -err, "cannot start a forwarding thread");
	bump->started = true;
	return 0;
}

void bump_read(const struct bump *bump, struct bump_count *ret_count)
{
	uint64_t drops = afxdp_lane_drops(bump->lane), *to = (uint64_t *)ret_count;
	const uint64_t *from = (const uint64_t *)&bump->count;
	struct bump_count *sum = ret_count;
	size_t i;

	for (i = 0; i < sizeof(*sum) / sizeof(*to); i++)
		to[i] = LOOK(from[i]);
	sum->held = sum->in_packets + sum->copies + sum->fragments - sum->fragmented -
		    sum->out_packets - sum->queue_drops - sum->frame_drops;
	sum->out_packets -= sum->send_drops;
	/* Packets dropped by the sockets never reached the thread. */
	sum->in_packets += drops;
	sum->frame_drops += drops;
	sum->late_max_ns = LOOK(bump->late.max_ns);
}

void bump_read_hists(const struct bump *bump, struct hist_rec *ret_intended,
		     struct hist_rec *ret_achieved, struct hist_rec *ret_late)
{
	*ret_intended = bump->intended;
	*ret_achieved = bump->achieved;
	*ret_late = bump->late;
}

const struct bump_hold *bump_holds(const struct bump *bump, size_t *ret_nr)
{
	*ret_nr = bump->nr_holds;
	return bump->holds;
}

void bump_stop(struct bump *bump)
{
	if (!bump->started)
		return;
	atomic_store(&bump->stop, true);
	pthread_join(bump->thread, NULL);
	bump->started = false;
}

void bump_close(struct bump *bump)
{
	if (!bump)
		return;
	bump_stop(bump);
	afxdp_wire_close(bump->wire);
	sched_free(bump->sched);
	free(bump->held);
	free(bump->holds);
	free(bump->whole);
	free(bump->part);
	free(bump);
}
