// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/opt.h"

#include "check.h"

static const char *const colours[] = { "red", "green", NULL };

struct all {
	bool flag;
	uint16_t port;
	uint32_t frame_bytes;
	uint64_t count, duration_ns;
	struct unit_rate rate;
	const char *file, *iface;
	struct opt_mac mac;
	int colour;
	const char *dest;
};

static const struct all defaults = {
	.port = 9, .frame_bytes = 64, .duration_ns = 10000000000ull, .colour = 1,
};

static const struct opt table[] = {
	{ .name = "INTERFACE", .type = OPT_IFACE, .offset = offsetof(struct all, iface),
	  .help = "where", .argument = true },
	{ .name = "DEST", .type = OPT_STR, .offset = offsetof(struct all, dest),
	  .help = "whereto", .argument = true, .optional = true },
	{ 'f', "flag", OPT_FLAG, offsetof(struct all, flag), NULL, "a flag" },
	{ 'p', "port", OPT_U16, offsetof(struct all, port), "N", "UDP port", .min = 1 },
	{ 0, "frame-bytes", OPT_U32, offsetof(struct all, frame_bytes), "N", "frame",
	  .min = 64, .max = 9216 },
	{ 'c', "count", OPT_COUNT, offsetof(struct all, count), "N", "packets" },
	{ 'd', "duration", OPT_DURATION, offsetof(struct all, duration_ns), "TIME", "time",
	  .min = 1000000, .max = 3600000000000ull, .letter_elsewhere = 't' },
	{ 'r', "rate", OPT_RATE, offsetof(struct all, rate), "RATE", "rate" },
	{ 0, "file", OPT_STR, offsetof(struct all, file), "FILE", "file" },
	{ 0, "mac", OPT_MAC, offsetof(struct all, mac), "MAC", "station" },
	{ 0, "colour", OPT_CHOICE, offsetof(struct all, colour), "WHICH", "colour",
	  .choices = colours },
	OPT_END
};

#define MAX_WORDS 20

/* One heap copy a word, so that the sanitizer sees a read past its end. */
struct words {
	char *argv[MAX_WORDS + 1];
	int argc;
};

static void split(struct words *w, const char *line)
{
	char copy[512], *word, *rest = copy;

	memset(w, 0, sizeof(*w));
	snprintf(copy, sizeof(copy), "%s", line);
	while ((word = strsep(&rest, "|"))) {
		assert_true(w->argc < MAX_WORDS);
		w->argv[w->argc++] = strdup(word);
	}
	if (!*line)
		free(w->argv[--w->argc]);
}

static void release(struct words *w)
{
	int i;

	for (i = 0; i < w->argc; i++)
		free(w->argv[i]);
}

struct parsed {
	struct words words;
	struct all opts;
	struct opt_given *given;
	bool help;
	struct err e;
	int err;
};

/* Words are separated by '|'. */
static struct parsed parse(const char *line)
{
	struct parsed p = { .opts = defaults };

	split(&p.words, line);
	p.err = opt_parse(table, p.words.argc, p.words.argv, &p.opts, &p.given, &p.help, &p.e);
	return p;
}

static void release_parsed(struct parsed *p)
{
	release(&p->words);
	free(p->given);
}

static void assert_refused(const char *line, const char *part)
{
	struct parsed p = parse(line);

	if (!p.err)
		fail_msg("'%s' was taken", line);
	assert_int_equal(p.e.kind, ERR_USAGE);
	if (!strstr(p.e.msg, part))
		fail_msg("'%s': \"%s\" does not say \"%s\"", line, p.e.msg, part);
	release_parsed(&p);
}

