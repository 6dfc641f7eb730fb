// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/web/load_report.c - the results of a load.
 */
#include <stdio.h>

#include "engine/web/load_parts.h"
#include "lib/hist.h"
#include "lib/loop.h"
#include "model/bottleneck.h"
#include "result/result_dist.h"

#define BUSY_RATIO	0.95	/* a thread busier than this is the limit */
#define REGULAR_RATIO	0.999	/* as RFC 9971 requires of the offered rate */

static const char *const end_keys[TRANSFER_ENDS] = {
	[TRANSFER_4XX] = "load_failed_4xx", [TRANSFER_5XX] = "load_failed_5xx",
	[TRANSFER_NO_NAME] = "load_failed_resolve", [TRANSFER_NO_CONNECT] = "load_failed_connect",
	[TRANSFER_NO_TLS] = "load_failed_tls",
	[TRANSFER_CONNECT_TIMEOUT] = "load_failed_connect_timeout",
	[TRANSFER_TIMEOUT] = "load_failed_timeout", [TRANSFER_PARTIAL] = "load_failed_partial",
	[TRANSFER_BROKEN] = "load_failed_broken", [TRANSFER_LOCAL] = "load_failed_local",
	[TRANSFER_OTHER] = "load_failed_other",
};

static uint64_t nr_failed(const struct load_count *count)
{
	uint64_t failed = count->redirects_refused;
	int end;

	for (end = TRANSFER_OK + 1; end < TRANSFER_ENDS; end++)
		failed += count->ends[end];
	return failed;
}

static uint64_t nr_transactions(const struct load_count *count)
{
	return nr_failed(count) + count->ends[TRANSFER_OK];
}

void load_judge(const struct load *load, bool no_failures, struct result *res)
{
	struct load_count sum;
	uint64_t ended;

	load_sum(load, &sum);
	ended = nr_transactions(&sum);
	if (no_failures)
		result_none(res, nr_failed(&sum), ended, "transactions failed", "no transactions were made");
	else
		result_came(res, ended + sum.cut, ended - nr_failed(&sum), "transactions succeeded");
}

static double per_s(uint64_t number, uint64_t time_ns)
{
	return time_ns ? (double)number * NSEC_PER_SEC / (double)time_ns : 0;
}

void load_report_row(struct load *load, struct result *res, uint64_t elapsed_ns)
{
	struct load_row *row = load_last_row(load);
	uint64_t time_ns = elapsed_ns - row->elapsed_ns;
	struct load_count *now = &row->now, *last = &row->count;
	struct hist_rec total;

	load_sum(load, now);
	total = now->total;
	hist_subtract(&total, &last->total);
	result_row_open(res, elapsed_ns);
	result_row_u64(res, "load_clients", peak_now(&load_peaks(load)->clients));
	result_row_u64(res, "load_in_flight", peak_now(&load_peaks(load)->in_flight));
	result_row_real(res, "load_transactions_per_s",
			per_s(nr_transactions(now) - nr_transactions(last), time_ns));
	result_row_real(res, "load_connections_per_s",
			per_s(now->connections - last->connections, time_ns));
	result_row_u64(res, "load_received_bps",
		       (uint64_t)(8 * per_s(now->body_received_bytes - last->body_received_bytes, time_ns)));
	result_row_u64(res, "load_sent_bps",
		       (uint64_t)(8 * per_s(now->body_sent_bytes - last->body_sent_bytes, time_ns)));
	result_row_u64(res, "load_failed", nr_failed(now) - nr_failed(last));
	if (total.count)
		result_row_hist(res, "load_total", &total);
	result_row_close(res);
	row->elapsed_ns = elapsed_ns;
	*last = *now;
}

/* Each status and kind of failure that occurred, with its count. */
static void report_answers(const struct load_count *sum, struct result *res)
{
	char status[16];
	int i;

	for (i = 0; i < LOAD_STATUSES; i++) {
		if (!sum->statuses[i])
			continue;
		snprintf(status, sizeof(status), "%d", i);
		result_entry_open(res);
		result_entry_str(res, "status", status);
		result_entry_u64(res, "answers", sum->statuses[i]);
		result_entry_close(res);
	}
}

