/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * cmd/cmd.h - the definition of a verb, the list of all, a command line that names one, and its help. Each
 * verb's cmd/NAME.c ends in one const struct cmd.
 */
#ifndef CMD_CMD_H
#define CMD_CMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "lib/err.h"
#include "lib/opt.h"
#include "lib/opt_rule.h"
#include "result/result.h"

/* Checked before run(), so that a verb never fails half-way for lack of privilege. */
enum cmd_needs {
	CMD_NEEDS_BPF = 1 << 0,		/* CAP_BPF (CAP_SYS_ADMIN before 5.8) */
	CMD_NEEDS_NET_ADMIN = 1 << 1,
	CMD_NEEDS_NET_RAW = 1 << 2,
	CMD_NEEDS_SYS_ADMIN = 1 << 3,	/* namespaces */
};

struct cmd {
	const char *name;
	const char *summary;		/* lower case, one line */
	const char *description;	/* paragraphs for --help and the man page */
	const char *examples;		/* command lines, each after its comment */
	const struct opt *options;
	const void *defaults;
	size_t opts_size;		/* size of the object at defaults */
	unsigned int needs;
	const char *default_output;	/* of -o; NULL: no file by default */
	const struct opt_rule *rules;	/* constraints between options; may be NULL */
	/*
	 * Checks that rules cannot express, and defaults that depend on other options;
	 * pure, so testable without root. May be NULL.
	 */
	int (*check)(void *opts, const struct opt_given *given, struct err *e);
	int (*run)(const void *opts, struct result *res, struct err *e);
	/* A variant that runs instead if one of its chosen_by is among the arguments. */
	const struct cmd *variant;
	const char *const *chosen_by;	/* of a variant: options, with "--", or words; NULL-terminated */
};

/* In the order of --help: X(NAME) is cmd_NAME in cmd/NAME.c. */
#define CMD_TASKS(TASK, X) \
	TASK("Start here") X(demo) X(doctor) X(lab) \
	TASK("Streams in the driver") X(blast) X(sink) X(impair) \
	TASK("Round trips in the driver") X(reflect) X(probe) X(ping) X(rr) \
	TASK("Through sockets") X(serve) X(tcp) X(udp) X(load) \
	TASK("Live interfaces") X(watch) \
	TASK("Suites and series of runs") X(bench) X(sweep) \
	TASK("Results") X(compare) X(report) \
	TASK("Theory, settings, accuracy") X(calc) X(tune) X(calibrate)

#define CMD_NO_TASK(name)
#define CMD_VERBS(X) CMD_TASKS(CMD_NO_TASK, X)

#define CMD_DECLARE(name) extern const struct cmd cmd_##name;
CMD_VERBS(CMD_DECLARE)
#undef CMD_DECLARE

/* Variants of verbs. */
extern const struct cmd cmd_bench_tcp, cmd_probe_stamp;

/* Options of all verbs. */
struct globals {
	bool json, jsonl, quiet, verbose;
	const char *output;
};

extern const struct opt global_options[];

/* All verbs, in the order of --help; ends with NULL. */
extern const struct cmd *const cmds[];

/* What follows "ethgauge": a verb, and its arguments. Functions return 0, or e->no. */
struct line {
	const struct cmd *cmd;
	/* The verb's options and the shared ones as one table over one buffer. */
	struct opt *table;
	void *values;
	struct globals *globals;
	size_t nr_own;
	struct opt_given *given;
};

/* The verb of that name; NULL: there is none, and @e has the one that may have been meant. */
const struct cmd *line_verb(const char *name, struct err *e);

/* With the defaults; of the verb's variant, if an argument chooses it. */
void line_open(struct line *line, const struct cmd *cmd, int argc, char **argv);
void line_close(struct line *line);

/* @ret_help: --help was given, and the rest was not checked. */
int line_parse(struct line *line, int argc, char **argv, bool *ret_help, struct err *e);

/* Checks what no single option shows: the rules and cmd->check(). */
int line_check(struct line *line, struct err *e);

/* All of these for the verb @argv[0] and its arguments; nothing is run. */
int line_try(int argc, char **argv, struct err *e);

/* "ethgauge --help": the verbs by task, the options that all have, exit codes. */
void help_overview(FILE *out);

/* "ethgauge VERB --help"; @command: only the options of this sub-command; NULL: all. */
void help_verb(FILE *out, const struct line *line, const char *command);

/*
 * "help complete WORD...": what the last of @argv, the words after "ethgauge", may become, each with a tab and
 * an explanation, which may be empty. ":files" or ":commands", a tab, and the part of the word before them:
 * the shell knows these.
 */
void help_complete(FILE *out, int argc, char **argv);

/* "help metrics": one tab-separated line per figure: key, unit, which is better, definition. */
void help_metrics(FILE *out);

/* "help layers": the layers and fields of a packet description. */
void help_layers(FILE *out);

/*
 * "help options": the options of all verbs, one tab-separated line each. Returns 0; -EINVAL: a rule names
 * what its table does not have, or an option has no place in the help.
 */
int help_options(FILE *out);

#endif
