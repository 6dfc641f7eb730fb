/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/host/keeper.h - a process that keeps root's right to name output files, so that the one that
 * measures need not.
 */
#ifndef SYS_HOST_KEEPER_H
#define SYS_HOST_KEEPER_H

#include "lib/err.h"

/*
 * For root, before anything is attached and before threads start: from now on the files of
 * lib/outfile.h get their names from another process. It removes those that got none when this one
 * ends, however it ends. Call it again without effect. Returns 0 or e->no.
 */
int keeper_start(struct err *e);

/* It takes no more files: only those open now can get their names, again when renewed. By caps_drop(). */
void keeper_seal(void);

/* Ends it, when all files are closed. */
void keeper_end(void);

#endif
