// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * engine/watch/watch_filter.c - open the watching programs with a filter's code inserted.
 */
#include "engine/watch/watch_filter.h"

#include "abi/filter.h"
#include "sys/hook/bpf_text.h"

int watch_filter_open(struct bpf_object_skeleton *skel, const struct filter *filter,
		      enum filter_hook hook, struct err *e)
{
	struct bpf_text text = { 0 };
	int err = 0;

	if (filter)
		err = bpf_text_open(&text, skel, FILTER_FUNCTION, e);
	if (!err && filter)
		err = filter_code(filter, hook, text.insns, text.nr, e);
	if (!err)
		err = bpf_text_use(&text, skel, e);
	bpf_text_close(&text);
	return err;
}
