// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/echo/stamp.c - a STAMP or TWAMP Light sender.
 *
 * Each session is a connected UDP socket. One thread sends what is due and reads what arrives: T1
 * is read right before the system call that sends, T4 is the kernel's, taken before the stack, so
 * reading late does not falsify it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/random.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "abi/field.h"
#include "engine/echo/stamp_parts.h"
#include "lib/hist.h"
#include "lib/log.h"
#include "lib/loop.h"
#include "sys/host/clock.h"
#include "sys/host/fdlimit.h"
#include "sys/net/counters.h"
#include "sys/socket/sock.h"

#define SPARE_FDS	64
#define ASK_TRIES	3
#define CLOCK_EVERY_NS	NSEC_PER_SEC
#define STEP_NS		1000000		/* a larger change is a step, not slewing */
#define LATE_NS		(NSEC_PER_SEC / 10)	/* a slot missed by more than this is skipped */
#define EVENTS		64

uint64_t stamp_utc_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * NSEC_PER_SEC + (uint64_t)now.tv_nsec;
}

/* The Error Estimate, and whether the clock was set. */
static void look_at_clock(struct stamp *stamp, uint64_t mono_ns)
{
	struct clock_quality quality;
	int64_t offset_ns = (int64_t)(stamp_utc_now_ns() - loop_mono_ns());

	if (llabs(offset_ns - stamp->utc_offset_ns) > STEP_NS && stamp->utc_offset_ns)
		stamp->clock_steps++;
	stamp->utc_offset_ns = offset_ns;
	stamp->error_read_mono_ns = mono_ns;
	clock_read_quality(&quality);
	stamp->error = (uint16_t)((quality.synchronised ? STAMP_SYNCED : 0) |
				  (stamp->cfg.form.ptp ? STAMP_PTP : 0) |
				  stamp_error_of(quality.max_error_ns));
}

struct stamp_form stamp_form_of(const struct stamp *stamp, const struct stamp_lane *lane)
{
	struct stamp_form form = stamp->cfg.form;

	form.ssid = lane->ssid;
	return form;
}

/* Sends one test packet. Returns 0, or the negative errno of the system call. */
static int ask(struct stamp *stamp, const struct stamp_lane *lane, uint32_t seq, uint32_t sent)
{
	const struct stamp_form form = stamp_form_of(stamp, lane);
	uint8_t bytes[STAMP_MAX_BYTES];
	const struct stamp_ask question = {
		.seq = seq, .sent = sent, .error = stamp->error, .sent_utc_ns = stamp_utc_now_ns(),
	};
	uint32_t len = stamp_build(&form, &question, bytes);

	if (send(lane->fd, bytes, len, 0) >= 0)
		return 0;
	/* This reports the ICMP error of an earlier packet, not of this one. */
	if (errno == ECONNREFUSED) {
		stamp->dests[lane->dest].refused++;
		if (send(lane->fd, bytes, len, 0) >= 0)
			return 0;
	}
	return -errno;
}

static int open_lane(struct stamp *stamp, uint32_t dest, uint32_t index, struct stamp_lane *lane,
		     struct err *e)
{
	const struct stamp_cfg *cfg = &stamp->cfg;
	struct sock_addr from;
	struct udp_opts opts = { .dscp = cfg->dscp, .ttl = cfg->ttl };
	int err;

	if (cfg->src_ip) {
		err = sock_resolve(cfg->src_ip, 0, stamp->dests[dest].addr.storage.ss_family, &from, e);
		if (err)
			return err;
		opts.from = &from;
	}
	if (cfg->src_port && index < stamp->nr_lanes)
		opts.src_port = (uint16_t)(cfg->src_port + index);
	lane->dest = dest;
	/* All are distinct (RFC 8972 3), and none is 0. */
	lane->ssid = (uint16_t)((field_hash(cfg->ssid_seed, 0) % UINT16_MAX + index) % UINT16_MAX + 1);
	lane->fd = udp_open(&stamp->dests[dest].addr, &opts, e);
	return lane->fd < 0 ? lane->fd : 0;
}

/*
 * A separate session of two packets with a number skipped between them: a stateful reflector does
 * not skip one in its answers.
 */
