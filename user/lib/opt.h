/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lib/opt.h - typed option tables: parse, check bounds, print help.
 *
 * A table describes the fields of one struct. Parsing starts from a copy of the verb's defaults,
 * and the help prints the same object, so the two cannot differ. Options may stand before, between
 * or after the arguments; "--" ends them.
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
	OPT_FLAG,	/* bool; also --name=yes and --name=no, for scripts that vary it */
	OPT_U16,	/* uint16_t */
	OPT_U32,	/* uint32_t */
	OPT_COUNT,	/* uint64_t, "10M" */
	OPT_DURATION,	/* uint64_t ns, "250ms" */
	OPT_RATE,	/* struct unit_rate, "1Mpps" */
	OPT_FACTOR,	/* double above 0, "2.5"; 0: "max" */
	OPT_STR,	/* const char *, points into argv */
	OPT_STRS,	/* struct opt_strs: may be repeated; an argument of this type must be the
			 * last */
	OPT_IFACE,	/* const char *, a valid interface name */
	OPT_IFACES,	/* struct opt_ifaces: one or more, without duplicates; the last argument */
	OPT_MAC,	/* struct opt_mac */
	OPT_CHOICE,	/* int, index into choices; in the defaults -1: none */
	OPT_REST,	/* struct opt_rest: all that is left, options of another command included */
	OPT_GROUP,	/* no option: those of another table, in this place (opt_flatten()) */
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
	const char *name;		/* "frame-bytes"; for an argument: "INTERFACE" */
	enum opt_type type;
	size_t offset;
	const char *metavar;		/* "N", "TIME"; NULL for flags and arguments */
	const char *help;
	uint64_t min, max;		/* for numbers and durations; max 0: the type's own limit */
	const char *const *choices;	/* NULL-terminated */
	bool argument;			/* positional, in table order */
	bool optional;			/* arguments only */
	const char *omitted_without;	/* an argument before another: a single argument is that
					 * other one, unless one of these options is given */
	bool selects;			/* an argument whose choices are sub-commands */
	const char *of;			/* sub-commands that have it, separated by spaces; NULL:
					 * all */
	unsigned int rate_kinds;	/* OPT_RATE: 1 << enum unit_rate_kind each; 0: all */
	char letter_elsewhere;		/* a second letter, that of other tools; 0: none */
	const char *(*value_at)(size_t i);	/* values of a text that are known, for completion; NULL
						 * after the last */
	const struct opt *group;	/* OPT_GROUP: the table */
};

/* A group of options, whose values begin at @at. */
#define OPT_GROUP_AT(at, table) { .name = "", .type = OPT_GROUP, .offset = (at), .group = (table) }

#define OPT_RATE_BPS (1u << UNIT_RATE_BPS)
#define OPT_RATE_PPS (1u << UNIT_RATE_PPS)
#define OPT_RATE_MAX (1u << UNIT_RATE_MAX)
#define OPT_RATE_SHARE (1u << UNIT_RATE_LINK_RATIO)

#define OPT_END { .name = NULL }

/* Which entries of a table were given. */
struct opt_given {
	const struct opt *table;
	bool is[];			/* one per entry */
};

/*
 * A copy of @table with the options of its groups in their places, which may have groups themselves. All
 * other functions take such a table. The caller frees it.
 */
struct opt *opt_flatten(const struct opt *table);

/*
 * Reads argv[0..argc) into @opts, which holds the defaults. Sets @ret_help if -h or --help was
 * given (the rest is not checked then). The caller frees *@ret_given.
 */
int opt_parse(const struct opt *table, int argc, char **argv, void *opts,
	      struct opt_given **ret_given, bool *ret_help, struct err *e);

/* The option that @word names: "--rate", "--rate=1", "-r" or "-r1"; NULL: none. */
const struct opt *opt_named(const struct opt *table, const char *word);

/* The number of words, 1 or 2, that the option @word of @table takes with its value; 0: it is none. */
int opt_words(const struct opt *table, const char *word);

/* True if the option @name, which the table must have, was given. */
bool opt_was_given(const struct opt_given *given, const char *name);

/* "--rate", or for an argument "DEST". */
const char *opt_label(char *buf, size_t size, const struct opt *opt);

/* "number", "rate": the type of its value. */
const char *opt_type_name(const struct opt *opt);

const struct opt *opt_find(const struct opt *table, const char *name);

/* The sub-command given; NULL: none. */
const char *opt_command(const struct opt_given *given, const void *opts);

/* True if @word is one of @words, which are separated by spaces. */
bool opt_has_word(const char *words, const char *word);

/* True if the sub-command @command, or any if it is NULL, has @opt. */
bool opt_belongs(const struct opt *opt, const char *command);

/* True for an argument that takes all further ones. */
bool opt_is_list(const struct opt *opt);

/* Formats the value in @opts so that the parser can read it back; "" if unset. */
char *opt_show(char *buf, size_t size, const struct opt *opt, const void *opts);

/*
 * The words that give again what was given of the first @nr entries of @given's table, each after a space
 * and quoted for a shell: arguments, options, and a command after "--". False if they are too long for @size.
 */
bool opt_show_given(char *buf, size_t size, const struct opt_given *given, size_t nr, const void *opts);

/* The value of OPT_U16, OPT_U32 and OPT_COUNT options; false for other types. */
bool opt_number(const struct opt *opt, const void *opts, uint64_t *ret_value);

/* "INTERFACE [DEST]": the arguments of a usage line; @command: as in opt_belongs(). */
void opt_print_usage(FILE *out, const struct opt *table, const char *command);

/* The width of all help, and the column where the options' texts begin. */
#define OPT_HELP_WIDTH 80
#define OPT_HELP_INDENT 27

/*
 * One line per option: "  -p, --port N   UDP port (default 9)", below "TITLE:" unless @title is NULL.
 * @names: the options to show, separated by spaces; NULL: the arguments. Prints nothing if the table has
 * none of them.
 */
void opt_print_group(FILE *out, const char *title, const char *names, const struct opt *table,
		     const void *defaults, const char *command);

/* Paragraphs: their lines are joined and wrapped; indented lines stay as they are. */
void opt_print_text(FILE *out, const char *text);

#endif
