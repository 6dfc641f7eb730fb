/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/tag_scan.bpf.h - find a run's tag at an unknown place in the kernel's copy of a packet: behind the headers of any
 * tunnel that does not encrypt.
 */
#ifndef LIB_TAG_SCAN_BPF_H
#define LIB_TAG_SCAN_BPF_H

#include "abi/drops.h"
#include "abi/tag.h"
#include "lib/core.bpf.h"
#include "lib/skb.bpf.h"

struct scanned {
	__u8 bytes[DROP_SCAN_BYTES] __attribute__((aligned(8)));
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__type(key, __u32);
	__type(value, struct scanned);
	__uint(max_entries, 1);		/* CPUs */
} scan_works SEC(".maps");

/*
 * The offset of a tag of @run in the first @bytes of this CPU's struct scanned; DROP_SCAN_BYTES: none. Headers have
 * even lengths. Not static, so that the verifier checks it once, and with scalars only (kernels before 5.12).
 */
__attribute__((noinline)) __u32 scan_for_tag(__u32 bytes, __u32 run)
{
	__u32 cpu = bpf_get_smp_processor_id(), at;
	struct scanned *work = bpf_map_lookup_elem(&scan_works, &cpu);
	struct tag_fields fields;
	const struct tag *tag;

	if (!work)
		return DROP_SCAN_BYTES;
	for (at = 0; at + TAG_BYTES <= DROP_SCAN_BYTES; at += 2) {
		if (at + TAG_BYTES > bytes)
			break;
		tag = (const void *)(work->bytes + at);
		/* After its check: see abi/tag.h. */
		if (*(const __be16 *)(work->bytes + at + 2) != bpf_htons((__u16)run))
			continue;
		if (tag_read(tag->high, tag->low, tag->complement, &fields))
			return at;
	}
	return DROP_SCAN_BYTES;
}

/* The offset of the tag in the packet, from @offset on; 0: none. */
static __always_inline __u32 find_tag_behind(const struct skb_view *view, __u32 offset, __u32 run)
{
	__u32 cpu = bpf_get_smp_processor_id(), bytes, at;
	struct scanned *work = bpf_map_lookup_elem(&scan_works, &cpu);

	if (!work || offset + TAG_BYTES > view->tail)
		return 0;
	bytes = view->tail - offset;
	if (bytes > DROP_SCAN_BYTES)
		bytes = DROP_SCAN_BYTES;
	barrier_var(bytes);
	if (bytes > DROP_SCAN_BYTES || bpf_probe_read_kernel(work->bytes, bytes, view->head + offset))
		return 0;
	at = scan_for_tag(bytes, run);
	return at < DROP_SCAN_BYTES ? offset + at : 0;
}

#endif
