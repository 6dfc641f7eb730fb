/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/transport/xfer_report.h - what both ends of a transport test counted, as figures.
 */
#ifndef ENGINE_TRANSPORT_XFER_REPORT_H
#define ENGINE_TRANSPORT_XFER_REPORT_H

#include <stdbool.h>

#include "engine/transport/xfer.h"
#include "engine/transport/xfer_client.h"
#include "result/result.h"

struct xfer_report {
	const struct xfer_plan *plan;
	struct xfer *xfer;
	struct control_figures server;		/* at its end, or its newest row */
	struct control_figures client_row, server_row;	/* as the last row had them */
	bool has_result;			/* the server told its end */
	bool same_host;			/* one clock: one-way delays can be told */
	/* Of the server, by stream: of its newest row, and those that the next one will close. */
	struct control_conn conns[CONTROL_MAX_STREAMS], coming[CONTROL_MAX_STREAMS];
	bool has_conn[CONTROL_MAX_STREAMS];
	struct hist_rec hist_row;
	struct control_conn stream_rows[CONTROL_MAX_STREAMS];	/* as the last rows had them */
};

/* A row of the series, and with per_stream of those of the streams. */
void xfer_report_row(struct xfer_report *report, struct result *res, uint64_t elapsed_ns);

/* When a datagram came: a row of its stream's part. */
void xfer_report_arrival(const struct xfer_report *report, const struct control_arrival *arrival,
			 struct result *res);

/* A test that a signal ended before it began: there is no other figure. */
void xfer_report_nothing(struct result *res);

/* After xfer_finish(). *@figures keeps what is not measured. */
void xfer_report_end(struct xfer_report *report, struct result *res, struct xfer_figures *figures);

#endif
