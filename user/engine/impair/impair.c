// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/impair/impair.c - apply the impairment rules to packets.
 */
#include "engine/impair/impair.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>

#include "engine/impair/impair_parts.h"
#include "engine/self/environ.h"
#include "lib/log.h"
#include "sys/afxdp/afxdp_wire.h"
#include "sys/hook/bpf.h"
#include "sys/hook/live_frames.h"
#include "sys/net/netns.h"
#include "sys/net/nic.h"
#include "sys/net/promisc.h"

#include "impair_tc.skel.h"
#include "impair_xdp.skel.h"

#define EVENTS_BYTES (16u << 20)

static bool has_kind(const struct impair_rules *rules, enum impair_kind kind)
{
	uint32_t i;

	for (i = 0; i < rules->nr; i++) {
		if (rules->rules[i].kind == kind)
			return true;
	}
	return false;
}

static bool takes_time(const struct impair_cfg *cfg)
{
	return cfg->rate_l1_bps > 0 || has_kind(cfg->rules, IMPAIR_FRAGMENT) ||
	       has_kind(cfg->rules, IMPAIR_REORDER) || has_kind(cfg->rules, IMPAIR_DELAY);
}

/* One interface alone cannot delay packets, nor multiply them on ingress. */
static int check_way(const struct impair_cfg *cfg, struct err *e)
{
	const char *what = takes_time(cfg) ? "delay or fragment packets" :
			   "duplicate packets";

	if (cfg->ifnames[1])
		return 0;
	if (!takes_time(cfg) && (cfg->way == IMPAIR_EGRESS ||
				 !has_kind(cfg->rules, IMPAIR_DUPLICATE)))
		return 0;
	err_usage(e, "a single interface cannot %s%s", what,
		  takes_time(cfg) ? "" : " on ingress");
	return err_hint(e, "forward between two interfaces: ethgauge impair %s OTHER%s", cfg->ifnames[0],
			takes_time(cfg) ? "" : "; or: " OPTION("direction") " egress");
}

/* The number of copies that every duplicated packet gets; 0: it varies, or there are none. */
static uint32_t same_copies(const struct impair_rules *rules)
{
	uint32_t copies = 0, i;

	for (i = 0; i < rules->nr; i++) {
		if (rules->rules[i].kind != IMPAIR_DUPLICATE)
			continue;
		if (copies && copies != rules->rules[i].arg)
			return 0;
		copies = rules->rules[i].arg;
	}
	return copies;
}

static int fill_devmap(const struct bpf_map *map, int ifindex)
{
	__u32 key, value = (__u32)ifindex;
	int err = 0;

	for (key = 0; key < bpf_map__max_entries(map) && !err; key++)
		err = bpf_map_update_elem(bpf_map__fd(map), &key, &value, 0);
	return err;
}

/* Tests whether the kernel copies a frame by a broadcast redirect (Linux 5.13). */
static bool can_broadcast(int ifindex)
{
	static const uint8_t frame[60];
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame, .data_size_in = sizeof(frame),
		    .repeat = 1);
	struct impair_xdp_bpf *skel = impair_xdp_bpf__open();
	struct bpf_program *prog;
	bool can = false;

	if (!skel)
		return false;
	bpf_object__for_each_program(prog, skel->obj)
		bpf_program__set_autoload(prog, prog == skel->progs.impair_probe);
	if (!bpf_load(skel->skeleton) && !fill_devmap(skel->maps.impair_copies, ifindex))
		can = !bpf_prog_test_run_opts(bpf_program__fd(skel->progs.impair_probe), &opts) &&
		      opts.retval == XDP_REDIRECT;
	impair_xdp_bpf__destroy(skel);
	return can;
}

static bool needs_user(const struct impair_cfg *cfg, int out_ifindex, bool frags)
{
	if (!cfg->ifnames[1])
		return false;
	if (takes_time(cfg))
		return true;
	return has_kind(cfg->rules, IMPAIR_DUPLICATE) &&
	       (frags || !same_copies(cfg->rules) || !can_broadcast(out_ifindex));
}

