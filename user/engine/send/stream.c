// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/send/stream.c - the stream that blast and probe send.
 */
#include "engine/send/stream.h"

#include <errno.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/self/pick_iface.h"
#include "lib/loop.h"
#include "lib/unit.h"
#include "model/mix.h"
#include "proto/flow_file.h"
#include "proto/packet_spec.h"
#include "sys/net/nic.h"
#include "sys/net/route.h"
#include "sys/socket/sock.h"

const struct opt stream_version_options[] = {
	{ '4', "ipv4", OPT_FLAG, offsetof(struct stream_opts, ip4), NULL, "IPv4 only" },
	{ '6', "ipv6", OPT_FLAG, offsetof(struct stream_opts, ip6), NULL, "IPv6 only" },
	OPT_END
};

const struct opt stream_options[] = {
	OPT_GROUP_AT(0, stream_version_options),
	{ 'e', "engine", OPT_CHOICE, offsetof(struct stream_opts, engine), "ENGINE",
	  "how packets get to the driver", .choices = tx_engine_names },
	{ 'c', "count", OPT_COUNT, offsetof(struct stream_opts, count), "N",
	  "packets to send; 0: until the duration is over" },
	{ 'd', "duration", OPT_DURATION, offsetof(struct stream_opts, duration_ns), "TIME",
	  "time to send; 0: until the count is reached, or ^C" },
	{ 'r', "rate", OPT_RATE, offsetof(struct stream_opts, rate), "RATE",
	  "1Mpps, 10Gbit, 50% of the link, or max" },
	{ 0, "rate-layer", OPT_CHOICE, offsetof(struct stream_opts, rate_layer), "LAYER",
	  "what a rate in bit/s counts", .choices = stream_layer_names },
	{ 'p', "port", OPT_U16, offsetof(struct stream_opts, port), "N",
	  "UDP destination port", .min = 1 },
	{ 0, "src-port", OPT_U16, offsetof(struct stream_opts, src_port), "N",
	  "UDP source port", .min = 1 },
	{ 0, "src-ip", OPT_STR, offsetof(struct stream_opts, src_ip), "ADDR",
	  "source address, instead of the one that the route gives" },
	{ 0, "src-mac", OPT_MAC, offsetof(struct stream_opts, src_mac), "MAC",
	  "source MAC, instead of the interface's" },
	{ 0, "dst-mac", OPT_MAC, offsetof(struct stream_opts, dst_mac), "MAC",
	  "destination MAC, instead of asking route and neighbour" },
	{ 0, "gateway", OPT_STR, offsetof(struct stream_opts, gateway), "ADDR",
	  "next hop, instead of the route's: ask for its MAC address" },
	{ 0, "vlan", OPT_U16, offsetof(struct stream_opts, vlan), "ID",
	  "802.1Q tag; 0: none", .max = 4094 },
	{ 0, "vlan-pcp", OPT_U16, offsetof(struct stream_opts, vlan_pcp), "N",
	  "priority in the 802.1Q tag", .max = 7 },
	{ 0, "dscp", OPT_U16, offsetof(struct stream_opts, dscp), "N",
	  "differentiated services code point", .max = 63 },
	{ 0, "ttl", OPT_U16, offsetof(struct stream_opts, ttl), "N",
	  "IPv4 time to live, IPv6 hop limit", .min = 1, .max = 255 },
	{ 0, "stream", OPT_U16, offsetof(struct stream_opts, first_stream), "N",
	  "number of the first thread's stream, in the tag" },
	{ 0, "run", OPT_U16, offsetof(struct stream_opts, run), "N",
	  "number in the tag that tells this run's packets from others'; 0: chosen at random",
	  .max = TAG_RUNS - 1 },
	{ 0, "clock", OPT_CHOICE, offsetof(struct stream_opts, clock), "CLOCK",
	  "timestamp clock; use tai for delays between hosts",
	  .choices = clock_names },
	{ 0, "queue", OPT_U32, offsetof(struct stream_opts, first_queue), "N",
	  "afxdp: transmit queue of the first thread", .max = 4095 },
	{ 0, "batch", OPT_U32, offsetof(struct stream_opts, batch), "N",
	  "frames handed to the driver at once; 0: chosen by the rate", .max = 256 },
	OPT_END
};

