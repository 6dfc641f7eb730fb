/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/hook/bpf.h - what all users of libbpf here share.
 */
#ifndef SYS_HOOK_BPF_H
#define SYS_HOOK_BPF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"

struct bpf_map;
struct bpf_object;
struct bpf_prog_info;

/* libbpf's messages go to the log one level down, and the last ones are kept for err_load(). */
void bpf_log_init(void);

/* Describes a failed load of object @name: the cause in words and the verifier's last lines. */
int bpf_load_error(struct err *e, int no, const char *name);

/* After it, for a program that has bpf_set_frags() for this MTU: what helps on a kernel without it. */
int bpf_frags_hint(struct err *e, int no, const char *ifname, uint32_t mtu);

/* Raises RLIMIT_MEMLOCK as far as it goes (kernels before 5.11 charge maps to it). */
void bpf_raise_memlock(void);

/* Maps the values of an array created with BPF_F_MMAPABLE; *ret_bytes for munmap. */
int bpf_map_memory(const struct bpf_map *map, void **ret_memory, size_t *ret_bytes,
		   struct err *e);
void bpf_unmap_memory(void *memory, size_t bytes);

/* What the kernel knows of the program with this number: 0, or -ENOENT and the like. */
int bpf_prog_info_of(uint32_t id, struct bpf_prog_info *ret_info);

/* A process that has the program open, or a link of it; 0: none that can be seen. */
int bpf_prog_pid(uint32_t id);

/* Likewise, and not this one. */
int bpf_prog_other_pid(uint32_t id);

/* False once the link's interface is gone, or it was detached. */
bool bpf_link_holds(int link_fd);

/* Runs of a program that were timed, and the time they took; 0 or negative errno. */
int bpf_prog_cost(int prog_fd, uint64_t *ret_runs, uint64_t *ret_ns);

/* Programs' runs are timed, all of this machine, until the descriptor is closed. Negative errno: not. */
int bpf_time_runs(void);

/*
 * Marks every XDP program of @obj as able (or not) to take multi-buffer
 * frames; call before load.
 */
void bpf_set_frags(struct bpf_object *obj, bool frags);

#endif
