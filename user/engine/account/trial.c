// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/account/trial.c - the receiving end of a sender's run, and the ledger over both ends.
 */
#include "engine/account/trial.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "engine/account/path.h"
#include "engine/receive/rx.h"
#include "engine/receive/rx_counts.h"
#include "engine/receive/rx_socket.h"
#include "lib/log.h"
#include "lib/loop.h"
#include "lib/unit.h"
#include "model/ledger.h"
#include "model/mix.h"
#include "model/settle.h"
#include "proto/frame.h"
#include "sys/hook/bpf.h"
#include "sys/hook/drops.h"
#include "sys/host/caps.h"
#include "sys/net/netns.h"

const struct opt trial_options[] = {
	{ 0, "sink", OPT_STR, offsetof(struct trial_opts, sink), "IFACE[@NETNS]",
	  "receive there as well, and account for every lost packet" },
	{ 0, "sink-socket", OPT_FLAG, offsetof(struct trial_opts, socket), NULL,
	  "--sink: receive by a UDP socket, after the network stack, instead of in the driver" },
	{ 0, "rcvbuf", OPT_U32, offsetof(struct trial_opts, rcvbuf_bytes), "BYTES",
	  "--sink-socket: receive buffer, which the kernel doubles; 0: default",
	  .max = INT32_MAX / 2 },
	OPT_GROUP_AT(offsetof(struct trial_opts, order_window), rx_window_options),
	{ 'w', "wait", OPT_DURATION, offsetof(struct trial_opts, wait_ns), "TIME",
	  "--sink: a packet that has not arrived this long after the last was sent counts as lost",
	  .min = 1, .max = TRIAL_WAIT_MAX_NS },
	{ 0, "no-ledger", OPT_FLAG, offsetof(struct trial_opts, no_ledger), NULL,
	  "--sink: count losses only, do not locate them" },
	OPT_END
};

#define STREAM_PARTS	64		/* streams that get a part each */
#define POLL_NS		10000000ull
#define NEIGHBOUR_NS	4000000000ull	/* three requests, each after a second (mcast_solicit) */
#define NEIGHBOUR_POLL_NS 50000000ull
#define ETH_BYTES	14
#define VLAN_BYTES	4
#define IP6_BYTES	40
#define UDP_BYTES	8
#define TYPE_IP4	0x0800
#define TYPE_IP6	0x86dd
#define TYPE_VLAN	0x8100
#define TYPE_QINQ	0x88a8

/* @nr consecutive UDP ports; 0: not known. */
struct ports {
	uint16_t first;
	uint32_t nr;
};

/* How to recognise a packet of this test. */
struct target {
	bool tagged;
	bool other_l4;				/* some are not UDP */
	bool has_ports;				/* of those that are */
	uint16_t first_stream, last_stream;
	struct ports src, to;
	struct frame_addr dst;			/* family 0: more than one address */
	enum stamp_clock clock;
	uint16_t run;
};

struct trial {
	struct trial_opts opts;
	const char *tx_ifname;
	char ifname[16];
	const char *netns;		/* NULL: the sender's own */
	int ns_fd;			/* -1: the sender's own */
	struct target target;
	struct result *res;		/* while opening */
	struct receiver *receiver;
	struct drops *drops;		/* NULL: drops are not traced */
	struct drops_maps drops_maps;
	struct path *path;		/* NULL: no ledger */
};

int trial_check(const struct trial_opts *opts, struct err *e)
{
	const char *at = opts->sink ? strchr(opts->sink, '@') : NULL;
	size_t len = at ? (size_t)(at - opts->sink) : opts->sink ? strlen(opts->sink) : 0;

	if (opts->sink && (!len || len >= sizeof(((struct trial *)0)->ifname) || (at && !at[1]) ||
			   (at && strchr(at, '/'))))
		return err_usage(e, OPTION("sink") " '%s' is not IFACE or IFACE@NETNS", opts->sink);
	return 0;
}

/* The field that varies the @bytes at @offset, or NULL. */
static const struct field *field_at(const struct packet *packet, uint32_t offset, uint32_t bytes)
{
	uint32_t i;

	for (i = 0; i < packet->nr_fields; i++) {
		const struct field *field = &packet->fields[i];

		if (field->offset < offset + bytes &&
		    offset < field->offset + (uint32_t)field->bytes)
			return field;
	}
	return NULL;
}

