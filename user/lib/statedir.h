/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lib/statedir.h - the directory of saved state.
 */
#ifndef LIB_STATEDIR_H
#define LIB_STATEDIR_H

#include <stddef.h>

#include "lib/err.h"

#define STATEDIR_DEFAULT "/var/lib/ethgauge"

/* The path of @name in $STATE_DIRECTORY, or in STATEDIR_DEFAULT if that is not set. */
void statedir_path(char *buf, size_t size, const char *name);

/* Creates the directory of @path: one level only, as its parents belong to the system. */
int statedir_make(const char *path, struct err *e);

#endif
