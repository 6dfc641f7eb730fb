/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/transport/xfer_parts.h - what the files of engine/xfer share, and nobody else knows.
 */
#ifndef ENGINE_TRANSPORT_XFER_PARTS_H
#define ENGINE_TRANSPORT_XFER_PARTS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>

#include "abi/hist.h"
#include "abi/pace.h"
#include "abi/pdv.h"
#include "abi/tag.h"
#include "engine/transport/xfer.h"
#include "lib/hist.h"
#include "lib/jitter.h"
#include "lib/pdv.h"
#include "proto/seqwin.h"
#include "sys/host/cpu.h"

#define XFER_BATCH	32		/* datagrams of a call */
#define XFER_BUDGET	16		/* calls of a step, before another connection's turn */
#define XFER_CALL_NS	20000000ull	/* a blocking call looks up at least so often */
#define XFER_LOST_NS	500000000ull	/* a UDP request without an answer is given up */
#define XFER_SPIN_NS	60000ull	/* a time nearer than this is not slept for */
#define XFER_PUNCH_RUN	0		/* in the tag that opens a UDP stream; datagrams have XFER_RUN */
#define XFER_RUN	1
#define XFER_MAX_PIPE	(1u << 20)	/* the kernel's largest for who is not root */

enum xfer_phase { XFER_READY, XFER_RUNNING, XFER_STOPPING, XFER_ENDING };

/* What a step came to. */
enum xfer_step {
	XFER_MORE,		/* there may be more at once */
	XFER_WAIT,		/* for the descriptor, or until wake_ns unless that is 0 */
	XFER_DONE,		/* for good */
};

struct xfer_worker;
struct xfer_conn;
typedef enum xfer_step xfer_step_fn(struct xfer_worker *worker, struct xfer_conn *conn);

/* One writer, its worker; counters may be read meanwhile. */
struct xfer_conn {
	int fd;
	unsigned int stream;
	xfer_step_fn *step;
	bool sends, receives, asks;
	bool ready, done;
	int error;			/* errno that ended it */
	uint64_t wake_ns;

	uint64_t sent_bytes, received_bytes, sent_packets, received_packets, transactions;
	uint64_t send_errors, timeouts, last_ns;

	uint64_t part;			/* bytes of the message under way */
	int pipe[2];			/* of splice: [0] is read; -1: none */
	uint64_t piped_bytes;		/* that are in it */
	uint64_t got, owed;		/* bytes of a request or answer; of answers to be sent */
	uint64_t outstanding, asked;
	uint64_t *asked_ns;		/* a ring of the times of what is outstanding */
	struct pace pace;		/* of messages or requests */
	struct pace_time due;		/* of the next one, by the clock */
	uint64_t slot;			/* its number */
	uint64_t last_due_ns;		/* nothing is due from then on */
	uint32_t sequence;
	int state;			/* crr */
	uint64_t since_ns;		/* crr: when it began to connect; UDP: of the last progress */
	uint64_t zerocopy_done, zerocopy_copied, zerocopy_calls;
	struct seqwin *win;
	struct jitter jitter;		/* of its round trips or delays */
};

/* The datagrams of one call. */
struct xfer_batch {
	struct mmsghdr msgs[XFER_BATCH];
	struct iovec iov[XFER_BATCH][2];
	struct tag tags[XFER_BATCH];	/* of what is sent */
	char control[XFER_BATCH][SOCK_TIME_BYTES] __attribute__((aligned(8)));	/* of what is received */
	uint64_t came_ns[XFER_BATCH];	/* and when it came, by CLOCK_MONOTONIC */
};

struct xfer_worker {
	struct xfer *xfer;
	pthread_t id;
	bool started;
	unsigned int index;
	bool alone;			/* its one connection blocks in its calls */
	bool one;			/* UDP: one datagram each way at a time, in @buf */
	int epoll_fd, file_fd;
	char *buf;
	size_t buf_bytes;
	struct xfer_batch *in, *out;	/* UDP */
	struct hist_rec *hist;
	struct pdv_rec *pdv;
	uint64_t utc_offset_ns;		/* UTC - CLOCK_MONOTONIC, once one was needed */
	_Atomic uint64_t cpu_ns;	/* at its end */
	struct cpu_thread began, over;
	atomic_bool ended;
};

struct xfer_mark {
	uint64_t mono_ns, cpu_ns, host_busy_ns, sent_bytes, received_bytes, transactions;
};

struct xfer {
	struct control_test test;
	enum xfer_end end;
	struct sock_opts opts;
	char congestion[16];
	struct sock_addr peer;
	double requests_per_s;
	struct xfer_conn *conns;
	unsigned int nr_conns;
	struct xfer_worker *workers;
	unsigned int nr_workers;
	_Atomic int phase;
	struct control_arrival *arrivals;	/* of the first that came; NULL: not asked for; times by the clock */
	_Atomic unsigned int nr_arrivals;	/* that wanted a place; more than there are */
	uint64_t full_before;		/* counters_udp_full() */
	uint64_t start_ns, count_ns, end_ns;	/* count_ns: when what is omitted ends */
	struct xfer_mark begin, stop;		/* of the window; mono_ns 0: not yet */
	struct hist_rec *sum;
	struct pdv_rec *pdv;
};

static inline void xfer_count(uint64_t *counter, uint64_t more)
{
	__atomic_store_n(counter, *counter + more, __ATOMIC_RELAXED);
}

/* A round trip or a delay of @conn. */
static inline void xfer_note_time(struct xfer_worker *worker, struct xfer_conn *conn, uint64_t ns)
{
	hist_add(worker->hist, ns);
	pdv_add(worker->pdv, ns);
	jitter_add(&conn->jitter, (int64_t)ns);
}

static inline enum xfer_phase xfer_phase(const struct xfer_worker *worker)
{
	return (enum xfer_phase)atomic_load_explicit(&worker->xfer->phase, memory_order_relaxed);
}

/* Bytes of each worker's buffer. */
uint64_t xfer_buffer_bytes(const struct control_test *test);
/* Buffers and descriptors of worker @index; then its thread. */
int xfer_worker_set_up(struct xfer *xfer, unsigned int index, struct err *e);
int xfer_worker_start(struct xfer_worker *worker, struct err *e);
uint64_t xfer_thread_cpu_ns(clockid_t clock);

/* It has failed, and is over. */
enum xfer_step xfer_fail(struct xfer_conn *conn, int error);

/* What errno after a call means: wait, again, or an end. */
enum xfer_step xfer_again(struct xfer_conn *conn);

static inline bool xfer_is_paced(const struct xfer_conn *conn)
{
	return conn->pace.kind != PACE_MAX;
}

/* Whether the next message or request is due at @now_ns; else *conn is set up to wait. */
bool xfer_is_due(struct xfer_conn *conn, uint64_t now_ns);

/* It was sent: the one after it is next. */
static inline void xfer_next(struct xfer_conn *conn)
{
	pace_advance(&conn->due, pace_gap(&conn->pace, conn->slot++, 0));
}

/* Lays out the datagrams of a call: once, as they stay where they are. */
void xfer_udp_prepare(struct xfer_worker *worker);

/* The pipe that splice needs, if this connection does. */
int xfer_tcp_prepare(struct xfer_worker *worker, struct xfer_conn *conn, struct err *e);

xfer_step_fn xfer_tcp_send, xfer_tcp_receive, xfer_tcp_ask, xfer_tcp_answer;
xfer_step_fn xfer_udp_send, xfer_udp_receive, xfer_udp_ask, xfer_udp_answer;
xfer_step_fn xfer_crr_connect, xfer_crr_accept;

#endif