static void every_type_is_read(void **state)
{
	struct parsed p = parse("eth0|198.18.0.2|-f|-p|7|--frame-bytes|1518|--count|10M|"
				"--duration|250ms");
	struct parsed q = parse("eth0|--rate|1Mpps|--file|x y|--mac|02:00:00:00:00:01|"
				"--colour|red|-d|1h");

	(void)state;
	assert_int_equal(p.err, 0);
	assert_string_equal(p.opts.iface, "eth0");
	assert_string_equal(p.opts.dest, "198.18.0.2");
	assert_true(p.opts.flag);
	assert_int_equal(p.opts.port, 7);
	assert_int_equal(p.opts.frame_bytes, 1518);
	assert_int_equal(p.opts.count, 10000000);
	assert_int_equal(p.opts.duration_ns, 250000000);
	assert_int_equal(q.err, 0);
	assert_int_equal(q.opts.rate.kind, UNIT_RATE_PPS);
	assert_string_equal(q.opts.file, "x y");
	assert_true(q.opts.mac.set);
	assert_int_equal(q.opts.mac.addr[5], 1);
	assert_int_equal(q.opts.colour, 0);
	assert_int_equal(q.opts.duration_ns, 3600000000000ull);
	release_parsed(&p);
	release_parsed(&q);
}

static void what_is_not_given_keeps_its_default(void **state)
{
	struct parsed p = parse("eth0");

	(void)state;
	assert_int_equal(p.err, 0);
	p.opts.iface = NULL;
	assert_memory_equal(&p.opts, &defaults, sizeof(defaults));
	assert_true(opt_was_given(p.given, "INTERFACE"));
	assert_false(opt_was_given(p.given, "DEST"));
	assert_false(opt_was_given(p.given, "port"));
	release_parsed(&p);
}

static void given_options_are_known_even_at_their_default(void **state)
{
	struct parsed p = parse("--port=9|eth0");

	(void)state;
	assert_int_equal(p.err, 0);
	assert_true(opt_was_given(p.given, "port"));
	assert_false(opt_was_given(p.given, "count"));
	release_parsed(&p);
}

static void values_may_be_attached(void **state)
{
	struct parsed p = parse("--port=7|-c5|eth0|--file=a=b|--rate=50%");

	(void)state;
	assert_int_equal(p.err, 0);
	assert_int_equal(p.opts.port, 7);
	assert_int_equal(p.opts.count, 5);
	assert_string_equal(p.opts.file, "a=b");
	assert_int_equal(p.opts.rate.kind, UNIT_RATE_LINK_RATIO);
	release_parsed(&p);
}

static void an_option_may_have_the_letter_of_other_tools_too(void **state)
{
	struct parsed p = parse("eth0|-t|7"), q = parse("eth0|-d|8s");

	(void)state;
	assert_int_equal(p.err, 0);
	assert_int_equal(p.opts.duration_ns, 7000000000ull);
	assert_true(opt_was_given(p.given, "duration"));
	assert_int_equal(q.opts.duration_ns, 8000000000ull);
	release_parsed(&p);
	release_parsed(&q);
}

static void the_last_of_two_counts(void **state)
{
	struct parsed p = parse("eth0|-p|7|--port|8");

	(void)state;
	assert_int_equal(p.err, 0);
	assert_int_equal(p.opts.port, 8);
	release_parsed(&p);
}

static void behind_two_dashes_all_are_arguments(void **state)
{
	struct parsed p = parse("eth0|--|--port");

	(void)state;
	assert_int_equal(p.err, 0);
	assert_string_equal(p.opts.dest, "--port");
	assert_int_equal(p.opts.port, 9);
	release_parsed(&p);
	assert_refused("eth0|--|a|--", "unexpected argument '--'");
}

