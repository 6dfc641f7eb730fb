/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/hook/tc_left.h - filters that a killed ethgauge left at a clsact hook.
 *
 * Their names are ours, no process that is visible here holds their program, and what runs unseen, as in
 * another container, would have written its time: abi/beat.h.
 */
#ifndef SYS_HOOK_TC_LEFT_H
#define SYS_HOOK_TC_LEFT_H

#include <stdbool.h>
#include <stdint.h>

#include "sys/net/nic.h"

struct tc_left {
	int ifindex;
	bool egress;
	struct nic_filter filter;
	char prog[16];		/* the program's name */
	const char *verb;	/* whose it was */
	uint64_t loaded_boot_ns;	/* CLOCK_BOOTTIME */
};

/*
 * At most @max of an interface of this thread's network namespace. Returns how many there are, or
 * -EPERM: some filter's program cannot be read.
 */
int tc_left_find(int ifindex, struct tc_left *ret_left, unsigned int max);

/* Removes the clsact hook if it has no filters. */
void tc_remove_empty(int ifindex);

/* Removes them, and the hook if it is then empty, and says so in the log. */
void tc_left_remove(int ifindex);

#endif
