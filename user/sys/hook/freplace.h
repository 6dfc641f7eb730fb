/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/hook/freplace.h - whether this kernel lets one program replace another, which
 * libxdp's dispatcher needs.
 */
#ifndef SYS_HOOK_FREPLACE_H
#define SYS_HOOK_FREPLACE_H

#include <stdbool.h>

/* Replaces a program of its own, which is attached nowhere. 0 or -errno. */
int freplace_try(void);

/* It fails, and would again: the kernel does not allow it, or this process may not. */
bool freplace_is_refused(void);

#endif
