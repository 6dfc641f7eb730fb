// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/suite/bench_tcp.c - TCP throughput of a path, by RFC 6349.
 */
#include "engine/suite/bench_tcp.h"

#include <errno.h>
#include <stdio.h>

#include "engine/self/link_downs.h"
#include "lib/log.h"
#include "lib/loop.h"
#include "lib/stat.h"
#include "lib/theory.h"
#include "lib/unit.h"

#define FIRST_BPS	10e6	/* first of the rising rates */
#define LAST_BPS	1e12
#define RISE		4
#define ABOVE		1.25	/* of what arrived: enough to keep a queue filled */
#define FLOODS		3
#define ALL_RATIO	0.97	/* share from which everything counts as arrived */
#define STEP_NS		(NSEC_PER_SEC / 2)
#define MORE_RATIO	1.005	/* of the ideal: more than chance explains */
#define WRITE_BYTES	(128u << 10)

struct tester {
	const struct bench_tcp_cfg *cfg;
	struct xfer_client *client;
	struct result *res;
	double base_ns;
	uint32_t mtu;
};

static struct xfer_plan plan_of(const struct control_test *test)
{
	return (struct xfer_plan){ .local = *test, .remote = *test };
}

/* The round trip of an idle path. */
static int find_baseline(struct tester *t, struct err *e)
{
	const struct control_test test = {
		.protocol = CONTROL_TCP, .kind = CONTROL_RR, .streams = 1, .duration_ns = t->cfg->baseline_ns,
		.request_bytes = 1, .response_bytes = 1, .outstanding = 1, .nodelay = 1,
	};
	struct xfer_plan plan = plan_of(&test);
	struct xfer_figures figures;
	int err;

	log_info("round trip on the idle path, %g s", (double)t->cfg->baseline_ns / 1e9);
	err = xfer_client_run(t->client, &plan, result_part(t->res, PART_OTHER, "baseline"), &figures, e);
	if (err || loop_signal())
		return err;
	t->base_ns = figures.rtt_min_ns;
	result_metric_real(t->res, "baseline_rtt_ns", t->base_ns);
	return 0;
}

/* Sends a stream of full-size packets at @rate_bps of payload; @turn: from 1 on, 0 if there is one. */
static int send_datagrams(struct tester *t, int direction, const char *name, double rate_bps,
			  uint64_t duration_ns, uint32_t turn, struct xfer_figures *ret_figures, struct err *e)
{
	struct control_test test = {
		.protocol = CONTROL_UDP, .kind = CONTROL_STREAM, .direction = direction, .streams = 1,
		.omit_ns = duration_ns / 4, .duration_ns = duration_ns, .rate_bps = (uint64_t)rate_bps,
		.message_bytes = xfer_client_datagram_bytes(t->client),
	};
	struct xfer_plan plan = plan_of(&test);
	char text[64], rate[32];
	int err;

	unit_format(rate, sizeof(rate), UNIT_BPS, rate_bps);
	if (turn)
		snprintf(text, sizeof(text), "%s, UDP at %s, %u of %u", name, rate, turn, FLOODS);
	else
		snprintf(text, sizeof(text), "%s, UDP at %s", name, rate);
	log_info("%s, %g s", text, (double)duration_ns / 1e9);
	err = xfer_client_run(t->client, &plan, result_part(t->res, PART_ASIDE, text), ret_figures, e);
	if (err || loop_signal())
		return err;
	if (!ret_figures->datagrams_received)
		return err_plain(e, -ENODATA, "no datagram of %llu bytes arrived: does the path "
				 "support its MTU of %u?", (unsigned long long)test.message_bytes, t->mtu);
	return 0;
}

/* One step of the search: how much arrived, and whether that is less than was sent. */
static int step(struct tester *t, int direction, const char *name, double rate_bps, uint64_t duration_ns,
		uint32_t turn, double *ret_sent_bps, double *ret_got_bps, bool *ret_short, struct err *e)
{
	struct xfer_figures figures;
	int err = send_datagrams(t, direction, name, rate_bps, duration_ns, turn, &figures, e);

	*ret_sent_bps = figures.sent_bps;
	*ret_got_bps = figures.received_bps;
	*ret_short = *ret_got_bps < ALL_RATIO * *ret_sent_bps;
	return err;
}

/*
 * Floods the path a few times, slightly above *@got_bps, which arrived first: *@found, if less arrives
 * than is sent in most of them. A stall at one end makes what arrives less, or more if a queue is
 * emptied after it: hence the median.
 */
static int flood(struct tester *t, int direction, const char *name, double *got_bps, bool *found,
		 struct err *e)
{
	double rates[1 + FLOODS] = { *got_bps }, sent_bps;
	const struct stat_sample sample = { rates, 1 + FLOODS };
	uint32_t i, found_nr = 0;
	bool is_short;
	int err;

	for (i = 1; i <= FLOODS; i++) {
		err = step(t, direction, name, ABOVE * *got_bps, t->cfg->flood_ns / FLOODS, i, &sent_bps,
			   &rates[i], &is_short, e);
		if (err || loop_signal())
			return err;
		found_nr += is_short;
	}
	*found = found_nr > FLOODS / 2;
	err = stat_median(&sample, got_bps);
	return err ? err_set(e, err, "cannot judge what arrived") : 0;
}

