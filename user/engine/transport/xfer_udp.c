// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/transport/xfer_udp.c - a UDP stream that sends, receives, asks or answers.
 *
 * Each datagram begins with the probe tag (abi/tag.h), so what receives in the
 * driver reads it too. An answer carries its request's tag back, and with it the
 * time at which that was sent.
 */
#include <endian.h>
#include <errno.h>
#include <string.h>

#include <arpa/inet.h>

#include "engine/transport/xfer_parts.h"
#include "lib/hist.h"
#include "lib/loop.h"
#include "sys/host/clock.h"

#define MOST_BYTES	65507	/* of a datagram over IPv4 */
#define CLOCK_STEP_NS	10000	/* a clock that differs by more has been set */

/* Where datagram @i of a call comes to. */
static char *place(const struct xfer_worker *worker, int i)
{
	return worker->buf + (size_t)i * worker->in->iov[0]->iov_len;
}

/* Where the tag of datagram @i of a call is taken from. */
static struct tag *tag_out(const struct xfer_worker *worker, unsigned int i)
{
	return worker->one ? (struct tag *)worker->buf : &worker->out->tags[i];
}

/* What comes has a place each; what is sent has a tag each, and shares the bytes behind it. */
void xfer_udp_prepare(struct xfer_worker *worker)
{
	const struct control_test *test = &worker->xfer->test;
	uint64_t in = test->message_bytes, out = test->message_bytes;
	int i;

	if (test->kind == CONTROL_RR) {
		in = worker->xfer->end == XFER_CLIENT ? test->response_bytes : test->request_bytes;
		out = worker->xfer->end == XFER_CLIENT ? test->request_bytes : test->response_bytes;
	}
	worker->one = test->kind == CONTROL_RR && test->outstanding == 1;
	for (i = 0; i < XFER_BATCH; i++) {
		worker->in->iov[i][0].iov_len = in;
		worker->in->iov[i][0].iov_base = place(worker, i);
		worker->in->msgs[i].msg_hdr = (struct msghdr){
			.msg_iov = worker->in->iov[i], .msg_iovlen = 1,
		};
		worker->out->iov[i][0] = (struct iovec){ &worker->out->tags[i], TAG_BYTES };
		worker->out->iov[i][1] = (struct iovec){ worker->buf, out - TAG_BYTES };
		worker->out->msgs[i].msg_hdr = (struct msghdr){
			.msg_iov = worker->out->iov[i], .msg_iovlen = out > TAG_BYTES ? 2 : 1,
		};
	}
}

static void write_tag(struct tag *tag, const struct xfer_conn *conn, uint32_t sequence,
		      uint64_t sent_ns)
{
	tag_write(tag, XFER_RUN, (uint16_t)conn->stream, sequence, sent_ns);
}

/* The tag of a datagram, if it has one and that is of @run. */
static bool get_tag(const void *datagram, size_t len, uint16_t run, struct tag_fields *ret_tag)
{
	const struct tag *tag = datagram;

	return len >= sizeof(*tag) && tag_read(tag->high, tag->low, tag->complement, ret_tag) &&
	       ret_tag->run == run;
}

/* What became of a call that should send @nr datagrams of @bytes: how many it took. */
static int note_sent(struct xfer_conn *conn, int sent, uint64_t bytes)
{
	if (sent > 0) {
		xfer_count(&conn->sent_packets, (uint64_t)sent);
		xfer_count(&conn->sent_bytes, (uint64_t)sent * bytes);
	} else if (errno == ECONNREFUSED || errno == ENOBUFS) {
		/* An answer to an earlier one, or a full queue: this one was not sent. */
		xfer_count(&conn->send_errors, 1);
	} else {
		return -errno;
	}
	return sent > 0 ? sent : 0;
}

/* One datagram by the plain call, which costs a tenth of a transaction less than a batch of one. */
static int receive_one(struct xfer_worker *worker, int fd)
{
	ssize_t len = recv(fd, worker->buf, worker->in->iov[0]->iov_len, 0);

	worker->in->msgs[0].msg_len = len > 0 ? (unsigned int)len : 0;
	return len < 0 ? -1 : 1;
}

