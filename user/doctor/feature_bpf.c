// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * doctor/feature_bpf.c - probes of the kernel: programs of two instructions are
 * loaded, and attached where no traffic passes: in a namespace of their own, or to
 * functions that only BPF's self-test calls.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>
#include <linux/if_link.h>
#include <linux/magic.h>

#include "doctor/feature_probe.h"
#include "sys/afxdp/afxdp_stamp.h"
#include "sys/hook/freplace.h"
#include "sys/host/clock.h"
#include "sys/host/sysfs.h"

#define LO_IFINDEX 1	/* loopback in every network namespace */

/* enum bpf_attach_type from 6.6 on; Debian 12's headers are older. */
#define TCX_INGRESS ((enum bpf_attach_type)46)

#define VMLINUX_BTF "/sys/kernel/btf/vmlinux"

#define RETURN(value) \
	{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = (value) }, \
	{ .code = BPF_JMP | BPF_EXIT }

int feature_load_xdp(int verdict)
{
	const struct bpf_insn insns[] = { RETURN(verdict) };

	return bpf_prog_load(BPF_PROG_TYPE_XDP, "doctor", "GPL", insns, 2, NULL);
}

void probe_btf(struct feature_set *set, struct feature_answer *ret)
{
	struct stat st;

	(void)set;
	if (!stat(VMLINUX_BTF, &st))
		feature_say(ret, FEATURE_PRESENT, "%s", VMLINUX_BTF);
	else if (access("/sys/kernel", F_OK))
		feature_say(ret, FEATURE_UNKNOWN, "sysfs is not mounted at /sys");
	else
		feature_say(ret, FEATURE_ABSENT, "no %s", VMLINUX_BTF);
}

void probe_bpffs(struct feature_set *set, struct feature_answer *ret)
{
	struct statfs fs;

	(void)set;
	if (!statfs("/sys/fs/bpf", &fs) && fs.f_type == BPF_FS_MAGIC)
		feature_say(ret, FEATURE_PRESENT, "mounted at /sys/fs/bpf");
	else
		feature_say(ret, FEATURE_ABSENT, "not mounted at /sys/fs/bpf");
}

static int try_link(void *ctx)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .flags = XDP_FLAGS_SKB_MODE);
	int fd = bpf_link_create(*(int *)ctx, LO_IFINDEX, BPF_XDP, &opts);

	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

void probe_bpf_link(struct feature_set *set, struct feature_answer *ret)
{
	int prog_fd = feature_load_xdp(XDP_PASS), err;
	bool entered;

	if (prog_fd < 0) {
		feature_failed(set, ret, prog_fd, "root (CAP_BPF, CAP_NET_ADMIN)");
		return;
	}
	err = feature_in_netns(try_link, &prog_fd, &entered);
	close(prog_fd);
	if (!entered)
		feature_say(ret, FEATURE_UNKNOWN, "no namespace for a trial: %s", strerror(-err));
	else if (err)
		feature_failed(set, ret, err, "root (CAP_NET_ADMIN)");
	else
		feature_say(ret, FEATURE_PRESENT, "tested in a private namespace");
}

int feature_try_native(int ifindex)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .flags = XDP_FLAGS_DRV_MODE);
	int prog_fd = feature_load_xdp(XDP_PASS), fd;

	if (prog_fd < 0)
		return prog_fd;
	fd = bpf_link_create(prog_fd, ifindex, BPF_XDP, &opts);
	close(prog_fd);
	if (fd < 0)
		return fd;
	close(fd);
	return 0;
}

/*
 * Nothing is sent: one frame is made and dropped by the program. Kernels
 * before 5.18 refuse the batch size; some ignore the flag, run the program as
 * ever and return its verdict, which live runs do not.
 */
void probe_live_frames(struct feature_set *set, struct feature_answer *ret)
{
	unsigned char frame[64] = { 0 };
	LIBBPF_OPTS(bpf_test_run_opts, opts,
		    .data_in = frame, .data_size_in = sizeof(frame), .repeat = 1,
		    .flags = BPF_F_TEST_XDP_LIVE_FRAMES, .batch_size = 1);
	int prog_fd = feature_load_xdp(XDP_DROP), err;

	if (prog_fd < 0) {
		feature_failed(set, ret, prog_fd, "root (CAP_BPF, CAP_NET_ADMIN)");
		return;
	}
	err = bpf_prog_test_run_opts(prog_fd, &opts);
	close(prog_fd);
	if (err)
		feature_failed(set, ret, err, "root (CAP_NET_ADMIN)");
	else if (opts.retval == XDP_DROP)
		feature_say(ret, FEATURE_ABSENT, "tested: the flag is ignored");
	else
		feature_say(ret, FEATURE_PRESENT, "tested: one frame made and dropped");
}

