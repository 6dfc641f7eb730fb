/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sys/host/caps.h - require and drop capabilities.
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

/* 0, or -EPERM naming the missing capabilities. */
int caps_require(unsigned int needs, struct err *e);

/*
 * Drops every capability except those in @keep, permanently and for all threads created later. Call
 * when all descriptors are open and before threads start. A failure is only logged.
 */
void caps_drop(unsigned int keep);

/*
 * As root: becomes @user permanently, with its groups and without any capability. As another user:
 * only drops capabilities. Call before threads start.
 */
int caps_become(const char *user, struct err *e);

/*
 * For a process that only serves others: as root it becomes the user nobody, without groups. It has no
 * capability then, whatever caps_keep_files() said, can get none, and cannot be traced. Where
 * the user cannot be changed it stays, with a warning.
 */
int caps_become_nobody(struct err *e);

/* Makes caps_drop() and caps_become() keep root's permission to write files: -o was given. */
void caps_keep_files(void);

#endif