static uint16_t number_at(const struct packet *packet, uint32_t offset)
{
	return (uint16_t)(packet->bytes[offset] << 8 | packet->bytes[offset + 1]);
}

/* Offsets of the IP and UDP headers; 0: none. */
struct headers {
	uint32_t ip4, ip6, udp;
};

static struct headers find_headers(const struct packet *packet)
{
	struct headers at = { 0 };
	uint32_t l3 = ETH_BYTES;

	while (number_at(packet, l3 - 2) == TYPE_VLAN || number_at(packet, l3 - 2) == TYPE_QINQ)
		l3 += VLAN_BYTES;
	if (number_at(packet, l3 - 2) == TYPE_IP4) {
		at.ip4 = l3;
		if (packet->bytes[l3 + 9] == IPPROTO_UDP)
			at.udp = l3 + 4 * (packet->bytes[l3] & 15u);
	} else if (number_at(packet, l3 - 2) == TYPE_IP6) {
		at.ip6 = l3;
		if (packet->bytes[l3 + 6] == IPPROTO_UDP)
			at.udp = l3 + IP6_BYTES;
	}
	/* In a tunnel the tag identifies the packets. */
	if (packet->tag_offset)
		at.udp = packet->after_udp ? packet->tag_offset - UDP_BYTES : 0;
	return at;
}

/* The ports at @offset of the packets, consecutive from the first. */
static struct ports ports_at(const struct packet *packet, uint32_t offset)
{
	const struct field *field = field_at(packet, offset, 2);

	if (!field)
		return (struct ports){ number_at(packet, offset), 1 };
	if (field->offset != offset || field->bytes != 2 || field->shift || field->step != 1 ||
	    (field->kind != FIELD_COUNTER && field->kind != FIELD_RANDOM) ||
	    field->first + field->span > UINT16_MAX + 1u)
		return (struct ports){ 0 };
	return (struct ports){ (uint16_t)field->first, (uint32_t)field->span };
}

static void join_ports(bool is_first, struct ports ports, struct ports *of_all)
{
	if (is_first)
		*of_all = ports;
	else if (ports.first != of_all->first || ports.nr != of_all->nr)
		of_all->nr = 0;
}

static void join_udp(struct target *target, const struct packet *packet, uint32_t udp)
{
	join_ports(!target->has_ports, ports_at(packet, udp), &target->src);
	join_ports(!target->has_ports, ports_at(packet, udp + 2), &target->to);
	target->has_ports = true;
}

static struct frame_addr address_of(const struct packet *packet, const struct headers *at)
{
	struct frame_addr addr = { 0 };

	if (at->ip4 && !field_at(packet, at->ip4 + 16, 4)) {
		addr.family = AF_INET;
		memcpy(&addr.ip4, packet->bytes + at->ip4 + 16, 4);
	} else if (at->ip6 && !field_at(packet, at->ip6 + 24, 16)) {
		addr.family = AF_INET6;
		memcpy(&addr.ip6, packet->bytes + at->ip6 + 24, 16);
	}
	return addr;
}

static void join_flow(struct target *target, bool is_first, const struct mix_flow *flow)
{
	struct headers at = find_headers(flow->packet);
	struct frame_addr dst = address_of(flow->packet, &at);

	target->tagged = target->tagged && flow->tagged;
	if (flow->stream < target->first_stream)
		target->first_stream = flow->stream;
	if (flow->stream > target->last_stream)
		target->last_stream = flow->stream;
	if (at.udp)
		join_udp(target, flow->packet, at.udp);
	else
		target->other_l4 = true;
	if (is_first)
		target->dst = dst;
	else if (memcmp(&dst, &target->dst, sizeof(dst)))
		target->dst.family = 0;
}

static struct target target_of(const struct tx_cfg *cfg)
{
	struct target target = { .tagged = true, .first_stream = UINT16_MAX,
				 .clock = cfg->clock, .run = cfg->run };
	uint32_t i;

