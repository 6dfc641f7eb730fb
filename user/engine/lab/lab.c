// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/lab/lab.c - build a private test link.
 *
 * A lab is silent: its links carry only what a test sends. So addresses are not autoconfigured, no
 * duplicate address detection or router solicitation is sent, all neighbours are static, and
 * lab_build() waits for the end of the MLD reports that the kernel sends when an IPv6 address joins
 * its multicast group.
 */
#include "engine/lab/lab.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/lab/lab_parts.h"
#include "lib/log.h"
#include "lib/loop.h"
#include "sys/hook/pass.h"
#include "sys/host/sysfs.h"
#include "sys/net/netns.h"
#include "sys/net/nic.h"

#define MIN_IP6_MTU	1280u			/* RFC 8200 section 5 */
#define POLL_NS		5000000ull
#define CARRIER_NS	(3 * NSEC_PER_SEC)
#define SETTLE_NS	(2 * NSEC_PER_SEC)
/* MLD reports of a port with IPv6: net.ipv6.mld_qrv, 2 by default. */
#define NR_REPORTS	2
/*
 * Reports are at most 3 ticks of the kernel apart, 30 ms at 100 Hz. The kernel's worker that sends
 * them may wait for a CPU: while some are due, the silence must be longer.
 */
#define QUIET_NS	60000000ull
#define QUIET_DUE_NS	1000000000ull

enum port_id { PORT_A, PORT_B, PORT_RA, PORT_RB, NR_PORTS };

static const struct port {
	enum lab_node node;
	const char *ifname;
	uint8_t mac[6];
} ports[NR_PORTS] = {
	[PORT_A] = { LAB_A, LAB_IFNAME, { 0x02, 0xe9, 0, 0, 0, 0x0a } },
	[PORT_B] = { LAB_B, LAB_IFNAME, { 0x02, 0xe9, 0, 0, 0, 0x0b } },
	[PORT_RA] = { LAB_R, LAB_PORT_TO_A, { 0x02, 0xe9, 0, 0, 1, 0x0a } },
	[PORT_RB] = { LAB_R, LAB_PORT_TO_B, { 0x02, 0xe9, 0, 0, 1, 0x0b } },
};

static const uint8_t bridge_mac[6] = { 0x02, 0xe9, 0, 0, 1, 0 };

/* Test prefixes of RFC 2544 C.2.2 and RFC 5180 8: 198.18.0.0/15, 2001:2::/48. */
static const struct address {
	const char *ip4, *ip6;
} flat[NR_PORTS] = {
	[PORT_A] = { LAB_A_IP4, LAB_A_IP6 },
	[PORT_B] = { "198.18.0.2", "2001:2::2" },
}, routed[NR_PORTS] = {
	[PORT_A] = { LAB_A_IP4, LAB_A_IP6 },
	[PORT_B] = { "198.19.0.1", "2001:2:0:1::1" },
	[PORT_RA] = { "198.18.0.254", "2001:2::fe" },
	[PORT_RB] = { "198.19.0.254", "2001:2:0:1::fe" },
};

static const enum port_id direct_peer[NR_PORTS] = { [PORT_A] = PORT_B, [PORT_B] = PORT_A };
static const enum port_id routed_peer[NR_PORTS] = {
	[PORT_A] = PORT_RA, [PORT_RA] = PORT_A, [PORT_B] = PORT_RB, [PORT_RB] = PORT_B,
};

struct setting {
	const char *path, *value;
};

