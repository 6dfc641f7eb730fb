/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * model/save.h - write a stream's packets to a capture file, without sending any.
 */
#ifndef MODEL_SAVE_H
#define MODEL_SAVE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/err.h"
#include "model/source.h"
#include "result/result.h"

/*
 * Writes the packets of @source, with @run in their tags (0: 1, so that one stream always makes one
 * file), to @path, identical to what the engines send except for the time in the tag, in order,
 * until it ends, or @count packets (0: no limit) or @duration_ns (0: none) are reached; one of the
 * three is required. The time in a tag is the packet's slot; in the file no time is before the
 * previous packet's, so it may be later by at most 1 us. Packets without slots fill a 10 Gbit/s
 * link. take() gets the times in the file.
 */
int save_source(struct source *source, uint16_t run, uint64_t count, uint64_t duration_ns,
		const char *path, struct result *res, struct err *e);

#endif