/*
 * Finds the narrowest link: the rate rises until less arrives than is sent, then the path is flooded
 * slightly above what arrived. More would measure other bottlenecks.
 */
static int find_bottleneck(struct tester *t, int direction, const char *name, double *ret_l1_bps,
			   struct err *e)
{
	const struct theory_path path = { .mtu = t->mtu };
	double rate_bps = FIRST_BPS, got_bps = 0, sent_bps;
	bool found = false;
	int err;

	for (; !found && rate_bps < LAST_BPS; rate_bps *= RISE) {
		err = step(t, direction, name, rate_bps, STEP_NS, 0, &sent_bps, &got_bps, &found, e);
		if (err || loop_signal())
			return err;
		if (!found && sent_bps < ALL_RATIO * rate_bps)
			break;		/* the sender's limit */
		if (!found)
			continue;
		err = flood(t, direction, name, &got_bps, &found, e);
		if (err || loop_signal())
			return err;
	}
	if (!found)
		result_note(t->res, "%s: all UDP that this host can send arrived: the path's "
			    "bottleneck may be faster; if it is known, give --bottleneck", name);
	*ret_l1_bps = got_bps * theory_wire_bytes(&path, t->mtu) /
		      (double)xfer_client_datagram_bytes(t->client);
	return 0;
}

static int transfer(struct tester *t, int direction, const char *name, double link_bps, struct err *e)
{
	const struct theory_path path = { .mtu = t->mtu };
	const struct control_test test = {
		.protocol = CONTROL_TCP, .kind = CONTROL_STREAM, .direction = direction,
		.streams = t->cfg->streams, .duration_ns = t->cfg->transfer_ns, .interval_ns = NSEC_PER_SEC,
		.message_bytes = WRITE_BYTES,
	};
	struct xfer_plan plan = { .local = test, .remote = test, .look = true };
	struct result *part = result_part(t->res, PART_OTHER, name);
	struct xfer_figures figures;
	struct xfer_tcp tcp;
	double ideal_bps;
	int err;

	log_info("%s: %u connection%s, %g s", name, t->cfg->streams, t->cfg->streams > 1 ? "s" : "",
		 (double)t->cfg->transfer_ns / 1e9);
	err = xfer_client_run(t->client, &plan, part, &figures, e);
	if (err || loop_signal())
		return err;
	xfer_client_read_tcp(t->client, &tcp);
	/* Full segments on the wire at the bottleneck's rate. */
	ideal_bps = link_bps * (double)tcp.mss_bytes / theory_wire_bytes(&path, t->mtu);
	result_metric_real(part, "bottleneck_l1_bps", link_bps);
	result_metric_real(part, "bdp_bytes", theory_bdp_bytes(link_bps, t->base_ns));
	result_metric_real(part, "tcp_ideal_bps", ideal_bps);
	result_metric_real(part, "transfer_time_factor", ideal_bps / figures.received_bps);
	result_metric_real(part, "tcp_efficiency_ratio",
			   theory_tcp_efficiency(tcp.sent_bytes, tcp.retransmitted_bytes));
	result_metric_real(part, "tcp_rtt_mean_ns", tcp.rtt_mean_ns);
	result_metric_real(part, "buffer_delay_ratio", theory_buffer_delay(tcp.rtt_mean_ns, t->base_ns));
	if (figures.received_bps > ideal_bps * MORE_RATIO)
		result_note(part, "above the ideal: the bottleneck is faster than assumed");
	return 0;
}

static int run_way(struct tester *t, int direction, const char *name, struct err *e)
{
	double link_bps = t->cfg->bottleneck_l1_bps;
	int err = 0;

	if (!(link_bps > 0))
		err = find_bottleneck(t, direction, name, &link_bps, e);
	if (!err && !loop_signal())
		err = transfer(t, direction, name, link_bps, e);
	return err;
}

int bench_tcp_run(const struct bench_tcp_cfg *cfg, struct result *res, struct err *e)
{
	struct tester t = { .cfg = cfg, .res = res };
	struct link_downs *links = NULL;
	int err = xfer_client_open(&t.client, &cfg->client, res, e);

	if (err)
		return err;
	link_downs_add_route(&links, xfer_client_server(t.client));
	t.mtu = xfer_client_mtu(t.client);
	err = find_baseline(&t, e);
	if (!err && cfg->there && !loop_signal())
		err = run_way(&t, CONTROL_THERE, "there", e);
	if (!err && cfg->back && !loop_signal())
		err = run_way(&t, CONTROL_BACK, "back", e);
	result_metric_u64(res, "path_mtu_bytes", t.mtu);
	/* The kernel learns the path MTU from routers only, unless told to probe. */
	if (!err && xfer_client_mtu(t.client) != t.mtu)
		result_note(res, "the path MTU changed to %u during the transfer: run the test again",
			    xfer_client_mtu(t.client));
	if (!err && loop_signal())
		result_note(res, "ended by a signal: the suite is incomplete");
	/* Also of a suite that failed, perhaps for that reason. */
	link_downs_stop(links);
	link_downs_report(links, res);
	link_downs_free(links);
	xfer_client_close(t.client);
	return err;
}
