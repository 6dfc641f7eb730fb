/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/self/link_downs.h - when the links of interfaces were down: set down, without a carrier, or gone.
 *
 * A thread looks every 20 ms, as the kernel may make who asks wait for others who change interfaces. What is
 * too short for that is known from the kernel's count.
 */
#ifndef ENGINE_SELF_LINK_DOWNS_H
#define ENGINE_SELF_LINK_DOWNS_H

#include <sys/socket.h>

#include "result/result.h"

struct link_downs;

/* All times are counted from this moment on. NULL: it cannot be. */
struct link_downs *link_downs_new(void);

/*
 * Follows @ifname, too, from now on; *@downs is made if it is NULL, and is otherwise open to several threads.
 * All of them are of the network namespace that this thread is in. What cannot be followed is left out. Each
 * change is printed on stderr.
 */
void link_downs_add(struct link_downs **downs, const char *ifname);

/* The interface through which packets to @to leave, if there is a route. */
void link_downs_add_route(struct link_downs **downs, const struct sockaddr *to);

/* What happens later is not of interest. A second call changes nothing. Takes NULL, as do the others. */
void link_downs_stop(struct link_downs *downs);

/* After link_downs_stop(): a note with the times for each; none for one that was always up. */
void link_downs_report(const struct link_downs *downs, struct result *res);

/* Stops it first. */
void link_downs_free(struct link_downs *downs);

#endif
