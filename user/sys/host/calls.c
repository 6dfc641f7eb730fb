// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sys/host/calls.c - the system calls that a running verb may make.
 *
 * What a call's number is, and which an architecture has, is libseccomp's. A call that is missing
 * here fails with ENOSYS, so that libc takes an older one where it has the choice.
 */
#include "sys/host/calls.h"

#include <errno.h>
#include <sched.h>

#include <linux/bpf.h>
#include <seccomp.h>

#include "lib/array.h"

static const char *const calls[] = {
	/* memory */
	"brk", "madvise", "membarrier", "memfd_create", "mlock", "mlock2", "mmap", "mmap2", "mprotect", "mremap",
	"munlock", "munmap",
	/* threads; they are made by clone(2) below */
	"arch_prctl", "exit", "exit_group", "futex", "futex_time64", "futex_waitv", "getcpu", "gettid", "prctl",
	"rseq", "sched_getaffinity", "sched_getparam", "sched_getscheduler", "sched_setaffinity",
	"sched_setscheduler", "sched_yield", "set_robust_list", "set_tid_address", "tgkill",
	/* signals */
	"kill", "restart_syscall", "rt_sigaction", "rt_sigpending", "rt_sigprocmask", "rt_sigreturn",
	"rt_sigsuspend", "rt_sigtimedwait", "rt_sigtimedwait_time64", "sigaltstack", "signalfd4", "sigreturn",
	/* time */
	"adjtimex", "clock_adjtime", "clock_getres", "clock_getres_time64", "clock_gettime", "clock_gettime64",
	"clock_nanosleep", "clock_nanosleep_time64", "gettimeofday", "nanosleep", "setitimer", "time",
	"timerfd_create", "timerfd_settime", "timerfd_settime64",
	/* descriptors */
	"_llseek", "close", "close_range", "dup", "dup2", "dup3", "epoll_create", "epoll_create1", "epoll_ctl",
	"epoll_pwait", "epoll_pwait2", "epoll_wait", "eventfd2", "fadvise64", "fallocate", "fcntl", "fcntl64",
	"fdatasync", "fsync", "ftruncate", "ftruncate64", "ioctl", "lseek", "pipe", "pipe2", "poll", "ppoll",
	"ppoll_time64", "pread64", "preadv", "pselect6", "pselect6_time64", "pwrite64", "pwritev", "read", "readv",
	"select", "sendfile", "sendfile64", "splice", "write", "writev",
	/* files */
	"access", "faccessat", "faccessat2", "fchmod", "fchown", "flock", "fstat", "fstat64", "fstatat64", "fstatfs",
	"fstatfs64", "getcwd", "getdents64", "link", "linkat", "lstat", "lstat64", "newfstatat", "open", "openat",
	"readlink", "readlinkat", "rename", "renameat", "renameat2", "stat", "stat64", "statfs", "statfs64", "statx",
	"unlink", "unlinkat",
	/* sockets */
	"accept", "accept4", "bind", "connect", "getpeername", "getsockname", "getsockopt", "listen", "recv",
	"recvfrom", "recvmmsg", "recvmmsg_time64", "recvmsg", "send", "sendmmsg", "sendmsg", "sendto", "setsockopt",
	"shutdown", "socket", "socketcall", "socketpair",
	/* what this process is, and has used */
	"getegid", "geteuid", "getgid", "getpgid", "getpgrp", "getpid", "getppid", "getrandom",
	"getrlimit", "getrusage", "getuid", "prlimit64", "sysinfo", "times", "ugetrlimit", "uname", "wait4", "waitid",
};

/* All but those that load a program or pin one. A map is made where a tc filter is attached again. */
static const int bpf_commands[] = {
	BPF_MAP_CREATE, BPF_MAP_GET_FD_BY_ID, BPF_MAP_LOOKUP_ELEM, BPF_MAP_UPDATE_ELEM, BPF_MAP_DELETE_ELEM,
	BPF_MAP_GET_NEXT_KEY, BPF_MAP_LOOKUP_AND_DELETE_ELEM, BPF_MAP_LOOKUP_BATCH, BPF_MAP_LOOKUP_AND_DELETE_BATCH,
	BPF_MAP_DELETE_BATCH, BPF_PROG_TEST_RUN, BPF_PROG_GET_NEXT_ID, BPF_PROG_GET_FD_BY_ID, BPF_OBJ_GET_INFO_BY_FD,
	BPF_PROG_QUERY, BPF_PROG_ATTACH, BPF_PROG_DETACH, BPF_LINK_CREATE, BPF_LINK_DETACH, BPF_LINK_GET_FD_BY_ID,
	BPF_LINK_GET_NEXT_ID, BPF_ENABLE_STATS, BPF_PROG_BIND_MAP,
};

#ifdef __s390__
#define CLONE_FLAGS	1
#else
#define CLONE_FLAGS	0
#endif

static int allow_always(scmp_filter_ctx filter)
{
	int call, err = 0;
	size_t i;

	for (i = 0; !err && i < ARRAY_SIZE(calls); i++) {
		call = seccomp_syscall_resolve_name(calls[i]);
		/* A newer one than this libseccomp, which libc then does without. */
		err = call == __NR_SCMP_ERROR ? 0 : seccomp_rule_add(filter, SCMP_ACT_ALLOW, call, 0);
	}
	return err;
}

static int allow(scmp_filter_ctx filter, unsigned int also)
{
	int err = allow_always(filter);
	size_t i;

	for (i = 0; !err && i < ARRAY_SIZE(bpf_commands); i++)
		err = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(bpf), 1,
				       SCMP_A0(SCMP_CMP_EQ, (scmp_datum_t)bpf_commands[i]));
	if (!err)
		err = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1,
				       SCMP_CMP(CLONE_FLAGS, SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD));
	if (!err && (also & CALLS_NETNS))
		err = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(setns), 1,
				       SCMP_A1(SCMP_CMP_EQ, CLONE_NEWNET));
	return err;
}

int calls_limit(unsigned int also)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ERRNO(ENOSYS));
	int err;

	if (!filter)
		return -ENOMEM;
	/* Before 5.16 a filter otherwise disables Speculative Store Bypass, which slows its process down. */
	seccomp_attr_set(filter, SCMP_FLTATR_CTL_SSB, 1);
	/* A binary tree, for kernels that do not remember what is allowed (before 5.11). */
	seccomp_attr_set(filter, SCMP_FLTATR_CTL_OPTIMIZE, 2);
	seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1);
	err = allow(filter, also);
	if (!err)
		err = seccomp_load(filter);
	seccomp_release(filter);
	return err;
}
