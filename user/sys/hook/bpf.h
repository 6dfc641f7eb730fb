/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/hook/bpf.h - common functions of all libbpf users.
 */
#ifndef SYS_HOOK_BPF_H
#define SYS_HOOK_BPF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/err.h"

struct bpf_map;
struct bpf_object;
struct bpf_object_skeleton;
struct bpf_prog_info;

/*
 * Sends libbpf's messages to the log one level down; the last ones are kept for bpf_load_error().
 */
void bpf_log_init(void);

/*
 * Loads the programs of a skeleton, as its own load function does, but signals wait until they are loaded: the kernel
 * gives up a load when one arrives, and libbpf tries five times only. A negative errno.
 */
int bpf_load(struct bpf_object_skeleton *skel);

/* Describes a failed load of object @name: the cause and the verifier's last lines. */
int bpf_load_error(struct err *e, int no, const char *name);

/*
 * Then, for a program with bpf_set_frags(): what helps on a kernel that does not support this MTU.
 */
int bpf_frags_hint(struct err *e, int no, const char *ifname, uint32_t mtu);

/* Raises RLIMIT_MEMLOCK as far as possible (kernels before 5.11 charge maps to it). */
void bpf_raise_memlock(void);

/* Maps the values of an array created with BPF_F_MMAPABLE; *ret_bytes for munmap. */
int bpf_map_memory(const struct bpf_map *map, void **ret_memory, size_t *ret_bytes,
		   struct err *e);
void bpf_unmap_memory(void *memory, size_t bytes);

/* The kernel's information about the program with this ID: 0, or -ENOENT and the like. */
int bpf_prog_info_of(uint32_t id, struct bpf_prog_info *ret_info);

/* A process that holds the program or a link of it; 0: none visible. */
int bpf_prog_pid(uint32_t id);

/* The same, except this process and the one that started it. */
int bpf_prog_other_pid(uint32_t id);

/* False once the link's interface is gone, or the link was detached. */
bool bpf_link_holds(int link_fd);

/* Number of timed runs of a program, and their duration; 0 or negative errno. */
int bpf_prog_cost(int prog_fd, uint64_t *ret_runs, uint64_t *ret_ns);

/*
 * Times the runs of all programs on this machine until the descriptor is closed. Negative errno on
 * failure.
 */
int bpf_time_runs(void);

/* Whether programs may have an atomic compare and exchange: since Linux 5.12. */
bool bpf_has_cmpxchg(void);

/* Whether this machine's CPUs make stores visible in their order, for programs that release a lock by one. */
bool bpf_stores_in_order(void);

/*
 * Whether bpf_csum_diff() sums a block of any size where it is: since Linux 6.13, before which it took
 * 512 bytes at most, and copied them first.
 */
bool bpf_sums_blocks(void);

/* enum caps_need to read and write maps whose descriptors are held: none since 5.19, CAPS_BPF before. */
unsigned int bpf_map_caps(void);

/* Marks every XDP program of @obj as supporting multi-buffer frames (or not); call before load. */
void bpf_set_frags(struct bpf_object *obj, bool frags);

#endif
