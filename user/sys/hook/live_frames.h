/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/hook/live_frames.h - BPF_PROG_TEST_RUN with live frames: shared by the engines that send with
 * it, and the measurements behind it.
 */
#ifndef SYS_HOOK_LIVE_FRAMES_H
#define SYS_HOOK_LIVE_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#define LIVE_BATCH_MAX	256		/* the kernel's TEST_XDP_MAX_BATCH */
#define LIVE_BATCH_SOME	8		/* nine tenths of the rate at 64, where a call is dear */
#define LIVE_BATCH_FAST	64		/* no faster above: 24.0 Mpps at 64, 23.9 at 128 */
#define LIVE_SLEEP_GAP_NS 200000	/* intervals of this length and above are spent asleep */
#define LIVE_WAKE_EARLY_NS 60000	/* a timer is late by this much most of the time */
#define LIVE_CALL_EARLY_NS 8000		/* a call takes about 6 us to reach the program */

#define LIVE_REPEAT_LONG (1u << 30)
/* Spinning runs end soon after the last packet, unless a new call is expensive. */
#define LIVE_REPEAT_PACED (1u << 16)
#define LIVE_REPEAT_PACED_DEAR (1u << 22)
#define LIVE_REPEAT_FIRST (1u << 16)	/* while the duration of a run is unknown */
#define LIVE_CALL_NS 500000000ull

struct bpf_link;
struct bpf_program;

/*
 * Frames per batch: few for a slow stream, so that none waits. @asked 0: not given; @gap_ns:
 * mean gap between packets, 0: as fast as possible.
 */
uint32_t live_batch(uint32_t asked, uint64_t gap_ns);

/* Runs the program @repeat times on pages that start with @bytes; 0 or negative errno. */
int live_run_frames(int prog_fd, int ifindex, const uint8_t *bytes, uint32_t buf_bytes,
		    uint32_t repeat, uint32_t batch);

/*
 * On fully preemptible kernels a call is one RCU read section: while it runs, everything that waits
 * for RCU is blocked, and after 21 s the kernel reports a stall (seen on 7.2). So a call lasts
 * about LIVE_CALL_NS. For one thread; zeroed before the first call.
 */
struct live_calls {
	uint32_t most;		/* runs in the next call */
};

/* The same with at most @repeat runs. */
int live_run_some(struct live_calls *calls, int prog_fd, int ifindex, const uint8_t *bytes,
		  uint32_t buf_bytes, uint32_t repeat, uint32_t batch);

/* Call before load: disables programs for tracepoints that this kernel does not have. */
void live_choose_tracepoints(struct bpf_program *refused, struct bpf_program *failed);

/*
 * Attaches them after load. False: the driver's drops cannot be observed here; use its own
 * counters.
 */
bool live_watch_refusals(struct bpf_program *refused, struct bpf_link **ret_refused,
			 struct bpf_program *failed, struct bpf_link **ret_failed);

#endif
