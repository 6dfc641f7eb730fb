/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * doctor/feature.h - what this machine, and one interface of it, support.
 *
 * A table of features; each has a probe that answers present, absent or
 * unknown. A probe changes nothing: trials run in a temporary network namespace
 * or on loopback, and leave nothing. A program is attached to the caller's
 * interface, for an instant, only where this is harmless (veth, loopback) or
 * was allowed.
 */
#ifndef DOCTOR_FEATURE_H
#define DOCTOR_FEATURE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/err.h"

enum feature_state { FEATURE_ABSENT, FEATURE_PRESENT, FEATURE_UNKNOWN };

struct feature_answer {
	enum feature_state state;
	char detail[240];	/* what was found, for people */
	char remedy[240];	/* how to fix it, in words or by a command; "": not known */
	bool is_command;	/* it is a command that works as it is, in the shell that called */
};

struct feature_set;

struct feature {
	const char *name;	/* as in "doctor --has NAME" */
	const char *group;	/* heading of its group */
	bool of_iface;		/* a feature of an interface, not of the host */
	const char *since;	/* the first kernel that has it, for display only. May be NULL */
	const char *without;	/* impact of its absence */
	const char *remedy;	/* unless the probe has a better one; "$ " before a command; IFACE is the
				 * name. May be NULL */
	void (*probe)(struct feature_set *set, struct feature_answer *ret_answer);
};

/* "absent", "present", "unknown" */
const char *feature_state_name(enum feature_state state);

/* The table: host features first. NULL after the last. */
const struct feature *feature_at(size_t i);

/* Position of the feature called @name[0..len), or -ENOENT. */
int feature_find(const char *name, size_t len);

/*
 * A set caches the answers, each probe runs once. @ifname may be NULL:
 * features of an interface are then unknown. @may_attach: an XDP program
 * may be attached to @ifname for an instant, with any driver.
 */
int feature_open(struct feature_set **ret_set, const char *ifname, bool may_attach,
		 struct err *e);
void feature_close(struct feature_set *set);

/* The answer for entry @i of the table; valid until feature_close(). */
const struct feature_answer *feature_ask(struct feature_set *set, size_t i);

#endif