static void report_failures(const struct load_count *sum, struct result *res)
{
	int end;

	result_metric_u64(res, "load_failed", nr_failed(sum));
	for (end = TRANSFER_OK + 1; end < TRANSFER_ENDS; end++)
		result_metric_u64(res, end_keys[end], sum->ends[end]);
	result_metric_u64(res, "load_failed_redirects", sum->redirects_refused);
	result_metric_u64(res, "load_cut", sum->cut);
	if (sum->redirects_barred)
		result_note(res, "%llu redirection%s not followed, to another protocol than HTTP and FTP or from TLS "
			    "to none", (unsigned long long)sum->redirects_barred,
			    sum->redirects_barred == 1 ? " was" : "s were");
	if (sum->ends[TRANSFER_LOCAL])
		result_note(res, "%llu transactions failed on this host, for lack of ports, "
			    "addresses, descriptors or memory: --sources provides more ports; see also "
			    "net.ipv4.ip_local_port_range and net.ipv4.tcp_tw_reuse",
			    (unsigned long long)sum->ends[TRANSFER_LOCAL]);
}

static void report_rate(const struct load_cfg *cfg, const struct load_count *sum,
			struct result *res)
{
	uint64_t begun = nr_transactions(sum) + sum->cut, due = begun + sum->behind;
	bool irregular = (double)begun < REGULAR_RATIO * (double)due;

	if (!cfg->rate.nr)
		return;
	result_metric_real(res, "load_offered_per_s", per_s(cfg->rate.nr, cfg->rate.every_ns));
	result_metric_u64(res, "load_behind", sum->behind);
	result_self_bool(res, "irregular", irregular);
	if (irregular)
		result_note(res, "%llu of %llu due transactions found no free client: use more "
			    "--clients, or a lower --rate", (unsigned long long)sum->behind,
			    (unsigned long long)due);
}

void load_report(const struct load *load, struct result *res)
{
	const struct load_peaks *peaks = load_peaks(load);
	uint64_t time_ns = load_elapsed_ns(load);
	struct load_count sum;

	load_sum(load, &sum);
	result_metric_u64(res, "elapsed_ns", time_ns);
	result_metric_u64(res, "load_transactions", nr_transactions(&sum));
	result_metric_real(res, "load_transactions_per_s", per_s(nr_transactions(&sum), time_ns));
	result_metric_u64(res, "load_cycles", sum.cycles);
	result_metric_u64(res, "load_requests", sum.requests);
	result_metric_u64(res, "load_redirects", sum.redirects);
	result_metric_u64(res, "load_connections", sum.connections);
	result_metric_real(res, "load_connections_per_s", per_s(sum.connections, time_ns));
	result_metric_u64(res, "load_reused", sum.reused);
	result_metric_u64(res, "load_clients_max", peak_max(&peaks->clients));
	result_metric_u64(res, "load_in_flight_max", peak_max(&peaks->in_flight));
	result_metric_u64(res, "load_sockets_max", peak_max(&peaks->sockets.peak));
	result_metric_u64(res, "load_received_bytes", sum.body_received_bytes);
	result_metric_u64(res, "load_received_header_bytes", sum.header_received_bytes);
	result_metric_real(res, "load_received_bps", 8 * per_s(sum.body_received_bytes, time_ns));
	result_metric_u64(res, "load_sent_bytes", sum.body_sent_bytes);
	result_metric_u64(res, "load_sent_header_bytes", sum.header_sent_bytes);
	result_metric_real(res, "load_sent_bps", 8 * per_s(sum.body_sent_bytes, time_ns));
	result_self_u64(res, "plain_requests", sum.plain_requests);
	report_rate(load_config(load), &sum, res);
	report_failures(&sum, res);
	result_hist(res, "load_connect", &sum.connect);
	result_hist(res, "load_tls", &sum.tls);
	result_hist(res, "load_first_byte", &sum.first_byte);
	result_hist(res, "load_total", &sum.total);
	report_answers(&sum, res);
}

void load_report_limit(const struct load *load, struct result *res)
{
	double busy = load_busiest_ratio(load);

	if (busy < BUSY_RATIO || load_elapsed_ns(load) < NSEC_PER_SEC)
		return;
	result_note(res, "a client thread used its CPU, or waited for it, %.0f %% of the time: "
		    "the rates are this host's limit, not the server's; more --threads may help", 100 * busy);
	result_self_str(res, "bottleneck", bottleneck_names[BOTTLENECK_SENDER_CPU]);
}