static void make_plan(const struct impair *impair, unsigned int direction,
		      struct impair_plan *ret_plan)
{
	const struct impair_cfg *cfg = &impair->cfg;
	const struct impair_side *side = &impair->sides[direction];
	struct impair_plan plan = {
		.seed = cfg->seed + direction,
		.filter = cfg->filter,
		.onward = impair->nr_sides == 2 ? IMPAIR_REDIRECT : IMPAIR_PASS,
		.to_user = side->to_user,
		.events = !!cfg->on_event,
		.direction = (uint8_t)direction,
	};

	if (side->impaired) {
		plan.nr_rules = (uint8_t)cfg->rules->nr;
		memcpy(plan.rules, cfg->rules->rules, sizeof(plan.rules));
	}
	*ret_plan = plan;
}

static uint32_t nr_listed(const struct impair_rules *rules)
{
	size_t nr = 1;
	uint32_t i;

	for (i = 0; i < rules->nr; i++)
		nr += rules->lists[i].nr;
	return (uint32_t)nr;
}

/* A packet listed by several rules has the bits of all of them. */
static int fill_lists(const struct bpf_map *map, const struct impair_rules *rules)
{
	uint32_t i, bits, had;
	int err = 0;
	size_t n;

	for (i = 0; i < rules->nr; i++) {
		for (n = 0; n < rules->lists[i].nr && !err; n++) {
			const uint64_t *ordinal = &rules->lists[i].values[n];

			bits = 1u << i;
			if (!bpf_map_lookup_elem(bpf_map__fd(map), ordinal, &had))
				bits |= had;
			err = bpf_map_update_elem(bpf_map__fd(map), ordinal, &bits, 0);
		}
	}
	return err;
}

static void size_maps(const struct impair_cfg *cfg, struct bpf_map *recs, struct bpf_map *lists,
		      struct bpf_map *events)
{
	bpf_map__set_max_entries(recs, cpu_nr_possible());
	bpf_map__set_max_entries(lists, nr_listed(cfg->rules));
	bpf_map__set_max_entries(events, cfg->on_event ? EVENTS_BYTES :
				 (uint32_t)sysconf(_SC_PAGESIZE));
}

static int take_event(void *ctx, void *data, size_t bytes)
{
	const struct impair *impair = ctx;

	if (bytes >= sizeof(struct impair_event))
		impair->cfg.on_event(impair->cfg.ctx, data);
	return 0;
}

/* Opens the maps that both programs have, after load. */
static int open_maps(struct impair *impair, struct impair_side *side, const struct bpf_map *recs,
		     const struct bpf_map *lists, const struct bpf_map *events, struct err *e)
{
	int err;

	err = fill_lists(lists, impair->cfg.rules);
	if (err)
		return err_set(e, err, "cannot set up a list of %u packets", nr_listed(impair->cfg.rules));
	if (impair->cfg.on_event) {
		side->events = ring_buffer__new(bpf_map__fd(events), take_event, impair, NULL);
		if (!side->events)
			return err_set(e, -errno, "cannot open the ring buffer of events");
	}
	return bpf_map_memory(recs, (void **)&side->recs, &side->recs_bytes, e);
}

static int load_tc(struct impair *impair, struct impair_side *side, struct err *e)
{
	struct impair_tc_bpf *skel = impair_tc_bpf__open();
	struct impair_plan plan;
	int err;

	if (!skel)
		return bpf_load_error(e, -errno, "impair_tc");
	side->tc = skel;
	make_plan(impair, 0, &plan);
	memcpy((void *)&skel->rodata->plan, &plan, sizeof(plan));
	size_maps(&impair->cfg, skel->maps.impair_recs, skel->maps.impair_lists,
		  skel->maps.impair_events);
	err = bpf_load(skel->skeleton);
	if (err)
		return bpf_load_error(e, err, "impair_tc");
	return open_maps(impair, side, skel->maps.impair_recs, skel->maps.impair_lists,
			 skel->maps.impair_events, e);
}

static void choose_programs(const struct impair *impair, struct impair_xdp_bpf *skel)
{
	bpf_program__set_autoload(skel->progs.impair_probe, false);
	if (impair->nr_sides == 2) {
		live_choose_tracepoints(skel->progs.impair_refused, skel->progs.impair_failed);
		return;
	}
	bpf_program__set_autoload(skel->progs.impair_refused, false);
	bpf_program__set_autoload(skel->progs.impair_failed, false);
}

