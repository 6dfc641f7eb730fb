/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * faces/tui.h - the full-screen view on a terminal, by ncurses.
 *
 * While it is open, stderr is held back: its newest line is shown at the bottom,
 * and all of it is written when the terminal is restored.
 */
#ifndef FACES_TUI_H
#define FACES_TUI_H

#include "faces/live.h"

struct tui;

/* stdin and stdout must be a terminal. */
int tui_open(struct tui **ret_tui, bool color, struct err *e);

/* Restore the terminal; accepts NULL. */
void tui_close(struct tui *tui);

void tui_update(struct tui *tui, const struct result *res, uint64_t elapsed_ns);

/* Reads the keys, follows the terminal's size. To be called often. */
enum live_wish tui_poll(struct tui *tui);

/* A line for the bottom. */
void tui_say(struct tui *tui, const char *text);

#endif
