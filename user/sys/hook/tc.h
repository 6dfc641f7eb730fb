/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/hook/tc.h - attach to a tc hook of an interface for as long as this process lives.
 *
 * By a tcx link (kernel 6.6), which shares the hook and which the kernel removes however the
 * process ends. Older kernels have clsact: its filters outlive a killed process (sys/hook/tc_left.h), and
 * tc_attach() first removes those. Programs attached here run first and must return TC_ACT_UNSPEC, so
 * that the others decide.
 */
#ifndef SYS_HOOK_TC_H
#define SYS_HOOK_TC_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/err.h"

enum tc_way {
	TC_WAY_AUTO,		/* tcx, else clsact */
	TC_WAY_CLSACT,
	TC_WAY_TCX,
};

/* In the order of enum tc_way. */
extern const char *const tc_way_names[];

struct tc_port;

/*
 * Attaches the program @prog_fd to packets that @ifindex, in this thread's network namespace,
 * receives or (@egress) sends. Other programs are never replaced. @beat_fd: the program's map of abi/beat.h,
 * which it reads; -1: it reads none.
 */
int tc_attach(struct tc_port **ret_port, int ifindex, bool egress, int prog_fd, int beat_fd,
	      enum tc_way way, struct err *e);

/* This process runs: call many times in TC_BEAT_NS. */
void tc_port_beat(struct tc_port *port);

/* Detaches and frees; accepts NULL. */
void tc_detach(struct tc_port *port);

/* False once the interface is gone, or the program was detached. */
bool tc_port_holds(const struct tc_port *port);

/*
 * True once after another program was attached at tcx before this one; if that program decides (any
 * result except TC_ACT_UNSPEC), the packet is not seen here. *ret_text is as xdp_holder()'s.
 * Ignores programs whose name @is_own, or that cannot be read without CAP_SYS_ADMIN.
 */
bool tc_port_preceded(struct tc_port *port, bool (*is_own)(const char *name), char *ret_text,
		      size_t size);

/* "tcx" or "clsact". */
const char *tc_port_way(const struct tc_port *port);

#endif
