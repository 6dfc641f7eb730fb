// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * doctor/feature_xdp.c - probes of XDP on one interface.
 *
 * Since 6.3 the kernel reports what a driver supports. Before, only attaching
 * shows it, which can reset a NIC's queues: without --probe this is done on
 * veth and loopback only.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>

#include "doctor/feature_probe.h"
#include "sys/hook/xdp.h"

/* enum bpf_attach_type since 6.6. */
#define TCX_INGRESS ((enum bpf_attach_type)46)
#define TCX_EGRESS ((enum bpf_attach_type)47)

static bool is_veth(const struct feature_set *set)
{
	return !strcmp(set->nic.driver, "veth");
}

static void only_trying_tells(const struct feature_set *set, struct feature_answer *ret)
{
	feature_say(ret, FEATURE_UNKNOWN, "not reported before Linux 6.3; attaching a program would show it, "
		    "but may reset the NIC's queues");
	feature_command(set, ret, "ethgauge doctor %s --probe", set->ifname);
}

/* Attach for an instant where this is harmless or allowed; else @ret has the reason. */
static void try_native(struct feature_set *set, struct feature_answer *ret)
{
	int err;

	if (!set->may_attach && !is_veth(set) && !set->link.loopback) {
		only_trying_tells(set, ret);
		return;
	}
	if (set->link.xdp) {
		feature_say(ret, FEATURE_UNKNOWN, "not tested: another program is attached");
		return;
	}
	err = feature_try_native(set->nic.ifindex);
	if (!err)
		feature_say(ret, FEATURE_PRESENT, "tested: attached and detached");
	else if (err == -EINVAL || err == -ERANGE)
		feature_say(ret, FEATURE_ABSENT, "tested: %s (the MTU or an offload may be the "
			    "reason)", strerror(-err));
	else
		feature_failed(set, ret, err, "root (CAP_BPF, CAP_NET_ADMIN)");
}

/* A veth's queues: it receives on as many as it can, or its peer transmits on fewer. */
static void match_queues(const struct feature_set *set, struct feature_answer *ret)
{
	struct nic_channels channels;
	struct nic_link peer;

	if (nic_read_channels(set->ifname, &channels))
		return;
	if (channels.rx < channels.rx_max)
		feature_command(set, ret, "ethtool -L %s rx %u", set->ifname, channels.rx_max);
	else if (!set->link.peer_hidden && !nic_read_link(set->link.peer_ifindex, set->link.peer_nsid, &peer))
		feature_command_at_peer(set, ret, "ethtool -L %s tx %u", peer.ifname, channels.rx);
}

void probe_xdp_native(struct feature_set *set, struct feature_answer *ret)
{
	struct nic_xdp xdp;
	int err = nic_read_xdp(set->nic.ifindex, &xdp);

	if (err || (set->may_attach && !set->link.xdp)) {
		try_native(set, ret);
	} else if (xdp.bits & NIC_XDP_BASIC) {
		feature_say(ret, FEATURE_PRESENT, "driver '%s' supports it", set->nic.driver);
	} else if (is_veth(set)) {
		feature_say(ret, FEATURE_ABSENT, "the peer transmits on more queues than this end "
			    "receives on (%u)", set->nic.rx_queues);
		match_queues(set, ret);
	} else {
		feature_say(ret, FEATURE_ABSENT, "driver '%s' does not support it", set->nic.driver);
	}
	if (ret->state == FEATURE_ABSENT && !ret->remedy[0])
		feature_fix(ret, "use generic XDP: --xdp-mode generic");
}

void probe_xdp_generic(struct feature_set *set, struct feature_answer *ret)
{
	(void)set;
	feature_say(ret, FEATURE_PRESENT, "supported by the kernel for any device");
}

/* A feature that the driver reports by one bit. */
static void by_bit(struct feature_set *set, struct feature_answer *ret, enum nic_xdp_bit bit)
{
	struct nic_xdp xdp;
	int err = nic_read_xdp(set->nic.ifindex, &xdp);

	if (err == -EOPNOTSUPP)
		feature_say(ret, FEATURE_UNKNOWN, "not reported before Linux 6.3");
	else if (err)
		feature_say(ret, FEATURE_UNKNOWN, "not reported by the kernel: %s", strerror(-err));
	else if (xdp.bits & bit)
		feature_say(ret, FEATURE_PRESENT, "reported by driver '%s'", set->nic.driver);
	else
		feature_say(ret, FEATURE_ABSENT, "driver '%s' does not support it",
			    set->nic.driver);
}

/* Where the kernel does not report it: no driver has native XDP without XDP_TX. */
void probe_xdp_tx(struct feature_set *set, struct feature_answer *ret)
{
	by_bit(set, ret, NIC_XDP_BASIC);
	if (ret->state == FEATURE_UNKNOWN)
		try_native(set, ret);
}

void probe_xdp_redirect(struct feature_set *set, struct feature_answer *ret)
{
	by_bit(set, ret, NIC_XDP_REDIRECT);
	if (ret->state == FEATURE_UNKNOWN && is_veth(set))
		try_native(set, ret);
}

