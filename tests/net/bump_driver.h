/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * bump_driver.h - what bump_driver.c has bump_driver.bpf.c decide.
 */
#ifndef TESTS_BUMP_DRIVER_H
#define TESTS_BUMP_DRIVER_H

#include "abi/impair.h"

struct bump_driver_cfg {
	struct impair_fate fate;	/* of every packet that is taken */
	__u64 every, phase;		/* those with ordinal % every == phase; others: only delayed */
	__u64 bare;			/* 1: without a fate in front */
};

#endif
