// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/transport/xfer_client.c - the near end of transport tests.
 */
#include "engine/transport/xfer_client.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/transport/xfer.h"
#include "engine/transport/xfer_data.h"
#include "engine/transport/xfer_host.h"
#include "engine/transport/xfer_report.h"
#include "lib/log.h"
#include "lib/loop.h"
#include "sys/socket/sock.h"

#define DRAIN_NS	(12 * NSEC_PER_SEC)	/* a little more than the server's own */
#define LOOK_NS		2000000ull
#define MESSAGES_NS	5000000ull	/* a server that says ever more is not listened to for longer */
#define SIGNAL_NS	700000000ull	/* after a signal, for the server's result */
#define REGULAR_RATIO	0.999		/* of the rate asked for, as RFC 9971 has it */
#define ROW_NS		30000000ull		/* a row that comes later stands in the next one */

/* What could limit a test on this host; of several tests the most. */
struct use {
	enum bottleneck_pace pace;
	bool sends;			/* from this host */
	struct meter_thread sender;	/* the busiest that sends */
	struct meter_receiver receiver;
};

struct xfer_client {
	struct xfer_link link;
	struct sock_addr server, from;
	bool has_from, same_host;
	struct control_range data_ports;
	struct xfer_tcp tcp;		/* of the last test; rtt_mean_ns: so far the sum */
	uint64_t looks;			/* at a connection's round trip */
	struct use use;
};

struct run {
	struct xfer_client *client;
	const struct xfer_plan *plan;
	struct xfer *xfer;
	struct xfer_report *report;
	struct result *res;
	struct xfer_figures *figures;
	uint64_t nr_arrivals;		/* that the server listed */
	uint64_t signal_mono_ns;	/* when a signal was seen; 0: none */
	struct err *e;
	int err;
};

int xfer_client_open(struct xfer_client **ret_client, const struct xfer_client_cfg *cfg,
		     struct result *res, struct err *e)
{
	struct xfer_client *client = calloc(1, sizeof(*client));
	struct control_welcome host, own_host;
	struct control_hello server;
	char text[SOCK_TEXT_BYTES], own[sizeof(server.host)];

	if (!client)
		return err_set(e, -ENOMEM, "cannot make a test");
	client->link.fd = -1;
	client->data_ports = cfg->data_ports;
	if (sock_resolve(cfg->host, cfg->port, cfg->family, &client->server, e))
		goto fail;
	if (cfg->from) {
		if (sock_resolve(cfg->from, 0, client->server.sa.sa_family, &client->from, e))
			goto fail;
		client->has_from = true;
	}
	client->link.fd = sock_open(client->server.sa.sa_family, SOCK_STREAM, NULL, e);
	if (client->link.fd < 0)
		goto fail;
	if (client->has_from && bind(client->link.fd, &client->from.sa, client->from.len)) {
		err_set(e, -errno, "cannot send from '%s'", cfg->from);
		goto fail;
	}
	if (sock_connect(client->link.fd, &client->server, XFER_ANSWER_NS / 2, e)) {
		err_hint(e, "start the other end there: ethgauge serve --open, or with a key"
			     " for both ends: --key-file FILE");
		goto fail;
	}
	sock_keep_alive(client->link.fd);
	sock_set_timeouts(client->link.fd, XFER_ANSWER_NS);
	if (xfer_link_meet_server(&client->link, &cfg->key, &server, &host, e))
		goto fail;
	xfer_host_read(client->link.fd, &own_host);
	sock_host_id(own, sizeof(own));
	client->same_host = *own && !strcmp(own, server.host);
	result_env_str(res, "server", sock_text(&client->server, text));
	result_env_str(res, "server_tool", server.tool);
	result_env_str(res, "same_host", client->same_host ? "yes" : "no");
	xfer_host_report(&host, &own_host, res);
	if (client->same_host)
		result_note(res, "both ends are on one host: one clock, and the service demand is that of "
			    "each end's own threads, not of all CPUs");
	*ret_client = client;
	return 0;
fail:
	if (e->no == -EINTR)
		xfer_report_nothing(res);
	xfer_client_close(client);
	return e->no;
}

void xfer_client_close(struct xfer_client *client)
{
	if (!client)
		return;
	if (client->link.fd >= 0)
		close(client->link.fd);
	free(client);
}

