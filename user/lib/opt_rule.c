// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lib/opt_rule.c - constraints between options.
 */
#include "lib/opt_rule.h"

#include <assert.h>
#include <string.h>

#define MAX_LABEL 160

/* In the order of enum unit_rate_kind. */
static const char *const rate_kinds[] = { "max", "pps", "bit/s", "%" };

/* One condition of a rule: "engine=auto|afxdp". */
struct cond {
	char name[64];
	char values[64];		/* "" : given at all */
};

/* The condition at *@at, which is advanced; false at the end. */
static bool next_cond(const char **at, struct cond *ret_cond)
{
	size_t len, name;

	*at += strspn(*at, " ");
	len = strcspn(*at, " ");
	if (!len)
		return false;
	name = strcspn(*at, " =");
	assert(name < sizeof(ret_cond->name) && len - name < sizeof(ret_cond->values));
	snprintf(ret_cond->name, sizeof(ret_cond->name), "%.*s", (int)name, *at);
	snprintf(ret_cond->values, sizeof(ret_cond->values), "%.*s",
		 name < len ? (int)(len - name - 1) : 0, *at + name + 1);
	*at += len;
	return true;
}

static bool is_one_of(const char *values, const char *value)
{
	size_t len = strlen(value);

	for (;; values++) {
		if (strcspn(values, "|") == len && !strncmp(values, value, len))
			return true;
		values += strcspn(values, "|");
		if (!*values)
			return false;
	}
}

static bool has_value(const struct opt *opt, const char *values, const void *opts)
{
	const struct unit_rate *rate;
	char text[256];

	if (opt->type == OPT_RATE) {
		rate = (const struct unit_rate *)((const char *)opts + opt->offset);
		return is_one_of(values, rate_kinds[rate->kind]);
	}
	return is_one_of(values, opt_show(text, sizeof(text), opt, opts));
}

static bool is_zero(const struct opt *opt, const void *opts)
{
	uint64_t number;

	if (opt->type == OPT_DURATION)
		return !*(const uint64_t *)((const char *)opts + opt->offset);
	return opt_number(opt, opts, &number) && !number;
}

static bool is_met(const struct cond *cond, const struct opt_given *given, const void *opts)
{
	const struct opt *opt = opt_find(given->table, cond->name);

	assert(opt);
	return *cond->values ? has_value(opt, cond->values, opts) : given->is[opt - given->table];
}

/* "--engine afxdp", the first of several values; for a sub-command "bench y1564". */
static const char *show(char *buf, size_t size, const struct cond *cond, const char *verb,
			const struct opt *table)
{
	const struct opt *opt = opt_find(table, cond->name);
	int len = (int)strcspn(cond->values, "|");

	opt_label(buf, size, opt);
	if (opt->selects)
		snprintf(buf, size, "%s %.*s", verb, len, cond->values);
	else if (opt->type == OPT_RATE && len && strcmp(cond->values, "max"))
		snprintf(buf + strlen(buf), size - strlen(buf), " in %.*s", len, cond->values);
	else if (len && opt->type != OPT_FLAG)
		snprintf(buf + strlen(buf), size - strlen(buf), " %.*s", len, cond->values);
	return buf;
}

/* The first of @words that holds. */
static bool find_met(const char *words, const struct opt_given *given, const void *opts,
		     struct cond *ret_cond)
{
	while (next_cond(&words, ret_cond)) {
		if (is_met(ret_cond, given, opts))
			return true;
	}
	return false;
}

/* Context of a rule check. */
struct check {
	const struct opt_given *given;
	const void *opts;
	const char *verb;
	char when[MAX_LABEL];		/* "with --pcap, ", or empty */
	struct err *e;
};

/* "DEST, --pcap or --streams" */
static void show_all(const struct check *check, const char *words, char *buf, size_t size)
{
	const struct opt *table = check->given->table;
	struct cond cond, next;
	char label[MAX_LABEL];
	size_t used = 0;
	bool more = next_cond(&words, &cond);

	while (more && used < size) {
		more = next_cond(&words, &next);
		used += (size_t)snprintf(buf + used, size - used, "%s%s",
					 !used ? "" : more ? ", " : " or ",
					 show(label, sizeof(label), &cond, check->verb, table));
		cond = next;
	}
}

