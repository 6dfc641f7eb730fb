/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model/impair_memory.h - how many frames a forwarder can come to hold. Pure.
 */
#ifndef MODEL_IMPAIR_MEMORY_H
#define MODEL_IMPAIR_MEMORY_H

#include <stdint.h>

#include "model/impair_rule.h"

#define IMPAIR_FRAMES 65536	/* most held: 128 MiB, or 256 MiB where the MTU needs chunks of a page */

/*
 * Frames for one direction, at most IMPAIR_FRAMES. @link_bps: of the interface where the packets arrive; 0: unknown.
 * @rate_l1_bps: the bottleneck's, 0: none; its queue holds @queue_bytes or @queue_packets. What a delay holds is
 * reckoned for frames of 64 bytes, at line rate, or at as many as one thread forwards.
 */
uint32_t impair_frames(const struct impair_rules *rules, uint64_t link_bps, double rate_l1_bps,
		       uint64_t queue_bytes, uint64_t queue_packets);

#endif
