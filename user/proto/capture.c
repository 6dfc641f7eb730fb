// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * proto/capture.c - capture files, using libpcap on a stream decompressed by zlib.
 *
 * Both directions use fopencookie(): reading because libpcap does not support gzip, writing because
 * libpcap closes the stream that it is given.
 */
#include "proto/capture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <pcap/pcap.h>
#include <zlib.h>

#define READ_BYTES	(256 << 10)
#define SNAP_BYTES	262144		/* libpcap's own maximum for Ethernet */
#define NS_PER_SEC	1000000000ll

struct capture {
	gzFile file;
	pcap_t *pcap;
	char *path;
	char *buf;			/* buffer of libpcap's stream */
	uint64_t nr_read;
	uint64_t nr_fallen;
	int64_t first_ns;		/* as in the file */
	uint64_t last_ns;		/* since the first */
	uint32_t fcs_bytes;		/* at the end of each packet */
};

/* An error in the content: errno's text would add nothing. */
static int damaged(struct err *e, const struct capture *capture, const char *what)
{
	err_usage(e, "%s: packet %llu: %s", capture->path,
		  (unsigned long long)capture->nr_read + 1, what);
	e->kind = ERR_RUN;
	e->no = -EBADMSG;
	return e->no;
}

static ssize_t read_cookie(void *cookie, char *buf, size_t size)
{
	struct capture *capture = cookie;
	int no, got;

	errno = 0;
	got = gzread(capture->file, buf, size < READ_BYTES ? (unsigned int)size : READ_BYTES);
	if (got > 0)
		return got;
	gzerror(capture->file, &no);
	/* The input ended within the stream. */
	if (!got && no != Z_BUF_ERROR)
		return 0;
	if (!errno)
		errno = EBADMSG;
	return -1;
}

/* The message of zlib or the kernel, where libpcap only knows that reading failed. */
static const char *why(const struct capture *capture, const char *pcap_text)
{
	const char *text;
	int no;

	text = gzerror(capture->file, &no);
	if (no == Z_BUF_ERROR)
		return "the gzip stream is truncated";
	if (no == Z_DATA_ERROR)
		return "the gzip stream is damaged";
	return no < 0 && *text ? text : pcap_text;
}

static int open_pcap(struct capture *capture, struct err *e)
{
	const cookie_io_functions_t io = { .read = read_cookie };
	char text[PCAP_ERRBUF_SIZE] = "";
	FILE *stream = fopencookie(capture, "r", io);
	int ext;

	if (!stream)
		return err_set(e, -ENOMEM, "cannot read '%s'", capture->path);
	setvbuf(stream, capture->buf, _IOFBF, READ_BYTES);
	capture->pcap = pcap_fopen_offline_with_tstamp_precision(stream,
								 PCAP_TSTAMP_PRECISION_NANO, text);
	if (!capture->pcap) {
		err_usage(e, "%s: not a capture file: %s", capture->path, why(capture, text));
		fclose(stream);
		return err_hint(e, "supported: pcap and pcapng, optionally gzip-compressed");
	}
	if (pcap_datalink(capture->pcap) != DLT_EN10MB) {
		const char *name = pcap_datalink_val_to_name(pcap_datalink(capture->pcap));

		return err_usage(e, "%s: a capture of %s, but only Ethernet is supported", capture->path,
				 name ? name : "an unknown link type");
	}
	ext = pcap_datalink_ext(capture->pcap);
	capture->fcs_bytes = LT_FCS_LENGTH_PRESENT(ext) ? 2u * LT_FCS_LENGTH((unsigned int)ext) : 0;
	capture->nr_read = 0;
	capture->nr_fallen = 0;
	return 0;
}

int capture_open(struct capture **ret_capture, const char *path, struct err *e)
{
	struct capture *capture = calloc(1, sizeof(*capture));
	int err;

	if (!capture)
		return err_set(e, -ENOMEM, "cannot open '%s'", path);
	capture->path = strdup(path);
	capture->buf = malloc(READ_BYTES);
	if (!capture->path || !capture->buf) {
		err = err_set(e, -ENOMEM, "cannot open '%s'", path);
		goto fail;
	}
	errno = 0;
	capture->file = gzopen(path, "rbe");
	if (!capture->file) {
		err = err_usage(e, "cannot open '%s': %s", path,
				strerror(errno ? errno : ENOMEM));
		goto fail;
	}
	gzbuffer(capture->file, READ_BYTES);
	err = open_pcap(capture, e);
	if (err)
		goto fail;
	*ret_capture = capture;
	return 0;
fail:
	capture_close(capture);
	return err;
}

