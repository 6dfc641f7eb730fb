// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/send/stream_packet.c - from a packet's description to what the engines send.
 */
#include "engine/send/stream_packet.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/unit.h"
#include "proto/packet_spec.h"
#include "sys/net/nic.h"

/* Options of frames that blast lays out itself, and what says it of a described one. */
static const struct {
	const char *option, *instead;
} strange[] = {
	{ "port", "udp(dport=9)" },
	{ "src-port", "udp(sport=49152)" },
	{ "ports", "udp(dport=5000-5999)" },
	{ "src-ports", "udp(sport=5000-5999)" },
	{ "dests", "ip4(dst=198.18.1.0/24)" },
	{ "src-ips", "ip4(src=198.18.2.0/24)" },
	{ "src-ip", "ip4(src=198.18.0.1)" },
	{ "vlan-pcp", "vlan(7, pcp=3)" },
	{ "vlan", "vlan(7) behind eth" },
	{ "random", "random(), as in udp(dport=random(5000-5999))" },
};

static bool is_vlan(const char *layer)
{
	return layer && (!strcmp(layer, "vlan") || !strcmp(layer, "dot1ad"));
}

static bool is_ip(const char *layer)
{
	return layer && (!strcmp(layer, "ip4") || !strcmp(layer, "ip6"));
}

static bool has_ip(const struct packet_spec *spec)
{
	uint32_t i;

	for (i = 0; packet_spec_layer(spec, i); i++) {
		if (is_ip(packet_spec_layer(spec, i)))
			return true;
	}
	return false;
}

static bool ends_with(const struct packet_spec *spec, const char *layer)
{
	return !strcmp(packet_spec_layer(spec, spec->nr_layers - 1), layer);
}

/* Behind Ethernet, and one VLAN tag, which the MTU does not count. */
static bool is_ip_on_top(const struct packet_spec *spec)
{
	return is_ip(packet_spec_layer(spec, is_vlan(packet_spec_layer(spec, 1)) ? 2 : 1));
}

/* To all or to many: no neighbour has that MAC address. */
static bool is_group(const struct frame_addr *addr)
{
	if (addr->family == AF_INET)
		return IN_MULTICAST(ntohl(addr->ip4.s_addr)) ||
		       addr->ip4.s_addr == htonl(INADDR_BROADCAST);
	return addr->family == AF_INET6 && IN6_IS_ADDR_MULTICAST(&addr->ip6);
}

static int check_options(const struct opt_given *given, struct err *e)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(strange); i++) {
		if (!opt_was_given(given, strange[i].option))
			continue;
		return err_usage(e, "DEST describes the packet, so " OPTION("%s") " is said there: %s",
				 strange[i].option, strange[i].instead);
	}
	return 0;
}

static int check_rate_layer(const struct stream_opts *opts, const struct packet_spec *spec,
			    struct err *e)
{
	if (opts->rate.kind == UNIT_RATE_MAX || opts->rate.kind == UNIT_RATE_PPS)
		return 0;
	if (opts->rate_layer == FRAME_PAYLOAD)
		return err_usage(e, OPTION("rate-layer") " payload: what is payload of a described packet "
				 "is not known; say l1 or l2");
	if (opts->rate_layer == FRAME_L3 && !is_ip_on_top(spec))
		return err_usage(e, OPTION("rate-layer") " l3 requires a packet with IP right "
				"behind Ethernet; "
				 "say l1 or l2");
	return 0;
}

/* Where it goes and whence it comes must be said, or be for the kernel to say. */
static int check_addresses(const struct stream_opts *opts, const struct packet_spec *spec,
			   struct err *e)
{
	struct frame_addr dest;

	if (has_ip(spec)) {
		if (!packet_spec_dest(spec, &dest))
			return err_usage(e, "the packet does not say where it goes: give the outer "
					 "IP layer its dst, as in ip4(dst=198.18.0.2)");
		if (opts->into_stack && !packet_spec_has_src_ip(spec))
			return err_usage(e, OPTION("into-stack") " requires the packet's source, "
					"as in ip4(src=198.18.0.1): an address of another host, as this "
					 "one takes no packet from itself");
		return 0;
	}
	if (packet_spec_has_dst_mac(spec) || opts->dst_mac.set || opts->into_stack ||
	    ends_with(spec, "arp"))
		return 0;
	return err_usage(e, "the packet does not say where it goes: without an IP layer it needs "
			 "eth(dst=02:00:00:00:00:01) or " OPTION("dst-mac"));
}

