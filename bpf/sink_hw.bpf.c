// SPDX-License-Identifier: GPL-2.0-only
/*
 * sink_hw.bpf.c - sink_xdp with hardware receive timestamps.
 *
 * A separate object: a kernel function requires the kernel's BTF to load (unlike sink_xdp), kernel
 * 6.3, and a program bound to one device.
 */
#define ARRIVAL_HW
#include "sink_xdp.bpf.c"
