// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * main.c - the run of a verb, output and exit codes.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "engine/self/environ.h"
#include "faces/progress.h"
#include "faces/text.h"
#include "lib/log.h"
#include "lib/loop.h"
#include "lib/outfile.h"
#include "lib/redact.h"
#include "lib/status.h"
#include "lib/utf8.h"
#include "result/calibration.h"
#include "result/json.h"
#include "sys/host/caps.h"
#include "sys/host/keeper.h"

enum exit_code {
	EXIT_DONE,
	EXIT_CRITERION,		/* done, and a criterion failed */
	EXIT_USAGE,
	EXIT_MACHINE,		/* privilege, driver, kernel feature */
	EXIT_RUN,		/* failed while running */
	EXIT_NO_EXEC = 126,	/* a command exists but cannot be executed */
	EXIT_NO_COMMAND = 127,
	EXIT_SIGNALLED = 128,
};

static bool has_passwords;	/* the command line has */

/* sudo does not find a tool that is not installed: then the hint names it as it was run. */
static void report_hint(const char *text)
{
	static const char command[] = "sudo ethgauge";
	char hint[sizeof(((struct err *)NULL)->hint)], *at;

	snprintf(hint, sizeof(hint), "%s", text);
	at = strstr(utf8_plain(hint), command);
	if (at && strchr(program_invocation_name, '/'))
		fprintf(stderr, "ethgauge: hint: %.*ssudo %s%s\n", (int)(at - hint), hint,
			program_invocation_name, at + strlen(command));
	else
		fprintf(stderr, "ethgauge: hint: %s\n", hint);
}

static void report_error(const struct err *e)
{
	char msg[sizeof(e->msg)];

	snprintf(msg, sizeof(msg), "%s", e->msg);
	status_clear();
	fprintf(stderr, "ethgauge: %s\n", utf8_plain(msg));
	if (e->hint[0])
		report_hint(e->hint);
}

static void record_options(struct result *res, const struct line *line)
{
	char value[4096], command[8192];
	uint64_t number;
	size_t i;
	int len = snprintf(command, sizeof(command), "ethgauge %s", line->cmd->name);

	/* One that is cut would be another one. */
	if (opt_show_given(command + len, sizeof(command) - (size_t)len, line->given, line->nr_own, line->values))
		result_command_line(res, command);
	for (i = 0; i < line->nr_own; i++) {
		const struct opt *opt = &line->table[i];

		opt_show(value, sizeof(value), opt, line->values);
		if (opt_number(opt, line->values, &number))
			result_config_u64(res, opt->name, number);
		else
			result_config_str(res, opt->name, value);
		if (line->given->is[i])
			result_supplied(res, opt->name, value);
	}
}

/* Where a run's rows go. */
struct rows {
	const struct globals *globals;
	const struct result *res;	/* the run's: rows of its parts are lines */
	struct progress *progress;	/* NULL: no line at the foot of the terminal */
	bool lines;
};

/* The value of the option @name, if this command has it as a duration or a count; else 0. */
static uint64_t option_of(const struct line *line, const char *name)
{
	const struct opt *opt = opt_find(line->table, name);

	if (!opt || (opt->type != OPT_DURATION && opt->type != OPT_COUNT) ||
	    !opt_belongs(opt, opt_command(line->given, line->values)))
		return 0;
	return *(const uint64_t *)((const char *)line->values + opt->offset);
}

/*
 * On a terminal a run's rows are one line that is rewritten, and lines as well if --interval or -v asks
 * for them. What reads from a pipe may write to the same terminal, in between.
 */
static void open_rows(struct rows *rows, const struct line *line, const struct result *res)
{
	const struct globals *globals = line->globals;
	bool has_interval = opt_find(line->table, "interval") && opt_was_given(line->given, "interval");
	struct stat out;
	uint64_t duration_ns;
	bool is_pipe = fstat(STDOUT_FILENO, &out) || S_ISFIFO(out.st_mode) || S_ISSOCK(out.st_mode);

	*rows = (struct rows){ .globals = globals, .res = res, .lines = true };
	if (globals->quiet || globals->jsonl || (is_pipe && !globals->json))
		return;
	status_allow();
	if (!status_columns())
		return;
	duration_ns = option_of(line, "duration");
	rows->progress = progress_new(duration_ns ? duration_ns + option_of(line, "omit") : 0,
				      option_of(line, "count"));
	rows->lines = !rows->progress || has_interval || globals->verbose || !isatty(STDOUT_FILENO);
}