	for (i = 0; i < cfg->mix->nr_flows; i++)
		join_flow(&target, !i, &cfg->mix->flows[i]);
	if (target.other_l4 && !target.tagged)
		target.src.nr = target.to.nr = 0;
	return target;
}

static void watch_drops(struct trial *trial, struct result *res)
{
	const struct target *target = &trial->target;
	struct drops_cfg cfg = {
		.src_port = target->src.first, .nr_src_ports = (uint16_t)target->src.nr,
		.dst_port = target->to.first, .nr_dst_ports = (uint16_t)target->to.nr,
		.first_stream = target->first_stream, .last_stream = target->last_stream,
		.tagged = target->tagged, .run = target->run,
	};
	struct err e;

	if (!target->tagged && target->dst.family == AF_INET) {
		cfg.version = 4;
		memcpy(cfg.dst, &target->dst.ip4, sizeof(target->dst.ip4));
	} else if (!target->tagged && target->dst.family == AF_INET6) {
		cfg.version = 6;
		memcpy(cfg.dst, &target->dst.ip6, sizeof(target->dst.ip6));
	} else if (!target->tagged) {
		result_note(res, "the kernel's drops of these packets cannot be distinguished from drops "
			    "of others: the ledger uses counters");
		return;
	}
	if (!drops_open(&trial->drops, &cfg, &e)) {
		trial->drops_maps = drops_maps(trial->drops);
		return;
	}
	log_warn("%s: the ledger uses counters", e.msg);
	result_note(res, "%s: the ledger uses counters", e.msg);
}

static int open_socket(struct trial *trial, struct err *e)
{
	const struct rx_socket_cfg cfg = {
		.ifname = trial->ifname,
		.port = trial->target.to.first,
		.streams = (uint16_t)(trial->target.last_stream + 1),
		.run = trial->target.tagged ? trial->target.run : 0,
		.rcvbuf_bytes = trial->opts.rcvbuf_bytes,
		.drops = trial->target.tagged ? trial->drops : NULL,
		.verify_payload = trial->target.tagged && trial->opts.verify_payload,
	};

	if (trial->target.to.nr != 1 || trial->target.other_l4)
		return err_usage(e, OPTION("sink-socket") " reads one UDP port, but these packets are "
				 "%s", trial->target.other_l4 ? "not all UDP" : "sent to several");
	return rx_socket_open(&trial->receiver, &cfg, trial->res, e);
}

static enum sink_match match_of(const struct trial *trial)
{
	if (trial->target.to.nr != 1)
		return trial->target.tagged ? SINK_MATCH_TAG : SINK_MATCH_ALL;
	return trial->opts.reflected ? SINK_MATCH_SOURCE : SINK_MATCH_DEST;
}

static int open_xdp(struct trial *trial, struct err *e)
{
	const struct target *target = &trial->target;
	const struct rx_cfg cfg = {
		.ifname = trial->ifname,
		.match = match_of(trial),
		.port = target->to.first,
		.check = target->tagged,
		.vary = target->tagged,
		.gaps = target->tagged && trial->opts.gaps,
		.verify_payload = target->tagged && trial->opts.verify_payload,
		.clock = target->clock,
		.run = target->tagged ? target->run : 0,
		.streams = (uint16_t)(target->last_stream + 1),
		.window = trial->opts.order_window,
		.drops = trial->drops ? &trial->drops_maps : NULL,
	};
	struct rx *rx;
	int err;

	err = rx_open(&rx, &cfg, trial->res, e);
	if (!err)
		trial->receiver = rx_receiver(rx);
	return err;
}

static int open_receiver(void *ctx, struct err *e)
{
	struct trial *trial = ctx;

	if (trial->opts.far)
		return far_sink_open(&trial->receiver, trial->opts.far, trial->target.to.first,
				     trial->target.last_stream + 1u, trial->target.run, trial->target.clock, e);
	if (trial->ns_fd >= 0 && netns_enter(trial->ns_fd, e))
		return e->no;
	return trial->opts.socket ? open_socket(trial, e) : open_xdp(trial, e);
}

