// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/transport/xfer_report.c - what both ends of a transport test counted, as figures.
 */
#include "engine/transport/xfer_report.h"

#include <math.h>
#include <stdio.h>

#include "lib/hist.h"
#include "lib/loop.h"
#include "result/result_dist.h"

/* What one direction sent and received. */
struct flow {
	const struct control_figures *sender, *receiver;
};

static double per_s(uint64_t count, uint64_t ns)
{
	return ns ? (double)count * NSEC_PER_SEC / (double)ns : NAN;
}

static double sent_bps(const struct flow *flow)
{
	return 8 * per_s(flow->sender->sent_window_bytes, flow->sender->window_ns);
}

static double received_bps(const struct flow *flow)
{
	return 8 * per_s(flow->receiver->received_window_bytes, flow->receiver->window_ns);
}

static void report_bytes(const struct flow *flow, struct result *res)
{
	result_metric_u64(res, "payload_sent_bytes", flow->sender->sent_bytes);
	result_metric_u64(res, "payload_received_bytes", flow->receiver->received_bytes);
	result_metric_real(res, "payload_sent_bps", sent_bps(flow));
	result_metric_real(res, "payload_received_bps", received_bps(flow));
}

static void report_delay(const struct control_figures *receiver, struct result *res)
{
	struct dist delay = { .count = receiver->delays };
	enum dist_stat i;

	if (!receiver->delays)
		return;
	for (i = 0; i < DIST_NR; i++)
		delay.ns[i] = (double)receiver->delay_ns[i];
	result_dist(res, "delay", &delay);
}

static void report_datagrams(const struct xfer_report *report, const struct flow *flow,
			     struct result *res, struct xfer_figures *figures)
{
	uint64_t sent = flow->sender->sent_packets, distinct = flow->receiver->distinct;
	uint64_t lost = sent > distinct ? sent - distinct : 0;

	result_metric_u64(res, "datagrams_sent", sent);
	result_metric_u64(res, "datagrams_received", flow->receiver->received_packets);
	result_metric_u64(res, "datagrams_refused", flow->sender->send_errors);
	/* A server that did not tell its end has told no numbers. */
	if (flow->receiver == &report->server && !report->has_result)
		return;
	figures->lost_packets += (double)lost;
	result_metric_u64(res, "datagrams_lost", lost);
	result_metric_real(res, "datagrams_lost_ratio", sent ? (double)lost / (double)sent : NAN);
	result_came(res, sent, distinct, "datagrams arrived");
	result_metric_u64(res, "datagrams_duplicate", flow->receiver->duplicates);
	result_metric_u64(res, "datagrams_reordered", flow->receiver->reordered);
	if (flow->receiver->unknown)
		result_metric_u64(res, "datagrams_unknown", flow->receiver->unknown);
	result_metric_u64(res, "socket_dropped_packets", flow->receiver->socket_dropped);
	if (report->plan->local.gso && flow->receiver->socket_dropped)
		result_note(res, "with --gso the receiver's socket drops what was joined: each of socket "
			    "dropped is up to 32 datagrams");
	if (report->same_host)
		report_delay(flow->receiver, res);
}

static void report_flow(const struct xfer_report *report, const struct flow *flow,
			struct result *res, struct xfer_figures *figures)
{
	report_bytes(flow, res);
	if (report->plan->local.protocol == CONTROL_UDP)
		report_datagrams(report, flow, res, figures);
	else
		result_metric_u64(res, "tcp_retransmits", flow->sender->retransmits);
	if (report->plan->local.protocol == CONTROL_TCP &&
	    flow->receiver->received_bytes < flow->sender->sent_bytes)
		result_note(res, "%llu bytes that were sent had not come when the ends had waited for "
			    "them for 10 s, or the connection broke",
			    (unsigned long long)(flow->sender->sent_bytes -
						 flow->receiver->received_bytes));
}

static void keep_flow(const struct flow *flow, struct xfer_figures *figures)
{
	figures->sent_bps = sent_bps(flow);
	figures->received_bps = received_bps(flow);
	figures->datagrams_received = flow->receiver->received_packets;
}

static void report_stream(const struct xfer_report *report, const struct control_figures *client,
			  struct result *res, struct xfer_figures *figures)
{
	const struct flow there = { client, &report->server }, back = { &report->server, client };
	struct control_figures sum = *client;
	const struct flow both = { &sum, &sum };

	if (report->plan->local.direction != CONTROL_BOTH) {
		const struct flow *flow = report->plan->local.direction == CONTROL_THERE ? &there : &back;

		keep_flow(flow, figures);
		report_flow(report, flow, res, figures);
		return;
	}
	sum.sent_bytes += report->server.sent_bytes;
	sum.received_bytes += report->server.received_bytes;
	sum.sent_window_bytes += report->server.sent_window_bytes;
	sum.received_window_bytes += report->server.received_window_bytes;
	keep_flow(&both, figures);
	report_bytes(&both, res);
	report_flow(report, &there, result_part(res, PART_OTHER, "there"), figures);
	report_flow(report, &back, result_part(res, PART_OTHER, "back"), figures);
}

