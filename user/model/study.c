// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * model/study.c - built-in sweeps.
 */
#include "model/study.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define HOST "{host}"

const char *study_name_at(size_t i)
{
	return studies[i].name;
}

const struct study *study_find(const char *name)
{
	const struct study *study;

	for (study = studies; study->name; study++) {
		if (!strcmp(study->name, name))
			return study;
	}
	return NULL;
}

void study_about(const struct study *study, int number, char *ret_text, size_t size)
{
	const char *line = study->text;

	ret_text[0] = '\0';
	for (; line && *line == '#'; line = strchr(line, '\n'), line += !!line) {
		if (!number--)
			snprintf(ret_text, size, "%.*s", (int)strcspn(line + 2, "\n"), line + 2);
	}
}

/* End of the text written; NULL: no room. */
static char *add(struct study_words *words, char *to, const char *text, size_t len)
{
	if (len >= (size_t)(words->text + sizeof(words->text) - to))
		return NULL;
	memcpy(to, text, len);
	to[len] = '\0';
	return to + len;
}

int study_split(const struct study *study, const char *host, struct study_words *ret_words,
		struct err *e)
{
	const char *p = study->text;
	char *to = ret_words->text;

	ret_words->argc = 0;
	while (to && (*p == '#' || *(p += strspn(p, " \t\n")))) {
		char quote = '\0';

		if (*p == '#') {
			p += strcspn(p, "\n");
			continue;
		}
		if (ret_words->argc == STUDY_MAX_WORDS) {
			to = NULL;
			break;
		}
		ret_words->argv[ret_words->argc++] = to;
		*to = '\0';
		for (; to && *p && (quote || !strchr(" \t\n", *p)); p++) {
			if (*p == '\'') {
				quote = quote ? '\0' : *p;
			} else if (!strncmp(p, HOST, strlen(HOST))) {
				to = add(ret_words, to, host, strlen(host));
				p += strlen(HOST) - 1;
			} else {
				to = add(ret_words, to, p, 1);
			}
		}
		to = to ? to + 1 : NULL;
	}
	if (!to)
		return err_usage(e, "'%s' is too long for '%s'", host, study->name);
	return 0;
}
