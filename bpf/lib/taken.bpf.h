/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lib/taken.bpf.h - whether a packet matches the user's filter.
 *
 * The function only reserves room: before load, user space overwrites it with the code generated
 * from an expression. Not static, so that the verifier checks it separately.
 */
#ifndef LIB_TAKEN_BPF_H
#define LIB_TAKEN_BPF_H

#include "abi/filter.h"
#include "lib/core.bpf.h"

/* Set before load; without it the verifier drops the call as dead code. */
const volatile __u8 has_filter;

/*
 * Unmodified, it matches every packet; the jump lets the verifier drop the code that it skips.
 * Using ctx keeps clang from passing anything else.
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
