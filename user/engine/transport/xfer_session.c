// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/transport/xfer_session.c - what a server does for one client: meets it, agrees on a
 * test, runs its end of it, and tells what it counted.
 */
#include "engine/transport/xfer_session.h"

#include <errno.h>
#include <math.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/self/link_downs.h"
#include "engine/transport/xfer.h"
#include "engine/transport/xfer_data.h"
#include "engine/transport/xfer_server.h"
#include "lib/loop.h"
#include "lib/unit.h"

#define TICK_NS		20000000ull
#define IDLE_NS		(60 * NSEC_PER_SEC)	/* a client that asks for no test is sent away */
#define DRAIN_NS	(10 * NSEC_PER_SEC)
#define GRACE_NS	(30 * NSEC_PER_SEC)	/* beyond the test's time, for its "stop" */
#define OVER_LIMIT	1.1			/* of the rate, in both directions together */
#define BURST_S		1.0			/* at most so much time of it at once */

static int check_limits(const struct xfer_server_cfg *cfg, const struct control_test *test,
			struct err *e)
{
	char text[32];

	if (xfer_streams(test) > cfg->max_streams)
		return err_plain(e, -EPERM, "this server takes at most %llu streams",
				 (unsigned long long)cfg->max_streams);
	if (cfg->max_duration_ns && test->duration_ns + test->omit_ns > cfg->max_duration_ns)
		return err_plain(e, -EPERM, "this server takes tests of at most %s",
				 unit_show_duration(text, sizeof(text), cfg->max_duration_ns));
	if (cfg->max_bps > 0 && test->kind == CONTROL_STREAM &&
	    (!test->rate_bps || (double)test->rate_bps > cfg->max_bps))
		return err_plain(e, -EPERM, "this server takes at most %s: ask for it with --rate",
				 unit_format(text, sizeof(text), UNIT_BPS, cfg->max_bps));
	return 0;
}

static int charge_memory(struct xfer_session *session, uint64_t bytes, struct err *e)
{
	uint64_t most = session->cfg->max_memory_bytes;
	struct xfer_served *served = session->served;
	char text[32], limit[32];
	bool ok;

	if (bytes > most / 2) {
		err_plain(e, -EPERM, "this test takes %s of the server's memory, and one may take %s",
			  unit_format(text, sizeof(text), UNIT_BYTES, (double)bytes),
			  unit_format(limit, sizeof(limit), UNIT_BYTES, (double)(most / 2)));
		return err_hint(e, "use smaller messages or fewer threads; or a server with a higher --max-memory");
	}
	pthread_mutex_lock(session->lock);
	ok = bytes <= most - served->memory_bytes;
	if (ok)
		served->memory_bytes += bytes;
	if (served->memory_bytes > served->memory_max_bytes)
		served->memory_max_bytes = served->memory_bytes;
	pthread_mutex_unlock(session->lock);
	if (ok)
		return 0;
	err_plain(e, -EBUSY, "the server's memory for tests, %s, is in use",
		  unit_format(limit, sizeof(limit), UNIT_BYTES, (double)most));
	return err_hint(e, "try again when other tests have ended");
}

static void release_memory(struct xfer_session *session, uint64_t bytes)
{
	pthread_mutex_lock(session->lock);
	session->served->memory_bytes -= bytes;
	pthread_mutex_unlock(session->lock);
}

/* A token bucket: a time without traffic allows no more than one burst after it. */
struct bucket {
	double bits, credit_bits;	/* so far; that may follow at once */
	uint64_t elapsed_ns;
};

static bool is_over_limit(struct bucket *bucket, double max_bps, const struct control_figures *now)
{
	double bits = 8 * (double)(now->sent_bytes + now->received_bytes), rate_bps = 2 * OVER_LIMIT * max_bps;
	double seconds = (double)(now->elapsed_ns - bucket->elapsed_ns) / NSEC_PER_SEC;

	bucket->credit_bits = fmin(bucket->credit_bits + rate_bps * seconds, rate_bps * BURST_S) -
			      (bits - bucket->bits);
	bucket->bits = bits;
	bucket->elapsed_ns = now->elapsed_ns;
	return bucket->credit_bits < 0;
}

