// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * faces/faces.c - additional outputs of a running command.
 */
#include "faces/faces.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "faces/prom.h"
#include "faces/record.h"
#include "faces/tui.h"
#include "lib/log.h"
#include "lib/outfile.h"

struct faces {
	struct faces_cfg cfg;
	struct tui *tui;
	struct outfile *textfile;
	bool textfile_written;
	FILE *record;
	int record_error;		/* that ended it */
	struct err textfile_error;	/* of the last state; no: 0 if it was written */
};

int faces_open(struct faces **ret_faces, const struct faces_cfg *cfg, struct err *e)
{
	struct faces *faces = calloc(1, sizeof(*faces));
	int err = 0;

	if (!faces)
		return err_set(e, -ENOMEM, "out of memory for the outputs");
	faces->cfg = *cfg;
	if (cfg->textfile)
		err = outfile_open(&faces->textfile, cfg->textfile, e);
	if (!err && cfg->record) {
		faces->record = fopen(cfg->record, "we");
		if (!faces->record)
			err = err_set(e, -errno, "cannot write '%s'", cfg->record);
	}
	if (!err && cfg->tui)
		err = tui_open(&faces->tui, cfg->color, e);
	if (err) {
		faces_close(faces);
		return err;
	}
	*ret_faces = faces;
	return 0;
}

void faces_close(struct faces *faces)
{
	if (!faces)
		return;
	tui_close(faces->tui);
	outfile_close(faces->textfile);
	if (faces->record)
		fclose(faces->record);
	free(faces);
}

bool faces_want_all(const struct faces *faces)
{
	return faces->tui || faces->record || faces->textfile;
}

static void update_textfile(struct faces *faces, const struct result *res)
{
	bool failed = faces->textfile_error.no;
	struct err e = { 0 };
	int err = 0;

	if (faces->textfile_written)
		err = outfile_renew(faces->textfile, &e);
	if (!err) {
		faces->textfile_written = true;
		prom_result(outfile_stream(faces->textfile), res);
		err = outfile_commit_soon(faces->textfile, &e);
	}
	if (err && !failed)
		log_warn("%s", e.msg);
	faces->textfile_error = err ? e : (struct err){ 0 };
}

static void update_record(struct faces *faces, const struct result *res, uint64_t elapsed_ns,
			  bool end)
{
	int err = record_write(faces->record, res, elapsed_ns, end);

	if (!err)
		return;
	log_warn("the recording '%s' ends here: %s", faces->cfg.record, strerror(-err));
	fclose(faces->record);
	faces->record = NULL;
	faces->record_error = err;
}

static void update(struct faces *faces, const struct result *res, uint64_t elapsed_ns, bool end)
{
	if (faces->textfile)
		update_textfile(faces, res);
	if (faces->record)
		update_record(faces, res, elapsed_ns, end);
	if (faces->tui)
		tui_update(faces->tui, res, elapsed_ns);
}

void faces_update(struct faces *faces, const struct result *res, uint64_t elapsed_ns)
{
	update(faces, res, elapsed_ns, false);
}

int faces_end(struct faces *faces, const struct result *res, uint64_t elapsed_ns, struct err *e)
{
	update(faces, res, elapsed_ns, true);
	if (faces->record_error)
		return err_set(e, faces->record_error, "cannot write all of '%s'", faces->cfg.record);
	if (faces->textfile_error.no)
		*e = faces->textfile_error;
	return faces->textfile_error.no;
}

enum live_wish faces_poll(struct faces *faces)
{
	return faces->tui ? tui_poll(faces->tui) : LIVE_GO_ON;
}

void faces_say(struct faces *faces, const char *text)
{
	if (faces->tui)
		tui_say(faces->tui, text);
}
