// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * model/impair_rule.c - parse the impairment rules.
 */
#include "model/impair_rule.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/unit.h"

#define MAX_TEXT	(1 << 16)
#define MAX_COPIES	64
#define MAX_PLACES	4096
#define MAX_LINES	10000000	/* of a file, comments included */
#define MIN_CUT_BYTES	14		/* an Ethernet header */
#define DEFAULT_OFFSET	14		/* bit errors start after the Ethernet header */
#define DEFAULT_ALPHA	3.0		/* Pareto: mean and variance are finite */

static const struct kind {
	const char *name, *figure;	/* key of the number of impaired packets */
	const char *arg;		/* NULL: no argument */
	uint32_t min, max, standard;	/* default 0: must be given */
} kinds[IMPAIR_KINDS] = {
	[IMPAIR_LOSS] = { "loss", "impair_lost_packets" },
	[IMPAIR_CE] = { "ce", "impair_ce_packets" },
	[IMPAIR_REMARK] = { "remark", "impair_remarked_packets", "DSCP", 0, 63, 0 },
	[IMPAIR_CORRUPT] = { "corrupt", "impair_corrupted_packets", "BITS", 1, IMPAIR_MAX_BITS, 1 },
	[IMPAIR_CHECKSUM] = { "checksum", "impair_checksum_packets" },
	[IMPAIR_TRUNCATE] = { "truncate", "impair_truncated_packets", "BYTES", MIN_CUT_BYTES, UINT16_MAX, 0 },
	[IMPAIR_FRAGMENT] = { "fragment", "impair_fragmented_packets", "BYTES", 8, UINT16_MAX, 0 },
	[IMPAIR_DUPLICATE] = { "duplicate", "impair_duplicated_packets", "COPIES", 1, MAX_COPIES, 1 },
	[IMPAIR_REORDER] = { "reorder", "impair_reordered_packets", "PLACES", 1, MAX_PLACES, 0 },
	[IMPAIR_DELAY] = { "delay", "impair_delayed_packets", "TIME" },
};

const char *impair_kind_name(enum impair_kind kind)
{
	return kinds[kind].name;
}

const char *impair_kind_figure(enum impair_kind kind)
{
	return kinds[kind].figure;
}

/* 0..1 as a threshold for 32 random bits. */
static int parse_share(const char *text, __u64 *ret_threshold)
{
	struct unit_rate rate;

	if (!strcmp(text, "0%")) {
		*ret_threshold = 0;
		return 0;
	}
	if (unit_parse_rate(text, &rate) || rate.kind != UNIT_RATE_LINK_RATIO)
		return -EINVAL;
	*ret_threshold = (__u64)llround(rate.value * 4294967296.0);
	return 0;
}

static int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static int numbers_add(struct impair_numbers *numbers, uint64_t value)
{
	uint64_t *grown;

	if (numbers->nr >= IMPAIR_MAX_LISTED)
		return -E2BIG;
	/* Doubled whenever a power of two is reached. */
	if (!(numbers->nr & (numbers->nr - 1))) {
		grown = realloc(numbers->values, (numbers->nr ? 2 * numbers->nr : 1) *
				sizeof(*grown));
		if (!grown)
			return -ENOMEM;
		numbers->values = grown;
	}
	numbers->values[numbers->nr++] = value;
	return 0;
}

/* One value per line; '#' starts a comment. */
static int numbers_read(struct impair_numbers *numbers, const char *path,
			int (*parse)(const char *text, uint64_t *ret), struct err *e)
{
	unsigned int at = 0;
	FILE *file = fopen(path, "re");
	char line[256], *p, *end;
	uint64_t value;
	int err = 0;

	if (!file)
		return err_set(e, -errno, "cannot read '%s'", path);
	while (!err && fgets(line, sizeof(line), file)) {
		/* Binary, or endless, such as /dev/zero or a pipe. */
		if (++at > MAX_LINES || (!strchr(line, '\n') && !feof(file))) {
			err = err_usage(e, "'%s' line %u: not one of at most %d lines of text, each shorter than "
					"%zu bytes", path, at, MAX_LINES, sizeof(line) - 1);
			break;
		}
		line[strcspn(line, "#")] = '\0';
		for (p = line; isspace((unsigned char)*p); p++)
			;
		for (end = p + strlen(p); end > p && isspace((unsigned char)end[-1]); end--)
			;
		*end = '\0';
		if (!*p)
			continue;
		if (parse(p, &value))
			err = err_usage(e, "'%s' line %u: '%s' is not a valid value", path, at, p);
		else if (numbers_add(numbers, value))
			err = err_usage(e, "'%s' line %u: more than %u values", path, at,
					IMPAIR_MAX_LISTED);
	}
	if (!err && ferror(file))
		err = err_set(e, -EIO, "cannot read '%s'", path);
	if (!err && !numbers->nr)
		err = err_usage(e, "'%s' has no values", path);
	fclose(file);
	return err;
}