static void bounds_are_kept(void **state)
{
	static const char *const good[] = {
		"eth0|-p|1", "eth0|-p|65535", "eth0|--frame-bytes|64", "eth0|--frame-bytes|9216",
		"eth0|-d|1ms", "eth0|-d|1h", "eth0|-c|9223372036854775807",
	};
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(good); i++) {
		struct parsed p = parse(good[i]);

		if (p.err)
			fail_msg("'%s': %s", good[i], p.e.msg);
		release_parsed(&p);
	}
	assert_refused("eth0|-p|0", "--port: 1 to 65535, not '0'");
	assert_refused("eth0|-p|70000", "--port: 1 to 65535, not '70000'");
	assert_refused("eth0|-p|65536", "--port: 1 to 65535");
	assert_refused("eth0|--frame-bytes|63", "--frame-bytes: 64 to 9216, not");
	assert_refused("eth0|--frame-bytes|9217", "--frame-bytes: 64 to 9216, not");
	assert_refused("eth0|--frame-bytes|4294967360", "--frame-bytes: 64 to 9216, not");
	assert_refused("eth0|-d|999us", "--duration: 1ms to 1h, not");
	assert_refused("eth0|-d|2h", "--duration: 1ms to 1h, not");
	assert_refused("eth0|-c|9223372036854775808", "--count: 0 to 9223372036854775807, not '9223372036854775808'");
	assert_refused("eth0|-r|0pps", "--rate: more than 0, and at most 100%, not '0pps'");
	assert_refused("eth0|-r|101%", "at most 100%, not '101%'");
}

static void what_is_no_value_is_refused(void **state)
{
	(void)state;
	assert_refused("eth0|-p|10abc", "--port '10abc' is not a whole number");
	assert_refused("eth0|-c|", "--count '' is not a whole number");
	assert_refused("eth0|-c|-5", "--count '-5' is not a whole number");
	assert_refused("eth0|-d|10x", "--duration '10x' is not a duration");
	assert_refused("eth0|-r|1000", "is not a rate with its unit");
	assert_refused("eth0|--mac|02:00", "is not a MAC address");
	assert_refused("eth0|--colour|blue", "--colour 'blue' is not one of: red, green");
	assert_refused("eth0|--colour|", "is not one of");
	assert_refused("eth0|--file|", "--file is empty");
	assert_refused("eth0|", "DEST is empty");
}

static void names_of_interfaces_are_checked(void **state)
{
	struct parsed p = parse("abcdefghijklmno");

	(void)state;
	assert_int_equal(p.err, 0);
	release_parsed(&p);
	assert_refused("abcdefghijklmnop", "is not an interface name");
	assert_refused("a/b", "'/' is not allowed");
	assert_refused("a b", "' ' is not allowed");
	assert_refused("a:1", "':' is not allowed");
	assert_refused(".", "is not an interface name");
	assert_refused("..", "is not an interface name");
}

static void missing_and_surplus_arguments_are_reported(void **state)
{
	(void)state;
	assert_refused("", "INTERFACE is missing");
	assert_refused("-f", "INTERFACE is missing");
	assert_refused("eth0|--port", "--port requires a value");
	assert_refused("eth0|-p", "--port requires a value");
	assert_refused("a|b|c", "unexpected argument 'c'");
	assert_refused("eth0|--flag=on", "--flag accepts no value except yes and no");
}

static void unknown_options_are_reported(void **state)
{
	(void)state;
	assert_refused("eth0|--bogus", "unknown option '--bogus'");
	assert_refused("eth0|--bogus=1", "unknown option '--bogus'");
	assert_refused("eth0|--por|1", "unknown option '--por'");
	assert_refused("eth0|--ports|1", "unknown option '--ports'");
	assert_refused("eth0|--=1", "unknown option '--'");
	assert_refused("eth0|-z", "unknown option '-z'");
	assert_refused("eth0|-fp", "give one-letter options separately");
	/* The name of an argument is no option. */
	assert_refused("--DEST=x", "unknown option '--DEST'");
}

static void a_flag_may_be_given_as_yes_or_no(void **state)
{
	struct parsed yes = parse("eth0|--flag=yes"), no = parse("eth0|--flag|--flag=no");

	(void)state;
	assert_int_equal(yes.err, 0);
	assert_true(yes.opts.flag);
	assert_int_equal(no.err, 0);
	assert_false(no.opts.flag);
	release_parsed(&yes);
	release_parsed(&no);
}

