// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/transport/xfer_opts.c - from the options of tcp and udp to tests, one or several.
 */
#include "engine/transport/xfer_opts.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "abi/tag.h"
#include "engine/self/meter.h"
#include "engine/transport/xfer_client.h"
#include "lib/log.h"
#include "lib/loop.h"
#include "lib/stat.h"
#include "sys/host/caps.h"

const struct opt xfer_options[] = {
	{ 'p', "port", OPT_U16, offsetof(struct xfer_opts, port), "N",
	  "control port of the server", .min = 1 },
	{ 'd', "duration", OPT_DURATION, offsetof(struct xfer_opts, duration_ns), "TIME",
	  "test time, after --omit", .min = 1000000, .letter_elsewhere = 't' },
	{ 'O', "omit", OPT_DURATION, offsetof(struct xfer_opts, omit_ns), "TIME",
	  "leave the first of it out of rates and round trips" },
	{ 'i', "interval", OPT_DURATION, offsetof(struct xfer_opts, interval_ns), "TIME",
	  "reporting interval, and on a terminal a line for each; 0: none" },
	{ 'P', "parallel", OPT_U16, offsetof(struct xfer_opts, streams), "N",
	  "connections at once, in each direction", .min = 1, .max = CONTROL_MAX_STREAMS },
	{ 0, "per-stream", OPT_FLAG, offsetof(struct xfer_opts, per_stream), NULL,
	  "lines of each connection too" },
	{ 0, "threads", OPT_U16, offsetof(struct xfer_opts, threads), "N",
	  "threads at each end; 0: one a stream, at most one a CPU" },
	{ 'r', "rate", OPT_RATE, offsetof(struct xfer_opts, rate), "RATE",
	  "100Mbit of payload, all streams together; of requests 10kpps",
	  .rate_kinds = OPT_RATE_BPS | OPT_RATE_PPS | OPT_RATE_MAX, .letter_elsewhere = 'b' },
	{ 0, "request-bytes", OPT_COUNT, offsetof(struct xfer_opts, request_bytes), "N",
	  "length of a request; 0: 1 byte, UDP 18", .max = CONTROL_MAX_MESSAGE, .of = "rr crr" },
	{ 0, "response-bytes", OPT_COUNT, offsetof(struct xfer_opts, response_bytes), "N",
	  "length of a response; 0: as the request", .max = CONTROL_MAX_MESSAGE, .of = "rr crr" },
	{ 0, "outstanding", OPT_COUNT, offsetof(struct xfer_opts, outstanding), "N",
	  "requests under way on each connection; 0: 1, with --rate 1024", .max = 1024, .of = "rr" },
	{ 0, "socket-buffer", OPT_COUNT, offsetof(struct xfer_opts, buffer_bytes), "BYTES",
	  "all four of the following at once; 64Ki is 65536", .max = INT32_MAX / 2, .letter_elsewhere = 'w' },
	{ 0, "send-buffer", OPT_COUNT, offsetof(struct xfer_opts, send_buffer_bytes), "BYTES",
	  "socket buffer here, which the kernel doubles; 0: the system's", .max = INT32_MAX / 2 },
	{ 0, "receive-buffer", OPT_COUNT, offsetof(struct xfer_opts, receive_buffer_bytes), "BYTES",
	  "the same for receiving", .max = INT32_MAX / 2 },
	{ 0, "remote-send-buffer", OPT_COUNT, offsetof(struct xfer_opts, remote_send_buffer_bytes), "BYTES",
	  "the same at the server", .max = INT32_MAX / 2 },
	{ 0, "remote-receive-buffer", OPT_COUNT, offsetof(struct xfer_opts, remote_receive_buffer_bytes),
	  "BYTES", "the same at the server", .max = INT32_MAX / 2 },
	{ 0, "spin", OPT_FLAG, offsetof(struct xfer_opts, spin), NULL,
	  "both ends poll instead of sleeping; one CPU per thread" },
	{ 0, "busy-read", OPT_DURATION, offsetof(struct xfer_opts, busy_poll_ns), "TIME",
	  "at this end the kernel polls the driver this long (SO_BUSY_POLL); CAP_NET_ADMIN",
	  .max = 1000000000 },
	{ 0, "dscp", OPT_U16, offsetof(struct xfer_opts, dscp), "N",
	  "differentiated services code point of both ends", .max = 63 },
	{ 0, "cpu", OPT_STR, offsetof(struct xfer_opts, cpu), "N", "threads of this end on this CPU" },
	{ 0, "remote-cpu", OPT_STR, offsetof(struct xfer_opts, remote_cpu), "N",
	  "CPU for the server's threads" },
	{ '4', "ipv4", OPT_FLAG, offsetof(struct xfer_opts, ipv4), NULL, "IPv4 only" },
	{ '6', "ipv6", OPT_FLAG, offsetof(struct xfer_opts, ipv6), NULL, "IPv6 only" },
	{ 'B', "bind", OPT_STR, offsetof(struct xfer_opts, from), "ADDR", "send from this address" },
	{ 0, "data-ports", OPT_STR, offsetof(struct xfer_opts, data_ports), "LOW-HIGH",
	  "data ports that the server may name, if it has --data-ports; default: near --port" },
	{ 0, "key-file", OPT_STR, offsetof(struct xfer_opts, key_file), "FILE",
	  "the server's key; else ETHGAUGE_KEY of the environment" },
	{ 0, "confidence", OPT_STR, offsetof(struct xfer_opts, confidence), "LEVEL,WIDTH",
	  "repeat until the LEVEL % interval of the mean is at most WIDTH % wide: 99,5" },
	{ 0, "max-runs", OPT_U16, offsetof(struct xfer_opts, max_runs), "N",
	  "--confidence: at most N runs, N from 3 to 100", .min = 3, .max = 100 },
	OPT_END
};

