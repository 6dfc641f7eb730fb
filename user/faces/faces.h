/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * faces/faces.h - additional outputs of a running command: the full-screen view,
 * a file for node_exporter's textfile collector, a recording. They are updated from
 * the result at each interval.
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

/* Accepts NULL. Restores the terminal. */
void faces_close(struct faces *faces);

/* True if @res must be complete at each interval. */
bool faces_want_all(const struct faces *faces);

/* A write error is reported once, on stderr, and ends a recording; faces_end() returns it. */
void faces_update(struct faces *faces, const struct result *res, uint64_t elapsed_ns);

/* The last state, which ends the recording. An error: the recording, or the last state of a file, is not whole. */
int faces_end(struct faces *faces, const struct result *res, uint64_t elapsed_ns, struct err *e);

/* Handle keys; call it often. */
enum live_wish faces_poll(struct faces *faces);

/* A line at the bottom of the full-screen view, where there is one. */
void faces_say(struct faces *faces, const char *text);

#endif
