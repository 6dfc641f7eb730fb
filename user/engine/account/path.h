/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/account/path.h - the interfaces of a test that are on this host, whatever
 * namespace they are in, and how their counters of loss grew.
 *
 * The sender's, the receiver's, and those at the other ends of their wires.
 */
#ifndef ENGINE_ACCOUNT_PATH_H
#define ENGINE_ACCOUNT_PATH_H

#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "model/ledger.h"

#define PATH_MAX_IFACES	4

struct path_iface {
	struct ledger_iface known;	/* for the caller to fill before path_report() */
	uint32_t ifindex, netns;
	char ifname[16];
};

struct path;

/*
 * The sender's interface is in this thread's namespace, the receiver's in
 * @rx_ns_fd's; -1: in this one too. Reads all counters.
 */
int path_open(struct path **ret_path, const char *tx_ifname, const char *rx_ifname, int rx_ns_fd,
	      struct err *e);
void path_close(struct path *path);		/* takes NULL */

/* NULL: not one of the path's. */
struct path_iface *path_find(struct path *path, uint32_t netns, uint32_t ifindex);
struct path_iface *path_sender(struct path *path);
struct path_iface *path_sender_peer(struct path *path);		/* NULL: not on this host */
struct path_iface *path_receiver(struct path *path);

/* "lab-r:egb"; the interface alone where the namespace is the sender's. */
void path_name(struct path *path, uint32_t netns, uint32_t ifindex, const char *ifname,
	       char *ret_text, size_t size);

/* Reads all counters again, and hands to @ledger what has grown. */
void path_report(struct path *path, struct ledger *ledger);

#endif
