/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proto/capture.h - capture files, read and written packet by packet through libpcap.
 *
 * pcap and pcapng, microseconds or nanoseconds, either byte order, gzip (through zlib). Memory use
 * is independent of the file size. Only Ethernet.
 */
#ifndef PROTO_CAPTURE_H
#define PROTO_CAPTURE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/err.h"

struct capture_packet {
	const uint8_t *bytes;	/* valid until the next read */
	uint32_t buf_bytes;	/* captured, without FCS */
	uint32_t wire_bytes;	/* on the wire; larger: truncated by the snap length */
	uint64_t time_ns;	/* since the first packet of the file; never decreases */
};

struct capture;

/* All errors about the content have the form "FILE: packet 17: what is wrong". */
int capture_open(struct capture **ret_capture, const char *path, struct err *e);

/* 1: a packet; 0: the end; negative errno: damaged from here on. */
int capture_read(struct capture *capture, struct capture_packet *ret_packet, struct err *e);

/* Returns to the first packet. */
int capture_rewind(struct capture *capture, struct err *e);

/*
 * Packets read so far whose timestamp was lower than the previous packet's, and was replaced by
 * that.
 */
uint64_t capture_nr_fallen(const struct capture *capture);

/* Takes NULL. */
void capture_close(struct capture *capture);

/* Writes nanosecond pcap, Ethernet, to a stream of lib/outfile.h. */
struct capture_writer;
int capture_writer_open(struct capture_writer **ret_writer, FILE *stream, struct err *e);
int capture_write(struct capture_writer *writer, uint64_t time_ns, const void *bytes,
		  uint32_t buf_bytes, struct err *e);
/* Flushes; the stream stays open. Accepts NULL. */
int capture_writer_close(struct capture_writer *writer, struct err *e);

#endif
