/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/transport/xfer_opts.h - the options that tcp and udp share, what they mean together,
 * and the run: once, again until it is known well enough, or for each size.
 */
#ifndef ENGINE_TRANSPORT_XFER_OPTS_H
#define ENGINE_TRANSPORT_XFER_OPTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "lib/opt.h"
#include "lib/opt_rule.h"
#include "proto/control.h"
#include "result/result.h"

struct xfer_opts {
	const char *host;
	uint16_t port;
	uint64_t duration_ns, omit_ns, interval_ns;
	uint16_t streams, threads;
	bool reverse, bidir, per_stream, spin, ipv4, ipv6;
	uint64_t message_bytes, request_bytes, response_bytes, outstanding;
	struct unit_rate rate;
	uint64_t buffer_bytes, send_buffer_bytes, receive_buffer_bytes;
	uint64_t remote_send_buffer_bytes, remote_receive_buffer_bytes;
	uint64_t busy_poll_ns;
	uint16_t dscp;
	const char *cpu, *remote_cpu, *from, *data_ports, *key_file, *confidence, *sizes;
	uint16_t max_runs;
};

#define XFER_OPTS_DEFAULTS { \
	.port = CONTROL_PORT, .duration_ns = 10000000000ull, .interval_ns = 1000000000ull, \
	.streams = 1, .max_runs = 10, \
}

#define XFER_OPTIONS(type, at) \
	{ 'p', "port", OPT_U16, offsetof(type, at.port), "N", \
	  "control port of the server", .min = 1 }, \
	{ 'd', "duration", OPT_DURATION, offsetof(type, at.duration_ns), "TIME", \
	  "test time, after --omit", .min = 1000000, .letter_elsewhere = 't' }, \
	{ 'O', "omit", OPT_DURATION, offsetof(type, at.omit_ns), "TIME", \
	  "leave the first of it out of rates and round trips" }, \
	{ 'i', "interval", OPT_DURATION, offsetof(type, at.interval_ns), "TIME", \
	  "reporting interval, and on a terminal a line for each; 0: none" }, \
	{ 'P', "parallel", OPT_U16, offsetof(type, at.streams), "N", \
	  "connections at once, in each direction", .min = 1, .max = CONTROL_MAX_STREAMS }, \
	{ 0, "per-stream", OPT_FLAG, offsetof(type, at.per_stream), NULL, \
	  "lines of each connection too" }, \
	{ 0, "threads", OPT_U16, offsetof(type, at.threads), "N", \
	  "threads at each end; 0: one a stream, at most one a CPU" }, \
	{ 'r', "rate", OPT_RATE, offsetof(type, at.rate), "RATE", \
	  "100Mbit of payload, all streams together; of requests 10kpps", \
	  .rate_kinds = OPT_RATE_BPS | OPT_RATE_PPS | OPT_RATE_MAX, .letter_elsewhere = 'b' }, \
	{ 0, "request-bytes", OPT_COUNT, offsetof(type, at.request_bytes), "N", \
	  "length of a request; 0: 1 byte, UDP 18", .max = CONTROL_MAX_MESSAGE, .of = "rr crr" }, \
	{ 0, "response-bytes", OPT_COUNT, offsetof(type, at.response_bytes), "N", \
	  "length of a response; 0: as the request", .max = CONTROL_MAX_MESSAGE, .of = "rr crr" }, \
	{ 0, "outstanding", OPT_COUNT, offsetof(type, at.outstanding), "N", \
	  "requests under way on each connection; 0: 1, with --rate 1024", .max = 1024, .of = "rr" }, \
	{ 0, "socket-buffer", OPT_COUNT, offsetof(type, at.buffer_bytes), "BYTES", \
	  "all four of the following at once; 64Ki is 65536", .max = INT32_MAX / 2, .letter_elsewhere = 'w' }, \
	{ 0, "send-buffer", OPT_COUNT, offsetof(type, at.send_buffer_bytes), "BYTES", \
	  "socket buffer here, which the kernel doubles; 0: the system's", .max = INT32_MAX / 2 }, \
	{ 0, "receive-buffer", OPT_COUNT, offsetof(type, at.receive_buffer_bytes), "BYTES", \
	  "the same for receiving", .max = INT32_MAX / 2 }, \
	{ 0, "remote-send-buffer", OPT_COUNT, offsetof(type, at.remote_send_buffer_bytes), "BYTES", \
	  "the same at the server", .max = INT32_MAX / 2 }, \
	{ 0, "remote-receive-buffer", OPT_COUNT, offsetof(type, at.remote_receive_buffer_bytes), \
	  "BYTES", "the same at the server", .max = INT32_MAX / 2 }, \
	{ 0, "spin", OPT_FLAG, offsetof(type, at.spin), NULL, \
	  "both ends poll instead of sleeping; one CPU per thread" }, \
	{ 0, "busy-read", OPT_DURATION, offsetof(type, at.busy_poll_ns), "TIME", \
	  "at this end the kernel polls the driver this long (SO_BUSY_POLL); CAP_NET_ADMIN", \
	  .max = 1000000000 }, \
	{ 0, "dscp", OPT_U16, offsetof(type, at.dscp), "N", \
	  "differentiated services code point of both ends", .max = 63 }, \
	{ 0, "cpu", OPT_STR, offsetof(type, at.cpu), "N", "threads of this end on this CPU" }, \
	{ 0, "remote-cpu", OPT_STR, offsetof(type, at.remote_cpu), "N", \
	  "CPU for the server's threads" }, \
	{ '4', "ipv4", OPT_FLAG, offsetof(type, at.ipv4), NULL, "IPv4 only" }, \
	{ '6', "ipv6", OPT_FLAG, offsetof(type, at.ipv6), NULL, "IPv6 only" }, \
	{ 'B', "bind", OPT_STR, offsetof(type, at.from), "ADDR", "send from this address" }, \
	{ 0, "data-ports", OPT_STR, offsetof(type, at.data_ports), "LOW-HIGH", \
	  "data ports that the server may name, if it has --data-ports; default: near --port" }, \
	{ 0, "key-file", OPT_STR, offsetof(type, at.key_file), "FILE", \
	  "the server's key; else ETHGAUGE_KEY of the environment" }, \
	{ 0, "confidence", OPT_STR, offsetof(type, at.confidence), "LEVEL,WIDTH", \
	  "repeat until the LEVEL % interval of the mean is at most WIDTH % wide: 99,5" }, \
	{ 0, "max-runs", OPT_U16, offsetof(type, at.max_runs), "N", \
	  "--confidence: at most so many runs, at least 3", .min = 3, .max = 100 }

