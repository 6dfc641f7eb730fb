/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/watch/watch_hook.h - programs that observe the packets of a live interface: attached where
 * it costs least, and reattached when the interface comes back.
 *
 * Others may observe the interface too: tcx and clsact are shared, XDP is not. The programs must pass
 * every packet on unchanged.
 */
#ifndef ENGINE_WATCH_WATCH_HOOK_H
#define ENGINE_WATCH_WATCH_HOOK_H

#include <stdbool.h>

#include "lib/err.h"
#include "sys/hook/xdp.h"
#include "sys/net/nic.h"

enum watch_hooks {
	WATCH_HOOKS_AUTO,
	WATCH_HOOKS_XDP,	/* receive at XDP, send at tc */
	WATCH_HOOKS_TC,		/* both at tc: tcx, else clsact */
	WATCH_HOOKS_CLSACT,	/* clsact as on kernels before 6.6 */
};

/* Choices of --hooks, in the order of enum watch_hooks. */
extern const char *const watch_hook_names[];

/*
 * WATCH_HOOKS_AUTO becomes the hooks to use on @nic, called @ifname, and *ret_why the reason in
 * words; other values stay, and *ret_why is NULL.
 */
enum watch_hooks watch_hook_choose(const char *ifname, const struct nic_facts *nic,
				   enum watch_hooks hooks, const char **ret_why);

struct bpf_object;

struct watch_hook_cfg {
	const char *ifname;
	bool at_l3;			/* as in nic_facts */
	enum watch_hooks hooks;		/* chosen */
	enum xdp_mode xdp_mode;
	struct xdp_share *share;	/* used instead of rx_fd: joins libxdp's dispatcher. NULL: no */
	int rx_fd, tx_fd;		/* programs; rx_fd is an XDP one with WATCH_HOOKS_XDP */
	int beside_fd;			/* then one more that sees what is received, at tc; -1: none */
};

struct watch_hook;

/* The interface must exist. A hook held by others is an error that names the holder. */
int watch_hook_open(struct watch_hook **ret_hook, const struct watch_hook_cfg *cfg,
		    struct err *e);

/* Detaches; accepts NULL. */
void watch_hook_close(struct watch_hook *hook);

/*
 * Call often: detects that the interface was removed, came back under its name, or that the
 * programs were detached, and reattaches them. True while attached.
 */
bool watch_hook_follow(struct watch_hook *hook);

/* Number of times that the programs were reattached. */
unsigned int watch_hook_returns(const struct watch_hook *hook);

/*
 * The latest foreign program seen at tcx before these: "'name' (id 7, tcx ingress, pid 1234)";
 * NULL: none.
 */
const char *watch_hook_preceding(const struct watch_hook *hook);

/* "tcx", "clsact", "native XDP", "generic XDP", with ", shared"; "none" while not attached. */
const char *watch_hook_rx_way(const struct watch_hook *hook);
const char *watch_hook_tx_way(const struct watch_hook *hook);

#endif
