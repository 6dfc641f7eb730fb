/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/study/tune.h - read settings, and change them reversibly.
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
 * Changes what @list names ("NAME[=VALUE],..."; without a value to the recommended one), after
 * saving the previous values to disk. All or nothing: on an error all changes are undone.
 */
int tune_apply(const char *list, const struct tune_path *path, struct result *res, struct err *e);

/* Restores everything that was changed in this network namespace. */
int tune_restore(struct result *res, struct err *e);

/* Number of settings changed here, as saved; 0: none. */
size_t tune_nr_saved(void);

#endif
