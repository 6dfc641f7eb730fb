// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * model/sweep.c - all combinations of parameters, and the results so far.
 */
#include "model/sweep.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define HEAD "ethgauge-sweep 3\n"

int sweep_vary(struct sweep *sweep, const char *text, struct err *e)
{
	struct sweep_varied *varied = &sweep->varied[sweep->nr_varied];
	const char *name = strncmp(text, "--", 2) ? text : text + 2, *equals = strchr(name, '=');
	size_t len = equals ? (size_t)(equals - name) : 0;
	char *rest, *value;
	size_t i;

	if (!len || len >= sizeof(varied->name) || !equals[1])
		return err_usage(e, OPTION("vary") " '%s' is not of the form NAME=VALUE,VALUE",
				text);
	if (sweep->nr_varied == SWEEP_MAX_VARIED)
		return err_usage(e, "more than %d parameters to vary", SWEEP_MAX_VARIED);
	snprintf(varied->name, sizeof(varied->name), "%.*s", (int)len, name);
	if (sweep_value_of(sweep, 0, varied->name))
		return err_usage(e, "'%s' is varied twice", varied->name);
	varied->item = name == text ? tune_find(name, len) : NULL;
	varied->text = strdup(equals + 1);
	if (!varied->text)
		return err_set(e, -ENOMEM, "cannot set up '%s'", varied->name);
	/* Counted from here on, so that its memory is freed. */
	sweep->nr_varied++;
	for (rest = varied->text; (value = strsep(&rest, ",")); ) {
		for (i = 0; i < varied->nr; i++) {
			if (!strcmp(varied->values[i], value))
				return err_usage(e, "'%s' of '%s' is given twice", value, varied->name);
		}
		if (!*value || varied->nr == SWEEP_MAX_VALUES)
			return err_usage(e, "'%s' has %s", varied->name,
					 *value ? "too many values" : "an empty value");
		varied->values[varied->nr++] = value;
	}
	return 0;
}

int sweep_finish(struct sweep *sweep, size_t repeats, struct err *e)
{
	size_t i;

	sweep->nr_cells = 1;
	for (i = 0; i < sweep->nr_varied; i++) {
		sweep->nr_cells *= sweep->varied[i].nr;
		if (sweep->nr_cells * repeats > SWEEP_MAX_RUNS)
			return err_usage(e, "more than %d runs", SWEEP_MAX_RUNS);
	}
	sweep->nr_runs = sweep->nr_cells * repeats;
	return 0;
}

void sweep_release(struct sweep *sweep)
{
	size_t i;

	for (i = 0; i < sweep->nr_varied; i++)
		free(sweep->varied[i].text);
}

const char *sweep_value(const struct sweep *sweep, size_t cell, size_t i)
{
	size_t k;

	for (k = sweep->nr_varied - 1; k > i; k--)
		cell /= sweep->varied[k].nr;
	return sweep->varied[i].values[cell % sweep->varied[i].nr];
}

const char *sweep_value_of(const struct sweep *sweep, size_t cell, const char *name)
{
	size_t i;

	for (i = 0; i < sweep->nr_varied; i++) {
		if (!strcmp(sweep->varied[i].name, name))
			return sweep_value(sweep, cell, i);
	}
	return NULL;
}

void sweep_settings(const struct sweep *sweep, size_t cell, char *ret_list, size_t size)
{
	size_t used = 0, i;

	ret_list[0] = '\0';
	for (i = 0; i < sweep->nr_varied; i++) {
		if (sweep->varied[i].item && used < size)
			used += (size_t)snprintf(ret_list + used, size - used, "%s%s=%s", used ? "," : "",
						 sweep->varied[i].name, sweep_value(sweep, cell, i));
	}
}

/* True if the parameter's {NAME} is at @text. */
static bool is_place(const struct sweep_varied *varied, const char *text)
{
	size_t len = strlen(varied->name);

	return text[0] == '{' && !strncmp(text + 1, varied->name, len) && text[len + 1] == '}';
}

static bool has_place(const struct sweep_varied *varied, char *const *words, int nr)
{
	const char *at;
	int k;

	for (k = 0; k < nr; k++) {
		for (at = words[k]; (at = strchr(at, '{')); at++) {
			if (is_place(varied, at))
				return true;
		}
	}
	return false;
}

/* @word with each {NAME} replaced by the parameter's value; NULL: no memory. */
static char *fill_in(const struct sweep *sweep, size_t cell, const char *word)
{
	char *filled = NULL;
	size_t size, i;
	FILE *out = open_memstream(&filled, &size);

	if (!out)
		return NULL;
	for (; *word; word++) {
		for (i = 0; i < sweep->nr_varied && !is_place(&sweep->varied[i], word); i++)
			;
		if (i == sweep->nr_varied) {
			fputc(*word, out);
			continue;
		}
		fputs(sweep_value(sweep, cell, i), out);
		word += strlen(sweep->varied[i].name) + 1;
	}
	return fclose(out) ? NULL : filled;
}