static void help_ends_the_parsing(void **state)
{
	struct parsed p = parse("--help|--bogus"), q = parse("-f|-h");

	(void)state;
	assert_int_equal(p.err, 0);
	assert_true(p.help);
	assert_true(q.help);
	release_parsed(&p);
	release_parsed(&q);
}

static void interfaces_are_as_many_as_are_named_each_once(void **state)
{
	static const struct opt table[] = {
		{ .name = "INTERFACE", .type = OPT_IFACES, .offset = 0, .help = "", .argument = true },
		{ 'v', "verbose", OPT_FLAG, .offset = sizeof(struct opt_ifaces), .help = "" },
		OPT_END
	};
	struct {
		struct opt_ifaces ifaces;
		bool verbose;
	} opts = { 0 };
	struct words w;
	struct opt_given *given = NULL;
	struct err e;
	char shown[64];
	bool help;

	(void)state;
	split(&w, "a|-v|b|c");
	assert_int_equal(opt_parse(table, w.argc, w.argv, &opts, &given, &help, &e), 0);
	free(given);
	assert_int_equal(opts.ifaces.nr, 3);
	assert_true(opts.verbose);
	assert_string_equal(opt_show(shown, sizeof(shown), &table[0], &opts), "a b c");
	release(&w);
	memset(&opts, 0, sizeof(opts));
	split(&w, "a|b|a");
	assert_int_equal(opt_parse(table, w.argc, w.argv, &opts, &given, &help, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "twice"));
	release(&w);
	memset(&opts, 0, sizeof(opts));
	split(&w, "a|b|c|d|e|f|g|h|i|j|k|l|m|n|o|p|q");
	assert_int_equal(opt_parse(table, w.argc, w.argv, &opts, &given, &help, &e), -EINVAL);
	release(&w);
	memset(&opts, 0, sizeof(opts));
	split(&w, "-v");
	assert_int_equal(opt_parse(table, w.argc, w.argv, &opts, &given, &help, &e), -EINVAL);
	release(&w);
}

static void the_rest_goes_to_another_command_untouched(void **state)
{
	static const struct opt with_rest[] = {
		{ .name = "NAMESPACE", .type = OPT_STR, .offset = 0, .help = "", .argument = true },
		{ .name = "COMMAND", .type = OPT_REST, .offset = 16, .help = "",
		  .argument = true },
		{ 'v', "verbose", OPT_FLAG, .offset = 8, .help = "" },
		OPT_END
	};
	struct {
		const char *ns;
		bool verbose;
		struct opt_rest rest __attribute__((aligned(16)));
	} opts = { 0 };
	struct words w;
	struct opt_given *given = NULL;
	struct err e;
	char shown[64];
	bool help;

	(void)state;
	split(&w, "-v|a|ip|-br|--help|--|x");
	assert_int_equal(opt_parse(with_rest, w.argc, w.argv, &opts, &given, &help, &e), 0);
	free(given);
	assert_false(help);
	assert_true(opts.verbose);
	assert_string_equal(opts.ns, "a");
	assert_int_equal(opts.rest.argc, 5);
	assert_ptr_equal(opts.rest.argv, w.argv + 2);
	assert_string_equal(opt_show(shown, sizeof(shown), &with_rest[1], &opts),
			    "ip -br --help -- x");
	assert_string_equal(opt_show(shown, 6, &with_rest[1], &opts), "ip -b");
	release(&w);

	split(&w, "a|--|-x");
	assert_int_equal(opt_parse(with_rest, w.argc, w.argv, &opts, &given, &help, &e), 0);
	free(given);
	assert_int_equal(opts.rest.argc, 1);
	assert_string_equal(opts.rest.argv[0], "-x");
	release(&w);

	/* What was given, for a shell. */
	split(&w, "-v|a b|--|{b}|{1,2}|udp(dport=7)|it's||-x");
	assert_int_equal(opt_parse(with_rest, w.argc, w.argv, &opts, &given, &help, &e), 0);
	assert_true(opt_show_given(shown, sizeof(shown), given, 3, &opts));
	assert_string_equal(shown, " 'a b' --verbose -- {b} '{1,2}' 'udp(dport=7)' 'it'\\''s' '' -x");
	assert_true(opt_show_given(shown, sizeof(shown), given, 1, &opts));
	assert_string_equal(shown, " 'a b'");
	assert_false(opt_show_given(shown, 7, given, 3, &opts));
	assert_string_equal(shown, " 'a b'");
	free(given);
	release(&w);

	split(&w, "a");
	assert_int_not_equal(opt_parse(with_rest, w.argc, w.argv, &opts, &given, &help, &e), 0);
	release(&w);
}

