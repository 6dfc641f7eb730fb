// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * cmd/help.c - the pages of --help and help: verbs, options in groups, metrics, layers.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "lib/array.h"
#include "proto/layer.h"
#include "result/metrics.h"

/* The lines of the usage: a task, or a verb. */
static const struct {
	const char *task;
	const struct cmd *cmd;
} usage_lines[] = {
#define TASK(task) { task, NULL },
#define ROW(name) { NULL, &cmd_##name },
	CMD_TASKS(TASK, ROW)
#undef ROW
#undef TASK
};

/* Where the help of every verb lists an option: one word means the same in all verbs. */
static const struct {
	const char *title;
	const char *names;
} groups[] = {
	{ "What",
	  "access-code access-id all allow-dscp any-mac base bind ce checksum cookies copies corrupt data delay "
	  "dest dests dev direction drops dscp dst-mac duplex duplicate expect-gap filter fix-checksums flows "
	  "follow for format fragment frame-bytes gaps gateway has header hide-location http interface ip ipv4 "
	  "ipv6 link list loss map-ip map-port match message-bytes message-sizes method middle mss mtu name new "
	  "no-icmp no-tag outer pass path payload pcap port ports profile random reorder remark replay "
	  "request-bytes response-bytes rtt run seed size sizes sources src-ip src-ips src-mac src-port "
	  "src-ports stamp stateful stream streams strip-vlan tag tcp-options tests theory tlv truncate ttl "
	  "tunnel twamp-light upload vary verify-payload vlan vlan-pcp vlan-tags way window apply restore bidir "
	  "reverse data-ports sink" },
	{ "How much",
	  "arrivals bottleneck burst bursts cir client-rate clients confidence connect-timeout count cycle-pause "
	  "cycles duration eir every flood flow-idle goal goals initial-trial latency-trial limit loop max-burst "
	  "max-clients max-duration max-flows max-memory max-per-address max-rate max-runs max-streams off omit "
	  "on outstanding overload parallel pause poisson quick ramp ramp-time ramp-to rate rate-layer repeat "
	  "repeats reset-wait resets sample search sessions settle source-rate speed timeout trial wait" },
	{ "How",
	  "against-stack auth batch busy-poll busy-read cacert clock congestion count-only cpu engine force "
	  "fresh gso hooks insecure into-stack key-file keys no-cost no-l4-checksum no-ledger no-store "
	  "no-variation nodelay noise open order-window own-mac probe queue queues rcvbuf receive-buffer "
	  "receiver reflector reflector-mode remote-cpu remote-receive-buffer remote-send-buffer reset-command "
	  "rx-stamp send-buffer share sink-socket socket socket-buffer spin stamp-every strict-ssid tc-mode "
	  "threads tx-stamp until-eof user window-clamp xdp-mode zero-copy zerocopy ignore state skip-failed" },
	{ "Pass or fail", "avail expect fdv flr ftd no-failures no-loss policing threshold" },
	{ "Output",
	  "csv events explain hgrm hlog html interval json jsonl ktap log md metric no-color output per-stream "
	  "png prom quiet record records records-every records-ring save sort stream-parts svg textfile top tui "
	  "verbose" },
};

static void print_help_option(FILE *out, const char *text)
{
	fprintf(out, "%-*s%s", OPT_HELP_INDENT, "  -h, --help", text);
}

void help_overview(FILE *out)
{
	size_t i;

	fputs("Usage: ethgauge VERB [ARGUMENTS] [OPTIONS]\n\n"
	      "Measures an Ethernet path from inside the driver: rates, loss, delay, order.\n\n",
	      out);
	for (i = 0; i < ARRAY_SIZE(usage_lines); i++) {
		if (usage_lines[i].task)
			fprintf(out, "%s%s:\n", i ? "\n" : "", usage_lines[i].task);
		else
			fprintf(out, "  %-10s %s\n", usage_lines[i].cmd->name, usage_lines[i].cmd->summary);
	}
	fputs("\nFirst steps:  ethgauge doctor         what this machine supports\n"
	      "              ethgauge demo           the main measurements, on a private link\n"
	      "              ethgauge VERB --help    options and examples of a verb\n"
	      "              ethgauge help metrics   every figure: key, unit, definition\n"
	      "              ethgauge help layers    layers and fields of packet descriptions\n"
	      "              ethgauge version\n",
	      out);
	for (i = 0; i < ARRAY_SIZE(groups); i++)
		opt_print_group(out, "Options of all verbs, before or after the verb", groups[i].names, global_options,
				&(struct globals){ 0 }, NULL);
	print_help_option(out, "show the verb's help\n");
	fputs("\nExit codes: 0 done; 1 done, but a criterion failed; 2 usage error; 3 not\n"
	      "supported on this machine; 4 failed while running; 128+n ended by signal n.\n"
	      "\n^C, SIGTERM and SIGHUP end a run with the result so far. Signals within one\n"
	      "second are one request; the second request changes nothing, the third ends the\n"
	      "tool at once, without a result.\n",
	      out);
}

