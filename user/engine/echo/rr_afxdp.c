// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/echo/rr_afxdp.c - requests and answers through AF_XDP sockets.
 *
 * The program timestamps an answer where the driver hands it over, and writes the time over the MAC
 * addresses; so it does not matter when this thread reads it.
 */
#include "engine/echo/rr_afxdp.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/libbpf.h>
#include <linux/if_ether.h>
#include <linux/ipv6.h>

#include "engine/self/environ.h"
#include "lib/unit.h"
#include "proto/payload.h"
#include "sys/afxdp/afxdp_socket.h"
#include "sys/hook/bpf.h"
#include "sys/net/nic.h"

#include "rr_xdp.skel.h"

#define NR_RECEIVE	512		/* few enough to stay in the cache */
#define NR_HELD		2048
#define AT_ONCE		32
#define KICKS		64		/* per flush, each for 32 frames in copy mode */

static void fill_match(struct rr *rr, struct rr_match *match)
{
	const struct frame_spec *frame = &rr->cfg.frame;
	bool ip6 = frame->dst.family == AF_INET6;

	memcpy(match->peer, &frame->dst.ip6, ip6 ? 16 : 4);
	match->version = ip6 ? 6 : 4;
	match->icmp = rr->cfg.icmp;
	match->id = htons(rr->id);
	match->port = htons(frame->dst_port);
	match->run = rr->run;
	match->stream = rr->stream;
	match->streams = rr->cfg.engine == RR_BOUNCE ? (uint16_t)rr->cfg.outstanding : 1;
	match->l4_bytes = (uint16_t)rr_l4_bytes(rr);
	if (rr->cfg.engine == RR_BOUNCE)
		rr_bounce_match(rr, match);
}

static int map_all(struct rr_afxdp *way, struct err *e)
{
	int err;

	err = bpf_map_memory(way->skel->maps.rr_recs, (void **)&way->recs, &way->recs_bytes, e);
	if (!err)
		err = bpf_map_memory(way->skel->maps.rr_hists, (void **)&way->hists,
				     &way->hists_bytes, e);
	if (!err)
		err = bpf_map_memory(way->skel->maps.pdvs, (void **)&way->pdvs, &way->pdvs_bytes, e);
	if (!err)
		err = bpf_map_memory(way->skel->maps.rr_tokens, (void **)&way->tokens,
				     &way->tokens_bytes, e);
	way->end_mono_ns = &way->skel->bss->end_mono_ns;
	return err;
}

static int load(struct rr *rr, const struct nic_facts *nic, struct err *e)
{
	struct rr_afxdp *way = rr->state;
	bool bounce = rr->cfg.engine == RR_BOUNCE;
	struct rr_match match = { 0 };
	struct rr_xdp_bpf *skel;
	int err;

	bpf_log_init();
	bpf_raise_memlock();
	way->skel = skel = rr_xdp_bpf__open();
	if (!skel)
		return bpf_load_error(e, -errno, "rr_xdp");
	fill_match(rr, &match);
	memcpy((void *)&skel->rodata->match, &match, sizeof(match));
	skel->rodata->intact_l4 = true;
	skel->rodata->sum_blocks = bpf_sums_blocks();
	skel->rodata->verify_payload = true;
	payload_fill((void *)skel->rodata->payload_words, sizeof(skel->rodata->payload_words));
	bpf_map__set_max_entries(skel->maps.rr_xsks, nic->rx_queues ? nic->rx_queues : 1);
	bpf_map__set_max_entries(skel->maps.rr_recs, cpu_nr_possible());
	if (bounce) {
		bpf_map__set_max_entries(skel->maps.rr_hists, cpu_nr_possible());
		bpf_map__set_max_entries(skel->maps.pdvs, cpu_nr_possible());
	}
	bpf_map__set_max_entries(skel->maps.rr_tokens, bounce ? rr->cfg.outstanding : 1);
	bpf_program__set_autoload(skel->progs.rr_xdp, !bounce);
	bpf_program__set_autoload(skel->progs.rr_xdp_bounce, bounce);
	err = bpf_load(skel->skeleton);
	return err ? bpf_load_error(e, err, "rr_xdp") : map_all(way, e);
}

static struct bpf_program *program(const struct rr *rr)
{
	const struct rr_afxdp *way = rr->state;

