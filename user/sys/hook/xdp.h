/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/hook/xdp.h - attach to the XDP hook of an interface for as long as this process lives.
 *
 * Attached by a bpf link, so the kernel detaches it however the process ends, and other programs
 * are never replaced, except the one that yields (sys/hook/pass.h).
 */
#ifndef SYS_HOOK_XDP_H
#define SYS_HOOK_XDP_H

#include <stdbool.h>

#include "lib/err.h"

enum xdp_mode {
	XDP_MODE_AUTO,		/* native, otherwise generic with a warning */
	XDP_MODE_NATIVE,
	XDP_MODE_GENERIC,
};

/* Choices of --xdp-mode, in the order of enum xdp_mode. */
extern const char *const xdp_mode_names[];

struct nic_facts;
struct xdp_port;

/*
 * Attaches @prog_fd to @ifindex of this thread's network namespace. The error of -EBUSY names the
 * attached program.
 */
int xdp_attach(struct xdp_port **ret_port, int ifindex, int prog_fd, enum xdp_mode mode,
	       struct err *e);

/* Detaches and frees; accepts NULL. */
void xdp_detach(struct xdp_port *port);

/* XDP_MODE_NATIVE or XDP_MODE_GENERIC: the mode that xdp_attach() used. */
enum xdp_mode xdp_port_mode(const struct xdp_port *port);

/* False once the interface is gone, or the program was detached. */
bool xdp_port_holds(const struct xdp_port *port);

/* Describes the program attached to @ifindex: "'name' (id 7, native, pid 1234)"; false: none. */
bool xdp_holder(int ifindex, char *ret_text, int size);

/* Whether that program is a lab's, which xdp_attach() detaches for as long as it needs the hook. */
bool xdp_gives_way(int ifindex);

/*
 * How to free the hook from that program. True: the text is a command; false: it is words, as a living process
 * holds the program's link.
 */
bool xdp_release(int ifindex, const char *ifname, char *ret_text, int size);

/*
 * True if the MTU requires XDP programs with multi-buffer support: a frame exceeds a page. Generic
 * XDP linearizes every packet first.
 */
bool xdp_needs_frags(const struct nic_facts *nic, enum xdp_mode mode);

#endif
