// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/echo/rr.c - request and response over any engine.
 */
#include "engine/echo/rr_parts.h"

#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>

#include "abi/tag.h"
#include "engine/receive/rx_counts.h"
#include "lib/hist.h"
#include "lib/loop.h"
#include "lib/pdv.h"
#include "lib/unit.h"
#include "proto/echo.h"
#include "proto/payload.h"
#include "result/result_dist.h"
#include "sys/host/cpu.h"
#include "sys/net/nic.h"

#define DYNAMIC_PORTS 49152	/* the range starts here, RFC 6335 */

const char *const rr_engine_names[] = { "afxdp", "bounce", "stack", NULL };

static const struct rr_ops *const engines[] = {
	[RR_AFXDP] = &rr_afxdp_ops, [RR_BOUNCE] = &rr_bounce_ops, [RR_STACK] = &rr_socket_ops,
};

static int build(struct rr *rr, struct err *e)
{
	struct frame_spec *frame = &rr->cfg.frame;
	uint16_t chance[3];
	int err;

	if (getrandom(chance, sizeof(chance), 0) != sizeof(chance))
		return err_set(e, -errno, "cannot get a random number");
	rr->id = chance[0];
	/* Tokens are numbered from here. */
	rr->stream = chance[1] % (UINT16_MAX - RR_MAX_OUTSTANDING);
	rr->run = 1 + chance[2] % (TAG_RUNS - 1);
	if (!rr->cfg.icmp && !frame->src_port)
		frame->src_port = DYNAMIC_PORTS | chance[0];
	if (!rr->cfg.icmp)
		rr->id = frame->src_port;
	frame->tagged = true;
	frame->patterned = true;	/* an answer must have it, too */
	frame->stream = rr->stream;
	rr->buf_bytes = frame->frame_bytes - UNIT_FCS_BYTES;
	if (rr->cfg.icmp)
		return echo_build(frame, rr->id, rr->frame, sizeof(rr->frame), &rr->tag_offset,
				  &rr->check, e);
	err = frame_build(frame, rr->frame, sizeof(rr->frame), &rr->tag_offset, e);
	if (!err)
		memcpy(&rr->check, rr->frame + rr->tag_offset - 2, sizeof(rr->check));
	return err;
}

static int allocate(struct rr *rr, struct err *e)
{
	rr->rtt = calloc(1, sizeof(*rr->rtt));
	rr->turn = calloc(1, sizeof(*rr->turn));
	rr->pdv = calloc(1, sizeof(*rr->pdv));
	rr->row_rtt = calloc(1, sizeof(*rr->row_rtt));
	rr->win = calloc(1, sizeof(*rr->win));
	rr->due_ns = calloc(RR_RING, sizeof(*rr->due_ns));
	if (rr->rtt && rr->turn && rr->pdv && rr->row_rtt && rr->win && rr->due_ns)
		return 0;
	return err_set(e, -ENOMEM, "cannot set up the requests");
}

int rr_open(struct rr **ret_rr, const struct rr_cfg *cfg, struct result *res, struct err *e)
{
	struct rr *rr = calloc(1, sizeof(*rr));
	struct nic_facts nic;
	int err;

	if (!rr)
		return err_set(e, -ENOMEM, "cannot set up the requests");
	rr->cfg = *cfg;
	err = allocate(rr, e);
	if (!err && nic_read(cfg->ifname, &nic))
		err = nic_unknown(cfg->ifname, e);
	if (err)
		goto fail;
	rr->ifindex = nic.ifindex;
	err = build(rr, e);
	if (err)
		goto fail;
	result_env_str(res, "engine", rr_engine_names[cfg->engine]);
	rr->ops = engines[cfg->engine];
	err = rr->ops->open(rr, res, e);
	if (err)
		goto fail;
	*ret_rr = rr;
	return 0;
fail:
	rr_close(rr);
	return err;
}

void rr_close(struct rr *rr)
{
	struct err ignored;

	if (!rr)
		return;
	rr_stop(rr, &ignored);
	if (rr->ops)
		rr->ops->close(rr);
	free(rr->rtt);
	free(rr->turn);
	free(rr->pdv);
	free(rr->row_rtt);
	free(rr->win);
	free(rr->due_ns);
	free(rr);
}

void rr_write(const struct rr *rr, uint8_t *frame, uint16_t token, uint32_t number,
	      uint64_t sent_ns)
{
	frame_write_tag(frame + rr->tag_offset, rr->run, (uint16_t)(rr->stream + token), number,
			sent_ns);
	if (rr->cfg.icmp)
		echo_write_number(frame + rr->tag_offset - ECHO_BYTES, rr->check, (uint16_t)number);
}

