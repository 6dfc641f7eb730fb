/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bare.h - what bare_drop counts. Written by the program, one record a CPU;
 * read by bare.c; never cleared.
 */
#ifndef TESTS_BENCH_BARE_H
#define TESTS_BENCH_BARE_H

#include <linux/types.h>

/* One clock read in so many packets: a quarter of a percent of the work. */
#define BARE_STAMP_EVERY 256

#define BARE_TYPE 0x88b5	/* EtherType for experiments, IEEE 802 */

struct bare_rec {
	__u64 packets;
	__u64 bytes;
	__u64 first_packets;		/* packets before first_mono_ns, and before last_mono_ns */
	__u64 last_packets;
	__u64 first_mono_ns;
	__u64 last_mono_ns;
	__u64 not_fastest_ns;		/* ~ of the shortest time that BARE_STAMP_EVERY packets took */
	__u64 reserved;			/* a cache line of its own */
};

#endif