static int load_xdp(struct impair *impair, unsigned int direction, const struct nic_facts *nic,
		    bool frags, struct err *e)
{
	struct impair_side *side = &impair->sides[direction];
	uint32_t copies = side->to_user ? 0 : same_copies(impair->cfg.rules);
	struct impair_xdp_bpf *skel = impair_xdp_bpf__open();
	struct impair_plan plan;
	int err;

	if (!skel)
		return bpf_load_error(e, -errno, "impair_xdp");
	side->xdp = skel;
	make_plan(impair, direction, &plan);
	memcpy((void *)&skel->rodata->plan, &plan, sizeof(plan));
	skel->rodata->in_ifindex = side->ifindex;
	skel->rodata->out_ifindex = side->out_ifindex;
	skel->rodata->netns_inode = netns_inode();
	skel->rodata->has_frags = frags;
	skel->rodata->sum_blocks = bpf_sums_blocks();
	bpf_set_frags(skel->obj, frags);
	choose_programs(impair, skel);
	size_maps(&impair->cfg, skel->maps.impair_recs, skel->maps.impair_lists,
		  skel->maps.impair_events);
	bpf_map__set_max_entries(skel->maps.impair_copies, copies + 1);
	bpf_map__set_max_entries(skel->maps.impair_xsks, nic->rx_queues ? nic->rx_queues : 1);
	err = bpf_load(skel->skeleton);
	if (err) {
		bpf_load_error(e, err, "impair_xdp");
		return frags ? bpf_frags_hint(e, err, side->ifname, nic->mtu) : err;
	}
	if (impair->nr_sides == 2) {
		err = fill_devmap(skel->maps.impair_out, side->out_ifindex);
		if (!err)
			err = fill_devmap(skel->maps.impair_copies, side->out_ifindex);
		if (err)
			return err_machine(e, err, "cannot redirect to '%s'",
					   impair->sides[!direction].ifname);
	}
	return open_maps(impair, side, skel->maps.impair_recs, skel->maps.impair_lists,
			 skel->maps.impair_events, e);
}

/* Both directions share their memory. */
static uint32_t frames_of(const struct impair *impair)
{
	const struct impair_cfg *cfg = &impair->cfg;
	uint32_t sum = 0;
	unsigned int i;

	for (i = 0; i < impair->nr_sides; i++) {
		if (impair->sides[i].to_user)
			sum += afxdp_pieces(impair->sides[i].mtu) *
			       impair_frames(cfg->rules, impair->sides[i].link_bps, cfg->rate_l1_bps, cfg->queue_bytes,
					     cfg->queue_packets);
	}
	return sum < IMPAIR_FRAMES ? sum : IMPAIR_FRAMES;
}

static int open_bump(struct impair *impair, unsigned int direction, struct err *e)
{
	struct impair_side *side = &impair->sides[direction];
	const struct impair_cfg *cfg = &impair->cfg;
	struct bump_cfg bump = {
		.in_ifname = side->ifname,
		.out_ifname = impair->sides[!direction].ifname,
		.xsks_fd = bpf_map__fd(side->xdp->maps.impair_xsks),
		.seed = cfg->seed + direction,
		.rate_l1_bps = cfg->rate_l1_bps,
		.queue_bytes = cfg->queue_bytes,
		.queue_packets = cfg->queue_packets,
		.nr_frames = cfg->nr_frames ? cfg->nr_frames : frames_of(impair),
		.hold_frames = cfg->hold_frames,
		.other = direction ? impair->sides[0].bump : NULL,
	};

	memcpy(bump.delays, cfg->rules->delays, sizeof(bump.delays));
	return bump_open(&side->bump, &bump, e);
}

static bool is_impaired(enum impair_way way, unsigned int direction)
{
	return way == IMPAIR_BOTH || (direction ? way == IMPAIR_B_TO_A : way != IMPAIR_B_TO_A);
}

/*
 * A sender on this host leaves checksums and segmentation to the device, which repairs or
 * multiplies what is done to such a packet on egress.
 */
static void warn_of_offloads(const struct impair_cfg *cfg, struct result *res)
{
	struct nic_offloads offloads;

	if (cfg->way != IMPAIR_EGRESS || nic_read_offloads(cfg->ifnames[0], &offloads) ||
	    !(offloads.tx_csum || offloads.tso || offloads.gso))
		return;
	result_note(res, "'%s' computes checksums and segments packets of this host's sockets: "
		    "one packet here may be several on the wire, and a corrupted checksum is "
		    "repaired; to avoid this: ethtool -K %s tx off tso off gso "
		    "off", cfg->ifnames[0], cfg->ifnames[0]);
}

