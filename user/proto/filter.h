/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proto/filter.h - a filter expression of libpcap ("tcp port 443"), compiled to the
 * machine that it knows: classic BPF.
 */
#ifndef PROTO_FILTER_H
#define PROTO_FILTER_H

#include <stdint.h>

#include "lib/err.h"

/* An instruction of classic BPF, as in <pcap/bpf.h> and <linux/filter.h>, which exclude each other. */
struct filter_op {
	uint16_t code;
	uint8_t jt, jf;
	uint32_t k;
};

struct filter {
	struct filter_op *ops;	/* valid: jumps stay within, and go ahead only; the last one returns */
	uint32_t nr;
};

/* For Ethernet frames. A bad expression is an error in libpcap's words. */
int filter_compile(struct filter **ret_filter, const char *expression, struct err *e);

/* Takes NULL. */
void filter_free(struct filter *filter);

#endif
