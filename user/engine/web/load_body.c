// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/web/load_body.c - the request bodies of a load.
 */
#include "engine/web/load_body.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/unit.h"

static int open_file(const char *path, int *ret_fd, uint64_t *ret_bytes, struct err *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), err = 0;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		err = -errno;
	else if (!S_ISREG(st.st_mode))
		err = -EINVAL;
	if (err) {
		if (fd >= 0)
			close(fd);
		return err_set(e, err, "cannot read '%s'", path);
	}
	*ret_fd = fd;
	*ret_bytes = (uint64_t)st.st_size;
	return 0;
}

int load_body_read(struct load_body *body, const char *path, struct err *e)
{
	ssize_t got = 0;
	int fd, err;

	*body = (struct load_body){ .fd = -1 };
	err = open_file(path, &fd, &body->bytes, e);
	if (err)
		return err;
	body->memory = malloc(body->bytes + 1);
	body->data = body->memory;
	if (body->memory)
		got = pread(fd, body->memory, body->bytes, 0);
	if (!body->memory || got < 0)
		err = err_set(e, -errno, "cannot read '%s'", path);
	body->bytes = (uint64_t)got;
	close(fd);
	return err;
}

int load_body_open(struct load_body *ret_body, const char *data, const char *upload, struct err *e)
{
	*ret_body = (struct load_body){ .fd = -1 };
	if (data && data[0] == '@')
		return load_body_read(ret_body, data + 1, e);
	if (data) {
		ret_body->data = data;
		ret_body->bytes = strlen(data);
		return 0;
	}
	if (!upload)
		return 0;
	/* If a file of that name exists, it is meant. */
	if (!unit_parse_count(upload, &ret_body->bytes) && access(upload, F_OK))
		return 0;
	return open_file(upload, &ret_body->fd, &ret_body->bytes, e);
}

void load_body_close(struct load_body *body)
{
	free(body->memory);
	if (body->fd >= 0)
		close(body->fd);
}
