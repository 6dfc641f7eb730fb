/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/hook/pass.h - an XDP program that passes everything, for its side effect: a veth without an
 * XDP program does not notice frames that the other end transmits by XDP_TX, and they stay in its
 * ring (veth_xdp_flush() checks for a program, not for NAPI; seen on 6.18).
 */
#ifndef SYS_HOOK_PASS_H
#define SYS_HOOK_PASS_H

#include "lib/err.h"
#include "sys/host/helper.h"

#define PASS_NAME "ethgauge_pass"

/* The same, but xdp_attach() replaces it: any program serves its purpose. */
#define PASS_YIELDING_NAME "ethgauge_yield"

/* Loads it by one of these names; returns the descriptor, or negative errno with @e. */
int pass_load(const char *name, struct err *e);

/*
 * Attaches it natively to an interface of this thread's network namespace, where it stays as long
 * as the interface exists. -EBUSY: another program is attached.
 */
int pass_attach(const char *ifname, struct err *e);

/*
 * Detaches what pass_attach() has attached, as it does by its nature what any program does. A process waits for
 * helper_end(), or for the end of this process, however it ends, and attaches it again. 0; or negative errno: another
 * program is attached, or one that a process holds. Requires CAP_SYS_ADMIN.
 */
int pass_give_way(int ifindex, struct helper *ret_helper);

#endif
