// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/send/tx_live.c - a plain stream (MIX_PLAIN) made inside the kernel:
 * BPF_PROG_TEST_RUN with live frames, so that a packet is made, numbered, stamped and handed to the
 * driver without leaving it.
 *
 * Pacing is done where it is exact: a gap long enough to sleep in is slept
 * away here and its last microseconds are waited for by blast_xdp_slot; a
 * shorter one is spun away inside blast_xdp.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "abi/gen.h"
#include "engine/self/environ.h"
#include "engine/send/tx_live_parts.h"
#include "lib/hist.h"
#include "lib/log.h"
#include "lib/loop.h"
#include "sys/hook/bpf.h"
#include "sys/hook/dispatcher.h"
#include "sys/hook/live_frames.h"
#include "sys/host/caps.h"
#include "sys/net/netns.h"

#include "blast_xdp.skel.h"

#define COLD_GAP_NS	2000000		/* after this long the first call takes some 50 us */
#define REHEARSE_EARLY_NS 180000
#define REHEARSE_NS	60000		/* no rehearsal later than this before the slot */

struct live {
	struct blast_xdp_bpf *skel;
	struct gen_rec *recs;		/* by CPU */
	struct hist_rec *lates;		/* by CPU; NULL where nothing is paced */
	size_t recs_bytes, lates_bytes;
	struct dispatcher *dispatcher;
	bool sleeps;			/* paced with gaps long enough to sleep in */
};

static struct gen_rec *rec_of(const struct tx_thread *thread)
{
	const struct live *live = thread->tx->state;

	return &live->recs[thread->cpu];
}

static uint32_t choose_batch(const struct tx_thread *thread)
{
	return live_batch(thread->batch, thread->pps);
}

static void fill_rec(struct tx_thread *thread, uint64_t start_ns)
{
	struct gen_rec *rec = rec_of(thread);
	const struct mix_flow *flow = thread->flow;
	const struct packet *packet = flow->packet;
	uint32_t header_bytes = flow->tagged ? packet->tag_offset : 0;

	memset(rec, 0, sizeof(*rec));
	rec->limit = thread->limit;
	rec->stamp_every = flow->stamp_every;
	rec->tag_offset = flow->tagged ? packet->tag_offset : 0;
	rec->stream = flow->stream;
	rec->number_first = flow->number_first;
	rec->number_step = flow->number_step ? flow->number_step : 1;
	/*
	 * Without a tag there is no offset to go by, and behind a tunnel's headers it is
	 * too far: 72 bytes hold all that a receiver changes (VLAN and IPv6 included).
	 */
	if (!header_bytes || header_bytes > 72)
		header_bytes = packet->buf_bytes < 72 ? packet->buf_bytes : 72;
	rec->header_bytes = (uint16_t)(header_bytes < 56 ? 56 : header_bytes);
	memcpy(rec->header, packet->bytes, GEN_HEADER_BYTES);
	/* The program counts a gap in 2^-32 ns. */
	rec->gap_ns = flow->pace.gap >> PACE_FRAC_BITS;
	rec->gap_frac = (uint32_t)(flow->pace.gap & PACE_FRAC_MASK) << (32 - PACE_FRAC_BITS);
	rec->next_ns = start_ns + flow->start_ns;
}

static void fill_plan(const struct packet *packet, struct gen_plan *plan)
{
	memcpy(plan->fields, packet->fields, sizeof(plan->fields));
	memcpy(plan->list, packet->list, sizeof(plan->list));
	memcpy(plan->sums, packet->sums, sizeof(plan->sums));
	packet_sum_bases(packet, plan->sum_base);
	plan->nr_fields = packet->nr_fields;
	plan->nr_sums = packet->nr_sums;
}

