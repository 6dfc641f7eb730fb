/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model/study.h - built-in sweeps by name: user/sweeps/NAME.sweep, converted to C by
 * scripts/gen-texts.
 *
 * Such a file has the words of a sweep, on any number of lines, with '...' around words with
 * spaces, and {host} for the far end. Lines that begin with # describe it: the first in one
 * sentence, the others what it requires.
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

/* The name of study @i; NULL after the last. */
const char *study_name_at(size_t i);

/* NULL: no study of that name. */
const struct study *study_find(const char *name);

/* Line @number of the comment, from 0 on; "": no such line. */
void study_about(const struct study *study, int number, char *ret_text, size_t size);

struct study_words {
	char text[4096];		/* memory of the words */
	char *argv[STUDY_MAX_WORDS];
	int argc;
};

/* The words of a sweep, with {host} replaced by @host. */
int study_split(const struct study *study, const char *host, struct study_words *ret_words,
		struct err *e);

#endif