static int send_all(struct xfer_worker *worker, int fd, unsigned int nr, uint64_t bytes)
{
	if (worker->one)
		return send(fd, worker->buf, bytes, MSG_NOSIGNAL) < 0 ? -1 : 1;
	if (worker->xfer->test.gso && nr > 1)
		return sock_send_joined(fd, worker->out->iov[0], 2 * nr, bytes) < 0 ? -1 : (int)nr;
	return sendmmsg(fd, worker->out->msgs, nr, 0);
}

/* What was due before is not made up for. */
static void skip_to(struct xfer_conn *conn, uint64_t ns)
{
	if (conn->due.ns < ns)
		conn->due = (struct pace_time){ .ns = ns };
}

/* Sends in the times that are on; false: pauses, and *conn is set up to wait. */
static bool is_on(struct xfer_worker *worker, struct xfer_conn *conn, uint64_t now_ns)
{
	const struct control_test *test = &worker->xfer->test;
	uint64_t cycle_ns = test->on_ns + test->off_ns, at_ns;

	if (!test->on_ns)
		return true;
	at_ns = (now_ns - worker->xfer->start_ns) % cycle_ns;
	if (at_ns < test->on_ns) {
		/* A thread that got no CPU in the pause comes here at once. */
		skip_to(conn, now_ns - at_ns);
		return true;
	}
	conn->wake_ns = now_ns + cycle_ns - at_ns;
	skip_to(conn, conn->wake_ns);
	return false;
}

/* Datagrams that are joined are one to IP, and have to fit its length. */
static uint64_t most_at_once(const struct control_test *test)
{
	uint64_t fit = MOST_BYTES / test->message_bytes;

	return test->gso && fit < XFER_BATCH ? fit : XFER_BATCH;
}

enum xfer_step xfer_udp_send(struct xfer_worker *worker, struct xfer_conn *conn)
{
	const struct control_test *test = &worker->xfer->test;
	uint64_t now_ns = loop_mono_ns(), nr = most_at_once(test), left;
	int sent, i;

	if (xfer_phase(worker) != XFER_RUNNING)
		return XFER_DONE;
	if (!is_on(worker, conn, now_ns))
		return XFER_WAIT;
	if (xfer_is_paced(conn)) {
		if (!xfer_is_due(conn, now_ns))
			return XFER_WAIT;
		left = test->batch - conn->slot % test->batch;
		nr = nr < left ? nr : left;
	}
	for (i = 0; i < (int)nr; i++)
		write_tag(tag_out(worker, (unsigned int)i), conn, conn->sequence + (uint32_t)i, now_ns);
	sent = send_all(worker, conn->fd, (unsigned int)nr, test->message_bytes);
	sent = note_sent(conn, sent, test->message_bytes);
	if (sent < 0)
		return xfer_again(conn);
	conn->sequence += (uint32_t)sent;
	for (i = 0; i < sent; i++)
		xfer_next(conn);
	return XFER_MORE;
}

/* Places are given out to all threads; the count may run on beyond them, but not around. */
static void note_arrival(struct xfer *xfer, const struct tag_fields *tag, uint64_t came_ns, uint64_t sent_ns)
{
	unsigned int at = atomic_load_explicit(&xfer->nr_arrivals, memory_order_relaxed);

	if (at >= xfer->test.arrivals)
		return;
	at = atomic_fetch_add(&xfer->nr_arrivals, 1);
	if (at >= xfer->test.arrivals)
		return;
	xfer->arrivals[at] = (struct control_arrival){
		.stream = tag->stream, .sequence = tag->sequence,
		.received_ns = came_ns,
		.delay_ns = came_ns > sent_ns ? came_ns - sent_ns : 0,
	};
}

/*
 * A tag of ours; the number of it is counted, and its time taken by @hist. @came_ns: when the kernel
 * had it, if reported, or now.
 */
static void read_tag(struct xfer_worker *worker, struct xfer_conn *conn, const void *at, size_t len,
		     uint64_t now_ns, uint64_t came_ns)
{
	struct tag_fields tag;
	uint64_t sent_ns;

	if (!get_tag(at, len, XFER_RUN, &tag) || tag.stream != conn->stream)
		return;
	sent_ns = tag_widen(tag.time, now_ns);
	seqwin_add(conn->win, 0, tag.sequence);
	if (now_ns < worker->xfer->count_ns)
		return;
	if (worker->xfer->arrivals)
		note_arrival(worker->xfer, &tag, came_ns, sent_ns);
	if (now_ns >= sent_ns)
		xfer_note_time(worker, conn, now_ns - sent_ns);
	else
		worker->hist->negative++;
}

