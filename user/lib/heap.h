/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * lib/heap.h - priority queue by due time: a binary heap.
 */
#ifndef LIB_HEAP_H
#define LIB_HEAP_H

#include <stddef.h>
#include <stdint.h>

struct heap_item {
	uint64_t due_ns;
	uint32_t what;
};

struct heap {
	struct heap_item *items;
	size_t nr, room;
};

/* 0 or -ENOMEM. */
int heap_init(struct heap *heap, size_t room);
void heap_release(struct heap *heap);

/* Requires room. */
void heap_push(struct heap *heap, uint64_t due_ns, uint32_t what);

/* The earliest due time; UINT64_MAX: empty. */
uint64_t heap_due_ns(const struct heap *heap);

/* Removes the earliest entry, which must exist. */
uint32_t heap_pop(struct heap *heap);

#endif