const struct opt xfer_stream_options[] = {
	{ 0, "message-sizes", OPT_STR, offsetof(struct xfer_opts, sizes), "FROM-TO",
	  "a run for each message length from FROM, doubled each time, and of TO", .of = XFER_STREAMS },
	{ 'R', "reverse", OPT_FLAG, offsetof(struct xfer_opts, reverse), NULL, "the server sends",
	  .of = XFER_STREAMS },
	{ 0, "bidir", OPT_FLAG, offsetof(struct xfer_opts, bidir), NULL, "both send at once",
	  .of = XFER_STREAMS },
	OPT_END
};

#define MAX_RUNS		100
#define MIN_RUNS		3
#define STREAM_BYTES		(128u << 10)
#define CONGESTION_BYTES	sizeof(((struct control_test *)NULL)->congestion)
#define OPEN_LOOP		1024		/* outstanding requests that an open loop may have */

static int parse_cpu(const char *text, const char *name, uint64_t *ret_cpu, struct err *e)
{
	uint64_t cpu;

	if (!text)
		return 0;
	if (unit_parse_count(text, &cpu) || cpu > 1023)
		return err_usage(e, OPTION("%s") " '%s' is no number of a CPU", name, text);
	*ret_cpu = cpu + 1;
	return 0;
}

/* "99,5": how sure, and how wide the interval may be. */
static int parse_confidence(const char *text, double *ret_level, double *ret_width, struct err *e)
{
	double level = NAN, width = NAN;
	int end = 0;

	if (!text)
		return 0;
	if (sscanf(text, "%lf,%lf%n", &level, &width, &end) != 2 || text[end] ||
	    !(level >= 50 && level <= 99.9) || !(width > 0 && width <= 100))
		return err_usage(e, OPTION("confidence") " '%s' is not LEVEL,WIDTH in percent, "
				"such as 99,5: "
				 "a level of 50 to 99.9, a width of up to 100", text);
	*ret_level = level / 100;
	*ret_width = width / 100;
	return 0;
}

