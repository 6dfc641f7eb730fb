/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/study/tune.h - read settings, and change them so that they can be put back.
 */
#ifndef ENGINE_STUDY_TUNE_H
#define ENGINE_STUDY_TUNE_H

#include <stddef.h>

#include "lib/err.h"
#include "model/tune_items.h"
#include "result/result.h"

void tune_read(const struct tune_item *item, const char *ifname, struct tune_value *ret_value);
int tune_write(const struct tune_item *item, const char *ifname, const char *text);

/*
 * Changes what @list names ("NAME[=VALUE],..."; without a value to what is asked), after what
 * was is on the disk. All or nothing: on an error what was changed is put back.
 */
int tune_apply(const char *list, const struct tune_path *path, struct result *res, struct err *e);

/* Puts everything back that was changed in this network namespace. */
int tune_restore(struct result *res, struct err *e);

/* How many settings are changed here, as saved; 0: none. */
size_t tune_nr_saved(void);

#endif
