// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/receive/far_sink.c - a receiver on another host.
 */
#include "engine/receive/far_sink.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "abi/tag.h"
#include "engine/receive/rx_counts.h"
#include "lib/lines.h"
#include "lib/log.h"
#include "lib/loop.h"
#include "model/settle.h"
#include "sys/host/child.h"
#include "sys/host/clock.h"

#define INTERVAL_NS	100000000ull
#define READY_NS	(30 * NSEC_PER_SEC)	/* time to log in and start it */
#define SILENT_NS	(20 * NSEC_PER_SEC)	/* longest time for its reports of late packets */
#define END_NS		(10 * NSEC_PER_SEC)	/* time to write its result */
#define LEAVE_NS	(2 * NSEC_PER_SEC)	/* time to detach before it is killed */
#define POLL_NS		5000000ull
#define LINE_MAX_BYTES	(16u << 20)
#define SAID_MAX_BYTES	510u	/* a longer line of its stderr is shown in parts */
#define RELAYS_MAX	128	/* pieces of its stderr at once */

struct far_sink {
	struct receiver receiver;
	struct far_sink_cfg cfg;
	struct child child;
	bool timed, ending;
	uint32_t streams;
	struct lines wrote, said;	/* to its stdout and stderr */
	char *result;			/* the last line of its stdout; NULL: not there yet */
	/* By its own clock since its start, and by ours when it was ready. */
	uint64_t elapsed_ns;
	uint64_t ready_elapsed_ns, ready_mono_ns;
	uint64_t packets;
	struct settle_seen seen;
};

static struct far_sink *far_of(struct receiver *receiver)
{
	return (struct far_sink *)receiver;
}

