// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/watch/watch.c - watch one interface.
 */
#include "engine/watch/watch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "engine/self/environ.h"
#include "engine/watch/watch_filter.h"
#include "engine/watch/watch_parts.h"
#include "lib/log.h"
#include "lib/loop.h"
#include "proto/filter.h"
#include "sys/hook/bpf.h"
#include "sys/hook/xdp_share.h"

#include "watch_tc.skel.h"
#include "watch_xdp.skel.h"

#define MAX_QUEUES	256		/* queues with a separate count */
#define KEEP_ROWS	3600		/* rows kept of the series */

/*
 * A program reads the clock before it writes its window, and may be preempted in between: so
 * windows are read when they are this old. Anything written later is in the counters, but not in
 * the peaks.
 */
#define SETTLED_NS	10000000ull

static void size_maps(struct watch *watch)
{
	const struct watch_programs *programs = &watch->programs;
	uint32_t lanes = watch->nr_cpus * WATCH_DIRS;

	programs->cfg->nr_cpus = watch->nr_cpus;
	programs->cfg->nr_queues = watch->nr_queues;
	programs->cfg->starts_at_l3 = watch->nic.at_l3;
	bpf_map__set_max_entries(programs->recs, lanes);
	bpf_map__set_max_entries(programs->gaps, lanes);
	bpf_map__set_max_entries(programs->rings, lanes);
	bpf_map__set_max_entries(programs->queues, watch->nr_cpus * (watch->nr_queues + 1));
}

static int map_memory(struct watch *watch, struct err *e)
{
	const struct watch_programs *programs = &watch->programs;
	int err;

	err = bpf_map_memory(programs->recs, (void **)&watch->recs, &watch->recs_bytes, e);
	if (!err)
		err = bpf_map_memory(programs->queues, (void **)&watch->queues,
				     &watch->queues_bytes, e);
	if (!err)
		err = bpf_map_memory(programs->gaps, (void **)&watch->gaps, &watch->gaps_bytes, e);
	if (!err)
		err = bpf_map_memory(programs->rings, (void **)&watch->rings,
				     &watch->rings_bytes, e);
	return err;
}

static int open_tc(struct watch *watch, struct err *e)
{
	int err;

	watch->tc = calloc(1, sizeof(*watch->tc));
	if (!watch->tc || watch_tc_bpf__create_skeleton(watch->tc))
		return err_set(e, -ENOMEM, "cannot watch '%s'", watch->cfg.ifname);
	err = watch_filter_open(watch->tc->skeleton, watch->filter, FILTER_TC, e);
	if (err)
		return err;
	watch->tc->rodata->has_filter = !!watch->filter;
	watch->programs = WATCH_PROGRAMS(watch->tc, watch_tc);
	return 0;
}

static int open_flows(struct watch *watch, struct err *e)
{
	struct watch_flows_cfg cfg = *watch->cfg.flow;

	cfg.ifname = watch->cfg.ifname;
	cfg.filter = watch->filter;
	cfg.rx_beside = watch->hooks == WATCH_HOOKS_XDP;
	return watch_flows_open(&watch->flows, &cfg, &watch->programs, e);
}

static int load_programs(struct watch *watch, struct err *e)
{
	int err = watch->cfg.flow ? open_flows(watch, e) : open_tc(watch, e);

	if (err)
		return err;
	size_maps(watch);
	err = bpf_load(watch->programs.skeleton);
	return err ? bpf_load_error(e, err, watch->programs.name) : map_memory(watch, e);
}

