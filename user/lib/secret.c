// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lib/secret.c - a key from a file or the environment.
 */
#include "lib/secret.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/log.h"

#define MIN_BYTES	8u
#define GOOD_BYTES	16u

int secret_set(struct secret *ret_secret, const char *bytes, size_t len, const char *from, struct err *e)
{
	while (len && (bytes[len - 1] == '\n' || bytes[len - 1] == '\r'))
		len--;
	if (len < MIN_BYTES || len > sizeof(ret_secret->bytes))
		return err_usage(e, "the key in %s must have %u to %zu bytes", from, MIN_BYTES,
				 sizeof(ret_secret->bytes));
	if (len < GOOD_BYTES)
		log_warn("the key in %s has %zu bytes and may be guessed: use %u random bytes or more", from, len,
			 GOOD_BYTES);
	memcpy(ret_secret->bytes, bytes, len);
	ret_secret->len = len;
	return 0;
}

FILE *secret_open(const char *path, struct err *e)
{
	FILE *file = fopen(path, "re");
	struct stat st;

	if (!file)
		err_set(e, -errno, "cannot read the key in '%s'", path);
	else if (!fstat(fileno(file), &st) && st.st_mode & 077)
		log_warn("the key in '%s' can be read by others: chmod 600 it", path);
	return file;
}

int secret_read(struct secret *ret_secret, const char *path, const char *variable, struct err *e)
{
	char bytes[sizeof(ret_secret->bytes) + 3], from[300];
	const char *word = getenv(variable);
	size_t len;
	FILE *file;
	int err;

	memset(ret_secret, 0, sizeof(*ret_secret));
	if (!path)
		return word ? secret_set(ret_secret, word, strlen(word), variable, e) : 0;
	file = secret_open(path, e);
	if (!file)
		return e->no;
	len = fread(bytes, 1, sizeof(bytes), file);
	fclose(file);
	snprintf(from, sizeof(from), "'%s'", path);
	err = secret_set(ret_secret, bytes, len, from, e);
	explicit_bzero(bytes, sizeof(bytes));
	return err;
}
