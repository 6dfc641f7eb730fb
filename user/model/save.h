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
#include "result/result.h"

/*
 * Writes the packets of @source to @path, byte for byte what the engines send but for the
 * time in the tag, in their order, until it ends, or @count packets (0: no limit) or
 * @duration_ns (0: none) are over; one of the three is needed. The time in a tag is the packet's slot; in the file no time is before that of the packet
 * before, so it may be later by what their order allows: 1 us. What has no slot
 * fills a 10 Gbit/s link. take() has the times of the file.
 */
int save_source(struct source *source, uint64_t count, uint64_t duration_ns, const char *path,
		struct result *res, struct err *e);

#endif
