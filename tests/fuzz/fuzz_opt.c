// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Words separated by newlines against a table with every type of option. What
 * was taken keeps its bounds; what was refused says why.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/opt.h"

#define MAX_WORDS 16
#define must(condition) do { if (!(condition)) abort(); } while (0)

static const char *const choices[] = { "auto", "native", "generic", NULL };

struct all {
	bool flag;
	uint16_t port;
	uint32_t bytes;
	uint64_t count, duration_ns;
	struct unit_rate rate;
	const char *file, *iface;
	struct opt_mac mac;
	int choice;
	struct opt_rest rest;
};

static const struct opt table[] = {
	{ .name = "INTERFACE", .type = OPT_IFACE, .offset = offsetof(struct all, iface),
	  .help = "", .argument = true },
	{ .name = "REST", .type = OPT_REST, .offset = offsetof(struct all, rest), .help = "",
	  .argument = true, .optional = true },
	{ 'f', "flag", OPT_FLAG, offsetof(struct all, flag), NULL, "" },
	{ 'p', "port", OPT_U16, offsetof(struct all, port), "N", "", .min = 1 },
	{ 'b', "bytes", OPT_U32, offsetof(struct all, bytes), "N", "", .min = 64, .max = 9216 },
	{ 'c', "count", OPT_COUNT, offsetof(struct all, count), "N", "" },
	{ 'd', "duration", OPT_DURATION, offsetof(struct all, duration_ns), "TIME", "",
	  .min = 1000, .max = 1000000000 },
	{ 'r', "rate", OPT_RATE, offsetof(struct all, rate), "RATE", "" },
	{ 0, "file", OPT_STR, offsetof(struct all, file), "FILE", "" },
	{ 0, "mac", OPT_MAC, offsetof(struct all, mac), "MAC", "" },
	{ 0, "mode", OPT_CHOICE, offsetof(struct all, choice), "MODE", "", .choices = choices },
	OPT_END
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct all opts = { .port = 9, .bytes = 64, .duration_ns = 1000 };
	char *text = malloc(size + 1), *rest = text, *word, *argv[MAX_WORDS], shown[64];
	struct opt_given *given = NULL;
	struct err e = { 0 };
	bool help;
	int argc = 0, i;

	must(text);
	memcpy(text, data, size);
	text[size] = '\0';
	/* A copy each, so that the sanitizer sees a read past the end of a word. */
	while (argc < MAX_WORDS && (word = strsep(&rest, "\n")))
		must((argv[argc++] = strdup(word)));

	if (opt_parse(table, argc, argv, &opts, &given, &help, &e)) {
		must(e.no < 0 && e.kind == ERR_USAGE && e.msg[0]);
	} else if (!help) {
		must(opts.iface && strlen(opts.iface) <= 15);
		must(opts.port >= 1 && opts.bytes >= 64 && opts.bytes <= 9216);
		must(opts.duration_ns >= 1000 && opts.duration_ns <= 1000000000);
		must(opts.choice >= 0 && opts.choice <= 2);
		for (i = 0; table[i].name; i++)
			must(strlen(opt_show(shown, sizeof(shown), &table[i], &opts)) <
			     sizeof(shown));
	}
	while (argc)
		free(argv[--argc]);
	free(given);
	free(text);
	return 0;
}
