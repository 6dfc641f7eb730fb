// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/account/trial.c - the receiving end of a sender's run, and the ledger of both.
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
#include "engine/receive/rx_socket.h"
#include "lib/log.h"
#include "lib/loop.h"
#include "model/ledger.h"
#include "model/mix.h"
#include "sys/hook/drops.h"
#include "sys/host/caps.h"
#include "sys/net/netns.h"

#define STREAM_PARTS	64		/* streams that are reported one by one */
#define QUIET_NS	(NSEC_PER_SEC / 2)	/* nothing new for so long: nothing is under way */
#define SETTLE_NS	(10 * NSEC_PER_SEC)
#define POLL_NS		10000000ull
#define UDP_BYTES	8

/* What tells a packet of this test. */
struct target {
	bool tagged;
	uint16_t first_stream, last_stream;
	uint16_t src_port, dst_port;
	uint32_t nr_src_ports, nr_dst_ports;	/* 0: not known */
	struct frame_addr dst;			/* family 0: not one address */
	enum stamp_clock clock;
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
	struct drops *drops;		/* NULL: nobody listens */
	struct path *path;		/* NULL: no ledger */
	uint64_t sent;
	/* of settling */
	uint64_t seen, seen_mono_ns;
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

static bool is_fixed(const struct packet *packet, uint32_t offset)
{
	uint32_t i;

	for (i = 0; i < packet->nr_fields; i++) {
		const struct field *field = &packet->fields[i];

		if (field->offset < offset + 2u && offset < field->offset + (uint32_t)field->bytes)
			return false;
	}
	return true;
}

static uint16_t port_at(const struct packet *packet, uint32_t offset)
{
	return (uint16_t)(packet->bytes[offset] << 8 | packet->bytes[offset + 1]);
}

/* One port, or none that all packets have. */
static void join_port(bool first, uint16_t port, bool fixed, uint16_t *port_of_all, uint32_t *nr)
{
	if (first && fixed) {
		*port_of_all = port;
		*nr = 1;
	} else if (!fixed || port != *port_of_all) {
		*nr = 0;
	}
}

static void join_packet(struct target *target, bool first, const struct packet *packet)
{
	uint32_t udp = packet->tag_offset - UDP_BYTES;

	if (!packet->tag_offset)
		return;
	join_port(first, port_at(packet, udp), is_fixed(packet, udp), &target->src_port,
		  &target->nr_src_ports);
	join_port(first, port_at(packet, udp + 2), is_fixed(packet, udp + 2), &target->dst_port,
		  &target->nr_dst_ports);
}

static void target_mix(struct target *target, const struct mix *mix)
{
	uint32_t i;

	target->tagged = mix->nr_flows;
	target->first_stream = UINT16_MAX;
	for (i = 0; i < mix->nr_flows; i++) {
		const struct mix_flow *flow = &mix->flows[i];

		target->tagged = target->tagged && flow->tagged;
		if (flow->stream < target->first_stream)
			target->first_stream = flow->stream;
		if (flow->stream > target->last_stream)
			target->last_stream = flow->stream;
		join_packet(target, !i, flow->packet);
	}
}

static struct target target_of(const struct tx_cfg *cfg)
{
	struct target target = {
		.tagged = cfg->frame.tagged,
		.first_stream = cfg->first_stream,
		.last_stream = (uint16_t)(cfg->first_stream + cfg->threads - 1),
		.clock = cfg->clock,
	};

