/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/host/clock.h - the clocks that packets are stamped by: reading one, what it
 * costs and how right it is, and the way from a NIC's clock to it.
 *
 * Nothing else here converts a time of one clock to another.
 */
#ifndef SYS_HOST_CLOCK_H
#define SYS_HOST_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "abi/stamp.h"
#include "lib/err.h"

/* Choices of --clock, in the order of enum stamp_clock. */
extern const char *const clock_names[];

uint64_t clock_now_ns(enum stamp_clock clock);

/* The same, of @mono_ns, which is CLOCK_MONOTONIC read just now. */
static inline uint64_t clock_stamp_ns(enum stamp_clock clock, uint64_t mono_ns)
{
	return clock == STAMP_MONOTONIC ? mono_ns : clock_now_ns(clock);
}

/* Whether BPF programs of this kernel can read @clock: 0 or negative errno. */
int clock_try_bpf(enum stamp_clock clock);

/* The same, as an error that says what to do. */
int clock_check_bpf(enum stamp_clock clock, struct err *e);

/*
 * One reading by clock_gettime(): the median of many. By a BPF program's
 * helper: 0 where none can be loaded.
 */
uint64_t clock_user_cost_ns(enum stamp_clock clock);
uint64_t clock_bpf_cost_ns(enum stamp_clock clock);

/* What the kernel thinks of this host's CLOCK_REALTIME and CLOCK_TAI (adjtimex(2)). */
struct clock_quality {
	bool synchronised;
	uint64_t max_error_ns;		/* bound that whoever sets the clock states, and time since */
	uint64_t estimated_error_ns;
	int tai_offset_s;		/* TAI - UTC; 0: it is not set */
};

/* Of a clock whose error is unknown: the largest value of a packet's Error Estimate. */
#define CLOCK_UNKNOWN_ERROR_NS	1000000000000ull

/*
 * 0 or negative errno: a filter of system calls, such as systemd's ProtectClock, forbids
 * asking, too. Then the error is unknown.
 */
int clock_read_quality(struct clock_quality *ret_quality);

/*
 * UTC (CLOCK_REALTIME) less CLOCK_MONOTONIC, to within *ret_error_ns. The kernel steers both
 * alike, so it changes only when the clock is set. 0, or -EAGAIN if that was just now.
 */
int clock_utc_offset(uint64_t *ret_offset_ns, uint64_t *ret_error_ns);

/* A NIC's clock, followed while it runs. */
struct clock_phc;

/* Instead of a NIC's, the kernel's CLOCK_TAI. */
#define CLOCK_PHC_TAI -1

/* @index: of /dev/ptpN, or CLOCK_PHC_TAI. Takes 0.2 s; then *ret_line can be used. */
int clock_phc_open(struct clock_phc **ret_phc, int index, enum stamp_clock to,
		   struct stamp_line *ret_line, struct err *e);
void clock_phc_close(struct clock_phc *phc);

/* Reads both clocks anew if it is time to: true if *ret_line is new. */
bool clock_phc_follow(struct clock_phc *phc, struct stamp_line *ret_line);

/* Largest error so far: half of a reading's time, and how far a line led astray by the next one. */
uint64_t clock_phc_error_ns(const struct clock_phc *phc);

#endif
