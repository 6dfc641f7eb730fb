/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lib/err.h - errors as values: a number for the caller, a message for the user.
 *
 * The layer that detects the error fills it once; only main() prints it.
 */
#ifndef LIB_ERR_H
#define LIB_ERR_H

enum err_kind {
	ERR_RUN,		/* failed while running: exit code 4 */
	ERR_USAGE,		/* wrong usage: exit code 2 */
	ERR_MACHINE,		/* privilege, driver, kernel feature: exit code 3 */
	ERR_COMMAND,		/* another program cannot be run: 127 (-ENOENT) or 126, as in a shell */
};

struct err {
	int no;			/* negative errno; 0: no error */
	enum err_kind kind;
	char msg[512];		/* "cannot attach XDP to 'eth0': Device or resource busy" */
	char hint[512];		/* one thing the user can do, or empty */
};

/*
 * Fills @e and returns @no, so that it can be returned or assigned in one line. err_set() and
 * err_machine() append the meaning of @no, which must not be 0. err_usage() returns -EINVAL and
 * appends nothing.
 */
int err_set(struct err *e, int no, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The same without the meaning of @no, for a message that states the cause. */
int err_plain(struct err *e, int no, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Adds a hint for the user; returns e->no. */
int err_hint(struct err *e, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* The same with the kind of error; err_set() uses ERR_RUN. */
int err_usage(struct err *e, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
int err_machine(struct err *e, int no, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
int err_command(struct err *e, int no, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * The name of an option in a message or hint of code that does not know the verb: err_hint(e, "try
 * " OPTION("engine") " afxdp"). main() prints it as "--engine" if the verb has that option, and
 * otherwise drops that part of the hint.
 */
#define OPTION(name) "\001" name "\002"

#endif
