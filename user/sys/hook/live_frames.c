// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sys/hook/live_frames.c - BPF_PROG_TEST_RUN with live frames.
 */
#include "sys/hook/live_frames.h"

#include <stdio.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>

#include "lib/loop.h"

/* uapi of 5.18 and later; Debian 12's headers have it, older ones do not. */
#ifndef BPF_F_TEST_XDP_LIVE_FRAMES
#define BPF_F_TEST_XDP_LIVE_FRAMES (1U << 1)
#endif

uint32_t live_batch(uint32_t asked, uint64_t gap_ns)
{
	if (asked)
		return asked < LIVE_BATCH_MAX ? asked : LIVE_BATCH_MAX;
	if (gap_ns < 167)	/* above 6 Mpps */
		return LIVE_BATCH_FAST;
	return gap_ns < 667 ? 16 : 1;	/* 1.5 Mpps */
}

int live_run_frames(int prog_fd, int ifindex, const uint8_t *bytes, uint32_t buf_bytes,
		    uint32_t repeat, uint32_t batch)
{
	struct xdp_md ctx = {
		.data_end = buf_bytes,
		.ingress_ifindex = (__u32)ifindex,
		.rx_queue_index = 0,
	};
	LIBBPF_OPTS(bpf_test_run_opts, opts,
		    .data_in = bytes,
		    .data_size_in = buf_bytes,
		    .ctx_in = &ctx,
		    .ctx_size_in = sizeof(ctx),
		    .repeat = (int)repeat,
		    .flags = BPF_F_TEST_XDP_LIVE_FRAMES,
		    .batch_size = batch);

	return bpf_prog_test_run_opts(prog_fd, &opts);
}

int live_run_some(struct live_calls *calls, int prog_fd, int ifindex, const uint8_t *bytes,
		  uint32_t buf_bytes, uint32_t repeat, uint32_t batch)
{
	uint64_t start_ns = loop_mono_ns(), took_ns;
	double most;
	int err;

	if (!calls->most)
		calls->most = LIVE_REPEAT_FIRST;
	if (repeat > calls->most)
		repeat = calls->most;
	err = live_run_frames(prog_fd, ifindex, bytes, buf_bytes, repeat, batch);
	took_ns = loop_mono_ns() - start_ns;
	/*
	 * A call that was interrupted, or is short anyway, says little about the duration of a run.
	 */
	if (!err && repeat == calls->most) {
		most = (double)repeat * LIVE_CALL_NS / (double)(took_ns ? took_ns : 1);
		calls->most = most < 1 ? 1 : most < LIVE_REPEAT_LONG ? (uint32_t)most : LIVE_REPEAT_LONG;
	}
	return err;
}

/* Whether this kernel has the tracepoint that the program's section names: "tp_btf/NAME". */
static bool kernel_has_tracepoint(const struct btf *btf, const struct bpf_program *prog)
{
	char type[64];

	snprintf(type, sizeof(type), "btf_trace_%s",
		 bpf_program__section_name(prog) + strlen("tp_btf/"));
	return btf && btf__find_by_name_kind(btf, type, BTF_KIND_TYPEDEF) > 0;
}

void live_choose_tracepoints(struct bpf_program *refused, struct bpf_program *failed)
{
	struct btf *btf = btf__load_vmlinux_btf();

	bpf_program__set_autoload(refused, kernel_has_tracepoint(btf, refused));
	bpf_program__set_autoload(failed, kernel_has_tracepoint(btf, failed));
	btf__free(btf);
}

bool live_watch_refusals(struct bpf_program *refused, struct bpf_link **ret_refused,
			 struct bpf_program *failed, struct bpf_link **ret_failed)
{
	if (bpf_program__fd(failed) >= 0)
		*ret_failed = bpf_program__attach(failed);
	if (bpf_program__fd(refused) >= 0)
		*ret_refused = bpf_program__attach(refused);
	return *ret_refused;
}