void probe_multi_buffer(struct feature_set *set, struct feature_answer *ret)
{
	by_bit(set, ret, NIC_XDP_RX_FRAGS);
}

void probe_zerocopy(struct feature_set *set, struct feature_answer *ret)
{
	by_bit(set, ret, NIC_XDP_ZEROCOPY);
	if (ret->state != FEATURE_UNKNOWN)
		return;
	if (is_veth(set) || set->link.loopback)
		feature_say(ret, FEATURE_ABSENT, "'%s' has no rings that hardware reads",
			    set->nic.driver);
	else
		feature_fix(ret, "to test: bind an AF_XDP socket with XDP_ZEROCOPY");
}

void probe_copy(struct feature_set *set, struct feature_answer *ret)
{
	probe_af_xdp(set, ret);
	if (ret->state == FEATURE_PRESENT)
		feature_say(ret, FEATURE_PRESENT, "supported by the kernel for any device");
}

/* Some drivers report transmission only while a program is attached: supported all the same. */
void probe_xdp_xmit(struct feature_set *set, struct feature_answer *ret)
{
	const struct nic_xdp_trait *trait = nic_xdp_trait(set->nic.driver);

	if (trait && trait->shuns_live_frames)
		feature_say(ret, FEATURE_ABSENT, "%s %s", trait->driver, trait->sentence);
	else if (trait)
		feature_say(ret, FEATURE_PRESENT, "%s %s; blast attaches a pass program where it "
			    "can", trait->driver, trait->sentence);
	else
		by_bit(set, ret, NIC_XDP_XMIT);
}

/* Whether the peer's NAPI runs without a program. */
enum peer_gro { GRO_OFF, GRO_ON, GRO_UNSEEN };

static void say_peer(const struct feature_set *set, struct feature_answer *ret,
		     const struct nic_link *peer, enum peer_gro gro)
{
	char where[64];

	feature_peer_place(set, where, sizeof(where));
	if (!peer->up) {
		feature_say(ret, FEATURE_ABSENT, "the peer '%s'%s is down", peer->ifname, where);
		feature_command_at_peer(set, ret, "ip link set dev %s up", peer->ifname);
		return;
	}
	if (peer->xdp) {
		feature_say(ret, FEATURE_PRESENT, "the peer '%s'%s runs an XDP program",
			    peer->ifname, where);
		return;
	}
	if (gro == GRO_ON) {
		feature_say(ret, FEATURE_PRESENT, "the peer '%s'%s has no XDP program, but GRO is on: "
			    "frames reach its stack", peer->ifname, where);
		return;
	}
	if (gro == GRO_OFF)
		feature_say(ret, FEATURE_ABSENT, "the peer '%s'%s has neither an XDP program nor GRO; blast attaches "
			    "a program there while it sends, if it can", peer->ifname, where);
	else
		feature_say(ret, FEATURE_UNKNOWN, "the peer '%s'%s has no XDP program, and its GRO "
			    "state is not visible from here", peer->ifname, where);
	feature_command_at_peer(set, ret, "ethtool -K %s gro on", peer->ifname);
}

/* Since 6.3 the kernel reports it for both ends; before, only for a peer in this namespace. */
static enum peer_gro read_peer_gro(const struct feature_set *set, const struct nic_link *peer)
{
	struct nic_offloads offloads;
	struct nic_xdp xdp;

	if (!nic_read_xdp(set->nic.ifindex, &xdp))
		return xdp.bits & NIC_XDP_XMIT ? GRO_ON : GRO_OFF;
	if (set->link.peer_nsid < 0 && !nic_read_offloads(peer->ifname, &offloads))
		return offloads.gro ? GRO_ON : GRO_OFF;
	return GRO_UNSEEN;
}

static void veth_ready(struct feature_set *set, struct feature_answer *ret)
{
	struct nic_link peer;
	struct nic_xdp xdp = { 0 };
	int told = nic_read_xdp(set->nic.ifindex, &xdp), err;

	err = set->link.peer_hidden ? -EPERM :
	      nic_read_link(set->link.peer_ifindex, set->link.peer_nsid, &peer);
	if (!err) {
		say_peer(set, ret, &peer, read_peer_gro(set, &peer));
	} else if (!told && !(xdp.bits & NIC_XDP_XMIT)) {
		feature_say(ret, FEATURE_ABSENT, "the peer, in another namespace, has neither an XDP "
			    "program nor GRO");
		feature_fix(ret, "at the other end: ethgauge sink IFACE, or any XDP program");
	} else if (!told) {
		feature_say(ret, FEATURE_PRESENT, "the peer, in another namespace, has an XDP program "
			    "or GRO");
	} else if (!set->link.peer_hidden) {
		feature_denied(set, ret, "root (CAP_NET_ADMIN), as the peer is in another namespace");
	} else {
		feature_say(ret, FEATURE_UNKNOWN, "the peer's namespace is not accessible");
		feature_fix(ret, "run ethgauge doctor in the peer's namespace");
	}
}

