/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/web/load_body.h - the request bodies of a load.
 */
#ifndef ENGINE_WEB_LOAD_BODY_H
#define ENGINE_WEB_LOAD_BODY_H

#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"

struct load_body {
	int fd;				/* file to upload; -1: none */
	void *memory;
	const void *data;		/* without this and a file: zeros */
	uint64_t bytes;
};

/*
 * @data: a text, or "@FILE"; @upload: a file, or a number of zero bytes if no such file exists. At
 * most one of the two is not NULL, and it must outlive @ret_body.
 */
int load_body_open(struct load_body *ret_body, const char *data, const char *upload, struct err *e);

/* Reads a whole file, which libcurl requires of form data and certificates. */
int load_body_read(struct load_body *ret_body, const char *path, struct err *e);

void load_body_close(struct load_body *body);

#endif