const char *const stream_layer_names[] = { "l1", "l2", "l3", "payload", NULL };
const char *const stream_payload_names[] = { "zero", "pattern", NULL };

/* Some drivers restart the link when an XDP program is attached. */
#define CARRIER_NS (3 * NSEC_PER_SEC)

static bool has_vlan(const struct stream_opts *opts)
{
	return opts->vlan != 0;
}

/* All but the addresses, which only the machine tells; those of the options are tried. */
static struct frame_spec frame_of(const struct stream_opts *opts)
{
	return (struct frame_spec){
		.has_vlan = has_vlan(opts),
		.vlan_id = opts->vlan,
		.vlan_pcp = (uint8_t)opts->vlan_pcp,
		.src_port = opts->src_port,
		.dst_port = opts->port,
		.dscp = (uint8_t)opts->dscp,
		.ttl = (uint8_t)opts->ttl,
		.frame_bytes = opts->frame_bytes,
		.tagged = !opts->no_tag,
		.patterned = opts->payload == STREAM_PAYLOAD_PATTERN,
		.stream = opts->first_stream,
	};
}

static int check_frame(struct stream_opts *opts, struct err *e)
{
	struct frame_spec frame = frame_of(opts);
	struct frame_addr gateway;
	uint8_t scratch[FRAME_MAX_BYTES];
	uint16_t tag_offset;

	if (!frame_parse_addr(opts->dest, &frame.dst))
		return err_usage(e, "DEST '%s' is no IPv4 or IPv6 address", opts->dest);
	frame.src.family = frame.dst.family;
	if (opts->src_ip && !frame_parse_addr(opts->src_ip, &frame.src))
		return err_usage(e, OPTION("src-ip") " '%s' is no IPv4 or IPv6 address",
				opts->src_ip);
	if (opts->gateway && !frame_parse_addr(opts->gateway, &gateway))
		return err_usage(e, OPTION("gateway") " '%s' is no IPv4 or IPv6 address", opts->gateway);
	if (frame.src.family != frame.dst.family)
		return err_usage(e, OPTION("src-ip") " '%s' and DEST '%s' are not of one family",
				 opts->src_ip, opts->dest);
	if (!opts->has_size && frame.frame_bytes < frame_min_bytes(&frame))
		opts->frame_bytes = frame.frame_bytes = frame_min_bytes(&frame);
	return frame_build(&frame, scratch, sizeof(scratch), &tag_offset, e);
}

/* Ports may not run over; addresses count through their low bits, and may. */
static int check_flows(const struct stream_opts *opts, struct err *e)
{
	if (opts->port + opts->ports - 1 > UINT16_MAX)
		return err_usage(e, OPTION("ports") " %u from port %u on go beyond 65535",
				opts->ports,
				 opts->port);
	if (opts->src_port + opts->src_ports - 1 > UINT16_MAX)
		return err_usage(e, OPTION("src-ports") " %u from port %u on go beyond 65535",
				 opts->src_ports, opts->src_port);
	return 0;
}

int stream_check_threads(const struct stream_opts *opts, struct err *e)
{
	if (opts->count && opts->count < opts->threads)
		return err_usage(e, "%u threads cannot share %llu packets", opts->threads,
				 (unsigned long long)opts->count);
	if (opts->first_stream + opts->threads > UINT16_MAX + 1u)
		return err_usage(e, OPTION("stream") " %u and %u threads go beyond stream 65535",
				 opts->first_stream, opts->threads);
	return 0;
}

/* DEST is neither an address, right or mistyped, nor a packet. */
static bool has_name(const struct stream_opts *opts)
{
	struct frame_addr addr;

	return opts->dest && !packet_spec_is_text(opts->dest) && !frame_parse_addr(opts->dest, &addr) &&
	       opts->dest[strspn(opts->dest, "0123456789.")];
}

