// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * proto/seqwin.c - order, loss and duplicates of one stream in user space.
 */
#include "proto/seqwin.h"

#include <string.h>

static bool is_marked(const struct seqwin *win, uint64_t number)
{
	return win->window[(number >> 6) % SEQWIN_WORDS] >> (number & 63) & 1;
}

static void mark(struct seqwin *win, uint64_t number)
{
	win->window[(number >> 6) % SEQWIN_WORDS] |= 1ull << (number & 63);
	win->recent[win->distinct % SEQ_N_MAX] = number;
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

static uint64_t held_number(const struct seqwin *win, const struct seqwin_held *held)
{
	return win->next + (uint64_t)(int64_t)(int32_t)(held->low - (uint32_t)win->next);
}

/* The next number that is held, from @from on and below @end; @end: none is. */
static uint64_t next_held(const struct seqwin *win, uint64_t from, uint64_t end)
{
	uint64_t number;
	int i;

	for (i = 0; i < SEQ_NR_HELD; i++) {
		number = held_number(win, &win->held[i]);
		if (win->held[i].is && win->held[i].id == win->id && number >= from && number < end)
			end = number;
	}
	return end;
}

/* As seq_lose_ends() of abi/seq.h. */
static uint64_t lose_ends(struct seqwin *win, uint64_t end)
{
	uint64_t from = win->next, lost = win->first, held;

	if (win->runs > 1 || !end)
		return 0;
	win->loss_run = 0;
	lose(win, lost);
	win->loss_run = 0;
	for (; from < end; from = held + 1) {
		held = next_held(win, from, end);
		lose(win, held - from);
		lost += held - from;
		if (held < end)
			win->loss_run = 0;
	}
	return lost;
}

uint64_t seqwin_finish(struct seqwin *win, uint64_t end)
{
	judge_all(win);
	return lose_ends(win, end);
}

static void begin_run(struct seqwin *win, uint16_t id, uint64_t number)
{
	if (win->runs) {
		judge_all(win);
		win->loss_run = 0;
		win->spanned += win->next - win->first;
		win->unseen += win->first;
		win->before_id = win->id;
	}
	memset(win->window, 0, sizeof(win->window));
	win->runs++;
	win->id = id;
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

uint64_t seqwin_held(const struct seqwin *win, bool followed)
{
	uint64_t nr = 0;
	int i;

	for (i = 0; i < SEQ_NR_HELD; i++)
		nr += win->held[i].is && (win->held[i].id == win->id) == followed ? 1 + win->held[i].copies : 0;
	return nr;
}

static bool is_behind(const struct seqwin *win, const struct seqwin_held *held)
{
	return win->runs && held->id == win->id && (int32_t)(held->low - (uint32_t)win->next) < 0;
}

static void give_up(struct seqwin *win, const struct seqwin_held *held, uint16_t id)
{
	if (!held->is)
		return;
	if (win->runs ? held->id != win->id : held->id != id)
		win->other_run += 1 + held->copies;
	else if (is_behind(win, held))
		win->unknown += 1 + held->copies;
	else
		win->implausible += 1 + held->copies;
}

static bool is_copy(const struct seqwin_held *held, uint16_t id, uint32_t low)
{
	return held->is && held->id == id && held->low == low;
}

static bool is_confirmed(const struct seqwin *win, const struct seqwin_held *held, uint16_t id,
			 uint32_t low)
{
	int32_t apart = (int32_t)(low - held->low);

	return held->is && held->id == id && apart > -SEQWIN_NUMBERS && !is_behind(win, held) &&
	       win->distinct - held->distinct <= (id == win->id ? SEQ_HELD_MAX : 0);
}

/* The one that is confirmed comes to held[0]; false: none is. */
static bool find_held(struct seqwin *win, uint16_t id, uint32_t low)
{
	if (is_confirmed(win, &win->held[0], id, low))
		return true;
	if (!is_confirmed(win, &win->held[1], id, low))
		return false;
	give_up(win, &win->held[0], id);
	win->held[0] = win->held[1];
	win->held[1].is = false;
	return true;
}

static void take(struct seqwin *win, uint32_t low)
{
	int64_t ahead = (int32_t)(low - (uint32_t)win->next);
	uint64_t number = win->next + (uint64_t)ahead;

	if (ahead >= 0) {
		advance(win, number);
		mark(win, number);
	} else if (number > win->next) {
		win->implausible++;	/* below 0 */
	} else {
		add_late(win, number);
	}
}

void seqwin_take_only(struct seqwin *win)
{
	struct seqwin_held *held = &win->held[1];

	if (win->runs || !held->is)
		return;
	begin_run(win, held->id, held->low);
	held->is = false;
	win->duplicates += held->copies;
	take(win, held->low);
}

/* True if it cannot be placed yet, or belongs nowhere. */
static bool is_kept_out(struct seqwin *win, uint16_t id, uint32_t low)
{
	if (win->runs && id == win->id && (int32_t)(low - (uint32_t)win->next) < SEQ_FAR)
		return false;
	if (win->runs > 1 && id == win->before_id) {
		win->other_run++;
		return true;
	}
	if (is_copy(&win->held[0], id, low) || is_copy(&win->held[1], id, low)) {
		win->held[!is_copy(&win->held[0], id, low)].copies++;
		return true;
	}
	if (find_held(win, id, low)) {
		if (!win->runs || id != win->id)
			begin_run(win, id, win->held[0].low);
		win->held[0].is = false;
		win->duplicates += win->held[0].copies;
		take(win, win->held[0].low);
		return false;
	}
	give_up(win, &win->held[0], id);
	win->held[0] = win->held[1];
	win->held[1] = (struct seqwin_held){
		.is = true, .id = id, .low = low, .distinct = win->distinct,
	};
	return true;
}

void seqwin_add(struct seqwin *win, uint16_t id, uint32_t low)
{
	if (win->confirms && is_kept_out(win, id, low))
		return;
	if (!win->runs)
		begin_run(win, id, low);
	take(win, low);
}

/* As seq_drop_forged() of abi/seq.h. */
static bool drop_forged(struct seqwin *win, uint64_t end)
{
	const uint64_t kept = 64 * (SEQWIN_WORDS - 1);
	uint64_t forged = 0, recent = 0, number, i;

	if (win->runs != 1 || win->next <= end)
		return false;
	number = win->next > kept ? win->next - kept : 0;
	for (number = number > end ? number : end; number < win->next; number++)
		forged += is_marked(win, number);
	for (i = 0; i < SEQ_N_MAX && i < win->distinct; i++)
		recent += win->recent[i] >= end;
	if (forged < recent)
		forged = recent;
	if (forged > win->distinct)
		forged = win->distinct;
	win->distinct -= forged;
	win->implausible += forged;
	if (!win->distinct) {
		win->implausible += win->duplicates;
		win->duplicates = 0;
	}
	win->next = end;
	if (win->first > end)
		win->first = end;
	return true;
}

bool seqwin_settle(struct seqwin *win, uint64_t end)
{
	bool forged = drop_forged(win, end);
	struct seqwin_held *held;
	int i;

	for (i = 0; i < SEQ_NR_HELD; i++) {
		held = &win->held[i];
		if (!held->is || held->id != win->id)
			continue;
		if (held_number(win, held) < end) {
			win->distinct++;
			win->duplicates += held->copies;
		} else {
			win->implausible += 1 + held->copies;
		}
		held->is = false;
	}
	return forged;
}

uint64_t seqwin_gaps(const struct seqwin *win)
{
	uint64_t numbers = win->spanned + win->next - win->first;

	/* After seqwin_settle() there may be more: above the highest. */
	return numbers > win->distinct ? numbers - win->distinct : 0;
}