void probe_af_xdp(struct feature_set *set, struct feature_answer *ret)
{
	int fd = socket(AF_XDP, SOCK_RAW | SOCK_CLOEXEC, 0);

	if (fd < 0) {
		feature_failed(set, ret, -errno, "root (CAP_NET_RAW)");
		return;
	}
	close(fd);
	feature_say(ret, FEATURE_PRESENT, "a socket was opened");
}

void probe_tx_metadata(struct feature_set *set, struct feature_answer *ret)
{
	int err = afxdp_stamp_try();

	if (err)
		feature_failed(set, ret, err, "root (CAP_NET_RAW)");
	else
		feature_say(ret, FEATURE_PRESENT, "packet memory was registered");
}

void probe_tcx(struct feature_set *set, struct feature_answer *ret)
{
	LIBBPF_OPTS(bpf_prog_query_opts, opts);
	int err = bpf_prog_query_opts(LO_IFINDEX, TCX_INGRESS, &opts);

	if (err)
		feature_failed(set, ret, err, "root (CAP_NET_ADMIN)");
	else
		feature_say(ret, FEATURE_PRESENT, "the kernel lists its programs");
}

static int try_clsact(void *ctx)
{
	LIBBPF_OPTS(bpf_tc_hook, hook, .ifindex = LO_IFINDEX, .attach_point = BPF_TC_INGRESS);

	(void)ctx;
	return bpf_tc_hook_create(&hook);
}

void probe_clsact(struct feature_set *set, struct feature_answer *ret)
{
	bool entered;
	int err = feature_in_netns(try_clsact, NULL, &entered);

	if (err)
		feature_failed(set, ret, err, "root (CAP_SYS_ADMIN)");
	else
		feature_say(ret, FEATURE_PRESENT, "tested in a private namespace");
}

/* True if the struct @name of the kernel's BTF has @member. */
static bool has_member(const struct btf *btf, const char *name, const char *member)
{
	__s32 id = btf__find_by_name_kind(btf, name, BTF_KIND_STRUCT);
	const struct btf_type *type;
	const struct btf_member *m;
	int i;

	if (id < 0)
		return false;
	type = btf__type_by_id(btf, (__u32)id);
	m = btf_members(type);
	for (i = 0; i < btf_vlen(type); i++) {
		if (!strcmp(btf__name_by_offset(btf, m[i].name_off), member))
			return true;
	}
	return false;
}

void probe_drop_reasons(struct feature_set *set, struct feature_answer *ret)
{
	static const char *const formats[] = {
		"/sys/kernel/tracing/events/skb/kfree_skb/format",
		"/sys/kernel/debug/tracing/events/skb/kfree_skb/format",
	};
	const struct btf *btf = feature_btf(set);
	char text[4096];
	size_t i;

	if (btf) {
		if (has_member(btf, "trace_event_raw_kfree_skb", "reason"))
			feature_say(ret, FEATURE_PRESENT, "tracepoint skb:kfree_skb has a reason");
		else
			feature_say(ret, FEATURE_ABSENT, "tracepoint skb:kfree_skb has no reason");
		return;
	}
	for (i = 0; i < 2; i++) {
		if (sysfs_read(formats[i], text, sizeof(text)) <= 0)
			continue;
		feature_say(ret, strstr(text, " reason;") ? FEATURE_PRESENT : FEATURE_ABSENT,
			    "according to %s", formats[i]);
		return;
	}
	feature_say(ret, FEATURE_UNKNOWN, "neither BTF nor tracefs can be read");
	feature_command(NULL, ret, "mount -t tracefs tracefs /sys/kernel/tracing");
}

/* Loads a tracing program for @symbol and attaches it for an instant; 0 or negative errno. */
static int try_tracing(const struct btf *btf, const char *symbol, __u32 kind,
		       enum bpf_attach_type attach_type)
{
	const struct bpf_insn insns[] = { RETURN(0) };
	__s32 id = btf__find_by_name_kind(btf, symbol, kind);
	LIBBPF_OPTS(bpf_prog_load_opts, opts, .expected_attach_type = attach_type,
		    .attach_btf_id = (__u32)id);
	int prog_fd, link_fd;