#define XFER_RULES \
	{ OPT_AT_MOST_ONE, "ipv4 ipv6" }, \
	{ OPT_AT_MOST_ONE, "reverse bidir" }, \
	{ OPT_EXCLUDES, "socket-buffer", \
	  "send-buffer receive-buffer remote-send-buffer remote-receive-buffer" }, \
	{ OPT_EXCLUDES, "message-sizes", "message-bytes confidence" }, \
	{ OPT_REQUIRES, "max-runs", "confidence" }

#define XFER_STREAMS "stream maerts sendfile splice"

/* Options of streams, not of requests. */
#define XFER_STREAM_OPTIONS(type, at, unit) \
	{ 'l', "message-bytes", OPT_COUNT, offsetof(type, at.message_bytes), "N", unit, \
	  .max = CONTROL_MAX_MESSAGE, .of = XFER_STREAMS }, \
	{ 0, "message-sizes", OPT_STR, offsetof(type, at.sizes), "FROM-TO", \
	  "a run for each message length from FROM, doubled each time, and of TO", .of = XFER_STREAMS }, \
	{ 'R', "reverse", OPT_FLAG, offsetof(type, at.reverse), NULL, "the server sends", \
	  .of = XFER_STREAMS }, \
	{ 0, "bidir", OPT_FLAG, offsetof(type, at.bidir), NULL, "both send at once", \
	  .of = XFER_STREAMS }

/* What only one of the verbs has. */
struct xfer_extra {
	int protocol, kind;
	bool reverse, sendfile, splice, zerocopy, nodelay, gso;
	uint64_t window_clamp_bytes, mss_bytes, batch, on_ns, off_ns, arrivals;
	const char *congestion;
};

/* Pure: for a verb's check. */
int xfer_opts_check(const struct xfer_opts *opts, const struct xfer_extra *extra, struct err *e);
int xfer_opts_run(const struct xfer_opts *opts, const struct xfer_extra *extra, struct result *res,
		  struct err *e);

#endif