static int load(struct live *live, struct tx *tx, struct err *e)
{
	struct blast_xdp_bpf *skel = live->skel;
	bool paced = tx->threads[0].pps > 0;
	int err;

	skel->rodata->ifindex = tx->ifindex;
	skel->rodata->netns_inode = netns_inode();
	skel->rodata->into_stack = tx->cfg.into_stack;
	skel->rodata->stamp_clock = tx->cfg.clock;
	fill_plan(tx->threads[0].flow->packet, (struct gen_plan *)&skel->rodata->plan);
	bpf_map__set_max_entries(skel->maps.gen_recs, cpu_nr_possible());
	live_choose_tracepoints(skel->progs.blast_refused, skel->progs.blast_failed);
	if (paced)
		bpf_map__set_max_entries(skel->maps.gen_lates, cpu_nr_possible());
	err = blast_xdp_bpf__load(skel);
	if (err)
		return bpf_load_error(e, err, "blast_xdp");
	err = bpf_map_memory(skel->maps.gen_recs, (void **)&live->recs, &live->recs_bytes, e);
	if (err || !paced)
		return err;
	return bpf_map_memory(skel->maps.gen_lates, (void **)&live->lates, &live->lates_bytes, e);
}

static int run_once(const struct tx_thread *thread, int prog_fd)
{
	return live_run_frames(prog_fd, thread->tx->ifindex, thread->flow->packet->bytes,
			       thread->flow->packet->buf_bytes, 1, 1);
}

/* It sends nothing: the limit is 0 packets away. */
static int try_run(const struct tx *tx, int prog_fd, struct err *e)
{
	const struct tx_thread *thread = &tx->threads[0];
	const struct packet *packet = thread->flow->packet;
	struct gen_rec *rec = rec_of(thread);
	int err;

	memset(rec, 0, sizeof(*rec));
	rec->limit = rec->made = 1;
	err = tx_try_live(tx, prog_fd, packet->bytes, packet->buf_bytes, e);
	/* It is read before the thread starts. */
	rec->limit = rec->made = 0;
	return err;
}

static int live_open(struct tx *tx, struct result *res, struct err *e)
{
	struct live *live = calloc(1, sizeof(*live));
	int err, prog_fd;

	if (!live)
		return err_set(e, -ENOMEM, "cannot open the live engine");
	tx->state = live;
	bpf_log_init();
	bpf_raise_memlock();
	live->skel = blast_xdp_bpf__open();
	if (!live->skel)
		return err_set(e, -errno, "cannot open BPF object 'blast_xdp'");
	err = load(live, tx, e);
	if (err)
		return err;
	live->sleeps = tx->threads[0].pps > 0 && 1e9 / tx->threads[0].pps >= LIVE_SLEEP_GAP_NS;
	prog_fd = bpf_program__fd(live->sleeps ? live->skel->progs.blast_xdp_slot :
						 live->skel->progs.blast_xdp);
	err = try_run(tx, prog_fd, e);
	if (err)
		return err;
	live->dispatcher = dispatcher_hold(prog_fd);
	tx_tell_refusals(res, live_watch_refusals(live->skel->progs.blast_refused,
						  &live->skel->links.blast_refused,
						  live->skel->progs.blast_failed,
						  &live->skel->links.blast_failed));
	environ_tx_stamp(res, tx->threads[0].flow->tagged ? STAMPED_BPF : STAMPED_NOWHERE);
	result_env_u64(res, "tx_batch", choose_batch(&tx->threads[0]));
	return 0;
}

static bool is_finished(const struct tx_thread *thread)
{
	uint64_t made = __atomic_load_n(&rec_of(thread)->made, __ATOMIC_RELAXED);

	return atomic_load(&thread->tx->stop) || (thread->limit && made >= thread->limit);
}

static int run_sleeping(struct tx_thread *thread, struct err *e)
{
	const struct live *live = thread->tx->state;
	int fd = bpf_program__fd(live->skel->progs.blast_xdp_slot), err;
	struct gen_rec *rec = rec_of(thread);
	bool cold = rec->gap_ns >= COLD_GAP_NS;
	uint64_t early_ns = cold ? REHEARSE_EARLY_NS : LIVE_WAKE_EARLY_NS;

	while (!is_finished(thread)) {
		if (rec->next_ns > loop_mono_ns() + early_ns)
			loop_sleep_until(rec->next_ns - early_ns);
		/* A call that is too early to send anything makes the next one fast. */
		if (!cold || rec->next_ns < loop_mono_ns() + REHEARSE_NS) {
			while (loop_mono_ns() + LIVE_CALL_EARLY_NS < rec->next_ns &&
			       !is_finished(thread))
				;
		}
		if (is_finished(thread))
			break;
		err = run_once(thread, fd);
		if (err && err != -EINTR)
			return tx_run_error(thread, err, e);
	}
	return 0;
}