void probe_xdp_xmit_ready(struct feature_set *set, struct feature_answer *ret)
{
	const struct nic_xdp_trait *trait = nic_xdp_trait(set->nic.driver);

	if (!trait) {
		by_bit(set, ret, NIC_XDP_XMIT);
		return;
	}
	if (trait->needs_program_on_peer) {
		veth_ready(set, ret);
		return;
	}
	if (set->link.xdp) {
		feature_say(ret, FEATURE_PRESENT, "an XDP program is attached, as %s requires",
			    trait->driver);
		return;
	}
	feature_say(ret, FEATURE_ABSENT, "%s %s", trait->driver, trait->sentence);
	feature_fix(ret, "not needed for ethgauge, which attaches a pass program while it sends");
}

void probe_rx_timestamp(struct feature_set *set, struct feature_answer *ret)
{
	struct nic_xdp xdp;
	int err = nic_read_xdp(set->nic.ifindex, &xdp);

	if (err)
		feature_say(ret, FEATURE_UNKNOWN, "not reported before Linux 6.3");
	else if (!(xdp.rx_metadata & NIC_XDP_RX_TIMESTAMP))
		feature_say(ret, FEATURE_ABSENT, "driver '%s' does not support it",
			    set->nic.driver);
	else
		feature_say(ret, FEATURE_PRESENT, "reported by driver '%s'%s", set->nic.driver,
			    is_veth(set) ? "; only for frames that carry one" : "");
}

void probe_tx_timestamp(struct feature_set *set, struct feature_answer *ret)
{
	struct nic_xdp xdp;
	int err = nic_read_xdp(set->nic.ifindex, &xdp);

	if (err || !xdp.says_tx_metadata)
		feature_say(ret, FEATURE_UNKNOWN, "not reported before Linux 6.8");
	else if (xdp.tx_metadata & NIC_XSK_TX_TIMESTAMP)
		feature_say(ret, FEATURE_PRESENT, "reported by driver '%s'", set->nic.driver);
	else
		feature_say(ret, FEATURE_ABSENT, "driver '%s' does not support it",
			    set->nic.driver);
}

void probe_launch_time(struct feature_set *set, struct feature_answer *ret)
{
	struct nic_xdp xdp;
	int err = nic_read_xdp(set->nic.ifindex, &xdp);

	if (err || !xdp.says_tx_metadata)
		feature_say(ret, FEATURE_UNKNOWN, "not reported before Linux 6.8");
	else if (xdp.tx_metadata & 4)
		feature_say(ret, FEATURE_PRESENT, "reported by driver '%s'; not used yet",
			    set->nic.driver);
	else
		feature_say(ret, FEATURE_ABSENT, "driver '%s' does not support it",
			    set->nic.driver);
}

void probe_hook_free(struct feature_set *set, struct feature_answer *ret)
{
	char holder[128], how[128];

	if (!xdp_holder(set->nic.ifindex, holder, sizeof(holder)))
		feature_say(ret, FEATURE_PRESENT, "no XDP program is attached");
	else if (xdp_gives_way(set->nic.ifindex))
		feature_say(ret, FEATURE_PRESENT, "only a lab's program that passes everything, and gives way");
	else
		feature_say(ret, FEATURE_ABSENT, "program %s is attached", holder);
	if (ret->state == FEATURE_PRESENT)
		return;
	if (xdp_release(set->nic.ifindex, set->ifname, how, sizeof(how)))
		feature_command(set, ret, "%s", how);
	else
		feature_fix(ret, "%s", how);
}

static int count_tcx(int ifindex, enum bpf_attach_type type, unsigned int *ret_nr)
{
	LIBBPF_OPTS(bpf_prog_query_opts, opts);
	int err = bpf_prog_query_opts(ifindex, type, &opts);

	if (!err)
		*ret_nr = opts.prog_cnt;
	return err;
}

void probe_tc_free(struct feature_set *set, struct feature_answer *ret)
{
	unsigned int tcx_in = 0, tcx_out = 0;
	struct nic_filters in, out;
	int ifindex = set->nic.ifindex;
	int err = count_tcx(ifindex, TCX_INGRESS, &tcx_in);

	if (!err)
		err = count_tcx(ifindex, TCX_EGRESS, &tcx_out);
	nic_read_filters(ifindex, false, &in);
	nic_read_filters(ifindex, true, &out);
	if (tcx_in || tcx_out || in.any || out.any) {
		feature_say(ret, FEATURE_ABSENT, "ingress: %u tcx programs, %s; egress: %u tcx "
			    "programs, %s", tcx_in, in.any ? "filters" : "no filter", tcx_out,
			    out.any ? "filters" : "no filter");
		feature_fix(ret, "to find their owners: bpftool net show dev %s; tc filter show dev %s "
			     "ingress", set->ifname, set->ifname);
	} else if (err == -EPERM) {
		feature_denied(set, ret, "root (CAP_NET_ADMIN)");
	} else {
		feature_say(ret, FEATURE_PRESENT, "no filter%s is attached",
			    err ? "" : " and no tcx program");
	}
}