	if (cfg->mix) {
		target_mix(&target, cfg->mix);
		return target;
	}
	if (cfg->packet) {
		join_packet(&target, true, cfg->packet);
		return target;
	}
	target.src_port = cfg->frame.src_port;
	target.nr_src_ports = cfg->vary.src_ports;
	target.dst_port = cfg->frame.dst_port;
	target.nr_dst_ports = cfg->vary.ports;
	if (cfg->vary.dests <= 1)
		target.dst = cfg->frame.dst;
	return target;
}

static void watch_drops(struct trial *trial, struct result *res)
{
	const struct target *target = &trial->target;
	struct drops_cfg cfg = {
		.src_port = target->src_port, .nr_src_ports = (uint16_t)target->nr_src_ports,
		.dst_port = target->dst_port, .nr_dst_ports = (uint16_t)target->nr_dst_ports,
		.first_stream = target->first_stream, .last_stream = target->last_stream,
		.tagged = target->tagged,
	};
	struct err e;

	if (!target->tagged && target->dst.family == AF_INET) {
		cfg.version = 4;
		memcpy(cfg.dst, &target->dst.ip4, sizeof(target->dst.ip4));
	} else if (!target->tagged && target->dst.family == AF_INET6) {
		cfg.version = 6;
		memcpy(cfg.dst, &target->dst.ip6, sizeof(target->dst.ip6));
	} else if (!target->tagged) {
		result_note(res, "nothing tells these packets from others that the kernel drops: the "
			    "ledger is made of counters");
		return;
	}
	if (!drops_open(&trial->drops, &cfg, &e))
		return;
	log_warn("%s: the ledger is made of counters", e.msg);
	result_note(res, "%s: the ledger is made of counters", e.msg);
}

static int open_socket(struct trial *trial, struct err *e)
{
	const struct rx_socket_cfg cfg = {
		.ifname = trial->ifname,
		.port = trial->target.dst_port,
		.streams = (uint16_t)(trial->target.last_stream + 1),
		.rcvbuf_bytes = trial->opts.rcvbuf_bytes,
	};

	if (trial->target.nr_dst_ports != 1)
		return err_usage(e, OPTION("sink-socket") " reads one port, and these packets go "
				"to several");
	return rx_socket_open(&trial->receiver, &cfg, trial->res, e);
}

static int open_xdp(struct trial *trial, struct err *e)
{
	const struct target *target = &trial->target;
	const struct rx_cfg cfg = {
		.ifname = trial->ifname,
		.match = target->nr_dst_ports != 1 ? SINK_MATCH_ALL :
			 trial->opts.reflected ? SINK_MATCH_SOURCE : SINK_MATCH_DEST,
		.port = target->dst_port,
		.check = target->tagged,
		.vary = target->tagged,
		.gaps = target->tagged && trial->opts.gaps,
		.clock = target->clock,
		.streams = (uint16_t)(target->last_stream + 1),
		.seen_fd = trial->drops ? drops_seen_fd(trial->drops) : 0,
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
	if (err)
		return err;
	err = netns_open(trial->netns, &trial->ns_fd);
	if (!err)
		return 0;
	err_usage(e, "there is no network namespace '%s' below " NETNS_DIR, trial->netns);
	return err_hint(e, "see: ethgauge lab status; ip netns list");
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
		err = find_place(trial, e);
	if (err)
		goto fail;
	if (!opts->no_ledger)
		watch_drops(trial, res);
	err = netns_run(open_receiver, trial, e);
	if (err)
		goto fail;
	if (!trial->target.tagged && trial->target.nr_dst_ports != 1)
		result_note(res, "nothing tells these packets from others: what arrives is counted as the "
			    "test's, whatever it is");
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

static void tell_sources(const struct trial *trial, struct result *res)
{
	char text[128];

	snprintf(text, sizeof(text), "%s%s%srtnl, ethtool, qdisc, softnet, snmp",
		 trial->drops && drops_has(trial->drops, DROP_SKB) ? "kfree_skb, " : "",
		 trial->drops && drops_has(trial->drops, DROP_XDP_EXCEPTION) ? "xdp_exception, " : "",
		 trial->drops && drops_has(trial->drops, DROP_XDP_REDIRECT) ? "xdp_redirect_err, " : "");
	result_env_str(res, "ledger_sources", text);
	if (!trial->drops || !drops_has(trial->drops, DROP_SKB))
		result_note(res, "nobody can listen to skb:kfree_skb here: the ledger's rows are counters, "
			    "which count other traffic too");
}

void trial_begin(struct trial *trial, struct result *res)
{
	struct err e;

	if (trial->opts.no_ledger)
		return;
	tell_sources(trial, res);
	if (path_open(&trial->path, trial->tx_ifname, trial->ifname, trial->ns_fd, &e))
		result_note(res, "%s: no ledger", e.msg);
}

unsigned int trial_keep_caps(const struct trial *trial)
{
	/* Reading maps needs the first before 5.19; counters of other namespaces the second. */
	return CAPS_BPF | (trial->path ? CAPS_SYS_ADMIN : 0);
}

static bool is_settled(struct trial *trial)
{
	uint64_t now_ns = loop_mono_ns(), seen;
	struct drop_sum drops = { 0 };
	struct rx_count count;

	trial->receiver->ops->read(trial->receiver, &count);
	if (trial->drops)
		drops_read(trial->drops, &drops);
	seen = count.packets + drops.skbs - drops.again;
	if (seen >= trial->sent)
		return true;
	if (seen != trial->seen || !trial->seen_mono_ns) {
		trial->seen = seen;
		trial->seen_mono_ns = now_ns;
	}
	return now_ns - trial->seen_mono_ns > QUIET_NS;
}

void trial_settle(struct trial *trial, const struct tx_count *sent)
{
	uint64_t end_ns = loop_mono_ns() + SETTLE_NS;

	trial->sent = sent->sent_packets;
	/* Not loop_run(), which ^C ends: a run that was cut short has packets under way, too. */
	while (!is_settled(trial) && loop_mono_ns() < end_ns)
		loop_sleep_until(loop_mono_ns() + POLL_NS);
	trial->receiver->ops->stop(trial->receiver);
}

bool trial_read_tail(struct trial *trial, uint16_t stream, uint64_t *ret_next, uint64_t *ret_last_lost)
{
	return trial->receiver->ops->read_tail(trial->receiver, stream, ret_next, ret_last_lost);
}

struct listing {
	struct trial *trial;
	struct ledger *ledger;
};

/* By name alone: to keep the program's verdicts on an skb from being counted twice. */
static bool is_xdp_verdict(const struct drop_place *place)
{
	return !strcmp(place->reason, "XDP") || strstr(place->symbol, "xdp");
}

/* Of any packet of that interface; the generator's own are told by the sender. */
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
		iface->known.told += place->packets;
	}
	snprintf(row->source, sizeof(row->source), "%s",
		 aborted ? "xdp_exception" : "xdp_redirect_err");
	ledger_witness(listing->ledger, row);
}

static void add_drops(void *ctx, const struct drop_place *place)
{
	struct listing *listing = ctx;
	struct path *path = listing->trial->path;
	struct path_iface *iface = path_find(path, place->netns, place->ifindex);
	struct ledger_row row = { .source = "kfree_skb", .packets = place->packets };

	snprintf(row.place, sizeof(row.place), "%s", place->symbol);
	snprintf(row.reason, sizeof(row.reason), "%s", place->reason);
	path_name(path, place->netns, place->ifindex, place->ifname, row.where, sizeof(row.where));
	if (place->kind != DROP_SKB) {
		add_xdp_failures(listing, place, iface, &row);
		return;
	}
	/* A tap's copy: the packet itself went on. */
	if (!strcmp(place->reason, "PACKET_SOCK_ERROR")) {
		ledger_witness(listing->ledger, &row);
		return;
	}
	ledger_claim(listing->ledger, &row);
	if (!iface)
		return;
	iface->known.told += place->packets;
	if (is_xdp_verdict(place))
		iface->known.skb_xdp_drops += place->packets;
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
	/* Drivers count those at both ends of a wire. */
	path_sender(trial->path)->known.told += sent->refused_packets;
	if (peer)
		peer->known.told += sent->refused_packets;
	if (trial->receiver->ops->is_xdp)
		path_receiver(trial->path)->known.own_verdicts = count->packets;
	if (!trial->target.tagged || trial->target.nr_dst_ports != 1)
		return;
	row = (struct ledger_row){
		.source = "receiver", .reason = "arrived with a damaged tag", .packets = count->untagged,
	};
	snprintf(row.where, sizeof(row.where), "%s", path_receiver(trial->path)->known.where);
	ledger_claim(ledger, &row);
}

static void add_seen_again(struct trial *trial, const struct rx_count *count,
			   struct ledger *ledger)
{
	struct ledger_row row = { .source = "receiver", .reason = "duplicate" };
	struct drop_sum sum = { 0 };

