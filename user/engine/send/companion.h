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

#include <stdbool.h>

#include "result/result.h"

struct companion;

/*
 * For what is sent through @ifname; @live: by live frames, which on a veth go
 * to the peer's hook. NULL if none is needed, or none can be attached: what
 * that means is logged. What was attached is said in @res.
 */
struct companion *companion_open(const char *ifname, bool live, struct result *res);

/* Takes NULL. */
void companion_close(struct companion *companion);

#endif
