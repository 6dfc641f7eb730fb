/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * abi/jitter.h - interarrival jitter (RFC 3550 A.8) of one stream, as BPF programs keep it.
 */
#ifndef ABI_JITTER_H
#define ABI_JITTER_H

#include "abi/abi.h"

/* All times in ns. One writer. */
struct jitter_rec {
	__s64 transit_ns;	/* the latest delay */
	__u64 timed;		/* delays so far */
	__u64 x16_ns;		/* the jitter, in sixteenths */
};
ABI_ASSERT_SIZE(struct jitter_rec, 24);

#endif