static int load_all(struct impair *impair, struct err *e)
{
	struct nic_facts nics[2];
	bool frags = false;
	unsigned int i;
	int err = 0;

	for (i = 0; i < impair->nr_sides; i++) {
		if (nic_read(impair->cfg.ifnames[i], &nics[i]))
			return nic_unknown(impair->cfg.ifnames[i], e);
		if (nic_check_ethernet(impair->cfg.ifnames[i], &nics[i], e))
			return e->no;
		impair->sides[i].ifindex = nics[i].ifindex;
		snprintf(impair->sides[i].ifname, sizeof(impair->sides[i].ifname), "%s",
			 impair->cfg.ifnames[i]);
		frags |= xdp_needs_frags(&nics[i], impair->cfg.xdp_mode);
	}
	if (impair->cfg.way == IMPAIR_EGRESS) {
		impair->sides[0].impaired = true;
		return load_tc(impair, &impair->sides[0], e);
	}
	if (impair->nr_sides == 2 && impair->sides[0].ifindex == impair->sides[1].ifindex)
		return err_usage(e, "the two interfaces must differ: '%s' is given twice",
				 impair->sides[0].ifname);
	for (i = 0; i < impair->nr_sides && !err; i++) {
		struct impair_side *side = &impair->sides[i];

		side->link_bps = nics[i].speed_bps;
		side->mtu = nics[i].mtu;
		side->out_ifindex = impair->nr_sides == 2 ? nics[!i].ifindex : 0;
		side->impaired = is_impaired(impair->cfg.way, i);
		side->open_checksums = impair->nr_sides == 2 && nic_leaves_checksums(nics[i].driver);
		side->to_user = side->impaired &&
				needs_user(&impair->cfg, side->out_ifindex, frags);
		err = load_xdp(impair, i, &nics[i], frags, e);
	}
	for (i = 0; i < impair->nr_sides && !err; i++) {
		if (impair->sides[i].to_user)
			err = open_bump(impair, i, e);
	}
	return err;
}

int impair_open(struct impair **ret_impair, const struct impair_cfg *cfg, struct result *res,
		struct err *e)
{
	struct impair *impair;
	unsigned int i;
	int err;

	err = check_way(cfg, e);
	if (err)
		return err;
	impair = calloc(1, sizeof(*impair));
	if (!impair)
		return err_set(e, -ENOMEM, "cannot set up impairment");
	impair->cfg = *cfg;
	impair->res = res;
	impair->nr_sides = cfg->ifnames[1] ? 2 : 1;
	for (i = 0; i < 2; i++)
		impair->sides[i].promisc_fd = -1;
	bpf_log_init();
	bpf_raise_memlock();
	err = load_all(impair, e);
	if (err) {
		impair_close(impair);
		return err;
	}
	warn_of_offloads(cfg, res);
	*ret_impair = impair;
	return 0;
}

/*
 * A frame that goes on has no skb with a note that its checksum is not complete. In generic mode only
 * what goes to user space leaves its skb; the kernel completes the rest.
 */
static void complete_checksums(struct impair_side *side, enum xdp_mode mode)
{
	enum impair_completes native = side->open_checksums ? IMPAIR_COMPLETE_ALL : IMPAIR_COMPLETE_NONE;
	enum impair_completes generic = side->to_user ? IMPAIR_COMPLETE_MATCHED : IMPAIR_COMPLETE_NONE;

	side->xdp->bss->completes = mode == XDP_MODE_GENERIC ? generic : native;
}

static int attach_xdp(struct impair *impair, struct impair_side *side, struct result *part,
		      struct err *e)
{
	int err;

	complete_checksums(side, impair->cfg.xdp_mode);
	err = xdp_attach(&side->xdp_port, side->ifindex,
			 bpf_program__fd(side->xdp->progs.impair_xdp), impair->cfg.xdp_mode, e);
	if (err)
		return err;
	complete_checksums(side, xdp_port_mode(side->xdp_port));
	result_env_str(part, "xdp_mode", xdp_mode_names[xdp_port_mode(side->xdp_port)]);
	if (impair->nr_sides == 1)
		return 0;
	result_env_str(part, "done_in", side->bump ? "user space, AF_XDP" : "kernel, XDP redirect");
	side->promisc_fd = promisc_open(side->ifindex, e);
	return side->promisc_fd < 0 ? side->promisc_fd : 0;
}

