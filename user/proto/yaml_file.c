// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * proto/yaml_file.c - read a file with one YAML document.
 *
 * Text that is not UTF-8 is rejected before libfyaml sees it: 0.7.12 loops forever on "%\xf1".
 */
#include "proto/yaml_file.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/array.h"
#include "lib/utf8.h"
#include "proto/flow_yaml.h"

#define FILE_MAX_BYTES	(16u << 20)

/* libfyaml's first error, with its position. */
static int syntax_error(const struct yaml_file *file, const char *name, struct fy_diag *diag,
			struct err *e)
{
	const struct fy_diag_error *error;
	void *at = NULL;

	error = fy_diag_errors_iterate(diag, &at);
	if (!error || error->line < 1)
		return err_usage(e, "%.120s:1:1: not YAML, expected %s", name, file->expected);
	return err_usage(e, "%.120s:%d:%d: %.300s", name, error->line, error->column, error->msg);
}

static void stay_silent(struct fy_diag *diag, void *user, const char *buf, size_t len)
{
	(void)diag;
	(void)user;
	(void)buf;
	(void)len;
}

/*
 * A line that begins with '%' is a directive, which no file here needs, and on some truncated ones
 * libfyaml 0.7 never ends. Everything that it may treat as an end of line is one here.
 */
static int refuse_directives(const char *name, const char *text, size_t bytes, struct err *e)
{
	static const char *const ends[] = { "\n", "\r", "\xc2\x85", "\xe2\x80\xa8", "\xe2\x80\xa9",
					    "\xef\xbb\xbf" };
	size_t at, i, len;
	int line = 1;

	for (at = 0; at < bytes; at++) {
		bool begins = !at;

		for (i = 0; i < ARRAY_SIZE(ends) && text[at] == '%'; i++) {
			len = strlen(ends[i]);
			begins |= at >= len && !memcmp(text + at - len, ends[i], len);
		}
		if (text[at] == '%' && begins)
			return err_usage(e, "%.120s:%d:1: YAML directives are not supported", name, line);
		line += text[at] == '\n';
	}
	return 0;
}

/* Bytes of the character at @text that a file may have, or 0. */
static size_t character_bytes(const char *text, size_t bytes)
{
	unsigned char c = (unsigned char)*text;

	if (c < ' ' || c == 0x7f)
		return c && strchr("\t\r\n", c) ? 1 : 0;
	return utf8_bytes(text, bytes);
}

static int check_text(const char *name, const char *text, size_t bytes, struct err *e)
{
	size_t at, length;
	int line = 1, column = 1;

	for (at = 0; at < bytes; at += length, column++) {
		length = character_bytes(text + at, bytes - at);
		if (!length)
			return err_usage(e, "%.120s:%d:%d: this is not text, expected YAML in UTF-8", name,
					 line, column);
		if (text[at] == '\n') {
			line++;
			column = 0;
		}
	}
	return 0;
}

/* The file's only document. */
static int read_document(const struct yaml_file *file, struct yaml_reader *reader,
			 struct fy_parser *parser, struct fy_diag *diag)
{
	struct fy_document *doc = fy_parse_load_document(parser), *more = NULL;
	int err;

	if (!doc)
		return syntax_error(file, reader->name, diag, reader->e);
	err = file->read(reader, fy_document_root(doc), file->ctx);
	if (!err) {
		more = fy_parse_load_document(parser);
		if (more)
			err = yaml_fail(reader, fy_document_root(more), "a second document, expected one");
		else if (fy_diag_got_error(diag))
			err = syntax_error(file, reader->name, diag, reader->e);
	}
	fy_parse_document_destroy(parser, more);
	fy_parse_document_destroy(parser, doc);
	return err;
}

int yaml_file_parse(const struct yaml_file *file, const char *name, const char *text, size_t bytes,
		    struct err *e)
{
	struct fy_parse_cfg cfg = { .search_path = "" };
	struct yaml_reader reader = { .name = name, .e = e };
	struct fy_parser *parser = NULL;
	struct fy_diag_cfg quiet;
	int err;

	err = check_text(name, text, bytes, e);
	if (!err)
		err = refuse_directives(name, text, bytes, e);
	if (err)
		return err;
	fy_diag_cfg_default(&quiet);
	quiet.fp = NULL;
	quiet.output_fn = stay_silent;
	cfg.diag = fy_diag_create(&quiet);
	parser = cfg.diag ? fy_parser_create(&cfg) : NULL;
	if (!parser || fy_parser_set_string(parser, text, bytes)) {
		err = err_set(e, -ENOMEM, "cannot read '%s'", name);
		goto out;
	}
	fy_diag_set_collect_errors(cfg.diag, true);
	err = read_document(file, &reader, parser, cfg.diag);
out:
	fy_parser_destroy(parser);
	fy_diag_destroy(cfg.diag);
	return err;
}

int yaml_file_read(const struct yaml_file *file, const char *path, struct err *e)
{
	FILE *stream = fopen(path, "re");
	struct stat stat;
	char *text = NULL;
	size_t bytes = 0;
	int err = 0;

	if (!stream)
		return err_usage(e, "cannot open the %s '%s': %s", file->what, path, strerror(errno));
	if (!fstat(fileno(stream), &stat) && S_ISDIR(stat.st_mode))
		err = err_usage(e, "'%s' is a directory, expected a %s", path, file->what);
	text = err ? NULL : malloc(FILE_MAX_BYTES + 1);
	if (!err && !text)
		err = err_set(e, -ENOMEM, "cannot read '%s'", path);
	if (!err)
		bytes = fread(text, 1, FILE_MAX_BYTES + 1, stream);
	if (!err && ferror(stream))
		err = err_set(e, -EIO, "cannot read the %s '%s'", file->what, path);
	if (!err && bytes > FILE_MAX_BYTES)
		err = err_usage(e, "'%s' is larger than %u MiB, expected a %s", path,
				FILE_MAX_BYTES >> 20, file->what);
	if (!err)
		err = yaml_file_parse(file, path, text, bytes, e);
	free(text);
	fclose(stream);
	return err;
}