static int parse_sizes(const char *text, uint64_t *ret_from, uint64_t *ret_to, struct err *e)
{
	char from[32];
	const char *dash;

	if (!text)
		return 0;
	dash = strchr(text, '-');
	if (dash && (size_t)(dash - text) < sizeof(from)) {
		memcpy(from, text, (size_t)(dash - text));
		from[dash - text] = '\0';
		if (!unit_parse_count(from, ret_from) && !unit_parse_count(dash + 1, ret_to) &&
		    *ret_from && *ret_from <= *ret_to && *ret_to <= CONTROL_MAX_MESSAGE)
			return 0;
	}
	return err_usage(e, OPTION("message-sizes") " '%s' is not FROM-TO in bytes, such as 64-1M, of at "
			"most %d",
			 text, CONTROL_MAX_MESSAGE);
}

static void read_rate(const struct xfer_opts *opts, struct xfer_plan *plan)
{
	struct control_test *test = &plan->local;

	switch (opts->rate.kind) {
	case UNIT_RATE_PPS:
		if (test->kind != CONTROL_STREAM)
			plan->requests_per_s = opts->rate.value;
		else
			test->rate_bps = (uint64_t)(opts->rate.value *
						    (double)test->message_bytes * 8);
		break;
	case UNIT_RATE_BPS:
		test->rate_bps = (uint64_t)opts->rate.value;
		break;
	default:		/* as fast as it goes */
		break;
	}
}

static void fill_common(const struct xfer_opts *opts, const struct xfer_extra *extra,
			struct control_test *test)
{
	bool udp = extra->protocol == CONTROL_UDP;

	*test = (struct control_test){
		.protocol = extra->protocol, .kind = extra->kind,
		.direction = opts->bidir ? CONTROL_BOTH :
			     opts->reverse != extra->reverse ? CONTROL_BACK : CONTROL_THERE,
		.streams = opts->streams, .threads = opts->threads,
		.duration_ns = opts->duration_ns, .omit_ns = opts->omit_ns,
		.interval_ns = opts->interval_ns,
		.stream_rows = opts->per_stream && extra->kind == CONTROL_STREAM,
		.batch = extra->batch, .on_ns = extra->on_ns, .off_ns = extra->off_ns,
		.nodelay = extra->nodelay,
		.window_clamp_bytes = extra->window_clamp_bytes, .mss_bytes = extra->mss_bytes,
		.dscp = opts->dscp, .zerocopy = extra->zerocopy, .sendfile = extra->sendfile,
		.splice = extra->splice, .gso = extra->gso,
		.arrivals = extra->arrivals,
		.spin = opts->spin, .busy_poll_us = opts->busy_poll_ns / 1000,
	};
	if (extra->congestion)
		snprintf(test->congestion, sizeof(test->congestion), "%s", extra->congestion);
	if (extra->kind == CONTROL_STREAM)
		return;
	test->request_bytes = opts->request_bytes ? opts->request_bytes : udp ? TAG_BYTES : 1;
	test->response_bytes = opts->response_bytes ? opts->response_bytes : test->request_bytes;
	test->outstanding = opts->outstanding;
	if (!test->outstanding)
		test->outstanding = opts->rate.kind == UNIT_RATE_PPS &&
				    extra->kind == CONTROL_RR ? OPEN_LOOP : 1;
}

static uint64_t buffer_of(const struct xfer_opts *opts, uint64_t one_bytes)
{
	return opts->buffer_bytes ? opts->buffer_bytes : one_bytes;
}