/* Written before the node has an interface, which inherits them when created. */
static const struct setting quiet[] = {
	/* Test streams have arbitrary source addresses. */
	{ "/proc/sys/net/ipv4/conf/all/rp_filter", "0" },
	{ "/proc/sys/net/ipv4/conf/default/rp_filter", "0" },
	{ "/proc/sys/net/ipv6/conf/all/disable_ipv6", "0" },
	{ "/proc/sys/net/ipv6/conf/default/disable_ipv6", "0" },
	{ "/proc/sys/net/ipv6/conf/default/addr_gen_mode", "1" },	/* no link-local address */
	{ "/proc/sys/net/ipv6/conf/default/accept_ra", "0" },
	{ "/proc/sys/net/ipv6/conf/default/autoconf", "0" },
	{ "/proc/sys/net/ipv6/conf/default/router_solicitations", "0" },
	{ "/proc/sys/net/ipv6/conf/default/accept_dad", "0" },
	{ "/proc/sys/net/ipv6/conf/default/dad_transmits", "0" },
	{ "/proc/sys/net/ipv6/conf/default/keep_addr_on_down", "1" },
	/* The second report of a multicast group is sent immediately, not within a second. */
	{ "/proc/sys/net/ipv6/conf/default/mldv1_unsolicited_report_interval", "1" },
	{ "/proc/sys/net/ipv6/conf/default/mldv2_unsolicited_report_interval", "1" },
	{ NULL, NULL }
}, forwarding[] = {
	{ "/proc/sys/net/ipv4/ip_forward", "1" },
	{ "/proc/sys/net/ipv6/conf/all/forwarding", "1" },
	/* "all" enables forwarding; per interface it only joins the routers' groups. */
	{ "/proc/sys/net/ipv6/conf/default/forwarding", "0" },
	{ NULL, NULL }
}, bridging[] = {
	{ "/proc/sys/net/ipv6/conf/default/disable_ipv6", "1" },
	{ NULL, NULL }
};

/*
 * What a socket sends must reach XDP as if it came from a wire: checksum filled in, VLAN tag in the
 * data, no packet larger than the MTU (without checksum offload nothing is segmented after the
 * driver).
 */
static const char *const features_off[] = {
	"tx-checksum-ip-generic", "tx-checksum-sctp", "tx-vlan-hw-insert",
	"tx-vlan-stag-hw-insert", NULL,
};

/*
 * GRO makes veth use NAPI, and then frames redirected to it by XDP arrive although no program is
 * attached there (Linux 5.13); for XDP_TX see sys/hook/pass.h.
 */
static const char *const features_on[] = { "rx-gro", NULL };
static const char *const no_features[] = { NULL };

struct build {
	struct lab *lab;
	struct lab_cfg cfg;
	struct link_net *net[LAB_NR_NODES];
	bool ip6;
	uint64_t packets;		/* over all interfaces */
	bool reports_due;
};

const char *lab_node_name(enum lab_node node)
{
	static const char *const names[LAB_NR_NODES] = { "a", "b", "r" };

	return names[node];
}

int lab_node_find(const char *name, enum lab_node *ret_node)
{
	enum lab_node node;

	for (node = 0; node < LAB_NR_NODES; node++) {
		if (!strcmp(name, lab_node_name(node))) {
			*ret_node = node;
			return 0;
		}
	}
	return -EINVAL;
}

uint32_t lab_default_queues(void)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	return cpus < 1 ? 1 : cpus > LAB_MAX_QUEUES ? LAB_MAX_QUEUES : (uint32_t)cpus;
}

static const struct address *addresses(enum lab_middle middle)
{
	return middle == LAB_ROUTER ? routed : flat;
}

const char *lab_b_ip4(enum lab_middle middle)
{
	return addresses(middle)[PORT_B].ip4;
}

static bool has_port(const struct build *b, enum port_id port)
{
	return ports[port].node != LAB_R || b->cfg.middle != LAB_NO_MIDDLE;
}

static int apply(const struct setting *settings, struct err *e)
{
	int err;

	for (; settings->path; settings++) {
		err = sysfs_write(settings->path, settings->value);
		/* Missing: no IPv6 on this machine, or an older kernel, which is less silent. */
		if (err && err != -ENOENT)
			return err_set(e, err, "cannot write '%s'", settings->path);
	}
	return 0;
}

static int make_node(struct build *b, enum lab_node node, struct err *e)
{
	int err;

	err = netns_new(&b->lab->ns_fd[node], e);
	if (!err)
		err = apply(quiet, e);
	if (!err && node == LAB_R)
		err = apply(b->cfg.middle == LAB_ROUTER ? forwarding : bridging, e);
	if (!err)
		err = link_open(&b->net[node], e);
	if (!err)
		err = link_set_alias(b->net[node], "lo", lab_mark(b->cfg.middle), e);
	if (!err)
		err = link_set_up(b->net[node], "lo", e);
	return err;
}

static int make_wire(struct build *b, enum port_id one, enum port_id other, struct err *e)
{
	const struct link_end ends[2] = {
		{ ports[one].ifname, ports[one].mac, b->lab->ns_fd[ports[one].node] },
		{ ports[other].ifname, ports[other].mac, b->lab->ns_fd[ports[other].node] },
	};

	return link_add_veth(b->net[ports[one].node], ends, b->cfg.queues, b->cfg.mtu, e);
}