static void an_option_of_many_keeps_each_in_its_order(void **state)
{
	static const struct opt many[] = {
		{ 0, "rule", OPT_STRS, 0, "RULE", "a rule" },
		OPT_END
	};
	static char a[] = "--rule", b[] = "1%", c[] = "--rule=2%", empty[] = "--rule=";
	char *argv[2 + OPT_MAX_STRS] = { a, b }, shown[32];
	struct opt_strs strs = { 0 };
	struct opt_given *given = NULL;
	struct err e;
	bool help;
	int i;

	(void)state;
	for (i = 2; i < 2 + OPT_MAX_STRS; i++)
		argv[i] = c;
	assert_int_equal(opt_parse(many, 3, argv, &strs, &given, &help, &e), 0);
	assert_true(opt_show_given(shown, sizeof(shown), given, 1, &strs));
	assert_string_equal(shown, " --rule 1% --rule 2%");
	free(given);
	assert_int_equal(strs.nr, 2);
	assert_string_equal(strs.text[0], "1%");
	assert_string_equal(strs.text[1], "2%");
	assert_string_equal(opt_show(shown, sizeof(shown), many, &strs), "1% 2%");
	strs.nr = 0;
	assert_int_equal(opt_parse(many, 2 + OPT_MAX_STRS, argv, &strs, &given, &help, &e), -EINVAL);
	assert_non_null(strstr(e.msg, "at most 32"));
	argv[0] = empty;
	strs.nr = 0;
	assert_int_equal(opt_parse(many, 1, argv, &strs, &given, &help, &e), -EINVAL);
}

/* More than any word of bits could hold. */
static void a_table_has_no_limit(void **state)
{
	static char a[] = "--o063=5", b[] = "--o065", c[] = "6", d[] = "--o199=7", e1[] = "--o001=8";
	char *argv[] = { a, b, c, d, e1 }, names[200][8];
	static const size_t given_at[] = { 1, 63, 65, 199 };
	struct opt *large = calloc(201, sizeof(*large));
	uint32_t values[200] = { 0 };
	struct opt_given *given;
	struct err e;
	size_t i, k;
	bool help;

	(void)state;
	for (i = 0; i < 200; i++) {
		snprintf(names[i], sizeof(names[i]), "o%03zu", i);
		large[i] = (struct opt){ 0, names[i], OPT_U32, i * sizeof(values[0]), "N", "" };
	}
	assert_int_equal(opt_parse(large, 5, argv, values, &given, &help, &e), 0);
	assert_int_equal(values[63], 5);
	assert_int_equal(values[65], 6);
	assert_int_equal(values[199], 7);
	for (i = 0, k = 0; i < 200; i++) {
		bool is = k < 4 && given_at[k] == i;

		assert_int_equal(given->is[i], is);
		assert_int_equal(opt_was_given(given, names[i]), is);
		k += is;
	}
	free(given);
	free(large);
}

