// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/echo/stamp_report.c - a STAMP sender's figures as a result.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/echo/stamp_parts.h"
#include "engine/receive/rx_order.h"
#include "engine/self/environ.h"
#include "lib/hist.h"
#include "lib/loop.h"
#include "lib/pdv.h"
#include "result/result_dist.h"

#define REGULAR_RATIO	0.999	/* as RFC 9971 requires of the offered rate */

static const char *const way_names[STAMP_WAYS] = { "rtt", "out", "back" };
static const char *const kind_names[] = { "unknown", "stateful", "stateless" };

/* Sessions of one destination, or all. */
struct total {
	uint64_t sent, distinct, duplicates, reordered, distance_max, unknown;
	uint64_t out_duplicates, back_duplicates, out_reordered, back_reordered, restarts;
	uint64_t loss_runs, loss_run_max, sessions, timed, dropped;
	struct stamp_lost lost;
	double jitter_ns[STAMP_WAYS];
	bool stateful;
};

static void add_session(struct total *sum, const struct stamp_session *session, int fd)
{
	struct seqwin asked = session->asked;
	struct stamp_lost lost;
	int way;

	seqwin_finish(&asked, session->sent);
	stamp_session_lost(session, &lost);
	sum->sessions++;
	sum->sent += session->sent;
	sum->distinct += asked.distinct;
	sum->duplicates += asked.duplicates;
	sum->reordered += asked.reordered;
	sum->unknown += asked.unknown;
	if (asked.distance_max > sum->distance_max)
		sum->distance_max = asked.distance_max;
	sum->loss_runs += asked.loss_runs;
	if (asked.loss_run_max > sum->loss_run_max)
		sum->loss_run_max = asked.loss_run_max;
	sum->out_duplicates += session->out_duplicates;
	sum->back_duplicates += session->back_duplicates;
	sum->out_reordered += session->out_reordered;
	sum->back_reordered += session->back_reordered_past + session->answered.reordered;
	sum->restarts += session->restarts;
	sum->stateful |= session->kind == STAMP_STATEFUL;
	sum->dropped += sock_dropped_packets(fd);
	sum->lost.all += lost.all;
	sum->lost.out += lost.out;
	sum->lost.back += lost.back;
	sum->lost.unknown += lost.unknown;
	if (session->timed < 2)
		return;
	sum->timed++;
	for (way = 0; way < STAMP_WAYS; way++)
		sum->jitter_ns[way] += session->jitter[way].ns;
}

/* @dest UINT32_MAX: all destinations. */
static void add_sessions(const struct stamp *stamp, uint32_t dest, struct total *ret_sum)
{
	struct total sum = { 0 };
	uint32_t i;

	for (i = 0; i < stamp->nr_lanes; i++) {
		if (dest == UINT32_MAX || stamp->lanes[i].dest == dest)
			add_session(&sum, &stamp->lanes[i].session, stamp->lanes[i].fd);
	}
	*ret_sum = sum;
}

static void report_loss(const struct total *sum, struct result *res)
{
	result_metric_u64(res, "lost_packets", sum->lost.all);
	result_metric_real(res, "lost_ratio",
			   sum->sent ? (double)sum->lost.all / (double)sum->sent : 0);
	if (sum->lost.all) {
		result_metric_u64(res, "lost_runs", sum->loss_runs);
		result_metric_u64(res, "lost_run_max", sum->loss_run_max);
	}
	/* Without loss both directions are known to be 0, whatever the reflector. */
	if (sum->stateful || !sum->lost.all) {
		result_metric_u64(res, "out_lost_packets", sum->lost.out);
		result_metric_u64(res, "back_lost_packets", sum->lost.back);
	}
	result_metric_u64(res, "unplaced_lost_packets", sum->lost.unknown);
	result_metric_u64(res, "duplicate_packets", sum->duplicates);
	result_metric_u64(res, "reordered_packets", sum->reordered);
	result_metric_real(res, "reordered_ratio",
			   sum->distinct ? (double)sum->reordered / (double)sum->distinct : 0);
	if (sum->reordered)
		result_metric_u64(res, "reordered_distance_max", sum->distance_max);
	if (sum->stateful) {
		result_metric_u64(res, "out_duplicate_packets", sum->out_duplicates);
		result_metric_u64(res, "back_duplicate_packets", sum->back_duplicates);
		result_metric_u64(res, "out_reordered_packets", sum->out_reordered);
		result_metric_u64(res, "back_reordered_packets", sum->back_reordered);
	}
	if (sum->unknown)
		result_metric_u64(res, "unknown_packets", sum->unknown);
	if (sum->restarts)
		result_metric_u64(res, "reflector_restarts", sum->restarts);
	if (sum->dropped)
		result_metric_u64(res, "socket_dropped_packets", sum->dropped);
}

