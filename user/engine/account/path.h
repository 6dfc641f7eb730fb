/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/account/path.h - the interfaces of a test that are on this host, in any network namespace,
 * and the growth of their loss counters.
 *
 * These are the sender's, the receiver's, and the other ends of their links.
 */
#ifndef ENGINE_ACCOUNT_PATH_H
#define ENGINE_ACCOUNT_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"
#include "model/ledger.h"

#define PATH_MAX_IFACES	4

struct path_iface {
	struct ledger_iface known;	/* filled by the caller before path_report() */
	uint32_t ifindex, netns;
	char ifname[16];
};

struct path;

/*
 * The sender's interface is in this thread's namespace, the receiver's in @rx_ns_fd's; -1: in this
 * thread's as well. Reads all counters.
 */
int path_open(struct path **ret_path, const char *tx_ifname, const char *rx_ifname, int rx_ns_fd,
	      struct err *e);
void path_close(struct path *path);		/* takes NULL */

/* NULL: not on the path. */
struct path_iface *path_find(struct path *path, uint32_t netns, uint32_t ifindex);
struct path_iface *path_sender(struct path *path);
struct path_iface *path_sender_peer(struct path *path);		/* NULL: not on this host */
struct path_iface *path_receiver(struct path *path);

/* "lab-r:egb", or only the interface where it is in the sender's namespace. */
void path_name(struct path *path, uint32_t netns, uint32_t ifindex, const char *ifname,
	       char *ret_text, size_t size);

/* Whether a host of the path keeps packets while it asks for a neighbour's address. */
bool path_waits_for_neighbour(struct path *path);

/* Reads all counters again and adds the differences to @ledger. */
void path_report(struct path *path, struct ledger *ledger);

#endif
