// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * proto/filter.c - filter expressions, compiled by libpcap.
 */
#include "proto/filter.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include <pcap/pcap.h>

#define SNAP_BYTES	262144		/* libpcap's own maximum for Ethernet */

/* Only protochain goes back, through headers of any number. */
static bool has_loop(const struct bpf_program *program)
{
	uint32_t i;

	for (i = 0; i < program->bf_len; i++) {
		const struct bpf_insn *op = &program->bf_insns[i];

		if (op->code == (BPF_JMP | BPF_JA) && op->k >= program->bf_len - i - 1)
			return true;
	}
	return false;
}

static int keep(struct filter **ret_filter, const struct bpf_program *program, struct err *e)
{
	struct filter *filter = calloc(1, sizeof(*filter));
	uint32_t i;

	if (filter)
		filter->ops = calloc(program->bf_len, sizeof(*filter->ops));
	if (!filter || !filter->ops) {
		free(filter);
		return err_set(e, -ENOMEM, "cannot allocate a filter");
	}
	filter->nr = program->bf_len;
	for (i = 0; i < filter->nr; i++) {
		filter->ops[i].code = program->bf_insns[i].code;
		filter->ops[i].jt = program->bf_insns[i].jt;
		filter->ops[i].jf = program->bf_insns[i].jf;
		filter->ops[i].k = program->bf_insns[i].k;
	}
	*ret_filter = filter;
	return 0;
}

int filter_compile(struct filter **ret_filter, const char *expression, enum filter_link link, struct err *e)
{
	struct bpf_program program;
	pcap_t *pcap = pcap_open_dead(link == FILTER_L3 ? DLT_RAW : DLT_EN10MB, SNAP_BYTES);
	int err;

	if (!pcap)
		return err_set(e, -ENOMEM, "cannot compile a filter");
	if (pcap_compile(pcap, &program, expression, 1, PCAP_NETMASK_UNKNOWN)) {
		err = err_usage(e, "'%.160s' is not a filter expression%s: %s", expression,
				link == FILTER_L3 ? " for packets without Ethernet header" : "", pcap_geterr(pcap));
		err_hint(e, "the syntax is tcpdump's: man 7 pcap-filter");
	} else if (has_loop(&program)) {
		err = err_usage(e, "'%.160s' is a filter with a loop: protochain is not supported", expression);
		pcap_freecode(&program);
	} else {
		err = keep(ret_filter, &program, e);
		pcap_freecode(&program);
	}
	pcap_close(pcap);
	return err;
}

void filter_free(struct filter *filter)
{
	if (!filter)
		return;
	free(filter->ops);
	free(filter);
}
