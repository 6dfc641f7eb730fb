// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/send/tx_sent.c - when packets were sent, as the kernel or the NIC tells through an
 * AF_XDP ring, against the time in their tags.
 */
#include "engine/send/tx_queue.h"

#include <errno.h>
#include <stdlib.h>

#include "engine/receive/hw_stamp.h"
#include "lib/hist.h"
#include "proto/frame.h"
#include "result/result_dist.h"

struct tx_sent {
	struct hist_rec hist;
	uint64_t unstamped;		/* sent, and the driver did not say when */
	uint16_t tag_offset;
	struct stamp_lines *lines;	/* queue 0's, which its thread keeps up to date */
	struct stamp_lines own;
	struct hw_stamp *stamp;		/* in queue 0 alone */
};

static void note_sent(void *ctx, const uint8_t *frame, uint64_t phc_ns)
{
	struct tx_sent *sent = ctx;
	uint32_t now = __atomic_load_n(&sent->lines->now, __ATOMIC_ACQUIRE);
	uint64_t sent_ns = stamp_convert(&sent->lines->line[now], phc_ns);
	uint64_t tag_ns = frame_read_stamp(frame + sent->tag_offset, sent_ns);

	if (!tag_ns)
		return;
	if (!phc_ns) {
		PUBLISH(sent->unstamped, sent->unstamped + 1);
		return;
	}
	if (sent_ns < tag_ns)
		PUBLISH(sent->hist.negative, sent->hist.negative + 1);
	else
		hist_add(&sent->hist, sent_ns - tag_ns);
}

int tx_sent_open(struct tx_queue *queue, const struct tx_queue *first,
		 const struct tx_thread *thread, struct err *e)
{
	const struct tx_cfg *cfg = &thread->tx->cfg;
	struct tx_sent *sent = calloc(1, sizeof(*sent));
	int err;

	if (!sent)
		return err_set(e, -ENOMEM, "cannot open the afxdp engine");
	queue->sent = sent;
	queue->ring.on_sent = note_sent;
	queue->ring.sent_ctx = sent;
	sent->tag_offset = thread->flow->packet->tag_offset;
	sent->lines = &first->sent->own;
	if (queue != first)
		return 0;
	err = hw_stamp_open(&sent->stamp, cfg->ifname, cfg->done == TX_DONE_HW ?
			    HW_STAMP_TX : HW_STAMP_TX_SOFT, cfg->clock, e);
	if (!err)
		hw_stamp_publish(sent->stamp, &sent->own);
	return err;
}

void tx_sent_follow(const struct tx_queue *queue)
{
	if (queue->sent && queue->sent->stamp)
		hw_stamp_follow(queue->sent->stamp);
}

void tx_sent_report(const struct tx_queue *queues, uint32_t nr, struct result *res)
{
	struct hist_rec sum = { 0 };
	uint64_t unstamped = 0;
	uint32_t i;

	for (i = 0; i < nr; i++) {
		hist_merge(&sum, &queues[i].sent->hist);
		unstamped += LOOK(queues[i].sent->unstamped);
	}
	result_hist(res, "tx_done", &sum);
	result_metric_u64(res, "tx_done_unstamped_packets", unstamped);
	if (sum.negative)
		result_note(res, "%llu packets were sent before they were handed over, as far as the "
			    "clocks tell", (unsigned long long)sum.negative);
	hw_stamp_report(queues[0].sent->stamp, res);
}

void tx_sent_close(struct tx_queue *queue)
{
	if (queue->sent)
		hw_stamp_close(queue->sent->stamp);
	free(queue->sent);
}
