/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/web/load_body.h - what the clients of a load send.
 */
#ifndef ENGINE_WEB_LOAD_BODY_H
#define ENGINE_WEB_LOAD_BODY_H

#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"

struct load_body {
	int fd;				/* of an upload; -1: no file */
	void *memory;
	const void *data;		/* neither this nor a file: zeros */
	uint64_t bytes;
};

/*
 * @data: a text, or "@FILE"; @upload: a file, or a number of zeroes if there is no file by that
 * name. At most one of both is not NULL, and outlives @ret_body.
 */
int load_body_open(struct load_body *ret_body, const char *data, const char *upload, struct err *e);
void load_body_close(struct load_body *body);

#endif
