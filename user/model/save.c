// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * model/save.c - write a stream's packets to a capture file.
 */
#include "model/save.h"

#include <errno.h>
#include <string.h>

#include "lib/loop.h"
#include "lib/outfile.h"
#include "lib/unit.h"
#include "proto/capture.h"
#include "proto/frame.h"
#include "proto/packet.h"

#define ASSUMED_LINK_BPS 10000000000ull

/* Until finish_file() no file of that name exists. */
struct saving {
	struct outfile *file;
	struct capture_writer *writer;
	uint16_t run;			/* in the tags */
};

static int begin_file(struct saving *saving, const char *path, struct err *e)
{
	int err = outfile_open(&saving->file, path, e);

	return err ? err : capture_writer_open(&saving->writer, outfile_stream(saving->file), e);
}

/* After an error, discards what was written. */
static int finish_file(struct saving *saving, int err, struct err *e)
{
	if (!err) {
		err = capture_writer_close(saving->writer, e);
		saving->writer = NULL;
	}
	if (!err)
		err = outfile_commit(saving->file, e);
	if (saving->writer)
		capture_writer_close(saving->writer, &(struct err){ 0 });
	outfile_close(saving->file);
	return err;
}

/* A link of ASSUMED_LINK_BPS that packets leave through, back to back. */
struct wire {
	uint64_t free_bits;		/* when it becomes free, in bit times since the start */
	uint64_t last_ns;
};

static uint64_t free_ns(const struct wire *wire)
{
	return wire->free_bits / (ASSUMED_LINK_BPS / NSEC_PER_SEC);
}

/* The departure time of @packet. */
static uint64_t pass_wire(struct wire *wire, const struct source_packet *packet)
{
	uint64_t time_ns = packet->paced ? packet->slot_ns : free_ns(wire);
	uint64_t slot_bits = time_ns * (ASSUMED_LINK_BPS / NSEC_PER_SEC);

	if (packet->paced && slot_bits > wire->free_bits)
		wire->free_bits = slot_bits;
	wire->free_bits += 8 * (packet->buf_bytes + UNIT_FCS_BYTES + UNIT_GAP_BYTES);
	if (time_ns < wire->last_ns)
		time_ns = wire->last_ns;
	wire->last_ns = time_ns;
	return time_ns;
}

static int write_one(const struct saving *saving, const struct source_packet *packet,
		     uint64_t time_ns, struct err *e)
{
	uint8_t bytes[PACKET_MAX_BYTES];

	if (!packet->tag_offset)
		return capture_write(saving->writer, time_ns, packet->bytes, packet->buf_bytes, e);
	memcpy(bytes, packet->bytes, packet->buf_bytes);
	frame_write_tag(bytes + packet->tag_offset, saving->run, packet->stream, packet->sequence,
			!packet->stamped ? 0 : packet->paced ? packet->slot_ns : time_ns);
	return capture_write(saving->writer, time_ns, bytes, packet->buf_bytes, e);
}

static int write_source(const struct saving *saving, struct source *source, uint64_t count,
			uint64_t duration_ns, uint64_t *ret_saved, struct err *e)
{
	struct source_packet packet;
	struct wire wire = { 0 };
	uint64_t nr = 0, time_ns;
	int got, err;

	while ((!count || nr < count) && !loop_signal()) {
		got = source->ops->peek(source, free_ns(&wire), &packet, e);
		if (got < 0)
			return got;
		if (!got || (duration_ns && duration_ns <=
			     (packet.paced ? packet.slot_ns : free_ns(&wire))))
			break;
		time_ns = pass_wire(&wire, &packet);
		err = write_one(saving, &packet, time_ns, e);
		if (err)
			return err;
		source->ops->take(source, time_ns, 0);
		nr++;
	}
	*ret_saved = nr;
	return loop_signal() ? err_set(e, -EINTR, "nothing is written") : 0;
}

int save_source(struct source *source, uint16_t run, uint64_t count, uint64_t duration_ns,
		const char *path, struct result *res, struct err *e)
{
	struct saving saving = { .run = run ? run : 1 };
	uint64_t nr = 0;
	int err = begin_file(&saving, path, e);

	if (!err)
		err = write_source(&saving, source, count, duration_ns, &nr, e);
	err = finish_file(&saving, err, e);
	if (!err)
		result_metric_u64(res, "saved_packets", nr);
	return err;
}
