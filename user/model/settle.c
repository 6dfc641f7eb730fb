// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * model/settle.c - when a receiver may stop.
 */
#include "model/settle.h"

#include <string.h>

#define LONGEST_NS	10000000000ull	/* after the threshold, where copies never end */

void settle_begin(struct settle *settle, uint64_t sent, uint64_t wait_ns, uint64_t now_ns)
{
	*settle = (struct settle){ .sent = sent, .wait_ns = wait_ns, .began_ns = now_ns, .news_ns = now_ns };
}

bool settle_is_done(struct settle *settle, const struct settle_seen *seen, uint64_t now_ns)
{
	if (memcmp(seen, &settle->seen, sizeof(*seen))) {
		settle->seen = *seen;
		if (now_ns > settle->news_ns)
			settle->news_ns = now_ns;
	}
	if (!seen->again && seen->arrived >= settle->sent)
		return true;
	/* The far end's clock may show a time before the last packet was sent. */
	return now_ns >= settle->news_ns + settle->wait_ns ||
	       now_ns >= settle->began_ns + settle->wait_ns + LONGEST_NS;
}
