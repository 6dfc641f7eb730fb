/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/hook/xdp_share.h - share the XDP hook of an interface with other programs, by libxdp's
 * dispatcher.
 *
 * No link holds a dispatcher: a killed process's program in it keeps running until
 * xdp_share_attach() finds that no process holds a program of its own name any more, or until:
 * xdp-loader unload IFACE --all
 */
#ifndef SYS_HOOK_XDP_SHARE_H
#define SYS_HOOK_XDP_SHARE_H

#include <stdbool.h>

#include "lib/err.h"
#include "sys/hook/xdp.h"

struct bpf_object;
struct xdp_share;

/* True if libxdp's dispatcher is attached. */
bool xdp_share_is_possible(int ifindex);

/*
 * Loads @obj, which has one XDP program and is not loaded yet, and attaches it first in the
 * existing dispatcher, or in a new one if the hook is free. The program must return XDP_PASS, so
 * that the others decide.
 */
int xdp_share_attach(struct xdp_share **ret_share, int ifindex, struct bpf_object *obj,
		     enum xdp_mode mode, struct err *e);

/* Detaches, with the dispatcher if no other program is left in it, and frees; accepts NULL. */
void xdp_share_detach(struct xdp_share *share);

/* False once the interface is gone, or the program was detached. */
bool xdp_share_holds(struct xdp_share *share);

/* XDP_MODE_NATIVE or XDP_MODE_GENERIC. */
enum xdp_mode xdp_share_mode(const struct xdp_share *share);

#endif
