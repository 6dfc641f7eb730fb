/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/self/pick_iface.h - the interface that is meant where its name is not given.
 */
#ifndef ENGINE_SELF_PICK_IFACE_H
#define ENGINE_SELF_PICK_IFACE_H

#include <stdbool.h>

#include "lib/err.h"
#include "result/result.h"
#include "sys/socket/sock.h"

/* The argument of verbs that receive on one interface. */
#define PICK_IFACE_ARGUMENT(type, at, what) \
	{ 0, "INTERFACE", OPT_STR, offsetof(type, at), NULL, \
	  what ", or the address or name of a host: the one of the route to it; default: that of the " \
	  "default route, or the only one that is up", .argument = true, .optional = true }

/*
 * *@word: an interface, an address or a name (with a dot) of a host that the route leads to; NULL:
 * the interface of the default route, or without one the only one that is up. *@word is then that
 * interface, in @buf, and in the environment of @res. One that is not there is a usage error.
 */
int pick_iface(const char **word, char buf[16], struct result *res, struct err *e);

/* The interface of the route to @to, or of its scope. */
int pick_iface_to(const struct sock_addr *to, char ret_ifname[16], struct err *e);

/* The default route, of IPv4 or IPv6, leads through @ifname. */
bool pick_iface_is_default(const char *ifname);

#endif
