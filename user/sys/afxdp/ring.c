// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sys/afxdp/ring.c - read a BPF ring buffer without wakeups.
 */
#include "sys/afxdp/ring.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/bpf.h>

struct ring {
	size_t bytes, page_bytes;
	uint64_t at, end;		/* position of this side, and of the writer at the last
					 * check */
	unsigned long *consumer;	/* the same, as shared with the kernel */
	const unsigned long *producer;
	const uint8_t *data;		/* mapped twice in a row, so that no record is split */
};

int ring_open(struct ring **ret_ring, int map_fd, size_t bytes, struct err *e)
{
	struct ring *ring = calloc(1, sizeof(*ring));
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *memory;

	if (!ring)
		return err_set(e, -ENOMEM, "cannot open the ring of records");
	ring->bytes = bytes;
	ring->page_bytes = page;
	memory = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, map_fd, 0);
	if (memory == MAP_FAILED)
		goto fail;
	ring->consumer = memory;
	memory = mmap(NULL, page + 2 * bytes, PROT_READ, MAP_SHARED, map_fd, (off_t)page);
	if (memory == MAP_FAILED)
		goto fail;
	ring->producer = memory;
	ring->data = (const uint8_t *)memory + page;
	ring->at = ring->end = *ring->consumer;
	*ret_ring = ring;
	return 0;
fail:
	err_set(e, -errno, "cannot map the ring of records");
	ring_close(ring);
	return e->no;
}

void ring_close(struct ring *ring)
{
	if (!ring)
		return;
	if (ring->producer)
		munmap((void *)ring->producer, ring->page_bytes + 2 * ring->bytes);
	if (ring->consumer)
		munmap(ring->consumer, ring->page_bytes);
	free(ring);
}

size_t ring_look(struct ring *ring)
{
	ring->end = __atomic_load_n(ring->producer, __ATOMIC_ACQUIRE);
	return ring->end - *ring->consumer;
}

const void *ring_next(struct ring *ring, size_t bytes)
{
	const uint8_t *record;
	uint32_t len;

	while (ring->at < ring->end) {
		record = ring->data + (ring->at & (ring->bytes - 1));
		len = __atomic_load_n((const uint32_t *)record, __ATOMIC_ACQUIRE);
		if (len & BPF_RINGBUF_BUSY_BIT)
			return NULL;
		ring->at += (((len & ~BPF_RINGBUF_DISCARD_BIT) + BPF_RINGBUF_HDR_SZ) + 7) / 8 * 8;
		if (!(len & BPF_RINGBUF_DISCARD_BIT) && len >= bytes)
			return record + BPF_RINGBUF_HDR_SZ;
	}
	return NULL;
}

void ring_release(struct ring *ring)
{
	__atomic_store_n(ring->consumer, ring->at, __ATOMIC_RELEASE);
}
