/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/net/netns.h - network namespaces: create, enter, and name them as `ip netns` does.
 */
#ifndef SYS_NET_NETNS_H
#define SYS_NET_NETNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"

#define NETNS_DIR	"/run/netns"

/*
 * Runs @fn in a separate thread, which may change namespaces: the caller's stays the same. Returns
 * what @fn returned.
 */
int netns_run(int (*fn)(void *ctx, struct err *e), void *ctx, struct err *e);

/*
 * Creates a namespace and enters it with this thread; it lives as long as *ret_fd or another user
 * of it.
 */
int netns_new(int *ret_fd, struct err *e);

/* The inode number of this thread's namespace, as in /proc/PID/ns/net; 0 if unknown. */
unsigned int netns_inode(void);
unsigned int netns_inode_of(int fd);

/* A number of this thread's namespace that is never reused; before 5.14 its inode number. */
uint64_t netns_cookie(void);

/* The name of the namespace with this inode number; false: it has none. */
bool netns_name(unsigned int inode, char *ret_name, size_t size);

/* This thread's namespace; negative errno on failure. */
int netns_open_own(void);

/* This thread enters the namespace. */
int netns_enter(int fd, struct err *e);

/*
 * Prepares NETNS_DIR for names, and locks it against others that do so too (`ip netns add`, other
 * labs) until the descriptor is closed.
 */
int netns_lock(int *ret_fd, struct err *e);

/* Gives the namespace a name; -EEXIST: already in use. Requires netns_lock(). */
int netns_pin(int fd, const char *name, struct err *e);

/* Removes the name, even a partial one; not an error if there is none. */
int netns_unpin(const char *name, struct err *e);

/* -ENOENT: no such name; -ENODATA: a name without a mount, left by a killed process. */
int netns_open(const char *name, int *ret_fd);

/* The same; the absence is a usage error. */
int netns_need(const char *name, int *ret_fd, struct err *e);

/*
 * Opens the namespace with ID @nsid here: among the named ones and those of visible processes.
 * -ENOENT: not found.
 */
int netns_open_id(int nsid, int *ret_fd);

/* Calls @fn for each name. It may remove names. */
int netns_list(void (*fn)(void *ctx, const char *name), void *ctx, struct err *e);

/*
 * Gives this process a private /sys that shows its network namespace; mounts below /sys (bpffs,
 * cgroups, tracefs) stay there.
 */
int netns_mount_sysfs(struct err *e);

#endif
