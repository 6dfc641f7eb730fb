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

/* Values: a struct xfer_opts, without the length of a message. */
extern const struct opt xfer_options[];

#define XFER_RULES \
	{ OPT_AT_MOST_ONE, "ipv4 ipv6" }, \
	{ OPT_AT_MOST_ONE, "reverse bidir" }, \
	{ OPT_EXCLUDES, "socket-buffer", \
	  "send-buffer receive-buffer remote-send-buffer remote-receive-buffer" }, \
	{ OPT_EXCLUDES, "message-sizes", "message-bytes confidence" }, \
	{ OPT_REQUIRES, "max-runs", "confidence" }

#define XFER_STREAMS "stream maerts sendfile splice"

/* The same, of streams, not of requests. */
extern const struct opt xfer_stream_options[];

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
