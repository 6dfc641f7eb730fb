// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lib/redact.c - texts that people see, without the passwords in them.
 */
#include "lib/redact.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#define MASK "***"

struct copy {
	char *buf;
	size_t size, used;
	bool is_word;			/* else a message, in which words stand in quotes */
	char quote;			/* that a message's text stands in, or 0 */
	bool any;
};

static void put(struct copy *copy, const char *text, size_t len)
{
	size_t room = copy->size - 1 - copy->used;

	len = len < room ? len : room;
	memcpy(copy->buf + copy->used, text, len);
	copy->used += len;
}

static void put_mask(struct copy *copy)
{
	put(copy, MASK, sizeof(MASK) - 1);
	copy->any = true;
}

static bool is_name(char c)
{
	return isalnum((unsigned char)c) || c == '-' || c == '_' || c == '.';
}

static bool has_word(const char *name, size_t len, const char *const *words)
{
	size_t i, nr;

	for (; *words; words++) {
		nr = strlen(*words);
		for (i = 0; i + nr <= len; i++) {
			if (!strncasecmp(name + i, *words, nr))
				return true;
		}
	}
	return false;
}

static bool is_word(const char *name, size_t len, const char *const *words)
{
	for (; *words; words++) {
		if (strlen(*words) == len && !strncasecmp(name, *words, len))
			return true;
	}
	return false;
}

/* Bytes of a JSON string, up to its end. */
static size_t string_bytes(const char *text)
{
	size_t len = 0;

	while (text[len] && text[len] != '"')
		len += text[len] == '\\' && text[len + 1] ? 2 : 1;
	return len;
}

/* Bytes up to any of @ends. In a message a blank ends it too, and the marks before that are the message's. */
static size_t bytes_until(const struct copy *copy, const char *text, const char *ends)
{
	size_t len = strcspn(text, ends), blank = strcspn(text, " \t\r\n");

	if (copy->is_word || len < blank)
		return len;
	while (blank && strchr("'\",.:;)", text[blank - 1]))
		blank--;
	return blank;
}

/* Whether @p is a quote after which a text in quotes is over, as messages write it. */
static bool is_closing(const char *p)
{
	return !p[1] || strchr(" \t\r\n,.:)", p[1]);
}

/* Notes whether a text in quotes begins or ends at @p, in the message @text. */
static void look_at_quote(struct copy *copy, const char *text, const char *p)
{
	if (copy->is_word || (*p != '\'' && *p != '"'))
		return;
	if (!copy->quote && (p == text || strchr(" \t\r\n(=", p[-1])))
		copy->quote = *p;
	else if (copy->quote == *p && is_closing(p))
		copy->quote = '\0';
}

/* Bytes of a header's value: to the end of the quotes that it stands in, or of all. */
static size_t header_bytes(const struct copy *copy, const char *text)
{
	const char *p;

	for (p = text; *p; p++) {
		if (copy->quote && *p == copy->quote && is_closing(p))
			break;
	}
	return (size_t)(p - text);
}

/*
 * What follows the name of @len bytes at @name, if it is that of a secret: the bytes from there to its
 * value in *@ret_before, and the bytes of the value; 0: there is none.
 */
static size_t value_of(const struct copy *copy, const char *text, const char *name, size_t len, size_t *ret_before)
{
	static const char *const words[] = {
		"token", "passw", "passphrase", "pwd", "secret", "api-key", "api_key", "apikey", "access-key",
		"access_key", "accesskey", "signature", "credential", "session-id", "session_id", "sessionid", NULL
	};
	static const char *const headers[] = { "authorization", "cookie", NULL };
	static const char *const parameters[] = { "key", "sig", "auth", "sid", "jwt", "code", NULL };
	char before = name == text ? '\0' : name[-1];
	const char *after = name + len, *value;
	bool has = has_word(name, len, words), has_header = has || has_word(name, len, headers);

	if (*after == '=') {
		if (!has && !((before == '?' || before == '&') && is_word(name, len, parameters)))
			return 0;
		value = after + 1;
		*ret_before = 1;
		return bytes_until(copy, value, "&#");
	}
	if (*after == '"' && before == '"' && has_header) {
		value = after + 1;
		value += strspn(value, " \t");
		if (*value != ':')
			return 0;
		value++;
		value += strspn(value, " \t");
		if (*value == '"') {
			*ret_before = (size_t)(value + 1 - after);
			return string_bytes(value + 1);
		}
		*ret_before = (size_t)(value - after);
		return strcspn(value, ",} \t\r\n");
	}
	if (*after == ':' && after[1] != '/' && has_header) {
		value = after + 1;
		value += strspn(value, " \t");
		*ret_before = (size_t)(value - after);
		return header_bytes(copy, value);
	}
	return 0;
}

/* Whether @len bytes of "host:port" end with what is no port, nor {client} or {cycle}. */
static bool has_odd_port(const char *host, size_t len)
{
	size_t at = len;

	while (at && host[at - 1] != ':' && host[at - 1] != ']')
		at--;
	if (!at || host[at - 1] != ':' || host[at] == '{')
		return false;
	while (at < len && isdigit((unsigned char)host[at]))
		at++;
	return at < len;
}

/* Where the last '@' of @len bytes is; @len: there is none. */
static size_t last_at(const char *text, size_t len)
{
	size_t i;

	for (i = len; i; i--) {
		if (text[i - 1] == '@')
			return i - 1;
	}
	return len;
}

/* Copies what follows a URL's "//" up to its '@'; returns the bytes read. */
static size_t put_user(struct copy *copy, const char *from, bool in_quotes)
{
	size_t len = bytes_until(copy, from, in_quotes ? "/?#\"" : "/?#"), at = last_at(from, len), all, user;
	const char *colon;

	if (at == len) {
		if (!has_odd_port(from, len))
			return 0;
		/* A '/' in a password ends the host too early, and a text may be cut before its '@'. */
		all = bytes_until(copy, from, in_quotes ? "\"" : "");
		at = last_at(from, all);
		at = at == all ? len : at;
	}
	colon = memchr(from, ':', at);
	user = colon ? (size_t)(colon + 1 - from) : 0;
	if (user == at)
		return 0;	/* an empty password, or no user */
	put(copy, from, user);
	put_mask(copy);
	return at;
}

static bool put_all(struct copy *copy, const char *text)
{
	size_t len, value, before = 0;
	bool in_quotes = false;		/* the last name is, as in JSON */
	const char *p = text;

	while (*p) {
		/* libcurl takes one to three slashes. */
		if (p[0] == ':' && p[1] == '/' && p > text && is_name(p[-1])) {
			len = 1 + strspn(p + 1, "/");
			put(copy, p, len);
			p += len;
			p += put_user(copy, p, in_quotes);
			continue;
		}
		for (len = 0; is_name(p[len]);)
			len++;
		if (!len) {
			look_at_quote(copy, text, p);
			put(copy, p++, 1);
			continue;
		}
		in_quotes = p > text && p[-1] == '"';
		value = value_of(copy, text, p, len, &before);
		put(copy, p, len);
		p += len;
		if (value) {
			put(copy, p, before);
			put_mask(copy);
			p += before + value;
		}
	}
	copy->buf[copy->used] = '\0';
	return copy->any;
}

bool redact(char *buf, size_t size, const char *message)
{
	struct copy copy = { .buf = buf, .size = size };

	return put_all(&copy, message);
}

bool redact_word(char *buf, size_t size, const char *word)
{
	struct copy copy = { .buf = buf, .size = size, .is_word = true };

	return put_all(&copy, word);
}
