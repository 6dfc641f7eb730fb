// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/watch/watch_hook.c - programs that observe the packets of a live interface.
 */
#include "engine/watch/watch_hook.h"

#include <errno.h>
#include <net/if.h>
#include <stdlib.h>
#include <string.h>

#include "lib/log.h"
#include "lib/loop.h"
#include "sys/hook/tc.h"
#include "sys/hook/xdp_share.h"

#define LOOK_NS		(NSEC_PER_SEC / 5)	/* interval of checking for other programs at the
						 * hooks */
#define ASK_AGAIN_NS	NSEC_PER_SEC	/* retry interval, for an interface whose hook others
					 * hold */

const char *const watch_hook_names[] = { "auto", "xdp", "tc", "clsact", NULL };

struct watch_hook {
	struct watch_hook_cfg cfg;
	int ifindex;			/* attached to, or found but refused; 0: gone */
	struct xdp_port *rx_xdp;
	struct xdp_share *rx_share;
	struct tc_port *rx_tc, *tx_tc;
	int lost_ifindex;		/* the interface attached to before */
	bool attached, said_gone, said_refused;
	uint64_t refused_mono_ns;	/* when it was refused last */
	unsigned int returns;
	uint64_t looked_mono_ns;	/* when other programs were checked for */
	char preceding[128];
};

/*
 * tc has no measurable cost; XDP at a live interface costs something everywhere, so it must be
 * requested.
 */
enum watch_hooks watch_hook_choose(const char *ifname, const struct nic_facts *nic,
				   enum watch_hooks hooks, const char **ret_why)
{
	struct nic_offloads offloads = { 0 };

	*ret_why = NULL;
	if (hooks == WATCH_HOOKS_XDP && !strcmp(nic->driver, "veth"))
		log_warn("XDP disables large packets (GRO, TSO) on '%s' during the run: TCP is slower",
			 ifname);
	if (hooks != WATCH_HOOKS_AUTO)
		return hooks;
	nic_read_offloads(ifname, &offloads);
	if (nic->at_l3)
		*ret_why = "at tc, as its packets have no Ethernet header for XDP";
	else if (!strcmp(nic->driver, "veth"))
		*ret_why = "at tc, as native XDP disables large packets on a veth and halves "
			"TCP's rate";
	else if (!strcmp(ifname, "lo"))
		*ret_why = "at tc, as loopback supports only generic XDP, which splits large "
			"packets";
	else if (offloads.lro || offloads.gro_hw)
		*ret_why = "at tc, as XDP disables this NIC's packet merging (LRO, hardware GRO)";
	else
		*ret_why = "at tc, as most drivers reallocate their rings for XDP and lose "
			"packets in the process";
	return WATCH_HOOKS_TC;
}

static void detach(struct watch_hook *hook)
{
	/* Detach in reverse order: a clsact created by the first is removed with it. */
	tc_detach(hook->tx_tc);
	tc_detach(hook->rx_tc);
	xdp_detach(hook->rx_xdp);
	xdp_share_detach(hook->rx_share);
	hook->rx_xdp = NULL;
	hook->rx_share = NULL;
	hook->rx_tc = NULL;
	hook->tx_tc = NULL;
	hook->attached = false;
}

/* Of another process: they return TC_ACT_UNSPEC, so they hide nothing from each other. */
static bool is_own(const char *name)
{
	return !strncmp(name, "watch_tc_", 9) || !strncmp(name, "flow_tc_", 8);
}

static void look_before(struct watch_hook *hook)
{
	struct tc_port *const ports[] = { hook->rx_tc, hook->tx_tc };
	size_t i;

	hook->looked_mono_ns = loop_mono_ns();
	for (i = 0; i < 2; i++) {
		if (!ports[i] || !tc_port_preceded(ports[i], is_own, hook->preceding,
						   sizeof(hook->preceding)))
			continue;
		log_warn("'%s': another program, %s, now runs before ethgauge's: packets that it "
			 "consumes are not seen", hook->cfg.ifname, hook->preceding);
	}
}

/* The programs were loaded for one kind of interface; another kind may come back under its name. */
static int check_kind(const struct watch_hook *hook, struct err *e)
{
	struct nic_facts nic;

	if (nic_read(hook->cfg.ifname, &nic) || nic.at_l3 == hook->cfg.at_l3)
		return 0;	/* if it is gone, attaching says so */
	return err_plain(e, -EOPNOTSUPP, "its packets %s an Ethernet header",
			 nic.at_l3 ? "have no longer" : "now have");
}

static int attach(struct watch_hook *hook, struct err *e)
{
	const struct watch_hook_cfg *cfg = &hook->cfg;
	enum tc_way way = cfg->hooks == WATCH_HOOKS_CLSACT ? TC_WAY_CLSACT : TC_WAY_AUTO;
	int rx_tc_fd = cfg->hooks == WATCH_HOOKS_XDP ? cfg->beside_fd : cfg->rx_fd, err = 0;

	err = check_kind(hook, e);
	if (err)
		return err;
	if (cfg->share)
		err = xdp_share_attach(cfg->share, hook->ifindex, cfg->xdp_mode, e);
	else if (cfg->hooks == WATCH_HOOKS_XDP)
		err = xdp_attach(&hook->rx_xdp, hook->ifindex, cfg->rx_fd, cfg->xdp_mode, e);
	if (!err)
		hook->rx_share = cfg->share;
	if (!err && rx_tc_fd >= 0)
		err = tc_attach(&hook->rx_tc, hook->ifindex, false, rx_tc_fd, -1, way, e);
	if (!err)
		err = tc_attach(&hook->tx_tc, hook->ifindex, true, cfg->tx_fd, -1, way, e);
	if (err) {
		detach(hook);
		return err;
	}
	hook->attached = true;
	look_before(hook);
	return 0;
}