	return rr->cfg.engine == RR_BOUNCE ? way->skel->progs.rr_xdp_bounce :
					     way->skel->progs.rr_xdp;
}

static int open_sockets(struct rr *rr, struct err *e)
{
	const struct afxdp_wire_cfg cfg = {
		.in_ifname = rr->cfg.ifname, .out_ifname = rr->cfg.ifname,
		.nr_frames = NR_HELD, .nr_receive = NR_RECEIVE,
		.copy_only = !rr->cfg.zero_copy, .busy_poll = rr->cfg.busy_poll,
	};
	struct rr_afxdp *way = rr->state;
	uint64_t until_ns = 0;
	int err;

	do {
		err = afxdp_wire_open(&way->wire, &cfg, e);
	} while (afxdp_try_again(err, &until_ns, e));
	if (!err && rr->cfg.zero_copy && !afxdp_wire_zero_copy(way->wire)) {
		err_machine(e, -EOPNOTSUPP, "zero-copy is not supported on '%s'", rr->cfg.ifname);
		err = err_hint(e, "omit " OPTION("zero-copy") "; see: ethgauge doctor %s",
				rr->cfg.ifname);
	}
	if (!err)
		err = afxdp_lane_open(way->wire, false, bpf_map__fd(way->skel->maps.rr_xsks),
				      &way->lane, e);
	if (err || rr->buf_bytes <= afxdp_wire_max_buf_bytes(way->wire))
		return err;
	return err_usage(e, "frames of %u bytes are too large for this engine: at most %u",
			 rr->cfg.frame.frame_bytes,
			 afxdp_wire_max_buf_bytes(way->wire) + UNIT_FCS_BYTES);
}

static void describe(const struct rr *rr, struct result *res)
{
	const struct rr_afxdp *way = rr->state;
	bool native = xdp_port_mode(way->port) == XDP_MODE_NATIVE, bounce = rr->cfg.engine == RR_BOUNCE;

	result_env_str(res, "rx_checksums", "IPv4 header, L4");
	result_env_str(res, "xdp_mode", xdp_mode_names[xdp_port_mode(way->port)]);
	if (!bounce)
		result_env_str(res, "afxdp_mode", afxdp_wire_zero_copy(way->wire) ? "zero-copy" : "copy");
	environ_tx_stamp(res, bounce ? STAMPED_BPF : STAMPED_USER);
	environ_rx_stamp(res, native ? STAMPED_XDP : STAMPED_XDP_GENERIC);
}

int rr_afxdp_open(struct rr *rr, struct result *res, struct err *e)
{
	struct rr_afxdp *way = calloc(1, sizeof(*way));
	struct nic_facts nic;
	int err;

	if (!way)
		return err_set(e, -ENOMEM, "cannot open the AF_XDP engine");
	rr->state = way;
	err = nic_read(rr->cfg.ifname, &nic);
	if (err)
		return err_set(e, err, "cannot read interface '%s'", rr->cfg.ifname);
	err = load(rr, &nic, e);
	if (!err)
		err = xdp_attach(&way->port, nic.ifindex, bpf_program__fd(program(rr)),
				 rr->cfg.mode, e);
	if (!err)
		err = open_sockets(rr, e);
	if (!err)
		describe(rr, res);
	return err;
}

void rr_afxdp_close(struct rr *rr)
{
	struct rr_afxdp *way = rr->state;

	if (!way)
		return;
	xdp_detach(way->port);
	afxdp_wire_close(way->wire);
	bpf_unmap_memory(way->recs, way->recs_bytes);
	bpf_unmap_memory(way->hists, way->hists_bytes);
	bpf_unmap_memory(way->pdvs, way->pdvs_bytes);
	bpf_unmap_memory(way->tokens, way->tokens_bytes);
	rr_xdp_bpf__destroy(way->skel);
	free(way);
	rr->state = NULL;
}

bool rr_afxdp_put(struct rr *rr, uint32_t token, uint32_t number, uint64_t sent_ns)
{
	struct rr_afxdp *way = rr->state;
	struct afxdp_frame frame;

	if (!afxdp_lane_take(way->lane, &frame))
		return false;
	memcpy(frame.data, rr->frame, rr->buf_bytes);
	rr_write(rr, frame.data, (uint16_t)token, number, sent_ns);
	frame.buf_bytes = rr->buf_bytes;
	if (afxdp_lane_send(way->lane, &frame))
		return true;
	afxdp_lane_free(way->lane, frame.number);
	return false;
}