/* A single argument is DEST, also where INTERFACE was meant. */
static int check_name(const struct stream_opts *opts, struct err *e)
{
	if (!opts->ifname && if_nametoindex(opts->dest))
		return err_usage(e, "DEST is missing: '%s' is an interface", opts->dest);
	return 0;
}

int stream_check(struct stream_opts *opts, struct err *e)
{
	int err;

	if (has_name(opts))
		return check_name(opts, e);
	err = check_frame(opts, e);
	if (!err)
		err = check_flows(opts, e);
	if (err)
		return err;
	if (opts->into_stack && opts->engine != TX_ENGINE_AFXDP && !opts->src_ip)
		return err_usage(e, OPTION("into-stack") " requires " OPTION("src-ip") ": an "
				"address of another host, as this one takes no packet from itself");
	return stream_check_threads(opts, e);
}

/* The address of DEST, and where INTERFACE was left out the one that leads there. */
static int find_dest(struct stream_opts *opts, struct stream_target *target, struct result *res,
		     struct err *e)
{
	char text[SOCK_TEXT_BYTES];
	struct sock_addr addr;
	int err;

	err = sock_resolve(opts->dest, 0, opts->ip4 ? AF_INET : opts->ip6 ? AF_INET6 : AF_UNSPEC, &addr, e);
	if (err)
		return opts->ifname || strpbrk(opts->dest, ".:") ? err :
			err_hint(e, "nor is there an interface '%s' here", opts->dest);
	if (!opts->ifname) {
		err = pick_iface_to(&addr, target->ifname, e);
		if (err)
			return err;
		opts->ifname = target->ifname;
		result_env_str(res, "interface", opts->ifname);
	}
	sock_text(&addr, text);
	/* The scope is in the interface. */
	snprintf(target->dest, sizeof(target->dest), "%.*s", (int)strcspn(text, "%"), text);
	opts->dest = target->dest;
	err = stream_check(opts, e);
	if (!err && !opts->has_size)
		result_config_u64(res, "frame-bytes", opts->frame_bytes);
	return err;
}

int stream_find_target(struct stream_opts *opts, struct stream_target *target, struct result *res,
		       struct err *e)
{
	bool is_host = opts->dest && !packet_spec_is_text(opts->dest);
	struct frame_addr addr;

	if (is_host && (has_name(opts) || opts->ip4 || opts->ip6 || !opts->ifname))
		return find_dest(opts, target, res, e);
	if (!opts->ifname)
		return err_usage(e, "INTERFACE is missing: it is found by the route to an address or a name "
				 "only");
	/* A single argument, where it is INTERFACE. */
	if (!opts->dest && frame_parse_addr(opts->ifname, &addr))
		return err_usage(e, "INTERFACE is missing: '%s' is an address", opts->ifname);
	return 0;
}

int stream_pps(const struct unit_rate *rate, enum frame_layer layer,
	       const struct frame_spec *frame, uint64_t link_bps, double *ret_pps, struct err *e)
{
	return flow_rate_pps(rate, frame_layer_bytes(frame, layer), link_bps, ret_pps, e);
}

/* The source is the route's, if there is one to @dst, which may be an address of this host. */
static int find_through(const struct stream_opts *opts, const struct frame_addr *dst, enum stream_known known,
			struct route_path *ret_path, struct err *e)
{
	struct route_path path;
	struct frame_addr via;
	struct err ignored;
	int err;

	frame_parse_addr(opts->gateway, &via);
	err = route_find(opts->ifname, via.family, &via.ip6, ret_path, e);
	if (err)
		return err;
	if (!route_find_source(opts->ifname, dst->family, &dst->ip6, &path, &ignored)) {
		ret_path->family = path.family;
		ret_path->src = path.src;
	} else if (dst->family != via.family && !(known & STREAM_KNOWN_SRC_IP)) {
		err_set(e, -ENETUNREACH, "no source address: there is no route to '%s' through '%s', and the gateway's "
			"address is of another IP version", opts->dest, opts->ifname);
		return err_hint(e, "give " OPTION("src-ip") " ADDRESS");
	}
	return 0;
}

