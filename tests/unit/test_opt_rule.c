// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/opt_rule.h"

#include "check.h"

static const char *const suites[] = { "fast", "slow", "odd", NULL };
static const char *const engines[] = { "auto", "live", "ring", NULL };

struct all {
	int suite, engine;
	const char *dest, *file;
	bool copy, poll, tag;
	uint32_t queue, vlan, pcp;
	uint64_t wait_ns;
	struct unit_rate rate;
};

#define AT(member) offsetof(struct all, member)

static const struct opt table[] = {
	{ 0, "SUITE", OPT_CHOICE, AT(suite), NULL, "which", .choices = suites, .argument = true,
	  .selects = true },
	{ 0, "DEST", OPT_STR, AT(dest), NULL, "whereto", .argument = true, .optional = true },
	{ 'e', "engine", OPT_CHOICE, AT(engine), "ENGINE", "how to send", .choices = engines },
	{ 0, "copy", OPT_FLAG, AT(copy), NULL, "copy" },
	{ 0, "poll", OPT_FLAG, AT(poll), NULL, "poll" },
	{ 0, "tag", OPT_FLAG, AT(tag), NULL, "tag", .of = "fast odd" },
	{ 0, "queue", OPT_U32, AT(queue), "N", "queue" },
	{ 0, "vlan", OPT_U32, AT(vlan), "ID", "tag of 802.1Q" },
	{ 0, "pcp", OPT_U32, AT(pcp), "N", "priority" },
	{ 0, "file", OPT_STR, AT(file), "FILE", "what to send" },
	{ 0, "wait", OPT_DURATION, AT(wait_ns), "TIME", "wait" },
	{ 'r', "rate", OPT_RATE, AT(rate), "RATE", "load" },
	OPT_END
};

static const struct opt_rule rules[] = {
	{ OPT_REQUIRES, "copy poll", "engine=ring|auto" },
	{ OPT_REQUIRES, "pcp", "vlan" },
	{ OPT_REQUIRES, "wait", "rate=bit/s rate=%" },
	{ OPT_REQUIRES, "SUITE=odd", "queue" },
	{ OPT_EXCLUDES, "file", "DEST queue" },
	{ OPT_EXCLUDES, "queue", "engine=live" },
	{ OPT_AT_MOST_ONE, "copy poll engine=live" },
	{ OPT_AT_LEAST_ONE, "DEST file queue" },
	{ OPT_REQUIRES, "vlan", "tag", .when = "engine=ring SUITE=slow" },
	OPT_RULE_END
};

/* The words, separated by blanks, against the rules. */
static struct err check(const char *line)
{
	char copy[256], *words[20], *word, *rest = copy;
	struct opt_given *given = NULL;
	struct all opts = { 0 };
	struct err e = { 0 };
	int nr = 0, err;
	bool help;

	snprintf(copy, sizeof(copy), "%s", line);
	while ((word = strsep(&rest, " ")))
		words[nr++] = word;
	if (opt_parse(table, nr, words, &opts, &given, &help, &e))
		fail_msg("'%s': %s", line, e.msg);
	err = opt_rules_check(rules, "bench", given, &opts, &e);
	assert_int_equal(err, e.no);
	free(given);
	return e;
}

static void assert_refused(const char *line, const char *msg)
{
	struct err e = check(line);

	assert_string_equal(e.msg, msg);
	assert_int_equal(e.no, -EINVAL);
	assert_int_equal(e.kind, ERR_USAGE);
}

static void assert_taken(const char *line)
{
	struct err e = check(line);

	if (e.no)
		fail_msg("'%s': %s", line, e.msg);
}

static void an_option_requires_another(void **state)
{
	(void)state;
	assert_refused("fast a --copy --engine live", "--copy requires --engine ring");
	assert_refused("fast a --poll -e live", "--poll requires --engine ring");
	assert_taken("fast a --copy");
	assert_taken("fast a --copy -e ring");
	assert_refused("fast a --pcp 3", "--pcp requires --vlan");
	/* Required, but given as none. */
	assert_refused("fast a --pcp 3 --vlan 0", "--pcp requires --vlan");
	assert_taken("fast a --pcp 3 --vlan 7");
	assert_refused("fast a --wait 1s -r 5kpps", "--wait requires --rate in bit/s or --rate in %");
	assert_refused("fast a --wait 1s", "--wait requires --rate in bit/s or --rate in %");
	assert_taken("fast a --wait 1s -r 5%");
	assert_taken("fast a --copy=no -e live");
}

