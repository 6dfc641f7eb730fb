/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/hook/dispatcher.h - keep an XDP program in the kernel's dispatcher.
 *
 * BPF_PROG_TEST_RUN adds its program to the XDP dispatcher and removes it again, waiting for two
 * RCU grace periods, some 24 ms of every call (measured on 6.18). A program that is attached
 * anywhere stays in it, and a call costs microseconds.
 */
#ifndef SYS_HOOK_DISPATCHER_H
#define SYS_HOOK_DISPATCHER_H

struct dispatcher;

/*
 * Attaches @prog_fd to the loopback device of a private network namespace created for this.
 * Requires CAP_SYS_ADMIN. NULL if that is not available: everything works, with gaps between calls.
 */
struct dispatcher *dispatcher_hold(int prog_fd);

/* Takes NULL. */
void dispatcher_release(struct dispatcher *dispatcher);

#endif
