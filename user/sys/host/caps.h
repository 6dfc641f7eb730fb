/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/host/caps.h - what this process may do, and giving it up.
 */
#ifndef SYS_HOST_CAPS_H
#define SYS_HOST_CAPS_H

#include "lib/err.h"

enum caps_need {
	CAPS_BPF = 1 << 0,	/* CAP_BPF and CAP_PERFMON, or CAP_SYS_ADMIN */
	CAPS_NET_ADMIN = 1 << 1,
	CAPS_NET_RAW = 1 << 2,
	CAPS_SYS_ADMIN = 1 << 3,
};

/* 0, or -EPERM with the missing capabilities named. */
int caps_require(unsigned int needs, struct err *e);

/*
 * Gives up every capability but those of @keep, for good and for all threads
 * made later. Call when all descriptors are held and before threads start.
 * Failing is no error: it is logged.
 */
void caps_drop(unsigned int keep);

/*
 * Becomes @user, for good, with its groups and without any capability, if this is root; of
 * another user it only drops these. Call before threads start.
 */
int caps_become(const char *user, struct err *e);

/* caps_drop() and caps_become() leave writing files to root's own power as well: -o was given. */
void caps_keep_files(void);

#endif
