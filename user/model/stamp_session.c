// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * model/stamp_session.c - evaluate the answers of one test session.
 *
 * A stateful reflector numbers its answers. So an answer that it numbered but that did not arrive
 * was lost on the way back, and a packet without a number was lost on the way out.
 */
#include "model/stamp_session.h"

#include <string.h>

#include "lib/hist.h"
#include "lib/pdv.h"

void stamp_session_init(struct stamp_session *session, enum stamp_kind kind)
{
	memset(session, 0, sizeof(*session));
	session->kind = kind;
	/* Numbers start at 0, so packets missing before the first answer are lost, too. */
	session->asked.runs = 1;
	session->answered.runs = 1;
}

/* The number with these low bits that is closest to the expected one. */
static uint64_t widen(uint32_t low, uint64_t next)
{
	return next + (uint64_t)(int64_t)(int32_t)(low - (uint32_t)next);
}

static void add_delay(struct hist_rec *hist, int64_t ns)
{
	if (ns < 0)
		hist->negative++;
	else
		hist_add(hist, (uint64_t)ns);
}

static void add_pair(struct stamp_sums *sums, const int64_t *before_ns, const int64_t *ns)
{
	int way;

	for (way = 0; way < STAMP_WAYS; way++) {
		struct stamp_delays *delays = &sums->ways[way];
		int64_t ipdv_ns = ns[way] - before_ns[way];

		if (!delays->ipdv.count || ipdv_ns < delays->ipdv_min_ns)
			delays->ipdv_min_ns = ipdv_ns;
		if (!delays->ipdv.count || ipdv_ns > delays->ipdv_max_ns)
			delays->ipdv_max_ns = ipdv_ns;
		delays->ipdv_sum_ns += (double)ipdv_ns;
		hist_add(&delays->ipdv, (uint64_t)(ipdv_ns < 0 ? -ipdv_ns : ipdv_ns));
	}
}

/* RFC 5481: between consecutive packets that both arrived, in any order. */
static void add_variation(struct stamp_session *session, struct stamp_sums *sums, uint64_t number,
			  const int64_t *delays_ns)
{
	struct stamp_recent *recent = session->recent, *own = &recent[number % STAMP_RECENT];
	const struct stamp_recent *before = &recent[(number - 1) % STAMP_RECENT];
	const struct stamp_recent *after = &recent[(number + 1) % STAMP_RECENT];

	if (number && before->number == number)
		add_pair(sums, before->delays_ns, delays_ns);
	if (after->number == number + 2)
		add_pair(sums, delays_ns, after->delays_ns);
	own->number = number + 1;
	memcpy(own->delays_ns, delays_ns, sizeof(own->delays_ns));
}

static void add_times(struct stamp_session *session, struct stamp_sums *sums, uint64_t number,
		      const struct stamp_times *t)
{
	int64_t delays_ns[STAMP_WAYS], turnaround_ns = (int64_t)(t->t3_utc_ns - t->t2_utc_ns);
	uint64_t rtt_ns;
	int way;

	delays_ns[STAMP_OUT] = (int64_t)(t->t2_utc_ns - t->t1_utc_ns);
	delays_ns[STAMP_BACK] = (int64_t)(t->t4_utc_ns - t->t3_utc_ns);
	delays_ns[STAMP_ROUND_TRIP] = delays_ns[STAMP_OUT] + delays_ns[STAMP_BACK];
	for (way = 0; way < STAMP_WAYS; way++) {
		add_delay(&sums->ways[way].delay, delays_ns[way]);
		if (delays_ns[way] >= 0)
			pdv_add(&sums->ways[way].pdv, (uint64_t)delays_ns[way]);
		jitter_add(&session->jitter[way], delays_ns[way]);
	}
	add_delay(&sums->turnaround, turnaround_ns);
	session->timed++;
	add_variation(session, sums, number, delays_ns);

	rtt_ns = delays_ns[STAMP_ROUND_TRIP] < 0 ? 0 : (uint64_t)delays_ns[STAMP_ROUND_TRIP];
	if (session->timed == 1 || rtt_ns < session->rtt_min_ns)
		session->rtt_min_ns = rtt_ns;
	if (rtt_ns > session->rtt_max_ns)
		session->rtt_max_ns = rtt_ns;
	session->rtt_sum_ns += (double)rtt_ns;
}

/* For the current numbering; earlier ones are ignored. */
static void split_loss(const struct stamp_session *session, struct stamp_lost *lost)
{
	int64_t arrived = (int64_t)(session->answered.next - session->first_answer);
	int64_t questions = (int64_t)(session->asked.next - session->first);
	int64_t back = arrived - (int64_t)session->answered.distinct;
	int64_t out = questions - arrived + (int64_t)session->copies;

	/* A packet duplicated on the way out, whose answer was lost, counts as a lost packet. */
	if (out < 0) {
		back += out;
		out = 0;
	}
	lost->out += (uint64_t)out;
	lost->back += back > 0 ? (uint64_t)back : 0;
}

static void begin_numbering(struct stamp_session *session, uint64_t question, uint64_t answer)
{
	memset(&session->answered, 0, sizeof(session->answered));
	memset(session->recent_answers, 0, sizeof(session->recent_answers));
	session->answered.runs = 1;
	session->answered.first = session->answered.next = answer;
	session->first = question;
	session->first_answer = answer;
	session->copies = 0;
}

