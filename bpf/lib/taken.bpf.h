/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/taken.bpf.h - whether a packet is one of those that the user asked for.
 *
 * The function is room and no more: user space writes the code that it made of an
 * expression over it, before load. Not static, so that the verifier looks at it by itself.
 */
#ifndef LIB_TAKEN_BPF_H
#define LIB_TAKEN_BPF_H

#include "abi/filter.h"
#include "lib/core.bpf.h"

/* Set before load; without it the verifier drops the call as dead code. */
const volatile __u8 has_filter;

/*
 * As it is here it takes every packet; the jump lets the verifier drop what it jumps over. That
 * ctx is used keeps clang from passing anything else.
 */
#define TAKEN_FUNCTION(ctx_type)						\
__attribute__((noinline)) int packet_taken(ctx_type *ctx)			\
{										\
	__u64 taken;								\
										\
	asm volatile("%0 = 1\n"							\
		     "if %0 != 0 goto +%[pad]\n"				\
		     ".rept %[pad]\n"						\
		     "%0 = 1\n"							\
		     ".endr\n" : "=&r"(taken)						\
		     : "r"(ctx), [pad] "i"(FILTER_ROOM - 3));			\
	return taken;								\
}

#endif
