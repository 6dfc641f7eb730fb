// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/echo/reflector.c - answer test packets inside the driver.
 */
#include "engine/echo/reflector.h"

#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include <bpf/libbpf.h>

#include "engine/self/environ.h"
#include "engine/send/companion.h"
#include "lib/log.h"
#include "lib/loop.h"
#include "lib/unit.h"
#include "sys/hook/bpf.h"
#include "sys/hook/live_frames.h"
#include "sys/net/netns.h"
#include "sys/net/nic.h"

#include "reflect_xdp.skel.h"

struct reflector {
	char ifname[IF_NAMESIZE];
	int ifindex;
	struct reflect_xdp_bpf *skel;
	struct reflector_stamp *stamp;	/* one of the two is NULL */
	struct reflector_dest *dest;
	struct companion *companion;
	struct xdp_port *port;
	struct reflect_rec *recs;	/* mapped; one per CPU */
	size_t recs_bytes;
	double source_pps;
	bool limit_told;
	struct reflect_rec row;		/* totals at the previous row */
	uint64_t row_answered;		/* the most so far: an answer is refused after it is counted */
	uint64_t row_elapsed_ns;
};

static int load_plain(struct reflector *reflector, const struct reflect_cfg *cfg,
		      const struct reflect_pools *pools, bool frags,
		      struct reflector_programs *ret_programs, struct err *e)
{
	struct reflect_xdp_bpf *skel = reflect_xdp_bpf__open();
	int err;

	if (!skel)
		return bpf_load_error(e, -errno, "reflect_xdp");
	reflector->skel = skel;
	REFLECTOR_SET_COMMON(skel, cfg, pools, reflector->ifindex, frags);
	err = bpf_map__set_max_entries(skel->maps.reflect_recs, cpu_nr_possible());
	if (!err)
		err = bpf_load(skel->skeleton);
	if (err)
		return bpf_load_error(e, err, "reflect_xdp");
	*ret_programs = REFLECTOR_PROGRAMS(skel, reflect_xdp);
	return 0;
}

/* The limit of each source, in the units of the kernel that this is. */
static int set_limit(struct reflect_cfg *ret, double source_pps, struct err *e)
{
	struct timespec tick;

	if (!(source_pps > 0))
		return 0;
	/* The coarse clocks advance with jiffies. */
	if (clock_getres(CLOCK_MONOTONIC_COARSE, &tick) ||
	    getrandom(ret->factors, sizeof(ret->factors), 0) != sizeof(ret->factors))
		return err_set(e, -errno, "cannot set up the limit of each source");
	ret->tick_ns = (uint32_t)tick.tv_nsec;
	ret->period_ns = (uint64_t)fmin(NSEC_PER_SEC / source_pps, 1e15);	/* 11 days */
	ret->factors[0] |= 1;
	ret->factors[1] |= 1;
	return 0;
}

static int load(struct reflector *reflector, const struct reflector_cfg *cfg,
		const struct nic_facts *nic, struct reflector_programs *ret_programs,
		struct result *res, struct err *e)
{
	static const struct reflect_pools no_pools;
	const struct reflect_pools *pools = cfg->pools ? cfg->pools : &no_pools;
	bool frags = xdp_needs_frags(nic, cfg->mode);
	struct reflect_cfg bpf_cfg = {
		.port = htons(cfg->port), .icmp = cfg->icmp, .any_mac = cfg->any_mac,
	};
	int err;

	memcpy(bpf_cfg.mac, nic->mac, sizeof(bpf_cfg.mac));
	err = set_limit(&bpf_cfg, cfg->source_pps, e);
	if (err)
		return err;
	if (cfg->stamp)
		err = reflector_stamp_open(&reflector->stamp, &bpf_cfg, pools, cfg->stamp,
					   nic->ifindex, frags, ret_programs, res, e);
	else
		err = load_plain(reflector, &bpf_cfg, pools, frags, ret_programs, e);
	if (err && frags)
		return bpf_frags_hint(e, err, cfg->ifname, nic->mtu);
	if (err)
		return err;
	return bpf_map_memory(ret_programs->recs, (void **)&reflector->recs, &reflector->recs_bytes, e);
}

/* Before the program is attached, as it answers from then on. */
static void watch_refusals(const struct reflector_programs *programs, struct result *res)
{
	bool watched = live_watch_refusals(programs->refused, programs->refused_link,
					   programs->failed, programs->failed_link);

	result_env_str(res, "refusals_seen_by",
		       watched ? "tracepoints xdp_bulk_tx, xdp_exception" : "none");
	if (!watched)
		result_note(res, "this kernel does not report which answers the driver refused: "
			    "'answered' may include some that did not leave");
}

