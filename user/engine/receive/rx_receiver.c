// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/receive/rx_receiver.c - the XDP receiver as one of several (engine/receive/receiver.h).
 */
#include <math.h>

#include "engine/receive/rx_parts.h"
#include "lib/dist.h"

static struct rx *rx_of(struct receiver *receiver)
{
	return (struct rx *)receiver;
}

static unsigned int keep_caps(const struct receiver *receiver)
{
	return rx_keep_caps((const struct rx *)receiver);
}

static int check(struct receiver *receiver, struct err *e)
{
	return rx_check(rx_of(receiver), e);
}

static uint64_t packets(struct receiver *receiver)
{
	return rx_packets(rx_of(receiver));
}

static void read_count(struct receiver *receiver, struct rx_count *ret_count)
{
	rx_read(rx_of(receiver), ret_count);
}

static void read_all(struct receiver *receiver, const struct rx_sent *sent, struct rx_count *ret_count)
{
	rx_read_all(rx_of(receiver), sent, ret_count);
}

static bool read_tail(struct receiver *receiver, uint16_t stream, uint64_t *ret_next,
		      uint64_t *ret_last_lost)
{
	return rx_read_tail(rx_of(receiver), stream, ret_next, ret_last_lost);
}

static void stop(struct receiver *receiver)
{
	rx_stop(rx_of(receiver));
}

static void read_figures(struct rx *rx, const struct rx_sent *sent, struct rx_figures *ret)
{
	struct rx_count count;
	struct hist_rec hist, pdv;

	*ret = (struct rx_figures){ .lost_packets = NAN, .delay = dist_none(), .pdv = dist_none(),
				    .gap_max_ns = NAN };
	if (!rx->cfg.check)
		return;
	rx_read_all(rx, sent, &count);
	ret->lost_packets = (double)rx_lost(&count, rx_sent_packets(sent));
	rx_read_hist(rx, &hist);
	dist_of_hist(&ret->delay, &hist);
	rx_read_pdv(rx, RX_ALL_STREAMS, &hist, &pdv);
	dist_of_hist(&ret->pdv, &pdv);
	if (!rx->cfg.gaps)
		return;
	rx_read_gaps(rx, &hist);
	if (hist.count)
		ret->gap_max_ns = (double)hist.max_ns;
}

static int report(struct receiver *receiver, struct result *res, const struct rx_sent *sent,
		  uint32_t max_parts, struct rx_figures *ret_figures, struct err *e)
{
	(void)e;
	rx_report(rx_of(receiver), res, "delay", sent, max_parts);
	read_figures(rx_of(receiver), sent, ret_figures);
	return 0;
}

static void put_row(struct receiver *receiver, struct result *res, const struct rx_sent *sent,
		    uint64_t elapsed_ns)
{
	rx_put_row(rx_of(receiver), res, sent, elapsed_ns);
}

static void close_rx(struct receiver *receiver)
{
	rx_close(rx_of(receiver));
}

const struct receiver_ops rx_receiver_ops = {
	.name = "XDP program",
	.is_xdp = true,
	.keep_caps = keep_caps,
	.check = check,
	.packets = packets,
	.read = read_count,
	.read_all = read_all,
	.read_tail = read_tail,
	.stop = stop,
	.report = report,
	.put_row = put_row,
	.close = close_rx,
};

struct receiver *rx_receiver(struct rx *rx)
{
	return &rx->receiver;
}
