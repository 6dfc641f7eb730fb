/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/net/netns.h - network namespaces: made, entered, and named as `ip netns` names them.
 */
#ifndef SYS_NET_NETNS_H
#define SYS_NET_NETNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"

#define NETNS_DIR	"/run/netns"

/*
 * Runs @fn in a thread of its own, which may go from namespace to namespace:
 * that of the caller stays what it is. Returns what @fn returned.
 */
int netns_run(int (*fn)(void *ctx, struct err *e), void *ctx, struct err *e);

/* This thread goes into a new namespace, which lives as long as *ret_fd or another user of it. */
int netns_new(int *ret_fd, struct err *e);

/* The number of this thread's namespace, as in /proc/PID/ns/net; 0 if it cannot be told. */
unsigned int netns_inode(void);
unsigned int netns_inode_of(int fd);

/* A number of this thread's namespace that none after it gets; before 5.14 its inode's. */
uint64_t netns_cookie(void);

/* The name of the namespace with this number; false: it has none. */
bool netns_name(unsigned int inode, char *ret_name, size_t size);

/* This thread's own; negative errno. */
int netns_open_own(void);

/* This thread enters the namespace. */
int netns_enter(int fd, struct err *e);

/*
 * Makes NETNS_DIR ready for names and keeps others that lock it too (`ip netns
 * add`, other labs) out until the descriptor is closed.
 */
int netns_lock(int *ret_fd, struct err *e);

/* Gives the namespace a name; -EEXIST: taken. Needs netns_lock(). */
int netns_pin(int fd, const char *name, struct err *e);

/* Takes the name away, whatever is left of it; no error if there is none. */
int netns_unpin(const char *name, struct err *e);

/* -ENOENT: no such name; -ENODATA: a name that nothing is mounted on, left by a killed process. */
int netns_open(const char *name, int *ret_fd);

/*
 * Opens the namespace that has number @nsid here: among those with a name and
 * those of the processes that can be seen. -ENOENT: none of them.
 */
int netns_open_id(int nsid, int *ret_fd);

/* Calls @fn for each name. It may take names away. */
int netns_list(void (*fn)(void *ctx, const char *name), void *ctx, struct err *e);

/*
 * Gives this process a /sys of its own that shows the network namespace it is
 * in; what is mounted below /sys (bpffs, cgroups, tracefs) stays there.
 */
int netns_mount_sysfs(struct err *e);

#endif
