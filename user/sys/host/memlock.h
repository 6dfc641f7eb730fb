/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/host/memlock.h - the limit of locked memory.
 */
#ifndef SYS_HOST_MEMLOCK_H
#define SYS_HOST_MEMLOCK_H

/*
 * What helps where the limit refuses memory. bpf_raise_memlock() has raised the soft limit by then:
 * the hard limit is too low, which only root can raise.
 */
const char *memlock_fix(void);

#endif
