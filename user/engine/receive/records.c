// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/receive/records.c - write a record of each packet to a file.
 *
 * The thread checks how far the program has written, formats the records up to there, and frees
 * their space in batches. It sleeps between two checks unless the ring is filling: a reader close
 * behind the writer contends for its cache lines and halves the rate.
 */
#include "engine/receive/records.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zlib.h>

#include "abi/record.h"
#include "lib/loop.h"
#include "lib/outfile.h"
#include "proto/record.h"
#include "sys/afxdp/ring.h"

#define SLEEP_NS	5000000ull
#define BATCH		512		/* records whose space is freed together */
#define TEXT_BYTES	(BATCH * RECORD_TEXT_BYTES)

struct records {
	struct outfile *file;
	gzFile gz;			/* NULL: plain text */
	struct ring *ring;
	pthread_t thread;
	bool is_started;
	int stop;			/* atomic: write the rest and end */
	int failed;			/* atomic: negative errno of the first write that failed */
	uint64_t written;
	size_t ring_bytes, fullest_bytes;
	const char *path;		/* for errors */
	char text[TEXT_BYTES];
};

static int error_of(int err)
{
	return err ? -err : -EIO;
}

/* The file may only be cut short: nothing is written after a failed record. */
static void write_text(struct records *records, const char *text, size_t len)
{
	bool ok;

	if (records->failed || !len)
		return;
	errno = 0;
	if (records->gz)
		ok = gzwrite(records->gz, text, (unsigned int)len) == (int)len;
	else
		ok = fwrite(text, 1, len, outfile_stream(records->file)) == len;
	if (!ok)
		__atomic_store_n(&records->failed, error_of(errno), __ATOMIC_RELAXED);
}

/* Writes the available records, at most a batch; returns how many. */
static unsigned int write_batch(struct records *records)
{
	const struct record *rec;
	unsigned int nr = 0;
	size_t len = 0;

	while (nr < BATCH && (rec = ring_next(records->ring, sizeof(*rec)))) {
		len += record_line(records->text + len, rec);
		nr++;
	}
	/* The text is a copy: free the space before the slow part. */
	ring_release(records->ring);
	write_text(records, records->text, len);
	records->written += nr;
	return nr;
}

static void *run_thread(void *arg)
{
	struct records *records = arg;
	size_t ready;
	bool stop;

	for (;;) {
		stop = __atomic_load_n(&records->stop, __ATOMIC_ACQUIRE);
		ready = ring_look(records->ring);
		if (ready > records->fullest_bytes)
			records->fullest_bytes = ready;
		while (write_batch(records))
			;
		/* Check once more: a record may have been incomplete at the last check. */
		if (stop && !ready)
			return NULL;
		if (!stop && ready < records->ring_bytes / 4)
			loop_sleep_until(loop_mono_ns() + SLEEP_NS);
	}
}

static int open_gzip(struct records *records, struct err *e)
{
	int fd = dup(fileno(outfile_stream(records->file)));

	if (fd < 0)
		return err_set(e, -errno, "cannot write '%s'", records->path);
	records->gz = gzdopen(fd, "wb1");
	if (records->gz) {
		gzbuffer(records->gz, 1 << 18);
		return 0;
	}
	close(fd);
	return err_set(e, -ENOMEM, "cannot write '%s'", records->path);
}

int records_open(struct records **ret_records, const char *path, int map_fd, size_t ring_bytes,
		 const char *clock, const char *delay, struct err *e)
{
	struct records *records = calloc(1, sizeof(*records));
	size_t len = strlen(path);
	int err;

	if (!records)
		return err_set(e, -ENOMEM, "cannot write '%s'", path);
	records->path = path;
	records->ring_bytes = ring_bytes;
	err = outfile_open(&records->file, path, e);
	if (!err && len > 3 && !strcmp(path + len - 3, ".gz"))
		err = open_gzip(records, e);
	if (!err)
		err = ring_open(&records->ring, map_fd, ring_bytes, e);
	if (err) {
		records_close(records);
		return err;
	}
	write_text(records, records->text, record_head(records->text, TEXT_BYTES, clock,
						       delay));
	*ret_records = records;
	return 0;
}

int records_start(struct records *records, struct err *e)
{
	int err = pthread_create(&records->thread, NULL, run_thread, records);

	if (err)
		return err_set(e, -err, "cannot start the thread that writes '%s'", records->path);
	records->is_started = true;
	return 0;
}

int records_check(const struct records *records, struct err *e)
{
	int err = __atomic_load_n(&records->failed, __ATOMIC_RELAXED);

	return err ? err_set(e, err, "cannot write '%s'", records->path) : 0;
}

static void end_thread(struct records *records)
{
	if (!records->is_started)
		return;
	__atomic_store_n(&records->stop, 1, __ATOMIC_RELEASE);
	pthread_join(records->thread, NULL);
	records->is_started = false;
}

int records_finish(struct records *records, struct err *e)
{
	int err;

	end_thread(records);
	errno = 0;
	if (records->gz && gzclose(records->gz) != Z_OK && !records->failed)
		records->failed = error_of(errno);
	records->gz = NULL;
	err = records_check(records, e);
	return err ? err : outfile_commit(records->file, e);
}

uint64_t records_written(const struct records *records)
{
	return records->written;
}

double records_fill_ratio(const struct records *records)
{
	return (double)records->fullest_bytes / (double)records->ring_bytes;
}

void records_close(struct records *records)
{
	if (!records)
		return;
	end_thread(records);
	if (records->gz)
		gzclose(records->gz);
	ring_close(records->ring);
	outfile_close(records->file);
	free(records);
}
