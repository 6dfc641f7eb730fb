// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * proto/http_answer.c - the answer to a GET by HTTP/1.1, read as it arrives.
 *
 * What is lenient is so in libcurl, which reads the other answers: line ends without CR, headers
 * without a reason phrase.
 */
#include "proto/http_answer.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool is_space(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static void trim(const char **text, size_t *len)
{
	while (*len && is_space(**text)) {
		(*text)++;
		(*len)--;
	}
	while (*len && is_space((*text)[*len - 1]))
		(*len)--;
}

/* The value of the header @name in this line, without spaces around it; NULL: another header. */
static const char *value_of(const char *line, size_t len, const char *name, size_t *ret_len)
{
	size_t name_len = strlen(name);

	if (len <= name_len || line[name_len] != ':' || strncasecmp(line, name, name_len))
		return NULL;
	line += name_len + 1;
	*ret_len = len - name_len - 1;
	trim(&line, ret_len);
	return line;
}

/* Whether @word is in a list of words with commas. */
static bool has_word(const char *list, size_t len, const char *word)
{
	size_t word_len = strlen(word), part_len;
	const char *comma, *part;

	while (len) {
		comma = memchr(list, ',', len);
		part = list;
		part_len = comma ? (size_t)(comma - list) : len;
		len -= part_len + !!comma;
		list += part_len + !!comma;
		trim(&part, &part_len);
		if (part_len == word_len && !strncasecmp(part, word, word_len))
			return true;
	}
	return false;
}

static bool read_length(struct http_answer *a, const char *text, size_t len)
{
	uint64_t length = 0;
	size_t i;

	for (i = 0; i < len && is_digit(text[i]); i++) {
		if (length > (uint64_t)INT64_MAX / 10 - 1)
			return false;
		length = 10 * length + (uint64_t)(text[i] - '0');
	}
	if (!len || i < len || (a->has_length && a->length != length))
		return false;
	a->has_length = true;
	a->length = length;
	return true;
}

static bool keep_location(struct http_answer *a, const char *text, size_t len)
{
	free(a->location);
	a->location = strndup(text, len);
	return a->location;
}

/* False: no answer that can be read. */
static bool read_header(struct http_answer *a, const char *line, size_t len)
{
	const char *value;
	size_t size;

	switch (len ? line[0] | 0x20 : 0) {
	case 'c':
		value = value_of(line, len, "content-length", &size);
		if (value)
			return read_length(a, value, size);
		value = value_of(line, len, "connection", &size);
		if (value && has_word(value, size, "close"))
			a->closes = true;
		else if (value && has_word(value, size, "keep-alive"))
			a->closes = false;
		return true;
	case 't':
		value = value_of(line, len, "transfer-encoding", &size);
		if (!value || (size == 8 && !strncasecmp(value, "identity", 8)))
			return true;
		a->chunked = size == 7 && !strncasecmp(value, "chunked", 7);
		return a->chunked;
	case 'l':
		value = value_of(line, len, "location", &size);
		return !value || keep_location(a, value, size);
	default:
		return true;
	}
}

/* "HTTP/1.1 200 OK" */
static bool read_status(struct http_answer *a, const char *line, size_t len)
{
	if (len < 12 || strncmp(line, "HTTP/1.", 7) || !is_digit(line[7]) || line[8] != ' ' ||
	    !is_digit(line[9]) || !is_digit(line[10]) || !is_digit(line[11]) || (len > 12 && line[12] != ' '))
		return false;
	a->status = (unsigned int)(line[9] - '0') * 100 + (unsigned int)(line[10] - '0') * 10 +
		    (unsigned int)(line[11] - '0');
	a->closes = line[7] == '0';
	return a->status >= 100;
}

static enum http_answer_state after_headers(struct http_answer *a)
{
	if (a->status < 200) {
		a->has_length = a->chunked = false;
		return HTTP_ANSWER_STATUS;
	}
	if (a->status == 204 || a->status == 304)
		return HTTP_ANSWER_WHOLE;
	if (a->chunked)
		return HTTP_ANSWER_CHUNK_SIZE;
	a->left = a->length;
	if (a->has_length)
		return a->left ? HTTP_ANSWER_BODY : HTTP_ANSWER_WHOLE;
	a->closes = true;
	return HTTP_ANSWER_UNTIL_END;
}