static void options_exclude_each_other(void **state)
{
	(void)state;
	assert_refused("fast a --file f", "--file and DEST are mutually exclusive");
	assert_refused("fast --file f --queue 0", "--file and --queue are mutually exclusive");
	assert_refused("fast a --queue 3 -e live", "--queue and --engine live are mutually exclusive");
	assert_refused("fast a --copy --poll", "--copy and --poll are mutually exclusive");
	assert_taken("fast a -e live");
}

static void a_rule_may_have_a_condition(void **state)
{
	(void)state;
	assert_refused("fast a --vlan 7 -e ring", "with --engine ring, --vlan requires --tag");
	assert_refused("slow a --vlan 7", "with bench slow, --vlan requires --tag");
	assert_taken("fast a --vlan 7");
	assert_taken("fast a --vlan 7 --tag -e ring");
}

static void one_of_some_is_needed(void **state)
{
	(void)state;
	assert_refused("fast", "DEST, --file or --queue is missing");
	assert_taken("fast --file f");
}

static void an_option_belongs_to_sub_commands(void **state)
{
	(void)state;
	assert_refused("slow a --tag", "--tag requires bench fast or odd");
	assert_taken("fast a --tag");
	assert_refused("odd a", "bench odd requires --queue");
	assert_taken("odd a --tag --queue 1");
}

static void the_hint_is_the_help_of_what_is_required(void **state)
{
	struct err e = check("fast a --copy --engine live");

	(void)state;
	assert_string_equal(e.hint, "--engine ENGINE: how to send");
}

static void a_rule_that_names_nothing_is_found(void **state)
{
	const struct opt_rule lost[] = { { OPT_REQUIRES, "copy", "engin" }, OPT_RULE_END };
	const struct opt_rule no_choice[] = { { OPT_EXCLUDES, "copy engine=life", "poll" }, OPT_RULE_END };
	const struct opt_rule no_kind[] = { { OPT_EXCLUDES, "rate=max|bits", "poll" }, OPT_RULE_END };

	(void)state;
	assert_null(opt_rules_unknown(rules, table));
	assert_string_equal(opt_rules_unknown(lost, table), "engin");
	assert_string_equal(opt_rules_unknown(no_choice, table), "engine=life");
	assert_string_equal(opt_rules_unknown(no_kind, table), "rate=max|bits");
}

static char *help(const char *command)
{
	struct all defaults = { 0 };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	opt_print_usage(out, table, command);
	fputc('\n', out);
	opt_print_group(out, NULL, "tag queue", table, &defaults, command);
	fclose(out);
	return text;
}

static void help_of_a_sub_command_shows_its_options(void **state)
{
	char *of_all = help(NULL), *of_slow = help("slow"), *of_odd = help("odd");

	(void)state;
	assert_ptr_equal(strstr(of_all, " SUITE [DEST]\n"), of_all);
	assert_non_null(strstr(of_all, "  --tag                fast, odd: tag\n"));
	assert_ptr_equal(strstr(of_slow, " slow [DEST]\n"), of_slow);
	assert_null(strstr(of_slow, "--tag"));
	assert_non_null(strstr(of_slow, "--queue N"));
	assert_non_null(strstr(of_odd, "  --tag                tag\n"));
	free(of_all);
	free(of_slow);
	free(of_odd);
}

static void code_below_names_options_by_the_table(void **state)
{
	struct err e = { 0 };

	(void)state;
	err_usage(&e, "a file is damaged: " OPTION("file") " 'x'");
	err_hint(&e, "live frames need 5.18; take " OPTION("engine") " ring; or " OPTION("nosuch") " 3");
	opt_name_options(&e, table);
	assert_string_equal(e.msg, "a file is damaged: --file 'x'");
	assert_string_equal(e.hint, "live frames need 5.18; take --engine ring");
	err_usage(&e, OPTION("size") " 9000 is too large");
	opt_name_options(&e, table);
	assert_string_equal(e.msg, "size 9000 is too large");
	err_usage(&e, "no names \001 here");
	opt_name_options(&e, table);
	assert_string_equal(e.msg, "no names \001 here");
	assert_string_equal(e.hint, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_option_requires_another),
		cmocka_unit_test(options_exclude_each_other),
		cmocka_unit_test(a_rule_may_have_a_condition),
		cmocka_unit_test(one_of_some_is_needed),
		cmocka_unit_test(an_option_belongs_to_sub_commands),
		cmocka_unit_test(the_hint_is_the_help_of_what_is_required),
		cmocka_unit_test(a_rule_that_names_nothing_is_found),
		cmocka_unit_test(help_of_a_sub_command_shows_its_options),
		cmocka_unit_test(code_below_names_options_by_the_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