/* The punch of the start is no datagram of the test. */
static void count(struct xfer_conn *conn, const void *datagram, size_t len)
{
	struct tag_fields tag;

	if (get_tag(datagram, len, XFER_PUNCH_RUN, &tag))
		return;
	xfer_count(&conn->received_packets, 1);
	xfer_count(&conn->received_bytes, len);
}

/* Whether there is a place for one more arrival. */
static bool takes_arrivals(const struct xfer *xfer)
{
	return xfer->arrivals && atomic_load_explicit(&xfer->nr_arrivals, memory_order_relaxed) <
				 xfer->test.arrivals;
}

/* Waits for the first only: how many, or -errno. */
static int receive(struct xfer_worker *worker, struct xfer_conn *conn)
{
	const struct control_test *test = &worker->xfer->test;
	unsigned int most = XFER_BATCH;
	int got, i;

	for (i = 0; takes_arrivals(worker->xfer) && i < XFER_BATCH; i++) {
		worker->in->msgs[i].msg_hdr.msg_control = worker->in->control[i];
		worker->in->msgs[i].msg_hdr.msg_controllen = sizeof(worker->in->control[i]);
	}
	/* Where no more can be there, asking for it costs a tenth of a transaction. */
	if (test->kind == CONTROL_RR && test->outstanding < most)
		most = (unsigned int)test->outstanding;
	got = worker->one ? receive_one(worker, conn->fd) :
			    recvmmsg(conn->fd, worker->in->msgs, most, MSG_WAITFORONE, NULL);
	if (got < 0)
		return -errno;
	for (i = 0; i < got; i++)
		count(conn, place(worker, i), worker->in->msgs[i].msg_len);
	return got;
}

/* As many as the kernel joined, as if each had come by itself. */
static enum xfer_step receive_joined(struct xfer_worker *worker, struct xfer_conn *conn)
{
	uint64_t now_ns;
	size_t each, at, len;
	ssize_t got;

	got = sock_receive_joined(conn->fd, worker->buf, worker->buf_bytes, &each);
	if (got < 0)
		return errno == ECONNREFUSED ? XFER_MORE : xfer_again(conn);
	now_ns = loop_mono_ns();
	for (at = 0; at < (size_t)got; at += each) {
		len = (size_t)got - at < each ? (size_t)got - at : each;
		count(conn, worker->buf + at, len);
		read_tag(worker, conn, worker->buf + at, len, now_ns, now_ns);
	}
	__atomic_store_n(&conn->last_ns, now_ns, __ATOMIC_RELAXED);
	return XFER_MORE;
}

/*
 * The offset between the clocks changes only when one is set: a new reading is used only then, as
 * its error would come between two arrivals.
 */
static uint64_t utc_offset_ns(struct xfer_worker *worker)
{
	uint64_t *known_ns = &worker->utc_offset_ns, offset_ns, error_ns;

	if (!clock_utc_offset(&offset_ns, &error_ns) &&
	    (offset_ns > *known_ns + CLOCK_STEP_NS || *known_ns > offset_ns + CLOCK_STEP_NS))
		*known_ns = offset_ns;
	return *known_ns;
}

/* When each datagram of a call came: by the kernel, as one call reads many that came one by one. */
static void find_times(struct xfer_worker *worker, int got, uint64_t now_ns)
{
	uint64_t offset_ns, utc_ns, came_ns;
	int i;

	if (!takes_arrivals(worker->xfer)) {
		for (i = 0; i < got; i++)
			worker->in->came_ns[i] = now_ns;
		return;
	}
	offset_ns = utc_offset_ns(worker);
	for (i = 0; i < got; i++) {
		utc_ns = sock_time_utc_ns(&worker->in->msgs[i].msg_hdr);
		came_ns = utc_ns - offset_ns;
		/* Not of the future: the kernel reported no time, or a clock was set since. */
		worker->in->came_ns[i] = utc_ns && came_ns < now_ns ? came_ns : now_ns;
	}
}

enum xfer_step xfer_udp_receive(struct xfer_worker *worker, struct xfer_conn *conn)
{
	uint64_t now_ns;
	int got, i;