static void report_requests(const struct xfer_report *report,
			    const struct control_figures *client, struct result *res,
			    struct xfer_figures *figures)
{
	const struct hist_rec *rtt = xfer_hist(report->xfer);
	uint64_t sent, timeouts, not_sent;
	struct jitter_sum jitter;
	struct hist_rec pdv;

	xfer_read_requests(report->xfer, &sent, &timeouts, &not_sent);
	figures->lost_packets = (double)timeouts;
	if (report->plan->requests_per_s > 0)
		result_metric_real(res, "transactions_offered_per_s", report->plan->requests_per_s);
	result_metric_u64(res, "transactions", client->transactions);
	figures->transactions_per_s = per_s(client->window_transactions, client->window_ns);
	figures->rtt_min_ns = rtt->count ? (double)hist_min_ns(rtt) : NAN;
	result_metric_real(res, "transactions_per_s", figures->transactions_per_s);
	result_metric_u64(res, "requests_sent", sent);
	result_metric_u64(res, "requests_answered", report->server.transactions);
	result_metric_u64(res, "requests_timed_out", timeouts);
	if (report->plan->requests_per_s > 0)
		result_metric_u64(res, "requests_not_sent", not_sent);
	result_hist(res, "rtt", rtt);
	xfer_read_pdv(report->xfer, &pdv);
	result_pdv(res, "rtt_", &pdv);
	xfer_read_jitter(report->xfer, &jitter);
	result_jitter(res, "rtt_", &jitter);
	result_came(res, sent, client->transactions, "requests were answered");
	if (report->plan->local.kind == CONTROL_CRR)
		result_note(res, "a round trip is the time from before connect() to the last byte of "
			    "the response");
	if (report->plan->requests_per_s > 0)
		result_note(res, "round trips begin when their request was due, whenever it was sent");
	if (not_sent)
		result_note(res, "%llu requests were due and not sent by the end: the rate is beyond "
			    "what this path and --outstanding allow", (unsigned long long)not_sent);
}

/* CPU time of both ends; by what it was spent for, as netperf's service demand. Returns the cores. */
static double report_cpu(const struct xfer_report *report, const struct control_figures *end,
		       const char *who, uint64_t work, const char *unit, struct result *res)
{
	char key[48];

	if (!end->window_ns)
		return NAN;
	snprintf(key, sizeof(key), "%s_cpu_ratio", who);
	result_metric_real(res, key, (double)end->cpu_ns / (double)end->window_ns);
	snprintf(key, sizeof(key), "%s_host_cpu_ratio", who);
	result_metric_real(res, key, (double)end->host_busy_ns / (double)end->window_ns);
	snprintf(key, sizeof(key), "%s_service_%s_ns", who, unit);
	if (work)
		result_metric_real(res, key, (double)(report->same_host ? end->cpu_ns :
						      end->host_busy_ns) /
				   ((double)work / (*unit == 'k' ? 1024 : 1)));
	return (double)end->cpu_ns / (double)end->window_ns;
}

static void report_cpus(const struct xfer_report *report, const struct control_figures *client,
			struct result *res, struct xfer_figures *figures)
{
	bool stream = report->plan->local.kind == CONTROL_STREAM;
	const char *unit = stream ? "kib" : "transaction";

	figures->client_cpus = report_cpu(report, client, "client",
					  stream ? client->sent_window_bytes +
						   client->received_window_bytes :
						   client->window_transactions, unit, res);
	figures->server_cpus = report_cpu(report, &report->server, "server",
					  stream ? report->server.sent_window_bytes +
						   report->server.received_window_bytes :
						   report->server.window_transactions, unit, res);
}

static void report_conn(const struct control_conn *conn, const char *from, struct result *res)
{
	result_entry_open(res);
	result_entry_u64(res, "stream", conn->stream);
	result_entry_str(res, "sender", from);
	result_entry_u64(res, "sent_bytes", conn->sent_bytes);
	result_entry_u64(res, "retransmits", conn->retransmits);
	result_entry_u64(res, "srtt_us", conn->rtt_us);
	result_entry_u64(res, "min_rtt_us", conn->min_rtt_us);
	result_entry_u64(res, "cwnd", conn->cwnd_packets);
	result_entry_u64(res, "mss", conn->mss_bytes);
	/* TCP's own rate at the end is that of the last segments, which are few and wait for nothing. */
	result_entry_real(res, "delivery_mbps",
			  conn->busy_us ? 8 * (double)conn->acked_bytes / (double)conn->busy_us : NAN);
	result_entry_u64(res, "busy_ms", conn->busy_us / 1000);
	result_entry_u64(res, "rwnd_ms", conn->rwnd_limited_us / 1000);
	result_entry_u64(res, "sndbuf_ms", conn->sndbuf_limited_us / 1000);
	result_entry_str(res, "control", conn->congestion);
	result_entry_u64(res, "sndbuf", conn->send_buffer_bytes);
	result_entry_close(res);
}

