// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/receive/rx_socket.c - receive a test through a UDP socket.
 */
#include "engine/receive/rx_socket.h"

#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "abi/payload.h"
#include "abi/sink.h"
#include "abi/tag.h"
#include "engine/receive/rx_order.h"
#include "lib/hist.h"
#include "lib/loop.h"
#include "lib/pdv.h"
#include "lib/unit.h"
#include "proto/payload.h"
#include "proto/seqwin.h"
#include "result/result_dist.h"
#include "sys/net/counters.h"
#include "sys/net/nic.h"
#include "sys/socket/sock.h"

#define BATCH		64
#define WAKE_US		20000		/* how often the reader checks for stop */
#define HEAD_BYTES	64		/* payload bytes to read; the tag is at the start */
#define WHOLE_BYTES	(TAG_BYTES + PAYLOAD_BYTES)	/* with verify_payload */

/* Ethernet, IP and UDP headers, without FCS; a VLAN tag is not delivered here. */
#define HEADERS4_BYTES	(14 + 20 + 8)
#define HEADERS6_BYTES	(14 + 40 + 8)
#define LEAST_BYTES	60

struct rx_socket {
	struct receiver receiver;
	struct rx_socket_cfg cfg;
	int fd, ifindex;
	pthread_t id;
	atomic_bool stop;
	bool started;
	pthread_mutex_t lock;		/* all below */
	struct rx_count count;
	struct hist_rec hist;
	struct pdv_rec pdv;
	struct seqwin *wins;
	char *heads;			/* of BATCH packets, head_bytes each; the reader's */
	size_t head_bytes;
	struct rx_count row_count;
	uint64_t row_lost, row_elapsed_ns;
	uint64_t full_before, full_after;	/* counters_udp_full() of the socket's namespace */
};

static struct rx_socket *rx_of(struct receiver *receiver)
{
	return (struct rx_socket *)receiver;
}

static bool find_tag(const void *payload, size_t bytes, struct tag_fields *ret_tag)
{
	const struct tag *tag = payload;

	return bytes >= sizeof(*tag) && tag_read(tag->high, tag->low, tag->complement, ret_tag);
}

static void note_delay(struct rx_socket *rx, uint64_t ns)
{
	hist_add(&rx->hist, ns);
	pdv_add(&rx->pdv, ns);
}

static void add_delay(struct rx_socket *rx, const struct tag_fields *tag, uint64_t now_ns)
{
	uint64_t sent_ns = tag_widen(tag->time, now_ns);

	if (tag->run & TAG_TAI)
		rx->count.odd.other_clock++;
	else if (now_ns - sent_ns + SINK_LATEST_NS > 2 * SINK_LATEST_NS)
		rx->count.odd.implausible_time++;
	else if (sent_ns > now_ns)
		rx->hist.negative++;
	else
		note_delay(rx, now_ns - sent_ns);
}

static void add_tag(struct rx_socket *rx, const struct tag_fields *tag, uint64_t now_ns)
{
	if (tag->stream >= rx->cfg.streams) {
		rx->count.odd.other_stream++;
		return;
	}
	seqwin_add(&rx->wins[tag->stream], tag->run, tag->sequence);
	if (rx->cfg.drops)
		drops_note_received(rx->cfg.drops, tag->stream, tag->sequence);
	if (tag->time)
		add_delay(rx, tag, now_ns);
}

/* Of a tagged packet of @bytes; what was not read is not verified. */
static bool is_payload_bad(struct rx_socket *rx, const char *head, size_t bytes)
{
	if (!rx->cfg.verify_payload)
		return false;
	if (bytes > rx->head_bytes) {
		rx->count.odd.unverified++;
		return false;
	}
	return !payload_is_intact(head + TAG_BYTES, bytes - TAG_BYTES);
}

