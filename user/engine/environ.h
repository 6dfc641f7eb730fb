/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * engine/environ.h - where a result was taken: host and interface.
 */
#ifndef ENGINE_ENVIRON_H
#define ENGINE_ENVIRON_H

#include "report/result.h"

/* Kernel, CPUs, clock source, mitigations. */
void environ_host(struct result *res);

/* Driver, MTU, queues and speed of @ifname in this thread's network namespace. */
void environ_iface(struct result *res, const char *ifname);

#endif
