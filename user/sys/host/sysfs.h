/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/host/sysfs.h - read and write small files in /proc and /sys.
 */
#ifndef SYS_HOST_SYSFS_H
#define SYS_HOST_SYSFS_H

#include <stddef.h>

/*
 * Reads the first @size - 1 bytes of @path without the last newline; returns the length, or
 * negative errno.
 */
int sysfs_read(const char *path, char *ret_text, size_t size);

/* Writes @text in one write; 0 or negative errno. */
int sysfs_write(const char *path, const char *text);

#endif
