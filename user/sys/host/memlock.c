// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * sys/host/memlock.c - the limit of locked memory.
 */
#include "sys/host/memlock.h"

#include <sys/resource.h>

const char *memlock_fix(void)
{
	struct rlimit limit;

	if (!getrlimit(RLIMIT_MEMLOCK, &limit) && limit.rlim_max == RLIM_INFINITY)
		return "run it as root: sudo ethgauge ...";
	return "run it as root: sudo ethgauge ...; or raise the hard limit of locked memory: of this "
	       "shell, sudo prlimit --memlock=unlimited --pid $$; of a user, memlock in "
	       "/etc/security/limits.conf; of a service, LimitMEMLOCK=infinity";
}
