// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/transport/xfer_worker.c - the threads of a transport test: one connection that
 * blocks in its calls, or several that are waited for together.
 */
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include "engine/transport/xfer_parts.h"
#include "lib/loop.h"

#define LEAST_BUFFER	(128u << 10)
#define EVENTS		64
#define READY_NS	200000ull	/* how often what may not send yet looks whether it may */

enum xfer_step xfer_fail(struct xfer_conn *conn, int error)
{
	conn->error = error;
	return XFER_DONE;
}

enum xfer_step xfer_again(struct xfer_conn *conn)
{
	if (errno == EAGAIN)
		return XFER_WAIT;
	return errno == EINTR ? XFER_MORE : xfer_fail(conn, errno);
}

bool xfer_is_due(struct xfer_conn *conn, uint64_t now_ns)
{
	/* What would be due behind the end is not: the stop may come late, but the count is kept. */
	if (conn->due.ns >= conn->last_due_ns)
		conn->wake_ns = now_ns + XFER_CALL_NS;
	else if (now_ns >= conn->due.ns)
		return true;
	else
		conn->wake_ns = conn->due.ns;
	return false;
}

/* Sleeps until a time or an event; @epoll_fd -1: until the time alone. */
static void wait_until(int epoll_fd, uint64_t wake_ns, uint64_t now_ns)
{
	struct pollfd wait = { .fd = epoll_fd, .events = POLLIN };
	uint64_t most_ns = XFER_CALL_NS, ns;
	struct timespec ts = { 0 };

	ns = wake_ns > now_ns ? wake_ns - now_ns : 0;
	ts.tv_nsec = (long)(ns < most_ns ? ns : most_ns);
	ppoll(&wait, epoll_fd >= 0 ? 1 : 0, &ts, NULL);
}

/* A time that is near is waited for by asking for it, as sleeping takes longer. */
static bool is_near(uint64_t wake_ns, uint64_t now_ns)
{
	return wake_ns && wake_ns < now_ns + XFER_SPIN_NS;
}

/* The other end may not be there yet: what sends looks again soon. */
static enum xfer_step do_step(struct xfer_worker *worker, struct xfer_conn *conn)
{
	conn->wake_ns = 0;
	if (xfer_phase(worker) == XFER_READY && conn->sends) {
		conn->wake_ns = loop_mono_ns() + READY_NS;
		return XFER_WAIT;
	}
	return conn->step(worker, conn);
}

static void run_alone(struct xfer_worker *worker, struct xfer_conn *conn)
{
	enum xfer_step step = XFER_MORE;
	uint64_t now_ns;

	while (step != XFER_DONE && xfer_phase(worker) != XFER_ENDING) {
		step = do_step(worker, conn);
		if (step != XFER_WAIT || !conn->wake_ns)
			continue;
		now_ns = loop_mono_ns();
		if (!is_near(conn->wake_ns, now_ns))
			wait_until(-1, conn->wake_ns, now_ns);
	}
	conn->done = true;
}

/* One round over the connections of this worker: how many are left; *ret_wake_ns: 0 is now. */
static unsigned int run_round(struct xfer_worker *worker, uint64_t *ret_wake_ns)
{
	struct xfer *xfer = worker->xfer;
	uint64_t wake_ns = UINT64_MAX, now_ns = loop_mono_ns();
	unsigned int i, left = 0;

	for (i = worker->index; i < xfer->nr_conns; i += xfer->nr_workers) {
		struct xfer_conn *conn = &xfer->conns[i];
		enum xfer_step step;

		if (conn->done)
			continue;
		left++;
		if (!conn->ready && !(conn->wake_ns && conn->wake_ns <= now_ns) &&
		    xfer_phase(worker) <= XFER_RUNNING && !xfer->test.spin) {
			if (conn->wake_ns && conn->wake_ns < wake_ns)
				wake_ns = conn->wake_ns;
			continue;
		}
		step = do_step(worker, conn);
		conn->ready = step == XFER_MORE;
		conn->done = step == XFER_DONE;
		if (conn->ready)
			wake_ns = 0;
		else if (conn->wake_ns && conn->wake_ns < wake_ns)
			wake_ns = conn->wake_ns;
	}
	*ret_wake_ns = wake_ns;
	return left;
}

static void run_many(struct xfer_worker *worker)
{
	struct epoll_event events[EVENTS];
	uint64_t wake_ns, now_ns;
	int i, nr, wait_ms;

	while (xfer_phase(worker) != XFER_ENDING && run_round(worker, &wake_ns)) {
		wait_ms = 0;
		now_ns = loop_mono_ns();
		if (wake_ns == UINT64_MAX && !worker->xfer->test.spin)
			wait_ms = XFER_CALL_NS / 1000000;
		else if (!worker->xfer->test.spin && wake_ns && !is_near(wake_ns, now_ns))
			wait_until(worker->epoll_fd, wake_ns, now_ns);
		nr = epoll_wait(worker->epoll_fd, events, EVENTS, wait_ms);
		for (i = 0; i < nr; i++)
			((struct xfer_conn *)events[i].data.ptr)->ready = true;
	}
}

uint64_t xfer_thread_cpu_ns(clockid_t clock)
{
	struct timespec ts = { 0 };

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * NSEC_PER_SEC + (uint64_t)ts.tv_nsec;
}

static void *worker_main(void *arg)
{
	struct xfer_worker *worker = arg;

	prctl(PR_SET_TIMERSLACK, 1);
	cpu_read_thread(&worker->began);
	if (worker->alone)
		run_alone(worker, &worker->xfer->conns[worker->index]);
	else
		run_many(worker);
	cpu_read_thread(&worker->over);
	atomic_store(&worker->cpu_ns, xfer_thread_cpu_ns(CLOCK_THREAD_CPUTIME_ID));
	atomic_store(&worker->ended, true);
	return NULL;
}

