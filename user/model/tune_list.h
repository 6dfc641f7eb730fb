/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model/tune_list.h - settings as they were before a change, as a text.
 *
 *	ethgauge-tune 1
 *	boot 0d3a...
 *	NAME<TAB>IFNAME<TAB>IFINDEX<TAB>VALUE
 */
#ifndef MODEL_TUNE_LIST_H
#define MODEL_TUNE_LIST_H

#include <stdio.h>

#include "model/tune_items.h"

#define TUNE_MAX_SAVED 64

struct tune_saved {
	const struct tune_item *item;
	char ifname[16];	/* "": not an interface's */
	int ifindex;
	char was[TUNE_TEXT];
};

struct tune_list {
	size_t nr;
	struct tune_saved saved[TUNE_MAX_SAVED];	/* in the order of the changes */
};

/* -EBADMSG: it is damaged. Nothing is added of an earlier boot, whose settings no longer exist. */
int tune_list_read(FILE *file, const char *boot_id, struct tune_list *list);
void tune_list_write(FILE *file, const char *boot_id, const struct tune_list *list);

#endif
