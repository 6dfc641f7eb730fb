/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/echo/reflector_dest.h - to which addresses a packet must be sent for the reflector to
 * answer it.
 */
#ifndef ENGINE_ECHO_REFLECTOR_DEST_H
#define ENGINE_ECHO_REFLECTOR_DEST_H

#include "abi/reflect.h"
#include "lib/err.h"
#include "lib/opt.h"

struct reflector_dest;

/*
 * Prefixes from lists such as "198.18.0.0/15,2001:2::1", or "any"; @option names them in errors,
 * which are usage errors.
 */
int reflector_dest_pools(struct reflect_pools *ret_pools, const struct opt_strs *lists,
			 const char *option, struct err *e);

/*
 * Puts the interface's addresses into the program's mapped @own, in the network namespace of the
 * calling thread.
 */
int reflector_dest_open(struct reflector_dest **ret_dest, int ifindex, struct reflect_own *own,
			struct err *e);
void reflector_dest_close(struct reflector_dest *dest);		/* takes NULL */

/* Follows changes of the interface's addresses. */
void reflector_dest_tick(struct reflector_dest *dest);

/* How many addresses the interface has. */
unsigned int reflector_dest_nr(const struct reflector_dest *dest);

#endif