static int ask_kind(struct stamp *stamp, uint32_t dest, struct err *e)
{
	struct stamp_lane lane;
	uint32_t first, second;
	int i, err;

	for (i = 0; i < ASK_TRIES && !loop_signal(); i++) {
		err = open_lane(stamp, dest, (uint32_t)(stamp->nr_lanes + dest + (uint32_t)i * 4099), &lane, e);
		if (err)
			return err;
		err = ask(stamp, &lane, 0, 1);
		if (!err)
			err = stamp_wait_for_answer(stamp, &lane, 0, &first);
		if (!err)
			err = ask(stamp, &lane, 2, 2);
		if (!err)
			err = stamp_wait_for_answer(stamp, &lane, 2, &second);
		close(lane.fd);
		if (!err) {
			stamp->dests[dest].kind = second - first == 1 ? STAMP_STATEFUL :
						  second - first == 2 ? STAMP_STATELESS :
									STAMP_KIND_UNKNOWN;
			stamp->dests[dest].asked = true;
			return 0;
		}
	}
	return 0;
}

/* The schedule: sessions are spread over the first interval, or random from its start. */
static void plan(struct stamp *stamp, struct stamp_lane *lane, uint32_t index)
{
	const struct stamp_cfg *cfg = &stamp->cfg;

	lane->pace = (struct pace){
		.kind = cfg->poisson ? PACE_POISSON : PACE_EVEN,
		.gap = cfg->gap_ns << PACE_FRAC_BITS,
		.seed = field_hash(cfg->seed, ((uint64_t)index << 32) + 1),
	};
	lane->due.ns = (uint64_t)((unsigned __int128)cfg->gap_ns * index / stamp->nr_lanes);
	if (cfg->poisson) {
		lane->due.ns = 0;
		pace_advance(&lane->due, pace_gap(&lane->pace, UINT32_MAX, 0));
	}
}

static int open_lanes(struct stamp *stamp, struct err *e)
{
	const struct stamp_cfg *cfg = &stamp->cfg;
	struct epoll_event event = { .events = EPOLLIN };
	uint32_t i;
	int err;

	for (i = 0; i < stamp->nr_lanes; i++)
		stamp->lanes[i].fd = -1;
	for (i = 0; i < stamp->nr_lanes; i++) {
		struct stamp_lane *lane = &stamp->lanes[i];

		err = open_lane(stamp, i / cfg->sessions, i, lane, e);
		if (err)
			return err;
		event.data.u32 = i;
		if (epoll_ctl(stamp->epoll, EPOLL_CTL_ADD, lane->fd, &event))
			return err_set(e, -errno, "cannot wait for answers");
		plan(stamp, lane, i);
	}
	event.data.u32 = UINT32_MAX;
	if (epoll_ctl(stamp->epoll, EPOLL_CTL_ADD, stamp->timer, &event))
		return err_set(e, -errno, "cannot wait for the schedule");
	return 0;
}

static int open_dests(struct stamp *stamp, struct err *e)
{
	const struct stamp_cfg *cfg = &stamp->cfg;
	unsigned int i;
	int err;

	for (i = 0; i < cfg->nr_dests; i++) {
		struct stamp_dest *dest = &stamp->dests[i];

		dest->name = cfg->dests[i];
		dest->kind = cfg->kind;
		dest->sums = calloc(1, sizeof(*dest->sums));
		if (!dest->sums)
			return err_set(e, -ENOMEM, "cannot allocate the figures of '%s'", dest->name);
		err = sock_resolve(dest->name, cfg->port, cfg->family, &dest->addr, e);
		if (err)
			return err;
	}
	return 0;
}

/* Not those of another run: a reflector that keeps state would go on where that ended. */
static int choose_ssids(struct stamp *stamp, struct err *e)
{
	uint64_t *seed = &stamp->cfg.ssid_seed;

	if (*seed || getrandom(seed, sizeof(*seed), 0) == sizeof(*seed))
		return 0;
	return err_set(e, -errno, "cannot choose session identifiers");
}