	row.packets = count->duplicates;
	ledger_witness(ledger, &row);
	row = (struct ledger_row){ .source = "receiver", .reason = "too late to be told from one",
				   .packets = count->unknown };
	ledger_witness(ledger, &row);
	if (trial->drops)
		drops_read(trial->drops, &sum);
	row = (struct ledger_row){ .source = "kfree_skb", .reason = "of any packet, not looked at",
				   .packets = trial->drops ? drops_missed(trial->drops) : 0 };
	ledger_witness(ledger, &row);
	row = (struct ledger_row){ .source = "kfree_skb", .packets = sum.unplaced,
				   .reason = "no room in the table of places" };
	ledger_claim(ledger, &row);
	row = (struct ledger_row){ .source = "kfree_skb", .packets = sum.again,
				   .reason = "received or counted before" };
	ledger_witness(ledger, &row);
}

void trial_report(struct trial *trial, const struct tx_count *sent, struct result *res)
{
	struct ledger ledger = { .made = sent->sent_packets + sent->refused_packets };
	struct listing listing = { trial, &ledger };
	struct rx_count count;
	struct err e;

	trial->receiver->ops->report(trial->receiver, res, sent->sent_packets, STREAM_PARTS);
	/* Of the run, also where little of it arrived. */
	result_metric_u64(res, "duration_ns", sent->last_mono_ns - sent->first_mono_ns);
	if (!trial->path)
		return;
	trial->receiver->ops->read(trial->receiver, &count);
	ledger.received = trial->target.tagged ? count.distinct : count.packets;
	ledger.exact = trial->drops && drops_has(trial->drops, DROP_SKB);
	if (trial->drops && drops_list(trial->drops, add_drops, &listing, &e))
		result_note(res, "%s", e.msg);
	add_known(trial, sent, &count, &ledger);
	add_seen_again(trial, &count, &ledger);
	path_report(trial->path, &ledger);
	ledger_report(&ledger, res);
	ledger_release(&ledger);
}