	if (worker->xfer->test.gso)
		return receive_joined(worker, conn);
	got = receive(worker, conn);
	if (got == -ECONNREFUSED)
		return XFER_MORE;
	if (got < 0)
		return xfer_again(conn);
	now_ns = loop_mono_ns();
	find_times(worker, got, now_ns);
	for (i = 0; i < got; i++)
		read_tag(worker, conn, place(worker, i), worker->in->msgs[i].msg_len, now_ns,
			 worker->in->came_ns[i]);
	__atomic_store_n(&conn->last_ns, now_ns, __ATOMIC_RELAXED);
	return XFER_MORE;
}

/* As many requests as are due and may be outstanding. */
static enum xfer_step ask(struct xfer_worker *worker, struct xfer_conn *conn, uint64_t now_ns)
{
	const struct control_test *test = &worker->xfer->test;
	struct pace_time due = conn->due;
	uint64_t slot = conn->slot;
	unsigned int nr = 0;
	int sent, i;

	while (nr < XFER_BATCH && conn->outstanding + nr < test->outstanding &&
	       (!xfer_is_paced(conn) || xfer_is_due(conn, now_ns))) {
		write_tag(tag_out(worker, nr), conn, conn->sequence + nr,
			  xfer_is_paced(conn) ? conn->due.ns : now_ns);
		xfer_next(conn);
		nr++;
	}
	if (!nr)
		return XFER_MORE;
	sent = note_sent(conn, send_all(worker, conn->fd, nr, test->request_bytes),
			 test->request_bytes);
	conn->due = due;
	conn->slot = slot;
	for (i = 0; i < sent; i++)
		xfer_next(conn);
	if (sent < 0)
		return xfer_again(conn);
	conn->sequence += (uint32_t)sent;
	xfer_count(&conn->asked, (uint64_t)sent);
	conn->outstanding += (uint64_t)sent;
	conn->since_ns = now_ns;
	return XFER_MORE;
}

static void take_answers(struct xfer_worker *worker, struct xfer_conn *conn, int got)
{
	uint64_t now_ns = loop_mono_ns(), before = conn->win->distinct, distinct;
	int i;

	for (i = 0; i < got; i++)
		read_tag(worker, conn, place(worker, i), worker->in->msgs[i].msg_len, now_ns, now_ns);
	distinct = conn->win->distinct - before;
	xfer_count(&conn->transactions, distinct);
	conn->outstanding -= distinct < conn->outstanding ? distinct : conn->outstanding;
	conn->since_ns = now_ns;
}

enum xfer_step xfer_udp_ask(struct xfer_worker *worker, struct xfer_conn *conn)
{
	bool running = xfer_phase(worker) == XFER_RUNNING;
	uint64_t now_ns = loop_mono_ns();
	enum xfer_step step = XFER_MORE;
	int got;

	if (!running && !conn->outstanding)
		return XFER_DONE;
	/* A request or its answer was lost: what it held up goes on without it. */
	if (conn->outstanding && now_ns - conn->since_ns > XFER_LOST_NS) {
		xfer_count(&conn->timeouts, conn->outstanding);
		conn->outstanding = 0;
	}
	if (running)
		step = ask(worker, conn, now_ns);
	if (step != XFER_MORE)
		return step;
	got = receive(worker, conn);
	if (got == -ECONNREFUSED)
		return XFER_MORE;
	if (got < 0)
		return xfer_again(conn);
	take_answers(worker, conn, got);
	return XFER_MORE;
}

enum xfer_step xfer_udp_answer(struct xfer_worker *worker, struct xfer_conn *conn)
{
	const struct control_test *test = &worker->xfer->test;
	unsigned int nr = 0;
	int got, i, sent;
	struct tag_fields tag;

	got = receive(worker, conn);
	if (got == -ECONNREFUSED)
		return XFER_MORE;
	if (got < 0)
		return xfer_again(conn);
	for (i = 0; i < got; i++) {
		if (get_tag(place(worker, i), worker->in->msgs[i].msg_len, XFER_RUN, &tag))
			memcpy(tag_out(worker, nr++), place(worker, i), TAG_BYTES);
	}
	xfer_count(&conn->transactions, nr);
	if (!nr)
		return XFER_MORE;
	sent = note_sent(conn, send_all(worker, conn->fd, nr, test->response_bytes),
			 test->response_bytes);
	if (sent < 0)
		return xfer_again(conn);
	xfer_count(&conn->send_errors, nr - (unsigned int)sent);
	return XFER_MORE;
}
