// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sys/hook/pass.c - an XDP program that passes everything.
 */
#include "sys/hook/pass.h"

#include <errno.h>
#include <net/if.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>
#include <linux/if_link.h>

#include "lib/array.h"
#include "lib/loop.h"
#include "sys/hook/bpf.h"
#include "sys/host/caps.h"
#include "sys/host/child.h"

#define RETRY_NS	10000000ull
#define RETRIES		200	/* the link of a killed process is freed a little after its end */

int pass_load(const char *name, struct err *e)
{
	static const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = XDP_PASS },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .prog_flags = BPF_F_XDP_HAS_FRAGS);
	int fd;

	fd = bpf_prog_load(BPF_PROG_TYPE_XDP, name, "GPL", insns,
			   ARRAY_SIZE(insns), &opts);
	if (fd == -EINVAL) {
		/* Before 5.18 there are no multi-buffer frames, so the MTU is limited to a page. */
		opts.prog_flags = 0;
		fd = bpf_prog_load(BPF_PROG_TYPE_XDP, name, "GPL", insns,
				   ARRAY_SIZE(insns), &opts);
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

struct comeback {
	int ifindex, prog_fd;
};

static void come_back(int socket, void *ctx)
{
	const struct comeback *comeback = ctx;
	const int fds[] = { socket, comeback->prog_fd };
	int i, err;
	char byte;

	prctl(PR_SET_NAME, "ethgauge-pass");
	caps_limit(CAPS_NET_ADMIN);
	if (child_isolate(fds, 2))
		return;
	helper_receive(CHILD_FIRST_FD, &byte, sizeof(byte), NULL);
	for (i = 0; i < RETRIES; i++) {
		err = bpf_xdp_attach(comeback->ifindex, CHILD_FIRST_FD + 1,
				     XDP_FLAGS_DRV_MODE | XDP_FLAGS_UPDATE_IF_NOEXIST, NULL);
		if (err != -EBUSY && err != -EEXIST)
			return;
		loop_sleep_until(loop_mono_ns() + RETRY_NS);
	}
}

int pass_give_way(int ifindex, struct helper *ret_helper)
{
	LIBBPF_OPTS(bpf_xdp_query_opts, query);
	LIBBPF_OPTS(bpf_xdp_attach_opts, opts);
	struct comeback comeback = { .ifindex = ifindex };
	struct bpf_prog_info info;
	int err = bpf_xdp_query(ifindex, 0, &query);

	if (err)
		return err;
	if (!query.drv_prog_id || bpf_prog_info_of(query.drv_prog_id, &info) || strcmp(info.name, PASS_NAME))
		return -EBUSY;
	comeback.prog_fd = bpf_prog_get_fd_by_id(query.drv_prog_id);
	if (comeback.prog_fd < 0)
		return -errno;
	opts.old_prog_fd = comeback.prog_fd;
	/* The kernel refuses this for a program of a link, which a sender attaches for a run. */
	err = bpf_xdp_detach(ifindex, XDP_FLAGS_DRV_MODE, &opts);
	if (!err) {
		err = helper_start(ret_helper, come_back, &comeback);
		if (err)
			bpf_xdp_attach(ifindex, comeback.prog_fd, XDP_FLAGS_DRV_MODE | XDP_FLAGS_UPDATE_IF_NOEXIST,
				       NULL);
	}
	close(comeback.prog_fd);
	return err;
}
