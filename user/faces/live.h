/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * faces/live.h - the full-screen view as lines of text: what is shown, which
 * key does what. It knows no terminal (faces/tui.h does), so it can be tested.
 */
#ifndef FACES_LIVE_H
#define FACES_LIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "result/result.h"

enum live_style { LIVE_PLAIN, LIVE_BAR, LIVE_HEAD, LIVE_SELECTED, LIVE_WARNING, LIVE_STYLES };

/* Keys that are not characters. */
enum live_key {
	LIVE_KEY_UP = 0x100, LIVE_KEY_DOWN, LIVE_KEY_LEFT, LIVE_KEY_RIGHT, LIVE_KEY_PAGE_UP,
	LIVE_KEY_PAGE_DOWN, LIVE_KEY_ENTER, LIVE_KEY_BACKSPACE, LIVE_KEY_ESCAPE,
};

enum live_wish { LIVE_GO_ON, LIVE_QUIT, LIVE_FASTER, LIVE_SLOWER, LIVE_SORT_FLOWS };

struct live;

/* @utf8: bars of block characters; else of ASCII. NULL: no memory. */
struct live *live_new(bool utf8);
void live_free(struct live *live);	/* accepts NULL */

/* Update from @res; deferred while paused. */
void live_update(struct live *live, const struct result *res, uint64_t elapsed_ns);

/* Actions for the caller. */
enum live_wish live_key(struct live *live, int key);

/* In the top line: the newest log message, the interval. */
void live_say(struct live *live, const char *text);

/* @text begins at column @left of the line. */
typedef void (*live_put_fn)(void *ctx, unsigned int line, unsigned int left, enum live_style style,
			    const char *text);

/*
 * Calls @put for each line of a screen of that size, or for each of its parts from left to right. What
 * is put stays within @width columns, and is printable even if names in the result are not.
 */
void live_draw(const struct live *live, unsigned int width, unsigned int height, live_put_fn put,
	       void *ctx);

#endif
