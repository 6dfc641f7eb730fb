/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * harness.h - run a BPF program on one frame and see what it did.
 *
 * A group of tests is a function of the table in main.c; it loads its skeleton
 * itself. The process stays on one CPU, so a counter has one record that moves.
 */
#ifndef TESTS_HARNESS_H
#define TESTS_HARNESS_H

/* cmocka.h wants these four before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>

#include <bpf/libbpf.h>

#include "abi/hist.h"
#include "packet.h"

struct flow_tc_bpf;
struct sink_xdp_bpf;

/* The groups: number of failed tests. */
int test_blast(void);
int test_drops(void);
int test_fields(void);
int test_filter(void);
int test_impair(void);
int test_flow(void);
int test_fuzz(void);
int test_mix(void);
int test_record(void);
int test_order(void);
int test_reflect(void);
int test_replay(void);
int test_rr(void);
int test_sink(void);
int test_sink_hw(void);
int test_stamp(void);
int test_watch(void);

/* Longest frame that programs without multi-buffer support are run on, everywhere. */
#define HARNESS_LINEAR_BYTES 3000

struct harness_out {
	int action;			/* XDP_PASS and so on */
	size_t len;
	uint8_t bytes[PACKET_MAX_BYTES];
};

/* sink_xdp, or @spin, or where this kernel needs it, sink_spin; NULL: errno says why. */
struct sink_xdp_bpf *harness_open_sink(bool spin);

/* drops_tp, or where this kernel needs it, drops_plain; NULL: errno says why. */
struct drops_tp_bpf *harness_open_drops(void);

/* flow_tc with room for @flows; NULL: errno says why. */
struct flow_tc_bpf *harness_open_flow(unsigned int flows);

/* Before load: the maps of watch_tc or watch_xdp for this machine's CPUs and one queue. */
#define HARNESS_SIZE_WATCH(skel) do { \
	(skel)->rodata->cfg.nr_cpus = harness_cpus(); \
	(skel)->rodata->cfg.nr_queues = 1; \
	bpf_map__set_max_entries((skel)->maps.watch_recs, harness_cpus() * WATCH_DIRS); \
	bpf_map__set_max_entries((skel)->maps.watch_gaps, harness_cpus() * WATCH_DIRS); \
	bpf_map__set_max_entries((skel)->maps.watch_rings, harness_cpus() * WATCH_DIRS); \
	bpf_map__set_max_entries((skel)->maps.watch_queues, harness_cpus() * 2); \
} while (0)

/* The CPU that everything runs on. */
unsigned int harness_cpu(void);

/* Possible CPUs: max_entries of an array with one record a CPU. */
unsigned int harness_cpus(void);

/* Runs @prog once on a copy of the frame; a failing system call fails the test. */
void harness_run(const struct bpf_program *prog, const void *frame, size_t len,
		 struct harness_out *ret_out);

/* The same as a super-packet of tc: @gso_size bytes a segment, @gso_segs of them. */
void harness_run_gso(const struct bpf_program *prog, const void *frame, size_t len,
		     uint32_t gso_size, uint32_t gso_segs, struct harness_out *ret_out);

/* Reads an element of an array; fails the test if it is not there. */
void harness_read(const struct bpf_map *map, uint32_t index, void *ret_value);

/* Sets every element of the object's arrays to zero; other maps and constants stay as they are. */
void harness_empty(struct bpf_object *obj);

/* The sum of squares in @hist. */
static inline unsigned __int128 harness_squares(const struct hist_rec *hist)
{
	return (unsigned __int128)hist->square_high << 64 | hist->square_low;
}

static inline unsigned __int128 harness_square(uint64_t ns)
{
	return (unsigned __int128)ns * ns;
}

/* A histogram that is read after each value: what its sum has grown by is the value. */
struct harness_follow {
	uint64_t count, sum_ns;
	unsigned __int128 squares;
};

/* Fails the test if the sum of squares is not that of the values so far. */
void harness_follow(struct harness_follow *follow, const struct hist_rec *hist);

/* True if no byte of @out differs from the frame. */
bool harness_untouched(const struct harness_out *out, const void *frame, size_t len);

/* How many runs of a program a test makes: @slow where TESTS_SLOW says that each takes 0.1 ms. */
uint64_t harness_runs(uint64_t usual, uint64_t slow);

/* CLOCK_MONOTONIC, as bpf_ktime_get_ns() reads it. */
uint64_t harness_mono_ns(void);

/* CLOCK_TAI, as bpf_ktime_get_tai_ns() reads it. */
uint64_t harness_tai_ns(void);

/* Skips the test; but fails it if REQUIRE names @feature, as doctor does. */
void harness_cannot(const char *feature);

/* True if programs can read CLOCK_TAI, from kernel 6.1 on. */
bool harness_has_tai(void);

/*
 * True if programs can be marked as able to take multi-buffer frames, and have
 * bpf_xdp_load_bytes() and bpf_xdp_store_bytes(): from kernel 5.18 on.
 */
bool harness_has_frags(void);

/* In place of a group of tests that this kernel cannot run: one that is skipped. */
int harness_skip_group(const char *name);

/*
 * True if a test run knows a context, from kernel 5.14 on: only then the frame that comes
 * out has its metadata in front. Runs @prog, on a frame of zeros.
 */
bool harness_has_context(const struct bpf_program *prog);

/* Marks XDP programs as able to take multi-buffer frames; before load, if harness_has_frags(). */
void harness_set_frags(struct bpf_object *obj);

#endif