int reflector_open(struct reflector **ret_reflector, const struct reflector_cfg *cfg,
		   struct result *res, struct err *e)
{
	struct reflector_programs programs;
	struct reflector *reflector;
	enum environ_stamp place;
	struct nic_facts nic;
	int err;

	if (nic_read(cfg->ifname, &nic))
		return nic_unknown(cfg->ifname, e);
	reflector = calloc(1, sizeof(*reflector));
	if (!reflector)
		return err_set(e, -ENOMEM, "cannot open a reflector");
	snprintf(reflector->ifname, sizeof(reflector->ifname), "%s", cfg->ifname);
	reflector->ifindex = nic.ifindex;
	reflector->source_pps = cfg->source_pps;

	bpf_log_init();
	bpf_raise_memlock();
	err = load(reflector, cfg, &nic, &programs, res, e);
	if (err)
		goto out;
	/* Before the program is attached: it answers nothing else. */
	err = reflector_dest_open(&reflector->dest, nic.ifindex, programs.own, e);
	if (err)
		goto out;
	environ_iface(res, cfg->ifname);
	watch_refusals(&programs, res);
	err = xdp_attach(&reflector->port, nic.ifindex, programs.fd, cfg->mode, e);
	if (err)
		goto out;
	/* Generic XDP answers through the stack's transmit function. */
	if (xdp_port_mode(reflector->port) == XDP_MODE_NATIVE)
		reflector->companion = companion_open(cfg->ifname, COMPANION_FOR_TX, res);
	place = xdp_port_mode(reflector->port) == XDP_MODE_GENERIC ? STAMPED_XDP_GENERIC : STAMPED_XDP;
	if (reflector->stamp) {
		reflector_stamp_attached(reflector->stamp, place == STAMPED_XDP_GENERIC);
		environ_tx_stamp(res, STAMPED_BPF);
		environ_rx_stamp(res, place);
	}
	result_env_str(res, "xdp_mode", xdp_mode_names[xdp_port_mode(reflector->port)]);
	if (!nic.up)
		log_warn("'%s' is down and receives nothing until: ip link set dev %s up", cfg->ifname,
			 cfg->ifname);
	if (!(cfg->pools && cfg->pools->nr4 + cfg->pools->nr6) && !reflector_dest_nr(reflector->dest)) {
		log_warn("'%s' has no address, and no --for is given: nothing is answered until it "
			 "has an address", cfg->ifname);
		result_note(res, "the interface had no address at the start, and no --for was "
			    "given: nothing is answered without an address");
	}
	*ret_reflector = reflector;
out:
	if (err)
		reflector_close(reflector);
	return err;
}

void reflector_stop(struct reflector *reflector)
{
	xdp_detach(reflector->port);
	reflector->port = NULL;
}

void reflector_close(struct reflector *reflector)
{
	if (!reflector)
		return;
	reflector_stop(reflector);
	companion_close(reflector->companion);
	reflector_dest_close(reflector->dest);
	bpf_unmap_memory(reflector->recs, reflector->recs_bytes);
	reflect_xdp_bpf__destroy(reflector->skel);
	reflector_stamp_close(reflector->stamp);
	free(reflector);
}

void reflector_read(struct reflector *reflector, struct reflect_rec *ret_sum)
{
	/* Another CPU writes while this one reads: read each word exactly once. */
	const volatile struct reflect_rec *rec = reflector->recs;
	struct reflect_rec sum = { 0 };
	unsigned int cpu, i;

	for (cpu = 0; cpu < cpu_nr_possible(); cpu++, rec++) {
		uint64_t first_ns = rec->first_mono_ns, last_ns = rec->last_mono_ns;

		for (i = 0; i < REFLECT_NR_OUTCOMES; i++)
			sum.packets[i] += rec->packets[i];
		sum.bytes += rec->bytes;
		sum.last_packets += rec->last_packets;
		sum.refused += rec->refused;
		if (first_ns && (!sum.first_mono_ns || first_ns < sum.first_mono_ns))
			sum.first_mono_ns = first_ns;
		if (last_ns > sum.last_mono_ns)
			sum.last_mono_ns = last_ns;
	}
	*ret_sum = sum;
}

static uint64_t made(const struct reflect_rec *sum)
{
	return sum->packets[REFLECT_UDP] + sum->packets[REFLECT_ICMP];
}

/* Without what the driver did not take. */
static uint64_t answered(const struct reflect_rec *sum)
{
	return made(sum) > sum->refused ? made(sum) - sum->refused : 0;
}