uint64_t xfer_client_datagram_bytes(const struct xfer_client *client)
{
	size_t bytes = sock_payload_bytes(client->link.fd);

	return bytes ? bytes : 1400;
}

uint32_t xfer_client_mtu(const struct xfer_client *client)
{
	uint32_t headers = client->server.sa.sa_family == AF_INET6 ? 48 : 28;

	return (uint32_t)xfer_client_datagram_bytes(client) + headers;
}

void xfer_client_read_tcp(const struct xfer_client *client, struct xfer_tcp *ret_tcp)
{
	*ret_tcp = client->tcp;
	ret_tcp->rtt_mean_ns = client->looks ? client->tcp.rtt_mean_ns / (double)client->looks : NAN;
}

static void look_at_rtt(struct xfer_client *client, const struct control_conn *conn)
{
	if (!conn->rtt_us)
		return;
	client->tcp.rtt_mean_ns += 1e3 * (double)conn->rtt_us;
	client->looks++;
}

static void look_at_rtts(struct run *run)
{
	struct control_conn conn;
	unsigned int i;

	for (i = 0; i < xfer_nr_conns(run->xfer); i++) {
		if (xfer_read_conn(run->xfer, i, &conn))
			look_at_rtt(run->client, &conn);
	}
}

static void add_tcp(struct xfer_tcp *tcp, const struct control_conn *conn)
{
	tcp->sent_bytes += conn->acked_bytes + conn->retransmitted_bytes;
	tcp->retransmitted_bytes += conn->retransmitted_bytes;
	if (!tcp->mss_bytes || conn->mss_bytes < tcp->mss_bytes)
		tcp->mss_bytes = conn->mss_bytes;
}

static void keep_tcp(struct run *run)
{
	struct xfer_client *client = run->client;
	struct control_conn conn;
	unsigned int i;

	for (i = 0; i < xfer_nr_conns(run->xfer); i++) {
		if (xfer_read_conn(run->xfer, i, &conn))
			add_tcp(&client->tcp, &conn);
	}
	for (i = 0; i < CONTROL_MAX_STREAMS; i++) {
		if (!run->report->conns[i].mss_bytes)
			continue;
		add_tcp(&client->tcp, &run->report->conns[i]);
		look_at_rtt(client, &run->report->conns[i]);
	}
}

/* What the server says beside the time of answers; -EAGAIN: nothing. */
static int take_message(struct run *run, uint64_t timeout_ns, struct err *e)
{
	struct xfer_report *report = run->report;
	union control_body body;
	const char *at = body.arrivals.list;
	struct control_arrival arrival;
	enum control_type type;
	int err = xfer_link_receive(&run->client->link, timeout_ns, &type, &body, e);

	if (err)
		return err;
	switch (type) {
	case CONTROL_ROW:
		report->server = body.figures;
		memcpy(report->conns, report->coming, sizeof(report->conns));
		break;
	case CONTROL_CONN:
		if (body.conn.stream >= CONTROL_MAX_STREAMS)
			return err_plain(e, -EINVAL, "the server reports a stream that does not exist");
		report->coming[body.conn.stream] = body.conn;
		report->has_conn[body.conn.stream] = true;
		break;
	case CONTROL_ARRIVALS:
		while (control_next_arrival(&at, &arrival) && arrival.stream < CONTROL_MAX_STREAMS) {
			if (++run->nr_arrivals > run->plan->remote.arrivals)
				return err_plain(e, -EINVAL, "the server reports more arrivals than were requested");
			xfer_report_arrival(report, &arrival, run->res);
		}
		if (*at)
			return err_plain(e, -EINVAL, "the server reports arrivals that cannot be parsed");
		break;
	case CONTROL_RESULT:
		report->server = body.figures;
		memcpy(report->conns, report->coming, sizeof(report->conns));
		report->has_result = true;
		break;
	default:
		return err_plain(e, -EINVAL, "the server says '%s' within a test",
				 control_name(type));
	}
	return 0;
}

