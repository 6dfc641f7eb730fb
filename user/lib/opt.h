/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lib/opt.h - typed option tables: parse, check the bounds, render help.
 *
 * A table names the fields of one struct. Parsing starts from a copy of the
 * verb's defaults, and the help text renders that same object, so the two
 * cannot drift. Options may stand before, between or behind the arguments;
 * "--" ends them.
 */
#ifndef LIB_OPT_H
#define LIB_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/err.h"
#include "lib/unit.h"

enum opt_type {
	OPT_FLAG,	/* bool; --name=yes and --name=no, too, for those who vary it */
	OPT_U16,	/* uint16_t */
	OPT_U32,	/* uint32_t */
	OPT_COUNT,	/* uint64_t, "10M" */
	OPT_DURATION,	/* uint64_t ns, "250ms" */
	OPT_RATE,	/* struct unit_rate, "1Mpps" */
	OPT_FACTOR,	/* double above 0, "2.5"; 0: "max" */
	OPT_STR,	/* const char *, points into argv */
	OPT_STRS,	/* struct opt_strs: given as often as one likes; as an argument the last */
	OPT_IFACE,	/* const char *, a name an interface may have */
	OPT_IFACES,	/* struct opt_ifaces: one or more, each once; the last argument */
	OPT_MAC,	/* struct opt_mac */
	OPT_CHOICE,	/* int, index into choices; in the defaults -1: none */
	OPT_REST,	/* struct opt_rest: all that is left, options of another command included */
};

struct opt_mac {
	bool set;
	uint8_t addr[6];
};

#define OPT_MAX_STRS 32

struct opt_strs {
	unsigned int nr;
	const char *text[OPT_MAX_STRS];
};

#define OPT_MAX_IFACES 16

struct opt_ifaces {
	const char *names[OPT_MAX_IFACES];
	unsigned int nr;
};

struct opt_rest {
	char **argv;
	int argc;
};

struct opt {
	char letter;			/* 0: none */
	const char *name;		/* "frame-bytes"; of an argument: "INTERFACE" */
	enum opt_type type;
	size_t offset;
	const char *metavar;		/* "N", "TIME"; NULL for flags and arguments */
	const char *help;
	uint64_t min, max;		/* of numbers and durations; max 0: the type's own */
	const char *const *choices;	/* NULL-terminated */
	bool argument;			/* positional, in table order */
	bool optional;			/* of an argument */
	bool selects;			/* an argument, whose choices are sub-commands */
	const char *of;			/* sub-commands that have it, by blanks; NULL: all */
	unsigned int rate_kinds;	/* of OPT_RATE: 1 << enum unit_rate_kind each; 0: all */
};

#define OPT_RATE_BPS (1u << UNIT_RATE_BPS)
#define OPT_RATE_PPS (1u << UNIT_RATE_PPS)
#define OPT_RATE_MAX (1u << UNIT_RATE_MAX)
#define OPT_RATE_SHARE (1u << UNIT_RATE_LINK_RATIO)

#define OPT_END { .name = NULL }

/* Which entries of a table were given. */
struct opt_given {
	const struct opt *table;
	bool is[];			/* one an entry */
};

/*
 * Reads argv[0..argc) into @opts, which holds the defaults. Sets @ret_help
 * when -h or --help was met (the rest is then not checked). *@ret_given is
 * the caller's to free().
 */
int opt_parse(const struct opt *table, int argc, char **argv, void *opts,
	      struct opt_given **ret_given, bool *ret_help, struct err *e);

/* True if the option @name, which the table must have, was given. */
bool opt_was_given(const struct opt_given *given, const char *name);

/* "--rate", or of an argument "DEST". */
const char *opt_label(char *buf, size_t size, const struct opt *opt);

/* "number", "rate": what its value is. */
const char *opt_type_name(const struct opt *opt);

const struct opt *opt_find(const struct opt *table, const char *name);

/* The sub-command that was given; NULL: none. */
const char *opt_command(const struct opt_given *given, const void *opts);

/* True if the sub-command @command, or any where it is NULL, has @opt. */
bool opt_belongs(const struct opt *opt, const char *command);

/* True of an argument that takes all further ones. */
bool opt_is_list(const struct opt *opt);

/* Renders the value that @opts holds, in a form the parser reads back; "" where unset. */
char *opt_show(char *buf, size_t size, const struct opt *opt, const void *opts);

/* Number of OPT_U16, OPT_U32 and OPT_COUNT options; false for other types. */
bool opt_number(const struct opt *opt, const void *opts, uint64_t *ret_value);

/* "INTERFACE [DEST]": the arguments of a usage line; @command: as in opt_belongs(). */
void opt_print_usage(FILE *out, const struct opt *table, const char *command);

/* One line an option: "  -p, --port N   UDP port (default 9)". */
void opt_print_help(FILE *out, const struct opt *table, const void *defaults,
		    const char *command);

#endif
