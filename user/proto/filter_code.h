/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proto/filter_code.h - translate classic BPF to the kernel's BPF.
 */
#ifndef PROTO_FILTER_CODE_H
#define PROTO_FILTER_CODE_H

#include <stddef.h>

#include <linux/bpf.h>

#include "lib/err.h"
#include "proto/filter.h"

/* Type of the code's context. */
enum filter_hook {
	FILTER_TC,		/* struct __sk_buff; a VLAN tag may be in the metadata */
	FILTER_XDP,		/* struct xdp_md with one buffer */
	FILTER_XDP_FRAGS,	/* with several buffers; kernel 5.18 and later */
};

/*
 * Fills all @nr instructions with a function that takes the context and returns 1 for a matching
 * packet, otherwise 0. It sees the frame as on the wire: with the outermost VLAN tag in place. It
 * changes nothing. A filter that does not fit or is not supported is an error.
 */
int filter_code(const struct filter *filter, enum filter_hook hook, struct bpf_insn *ret_code,
		size_t nr, struct err *e);

#endif