static int find_place(struct trial *trial, struct err *e)
{
	const char *at = strchr(trial->opts.sink, '@');
	int err;

	snprintf(trial->ifname, sizeof(trial->ifname), "%.*s",
		 at ? (int)(at - trial->opts.sink) : (int)sizeof(trial->ifname) - 1, trial->opts.sink);
	if (!at)
		return 0;
	trial->netns = at + 1;
	err = caps_require(CAPS_SYS_ADMIN, e);
	return err ? err : netns_need(trial->netns, &trial->ns_fd, e);
}

int trial_open(struct trial **ret_trial, const struct trial_opts *opts, const struct tx_cfg *cfg,
	       struct result *res, struct err *e)
{
	struct trial *trial = calloc(1, sizeof(*trial));
	int err;

	if (!trial)
		return err_set(e, -ENOMEM, "cannot open the receiver");
	trial->opts = *opts;
	trial->tx_ifname = cfg->ifname;
	trial->ns_fd = -1;
	trial->target = target_of(cfg);
	trial->res = res;
	if (trial->target.last_stream >= RX_MAX_STREAMS)
		err = err_usage(e, OPTION("sink") " checks streams below %u, and these go up to %u",
				RX_MAX_STREAMS, trial->target.last_stream);
	else
		err = opts->far ? 0 : find_place(trial, e);
	if (err)
		goto fail;
	if (!opts->no_ledger)
		watch_drops(trial, res);
	/* The command of a receiver on another host names its namespace. */
	err = opts->far ? open_receiver(trial, e) : netns_run(open_receiver, trial, e);
	if (err)
		goto fail;
	if (!trial->target.tagged && trial->target.to.nr != 1)
		result_note(res, "these packets cannot be distinguished from others: every packet "
			    "that arrives is counted");
	result_env_str(res, "receiver", trial->receiver->ops->name);
	*ret_trial = trial;
	return 0;
fail:
	trial_close(trial);
	return err;
}

void trial_close(struct trial *trial)
{
	if (!trial)
		return;
	receiver_close(trial->receiver);
	drops_close(trial->drops);
	path_close(trial->path);
	if (trial->ns_fd >= 0)
		close(trial->ns_fd);
	free(trial);
}

static void report_sources(const struct trial *trial, struct result *res)
{
	char text[128];

	snprintf(text, sizeof(text), "%s%s%srtnl, ethtool, qdisc, softnet, snmp, conntrack, nftables",
		 trial->drops && drops_has(trial->drops, DROP_SKB) ? "kfree_skb, " : "",
		 trial->drops && drops_has(trial->drops, DROP_XDP_EXCEPTION) ? "xdp_exception, " : "",
		 trial->drops && drops_has(trial->drops, DROP_XDP_REDIRECT) ? "xdp_redirect_err, " : "");
	result_env_str(res, "ledger_sources", text);
	if (!trial->drops || !drops_has(trial->drops, DROP_SKB))
		result_note(res, "the tracepoint skb:kfree_skb is not available: the ledger uses "
			    "counters, which include other traffic");
}

void trial_begin(struct trial *trial, struct result *res)
{
	struct err e;

	if (trial->opts.no_ledger)
		return;
	report_sources(trial, res);
	if (path_open(&trial->path, trial->tx_ifname, trial->ifname, trial->ns_fd, &e))
		result_note(res, "%s: no ledger", e.msg);
}

unsigned int trial_keep_caps(const struct trial *trial)
{
	/* CAP_SYS_ADMIN: counters of other namespaces; CAP_NET_ADMIN: the rules of nftables. */
	return bpf_map_caps() | (trial->path ? CAPS_SYS_ADMIN | CAPS_NET_ADMIN : 0);
}

static void look(struct trial *trial, const struct rx_sent *sent, struct settle_seen *ret_seen)
{
	struct rx_count count;

	/* Forged numbers beyond those sent are not distinct. */
	trial->receiver->ops->read_all(trial->receiver, sent, &count);
	*ret_seen = (struct settle_seen){
		.arrived = trial->target.tagged ? count.distinct : count.packets,
		.again = count.duplicates + count.unknown,
	};
}

