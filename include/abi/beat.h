/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * abi/beat.h - whether the process of a clsact filter still runs: the kernel does not detach it with the process.
 *
 * An array of one __u64 that belongs to the program: CLOCK_MONOTONIC, written by the process many times in
 * TC_BEAT_NS. 0: the process holds a link, which the kernel ends with it.
 */
#ifndef ABI_BEAT_H
#define ABI_BEAT_H

#define TC_BEAT_MAP	"tc_beat"
#define TC_BEAT_NS	2000000000ull	/* older: it is stopped or gone */

#endif