	if (id < 0)
		return -ENOENT;
	prog_fd = bpf_prog_load(BPF_PROG_TYPE_TRACING, "doctor", "GPL", insns, 2, &opts);
	if (prog_fd < 0)
		return prog_fd;
	link_fd = bpf_raw_tracepoint_open(NULL, prog_fd);
	close(prog_fd);
	if (link_fd < 0)
		return link_fd;
	close(link_fd);
	return 0;
}

static void probe_tracing(struct feature_set *set, struct feature_answer *ret, const char *symbol,
			  __u32 kind, enum bpf_attach_type attach_type)
{
	const struct btf *btf = feature_btf(set);
	int err;

	if (!btf) {
		feature_say(ret, FEATURE_ABSENT, "requires the kernel's BTF, which is absent");
		return;
	}
	err = try_tracing(btf, symbol, kind, attach_type);
	if (err)
		feature_failed(set, ret, err, "root (CAP_BPF, CAP_PERFMON)");
	else
		feature_say(ret, FEATURE_PRESENT, "tested at %s", symbol);
}

/* Both of these are reached only by BPF_PROG_TEST_RUN. */
void probe_tp_btf(struct feature_set *set, struct feature_answer *ret)
{
	probe_tracing(set, ret, "btf_trace_bpf_test_finish", BTF_KIND_TYPEDEF, BPF_TRACE_RAW_TP);
}

void probe_fentry(struct feature_set *set, struct feature_answer *ret)
{
	probe_tracing(set, ret, "bpf_fentry_test1", BTF_KIND_FUNC, BPF_TRACE_FENTRY);
}

void probe_freplace(struct feature_set *set, struct feature_answer *ret)
{
	int err = freplace_try();

	if (err)
		feature_failed(set, ret, err, "root (CAP_BPF, CAP_PERFMON, CAP_SYS_ADMIN)");
	else
		feature_say(ret, FEATURE_PRESENT, "tested: one test program replaced another");
}

void probe_xdp_metadata(struct feature_set *set, struct feature_answer *ret)
{
	const struct btf *btf = feature_btf(set);

	if (!btf)
		feature_say(ret, FEATURE_ABSENT, "requires the kernel's BTF, which is absent");
	else if (btf__find_by_name_kind(btf, "bpf_xdp_metadata_rx_timestamp", BTF_KIND_FUNC) < 0)
		feature_say(ret, FEATURE_ABSENT, "no bpf_xdp_metadata_rx_timestamp()");
	else
		feature_say(ret, FEATURE_PRESENT, "bpf_xdp_metadata_rx_timestamp()");
}

void probe_tai_clock(struct feature_set *set, struct feature_answer *ret)
{
	int err = clock_try_bpf(STAMP_TAI);

	if (err)
		feature_failed(set, ret, err, "root (CAP_BPF, CAP_NET_ADMIN)");
	else
		feature_say(ret, FEATURE_PRESENT, "a program that reads it was loaded");
}

/* The sysctl exists in the initial network namespace only; loading a program works everywhere. */
void probe_jit(struct feature_set *set, struct feature_answer *ret)
{
	struct bpf_prog_info info = { 0 };
	__u32 info_bytes = sizeof(info);
	int fd = feature_load_xdp(XDP_PASS), err;
	char text[32];

	if (fd < 0) {
		if (sysfs_read("/proc/sys/net/core/bpf_jit_enable", text, sizeof(text)) > 0)
			feature_say(ret, text[0] == '0' ? FEATURE_ABSENT : FEATURE_PRESENT,
				    "net.core.bpf_jit_enable=%s", text);
		else
			feature_failed(set, ret, fd, "root (CAP_BPF)");
		return;
	}
	err = bpf_obj_get_info_by_fd(fd, &info, &info_bytes);
	close(fd);
	if (err)
		feature_failed(set, ret, err, "root (CAP_BPF)");
	else if (info.jited_prog_len)
		feature_say(ret, FEATURE_PRESENT, "a program was compiled");
	else
		feature_say(ret, FEATURE_ABSENT, "a program was not compiled");
}

void probe_unprivileged(struct feature_set *set, struct feature_answer *ret)
{
	char text[32];

	(void)set;
	if (sysfs_read("/proc/sys/kernel/unprivileged_bpf_disabled", text, sizeof(text)) <= 0)
		feature_say(ret, FEATURE_UNKNOWN, "no kernel.unprivileged_bpf_disabled to read");
	else
		feature_say(ret, text[0] == '0' ? FEATURE_PRESENT : FEATURE_ABSENT,
			    "kernel.unprivileged_bpf_disabled=%s%s", text,
			    text[0] == '1' ? ", until the next boot" : "");
}