static void wait_for_late(struct trial *trial, const struct rx_sent *sent)
{
	struct settle_seen seen;
	struct settle settle;

	settle_begin(&settle, sent->packets, trial->opts.wait_ns, loop_mono_ns());
	/* Not loop_run(), which ^C ends: an interrupted run has packets in flight, too. */
	for (look(trial, sent, &seen); !settle_is_done(&settle, &seen, loop_mono_ns());
	     look(trial, sent, &seen))
		loop_sleep_until(loop_mono_ns() + POLL_NS);
}

/* More packets were sent than have arrived or were dropped. */
static bool is_incomplete(struct trial *trial, const struct rx_sent *sent)
{
	struct settle_seen seen;
	struct drop_sum drops;

	look(trial, sent, &seen);
	drops_read(trial->drops, &drops);
	return seen.arrived + drops.skbs - drops.again < sent->packets;
}

/* Until a host on the way that asked for its neighbour's address, and keeps packets, has given up. */
static void wait_for_neighbour(struct trial *trial, const struct rx_sent *sent)
{
	uint64_t until_ns = loop_mono_ns() + NEIGHBOUR_NS;

	while (trial->path && trial->drops && !loop_signal() && loop_mono_ns() < until_ns &&
	       is_incomplete(trial, sent) && path_waits_for_neighbour(trial->path))
		loop_sleep_until(loop_mono_ns() + NEIGHBOUR_POLL_NS);
}

int trial_poll(struct trial *trial, struct err *e)
{
	/* An interface in another namespace cannot be checked from here. */
	return trial->ns_fd >= 0 ? 0 : trial->receiver->ops->check(trial->receiver, e);
}

int trial_settle(struct trial *trial, const struct tx *tx, const struct tx_count *sent, struct err *e)
{
	const struct rx_sent to_receiver = tx_sent_of(tx, sent);
	const struct receiver_ops *ops = trial->receiver->ops;
	int err = 0;

	if (ops->settle) {
		err = ops->settle(trial->receiver, sent->sent_packets, trial->opts.wait_ns, e);
	} else {
		wait_for_late(trial, &to_receiver);
		wait_for_neighbour(trial, &to_receiver);
	}
	ops->stop(trial->receiver);
	return err;
}

void trial_put_row(struct trial *trial, const struct tx *tx, const struct tx_count *sent, struct result *res,
		   uint64_t elapsed_ns)
{
	const struct rx_sent to_receiver = sent ? tx_sent_of(tx, sent) : (struct rx_sent){ 0 };

	trial->receiver->ops->put_row(trial->receiver, res, sent ? &to_receiver : NULL, elapsed_ns);
}

bool trial_read_tail(struct trial *trial, uint16_t stream, uint64_t *ret_next, uint64_t *ret_last_lost)
{
	const struct receiver_ops *ops = trial->receiver->ops;

	return ops->read_tail && ops->read_tail(trial->receiver, stream, ret_next, ret_last_lost);
}

struct listing {
	struct trial *trial;
	struct ledger *ledger;
	uint64_t again;			/* drops of packets that had an end before */
	uint64_t taken_back;
	uint64_t own_verdicts;		/* received and dropped by the sink's program, where no tag
					 * distinguishes them */
};

/* These may be any packet of that interface; the sender reports the generator's own. */
static void add_xdp_failures(struct listing *listing, const struct drop_place *place,
			     struct path_iface *iface, struct ledger_row *row)
{
	bool aborted = place->kind == DROP_XDP_EXCEPTION;

	if (!iface || (!aborted && iface == path_sender(listing->trial->path)))
		return;
	if (aborted) {
		iface->known.aborted += place->packets;
	} else {
		iface->known.redirect_errors += place->packets;
		iface->known.claimed += place->packets;
	}
	snprintf(row->source, sizeof(row->source), "%s",
		 aborted ? "xdp_exception" : "xdp_redirect_err");
	ledger_witness(listing->ledger, row);
}

static void name_row(const struct trial *trial, const struct drop_place *place, struct ledger_row *row)
{
	snprintf(row->place, sizeof(row->place), "%s", place->symbol);
	snprintf(row->reason, sizeof(row->reason), "%s", place->reason);
	row->by_filter = place->class == DROP_BY_FILTER;
	path_name(trial->path, place->netns, place->ifindex, place->ifname, row->where, sizeof(row->where));
}

