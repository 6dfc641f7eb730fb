// SPDX-License-Identifier: GPL-2.0-or-later
#include "harness.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <linux/bpf.h>
#include <sched.h>

#include "abi/drops.h"
#include "abi/flow.h"
#include "abi/payload.h"
#include "abi/sink.h"

#include "drops_plain.skel.h"
#include "drops_tp.skel.h"
#include "flow_tc.skel.h"
#include "sink_spin.skel.h"
#include "sink_xdp.skel.h"

#ifndef BPF_F_XDP_HAS_FRAGS
#define BPF_F_XDP_HAS_FRAGS (1U << 5)
#endif

static bool has_cmpxchg(void)
{
	struct utsname host;
	int major = 0, minor = 0;

	assert_int_equal(uname(&host), 0);
	assert_int_equal(sscanf(host.release, "%d.%d", &major, &minor), 2);
	return major > 5 || (major == 5 && minor >= 12);
}

struct sink_xdp_bpf *harness_open_sink(bool spin)
{
	struct sink_xdp_bpf *skel = calloc(1, sizeof(*skel));
	int err;

	assert_non_null(skel);
	err = sink_xdp_bpf__create_skeleton(skel);
	if (!err && (spin || !has_cmpxchg()))
		skel->skeleton->data = (void *)sink_spin_bpf__elf_bytes(&skel->skeleton->data_sz);
	if (!err)
		err = bpf_object__open_skeleton(skel->skeleton, NULL);
	if (!err)
		return skel;
	sink_xdp_bpf__destroy(skel);
	errno = -err;
	return NULL;
}

struct drops_tp_bpf *harness_open_drops(void)
{
	struct drops_tp_bpf *skel = calloc(1, sizeof(*skel));
	int err;

	assert_non_null(skel);
	err = drops_tp_bpf__create_skeleton(skel);
	if (!err && !has_cmpxchg())
		skel->skeleton->data = (void *)drops_plain_bpf__elf_bytes(&skel->skeleton->data_sz);
	if (!err)
		err = bpf_object__open_skeleton(skel->skeleton, NULL);
	if (!err)
		return skel;
	drops_tp_bpf__destroy(skel);
	errno = -err;
	return NULL;
}

struct flow_tc_bpf *harness_open_flow(unsigned int flows)
{
	struct flow_tc_bpf *skel = flow_tc_bpf__open();

	if (!skel)
		return NULL;
	skel->rodata->cfg.nr_cpus = harness_cpus();
	skel->rodata->cfg.nr_queues = 1;
	bpf_map__set_max_entries(skel->maps.watch_recs, harness_cpus() * WATCH_DIRS);
	bpf_map__set_max_entries(skel->maps.watch_gaps, harness_cpus() * WATCH_DIRS);
	bpf_map__set_max_entries(skel->maps.watch_rings, harness_cpus() * WATCH_DIRS);
	bpf_map__set_max_entries(skel->maps.watch_queues, harness_cpus() * 2);
	bpf_map__set_max_entries(skel->maps.flows, flows);
	bpf_map__set_max_entries(skel->maps.flow_spreads, flows);
	bpf_map__set_max_entries(skel->maps.flow_cpus, harness_cpus());
	bpf_map__set_max_entries(skel->maps.flow_works, harness_cpus());
	bpf_map__set_max_entries(skel->maps.flow_caches, harness_cpus() * FLOW_CACHE);
	bpf_map__set_max_entries(skel->maps.flow_hists, FLOW_KINDS * WATCH_DIRS * harness_cpus());
	return skel;
}

unsigned int harness_cpu(void)
{
	static int pinned = -1;
	cpu_set_t set;

	if (pinned >= 0)
		return (unsigned int)pinned;
	pinned = sched_getcpu();
	CPU_ZERO(&set);
	CPU_SET(pinned, &set);
	assert_int_equal(sched_setaffinity(0, sizeof(set), &set), 0);
	return (unsigned int)pinned;
}

unsigned int harness_cpus(void)
{
	int nr = libbpf_num_possible_cpus();

	assert_true(nr > 0);
	return (unsigned int)nr;
}

/*
 * The kernel's verifier gives up after 1,000,000 instructions. A program that comes near that on
 * one kernel, from one compiler, exceeds it with the next option or the next clang.
 */
#define VERIFIED_INSNS_MOST	400000

static void check_verified_insns(const struct bpf_program *prog)
{
	static uint32_t checked_id;
	struct bpf_prog_info info = { 0 };
	uint32_t bytes = sizeof(info);

	assert_int_equal(bpf_obj_get_info_by_fd(bpf_program__fd(prog), &info, &bytes), 0);
	if (info.id == checked_id)
		return;
	checked_id = info.id;
	/* 0: a kernel before 5.16 */
	if (info.verified_insns > VERIFIED_INSNS_MOST)
		fail_msg("'%s': the verifier followed %u instructions, of at most 1000000",
			 bpf_program__name(prog), info.verified_insns);
}

static void run(const struct bpf_program *prog, struct bpf_test_run_opts *opts,
		struct harness_out *ret_out)
{
	int err;

