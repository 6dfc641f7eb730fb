// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/transport/xfer.c - one end of a transport test: its life, and the marks that rates are of.
 */
#include "engine/transport/xfer.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "engine/transport/xfer_parts.h"
#include "lib/hist.h"
#include "lib/loop.h"
#include "lib/pdv.h"
#include "proto/flow_file.h"
#include "sys/host/cpu.h"
#include "sys/net/counters.h"

#define QUIET_NS	300000000ull	/* nothing of UDP for so long: what was under way has come */
#define LEAST_PER_S	(1.0 / 8192)	/* a gap of 2.3 hours, near the longest of a schedule */

unsigned int xfer_streams(const struct control_test *test)
{
	return (unsigned int)test->streams * (test->direction == CONTROL_BOTH ? 2 : 1);
}

static unsigned int nr_cpus(void)
{
	long nr = sysconf(_SC_NPROCESSORS_ONLN);

	return nr > 0 ? (unsigned int)nr : 1;
}

/* A crr server has as many acceptors as threads, and a client as many connections as streams. */
static unsigned int nr_conns(const struct control_test *test, enum xfer_end end)
{
	unsigned int nr = xfer_streams(test);

	return test->kind == CONTROL_CRR && end == XFER_SERVER && nr > nr_cpus() ? nr_cpus() : nr;
}

static unsigned int nr_threads(const struct control_test *test, unsigned int conns)
{
	unsigned int most = 4 * nr_cpus();
	unsigned int nr = test->threads ? (unsigned int)test->threads : nr_cpus();

	nr = nr < most ? nr : most;
	return nr < conns ? nr : conns;
}

uint64_t xfer_memory_bytes(const struct control_test *test, enum xfer_end end)
{
	uint64_t conn = sizeof(struct xfer_conn), buffer = xfer_buffer_bytes(test), worker;
	unsigned int conns = nr_conns(test, end);

	worker = sizeof(struct xfer_worker) + buffer + sizeof(struct hist_rec) + sizeof(struct pdv_rec);
	if (test->sendfile || test->splice)
		worker += test->message_bytes;
	if (test->splice)
		conn += test->message_bytes < XFER_MAX_PIPE ? test->message_bytes : XFER_MAX_PIPE;
	if (test->protocol == CONTROL_UDP) {
		worker += 2 * sizeof(struct xfer_batch);
		conn += sizeof(struct seqwin);
	}
	if (end == XFER_CLIENT && test->kind != CONTROL_STREAM)
		conn += test->outstanding * sizeof(uint64_t);
	return sizeof(struct xfer) + sizeof(struct hist_rec) + sizeof(struct pdv_rec) + conns * conn +
	       nr_threads(test, conns) * worker + test->arrivals * sizeof(struct control_arrival);
}

static xfer_step_fn *choose_step(const struct xfer *xfer, bool sends)
{
	bool udp = xfer->test.protocol == CONTROL_UDP, client = xfer->end == XFER_CLIENT;

	if (xfer->test.kind == CONTROL_CRR)
		return client ? xfer_crr_connect : xfer_crr_accept;
	if (xfer->test.kind == CONTROL_RR)
		return client ? udp ? xfer_udp_ask : xfer_tcp_ask :
				udp ? xfer_udp_answer : xfer_tcp_answer;
	return sends ? udp ? xfer_udp_send : xfer_tcp_send :
		       udp ? xfer_udp_receive : xfer_tcp_receive;
}

/* So many a second, @batch of them at once. */
static struct pace pace_of(double per_second, uint64_t batch)
{
	struct pace pace = flow_pace_even(fmax(per_second / (double)batch, LEAST_PER_S));

	if (batch > 1)
		pace = (struct pace){ .kind = PACE_BURST, .burst = batch, .rest = pace.gap };
	return pace;
}

static void set_up_conn(struct xfer *xfer, unsigned int index)
{
	struct xfer_conn *conn = &xfer->conns[index];
	const struct control_test *test = &xfer->test;
	bool there = test->direction == CONTROL_THERE ||
		     (test->direction == CONTROL_BOTH && index < test->streams);

	conn->fd = conn->pipe[0] = conn->pipe[1] = -1;
	conn->stream = index;
	conn->sends = test->kind != CONTROL_STREAM || there == (xfer->end == XFER_CLIENT);
	conn->receives = test->kind != CONTROL_STREAM || !conn->sends;
	conn->asks = test->kind != CONTROL_STREAM && xfer->end == XFER_CLIENT;
	conn->step = choose_step(xfer, conn->sends);
	conn->ready = true;
	if (test->kind == CONTROL_STREAM && conn->sends && test->rate_bps)
		conn->pace = pace_of((double)test->rate_bps / 8 / (double)test->message_bytes /
				     (double)test->streams, test->batch);
}