static void shown_values_read_back(void **state)
{
	struct parsed p = parse("eth0|-f|-p|7|-d|250ms|-r|1.5Mpps|--mac|02:00:00:00:00:01|"
				"--colour|red"), again;
	char buf[64], line[512] = "eth0";
	size_t i;

	(void)state;
	assert_int_equal(p.err, 0);
	for (i = 0; table[i].name; i++) {
		opt_show(buf, sizeof(buf), &table[i], &p.opts);
		if (table[i].argument || table[i].type == OPT_FLAG || !*buf ||
		    !opt_was_given(p.given, table[i].name))
			continue;
		snprintf(line + strlen(line), sizeof(line) - strlen(line), "|--%s=%s",
			 table[i].name, buf);
	}
	again = parse(line);
	assert_int_equal(again.err, 0);
	assert_int_equal(again.opts.port, 7);
	assert_int_equal(again.opts.duration_ns, 250000000);
	assert_true(again.opts.rate.value == 1.5e6);
	assert_memory_equal(again.opts.mac.addr, p.opts.mac.addr, 6);
	assert_int_equal(again.opts.colour, 0);
	release_parsed(&p);
	release_parsed(&again);
}

static void help_shows_groups_of_options_with_their_defaults(void **state)
{
	static const char names[] = "duration frame-bytes rate colour flag mac unknown";
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	opt_print_usage(out, table, NULL);
	fputc('\n', out);
	opt_print_group(out, "Arguments", NULL, table, &defaults, NULL);
	opt_print_group(out, "None", "frame dura ate", table, &defaults, NULL);
	opt_print_group(out, "Some", names, table, &defaults, NULL);
	opt_print_group(out, NULL, "port", table, &defaults, NULL);
	fclose(out);
	assert_string_equal(text,
			    " INTERFACE [DEST]\n"
			    "\n"
			    "Arguments:\n"
			    "  INTERFACE                where\n"
			    "  DEST                     whereto\n"
			    "\n"
			    "Some:\n"
			    "  -f, --flag               a flag\n"
			    "      --frame-bytes N      frame (default 64)\n"
			    "  -d, -t, --duration TIME  time (default 10s)\n"
			    "  -r, --rate RATE          rate (default max)\n"
			    "      --mac MAC            station\n"
			    "      --colour WHICH       colour: red, green (default green)\n"
			    "  -p, --port N             UDP port (default 9)\n");
	free(text);
}

static void long_help_is_wrapped_at_80_columns(void **state)
{
	static const struct opt longer[] = {
		{ 'x', "long", OPT_FLAG, .offset = 0,
		  .help = "one two three four five six seven eight nine ten eleven twelve thirteen "
			  "fourteen fifteen sixteen seventeen eighteen" },
		{ 0, "an-option-whose-name-fills", OPT_U16, .offset = 2, .metavar = "N",
		  .help = "text" },
		OPT_END
	};
	struct {
		bool flag;
		uint16_t number;
	} opts = { 0 };
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	opt_print_group(out, NULL, "long an-option-whose-name-fills", longer, &opts, NULL);
	fclose(out);
	assert_string_equal(text,
			    "  -x, --long               one two three four five six seven eight nine ten\n"
			    "                           eleven twelve thirteen fourteen fifteen sixteen\n"
			    "                           seventeen eighteen\n"
			    "      --an-option-whose-name-fills N\n"
			    "                           text (default 0)\n");
	free(text);
}

static void paragraphs_are_wrapped_and_indented_lines_are_not(void **state)
{
	char word[101], *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	(void)state;
	opt_print_text(out,
		       "One paragraph whose lines are joined and wrapped anew,\nwhatever their lengths are:\n"
		       "80 columns.\n\nAnother:\n  as it is\n  and  so\nThe end");
	memset(word, 'x', sizeof(word) - 1);
	word[sizeof(word) - 1] = '\0';
	opt_print_text(out, word);
	opt_print_text(out, "");
	fclose(out);
	assert_ptr_equal(strstr(text,
				"One paragraph whose lines are joined and wrapped anew, whatever their lengths\n"
				"are: 80 columns.\n"
				"\n"
				"Another:\n"
				"  as it is\n"
				"  and  so\n"
				"The end\n"
				"xxxxxxxxxx"), text);
	assert_int_equal(strcspn(strstr(text, "xx"), "\n"), 100);
	assert_string_equal(strstr(text, "x\n"), "x\n");
	free(text);
}

