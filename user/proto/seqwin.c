// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * proto/seqwin.c - order, loss and duplicates of one stream in user space.
 */
#include "proto/seqwin.h"

#include <stdbool.h>
#include <string.h>

static bool is_marked(const struct seqwin *win, uint64_t number)
{
	return win->window[(number >> 6) % SEQWIN_WORDS] >> (number & 63) & 1;
}

static void mark(struct seqwin *win, uint64_t number)
{
	win->window[(number >> 6) % SEQWIN_WORDS] |= 1ull << (number & 63);
	win->distinct++;
}

static void begin_run(struct seqwin *win, uint64_t number)
{
	memset(win->window, 0, sizeof(win->window));
	if (win->runs) {
		win->spanned += win->next - win->first;
		win->unseen += win->first;
	}
	win->runs++;
	win->first = number;
	win->next = number;
}

/* The bits between the highest number and @number are those of old ones. */
static void advance(struct seqwin *win, uint64_t number)
{
	uint64_t word = (win->next - 1) >> 6, last = number >> 6;
	int i;

	for (i = 0; i < SEQWIN_WORDS && word < last; i++) {
		word++;
		win->window[word % SEQWIN_WORDS] = 0;
	}
	win->next = number + 1;
}

static void add_late(struct seqwin *win, uint64_t number)
{
	uint64_t behind = win->next - number;

	if (behind > SEQWIN_NUMBERS) {
		win->unknown++;
	} else if (is_marked(win, number)) {
		win->duplicates++;
	} else {
		mark(win, number);
		win->reordered++;
		if (behind - 1 > win->distance_max)
			win->distance_max = behind - 1;
		if (number < win->first)
			win->first = number;
	}
}

void seqwin_add(struct seqwin *win, uint32_t low, uint64_t sent_ns)
{
	int64_t ahead = (int32_t)(low - (uint32_t)win->next);
	uint64_t number = win->next + (uint64_t)ahead;

	if (!win->runs || (ahead < 0 && sent_ns > win->newest_sent_ns)) {
		number = low;
		ahead = 0;
		begin_run(win, number);
	}
	/* Before number 0, or left over from the run before. */
	if ((ahead < 0 && number > win->next) ||
	    (ahead >= 0 && sent_ns && sent_ns < win->newest_sent_ns)) {
		win->unknown++;
		return;
	}
	if (ahead < 0) {
		add_late(win, number);
		return;
	}
	if (sent_ns)
		win->newest_sent_ns = sent_ns;
	advance(win, number);
	mark(win, number);
}

uint64_t seqwin_gaps(const struct seqwin *win)
{
	return win->spanned + win->next - win->first - win->distinct;
}