static void show_row(void *ctx, const struct result *part)
{
	const struct rows *rows = ctx;
	bool is_whole = part == rows->res;

	status_clear();
	if (rows->globals->jsonl)
		json_row(stdout, part);
	else if (!rows->globals->json && (rows->lines || !is_whole))
		text_row(stdout, part, rows->globals->verbose);
	/* The result is written then, to the file of -o, and its failure on stdout reported. */
	if (ferror(stdout))
		loop_stop();
	if (!rows->progress || !is_whole)
		return;
	progress_take(rows->progress, part);
	progress_show(rows->progress);
}

static int flush_stdout(void)
{
	if (fflush(stdout))
		return -errno;
	if (!ferror(stdout))
		return 0;
	/* stdio keeps no errno of an earlier write; another one fails for the same reason. */
	return write(STDOUT_FILENO, "\n", 1) < 0 ? -errno : -EIO;
}

static int show_result(const struct globals *globals, const struct result *res,
		       struct outfile *file, struct err *e)
{
	int err = 0, shown = 0;

	/* The file first: it must be written even if the reader of stdout exits early ("| head"). */
	if (file) {
		err = json_document(outfile_stream(file), res, false);
		if (err)
			err_set(e, err, "cannot write '%s'", globals->output);
		else
			err = outfile_commit(file, e);
	}
	if (globals->json || globals->jsonl)
		shown = json_document(stdout, res, globals->jsonl);
	else
		text_result(stdout, res, globals->verbose);
	if (!shown)
		shown = flush_stdout();
	if (shown)
		return err_set(e, shown, "cannot write the result to stdout");
	if (file && !err)
		log_info("full result written to '%s'", globals->output);
	return err;
}

static int exit_code(const struct err *e)
{
	if (e->kind == ERR_COMMAND)
		return e->no == -ENOENT ? EXIT_NO_COMMAND : EXIT_NO_EXEC;
	return e->kind == ERR_USAGE ? EXIT_USAGE :
	       e->kind == ERR_MACHINE ? EXIT_MACHINE : EXIT_RUN;
}

static int run(struct line *line)
{
	const struct cmd *cmd = line->cmd;
	const struct globals *globals = line->globals;
	struct result *res = result_new(cmd->name);
	struct rows rows = { 0 };
	struct result_watcher watcher = { .on_row = show_row, .ctx = &rows };
	struct err e = { 0 }, output_error = { 0 };
	struct outfile *file = NULL;
	FILE *calibration = NULL;
	int code = EXIT_DONE;
	char path[4096];

	log_set_level(globals->quiet ? LOG_WARN : globals->verbose ? LOG_DEBUG : LOG_INFO);
	result_watch(res, &watcher);
	loop_catch_signals();

	if (line_check(line, &e))
		goto out;
	open_rows(&rows, line, res);
	record_options(res, line);
	if (caps_require(cmd->needs, &e))
		goto out;
	if (globals->output) {
		if (keeper_start(&e))
			goto out;
		if (outfile_open(&file, globals->output, &e)) {
			if (!strcmp(globals->output, "-"))
				err_hint(&e, "--json prints the document to stdout");
			goto out;
		}
		if (has_passwords)
			outfile_keep_private(file);
	}
	if (globals->output || globals->json || globals->jsonl)
		result_keep_older(res, globals->output);
	environ_host(res);
	calibration_path(path, sizeof(path));
	calibration = fopen(path, "re");
	cmd->run(line->values, res, &e);
	calibration_cite(res, calibration);
out:
	status_clear();
	loop_restart_calls();
	if (e.no) {
		opt_name_options(&e, line->table);
		result_error(res, &e);
		/* What a signal cut short has the signal's status. */
		code = e.no == -EINTR && loop_signal() ? EXIT_DONE : exit_code(&e);
		report_error(&e);
		if (e.kind == ERR_USAGE)
			fprintf(stderr, "ethgauge: see: ethgauge %s --help\n", cmd->name);
	}
	/* A usage error has no text output; readers of JSON get the error in the document. */
	if (!e.no || e.kind == ERR_RUN || globals->json || globals->jsonl) {
		if (show_result(globals, res, file, &output_error)) {
			report_error(&output_error);
			code = EXIT_RUN;
		}
	}
	if (code == EXIT_DONE && !result_passed(res))
		code = EXIT_CRITERION;
	if (loop_signal() && code != EXIT_RUN)
		code = EXIT_SIGNALLED + loop_signal();
	outfile_close(file);
	if (calibration)
		fclose(calibration);
	keeper_end();
	progress_free(rows.progress);
	result_free(res);
	return code;
}

