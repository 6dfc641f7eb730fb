// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * faces/record_show.c - show a recording line by line.
 */
#include "faces/record_show.h"

#include "faces/record.h"
#include "lib/log.h"
#include "lib/loop.h"

struct showing {
	const struct record_show *show;
	struct record *record;
	uint64_t start_mono_ns;
	uint64_t next_ns;		/* when its line is due; UINT64_MAX: it is over */
	struct err error;
};

/* Shows the line that is due, and reads the next; an error ends it. */
static void show_next(struct showing *at)
{
	uint64_t elapsed_ns;
	int got;

	if (at->next_ns) {
		record_load(at->record, at->show->res);
		faces_update(at->show->faces, at->show->res, at->next_ns);
	}
	got = record_next(at->record, &elapsed_ns, &at->error);
	/* At least one later than the last: time 0 is before the first line. */
	at->next_ns = got <= 0 ? UINT64_MAX : elapsed_ns > at->next_ns ? elapsed_ns : at->next_ns + 1;
}

/* Called often: shows all that is due by now. */
static bool poll(void *ctx)
{
	struct showing *at = ctx;
	double passed_ns = (double)(loop_mono_ns() - at->start_mono_ns), speed = at->show->speed;
	double due_ns = speed > 0 ? passed_ns * speed : 1e300;

	while ((double)at->next_ns <= due_ns && at->next_ns != UINT64_MAX && !loop_signal())
		show_next(at);
	if (at->show->poll(at->show->ctx) || at->error.no)
		return true;
	return at->next_ns == UINT64_MAX && !at->show->stays;
}

int record_show_open(struct record_show *show, struct err *e)
{
	return record_open(&show->record, show->path, e);
}

void record_show_close(struct record_show *show)
{
	record_close(show->record);
}

int record_show(const struct record_show *show, struct err *e)
{
	struct showing at = { .show = show, .record = show->record };
	struct loop loop = { .done = poll, .ctx = &at };
	int err = 0;

	at.start_mono_ns = loop_mono_ns();
	log_info("replaying '%s'", show->path);
	loop_run(&loop);
	if (at.error.no) {
		*e = at.error;
		err = e->no;
	} else if (record_was_cut(at.record)) {
		result_note(show->res, "the recording ends within a line: its writer was killed");
	}
	return err;
}
