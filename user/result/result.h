/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * result/result.h - the result of a command, before any output.
 *
 * A command fills one result; text, JSON and every other output are walks
 * over it, and no command prints. A result may hold parts of the same shape
 * ("probe" in a demo, "stream 3" in a sink). Running out of memory is found
 * when the result is shown, so the setters return nothing.
 */
#ifndef RESULT_RESULT_H
#define RESULT_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"

#define RESULT_FORMAT 1		/* increased when a key changes its meaning or place */

struct result;

/* Notifies the output of a running command: a new series row of a part, or readiness. */
struct result_watcher {
	void (*on_row)(void *ctx, const struct result *part);
	void *ctx;
};

struct result *result_new(const char *command);
void result_free(struct result *res);
void result_watch(struct result *res, const struct result_watcher *watcher);

/* Kinds of parts, for outputs: a part's name is for display only. */
enum part_kind {
	PART_OTHER,
	PART_LEDGER,		/* the fate of each packet */
	PART_ASIDE,		/* details: of a first trial, a search; a table that is not the main one */
	PART_GOAL,		/* of a suite: a frame size and a goal; label "goal" */
	PART_INTERFACE,		/* one direction of a watched interface; labels "iface" and "direction" */
	PART_FLOWS,		/* flows of an interface; label "iface" */
	PART_TRIPS,		/* round trips by one method; labels "iface", "kind" and "end" */
	PART_PREFIX,		/* round trips to a prefix; label "iface" */
	PART_SETTINGS,		/* an entry each, with a "state"; "change" is to be changed */
	PART_KINDS,
};

/* A part inside @res, owned by it. The same name gives the same part. */
struct result *result_part(struct result *res, enum part_kind kind, const char *name);

/* Labels that identify the part. */
void result_label(struct result *part, const char *key, const char *value);

/* Effective options, and the user's arguments. */
void result_config_str(struct result *res, const char *key, const char *value);
void result_config_u64(struct result *res, const char *key, uint64_t value);
void result_config_none(struct result *res, const char *key);	/* does not apply here: null */
void result_command_line(struct result *res, const char *text);
void result_supplied(struct result *res, const char *key, const char *value);

/* Conditions: kernel, driver, XDP mode, engine, clock, where timestamps are taken. */
void result_env_str(struct result *res, const char *key, const char *value);
void result_env_u64(struct result *res, const char *key, uint64_t value);

/* A figure; @key must be in the dictionary (result/metrics.c). */
void result_metric_u64(struct result *res, const char *key, uint64_t value);
void result_metric_real(struct result *res, const char *key, double value);

/* Measurement overhead; the same dictionary. */
void result_self_u64(struct result *res, const char *key, uint64_t value);
void result_self_bool(struct result *res, const char *key, bool value);
void result_self_real(struct result *res, const char *key, double value);
void result_self_str(struct result *res, const char *key, const char *value);

/* A row of the time series, @elapsed_ns after the start; row values go into the open row. */
void result_row_open(struct result *res, uint64_t elapsed_ns);
void result_row_u64(struct result *res, const char *key, uint64_t value);
void result_row_s64(struct result *res, const char *key, int64_t value);	/* may be below 0 */
void result_row_real(struct result *res, const char *key, double value);
void result_row_close(struct result *res);	/* notifies the watcher */
void result_row_close_quietly(struct result *res);	/* for the document only */

/*
 * A run may go on for days: only the newest few hundred rows of a series stay in memory. Older ones go to an
 * unnamed file in the directory of @beside (NULL: where temporary files are), from which json_document()
 * adds them. Without this call they are dropped, which is enough where no document is written.
 */
void result_keep_older(struct result *res, const char *beside);

/* The document has only the newest @rows of this series. */
void result_keep_rows(struct result *res, size_t rows);

/* The same for a table of streams, which text output omits. */
void result_stream_open(struct result *res, uint32_t stream);
void result_stream_close(struct result *res);

/*
 * One histogram, as [low, count] of every bucket that is not empty. Its unit is the
 * last word of @key: "rtt_ns", "reordered_extent_packets".
 */
void result_hist_open(struct result *res, const char *key, uint64_t negative, uint64_t above);
void result_hist_bucket(struct result *res, const char *key, uint64_t low_ns, uint64_t count);

/*
 * A row of doctor's table, under the title @group. @state is "present",
 * "absent" or "unknown"; @without is the impact of its absence, @remedy what
 * fixes it: @is_command: a command. All but @name may be NULL.
 */
void result_feature(struct result *res, const char *group, const char *name, const char *state,
		    const char *detail, const char *without, const char *remedy, bool is_command);

/*
 * An entry of a list (a lab's interfaces): in text a table whose columns are the
 * keys of the first entry. Values go into the open entry.
 */
void result_entry_open(struct result *res);
/* @key must be in the dictionary of columns (result/columns.c). */
void result_entry_str(struct result *res, const char *key, const char *value);
void result_entry_u64(struct result *res, const char *key, uint64_t value);
void result_entry_real(struct result *res, const char *key, double value);	/* not finite: null */
/* A column named like an option of the tool, with the given value. */
void result_entry_option(struct result *res, const char *name, const char *value);
void result_entry_close(struct result *res);

/* Move the open entry to the list @name of self, which is not shown in text. */
void result_entry_close_self(struct result *res, const char *name);
/* Drop the entries before they are set anew; a figure set again replaces the old one anyway. */
void result_forget_entries(struct result *res);

/* A criterion and whether it passed; a failed one sets the exit code to 1. */
void result_verdict(struct result *res, bool pass, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Total loss is no success, as with ping(8): a failed criterion if of @sent none @came. @what: "probes
 * were answered".
 */
void result_came(struct result *res, uint64_t sent, uint64_t came, const char *what);

/*
 * The criterion that there are some, and none of them is bad: "3 of 100 packets lost"; @if_0, such as
 * "no packets arrived": there is nothing that could be good.
 */
void result_none(struct result *res, uint64_t bad, uint64_t of, const char *what, const char *if_0);

/* A note that is required to interpret the figures. */
void result_note(struct result *res, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* A line of plain output that is the result itself (lab's addresses, a feature's state). */
void result_line(struct result *res, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

void result_error(struct result *res, const struct err *e);

/* True if every verdict passed, in the parts too. */
bool result_passed(const struct result *res);

#endif