/* The help text of the first of @words, if it is an option whose help says more. */
static int hint_help(const struct check *check, const char *words)
{
	const struct opt *opt;
	struct cond cond;
	char label[MAX_LABEL];

	if (!next_cond(&words, &cond))
		return check->e->no;
	opt = opt_find(check->given->table, cond.name);
	if (opt->selects)
		return check->e->no;
	opt_label(label, sizeof(label), opt);
	return err_hint(check->e, "%s%s%s: %s", label, opt->metavar ? " " : "",
			opt->metavar ? opt->metavar : "", opt->help);
}

static bool meets_requirement(const struct check *check, const char *words)
{
	const struct opt_given *given = check->given;
	struct cond cond;

	while (next_cond(&words, &cond)) {
		if (is_met(&cond, given, check->opts) &&
		    (*cond.values || !is_zero(opt_find(given->table, cond.name), check->opts)))
			return true;
	}
	return false;
}

static int check_requires(const struct check *check, const struct opt_rule *rule)
{
	char label[MAX_LABEL], those[256];
	struct cond cond;

	if (!find_met(rule->these, check->given, check->opts, &cond) ||
	    meets_requirement(check, rule->those))
		return 0;
	show_all(check, rule->those, those, sizeof(those));
	err_usage(check->e, "%s%s requires %s", check->when,
		  show(label, sizeof(label), &cond, check->verb, check->given->table), those);
	return hint_help(check, rule->those);
}

static int refuse_both(const struct check *check, const struct cond *a, const struct cond *b)
{
	char label_a[MAX_LABEL], label_b[MAX_LABEL];
	const struct opt *table = check->given->table;

	return err_usage(check->e, "%s%s and %s are mutually exclusive", check->when,
			 show(label_a, sizeof(label_a), a, check->verb, table),
			 show(label_b, sizeof(label_b), b, check->verb, table));
}

static int check_excludes(const struct check *check, const struct opt_rule *rule)
{
	struct cond a, b;

	if (find_met(rule->these, check->given, check->opts, &a) &&
	    find_met(rule->those, check->given, check->opts, &b))
		return refuse_both(check, &a, &b);
	return 0;
}

static int check_at_most_one(const struct check *check, const struct opt_rule *rule)
{
	const char *words = rule->these;
	struct cond first = { "", "" }, cond;

	while (next_cond(&words, &cond)) {
		if (!is_met(&cond, check->given, check->opts))
			continue;
		if (first.name[0])
			return refuse_both(check, &first, &cond);
		first = cond;
	}
	return 0;
}

static int check_at_least_one(const struct check *check, const struct opt_rule *rule)
{
	struct cond cond;
	char these[256];

	if (find_met(rule->these, check->given, check->opts, &cond))
		return 0;
	show_all(check, rule->these, these, sizeof(these));
	return err_usage(check->e, "%s%s is missing", check->when, these);
}

/* "stream, rr or crr": the sub-commands of @table that have @opt. */
static void show_commands(const struct opt *table, const struct opt *opt, char *buf, size_t size)
{
	const char *const *choice, *last = NULL;
	size_t used = 0;

	while (!table->selects)
		table++;
	buf[0] = '\0';
	for (choice = table->choices; *choice && used < size; choice++) {
		if (!opt_belongs(opt, *choice))
			continue;
		if (last)
			used += (size_t)snprintf(buf + used, size - used, "%s%s", used ? ", " : "", last);
		last = *choice;
	}
	if (last && used < size)
		snprintf(buf + used, size - used, "%s%s", used ? " or " : "", last);
}

/* Checks that each option given belongs to the sub-command. */
static int check_command(const struct check *check)
{
	const struct opt_given *given = check->given;
	const char *command = opt_command(given, check->opts);
	const struct opt *opt;
	char label[MAX_LABEL], list[256];

	for (opt = given->table; command && opt->name; opt++) {
		if (!given->is[opt - given->table] || opt_belongs(opt, command))
			continue;
		show_commands(given->table, opt, list, sizeof(list));
		return err_usage(check->e, "%s requires %s %s", opt_label(label, sizeof(label), opt),
				 check->verb, list);
	}
	return 0;
}

