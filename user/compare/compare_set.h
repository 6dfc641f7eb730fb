/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * compare/compare_set.h - the runs of a comparison, their setups, and the rows made of them.
 */
#ifndef COMPARE_COMPARE_SET_H
#define COMPARE_COMPARE_SET_H

#include <stdio.h>

#include <jansson.h>

#include "compare/compare.h"

/* One run: a document, and where it came from. */
struct compare_doc {
	json_t *doc;
	char *file;
	json_t *setup;		/* of compare_setup(), on first use */
	size_t group;		/* index of its setup */
};

struct compare_docs {
	struct compare_doc *list;
	size_t nr;
	/* Reads the next document of @file; NULL: json_loadf(). */
	json_t *(*read)(void *ctx, const char *file, FILE *in, json_error_t *ret_error);
	void *ctx;
	int *spools;		/* descriptors: copies of pipes, in memory */
	size_t nr_spools;
};

/* Documents of one setup. */
struct compare_group {
	json_t *setup;		/* borrowed from its first document */
	const char *file;	/* likewise */
	size_t nr[COMPARE_NR_SIDES];
	char label[256];	/* settings that identify it; "" if it is the only one */
};

struct compare {
	const struct compare_cfg *cfg;
	struct compare_docs sides[COMPARE_NR_SIDES];
	struct compare_group *groups;
	size_t nr_groups;
};

/* "base", "new", "noise" */
const char *compare_side_name(enum compare_side side);

/* Append. */
int compare_docs_load(struct compare_docs *docs, const char *path, struct err *e);
void compare_docs_release(struct compare_docs *docs);

/* When it was taken, of ISO 8601, which sorts as text; NULL: not known. */
const char *compare_date(const struct compare_doc *doc);

/*
 * What must be equal in two documents, by part ("": the document itself): command,
 * configuration and environment, without the keys that may differ.
 */
json_t *compare_setup(const json_t *doc, const struct compare_cfg *cfg);

/* The differences between two setups. */
struct compare_diff {
	size_t nr;
	char text[400];		/* "config rate is \"1Mpps\" there and \"2Mpps\" here, ..." */
	char keys[200];		/* "rate, ..." */
};
void compare_setup_diff(const json_t *there, const json_t *here, struct compare_diff *ret_diff);

/* Judge all figures of the groups; NULL: out of memory. @ret_unknown: keys not in the dictionary. */
json_t *compare_rows(const struct compare *cmp, size_t *ret_unknown);

/* "+10.2 %", "-3": the change @which of a row ("", "_low", "_high"); "?" if there is none. */
const char *compare_show_change(char *buf, size_t size, const json_t *row, const char *which);

/* The same for "noise" and "smallest", which have no sign. */
const char *compare_show_size(char *buf, size_t size, const json_t *row, const char *which);

/* A row's figure @key with its unit. */
const char *compare_show_figure(char *buf, size_t size, const json_t *row, const char *key);

/* Setup and part of a row, plain. */
const char *compare_show_place(char *buf, size_t size, const json_t *row);

#endif
