/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/transport/xfer.h - one end of a transport test: its connections, and the threads
 * that move the data.
 *
 * Both ends run the same code; what a connection does here follows from the test,
 * the end and the direction. Few threads serve many connections: one connection of
 * a thread blocks in its calls, several are waited for by epoll.
 */
#ifndef ENGINE_TRANSPORT_XFER_H
#define ENGINE_TRANSPORT_XFER_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/hist.h"
#include "engine/self/meter.h"
#include "lib/err.h"
#include "lib/jitter.h"
#include "proto/control.h"
#include "sys/socket/sock.h"

enum xfer_end { XFER_CLIENT, XFER_SERVER };

struct xfer;

/* @test is copied. @opts: for the connections that a crr test makes; copied, its texts must stay. */
int xfer_new(struct xfer **ret_xfer, const struct control_test *test, enum xfer_end end,
	     const struct sock_opts *opts, struct err *e);
void xfer_free(struct xfer *xfer);		/* takes NULL; closes the descriptors */

/* How many connections the test has; the first @streams go there, those behind them back. */
unsigned int xfer_streams(const struct control_test *test);

/*
 * The memory, in bytes, that @test takes at @end, to be known before: buffers, windows, distributions and
 * arrivals. What the kernel's sockets hold is not in it; its own limits bound that.
 */
uint64_t xfer_memory_bytes(const struct control_test *test, enum xfer_end end);

/* Connection number @stream; @fd is the test's from now on. */
void xfer_add(struct xfer *xfer, unsigned int stream, int fd);
/* Of a crr test instead: at the client where to connect, at the server who may, and to what. */
void xfer_set_peer(struct xfer *xfer, const struct sock_addr *peer);
int xfer_add_listener(struct xfer *xfer, int fd, struct err *e);

/* Open-loop requests, a second, of all connections together: before the start, at the client. */
void xfer_set_request_rate(struct xfer *xfer, double per_second);

/* Receives from here on; sends, and the time runs, from xfer_open() on. */
int xfer_start(struct xfer *xfer, struct err *e);
void xfer_open(struct xfer *xfer);

/* To be called every few ms: ends what is omitted, and the sending when its time is over. */
void xfer_tick(struct xfer *xfer);

void xfer_stop(struct xfer *xfer);		/* what is sent ends; what is under way may arrive */
bool xfer_is_drained(struct xfer *xfer);	/* it has, as far as can be known */
void xfer_finish(struct xfer *xfer);		/* ends all threads */

/* Sums up to now, or up to the end. */
void xfer_read(struct xfer *xfer, struct control_figures *ret_figures);
/* After xfer_finish(): delays and what the streams' windows know. */
void xfer_read_order(struct xfer *xfer, struct control_figures *figures);
/* After xfer_finish(): its busiest thread, and how many there were. */
void xfer_read_use(const struct xfer *xfer, struct meter_thread *ret_use);
unsigned int xfer_nr_workers(const struct xfer *xfer);
/* Round trips (at the client of rr and crr) or one-way delays (at a receiver of UDP). */
const struct hist_rec *xfer_hist(struct xfer *xfer);

/* D - Dmin of the same. */
void xfer_read_pdv(const struct xfer *xfer, struct hist_rec *ret_pdv);

/* The same while it runs, into a record that is overwritten. */
void xfer_read_hist(struct xfer *xfer, struct hist_rec *ret_hist);

/* After xfer_finish(): jitter of these times, of each connection that has two of them. */
void xfer_read_jitter(const struct xfer *xfer, struct jitter_sum *ret_sum);

unsigned int xfer_nr_conns(const struct xfer *xfer);
/* False if connection @index sends nothing here, or is not TCP. */
bool xfer_read_conn(struct xfer *xfer, unsigned int index, struct control_conn *ret_conn);

/* All connections have ended before their time; the first error, or 0. */
bool xfer_has_ended(struct xfer *xfer);
int xfer_error(const struct xfer *xfer, struct err *e);

/* Requests that found no answer in time, and those that an open loop could not send. */
void xfer_read_requests(const struct xfer *xfer, uint64_t *ret_sent, uint64_t *ret_timeouts,
			uint64_t *ret_not_sent);
/* After xfer_finish(): of datagrams that came, in their order in each stream. */
unsigned int xfer_nr_arrivals(const struct xfer *xfer);
/* Its time counts from the start here; 0 where the peer began earlier. */
struct control_arrival xfer_arrival(const struct xfer *xfer, unsigned int i);

void xfer_read_zerocopy(const struct xfer *xfer, uint64_t *ret_done, uint64_t *ret_copied);

#endif
