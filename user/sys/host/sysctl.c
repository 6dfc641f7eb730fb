// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sys/host/sysctl.c - kernel settings in /proc/sys.
 */
#include "sys/host/sysctl.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "sys/host/sysfs.h"

static void path_of(const char *key, char *ret_path, size_t size)
{
	char *dot;

	snprintf(ret_path, size, "/proc/sys/%s", key);
	for (dot = ret_path; (dot = strchr(dot, '.')); )
		*dot = '/';
}

int sysctl_read(const char *key, char *ret_value, size_t size)
{
	char path[128], text[512], *word, *rest = text;
	size_t used = 0;
	int len;

	path_of(key, path, sizeof(path));
	len = sysfs_read(path, text, sizeof(text));
	if (len < 0)
		return len;
	if ((size_t)len >= size || (size_t)len >= sizeof(text) - 1)
		return -EMSGSIZE;
	ret_value[0] = '\0';
	while ((word = strsep(&rest, " \t\n"))) {
		if (*word)
			used += (size_t)snprintf(ret_value + used, size - used, "%s%s",
						 used ? " " : "", word);
	}
	return 0;
}

int sysctl_write(const char *key, const char *value)
{
	char path[128];

	path_of(key, path, sizeof(path));
	return sysfs_write(path, value);
}