bool rr_is_ours(const struct rr *rr, const uint8_t *l4, size_t bytes)
{
	uint16_t id;

	if (bytes < ECHO_BYTES + sizeof(struct tag))
		return false;
	memcpy(&id, l4 + 4, sizeof(id));
	return !rr->cfg.icmp || id == htons(rr->id);
}

uint32_t rr_l4_bytes(const struct rr *rr)
{
	return rr->buf_bytes - (rr->tag_offset - ECHO_BYTES);
}

bool rr_has_payload(const struct rr *rr, const uint8_t *l4, size_t bytes)
{
	size_t head = ECHO_BYTES + sizeof(struct tag);

	return bytes == rr_l4_bytes(rr) && payload_is_intact(l4 + head, bytes - head);
}

bool rr_read_answer(const struct rr *rr, const uint8_t *l4, size_t bytes,
		    struct rr_answer *ret_answer)
{
	struct tag_fields fields;
	struct tag tag;

	if (!rr_is_ours(rr, l4, bytes))
		return false;
	memcpy(&tag, l4 + ECHO_BYTES, sizeof(tag));
	if (!tag_read(tag.high, tag.low, tag.complement, &fields) || fields.run != rr->run ||
	    fields.stream != rr->stream)
		return false;
	ret_answer->number = fields.sequence;
	ret_answer->sent_ns = fields.time ? tag_widen(fields.time, ret_answer->came_ns) : 0;
	return true;
}

static void *thread_main(void *arg)
{
	struct rr *rr = arg;
	uint32_t cpu_number;
	cpu_set_t cpu;

	prctl(PR_SET_TIMERSLACK, 1ul);
	if (!cpu_pick(0, 1, &cpu_number, &rr->err)) {
		CPU_ZERO(&cpu);
		CPU_SET(cpu_number, &cpu);
		sched_setaffinity(0, sizeof(cpu), &cpu);
		rr->ops->run(rr, &rr->err);
	}
	atomic_store(&rr->ended, true);
	return NULL;
}

int rr_start(struct rr *rr, uint64_t count, uint64_t duration_ns, struct err *e)
{
	sigset_t block, before;
	int err;

	rr->limit = count ? rr->next + count : 0;
	rr->duration_ns = duration_ns;
	rr->err = (struct err){ 0 };
	atomic_store(&rr->stop, false);
	atomic_store(&rr->ended, false);
	sigfillset(&block);	/* ^C is for the main thread */
	pthread_sigmask(SIG_SETMASK, &block, &before);
	err = pthread_create(&rr->thread, NULL, thread_main, rr);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	rr->started = !err;
	return err ? err_set(e, -err, "cannot start a thread") : 0;
}

bool rr_done(const struct rr *rr)
{
	return atomic_load(&rr->ended);
}

int rr_stop(struct rr *rr, struct err *e)
{
	if (!rr->started)
		return 0;
	atomic_store(&rr->stop, true);
	pthread_join(rr->thread, NULL);
	rr->started = false;
	if (rr->err.no)
		*e = rr->err;
	return rr->err.no;
}

int rr_check(const struct rr *rr, struct err *e)
{
	return nic_check_there(rr->cfg.ifname, rr->ifindex, e);
}

static void read_all(const struct rr *rr, struct rr_count *count, struct hist_rec *rtt)
{
	*count = rr->count;
	count->distinct = RR_LOOK(rr->win->distinct);
	count->duplicates = RR_LOOK(rr->win->duplicates);
	count->reordered = RR_LOOK(rr->win->reordered);
	count->unknown = RR_LOOK(rr->win->unknown);
	*rtt = (struct hist_rec){ 0 };
	hist_merge(rtt, rr->rtt);
	if (rr->ops->read)
		rr->ops->read(rr, count, rtt);
	count->sent -= count->refused < count->sent ? count->refused : count->sent;
}

void rr_read(const struct rr *rr, struct rr_count *ret_count)
{
	struct hist_rec ignored;

	read_all(rr, ret_count, &ignored);
}

void rr_read_hists(const struct rr *rr, struct hist_rec *ret_rtt, struct hist_rec *ret_turn)
{
	struct rr_count ignored;

	read_all(rr, &ignored, ret_rtt);
	*ret_turn = (struct hist_rec){ 0 };
	hist_merge(ret_turn, rr->turn);
}

