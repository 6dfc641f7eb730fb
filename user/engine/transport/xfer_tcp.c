// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/transport/xfer_tcp.c - a TCP connection that sends, receives, asks or answers.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "engine/transport/xfer_parts.h"
#include "lib/hist.h"
#include "lib/loop.h"

#define REAP_EVERY 64		/* calls with MSG_ZEROCOPY */

int xfer_tcp_prepare(struct xfer_worker *worker, struct xfer_conn *conn, struct err *e)
{
	if (!conn->sends)
		return 0;
	if (pipe2(conn->pipe, O_CLOEXEC))
		return err_set(e, -errno, "cannot make a pipe");
	/* As large as a message, if the kernel lets it; smaller ones take more calls. */
	fcntl(conn->pipe[0], F_SETPIPE_SZ, (int)worker->xfer->test.message_bytes);
	return 0;
}

/* From the file into the pipe, and from there into the socket, as a proxy does. */
static ssize_t splice_some(const struct xfer_worker *worker, struct xfer_conn *conn, size_t len)
{
	off64_t from = 0;
	ssize_t n;

	if (!conn->piped_bytes) {
		n = splice(worker->file_fd, &from, conn->pipe[1], NULL, len, SPLICE_F_MOVE);
		if (n <= 0)
			return n;
		conn->piped_bytes = (uint64_t)n;
	}
	n = splice(conn->pipe[0], NULL, conn->fd, NULL, conn->piped_bytes, SPLICE_F_MOVE);
	conn->piped_bytes -= n > 0 ? (uint64_t)n : 0;
	return n;
}

static ssize_t send_some(struct xfer_worker *worker, struct xfer_conn *conn)
{
	const struct control_test *test = &worker->xfer->test;
	size_t len = test->message_bytes - conn->part;
	off_t from = 0;

	if (test->sendfile)
		return sendfile(conn->fd, worker->file_fd, &from, len);
	if (test->splice)
		return splice_some(worker, conn, len);
	if (!test->zerocopy)
		return send(conn->fd, worker->buf, len, MSG_NOSIGNAL);
	if (++conn->zerocopy_calls % REAP_EVERY == 0)
		sock_reap_zerocopy(conn->fd, &conn->zerocopy_done, &conn->zerocopy_copied);
	return send(conn->fd, worker->buf, len, MSG_NOSIGNAL | MSG_ZEROCOPY);
}

enum xfer_step xfer_tcp_send(struct xfer_worker *worker, struct xfer_conn *conn)
{
	const struct control_test *test = &worker->xfer->test;
	ssize_t sent;
	int i;

	for (i = 0; i < XFER_BUDGET; i++) {
		if (xfer_phase(worker) != XFER_RUNNING) {
			shutdown(conn->fd, SHUT_WR);
			return XFER_DONE;
		}
		if (xfer_is_paced(conn) && !conn->part && !xfer_is_due(conn, loop_mono_ns()))
			return XFER_WAIT;
		sent = send_some(worker, conn);
		if (sent < 0 && errno == ENOBUFS && test->zerocopy) {
			sock_reap_zerocopy(conn->fd, &conn->zerocopy_done, &conn->zerocopy_copied);
			return XFER_MORE;
		}
		if (sent < 0)
			return xfer_again(conn);
		xfer_count(&conn->sent_bytes, (uint64_t)sent);
		xfer_count(&conn->sent_packets, 1);
		conn->part += (uint64_t)sent;
		if (conn->part >= test->message_bytes) {
			conn->part = 0;
			xfer_next(conn);
		}
	}
	return XFER_MORE;
}

enum xfer_step xfer_tcp_receive(struct xfer_worker *worker, struct xfer_conn *conn)
{
	ssize_t got;
	int i;

	for (i = 0; i < XFER_BUDGET; i++) {
		got = recv(conn->fd, worker->buf, worker->buf_bytes, 0);
		if (!got)
			return XFER_DONE;
		if (got < 0)
			return xfer_again(conn);
		xfer_count(&conn->received_bytes, (uint64_t)got);
		xfer_count(&conn->received_packets, 1);
	}
	return XFER_MORE;
}

static enum xfer_step send_owed(struct xfer_worker *worker, struct xfer_conn *conn)
{
	uint64_t bytes;
	ssize_t sent;