static int parse_list(struct impair_numbers *list, char *text, struct err *e)
{
	char *word, *save = NULL;
	uint64_t value;
	int err;

	if (isdigit((unsigned char)*text)) {
		for (word = strtok_r(text, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
			if (unit_parse_count(word, &value))
				return err_usage(e, "'%s' in a list is not a packet number", word);
			if (numbers_add(list, value))
				return err_usage(e, "a list is too long");
		}
	} else {
		err = numbers_read(list, text, unit_parse_count, e);
		if (err)
			return err;
	}
	qsort(list->values, list->nr, sizeof(*list->values), compare_u64);
	return 0;
}

/* "p=1%, r=30%": the text between the parentheses. */
static int parse_chain(struct impair_rule *rule, char *text, struct err *e)
{
	char *word, *save = NULL;
	__u64 share, *to;

	rule->pick = IMPAIR_GILBERT;
	rule->in_bad = 1ull << 32;
	for (word = strtok_r(text, ", ", &save); word; word = strtok_r(NULL, ", ", &save)) {
		char *value = strchr(word, '=');

		if (!value || parse_share(value + 1, &share))
			return err_usage(e, "'%s' in ge() is not NAME=PERCENT, such as p=1%%", word);
		*value = '\0';
		to = !strcmp(word, "p") ? &rule->p : !strcmp(word, "r") ? &rule->r :
		     !strcmp(word, "bad") ? &rule->in_bad :
		     !strcmp(word, "good") ? &rule->in_good : NULL;
		if (!to)
			return err_usage(e, "'%s' in ge() is not one of: p, r, bad, good", word);
		*to = share;
	}
	if (!rule->p || !rule->r)
		return err_usage(e, "ge() requires p and r, the probabilities of good to bad and "
				 "of bad to good, both above 0%%");
	return 0;
}

/* every=N selects each Nth, starting with number N; every=N+P those with ordinal % N == P. */
static int parse_every(struct impair_rule *rule, char *text, struct err *e)
{
	char *plus = strchr(text, '+');
	uint64_t every, phase;

	if (plus)
		*plus++ = '\0';
	rule->pick = IMPAIR_EVERY;
	if (unit_parse_count(text, &every) || !every)
		return err_usage(e, "'every=%s' is not a number from 1 on", text);
	phase = every - 1;
	if (plus && (unit_parse_count(plus, &phase) || phase >= every))
		return err_usage(e, "'+%s' after 'every=%s' is not a number below that", plus, text);
	rule->every = every;
	rule->phase = phase;
	return 0;
}

static int parse_which(struct impair_rules *rules, char *text, struct err *e)
{
	struct impair_rule *rule = &rules->rules[rules->nr];
	size_t len = strlen(text);

	if (!strcmp(text, "all")) {
		rule->pick = IMPAIR_EVERY;
		rule->every = 1;
		return 0;
	}
	if (!strncmp(text, "every=", 6))
		return parse_every(rule, text + 6, e);
	if (!strncmp(text, "list=", 5)) {
		rule->pick = IMPAIR_LIST;
		return text[5] ? parse_list(&rules->lists[rules->nr], text + 5, e) :
				 err_usage(e, "'list=' is empty");
	}
	if (!strncmp(text, "ge(", 3) && text[len - 1] == ')') {
		text[len - 1] = '\0';
		return parse_chain(rule, text + 3, e);
	}
	rule->pick = IMPAIR_RANDOM;
	if (parse_share(text, &rule->p))
		return err_usage(e, "'%s' does not select packets: all, 1%%, every=100, list=3,17, "
				 "list=FILE or ge(p=1%%,r=30%%)", text);
	return 0;
}

static int parse_arg(struct impair_rule *rule, char *text, struct err *e)
{
	const struct kind *kind = &kinds[rule->kind];
	char *offset = NULL;
	uint64_t value;

	if (!text && kind->standard) {
		rule->arg = kind->standard;
		return 0;
	}
	if (!kind->arg)
		return text ? err_usage(e, "':%s' is not allowed here", text) : 0;
	if (!text)
		return err_usage(e, "':%s' is missing after the packets", kind->arg);
	if (rule->kind == IMPAIR_CORRUPT)
		offset = strchr(text, '@');
	if (offset) {
		*offset++ = '\0';
		if (unit_parse_count(offset, &value) || value > UINT16_MAX)
			return err_usage(e, "'@%s' is not an offset in a frame", offset);
		rule->offset = (uint16_t)value;
	}
	if (unit_parse_count(text, &value) || value < kind->min || value > kind->max)
		return err_usage(e, "':%s' is not a %s%s from %u to %u", text,
				 rule->kind == IMPAIR_REMARK ? "" : "number of ", kind->arg, kind->min, kind->max);
	if (rule->kind == IMPAIR_FRAGMENT && value % 8)
		return err_usage(e, "':%s' is not a multiple of 8 bytes, as fragments require", text);
	rule->arg = (uint32_t)value;
	return 0;
}

static int parse_alpha(struct bump_delay *delay, const char *text)
{
	uint64_t milli;
	char *end;

	delay->alpha = strtod(text, &end);
	milli = delay->alpha > 0 && delay->alpha < 1000 ? (uint64_t)(delay->alpha * 1000) : 0;
	return *end || !isdigit((unsigned char)*text) || milli < 1 ? -EINVAL : 0;
}

static int parse_shape(struct impair_rules *rules, const char *word, struct err *e)
{
	struct bump_delay *delay = &rules->delays[rules->nr];

	if (!strcmp(word, "keep-order")) {
		delay->keep_order = true;
		return 0;
	}
	if (!strcmp(word, "uniform")) {
		delay->shape = BUMP_UNIFORM;
	} else if (!strcmp(word, "normal")) {
		delay->shape = BUMP_NORMAL;
	} else if (!strcmp(word, "pareto")) {
		delay->shape = BUMP_PARETO;
		delay->alpha = DEFAULT_ALPHA;
	} else if (!strncmp(word, "pareto=", 7) && !parse_alpha(delay, word + 7)) {
		delay->shape = BUMP_PARETO;
	} else {
		return err_usage(e, "',%s' is not one of: uniform, normal, pareto, pareto=ALPHA, "
				 "keep-order", word);
	}
	if (!delay->spread_ns)
		return err_usage(e, "',%s' requires TIME+-JITTER before it", word);
	return 0;
}

static int parse_time(struct impair_rules *rules, char *text, struct err *e)
{
	struct bump_delay *delay = &rules->delays[rules->nr];
	struct impair_numbers *table = &rules->tables[rules->nr];
	char *jitter;
	int err;

	if (!strncmp(text, "file=", 5)) {
		err = numbers_read(table, text + 5, unit_parse_duration, e);
		delay->shape = BUMP_TABLE;
		delay->table_ns = table->values;
		delay->nr_table = table->nr;
		return err;
	}
	jitter = strstr(text, "+-");
	if (jitter) {
		*jitter = '\0';
		jitter += 2;
		delay->shape = BUMP_UNIFORM;
		if (unit_parse_duration(jitter, &delay->spread_ns) || !delay->spread_ns)
			return err_usage(e, "'+-%s' is not a time, such as 1ms", jitter);
	}
	if (unit_parse_duration(text, &delay->mean_ns))
		return err_usage(e, "'%s' is not a time, such as 5ms", text);
	return 0;
}

static int parse_delay(struct impair_rules *rules, char *text, struct err *e)
{
	const struct bump_delay *delay = &rules->delays[rules->nr];
	char *word, *save = NULL;
	int err;

	word = strtok_r(text, ",", &save);
	err = word ? parse_time(rules, word, e) : err_usage(e, "the delay's time is missing");
	while (!err && (word = strtok_r(NULL, ",", &save)))
		err = parse_shape(rules, word, e);
	if (!err && delay->shape == BUMP_UNIFORM && delay->spread_ns > delay->mean_ns)
		err = err_usage(e, "the jitter exceeds the delay: no packet can leave before it arrived");
	return err;
}

static int parse_rule(struct impair_rules *rules, char *text, struct err *e)
{
	struct impair_rule *rule = &rules->rules[rules->nr];
	char all[] = "all", *arg = strchr(text, ':');
	int err;

	if (rule->kind == IMPAIR_CORRUPT)
		rule->offset = DEFAULT_OFFSET;
	if (arg)
		*arg++ = '\0';
	if (rule->kind != IMPAIR_DELAY) {
		err = parse_which(rules, text, e);
		return err ? err : parse_arg(rule, arg, e);
	}
	err = parse_which(rules, arg ? text : all, e);
	return err ? err : parse_delay(rules, arg ? arg : text, e);
}

static void release_rule(struct impair_rules *rules, uint32_t i)
{
	free(rules->lists[i].values);
	free(rules->tables[i].values);
	memset(&rules->rules[i], 0, sizeof(rules->rules[i]));
	memset(&rules->delays[i], 0, sizeof(rules->delays[i]));
	memset(&rules->lists[i], 0, sizeof(rules->lists[i]));
	memset(&rules->tables[i], 0, sizeof(rules->tables[i]));
}

int impair_rules_add(struct impair_rules *rules, enum impair_kind kind, const char *text,
		     struct err *e)
{
	struct err why;
	char *copy;
	int err;

	assert(!rules->nr || rules->rules[rules->nr - 1].kind <= kind);
	if (rules->nr == IMPAIR_MAX_RULES)
		return err_usage(e, OPTION("%s") " '%s': too many rules, at most %d",
				kinds[kind].name,
				 text, IMPAIR_MAX_RULES);
	if (strlen(text) > MAX_TEXT)
		return err_usage(e, OPTION("%s") " is too long: put the list into a file",
				kinds[kind].name);
	copy = strdup(text);
	if (!copy)
		return err_set(e, -ENOMEM, "cannot read " OPTION("%s"), kinds[kind].name);
	release_rule(rules, rules->nr);
	rules->rules[rules->nr].kind = (uint8_t)kind;
	err = parse_rule(rules, copy, &why);
	free(copy);
	if (!err) {
		rules->nr++;
		return 0;
	}
	release_rule(rules, rules->nr);
	return err_usage(e, OPTION("%s") " '%.200s': %s", kinds[kind].name, text, why.msg);
}

void impair_rules_release(struct impair_rules *rules)
{
	while (rules->nr)
		release_rule(rules, --rules->nr);
}
