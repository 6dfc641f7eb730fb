// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/load_body.c - what the clients of a load send.
 */
#include "engine/load_body.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/unit.h"

static int map_file(struct load_body *body, const char *path, struct err *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), err = 0;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		err = -errno;
	else if (!S_ISREG(st.st_mode))
		err = -EINVAL;
	if (!err && st.st_size) {
		body->map_bytes = (size_t)st.st_size;
		body->map = mmap(NULL, body->map_bytes, PROT_READ, MAP_PRIVATE, fd, 0);
		if (body->map == MAP_FAILED) {
			body->map = NULL;
			err = -errno;
		}
	}
	body->data = body->map;
	body->bytes = body->map ? body->map_bytes : 0;
	if (fd >= 0)
		close(fd);
	return err ? err_set(e, err, "cannot read '%s'", path) : 0;
}

int load_body_open(struct load_body *ret_body, const char *data, const char *upload, struct err *e)
{
	if (data && data[0] == '@')
		return map_file(ret_body, data + 1, e);
	if (data) {
		ret_body->data = data;
		ret_body->bytes = strlen(data);
		return 0;
	}
	if (!upload)
		return 0;
	/* A file by that name is meant, if there is one. */
	if (!unit_parse_count(upload, &ret_body->bytes) && access(upload, F_OK))
		return 0;
	return map_file(ret_body, upload, e);
}

void load_body_close(struct load_body *body)
{
	if (body->map)
		munmap(body->map, body->map_bytes);
}
