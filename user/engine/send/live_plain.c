// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/send/live_plain.c - a plain stream (MIX_PLAIN) by live frames, made by blast_xdp.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/libbpf.h>

#include "abi/gen.h"
#include "engine/send/live_parts.h"
#include "lib/hist.h"
#include "sys/hook/bpf.h"
#include "sys/host/cpu.h"

#include "blast_xdp.skel.h"

struct plain {
	struct blast_xdp_bpf *skel;
	struct gen_rec *recs;		/* by CPU */
	struct hist_rec *lates;		/* by CPU; NULL where nothing is paced */
	size_t recs_bytes, lates_bytes;
};

static const struct plain *plain_of(const struct tx_thread *thread)
{
	return live_of(thread)->state;
}

static struct gen_rec *rec_of(const struct tx_thread *thread)
{
	return &plain_of(thread)->recs[thread->cpu];
}

static void plain_start(const struct tx_thread *thread, uint64_t start_ns)
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
	rec->pace = flow->pace;
	rec->due.ns = start_ns + flow->start_ns;
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
	struct plain *plain = live->state;
	struct blast_xdp_bpf *skel = plain->skel;
	bool paced = tx->threads[0].flow->pace.kind != PACE_MAX;
	int err;

	LIVE_SET_COMMON(skel->rodata, tx);
	fill_plan(tx->threads[0].flow->packet, (struct gen_plan *)&skel->rodata->plan);
	bpf_map__set_max_entries(skel->maps.gen_recs, cpu_nr_possible());
	live_choose_tracepoints(skel->progs.live_refused, skel->progs.live_failed);
	if (paced)
		bpf_map__set_max_entries(skel->maps.gen_lates, cpu_nr_possible());
	err = bpf_load(skel->skeleton);
	if (err)
		return bpf_load_error(e, err, "blast_xdp");
	live->programs = (struct live_programs){
		.spin_fd = bpf_program__fd(skel->progs.blast_xdp),
		.slot_fd = bpf_program__fd(skel->progs.blast_xdp_slot),
		LIVE_REFUSED(skel),
	};
	err = bpf_map_memory(skel->maps.gen_recs, (void **)&plain->recs, &plain->recs_bytes, e);
	if (err || !paced)
		return err;
	return bpf_map_memory(skel->maps.gen_lates, (void **)&plain->lates, &plain->lates_bytes, e);
}

static void fill_part(const struct tx_thread *thread, struct live_part *part)
{
	const struct mix_flow *flow = thread->flow;
	bool paced = flow->pace.kind != PACE_MAX;
	const struct tx_cfg *cfg = &thread->tx->cfg;
	uint64_t gap_ns = mix_mean_gap_ns(cfg->mix, thread->index, cfg->threads);

	*part = (struct live_part){
		.bytes = flow->packet->bytes,
		.buf_bytes = flow->packet->buf_bytes,
		.batch = live_batch(thread->batch, gap_ns),
		.waits = gap_ns >= LIVE_SLEEP_GAP_NS,
		.by_clock = paced,
		.unclocked = !paced && !flow->tagged,
		.limit = paced ? 0 : thread->limit,
		.made = &rec_of(thread)->made,
	};
	/* Until the start no slot comes. */
	rec_of(thread)->pace.kind = PACE_EVEN;
	rec_of(thread)->due.ns = UINT64_MAX;
}

static int plain_open(struct live *live, struct tx *tx, struct err *e)
{
	struct plain *plain = live->state = calloc(1, sizeof(*plain));
	struct blast_xdp_bpf *skel;
	uint32_t i;
	int err;

	if (!plain)
		return err_set(e, -ENOMEM, "cannot open the live engine");
	skel = plain->skel = blast_xdp_bpf__open();
	if (!skel)
		return err_set(e, -errno, "cannot open BPF object 'blast_xdp'");
	err = load(live, tx, e);
	for (i = 0; !err && i < tx->cfg.threads; i++)
		fill_part(&tx->threads[i], &live->parts[i]);
	return err;
}

static bool plain_is_finished(const struct tx_thread *thread)
{
	uint64_t made = __atomic_load_n(&rec_of(thread)->made, __ATOMIC_RELAXED);

	return thread->limit && made >= thread->limit;
}

static uint64_t plain_next_ns(const struct tx_thread *thread)
{
	return rec_of(thread)->due.ns;
}

static uint64_t plain_due_ns(const struct tx_thread *thread)
{
	return live_part_of(thread)->waits ? plain_next_ns(thread) : 0;
}

/* How late its packets left; NULL where they are not paced. */
static const struct hist_rec *late_of(const struct tx_thread *thread)
{
	const struct plain *plain = plain_of(thread);

	return plain->lates ? &plain->lates[thread->cpu] : NULL;
}

static void plain_read(const struct tx_thread *thread, struct tx_count *ret_count)
{
	const struct gen_rec *rec = rec_of(thread);
	const struct hist_rec *late = late_of(thread);

	*ret_count = (struct tx_count){
		.refused_packets = __atomic_load_n(&rec->refused, __ATOMIC_RELAXED),
		.first_mono_ns = rec->first_mono_ns,
		.last_mono_ns = rec->last_mono_ns,
	};
	if (late) {
		ret_count->late_sum_ns = __atomic_load_n(&late->sum_ns, __ATOMIC_RELAXED);
		ret_count->late_max_ns = __atomic_load_n(&late->max_ns, __ATOMIC_RELAXED);
		ret_count->paced_packets = __atomic_load_n(&late->count, __ATOMIC_RELAXED);
	}
}

static void plain_read_late(const struct tx_thread *thread, struct hist_rec *sum)
{
	if (late_of(thread))
		hist_merge(sum, late_of(thread));
}

static void plain_close(struct live *live)
{
	struct plain *plain = live->state;

	bpf_unmap_memory(plain->recs, plain->recs_bytes);
	bpf_unmap_memory(plain->lates, plain->lates_bytes);
	blast_xdp_bpf__destroy(plain->skel);
	free(plain);
}

const struct live_maker live_plain = {
	.slot_runs = 1,
	.open = plain_open,
	.start = plain_start,
	.is_finished = plain_is_finished,
	.due_ns = plain_due_ns,
	.next_ns = plain_next_ns,
	.read = plain_read,
	.read_late = plain_read_late,
	.close = plain_close,
};
