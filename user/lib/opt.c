// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lib/opt.c - typed option tables.
 */
#include "lib/opt.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/near.h"

#define FIELD(opts, opt, type) (*(type *)((char *)(opts) + (opt)->offset))

const char *opt_label(char *buf, size_t size, const struct opt *opt)
{
	snprintf(buf, size, "%s%s", opt->argument ? "" : "--", opt->name);
	return buf;
}

static uint64_t type_max(const struct opt *opt)
{
	if (opt->max)
		return opt->max;
	switch (opt->type) {
	case OPT_U16:
		return UINT16_MAX;
	case OPT_U32:
		return UINT32_MAX;
	default:
		return INT64_MAX;
	}
}

static int out_of_range(const struct opt *opt, const char *text, bool too_small, struct err *e)
{
	char name[64], low[32], high[32];

	if (opt->type == OPT_DURATION) {
		unit_show_duration(low, sizeof(low), opt->min);
		unit_show_duration(high, sizeof(high), type_max(opt));
	} else {
		snprintf(low, sizeof(low), "%llu", (unsigned long long)opt->min);
		snprintf(high, sizeof(high), "%llu", (unsigned long long)type_max(opt));
	}
	if (too_small && type_max(opt) == INT64_MAX)
		return err_usage(e, "%s: %s or more, not '%s'", opt_label(name, sizeof(name), opt),
				 low, text);
	return err_usage(e, "%s: %s to %s, not '%s'", opt_label(name, sizeof(name), opt), low, high,
			 text);
}

static int parse_number(const struct opt *opt, const char *text, void *opts, struct err *e)
{
	char name[64];
	uint64_t value;
	int err;

	err = opt->type == OPT_DURATION ? unit_parse_duration(text, &value) :
					  unit_parse_count(text, &value);
	if (err == -EINVAL)
		return err_usage(e, "%s '%s' is not a %s", opt_label(name, sizeof(name), opt), text,
				 opt->type == OPT_DURATION ?
					 "duration, such as 250ms, 10s or 2h" :
					 "whole number, such as 64, 10k, 64Ki or 2M");
	if (err || value < opt->min || value > type_max(opt))
		return out_of_range(opt, text, !err && value < opt->min, e);
	if (opt->type == OPT_U16)
		FIELD(opts, opt, uint16_t) = (uint16_t)value;
	else if (opt->type == OPT_U32)
		FIELD(opts, opt, uint32_t) = (uint32_t)value;
	else
		FIELD(opts, opt, uint64_t) = value;
	return 0;
}

/* A rate of a kind that the option does not accept. */
static int refuse_kind(const struct opt *opt, const char *text, struct err *e)
{
	static const struct {
		unsigned int kinds;
		const char *what;
	} forms[] = {
		{ OPT_RATE_BPS, "bits per second, such as 100Mbit" },
		{ OPT_RATE_BPS | OPT_RATE_MAX, "bits per second, such as 100Mbit, or max" },
		{ OPT_RATE_PPS, "packets per second, such as 1kpps" },
		{ OPT_RATE_PPS | OPT_RATE_MAX, "packets per second, such as 1kpps, or max" },
		{ OPT_RATE_BPS | OPT_RATE_PPS | OPT_RATE_MAX, "100Mbit, 1kpps or max" },
		{ OPT_RATE_BPS | OPT_RATE_PPS | OPT_RATE_SHARE, "100Mbit, 1kpps or 50%" },
	};
	const char *what = "another unit";
	char name[64];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(forms); i++) {
		if (forms[i].kinds == opt->rate_kinds)
			what = forms[i].what;
	}
	return err_usage(e, "%s: %s, not '%s'", opt_label(name, sizeof(name), opt), what, text);
}

static int parse_rate(const struct opt *opt, const char *text, void *opts, struct err *e)
{
	struct unit_rate rate;
	char name[64];
	int err;

	err = unit_parse_rate(text, &rate);
	opt_label(name, sizeof(name), opt);
	if (err == -ERANGE)
		return err_usage(e, "%s: more than 0, and at most 100%%, not '%s'", name, text);
	if (err)
		return err_usage(e, "%s '%s' is not a rate with its unit: write 1Mpps, 2500pps, "
				 "10Gbit, 50%% or max", name, text);
	if (opt->rate_kinds && !(opt->rate_kinds & 1u << rate.kind))
		return refuse_kind(opt, text, e);
	FIELD(opts, opt, struct unit_rate) = rate;
	return 0;
}

static int parse_factor(const struct opt *opt, const char *text, void *opts, struct err *e)
{
	double factor = 0;
	char name[64];

	if (strcmp(text, "max") && unit_parse_factor(text, &factor))
		return err_usage(e, "%s '%s' is not a factor above 0, such as 1, 2.5 or max",
				 opt_label(name, sizeof(name), opt), text);
	FIELD(opts, opt, double) = factor;
	return 0;
}

