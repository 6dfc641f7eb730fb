/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/suite/bench_tcp.h - TCP throughput of a path, by RFC 6349: MTU, baseline round trip and
 * bottleneck first, then transfers compared with what these allow.
 */
#ifndef ENGINE_SUITE_BENCH_TCP_H
#define ENGINE_SUITE_BENCH_TCP_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/transport/xfer_client.h"
#include "lib/err.h"
#include "result/result.h"

struct bench_tcp_cfg {
	struct xfer_client_cfg client;
	double bottleneck_l1_bps;	/* 0: found with UDP, in each direction */
	uint64_t baseline_ns, flood_ns, transfer_ns;
	uint16_t streams;
	bool there, back;		/* at least one of: to the server, from the server */
};

int bench_tcp_run(const struct bench_tcp_cfg *cfg, struct result *res, struct err *e);

#endif
