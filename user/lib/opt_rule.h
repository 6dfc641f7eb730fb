/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lib/opt_rule.h - constraints between options, as data next to their table.
 *
 * A rule lists conditions in a string, separated by spaces: "rate" holds if the option was given,
 * "engine=afxdp" if it has that value, given or not, and "engine=afxdp|auto" if it has one of
 * these; messages name the first. A rate's kinds are pps, bit/s, % and max. A required number must
 * not be 0.
 */
#ifndef LIB_OPT_RULE_H
#define LIB_OPT_RULE_H

#include "lib/err.h"
#include "lib/opt.h"

enum opt_rule_kind {
	OPT_RULES_END,
	OPT_REQUIRES,		/* each of @these requires one of @those */
	OPT_EXCLUDES,		/* none of @these may be combined with one of @those */
	OPT_AT_MOST_ONE,	/* of @these */
	OPT_AT_LEAST_ONE,	/* of @these */
};

struct opt_rule {
	enum opt_rule_kind kind;
	const char *these, *those;
	const char *when;		/* applies only if one of these holds; NULL: always */
};

#define OPT_RULE_END { .kind = OPT_RULES_END }

/*
 * Checks what was given against the rules and the sub-command; @rules may be NULL. @verb precedes
 * the sub-command in messages.
 */
int opt_rules_check(const struct opt_rule *rules, const char *verb,
		    const struct opt_given *given, const void *opts, struct err *e);

/* The first word of @rules that is not in the table, or not a valid value; NULL: none. */
const char *opt_rules_unknown(const struct opt_rule *rules, const struct opt *table);

/*
 * Writes OPTION() as "--name". If @table does not have it, the message keeps the bare name, and the
 * hint loses the part ("...; ...") that contains it.
 */
void opt_name_options(struct err *e, const struct opt *table);

#endif
