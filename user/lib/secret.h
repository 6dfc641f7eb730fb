/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lib/secret.h - a pre-shared key, from a file or the environment: never from the command line,
 * which every user of the host can read.
 */
#ifndef LIB_SECRET_H
#define LIB_SECRET_H

#include <stddef.h>
#include <stdio.h>

#include "lib/err.h"

struct secret {
	size_t len;		/* 0: none */
	char bytes[256];
};

/*
 * From @bytes; trailing newlines are removed. Errors and the warning that it may be guessed say that it is
 * in @from.
 */
int secret_set(struct secret *ret_secret, const char *bytes, size_t len, const char *from, struct err *e);

/* A file of keys; warns if others can read it. NULL on error. */
FILE *secret_open(const char *path, struct err *e);

/*
 * From @path, otherwise from the environment variable @variable, otherwise none. Trailing newlines
 * are removed.
 */
int secret_read(struct secret *ret_secret, const char *path, const char *variable, struct err *e);

#endif