static int tell_conns(struct xfer_session *session, struct xfer *xfer, struct err *e)
{
	struct control_conn conn;
	unsigned int i;

	for (i = 0; i < xfer_nr_conns(xfer); i++) {
		if (xfer_read_conn(xfer, i, &conn) &&
		    xfer_link_send(&session->link, CONTROL_CONN, &conn, e))
			return e->no;
	}
	return 0;
}

/* Until "stop", the end of its time, or something wrong; rows on the way. */
static int watch_test(struct xfer_session *session, struct xfer *xfer,
		      const struct control_test *test, struct err *e)
{
	uint64_t start_ns = loop_mono_ns(), row_ns = start_ns + test->interval_ns, now_ns;
	uint64_t last_ns = start_ns + test->omit_ns + test->duration_ns + GRACE_NS, wait_ns;
	struct bucket bucket = { .credit_bits = 2 * OVER_LIMIT * session->cfg->max_bps * BURST_S };
	struct control_figures figures;
	union control_body body;
	enum control_type type;
	bool is_row;
	int err;

	for (;;) {
		now_ns = loop_mono_ns();
		wait_ns = test->interval_ns && row_ns < now_ns + TICK_NS ?
			  row_ns > now_ns ? row_ns - now_ns : 0 : TICK_NS;
		err = xfer_link_receive(&session->link, wait_ns, &type, &body, e);
		if (!err)
			return type == CONTROL_STOP ? 0 : err_plain(e, -EINVAL, "'%s' in a test",
								    control_name(type));
		if (err != -EAGAIN)
			return err;
		xfer_tick(xfer);
		if (atomic_load(session->stop))
			return err_set(e, -ECANCELED, "the server ends");
		now_ns = loop_mono_ns();
		if (now_ns > last_ns)
			return err_plain(e, -ETIMEDOUT, "the test's time is long over");
		is_row = test->interval_ns && now_ns >= row_ns;
		if (is_row || session->cfg->max_bps > 0)
			xfer_read(xfer, &figures);
		if (session->cfg->max_bps > 0 && is_over_limit(&bucket, session->cfg->max_bps, &figures))
			return err_plain(e, -EPERM, "the test goes beyond the server's rate limit");
		if (!is_row)
			continue;
		while (row_ns <= now_ns)
			row_ns += test->interval_ns;
		if ((test->stream_rows && tell_conns(session, xfer, e)) ||
		    xfer_link_send(&session->link, CONTROL_ROW, &figures, e))
			return e->no;
	}
}

static int drain(struct xfer_session *session, struct xfer *xfer)
{
	uint64_t end_ns = loop_mono_ns() + DRAIN_NS;

	while (!xfer_is_drained(xfer) && loop_mono_ns() < end_ns && !atomic_load(session->stop))
		loop_sleep_until(loop_mono_ns() + NSEC_PER_SEC / 500);
	xfer_finish(xfer);
	return 0;
}

static int tell_arrivals(struct xfer_session *session, const struct xfer *xfer, struct err *e)
{
	struct control_arrivals line = { .list = "" };
	unsigned int nr = xfer_nr_arrivals(xfer), i = 0;
	struct control_arrival arrival;

	while (i < nr) {
		arrival = xfer_arrival(xfer, i);
		if (control_add_arrival(line.list, sizeof(line.list), &arrival)) {
			i++;
			continue;
		}
		if (xfer_link_send(&session->link, CONTROL_ARRIVALS, &line, e))
			return e->no;
		*line.list = '\0';
	}
	return *line.list ? xfer_link_send(&session->link, CONTROL_ARRIVALS, &line, e) : 0;
}

static int tell_figures(struct xfer_session *session, struct xfer *xfer, struct err *e)
{
	struct control_figures figures;

	if (tell_conns(session, xfer, e))
		return e->no;
	if (tell_arrivals(session, xfer, e))
		return e->no;
	xfer_read(xfer, &figures);
	xfer_read_order(xfer, &figures);
	pthread_mutex_lock(session->lock);
	session->served->sent_bytes += figures.sent_bytes;
	session->served->received_bytes += figures.received_bytes;
	pthread_mutex_unlock(session->lock);
	return xfer_link_send(&session->link, CONTROL_RESULT, &figures, e);
}

static int run_xfer(struct xfer_session *session, struct xfer *xfer,
		    const struct control_test *test, struct err *e)
{
	if (xfer_data_accept(xfer, test, session->cfg, &session->link, &session->peer, e) ||
	    xfer_start(xfer, e) || xfer_link_send(&session->link, CONTROL_GO, NULL, e))
		return e->no;
	xfer_open(xfer);
	if (watch_test(session, xfer, test, e))
		return e->no;
	xfer_stop(xfer);
	drain(session, xfer);
	return tell_figures(session, xfer, e);
}

