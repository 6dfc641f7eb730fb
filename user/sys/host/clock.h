/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/host/clock.h - the clocks of timestamps: reading them, the cost and accuracy of that, and the
 * conversion from a NIC's clock.
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

/* The same, for @mono_ns, a reading of CLOCK_MONOTONIC just taken. */
static inline uint64_t clock_stamp_ns(enum stamp_clock clock, uint64_t mono_ns)
{
	return clock == STAMP_MONOTONIC ? mono_ns : clock_now_ns(clock);
}

/* Whether BPF programs of this kernel can read @clock: 0 or negative errno. */
int clock_try_bpf(enum stamp_clock clock);

/* The same, as an error with a hint. */
int clock_check_bpf(enum stamp_clock clock, struct err *e);

/*
 * Cost of one reading by clock_gettime(): the median of many. By a BPF program's helper: 0 if none
 * can be loaded.
 */
uint64_t clock_user_cost_ns(enum stamp_clock clock);
uint64_t clock_bpf_cost_ns(enum stamp_clock clock);

/* The kernel's estimates for this host's CLOCK_REALTIME and CLOCK_TAI (adjtimex(2)). */
struct clock_quality {
	bool synchronised;
	uint64_t max_error_ns;		/* bound given by whoever sets the clock, and growth
					 * since */
	uint64_t estimated_error_ns;
	int tai_offset_s;		/* TAI - UTC; 0: not set */
};

/* For a clock of unknown error: the largest value of a packet's Error Estimate. */
#define CLOCK_UNKNOWN_ERROR_NS	1000000000000ull

/*
 * 0 or negative errno: even reading may be forbidden by a system call filter, such as systemd's
 * ProtectClock. Then the error is unknown.
 */
int clock_read_quality(struct clock_quality *ret_quality);

/*
 * UTC (CLOCK_REALTIME) minus CLOCK_MONOTONIC, to within *ret_error_ns. The kernel slews both alike,
 * so it changes only when the clock is set. 0, or -EAGAIN if it was set just now.
 */
int clock_utc_offset(uint64_t *ret_offset_ns, uint64_t *ret_error_ns);

/* A NIC's clock and its continuous conversion. */
struct clock_phc;

/* Instead of a NIC's clock, the kernel's CLOCK_TAI. */
#define CLOCK_PHC_TAI -1

/* @index: of /dev/ptpN, or CLOCK_PHC_TAI. Takes 0.2 s; then *ret_line is valid. */
int clock_phc_open(struct clock_phc **ret_phc, int index, enum stamp_clock to,
		   struct stamp_line *ret_line, struct err *e);
void clock_phc_close(struct clock_phc *phc);

/* Reads both clocks again if due: true if *ret_line is new. */
bool clock_phc_follow(struct clock_phc *phc, struct stamp_line *ret_line);

/*
 * Largest error so far: half of a reading's duration, and how far off a line was at the next
 * reading.
 */
uint64_t clock_phc_error_ns(const struct clock_phc *phc);

#endif