int stream_find_ends(const struct stream_opts *opts, const struct nic_facts *nic,
		     const struct frame_addr *dst, enum stream_known known,
		     struct stream_ends *ret_ends, struct err *e)
{
	bool has_mac = opts->dst_mac.set || opts->into_stack || known & STREAM_KNOWN_DST_MAC;
	struct stream_ends ends = { .src = { 0 } };
	struct route_path path = { 0 };
	int err;

	memcpy(ends.src_mac, opts->src_mac.set ? opts->src_mac.addr : nic->mac, 6);
	if (opts->dst_mac.set)
		memcpy(ends.dst_mac, opts->dst_mac.addr, 6);
	else if (opts->into_stack)
		memcpy(ends.dst_mac, nic->mac, 6);	/* to this host: no neighbour is asked */
	if (dst->family && !(has_mac && known & STREAM_KNOWN_SRC_IP)) {
		err = opts->gateway ? find_through(opts, dst, known, &path, e) :
		      has_mac ? route_find_source(opts->ifname, dst->family, &dst->ip6, &path, e) :
				route_find(opts->ifname, dst->family, &dst->ip6, &path, e);
		if (err)
			return err;
		if (!has_mac)
			memcpy(ends.dst_mac, path.dst_mac, 6);
		ends.src.family = path.family;
		ends.src.ip6 = path.src.ip6;
	}
	*ret_ends = ends;
	return 0;
}

static int find_addresses(const struct stream_opts *opts, const struct nic_facts *nic,
			  struct frame_spec *frame, struct err *e)
{
	struct stream_ends ends;
	int err;

	frame_parse_addr(opts->dest, &frame->dst);
	err = stream_find_ends(opts, nic, &frame->dst, opts->src_ip ? STREAM_KNOWN_SRC_IP : 0, &ends,
			       e);
	if (err)
		return err;
	memcpy(frame->src_mac, ends.src_mac, 6);
	memcpy(frame->dst_mac, ends.dst_mac, 6);
	frame->src = ends.src;
	if (opts->src_ip)
		frame_parse_addr(opts->src_ip, &frame->src);
	return 0;
}

int stream_wait_link(const struct stream_opts *opts, struct nic_facts *nic, struct err *e)
{
	uint64_t give_up_ns = loop_mono_ns() + CARRIER_NS;

	if (nic_read(opts->ifname, nic))
		return nic_unknown(opts->ifname, e);
	if (nic_check_ethernet(opts->ifname, nic, e))
		return e->no;
	if (!nic->up) {
		err_set(e, -ENETDOWN, "cannot send through '%s'", opts->ifname);
		return err_hint(e, "ip link set dev %s up", opts->ifname);
	}
	while (!nic->running && loop_mono_ns() < give_up_ns && !loop_signal()) {
		loop_sleep_until(loop_mono_ns() + 20000000);
		if (nic_read(opts->ifname, nic))
			return nic_vanished(opts->ifname, nic->ifindex, e);
	}
	if (!nic->running) {
		err_set(e, -ENETDOWN, "'%s' has no carrier", opts->ifname);
		return err_hint(e, "connect it, or set its other end up; see: ip link show %s",
				opts->ifname);
	}
	return 0;
}

int stream_check_mtu(const char *ifname, uint32_t mtu, uint32_t frame_bytes, uint32_t l3_bytes,
		     struct err *e)
{
	if (l3_bytes <= mtu)
		return 0;
	err_usage(e, "a frame of %u bytes is more than '%s' carries: its MTU is %u", frame_bytes,
		  ifname, mtu);
	return err_hint(e, "ip link set dev %s mtu %u, at both ends", ifname, l3_bytes);
}

struct tx_cfg stream_cfg(const struct stream_opts *opts)
{
	return (struct tx_cfg){
		.engine = (enum tx_engine)opts->engine,
		.ifname = opts->ifname,
		.threads = opts->threads,
		.first_queue = opts->first_queue,
		.duration_ns = opts->duration_ns,
		.batch = opts->batch,
		.clock = (enum stamp_clock)opts->clock, .run = opts->run,
		.done = (enum tx_done)opts->tx_stamp,
		.zero_copy_only = opts->zero_copy || opts->tx_stamp == TX_DONE_HW,
		.busy_poll = opts->busy_poll,
		.into_stack = opts->into_stack,
	};
}

