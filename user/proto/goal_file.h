/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proto/goal_file.h - the goals of a search, from a YAML file:
 *
 *	goals:
 *	  - tst009
 *	  - { name: mine, loss: 0.5%, exceed: 50%, initial: 1s, final: 1s, sum: 21s, width: 0.5% }
 *
 * What they mean is for others to say: here they are texts, as on the command line.
 */
#ifndef PROTO_GOAL_FILE_H
#define PROTO_GOAL_FILE_H

#include <stddef.h>

#include "lib/err.h"

#define GOAL_FILE_MAX 16

struct goal_text {
	char text[256];			/* "tst009", or "name=mine,loss=0.5%" */
	char at[160];			/* "FILE:LINE:COLUMN" */
};

struct goal_file {
	struct goal_text goals[GOAL_FILE_MAX];
	size_t nr;
};

int goal_file_read(const char *path, struct goal_file *ret_file, struct err *e);

#endif
