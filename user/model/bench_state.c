// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * model/bench_state.c - the fields of a trial: read, written and entered.
 */
#include "model/bench_state.h"

#include <inttypes.h>
#include <string.h>

#include "lib/array.h"

#define HEAD "ethgauge-bench 3\n"

/* A trial's fields: in the state file, in this order, and in the document. */
enum trial_type { TRIAL_WORD, TRIAL_BOOL, TRIAL_U32, TRIAL_U64, TRIAL_REAL };

static const struct trial_field {
	const char *key;
	enum trial_type type;
	size_t offset;
} trial_fields[] = {
#define FIELD(key, type, field) { key, type, offsetof(struct bench_trial, field) }
#define DELAY(id, share, word, ...) FIELD("delay_" word "_ns", TRIAL_REAL, delay.ns[DIST_##id]),
	FIELD("kind", TRIAL_WORD, kind),
	FIELD("frame_bytes", TRIAL_U32, frame_bytes),
	FIELD("offered_pps", TRIAL_REAL, pps),
	FIELD("trial_ns", TRIAL_U64, trial_ns),
	FIELD("count", TRIAL_U64, count),
	FIELD("sent_pps", TRIAL_REAL, sent_pps),
	FIELD("irregular", TRIAL_BOOL, irregular),
	FIELD("unsteady", TRIAL_BOOL, unsteady),
	FIELD("pacing_late_max_ns", TRIAL_REAL, late_max_ns),
	FIELD("sent_packets", TRIAL_U64, sent),
	FIELD("lost_packets", TRIAL_U64, lost),
	FIELD("event_ns", TRIAL_REAL, event_ns),
	DIST_STATS(DELAY)
	FIELD("pdv_p99_9_ns", TRIAL_REAL, pdv.ns[DIST_P99_9]),
#undef DELAY
#undef FIELD
};

#define NR_TRIAL_FIELDS ARRAY_SIZE(trial_fields)

/* The second line of the file lists the fields: a different list means another version. */
static void name_fields(char *buf, size_t size)
{
	size_t used = 0, i;

	for (i = 0; i < NR_TRIAL_FIELDS && used < size; i++)
		used += (size_t)snprintf(buf + used, size - used, "%s%s", i ? " " : "", trial_fields[i].key);
	if (used < size)
		snprintf(buf + used, size - used, "\n");
}

static bool read_field(FILE *file, enum trial_type type, void *at)
{
	int number;

	switch (type) {
	case TRIAL_WORD:
		return fscanf(file, " %15[!-~]", (char *)at) == 1;
	case TRIAL_BOOL:
		if (fscanf(file, "%d", &number) != 1)
			return false;
		*(bool *)at = number;
		return true;
	case TRIAL_U32:
		return fscanf(file, "%" SCNu32, (uint32_t *)at) == 1;
	case TRIAL_U64:
		return fscanf(file, "%" SCNu64, (uint64_t *)at) == 1;
	default:
		return fscanf(file, "%la", (double *)at) == 1;
	}
}

bool bench_state_next(FILE *file, struct bench_trial *ret_trial)
{
	size_t i;

	memset(ret_trial, 0, sizeof(*ret_trial));
	for (i = 0; i < NR_TRIAL_FIELDS; i++) {
		if (!read_field(file, trial_fields[i].type, (char *)ret_trial + trial_fields[i].offset))
			return false;
	}
	/* A cut last field may still be a number: the line is whole if its end is there. */
	return fgetc(file) == '\n';
}

/* Exact, so that the search repeats its decisions. */
static void write_field(FILE *file, enum trial_type type, const void *at)
{
	switch (type) {
	case TRIAL_WORD:
		fputs(at, file);
		break;
	case TRIAL_BOOL:
		fprintf(file, "%d", *(const bool *)at);
		break;
	case TRIAL_U32:
		fprintf(file, "%" PRIu32, *(const uint32_t *)at);
		break;
	case TRIAL_U64:
		fprintf(file, "%" PRIu64, *(const uint64_t *)at);
		break;
	case TRIAL_REAL:
		fprintf(file, "%a", *(const double *)at);
		break;
	}
}

static void write_trial(FILE *file, const struct bench_trial *trial)
{
	size_t i;

	for (i = 0; i < NR_TRIAL_FIELDS; i++) {
		write_field(file, trial_fields[i].type, (const char *)trial + trial_fields[i].offset);
		fputc(i + 1 < NR_TRIAL_FIELDS ? ' ' : '\n', file);
	}
}

static void enter_field(struct result *res, const struct trial_field *field, const void *at)
{
	switch (field->type) {
	case TRIAL_WORD:
		result_entry_str(res, field->key, at);
		break;
	case TRIAL_BOOL:
		result_entry_u64(res, field->key, *(const bool *)at);
		break;
	case TRIAL_U32:
		result_entry_u64(res, field->key, *(const uint32_t *)at);
		break;
	case TRIAL_U64:
		result_entry_u64(res, field->key, *(const uint64_t *)at);
		break;
	case TRIAL_REAL:
		result_entry_real(res, field->key, *(const double *)at);
		break;
	}
}

void bench_state_enter(struct result *res, const struct bench_trial *trial)
{
	size_t i;

	result_entry_open(res);
	for (i = 0; i < NR_TRIAL_FIELDS; i++)
		enter_field(res, &trial_fields[i], (const char *)trial + trial_fields[i].offset);
	result_entry_close_self(res, "trials");
}

int bench_state_check(FILE *file, const char *path, const char *words, struct err *e)
{
	char head[sizeof(HEAD)], fields[1024], line[4096];

	name_fields(fields, sizeof(fields));
	if (!fgets(head, sizeof(head), file) || strcmp(head, HEAD) || !fgets(line, sizeof(line), file))
		return err_usage(e, "'%s' is not a bench state file", path);
	if (strcmp(line, fields)) {
		err_usage(e, "'%s' was written by another version of ethgauge", path);
		return err_hint(e, "give another " OPTION("state") " FILE");
	}
	if (!fgets(line, sizeof(line), file))
		return err_usage(e, "'%s' is not a bench state file", path);
	line[strcspn(line, "\n")] = '\0';
	if (strcmp(line, words)) {
		err_usage(e, "'%s' was written with different options", path);
		return err_hint(e, "use the same options, or another " OPTION("state") " FILE");
	}
	return 0;
}

void bench_state_write(FILE *file, const char *words, const struct bench_trial *trials, size_t nr)
{
	char fields[1024];
	size_t i;

	name_fields(fields, sizeof(fields));
	fprintf(file, HEAD "%s%s\n", fields, words);
	for (i = 0; i < nr; i++)
		write_trial(file, &trials[i]);
}