int impair_start(struct impair *impair, struct err *e)
{
	static const char *const names[2] = { "a-to-b", "b-to-a" };
	unsigned int i;
	int err = 0;

	if (impair->cfg.way == IMPAIR_EGRESS) {
		struct impair_side *side = &impair->sides[0];

		err = tc_attach(&side->tc_port, side->ifindex, true,
				bpf_program__fd(side->tc->progs.impair_tc),
				bpf_map__fd(side->tc->maps.tc_beat), impair->cfg.tc_way, e);
		if (!err)
			result_env_str(impair->res, "tc_mode", tc_port_way(side->tc_port));
		return err;
	}
	for (i = 0; i < impair->nr_sides && !err; i++) {
		if (impair->sides[i].bump)
			err = bump_start(impair->sides[i].bump, e);
	}
	for (i = 0; i < impair->nr_sides && !err; i++) {
		struct result *part = impair->nr_sides == 2 ? result_part(impair->res, PART_OTHER, names[i]) :
					impair->res;

		err = attach_xdp(impair, &impair->sides[i], part, e);
	}
	/* Both hooks are attached now; what can still fail is at the peers. */
	for (i = 0; i < impair->nr_sides && impair->nr_sides == 2 && !err; i++) {
		struct impair_xdp_bpf *skel = impair->sides[i].xdp;

		impair->sides[i].companion = companion_open(impair->sides[i].ifname, COMPANION_FOR_XMIT,
							    impair->res);
		if (!live_watch_refusals(skel->progs.impair_refused, &skel->links.impair_refused,
					 skel->progs.impair_failed, &skel->links.impair_failed))
			result_note(impair->res, "this kernel does not report which frames the "
				    "driver of '%s' refused", impair->sides[!i].ifname);
	}
	return err;
}

void impair_poll(struct impair *impair)
{
	unsigned int i;

	for (i = 0; i < impair->nr_sides; i++) {
		struct impair_side *side = &impair->sides[i];

		if (side->events)
			ring_buffer__consume(side->events);
		if (side->tc_port)
			tc_port_beat(side->tc_port);
	}
}

int impair_check(struct impair *impair, struct err *e)
{
	const volatile struct impair_rec *rec;
	unsigned int i, cpu;

	for (i = 0; i < impair->nr_sides; i++) {
		const struct impair_side *side = &impair->sides[i];

		if (nic_check_there(side->ifname, side->ifindex, e))
			return e->no;
		for (cpu = 0, rec = side->recs; cpu < cpu_nr_possible(); cpu++, rec++) {
			if (!rec->no_meta)
				continue;
			err_machine(e, -EOPNOTSUPP, "the driver of '%s' has no room for metadata "
				    "in front of a frame", side->ifname);
			return err_hint(e, "impairments without delay, such as " OPTION("loss")
					" and " OPTION("corrupt") ", work here; or: "
					OPTION("xdp-mode") " generic");
		}
	}
	return 0;
}

void impair_stop(struct impair *impair)
{
	unsigned int i;

	for (i = 0; i < impair->nr_sides; i++) {
		struct impair_side *side = &impair->sides[i];

		xdp_detach(side->xdp_port);
		tc_detach(side->tc_port);
		side->xdp_port = NULL;
		side->tc_port = NULL;
	}
	for (i = 0; i < impair->nr_sides; i++) {
		if (impair->sides[i].bump)
			bump_stop(impair->sides[i].bump);
	}
	impair_poll(impair);
}

void impair_close(struct impair *impair)
{
	unsigned int i;

	if (!impair)
		return;
	for (i = 0; i < 2; i++) {
		struct impair_side *side = &impair->sides[i];

		xdp_detach(side->xdp_port);
		tc_detach(side->tc_port);
		companion_close(side->companion);
		if (side->promisc_fd >= 0)
			close(side->promisc_fd);
		if (side->bump)
			bump_close(side->bump);
		ring_buffer__free(side->events);
		bpf_unmap_memory(side->recs, side->recs_bytes);
		impair_xdp_bpf__destroy(side->xdp);
		impair_tc_bpf__destroy(side->tc);
	}
	free(impair);
}
