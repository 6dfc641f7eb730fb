/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/afxdp/ring.h - read a BPF ring buffer without wakeups, and free its space in batches.
 *
 * libbpf's reader frees each record separately, which costs the writer on another CPU a cache miss
 * per packet. The layout is the kernel's UAPI.
 */
#ifndef SYS_AFXDP_RING_H
#define SYS_AFXDP_RING_H

#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"

struct ring;

/* @bytes: max_entries of the map; its descriptor may be closed afterwards. */
int ring_open(struct ring **ret_ring, int map_fd, size_t bytes, struct err *e);

/* Takes NULL. */
void ring_close(struct ring *ring);

/*
 * How far the writer is: bytes written and not yet freed. ring_next() stops there, as every check
 * takes the writer's position out of its CPU's cache.
 */
size_t ring_look(struct ring *ring);

/* The next record of at least @bytes, valid until ring_release(); NULL: check again. */
const void *ring_next(struct ring *ring, size_t bytes);

/* Frees the space of all records that ring_next() returned. */
void ring_release(struct ring *ring);

#endif