/* Relative to the first packet; a damaged timestamp may have any value, but must not overflow. */
static uint64_t time_of(struct capture *capture, const struct pcap_pkthdr *head)
{
	int64_t ns;

	if (__builtin_mul_overflow((int64_t)head->ts.tv_sec, NS_PER_SEC, &ns) ||
	    __builtin_add_overflow(ns, (int64_t)head->ts.tv_usec, &ns))
		ns = head->ts.tv_sec < 0 ? INT64_MIN : INT64_MAX;
	if (!capture->nr_read) {
		capture->first_ns = ns;
		capture->last_ns = 0;
	}
	if (ns < capture->first_ns ||
	    (uint64_t)ns - (uint64_t)capture->first_ns < capture->last_ns)
		capture->nr_fallen++;
	else
		capture->last_ns = (uint64_t)ns - (uint64_t)capture->first_ns;
	return capture->last_ns;
}

int capture_read(struct capture *capture, struct capture_packet *ret_packet, struct err *e)
{
	struct pcap_pkthdr *head;
	const u_char *bytes;
	uint32_t wire_bytes;

	switch (pcap_next_ex(capture->pcap, &head, &bytes)) {
	case 1:
		break;
	case PCAP_ERROR_BREAK:
		return 0;
	default:
		return damaged(e, capture, why(capture, pcap_geterr(capture->pcap)));
	}
	/* Some writers have lengths smaller than the captured part. */
	wire_bytes = head->len < head->caplen ? head->caplen : head->len;
	wire_bytes -= wire_bytes < capture->fcs_bytes ? wire_bytes : capture->fcs_bytes;
	*ret_packet = (struct capture_packet){
		.bytes = bytes,
		.buf_bytes = head->caplen < wire_bytes ? head->caplen : wire_bytes,
		.wire_bytes = wire_bytes,
		.time_ns = time_of(capture, head),
	};
	capture->nr_read++;
	return 1;
}

int capture_rewind(struct capture *capture, struct err *e)
{
	pcap_close(capture->pcap);
	capture->pcap = NULL;
	if (gzrewind(capture->file)) {
		err_set(e, -ESPIPE, "cannot read '%s' again", capture->path);
		return err_hint(e, "a pipe can be read only once");
	}
	return open_pcap(capture, e);
}

uint64_t capture_nr_fallen(const struct capture *capture)
{
	return capture->nr_fallen;
}

void capture_close(struct capture *capture)
{
	if (!capture)
		return;
	if (capture->pcap)
		pcap_close(capture->pcap);
	if (capture->file)
		gzclose_r(capture->file);
	free(capture->buf);
	free(capture->path);
	free(capture);
}

struct capture_writer {
	FILE *stream;
	pcap_t *pcap;
	pcap_dumper_t *dumper;
};

static ssize_t write_cookie(void *cookie, const char *buf, size_t size)
{
	struct capture_writer *writer = cookie;

	/* fopencookie expects 0 for an error. */
	return fwrite(buf, 1, size, writer->stream) == size ? (ssize_t)size : 0;
}

static int write_error(struct err *e)
{
	return err_set(e, errno ? -errno : -EIO, "cannot write the capture file");
}

static void free_writer(struct capture_writer *writer)
{
	if (writer->dumper)
		pcap_dump_close(writer->dumper);
	if (writer->pcap)
		pcap_close(writer->pcap);
	free(writer);
}

int capture_writer_open(struct capture_writer **ret_writer, FILE *stream, struct err *e)
{
	const cookie_io_functions_t io = { .write = write_cookie };
	struct capture_writer *writer = calloc(1, sizeof(*writer));
	FILE *through;

	if (!writer)
		return err_set(e, -ENOMEM, "cannot write a capture file");
	writer->stream = stream;
	writer->pcap = pcap_open_dead_with_tstamp_precision(DLT_EN10MB, SNAP_BYTES,
							    PCAP_TSTAMP_PRECISION_NANO);
	through = writer->pcap ? fopencookie(writer, "w", io) : NULL;
	if (!through) {
		free_writer(writer);
		return err_set(e, -ENOMEM, "cannot write a capture file");
	}
	errno = 0;
	/* Closes its stream on failure, too. */
	writer->dumper = pcap_dump_fopen(writer->pcap, through);
	if (!writer->dumper) {
		free_writer(writer);
		return write_error(e);
	}
	*ret_writer = writer;
	return 0;
}

int capture_write(struct capture_writer *writer, uint64_t time_ns, const void *bytes,
		  uint32_t buf_bytes, struct err *e)
{
	const struct pcap_pkthdr head = {
		.ts = { .tv_sec = (time_t)(time_ns / NS_PER_SEC),
			.tv_usec = (suseconds_t)(time_ns % NS_PER_SEC) },
		.caplen = buf_bytes,
		.len = buf_bytes,
	};

	errno = 0;
	pcap_dump((u_char *)writer->dumper, &head, bytes);
	return ferror(pcap_dump_file(writer->dumper)) ? write_error(e) : 0;
}

int capture_writer_close(struct capture_writer *writer, struct err *e)
{
	int err = 0;

	if (!writer)
		return 0;
	errno = 0;
	if (pcap_dump_flush(writer->dumper) || ferror(pcap_dump_file(writer->dumper)) ||
	    fflush(writer->stream))
		err = write_error(e);
	free_writer(writer);
	return err;
}