int stamp_open(struct stamp **ret_stamp, const struct stamp_cfg *cfg, struct err *e)
{
	struct stamp *stamp = calloc(1, sizeof(*stamp));
	int err = -ENOMEM;

	if (!stamp)
		return err_set(e, err, "cannot open a sender");
	stamp->cfg = *cfg;
	stamp->epoll = epoll_create1(EPOLL_CLOEXEC);
	stamp->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	stamp->row = calloc(1, sizeof(*stamp->row));
	stamp->dests = calloc(cfg->nr_dests, sizeof(*stamp->dests));
	stamp->lanes = calloc((size_t)cfg->nr_dests * cfg->sessions, sizeof(*stamp->lanes));
	if (stamp->epoll < 0 || stamp->timer < 0 || !stamp->row || !stamp->dests || !stamp->lanes ||
	    heap_init(&stamp->heap, (size_t)cfg->nr_dests * cfg->sessions)) {
		err_set(e, err, "cannot open %u sessions", cfg->nr_dests * cfg->sessions);
		goto fail;
	}
	stamp->nr_lanes = cfg->nr_dests * cfg->sessions;
	look_at_clock(stamp, loop_mono_ns());
	err = fdlimit_raise(stamp->nr_lanes + SPARE_FDS, e);
	if (!err)
		err = choose_ssids(stamp, e);
	if (!err)
		err = open_dests(stamp, e);
	if (!err)
		err = open_lanes(stamp, e);
	if (err)
		goto fail;
	*ret_stamp = stamp;
	return 0;
fail:
	stamp_close(stamp);
	return err;
}

void stamp_close(struct stamp *stamp)
{
	uint32_t i;

	if (!stamp)
		return;
	for (i = 0; i < stamp->nr_lanes; i++) {
		if (stamp->lanes[i].fd > 0)
			close(stamp->lanes[i].fd);
	}
	for (i = 0; stamp->dests && i < stamp->cfg.nr_dests; i++)
		free(stamp->dests[i].sums);
	if (stamp->epoll >= 0)
		close(stamp->epoll);
	if (stamp->timer >= 0)
		close(stamp->timer);
	heap_release(&stamp->heap);
	free(stamp->lanes);
	free(stamp->dests);
	free(stamp->row);
	free(stamp);
}

static void push_next(struct stamp *stamp, uint32_t index)
{
	const struct stamp_lane *lane = &stamp->lanes[index];
	uint64_t due_ns = stamp->start_mono_ns + lane->due.ns;

	if ((!stamp->cfg.count || lane->session.sent < stamp->cfg.count) &&
	    due_ns < stamp->end_mono_ns)
		heap_push(&stamp->heap, due_ns, index);
}

/* Sends one session's due packet. A slot missed by far is skipped, not made up for in a burst. */
static int send_due(struct stamp *stamp, uint64_t now_ns, struct err *e)
{
	uint64_t due_ns = heap_due_ns(&stamp->heap), late_ns = now_ns - due_ns;
	uint32_t index = heap_pop(&stamp->heap);
	struct stamp_lane *lane = &stamp->lanes[index];
	struct stamp_dest *dest = &stamp->dests[lane->dest];
	int err = 0;

	if (late_ns > stamp->late_max_ns)
		stamp->late_max_ns = late_ns;
	if (late_ns > LATE_NS && late_ns > stamp->cfg.gap_ns) {
		dest->not_sent++;
	} else {
		err = ask(stamp, lane, (uint32_t)lane->session.sent,
			  (uint32_t)lane->session.sent + 1);
		if (!err) {
			lane->session.sent++;
			stamp->sent++;
		} else {
			dest->not_sent++;
		}
	}
	pace_advance(&lane->due, pace_gap(&lane->pace, lane->slot++, lane->due.ns));
	push_next(stamp, index);
	/* An unreachable network may come back; a packet that is too long stays too long. */
	if (err == -EMSGSIZE || err == -EPERM || err == -EACCES)
		return err_set(e, err, "cannot send to '%s'", dest->name);
	return 0;
}

/* Waits at most @wait_ms for an answer or the timer. */
static void take_ready(struct stamp *stamp, int wait_ms)
{
	struct epoll_event events[EVENTS];
	uint64_t times;
	int i, nr = epoll_wait(stamp->epoll, events, EVENTS, wait_ms);

	for (i = 0; i < nr; i++) {
		if (events[i].data.u32 != UINT32_MAX)
			stamp_take_all(stamp, &stamp->lanes[events[i].data.u32]);
		else if (read(stamp->timer, &times, sizeof(times)) < 0)
			continue;
	}
}

