// SPDX-License-Identifier: GPL-2.0-only
/*
 * blast_xdp.bpf.c - generate packets inside the kernel and hand them to the driver.
 *
 * Run by BPF_PROG_TEST_RUN with live frames (kernel 5.18 and later): each run gets a recycled page
 * with the frame's template, writes the changing fields, and XDP_TX hands it to the device's
 * ndo_xdp_xmit. XDP_DROP sends nothing: the slot is not due, or the limit is reached.
 */
#include "lib/refused.bpf.h"

#include "abi/gen.h"
#include "lib/hist.bpf.h"

char _license[] SEC("license") = "GPL";

/* Fields that vary from packet to packet, except the tag; all zero: none. */
const volatile struct gen_plan plan;

MAPPED_ARRAY(gen_recs, struct gen_rec);	/* one per possible CPU, set before load */

/* Departure minus slot; paced packets only. */
MAPPED_ARRAY(gen_lates, struct hist_rec);	/* paced: one per possible CPU, set before load */

/*
 * The sleeping pacer calls this a few microseconds before the slot: 512 clock reads cover at least
 * 10 us.
 */
#define WAIT_READS 512

static __always_inline struct gen_rec *own_rec(void)
{
	__u32 cpu = bpf_get_smp_processor_id();

	return bpf_map_lookup_elem(&gen_recs, &cpu);
}

/* Moves to the next slot; false if the current one is not due yet. */
static __always_inline int take_slot(struct gen_rec *rec, __u64 now_ns)
{
	struct pace_time due = rec->due;
	struct hist_rec *late;
	__u32 cpu;

	if (now_ns < due.ns)
		return 0;
	cpu = bpf_get_smp_processor_id();
	late = bpf_map_lookup_elem(&gen_lates, &cpu);
	if (late)
		hist_add_plain(late, due.ns, now_ns);
	pace_advance(&due, rec->pace.gap);
	rec->due = due;
	return 1;
}

/* The first 56 bytes, which every frame has, then the header's last 16 if it is longer. */
static __always_inline int write_header(struct xdp_md *ctx, const struct gen_rec *rec)
{
	void *data = (void *)(long)ctx->data, *end = (void *)(long)ctx->data_end;
	__u32 tail = rec->header_bytes - 16;

	if (data + 56 > end)
		return -1;
	copy_56(data, rec->header);
	if (rec->header_bytes <= 56)
		return 0;
	if (tail > GEN_HEADER_BYTES - 16 || data + tail + 16 > end)
		return -1;
	copy_16(data + tail, rec->header + tail);
	return 0;
}

/* True if frame number @made of @rec carries a timestamp. */
static __always_inline int is_stamped(const struct gen_rec *rec, __u64 made)
{
	/* The usual case is 1, and a division costs more than the comparison. */
	return rec->tag_offset && (rec->stamp_every == 1 || made % rec->stamp_every == 0);
}

static __always_inline int make(struct xdp_md *ctx, struct gen_rec *rec, __u64 now_ns)
{
	const struct gen_fields fields = {
		.fields = plan.fields, .sums = plan.sums, .sum_base = plan.sum_base,
		.list = plan.list, .nr_list = FIELD_MAX_LIST, .nr_fields = &plan.nr_fields,
		.nr_sums = &plan.nr_sums,
	};
	__u64 made = rec->made;
	__u64 sent_ns = is_stamped(rec, made) ? stamp_sent_ns(&now_ns) : 0;

	if (write_header(ctx, rec) < 0)
		return XDP_ABORTED;
	if (plan.nr_fields &&
	    write_fields(ctx, &fields, rec->number_first + made * rec->number_step) < 0)
		return XDP_ABORTED;
	if (rec->tag_offset &&
	    write_tag(ctx, rec->tag_offset & 0x3fff, rec->stream, made, sent_ns) < 0)
		return XDP_ABORTED;
	if (now_ns) {
		if (!rec->first_mono_ns)
			WRITE_ONCE(rec->first_mono_ns, now_ns);
		WRITE_ONCE(rec->last_mono_ns, now_ns);
	}
	WRITE_ONCE(rec->made, made + 1);
	return into_stack ? XDP_PASS : XDP_TX;
}

/* As fast as possible, or paced by spinning: every run checks whether the slot is due. */
SEC("xdp")
int blast_xdp(struct xdp_md *ctx)
{
	struct gen_rec *rec = own_rec();
	__u64 now_ns = 0;

	if (!rec || (rec->limit && rec->made >= rec->limit))
		return XDP_DROP;
	if (rec->pace.kind != PACE_MAX) {
		now_ns = bpf_ktime_get_ns();
		if (!take_slot(rec, now_ns))
			return XDP_DROP;
	}
	return make(ctx, rec, now_ns);
}

/* Paced by a sleeping thread: run once per slot, shortly before it. */
SEC("xdp")
int blast_xdp_slot(struct xdp_md *ctx)
{
	struct gen_rec *rec = own_rec();
	__u64 now_ns;
	int i;

	if (!rec || (rec->limit && rec->made >= rec->limit))
		return XDP_DROP;
	for (i = 0; i < WAIT_READS; i++) {
		now_ns = bpf_ktime_get_ns();
		if (take_slot(rec, now_ns))
			return make(ctx, rec, now_ns);
	}
	return XDP_DROP;
}

static __always_inline void add_refused(__u32 frames)
{
	struct gen_rec *rec = own_rec();

	if (rec)
		ADD_ONCE(rec->refused, frames);
}

REFUSED_PROGRAMS(add_refused)
