// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Whatever bytes a capture file has: packets come out whole, in time, alike at
 * the second reading, and an error has a sentence with the packet's number.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "proto/capture.h"

#define must(condition) do { if (!(condition)) abort(); } while (0)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct walk {
	uint64_t nr, last_ns, sum;
	int end;
};

static struct walk walk_all(struct capture *capture)
{
	struct walk walk = { 0 };
	struct capture_packet packet;
	struct err e = { 0 };
	char position[64];
	uint32_t i;

	while ((walk.end = capture_read(capture, &packet, &e)) == 1) {
		must(packet.buf_bytes <= packet.wire_bytes);
		must(packet.time_ns >= walk.last_ns && (walk.nr || !packet.time_ns));
		for (i = 0; i < packet.buf_bytes; i++)
			walk.sum = walk.sum * 31 + packet.bytes[i];
		walk.last_ns = packet.time_ns;
		walk.nr++;
	}
	must(!walk.end == !e.no);
	if (e.no) {
		snprintf(position, sizeof(position), ": packet %llu: ",
			 (unsigned long long)walk.nr + 1);
		must(strstr(e.msg, position));
	}
	return walk;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1;
	static char path[64];
	struct capture *capture = NULL;
	struct walk first, again;
	struct err e = { 0 };

	if (fd < 0) {
		fd = memfd_create("capture", 0);
		must(fd >= 0);
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	}
	must(!ftruncate(fd, 0) && pwrite(fd, data, size, 0) == (ssize_t)size);
	if (capture_open(&capture, path, &e)) {
		must(!capture && e.no && *e.msg);
		return 0;
	}
	first = walk_all(capture);
	must(!capture_rewind(capture, &e));
	again = walk_all(capture);
	must(first.nr == again.nr && first.last_ns == again.last_ns && first.sum == again.sum &&
	     first.end == again.end);
	capture_close(capture);
	return 0;
}
