// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whatever text comes as a rule, a filter or a queue: it is taken, within the
 * bounds that the BPF programs rely on, or refused with a sentence.
 */
#include <stdlib.h>
#include <string.h>

#include "model/impair_rule.h"

#define must(condition) do { if (!(condition)) abort(); } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_rule(const struct impair_rules *rules)
{
	const struct impair_rule *rule = &rules->rules[0];
	const struct bump_delay *delay = &rules->delays[0];

	must(rule->kind < IMPAIR_KINDS && rule->pick <= IMPAIR_LIST);
	must(rule->p <= 1ull << 32 && rule->r <= 1ull << 32);
	must(rule->in_bad <= 1ull << 32 && rule->in_good <= 1ull << 32);
	if (rule->pick == IMPAIR_EVERY)
		must(rule->every && rule->phase < rule->every);
	if (rule->pick == IMPAIR_LIST)
		must(rules->lists[0].nr && rules->lists[0].values);
	if (rule->kind == IMPAIR_CORRUPT)
		must(rule->arg && rule->arg <= IMPAIR_MAX_BITS);
	if (rule->kind == IMPAIR_TRUNCATE)
		must(rule->arg >= 14);
	if (rule->kind == IMPAIR_FRAGMENT)
		must(rule->arg >= 8 && rule->arg % 8 == 0);
	if (rule->kind == IMPAIR_DELAY && delay->shape == BUMP_TABLE)
		must(delay->nr_table && delay->table_ns);
	if (rule->kind == IMPAIR_DELAY)
		bump_delay_ns(delay, 1, 0, 7);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct impair_rules rules = { 0 };
	struct impair_filter filter;
	uint64_t bytes, packets;
	struct err e = { 0 };
	char *text = malloc(size + 1);

	must(text);
	memcpy(text, data, size);
	text[size] = '\0';
	/* No file is opened: what they may hold is the unit test's. */
	if (size && !strstr(text, "list=/") && !strstr(text, "file=")) {
		enum impair_kind kind = data[0] % IMPAIR_KINDS;

		if (!impair_rules_add(&rules, kind, text + 1, &e))
			check_rule(&rules);
		else
			must(!rules.nr && e.no && e.msg[0]);
	}
	impair_rules_release(&rules);
	if (!impair_filter_parse(text, &filter, &e))
		must(filter.by);
	if (!impair_queue_parse(text, &bytes, &packets, &e))
		must(!bytes != !packets);
	free(text);
	return 0;
}