static const char *stream_name(char *buf, size_t size, unsigned int stream)
{
	snprintf(buf, size, "stream %u", stream);
	return buf;
}

static void report_one(const struct xfer_report *report, const struct control_conn *conn,
		       const char *from, struct result *res)
{
	struct result *part;
	char name[24];

	report_conn(conn, from, res);
	if (!report->plan->per_stream)
		return;
	part = result_part(res, PART_OTHER, stream_name(name, sizeof(name), (unsigned int)conn->stream));
	/* Both ends of a request and response send: its rows are the client's. */
	if (report->plan->local.kind != CONTROL_STREAM && *from == 's')
		return;
	result_metric_u64(part, "payload_sent_bytes", conn->sent_bytes);
	result_metric_u64(part, "tcp_retransmits", conn->retransmits);
}

static void report_conns(const struct xfer_report *report, struct result *res)
{
	struct control_conn conn;
	unsigned int i;

	for (i = 0; i < xfer_nr_conns(report->xfer); i++) {
		if (xfer_read_conn(report->xfer, i, &conn))
			report_one(report, &conn, "client", res);
	}
	for (i = 0; i < CONTROL_MAX_STREAMS; i++) {
		if (report->has_conn[i])
			report_one(report, &report->conns[i], "server", res);
	}
}

/* What the kernel made of the buffers that were asked for. */
static void report_buffers(const struct xfer_report *report, const struct control_figures *client,
			   struct result *res)
{
	if (report->plan->local.kind == CONTROL_CRR)
		return;
	result_env_u64(res, "client_send_buffer", client->send_buffer_bytes);
	result_env_u64(res, "client_receive_buffer", client->receive_buffer_bytes);
	result_env_u64(res, "server_send_buffer", report->server.send_buffer_bytes);
	result_env_u64(res, "server_receive_buffer", report->server.receive_buffer_bytes);
}

void xfer_report_arrival(const struct xfer_report *report, const struct control_arrival *arrival,
			 struct result *res)
{
	struct result *part;
	char name[40];

	snprintf(name, sizeof(name), "arrivals of stream %u", (unsigned int)arrival->stream);
	part = result_part(res, PART_OTHER, name);
	result_row_open(part, arrival->received_ns);
	result_row_u64(part, "datagram_sequence", arrival->sequence);
	if (report->same_host)
		result_row_u64(part, "datagram_delay_ns", arrival->delay_ns);
	result_row_close_quietly(part);
}

void xfer_report_nothing(struct result *res)
{
	result_metric_u64(res, "tested_ns", 0);
	result_note(res, "ended by a signal before the test began");
}

void xfer_report_end(struct xfer_report *report, struct result *res, struct xfer_figures *figures)
{
	struct control_arrival arrival;
	struct control_figures client;
	uint64_t zerocopy, copied;
	unsigned int i;

	xfer_read(report->xfer, &client);
	xfer_read_order(report->xfer, &client);
	result_metric_u64(res, "tested_ns", client.window_ns);
	if (report->plan->local.kind == CONTROL_STREAM)
		report_stream(report, &client, res, figures);
	else
		report_requests(report, &client, res, figures);
	report_cpus(report, &client, res, figures);
	report_buffers(report, &client, res);
	report_conns(report, res);
	for (i = 0; i < xfer_nr_arrivals(report->xfer); i++) {
		arrival = xfer_arrival(report->xfer, i);
		xfer_report_arrival(report, &arrival, res);
	}
	xfer_read_zerocopy(report->xfer, &zerocopy, &copied);
	if (zerocopy)
		result_metric_real(res, "zerocopy_copied_ratio", (double)copied / (double)zerocopy);
	if (!report->has_result)
		result_note(res, "the server did not tell its end: its figures are those of its last "
			    "interval, or missing");
}

