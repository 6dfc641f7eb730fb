// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sys/hook/freplace.c - whether this kernel lets one program replace another.
 */
#include "sys/hook/freplace.h"

#include <errno.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

/* BTF of "int probe(struct xdp_md *ctx)", the minimum for a replacement; and the function's ID. */
static int make_btf(struct btf **ret_btf)
{
	struct btf *btf = btf__new_empty();
	int integer, ctx, proto, func;

	if (libbpf_get_error(btf))
		return -ENOMEM;
	integer = btf__add_int(btf, "int", 4, BTF_INT_SIGNED);
	ctx = btf__add_ptr(btf, btf__add_struct(btf, "xdp_md", 24));
	proto = btf__add_func_proto(btf, integer);
	btf__add_func_param(btf, "ctx", ctx);
	func = btf__add_func(btf, "probe", BTF_FUNC_GLOBAL, proto);
	if (func > 0) {
		int err = btf__load_into_kernel(btf);

		if (!err) {
			*ret_btf = btf;
			return func;
		}
		func = err;
	}
	btf__free(btf);
	return func;
}

int freplace_try(void)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = XDP_PASS },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	struct bpf_func_info info = { 0 };
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .func_info = &info, .func_info_cnt = 1,
		    .func_info_rec_size = sizeof(info));
	struct btf *btf = NULL;
	int target_fd, prog_fd = -1, err, func = make_btf(&btf);

	if (func < 0)
		return func;
	info.type_id = (__u32)func;
	opts.prog_btf_fd = (__u32)btf__fd(btf);
	err = target_fd = bpf_prog_load(BPF_PROG_TYPE_XDP, "doctor", "GPL", insns, 2, &opts);
	if (err < 0)
		goto out;
	opts.attach_prog_fd = (__u32)target_fd;
	opts.attach_btf_id = (__u32)func;
	err = prog_fd = bpf_prog_load(BPF_PROG_TYPE_EXT, "doctor", "GPL", insns, 2, &opts);
	if (err < 0)
		goto out;
	err = bpf_raw_tracepoint_open(NULL, prog_fd);
	close_fd(err);
out:
	close_fd(prog_fd);
	close_fd(target_fd);
	btf__free(btf);
	return err < 0 ? err : 0;
}

bool freplace_is_refused(void)
{
	switch (-freplace_try()) {
	case EPERM:
	case EACCES:
	case EINVAL:
	case EOPNOTSUPP:
	case 524:	/* the kernel-internal ENOTSUPP */
		return true;
	}
	return false;
}
