// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd/complete.c - what may stand next on a command line, for the completion of shells.
 */
#include <net/if.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "sys/net/netns.h"

/* What the word to complete begins with. Candidates are compared with @part, and printed behind @before. */
struct completion {
	FILE *out;
	const char *before;
	int before_len;
	const char *part;
};

static void complete_line(struct completion *c, int argc, char **argv);

static void offer(const struct completion *c, const char *word, const char *text)
{
	if (!strncmp(word, c->part, strlen(c->part)))
		fprintf(c->out, "%.*s%s\t%s\n", c->before_len, c->before, word, text);
}

/* What only the shell knows: "files", "commands". */
static void offer_kind(const struct completion *c, const char *kind)
{
	fprintf(c->out, ":%s\t%.*s\n", kind, c->before_len, c->before);
}

/* What follows @end in the word is completed, and what is up to there stays. */
static struct completion behind(const struct completion *c, const char *end)
{
	struct completion part = *c;

	part.before_len = (int)(end + 1 - c->before);
	part.part = end + 1;
	return part;
}

static void offer_interfaces(const struct completion *c)
{
	struct if_nameindex *all = if_nameindex(), *one;

	for (one = all; one && one->if_index; one++)
		offer(c, one->if_name, "interface");
	if_freenameindex(all);
}

static void offer_namespace(void *ctx, const char *name)
{
	offer(ctx, name, "network namespace");
}

/* A lab has a namespace NAME-a. */
static void offer_lab(void *ctx, const char *netns)
{
	size_t len = strlen(netns);
	char name[256];

	if (len <= 2 || strcmp(netns + len - 2, "-a"))
		return;
	snprintf(name, sizeof(name), "%.*s", (int)len - 2, netns);
	offer(ctx, name, "lab");
}

static void offer_each(struct completion c, void (*netns)(void *ctx, const char *name))
{
	struct err e = { 0 };

	netns_list(netns, &c, &e);
}

/* "eg0", "eg0@lab-b" */
static void offer_ports(const struct completion *c)
{
	const char *at = strchr(c->part, '@');

	if (at)
		offer_each(behind(c, at), offer_namespace);
	else
		offer_interfaces(c);
}

static void offer_known(const struct completion *c, const struct opt *opt)
{
	/* One of a list, separated by commas. */
	const char *comma = strrchr(c->part, ',');
	struct completion last = comma ? behind(c, comma) : *c;
	const char *word;
	size_t i;

	for (i = 0; (word = opt->value_at(i)); i++)
		offer(&last, word, "");
}

static void offer_values(const struct completion *c, const struct opt *opt)
{
	const char *kind = opt->argument ? opt->name : opt->metavar ? opt->metavar : "";
	const char *const *choice;

	for (choice = opt->choices; choice && *choice; choice++)
		offer(c, *choice, "");
	if (opt->value_at)
		offer_known(c, opt);
	if (opt->type == OPT_FLAG) {
		offer(c, "yes", "");
		offer(c, "no", "");
	} else if (opt->type == OPT_IFACE || opt->type == OPT_IFACES || opt_has_word("INTERFACE TARGET IFACE", kind)) {
		offer_interfaces(c);
	} else if (opt_has_word("SENDER RECEIVER IFACE[@NETNS]", kind)) {
		offer_ports(c);
	} else if (opt_has_word("FILE DIR BASE NEW", kind)) {
		offer_kind(c, "files");
	} else if (!strcmp(kind, "LAB")) {
		offer_each(*c, offer_lab);
	}
}

static void offer_options(const struct completion *c, const struct opt *table, const char *command, const bool *given)
{
	const struct opt *opt;
	char label[64];

	for (opt = table; opt->name; opt++) {
		if (opt->argument || !opt_belongs(opt, command) ||
		    (given && given[opt - table] && opt->type != OPT_STRS))
			continue;
		offer(c, opt_label(label, sizeof(label), opt), opt->help);
	}
	offer(c, "--help", "show the help");
}

static void offer_verbs(const struct completion *c)
{
	size_t i;

	for (i = 0; cmds[i]; i++)
		offer(c, cmds[i]->name, cmds[i]->summary);
}

