// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/transport/xfer_read.c - what one end of a transport test has counted.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/transport/xfer_parts.h"
#include "lib/dist.h"
#include "lib/hist.h"
#include "lib/loop.h"
#include "lib/pdv.h"
#include "sys/net/counters.h"

static uint64_t load(const uint64_t *counter)
{
	return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

void xfer_read(struct xfer *xfer, struct control_figures *ret_figures)
{
	struct control_figures sum = { .elapsed_ns = loop_mono_ns() - xfer->start_ns };
	struct sock_tcp tcp;
	unsigned int i;

	for (i = 0; i < xfer->nr_conns; i++) {
		const struct xfer_conn *conn = &xfer->conns[i];

		sum.sent_bytes += load(&conn->sent_bytes);
		sum.received_bytes += load(&conn->received_bytes);
		sum.sent_packets += load(&conn->sent_packets);
		sum.received_packets += load(&conn->received_packets);
		sum.transactions += load(&conn->transactions);
		sum.send_errors += load(&conn->send_errors);
		if (xfer->test.protocol == CONTROL_UDP) {
			sum.socket_dropped += sock_dropped_packets(conn->fd);
		} else if (xfer->test.kind != CONTROL_CRR && !sock_read_tcp(conn->fd, &tcp)) {
			sum.retransmits += tcp.retransmits;
			sum.senders += conn->sends;
			sum.rtt_us += conn->sends ? tcp.rtt_us : 0;
			sum.cwnd_packets += conn->sends ? tcp.cwnd_packets : 0;
		}
	}
	if (sum.socket_dropped)
		sum.socket_full = counters_udp_full() - xfer->full_before;
	if (sum.socket_full > sum.socket_dropped)
		sum.socket_full = sum.socket_dropped;
	if (xfer->test.kind != CONTROL_CRR) {
		sum.send_buffer_bytes = sock_buffer_bytes(xfer->conns[0].fd, true);
		sum.receive_buffer_bytes = sock_buffer_bytes(xfer->conns[0].fd, false);
	}
	if (xfer->stop.mono_ns) {
		sum.window_ns = xfer->stop.mono_ns - xfer->begin.mono_ns;
		sum.sent_window_bytes = xfer->stop.sent_bytes - xfer->begin.sent_bytes;
		sum.received_window_bytes = xfer->stop.received_bytes - xfer->begin.received_bytes;
		sum.window_transactions = xfer->stop.transactions - xfer->begin.transactions;
		sum.cpu_ns = xfer->stop.cpu_ns - xfer->begin.cpu_ns;
		sum.host_busy_ns = xfer->stop.host_busy_ns - xfer->begin.host_busy_ns;
	}
	*ret_figures = sum;
}

void xfer_read_order(struct xfer *xfer, struct control_figures *figures)
{
	const struct hist_rec *hist = xfer->sum;
	struct dist delay;
	unsigned int i;

	for (i = 0; i < xfer->nr_conns; i++) {
		const struct seqwin *win = xfer->conns[i].win;

		if (!win || !win->runs)
			continue;
		figures->distinct += win->distinct;
		figures->duplicates += win->duplicates;
		figures->reordered += win->reordered;
		figures->unknown += win->unknown;
	}
	if (xfer->test.protocol != CONTROL_UDP || xfer->test.kind != CONTROL_STREAM)
		return;
	dist_of_hist(&delay, hist);
	figures->delays = delay.count;
	for (i = 0; delay.count && i < DIST_NR; i++)
		figures->delay_ns[i] = isnan(delay.ns[i]) ? 0 : (uint64_t)(delay.ns[i] + 0.5);
}

void xfer_read_use(const struct xfer *xfer, struct meter_thread *ret_use)
{
	struct meter_thread most = { 0 };
	unsigned int i;

	for (i = 0; i < xfer->nr_workers; i++) {
		const struct cpu_thread *a = &xfer->workers[i].began, *b = &xfer->workers[i].over;
		struct meter_thread use = {
			.cpu = xfer->test.cpu ? (uint32_t)xfer->test.cpu - 1 : BOTTLENECK_ANY_CPU,
			.time_ns = b->mono_ns - a->mono_ns, .run_ns = b->run_ns - a->run_ns,
			.wait_ns = b->wait_ns - a->wait_ns,
		};

		if (meter_busy_ratio(&use) >= meter_busy_ratio(&most))
			most = use;
	}
	*ret_use = most;
}

unsigned int xfer_nr_workers(const struct xfer *xfer)
{
	return xfer->nr_workers;
}

const struct hist_rec *xfer_hist(struct xfer *xfer)
{
	return xfer->sum;
}

void xfer_read_pdv(const struct xfer *xfer, struct hist_rec *ret_pdv)
{
	pdv_hist(xfer->pdv, xfer->sum, ret_pdv);
}

void xfer_read_hist(struct xfer *xfer, struct hist_rec *ret_hist)
{
	unsigned int i;

	memset(ret_hist, 0, sizeof(*ret_hist));
	for (i = 0; i < xfer->nr_workers; i++)
		hist_merge(ret_hist, xfer->workers[i].hist);
}

void xfer_read_jitter(const struct xfer *xfer, struct jitter_sum *ret_sum)
{
	struct jitter_sum sum = { 0 };
	unsigned int i;

	for (i = 0; i < xfer->nr_conns; i++) {
		if (xfer->conns[i].jitter.timed > 1)
			jitter_sum_add(&sum, xfer->conns[i].jitter.ns);
	}
	*ret_sum = sum;
}

unsigned int xfer_nr_conns(const struct xfer *xfer)
{
	return xfer->nr_conns;
}

bool xfer_read_conn(struct xfer *xfer, unsigned int index, struct control_conn *ret_conn)
{
	const struct xfer_conn *conn = &xfer->conns[index];
	struct sock_tcp tcp;

	if (xfer->test.protocol != CONTROL_TCP || xfer->test.kind == CONTROL_CRR || !conn->sends ||
	    conn->fd < 0 || sock_read_tcp(conn->fd, &tcp))
		return false;
	*ret_conn = (struct control_conn){
		.stream = conn->stream, .sent_bytes = load(&conn->sent_bytes),
		.acked_bytes = tcp.acked_bytes, .retransmits = tcp.retransmits,
		.retransmitted_bytes = tcp.retransmitted_bytes, .rtt_us = tcp.rtt_us,
		.rtt_var_us = tcp.rtt_var_us, .min_rtt_us = tcp.min_rtt_us,
		.cwnd_packets = tcp.cwnd_packets, .mss_bytes = tcp.mss_bytes,
		.delivery_bps = tcp.delivery_bps, .pacing_bps = tcp.pacing_bps,
		.busy_us = tcp.busy_us, .rwnd_limited_us = tcp.rwnd_limited_us,
		.sndbuf_limited_us = tcp.sndbuf_limited_us,
		.delivered_ce_packets = tcp.delivered_ce_packets,
		.reordering_seen = tcp.reordering_seen,
		.send_buffer_bytes = sock_buffer_bytes(conn->fd, true),
		.receive_buffer_bytes = sock_buffer_bytes(conn->fd, false),
	};
	snprintf(ret_conn->congestion, sizeof(ret_conn->congestion), "%s", tcp.congestion);
	return true;
}

bool xfer_has_ended(struct xfer *xfer)
{
	unsigned int i;

	for (i = 0; i < xfer->nr_workers; i++) {
		if (!atomic_load(&xfer->workers[i].ended))
			return false;
	}
	return true;
}

int xfer_error(const struct xfer *xfer, struct err *e)
{
	unsigned int i;
	int error;

	for (i = 0; i < xfer->nr_conns; i++) {
		error = __atomic_load_n(&xfer->conns[i].error, __ATOMIC_RELAXED);
		if (!error)
			continue;
		err_set(e, -error, "connection %u ended", i);
		if (error == EIO && xfer->test.gso)
			err_hint(e, "before Linux 6.11 the interface must make joined datagrams' sums: "
				 "ethtool -K IFACE tx on");
		return e->no;
	}
	return 0;
}

void xfer_read_requests(const struct xfer *xfer, uint64_t *ret_sent, uint64_t *ret_timeouts,
			uint64_t *ret_not_sent)
{
	uint64_t sent = 0, timeouts = 0, due;
	uint64_t end_ns = xfer->stop.mono_ns < xfer->end_ns ? xfer->stop.mono_ns : xfer->end_ns;
	unsigned int i;

	for (i = 0; i < xfer->nr_conns; i++) {
		sent += load(&xfer->conns[i].asked);
		timeouts += load(&xfer->conns[i].timeouts);
	}
	due = (uint64_t)(xfer->requests_per_s *
			 (double)(end_ns - xfer->start_ns) / NSEC_PER_SEC);
	*ret_sent = sent;
	*ret_timeouts = timeouts;
	*ret_not_sent = due > sent ? due - sent : 0;
}

unsigned int xfer_nr_arrivals(const struct xfer *xfer)
{
	unsigned int nr = atomic_load(&xfer->nr_arrivals);

	return nr < xfer->test.arrivals ? nr : (unsigned int)xfer->test.arrivals;
}

struct control_arrival xfer_arrival(const struct xfer *xfer, unsigned int i)
{
	struct control_arrival arrival = xfer->arrivals[i];

	arrival.received_ns = arrival.received_ns > xfer->start_ns ?
			      arrival.received_ns - xfer->start_ns : 0;
	return arrival;
}

void xfer_read_zerocopy(const struct xfer *xfer, uint64_t *ret_done, uint64_t *ret_copied)
{
	uint64_t done = 0, copied = 0;
	unsigned int i;

	for (i = 0; i < xfer->nr_conns; i++) {
		struct xfer_conn *conn = &xfer->conns[i];

		if (xfer->test.zerocopy && conn->sends)
			sock_reap_zerocopy(conn->fd, &conn->zerocopy_done, &conn->zerocopy_copied);
		done += conn->zerocopy_done;
		copied += conn->zerocopy_copied;
	}
	*ret_done = done;
	*ret_copied = copied;
}
