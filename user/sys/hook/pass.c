// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sys/hook/pass.c - an XDP program that passes everything.
 */
#include "sys/hook/pass.h"

#include <errno.h>
#include <net/if.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>
#include <linux/if_link.h>

int pass_load(const char *name, struct err *e)
{
	static const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = XDP_PASS },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .prog_flags = BPF_F_XDP_HAS_FRAGS);
	int fd;

	fd = bpf_prog_load(BPF_PROG_TYPE_XDP, name, "GPL", insns,
			   sizeof(insns) / sizeof(insns[0]), &opts);
	if (fd == -EINVAL) {
		/* Before 5.18 there are no multi-buffer frames, so the MTU is limited to a page. */
		opts.prog_flags = 0;
		fd = bpf_prog_load(BPF_PROG_TYPE_XDP, name, "GPL", insns,
				   sizeof(insns) / sizeof(insns[0]), &opts);
	}
	return fd < 0 ? err_set(e, fd, "cannot load the XDP program '%s'", name) : fd;
}

int pass_attach(const char *ifname, struct err *e)
{
	int fd, err;

	fd = pass_load(PASS_NAME, e);
	if (fd < 0)
		return fd;
	err = bpf_xdp_attach((int)if_nametoindex(ifname), fd,
			     XDP_FLAGS_DRV_MODE | XDP_FLAGS_UPDATE_IF_NOEXIST, NULL);
	if (err)
		err_set(e, err, "cannot attach the XDP program '%s' to '%s'", PASS_NAME, ifname);
	close(fd);
	return err;
}
