// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lib/opt_show.c - option tables as text: values, and the page of --help.
 */
#include <stdarg.h>
#include <string.h>

#include "lib/opt.h"

#define CONST_FIELD(opts, opt, type) (*(const type *)((const char *)(opts) + (opt)->offset))

bool opt_number(const struct opt *opt, const void *opts, uint64_t *ret_value)
{
	switch (opt->type) {
	case OPT_U16:
		*ret_value = CONST_FIELD(opts, opt, uint16_t);
		return true;
	case OPT_U32:
		*ret_value = CONST_FIELD(opts, opt, uint32_t);
		return true;
	case OPT_COUNT:
		*ret_value = CONST_FIELD(opts, opt, uint64_t);
		return true;
	default:
		return false;
	}
}

const char *opt_type_name(const struct opt *opt)
{
	static const char *const names[] = {
		[OPT_FLAG] = "flag", [OPT_U16] = "number", [OPT_U32] = "number",
		[OPT_COUNT] = "number", [OPT_DURATION] = "duration", [OPT_RATE] = "rate",
		[OPT_FACTOR] = "factor",
		[OPT_STR] = "text", [OPT_STRS] = "texts", [OPT_IFACE] = "interface",
		[OPT_IFACES] = "interfaces", [OPT_MAC] = "mac", [OPT_CHOICE] = "choice",
		[OPT_REST] = "command",
	};

	return opt->selects ? "sub-command" : names[opt->type];
}

static void show_words(char *buf, size_t size, const char *const *words, int nr)
{
	size_t used = 0;
	int i;

	for (i = 0; i < nr && used < size; i++)
		used += (size_t)snprintf(buf + used, size - used, "%s%s", i ? " " : "", words[i]);
}

char *opt_show(char *buf, size_t size, const struct opt *opt, const void *opts)
{
	const struct opt_ifaces *ifaces;
	const struct opt_strs *strs;
	const struct opt_rest *rest;
	const struct opt_mac *mac;
	const char *text;
	uint64_t number;
	int choice;

	buf[0] = '\0';
	if (opt_number(opt, opts, &number)) {
		snprintf(buf, size, "%llu", (unsigned long long)number);
		return buf;
	}
	switch (opt->type) {
	case OPT_FLAG:
		snprintf(buf, size, "%s", CONST_FIELD(opts, opt, bool) ? "yes" : "no");
		break;
	case OPT_DURATION:
		unit_show_duration(buf, size, CONST_FIELD(opts, opt, uint64_t));
		break;
	case OPT_RATE:
		unit_show_rate(buf, size, &CONST_FIELD(opts, opt, struct unit_rate));
		break;
	case OPT_FACTOR:
		unit_show_factor(buf, size, CONST_FIELD(opts, opt, double));
		break;
	case OPT_STR:
	case OPT_IFACE:
		text = CONST_FIELD(opts, opt, char *);
		snprintf(buf, size, "%s", text ? text : "");
		break;
	case OPT_STRS:
		strs = &CONST_FIELD(opts, opt, struct opt_strs);
		show_words(buf, size, strs->text, (int)strs->nr);
		break;
	case OPT_MAC:
		mac = &CONST_FIELD(opts, opt, struct opt_mac);
		if (mac->set)
			snprintf(buf, size, "%02x:%02x:%02x:%02x:%02x:%02x", mac->addr[0],
				 mac->addr[1], mac->addr[2], mac->addr[3], mac->addr[4],
				 mac->addr[5]);
		break;
	case OPT_CHOICE:
		choice = CONST_FIELD(opts, opt, int);
		snprintf(buf, size, "%s", choice < 0 ? "" : opt->choices[choice]);
		break;
	case OPT_REST:
		rest = &CONST_FIELD(opts, opt, struct opt_rest);
		show_words(buf, size, (const char *const *)rest->argv, rest->argc);
		break;
	case OPT_IFACES:
		ifaces = &CONST_FIELD(opts, opt, struct opt_ifaces);
		show_words(buf, size, ifaces->names, (int)ifaces->nr);
		break;
	default:
		break;
	}
	return buf;
}

