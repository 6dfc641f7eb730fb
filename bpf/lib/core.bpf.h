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

#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)

#endif
