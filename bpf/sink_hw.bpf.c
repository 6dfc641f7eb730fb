// SPDX-License-Identifier: GPL-2.0-only
/*
 * sink_hw.bpf.c - sink_xdp with the NIC's own receive stamps.
 *
 * An object of its own: a kernel function takes the kernel's BTF to load
 * (which sink_xdp does without), kernel 6.3, and a program that is bound to
 * one device.
 */
#define ARRIVAL_HW
#include "sink_xdp.bpf.c"
