/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * faces/faces.h - a running command's other faces: the full-screen view, a file
 * for node_exporter's textfile collector, a record. They are shown what the result
 * holds at each interval.
 */
#ifndef FACES_FACES_H
#define FACES_FACES_H

#include "faces/live.h"

struct faces_cfg {
	bool tui, color;
	const char *textfile, *record;	/* paths; NULL: none */
};

struct faces;

int faces_open(struct faces **ret_faces, const struct faces_cfg *cfg, struct err *e);

/* Takes NULL. The terminal is itself again. */
void faces_close(struct faces *faces);

/* True if @res is to be whole at each interval. */
bool faces_want_all(const struct faces *faces);

/* A file that cannot be written is told once, on stderr, and a record then ends. */
void faces_update(struct faces *faces, const struct result *res, uint64_t elapsed_ns);

/* The last state; it ends the record. */
void faces_end(struct faces *faces, const struct result *res, uint64_t elapsed_ns);

/* Keys; often. */
enum live_wish faces_poll(struct faces *faces);

/* A line at the bottom of the full-screen view, where there is one. */
void faces_say(struct faces *faces, const char *text);

#endif