/* The command of lab exec; the verb of sweep, or its study. */
static void complete_rest(struct completion *c, const struct opt *opt, int argc, char **argv)
{
	const char *name = strrchr(argv[0], '/');
	struct err e = { 0 };

	if (argc == 1 && !opt->value_at) {
		offer_kind(c, "commands");
	} else if (argc == 1) {
		offer_verbs(c);
		offer_known(c, opt);
	} else if (!strcmp(name ? name + 1 : argv[0], "ethgauge")) {
		complete_line(c, argc - 1, argv + 1);
	} else if (opt->value_at && line_verb(argv[0], &e)) {
		complete_line(c, argc, argv);
	} else {
		offer_kind(c, "files");
	}
}

static const struct opt *next_argument(const struct opt *opt, const char *command)
{
	while (opt->name && (!opt->argument || !opt_belongs(opt, command)))
		opt++;
	return opt->name ? opt : NULL;
}

/* "--rate=1", or an option itself. */
static void complete_option(const struct completion *c, const struct opt *table, const char *command, const bool *given)
{
	const char *equals = strchr(c->part, '=');
	const struct opt *opt = equals ? opt_named(table, c->part) : NULL;
	struct completion value;

	if (opt) {
		value = behind(c, equals);
		offer_values(&value, opt);
	} else {
		offer_options(c, table, command, given);
	}
}

/* What follows a verb. @given: for each option of @table. */
static void complete_args(struct completion *c, const struct opt *table, bool *given, int argc, char **argv)
{
	const struct opt *opt, *argument = next_argument(table, NULL);
	const char *command = NULL;
	bool only_arguments = false;
	int i, words;

	for (i = 0; i < argc - 1; i += words) {
		opt = only_arguments ? NULL : opt_named(table, argv[i]);
		words = opt ? opt_words(table, argv[i]) : 1;
		if (opt) {
			given[opt - table] = true;
			if (i + words > argc - 1) {
				offer_values(c, opt);
				return;
			}
		} else if (!only_arguments && argv[i][0] == '-' && argv[i][1]) {
			only_arguments = !strcmp(argv[i], "--");
		} else if (argument && argument->type == OPT_REST) {
			complete_rest(c, argument, argc - i, argv + i);
			return;
		} else if (argument) {
			command = argument->selects ? argv[i] : command;
			if (!opt_is_list(argument))
				argument = next_argument(argument + 1, command);
		}
	}
	if (!only_arguments && argv[i][0] == '-')
		complete_option(c, table, command, given);
	else if (argument && argument->type == OPT_REST)
		complete_rest(c, argument, 1, argv + i);
	else if (argument)
		offer_values(c, argument);
}

static void complete_help(const struct completion *c)
{
	offer_verbs(c);
	offer(c, "metrics", "every figure: key, unit, definition");
	offer(c, "layers", "layers and fields of packet descriptions");
}

/* @argv: what follows "ethgauge"; its last word is completed. */
static void complete_line(struct completion *c, int argc, char **argv)
{
	const struct cmd *cmd;
	struct line line;
	struct err e = { 0 };
	bool *given;
	size_t nr = 0;
	int at = 0, words = 0;

	while (at < argc - 1 && (words = opt_words(global_options, argv[at])))
		at += words;
	if (at >= argc) {
		offer_values(c, opt_named(global_options, argv[at - words]));
		return;
	}
	if (at == argc - 1 && argv[at][0] == '-') {
		offer_options(c, global_options, NULL, NULL);
		offer(c, "--version", "print the version");
		return;
	}
	if (at == argc - 1) {
		offer_verbs(c);
		offer(c, "help", "show the help of a verb");
		return;
	}
	if (!strcmp(argv[at], "help") && at == argc - 2) {
		complete_help(c);
		return;
	}
	if (!strcmp(argv[at], "help"))
		at++;
	cmd = line_verb(argv[at++], &e);
	if (!cmd)
		return;
	line_open(&line, cmd, argc - at - 1, argv + at);
	while (line.table[nr].name)
		nr++;
	given = calloc(nr + 1, sizeof(*given));
	if (given)
		complete_args(c, line.table, given, argc - at, argv + at);
	free(given);
	line_close(&line);
}

void help_complete(FILE *out, int argc, char **argv)
{
	struct completion c = { .out = out };

	if (!argc)
		return;
	c.before = c.part = argv[argc - 1];
	complete_line(&c, argc, argv);
}
