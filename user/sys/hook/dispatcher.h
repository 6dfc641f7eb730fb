/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/hook/dispatcher.h - keep an XDP program in the kernel's dispatcher.
 *
 * BPF_PROG_TEST_RUN puts its program into the XDP dispatcher and takes it out
 * again, which waits for two RCU grace periods, some 24 ms of every call
 * (measured on 6.18). A program that is attached anywhere stays in, and a call
 * costs microseconds.
 */
#ifndef SYS_HOOK_DISPATCHER_H
#define SYS_HOOK_DISPATCHER_H

struct dispatcher;

/*
 * Attaches @prog_fd to the loopback device of a network namespace made for
 * this and seen by no one. Needs CAP_SYS_ADMIN. NULL if that is not available:
 * everything works, with gaps between calls.
 */
struct dispatcher *dispatcher_hold(int prog_fd);

/* Takes NULL. */
void dispatcher_release(struct dispatcher *dispatcher);

#endif
