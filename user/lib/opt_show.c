// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lib/opt_show.c - option tables as text: values, and the page of --help.
 */
#include <stdarg.h>
#include <string.h>

#include "lib/opt.h"
#include "lib/quote.h"
#include "lib/redact.h"

#define WORD_BYTES 4096

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
	char word[WORD_BYTES];
	size_t used = 0;
	int i;

	for (i = 0; i < nr && used < size; i++) {
		redact_word(word, sizeof(word), words[i]);
		used += (size_t)snprintf(buf + used, size - used, "%s%s", i ? " " : "", word);
	}
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
		redact_word(buf, size, text ? text : "");
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

static size_t put_word(char *buf, size_t size, size_t used, const char *before, const char *word)
{
	char shown[WORD_BYTES];

	if (strlen(word) >= sizeof(shown))
		return size - 1;	/* one that is cut would be another one */
	redact_word(shown, sizeof(shown), word);
	return quote_word(buf, size, used, before, shown);
}

/* The words of one option, after the @used bytes of @buf. */
static size_t put_given(char *buf, size_t size, size_t used, const struct opt *opt, const void *opts)
{
	const struct opt_ifaces *ifaces;
	const struct opt_strs *strs;
	const struct opt_rest *rest;
	char before[64], value[4096];
	size_t i;
	int k;

	snprintf(before, sizeof(before), opt->argument ? " " : " --%s ", opt->name);
	switch (opt->type) {
	case OPT_FLAG:
		opt_show(value, sizeof(value), opt, opts);
		before[strlen(before) - 1] = strcmp(value, "yes") ? '=' : '\0';
		return quote_word(buf, size, used, before, strcmp(value, "yes") ? value : NULL);
	case OPT_STRS:
		strs = &CONST_FIELD(opts, opt, struct opt_strs);
		for (i = 0; i < strs->nr; i++)
			used = put_word(buf, size, used, before, strs->text[i]);
		return used;
	case OPT_IFACES:
		ifaces = &CONST_FIELD(opts, opt, struct opt_ifaces);
		for (i = 0; i < ifaces->nr; i++)
			used = quote_word(buf, size, used, before, ifaces->names[i]);
		return used;
	case OPT_REST:
		rest = &CONST_FIELD(opts, opt, struct opt_rest);
		for (k = 0; k < rest->argc; k++)
			used = put_word(buf, size, used, k ? " " : " -- ", rest->argv[k]);
		return used;
	default:
		return quote_word(buf, size, used, before, opt_show(value, sizeof(value), opt, opts));
	}
}

bool opt_show_given(char *buf, size_t size, const struct opt_given *given, size_t nr, const void *opts)
{
	enum { ARGUMENTS, OPTIONS, COMMAND, KINDS } kind;
	size_t used = 0, i;

	buf[0] = '\0';
	for (kind = ARGUMENTS; kind < KINDS; kind++) {
		for (i = 0; i < nr; i++) {
			const struct opt *opt = &given->table[i];

			if (given->is[i] && kind == (opt->type == OPT_REST ? COMMAND :
						     opt->argument         ? ARGUMENTS :
									     OPTIONS))
				used = put_given(buf, size, used, opt, opts);
		}
	}
	return used + 1 < size;
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
