/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/net/ethtool.h - ioctl requests about an interface, including ethtool's.
 *
 * In the calling thread's network namespace. All return 0 or a negative errno.
 */
#ifndef SYS_NET_ETHTOOL_H
#define SYS_NET_ETHTOOL_H

#include <stddef.h>
#include <stdint.h>

struct ifreq;
struct ethtool_gstrings;

#define ETHTOOL_NAME_SIZE 33

/* @request: SIOC*. Fills in the interface name. */
int ethtool_ioctl(const char *ifname, unsigned long request, struct ifreq *req);

/* @command: a struct of linux/ethtool.h that begins with its number. */
int ethtool(const char *ifname, void *command);

/*
 * The same for commands whose answer has as many values as exist at that time, regardless of the
 * size passed: -EAGAIN, with @command unchanged, if it exceeds the @bytes of @command.
 */
int ethtool_bounded(const char *ifname, void *command, size_t bytes);

/* The names of a set (ETH_SS_*), to be freed. -EOPNOTSUPP: the driver has no such set. */
int ethtool_read_names(const char *ifname, uint32_t set, struct ethtool_gstrings **ret_names);
void ethtool_name(const struct ethtool_gstrings *names, uint32_t i, char ret_name[ETHTOOL_NAME_SIZE]);

#endif