static void add_packet(struct rx_socket *rx, const struct mmsghdr *msg, uint64_t now_ns)
{
	const struct sockaddr_in6 *from = msg->msg_hdr.msg_name;
	const struct iovec *iov = msg->msg_hdr.msg_iov;
	size_t in_head = msg->msg_len < iov->iov_len ? msg->msg_len : iov->iov_len;
	struct tag_fields tag;
	bool tagged = find_tag(iov->iov_base, in_head, &tag);
	uint64_t bytes = msg->msg_len +
		(IN6_IS_ADDR_V4MAPPED(&from->sin6_addr) ? HEADERS4_BYTES : HEADERS6_BYTES);
	struct rx_count *count = &rx->count;

	if (tagged && rx->cfg.run && tag.run != rx->cfg.run) {
		count->odd.other_run++;
		return;
	}
	count->packets++;
	count->stamped++;
	count->bytes += bytes < LEAST_BYTES ? LEAST_BYTES : bytes;
	if (!count->first_mono_ns)
		count->first_mono_ns = now_ns;
	count->last_mono_ns = now_ns;
	if (!tagged)
		count->odd.untagged++;
	else if (is_payload_bad(rx, iov->iov_base, msg->msg_len))
		count->odd.bad_payload++;
	else
		add_tag(rx, &tag, now_ns);
}

static void *reader_main(void *arg)
{
	struct rx_socket *rx = arg;
	struct sockaddr_in6 from[BATCH];
	struct mmsghdr msgs[BATCH];
	struct iovec iovs[BATCH];
	uint64_t now_ns;
	int i, nr;

	for (i = 0; i < BATCH; i++) {
		iovs[i] = (struct iovec){ rx->heads + (size_t)i * rx->head_bytes, rx->head_bytes };
		msgs[i].msg_hdr = (struct msghdr){
			.msg_name = &from[i], .msg_iov = &iovs[i], .msg_iovlen = 1,
		};
	}
	while (!atomic_load(&rx->stop)) {
		for (i = 0; i < BATCH; i++)
			msgs[i].msg_hdr.msg_namelen = sizeof(from[i]);
		/* MSG_TRUNC: report the full length of each, though only its head is stored. */
		nr = recvmmsg(rx->fd, msgs, BATCH, MSG_WAITFORONE | MSG_TRUNC, NULL);
		now_ns = loop_mono_ns();
		if (nr <= 0)
			continue;
		pthread_mutex_lock(&rx->lock);
		for (i = 0; i < nr; i++)
			add_packet(rx, &msgs[i], now_ns);
		pthread_mutex_unlock(&rx->lock);
	}
	/* This thread stays in the socket's namespace; that of report() may have left it. */
	rx->full_after = counters_udp_full();
	return NULL;
}

static int set_buffer(int fd, uint32_t bytes, struct err *e)
{
	int value = (int)bytes;

	/* SO_RCVBUFFORCE may exceed the system's limit, but requires a capability. */
	if (!bytes || !setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &value, sizeof(value)) ||
	    !setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &value, sizeof(value)))
		return 0;
	return err_set(e, -errno, "cannot set a receive buffer of %u bytes", bytes);
}

static int bind_socket(struct rx_socket *rx, struct err *e)
{
	struct sockaddr_in6 any = { .sin6_family = AF_INET6, .sin6_port = htons(rx->cfg.port) };
	struct timeval wake = { .tv_usec = WAKE_US };
	int off = 0;

	/* Also receives IPv4. */
	rx->fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (rx->fd < 0)
		return err_set(e, -errno, "cannot open a UDP socket");
	if (setsockopt(rx->fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off)) ||
	    setsockopt(rx->fd, SOL_SOCKET, SO_RCVTIMEO, &wake, sizeof(wake)))
		return err_set(e, -errno, "cannot set up a UDP socket");
	if (setsockopt(rx->fd, SOL_SOCKET, SO_BINDTODEVICE, rx->cfg.ifname,
		       (socklen_t)strlen(rx->cfg.ifname)))
		return err_set(e, -errno, "cannot bind a socket to '%s'", rx->cfg.ifname);
	if (set_buffer(rx->fd, rx->cfg.rcvbuf_bytes, e))
		return e->no;
	if (!bind(rx->fd, (struct sockaddr *)&any, sizeof(any)))
		return 0;
	err_set(e, -errno, "cannot bind UDP port %u", rx->cfg.port);
	return err_hint(e, "see which process uses it: ss -ulnp sport = %u", rx->cfg.port);
}

static void stop(struct receiver *receiver)
{
	struct rx_socket *rx = rx_of(receiver);

	if (!rx->started)
		return;
	atomic_store(&rx->stop, true);
	pthread_join(rx->id, NULL);
	rx->started = false;
}

static void close_socket(struct receiver *receiver)
{
	struct rx_socket *rx = rx_of(receiver);

	stop(receiver);
	if (rx->fd >= 0)
		close(rx->fd);
	pthread_mutex_destroy(&rx->lock);
	free(rx->heads);
	free(rx->wins);
	free(rx);
}

