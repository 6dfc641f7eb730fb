// SPDX-License-Identifier: GPL-2.0-only
/*
 * sink_spin.bpf.c - sink_xdp for kernels without atomic compare and exchange: before 5.12.
 *
 * A separate object, as such a kernel refuses the instruction even where it is never reached.
 */
#define NO_CMPXCHG
#include "sink_xdp.bpf.c"
