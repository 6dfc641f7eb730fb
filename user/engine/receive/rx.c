// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/receive/rx.c - count, check and time received packets with sink_xdp.
 */
#include "engine/receive/rx.h"

#include <arpa/inet.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>

#include "engine/receive/rx_parts.h"
#include "engine/self/environ.h"
#include "lib/hist.h"
#include "lib/loop.h"
#include "lib/pdv.h"
#include "proto/payload.h"
#include "sys/afxdp/ring.h"
#include "sys/hook/bpf.h"
#include "sys/host/caps.h"
#include "sys/host/clock.h"
#include "sys/net/nic.h"

#include "sink_hw.skel.h"
#include "sink_spin.skel.h"
#include "sink_xdp.skel.h"

#ifndef BPF_F_XDP_DEV_BOUND_ONLY	/* uapi of 6.3 and later */
#define BPF_F_XDP_DEV_BOUND_ONLY (1 << 6)
#endif

#define SEQ_WAIT_NS 200000000	/* for a stream's lock, as long as the program waits */
#define PDV_BYTES (64u << 20)	/* of the records of delay variation, of all CPUs and streams */

const char *const rx_stamp_names[] = { "xdp", "hw", "auto", NULL };

const struct opt rx_window_options[] = {
	{ 0, "order-window", OPT_U32, 0, "N",
	  "distinguish a late packet from a copy up to N numbers below the highest; rounded up to a power "
	  "of two; default: by the link's speed", .min = 1, .max = SEQ_WINDOW_MAX },
	OPT_END
};

/* Sizes the maps as the configuration requires; unused ones keep one entry. */
static void size_maps(struct rx *rx)
{
	const struct rx_cfg *cfg = &rx->cfg;
	struct sink_xdp_bpf *skel = rx->skel;
	uint32_t lanes = rx->nr_cpus * cfg->streams;

	bpf_map__set_max_entries(skel->maps.sink_recs, rx->nr_cpus * (cfg->streams + 1u));
	bpf_map__set_max_entries(skel->maps.sink_hists, lanes);
	bpf_map__set_max_entries(skel->maps.pdvs, rx->nr_cpus * rx->pdv_streams);
	if (cfg->gaps)
		bpf_map__set_max_entries(skel->maps.sink_gaps, lanes);
	if (cfg->expect_gap_ns)
		bpf_map__set_max_entries(skel->maps.sink_gap_errors, lanes);
	bpf_map__set_max_entries(skel->maps.sink_cpus, rx->nr_cpus);
	bpf_map__set_max_entries(skel->maps.sink_seqs, cfg->streams);
	bpf_map__set_max_entries(skel->maps.sink_records,
				 cfg->record_every ? cfg->record_ring_bytes :
				 (uint32_t)sysconf(_SC_PAGESIZE));
	bpf_map__set_max_entries(skel->maps.sink_orders, cfg->streams);
	bpf_map__set_max_entries(skel->maps.sink_rings, cfg->streams);
	bpf_map__set_value_size(skel->maps.sink_rings, SEQ_RING_BYTES(cfg->window, cfg->vary));
	if (cfg->vary)
		bpf_map__set_max_entries(skel->maps.sink_varies, cfg->streams);
}

static int map_gaps(struct rx *rx, struct err *e)
{
	int err = 0;

	if (rx->cfg.gaps)
		err = bpf_map_memory(rx->skel->maps.sink_gaps, (void **)&rx->gaps,
				     &rx->gaps_bytes, e);
	if (!err && rx->cfg.expect_gap_ns)
		err = bpf_map_memory(rx->skel->maps.sink_gap_errors, (void **)&rx->gap_errors,
				     &rx->gap_errors_bytes, e);
	return err;
}

/*
 * sink_hw is sink_xdp with one more map, and sink_spin has the same maps, so sink_xdp's skeleton serves all; these
 * asserts cover what the skeleton assumes.
 */