static void add_win(struct rx_count *sum, const struct seqwin *now, const struct rx_sent *sent,
		    uint16_t stream)
{
	uint64_t end = rx_sent_numbers(sent, stream);
	struct seqwin copy = *now, *win = &copy;
	struct rx_count own;

	seqwin_take_only(win);
	if (sent && win->runs && !end) {
		/* Nothing was sent of this stream. */
		sum->implausible += win->distinct + win->duplicates + win->unknown + win->implausible +
				    seqwin_held(win, true);
		return;
	}
	if (end && seqwin_settle(win, end))
		sum->has_forged = true;
	own = (struct rx_count){
		.distinct = win->distinct, .gaps = seqwin_gaps(win), .unknown = win->unknown,
	};
	rx_add_lost(&own, end, sum);
	if (!win->runs)
		return;
	sum->streams_seen++;
	sum->distinct += win->distinct;
	sum->duplicates += win->duplicates;
	sum->reordered += win->reordered;
	if (win->distance_max > sum->distance_max)
		sum->distance_max = win->distance_max;
	sum->unknown += win->unknown;
	sum->odd.other_run += win->other_run + seqwin_held(win, false);
	sum->implausible += win->implausible;
	sum->unconfirmed += seqwin_held(win, true);
	sum->restarts += win->runs - 1;
	sum->gaps += seqwin_gaps(win);
	sum->unseen_before += win->unseen + win->first;
}

static void read_sum(struct receiver *receiver, const struct rx_sent *sent, struct rx_count *ret_count)
{
	struct rx_socket *rx = rx_of(receiver);
	struct rx_count sum;
	uint64_t span_ns;
	uint16_t i;

	pthread_mutex_lock(&rx->lock);
	sum = rx->count;
	for (i = 0; i < rx->cfg.streams; i++)
		add_win(&sum, &rx->wins[i], sent, i);
	pthread_mutex_unlock(&rx->lock);
	span_ns = sum.last_mono_ns - sum.first_mono_ns;
	/* n packets span n - 1 intervals. */
	if (sum.packets > 1 && span_ns)
		sum.rate_pps = (double)(sum.packets - 1) * NSEC_PER_SEC / (double)span_ns;
	*ret_count = sum;
}

static void read_count(struct receiver *receiver, struct rx_count *ret_count)
{
	read_sum(receiver, NULL, ret_count);
}

/* When no packet can arrive any more: runs of loss, also at the ends of streams. */
static void add_runs(struct rx_socket *rx, const struct rx_sent *sent, struct rx_count *sum)
{
	struct seqwin win;
	uint16_t i;

	for (i = 0; i < rx->cfg.streams; i++) {
		win = rx->wins[i];
		seqwin_take_only(&win);
		sum->lost_at_ends += seqwin_finish(&win, rx_sent_numbers(sent, i));
		sum->loss_runs += win.loss_runs;
		if (win.loss_run_max > sum->loss_run_max)
			sum->loss_run_max = win.loss_run_max;
	}
}

static int report(struct receiver *receiver, struct result *res, const struct rx_sent *sent,
		  uint32_t max_parts, struct rx_figures *ret_figures, struct err *e)
{
	struct rx_socket *rx = rx_of(receiver);
	uint64_t dropped = sock_dropped_packets(rx->fd), full = rx->full_after - rx->full_before;
	struct rx_count count;
	struct hist_rec pdv;

	(void)max_parts;
	(void)e;
	read_sum(receiver, sent, &count);
	add_runs(rx, sent, &count);
	rx_settle(&count);
	rx_report_volume(&count, res);
	result_metric_u64(res, "socket_dropped_packets", dropped);
	rx_report_odd(&count, res);
	result_metric_u64(res, "streams", count.streams_seen);
	rx_order_report(NULL, RX_ALL_STREAMS, &count, rx_sent_packets(sent), res);
	if (rx->hist.negative)
		result_metric_u64(res, "delay_negative_packets", rx->hist.negative);
	result_hist(res, "delay", &rx->hist);
	pdv_hist(&rx->pdv, &rx->hist, &pdv);
	result_pdv(res, "", &pdv);
	rx_report_untimed(&count, &rx->hist, STAMP_MONOTONIC, false, res);
	*ret_figures = (struct rx_figures){
		.lost_packets = (double)rx_lost(&count, rx_sent_packets(sent)), .gap_max_ns = NAN,
		.socket_full_packets = dropped < full ? dropped : full,
	};
	dist_of_hist(&ret_figures->delay, &rx->hist);
	dist_of_hist(&ret_figures->pdv, &pdv);
	return 0;
}

