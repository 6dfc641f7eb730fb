/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/core.bpf.h - what all programs here require in addition to libbpf's headers.
 */
#ifndef LIB_CORE_BPF_H
#define LIB_CORE_BPF_H

#include <linux/bpf.h>
#include <linux/types.h>
#include <stddef.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

/* One writer, its own CPU, and readers that map the memory: plain accesses, but never torn. */
#define READ_ONCE(x)		(*(volatile typeof(x) *)&(x))
#define WRITE_ONCE(x, v)	(*(volatile typeof(x) *)&(x) = (v))
#define ADD_ONCE(x, v)		WRITE_ONCE(x, READ_ONCE(x) + (v))

/*
 * An array whose memory user space maps. It has one entry until user space says how many, before it loads
 * the program: beside each is what they are.
 */
#define MAPPED_ARRAY(name, type_)			\
	struct {					\
		__uint(type, BPF_MAP_TYPE_ARRAY);	\
		__uint(map_flags, BPF_F_MMAPABLE);	\
		__type(key, __u32);			\
		__type(value, type_);			\
		__uint(max_entries, 1);			\
	} name SEC(".maps")

/* What a program works on and the stack has no room for: one for each CPU. */
#define CPU_SCRATCH(name, type_)			\
	struct {					\
		__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);	\
		__type(key, __u32);			\
		__type(value, type_);			\
		__uint(max_entries, 1);			\
	} name SEC(".maps")

#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)

#endif
