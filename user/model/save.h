/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model/save.h - write what a stream would send into a capture file, and send nothing.
 */
#ifndef MODEL_SAVE_H
#define MODEL_SAVE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"
#include "model/source.h"
#include "proto/packet.h"
#include "result/result.h"

/* One packet, sent evenly by threads that take turns. */
struct save_plain {
	const struct packet *packet;
	bool tagged;
	uint16_t first_stream;
	uint32_t threads, stamp_every;	/* at least 1 */
	double pps;			/* of all threads together; 0: those of a 10 Gbit/s link */
};

/*
 * Writes @count packets to @path, byte for byte what the engines send but for the
 * time in the tag, which is the packet's slot.
 */
int save_plain(const struct save_plain *plain, uint64_t count, const char *path,
	       struct result *res, struct err *e);

/*
 * The same of the packets of @source, in their order, until it ends, or @count packets
 * (0: no limit) or @duration_ns (0: none) are over; one of the three is needed. The
 * time in a tag is the packet's slot; in the file no time is before that of the packet
 * before, so it may be later by what their order allows: 1 us. What has no slot
 * fills a 10 Gbit/s link. take() has the times of the file.
 */
int save_source(struct source *source, uint64_t count, uint64_t duration_ns, const char *path,
		struct result *res, struct err *e);

#endif