/* Uses the sink's report of delay variation, which reads its streams' records. */
static void report_variation(const struct stamp_delays *delays, const char *prefix, double jitter_ns,
			     uint64_t timed, struct result *res)
{
	struct vary_rec *vary = calloc(1, sizeof(*vary));
	const struct rx_order order = { .streams = 1, .varies = vary };
	struct hist_rec pdv;

	if (!vary)
		return;
	vary->jitter.timed = timed ? 2 : 0;
	vary->jitter.x16_ns = timed ? (uint64_t)(16 * jitter_ns / (double)timed) : 0;
	vary->ipdv = delays->ipdv;
	vary->ipdv_min_ns = delays->ipdv_min_ns;
	vary->ipdv_max_ns = delays->ipdv_max_ns;
	vary->ipdv_sum_ns = (int64_t)delays->ipdv_sum_ns;
	pdv_hist(&delays->pdv, &delays->delay, &pdv);
	rx_order_report_variation(&order, RX_ALL_STREAMS, prefix, &pdv, res);
	free(vary);
}

static void report_delays(const struct stamp_sums *sums, const struct total *sum, struct result *res)
{
	char key[32];
	int way;

	for (way = 0; way < STAMP_WAYS; way++) {
		const struct stamp_delays *delays = &sums->ways[way];

		snprintf(key, sizeof(key), "%s_packets", way_names[way]);
		result_hist(res, way_names[way], &delays->delay);
		if (delays->delay.negative) {
			snprintf(key, sizeof(key), "%s_negative_packets", way_names[way]);
			result_metric_u64(res, key, delays->delay.negative);
		}
		snprintf(key, sizeof(key), "%s_", way_names[way]);
		report_variation(delays, key, sum->jitter_ns[way], sum->timed, res);
	}
	result_hist(res, "turnaround", &sums->turnaround);
	if (sums->follow_up.count)
		result_metric_real(res, "follow_up_mean_ns", hist_mean_ns(&sums->follow_up));
}

static const char *show_address(uint8_t type, const uint8_t *bytes, char buf[INET6_ADDRSTRLEN])
{
	bool ip4 = type == STAMP_DST_IP4 || type == STAMP_SRC_IP4;

	return type ? inet_ntop(ip4 ? AF_INET : AF_INET6, bytes, buf, INET6_ADDRSTRLEN) : "?";
}

static void show_tlv(const struct stamp_reply *said, uint32_t type, char *buf, size_t size)
{
	const uint8_t *info = said->timestamp_info, *mac = said->location_mac;
	char src[INET6_ADDRSTRLEN], dst[INET6_ADDRSTRLEN];

	switch (type) {
	case STAMP_TLV_LOCATION:
		snprintf(buf, size, "%s port %u to %s port %u, from %02x:%02x:%02x:%02x:%02x:%02x",
			 show_address(said->location_src_type, said->location_src, src),
			 said->location_src_port,
			 show_address(said->location_dst_type, said->location_dst, dst),
			 said->location_port, mac[0], mac[1], mac[2], mac[3], mac[4], mac[5]);
		break;
	case STAMP_TLV_TIME:
		snprintf(buf, size, "in: source %u, method %u; out: source %u, method %u", info[0],
			 info[1], info[2], info[3]);
		break;
	case STAMP_TLV_CLASS:
		snprintf(buf, size, "DSCP %u and ECN %u arrived, RP %u", said->dscp_seen,
			 said->ecn_seen, said->reverse);
		break;
	case STAMP_TLV_DIRECT:
		snprintf(buf, size, "sent %u, received there %u, answered %u", said->direct_sent,
			 said->direct_received, said->direct_reflected);
		break;
	case STAMP_TLV_ACCESS:
		snprintf(buf, size, "access %u, code %u", said->access_id, said->access_code);
		break;
	case STAMP_TLV_FOLLOW_UP:
		snprintf(buf, size, "timestamp of answer %u, method %u", said->follow_up_seq,
			 said->follow_up_method);
		break;
	default:
		buf[0] = 0;
	}
}

/* A line for each TLV that was requested or received. */
static void report_tlvs(const struct stamp *stamp, const struct stamp_dest *dest, struct result *res)
{
	char text[192];
	uint32_t type;

	for (type = 0; type < STAMP_TLVS; type++) {
		const struct stamp_tlv_count *count = &dest->tlvs[type];

		if (!(stamp->cfg.form.tlvs & 1u << type) && !count->returned)
			continue;
		show_tlv(&dest->said, type, text, sizeof(text));
		result_entry_open(res);
		result_entry_str(res, "tlv", type ? stamp_tlv_names[type] : "other");
		result_entry_u64(res, "returned", count->returned);
		result_entry_u64(res, "unrecognised", count->unrecognised);
		result_entry_u64(res, "malformed", count->malformed);
		result_entry_u64(res, "not_intact", count->not_intact);
		result_entry_str(res, "says", count->returned > count->unrecognised ? text : "");
		result_entry_close(res);
	}
}