static int add_iface(const struct opt *opt, const char *text, void *opts, struct err *e)
{
	struct opt_ifaces *list = &FIELD(opts, opt, struct opt_ifaces);
	unsigned int i;

	for (i = 0; i < list->nr; i++) {
		if (!strcmp(list->names[i], text))
			return err_usage(e, "%s '%s' is given twice", opt->name, text);
	}
	if (list->nr == OPT_MAX_IFACES)
		return err_usage(e, "%s '%s': too many, at most %d", opt->name, text,
				 OPT_MAX_IFACES);
	list->names[list->nr++] = text;
	return 0;
}

static int parse_iface(const struct opt *opt, const char *text, void *opts, struct err *e)
{
	char name[64];
	const char *p;

	opt_label(name, sizeof(name), opt);
	if (!*text || strlen(text) > 15 || !strcmp(text, ".") || !strcmp(text, ".."))
		return err_usage(e, "%s '%s' is not an interface name: 1 to 15 characters",
				 name, text);
	for (p = text; *p; p++) {
		if (*p == '/' || *p == ':' || isspace((unsigned char)*p))
			return err_usage(e, "%s '%s' is not an interface name: '%c' is not "
					 "allowed", name, text, *p);
	}
	if (opt->type == OPT_IFACES)
		return add_iface(opt, text, opts, e);
	FIELD(opts, opt, const char *) = text;
	return 0;
}

/* Returns e->no. */
static int hint_near(struct err *e, const char *before, const char *word)
{
	return word ? err_hint(e, "did you mean '%s%s'?", before, word) : e->no;
}

static int parse_choice(const struct opt *opt, const char *text, void *opts, struct err *e)
{
	char name[64], list[256] = "";
	size_t used = 0;
	int i;

	for (i = 0; opt->choices[i]; i++) {
		if (!strcmp(text, opt->choices[i])) {
			FIELD(opts, opt, int) = i;
			return 0;
		}
		used += (size_t)snprintf(list + used, sizeof(list) - used, "%s%s",
					 i ? ", " : "", opt->choices[i]);
		if (used >= sizeof(list))
			used = sizeof(list) - 1;
	}
	err_usage(e, "%s '%s' is not one of: %s", opt_label(name, sizeof(name), opt), text, list);
	return hint_near(e, "", near_word(text, opt->choices));
}

static int parse_strs(const struct opt *opt, const char *text, void *opts, struct err *e)
{
	struct opt_strs *strs = &FIELD(opts, opt, struct opt_strs);
	char name[64];

	opt_label(name, sizeof(name), opt);
	if (!*text)
		return err_usage(e, "%s is empty", name);
	if (strs->nr == OPT_MAX_STRS)
		return err_usage(e, "%s '%s': too many, at most %d", name, text, OPT_MAX_STRS);
	strs->text[strs->nr++] = text;
	return 0;
}

static int parse_value(const struct opt *opt, const char *text, void *opts, struct err *e)
{
	char name[64];

	switch (opt->type) {
	case OPT_FLAG:
		if (*text && strcmp(text, "yes") && strcmp(text, "no"))
			return err_usage(e, "%s accepts no value except yes and no",
					 opt_label(name, sizeof(name), opt));
		FIELD(opts, opt, bool) = strcmp(text, "no");
		return 0;
	case OPT_U16:
	case OPT_U32:
	case OPT_COUNT:
	case OPT_DURATION:
		return parse_number(opt, text, opts, e);
	case OPT_RATE:
		return parse_rate(opt, text, opts, e);
	case OPT_FACTOR:
		return parse_factor(opt, text, opts, e);
	case OPT_STR:
		if (!*text)
			return err_usage(e, "%s is empty", opt_label(name, sizeof(name), opt));
		FIELD(opts, opt, const char *) = text;
		return 0;
	case OPT_STRS:
		return parse_strs(opt, text, opts, e);
	case OPT_IFACE:
	case OPT_IFACES:
		return parse_iface(opt, text, opts, e);
	case OPT_MAC:
		if (unit_parse_mac(text, FIELD(opts, opt, struct opt_mac).addr))
			return err_usage(e, "%s '%s' is not a MAC address, such as 02:00:00:00:00:01",
					 opt_label(name, sizeof(name), opt), text);
		FIELD(opts, opt, struct opt_mac).set = true;
		return 0;
	case OPT_CHOICE:
		return parse_choice(opt, text, opts, e);
	case OPT_REST:
	case OPT_GROUP:
		break;
	}
	assert(0);
	return -EINVAL;
}

