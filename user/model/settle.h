/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model/settle.h - when a receiver may stop, and a packet that has not arrived counts as lost.
 */
#ifndef MODEL_SETTLE_H
#define MODEL_SETTLE_H

#include <stdbool.h>
#include <stdint.h>

#define SETTLE_WAIT_NS 2000000000ull	/* RFC 2544 23: 2 seconds for residual frames */

/* Packets of this run only: other traffic and damaged packets may arrive in any number. */
struct settle_seen {
	uint64_t arrived;	/* each number once */
	uint64_t again;		/* copies, and what may be a copy */
};

/* Of one clock: news_ns, and now_ns below. */
struct settle {
	uint64_t sent;		/* packets */
	uint64_t wait_ns;	/* the loss threshold (RFC 7679 3.8.2) */
	uint64_t began_ns;	/* when the last packet was sent */
	uint64_t news_ns;	/* began_ns, later when something new was seen last */
	struct settle_seen seen;
};

void settle_begin(struct settle *settle, uint64_t sent, uint64_t wait_ns, uint64_t now_ns);

/*
 * True if all that was sent has arrived, or if nothing new arrived for the threshold since the last
 * packet was sent. Where copies arrive, others may follow: it waits for silence then, too. So it
 * does for what the kernel dropped: a forwarder in user space may hold another copy of that.
 */
bool settle_is_done(struct settle *settle, const struct settle_seen *seen, uint64_t now_ns);

#endif
