/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/watch/watch_hook.h - programs that look at the packets of a live interface:
 * attached where it hurts least, and again when the interface comes back.
 *
 * Several of them may look at one interface: tcx and clsact are shared, XDP
 * is not. The programs must let every packet go on, unchanged.
 */
#ifndef ENGINE_WATCH_WATCH_HOOK_H
#define ENGINE_WATCH_WATCH_HOOK_H

#include <stdbool.h>

#include "lib/err.h"
#include "sys/hook/xdp.h"
#include "sys/net/nic.h"

enum watch_hooks {
	WATCH_HOOKS_AUTO,
	WATCH_HOOKS_XDP,	/* what is received at XDP, what is sent at tc */
	WATCH_HOOKS_TC,		/* both at tc: tcx, else clsact */
	WATCH_HOOKS_CLSACT,	/* as on kernels before 6.6 */
};

/* Choices of --hooks, in the order of enum watch_hooks. */
extern const char *const watch_hook_names[];

/*
 * WATCH_HOOKS_AUTO becomes the hooks to take on @nic, called @ifname, and
 * *ret_why a sentence that says why; others stay, and *ret_why is NULL.
 */
enum watch_hooks watch_hook_choose(const char *ifname, const struct nic_facts *nic,
				   enum watch_hooks hooks, const char **ret_why);

struct bpf_object;

struct watch_hook_cfg {
	const char *ifname;
	enum watch_hooks hooks;		/* chosen */
	enum xdp_mode xdp_mode;
	struct bpf_object *share;	/* of rx_fd's stead, not loaded: joins libxdp's dispatcher. NULL: no */
	int rx_fd, tx_fd;		/* programs; rx_fd is an XDP one with WATCH_HOOKS_XDP. -1: none */
	bool tell_preceding;		/* warn of programs that come to run before these */
};

struct watch_hook;

/* The interface must be there. A hook held by others is an error that names the holder. */
int watch_hook_open(struct watch_hook **ret_hook, const struct watch_hook_cfg *cfg,
		    struct err *e);

/* Detaches; takes NULL. */
void watch_hook_close(struct watch_hook *hook);

/*
 * To be called often: sees whether the interface went, came back under its
 * name, or the programs were detached, and attaches anew. True while attached.
 */
bool watch_hook_follow(struct watch_hook *hook);

/* Times that the programs were attached anew. */
unsigned int watch_hook_returns(const struct watch_hook *hook);

/*
 * The newest program of others that was seen at tcx before these: "'name' (id 7,
 * tcx ingress, pid 1234)"; NULL: none was.
 */
const char *watch_hook_preceding(const struct watch_hook *hook);

/* "tcx", "clsact", "native XDP", "generic XDP", with ", shared"; "none" while not attached. */
const char *watch_hook_rx_way(const struct watch_hook *hook);
const char *watch_hook_tx_way(const struct watch_hook *hook);

#endif
