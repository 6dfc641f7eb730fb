/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/tc.h - hold the egress hook of an interface for as long as this process lives.
 *
 * By a bpf link (tcx) beside other programs, before them; where the kernel has none
 * (before 6.6) by a filter on the clsact hook, which a killed process leaves behind.
 */
#ifndef SYS_TC_H
#define SYS_TC_H

#include "lib/err.h"

enum tc_mode {
	TC_MODE_AUTO,		/* tcx, else clsact with a warning */
	TC_MODE_TCX,
	TC_MODE_CLSACT,
};

/* In the order of enum tc_mode. */
extern const char *const tc_mode_names[];

struct tc_port;

/* Attaches @prog_fd to what leaves @ifindex of this thread's network namespace. */
int tc_attach_egress(struct tc_port **ret_port, int ifindex, int prog_fd, enum tc_mode mode,
		     struct err *e);

/* Detaches and frees; takes NULL. */
void tc_detach(struct tc_port *port);

/* TC_MODE_TCX or TC_MODE_CLSACT: what tc_attach_egress() got. */
enum tc_mode tc_port_mode(const struct tc_port *port);

#endif
