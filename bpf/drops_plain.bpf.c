// SPDX-License-Identifier: GPL-2.0-only
/*
 * drops_plain.bpf.c - drops_tp for kernels without atomic compare and exchange: before 5.12.
 *
 * A separate object, as such a kernel refuses the instruction even where it is never reached. Copies of a packet that
 * are dropped on two CPUs at the same moment may both be counted there.
 */
#define NO_CMPXCHG
#include "drops_tp.bpf.c"