/* @message_bytes: of a stream, where the user left it open. */
static int make_plan(const struct xfer_opts *opts, const struct xfer_extra *extra,
		     uint64_t message_bytes, struct xfer_plan *ret_plan, struct err *e)
{
	struct xfer_plan plan = { .per_stream = opts->per_stream };

	fill_common(opts, extra, &plan.local);
	if (extra->kind == CONTROL_STREAM)
		plan.local.message_bytes = opts->message_bytes ? opts->message_bytes : message_bytes;
	read_rate(opts, &plan);
	plan.remote = plan.local;
	plan.local.send_buffer_bytes = buffer_of(opts, opts->send_buffer_bytes);
	plan.local.receive_buffer_bytes = buffer_of(opts, opts->receive_buffer_bytes);
	/* A server that is not root may not ask for it. */
	plan.remote.busy_poll_us = 0;
	plan.remote.send_buffer_bytes = buffer_of(opts, opts->remote_send_buffer_bytes);
	plan.remote.receive_buffer_bytes = buffer_of(opts, opts->remote_receive_buffer_bytes);
	if (parse_cpu(opts->cpu, "cpu", &plan.local.cpu, e) ||
	    parse_cpu(opts->remote_cpu, "remote-cpu", &plan.remote.cpu, e) ||
	    control_check_test(&plan.local, e))
		return e->no;
	*ret_plan = plan;
	return 0;
}

int xfer_opts_check(const struct xfer_opts *opts, const struct xfer_extra *extra, struct err *e)
{
	uint64_t from = 0, to = 0;
	struct control_range ignored;
	struct xfer_plan plan;
	double level, width;

	if (extra->congestion && strlen(extra->congestion) >= CONGESTION_BYTES)
		return err_usage(e, OPTION("congestion") " '%s' is no name of a congestion control",
				 extra->congestion);
	if (parse_confidence(opts->confidence, &level, &width, e) ||
	    parse_sizes(opts->sizes, &from, &to, e) ||
	    control_parse_range(opts->data_ports, &ignored, e) ||
	    make_plan(opts, extra, to ? to : 1400, &plan, e))
		return e->no;
	return from ? make_plan(opts, extra, from, &plan, e) : 0;
}


/* Width of the interval that the mean is in, over the mean. */
static double interval_ratio(const double *values, unsigned int nr, double level, double *ret_mean)
{
	double mean = 0, squares = 0;
	unsigned int i;

	for (i = 0; i < nr; i++)
		mean += values[i] / nr;
	for (i = 0; i < nr; i++)
		squares += (values[i] - mean) * (values[i] - mean);
	*ret_mean = mean;
	return 2 * stat_student(level, nr - 1) * sqrt(squares / (nr - 1) / nr) / mean;
}

static int run_until_sure(struct xfer_client *client, const struct xfer_opts *opts,
			  const struct xfer_plan *plan, struct result *res, struct err *e)
{
	bool stream = plan->local.kind == CONTROL_STREAM;
	struct xfer_figures figures;
	double values[MAX_RUNS], level = 0, width = 0, got = INFINITY, mean = NAN;
	unsigned int nr = 0;
	char name[24];
	int err = 0;

	parse_confidence(opts->confidence, &level, &width, e);
	while (!err && nr < opts->max_runs && (nr < MIN_RUNS || !(got <= width)) && !loop_signal()) {
		struct result *part;

		snprintf(name, sizeof(name), "run %u", nr + 1);
		part = result_part(res, PART_OTHER, name);
		err = xfer_client_run(client, plan, part, &figures, e);
		values[nr] = stream ? figures.received_bps : figures.transactions_per_s;
		if (err || loop_signal() || !isfinite(values[nr]))
			break;
		nr++;
		if (nr > 1)
			got = interval_ratio(values, nr, level, &mean);
	}
	result_metric_u64(res, "runs", nr);
	if (nr < 2)
		return err;
	result_metric_real(res, stream ? "payload_received_bps" : "transactions_per_s", mean);
	result_metric_real(res, "confidence_level_ratio", level);
	result_metric_real(res, "confidence_width_ratio", got);
	if (got <= width)
		result_note(res, "the mean of %u runs is within +-%.2g %% at %.4g %%", nr, got * 50,
			    level * 100);
	else
		result_note(res, "after %u runs the mean is only within +-%.2g %% at %.4g %%, not "
			    "+-%.2g %%: take longer runs, or more with --max-runs", nr, got * 50,
			    level * 100, width * 50);
	return err;
}

