/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/echo/reflector.h - answer test packets inside the driver, with reflect_xdp or stamp_xdp.
 *
 * Works in the network namespace of the thread that calls reflector_open().
 */
#ifndef ENGINE_ECHO_REFLECTOR_H
#define ENGINE_ECHO_REFLECTOR_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/reflect.h"
#include "engine/echo/reflector_dest.h"
#include "engine/echo/reflector_stamp.h"
#include "lib/err.h"
#include "result/result.h"
#include "sys/hook/xdp.h"

struct reflector_cfg {
	const char *ifname;
	enum xdp_mode mode;
	uint16_t port;		/* host byte order; 0: no UDP */
	bool icmp;
	bool any_mac;
	const struct reflect_pools *pools;	/* destinations to answer besides the interface's own
						 * addresses; NULL: none */
	double source_pps;	/* most answers to one source; 0: no limit */
	const struct reflector_stamp_cfg *stamp;	/* NULL: return UDP unchanged */
};

struct reflector;

int reflector_open(struct reflector **ret_reflector, const struct reflector_cfg *cfg,
		   struct result *res, struct err *e);
void reflector_close(struct reflector *reflector);

/* Detaches the program: nothing is answered any more, and the figures are final. */
void reflector_stop(struct reflector *reflector);

/* The sum over all CPUs. */
void reflector_read(struct reflector *reflector, struct reflect_rec *ret_sum);

/* Writes totals into @res. */
void reflector_report(struct reflector *reflector, struct result *res);

/* Adds a row to the time series. */
void reflector_report_row(struct reflector *reflector, struct result *res, uint64_t elapsed_ns);

/*
 * Periodic work: the interface's addresses, the program's clock, and a warning when a source is limited;
 * call at least every 100 ms. Until then own addresses are those of reflector_open().
 */
void reflector_tick(struct reflector *reflector);

/* -ENODEV if the interface is gone. */
int reflector_check(struct reflector *reflector, struct err *e);

#endif
