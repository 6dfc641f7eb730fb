// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sys/hook/bpf.c - common functions of all libbpf users.
 */
#include "sys/hook/bpf.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/bpf.h>

#include "lib/array.h"
#include "lib/log.h"
#include "sys/host/caps.h"
#include "sys/host/memlock.h"
#include "sys/host/sysfs.h"
#include "sys/net/nic.h"

#ifndef BPF_F_XDP_HAS_FRAGS
#define BPF_F_XDP_HAS_FRAGS (1U << 5)
#endif

/* libbpf's last messages, for the error that follows them. */
static char last_words[384];

static int print(enum libbpf_print_level level, const char *fmt, va_list args)
{
	char line[1024], *end;
	size_t keep;

	vsnprintf(line, sizeof(line), fmt, args);
	end = line + strlen(line);
	while (end > line && end[-1] == '\n')
		*--end = '\0';
	/* Its debug messages are a line per relocation: those who want them say so, as with libbpf's own print. */
	if (level != LIBBPF_DEBUG || (getenv("LIBBPF_LOG_LEVEL") && !strcmp(getenv("LIBBPF_LOG_LEVEL"), "debug")))
		log_debug("%s", line);
	if (level == LIBBPF_WARN) {
		keep = (size_t)(end - line) < sizeof(last_words) ? 0 :
			(size_t)(end - line) - sizeof(last_words) + 1;
		snprintf(last_words, sizeof(last_words), "%s", line + keep);
	}
	return 0;
}

void bpf_log_init(void)
{
	libbpf_set_print(print);
}

int bpf_load(struct bpf_object_skeleton *skel)
{
	sigset_t all, before;
	int err;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	err = bpf_object__load_skeleton(skel);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return err;
}

int bpf_load_error(struct err *e, int no, const char *name)
{
	err_machine(e, no, "cannot load BPF object '%s' into this kernel", name);
	if (no == -EPERM)
		return err_hint(e, "%s; see also: ethgauge doctor", memlock_fix());
	return err_hint(e, "see: ethgauge doctor; for the whole verifier log: -v; its end: "
			"%.300s", last_words);
}

int bpf_frags_hint(struct err *e, int no, const char *ifname, uint32_t mtu)
{
	if (no == -EPERM)
		return no;
	return err_hint(e, "an MTU of %u requires multi-buffer XDP (kernel 5.18 and later): "
			"ip link set dev %s mtu %u; or use " OPTION("xdp-mode") " generic",
			mtu, ifname, NIC_LINEAR_MTU);
}

void bpf_raise_memlock(void)
{
	struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };

	if (!setrlimit(RLIMIT_MEMLOCK, &limit))
		return;
	if (!getrlimit(RLIMIT_MEMLOCK, &limit)) {
		limit.rlim_cur = limit.rlim_max;
		setrlimit(RLIMIT_MEMLOCK, &limit);
	}
}

int bpf_map_memory(const struct bpf_map *map, void **ret_memory, size_t *ret_bytes,
		   struct err *e)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes;
	void *memory;

	bytes = (size_t)bpf_map__max_entries(map) * ((bpf_map__value_size(map) + 7) / 8 * 8);
	bytes = (bytes + page - 1) / page * page;
	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);
	if (memory == MAP_FAILED)
		return err_set(e, -errno, "cannot map the memory of BPF map '%s'",
			       bpf_map__name(map));
	*ret_memory = memory;
	*ret_bytes = bytes;
	return 0;
}

void bpf_unmap_memory(void *memory, size_t bytes)
{
	if (memory)
		munmap(memory, bytes);
}

void bpf_set_frags(struct bpf_object *obj, bool frags)
{
	struct bpf_program *prog;

	bpf_object__for_each_program(prog, obj) {
		__u32 flags = bpf_program__flags(prog) & ~BPF_F_XDP_HAS_FRAGS;

		bpf_program__set_flags(prog, frags ? flags | BPF_F_XDP_HAS_FRAGS : flags);
	}
}