	while (conn->owed) {
		bytes = conn->owed < worker->buf_bytes ? conn->owed : worker->buf_bytes;
		sent = send(conn->fd, worker->buf, bytes, MSG_NOSIGNAL);
		if (sent < 0)
			return xfer_again(conn);
		xfer_count(&conn->sent_bytes, (uint64_t)sent);
		xfer_count(&conn->sent_packets, 1);
		conn->owed -= (uint64_t)sent;
	}
	return XFER_MORE;
}

/* Requests that are due, as many in one call as there may be outstanding. */
static enum xfer_step ask(struct xfer_worker *worker, struct xfer_conn *conn)
{
	const struct control_test *test = &worker->xfer->test;
	uint64_t now_ns = loop_mono_ns();

	/* What was begun is sent to its end, as the other side waits for it. */
	while (conn->outstanding < test->outstanding && xfer_phase(worker) == XFER_RUNNING &&
	       (!xfer_is_paced(conn) || xfer_is_due(conn, now_ns))) {
		conn->asked_ns[conn->asked++ % test->outstanding] =
			xfer_is_paced(conn) ? conn->due.ns : now_ns;
		xfer_next(conn);
		conn->outstanding++;
		conn->owed += test->request_bytes;
	}
	return send_owed(worker, conn);
}

static void take_answers(struct xfer_worker *worker, struct xfer_conn *conn)
{
	const struct control_test *test = &worker->xfer->test;
	uint64_t now_ns = loop_mono_ns(), asked_ns;

	while (conn->got >= test->response_bytes && conn->outstanding) {
		asked_ns = conn->asked_ns[(conn->asked - conn->outstanding) % test->outstanding];
		conn->got -= test->response_bytes;
		conn->outstanding--;
		xfer_count(&conn->transactions, 1);
		if (now_ns >= worker->xfer->count_ns)
			xfer_note_time(worker, conn, now_ns - asked_ns);
	}
}

enum xfer_step xfer_tcp_ask(struct xfer_worker *worker, struct xfer_conn *conn)
{
	enum xfer_step step;
	bool emptied = false;
	ssize_t got;
	int i;

	for (i = 0; i < XFER_BUDGET; i++) {
		step = ask(worker, conn);
		if (step != XFER_MORE)
			return step;
		if (xfer_phase(worker) != XFER_RUNNING && !conn->outstanding) {
			shutdown(conn->fd, SHUT_WR);
			return XFER_DONE;
		}
		/* What comes from here on is told by epoll: asking for it now would be in vain. */
		if (emptied)
			return XFER_WAIT;
		got = recv(conn->fd, worker->buf, worker->buf_bytes, 0);
		if (!got)
			return xfer_fail(conn, ECONNRESET);
		if (got < 0)
			return xfer_again(conn);
		xfer_count(&conn->received_bytes, (uint64_t)got);
		xfer_count(&conn->received_packets, 1);
		conn->got += (uint64_t)got;
		take_answers(worker, conn);
		emptied = !worker->alone && (size_t)got < worker->buf_bytes;
	}
	return XFER_MORE;
}

enum xfer_step xfer_tcp_answer(struct xfer_worker *worker, struct xfer_conn *conn)
{
	const struct control_test *test = &worker->xfer->test;
	enum xfer_step step;
	bool emptied = false;
	uint64_t requests;
	ssize_t n;
	int i;

	for (i = 0; i < XFER_BUDGET; i++) {
		step = send_owed(worker, conn);
		if (step != XFER_MORE)
			return step;
		/* What comes from here on is told by epoll: asking for it now would be in vain. */
		if (emptied)
			return XFER_WAIT;
		n = recv(conn->fd, worker->buf, worker->buf_bytes, 0);
		if (!n)
			return XFER_DONE;
		if (n < 0)
			return xfer_again(conn);
		xfer_count(&conn->received_bytes, (uint64_t)n);
		xfer_count(&conn->received_packets, 1);
		conn->got += (uint64_t)n;
		requests = conn->got / test->request_bytes;
		conn->got %= test->request_bytes;
		conn->owed = requests * test->response_bytes;
		xfer_count(&conn->transactions, requests);
		emptied = !worker->alone && (size_t)n < worker->buf_bytes;
	}
	return XFER_MORE;
}