static void log_test(const struct xfer_session *session, const struct control_test *test)
{
	static const char *const kinds[] = { "stream", "rr", "crr" };
	char from[SOCK_TEXT_BYTES], time[32];

	log_limited(session->log, LOG_INFO, "%s: %s %s, %llu stream%s, %s", sock_text(&session->peer, from),
		 test->protocol == CONTROL_UDP ? "udp" : "tcp", kinds[test->kind],
		 (unsigned long long)test->streams, test->streams > 1 ? "s" : "",
		 unit_show_duration(time, sizeof(time), test->duration_ns));
}

/* -EPERM: refused. */
static int run_test(struct xfer_session *session, const struct control_test *test, struct err *e)
{
	struct sock_opts none = { 0 };
	struct xfer *xfer = NULL;
	uint64_t memory_bytes;
	int err;

	/* A usage error is of this end's user elsewhere; here it is the client's fault. */
	memory_bytes = xfer_memory_bytes(test, XFER_SERVER);
	if (control_check_test(test, e) || check_limits(session->cfg, test, e) ||
	    charge_memory(session, memory_bytes, e)) {
		pthread_mutex_lock(session->lock);
		session->served->refused++;
		pthread_mutex_unlock(session->lock);
		e->no = -EPERM;
		return e->no;
	}
	log_test(session, test);
	if (session->links)
		link_downs_add_route(&session->links, &session->peer.sa);
	err = xfer_new(&xfer, test, XFER_SERVER, &none, e);
	if (!err)
		err = run_xfer(session, xfer, test, e);
	xfer_free(xfer);
	release_memory(session, memory_bytes);
	if (!err) {
		pthread_mutex_lock(session->lock);
		session->served->tests++;
		pthread_mutex_unlock(session->lock);
	}
	return err;
}

static void tell_error(struct xfer_session *session, const struct err *e)
{
	struct control_error error = { 0 };
	struct err ignored;

	snprintf(error.what, sizeof(error.what), "%.*s", (int)sizeof(error.what) - 1, e->msg);
	snprintf(error.hint, sizeof(error.hint), "%.*s", (int)sizeof(error.hint) - 1, e->hint);
	xfer_link_send(&session->link, CONTROL_ERROR, &error, &ignored);
}

static void note_error(struct xfer_session *session, const struct err *e)
{
	char from[SOCK_TEXT_BYTES];

	sock_text(&session->peer, from);
	pthread_mutex_lock(session->lock);
	if (e->no == -EINVAL)
		session->served->malformed++;
	else if (e->no == -EACCES)
		session->served->bad_keys++;
	pthread_mutex_unlock(session->lock);
	if (e->no == -ECONNRESET)
		log_limited(session->log, LOG_INFO, "%s: has gone", from);
	else
		log_limited(session->log, LOG_WARN, "%s: %s", from, e->msg);
	if (e->no != -ECONNRESET && e->no != -EPIPE && e->no != -EREMOTE)
		tell_error(session, e);
}

static int next_test(struct xfer_session *session, struct err *e)
{
	uint64_t end_ns = loop_mono_ns() + IDLE_NS;
	union control_body body;
	enum control_type type;
	int err;

	do {
		err = xfer_link_receive(&session->link, TICK_NS, &type, &body, e);
		if (atomic_load(session->stop))
			return err_set(e, -ECANCELED, "the server ends");
	} while (err == -EAGAIN && loop_mono_ns() < end_ns);
	if (err == -EAGAIN)
		return err_plain(e, -ETIMEDOUT, "no test was asked for");
	if (err)
		return err;
	if (type != CONTROL_TEST)
		return err_plain(e, -EINVAL, "'%s' where 'test' was due", control_name(type));
	return run_test(session, &body.test, e);
}

void xfer_session_run(struct xfer_session *session)
{
	struct control_hello client;
	struct err e;
	int err;

	err = xfer_link_meet_client(&session->link, &session->cfg->key, &client, &e);
	if (!err)
		err = session->admit(session->ctx, &e);
	while (!err)
		err = next_test(session, &e);
	note_error(session, &e);
}