/* Which kind the refused ones were of, and how long, is not known where there were several. */
static void report_kinds(const struct reflect_rec *sum, uint64_t packets, struct result *res)
{
	uint64_t udp = sum->packets[REFLECT_UDP], icmp = sum->packets[REFLECT_ICMP];

	result_metric_u64(res, "not_sent_packets", made(sum) - packets);
	if (!sum->refused || !udp || !icmp) {
		result_metric_u64(res, "answered_udp_packets", udp ? packets - icmp : 0);
		result_metric_u64(res, "answered_icmp_packets", icmp ? packets - udp : 0);
	}
	if (!sum->refused)
		result_metric_u64(res, "answered_bytes", sum->bytes + packets * UNIT_FCS_BYTES);
}

static uint64_t left(const struct reflect_rec *sum)
{
	return sum->packets[REFLECT_LEFT] + sum->packets[REFLECT_FRAGMENT] +
	       sum->packets[REFLECT_UNSAFE] + sum->packets[REFLECT_MALFORMED] +
	       sum->packets[REFLECT_OTHER_DEST];
}

static uint64_t refused(const struct reflect_rec *sum)
{
	uint64_t packets = 0;
	unsigned int i;

	for (i = REFLECT_LIMITED; i < REFLECT_NR_OUTCOMES; i++)
		packets += sum->packets[i];
	return packets;
}

void reflector_report(struct reflector *reflector, struct result *res)
{
	uint64_t packets, duration_ns;
	struct reflect_rec sum;

	reflector_read(reflector, &sum);
	packets = answered(&sum);
	duration_ns = sum.last_mono_ns - sum.first_mono_ns;
	result_metric_u64(res, "answered_packets", packets);
	report_kinds(&sum, packets, res);
	if (duration_ns) {
		result_metric_u64(res, "duration_ns", duration_ns);
		/* n packets span n - 1 intervals. */
		result_metric_real(res, "answered_pps", (double)(sum.last_packets - 1) *
				   NSEC_PER_SEC / (double)duration_ns *
				   ((double)packets / (double)made(&sum)));
	}
	if (made(&sum) > packets)
		result_note(res, "the driver did not take %llu of %llu answers: see ethgauge doctor %s",
			    (unsigned long long)(made(&sum) - packets), (unsigned long long)made(&sum),
			    reflector->ifname);
	result_metric_u64(res, "left_packets", left(&sum));
	result_metric_u64(res, "left_fragment_packets", sum.packets[REFLECT_FRAGMENT]);
	result_metric_u64(res, "left_unsafe_packets", sum.packets[REFLECT_UNSAFE]);
	result_metric_u64(res, "left_other_dest_packets", sum.packets[REFLECT_OTHER_DEST]);
	result_metric_u64(res, "left_malformed_packets", sum.packets[REFLECT_MALFORMED]);
	result_metric_u64(res, "refused_packets", refused(&sum));
	result_metric_u64(res, "refused_limited_packets", sum.packets[REFLECT_LIMITED]);
	if (sum.packets[REFLECT_LIMITED])
		result_note(res, "%llu packets of sources above --source-rate were dropped: "
			    "--source-rate max answers all", (unsigned long long)sum.packets[REFLECT_LIMITED]);
	if (reflector->stamp)
		reflector_stamp_report(reflector->stamp, &sum, res);
}

void reflector_report_row(struct reflector *reflector, struct result *res, uint64_t elapsed_ns)
{
	uint64_t packets, gap_ns = elapsed_ns - reflector->row_elapsed_ns;
	struct reflect_rec sum;

	reflector_read(reflector, &sum);
	packets = answered(&sum) > reflector->row_answered ?
		  answered(&sum) - reflector->row_answered : 0;
	result_row_open(res, elapsed_ns);
	result_row_u64(res, "answered_packets", packets);
	if (gap_ns)
		result_row_real(res, "answered_pps",
				(double)packets * NSEC_PER_SEC / (double)gap_ns);
	result_row_u64(res, "refused_packets", refused(&sum) - refused(&reflector->row));
	result_row_u64(res, "left_packets", left(&sum) - left(&reflector->row));
	result_row_close(res);
	reflector->row = sum;
	reflector->row_answered += packets;
	reflector->row_elapsed_ns = elapsed_ns;
}

/* At once: who measures with a sender of another tool sees loss, and looks here. */
static void tell_limit(struct reflector *reflector)
{
	struct reflect_rec sum;

	if (reflector->limit_told || !(reflector->source_pps > 0))
		return;
	reflector_read(reflector, &sum);
	if (!sum.packets[REFLECT_LIMITED])
		return;
	reflector->limit_told = true;
	log_warn("a source sends more than %.15g packets per second: those above are dropped; "
		 "--source-rate max answers all", reflector->source_pps);
}

void reflector_tick(struct reflector *reflector)
{
	reflector_dest_tick(reflector->dest);
	tell_limit(reflector);
	if (reflector->stamp)
		reflector_stamp_tick(reflector->stamp);
}

int reflector_check(struct reflector *reflector, struct err *e)
{
	return nic_check_there(reflector->ifname, reflector->ifindex, e);
}