/* A text as it grows; what does not fit is lost. */
struct words {
	char *buf;
	size_t size, used;
};

static void put(struct words *words, char c)
{
	if (words->used + 1 < words->size)
		words->buf[words->used++] = c;
	words->buf[words->used] = '\0';
}

/* As a shell reads @text: it leaves what is in single quotes as it is. */
static void put_quoted(struct words *words, const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%_+=:,./-";
	bool quote = !*text || text[strspn(text, plain)];

	if (quote)
		put(words, '\'');
	for (; *text; text++) {
		put(words, *text);
		if (*text == '\'') {
			put(words, '\\');
			put(words, '\'');
			put(words, '\'');
		}
	}
	if (quote)
		put(words, '\'');
}

/* @name: of an option; NULL: the word stands alone. */
static void put_word(struct words *words, const char *name, const char *text)
{
	put(words, ' ');
	for (name = name ? name : ""; *name; name++)
		put(words, *name);
	if (text)
		put_quoted(words, text);
}

static void put_given(struct words *words, const struct opt *opt, const void *opts)
{
	const struct opt_ifaces *ifaces = &CONST_FIELD(opts, opt, struct opt_ifaces);
	const struct opt_strs *strs = &CONST_FIELD(opts, opt, struct opt_strs);
	const struct opt_rest *rest = &CONST_FIELD(opts, opt, struct opt_rest);
	char name[64], value[4096];
	size_t i;
	int k;

	opt_label(name, sizeof(name), opt);
	switch (opt->type) {
	case OPT_FLAG:
		put_word(words, name, NULL);
		if (!CONST_FIELD(opts, opt, bool))
			put_quoted(words, "=no");
		return;
	case OPT_STRS:
		for (i = 0; i < strs->nr; i++) {
			if (!opt->argument)
				put_word(words, name, NULL);
			put_word(words, NULL, strs->text[i]);
		}
		return;
	case OPT_IFACES:
		for (i = 0; i < ifaces->nr; i++)
			put_word(words, NULL, ifaces->names[i]);
		return;
	case OPT_REST:
		put_word(words, "--", NULL);
		for (k = 0; k < rest->argc; k++)
			put_word(words, NULL, rest->argv[k]);
		return;
	default:
		if (!opt->argument)
			put_word(words, name, NULL);
		put_word(words, NULL, opt_show(value, sizeof(value), opt, opts));
	}
}

char *opt_show_given(char *buf, size_t size, const struct opt_given *given, size_t nr, const void *opts)
{
	enum { ARGUMENTS, OPTIONS, COMMAND, KINDS } kind;
	struct words words = { buf, size, 0 };
	size_t i;

	buf[0] = '\0';
	for (kind = ARGUMENTS; kind < KINDS; kind++) {
		for (i = 0; i < nr; i++) {
			const struct opt *opt = &given->table[i];

			if (given->is[i] && kind == (opt->type == OPT_REST ? COMMAND : opt->argument ? ARGUMENTS : OPTIONS))
				put_given(&words, opt, opts);
		}
	}
	return buf;
}

void opt_print_usage(FILE *out, const struct opt *table, const char *command)
{
	const struct opt *opt;

	for (opt = table; opt->name; opt++) {
		if (!opt->argument || !opt_belongs(opt, command))
			continue;
		if (opt->selects && command)
			fprintf(out, " %s", command);
		else
			fprintf(out, opt->omitted_without || (opt->optional && !(opt->of && command)) ?
				" [%s%s]" : " %s%s",
				opt->name, opt->type == OPT_REST || opt_is_list(opt) ? "..." : "");
	}
}

static size_t __attribute__((format(printf, 4, 5)))
append(char *buf, size_t size, size_t used, const char *fmt, ...)
{
	va_list args;
	int len;

	va_start(args, fmt);
	len = vsnprintf(buf + used, size - used, fmt, args);
	va_end(args);
	return len < 0 || used + (size_t)len >= size ? size - 1 : used + (size_t)len;
}