static int alloc_conn(struct xfer *xfer, struct xfer_conn *conn)
{
	if (xfer->test.protocol == CONTROL_UDP && conn->receives)
		conn->win = calloc(1, sizeof(*conn->win));
	if (conn->asks)
		conn->asked_ns = calloc(xfer->test.outstanding, sizeof(*conn->asked_ns));
	return (conn->win || xfer->test.protocol != CONTROL_UDP || !conn->receives) &&
	       (conn->asked_ns || !conn->asks) ? 0 : -ENOMEM;
}

int xfer_new(struct xfer **ret_xfer, const struct control_test *test, enum xfer_end end,
	     const struct sock_opts *opts, struct err *e)
{
	struct xfer *xfer = calloc(1, sizeof(*xfer));
	unsigned int i;
	int err = 0;

	if (!xfer)
		return err_set(e, -ENOMEM, "cannot make a test");
	xfer->test = *test;
	if (!xfer->test.batch)
		xfer->test.batch = 1;
	xfer->end = end;
	xfer->opts = *opts;
	xfer->full_before = counters_udp_full();
	xfer->nr_conns = nr_conns(test, end);
	xfer->conns = calloc(xfer->nr_conns, sizeof(*xfer->conns));
	xfer->sum = calloc(1, sizeof(*xfer->sum));
	xfer->pdv = calloc(1, sizeof(*xfer->pdv));
	if (test->arrivals)
		xfer->arrivals = calloc(test->arrivals, sizeof(*xfer->arrivals));
	if (!xfer->conns || !xfer->sum || !xfer->pdv || (test->arrivals && !xfer->arrivals))
		err = -ENOMEM;
	for (i = 0; xfer->conns && i < xfer->nr_conns; i++) {
		set_up_conn(xfer, i);
		err = err ? err : alloc_conn(xfer, &xfer->conns[i]);
	}
	if (err) {
		xfer_free(xfer);
		return err_set(e, err, "cannot make a test");
	}
	*ret_xfer = xfer;
	return 0;
}

void xfer_add(struct xfer *xfer, unsigned int stream, int fd)
{
	xfer->conns[stream].fd = fd;
}

void xfer_set_peer(struct xfer *xfer, const struct sock_addr *peer)
{
	xfer->peer = *peer;
}

int xfer_add_listener(struct xfer *xfer, int fd, struct err *e)
{
	unsigned int i;

	for (i = 0; i < xfer->nr_conns; i++) {
		xfer->conns[i].fd = dup(fd);
		if (xfer->conns[i].fd < 0)
			return err_set(e, -errno, "cannot share a socket");
		sock_set_timeouts(xfer->conns[i].fd, XFER_CALL_NS);
	}
	return 0;
}

void xfer_set_request_rate(struct xfer *xfer, double per_second)
{
	unsigned int i;

	xfer->requests_per_s = per_second;
	for (i = 0; per_second > 0 && i < xfer->nr_conns; i++)
		xfer->conns[i].pace = pace_of(per_second / (double)xfer->nr_conns, 1);
}

int xfer_start(struct xfer *xfer, struct err *e)
{
	unsigned int i, nr = nr_threads(&xfer->test, xfer->nr_conns);

	xfer->workers = calloc(nr, sizeof(*xfer->workers));
	if (!xfer->workers)
		return err_set(e, -ENOMEM, "cannot make a test");
	xfer->nr_workers = nr;
	for (i = 0; i < nr; i++)
		xfer->workers[i].epoll_fd = xfer->workers[i].file_fd = -1;
	for (i = 0; i < nr; i++) {
		if (xfer_worker_set_up(xfer, i, e))
			return e->no;
	}
	/* The peer may begin before this end knows that it has: with nothing to omit, all counts. */
	xfer->count_ns = xfer->test.omit_ns ? UINT64_MAX : 0;
	for (i = 0; i < nr; i++) {
		if (xfer_worker_start(&xfer->workers[i], e))
			return e->no;
	}
	return 0;
}

void xfer_open(struct xfer *xfer)
{
	unsigned int i;

	xfer->start_ns = loop_mono_ns();
	xfer->end_ns = xfer->start_ns + xfer->test.omit_ns + xfer->test.duration_ns;
	for (i = 0; i < xfer->nr_conns; i++) {
		struct xfer_conn *conn = &xfer->conns[i];

		conn->due = (struct pace_time){ .ns = xfer->start_ns };
		conn->last_due_ns = xfer->end_ns;
		/* Open-loop requests of several connections come in turn, not all at once. */
		if (conn->asks)
			pace_advance(&conn->due, conn->pace.gap / xfer->nr_conns * i);
	}
	__atomic_store_n(&xfer->count_ns, xfer->start_ns + xfer->test.omit_ns, __ATOMIC_RELAXED);
	atomic_store(&xfer->phase, XFER_RUNNING);
	xfer_tick(xfer);
}

