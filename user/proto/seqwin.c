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

static void lose(struct seqwin *win, uint64_t numbers)
{
	if (numbers && !win->loss_run)
		win->loss_runs++;
	win->loss_run += numbers;
	if (win->loss_run > win->loss_run_max)
		win->loss_run_max = win->loss_run;
}

/* Judges the numbers in @word, below the next expected: none of them can arrive any more. */
static void judge(struct seqwin *win, uint64_t word)
{
	uint64_t number, end = (word + 1) << 6;

	for (number = word << 6; number < end; number++) {
		if (number < win->first || number >= win->next)
			continue;
		if (is_marked(win, number))
			win->loss_run = 0;
		else
			lose(win, 1);
	}
}

static void judge_all(struct seqwin *win)
{
	uint64_t last = (win->next - 1) >> 6, word = last < SEQWIN_WORDS ? 0 : last - SEQWIN_WORDS + 1;

	if (!win->next)
		return;
	for (; word <= last; word++)
		judge(win, word);
}

void seqwin_finish(struct seqwin *win, uint64_t end)
{
	judge_all(win);
	if (end > win->next)
		lose(win, end - win->next);
}

static void begin_run(struct seqwin *win, uint64_t number)
{
	if (win->runs) {
		judge_all(win);
		win->loss_run = 0;
		win->spanned += win->next - win->first;
		win->unseen += win->first;
	}
	memset(win->window, 0, sizeof(win->window));
	win->runs++;
	win->first = number;
	win->next = number;
}

/* The bits between the highest number and @number are stale. */
static void advance(struct seqwin *win, uint64_t number)
{
	uint64_t word = (win->next - 1) >> 6, last = number >> 6;
	int i;

	for (i = 0; i < SEQWIN_WORDS && word < last; i++) {
		word++;
		if (word >= SEQWIN_WORDS)
			judge(win, word - SEQWIN_WORDS);
		win->window[word % SEQWIN_WORDS] = 0;
	}
	/* A gap wider than the window: nothing in it was seen. */
	if (i == SEQWIN_WORDS)
		lose(win, ((last - SEQWIN_WORDS + 1) << 6) - win->next);
	win->next = number + 1;
}

static void add_late(struct seqwin *win, uint64_t number)
{
	uint64_t below = win->next - number;

	if (below > SEQWIN_NUMBERS) {
		win->unknown++;
	} else if (is_marked(win, number)) {
		win->duplicates++;
	} else {
		mark(win, number);
		win->reordered++;
		if (below - 1 > win->distance_max)
			win->distance_max = below - 1;
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
	/* Below number 0, or left over from the previous run. */
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