bool bpf_has_cmpxchg(void)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0 },
		{ .code = BPF_STX | BPF_MEM | BPF_DW, .dst_reg = BPF_REG_10, .src_reg = BPF_REG_0, .off = -8 },
		{ .code = BPF_STX | BPF_ATOMIC | BPF_DW, .dst_reg = BPF_REG_10, .src_reg = BPF_REG_0, .off = -8,
		  .imm = BPF_CMPXCHG },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	int fd = bpf_prog_load(BPF_PROG_TYPE_XDP, "cmpxchg", "GPL", insns,
			       ARRAY_SIZE(insns), NULL);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

bool bpf_stores_in_order(void)
{
#if defined(__x86_64__) || defined(__s390x__)
	return true;
#else
	return false;
#endif
}

static bool kernel_is(int least_major, int least_minor)
{
	struct utsname host;
	int major, minor;

	return !uname(&host) && sscanf(host.release, "%d.%d", &major, &minor) == 2 &&
	       (major > least_major || (major == least_major && minor >= least_minor));
}

bool bpf_sums_blocks(void)
{
	return kernel_is(6, 13);
}

unsigned int bpf_map_caps(void)
{
	return kernel_is(5, 19) ? 0 : CAPS_BPF;
}

int bpf_prog_info_of(uint32_t id, struct bpf_prog_info *ret_info)
{
	__u32 bytes = sizeof(*ret_info);
	int fd = bpf_prog_get_fd_by_id(id), err;

	if (fd < 0)
		return fd;
	memset(ret_info, 0, sizeof(*ret_info));
	err = bpf_obj_get_info_by_fd(fd, ret_info, &bytes);
	close(fd);
	return err;
}

/* The kernel writes "prog_id:\t7" for program and link descriptors. */
static bool process_holds(const char *pid, uint32_t id)
{
	char path[300], text[1024], want[32];
	struct dirent *entry;
	bool held = false;
	DIR *dir;

	snprintf(want, sizeof(want), "\nprog_id:\t%u\n", id);
	snprintf(path, sizeof(path), "/proc/%s/fdinfo", pid);
	dir = opendir(path);
	while (dir && !held && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), "/proc/%s/fdinfo/%.16s", pid, entry->d_name);
		if (entry->d_name[0] == '.' || sysfs_read(path, text, sizeof(text) - 1) <= 0)
			continue;
		/* The last newline was removed. */
		held = strstr(strcat(text, "\n"), want);
	}
	if (dir)
		closedir(dir);
	return held;
}

static int find_pid(uint32_t id, bool by_others)
{
	struct dirent *entry;
	int pid, found = 0;
	DIR *dir;

	dir = opendir("/proc");
	while (dir && !found && (entry = readdir(dir))) {
		pid = atoi(entry->d_name);
		if (by_others && (pid == getpid() || pid == getppid()))
			continue;
		if (pid > 0 && process_holds(entry->d_name, id))
			found = pid;
	}
	if (dir)
		closedir(dir);
	return found;
}

int bpf_prog_pid(uint32_t id)
{
	return find_pid(id, false);
}

int bpf_prog_other_pid(uint32_t id)
{
	return find_pid(id, true);
}

bool bpf_link_holds(int link_fd)
{
	struct bpf_link_info info = { 0 };
	__u32 bytes = sizeof(info);

	/*
	 * Also valid for tcx links: their part of the union begins with it; older headers lack
	 * them.
	 */
	return !bpf_obj_get_info_by_fd(link_fd, &info, &bytes) && info.xdp.ifindex;
}

int bpf_prog_cost(int prog_fd, uint64_t *ret_runs, uint64_t *ret_ns)
{
	struct bpf_prog_info info = { 0 };
	__u32 bytes = sizeof(info);
	int err = bpf_obj_get_info_by_fd(prog_fd, &info, &bytes);

	if (err)
		return err;
	*ret_runs = info.run_cnt;
	*ret_ns = info.run_time_ns;
	return 0;
}

int bpf_time_runs(void)
{
	return bpf_enable_stats(BPF_STATS_RUN_TIME);
}