/* Parsing failed, so look for --json in the raw arguments. */
static void report_bad_options(const struct cmd *cmd, int argc, char **argv, const struct err *e)
{
	struct result *res;
	int i;

	report_error(e);
	fprintf(stderr, "ethgauge: see: ethgauge %s --help\n", cmd->name);
	for (i = 0; i < argc; i++) {
		if (strcmp(argv[i], "--json") && strcmp(argv[i], "--jsonl"))
			continue;
		res = result_new(cmd->name);
		result_error(res, e);
		json_document(stdout, res, !strcmp(argv[i], "--jsonl"));
		result_free(res);
		return;
	}
}

/* "ethgauge --json VERB" is "ethgauge VERB --json". */
static void verb_first(int argc, char **argv)
{
	int nr = 1, words;
	char *verb;

	while (nr < argc && (words = opt_words(global_options, argv[nr])))
		nr += words;
	if (nr == 1 || nr >= argc || argv[nr][0] == '-')
		return;
	verb = argv[nr];
	memmove(argv + 2, argv + 1, (size_t)(nr - 1) * sizeof(*argv));
	argv[1] = verb;
}

static int dispatch(int argc, char **argv)
{
	static char help_option[] = "--help";
	const struct cmd *cmd;
	struct line line;
	struct err e = { 0 };
	bool help;
	int code;

	verb_first(argc, argv);
	if (argc < 2) {
		help_overview(stderr);
		return EXIT_USAGE;
	}
	if (!strcmp(argv[1], "help") && argc > 2 && argv[2][0] != '-') {
		if (!strcmp(argv[2], "metrics")) {
			help_metrics(stdout);
			return EXIT_DONE;
		}
		if (!strcmp(argv[2], "layers")) {
			help_layers(stdout);
			return EXIT_DONE;
		}
		if (!strcmp(argv[2], "complete")) {
			help_complete(stdout, argc - 3, argv + 3);
			return EXIT_DONE;
		}
		if (!strcmp(argv[2], "options"))
			return help_options(stdout) ? EXIT_RUN : EXIT_DONE;
		/* "help VERB [SUB-COMMAND]" is "VERB [SUB-COMMAND] --help" */
		memmove(argv + 1, argv + 2, (size_t)(argc - 2) * sizeof(*argv));
		argv[argc - 1] = help_option;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help")) {
		help_overview(stdout);
		return EXIT_DONE;
	}
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V") || !strcmp(argv[1], "version")) {
		puts("ethgauge " TOOL_VERSION);
		return EXIT_DONE;
	}
	cmd = line_verb(argv[1], &e);
	if (!cmd) {
		report_error(&e);
		fputs("ethgauge: see: ethgauge --help\n", stderr);
		return EXIT_USAGE;
	}
	line_open(&line, cmd, argc - 2, argv + 2);
	if (line_parse(&line, argc - 2, argv + 2, &help, &e)) {
		report_bad_options(line.cmd, argc - 2, argv + 2, &e);
		code = EXIT_USAGE;
	} else if (help) {
		help_verb(stdout, &line, opt_command(line.given, line.values));
		code = EXIT_DONE;
	} else {
		code = run(&line);
	}
	line_close(&line);
	return code;
}

/* From now on ps(1) shows the command line without its passwords; @argv still has them. */
static void hide_passwords(int argc, char **argv)
{
	size_t len;
	char *word;
	int i;

	for (i = 1; i < argc; i++) {
		len = strlen(argv[i]);
		word = strdup(argv[i]);
		if (!word)
			abort();	/* out of memory before the first step */
		memset(argv[i], 0, len);
		if (!redact_word(argv[i], len + 1, word)) {
			free(word);
			continue;
		}
		argv[i] = word;
		has_passwords = true;
	}
}

int main(int argc, char **argv)
{
	int code, err;

	hide_passwords(argc, argv);
	/* A file beyond its limit of size is an error like that of a full disk. */
	signal(SIGXFSZ, SIG_IGN);
	code = dispatch(argc, argv);
	err = flush_stdout();
	/* Texts: run() has reported what its result could not be written for. */
	if (code != EXIT_DONE || !err)
		return code;
	fprintf(stderr, "ethgauge: cannot write to stdout: %s\n", strerror(-err));
	return EXIT_RUN;
}