void help_verb(FILE *out, const struct line *line, const char *command)
{
	const struct cmd *cmd = line->cmd;
	const struct opt *opt;
	size_t i;

	fprintf(out, "Usage: ethgauge %s", cmd->name);
	/* A chosen_by word without "--" is the value of an argument; the usage line shows it. */
	for (i = 0; cmd->chosen_by && cmd->chosen_by[i] && cmd->chosen_by[i][0] == '-'; i++)
		fprintf(out, "%s%s", i ? "|" : " ", cmd->chosen_by[i]);
	opt_print_usage(out, line->table, command);
	fputs(" [OPTIONS]\n\n", out);
	opt_print_text(out, cmd->description);
	opt_print_group(out, "Arguments", NULL, line->table, line->values, command);
	for (i = 0; i < ARRAY_SIZE(groups); i++)
		opt_print_group(out, groups[i].title, groups[i].names, line->table, line->values, command);
	print_help_option(out, "show this help");
	for (opt = line->table; opt->name; opt++) {
		if (opt->selects && !command)
			fprintf(out, "; after %s, only its options", opt->name);
	}
	fprintf(out, "\n\nExamples:\n%s", cmd->examples);
}

/* "help layers": the layers and fields of a packet description; also printed in the man page. */
void help_layers(FILE *out)
{
	const struct layer_field *field;
	const struct layer_def *def;
	const char *const *next;

	for (def = layer_defs; def->name; def++) {
		fprintf(out, "%s: %s\n", def->name, def->help);
		for (field = def->fields; field->name; field++)
			fprintf(out, "    %-10s %s\n", field->name, field->help);
		fputs("    followed by:", out);
		for (next = def->follow; *next; next++)
			fprintf(out, " %s", *next);
		fputs("\n\n", out);
	}
}

/* "help metrics": the dictionary, one tab-separated line per metric; source of the man page. */
void help_metrics(FILE *out)
{
	static const char *const units[] = {
		[UNIT_NONE] = "number", [UNIT_COUNT] = "count", [UNIT_BYTES] = "bytes",
		[UNIT_NS] = "ns", [UNIT_PPS] = "packets/s", [UNIT_BPS] = "bit/s",
		[UNIT_RATIO] = "ratio", [UNIT_CPUS] = "CPUs", [UNIT_TEXT] = "text",
	};
	static const char *const better[] = {
		[METRIC_NEITHER] = "-", [METRIC_LOWER] = "lower", [METRIC_HIGHER] = "higher",
	};
	const struct metric *metric;
	size_t i;

	for (i = 0; (metric = metric_at(i)); i++)
		fprintf(out, "%s\t%s\t%s\t%s\n", metric->key, units[metric->unit],
			better[metric->better], metric->what);
}

static void print_table(FILE *out, const struct cmd *cmd, const struct opt *table)
{
	const struct opt *opt;
	size_t i;

	for (opt = table; opt->name; opt++) {
		fprintf(out, "%s\t%s\t%c\t%s\t%s\t%s\t", cmd->name,
			cmd->chosen_by ? cmd->chosen_by[0] : opt->of ? opt->of : "-",
			opt->letter ? opt->letter : '-', opt->name, opt_type_name(opt),
			opt->metavar ? opt->metavar : "-");
		for (i = 0; opt->choices && opt->choices[i]; i++)
			fprintf(out, "%s%s", i ? " " : "", opt->choices[i]);
		fprintf(out, "%s\t%s\n", opt->choices ? "" : "-", opt->help);
	}
}

/* Each option has exactly one place in the help. */
static int check_groups(const struct cmd *cmd, const struct opt *table)
{
	const struct opt *opt;
	unsigned int in;
	int err = 0;
	size_t i;

	for (opt = table; opt->name; opt++) {
		for (in = 0, i = 0; i < ARRAY_SIZE(groups); i++)
			in += opt_has_word(groups[i].names, opt->name);
		if (opt->argument || in == 1)
			continue;
		fprintf(stderr, "ethgauge: %s: --%s is in %u groups of the help\n", cmd->name, opt->name, in);
		err = -EINVAL;
	}
	return err;
}

static int help_table(FILE *out, const struct cmd *cmd)
{
	struct opt *table = opt_flatten(cmd->options);
	const char *word = opt_rules_unknown(cmd->rules, table);
	int err;

	print_table(out, cmd, table);
	err = check_groups(cmd, table);
	if (word) {
		fprintf(stderr, "ethgauge: %s: a rule names an unknown option or value: %s\n", cmd->name, word);
		err = -EINVAL;
	}
	free(table);
	return err;
}

/*
 * "help options": the options of all verbs, one tab-separated line each; fails where a rule
 * names what its table does not have.
 */
int help_options(FILE *out)
{
	const struct cmd *cmd;
	int err = 0;
	size_t i;

	for (i = 0; cmds[i]; i++) {
		for (cmd = cmds[i]; cmd; cmd = cmd->variant) {
			if (help_table(out, cmd))
				err = -EINVAL;
		}
	}
	return err;
}