int stream_resolve(const struct stream_opts *opts, struct nic_facts *ret_nic,
		   struct stream_plan *ret_plan, struct err *e)
{
	struct stream_plan plan = {
		.tx = stream_cfg(opts),
		.frame = frame_of(opts),
		.vary = {
			.ports = opts->ports, .src_ports = opts->src_ports,
			.dests = opts->dests, .sources = opts->sources,
			.random = opts->random, .seed = opts->seed,
		},
		.count = opts->count,
		.stamp_every = opts->stamp_every,
	};
	int err;

	err = stream_wait_link(opts, ret_nic, e);
	if (!err)
		err = stream_check_mtu(opts->ifname, ret_nic->mtu, plan.frame.frame_bytes,
				       frame_layer_bytes(&plan.frame, FRAME_L3), e);
	if (!err)
		err = find_addresses(opts, ret_nic, &plan.frame, e);
	if (!err)
		*ret_plan = plan;
	return err;
}

int stream_prepare(const struct stream_opts *opts, struct stream_plan *ret_plan, struct err *e)
{
	struct nic_facts nic;
	int err = stream_resolve(opts, &nic, ret_plan, e);

	return err ? err : stream_pps(&opts->rate, (enum frame_layer)opts->rate_layer,
				      &ret_plan->frame, nic.speed_bps, &ret_plan->pps, e);
}

int stream_packet_of(const struct stream_plan *plan, uint32_t i, struct packet *ret_packet,
		     struct err *e)
{
	struct frame_spec frame = plan->frame;

	frame.stream = (uint16_t)(frame.stream + i);
	return frame_vary_build(&frame, &plan->vary, NULL, ret_packet, e);
}

static int fill_part(const struct stream_plan *plan, uint32_t i, struct mix_flow *flow,
		     struct err *e)
{
	uint32_t threads = plan->tx.threads;

	*flow = (struct mix_flow){
		.name = "stream",
		.packet = calloc(1, sizeof(*flow->packet)),
		.pace = flow_pace_even(plan->pps / threads),
		.offered_pps = plan->pps / threads,
		.limit = plan->count,
		.stamp_every = plan->stamp_every,
		.stream = (uint16_t)(plan->frame.stream + i),
		.tagged = plan->frame.tagged,
	};
	mix_share(flow, i, threads);
	if (!flow->packet)
		return err_set(e, -ENOMEM, "cannot build the stream");
	return stream_packet_of(plan, i, flow->packet, e);
}

int stream_mix(const struct stream_plan *plan, struct mix **ret_mix, struct err *e)
{
	uint32_t threads = plan->tx.threads, i;
	struct mix *mix;
	int err = 0;

	if (plan->count && plan->count < threads)
		return err_usage(e, "%u threads cannot share %llu packets", threads,
				 (unsigned long long)plan->count);
	mix = mix_new(threads, e);
	if (!mix)
		return e->no;
	mix->shared = true;
	for (i = 0; i < threads && !err; i++)
		err = fill_part(plan, i, &mix->flows[i], e);
	if (err)
		mix_free(mix);
	else
		*ret_mix = mix;
	return err;
}

static void describe_end(const char *key_ip, const struct frame_addr *addr, const char *key_mac,
			 const uint8_t mac[6], struct result *res)
{
	char text[64];

	/* A described packet may have none, or have it in its description. */
	if (addr->family)
		result_env_str(res, key_ip, frame_show_addr(text, sizeof(text), addr));
	snprintf(text, sizeof(text), "%02x:%02x:%02x:%02x:%02x:%02x", mac[0], mac[1], mac[2],
		 mac[3], mac[4], mac[5]);
	result_env_str(res, key_mac, text);
}

void stream_describe(const struct frame_spec *frame, struct result *res)
{
	describe_end("src_ip", &frame->src, "src_mac", frame->src_mac, res);
	describe_end("dst_ip", &frame->dst, "dst_mac", frame->dst_mac, res);
}