static int make_wires(struct build *b, struct err *e)
{
	int err;

	if (b->cfg.middle == LAB_NO_MIDDLE)
		return make_wire(b, PORT_A, PORT_B, e);
	err = make_wire(b, PORT_A, PORT_RA, e);
	if (!err)
		err = make_wire(b, PORT_B, PORT_RB, e);
	if (!err && b->cfg.middle == LAB_BRIDGE)
		err = link_add_bridge(b->net[LAB_R], LAB_BRIDGE_NAME, bridge_mac, e);
	return err;
}

static int give_addresses(struct build *b, enum port_id port, struct err *e)
{
	const struct address *address = &addresses(b->cfg.middle)[port];
	struct link_net *net = b->net[ports[port].node];
	char cidr[64];
	int err;

	snprintf(cidr, sizeof(cidr), "%s/24", address->ip4);
	err = link_add_address(net, ports[port].ifname, cidr, e);
	if (err || !b->ip6)
		return err;
	snprintf(cidr, sizeof(cidr), "%s/64", address->ip6);
	return link_add_address(net, ports[port].ifname, cidr, e);
}

/*
 * In a and b the tests attach programs; in r none is attached, and frames sent to it by XDP_TX
 * would be lost.
 */
static void open_middle(const char *ifname)
{
	struct err e;

	if (pass_attach(ifname, &e))
		log_warn("%s: packets sent to r by XDP_TX will be lost", e.msg);
}

static int set_up_port(struct build *b, enum port_id port, struct err *e)
{
	struct link_net *net = b->net[ports[port].node];
	const char *ifname = ports[port].ifname;
	int err;

	err = netns_enter(b->lab->ns_fd[ports[port].node], e);
	if (!err)
		err = link_set_features(ifname, features_off, no_features, e);
	if (!err && ports[port].node == LAB_R && b->cfg.middle == LAB_BRIDGE)
		err = link_set_master(net, ifname, LAB_BRIDGE_NAME, e);
	else if (!err && addresses(b->cfg.middle)[port].ip4)
		err = give_addresses(b, port, e);
	/* The user's forwarder in an open middle attaches programs itself. */
	if (!err && ports[port].node == LAB_R && b->cfg.middle != LAB_OPEN)
		open_middle(ifname);
	if (!err)
		err = link_set_up(net, ifname, e);
	/* GRO enabled while the interface is down does not enable NAPI on its peer (6.18). */
	if (!err)
		err = link_set_features(ifname, no_features, features_on, e);
	return err;
}

static int wait_for_carrier(struct build *b, enum port_id port, struct err *e)
{
	uint64_t end_ns = loop_mono_ns() + CARRIER_NS;
	struct link_facts facts;
	int err;

	for (;;) {
		err = link_read(b->net[ports[port].node], ports[port].ifname, &facts);
		if (err)
			return err_set(e, err, "cannot read interface '%s'", ports[port].ifname);
		if (facts.running)
			return 0;
		if (loop_mono_ns() > end_ns)
			return err_set(e, -ETIMEDOUT, "interface '%s' of node '%s' has no carrier",
				       ports[port].ifname, lab_node_name(ports[port].node));
		loop_sleep_until(loop_mono_ns() + POLL_NS);
	}
}

/* Configures the neighbour entries of this port for the other end of its link. */
static int teach_port(struct build *b, enum port_id port, struct err *e)
{
	bool is_routed = b->cfg.middle == LAB_ROUTER;
	enum port_id peer = (is_routed ? routed_peer : direct_peer)[port];
	const struct address *address = &addresses(b->cfg.middle)[peer];
	struct link_net *net = b->net[ports[port].node];
	const char *ifname = ports[port].ifname;
	bool needs_route = is_routed && ports[port].node != LAB_R;
	int err;

	if (!address->ip4 || (!is_routed && ports[port].node == LAB_R))
		return 0;
	err = link_add_neighbour(net, ifname, address->ip4, ports[peer].mac, e);
	if (!err && needs_route)
		err = link_add_default_route(net, ifname, address->ip4, e);
	if (!err && b->ip6)
		err = link_add_neighbour(net, ifname, address->ip6, ports[peer].mac, e);
	if (!err && b->ip6 && needs_route)
		err = link_add_default_route(net, ifname, address->ip6, e);
	return err;
}

