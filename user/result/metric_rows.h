/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * result/metric_rows.h - the rows that the dictionary is made of (result/metrics.h), by subject.
 *
 * A row is one figure, or with .dist the figures of a distribution. Then .key is the family, .what is the
 * name of the quantity, and .note its definition, which follows the text of the family's first figure.
 * .brief applies to the minimum alone, and .peak to the maximum.
 */
#ifndef RESULT_METRIC_ROWS_H
#define RESULT_METRIC_ROWS_H

#include "result/metrics.h"

#define OF(family_, stat_) .family = (family_), .stat = DIST_##stat_

/* The last row of a table. */
#define METRICS_END { .key = NULL }

extern const struct metric send_metrics[], xfer_metrics[], receive_metrics[], load_metrics[], record_metrics[],
	reflect_metrics[], stamp_metrics[], order_metrics[], rtt_metrics[], delay_metrics[],
	drop_metrics[], gap_metrics[], watch_metrics[], impair_metrics[], tx_done_metrics[],
	socket_metrics[], bench_metrics[], ledger_metrics[], pacing_metrics[], plain_metrics[],
	self_metrics[], tx_ring_metrics[], overrun_metrics[], cost_metrics[], theory_metrics[];

#endif
