/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/hook/freplace.h - test whether this kernel allows one program to replace another, as libxdp's
 * dispatcher requires.
 */
#ifndef SYS_HOOK_FREPLACE_H
#define SYS_HOOK_FREPLACE_H

#include <stdbool.h>

/* Replaces a program of its own that is not attached anywhere. 0 or -errno. */
int freplace_try(void);

/* It fails permanently: not supported by the kernel, or not permitted for this process. */
bool freplace_is_refused(void);

#endif