static uint64_t load(const uint64_t *counter)
{
	return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

static uint64_t cpu_ns(struct xfer *xfer)
{
	uint64_t sum = 0;
	clockid_t clock;
	unsigned int i;

	for (i = 0; i < xfer->nr_workers; i++) {
		struct xfer_worker *worker = &xfer->workers[i];

		if (!worker->started || atomic_load(&worker->ended) ||
		    pthread_getcpuclockid(worker->id, &clock))
			sum += atomic_load(&worker->cpu_ns);
		else
			sum += xfer_thread_cpu_ns(clock);
	}
	return sum;
}

static void mark(struct xfer *xfer, struct xfer_mark *ret_mark)
{
	struct xfer_mark now = { .host_busy_ns = cpu_host_busy_ns(), .cpu_ns = cpu_ns(xfer) };
	unsigned int i;

	for (i = 0; i < xfer->nr_conns; i++) {
		now.sent_bytes += load(&xfer->conns[i].sent_bytes);
		now.received_bytes += load(&xfer->conns[i].received_bytes);
		now.transactions += load(&xfer->conns[i].transactions);
	}
	now.mono_ns = loop_mono_ns();
	*ret_mark = now;
}

void xfer_tick(struct xfer *xfer)
{
	uint64_t now_ns = loop_mono_ns();
	unsigned int i;

	for (i = 0; xfer->test.window_clamp_bytes && i < xfer->nr_conns; i++)
		sock_keep_clamp(xfer->conns[i].fd, xfer->test.window_clamp_bytes);

	if (!xfer->begin.mono_ns && now_ns >= xfer->count_ns)
		mark(xfer, &xfer->begin);
	if (!xfer->stop.mono_ns && now_ns >= xfer->end_ns)
		xfer_stop(xfer);
}

void xfer_stop(struct xfer *xfer)
{
	if (xfer->stop.mono_ns)
		return;
	mark(xfer, &xfer->stop);
	if (!xfer->begin.mono_ns)
		xfer->begin = xfer->stop;	/* ended within what was to be omitted */
	atomic_store(&xfer->phase, XFER_STOPPING);
}

/* Until it has been acknowledged, what was sent may be sent again, and is then to be counted. */
static bool is_under_way(const struct xfer *xfer, const struct xfer_conn *conn)
{
	return xfer->test.protocol == CONTROL_TCP && xfer->test.kind == CONTROL_STREAM && conn->sends &&
	       !conn->error && !sock_is_acked(conn->fd);
}

bool xfer_is_drained(struct xfer *xfer)
{
	uint64_t now_ns = loop_mono_ns(), last_ns;
	bool udp = xfer->test.protocol == CONTROL_UDP;
	unsigned int i;

	if (xfer->test.kind != CONTROL_STREAM && xfer->end == XFER_SERVER)
		return true;	/* the client stops when it has its answers */
	for (i = 0; i < xfer->nr_conns; i++) {
		const struct xfer_conn *conn = &xfer->conns[i];

		if (__atomic_load_n(&conn->done, __ATOMIC_RELAXED)) {
			if (is_under_way(xfer, conn))
				return false;
			continue;
		}
		last_ns = load(&conn->last_ns);
		last_ns = last_ns > xfer->stop.mono_ns ? last_ns : xfer->stop.mono_ns;
		if (!udp || conn->sends || now_ns - last_ns < QUIET_NS)
			return false;
	}
	return true;
}

void xfer_finish(struct xfer *xfer)
{
	unsigned int i;

	if (xfer->nr_workers)
		xfer_stop(xfer);
	atomic_store(&xfer->phase, XFER_ENDING);
	/* Wakes who waits for a request or an answer that will not come. */
	for (i = 0; xfer->nr_workers && xfer->test.kind == CONTROL_RR && i < xfer->nr_conns; i++) {
		if (!__atomic_load_n(&xfer->conns[i].done, __ATOMIC_RELAXED))
			shutdown(xfer->conns[i].fd, SHUT_RDWR);
	}
	for (i = 0; i < xfer->nr_workers; i++) {
		if (!xfer->workers[i].started)
			continue;
		pthread_join(xfer->workers[i].id, NULL);
		xfer->workers[i].started = false;
		hist_merge(xfer->sum, xfer->workers[i].hist);
		pdv_merge(xfer->pdv, xfer->workers[i].pdv);
	}
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

void xfer_free(struct xfer *xfer)
{
	unsigned int i;

	if (!xfer)
		return;
	xfer_finish(xfer);
	for (i = 0; i < xfer->nr_workers; i++) {
		struct xfer_worker *worker = &xfer->workers[i];

		close_fd(worker->epoll_fd);
		close_fd(worker->file_fd);
		free(worker->buf);
		free(worker->hist);
		free(worker->pdv);
		free(worker->in);
		free(worker->out);
	}
	for (i = 0; xfer->conns && i < xfer->nr_conns; i++) {
		close_fd(xfer->conns[i].fd);
		close_fd(xfer->conns[i].pipe[0]);
		close_fd(xfer->conns[i].pipe[1]);
		free(xfer->conns[i].win);
		free(xfer->conns[i].asked_ns);
	}
	free(xfer->workers);
	free(xfer->conns);
	free(xfer->sum);
	free(xfer->pdv);
	free(xfer->arrivals);
	free(xfer);
}