static uint64_t grown(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

/* Mean and sums of what TCP says of the connections that send, at whichever end. */
static void row_tcp(struct xfer_report *report, const struct control_figures *client,
		    struct result *res)
{
	const struct control_figures *server = &report->server, *before = &report->server_row;
	bool both = report->plan->local.kind == CONTROL_STREAM;
	uint64_t senders = client->senders + (both ? server->senders : 0), retransmits = 0;

	/* As in the result: of the ends that send. */
	if (!both || report->plan->local.direction != CONTROL_BACK)
		retransmits += grown(client->retransmits, report->client_row.retransmits);
	if (both && report->plan->local.direction != CONTROL_THERE)
		retransmits += grown(server->retransmits, before->retransmits);
	result_row_u64(res, "tcp_retransmits", retransmits);
	if (!senders)
		return;
	result_row_real(res, "tcp_rtt_ns", 1e3 * (double)(client->rtt_us + (both ? server->rtt_us : 0)) /
			(double)senders);
	result_row_u64(res, "tcp_cwnd_packets", client->cwnd_packets + (both ? server->cwnd_packets : 0));
}

static void row_round_trips(struct xfer_report *report, struct result *res)
{
	struct hist_rec now, since;

	xfer_read_hist(report->xfer, &now);
	since = now;
	hist_subtract(&since, &report->hist_row);
	if (since.count)
		result_row_hist(res, "rtt", &since);
	report->hist_row = now;
}

static void row_stream(struct xfer_report *report, struct result *res,
		       const struct control_conn *conn, uint64_t elapsed_ns, uint64_t span_ns)
{
	struct control_conn *before = &report->stream_rows[conn->stream];
	struct result *part;
	char name[24];

	part = result_part(res, PART_OTHER, stream_name(name, sizeof(name), (unsigned int)conn->stream));
	result_row_open(part, elapsed_ns);
	result_row_real(part, "payload_sent_bps",
			8 * per_s(conn->sent_bytes - before->sent_bytes, span_ns));
	result_row_u64(part, "tcp_retransmits", grown(conn->retransmits, before->retransmits));
	result_row_u64(part, "tcp_rtt_ns", conn->rtt_us * 1000);
	result_row_u64(part, "tcp_cwnd_packets", conn->cwnd_packets);
	result_row_u64(part, "tcp_delivery_bps", conn->delivery_bps);
	result_row_u64(part, "tcp_busy_ns", grown(conn->busy_us, before->busy_us) * 1000);
	result_row_u64(part, "tcp_rwnd_limited_ns",
		       grown(conn->rwnd_limited_us, before->rwnd_limited_us) * 1000);
	result_row_u64(part, "tcp_sndbuf_limited_ns",
		       grown(conn->sndbuf_limited_us, before->sndbuf_limited_us) * 1000);
	result_row_close(part);
	*before = *conn;
}

/* Of the server as its newest row had them; of requests and responses the client's. */
static void row_streams(struct xfer_report *report, struct result *res, uint64_t elapsed_ns,
			uint64_t client_ns, uint64_t server_ns)
{
	struct control_conn conn;
	unsigned int i;

	for (i = 0; i < xfer_nr_conns(report->xfer); i++) {
		if (xfer_read_conn(report->xfer, i, &conn))
			row_stream(report, res, &conn, elapsed_ns, client_ns);
		else if (report->has_conn[i] && server_ns)
			row_stream(report, res, &report->conns[i], elapsed_ns, server_ns);
	}
}

void xfer_report_row(struct xfer_report *report, struct result *res, uint64_t elapsed_ns)
{
	const struct control_figures *server = &report->server, *before = &report->server_row;
	const struct control_test *test = &report->plan->local;
	uint64_t server_ns = grown(server->elapsed_ns, before->elapsed_ns), span_ns;
	struct control_figures client;

	xfer_read(report->xfer, &client);
	span_ns = client.elapsed_ns - report->client_row.elapsed_ns;
	result_row_open(res, elapsed_ns);
	if (test->kind != CONTROL_STREAM) {
		result_row_real(res, "transactions_per_s",
				per_s(client.transactions - report->client_row.transactions, span_ns));
		row_round_trips(report, res);
	} else {
		/* Of the direction that there is, or of both together. */
		double sent = 0, received = 0;

		if (test->direction != CONTROL_BACK) {
			sent += per_s(client.sent_bytes - report->client_row.sent_bytes, span_ns);
			received += per_s(grown(server->received_bytes, before->received_bytes),
					  server_ns);
		}
		if (test->direction != CONTROL_THERE) {
			sent += per_s(grown(server->sent_bytes, before->sent_bytes), server_ns);
			received += per_s(client.received_bytes - report->client_row.received_bytes,
					  span_ns);
		}
		result_row_real(res, "payload_sent_bps", 8 * sent);
		result_row_real(res, "payload_received_bps", 8 * received);
	}
	if (test->protocol == CONTROL_TCP && test->kind != CONTROL_CRR)
		row_tcp(report, &client, res);
	result_row_close(res);
	if (report->plan->per_stream)
		row_streams(report, res, elapsed_ns, span_ns, server_ns);
	report->client_row = client;
	report->server_row = *server;
}