/* How many of these are packets that the sink's program received: it drops an skb by kfree_skb. */
static uint64_t own_drops(struct listing *listing, const struct drop_place *place, const struct path_iface *iface)
{
	uint64_t own = listing->own_verdicts;

	if (iface != path_receiver(listing->trial->path) || place->class != DROP_BY_XDP)
		return 0;
	own = own < place->packets ? own : place->packets;
	listing->own_verdicts -= own;
	return own;
}

static void add_drops(void *ctx, const struct drop_place *place)
{
	struct listing *listing = ctx;
	struct path *path = listing->trial->path;
	struct path_iface *iface = path_find(path, place->netns, place->ifindex);
	struct ledger_row row = { .source = "kfree_skb", .packets = place->packets - place->taken_back };
	uint64_t own;

	if (place->kind == DROP_DAMAGED)
		return;
	if (place->kind == DROP_ENCRYPTED) {
		if (iface)
			iface->known.claimed += place->packets;
		return;
	}
	name_row(listing->trial, place, &row);
	if (place->kind != DROP_SKB) {
		add_xdp_failures(listing, place, iface, &row);
		return;
	}
	if (place->class == DROP_OF_TAP) {
		ledger_witness(listing->ledger, &row);
		return;
	}
	own = own_drops(listing, place, iface);
	row.packets -= own;
	listing->taken_back += place->taken_back;
	listing->taken_back += ledger_trim(listing->ledger, &row, listing->again + listing->taken_back);
	ledger_claim(listing->ledger, &row);
	if (!iface)
		return;
	iface->known.claimed += place->packets - own;
	if (place->class == DROP_BY_XDP)
		iface->known.skb_xdp_drops += place->packets - own;
}

static void add_known(struct trial *trial, const struct tx_count *sent,
		      const struct rx_count *count, struct ledger *ledger)
{
	struct path_iface *peer = path_sender_peer(trial->path);
	struct ledger_row row = {
		.source = "sender", .reason = "not taken by the driver",
		.packets = sent->refused_packets,
	};

	snprintf(row.where, sizeof(row.where), "%s", trial->tx_ifname);
	ledger_claim(ledger, &row);
	/* Drivers count those at both ends of a link. */
	path_sender(trial->path)->known.claimed += sent->refused_packets;
	if (peer)
		peer->known.claimed += sent->refused_packets;
	if (trial->receiver->ops->is_xdp)
		path_receiver(trial->path)->known.own_verdicts = count->packets + count->odd.other_run;
}

/*
 * Last of all rows: the number of a damaged packet is lost, but not if another copy of it arrived, nor
 * if it is of another program.
 */
static void claim_damaged(struct ledger *ledger, struct ledger_row *row)
{
	uint64_t packets = row->packets;
	int64_t rest = ledger_unattributed(ledger);

	row->packets = rest <= 0 ? 0 : packets < (uint64_t)rest ? packets : (uint64_t)rest;
	ledger_claim(ledger, row);
	row->packets = packets - row->packets;
	ledger_witness(ledger, row);
}

static void add_damaged_drops(void *ctx, const struct drop_place *place)
{
	struct listing *listing = ctx;
	struct ledger_row row = { .source = "kfree_skb", .packets = place->packets };

	if (place->kind != DROP_DAMAGED)
		return;
	name_row(listing->trial, place, &row);
	claim_damaged(listing->ledger, &row);
}

/* After all else: they may be of other traffic. */
static void add_encrypted_drops(void *ctx, const struct drop_place *place)
{
	struct ledger_row row = { .source = "kfree_skb, encrypted", .packets = place->packets };
	struct listing *listing = ctx;

	if (place->kind != DROP_ENCRYPTED)
		return;
	name_row(listing->trial, place, &row);
	ledger_claim_shared(listing->ledger, &row);
}

static void add_damaged(const struct trial *trial, uint64_t packets, const char *reason,
			struct ledger *ledger)
{
	struct ledger_row row = { .source = "receiver", .packets = packets };

	snprintf(row.reason, sizeof(row.reason), "%s", reason);
	snprintf(row.where, sizeof(row.where), "%s", path_receiver(trial->path)->known.where);
	claim_damaged(ledger, &row);
}

