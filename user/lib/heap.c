// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lib/heap.c - priority queue by due time.
 */
#include "lib/heap.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

int heap_init(struct heap *heap, size_t room)
{
	struct heap_item *items = calloc(room ? room : 1, sizeof(*items));

	if (!items)
		return -ENOMEM;
	*heap = (struct heap){ .items = items, .room = room };
	return 0;
}

void heap_release(struct heap *heap)
{
	free(heap->items);
	*heap = (struct heap){ 0 };
}

void heap_push(struct heap *heap, uint64_t due_ns, uint32_t what)
{
	size_t at = heap->nr++;

	assert(at < heap->room);
	for (; at && heap->items[(at - 1) / 2].due_ns > due_ns; at = (at - 1) / 2)
		heap->items[at] = heap->items[(at - 1) / 2];
	heap->items[at] = (struct heap_item){ .due_ns = due_ns, .what = what };
}

uint64_t heap_due_ns(const struct heap *heap)
{
	return heap->nr ? heap->items[0].due_ns : UINT64_MAX;
}

uint32_t heap_pop(struct heap *heap)
{
	struct heap_item last = heap->items[heap->nr - 1];
	uint32_t what = heap->items[0].what;
	size_t at = 0, child;

	heap->nr--;
	while ((child = 2 * at + 1) < heap->nr) {
		if (child + 1 < heap->nr &&
		    heap->items[child + 1].due_ns < heap->items[child].due_ns)
			child++;
		if (heap->items[child].due_ns >= last.due_ns)
			break;
		heap->items[at] = heap->items[child];
		at = child;
	}
	heap->items[at] = last;
	return what;
}