#define HAS_RODATA_OF_SINK_XDP(name) \
	(sizeof(struct name##_bpf__rodata) == sizeof(struct sink_xdp_bpf__rodata) && \
	 offsetof(struct name##_bpf__rodata, cfg) == offsetof(struct sink_xdp_bpf__rodata, cfg))
_Static_assert(HAS_RODATA_OF_SINK_XDP(sink_hw), "read-only data as in sink_xdp");
_Static_assert(HAS_RODATA_OF_SINK_XDP(sink_spin), "read-only data as in sink_xdp");

static int open_object(struct rx *rx, struct err *e)
{
	struct sink_xdp_bpf *skel = calloc(1, sizeof(*skel));
	int err;

	rx->skel = skel;
	err = skel ? sink_xdp_bpf__create_skeleton(skel) : -ENOMEM;
	if (!err && rx->stamp)
		skel->skeleton->data = (void *)sink_hw_bpf__elf_bytes(&skel->skeleton->data_sz);
	else if (!err && !bpf_has_cmpxchg())
		skel->skeleton->data = (void *)sink_spin_bpf__elf_bytes(&skel->skeleton->data_sz);
	if (!err)
		err = bpf_object__open_skeleton(skel->skeleton, NULL);
	if (err)
		return err_set(e, err, "cannot open BPF object 'sink_xdp'");
	if (!rx->stamp)
		return 0;
	bpf_program__set_ifindex(skel->progs.sink_xdp, (uint32_t)rx->ifindex);
	bpf_program__set_flags(skel->progs.sink_xdp, BPF_F_XDP_DEV_BOUND_ONLY);
	return 0;
}

static int map_order(struct rx *rx, struct err *e)
{
	struct rx_order *order = &rx->order;
	int err;

	order->streams = rx->cfg.streams;
	order->window = rx->cfg.window;
	err = bpf_map_memory(rx->skel->maps.sink_orders, (void **)&order->orders,
			     &order->orders_bytes, e);
	if (!err)
		err = bpf_map_memory(rx->skel->maps.sink_rings, (void **)&order->rings,
				     &order->rings_bytes, e);
	if (!err && bpf_map__map_flags(rx->skel->maps.sink_seqs) & BPF_F_MMAPABLE)
		err = bpf_map_memory(rx->skel->maps.sink_seqs, (void **)&rx->seqs, &rx->seqs_bytes, e);
	if (!err && rx->cfg.vary)
		err = bpf_map_memory(rx->skel->maps.sink_varies, (void **)&order->varies,
				     &order->varies_bytes, e);
	return err;
}

static void set_peer(struct sink_xdp_bpf *skel, const struct frame_addr *peer)
{
	struct sink_peer to = { 0 };

	if (peer->family) {
		to.version = peer->family == AF_INET6 ? 6 : 4;
		memcpy(to.addr, &peer->ip6, to.version == 6 ? 16 : 4);
	}
	memcpy((void *)&skel->rodata->sink_peer, &to, sizeof(to));
}

static int load(struct rx *rx, const struct nic_facts *nic, struct err *e)
{
	struct sink_xdp_bpf *skel = rx->skel;
	const struct rx_cfg *cfg = &rx->cfg;
	bool frags = xdp_needs_frags(nic, cfg->mode);
	int err;

	skel->rodata->cfg.port = htons(cfg->port);
	skel->rodata->cfg.match = (uint8_t)cfg->match;
	set_peer(skel, &cfg->peer);
	skel->rodata->own_mac = cfg->own_mac ? sink_mac(nic->mac) : 0;
	skel->rodata->cfg.pass = cfg->pass;
	skel->rodata->cfg.check = cfg->check;
	skel->rodata->cfg.streams = cfg->streams;
	skel->rodata->cfg.pdv_streams = rx->pdv_streams;
	skel->rodata->cfg.gaps = cfg->gaps;
	skel->rodata->cfg.vary = cfg->vary;
	skel->rodata->cfg.run = cfg->run;
	skel->rodata->cfg.no_verify = cfg->no_checksum;
	skel->rodata->seq_window = cfg->window;
	skel->rodata->expect_gap_ns = cfg->expect_gap_ns;
	skel->rodata->record_every = cfg->record_every;
	skel->rodata->stamp_clock = cfg->clock;
	skel->rodata->has_frags = frags;
	skel->rodata->intact_l4 = !cfg->no_l4_checksum;
	skel->rodata->stores_in_order = bpf_stores_in_order();
	skel->rodata->sum_blocks = bpf_sums_blocks();
	skel->rodata->verify_payload = cfg->verify_payload;
	if (cfg->verify_payload)
		payload_fill((void *)skel->rodata->payload_words, sizeof(skel->rodata->payload_words));
	skel->rodata->note_seen = !!cfg->drops;
	bpf_set_frags(skel->obj, frags);
	size_maps(rx);
	err = cfg->drops ? bpf_map__reuse_fd(skel->maps.seen_packets, cfg->drops->seen_fd) : 0;
	if (!err && cfg->drops)
		err = bpf_map__reuse_fd(skel->maps.drops_taken_back, cfg->drops->taken_back_fd);
	if (!err)
		err = bpf_load(skel->skeleton);
	if (err) {
		bpf_load_error(e, err, rx->stamp ? "sink_hw" : "sink_xdp");
		return frags ? bpf_frags_hint(e, err, cfg->ifname, nic->mtu) : err;
	}
	err = bpf_map_memory(skel->maps.sink_recs, (void **)&rx->recs, &rx->recs_bytes, e);
	if (err)
		return err;
	err = bpf_map_memory(skel->maps.sink_hists, (void **)&rx->hists, &rx->hists_bytes, e);
	if (!err)
		err = bpf_map_memory(skel->maps.pdvs, (void **)&rx->pdvs, &rx->pdvs_bytes, e);
	if (!err)
		err = map_gaps(rx, e);
	if (!err)
		err = map_order(rx, e);
	if (err)
		return err;
	return bpf_map_memory(skel->maps.sink_cpus, (void **)&rx->cpus, &rx->cpus_bytes, e);
}

/* Opens hardware timestamping, if requested and supported. */
static int open_stamp(struct rx *rx, struct result *res, struct err *e)
{
	const struct rx_cfg *cfg = &rx->cfg;
	int err;

	if (!cfg->check || cfg->stamp == RX_STAMP_XDP)
		return 0;
	err = hw_stamp_open(&rx->stamp, cfg->ifname, HW_STAMP_RX, cfg->clock, e);
	if (!err || cfg->stamp == RX_STAMP_HW || e->kind == ERR_USAGE)
		return err;
	result_note(res, "%s; timestamps are taken by the XDP program", e->msg);
	*e = (struct err){ 0 };
	return 0;
}

static int start_stamp(struct rx *rx, struct err *e)
{
	struct bpf_map *map;
	int err;

	if (!rx->stamp)
		return 0;
	map = bpf_object__find_map_by_name(rx->skel->obj, "phc_lines");
	err = map ? bpf_map_memory(map, (void **)&rx->lines, &rx->lines_bytes, e) :
		    err_set(e, -ENOENT, "cannot find BPF map 'phc_lines'");
	if (!err)
		hw_stamp_publish(rx->stamp, rx->lines);
	return err;
}

/* A device-bound program runs in its driver only. */
static enum xdp_mode attach_mode(const struct rx *rx)
{
	return rx->stamp && rx->cfg.mode == XDP_MODE_AUTO ? XDP_MODE_NATIVE : rx->cfg.mode;
}

static void describe(const struct rx *rx, struct result *res)
{
	enum xdp_mode mode = xdp_port_mode(rx->port);

	result_env_str(res, "rx_xdp_mode", xdp_mode_names[mode]);
	if (rx->cfg.check)
		result_env_u64(res, "order_window_packets", rx->cfg.window);
	if (!rx->cfg.no_checksum)
		result_env_str(res, "rx_checksums",
			       rx->cfg.no_l4_checksum ? "IPv4 header" : "IPv4 header, L4");
	if (rx->cfg.verify_payload)
		result_env_str(res, "rx_payload", "pattern");
	environ_rx_stamp(res, !rx->cfg.check ? STAMPED_NOWHERE : rx->stamp ? STAMPED_HW :
			 mode == XDP_MODE_GENERIC ? STAMPED_XDP_GENERIC : STAMPED_XDP);
}

/* Each has a record of its own as far as PDV_BYTES suffice. */
static uint16_t pdv_streams(uint16_t streams, unsigned int nr_cpus)
{
	unsigned int most = PDV_BYTES / (unsigned int)sizeof(struct pdv_rec) / nr_cpus;

	return most < 1 ? 1 : most < streams ? (uint16_t)most : streams;
}

int rx_open(struct rx **ret_rx, const struct rx_cfg *cfg, struct result *res, struct err *e)
{
	struct nic_facts nic;
	struct rx *rx;
	int err;

	if (nic_read(cfg->ifname, &nic))
		return nic_unknown(cfg->ifname, e);
	rx = calloc(1, sizeof(*rx));
	if (!rx)
		return err_set(e, -ENOMEM, "cannot open the receiver");
	rx->receiver.ops = &rx_receiver_ops;
	rx->cfg = *cfg;
	rx->cfg.window = rx_order_window(cfg->check ? cfg->window : 1, nic.speed_bps, cfg->streams);
	rx->ifindex = nic.ifindex;
	rx->nr_cpus = cpu_nr_possible();
	rx->pdv_streams = pdv_streams(cfg->streams, rx->nr_cpus);
	bpf_log_init();
	bpf_raise_memlock();
	err = clock_check_bpf(cfg->clock, e);
	if (!err)
		err = open_stamp(rx, res, e);
	if (!err)
		err = open_object(rx, e);
	if (!err)
		err = load(rx, &nic, e);
	if (!err)
		err = start_stamp(rx, e);
	if (!err)
		err = xdp_attach(&rx->port, rx->ifindex,
				 bpf_program__fd(rx->skel->progs.sink_xdp), attach_mode(rx), e);
	if (err)
		goto fail;
	describe(rx, res);
	*ret_rx = rx;
	return 0;
fail:
	rx_close(rx);
	return err;
}

void rx_stop(struct rx *rx)
{
	xdp_detach(rx->port);
	rx->port = NULL;
}

void rx_close(struct rx *rx)
{
	if (!rx)
		return;
	rx_stop(rx);
	bpf_unmap_memory(rx->recs, rx->recs_bytes);
	bpf_unmap_memory(rx->hists, rx->hists_bytes);
	bpf_unmap_memory(rx->pdvs, rx->pdvs_bytes);
	bpf_unmap_memory(rx->gaps, rx->gaps_bytes);
	bpf_unmap_memory(rx->gap_errors, rx->gap_errors_bytes);
	bpf_unmap_memory(rx->seqs, rx->seqs_bytes);
	bpf_unmap_memory(rx->cpus, rx->cpus_bytes);
	bpf_unmap_memory(rx->lines, rx->lines_bytes);
	hw_stamp_close(rx->stamp);
	bpf_unmap_memory(rx->order.orders, rx->order.orders_bytes);
	bpf_unmap_memory(rx->order.varies, rx->order.varies_bytes);
	bpf_unmap_memory(rx->order.rings, rx->order.rings_bytes);
	sink_xdp_bpf__destroy(rx->skel);
	free(rx);
}

static void add_rec(struct rx_count *sum, const struct sink_rec *rec)
{
	uint64_t first_ns = __atomic_load_n(&rec->first_mono_ns, __ATOMIC_RELAXED);
	uint64_t last_ns = __atomic_load_n(&rec->last_mono_ns, __ATOMIC_RELAXED);

	sum->packets += __atomic_load_n(&rec->packets, __ATOMIC_RELAXED);
	sum->bytes += __atomic_load_n(&rec->bytes, __ATOMIC_RELAXED);
	sum->stamped += __atomic_load_n(&rec->last_packets, __ATOMIC_RELAXED);
	if (first_ns && (!sum->first_mono_ns || first_ns < sum->first_mono_ns))
		sum->first_mono_ns = first_ns;
	if (last_ns > sum->last_mono_ns)
		sum->last_mono_ns = last_ns;
}

/* From the first to the last timestamped packet: n packets span n - 1 intervals. */
static void set_rate(struct rx_count *count)
{
	uint64_t span_ns = count->last_mono_ns - count->first_mono_ns;

	if (count->stamped > 1 && span_ns)
		count->rate_pps = (double)(count->stamped - 1) * NSEC_PER_SEC / (double)span_ns;
}

/*
 * Copies the state between two writes. A writer that stands still, as a virtual CPU may, is not waited
 * for longer than the program itself does: then the copy may be of two packets.
 */
static void copy_seq(const struct seq_slot *slot, struct seq_state *ret_seq)
{
	uint64_t end_ns = 0;
	uint32_t count, i;

	for (i = 1;; i++) {
		count = __atomic_load_n(&slot->count, __ATOMIC_ACQUIRE);
		memcpy(ret_seq, &slot->state, sizeof(*ret_seq));
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
		if (!(count & 1) && count == __atomic_load_n(&slot->count, __ATOMIC_RELAXED))
			return;
		if (i % 64)
			continue;
		if (!end_ns)
			end_ns = loop_mono_ns() + SEQ_WAIT_NS;
		else if (loop_mono_ns() > end_ns)
			return;
		sched_yield();
	}
}

static bool read_seq(const struct rx *rx, uint32_t stream, struct seq_state *ret_seq)
{
	struct seq_slot slot;

	if (rx->seqs) {
		copy_seq(&rx->seqs[stream], ret_seq);
	} else {
		if (bpf_map_lookup_elem_flags(bpf_map__fd(rx->skel->maps.sink_seqs), &stream, &slot, BPF_F_LOCK))
			return false;
		*ret_seq = slot.state;
	}
	seq_take_only(ret_seq);
	return ret_seq->run;
}

/* A stream of which nothing was sent. */
static void add_forged(const struct seq_state *seq, struct rx_count *sum)
{
	int i;

	sum->implausible += seq->distinct + seq->duplicates + seq->unknown + seq->implausible;
	for (i = 0; i < SEQ_NR_HELD; i++) {
		if (seq->held[i].is)
			sum->implausible += 1 + seq->held[i].copies;
	}
}

static bool add_seq(struct rx *rx, uint32_t stream, const struct rx_sent *sent, struct rx_count *sum)
{
	uint64_t end = rx_sent_numbers(sent, (uint16_t)stream);
	struct seq_state seq = { 0 };
	bool seen = read_seq(rx, stream, &seq);

	if (seen && sent && !end) {
		add_forged(&seq, sum);
		return false;
	}
	if (seen || end)
		rx_order_add(&rx->order, stream, &seq, end, sum);
	return seen;
}

bool rx_read_tail(struct rx *rx, uint16_t stream, uint64_t *ret_next, uint64_t *ret_last_lost)
{
	struct seq_state seq;

	if (!read_seq(rx, stream, &seq))
		return false;
	*ret_next = seq.next - seq.base;
	*ret_last_lost = rx_order_last_lost(&rx->order, stream, &seq);
	return true;
}

const char *rx_prefix(const struct rx_cfg *cfg)
{
	return cfg->match == SINK_MATCH_SOURCE ? "rtt" : "delay";
}

int rx_records_fd(const struct rx *rx)
{
	return bpf_map__fd(rx->skel->maps.sink_records);
}

int rx_each_record(const struct rx *rx, void (*take)(void *ctx, const struct record *rec), void *ctx,
		   struct err *e)
{
	const struct record *rec;
	struct ring *ring;
	int err;

	err = ring_open(&ring, rx_records_fd(rx), rx->cfg.record_ring_bytes, e);
	if (err)
		return err;
	ring_look(ring);
	while ((rec = ring_next(ring, sizeof(*rec))))
		take(ctx, rec);
	ring_release(ring);
	ring_close(ring);
	return 0;
}

uint64_t rx_packets(const struct rx *rx)
{
	uint64_t packets = 0;
	uint32_t i;

	for (i = 0; i < rx->nr_cpus * (rx->cfg.streams + 1u); i++)
		packets += __atomic_load_n(&rx->recs[i].packets, __ATOMIC_RELAXED);
	return packets;
}

void rx_read(struct rx *rx, struct rx_count *ret_count)
{
	rx_read_all(rx, NULL, ret_count);
}

void rx_read_all(struct rx *rx, const struct rx_sent *sent, struct rx_count *ret_count)
{
	uint64_t start_ns = loop_mono_ns(), took_ns;
	struct rx_count sum = { 0 };
	uint32_t i;

	for (i = 0; i < rx->nr_cpus * (rx->cfg.streams + 1u); i++)
		add_rec(&sum, &rx->recs[i]);
	for (i = 0; i < rx->nr_cpus; i++)
		rx_add_odd(&sum, &rx->cpus[i].odd);
	for (i = 0; rx->cfg.check && i < rx->cfg.streams; i++)
		add_seq(rx, i, sent, &sum);
	set_rate(&sum);
	took_ns = loop_mono_ns() - start_ns;
	if (took_ns > rx->skew_ns)
		rx->skew_ns = took_ns;
	*ret_count = sum;
}

bool rx_read_stream(struct rx *rx, uint16_t stream, const struct rx_sent *sent,
		    struct rx_count *ret_count)
{
	struct rx_count sum = { 0 };
	uint32_t cpu;

	if (!add_seq(rx, stream, sent, &sum) && !sum.numbers)
		return false;
	for (cpu = 0; cpu < rx->nr_cpus; cpu++)
		add_rec(&sum, &rx->recs[cpu * (rx->cfg.streams + 1u) + stream]);
	set_rate(&sum);
	*ret_count = sum;
	return true;
}

void rx_sum_hists(const struct rx *rx, const struct hist_rec *hists, uint32_t stream,
		  struct hist_rec *ret_hist)
{
	uint32_t step = stream == RX_ALL_STREAMS ? 1 : rx->cfg.streams, i;

	memset(ret_hist, 0, sizeof(*ret_hist));
	for (i = stream == RX_ALL_STREAMS ? 0 : stream; i < rx->nr_cpus * rx->cfg.streams; i += step)
		hist_merge(ret_hist, &hists[i]);
}

bool rx_read_pdv(const struct rx *rx, uint32_t stream, const struct hist_rec *delays,
		 struct hist_rec *ret_pdv)
{
	bool all = stream == RX_ALL_STREAMS;
	uint32_t step = all ? 1 : rx->pdv_streams, i;
	struct pdv_rec sum = { 0 };

	if (!all && stream + 1 >= rx->pdv_streams && rx->pdv_streams < rx->cfg.streams)
		return false;
	for (i = all ? 0 : stream; i < rx->nr_cpus * rx->pdv_streams; i += step)
		pdv_merge(&sum, &rx->pdvs[i]);
	pdv_hist(&sum, delays, ret_pdv);
	return true;
}

void rx_read_stream_hist(struct rx *rx, uint16_t stream, struct hist_rec *ret_hist)
{
	rx_sum_hists(rx, rx->hists, stream, ret_hist);
}

void rx_read_hist(struct rx *rx, struct hist_rec *ret_hist)
{
	rx_sum_hists(rx, rx->hists, RX_ALL_STREAMS, ret_hist);
}

void rx_read_gaps(struct rx *rx, struct hist_rec *ret_hist)
{
	rx_sum_hists(rx, rx->gaps, RX_ALL_STREAMS, ret_hist);
}

void rx_read_gap_errors(struct rx *rx, struct hist_rec *ret_hist)
{
	rx_sum_hists(rx, rx->gap_errors, RX_ALL_STREAMS, ret_hist);
}

unsigned int rx_keep_caps(const struct rx *rx)
{
	return bpf_map_caps() | (rx->stamp ? CAPS_NET_ADMIN : 0);
}

int rx_check(struct rx *rx, struct err *e)
{
	if (rx->stamp)
		hw_stamp_follow(rx->stamp);
	if (!nic_check_there(rx->cfg.ifname, rx->ifindex, e))
		return 0;
	return err_hint(e, "the result has the counts up to then");
}