/* The state of both clocks, which one-way delays depend on. */
static void report_clocks(const struct stamp *stamp, const struct stamp_dest *dest,
			  struct result *res)
{
	bool own = stamp_error_synchronised(stamp->error);
	bool other = stamp_error_synchronised(dest->error);

	result_metric_u64(res, "sender_clock_error_ns", stamp_error_ns(stamp->error));
	result_metric_u64(res, "reflector_clock_error_ns", stamp_error_ns(dest->error));
	result_metric_u64(res, "one_way_error_ns", stamp_error_ns(stamp->error) +
						   stamp_error_ns(dest->error));
	result_env_str(res, "sender_clock", own ? "synchronised" : "not synchronised");
	result_env_str(res, "reflector_clock", other ? "synchronised" : "not synchronised");
	if (!own || !other)
		result_note(res, "one-way delays are the difference of two clocks, and the clock "
			    "of %s is not known to be synchronised: rely on the round trip, and "
			    "on changes of the delays only",
			    own ? "the reflector" : other ? "this host" : "neither");
}

static void report_answers(const struct stamp *stamp, const struct stamp_dest *dest,
			   struct result *res)
{
	result_metric_u64(res, "received_packets", dest->answers);
	result_metric_u64(res, "stamp_not_sent_packets", dest->not_sent);
	if (dest->malformed)
		result_metric_u64(res, "stamp_malformed_packets", dest->malformed);
	if (dest->forged)
		result_metric_u64(res, "stamp_forged_packets", dest->forged);
	if (dest->foreign)
		result_metric_u64(res, "stamp_foreign_packets", dest->foreign);
	if (dest->refused)
		result_metric_u64(res, "stamp_refused_packets", dest->refused);
	result_env_str(res, "reflector_kind", kind_names[dest->kind]);
	if (!dest->answers)
		return;
	if (dest->ttl_out)
		result_metric_u64(res, "out_ttl", (uint64_t)dest->ttl_out);
	if (dest->ttl_back)
		result_metric_u64(res, "back_ttl", (uint64_t)dest->ttl_back);
	report_clocks(stamp, dest, res);
}

/* @no_loss: a stricter criterion than that some packet was answered is checked elsewhere. */
static void report_dest(const struct stamp *stamp, uint32_t index, bool no_loss, struct result *res)
{
	const struct stamp_dest *dest = &stamp->dests[index];
	struct total sum;

	add_sessions(stamp, index, &sum);
	result_metric_u64(res, "sent_packets", sum.sent);
	result_metric_u64(res, "stamp_sessions", sum.sessions);
	result_metric_u64(res, "distinct_packets", sum.distinct);
	report_answers(stamp, dest, res);
	report_loss(&sum, res);
	report_delays(dest->sums, &sum, res);
	report_tlvs(stamp, dest, res);
	if (sum.lost.unknown && !sum.stateful)
		result_note(res, "the direction of the loss is unknown: %s",
			    dest->kind == STAMP_STATELESS ?
			    "the reflector is stateless and does not number its answers" :
			    "it is unknown whether the reflector numbers its answers");
	if (!no_loss)
		result_came(res, sum.sent, dest->answers, "packets were answered");
	if (sum.sent && !dest->answers)
		result_note(res, "no answer from '%s'%s: is a reflector running there (ethgauge "
			    "reflect IFACE --stamp)? On a veth, does this end have an XDP "
			    "program, too?", dest->name, dest->refused ?
			    ", which reports by ICMP that the port is closed" : "");
}

static uint64_t mean_of_session(const struct stamp_session *session)
{
	return session->timed ? (uint64_t)(session->rtt_sum_ns / (double)session->timed) : 0;
}

/* A row for each session, in the document only. */
static void report_sessions(const struct stamp *stamp, struct result *res)
{
	struct stamp_lost lost;
	uint32_t i;

	for (i = 0; i < stamp->nr_lanes && stamp->nr_lanes > 1; i++) {
		const struct stamp_session *session = &stamp->lanes[i].session;

		stamp_session_lost(session, &lost);
		result_stream_open(res, i);
		result_row_u64(res, "sent_packets", session->sent);
		result_row_u64(res, "distinct_packets", session->asked.distinct);
		result_row_u64(res, "lost_packets", lost.all);
		result_row_u64(res, "duplicate_packets", session->asked.duplicates);
		result_row_u64(res, "reordered_packets", session->asked.reordered);
		if (session->kind == STAMP_STATEFUL || !lost.all) {
			result_row_u64(res, "out_lost_packets", lost.out);
			result_row_u64(res, "back_lost_packets", lost.back);
		}
		if (session->timed) {
			result_row_u64(res, "rtt_min_ns", session->rtt_min_ns);
			result_row_u64(res, "rtt_mean_ns", mean_of_session(session));
			result_row_u64(res, "rtt_max_ns", session->rtt_max_ns);
		}
		result_stream_close(res);
	}
}

