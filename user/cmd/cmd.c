// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd/cmd.c - the table of verbs, and the options that they share.
 */
#include "cmd/cmd.h"

#include <stdlib.h>
#include <string.h>

#include "lib/array.h"
#include "lib/near.h"

const struct cmd *const cmds[] = {
#define ROW(name) &cmd_##name,
	CMD_VERBS(ROW)
#undef ROW
	NULL
};

const struct opt global_options[] = {
	{ 'J', "json", OPT_FLAG, offsetof(struct globals, json), NULL,
	  "print the result as one JSON document" },
	{ 0, "jsonl", OPT_FLAG, offsetof(struct globals, jsonl), NULL,
	  "print JSON lines: one per interval, then the document" },
	{ 'o', "output", OPT_STR, offsetof(struct globals, output), "FILE",
	  "write the JSON document to FILE as well" },
	{ 'q', "quiet", OPT_FLAG, offsetof(struct globals, quiet), NULL,
	  "on stderr, warnings and errors only" },
	{ 'v', "verbose", OPT_FLAG, offsetof(struct globals, verbose), NULL,
	  "print all figures, and progress on stderr" },
	OPT_END
};

const struct cmd *line_verb(const char *name, struct err *e)
{
	struct near near = { .word = name };
	size_t i;

	for (i = 0; cmds[i]; i++) {
		if (!strcmp(cmds[i]->name, name))
			return cmds[i];
		near_try(&near, cmds[i]->name);
	}
	err_usage(e, *name == '-' ? "'%s': a verb must come first" : "unknown verb '%s'", name);
	if (near.best)
		err_hint(e, "did you mean '%s'?", near.best);
	return NULL;
}

/* They have options and arguments of their own. */
static const struct cmd *choose_variant(const struct cmd *cmd, int argc, char **argv)
{
	const char *const *option;
	int i;

	for (i = 0; cmd->variant && i < argc && strcmp(argv[i], "--"); i++) {
		for (option = cmd->variant->chosen_by; *option; option++) {
			if (!strcmp(argv[i], *option))
				return cmd->variant;
		}
	}
	return cmd;
}

static bool is_own(const struct line *line, const char *name)
{
	size_t i;

	for (i = 0; i < line->nr_own && strcmp(line->table[i].name, name); i++)
		;
	return i < line->nr_own;
}

void line_open(struct line *line, const struct cmd *verb, int argc, char **argv)
{
	const struct cmd *cmd = choose_variant(verb, argc, argv);
	size_t at = (cmd->opts_size + 15) / 16 * 16, n = 0, i;
	struct opt *own = opt_flatten(cmd->options);

	while (own[n].name)
		n++;
	*line = (struct line){ .cmd = cmd, .nr_own = n };
	line->table = reallocarray(own, n + ARRAY_SIZE(global_options), sizeof(*own));
	line->values = calloc(1, at + sizeof(struct globals));
	if (!line->table || !line->values)
		abort();
	memcpy(line->values, cmd->defaults, cmd->opts_size);
	line->globals = (struct globals *)((char *)line->values + at);
	line->globals->output = cmd->default_output;
	for (i = 0; global_options[i].name; i++) {
		/* A verb may redefine a shared option, as report does -o. */
		if (is_own(line, global_options[i].name))
			continue;
		line->table[n] = global_options[i];
		line->table[n++].offset += at;
	}
	line->table[n] = (struct opt)OPT_END;
}

void line_close(struct line *line)
{
	free(line->given);
	free(line->table);
	free(line->values);
}

int line_parse(struct line *line, int argc, char **argv, bool *ret_help, struct err *e)
{
	return opt_parse(line->table, argc, argv, line->values, &line->given, ret_help, e);
}

int line_check(struct line *line, struct err *e)
{
	const struct cmd *cmd = line->cmd;
	int err = opt_rules_check(cmd->rules, cmd->name, line->given, line->values, e);

	if (!err && cmd->check)
		err = cmd->check(line->values, line->given, e);
	return err;
}

int line_try(int argc, char **argv, struct err *e)
{
	const struct cmd *cmd = line_verb(argv[0], e);
	struct line line;
	bool help;
	int err;

	if (!cmd)
		return e->no;
	line_open(&line, cmd, argc - 1, argv + 1);
	err = line_parse(&line, argc - 1, argv + 1, &help, e);
	if (!err && !help)
		err = line_check(&line, e);
	if (err)
		opt_name_options(e, line.table);
	line_close(&line);
	return err;
}