char **sweep_run_words(const struct sweep *sweep, size_t cell, char *const *words, int nr)
{
	size_t max = (size_t)nr + SWEEP_MAX_VARIED + 4, n = 0, i;
	char **run = calloc(max, sizeof(*run));
	int k;

	if (!run)
		return NULL;
	run[n++] = strdup("/proc/self/exe");
	run[n++] = fill_in(sweep, cell, words[0]);
	/* Before the others, as they may end in a command. */
	run[n++] = strdup("--json");
	run[n++] = strdup("-q");
	for (i = 0; i < sweep->nr_varied; i++) {
		const struct sweep_varied *varied = &sweep->varied[i];

		if (!varied->item && !has_place(varied, words, nr) &&
		    asprintf(&run[n++], "--%s=%s", varied->name, sweep_value(sweep, cell, i)) < 0)
			run[n - 1] = NULL;
	}
	for (k = 1; k < nr; k++)
		run[n++] = fill_in(sweep, cell, words[k]);
	for (i = 0; i < n && run[i]; i++)
		;
	if (i == n)
		return run;
	while (n--)
		free(run[n]);
	free(run);
	return NULL;
}

void sweep_run_words_free(char **words)
{
	char **word;

	for (word = words; word && *word; word++)
		free(*word);
	free(words);
}

/* Reads the runs after the header; removes an incomplete last line from the file. */
static int read_runs(FILE *file, size_t nr_runs, struct outcome_run *ret_runs, size_t *ret_done)
{
	long good = ftell(file);
	struct outcome_run *run = ret_runs;
	int both_ways, half_duplex, end;
	char line[96];
	size_t done = 0;

	while (done < nr_runs && fgets(line, sizeof(line), file)) {
		if (!strchr(line, '\n')) {
			/* Only the last line may be incomplete. */
			if (feof(file))
				break;
			return -EBADMSG;
		}
		if (sscanf(line, "%lf %" SCNu32 " %" SCNu32 " %d %d%n", &run->value, &run->mtu,
			   &run->mss_bytes, &both_ways, &half_duplex, &end) != 5 || line[end] != '\n')
			return -EBADMSG;
		run->both_ways = both_ways;
		run++->half_duplex = half_duplex;
		done++;
		good = ftell(file);
	}
	if (fseek(file, good, SEEK_SET) || ftruncate(fileno(file), good))
		return -errno;
	*ret_done = done;
	return 0;
}

int sweep_file_open(const char *path, const char *words, size_t nr_runs, FILE **ret_file,
		    struct outcome_run *ret_runs, size_t *ret_done, struct err *e)
{
	size_t want = strlen(HEAD) + strlen(words) + 1, got;
	char *head = malloc(want + 1), *now = calloc(1, want + 1);
	FILE *file = fopen(path, "a+e");
	int err = 0;

	if (!head || !now || !file) {
		err = err_set(e, errno ? -errno : -ENOMEM, "cannot write '%s'", path);
		goto out;
	}
	/* The kernel releases the lock however the process ends. */
	if (flock(fileno(file), LOCK_EX | LOCK_NB)) {
		err = err_set(e, -errno, "another sweep is using '%s'", path);
		err_hint(e, "wait for its end, or use another " OPTION("state"));
		goto out;
	}
	snprintf(head, want + 1, "%s%s\n", HEAD, words);
	rewind(file);
	got = fread(now, 1, want, file);
	*ret_done = 0;
	if (got < want && !memcmp(now, head, got)) {
		/* New, or its writer was killed during the header. */
		if (ftruncate(fileno(file), 0) || fputs(head, file) < 0 || fflush(file))
			err = err_set(e, -errno, "cannot write '%s'", path);
	} else if (memcmp(now, head, want)) {
		err_usage(e, "'%s' is not a state file of this sweep", path);
		err = err_hint(e, "use another " OPTION("state") ", or remove it");
	} else {
		err = read_runs(file, nr_runs, ret_runs, ret_done);
		if (err)
			err_set(e, err, "cannot parse '%s'", path);
	}
	if (!err)
		*ret_file = file;
out:
	if (err && file)
		fclose(file);
	free(head);
	free(now);
	return err;
}

int sweep_file_add(FILE *file, const struct outcome_run *run)
{
	if (fprintf(file, "%.17g %" PRIu32 " %" PRIu32 " %d %d\n", run->value, run->mtu, run->mss_bytes,
		    run->both_ways, run->half_duplex) < 0 || fflush(file) || fsync(fileno(file)))
		return errno ? -errno : -EIO;
	return 0;
}