/* Over all destinations; each also has a part. */
static void report_all(const struct stamp *stamp, struct result *res)
{
	struct stamp_sums *sums = calloc(1, sizeof(*sums));
	uint64_t answers = 0, not_sent = 0;
	struct total sum;
	uint32_t i;

	add_sessions(stamp, UINT32_MAX, &sum);
	for (i = 0; i < stamp->cfg.nr_dests; i++) {
		answers += stamp->dests[i].answers;
		not_sent += stamp->dests[i].not_sent;
		if (sums)
			stamp_sums_add(sums, stamp->dests[i].sums);
		report_dest(stamp, i, false, result_part(res, PART_OTHER, stamp->dests[i].name));
	}
	result_metric_u64(res, "sent_packets", sum.sent);
	result_metric_u64(res, "stamp_sessions", sum.sessions);
	result_metric_u64(res, "distinct_packets", sum.distinct);
	result_metric_u64(res, "received_packets", answers);
	result_metric_u64(res, "stamp_not_sent_packets", not_sent);
	report_loss(&sum, res);
	if (sums)
		report_delays(sums, &sum, res);
	free(sums);
}

void stamp_report(struct stamp *stamp, bool no_loss, struct result *res)
{
	uint64_t unstamped = 0, not_sent = 0, sent, lost;
	uint32_t i;

	for (i = 0; i < stamp->cfg.nr_dests; i++) {
		unstamped += stamp->dests[i].unstamped;
		not_sent += stamp->dests[i].not_sent;
	}
	lost = stamp_lost(stamp, &sent);
	environ_tx_stamp(res, STAMPED_SOCKET_TX);
	environ_rx_stamp(res, STAMPED_SOCKET_RX);
	if (unstamped)
		result_note(res, "%llu answers had no kernel timestamp: T4 is the time at which "
			    "this process read them", (unsigned long long)unstamped);
	result_env_str(res, "clock", "realtime");
	result_metric_u64(res, "duration_ns", stamp->last_mono_ns - stamp->start_mono_ns);
	if (stamp->cfg.nr_dests > 1)
		report_all(stamp, res);
	else
		report_dest(stamp, 0, no_loss, res);
	if (no_loss)
		result_none(res, lost, sent, "packets lost", "no packets were sent");
	report_sessions(stamp, res);
	result_self_u64(res, "stamp_late_max_ns", stamp->late_max_ns);
	result_self_bool(res, "irregular",
			 (double)sent < REGULAR_RATIO * (double)(sent + not_sent));
	if (stamp->clock_steps)
		result_note(res, "this host's clock was set %llu times during the run: delays "
			    "measured across a step are wrong", (unsigned long long)stamp->clock_steps);
}

/* Distinct answers and missing numbers so far, and the three kinds of delay. */
static void read_row(const struct stamp *stamp, bool is_last, struct stamp_row *ret_row)
{
	uint64_t sent;
	uint32_t i;
	int way;

	*ret_row = (struct stamp_row){ .sent = stamp->sent, .distinct = stamp->distinct };
	if (is_last)
		ret_row->lost = stamp_lost(stamp, &sent);
	for (i = 0; !is_last && i < stamp->nr_lanes; i++)
		ret_row->lost += seqwin_gaps(&stamp->lanes[i].session.asked);
	for (i = 0; i < stamp->cfg.nr_dests; i++) {
		for (way = 0; way < STAMP_WAYS; way++)
			hist_merge(&ret_row->ways[way], &stamp->dests[i].sums->ways[way].delay);
	}
}

void stamp_report_row(struct stamp *stamp, struct result *res, uint64_t elapsed_ns, bool is_last)
{
	struct stamp_row *last = stamp->row, *now = calloc(1, sizeof(*now));
	int way;

	if (!now)
		return;
	read_row(stamp, is_last, now);
	now->elapsed_ns = elapsed_ns;
	result_row_open(res, elapsed_ns);
	result_row_u64(res, "sent_packets", now->sent - last->sent);
	result_row_u64(res, "distinct_packets", now->distinct - last->distinct);
	/* Below 0 where more packets came late than were missed. */
	result_row_s64(res, "lost_packets", (int64_t)(now->lost - last->lost));
	for (way = 0; way < STAMP_WAYS; way++) {
		struct hist_rec delays = now->ways[way];

		hist_subtract(&delays, &last->ways[way]);
		if (delays.count)
			result_row_hist(res, way_names[way], &delays);
	}
	result_row_close(res);
	free(last);
	stamp->row = now;
}