/* The XDP program counts into the maps of those at tc. */
static int load_xdp(struct watch *watch, struct err *e)
{
	const struct watch_programs *tc = &watch->programs;
	const struct watch_cfg_iface *cfg = &watch->cfg;
	struct watch_xdp_bpf *xdp;
	bool frags = xdp_needs_frags(&watch->nic, cfg->xdp_mode);
	int err;

	xdp = calloc(1, sizeof(*xdp));
	watch->xdp = xdp;
	if (!xdp || watch_xdp_bpf__create_skeleton(xdp))
		return err_set(e, -ENOMEM, "cannot watch '%s'", watch->cfg.ifname);
	err = watch_filter_open(xdp->skeleton, watch->filter, frags ? FILTER_XDP_FRAGS : FILTER_XDP, e);
	if (err)
		return err;
	xdp->rodata->has_filter = !!watch->filter;
	xdp->rodata->cfg.nr_cpus = watch->nr_cpus;
	xdp->rodata->cfg.nr_queues = watch->nr_queues;
	xdp->rodata->has_frags = frags;
	bpf_set_frags(xdp->obj, frags);
	err = bpf_map__reuse_fd(xdp->maps.watch_recs, bpf_map__fd(tc->recs));
	if (!err)
		err = bpf_map__reuse_fd(xdp->maps.watch_queues, bpf_map__fd(tc->queues));
	if (!err)
		err = bpf_map__reuse_fd(xdp->maps.watch_gaps, bpf_map__fd(tc->gaps));
	if (!err)
		err = bpf_map__reuse_fd(xdp->maps.watch_rings, bpf_map__fd(tc->rings));
	if (!err && (cfg->share || xdp_share_is_possible(watch->nic.ifindex)))
		return xdp_share_open(&watch->share, xdp->obj, e);
	if (!err)
		err = bpf_load(xdp->skeleton);
	if (err) {
		bpf_load_error(e, err, "watch_xdp");
		return frags ? bpf_frags_hint(e, err, watch->cfg.ifname, watch->nic.mtu) : err;
	}
	return 0;
}

static int attach(struct watch *watch, struct err *e)
{
	struct watch_hook_cfg hook = { .ifname = watch->cfg.ifname, .at_l3 = watch->nic.at_l3, .hooks = watch->hooks,
				       .xdp_mode = watch->cfg.xdp_mode, .beside_fd = -1 };
	struct watch_side *sides = watch->sides;
	int err;

	hook.rx_fd = bpf_program__fd(watch->programs.in);
	hook.tx_fd = bpf_program__fd(watch->programs.out);
	if (watch->xdp) {
		if (watch->flows)
			hook.beside_fd = hook.rx_fd;
		hook.share = watch->share;
		if (!hook.share)
			hook.rx_fd = bpf_program__fd(watch->xdp->progs.watch_xdp);
	}
	err = watch_hook_open(&watch->hook, &hook, e);
	if (err)
		return err;
	sides[WATCH_RX].prog_fd = hook.rx_fd;
	sides[WATCH_TX].prog_fd = hook.tx_fd;
	/* Loaded by the hook. */
	if (watch->share)
		sides[WATCH_RX].prog_fd = xdp_share_prog_fd(watch->share);
	result_env_str(sides[WATCH_RX].part, "hook", watch_hook_rx_way(watch->hook));
	result_env_str(sides[WATCH_TX].part, "hook", watch_hook_tx_way(watch->hook));
	if (watch->why) {
		result_env_str(sides[WATCH_RX].part, "hook_why", watch->why);
		log_info("'%s' is watched %s", watch->cfg.ifname, watch->why);
	}
	return 0;
}

static void open_parts(struct watch *watch, struct result *res)
{
	static const char *const names[WATCH_DIRS] = { "rx", "tx" };
	char name[32];
	int dir;

	for (dir = 0; dir < WATCH_DIRS; dir++) {
		snprintf(name, sizeof(name), "%s %s", watch->cfg.ifname, names[dir]);
		watch->sides[dir].part = result_part(res, PART_INTERFACE, name);
		result_label(watch->sides[dir].part, "iface", watch->cfg.ifname);
		result_label(watch->sides[dir].part, "direction", names[dir]);
		environ_iface(watch->sides[dir].part, watch->cfg.ifname);
		result_keep_rows(watch->sides[dir].part, KEEP_ROWS);
	}
}

/* tc does not see packets that an XDP program consumes. */
static void report_other_xdp(struct watch *watch)
{
	char holder[128];

	if (watch->xdp || !xdp_holder(watch->nic.ifindex, holder, sizeof(holder)))
		return;
	result_note(watch->sides[WATCH_RX].part, "an XDP program is attached, %s: packets that it "
		    "drops, transmits or redirects do not reach tc and are not counted", holder);
}

