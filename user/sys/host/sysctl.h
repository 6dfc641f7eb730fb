/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/host/sysctl.h - settings of the kernel, as the network namespace of this
 * process has them.
 */
#ifndef SYS_HOST_SYSCTL_H
#define SYS_HOST_SYSCTL_H

#include <stddef.h>

/*
 * @key: "net.ipv4.tcp_rmem". Several values are separated by one blank each,
 * with any separator between them. 0 or negative errno; -EMSGSIZE: longer
 * than @size.
 */
int sysctl_read(const char *key, char *ret_value, size_t size);
int sysctl_write(const char *key, const char *value);

#endif
