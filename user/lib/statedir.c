// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lib/statedir.c - the directory of saved state.
 */
#include "lib/statedir.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

void statedir_path(char *buf, size_t size, const char *name)
{
	const char *dir = getenv("STATE_DIRECTORY");

	snprintf(buf, size, "%s/%s", dir && dir[0] == '/' ? dir : STATEDIR_DEFAULT, name);
}

int statedir_make(const char *path, struct err *e)
{
	char dir[4096];
	char *slash;

	snprintf(dir, sizeof(dir), "%s", path);
	slash = strrchr(dir, '/');
	if (!slash || slash == dir)
		return 0;
	*slash = '\0';
	if (mkdir(dir, 0755) && errno != EEXIST)
		return err_set(e, -errno, "cannot create directory '%s'", dir);
	return 0;
}