int watch_open(struct watch **ret_watch, const struct watch_cfg_iface *cfg, struct err *e)
{
	struct nic_facts nic;
	struct watch *watch;
	int err = 0;

	if (nic_read(cfg->ifname, &nic))
		return nic_unknown(cfg->ifname, e);
	if (!nic.ethernet && !nic.at_l3)
		return nic_check_ethernet(cfg->ifname, &nic, e);
	if (nic.at_l3 && cfg->hooks == WATCH_HOOKS_XDP) {
		err = err_usage(e, "the packets of '%s' have no Ethernet header: they can be watched at tc alone",
				cfg->ifname);
		err_hint(e, "omit --hooks xdp");
		return err;
	}
	watch = calloc(1, sizeof(*watch));
	if (!watch)
		return err_set(e, -ENOMEM, "cannot watch '%s'", cfg->ifname);
	watch->cfg = *cfg;
	watch->nic = nic;
	watch->nr_cpus = cpu_nr_possible();
	watch->nr_queues = nic.rx_queues < MAX_QUEUES ? nic.rx_queues : MAX_QUEUES;
	watch->hooks = watch_hook_choose(cfg->ifname, &nic, cfg->hooks, &watch->why);
	bpf_log_init();
	bpf_raise_memlock();
	if (cfg->filter)
		err = filter_compile(&watch->filter, cfg->filter, nic.at_l3 ? FILTER_L3 : FILTER_ETHERNET, e);
	if (!err)
		err = load_programs(watch, e);
	if (!err && watch->hooks == WATCH_HOOKS_XDP)
		err = load_xdp(watch, e);
	if (err) {
		watch_close(watch);
		return err;
	}
	*ret_watch = watch;
	return 0;
}

int watch_start(struct watch *watch, struct result *res, struct err *e)
{
	int err;

	open_parts(watch, res);
	nic_read_counters(watch->cfg.ifname, &watch->nic_before);
	watch->nic_newest = watch->nic_before;
	err = attach(watch, e);
	if (err)
		return err;
	watch->next_window = loop_mono_ns() / WATCH_WINDOW_NS;
	report_other_xdp(watch);
	if (!watch->flows)
		return 0;
	return watch_flows_start(watch->flows, res, watch_hook_tx_way(watch->hook), e);
}

struct watch_flows *watch_flows(const struct watch *watch)
{
	return watch->flows;
}

void watch_close(struct watch *watch)
{
	if (!watch)
		return;
	watch_hook_close(watch->hook);
	xdp_share_close(watch->share);
	bpf_unmap_memory(watch->recs, watch->recs_bytes);
	bpf_unmap_memory(watch->queues, watch->queues_bytes);
	bpf_unmap_memory(watch->gaps, watch->gaps_bytes);
	bpf_unmap_memory(watch->rings, watch->rings_bytes);
	watch_xdp_bpf__destroy(watch->xdp);
	watch_tc_bpf__destroy(watch->tc);
	watch_flows_close(watch->flows);
	filter_free(watch->filter);
	free(watch->preceding);
	free(watch);
}

static uint64_t load(const __u64 *counter)
{
	return __atomic_load_n(counter, __ATOMIC_RELAXED);
}

static void add_rec(struct watch_rec *sum, const struct watch_rec *rec)
{
	int i;

	sum->buffers += load(&rec->buffers);
	sum->packets += load(&rec->packets);
	sum->frame_bytes += load(&rec->frame_bytes);
	sum->merged += load(&rec->merged);
	sum->broadcast += load(&rec->broadcast);
	sum->multicast += load(&rec->multicast);
	sum->tagged += load(&rec->tagged);
	sum->not_taken += load(&rec->not_taken);
	for (i = 0; i < WATCH_SIZES; i++)
		sum->sizes[i] += load(&rec->sizes[i]);
	for (i = 0; i < WATCH_PROTOS; i++) {
		sum->protos[i].packets += load(&rec->protos[i].packets);
		sum->protos[i].frame_bytes += load(&rec->protos[i].frame_bytes);
	}
}