static int run_sizes(struct xfer_client *client, const struct xfer_opts *opts,
		     const struct xfer_extra *extra, struct result *res, struct err *e)
{
	uint64_t from = 0, to = 0, bytes;
	struct xfer_figures figures;
	struct xfer_plan plan;
	char name[32];
	int err = 0;

	parse_sizes(opts->sizes, &from, &to, e);
	for (bytes = from; !err && !loop_signal(); bytes = 2 * bytes < to ? 2 * bytes : to) {
		err = make_plan(opts, extra, bytes, &plan, e);
		if (err)
			break;
		snprintf(name, sizeof(name), "%llu bytes", (unsigned long long)bytes);
		err = xfer_client_run(client, &plan, result_part(res, PART_OTHER, name), &figures, e);
		if (err)
			break;
		result_entry_open(res);
		result_entry_u64(res, "message_bytes", bytes);
		result_entry_real(res, "sent_mbps", figures.sent_bps / 1e6);
		result_entry_real(res, "received_mbps", figures.received_bps / 1e6);
		result_entry_real(res, "messages_per_s", figures.received_bps / 8 / (double)bytes);
		result_entry_real(res, "client_cpus", figures.client_cpus);
		result_entry_real(res, "server_cpus", figures.server_cpus);
		result_entry_close(res);
		if (bytes == to)
			break;
	}
	return err;
}

/* Of --message-sizes, which has been checked; 0 without it. */
static uint64_t largest(const struct xfer_opts *opts)
{
	uint64_t from = 0, to = 0;
	struct err ignored;

	parse_sizes(opts->sizes, &from, &to, &ignored);
	return to;
}

/* What the kernel refuses to others: these may exceed its limits. */
static bool needs_admin(const struct xfer_opts *opts, const struct xfer_extra *extra)
{
	return extra->congestion || opts->busy_poll_ns || opts->buffer_bytes || opts->send_buffer_bytes ||
	       opts->receive_buffer_bytes;
}

int xfer_opts_run(const struct xfer_opts *opts, const struct xfer_extra *extra, struct result *res,
		  struct err *e)
{
	struct xfer_client_cfg cfg = {
		.host = opts->host, .from = opts->from, .port = opts->port,
		.family = opts->ipv4 ? AF_INET : opts->ipv6 ? AF_INET6 : AF_UNSPEC,
	};
	struct xfer_client *client = NULL;
	struct xfer_figures figures;
	struct xfer_plan plan;
	struct meter *meter;
	uint64_t bytes;
	int err;

	control_parse_range(opts->data_ports, &cfg.data_ports, e);	/* checked */
	err = secret_read(&cfg.key, opts->key_file, XFER_KEY_VARIABLE, e);
	if (!err)
		err = xfer_client_open(&client, &cfg, res, e);
	if (err)
		goto out;
	bytes = extra->protocol == CONTROL_UDP ? xfer_client_datagram_bytes(client) : STREAM_BYTES;
	err = make_plan(opts, extra, bytes, &plan, e);
	if (err)
		goto out;
	if (extra->gso && (opts->message_bytes ? opts->message_bytes : largest(opts)) > bytes) {
		err = err_usage(e, OPTION("gso") " joins datagrams that fit a packet: of at most "
				"%llu bytes here",
				(unsigned long long)bytes);
		goto out;
	}
	if (extra->kind == CONTROL_STREAM && !opts->sizes)
		result_env_u64(res, "message_bytes", plan.local.message_bytes);
	caps_drop(needs_admin(opts, extra) ? CAPS_NET_ADMIN : 0);
	log_info("testing with '%s'", opts->host);
	meter = meter_start(NULL);
	meter_add_route(meter, xfer_client_server(client));
	if (opts->sizes)
		err = run_sizes(client, opts, extra, res, e);
	else if (opts->confidence)
		err = run_until_sure(client, opts, &plan, res, e);
	else
		err = xfer_client_run(client, &plan, res, &figures, e);
	xfer_client_report_self(client, meter, res);
	meter_free(meter);
out:
	xfer_client_close(client);
	/* Ended before there was a figure, as the user wanted. */
	if (err == -EINTR && loop_signal())
		err = e->no = 0;
	return err;
}