int watch_hook_open(struct watch_hook **ret_hook, const struct watch_hook_cfg *cfg,
		    struct err *e)
{
	struct watch_hook *hook = calloc(1, sizeof(*hook));
	int err;

	if (!hook)
		return err_set(e, -ENOMEM, "cannot watch '%s'", cfg->ifname);
	hook->cfg = *cfg;
	hook->ifindex = (int)if_nametoindex(cfg->ifname);
	err = attach(hook, e);
	if (err) {
		free(hook);
		return err;
	}
	*ret_hook = hook;
	return 0;
}

void watch_hook_close(struct watch_hook *hook)
{
	if (!hook)
		return;
	detach(hook);
	free(hook);
}

static bool holds(const struct watch_hook *hook)
{
	return (!hook->rx_xdp || xdp_port_holds(hook->rx_xdp)) &&
	       (!hook->rx_share || xdp_share_holds(hook->rx_share)) &&
	       (!hook->rx_tc || tc_port_holds(hook->rx_tc)) &&
	       (!hook->tx_tc || tc_port_holds(hook->tx_tc));
}

static void beat(struct watch_hook *hook)
{
	if (hook->rx_tc)
		tc_port_beat(hook->rx_tc);
	if (hook->tx_tc)
		tc_port_beat(hook->tx_tc);
}

static void refused(struct watch_hook *hook, const struct err *e)
{
	if (e->no == -ENODEV) {
		hook->ifindex = 0;
		return;
	}
	hook->refused_mono_ns = loop_mono_ns();
	if (!hook->said_refused)
		log_warn("'%s' is back, but cannot be watched yet: %s", hook->cfg.ifname, e->msg);
	hook->said_refused = true;
}

/* The interface exists again. */
static bool attach_again(struct watch_hook *hook)
{
	const char *ifname = hook->cfg.ifname;
	struct err e;

	if (attach(hook, &e)) {
		refused(hook, &e);
		return false;
	}
	hook->said_refused = false;
	if (hook->ifindex == hook->lost_ifindex && !hook->said_gone)
		log_warn("the programs were detached from '%s', and have been reattached", ifname);
	else
		log_info("'%s' is watched again", ifname);
	hook->returns++;
	return true;
}

static void say_gone(const struct watch_hook *hook)
{
	struct err e;

	nic_vanished(hook->cfg.ifname, hook->lost_ifindex, &e);
	log_warn("%s; watching continues when there is an interface '%s' again", e.msg, hook->cfg.ifname);
}

bool watch_hook_follow(struct watch_hook *hook)
{
	int ifindex = (int)if_nametoindex(hook->cfg.ifname);

	if (hook->attached && ifindex == hook->ifindex && holds(hook)) {
		beat(hook);
		if (loop_mono_ns() - hook->looked_mono_ns > LOOK_NS)
			look_before(hook);
		return true;
	}
	if (hook->attached) {
		detach(hook);
		hook->lost_ifindex = hook->ifindex;
		hook->ifindex = 0;
		hook->said_gone = false;
		/*
		 * It may be disappearing: the next call knows whether another process detached the
		 * program.
		 */
		if (ifindex == hook->lost_ifindex)
			return false;
	}
	if (!ifindex) {
		if (!hook->said_gone)
			say_gone(hook);
		hook->said_gone = true;
		hook->ifindex = 0;
		return false;
	}
	/* The holder of the hook may leave: retry, but not every time. */
	if (ifindex == hook->ifindex && loop_mono_ns() < hook->refused_mono_ns + ASK_AGAIN_NS)
		return false;
	hook->ifindex = ifindex;
	return attach_again(hook);
}

unsigned int watch_hook_returns(const struct watch_hook *hook)
{
	return hook->returns;
}

const char *watch_hook_preceding(const struct watch_hook *hook)
{
	return hook->preceding[0] ? hook->preceding : NULL;
}

const char *watch_hook_rx_way(const struct watch_hook *hook)
{
	if (hook->rx_xdp)
		return xdp_port_mode(hook->rx_xdp) == XDP_MODE_NATIVE ? "native XDP" : "generic XDP";
	if (hook->rx_share)
		return xdp_share_mode(hook->rx_share) == XDP_MODE_NATIVE ? "native XDP, shared" :
									   "generic XDP, shared";
	return hook->rx_tc ? tc_port_way(hook->rx_tc) : "none";
}

const char *watch_hook_tx_way(const struct watch_hook *hook)
{
	return hook->tx_tc ? tc_port_way(hook->tx_tc) : "none";
}