static int add_packets(struct build *b, enum port_id port, struct err *e)
{
	struct nic_counters counters;
	int err;

	err = netns_enter(b->lab->ns_fd[ports[port].node], e);
	if (err)
		return err;
	err = nic_read_counters(ports[port].ifname, &counters);
	if (err)
		return err_set(e, err, "cannot read the counters of '%s'", ports[port].ifname);
	b->packets += counters.tx_packets + counters.rx_packets;
	if (b->ip6 && addresses(b->cfg.middle)[port].ip6 && counters.tx_packets < NR_REPORTS)
		b->reports_due = true;
	return 0;
}

static int for_each_port(struct build *b,
			 int (*fn)(struct build *b, enum port_id port, struct err *e),
			 struct err *e)
{
	enum port_id port;
	int err = 0;

	for (port = 0; port < NR_PORTS && !err; port++) {
		if (has_port(b, port))
			err = fn(b, port, e);
	}
	return err;
}

static int settle(struct build *b, struct err *e)
{
	uint64_t start_ns = loop_mono_ns(), quiet_since_ns = start_ns, now_ns = start_ns, last = 0;
	int err;

	while (now_ns - quiet_since_ns < (b->reports_due ? QUIET_DUE_NS : QUIET_NS)) {
		b->packets = 0;
		b->reports_due = false;
		err = for_each_port(b, add_packets, e);
		if (err)
			return err;
		now_ns = loop_mono_ns();
		if (b->packets != last)
			quiet_since_ns = now_ns;
		last = b->packets;
		if (now_ns - start_ns > SETTLE_NS) {
			log_warn("the lab is not silent: another program sends packets into it");
			return 0;
		}
		loop_sleep_until(now_ns + POLL_NS);
	}
	return 0;
}

static int build_all(struct build *b, struct err *e)
{
	enum lab_node node;
	int err = 0;

	for (node = 0; node < LAB_NR_NODES && !err; node++) {
		if (node != LAB_R || b->cfg.middle != LAB_NO_MIDDLE)
			err = make_node(b, node, e);
	}
	if (!err)
		err = make_wires(b, e);
	if (!err)
		err = for_each_port(b, set_up_port, e);
	if (!err && b->cfg.middle == LAB_BRIDGE)
		err = link_set_up(b->net[LAB_R], LAB_BRIDGE_NAME, e);
	if (!err)
		err = for_each_port(b, wait_for_carrier, e);
	if (!err)
		err = for_each_port(b, teach_port, e);
	return err ? err : settle(b, e);
}

static int build_in_thread(void *ctx, struct err *e)
{
	struct build *b = ctx;
	enum lab_node node;
	int err;

	err = build_all(b, e);
	for (node = 0; node < LAB_NR_NODES; node++)
		link_close(b->net[node]);
	return err;
}

int lab_build(struct lab *lab, const struct lab_cfg *cfg, struct err *e)
{
	struct lab fresh = { .ns_fd = { -1, -1, -1 } };
	struct build b = { .lab = &fresh, .cfg = *cfg };
	int err;

	if (!b.cfg.queues)
		b.cfg.queues = lab_default_queues();
	if (!b.cfg.mtu)
		b.cfg.mtu = LAB_DEFAULT_MTU;
	b.ip6 = !access("/proc/sys/net/ipv6", F_OK);
	if (!b.ip6)
		log_warn("this machine has no IPv6: the lab has IPv4 only");
	else if (b.cfg.mtu < MIN_IP6_MTU)
		log_warn("an MTU of %u is too small for IPv6 (%u): the lab has IPv4 only",
			 b.cfg.mtu, MIN_IP6_MTU);
	b.ip6 = b.ip6 && b.cfg.mtu >= MIN_IP6_MTU;
	err = netns_run(build_in_thread, &b, e);
	if (err)
		lab_release(&fresh);
	else
		*lab = fresh;
	return err;
}

void lab_release(struct lab *lab)
{
	enum lab_node node;

	for (node = 0; node < LAB_NR_NODES; node++) {
		if (lab->ns_fd[node] >= 0)
			close(lab->ns_fd[node]);
		lab->ns_fd[node] = -1;
	}
}

int lab_enter(const struct lab *lab, enum lab_node node, struct err *e)
{
	if (lab->ns_fd[node] < 0)
		return err_usage(e, "this lab has no node '%s'", lab_node_name(node));
	return netns_enter(lab->ns_fd[node], e);
}