/* False if the rule's condition does not hold. */
static bool applies(struct check *check, const struct opt_rule *rule)
{
	char label[MAX_LABEL - 8];
	struct cond cond;

	check->when[0] = '\0';
	if (!rule->when)
		return true;
	if (!find_met(rule->when, check->given, check->opts, &cond))
		return false;
	snprintf(check->when, sizeof(check->when), "with %s, ",
		 show(label, sizeof(label), &cond, check->verb, check->given->table));
	return true;
}

int opt_rules_check(const struct opt_rule *rules, const char *verb,
		    const struct opt_given *given, const void *opts, struct err *e)
{
	static int (*const checks[])(const struct check *, const struct opt_rule *) = {
		[OPT_REQUIRES] = check_requires, [OPT_EXCLUDES] = check_excludes,
		[OPT_AT_MOST_ONE] = check_at_most_one, [OPT_AT_LEAST_ONE] = check_at_least_one,
	};
	struct check check = { .given = given, .opts = opts, .verb = verb, .e = e };
	int err = check_command(&check);

	for (; !err && rules && rules->kind != OPT_RULES_END; rules++) {
		if (applies(&check, rules))
			err = checks[rules->kind](&check, rules);
	}
	return err;
}

static bool is_sound(const struct cond *cond, const struct opt *table)
{
	const struct opt *opt = opt_find(table, cond->name);
	const char *at = cond->values, *const *choice;
	char value[64];

	if (!opt)
		return false;
	/* For other types any text may be a value. */
	for (; *at && (opt->type == OPT_CHOICE || opt->type == OPT_RATE); at += *at == '|') {
		snprintf(value, sizeof(value), "%.*s", (int)strcspn(at, "|"), at);
		at += strcspn(at, "|");
		if (opt->type == OPT_RATE) {
			if (!is_one_of("max|pps|bit/s|%", value))
				return false;
			continue;
		}
		for (choice = opt->choices; *choice && strcmp(*choice, value); choice++)
			;
		if (!*choice)
			return false;
	}
	return true;
}

const char *opt_rules_unknown(const struct opt_rule *rules, const struct opt *table)
{
	const char *words[3], *at, *word;
	struct cond cond;
	size_t i;

	for (; rules && rules->kind != OPT_RULES_END; rules++) {
		words[0] = rules->these;
		words[1] = rules->those ? rules->those : "";
		words[2] = rules->when ? rules->when : "";
		for (i = 0; i < 3; i++) {
			for (at = word = words[i]; next_cond(&at, &cond); word = at) {
				if (!is_sound(&cond, table))
					return word + strspn(word, " ");
			}
		}
	}
	return NULL;
}

/*
 * Writes @text with option names as "--name" to @buf; false if one is not in @table: it stays bare.
 */
static bool name_options(char *buf, size_t size, const char *text, size_t len,
			 const struct opt *table)
{
	const char *end = text + len, *close;
	bool all = true, known;
	char name[64];
	size_t used = 0;

	while (text < end && used + 1 < size) {
		close = *text == '\001' ? memchr(text, '\002', (size_t)(end - text)) : NULL;
		if (!close) {
			buf[used++] = *text++;
			continue;
		}
		snprintf(name, sizeof(name), "%.*s", (int)(close - text - 1), text + 1);
		known = opt_find(table, name);
		all = all && known;
		used += (size_t)snprintf(buf + used, size - used, "%s%s", known ? "--" : "", name);
		text = close + 1;
	}
	buf[used < size ? used : size - 1] = '\0';
	return all;
}

void opt_name_options(struct err *e, const struct opt *table)
{
	struct err named = *e;
	const char *part = e->hint, *next;
	char text[sizeof(e->hint)];
	size_t used = 0;

	name_options(named.msg, sizeof(named.msg), e->msg, strlen(e->msg), table);
	named.hint[0] = '\0';
	for (; *part; part = next) {
		next = strstr(part, "; ");
		next = next ? next : part + strlen(part);
		if (name_options(text, sizeof(text), part, (size_t)(next - part), table) &&
		    used < sizeof(named.hint))
			used += (size_t)snprintf(named.hint + used, sizeof(named.hint) - used,
						 "%s%s", used ? "; " : "", text);
		next += *next ? 2 : 0;
	}
	*e = named;
}
