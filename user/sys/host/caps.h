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
	CAPS_FILES = 1 << 4,	/* writing where only root may: CAP_DAC_OVERRIDE and CAP_FOWNER */
	CAPS_LIMITS = 1 << 5,	/* of memory and descriptors: CAP_IPC_LOCK and CAP_SYS_RESOURCE */
	CAPS_USER = 1 << 6,	/* to keep: becoming another user later, by CAP_SETUID and CAP_SETGID */
};

/* 0, or -EPERM naming the missing capabilities. */
int caps_require(unsigned int needs, struct err *e);

/*
 * Call when all descriptors are open and before threads start. Permanently, for this process and what it starts: as
 * root it becomes the user nobody, drops every capability except those in @keep, and can gain none, not even by
 * exec(). Those that only loading programs requires are always dropped, and system calls are limited
 * (sys/host/calls.h). What is not permitted here, as in a container without CAP_SETUID, is only logged.
 */
void caps_drop(unsigned int keep);

/* The same for a process that opens more later: the user stays, and so do capabilities for loading programs. */
void caps_limit(unsigned int keep);

/*
 * caps_drop(0) with another user, and with its groups. Returns 0 or e->no: there is no such user, or
 * it is root.
 */
int caps_become(const char *user, struct err *e);

/*
 * caps_drop(0) for a process that serves others. It cannot be traced, and what fails is an error, or a warning: the
 * user.
 */
int caps_become_nobody(struct err *e);

#endif
