// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sys/host/sysfs.c - read and write small files in /proc and /sys.
 */
#include "sys/host/sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

int sysfs_read(const char *path, char *ret_text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len;

	if (fd < 0)
		return -errno;
	len = read(fd, ret_text, size - 1);
	if (len < 0)
		len = -errno;
	close(fd);
	if (len < 0)
		return (int)len;
	if (len > 0 && ret_text[len - 1] == '\n')
		len--;
	ret_text[len] = '\0';
	return (int)len;
}

int sysfs_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	ssize_t len;
	int err = 0;

	if (fd < 0)
		return -errno;
	len = write(fd, text, strlen(text));
	if (len < 0)
		err = -errno;
	else if ((size_t)len != strlen(text))
		err = -EIO;
	close(fd);
	return err;
}
