/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/host/sysctl.h - kernel settings, as seen in this process's network namespace.
 */
#ifndef SYS_HOST_SYSCTL_H
#define SYS_HOST_SYSCTL_H

#include <stddef.h>

/*
 * @key: "net.ipv4.tcp_rmem". Several values are separated by one space each, on input by any
 * separator. 0 or negative errno; -EMSGSIZE: longer than @size.
 */
int sysctl_read(const char *key, char *ret_value, size_t size);
int sysctl_write(const char *key, const char *value);

#endif