static int hex(char c)
{
	if (is_digit(c))
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static enum http_answer_state read_chunk_size(struct http_answer *a, const char *line, size_t len)
{
	size_t i;

	a->left = 0;
	for (i = 0; i < len && hex(line[i]) >= 0; i++) {
		if (a->left >> 58)
			return HTTP_ANSWER_BAD;
		a->left = a->left << 4 | (uint64_t)hex(line[i]);
	}
	if (!i || (i < len && !is_space(line[i]) && line[i] != ';'))
		return HTTP_ANSWER_BAD;
	return a->left ? HTTP_ANSWER_CHUNK : HTTP_ANSWER_TRAILERS;
}

/* @line without its end. */
static enum http_answer_state read_line(struct http_answer *a, const char *line, size_t len)
{
	switch (a->state) {
	case HTTP_ANSWER_STATUS:
		return read_status(a, line, len) ? HTTP_ANSWER_HEADERS : HTTP_ANSWER_BAD;
	case HTTP_ANSWER_HEADERS:
		if (!len)
			return after_headers(a);
		return read_header(a, line, len) ? HTTP_ANSWER_HEADERS : HTTP_ANSWER_BAD;
	case HTTP_ANSWER_CHUNK_SIZE:
		return read_chunk_size(a, line, len);
	case HTTP_ANSWER_CHUNK_END:
		return len ? HTTP_ANSWER_BAD : HTTP_ANSWER_CHUNK_SIZE;
	default:
		return len ? HTTP_ANSWER_TRAILERS : HTTP_ANSWER_WHOLE;
	}
}

static bool keep_part(struct http_answer *a, const char *data, size_t len)
{
	size_t room = 2 * (a->line_len + len);
	char *line = a->line;

	if (a->line_len + len > a->line_room) {
		line = realloc(line, room);
		if (!line)
			return false;
		a->line = line;
		a->line_room = room;
	}
	memcpy(line + a->line_len, data, len);
	a->line_len += len;
	return true;
}

/* Takes a line, or the part of it that is there. */
static size_t take_line(struct http_answer *a, const char *data, size_t len)
{
	const char *end = memchr(data, '\n', len), *line = data;
	size_t used = end ? (size_t)(end - data) + 1 : len, line_len = used - !!end;

	if (a->state <= HTTP_ANSWER_HEADERS)
		a->header_bytes += used;
	else
		a->trailer_bytes += a->state == HTTP_ANSWER_TRAILERS ? used : 0;
	if (a->header_bytes + a->trailer_bytes > HTTP_ANSWER_HEADER_MOST ||
	    a->line_len + line_len > HTTP_ANSWER_HEADER_MOST) {
		a->state = HTTP_ANSWER_BAD;
		return used;
	}
	if (!end || a->line_len) {
		if (!keep_part(a, data, line_len)) {
			a->state = HTTP_ANSWER_BAD;
			return used;
		}
		if (!end)
			return used;
		line = a->line;
		line_len = a->line_len;
	}
	a->line_len = 0;
	if (line_len && line[line_len - 1] == '\r')
		line_len--;
	a->state = read_line(a, line, line_len);
	return used;
}

static size_t take_data(struct http_answer *a, size_t len)
{
	size_t used = a->state == HTTP_ANSWER_UNTIL_END || len < a->left ? len : (size_t)a->left;

	a->body_bytes += used;
	if (a->state == HTTP_ANSWER_UNTIL_END)
		return used;
	a->left -= used;
	if (!a->left)
		a->state = a->state == HTTP_ANSWER_BODY ? HTTP_ANSWER_WHOLE : HTTP_ANSWER_CHUNK_END;
	return used;
}

size_t http_answer_take(struct http_answer *a, const char *data, size_t len)
{
	size_t used = 0;

	while (used < len && a->state < HTTP_ANSWER_WHOLE) {
		if (a->state == HTTP_ANSWER_BODY || a->state == HTTP_ANSWER_UNTIL_END || a->state == HTTP_ANSWER_CHUNK)
			used += take_data(a, len - used);
		else
			used += take_line(a, data + used, len - used);
	}
	return used;
}

bool http_answer_end(struct http_answer *a)
{
	if (a->state == HTTP_ANSWER_UNTIL_END)
		a->state = HTTP_ANSWER_WHOLE;
	return a->state == HTTP_ANSWER_WHOLE;
}

void http_answer_reset(struct http_answer *a)
{
	free(a->location);
	*a = (struct http_answer){ .line = a->line, .line_room = a->line_room };
}

void http_answer_release(struct http_answer *a)
{
	free(a->location);
	free(a->line);
	*a = (struct http_answer){ 0 };
}