static int run_spinning(struct tx_thread *thread, struct err *e)
{
	const struct live *live = thread->tx->state;
	int fd = bpf_program__fd(live->skel->progs.blast_xdp), err;
	uint32_t most = LIVE_REPEAT_LONG, repeat;
	struct gen_rec *rec = rec_of(thread);
	struct live_calls calls = { 0 };

	if (thread->pps > 0)
		most = live->dispatcher ? LIVE_REPEAT_PACED : LIVE_REPEAT_PACED_DEAR;
	while (!is_finished(thread)) {
		repeat = most;
		if (!(thread->pps > 0) && thread->limit && thread->limit - rec->made < most)
			repeat = (uint32_t)(thread->limit - rec->made);
		err = live_run_some(&calls, fd, thread->tx->ifindex, thread->flow->packet->bytes,
				    thread->flow->packet->buf_bytes, repeat, choose_batch(thread));
		if (err && err != -EINTR)
			return tx_run_error(thread, err, e);
	}
	return 0;
}

static int live_run(struct tx_thread *thread, struct err *e)
{
	const struct live *live = thread->tx->state;
	struct gen_rec *rec = rec_of(thread);
	uint64_t start_ns;
	int err;

	fill_rec(thread, loop_mono_ns() + TX_LEAD_NS);
	start_ns = loop_mono_ns();
	err = live->sleeps ? run_sleeping(thread, e) : run_spinning(thread, e);
	/* Without a clock read in the program, the call's own ends must do. */
	if (!rec->first_mono_ns && rec->made) {
		rec->first_mono_ns = start_ns;
		rec->last_mono_ns = loop_mono_ns();
	}
	return err;
}

/* How late its packets left; NULL where they are not paced. */
static const struct hist_rec *late_of(const struct tx_thread *thread)
{
	const struct live *live = thread->tx->state;

	return live->lates ? &live->lates[thread->cpu] : NULL;
}

static void live_read(const struct tx_thread *thread, struct tx_count *ret_count)
{
	const struct gen_rec *rec = rec_of(thread);
	uint64_t made = __atomic_load_n(&rec->made, __ATOMIC_ACQUIRE);
	uint64_t refused = __atomic_load_n(&rec->refused, __ATOMIC_RELAXED);
	const struct hist_rec *late = late_of(thread);

	*ret_count = (struct tx_count){
		.sent_packets = made > refused ? made - refused : 0,
		.refused_packets = refused,
		.first_mono_ns = rec->first_mono_ns,
		.last_mono_ns = rec->last_mono_ns,
	};
	if (late) {
		ret_count->late_sum_ns = __atomic_load_n(&late->sum_ns, __ATOMIC_RELAXED);
		ret_count->late_max_ns = __atomic_load_n(&late->max_ns, __ATOMIC_RELAXED);
		ret_count->paced_packets = __atomic_load_n(&late->count, __ATOMIC_RELAXED);
	}
}

static void live_read_late(const struct tx_thread *thread, struct hist_rec *sum)
{
	if (late_of(thread))
		hist_merge(sum, late_of(thread));
}

static void live_close(struct tx *tx)
{
	struct live *live = tx->state;

	if (!live)
		return;
	dispatcher_release(live->dispatcher);
	bpf_unmap_memory(live->recs, live->recs_bytes);
	bpf_unmap_memory(live->lates, live->lates_bytes);
	blast_xdp_bpf__destroy(live->skel);
	free(live);
}

const struct tx_engine_ops tx_live_ops = {
	.name = "live",
	.is_live = true,
	.keep_caps = CAPS_BPF | CAPS_NET_ADMIN,
	.open = live_open,
	.run = live_run,
	.read = live_read,
	.read_late = live_read_late,
	.close = live_close,
};