static const struct opt *find_long(const struct opt *table, const char *name, size_t len)
{
	const struct opt *opt;

	for (opt = table; opt->name; opt++) {
		if (!opt->argument && strlen(opt->name) == len && !strncmp(opt->name, name, len))
			return opt;
	}
	return NULL;
}

static const struct opt *find_letter(const struct opt *table, char letter)
{
	const struct opt *opt;

	for (opt = table; opt->name; opt++) {
		if (!opt->argument && (opt->letter == letter || opt->letter_elsewhere == letter))
			return opt;
	}
	return NULL;
}

static const struct opt *next_argument(const struct opt *table, const struct opt *last)
{
	const struct opt *opt;

	for (opt = last ? last + 1 : table; opt->name; opt++) {
		if (opt->argument)
			return opt;
	}
	return NULL;
}

struct parser {
	const struct opt *table;
	int argc, at;
	char **argv;
	void *opts;
	struct opt_given *given;
	const struct opt *argument;	/* the last one filled */
	const char *first;		/* a first word whose argument the next one decides; else NULL */
	bool only_arguments;		/* behind "--" */
};

static int take(struct parser *p, const struct opt *opt, const char *text, struct err *e)
{
	/* "no" is the same as omitting the flag. */
	p->given->is[opt - p->table] = opt->type != OPT_FLAG || strcmp(text, "no");
	return parse_value(opt, text, p->opts, e);
}

/* The option's value: after '=' or in the next word. */
static int take_option(struct parser *p, const struct opt *opt, const char *attached,
		       struct err *e)
{
	char name[64];

	opt_label(name, sizeof(name), opt);
	if (attached || opt->type == OPT_FLAG)
		return take(p, opt, attached ? attached : "", e);
	if (p->at + 1 >= p->argc)
		return err_usage(e, "%s requires a value", name);
	return take(p, opt, p->argv[++p->at], e);
}

bool opt_is_list(const struct opt *opt)
{
	return opt->type == OPT_IFACES || opt->type == OPT_STRS;
}

static int take_word(struct parser *p, const struct opt *opt, const char *word, struct err *e)
{
	p->argument = opt;
	return take(p, opt, word, e);
}

static int take_argument(struct parser *p, struct err *e)
{
	const struct opt *opt = next_argument(p->table, p->argument);
	const char *first = p->first;

	if (opt && opt->omitted_without && !first) {
		p->first = p->argv[p->at];
		return 0;
	}
	if (first) {
		p->first = NULL;
		if (take_word(p, opt, first, e))
			return e->no;
		opt = next_argument(p->table, opt);
	}
	if (!opt && p->argument && opt_is_list(p->argument))
		opt = p->argument;
	if (!opt)
		return err_usage(e, "unexpected argument '%s'", p->argv[p->at]);
	if (opt->type == OPT_REST) {
		p->argument = opt;
		p->given->is[opt - p->table] = true;
		FIELD(p->opts, opt, struct opt_rest) = (struct opt_rest){
			.argv = p->argv + p->at, .argc = p->argc - p->at,
		};
		p->at = p->argc;
		return 0;
	}
	return take_word(p, opt, p->argv[p->at], e);
}

static bool is_any_given(const struct parser *p, const char *names)
{
	const struct opt *opt;
	size_t len;

	for (; *names; names += len + strspn(names + len, " ")) {
		len = strcspn(names, " ");
		opt = find_long(p->table, names, len);
		assert(opt);
		if (p->given->is[opt - p->table])
			return true;
	}
	return false;
}

/* A single argument, and what is missing. */
static int take_last(struct parser *p, struct err *e)
{
	const struct opt *opt = next_argument(p->table, p->argument);

	if (opt && opt->omitted_without) {
		if (!p->first || !is_any_given(p, opt->omitted_without))
			opt = next_argument(p->table, opt);
		if (p->first && take_word(p, opt, p->first, e))
			return e->no;
		if (p->first)
			opt = next_argument(p->table, opt);
	}
	return opt && !opt->optional ? err_usage(e, "%s is missing", opt->name) : 0;
}

static int take_letters(struct parser *p, const char *word, struct err *e)
{
	const struct opt *opt = find_letter(p->table, word[1]);

	if (!opt)
		return err_usage(e, "unknown option '-%c'", word[1]);
	if (opt->type != OPT_FLAG)
		return take_option(p, opt, word[2] ? word + 2 : NULL, e);
	if (word[2])
		return err_usage(e, "'%s': give one-letter options separately", word);
	return take_option(p, opt, NULL, e);
}

