/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/hook/xdp_share.h - share the XDP hook of an interface with other programs, by libxdp's
 * dispatcher.
 *
 * Who joins or leaves a dispatcher loads a new one and pins it below /sys/fs/bpf. A process of its own keeps the right
 * to do so, and leaves the dispatcher when this one ends, however it ends. What is left where both were killed goes
 * with the next xdp_share_attach() of a program of its name, or by: xdp-loader unload IFACE --all
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
 * For @obj, which has one XDP program, that must return XDP_PASS, so that the others decide, and whose maps exist. It
 * is not loaded yet, and must stay until xdp_share_close(). Before capabilities are dropped and threads start.
 */
int xdp_share_open(struct xdp_share **ret_share, struct bpf_object *obj, struct err *e);

/* Leaves the dispatcher if need be; accepts NULL. */
void xdp_share_close(struct xdp_share *share);

/* Attaches it first in the existing dispatcher, or in a new one if the hook is free. */
int xdp_share_attach(struct xdp_share *share, int ifindex, enum xdp_mode mode, struct err *e);

/*
 * Detaches, with the dispatcher if no other program is left in it. Without effect where it is not attached;
 * accepts NULL.
 */
void xdp_share_detach(struct xdp_share *share);

/* The program, once it was attached; -1 before. */
int xdp_share_prog_fd(const struct xdp_share *share);

/* False once the interface is gone, or the program was detached. */
bool xdp_share_holds(struct xdp_share *share);

/* XDP_MODE_NATIVE or XDP_MODE_GENERIC. */
enum xdp_mode xdp_share_mode(const struct xdp_share *share);

#endif
