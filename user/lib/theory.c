// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lib/theory.c - theoretical limits of an Ethernet link.
 */
#include "lib/theory.h"

#include <errno.h>
#include <math.h>

#include "lib/unit.h"

#define ETHER_BYTES	14
#define VLAN_BYTES	4
#define UDP_BYTES	8
#define TCP_BYTES	20
#define FRAGMENT_BYTES	8	/* IPv6's extension header */
#define MAX_WINDOW	65535
#define MAX_SCALE	14	/* RFC 7323 2.3 */

const char *const theory_duplexes[] = { "full", "half", NULL };

static uint32_t ip_bytes(bool ip6)
{
	return ip6 ? 40 : 20;
}

uint32_t theory_wire_bytes(const struct theory_path *path, uint32_t packet_bytes)
{
	uint32_t frame_bytes = ETHER_BYTES + packet_bytes + UNIT_FCS_BYTES;

	if (frame_bytes < UNIT_MIN_FRAME_BYTES)
		frame_bytes = UNIT_MIN_FRAME_BYTES;
	return frame_bytes + path->vlan_tags * VLAN_BYTES + UNIT_GAP_BYTES;
}

double theory_frame_pps(double link_bps, uint32_t frame_bytes)
{
	return link_bps / (8.0 * (frame_bytes + UNIT_GAP_BYTES));
}

uint32_t theory_tunnel_bytes(const struct theory_path *path)
{
	/* Bytes after the outer IP header. */
	static const uint32_t bytes[THEORY_NR_TUNNELS] = {
		[THEORY_GRE] = 4, [THEORY_GRETAP] = 4 + ETHER_BYTES,
		[THEORY_VXLAN] = UDP_BYTES + 8 + ETHER_BYTES,
		[THEORY_GENEVE] = UDP_BYTES + 8 + ETHER_BYTES,
		[THEORY_WIREGUARD] = UDP_BYTES + 16 + 16,	/* header, authenticator */
	};

	if (path->tunnel == THEORY_NO_TUNNEL)
		return 0;
	return ip_bytes(path->outer_ip6) + bytes[path->tunnel];
}

/* Largest packet inside the tunnel; 0: the link's MTU is too small for IP or for the tunnel. */
static uint32_t inner_mtu(const struct theory_path *path, bool ip6)
{
	uint32_t tunnel_bytes = theory_tunnel_bytes(path);

	if (tunnel_bytes && path->outer_ip6 && path->mtu < THEORY_IP6_MIN_MTU)
		return 0;
	if (path->mtu < tunnel_bytes + (ip6 ? THEORY_IP6_MIN_MTU : THEORY_IP4_MIN_MTU))
		return 0;
	return path->mtu - tunnel_bytes;
}

static uint32_t header_bytes(const struct theory_stack *stack)
{
	return ip_bytes(stack->ip6) + (stack->tcp ? TCP_BYTES + stack->options_bytes : UDP_BYTES);
}

uint32_t theory_payload_bytes(const struct theory_path *path, const struct theory_stack *stack)
{
	uint32_t mtu = inner_mtu(path, stack->ip6), headers = header_bytes(stack);

	return mtu > headers ? mtu - headers : 0;
}

/* The wire bytes of an IP packet, in the tunnel if there is one. */
static uint32_t carried(const struct theory_path *path, uint32_t packet_bytes)
{
	uint32_t mtu = path->mtu - theory_tunnel_bytes(path);

	/* WireGuard pads to 16 bytes, but not beyond its MTU. */
	if (path->tunnel == THEORY_WIREGUARD) {
		packet_bytes = (packet_bytes + 15) / 16 * 16;
		packet_bytes = packet_bytes < mtu ? packet_bytes : mtu;
	}
	return theory_wire_bytes(path, packet_bytes + theory_tunnel_bytes(path));
}

/* Payload / wire bytes of a full packet and @acks acknowledgements; 0: the MTU is too small. */
static double payload_ratio(const struct theory_path *path, const struct theory_stack *stack, double acks)
{
	uint32_t payload = theory_payload_bytes(path, stack), headers = header_bytes(stack);

	return payload ? payload / (carried(path, payload + headers) + acks * carried(path, headers)) : 0;
}

double theory_goodput_ratio(const struct theory_path *path, const struct theory_stack *stack)
{
	return payload_ratio(path, stack, path->half_duplex && stack->tcp ? 0.5 : 0);
}

double theory_both_ways_ratio(const struct theory_path *path, const struct theory_stack *stack)
{
	return payload_ratio(path, stack, 0) * (path->half_duplex ? 1 : 2);
}

/* Adds @nr frames of @packet_bytes each, if any. */
static void add(struct theory_transaction *t, const struct theory_path *path, const char *what,
		bool back, uint32_t nr, uint32_t payload_bytes, uint32_t packet_bytes)
{
	uint32_t wire_bytes = carried(path, packet_bytes);

	if (!nr)
		return;
	t->frames[t->nr++] = (struct theory_frame){
		.what = what, .back = back, .nr = nr, .payload_bytes = payload_bytes,
		.wire_bytes = wire_bytes,
	};
	*(back ? &t->back_wire_bytes : &t->forth_wire_bytes) += (uint64_t)nr * wire_bytes;
}