static void add_seen_again(struct trial *trial, const struct rx_count *count, uint64_t taken_back,
			   struct ledger *ledger)
{
	struct ledger_row row = { .source = "receiver", .reason = "duplicate" };
	struct drop_sum sum = { 0 };

	row.packets = count->duplicates;
	ledger_witness(ledger, &row);
	row = (struct ledger_row){ .source = "receiver", .reason = "too late to be classified",
				   .packets = count->unknown };
	ledger_witness(ledger, &row);
	if (trial->drops)
		drops_read(trial->drops, &sum);
	row = (struct ledger_row){ .source = "kfree_skb", .reason = "any packet, not inspected",
				   .packets = trial->drops ? drops_missed(trial->drops) : 0 };
	ledger_witness(ledger, &row);
	row = (struct ledger_row){ .source = "kfree_skb", .packets = sum.unplaced,
				   .reason = "no room in the table of drop locations" };
	ledger_claim(ledger, &row);
	row = (struct ledger_row){ .source = "kfree_skb", .packets = sum.again,
				   .reason = "received or counted before" };
	ledger_witness(ledger, &row);
	row = (struct ledger_row){ .source = "kfree_skb", .packets = taken_back,
				   .reason = "received or counted later" };
	ledger_witness(ledger, &row);
}

static void report_wait(struct trial *trial, uint64_t sent, struct result *res)
{
	char text[32];

	result_metric_u64(res, "loss_threshold_ns", trial->opts.wait_ns);
	if (!sent || trial->receiver->ops->packets(trial->receiver))
		return;
	result_note(res, "no packet arrived within %s after the last was sent: if the path delays "
		    "them for longer, set --wait",
		    unit_show_duration(text, sizeof(text), trial->opts.wait_ns));
}

int trial_report(struct trial *trial, const struct tx *tx, const struct tx_count *sent,
		 struct result *res, struct rx_figures *ret_figures, struct err *e)
{
	const struct rx_sent to_receiver = tx_sent_of(tx, sent);
	struct ledger ledger = { .made = sent->sent_packets + sent->refused_packets };
	struct listing listing = { .trial = trial, .ledger = &ledger };
	struct drop_sum drops = { 0 };
	struct rx_count count;
	struct err drops_error;
	int err;

	err = trial->receiver->ops->report(trial->receiver, res, &to_receiver, STREAM_PARTS,
					   ret_figures, e);
	/* The duration of the run, even if few of its packets arrived. */
	result_metric_u64(res, "duration_ns", sent->last_mono_ns - sent->first_mono_ns);
	report_wait(trial, sent->sent_packets, res);
	if (err || !trial->path)
		return err;
	trial->receiver->ops->read_all(trial->receiver, &to_receiver, &count);
	ledger.received = trial->target.tagged ? ledger.made - rx_lost(&count, ledger.made) :
						 count.packets - count.odd.damaged;
	ledger.exact = trial->drops && drops_has(trial->drops, DROP_SKB);
	if (trial->drops)
		drops_read(trial->drops, &drops);
	listing.again = drops.again;
	if (!trial->target.tagged && trial->receiver->ops->is_xdp)
		listing.own_verdicts = count.packets;
	if (trial->drops && drops_list(trial->drops, add_drops, &listing, &drops_error))
		result_note(res, "%s", drops_error.msg);
	add_known(trial, sent, &count, &ledger);
	add_seen_again(trial, &count, listing.taken_back, &ledger);
	path_report(trial->path, &ledger);
	if (trial->drops)
		drops_list(trial->drops, add_damaged_drops, &listing, &drops_error);
	add_damaged(trial, count.odd.damaged, "arrived with a wrong checksum", &ledger);
	add_damaged(trial, count.odd.bad_payload, "arrived with a wrong payload", &ledger);
	if (trial->target.tagged)
		add_damaged(trial, count.odd.untagged + count.implausible, "arrived with a damaged tag", &ledger);
	if (trial->drops)
		drops_list(trial->drops, add_encrypted_drops, &listing, &drops_error);
	ledger_report(&ledger, res);
	ledger_release(&ledger);
	return 0;
}
