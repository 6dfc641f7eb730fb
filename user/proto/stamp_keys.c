// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * proto/stamp_keys.c - read the keys of STAMP sessions.
 */
#include "proto/stamp_keys.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LINE_BYTES	512u
#define BLANKS		" \t"

/* The word at @*text, which is moved to the next one; its length, 0: none. */
static size_t next_word(const char **text, const char **ret_word)
{
	size_t len;

	*text += strspn(*text, BLANKS);
	*ret_word = *text;
	len = strcspn(*text, BLANKS);
	*text += len;
	return len;
}

static bool is_any(const char *word, size_t len)
{
	return len == 3 && !memcmp(word, "any", 3);
}

static bool parse_ssid(const char *word, size_t len, uint16_t *ret_ssid)
{
	uint32_t ssid = 0;
	size_t i;

	for (i = 0; i < len; i++) {
		if (!isdigit((unsigned char)word[i]) || i >= 5)
			return false;
		ssid = 10 * ssid + (uint32_t)(word[i] - '0');
	}
	*ret_ssid = (uint16_t)ssid;
	return len && ssid <= UINT16_MAX;
}

static bool names_same_sessions(const struct stamp_key_line *a, const struct stamp_key_line *b)
{
	return a->any_ssid == b->any_ssid && a->any_source == b->any_source && a->ssid == b->ssid &&
	       !memcmp(&a->source, &b->source, sizeof(a->source));
}

/*
 * @text is a line without its newline, neither empty nor a comment. Errors show nothing of it: where a word is
 * missing, the key is in its place.
 */
static int parse_line(struct stamp_key_line *ret, const char *text, const char *at, struct err *e)
{
	const char *word;
	size_t len;

	len = next_word(&text, &word);
	ret->any_source = is_any(word, len);
	if (!ret->any_source && !prefix_parse(word, len, &ret->source))
		return err_usage(e, "%s does not begin with an address, a prefix such as 198.18.0.0/15 with no "
				 "bits after it, or any", at);
	len = next_word(&text, &word);
	ret->any_ssid = is_any(word, len);
	if (!ret->any_ssid && !parse_ssid(word, len, &ret->ssid))
		return err_usage(e, "%s has no session identifier of 0 to 65535, nor any, after the source", at);
	text += strspn(text, BLANKS);
	return secret_set(&ret->key, text, strlen(text), at, e);
}

/* Room for one more, zeroed. The old memory holds keys: it is not left as it is. */
static struct stamp_key_line *add_line(struct stamp_keys *keys, size_t *size)
{
	struct stamp_key_line *grown;
	size_t wanted;

	if (keys->nr == *size) {
		wanted = *size ? 2 * *size : 16;
		grown = calloc(wanted, sizeof(*grown));
		if (!grown)
			return NULL;
		if (keys->nr) {
			memcpy(grown, keys->lines, keys->nr * sizeof(*grown));
			explicit_bzero(keys->lines, keys->nr * sizeof(*grown));
		}
		free(keys->lines);
		keys->lines = grown;
		*size = wanted;
	}
	return &keys->lines[keys->nr++];
}

static int take_line(struct stamp_keys *keys, size_t *size, const char *text, const char *name,
		     unsigned int number, struct err *e)
{
	struct stamp_key_line *line;
	char at[320];
	size_t i;
	int err;

	if (keys->nr == STAMP_KEYS_MAX)
		return err_usage(e, "'%s' has more than %u keys", name, STAMP_KEYS_MAX);
	line = add_line(keys, size);
	if (!line)
		return err_set(e, -ENOMEM, "cannot hold the keys of '%s'", name);
	snprintf(at, sizeof(at), "line %u of '%s'", number, name);
	line->line = number;
	err = parse_line(line, text, at, e);
	for (i = 0; !err && i + 1 < keys->nr; i++) {
		if (names_same_sessions(&keys->lines[i], line))
			err = err_usage(e, "%s names the same sessions as line %u", at, keys->lines[i].line);
	}
	return err;
}

/* Without its newline. Returns 1, 0 at the end of the file, or -EPROTO. */
static int next_line(FILE *file, char ret_text[LINE_BYTES])
{
	size_t len = 0;
	int c;

	while ((c = getc(file)) != EOF && c != '\n') {
		if (!c || len + 1 == LINE_BYTES)
			return -EPROTO;
		ret_text[len++] = (char)c;
	}
	ret_text[len] = '\0';
	return len || c == '\n';
}

int stamp_keys_read(struct stamp_keys *ret_keys, FILE *file, const char *name, struct err *e)
{
	char text[LINE_BYTES];
	unsigned int number;
	size_t size = 0;
	int err = 0, got;

	memset(ret_keys, 0, sizeof(*ret_keys));
	for (number = 1; !err && (got = next_line(file, text)); number++) {
		const char *first = text + strspn(text, BLANKS "\r");

		if (got < 0)
			err = err_usage(e, "line %u of '%s' is longer than %u bytes, or has a zero byte", number,
					name, LINE_BYTES - 1);
		else if (*first && *first != '#')
			err = take_line(ret_keys, &size, text, name, number, e);
	}
	explicit_bzero(text, sizeof(text));
	if (!err && ferror(file))
		err = err_set(e, -errno, "cannot read the keys in '%s'", name);
	if (!err && !ret_keys->nr)
		err = err_usage(e, "'%s' has no key: it needs lines SOURCE SSID KEY", name);
	if (err)
		stamp_keys_clear(ret_keys);
	return err;
}

void stamp_keys_clear(struct stamp_keys *keys)
{
	if (keys->lines)
		explicit_bzero(keys->lines, keys->nr * sizeof(*keys->lines));
	free(keys->lines);
	memset(keys, 0, sizeof(*keys));
}
