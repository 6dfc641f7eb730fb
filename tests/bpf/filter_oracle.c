// SPDX-License-Identifier: GPL-2.0-or-later
#include "filter_oracle.h"

#include <pcap/pcap.h>

_Static_assert(sizeof(struct filter_op) == sizeof(struct bpf_insn), "the same instruction");

bool oracle_takes(const struct filter *filter, const void *frame, size_t len)
{
	const struct bpf_program program = {
		.bf_len = filter->nr, .bf_insns = (struct bpf_insn *)filter->ops,
	};
	const struct pcap_pkthdr header = { .caplen = (bpf_u_int32)len, .len = (bpf_u_int32)len };

	return pcap_offline_filter(&program, &header, frame);
}

bool oracle_is_valid(const struct filter *filter)
{
	return bpf_validate((const struct bpf_insn *)filter->ops, (int)filter->nr);
}