static void put_row(struct receiver *receiver, struct result *res, const struct rx_sent *sent,
		    uint64_t elapsed_ns)
{
	struct rx_socket *rx = rx_of(receiver);
	double seconds = (double)(elapsed_ns - rx->row_elapsed_ns) / NSEC_PER_SEC;
	struct rx_count now, *before = &rx->row_count;
	uint64_t packets, lost;

	read_sum(receiver, sent, &now);
	packets = now.packets - before->packets;
	result_row_u64(res, "received_packets", packets);
	result_row_real(res, "received_pps", (double)packets / seconds);
	lost = rx_lost(&now, rx_sent_packets(sent));
	/* Below 0 where more packets came late than were missed. */
	result_row_s64(res, "lost_packets", (int64_t)(lost - rx->row_lost));
	rx->row_lost = lost;
	rx->row_count = now;
	rx->row_elapsed_ns = elapsed_ns;
}

static unsigned int keep_caps(const struct receiver *receiver)
{
	(void)receiver;
	return 0;
}

static int check(struct receiver *receiver, struct err *e)
{
	const struct rx_socket *rx = rx_of(receiver);

	if (!nic_check_there(rx->cfg.ifname, rx->ifindex, e))
		return 0;
	return err_hint(e, "the result has the counts up to then");
}

static uint64_t packets(struct receiver *receiver)
{
	struct rx_socket *rx = rx_of(receiver);
	uint64_t nr;

	pthread_mutex_lock(&rx->lock);
	nr = rx->count.packets;
	pthread_mutex_unlock(&rx->lock);
	return nr;
}

static const struct receiver_ops rx_socket_ops = {
	.name = "UDP socket",
	.keep_caps = keep_caps,
	.check = check,
	.packets = packets,
	.read = read_count,
	.read_all = read_sum,
	.stop = stop,
	.report = report,
	.put_row = put_row,
	.close = close_socket,
};

int rx_socket_open(struct receiver **ret_receiver, const struct rx_socket_cfg *cfg,
		   struct result *res, struct err *e)
{
	struct rx_socket *rx = calloc(1, sizeof(*rx));
	int err, bytes = 0;
	socklen_t len = sizeof(bytes);
	struct nic_facts nic;
	uint16_t i;

	if (nic_read(cfg->ifname, &nic)) {
		free(rx);
		return nic_unknown(cfg->ifname, e);
	}
	if (!rx)
		return err_set(e, -ENOMEM, "cannot open the receiver");
	rx->receiver.ops = &rx_socket_ops;
	rx->cfg = *cfg;
	rx->fd = -1;
	rx->ifindex = nic.ifindex;
	pthread_mutex_init(&rx->lock, NULL);
	rx->wins = calloc(cfg->streams, sizeof(*rx->wins));
	for (i = 0; rx->wins && i < cfg->streams; i++)
		rx->wins[i].confirms = true;
	rx->head_bytes = cfg->verify_payload ? WHOLE_BYTES : HEAD_BYTES;
	rx->heads = calloc(BATCH, rx->head_bytes);
	rx->full_before = rx->full_after = counters_udp_full();
	err = rx->wins && rx->heads ? bind_socket(rx, e) : err_set(e, -ENOMEM, "cannot open the receiver");
	if (err)
		goto fail;
	err = pthread_create(&rx->id, NULL, reader_main, rx);
	if (err) {
		err_set(e, -err, "cannot start a reading thread");
		goto fail;
	}
	rx->started = true;
	if (!getsockopt(rx->fd, SOL_SOCKET, SO_RCVBUF, &bytes, &len))
		result_env_u64(res, "rx_socket_buffer_bytes", (uint64_t)bytes);
	result_env_str(res, "rx_stamp", "user");
	result_env_str(res, "rx_checksums", "IPv4 header, L4: by the kernel, which drops damaged packets");
	if (cfg->verify_payload)
		result_env_str(res, "rx_payload", "pattern");
	*ret_receiver = &rx->receiver;
	return 0;
fail:
	close_socket(&rx->receiver);
	return e->no;
}
