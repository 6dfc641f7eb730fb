/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model/study.h - sweeps that are built in, by their names: user/sweeps/NAME.sweep,
 * made into C by scripts/gen-texts.
 *
 * Such a file is the words of a sweep, on as many lines as one likes, '...' around
 * what holds blanks, and {host} for the far end. Lines that begin with # say what it
 * is: the first one in a sentence, the others what it needs.
 */
#ifndef MODEL_STUDY_H
#define MODEL_STUDY_H

#include <stddef.h>

#include "lib/err.h"

#define STUDY_MAX_WORDS 64

struct study {
	const char *name, *text;
};

extern const struct study studies[];	/* name NULL ends */

/* NULL: there is none of that name. */
const struct study *study_find(const char *name);

/* The comment's line @number from 0 on; "": it has no such line. */
void study_about(const struct study *study, int number, char *ret_text, size_t size);

struct study_words {
	char text[4096];		/* what the words point into */
	char *argv[STUDY_MAX_WORDS];
	int argc;
};

/* The words of a sweep, with @host in its place. */
int study_split(const struct study *study, const char *host, struct study_words *ret_words,
		struct err *e);

#endif