	check_verified_insns(prog);
	opts->data_out = ret_out->bytes;
	opts->data_size_out = sizeof(ret_out->bytes);
	opts->repeat = 1;
	harness_cpu();
	do {
		err = bpf_prog_test_run_opts(bpf_program__fd(prog), opts);
	} while (err == -EINTR || err == -EAGAIN);
	if (err)
		fail_msg("'%s' on %u bytes: %s", bpf_program__name(prog), opts->data_size_in,
			 strerror(-err));
	ret_out->action = (int)opts->retval;
	ret_out->len = opts->data_size_out;
}

void harness_run(const struct bpf_program *prog, const void *frame, size_t len,
		 struct harness_out *ret_out)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame, .data_size_in = (__u32)len);

	run(prog, &opts, ret_out);
}

void harness_run_gso(const struct bpf_program *prog, const void *frame, size_t len,
		     uint32_t gso_size, uint32_t gso_segs, struct harness_out *ret_out)
{
	struct __sk_buff skb = { .gso_size = gso_size, .gso_segs = gso_segs };
	LIBBPF_OPTS(bpf_test_run_opts, opts, .data_in = frame, .data_size_in = (__u32)len,
		    .ctx_in = &skb, .ctx_size_in = sizeof(skb));

	run(prog, &opts, ret_out);
}

void harness_read(const struct bpf_map *map, uint32_t index, void *ret_value)
{
	int err = bpf_map_lookup_elem(bpf_map__fd(map), &index, ret_value);

	if (err)
		fail_msg("'%s' element %u: %s", bpf_map__name(map), index, strerror(errno));
}

void harness_empty(struct bpf_object *obj)
{
	struct bpf_map *map;

	bpf_object__for_each_map(map, obj) {
		void *zeros;

		if (bpf_map__type(map) != BPF_MAP_TYPE_ARRAY ||
		    (bpf_map__map_flags(map) & BPF_F_RDONLY_PROG))
			continue;
		zeros = calloc(1, bpf_map__value_size(map));
		assert_non_null(zeros);
		for (uint32_t i = 0; i < bpf_map__max_entries(map); i++)
			assert_int_equal(bpf_map_update_elem(bpf_map__fd(map), &i, zeros, BPF_ANY), 0);
		free(zeros);
	}
}

void harness_follow(struct harness_follow *follow, const struct hist_rec *hist)
{
	assert_in_range(hist->count, follow->count, follow->count + 1);
	follow->squares += harness_square(hist->sum_ns - follow->sum_ns);
	follow->count = hist->count;
	follow->sum_ns = hist->sum_ns;
	assert_true(harness_squares(hist) == follow->squares);
}

bool harness_untouched(const struct harness_out *out, const void *frame, size_t len)
{
	return out->len == len && !memcmp(out->bytes, frame, len);
}

static uint64_t read_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000ull + (uint64_t)now.tv_nsec;
}

uint64_t harness_runs(uint64_t usual, uint64_t slow)
{
	const char *factor = getenv("TESTS_SLOW");

	return factor && strcmp(factor, "1") ? slow : usual;
}

uint64_t harness_mono_ns(void)
{
	return read_ns(CLOCK_MONOTONIC);
}

uint64_t harness_tai_ns(void)
{
	return read_ns(CLOCK_TAI);
}

static bool loads(const struct bpf_insn *insns, size_t nr, uint32_t flags)
{
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .prog_flags = flags);
	int fd = bpf_prog_load(BPF_PROG_TYPE_XDP, "probe", "GPL", insns, nr, &opts);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

bool harness_has_tai(void)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_JMP | BPF_CALL, .imm = 208 },	/* bpf_ktime_get_tai_ns() */
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K },
		{ .code = BPF_JMP | BPF_EXIT },
	};

	return loads(insns, 3, 0);
}

bool harness_has_frags(void)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K },
		{ .code = BPF_JMP | BPF_EXIT },
	};

	return loads(insns, 2, BPF_F_XDP_HAS_FRAGS);
}

bool harness_has_context(const struct bpf_program *prog)
{
	const uint8_t frame[64] = { 0 };
	struct xdp_md ctx = { .data_end = sizeof(frame) };
	LIBBPF_OPTS(bpf_test_run_opts, opts,
		    .data_in = frame, .data_size_in = sizeof(frame),
		    .ctx_in = &ctx, .ctx_size_in = sizeof(ctx), .repeat = 1);

	return bpf_prog_test_run_opts(bpf_program__fd(prog), &opts) == 0;
}

void harness_set_frags(struct bpf_object *obj)
{
	struct bpf_program *prog;

	bpf_object__for_each_program(prog, obj)
		bpf_program__set_flags(prog, bpf_program__flags(prog) | BPF_F_XDP_HAS_FRAGS);
}

void harness_cannot(const char *feature)
{
	const char *at = getenv("REQUIRE");
	size_t len = strlen(feature);

	for (; at && *at; at += strcspn(at, " ")) {
		at += strspn(at, " ");
		if (!strncmp(at, feature, len) && (at[len] == ' ' || !at[len]))
			fail_msg("required, but missing: %s", feature);
	}
	skip();
}

/* What the groups that skip have in common, as the programs that they test. */
static void needs_a_newer_kernel(void **state)
{
	(void)state;
	harness_cannot("xdp-live-frames");
}

int harness_skip_group(const char *name)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(needs_a_newer_kernel),
	};

	return cmocka_run_group_tests_name(name, tests, NULL, NULL);
}