int far_sink_check(const char *ifname, struct err *e)
{
	size_t len = strlen(ifname);

	if (len && len < 16 && *ifname != '-' &&
	    strspn(ifname, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._:-") == len)
		return 0;
	err_usage(e, "'%s' is not an interface of the host that " OPTION("receiver") " reaches",
			ifname);
	return err_hint(e, "specify a network namespace there in the command: "
			OPTION("receiver") " \"ssh HOST ip netns exec NAME ethgauge\"");
}

/* Sanitises untrusted output before printing it. */
static void show_words(const char *line, char *ret_text, size_t size)
{
	size_t i;

	for (i = 0; i + 1 < size && line[i]; i++)
		ret_text[i] = line[i] >= ' ' && line[i] <= '~' ? line[i] : '?';
	ret_text[i] = '\0';
}

static int fail_by_words(const struct far_sink *far, const char *line, struct err *e)
{
	char shown[80];
	/* Returns its own error, if it printed one. */
	struct result *none = result_new("sink");
	struct outcome outcome;
	int err = far->cfg.take(line, false, none, &outcome, e);

	result_free(none);
	if (err == -EBADMSG) {
		show_words(line, shown, sizeof(shown));
		err_set(e, err, "'%s' did not write a result: '%s'", far->cfg.command, shown);
		err_hint(e, "it must run ethgauge on the other host and write nothing else to "
			 "stdout; try: %s --version", far->cfg.command);
	} else if (!err) {
		err = err_set(e, -EPIPE, "'%s' ended before the trial", far->cfg.command);
		err_hint(e, "its stdin must stay open: use ssh without -n");
	}
	return err;
}

/* Handles one line, terminated by 0. */
static int take_line(struct far_sink *far, char *line, struct err *e)
{
	struct outcome_row row;

	if (far->cfg.interval(line, &row)) {
		if (!far->elapsed_ns) {
			far->ready_elapsed_ns = row.elapsed_ns;
			far->ready_mono_ns = loop_mono_ns();
		}
		far->elapsed_ns = row.elapsed_ns;
		far->packets += row.received_packets;
		far->seen.arrived += row.distinct_packets;
		far->seen.again += row.duplicate_packets;
		return 0;
	}
	if (!far->ending)
		return fail_by_words(far, line, e);
	far->result = line;
	return 0;
}

static void relay_rest(struct far_sink *far)
{
	char *line = lines_rest(&far->said);

	if (line)
		log_relay(line);
}

/* Shows what it wrote to stderr since the last time; a longer line is shown in parts. */
static void relay(struct far_sink *far)
{
	char *line, *piece;
	ssize_t got;
	size_t room;
	int i;

	for (i = 0; i < RELAYS_MAX; i++) {
		piece = lines_room(&far->said, &room);
		if (!piece) {
			relay_rest(far);
			piece = lines_room(&far->said, &room);
		}
		got = piece ? read(far->child.err_fd, piece, room) : 0;
		if (got <= 0)
			return;
		lines_add(&far->said, (size_t)got);
		while ((line = lines_next(&far->said)))
			log_relay(line);
	}
}

/* Returns its exit status; also 0 if it does not end. */
static int wait_end(struct far_sink *far)
{
	uint64_t end_ns = loop_mono_ns() + LEAVE_NS;
	int status = 0;

	while (!child_has_ended(&far->child, &status) && loop_mono_ns() < end_ns) {
		loop_sleep_until(loop_mono_ns() + POLL_NS);
		relay(far);
	}
	relay(far);
	return status;
}

static int fail_by_end(struct far_sink *far, struct err *e)
{
	char *rest = lines_rest(&far->wrote);
	int status = wait_end(far);

	if (rest)
		return fail_by_words(far, rest, e);
	err_set(e, -EPIPE, "'%s' ended with status %d and without a result", far->cfg.command, status);
	return err_hint(e, "it must run ethgauge on the other host; try: %s --version", far->cfg.command);
}

static int poll_lines(struct far_sink *far, struct err *e)
{
	char *line, *piece;
	ssize_t got = 1;
	size_t room;
	int err = 0;

	relay(far);
	while (!err && got > 0 && !far->result) {
		piece = lines_room(&far->wrote, &room);
		if (!piece)
			return err_set(e, -EMSGSIZE, "cannot read the output of '%s'", far->cfg.command);
		got = read(far->child.out_fd, piece, room);
		if (got > 0)
			lines_add(&far->wrote, (size_t)got);
		else if (!got)
			err = fail_by_end(far, e);
		while (!err && !far->result && (line = lines_next(&far->wrote)))
			err = take_line(far, line, e);
	}
	return err;
}

static int wait_ready(struct far_sink *far, struct err *e)
{
	uint64_t end_ns = loop_mono_ns() + READY_NS;
	int err = 0;

	while (!err && !far->elapsed_ns) {
		if (loop_signal())
			return err_set(e, -EINTR, "ended before the receiver was ready");
		if (loop_mono_ns() > end_ns) {
			err_plain(e, -ETIMEDOUT, "'%s' did not start receiving", far->cfg.command);
			return err_hint(e, "it must not prompt for input; try: %s "
					"--version", far->cfg.command);
		}
		loop_sleep_until(loop_mono_ns() + POLL_NS);
		err = poll_lines(far, e);
	}
	return err;
}

static void close_far(struct receiver *receiver)
{
	struct far_sink *far = far_of(receiver);

	child_end(&far->child);
	wait_end(far);
	relay_rest(far);
	child_close(&far->child);
	lines_free(&far->wrote);
	lines_free(&far->said);
	free(far);
}

static int settle(struct receiver *receiver, uint64_t sent, uint64_t wait_ns, struct err *e)
{
	struct far_sink *far = far_of(receiver);
	uint64_t now_ns = loop_mono_ns(), end_ns = now_ns + wait_ns + SILENT_NS;
	struct settle settle;
	int err = poll_lines(far, e);

	/* By its clock: reports of earlier intervals may still be in a pipe. */
	settle_begin(&settle, sent, wait_ns, far->ready_elapsed_ns + now_ns - far->ready_mono_ns);
	while (!err && !settle_is_done(&settle, &far->seen, far->elapsed_ns) && loop_mono_ns() < end_ns) {
		loop_sleep_until(loop_mono_ns() + POLL_NS);
		err = poll_lines(far, e);
	}
	far->ending = true;
	child_end(&far->child);
	end_ns = loop_mono_ns() + END_NS;
	while (!err && !far->result) {
		if (loop_mono_ns() > end_ns)
			return err_plain(e, -ETIMEDOUT, "'%s' does not end and reports no "
					 "result", far->cfg.command);
		loop_sleep_until(loop_mono_ns() + POLL_NS);
		err = poll_lines(far, e);
	}
	return err;
}

/* Of the one stream that was sent, how many numbers it had; 0: there were several. */
static uint64_t numbers_of_one(const struct far_sink *far, const struct rx_sent *sent)
{
	uint64_t found = 0, numbers;
	uint32_t i;

	for (i = 0; i < far->streams; i++) {
		numbers = sent->numbers(sent->ctx, (uint16_t)i);
		if (numbers && found)
			return 0;
		found += numbers;
	}
	return found;
}

/*
 * The receiver does not know how many were sent: what is missing at the ends of the stream makes runs
 * beside its own. Of several streams it is not known which of them missed it, nor where a packet is
 * missing that was too late.
 */
static void report_runs(const struct far_sink *far, const struct rx_sent *sent,
			const struct outcome *outcome, struct result *res)
{
	double head = outcome->unseen_before_packets, numbers = (double)numbers_of_one(far, sent);
	double between = outcome->lost_packets, runs = outcome->lost_runs;
	double tail = fmax(numbers - head - between - outcome->distinct_packets, 0);

	if (!numbers || outcome->unknown_packets > 0 || isnan(between) || !(head + tail > 0))
		return;
	runs += (head > 0) + (tail > 0);
	result_metric_u64(res, "lost_runs", (uint64_t)runs);
	result_metric_real(res, "lost_run_mean", (head + between + tail) / runs);
	result_metric_u64(res, "lost_run_max",
			  (uint64_t)fmax(fmax(head, tail), outcome->lost_run_max));
}

static int report(struct receiver *receiver, struct result *res, const struct rx_sent *sent,
		  uint32_t max_parts, struct rx_figures *ret_figures, struct err *e)
{
	struct far_sink *far = far_of(receiver);
	double distinct, lost, packets = (double)rx_sent_packets(sent);
	struct outcome outcome;
	struct rx_count count = { 0 };
	int err = far->cfg.take(far->result, far->timed, res, &outcome, e);

	(void)max_parts;
	if (err)
		return err == -EBADMSG ? fail_by_words(far, far->result, e) : err;
	distinct = outcome.distinct_packets;
	if (isnan(distinct))
		return err_plain(e, -EBADMSG, "the receiver's result lacks a count");
	if (distinct > packets)
		result_note(res, "%g more packets arrived than were sent: another sender uses the same "
			    "port and stream number", distinct - packets);
	/* As rx_lost(): what came too late to be distinguished from a copy did arrive. */
	lost = fmax(packets - distinct - fmax(outcome.unknown_packets, 0), 0);
	result_metric_u64(res, "lost_packets", (uint64_t)lost);
	result_metric_real(res, "lost_ratio", lost + distinct > 0 ? lost / (lost + distinct) : 0);
	if (lost > 0 && sent)
		report_runs(far, sent, &outcome, res);
	if (outcome.bad_checksum_packets > 0 && outcome.received_packets > 0) {
		count.odd.damaged = (uint64_t)outcome.bad_checksum_packets;
		count.packets = (uint64_t)outcome.received_packets;
		rx_report_odd(&count, res);
	}
	*ret_figures = (struct rx_figures){
		.lost_packets = lost, .delay = outcome.delay, .pdv = outcome.pdv, .gap_max_ns = NAN,
	};
	return 0;
}

static unsigned int keep_caps(const struct receiver *receiver)
{
	(void)receiver;
	return 0;
}

static int check(struct receiver *receiver, struct err *e)
{
	return poll_lines(far_of(receiver), e);
}

static uint64_t packets(struct receiver *receiver)
{
	return far_of(receiver)->packets;
}

/* The rest is known only at the end. */
static void read_count(struct receiver *receiver, struct rx_count *ret_count)
{
	*ret_count = (struct rx_count){ .packets = packets(receiver) };
}

static void read_all(struct receiver *receiver, const struct rx_sent *sent, struct rx_count *ret_count)
{
	(void)sent;
	read_count(receiver, ret_count);
}

/* settle() has ended it already. */
static void stop(struct receiver *receiver)
{
	(void)receiver;
}

/* Its own rows stay on the other host. */
static void put_row(struct receiver *receiver, struct result *res, const struct rx_sent *sent,
		    uint64_t elapsed_ns)
{
	(void)receiver;
	(void)res;
	(void)sent;
	(void)elapsed_ns;
}

static const struct receiver_ops far_sink_ops = {
	.name = "ethgauge on another host",
	.keep_caps = keep_caps,
	.check = check,
	.packets = packets,
	.read = read_count,
	.read_all = read_all,
	.settle = settle,
	.stop = stop,
	.report = report,
	.put_row = put_row,
	.close = close_far,
};

int far_sink_open(struct receiver **ret_receiver, const struct far_sink_cfg *cfg, uint16_t port,
		  uint32_t streams, uint16_t run, enum stamp_clock clock, struct err *e)
{
	struct far_sink *far = calloc(1, sizeof(*far));
	char words[4096];
	char *const argv[] = { "/bin/sh", "-c", words, NULL };
	int len, err;

	if (!far)
		return err_set(e, -ENOMEM, "cannot open the receiver");
	far->cfg = *cfg;
	far->receiver.ops = &far_sink_ops;
	far->timed = clock == STAMP_TAI;
	far->streams = streams;
	far->wrote.most = LINE_MAX_BYTES;
	far->said.most = SAID_MAX_BYTES;
	len = snprintf(words, sizeof(words),
		       "%s sink %s --port %u --max-streams %u --run %u --clock %s --interval %llums "
		       "--until-eof --jsonl --quiet",
		       cfg->command, cfg->ifname, port, streams, run & (TAG_RUNS - 1), clock_names[clock],
		       INTERVAL_NS / 1000000);
	if (len >= (int)sizeof(words)) {
		free(far);
		return err_usage(e, OPTION("receiver") " is too long");
	}
	err = child_open(&far->child, argv, cfg->netns_fd);
	if (err) {
		free(far);
		return err_set(e, err, "cannot run '%s'", cfg->command);
	}
	err = wait_ready(far, e);
	if (err)
		close_far(&far->receiver);
	else
		*ret_receiver = &far->receiver;
	return err;
}