static void report_sent(const struct rr *rr, const struct rr_count *count, struct result *res)
{
	const struct tx_count sent = {
		.sent_packets = count->sent, .refused_packets = count->refused,
		.last_mono_ns = count->sending_ns,	/* several runs are reported as one */
		.late_sum_ns = count->late_sum_ns, .late_max_ns = count->late_max_ns,
		.paced_packets = count->paced,
	};

	tx_report_sent(rr->cfg.frame.frame_bytes, rr->cfg.pps, 0, &sent, NULL, res);
}

uint64_t rr_lost(const struct rr_count *count)
{
	return count->sent > count->distinct ? count->sent - count->distinct : 0;
}

double rr_transactions_per_s(const struct rr_count *count)
{
	/* n requests span n - 1 intervals. */
	if (count->paced && count->sent > 1 && count->sending_ns)
		return (double)count->distinct / (double)count->sent * (double)(count->sent - 1) * NSEC_PER_SEC /
		       (double)count->sending_ns;
	return count->running_ns ? (double)count->distinct * NSEC_PER_SEC / (double)count->running_ns : NAN;
}

static void report_answers(const struct rr_count *count, struct result *res)
{
	uint64_t lost = rr_lost(count);

	result_metric_u64(res, "received_packets", count->answers);
	result_metric_u64(res, "received_bytes", count->bytes);
	result_metric_u64(res, "distinct_packets", count->distinct);
	result_metric_u64(res, "lost_packets", lost);
	result_metric_real(res, "lost_ratio", count->sent ? (double)lost / (double)count->sent : 0);
	result_metric_u64(res, "given_up_packets", count->given_up);
	result_metric_u64(res, "duplicate_packets", count->duplicates);
	result_metric_u64(res, "reordered_packets", count->reordered);
	if (count->unknown)
		result_metric_u64(res, "unknown_packets", count->unknown);
	result_metric_u64(res, "foreign_packets", count->foreign);
	result_metric_u64(res, "transactions", count->distinct);
	if (count->running_ns)
		result_metric_real(res, "transactions_per_s", rr_transactions_per_s(count));
}

static void report_damage(const struct rr_count *count, struct result *res)
{
	const struct rx_count seen = {
		.packets = count->answers, .odd = {
			.damaged = count->damaged, .bad_payload = count->bad_payload,
			.unverified = count->unverified,
		},
	};

	rx_report_odd(&seen, res);
}

static void report_pdv(const struct rr *rr, const struct hist_rec *rtt, struct result *res)
{
	struct pdv_rec sum = { 0 };
	struct hist_rec pdv;

	pdv_merge(&sum, rr->pdv);
	if (rr->ops->read_pdv)
		rr->ops->read_pdv(rr, &sum);
	pdv_hist(&sum, rtt, &pdv);
	result_pdv(res, "rtt_", &pdv);
}

void rr_report(const struct rr *rr, struct result *res)
{
	struct jitter_sum jitter = { 0 };
	struct hist_rec rtt, turn;
	struct rr_count count;

	rr_read(rr, &count);
	rr_read_hists(rr, &rtt, &turn);
	report_sent(rr, &count, res);
	report_answers(&count, res);
	report_damage(&count, res);
	result_hist(res, "rtt", &rtt);
	report_pdv(rr, &rtt, res);
	if (rr->jitter.timed > 1)
		jitter_sum_add(&jitter, rr->jitter.ns);
	if (rr->ops->read_jitter)
		rr->ops->read_jitter(rr, &jitter);
	result_jitter(res, "rtt_", &jitter);
	if (turn.count)
		result_hist(res, "transaction", &turn);
}

void rr_report_row(struct rr *rr, struct result *res, uint64_t elapsed_ns, uint64_t length_ns)
{
	double seconds = (double)length_ns / NSEC_PER_SEC;
	struct rr_count now, *before = &rr->row;
	struct hist_rec rtt, delta;

	read_all(rr, &now, &rtt);
	delta = rtt;
	hist_subtract(&delta, rr->row_rtt);
	result_row_open(res, elapsed_ns);
	result_row_u64(res, "received_packets", now.answers - before->answers);
	if (length_ns)
		result_row_real(res, "transactions_per_s",
				(double)(now.distinct - before->distinct) / seconds);
	result_row_u64(res, "given_up_packets", now.given_up - before->given_up);
	result_row_u64(res, "duplicate_packets", now.duplicates - before->duplicates);
	result_row_u64(res, "reordered_packets", now.reordered - before->reordered);
	if (delta.count)
		result_row_hist(res, "rtt", &delta);
	result_row_close(res);
	rr->row = now;
	*rr->row_rtt = rtt;
}