static bool put_one(struct rr *rr, uint32_t number, uint64_t sent_ns)
{
	return rr_afxdp_put(rr, 0, number, sent_ns);
}

int rr_afxdp_flush(struct rr *rr, struct err *e)
{
	struct rr_afxdp *way = rr->state;
	uint32_t i;
	int err = 0;

	for (i = 0; i < KICKS && afxdp_lane_unsent(way->lane); i++) {
		err = afxdp_lane_kick(way->lane);
		if (err == -EBUSY)
			RR_PUBLISH(rr->count.refused, rr->count.refused + 1);
		else if (err && err != -EAGAIN)
			return err_set(e, err, "cannot send through '%s'", rr->cfg.ifname);
	}
	afxdp_lane_reap(way->lane);
	return 0;
}

/* Of an answer, which may have VLAN tags and options that no request had. */
static const uint8_t *find_l4(const struct afxdp_frame *frame, size_t *ret_bytes)
{
	uint32_t at = ETH_HLEN;
	uint16_t type;

	for (;; at += 4) {
		if (at + sizeof(struct ipv6hdr) > frame->buf_bytes)
			return NULL;
		memcpy(&type, frame->data + at - sizeof(type), sizeof(type));
		if (type != htons(ETH_P_8021Q) && type != htons(ETH_P_8021AD))
			break;
	}
	at += type == htons(ETH_P_IPV6) ? (uint32_t)sizeof(struct ipv6hdr) :
					  (frame->data[at] & 15) * 4u;
	if (at > frame->buf_bytes)
		return NULL;
	*ret_bytes = frame->buf_bytes - at;
	return frame->data + at;
}

static uint32_t receive(struct rr *rr, struct rr_answer *ret_answers, uint32_t want)
{
	struct rr_afxdp *way = rr->state;
	struct afxdp_frame frames[AT_ONCE];
	uint32_t nr, i, used = 0;

	nr = afxdp_lane_receive(way->lane, frames, want < AT_ONCE ? want : AT_ONCE);
	if (!nr)
		afxdp_lane_poll(way->lane);
	for (i = 0; i < nr; i++) {
		struct rr_answer *answer = &ret_answers[used];
		size_t bytes = 0;
		const uint8_t *l4 = find_l4(&frames[i], &bytes);

		memcpy(&answer->came_ns, frames[i].data, sizeof(answer->came_ns));
		if (l4 && rr_read_answer(rr, l4, bytes, answer)) {
			answer->buf_bytes = frames[i].buf_bytes;
			used++;
		}
		afxdp_lane_free(way->lane, frames[i].number);
	}
	return used;
}

static void wait_for_answer(struct rr *rr, uint64_t timeout_ns)
{
	struct rr_afxdp *way = rr->state;

	afxdp_lane_wait(way->lane, timeout_ns);
}

void rr_afxdp_read_recs(const struct rr *rr, struct rr_count *count)
{
	const struct rr_afxdp *way = rr->state;
	uint64_t damaged, bad_payload;
	uint32_t cpu;

	for (cpu = 0; cpu < cpu_nr_possible(); cpu++) {
		damaged = RR_LOOK(way->recs[cpu].damaged);
		bad_payload = RR_LOOK(way->recs[cpu].bad_payload);
		count->damaged += damaged;
		count->bad_payload += bad_payload;
		count->answers += damaged + bad_payload;
		count->bytes += RR_LOOK(way->recs[cpu].damaged_bytes) +
				(damaged + bad_payload) * UNIT_FCS_BYTES;
		count->unverified += RR_LOOK(way->recs[cpu].unverified);
		count->foreign += RR_LOOK(way->recs[cpu].foreign);
	}
}

static void read_counts(const struct rr *rr, struct rr_count *count, struct hist_rec *rtt)
{
	(void)rtt;
	rr_afxdp_read_recs(rr, count);
}

const struct rr_ops rr_afxdp_ops = {
	.open = rr_afxdp_open,
	.close = rr_afxdp_close,
	.run = rr_loop,
	.send = put_one,
	.flush = rr_afxdp_flush,
	.receive = receive,
	.wait = wait_for_answer,
	.read = read_counts,
};