static int make_epoll(struct xfer_worker *worker, struct err *e)
{
	struct xfer *xfer = worker->xfer;
	unsigned int i;

	worker->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (worker->epoll_fd < 0)
		return err_set(e, -errno, "cannot wait for several connections");
	for (i = worker->index; i < xfer->nr_conns; i += xfer->nr_workers) {
		struct epoll_event event = {
			.events = EPOLLIN | EPOLLOUT | EPOLLET, .data.ptr = &xfer->conns[i],
		};

		if (xfer->conns[i].fd < 0)
			continue;
		sock_set_nonblocking(xfer->conns[i].fd);
		if (epoll_ctl(worker->epoll_fd, EPOLL_CTL_ADD, xfer->conns[i].fd, &event))
			return err_set(e, -errno, "cannot wait for several connections");
	}
	return 0;
}

/* What sendfile() and splice() send: pages that are in memory, as those of a file that was read before. */
static int make_file(struct xfer_worker *worker, struct err *e)
{
	uint64_t left = worker->xfer->test.message_bytes;
	ssize_t n;

	worker->file_fd = memfd_create("ethgauge", MFD_CLOEXEC);
	while (worker->file_fd >= 0 && left) {
		n = write(worker->file_fd, worker->buf, left);
		if (n <= 0)
			break;
		left -= (uint64_t)n;
	}
	return left ? err_set(e, -errno, "cannot make a file to send") : 0;
}

uint64_t xfer_buffer_bytes(const struct control_test *test)
{
	uint64_t most = test->message_bytes;

	most = test->request_bytes > most ? test->request_bytes : most;
	most = test->response_bytes > most ? test->response_bytes : most;
	if (test->protocol == CONTROL_UDP)
		return most * XFER_BATCH > LEAST_BUFFER ? most * XFER_BATCH : LEAST_BUFFER;
	return most > LEAST_BUFFER ? most : LEAST_BUFFER;
}

/*
 * One connection to a thread waits in its calls, unless it has to wait for a time as well
 * as for data. One that spins never waits, whatever it waits for.
 */
static bool waits_in_calls(const struct xfer *xfer, const struct xfer_conn *conn)
{
	return xfer->nr_workers == xfer->nr_conns && !(conn->asks && xfer_is_paced(conn));
}

/*
 * What waits for a request or an answer is woken by xfer_finish(), and saves a timer in each
 * call; but who sends may be told to stop, and a datagram may be lost.
 */
static bool has_to_look_up(const struct xfer *xfer)
{
	return xfer->test.kind != CONTROL_RR ||
	       (xfer->test.protocol == CONTROL_UDP && xfer->end == XFER_CLIENT);
}

int xfer_worker_set_up(struct xfer *xfer, unsigned int index, struct err *e)
{
	struct xfer_worker *worker = &xfer->workers[index];
	struct xfer_conn *conn = &xfer->conns[index];
	unsigned int i;

	*worker = (struct xfer_worker){
		.xfer = xfer, .index = index, .epoll_fd = -1, .file_fd = -1,
		.alone = waits_in_calls(xfer, conn), .buf_bytes = xfer_buffer_bytes(&xfer->test),
	};
	worker->buf = malloc(worker->buf_bytes);
	worker->hist = calloc(1, sizeof(*worker->hist));
	worker->pdv = calloc(1, sizeof(*worker->pdv));
	if (xfer->test.protocol == CONTROL_UDP) {
		worker->in = calloc(1, sizeof(*worker->in));
		worker->out = calloc(1, sizeof(*worker->out));
	}
	if (!worker->buf || !worker->hist || !worker->pdv ||
	    (xfer->test.protocol == CONTROL_UDP && (!worker->in || !worker->out)))
		return err_set(e, -ENOMEM, "cannot make a test");
	/* Pages of its own: those that were never written are one page, always in the cache. */
	memset(worker->buf, 0xe7, worker->buf_bytes);
	if (worker->in)
		xfer_udp_prepare(worker);
	if ((xfer->test.sendfile || xfer->test.splice) && make_file(worker, e))
		return e->no;
	for (i = index; xfer->test.splice && i < xfer->nr_conns; i += xfer->nr_workers) {
		if (xfer_tcp_prepare(worker, &xfer->conns[i], e))
			return e->no;
	}
	if (!worker->alone)
		return make_epoll(worker, e);
	if (xfer->test.spin && conn->fd >= 0)
		sock_set_nonblocking(conn->fd);
	else if (conn->fd >= 0 && has_to_look_up(xfer))
		sock_set_timeouts(conn->fd, XFER_CALL_NS);
	return 0;
}

int xfer_worker_start(struct xfer_worker *worker, struct err *e)
{
	pthread_attr_t attr;
	cpu_set_t cpus;
	int err = 0;

	pthread_attr_init(&attr);
	if (worker->xfer->test.cpu) {
		CPU_ZERO(&cpus);
		CPU_SET((worker->xfer->test.cpu - 1) % CPU_SETSIZE, &cpus);
		err = pthread_attr_setaffinity_np(&attr, sizeof(cpus), &cpus);
	}
	if (!err)
		err = pthread_create(&worker->id, &attr, worker_main, worker);
	pthread_attr_destroy(&attr);
	if (err)
		return err_set(e, -err, "cannot start a thread%s",
			       worker->xfer->test.cpu ? " on that CPU" : "");
	worker->started = true;
	return 0;
}