static int refuse_unknown(const struct opt *table, const char *name, size_t len, struct err *e)
{
	char typed[64];
	struct near near = { .word = typed };
	const struct opt *opt;

	snprintf(typed, sizeof(typed), "%.*s", (int)len, name);
	for (opt = table; opt->name; opt++) {
		if (!opt->argument)
			near_try(&near, opt->name);
	}
	err_usage(e, "unknown option '--%.*s'", (int)len, name);
	return hint_near(e, "--", near.best);
}

static int take_long(struct parser *p, const char *word, struct err *e)
{
	const char *equals = strchr(word, '=');
	size_t len = equals ? (size_t)(equals - word) - 2 : strlen(word) - 2;
	const struct opt *opt = find_long(p->table, word + 2, len);

	if (!opt)
		return refuse_unknown(p->table, word + 2, len, e);
	return take_option(p, opt, equals ? equals + 1 : NULL, e);
}

static struct opt_given *new_given(const struct opt *table)
{
	struct opt_given *given;
	size_t nr = 0;

	while (table[nr].name)
		nr++;
	given = calloc(1, sizeof(*given) + nr * sizeof(given->is[0]));
	if (given)
		given->table = table;
	return given;
}

static int take_words(struct parser *p, bool *ret_help, struct err *e)
{
	int err;

	for (p->at = 0; p->at < p->argc; p->at++) {
		const char *word = p->argv[p->at];

		if (p->only_arguments || word[0] != '-' || !word[1])
			err = take_argument(p, e);
		else if (!strcmp(word, "--")) {
			p->only_arguments = true;
			err = 0;
		} else if (!strcmp(word, "--help") || !strcmp(word, "-h")) {
			*ret_help = true;
			return 0;
		} else if (word[1] == '-')
			err = take_long(p, word, e);
		else
			err = take_letters(p, word, e);
		if (err)
			return err;
	}
	return take_last(p, e);
}

int opt_parse(const struct opt *table, int argc, char **argv, void *opts,
	      struct opt_given **ret_given, bool *ret_help, struct err *e)
{
	struct parser p = {
		.table = table, .argc = argc, .argv = argv, .opts = opts, .given = new_given(table),
	};

	*ret_help = false;
	if (!p.given)
		return err_set(e, -ENOMEM, "cannot read the options");
	if (take_words(&p, ret_help, e)) {
		free(p.given);
		return e->no;
	}
	*ret_given = p.given;
	return 0;
}

const struct opt *opt_named(const struct opt *table, const char *word)
{
	if (word[0] != '-' || !word[1])
		return NULL;
	return word[1] == '-' ? find_long(table, word + 2, strcspn(word + 2, "=")) : find_letter(table, word[1]);
}

int opt_words(const struct opt *table, const char *word)
{
	const struct opt *opt = opt_named(table, word);
	bool has_value;

	if (!opt)
		return 0;
	has_value = word[1] == '-' ? strchr(word, '=') != NULL : word[2] != '\0';
	return has_value || opt->type == OPT_FLAG ? 1 : 2;
}

/* To @at, if not NULL, with @offset added to each; returns how many. */
static size_t add_options(const struct opt *table, size_t offset, struct opt *at)
{
	size_t nr = 0;

	for (; table->name; table++) {
		if (table->type == OPT_GROUP) {
			nr += add_options(table->group, offset + table->offset, at ? at + nr : NULL);
			continue;
		}
		if (at) {
			at[nr] = *table;
			at[nr].offset += offset;
		}
		nr++;
	}
	return nr;
}

struct opt *opt_flatten(const struct opt *table)
{
	struct opt *flat = calloc(add_options(table, 0, NULL) + 1, sizeof(*flat));

	if (!flat)
		abort();
	add_options(table, 0, flat);	/* OPT_END is zero */
	return flat;
}

const struct opt *opt_find(const struct opt *table, const char *name)
{
	for (; table->name; table++) {
		if (!strcmp(table->name, name))
			return table;
	}
	return NULL;
}

bool opt_was_given(const struct opt_given *given, const char *name)
{
	const struct opt *opt = opt_find(given->table, name);

	assert(opt);
	return given->is[opt - given->table];
}

const char *opt_command(const struct opt_given *given, const void *opts)
{
	const struct opt *opt;

	for (opt = given->table; opt->name; opt++) {
		if (opt->selects && given->is[opt - given->table])
			return opt->choices[*(const int *)((const char *)opts + opt->offset)];
	}
	return NULL;
}

bool opt_has_word(const char *words, const char *word)
{
	size_t len = strlen(word);

	for (; *words; words += strcspn(words, " "), words += *words == ' ') {
		if (strcspn(words, " ") == len && !strncmp(words, word, len))
			return true;
	}
	return false;
}

bool opt_belongs(const struct opt *opt, const char *command)
{
	return !command || !opt->of || opt_has_word(opt->of, command);
}
