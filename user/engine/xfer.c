// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/xfer.c - the threads of one end of a transport test, and its sums.
 */
#include "engine/xfer.h"

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

#include "engine/xfer_parts.h"
#include "lib/hist.h"
#include "lib/loop.h"
#include "sys/cpu.h"

#define LEAST_BUFFER	(128u << 10)
#define EVENTS		64
#define READY_NS	200000ull
#define QUIET_NS	300000000ull	/* nothing of UDP for so long: what was under way has come */

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
	if ((double)now_ns >= conn->due_ns)
		return true;
	conn->wake_ns = (uint64_t)conn->due_ns + 1;
	return false;
}

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
static unsigned int nr_threads(const struct xfer *xfer)
{
	unsigned int most = 4 * nr_cpus();
	unsigned int nr = xfer->test.threads ? (unsigned int)xfer->test.threads : nr_cpus();

	nr = nr < most ? nr : most;
	return nr < xfer->nr_conns ? nr : xfer->nr_conns;
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

static void set_up_conn(struct xfer *xfer, unsigned int index)
{
	struct xfer_conn *conn = &xfer->conns[index];
	const struct control_test *test = &xfer->test;
	bool there = test->direction == CONTROL_THERE ||
		     (test->direction == CONTROL_BOTH && index < test->streams);

	conn->fd = -1;
	conn->stream = index;
	conn->sends = test->kind != CONTROL_STREAM || there == (xfer->end == XFER_CLIENT);
	conn->receives = test->kind != CONTROL_STREAM || !conn->sends;
	conn->asks = test->kind != CONTROL_STREAM && xfer->end == XFER_CLIENT;
	conn->step = choose_step(xfer, conn->sends);
	conn->ready = true;
	if (test->kind == CONTROL_STREAM && conn->sends && test->rate_bps)
		conn->gap_ns = (double)test->message_bytes * (double)(test->burst ? test->burst : 1) *
			       8 * NSEC_PER_SEC * (double)test->streams / (double)test->rate_bps;
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
	if (!xfer->test.burst)
		xfer->test.burst = 1;
	xfer->end = end;
	xfer->opts = *opts;
	xfer->nr_conns = xfer_streams(test);
	if (test->kind == CONTROL_CRR && end == XFER_SERVER)
		xfer->nr_conns = test->streams < nr_cpus() ? (unsigned int)test->streams : nr_cpus();
	xfer->conns = calloc(xfer->nr_conns, sizeof(*xfer->conns));
	xfer->sum = calloc(1, sizeof(*xfer->sum));
	if (!xfer->conns || !xfer->sum)
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
		xfer->conns[i].gap_ns = NSEC_PER_SEC * (double)xfer->nr_conns / per_second;
}

/* Sleeps until a time or an event; @epoll_fd -1: until the time alone. */
static void wait_until(int epoll_fd, uint64_t wake_ns, uint64_t now_ns)
{
	struct pollfd wait = { .fd = epoll_fd, .events = POLLIN };
	uint64_t most_ns = XFER_CALL_NS, ns = most_ns;
	struct timespec ts = { 0 };

	if (wake_ns)
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
	int i, nr;

	while (xfer_phase(worker) != XFER_ENDING && run_round(worker, &wake_ns)) {
		now_ns = loop_mono_ns();
		if (!worker->xfer->test.spin && wake_ns && !is_near(wake_ns, now_ns))
			wait_until(worker->epoll_fd, wake_ns == UINT64_MAX ? 0 : wake_ns, now_ns);
		nr = epoll_wait(worker->epoll_fd, events, EVENTS, 0);
		for (i = 0; i < nr; i++)
			((struct xfer_conn *)events[i].data.ptr)->ready = true;
	}
}

static uint64_t thread_cpu_ns(clockid_t clock)
{
	struct timespec ts = { 0 };

	clock_gettime(clock, &ts);
	return (uint64_t)ts.tv_sec * NSEC_PER_SEC + (uint64_t)ts.tv_nsec;
}

static void *worker_main(void *arg)
{
	struct xfer_worker *worker = arg;

	prctl(PR_SET_TIMERSLACK, 1);
	if (worker->alone)
		run_alone(worker, &worker->xfer->conns[worker->index]);
	else
		run_many(worker);
	atomic_store(&worker->cpu_ns, thread_cpu_ns(CLOCK_THREAD_CPUTIME_ID));
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

/* What sendfile() sends: pages that are in memory, as those of a file that was read before. */
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

static uint64_t buffer_bytes(const struct control_test *test)
{
	uint64_t most = test->message_bytes;

	most = test->request_bytes > most ? test->request_bytes : most;
	most = test->response_bytes > most ? test->response_bytes : most;
	if (test->protocol == CONTROL_UDP)
		return most * XFER_BATCH;
	return most > LEAST_BUFFER ? most : LEAST_BUFFER;
}

/*
 * One connection to a thread waits in its calls, unless it has to wait for a time as well
 * as for data. One that spins never waits, whatever it waits for.
 */
static bool waits_in_calls(const struct xfer *xfer, const struct xfer_conn *conn)
{
	return xfer->nr_workers == xfer->nr_conns && !(conn->asks && conn->gap_ns);
}

static int set_up_worker(struct xfer *xfer, unsigned int index, struct err *e)
{
	struct xfer_worker *worker = &xfer->workers[index];
	struct xfer_conn *conn = &xfer->conns[index];

	*worker = (struct xfer_worker){
		.xfer = xfer, .index = index, .epoll_fd = -1, .file_fd = -1,
		.alone = waits_in_calls(xfer, conn), .buf_bytes = buffer_bytes(&xfer->test),
	};
	worker->buf = calloc(1, worker->buf_bytes);
	worker->hist = calloc(1, sizeof(*worker->hist));
	if (xfer->test.protocol == CONTROL_UDP) {
		worker->in = calloc(1, sizeof(*worker->in));
		worker->out = calloc(1, sizeof(*worker->out));
	}
	if (!worker->buf || !worker->hist ||
	    (xfer->test.protocol == CONTROL_UDP && (!worker->in || !worker->out)))
		return err_set(e, -ENOMEM, "cannot make a test");
	if (xfer->test.sendfile && make_file(worker, e))
		return e->no;
	if (!worker->alone)
		return make_epoll(worker, e);
	if (xfer->test.spin && conn->fd >= 0)
		sock_set_nonblocking(conn->fd);
	else if (conn->fd >= 0)
		sock_set_timeouts(conn->fd, XFER_CALL_NS);
	return 0;
}

static int start_worker(struct xfer_worker *worker, struct err *e)
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

int xfer_start(struct xfer *xfer, struct err *e)
{
	unsigned int i, nr = nr_threads(xfer);

	xfer->workers = calloc(nr, sizeof(*xfer->workers));
	if (!xfer->workers)
		return err_set(e, -ENOMEM, "cannot make a test");
	xfer->nr_workers = nr;
	for (i = 0; i < nr; i++)
		xfer->workers[i].epoll_fd = xfer->workers[i].file_fd = -1;
	for (i = 0; i < nr; i++) {
		if (set_up_worker(xfer, i, e))
			return e->no;
	}
	xfer->count_ns = UINT64_MAX;
	for (i = 0; i < nr; i++) {
		if (start_worker(&xfer->workers[i], e))
			return e->no;
	}
	return 0;
}

void xfer_open(struct xfer *xfer)
{
	unsigned int i;

	xfer->start_ns = loop_mono_ns();
	for (i = 0; i < xfer->nr_conns; i++) {
		xfer->conns[i].due_ns = (double)xfer->start_ns;
		/* Open-loop requests of several connections come in turn, not all at once. */
		if (xfer->conns[i].asks)
			xfer->conns[i].due_ns += xfer->conns[i].gap_ns * i / xfer->nr_conns;
	}
	xfer->end_ns = xfer->start_ns + xfer->test.omit_ns + xfer->test.duration_ns;
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
			sum += thread_cpu_ns(clock);
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

bool xfer_is_drained(struct xfer *xfer)
{
	uint64_t now_ns = loop_mono_ns(), last_ns;
	bool udp = xfer->test.protocol == CONTROL_UDP;
	unsigned int i;

	if (xfer->test.kind != CONTROL_STREAM && xfer->end == XFER_SERVER)
		return true;	/* the client stops when it has its answers */
	for (i = 0; i < xfer->nr_conns; i++) {
		const struct xfer_conn *conn = &xfer->conns[i];

		if (__atomic_load_n(&conn->done, __ATOMIC_RELAXED))
			continue;
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
	for (i = 0; i < xfer->nr_workers; i++) {
		if (!xfer->workers[i].started)
			continue;
		pthread_join(xfer->workers[i].id, NULL);
		xfer->workers[i].started = false;
		hist_merge(xfer->sum, xfer->workers[i].hist);
	}
}

void xfer_free(struct xfer *xfer)
{
	unsigned int i;

	if (!xfer)
		return;
	xfer_finish(xfer);
	for (i = 0; i < xfer->nr_workers; i++) {
		struct xfer_worker *worker = &xfer->workers[i];

		if (worker->epoll_fd >= 0)
			close(worker->epoll_fd);
		if (worker->file_fd >= 0)
			close(worker->file_fd);
		free(worker->buf);
		free(worker->hist);
		free(worker->in);
		free(worker->out);
	}
	for (i = 0; xfer->conns && i < xfer->nr_conns; i++) {
		if (xfer->conns[i].fd >= 0)
			close(xfer->conns[i].fd);
		free(xfer->conns[i].win);
		free(xfer->conns[i].asked_ns);
	}
	free(xfer->workers);
	free(xfer->conns);
	free(xfer->sum);
	free(xfer);
}