/*
 * The reflector forgot the session, or was restarted: losses in between are attributed to neither
 * direction.
 */
static void restart_numbering(struct stamp_session *session, uint64_t question, uint64_t before,
			      uint32_t answer)
{
	struct stamp_lost lost = { 0 };
	uint64_t highest = session->asked.next;

	session->asked.next = before;
	split_loss(session, &lost);
	session->asked.next = highest;
	session->past.out += lost.out;
	session->past.back += lost.back;
	session->back_reordered_past += session->answered.reordered;
	session->restarts++;
	begin_numbering(session, question, answer);
	seqwin_add(&session->answered, 0, answer);
}

/*
 * RFC 4737, by the order of the answers' numbers: that in which the packets arrived at the
 * reflector.
 */
static void add_out_order(struct stamp_session *session, uint64_t question, uint64_t answer,
			  uint64_t sent_utc_ns)
{
	struct stamp_recent_answer *recent = session->recent_answers, *own;
	uint64_t highest = 0, i;
	bool any = false;

	for (i = 1; i < STAMP_RECENT && i <= answer && !any; i++) {
		own = &recent[(answer - i) % STAMP_RECENT];
		any = own->number == answer - i + 1;
		if (any)
			highest = own->highest;
	}
	if (any && question < highest)
		session->out_reordered++;
	own = &recent[answer % STAMP_RECENT];
	own->number = answer + 1;
	own->highest = any && highest > question ? highest : question;
	own->sent_utc_ns = sent_utc_ns;
}

/* @is_new: first answer to this packet; @before: the previously expected packet number. */
static void add_answer_number(struct stamp_session *session, uint64_t question, uint64_t before,
			      bool is_new, uint32_t low, uint64_t sent_utc_ns)
{
	struct seqwin *answered = &session->answered;
	uint64_t distinct = answered->distinct, answer = widen(low, answered->next);
	bool ahead = question >= before;

	if (low != (uint32_t)question && session->kind == STAMP_KIND_UNKNOWN)
		session->kind = STAMP_STATEFUL;
	/* A numbering that started before this session says nothing about earlier losses. */
	if (session->answers == 1 && low > question) {
		begin_numbering(session, question, low);
		answer = low;
		distinct = 0;
	}
	seqwin_add(answered, 0, low);
	if (answered->distinct == distinct) {
		if (ahead) {
			restart_numbering(session, question, before, low);
			answer = low;
		} else {
			session->back_duplicates++;
			return;
		}
	} else if (!is_new) {
		session->copies++;
		session->out_duplicates++;
		return;
	}
	add_out_order(session, question, answer, sent_utc_ns);
}

void stamp_session_add(struct stamp_session *session, struct stamp_sums *sums, uint32_t question,
		       uint32_t answer, const struct stamp_times *times)
{
	struct seqwin *asked = &session->asked;
	uint64_t before = asked->next, distinct = asked->distinct, unknown = asked->unknown;
	uint64_t number = widen(question, before);

	session->answers++;
	seqwin_add(asked, 0, question);
	if (asked->unknown > unknown)
		return;
	if (session->kind != STAMP_STATELESS)
		add_answer_number(session, number, before, asked->distinct > distinct, answer,
				  times->t3_utc_ns);
	if (asked->distinct > distinct)
		add_times(session, sums, number, times);
}

void stamp_session_follow_up(const struct stamp_session *session, struct stamp_sums *sums,
			     uint32_t answer, uint64_t utc_ns)
{
	uint64_t number = widen(answer, session->answered.next);
	const struct stamp_recent_answer *own = &session->recent_answers[number % STAMP_RECENT];

	if (own->number == number + 1)
		add_delay(&sums->follow_up, (int64_t)(utc_ns - own->sent_utc_ns));
}

void stamp_session_lost(const struct stamp_session *session, struct stamp_lost *ret_lost)
{
	struct stamp_lost lost = session->past;

	lost.all = session->sent - session->asked.distinct;
	if (session->kind == STAMP_STATEFUL && session->answers) {
		split_loss(session, &lost);
		if (lost.out + lost.back > lost.all) {
			/* Only if the reflector's numbering is wrong. */
			lost.out = lost.back = 0;
		}
	} else {
		lost.out = lost.back = 0;
	}
	lost.unknown = lost.all - lost.out - lost.back;
	*ret_lost = lost;
}

static void add_delays(struct stamp_delays *sum, const struct stamp_delays *from)
{
	if (from->ipdv.count) {
		if (!sum->ipdv.count || from->ipdv_min_ns < sum->ipdv_min_ns)
			sum->ipdv_min_ns = from->ipdv_min_ns;
		if (!sum->ipdv.count || from->ipdv_max_ns > sum->ipdv_max_ns)
			sum->ipdv_max_ns = from->ipdv_max_ns;
	}
	sum->ipdv_sum_ns += from->ipdv_sum_ns;
	hist_merge(&sum->ipdv, &from->ipdv);
	hist_merge(&sum->delay, &from->delay);
	pdv_merge(&sum->pdv, &from->pdv);
}

void stamp_sums_add(struct stamp_sums *sum, const struct stamp_sums *from)
{
	int way;

	for (way = 0; way < STAMP_WAYS; way++)
		add_delays(&sum->ways[way], &from->ways[way]);
	hist_merge(&sum->turnaround, &from->turnaround);
	hist_merge(&sum->follow_up, &from->follow_up);
}
