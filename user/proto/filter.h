/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * proto/filter.h - a filter expression of libpcap ("tcp port 443"), compiled to classic BPF.
 */
#ifndef PROTO_FILTER_H
#define PROTO_FILTER_H

#include <stdint.h>

#include "lib/err.h"

/*
 * A classic BPF instruction, as in <pcap/bpf.h> and <linux/filter.h>, which cannot be included
 * together.
 */
struct filter_op {
	uint16_t code;
	uint8_t jt, jf;
	uint32_t k;
};

struct filter {
	struct filter_op *ops;	/* valid: jumps are forward and stay within; the last one returns */
	uint32_t nr;
};

/* What a packet begins with. */
enum filter_link { FILTER_ETHERNET, FILTER_L3 };

/* A bad expression is an error with libpcap's message; so is one of Ethernet headers for FILTER_L3. */
int filter_compile(struct filter **ret_filter, const char *expression, enum filter_link link, struct err *e);

/* Takes NULL. */
void filter_free(struct filter *filter);

#endif
