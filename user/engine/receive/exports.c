// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/receive/exports.c - the files that a receiver writes in addition to its result.
 */
#include "engine/receive/exports.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "engine/receive/records.h"
#include "lib/hist.h"
#include "lib/loop.h"
#include "lib/outfile.h"
#include "proto/hdr.h"
#include "sys/host/keeper.h"

const struct opt exports_options[] = {
	{ 0, "records", OPT_STR, offsetof(struct exports_opts, records), "FILE",
	  "one line per packet: sequence, times, CPU; FILE.gz: compressed" },
	{ 0, "records-every", OPT_COUNT, offsetof(struct exports_opts, records_every), "N",
	  "record only one in N sequence numbers", .min = 1, .max = UINT32_MAX },
	{ 0, "records-ring", OPT_COUNT, offsetof(struct exports_opts, records_ring_bytes), "BYTES",
	  "ring between driver and file, grown to a power of two; 48 bytes a record",
	  .min = 4096, .max = 1 << 30 },
	{ 0, "hgrm", OPT_STR, offsetof(struct exports_opts, hgrm), "FILE",
	  "delay percentiles, in HdrHistogram's percentile format" },
	{ 0, "hlog", OPT_STR, offsetof(struct exports_opts, hlog), "FILE",
	  "HdrHistogram log: one histogram per interval" },
	OPT_END
};

struct exports {
	struct exports_opts opts;
	struct rx_cfg cfg;
	struct rx *rx;
	struct records *records;	/* NULL, as the two files: not requested */
	struct outfile *hgrm, *hlog;
	uint64_t start_mono_ns;
	uint64_t tick_ns;		/* end of the previous interval, since the start */
	struct hist_rec before;		/* histogram up to then */
	int failed;			/* negative errno: a log line is missing */
};

static uint64_t ring_bytes(uint64_t asked)
{
	uint64_t bytes = (uint64_t)sysconf(_SC_PAGESIZE);

	while (bytes < asked)
		bytes *= 2;
	return bytes;
}

int exports_prepare(const struct exports_opts *opts, struct rx_cfg *rx, struct err *e)
{
	if (opts->records) {
		rx->record_every = (uint32_t)opts->records_every;
		rx->record_ring_bytes = (uint32_t)ring_bytes(opts->records_ring_bytes);
	}
	return opts->records || opts->hgrm || opts->hlog ? keeper_start(e) : 0;
}

int exports_open(struct exports **ret_exports, const struct exports_opts *opts,
		 const struct rx_cfg *cfg, struct rx *rx, struct err *e)
{
	struct exports *exports = calloc(1, sizeof(*exports));
	int err = 0;

	if (!exports)
		return err_set(e, -ENOMEM, "cannot set up the output files");
	exports->opts = *opts;
	exports->cfg = *cfg;
	exports->rx = rx;
	if (opts->records)
		err = records_open(&exports->records, opts->records, rx_records_fd(rx),
				   cfg->record_ring_bytes,
				   cfg->clock == STAMP_TAI ? "tai" : "mono", rx_prefix(cfg), e);
	if (!err && opts->hgrm)
		err = outfile_open(&exports->hgrm, opts->hgrm, e);
	if (!err && opts->hlog)
		err = outfile_open(&exports->hlog, opts->hlog, e);
	if (err) {
		exports_close(exports);
		return err;
	}
	*ret_exports = exports;
	return 0;
}

int exports_start(struct exports *exports, struct err *e)
{
	struct timespec now;
	char comment[64];

	if (!exports)
		return 0;
	clock_gettime(CLOCK_REALTIME, &now);
	exports->start_mono_ns = loop_mono_ns();
	snprintf(comment, sizeof(comment), "ethgauge " TOOL_VERSION ", %s_ns",
		 rx_prefix(&exports->cfg));
	if (exports->hlog)
		hdr_log_head(outfile_stream(exports->hlog),
			     (uint64_t)now.tv_sec * NSEC_PER_SEC + (uint64_t)now.tv_nsec, comment);
	return exports->records ? records_start(exports->records, e) : 0;
}

void exports_tick(struct exports *exports)
{
	struct hist_rec now, delta;
	uint64_t now_ns;
	int err;

	if (!exports || !exports->hlog)
		return;
	now_ns = loop_mono_ns() - exports->start_mono_ns;
	rx_read_hist(exports->rx, &now);
	delta = now;
	hist_subtract(&delta, &exports->before);
	err = hdr_log_line(outfile_stream(exports->hlog), NULL, exports->tick_ns,
			   now_ns - exports->tick_ns, &delta);
	if (err)
		exports->failed = err;
	exports->before = now;
	exports->tick_ns = now_ns;
}

int exports_check(const struct exports *exports, struct err *e)
{
	return exports && exports->records ? records_check(exports->records, e) : 0;
}

/* One tagged line per stream that was seen, for the whole run. */
static void log_streams(struct exports *exports, uint64_t seen)
{
	struct hist_rec hist;
	char tag[32];
	uint16_t i;
	int err;

	for (i = 0; seen > 1 && i < exports->cfg.streams; i++) {
		rx_read_stream_hist(exports->rx, i, &hist);
		if (!hist.count)
			continue;
		snprintf(tag, sizeof(tag), "stream-%u", i);
		err = hdr_log_line(outfile_stream(exports->hlog), tag, 0, exports->tick_ns, &hist);
		if (err)
			exports->failed = err;
	}
}

static int finish_hists(struct exports *exports, const struct rx_count *count, struct err *e)
{
	struct hist_rec hist;
	int err = 0;

	if (exports->hgrm) {
		rx_read_hist(exports->rx, &hist);
		err = hdr_percentiles(outfile_stream(exports->hgrm), &hist);
		if (err)
			return err_set(e, err, "cannot write '%s'", exports->opts.hgrm);
		err = outfile_commit(exports->hgrm, e);
	}
	if (err || !exports->hlog)
		return err;
	/* With an interval, the closing tick has been. */
	if (!exports->tick_ns)
		exports_tick(exports);
	log_streams(exports, count->streams_seen);
	if (exports->failed)
		return err_set(e, exports->failed, "cannot write '%s'", exports->opts.hlog);
	return outfile_commit(exports->hlog, e);
}

int exports_finish(struct exports *exports, struct result *res, struct err *e)
{
	struct rx_count count;
	int err = 0, hist_err;
	struct err hist_e;

	if (!exports)
		return 0;
	rx_read(exports->rx, &count);
	if (exports->records) {
		err = records_finish(exports->records, e);
		result_metric_u64(res, "record_packets", err ? 0 : records_written(exports->records));
		result_metric_u64(res, "record_lost_packets", count.odd.not_recorded);
		result_self_real(res, "record_ring_fill_ratio", records_fill_ratio(exports->records));
		if (count.odd.not_recorded)
			result_note(res, "%llu records were dropped as the ring was full: see "
				    "--records-ring and "
				    "--records-every", (unsigned long long)count.odd.not_recorded);
	}
	/* A full disk must not affect the other files: each is complete or absent. */
	hist_err = finish_hists(exports, &count, &hist_e);
	if (hist_err && !err) {
		*e = hist_e;
		err = hist_err;
	}
	return err;
}

void exports_close(struct exports *exports)
{
	if (!exports)
		return;
	records_close(exports->records);
	outfile_close(exports->hgrm);
	outfile_close(exports->hlog);
	free(exports);
}
