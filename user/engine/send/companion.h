/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/send/companion.h - the program that a driver wants to see before it transmits.
 *
 * Some drivers take XDP frames only while some XDP program is attached, to
 * them or to their peer, and drop them without a word otherwise. Where that is
 * so and nobody holds the hook, a program that passes everything is attached
 * for as long as the sender lives.
 */
#ifndef ENGINE_SEND_COMPANION_H
#define ENGINE_SEND_COMPANION_H

#include "result/result.h"

struct companion;

/* How frames are handed to the driver. */
enum companion_for {
	COMPANION_FOR_AFXDP,
	COMPANION_FOR_XMIT,	/* live frames, and what is redirected: on a veth to the peer's hook */
	COMPANION_FOR_TX,	/* XDP_TX of an attached program: on a veth a peer needs a program,
				 * GRO is not enough */
};

/*
 * For what is sent through @ifname. NULL if none is needed, or none can be
 * attached: what that means is logged. What was attached is said in @res. One
 * for XDP_TX makes way for any program that is attached later.
 */
struct companion *companion_open(const char *ifname, enum companion_for use, struct result *res);

/* Takes NULL. */
void companion_close(struct companion *companion);

#endif
