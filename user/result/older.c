// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * result/older.c - rows of series that are too many for memory, in an unnamed file.
 */
#include "result/older.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct older_file {
	int fd;
	uint64_t end;
};

struct block {
	uint64_t next_at;	/* 0: the last */
	uint64_t rows, bytes;	/* of the text that follows */
};

/* An offset of 0 is no block. */
#define START sizeof(struct block)

static int open_in(const char *dir)
{
	return open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
}

struct older_file *older_open(const char *beside)
{
	struct older_file *file = calloc(1, sizeof(*file));
	char *path = beside ? strdup(beside) : NULL;

	if (file) {
		file->fd = path ? open_in(dirname(path)) : -1;
		/* /tmp may be memory. */
		if (file->fd < 0)
			file->fd = open_in("/var/tmp");
		if (file->fd < 0)
			file->fd = open_in("/tmp");
		file->end = START;
	}
	free(path);
	if (file && file->fd < 0) {
		free(file);
		file = NULL;
	}
	return file;
}

void older_close(struct older_file *file)
{
	if (!file)
		return;
	close(file->fd);
	free(file);
}

static int write_at(const struct older_file *file, const void *data, size_t bytes, uint64_t at)
{
	const char *p = data;
	ssize_t n;

	for (; bytes; bytes -= (size_t)n, p += n, at += (uint64_t)n) {
		n = pwrite(file->fd, p, bytes, (off_t)at);
		if (n < 0 && errno == EINTR)
			n = 0;
		else if (n <= 0)
			return n ? -errno : -EIO;
	}
	return 0;
}

static int read_at(const struct older_file *file, void *data, size_t bytes, uint64_t at)
{
	char *p = data;
	ssize_t n;

	for (; bytes; bytes -= (size_t)n, p += n, at += (uint64_t)n) {
		n = pread(file->fd, p, bytes, (off_t)at);
		if (n < 0 && errno == EINTR)
			n = 0;
		else if (n <= 0)
			return n ? -errno : -EIO;
	}
	return 0;
}

int older_add(struct older_file *file, struct older *older, const char *text, size_t bytes, uint64_t rows)
{
	struct block block = { .rows = rows, .bytes = bytes };
	uint64_t at = file->end;
	int err = write_at(file, &block, sizeof(block), at);

	if (!err)
		err = write_at(file, text, bytes, at + sizeof(block));
	if (!err && older->last_at)
		err = write_at(file, &at, sizeof(at), older->last_at + offsetof(struct block, next_at));
	if (err)
		return err;
	file->end = at + sizeof(block) + bytes;
	older->last_at = at;
	if (!older->first_at)
		older->first_at = at;
	older->rows += rows;
	return 0;
}

int older_trim(struct older_file *file, struct older *older, uint64_t rows)
{
	struct block block;
	int err;

	while (older->first_at) {
		err = read_at(file, &block, sizeof(block), older->first_at);
		if (err || older->rows - block.rows < rows)
			return err;
		/* Where that is not supported the file only stays larger. */
		fallocate(file->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)older->first_at,
			  (off_t)(sizeof(block) + block.bytes));
		older->rows -= block.rows;
		older->first_at = block.next_at;
		if (!block.next_at)
			older->last_at = 0;
	}
	return 0;
}

static int each_of(char *text, size_t bytes, uint64_t *skip, int (*fn)(const char *row, size_t bytes, void *ctx),
		   void *ctx)
{
	char *end;
	int err = 0;

	for (; bytes && !err; bytes -= (size_t)(end + 1 - text), text = end + 1) {
		end = memchr(text, '\n', bytes);
		if (!end)
			return -EIO;
		if (*skip)
			--*skip;
		else
			err = fn(text, (size_t)(end - text), ctx);
	}
	return err;
}

int older_each(const struct older_file *file, const struct older *older, uint64_t skip,
	       int (*fn)(const char *row, size_t bytes, void *ctx), void *ctx)
{
	struct block block = { .next_at = older->first_at };
	int err = 0;

	while (block.next_at && !err) {
		uint64_t at = block.next_at;
		char *text = NULL;

		err = read_at(file, &block, sizeof(block), at);
		if (!err && skip >= block.rows) {
			skip -= block.rows;
			continue;
		}
		if (!err)
			text = malloc(block.bytes);
		if (!err && !text)
			err = -ENOMEM;
		if (!err)
			err = read_at(file, text, block.bytes, at + sizeof(block));
		if (!err)
			err = each_of(text, block.bytes, &skip, fn, ctx);
		free(text);
	}
	return err;
}
