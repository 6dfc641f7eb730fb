// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/echo/stamp_take.c - the answers to a STAMP sender.
 */
#include <errno.h>
#include <poll.h>

#include "engine/echo/stamp_parts.h"
#include "lib/loop.h"

#define ASK_WAIT_NS	NSEC_PER_SEC
#define FORWARD_NS	1000000		/* T1 may be this far ahead of T4: a clock that is slewed */
#define FLIGHT_MAX_NS	(3600 * NSEC_PER_SEC)
#define REFUSALS	64		/* maximum errors to read in a row from one socket */

static void count_tlvs(struct stamp_dest *dest, const struct stamp_reply *reply)
{
	struct stamp_reply *said = &dest->said;
	uint32_t type, bit;

	for (type = 0; type < STAMP_TLVS; type++) {
		bit = 1u << type;
		dest->tlvs[type].returned += !!(reply->tlvs & bit);
		dest->tlvs[type].unrecognised += !!(reply->unrecognised & bit);
		dest->tlvs[type].malformed += !!(reply->malformed & bit);
		dest->tlvs[type].not_intact += !!(reply->not_intact & bit) ||
					       (type == STAMP_TLV_HMAC && reply->wrong_tlv_hmac);
	}
	if (reply->used)
		*said = *reply;
}

/* 0: @ret_reply is an answer of this session; otherwise it was counted by kind. */
static int read_answer(struct stamp *stamp, struct stamp_lane *lane, const uint8_t *bytes, size_t len,
		       struct stamp_reply *ret_reply)
{
	const struct stamp_form form = stamp_form_of(stamp, lane);
	struct stamp_dest *dest = &stamp->dests[lane->dest];
	int err = stamp_parse(&form, bytes, len, ret_reply);

	if (err == -EKEYREJECTED)
		dest->forged++;
	else if (err)
		dest->malformed++;
	/* A reflector that only implements RFC 8762 has 0 there (RFC 8972 3). */
	else if (form.mode != STAMP_TWAMP_LIGHT && ret_reply->ssid != lane->ssid &&
		 (ret_reply->ssid || stamp->cfg.strict_ssid))
		dest->foreign++;
	else
		return 0;
	return -EBADMSG;
}

/* The answer repeats T1; a number that was never sent, or impossible times, are not an answer. */
static bool is_plausible(const struct stamp_lane *lane, const struct stamp_reply *reply,
			 uint64_t t4_utc_ns)
{
	return (lane->session.sent > UINT32_MAX || reply->sender_seq < lane->session.sent) &&
	       reply->sender_utc_ns <= t4_utc_ns + FORWARD_NS &&
	       t4_utc_ns - reply->sender_utc_ns + FORWARD_NS < FLIGHT_MAX_NS &&
	       reply->received_utc_ns && reply->sent_utc_ns;
}

static void take(struct stamp *stamp, struct stamp_lane *lane, const uint8_t *bytes,
		 const struct udp_arrival *arrival)
{
	struct stamp_dest *dest = &stamp->dests[lane->dest];
	struct stamp_times times = { .t4_utc_ns = arrival->utc_ns };
	struct stamp_reply reply;
	uint64_t distinct = lane->session.asked.distinct;

	if (!times.t4_utc_ns) {
		times.t4_utc_ns = stamp_utc_now_ns();
		dest->unstamped++;
	}
	if (read_answer(stamp, lane, bytes, arrival->len, &reply))
		return;
	if (!is_plausible(lane, &reply, times.t4_utc_ns)) {
		dest->malformed++;
		return;
	}
	dest->answers++;
	dest->error = reply.error;
	dest->ttl_out = reply.sender_ttl;
	dest->ttl_back = arrival->ttl;
	dest->last = reply;
	if (reply.tlvs)
		count_tlvs(dest, &reply);
	if (reply.follow_up_utc_ns)
		stamp_session_follow_up(&lane->session, dest->sums, reply.follow_up_seq,
					reply.follow_up_utc_ns);
	times.t1_utc_ns = reply.sender_utc_ns;
	times.t2_utc_ns = reply.received_utc_ns;
	times.t3_utc_ns = reply.sent_utc_ns;
	stamp_session_add(&lane->session, dest->sums, reply.sender_seq, reply.seq, &times);
	stamp->distinct += lane->session.asked.distinct - distinct;
}

/* Reads all that is queued on one socket. */
void stamp_take_all(struct stamp *stamp, struct stamp_lane *lane)
{
	uint8_t bytes[STAMP_MAX_BYTES];
	struct udp_arrival arrival;
	int err, refused = 0;

	stamp->last_mono_ns = loop_mono_ns();
	for (;;) {
		err = udp_receive(lane->fd, bytes, sizeof(bytes), &arrival);
		if (!err) {
			take(stamp, lane, bytes, &arrival);
		} else if (err == -ECONNREFUSED && refused++ < REFUSALS) {
			stamp->dests[lane->dest].refused++;
		} else {
			return;
		}
	}
}

int stamp_wait_for_answer(struct stamp *stamp, struct stamp_lane *lane, uint32_t seq,
			  uint32_t *ret_seq)
{
	uint64_t end_mono_ns = loop_mono_ns() + ASK_WAIT_NS, now;
	struct pollfd pollfd = { .fd = lane->fd, .events = POLLIN };
	uint8_t bytes[STAMP_MAX_BYTES];
	struct udp_arrival arrival;
	struct stamp_reply reply;

	while (!loop_signal() && (now = loop_mono_ns()) < end_mono_ns) {
		if (poll(&pollfd, 1, (int)((end_mono_ns - now) / 1000000) + 1) <= 0)
			continue;
		if (udp_receive(lane->fd, bytes, sizeof(bytes), &arrival))
			continue;
		if (read_answer(stamp, lane, bytes, arrival.len, &reply) || reply.sender_seq != seq)
			continue;
		*ret_seq = reply.seq;
		return 0;
	}
	return -EAGAIN;
}