static bool is_over(void *ctx)
{
	struct run *run = ctx;
	uint64_t end_ns = loop_mono_ns() + MESSAGES_NS;
	int err;

	if (run->err)
		return true;
	do {
		err = take_message(run, 0, run->e);
	} while (!err && loop_mono_ns() < end_ns);
	run->err = !err || err == -EAGAIN ? xfer_error(run->xfer, run->e) : err;
	xfer_tick(run->xfer);
	if (run->plan->look)
		look_at_rtts(run);
	return run->err || xfer_has_ended(run->xfer);
}

/* The server's row of this interval is on its way. */
static void tick(void *ctx, uint64_t elapsed_ns)
{
	struct run *run = ctx;
	uint64_t end_ns = loop_mono_ns() + ROW_NS, had_ns = run->report->server.elapsed_ns;

	while (!run->err && !run->report->has_result && run->report->server.elapsed_ns == had_ns &&
	       loop_mono_ns() < end_ns) {
		run->err = take_message(run, LOOK_NS, run->e);
		if (run->err == -EAGAIN)
			run->err = 0;
	}
	xfer_report_row(run->report, run->res, elapsed_ns);
}

/* After @end_ns, and soon after a signal. */
static bool is_late(struct run *run, uint64_t end_ns)
{
	uint64_t now_ns = loop_mono_ns();

	if (loop_signal() && !run->signal_mono_ns)
		run->signal_mono_ns = now_ns;
	return now_ns >= end_ns || (run->signal_mono_ns && now_ns >= run->signal_mono_ns + SIGNAL_NS);
}

/* Both ends come to rest, and the server tells what it counted. */
static int settle(struct run *run, struct err *e)
{
	uint64_t end_ns = loop_mono_ns() + DRAIN_NS;
	bool drained = false;
	int err = 0;

	/* A server that is told to stop answers no more: first all answers have to be here. */
	while (run->plan->local.kind != CONTROL_STREAM && !xfer_is_drained(run->xfer) &&
	       !is_late(run, end_ns) && !run->err)
		loop_sleep_until(loop_mono_ns() + LOOK_NS);
	if (xfer_link_send(&run->client->link, CONTROL_STOP, NULL, e))
		return e->no;
	while ((!drained || !run->report->has_result) && !is_late(run, end_ns)) {
		err = take_message(run, LOOK_NS, e);
		if (err && err != -EAGAIN)
			return err;
		drained = drained || xfer_is_drained(run->xfer);
	}
	if (run->report->has_result)
		return 0;
	if (!run->signal_mono_ns)
		return err_plain(e, -ETIMEDOUT, "the server does not report its result");
	result_note(run->res,
		    "the server did not report its result within 0.7 s after the signal: what it counted last is "
		    "missing");
	return 0;
}

static int start(struct run *run)
{
	struct xfer_client *client = run->client;
	union control_body body;

	if (xfer_link_send(&client->link, CONTROL_TEST, &run->plan->remote, run->e) ||
	    xfer_link_expect(&client->link, CONTROL_READY, &body, run->e) ||
	    xfer_data_connect(run->xfer, &run->plan->local, body.ready.ports, &client->data_ports,
			      &client->server, client->has_from ? &client->from : NULL, run->e))
		return run->e->no;
	xfer_set_request_rate(run->xfer, run->plan->requests_per_s);
	if (xfer_start(run->xfer, run->e) ||
	    xfer_link_send(&client->link, CONTROL_GO, NULL, run->e) ||
	    xfer_link_expect(&client->link, CONTROL_GO, &body, run->e))
		return run->e->no;
	xfer_open(run->xfer);
	return 0;
}

/* The mean of the server's threads, which are as many as here. */
static struct meter_thread server_thread(const struct run *run)
{
	const struct control_figures *server = &run->report->server;
	unsigned int nr = xfer_nr_workers(run->xfer);

	return (struct meter_thread){
		.cpu = BOTTLENECK_ANY_CPU, .time_ns = server->window_ns,
		.run_ns = nr ? server->cpu_ns / nr : 0,
	};
}

static enum bottleneck_pace find_pace(const struct run *run)
{
	const struct xfer_plan *plan = run->plan;
	double asked = plan->requests_per_s > 0 ? plan->requests_per_s : (double)plan->local.rate_bps;
	double got = plan->requests_per_s > 0 ? run->figures->transactions_per_s : run->figures->sent_bps;

