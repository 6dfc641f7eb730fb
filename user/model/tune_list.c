// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * model/tune_list.c - what settings were, read and written.
 */
#include "model/tune_list.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "ethgauge-tune 1\n"

static int take_line(struct tune_list *list, char *line)
{
	struct tune_saved *saved = &list->saved[list->nr];
	char *name = strsep(&line, "\t"), *ifname = strsep(&line, "\t");
	char *ifindex = strsep(&line, "\t"), *was = strsep(&line, "\n"), *end;
	unsigned long number;

	if (!was || list->nr == TUNE_MAX_SAVED || strlen(ifname) >= sizeof(saved->ifname) ||
	    strlen(was) >= sizeof(saved->was) || !*was)
		return -EBADMSG;
	number = strtoul(ifindex, &end, 10);
	saved->item = tune_find(name, strlen(name));
	if (!saved->item || ifindex[strspn(ifindex, "0123456789")] || end == ifindex || number > INT_MAX)
		return -EBADMSG;
	strcpy(saved->ifname, ifname);
	saved->ifindex = (int)number;
	strcpy(saved->was, was);
	list->nr++;
	return 0;
}

int tune_list_read(FILE *file, const char *boot_id, struct tune_list *list)
{
	char line[256], boot[64];

	snprintf(boot, sizeof(boot), "boot %s\n", boot_id);
	if (!fgets(line, sizeof(line), file) || strcmp(line, HEAD) ||
	    !fgets(line, sizeof(line), file) || strncmp(line, "boot ", strlen("boot ")) || !strchr(line, '\n'))
		return -EBADMSG;
	if (strcmp(line, boot))
		return 0;
	while (fgets(line, sizeof(line), file)) {
		if (!strchr(line, '\n') || take_line(list, line))
			return -EBADMSG;
	}
	return 0;
}

void tune_list_write(FILE *file, const char *boot_id, const struct tune_list *list)
{
	size_t i;

	fprintf(file, "%sboot %s\n", HEAD, boot_id);
	for (i = 0; i < list->nr; i++) {
		const struct tune_saved *saved = &list->saved[i];

		fprintf(file, "%s\t%s\t%d\t%s\n", saved->item->name, saved->ifname, saved->ifindex, saved->was);
	}
}
