/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lib/statedir.h - where the tool keeps what later runs need.
 */
#ifndef LIB_STATEDIR_H
#define LIB_STATEDIR_H

#include <stddef.h>

#include "lib/err.h"

#define STATEDIR_DEFAULT "/var/lib/ethgauge"

/* The path of @name in $STATE_DIRECTORY, or STATEDIR_DEFAULT where that is not set. */
void statedir_path(char *buf, size_t size, const char *name);

/* Makes the directory of @path: one level, as what is above it belongs to the system. */
int statedir_make(const char *path, struct err *e);

#endif