void watch_read(const struct watch *watch, enum watch_dir dir, struct watch_rec *ret_sum)
{
	struct watch_rec sum = { 0 };
	unsigned int cpu;

	for (cpu = 0; cpu < watch->nr_cpus; cpu++)
		add_rec(&sum, &watch->recs[dir * watch->nr_cpus + cpu]);
	*ret_sum = sum;
}

/* All counters of @sum += @newer - @older. */
static void add_growth(struct nic_counters *sum, const struct nic_counters *newer,
		       const struct nic_counters *older)
{
	_Static_assert(sizeof(*sum) % sizeof(uint64_t) == 0, "only counters");
	const uint64_t *to = (const uint64_t *)newer, *from = (const uint64_t *)older;
	uint64_t *at = (uint64_t *)sum;
	size_t i;

	for (i = 0; i < sizeof(*sum) / sizeof(uint64_t); i++)
		at[i] += to[i] - from[i];
}

void watch_read_nic(struct watch *watch, struct nic_counters *ret_counters)
{
	unsigned int life = watch->hook ? watch_hook_returns(watch->hook) : watch->nic_life;
	struct nic_counters now;

	/*
	 * A recreated interface counts from 0; counters that have not shrunk belong to the same
	 * one.
	 */
	if (!nic_read_counters(watch->cfg.ifname, &now)) {
		if (life != watch->nic_life && now.rx_packets < watch->nic_newest.rx_packets) {
			add_growth(&watch->nic_sum, &watch->nic_newest, &watch->nic_before);
			watch->nic_before = (struct nic_counters){ 0 };
		}
		watch->nic_life = life;
		watch->nic_newest = now;
	}
	*ret_counters = watch->nic_sum;
	add_growth(ret_counters, &watch->nic_newest, &watch->nic_before);
}

static void feed_bursts(struct watch *watch, uint64_t *sums, size_t nr)
{
	unsigned int cpu;
	int dir;

	for (dir = 0; dir < WATCH_DIRS; dir++) {
		memset(sums, 0, nr * sizeof(*sums));
		for (cpu = 0; cpu < watch->nr_cpus; cpu++) {
			size_t lane = dir * watch->nr_cpus + cpu;

			burst_add_ring(sums, &watch->rings[lane], watch->next_window, nr,
				       load(&watch->recs[lane].window));
		}
		burst_feed(&watch->sides[dir].burst, sums, nr);
	}
	watch->next_window += nr;
}

/* Searches the windows that ended more than @settled_ns ago. */
static void look_for_bursts(struct watch *watch, uint64_t settled_ns)
{
	uint64_t settled = (loop_mono_ns() - settled_ns) / WATCH_WINDOW_NS, sums[1024], nr, lost;
	/* The oldest windows may be overwritten during reading. */
	const uint64_t kept = WATCH_WINDOWS - 2 * SETTLED_NS / WATCH_WINDOW_NS;
	int dir;

	if (settled > watch->next_window + kept) {
		lost = settled - kept - watch->next_window;
		watch->missed_windows += lost;
		watch->next_window += lost;
		for (dir = 0; dir < WATCH_DIRS; dir++)
			burst_break(&watch->sides[dir].burst);
	}
	while (watch->next_window < settled) {
		nr = settled - watch->next_window;
		feed_bursts(watch, sums, nr < 1024 ? nr : 1024);
	}
}

void watch_poll(struct watch *watch)
{
	watch_hook_follow(watch->hook);
	look_for_bursts(watch, SETTLED_NS);
}

void watch_stop(struct watch *watch)
{
	watch->returns = watch_hook_returns(watch->hook);
	if (watch_hook_preceding(watch->hook))
		watch->preceding = strdup(watch_hook_preceding(watch->hook));
	watch_hook_close(watch->hook);
	watch->hook = NULL;
	look_for_bursts(watch, 0);
}
