/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * faces/record_show.h - show a recording at its own speed, or at another.
 */
#ifndef FACES_RECORD_SHOW_H
#define FACES_RECORD_SHOW_H

#include "faces/faces.h"
#include "result/result.h"

struct record;

struct record_show {
	const char *path;
	struct record *record;		/* of record_show_open() */
	double speed;			/* times as fast; 0: at once */
	bool stays;			/* after the last line, until poll() ends it */
	struct result *res;		/* filled from the recording */
	struct faces *faces;
	bool (*poll)(void *ctx);	/* called often; true: end */
	void *ctx;
};

/* Opens the file at @show->path, while privileges last. */
int record_show_open(struct record_show *show, struct err *e);
void record_show_close(struct record_show *show);

/* Until the recording ends or the user quits. */
int record_show(const struct record_show *show, struct err *e);

#endif