/* A datagram that does not fit is fragmented, in multiples of 8 bytes except the last. */
static int add_datagram(struct theory_transaction *t, const struct theory_path *path,
			const struct theory_stack *stack, const char *what, bool back,
			uint32_t bytes)
{
	uint32_t ip = ip_bytes(stack->ip6), mtu = inner_mtu(path, stack->ip6), part, nr;

	if (!mtu || bytes + UDP_BYTES + (stack->ip6 ? 0 : ip) > UINT16_MAX)
		return -EMSGSIZE;
	if (bytes + UDP_BYTES + ip <= mtu) {
		add(t, path, what, back, 1, bytes, bytes + UDP_BYTES + ip);
		return 0;
	}
	if (stack->ip6)
		ip += FRAGMENT_BYTES;
	part = (mtu - ip) / 8 * 8;
	bytes += UDP_BYTES;
	/* The last fragment has the rest, which may fill the MTU. */
	nr = (bytes - (mtu - ip) + part - 1) / part;
	add(t, path, what, back, nr, part, part + ip);
	add(t, path, what, back, 1, bytes - nr * part, bytes - nr * part + ip);
	return 0;
}

/*
 * A message in segments. Every second one is acknowledged (RFC 5681 4.2), the last one by the
 * answer.
 */
static int add_segments(struct theory_transaction *t, const struct theory_path *path,
			const struct theory_stack *stack, const char *what, bool back,
			uint32_t bytes)
{
	uint32_t mss = theory_payload_bytes(path, stack), headers = header_bytes(stack), nr, last;

	if (!mss)
		return -EMSGSIZE;
	nr = (bytes - 1) / mss;
	last = bytes - nr * mss;
	add(t, path, what, back, nr, mss, headers + mss);
	add(t, path, what, back, 1, last, headers + last);
	add(t, path, "ACK", !back, nr / 2, 0, headers);
	return 0;
}

/* MSS, SACK permitted and window scale; also timestamps if segments have them. */
static uint32_t syn_bytes(const struct theory_stack *stack)
{
	uint32_t options = stack->options_bytes >= THEORY_TIMESTAMPS_BYTES ? 20 : 12;

	return ip_bytes(stack->ip6) + TCP_BYTES + options;
}

int theory_transact(const struct theory_path *path, const struct theory_stack *stack,
		    enum theory_transaction_kind kind, uint32_t request_bytes,
		    uint32_t response_bytes, struct theory_transaction *ret_transaction)
{
	struct theory_stack with = *stack;
	struct theory_transaction t = { 0 };
	uint64_t most;
	int err;

	with.tcp = kind != THEORY_UDP_RR;
	if (kind == THEORY_TCP_CRR) {
		if (!theory_payload_bytes(path, &with))
			return -EMSGSIZE;
		add(&t, path, "SYN", false, 1, 0, syn_bytes(&with));
		add(&t, path, "SYN ACK", true, 1, 0, syn_bytes(&with));
		add(&t, path, "ACK", false, 1, 0, header_bytes(&with));
	}
	err = (with.tcp ? add_segments : add_datagram)(&t, path, &with, "request", false,
						       request_bytes);
	if (!err)
		err = (with.tcp ? add_segments : add_datagram)(&t, path, &with, "response", true,
							       response_bytes);
	if (err)
		return err;
	if (kind == THEORY_TCP_CRR) {
		add(&t, path, "FIN ACK", true, 1, 0, header_bytes(&with));
		add(&t, path, "FIN ACK", false, 1, 0, header_bytes(&with));
		add(&t, path, "ACK", true, 1, 0, header_bytes(&with));
	}
	most = t.forth_wire_bytes > t.back_wire_bytes ? t.forth_wire_bytes : t.back_wire_bytes;
	if (path->half_duplex)
		most = t.forth_wire_bytes + t.back_wire_bytes;
	t.per_s = path->link_bps / (8.0 * (double)most);
	*ret_transaction = t;
	return 0;
}

double theory_bdp_bytes(double bps, double rtt_ns)
{
	return bps * (rtt_ns / 1e9) / 8;
}

double theory_window_bps(double goodput_bps, double window_bytes, double rtt_ns)
{
	double bps = rtt_ns > 0 ? window_bytes * 8 / (rtt_ns / 1e9) : goodput_bps;

	return bps < goodput_bps ? bps : goodput_bps;
}

double theory_tcp_efficiency(uint64_t sent_bytes, uint64_t retransmitted_bytes)
{
	return sent_bytes ? ((double)sent_bytes - (double)retransmitted_bytes) / (double)sent_bytes : NAN;
}

double theory_buffer_delay(double loaded_ns, double idle_ns)
{
	return idle_ns > 0 ? (loaded_ns - idle_ns) / idle_ns : NAN;
}

unsigned int theory_window_scale(double window_bytes)
{
	unsigned int scale = 0;

	while (scale < MAX_SCALE && (double)((uint64_t)MAX_WINDOW << scale) < window_bytes)
		scale++;
	return scale;
}
