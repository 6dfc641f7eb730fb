// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/transport/xfer_crr.c - connect, request, response, close: each transaction a
 * connection of its own.
 *
 * The server closes first, so that it is the one with sockets in TIME-WAIT, where
 * they hold no port that the client needs.
 */
#include <errno.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <netinet/in.h>
#include <netinet/tcp.h>

#include "engine/transport/xfer_parts.h"
#include "lib/hist.h"
#include "lib/loop.h"

enum { IDLE, CONNECTING, ASKING, READING };

static void close_conn(struct xfer_conn *conn)
{
	if (conn->fd >= 0)
		close(conn->fd);
	conn->fd = -1;
	conn->state = IDLE;
}

static enum xfer_step open_conn(struct xfer_worker *worker, struct xfer_conn *conn)
{
	struct epoll_event event = { .events = EPOLLIN | EPOLLOUT | EPOLLET, .data.ptr = conn };
	const struct sock_addr *peer = &worker->xfer->peer;
	struct err e;
	int fd;

	conn->since_ns = xfer_is_paced(conn) ? conn->due.ns : loop_mono_ns();
	xfer_next(conn);
	fd = socket(peer->sa.sa_family, SOCK_STREAM | SOCK_CLOEXEC |
		    (worker->alone ? 0 : SOCK_NONBLOCK), 0);
	if (fd < 0)
		return xfer_fail(conn, errno);
	conn->fd = fd;
	xfer_count(&conn->asked, 1);
	if (sock_apply(fd, &worker->xfer->opts, &e))
		return xfer_fail(conn, -e.no);
	if (worker->alone)
		sock_set_timeouts(fd, XFER_CALL_NS);
	else if (epoll_ctl(worker->epoll_fd, EPOLL_CTL_ADD, fd, &event))
		return xfer_fail(conn, errno);
	conn->state = CONNECTING;
	return XFER_MORE;
}

/* A connection that failed is counted, and another takes its place. */
static enum xfer_step give_up(struct xfer_conn *conn)
{
	xfer_count(&conn->timeouts, 1);
	close_conn(conn);
	return XFER_MORE;
}

/* The same call again tells how a connection that takes its time gets on. */
static enum xfer_step get_connected(struct xfer_worker *worker, struct xfer_conn *conn)
{
	const struct sock_addr *peer = &worker->xfer->peer;

	if (connect(conn->fd, &peer->sa, peer->len) && errno != EISCONN) {
		if (errno == EINPROGRESS || errno == EALREADY)
			return XFER_WAIT;
		return errno == ETIMEDOUT || errno == ECONNRESET ? give_up(conn) :
								   xfer_again(conn);
	}
	conn->got = 0;
	conn->owed = worker->xfer->test.request_bytes;
	conn->state = ASKING;
	return XFER_MORE;
}

static enum xfer_step send_request(struct xfer_worker *worker, struct xfer_conn *conn)
{
	ssize_t sent = send(conn->fd, worker->buf, conn->owed, MSG_NOSIGNAL);

	if (sent < 0 && (errno == ECONNRESET || errno == EPIPE || errno == ETIMEDOUT))
		return give_up(conn);
	if (sent < 0)
		return xfer_again(conn);
	xfer_count(&conn->sent_bytes, (uint64_t)sent);
	conn->owed -= (uint64_t)sent;
	return XFER_MORE;
}

static enum xfer_step read_response(struct xfer_worker *worker, struct xfer_conn *conn)
{
	const uint64_t whole = worker->xfer->test.response_bytes;
	ssize_t got = recv(conn->fd, worker->buf, worker->buf_bytes, 0);
	uint64_t now_ns;

	if ((got < 0 && errno == ECONNRESET) || (!got && conn->got < whole))
		return give_up(conn);
	if (got < 0)
		return xfer_again(conn);
	if (!got) {
		close_conn(conn);
		return XFER_MORE;
	}
	xfer_count(&conn->received_bytes, (uint64_t)got);
	conn->got += (uint64_t)got;
	if (conn->got != whole)
		return XFER_MORE;
	now_ns = loop_mono_ns();
	xfer_count(&conn->transactions, 1);
	if (now_ns >= worker->xfer->count_ns)
		xfer_note_time(worker, conn, now_ns - conn->since_ns);
	return XFER_MORE;
}

enum xfer_step xfer_crr_connect(struct xfer_worker *worker, struct xfer_conn *conn)
{
	switch (conn->state) {
	case IDLE:
		if (xfer_phase(worker) != XFER_RUNNING)
			return XFER_DONE;
		if (xfer_is_paced(conn) && !xfer_is_due(conn, loop_mono_ns()))
			return XFER_WAIT;
		return open_conn(worker, conn);
	case CONNECTING:
		return get_connected(worker, conn);
	case ASKING:
		if (conn->owed)
			return send_request(worker, conn);
		conn->state = READING;
		return XFER_MORE;
	default:
		return read_response(worker, conn);
	}
}

/* One whole transaction of a connection that has been accepted, with calls that block. */
static void serve_one(struct xfer_worker *worker, struct xfer_conn *conn, int fd)
{
	const struct control_test *test = &worker->xfer->test;
	uint64_t left = test->request_bytes, bytes;
	ssize_t n;
	int tries = 0;

	while (left) {
		bytes = left < worker->buf_bytes ? left : worker->buf_bytes;
		n = recv(fd, worker->buf, bytes, 0);
		if (n < 0 && errno == EAGAIN && ++tries < 50 && xfer_phase(worker) != XFER_ENDING)
			continue;
		if (n <= 0)
			return;
		xfer_count(&conn->received_bytes, (uint64_t)n);
		left -= (uint64_t)n;
	}
	for (left = test->response_bytes; left; left -= (uint64_t)n) {
		bytes = left < worker->buf_bytes ? left : worker->buf_bytes;
		n = send(fd, worker->buf, bytes, MSG_NOSIGNAL);
		if (n <= 0)
			return;
		xfer_count(&conn->sent_bytes, (uint64_t)n);
	}
	xfer_count(&conn->transactions, 1);
}

enum xfer_step xfer_crr_accept(struct xfer_worker *worker, struct xfer_conn *conn)
{
	struct sock_addr from = { .len = sizeof(from.storage) };
	int fd = accept4(conn->fd, &from.sa, &from.len, SOCK_CLOEXEC);

	if (fd < 0)
		return errno == ECONNABORTED ? XFER_MORE : xfer_again(conn);
	if (sock_same_host(&from, &worker->xfer->peer)) {
		sock_set_timeouts(fd, XFER_CALL_NS);
		serve_one(worker, conn, fd);
	}
	close(fd);
	return XFER_MORE;
}