static void wait_until(struct stamp *stamp, uint64_t mono_ns)
{
	const struct itimerspec at = {
		.it_value = { .tv_sec = (time_t)(mono_ns / NSEC_PER_SEC),
			      .tv_nsec = (long)(mono_ns % NSEC_PER_SEC) },
	};

	timerfd_settime(stamp->timer, TFD_TIMER_ABSTIME, &at, NULL);
	take_ready(stamp, 1000);
}

static uint64_t min_of(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static int start(struct stamp *stamp, struct err *e)
{
	uint32_t i;
	int err;

	for (i = 0; i < stamp->cfg.nr_dests; i++) {
		if (stamp->cfg.kind != STAMP_KIND_UNKNOWN)
			break;
		err = ask_kind(stamp, i, e);
		if (err)
			return err;
	}
	stamp->full_before = counters_udp_full();
	stamp->start_mono_ns = stamp->last_mono_ns = loop_mono_ns();
	stamp->end_mono_ns = stamp->cfg.duration_ns ?
			     stamp->start_mono_ns + stamp->cfg.duration_ns : UINT64_MAX;
	for (i = 0; i < stamp->nr_lanes; i++) {
		stamp_session_init(&stamp->lanes[i].session,
				   stamp->dests[stamp->lanes[i].dest].kind);
		push_next(stamp, i);
	}
	return 0;
}

int stamp_run(struct stamp *stamp, struct result *res, struct err *e)
{
	uint64_t now_ns, tick_ns, until_ns = UINT64_MAX, sends = 0;
	int err = start(stamp, e);

	tick_ns = stamp->cfg.interval_ns ? stamp->start_mono_ns + stamp->cfg.interval_ns : UINT64_MAX;
	while (!err && !loop_signal()) {
		now_ns = loop_mono_ns();
		if (now_ns - stamp->error_read_mono_ns >= CLOCK_EVERY_NS)
			look_at_clock(stamp, now_ns);
		if (now_ns >= tick_ns) {
			stamp_report_row(stamp, res, now_ns - stamp->start_mono_ns, false);
			while (tick_ns <= now_ns)
				tick_ns += stamp->cfg.interval_ns;
		}
		if (heap_due_ns(&stamp->heap) <= now_ns) {
			err = send_due(stamp, now_ns, e);
			if (!(++sends % EVENTS))	/* read answers even when late */
				take_ready(stamp, 0);
			continue;
		}
		if (heap_due_ns(&stamp->heap) == UINT64_MAX && until_ns == UINT64_MAX)
			until_ns = now_ns + stamp->cfg.wait_ns;
		if (now_ns >= until_ns || (until_ns != UINT64_MAX && stamp->distinct >= stamp->sent))
			break;
		wait_until(stamp, min_of(min_of(heap_due_ns(&stamp->heap), tick_ns),
					 min_of(until_ns, now_ns + NSEC_PER_SEC)));
	}
	if (stamp->cfg.interval_ns && stamp->start_mono_ns)
		stamp_report_row(stamp, res, loop_mono_ns() - stamp->start_mono_ns, true);
	return err;
}

uint64_t stamp_lost(const struct stamp *stamp, uint64_t *ret_sent)
{
	uint64_t sent = 0, lost = 0;
	struct stamp_lost one;
	uint32_t i;

	for (i = 0; i < stamp->nr_lanes; i++) {
		stamp_session_lost(&stamp->lanes[i].session, &one);
		sent += stamp->lanes[i].session.sent;
		lost += one.all;
	}
	*ret_sent = sent;
	return lost;
}

const struct sockaddr *stamp_dest(const struct stamp *stamp, unsigned int i)
{
	return i < stamp->cfg.nr_dests ? &stamp->dests[i].addr.sa : NULL;
}

uint64_t stamp_socket_full(const struct stamp *stamp)
{
	uint64_t full = counters_udp_full() - stamp->full_before, dropped = 0;
	uint32_t i;

	for (i = 0; i < stamp->nr_lanes; i++)
		dropped += sock_dropped_packets(stamp->lanes[i].fd);
	return dropped < full ? dropped : full;
}