	if (plan->local.spin)
		return BOTTLENECK_PACED;	/* busy by design */
	if (plan->local.direction == CONTROL_BOTH)
		asked *= 2;
	/* What falls behind its rate waits for the path, unless its CPU is used up. */
	return asked > 0 && got >= REGULAR_RATIO * asked ? BOTTLENECK_REGULAR : BOTTLENECK_BLOCKING;
}

static void keep_use(struct run *run)
{
	const struct control_test *test = &run->plan->local;
	const struct control_figures *server = &run->report->server;
	bool back = test->kind == CONTROL_STREAM && test->direction == CONTROL_BACK;
	bool near = run->client->same_host;
	struct use *use = &run->client->use;
	struct meter_thread own, other = server_thread(run);
	const struct meter_thread *sender = back ? &other : &own, *reader = back ? &own : &other;
	struct control_figures client;
	enum bottleneck_pace pace = find_pace(run);

	xfer_read(run->xfer, &client);
	xfer_read_use(run->xfer, &own);
	if (pace != BOTTLENECK_REGULAR || !use->sends)
		use->pace = pace;
	if (back && !near)
		sender = NULL;
	if (!back && !near)
		reader = NULL;
	if (sender && (!use->sends || meter_busy_ratio(sender) > meter_busy_ratio(&use->sender)))
		use->sender = *sender;
	use->sends |= sender != NULL;
	if (reader && !test->spin)
		use->receiver.reader_ratio = fmax(use->receiver.reader_ratio, meter_busy_ratio(reader));
	use->receiver.socket_full_packets += client.socket_full + server->socket_full;
	use->receiver.lost_packets += run->figures->lost_packets;
}

static void read_sender(const void *ctx, uint32_t i, struct meter_thread *ret_thread)
{
	const struct xfer_client *client = ctx;

	(void)i;
	*ret_thread = client->use.sender;
}

const struct sockaddr *xfer_client_server(const struct xfer_client *client)
{
	return &client->server.sa;
}

void xfer_client_report_self(const struct xfer_client *client, struct meter *meter,
			     struct result *res)
{
	const struct use *use = &client->use;
	const struct meter_sender sender = {
		.ctx = client, .nr_threads = 1, .pace = use->pace, .read_thread = read_sender,
	};

	meter_report(meter, use->sends ? &sender : NULL, &use->receiver, res);
}

static int run_test(struct run *run)
{
	const struct control_test *test = &run->plan->local;
	struct loop loop = {
		.duration_ns = test->omit_ns + test->duration_ns, .interval_ns = test->interval_ns,
		.done = is_over, .tick = tick, .ctx = run,
	};
	struct err settle_error;
	int err = start(run);

	if (err == -EINTR)
		xfer_report_nothing(run->res);
	if (err)
		return err;
	loop_run(&loop);
	xfer_stop(run->xfer);
	err = settle(run, &settle_error);
	if (err && !run->err) {
		run->err = err;
		*run->e = settle_error;
	}
	xfer_finish(run->xfer);
	loop_close(&loop);
	keep_tcp(run);
	xfer_report_end(run->report, run->res, run->figures);
	keep_use(run);
	return run->err;
}

int xfer_client_run(struct xfer_client *client, const struct xfer_plan *plan, struct result *res,
		    struct xfer_figures *ret_figures, struct err *e)
{
	struct run run = { .client = client, .plan = plan, .res = res, .figures = ret_figures, .e = e };
	struct sock_opts opts;
	int err;

	*ret_figures = (struct xfer_figures){
		.sent_bps = NAN, .received_bps = NAN, .transactions_per_s = NAN, .rtt_min_ns = NAN,
		.client_cpus = NAN, .server_cpus = NAN,
	};
	xfer_data_opts(&plan->local, &opts);
	run.report = calloc(1, sizeof(*run.report));
	if (!run.report)
		return err_set(e, -ENOMEM, "cannot make a test");
	err = xfer_new(&run.xfer, &plan->local, XFER_CLIENT, &opts, e);
	if (err)
		goto out;
	*run.report = (struct xfer_report){
		.plan = plan, .xfer = run.xfer, .same_host = client->same_host,
	};
	client->tcp = (struct xfer_tcp){ 0 };
	client->looks = 0;
	err = run_test(&run);
out:
	xfer_free(run.xfer);
	free(run.report);
	return err;
}
