// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whatever text comes as a step, a pause, addresses or a URL of a load: it is taken, and the plan
 * made of it stays within it, or it is refused and the output is left alone.
 */
#include <arpa/inet.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/load_plan.h"

#define CLIENTS 50
#define must(condition) do { if (!(condition)) abort(); } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_step(const char *text)
{
	struct load_step step = { 7, 7 };
	struct unit_rate rate;
	uint64_t i;
	double got;

	if (load_parse_step(text, &step)) {
		must(step.nr == 7 && step.every_ns == 7);
	} else {
		must(step.nr && step.every_ns);
		for (i = 1; i < CLIENTS; i++)
			must(load_ramp_ns(&step, i) >= load_ramp_ns(&step, i - 1) &&
			     load_due_ns(&step, i) >= load_due_ns(&step, i - 1));
	}
	/* Less than one event in 300 years has no step. */
	if (unit_parse_rate(text, &rate) || rate.kind != UNIT_RATE_PPS || rate.value < 1e-10)
		return;
	step = load_step_of(&rate);
	must(step.nr && step.every_ns);
	got = (double)step.nr * 1e9 / (double)step.every_ns;
	must(fabs(got - rate.value) <= rate.value * 1e-6);
}

static void check_range(const char *text)
{
	struct load_range range = { 7, 7 };
	uint64_t state = load_seed(1, 2), picked, i;

	if (load_parse_range(text, &range)) {
		must(range.min_ns == 7 && range.max_ns == 7);
		return;
	}
	for (i = 0; i < CLIENTS; i++) {
		picked = load_pick_ns(&range, &state);
		must(picked >= range.min_ns && picked <= range.max_ns);
	}
}

/* Client after client has the next address, up to the last. */
static void check_sources(const char *text)
{
	struct load_sources sources = { .family = 7 };
	char shown[INET6_ADDRSTRLEN], first[INET6_ADDRSTRLEN];
	uint8_t before[16], now[16];
	struct err e = { 0 };
	size_t len;
	uint64_t i;

	if (load_parse_sources("--sources", text, &sources, &e)) {
		must(sources.family == 7 && e.no && e.msg[0]);
		return;
	}
	must(sources.family == AF_INET || sources.family == AF_INET6);
	must(sources.nr && sources.nr <= 1ull << 32);
	len = sources.family == AF_INET ? 4 : 16;
	load_source(&sources, 0, first, sizeof(first));
	must(inet_pton(sources.family, first, before) == 1 && !memcmp(before, sources.first, len));
	for (i = 1; i < CLIENTS && i < sources.nr; i++) {
		load_source(&sources, i, shown, sizeof(shown));
		must(inet_pton(sources.family, shown, now) == 1 && memcmp(now, before, len) > 0);
		memcpy(before, now, len);
	}
	load_source(&sources, sources.nr - 1, shown, sizeof(shown));
	must(inet_pton(sources.family, shown, now) == 1 && memcmp(now, sources.first, len) >= 0);
	load_source(&sources, sources.nr, shown, sizeof(shown));
	must(!strcmp(shown, first));
}

/* A buffer one byte too short is refused, and one that suffices has it all. */
static void check_url(const char *text)
{
	size_t size = strlen(text) * 4 + 1, need;
	char *wide = malloc(size), *exact;

	must(wide && !load_expand(wide, size, text, UINT64_MAX, 0));
	must(strstr(text, "{client}") || strstr(text, "{cycle}") || !strcmp(wide, text));
	need = strlen(wide);
	exact = malloc(need + 1);
	must(exact && !load_expand(exact, need + 1, text, UINT64_MAX, 0) && !strcmp(exact, wide));
	must(load_expand(exact, need, text, UINT64_MAX, 0));
	free(exact);
	free(wide);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	must(text);
	memcpy(text, data, size);
	text[size] = '\0';
	check_step(text);
	check_range(text);
	check_sources(text);
	check_url(text);
	free(text);
	return 0;
}