/* @text after @left, with its further lines below its first. */
static void print_wrapped(FILE *out, const char *left, const char *text)
{
	const int indent = OPT_HELP_INDENT, width = OPT_HELP_WIDTH - indent;
	const char *cut;

	if ((int)strlen(left) < indent)
		fprintf(out, "%-*s", indent, left);
	else
		fprintf(out, "%s\n%*s", left, indent, "");
	while ((int)strlen(text) > width) {
		for (cut = text + width; cut > text && *cut != ' '; cut--)
			;
		if (cut == text)
			break;
		fprintf(out, "%.*s\n%*s", (int)(cut - text), text, indent, "");
		text = cut + 1;
	}
	fprintf(out, "%s\n", text);
}

/* "rr, crr: ": those of the verb's sub-commands that have @opt. */
static size_t show_commands(char *buf, size_t size, const struct opt *opt,
			    const struct opt *selector)
{
	const char *const *choice;
	size_t used = 0;

	for (choice = selector->choices; *choice; choice++) {
		if (opt_belongs(opt, *choice))
			used = append(buf, size, used, "%s%s", used ? ", " : "", *choice);
	}
	return append(buf, size, used, ": ");
}

static void print_one(FILE *out, const struct opt *opt, const struct opt *selector,
		      const void *defaults)
{
	char left[80], value[256], text[1024], letters[16] = "";
	size_t used = 0;
	int i;

	if (opt->letter)
		used = append(letters, sizeof(letters), used, "-%c, ", opt->letter);
	if (opt->letter_elsewhere)
		append(letters, sizeof(letters), used, "-%c, ", opt->letter_elsewhere);
	used = 0;
	if (opt->argument)
		snprintf(left, sizeof(left), "  %s", opt->name);
	else
		snprintf(left, sizeof(left), "  %-4s--%s%s%s", letters, opt->name, opt->metavar ? " " : "",
			 opt->metavar ? opt->metavar : "");
	if (selector && opt->of)
		used = show_commands(text, sizeof(text), opt, selector);
	used = append(text, sizeof(text), used, "%s", opt->help);
	for (i = 0; opt->choices && opt->choices[i]; i++)
		used = append(text, sizeof(text), used, "%s%s", i ? ", " : ": ", opt->choices[i]);
	opt_show(value, sizeof(value), opt, defaults);
	if (!opt->argument && opt->type != OPT_FLAG && value[0])
		append(text, sizeof(text), used, " (default %s)", value);
	print_wrapped(out, left, text);
}

void opt_print_group(FILE *out, const char *title, const char *names, const struct opt *table,
		     const void *defaults, const char *command)
{
	const struct opt *opt, *selector = NULL;

	for (opt = table; opt->name && !command; opt++) {
		if (opt->selects)
			selector = opt;
	}
	for (opt = table; opt->name; opt++) {
		if (!opt_belongs(opt, command) || (opt->selects && command))
			continue;
		if (names ? opt->argument || !opt_has_word(names, opt->name) : !opt->argument)
			continue;
		if (title)
			fprintf(out, "\n%s:\n", title);
		title = NULL;
		print_one(out, opt, selector, defaults);
	}
}

/* Returns the column behind the last of the words; @column: the one to begin in. */
static size_t print_words(FILE *out, const char *line, size_t len, size_t column)
{
	const char *end = line + len;
	size_t word;

	for (; line < end; line += word + 1) {
		word = strcspn(line, " \n");
		if (column && column + 1 + word > OPT_HELP_WIDTH) {
			fputc('\n', out);
			column = 0;
		}
		column += (size_t)fprintf(out, "%s%.*s", column ? " " : "", (int)word, line);
	}
	return column;
}

void opt_print_text(FILE *out, const char *text)
{
	size_t column = 0, len;

	for (; *text; text += len + (text[len] == '\n')) {
		len = strcspn(text, "\n");
		if (len && *text != ' ') {
			column = print_words(out, text, len, column);
			continue;
		}
		fprintf(out, "%s%.*s\n", column ? "\n" : "", (int)len, text);
		column = 0;
	}
	if (column)
		fputc('\n', out);
}