static void numbers_are_distinguished_from_texts(void **state)
{
	struct parsed p = parse("eth0|-c|5");
	uint64_t value = 77;
	size_t i;

	(void)state;
	for (i = 0; table[i].name; i++) {
		bool number = table[i].type == OPT_U16 || table[i].type == OPT_U32 ||
			      table[i].type == OPT_COUNT;

		assert_int_equal(opt_number(&table[i], &p.opts, &value), number);
		if (!strcmp(table[i].name, "count"))
			assert_int_equal(value, 5);
	}
	release_parsed(&p);
}

/* INTERFACE may be left out, except with --list; then DEST may. */
static void a_single_argument_is_the_one_behind_that_may_be_omitted(void **state)
{
	static const struct opt two[] = {
		{ .name = "INTERFACE", .type = OPT_IFACE, .offset = offsetof(struct all, iface),
		  .help = "where", .argument = true, .omitted_without = "list file" },
		{ .name = "DEST", .type = OPT_STR, .offset = offsetof(struct all, dest),
		  .help = "whereto", .argument = true, .optional = true },
		{ 0, "list", OPT_FLAG, offsetof(struct all, flag), NULL, "a flag" },
		{ 0, "file", OPT_STR, offsetof(struct all, file), "FILE", "file" },
		OPT_END
	}, needed[] = {
		{ .name = "INTERFACE", .type = OPT_IFACE, .offset = offsetof(struct all, iface),
		  .help = "where", .argument = true, .omitted_without = "" },
		{ .name = "DEST", .type = OPT_STR, .offset = offsetof(struct all, dest),
		  .help = "whereto", .argument = true },
		OPT_END
	};
	static const struct {
		const struct opt *table;
		const char *line, *iface, *dest, *error;
	} cases[] = {
		{ two, "2001:2::2", NULL, "2001:2::2", NULL },
		{ two, "eth0|2001:2::2", "eth0", "2001:2::2", NULL },
		{ two, "eth0|--list|2001:2::2", "eth0", "2001:2::2", NULL },
		{ two, "eth0|--list", "eth0", NULL, NULL },
		{ two, "--file|x|eth0", "eth0", NULL, NULL },
		{ two, "--list", NULL, NULL, NULL },
		{ two, "--list=no|host", NULL, "host", NULL },
		{ two, "--|-x", NULL, "-x", NULL },
		{ two, "", NULL, NULL, NULL },
		{ two, "2001:2::2|--list", NULL, NULL, "INTERFACE '2001:2::2' is not an interface name" },
		{ two, "a/b|host", NULL, NULL, "INTERFACE 'a/b' is not an interface name" },
		{ two, "a|b|c", NULL, NULL, "unexpected argument 'c'" },
		{ needed, "host", NULL, "host", NULL },
		{ needed, "eth0|host", "eth0", "host", NULL },
		{ needed, "", NULL, NULL, "DEST is missing" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct parsed p = { .opts = defaults };

		split(&p.words, cases[i].line);
		p.err = opt_parse(cases[i].table, p.words.argc, p.words.argv, &p.opts, &p.given, &p.help, &p.e);
		if (!p.err != !cases[i].error)
			fail_msg("'%s': %s", cases[i].line, p.err ? p.e.msg : "was taken");
		if (cases[i].error)
			assert_non_null(strstr(p.e.msg, cases[i].error));
		else if ((cases[i].iface ? !p.opts.iface || strcmp(p.opts.iface, cases[i].iface) : !!p.opts.iface) ||
			 (cases[i].dest ? !p.opts.dest || strcmp(p.opts.dest, cases[i].dest) : !!p.opts.dest))
			fail_msg("'%s': '%s' and '%s'", cases[i].line, p.opts.iface, p.opts.dest);
		release_parsed(&p);
	}
}

static void groups_are_in_their_place_and_at_their_offset(void **state)
{
	struct inner {
		uint16_t port;
		bool flag;
	};
	struct outer {
		uint64_t count;
		struct inner first;
	};
	struct verb {
		const char *dest;
		struct outer outer;
		struct inner second;
	} opts = { 0 };
	static const struct opt inner[] = {
		{ 'p', "port", OPT_U16, offsetof(struct inner, port), "N", "port" },
		{ 0, "flag", OPT_FLAG, offsetof(struct inner, flag), NULL, "flag" },
		OPT_END
	};
	static const struct opt outer[] = {
		{ 'c', "count", OPT_COUNT, offsetof(struct outer, count), "N", "count" },
		OPT_GROUP_AT(offsetof(struct outer, first), inner),
		OPT_END
	};
	static const struct opt verb[] = {
		OPT_GROUP_AT(offsetof(struct verb, outer), outer),
		{ 0, "DEST", OPT_STR, offsetof(struct verb, dest), NULL, "dest", .argument = true },
		OPT_END
	};
	static const char *const names[] = { "count", "port", "flag", "DEST" };
	char *argv[] = { "host", "-p", "7", "--flag", "-c", "5" };
	struct opt *flat = opt_flatten(verb);
	struct opt_given *given;
	struct err e = { 0 };
	bool help;
	size_t i;

	(void)state;
	for (i = 0; i < ARRAY_SIZE(names); i++)
		assert_string_equal(flat[i].name, names[i]);
	assert_null(flat[i].name);
	assert_int_equal(opt_parse(flat, 6, argv, &opts, &given, &help, &e), 0);
	assert_string_equal(opts.dest, "host");
	assert_int_equal(opts.outer.count, 5);
	assert_int_equal(opts.outer.first.port, 7);
	assert_true(opts.outer.first.flag);
	assert_int_equal(opts.second.port + opts.second.flag, 0);
	free(given);
	free(flat);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_type_is_read),
		cmocka_unit_test(what_is_not_given_keeps_its_default),
		cmocka_unit_test(given_options_are_known_even_at_their_default),
		cmocka_unit_test(values_may_be_attached),
		cmocka_unit_test(the_last_of_two_counts),
		cmocka_unit_test(an_option_may_have_the_letter_of_other_tools_too),
		cmocka_unit_test(behind_two_dashes_all_are_arguments),
		cmocka_unit_test(bounds_are_kept),
		cmocka_unit_test(what_is_no_value_is_refused),
		cmocka_unit_test(names_of_interfaces_are_checked),
		cmocka_unit_test(missing_and_surplus_arguments_are_reported),
		cmocka_unit_test(unknown_options_are_reported),
		cmocka_unit_test(a_flag_may_be_given_as_yes_or_no),
		cmocka_unit_test(help_ends_the_parsing),
		cmocka_unit_test(interfaces_are_as_many_as_are_named_each_once),
		cmocka_unit_test(the_rest_goes_to_another_command_untouched),
		cmocka_unit_test(an_option_of_many_keeps_each_in_its_order),
		cmocka_unit_test(a_table_has_no_limit),
		cmocka_unit_test(shown_values_read_back),
		cmocka_unit_test(help_shows_groups_of_options_with_their_defaults),
		cmocka_unit_test(long_help_is_wrapped_at_80_columns),
		cmocka_unit_test(paragraphs_are_wrapped_and_indented_lines_are_not),
		cmocka_unit_test(numbers_are_distinguished_from_texts),
		cmocka_unit_test(groups_are_in_their_place_and_at_their_offset),
		cmocka_unit_test(a_single_argument_is_the_one_behind_that_may_be_omitted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
