/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lib/opt_rule.h - what options ask of each other, as data beside their table.
 *
 * A rule names options in a text of words, separated by blanks: "rate" is met
 * when it was given, "engine=afxdp" when it has that value, given or not, and
 * "engine=afxdp|auto" when it has one of these, of which messages name the
 * first. A rate's kinds are pps, bit/s, % and max. What is required must
 * not be a number that is 0.
 */
#ifndef LIB_OPT_RULE_H
#define LIB_OPT_RULE_H

#include "lib/err.h"
#include "lib/opt.h"

enum opt_rule_kind {
	OPT_RULES_END,
	OPT_REQUIRES,		/* each of @these requires one of @those */
	OPT_EXCLUDES,		/* none of @these goes with one of @those */
	OPT_AT_MOST_ONE,	/* of @these */
	OPT_AT_LEAST_ONE,	/* of @these */
};

struct opt_rule {
	enum opt_rule_kind kind;
	const char *these, *those;
	const char *when;		/* only where one of these is met; NULL: always */
};

#define OPT_RULE_END { .kind = OPT_RULES_END }

/*
 * What was given against the rules, and against the sub-command; @rules may be
 * NULL. @verb stands before the sub-command in messages.
 */
int opt_rules_check(const struct opt_rule *rules, const char *verb,
		    const struct opt_given *given, const void *opts, struct err *e);

/* The first word of @rules that the table does not have, or that is no value; NULL: none. */
const char *opt_rules_unknown(const struct opt_rule *rules, const struct opt *table);

/*
 * Writes OPTION() as "--name". Of those that @table does not have the message keeps the bare name,
 * and the hint loses the part ("...; ...") that holds them.
 */
void opt_name_options(struct err *e, const struct opt *table);

#endif