/* All that is known without asking the machine. */
static void fill_env(const struct stream_opts *opts, const struct packet_spec *spec,
		     struct packet_env *env)
{
	*env = (struct packet_env){
		.src_port = opts->src_port,
		.dst_port = opts->port,
		.ttl = (uint8_t)opts->ttl,
		.dscp = (uint8_t)opts->dscp,
		.seed = opts->seed,
		.tagged = !opts->no_tag,
		.patterned = opts->payload == STREAM_PAYLOAD_PATTERN,
		.stream = opts->first_stream,
	};
	packet_spec_dest(spec, &env->dst);
	if (ends_with(spec, "arp"))
		memset(env->dst_mac, 0xff, 6);
}

static int build(const struct stream_opts *opts, const struct packet_spec *spec,
		 const struct packet_env *env, struct packet **ret_packet, struct err *e)
{
	struct packet *packet = calloc(1, sizeof(*packet));
	struct packet_size *size = NULL;
	int err = 0;

	if (packet && opts->has_size) {
		size = calloc(1, sizeof(*size));
		if (size)
			packet_size_fixed(size, opts->frame_bytes);
	}
	if (!packet || (opts->has_size && !size))
		err = err_set(e, -ENOMEM, "cannot hold a packet");
	if (!err)
		err = packet_spec_build(spec, env, size, packet, e);
	if (!err)
		*ret_packet = packet;
	else
		free(packet);
	free(size);
	return err;
}

/* Builds it once with addresses that are not known yet, which change no length. */
static int check_build(struct stream_opts *opts, const struct packet_spec *spec,
		       const struct opt_given *given, struct err *e)
{
	struct packet *packet;
	struct packet_env env;
	int err;

	fill_env(opts, spec, &env);
	env.src.family = env.dst.family;
	err = build(opts, spec, &env, &packet, e);
	if (err)
		return err;
	opts->frame_bytes = packet->buf_bytes + UNIT_FCS_BYTES;
	if (!packet->tag_offset && !opts->no_tag &&
	    (opt_was_given(given, "stream") || opt_was_given(given, "stamp-every")))
		err = err_usage(e, OPTION("stream") " and " OPTION("stamp-every") " write into "
				"the probe tag, for which "
				"this packet has no place, or no room in frames of %u bytes",
				opts->frame_bytes);
	free(packet);
	return err;
}

int stream_packet_check(struct stream_opts *opts, const struct opt_given *given,
			struct err *e)
{
	struct packet_spec *spec;
	int err;

	err = check_options(given, e);
	if (!err)
		err = packet_spec_parse(opts->dest, &spec, e);
	if (err)
		return err;
	err = check_addresses(opts, spec, e);
	if (!err)
		err = check_rate_layer(opts, spec, e);
	if (!err)
		err = check_build(opts, spec, given, e);
	if (!err)
		err = stream_check_threads(opts, e);
	packet_spec_free(spec);
	return err;
}

/* The route's own hint, and that the packet may say it all. */
static int hint_addresses(struct err *e)
{
	const struct err found = *e;

	return err_hint(e, "%.300s%sor say it in the packet: eth(dst=02:00:00:00:00:01) and the "
			"source of its outer IP layer", found.hint, found.hint[0] ? "; " : "");
}

/* Asks for the next hop's MAC address and for the source that belongs to it, if not given. */
static int find_addresses(const struct stream_opts *opts, const struct packet_spec *spec,
			  const struct nic_facts *nic, struct packet_env *env, struct err *e)
{
	enum stream_known known = 0;
	struct stream_ends ends;

	if (packet_spec_has_dst_mac(spec) || is_group(&env->dst))
		known |= STREAM_KNOWN_DST_MAC;
	if (packet_spec_has_src_ip(spec))
		known |= STREAM_KNOWN_SRC_IP;
	if (stream_find_ends(opts, nic, &env->dst, known, &ends, e))
		return hint_addresses(e);
	memcpy(env->src_mac, ends.src_mac, 6);
	/* Else it is the packet's own, or to all. */
	if (opts->dst_mac.set || opts->into_stack || (env->dst.family && !(known & STREAM_KNOWN_DST_MAC)))
		memcpy(env->dst_mac, ends.dst_mac, 6);
	if (!packet_spec_has_src_ip(spec))
		env->src = ends.src;
	return 0;
}

int stream_packet_env(const struct stream_opts *opts, const struct nic_facts *nic,
		      const struct packet_spec *spec, struct packet_env *ret_env, struct err *e)
{
	struct packet_env env;
	int err = 0;

	fill_env(opts, spec, &env);
	if (!env.dst.family && opts->dest && !packet_spec_is_text(opts->dest))
		frame_parse_addr(opts->dest, &env.dst);
	if (has_ip(spec) && !env.dst.family)
		return err_usage(e, "the packet does not say where it goes: give DEST, or the outer IP "
				 "layer its dst, as in ip4(dst=198.18.0.2)");
	if (!has_ip(spec))
		err = check_addresses(opts, spec, e);
	if (!err)
		err = find_addresses(opts, spec, nic, &env, e);
	if (!err)
		*ret_env = env;
	return err;
}
