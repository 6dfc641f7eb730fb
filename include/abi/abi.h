/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * abi/abi.h - rules for data shared by BPF programs and user space.
 *
 * Only fixed-width types, no implicit padding, no bool; `reserved` fields are zero. One declaration
 * serves both sides.
 */
#ifndef ABI_ABI_H
#define ABI_ABI_H

#include <linux/types.h>

#define ABI_ASSERT_SIZE(type, bytes) \
	_Static_assert(sizeof(type) == (bytes), #type ": size is part of the ABI")

/* For functions called by a BPF program under a spin lock, where no function call is allowed. */
#define ABI_INLINE static inline __attribute__((always_inline))

#endif
